//! What a solver does with a row: why it has no effect, and what goes beyond the original engine.

use super::{Inspection, Values};
use crate::doc::beyond::{self, switch_of};
use crate::doc::{ChainId, groups};
use crate::schema::{Group, Idea, Kind, Row, Scope};
use crate::sim::solver::spring_bone as unity;
use crate::sim::solver::vrm::{self, Preview};
use crate::sim::{ForceKind, Origin, SolverKind};

/// Unity's arc sine cannot tell what lies behind the pivot.
const FOLD_DEG: f32 = 90.0;
/// Metres a step: what is left of a contact's speed and slower sticks.
const STICKS: f32 = 0.01;

/// Why a number does nothing, or not what it seems to do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Remark {
    /// A value is out of this range.
    OutOfRange([f32; 2]),
    /// No wind blows.
    NoWind,
    /// The character's switch for angle limits is off.
    LimitsSwitchedOff,
    /// The limits' own switch is off.
    LimitOff,
    /// None of the targets' limits is on.
    NoLimitOn,
    /// The joints have no pivot to measure angles in.
    NoPivot,
    /// Both ends lie where the engine folds angles back.
    Folded,
    /// One end lies there.
    EndFolded,
    /// Both ends are 0.
    Pinned,
    /// Drawn back by more than all of the angle in a step, from this value on.
    Overshoots(f32),
    /// Acts only on bones that a program flags as animated.
    OnlyFlagged,
    /// Colliders and ground are off.
    NothingToHit,
    /// No collider is assigned, and there is no ground.
    NoColliderAssigned,
    /// No group of the chain has a collider.
    NoGroupAssigned,
    /// No joint of the character can touch a collider.
    NothingCollides,
    /// Contacts that keep less than this speed stick, m/s.
    SlowSticks(f32),
    /// The ground is off.
    GroundOff,
    /// A bone is scaled by this factor, which the rules of 1.1 forget.
    ScaleForgotten(f32),
    /// Both rules come to the same.
    NothingScaled,
    /// No joint here keeps its distance to anything.
    NoLengthTarget,
    /// The character's switch for length limits is off.
    LengthsSwitchedOff,
    /// The engine takes its own constant, which removes this share of the error in a step.
    WeakLengths(f32),
    /// Acts in the improved way alone.
    OnlyImproved,
    /// The switch that it belongs to is off.
    SwitchOff(Row),
    /// The switch makes it pointless while it is on.
    Overruled(Row),
    /// The bones have another shape.
    OtherShape,
    /// Tips stay where they are in the world.
    Frozen,
    /// A program has to take the steps.
    ProgramSteps,
    /// The players' frame rate makes time run so many times as fast.
    Pace(f32),
    /// The file holds one number for all joints of a chain, and here they differ.
    OnePerChain,
    /// The same, and one joint alone is tuned.
    OnePerChainTuned,
}

