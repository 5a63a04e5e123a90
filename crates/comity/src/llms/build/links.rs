//! Reads the links of a line, with their notes, targets and findings.

use url::Url;

use super::Build;
use crate::llms::blocks::Line;
use crate::llms::file::{Link, LinkPlace, is_web};
use crate::llms::inline::{self, InlineLink, LinkForm};
use crate::llms::kinds;
use crate::llms::note::Around;

impl Build {
    /// Adds every link of a line.
    pub(super) fn links_of(&mut self, line: &Line<'_>, text: &str, place: LinkPlace) {
        let found = inline::links(text);
        for (index, link) in found.iter().enumerate() {
            if self.link_count == self.max_links {
                self.findings.add(&kinds::TOO_MANY_LINKS, line.number, &link.target);
                return;
            }
            self.link_count += 1;
            let previous_end = index.checked_sub(1).map_or(0, |index| found[index].end);
            let next_start = found.get(index + 1).map_or(text.len(), |next| next.start);
            let around = Around {
                before: text.get(previous_end..link.start).unwrap_or_default(),
                after: text.get(link.end..next_start).unwrap_or_default(),
                rest: text.get(link.end..).unwrap_or_default(),
                is_first: index == 0,
                is_only: found.len() == 1,
            };
            let link = self.link(line, link, &around, place);
            self.count(&link);
            self.current_links().push(link);
        }
    }

    fn link(&mut self, line: &Line<'_>, found: &InlineLink, around: &Around<'_>, place: LinkPlace) -> Link {
        let is_item = place == LinkPlace::Item && around.leads(found.form);
        let place = match place {
            LinkPlace::Item if !is_item => LinkPlace::Text,
            place => place,
        };
        let is_bare = matches!(found.form, LinkForm::Bare | LinkForm::Autolink);
        let note = match is_item {
            true => around.note(),
            // The text around a link in a sentence is not a note.
            false if is_bare && !around.is_only => None,
            false if !is_bare && !around.leads(found.form) => None,
            false => around.note().filter(|_| around.is_separated()),
        };
        let name = if is_bare && around.is_only { around.label() } else { found.name.clone() };
        let url = self.resolve(line.number, found);
        let is_external = match (&self.out.url, &url) {
            (Some(file), Some(url)) if is_web(url) => Some(file.origin() != url.origin()),
            _ => None,
        };
        self.check_link(line.number, found, &name);
        Link {
            name,
            target: found.target.clone(),
            url,
            note,
            title: found.title.clone(),
            line: line.number,
            place,
            form: found.form,
            is_external,
        }
    }

    fn resolve(&mut self, number: u32, found: &InlineLink) -> Option<Url> {
        if found.target.is_empty() {
            self.findings.add(&kinds::EMPTY_LINK_TARGET, number, &found.name);
            return None;
        }
        match Url::parse(&found.target) {
            Ok(url) => {
                if !is_web(&url) {
                    self.findings.add(&kinds::NOT_FETCHABLE, number, &found.target);
                }
                Some(url)
            }
            Err(url::ParseError::RelativeUrlWithoutBase) => {
                self.findings.add(&kinds::RELATIVE_LINKS, number, &found.target);
                self.out.url.as_ref()?.join(&found.target).ok()
            }
            Err(_) => {
                self.findings.add(&kinds::BAD_URL, number, &found.target);
                None
            }
        }
    }

    fn check_link(&mut self, number: u32, found: &InlineLink, name: &str) {
        let target = &found.target;
        let slips = [
            (found.has_space_before, &kinds::SPACE_BEFORE_URL),
            (found.has_space_within, &kinds::SPACE_IN_URL),
            (found.form == LinkForm::Bare, &kinds::BARE_URL),
            (found.form == LinkForm::Inline && name.is_empty(), &kinds::EMPTY_LINK_NAME),
        ];
        for (_, kind) in slips.into_iter().filter(|(is_so, _)| *is_so) {
            self.findings.add(kind, number, target);
        }
        if !target.is_empty() && !self.targets.insert(target.clone()) {
            self.findings.add(&kinds::DUPLICATE_LINK, number, target);
        }
    }

    fn count(&mut self, link: &Link) {
        self.with_notes += usize::from(link.note.is_some());
        self.in_items += usize::from(link.place == LinkPlace::Item);
        let is_listed = link.place == LinkPlace::Item && link.form == LinkForm::Inline;
        self.has_link_section |= is_listed && self.parent_level == 2;
    }
}
