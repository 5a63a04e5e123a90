//! Real files, or generated files if `COMITY_DATA` is not set, with generated questions.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

use comity::robots::{Agent, RobotsTxt};
use testkit::bodies::{self, Family, Kind};

use crate::case::Case;
use crate::generate::{self, Rng, UNLISTED};

/// The groups of files by size: maximum number of bytes, and name.
const BUCKETS: [(usize, &str); 4] =
    [(1_000, "≤ 1 KB"), (10_000, "≤ 10 KB"), (100_000, "≤ 100 KB"), (usize::MAX, "more")];

/// The files, sorted by size.
#[derive(Debug)]
pub(crate) struct Corpus {
    /// True if the files are real.
    pub(crate) is_real: bool,
    bodies: Vec<Vec<u8>>,
}

impl Corpus {
    /// Reads the files below `$COMITY_DATA`, or generates files. If `quick` is true, keeps every eighth file.
    pub(crate) fn load(quick: bool) -> io::Result<Self> {
        let (is_real, mut bodies) = match data_directory() {
            Some(directory) => (true, read_all(&directory.join("corpus/robots"))?),
            None => (false, generated()),
        };
        bodies.sort_by_key(Vec::len);
        if quick {
            bodies = bodies.into_iter().skip(4).step_by(8).collect();
        }
        Ok(Corpus { is_real, bodies })
    }

    /// Returns a description of the files.
    pub(crate) fn describe(&self) -> String {
        let bytes: usize = self.bodies.iter().map(Vec::len).sum();
        let kind = if self.is_real { "real" } else { "GENERATED (COMITY_DATA is not set)" };
        format!("{} {kind} files, {bytes} bytes", self.bodies.len())
    }

    /// Returns every file with one question, by size bucket. Every other question is for a crawler that the file
    /// names.
    pub(crate) fn buckets(&self) -> Vec<(&'static str, Vec<Case>)> {
        let mut rng = Rng::new(1);
        let mut buckets: Vec<_> = BUCKETS.iter().map(|&(_, title)| (title, Vec::new())).collect();
        for (index, body) in self.bodies.iter().enumerate() {
            let place =
                BUCKETS.iter().position(|&(limit, _)| body.len() <= limit).unwrap_or(BUCKETS.len() - 1);
            // Generates a derived and a random URL, and uses one of them.
            let url = generate::urls_for(body, 2, &mut rng).swap_remove(index / 2 % 2);
            buckets[place].1.push(Case::new(body.clone(), agent_for(body, index, &mut rng), vec![url]));
        }
        buckets
    }

    /// Returns up to `files` files with at least three rules, from small to large, with `questions` questions each.
    pub(crate) fn stratified(&self, files: usize, questions: usize) -> Vec<Case> {
        let has_rules = |body: &&Vec<u8>| {
            RobotsTxt::parse(body.as_slice()).records().filter(|r| r.kind().is_rule()).count() >= 3
        };
        let with_rules: Vec<_> = self.bodies.iter().filter(has_rules).collect();
        let files = files.min(with_rules.len());
        let mut rng = Rng::new(2);
        (0..files)
            .map(|index| {
                let body = with_rules[(2 * index + 1) * with_rules.len() / (2 * files)];
                let urls = generate::urls_for(body, questions, &mut rng);
                Case::new(body.clone(), agent_for(body, index, &mut rng), urls)
            })
            .collect()
    }
}

/// Sizes of bodies in other formats, and their names. The default dialect reads only 512,000 bytes of the largest.
pub(crate) const BODY_SIZES: [(usize, &str); 5] =
    [(1_000, "1 KB"), (10_000, "10 KB"), (100_000, "100 KB"), (500_000, "500 KB"), (2_000_000, "2 MB")];

/// Returns bodies of one format and size, with one question each. Larger sizes have fewer bodies.
pub(crate) fn bodies(kind: Kind, bytes: usize) -> Vec<Case> {
    let count = (100_000 / bytes.max(1)).clamp(2, 32);
    let case = |seed| {
        let body = bodies::body(kind, bytes, seed);
        let url = generate::urls_for(b"", 1, &mut Rng::new(seed)).swap_remove(0);
        Case::new(body, UNLISTED, vec![url])
    };
    (0..count as u64).map(case).collect()
}

/// Returns a body for each format of a family and each size up to 100 KB, with one question each.
pub(crate) fn bodies_of(family: Family) -> Vec<Case> {
    let kinds = Kind::ALL.into_iter().filter(|kind| kind.family() == family);
    kinds
        .flat_map(|kind| BODY_SIZES[..3].iter().map(move |&(bytes, _)| bodies(kind, bytes).swap_remove(0)))
        .collect()
}

/// Returns the format with this name.
pub(crate) fn kind_of(name: &str) -> Option<Kind> {
    Kind::ALL.into_iter().find(|kind| kind.as_str() == name)
}

fn data_directory() -> Option<PathBuf> {
    env::var_os("COMITY_DATA").map(PathBuf::from)
}

fn read_all(directory: &Path) -> io::Result<Vec<Vec<u8>>> {
    let mut paths: Vec<PathBuf> =
        fs::read_dir(directory)?.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>()?;
    paths.sort();
    paths.iter().map(fs::read).collect()
}

fn generated() -> Vec<Vec<u8>> {
    let mut rng = Rng::new(3);
    (0..4_000).map(|_| generate::typical_file(&mut rng)).collect()
}

/// Returns a crawler that the file names. For every second file, and if it names none, returns `UNLISTED`.
fn agent_for(body: &[u8], index: usize, rng: &mut Rng) -> String {
    let robots = RobotsTxt::parse(body);
    let named: Vec<String> = robots
        .groups()
        .flat_map(|group| group.agents().map(|agent| agent.value_text().into_owned()).collect::<Vec<_>>())
        .filter(|name| Agent::is_rfc9309_token(name))
        .collect();
    if index.is_multiple_of(2) || named.is_empty() {
        UNLISTED.to_owned()
    } else {
        named[rng.below(named.len())].clone()
    }
}
