//! Rules about settings that stand beside each other.

use super::{FROM_2026_6, FROM_2026_8, Rules, fits, values};
use crate::config::node::{Kind, Node};
use crate::config::path::{JsonPath, Step};

/// The text of a member.
fn text<'a>(node: &'a Node, key: &str) -> Option<&'a str> {
    node.member(key)?.value.as_str()
}

fn is_filled_list(node: &Node, key: &str) -> bool {
    node.member(key).is_some_and(|member| !member.value.elements().is_empty())
}

fn is_true(node: &Node, key: &str) -> bool {
    node.member(key).is_some_and(|member| member.value.kind == Kind::Bool(true))
}

impl Rules<'_> {
    /// Rules about the object at this path.
    pub(super) fn object(&mut self, node: &Node, path: &JsonPath) {
        let top = match path.0.first() {
            Some(Step::Key(key)) => key.as_str(),
            _ => "",
        };
        match top {
            "agents" => self.agent(node, path),
            "tools" => self.tools(node, path),
            "gateway" => self.gateway(node, path),
            "browser" => self.browser(node, path),
            "talk" => self.talk(node, path),
            "mcp" | "nodeHost" => self.mcp(node, path),
            "bindings" => self.binding(node, path),
            "hooks" => self.hooks(node, path),
            "channels" => self.channel(node, path),
            "audio" => self.audio(node, path),
            "cloudWorkers" => self.cloud_workers(node, path),
            _ => {}
        }
        if !matches!(top, "plugins" | "channels" | "env") {
            self.secret(node, path);
        }
    }

    fn agent(&mut self, node: &Node, path: &JsonPath) {
        self.tools(node, path);
        if fits(path, "@agent.heartbeat") {
            self.heartbeat(node, path);
        }
        if fits(path, "@agent.sandbox") {
            self.sandbox(node, path);
        }
        if fits(path, "@agent.models") && self.since(FROM_2026_8) {
            self.model_map(node, path);
        }
        if fits(path, "@agent.modelPolicy") && self.since(FROM_2026_6) {
            self.model_policy(node, path);
        }
    }

    /// `allow` and `alsoAllow` are two ways to say one thing.
    fn tools(&mut self, node: &Node, path: &JsonPath) {
        if is_filled_list(node, "allow") && is_filled_list(node, "alsoAllow") {
            self.report(path.key("alsoAllow"), "can't stand beside allow: merge the two lists into allow");
        }
        if fits(path, "tools.web.search.openaiCodex") && !self.since(FROM_2026_6) {
            // The schema of 2026.5 leaves these two open.
            let is_list = |kind: &Kind| matches!(kind, Kind::Array(_));
            if node.member("allowedDomains").is_some_and(|member| !is_list(&member.value.kind)) {
                self.report(path.key("allowedDomains"), "must be array");
            }
            if node.member("userLocation").is_some_and(|member| !matches!(member.value.kind, Kind::Object(_)))
            {
                self.report(path.key("userLocation"), "must be object");
            }
        }
        let exec = path.last_key() == Some("exec") && self.since(FROM_2026_6);
        let has = |key: &str| node.member(key).is_some();
        if exec && has("mode") && (has("security") || has("ask")) {
            self.report(path.key("mode"), "can't stand beside security or ask: keep one way to say it");
        }
    }

    fn heartbeat(&mut self, node: &Node, path: &JsonPath) {
        // Up to 2026.7 the hours are looked at only when `every` is given.
        if !self.since(FROM_2026_8) && text(node, "every").is_none_or(str::is_empty) {
            return;
        }
        let Some(hours) = node.member("activeHours") else { return };
        for (key, until_midnight) in [("start", false), ("end", true)] {
            let Some(time) = text(&hours.value, key).filter(|time| !time.is_empty()) else { continue };
            if !is_time(time, until_midnight) {
                let path = path.key("activeHours").key(key);
                self.report(path, "must be a time of day such as 08:30, at most 24:00 at the end");
            }
        }
    }

    fn sandbox(&mut self, node: &Node, path: &JsonPath) {
        let docker = node.member("docker").map(|member| &member.value);
        let joins = docker.is_some_and(|docker| is_true(docker, "dangerouslyAllowContainerNamespaceJoin"));
        for part in ["docker", "browser"] {
            let Some(network) = node.member(part).and_then(|member| text(&member.value, "network")) else {
                continue;
            };
            let network = network.trim().to_lowercase();
            if network == "host" || (network.starts_with("container:") && !joins) {
                self.report(
                    path.key(part).key("network"),
                    "must not join another network: use bridge or none",
                );
            }
        }
        let backend = text(node, "backend").map_or("docker", str::trim);
        let by_file = self.since(FROM_2026_8) && matches!(backend, "" | "docker" | "podman");
        let env = docker.and_then(|docker| docker.member("env")).map(|member| member.value.members());
        for member in env.unwrap_or_default().iter().filter(|_| by_file) {
            let name = member.key.as_str();
            let portable = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
                && !name.starts_with(|c: char| c.is_ascii_digit())
                && !name.is_empty();
            let one_line = member.value.as_str().is_none_or(|value| !value.contains(['\n', '\r', '\0']));
            if !portable || !one_line {
                let path = path.key("docker").key("env").key(name);
                self.report(path, "needs a name of letters, digits and _, and a value of one line");
            }
        }
    }

    fn model_map(&mut self, node: &Node, path: &JsonPath) {
        for member in node.members() {
            let exact = !member.key.contains('*') && values::is_model_ref(&member.key);
            for key in ["pickerRuntimes", "codeMode"] {
                if !exact && member.value.member(key).is_some() {
                    self.report(path.key(&member.key).key(key), "needs an entry of the form provider/model");
                }
            }
            let runtimes = member.value.member("pickerRuntimes").map(|member| member.value.elements());
            for (index, runtime) in runtimes.unwrap_or_default().iter().enumerate() {
                if matches!(runtime.as_str(), Some("auto" | "default")) {
                    let path = path.key(&member.key).key("pickerRuntimes").index(index);
                    self.report(path, "must be the id of a runtime");
                }
            }
        }
    }

    fn model_policy(&mut self, node: &Node, path: &JsonPath) {
        let mut aliases = Vec::new();
        let own = path.parent().unwrap_or_default().key("models");
        for map in [JsonPath::of_keys(["agents", "defaults", "models"]), own] {
            for entry in self.tree.get(&map).map(Node::members).unwrap_or_default() {
                aliases.extend(text(&entry.value, "alias").map(|alias| alias.trim().to_lowercase()));
            }
        }
        let allow = node.member("allow").map(|member| member.value.elements()).unwrap_or_default();
        for (index, element) in allow.iter().enumerate() {
            let Some(raw) = element.as_str().map(str::trim) else { continue };
            let alias = !raw.is_empty() && aliases.contains(&raw.to_lowercase());
            let pattern = raw.strip_suffix("/*").unwrap_or(raw);
            let wild =
                raw != pattern && !pattern.is_empty() && !pattern.contains('*') && !pattern.ends_with('/');
            let exact = values::is_model_ref(raw) && !raw.contains('*');
            if !(alias || exact || wild) {
                let path = path.key("allow").index(index);
                self.report(path, "must be an alias, provider/model, or provider/*");
            }
        }
    }

    fn gateway(&mut self, node: &Node, path: &JsonPath) {
        if path.0.len() > 1 {
            if fits(path, "gateway.remote.edgeAuth") && node.members().is_empty() {
                self.report(path.clone(), "must not be empty");
            }
            if fits(path, "gateway.roles") {
                let definitions =
                    node.member("definitions").map(|member| member.value.members()).unwrap_or_default();
                let default = text(node, "default").unwrap_or_default();
                if definitions.is_empty() {
                    self.report(path.key("definitions"), "must define at least one role");
                } else if !definitions.iter().any(|member| member.key == default.trim()) {
                    self.report(path.key("default"), "must name a role of gateway.roles.definitions");
                }
            }
            return;
        }
        let mode = node.member("tailscale").and_then(|member| text(&member.value, "mode")).unwrap_or("off");
        if matches!(mode, "serve" | "funnel") {
            let bind = text(node, "bind").unwrap_or("loopback");
            let host = text(node, "customBindHost").unwrap_or_default();
            let local = bind == "loopback" || (bind == "custom" && host.starts_with("127."));
            if !local {
                let message = format!("must be loopback with gateway.tailscale.mode {mode}");
                self.report(path.key("bind"), message);
            }
            let open = node.member("auth").and_then(|member| text(&member.value, "mode")) == Some("none");
            if open && self.since(FROM_2026_6) {
                let message = format!("can't be none with gateway.tailscale.mode {mode}");
                self.report(path.key("auth").key("mode"), message);
            }
        }
        if !self.since(FROM_2026_8) {
            let number = |key: &str| match node.member(key).map(|member| &member.value.kind) {
                Some(Kind::Number(number)) => Some(*number),
                _ => None,
            };
            let check = number("channelHealthCheckMinutes").unwrap_or(5.0);
            if number("channelStaleEventThresholdMinutes").is_some_and(|stale| check > 0.0 && stale < check) {
                let message = "must be at least gateway.channelHealthCheckMinutes (5 if not set)";
                self.report(path.key("channelStaleEventThresholdMinutes"), message);
            }
        }
        let ingress = node.member("portals").and_then(|member| member.value.member("ingress"));
        if let Some(ingress) = ingress {
            let port = |node: &Node| match node.member("port").map(|member| &member.value.kind) {
                Some(Kind::Number(number)) => Some(*number),
                _ => None,
            };
            if port(&ingress.value) == Some(port(node).unwrap_or(18789.0)) {
                let path = path.key("portals").key("ingress").key("port");
                self.report(path, "must differ from gateway.port");
            }
        }
    }

    fn browser(&mut self, node: &Node, path: &JsonPath) {
        if !fits(path, "browser.profiles.*") {
            return;
        }
        let driver = text(node, "driver").unwrap_or_default();
        let existing = driver == "existing-session";
        let truthy = |key: &str| match node.member(key).map(|member| &member.value.kind) {
            Some(Kind::Number(number)) => *number != 0.0,
            Some(Kind::String(text)) => !text.is_empty(),
            _ => false,
        };
        if !existing && driver != "extension" && !truthy("cdpPort") && !truthy("cdpUrl") {
            self.report(path.clone(), "needs cdpPort or cdpUrl");
        }
        if !existing && truthy("userDataDir") {
            self.report(path.key("userDataDir"), "works with driver \"existing-session\" only");
        }
        if driver == "extension" && truthy("cdpUrl") {
            self.report(path.key("cdpUrl"), "doesn't work with driver \"extension\"");
        }
    }

    fn talk(&mut self, node: &Node, path: &JsonPath) {
        if !fits(path, "talk") && !fits(path, "talk.realtime") {
            return;
        }
        let providers = node.member("providers").map(|member| member.value.members()).unwrap_or_default();
        match text(node, "provider").map(|name| name.trim().to_lowercase()).filter(|name| !name.is_empty()) {
            Some(name) if !providers.is_empty() && !providers.iter().any(|member| member.key == name) => {
                self.report(path.key("provider"), "must be one of the providers beside it");
            }
            None if providers.len() > 1 => {
                self.report(
                    path.key("providers"),
                    "several providers need provider to say which one is used",
                );
            }
            _ => {}
        }
    }

    fn mcp(&mut self, node: &Node, path: &JsonPath) {
        let server = fits(path, "mcp.servers.*") || fits(path, "nodeHost.mcp.servers.*");
        if !server || !self.since(FROM_2026_6) {
            return;
        }
        let stdio = text(node, "transport") == Some("stdio");
        if stdio && text(node, "command").is_none_or(|command| command.trim().is_empty()) {
            self.report(path.key("transport"), "\"stdio\" needs a command");
        }
        if !self.since(FROM_2026_8) {
            return;
        }
        for key in [
            "connectTimeout",
            "connect_timeout",
            "timeout",
            "workingDirectory",
            "supports_parallel_tool_calls",
            "ssl_verify",
            "client_cert",
            "client_key",
        ] {
            if node.member(key).is_some() {
                self.report(path.key(key), "isn't known here any more");
            }
        }
        if node.member("disabled").is_some() {
            self.report(path.key("disabled"), "is spelled enabled: false");
        }
        if node
            .member("codex")
            .is_some_and(|codex| codex.value.member("default_tools_approval_mode").is_some())
        {
            let path = path.key("codex").key("default_tools_approval_mode");
            self.report(path, "is spelled defaultToolsApprovalMode");
        }
        let oauth = node.member("oauth").map(|member| &member.value);
        if oauth.and_then(|oauth| text(oauth, "identity")) == Some("per-requester") {
            let at = path.key("oauth").key("identity");
            if text(node, "auth") != Some("oauth") {
                self.report(at.clone(), "\"per-requester\" needs auth: \"oauth\"");
            }
            if oauth.is_some_and(|oauth| oauth.member("authProfileId").is_some()) {
                self.report(
                    path.key("oauth").key("authProfileId"),
                    "can't stand beside identity \"per-requester\"",
                );
            }
            if text(node, "url").is_none_or(str::is_empty) || node.member("command").is_some() || stdio {
                self.report(at, "\"per-requester\" needs the url of an http server and no command");
            }
        }
    }

    fn binding(&mut self, node: &Node, path: &JsonPath) {
        if !fits(path, "bindings.*") || text(node, "type") != Some("acp") {
            return;
        }
        let peer = node.member("match").and_then(|member| member.value.member("peer"));
        let id = peer.and_then(|peer| text(&peer.value, "id"));
        if id.is_none_or(|id| id.trim().is_empty()) {
            self.report(path.key("match"), "a binding of type acp needs match.peer.id");
        }
    }

    fn hooks(&mut self, node: &Node, path: &JsonPath) {
        if !fits(path, "hooks") || !self.since(FROM_2026_8) {
            return;
        }
        let has_default = text(node, "defaultSessionKey").is_some_and(|key| !key.trim().is_empty());
        let mappings = node.member("mappings").map(|member| member.value.elements()).unwrap_or_default();
        for (index, mapping) in mappings.iter().enumerate() {
            let persistent = text(mapping, "sessionMode") == Some("persistent");
            let agent = text(mapping, "action").unwrap_or("agent") == "agent";
            let keyed = text(mapping, "sessionKey").is_some_and(|key| !key.trim().is_empty());
            if persistent && agent && !keyed && !has_default && mapping.member("transform").is_none() {
                let path = path.key("mappings").index(index).key("sessionMode");
                self.report(path, "\"persistent\" needs sessionKey, hooks.defaultSessionKey or a transform");
            }
        }
    }

    fn audio(&mut self, node: &Node, path: &JsonPath) {
        if !fits(path, "audio.transcription") || self.since(FROM_2026_8) {
            return;
        }
        let Some(command) = node.member("command") else { return };
        let program = command.value.elements().first().and_then(Node::as_str);
        if !program.is_some_and(values::is_executable) {
            self.report(path.key("command"), "must start with the name or path of a program");
        }
    }

    fn cloud_workers(&mut self, node: &Node, path: &JsonPath) {
        if !fits(path, "cloudWorkers.projectProfiles") {
            return;
        }
        for member in node.members() {
            let key = member.key.as_str();
            let known = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "/._-".contains(c);
            let parts = key.split('/').filter(|part| !part.is_empty()).count();
            if parts < 3 || !key.chars().all(known) || key.ends_with(".git") || key.ends_with('/') {
                self.report(path.key(key), "must be host/owner/repo in lower case, without .git");
            }
        }
    }

    fn channel(&mut self, node: &Node, path: &JsonPath) {
        let acp = node.member("bindings").and_then(|member| member.value.member("acp"));
        if acp.is_some_and(|acp| matches!(acp.value.kind, Kind::Object(_) | Kind::Array(_))) {
            self.report(path.key("bindings").key("acp"), "moved to bindings[] at the top");
        }
    }

    /// References to secrets: `{source, provider, id}`.
    fn secret(&mut self, node: &Node, path: &JsonPath) {
        let (Some(source), Some(provider), Some(id)) =
            (text(node, "source"), text(node, "provider"), text(node, "id"))
        else {
            return;
        };
        let parts = |id: &str, wrong: fn(&str) -> bool| id.split('/').any(wrong);
        let fits_source = match source {
            "file" => id == "value" || (id.starts_with('/') && !has_wrong_escape(id)),
            "exec" => {
                let hash = if self.since(FROM_2026_6) { "#" } else { "" };
                let known = |c: char| c.is_ascii_alphanumeric() || "._:/-".contains(c) || hash.contains(c);
                id.starts_with(|c: char| c.is_ascii_alphanumeric())
                    && id.len() <= 256
                    && id.chars().all(known)
                    && !parts(id, |part| part == "." || part == "..")
            }
            _ => true,
        };
        if !fits_source {
            let message = match source {
                "file" => "must be a JSON pointer such as /providers/openai/apiKey, or \"value\"",
                _ => "must be an id of letters, digits and ._:/- without . or .. as a part",
            };
            self.report(path.key("id"), message);
        }
        let listed = JsonPath::of_keys(["secrets", "providers", provider]);
        let known = self.tree.get(&listed).and_then(|provider| text(provider, "source"));
        if self.since(FROM_2026_8)
            && let Some(known) = known.filter(|known| *known != source)
        {
            self.report(
                path.key("source"),
                format!("the secret provider \"{provider}\" has the source \"{known}\""),
            );
        }
    }
}

/// `~` in a JSON pointer is followed by 0 or 1.
fn has_wrong_escape(id: &str) -> bool {
    id.split('~').skip(1).any(|after| !after.starts_with(['0', '1']))
}

/// `HH:MM`; 24:00 only where a day can end.
fn is_time(text: &str, until_midnight: bool) -> bool {
    let Some((hour, minute)) = text.split_once(':') else { return false };
    let number = |part: &str| -> Option<u8> {
        (part.len() == 2 && part.bytes().all(|byte| byte.is_ascii_digit()))
            .then(|| part.parse().ok())
            .flatten()
    };
    match (number(hour), number(minute)) {
        (Some(24), Some(0)) => until_midnight,
        (Some(hour), Some(minute)) => hour < 24 && minute < 60,
        _ => false,
    }
}
