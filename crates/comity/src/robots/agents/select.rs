//! Chooses the groups that apply to an agent.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use super::agent::{Agent, Step, is_token_byte};
use crate::robots::read::Document;
use crate::robots::read::record::Record;
use crate::robots::read::space::is_ascii_space;

/// A dialect's way to choose the groups that apply to an agent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GroupSelection {
    pub selection: Selection,
    /// Converts a user-agent value to the name that the dialect's program stores.
    pub name: fn(&[u8]) -> Cow<'_, [u8]>,
}

/// The way in which names of groups are compared with the agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Selection {
    /// All groups with the agent's name (the whole value or the part before `/` or white space); otherwise all `*`
    /// groups.
    Name,
    /// As `Name`, but names are cut at the first byte outside `A-Za-z_-`.
    GoogleToken,
    /// Exact names; tokens that start with `yandex` fall back to `yandex`.
    Yandex,
    /// All groups whose name is a substring of the agent, if they have rules; otherwise `*`.
    AllSubstrings,
    /// The first group with a name that is a substring of the agent's part before `/`; otherwise the first `*` group.
    FirstSubstringBeforeSlash,
    /// The first group with a name that is a substring of the agent; otherwise the first `*` group.
    FirstSubstring,
    /// All groups with the agent's name; otherwise the groups of the first name that is a substring of the agent's part
    /// before `/`; otherwise `*`. Groups with an equal name are merged. A merged group keeps only the names that occur
    /// in each of its groups.
    WholeThenFirstSubstring,
    /// All groups with the longest name at the start of a word of the agent. `*` counts as a name of one character: a
    /// later name outranks it only if the name is longer.
    LongestWordStart,
    /// All groups with the agent's name; both names are in the form of [`GroupSelection::name`]. An agent without a
    /// name is `*`.
    WholeBeforeSlash,
    /// The first group whose name matches a part of the agent as a glob, or contains the agent.
    FirstGlob,
}

/// The chosen groups, and the name by which they were chosen.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Choice {
    /// Indices of the groups, in the order in which their rules are considered.
    pub groups: Vec<usize>,
    /// The name by which they were chosen: the agent's token or the name in the file, depending on the dialect; `*` for
    /// the groups that apply to all other crawlers; `None` if no group applies to the agent.
    pub name: Option<String>,
}

impl Choice {
    fn named(groups: Vec<usize>, name: impl Into<String>) -> Option<Self> {
        (!groups.is_empty()).then(|| Choice { groups, name: Some(name.into()) })
    }
}

/// A chooser of groups for many agents. With [`Selection::Name`], it reads the names of the file only once.
pub(crate) struct ManyChooser<'r> {
    groups: Chooser<'r>,
    /// The groups by name, and by the part before a version or white space, in lower case. `None` for other
    /// selections than [`Selection::Name`].
    by_name: Option<HashMap<Vec<u8>, Vec<usize>>>,
}

impl<'r> ManyChooser<'r> {
    pub(crate) fn new(groups: Chooser<'r>) -> Self {
        let by_name = (groups.choosing.selection == Selection::Name).then(|| groups.by_name());
        ManyChooser { groups, by_name }
    }

    /// Returns the groups that name the agent or one of its fallbacks; `None` if no group does.
    pub(crate) fn named(&self, agent: &Agent) -> Option<Choice> {
        let Some(by_name) = &self.by_name else {
            return agent.steps().find_map(|step| self.groups.groups_for(step));
        };
        agent.steps().flat_map(Step::candidates).find_map(|token| {
            let groups = by_name.get(token.to_ascii_lowercase().as_bytes())?;
            Choice::named(groups.clone(), token)
        })
    }

    /// Returns the groups for crawlers that no group names.
    pub(crate) fn everyone(&self) -> Choice {
        self.groups.everyone()
    }
}

/// A chooser among the groups of one document, in one dialect.
#[derive(Clone, Copy)]
pub(crate) struct Chooser<'r> {
    document: &'r Document<'r>,
    choosing: GroupSelection,
}

impl<'r> Chooser<'r> {
    pub(crate) fn new(document: &'r Document<'r>, choosing: GroupSelection) -> Self {
        Chooser { document, choosing }
    }

