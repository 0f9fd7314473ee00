//! `$include`: other files merged into the config.
//!
//! Seen in every release: a path is relative to the file that names it and must stay, also after
//! symlinks, in the folder of the main config or in one of `OPENCLAW_INCLUDE_ROOTS`; at most ten
//! files deep; a file at most 2 MiB, a regular one without hard links. Objects merge member by
//! member, arrays are joined, anything else is replaced by what comes later: the files of a list in
//! turn, then the keys beside `$include`.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};

use super::finding::{Finding, Label, Severity};
use super::node::{Kind, Member, Node};
use super::parse;
use super::path::{JsonPath, Step};
use super::source::{FileId, Source, Span};

/// The key that names the files.
pub const INCLUDE: &str = "$include";

const MAX_DEPTH: usize = 10;
const MAX_BYTES: u64 = 2 * 1024 * 1024;
const MAX_PATH: usize = 4096;

/// Files read in all, so that files which include each other's neighbours twice can't explode.
const MAX_FILES: usize = 1000;

/// Keys that JavaScript objects can't safely take; a merge drops them.
const RESERVED: [&str; 3] = ["__proto__", "prototype", "constructor"];

/// A folder that includes may point into, as written and with symlinks resolved.
pub(super) struct Root {
    lexical: PathBuf,
    real: PathBuf,
}

impl Root {
    pub(super) fn new(folder: &Path) -> Self {
        let lexical = normalize(folder);
        let real = fs::canonicalize(&lexical).unwrap_or_else(|_| lexical.clone());
        Self { lexical, real }
    }
}

pub(super) struct Includes<'a> {
    pub(super) sources: &'a mut Vec<Source>,
    pub(super) findings: &'a mut Vec<Finding>,
    pub(super) roots: Vec<Root>,
}

/// The files between the main config and the one being read, with the places that name them.
type Chain = Vec<(PathBuf, Option<Span>)>;

