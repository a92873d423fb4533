//! Setups between Unity's space and glTF's.
//!
//! Unity's space is left-handed and glTF's right-handed; both have Y up and use metres. Between them one axis changes
//! sign, X or Z. What converts with it:
//! - points and virtual tips;
//! - rotations of nodes, which are unit quaternions in both spaces;
//! - parameters that are vectors, each by its mirror rule;
//! - swing limits and the component lists of a solver.
//!
//! Two kinds of nodes have a side that counts: pivots, and nodes under panels, planes and forces, which act along +Z.
//! Where Z changes sign, their rotation needs a half turn about Y, see [`Axis::face`].

use crate::document::{
    Authored, Axis, ByName, Chain, Collider, Extras, Force, Helper, HelperRole, HighLeg, Joint, NodeRef, SetupItem,
    System, Tip,
};
use crate::exchange::TableFormat;
use crate::exchange::{FileSpace, Section, SetupFile, Tree};
use crate::math::{Number, Trs};
use crate::schema::{Mirror, ParamDef, ParamSet, Row, Scope, find_row_or_former, first_row, rows};
use crate::sim::{Form, Shape, SolverKind};
use std::collections::BTreeMap;

/// The file in glTF's space. `axis` is the axis that changes sign; a file that is in glTF's space already stays as it is.
#[must_use]
pub fn to_gltf(file: SetupFile, axis: Axis) -> SetupFile {
    if file.space == FileSpace::Gltf {
        return file;
    }
    let converted = convert(file, Conversion { axis, into_unity: false });
    SetupFile { space: FileSpace::Gltf, mirrored: Some(axis), ..converted }
}

/// The file in Unity's space; the way back of [`to_gltf`]. A file that is in Unity's space already stays as it is.
#[must_use]
pub fn to_unity(file: SetupFile, axis: Axis) -> SetupFile {
    if file.space != FileSpace::Gltf {
        return file;
    }
    let converted = convert(file, Conversion { axis, into_unity: true });
    SetupFile { space: FileSpace::Unity(Some(axis)), mirrored: None, ..converted }
}

/// How many joints and chains of a file have a value that turns round where `axis` changes sign. The file may be in
/// either space.
pub fn pushed_along(file: &SetupFile, axis: Axis) -> usize {
    let joints = file.good(Section::Joints).filter(|(_, entry, item)| match item {
        SetupItem::Joint(joint) => {
            let solver = file.solver_of(entry);
            let value = |def: &ParamDef| joint.joint.own.get(def.name).is_some_and(|value| value.0 != 0.0);
            turned_rows(solver, axis).any(|(_, def)| value(def))
        }
        _ => false,
    });
    let solver = file.systems.first().map_or_else(SolverKind::default, |system| system.solver);
    let trees = file.trees.iter().filter(|tree| turned_rows(solver, axis).any(|(row, _)| tree.base.get(row) != 0.0));
    joints.count() + trees.count()
}

/// Whether anything of a file depends on `axis` changing sign.
pub fn depends_on(file: &SetupFile, axis: Axis) -> bool {
    let has_place = |section| matches!(section, Section::Pivots | Section::Colliders | Section::Nodes);
    file.items.iter().any(|item| has_place(item.section)) || pushed_along(file, axis) > 0
}

/// A joint of a passthrough entry, which is in glTF's space, in Unity's.
pub(super) fn joint_to_unity(joint: &mut Joint<ByName>, solver: SolverKind, axis: Axis) {
    Conversion { axis, into_unity: true }.joint(joint, solver);
}

/// The local transform in Unity's space of a shape on a bone itself.
pub(super) fn bare_shape_in_unity(shape: &Shape, axis: Axis) -> Trs {
    let mut local = Trs::IDENTITY;
    Conversion { axis, into_unity: true }.local(&mut local, is_flat(shape));
    local
}

/// The engine's rows of joint scope whose value changes with the space.
fn turned_rows(solver: SolverKind, axis: Axis) -> impl Iterator<Item = (Row, &'static ParamDef)> {
    let table = solver.info().params;
    let of_joints = rows(table).filter(|(_, def)| def.scope == Scope::Joint && !def.beyond);
    of_joints.filter(move |(row, _)| converted_row(table, *row, axis) != (*row, false))
}