    /// Returns the document that contains the groups.
    pub(crate) fn document(&self) -> &'r Document<'r> {
        self.document
    }

    /// Returns the groups that apply to `agent`.
    pub(crate) fn choose(&self, agent: &Agent) -> Choice {
        agent
            .steps()
            .find_map(|step| self.groups_for(step))
            .or_else(|| if agent.ignores_star() { None } else { self.groups_for_everyone() })
            .unwrap_or_default()
    }

    /// Returns the groups for every crawler that no group names.
    pub(crate) fn everyone(&self) -> Choice {
        self.groups_for_everyone().unwrap_or_default()
    }

    /// Returns true if this user-agent record of a chosen group is a reason for the choice. Except in `rfc9309`,
    /// `google`, `yandex` and `robots-parser`, every record counts as a reason.
    pub(crate) fn names_choice(&self, choice: &Choice, record: &Record<'_>) -> bool {
        match (self.choosing.selection, choice.name.as_deref()) {
            (Selection::Name | Selection::GoogleToken | Selection::Yandex, Some("*")) => {
                self.is_star(record.value())
            }
            (Selection::Name | Selection::GoogleToken | Selection::Yandex, Some(token)) => {
                self.is_named(record.value(), token.as_bytes())
            }
            (Selection::WholeBeforeSlash, Some(name)) => {
                (self.choosing.name)(record.value()) == name.as_bytes()
            }
            _ => true,
        }
    }

    /// Returns the groups that name the agent of this step.
    fn groups_for(&self, step: Step<'_>) -> Option<Choice> {
        match self.choosing.selection {
            Selection::Name | Selection::GoogleToken => {
                step.candidates().into_iter().find_map(|token| self.all_named(token))
            }
            Selection::Yandex => step.candidates().into_iter().find_map(|token| {
                let is_yandex = token.get(..6).is_some_and(|start| start.eq_ignore_ascii_case("yandex"));
                self.all_named(token).or_else(|| if is_yandex { self.all_named("Yandex") } else { None })
            }),
            Selection::AllSubstrings => self.all_substrings(&step.text().to_lowercase()),
            Selection::FirstSubstringBeforeSlash => {
                let text = step.text();
                self.first_substring(&text.split('/').next().unwrap_or(text).to_lowercase())
            }
            Selection::FirstSubstring => self.first_substring(&step.text().to_lowercase()),
            Selection::WholeThenFirstSubstring => self.whole_then_first_substring(step.text()),
            Selection::LongestWordStart => self.longest_word_start(step.text()),
            Selection::WholeBeforeSlash => self.whole_before_slash(step.text()),
            Selection::FirstGlob => self.first_glob(step.text()),
        }
    }

    /// Returns the groups for each token in lower case: those that name the token according to [`is_named`].
    fn by_name(&self) -> HashMap<Vec<u8>, Vec<usize>> {
        let mut by_name: HashMap<Vec<u8>, Vec<usize>> = HashMap::new();
        for group in self.live() {
            for name in self.names(group) {
                let [whole, start] = tokens_of(&name);
                for token in [whole, if start == whole { b"" } else { start }] {
                    if token.is_empty() {
                        continue;
                    }
                    let groups = by_name.entry(token.to_ascii_lowercase()).or_default();
                    if groups.last() != Some(&group) {
                        groups.push(group);
                    }
                }
            }
        }
        by_name
    }

    /// Returns the groups for crawlers that no group names.
    fn groups_for_everyone(&self) -> Option<Choice> {
        if self.choosing.selection == Selection::WholeBeforeSlash {
            return self.whole_before_slash("*");
        }
        let mut groups = self.live().filter(|&group| self.is_star_group(group)).collect::<Vec<_>>();
        match self.choosing.selection {
            Selection::Name
            | Selection::GoogleToken
            | Selection::Yandex
            | Selection::AllSubstrings
            | Selection::WholeThenFirstSubstring
            | Selection::WholeBeforeSlash
            | Selection::LongestWordStart => {}
            Selection::FirstSubstringBeforeSlash | Selection::FirstSubstring | Selection::FirstGlob => {
                groups.truncate(1);
            }
        }
        Choice::named(groups, "*")
    }

