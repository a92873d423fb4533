//! Puts chains under another solver, so that they feel as they did.
//!
//! Each joint's numbers become a [`Sway`], and that becomes numbers of the other solver; what it has
//! no number for, and what came out otherwise, is told bone by bone. Formulas: [`crate::sim::unify`]. The way there is
//! one edit, so that undo brings everything back, what the other solver could not hold included.

pub mod averaged;
mod loss;
mod mass;
mod network;
pub mod refine;
mod summary;
mod swing;

pub use loss::Loss;
pub use network::order_columns;
pub use swing::{MutedChain, SwingComparison, muted_chains};

use loss::NumbersOf;
use mass::Masses;

use crate::document::{
    Chain, ChainId, Document, Edit, Extras, Joint, Part, Side, System, SystemId, difference, groups, pivot,
};
use crate::document::{chain::ROUNDING, chain::agreed};
use crate::document::{measure::carried, measure::joint_tip, measure::swinging_lengths};
use crate::feel::starting::FRAME;
use crate::feel::{default_curves, default_curves::told_by};
use crate::report::{Diagnostic, Place};
use crate::rig::{BoneId, Character, Facing, Pose, Skeleton, WorldPose};
use crate::schema::{Idea, ParamDef, ParamSet, Row, Scope, rows};
use crate::sim::solver::vrm;
use crate::sim::{ChainLink, Numbers, OPEN_DEG, SolverKind, Sway, SwingLimit, SwingShape, retarget};
use glam::Quat;
use std::collections::{BTreeMap, BTreeSet};

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
    /// The losses as findings about a file, one for each kind.
    pub fn diagnostics(&self, file: &str) -> Vec<Diagnostic> {
        loss_diagnostics(&self.losses, file)
    }

    /// The losses that remain when a table replaces the numbers of these bones. A loss of a chain's numbers remains while
    /// one of its bones keeps its own.
    pub fn remaining_losses(&self, replaced: &BTreeSet<BoneId>, skeleton: &Skeleton) -> Vec<Loss> {
        let kept: Vec<(&str, &str)> = self
            .after
            .chains
            .values()
            .flat_map(|chain| chain.joints.iter().map(|joint| (chain.name.as_str(), joint.bone)))
            .filter(|(_, bone)| !replaced.contains(bone))
            .map(|(chain, bone)| (chain, skeleton.name(bone)))
            .collect();
        let remains = |loss: &&Loss| match loss.of_numbers() {
            None => true,
            Some(NumbersOf::Bone(name)) => kept.iter().any(|(_, bone)| *bone == name),
            Some(NumbersOf::Chain(name)) => kept.iter().any(|(chain, _)| *chain == name),
            Some(NumbersOf::Bones) => !kept.is_empty(),
        };
        self.losses.iter().filter(remains).cloned().collect()
    }

    /// The edit that leads there.
    pub fn edit(&self, before: &Document) -> Edit {
        difference(before, &self.after)
    }
}

/// Chains that lost most of their swing, as losses.
pub fn muted_losses(muted: &[MutedChain], document: &Document) -> Vec<Loss> {
    let name = |id: &ChainId| document.chains.get(id).map_or_else(String::new, |chain| chain.name.clone());
    let loss = |muted: &MutedChain| Loss::Muted { chain: name(&muted.chain), from: muted.before, to: muted.after };
    muted.iter().map(loss).collect()
}

/// Losses as findings about a file, one for each kind.
pub fn loss_diagnostics(losses: &[Loss], file: &str) -> Vec<Diagnostic> {
    let sentences = summary::sentences(losses).into_iter();
    sentences.map(|said| Diagnostic::warning(Place::file(file), said)).collect()
}

/// All chains under `to`.
pub fn convert(document: &Document, character: &Character, to: SolverKind) -> Conversion {
    convert_chains(document, character, &document.chains.keys().copied().collect(), to)
}

