//! `comity serve`: its start, its end, and its answers, which equal the output of the command.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};
use testkit::servers::{Origin, Reply};

use crate::comity;

/// Flags of a service for tests: no settings file, no waits, a store in memory.
const FLAGS: &str = "--no-config --store memory --min-interval 0 --retries 0";

/// A running service, which ends with the test.
struct Service {
    child: Child,
    address: String,
}

impl Service {
    fn start(flags: &str) -> Service {
        Service::from(comity("serve").args(FLAGS).args(flags).command())
    }

    fn from(mut command: Command) -> Service {
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("comity should start");
        let mut address = String::new();
        BufReader::new(child.stdout.take().expect("standard output"))
            .read_line(&mut address)
            .expect("an address");
        Service { child, address: address.trim().to_owned() }
    }

    fn host(&self) -> &str {
        self.address.strip_prefix("http://").expect("an address")
    }

    fn ask(&self, path: &str, question: &Value) -> (u16, Value) {
        reply(TcpStream::connect(self.host()).expect("a connection"), path, "", question)
    }

    fn signal(&self, name: &str) {
        let status = Command::new("kill").args([name, &self.child.id().to_string()]).status().expect("kill");
        assert!(status.success());
    }

    /// Waits for the end of the service. Returns the exit code and standard error.
    fn ended(mut self) -> (Option<i32>, String) {
        let mut stderr = String::new();
        self.child.stderr.take().expect("standard error").read_to_string(&mut stderr).expect("text");
        (self.child.wait().expect("an end").code(), stderr)
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Requests a path over TCP, and returns the status and the body.
fn get(service: &Service, path: &str, fields: &str) -> (u16, String) {
    let mut stream = TcpStream::connect(service.host()).expect("a connection");
    write!(stream, "GET {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n{fields}\r\n")
        .expect("a request");
    let mut text = String::new();
    stream.read_to_string(&mut text).expect("an answer");
    let (head, body) = text.split_once("\r\n\r\n").expect("a head");
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
    (status, body.to_owned())
}

/// Sends a question over a connection, and returns the status and the JSON.
fn reply(mut stream: impl Read + Write, path: &str, fields: &str, question: &Value) -> (u16, Value) {
    let question = question.to_string();
    write!(
        stream,
        "POST {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-type: application/json\r\n{fields}\
         content-length: {}\r\n\r\n{question}",
        question.len()
    )
    .expect("a request");
    let mut text = String::new();
    stream.read_to_string(&mut text).expect("an answer");
    let (head, body) = text.split_once("\r\n\r\n").expect("a head");
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
    (status, serde_json::from_str(body).expect("JSON"))
}

#[test]
fn service_connects_to_web_ports_and_allowed_ports_only() {
    let origin = Origin::start();
    origin.on("/robots.txt", Reply::ok("User-agent: *\nDisallow: /no\n"));
    let port = origin.address().port();
    let question = json!({ "url": origin.url("/no") });
    let flags = "--listen 127.0.0.1:0 --allow-address 127.0.0.0/8";
    let (_, refused) = Service::start(flags).ask("/v1/admit", &question);
    assert_eq!(refused["outcome"], "guard_refused", "{refused}");
    let detail = refused["detail"].as_str().expect("a detail");
    assert!(detail.contains(&format!("--allow-port {port}")), "{detail}");
    let range = format!("{}-{port}", port - 1);
    let (_, asked) = Service::start(&format!("{flags} --allow-port {range}")).ask("/v1/admit", &question);
    assert_eq!(asked["outcome"], "robots_refused", "{asked}");
}

#[test]
fn service_rows_equal_command_rows() {
    let service = Service::start("--listen 127.0.0.1:0");
    let robots = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/robots.txt"))
        .expect("a file");
    let without_notices = |mut answer: Value| {
        let notices = answer.as_object_mut().and_then(|answer| answer.remove("notices"));
        assert!(notices.is_some_and(|notices| notices.is_array()), "{answer}");
        answer
    };
    let without_file = |mut row: Value| {
        // The service received the robots.txt as text, without a file name.
        row["robots_txt"]["file"] = Value::Null;
        row
    };
    let question =
        json!({ "robots": robots, "agents": ["GPTBot", "EmtpyBot"], "urls": ["/blog", "/private", "//x"] });
    for command in ["check", "explain"] {
        let (status, answer) = service.ask(&format!("/v1/{command}"), &question);
        assert_eq!(status, 200, "{answer}");
        let printed = comity(command)
            .args("--json --robots robots.txt --agent GPTBot --agent EmtpyBot /blog /private //x")
            .run();
        let printed: Vec<Value> = printed.json_lines().into_iter().map(without_file).collect();
        assert_eq!(answer["rows"], json!(printed), "{command}");
    }
    let (_, answer) = service.ask("/v1/usage", &question);
    let printed =
        comity("usage --json --robots robots.txt --agent GPTBot --agent EmtpyBot /blog /private //x").run();
    assert_eq!(answer["rows"], json!(printed.json_lines()));
    let (_, answer) = service.ask("/v1/lint", &json!({ "robots": robots }));
    let printed = comity("lint --json robots.txt").run();
    assert_eq!(answer["findings"], json!(printed.json_lines()));
    let (_, answer) = service.ask("/v1/matrix", &json!({ "robots": robots }));
    let mut printed = comity("matrix --json --robots robots.txt").run().json();
    printed["robots_txt"]["file"] = Value::Null;
    assert_eq!(without_notices(answer), printed);
    let [old, new] = ["old.txt", "new.txt"].map(|name| {
        let path = format!("{}/tests/fixtures/{name}", env!("CARGO_MANIFEST_DIR"));
        std::fs::read_to_string(path).expect("a file")
    });
    let question =
        json!({ "old": { "robots": old }, "new": { "robots": new }, "urls": ["/", "/a", "/private"] });
    let (_, answer) = service.ask("/v1/diff", &question);
    let mut printed = comity("diff --json old.txt new.txt / /a /private").run().json();
    printed["old"]["file"] = Value::Null;
    printed["new"]["file"] = Value::Null;
    assert_eq!(without_notices(answer), printed);
}

#[test]
fn service_requests_sites_with_the_settings() {
    let site = Origin::start();
    site.on("/robots.txt", Reply::ok("User-agent: *\nDisallow: /x\n"));
    let question = json!({ "agents": ["a"], "urls": [site.url("/x")] });
    let row = |service: &Service| service.ask("/v1/check", &question).1["rows"][0].clone();
    // The guard refuses both the address and the port unless the settings allow them.
    let strict = Service::start("--listen 127.0.0.1:0 --allow-address 127.0.0.0/8");
    assert!(row(&strict)["error"].as_str().is_some_and(|error| error.contains("port")), "{}", row(&strict));
    let port = site.address().port().to_string();
    let command = comity("serve")
        .args(FLAGS)
        .args("--listen 127.0.0.1:0 --allow-address 127.0.0.0/8 --agent ExampleBot");
    let service = Service::from(command.env("COMITY_GUARD_ALLOW_PORT", &port).command());
    assert_eq!(row(&service)["rule"]["line"], 2);
    assert_eq!(site.count("/robots.txt"), 1);
    assert!(site.requests()[0].header("user-agent").is_some_and(|agent| agent.starts_with("ExampleBot")));
}

#[test]
fn public_address_requires_a_token() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name).display().to_string();
        std::fs::write(&path, text).expect("a file");
        path
    };
    let refused = comity("serve --listen 0.0.0.0:0").args(FLAGS).run().exits(2);
    assert!(refused.stderr.contains("--token-file"), "{}", refused.stderr);
    for (text, problem) in [
        ("# none\n\n", "contains no token"),
        ("short\n", "token 1 of"),
        ("two words and more\n", "token 1 of"),
    ] {
        let refused = comity("serve --listen 0.0.0.0:0 --token-file")
            .arg(&file("bad", text))
            .args(FLAGS)
            .run()
            .exits(2);
        assert!(refused.stderr.contains(problem), "{}", refused.stderr);
    }
    let tokens = file("tokens", "# of the crawler\nsixteen-characters\n\nanother-long-token\n");
    let service =
        Service::from(comity("serve --listen 127.0.0.1:0 --token-file").arg(&tokens).args(FLAGS).command());
    let question = json!({ "robots": "", "agents": ["a"], "urls": ["/"] });
    assert_eq!(service.ask("/v1/check", &question).0, 401);
    let stream = TcpStream::connect(service.host()).expect("a connection");
    let fields = "authorization: Bearer another-long-token\r\n";
    assert_eq!(reply(stream, "/v1/check", fields, &question).0, 200);
}

