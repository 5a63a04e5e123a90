//! Crawlers that a user adds to the catalogue. A process can extend the catalogue only once, so this test is a separate
//! program.

mod heap;

use comity::agents::{self, ExtendError, OwnAgent, Purpose};
use comity::robots::RobotsTxt;

#[test]
fn added_crawler_is_known_everywhere_and_bundled_entries_remain() {
    assert_eq!(agents::extend(vec![OwnAgent::new("a/b")]), Err(ExtendError::Token("a/b".to_owned())));
    let twice = vec![OwnAgent::new("HeronFetchBot"), OwnAgent::new("heronfetchbot")];
    assert_eq!(agents::extend(twice), Err(ExtendError::Repeated("heronfetchbot".to_owned())));
    let heap::Usage { held, peak, allocations } = heap::usage(|| {
        let tokens = (0..1_000).map(|number| format!("HeronFetchBot{number}"));
        let last_is_wrong = tokens.chain(["a/b".to_owned()]).map(OwnAgent::new).collect();
        assert!(agents::extend(last_is_wrong).is_err());
    });
    assert!(held < 1_000, "{held} of {peak} bytes in {allocations} allocations are not released");
    let many = vec![OwnAgent::new("x"); agents::MAX_OWN_AGENTS + 1];
    assert_eq!(agents::extend(many), Err(ExtendError::TooMany));
    let own = OwnAgent {
        operator: "Heron".to_owned(),
        purpose: Purpose::Seo,
        fallbacks: vec!["OspreyBot".to_owned()],
        ..OwnAgent::new("HeronFetchBot")
    };
    let bundled = agents::known("GPTBot").unwrap();
    let before = agents::all().len();
    assert_eq!(agents::extend(vec![own, OwnAgent::new("gptbot")]), Ok(1));
    assert_eq!(agents::all().len(), before + 1);
    assert_eq!(agents::known("GPTBot"), Some(bundled));
    let heron = agents::known("heronfetchbot").unwrap();
    assert_eq!((heron.token(), heron.operator(), heron.purpose()), ("HeronFetchBot", "Heron", Purpose::Seo));
    assert!(agents::with_purpose(Purpose::Seo).any(|agent| agent == heron));
    assert_eq!(agents::closest("HeronFetchBott"), Some(heron));
    let robots = RobotsTxt::parse("User-agent: OspreyBot\nDisallow: /a\n");
    assert_eq!(robots.rules_for(&heron.agent()).group(), Some("OspreyBot"));
    for agent in agents::all() {
        assert_eq!(agents::known(agent.token()), Some(agent), "the catalogue is sorted");
    }
    assert_eq!(agents::extend(Vec::new()), Err(ExtendError::Twice));
}
