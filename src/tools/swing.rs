//! Limits of VRM's kind on joints: which shape, how wide, as edits.

use crate::document::{Chain, ChainId, Document, Edit};
use crate::document::{groups::are_known, groups::has_one_set};
use crate::rig::BoneId;
use crate::sim::{SwingLimit, SwingShape};
use glam::Quat;
use std::collections::BTreeMap;
use std::f32::consts::{FRAC_PI_2, FRAC_PI_4, PI};

/// A shape of limits without its angles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SwingKind {
    /// Every direction alike.
    Cone,
    /// To and fro across one axis.
    Hinge,
    /// Two angles.
    Spherical,
}

impl SwingKind {
    /// In the order in which they are listed.
    pub const ALL: [Self; 3] = [Self::Cone, Self::Hinge, Self::Spherical];

    /// That of a shape.
    pub const fn of(shape: SwingShape) -> Self {
        match shape {
            SwingShape::Cone { .. } => Self::Cone,
            SwingShape::Hinge { .. } => Self::Hinge,
            SwingShape::Spherical { .. } => Self::Spherical,
        }
    }

    /// How many angles it has.
    pub const fn angles(self) -> usize {
        match self {
            Self::Cone | Self::Hinge => 1,
            Self::Spherical => 2,
        }
    }

    /// The widest that an angle may be, radians.
    pub const fn widest(self, at: usize) -> f32 {
        if matches!((self, at), (Self::Spherical, 1)) { FRAC_PI_2 } else { PI }
    }
}

/// Whether a chain's joints can have such limits; VRM 0.x has none.
pub fn are_allowed(document: &Document, chain: &Chain) -> bool {
    are_known(document.solver_of(chain)) && !has_one_set(document.system_of(chain))
}

/// The angle at a place of a shape, radians; a shape with one angle has it at both.
pub const fn angle(shape: SwingShape, at: usize) -> f32 {
    match shape {
        SwingShape::Cone { angle } | SwingShape::Hinge { angle } => angle,
        SwingShape::Spherical { pitch, .. } if at == 0 => pitch,
        SwingShape::Spherical { yaw, .. } => yaw,
    }
}

/// The limit with another shape: the angles stay as far as they can, a new limit has 45°.
pub fn of_kind(old: Option<SwingLimit>, kind: SwingKind) -> SwingLimit {
    let old_angle = |at| old.map_or(FRAC_PI_4, |limit| angle(limit.shape, at)).min(kind.widest(at));
    let shape = match kind {
        SwingKind::Cone => SwingShape::Cone { angle: old_angle(0) },
        SwingKind::Hinge => SwingShape::Hinge { angle: old_angle(0) },
        SwingKind::Spherical => SwingShape::Spherical { pitch: old_angle(0), yaw: old_angle(1) },
    };
    SwingLimit { shape, rotation: old.map_or(Quat::IDENTITY, |limit| limit.rotation) }
}

/// The limit with another angle, radians; kept between 0 and the widest. Without effect where it is no number, or the
/// shape has no such angle.
pub fn with_angle(limit: SwingLimit, at: usize, radians: f32) -> SwingLimit {
    let kind = SwingKind::of(limit.shape);
    if radians.is_nan() || at >= kind.angles() {
        return limit;
    }
    let new = radians.clamp(0.0, kind.widest(at));
    let shape = match limit.shape {
        SwingShape::Cone { .. } => SwingShape::Cone { angle: new },
        SwingShape::Hinge { .. } => SwingShape::Hinge { angle: new },
        SwingShape::Spherical { yaw, .. } if at == 0 => SwingShape::Spherical { pitch: new, yaw },
        SwingShape::Spherical { pitch, .. } => SwingShape::Spherical { pitch, yaw: new },
    };
    SwingLimit { shape, ..limit }
}

/// Another limit on some joints.
pub fn set(
    document: &Document,
    joints: &[(ChainId, BoneId)],
    change: impl Fn(BoneId, Option<SwingLimit>) -> Option<SwingLimit>,
) -> Edit {
    let mut changed = BTreeMap::new();
    for (id, bone) in joints {
        let Some(old) = document.chains.get(id) else { continue };
        let Some(at) = old.position(*bone) else { continue };
        let chain = changed.entry(*id).or_insert_with(|| old.clone());
        chain.joints[at].limit = change(*bone, chain.joints[at].limit);
    }
    let edits = changed.into_iter().filter(|(id, chain)| document.chains[id] != *chain);
    Edit::Batch(edits.map(|(id, chain)| Edit::PutChain { id, chain: Some(Box::new(chain)) }).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Chain, Joint, Part};
    use crate::sim::SolverKind;

    fn limit(shape: SwingShape) -> SwingLimit {
        SwingLimit { shape, rotation: Quat::from_rotation_x(0.3) }
    }

    #[test]
    fn another_shape_keeps_what_angles_it_can_and_the_turn() {
        let cone = limit(SwingShape::Cone { angle: 2.0 });
        let both = of_kind(Some(cone), SwingKind::Spherical);
        assert_eq!(both.shape, SwingShape::Spherical { pitch: 2.0, yaw: FRAC_PI_2 });
        assert_eq!(both.rotation, cone.rotation);
        assert_eq!(of_kind(Some(both), SwingKind::Hinge).shape, SwingShape::Hinge { angle: 2.0 });
        assert_eq!(of_kind(None, SwingKind::Cone).shape, SwingShape::Cone { angle: FRAC_PI_4 });
    }

    #[test]
    fn angles_stay_within_what_the_shape_allows() {
        let both = limit(SwingShape::Spherical { pitch: 0.5, yaw: 0.5 });
        assert_eq!(with_angle(both, 0, 9.0).shape, SwingShape::Spherical { pitch: PI, yaw: 0.5 });
        assert_eq!(with_angle(both, 1, 9.0).shape, SwingShape::Spherical { pitch: 0.5, yaw: FRAC_PI_2 });
        assert_eq!(with_angle(both, 1, -1.0).shape, SwingShape::Spherical { pitch: 0.5, yaw: 0.0 });
        assert_eq!(with_angle(both, 0, f32::NAN), both);
        let hinge = limit(SwingShape::Hinge { angle: 1.0 });
        assert_eq!(with_angle(hinge, 1, 0.2), hinge, "it has one angle");
    }

    #[test]
    fn joints_of_several_chains_change_in_one_edit_and_others_stay() {
        let mut document = Document::under(SolverKind::Vrm);
        let table = document.main().table();
        for id in [1, 2] {
            let joints = [0, 1].map(|i| Joint::new(BoneId(id * 10 + i))).to_vec();
            let chain = Some(Box::new(Chain::new(format!("{id}"), Part::Hair, table, joints)));
            document.apply(Edit::PutChain { id: ChainId(id), chain }).expect("a chain");
        }
        assert!(are_allowed(&document, &document.chains[&ChainId(1)]));
        let before = document.clone();
        let joints = [(ChainId(1), BoneId(11)), (ChainId(2), BoneId(20))];
        let edit = set(&document, &joints, |_, old| Some(of_kind(old, SwingKind::Cone)));
        let (undo, _) = document.apply(edit).expect("it fits");
        let limited: Vec<bool> = document.chains.values().flat_map(|c| &c.joints).map(|j| j.limit.is_some()).collect();
        assert_eq!(limited, [false, true, true, false]);
        assert_eq!(set(&document, &joints, |_, old| old), Edit::Batch(Vec::new()));
        document.apply(undo).expect("back");
        assert_eq!(document, before);
    }
}
