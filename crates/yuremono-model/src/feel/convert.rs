//! Converts chains to another solver with the same feel.
//!
//! The values of each joint become a [`SpringResponse`], which is converted to values of the other solver. Differences
//! and losses are reported per bone. The formulas are in [`yuremono_sim::linear_spring`]. A conversion is one edit, so
//! one undo step restores the previous document.

mod center_of_mass;
mod loss;
pub mod motion_fit;
mod network;
mod swing;

pub use loss::ConversionLoss;
pub use network::order_columns;
pub use swing::{MutedChain, SwingComparison, muted_chains};

use center_of_mass::CentersOfMass;
use loss::LossSubject;

use crate::document::{
    Chain, ChainId, ComponentLists, Document, Edit, GroupId, Joint, ListKind, Node, Setup, System, SystemId,
    difference, groups, pivot,
};
use crate::document::{chain::RELATIVE_TOLERANCE, chain::common_value};
use crate::document::{measure::estimated_tip_position, measure::nonzero_joint_lengths, measure::unit_mass_inertias};
use crate::feel::starting_feel::{FRAME_SECONDS, apply_default_curves, params_written_by_feel, response_input};
use glam::Quat;
use std::collections::{BTreeMap, BTreeSet};
use yuremono_sim::diagnostics::{Diagnostic, Location};
use yuremono_sim::params::{ParamDef, ParamId, ParamMeaning, ParamScope, ParamSet, enumerate_params};
use yuremono_sim::rig::{BoneId, Character, Facing, Pose, Skeleton, WorldPose};
use yuremono_sim::solver::joint_dynamics::JointDynamicsPoint;
use yuremono_sim::solver::vrm;
use yuremono_sim::{
    ChainJoint, SolverKind, SpringResponse, SwingLimit, SwingShape, UNLIMITED_ANGLE_DEG, convert_rest_target,
};

/// The result of a conversion.
#[derive(Clone, Debug)]
pub struct Conversion {
    pub after: Document,
    pub losses: Vec<ConversionLoss>,
}

impl Conversion {
    /// The losses as diagnostics of a file, one per kind.
    pub fn diagnostics(&self, file: &str) -> Vec<Diagnostic> {
        loss_diagnostics(&self.losses, file)
    }

    /// The losses that remain after a table replaces the values of these bones. The loss of a chain remains if the
    /// table lacks one of the chain's bones.
    pub fn remaining_losses(&self, replaced: &BTreeSet<BoneId>, skeleton: &Skeleton) -> Vec<ConversionLoss> {
        let kept: Vec<(&str, &str)> = self
            .after
            .chains
            .values()
            .flat_map(|chain| chain.joints.iter().map(|joint| (chain.name.as_str(), joint.bone)))
            .filter(|(_, bone)| !replaced.contains(bone))
            .map(|(chain, bone)| (chain, skeleton.name(bone)))
            .collect();
        let remains = |loss: &&ConversionLoss| match (loss, loss.subject()) {
            (ConversionLoss::JointValue { .. }, _) => !kept.is_empty(),
            (ConversionLoss::PerJointColliders { .. } | ConversionLoss::Center { .. }, _) => true,
            (_, Some(LossSubject::Bone(name))) => kept.iter().any(|(_, bone)| *bone == name),
            (_, Some(LossSubject::Chain(name))) => kept.iter().any(|(chain, _)| *chain == name),
            _ => true,
        };
        self.losses.iter().filter(remains).cloned().collect()
    }

    pub fn edit(&self, before: &Document) -> Edit {
        difference(before, &self.after)
    }
}

/// Muted chains as losses.
pub fn muted_chain_losses(muted: &[MutedChain], document: &Document) -> Vec<ConversionLoss> {
    let name = |id: &ChainId| document.chains.get(id).map_or_else(String::new, |chain| chain.name.clone());
    let loss =
        |muted: &MutedChain| ConversionLoss::Muted { chain: name(&muted.chain), from: muted.before, to: muted.after };
    muted.iter().map(loss).collect()
}

/// Losses as diagnostics of a file, one per kind.
pub fn loss_diagnostics(losses: &[ConversionLoss], file: &str) -> Vec<Diagnostic> {
    let sentences = loss::summarize(losses).into_iter();
    sentences.map(|text| Diagnostic::warning(Location::file(file), text)).collect()
}

