//! `comity presets`: the presets and their tables.

mod args;
#[cfg(feature = "schema")]
use comity_answers::schema::RowSchema;
use std::io::Write;
use std::time::Duration;

use comity::policy::{
    AnswerKind, Availability, Mode, OutageStep, Preset, PresetEntry, Recommendation, Treatment, Verdict,
};
use comity::robots::Dialect;
use serde::Serialize;

pub(crate) use self::args::PresetsArgs;
use crate::exit::{Exit, Failure};
use crate::output::Output;
use crate::render;

/// Lists all presets, or shows the tables of those asked for.
pub(crate) fn run(args: &PresetsArgs, output: &mut Output) -> Result<Exit, Failure> {
    let with_tables = !args.presets.is_empty();
    let presets: &[Preset] = if with_tables { &args.presets } else { &Preset::ALL };
    let tables: Vec<Table> = presets.iter().copied().map(Table::new).collect();
    if args.format.is_json() {
        tables.iter().try_for_each(|table| output.json_line(table))?;
        return Ok(Exit::Success);
    }
    for (index, table) in tables.iter().enumerate() {
        if index > 0 {
            writeln!(output)?;
        }
        table.print_head(output)?;
        if with_tables {
            table.print_answers(output)?;
            table.print_outage(output)?;
        }
    }
    Ok(Exit::Success)
}

/// A preset as JSON.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Table {
    /// The name of the preset.
    name: &'static str,
    /// True if it is the default.
    default: bool,
    /// The program or text that defines it.
    defined_by: &'static str,
    /// Notes on the preset.
    notes: &'static [&'static str],
    /// The dialect that robots.txt is read in.
    dialect: Dialect,
    /// The mode.
    mode: Mode,
    /// True if it allows fetching although nothing is known.
    fails_open: bool,
    /// The number of bytes of a body that are read; null if all are.
    body_limit: Option<usize>,
    /// The treatment of each kind of answer.
    answers: Vec<Line>,
    /// The largest age of a copy that serves, in seconds; null if its age does not matter.
    stale_seconds: Option<u64>,
    /// The steps of an outage.
    outage: Vec<Step>,
}

#[cfg(feature = "schema")]
pub(crate) const SCHEMA: RowSchema = RowSchema::new::<Table>("preset", "a line of `comity presets`");

/// The treatment of a kind of answer. Durations are in seconds; null is as long as the program runs.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "PresetAnswer"))]
struct Line {
    /// The kind of answer.
    answer: AnswerKind,
    /// The kind of answer in a few words.
    label: &'static str,
    /// The availability of robots.txt, as the preset sees it.
    availability: Availability,
    /// The treatment of the answer.
    treatment: Treatment,
    /// The verdict when the answer comes and there is no copy; null where rules decide.
    verdict: Option<Verdict>,
    /// The recommendation then; null where rules decide.
    recommendation: Option<Recommendation>,
    /// The header fields that state how long the answer counts.
    headers: Option<&'static str>,
    /// The shortest time for which it counts.
    floor_seconds: u64,
    /// The longest time for which it counts; null is as long as the program runs.
    ceiling_seconds: Option<u64>,
    /// The time for which it counts without such header fields; null is as long as the program runs.
    otherwise_seconds: Option<u64>,
    #[serde(skip)]
    summary: String,
    #[serde(skip)]
    kept: String,
}

/// A step of an outage.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "OutageStep"))]
struct Step {
    /// The end of the step, from the first failure; null for the last step.
    until_seconds: Option<u64>,
    /// The treatment if there is a copy.
    with_copy: Treatment,
    /// The treatment if there is no copy.
    without_copy: Treatment,
    /// True if the preset fails open once another URL of the site answers.
    opens_if_site_is_reachable: bool,
}

fn seconds(duration: Option<Duration>) -> Option<u64> {
    duration.map(|duration| duration.as_secs())
}

impl Line {
    fn new(entry: PresetEntry) -> Self {
        let lifetime = entry.lifetime();
        let (floor, ceiling) = lifetime.bounds();
        Line {
            answer: entry.kind(),
            label: entry.kind().label(),
            availability: entry.availability(),
            treatment: entry.treatment(),
            verdict: entry.verdict(),
            recommendation: entry.recommendation(),
            headers: lifetime.headers(),
            floor_seconds: floor.as_secs(),
            ceiling_seconds: seconds(ceiling),
            otherwise_seconds: seconds(lifetime.otherwise()),
            summary: entry.to_string(),
            kept: lifetime.to_string(),
        }
    }

