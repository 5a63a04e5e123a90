//! Writes blocks, quotes, lists and tables.
//!
//! Every block is written when it ends, with the prefixes of the quotes and items around it. The content of each table
//! cell is stored until the table ends, because only then is it known whether the table is used for layout.

use super::inline::{Inline, Link, StyleRequest, longest_run};
use super::{MAX_CONTAINERS, MAX_SPANNED_COLUMN, MAX_TABLES};

/// The Markdown of a thematic break (`hr`).
const RULE: &str = "* * *";

/// An element that contains blocks. Quotes and items add a prefix to each line.
#[derive(Debug)]
enum Container {
    Quote,
    List(List),
    Item(Item),
}

#[derive(Debug)]
struct List {
    is_ordered: bool,
    /// `-`, `+`, `.` or `)`.
    mark: char,
    next: u32,
    /// True if items are separated by blank lines, since one of them has several paragraphs.
    is_loose: bool,
}

#[derive(Debug)]
struct Item {
    marker: String,
    is_begun: bool,
}

/// A code block; its text is not escaped.
#[derive(Debug, Default)]
struct Code {
    text: String,
    language: String,
}

/// The output of a page, or of a cell of a table.
#[derive(Debug, Default)]
struct Frame {
    out: String,
    containers: Vec<Container>,
    /// Number of open containers that also contain the last block.
    shared: usize,
    /// Number of containers around the last block.
    last_depth: usize,
    /// The depth and the mark of a list that ended directly before this position. The mark of the next list must
    /// differ.
    after_list: Option<(usize, char)>,
    inline: Inline,
    heading: Option<u8>,
    code: Option<Code>,
    /// True if the content cannot be written in a cell of a Markdown table.
    is_rich: bool,
}

impl Frame {
    /// Returns true if the next block follows without a blank line, because it is the next item of a tight list or a
    /// list in an item.
    fn is_adjacent(&self) -> bool {
        let Some(around) = self.shared.checked_sub(1).and_then(|at| self.containers.get(at)) else {
            return false;
        };
        match (around, self.containers.get(self.shared)) {
            (Container::List(list), Some(Container::Item(_))) => {
                self.last_depth > self.shared && !list.is_loose
            }
            // A list that does not begin at 1 would be parsed as a line of the preceding paragraph.
            (Container::Item(_), Some(Container::List(list))) => !list.is_ordered || self.begins_at_one(),
            _ => false,
        }
    }

    fn begins_at_one(&self) -> bool {
        match self.containers.get(self.shared + 1) {
            Some(Container::Item(item)) => matches!(item.marker.as_str(), "1. " | "1) "),
            _ => false,
        }
    }

    /// Makes the list loose if an item has several blocks.
    fn loosen(&mut self) {
        let depth = self.containers.len();
        if self.shared == depth
            && self.last_depth == depth
            && depth >= 2
            && let Some(Container::List(list)) = self.containers.get_mut(depth - 2)
        {
            list.is_loose = true;
        }
    }

    /// Returns the prefix of each line inside the first `count` containers.
    fn prefix(&self, count: usize) -> String {
        let mut prefix = String::new();
        for container in &self.containers[..count.min(self.containers.len())] {
            match container {
                Container::Quote => prefix.push_str("> "),
                Container::List(_) => {}
                Container::Item(item) => prefix.extend(std::iter::repeat_n(' ', item.marker.len())),
            }
        }
        prefix
    }

    /// Returns the prefix of the first line of a block: like [`prefix`](Self::prefix), with the markers of items that
    /// begin with the block.
    fn first_prefix(&mut self) -> String {
        let mut prefix = String::new();
        for container in &mut self.containers {
            match container {
                Container::Quote => prefix.push_str("> "),
                Container::List(_) => {}
                Container::Item(item) if item.is_begun => {
                    prefix.extend(std::iter::repeat_n(' ', item.marker.len()));
                }
                Container::Item(item) => {
                    item.is_begun = true;
                    prefix.push_str(&item.marker);
                }
            }
        }
        prefix
    }

