//! What changed for one crawler, as people read it.

use std::io::Write;

use comity::robots::VisitTime;
use comity_answers::diff::{Change, Pace, Pacing, RuleLine};

use crate::exit::Failure;
use crate::output::Output;
use crate::render;

/// Prints it.
pub(super) fn print(change: &Change, output: &mut Output) -> Result<(), Failure> {
    let palette = output.palette;
    let faint = palette.faint;
    if let Some(text) = group_text(change) {
        writeln!(output, "  {faint}{text}{faint:#}")?;
    }
    let widths = change.lost.iter().chain(&change.gained).map(|line| render::width(&text_of(line)));
    let columns = widths.max().unwrap_or(0).min(60);
    for (mark, style, lines) in [("-", palette.bad, &change.lost), ("+", palette.good, &change.gained)] {
        for line in lines {
            let file = if mark == "-" { "old" } else { "new" };
            let (text, number) = (text_of(line), line.line);
            writeln!(
                output,
                "  {style}{mark}{style:#} {text:<columns$}  {faint}{file} line {number}{faint:#}"
            )?;
        }
    }
    if change.reordered {
        writeln!(output, "  the same rules in another order, and the first that matches decides")?;
    }
    for Pacing { kind, old, new } in &change.pacing {
        let text = |value: &Option<Pace>| value.as_ref().map_or_else(|| "none".to_owned(), pace);
        writeln!(output, "  {}: {} -> {}", kind.canonical_name(), text(old), text(new))?;
    }
    Ok(())
}

/// Returns what became of the crawler's group.
fn group_text(change: &Change) -> Option<&'static str> {
    let group = |name: &Option<String>| name.as_deref().map(|name| name == "*");
    match (group(&change.old_group), group(&change.new_group)) {
        (Some(true), Some(false)) => Some("has a group of its own now, and the rules of `*` no longer count"),
        (Some(false), Some(true)) => Some("has no group of its own any more, and the rules of `*` count"),
        (Some(false), None) => Some("has no group any more"),
        (Some(true), None) => Some("there is no group `*` any more"),
        (None, Some(true)) => Some("there was no group `*` before"),
        (None, Some(false)) => Some("had no group before"),
        _ => None,
    }
}

fn text_of(line: &RuleLine) -> String {
    format!("{}: {}", line.kind.canonical_name(), render::short(line.pattern.as_bytes(), 120))
}

/// What a line about pace asks for.
fn pace(pace: &Pace) -> String {
    match pace {
        Pace::Seconds(seconds) => format!("{seconds} s"),
        Pace::Rate(rate) => {
            let window = rate.window.as_ref().map(|window| format!(", {}", hours(window)));
            format!("{} in {} s{}", rate.documents, rate.seconds, window.unwrap_or_default())
        }
        Pace::Time(window) => hours(window),
    }
}

fn hours(window: &VisitTime) -> String {
    let clock = |minute: u16| format!("{:02}:{:02}", minute / 60, minute % 60);
    format!("{}-{} UTC", clock(window.from_minute), clock(window.to_minute))
}
