//! Searches fixes for the findings of motions. A fix is offered only if a simulation with it no longer has the symptom.

use super::{DoctorJob, DoctorStep, Fight, Symptoms};
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use yuremono_model::document::param_edits::EditTargets;
use yuremono_model::document::{ChainId, Document, Edit, difference};
use yuremono_model::feel::params::FeelContext;
use yuremono_model::tools::body::hit_radius_param;
use yuremono_model::tools::doctor::{JointValue, reduced_radius, set_joint_values};
use yuremono_model::tools::swing_limits::{angle, set_limits, with_angle};
use yuremono_sim::params::ParamId;
use yuremono_sim::rig::BoneId;
use yuremono_sim::rig::{AngleKind, JointAngle};
use yuremono_sim::{FeelParam, SwingLimit};

/// Smallest factor of a speed. If a chain still shakes at this speed, the speed is not the cause.
const MIN_SPEED_FACTOR: f32 = 0.05;
/// Number of halvings of the range in which the largest calm speed lies. The result is at most 5 % too slow.
const SEARCH_STEPS: usize = 6;
/// Number of times that the overlap of colliders and limits is measured and removed. Each time removes twice as much of it
/// as the time before, because a limit that is pushed yields: the first overlaps are only a part of the whole overlap.
const MAX_ROUNDS: usize = 6;
/// A limit that turns the bone by less does not push, in degrees.
const MIN_TURN_DEG: f32 = 0.05;
/// A limit is widened by this much more than measured, in degrees.
const LIMIT_MARGIN_DEG: f32 = 0.5;

/// Lower speeds of the chains that shake.
pub(super) struct SlowerChains {
    pub(super) edit: Edit,
    /// The smallest factor of a speed.
    factor: f32,
}

impl SlowerChains {
    /// The smallest factor in percent.
    pub(super) fn percent(&self) -> String {
        format!("{:.0}", 100.0 * self.factor)
    }
}

/// The caller has cancelled the job.
struct Cancelled;

/// The fix of each finding; `None` if there is no fix.
pub(super) struct MotionFixes {
    pub(super) jitters: Option<SlowerChains>,
    pub(super) fights: Option<Edit>,
}

/// Finds the fixes of what a job has observed.
pub(super) struct FixSearch<'a> {
    job: &'a DoctorJob,
    progress: &'a dyn Fn(f32) -> bool,
    /// Number of steps that are done, and the largest number of steps.
    done: Cell<usize>,
    planned: usize,
}

impl<'a> FixSearch<'a> {
    /// Returns the fixes for some symptoms. `progress` is that of [`DoctorJob::run`].
    pub(super) fn run(
        job: &'a DoctorJob,
        symptoms: &[Symptoms],
        progress: &'a dyn Fn(f32) -> bool,
    ) -> Option<MotionFixes> {
        let jitters: BTreeSet<BoneId> = symptoms.iter().flat_map(Symptoms::jittering_bones).collect();
        let has_fight = |found: &&Symptoms| !found.fights.is_empty();
        let fighting: Vec<DoctorStep> = symptoms.iter().filter(has_fight).map(|found| found.step).collect();
        let simulations = if jitters.is_empty() { 0 } else { SEARCH_STEPS + 2 };
        let planned = simulations + fighting.len() * MAX_ROUNDS;
        let search = Self { job, progress, done: Cell::new(0), planned };
        search.find(&jitters, &fighting, symptoms).ok()
    }

    fn find(
        &self,
        jitters: &BTreeSet<BoneId>,
        fighting: &[DoctorStep],
        symptoms: &[Symptoms],
    ) -> Result<MotionFixes, Cancelled> {
        let jitters = if jitters.is_empty() { None } else { self.slow_down(jitters)? };
        let fights = if fighting.is_empty() { None } else { self.separate(fighting, symptoms)? };
        Ok(MotionFixes { jitters, fights })
    }

    /// Does steps with another document.
    fn observe(&self, document: Document, steps: &[DoctorStep]) -> Result<Vec<Symptoms>, Cancelled> {
        let job = self.job.with_document(document, steps);
        let mut symptoms = Vec::new();
        for step in steps {
            let before = self.done.get();
            let share = |part: f32| (before as f32 + part) / self.planned.max(1) as f32;
            let observed = job.observe(*step, &|part| (self.progress)(share(part))).ok_or(Cancelled)?;
            // A motion without frames had no symptoms before either.
            symptoms.extend(observed);
            self.done.set(before + 1);
        }
        Ok(symptoms)
    }