/// Converts all chains.
pub fn convert(document: &Document, character: &Character, to: SolverKind) -> Conversion {
    convert_chains(document, character, &document.chains.keys().copied().collect(), to)
}

/// Converts these chains to `to`, except chains that already use that solver. The target is the first system with that
/// solver. Without such a system, the target is the first system of the document if no other chain uses it, or else a
/// new system. Systems that lose all chains are removed.
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
    let nothing = document.chains.is_empty() && document.main_system().solver != to;
    if moved.is_empty() && !nothing {
        return Conversion { after, losses: Vec::new() };
    }
    let into = document.system_with_solver(to).map(|(id, _)| id);
    let into = into.or_else(|| (!stays(document.main_system_id())).then(|| document.main_system_id()));
    let into = into.unwrap_or_else(|| document.next_system_id());
    let left = |id: &SystemId| *id != into && !stays(*id) && moved.iter().any(|c| document.chains[c].system == *id);
    after.systems.retain(|id, _| !left(id));
    let is_fresh = after.systems.get(&into).is_none_or(|system| system.solver != to);
    if is_fresh {
        let mut system = System::with_solver(to);
        if to == SolverKind::Vrm {
            // Only characters from VRM 0.x files face -Z.
            system.values.set(vrm::VERSION, f32::from(u8::from(character.facing == Facing::MinusZ)));
        }
        system.component = moved.iter().find_map(|id| document.system_of(&document.chains[id]).component);
        after.systems.insert(into, system);
    }
    let rest = WorldPose::from_pose(&character.skeleton, &Pose::rest(&character.skeleton));
    let masses = to.info().center_of_mass_params.map(|rows| (rows, CentersOfMass::from_character(character, &rest)));
    let mut converting = Converter {
        before: document,
        character,
        rest,
        converted: moved,
        target_system: into,
        after,
        centers_of_mass: masses,
        radii: BTreeMap::new(),
        losses: Vec::new(),
    };
    converting.convert_colliders();
    if is_fresh {
        converting.init_target_system();
    } else {
        converting.report_system_effects();
    }
    for id in converting.converted.clone() {
        converting.convert_chain(id);
    }
    converting.report_global_losses();
    let Converter { mut after, losses, converted: moved, radii, .. } = converting;
    if to == SolverKind::JointDynamics {
        network::assign_networks(&mut after, character, into, &moved);
        set_point_radii(&mut after, &radii);
    }
    add_limit_pivots(&mut after, character, &moved, to);
    Conversion { after, losses }
}

struct Converter<'a> {
    before: &'a Document,
    character: &'a Character,
    rest: WorldPose,
    converted: BTreeSet<ChainId>,
    target_system: SystemId,
    after: Document,
    /// The centers of mass with their parameters. `None` if the target solver does not use centers of mass.
    centers_of_mass: Option<([ParamId; 3], CentersOfMass)>,
    /// The hit radius of each converted joint with a radius, in metres.
    radii: BTreeMap<BoneId, f32>,
    losses: Vec<ConversionLoss>,
}

