//! Edits of VRM angle limits.

use super::length_limits::edit_joints;
use crate::document::{Chain, ChainId, Document, Edit};
use crate::document::{groups::are_supported, groups::has_values_per_chain};
use glam::Quat;
use std::f32::consts::{FRAC_PI_2, FRAC_PI_4, PI};
use yuremono_sim::rig::BoneId;
use yuremono_sim::{SwingLimit, SwingShape};

/// The kind of a limit, without angles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SwingLimitKind {
    /// The same angle in every direction.
    Cone,
    /// Rotation about one axis.
    Hinge,
    /// Pitch and yaw.
    Spherical,
}

impl SwingLimitKind {
    /// All kinds, in display order.
    pub const ALL: [Self; 3] = [Self::Cone, Self::Hinge, Self::Spherical];

    /// Returns the kind of a shape.
    pub const fn of(shape: SwingShape) -> Self {
        match shape {
            SwingShape::Cone { .. } => Self::Cone,
            SwingShape::Hinge { .. } => Self::Hinge,
            SwingShape::Spherical { .. } => Self::Spherical,
        }
    }

    /// Returns the number of angles, 1 or 2.
    pub const fn angle_count(self) -> usize {
        match self {
            Self::Cone | Self::Hinge => 1,
            Self::Spherical => 2,
        }
    }

    /// Returns the largest allowed angle, in radians.
    pub const fn max_angle(self, at: usize) -> f32 {
        if matches!((self, at), (Self::Spherical, 1)) { FRAC_PI_2 } else { PI }
    }
}

/// Returns whether the joints of a chain support these limits. VRM 0.x does not support limits.
pub fn supports_swing_limits(document: &Document, chain: &Chain) -> bool {
    are_supported(document.solver_of(chain)) && !has_values_per_chain(document.system_of(chain))
}

/// Returns the angle at an index, in radians. Shapes with one angle return the same angle for both indices.
pub const fn angle(shape: SwingShape, at: usize) -> f32 {
    match shape {
        SwingShape::Cone { angle } | SwingShape::Hinge { angle } => angle,
        SwingShape::Spherical { pitch, .. } if at == 0 => pitch,
        SwingShape::Spherical { yaw, .. } => yaw,
    }
}

/// Changes the kind of a limit. Angles are kept as far as possible; a new limit has 45°.
pub fn with_kind(old: Option<SwingLimit>, kind: SwingLimitKind) -> SwingLimit {
    let old_angle = |at| old.map_or(FRAC_PI_4, |limit| angle(limit.shape, at)).min(kind.max_angle(at));
    let shape = match kind {
        SwingLimitKind::Cone => SwingShape::Cone { angle: old_angle(0) },
        SwingLimitKind::Hinge => SwingShape::Hinge { angle: old_angle(0) },
        SwingLimitKind::Spherical => SwingShape::Spherical { pitch: old_angle(0), yaw: old_angle(1) },
    };
    SwingLimit { shape, rotation: old.map_or(Quat::IDENTITY, |limit| limit.rotation) }
}

/// Changes an angle, in radians, clamped to the allowed range. Returns the limit unchanged for NaN or a missing angle.
pub fn with_angle(limit: SwingLimit, at: usize, radians: f32) -> SwingLimit {
    let kind = SwingLimitKind::of(limit.shape);
    if radians.is_nan() || at >= kind.angle_count() {
        return limit;
    }
    let new = radians.clamp(0.0, kind.max_angle(at));
    let shape = match limit.shape {
        SwingShape::Cone { .. } => SwingShape::Cone { angle: new },
        SwingShape::Hinge { .. } => SwingShape::Hinge { angle: new },
        SwingShape::Spherical { yaw, .. } if at == 0 => SwingShape::Spherical { pitch: new, yaw },
        SwingShape::Spherical { pitch, .. } => SwingShape::Spherical { pitch, yaw: new },
    };
    SwingLimit { shape, ..limit }
}

/// Changes the limits of joints.
pub fn set_limits(
    document: &Document,
    joints: &[(ChainId, BoneId)],
    change: impl Fn(BoneId, Option<SwingLimit>) -> Option<SwingLimit>,
) -> Edit {
    let edit = edit_joints(document, joints, |joint| joint.limit = change(joint.bone, joint.limit));
    edit.unwrap_or_else(|| Edit::Batch(Vec::new()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Chain, ChainPart, Joint};
    use yuremono_sim::SolverKind;

    fn limit(shape: SwingShape) -> SwingLimit {
        SwingLimit { shape, rotation: Quat::from_rotation_x(0.3) }
    }

    #[test]
    fn changing_the_limit_kind_keeps_angles_and_rotation() {
        let cone = limit(SwingShape::Cone { angle: 2.0 });
        let both = with_kind(Some(cone), SwingLimitKind::Spherical);
        assert_eq!(both.shape, SwingShape::Spherical { pitch: 2.0, yaw: FRAC_PI_2 });
        assert_eq!(both.rotation, cone.rotation);
        assert_eq!(with_kind(Some(both), SwingLimitKind::Hinge).shape, SwingShape::Hinge { angle: 2.0 });
        assert_eq!(with_kind(None, SwingLimitKind::Cone).shape, SwingShape::Cone { angle: FRAC_PI_4 });
    }

    #[test]
    fn with_angle_clamps_to_the_range_of_the_limit_kind() {
        let both = limit(SwingShape::Spherical { pitch: 0.5, yaw: 0.5 });
        assert_eq!(with_angle(both, 0, 9.0).shape, SwingShape::Spherical { pitch: PI, yaw: 0.5 });
        assert_eq!(with_angle(both, 1, 9.0).shape, SwingShape::Spherical { pitch: 0.5, yaw: FRAC_PI_2 });
        assert_eq!(with_angle(both, 1, -1.0).shape, SwingShape::Spherical { pitch: 0.5, yaw: 0.0 });
        assert_eq!(with_angle(both, 0, f32::NAN), both);
        let hinge = limit(SwingShape::Hinge { angle: 1.0 });
        assert_eq!(with_angle(hinge, 1, 0.2), hinge, "it has one angle");
    }

    #[test]
    fn set_limits_changes_only_the_given_joints_in_one_edit() {
        let mut document = Document::with_solver(SolverKind::Vrm);
        let table = document.main_system().param_defs();
        for id in [1, 2] {
            let joints = [0, 1].map(|i| Joint::new(BoneId(id * 10 + i))).to_vec();
            let chain = Some(Box::new(Chain::new(format!("{id}"), ChainPart::Hair, table, joints)));
            document.apply(Edit::PutChain { id: ChainId(id), chain }).expect("a chain");
        }
        assert!(supports_swing_limits(&document, &document.chains[&ChainId(1)]));
        let before = document.clone();
        let joints = [(ChainId(1), BoneId(11)), (ChainId(2), BoneId(20))];
        let edit = set_limits(&document, &joints, |_, old| Some(with_kind(old, SwingLimitKind::Cone)));
        let changes = document.apply_recorded(edit).expect("it fits");
        let limited: Vec<bool> = document.chains.values().flat_map(|c| &c.joints).map(|j| j.limit.is_some()).collect();
        assert_eq!(limited, [false, true, true, false]);
        assert_eq!(set_limits(&document, &joints, |_, old| old), Edit::Batch(Vec::new()));
        changes.revert(&mut document);
        assert_eq!(document, before);
    }
}
