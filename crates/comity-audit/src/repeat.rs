//! The command that repeats an audit.

use crate::manifest::Manifest;
use crate::options::{Only, RowForm};
use crate::request::{AsOf, AuditRequest, JobRequest};

/// Returns the command of an audit of tables and archives, for a shell. An audit of a live site cannot be repeated,
/// because the answers of the site may have changed.
pub(crate) fn command(manifest: &Manifest) -> Option<String> {
    let JobRequest::Run(request) = &manifest.request else { return None };
    let AuditRequest { inputs, robots, whom, .. } = &**request;
    let mut words = vec!["comity audit run".to_owned()];
    words.extend(inputs.iter().map(|path| quoted(&path.to_string_lossy())));
    let mut option = |name: &str, value: &str| words.push(format!("--{name} {}", quoted(value)));
    robots.iter().for_each(|path| option("robots", &path.to_string_lossy()));
    if let Some(answers) = manifest.live.as_ref().and_then(|live| live.answers.as_ref()) {
        option("robots", answers);
    }
    whom.agents.iter().for_each(|agent| option("agent", agent));
    whom.user_agents.iter().for_each(|agent| option("user-agent", agent));
    whom.purposes.iter().for_each(|purpose| option("purpose", purpose.as_str()));
    option("preset", manifest.summary.preset.name());
    if manifest.summary.dialect != manifest.summary.preset.dialect() {
        option("dialect", manifest.summary.dialect.name());
    }
    let moment = match request.as_of {
        Some(AsOf::Both) => "both",
        _ => manifest.summary.views.first().map_or("seen", |view| view.moment.as_str()),
    };
    option("as-of", moment);
    option("now", request.now.as_deref().unwrap_or(&manifest.started));
    let texts = [
        ("max-age", &request.max_age),
        ("crawl", &request.crawl),
        ("url-column", &request.url_column),
        ("time-column", &request.time_column),
        ("agent-column", &request.agent_column),
        ("input-format", &request.input_format),
    ];
    texts.iter().for_each(|(name, value)| value.iter().for_each(|value| option(name, value)));
    request.time_formats.iter().for_each(|format| option("time-format", format));
    request.columns.iter().for_each(|column| option("columns", column));
    if let Some(delimiter) = request.delimiter {
        option("delimiter", &if delimiter == '\t' { "tab".to_owned() } else { delimiter.to_string() });
    }
    if !request.prefix.is_empty() {
        option("prefix", &request.prefix);
    }
    match request.only {
        Some(Only::Allowed) => option("only", "allowed"),
        Some(Only::Disallowed) => option("only", "disallowed"),
        Some(Only::Unknown) => option("only", "unknown"),
        None => {}
    }
    if request.rows == RowForm::Long {
        option("rows", "long");
    }
    if let Some(output) = &manifest.output {
        option("output", output);
    }
    let flags = [("nearest", request.nearest), ("usage", request.usage), ("join-keys", request.join_keys)];
    words.extend(flags.iter().filter(|(_, is_set)| *is_set).map(|(name, _)| format!("--{name}")));
    Some(words.join(" "))
}

/// Quotes a word for a shell.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,+@%".contains(c);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn words_are_quoted_where_a_shell_would_change_them() {
        assert_eq!(quoted("a/b-1.csv"), "a/b-1.csv");
        assert_eq!(quoted("it's $HOME; rm"), "'it'\\''s $HOME; rm'");
        assert_eq!(quoted(""), "''");
    }
}
