//! Loading: text, includes, variables.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::envsub::{self, EnvRef, Variables};
use super::finding::{Finding, Severity};
use super::include::{self, Includes, Root};
use super::node::Node;
use super::parse;
use super::path::JsonPath;
use super::source::{FileId, Source, Span};
use crate::base::env::Env;
use crate::base::error::{Error, ErrorKind, Place};

/// The largest main config that is read.
const MAX_BYTES: u64 = 16 * 1024 * 1024;

/// How to load.
#[derive(Debug, Clone)]
pub struct LoadOptions {
    /// Folders that includes may point into, besides the config's own and `OPENCLAW_INCLUDE_ROOTS`.
    pub include_roots: Vec<PathBuf>,
    /// Take variables from the process; off with `--no-env`.
    pub process_env: bool,
    /// `.env` files that were asked for; one that can't be read is a finding.
    pub env_files: Vec<PathBuf>,
    /// `.env` of the state folder, read as OpenClaw does; fine if missing.
    pub state_env_file: Option<PathBuf>,
}

impl Default for LoadOptions {
    fn default() -> Self {
        Self { include_roots: Vec::new(), process_env: true, env_files: Vec::new(), state_env_file: None }
    }
}

/// A loaded config: as much of it as could be read, and what was found on the way.
pub struct Loaded {
    sources: Vec<Source>,
    tree: Option<Node>,
    value: Option<Value>,
    findings: Vec<Finding>,
    env_refs: Vec<EnvRef>,
    exists: bool,
}

/// A config may hold keys and tokens, so its text and values don't show.
impl std::fmt::Debug for Loaded {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let files: Vec<&Path> = self.sources.iter().map(|source| source.path.as_path()).collect();
        f.debug_struct("Loaded")
            .field("files", &files)
            .field("findings", &self.findings)
            .finish_non_exhaustive()
    }
}

/// Where a part of the config came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// The file.
    pub file: PathBuf,
    /// The bytes.
    pub span: Span,
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
}

/// Loads a config file with its includes and variables. Problems are in [`Loaded::findings`]; a
/// missing file is none.
#[must_use]
pub fn load(path: &Path, env: &Env, options: &LoadOptions) -> Loaded {
    let path = &include::normalize(&env.current_dir.join(path));
    let too_large = || std::io::Error::other(format!("it is larger than {MAX_BYTES} bytes"));
    let bytes = fs::metadata(path).and_then(|data| match () {
        // A FIFO or a device would never end.
        () if !data.is_file() => Err(std::io::Error::other("it is no regular file")),
        () if data.len() > MAX_BYTES => Err(too_large()),
        () => fs::read(path),
    });
    match bytes {
        Ok(bytes) => load_bytes(path, bytes, env, options),
        Err(error) => {
            let exists = error.kind() != std::io::ErrorKind::NotFound;
            let mut loaded = Loaded {
                sources: vec![Source::new(path.clone(), Vec::new())],
                tree: None,
                value: None,
                findings: Vec::new(),
                env_refs: Vec::new(),
                exists,
            };
            if exists {
                let message = format!("can't read the config: {error}");
                loaded.findings.push(Finding::new("unreadable", Severity::Error, message).at(MAIN));
            }
            loaded
        }
    }
}

const MAIN: Span = Span { file: FileId(0), start: 0, end: 0 };

/// Loads a config whose text is at hand (standard input); `path` names it and is where relative
/// includes start.
#[must_use]
pub fn load_bytes(path: &Path, bytes: Vec<u8>, env: &Env, options: &LoadOptions) -> Loaded {
    let source = Source::new(path.to_path_buf(), bytes);
    let parsed = parse::parse(&source, FileId(0));
    let mut findings = parsed.findings;
    if source.lossy {
        let message = "the file has bytes that aren't UTF-8; OpenClaw replaces them";
        findings.push(Finding::new("not-utf8", Severity::Warning, message).at(MAIN));
    }
    let mut sources = vec![source];
    let mut env_refs = Vec::new();
    let tree = parsed.node.map(|node| {
        let own = path.parent().unwrap_or(Path::new(""));
        let listed = include_roots(env);
        let roots = std::iter::once(own)
            .chain(listed.iter().map(PathBuf::as_path))
            .chain(options.include_roots.iter().map(PathBuf::as_path))
            .map(|folder| Root::new(&env.current_dir.join(folder)))
            .collect();
        let mut includes = Includes { sources: &mut sources, findings: &mut findings, roots };
        let mut node = includes.resolve(node, path);
        let variables = variables(&node, env, options, &mut findings);
        env_refs = envsub::substitute(&mut node, &variables);
        findings.extend(env_refs.iter().filter_map(envsub::finding));
        node
    });
    let value = tree.as_ref().map(Node::to_value);
    Loaded { sources, tree, value, findings, env_refs, exists: true }
}

