//! An armature with a scale moves like an armature without one, or the solver declares that it ignores scale.

use super::{JOINTS, ParamValues, dragged_on, setup, skeleton, swinging_value};
use glam::Vec3;
use yuremono_sim::rig::{BoneId, Skeleton};
use yuremono_sim::{LengthScale, SolverKind};

const SCALE: f32 = 0.01;
const TICKS: u32 = 120;
const TOLERANCE: f32 = 1e-3;

/// Returns the skeleton of the same size, with the scale at its root.
fn scaled_skeleton() -> Skeleton {
    let mut bones = skeleton().bones().to_vec();
    bones[0].rest.scale = Vec3::splat(SCALE);
    bones[1..].iter_mut().for_each(|bone| bone.rest.translation /= SCALE);
    Skeleton::new(bones).expect("parents first")
}

/// The Doctor reports scaled rigs of solvers that ignore scale.
pub(super) fn check(kind: SolverKind, way: ParamValues) {
    let mut setup = setup(kind, way, swinging_value);
    match kind.info().length_scale {
        LengthScale::Ignored => return,
        LengthScale::FollowsWith(param) => _ = setup.values.set(param, 1.0),
        LengthScale::Follows => {}
    }
    let plain = dragged_on(&skeleton(), setup.clone(), TICKS);
    let scaled = dragged_on(&scaled_skeleton(), setup, TICKS);
    for bone in (0..JOINTS + 2).map(BoneId) {
        let [a, b] = [&plain, &scaled].map(|world| world.frames().frame(bone).position);
        assert!(a.distance(b) < TOLERANCE, "{bone:?} is at {b} instead of {a}");
    }
}
