//! Chains by their roots, as other engines' components have them, from a document and onto a skeleton.
//!
//! A component has one base value and one curve over length for all bones below its root. Which place of the curve a
//! joint takes is the engine's: that of its tip under `DynamicBone` and `EZSoftBone`, whose particles are the bones
//! below, and that of its own bone under `KawaiiPhysics`. A bone at the end of a chain sways only where the file asks
//! for virtual ends, since it has no tip otherwise.

use super::extras::own_name;
use super::view::{View, mirrored};
use super::{ExportLoss, without_doubles};
use crate::doc::chain::joint_rows;
use crate::doc::pivot::Axis;
use crate::doc::table::{BoneCells, BoneRow, BoneTable, Extra, Tree};
use crate::doc::{Chain, ChainId, Joint, Material};
use crate::math::{Curve, Interpolation, Key};
use crate::rig::{BoneId, Pose, Skeleton, WorldPose};
use crate::schema::ParamSet;
use crate::sim::SolverKind;
use std::collections::{BTreeMap, BTreeSet};

/// Values of the character that give the ends of chains a virtual tip.
const ENDS: [&str; 5] = ["m_EndLength", "m_EndOffset x", "m_EndOffset y", "m_EndOffset z", "DummyBoneLength"];
/// Numbers that are nearer than this share are the same for a curve.
const NEAR: f32 = 1e-6;

/// All bones of a tree with the way from its root, the root first.
struct Reach {
    bones: Vec<(BoneId, f32)>,
    longest: f32,
}

impl Reach {
    fn of(
        skeleton: &Skeleton,
        rest: &WorldPose,
        root: BoneId,
        excluded: &BTreeSet<BoneId>,
        ends: &BTreeSet<BoneId>,
    ) -> Self {
        let at = |bone: BoneId| rest.frame(bone).position;
        let mut bones = vec![(root, 0.0)];
        let mut next = 0;
        while let Some((bone, way)) = bones.get(next).copied() {
            next += 1;
            if ends.contains(&bone) {
                continue;
            }
            let children = skeleton.children(bone).iter().filter(|c| !excluded.contains(*c));
            bones.extend(children.map(|child| (*child, way + at(*child).distance(at(bone)))));
        }
        let longest = bones.iter().map(|(_, way)| *way).fold(0.0, f32::max);
        Self { bones, longest }
    }

    /// The places along the curves of bones that are joints of it, 0 to 1.
    fn places(&self, skeleton: &Skeleton, solver: SolverKind) -> BTreeMap<BoneId, f32> {
        let ways: BTreeMap<BoneId, f32> = self.bones.iter().copied().collect();
        let place = |(bone, way): &(BoneId, f32)| {
            let tips = skeleton.children(*bone).iter().filter_map(|child| ways.get(child).copied());
            let way = if solver == SolverKind::KawaiiPhysics { *way } else { tips.fold(*way, f32::max) };
            (*bone, if self.longest > 0.0 { way / self.longest } else { 0.0 })
        };
        self.bones.iter().map(place).collect()
    }
}

/// Every chain of a document by its root, and what its curves cannot say.
pub(super) fn of_document(view: &View<'_>, axis: Axis) -> (Vec<Tree>, Vec<ExportLoss>) {
    let (mut trees, mut losses) = (Vec::new(), Vec::new());
    for (id, chain) in &view.document.chains {
        if let Some(root) = own_name(view.skeleton, chain.root()) {
            trees.push(tree_of(view, (*id, chain), root, axis, &mut losses));
        }
    }
    (trees, losses)
}

fn tree_of(
    view: &View<'_>,
    (id, chain): (ChainId, &Chain),
    root: String,
    axis: Axis,
    losses: &mut Vec<ExportLoss>,
) -> Tree {
    let skeleton = view.skeleton;
    let here = |bone: &BoneId| bone.index() < skeleton.len();
    let joints: Vec<BoneId> = chain.joints.iter().map(|j| j.bone).filter(here).collect();
    // A leaf that is no joint is a tip.
    let others = |bone: &BoneId| {
        chain.position(*bone).is_none()
            && (!skeleton.children(*bone).is_empty() || view.document.joint_of(*bone).is_some())
    };
    let below = joints.iter().flat_map(|bone| skeleton.children(*bone)).copied();
    let excluded: BTreeSet<BoneId> = below.filter(others).collect();
    let solver = view.document.solver_of(chain);
    let table = view.document.table_of(chain);
    let places = Reach::of(skeleton, &view.rest, chain.root(), &excluded, &BTreeSet::new()).places(skeleton, solver);
    let (mut base, mut curves) = (ParamSet::defaults(table), Vec::new());
    let mut uneven = false;
    let material = shared(view, (id, chain), &places);
    if material.is_none() && chain.material.is_some() {
        losses.push(ExportLoss::UnevenMaterial(chain.name.clone()));
    }
    for (row, _) in joint_rows(table) {
        if let Some(value) = material.and_then(|material| material.values.get(&row)) {
            base.set(row, value.base);
            curves.extend(value.curve.clone().map(|curve| (row, curve)));
            continue;
        }
        let at = (0..chain.joints.len()).filter(|at| here(&chain.joints[*at].bone));
        let value = |at: usize| mirrored(table, row, axis, |row| view.value(id, at, row));
        let points: Vec<(f32, f32)> =
            at.map(|at| (places.get(&chain.joints[at].bone).copied().unwrap_or(0.0), value(at))).collect();
        let (value, curve, is_exact) = base_and_curve(points);
        base.set(row, value);
        curves.extend(curve.map(|curve| (row, curve)));
        uneven |= !is_exact;
    }
    if uneven {
        losses.push(ExportLoss::Uneven(chain.name.clone()));
    }
    let pushed = chain.joints.iter().map(|joint| view.collider_names(id, joint, None));
    let pushed: Vec<Vec<String>> = pushed.collect();
    if pushed.iter().any(|names| *names != pushed[0]) {
        losses.push(ExportLoss::UnevenColliders(chain.name.clone()));
    }
    let name = |bone: BoneId| skeleton.name(bone).to_owned();
    Tree {
        name: chain.name.clone(),
        root,
        above: skeleton.parent_of(chain.root()).map_or_else(String::new, name),
        joints: joints.into_iter().map(name).collect(),
        excluded: excluded.into_iter().map(name).collect(),
        ends: Vec::new(),
        base,
        curves,
        material: material.map_or_else(String::new, |material| material.name.clone()),
        colliders: without_doubles(&pushed.concat()),
    }
}

