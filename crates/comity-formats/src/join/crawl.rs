//! Finds the name of the crawl to which pages belong, such as `CC-MAIN-2024-30`.

/// Returns the name of the crawl in a path: a part `crawl=NAME`, as in partitioned tables, or a name of Common Crawl
/// (`crawl-data/CC-MAIN-2024-30/segments/…`, `CC-MAIN-2024-30.parquet`). The last such part is used.
pub(super) fn of_path(path: &str) -> Option<&str> {
    path.rsplit(['/', '\\']).find_map(|part| {
        let named = part.strip_prefix("crawl=").filter(|name| !name.is_empty());
        named.or_else(|| {
            let name = part.split('.').next()?;
            is_of_common_crawl(name).then_some(name)
        })
    })
}

/// Returns whether a name is the name of a crawl, such as `CC-MAIN-2024-30`, `CC-MAIN-2012` or `CC-MAIN-2009-2010`. The name
/// of a file has more digits: `CC-MAIN-20240713040138-…-00000`.
fn is_of_common_crawl(name: &str) -> bool {
    let Some(numbers) = name.strip_prefix("CC-MAIN-") else { return false };
    let (year, rest) = numbers.split_once('-').map_or((numbers, None), |(year, rest)| (year, Some(rest)));
    let is_number = |text: &str, lengths: &[usize]| {
        lengths.contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
    };
    is_number(year, &[4]) && rest.is_none_or(|rest| is_number(rest, &[2, 4]))
}

/// Returns the name of the crawl in the `warcinfo` record of a WARC file: `isPartOf: CC-MAIN-2024-30`.
pub(crate) fn of_warcinfo(description: &[u8]) -> Option<String> {
    /// Maximum length of a name, in bytes.
    const MAX_LENGTH: usize = 200;
    let text = std::str::from_utf8(description).ok()?;
    let field = |line: &str| {
        let (name, value) = line.split_once(':')?;
        let value = value.trim();
        let is_name = !value.is_empty() && value.len() <= MAX_LENGTH && !value.contains(char::is_control);
        (is_name && name.trim().eq_ignore_ascii_case("isPartOf")).then(|| value.to_owned())
    };
    text.lines().find_map(field)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crawl_is_found_in_paths() {
        let cases = [
            (
                "crawl-data/CC-MAIN-2024-30/segments/1/warc/CC-MAIN-20240713040138-20240713070138-00000.warc.gz",
                Some("CC-MAIN-2024-30"),
            ),
            (
                "cc-index/table/cc-main/warc/crawl=CC-MAIN-2023-06/subset=warc/part-0.parquet",
                Some("CC-MAIN-2023-06"),
            ),
            ("tables/crawl=spring 2024/part-0.parquet", Some("spring 2024")),
            ("CC-MAIN-2008-2009.csv.gz", Some("CC-MAIN-2008-2009")),
            ("CC-MAIN-2012", Some("CC-MAIN-2012")),
            ("crawl=a/crawl=b/x.csv", Some("b")),
            ("C:\\data\\CC-MAIN-2024-30\\x.csv", Some("CC-MAIN-2024-30")),
            ("crawl=/x.csv", None),
            ("CC-MAIN-20240713040138-20240713070138-00000.warc.gz", None),
            ("CC-MAIN-2024-3/x", None),
            ("CC-NEWS/2024/07/CC-NEWS-20240713.warc.gz", None),
            ("pages.csv", None),
            ("", None),
        ];
        for (path, crawl) in cases {
            assert_eq!(of_path(path), crawl, "{path}");
        }
    }

    #[test]
    fn crawl_is_found_in_a_warcinfo_record() {
        let crawl = |text: &[u8]| of_warcinfo(text);
        let text = b"software: x\r\nispartof: CC-MAIN-2024-30\r\nformat: WARC File Format 1.1\r\n";
        assert_eq!(crawl(text).as_deref(), Some("CC-MAIN-2024-30"));
        assert_eq!(crawl(b"isPartOf:  \r\n"), None);
        assert_eq!(crawl(b"isPartOf: a\x1b[2Jb\r\n"), None);
        assert_eq!(crawl(format!("isPartOf: {}\r\n", "x".repeat(201)).as_bytes()), None);
        assert_eq!(crawl(b"\xff\xfe"), None);
    }
}
