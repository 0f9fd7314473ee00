//! Streams, colour and questions.

use std::io::{self, IsTerminal, Read, Write};

use anstream::adapter::StripBytes;
use anstyle::{AnsiColor, Style};
use serde_json::Value;

use crate::base::env::Env;
use crate::base::error::{Error, Result};
use crate::base::text;
use crate::output::json;

/// `--color`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum ColorChoice {
    /// On a terminal, unless NO_COLOR is set.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// Which streams are terminals, and how wide the terminal is.
#[derive(Debug, Clone, Copy, Default)]
pub struct Terminal {
    /// Standard input.
    pub stdin: bool,
    /// Standard output.
    pub stdout: bool,
    /// Standard error.
    pub stderr: bool,
    /// Columns of the terminal behind standard output.
    pub width: Option<u16>,
}

/// The streams that `run()` is given.
pub struct Io<'a> {
    /// Standard input.
    pub stdin: &'a mut dyn Read,
    /// Data.
    pub stdout: &'a mut (dyn Write + Send),
    /// Everything else.
    pub stderr: &'a mut (dyn Write + Send),
    /// What they are connected to.
    pub terminal: Terminal,
}

impl Terminal {
    /// What this process is connected to.
    #[must_use]
    pub fn of_process() -> Self {
        let stdout = io::stdout().is_terminal();
        let width = stdout.then(|| rustix::termios::tcgetwinsize(io::stdout()).ok()).flatten();
        Self {
            stdin: io::stdin().is_terminal(),
            stdout,
            stderr: io::stderr().is_terminal(),
            width: width.map(|size| size.ws_col).filter(|&columns| columns > 0),
        }
    }
}

/// Output with the user's wishes applied: colour, width, quiet.
pub struct Ui<'a> {
    stdin: &'a mut dyn Read,
    stdout: Sink<'a>,
    stderr: Sink<'a>,
    /// What the streams are connected to.
    pub terminal: Terminal,
    /// Columns of a table; `None`: as wide as it needs.
    pub width: Option<u16>,
    quiet: bool,
    verbose: bool,
    json: bool,
    /// Under `--json`: what stderr says in one object at the end.
    warnings: Vec<String>,
    errors: Vec<Value>,
}

enum Sink<'a> {
    Colored(&'a mut (dyn Write + Send)),
    Plain(Strip<'a>),
}

/// Passes text on without its colours.
struct Strip<'a> {
    state: StripBytes,
    stream: &'a mut (dyn Write + Send),
}

impl Write for Strip<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for printable in self.state.strip_next(bytes) {
            self.stream.write_all(printable)?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

impl<'a> Sink<'a> {
    fn writer(&mut self) -> &mut (dyn Write + 'a) {
        match self {
            Self::Colored(stream) => *stream,
            Self::Plain(stream) => stream,
        }
    }
}

/// `--color`, then `NO_COLOR`, `CLICOLOR_FORCE`, `CLICOLOR`, `TERM=dumb`, then the terminal.
fn wants_color(choice: ColorChoice, env: &Env, terminal: bool) -> bool {
    match choice {
        ColorChoice::Always => true,
        ColorChoice::Never => false,
        ColorChoice::Auto if env.text("NO_COLOR").is_some() => false,
        ColorChoice::Auto if env.text("CLICOLOR_FORCE").is_some_and(|value| value != "0") => true,
        ColorChoice::Auto => {
            terminal && env.text("CLICOLOR") != Some("0") && env.text("TERM") != Some("dumb")
        }
    }
}

impl<'a> Ui<'a> {
    /// Applies the options to the streams.
    pub fn new(io: Io<'a>, env: &Env, color: ColorChoice, quiet: bool, verbose: bool, json: bool) -> Self {
        fn sink(stream: &mut (dyn Write + Send), colored: bool) -> Sink<'_> {
            if colored {
                Sink::Colored(stream)
            } else {
                Sink::Plain(Strip { state: StripBytes::new(), stream })
            }
        }
        let terminal = io.terminal;
        let columns = env.text("COLUMNS").and_then(|text| text.parse().ok()).filter(|&columns| columns > 0);
        Self {
            stdin: io.stdin,
            stdout: sink(io.stdout, wants_color(color, env, terminal.stdout)),
            stderr: sink(io.stderr, wants_color(color, env, terminal.stderr)),
            terminal,
            width: columns.or(terminal.width),
            quiet,
            verbose,
            json,
            warnings: Vec::new(),
            errors: Vec::new(),
        }
    }

    /// Standard output, for data.
    pub fn out(&mut self) -> &mut (dyn Write + 'a) {
        self.stdout.writer()
    }

