//! Converts setups between Unity's space and glTF's space.
//!
//! Unity's space is left-handed and glTF's space is right-handed. Both have Y up and use metres. One axis, X or Z,
//! changes sign between them. The conversion changes:
//! - points and virtual tips;
//! - rotations of nodes, which are unit quaternions in both spaces;
//! - parameters that are vectors, each by its mirror rule;
//! - swing limits and the component lists of a solver.
//!
//! The facing of a node matters for pivots, and for nodes with panels, planes and forces, which act along +Z. If Z
//! changes sign, the conversion adds a half turn about Y to the rotation of these nodes, see [`FlipAxis::flip_facing`].

use std::collections::BTreeMap;
use yuremono_model::document::{
    ByName, Chain, ChainValue, Collider, ComponentLists, FlipAxis, Force, Helper, HelperRole, HighLeg, Joint, NodeRef,
    SetupEntry, System, Tip,
};
use yuremono_model::exchange::SetupLayout;
use yuremono_model::exchange::{ChainTree, FileSection, FileSpace, SetupFile};
use yuremono_sim::math::{JsonNumber, Trs};
use yuremono_sim::params::{
    ParamDef, ParamId, ParamScope, ParamSet, enumerate_params, find_param_or_former, mirrored_component,
};
use yuremono_sim::{ColliderShape, ShapeClass, SolverKind};

/// Converts the file to glTF's space. `axis` is the axis that changes sign. A file in glTF's space stays unchanged.
#[must_use]
pub fn to_gltf(file: SetupFile, axis: FlipAxis) -> SetupFile {
    if file.space == FileSpace::Gltf {
        return file;
    }
    let converted = convert_file(file, SpaceConversion { axis, into_unity: false });
    SetupFile { space: FileSpace::Gltf, flipped_axis: Some(axis), ..converted }
}

/// Converts the file to Unity's space. This is the inverse of [`to_gltf`]. A file in Unity's space stays unchanged.
#[must_use]
pub fn to_unity(file: SetupFile, axis: FlipAxis) -> SetupFile {
    if file.space != FileSpace::Gltf {
        return file;
    }
    let converted = convert_file(file, SpaceConversion { axis, into_unity: true });
    SetupFile { space: FileSpace::Unity(Some(axis)), flipped_axis: None, ..converted }
}

/// Returns the number of joints and chains with a value that changes sign with `axis`. The file can be in either space.
pub fn count_axis_dependent_values(file: &SetupFile, axis: FlipAxis) -> usize {
    let joints = file.usable_entries(FileSection::Joints).filter(|(_, entry, item)| match item {
        SetupEntry::Joint(joint) => {
            let solver = file.solver_of(entry);
            let value = |def: &ParamDef| joint.joint.overrides.get(def.name).is_some_and(|value| value.0 != 0.0);
            axis_dependent_params(solver, axis).any(|(_, def)| value(def))
        }
        _ => false,
    });
    let trees = file.trees.iter().filter(|tree| {
        axis_dependent_params(file.solver_of_tree(tree), axis).any(|(param, _)| tree.base_values.get(param) != 0.0)
    });
    joints.count() + trees.count()
}

/// Whether any value of a file depends on which axis changes sign.
pub fn depends_on_axis(file: &SetupFile, axis: FlipAxis) -> bool {
    let has_place = |section| matches!(section, FileSection::Pivots | FileSection::Colliders | FileSection::Nodes);
    file.entries.iter().any(|item| has_place(item.section)) || count_axis_dependent_values(file, axis) > 0
}

/// Converts the joint of a passthrough entry from glTF's space to Unity's space.
pub(super) fn joint_to_unity(joint: &mut Joint<ByName>, solver: SolverKind, axis: FlipAxis) {
    SpaceConversion { axis, into_unity: true }.convert_joint(joint, solver);
}

/// Returns the local transform, in Unity's space, of a shape that is directly on a bone.
pub(super) fn shape_on_bone_in_unity(shape: &ColliderShape, axis: FlipAxis) -> Trs {
    let mut local = Trs::IDENTITY;
    SpaceConversion { axis, into_unity: true }.convert_transform(&mut local, has_facing(shape));
    local
}

