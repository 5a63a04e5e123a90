//! Measures the memory use of the conversion to Markdown, which must be a small multiple of the page size for any page.
//! This is a separate program, since it counts every allocation.
#![cfg(feature = "markdown")]

mod heap;

use comity::html::Markdown;

/// This is the only test of the program, so that no other code allocates at the same time.
#[test]
fn memory_use_is_a_small_multiple_of_the_page() {
    let many = |text: &str, count: usize| text.repeat(count);
    let attributes: String = (0..100_000).map(|number| format!("a{number}=x ")).collect();
    let pages = [
        many("<div><script></div></script>", 20_000),
        format!("<p {attributes}>x"),
        many("<blockquote>", 250) + &many("<p>a", 200_000),
        many("<b>x", 200_000),
        many("<b><p>x", 100_000),
        many("<a href=/x>y", 100_000),
        many("<table><tr><td>a<p>b", 50_000),
        format!("<table>{}", many("<tr><td>a<td>b", 100_000)),
        format!("<table><tr>{}", many("<td>", 200_000)),
        format!("<table><tr>{}{}", many("<td rowspan=65000>a", 90), many("<tr><td>", 100_000)),
        many("<ul><li>a", 100_000),
        many("<svg><math>", 100_000),
        many("<template>", 100_000),
        many("&amp;&lt;&#x2a;", 100_000),
        many("<", 1_000_000),
        many("*", 1_000_000),
        format!("<code>{}", many("`", 1_000_000)),
        many("<img src=x>", 100_000),
    ];
    for html in pages {
        let heap::Usage { held, peak, allocations } = heap::usage(|| drop(Markdown::of(&html)));
        let shown = &html[..html.len().min(40)];
        // The output may be 8 times as long as the page. Buffers double when they grow, and the last block is copied.
        assert!(
            peak < 28 * html.len() as isize + 1_000_000,
            "{shown}: {peak} bytes for {}, {held} held",
            html.len()
        );
        assert!(allocations < html.len() + 10_000, "{shown}: {allocations} allocations for {}", html.len());
    }
}
