//! Cells to values and back, and the order of the columns.

use super::{BadRow, BoneCells, BoneRow, Fault, LengthTarget, Problem};
use crate::schema::{Kind, ParamDef, ParamSet, Row, Scope, find_row, rows};
use crate::sim::SolverKind;

/// Where the file keeps each row of the table: its name there and the column's header, in file order. An empty name
/// is the pivot cell. A test demands that every row of joint
/// scope that the engine has stands here once.
const FILE_ORDER: &[(&str, &str)] = &[
    ("radius", "radius"),
    ("stiffnessForce", "stiffnessForce"),
    ("dragForce", "dragForce"),
    ("springForce x", "springForce x"),
    ("springForce y", "springForce y"),
    ("springForce z", "springForce z"),
    ("windInfluence", "wind influence"),
    ("", "pivot node"),
    ("yAngleLimits.active", "use y angle limit"),
    ("yAngleLimits.min", "y angle min"),
    ("yAngleLimits.max", "y angle max"),
    ("zAngleLimits.active", "use z angle limit"),
    ("zAngleLimits.min", "z angle min"),
    ("zAngleLimits.max", "z angle max"),
    ("angularStiffness", "angle stiffness"),
];
const COUNT: &str = "length limit count";
const TARGET: &str = "length limit target";
const RATIO: &str = "length limit ratio";

/// The columns of bone rows for one solver.
#[derive(Clone, Debug)]
pub struct Layout {
    solver: SolverKind,
    table: &'static [ParamDef],
    /// Header and row; no row for the pivot cell.
    columns: Vec<(&'static str, Option<Row>)>,
}

impl Layout {
    /// The columns of a solver's bone rows: as `UnityChan`'s file has them, or all parameters of joints that the
    /// original has.
    pub fn of(kind: SolverKind) -> Self {
        let table = kind.info().params;
        let columns = if super::has_pivots(kind) {
            let order = FILE_ORDER.iter().filter(|(name, _)| name.is_empty() || find_row(table, name).is_some());
            order.map(|(name, header)| (*header, find_row(table, name))).collect()
        } else {
            let own = rows(table).filter(|(_, def)| def.scope == Scope::Joint && !def.beyond);
            own.map(|(row, def)| (def.name, Some(row))).collect()
        };
        Self { solver: kind, table, columns }
    }

    /// Whose columns they are.
    pub fn solver(&self) -> SolverKind {
        self.solver
    }

    /// The row of each cell after the name, the repeated ones left out; none for the pivot's.
    pub fn rows(&self) -> impl Iterator<Item = Option<Row>> + '_ {
        self.columns.iter().map(|(_, row)| *row)
    }

    /// The row that a column of this header holds.
    pub fn row_of(&self, header: &str) -> Option<Row> {
        self.columns.iter().find(|(other, _)| *other == header).and_then(|(_, row)| *row)
    }

    /// Whether lengths stand behind the columns of their own.
    fn has_lengths(&self) -> bool {
        super::has_pivots(self.solver)
    }

