//! Chain trees: chains that are described by their roots, as in Unity and Unreal components. Converts the chains of a
//! document to trees, and the trees of a file to entries.
//!
//! A component has one base value per parameter, and optionally a curve over the distance from its root. Both apply to
//! all bones below the root. `DynamicBone` and `EZSoftBone` evaluate the curve at the tip of a joint, because their
//! particles are the child bones. `KawaiiPhysics` evaluates the curve at the joint's own bone. A leaf bone has no tip,
//! so it becomes a joint only if the file enables virtual ends.

use super::document_view::{supported_collider_names, without_duplicates};
use super::{ChainTree, ExportLoss, FileEntry, FileSection, ImportNote, SetupFile};
use crate::document::{
    Chain, ChainEntry, ChainId, ChainValue, Document, Joint, JointEntry, Material, MaterialId, ReplacedProperties,
    SetupEntry,
};
use std::collections::{BTreeMap, BTreeSet};
use yuremono_sim::SolverKind;
use yuremono_sim::math::{Curve, CurveKey, Interpolation, JsonNumber};
use yuremono_sim::params::{ParamDef, ParamId, ParamScope, ParamSet, enumerate_params};
use yuremono_sim::rig::{BoneId, Pose, Skeleton, WorldPose};

/// System parameters that give leaf bones a virtual tip.
const VIRTUAL_END_PARAMS: [&str; 5] =
    ["m_EndLength", "m_EndOffset x", "m_EndOffset y", "m_EndOffset z", "DummyBoneLength"];
const RELATIVE_TOLERANCE: f32 = 1e-6;

fn joint_params(table: &'static [ParamDef]) -> impl Iterator<Item = (ParamId, &'static ParamDef)> {
    enumerate_params(table).filter(|(_, def)| def.scope == ParamScope::Joint)
}

/// Bones at which a tree ends.
#[derive(Default)]
struct TreeBounds {
    /// Bones that are not part of the tree.
    excluded: BTreeSet<BoneId>,
    end_bones: BTreeSet<BoneId>,
}

/// All bones of a tree, root first. Each has its distance from the root along the bones, in metres.
struct RootDistances {
    bones: Vec<(BoneId, f32)>,
    max_distance: f32,
}

impl RootDistances {
    fn measure(root: BoneId, bounds: &TreeBounds, skeleton: &Skeleton, rest: &WorldPose) -> Self {
        let at = |bone: BoneId| rest.frame(bone).position;
        let mut bones = vec![(root, 0.0)];
        let mut next = 0;
        while let Some((bone, distance)) = bones.get(next).copied() {
            next += 1;
            if bounds.end_bones.contains(&bone) {
                continue;
            }
            let children = skeleton.children(bone).iter().filter(|child| !bounds.excluded.contains(*child));
            bones.extend(children.map(|child| (*child, distance + at(*child).distance(at(bone)))));
        }
        let longest = bones.iter().map(|(_, distance)| *distance).fold(0.0, f32::max);
        Self { bones, max_distance: longest }
    }

    /// The position at which the solver evaluates curves for each bone, 0 to 1.
    fn curve_positions(&self, skeleton: &Skeleton, solver: SolverKind) -> BTreeMap<BoneId, f32> {
        let distances: BTreeMap<BoneId, f32> = self.bones.iter().copied().collect();
        let place = |(bone, distance): &(BoneId, f32)| {
            let tips = skeleton.children(*bone).iter().filter_map(|child| distances.get(child).copied());
            let at = if solver.info().params_at_tips { tips.fold(*distance, f32::max) } else { *distance };
            (*bone, if self.max_distance > 0.0 { at / self.max_distance } else { 0.0 })
        };
        self.bones.iter().map(place).collect()
    }
}

pub(super) struct TreeSource<'a> {
    pub document: &'a Document,
    pub skeleton: &'a Skeleton,
    /// World frames of the rest pose.
    pub rest: &'a WorldPose,
    /// The result of `Document::curve_positions_in_pose` for every chain of the solver.
    pub curve_positions: &'a BTreeMap<ChainId, Vec<f32>>,
}