impl Converter<'_> {
    fn target(&self) -> &System {
        &self.after.systems[&self.target_system]
    }

    /// The converted chains, in their state before the conversion.
    fn converted_chains(&self) -> impl Iterator<Item = (ChainId, &Chain)> {
        self.converted.iter().map(|id| (*id, &self.before.chains[id]))
    }

    fn source_systems(&self) -> BTreeSet<SystemId> {
        self.converted_chains().map(|(_, chain)| chain.system).collect()
    }

    /// Only VRM has groups. For other solvers, each joint gets the colliders of its chain's groups.
    fn convert_colliders(&mut self) {
        let to = self.target().solver;
        let used: BTreeSet<_> = self
            .converted_chains()
            .flat_map(|(_, chain)| chain.joints.iter().flat_map(|j| self.before.colliders_of(chain, j)))
            .collect();
        for (id, collider) in &self.before.colliders {
            let is_meant = used.contains(id) || self.converted.len() == self.before.chains.len();
            if is_meant && !to.info().supports_shape(&collider.shape) {
                self.losses.push(ConversionLoss::UnsupportedShape { collider: collider.name.clone() });
            }
        }
        if groups::are_supported(to) {
            return self.create_groups();
        }
        for id in &self.converted {
            let chain = &self.before.chains[id];
            let Some(made) = self.after.chains.get_mut(id) else { continue };
            for (joint, old) in made.joints.iter_mut().zip(&chain.joints) {
                let mut seen = BTreeSet::new();
                joint.colliders = self.before.colliders_of(chain, old).filter(|c| seen.insert(*c)).collect();
            }
            made.groups.clear();
        }
        let named: BTreeSet<_> = self.after.chains.values().flat_map(|c| &c.groups).copied().collect();
        let was: BTreeSet<_> = self.converted_chains().flat_map(|(_, c)| &c.groups).copied().collect();
        let all_moved = self.converted.len() == self.before.chains.len();
        let is_kept = |id: &GroupId| named.contains(id) || !(all_moved || was.contains(id));
        let numbers: BTreeMap<GroupId, usize> = self.before.groups.keys().copied().zip(1..).collect();
        for (id, group) in self.after.groups.extract_if(.., |id, _| !is_kept(id)) {
            let name = if group.name.is_empty() { format!("#{}", numbers[&id]) } else { group.name };
            self.losses.push(ConversionLoss::ColliderGroup { group: name, is_used: was.contains(&id) });
        }
    }

    /// Creates one group per distinct set of colliders.
    fn create_groups(&mut self) {
        let mut made = BTreeMap::new();
        for id in &self.converted {
            let chain = &self.before.chains[id];
            let mut seen = BTreeSet::new();
            let lists = || chain.joints.iter().map(|j| &j.colliders);
            let all: Vec<_> = lists().flatten().copied().filter(|c| seen.insert(*c)).collect();
            if lists().any(|list| !same_set(list, &all)) {
                self.losses.push(ConversionLoss::PerJointColliders { chain: chain.name.clone() });
            }
            if all.is_empty() {
                continue;
            }
            let group = *made.entry(all.clone()).or_insert_with(|| {
                let group = self.after.next_group_id();
                let name = chain.name.clone();
                self.after
                    .groups
                    .insert(group, crate::document::ColliderGroup { name, colliders: all, source_index: None });
                group
            });
            if let Some(made) = self.after.chains.get_mut(id) {
                made.groups.push(group);
                made.joints.iter_mut().for_each(|j| j.colliders.clear());
            }
        }
    }

    /// The lengths of a chain's joints. A leaf has the length that the source or the target solver defines for leaves.
    fn lengths(&self, chain: &Chain) -> Vec<f32> {
        let leaf =
            [self.before.solver_of(chain), self.target().solver].iter().find_map(|solver| solver.info().leaf_length);
        nonzero_joint_lengths(chain, &self.character.skeleton, &self.rest, leaf)
    }

    /// Sets the values of a new target system, which all joints share.
    fn init_target_system(&mut self) {
        let mut joints = Vec::new();
        for (_, chain) in self.converted_chains() {
            let responses = self
                .target_responses(chain)
                .into_iter()
                .map(|response| flip_vrm0_acceleration(self.target(), response));
            joints.extend(responses.zip(self.lengths(chain)));
        }
        let to = self.target();
        let values = to.solver.system_params_for(&joints, &to.values, FRAME_SECONDS);
        if let Some(system) = self.after.systems.get_mut(&self.target_system) {
            for (param, value) in values.into_iter().filter(|(_, value)| value.is_finite()) {
                system.values.set(param, value);
            }
        }
    }

    /// Reports values of an existing target system that affect the converted chains.
    fn report_system_effects(&mut self) {
        let to = self.target();
        let acts = |(param, def): &(ParamId, &ParamDef)| {
            def.scope == ParamScope::System
                && !def.extension
                && def.meaning != ParamMeaning::Gravity
                && to.get(*param) != def.default
        };
        let feel_params = params_written_by_feel(to);
        let found: Vec<ConversionLoss> = enumerate_params(to.param_defs())
            .filter(|found| acts(found) && !feel_params.contains(&found.0))
            .map(|(_, def)| ConversionLoss::SystemApplies { label: def.label })
            .collect();
        self.losses.extend(found);
    }

    fn convert_chain(&mut self, id: ChainId) {
        let old = &self.before.chains[&id];
        let (table, solver) = (self.target().param_defs(), self.target().solver);
        let lengths = self.lengths(old);
        let carried = unit_mass_inertias(old, &lengths, &self.character.skeleton, &self.rest);
        let now = self.after.chains.remove(&id).unwrap_or_else(|| old.clone());
        let mut made = Chain {
            system: self.target_system,
            groups: now.groups,
            ..Chain::new(now.name, now.part, table, Vec::new())
        };
        (made.curve_domain, made.center, made.source_index) = (now.curve_domain, now.center, now.source_index);
        let mut joints = now.joints;
        let wanted = self.target_responses(old);
        let parts = wanted.iter().zip(&joints).enumerate();
        let mut values: Vec<ParamSet> =
            parts.map(|(at, (s, joint))| self.joint_params(s, lengths[at], carried[at], joint)).collect();
        let to_vrm = solver == SolverKind::Vrm;
        let old_vrm = vrm::is_version_0(solver, &self.target().values);
        let radii = wanted.iter().zip(&joints).filter_map(|(response, joint)| Some((joint.bone, response.radius?)));
        self.radii.extend(radii.filter(|(_, radius)| *radius != 0.0));
        let exact = values.clone();
        if old_vrm {
            average_params(&mut values);
        }
        let mut pulls = Vec::new();
        for (at, joint) in joints.iter_mut().enumerate() {
            joint.overrides.clear();
            joint.limit = wanted[at].max_angle_deg.filter(|_| to_vrm && !old_vrm).map(cone_limit);
            // The loss caused by averaging is reported per chain.
            let now = response_input(&exact[at], &self.target().values, lengths[at], carried[at]);
            let mut found = flip_vrm0_acceleration(self.target(), solver.response(&now));
            found.max_angle_deg = joint.limit.map_or(found.max_angle_deg, |_| wanted[at].max_angle_deg);
            let bone = bone_name(&self.character.skeleton, joint.bone).to_owned();
            if let Some(cone) =
                found.max_angle_deg.filter(|_| old.joints[at].limit.is_some_and(|limit| is_not_plain_cone(&limit)))
            {
                self.losses.push(ConversionLoss::LimitShapeLost { bone: bone.clone(), cone_degrees: cone });
            }
            let (pull, others): (Vec<ConversionLoss>, Vec<ConversionLoss>) =
                loss::response_losses(&bone, &wanted[at], &found)
                    .into_iter()
                    .partition(ConversionLoss::is_weight_change);
            self.losses.extend(others);
            pulls.push((!pull.is_empty(), wanted[at].acceleration, found.acceleration));
        }
        self.losses.extend(loss::chain_weight_loss(&made.name, &pulls));
        if old_vrm {
            let bones: Vec<&str> = joints.iter().map(|joint| bone_name(&self.character.skeleton, joint.bone)).collect();
            self.losses.extend(loss::largest_deviation(&made.name, &bones, table, &exact, &values));
        }
        if made.center.is_some() && !to_vrm {
            self.losses.push(ConversionLoss::Center { chain: made.name.clone() });
        }
        if let Some(material) = self.before.material_of(old) {
            self.losses.push(ConversionLoss::Material { chain: made.name.clone(), material: material.name.clone() });
        }
        set_chain_values(&mut made, joints, &values);
        apply_default_curves(&mut made, self.target());
        self.after.chains.insert(id, made);
    }

    /// The parameter values with which a joint has this response.
    fn joint_params(&self, response: &SpringResponse, length: f32, carried_inertia: f32, joint: &Joint) -> ParamSet {
        let to = self.target();
        let mut set = ParamSet::defaults(to.param_defs());
        let head = self.rest.frames.get(joint.bone.index());
        let tip = estimated_tip_position(joint, length, &self.character.skeleton, &self.rest);
        if let (Some(head), Some(tip)) = (head, tip) {
            for (param, value) in to.solver.rigid_body_params(head.inverse_transform_point(tip), &to.values) {
                set.set(param, value);
            }
        }
        if let Some((rows, masses)) = &self.centers_of_mass
            && let Some(center) = masses.center(joint, length, self.character, &self.rest)
        {
            for (param, value) in rows.iter().zip(center.to_array()) {
                set.set(*param, value);
            }
        }
        let now = response_input(&set, &to.values, length, carried_inertia);
        let wanted = suppress_target_defaults(*response, &to.solver.response(&now));
        let values = to.solver.params_for(&flip_vrm0_acceleration(to, wanted), &now);
        for (param, value) in values.into_iter().filter(|(_, value)| value.is_finite()) {
            set.set(param, value);
        }
        set
    }

    /// The responses that a chain should have with the target solver.
    fn target_responses(&self, chain: &Chain) -> Vec<SpringResponse> {
        let skeleton = &self.character.skeleton;
        let positions = self.before.curve_positions_in_pose(chain, &self.rest, skeleton);
        let lengths = self.lengths(chain);
        let carried = unit_mass_inertias(chain, &lengths, skeleton, &self.rest);
        let joints = chain.joints.iter().enumerate();
        let mut responses: Vec<SpringResponse> = joints
            .clone()
            .map(|(at, _)| self.current_response(chain, at, positions[at], lengths[at], carried[at]))
            .collect();
        let parent =
            |at: usize, bone| chain.joints[..at].iter().rposition(|above| skeleton.is_known_ancestor(above.bone, bone));
        let links: Vec<ChainJoint> =
            joints.map(|(at, joint)| ChainJoint { parent: parent(at, joint.bone), length: lengths[at] }).collect();
        let [from, to] = [self.before.solver_of(chain), self.target().solver].map(|solver| solver.info().rest_target);
        convert_rest_target(&mut responses, &links, from, to, FRAME_SECONDS);
        responses
    }

    /// The response of a joint before the conversion, including VRM's limits.
    fn current_response(
        &self,
        chain: &Chain,
        at: usize,
        curve_position: f32,
        length: f32,
        carried_inertia: f32,
    ) -> SpringResponse {
        let system = self.before.system_of(chain);
        let set = chain.joint_params(system.param_defs(), at, curve_position);
        let now = response_input(&set, &system.values, length, carried_inertia);
        let mut response = flip_vrm0_acceleration(system, system.solver.response(&now));
        let joint = &chain.joints[at];
        if let ComponentLists::JointDynamics(own) = &system.component_lists {
            response.radius = own.points.get(&joint.bone).map(|point| point.radius);
        }
        if system.solver == SolverKind::Vrm {
            response.max_angle_deg = joint.limit.map(|limit| min_swing_angle(limit.shape).to_degrees());
            // Motion of the center has no effect on the joint.
            response.ignored_motion = chain.center.map(|_| 1.0);
        }
        response
    }

    /// Reports losses that do not belong to a single joint.
    fn report_global_losses(&mut self) {
        for id in self.source_systems() {
            let losses = self.system_losses(id);
            self.losses.extend(losses);
        }
        let (before, to) = (self.before, self.target().solver);
        let tied =
            self.converted_chains().flat_map(|(_, c)| &c.joints).filter(|j| !j.length_targets.is_empty()).count();
        if tied > 0 && !to.info().uses_pivots {
            self.losses.push(ConversionLoss::LengthTargets { bones: tied });
        }
        if to == SolverKind::Vrm && !before.forces.is_empty() {
            self.losses.push(ConversionLoss::Forces { count: before.forces.len() });
        }
        if to == SolverKind::Vrm && !before.high_legs.is_empty() {
            self.losses.push(ConversionLoss::HighLegs { count: before.high_legs.len() });
        }
    }

    /// The losses of a source system: values of the system and its joints that the conversion drops.
    fn system_losses(&self, id: SystemId) -> Vec<ConversionLoss> {
        let system = &self.before.systems[&id];
        let feel_params = params_written_by_feel(system);
        let mut losses = self.list_losses(id, system);
        for (param, def) in enumerate_params(system.param_defs()) {
            let carried = match def.meaning {
                ParamMeaning::Radius if def.scope == ParamScope::Joint => self.keeps_radii(),
                ParamMeaning::Gravity if def.scope == ParamScope::System => true,
                _ => feel_params.contains(&param),
            };
            match def.scope {
                ParamScope::System if carried || def.extension => {}
                ParamScope::System if system.get(param) != def.default => {
                    losses.push(ConversionLoss::SystemValue { label: def.label });
                }
                ParamScope::Joint if !carried => {
                    let bones = self.count_bones_with_other_value(id, param, def.default);
                    if bones > 0 && !has_param_for(self.target().solver, def.meaning) {
                        losses.push(ConversionLoss::JointValue { label: def.label, bones });
                    }
                }
                _ => {}
            }
        }
        losses
    }

    /// Whether joints of the target solver have a hit radius.
    fn keeps_radii(&self) -> bool {
        let to = self.target().solver;
        to == SolverKind::JointDynamics || has_param_for(to, ParamMeaning::Radius)
    }

    /// The losses of component lists: lists of removed systems, and points whose joints left their system.
    fn list_losses(&self, id: SystemId, system: &System) -> Vec<ConversionLoss> {
        let stays = self.after.systems.get(&id).is_some_and(|after| after.solver == system.solver);
        let count = |side: ListKind| match &system.component_lists {
            ComponentLists::JointDynamics(own) if !stays && side == ListKind::Points && self.keeps_radii() => {
                // A point that has only a radius loses nothing.
                let has_more = |point: &&JointDynamicsPoint<Node>| {
                    JointDynamicsPoint { radius: 0.0, ..**point } != JointDynamicsPoint::default()
                };
                own.points.values().filter(has_more).count()
            }
            extras if !stays => extras.entry_count(side),
            ComponentLists::JointDynamics(own) if side == ListKind::Points => {
                let moved = self.converted_chains().flat_map(|(_, chain)| &chain.joints);
                moved.filter(|joint| own.points.contains_key(&joint.bone)).count()
            }
            _ => 0,
        };
        let lists = ListKind::ALL.into_iter().map(|side| (side, count(side)));
        lists
            .filter(|(_, count)| *count > 0)
            .map(|(side, count)| ConversionLoss::ComponentList { list: side, count })
            .collect()
    }

    fn count_bones_with_other_value(&self, system: SystemId, param: ParamId, default: f32) -> usize {
        let differs = |chain: &Chain| {
            let positions = self.before.curve_positions_in_pose(chain, &self.rest, &self.character.skeleton);
            (0..chain.joints.len()).filter(|at| chain.joint_value(*at, param, positions[*at]) != default).count()
        };
        self.converted_chains().filter(|(_, chain)| chain.system == system).map(|(_, chain)| differs(chain)).sum()
    }
}

