//! Converts the rows of each section from cells to entries and back.

use super::cells::{CellReader, number_text, require_cells};
use super::is_unity_chan;
use super::joints::JointColumns;
use crate::unity_space::shape_on_bone_in_unity;
use glam::{Quat, Vec3};
use yuremono_model::document::{
    ByName, Collider, FlipAxis, Helper, HelperRole, HighLeg, JointEntry, NodeRef, ReplacedProperties, SetupEntry,
};
use yuremono_model::document::{flip_axis::rotation_from_unity_euler, flip_axis::unity_euler_from_rotation};
use yuremono_model::exchange::{CellFault, CellProblem, FileSection};
use yuremono_sim::math::Trs;
use yuremono_sim::{ColliderShape, SolverKind};

/// The header that UnityChan writes above pivots.
pub(super) const PIVOT_HEADER: &str = "// PivotName,ParentName,local rotation x,y,z";
/// The headers that UnityChan writes above colliders.
pub(super) const COLLIDER_HEADERS: [&str; 4] = [
    "// ColliderName,ParentName,pos x,y,z,rot x,y,z,scale x,y,z,ColliderType,Parameters",
    "//,,,,,,,,,,,Sp (Sphere),radius,linkedRenderer",
    "//,,,,,,,,,,,Cp (Capsule),radius,height,linkedRenderer",
    "//,,,,,,,,,,,Pa (Panel),width,height,linkedRenderer",
];
/// The additional headers above the colliders of other solvers.
pub(super) const EXTRA_COLLIDER_HEADERS: [&str; 5] = [
    "//,,,,,,,,,,,Pl (Plane),linkedRenderer",
    "//,,,,,,,,,,,Tc (Tapered capsule),radius,tailRadius,height,linkedRenderer",
    "//,,,,,,,,,,,Bx (Box),width,height,depth,linkedRenderer",
    "//,,,,,,,,,,,Cy (Cylinder),radius,height,linkedRenderer",
    "//,,,,,,,,,,,In before a type: what is in it is kept in",
];
/// The only component that UnityChan reads.
const HIGH_LEG_COMPONENT: &str = "Unity.Animations.SpringBones.HighLeg";
/// The name of the same component in version 1.0 of the package. Later versions ignore this name, but this codec
/// accepts the name.
const HIGH_LEG_COMPONENT_1_0: &str = "UTJ.HighLeg";

const PIVOT_ROTATION_COLUMNS: [&str; 3] = ["local rotation x", "local rotation y", "local rotation z"];
const POSITION_COLUMNS: [&str; 3] = ["pos x", "pos y", "pos z"];
const ROTATION_COLUMNS: [&str; 3] = ["rot x", "rot y", "rot z"];
const SCALE_COLUMNS: [&str; 3] = ["scale x", "scale y", "scale z"];
const COLLIDER_TYPE_COLUMN: &str = "ColliderType";
const LEG_COUNT_COLUMN: &str = "leg count";
/// The number of cells of a node after its name. In a collider row, the type follows these cells.
const NODE_CELLS: usize = 1 + 3 * 3;

/// The collider types, each with an example of its shape. The numbers of the shape follow in the order of its parameter
/// table. Only the first three types exist in UnityChan. The prefix `in` marks shapes that keep joints inside.
const COLLIDER_TYPES: [(&str, ColliderShape); 12] = [
    ("sp", ColliderShape::SPHERE),
    ("cp", ColliderShape::CAPSULE),
    ("pa", ColliderShape::PANEL),
    ("insp", ColliderShape::SPHERE.inverted()),
    ("incp", ColliderShape::CAPSULE.inverted()),
    ("pl", ColliderShape::PLANE),
    ("tc", ColliderShape::TAPERED_CAPSULE),
    ("intc", ColliderShape::TAPERED_CAPSULE.inverted()),
    ("bx", ColliderShape::BOX),
    ("inbx", ColliderShape::BOX.inverted()),
    ("cy", ColliderShape::CYLINDER),
    ("incy", ColliderShape::CYLINDER.inverted()),
];

/// Reads and writes the table rows of one solver.
pub(super) struct RowFormat {
    pub solver: SolverKind,
    pub joints: JointColumns,
}

impl RowFormat {
    pub(super) fn of(solver: SolverKind) -> Self {
        Self { solver, joints: JointColumns::of(solver) }
    }

    /// Parses a row into an entry in Unity's space. `cells` are the cells after the name.
    pub(super) fn read(
        &self,
        section: FileSection,
        name: &str,
        cells: &[String],
        decimal_comma: bool,
    ) -> Result<SetupEntry, Vec<CellProblem>> {
        match section {
            FileSection::Joints => {
                let joint = self.joints.read(name, cells, decimal_comma)?;
                Ok(SetupEntry::Joint(JointEntry { scope: ReplacedProperties::TableRow, chain: None, joint }))
            }
            FileSection::Pivots => read_pivot(name, cells, decimal_comma).map(SetupEntry::Helper),
            FileSection::Colliders => self.read_collider(name, cells, decimal_comma).map(SetupEntry::Collider),
            FileSection::Nodes => {
                require_cells(cells, NODE_CELLS)?;
                let mut reader = CellReader::new(cells, decimal_comma);
                let node = read_node(name, &mut reader, HelperRole::Null);
                reader.finish(SetupEntry::Helper(node))
            }
            FileSection::HighLegs => read_high_leg(name, cells).map(SetupEntry::HighLeg),
            FileSection::Other => Err(vec![CellProblem::for_row(CellFault::UnknownComment)]),
        }
    }

