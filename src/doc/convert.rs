//! Puts all chains under another solver, so that they feel as they did.
//!
//! Each joint's numbers become a [`Sway`], and that becomes numbers of the other solver; what it has
//! no number for, and what came out otherwise, is told bone by bone. Formulas: [`crate::sim::unify`]. The way there is
//! one edit, so that undo brings everything back, what the other solver could not hold included.

mod loss;
pub mod refine;

pub use loss::Loss;

use super::feel::{FRAME, joint_length};
use super::{Chain, ChainId, Document, Edit, Part, difference, pivot};
use crate::report::{Diagnostic, Place};
use crate::rig::{BoneId, Character, Facing, Pose, WorldPose};
use crate::schema::{Idea, ParamSet, Row, Scope, SolverKind, rows};
use crate::sim::solver::{self, vrm};
use crate::sim::{Numbers, Sway, SwingLimit, SwingShape};
use glam::Quat;
use std::collections::{BTreeMap, BTreeSet};

/// What differs by less than this share was one number before it was converted, or cannot be felt.
const ROUNDING: f32 = 1e-3;
/// Share by which a term may differ before it is told.
const FELT: f32 = 0.02;

/// A document under another solver.
#[derive(Clone, Debug)]
pub struct Conversion {
    /// What it is then.
    pub after: Document,
    /// What could not come along.
    pub losses: Vec<Loss>,
}

impl Conversion {
    /// The losses as findings about a file.
    pub fn diagnostics(&self, file: &str) -> Vec<Diagnostic> {
        self.losses.iter().map(|loss| Diagnostic::warning(Place::file(file), loss.to_string())).collect()
    }

    /// The edit that leads there.
    pub fn edit(&self, before: &Document) -> Edit {
        difference(before, &self.after)
    }
}

/// The same chains under `to`. VRM's version is that of the character's file.
pub fn convert(document: &Document, character: &Character, to: SolverKind) -> Conversion {
    let mut after = document.clone();
    if document.solver == to {
        return Conversion { after, losses: Vec::new() };
    }
    after.solver = to;
    after.system = ParamSet::defaults(solver::params(to));
    if to == SolverKind::Vrm {
        after.system.set(vrm::VERSION, f32::from(u8::from(character.facing == Facing::MinusZ)));
    }
    let rest = WorldPose::of(&character.skeleton, &Pose::rest(&character.skeleton));
    let mut converting = Converting { before: document, character, rest, after, losses: Vec::new() };
    converting.colliders();
    for id in document.chains.keys() {
        converting.chain(*id);
    }
    converting.whole();
    let Converting { mut after, losses, .. } = converting;
    if to == SolverKind::UnityChanSpringBone {
        give_pivots(&mut after, character);
    }
    Conversion { after, losses }
}

struct Converting<'a> {
    before: &'a Document,
    character: &'a Character,
    rest: WorldPose,
    after: Document,
    losses: Vec<Loss>,
}