    /// Headers of all columns after the name, the repeated ones named once.
    pub fn headers(&self) -> Vec<&'static str> {
        let mut all: Vec<_> = self.columns.iter().map(|(header, _)| *header).collect();
        if self.has_lengths() {
            all.extend([COUNT, TARGET, "length limit ratio x N"]);
        }
        all.push("collider x N");
        all
    }

    /// How many cells after the name every row has.
    pub fn least(&self) -> usize {
        self.columns.len() + usize::from(self.has_lengths())
    }

    /// Positions of the cells after the name that hold decimals.
    pub fn decimals(&self) -> impl Iterator<Item = usize> + '_ {
        self.columns.iter().enumerate().filter_map(|(i, (_, row))| self.is_decimal((*row)?).then_some(i))
    }

    fn is_decimal(&self, row: Row) -> bool {
        self.table[row.index()].kind != Kind::Toggle
    }

    /// Understands the cells after a bone's name.
    pub fn bone_row(&self, line: u64, name: String, cells: Vec<String>, decimal_comma: bool) -> BoneRow {
        let cells = match self.bone_cells(&cells, decimal_comma) {
            Ok(good) => Ok(good),
            Err(problems) => Err(BadRow { cells, problems }),
        };
        BoneRow { line, name, cells }
    }

    fn bone_cells(&self, cells: &[String], decimal_comma: bool) -> Result<BoneCells, Vec<Problem>> {
        if cells.len() < self.least() {
            return Err(vec![too_short(cells.len() + 1, self.least() + 1)]);
        }
        let mut problems = Vec::new();
        let mut values = ParamSet::defaults(self.table);
        let mut pivot = String::new();
        for ((header, row), cell) in self.columns.iter().zip(cells) {
            let Some(row) = *row else {
                pivot.clone_from(cell);
                continue;
            };
            let value = if self.is_decimal(row) { parse_number(cell, decimal_comma) } else { parse_bool(cell) };
            match value {
                Ok(value) => {
                    values.set(row, value);
                }
                Err(fault) => problems.push(Problem::new(header, cell, fault)),
            }
        }
        let rest = &cells[self.columns.len()..];
        let counted = if self.has_lengths() { length_targets(rest, decimal_comma) } else { Ok((Vec::new(), 0)) };
        let (length_targets, used) = match counted {
            Ok(found) => found,
            Err(problem) => {
                problems.push(problem);
                (Vec::new(), rest.len())
            }
        };
        if !problems.is_empty() {
            return Err(problems);
        }
        let colliders = rest[used..].iter().filter(|c| !c.is_empty()).cloned().collect();
        Ok(BoneCells { values, pivot, length_targets, colliders })
    }

    /// Values beyond what the engine does anything sensible with; they are kept all the same.
    pub fn beyond_range(&self, bone: &BoneCells) -> Vec<Problem> {
        let mut found = Vec::new();
        for (column, row) in &self.columns {
            let Some(row) = *row else { continue };
            let ((from, to), value) = (self.table[row.index()].range, bone.values.get(row));
            if value < from || value > to {
                let to = (to != f32::MAX).then_some(to);
                found.push(Problem::new(column, number_text(value, None), Fault::BeyondRange { from, to }));
            }
        }
        found
    }

    /// The cells after the name, numbers with `digits` significant digits or as many as they need.
    pub fn bone_text(&self, bone: &BoneCells, digits: Option<u8>) -> Vec<String> {
        let mut cells = Vec::with_capacity(self.least() + bone.colliders.len());
        for (_, row) in &self.columns {
            cells.push(match *row {
                None => bone.pivot.clone(),
                Some(row) if self.is_decimal(row) => number_text(bone.values.get(row), digits),
                Some(row) => bool_text(bone.values.get(row) != 0.0),
            });
        }
        if self.has_lengths() {
            cells.push(bone.length_targets.len().to_string());
            for target in &bone.length_targets {
                cells.push(target.bone.clone());
                cells.push(number_text(target.ratio, digits));
            }
        }
        cells.extend(bone.colliders.iter().cloned());
        cells
    }
}

pub(super) fn too_short(found: usize, expected: usize) -> Problem {
    Problem::row(Fault::TooFewCells { found, expected })
}

/// The counted pairs at the start of `rest` and how many cells they took.
fn length_targets(rest: &[String], decimal_comma: bool) -> Result<(Vec<LengthTarget>, usize), Problem> {
    let count = count(COUNT, rest)?;
    let mut targets = Vec::with_capacity(count);
    for pair in rest[1..=2 * count].chunks_exact(2) {
        let ratio = parse_number(&pair[1], decimal_comma).map_err(|fault| Problem::new(RATIO, &pair[1], fault))?;
        targets.push(LengthTarget { bone: pair[0].clone(), ratio });
    }
    Ok((targets, 1 + 2 * count))
}