/// These chains under `to`; those that are already stay as they are. They come under the first system of that solver;
/// where there is none, the first system becomes one if nothing else is under it, or a new one is made. A system that
/// has lost all its chains goes.
pub fn convert_chains(
    document: &Document,
    character: &Character,
    chains: &BTreeSet<ChainId>,
    to: SolverKind,
) -> Conversion {
    let moved: BTreeSet<ChainId> = chains
        .iter()
        .filter(|id| document.chains.get(id).is_some_and(|chain| document.solver_of(chain) != to))
        .copied()
        .collect();
    let mut after = document.clone();
    let stays = |id: SystemId| document.chains.iter().any(|(chain, c)| c.system == id && !moved.contains(chain));
    let nothing = document.chains.is_empty() && document.main().solver != to;
    if moved.is_empty() && !nothing {
        return Conversion { after, losses: Vec::new() };
    }
    let into = document.system_under(to).map(|(id, _)| id);
    let into = into.or_else(|| (!stays(document.main_id())).then(|| document.main_id()));
    let into = into.unwrap_or_else(|| document.fresh_system());
    let left = |id: &SystemId| *id != into && !stays(*id) && moved.iter().any(|c| document.chains[c].system == *id);
    after.systems.retain(|id, _| !left(id));
    let is_fresh = after.systems.get(&into).is_none_or(|system| system.solver != to);
    if is_fresh {
        let mut system = System::under(to);
        if to == SolverKind::Vrm {
            // That of the character's file.
            system.values.set(vrm::VERSION, f32::from(u8::from(character.facing == Facing::MinusZ)));
        }
        system.component = moved.iter().find_map(|id| document.system_of(&document.chains[id]).component);
        after.systems.insert(into, system);
    }
    let rest = WorldPose::of(&character.skeleton, &Pose::rest(&character.skeleton));
    let masses = to.info().center.map(|rows| (rows, Masses::of(character, &rest)));
    let mut converting =
        Converting { before: document, character, rest, moved, into, after, masses, losses: Vec::new() };
    converting.colliders();
    if is_fresh {
        converting.settle_system();
    } else {
        converting.tell_system();
    }
    for id in converting.moved.clone() {
        converting.chain(id);
    }
    converting.whole();
    let Converting { mut after, losses, moved, .. } = converting;
    if to == SolverKind::JointDynamics {
        network::spread(&mut after, character, into, &moved);
    }
    give_pivots(&mut after, character, &moved, to);
    Conversion { after, losses }
}

struct Converting<'a> {
    before: &'a Document,
    character: &'a Character,
    rest: WorldPose,
    /// Chains that come under another solver.
    moved: BTreeSet<ChainId>,
    /// What they come under.
    into: SystemId,
    after: Document,
    /// Where the other solver has weights, with its rows of them.
    masses: Option<([Row; 3], Masses)>,
    losses: Vec<Loss>,
}