#[cfg(unix)]
#[test]
fn unix_socket_is_served_and_removed() {
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::net::{UnixListener, UnixStream};

    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("comity.sock");
    // The socket of a service that was killed.
    drop(UnixListener::bind(&path).expect("a socket"));
    let start =
        || Service::from(comity("serve --unix").arg(&path.display().to_string()).args(FLAGS).command());
    let service = start();
    assert_eq!(service.address, format!("unix:{}", path.display()));
    let mode = std::fs::metadata(&path).expect("the socket").permissions().mode();
    assert_eq!(mode & 0o777, 0o660);
    let question = json!({ "robots": "User-agent: *\nDisallow: /\n", "agents": ["a"], "urls": ["/"] });
    let (status, answer) =
        reply(UnixStream::connect(&path).expect("a connection"), "/v1/check", "", &question);
    assert_eq!((status, &answer["rows"][0]["allowed"]), (200, &json!(false)));
    for _ in 0..2 {
        let second = comity("serve --unix").arg(&path.display().to_string()).args(FLAGS).run().exits(2);
        assert!(second.stderr.contains("another program listens"), "{}", second.stderr);
        let stream = UnixStream::connect(&path).expect("the socket of the first service");
        let (status, _) = reply(stream, "/v1/check", "", &question);
        assert_eq!(status, 200);
    }
    service.signal("-TERM");
    assert_eq!(service.ended().0, Some(0));
    assert!(!path.exists());
}