/// The trees of all chains of a solver, in glTF space, and the losses of the conversion. Chains with an ambiguous root
/// name are skipped.
pub(super) fn chain_trees(source: &TreeSource<'_>, solver: SolverKind) -> (Vec<ChainTree>, Vec<ExportLoss>) {
    let mut losses = Vec::new();
    let trees =
        source.document.chains_with_solver(solver).filter_map(|(id, chain)| source.chain_tree(id, chain, &mut losses));
    (trees.collect(), losses)
}

impl TreeSource<'_> {
    fn chain_tree(&self, id: ChainId, chain: &Chain, losses: &mut Vec<ExportLoss>) -> Option<ChainTree> {
        let (skeleton, root) = (self.skeleton, chain.root());
        let root_name = self.has_bone(root).then(|| skeleton.name(root))?;
        if skeleton.find(root_name) != Some(root) {
            return None;
        }
        let joints: Vec<BoneId> =
            chain.joints.iter().map(|joint| joint.bone).filter(|bone| self.has_bone(*bone)).collect();
        let bounds = TreeBounds { excluded: self.excluded_children(chain, &joints), end_bones: BTreeSet::new() };
        let solver = self.document.solver_of(chain);
        let places = RootDistances::measure(root, &bounds, skeleton, self.rest).curve_positions(skeleton, solver);
        let material = self.matching_material(id, chain, &places);
        if material.is_none() && chain.material.is_some() {
            losses.push(ExportLoss::UnevenMaterial(chain.name.clone()));
        }
        let table = self.document.param_defs_of(chain);
        let (mut base, mut curves, mut is_even) = (ParamSet::defaults(table), Vec::new(), true);
        for (param, _) in joint_params(table) {
            let (value, curve, is_exact) = match material.and_then(|material| material.values.get(&param)) {
                Some(value) => (value.base, value.curve.clone(), true),
                None => base_and_curve(self.curve_points(id, chain, param, &places)),
            };
            base.set(param, value);
            curves.extend(curve.map(|curve| (param, curve)));
            is_even &= is_exact;
        }
        losses.extend((!is_even).then(|| ExportLoss::UnevenCurve(chain.name.clone())));
        let colliders: Vec<Vec<String>> =
            chain.joints.iter().map(|joint| supported_collider_names(self.document, chain, joint)).collect();
        if colliders.windows(2).any(|pair| pair[0] != pair[1]) {
            losses.push(ExportLoss::UnevenColliders(chain.name.clone()));
        }
        let name = |bone: BoneId| skeleton.name(bone).to_owned();
        Some(ChainTree {
            system: 0,
            line: 0,
            name: chain.name.clone(),
            root: root_name.to_owned(),
            parent: skeleton.get_parent(root).map_or_else(String::new, name),
            joints: joints.into_iter().map(name).collect(),
            excluded: bounds.excluded.into_iter().map(name).collect(),
            end_bones: Vec::new(),
            base_values: base,
            curves,
            material: material.map_or_else(String::new, |material| material.name.clone()),
            colliders: without_duplicates(colliders.concat()),
        })
    }

    fn has_bone(&self, bone: BoneId) -> bool {
        bone.index() < self.skeleton.len()
    }

    fn joint_value(&self, id: ChainId, chain: &Chain, joint: usize, param: ParamId) -> f32 {
        let place = self.curve_positions.get(&id).and_then(|places| places.get(joint));
        chain.joint_value(joint, param, place.copied().unwrap_or(0.0))
    }

    /// Children of the joints that are neither joints of the chain nor tips. A leaf without a joint is a tip.
    fn excluded_children(&self, chain: &Chain, joints: &[BoneId]) -> BTreeSet<BoneId> {
        let (document, solver) = (self.document, self.document.solver_of(chain));
        let is_joint = |bone| {
            let other = document.find_joint(bone).and_then(|(id, _)| document.chains.get(&id));
            other.is_some_and(|other| document.solver_of(other) == solver)
        };
        let is_excluded = |bone: &BoneId| {
            chain.joint_index(*bone).is_none() && (!self.skeleton.children(*bone).is_empty() || is_joint(*bone))
        };
        joints.iter().flat_map(|bone| self.skeleton.children(*bone)).copied().filter(is_excluded).collect()
    }

    /// One point `(curve position, value)` for each joint.
    fn curve_points(
        &self,
        id: ChainId,
        chain: &Chain,
        param: ParamId,
        places: &BTreeMap<BoneId, f32>,
    ) -> Vec<(f32, f32)> {
        let joints = chain.joints.iter().enumerate().filter(|(_, joint)| self.has_bone(joint.bone));
        let point = |(at, joint): (usize, &Joint)| {
            (places.get(&joint.bone).copied().unwrap_or(0.0), self.joint_value(id, chain, at, param))
        };
        joints.map(point).collect()
    }

    /// The material of a chain, if the value of every joint equals the material's value at the joint's curve position.
    fn matching_material(&self, id: ChainId, chain: &Chain, places: &BTreeMap<BoneId, f32>) -> Option<&Material> {
        let material = self.document.material_of(chain)?;
        let agrees = |(at, joint): (usize, &Joint)| {
            let Some(place) = places.get(&joint.bone) else { return true };
            material.values.iter().all(|(param, value)| {
                let expected = value.along(*place);
                (self.joint_value(id, chain, at, *param) - expected).abs() <= RELATIVE_TOLERANCE * value.base.abs()
            })
        };
        chain.joints.iter().enumerate().all(agrees).then_some(material)
    }
}

