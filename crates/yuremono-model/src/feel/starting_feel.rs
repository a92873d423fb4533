//! The feel of new chains, which depends on the part. With the default parameters of most solvers, new chains would
//! hang limp.

use crate::document::measure::{joint_length, max_extent, mean_of_positive};
use crate::document::{Chain, ChainPart, ChainValue, CurveDomain, Document, System};
use glam::Vec3;
use std::collections::BTreeSet;
use yuremono_sim::linear_spring::SpringFeel;
use yuremono_sim::math::{Curve, CurveKey, Interpolation};
use yuremono_sim::params::{ParamId, ParamMeaning, ParamScope, ParamSet, enumerate_params};
use yuremono_sim::rig::{Pose, Skeleton, WorldPose};
use yuremono_sim::solver::vrm;
use yuremono_sim::{ResponseInput, SpringResponse};

/// The frame time that feel is computed for, in seconds.
pub(crate) const FRAME_SECONDS: f32 = 1.0 / 60.0;
/// The maximum hit radius of a new chain, as a fraction of the character's height.
const MAX_RADIUS_RATIO: f32 = 0.03;

/// The input of a solver's response model for a joint. `bone_length` is in metres.
pub(super) const fn response_input<'a>(
    joint_params: &'a ParamSet,
    system_params: &'a ParamSet,
    bone_length: f32,
    carried_inertia: f32,
) -> ResponseInput<'a> {
    ResponseInput { joint_params, system_params, bone_length, carried_inertia, frame_seconds: FRAME_SECONDS }
}

/// The starting values of a part.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StartingFeel {
    /// The feel at the root. The acceleration is the remaining gravity, which points down.
    pub feel: SpringFeel,
    /// The stiffness at the last joint, as a fraction of the stiffness at the root.
    pub tip_stiffness_ratio: f32,
    /// Hit radius as a fraction of the bone's length.
    pub radius_ratio: f32,
    /// The fraction of the wind that affects the part.
    pub wind_factor: f32,
}

/// The starting values of a part. Rest poses include the effect of gravity, so the remaining gravity is small.
pub const fn starting_feel(part: ChainPart) -> StartingFeel {
    let (hz, damping, weight, tip, radius, wind) = match part {
        ChainPart::Hair => (3.0, 0.4, 0.8, 0.6, 0.22, 1.0),
        ChainPart::Skirt => (2.5, 0.6, 0.8, 0.75, 0.18, 0.8),
        ChainPart::Tail => (1.8, 0.35, 0.3, 0.55, 0.3, 0.5),
        ChainPart::Ribbon => (2.2, 0.45, 0.8, 0.6, 0.15, 1.0),
        ChainPart::Ear => (5.0, 0.45, 0.0, 0.7, 0.2, 0.4),
        ChainPart::Breast => (3.6, 0.35, 0.2, 1.0, 0.5, 0.1),
        ChainPart::Sleeve => (2.6, 0.55, 1.0, 0.75, 0.25, 0.8),
        ChainPart::Accessory => (2.8, 0.22, 1.0, 0.9, 0.3, 0.5),
        ChainPart::Other => (3.0, 0.45, 0.5, 0.75, 0.2, 0.8),
    };
    StartingFeel {
        feel: SpringFeel { frequency_hz: hz, damping_ratio: damping, acceleration: weight },
        tip_stiffness_ratio: tip,
        radius_ratio: radius,
        wind_factor: wind,
    }
}

/// Sets the base values and curves of a chain to the [`starting_feel`] of its part. Overrides stay unchanged.
pub fn apply_starting_feel(chain: &mut Chain, document: &Document, skeleton: &Skeleton) {
    let rest = WorldPose::from_pose(skeleton, &Pose::rest(skeleton));
    apply_starting_feel_with_frames(chain, document, skeleton, &rest, max_extent(&rest));
}