fn variables(root: &Node, env: &Env, options: &LoadOptions, findings: &mut Vec<Finding>) -> Variables {
    let mut variables = Variables::default();
    if options.process_env {
        variables.add_process(env);
    }
    for file in &options.env_files {
        match envsub::read_file(&env.current_dir.join(file)) {
            Ok(text) => variables.add_file(&text),
            Err(error) => {
                let message = format!("can't read the env file {}: {error}", file.display());
                findings.push(Finding::new("env-file", Severity::Error, message).at(MAIN));
            }
        }
    }
    if options.process_env
        && let Some(Ok(text)) = options.state_env_file.as_deref().map(envsub::read_file)
    {
        variables.add_file(&text);
    }
    variables.add_config(root);
    variables
}

/// `OPENCLAW_INCLUDE_ROOTS`, colon separated, `~` expanded.
fn include_roots(env: &Env) -> Vec<PathBuf> {
    let listed = env.text("OPENCLAW_INCLUDE_ROOTS").unwrap_or_default();
    let entries = listed.split(':').map(str::trim).filter(|entry| !entry.is_empty());
    entries.map(|entry| expand_home(Path::new(entry), env)).collect()
}

/// `~` follows `OPENCLAW_HOME`, then `HOME`.
fn expand_home(path: &Path, env: &Env) -> PathBuf {
    let home = || env.path("OPENCLAW_HOME").or_else(|| env.path("HOME"));
    match path.strip_prefix("~") {
        Ok(rest) => home().map_or_else(|| path.to_path_buf(), |home| home.join(rest)),
        Err(_) => path.to_path_buf(),
    }
}

/// The config file of an installation: `OPENCLAW_CONFIG_PATH`, else `openclaw.json` in the state
/// folder, else an existing `clawdbot.json` there.
#[must_use]
pub fn locate(state_dir: &Path, env: &Env) -> PathBuf {
    if let Some(path) = env.path("OPENCLAW_CONFIG_PATH") {
        return env.current_dir.join(expand_home(&path, env));
    }
    let usual = state_dir.join("openclaw.json");
    let older = state_dir.join("clawdbot.json");
    if !usual.exists() && older.exists() { older } else { usual }
}

impl Loaded {
    /// The main file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.sources[0].path
    }

    /// Whether the main file exists.
    #[must_use]
    pub const fn exists(&self) -> bool {
        self.exists
    }

    /// The resolved config; `None` if there is none, or if OpenClaw couldn't read it either.
    #[must_use]
    pub fn value(&self) -> Option<&Value> {
        if self.has_errors() { None } else { self.value.as_ref() }
    }

    /// What could be read, errors or not.
    #[must_use]
    pub const fn partial_value(&self) -> Option<&Value> {
        self.value.as_ref()
    }

    /// The resolved config with the place of each part.
    #[must_use]
    pub const fn tree(&self) -> Option<&Node> {
        self.tree.as_ref()
    }

    /// The main file and every included one.
    #[must_use]
    pub fn sources(&self) -> &[Source] {
        &self.sources
    }

    /// The file of a span.
    #[must_use]
    pub fn source(&self, file: FileId) -> &Source {
        self.sources.get(file.0 as usize).unwrap_or(&self.sources[0])
    }

    /// Problems of syntax, includes and variables.
    #[must_use]
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// Every `${VAR}` met.
    #[must_use]
    pub fn env_refs(&self) -> &[EnvRef] {
        &self.env_refs
    }

    /// Whether the file can't be read, parsed or included as a whole.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.findings.iter().any(|finding| finding.severity == Severity::Error)
    }

    /// The first problem that keeps the config from being used, for commands that need it.
    #[must_use]
    pub fn error(&self) -> Option<Error> {
        let finding = self.findings.iter().find(|finding| finding.severity == Severity::Error)?;
        let mut error = Error::new(ErrorKind::Failed, finding.message.clone());
        error.place = Some(self.place(finding));
        error.hints.clone_from(&finding.hints);
        Some(error.hint(format!("run: clawctl config validate {}", self.path().display())))
    }

    /// File, line, column and path of a finding.
    #[must_use]
    pub fn place(&self, finding: &Finding) -> Place {
        let origin = finding.span.map(|span| self.origin_of(span));
        Place {
            path: Some(
                origin.as_ref().map_or_else(|| self.path().to_path_buf(), |origin| origin.file.clone()),
            ),
            line_column: origin.map(|origin| (origin.line, origin.column)),
            json_path: finding.path.as_ref().filter(|path| !path.is_root()).map(ToString::to_string),
        }
    }

    /// File, line and column of a range.
    #[must_use]
    pub fn origin_of(&self, span: Span) -> Origin {
        let source = self.source(span.file);
        let (line, column) = source.line_column(span.start);
        Origin { file: source.path.clone(), span, line, column }
    }

    /// Where the value at a path came from, through includes.
    #[must_use]
    pub fn origin(&self, path: &JsonPath) -> Option<Origin> {
        Some(self.origin_of(self.tree.as_ref()?.get(path)?.span))
    }
}
