//! Charts of growth as SVG, with logarithmic axes. Each engine has a line with its name at the end.

use std::fmt::Write as _;

use crate::table::Table;
use crate::workloads::SCALES;

const WIDTH: f64 = 900.0;
const HEIGHT: f64 = 560.0;
const LEFT: f64 = 90.0;
const RIGHT: f64 = 700.0;
const TOP: f64 = 60.0;
const BOTTOM: f64 = 490.0;
/// Minimum vertical distance between two names, in pixels.
const NAME_HEIGHT: f64 = 17.0;

/// Colours that people with colour blindness can distinguish (Okabe and Ito). Comity has the first colour.
const COLOURS: [&str; 9] =
    ["#d55e00", "#b8860b", "#0072b2", "#56b4e9", "#009e73", "#cc79a7", "#444444", "#999999", "#7b3fa0"];

/// The line of an engine: its times, one for each number of rules.
struct Line<'t> {
    name: &'t str,
    colour: &'static str,
    times: Vec<f64>,
}

/// Draws the growth curves of a table.
pub(crate) fn growth(table: &Table, heading: &str) -> String {
    let mut lines: Vec<Line<'_>> = Vec::new();
    for (row, colour) in table.rows.iter().zip(COLOURS.iter().cycle()) {
        let times: Option<Vec<f64>> = row.cells.iter().map(|cell| cell.best()).collect();
        lines.extend(times.map(|times| Line { name: row.engine, colour, times }));
    }
    let all = || lines.iter().flat_map(|line| &line.times).copied();
    let (least, most) = (all().fold(f64::MAX, f64::min), all().fold(1.0, f64::max));
    let axis = Axis { from: least.max(1.0).log10().floor(), to: most.log10().ceil() };
    let mut svg = open(heading);
    draw_grid(&mut svg, &axis);
    lines.iter().rev().for_each(|line| draw_line(&mut svg, &axis, line));
    draw_names(&mut svg, &axis, &lines);
    svg.push_str("</svg>\n");
    svg
}

/// A logarithmic axis from one power of ten to another.
struct Axis {
    from: f64,
    to: f64,
}

impl Axis {
    fn y(&self, nanos: f64) -> f64 {
        let share = (nanos.max(1.0).log10() - self.from) / (self.to - self.from).max(1.0);
        BOTTOM - share * (BOTTOM - TOP)
    }
}

fn x(rules: usize) -> f64 {
    let last = SCALES[SCALES.len() - 1] as f64;
    let share = ((rules as f64).log10() - 1.0) / (last.log10() - 1.0);
    LEFT + share * (RIGHT - LEFT)
}

fn open(heading: &str) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" width=\"{WIDTH}\" \
         height=\"{HEIGHT}\" font-family=\"sans-serif\" font-size=\"14\">\n\
         <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"#ffffff\"/>\n\
         <text x=\"{LEFT}\" y=\"32\" font-size=\"18\" font-weight=\"bold\">{heading}</text>\n"
    )
}

fn draw_grid(svg: &mut String, axis: &Axis) {
    let mut power = axis.from;
    while power <= axis.to {
        let y = axis.y(10f64.powf(power));
        let _ = writeln!(
            svg,
            "<path d=\"M{LEFT} {y:.1}H{RIGHT}\" stroke=\"#dddddd\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            LEFT - 8.0,
            y + 5.0,
            duration(power)
        );
        power += 1.0;
    }
    for (rules, label) in SCALES.iter().zip(["10", "100", "1,000", "10,000", "20,000"]) {
        let x = x(*rules);
        let _ = writeln!(
            svg,
            "<path d=\"M{x:.1} {TOP}V{BOTTOM}\" stroke=\"#eeeeee\"/>\
             <text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{label}</text>",
            BOTTOM + 20.0
        );
    }
    let middle = (LEFT + RIGHT) / 2.0;
    let height = (TOP + BOTTOM) / 2.0;
    let _ = writeln!(
        svg,
        "<path d=\"M{LEFT} {TOP}V{BOTTOM}H{RIGHT}\" fill=\"none\" stroke=\"#333333\"/>\n\
         <text x=\"{middle}\" y=\"{:.1}\" text-anchor=\"middle\">rules for the crawler</text>\n\
         <text transform=\"translate(24 {height}) rotate(-90)\" text-anchor=\"middle\">CPU time per URL</text>",
        BOTTOM + 46.0
    );
}

/// Formats a power of ten nanoseconds: 4 gives `10 µs`.
fn duration(power: f64) -> String {
    const UNITS: [&str; 4] = ["ns", "µs", "ms", "s"];
    let power = power as usize;
    let unit = (power / 3).min(UNITS.len() - 1);
    format!("{} {}", 10usize.pow((power - 3 * unit) as u32), UNITS[unit])
}

fn draw_line(svg: &mut String, axis: &Axis, line: &Line<'_>) {
    let points: Vec<(f64, f64)> =
        SCALES.iter().zip(&line.times).map(|(&rules, &time)| (x(rules), axis.y(time))).collect();
    let path: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
    let width = if line.name == "comity" { 4 } else { 2 };
    let _ = writeln!(
        svg,
        "<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{width}\"/>",
        path.join(" "),
        line.colour
    );
    for (x, y) in points {
        let _ = writeln!(svg, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3.5\" fill=\"{}\"/>", line.colour);
    }
}

/// Writes the names at the ends of the lines, and moves overlapping names apart.
fn draw_names(svg: &mut String, axis: &Axis, lines: &[Line<'_>]) {
    let mut ends: Vec<(f64, &Line<'_>)> =
        lines.iter().map(|line| (axis.y(line.times.last().copied().unwrap_or(1.0)), line)).collect();
    ends.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut last = f64::MIN;
    let mut places: Vec<f64> = Vec::new();
    for (y, _) in &ends {
        last = y.max(last + NAME_HEIGHT);
        places.push(last);
    }
    // Names that are now below the axis are moved up.
    let mut limit = BOTTOM;
    for place in places.iter_mut().rev() {
        *place = place.min(limit);
        limit = *place - NAME_HEIGHT;
    }
    for ((y, line), place) in ends.iter().zip(places) {
        let _ = writeln!(
            svg,
            "<path d=\"M{:.1} {y:.1}L{:.1} {place:.1}\" stroke=\"{}\" stroke-width=\"1\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" fill=\"{}\">{}</text>",
            RIGHT + 5.0,
            RIGHT + 22.0,
            line.colour,
            RIGHT + 26.0,
            place + 5.0,
            line.colour,
            line.name
        );
    }
}