fn axis_dependent_params(solver: SolverKind, axis: FlipAxis) -> impl Iterator<Item = (ParamId, &'static ParamDef)> {
    let table = solver.info().params;
    let of_joints = enumerate_params(table).filter(|(_, def)| def.scope == ParamScope::Joint && !def.extension);
    of_joints.filter(move |(param, _)| mirrored_component(table, *param, axis.index()) != (*param, false))
}

/// Subtracts from zero, because a plain negation could write a negative zero to files.
fn negate_if(value: f32, negate: bool) -> f32 {
    if negate { 0.0 - value } else { value }
}

/// Whether the facing of the node matters for this shape: panels and planes push towards +Z.
const fn has_facing(shape: &ColliderShape) -> bool {
    matches!(shape.class(), ShapeClass::Flat)
}

fn convert_file(mut file: SetupFile, to: SpaceConversion) -> SetupFile {
    for at in 0..file.entries.len() {
        let solver = file.solver_of(&file.entries[at]);
        let item = &mut file.entries[at];
        // Comment rows of a CSV are always in glTF's space. The same entries of a prefab have no rows.
        let is_comment_row = file.format.layout == SetupLayout::Rows && item.section == FileSection::Other;
        if is_comment_row && (to.into_unity || item.csv_row.is_some()) {
            continue;
        }
        if let Ok(content) = &mut item.content {
            to.convert_item(content, solver);
        }
    }
    let solvers: Vec<SolverKind> = file.trees.iter().map(|tree| file.solver_of_tree(tree)).collect();
    for (tree, solver) in file.trees.iter_mut().zip(solvers) {
        to.convert_tree(tree, solver);
    }
    file
}

/// A value that is stored by parameter name.
trait Negatable {
    fn negate(&mut self);
}

impl Negatable for JsonNumber {
    fn negate(&mut self) {
        self.0 = negate_if(self.0, true);
    }
}

impl Negatable for ChainValue {
    fn negate(&mut self) {
        self.base = negate_if(self.base, true);
    }
}

/// A conversion between Unity's space and glTF's space.
#[derive(Clone, Copy)]
struct SpaceConversion {
    axis: FlipAxis,
    into_unity: bool,
}

impl SpaceConversion {
    fn convert_item(self, item: &mut SetupEntry, solver: SolverKind) {
        match item {
            SetupEntry::System(system) => self.convert_system(system),
            SetupEntry::Material(_, material) => self.convert_values(&mut material.values, material.solver),
            SetupEntry::Helper(helper) => self.convert_helper(helper),
            SetupEntry::Collider(collider) => self.convert_collider(collider),
            SetupEntry::Force(force) => self.convert_force(force),
            SetupEntry::HighLeg(high_leg) => self.convert_high_leg(high_leg),
            SetupEntry::Chain(chain) => self.convert_chain(&mut chain.chain, solver),
            SetupEntry::Joint(joint) => self.convert_joint(&mut joint.joint, solver),
            SetupEntry::ComponentNodes(_)
            | SetupEntry::DisabledCollider(_)
            | SetupEntry::Group(..)
            | SetupEntry::ExcludedBone(_)
            | SetupEntry::HiddenMesh(_) => {}
        }
    }

    /// Converts a transform. `has_facing` is true if the direction of the node's +Z axis matters.
    fn convert_transform(self, local: &mut Trs, has_facing: bool) {
        local.translation = self.axis.flip_point(local.translation);
        local.rotation = match (has_facing, self.into_unity) {
            (false, _) => self.axis.flip_rotation(local.rotation),
            (true, false) => self.axis.flip_facing(local.rotation),
            (true, true) => self.axis.flip_facing_inverse(local.rotation),
        };
    }

    fn convert_node(self, node: &mut NodeRef) {
        if let NodeRef::Inline(helper) = node {
            self.convert_helper(helper);
        }
    }