/// Where a row's value goes in the other space, and whether it changes sign there; its own inverse. Only components of
/// vectors move or change sign. The first row of a vector says what kind of vector it is.
fn converted_row(table: &[ParamDef], row: Row, axis: Axis) -> (Row, bool) {
    let mirror = |index: usize| table.get(index).map_or(Mirror::Same, |def| def.mirror);
    let Some(component) = table.get(row.index()).and_then(ParamDef::axis) else { return (row, false) };
    let first = first_row(table, row).index();
    let change = match (mirror(first), mirror(first + 1)) {
        // A rotation axis, or angles: the component along the mirrored axis stays.
        (Mirror::Same, turned) if component != axis.index() => turned,
        (Mirror::Same, _) => Mirror::Same,
        (along, _) if component == axis.index() => along,
        _ => Mirror::Same,
    };
    match change {
        Mirror::Same => (row, false),
        Mirror::Negate => (row, true),
        // The same component of the vector that the partner belongs to.
        Mirror::SwapNegate(partner) => (Row(first_row(table, partner).0 + component as u16), true),
    }
}

/// Subtracted from zero, so that no file gets a negative zero.
fn signed(value: f32, negate: bool) -> f32 {
    if negate { 0.0 - value } else { value }
}

/// Whether the node of a shape has a side that counts: panels and planes push towards +Z.
const fn is_flat(shape: &Shape) -> bool {
    matches!(shape.form(), Form::Flat)
}

fn convert(mut file: SetupFile, to: Conversion) -> SetupFile {
    for at in 0..file.items.len() {
        let solver = file.solver_of(&file.items[at]);
        let item = &mut file.items[at];
        // Comment rows of a CSV are in glTF's space.
        if file.format == TableFormat::Csv && item.section == Section::Other {
            continue;
        }
        if let Ok(content) = &mut item.content {
            to.item(content, solver);
        }
    }
    let solver = file.systems.first().map_or_else(SolverKind::default, |system| system.solver);
    for tree in &mut file.trees {
        to.tree(tree, solver);
    }
    file
}

/// A value that is stored by parameter name.
trait Signed {
    fn negate(&mut self);
}

impl Signed for Number {
    fn negate(&mut self) {
        self.0 = signed(self.0, true);
    }
}

impl Signed for Authored {
    fn negate(&mut self) {
        self.base = signed(self.base, true);
    }
}

/// From one space into the other.
#[derive(Clone, Copy)]
struct Conversion {
    axis: Axis,
    into_unity: bool,
}

impl Conversion {
    fn item(self, item: &mut SetupItem, solver: SolverKind) {
        match item {
            SetupItem::System(system) => self.system(system),
            SetupItem::Material(_, material) => self.values(&mut material.values, material.solver),
            SetupItem::Node(helper) => self.helper(helper),
            SetupItem::Collider(collider) => self.collider(collider),
            SetupItem::Force(force) => self.force(force),
            SetupItem::HighLeg(high_leg) => self.high_leg(high_leg),
            SetupItem::Chain(chain) => self.chain(&mut chain.chain, solver),
            SetupItem::Joint(joint) => self.joint(&mut joint.joint, solver),
            SetupItem::ComponentNodes(_)
            | SetupItem::ColliderOff(_)
            | SetupItem::Group(..)
            | SetupItem::Excluded(_)
            | SetupItem::MeshHidden(_) => {}
        }
    }

    /// `has_side`: its +Z has a meaning.
    fn local(self, local: &mut Trs, has_side: bool) {
        local.translation = self.axis.point(local.translation);
        local.rotation = match (has_side, self.into_unity) {
            (false, _) => self.axis.turn(local.rotation),
            (true, false) => self.axis.face(local.rotation),
            (true, true) => self.axis.unface(local.rotation),
        };
    }

    fn node(self, node: &mut NodeRef) {
        if let NodeRef::Placed(helper) = node {
            self.helper(helper);
        }
    }

