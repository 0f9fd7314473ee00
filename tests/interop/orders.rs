//! Orders go both ways, and an undo is seen by the release too.

use crate::on_each_release;
use crate::openclaw::{Home, Release};

on_each_release!(orders_both_ways);

/// Both read the same stored order.
#[track_caller]
fn agree(home: &Home, agent: &str, expected: Option<&[&str]>) {
    let expected = expected.map(|ids| ids.iter().map(|id| (*id).to_owned()).collect::<Vec<_>>());
    assert_eq!(home.openclaw_order(agent, "openai"), expected, "the release on {agent}");
    assert_eq!(home.clawctl_order(agent, "openai"), expected, "clawctl on {agent}");
}

fn orders_both_ways(release: Release) {
    let home = Home::filled(release);
    let (listed_main, listed_ops) = (home.clawctl_profiles("main"), home.clawctl_profiles("ops"));

    home.openclaw_set("main", "openai", &["openai:a", "openai:b"]);
    home.openclaw_set("ops", "openai", &["openai:o"]);
    agree(&home, "main", Some(&["openai:a", "openai:b"]));
    agree(&home, "ops", Some(&["openai:o"]));

    home.clawctl_set("main", "openai", &["openai:b", "openai:a"]);
    home.clawctl_set("ops", "openai", &["openai:o", "openai:a"]);
    agree(&home, "main", Some(&["openai:b", "openai:a"]));
    agree(&home, "ops", Some(&["openai:o", "openai:a"]));
    assert_eq!(home.openclaw_profiles("main"), listed_main);
    assert_eq!(home.openclaw_profiles("ops"), listed_ops);

    home.clawctl_set("main", "openai", &["openai:a"]);
    home.clawctl(&["undo"]).success();
    agree(&home, "main", Some(&["openai:b", "openai:a"]));

    home.openclaw_auth("main", &["order", "clear", "--provider", "openai"]).success();
    assert_eq!(home.clawctl_order("main", "openai"), None);
    agree(&home, "ops", Some(&["openai:o", "openai:a"]));
    home.clawctl_set("main", "openai", &["openai:b"]);
    home.openclaw_auth("ops", &["order", "clear", "--provider", "openai"]).success();
    // Without an own order, the one of the agent main holds for ops where the release says so.
    assert_eq!(home.clawctl_order("ops", "openai"), home.openclaw_order("ops", "openai"));
    home.clawctl_clear("main", "openai");
    agree(&home, "main", None);
    agree(&home, "ops", None);
}