    /// Writes a block. Returns the number of bytes written.
    fn block(&mut self, body: &str) -> usize {
        let before = self.out.len();
        if before > 0 {
            self.out.push('\n');
            if !self.is_adjacent() {
                let prefix = self.prefix(self.shared);
                self.out.push_str(prefix.trim_end());
                self.out.push('\n');
            }
        }
        self.loosen();
        let (first, rest) = (self.first_prefix(), self.prefix(self.containers.len()));
        for (at, line) in body.split('\n').enumerate() {
            if at > 0 {
                self.out.push('\n');
            }
            let prefix = if at > 0 { &rest } else { &first };
            self.out.push_str(if line.is_empty() { prefix.trim_end() } else { prefix });
            self.out.push_str(line);
        }
        self.is_rich |= self.containers.iter().any(|container| matches!(container, Container::Quote));
        (self.shared, self.last_depth) = (self.containers.len(), self.containers.len());
        self.after_list = None;
        self.out.len() - before
    }
}

/// A cell of a table.
#[derive(Debug)]
struct Cell {
    row: u32,
    column: u32,
    markdown: Box<str>,
}

#[derive(Debug, Default)]
struct Table {
    /// The cells, row by row.
    cells: Vec<Cell>,
    row: u32,
    /// The column of the next cell.
    column: usize,
    /// For each column, the number of further rows that the cell above spans.
    spans: Vec<u16>,
    /// Numbers of columns and rows that the open cell spans.
    open: Option<(usize, u16)>,
    width: usize,
    is_layout: bool,
}

impl Table {
    fn begin_row(&mut self) {
        self.row = self.row.saturating_add(1);
        self.column = 0;
    }

    /// Skips the columns that cells of previous rows cover, and begins a cell that spans `columns` and `rows`.
    fn begin_cell(&mut self, columns: usize, rows: u16) {
        while let Some(left) = self.spans.get_mut(self.column).filter(|left| **left > 0) {
            *left -= 1;
            self.column += 1;
        }
        let fits = self.column.saturating_add(columns) <= MAX_SPANNED_COLUMN;
        self.open = Some((if fits { columns.max(1) } else { 1 }, rows));
    }

    fn end_cell(&mut self, markdown: String) {
        let (columns, rows) = self.open.take().unwrap_or((1, 1));
        let column = self.column;
        self.column += columns;
        if rows > 1 && self.column <= MAX_SPANNED_COLUMN {
            self.spans.resize(self.spans.len().max(self.column), 0);
            self.spans[column..self.column].fill(rows - 1);
        }
        self.width = self.width.max(self.column);
        let column = u32::try_from(column).unwrap_or(u32::MAX);
        self.cells.push(Cell { row: self.row, column, markdown: markdown.into() });
    }

    /// Ends a row. The cells of previous rows that cover its remaining columns span one row less from here on.
    fn end_row(&mut self) {
        for left in self.spans.iter_mut().skip(self.column) {
            *left = left.saturating_sub(1);
        }
    }
}

/// A writer of the Markdown of a page.
#[derive(Debug)]
pub(super) struct Writer {
    /// The output of the page, followed by the output of the open cell of each open table.
    frames: Vec<Frame>,
    tables: Vec<Table>,
    /// Number of bytes written. The bytes of a cell count again when its table is written.
    spent: usize,
    limit: usize,
    pub(super) is_too_deep: bool,
}

impl Writer {
    pub(super) fn new(limit: usize) -> Self {
        let frames = vec![Frame::default()];
        Writer { frames, tables: Vec::new(), spent: 0, limit, is_too_deep: false }
    }

    fn frame(&mut self) -> &mut Frame {
        if self.frames.is_empty() {
            self.frames.push(Frame::default());
        }
        let last = self.frames.len() - 1;
        &mut self.frames[last]
    }