#[cfg(unix)]
#[test]
fn file_other_than_a_stale_socket_is_kept() {
    use std::os::unix::fs::{FileTypeExt, symlink};
    use std::os::unix::net::{UnixDatagram, UnixListener, UnixStream};

    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("notes.txt"), "notes").expect("a file");
    std::fs::create_dir(path("folder")).expect("a folder");
    let live = UnixListener::bind(path("live")).expect("a socket");
    let datagrams = UnixDatagram::bind(path("datagrams")).expect("a socket");
    drop(UnixListener::bind(path("stale")).expect("a socket"));
    for (link, target) in
        [("to-notes", "notes.txt"), ("to-live", "live"), ("to-stale", "stale"), ("dangling", "nowhere")]
    {
        symlink(path(target), path(link)).expect("a link");
    }
    for name in ["notes.txt", "folder", "live", "datagrams", "to-notes", "to-live", "to-stale", "dangling"] {
        let before = std::fs::symlink_metadata(path(name)).expect("a file").file_type();
        let refused =
            comity("serve --unix").arg(&path(name).display().to_string()).args(FLAGS).run().exits(2);
        assert!(refused.stderr.contains(name), "{}", refused.stderr);
        assert_eq!(
            std::fs::symlink_metadata(path(name)).expect("the file still exists").file_type(),
            before,
            "{name}"
        );
    }
    assert_eq!(std::fs::read_to_string(path("notes.txt")).expect("a file"), "notes");
    UnixStream::connect(path("to-live")).expect("the listener is still there");
    assert!(std::fs::metadata(path("to-stale")).expect("a target").file_type().is_socket());
    assert!(!path("nowhere").exists());
    drop((live, datagrams));
}