    /// Searches the largest speed of each chain with which nothing shakes any more in the still pose.
    fn slow_down(&self, shaking: &BTreeSet<BoneId>) -> Result<Option<SlowerChains>, Cancelled> {
        let (document, skeleton) = (self.job.player.document(), &self.job.player.character().skeleton);
        let context = FeelContext::new(document, skeleton).with_frame_seconds(self.job.player.pace().0 as f32);
        let chains_of = |bones: &mut dyn Iterator<Item = BoneId>| -> BTreeSet<ChainId> {
            bones.filter_map(|bone| Some(document.find_joint(bone)?.0)).collect()
        };
        let edit = |factors: &BTreeMap<ChainId, f32>| {
            let slower = |(id, factor): (&ChainId, &f32)| {
                let targets = EditTargets { chains: vec![*id], joints: Vec::new() };
                context.scale_feel(&targets, FeelParam::Speed, *factor)
            };
            Edit::Batch(factors.iter().map(slower).collect())
        };
        let shaking_with = |factors: &BTreeMap<ChainId, f32>| -> Result<BTreeSet<ChainId>, Cancelled> {
            let mut slower = document.clone();
            // An edit that the document rejects changes nothing, so the chains still shake.
            _ = slower.apply(edit(factors));
            let symptoms = self.observe(slower, &[DoctorStep::Rest])?;
            Ok(chains_of(&mut symptoms.iter().flat_map(Symptoms::jittering_bones)))
        };
        let chains = chains_of(&mut shaking.iter().copied());
        if chains.iter().any(|id| context.unavailable_reason(*id, FeelParam::Speed).is_some()) {
            return Ok(None);
        }
        let mut low: BTreeMap<ChainId, f32> = chains.iter().map(|id| (*id, MIN_SPEED_FACTOR)).collect();
        let mut high: BTreeMap<ChainId, f32> = chains.iter().map(|id| (*id, 1.0)).collect();
        if !shaking_with(&low)?.is_empty() {
            return Ok(None);
        }
        for _ in 0..SEARCH_STEPS {
            let middle: BTreeMap<_, _> = low.iter().map(|(id, low)| (*id, (low * high[id]).sqrt())).collect();
            let shaking = shaking_with(&middle)?;
            for (id, middle) in middle {
                let end = if shaking.contains(&id) { &mut high } else { &mut low };
                end.insert(id, middle);
            }
        }
        // The chains were slowed down together, but each stops at its own speed.
        if !shaking_with(&low)?.is_empty() {
            return Ok(None);
        }
        let factor = low.values().copied().fold(1.0, f32::min);
        Ok(Some(SlowerChains { edit: edit(&low), factor }))
    }

    /// Removes the overlap of colliders and limits: by the hit radius or by the limit, whichever is the smaller change.
    fn separate(&self, steps: &[DoctorStep], symptoms: &[Symptoms]) -> Result<Option<Edit>, Cancelled> {
        let before = self.job.player.document();
        let mut document = before.clone();
        let mut fights = all_fights(symptoms);
        for round in 0..MAX_ROUNDS {
            for (bone, fight) in &fights {
                let edit = self.separate_joint(&document, *bone, &fight.scaled((1 << round) as f32));
                if edit.is_none_or(|edit| document.apply(edit).is_err()) {
                    return Ok(None);
                }
            }
            fights = all_fights(&self.observe(document.clone(), steps)?);
            if fights.is_empty() {
                return Ok(Some(difference(before, &document)));
            }
        }
        Ok(None)
    }

    fn separate_joint(&self, document: &Document, bone: BoneId, fight: &Fight) -> Option<Edit> {
        let (chain, at) = document.find_joint(bone)?;
        let joint = FightingJoint { document, chain, at, bone };
        let shrink = || joint.shrink(self, fight);
        let widen = || joint.widen(self, fight);
        if fight.collision <= fight.limit { shrink().or_else(widen) } else { widen().or_else(shrink) }
    }
}

/// Joins the fights of all steps: the largest overlap of each joint.
fn all_fights(symptoms: &[Symptoms]) -> BTreeMap<BoneId, Fight> {
    let mut all: BTreeMap<BoneId, Fight> = BTreeMap::new();
    for (bone, fight) in symptoms.iter().flat_map(|found| &found.fights) {
        all.entry(*bone).or_default().combine(fight, f32::max);
    }
    all
}

/// Returns the index of an angle in the limit of a VRM joint.
const fn swing_index(kind: AngleKind) -> Option<usize> {
    match kind {
        AngleKind::Cone | AngleKind::Pitch => Some(0),
        AngleKind::Yaw => Some(1),
        AngleKind::Limit(_) | AngleKind::Hinge | AngleKind::FromRest => None,
    }
}

