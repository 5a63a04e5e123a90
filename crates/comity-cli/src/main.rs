//! The binary around [`comity_cli::run`].

#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    comity_cli::run(std::env::args_os()).into()
}
