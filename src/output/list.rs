//! Lists: a table on a terminal, tab-separated lines elsewhere.

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use comfy_table::{
    Attribute, Cell, CellAlignment, Color, ColumnConstraint, ContentArrangement, Table, presets,
};

use crate::base::text;

/// What a cell's colour says; the text says it too.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Tone {
    /// Nothing special.
    #[default]
    Plain,
    /// Works.
    Good,
    /// Will work again by itself.
    Wait,
    /// Needs somebody.
    Bad,
    /// Less important.
    Dim,
}

impl Tone {
    /// The terminal style.
    #[must_use]
    pub const fn style(self) -> Style {
        match self {
            Self::Plain => Style::new(),
            Self::Good => AnsiColor::Green.on_default(),
            Self::Wait => AnsiColor::Yellow.on_default(),
            Self::Bad => AnsiColor::Red.on_default().bold(),
            Self::Dim => Style::new().dimmed(),
        }
    }

    fn paint(self, text: &str) -> Cell {
        let cell = Cell::new(text);
        match self {
            Self::Plain => cell,
            Self::Good => cell.fg(Color::DarkGreen),
            Self::Wait => cell.fg(Color::DarkYellow),
            Self::Bad => cell.fg(Color::DarkRed).add_attribute(Attribute::Bold),
            Self::Dim => cell.add_attribute(Attribute::Dim),
        }
    }
}

/// One cell. `machine` is what tab-separated output prints instead of `text`.
#[derive(Debug, Clone, Default)]
pub struct Field {
    text: String,
    machine: Option<String>,
    tone: Tone,
}

impl Field {
    /// The same text for people and for scripts.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), machine: None, tone: Tone::Plain }
    }

    /// Sets the colour.
    #[must_use]
    pub fn tone(mut self, tone: Tone) -> Self {
        self.tone = tone;
        self
    }

    /// Sets what scripts get: an RFC 3339 time instead of "in 4 min", say.
    #[must_use]
    pub fn machine(mut self, machine: impl Into<String>) -> Self {
        self.machine = Some(machine.into());
        self
    }
}

impl<T: Into<String>> From<T> for Field {
    fn from(text: T) -> Self {
        Self::new(text)
    }
}

/// A column's heading.
#[derive(Debug, Clone, Copy)]
pub struct Column {
    /// The heading.
    pub name: &'static str,
    /// Where it appears.
    pub shown: Shown,
    /// Numbers stand right.
    pub right: bool,
}

/// Where a column appears.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shown {
    /// Table and TSV.
    Both,
    /// TSV alone.
    Tsv,
}

/// A column for both layouts.
#[must_use]
pub const fn column(name: &'static str) -> Column {
    Column { name, shown: Shown::Both, right: false }
}

impl Column {
    /// Only in TSV.
    #[must_use]
    pub const fn only_tsv(mut self) -> Self {
        self.shown = Shown::Tsv;
        self
    }

    /// Right-aligned in tables.
    #[must_use]
    pub const fn right(mut self) -> Self {
        self.right = true;
        self
    }
}

/// Writes tab-separated rows without header; tabs and line ends inside a value are escaped.
///
/// # Errors
/// The writer failed.
pub fn write_tsv(out: &mut dyn Write, rows: &[Vec<Field>]) -> io::Result<()> {
    for row in rows {
        for (index, field) in row.iter().enumerate() {
            if index > 0 {
                out.write_all(b"\t")?;
            }
            out.write_all(text::text(field.machine.as_ref().unwrap_or(&field.text)).as_bytes())?;
        }
        out.write_all(b"\n")?;
    }
    Ok(())
}

/// What the widest column needs at least; below it a table has more line ends than lines.
const MIN_FLEXIBLE: usize = 18;

/// Writes a table with a heading, with colours: the caller's stream strips them where they aren't
/// wanted. A column whose fields are all empty is left out. In a narrow terminal the widest column
/// wraps; when even that doesn't fit, each row becomes a block of lines. Nothing is cut.
///
/// # Errors
/// The writer failed.
pub fn write_table(
    out: &mut dyn Write,
    columns: &[Column],
    rows: &[Vec<Field>],
    width: Option<u16>,
) -> io::Result<()> {
    const GAP: usize = 2;
    let shown: Vec<usize> = (0..columns.len())
        .filter(|&index| columns[index].shown == Shown::Both)
        .filter(|&index| rows.iter().any(|row| row.get(index).is_some_and(|field| !field.text.is_empty())))
        .collect();
    let mut table = Table::new();
    table.load_style(presets::NOTHING).force_no_tty().enforce_styling();
    table.set_content_arrangement(ContentArrangement::Disabled);
    table.set_header(
        shown
            .iter()
            .map(|&index| Cell::new(columns[index].name.to_uppercase()).add_attribute(Attribute::Bold)),
    );
    for row in rows {
        table.add_row(shown.iter().map(|&index| {
            row.get(index).map_or_else(|| Cell::new(""), |field| field.tone.paint(&text::text(&field.text)))
        }));
    }
    for (position, &index) in shown.iter().enumerate() {
        if let Some(column) = table.column_mut(position) {
            column.set_padding((0, u16::try_from(GAP).unwrap_or(2)));
            if columns[index].right {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
    }
    if let Some(width) = width {
        let widths: Vec<usize> = table.column_max_content_widths().into_iter().map(usize::from).collect();
        // comfy-table counts the right padding of the last column too.
        let total = widths.iter().map(|width| width + GAP).sum::<usize>();
        if total > usize::from(width) {
            let widest = widths.iter().enumerate().max_by_key(|(_, width)| **width).map(|(at, _)| at);
            let others = widest.map_or(0, |widest| total - widths[widest]);
            let left = usize::from(width).saturating_sub(others);
            match widest {
                Some(widest) if left >= MIN_FLEXIBLE => {
                    table.set_content_arrangement(ContentArrangement::Dynamic).set_width(width);
                    table.set_constraints(widths.iter().enumerate().map(|(at, content)| {
                        let width = if at == widest { left } else { *content } + GAP;
                        ColumnConstraint::Absolute(comfy_table::Width::Fixed(
                            u16::try_from(width).unwrap_or(u16::MAX),
                        ))
                    }));
                }
                _ => return write_blocks(out, columns, &shown, rows),
            }
        }
    }
    for line in table.lines() {
        writeln!(out, "{}", line.trim_end())?;
    }
    Ok(())
}

/// One block of lines for each row: the first field, then the others with their names.
fn write_blocks(
    out: &mut dyn Write,
    columns: &[Column],
    shown: &[usize],
    rows: &[Vec<Field>],
) -> io::Result<()> {
    let Some((&first, rest)) = shown.split_first() else { return Ok(()) };
    let names = rest.iter().map(|&index| columns[index].name.len()).max().unwrap_or(0);
    let bold = Style::new().bold();
    for row in rows {
        let head = row.get(first).map_or("", |field| field.text.as_str());
        writeln!(out, "{bold}{}{bold:#}", text::text(head))?;
        for &index in rest {
            let Some(field) = row.get(index).filter(|field| !field.text.is_empty()) else { continue };
            let style = field.tone.style();
            writeln!(out, "  {:<names$}  {style}{}{style:#}", columns[index].name, text::text(&field.text))?;
        }
    }
    Ok(())
}
