//! The extension's sections as chains and colliders.

use super::super::by_root::{collider_item, parse_cell, placed, push_tree, system_item};
use super::super::json_findings::Findings;
use super::{COLLIDERS, COMPONENT, COMPONENTS, CURVES, EXCLUSIONS, LISTED, NUMBERS, OBJECT};
use crate::document::{ByName, Collider};
use crate::exchange::TableFormat;
use crate::exchange::{Fault, FileItem, FileSpace, Problem, SetupFile, Tree};
use crate::math::{Curve, Interpolation, Key, Trs};
use crate::report::{Diagnostic, Place, clip};
use crate::schema::{Kind, ParamSet, Row, Scope};
use crate::sim::{Shape, SolverKind};
use glam::{Quat, Vec3};

/// Larger files are refused.
const LARGEST_MIB: usize = 16;
/// Cells of a collider that is a plane; others have two more.
const PLANE: usize = 14;

/// Reads a file in Unity's space; `file_name` is for messages. `Err` only where nothing can be read.
pub fn read(bytes: &[u8], file_name: &str) -> Result<(SetupFile, Vec<Diagnostic>), Vec<Diagnostic>> {
    let whole = Place::file(file_name);
    if bytes.len() > LARGEST_MIB << 20 {
        let message = format!("the file has {} MiB, more than {LARGEST_MIB} MiB are not read", bytes.len() >> 20);
        return Err(vec![Diagnostic::error(whole, message)]);
    }
    let text = String::from_utf8_lossy(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes));
    let mut reader = Reader::new(file_name);
    if matches!(text, std::borrow::Cow::Owned(_)) {
        reader.found.push(Diagnostic::warning(whole, "this is no UTF-8 text; names may be damaged"));
    }
    let rows = reader.rows(&text);
    for row in rows.iter().filter(|row| row.section == COMPONENTS) {
        reader.component(row);
    }
    let names: Vec<String> = reader.objects.clone();
    for (section, of) in CURVES {
        reader.per_object(&rows, section, &names, |reader, tree, row| reader.curve(tree, of, row));
    }
    reader.per_object(&rows, LISTED, &names, |reader, tree, row| {
        reader.trees[tree].colliders = row.names().collect();
    });
    reader.per_object(&rows, EXCLUSIONS, &names, |reader, tree, row| {
        reader.trees[tree].excluded = row.names().collect();
    });
    for row in rows.iter().filter(|row| row.section == COLLIDERS) {
        reader.collider(row);
    }
    Ok(reader.finish())
}

/// A row with its section.
struct Line<'t> {
    section: &'t str,
    number: u64,
    cells: Vec<&'t str>,
}

impl Line<'_> {
    fn cell(&self, at: usize) -> &str {
        self.cells.get(at).copied().unwrap_or_default()
    }

    fn names(&self) -> impl Iterator<Item = String> + '_ {
        self.cells.iter().skip(1).filter(|name| !name.is_empty()).map(|name| (*name).to_owned())
    }
}

struct Reader {
    file_name: String,
    found: Findings,
    colliders: Vec<FileItem>,
    trees: Vec<Tree>,
    /// Names of the objects that have the components, in the order of `trees`.
    objects: Vec<String>,
    /// Values of the system, from the first component.
    system: Vec<(Row, f32)>,
}

impl Reader {
    fn new(file_name: &str) -> Self {
        Self {
            file_name: file_name.to_owned(),
            found: Findings::new(file_name),
            colliders: Vec::new(),
            trees: Vec::new(),
            objects: Vec::new(),
            system: Vec::new(),
        }
    }

    fn place(&self, line: u64, name: &str) -> Place {
        Place::file(&*self.file_name).line(line).bone(clip(name))
    }

    fn warn(&mut self, row: &Line<'_>, name: &str, message: impl Into<String>) {
        self.found.push(Diagnostic::warning(self.place(row.number, name), message));
    }