/// The first of some cells as a count of pairs that are there behind it.
pub(super) fn count(column: &'static str, cells: &[String]) -> Result<usize, Problem> {
    let text = cells.first().map_or("", String::as_str);
    let Ok(count) = text.parse::<usize>() else { return Err(Problem::new(column, text, Fault::NotACount)) };
    let room = cells.len().saturating_sub(1) / 2;
    if count > room {
        return Err(Problem::new(column, text, Fault::TooManyAnnounced { count, room }));
    }
    Ok(count)
}

/// A number as the original reads it; infinite only where the text says so.
pub fn parse_number(text: &str, decimal_comma: bool) -> Result<f32, Fault> {
    let said_infinite = text.trim_start_matches(['+', '-']);
    if said_infinite == "∞" || said_infinite.eq_ignore_ascii_case("infinity") {
        return Ok(if text.starts_with('-') { f32::NEG_INFINITY } else { f32::INFINITY });
    }
    let plain = if !text.contains(',') {
        text.to_owned()
    } else if decimal_comma && has_decimal_comma(text) {
        text.replace(',', ".")
    } else if !decimal_comma && has_thousands(text) {
        text.replace(',', "")
    } else if has_decimal_comma(text) {
        return Err(Fault::CommaAmongPoints);
    } else {
        return Err(Fault::NotANumber);
    };
    match plain.parse::<f32>() {
        Ok(value) if value.is_infinite() && plain.contains(|c: char| c.is_ascii_digit()) => Err(Fault::TooLarge),
        Ok(value) if !value.is_nan() => Ok(value),
        _ => Err(Fault::NotANumber),
    }
}

/// Whether the text is a number with one comma where the point belongs.
pub fn has_decimal_comma(text: &str) -> bool {
    text.matches(',').count() == 1 && !text.contains('.') && text.replace(',', ".").parse::<f32>().is_ok()
}

/// `1,234.5`: groups of three before a point.
fn has_thousands(text: &str) -> bool {
    let Some((whole, _)) = text.split_once('.') else { return false };
    let mut groups = whole.trim_start_matches(['+', '-']).split(',');
    let digits = |g: &str| g.bytes().all(|b| b.is_ascii_digit());
    groups.next().is_some_and(|g| (1..=3).contains(&g.len()) && digits(g)) && groups.all(|g| g.len() == 3 && digits(g))
}

pub(super) fn parse_bool(text: &str) -> Result<f32, Fault> {
    if text.eq_ignore_ascii_case("true") {
        Ok(1.0)
    } else if text.eq_ignore_ascii_case("false") {
        Ok(0.0)
    } else {
        Err(Fault::NotAToggle)
    }
}

/// As the original writes it.
pub(super) fn bool_text(on: bool) -> String {
    if on { "True" } else { "False" }.to_owned()
}

