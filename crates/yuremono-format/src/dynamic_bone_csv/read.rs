//! Reads the sections of the CSV as chains and colliders.

use super::super::json_common::SetupDiagnostics;
use super::super::root_bone_formats::{
    AxisCollider, AxisShape, collider_entry, inline_collider_node, parse_cell, push_tree, system_entry,
};
use super::{
    COLLIDER_LIST_SECTION, COLLIDER_SECTION, COMPONENT_CELLS, COMPONENT_SECTION, CURVE_SECTIONS, EXCLUSION_SECTION,
    NUMBER_CELLS, OBJECT_CELLS,
};
use glam::{Quat, Vec3};
use yuremono_model::document::{ByName, Collider};
use yuremono_model::exchange::{CellFault, CellProblem, ChainTree, FileEntry, FileSpace, ReadResult, SetupFile};
use yuremono_sim::SolverKind;
use yuremono_sim::diagnostics::{Diagnostic, Location, excerpt, message};
use yuremono_sim::math::{Curve, CurveKey, Interpolation, Trs};
use yuremono_sim::params::{ParamId, ParamKind, ParamScope, ParamSet};

/// Larger files are rejected.
const MAX_FILE_MIB: usize = 16;
/// The number of cells of a plane. Other colliders have two more cells.
const PLANE_CELLS: usize = 14;

/// Reads a file in Unity's space. `file_name` appears in messages. Returns `Err` only if no part of the file can be
/// read.
pub fn read(bytes: &[u8], file_name: &str) -> ReadResult {
    let whole = Location::file(file_name);
    if bytes.len() > MAX_FILE_MIB << 20 {
        let message =
            message!("the file is larger than the {max_file_mib} MiB that are read", max_file_mib = MAX_FILE_MIB);
        return Err(vec![Diagnostic::error(whole, message)]);
    }
    let text = String::from_utf8_lossy(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes));
    let mut reader = DynamicBoneReader::new(file_name);
    if matches!(text, std::borrow::Cow::Owned(_)) {
        reader.diagnostics.push(Diagnostic::warning(whole, message!("the text is not UTF-8; names may be damaged")));
    }
    let rows = reader.split_rows(&text);
    for row in rows.iter().filter(|row| row.section == COMPONENT_SECTION) {
        reader.read_component(row);
    }
    let names: Vec<String> = reader.component_names.clone();
    for (section, of) in CURVE_SECTIONS {
        reader.for_each_component_row(&rows, section, &names, |reader, tree, row| reader.read_curve(tree, of, row));
    }
    reader.for_each_component_row(&rows, COLLIDER_LIST_SECTION, &names, |reader, tree, row| {
        reader.trees[tree].colliders = row.names_after_first().collect();
    });
    reader.for_each_component_row(&rows, EXCLUSION_SECTION, &names, |reader, tree, row| {
        reader.trees[tree].excluded = row.names_after_first().collect();
    });
    for row in rows.iter().filter(|row| row.section == COLLIDER_SECTION) {
        reader.add_collider(row);
    }
    Ok(reader.into_file())
}

/// A row and its section.
struct CsvRow<'t> {
    section: &'t str,
    line: u64,
    cells: Vec<&'t str>,
}

impl CsvRow<'_> {
    fn cell(&self, at: usize) -> &str {
        self.cells.get(at).copied().unwrap_or_default()
    }

    fn names_after_first(&self) -> impl Iterator<Item = String> + '_ {
        self.cells.iter().skip(1).filter(|name| !name.is_empty()).map(|name| (*name).to_owned())
    }
}

struct DynamicBoneReader {
    file_name: String,
    diagnostics: SetupDiagnostics,
    colliders: Vec<FileEntry>,
    trees: Vec<ChainTree>,
    /// The names of the objects that have the components, in the order of `trees`.
    component_names: Vec<String>,
    /// The system values, which come from the first component.
    system_values: Vec<(ParamId, f32)>,
}

impl DynamicBoneReader {
    fn new(file_name: &str) -> Self {
        Self {
            file_name: file_name.to_owned(),
            diagnostics: SetupDiagnostics::new(file_name),
            colliders: Vec::new(),
            trees: Vec::new(),
            component_names: Vec::new(),
            system_values: Vec::new(),
        }
    }

    fn place(&self, line: u64, name: &str) -> Location {
        Location::file(&*self.file_name).with_line(line).with_bone(excerpt(name))
    }

    fn warn(&mut self, row: &CsvRow<'_>, name: &str, message: impl Into<yuremono_sim::diagnostics::MessageText>) {
        self.diagnostics.push(Diagnostic::warning(self.place(row.line, name), message));
    }

