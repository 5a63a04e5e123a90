//! A line of each format, and lines that are damaged.

use super::{LogLine, LogReader, LogRequest};

/// Returns the request in the last line: `address host target agent status bytes`.
fn shown(lines: &str) -> String {
    shown_by(&mut LogReader::new(), lines)
}

fn shown_by(reader: &mut LogReader, lines: &str) -> String {
    let mut last = String::new();
    for line in lines.lines() {
        last = match reader.read(line.as_bytes()) {
            LogLine::Request(request) => of_request(&request),
            LogLine::Nothing => "nothing".to_owned(),
            LogLine::Damaged => "damaged".to_owned(),
        };
    }
    last
}

fn of_request(request: &LogRequest<'_>) -> String {
    let text = |text: &[u8]| String::from_utf8_lossy(text).into_owned();
    let host = request.host.as_deref().map_or("-".to_owned(), text);
    let number = |number: Option<u64>| number.map_or("-".to_owned(), |number| number.to_string());
    assert_eq!(request.time_micros, 1_795_242_000_000_000, "21 November 2026, 06:20");
    format!(
        "{} {host} {} {} {} {}",
        text(&request.address),
        text(&request.target),
        text(&request.user_agent),
        number(request.status.map(u64::from)),
        number(request.bytes)
    )
}

#[test]
fn the_combined_format_is_read_with_and_without_a_host() {
    let rest =
        r#"[21/Nov/2026:06:20:00 +0000] "GET /a?b HTTP/1.1" 200 512 "https://example.com/" "GPTBot/1.2""#;
    for (front, expected) in [
        ("203.0.113.7 - -", "203.0.113.7 - /a?b GPTBot/1.2 200 512"),
        ("203.0.113.7 - some [one]", "203.0.113.7 - /a?b GPTBot/1.2 200 512"),
        ("2001:db8::7 - -", "2001:db8::7 - /a?b GPTBot/1.2 200 512"),
        ("example.com:443 203.0.113.7 - -", "203.0.113.7 example.com /a?b GPTBot/1.2 200 512"),
        ("example.com 2001:db8::7 - -", "2001:db8::7 example.com /a?b GPTBot/1.2 200 512"),
        ("crawl.example.net - -", "crawl.example.net - /a?b GPTBot/1.2 200 512"),
    ] {
        assert_eq!(shown(&format!("{front} {rest}")), expected);
    }
    let mut reader = LogReader::new();
    let line = format!("192.0.2.1 - - {rest} \"203.0.113.9, 192.0.2.2\"");
    let LogLine::Request(request) = reader.read(line.as_bytes()) else { panic!("a request") };
    assert_eq!(request.forwarded.as_deref(), Some(&b"203.0.113.9, 192.0.2.2"[..]));
}

