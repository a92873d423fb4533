//! Why the tip of a joint moved in the last tick, and which cause wins.

use super::Inspection;
use glam::Vec3;
use yuremono_model::document::ColliderId;
use yuremono_sim::rig::BoneId;
use yuremono_sim::{SystemSetup, TipPart, TipParts};

/// Time in seconds in which inertia counts as a change of the velocity.
const INERTIA_SECONDS: f32 = 0.5;
/// Size below which a cause is not noticeable, in m/s².
const MIN_SIZE: f32 = 0.05;
/// A cause opposes another if it is at least this share of the other.
const OPPOSING_SHARE: f32 = 0.25;

/// The lengths of a tick and of a solver's step in the time of the solver, in seconds.
///
/// A solver that runs one step of its own length in every frame has its own time: at another frame rate, its motion is
/// faster or slower, but the same step by step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SolverTime {
    tick: f32,
    step: f32,
}

impl SolverTime {
    /// Returns the lengths for a system whose frames last `frame` seconds.
    pub fn new(system: &SystemSetup, frame: f32) -> Self {
        let step = system.solver.step_seconds(&system.values, frame);
        let tick = if system.solver.frame_rate_independent(&system.values) { frame } else { step };
        Self { tick, step }
    }
}

/// What moves a tip, as changes of its velocity per second, in m/s² in the world.
///
/// An acceleration moves a tip by its product with the lengths of a tick and of a step: every step adds to the velocity,
/// and inertia keeps what earlier steps added. The sizes are therefore the same at all frame rates and for all numbers
/// of steps per frame. Inertia is not a change but the velocity that remains; it counts as if it arose in half a second.
/// With the duration of a tick, it would exceed everything else.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TipCauses([Vec3; TipPart::ALL.len()]);

impl TipCauses {
    /// Converts the parts of a movement in a tick.
    pub fn new(parts: &TipParts, time: SolverTime) -> Self {
        let seconds = |part| if part == TipPart::Inertia { INERTIA_SECONDS } else { time.step };
        Self(TipPart::ALL.map(|part| {
            let cause = parts.get(part) / (time.tick * seconds(part));
            if cause.is_finite() { cause } else { Vec3::ZERO }
        }))
    }

    /// Returns one cause, in m/s² in the world.
    pub const fn get(&self, part: TipPart) -> Vec3 {
        self.0[part as usize]
    }

    /// Returns the velocity that remains from the tick before, in m/s in the world.
    pub fn kept_velocity(&self) -> Vec3 {
        self.get(TipPart::Inertia) * INERTIA_SECONDS
    }

    /// Returns what turns a bone with this direction: the causes without their parts along the bone. The length of a bone
    /// opposes all that pulls along the bone, so these parts decide nothing.
    #[must_use]
    pub fn across(self, direction: Vec3) -> Self {
        let along = direction.normalize_or_zero();
        Self(self.0.map(|cause| cause - along * cause.dot(along)))
    }

    /// Returns the largest cause; `None` if no cause is noticeable.
    pub fn strongest(&self) -> Option<TipPart> {
        let by_size = |a: &TipPart, b: &TipPart| self.get(*a).length().total_cmp(&self.get(*b).length());
        TipPart::ALL.into_iter().max_by(by_size).filter(|part| self.get(*part).length() >= MIN_SIZE)
    }

    /// Returns which cause wins.
    ///
    /// If the angle limit opposes a collision of comparable size, the limit overrides the collider. Otherwise the largest
    /// cause wins, and the cause that opposes it most is its opponent.
    pub fn outcome(&self) -> TipOutcome {
        let [limit, collision] = [TipPart::AngleLimit, TipPart::Collision].map(|part| self.get(part));
        let (small, large) = (limit.length().min(collision.length()), limit.length().max(collision.length()));
        if limit.dot(collision) < 0.0 && small >= MIN_SIZE && small >= large * OPPOSING_SHARE {
            return TipOutcome::LimitOverridesCollider;
        }
        let Some(winner) = self.strongest() else { return TipOutcome::Rest };
        let size = self.get(winner).length();
        let opposition = |part: TipPart| -self.get(part).dot(self.get(winner)) / size;
        let opponents = TipPart::ALL.into_iter().map(|part| (opposition(part), part));
        let strongest = opponents.max_by(|a, b| a.0.total_cmp(&b.0));
        let opponent = strongest.filter(|(against, _)| *against >= size * OPPOSING_SHARE).map(|(_, part)| part);
        match opponent {
            None => TipOutcome::Moves(winner),
            Some(opponent) if self.0.iter().sum::<Vec3>().length() < size * OPPOSING_SHARE => {
                TipOutcome::Holds { winner, opponent }
            }
            Some(opponent) => TipOutcome::MovesAgainst { winner, opponent },
        }
    }
}