/// Stores hit radii in the points of their systems.
fn set_point_radii(after: &mut Document, radii: &BTreeMap<BoneId, f32>) {
    let Setup { chains, systems, .. } = &mut after.setup;
    for chain in chains.values() {
        let Some(system) = systems.get_mut(&chain.system) else { continue };
        let ComponentLists::JointDynamics(own) = &mut system.component_lists else { continue };
        for joint in &chain.joints {
            if let Some(radius) = radii.get(&joint.bone) {
                own.points.entry(joint.bone).or_default().radius = *radius;
            }
        }
    }
}

fn has_param_for(to: SolverKind, idea: ParamMeaning) -> bool {
    to.info().params.iter().any(|def| def.scope == ParamScope::Joint && def.meaning == idea && !def.extension)
}

/// Overrides the target's defaults for terms that the source lacks, so no motion is ignored and no limit is active.
fn suppress_target_defaults(mut response: SpringResponse, defaults: &SpringResponse) -> SpringResponse {
    if defaults.ignored_motion.is_some() {
        response.ignored_motion = response.ignored_motion.or(Some(0.0));
    }
    if defaults.max_angle_deg.is_some_and(|reach| reach < UNLIMITED_ANGLE_DEG) {
        response.max_angle_deg = response.max_angle_deg.or(Some(UNLIMITED_ANGLE_DEG));
    }
    response
}

