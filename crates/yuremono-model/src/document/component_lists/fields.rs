//! The parameter tables of list entries.

use super::ListKind;
use yuremono_sim::params::ParamDef;
use yuremono_sim::solver::{ez_soft_bone, joint_dynamics, kawaii};

impl ListKind {
    /// Returns the parameter table of an entry. The table is empty if entries have no values.
    pub const fn fields(self) -> &'static [ParamDef] {
        match self {
            Self::Grabbers => joint_dynamics::GRABBER_FIELDS,
            Self::ForceField => ez_soft_bone::FORCE_FIELD_FIELDS,
            Self::Constraints => kawaii::BONE_CONSTRAINT_FIELDS,
            Self::SyncBones => kawaii::SYNC_BONE_FIELDS,
            Self::Points => joint_dynamics::POINT_FIELDS,
            Self::Margins => ez_soft_bone::COLLIDER_FIELDS,
            Self::Frictions => joint_dynamics::COLLIDER_FIELDS,
            _ => &[],
        }
    }

    /// Returns the names of an entry's curves.
    pub const fn curves(self) -> &'static [ParamDef] {
        match self {
            Self::ForceField => ez_soft_bone::FORCE_FIELD_CURVES,
            Self::SyncBones => kawaii::SYNC_BONE_CURVES,
            _ => &[],
        }
    }

    /// Returns the index in [`ListKind::fields`] of the value that a curve multiplies.
    pub const fn curve_base_field(self, curve: usize) -> Option<usize> {
        match self {
            Self::ForceField if curve < ez_soft_bone::FORCE_FIELD_CURVES.len() => Some(curve + 1),
            _ => None,
        }
    }

    /// Returns the parameter table of each further node of an entry, for example of shifted bones.
    pub const fn member_fields(self) -> &'static [ParamDef] {
        if matches!(self, Self::SyncBones) { kawaii::SYNC_TARGET_FIELDS } else { &[] }
    }
}