#[cfg(unix)]
#[test]
fn file_in_place_of_the_socket_is_kept() {
    use std::os::unix::fs::symlink;
    use std::os::unix::net::{UnixListener, UnixStream};

    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("comity.sock");
    let mut other = None;
    for successor in ["file", "link", "socket", "nothing"] {
        let service =
            Service::from(comity("serve --unix").arg(&path.display().to_string()).args(FLAGS).command());
        std::fs::remove_file(&path).expect("the socket");
        match successor {
            "file" => std::fs::write(&path, "notes").expect("a file"),
            "link" => symlink("nowhere", &path).expect("a link"),
            "socket" => other = Some(UnixListener::bind(&path).expect("a socket")),
            _ => {}
        }
        service.signal("-TERM");
        assert_eq!(service.ended().0, Some(0));
        let is_there = std::fs::symlink_metadata(&path).is_ok();
        assert_eq!(is_there, successor != "nothing", "{successor}");
        if successor == "socket" {
            UnixStream::connect(&path).expect("the other listener is still there");
        }
        let _ = std::fs::remove_file(&path);
    }
    drop(other);
}

#[test]
fn byte_order_mark_is_not_part_of_a_token() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = |text: &str| {
        let path = folder.path().join("tokens").display().to_string();
        std::fs::write(&path, text).expect("a file");
        path
    };
    let tokens = file("\u{feff}the-first-of-the-tokens\r\nthe-second-of-the-tokens\r\n");
    let service =
        Service::from(comity("serve --listen 127.0.0.1:0 --token-file").arg(&tokens).args(FLAGS).command());
    for token in ["the-first-of-the-tokens", "the-second-of-the-tokens"] {
        assert_eq!(
            get(&service, "/metrics", &format!("authorization: Bearer {token}\r\n")).0,
            200,
            "{token}"
        );
    }
    // A header field cannot contain these tokens.
    for useless in
        ["a-token-of-sixteen-\u{e9}\n", "\n\u{feff}a-token-of-sixteen\n", "a-token-of\u{1}sixteen\n"]
    {
        let refused =
            comity("serve --listen 127.0.0.1:0 --token-file").arg(&file(useless)).args(FLAGS).run().exits(2);
        assert!(refused.stderr.contains("token 1 of"), "{}", refused.stderr);
    }
}

#[cfg(unix)]
#[test]
fn token_file_readable_by_others_has_a_warning() {
    use std::os::unix::fs::PermissionsExt;

    let folder = tempfile::tempdir().expect("a folder");
    let tokens = folder.path().join("tokens");
    std::fs::write(&tokens, "the-only-one-of-the-tokens\n").expect("a file");
    for (mode, is_warned) in [(0o644, true), (0o640, true), (0o602, true), (0o600, false), (0o400, false)] {
        std::fs::set_permissions(&tokens, std::fs::Permissions::from_mode(mode)).expect("set");
        let tokens = tokens.display().to_string();
        let service = Service::from(
            comity("serve --listen 127.0.0.1:0 --token-file").arg(&tokens).args(FLAGS).command(),
        );
        service.signal("-TERM");
        let (code, stderr) = service.ended();
        assert_eq!((code, stderr.contains("chmod 600")), (Some(0), is_warned), "{mode:o}: {stderr}");
        assert!(!stderr.contains("the-only-one"), "{stderr}");
    }
}