    /// Returns true if the Markdown is longer than its limit.
    pub(super) fn is_full(&self) -> bool {
        let pending: usize = self.frames.iter().map(|frame| frame.inline.len()).sum();
        self.spent + pending > self.limit
    }

    /// Returns true in a code block, where text is not escaped.
    pub(super) fn is_in_code(&self) -> bool {
        self.frames.last().is_some_and(|frame| frame.code.is_some())
    }

    pub(super) fn text(&mut self, text: &str, requests: &mut [StyleRequest]) {
        let frame = self.frame();
        if let Some(code) = &mut frame.code {
            code.text.extend(text.chars().filter(|char| !char.is_control() || matches!(char, '\n' | '\t')));
            self.spent += text.len();
            return;
        }
        let is_space = text.bytes().all(|byte| byte.is_ascii_whitespace());
        if !is_space && frame.inline.breaks() > 1 && frame.heading.is_none() {
            self.end_block();
        }
        self.frame().inline.text(text, requests);
    }

    pub(super) fn image(&mut self, alt: &str, link: &Link, requests: &mut [StyleRequest]) {
        let frame = self.frame();
        if frame.code.is_none() {
            frame.inline.image(alt, link, requests);
        }
    }

    pub(super) fn line_break(&mut self) {
        let frame = self.frame();
        match &mut frame.code {
            Some(code) => code.text.push('\n'),
            None => frame.inline.line_break(),
        }
    }

    /// Writes the checkbox of a task, if it is at the beginning of an item.
    pub(super) fn task(&mut self, is_done: bool) {
        let frame = self.frame();
        let begins_item = matches!(frame.containers.last(), Some(Container::Item(item)) if !item.is_begun);
        if begins_item && frame.inline.is_empty() && frame.code.is_none() {
            frame.inline.raw(if is_done { "[x]" } else { "[ ]" });
            frame.inline.space();
        }
    }

    /// Ends the block at the start or end of an element. In code, it adds a line end instead; in a heading, a space.
    pub(super) fn block_edge(&mut self) {
        let frame = self.frame();
        if let Some(code) = &mut frame.code {
            if !code.text.is_empty() && !code.text.ends_with('\n') {
                code.text.push('\n');
            }
        } else if frame.heading.is_some() {
            frame.inline.space();
        } else {
            self.end_block();
        }
    }

    /// Writes the pending text as a paragraph or as the open heading.
    pub(super) fn end_block(&mut self) {
        let frame = self.frame();
        if frame.inline.is_empty() {
            // Breaks and spaces without text are dropped.
            frame.inline.finish();
            return;
        }
        let text = frame.inline.finish();
        let written = match frame.heading.take() {
            Some(level) => {
                frame.is_rich = true;
                let hashes = &"######"[..usize::from(level.clamp(1, 6))];
                frame.block(&format!("{hashes} {}", text.replace("  \n", " ")))
            }
            None => frame.block(&text),
        };
        self.spent += written;
    }

    pub(super) fn begin_heading(&mut self, level: u8) {
        self.end_block();
        self.frame().heading = Some(level);
    }

    pub(super) fn end_heading(&mut self) {
        self.end_block();
        self.frame().heading = None;
    }

    pub(super) fn rule(&mut self) {
        self.block_edge();
        let frame = self.frame();
        if frame.code.is_none() {
            self.end_block();
            self.frame().is_rich = true;
            self.spent += self.frame().block(RULE);
        }
    }

    pub(super) fn begin_code(&mut self, language: String) {
        self.end_block();
        self.frame().code = Some(Code { text: String::new(), language });
    }

    /// Sets the language of the open code, unless it has one.
    pub(super) fn name_language(&mut self, language: String) {
        if let Some(code) = self.frame().code.as_mut().filter(|code| code.language.is_empty()) {
            code.language = language;
        }
    }

