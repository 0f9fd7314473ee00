//! Finding the installation: state folder, config, OAuth file, folder of the main agent.
//!
//! The rules are those of the releases 2026.3.13 to 2026.9.6; `~` follows `OPENCLAW_HOME`, then
//! `HOME`; a value of blanks counts as unset, and a home of `undefined` or `null` (what a broken
//! start script leaves) too.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::base::env::Env;
use crate::base::error::{Error, Result};

const CONFIG_NAMES: [&str; 2] = ["openclaw.json", "clawdbot.json"];

/// What the command line says about places.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// `--state-dir`.
    pub state_dir: Option<PathBuf>,
    /// `--config`.
    pub config: Option<PathBuf>,
}

/// Why the state folder is the one it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StateDirReason {
    /// `--state-dir`.
    Flag,
    /// `OPENCLAW_STATE_DIR`.
    StateDirVariable,
    /// `OPENCLAW_PROFILE=NAME` means `~/.openclaw-NAME`.
    Profile(String),
    /// `~/.openclaw`.
    Home,
    /// `~/.clawdbot`, because there is no `~/.openclaw`.
    LegacyHome,
}

impl fmt::Display for StateDirReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flag => f.write_str("--state-dir"),
            Self::StateDirVariable => f.write_str("OPENCLAW_STATE_DIR"),
            Self::Profile(name) => write!(f, "OPENCLAW_PROFILE={name}"),
            Self::Home => f.write_str("the default"),
            Self::LegacyHome => f.write_str("the folder of older releases, there is no ~/.openclaw"),
        }
    }
}

/// Where everything of one installation is. Only the state folder is known to exist.
#[derive(Debug, Clone)]
pub struct Places {
    /// What `~` means.
    pub home: PathBuf,
    /// The state folder.
    pub state_dir: PathBuf,
    /// Why this state folder.
    pub state_dir_reason: StateDirReason,
    /// The config; may not exist.
    pub config: PathBuf,
    /// `oauth.json` of older releases; may not exist.
    pub oauth_file: PathBuf,
    /// `OPENCLAW_AGENT_DIR`, else `PI_CODING_AGENT_DIR`: moves the folder of the agent `main`.
    pub main_agent_dir: Option<PathBuf>,
    /// Folder of the single agent that the first releases had; may not exist.
    pub legacy_agent_dir: PathBuf,
}

impl Places {
    /// Finds the installation.
    ///
    /// # Errors
    /// `Nothing` (exit 3), naming what was looked at, when there is no state folder.
    pub fn find(env: &Env, options: &Options) -> Result<Self> {
        let home = home(env);
        let expand = |path: &Path| expand(path, &home, &env.current_dir);
        let named = |name: &str| env.path(name).map(|path| expand(&path));
        let profile = env.text("OPENCLAW_PROFILE").filter(|name| !name.eq_ignore_ascii_case("default"));

        let (state_dir, state_dir_reason) = if let Some(dir) = &options.state_dir {
            (expand(dir), StateDirReason::Flag)
        } else if let Some(dir) = named("OPENCLAW_STATE_DIR") {
            (dir, StateDirReason::StateDirVariable)
        } else if let Some(name) = profile {
            (home.join(format!(".openclaw-{name}")), StateDirReason::Profile(name.to_owned()))
        } else {
            let (current, legacy) = (home.join(".openclaw"), home.join(".clawdbot"));
            if !current.exists() && legacy.exists() {
                (legacy, StateDirReason::LegacyHome)
            } else {
                (current, StateDirReason::Home)
            }
        };
        if !state_dir.is_dir() {
            return Err(no_state_dir(&home, &state_dir, &state_dir_reason));
        }

        let config =
            options.config.as_deref().map(expand).or_else(|| named("OPENCLAW_CONFIG_PATH")).unwrap_or_else(
                || {
                    let candidates = CONFIG_NAMES.map(|name| state_dir.join(name));
                    let found = candidates.iter().position(|path| path.exists()).unwrap_or(0);
                    candidates[found].clone()
                },
            );
        let oauth_dir = named("OPENCLAW_OAUTH_DIR").unwrap_or_else(|| state_dir.join("credentials"));
        Ok(Self {
            oauth_file: oauth_dir.join("oauth.json"),
            main_agent_dir: named("OPENCLAW_AGENT_DIR").or_else(|| named("PI_CODING_AGENT_DIR")),
            legacy_agent_dir: state_dir.join("agent"),
            home,
            state_dir,
            state_dir_reason,
            config,
        })
    }

