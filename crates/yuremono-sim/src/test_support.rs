//! Helpers for the unit tests of solvers.

use super::step_pose::ColliderRuntime;
use super::{ColliderSetup, ColliderShape, ResponseInput, Solver, SpringResponse};
use crate::math::Trs;
use crate::params::{ParamId, ParamSet};
use crate::rig::{Bone, BoneId, Skeleton};
use std::marker::PhantomData;

/// Inputs of a conversion between parameters and response.
pub(crate) struct ResponseCase<S> {
    pub(crate) joint: ParamSet,
    pub(crate) system: ParamSet,
    /// In metres.
    pub(crate) bone_length: f32,
    pub(crate) frame_seconds: f32,
    pub(crate) solver: PhantomData<S>,
}

impl<S: Solver> ResponseCase<S> {
    /// The defaults with some changes, on a bone of 10 cm at 60 frames per second.
    pub(crate) fn new(joint: &[(ParamId, f32)], system: &[(ParamId, f32)]) -> Self {
        let [joint, system] = [joint, system].map(|changes| {
            let mut values = ParamSet::defaults(S::INFO.params);
            for (param, value) in changes {
                _ = values.set(*param, *value);
            }
            values
        });
        Self { joint, system, bone_length: 0.1, frame_seconds: 1.0 / 60.0, solver: PhantomData }
    }

    pub(crate) fn input(&self) -> ResponseInput<'_> {
        ResponseInput {
            joint_params: &self.joint,
            system_params: &self.system,
            bone_length: self.bone_length,
            carried_inertia: 0.0,
            frame_seconds: self.frame_seconds,
        }
    }

    pub(crate) fn response(&self) -> SpringResponse {
        S::response(&self.input())
    }

    pub(crate) fn params_for(&self, target: &SpringResponse) -> Vec<(ParamId, f32)> {
        S::params_for(target, &self.input())
    }

    /// Sets the parameters that give the response `target`. Returns the response of these parameters.
    pub(crate) fn round_trip(&mut self, target: &SpringResponse) -> SpringResponse {
        for (param, value) in self.params_for(target) {
            assert!(value.is_finite(), "{param:?} {value}");
            self.joint.set(param, value);
        }
        self.response()
    }
}

/// Asserts that a response has about this frequency and damping ratio.
#[track_caller]
pub(crate) fn check_feel(found: &SpringResponse, [hz, ratio]: [f32; 2], [hz_margin, ratio_margin]: [f32; 2]) {
    let is_near = (found.frequency_hz - hz).abs() < hz_margin && (found.damping_ratio - ratio).abs() < ratio_margin;
    assert!(is_near, "{found:?} is not {hz} Hz at {ratio}");
}

/// An enabled collider on bone 0.
pub(crate) fn collider(shape: ColliderShape) -> ColliderRuntime {
    ColliderRuntime::new(&ColliderSetup::new(BoneId(0), shape))
}

/// A skeleton from the parents of its bones. The bones have no offsets.
pub(crate) fn skeleton(parents: &[Option<u32>]) -> Skeleton {
    let bone = |(i, parent): (usize, &Option<u32>)| Bone {
        name: format!("b{i}"),
        parent: parent.map(BoneId),
        rest: Trs::IDENTITY,
    };
    Skeleton::new(parents.iter().enumerate().map(bone).collect()).expect("parents first")
}
