//! One run: the candidates of a turn in order, the profiles of each, repeats, rotation, probes and
//! stops. `world` changes as a store, a clock and a gateway's memory would; the providers' answers
//! come from the caller.
//!
//! [`chain`] walks the candidates, [`candidate`] the profiles of one, [`repeat`] the requests of one
//! profile; [`marks`] writes what they leave in the store.

mod candidate;
mod chain;
mod fault;
mod marks;
mod repeat;
mod settings;
mod types;

pub use fault::{Fault, RawError};
pub use settings::{Scene, Settings};
pub use types::{
    Answer, AnswerKind, Attempt, Event, Memory, Pin, Run, RunEnd, RunRequest, SetBy, Skip, SkipMark, SkipWhy,
    Then, Upstream, World,
};

use super::ids::{ModelRef, ProfileId};
use super::state::UsageStats;
use super::usage::CooldownSettings;

/// Runs one turn.
pub fn run(scene: Scene<'_>, world: &mut World, request: RunRequest<'_>, upstream: &mut dyn Upstream) -> Run {
    let mut runner = Runner {
        scene,
        world,
        request,
        upstream,
        stale: Vec::new(),
        attempts: Vec::new(),
        skips: Vec::new(),
        events: Vec::new(),
        switched: None,
        cooldowns: Vec::new(),
    };
    let (end, reached) = if request.image { runner.image_chain() } else { runner.chain() };
    Run {
        attempts: runner.attempts,
        skips: runner.skips,
        reached,
        end,
        events: runner.events,
        switched: runner.switched,
    }
}

struct Runner<'a> {
    scene: Scene<'a>,
    world: &'a mut World,
    request: RunRequest<'a>,
    upstream: &'a mut dyn Upstream,
    /// What changed since the run began, as it was then: releases decide about whole candidates from
    /// the store that they read at the start.
    stale: Vec<(ProfileId, UsageStats)>,
    attempts: Vec<Attempt>,
    skips: Vec<Skip>,
    events: Vec<Event>,
    switched: Option<ModelRef>,
    cooldowns: Vec<(String, CooldownSettings)>,
}