    pub(super) fn end_code(&mut self) {
        let frame = self.frame();
        let Some(code) = frame.code.take() else { return };
        let text = code.text.strip_prefix('\n').unwrap_or(&code.text).trim_end();
        if text.is_empty() {
            return;
        }
        let fence = "`".repeat(longest_run(text).max(2) + 1);
        frame.is_rich = true;
        let written = frame.block(&format!("{fence}{}\n{text}\n{fence}", code.language));
        self.spent += written;
    }

    /// Returns true if one more container may be opened.
    fn has_room(&mut self) -> bool {
        let has_room = self.frame().containers.len() < MAX_CONTAINERS;
        self.is_too_deep |= !has_room;
        has_room
    }

    /// Begins a quote. If it returns true, the caller must end the container.
    pub(super) fn begin_quote(&mut self) -> bool {
        self.end_block();
        let has_room = self.has_room();
        if has_room {
            self.frame().containers.push(Container::Quote);
        }
        has_room
    }

    /// Begins a list. If it returns true, the caller must end the container.
    pub(super) fn begin_list(&mut self, is_ordered: bool, start: u32) -> bool {
        self.end_block();
        if !self.has_room() {
            return false;
        }
        let frame = self.frame();
        let mark = if is_ordered { ['.', ')'] } else { ['-', '+'] };
        let here = frame.containers.len();
        let is_taken = frame.after_list == Some((here, mark[0]));
        let list = List { is_ordered, mark: mark[usize::from(is_taken)], next: start, is_loose: false };
        frame.containers.push(Container::List(list));
        true
    }

    /// Begins an item. If it returns true, the caller must end the container.
    pub(super) fn begin_item(&mut self, number: Option<u32>) -> bool {
        self.end_block();
        if !self.has_room() {
            return false;
        }
        let frame = self.frame();
        // An item outside a list begins a list of one item.
        let (is_ordered, mark, next) = match frame.containers.last_mut() {
            Some(Container::List(list)) => {
                // Numbers of items have at most nine digits in CommonMark.
                let next = number.unwrap_or(list.next).min(999_999_999);
                list.next = next + 1;
                (list.is_ordered, list.mark, next)
            }
            _ => (false, '-', 1),
        };
        let marker = if is_ordered { format!("{next}{mark} ") } else { format!("{mark} ") };
        frame.containers.push(Container::Item(Item { marker, is_begun: false }));
        true
    }

    /// Returns true if the innermost container is a list, and its last item has ended.
    pub(super) fn is_between_items(&self) -> bool {
        let frame = self.frames.last();
        frame.is_some_and(|frame| {
            matches!(frame.containers.last(), Some(Container::List(_)))
                && frame.last_depth > frame.containers.len()
        })
    }

    /// Opens a container with the indentation of `- ` or `1. `, so that a list directly after an item is written inside
    /// that item.
    pub(super) fn resume_item(&mut self) -> bool {
        let is_open = self.has_room();
        if is_open {
            let frame = self.frame();
            let marker = match frame.containers.last() {
                Some(Container::List(list)) if list.is_ordered => {
                    format!("{}{} ", list.next.saturating_sub(1), list.mark)
                }
                _ => "- ".to_owned(),
            };
            let item = Item { marker, is_begun: true };
            frame.containers.push(Container::Item(item));
            frame.shared = frame.containers.len();
        }
        is_open
    }

    /// Ends a quote, list or item.
    pub(super) fn end_container(&mut self) {
        self.end_block();
        let frame = self.frame();
        let popped = frame.containers.pop();
        let depth = frame.containers.len();
        if let Some(Container::List(list)) = popped
            && frame.last_depth > depth
        {
            frame.after_list = Some((depth, list.mark));
        }
        frame.shared = frame.shared.min(depth);
    }