impl Converting<'_> {
    /// Only VRM's files know groups; elsewhere each joint lists what its chain's groups have.
    fn colliders(&mut self) {
        for collider in self.before.colliders.values() {
            if !collider.shape.is_known_to(self.after.solver) {
                self.losses.push(Loss::Shape { collider: collider.name.clone() });
            }
        }
        if self.after.solver == SolverKind::Vrm {
            return self.group();
        }
        for (id, chain) in &self.before.chains {
            let Some(made) = self.after.chains.get_mut(id) else { continue };
            for (joint, old) in made.joints.iter_mut().zip(&chain.joints) {
                let mut seen = BTreeSet::new();
                joint.colliders = self.before.colliders_of(chain, old).filter(|c| seen.insert(*c)).collect();
            }
            made.groups.clear();
        }
        self.after.groups.clear();
    }

    /// Chains whose joints list the same colliders share a group.
    fn group(&mut self) {
        let mut made = BTreeMap::new();
        for (id, chain) in &self.before.chains {
            let mut seen = BTreeSet::new();
            let lists = || chain.joints.iter().map(|j| &j.colliders);
            let all: Vec<_> = lists().flatten().copied().filter(|c| seen.insert(*c)).collect();
            if lists().any(|list| list.len() != all.len()) {
                self.losses.push(Loss::CollidersOfJoints { chain: chain.name.clone() });
            }
            if all.is_empty() {
                continue;
            }
            let group = *made.entry(all.clone()).or_insert_with(|| {
                let group = self.after.fresh_group();
                let name = chain.name.clone();
                self.after.groups.insert(group, super::ColliderGroup { name, colliders: all, source: None });
                group
            });
            if let Some(made) = self.after.chains.get_mut(id) {
                made.groups.push(group);
                made.joints.iter_mut().for_each(|j| j.colliders.clear());
            }
        }
    }

    fn chain(&mut self, id: ChainId) {
        let old = &self.before.chains[&id];
        let places = old.places_in(&self.rest, &self.character.skeleton);
        let lengths = self.lengths(old);
        let table = self.after.table();
        let mut made = Chain::new(old.name.clone(), Part::Other, table, Vec::new());
        let mut joints = Vec::new();
        if let Some(Chain { name, part, along, joints: own, groups, center, source, .. }) =
            self.after.chains.remove(&id)
        {
            made = Chain { name, part, along, groups, center, source, ..made };
            joints = own;
        }
        let wanted: Vec<Sway> = (0..joints.len()).map(|at| self.sway(old, at, places[at], lengths[at])).collect();
        let mut numbers: Vec<ParamSet> = wanted.iter().zip(&lengths).map(|(s, l)| self.numbers(s, *l)).collect();
        let to_vrm = self.after.solver == SolverKind::Vrm;
        let old_vrm = to_vrm && self.after.system.get(vrm::VERSION) != 0.0;
        if old_vrm {
            level(&mut numbers);
        }
        for (at, joint) in joints.iter_mut().enumerate() {
            joint.own.clear();
            joint.limit = wanted[at].reach_deg.filter(|_| to_vrm && !old_vrm).map(cone);
            let now = Numbers { joint: &numbers[at], system: &self.after.system, length: lengths[at], frame: FRAME };
            let mut found = solver::sway(self.after.solver, &now);
            found.reach_deg = joint.limit.map_or(found.reach_deg, |_| wanted[at].reach_deg);
            let bone = self.name(joint.bone).to_owned();
            self.losses.extend(loss::between(&bone, &wanted[at], &found));
        }
        if made.center.is_some() && self.after.solver != SolverKind::Vrm {
            self.losses.push(Loss::Center { chain: made.name.clone() });
        }
        share(&mut made, joints, &numbers);
        self.after.chains.insert(id, made);
    }

    /// What sways so on a bone of that length.
    fn numbers(&self, sway: &Sway, length: f32) -> ParamSet {
        let mut set = ParamSet::defaults(self.after.table());
        let now = Numbers { joint: &set, system: &self.after.system, length, frame: FRAME };
        let numbers = solver::numbers(self.after.solver, sway, &now);
        for (row, value) in numbers.into_iter().filter(|(_, value)| value.is_finite()) {
            set.set(row, value);
        }
        set
    }

    /// How a joint sways now, VRM's limits included.
    fn sway(&self, chain: &Chain, at: usize, place: f32, length: f32) -> Sway {
        let mut set = ParamSet::defaults(self.before.table());
        for (row, _) in rows(self.before.table()).filter(|(_, def)| def.scope == Scope::Joint) {
            set.set(row, chain.value(at, row, place));
        }
        let numbers = Numbers { joint: &set, system: &self.before.system, length, frame: FRAME };
        let mut sway = solver::sway(self.before.solver, &numbers);
        let joint = &chain.joints[at];
        if self.before.solver == SolverKind::Vrm {
            sway.reach_deg = joint.limit.map(|limit| reach(limit.shape).to_degrees());
        }
        sway
    }

    /// From head to tip. A leaf is as long as VRM makes it, or as the other bones are.
    fn lengths(&self, chain: &Chain) -> Vec<f32> {
        let lengths: Vec<f32> =
            chain.joints.iter().map(|j| joint_length(j, &self.character.skeleton, &self.rest)).collect();
        let known = || lengths.iter().copied().filter(|l| l.is_finite() && *l > 0.0);
        let mean = known().sum::<f32>() / known().count().max(1) as f32;
        let by_vrm = [self.before.solver, self.after.solver].contains(&SolverKind::Vrm);
        let leaf = if mean > 0.0 && !by_vrm { mean } else { vrm::LEAF };
        lengths.into_iter().map(|l| if l.is_finite() && l > 0.0 { l } else { leaf }).collect()
    }

    /// What belongs to no joint.
    fn whole(&mut self) {
        let (before, to) = (self.before, self.after.solver);
        let told = told_by(before);
        for (row, def) in rows(before.table()) {
            let carried = told.contains(&row) || (def.scope == Scope::System && def.idea == Idea::Gravity);
            match def.scope {
                Scope::System if carried || def.beyond => {}
                Scope::System if before.system.get(row) != def.default => {
                    self.losses.push(Loss::SystemValue { label: def.label });
                }
                Scope::Joint if !carried => {
                    let bones = self.bones_with(row, def.default);
                    if bones > 0 && !kept(to, def.idea) {
                        self.losses.push(Loss::JointValue { label: def.label, bones });
                    }
                }
                _ => {}
            }
        }
        let joints = || before.chains.values().flat_map(|c| &c.joints);
        let tied = joints().filter(|j| !j.length_targets.is_empty()).count();
        if tied > 0 && to != SolverKind::UnityChanSpringBone {
            self.losses.push(Loss::LengthTargets { bones: tied });
        }
        if to == SolverKind::Vrm && !before.forces.is_empty() {
            self.losses.push(Loss::Forces { count: before.forces.len() });
        }
        if to == SolverKind::Vrm && !before.high_legs.is_empty() {
            self.losses.push(Loss::HighLegs { count: before.high_legs.len() });
        }
    }

    fn name(&self, bone: BoneId) -> &str {
        self.character.skeleton.bones().get(bone.index()).map_or("", |b| b.name.as_str())
    }

    fn bones_with(&self, row: Row, default: f32) -> usize {
        let differs = |chain: &Chain| {
            let places = chain.places_in(&self.rest, &self.character.skeleton);
            (0..chain.joints.len()).filter(|at| chain.value(*at, row, places[*at]) != default).count()
        };
        self.before.chains.values().map(differs).sum()
    }
}

