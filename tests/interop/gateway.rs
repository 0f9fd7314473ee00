//! An order written while a real gateway runs: it survives, and clawctl says what the gateway does.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use std::{fs, thread};

use serde_json::{Value, json};

use crate::documents::{Kind, read};
use crate::openclaw::{Home, Release};

/// A provider that refuses every key.
fn refusing_provider() -> u16 {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("bind");
    let port = listener.local_addr().expect("an address").port();
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            thread::spawn(move || refuse(stream));
        }
    });
    port
}

fn refuse(stream: TcpStream) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream);
    let (mut line, mut length) = (String::new(), 0);
    loop {
        line.clear();
        if reader.read_line(&mut line)? == 0 || line.trim().is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().unwrap_or(0);
        }
    }
    std::io::copy(&mut (&mut reader).take(length), &mut std::io::sink())?;
    let body = r#"{"error":{"message":"Incorrect API key provided","code":"invalid_api_key"}}"#;
    write!(
        reader.get_mut(),
        "HTTP/1.1 401 Unauthorized\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\
         connection: close\r\n\r\n{body}",
        body.len()
    )
}

/// A gateway that is asked to end when the test does.
struct Gateway(Child);

impl Gateway {
    fn start(home: &Home, port: u16) -> Self {
        let log = fs::File::create(home.path().join("gateway.log")).expect("a log");
        let mut command = home.openclaw_command(&["gateway"]);
        command.stdout(log.try_clone().expect("a handle")).stderr(log);
        let mut gateway = Self(command.spawn().expect("node runs"));
        let deadline = Instant::now() + Duration::from_secs(240);
        let answers = || TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_ok();
        while !answers() {
            let ended = gateway.0.try_wait().expect("a status");
            assert!(ended.is_none() && Instant::now() < deadline, "no gateway: {}", Self::log(home));
            thread::sleep(Duration::from_millis(200));
        }
        gateway
    }

    fn log(home: &Home) -> String {
        fs::read_to_string(home.path().join("gateway.log")).unwrap_or_default()
    }
}

impl Drop for Gateway {
    fn drop(&mut self) {
        let pid = self.0.id().to_string();
        let _ = Command::new("kill").arg(pid).stderr(Stdio::null()).status();
        let deadline = Instant::now() + Duration::from_secs(30);
        while Instant::now() < deadline {
            if self.0.try_wait().is_ok_and(|status| status.is_some()) {
                return;
            }
            thread::sleep(Duration::from_millis(100));
        }
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn an_order_written_beside_a_gateway_survives_its_writes() {
    let provider = json!({
        "baseUrl": format!("http://127.0.0.1:{}/v1", refusing_provider()),
        "api": "openai-completions",
        "models": [{"id": "a1", "name": "a1"}],
    });
    let home = Home::new(
        Release::AgentDatabase,
        json!({
            "models": {"mode": "merge", "providers": {"mocka": provider}},
            "agents": {
                "defaults": {"model": {"primary": "mocka/a1"}},
                "list": [{"id": "main", "default": true}],
            },
        }),
    );
    home.paste("main", "mocka:k1");
    home.paste("main", "mocka:k2");
    let config = fs::read_to_string(home.state().join("openclaw.json")).expect("a config");
    let config: Value = serde_json::from_str(&config).expect("JSON");
    let port = u16::try_from(config["gateway"]["port"].as_u64().expect("a port")).expect("a port");

    let quiet = home.clawctl_set("main", "mocka", &["mocka:k1"]);
    assert!(!quiet.stderr.contains("gateway"), "{}", quiet.stderr);

    let gateway = Gateway::start(&home, port);
    let told = home.clawctl_set("main", "mocka", &["mocka:k2", "mocka:k1"]);
    assert!(told.stderr.contains(&format!("a gateway answers on port {port}")), "{}", told.stderr);

    // A turn that fails: the gateway stores windows for the profiles that it tried.
    let turn = ["agent", "--agent", "main", "--session-id", "s1", "-m", "hi", "--timeout", "120"];
    home.openclaw(&turn);
    let state = read(&home, "main", Kind::State).expect("a state");
    assert_eq!(state["order"], json!({"mocka": ["mocka:k2", "mocka:k1"]}));
    let tried = state["usageStats"].as_object().map_or(0, serde_json::Map::len);
    assert!(tried > 0, "the gateway stored nothing: {}", Gateway::log(&home));
    let shown = home.clawctl(&["cooldowns", "show", "--agent", "main", "--json", "--all"]).json();
    assert!(
        shown["agents"][0]["windows"].as_array().is_some_and(|windows| windows.len() >= tried),
        "{shown}"
    );
    drop(gateway);
    assert_eq!(home.clawctl_order("main", "mocka"), Some(vec!["mocka:k2".to_owned(), "mocka:k1".to_owned()]));
}
