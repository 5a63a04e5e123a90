//! Access control: requests with foreign hostnames, from pages of other sites, from forms, and without a valid token.

use http::{Method, StatusCode};
use http_body_util::Full;
use serde_json::json;

use crate::{Reply, Served, builder, serve, serving, usual_options};

const QUESTION: &str = r#"{"robots":"","agents":["a"],"urls":["/"]}"#;

/// Sends a request. `fields` are added to the default header fields, or replace fields of equal names.
async fn ask(served: &Served, path: &str, fields: &[(&str, &str)]) -> Reply {
    let is_get = path != "/v1/check";
    let mut request =
        http::Request::builder().method(if is_get { Method::GET } else { Method::POST }).uri(path);
    let usual = [("host", served.address.to_string()), ("content-type", "application/json".to_owned())];
    for (name, value) in &usual {
        if !fields.iter().any(|(other, _)| other == name) {
            request = request.header(*name, value);
        }
    }
    for (name, value) in fields {
        request = request.header(*name, *value);
    }
    served.send(request.body(if is_get { Full::default() } else { Full::from(QUESTION) }).unwrap()).await
}

#[tokio::test]
async fn request_for_a_foreign_host_is_refused() {
    let served = serving(&[]).await;
    for path in [
        "/v1/check",
        "/v1/robots?origin=https://example.com",
        "/metrics",
        "/openapi.json",
        "/healthz",
        "/x",
        "/",
    ] {
        // Some of these addresses reach this machine. Browsers send `Sec-Fetch-Site` only to addresses that they treat
        // as loopback.
        for host in [
            "evil.example",
            "evil.example:80",
            "localhost.evil.example",
            "",
            "0.0.0.0",
            "0.0.0.0:7273",
            "[::]:7273",
            "[::ffff:127.0.0.1]:7273",
            "[::ffff:0.0.0.0]",
            "192.0.2.1",
            "10.0.0.1:7273",
            "0",
        ] {
            ask(&served, path, &[("host", host)]).await.problem(421, "foreign_host");
        }
    }
    for own in ["localhost", "LOCALHOST.:80", "127.0.0.1", "127.0.0.2:1", "[::1]:1"] {
        assert_eq!(ask(&served, "/v1/check", &[("host", own)]).await.status, StatusCode::OK, "{own}");
    }
}

#[tokio::test]
async fn page_of_another_site_cannot_send_questions() {
    let served = serving(&[]).await;
    for path in ["/v1/check", "/v1/robots?origin=https://example.com", "/metrics"] {
        for origin in ["https://evil.example", "null", "http://localhost:1"] {
            ask(&served, path, &[("origin", origin)]).await.problem(403, "foreign_origin");
        }
        ask(&served, path, &[("sec-fetch-site", "cross-site")]).await.problem(403, "foreign_origin");
    }
    let own = format!("http://{}", served.address);
    assert_eq!(ask(&served, "/v1/check", &[("origin", &own)]).await.status, StatusCode::OK);
}

#[tokio::test]
async fn media_types_of_html_forms_are_refused() {
    let served = serving(&[]).await;
    for media_type in [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "",
        "text/plain; application/json",
    ] {
        ask(&served, "/v1/check", &[("content-type", media_type)]).await.problem(415, "wrong_media_type");
    }
    let with_charset =
        ask(&served, "/v1/check", &[("content-type", "Application/JSON; charset=utf-8")]).await;
    assert_eq!(with_charset.status, StatusCode::OK);
    // The answer to a preflight request of a browser allows no request.
    let preflight =
        served.request(Method::OPTIONS, "/v1/check").header("access-control-request-method", "POST");
    let reply = served.send(preflight.body(Full::default()).unwrap()).await;
    reply.problem(405, "wrong_method");
    assert!(!reply.headers.keys().any(|name| name.as_str().starts_with("access-control")));
}

#[tokio::test]
async fn request_without_a_valid_token_is_refused() {
    let tokens = vec!["first-of-the-tokens".to_owned(), "second-of-the-tokens".to_owned()];
    let served = serve(builder(&[]), usual_options().tokens(tokens)).await;
    for path in ["/v1/check", "/v1/robots?origin=https://example.com", "/metrics", "/openapi.json"] {
        for fields in
            [&[][..], &[("authorization", "Bearer wrong")], &[("authorization", "Basic first-of-the-tokens")]]
        {
            let reply = ask(&served, path, fields).await;
            reply.problem(401, "no_token");
            assert_eq!(reply.headers["www-authenticate"], "Bearer");
        }
    }
    let reply = ask(
        &served,
        "/v1/check",
        &[("authorization", "Bearer second-of-the-tokens"), ("host", "comity.internal")],
    )
    .await;
    assert_eq!(reply.status, StatusCode::OK);
    for path in ["/healthz", "/readyz"] {
        assert_eq!(ask(&served, path, &[]).await.status, StatusCode::OK);
    }
    served.post("/v1/check", &json!({})).await.problem(401, "no_token");
}