/// A joint between a collider and an angle limit.
struct FightingJoint<'a> {
    document: &'a Document,
    chain: ChainId,
    at: usize,
    bone: BoneId,
}

impl FightingJoint<'_> {
    /// Returns the value of a parameter of the joint in a document.
    fn value(&self, search: &FixSearch<'_>, document: &Document, param: ParamId) -> Option<f32> {
        let resolved = document.resolve(&search.job.player.character().skeleton);
        let position = *resolved.curve_positions.get(&self.chain)?.get(self.at)?;
        Some(document.chains.get(&self.chain)?.joint_value(self.at, param, position))
    }

    fn joint_value(&self, param: ParamId, value: f32) -> JointValue {
        JointValue { chain: self.chain, bone: self.bone, param, value }
    }

    /// Reduces the hit radius by the movement of the collision.
    fn shrink(&self, search: &FixSearch<'_>, fight: &Fight) -> Option<Edit> {
        let skeleton = &search.job.player.character().skeleton;
        let param = hit_radius_param(self.document, &self.document.chains[&self.chain])?;
        let original = self.value(search, search.job.player.document(), param)?;
        let removed = original - self.value(search, self.document, param)?;
        let radius = reduced_radius(original, removed + fight.collision)?;
        set_joint_values(self.document, skeleton, &[self.joint_value(param, radius)])
    }

    /// Widens the limit by the angle by which it turns the bone back.
    fn widen(&self, search: &FixSearch<'_>, fight: &Fight) -> Option<Edit> {
        let angles = search.job.angles.get(&self.bone)?;
        let pushes = |turn: &f32| *turn > MIN_TURN_DEG;
        let turned: Vec<_> = angles.iter().zip(&fight.turns).filter(|(_, turns)| turns.iter().any(pushes)).collect();
        let swing = turned.iter().filter_map(|(angle, turns)| Some((swing_index(angle.kind)?, *turns)));
        let swing: Vec<_> = swing.map(|(at, [below, above])| (at, below.max(*above) + LIMIT_MARGIN_DEG)).collect();
        if !swing.is_empty() {
            let widen_one = |limit: SwingLimit, (at, more): &(usize, f32)| {
                with_angle(limit, *at, angle(limit.shape, *at) + more.to_radians())
            };
            let widened = |_, limit: Option<SwingLimit>| limit.map(|limit| swing.iter().fold(limit, widen_one));
            return Some(set_limits(self.document, &[(self.chain, self.bone)], widened));
        }
        let edits: Option<Vec<Edit>> =
            turned.iter().map(|(angle, turns)| self.widen_angle(search, angle, **turns)).collect();
        edits.filter(|edits| !edits.is_empty()).map(Edit::Batch)
    }

    fn widen_angle(&self, search: &FixSearch<'_>, joint_angle: &JointAngle, [below, above]: [f32; 2]) -> Option<Edit> {
        let (document, skeleton) = (self.document, &search.job.player.character().skeleton);
        match joint_angle.kind {
            AngleKind::Limit(active) => {
                let solver = document.solver_of(&document.chains[&self.chain]);
                let limit = solver.info().pivot_limits.iter().find(|limit| limit.params.active == active)?;
                let ends = [(limit.params.min, below, -1.0), (limit.params.max, above, 1.0)];
                let moved = ends.into_iter().filter(|(_, turn, _)| *turn > MIN_TURN_DEG).map(|(param, turn, side)| {
                    let range = solver.info().params[param.index()].range;
                    let value = self.value(search, document, param)? + side * (turn + LIMIT_MARGIN_DEG);
                    Some(self.joint_value(param, value.clamp(range.0, range.1)))
                });
                set_joint_values(document, skeleton, &moved.collect::<Option<Vec<_>>>()?)
            }
            // Limits of VRM are widened together, see `widen`.
            AngleKind::Cone | AngleKind::Pitch | AngleKind::Yaw => None,
            AngleKind::Hinge | AngleKind::FromRest => {
                let context = FeelContext::new(document, skeleton);
                let more = below.max(above) + LIMIT_MARGIN_DEG;
                let now = context.joint_value(self.chain, self.bone, FeelParam::MaxAngle)?;
                let targets = EditTargets { chains: Vec::new(), joints: vec![(self.chain, self.bone)] };
                Some(context.set_feel(&targets, FeelParam::MaxAngle, now + more))
            }
        }
    }
}
