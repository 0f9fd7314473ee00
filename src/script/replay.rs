//! The replay of one script on a virtual clock.

use std::collections::HashMap;
use std::sync::Arc;

use indexmap::IndexMap;
use serde_json::{Map, Value};

use super::expect;
use super::model::{Given, Reply, ReplyKind, ReplyRule, ResetAt, Resume, Script, Send, SkipMark, Step};
use super::render::{self, TurnFacts};
use super::result::{Expectations, FinalState, ReplayResult, RulesChoice, Turn};
use super::text::Secrets;
use super::units::relative;
use crate::base::error::Error;
use crate::base::time::Millis;
use crate::engine::classify::Classifier;
use crate::engine::ids::{ModelRef, ProfileId};
use crate::engine::notice;
use crate::engine::rules::RuleSet;
use crate::engine::run::{
    self, Answer, AnswerKind, Fault, RawError, RunEnd, RunRequest, Scene, Settings, World,
};
use crate::engine::session::{self, Entry, Known, Message, Place, Source};
use crate::engine::state::AuthState;
use crate::engine::types::Reason;
use crate::engine::view::EngineConfig;

/// What a script takes from the machine where it says nothing itself.
#[derive(Clone, Default)]
pub struct Machine {
    /// `openclaw.json`, resolved.
    pub config: Value,
    /// The agent's auth store: `profiles`, `order`, `usageStats`, `lastGood`.
    pub store: Value,
    /// The agent's session entries.
    pub sessions: IndexMap<String, Map<String, Value>>,
    /// The agent that runs unless the script names one.
    pub agent: String,
    /// The time now (ms since 1970).
    pub now: Millis,
    /// Why the rule set was taken; goes into the result.
    pub rules_why: String,
    /// Environment variables that OpenClaw honours, as the machine has them.
    pub env: IndexMap<String, String>,
}

/// Config, store and variables may hold secrets, so they don't show.
impl std::fmt::Debug for Machine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Machine").field("agent", &self.agent).field("now", &self.now).finish_non_exhaustive()
    }
}

/// Reads the files that a script names. Paths are as the script has them; the caller knows what they
/// are relative to.
pub trait Loader {
    /// A config file, with includes and variables resolved.
    ///
    /// # Errors
    /// It can't be read.
    fn config(&self, path: &str) -> Result<Value, Box<Error>>;
    /// An auth store (a file, a database or a state folder), as one document.
    ///
    /// # Errors
    /// It can't be read.
    fn store(&self, path: &str) -> Result<Value, Box<Error>>;
}

/// A loader for callers without files.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoFiles;

impl Loader for NoFiles {
    fn config(&self, path: &str) -> Result<Value, Box<Error>> {
        Err(Box::new(Error::nothing("a config file can't be read from here").at(path)))
    }
    fn store(&self, path: &str) -> Result<Value, Box<Error>> {
        Err(Box::new(Error::nothing("a store can't be read from here").at(path)))
    }
}

/// Puts the content of the files that a script names into it.
///
/// # Errors
/// A file can't be read.
pub fn load(script: &mut Script, loader: &dyn Loader) -> Result<(), Box<Error>> {
    if let Some(Given::Path(path)) = &script.config {
        script.config = Some(Given::Inline(loader.config(path)?));
    }
    if let Some(Given::Path(path)) = &script.store {
        script.store = Some(Given::Inline(loader.store(path)?));
    }
    Ok(())
}

/// The config that a script runs with: its own, else the machine's.
#[must_use]
pub fn config_of<'a>(script: &'a Script, machine: &'a Machine) -> &'a Value {
    match &script.config {
        Some(Given::Inline(config)) => config,
        _ => &machine.config,
    }
}

/// The ids of every profile that a replay may name.
#[must_use]
pub fn profile_ids(script: &Script, machine: &Machine) -> Vec<String> {
    let store = match &script.store {
        Some(Given::Inline(store)) => store,
        _ => &machine.store,
    };
    store["profiles"].as_object().into_iter().flatten().map(|(id, _)| id.clone()).collect()
}

/// Replays a script. Reads and writes nothing: the machine's store and sessions are copied.
///
/// The rule set is the caller's choice (`script.rules`, else what `auto` finds in [`config_of`]).
/// A config or store that is still a path counts as empty: call [`load`] first.
#[must_use]
pub fn replay(script: &Script, machine: &Machine, rules: &RuleSet, classifier: &Classifier) -> ReplayResult {
    Replay::new(script, machine, rules, classifier).run()
}