    fn read_collider(
        &self,
        name: &str,
        cells: &[String],
        decimal_comma: bool,
    ) -> Result<Collider<ByName>, Vec<CellProblem>> {
        require_cells(cells, NODE_CELLS + 1)?;
        let mut reader = CellReader::new(cells, decimal_comma);
        let node = read_node(name, &mut reader, HelperRole::Plain);
        let kind = reader.text();
        let known = if is_unity_chan(self.solver) {
            &COLLIDER_TYPES[..ColliderShape::BASIC.len()]
        } else {
            &COLLIDER_TYPES[..]
        };
        let Some((_, mut shape)) = known.iter().copied().find(|(name, _)| *name == kind) else {
            reader.reject(COLLIDER_TYPE_COLUMN, kind, CellFault::NotAColliderType);
            return Err(reader.problems);
        };
        require_cells(cells, NODE_CELLS + 1 + shape.fields().len())?;
        for (at, field) in shape.fields().iter().enumerate() {
            shape = shape.with_field(at, reader.number(field.name));
        }
        let renderer = Some(reader.text()).filter(|name| !name.is_empty());
        let collider = Collider::new(name, NodeRef::Inline(Box::new(node)), shape);
        reader.finish(Collider { mesh_name: renderer, ..collider })
    }

    /// Returns the name and the cells of the row for an entry, or `None` if the section has no rows for this kind of
    /// entry.
    pub(super) fn write(
        &self,
        section: FileSection,
        item: &SetupEntry,
        style: NumberStyle,
    ) -> Option<(String, Vec<String>)> {
        let digits = style.digits;
        match (section, item) {
            (FileSection::Joints, SetupEntry::Joint(item)) if item.scope != ReplacedProperties::Details => {
                Some((item.joint.bone.clone(), self.joints.write(&item.joint, digits)))
            }
            (FileSection::Pivots, SetupEntry::Helper(node)) => {
                let angles = unity_euler_from_rotation(node.local.rotation).map(|angle| number_text(angle, digits));
                let parent = node.parent.name().to_owned();
                Some((node.name.clone(), std::iter::once(parent).chain(angles).collect()))
            }
            (FileSection::Colliders, SetupEntry::Collider(collider)) => {
                Some((collider.name.clone(), write_collider(collider, style)))
            }
            (FileSection::Nodes, SetupEntry::Helper(node)) => {
                Some((node.name.clone(), write_node(node.parent.name(), &node.local, digits)))
            }
            (FileSection::HighLegs, SetupEntry::HighLeg(high_leg)) => {
                Some((high_leg.node.name().to_owned(), write_high_leg(high_leg)))
            }
            _ => None,
        }
    }
}

/// The format of numbers in rows.
#[derive(Clone, Copy)]
pub(super) struct NumberStyle {
    /// Significant digits. With `None`, the text has enough digits to parse to the same number.
    pub digits: Option<u8>,
    /// The axis that changes sign between glTF's space and the file's space.
    pub axis: FlipAxis,
}

fn read_pivot(name: &str, cells: &[String], decimal_comma: bool) -> Result<Helper<ByName>, Vec<CellProblem>> {
    require_cells(cells, 4)?;
    let mut reader = CellReader::new(cells, decimal_comma);
    let parent = NodeRef::Named(reader.text());
    let rotation = rotation_from_unity_euler(reader.finite_numbers(PIVOT_ROTATION_COLUMNS, &CellFault::NotAnAngle));
    let local = Trs { rotation, ..Trs::IDENTITY };
    reader.finish(Helper { name: name.to_owned(), parent, local, role: HelperRole::Pivot })
}

fn read_node(name: &str, reader: &mut CellReader<'_>, role: HelperRole) -> Helper<ByName> {
    let parent = NodeRef::Named(reader.text());
    let translation = Vec3::from(reader.finite_numbers(POSITION_COLUMNS, &CellFault::TooLargeForF32));
    let rotation: Quat = rotation_from_unity_euler(reader.finite_numbers(ROTATION_COLUMNS, &CellFault::NotAnAngle));
    let scale = Vec3::from(reader.finite_numbers(SCALE_COLUMNS, &CellFault::TooLargeForF32));
    Helper { name: name.to_owned(), parent, local: Trs { translation, rotation, scale }, role }
}