impl Includes<'_> {
    /// Merges every include of the main config into it.
    pub(super) fn resolve(&mut self, node: Node, main: &Path) -> Node {
        let mut chain = vec![(normalize(main), None)];
        self.node(node, &mut JsonPath::root(), &mut chain)
    }

    fn node(&mut self, node: Node, path: &mut JsonPath, chain: &mut Chain) -> Node {
        let span = node.span;
        let kind = match node.kind {
            Kind::Array(elements) => Kind::Array(
                elements
                    .into_iter()
                    .enumerate()
                    .map(|(index, element)| self.child(element, Step::Index(index), path, chain))
                    .collect(),
            ),
            Kind::Object(members) => {
                let at = members.iter().position(|member| member.key == INCLUDE);
                return self.object(span, members, at, path, chain);
            }
            kind => kind,
        };
        Node { span, kind }
    }

    fn child(&mut self, node: Node, step: Step, path: &mut JsonPath, chain: &mut Chain) -> Node {
        path.push(step);
        let node = self.node(node, path, chain);
        path.pop();
        node
    }

    fn object(
        &mut self,
        span: Span,
        mut members: Vec<Member>,
        include: Option<usize>,
        path: &mut JsonPath,
        chain: &mut Chain,
    ) -> Node {
        let include = include.map(|at| members.remove(at));
        members.retain(|member| self.is_kept(member, path));
        let members = members
            .into_iter()
            .map(|member| {
                let value = self.child(member.value, Step::Key(member.key.clone()), path, chain);
                Member { value, ..member }
            })
            .collect::<Vec<_>>();
        let rest = Node { span, kind: Kind::Object(members) };
        let Some(include) = include else { return rest };
        let Some(included) = self.included(&include.value, path, chain) else { return rest };
        if rest.members().is_empty() {
            return included;
        }
        if !matches!(included.kind, Kind::Object(_)) {
            self.report(
                include.value.span,
                path,
                chain,
                format!(
                    "keys beside $include need a file that holds an object, this one holds: {}",
                    included.type_name()
                ),
                "make the file an object, or remove the other keys",
            );
            return rest;
        }
        merge(included, rest)
    }

    /// JavaScript takes `__proto__` for the parent of an object, so a release never sees the key.
    fn is_kept(&mut self, member: &Member, path: &JsonPath) -> bool {
        let kept = member.key != "__proto__";
        if !kept {
            let message = "OpenClaw ignores the key __proto__";
            self.findings.push(
                Finding::new("reserved-key", Severity::Warning, message)
                    .at_path(path.key("__proto__"))
                    .at(member.key_span)
                    .hint("remove it"),
            );
        }
        kept
    }

    fn included(&mut self, value: &Node, path: &mut JsonPath, chain: &mut Chain) -> Option<Node> {
        match &value.kind {
            Kind::String(name) => self.file(name, value.span, path, chain),
            Kind::Array(elements) => {
                let mut all = Node { span: value.span, kind: Kind::Object(Vec::new()) };
                for element in elements {
                    if let Kind::String(name) = &element.kind {
                        if let Some(node) = self.file(name, element.span, path, chain) {
                            all = merge(all, node);
                        }
                    } else {
                        self.wrong_type(element, path, chain);
                    }
                }
                Some(all)
            }
            _ => {
                self.wrong_type(value, path, chain);
                None
            }
        }
    }

    fn wrong_type(&mut self, value: &Node, path: &JsonPath, chain: &Chain) {
        let message = format!("$include takes a file name or a list of them, found {}", value.type_name());
        self.report(value.span, path, chain, message, "write \"$include\": \"./file.json5\"");
    }

    fn file(&mut self, name: &str, at: Span, path: &mut JsonPath, chain: &mut Chain) -> Option<Node> {
        let target = match self.target(name, chain) {
            Ok(target) => target,
            Err((message, hint)) => {
                self.report(at, path, chain, message, hint);
                return None;
            }
        };
        let bytes = match read(&target) {
            Ok(bytes) => bytes,
            Err(message) => {
                let hint = "create the file, or correct the path; it is relative to the file that names it";
                self.report(at, path, chain, format!("can't include {}: {message}", target.display()), hint);
                return None;
            }
        };
        let Ok(number) = u16::try_from(self.sources.len()) else { return None };
        let id = FileId(number);
        let source = Source::new(target.clone(), bytes);
        let mut parsed = parse::parse(&source, id);
        self.sources.push(source);
        for finding in &mut parsed.findings {
            finding.labels.push(Label { span: at, text: "included here".to_owned() });
            finding.path.get_or_insert_with(|| path.clone());
        }
        self.findings.append(&mut parsed.findings);
        let node = parsed.node?;
        chain.push((target, Some(at)));
        let node = self.node(node, path, chain);
        chain.pop();
        Some(node)
    }

    /// The file that a name stands for, checked.
    fn target(&self, name: &str, chain: &Chain) -> Result<PathBuf, (String, &'static str)> {
        let (current, _) = &chain[chain.len() - 1];
        if name.contains('\0') || name.len() >= MAX_PATH {
            return Err((
                "the path of the include is too long or holds a zero byte".to_owned(),
                "shorten it",
            ));
        }
        let target = normalize(&current.parent().unwrap_or(Path::new("")).join(name));
        let shown = target.display();
        let inside = |candidate: &Path, real: bool| {
            self.roots.iter().any(|root| candidate.starts_with(if real { &root.real } else { &root.lexical }))
        };
        let hint = "move the file into the config's folder, or add its folder to OPENCLAW_INCLUDE_ROOTS";
        if !inside(&target, false) {
            return Err((format!("{shown} is outside of the folders that may be included"), hint));
        }
        if let Ok(real) = fs::canonicalize(&target)
            && !inside(&real, true)
        {
            return Err((format!("{shown} is a symlink out of the folders that may be included"), hint));
        }
        if chain.iter().any(|(file, _)| *file == target) {
            let files: Vec<String> = chain.iter().map(|(file, _)| file.display().to_string()).collect();
            let message = format!("includes go in a circle: {} -> {shown}", files.join(" -> "));
            return Err((message, "remove one of them"));
        }
        if chain.len() > MAX_DEPTH {
            return Err((
                format!("includes are more than {MAX_DEPTH} files deep at {shown}"),
                "flatten them",
            ));
        }
        if self.sources.len() > MAX_FILES {
            return Err((format!("more than {MAX_FILES} files are included"), "include fewer files"));
        }
        Ok(target)
    }

    fn report(&mut self, at: Span, path: &JsonPath, chain: &Chain, message: String, hint: &str) {
        let mut finding =
            Finding::new("include", Severity::Error, message).at_path(path.clone()).at(at).hint(hint);
        for (_, named_at) in chain.iter().rev() {
            if let Some(span) = named_at {
                finding = finding.label(*span, "included here");
            }
        }
        self.findings.push(finding);
    }
}

fn read(path: &Path) -> Result<Vec<u8>, String> {
    let metadata = fs::metadata(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => "there is no such file".to_owned(),
        _ => error.to_string(),
    })?;
    if !metadata.is_file() {
        return Err("it is no regular file".to_owned());
    }
    if metadata.len() > MAX_BYTES {
        return Err(format!("it is larger than {MAX_BYTES} bytes"));
    }
    if metadata.nlink() > 1 {
        return Err("it has a second name (hard link), which OpenClaw refuses".to_owned());
    }
    fs::read(path).map_err(|error| error.to_string())
}

/// What comes later wins; objects merge, arrays are joined.
fn merge(base: Node, over: Node) -> Node {
    let kind = match (base.kind, over.kind) {
        (Kind::Array(mut elements), Kind::Array(more)) => {
            elements.extend(more);
            Kind::Array(elements)
        }
        (Kind::Object(mut members), Kind::Object(more)) => {
            for member in more {
                if RESERVED.contains(&member.key.as_str()) {
                    continue;
                }
                if let Some(at) = members.iter().position(|known| known.key == member.key) {
                    let known = members.remove(at);
                    let value = merge(known.value, member.value);
                    members.insert(at, Member { value, ..member });
                } else {
                    members.push(member);
                }
            }
            Kind::Object(members)
        }
        (_, kind) => kind,
    };
    Node { span: over.span, kind }
}

/// The path without `.` and `..`, symlinks left alone.
pub(super) fn normalize(path: &Path) -> PathBuf {
    let mut result = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                if !result.pop() {
                    result.push("..");
                }
            }
            other => result.push(other),
        }
    }
    result
}
