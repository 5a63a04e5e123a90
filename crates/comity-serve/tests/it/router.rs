//! The service as a part of another axum program.

use std::net::SocketAddr;

use comity_serve::axum::Router;
use comity_serve::axum::body::Body;
use comity_serve::axum::extract::ConnectInfo;
use comity_serve::{Service, ServiceOptions};
use http::{Request, StatusCode};
use http_body_util::BodyExt;
use serde_json::{Value, json};
use testkit::servers::{Origin, Reply};
use tower_service::Service as _;

use super::builder;

fn app(site: &Origin) -> Router {
    let options = super::usual_options().names(vec!["app.example".to_owned()]);
    let service = Service::new(builder(&[site]).build().unwrap(), options);
    Router::new().nest_service("/comity", service.into_router())
}

async fn ask(app: &mut Router, host: &str, url: &str) -> (StatusCode, Value) {
    let question = json!({ "agents": ["ExampleBot"], "urls": [url] });
    let mut request = Request::post("/comity/v1/check")
        .header("host", host)
        .header("content-type", "application/json")
        .body(Body::from(question.to_string()))
        .unwrap();
    request.extensions_mut().insert(ConnectInfo(SocketAddr::from(([192, 0, 2, 1], 4_000))));
    let (parts, body) = app.call(request).await.unwrap().into_parts();
    let body = body.collect().await.unwrap().to_bytes();
    (parts.status, serde_json::from_slice(&body).unwrap())
}

#[tokio::test]
async fn nested_router_answers_below_its_prefix() {
    let site = Origin::start();
    site.on("/robots.txt", Reply::ok("User-agent: *\nDisallow: /private\n"));
    let mut app = app(&site);
    let (status, answer) = ask(&mut app, "app.example", &site.url("/private")).await;
    assert_eq!(
        (status, &answer["rows"][0]["verdict"]),
        (StatusCode::OK, &json!("disallowed_explicit")),
        "{answer}"
    );

    let (status, problem) = ask(&mut app, "attacker.example", &site.url("/page")).await;
    assert_eq!(status, StatusCode::MISDIRECTED_REQUEST, "{problem}");
    assert!(problem["detail"].as_str().unwrap().contains("`ServiceOptions::names`"), "{problem}");
}

#[tokio::test]
async fn router_without_addresses_of_callers_answers() {
    let service = Service::new(builder(&[]).build().unwrap(), ServiceOptions::default());
    let request = Request::get("/openapi.json").header("host", "localhost").body(Body::empty()).unwrap();
    let answer = service.into_router().call(request).await.unwrap();
    assert_eq!(answer.status(), StatusCode::OK);
}

#[tokio::test]
async fn request_to_a_service_with_a_drained_client_is_repeated_later() {
    let client = builder(&[]).build().unwrap();
    client.drain().await;
    let mut router = Service::new(client, super::usual_options()).into_router();
    let request = Request::post("/v1/admit")
        .header("host", "localhost")
        .header("content-type", "application/json")
        .body(Body::from(json!({ "url": "https://site.example/" }).to_string()))
        .unwrap();
    let answer = router.call(request).await.unwrap();
    assert_eq!(answer.status(), StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(answer.headers()["retry-after"], "60");
}