/// Fits a base value and a curve to points `(position, value)`. Also returns whether the curve contains every point.
fn base_and_curve(mut points: Vec<(f32, f32)>) -> (f32, Option<Curve>, bool) {
    let first = points.first().map_or(0.0, |point| point.1);
    let is_near = |a: f32, b: f32| a == b || (a - b).abs() <= RELATIVE_TOLERANCE * a.abs().max(b.abs());
    if points.iter().all(|(_, value)| *value == first) {
        return (first, None, true);
    }
    if points.iter().any(|(_, value)| !value.is_finite()) {
        return (first, None, false);
    }
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    let is_same = |pair: &[(f32, f32)]| pair[0].0 != pair[1].0 || is_near(pair[0].1, pair[1].1);
    let is_exact = points.windows(2).all(is_same);
    // Bones on branches of the same length have the same position.
    points.dedup_by(|b, a| a.0 == b.0);
    let base = points.iter().map(|p| p.1).fold(0.0_f32, |most, v| if v.abs() > most.abs() { v } else { most });
    let factor = |(_, value): &(f32, f32)| value / base;
    let slope = |a: &(f32, f32), b: &(f32, f32)| (factor(b) - factor(a)) / (b.0 - a.0);
    let keys = points.iter().enumerate().map(|(i, point)| {
        let before = i.checked_sub(1).map(|before| slope(&points[before], point));
        let after = points.get(i + 1).map(|after| slope(point, after));
        let (slope_in, slope_out) = (before.or(after).unwrap_or(0.0), after.or(before).unwrap_or(0.0));
        CurveKey { t: point.0, value: factor(point), slope_in, slope_out }
    });
    match Curve::new(keys.collect(), Interpolation::Linear) {
        Some(curve) => (base, Some(curve), is_exact),
        None => (first, None, false),
    }
}

#[derive(Default)]
pub(super) struct ExpandedTrees {
    /// The bone of each entry of the file, or `None` if the bone is unknown.
    pub bones: Vec<Option<BoneId>>,
    /// Problems with the trees of these root bones.
    pub root_notes: BTreeMap<BoneId, Vec<ImportNote>>,
}