struct Replay<'a> {
    script: &'a Script,
    rules: &'a RuleSet,
    config_json: Value,
    config: EngineConfig,
    settings: Settings,
    agent: String,
    known: Known,
    world: World,
    sessions: IndexMap<String, Entry>,
    new_sessions: Vec<String>,
    told_pinned: Vec<String>,
    time_stated: bool,
    pending_notices: IndexMap<String, Vec<String>>,
    replies: Replies<'a>,
    secrets: Secrets,
    why: String,
}

impl<'a> Replay<'a> {
    fn new(script: &'a Script, machine: &Machine, rules: &'a RuleSet, classifier: &'a Classifier) -> Self {
        let resume = script.resume.clone().unwrap_or_default();
        let start = script.start.or(resume.now.map(Millis)).unwrap_or(machine.now);
        let config_json = match &script.config {
            Some(Given::Inline(config)) => config.clone(),
            Some(Given::Path(_)) => Value::Null,
            None => machine.config.clone(),
        };
        let mut store = match &script.store {
            Some(Given::Inline(store)) => store.clone(),
            Some(Given::Path(_)) => Value::Null,
            None => machine.store.clone(),
        };
        resolve_times(&mut store, start);
        if script.store.is_some() {
            fill_secrets(&mut store);
        }
        let mut sessions = script.sessions.clone().unwrap_or_else(|| machine.sessions.clone());
        for entry in sessions.values_mut() {
            for value in entry.values_mut() {
                resolve_times(value, start);
            }
        }
        // A script that brings its own config or store depends on nothing else of the machine.
        let of_machine = |given: bool| machine.env.iter().filter(move |_| !given);
        let lookup = |name: &str| {
            let own = script.env.get(name);
            let other =
                || of_machine(script.config.is_some()).find(|(key, _)| *key == name).map(|(_, value)| value);
            own.or_else(other).map(String::as_str)
        };
        let mut settings = Settings::from_env(lookup);
        settings.env_keys = script
            .env
            .iter()
            .chain(of_machine(script.store.is_some()))
            .filter(|(name, value)| name.ends_with("_API_KEY") && !value.trim().is_empty())
            .map(|(name, _)| name.trim_end_matches("_API_KEY").to_ascii_lowercase().replace('_', "-"))
            .collect();
        let mut world = World { auth: AuthState::from_json(&store), now: start, ..World::default() };
        read_memory(&mut world, &resume);
        let config = EngineConfig::from_json(&config_json);
        let agent = script.agent.clone().unwrap_or_else(|| machine.agent.clone());
        Self {
            script,
            rules,
            known: Known::new(rules, &config, &agent),
            config,
            config_json,
            settings,
            agent,
            world,
            sessions,
            new_sessions: resume.new_sessions,
            told_pinned: resume.told_pinned,
            time_stated: resume.time_stated,
            pending_notices: resume.pending_notices,
            replies: Replies::new(&script.replies, classifier, resume.replies_used),
            secrets: Secrets::of_store(&store),
            why: if machine.rules_why.is_empty() { "script".into() } else { machine.rules_why.clone() },
        }
    }

    fn run(mut self) -> ReplayResult {
        let mut turns = Vec::new();
        let mut expectations = Expectations::default();
        for (index, step) in self.script.steps.iter().enumerate() {
            match step {
                Step::Send(send) => {
                    let turn = self.send(index, send);
                    if let Some(item) = self.script.expect.get(turns.len()) {
                        expectations.checked += 1;
                        let failures = expect::check(turns.len(), item, &turn, &self.world, self.rules);
                        expectations.failed.extend(failures);
                    }
                    turns.push(turn);
                }
                Step::Advance(length) => {
                    self.world.now = self.world.now + *length;
                    self.time_stated = true;
                }
                Step::Pick { session, model } => self.pick(session.as_deref(), model),
                Step::Reset(session) => self.reset(session),
                Step::Compact(session) => session::compact(self.entry(session)),
                Step::Restart => {
                    self.world.memory = run::Memory::default();
                    self.told_pinned.clear();
                }
                Step::Set(patch) => {
                    merge_patch(&mut self.config_json, patch);
                    self.config = EngineConfig::from_json(&self.config_json);
                    self.known = Known::new(self.rules, &self.config, &self.agent);
                }
                Step::Patch { session, set } => {
                    let entry = self.entry(session.as_deref().unwrap_or(MAIN_SESSION));
                    for (key, value) in set {
                        if value.is_null() {
                            entry.shift_remove(key);
                        } else {
                            entry.insert(key.clone(), value.clone());
                        }
                    }
                }
            }
        }
        let origin = &self.script.origin;
        let from =
            origin.line.map_or_else(|| origin.label.clone(), |line| format!("{}:{line}", origin.label));
        ReplayResult {
            version: 1,
            script: self.script.name.clone().or_else(|| (!from.is_empty()).then_some(from)),
            rules: RulesChoice { id: self.rules.id.clone(), why: self.why.clone() },
            turns,
            expectations,
            final_state: self.finish(),
        }
    }

