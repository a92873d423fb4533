//! What a solver does with a row: why it has no effect, and what goes beyond the original engine.

use super::{Inspection, Values};
use crate::document::{ChainId, Joint, groups};
use crate::schema::{Group, Idea, Kind, Row, Scope};
use crate::sim::solver::vrm::{self, Preview};
use crate::sim::{ForceKind, JointPart, Origin, Remark, SolverKind, TunedJoints};

impl Inspection<'_> {
    /// Why the targets' value of a row does nothing, or not what it seems to do; `None` where it acts as it says.
    pub fn remark(self, row: Row) -> Option<Remark> {
        let remark = self.solver_remark(row);
        // That a number does nothing comes before that it is wrong.
        let range = self.left_range(row).filter(|_| remark.is_none_or(Remark::acts));
        range.map(|(low, high)| Remark::OutOfRange([low, high])).or(remark)
    }

    /// The range of a row that the targets' values leave; `None` where they keep it.
    fn left_range(self, row: Row) -> Option<(f32, f32)> {
        let view = self.row_view(row);
        let (low, high) = match view.values {
            Values::None => return None,
            Values::Same(value) => (value, value),
            Values::Mixed { low, high } => (low, high),
        };
        view.def.range_left_by(low, high)
    }

    fn solver_remark(self, row: Row) -> Option<Remark> {
        let solver = self.system().solver;
        if solver == SolverKind::Vrm { self.vrm_remark(row) } else { solver.remark(row, &Tuned(self)) }
    }

    fn vrm_remark(self, row: Row) -> Option<Remark> {
        let no_group = || {
            let mut joints = self.target_joints();
            joints.all(|(chain, joint, ..)| self.document.colliders_of(chain, joint).next().is_none())
        };
        (row == vrm::HIT_RADIUS && no_group()).then_some(Remark::NoGroupAssigned).or_else(|| self.one_per_chain(row))
    }

    /// VRM 0.x has one number for a whole chain.
    fn one_per_chain(self, row: Row) -> Option<Remark> {
        if self.system().def(row).scope != Scope::Joint || !groups::has_one_set(self.system()) {
            return None;
        }
        let several = |chain: &crate::document::Chain| chain.joints.len() > 1;
        let targets = self.targets();
        if targets.joints.iter().any(|(id, _)| several(&self.document.chains[id])) {
            return Some(Remark::OnePerChainTuned);
        }
        let differs = |id: &ChainId| {
            let values = self.joint_values(*id, row);
            values.iter().any(|(_, value)| value.to_bits() != values[0].1.to_bits())
        };
        targets.chains.iter().any(differs).then_some(Remark::OnePerChain)
    }

    /// Whether a toggle is on for any joint that tuning reaches.
    pub fn any_on(self, row: Row) -> bool {
        self.target_joints().any(|(chain, _, i, place)| chain.value(i, row, place) != 0.0)
    }
}

/// What a solver may ask to find a [`Remark`].
struct Tuned<'a>(Inspection<'a>);

impl TunedJoints for Tuned<'_> {
    fn system_value(&self, row: Row) -> f32 {
        self.0.system().get(row)
    }

    fn greatest(&self, row: Row) -> f32 {
        match self.0.row_view(row).values {
            Values::None => 0.0,
            Values::Same(value) => value.abs(),
            Values::Mixed { low, high } => low.abs().max(high.abs()),
        }
    }

    fn any_value(&self, row: Row, test: impl Fn(f32) -> bool) -> bool {
        self.0.target_joints().any(|(chain, _, i, place)| test(chain.value(i, row, place)))
    }

    fn any_tuned_with(&self, part: JointPart) -> bool {
        self.0.target_joints().any(|(_, joint, ..)| has_part(joint, part))
    }

    fn any_joint_with(&self, part: JointPart) -> bool {
        self.0.document.chains.values().flat_map(|chain| &chain.joints).any(|joint| has_part(joint, part))
    }

    fn wind_blows(&self) -> bool {
        let forces = self.0.document.forces.iter();
        let mut there = forces.filter(|(id, force)| force.enabled && self.0.resolved.forces.contains_key(id));
        there.any(|(_, force)| match force.kind {
            ForceKind::Volume { .. } => false,
            ForceKind::Wind(wind) => wind.blows(),
        })
    }

    fn scale(&self) -> Option<f32> {
        let frames = &self.0.playback.world().frames().frames;
        self.0.target_joints().find_map(|(_, joint, ..)| frames.get(joint.bone.index()).and_then(scale_of))
    }

    fn any_bone_is_scaled(&self) -> bool {
        self.0.playback.world().frames().frames.iter().any(|frame| scale_of(frame).is_some())
    }

    fn step_seconds(&self) -> f32 {
        self.0.step_seconds()
    }

    fn pace(&self) -> f32 {
        self.0.pace()
    }
}

