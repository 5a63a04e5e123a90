//! `comity sitemap write`: a list of URLs becomes sitemaps.
//!
//! In a folder, files are numbered while they are written; in the end a single one takes the name that was asked for, and
//! several are joined by an index of that name.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use comity::sitemap::{IndexWriter, Part, Sitemap, SplitWriter, Url, UrlsetWriter, WriteError};

use super::args::SitemapWriteArgs;
use crate::exit::{Exit, Failure, reason};
use crate::input::{Line, Lines, Source};
use crate::output::Output;
use crate::render;

/// Reads the list and writes what it says.
pub(crate) fn run(args: &SitemapWriteArgs, output: &mut Output) -> Result<Exit, Failure> {
    let mut list = List::open(&args.file)?;
    let Some(first) = list.next(output)? else {
        return Err(Failure::new(format!("no entry in `{}`", list.lines.source()))
            .hint("give one URL per line; a sitemap needs at least one"));
    };
    match (&args.output, &args.base) {
        (Some(folder), Some(base)) => {
            let target = Target { folder, base, name: &args.name };
            target.write(first, &mut list, output)?;
        }
        _ => write_one(first, &mut list, output)?,
    }
    Ok(if list.is_flawed { Exit::Trouble } else { Exit::Success })
}

/// The entries of a list.
struct List {
    lines: Lines,
    line: Vec<u8>,
    /// The first line is JSON: entries may have extensions.
    is_json: bool,
    /// True if a line was not an entry.
    is_flawed: bool,
}

impl List {
    fn open(path: &Path) -> Result<Self, Failure> {
        let lines = Source::new(path).lines()?;
        Ok(List { lines, line: Vec::new(), is_json: false, is_flawed: false })
    }

    /// Returns the next entry. Lines that are not entries are reported and left out.
    fn next(&mut self, output: &mut Output) -> Result<Option<Url>, Failure> {
        loop {
            match self.lines.next(&mut self.line)? {
                Line::End => return Ok(None),
                Line::TooLong => self.object("the line is too long", output),
                Line::Text => match entry(&self.line) {
                    Ok(Some((url, is_json))) => {
                        self.is_json |= is_json;
                        return Ok(Some(url));
                    }
                    Ok(None) => {}
                    Err(problem) => self.object(&problem, output),
                },
            }
        }
    }

    fn object(&mut self, problem: &str, output: &mut Output) {
        self.is_flawed = true;
        output.error(&format!("{}: {problem}", self.lines.place()));
    }
}

/// Reads a line. Returns its entry and whether it was JSON; `None` if the line is empty.
fn entry(line: &[u8]) -> Result<Option<(Url, bool)>, String> {
    let text = std::str::from_utf8(line).map_err(|_| "the line is not UTF-8".to_owned())?.trim();
    if text.is_empty() {
        return Ok(None);
    }
    if text.starts_with('{') {
        let value: serde_json::Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
        if value.get("kind").is_some_and(|kind| kind != "url") {
            return Err("this is not a page; only pages can be written".to_owned());
        }
        let url = serde_json::from_value(value).map_err(|error| error.to_string())?;
        return Ok(Some((url, true)));
    }
    let (loc, lastmod) = text.split_once('\t').map_or((text, None), |(loc, date)| (loc, Some(date.trim())));
    let mut url = Url::new(loc.trim_end());
    if let Some(lastmod) = lastmod {
        url.lastmod = Some(lastmod.parse().map_err(|error| format!("{error}"))?);
    }
    Ok(Some((url, false)))
}

/// One sitemap to standard output.
fn write_one(first: Url, list: &mut List, output: &mut Output) -> Result<(), Failure> {
    // Errors of single lines go to standard error meanwhile, so the text waits here.
    let memory = Vec::new();
    let writer = if list.is_json { UrlsetWriter::with_extensions(memory) } else { UrlsetWriter::new(memory) };
    let mut writer = writer.map_err(|error| Failure::new(error.to_string()))?;
    let mut next = Some(first);
    while let Some(url) = next {
        match writer.write(&url) {
            Ok(()) => {}
            Err(WriteError::Full) => {
                return Err(Failure::new("more than fits into one sitemap")
                    .hint("with `--output DIR --base URL`, several are written, and an index"));
            }
            Err(error) => list.object(&error.to_string(), output),
        }
        next = list.next(output)?;
    }
    let text = writer.finish().map_err(|error| Failure::new(error.to_string()))?;
    Ok(output.write_all(&text)?)
}