    fn entry(&mut self, session: &str) -> &mut Entry {
        self.sessions.entry(session.to_string()).or_default()
    }

    fn place<'b>(&'b self, session: &'b str) -> Place<'b> {
        Place {
            rules: self.rules,
            run: &self.rules.run,
            config: &self.config,
            agent: &self.agent,
            session,
            known: &self.known,
        }
    }

    /// Works on a session's entry beside the rest of the replay.
    fn with_entry<T>(&mut self, session: &str, work: impl FnOnce(&mut Self, &mut Entry) -> T) -> T {
        let mut entry = self.sessions.get_mut(session).map(std::mem::take).unwrap_or_default();
        let result = work(self, &mut entry);
        self.sessions.insert(session.to_string(), entry);
        result
    }

    fn pick(&mut self, session: Option<&str>, model: &str) {
        let session = session.unwrap_or(MAIN_SESSION);
        let told =
            self.with_entry(session, |replay, entry| replay.place(session).pick(&replay.world, entry, model));
        if let Err(message) = told {
            self.pending_notices.entry(session.to_string()).or_default().push(message);
        }
    }

    fn reset(&mut self, session: &str) {
        self.with_entry(session, |replay, entry| replay.place(session).reset(entry));
        if !self.new_sessions.iter().any(|known| known == session) {
            self.new_sessions.push(session.to_string());
        }
    }

    fn send(&mut self, step: usize, send: &Send) -> Turn {
        if !std::mem::take(&mut self.time_stated) {
            self.world.memory.cooldown_probes.clear();
            self.world.memory.origin_probes.clear();
        }
        let session = send.session.as_deref().unwrap_or(MAIN_SESSION).to_string();
        let unknown = !self.sessions.contains_key(&session);
        let reset = self.new_sessions.iter().position(|known| *known == session);
        if let Some(index) = reset {
            self.new_sessions.remove(index);
        }
        let message = Message {
            source: send.source,
            model: send.model.as_deref(),
            profile: send.profile.as_deref(),
            heartbeat_model: send.heartbeat_model.as_deref(),
            fallbacks: send.fallbacks.as_deref(),
            image: send.image,
            channel: send.channel.unwrap_or(send.group || send.source == Source::Heartbeat),
            new_session: unknown || reset.is_some(),
        };
        self.with_entry(&session, |replay, entry| replay.turn(step, send, message, &session, entry))
    }

    fn turn(
        &mut self,
        step: usize,
        send: &Send,
        message: Message<'_>,
        session: &str,
        entry: &mut Entry,
    ) -> Turn {
        let at = self.world.now;
        let selection = self.place(session).select(&self.world, entry, message);
        let mut notices = self.pending_notices.shift_remove(session).unwrap_or_default();
        let silent = send.group && self.rules.run.pins.no_notice_in_groups;
        if !silent && let Some((pinned, primary)) = self.place(session).pinned_off(entry) {
            let key = format!("{session} {pinned} {primary}");
            if !self.told_pinned.contains(&key) {
                self.told_pinned.push(key);
                notices.push(notice::pinned_off(&pinned, &primary));
            }
        }
        if selection.origin_probe {
            let key = self.place(session).origin_key(&selection.requested);
            session::remember_origin(&mut self.world, key, at);
        }
        let scene =
            Scene { rules: self.rules, run: &self.rules.run, config: &self.config, settings: &self.settings };
        let request = RunRequest {
            agent: &self.agent,
            session,
            candidates: if selection.refused.is_some() { &[] } else { &selection.candidates },
            pin: selection.pin.as_ref(),
            fallbacks_configured: selection.fallbacks_configured,
            image: message.image,
        };
        let told = run::run(scene, &mut self.world, request, &mut self.replies);
        if let RunEnd::Answered(index, _) = &told.end {
            let answered = &selection.candidates[*index];
            if !message.image {
                let reason = render::first_reason(&told);
                let notice =
                    notice::after_answer(&self.rules.run, entry, &selection.selected, answered, &reason);
                notices.extend(notice.filter(|_| !silent));
            }
            self.place(session).after_answer(entry, &selection, answered, message);
        }
        if let Some(target) = &told.switched {
            let name = target.to_string();
            if let Err(message) = self.place(session).pick(&self.world, entry, &name) {
                notices.push(message);
            }
        }
        render::turn(TurnFacts {
            step,
            at,
            session,
            selection: &selection,
            run: &told,
            notices,
            secrets: &self.secrets,
            soonest: || self.soonest(&selection.candidates),
            now: self.world.now,
        })
    }