/// Which cause of a tip's movement wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TipOutcome {
    /// Nothing acts on the tip.
    Rest,
    /// The angle limit moves the tip back to where a collider pushed it away.
    LimitOverridesCollider,
    /// The largest cause has no opponent.
    Moves(TipPart),
    /// The largest cause is stronger than its opponent.
    MovesAgainst { winner: TipPart, opponent: TipPart },
    /// All causes together nearly cancel.
    Holds { winner: TipPart, opponent: TipPart },
}

impl TipOutcome {
    /// Returns the causes that the outcome names, the winner first.
    pub fn named_parts(self) -> Vec<TipPart> {
        match self {
            Self::Rest => Vec::new(),
            Self::LimitOverridesCollider => vec![TipPart::AngleLimit, TipPart::Collision],
            Self::Moves(winner) => vec![winner],
            Self::MovesAgainst { winner, opponent } | Self::Holds { winner, opponent } => vec![winner, opponent],
        }
    }

    /// Returns whether a collider or the ground takes part.
    pub fn has_collision(self) -> bool {
        self.named_parts().contains(&TipPart::Collision)
    }
}

/// An outcome that stays displayed until another outcome has lasted for a while, so that it can be read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SteadyOutcome {
    displayed: TipOutcome,
    /// When the displayed outcome was last the current one, in seconds.
    confirmed: f64,
    /// Another outcome, and since when it is the current one.
    other: Option<(TipOutcome, f64)>,
}

impl SteadyOutcome {
    /// How long another outcome must last, in seconds.
    pub const SECONDS: f64 = 0.5;

    /// Displays an outcome at a time.
    pub const fn new(displayed: TipOutcome, time: f64) -> Self {
        Self { displayed, confirmed: time, other: None }
    }

    pub const fn displayed(&self) -> TipOutcome {
        self.displayed
    }

    /// Adds the current outcome. Returns whether the displayed outcome is the current one. Outcomes that alternate
    /// quickly replace a displayed outcome that no longer occurs after a longer time.
    pub fn update(&mut self, current: TipOutcome, time: f64) -> bool {
        if current == self.displayed {
            *self = Self::new(current, time);
            return true;
        }
        let since = match self.other {
            Some((other, since)) if other == current => since,
            _ => time,
        };
        self.other = Some((current, since));
        let is_steady = time - since >= Self::SECONDS || time - self.confirmed >= 3.0 * Self::SECONDS;
        if is_steady {
            *self = Self::new(current, time);
        }
        is_steady
    }
}

/// What a tip touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TouchedSurface {
    Ground,
    Collider(ColliderId),
}

