//! Reading recorded files.

use std::fs;
use std::path::Path;

use serde_json::Value;

/// The names in a folder, sorted; with an extension only those that end in it.
pub fn names(folder: &Path, extension: Option<&str>) -> Result<Vec<String>, String> {
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut names = Vec::new();
    for entry in entries {
        let path = entry.map_err(|error| format!("{}: {error}", folder.display()))?.path();
        let wanted = match extension {
            Some(extension) => path.extension().is_some_and(|found| found == extension),
            None => path.is_dir(),
        };
        if let Some(name) = path.file_name().and_then(|name| name.to_str()).filter(|_| wanted) {
            names.push(name.to_owned());
        }
    }
    names.sort();
    Ok(names)
}

/// The JSON values of a file with one a line; blank lines are left out.
pub fn lines(path: &Path) -> Result<Vec<Value>, String> {
    let text = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    text.lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty())
        .map(|(at, line)| {
            serde_json::from_str(line).map_err(|error| format!("{}:{}: {error}", path.display(), at + 1))
        })
        .collect()
}