    /// The earliest end over the candidates.
    fn soonest(&self, candidates: &[ModelRef]) -> Option<Millis> {
        use crate::engine::{order, usage};
        candidates
            .iter()
            .filter_map(|candidate| {
                let query = order::OrderQuery {
                    provider: candidate.provider.as_str(),
                    now: self.world.now,
                    preferred: None,
                    model: Some(candidate.model.as_str()),
                };
                let ids = order::ids(self.rules, &self.config, &self.world.auth, query);
                let ids = ids.into_iter().map(ProfileId::as_str);
                usage::soonest(
                    self.rules,
                    &self.world.auth,
                    ids,
                    self.world.now,
                    Some(candidate.model.as_str()),
                )
            })
            .filter(|until| *until > self.world.now)
            .min()
    }

    fn finish(self) -> FinalState {
        let usage = match self.world.auth.usage_json() {
            Value::Object(usage) => usage,
            _ => Map::new(),
        };
        let last_good = self
            .world
            .auth
            .last_good
            .iter()
            .map(|(provider, id)| (provider.clone(), Value::from(id.as_str())))
            .collect();
        let resume = Resume {
            now: Some(self.world.now.0),
            new_sessions: self.new_sessions,
            told_pinned: self.told_pinned,
            time_stated: self.time_stated,
            pending_notices: self.pending_notices,
            replies_used: self.replies.used,
            ..write_memory(&self.world)
        };
        FinalState { usage_stats: usage, sessions: self.sessions, last_good, resume }
    }
}

/// The session of a send that names none.
const MAIN_SESSION: &str = "main";

fn read_memory(world: &mut World, resume: &Resume) {
    let times =
        |map: &IndexMap<String, i64>| map.iter().map(|(key, at)| (key.clone(), Millis(*at))).collect();
    world.memory.cooldown_probes = times(&resume.cooldown_probes);
    world.memory.origin_probes = times(&resume.origin_probes);
    world.memory.skips = resume
        .skips
        .iter()
        .map(|(key, mark)| {
            let reason = mark.reason.parse().unwrap_or(Reason::Auth);
            (key.clone(), run::SkipMark { until: Millis(mark.until), reason })
        })
        .collect();
}

fn write_memory(world: &World) -> Resume {
    let times = |map: &IndexMap<String, Millis>| map.iter().map(|(key, at)| (key.clone(), at.0)).collect();
    let skips = world.memory.skips.iter();
    Resume {
        cooldown_probes: times(&world.memory.cooldown_probes),
        origin_probes: times(&world.memory.origin_probes),
        skips: skips
            .map(|(key, mark)| {
                (key.clone(), SkipMark { until: mark.until.0, reason: mark.reason.to_string() })
            })
            .collect(),
        ..Resume::default()
    }
}

/// Turns texts such as `+4m` into ms since 1970.
fn resolve_times(value: &mut Value, start: Millis) {
    match value {
        Value::String(text) => {
            if let Some(offset) = relative(text) {
                *value = (start + offset).0.into();
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| resolve_times(item, start)),
        Value::Object(members) => members.values_mut().for_each(|member| resolve_times(member, start)),
        _ => {}
    }
}

/// A script may leave secrets out: its profiles count as having one.
fn fill_secrets(store: &mut Value) {
    let Some(profiles) = store.get_mut("profiles").and_then(Value::as_object_mut) else { return };
    for profile in profiles.values_mut().filter_map(Value::as_object_mut) {
        let kind = profile.get("type").and_then(Value::as_str).unwrap_or_default();
        let (needs, fill): (&[&str], &[&str]) = match kind {
            "api_key" => (&["key", "keyRef"], &["key"]),
            "token" => (&["token", "tokenRef"], &["token"]),
            "oauth" => (&["access", "refresh", "oauthRef"], &["access", "refresh"]),
            _ => continue,
        };
        if needs.iter().all(|key| !profile.contains_key(*key)) {
            for key in fill {
                profile.insert((*key).to_string(), "left out".into());
            }
        }
    }
}

/// RFC 7386.
fn merge_patch(target: &mut Value, patch: &Value) {
    let Value::Object(patch) = patch else {
        *target = patch.clone();
        return;
    };
    if !target.is_object() {
        *target = Value::Object(Map::new());
    }
    let Some(members) = target.as_object_mut() else { return };
    for (key, value) in patch {
        if value.is_null() {
            members.shift_remove(key);
        } else {
            merge_patch(members.entry(key.clone()).or_insert(Value::Null), value);
        }
    }
}

/// One reply, judged for each provider that gave it.
type JudgedBy = Vec<(ModelRef, Arc<Fault>)>;

/// The script's replies as the providers that a run calls.
struct Replies<'a> {
    rules: &'a [ReplyRule],
    classifier: &'a Classifier,
    used: Vec<usize>,
    /// Which rule answers whom.
    found: HashMap<(ModelRef, Option<ProfileId>), Option<usize>>,
    /// Errors judged once per provider and reply.
    judged: HashMap<(usize, usize), JudgedBy>,
}