/// Replaces the trees of a file with entries: joints of the skeleton, materials, and chains with materials. `find`
/// resolves bone names. A tree without a root bone becomes one joint with the name of the root. If several trees
/// contain a bone, the last tree is used, because its component acts last.
pub(super) fn expand_trees(
    file: &mut SetupFile,
    skeleton: &Skeleton,
    find: impl Fn(&str) -> Option<BoneId>,
) -> ExpandedTrees {
    let mut expanded = ExpandedTrees { bones: vec![None; file.entries.len()], ..ExpandedTrees::default() };
    let trees = std::mem::take(&mut file.trees);
    let rest = WorldPose::from_pose(skeleton, &Pose::rest(skeleton));
    let solvers: Vec<SolverKind> = trees.iter().map(|tree| file.solver_of_tree(tree)).collect();
    let simulates_leaves: Vec<bool> = (0..file.systems.len()).map(|system| simulates_leaves(file, system)).collect();
    let (mut found, mut not_found) = (BTreeMap::new(), Vec::new());
    for ((number, tree), solver) in (1..).zip(&trees).zip(solvers.iter().copied()) {
        let line = if tree.line > 0 { tree.line } else { number };
        let item = |name: &str, place: f32| FileEntry { line, ..joint_entry(tree, solver, name, place) };
        let Some(root) = find(&tree.root) else {
            not_found.push(item(&tree.root, 0.0));
            continue;
        };
        let notes = bound_notes(tree, root, &find);
        if !notes.is_empty() {
            expanded.root_notes.insert(root, notes);
        }
        let all = |names: &[String]| names.iter().filter_map(|name| find(name)).collect();
        let bounds = TreeBounds { excluded: all(&tree.excluded), end_bones: all(&tree.end_bones) };
        let distances = RootDistances::measure(root, &bounds, skeleton, &rest);
        let places = distances.curve_positions(skeleton, solver);
        for (bone, _) in &distances.bones {
            let has_tip = skeleton.children(*bone).iter().any(|child| places.contains_key(child));
            if has_tip || *bone == root || simulates_leaves.get(tree.system) == Some(&true) {
                let name = if *bone == root { tree.root.as_str() } else { skeleton.name(*bone) };
                found.insert(*bone, item(name, places.get(bone).copied().unwrap_or(0.0)));
            }
        }
    }
    expanded.bones.extend(found.keys().copied().map(Some));
    file.entries.extend(found.into_values().chain(not_found).chain(material_entries(&trees, &solvers)));
    expanded.bones.resize(file.entries.len(), None);
    expanded
}

/// Problems with the excluded bones and the end bones of a tree.
fn bound_notes(tree: &ChainTree, root: BoneId, find: impl Fn(&str) -> Option<BoneId>) -> Vec<ImportNote> {
    let missing = tree.excluded.iter().chain(&tree.end_bones).filter(|name| find(name).is_none());
    let missing = without_duplicates(missing.cloned().collect());
    let missing = (!missing.is_empty()).then_some(ImportNote::MissingEndBones(missing));
    let is_excluded = tree.excluded.iter().any(|name| find(name) == Some(root));
    is_excluded.then_some(ImportNote::ExcludedRoot).into_iter().chain(missing).collect()
}

/// Whether leaf bones of a system are joints: always in VRM, else if a system parameter gives them a virtual tip.
fn simulates_leaves(file: &SetupFile, system: usize) -> bool {
    let is_set = |values: &BTreeMap<String, JsonNumber>| {
        VIRTUAL_END_PARAMS.iter().any(|name| values.get(*name).is_some_and(|value| value.0 != 0.0))
    };
    let mut others = file.usable_entries(FileSection::Other).filter(|(_, entry, _)| entry.system == system);
    file.systems[system].solver == SolverKind::Vrm
        || others.any(|(.., item)| matches!(item, SetupEntry::System(system) if is_set(&system.values)))
}

fn joint_entry(tree: &ChainTree, solver: SolverKind, name: &str, place: f32) -> FileEntry {
    let own = joint_params(solver.info().params).filter(|(_, def)| !def.extension);
    let own = own.map(|(param, def)| (def.name.to_owned(), JsonNumber(tree.value_at(param, place))));
    let joint = Joint { overrides: own.collect(), colliders: tree.colliders.clone(), ..Joint::new(name.to_owned()) };
    FileEntry::new(
        tree.system,
        FileSection::Joints,
        name,
        SetupEntry::Joint(JointEntry { scope: ReplacedProperties::TableRow, chain: None, joint }),
    )
}

