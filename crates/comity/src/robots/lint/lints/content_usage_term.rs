//! `content-usage-term`: a `Content-Usage` value has a category or preference that the vocabulary does not know.

use crate::finding::{Channel, Findings, Kind, Reader, Severity, Shown, quoted};
use crate::robots::lint::key::KeyedRecord;
use crate::robots::lint::usage::{Fault, Member, content_usage};
use crate::robots::lint::{Check, Lint};

pub(super) static LINT: Lint = Lint {
    kind: Kind {
        reader: Reader::RobotsTxt,
        code: "content-usage-term",
        severity: Severity::Warning,
        summary: "A `Content-Usage` value has a category or preference that the vocabulary does not know.",
        why: "Categories are `train-ai`, `ai-use` and `search` (draft-ietf-aipref-vocab-08), preferences `y` and `n`; anything else means \
     \"unknown\". Earlier drafts had other categories (`ai`, `genai`, `train-genai`, `bots`, ...); `yes`, `no` and \
     `ai-train` belong to `Content-Signal`.",
        help: "write `train-ai`, `ai-use` or `search`, and `y` or `n`",
        channel: Channel::RobotsTxt,
        bad: Shown::Text(b"User-agent: *\nDisallow: /search\nContent-Usage: train-ai=no\n"),
        good: Shown::Text(b"User-agent: *\nDisallow: /search\nContent-Usage: train-ai=n\n"),
    },
    checks: &[Check::Record(check)],
};

fn check(entry: &KeyedRecord<'_, '_>, findings: &mut Findings) {
    let Some(Ok(members)) = content_usage(entry) else { return };
    let value = entry.context.value(entry.record);
    for fault in members.iter().filter_map(|member| fault(value, member)) {
        findings.push(entry.slip_in_value(&LINT, fault));
    }
}

/// Returns what the vocabulary does not know in a member of the dictionary.
fn fault(value: &[u8], member: &Member) -> Option<Fault> {
    let key = value.get(member.key.clone()).unwrap_or_default();
    let said = value.get(member.value.clone()).unwrap_or_default();
    if !matches!(key, b"train-ai" | b"ai-use" | b"search") {
        let (what, help) = match key {
            b"ai-train" => ("belongs to `Content-Signal`", "write `train-ai`"),
            b"ai-input" => ("belongs to `Content-Signal`", "write `ai-use`"),
            b"ai" | b"genai" | b"train-genai" | b"tdm" | b"inference" | b"all" | b"bots" | b"ai-output" => {
                ("is a category of an earlier draft", "write `train-ai`, `ai-use` or `search`")
            }
            _ => ("is not a category of the vocabulary", "write `train-ai`, `ai-use` or `search`"),
        };
        let message = format!("{} {what}, so it says nothing", quoted(key));
        let instead = (key == b"ai-train").then(|| "train-ai".to_owned());
        return Some(Fault::new(member.key.clone(), message, help).or_write(instead));
    }
    let key = String::from_utf8_lossy(key);
    let mut instead = None;
    let help = match said {
        b"y" | b"n" => return None,
        b"yes" | b"\"y\"" | b"1" | b"?1" | b"true" | b"allow" => {
            instead = Some(format!("{key}=y"));
            format!("write `{key}=y`")
        }
        b"no" | b"\"n\"" | b"0" | b"?0" | b"false" | b"disallow" => {
            instead = Some(format!("{key}=n"));
            format!("write `{key}=n`")
        }
        _ => format!("write `{key}=y` or `{key}=n`"),
    };
    let message = if said.is_empty() {
        format!("`{key}` has no preference, so it says nothing")
    } else {
        format!("{} is not a preference, so it says nothing", quoted(said))
    };
    let at = member.key.start..member.value.end.max(member.key.end);
    Some(Fault::new(at, message, help).or_write(instead))
}