/// Returns the chains whose solver differs between the documents.
pub fn chains_with_new_solver(before: &Document, after: &Document) -> BTreeSet<ChainId> {
    let solver = |document: &Document, id| document.chains.get(id).map(|chain| document.solver_of(chain));
    after.chains.keys().filter(|id| solver(before, id) != solver(after, id)).copied().collect()
}

fn cone_limit(reach_deg: f32) -> SwingLimit {
    SwingLimit { shape: SwingShape::Cone { angle: reach_deg.to_radians() }, rotation: Quat::IDENTITY }
}

/// Whether two lists are equal as sets.
pub fn same_set<T: Ord>(a: &[T], b: &[T]) -> bool {
    a.iter().collect::<BTreeSet<_>>() == b.iter().collect::<BTreeSet<_>>()
}

/// Whether a limit is not a cone about the rest direction.
fn is_not_plain_cone(limit: &SwingLimit) -> bool {
    !matches!(limit.shape, SwingShape::Cone { .. }) || limit.rotation.xyz().length() > RELATIVE_TOLERANCE
}

/// Converts the acceleration between VRM and world space. VRM 0.x files use Unity's space with reversed Z. The solver
/// uses the values of the file, unlike `UniVRM`'s migration.
fn flip_vrm0_acceleration(system: &System, mut response: SpringResponse) -> SpringResponse {
    if vrm::is_version_0(system.solver, &system.values) {
        response.acceleration.z = 0.0 - response.acceleration.z;
    }
    response
}