fn read_high_leg(name: &str, cells: &[String]) -> Result<HighLeg<ByName>, Vec<CellProblem>> {
    let kind = cells.first().map_or("", String::as_str);
    if kind != HIGH_LEG_COMPONENT && kind != HIGH_LEG_COMPONENT_1_0 {
        return Err(vec![CellProblem::new("component", kind, CellFault::NotAComponent)]);
    }
    require_cells(cells, 3)?;
    let mut reader = CellReader::new(cells, false);
    let [_, hip] = [reader.text(), reader.text()];
    let pairs = reader.counted_pairs(LEG_COUNT_COLUMN).map_err(|problem| vec![problem])?;
    let named = |name: &String| NodeRef::Named(name.clone());
    let legs = pairs.chunks_exact(2).map(|pair| [named(&pair[0]), named(&pair[1])]).collect();
    Ok(HighLeg { node: name.into(), hip: NodeRef::Named(hip), legs })
}

fn write_node(parent: &str, local: &Trs, digits: Option<u8>) -> Vec<String> {
    let euler = unity_euler_from_rotation(local.rotation);
    let numbers = [local.translation.to_array(), euler, local.scale.to_array()].into_iter().flatten();
    std::iter::once(parent.to_owned()).chain(numbers.map(|number| number_text(number, digits))).collect()
}

fn write_collider(collider: &Collider<ByName>, NumberStyle { digits, axis }: NumberStyle) -> Vec<String> {
    let mut cells = match &collider.node {
        NodeRef::Inline(node) => write_node(node.parent.name(), &node.local, digits),
        NodeRef::Named(name) => write_node(name, &shape_on_bone_in_unity(&collider.shape, axis), digits),
    };
    let is_like = |shape: &ColliderShape| shape.is_same_kind(&collider.shape);
    cells.extend(COLLIDER_TYPES.iter().filter(|(_, shape)| is_like(shape)).map(|(name, _)| (*name).to_owned()));
    let fields = 0..collider.shape.fields().len();
    cells.extend(fields.map(|at| number_text(collider.shape.field(at), digits)));
    cells.push(collider.mesh_name.clone().unwrap_or_default());
    cells
}

/// UnityChan ends these rows with two empty cells.
fn write_high_leg(high_leg: &HighLeg<ByName>) -> Vec<String> {
    let mut cells =
        vec![HIGH_LEG_COMPONENT.to_owned(), high_leg.hip.name().to_owned(), high_leg.legs.len().to_string()];
    cells.extend(high_leg.legs.iter().flatten().map(|node| node.name().to_owned()));
    cells.extend([String::new(), String::new()]);
    cells
}

#[cfg(test)]
mod tests {
    use super::*;

    const STYLE: NumberStyle = NumberStyle { digits: None, axis: FlipAxis::X };

    fn cells(text: &str) -> Vec<String> {
        text.split(',').map(str::to_owned).collect()
    }

    #[test]
    fn every_collider_type_is_read_and_written() {
        let format = RowFormat::of(SolverKind::Vrm);
        for (name, shape) in COLLIDER_TYPES {
            let local = Trs { translation: Vec3::new(1.0, 2.0, 3.0), ..Trs::IDENTITY };
            let node = Helper { name: "a".to_owned(), parent: "Head".into(), local, role: HelperRole::Plain };
            let collider = Collider::new("a", NodeRef::Inline(Box::new(node)), shape);
            let item = SetupEntry::Collider(Collider { mesh_name: Some("Body".to_owned()), ..collider });
            let (row, text) = format.write(FileSection::Colliders, &item, STYLE).expect("a row");
            assert_eq!((row.as_str(), text[NODE_CELLS].as_str()), ("a", name));
            assert_eq!(format.read(FileSection::Colliders, &row, &text, false), Ok(item));
        }
    }

    #[test]
    fn only_the_renderer_of_a_collider_may_be_missing() {
        let format = RowFormat::of(SolverKind::default());
        let read = |text: &str| format.read(FileSection::Colliders, "a", &cells(text), false);
        assert!(read("Head,0,0,0,0,0,0,1,1,1,sp,0.1").is_ok());
        let short = CellProblem::for_row(CellFault::TooFewCells { found: 13, expected: 14 });
        assert_eq!(read("Head,0,0,0,0,0,0,1,1,1,cp,0.1"), Err(vec![short]));
        let upper = CellProblem::new(COLLIDER_TYPE_COLUMN, "SP", CellFault::NotAColliderType);
        assert_eq!(read("Head,0,0,0,0,0,0,1,1,1,SP,0.1"), Err(vec![upper]));
    }

    #[test]
    fn a_component_row_is_written_unchanged() {
        let format = RowFormat::of(SolverKind::default());
        let text = cells("Unity.Animations.SpringBones.HighLeg,Hips,2,LegL,KneeL,LegR,KneeR,,");
        let item = format.read(FileSection::HighLegs, "PivotRoot", &text, false).expect("a good row");
        assert_eq!(format.write(FileSection::HighLegs, &item, STYLE), Some(("PivotRoot".to_owned(), text)));
        let short = cells("Unity.Animations.SpringBones.HighLeg,Hips,3,LegL");
        let problem = CellProblem::new(LEG_COUNT_COLUMN, "3", CellFault::CountExceedsCells { count: 3, available: 0 });
        assert_eq!(format.read(FileSection::HighLegs, "a", &short, false), Err(vec![problem]));
    }
}
