//! Tests of name resolution: a name is resolved once, all its addresses are checked, and only these addresses are
//! dialled. Also tests of the data in a refusal.

use std::io;
use std::net::IpAddr;
use std::time::Duration;

use comity_client::BoxFuture;
use comity_client::guard::{Guard, RefusalReason, ResolveError, Resolver};

use super::Script;

const PUBLIC: &str = "93.184.216.34";
const METADATA: &str = "169.254.169.254";

fn reason(error: &ResolveError) -> RefusalReason {
    match error {
        ResolveError::Refused(refusal) => refusal.reason(),
        other => panic!("{other}"),
    }
}

#[tokio::test(start_paused = true)]
async fn name_that_changes_to_a_private_address_is_never_dialled() {
    let script = Script::of(&[&[PUBLIC], &[METADATA], &[PUBLIC, "127.0.0.1"]]);
    let guard = Guard::new().with_resolver(script.clone());

    // The connection uses the addresses that were checked before the request.
    let checked = guard.resolve("rebind.example", 80).await.unwrap();
    let dialled = guard.clone().resolve("Rebind.Example", 80).await.unwrap();
    assert_eq!(checked, [format!("{PUBLIC}:80").parse().unwrap()]);
    assert_eq!(dialled, checked);
    assert_eq!(script.asked(), ["rebind.example"]);

    // After a minute, for example after a long wait for the pace, the name is resolved again, and the new addresses are
    // checked.
    tokio::time::advance(Duration::from_secs(61)).await;
    let error = guard.resolve("rebind.example", 80).await.unwrap_err();
    assert_eq!(reason(&error), RefusalReason::Metadata);
    assert_eq!(
        guard.resolve("rebind.example", 80).await.unwrap_err(),
        error,
        "the refusal is cached as well"
    );
    assert_eq!(script.asked().len(), 2);

    tokio::time::advance(Duration::from_secs(61)).await;
    let error = guard.resolve("rebind.example", 80).await.unwrap_err();
    assert_eq!(reason(&error), RefusalReason::Loopback);
    assert_eq!(script.asked().len(), 3);
}