/// A number as .NET writes it: shortest text that reads back to the same bits, or rounded to `digits` significant
/// digits; with an exponent below 0.0001 and from ten million up.
pub fn number_text(value: f32, digits: Option<u8>) -> String {
    if value.is_nan() {
        return "NaN".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "Infinity" } else { "-Infinity" }.to_owned();
    }
    if value == 0.0 {
        return "0".to_owned();
    }
    let scientific = match digits {
        Some(digits) => format!("{value:.*e}", usize::from(digits.max(1)) - 1),
        None => format!("{value:e}"),
    };
    let (mantissa, exponent) = scientific.split_once('e').expect("a number in scientific notation has an exponent");
    let exponent: i32 = exponent.parse().expect("the exponent is a whole number");
    let sign = if value < 0.0 { "-" } else { "" };
    let all: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    let all = all.trim_end_matches('0');
    if !(-4..7).contains(&exponent) {
        let (first, rest) = all.split_at(1);
        let point = if rest.is_empty() { "" } else { "." };
        let exponent_sign = if exponent < 0 { '-' } else { '+' };
        return format!("{sign}{first}{point}{rest}E{exponent_sign}{:02}", exponent.abs());
    }
    if exponent < 0 {
        return format!("{sign}0.{}{all}", "0".repeat((-exponent - 1) as usize));
    }
    let whole = exponent as usize + 1;
    if all.len() <= whole {
        return format!("{sign}{all}{}", "0".repeat(whole - all.len()));
    }
    format!("{sign}{}.{}", &all[..whole], &all[whole..])
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn every_joint_parameter_of_every_engine_has_one_column() {
        for kind in SolverKind::ALL {
            let layout = Layout::of(*kind);
            for (row, def) in rows(layout.table) {
                let places = layout.columns.iter().filter(|(_, r)| *r == Some(row)).count();
                assert_eq!(places, usize::from(def.scope == Scope::Joint && !def.beyond), "{}", def.name);
            }
        }
        let columns = Layout::of(SolverKind::UnityChanSpringBone).columns;
        assert_eq!(columns.len(), FILE_ORDER.len(), "a column names no row");
    }

    #[test]
    fn a_row_of_vrm_has_its_own_names_and_then_colliders() {
        let layout = Layout::of(SolverKind::Vrm);
        let names = "stiffness,gravityPower,gravityDir x,gravityDir y,gravityDir z,dragForce,hitRadius,collider x N";
        assert_eq!(layout.headers().join(","), names);
        let cells: Vec<String> = "1,0.5,0,-1,0,0.4,0.02,Head_Sphere".split(',').map(str::to_owned).collect();
        let row = layout.bone_row(0, "hair".to_owned(), cells.clone(), false);
        let good = row.cells.expect("a good row");
        assert_eq!(good.colliders, ["Head_Sphere"]);
        assert_eq!(layout.bone_text(&good, None), cells);
        let short = layout.bone_row(0, "hair".to_owned(), cells[..6].to_vec(), false);
        assert_eq!(short.cells.expect_err("a cell is missing").problems, [too_short(7, 8)]);
    }

    #[track_caller]
    fn check_text(value: f32, expected: &str) {
        assert_eq!(number_text(value, None), expected);
        assert_eq!(parse_number(expected, false), Ok(value));
    }

    #[test]
    fn numbers_are_written_as_the_original_writes_them() {
        check_text(0.05, "0.05");
        check_text(5000.0, "5000");
        check_text(-20.5, "-20.5");
        check_text(1e-5, "1E-05");
        check_text(0.0001, "0.0001");
        check_text(1e7, "1E+07");
        check_text(1_234_567.0, "1234567");
        check_text(1.234e-5, "1.234E-05");
        check_text(99.999_99, "99.99999");
        check_text(f32::INFINITY, "Infinity");
        assert_eq!(number_text(1.0 / 3.0, Some(7)), "0.3333333");
        assert_eq!(number_text(16_777_216.0, Some(7)), "1.677722E+07");
    }

    #[track_caller]
    fn check_refused(text: &str, expected: &str) {
        let fault = parse_number(text, false).expect_err("no number");
        assert_eq!(Problem::new("", text, fault).to_string(), expected);
    }

    #[test]
    fn what_is_no_number_is_refused_with_its_text() {
        check_refused("o.5", "\"o.5\" is not a number");
        check_refused("", "empty, expected a number");
        check_refused("NaN", "\"NaN\" is not a number");
        check_refused("1e308", "\"1e308\" is too large for a number");
        check_refused("0,5", "\"0,5\" is not a number: other cells of this file have decimal points");
        check_refused("0x10", "\"0x10\" is not a number");
        assert_eq!(parse_number("0,5", true), Ok(0.5));
        assert_eq!(parse_number("1,234.5", false), Ok(1234.5));
        assert_eq!(parse_number("-∞", false), Ok(f32::NEG_INFINITY));
    }
}
