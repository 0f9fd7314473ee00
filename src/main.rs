//! The `clawctl` binary.

use std::io::{stderr, stdin, stdout};
use std::process::ExitCode;

use clawctl::{base::env::Env, base::time::Clock, cli, ui};

fn main() -> ExitCode {
    // Answers the shell and ends here when COMPLETE is set; see `clawctl completions`.
    clap_complete::CompleteEnv::with_factory(cli::command).bin("clawctl").complete();
    let (mut stdin, mut stderr) = (stdin().lock(), stderr());
    let mut stdout = std::io::BufWriter::with_capacity(64 * 1024, stdout());
    let io = ui::Io {
        stdin: &mut stdin,
        stdout: &mut stdout,
        stderr: &mut stderr,
        terminal: ui::Terminal::of_process(),
    };
    clawctl::run(std::env::args_os(), io, &Env::of_process(), Clock::System).into()
}
