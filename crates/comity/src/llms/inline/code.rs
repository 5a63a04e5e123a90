//! Code spans: parts of a line that cannot contain links.

use std::collections::HashMap;

use memchr::memchr;

use crate::llms::steps;

/// Returns the start and end of each code span, which two backtick runs of equal length enclose (CommonMark 6.1).
pub(super) fn spans(bytes: &[u8]) -> Vec<(usize, usize)> {
    if memchr(b'`', bytes).is_none() {
        return Vec::new();
    }
    let runs = backtick_runs(bytes);
    // For each run, the next run of equal length.
    let mut next = vec![None; runs.len()];
    let mut last_of_length = HashMap::new();
    for (index, &(_, length)) in runs.iter().enumerate().rev() {
        next[index] = last_of_length.insert(length, index);
    }
    let (mut spans, mut index) = (Vec::new(), 0);
    while index < runs.len() {
        index = match next[index] {
            Some(partner) => {
                spans.push((runs[index].0, runs[partner].0 + runs[partner].1));
                partner + 1
            }
            None => index + 1,
        };
    }
    spans
}

/// Returns the positions and lengths of runs of backticks. An escaped backtick does not count.
fn backtick_runs(bytes: &[u8]) -> Vec<(usize, usize)> {
    let (mut runs, mut at) = (Vec::new(), 0);
    while at < bytes.len() {
        steps::count(1);
        match bytes[at] {
            b'\\' if bytes.get(at + 1) == Some(&b'`') => at += 2,
            b'`' => {
                let length = bytes[at..].iter().take_while(|byte| **byte == b'`').count();
                runs.push((at, length));
                at += length;
            }
            _ => at += 1,
        }
    }
    runs
}
