//! Checks robots.txt files in a CI job: prints the findings, and exits with 1 if there is an error or a warning. With
//! `--fix`, it first applies the fixes that change no decision.
//!
//! ```sh
//! cargo run -p comity-examples --bin lint -- --fix robots.txt
//! ```

use std::error::Error;
use std::fs;
use std::process::ExitCode;

use comity::finding::Severity;
use comity::robots::lint::{apply_fixes, lint};

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let (options, files): (Vec<String>, Vec<String>) =
        std::env::args().skip(1).partition(|argument| argument.starts_with('-'));
    let fixes = match options.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => false,
        ["--fix"] => true,
        _ => return Err("usage: lint [--fix] FILE...".into()),
    };
    let mut failed = false;
    for file in files {
        let mut body = fs::read(&file)?;
        if fixes {
            let fixed = apply_fixes(&body, |_, fix| fix.is_safe())?;
            for finding in &fixed.fixed {
                println!("{file}: fixed: {finding}");
            }
            if fixed.body != body {
                fs::write(&file, &fixed.body)?;
                body = fixed.body;
            }
        }
        for finding in lint(&body) {
            failed |= finding.severity() >= Severity::Warning;
            println!("{file}: {finding}; {}", finding.help());
        }
    }
    Ok(ExitCode::from(u8::from(failed)))
}
