//! Cells of pivots, colliders, bare nodes and components to values and back.

use super::cells::{count, number_text, parse_bool, parse_number, too_short};
use super::{
    BadRow, ColliderCells, ColliderRow, ComponentRow, Fault, HighLegCells, NodeCells, NullRow, PivotCells, PivotRow,
    Problem, TableRow,
};
use crate::sim::{Shape, SolverKind};

/// What the original writes above pivots.
pub const PIVOT_HEADER: &str = "// PivotName,ParentName,local rotation x,y,z";
/// What the original writes above colliders.
pub const COLLIDER_HEADERS: [&str; 4] = [
    "// ColliderName,ParentName,pos x,y,z,rot x,y,z,scale x,y,z,ColliderType,Parameters",
    "//,,,,,,,,,,,Sp (Sphere),radius,linkedRenderer",
    "//,,,,,,,,,,,Cp (Capsule),radius,height,linkedRenderer",
    "//,,,,,,,,,,,Pa (Panel),width,height,linkedRenderer",
];
/// The only component that the original knows.
pub const COMPONENT: &str = "Unity.Animations.SpringBones.HighLeg";
/// The same in version 1.0 of the package; versions from 1.1 on pass it over, here it is read.
const COMPONENT_OF_1_0: &str = "UTJ.HighLeg";

/// What is written above colliders of other solvers besides.
pub const MORE_COLLIDER_HEADERS: [&str; 5] = [
    "//,,,,,,,,,,,Pl (Plane),linkedRenderer",
    "//,,,,,,,,,,,Tc (Tapered capsule),radius,tailRadius,height,linkedRenderer",
    "//,,,,,,,,,,,Bx (Box),width,height,depth,linkedRenderer",
    "//,,,,,,,,,,,Cy (Cylinder),radius,height,linkedRenderer",
    "//,,,,,,,,,,,In before a type: what is in it is kept in",
];

const EULER: [&str; 3] = ["local rotation x", "local rotation y", "local rotation z"];
const POSITION: [&str; 3] = ["pos x", "pos y", "pos z"];
const ROTATION: [&str; 3] = ["rot x", "rot y", "rot z"];
const SCALE: [&str; 3] = ["scale x", "scale y", "scale z"];
const COLLIDER_TYPE: &str = "ColliderType";
const LEGS: &str = "leg count";
/// Cells of a bare node after its name; a collider's type comes next.
const NODE_CELLS: usize = 1 + 3 * 3;

/// The short name of a collider's type and a shape of it, whose numbers follow in the order of its table. `UnityChan`
/// has the first three; `in` is for shapes that keep in what is in them.
const TYPES: [(&str, Shape); 12] = [
    ("sp", Shape::SPHERE),
    ("cp", Shape::CAPSULE),
    ("pa", Shape::PANEL),
    ("insp", Shape::SPHERE.inverted()),
    ("incp", Shape::CAPSULE.inverted()),
    ("pl", Shape::PLANE),
    ("tc", Shape::TAPERED),
    ("intc", Shape::TAPERED.inverted()),
    ("bx", Shape::BOX),
    ("inbx", Shape::BOX.inverted()),
    ("cy", Shape::CYLINDER),
    ("incy", Shape::CYLINDER.inverted()),
];

/// Takes cells one after the other and notes what is wrong with them.
pub(super) struct Cursor<'a> {
    cells: &'a [String],
    at: usize,
    comma: bool,
    pub(super) problems: Vec<Problem>,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(cells: &'a [String], comma: bool) -> Self {
        Self { cells, at: 0, comma, problems: Vec::new() }
    }

    pub(super) fn text(&mut self) -> String {
        self.at += 1;
        self.cells.get(self.at - 1).cloned().unwrap_or_default()
    }

    pub(super) fn number(&mut self, column: &'static str) -> f32 {
        let cell = self.text();
        parse_number(&cell, self.comma).unwrap_or_else(|fault| self.bad(column, cell, fault))
    }

    pub(super) fn toggle(&mut self, column: &'static str) -> bool {
        let cell = self.text();
        parse_bool(&cell).unwrap_or_else(|fault| self.bad(column, cell, fault)) != 0.0
    }

    pub(super) fn numbers<const N: usize>(&mut self, columns: [&'static str; N]) -> [f32; N] {
        columns.map(|column| self.number(column))
    }

    /// Numbers of which none may be infinite.
    pub(super) fn finite<const N: usize>(&mut self, columns: [&'static str; N], fault: &Fault) -> [f32; N] {
        columns.map(|column| {
            let value = self.number(column);
            if value.is_finite() {
                value
            } else {
                let cell = self.cells.get(self.at - 1).cloned().unwrap_or_default();
                self.bad(column, cell, fault.clone())
            }
        })
    }

    pub(super) fn bad(&mut self, column: &'static str, cell: String, fault: Fault) -> f32 {
        self.problems.push(Problem::new(column, cell, fault));
        0.0
    }

    pub(super) fn rest(&self) -> &'a [String] {
        self.cells.get(self.at..).unwrap_or_default()
    }

    fn node(&mut self) -> NodeCells {
        let parent = self.text();
        let position = self.finite(POSITION, &Fault::TooLarge);
        let euler_deg = self.finite(ROTATION, &Fault::NotAnAngle);
        NodeCells { parent, position, euler_deg, scale: self.finite(SCALE, &Fault::TooLarge) }
    }
}

