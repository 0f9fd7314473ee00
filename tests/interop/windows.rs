//! Windows in a store that a release made: shown, cleared, and the release sees them gone.

use serde_json::{Value, json};

use crate::documents::{Kind, now, read, write};
use crate::on_each_release;
use crate::openclaw::{Home, Release};

on_each_release!(windows_are_cleared);

/// A state with windows of several kinds, and with members that no release knows.
fn state(now: i64) -> Value {
    const HOUR: i64 = 3_600_000;
    json!({
        "version": 1,
        "order": {"openai": ["openai:b", "openai:a"]},
        "lastGood": {"openai": "openai:b"},
        "usageStats": {
            "openai:a": {
                "lastUsed": now - HOUR,
                "cooldownUntil": now + HOUR,
                "cooldownReason": "rate_limit",
                "errorCount": 3,
                "failureCounts": {"rate_limit": 3},
                "lastFailureAt": now - 1000,
                "addedLater": {"kept": [1, 2.50, "\u{e9}"]},
            },
            "openai:b": {
                "lastUsed": now - 2 * HOUR,
                "disabledUntil": now + 5 * HOUR,
                "disabledReason": "billing",
                "errorCount": 1,
                "failureCounts": {"billing": 1},
            },
            "anthropic:x": {"lastUsed": now - HOUR, "errorCount": 0},
        },
        "addedLater": true,
    })
}

/// `profile kind reason until` of each window that clawctl shows.
fn shown(home: &Home, status: i32) -> Vec<String> {
    let shown = home.clawctl(&["cooldowns", "show", "--agent", "main", "--json"]).exited(status).json();
    let windows = shown["agents"][0]["windows"].as_array().expect("windows").clone();
    let mut lines: Vec<String> = windows
        .iter()
        .map(|window| ["profile", "kind", "reason", "until"].map(|name| window[name].to_string()).join(" "))
        .collect();
    lines.sort();
    lines
}

/// `profile member` of each window that the release lists.
fn listed_windows(home: &Home) -> Vec<String> {
    let list = home.openclaw_auth("main", &["list", "--json"]).success().json();
    let mut windows = Vec::new();
    for profile in list["profiles"].as_array().expect("profiles") {
        let id = profile["id"].as_str().expect("an id");
        let names = profile.as_object().expect("an object").keys();
        windows.extend(names.filter(|name| name.ends_with("Until")).map(|name| format!("{id} {name}")));
    }
    windows.sort();
    windows
}

fn windows_are_cleared(release: Release) {
    let home = Home::filled(release);
    let now = now();
    let before = state(now);
    write(&home, "main", Kind::State, &before);
    let until = |id: &str, name: &str| before["usageStats"][id][name].clone();
    let a = format!("\"openai:a\" \"cooldown\" \"rate_limit\" {}", until("openai:a", "cooldownUntil"));
    let b = format!("\"openai:b\" \"disabled\" \"billing\" {}", until("openai:b", "disabledUntil"));
    // No profile of openai is usable: exit 6.
    assert_eq!(shown(&home, 6), [a, b.clone()]);
    assert_eq!(listed_windows(&home), ["openai:a cooldownUntil", "openai:b disabledUntil"]);

    let credentials = read(&home, "main", Kind::Credentials);
    home.clawctl(&["cooldowns", "clear", "openai:a", "--agent", "main"]).exited(2);
    assert_eq!(read(&home, "main", Kind::State).as_ref(), Some(&before), "nothing is cleared without --yes");
    home.clawctl(&["cooldowns", "clear", "openai:a", "--agent", "main", "--yes"]).success();

    let mut expected = before.clone();
    expected["usageStats"]["openai:a"] = json!({
        "lastUsed": before["usageStats"]["openai:a"]["lastUsed"],
        "addedLater": before["usageStats"]["openai:a"]["addedLater"],
    });
    assert_eq!(read(&home, "main", Kind::State), Some(expected));
    assert_eq!(read(&home, "main", Kind::Credentials), credentials);
    assert_eq!(shown(&home, 0), [b]);

    assert_eq!(listed_windows(&home), ["openai:b disabledUntil"]);
    // The release goes on with that state: what it stores next keeps the other window.
    home.openclaw_set("main", "openai", &["openai:a", "openai:b"]);
    let after = read(&home, "main", Kind::State).expect("a state");
    assert_eq!(after["usageStats"]["openai:b"]["disabledUntil"], until("openai:b", "disabledUntil"));
    assert!(after["usageStats"]["openai:a"].get("cooldownUntil").is_none(), "{after}");
    assert_eq!(home.effective_order("main", "openai").first().map(String::as_str), Some("openai:a"));
}