/// The material of a chain, where it says what every joint gets at its place on the engine's own curve.
fn shared<'a>(view: &View<'a>, (id, chain): (ChainId, &Chain), places: &BTreeMap<BoneId, f32>) -> Option<&'a Material> {
    let material = view.document.material_of(chain)?;
    let fits = |(at, joint): (usize, &Joint)| {
        let Some(place) = places.get(&joint.bone) else { return true };
        material.values.iter().all(|(row, value)| {
            let said = value.base * value.curve.as_ref().map_or(1.0, |curve| curve.eval(*place));
            (view.value(id, at, *row) - said).abs() <= NEAR * value.base.abs()
        })
    };
    chain.joints.iter().enumerate().all(fits).then_some(material)
}

/// A base and a curve through points `(place, value)`, and whether both together say every one of them.
fn base_and_curve(mut points: Vec<(f32, f32)>) -> (f32, Option<Curve>, bool) {
    let first = points.first().map_or(0.0, |p| p.1);
    let near = |a: f32, b: f32| a == b || (a - b).abs() <= NEAR * a.abs().max(b.abs());
    if points.iter().all(|(_, value)| *value == first) {
        return (first, None, true);
    }
    if points.iter().any(|(_, value)| !value.is_finite()) {
        return (first, None, false);
    }
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    let same = |pair: &[(f32, f32)]| pair[0].0 != pair[1].0 || near(pair[0].1, pair[1].1);
    let is_exact = points.windows(2).all(same);
    // Branches of one length share a place.
    points.dedup_by(|b, a| a.0 == b.0);
    let base = points.iter().map(|p| p.1).fold(0.0_f32, |most, v| if v.abs() > most.abs() { v } else { most });
    let factor = |(_, value): &(f32, f32)| value / base;
    let slope = |a: &(f32, f32), b: &(f32, f32)| (factor(b) - factor(a)) / (b.0 - a.0);
    let keys = points.iter().enumerate().map(|(i, point)| {
        let behind = i.checked_sub(1).map(|before| slope(&points[before], point));
        let ahead = points.get(i + 1).map(|after| slope(point, after));
        let (slope_in, slope_out) = (behind.or(ahead).unwrap_or(0.0), ahead.or(behind).unwrap_or(0.0));
        Key { t: point.0, value: factor(point), slope_in, slope_out }
    });
    match Curve::new(keys.collect(), Interpolation::Linear) {
        Some(curve) => (base, Some(curve), is_exact),
        None => (first, None, false),
    }
}

/// Puts rows of bones in place of a table's trees; `find` says which bone a name means. A tree whose root is nowhere
/// has a row for that. Of several trees with one bone the later one counts, as its component acts last. The bone of each row;
/// none at all where there are no trees.
pub(super) fn grow(
    table: &mut BoneTable,
    skeleton: &Skeleton,
    find: impl Fn(&str) -> Option<BoneId>,
) -> Vec<Option<BoneId>> {
    if table.trees.is_empty() {
        return Vec::new();
    }
    let rest = WorldPose::of(skeleton, &Pose::rest(skeleton));
    let params = table.solver.info().params;
    let with_ends = table.extras.iter().any(|row| match &row.cells {
        Ok(Extra::System { row, value }) => ENDS.contains(&row.as_str()) && *value != 0.0,
        _ => false,
    });
    let (mut rows, mut strangers) = (BTreeMap::new(), Vec::new());
    for (line, tree) in (1..).zip(&table.trees) {
        let cells = |t: f32| {
            let mut values = ParamSet::defaults(params);
            for (row, _) in joint_rows(params) {
                values.set(row, tree.value(row, t));
            }
            let colliders = tree.colliders.clone();
            BoneCells { values, pivot: String::new(), length_targets: Vec::new(), colliders }
        };
        let row = |name: &str, t: f32| BoneRow { line, name: name.to_owned(), cells: Ok(cells(t)) };
        let Some(root) = find(&tree.root) else {
            strangers.push(row(&tree.root, 0.0));
            continue;
        };
        let all = |names: &[String]| names.iter().filter_map(|name| find(name)).collect::<BTreeSet<_>>();
        let (excluded, ends) = (all(&tree.excluded), all(&tree.ends));
        let reach = Reach::of(skeleton, &rest, root, &excluded, &ends);
        let inside: BTreeSet<BoneId> = reach.bones.iter().map(|(bone, _)| *bone).collect();
        let places = reach.places(skeleton, table.solver);
        for (bone, _) in &reach.bones {
            let has_tip = skeleton.children(*bone).iter().any(|child| inside.contains(child));
            if has_tip || with_ends || *bone == root {
                let name = if *bone == root { tree.root.as_str() } else { skeleton.name(*bone) };
                rows.insert(*bone, row(name, places.get(bone).copied().unwrap_or(0.0)));
            }
        }
    }
    let bones = rows.keys().copied().map(Some).chain(strangers.iter().map(|_| None)).collect();
    table.bones = rows.into_values().chain(strangers).collect();
    bones
}