#[test]
fn readiness_names_the_store_only_with_a_token() {
    let folder = tempfile::tempdir().expect("a folder");
    let tokens = folder.path().join("tokens").display().to_string();
    std::fs::write(&tokens, "the-only-one-of-the-tokens\n").expect("a file");
    // A store that closes connections.
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let store = listener.local_addr().expect("an address").to_string();
    std::thread::spawn(move || listener.incoming().for_each(drop));
    let flags = format!("serve --no-config --listen 127.0.0.1:0 --store redis://{store}/7");
    let unknown = Service::from(comity(&flags).command());
    let known = Service::from(comity(&format!("{flags} --token-file")).arg(&tokens).command());
    for (service, fields, is_named) in [
        (&unknown, "", false),
        (&unknown, "authorization: Bearer the-only-one-of-the-tokens\r\n", false),
        (&known, "", false),
        (&known, "authorization: Bearer another-one-of-the-tokens\r\n", false),
        (&known, "authorization: Bearer the-only-one-of-the-tokens\r\n", true),
    ] {
        let (status, body) = get(service, "/readyz", fields);
        assert_eq!((status, body.contains(&store)), (503, is_named), "{fields}: {body}");
    }
}

#[cfg(unix)]
#[test]
fn signal_shuts_down_gracefully_and_requests_are_logged() {
    for signal in ["-TERM", "-INT"] {
        let service = Service::start("--listen 127.0.0.1:0 --log --contact https://example.com/bot");
        service.ask("/v1/check", &json!({ "robots": "", "agents": ["a"], "urls": ["/"] }));
        service.ask("/secret", &json!({}));
        service.signal(signal);
        let (code, stderr) = service.ended();
        assert_eq!(code, Some(0), "{stderr}");
        let lines: Vec<Value> =
            stderr.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        assert_eq!((&lines[0]["route"], &lines[0]["status"]), (&json!("/v1/check"), &json!(200)));
        assert_eq!((&lines[1]["route"], &lines[1]["status"]), (&json!("-"), &json!(404)));
        assert!(lines[0]["request_id"].is_string() && lines[0]["seconds"].is_number(), "{stderr}");
        assert!(!stderr.contains("secret"), "{stderr}");
    }
}

/// Standard error of a service, line by line.
#[cfg(unix)]
struct Messages(BufReader<std::process::ChildStderr>);

#[cfg(unix)]
impl Messages {
    fn of(service: &mut Service) -> Messages {
        Messages(BufReader::new(service.child.stderr.take().expect("standard error")))
    }

    /// Reads lines until one contains a text, and returns this line.
    fn until(&mut self, text: &str) -> String {
        loop {
            let mut line = String::new();
            assert_ne!(
                self.0.read_line(&mut line).expect("a line"),
                0,
                "the service has ended without `{text}`"
            );
            if line.contains(text) {
                return line;
            }
        }
    }
}

#[cfg(unix)]
#[test]
fn sighup_replaces_the_tokens_unless_they_are_invalid() {
    let folder = tempfile::tempdir().expect("a folder");
    let tokens = folder.path().join("tokens");
    let write = |text: &str| std::fs::write(&tokens, text).expect("a file");
    let (first, second) = ("0123456789abcdef-1", "0123456789abcdef-2");
    write(first);
    let mut service = Service::start(&format!("--listen 127.0.0.1:0 --token-file {}", tokens.display()));
    let mut messages = Messages::of(&mut service);
    let status = |token: &str| {
        let stream = TcpStream::connect(service.host()).expect("a connection");
        let fields = format!("authorization: Bearer {token}\r\n");
        reply(stream, "/v1/lint", &fields, &json!({ "robots": "" })).0
    };
    assert_eq!((status(first), status(second)), (200, 401));
    write(second);
    service.signal("-HUP");
    messages.until("reloaded settings, tokens and identity");
    assert_eq!((status(first), status(second)), (401, 200));
    for (invalid, message) in [("short\n", "token 1 of"), ("", "contains no token")] {
        write(invalid);
        service.signal("-HUP");
        let line = messages.until("not reloaded: ");
        assert!(line.contains(message), "{line}");
        assert_eq!((status(first), status(second)), (401, 200));
    }
}