/// Whether a solver has a row for such things; what it is called there the artist sees.
fn kept(to: SolverKind, idea: Idea) -> bool {
    solver::params(to).iter().any(|def| def.scope == Scope::Joint && def.idea == idea && !def.beyond)
}

/// The rows that a sway is told by.
fn told_by(document: &Document) -> BTreeSet<Row> {
    let joint = ParamSet::defaults(document.table());
    let now = Numbers { joint: &joint, system: &document.system, length: vrm::LEAF, frame: FRAME };
    let one = Some(1.0);
    let whole = Sway { follow: one, reach_deg: one, radius: one, ..solver::sway(document.solver, &now) };
    solver::numbers(document.solver, &whole, &now).into_iter().map(|(row, _)| row).collect()
}

fn cone(reach_deg: f32) -> SwingLimit {
    SwingLimit { shape: SwingShape::Cone { angle: reach_deg.to_radians() }, rotation: Quat::IDENTITY }
}

/// The angle that is left in every direction, radians.
fn reach(shape: SwingShape) -> f32 {
    match shape {
        SwingShape::Cone { angle } | SwingShape::Hinge { angle } => angle,
        SwingShape::Spherical { pitch, yaw } => pitch.min(yaw),
    }
}

/// VRM 0.x has one set of numbers for a whole tree: the mean of what its joints want.
fn level(numbers: &mut [ParamSet]) {
    let count = numbers.len().max(1) as f32;
    for row in (0..numbers.first().map_or(0, ParamSet::len)).map(|i| Row(i as u16)) {
        let mean = numbers.iter().map(|set| set.get(row)).sum::<f32>() / count;
        for set in &mut *numbers {
            set.set(row, mean);
        }
    }
}

/// Values that all joints have are the chain's; others stay the joints' own.
fn share(chain: &mut Chain, mut joints: Vec<super::Joint>, numbers: &[ParamSet]) {
    let rows = (0..chain.values.len()).map(|i| Row(i as u16));
    for row in rows {
        let values = || numbers.iter().map(|set| set.get(row));
        let first = values().next().unwrap_or(0.0);
        if values().all(|v| (v - first).abs() <= ROUNDING * first.abs()) {
            chain.values[row.index()].base = first;
        } else {
            for (joint, value) in joints.iter_mut().zip(values()) {
                joint.own.insert(row, value);
            }
        }
    }
    chain.joints = joints;
}

/// Limits need a frame to be told in.
fn give_pivots(after: &mut Document, character: &Character) {
    use crate::sim::solver::spring_bone::{Y_ACTIVE, Z_ACTIVE};
    let bare = |chain: &Chain| -> Vec<BoneId> {
        let limited = |at: &usize| [Y_ACTIVE, Z_ACTIVE].iter().any(|row| chain.value(*at, *row, 0.0) != 0.0);
        let joints = (0..chain.joints.len()).filter(limited).map(|at| &chain.joints[at]);
        joints.filter(|j| j.pivot.is_none()).map(|j| j.bone).collect()
    };
    let bones: Vec<BoneId> = after.chains.values().flat_map(bare).collect();
    if !bones.is_empty() {
        let edit = pivot::place_pivots(after, &character.skeleton, &bones);
        // Refused where a name is taken in an impossible way: the limits then have the parent's frame, as in the engine.
        _ = after.apply(edit);
    }
}