/// Like [`apply_starting_feel`], for a known rest pose and its [`max_extent`].
pub(crate) fn apply_starting_feel_with_frames(
    chain: &mut Chain,
    document: &Document,
    skeleton: &Skeleton,
    rest: &WorldPose,
    character_extent: f32,
) {
    let start = starting_feel(chain.part);
    let length = mean_joint_length(chain, skeleton, rest);
    let radius = (length * start.radius_ratio).min(MAX_RADIUS_RATIO * character_extent);
    let system = document.system_of(chain);
    let joint = ParamSet::defaults(system.param_defs());
    let now = response_input(&joint, &system.values, length, 0.0);
    let response =
        SpringResponse { radius: (radius > 0.0).then_some(radius), ..SpringResponse::new(start.feel, Vec3::NEG_Y) };
    let curve = if chain.joints.len() > 2 { tip_stiffness_curve(start.tip_stiffness_ratio) } else { None };
    let wind = enumerate_params(system.param_defs())
        .filter(|(_, def)| def.meaning == ParamMeaning::Wind && def.scope == ParamScope::Joint);
    let numbers =
        system.solver.params_for(&response, &now).into_iter().chain(wind.map(|(param, _)| (param, start.wind_factor)));
    for (param, base) in numbers.filter(|(_, base)| base.is_finite()) {
        let curve = curve.clone().filter(|_| system.def(param).meaning == ParamMeaning::Stiffness);
        if let Some(slot) = chain.values.get_mut(param.index()) {
            *slot = ChainValue::new(base, curve);
        }
    }
}

/// A curve from 1 at the root to `tip` at the last joint, flat at both ends.
fn tip_stiffness_curve(tip: f32) -> Option<Curve> {
    (tip != 1.0)
        .then(|| Curve::new(vec![CurveKey::flat(0.0, 1.0), CurveKey::flat(1.0, tip)], Interpolation::Hermite))
        .flatten()
}

fn mean_joint_length(chain: &Chain, skeleton: &Skeleton, rest: &WorldPose) -> f32 {
    mean_of_positive(&chain.joints.iter().map(|j| joint_length(j, skeleton, rest)).collect::<Vec<_>>())
}

/// Sets the solver's default curves on a chain of `system`, over depth. Parameters that express feel keep their values.
pub(crate) fn apply_default_curves(chain: &mut Chain, system: &System) {
    let curves = system.solver.info().default_curves;
    if curves.is_empty() {
        return;
    }
    let feel_params = params_written_by_feel(system);
    for (param, ends) in curves.iter().filter(|(param, _)| !feel_params.contains(param)) {
        chain.values[param.index()] = smooth_ramp(*ends);
        chain.joints.iter_mut().for_each(|joint| _ = joint.overrides.remove(param));
    }
    chain.curve_domain = CurveDomain::Depth;
}

/// The parameters that express feel.
pub(crate) fn params_written_by_feel(system: &System) -> BTreeSet<ParamId> {
    let joint = ParamSet::defaults(system.param_defs());
    let now = response_input(&joint, &system.values, vrm::LEAF_LENGTH, 0.0);
    let one = Some(1.0);
    let whole = SpringResponse { ignored_motion: one, max_angle_deg: one, radius: one, ..system.solver.response(&now) };
    system.solver.params_for(&whole, &now).into_iter().map(|(param, _)| param).collect()
}