#[cfg(unix)]
#[test]
fn sighup_replaces_the_settings_but_not_the_store() {
    let sites = [Origin::start(), Origin::start(), Origin::start(), Origin::start()];
    let ports: Vec<u16> = sites.iter().map(|site| site.address().port()).collect();
    let folder = tempfile::tempdir().expect("a folder");
    let settings = folder.path().join("comity.toml");
    let write = |agent: &str, store: &str| {
        let text = format!(
            "[agent]\ntoken = \"{agent}\"\n[guard]\nallow_address = [\"127.0.0.0/8\"]\nallow_port = {ports:?}\n\
             [pace]\nmin_interval_seconds = 0\n[store]\nlocation = \"{store}\"\n"
        );
        std::fs::write(&settings, text).expect("a file");
    };
    write("OneBot", "memory");
    let start =
        comity("serve --listen 127.0.0.1:0 --retries 0 --config").arg(&settings.display().to_string());
    let mut service = Service::from(start.command());
    let mut messages = Messages::of(&mut service);
    // The answers of a site are stored, so each question is about another site.
    let agent = |site: &Origin| {
        site.on("/robots.txt", Reply::ok("User-agent: *\nDisallow: /private\n"));
        let question = json!({ "agents": ["a"], "urls": [site.url("/private")] });
        assert_eq!(service.ask("/v1/check", &question).0, 200);
        site.requests()[0].header("user-agent").expect("a field").to_owned()
    };
    assert!(agent(&sites[0]).starts_with("OneBot"));
    write("TwoBot", "memory");
    service.signal("-HUP");
    messages.until("reloaded settings, tokens and identity");
    assert!(agent(&sites[1]).starts_with("TwoBot"));
    let elsewhere = folder.path().join("store.db").display().to_string();
    for (site, agent_token, store, message) in [
        (&sites[2], "ThreeBot", elsewhere.as_str(), "a change of the store requires a restart"),
        (&sites[3], "two words", "memory", "token"),
    ] {
        write(agent_token, store);
        service.signal("-HUP");
        let line = messages.until("not reloaded: ");
        assert!(line.contains(message), "{line}");
        assert!(agent(site).starts_with("TwoBot"));
    }
}

/// Accepts one export of traces, and returns its path and body.
#[cfg(feature = "otel")]
fn receive_traces(collector: &std::net::TcpListener) -> (String, Vec<u8>) {
    let (stream, _) = collector.accept().expect("a connection");
    let mut reader = BufReader::new(stream);
    let (mut first, mut length) = (String::new(), 0);
    reader.read_line(&mut first).expect("a request");
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).expect("a field");
        match line.trim().to_ascii_lowercase().split_once(':') {
            Some(("content-length", value)) => length = value.trim().parse().expect("a number"),
            Some(_) => {}
            None => break,
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).expect("a body");
    reader.get_mut().write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").expect("an answer");
    (first, body)
}

#[cfg(all(unix, feature = "otel"))]
#[test]
fn traces_are_exported_and_continue_the_trace_of_the_caller() {
    let site = Origin::start();
    site.on("/robots.txt", Reply::ok("User-agent: *\nDisallow: /x\n"));
    let collector = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = collector.local_addr().expect("an address");
    let start = comity("serve")
        .args(FLAGS)
        .args("--listen 127.0.0.1:0 --allow-address 127.0.0.0/8")
        .args(&format!("--allow-port {}", site.address().port()))
        .env("OTEL_EXPORTER_OTLP_ENDPOINT", &format!("http://{address}"));
    let service = Service::from(start.command());
    let stream = TcpStream::connect(service.host()).expect("a connection");
    let trace = "4bf92f3577b34da6a3ce929d0e0e4736";
    let fields = format!("traceparent: 00-{trace}-00f067aa0ba902b7-01\r\n");
    assert_eq!(
        reply(stream, "/v1/check", &fields, &json!({ "agents": ["a"], "urls": [site.url("/x")] })).0,
        200
    );
    service.signal("-TERM");
    let (request, body) = receive_traces(&collector);
    assert!(request.starts_with("POST /v1/traces "), "{request}");
    let contains = |bytes: &[u8]| body.windows(bytes.len()).any(|window| window == bytes);
    let trace: Vec<u8> =
        (0..16).map(|at| u8::from_str_radix(&trace[2 * at..2 * at + 2], 16).expect("digits")).collect();
    assert!(contains(&trace), "the trace of the caller is missing");
    for text in ["service.name", "comity", "/v1/check", "http.response.status_code", "robots"] {
        assert!(contains(text.as_bytes()), "{text} is missing");
    }
    assert_eq!(service.ended().0, Some(0));
    assert!(site.requests().iter().all(|request| request.header("traceparent").is_none()));
}