    /// Returns the indices of the groups that the dialect does not ignore.
    fn live(&self) -> impl Iterator<Item = usize> + use<'r> {
        let data = self.document.groups();
        (0..data.len()).filter(|&group| !data[group].dropped)
    }

    /// Returns the names of a group in the form that this selection compares.
    fn names(&self, group: usize) -> impl Iterator<Item = Cow<'r, [u8]>> {
        let implicit = self.document.groups()[group].implicit_star.then_some(Cow::Borrowed(&b"*"[..]));
        let GroupSelection { selection, name } = self.choosing;
        let written = self.document.agents_of(group).map(name);
        let is_unnamed =
            move |name: &Cow<'_, [u8]>| selection == Selection::FirstSubstring && name.is_empty();
        implicit.into_iter().chain(written.filter(move |name| !is_unnamed(name)))
    }

    /// Returns true if a group applies to every crawler that no group names.
    pub(crate) fn is_star_group(&self, group: usize) -> bool {
        self.names(group).any(|name| self.is_star(&name))
    }

    fn is_star(&self, name: &[u8]) -> bool {
        match self.choosing.selection {
            Selection::Name | Selection::GoogleToken => is_google_star(name),
            _ => *name == *b"*",
        }
    }

    /// Returns every group with this name.
    fn all_named(&self, token: &str) -> Option<Choice> {
        let groups = self
            .live()
            .filter(|&g| self.names(g).any(|name| self.is_named(&name, token.as_bytes())))
            .collect();
        Choice::named(groups, token)
    }

    fn is_named(&self, name: &[u8], token: &[u8]) -> bool {
        is_named_by(self.choosing.selection, name, token)
    }

    /// Returns every group with a name that is a substring of the agent. webcanon stores rules in a dictionary by name,
    /// in order of first appearance, and merges the matching entries. Matched groups without any rule count as no
    /// match.
    fn all_substrings(&self, agent: &str) -> Option<Choice> {
        let mut by_name: HashMap<String, usize> = HashMap::new();
        let mut matched: Vec<(String, Vec<usize>)> = Vec::new();
        for group in self.live() {
            for name in self.names(group).map(|name| lower(&name)) {
                if name == "*" || !agent.contains(&name) {
                    continue;
                }
                let entry = *by_name.entry(name.clone()).or_insert_with(|| {
                    matched.push((name, Vec::new()));
                    matched.len() - 1
                });
                matched[entry].1.push(group);
            }
        }
        let name = matched.first().map(|(name, _)| name.clone())?;
        // webcanon merges a group with several names several times. Merging it once is sufficient for equal
        // decisions.
        let mut seen = HashSet::new();
        let groups: Vec<usize> =
            matched.into_iter().flat_map(|(_, groups)| groups).filter(|&group| seen.insert(group)).collect();
        let has_rules = groups.iter().any(|&group| self.document.groups()[group].has_rules);
        if has_rules { Choice::named(groups, name) } else { None }
    }

    /// Returns the first group, except `*` groups, with a name that is a substring of the agent.
    fn first_substring(&self, agent: &str) -> Option<Choice> {
        self.live().filter(|&group| !self.is_star_group(group)).find_map(|group| {
            let name = self.names(group).find(|name| agent.contains(&lower(name)))?;
            Choice::named(vec![group], String::from_utf8_lossy(&name))
        })
    }

    /// Returns the groups that the rewritten `urllib.robotparser` finds. That program stores groups by name in order of
    /// first appearance. The names that merged groups share are compared byte by byte.
    fn whole_then_first_substring(&self, agent: &str) -> Option<Choice> {
        let whole = agent.to_lowercase();
        let start = agent.split('/').next().unwrap_or(agent).to_lowercase();
        let mut by_name: HashMap<Vec<u8>, usize> = HashMap::new();
        let mut entries: Vec<Vec<usize>> = Vec::new();
        let mut found: HashMap<usize, HashSet<Cow<'r, [u8]>>> = HashMap::new();
        for group in self.live() {
            for name in self.names(group) {
                let key = match std::str::from_utf8(&name) {
                    Ok(text) => text.to_lowercase().into_bytes(),
                    // A name that is not UTF-8 cannot equal a part of the agent, which is UTF-8.
                    Err(_) => name.to_ascii_lowercase(),
                };
                let is_part = std::str::from_utf8(&key).is_ok_and(|key| key != "*" && start.contains(key));
                if is_part {
                    found.entry(group).or_default().insert(name);
                }
                let entry = *by_name.entry(key).or_insert_with(|| {
                    entries.push(Vec::new());
                    entries.len() - 1
                });
                if entries[entry].last() != Some(&group) {
                    entries[entry].push(group);
                }
            }
        }
        if let Some(&entry) = by_name.get(whole.as_bytes()) {
            return Choice::named(entries.swap_remove(entry), whole);
        }
        entries.into_iter().find_map(|groups| {
            let first = found.get(groups.first()?)?;
            let is_shared = |name: &&Cow<'r, [u8]>| {
                groups[1..].iter().all(|group| found.get(group).is_some_and(|names| names.contains(*name)))
            };
            let name = first.iter().filter(is_shared).min()?;
            Choice::named(groups.clone(), String::from_utf8_lossy(name))
        })
    }

    /// Returns the groups with the longest name at the start of a word of the agent; among equals, the first in the
    /// file. A name that contains `*` is also compared without the `*`.
    fn longest_word_start(&self, agent: &str) -> Option<Choice> {
        let agent = agent.to_lowercase();
        let goes_on = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
        let mut before = None;
        let starts = agent.char_indices().filter(|&(_, c)| !before.replace(c).is_some_and(goes_on));
        let starts: Vec<&str> = starts.map(|(at, _)| &agent[at..]).collect();
        let forms = |group: usize| {
            self.names(group).map(|name| lower(&name)).flat_map(|name| {
                let plain = (name.contains('*') && name != "*").then(|| name.replace('*', ""));
                [Some(name), plain].into_iter().flatten().filter(|name| !name.is_empty())
            })
        };
        let (mut best, mut has_star): (Option<(usize, String)>, bool) = (None, false);
        for name in self.live().flat_map(forms) {
            let length = name.chars().count();
            if name == "*" {
                has_star = true;
            } else if length > best.as_ref().map_or(usize::from(has_star), |(longest, _)| *longest)
                && starts.iter().any(|start| start.starts_with(&name))
            {
                best = Some((length, name));
            }
        }
        let (_, name) = best?;
        let groups = self.live().filter(|&group| forms(group).any(|form| form == name)).collect();
        Choice::named(groups, name)
    }

    /// Returns every group with the name of the agent, both in the form that the dialect's program compares.
    fn whole_before_slash(&self, agent: &str) -> Option<Choice> {
        let agent = if agent.is_empty() { "*" } else { agent };
        let wanted = (self.choosing.name)(agent.as_bytes());
        // This comparison is fast, because most names differ in the first letter. The conversion changes only the case
        // of ASCII letters.
        let is_named = |value: &[u8]| {
            let may_be = match (value.first(), wanted.first()) {
                (Some(first), Some(letter)) if first.is_ascii() => first.eq_ignore_ascii_case(letter),
                _ => true,
            };
            may_be && (self.choosing.name)(value) == wanted
        };
        let groups = self.live().filter(|&group| self.document.agents_of(group).any(is_named)).collect();
        Choice::named(groups, String::from_utf8_lossy(&wanted))
    }

    /// Returns the first group whose name contains the agent, or matches a part of the agent as a glob.
    fn first_glob(&self, agent: &str) -> Option<Choice> {
        let agent = agent.to_lowercase();
        self.live().find_map(|group| {
            let name = self.names(group).find(|name| {
                let glob = lower(name);
                glob.contains(&agent) || glob_is_in(&glob, &agent)
            })?;
            Choice::named(vec![group], String::from_utf8_lossy(&name))
        })
    }
}

