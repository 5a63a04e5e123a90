//! Tests of damaged lines, hostile lines and signatures. The cases of the formats are in `conformance/logs/`.

use std::fmt::Write as _;

use super::{LogLine, LogReader};

fn is_damaged(line: &str) -> bool {
    LogReader::new().read(line.as_bytes()) == LogLine::Damaged
}

#[test]
fn line_in_an_unknown_format_is_damaged() {
    let deep = format!("{}{}", "{\"request\":".repeat(20_000), "}".repeat(20_000));
    let array = format!("{{\"request\":{}{}}}", "[".repeat(10_000), "]".repeat(10_000));
    let mut wrapped = "hello".to_owned();
    for _ in 0..10 {
        wrapped = serde_json::json!({ "log": wrapped }).to_string();
    }
    let mut keys = String::from("{\"a\":1");
    for number in 0..5_000 {
        let _ = write!(keys, ",\"uri{number}\":\"/\"");
    }
    keys.push('}');
    let brackets = "[".repeat(60_000);
    let words = "Nov 21 06:20:00 ".repeat(4_000);
    let bars = "a | ".repeat(15_000);
    for line in [
        "hello",
        "{",
        "{}",
        "[",
        "] \" [",
        "h2",
        "<1>",
        "<190>1 a b c d e",
        "a [21/Nov/2026:06:20:00 +0000]",
        "a [21/Nov/2026:06:20:00 +0000] \"x",
        "\0\0\0",
        &deep,
        &array,
        &wrapped,
        &keys,
        &brackets,
        &words,
        &bars,
    ] {
        assert!(is_damaged(line), "{}", &line[..line.len().min(40)]);
    }
    for line in ["  ", "# a comment", "#Fields:"] {
        assert_eq!(LogReader::new().read(line.as_bytes()), LogLine::Nothing, "{line}");
    }
}

#[test]
fn line_with_a_number_that_is_too_large_is_damaged() {
    let line = |status: &str, bytes: &str| {
        format!(
            "203.0.113.7 - - [21/Nov/2026:06:20:00 +0000] \"GET / HTTP/1.1\" {status} {bytes} \"-\" \"a\""
        )
    };
    assert!(!is_damaged(&line("200", "18446744073709551615")));
    for (status, bytes) in
        [("200", "99999999999999999999"), ("99999999999", "1"), ("1000", "1"), ("200", "1e3")]
    {
        assert!(is_damaged(&line(status, bytes)), "{status} {bytes}");
    }
    for time in ["99999999999999999999", "1e400", "-1", "1795242000.", "true", "{}"] {
        let line =
            format!("{{\"time\":{time},\"remote_addr\":\"203.0.113.7\",\"uri\":\"/\",\"status\":200}}");
        assert!(is_damaged(&line), "{time}");
    }
}

/// Random combinations of prefixes are removed, make the line damaged, or make the peer a list of addresses.
#[test]
fn prefix_never_changes_the_target_or_status_of_its_line() {
    let line = "203.0.113.7 - - [21/Nov/2026:06:20:00 +0000] \"GET /a HTTP/1.1\" 200 1 \"-\" \"CCBot/2.0\"";
    let words = [
        "Nov",
        "21",
        "06:20:00",
        "web1",
        "nginx:",
        "10.0.0.1",
        "|",
        "stdout",
        "F",
        "<190>",
        "1",
        "{}",
        "[pod/a/b]",
        "2026-11-21T06:20:00Z",
        "example.com:443",
        "-",
        ",",
        "10.0.0.2,",
        "localhost",
        "\"",
        "Sat",
        "h2",
    ];
    let mut random = fastrand::Rng::with_seed(11);
    let (mut reader, mut read) = (LogReader::new(), 0);
    for _ in 0..40_000 {
        let count = random.usize(..6);
        let prefix: String = (0..count).map(|_| format!("{} ", words[random.usize(..words.len())])).collect();
        let whole = format!("{prefix}{line}");
        let LogLine::Request(request) = reader.read(whole.as_bytes()) else { continue };
        read += 1;
        let is_list = request.peer.is_none() && request.forwarded.len() == 1;
        assert!(request.peer == "203.0.113.7".parse().ok() || is_list, "{prefix}: {request:?}");
        assert_eq!((&*request.target, request.status), (&b"/a"[..], Some(200)), "{prefix}");
    }
    assert!(read > 2_000, "{read}");
}