    /// `unavailable; allow all: allowed_implicit, recommended`.
    fn outcome(&self) -> String {
        let decided = match (self.verdict, self.recommendation) {
            (Some(verdict), Some(recommendation)) => format!("{verdict}, {recommendation}"),
            _ => "the rules decide".to_owned(),
        };
        format!("{}; {}: {decided}", self.availability, self.summary)
    }
}

impl Step {
    fn new(step: &OutageStep) -> Self {
        Step {
            until_seconds: seconds(step.until()),
            with_copy: step.with_copy(),
            without_copy: step.without_copy(),
            opens_if_site_is_reachable: step.opens_if_site_is_reachable(),
        }
    }
}

impl Table {
    fn new(preset: Preset) -> Self {
        Table {
            name: preset.name(),
            default: preset == Preset::default(),
            defined_by: preset.defined_by(),
            notes: preset.notes(),
            dialect: preset.dialect(),
            mode: preset.mode(),
            fails_open: preset.can_fail_open(),
            body_limit: preset.body_limit(),
            answers: AnswerKind::ALL.map(|kind| Line::new(preset.entry(kind))).into(),
            stale_seconds: seconds(preset.stale_for()),
            outage: preset.outage_steps().iter().map(Step::new).collect(),
        }
    }

    fn print_head(&self, output: &mut Output) -> Result<(), Failure> {
        let palette = output.palette;
        let (strong, faint, warning) = (palette.strong, palette.faint, palette.warning);
        let default = if self.default { "  (default)" } else { "" };
        let opens = if self.fails_open { "  can fail open" } else { "" };
        writeln!(
            output,
            "{strong}{}{strong:#}{faint}{default}{faint:#}{warning}{opens}{warning:#}",
            self.name
        )?;
        writeln!(output, "  defined by {}", self.defined_by)?;
        writeln!(output, "  dialect {}, mode {}", self.dialect, self.mode)?;
        let width = output.width;
        for note in self.notes {
            writeln!(output, "  - {}", render::wrap(note, width, 4))?;
        }
        Ok(())
    }

    /// The kinds of answer, those that lead to the same together.
    fn print_answers(&self, output: &mut Output) -> Result<(), Failure> {
        let (strong, faint) = (output.palette.strong, output.palette.faint);
        let width = output.width;
        let same = |a: &Line, b: &Line| a.outcome() == b.outcome() && a.kept == b.kept;
        for (index, line) in self.answers.iter().enumerate() {
            if self.answers[..index].iter().any(|earlier| same(earlier, line)) {
                continue;
            }
            let labels: Vec<_> =
                self.answers.iter().filter(|other| same(other, line)).map(|other| other.label).collect();
            writeln!(output, "\n  {strong}{}{strong:#}", render::wrap(&labels.join("; "), width, 2))?;
            writeln!(output, "    {}", render::wrap(&line.outcome(), width, 4))?;
            writeln!(output, "    {faint}kept for: {}{faint:#}", line.kept)?;
        }
        Ok(())
    }

    fn print_outage(&self, output: &mut Output) -> Result<(), Failure> {
        if self.outage.is_empty() {
            return Ok(());
        }
        let strong = output.palette.strong;
        let copy = match self.stale_seconds {
            Some(age) => format!("a copy serves until it is {} old", span(age)),
            None => "a copy serves whatever its age".to_owned(),
        };
        writeln!(output, "\n  {strong}While robots.txt is unreachable{strong:#} ({copy})")?;
        let mut since = 0;
        for step in &self.outage {
            let period = match (since, step.until_seconds) {
                (0, None) => "from the first failure on".to_owned(),
                (0, Some(end)) => format!("first {}", span(end)),
                (_, Some(end)) => format!("until {}", span(end)),
                (start, None) => format!("after {}", span(start)),
            };
            let outcome = if step.with_copy == step.without_copy {
                step.with_copy.label().to_owned()
            } else {
                format!("{}; without one {}", step.with_copy.label(), step.without_copy.label())
            };
            let open = if step.opens_if_site_is_reachable {
                "fail open if the site can be reached, else "
            } else {
                ""
            };
            writeln!(output, "    {period}: {open}{outcome}")?;
            since = step.until_seconds.unwrap_or_default();
        }
        Ok(())
    }
}

/// Seconds in hours or days.
fn span(seconds: u64) -> String {
    match seconds / 3_600 {
        hours if hours >= 48 => render::count(usize::try_from(hours / 24).unwrap_or(usize::MAX), "day"),
        hours => render::count(usize::try_from(hours).unwrap_or(usize::MAX), "hour"),
    }
}
