//! Phrases about a crawler of the matrix. The text, the page and the CSV table share them.

use comity::agents::{Compliance, Status};
use comity::robots::Access;
use comity::usage::{Interpretation, LicenseLink, Refusal, RefusalKind};

use comity::decision::RuleRecord;
use comity_answers::matrix::{MatchedBy, Matrix, Probe, ProbedPage, Row, Use};

use crate::render;

/// Returns the effect of the rules on a crawler, with the deciding rule. If the row of the `*` group shows that effect,
/// the phrase refers to that row.
pub(super) fn rules_result(matrix: &Matrix, row: &Row) -> String {
    if is_as_everyone(matrix, row) {
        return "as everyone else".to_owned();
    }
    if let [decided] = row.decisions.as_slice() {
        return match &decided.decision.record.rule {
            Some(rule) => shown(rule),
            None => "no matching rule".to_owned(),
        };
    }
    if !row.decisions.is_empty() {
        let allowed = row.decisions.iter().filter(|decided| decided.is_allowed()).count();
        return format!("{allowed} allowed, {} disallowed", row.decisions.len() - allowed);
    }
    let Some(_) = &row.exception else {
        return match &row.rule {
            Some(rule) => shown(rule),
            None if row.matched_by == MatchedBy::Nobody => "no group applies to it".to_owned(),
            None => "nothing is disallowed".to_owned(),
        };
    };
    let rest = if row.is_open { Access::Allowed } else { Access::Disallowed };
    let rules: Vec<String> = row.exceptions_listed.iter().map(shown).collect();
    match row.exceptions {
        1 => format!("{rest} except {}", rules.join(", ")),
        number => {
            let more = number.saturating_sub(rules.len());
            let more = if more > 0 { format!(", and {more} more") } else { String::new() };
            format!("{rest} except {number} rules: {}{more}", rules.join(", "))
        }
    }
}

/// Returns a phrase about the rules that are exceptions, and the first few of these rules. Returns `None` if there are
/// no exceptions, if URLs were judged, or if the row of the `*` group shows the exceptions.
pub(super) fn exceptions(matrix: &Matrix, row: &Row) -> Option<(String, Vec<String>)> {
    if row.exception.is_none() || !row.decisions.is_empty() || is_as_everyone(matrix, row) {
        return None;
    }
    let mut rules: Vec<String> = row.exceptions_listed.iter().map(shown).collect();
    let more = row.exceptions.saturating_sub(rules.len());
    if more > 0 {
        rules.push(format!("and {more} more"));
    }
    let rest = if row.is_open { Access::Allowed } else { Access::Disallowed };
    Some((format!("{rest} except {}", render::count(row.exceptions, "rule")), rules))
}

/// Returns the effect of the rules on a crawler, and its group unless that is the `*` group.
pub(super) fn rules_and_group(matrix: &Matrix, row: &Row) -> String {
    let result = if row.decisions.len() > 1 { String::new() } else { rules_result(matrix, row) };
    if is_as_everyone(matrix, row) {
        return result;
    }
    let parts: Vec<String> =
        Some(result).filter(|result| !result.is_empty()).into_iter().chain(delay_and_group(row)).collect();
    parts.join("; ")
}

/// Returns the delay for a crawler, and its group if the phrase about the rules does not show the group.
pub(super) fn delay_and_group(row: &Row) -> Option<String> {
    let delay = row.crawl_delay_seconds.map(|delay| format!("delay {delay} s"));
    let group = match row.matched_by {
        // If the phrase about the rules contains a line number, it already identifies the group.
        MatchedBy::Own if row.rule.is_none() && row.exception.is_none() && row.decisions.is_empty() => {
            row.group_line.map(|line| format!("group on line {line}"))
        }
        MatchedBy::Fallback => row.group.as_ref().map(|group| {
            let line = row.group_line.map(|line| format!(" (line {line})")).unwrap_or_default();
            format!("group of {}{line}", render::short(group.as_bytes(), 40))
        }),
        _ => None,
    };
    let parts: Vec<String> = delay.into_iter().chain(group).collect();
    Some(parts.join("; ")).filter(|result| !result.is_empty())
}

/// Returns a remark if a crawler ignores its delay, according to its operator.
pub(super) fn delay_remark(row: &Row) -> Option<String> {
    row.crawl_delay_seconds?;
    let is_ignored = row.known.is_some_and(|known| known.crawl_delay() == Compliance::Ignores);
    is_ignored.then(|| "ignores the delay".to_owned())
}

/// Returns true if the `*` group applies to a crawler, and another row shows that group.
pub(super) fn is_as_everyone(matrix: &Matrix, row: &Row) -> bool {
    row.matched_by == MatchedBy::Everyone && !row.is_everyone() && matrix.everyone().is_some()
}

/// Returns further remarks for the owner of the site.
pub(super) fn remarks(row: &Row) -> Vec<String> {
    let Some(known) = row.known else { return Vec::new() };
    let mut remarks = Vec::new();
    match known.robots_txt() {
        Compliance::Ignores => remarks.push("ignores robots.txt"),
        Compliance::MayIgnore => remarks.push("may ignore robots.txt"),
        _ => {}
    }
    if known.ignores_star() && row.matched_by == MatchedBy::Nobody {
        remarks.push("does not follow *");
    }
    if known.status() == Status::Retired {
        remarks.push("retired");
    }
    remarks.into_iter().map(str::to_owned).collect()
}

