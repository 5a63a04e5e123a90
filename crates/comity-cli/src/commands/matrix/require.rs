//! `--require`: the required access of crawlers, for CI.

use std::str::FromStr;

use comity::agents::Purpose;

use crate::exit::Failure;
use crate::output::Output;
use crate::render;
use comity_answers::matrix::{Matrix, RequiredAccess, Row};

/// The required access of one crawler, or of all crawlers of one purpose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Requirement {
    who: Subject,
    access: RequiredAccess,
}

/// The crawlers of a requirement.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Subject {
    Purpose(Purpose),
    /// A crawler by its token; `*` for all others.
    Crawler(String),
}

impl FromStr for Requirement {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || {
            "write a purpose or a crawler, and its required access: training=disallowed, \
             Googlebot=allowed-or-partly"
                .to_owned()
        };
        let (who, access) = text.split_once('=').ok_or_else(wrong)?;
        let who = who.trim();
        let access = access.trim().parse()?;
        let who = match crate::args::values::purpose(who) {
            Some(purpose) => Subject::Purpose(purpose),
            None => Subject::Crawler(crate::args::values::question_agent(who)?),
        };
        Ok(Requirement { who, access })
    }
}

impl Requirement {
    fn is_about(&self, row: &Row) -> bool {
        match &self.who {
            Subject::Purpose(purpose) => row.purpose() == Some(*purpose),
            Subject::Crawler(name) => row.agent.eq_ignore_ascii_case(name),
        }
    }

    /// Returns the crawler that must have a row.
    pub(super) fn crawler(&self) -> Option<&str> {
        match &self.who {
            Subject::Crawler(name) => Some(name),
            Subject::Purpose(_) => None,
        }
    }

    fn name(&self) -> &str {
        match &self.who {
            Subject::Purpose(purpose) => purpose.as_str(),
            Subject::Crawler(name) => name,
        }
    }
}

/// Reports the requirements that a matrix does not meet, and returns whether there are any.
pub(super) fn report(
    requirements: &[Requirement],
    matrix: &Matrix,
    output: &mut Output,
) -> Result<bool, Failure> {
    const NAMED: usize = 5;
    let mut is_broken = false;
    for requirement in requirements {
        let rows: Vec<&Row> = matrix.crawlers.iter().filter(|row| requirement.is_about(row)).collect();
        if rows.is_empty() {
            return Err(Failure::new(format!("no crawler in the matrix matches `{}`", requirement.name()))
                .hint("--purpose and --agent select the crawlers"));
        }
        let broken: Vec<&Row> =
            rows.into_iter().filter(|row| !requirement.access.is_met(row.access)).collect();
        if broken.is_empty() {
            continue;
        }
        is_broken = true;
        let mut names: Vec<String> =
            broken.iter().take(NAMED).map(|row| format!("{} is {}", row.name(), row.access)).collect();
        if broken.len() > NAMED {
            names.push(format!("{} more differ", broken.len() - NAMED));
        }
        output.error(&format!(
            "`{}` violates --require {}={}: {}",
            matrix.file,
            requirement.name(),
            requirement.access,
            render::list(&names)
        ));
    }
    Ok(is_broken)
}