#[cfg(feature = "otel")]
#[test]
fn collector_with_tls_is_an_error() {
    let run =
        comity("serve").args(FLAGS).env("OTEL_EXPORTER_OTLP_ENDPOINT", "https://collector.example").run();
    let run = run.exits(2);
    assert!(run.stderr.contains("`OTEL_EXPORTER_OTLP_ENDPOINT` must be an http URL"), "{}", run.stderr);
}

/// Starts a service that listens on a passed socket, as `systemd` starts it.
#[cfg(unix)]
fn start_with_socket(socket: std::os::fd::OwnedFd, flags: &str) -> Command {
    let program = comity("").command();
    let program = program.get_program().to_str().expect("a path");
    let mut command = Command::new("sh");
    let script =
        format!("exec 3<&0 </dev/null; LISTEN_FDS=1 LISTEN_PID=$$ exec '{program}' serve {FLAGS} {flags}");
    command.args(["-c", &script]).stdin(socket);
    command
}

#[cfg(unix)]
#[test]
fn passed_socket_is_served() {
    use std::os::unix::net::{UnixListener, UnixStream};

    fn started(mut command: Command) -> Service {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("a shell");
        let mut address = String::new();
        BufReader::new(child.stdout.take().expect("standard output"))
            .read_line(&mut address)
            .expect("an address");
        Service { child, address: address.trim().to_owned() }
    }
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    let service = started(start_with_socket(listener.into(), ""));
    assert_eq!(service.address, format!("http://{address}"));
    assert_eq!(service.ask("/v1/lint", &json!({ "robots": "" })).0, 200);

    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("passed.sock");
    let listener = UnixListener::bind(&path).expect("a socket");
    let service = started(start_with_socket(listener.into(), ""));
    assert_eq!(service.address, format!("unix:{}", path.display()));
    let stream = UnixStream::connect(&path).expect("a connection");
    assert_eq!(reply(stream, "/v1/lint", "", &json!({ "robots": "" })).0, 200);
    service.signal("-TERM");
    assert_eq!(service.ended().0, Some(0));
    assert!(path.exists(), "the socket of another program was removed");
}

#[cfg(unix)]
#[test]
fn passed_socket_that_other_machines_reach_requires_a_token() {
    let listener = std::net::TcpListener::bind("0.0.0.0:0").expect("a port");
    let output = start_with_socket(listener.into(), "").output().expect("a shell");
    let message = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{message}");
    assert!(message.contains("is reachable from other machines"), "{message}");
}