    /// All rows of known sections. An empty line ends a section, as in `DynamicBoneDynamicsCsv`.
    fn split_rows<'t>(&mut self, text: &'t str) -> Vec<CsvRow<'t>> {
        let known: Vec<&str> = [COLLIDER_SECTION, COMPONENT_SECTION, COLLIDER_LIST_SECTION, EXCLUSION_SECTION]
            .into_iter()
            .chain(CURVE_SECTIONS.map(|(name, _)| name))
            .collect();
        let (mut rows, mut section) = (Vec::new(), None);
        for (line, text) in (1..).zip(text.lines()) {
            let bracketed = text.trim().strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
            if let Some(name) = bracketed {
                section = known.contains(&name).then_some(name);
                if section.is_none() {
                    let message = message!("section [{name}] is not known; ignored", name = excerpt(name));
                    self.diagnostics
                        .push(Diagnostic::warning(Location::file(&*self.file_name).with_line(line), message));
                }
            } else if text.trim().is_empty() {
                section = None;
            } else if let Some(section) = section {
                rows.push(CsvRow { section, line, cells: text.split(',').map(str::trim).collect() });
            }
        }
        rows
    }

    /// Parses the number in a cell, and reports a cell that is not a number.
    fn read_number(&mut self, row: &CsvRow<'_>, at: usize, column: &'static str, name: &str) -> Option<f32> {
        match parse_cell(row.cell(at)) {
            Ok(number) => Some(number),
            Err(fault) => {
                let problem = CellProblem::new(column, row.cell(at), fault);
                let place = self.place(row.line, name);
                self.diagnostics.report_problems(&place, &[problem]);
                None
            }
        }
    }

    fn read_component(&mut self, row: &CsvRow<'_>) {
        let (object, root) = (row.cell(1).to_owned(), row.cell(9).to_owned());
        if row.cells.len() < COMPONENT_CELLS {
            let message = message!(
                "the row has {count} cells, expected {component_cells}; left out",
                count = row.cells.len(),
                component_cells = COMPONENT_CELLS
            );
            return self.warn(row, &object, message);
        }
        if root.is_empty() {
            return self.warn(row, &object, message!("the component has no root; left out"));
        }
        let params = SolverKind::DynamicBone.info().params;
        let (mut base, mut system) = (ParamSet::defaults(params), Vec::new());
        for (at, of) in NUMBER_CELLS {
            let def = &params[of.index()];
            let value = if def.kind == ParamKind::Toggle {
                let is_on = row.cell(at).eq_ignore_ascii_case("true");
                if !is_on && !row.cell(at).eq_ignore_ascii_case("false") {
                    let problem = CellProblem::new(def.name, row.cell(at), CellFault::NotAToggle);
                    let place = self.place(row.line, &root);
                    self.diagnostics.report_problems(&place, &[problem]);
                }
                Some(f32::from(u8::from(is_on)))
            } else {
                self.read_number(row, at, def.name, &root)
            };
            let Some(value) = value else { continue };
            if def.scope == ParamScope::Joint {
                base.set(of, value);
            } else {
                system.push((of, value));
            }
        }
        if !row.cell(30).is_empty() {
            self.warn(
                row,
                &root,
                message!("the reference object \"{cell}\" is left out", cell = excerpt(row.cell(30))),
            );
        }
        if self.trees.is_empty() {
            self.system_values = system;
        } else if self.system_values != system {
            let message = message!(
                "update, end, gravity, force and freeze axis differ from the first component; the first component's values are used"
            );
            self.warn(row, &root, message);
        }
        self.trees.push(ChainTree {
            name: root.clone(),
            parent: row.cell(0).to_owned(),
            base_values: base,
            ..ChainTree::new(SolverKind::DynamicBone, root)
        });
        self.component_names.push(object);
    }

    /// Assigns the rows of a section to components. A row belongs to the component at the same position if both have
    /// the same name, because objects with equal names have the same order in all sections. Otherwise, the row belongs
    /// to the first component with that name.
    fn for_each_component_row(
        &mut self,
        rows: &[CsvRow<'_>],
        section: &str,
        names: &[String],
        mut put: impl FnMut(&mut Self, usize, &CsvRow<'_>),
    ) {
        for (n, row) in rows.iter().filter(|row| row.section == section).enumerate() {
            let name = row.cell(0);
            let here = names.get(n).is_some_and(|other| other == name);
            let first = || names.iter().position(|other| other == name);
            match if here { Some(n) } else { first() } {
                Some(tree) => put(self, tree, row),
                None => self.warn(row, name, message!("[{section}] names no component of the file; left out", section)),
            }
        }
    }

    fn read_curve(&mut self, tree: usize, of: ParamId, row: &CsvRow<'_>) {
        let cells = row.cells.len() - 1;
        if cells == 0 || row.cells[1..].iter().all(|cell| cell.is_empty()) {
            return;
        }
        let name = row.cell(0).to_owned();
        if !cells.is_multiple_of(6) {
            return self.warn(row, &name, message!("a curve key has six cells; the curve is left out"));
        }
        let mut keys = Vec::new();
        for at in (1..row.cells.len()).step_by(6) {
            let columns = [(0, "time"), (1, "value"), (2, "inTangent"), (4, "outTangent")];
            let numbers = columns.map(|(more, column)| self.read_number(row, at + more, column, &name));
            let [Some(t), Some(value), Some(slope_in), Some(slope_out)] = numbers else { return };
            keys.push(CurveKey { t, value, slope_in, slope_out });
        }
        match Curve::new(keys, Interpolation::Hermite) {
            Some(curve) => self.trees[tree].curves.push((of, curve)),
            None => self.warn(row, &name, message!("a key of the curve is infinite; the curve is left out")),
        }
    }

    fn add_collider(&mut self, row: &CsvRow<'_>) {
        match read_collider(row) {
            Ok(collider) => self.colliders.push(FileEntry { line: row.line, ..collider_entry(collider) }),
            Err(problems) => {
                let place = self.place(row.line, row.cell(1));
                self.diagnostics.report_problems(&place, &problems);
            }
        }
    }

    fn into_file(mut self) -> (SetupFile, Vec<Diagnostic>) {
        let mut file = SetupFile::new(&super::INFO, SolverKind::DynamicBone);
        file.space = FileSpace::Unity(None);
        file.entries = self.colliders;
        file.entries.extend(system_entry(SolverKind::DynamicBone, &self.system_values));
        for tree in self.trees {
            push_tree(&mut file, tree, Location::file(&*self.file_name), &mut self.diagnostics);
        }
        (file, self.diagnostics.into_diagnostics())
    }
}

fn read_collider(row: &CsvRow<'_>) -> Result<Collider<ByName>, Vec<CellProblem>> {
    let found = row.cells.len();
    if found < PLANE_CELLS || found == PLANE_CELLS + 1 {
        let expected = if found < PLANE_CELLS { PLANE_CELLS } else { PLANE_CELLS + 2 };
        return Err(vec![CellProblem::for_row(CellFault::TooFewCells { found, expected })]);
    }
    let number = |at: usize, column: &'static str| match parse_cell(row.cell(at)) {
        Ok(number) if number.is_finite() => Ok(number),
        Ok(_) => Err(vec![CellProblem::new(column, row.cell(at), CellFault::TooLargeForF32)]),
        Err(fault) => Err(vec![CellProblem::new(column, row.cell(at), fault)]),
    };
    let three = |at: usize, column| -> Result<[f32; 3], Vec<CellProblem>> {
        Ok([number(at, column)?, number(at + 1, column)?, number(at + 2, column)?])
    };
    let position = Vec3::from(three(2, "local position")?);
    let [x, y, z] = three(5, "local rotation")?;
    let turned = Quat::from_xyzw(x, y, z, number(8, "local rotation")?);
    let rotation = match turned {
        // A unit quaternion keeps its digits, so that another export writes the same cells.
        unit if (unit.length_squared() - 1.0).abs() < 1e-6 => unit,
        other if other.length() > 0.0 => other.normalize(),
        _ => Quat::IDENTITY,
    };
    let direction = number(OBJECT_CELLS, "m_Direction")?;
    let center = Vec3::from(three(OBJECT_CELLS + 1, "m_Center")?);
    let is_inside = number(OBJECT_CELLS + 4, "m_Bound")? != 0.0;
    let shape = if found > PLANE_CELLS {
        AxisShape::Capsule { radius: number(PLANE_CELLS, "m_Radius")?, height: number(PLANE_CELLS + 1, "m_Height")? }
    } else {
        AxisShape::Plane
    };
    let (offset, shape) = AxisCollider { axis: direction as i32, center, inside: is_inside, shape }.place();
    let (whole, offset) = (rotation * offset.rotation, rotation * offset.translation);
    // The offset is 0 for a capsule that Yuremono wrote, except for rounding errors.
    let at = if offset.length() <= 1e-6 * center.length() { position } else { position + offset };
    let local = Trs { translation: at, rotation: whole, scale: Vec3::ONE };
    Ok(Collider::new(row.cell(1), inline_collider_node(row.cell(1), row.cell(0), local), shape))
}
