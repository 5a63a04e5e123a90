//! Finds the known crawler that a misspelt name probably means.

use std::sync::LazyLock;

use super::{KnownAgent, all, known};

/// The candidates for a misspelt name, each with the length and the set of letters of its token, sorted by length.
/// Length and letters exclude all candidates for most names, without computing an edit distance.
static PROMINENT: LazyLock<Vec<(usize, u32, &KnownAgent)>> = LazyLock::new(|| {
    let prominent = all().iter().filter(|agent| agent.is_prominent());
    let mut prominent: Vec<_> =
        prominent.map(|agent| (agent.token.len(), letters(agent.token.as_bytes()), agent)).collect();
    prominent.sort_by_key(|(length, ..)| *length);
    prominent
});

/// Returns the crawler whose token differs from `token` by one or two slips. A slip is a letter that is omitted, added,
/// changed or swapped with its neighbour.
///
/// In a token of 6 to 8 letters, one letter may be omitted, added or swapped. In a token of 9 to 11 letters, one letter
/// may also be changed. In a token of 12 to 48 letters, there may be two slips. Shorter names resemble each other too
/// much. Only crawlers that are [well known](KnownAgent::is_well_known) or documented by their operators are
/// candidates. A name that resembles a rare crawler more likely belongs to one of the thousands of crawlers outside the
/// catalogue. Returns `None` if the token itself is known.
///
/// ```
/// use comity::agents;
///
/// assert_eq!(agents::closest("gogglebot").map(|agent| agent.token()), Some("Googlebot"));
/// assert!(agents::closest("Googlebot").is_none());
/// assert!(agents::closest("examplebot").is_none());
/// ```
pub fn closest(token: &str) -> Option<&'static KnownAgent> {
    let (bytes, limit) = (token.as_bytes(), max_slips(token.len())?);
    let set = letters(bytes);
    let begin = PROMINENT.partition_point(|(length, ..)| length + limit < bytes.len());
    let of_such_length =
        PROMINENT.iter().skip(begin).take_while(|(length, ..)| *length <= bytes.len() + limit);
    let may_be_meant = of_such_length.filter(|(_, letters, _)| is_within(set ^ letters, limit));
    let near = may_be_meant.filter_map(|(.., agent)| Some((slips(bytes, agent.token.as_bytes())?, *agent)));
    let (_, nearest) = near.min_by_key(|(slips, agent)| (*slips, agent.token))?;
    // A known token is rarely similar to another one, so this lookup comes last.
    known(token).is_none().then_some(nearest)
}

/// Returns the maximum number of slips in a token of this length.
fn max_slips(length: usize) -> Option<usize> {
    match length {
        6..=11 => Some(1),
        12..=48 => Some(2),
        _ => None,
    }
}

/// Returns the number of slips by which `token` differs from `name`, or `None` if there are too many slips for names of
/// these lengths.
pub(crate) fn slips(token: &[u8], name: &[u8]) -> Option<usize> {
    let limit = max_slips(token.len())?;
    // In a token of 6 to 8 letters, a changed letter is not a slip: `Roverbot` is a separate crawler, not a misspelling
    // of `rogerbot`.
    let may_be_meant =
        name.len() >= 6 && (token.len() >= 9 || name.len() != token.len() || is_anagram(token, name));
    if may_be_meant { edit_distance(token, name, limit) } else { None }
}

/// Returns true if two names have the same letters.
fn is_anagram(a: &[u8], b: &[u8]) -> bool {
    let sorted = |name: &[u8]| {
        let mut letters = name.to_ascii_lowercase();
        letters.sort_unstable();
        letters
    };
    letters(a) == letters(b) && sorted(a) == sorted(b)
}

/// Returns the number of letters that must be added, dropped, changed or swapped with their neighbour to convert `b` to
/// `a`, without regard to case. Returns `None` if it exceeds `limit`. The cost is proportional to the product of both
/// lengths. If the sets of letters differ too much, the cost is proportional to the sum of the lengths.
pub(crate) fn edit_distance(a: &[u8], b: &[u8], limit: usize) -> Option<usize> {
    if a.len().abs_diff(b.len()) > limit || !is_within(letters(a) ^ letters(b), limit) {
        return None;
    }
    // Three rows of the table: swaps need the row before the last one.
    let mut before = vec![0; b.len() + 1];
    let mut last: Vec<usize> = (0..=b.len()).collect();
    let mut row = vec![0; b.len() + 1];
    let mut previous = 0_u8;
    for (i, &x) in a.iter().enumerate() {
        row[0] = i + 1;
        for (j, &y) in b.iter().enumerate() {
            let differs = usize::from(!x.eq_ignore_ascii_case(&y));
            let mut best = (last[j] + differs).min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && x.eq_ignore_ascii_case(&b[j - 1]) && y.eq_ignore_ascii_case(&previous) {
                best = best.min(before[j - 1] + 1);
            }
            row[j + 1] = best;
        }
        previous = x;
        std::mem::swap(&mut before, &mut last);
        std::mem::swap(&mut last, &mut row);
    }
    last.last().copied().filter(|distance| *distance <= limit)
}

/// Returns true if at most `slips` slips can cause the difference between two sets of letters. Each slip changes at
/// most two letters of a set.
fn is_within(difference: u32, slips: usize) -> bool {
    difference.count_ones() as usize <= 2 * slips
}

/// Returns the set of letters, with one bit for each of 32 classes of bytes, without regard to case.
fn letters(text: &[u8]) -> u32 {
    text.iter().fold(0, |set, byte| set | 1 << (byte & 31))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edit_distance_counts_swapped_letters_as_one_slip() {
        let distance = |a: &str, b: &str| edit_distance(a.as_bytes(), b.as_bytes(), 2);
        assert_eq!(distance("disallow", "disallow"), Some(0));
        assert_eq!(distance("diasllow", "disallow"), Some(1));
        assert_eq!(distance("disalow", "disallow"), Some(1));
        assert_eq!(distance("desallaw", "disallow"), Some(2));
        assert_eq!(distance("noindex", "disallow"), None);
        assert_eq!(distance("", "ab"), Some(2));
        assert_eq!(distance("", ""), Some(0));
    }

    #[test]
    fn short_or_ambiguous_name_has_no_closest_crawler() {
        for name in ["slurb", "crcbot", "roverbot", "wotbot", "aipbot", "amazonadbot"] {
            assert_eq!(closest(name), None, "{name}");
        }
        assert_eq!(closest("googelbot").map(KnownAgent::token), Some("Googlebot"));
        assert_eq!(closest("GTPBot").map(KnownAgent::token), Some("GPTBot"));
        assert_eq!(closest("bingbt").map(KnownAgent::token), Some("bingbot"));
    }
}
