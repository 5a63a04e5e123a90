//! The sources of test cases: the generator, and real files with generated questions.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use testkit::generate::{Case, Generator};

use crate::Result;

/// Number of consecutive questions about one file. The runners cache the file that was parsed last.
const QUESTIONS_PER_FILE: usize = 5;

/// The arguments that determine a sequence of cases.
#[derive(Clone, Debug, Args)]
pub(crate) struct Source {
    /// Seed of the sequence of cases.
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// Uses the files under this directory instead of generated files.
    #[arg(long, value_name = "DIR")]
    pub(crate) real: Option<PathBuf>,
}

impl Source {
    /// Returns the endless sequence of cases.
    pub(crate) fn cases(&self) -> Result<Cases> {
        let files = match &self.real {
            Some(directory) => files_under(directory)?,
            None => Vec::new(),
        };
        if self.real.is_some() && files.is_empty() {
            return Err("--real: the directory has no files".into());
        }
        Ok(Cases { generator: Generator::new(self.seed), files: Arc::new(files), next: 0 })
    }
}

/// Returns the bodies of all files under `directory`, in the order of their paths.
fn files_under(directory: &Path) -> Result<Vec<Vec<u8>>> {
    let mut entries: Vec<_> = directory.read_dir()?.collect::<std::io::Result<_>>()?;
    entries.sort_by_key(std::fs::DirEntry::path);
    let mut bodies = Vec::new();
    for entry in entries {
        if entry.file_type()?.is_dir() {
            bodies.extend(files_under(&entry.path())?);
        } else {
            bodies.push(std::fs::read(entry.path())?);
        }
    }
    Ok(bodies)
}

/// An endless sequence of cases.
#[derive(Clone, Debug)]
pub(crate) struct Cases {
    generator: Generator,
    /// Real files; empty if the files are generated.
    files: Arc<Vec<Vec<u8>>>,
    next: usize,
}

impl Iterator for Cases {
    type Item = Case;

    fn next(&mut self) -> Option<Case> {
        if self.files.is_empty() {
            return Some(self.generator.next_case());
        }
        let robots = self.files[self.next / QUESTIONS_PER_FILE % self.files.len()].clone();
        self.next += 1;
        let (agent, url) = self.generator.question_for(&robots);
        Some(Case { robots, agent, url })
    }
}
