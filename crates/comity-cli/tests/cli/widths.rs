//! Text output fits the width of the terminal.

use insta::assert_snapshot;

use crate::comity;

/// Commands with text output.
const VIEWS: [&str; 12] = [
    "check --agent GPTBot --agent Googlebot-Image --robots robots.txt https://example.com/a/rather/long/path/to/a/page?with=a&query=string#fragment /private/x",
    "explain --agent ExampleBot --robots robots.txt /private/open",
    "explain --agent ExampleBot --robots robots.txt --all-dialects /private/open",
    "lint kinds.txt slips.txt",
    "inspect robots.txt",
    "diff old.txt new.txt",
    "matrix --robots matrix.txt",
    "matrix --robots matrix.txt --purpose training / /cart /press/2026 /a /b /c",
    "status --now 2026-11-21T06:00:00Z --code 503",
    "help network",
    "help exit",
    "presets google",
];

/// Returns true for lines that are not wrapped: URLs, patterns, lines of the file, titles and help of findings.
fn can_be_long(line: &str) -> bool {
    // The title of a finding is printed as one line. If it is too long, the terminal wraps it.
    let is_title = ["error[", "warning[", "note["].iter().any(|start| line.starts_with(start));
    is_title
        || line.contains("= help:")
        || line.contains("://")
        || line.contains('|')
        || line.split(' ').any(|word| word.chars().count() > 30)
}

#[test]
fn output_fits_80_and_120_columns() {
    for columns in ["80", "120"] {
        let mut shown = String::new();
        for view in VIEWS {
            let text = comity(view).env("COLUMNS", columns).run().stdout;
            let width: usize = columns.parse().expect("a number");
            for line in text.lines().filter(|line| !can_be_long(line)) {
                let length = line.chars().count();
                let is_verdict =
                    view.starts_with("check") || view.contains("--all-dialects") || view.starts_with("diff");
                assert!(length <= width || is_verdict, "{view} at {columns}: {length} columns: {line}");
            }
            shown += &format!("$ comity {view}\n{text}\n");
        }
        assert_snapshot!(format!("widths_{columns}"), shown);
    }
}
