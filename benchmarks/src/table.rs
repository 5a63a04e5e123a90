//! Tables of figures, printed as Markdown and written as JSON.

use std::fmt::Write as _;

use serde::Serialize;

/// A table of figures with one engine per row.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Table {
    pub(crate) workload: &'static str,
    pub(crate) title: String,
    pub(crate) columns: Vec<String>,
    pub(crate) rows: Vec<Row>,
    pub(crate) notes: Vec<String>,
    /// True if the figures are times, which the table of ratios includes.
    pub(crate) is_time: bool,
}

/// The figures of one engine.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Row {
    pub(crate) engine: &'static str,
    /// The number of verdicts that equal the reference, and the number of all verdicts.
    pub(crate) agreement: Option<(usize, usize)>,
    pub(crate) cells: Vec<Cell>,
}

/// The samples of one figure, one per round.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Cell {
    pub(crate) samples: Vec<f64>,
    /// The text of the cell if there is no sample.
    pub(crate) note: &'static str,
}

impl Cell {
    pub(crate) fn of(figure: f64) -> Self {
        Cell { samples: vec![figure], note: "" }
    }

    /// Returns the minimum.
    pub(crate) fn best(&self) -> Option<f64> {
        self.samples.iter().copied().min_by(f64::total_cmp)
    }

    fn median(&self) -> Option<f64> {
        let mut sorted = self.samples.clone();
        sorted.sort_by(f64::total_cmp);
        sorted.get(sorted.len() / 2).copied()
    }

    fn show(&self) -> String {
        match (self.best(), self.median()) {
            (Some(best), Some(median)) if self.samples.len() > 1 => {
                format!("{} / {}", figure(best), figure(median))
            }
            (Some(best), _) => figure(best),
            _ if self.note.is_empty() => "–".to_owned(),
            _ => self.note.to_owned(),
        }
    }
}

/// Formats a figure with two decimals below 10, one below 100, and none from 100 on.
pub(crate) fn figure(value: f64) -> String {
    if value < 10.0 {
        return format!("{value:.2}");
    }
    if value < 100.0 {
        return format!("{value:.1}");
    }
    let digits = format!("{value:.0}");
    let mut grouped = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index) % 3 == 0 {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

impl Table {
    /// Returns the table as Markdown.
    pub(crate) fn markdown(&self) -> String {
        let has_agreement = self.rows.iter().any(|row| row.agreement.is_some());
        let mut text = format!("### {}: {}\n\n| engine |", self.workload, self.title);
        if has_agreement {
            text.push_str(" agrees |");
        }
        self.columns.iter().for_each(|column| text.push_str(&format!(" {column} |")));
        text.push_str(if has_agreement { "\n|---|---:|" } else { "\n|---|" });
        text.push_str(&"---:|".repeat(self.columns.len()));
        text.push('\n');
        for row in &self.rows {
            let _ = write!(text, "| {} |", row.engine);
            if has_agreement {
                let _ = write!(text, " {} |", row.agreement.map_or("–".to_owned(), percent));
            }
            row.cells.iter().for_each(|cell| text.push_str(&format!(" {} |", cell.show())));
            text.push('\n');
        }
        self.notes.iter().for_each(|note| text.push_str(&format!("\n{note}\n")));
        text
    }

    /// Returns the row of an engine.
    pub(crate) fn row(&self, engine: &str) -> Option<&Row> {
        self.rows.iter().find(|row| row.engine == engine)
    }
}

/// Formats a share such as `99.950 %`. Prints 100 % only if all verdicts are equal.
fn percent((same, all): (usize, usize)) -> String {
    if same == all {
        return "100 %".to_owned();
    }
    let share = 100.0 * same as f64 / all as f64;
    format!("{:.3} %", share.min(99.999))
}

/// Returns a table in Markdown with all times, divided by the times of the first engine.
pub(crate) fn ratios(tables: &[Table]) -> String {
    let timed = || tables.iter().filter(|table| table.is_time);
    let Some(base) = timed().find_map(|table| table.rows.first()).map(|row| row.engine) else {
        return String::new();
    };
    let mut engines: Vec<&str> = Vec::new();
    for engine in timed().flat_map(|table| &table.rows).map(|row| row.engine) {
        if engine != base && !engines.contains(&engine) {
            engines.push(engine);
        }
    }
    let mut text = format!(
        "### Ratios: best time divided by the best time of {base} (above 1, {base} is faster)\n\n| workload |"
    );
    engines.iter().for_each(|engine| text.push_str(&format!(" {engine} |")));
    let _ = write!(text, "\n|---|{}\n", "---:|".repeat(engines.len()));
    for table in timed() {
        for (column, title) in table.columns.iter().enumerate() {
            let _ = write!(text, "| {} {title} |", table.workload);
            for engine in &engines {
                let ratio = ratio(table, column, engine, base);
                let _ = write!(text, " {} |", ratio.map_or("–".to_owned(), show_ratio));
            }
            text.push('\n');
        }
    }
    text
}

/// Formats a ratio. Small ratios have more digits.
fn show_ratio(ratio: f64) -> String {
    if ratio < 0.1 { format!("{ratio:.4}") } else { figure(ratio) }
}

fn ratio(table: &Table, column: usize, engine: &str, base: &str) -> Option<f64> {
    let best = |name| table.row(name)?.cells.get(column)?.best();
    Some(best(engine)? / best(base)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figure_is_rounded_and_grouped() {
        assert_eq!(figure(1.234), "1.23");
        assert_eq!(figure(45.67), "45.7");
        assert_eq!(figure(1_234_567.8), "1,234,568");
        assert_eq!(percent((999_999, 1_000_000)), "99.999 %");
        assert_eq!(percent((5, 5)), "100 %");
    }

    #[test]
    fn cell_shows_best_and_median() {
        let cell = Cell { samples: vec![30.0, 10.0, 20.0], note: "" };
        assert_eq!(cell.show(), "10.0 / 20.0");
    }
}
