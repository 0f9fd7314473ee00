//! Eight writers at once lose no update of each other's.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::documents::{Kind, read, write};
use crate::on_each_release;
use crate::openclaw::{Home, Release};

on_each_release!(eight_processes_of_clawctl);

/// A home with two profiles of each of eight providers.
fn home_of_eight(release: Release) -> Home {
    let home = Home::filled(release);
    let mut store = read(&home, "main", Kind::Credentials).expect("credentials");
    for writer in 0..8 {
        for name in ["k", "l"] {
            store["profiles"][format!("p{writer}:{name}")] = json!({
                "type": "api_key",
                "provider": format!("p{writer}"),
                "key": format!("made-up-key-of-p{writer}-{name}-0000000000"),
            });
        }
    }
    write(&home, "main", Kind::Credentials, &store);
    home
}

/// Sets an order as a script does: exit 4 means try again.
fn set(home: &Home, provider: &str, ids: &[String]) {
    let mut args = vec!["auth", "order", "set", "--yes", "--provider", provider, "--agent", "main"];
    args.extend(ids.iter().map(String::as_str));
    for _ in 0..200 {
        let ran = home.clawctl(&args);
        if ran.status != 4 {
            ran.success();
            return;
        }
        thread::sleep(Duration::from_millis(20));
    }
    panic!("{provider} stayed busy");
}

/// The order of this provider in this round; rounds differ.
fn order_of(provider: &str, round: usize) -> Vec<String> {
    let mut ids = vec![format!("{provider}:k"), format!("{provider}:l")];
    if round.is_multiple_of(2) {
        ids.reverse();
    }
    ids
}

/// Sets the order of one provider again and again; before each round the last one must still stand.
fn keep_setting(home: &Home, writer: usize, go_on: impl Fn(usize) -> bool) -> (String, Vec<String>) {
    let provider = format!("p{writer}");
    let mut last: Option<Vec<String>> = None;
    for round in 0.. {
        if last.is_some() && !go_on(round) {
            break;
        }
        assert_eq!(home.clawctl_order("main", &provider), last, "{provider} before round {round}");
        let ids = order_of(&provider, round);
        set(home, &provider, &ids);
        last = Some(ids);
    }
    (provider, last.expect("one round at least"))
}

/// Every order that the agent main has, in one look at the store.
fn check(home: &Home, expected: &[(String, Vec<String>)]) {
    for (provider, ids) in expected {
        assert_eq!(home.clawctl_order("main", provider).as_ref(), Some(ids), "{provider}");
    }
    let store = read(home, "main", Kind::Credentials).expect("credentials");
    assert_eq!(store["profiles"].as_object().map(serde_json::Map::len), Some(3 + 16), "{store}");
    if home.release != Release::SharedStore {
        let state = read(home, "main", Kind::State).expect("a state");
        let orders: serde_json::Map<String, Value> =
            expected.iter().map(|(provider, ids)| (provider.clone(), json!(ids))).collect();
        assert_eq!(state["order"], Value::Object(orders));
    }
}

fn eight_processes_of_clawctl(release: Release) {
    let home = home_of_eight(release);
    let expected: Vec<_> = thread::scope(|scope| {
        let home = &home;
        let writers: Vec<_> =
            (0..8).map(|writer| scope.spawn(move || keep_setting(home, writer, |round| round < 4))).collect();
        writers.into_iter().map(|writer| writer.join().expect("a writer")).collect()
    });
    check(&home, &expected);
    assert_eq!(home.openclaw_order("main", "p7"), Some(expected[7].1.clone()));
}

/// 2026.7.1's own command line among them. It takes seconds to start: the others go on until it ends.
#[test]
fn six_processes_of_clawctl_and_two_of_the_release() {
    let home = home_of_eight(Release::AgentDatabase);
    let ended = [AtomicBool::new(false), AtomicBool::new(false)];
    let expected: Vec<_> = thread::scope(|scope| {
        let (home, ended) = (&home, &ended);
        let mut writers = Vec::new();
        for writer in 0..6 {
            let go_on = |_| {
                thread::sleep(Duration::from_millis(100));
                !ended.iter().all(|ended| ended.load(Ordering::Relaxed))
            };
            writers.push(scope.spawn(move || keep_setting(home, writer, go_on)));
        }
        for (index, ended) in ended.iter().enumerate() {
            writers.push(scope.spawn(move || {
                let provider = format!("p{}", index + 6);
                let ids = order_of(&provider, 0);
                let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
                let mut args = vec!["order", "set", "--provider", &provider];
                args.extend(&ids);
                let ran = home.openclaw_auth("main", &args);
                ended.store(true, Ordering::Relaxed);
                ran.success();
                let ids = ids.iter().map(|id| (*id).to_owned()).collect();
                (provider, ids)
            }));
        }
        writers.into_iter().map(|writer| writer.join().expect("a writer")).collect()
    });
    check(&home, &expected);
    for (provider, ids) in &expected[5..] {
        assert_eq!(home.openclaw_order("main", provider).as_ref(), Some(ids));
    }
}