impl<'a> Replies<'a> {
    fn new(rules: &'a [ReplyRule], classifier: &'a Classifier, mut used: Vec<usize>) -> Self {
        used.resize(rules.len(), 0);
        Self { rules, classifier, used, found: HashMap::new(), judged: HashMap::new() }
    }

    fn rule_for(&mut self, candidate: &ModelRef, profile: Option<&ProfileId>) -> Option<usize> {
        let key = (candidate.clone(), profile.cloned());
        let rules = self.rules;
        *self.found.entry(key).or_insert_with(|| {
            rules.iter().position(|rule| {
                let full = || candidate.to_string();
                rule.provider
                    .as_deref()
                    .is_none_or(|provider| provider.trim().eq_ignore_ascii_case(candidate.provider.as_str()))
                    && rule.profile.as_deref().is_none_or(|wanted| profile.is_some_and(|id| *id == wanted))
                    && rule.model.as_deref().is_none_or(|model| candidate.model == model || full() == model)
            })
        })
    }

    fn fault(&mut self, rule: usize, item: usize, candidate: &ModelRef, reply: &Reply) -> Arc<Fault> {
        let known = self.judged.entry((rule, item)).or_default();
        if let Some((_, fault)) = known.iter().find(|(of, _)| of.provider == candidate.provider) {
            return Arc::clone(fault);
        }
        let fault = Arc::new(Fault::judge(self.classifier, candidate.provider.as_str(), &raw_error(reply)));
        known.push((candidate.clone(), Arc::clone(&fault)));
        fault
    }
}

fn raw_error(reply: &Reply) -> RawError {
    let header = |name: &str| reply.headers.get(name).and_then(|text| text.trim().parse::<f64>().ok());
    #[expect(clippy::cast_possible_truncation, reason = "saturates")]
    let from_headers = header("retry-after-ms")
        .or_else(|| header("retry-after").map(|seconds| seconds * 1_000.0))
        .filter(|ms| *ms >= 0.0)
        .map(|ms| Millis(ms.ceil() as i64));
    RawError {
        status: reply.status,
        message: reply.message.clone(),
        code: reply.code.clone(),
        error_type: reply.error_type.clone(),
        body: reply.body.clone(),
        retry_after: reply.retry_after.or(from_headers),
        stop_reason: reply.stop_reason.clone(),
        refusal: reply.refusal.clone(),
        timed_out: reply.kind == ReplyKind::Timeout,
    }
}

impl run::Upstream for Replies<'_> {
    fn answer(&mut self, candidate: &ModelRef, profile: Option<&ProfileId>, now: Millis) -> Answer {
        let silent = Answer { kind: AnswerKind::Ok, takes: Millis(0), switch_to: None, resets_at: None };
        let Some(rule) = self.rule_for(candidate, profile) else { return silent };
        let rules = self.rules;
        let then = &rules[rule].then;
        let item = self.used[rule].min(then.len().saturating_sub(1));
        let Some(reply) = then.get(item) else { return silent };
        self.used[rule] = (self.used[rule] + 1).min(then.len());
        let kind = match reply.kind {
            ReplyKind::Ok => AnswerKind::Ok,
            ReplyKind::Empty => AnswerKind::Empty,
            ReplyKind::Abort => AnswerKind::Abort,
            ReplyKind::Timeout | ReplyKind::Error => {
                AnswerKind::Fault(self.fault(rule, item, candidate, reply))
            }
        };
        let switch_to = reply.switch_to.as_deref().and_then(|name| {
            let (provider, model) = session::split_profile(name).0.split_once('/')?;
            Some(ModelRef {
                provider: provider.trim().to_ascii_lowercase().into(),
                model: model.trim().into(),
            })
        });
        let resets_at = reply.reset_at.map(|reset| match reset {
            ResetAt::At(time) => time,
            ResetAt::In(length) => now + reply.takes + length,
        });
        Answer { kind, takes: reply.takes, switch_to, resets_at }
    }
}
