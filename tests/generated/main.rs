//! completions/ and man/ are made from the command line's definition and must be in step with it.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use clap_complete::Shell;

const REGENERATE: &str = "UPDATE_GENERATED=1 cargo test --test generated";

fn check(folder: &str, wanted: BTreeMap<String, Vec<u8>>) {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    if std::env::var_os("UPDATE_GENERATED").is_some() {
        let _ = fs::remove_dir_all(&dir);
        fs::create_dir_all(&dir).expect("make the folder");
        for (name, content) in &wanted {
            fs::write(dir.join(name), content).expect("write");
        }
    }
    let found: BTreeMap<String, Vec<u8>> = fs::read_dir(&dir)
        .unwrap_or_else(|error| panic!("{folder}/ can't be read ({error}); make it with: {REGENERATE}"))
        .map(|entry| {
            let entry = entry.expect("read the folder");
            (entry.file_name().into_string().expect("a UTF-8 name"), fs::read(entry.path()).expect("read"))
        })
        .collect();
    let names = |files: &BTreeMap<String, Vec<u8>>| files.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&found), names(&wanted), "{folder}/ has other files; make it anew with: {REGENERATE}");
    for (name, content) in &wanted {
        assert!(
            found[name] == *content,
            "{folder}/{name} is out of step with the command line; make it anew with: {REGENERATE}"
        );
    }
}

#[test]
fn completions_are_in_step() {
    let shells = [Shell::Bash, Shell::Zsh, Shell::Fish, Shell::PowerShell, Shell::Elvish];
    check(
        "completions",
        shells
            .into_iter()
            .map(|shell| {
                let script = clawctl::commands::completions::script(shell).expect("a script");
                (format!("clawctl.{shell}"), script)
            })
            .collect(),
    );
}

#[test]
fn manual_pages_are_in_step() {
    check(
        "man",
        clawctl::commands::man::pages(clawctl::cli::command()).expect("pages").into_iter().collect(),
    );
}
