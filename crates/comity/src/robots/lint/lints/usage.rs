//! Lints for usage preferences and licenses.

use super::content_signal_term::CONTENT_SIGNAL_TERM;
use crate::finding::{Findings, quoted};
use crate::robots::lint::address::has_scheme;
use crate::robots::lint::fault::Fault;
use crate::robots::lint::key::KeyedRecord;
use crate::robots::lint::usage::{Member, content_usage};
use crate::robots::read::directive::RecordKind;
use std::ops::Range;

crate::robots::lint::table! {
    CONTENT_USAGE_SYNTAX "content-usage-syntax" Error, Record(content_usage_syntax);
    "A `Content-Usage` value is empty or not a dictionary, so it is ignored.",
    "The value must be a dictionary of structured fields (RFC 9651), and one mistake makes all of it invalid \
    (draft-ietf-aipref-vocab). Keys are in lower case, there are no spaces around `=`, and commas separate members. \
    There is no comma at the end. A path that starts with `/` may precede the dictionary.",
    "write preferences as `train-ai=n, search=y`",
    bad(b"User-agent: *\nDisallow: /search\nContent-Usage: Train-AI=n\n"),
    good(b"User-agent: *\nDisallow: /search\nContent-Usage: train-ai=n\n");

    CONTENT_USAGE_TERM "content-usage-term" Warning, Record(content_usage_term);
    "A `Content-Usage` value has a category or preference that the vocabulary does not define.",
    "The categories are `train-ai`, `ai-use` and `search` (draft-ietf-aipref-vocab-08), the preferences `y` and `n`; any other \
    word means \"unknown\". Commas separate members; a `;` starts a parameter, which is ignored. Earlier drafts had other \
    categories (`ai`, `genai`, `train-genai`, `bots`, ...); `yes`, `no` and `ai-train` belong to `Content-Signal`.",
    "write `train-ai`, `ai-use` or `search`, and `y` or `n`",
    bad(b"User-agent: *\nDisallow: /search\nContent-Usage: train-ai=no\n"),
    good(b"User-agent: *\nDisallow: /search\nContent-Usage: train-ai=n\n");

    CONTENT_SIGNAL_TERM;

    RELATIVE_LICENSE "relative-license" Error, Record(relative_license);
    "A `License` is not an absolute address.",
    "RSL 1.0 requires an absolute URI; other values are skipped.",
    "write the whole URL: scheme, host and path",
    bad(b"User-agent: *\nDisallow: /search\nLicense: /license.xml\n"),
    good(b"User-agent: *\nDisallow: /search\nLicense: https://www.shop.example/license.xml\n");
}

fn content_usage_syntax(entry: &KeyedRecord<'_, '_>, findings: &mut Findings) {
    if let Some(Err(slip)) = content_usage(entry) {
        findings.push(entry.slip_in_value(&CONTENT_USAGE_SYNTAX, slip));
    }
}

fn content_usage_term(entry: &KeyedRecord<'_, '_>, findings: &mut Findings) {
    let Some(Ok(members)) = content_usage(entry) else { return };
    let value = entry.context.value(entry.record);
    for member in &members {
        let of_parameters =
            member.parameters.iter().filter_map(|parameter| parameter_fault(value, parameter));
        for fault in fault(value, member).into_iter().chain(of_parameters) {
            findings.push(entry.slip_in_value(&CONTENT_USAGE_TERM, fault));
        }
    }
}

/// Returns true for a category of the vocabulary.
fn is_category(key: &[u8]) -> bool {
    matches!(key, b"train-ai" | b"ai-use" | b"search")
}

/// Returns the fault of a parameter with the name of a category, which the author meant as a member.
fn parameter_fault(value: &[u8], parameter: &Range<usize>) -> Option<Fault> {
    let key = value.get(parameter.start + 1..parameter.end)?.trim_ascii();
    let message = format!("{} is a parameter here, so it is ignored", quoted(key));
    let help = "separate preferences with a comma, not with `;`";
    let instead = format!(", {}", String::from_utf8_lossy(key));
    is_category(key).then(|| Fault::new(parameter.clone(), message, help).or_write(Some(instead)))
}

/// Returns the fault of a dictionary member that the vocabulary does not define.
fn fault(value: &[u8], member: &Member) -> Option<Fault> {
    let key = value.get(member.key.clone()).unwrap_or_default();
    let setting = value.get(member.value.clone()).unwrap_or_default();
    if !is_category(key) {
        let (reason, help) = match key {
            b"ai-train" => ("belongs to `Content-Signal`", "write `train-ai`"),
            b"ai-input" => ("belongs to `Content-Signal`", "write `ai-use`"),
            b"ai" | b"genai" | b"train-genai" | b"tdm" | b"inference" | b"all" | b"bots" | b"ai-output" => {
                ("is a category of an earlier draft", "write `train-ai`, `ai-use` or `search`")
            }
            _ => ("is not a category of the vocabulary", "write `train-ai`, `ai-use` or `search`"),
        };
        let message = format!("{} {reason}, so it is ignored", quoted(key));
        let instead = (key == b"ai-train").then(|| "train-ai".to_owned());
        return Some(Fault::new(member.key.clone(), message, help).or_write(instead));
    }
    let key = String::from_utf8_lossy(key);
    let mut instead = None;
    let help = match setting {
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
    let message = if setting.is_empty() {
        format!("`{key}` has no preference, so it is ignored")
    } else {
        format!("{} is not a preference, so it is ignored", quoted(setting))
    };
    let at = member.key.start..member.value.end.max(member.key.end);
    Some(Fault::new(at, message, help).or_write(instead))
}

fn relative_license(entry: &KeyedRecord<'_, '_>, findings: &mut Findings) {
    let (context, record) = (entry.context, entry.record);
    let value = context.value(record);
    if record.kind == RecordKind::License && !has_scheme(value) && !value.starts_with(b"urn:") {
        let message = format!("{} is not an absolute address", quoted(value));
        findings.push(context.finding(
            &RELATIVE_LICENSE,
            record.line,
            record.whole(),
            message,
            RELATIVE_LICENSE.kind.help,
        ));
    }
}