    /// Begins a table. If it returns true, the caller must end the table.
    pub(super) fn begin_table(&mut self, is_layout: bool) -> bool {
        self.end_block();
        let has_room = self.tables.len() < MAX_TABLES;
        self.is_too_deep |= !has_room;
        if has_room {
            self.tables.push(Table { is_layout, ..Table::default() });
        }
        has_room
    }

    pub(super) fn begin_row(&mut self) {
        if let Some(table) = self.tables.last_mut() {
            table.begin_row();
        }
    }

    pub(super) fn end_row(&mut self) {
        if let Some(table) = self.tables.last_mut() {
            table.end_row();
        }
    }

    pub(super) fn begin_cell(&mut self, columns: usize, rows: u16) {
        if let Some(table) = self.tables.last_mut() {
            table.begin_cell(columns, rows);
            // The memory of the cell counts in addition to its text.
            self.spent += size_of::<Cell>();
            self.frames.push(Frame::default());
        }
    }

    pub(super) fn end_cell(&mut self) {
        self.end_block();
        if self.frames.len() > 1
            && let (Some(frame), Some(table)) = (self.frames.pop(), self.tables.last_mut())
        {
            table.is_layout |= frame.is_rich;
            table.end_cell(frame.out);
        }
    }

    pub(super) fn end_table(&mut self) {
        self.end_block();
        let Some(table) = self.tables.pop() else { return };
        if table.cells.iter().all(|cell| cell.markdown.is_empty()) {
            return;
        }
        let room = self.limit.saturating_sub(self.spent);
        let frame = self.frame();
        frame.is_rich = true;
        if table.is_layout || table.width < 2 {
            let mut written = 0;
            for cell in table.cells.iter().filter(|cell| !cell.markdown.is_empty()) {
                written += frame.block(&cell.markdown);
                if written > room {
                    break;
                }
            }
            self.spent += written;
        } else {
            let lines = lines(&table, room);
            self.spent += self.frame().block(&lines);
        }
    }

    /// Returns the Markdown, and true if it was cut off.
    pub(super) fn finish(mut self) -> (String, bool) {
        self.end_code();
        self.end_block();
        let is_full = self.is_full();
        let mut text = self.frames.into_iter().next().map(|frame| frame.out).unwrap_or_default();
        if text.len() > self.limit {
            let end = (0..=self.limit).rev().find(|&end| text.is_char_boundary(end)).unwrap_or_default();
            text.truncate(end);
        }
        (text, is_full)
    }
}

/// Returns the rows of a table as Markdown; the first row is the header.
fn lines(table: &Table, room: usize) -> String {
    let mut out = String::new();
    for (at, row) in table.cells.chunk_by(|one, next| one.row == next.row).enumerate() {
        if at > 0 {
            out.push('\n');
        }
        let mut column = 0;
        for cell in row {
            while column < cell.column as usize {
                out.push_str("|  ");
                column += 1;
            }
            out.push_str("| ");
            flat(&mut out, &cell.markdown);
            out.push(' ');
            column += 1;
        }
        // Markdown requires all columns only in the header.
        while at == 0 && column < table.width {
            out.push_str("|  ");
            column += 1;
        }
        out.push('|');
        if at == 0 {
            out.push('\n');
            out.extend(std::iter::repeat_n("| --- ", table.width));
            out.push('|');
        }
        if out.len() > room {
            break;
        }
    }
    out
}

/// Writes the blocks of a cell on one line.
fn flat(out: &mut String, markdown: &str) {
    let lines = markdown.split('\n').map(str::trim).filter(|line| !line.is_empty());
    for (at, line) in lines.enumerate() {
        if at > 0 {
            out.push_str("<br>");
        }
        for part in line.split_inclusive('|') {
            match part.strip_suffix('|') {
                Some(text) => {
                    out.push_str(text);
                    out.push_str("\\|");
                }
                None => out.push_str(part),
            }
        }
    }
}