/// A row of what `understand` makes of the cells after its name.
pub(super) fn row_of<T>(
    line: u64,
    name: String,
    cells: Vec<String>,
    understand: impl FnOnce(&[String]) -> Result<T, Vec<Problem>>,
) -> TableRow<T> {
    let cells = understand(&cells).map_err(|problems| BadRow { cells, problems });
    TableRow { line, name, cells }
}

/// `value`, unless something was wrong.
pub(super) fn unless_bad<T>(problems: Vec<Problem>, value: T) -> Result<T, Vec<Problem>> {
    if problems.is_empty() { Ok(value) } else { Err(problems) }
}

fn at_least(cells: &[String], least: usize) -> Result<(), Vec<Problem>> {
    if cells.len() < least { Err(vec![too_short(cells.len() + 1, least + 1)]) } else { Ok(()) }
}

/// Understands the cells after a pivot's name. An empty name is for a look at the whole table to find.
pub fn pivot_row(line: u64, name: String, cells: Vec<String>, decimal_comma: bool) -> PivotRow {
    row_of(line, name, cells, |cells| {
        at_least(cells, 4)?;
        let mut cursor = Cursor::new(cells, decimal_comma);
        let parent = cursor.text();
        let euler_deg = cursor.finite(EULER, &Fault::NotAnAngle);
        unless_bad(cursor.problems, PivotCells { parent, euler_deg })
    })
}

/// Understands the cells after a collider's name. `UnityChan`'s tables have spheres, capsules and panels; those of
/// others may have all shapes.
pub fn collider_row(
    solver: SolverKind,
    line: u64,
    name: String,
    cells: Vec<String>,
    decimal_comma: bool,
) -> ColliderRow {
    row_of(line, name, cells, |cells| {
        at_least(cells, NODE_CELLS + 1)?;
        let mut cursor = Cursor::new(cells, decimal_comma);
        let node = cursor.node();
        let kind = cursor.text();
        let known = if super::has_pivots(solver) { &TYPES[..Shape::BASIC.len()] } else { &TYPES[..] };
        let Some((_, mut shape)) = known.iter().copied().find(|(name, _)| *name == kind) else {
            cursor.bad(COLLIDER_TYPE, kind, Fault::NotAColliderType);
            return Err(cursor.problems);
        };
        at_least(cells, NODE_CELLS + 1 + shape.fields().len())?;
        for (at, field) in shape.fields().iter().enumerate() {
            shape = shape.with_field(at, cursor.number(field.name));
        }
        let renderer = cursor.text();
        unless_bad(cursor.problems, ColliderCells { node, shape, renderer })
    })
}

/// Understands the cells after a bare node's name.
pub fn null_row(line: u64, name: String, cells: Vec<String>, decimal_comma: bool) -> NullRow {
    row_of(line, name, cells, |cells| {
        at_least(cells, NODE_CELLS)?;
        let mut cursor = Cursor::new(cells, decimal_comma);
        let node = cursor.node();
        unless_bad(cursor.problems, node)
    })
}