fn has_part(joint: &Joint, part: JointPart) -> bool {
    match part {
        JointPart::Pivot => joint.pivot.is_some(),
        JointPart::Colliders => !joint.colliders.is_empty(),
        JointPart::LengthTargets => !joint.length_targets.is_empty(),
        JointPart::AnimatedFlag => joint.animated,
    }
}

/// A frame's scale along its own X, where it is not 1.
fn scale_of(frame: &crate::math::Frame) -> Option<f32> {
    let scale = frame.linear().x_axis.length();
    (frame.scaled && (scale - 1.0).abs() > 1e-3).then_some(scale)
}

/// Whose motion is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Manner {
    /// The engine's, quirks included.
    AsUnity,
    /// Better than the engine's.
    Improved,
    /// That of VRM's specification.
    AsSpecified,
    /// That of `UniVRM`.
    AsUniVrm,
    /// That of three-vrm as it ships.
    AsThreeVrm,
    /// That of a plugin for Unreal.
    AsUnreal,
    /// What the engine's public documentation tells.
    AsDocumented,
}

impl Inspection<'_> {
    /// Whose motion is shown.
    pub fn manner(self) -> Manner {
        let system = self.system();
        match system.solver.info().origin {
            Origin::Unity if system.is_improved() => Manner::Improved,
            Origin::Unity => Manner::AsUnity,
            Origin::Format => match Preview::of(self.preview_row().map_or(0.0, |row| system.get(row))) {
                Preview::Specification => Manner::AsSpecified,
                Preview::UniVrm => Manner::AsUniVrm,
                Preview::ThreeVrm => Manner::AsThreeVrm,
            },
            Origin::Unreal => Manner::AsUnreal,
            Origin::Documentation => Manner::AsDocumented,
        }
    }

    /// The row that chooses between the engine's way and the improved one.
    pub fn way_row(self) -> Option<Row> {
        self.system().solver.info().improvements.map(|improvements| improvements.mode)
    }

    /// The row that chooses whose ways are shown, where runtimes differ.
    pub fn preview_row(self) -> Option<Row> {
        self.system().solver.info().preview
    }

    /// Whether joints can keep their distance to others.
    pub fn links_lengths(self) -> bool {
        self.has_group(Group::LengthLimits)
    }

    /// Whether joints have pivots as frames of their limits.
    pub fn has_pivots(self) -> bool {
        self.has_group(Group::AngleLimits)
    }

    /// Whether winds and forces act.
    pub fn has_forces(self) -> bool {
        let mut rows = self.system().table().iter();
        rows.any(|def| def.scope == Scope::Joint && def.idea == Idea::Wind)
    }

    /// Whether the engine itself has values of the whole character.
    pub fn has_settings(self) -> bool {
        self.system().table().iter().any(|def| def.scope == Scope::System && !def.beyond)
    }

    fn has_group(self, group: Group) -> bool {
        self.system().table().iter().any(|def| def.group == group)
    }

    /// Whether the shown pose can be taken for rest.
    pub fn takes_rest(self) -> bool {
        self.system().solver.info().takes_rest
    }

    /// Whether the engine will not do what this row says, for what tuning reaches: a switch of the improvements that
    /// is on, or a number of Yuremono's own that acts and is not what the engine does anyhow.
    pub fn is_beyond(self, row: Row) -> bool {
        let def = self.system().def(row);
        let Some(improvements) = self.system().improvements() else { return false };
        if !def.beyond || row == improvements.mode || self.remark(row).is_some() {
            return false;
        }
        let neutral = (improvements.neutral)(row);
        if def.scope == Scope::System {
            let counts = def.kind == Kind::Toggle || (improvements.switch_of)(row).is_none();
            return counts && self.system().get(row) != neutral;
        }
        self.target_joints().any(|(chain, _, i, place)| chain.value(i, row, place) != neutral)
    }

    /// How many switches and numbers of the improvements are on.
    pub fn improvements_on(self) -> usize {
        let rows = crate::schema::rows(self.system().table());
        rows.filter(|(row, def)| def.group == Group::Improved && self.is_beyond(*row)).count()
    }

    /// How fast time runs on the players' screens, 1 for as it should: the engine takes one step of its own length for
    /// each of their frames.
    pub fn pace(self) -> f32 {
        if self.keeps_pace() { 1.0 } else { self.playback.settings().players_rate as f32 * self.step_seconds() }
    }

    /// Length of a step, seconds.
    pub fn step_seconds(self) -> f32 {
        let frame = 1.0 / self.playback.settings().players_rate as f32;
        self.system().solver.step_seconds(&self.system().values, frame)
    }

    /// Whether time runs alike at every frame rate of the players: steps follow the frame, or the improved way keeps
    /// them to seconds.
    pub fn keeps_pace(self) -> bool {
        self.system().solver.frame_rate_independent(&self.system().values)
    }

    /// What one of a row's values removes of an error in a step, for rows that are shown as a share; `None` for all
    /// others.
    pub fn share_per_unit(self, row: Row) -> Option<f32> {
        (self.system().solver.info().step_share == Some(row)).then(|| self.step_seconds().powi(2))
    }
}