/// Returns true if a user-agent value names `token` in a dialect that compares whole names.
#[inline]
pub(crate) fn is_named_by(selection: Selection, name: &[u8], token: &[u8]) -> bool {
    match selection {
        Selection::GoogleToken => {
            let end = name.iter().position(|&byte| !is_token_byte(byte)).unwrap_or(name.len());
            !is_google_star(name) && name[..end].eq_ignore_ascii_case(token)
        }
        Selection::Yandex => !token.is_empty() && name.eq_ignore_ascii_case(token),
        _ => is_named(name, token),
    }
}

/// Returns true if a user-agent value names `token`: the whole value or its part before `/` or white space, without
/// final `*`s.
#[inline]
fn is_named(name: &[u8], token: &[u8]) -> bool {
    // This comparison is fast, because most names differ in the first letter.
    if name.len() < token.len() || !name[..token.len()].eq_ignore_ascii_case(token) || token.is_empty() {
        return false;
    }
    tokens_of(name).iter().any(|named| named.eq_ignore_ascii_case(token))
}

/// Returns the tokens that a user-agent value names: the whole value, and its part before `/` or white space, both
/// without final `*`s. An empty token names no crawler. The second token of `/x` and of `*/1.0` is empty. Both
/// tokens are empty for `**`, and for a value that means all crawlers (`* x`).
#[inline]
pub(crate) fn tokens_of(name: &[u8]) -> [&[u8]; 2] {
    if is_google_star(name) {
        return [b"", b""];
    }
    let end = name.iter().position(|&b| b == b'/' || is_ascii_space(b)).unwrap_or(name.len());
    [without_stars(name), without_stars(&name[..end])]
}

