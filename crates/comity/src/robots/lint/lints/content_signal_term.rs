//! The lint `content-signal-term`: a `Content-Signal` value has a signal or value that is not defined.

use crate::finding::{Findings, quoted};
use crate::robots::lint::fault::Fault;
use crate::robots::lint::key::KeyedRecord;
use crate::robots::lint::usage::path_length;
use crate::robots::read::directive::RecordKind;

crate::robots::lint::row! {
    CONTENT_SIGNAL_TERM "content-signal-term" Warning, Record(check);
    "A `Content-Signal` value has a signal or value that is not defined.",
    "Signals are `search`, `ai-input` and `ai-train` with `yes` or `no`, and `use` with `immediate`, `reference` or `full`. \
    Commas separate them, and a path may precede them (contentsignals.org). Other signals and values are ignored; `y`, `n` \
    and `train-ai` belong to `Content-Usage`.",
    "write signals as `search=yes, ai-train=no`",
    bad(b"User-agent: *\nDisallow: /search\nContent-Signal: search=y, train-ai=no\n"),
    good(b"User-agent: *\nDisallow: /search\nContent-Signal: search=yes, ai-train=no\n");
}

fn check(entry: &KeyedRecord<'_, '_>, findings: &mut Findings) {
    if entry.record.kind != RecordKind::ContentSignal {
        return;
    }
    let value = entry.context.value(entry.record);
    if value.is_empty() {
        let fault = Fault::new(0..0, "no signal is stated", "write `search=yes, ai-train=no`");
        return findings.push(entry.slip_in_value(&CONTENT_SIGNAL_TERM, fault));
    }
    let mut start = path_length(value).unwrap_or_default();
    let list = value.get(start..).unwrap_or_default();
    if list.trim_ascii().is_empty() {
        let fault =
            Fault::new(0..value.len(), "no signal is stated after the path", "write `/path ai-train=no`");
        return findings.push(entry.slip_in_value(&CONTENT_SIGNAL_TERM, fault));
    }
    for part in list.split(|byte| *byte == b',') {
        let leading = part.len() - part.trim_ascii_start().len();
        let signal = part.trim_ascii();
        let place = start + leading..start + leading + signal.len();
        start += part.len() + 1;
        if let Some((message, help)) = fault(signal) {
            let fault = Fault::new(place, message, help).or_write(instead(signal));
            findings.push(entry.slip_in_value(&CONTENT_SIGNAL_TERM, fault));
        }
    }
}

/// Returns the `Content-Signal` form of a signal that is written in the terms of `Content-Usage`.
fn instead(signal: &[u8]) -> Option<String> {
    let (key, setting) = signal.split_at_checked(memchr::memchr(b'=', signal)?)?;
    let key = match &key.trim_ascii().to_ascii_lowercase()[..] {
        b"train-ai" | b"ai-train" => "ai-train",
        b"search" => "search",
        b"ai-input" => "ai-input",
        _ => return None,
    };
    let setting = match &setting.get(1..)?.trim_ascii().to_ascii_lowercase()[..] {
        b"y" | b"yes" => "yes",
        b"n" | b"no" => "no",
        _ => return None,
    };
    Some(format!("{key}={setting}"))
}

/// Returns the message and the advice for a signal `key=value` that has an undefined part.
fn fault(signal: &[u8]) -> Option<(String, String)> {
    if signal.is_empty() {
        return Some(("a comma has no signal on one side".to_owned(), "delete the comma".to_owned()));
    }
    let Some(equals) = memchr::memchr(b'=', signal) else {
        let message = format!("{} has no value", quoted(signal));
        return Some((message, "write a signal as `ai-train=no`".to_owned()));
    };
    let key = signal.get(..equals).unwrap_or_default().trim_ascii().to_ascii_lowercase();
    let setting = signal.get(equals + 1..).unwrap_or_default().trim_ascii().to_ascii_lowercase();
    if setting.contains(&b'=') || setting.contains(&b';') {
        let message = format!("{} is not one signal", quoted(signal));
        return Some((message, "separate signals with commas".to_owned()));
    }
    let values = match key.as_slice() {
        b"search" | b"ai-input" | b"ai-train" => &[&b"yes"[..], b"no"][..],
        b"use" => &[&b"immediate"[..], b"reference", b"full"][..],
        b"train-ai" => {
            let message = "`train-ai` belongs to `Content-Usage`, so it is ignored".to_owned();
            return Some((message, "write `ai-train`".to_owned()));
        }
        _ => {
            let message = format!("{} is not a signal, so it is ignored", quoted(&key));
            return Some((message, "write `search`, `ai-input` or `ai-train`".to_owned()));
        }
    };
    if values.contains(&setting.as_slice()) {
        return None;
    }
    let names: Vec<String> = values.iter().map(quoted).collect();
    Some((
        format!("{} is not a value of {}", quoted(&setting), quoted(&key)),
        format!("write {}", names.join(" or ")),
    ))
}