    fn convert_nodes<'a>(self, nodes: impl IntoIterator<Item = &'a mut NodeRef>) {
        nodes.into_iter().for_each(|node| self.convert_node(node));
    }

    fn convert_helper(self, helper: &mut Helper<ByName>) {
        self.convert_transform(&mut helper.local, helper.role == HelperRole::Pivot);
        self.convert_node(&mut helper.parent);
    }

    /// Converts the node of an element that acts along the +Z axis of the node.
    fn convert_facing_node(self, node: &mut NodeRef) {
        if let NodeRef::Inline(helper) = node {
            self.convert_transform(&mut helper.local, true);
            self.convert_node(&mut helper.parent);
        }
    }

    fn convert_collider(self, collider: &mut Collider<ByName>) {
        if has_facing(&collider.shape) {
            self.convert_facing_node(&mut collider.node);
        } else if let NodeRef::Inline(helper) = &mut collider.node {
            self.convert_transform(&mut helper.local, false);
            self.convert_node(&mut helper.parent);
        }
    }

    fn convert_force(self, force: &mut Force<ByName>) {
        self.convert_facing_node(&mut force.node);
    }

    fn convert_high_leg(self, high_leg: &mut HighLeg<ByName>) {
        self.convert_nodes([&mut high_leg.node, &mut high_leg.hip]);
        self.convert_nodes(high_leg.legs.iter_mut().flatten());
    }

    fn convert_system(self, system: &mut System<ByName>) {
        self.convert_values(&mut system.values, system.solver);
        self.convert_nodes(&mut system.component);
        let extras = std::mem::take(&mut system.component_lists);
        system.component_lists = self.convert_component_lists(&extras);
    }

    fn convert_component_lists(
        self,
        lists: &ComponentLists<NodeRef, String, String>,
    ) -> ComponentLists<NodeRef, String, String> {
        let node = |node: &NodeRef| {
            let mut node = node.clone();
            self.convert_node(&mut node);
            Some(node)
        };
        lists.map_names(node, |bone| Some(bone.clone()), |collider| Some(collider.clone())).flipped(self.axis)
    }

    fn convert_chain(self, chain: &mut Chain<ByName>, solver: SolverKind) {
        self.convert_values(&mut chain.values, solver);
        self.convert_nodes(&mut chain.center);
        chain.joints.iter_mut().for_each(|joint| self.convert_joint(joint, solver));
    }

    fn convert_joint(self, joint: &mut Joint<ByName>, solver: SolverKind) {
        if let Tip::Offset(offset) = &mut joint.tip {
            *offset = self.axis.flip_point(*offset);
        }
        if let Some(limit) = &mut joint.limit {
            // Each range is symmetric about its planes, so only the rotation changes.
            limit.rotation = self.axis.flip_rotation(limit.rotation);
        }
        self.convert_values(&mut joint.overrides, solver);
        self.convert_nodes(&mut joint.pivot);
        self.convert_nodes(joint.length_targets.iter_mut().map(|target| &mut target.node));
    }

    /// Converts values by parameter name. Values of unknown parameters stay unchanged.
    fn convert_values<V: Negatable>(self, values: &mut BTreeMap<String, V>, solver: SolverKind) {
        let table = solver.info().params;
        let all = std::mem::take(values);
        values.extend(all.into_iter().map(|(name, mut value)| {
            let Some((param, _)) = find_param_or_former(table, &name) else { return (name, value) };
            let (to, negate) = mirrored_component(table, param, self.axis.index());
            if negate {
                value.negate();
            }
            let name = if to == param { name } else { table[to.index()].name.to_owned() };
            (name, value)
        }));
    }

    fn convert_tree(self, tree: &mut ChainTree, solver: SolverKind) {
        let table = solver.info().params;
        let old = std::mem::replace(&mut tree.base_values, ParamSet::defaults(table));
        for (param, def) in enumerate_params(table) {
            let (from, negate) = if def.scope == ParamScope::Joint {
                mirrored_component(table, param, self.axis.index())
            } else {
                (param, false)
            };
            tree.base_values.set(param, negate_if(old.get(from), negate));
        }
        for (param, _) in &mut tree.curves {
            *param = mirrored_component(table, *param, self.axis.index()).0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DEFAULT_FORMAT;
    use glam::Quat;
    use glam::Vec3;
    use yuremono_model::document::{Material, MaterialId, NodeRef};
    use yuremono_model::exchange::FileEntry;
    use yuremono_sim::ForceKind;
    use yuremono_sim::params::find_param;

    const AXES: [FlipAxis; 2] = [FlipAxis::X, FlipAxis::Z];

    fn helper(role: HelperRole) -> Helper<ByName> {
        let rotation = Quat::from_euler(glam::EulerRot::YXZ, 0.3, -0.5, 1.1);
        let local = Trs { translation: Vec3::new(0.1, 0.2, -0.3), rotation, scale: Vec3::new(1.0, 1.5, 0.5) };
        Helper { name: "node".to_owned(), parent: "Head".into(), local, role }
    }

    fn placed() -> NodeRef {
        NodeRef::Inline(Box::new(helper(HelperRole::Plain)))
    }

    fn file(item: SetupEntry, section: FileSection) -> SetupFile {
        let mut file = SetupFile::new(DEFAULT_FORMAT, SolverKind::default());
        file.entries.push(FileEntry::new(0, section, "entry", item));
        file
    }

    fn rotation_in_unity(item: SetupEntry, section: FileSection, axis: FlipAxis) -> Quat {
        match to_unity(file(item, section), axis).entries.remove(0).content {
            Ok(SetupEntry::Helper(helper)) => helper.local.rotation,
            Ok(
                SetupEntry::Collider(Collider { node: NodeRef::Inline(helper), .. })
                | SetupEntry::Force(Force { node: NodeRef::Inline(helper), .. }),
            ) => helper.local.rotation,
            other => panic!("{other:?} has no rotation"),
        }
    }

    #[test]
    fn only_nodes_that_act_along_plus_z_change_their_facing() {
        let q = helper(HelperRole::Plain).local.rotation;
        let of_shape = |shape| SetupEntry::Collider(Collider::new("node", placed(), shape));
        for axis in AXES {
            for role in [HelperRole::Plain, HelperRole::Null] {
                assert_eq!(
                    rotation_in_unity(SetupEntry::Helper(helper(role)), FileSection::Nodes, axis),
                    axis.flip_rotation(q)
                );
            }
            let pivot = SetupEntry::Helper(helper(HelperRole::Pivot));
            assert_eq!(rotation_in_unity(pivot, FileSection::Pivots, axis), axis.flip_facing_inverse(q));
            for (shape, turned) in [
                (ColliderShape::SPHERE, axis.flip_rotation(q)),
                (ColliderShape::CAPSULE, axis.flip_rotation(q)),
                (ColliderShape::PANEL, axis.flip_facing_inverse(q)),
                (ColliderShape::PLANE, axis.flip_facing_inverse(q)),
            ] {
                assert_eq!(rotation_in_unity(of_shape(shape), FileSection::Colliders, axis), turned, "{shape:?}");
            }
        }
    }

    /// Asserts that the points of a shape, converted to glTF's space, are Unity's points with one sign changed.
    #[track_caller]
    fn check_shape(axis: FlipAxis, shape: ColliderShape, points: &[Vec3]) {
        let collider = SetupEntry::Collider(Collider::new("node", placed(), shape));
        let unity = SetupFile { space: FileSpace::Unity(None), ..file(collider, FileSection::Colliders) };
        let local = match to_gltf(unity, axis).entries.remove(0).content {
            Ok(SetupEntry::Collider(Collider { node: NodeRef::Inline(helper), .. })) => helper.local,
            other => panic!("{other:?} is not a collider with its own node"),
        };
        let unity = helper(HelperRole::Plain).local;
        for point in points {
            let expected = axis.flip_point(unity.to_affine().transform_point3(*point));
            let found = local.to_affine().transform_point3(*point);
            assert!(found.distance(expected) < 1e-5, "{axis:?} {shape:?} {point}: {found}, not {expected}");
        }
    }

    #[test]
    fn shapes_match_unity_under_both_mirror_axes() {
        for axis in AXES {
            check_shape(
                axis,
                ColliderShape::Capsule { radius: 0.1, height: 0.4, inside: false },
                &[Vec3::ZERO, Vec3::Y],
            );
            check_shape(axis, ColliderShape::Panel { width: 0.2, height: 0.4 }, &[Vec3::ZERO, Vec3::Y, Vec3::Z]);
            check_shape(axis, ColliderShape::Plane, &[Vec3::ZERO, Vec3::Z]);
            check_shape(axis, ColliderShape::Sphere { radius: 0.1, inside: false }, &[Vec3::ZERO]);
        }
    }

    #[test]
    fn converting_to_unity_and_back_changes_nothing() {
        let mut joint: Joint<ByName> = Joint::new("hair".to_owned());
        joint.tip = Tip::Offset(Vec3::new(0.1, 0.2, 0.3));
        joint.pivot = Some(NodeRef::Inline(Box::new(helper(HelperRole::Pivot))));
        joint.overrides =
            SolverKind::default().info().params.iter().map(|d| (d.name.to_owned(), JsonNumber(2.5))).collect();
        let scope = yuremono_model::document::ReplacedProperties::Full;
        let force = Force { name: "wind".to_owned(), node: placed(), kind: ForceKind::ALL[1], enabled: true };
        let collider = Collider::new("panel", placed(), ColliderShape::PANEL);
        let entries = [
            (
                FileSection::Joints,
                SetupEntry::Joint(yuremono_model::document::JointEntry { scope, chain: None, joint }),
            ),
            (FileSection::Colliders, SetupEntry::Collider(collider)),
            (FileSection::Nodes, SetupEntry::Helper(helper(HelperRole::Null))),
        ];
        for (section, item) in entries {
            for axis in AXES {
                let before = file(item.clone(), section);
                let unity = to_unity(before.clone(), axis);
                assert_eq!(unity.space, FileSpace::Unity(Some(axis)));
                assert_ne!(unity.entries, before.entries);
                let back = to_gltf(unity, axis);
                assert_eq!(back.flipped_axis, Some(axis));
                assert_eq!(SetupFile { flipped_axis: None, ..back }, before);
            }
        }
        // Comment rows of a CSV are always in glTF's space, so neither direction converts them.
        let before = file(SetupEntry::Force(force.clone()), FileSection::Other);
        assert_eq!(to_unity(before.clone(), FlipAxis::Z).entries, before.entries);
        let other = SetupFile { format: &crate::ez_json::INFO, ..before };
        assert_ne!(to_unity(other.clone(), FlipAxis::Z).entries, other.entries);
    }

    #[test]
    fn vectors_follow_their_mirror_rule_for_every_solver() {
        for kind in SolverKind::ALL {
            let table = kind.info().params;
            let plain: BTreeMap<String, ChainValue> = enumerate_params(table)
                .map(|(param, def)| (def.name.to_owned(), ChainValue::constant(f32::from(param.0) + 2.0)))
                .collect();
            for axis in AXES {
                let material = Material { name: String::new(), solver: *kind, values: plain.clone() };
                let mut item = SetupEntry::Material(MaterialId(1), material);
                SpaceConversion { axis, into_unity: true }.convert_item(&mut item, *kind);
                let SetupEntry::Material(_, material) = item else { panic!("a material stays one") };
                let mut tree = ChainTree::new(*kind, "");
                for (param, _) in enumerate_params(table) {
                    tree.base_values.set(param, f32::from(param.0) + 2.0);
                }
                SpaceConversion { axis, into_unity: true }.convert_tree(&mut tree, *kind);
                for (param, def) in enumerate_params(table) {
                    let (from, negate) = mirrored_component(table, param, axis.index());
                    let expected = negate_if(f32::from(from.0) + 2.0, negate);
                    assert_eq!(material.values[def.name].base, expected, "{} {} {axis:?}", kind.key(), def.name);
                    if def.scope == ParamScope::Joint {
                        assert_eq!(tree.base_values.get(param), expected, "{} {} {axis:?}", kind.key(), def.name);
                    }
                    assert_eq!(mirrored_component(table, from, axis.index()), (param, negate), "its own inverse");
                }
            }
        }
    }

    #[test]
    fn a_file_with_forces_or_transforms_depends_on_the_flip_axis() {
        let mut joint: Joint<ByName> = Joint::new("hair".to_owned());
        let x = find_param(SolverKind::default().info().params, "springForce x").expect("UnityChan has it");
        assert_ne!(mirrored_component(SolverKind::default().info().params, x, FlipAxis::X.index()), (x, false));
        joint.overrides.insert("springForce x".to_owned(), JsonNumber(0.5));
        let scope = yuremono_model::document::ReplacedProperties::TableRow;
        let pushed = file(
            SetupEntry::Joint(yuremono_model::document::JointEntry { scope, chain: None, joint }),
            FileSection::Joints,
        );
        assert_eq!(AXES.map(|axis| count_axis_dependent_values(&pushed, axis)), [1, 0]);
        assert_eq!(AXES.map(|axis| depends_on_axis(&pushed, axis)), [true, false]);
        let with_place = file(SetupEntry::Helper(helper(HelperRole::Null)), FileSection::Nodes);
        assert_eq!(AXES.map(|axis| depends_on_axis(&with_place, axis)), [true, true]);
    }
}