    /// Standard input and output at once.
    pub fn input_and_out(&mut self) -> (&mut dyn Read, &mut (dyn Write + 'a)) {
        (&mut *self.stdin, self.stdout.writer())
    }

    /// Standard input.
    pub fn input(&mut self) -> &mut dyn Read {
        &mut *self.stdin
    }

    /// A remark on stderr, unless `-q` or `--json`.
    pub fn note(&mut self, text: impl AsRef<str>) {
        if !self.quiet && !self.json {
            let _ = writeln!(self.stderr.writer(), "{}", text::lines(text.as_ref()));
        }
    }

    /// A remark on stderr that only `-v` wants.
    pub fn detail(&mut self, text: impl AsRef<str>) {
        if self.verbose && !self.json {
            let _ = writeln!(self.stderr.writer(), "{}", text::lines(text.as_ref()));
        }
    }

    /// A warning on stderr, also under `-q`: something was passed over.
    pub fn warn(&mut self, text: impl AsRef<str>) {
        let style = AnsiColor::Yellow.on_default().bold();
        let text = text::lines(text.as_ref());
        if self.json {
            self.warnings.push(text);
        } else {
            let _ = writeln!(self.stderr.writer(), "{style}warning:{style:#} {text}");
        }
    }

    /// Prints an error: message, place, cause, what to do next.
    pub fn error(&mut self, error: &Error) {
        if self.json {
            self.errors.push(json::error(error));
        } else {
            let _ = write_error(self.stderr.writer(), error);
        }
    }

    /// Ends the run: under `--json` errors and warnings come as one object on stderr, the first error
    /// under `error`, all of them under `errors` when there are several.
    pub fn finish(&mut self) {
        let (warnings, errors) = (std::mem::take(&mut self.warnings), std::mem::take(&mut self.errors));
        if warnings.is_empty() && errors.is_empty() {
            return;
        }
        let mut document = serde_json::Map::from_iter([("version".to_owned(), json::VERSION.into())]);
        if let Some(first) = errors.first() {
            document.insert("error".to_owned(), first.clone());
        }
        if errors.len() > 1 {
            document.insert("errors".to_owned(), errors.into());
        }
        if !warnings.is_empty() {
            document.insert("warnings".to_owned(), warnings.into());
        }
        let _ = writeln!(self.stderr.writer(), "{}", Value::Object(document));
    }

    /// Text that already has its own layout, on stderr.
    pub fn raw_error(&mut self, text: &str) {
        let _ = write!(self.stderr.writer(), "{text}");
    }

    /// A control sequence for the terminal behind stdout.
    ///
    /// # Errors
    /// The stream failed.
    pub fn control(&mut self, sequence: &str) -> io::Result<()> {
        let stream = match &mut self.stdout {
            Sink::Colored(stream) => &mut **stream,
            Sink::Plain(strip) => &mut *strip.stream,
        };
        stream.write_all(sequence.as_bytes())?;
        stream.flush()
    }

    /// Asks the terminal for its width again: it may have been resized.
    pub fn look_at_width(&mut self) {
        if self.terminal.width.is_some() {
            self.width = Terminal::of_process().width.or(self.width);
        }
    }

    /// Lets the user choose at a terminal; elsewhere, and when the choice is left, `None`.
    ///
    /// # Errors
    /// Interrupted (exit 130), or the terminal failed.
    pub fn choose(&mut self, question: &str, answers: &[&str]) -> Result<Option<usize>> {
        if self.json || !(self.terminal.stdin && self.terminal.stderr) {
            return Ok(None);
        }
        let choice = dialoguer::Select::new().with_prompt(text::text(question)).items(answers).default(0);
        choice.interact_opt().map_err(terminal_error)
    }

    /// Asks before a write. At a terminal the user answers; elsewhere only `--yes` lets it pass.
    ///
    /// # Errors
    /// No terminal to ask at (exit 2), or interrupted (exit 130).
    pub fn confirm(&mut self, yes: bool, question: &str) -> Result<bool> {
        if yes {
            return Ok(true);
        }
        if self.json || !(self.terminal.stdin && self.terminal.stderr) {
            return Err(Error::usage("this needs a yes, and there is no terminal to ask at")
                .hint("repeat the command with --yes, or with --dry-run to see what it would do"));
        }
        dialoguer::Confirm::new()
            .with_prompt(text::text(question))
            .default(false)
            .interact_opt()
            .map(|answer| answer.unwrap_or(false))
            .map_err(terminal_error)
    }
}

fn terminal_error(dialoguer::Error::IO(error): dialoguer::Error) -> Error {
    match error.kind() {
        io::ErrorKind::Interrupted => {
            Error::new(crate::base::error::ErrorKind::Interrupted, "interrupted; nothing was written")
        }
        _ => {
            Error::failed("can't ask at the terminal").caused_by(error).hint("repeat the command with --yes")
        }
    }
}

/// `error:` with place, cause and hints below it.
fn write_error(err: &mut dyn Write, error: &Error) -> io::Result<()> {
    let red = AnsiColor::Red.on_default().bold();
    let dim = Style::new().dimmed();
    writeln!(err, "{red}error:{red:#} {}", text::lines(&error.message))?;
    if let Some(place) = &error.place {
        writeln!(err, "  {dim}at:{dim:#} {}", text::text(&place.to_string()))?;
    }
    let mut source = error.source.as_ref().map(|source| &**source as &dyn std::error::Error);
    while let Some(cause) = source {
        writeln!(err, "  {dim}cause:{dim:#} {}", text::text(&cause.to_string()))?;
        source = cause.source();
    }
    for hint in &error.hints {
        writeln!(err, "  {dim}next:{dim:#} {}", text::lines(hint))?;
    }
    Ok(())
}