#[tokio::test]
async fn thousand_tasks_send_one_query() {
    let script = Script::of(&[&[PUBLIC]]);
    let guard = Guard::new().with_resolver(script.clone());
    let tasks = (0..1000).map(|_| {
        let guard = guard.clone();
        tokio::spawn(async move { guard.resolve("busy.example", 443).await.map(|it| it.len()) })
    });
    for task in tasks.collect::<Vec<_>>() {
        assert_eq!(task.await.unwrap(), Ok(1));
    }
    assert_eq!(script.asked().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn failed_query_is_cached_for_two_seconds() {
    let script = Script::default();
    let guard = Guard::new().with_resolver(script.clone());
    let gone = ResolveError::NotFound("gone.example".to_owned());
    assert_eq!(guard.resolve("gone.example", 80).await, Err(gone.clone()));
    assert_eq!(guard.resolve("gone.example", 80).await, Err(gone.clone()));
    assert_eq!(script.asked().len(), 1);
    tokio::time::advance(Duration::from_secs(3)).await;
    assert_eq!(guard.resolve("gone.example", 80).await, Err(gone));
    assert_eq!(script.asked().len(), 2);
}

#[tokio::test]
async fn changed_policy_clears_cached_resolutions() {
    let script = Script::of(&[&["10.0.0.7"]]);
    let strict = Guard::new().with_resolver(script.clone());
    assert_eq!(reason(&strict.resolve("wiki.example", 80).await.unwrap_err()), RefusalReason::Private);
    let intranet = strict.clone().allow_address("10.0.0.0/8".parse().unwrap());
    assert_eq!(intranet.resolve("wiki.example", 80).await.unwrap(), ["10.0.0.7:80".parse().unwrap()]);
    assert!(strict.resolve("wiki.example", 80).await.is_err(), "the original guard is unchanged");
}

#[tokio::test]
async fn cached_names_are_bounded() {
    let guard = Guard::new().with_resolver(Script::of(&[&[PUBLIC]]));
    for number in 0..20_000 {
        guard.resolve(&format!("h{number}.example"), 80).await.unwrap();
    }
    let debug = format!("{guard:?}");
    let kept = debug.split("names: ").nth(1).and_then(|rest| rest.split(' ').next()).unwrap();
    assert!((1000..=4096).contains(&kept.parse::<usize>().unwrap()), "{kept}");
}

#[derive(Debug)]
struct Failing(Option<io::ErrorKind>);

impl Resolver for Failing {
    fn resolve<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Result<Vec<IpAddr>, io::Error>> {
        Box::pin(async move {
            match self.0 {
                Some(kind) => Err(io::Error::new(kind, "SERVFAIL")),
                None => std::future::pending().await,
            }
        })
    }
}

#[tokio::test(start_paused = true)]
async fn failed_and_silent_resolvers_have_different_errors() {
    let resolve = async |kind| {
        let guard = Guard::new().with_resolver(Failing(kind)).with_timeout(Duration::from_secs(5));
        let begun = tokio::time::Instant::now();
        (guard.resolve("x.example", 80).await.unwrap_err(), begun.elapsed().as_secs())
    };
    let (error, _) = resolve(Some(io::ErrorKind::InvalidData)).await;
    assert_eq!(error.to_string(), "no address for `x.example`: SERVFAIL");
    let (error, _) = resolve(Some(io::ErrorKind::Other)).await;
    assert_eq!(error.to_string(), "no name server answers for `x.example`: SERVFAIL");
    let (error, _) = resolve(Some(io::ErrorKind::NotFound)).await;
    assert_eq!(error.to_string(), "`x.example` has no address; check its spelling");
    assert_eq!(resolve(Some(io::ErrorKind::TimedOut)).await, (ResolveError::Timeout, 0));
    assert_eq!(resolve(None).await, (ResolveError::Timeout, 5));
}

#[tokio::test(start_paused = true)]
async fn cancelled_lookup_is_continued_by_the_next_task() {
    let guard = Guard::new().with_resolver(Failing(None));
    let first = tokio::time::timeout(Duration::from_secs(1), guard.resolve("slow.example", 80)).await;
    assert!(first.is_err());
    assert_eq!(guard.resolve("slow.example", 80).await, Err(ResolveError::Timeout));
}

#[tokio::test]
async fn system_resolver_returns_loopback_for_localhost() {
    // The system's resolver parses an address without the hosts file. Only `localhost` is in every hosts file.
    let resolver = comity_client::guard::SystemResolver;
    assert_eq!(resolver.resolve("127.0.0.1").await.unwrap(), ["127.0.0.1".parse::<IpAddr>().unwrap()]);
    let localhost = resolver.resolve("localhost").await.unwrap();
    assert!(!localhost.is_empty() && localhost.iter().all(IpAddr::is_loopback), "{localhost:?}");
}

#[tokio::test]
async fn names_with_empty_labels_are_refused() {
    let guard = Guard::allow_everything().with_resolver(Script::of(&[&["192.0.2.1"]]));
    for host in ["localhost..", "example.com..", "a..example", ".example", ".", "127.0.0.1.."] {
        let url = format!("http://{host}/").parse().unwrap();
        assert_eq!(guard.check_url(&url).unwrap_err().reason(), RefusalReason::InvalidHost, "{host}");
        let resolved = guard.resolve(host, 80).await;
        assert!(
            matches!(&resolved, Err(ResolveError::Refused(refusal)) if refusal.reason() == RefusalReason::InvalidHost),
            "{host}: {resolved:?}"
        );
    }
    assert_eq!(
        guard.resolve("example.com.", 80).await.unwrap().len(),
        1,
        "one final dot marks a complete name"
    );
    assert_eq!(guard.resolve("localhost.", 80).await.unwrap().len(), 2);
}

#[tokio::test]
async fn guard_allowing_everything_refuses_other_schemes() {
    let guard = Guard::allow_everything().with_resolver(Script::of(&[&[METADATA, "::ffff:127.0.0.1"]]));
    for url in
        ["http://127.0.0.1:22/", "http://a:b@metadata.google.internal/", "http://localhost/", "http://[::1]/"]
    {
        assert_eq!(guard.check_url(&url.parse().unwrap()), Ok(()), "{url}");
    }
    assert_eq!(guard.check_url(&"file:///x".parse().unwrap()).unwrap_err().reason(), RefusalReason::Scheme);
    assert_eq!(guard.resolve("x.example", 80).await.unwrap().len(), 2);
    assert_eq!(guard.resolve("localhost", 80).await.unwrap().len(), 2);
}

#[test]
fn allowed_ports_and_credentials_pass() {
    let (port, credentials) =
        ("http://example.com:22/".parse().unwrap(), "http://a:b@example.com/".parse().unwrap());
    let guard = Guard::new().allow_port(22);
    assert!(guard.check_url(&port).is_ok());
    let ranged = Guard::new().on_web_ports().allow_ports(8000..=8100);
    let is_allowed =
        |port: u16| ranged.check_url(&format!("http://example.com:{port}/").parse().unwrap()).is_ok();
    assert_eq!([80, 443, 7999, 8000, 8100, 8101].map(is_allowed), [true, true, false, true, true, false]);
    assert_eq!(guard.check_url(&credentials).unwrap_err().reason(), RefusalReason::Credentials);
    assert!(guard.allow_credentials().check_url(&credentials).is_ok());
    assert!(Guard::new().check_proxy(&credentials).is_ok(), "a proxy may require them");
    assert!(Guard::new().check_proxy(&"http://a:b@10.0.0.1:3128/".parse().unwrap()).is_err());
    assert!(Guard::new().check_proxy(&"socks5://example.com/".parse().unwrap()).is_err());
}

#[test]
fn refusal_names_the_host_and_the_reason() {
    let guard = Guard::new();
    let text = |url: &str| guard.check_url(&url.parse().unwrap()).unwrap_err().to_string();
    assert_eq!(
        text("http://0x7f.1/"),
        "`127.0.0.1` is not dialled: 127.0.0.1 is loopback (127.0.0.0/8, RFC 1122 §3.2.1.3: loopback)"
    );
    assert_eq!(
        text("http://[2002:a9fe:a9fe::1]/"),
        "`[2002:a9fe:a9fe::1]` is not dialled: 2002:a9fe:a9fe::1 embeds 169.254.169.254 (6to4), a cloud's metadata \
         service (169.254.169.254/32, the clouds' documentation: metadata of AWS, Azure, Google Cloud and most others)"
    );
    assert_eq!(
        text("http://metadata.google.internal/"),
        "`metadata.google.internal` is not dialled: it is a cloud's metadata service"
    );
    assert_eq!(
        text("file:///etc/passwd"),
        "`file` URLs are not fetched; the guard allows `http` and `https`"
    );
    assert!(text("http://example.com:25/").starts_with("port 25 of `example.com` is refused"));
    let secret = text("http://me:hunter2@example.com/");
    assert!(
        secret.contains("`example.com`") && !secret.contains("hunter2") && !secret.contains("me:"),
        "{secret}"
    );
}

#[test]
fn refusal_as_json_has_stable_names() {
    let json = |url: &str| {
        let refusal = Guard::new().check_url(&url.parse().unwrap()).unwrap_err();
        serde_json::to_value(refusal).unwrap()
    };
    assert_eq!(
        json("http://[::ffff:127.0.0.1]/"),
        serde_json::json!({
            "reason": "embedded",
            "host": "[::ffff:7f00:1]",
            "address": "::ffff:127.0.0.1",
            "embedded": { "form": "mapped", "address": "127.0.0.1", "reason": "loopback" },
            "network": "127.0.0.0/8",
            "network_name": "loopback",
            "source": "RFC 1122 §3.2.1.3",
        })
    );
    assert_eq!(json("file:///x"), serde_json::json!({ "reason": "scheme", "host": "", "scheme": "file" }));
    assert_eq!(
        json("http://a.example:25/"),
        serde_json::json!({ "reason": "port", "host": "a.example", "port": 25 })
    );
    for reason in RefusalReason::ALL {
        assert_eq!(serde_json::to_value(reason).unwrap(), reason.as_str());
    }
}
