//! Which frames a step must compute beside those that the solvers compute themselves.

use crate::rig::{BoneId, Skeleton};
use crate::sim::{JointSetup, SystemSetup};

/// Bones, parents first.
#[derive(Clone, Debug)]
pub(super) struct Sweep {
    /// Before the solvers: all but joints that nothing is read from before their turn.
    pub(super) before: Vec<u32>,
    /// After them: all but joints.
    pub(super) after: Vec<u32>,
}

impl Sweep {
    pub(super) fn new(skeleton: &Skeleton, setups: &[SystemSetup]) -> Self {
        let all = || (0..skeleton.len() as u32).collect::<Vec<_>>();
        let [setup] = setups else {
            // What one system leaves, the next one reads: everything, to be sure.
            return Self { before: all(), after: all() };
        };
        let mut joint = vec![false; skeleton.len()];
        setup.joints.iter().for_each(|j| joint[j.bone.index()] = true);
        // A pivot or collider below a joint may be read before that joint's turn.
        let legs = setup.high_legs.iter().flat_map(|h| h.legs.iter().flatten().chain([&h.bone, &h.hip]));
        let read = with_ancestors(skeleton, read_bones(setup).chain(legs.copied()));
        let mut sweep = Self { before: all(), after: all() };
        sweep.before.retain(|b| !joint[*b as usize] || read[*b as usize]);
        sweep.after.retain(|b| !joint[*b as usize]);
        sweep
    }
}

/// The bones whose frames joints read: pivots, centers, colliders, forces, and what lengths are kept to.
pub(in crate::sim) fn read_bones(setup: &SystemSetup) -> impl Iterator<Item = BoneId> {
    setup.joints.iter().flat_map(read_by).chain(read_by_all(setup))
}

/// The bones that one joint reads alone.
pub(in crate::sim) fn read_by(joint: &JointSetup) -> impl Iterator<Item = BoneId> {
    joint.pivot.into_iter().chain(joint.length_targets.iter().map(|t| t.bone))
}

/// The bones that any joint may read.
pub(in crate::sim) fn read_by_all(setup: &SystemSetup) -> impl Iterator<Item = BoneId> {
    let centers = setup.vrm.iter().filter_map(|v| v.center);
    let named = setup.component.into_iter().chain(setup.dynamic_bone.reference).chain(setup.ez.bones());
    let placed = setup.colliders.iter().map(|c| c.bone).chain(setup.forces.iter().map(|f| f.bone));
    centers.chain(named).chain(placed)
}

/// Which bones are among these or carry one somewhere below.
pub(in crate::sim) fn with_ancestors(skeleton: &Skeleton, bones: impl Iterator<Item = BoneId>) -> Vec<bool> {
    let mut marked = vec![false; skeleton.len()];
    for bone in bones {
        let mut above = std::iter::successors(Some(bone), |b| skeleton.parent(*b));
        // What is marked has its ancestors marked.
        while let Some(bone) = above.next().filter(|b| !marked[b.index()]) {
            marked[bone.index()] = true;
        }
    }
    marked
}