/// The angle that a limit allows in all directions, in radians.
fn min_swing_angle(shape: SwingShape) -> f32 {
    match shape {
        SwingShape::Cone { angle } | SwingShape::Hinge { angle } => angle,
        SwingShape::Spherical { pitch, yaw } => pitch.min(yaw),
    }
}

/// Replaces the values of all joints with their mean. VRM 0.x has one set of values per tree.
fn average_params(values: &mut [ParamSet]) {
    let count = values.len().max(1) as f32;
    for param in (0..values.first().map_or(0, ParamSet::len)).map(|i| ParamId(i as u16)) {
        let mean = values.iter().map(|set| set.get(param)).sum::<f32>() / count;
        for set in &mut *values {
            set.set(param, mean);
        }
    }
}

/// The name of a bone, or an empty string if the bone is missing.
fn bone_name(skeleton: &Skeleton, bone: BoneId) -> &str {
    skeleton.bones().get(bone.index()).map_or("", |b| b.name.as_str())
}

/// The document with averaged joint values in each VRM chain, and one loss for each chain with unequal joints. Limits
/// stay unchanged, although VRM 0.x does not support limits either.
pub fn average_joint_values(document: &Document, skeleton: &Skeleton) -> (Document, Vec<ConversionLoss>) {
    let mut after = document.clone();
    let mut losses = Vec::new();
    for (id, chain) in document.chains_with_solver(SolverKind::Vrm) {
        let (table, places) = (document.param_defs_of(chain), chain.curve_positions(skeleton));
        let exact: Vec<ParamSet> =
            (0..chain.joints.len()).map(|at| chain.joint_params(table, at, places[at])).collect();
        let mut means = exact.clone();
        average_params(&mut means);
        if exact.iter().all(|set| exact.first() == Some(set)) {
            continue;
        }
        let bones: Vec<&str> = chain.joints.iter().map(|joint| bone_name(skeleton, joint.bone)).collect();
        losses.extend(loss::largest_deviation(&chain.name, &bones, table, &exact, &means));
        let mut made = Chain::new(chain.name.clone(), chain.part, table, Vec::new());
        let joints = chain.joints.iter().map(|joint| Joint { overrides: BTreeMap::new(), ..joint.clone() }).collect();
        set_chain_values(&mut made, joints, &means);
        after.chains.entry(id).and_modify(|chain| (chain.values, chain.joints) = (made.values, made.joints));
    }
    (after, losses)
}