impl Inspection<'_> {
    /// Returns why the tip of a bone's joint moved in the displayed tick. `None` if this is unknown, see
    /// [`Playback::tip_parts`](crate::Playback::tip_parts).
    pub fn tip_causes(self, bone: BoneId) -> Option<TipCauses> {
        let parts = self.playback.tip_parts(bone)?;
        let system = self.resolved.systems.get(self.playback.joint_index(bone)?.system as usize)?;
        Some(TipCauses::new(&parts, SolverTime::new(system, self.playback.tick_seconds() as f32)))
    }

    /// Returns what turns a bone: the causes at the tip of its joint without their parts along the bone. `None` if this is
    /// unknown, see [`Self::tip_causes`].
    pub fn turning_causes(self, bone: BoneId) -> Option<TipCauses> {
        let direction =
            self.playback.displayed_tip(bone)? - self.playback.displayed_pose().frames.get(bone.index())?.position;
        Some(self.tip_causes(bone)?.across(direction))
    }

    /// Returns which cause wins at the tip of a bone's joint: which turns the bone. `None` if this is unknown, see
    /// [`Self::tip_causes`].
    pub fn tip_outcome(self, bone: BoneId) -> Option<TipOutcome> {
        Some(self.turning_causes(bone)?.outcome())
    }

    /// Returns the surface in which the tip of a bone's joint is deepest; `None` if the contacts of the displayed pose are
    /// unknown. Every call computes all contacts.
    pub fn touched_surface(self, bone: BoneId) -> Option<TouchedSurface> {
        let joint = self.playback.joint_index(bone)?;
        let contacts = self.playback.displayed_contacts()?.into_iter().filter(|contact| contact.joint == joint);
        let deepest = contacts.max_by(|a, b| a.depth.total_cmp(&b.depth))?;
        let Some(place) = deepest.collider else { return Some(TouchedSurface::Ground) };
        let (collider, _) = self.resolved.collider_indices.iter().find(|(_, at)| **at == place)?;
        Some(TouchedSurface::Collider(*collider))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn causes(of: &[(TipPart, Vec3)]) -> TipCauses {
        let mut causes = TipCauses::default();
        for (part, cause) in of {
            causes.0[*part as usize] = *cause;
        }
        causes
    }

    #[test]
    fn a_limit_overrides_a_collider_only_if_they_oppose_with_comparable_sizes() {
        let outcome = |limit: Vec3, collision: Vec3| {
            let of =
                [(TipPart::AngleLimit, limit), (TipPart::Collision, collision), (TipPart::Gravity, Vec3::Z * 90.0)];
            causes(&of).outcome()
        };
        assert_eq!(outcome(Vec3::X * 3.0, Vec3::X * -10.0), TipOutcome::LimitOverridesCollider);
        assert_eq!(outcome(Vec3::new(10.0, 9.0, 0.0), Vec3::X * -3.5), TipOutcome::LimitOverridesCollider);
        let gravity = TipOutcome::Moves(TipPart::Gravity);
        assert_eq!(outcome(Vec3::X * 2.0, Vec3::X * -10.0), gravity, "the limit is much smaller");
        assert_eq!(outcome(Vec3::X * 10.0, Vec3::X * 10.0), gravity, "both push to the same side");
        assert_eq!(outcome(Vec3::X * 0.04, Vec3::X * -0.04), gravity, "both are tiny");
    }

    #[test]
    fn the_largest_cause_wins_against_the_cause_that_opposes_it_most() {
        let of =
            [(TipPart::Gravity, Vec3::Y * -9.0), (TipPart::Force, Vec3::X * 5.0), (TipPart::Spring, Vec3::Y * 4.0)];
        let (winner, opponent) = (TipPart::Gravity, TipPart::Spring);
        assert_eq!(causes(&of).outcome(), TipOutcome::MovesAgainst { winner, opponent });
        assert_eq!(causes(&of[..2]).outcome(), TipOutcome::Moves(TipPart::Gravity));
        let weak = [of[0], (TipPart::Spring, Vec3::Y * 2.0)];
        assert_eq!(causes(&weak).outcome(), TipOutcome::Moves(TipPart::Gravity), "a weak opponent is not named");
        let balanced = [of[0], (TipPart::Spring, Vec3::Y * 8.5)];
        assert_eq!(causes(&balanced).outcome(), TipOutcome::Holds { winner, opponent });
    }

    #[test]
    fn what_pulls_along_a_bone_does_not_turn_it() {
        let of = [
            (TipPart::Gravity, Vec3::Y * -9.0),
            (TipPart::LengthLimit, Vec3::Y * 8.0),
            (TipPart::Spring, Vec3::X * 2.0),
            (TipPart::Force, Vec3::X * -2.0),
        ];
        let (winner, opponent) = (TipPart::Force, TipPart::Spring);
        assert_eq!(causes(&of).across(Vec3::Y * -0.1).outcome(), TipOutcome::Holds { winner, opponent });
        assert_eq!(causes(&of[..2]).across(Vec3::Y).outcome(), TipOutcome::Rest);
        assert_eq!(causes(&of).across(Vec3::ZERO), causes(&of), "a bone without a direction");
    }

    #[test]
    fn tiny_causes_are_rest() {
        assert_eq!(TipCauses::default().outcome(), TipOutcome::Rest);
        assert_eq!(causes(&[(TipPart::Spring, Vec3::X * 0.04)]).outcome(), TipOutcome::Rest);
        assert_eq!(causes(&[(TipPart::Spring, Vec3::X * 0.06)]).outcome(), TipOutcome::Moves(TipPart::Spring));
    }

    #[test]
    fn an_outcome_changes_only_after_half_a_second() {
        let [spring, gravity, rest] =
            [TipOutcome::Moves(TipPart::Spring), TipOutcome::Moves(TipPart::Gravity), TipOutcome::Rest];
        let mut steady = SteadyOutcome::new(spring, 0.0);
        assert!(!steady.update(gravity, 0.2) && !steady.update(gravity, 0.6), "0.4 s");
        assert!(steady.update(spring, 0.65), "the displayed outcome is the current one again");
        assert!(!steady.update(gravity, 0.7) && steady.displayed() == spring, "the time starts again");
        assert!(steady.update(gravity, 1.25) && steady.displayed() == gravity);
        let mut changes = 0;
        for frame in 0..120 {
            let before = steady.displayed();
            steady.update([spring, rest][frame / 6 % 2], 2.0 + frame as f64 / 60.0);
            changes += usize::from(steady.displayed() != before);
        }
        assert_eq!(changes, 1, "outcomes of a tenth of a second replace only the outcome that no longer occurs");
    }

    #[test]
    fn only_outcomes_with_a_collision_have_one() {
        let (winner, opponent) = (TipPart::Gravity, TipPart::Collision);
        assert!(TipOutcome::Holds { winner, opponent }.has_collision());
        assert!(TipOutcome::LimitOverridesCollider.has_collision());
        assert!(!TipOutcome::MovesAgainst { winner, opponent: TipPart::Spring }.has_collision());
        assert!(!TipOutcome::Rest.has_collision() && !TipOutcome::Moves(TipPart::Inertia).has_collision());
    }
}
