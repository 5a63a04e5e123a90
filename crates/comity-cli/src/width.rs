//! Maximum width of a line, from the environment or the terminal, and the number of lines of the terminal.

/// Returns the columns of standard output: those of `COLUMNS`, or of the terminal, within limits; 100 without either.
pub(crate) fn of_output(is_terminal: bool) -> usize {
    of_environment().unwrap_or_else(|| if is_terminal { of_terminal() } else { 100 })
}

/// Returns the columns of help: those of `COLUMNS`, or of the terminal, up to a readable maximum.
pub(crate) fn of_help() -> usize {
    of_environment().unwrap_or_else(of_terminal).min(100)
}

/// Returns the lines of the terminal.
#[cfg(feature = "jobs")]
pub(crate) fn lines_of_terminal() -> usize {
    terminal_size::terminal_size().map_or(24, |(_, height)| usize::from(height.0))
}

fn of_environment() -> Option<usize> {
    let columns = std::env::var("COLUMNS").ok()?.trim().parse::<usize>().ok()?;
    (columns > 0).then(|| columns.clamp(40, 200))
}

fn of_terminal() -> usize {
    terminal_size::terminal_size().map_or(100, |(width, _)| usize::from(width.0).clamp(40, 160))
}
