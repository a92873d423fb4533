//! Splits text into rows of cells.

/// Maximum number of cells in one row. Further cells are not read.
const MAX_CELLS_PER_ROW: usize = 1 << 16;
/// Maximum number of cells in one file. Further cells are not read.
const MAX_CELLS: usize = 4 << 20;
/// A line with at least this number of semicolons uses semicolons as separators.
const MIN_SEMICOLONS: usize = 10;

/// A row and the number of its first line. A row is never empty.
pub(super) struct CsvRecord {
    pub line: u64,
    pub cells: Vec<String>,
}

impl CsvRecord {
    pub(super) fn is_comment(&self) -> bool {
        let first = &self.cells[0];
        first.starts_with("//") || first.starts_with(['#', ';'])
    }

    /// Whether the row contains only separators and white space.
    pub(super) fn is_blank(&self) -> bool {
        self.cells.iter().all(String::is_empty)
    }
}

pub(super) struct CsvRecords {
    pub records: Vec<CsvRecord>,
    pub unclosed_quote: Option<u64>,
    pub truncated: bool,
}

/// Splits text into rows. A quote may open anywhere in a cell. Cells are trimmed after unquoting. Lines without any
/// characters are dropped.
pub(super) fn parse_records(text: &str) -> CsvRecords {
    let (separators, text, skipped) = detect_separators(text);
    let mut reader = RecordReader { separators, line: 1 + skipped, row_line: 1 + skipped, ..RecordReader::default() };
    let unclosed_quote = reader.read_all(text);
    CsvRecords { records: reader.records, unclosed_quote, truncated: reader.truncated }
}

#[derive(Default)]
struct RecordReader {
    separators: [char; 2],
    records: Vec<CsvRecord>,
    cells: Vec<String>,
    cell: String,
    /// The line of the cursor.
    line: u64,
    row_line: u64,
    cell_count: usize,
    /// Whether the row has any characters.
    row_has_text: bool,
    truncated: bool,
}

impl RecordReader {
    /// Returns the line of a quote that is never closed, if there is one.
    fn read_all(&mut self, text: &str) -> Option<u64> {
        let mut chars = text.chars().peekable();
        let mut quote = None;
        while let Some(c) = chars.next() {
            let ends_line = c == '\n' || (c == '\r' && chars.peek() != Some(&'\n'));
            if ends_line {
                self.line += 1;
            }
            self.row_has_text |= !ends_line && c != '\r';
            if quote.is_some() {
                if c != '"' {
                    self.cell.push(c);
                } else if chars.peek() == Some(&'"') {
                    chars.next();
                    self.cell.push('"');
                } else {
                    quote = None;
                }
            } else if c == '"' {
                quote = Some(self.line);
            } else if self.separators.contains(&c) {
                self.end_cell();
            } else if ends_line {
                self.end_row();
                if self.truncated {
                    return None;
                }
            } else if c != '\r' {
                self.cell.push(c);
            }
        }
        self.end_row();
        quote
    }

    fn end_cell(&mut self) {
        if self.cells.len() < MAX_CELLS_PER_ROW && self.cell_count < MAX_CELLS {
            self.cells.push(self.cell.trim().to_owned());
            self.cell_count += 1;
        } else {
            self.truncated = true;
        }
        self.cell.clear();
    }

    fn end_row(&mut self) {
        self.end_cell();
        let cells = std::mem::take(&mut self.cells);
        if std::mem::take(&mut self.row_has_text) && !cells.is_empty() {
            self.records.push(CsvRecord { line: self.row_line, cells });
        }
        self.row_line = self.line;
    }
}

/// Returns the separators of cells, the text after a `sep=` line, and the number of skipped lines.
fn detect_separators(text: &str) -> ([char; 2], &str, u64) {
    let first_end = text.find(['\n', '\r']).unwrap_or(text.len());
    let first = text[..first_end].trim().trim_matches('"');
    if first.len() >= 5
        && first.is_char_boundary(4)
        && first[..4].eq_ignore_ascii_case("sep=")
        && let Some(c) = first[4..].chars().next()
    {
        let rest = &text[first_end..];
        let rest = rest.strip_prefix("\r\n").or_else(|| rest.strip_prefix(['\n', '\r'])).unwrap_or(rest);
        return (if c == ',' { [',', '\t'] } else { [c, c] }, rest, 1);
    }
    if text.split(['\n', '\r']).take(2000).any(is_semicolon_line) {
        ([';', ';'], text, 0)
    } else {
        ([',', '\t'], text, 0)
    }
}

fn is_semicolon_line(line: &str) -> bool {
    let unquoted = line.trim_start().trim_start_matches('"');
    if unquoted.get(..8).is_some_and(|start| start.eq_ignore_ascii_case("version;")) {
        return true;
    }
    let mut quoted = false;
    let (mut semicolons, mut others) = (0, 0);
    for c in line.chars() {
        match c {
            '"' => quoted = !quoted,
            ';' if !quoted => semicolons += 1,
            ',' | '\t' if !quoted => others += 1,
            _ => {}
        }
    }
    // With decimal commas, a row of sixteen cells has at most as many commas as semicolons.
    semicolons >= MIN_SEMICOLONS && semicolons >= others
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[&[&str]]) {
        let rows: Vec<Vec<String>> = parse_records(text).records.into_iter().map(|r| r.cells).collect();
        assert_eq!(rows, expected);
    }

    #[test]
    fn quotes_open_anywhere_and_keep_line_ends() {
        check("a\"b,c\"d,e", &[&["ab,cd", "e"]]);
        check("\"say \"\"hi\"\"\",2", &[&["say \"hi\"", "2"]]);
        check("\"line\nbreak\",2\nx", &[&["line\nbreak", "2"], &["x"]]);
    }

    #[test]
    fn any_line_end_ends_a_row_and_only_empty_lines_are_dropped() {
        check("a\rb\r\nc\n\n\nd,,\n,\n \n", &[&["a"], &["b"], &["c"], &["d", "", ""], &["", ""], &[""]]);
    }

    #[test]
    fn lines_are_counted_through_quotes() {
        let rows = parse_records("a\n\"b\nc\"\r\nd\n").records;
        assert_eq!(rows.iter().map(|r| r.line).collect::<Vec<_>>(), [1, 2, 4]);
    }

    #[test]
    fn separators_are_detected_or_declared() {
        check("a\tb,c", &[&["a", "b", "c"]]);
        check("sep=;\na;0,5", &[&["a", "0,5"]]);
        check("version;4\nx;0,5", &[&["version", "4"], &["x", "0,5"]]);
    }

    #[test]
    fn an_open_quote_is_reported() {
        assert_eq!(parse_records("a\nb,\"c\nd").unclosed_quote, Some(2));
    }
}