impl Converting<'_> {
    /// What moved chains come under.
    fn to(&self) -> &System {
        &self.after.systems[&self.into]
    }

    /// The chains that come under another solver, as they were.
    fn moved(&self) -> impl Iterator<Item = (ChainId, &Chain)> {
        self.moved.iter().map(|id| (*id, &self.before.chains[id]))
    }

    /// The systems that they come from.
    fn from(&self) -> BTreeSet<SystemId> {
        self.moved().map(|(_, chain)| chain.system).collect()
    }

    /// Only VRM's files know groups; elsewhere each joint lists what its chain's groups have.
    fn colliders(&mut self) {
        let to = self.to().solver;
        let used: BTreeSet<_> = self
            .moved()
            .flat_map(|(_, chain)| chain.joints.iter().flat_map(|j| self.before.colliders_of(chain, j)))
            .collect();
        for (id, collider) in &self.before.colliders {
            let is_meant = used.contains(id) || self.moved.len() == self.before.chains.len();
            if is_meant && !to.info().supports(&collider.shape) {
                self.losses.push(Loss::Shape { collider: collider.name.clone() });
            }
        }
        if groups::are_known(to) {
            return self.group();
        }
        for id in &self.moved {
            let chain = &self.before.chains[id];
            let Some(made) = self.after.chains.get_mut(id) else { continue };
            for (joint, old) in made.joints.iter_mut().zip(&chain.joints) {
                let mut seen = BTreeSet::new();
                joint.colliders = self.before.colliders_of(chain, old).filter(|c| seen.insert(*c)).collect();
            }
            made.groups.clear();
        }
        let named: BTreeSet<_> = self.after.chains.values().flat_map(|c| &c.groups).copied().collect();
        let was: BTreeSet<_> = self.moved().flat_map(|(_, c)| &c.groups).copied().collect();
        let all_moved = self.moved.len() == self.before.chains.len();
        self.after.groups.retain(|id, _| named.contains(id) || !(all_moved || was.contains(id)));
    }

    /// Chains whose joints list the same colliders share a group.
    fn group(&mut self) {
        let mut made = BTreeMap::new();
        for id in &self.moved {
            let chain = &self.before.chains[id];
            let mut seen = BTreeSet::new();
            let lists = || chain.joints.iter().map(|j| &j.colliders);
            let all: Vec<_> = lists().flatten().copied().filter(|c| seen.insert(*c)).collect();
            if lists().any(|list| !same_set(list, &all)) {
                self.losses.push(Loss::CollidersOfJoints { chain: chain.name.clone() });
            }
            if all.is_empty() {
                continue;
            }
            let group = *made.entry(all.clone()).or_insert_with(|| {
                let group = self.after.fresh_group();
                let name = chain.name.clone();
                self.after.groups.insert(group, crate::document::ColliderGroup { name, colliders: all, source: None });
                group
            });
            if let Some(made) = self.after.chains.get_mut(id) {
                made.groups.push(group);
                made.joints.iter_mut().for_each(|j| j.colliders.clear());
            }
        }
    }

    /// Lengths of a chain's joints under either solver.
    fn lengths(&self, chain: &Chain) -> Vec<f32> {
        let leaf = [self.before.solver_of(chain), self.to().solver].iter().find_map(|solver| solver.info().leaf_length);
        swinging_lengths(chain, &self.character.skeleton, &self.rest, leaf)
    }

    /// Gives a system that was made for these chains the numbers that all of its joints share.
    fn settle_system(&mut self) {
        let mut joints = Vec::new();
        for (_, chain) in self.moved() {
            let sways = self.sways(chain).into_iter().map(|sway| unity_pull(self.to(), sway));
            joints.extend(sways.zip(self.lengths(chain)));
        }
        let to = self.to();
        let numbers = to.solver.system_numbers(&joints, &to.values, FRAME);
        if let Some(system) = self.after.systems.get_mut(&self.into) {
            for (row, value) in numbers.into_iter().filter(|(_, value)| value.is_finite()) {
                system.values.set(row, value);
            }
        }
    }

    /// What a system that was there already does to chains that join it.
    fn tell_system(&mut self) {
        let to = self.to();
        let acts = |(row, def): &(Row, &ParamDef)| {
            def.scope == Scope::System && !def.beyond && def.idea != Idea::Gravity && to.get(*row) != def.default
        };
        let told = told_by(to);
        let found: Vec<Loss> = rows(to.table())
            .filter(|found| acts(found) && !told.contains(&found.0))
            .map(|(_, def)| Loss::SystemApplies { label: def.label })
            .collect();
        self.losses.extend(found);
    }

    fn chain(&mut self, id: ChainId) {
        let old = &self.before.chains[&id];
        let (table, solver) = (self.to().table(), self.to().solver);
        let lengths = self.lengths(old);
        let carried = carried(old, &lengths, &self.character.skeleton, &self.rest);
        let mut made = Chain::new(old.name.clone(), Part::Other, table, Vec::new());
        let mut joints = Vec::new();
        if let Some(Chain { name, part, along, joints: own, groups, center, source, .. }) =
            self.after.chains.remove(&id)
        {
            made = Chain { name, part, system: self.into, along, groups, center, source, ..made };
            joints = own;
        }
        let measures = |at: usize| (lengths[at], carried[at]);
        let wanted = self.sways(old);
        let parts = wanted.iter().zip(&joints).enumerate();
        let mut numbers: Vec<ParamSet> = parts.map(|(at, (s, joint))| self.numbers(s, measures(at), joint)).collect();
        let to_vrm = solver == SolverKind::Vrm;
        let old_vrm = to_vrm && self.to().get(vrm::VERSION) != 0.0;
        let exact = numbers.clone();
        if old_vrm {
            level(&mut numbers);
        }
        let mut pulls = Vec::new();
        for (at, joint) in joints.iter_mut().enumerate() {
            joint.own.clear();
            joint.limit = wanted[at].reach_deg.filter(|_| to_vrm && !old_vrm).map(cone);
            let system = &self.to().values;
            // What a mean costs is reported per chain.
            let now = Numbers { joint: &exact[at], system, length: lengths[at], carried: carried[at], frame: FRAME };
            let mut found = unity_pull(self.to(), solver.sway(&now));
            found.reach_deg = joint.limit.map_or(found.reach_deg, |_| wanted[at].reach_deg);
            let bone = self.name(joint.bone).to_owned();
            if let Some(cone) = found.reach_deg.filter(|_| old.joints[at].limit.is_some_and(|limit| is_shaped(&limit)))
            {
                self.losses.push(Loss::LimitShape { bone: bone.clone(), cone });
            }
            let (pull, others): (Vec<Loss>, Vec<Loss>) =
                loss::between(&bone, &wanted[at], &found).into_iter().partition(Loss::is_pull);
            self.losses.extend(others);
            pulls.push((!pull.is_empty(), wanted[at].pull, found.pull));
        }
        self.losses.extend(loss::pull_of_chain(&made.name, &pulls));
        if old_vrm {
            let bones: Vec<&str> = joints.iter().map(|joint| self.name(joint.bone)).collect();
            self.losses.extend(averaged::largest_deviation(&made.name, &bones, table, &exact, &numbers));
        }
        if made.center.is_some() && !to_vrm {
            self.losses.push(Loss::Center { chain: made.name.clone() });
        }
        if let Some(material) = self.before.material_of(old) {
            self.losses.push(Loss::Material { chain: made.name.clone(), material: material.name.clone() });
        }
        share(&mut made, joints, &numbers);
        default_curves::lay_curves(&mut made, self.to());
        self.after.chains.insert(id, made);
    }

    /// What sways so on a joint of that length.
    fn numbers(&self, sway: &Sway, (length, carried): (f32, f32), joint: &Joint) -> ParamSet {
        let to = self.to();
        let mut set = ParamSet::defaults(to.table());
        let head = self.rest.frames.get(joint.bone.index());
        let tip = joint_tip(joint, length, &self.character.skeleton, &self.rest);
        if let (Some(head), Some(tip)) = (head, tip) {
            for (row, value) in to.solver.body_numbers(head.inverse_point(tip), &to.values) {
                set.set(row, value);
            }
        }
        if let Some((rows, masses)) = &self.masses
            && let Some(center) = masses.center(joint, length, self.character, &self.rest)
        {
            for (row, value) in rows.iter().zip(center.to_array()) {
                set.set(*row, value);
            }
        }
        let now = Numbers { joint: &set, system: &to.values, length, carried, frame: FRAME };
        let wanted = without_additions(*sway, &to.solver.sway(&now));
        let numbers = to.solver.numbers(&unity_pull(to, wanted), &now);
        for (row, value) in numbers.into_iter().filter(|(_, value)| value.is_finite()) {
            set.set(row, value);
        }
        set
    }

    /// How a chain's joints are to sway under the other solver.
    fn sways(&self, chain: &Chain) -> Vec<Sway> {
        let skeleton = &self.character.skeleton;
        let places = self.before.places_in(chain, &self.rest, skeleton);
        let lengths = self.lengths(chain);
        let carried = carried(chain, &lengths, skeleton, &self.rest);
        let joints = chain.joints.iter().enumerate();
        let mut sways: Vec<Sway> =
            joints.clone().map(|(at, _)| self.sway(chain, at, places[at], (lengths[at], carried[at]))).collect();
        let parent = |at: usize, bone| chain.joints[..at].iter().rposition(|above| skeleton.is_above(above.bone, bone));
        let links: Vec<ChainLink> =
            joints.map(|(at, joint)| ChainLink { parent: parent(at, joint.bone), length: lengths[at] }).collect();
        let [from, to] = [self.before.solver_of(chain), self.to().solver].map(|solver| solver.info().rest_target);
        retarget(&mut sways, &links, from, to, FRAME);
        sways
    }

    /// How a joint sways now, VRM's limits included.
    fn sway(&self, chain: &Chain, at: usize, place: f32, (length, carried): (f32, f32)) -> Sway {
        let system = self.before.system_of(chain);
        let set = chain.numbers(system.table(), at, place);
        let numbers = Numbers { joint: &set, system: &system.values, length, carried, frame: FRAME };
        let mut sway = unity_pull(system, system.solver.sway(&numbers));
        let joint = &chain.joints[at];
        if system.solver == SolverKind::Vrm {
            sway.reach_deg = joint.limit.map(|limit| reach(limit.shape).to_degrees());
            // Motion of the center is not felt.
            sway.follow = chain.center.map(|_| 1.0);
        }
        sway
    }

    /// What belongs to no joint.
    fn whole(&mut self) {
        for id in self.from() {
            let losses = self.of_system(id);
            self.losses.extend(losses);
        }
        let (before, to) = (self.before, self.to().solver);
        let tied = self.moved().flat_map(|(_, c)| &c.joints).filter(|j| !j.length_targets.is_empty()).count();
        if tied > 0 && !to.info().pivots {
            self.losses.push(Loss::LengthTargets { bones: tied });
        }
        if to == SolverKind::Vrm && !before.forces.is_empty() {
            self.losses.push(Loss::Forces { count: before.forces.len() });
        }
        if to == SolverKind::Vrm && !before.high_legs.is_empty() {
            self.losses.push(Loss::HighLegs { count: before.high_legs.len() });
        }
    }

    /// Numbers of one of the old systems, and of its joints, that nothing carries over.
    fn of_system(&self, id: SystemId) -> Vec<Loss> {
        let system = &self.before.systems[&id];
        let told = told_by(system);
        let mut losses = self.of_lists(id, system);
        for (row, def) in rows(system.table()) {
            let carried = told.contains(&row) || (def.scope == Scope::System && def.idea == Idea::Gravity);
            match def.scope {
                Scope::System if carried || def.beyond => {}
                Scope::System if system.get(row) != def.default => {
                    losses.push(Loss::SystemValue { label: def.label });
                }
                Scope::Joint if !carried => {
                    let bones = self.bones_with(id, row, def.default);
                    if bones > 0 && !kept(self.to().solver, def.idea) {
                        losses.push(Loss::JointValue { label: def.label, bones });
                    }
                }
                _ => {}
            }
        }
        losses
    }

    /// Lists that go with their system, and what stood in them of joints that are under another one now.
    fn of_lists(&self, id: SystemId, system: &System) -> Vec<Loss> {
        let stays = self.after.systems.get(&id).is_some_and(|after| after.solver == system.solver);
        let count = |side: Side| match &system.extras {
            extras if !stays => extras.count(side),
            Extras::JointDynamics(own) if side == Side::Points => {
                let moved = self.moved().flat_map(|(_, chain)| &chain.joints);
                moved.filter(|joint| own.points.contains_key(&joint.bone)).count()
            }
            _ => 0,
        };
        let lists = Side::ALL.into_iter().map(|side| (side, count(side)));
        lists.filter(|(_, count)| *count > 0).map(|(side, count)| Loss::Side { side, count }).collect()
    }

    fn name(&self, bone: BoneId) -> &str {
        self.character.skeleton.bones().get(bone.index()).map_or("", |b| b.name.as_str())
    }

    fn bones_with(&self, system: SystemId, row: Row, default: f32) -> usize {
        let differs = |chain: &Chain| {
            let places = self.before.places_in(chain, &self.rest, &self.character.skeleton);
            (0..chain.joints.len()).filter(|at| chain.value(*at, row, places[*at]) != default).count()
        };
        self.moved().filter(|(_, chain)| chain.system == system).map(|(_, chain)| differs(chain)).sum()
    }
}