/// Changes, removes and repeats bytes in lines of several formats. No line causes a panic or a large result.
#[test]
fn mutated_lines_give_bounded_requests_or_damage() {
    let lines: [&[u8]; 8] = [
        br#"example.com:443 203.0.113.7 - - [21/Nov/2026:06:20:00 +0000] "GET /a?b HTTP/1.1" 200 512 "-" "GPTBot/1.2" "1.2.3.4""#,
        br#"h2 2026-11-21T06:20:00Z app/web/1 203.0.113.7:2817 10.0.0.1:80 0.0 0.1 0.0 200 200 34 512 "GET https://a:443/b HTTP/2.0" "a""#,
        b"#Fields: date time c-ip cs-uri-stem cs(User-Agent) sc-status cs(Host)",
        b"2026-11-21\t06:20:00\t203.0.113.7\t/a\tx%2520y\t200\ta:80",
        br#"{"ts":1795242000.5,"request":{"remote_ip":"203.0.113.7","host":"a:1","uri":"http://b/c","headers":{"User-Agent":["a"]}}}"#,
        br#"{"time":"21/Nov/2026:06:20:00 +0000","remote_addr":"::1","request":"GET / HTTP/1.1","user_agent":"\u0000"}"#,
        br#"<134>Nov 21 06:20:00 a b[1]: 1.2.3.4:5 [21/Nov/2026:06:20:00.655] f~ b/s 1/0/3/6/9 200 512 - - ---- 1/1 0/0 {a|b} {} "GET / HTTP/1.1""#,
        br#"79a59df900b949e55d96 b [21/Nov/2026:06:20:00 +0000] 1.2.3.4 - 3E REST.GET.OBJECT a "GET /a HTTP/1.1" 200 - 5 5 7 1 "-" "u" -"#,
    ];
    let mut random = fastrand::Rng::with_seed(7);
    let mut readers = [
        LogReader::new(),
        LogReader::with_template(r#"%h %t "%r" %{X-Forwarded-For}i "%{User-Agent}i""#).unwrap(),
    ];
    let mut found = 0;
    for round in 0..60_000 {
        let mut line = lines[round % lines.len()].to_vec();
        for _ in 0..random.usize(..4) {
            let at = random.usize(..line.len());
            match random.u8(..4) {
                0 => line[at] = random.u8(..),
                1 => line.truncate(at.max(1)),
                2 => line.insert(at, b"\"\\[]% \t:/{}"[random.usize(..11)]),
                _ => line.extend_from_within(at..),
            }
        }
        for reader in &mut readers {
            if let LogLine::Request(request) = reader.read(&line) {
                let agent = request.user_agent.unwrap_or_default();
                assert!(request.target.len() <= 2 * line.len() && agent.len() <= line.len());
                found += 1;
            }
        }
    }
    assert!(found > 10_000, "{found}");
}

/// Returns the signature in a line as text: method, authority, TLS, and the header fields.
fn signed(reader: &mut LogReader, line: &str) -> String {
    let LogLine::Request(request) = reader.read(line.as_bytes()) else { return "nothing".to_owned() };
    let Some(signature) = request.signature else { return "not signed".to_owned() };
    let text = |text: Option<&str>| text.unwrap_or("?").to_owned();
    let tls = signature.is_tls.map_or("?".to_owned(), |is_tls| is_tls.to_string());
    let mut parts = vec![text(signature.method.as_deref()), text(signature.authority.as_deref()), tls];
    let fields = signature.fields.iter();
    parts.extend(fields.map(|(name, value)| format!("{name}={}", String::from_utf8_lossy(value))));
    parts.join(" | ")
}

#[test]
fn signatures_are_found_in_json_and_custom_formats() {
    let all = r#"signature-agent=sig1="https://bot.example" | signature-input=sig1=("@method") | signature=sig1=:AA==:"#;
    for (line, expected) in [
        // Caddy logs all header fields and the TLS parameters.
        (
            r#"{"ts":1795242000.0,"request":{"remote_ip":"203.0.113.7","proto":"HTTP/2.0","method":"GET","host":"example.com:8443","uri":"/a","headers":{"User-Agent":["a"],"Signature":["sig1=:AA==:"],"Accept":["x","y"]},"tls":{"version":772}},"size":1,"status":403}"#,
            "GET | example.com:8443 | true | Accept=x | Accept=y | Signature=sig1=:AA==: | User-Agent=a"
                .to_owned(),
        ),
        (
            r#"{"ts":1795242000.0,"request":{"remote_ip":"203.0.113.7","method":"GET","host":"a","uri":"/","headers":{"User-Agent":["a"]}},"status":403}"#,
            "not signed".to_owned(),
        ),
        // Cloudflare logs the header fields that the user selected.
        (
            r#"{"ClientIP":"203.0.113.7","ClientRequestHost":"example.com","ClientRequestMethod":"HEAD","ClientRequestScheme":"https","ClientRequestURI":"/a","ClientRequestUserAgent":"a","EdgeStartTimestamp":"2026-11-21T06:20:00Z","EdgeResponseStatus":429,"RequestHeaders":{"signature-agent":"sig1=\"https://bot.example\""}}"#,
            r#"HEAD | example.com | true | signature-agent=sig1="https://bot.example""#.to_owned(),
        ),
        // nginx, with its variables.
        (
            r#"{"time_iso8601":"2026-11-21T06:20:00+00:00","remote_addr":"203.0.113.7","http_host":"example.com","scheme":"http","request":"POST /a?b HTTP/1.1","status":"200","http_user_agent":"a","http_signature_agent":"sig1=\"https://bot.example\"","http_signature_input":"sig1=(\"@method\")","http_signature":"sig1=:AA==:"}"#,
            format!("POST | example.com | false | {all}"),
        ),
        (
            r#"{"time_iso8601":"2026-11-21T06:20:00+00:00","remote_addr":"203.0.113.7","request":"GET / HTTP/1.1","http_user_agent":"a","http_signature_agent":"-","http_signature":""}"#,
            "not signed".to_owned(),
        ),
    ] {
        assert_eq!(signed(&mut LogReader::new(), line), expected, "{line}");
    }
    for (format, line) in [
        (
            r#"$http_host $remote_addr [$time_local] "$request" "$http_user_agent" "$http_signature_agent" "$http_signature_input" "$http_signature" $scheme"#,
            r#"example.com 203.0.113.7 [21/Nov/2026:06:20:00 +0000] "PUT /a HTTP/1.1" "a" "sig1=\x22https://bot.example\x22" "sig1=(\x22@method\x22)" "sig1=:AA==:" https"#,
        ),
        (
            r#"%V %h %t "%m %U%q" "%{User-Agent}i" "%{Signature-Agent}i" "%{Signature-Input}i" "%{Signature}i""#,
            r#"example.com 203.0.113.7 [21/Nov/2026:06:20:00 +0000] "PUT /a?b" "a" "sig1=\"https://bot.example\"" "sig1=(\"@method\")" "sig1=:AA==:""#,
        ),
    ] {
        let tls = if format.contains("scheme") { "true" } else { "?" };
        let mut reader = LogReader::with_template(format).unwrap();
        assert_eq!(signed(&mut reader, line), format!("PUT | example.com | {tls} | {all}"), "{format}");
        // A dash means that the field was not sent.
        let unsigned = line.split("\"sig1=").next().unwrap().to_owned() + r#""-" "-" "-" https"#;
        let unsigned = if tls == "?" { unsigned.trim_end_matches(" https").to_owned() } else { unsigned };
        assert_eq!(signed(&mut reader, &unsigned), "not signed");
    }
}