impl Remark {
    /// Whether the number acts all the same.
    pub const fn acts(self) -> bool {
        matches!(
            self,
            Self::OutOfRange(_)
                | Self::EndFolded
                | Self::Pinned
                | Self::Overshoots(_)
                | Self::SlowSticks(_)
                | Self::ScaleForgotten(_)
                | Self::Frozen
                | Self::Pace(_)
                | Self::OnePerChain
                | Self::OnePerChainTuned
        )
    }
}

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
        match self.system().solver {
            SolverKind::UnityChanSpringBone => self.beyond_remark(row).or_else(|| self.spring_bone_remark(row)),
            SolverKind::Vrm if row == vrm::HIT_RADIUS => self
                .target_joints()
                .all(|(chain, joint, ..)| self.document.colliders_of(chain, joint).next().is_none())
                .then_some(Remark::NoGroupAssigned)
                .or_else(|| self.one_per_chain(row)),
            SolverKind::Vrm => self.one_per_chain(row),
            _ => None,
        }
    }

    /// VRM 0.x has one number for a whole chain.
    fn one_per_chain(self, row: Row) -> Option<Remark> {
        if self.system().def(row).scope != Scope::Joint || !groups::has_one_set(self.system()) {
            return None;
        }
        let several = |chain: &crate::doc::Chain| chain.joints.len() > 1;
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

    /// What is Yuremono's own does nothing as Unity does it, and nothing while its switch is off.
    fn beyond_remark(self, row: Row) -> Option<Remark> {
        if row == unity::LENGTH_CONSTANT || row == unity::WAY || !self.system().def(row).beyond {
            return None;
        }
        if !self.system().is_improved() {
            return Some(Remark::OnlyImproved);
        }
        let switch = switch_of(self.system().solver, row)?;
        (!self.is_on(switch)).then_some(Remark::SwitchOff(switch))
    }

    fn spring_bone_remark(self, row: Row) -> Option<Remark> {
        match row {
            unity::WIND_INFLUENCE => (!self.wind_blows()).then_some(Remark::NoWind),
            unity::Y_ACTIVE | unity::Z_ACTIVE => self.unheld_remark(row),
            unity::Y_MIN | unity::Y_MAX => self.limit_remark(unity::Y_ACTIVE, unity::Y_MIN, unity::Y_MAX),
            unity::Z_MIN | unity::Z_MAX => self.limit_remark(unity::Z_ACTIVE, unity::Z_MIN, unity::Z_MAX),
            unity::ANGULAR_STIFFNESS => self.any_limit_remark(row).or_else(|| self.overshoot_remark(row)),
            unity::SOFTNESS => self.any_limit_remark(row),
            unity::RADIUS => self.radius_remark().or_else(|| self.scale_remark()),
            unity::BONE_SHAPE => self.shape_remark(None),
            unity::HEAD_RADIUS => self.shape_remark(Some(1.0)),
            row if row == unity::BOX_HALF[0] || row == unity::BOX_HALF[1] => self.shape_remark(Some(2.0)),
            unity::BOUNCE | unity::FRICTION => self.contact_remark(),
            unity::GROUND_HEIGHT => (!self.is_on(unity::COLLIDE_WITH_GROUND)).then_some(Remark::GroundOff),
            unity::DYNAMIC_RATIO => {
                let flagged = self.document.chains.values().flat_map(|c| &c.joints).any(|j| j.animated);
                (!flagged).then_some(Remark::OnlyFlagged)
            }
            unity::LENGTH_CONSTANT => self.length_remark(),
            unity::ENABLE_LENGTH_LIMITS => self.length_switch_remark(),
            unity::SCALE_RULES => self.rules_remark(),
            unity::IS_PAUSED => self.is_on(row).then_some(Remark::Frozen),
            unity::AUTOMATIC_UPDATES => (!self.is_on(row)).then_some(Remark::ProgramSteps),
            unity::SIMULATION_FRAME_RATE => {
                let pace = self.pace();
                ((pace - 1.0).abs() > 5e-3).then_some(Remark::Pace(pace))
            }
            _ => None,
        }
    }

    /// Whether some wind of the character acts as the engine tells it.
    fn wind_blows(self) -> bool {
        let document = self.document;
        let there = document.forces.iter().filter(|(id, f)| f.enabled && self.resolved.forces.contains_key(id));
        there.into_iter().any(|(_, force)| match force.kind {
            ForceKind::Volume { .. } => false,
            ForceKind::Wind(wind) => wind.blows(),
        })
    }

    /// What keeps limits from acting that are on.
    fn unheld_remark(self, row: Row) -> Option<Remark> {
        if !self.is_on(unity::ENABLE_ANGLE_LIMITS) {
            return Some(Remark::LimitsSwitchedOff);
        }
        let needs_pivot = matches!(row, unity::ANGULAR_STIFFNESS | unity::SOFTNESS) || self.any_on(row);
        (needs_pivot && self.target_joints().all(|(_, joint, ..)| joint.pivot.is_none())).then_some(Remark::NoPivot)
    }

    /// Of numbers that belong to both limits.
    fn any_limit_remark(self, row: Row) -> Option<Remark> {
        let on = self.any_on(unity::Y_ACTIVE) || self.any_on(unity::Z_ACTIVE);
        if on { self.unheld_remark(row) } else { Some(Remark::NoLimitOn) }
    }

    /// The angle is multiplied by one minus this value times the square of a step.
    fn overshoot_remark(self, row: Row) -> Option<Remark> {
        let all = self.step_seconds().powi(-2);
        (highest(self.row_view(row).values) > all * 1.001).then_some(Remark::Overshoots(all))
    }

    fn limit_remark(self, active: Row, min: Row, max: Row) -> Option<Remark> {
        if !self.any_on(active) {
            return Some(Remark::LimitOff);
        }
        if let Some(remark) = self.unheld_remark(active) {
            return Some(remark);
        }
        let far = |row| highest(self.row_view(row).values);
        let wide = self.system().is_improved() && self.is_on(unity::WIDE_LIMITS);
        match (far(min) > FOLD_DEG && !wide, far(max) > FOLD_DEG && !wide) {
            (true, true) => Some(Remark::Folded),
            (false, false) => (far(min) == 0.0 && far(max) == 0.0).then_some(Remark::Pinned),
            _ => Some(Remark::EndFolded),
        }
    }

    fn radius_remark(self) -> Option<Remark> {
        let ground = self.is_on(unity::COLLIDE_WITH_GROUND);
        if ground { None } else { self.collider_remark(Remark::NothingToHit) }
    }

    /// What keeps colliders from the targets.
    fn collider_remark(self, off: Remark) -> Option<Remark> {
        let assigned = self.target_joints().any(|(_, joint, ..)| !joint.colliders.is_empty());
        if self.is_on(unity::ENABLE_COLLISION) { (!assigned).then_some(Remark::NoColliderAssigned) } else { Some(off) }
    }

    /// Of a bone's shape, or of a number that one shape has.
    fn shape_remark(self, shape: Option<f32>) -> Option<Remark> {
        let is = |value: f32| shape.is_none_or(|shape| value.round() == shape);
        let fits = self.target_joints().any(|(chain, _, i, place)| is(chain.value(i, unity::BONE_SHAPE, place)));
        let off = Remark::NothingCollides;
        if fits { self.collider_remark(off) } else { Some(Remark::OtherShape) }
    }

    fn contact_remark(self) -> Option<Remark> {
        let touches = self.document.chains.values().flat_map(|c| &c.joints).any(|j| !j.colliders.is_empty());
        if !touches || !self.is_on(unity::ENABLE_COLLISION) {
            return Some(Remark::NothingCollides);
        }
        let system = self.system();
        let keeps = system.get(unity::BOUNCE) != 0.0 || system.get(unity::FRICTION) != 1.0;
        keeps.then(|| Remark::SlowSticks(STICKS / self.step_seconds()))
    }

    fn scale_remark(self) -> Option<Remark> {
        if self.radii_follow_scale() {
            return None;
        }
        let frames = &self.playback.world().frames().frames;
        let mut scales = self.target_joints().filter_map(|(_, joint, ..)| scale_of(frames.get(joint.bone.index())?));
        scales.next().map(Remark::ScaleForgotten)
    }

    fn radii_follow_scale(self) -> bool {
        self.is_on(unity::SCALE_RULES) || (self.system().is_improved() && self.is_on(unity::SCALED_RADII))
    }

    fn rules_remark(self) -> Option<Remark> {
        if self.system().is_improved() && self.is_on(unity::SCALED_RADII) {
            return Some(Remark::Overruled(unity::SCALED_RADII));
        }
        let scaled = self.playback.world().frames().frames.iter().any(|f| scale_of(f).is_some());
        (!scaled).then_some(Remark::NothingScaled)
    }

    fn length_remark(self) -> Option<Remark> {
        if self.target_joints().all(|(_, joint, ..)| joint.length_targets.is_empty()) {
            return Some(Remark::NoLengthTarget);
        }
        if !self.is_on(unity::ENABLE_LENGTH_LIMITS) {
            return Some(Remark::LengthsSwitchedOff);
        }
        self.weak_lengths()
    }

    fn length_switch_remark(self) -> Option<Remark> {
        let targets = self.document.chains.values().flat_map(|c| &c.joints).any(|j| !j.length_targets.is_empty());
        if targets { self.weak_lengths() } else { Some(Remark::NoLengthTarget) }
    }

    /// The engine's own constant is so small that it does nothing to be seen.
    fn weak_lengths(self) -> Option<Remark> {
        let strong = self.system().is_improved() && self.is_on(unity::STRONG_LENGTHS);
        let stock = self.system().def(unity::LENGTH_CONSTANT).default;
        (!strong).then(|| Remark::WeakLengths(stock * self.step_seconds().powi(2)))
    }

    fn is_on(self, row: Row) -> bool {
        self.system().get(row) != 0.0
    }

    /// Whether a toggle is on for any joint that tuning reaches.
    pub fn any_on(self, row: Row) -> bool {
        self.target_joints().any(|(chain, _, i, place)| chain.value(i, row, place) != 0.0)
    }
}

/// The number farthest from 0, without its sign.
fn highest(values: Values) -> f32 {
    match values {
        Values::None => 0.0,
        Values::Same(value) => value.abs(),
        Values::Mixed { low, high } => low.abs().max(high.abs()),
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
        beyond::way(self.system().solver)
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
        if !def.beyond || !self.system().is_improved() || self.way_row() == Some(row) || self.remark(row).is_some() {
            return false;
        }
        if def.scope == Scope::System {
            let value = self.system().get(row);
            let acts = if row == unity::INERTIA { value != 1.0 } else { value != 0.0 };
            return acts && (def.kind == Kind::Toggle || switch_of(self.system().solver, row).is_none());
        }
        // The first choice and the engine's own constant are what it does; so is a soft edge of no width.
        let same = if row == unity::LENGTH_CONSTANT { def.default } else { 0.0 };
        self.target_joints().any(|(chain, _, i, place)| chain.value(i, row, place) != same)
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
