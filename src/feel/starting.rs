//! How a new chain feels before anybody has touched it: a table by part, in measures that hold for every solver.
//!
//! The engines' own defaults hang limp; nobody wants to begin there.

use crate::document::{Authored, Chain, Document, Part};
use crate::document::{measure::height, measure::joint_length, measure::mean};
use crate::math::{Curve, Interpolation, Key};
use crate::rig::{Pose, Skeleton, WorldPose};
use crate::schema::{Idea, ParamSet, Scope, rows};
use crate::sim::unify::Feel;
use crate::sim::{Numbers, Sway};
use glam::Vec3;

/// Length of the players' frame that feels are meant for, seconds.
pub(crate) const FRAME: f32 = 1.0 / 60.0;
/// Thickest hit radius of a new chain, as a share of the character's height.
const THICKEST: f32 = 0.03;

/// Numbers that a part begins with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StartingFeel {
    /// At the root of the chain; the acceleration is what is left of gravity, downwards.
    pub feel: Feel,
    /// Stiffness at the last joint as a share of the root's.
    pub tip: f32,
    /// Hit radius as a share of the bone's length.
    pub radius: f32,
    /// Share of the wind that is taken.
    pub wind: f32,
}

/// What a part begins with. Rest poses are drawn with their weight in them, so little of gravity is left.
pub const fn starting_feel(part: Part) -> StartingFeel {
    let (hz, damping, weight, tip, radius, wind) = match part {
        Part::Hair => (3.0, 0.4, 0.8, 0.6, 0.22, 1.0),
        Part::Skirt => (2.5, 0.6, 0.8, 0.75, 0.18, 0.8),
        Part::Tail => (1.8, 0.35, 0.3, 0.55, 0.3, 0.5),
        Part::Ribbon => (2.2, 0.45, 0.8, 0.6, 0.15, 1.0),
        Part::Ear => (5.0, 0.45, 0.0, 0.7, 0.2, 0.4),
        Part::Breast => (3.6, 0.35, 0.2, 1.0, 0.5, 0.1),
        Part::Sleeve => (2.6, 0.55, 1.0, 0.75, 0.25, 0.8),
        Part::Accessory => (2.8, 0.22, 1.0, 0.9, 0.3, 0.5),
        Part::Other => (3.0, 0.45, 0.5, 0.75, 0.2, 0.8),
    };
    StartingFeel { feel: Feel { frequency_hz: hz, damping_ratio: damping, acceleration: weight }, tip, radius, wind }
}

/// Writes [`starting_feel`] of the chain's part into its base values and curves; joints keep their own values.
pub fn apply_starting_feel(chain: &mut Chain, document: &Document, skeleton: &Skeleton) {
    let rest = WorldPose::of(skeleton, &Pose::rest(skeleton));
    apply_starting_feel_in(chain, document, skeleton, &rest, height(&rest));
}

/// As [`apply_starting_feel`] with the rest frames and their [`height`] at hand.
pub(crate) fn apply_starting_feel_in(
    chain: &mut Chain,
    document: &Document,
    skeleton: &Skeleton,
    rest: &WorldPose,
    tall: f32,
) {
    let start = starting_feel(chain.part);
    let length = mean_length(chain, skeleton, rest);
    let radius = (length * start.radius).min(THICKEST * tall);
    let system = document.system_of(chain);
    let joint = ParamSet::defaults(system.table());
    let now = Numbers { joint: &joint, system: &system.values, length, carried: 0.0, frame: FRAME };
    let sway = Sway { radius: (radius > 0.0).then_some(radius), ..Sway::new(start.feel, Vec3::NEG_Y) };
    let curve = if chain.joints.len() > 2 { soft_tip(start.tip) } else { None };
    let wind = rows(system.table()).filter(|(_, def)| def.idea == Idea::Wind && def.scope == Scope::Joint);
    let numbers = system.solver.numbers(&sway, &now).into_iter().chain(wind.map(|(row, _)| (row, start.wind)));
    for (row, base) in numbers.filter(|(_, base)| base.is_finite()) {
        let curve = curve.clone().filter(|_| system.def(row).idea == Idea::Restore);
        if let Some(slot) = chain.values.get_mut(row.index()) {
            *slot = Authored { base, curve };
        }
    }
}

/// One at the root, `tip` at the last joint, level at both ends.
fn soft_tip(tip: f32) -> Option<Curve> {
    (tip != 1.0).then(|| Curve::new(vec![Key::flat(0.0, 1.0), Key::flat(1.0, tip)], Interpolation::Hermite)).flatten()
}