/// Whether a solver has a row for such things; what it is called there the artist sees.
fn kept(to: SolverKind, idea: Idea) -> bool {
    to.info().params.iter().any(|def| def.scope == Scope::Joint && def.idea == idea && !def.beyond)
}

/// The same with what the source lacks and the target's own defaults would add: then all of the body's motion is felt, and
/// nothing limits.
fn without_additions(mut sway: Sway, defaults: &Sway) -> Sway {
    if defaults.follow.is_some() {
        sway.follow = sway.follow.or(Some(0.0));
    }
    if defaults.reach_deg.is_some_and(|reach| reach < OPEN_DEG) {
        sway.reach_deg = sway.reach_deg.or(Some(OPEN_DEG));
    }
    sway
}

/// The chains that another solver moves in `after`.
fn moved_chains(before: &Document, after: &Document) -> BTreeSet<ChainId> {
    let solver = |document: &Document, id| document.chains.get(id).map(|chain| document.solver_of(chain));
    after.chains.keys().filter(|id| solver(before, id) != solver(after, id)).copied().collect()
}

fn cone(reach_deg: f32) -> SwingLimit {
    SwingLimit { shape: SwingShape::Cone { angle: reach_deg.to_radians() }, rotation: Quat::IDENTITY }
}

/// Whether two lists name the same things, in whatever order and however often.
pub(crate) fn same_set<T: Ord>(a: &[T], b: &[T]) -> bool {
    a.iter().collect::<BTreeSet<_>>() == b.iter().collect::<BTreeSet<_>>()
}