    /// The folder that holds an agent's auth store, unless the config moves it.
    #[must_use]
    pub fn agent_dir(&self, id: &super::AgentId) -> PathBuf {
        match &self.main_agent_dir {
            Some(dir) if id.is_main() => dir.clone(),
            _ => self.agents_dir().join(id.as_str()).join("agent"),
        }
    }

    /// The folder that holds one folder for each agent.
    #[must_use]
    pub fn agents_dir(&self) -> PathBuf {
        self.state_dir.join("agents")
    }

    /// The state database of 2026.7 and later; may not exist.
    #[must_use]
    pub fn state_database(&self) -> PathBuf {
        self.state_dir.join("state").join("openclaw.sqlite")
    }

    /// Where this tool keeps its backups; may not exist.
    #[must_use]
    pub fn backups_dir(&self) -> PathBuf {
        self.state_dir.join("backups").join("clawctl")
    }

    /// The path with `~` for the home folder, for people.
    #[must_use]
    pub fn display(&self, path: &Path) -> String {
        match path.strip_prefix(&self.home) {
            Ok(rest) if !self.home.as_os_str().is_empty() && rest.components().next().is_some() => {
                format!("~/{}", rest.display())
            }
            _ => path.display().to_string(),
        }
    }

    /// A path from config or environment with `~` expanded, made absolute.
    #[must_use]
    pub fn expand(&self, path: &Path, current_dir: &Path) -> PathBuf {
        expand(path, &self.home, current_dir)
    }
}

fn no_state_dir(home: &Path, state_dir: &Path, reason: &StateDirReason) -> Error {
    let error = if state_dir.exists() {
        Error::nothing(format!("the state folder is no folder (from {reason})")).at(state_dir)
    } else {
        Error::nothing(format!("there is no OpenClaw state folder (from {reason})")).at(state_dir)
    };
    match reason {
        StateDirReason::Home => error.hint(format!(
            "looked at {} and {}; name the folder with --state-dir or OPENCLAW_STATE_DIR",
            home.join(".openclaw").display(),
            home.join(".clawdbot").display()
        )),
        StateDirReason::Flag => error.hint("check the folder given with --state-dir"),
        StateDirReason::StateDirVariable => error.hint("check the variable OPENCLAW_STATE_DIR"),
        StateDirReason::Profile(_) => {
            error.hint("check the variable OPENCLAW_PROFILE, or name the folder with --state-dir")
        }
        StateDirReason::LegacyHome => error,
    }
}

/// The home folder: `OPENCLAW_HOME` (with `~` meaning `HOME`), else `HOME`, else the working folder.
fn home(env: &Env) -> PathBuf {
    let set = |name| env.path(name).filter(|path| !matches!(path.to_str(), Some("undefined" | "null")));
    let os_home = set("HOME").unwrap_or_else(|| env.current_dir.clone());
    let home = match set("OPENCLAW_HOME") {
        Some(path) => match path.strip_prefix("~") {
            Ok(rest) => os_home.join(rest),
            Err(_) => path,
        },
        None => os_home,
    };
    absolute(&home, &env.current_dir)
}

fn expand(path: &Path, home: &Path, current_dir: &Path) -> PathBuf {
    match path.strip_prefix("~") {
        Ok(rest) if rest.as_os_str().is_empty() => home.to_path_buf(),
        Ok(rest) => absolute(&home.join(rest), current_dir),
        Err(_) => absolute(path, current_dir),
    }
}

/// Absolute, without `.` and `..`, by text alone (as Node's `path.resolve`).
fn absolute(path: &Path, current_dir: &Path) -> PathBuf {
    use std::path::Component;
    let mut result = PathBuf::new();
    for component in current_dir.join(path).components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                result.pop();
            }
            other => result.push(other),
        }
    }
    result
}