#[test]
fn what_clients_send_in_quotation_marks_ends_no_field() {
    let line = r#"203.0.113.7 - - [21/Nov/2026:06:20:00 +0000] "GET /a\"b c HTTP/1.1" 200 - "-" "a \"quoted\" \x22agent\x22""#;
    assert_eq!(shown(line), r#"203.0.113.7 - /a"b c a "quoted" "agent" 200 -"#);
    assert_eq!(
        shown(r#"203.0.113.7 - - [21/Nov/2026:06:20:00 +0000] "\x16\x03\x01" 400 0 "-" "-""#),
        "nothing"
    );
    assert_eq!(shown(r#"203.0.113.7 - - [21/Nov/2026:06:20:00 +0000] "-" 408 0 "-" "-""#), "nothing");
    assert_eq!(
        shown(r#"203.0.113.7 - - [21/Nov/2026:06:20:00 +0000] "GET / HTTP/1.1" 200 0"#),
        "203.0.113.7 - /  200 0"
    );
}

#[test]
fn lines_of_load_balancers_are_read() {
    let line = "h2 2026-11-21T06:20:00.000000Z app/web/1 203.0.113.7:2817 10.0.0.1:80 0.0 0.1 0.0 200 200 34 512 \
                \"GET https://example.com:443/a?b HTTP/2.0\" \"GPTBot/1.2\" ECDHE TLSv1.2 arn \"Root=1\"";
    assert_eq!(shown(line), "203.0.113.7 example.com /a?b GPTBot/1.2 200 512");
}

#[test]
fn files_that_name_their_columns_are_read() {
    let iis = "#Software: Microsoft Internet Information Services 10.0\n#Fields: date time s-ip cs-method cs-uri-stem \
               cs-uri-query s-port cs-username c-ip cs(User-Agent) sc-status sc-bytes\n\
               2026-11-21 06:20:00 10.0.0.1 GET /a b 443 - 203.0.113.7 Mozilla/5.0+(compatible;+GPTBot/1.2) 200 512";
    assert_eq!(shown(iis), "203.0.113.7 - /a?b Mozilla/5.0 (compatible; GPTBot/1.2) 200 512");
    let cloudfront = "#Version: 1.0\n#Fields: date time x-edge-location sc-bytes c-ip cs-method cs(Host) cs-uri-stem sc-status \
                      cs(Referer) cs(User-Agent) cs-uri-query x-host-header\n\
                      2026-11-21\t06:20:00\tFRA2\t512\t203.0.113.7\tGET\td1.cloudfront.net\t/a\t200\t-\tMozilla/5.0%2520(GPTBot/1.2)\t-\texample.com";
    assert_eq!(shown(cloudfront), "203.0.113.7 example.com /a Mozilla/5.0 (GPTBot/1.2) 200 512");
    let other =
        format!("{iis}\n203.0.113.7 - - [21/Nov/2026:06:20:00 +0000] \"GET /x HTTP/1.1\" 200 1 \"-\" \"a\"");
    assert_eq!(shown(&other), "203.0.113.7 - /x a 200 1", "a line says itself what it is");
}

#[test]
fn objects_are_read_by_the_names_of_their_keys() {
    for line in [
        r#"{"level":"info","ts":1795242000.0,"logger":"http.log.access","request":{"remote_ip":"203.0.113.7","client_ip":"203.0.113.7","method":"GET","host":"example.com:443","uri":"/a?b","headers":{"User-Agent":["GPTBot/1.2"]}},"size":512,"status":200}"#,
        r#"{"ClientIP":"203.0.113.7","ClientRequestHost":"example.com","ClientRequestURI":"/a?b","ClientRequestUserAgent":"GPTBot/1.2","EdgeStartTimestamp":"2026-11-21T06:20:00Z","EdgeResponseStatus":200,"EdgeResponseBytes":512}"#,
        r#"{"ClientIP":"203.0.113.7","ClientRequestHost":"example.com","ClientRequestURI":"/a?b","ClientRequestUserAgent":"GPTBot/1.2","EdgeStartTimestamp":1795242000000000000,"EdgeResponseStatus":200,"EdgeResponseBytes":512}"#,
        r#"{"timestamp":"2026-11-21T06:20:00+0000","client_ip":"203.0.113.7","host":"example.com","url":"/a?b","request_user_agent":"GPTBot/1.2","response_status":"200","response_body_size":"512"}"#,
        r#"{"id":"1","timestamp":1795242000000,"proxy":{"timestamp":1795242000000,"host":"example.com","path":"/a?b","userAgent":["GPTBot/1.2"],"clientIp":"203.0.113.7","statusCode":200},"bytes":512}"#,
        r#"{"time_iso8601":"2026-11-21T06:20:00+00:00","remote_addr":"203.0.113.7","http_host":"example.com","request":"GET /a?b HTTP/1.1","status":"200","body_bytes_sent":"512","http_user_agent":"GPTBot/1.2"}"#,
    ] {
        let shown = shown(line);
        let shown = shown.replace(" - 512", " 200 512");
        assert_eq!(shown, "203.0.113.7 example.com /a?b GPTBot/1.2 200 512", "{line}");
    }
}

#[test]
fn a_format_of_ones_own_is_read() {
    for (format, line) in [
        (
            r#"$host $remote_addr [$time_local] "$request" $status $body_bytes_sent "$http_user_agent" $request_time"#,
            r#"example.com 203.0.113.7 [21/Nov/2026:06:20:00 +0000] "GET /a?b HTTP/1.1" 200 512 "GPTBot/1.2" 0.1"#,
        ),
        (
            r#"%v %h %l %u %t "%r" %>s %b "%{Referer}i" "%{User-Agent}i""#,
            r#"example.com 203.0.113.7 - - [21/Nov/2026:06:20:00 +0000] "GET /a?b HTTP/1.1" 200 512 "-" "GPTBot/1.2""#,
        ),
        (
            r"%t|%a|%V|%U%q|%s|%B|%{user-agent}i",
            r"[21/Nov/2026:06:20:00 +0000]|203.0.113.7|example.com|/a?b|200|512|GPTBot/1.2",
        ),
        (
            r#"%v %h %t %m %U%q %>s %b "%{User-Agent}i""#,
            r#"example.com 203.0.113.7 [21/Nov/2026:06:20:00 +0000] GET /a?b 200 512 "GPTBot/1.2""#,
        ),
        (
            r#"$time_local $status $body_bytes_sent $host $remote_addr "$request" "$http_user_agent""#,
            r#"21/Nov/2026:06:20:00 +0000 200 512 example.com 203.0.113.7 "GET /a?b HTTP/1.1" "GPTBot/1.2""#,
        ),
        (
            r#"$msec $status $body_bytes_sent $host $remote_addr "$request" "$http_user_agent""#,
            r#"1795242000.000 200 512 example.com 203.0.113.7 "GET /a?b HTTP/1.1" "GPTBot/1.2""#,
        ),
    ] {
        let reader = LogReader::with_template(format);
        assert_eq!(
            shown_by(&mut reader.unwrap(), line),
            "203.0.113.7 example.com /a?b GPTBot/1.2 200 512",
            "{format}"
        );
    }
    for (format, problem) in [
        ("%h %t %r", "User-Agent"),
        ("$remote_addr $request $http_user_agent", "time"),
        ("%h%u", "nothing between"),
    ] {
        assert!(LogReader::with_template(format).unwrap_err().to_string().contains(problem), "{format}");
    }
}

#[test]
fn what_is_in_no_format_is_damaged_and_nothing_else() {
    let deep = format!("{}{}", "{\"request\":".repeat(20_000), "}".repeat(20_000));
    let brackets = "[".repeat(60_000);
    for line in [
        "hello",
        "{",
        "{}",
        "[",
        "] \" [",
        "h2",
        "a [21/Nov/2026:06:20:00 +0000]",
        "a [21/Nov/2026:06:20:00 +0000] \"x",
        &deep,
        &brackets,
    ] {
        assert_eq!(shown(line), "damaged", "{}", &line[..line.len().min(40)]);
    }
    for line in ["  ", "# a comment", "#Fields:"] {
        assert_eq!(shown(line), "nothing", "{line}");
    }
}

/// Changes, removes and repeats bytes in lines of every format: no line causes a panic, and the result is bounded.
#[test]
fn damaged_lines_of_every_format_are_read_or_refused() {
    let lines: [&[u8]; 6] = [
        br#"example.com:443 203.0.113.7 - - [21/Nov/2026:06:20:00 +0000] "GET /a?b HTTP/1.1" 200 512 "-" "GPTBot/1.2" "1.2.3.4""#,
        br#"h2 2026-11-21T06:20:00Z app/web/1 203.0.113.7:2817 10.0.0.1:80 0.0 0.1 0.0 200 200 34 512 "GET https://a:443/b HTTP/2.0" "a""#,
        b"#Fields: date time c-ip cs-uri-stem cs(User-Agent) sc-status cs(Host)",
        b"2026-11-21\t06:20:00\t203.0.113.7\t/a\tx%2520y\t200\ta:80",
        br#"{"ts":1795242000.5,"request":{"remote_ip":"203.0.113.7","host":"a:1","uri":"http://b/c","headers":{"User-Agent":["a"]}}}"#,
        br#"{"time":"21/Nov/2026:06:20:00 +0000","remote_addr":"::1","request":"GET / HTTP/1.1","user_agent":"\u0000"}"#,
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
                assert!(request.target.len() <= 2 * line.len() && request.user_agent.len() <= line.len());
                found += 1;
            }
        }
    }
    assert!(found > 10_000, "{found}");
}

/// Returns the signature in a line: method, authority, TLS, and the fields.
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
fn signatures_are_read_where_a_log_has_them() {
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
        // Cloudflare logs the fields that its user selected.
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
        // A dash stands for a field that was not sent.
        let unsigned = line.split("\"sig1=").next().unwrap().to_owned() + r#""-" "-" "-" https"#;
        let unsigned = if tls == "?" { unsigned.trim_end_matches(" https").to_owned() } else { unsigned };
        assert_eq!(signed(&mut reader, &unsigned), "not signed");
    }
}