/// Writes values that all joints share to the chain, and other values to overrides.
fn set_chain_values(chain: &mut Chain, mut joints: Vec<Joint>, values: &[ParamSet]) {
    let rows = (0..chain.values.len()).map(|i| ParamId(i as u16));
    for param in rows {
        let values = || values.iter().map(|set| set.get(param));
        if let Some(all) = common_value(values()) {
            chain.values[param.index()].base = all;
        } else {
            for (joint, value) in joints.iter_mut().zip(values()) {
                joint.overrides.insert(param, value);
            }
        }
    }
    chain.joints = joints;
}

/// Creates pivots for joints with active limits.
fn add_limit_pivots(after: &mut Document, character: &Character, chains: &BTreeSet<ChainId>, solver: SolverKind) {
    let bare = |chain: &Chain| -> Vec<BoneId> {
        let limited = |at: &usize| solver.info().has_active_pivot_limit(|param| chain.joint_value(*at, param, 0.0));
        let joints = (0..chain.joints.len()).filter(limited).map(|at| &chain.joints[at]);
        joints.filter(|j| j.pivot.is_none()).map(|j| j.bone).collect()
    };
    let bones: Vec<BoneId> = chains.iter().filter_map(|id| after.chains.get(id)).flat_map(bare).collect();
    if !bones.is_empty() {
        let edit = pivot::align_pivots(after, &character.skeleton, &bones);
        // If the document rejects the edit, the limits use the frame of the parent, as in Unity.
        _ = after.apply(edit);
    }
}