/// Returns the usage signals of the groups of a crawler, such as `ai-train: disallow`.
pub(super) fn usage(row: &Row) -> Vec<String> {
    let uses = row.usage.as_deref().unwrap_or_default();
    let of_group = uses.iter().filter(|item| item.interpretation != Some(Interpretation::WholeFile));
    of_group.map(|item| format!("{}: {}", item.term, item.stance)).collect()
}

/// Returns the usage signals of one group with their lines. With `reading_of_file`, returns those that apply to the
/// whole file.
pub(super) fn usage_in_full(uses: &[Use], reading_of_file: bool) -> Vec<String> {
    let is_wanted = |item: &&Use| (item.interpretation == Some(Interpretation::WholeFile)) == reading_of_file;
    let shown = |item: &Use| {
        let line = item.line.map_or(String::new(), |line| format!(" (line {line})"));
        let signal = match item.signal {
            comity::usage::Signal::ContentUsage => "Content-Usage",
            _ => "Content-Signal",
        };
        format!("{signal} {}: {}{line}", item.term, item.stance)
    };
    uses.iter().filter(is_wanted).map(shown).collect()
}

/// Returns a phrase about the judged URLs.
pub(super) fn judged(matrix: &Matrix) -> String {
    match matrix.urls.len() {
        0 => "the rules as a whole are judged".to_owned(),
        number => format!(
            "{} judged",
            if number == 1 { "1 URL is".to_owned() } else { format!("{number} URLs are") }
        ),
    }
}

/// Formats totals as `12 crawlers: 3 allowed, 7 partly, 2 disallowed`.
pub(super) fn totals(matrix: &Matrix) -> String {
    let [allowed, partly, disallowed] = matrix.totals();
    let crawlers = render::count(allowed + partly + disallowed, "crawler");
    format!("{crawlers}: {allowed} allowed, {partly} partly, {disallowed} disallowed")
}

/// Heading of the site's answers to this client.
pub(super) const PROBE: &str = "Answers to Comity";

/// Returns the User-Agent of the requests, the number of refusals, and the remark that crawlers may get other answers.
pub(super) fn about_probe(probe: &Probe) -> String {
    let pages = render::count(probe.pages.len(), "page");
    format!(
        "Requested as `{}`: {} of {pages} refused. The site may answer the crawlers above \
         differently.",
        render::short(probe.user_agent.as_bytes(), 120),
        probe.refused(),
    )
}

/// Returns the description of the answer for one page: the redirect, the error, the kind of refusal, and its terms.
pub(super) fn answer_lines(page: &ProbedPage) -> Vec<String> {
    let mut lines = Vec::new();
    if page.final_url != page.url {
        lines.push(format!("redirected to {}", render::short(page.final_url.as_bytes(), 200)));
    }
    lines.extend(page.error.as_ref().map(|error| render::short(error.as_bytes(), 300).into_owned()));
    let Some(refusal) = &page.refusal else { return lines };
    lines.push(refusal_phrase(refusal));
    let license = |link: &LicenseLink| format!("license: {}", render::short(link.url().as_bytes(), 200));
    lines.extend(refusal.licenses().iter().map(license));
    if refusal.wants_license_token() {
        let error =
            refusal.license_error().map(|error| format!(" ({})", render::short(error.as_bytes(), 60)));
        lines.push(format!("a license token is required{}", error.unwrap_or_default()));
    }
    let price = |price: &String| render::short(price.as_bytes(), 200).into_owned();
    lines.extend(refusal.prices().iter().map(price));
    lines
}

fn refusal_phrase(refusal: &Refusal) -> String {
    match (refusal.kind(), refusal.challenge()) {
        (_, Some(sign)) => format!("a browser challenge: {}", render::short(sign.as_bytes(), 120)),
        (RefusalKind::Unauthorized, _) => "credentials or a license are required".to_owned(),
        (RefusalKind::PaymentRequired, _) => "payment is required".to_owned(),
        (RefusalKind::TooManyRequests, _) => "too many requests".to_owned(),
        _ => "refused".to_owned(),
    }
}

/// The heading for names that are not in the catalogue.
pub(super) const NOT_IN_CATALOGUE: &str = "Not in the catalogue";

/// Returns a description of an access in this matrix.
pub(super) const fn meaning(access: Access, has_urls: bool) -> &'static str {
    match (access, has_urls) {
        (Access::Allowed, false) => "every URL may be fetched",
        (Access::Partly, false) => "some URLs may be fetched and others not",
        (Access::Disallowed, false) => "no URL may be fetched",
        (Access::Allowed, true) => "all of the URLs may be fetched",
        (Access::Partly, true) => "some of the URLs may be fetched and others not",
        (_, _) => "none of the URLs may be fetched",
    }
}

/// Formats a rule as `Disallow: /x (line 3)`.
pub(super) fn shown(rule: &RuleRecord) -> String {
    const PATTERN: usize = 60;
    let key = rule.kind.label().len() + ": ".len();
    format!("{} (line {})", render::short(rule.to_string().as_bytes(), key + PATTERN), rule.line)
}
