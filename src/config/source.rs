//! Source files and positions in them.

use std::path::PathBuf;

/// Which of the loaded files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId(pub u16);

/// A range of bytes in a loaded file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// The file.
    pub file: FileId,
    /// First byte.
    pub start: u32,
    /// Byte after the last one.
    pub end: u32,
}

/// A loaded file.
#[derive(Debug, Clone)]
pub struct Source {
    /// As named on the command line, or as resolved from `$include`.
    pub path: PathBuf,
    /// The text. Bytes that aren't UTF-8 became U+FFFD, as in OpenClaw; see [`Source::lossy`].
    pub text: String,
    /// The file has bytes that aren't UTF-8, so `text` isn't what is on disk.
    pub lossy: bool,
    lines: Vec<u32>,
}

impl Source {
    /// A file with this content.
    #[must_use]
    pub fn new(path: PathBuf, bytes: Vec<u8>) -> Self {
        let (text, lossy) = match String::from_utf8(bytes) {
            Ok(text) => (text, false),
            Err(error) => (String::from_utf8_lossy(error.as_bytes()).into_owned(), true),
        };
        let ends = text.bytes().zip(1u32..).filter_map(|(byte, next)| (byte == b'\n').then_some(next));
        let lines = std::iter::once(0).chain(ends).collect();
        Self { path, text, lossy, lines }
    }

    /// Line and column of a byte, both from 1; columns count characters, a BOM isn't one.
    #[must_use]
    pub fn line_column(&self, byte: u32) -> (usize, usize) {
        let line = self.lines.partition_point(|&start| start <= byte).max(1);
        let start = self.lines[line - 1] as usize;
        let mut end = (byte as usize).clamp(start, self.text.len());
        while !self.text.is_char_boundary(end) {
            end -= 1;
        }
        let before = &self.text[start..end];
        let before = if line == 1 { before.trim_start_matches('\u{feff}') } else { before };
        (line, before.chars().count() + 1)
    }

    /// The text of a range.
    #[must_use]
    pub fn slice(&self, span: Span) -> &str {
        self.text.get(span.start as usize..span.end as usize).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters_and_no_bom() {
        let source = Source::new("a".into(), "\u{feff}{\n  é: x\r\n}".as_bytes().to_vec());
        let at = |needle: &str| source.line_column(u32::try_from(source.text.find(needle).unwrap()).unwrap());
        assert_eq!(at("{"), (1, 1));
        assert_eq!(at("é"), (2, 3));
        assert_eq!(at(":"), (2, 4));
        assert_eq!(at("}"), (3, 1));
        assert_eq!(source.line_column(10_000), (3, 2));
    }
}
