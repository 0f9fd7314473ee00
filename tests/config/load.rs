use clawctl::base::env::Env;
use clawctl::config::{EnvOrigin, JsonPath, LoadOptions, locate};
use serde_json::{Value, json};

use super::{Folder, lines};

fn gateway(main: &str, files: &[(&str, &str)]) -> Option<Value> {
    let folder = Folder::new(files.iter().copied().chain([("openclaw.json", main)]));
    folder.load("openclaw.json").value().map(|value| value["gateway"].clone())
}

/// Verdicts of 2026.5.7, 2026.7.1 and 2026.9.6, which are the same.
#[test]
fn includes_that_every_release_accepts() {
    let local = Some(json!({"mode": "local"}));
    for (main, files, expected) in [
        (r#"{"$include":"./a.json5"}"#, vec![("a.json5", "{gateway:{mode:'local'}}")], local.clone()),
        (
            r#"{gateway:{"$include":["./a","./b"]}}"#,
            vec![("a", "{mode:'bad'}"), ("b", "{mode:'local'}")],
            local.clone(),
        ),
        (r#"{gateway:{"$include":["a","a"]}}"#, vec![("a", "{mode:'local'}")], local.clone()),
        (r#"{gateway:{"$include":[]}}"#, vec![], Some(json!({}))),
        (r#"{gateway:{mode:{"$include":"s"}}}"#, vec![("s", "'local'")], local.clone()),
        (
            r#"{gateway:{"$include":"sub/c"}}"#,
            vec![("sub/c", r#"{"$include":"d"}"#), ("sub/d", "{mode:'local'}")],
            local.clone(),
        ),
        (r#"{gateway:{"$include":"a"}}"#, vec![("a", "\u{feff}{mode:'local'}")], local),
        (
            r#"{gateway:{mode:"local","$include":"a"}}"#,
            vec![("a", "{mode:'bad',port:1}")],
            Some(json!({"mode": "local", "port": 1})),
        ),
        (
            r#"{gateway:{"$include":"a",f:["a/b"]}}"#,
            vec![("a", "{f:['c/d']}")],
            Some(json!({"f": ["c/d", "a/b"]})),
        ),
        (r#"{gateway:[{"$include":"s"}]}"#, vec![("s", "'x'")], Some(json!(["x"]))),
        (r#"{gateway:{__proto__:{a:1},mode:1}}"#, vec![], Some(json!({"mode": 1}))),
    ] {
        assert_eq!(gateway(main, &files), expected, "{main} {files:?}");
    }
}

#[test]
fn includes_that_every_release_refuses() {
    let folder = Folder::new([
        ("c/missing", r#"{gateway:{"$include":"./nope"}}"#),
        ("c/broken", r#"{gateway:{"$include":"./bad"}}"#),
        ("c/bad", "{gateway:"),
        ("c/beside", r#"{gateway:{"$include":"./list", mode:"local"}}"#),
        ("c/list", "[1]"),
        ("c/element", r#"{gateway:{"$include":["./ok",1]}}"#),
        ("c/ok", "{mode:'local'}"),
        ("c/number", r#"{gateway:{"$include":1}}"#),
        ("c/escape", "{\n  gateway: {\"$include\": '../out'}}"),
        ("out", "{mode:'local'}"),
        ("c/circle", r#"{gateway:{"$include":"./circle2"}}"#),
        ("c/circle2", r#"{"$include":"./circle"}"#),
        ("c/absolute", r#"{gateway:{"$include":"/etc/hostname"}}"#),
        ("c/folder", r#"{gateway:{"$include":"./sub"}}"#),
        ("c/sub/x", "{}"),
        ("c/big", r#"{gateway:{"$include":"./large"}}"#),
        ("c/large", &format!("{{}}{}", " ".repeat(2 * 1024 * 1024))),
        ("c/hard", r#"{gateway:{"$include":"./linked"}}"#),
        ("c/symlink", r#"{gateway:{"$include":"./pointer"}}"#),
        ("c/nested", r#"{gateway:{"$include":"./nested2"}}"#),
        ("c/nested2", "{a: {\"$include\":\n './nope'}}"),
    ]);
    std::fs::write(folder.path("c/first"), "{}").unwrap();
    std::fs::hard_link(folder.path("c/first"), folder.path("c/linked")).unwrap();
    std::os::unix::fs::symlink("../out", folder.path("c/pointer")).unwrap();
    for (name, expected) in [
        ("missing", "c/missing:1:22: gateway: can't include c/nope: there is no such file"),
        ("broken", "c/bad:1:10: gateway: a value is missing before the end of the file"),
        (
            "beside",
            "c/beside:1:22: gateway: keys beside $include need a file that holds an object, this one holds: array",
        ),
        ("element", "c/element:1:30: gateway: $include takes a file name or a list of them, found number"),
        ("number", "c/number:1:22: gateway: $include takes a file name or a list of them, found number"),
        ("escape", "c/escape:2:25: gateway: out is outside of the folders that may be included"),
        ("circle", "c/circle2:1:13: gateway: includes go in a circle: c/circle -> c/circle2 -> c/circle"),
        (
            "absolute",
            "c/absolute:1:22: gateway: /etc/hostname is outside of the folders that may be included",
        ),
        ("folder", "c/folder:1:22: gateway: can't include c/sub: it is no regular file"),
        ("big", "c/big:1:22: gateway: can't include c/large: it is larger than 2097152 bytes"),
        (
            "hard",
            "c/hard:1:22: gateway: can't include c/linked: it has a second name (hard link), which OpenClaw refuses",
        ),
        (
            "symlink",
            "c/symlink:1:22: gateway: c/pointer is a symlink out of the folders that may be included",
        ),
        ("nested", "c/nested2:2:2: gateway.a: can't include c/nope: there is no such file"),
    ] {
        let loaded = folder.load(&format!("c/{name}"));
        assert_eq!(lines(&loaded, &folder)[0], expected, "{name}");
        assert!(loaded.value().is_none() && loaded.partial_value().is_some(), "{name}");
    }
    let nested = folder.load("c/nested");
    let chain = &nested.findings()[0].labels;
    assert_eq!(chain.len(), 1);
    assert_eq!(nested.origin_of(chain[0].span).file, folder.path("c/nested"));
}

#[test]
fn include_roots_and_depth() {
    let folder =
        Folder::new([("c/main", r#"{gateway:{"$include":"../more/a"}}"#), ("more/a", "{mode:'local'}")]);
    let more = folder.path("more").display().to_string();
    assert!(folder.load("c/main").value().is_none());
    let env = [("OPENCLAW_INCLUDE_ROOTS", format!("/nowhere: {more}"))];
    let env: Vec<(&str, &str)> = env.iter().map(|(name, value)| (*name, value.as_str())).collect();
    assert!(folder.load_with("c/main", &env, &LoadOptions::default()).value().is_some());
    let options = LoadOptions { include_roots: vec![more.into()], ..LoadOptions::default() };
    assert!(folder.load_with("c/main", &[], &options).value().is_some());

    for (files, accepted) in [(10, true), (11, false)] {
        let names: Vec<(String, String)> = (1..=files)
            .map(|n| {
                (
                    format!("d{n}"),
                    if n == files { "{}".to_owned() } else { format!("{{\"$include\":\"d{}\"}}", n + 1) },
                )
            })
            .collect();
        let listed = names.iter().map(|(name, text)| (name.as_str(), text.as_str()));
        let folder = Folder::new(listed.chain([("main", "{\"$include\":\"d1\"}")]));
        assert_eq!(folder.load("main").value().is_some(), accepted, "{files} files");
    }
}

/// Report 23143: a missing variable is a warning with its path, and other checks go on.
#[test]
fn report_23143_missing_variables() {
    let text = r#"{
  gateway: { auth: { token: "${NOT_SET}", password: "$${NOT_SET}" } },
  x: "${EMPTY}", y: "${SET}!", env: { vars: { FROM_CONFIG: "c", SET: "no" } }, z: "${FROM_CONFIG}",
  "${SET}": 1,
}"#;
    let folder = Folder::new([("openclaw.json", text)]);
    let env = [("SET", "yes"), ("EMPTY", "")];
    let loaded = folder.load_with("openclaw.json", &env, &LoadOptions::default());
    assert_eq!(
        lines(&loaded, &folder),
        [
            "openclaw.json:2:29: gateway.auth.token: the variable NOT_SET isn't set",
            "openclaw.json:3:6: x: the variable EMPTY is empty, which OpenClaw treats as not set"
        ]
    );
    let value = loaded.value().unwrap();
    assert_eq!(value["gateway"]["auth"], json!({"token": "${NOT_SET}", "password": "${NOT_SET}"}));
    assert_eq!((&value["x"], &value["y"], &value["z"]), (&json!("${EMPTY}"), &json!("yes!"), &json!("c")));
    assert_eq!(value["${SET}"], 1);
    let origins: Vec<EnvOrigin> = loaded.env_refs().iter().map(|reference| reference.from).collect();
    assert_eq!(origins, [EnvOrigin::Missing, EnvOrigin::Empty, EnvOrigin::Process, EnvOrigin::Config]);
}

#[test]
fn variables_from_files_and_without_the_process() {
    let folder = Folder::new([
        ("openclaw.json", "{a: '${A}', b: '${B}'}"),
        ("ci.env", "A=file"),
        (".env", "B=state\nA=no"),
    ]);
    let asked = LoadOptions {
        process_env: false,
        env_files: vec!["ci.env".into()],
        state_env_file: Some(folder.path(".env")),
        ..LoadOptions::default()
    };
    let loaded = folder.load_with("openclaw.json", &[("B", "process")], &asked);
    assert_eq!(loaded.value(), Some(&json!({"a": "file", "b": "${B}"})));
    assert_eq!(loaded.findings().len(), 1);
    let none = LoadOptions { process_env: false, ..LoadOptions::default() };
    let loaded = folder.load_with("openclaw.json", &[("B", "process")], &none);
    assert!(loaded.findings().is_empty());
    let all = LoadOptions { state_env_file: Some(folder.path(".env")), ..LoadOptions::default() };
    let loaded = folder.load_with("openclaw.json", &[("A", "process")], &all);
    assert_eq!(loaded.value(), Some(&json!({"a": "process", "b": "state"})));
    let missing = LoadOptions { env_files: vec!["nope.env".into()], ..LoadOptions::default() };
    assert!(folder.load_with("openclaw.json", &[], &missing).has_errors());
}

#[test]
fn origins_point_through_includes() {
    let folder = Folder::new([
        (
            "openclaw.json",
            "{\n  agents: {\n    \"$include\": \"./agents.json5\",\n    list: [{id: 'b'}]\n  }\n}",
        ),
        ("agents.json5", "{\n  list: [ {id: 'a'} ],\n}"),
    ]);
    let loaded = folder.load("openclaw.json");
    let at = |path: &str| {
        let origin = loaded.origin(&JsonPath::parse(path).unwrap()).unwrap();
        format!("{}:{}:{}", origin.file.file_name().unwrap().display(), origin.line, origin.column)
    };
    assert_eq!(at("agents.list[0].id"), "agents.json5:2:16");
    assert_eq!(at("agents.list.1.id"), "openclaw.json:4:17");
    assert_eq!(at("agents"), "openclaw.json:2:11");
}

#[test]
fn missing_and_unreadable_files() {
    let folder = Folder::new([("sub/x", "")]);
    let missing = folder.load("openclaw.json");
    assert!(!missing.exists() && missing.value().is_none() && missing.error().is_none());
    let unreadable = folder.load("sub");
    assert!(unreadable.exists() && unreadable.error().is_some());
    let broken = Folder::new([("openclaw.json", "{a: }")]);
    let error = broken.load("openclaw.json").error().unwrap();
    assert!(error.to_string().contains("openclaw.json:1:5"), "{error}");
}

#[test]
fn where_the_config_is() {
    let folder = Folder::new([("clawdbot.json", "{}")]);
    let env = |name: &str, value: &str| Env::new([(name, value), ("HOME", "/h")], "/w");
    assert_eq!(locate(folder.root(), &env("X", "")), folder.path("clawdbot.json"));
    assert_eq!(locate(folder.root(), &env("OPENCLAW_CONFIG_PATH", "~/c.json")).to_str(), Some("/h/c.json"));
    assert_eq!(locate(folder.root(), &env("OPENCLAW_CONFIG_PATH", "c.json")).to_str(), Some("/w/c.json"));
    std::fs::write(folder.path("openclaw.json"), "{}").unwrap();
    assert_eq!(locate(folder.root(), &env("X", "")), folder.path("openclaw.json"));
}
