//! Which frames a step must compute beside those that the solvers compute themselves.

use crate::rig::{BoneId, Skeleton};
use crate::sim::SystemSetup;

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
        let mut read = vec![false; skeleton.len()];
        let legs = setup.high_legs.iter().flat_map(|h| h.legs.iter().flatten().chain([&h.bone, &h.hip]));
        for bone in read_bones(setup).chain(legs.copied()) {
            std::iter::successors(Some(bone), |b| skeleton.parent(*b)).for_each(|b| read[b.index()] = true);
        }
        let mut sweep = Self { before: all(), after: all() };
        sweep.before.retain(|b| !joint[*b as usize] || read[*b as usize]);
        sweep.after.retain(|b| !joint[*b as usize]);
        sweep
    }
}

/// The bones whose frames joints read: pivots, centers, colliders, forces, and what lengths are kept to.
pub(in crate::sim) fn read_bones(setup: &SystemSetup) -> impl Iterator<Item = BoneId> {
    let of_joints =
        setup.joints.iter().flat_map(|j| j.pivot.into_iter().chain(j.length_targets.iter().map(|t| t.bone)));
    let centers = setup.vrm.iter().filter_map(|v| v.center);
    let named = setup.component.into_iter().chain(setup.dynamic_bone.reference).chain(setup.ez.bones());
    let placed = setup.colliders.iter().map(|c| c.bone).chain(setup.forces.iter().map(|f| f.bone));
    of_joints.chain(centers).chain(named).chain(placed)
}
