//! Config: loading, schema, lints, fixes, output.

#![allow(clippy::unwrap_used, missing_docs)]

mod lints;
mod load;
mod properties;
mod schema;

use std::path::{Path, PathBuf};

use clawctl::base::env::Env;
use clawctl::config::{LoadOptions, Loaded, load};

/// A folder of files that goes away.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new<'a>(files: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        for (name, text) in files {
            let path = folder.path(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        folder
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn root(&self) -> &Path {
        self.0.path()
    }

    fn load(&self, name: &str) -> Loaded {
        self.load_with(name, &[], &LoadOptions::default())
    }

    fn load_with(&self, name: &str, env: &[(&str, &str)], options: &LoadOptions) -> Loaded {
        load(&self.path(name), &Env::new(env.iter().copied(), self.root()), options)
    }
}

/// `file:line:column path: message` of every finding, the folder left out.
fn lines(loaded: &Loaded, folder: &Folder) -> Vec<String> {
    let shown = |text: String| text.replace(&format!("{}/", folder.root().display()), "");
    loaded
        .findings()
        .iter()
        .map(|finding| shown(format!("{}: {}", loaded.place(finding), finding.message)))
        .collect()
}