/// Understands the cells after the name of a component's node.
pub fn component_row(line: u64, name: String, cells: Vec<String>) -> ComponentRow {
    row_of(line, name, cells, |cells| {
        let kind = cells.first().map_or("", String::as_str);
        if kind != COMPONENT && kind != COMPONENT_OF_1_0 {
            return Err(vec![Problem::new("component", kind, Fault::NotAComponent)]);
        }
        at_least(cells, 3)?;
        let legs = count(LEGS, &cells[2..]).map_err(|problem| vec![problem])?;
        let pairs = cells[3..3 + 2 * legs].chunks_exact(2);
        let legs = pairs.map(|pair| [pair[0].clone(), pair[1].clone()]).collect();
        Ok(HighLegCells { hip: cells[1].clone(), legs })
    })
}

/// The cells after a pivot's name.
pub fn pivot_text(cells: &PivotCells, digits: Option<u8>) -> Vec<String> {
    let angles = cells.euler_deg.iter().map(|a| number_text(*a, digits));
    std::iter::once(cells.parent.clone()).chain(angles).collect()
}

/// The cells after a bare node's name.
pub fn null_text(cells: &NodeCells, digits: Option<u8>) -> Vec<String> {
    let numbers = [cells.position, cells.euler_deg, cells.scale].into_iter().flatten();
    std::iter::once(cells.parent.clone()).chain(numbers.map(|n| number_text(n, digits))).collect()
}

/// The cells after a collider's name.
pub fn collider_text(cells: &ColliderCells, digits: Option<u8>) -> Vec<String> {
    let mut text = null_text(&cells.node, digits);
    let same = |shape: &Shape| shape.is_like(&cells.shape);
    text.extend(TYPES.iter().filter(|(_, shape)| same(shape)).map(|(name, _)| (*name).to_owned()));
    text.extend((0..cells.shape.fields().len()).map(|at| number_text(cells.shape.field(at), digits)));
    text.push(cells.renderer.clone());
    text
}

/// The cells after the name of a component's node; the original ends them with two empty ones.
pub fn component_text(cells: &HighLegCells) -> Vec<String> {
    let mut text = vec![COMPONENT.to_owned(), cells.hip.clone(), cells.legs.len().to_string()];
    text.extend(cells.legs.iter().flatten().cloned());
    text.extend([String::new(), String::new()]);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells(text: &str) -> Vec<String> {
        text.split(',').map(str::to_owned).collect()
    }

    #[test]
    fn collider_types_stand_for_the_shapes_that_the_engine_has() {
        for (name, shape) in TYPES {
            let row = ColliderCells {
                node: NodeCells { parent: "Head".to_owned(), position: [1.0, 2.0, 3.0], ..still() },
                shape,
                renderer: "Body".to_owned(),
            };
            let text = collider_text(&row, None);
            assert_eq!(text[NODE_CELLS], name);
            assert_eq!(collider_row(SolverKind::Vrm, 0, "a".to_owned(), text, false).cells, Ok(row));
        }
    }

    fn still() -> NodeCells {
        NodeCells { parent: String::new(), position: [0.0; 3], euler_deg: [0.0; 3], scale: [1.0; 3] }
    }

    #[test]
    fn only_the_renderer_of_a_collider_may_be_missing() {
        let row = |text: &str| collider_row(SolverKind::default(), 0, "a".to_owned(), cells(text), false).cells;
        assert!(row("Head,0,0,0,0,0,0,1,1,1,sp,0.1").is_ok());
        assert_eq!(row("Head,0,0,0,0,0,0,1,1,1,cp,0.1").expect_err("short").problems, [too_short(13, 14)]);
        let upper = row("Head,0,0,0,0,0,0,1,1,1,SP,0.1").expect_err("upper case").problems;
        assert_eq!(upper, [Problem::new(COLLIDER_TYPE, "SP", Fault::NotAColliderType)]);
    }

    #[test]
    fn a_component_row_goes_back_as_it_came() {
        let text = cells("Unity.Animations.SpringBones.HighLeg,Hips,2,LegL,KneeL,LegR,KneeR,,");
        let row = component_row(0, "PivotRoot".to_owned(), text.clone());
        assert_eq!(component_text(row.cells.as_ref().expect("good")), text);
        let short = component_row(0, "a".to_owned(), cells("Unity.Animations.SpringBones.HighLeg,Hips,3,LegL"));
        let problems = short.cells.expect_err("three legs are announced").problems;
        assert_eq!(problems, [Problem::new(LEGS, "3", Fault::TooManyAnnounced { count: 3, room: 0 })]);
    }
}
