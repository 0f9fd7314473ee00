//! Dependencies between the rooms of `src` point one way (README.md, "Architecture"). Reads the source as
//! text: whatever stands behind `crate::` counts, in tests inside of `src` too.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// Each room with the rooms that it may name, lowest first: an arrow always points to a room that stands
/// before it.
const ROOMS: &[(&str, &[&str])] = &[
    ("base", &[]),
    ("openclaw", &["base"]),
    ("config", &["base", "openclaw"]),
    ("engine", &["base", "openclaw"]),
    ("store", &["base", "openclaw", "engine"]),
    ("output", &["base", "config"]),
    ("script", &["base", "openclaw", "engine"]),
    ("logs", &["base", "openclaw", "engine", "output"]),
    ("installation", &["base", "openclaw", "config", "engine", "store", "output", "script"]),
    ("installed", &["base", "openclaw", "engine", "output", "installation"]),
    ("checks", &["base", "openclaw", "config", "engine", "store", "output", "installation"]),
    ("ui", &["base", "output"]),
    (
        "commands",
        &[
            "base",
            "openclaw",
            "config",
            "engine",
            "store",
            "output",
            "script",
            "logs",
            "installation",
            "installed",
            "checks",
            "ui",
        ],
    ),
    ("cli", &["base", "commands"]),
];

fn arrows(path: &Path, found: &mut BTreeSet<String>) {
    if path.is_dir() {
        for entry in fs::read_dir(path).expect("a folder") {
            arrows(&entry.expect("an entry").path(), found);
        }
    } else if path.extension().is_some_and(|extension| extension == "rs") {
        let text = fs::read_to_string(path).expect("a source file");
        for (at, found_here) in text.match_indices("crate::") {
            let name = &text[at + found_here.len()..];
            let end = name.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(name.len());
            found.insert(name[..end].to_owned());
        }
    }
}

/// Room by room, the rooms that its files name.
fn rooms() -> BTreeMap<String, BTreeSet<String>> {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut rooms = BTreeMap::new();
    for entry in fs::read_dir(src).expect("src") {
        let path = entry.expect("an entry").path();
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        if name != "lib" && name != "main" {
            arrows(&path, rooms.entry(name).or_default());
        }
    }
    rooms
}

#[test]
fn every_arrow_is_allowed() {
    let mut wrong = Vec::new();
    for (room, named) in rooms() {
        let allowed = ROOMS.iter().find(|(name, _)| *name == room).map(|(_, allowed)| *allowed);
        let Some(allowed) = allowed else {
            wrong.push(format!("{room} has no place in the list of rooms"));
            continue;
        };
        for name in named {
            if name != room && !allowed.contains(&name.as_str()) {
                wrong.push(format!("{room} names {name}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn arrows_point_down() {
    for (index, (room, allowed)) in ROOMS.iter().enumerate() {
        for name in *allowed {
            assert!(ROOMS[..index].iter().any(|(lower, _)| lower == name), "{room} stands below {name}");
        }
    }
}