/// A smooth curve from a value at the root to a value at the tip.
fn smooth_ramp([from, to]: [f32; 2]) -> ChainValue {
    let base = if from.abs() > to.abs() { from } else { to };
    let keys = vec![CurveKey::flat(0.0, from / base), CurveKey::flat(1.0, to / base)];
    ChainValue::new(base, Curve::new(keys, Interpolation::Hermite))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Joint;
    use yuremono_sim::SolverKind;
    use yuremono_sim::linear_spring::SpringBoneValues;
    use yuremono_sim::math::Trs;
    use yuremono_sim::rig::{Bone, BoneId};
    use yuremono_sim::solver::joint_dynamics::{DEFAULT_CURVES, LIMIT_POWER, WAVE_FREQUENCY};
    use yuremono_sim::solver::spring_bone as unity;

    /// A straight vertical chain of bones with a length of 10 cm each. The first bone is at a height of 1.5 m.
    fn straight_skeleton(count: u32) -> Skeleton {
        let bone = |i: u32| Bone {
            name: format!("hair_{i}"),
            parent: i.checked_sub(1).map(BoneId),
            rest: Trs::from_translation(Vec3::Y * if i == 0 { 1.5 } else { -0.1 }),
        };
        Skeleton::new((0..count).map(bone).collect()).expect("parents first")
    }

    fn chain_with_starting_feel(part: ChainPart, joints: u32) -> (Chain, Document, Skeleton) {
        let document = Document::default();
        let skeleton = straight_skeleton(joints + 1);
        let joints = (0..joints).map(|i| Joint::new(BoneId(i))).collect();
        let mut chain = Chain::new("hair_0", part, document.main_system().param_defs(), joints);
        apply_starting_feel(&mut chain, &document, &skeleton);
        (chain, document, skeleton)
    }

    fn root_feel(chain: &Chain, frame_seconds: f32) -> SpringFeel {
        let [stiffness, drag] = [unity::STIFFNESS, unity::DRAG].map(|param| chain.joint_value(0, param, 0.0));
        SpringBoneValues { stiffness, drag, force: 0.0 }.to_feel(frame_seconds)
    }

    #[test]
    fn new_hair_swings_at_three_hertz() {
        let (chain, ..) = chain_with_starting_feel(ChainPart::Hair, 4);
        let feel = root_feel(&chain, FRAME_SECONDS);
        assert!((feel.frequency_hz - 3.0).abs() < 1e-3 && (feel.damping_ratio - 0.4).abs() < 1e-3, "{feel:?}");
        assert!(chain.joint_value(3, unity::STIFFNESS, 1.0) < 0.7 * chain.joint_value(0, unity::STIFFNESS, 0.0));
    }

    #[test]
    fn starting_gravity_is_small_and_points_down() {
        for part in ChainPart::ALL {
            let (chain, document, _) = chain_with_starting_feel(part, 3);
            let total =
                document.main_system().get(unity::GRAVITY[1]) + chain.joint_value(0, unity::SPRING_FORCE[1], 0.0);
            assert!((-2.5..=0.0).contains(&total), "{part:?}: {total}");
        }
    }

    #[test]
    fn starting_values_of_every_part_are_in_a_moderate_range() {
        for part in ChainPart::ALL {
            let (chain, ..) = chain_with_starting_feel(part, 3);
            let (stiffness, drag) =
                (chain.joint_value(2, unity::STIFFNESS, 1.0), chain.joint_value(2, unity::DRAG, 1.0));
            assert!((80.0..3000.0).contains(&stiffness) && (0.05..0.5).contains(&drag), "{part:?} {stiffness} {drag}");
            assert!((0.005..=0.06).contains(&chain.joint_value(0, unity::RADIUS, 0.0)), "{part:?}");
        }
    }

    #[test]
    fn another_frame_rate_gives_other_values_and_the_same_feel() {
        let (slow, mut document, skeleton) = chain_with_starting_feel(ChainPart::Tail, 3);
        document.main_system_mut().values.set(unity::SIMULATION_FRAME_RATE, 120.0);
        let mut fast = slow.clone();
        apply_starting_feel(&mut fast, &document, &skeleton);
        assert!(fast.joint_value(0, unity::DRAG, 0.0) < slow.joint_value(0, unity::DRAG, 0.0));
        assert!(
            (root_feel(&slow, FRAME_SECONDS).frequency_hz - root_feel(&fast, 1.0 / 120.0).frequency_hz).abs() < 1e-3
        );
    }

    #[test]
    fn short_chains_get_no_curve_and_missing_bones_give_finite_values() {
        let (two, ..) = chain_with_starting_feel(ChainPart::Hair, 2);
        assert!(two.values.iter().all(|v| v.curve.is_none()));
        let document = Document::default();
        let mut lost =
            Chain::new("x", ChainPart::Ear, document.main_system().param_defs(), vec![Joint::new(BoneId(99))]);
        apply_starting_feel(&mut lost, &document, &Skeleton::default());
        assert!(lost.values.iter().all(|v| v.base.is_finite()));
    }

    fn chain_with_default_curves(solver: SolverKind) -> Chain {
        let system = System::with_solver(solver);
        let joints = [0, 1, 2].map(|i| Joint::new(BoneId(i))).to_vec();
        let mut chain = Chain::new("skirt", ChainPart::Skirt, system.param_defs(), joints);
        apply_default_curves(&mut chain, &system);
        chain
    }

    #[test]
    fn a_joint_dynamics_chain_gets_the_default_curves_from_root_to_tip() {
        let chain = chain_with_default_curves(SolverKind::JointDynamics);
        assert_eq!([0.0, 1.0].map(|t| chain.value_at(LIMIT_POWER, t)), [1.0, 0.0]);
        assert_eq!([0.0, 0.5, 1.0].map(|t| chain.value_at(WAVE_FREQUENCY, t)), [0.0, 1.0, 2.0]);
        let mut curved = (0..chain.values.len()).filter(|at| chain.values[*at].curve.is_some());
        let known = |at: usize| DEFAULT_CURVES.iter().any(|(param, _)| param.index() == at);
        assert!(curved.all(known));
        assert_eq!(chain.curve_domain, CurveDomain::Depth);
    }

    #[test]
    fn solvers_without_default_curves_leave_chains_unchanged() {
        for solver in SolverKind::ALL.iter().filter(|kind| **kind != SolverKind::JointDynamics) {
            assert!(chain_with_default_curves(*solver).values.iter().all(|value| value.curve.is_none()), "{solver:?}");
        }
    }
}