fn mean_length(chain: &Chain, skeleton: &Skeleton, rest: &WorldPose) -> f32 {
    mean(&chain.joints.iter().map(|j| joint_length(j, skeleton, rest)).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Joint;
    use crate::math::Trs;
    use crate::rig::{Bone, BoneId};
    use crate::sim::solver::spring_bone as unity;
    use crate::sim::unify::SpringBoneValues;

    /// A straight line of bones, 10 cm each, hanging from 1.5 m.
    fn line(count: u32) -> Skeleton {
        let bone = |i: u32| Bone {
            name: format!("hair_{i}"),
            parent: i.checked_sub(1).map(BoneId),
            rest: Trs::from_translation(Vec3::Y * if i == 0 { 1.5 } else { -0.1 }),
        };
        Skeleton::new((0..count).map(bone).collect()).expect("parents first")
    }

    fn chain(part: Part, joints: u32) -> (Chain, Document, Skeleton) {
        let document = Document::default();
        let skeleton = line(joints + 1);
        let joints = (0..joints).map(|i| Joint::new(BoneId(i))).collect();
        let mut chain = Chain::new("hair_0", part, document.main().table(), joints);
        apply_starting_feel(&mut chain, &document, &skeleton);
        (chain, document, skeleton)
    }

    #[test]
    fn new_hair_swings_at_three_hertz() {
        let (chain, ..) = chain(Part::Hair, 4);
        let values = SpringBoneValues {
            stiffness: chain.value(0, unity::STIFFNESS, 0.0),
            drag: chain.value(0, unity::DRAG, 0.0),
            force: 0.0,
        };
        let feel = values.feel(1.0 / 60.0);
        assert!((feel.frequency_hz - 3.0).abs() < 1e-3 && (feel.damping_ratio - 0.4).abs() < 1e-3, "{feel:?}");
        assert!(chain.value(3, unity::STIFFNESS, 1.0) < 0.7 * chain.value(0, unity::STIFFNESS, 0.0));
    }

    #[test]
    fn little_of_gravity_is_left_and_it_pulls_down() {
        for part in Part::ALL {
            let (chain, document, _) = chain(part, 3);
            let total = document.main().get(unity::GRAVITY[1]) + chain.value(0, unity::SPRING_FORCE[1], 0.0);
            assert!((-2.5..=0.0).contains(&total), "{part:?}: {total}");
        }
    }

    #[test]
    fn no_part_begins_limp_or_wild() {
        for part in Part::ALL {
            let (chain, ..) = chain(part, 3);
            let (stiffness, drag) = (chain.value(2, unity::STIFFNESS, 1.0), chain.value(2, unity::DRAG, 1.0));
            assert!((80.0..3000.0).contains(&stiffness) && (0.05..0.5).contains(&drag), "{part:?} {stiffness} {drag}");
            assert!((0.005..=0.06).contains(&chain.value(0, unity::RADIUS, 0.0)), "{part:?}");
        }
    }

    #[test]
    fn a_faster_clock_gets_other_numbers_and_the_same_feel() {
        let (slow, mut document, skeleton) = chain(Part::Tail, 3);
        document.main_mut().values.set(unity::SIMULATION_FRAME_RATE, 120.0);
        let mut fast = slow.clone();
        apply_starting_feel(&mut fast, &document, &skeleton);
        let at = |chain: &Chain, h| {
            SpringBoneValues {
                stiffness: chain.value(0, unity::STIFFNESS, 0.0),
                drag: chain.value(0, unity::DRAG, 0.0),
                force: 0.0,
            }
            .feel(h)
        };
        assert!(fast.value(0, unity::DRAG, 0.0) < slow.value(0, unity::DRAG, 0.0));
        assert!((at(&slow, 1.0 / 60.0).frequency_hz - at(&fast, 1.0 / 120.0).frequency_hz).abs() < 1e-3);
    }

    #[test]
    fn short_chains_get_no_curve_and_odd_skeletons_do_no_harm() {
        let (two, ..) = chain(Part::Hair, 2);
        assert!(two.values.iter().all(|v| v.curve.is_none()));
        let document = Document::default();
        let mut lost = Chain::new("x", Part::Ear, document.main().table(), vec![Joint::new(BoneId(99))]);
        apply_starting_feel(&mut lost, &document, &Skeleton::default());
        assert!(lost.values.iter().all(|v| v.base.is_finite()));
    }
}