/// One entry for each material, and a chain entry for each tree with a material.
fn material_entries(trees: &[ChainTree], solvers: &[SolverKind]) -> Vec<FileEntry> {
    let mut ids: BTreeMap<&str, MaterialId> = BTreeMap::new();
    let mut items = Vec::new();
    for (tree, solver) in trees.iter().zip(solvers.iter().copied()).filter(|(tree, _)| !tree.material.is_empty()) {
        let value = |param: &ParamId| {
            let authored = ChainValue::new(tree.base_values.get(*param), tree.curve(*param).cloned());
            (solver.info().params[param.index()].name.to_owned(), authored)
        };
        let values: BTreeMap<String, ChainValue> = solver.info().material_params.iter().map(value).collect();
        let next = MaterialId(ids.len() as u32 + 1);
        let id = *ids.entry(&tree.material).or_insert_with(|| {
            let material = Material { name: tree.material.clone(), solver, values: values.clone() };
            items.push(FileEntry::new(
                tree.system,
                FileSection::Other,
                &*tree.material,
                SetupEntry::Material(next, material),
            ));
            next
        });
        let chain = Chain { values, material: Some(id), ..Chain::without_joints("") };
        let item = SetupEntry::Chain(ChainEntry { root: tree.root.clone(), number: None, chain });
        items.push(FileEntry::new(tree.system, FileSection::Other, &*tree.root, item));
    }
    items
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{ChainPart, Collider, ColliderGroup, ColliderId, GroupId, Node, System, SystemId};
    use crate::exchange::test_format::test_format;
    use crate::exchange::{ExportOptions, FormatInfo, SetupFormat, SetupLayout, export};
    use glam::Vec3;
    use yuremono_sim::ColliderShape;
    use yuremono_sim::math::Trs;
    use yuremono_sim::rig::Bone;
    use yuremono_sim::solver::{dynamic_bone, ez_soft_bone};

    const SOLVERS: [SolverKind; 3] = [SolverKind::DynamicBone, SolverKind::KawaiiPhysics, SolverKind::EzSoftBone];

    fn tree_format() -> SetupFormat {
        static FORMAT: std::sync::LazyLock<FormatInfo> =
            std::sync::LazyLock::new(|| FormatInfo { key: "trees", layout: SetupLayout::ChainTrees, ..*test_format() });
        &FORMAT
    }

    /// The bones `root > a > b > c > d`, `a > e > f` and `b > leaf`.
    fn skeleton() -> Skeleton {
        let bones = [("root", None), ("a", Some(0)), ("b", Some(1)), ("c", Some(2)), ("d", Some(3))];
        let bones = bones.into_iter().chain([("e", Some(1)), ("f", Some(5)), ("leaf", Some(2))]);
        let bones = bones.enumerate().map(|(n, (name, parent))| Bone {
            name: name.to_owned(),
            parent: parent.map(BoneId),
            rest: Trs::from_translation(Vec3::new(0.0, -0.1, 0.01 * n as f32)),
        });
        Skeleton::new(bones.collect()).expect("parents come first")
    }

    /// A document with a chain that forks and has uneven values, a chain below it, and a chain of another solver. With
    /// `EZSoftBone`, the first two chains have materials.
    fn document(solver: SolverKind) -> Document {
        let mut document = Document::with_solver(solver);
        document.systems.insert(SystemId(7), System::with_solver(SolverKind::Vrm));
        let params = solver.info().params;
        for (n, shape) in
            [ColliderShape::SPHERE, ColliderShape::CYLINDER, ColliderShape::CAPSULE].into_iter().enumerate()
        {
            let node = Node::Bone(BoneId(0));
            document.colliders.insert(ColliderId(n as u32), Collider::new(format!("{n}"), node, shape));
        }
        let group = ColliderGroup { colliders: vec![ColliderId(2)], ..ColliderGroup::default() };
        document.groups.insert(GroupId(1), group);
        let mut joints: Vec<Joint> = [1, 2, 5].map(|bone| Joint::new(BoneId(bone))).to_vec();
        joints[1].overrides.insert(dynamic_bone::DAMPING, 0.25);
        joints[2].colliders = vec![ColliderId(0), ColliderId(1), ColliderId(2)];
        let mut fork = Chain { groups: vec![GroupId(1)], ..Chain::new("Fork", ChainPart::Hair, params, joints) };
        for value in &mut fork.values {
            value.curve = Curve::from_points(&[(0.0, 1.0), (1.0, 0.5)]);
        }
        document.chains.insert(ChainId(1), fork);
        let end = Chain::new("End", ChainPart::Hair, params, vec![Joint::new(BoneId(3))]);
        document.chains.insert(ChainId(2), end);
        let other = Chain::new("Other", ChainPart::Hair, SolverKind::Vrm.info().params, vec![Joint::new(BoneId(7))]);
        document.chains.insert(ChainId(3), Chain { system: SystemId(7), ..other });
        if solver == SolverKind::EzSoftBone {
            for chain in [ChainId(1), ChainId(2)] {
                let material = Material::from_chain("Soft", solver, &document.chains[&chain]);
                document.materials.insert(MaterialId(chain.0), material);
                document.chains.get_mut(&chain).expect("it was inserted").material = Some(MaterialId(chain.0));
            }
        }
        document
    }

    fn trees_of(document: &Document, skeleton: &Skeleton, solver: SolverKind) -> (Vec<ChainTree>, Vec<ExportLoss>) {
        let rest = WorldPose::from_pose(skeleton, &Pose::rest(skeleton));
        let places =
            document.chains.iter().map(|(id, chain)| (*id, document.curve_positions_in_pose(chain, &rest, skeleton)));
        chain_trees(&TreeSource { document, skeleton, rest: &rest, curve_positions: &places.collect() }, solver)
    }

    #[test]
    fn chain_trees_have_the_names_values_and_losses_of_their_chains() {
        for solver in SOLVERS {
            let (skeleton, document) = (skeleton(), document(solver));
            let (trees, losses) = trees_of(&document, &skeleton, solver);
            let names = |names: &[&str]| names.iter().copied().map(str::to_owned).collect::<Vec<_>>();
            let [fork, end] = &trees[..] else { panic!("two chains of {solver:?}") };
            let place = |tree: &ChainTree| [&tree.name, &tree.root, &tree.parent, &tree.material].map(String::clone);
            assert_eq!(place(fork), ["Fork", "a", "root", ""]);
            let material = if solver == SolverKind::EzSoftBone { "Soft" } else { "" };
            assert_eq!(place(end), ["End", "c", "b", material]);
            assert_eq!((&fork.joints, &end.joints), (&names(&["a", "b", "e"]), &names(&["c"])));
            assert_eq!(fork.excluded, names(&["c"]), "the leaf of another solver stays a tip");
            assert!(end.excluded.is_empty() && fork.end_bones.is_empty() && end.curves.is_empty());
            // Only EZSoftBone supports cylinders. Colliders of groups are listed first.
            let colliders: &[&str] = if solver == SolverKind::EzSoftBone { &["2", "0", "1"] } else { &["2", "0"] };
            assert_eq!((&fork.colliders, end.colliders.len()), (&names(colliders), 0));
            check_curves(fork, solver);
            let uneven = ExportLoss::UnevenColliders("Fork".to_owned());
            let material = (solver == SolverKind::EzSoftBone).then(|| ExportLoss::UnevenMaterial("Fork".to_owned()));
            assert_eq!(losses, material.into_iter().chain([uneven]).collect::<Vec<_>>());
            let exported = export(&document, &skeleton, ExportOptions::new(tree_format()));
            assert_eq!(exported.file.trees, trees);
            assert!(losses.iter().all(|loss| exported.losses.contains(loss)), "{losses:?} {:?}", exported.losses);
        }
    }

    /// Checks base values and curve keys of the first two parameters. The first parameter has an override.
    fn check_curves(fork: &ChainTree, solver: SolverKind) {
        // KawaiiPhysics evaluates curves at the joints. The other solvers evaluate curves at the tips.
        let (bases, keys) = match solver {
            SolverKind::KawaiiPhysics => (
                [0.25, 0.05],
                [
                    [(0.0, 0.4), (0.446_455, 1.0), (0.489_459, 0.2)],
                    [(0.0, 1.0), (0.446_455, 0.543_93), (0.489_459, 0.5)],
                ],
            ),
            SolverKind::EzSoftBone => (
                [0.25, 0.075_527],
                [
                    [(0.489_459, 0.604_216), (0.980_84, 1.0), (1.0, 0.4)],
                    [(0.489_459, 1.0), (0.980_84, 0.725_888), (1.0, 0.662_014)],
                ],
            ),
            _ => (
                [0.25, 0.075_527],
                [
                    [(0.489_459, 0.302_108), (0.980_84, 1.0), (1.0, 0.2)],
                    [(0.489_459, 1.0), (0.980_84, 0.725_888), (1.0, 0.662_014)],
                ],
            ),
        };
        for (param, (base, expected)) in (0..).map(ParamId).zip(bases.into_iter().zip(keys)) {
            assert!((fork.base_values.get(param) - base).abs() < 1e-5, "{solver:?}: {}", fork.base_values.get(param));
            let curve = fork.curve(param).expect("the values differ");
            let found: Vec<(f32, f32)> = curve.keys().iter().map(|key| (key.t, key.value)).collect();
            let is_near = |((t, value), (at, wanted)): (&(f32, f32), &(f32, f32))| {
                (t - at).abs() < 1e-4 && (value - wanted).abs() < 1e-4
            };
            assert!(found.len() == expected.len() && found.iter().zip(&expected).all(is_near), "{solver:?}: {found:?}");
        }
    }

    #[test]
    fn expand_trees_creates_joints_with_values_at_their_curve_positions() {
        for solver in SOLVERS {
            let (skeleton, document) = (skeleton(), document(solver));
            let mut file = SetupFile::new(tree_format(), solver);
            (file.trees, _) = trees_of(&document, &skeleton, solver);
            file.trees[1].root = "elsewhere".to_owned();
            let bones = expand_trees(&mut file, &skeleton, |name| skeleton.find(name)).bones;
            assert!(file.trees.is_empty() && bones.len() == file.entries.len());
            let joints: Vec<_> =
                file.usable_entries(FileSection::Joints).map(|(at, item, _)| (bones[at], &*item.name)).collect();
            let here = |bone| Some(BoneId(bone));
            assert_eq!(joints, [(here(1), "a"), (here(2), "b"), (here(5), "e"), (None, "elsewhere")]);
        }
    }

    #[test]
    fn expanded_trees_with_the_same_material_share_it() {
        let solver = SolverKind::EzSoftBone;
        let (skeleton, document) = (skeleton(), document(solver));
        let mut file = SetupFile::new(tree_format(), solver);
        (file.trees, _) = trees_of(&document, &skeleton, solver);
        let mut again = file.trees[1].clone();
        again.root = "e".to_owned();
        file.trees.push(again);
        let _ = expand_trees(&mut file, &skeleton, |name| skeleton.find(name));
        let others: Vec<_> = file.usable_entries(FileSection::Other).map(|(.., item)| item).collect();
        let [SetupEntry::Material(id, material), SetupEntry::Chain(first), SetupEntry::Chain(second)] = others[..]
        else {
            panic!("{others:?}");
        };
        assert_eq!((&*material.name, &*first.root, &*second.root), ("Soft", "c", "e"));
        assert_eq!([first.chain.material, second.chain.material], [Some(*id); 2]);
        assert_eq!(
            (first.chain.values.len(), &first.chain.values),
            (ez_soft_bone::MATERIAL_PARAMS.len(), &material.values)
        );
    }
}