    /// All rows of known sections. An empty line ends a section, as it does for the extension.
    fn rows<'t>(&mut self, text: &'t str) -> Vec<Line<'t>> {
        let known: Vec<&str> =
            [COLLIDERS, COMPONENTS, LISTED, EXCLUSIONS].into_iter().chain(CURVES.map(|(name, _)| name)).collect();
        let (mut rows, mut section) = (Vec::new(), None);
        for (line, text) in (1..).zip(text.lines()) {
            let bracketed = text.trim().strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
            if let Some(name) = bracketed {
                section = known.contains(&name).then_some(name);
                if section.is_none() {
                    let message = format!("section [{}] is not known; left out", clip(name));
                    self.found.push(Diagnostic::warning(Place::file(&*self.file_name).line(line), message));
                }
            } else if text.trim().is_empty() {
                section = None;
            } else if let Some(section) = section {
                rows.push(Line { section, number: line, cells: text.split(',').map(str::trim).collect() });
            }
        }
        rows
    }

    /// The number of a cell; reported where it is not a number.
    fn number(&mut self, row: &Line<'_>, at: usize, column: &'static str, name: &str) -> Option<f32> {
        match parse_cell(row.cell(at)) {
            Ok(number) => Some(number),
            Err(fault) => {
                let problem = Problem::new(column, row.cell(at), fault);
                let place = self.place(row.number, name);
                self.found.bad_item(&place, &[problem]);
                None
            }
        }
    }

    fn component(&mut self, row: &Line<'_>) {
        let (object, root) = (row.cell(1).to_owned(), row.cell(9).to_owned());
        if row.cells.len() < COMPONENT {
            let message = format!("the row has {} cells, expected {COMPONENT}; left out", row.cells.len());
            return self.warn(row, &object, message);
        }
        if root.is_empty() {
            return self.warn(row, &object, "the component has no root; left out");
        }
        let params = SolverKind::DynamicBone.info().params;
        let (mut base, mut system) = (ParamSet::defaults(params), Vec::new());
        for (at, of) in NUMBERS {
            let def = &params[of.index()];
            let value = if def.kind == Kind::Toggle {
                let is_on = row.cell(at).eq_ignore_ascii_case("true");
                if !is_on && !row.cell(at).eq_ignore_ascii_case("false") {
                    let problem = Problem::new(def.name, row.cell(at), Fault::NotAToggle);
                    let place = self.place(row.number, &root);
                    self.found.bad_item(&place, &[problem]);
                }
                Some(f32::from(u8::from(is_on)))
            } else {
                self.number(row, at, def.name, &root)
            };
            let Some(value) = value else { continue };
            if def.scope == Scope::Joint {
                base.set(of, value);
            } else {
                system.push((of, value));
            }
        }
        if !row.cell(30).is_empty() {
            self.warn(row, &root, format!("the reference object \"{}\" is left out", clip(row.cell(30))));
        }
        if self.trees.is_empty() {
            self.system = system;
        } else if self.system != system {
            let message =
                "update, ends, gravity, force and freeze axis differ from the first component's, which are used";
            self.warn(row, &root, message);
        }
        self.trees.push(Tree {
            name: root.clone(),
            root,
            above: row.cell(0).to_owned(),
            joints: Vec::new(),
            excluded: Vec::new(),
            ends: Vec::new(),
            base,
            curves: Vec::new(),
            material: String::new(),
            colliders: Vec::new(),
        });
        self.objects.push(object);
    }

    /// Assigns the rows of a section to components: to the one at the row's own position where that has the row's name,
    /// because objects of one name have the same order in all sections, else to the first of that name.
    fn per_object(
        &mut self,
        rows: &[Line<'_>],
        section: &str,
        names: &[String],
        mut put: impl FnMut(&mut Self, usize, &Line<'_>),
    ) {
        for (n, row) in rows.iter().filter(|row| row.section == section).enumerate() {
            let name = row.cell(0);
            let here = names.get(n).is_some_and(|other| other == name);
            let first = || names.iter().position(|other| other == name);
            match if here { Some(n) } else { first() } {
                Some(tree) => put(self, tree, row),
                None => self.warn(row, name, format!("[{section}] speaks of no component of the file; left out")),
            }
        }
    }

    fn curve(&mut self, tree: usize, of: Row, row: &Line<'_>) {
        let cells = row.cells.len() - 1;
        if cells == 0 || row.cells[1..].iter().all(|cell| cell.is_empty()) {
            return;
        }
        let name = row.cell(0).to_owned();
        if !cells.is_multiple_of(6) {
            return self.warn(row, &name, "the keys of a curve have six cells each; the curve is left out");
        }
        let mut keys = Vec::new();
        for at in (1..row.cells.len()).step_by(6) {
            let columns = [(0, "time"), (1, "value"), (2, "inTangent"), (4, "outTangent")];
            let numbers = columns.map(|(more, column)| self.number(row, at + more, column, &name));
            let [Some(t), Some(value), Some(slope_in), Some(slope_out)] = numbers else { return };
            keys.push(Key { t, value, slope_in, slope_out });
        }
        match Curve::new(keys, Interpolation::Hermite) {
            Some(curve) => self.trees[tree].curves.push((of, curve)),
            None => self.warn(row, &name, "a key of the curve is infinite; the curve is left out"),
        }
    }

    fn collider(&mut self, row: &Line<'_>) {
        match collider(row) {
            Ok(collider) => self.colliders.push(FileItem { line: row.number, ..collider_item(collider) }),
            Err(problems) => {
                let place = self.place(row.number, row.cell(1));
                self.found.bad_item(&place, &problems);
            }
        }
    }

    fn finish(mut self) -> (SetupFile, Vec<Diagnostic>) {
        let mut file = SetupFile::new(TableFormat::DynamicBoneCsv, SolverKind::DynamicBone);
        file.space = FileSpace::Unity(None);
        file.items = self.colliders;
        file.items.extend(system_item(SolverKind::DynamicBone, &self.system));
        for tree in self.trees {
            push_tree(&mut file, tree, Place::file(&*self.file_name), &mut self.found);
        }
        (file, self.found.into_list())
    }
}

fn collider(row: &Line<'_>) -> Result<Collider<ByName>, Vec<Problem>> {
    let found = row.cells.len();
    if found < PLANE || found == PLANE + 1 {
        let expected = if found < PLANE { PLANE } else { PLANE + 2 };
        return Err(vec![Problem::row(Fault::TooFewCells { found, expected })]);
    }
    let number = |at: usize, column: &'static str| match parse_cell(row.cell(at)) {
        Ok(number) if number.is_finite() => Ok(number),
        Ok(_) => Err(vec![Problem::new(column, row.cell(at), Fault::TooLarge)]),
        Err(fault) => Err(vec![Problem::new(column, row.cell(at), fault)]),
    };
    let three = |at: usize, column| -> Result<[f32; 3], Vec<Problem>> {
        Ok([number(at, column)?, number(at + 1, column)?, number(at + 2, column)?])
    };
    let position = Vec3::from(three(2, "local position")?);
    let [x, y, z] = three(5, "local rotation")?;
    let turned = Quat::from_xyzw(x, y, z, number(8, "local rotation")?);
    let rotation = if turned.length() > 0.0 { turned.normalize() } else { Quat::IDENTITY };
    let direction = number(OBJECT, "m_Direction")?;
    let center = Vec3::from(three(OBJECT + 1, "m_Center")?);
    let is_inside = number(OBJECT + 4, "m_Bound")? != 0.0;
    let half = std::f32::consts::FRAC_PI_2;
    let (along, shape, back) = if found > PLANE {
        let (radius, height) = (number(PLANE, "m_Radius")?, number(PLANE + 1, "m_Height")?);
        let height = height - 2.0 * radius;
        // Our capsules start at their node and extend along +Y.
        let along = match direction as i32 {
            0 => Quat::from_rotation_z(-half),
            2 => Quat::from_rotation_x(half),
            _ => Quat::IDENTITY,
        };
        if height > 0.0 {
            (along, Shape::Capsule { radius, height, inside: is_inside }, height / 2.0)
        } else {
            (Quat::IDENTITY, Shape::Sphere { radius, inside: is_inside }, 0.0)
        }
    } else {
        // Our planes push towards +Z.
        let along = match direction as i32 {
            0 => Quat::from_rotation_y(half),
            1 => Quat::from_rotation_x(-half),
            _ => Quat::IDENTITY,
        };
        let other_side = if is_inside { Quat::from_rotation_y(2.0 * half) } else { Quat::IDENTITY };
        (along * other_side, Shape::Plane, 0.0)
    };
    let whole = rotation * along;
    let at = position + rotation * center - whole * Vec3::new(0.0, back, 0.0);
    let local = Trs { translation: at, rotation: whole, scale: Vec3::ONE };
    Ok(Collider::new(row.cell(1), placed(row.cell(1), row.cell(0), local), shape))
}