/// Returns the part of a user-agent value before a version or white space.
pub(crate) fn short_name(value: &[u8]) -> &[u8] {
    tokens_of(value)[1]
}

#[inline]
fn without_stars(name: &[u8]) -> &[u8] {
    &name[..name.len() - name.iter().rev().take_while(|&&byte| byte == b'*').count()]
}

/// Returns true for a value that means all crawlers in Google's parser: a `*`, alone or followed by white space.
pub(crate) fn is_google_star(name: &[u8]) -> bool {
    name.first() == Some(&b'*') && name.get(1).is_none_or(|&byte| is_ascii_space(byte))
}

fn lower(name: &[u8]) -> String {
    String::from_utf8_lossy(name).to_lowercase()
}

/// Returns true if `text` contains the pieces of `glob` in order, with anything between them.
fn glob_is_in(glob: &str, text: &str) -> bool {
    let mut rest = text;
    glob.split('*').all(|piece| match rest.find(piece) {
        Some(at) => {
            rest = &rest[at + piece.len()..];
            true
        }
        None => false,
    })
}

#[cfg(test)]
mod tests {
    use crate::robots::{Agent, Dialect, RobotsTxt};

    /// The names and agents cover cases in which selections differ.
    #[test]
    fn rules_of_many_agents_equal_the_rules_of_each_agent() {
        let names =
            ["a", "A/2.0", "a b", "a*", "*", "* x", "b***", "/c", "", "a b/1", "\u{e9}", "c d*", "ab"];
        let robots: String = (names.iter().chain(&names).enumerate())
            .map(|(line, name)| format!("User-agent: {name}\nCrawl-delay: {line}\nDisallow: /{line}\n"))
            .collect();
        let tokens = ["a", "A", "b", "c", "d", "a b", "a b/1", "*", "", "ab", "c d", "x", "\u{e9}"];
        let mut agents: Vec<Agent> = tokens.iter().map(|token| Agent::unchecked_token(*token)).collect();
        agents.extend(
            tokens.iter().map(|token| Agent::unchecked_token("nobody").or_token(*token).ignoring_star()),
        );
        agents.push(Agent::header("Mozilla/5.0 (compatible; c d; a b/1)"));
        for dialect in Dialect::ALL {
            let robots = RobotsTxt::parse_as(&robots, dialect);
            for (agent, rules) in agents.iter().zip(robots.rules_for_each(&agents)) {
                let alone = robots.rules_for(agent);
                assert_eq!(format!("{rules:?}"), format!("{alone:?}"), "{agent:?} in {dialect}");
                assert_eq!(rules.crawl_delay(), alone.crawl_delay(), "{agent:?} in {dialect}");
            }
        }
    }

    #[test]
    fn group_with_several_matching_names_is_merged_once() {
        let names: String = (0..2_000).map(|i| format!("User-agent: {}\n", &"foobot"[..1 + i % 6])).collect();
        let robots = format!("{names}{}", "Disallow: /x\n".repeat(2_000));
        for dialect in Dialect::ALL {
            let rules = RobotsTxt::parse_as(&robots, dialect).rules_for(&Agent::unchecked_token("foobot"));
            assert!(rules.len() <= 2_000, "{dialect}: {}", rules.len());
        }
    }
}