/// Whether a limit is more than a cone about the rest direction.
fn is_shaped(limit: &SwingLimit) -> bool {
    !matches!(limit.shape, SwingShape::Cone { .. }) || limit.rotation.xyz().length() > ROUNDING
}

/// A pull as it is meant in the world, and back. Files of VRM 0.x have it in Unity's space, whose Z points the other
/// way; the rule itself takes it as it stands there, as `UniVRM`'s migration does not.
fn unity_pull(system: &System, mut sway: Sway) -> Sway {
    if system.solver == SolverKind::Vrm && system.values.get(vrm::VERSION) != 0.0 {
        sway.pull.z = 0.0 - sway.pull.z;
    }
    sway
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
fn share(chain: &mut Chain, mut joints: Vec<Joint>, numbers: &[ParamSet]) {
    let rows = (0..chain.values.len()).map(|i| Row(i as u16));
    for row in rows {
        let values = || numbers.iter().map(|set| set.get(row));
        if let Some(all) = agreed(values()) {
            chain.values[row.index()].base = all;
        } else {
            for (joint, value) in joints.iter_mut().zip(values()) {
                joint.own.insert(row, value);
            }
        }
    }
    chain.joints = joints;
}

/// Limits need a frame to be told in.
fn give_pivots(after: &mut Document, character: &Character, chains: &BTreeSet<ChainId>, solver: SolverKind) {
    let bare = |chain: &Chain| -> Vec<BoneId> {
        let limited = |at: &usize| solver.info().limits_act(|row| chain.value(*at, row, 0.0));
        let joints = (0..chain.joints.len()).filter(limited).map(|at| &chain.joints[at]);
        joints.filter(|j| j.pivot.is_none()).map(|j| j.bone).collect()
    };
    let bones: Vec<BoneId> = chains.iter().filter_map(|id| after.chains.get(id)).flat_map(bare).collect();
    if !bones.is_empty() {
        let edit = pivot::place_pivots(after, &character.skeleton, &bones);
        // Refused where a name is taken in an impossible way: the limits then have the parent's frame, as in the engine.
        _ = after.apply(edit);
    }
}