    fn nodes<'a>(self, nodes: impl IntoIterator<Item = &'a mut NodeRef>) {
        nodes.into_iter().for_each(|node| self.node(node));
    }

    fn helper(self, helper: &mut Helper<ByName>) {
        self.local(&mut helper.local, helper.role == HelperRole::Pivot);
        self.node(&mut helper.parent);
    }

    /// A node that something is on whose +Z has a meaning.
    fn node_with_side(self, node: &mut NodeRef) {
        if let NodeRef::Placed(helper) = node {
            self.local(&mut helper.local, true);
            self.node(&mut helper.parent);
        }
    }

    fn collider(self, collider: &mut Collider<ByName>) {
        if is_flat(&collider.shape) {
            self.node_with_side(&mut collider.node);
        } else if let NodeRef::Placed(helper) = &mut collider.node {
            self.local(&mut helper.local, false);
            self.node(&mut helper.parent);
        }
    }

    fn force(self, force: &mut Force<ByName>) {
        self.node_with_side(&mut force.node);
    }

    fn high_leg(self, high_leg: &mut HighLeg<ByName>) {
        self.nodes([&mut high_leg.node, &mut high_leg.hip]);
        self.nodes(high_leg.legs.iter_mut().flatten());
    }

    fn system(self, system: &mut System<ByName>) {
        self.values(&mut system.values, system.solver);
        self.nodes(&mut system.component);
        let extras = std::mem::take(&mut system.extras);
        system.extras = self.lists(&extras);
    }

    fn lists(self, lists: &Extras<NodeRef, String, String>) -> Extras<NodeRef, String, String> {
        let node = |node: &NodeRef| {
            let mut node = node.clone();
            self.node(&mut node);
            Some(node)
        };
        lists.rename(node, |bone| Some(bone.clone()), |collider| Some(collider.clone())).mirrored(self.axis)
    }

    fn chain(self, chain: &mut Chain<ByName>, solver: SolverKind) {
        self.values(&mut chain.values, solver);
        self.nodes(&mut chain.center);
        chain.joints.iter_mut().for_each(|joint| self.joint(joint, solver));
    }

    fn joint(self, joint: &mut Joint<ByName>, solver: SolverKind) {
        if let Tip::Offset(offset) = &mut joint.tip {
            *offset = self.axis.point(*offset);
        }
        if let Some(limit) = &mut joint.limit {
            // Every range is the same on both sides of its planes.
            limit.rotation = self.axis.turn(limit.rotation);
        }
        self.values(&mut joint.own, solver);
        self.nodes(&mut joint.pivot);
        self.nodes(joint.length_targets.iter_mut().map(|target| &mut target.node));
    }

    /// Values by parameter name; names that the solver does not have stay.
    fn values<V: Signed>(self, values: &mut BTreeMap<String, V>, solver: SolverKind) {
        let table = solver.info().params;
        let all = std::mem::take(values);
        values.extend(all.into_iter().map(|(name, mut value)| {
            let Some((row, _)) = find_row_or_former(table, &name) else { return (name, value) };
            let (to, negate) = converted_row(table, row, self.axis);
            if negate {
                value.negate();
            }
            let name = if to == row { name } else { table[to.index()].name.to_owned() };
            (name, value)
        }));
    }

    fn tree(self, tree: &mut Tree, solver: SolverKind) {
        let table = solver.info().params;
        let old = std::mem::replace(&mut tree.base, ParamSet::defaults(table));
        for (row, def) in rows(table) {
            let (from, negate) =
                if def.scope == Scope::Joint { converted_row(table, row, self.axis) } else { (row, false) };
            tree.base.set(row, signed(old.get(from), negate));
        }
        for (row, _) in &mut tree.curves {
            *row = converted_row(table, *row, self.axis).0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Material, MaterialId, NodeRef};
    use crate::exchange::FileItem;
    use crate::schema::find_row;
    use crate::sim::ForceKind;
    use glam::Quat;
    use glam::Vec3;

    const AXES: [Axis; 2] = [Axis::X, Axis::Z];

    fn helper(role: HelperRole) -> Helper<ByName> {
        let rotation = Quat::from_euler(glam::EulerRot::YXZ, 0.3, -0.5, 1.1);
        let local = Trs { translation: Vec3::new(0.1, 0.2, -0.3), rotation, scale: Vec3::new(1.0, 1.5, 0.5) };
        Helper { name: "node".to_owned(), parent: "Head".into(), local, role }
    }

    fn placed() -> NodeRef {
        NodeRef::Placed(Box::new(helper(HelperRole::Plain)))
    }

    fn file(item: SetupItem, section: Section) -> SetupFile {
        let mut file = SetupFile::new(TableFormat::Csv, SolverKind::default());
        file.items.push(FileItem::new(0, section, "entry", item));
        file
    }

    fn rotation_in_unity(item: SetupItem, section: Section, axis: Axis) -> Quat {
        match to_unity(file(item, section), axis).items.remove(0).content {
            Ok(SetupItem::Node(helper)) => helper.local.rotation,
            Ok(
                SetupItem::Collider(Collider { node: NodeRef::Placed(helper), .. })
                | SetupItem::Force(Force { node: NodeRef::Placed(helper), .. }),
            ) => helper.local.rotation,
            other => panic!("{other:?} has no rotation"),
        }
    }

    #[test]
    fn only_what_acts_along_plus_z_faces_another_way() {
        let q = helper(HelperRole::Plain).local.rotation;
        let of_shape = |shape| SetupItem::Collider(Collider::new("node", placed(), shape));
        for axis in AXES {
            for role in [HelperRole::Plain, HelperRole::Null] {
                assert_eq!(rotation_in_unity(SetupItem::Node(helper(role)), Section::Nodes, axis), axis.turn(q));
            }
            let pivot = SetupItem::Node(helper(HelperRole::Pivot));
            assert_eq!(rotation_in_unity(pivot, Section::Pivots, axis), axis.unface(q));
            for (shape, turned) in [
                (Shape::SPHERE, axis.turn(q)),
                (Shape::CAPSULE, axis.turn(q)),
                (Shape::PANEL, axis.unface(q)),
                (Shape::PLANE, axis.unface(q)),
            ] {
                assert_eq!(rotation_in_unity(of_shape(shape), Section::Colliders, axis), turned, "{shape:?}");
            }
        }
    }

    /// Points of a shape's node in the world are those that Unity has, with one sign changed.
    #[track_caller]
    fn check_shape(axis: Axis, shape: Shape, points: &[Vec3]) {
        let collider = SetupItem::Collider(Collider::new("node", placed(), shape));
        let unity = SetupFile { space: FileSpace::Unity(None), ..file(collider, Section::Colliders) };
        let local = match to_gltf(unity, axis).items.remove(0).content {
            Ok(SetupItem::Collider(Collider { node: NodeRef::Placed(helper), .. })) => helper.local,
            other => panic!("{other:?} is not a described collider"),
        };
        let unity = helper(HelperRole::Plain).local;
        for point in points {
            let expected = axis.point(unity.to_affine().transform_point3(*point));
            let found = local.to_affine().transform_point3(*point);
            assert!(found.distance(expected) < 1e-5, "{axis:?} {shape:?} {point}: {found}, not {expected}");
        }
    }

    #[test]
    fn the_solver_sees_unitys_shapes_under_both_mirrors() {
        for axis in AXES {
            check_shape(axis, Shape::Capsule { radius: 0.1, height: 0.4, inside: false }, &[Vec3::ZERO, Vec3::Y]);
            check_shape(axis, Shape::Panel { width: 0.2, height: 0.4 }, &[Vec3::ZERO, Vec3::Y, Vec3::Z]);
            check_shape(axis, Shape::Plane, &[Vec3::ZERO, Vec3::Z]);
            check_shape(axis, Shape::Sphere { radius: 0.1, inside: false }, &[Vec3::ZERO]);
        }
    }

    #[test]
    fn an_entry_comes_back_from_unitys_space_unchanged() {
        let mut joint: Joint<ByName> = Joint::new("hair".to_owned());
        joint.tip = Tip::Offset(Vec3::new(0.1, 0.2, 0.3));
        joint.pivot = Some(NodeRef::Placed(Box::new(helper(HelperRole::Pivot))));
        joint.own = SolverKind::default().info().params.iter().map(|d| (d.name.to_owned(), Number(2.5))).collect();
        let scope = crate::document::JointScope::Whole;
        let force = Force { name: "wind".to_owned(), node: placed(), kind: ForceKind::ALL[1], enabled: true };
        let collider = Collider::new("panel", placed(), Shape::PANEL);
        let entries = [
            (Section::Joints, SetupItem::Joint(crate::document::JointItem { scope, chain: None, joint })),
            (Section::Colliders, SetupItem::Collider(collider)),
            (Section::Nodes, SetupItem::Node(helper(HelperRole::Null))),
        ];
        for (section, item) in entries {
            for axis in AXES {
                let before = file(item.clone(), section);
                let unity = to_unity(before.clone(), axis);
                assert_eq!(unity.space, FileSpace::Unity(Some(axis)));
                assert_ne!(unity.items, before.items);
                let back = to_gltf(unity, axis);
                assert_eq!(back.mirrored, Some(axis));
                assert_eq!(SetupFile { mirrored: None, ..back }, before);
            }
        }
        // Comment rows of a CSV are in glTF's space in both.
        let before = file(SetupItem::Force(force.clone()), Section::Other);
        assert_eq!(to_unity(before.clone(), Axis::Z).items, before.items);
        let other = SetupFile { format: TableFormat::EzJson, ..before };
        assert_ne!(to_unity(other.clone(), Axis::Z).items, other.items);
    }

    #[test]
    fn vectors_change_by_their_mirror_rule_under_every_solver() {
        for kind in SolverKind::ALL {
            let table = kind.info().params;
            let plain: BTreeMap<String, Authored> = rows(table)
                .map(|(row, def)| (def.name.to_owned(), Authored { base: f32::from(row.0) + 2.0, curve: None }))
                .collect();
            for axis in AXES {
                let material = Material { name: String::new(), solver: *kind, values: plain.clone() };
                let mut item = SetupItem::Material(MaterialId(1), material);
                Conversion { axis, into_unity: true }.item(&mut item, *kind);
                let SetupItem::Material(_, material) = item else { panic!("a material stays one") };
                let mut tree = Tree {
                    name: String::new(),
                    root: String::new(),
                    above: String::new(),
                    joints: Vec::new(),
                    excluded: Vec::new(),
                    ends: Vec::new(),
                    base: ParamSet::defaults(table),
                    curves: Vec::new(),
                    material: String::new(),
                    colliders: Vec::new(),
                };
                for (row, _) in rows(table) {
                    tree.base.set(row, f32::from(row.0) + 2.0);
                }
                Conversion { axis, into_unity: true }.tree(&mut tree, *kind);
                for (row, def) in rows(table) {
                    let (from, negate) = converted_row(table, row, axis);
                    let expected = signed(f32::from(from.0) + 2.0, negate);
                    assert_eq!(material.values[def.name].base, expected, "{} {} {axis:?}", kind.key(), def.name);
                    if def.scope == Scope::Joint {
                        assert_eq!(tree.base.get(row), expected, "{} {} {axis:?}", kind.key(), def.name);
                    }
                    assert_eq!(converted_row(table, from, axis), (row, negate), "its own inverse");
                }
            }
        }
    }

    #[test]
    fn a_file_depends_on_the_axis_of_its_forces_and_places() {
        let mut joint: Joint<ByName> = Joint::new("hair".to_owned());
        let x = find_row(SolverKind::default().info().params, "springForce x").expect("UnityChan has it");
        assert_ne!(converted_row(SolverKind::default().info().params, x, Axis::X), (x, false));
        joint.own.insert("springForce x".to_owned(), Number(0.5));
        let scope = crate::document::JointScope::Row;
        let pushed = file(SetupItem::Joint(crate::document::JointItem { scope, chain: None, joint }), Section::Joints);
        assert_eq!(AXES.map(|axis| pushed_along(&pushed, axis)), [1, 0]);
        assert_eq!(AXES.map(|axis| depends_on(&pushed, axis)), [true, false]);
        let with_place = file(SetupItem::Node(helper(HelperRole::Null)), Section::Nodes);
        assert_eq!(AXES.map(|axis| depends_on(&with_place, axis)), [true, true]);
    }
}