/// Starts a service, and fills its standard error, an unread pipe.
#[cfg(unix)]
fn with_full_log(flags: &str) -> Service {
    let service = Service::start(&format!("--listen 127.0.0.1:0 --log {flags}"));
    let mut stream = TcpStream::connect(service.host()).expect("a connection");
    let mut metrics = || {
        let batch = "GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n".repeat(500);
        let last = "GET /metrics HTTP/1.1\r\nhost: localhost\r\nx-request-id: last\r\n\r\n";
        let mut writer = stream.try_clone().expect("a second handle");
        let writing = std::thread::spawn(move || write!(writer, "{batch}{last}"));
        let mut text = String::new();
        let mut bytes = [0; 4096];
        while !text.contains("# TYPE comity_client_events_total counter\n") {
            let length = stream.read(&mut bytes).expect("an answer");
            assert_ne!(length, 0, "{text}");
            text.push_str(&String::from_utf8_lossy(&bytes[..length]));
        }
        writing.join().expect("a thread").expect("requests");
        text
    };
    loop {
        let text = metrics();
        let dropped = text.lines().find_map(|line| line.strip_prefix("comity_log_lines_dropped_total "));
        if dropped.is_some_and(|number| number != "0") {
            return service;
        }
    }
}

#[cfg(unix)]
#[test]
fn log_without_reader_delays_no_answer_and_sigterm_ends_the_service() {
    let mut service = with_full_log("");
    assert_eq!(service.ask("/v1/lint", &json!({ "robots": "" })).0, 200);
    service.signal("-TERM");
    assert_eq!(service.child.wait().expect("an end").code(), Some(0));
}

#[cfg(unix)]
#[test]
fn blocked_warning_after_sigterm_does_not_prevent_the_exit() {
    let mut service = with_full_log("--grace 0");
    let mut half = TcpStream::connect(service.host()).expect("a connection");
    half.write_all(
        b"POST /v1/lint HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
        content-length: 9\r\nexpect: 100-continue\r\n\r\n",
    )
    .expect("a head");
    // The service waits for the body.
    let mut told = [0; 12];
    half.read_exact(&mut told).expect("a status");
    assert_eq!(&told, b"HTTP/1.1 100");
    service.signal("-TERM");
    // The connection is closed, and the warning about it cannot be printed.
    assert_eq!(service.child.wait().expect("an end").code(), Some(2));
}

#[test]
fn address_in_use_is_an_error() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = taken.local_addr().expect("an address").to_string();
    let refused = comity("serve --listen").arg(&address).args(FLAGS).run().exits(2);
    assert!(refused.stderr.contains("cannot listen on"), "{}", refused.stderr);
}

#[cfg(unix)]
#[test]
fn page_is_opened_in_a_browser_or_its_address_is_printed() {
    use std::os::unix::fs::PermissionsExt;

    let folder = tempfile::tempdir().expect("a folder");
    let opener = folder.path().join("xdg-open");
    let start = |script: &str| {
        std::fs::write(&opener, format!("#!/bin/sh\n{script}\n")).expect("a script");
        std::fs::set_permissions(&opener, PermissionsExt::from_mode(0o755)).expect("a script that runs");
        let run = comity("serve --open --listen 127.0.0.1:0").args(FLAGS);
        Service::from(run.env("PATH", &folder.path().display().to_string()).command())
    };
    let address_file = folder.path().join("address");
    let service =
        start(&format!("echo \"$1\" > '{0}.new'; exec /bin/mv '{0}.new' '{0}'", address_file.display()));
    while !address_file.exists() {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    let opened = std::fs::read_to_string(&address_file).expect("an address");
    assert_eq!(opened.trim(), format!("{}/", service.address));
    service.signal("-TERM");
    let (code, warned) = service.ended();
    assert!(code == Some(0) && !warned.contains("browser"), "{warned}");
    let mut service = start("exit 3");
    let mut lines = BufReader::new(service.child.stderr.take().expect("standard error")).lines();
    let warned = lines.find(|line| line.as_ref().is_ok_and(|line| line.contains("browser")));
    let warned = warned.expect("a warning").expect("text");
    assert!(warned.ends_with(&format!("the page is at {}/", service.address)), "{warned}");
    assert_eq!(service.ask("/v1/lint", &json!({ "robots": "" })).0, 200);
    comity("serve --open --unix nowhere.sock").args(FLAGS).run().exits(2);
}
