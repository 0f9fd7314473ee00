//! clawctl lists what a release stored, with the same ids, providers and types.

use crate::on_each_release;
use crate::openclaw::{Home, Release};

on_each_release!(same_profiles);

fn same_profiles(release: Release) {
    let home = Home::filled(release);
    let kind = if release == Release::Json { "token" } else { "api_key" };
    let line = |id: &str, provider: &str| format!("{id} {provider} {kind}");
    let of_main =
        vec![line("anthropic:x", "anthropic"), line("openai:a", "openai"), line("openai:b", "openai")];
    let mut of_ops = of_main.clone();
    of_ops.push(line("openai:o", "openai"));
    // The agent fresh has no store of its own at all.
    for (agent, expected) in [("main", &of_main), ("ops", &of_ops), ("fresh", &of_main)] {
        assert_eq!(home.openclaw_profiles(agent), *expected, "{agent}");
        assert_eq!(home.clawctl_profiles(agent), *expected, "{agent}");
    }
}