/// The folder that sitemaps are written to, and the address where they will be found.
struct Target<'a> {
    folder: &'a Path,
    base: &'a str,
    name: &'a str,
}

type Out = BufWriter<File>;

impl Target<'_> {
    fn write(&self, first: Url, list: &mut List, output: &mut Output) -> Result<(), Failure> {
        fs::create_dir_all(self.folder).map_err(|error| self.trouble(self.folder, &error))?;
        let open = |number: u32| File::create(self.path(&self.part_name(number))).map(BufWriter::new);
        let mut writer: SplitWriter<Out, _> = SplitWriter::new(open).extended(list.is_json);
        let mut progress = output.progress(None, "entries");
        let mut next = Some(first);
        while let Some(url) = next {
            match writer.write(&url) {
                Ok(()) => {}
                Err(WriteError::Io(error)) => return Err(self.trouble(self.folder, &error)),
                Err(error) => list.object(&error.to_string(), output),
            }
            progress.step();
            next = list.next(output)?;
        }
        drop(progress);
        let parts = writer.finish().map_err(|error| self.explain(error))?;
        self.join(&parts, output)
    }

    /// Names the one sitemap, or lists several in an index; says what was written.
    fn join(&self, parts: &[Part<Out>], output: &mut Output) -> Result<(), Failure> {
        let main = self.path(self.name);
        if let [part] = parts {
            let from = self.path(&self.part_name(part.number()));
            fs::rename(&from, &main).map_err(|error| self.trouble(&main, &error))?;
            return self.say(&main, part.entries(), "entry", output);
        }
        if parts.is_empty() {
            return Err(Failure::new("no entry was valid, so nothing was written"));
        }
        for part in parts {
            self.say(&self.path(&self.part_name(part.number())), part.entries(), "entry", output)?;
        }
        let file = File::create(&main).map_err(|error| self.trouble(&main, &error))?;
        let mut index = IndexWriter::new(BufWriter::new(file)).map_err(|error| self.explain(error))?;
        for part in parts {
            let slash = if self.base.ends_with('/') { "" } else { "/" };
            let loc = format!("{}{slash}{}", self.base, self.part_name(part.number()));
            index.write(&Sitemap::new(loc)).map_err(|error| self.explain(error))?;
        }
        index.finish().map_err(|error| self.explain(error))?;
        self.say(&main, parts.len() as u64, "sitemap", output)
    }

    fn say(&self, path: &Path, number: u64, noun: &str, output: &mut Output) -> Result<(), Failure> {
        let number = usize::try_from(number).unwrap_or(usize::MAX);
        let path = render::text(path.as_os_str().as_encoded_bytes()).into_owned();
        Ok(writeln!(output, "{path}  {}", render::count(number, noun))?)
    }

    /// `sitemap-1.xml`
    fn part_name(&self, number: u32) -> String {
        match self.name.rsplit_once('.') {
            Some((stem, extension)) => format!("{stem}-{number}.{extension}"),
            None => format!("{}-{number}", self.name),
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    fn explain(&self, error: WriteError) -> Failure {
        match error {
            WriteError::Io(error) => self.trouble(self.folder, &error),
            WriteError::Full => Failure::new("more sitemaps than fit into one index"),
            other => Failure::new(other.to_string()),
        }
    }

    fn trouble(&self, path: &Path, error: &io::Error) -> Failure {
        let path = render::text(path.as_os_str().as_encoded_bytes()).into_owned();
        Failure::new(format!("cannot write `{path}`: {}", reason(error)))
    }
}
