//! The lists as solvers get them: bones for nodes, positions for joints and colliders.

use super::ComponentLists;
use crate::document::{ColliderId, JointRef, Node};
use crate::rig::BoneId;
use crate::sim::SystemSetup;
use std::collections::BTreeMap;

impl ComponentLists {
    /// Fills the lists of `setup`, whose joints came from `refs`; what names a node that is not there is left out.
    pub(crate) fn fill(
        &self,
        setup: &mut SystemSetup,
        refs: &[JointRef],
        colliders: &BTreeMap<ColliderId, u32>,
        bone: impl Fn(Node) -> Option<BoneId>,
    ) {
        match self {
            Self::None => {}
            Self::DynamicBone(own) => setup.dynamic_bone = own.map(bone),
            Self::EzSoftBone(own) => setup.ez_soft_bone = own.map(bone, by_position(&own.colliders, colliders)),
            Self::JointDynamics(own) => {
                let point = |joint: &JointRef| own.points.get(&joint.bone).map(|p| p.map(&bone)).unwrap_or_default();
                let points = if own.points.is_empty() { Vec::new() } else { refs.iter().map(point).collect() };
                setup.joint_dynamics = own.map(&bone, points, by_position(&own.colliders, colliders));
            }
            Self::Kawaii(own) => setup.kawaii = own.map(bone),
            Self::AnimDynamics(own) => setup.anim_dynamics = own.map(bone),
        }
    }
}

/// As long as the last position of which something is said; the rest has the engine's own.
fn by_position<T: Clone + Default>(own: &BTreeMap<ColliderId, T>, places: &BTreeMap<ColliderId, u32>) -> Vec<T> {
    let mut list = Vec::new();
    for (extra, at) in own.iter().filter_map(|(id, extra)| Some((extra, *places.get(id)? as usize))) {
        if list.len() <= at {
            list.resize(at + 1, T::default());
        }
        list[at] = extra.clone();
    }
    list
}
