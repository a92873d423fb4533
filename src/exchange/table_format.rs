//! The kinds of files that hold setups.

use crate::document::ListKind;
use crate::sim::{ColliderShape, SolverKind};

/// A kind of file that a table is read from or written to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TableFormat {
    /// `UnityChan`'s dynamics CSV and its like for other solvers.
    #[default]
    Csv,
    /// Yuremono's JSON of every parameter by bone name, of any solver.
    Parameters,
    /// The sections that the editor extension `DynamicBoneDynamicsCsv` saves and loads.
    DynamicBoneCsv,
    /// The properties of `KawaiiPhysics`' animation nodes as JSON.
    KawaiiJson,
    /// The fields of `EZSoftBone`'s components and materials as JSON.
    EzJson,
}

impl TableFormat {
    /// In the order in which they are listed.
    pub const ALL: [Self; 5] = [Self::Csv, Self::Parameters, Self::DynamicBoneCsv, Self::KawaiiJson, Self::EzJson];

    /// Its name on the command line and among translations.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Parameters => "parameters",
            Self::DynamicBoneCsv => "dynamic-bone",
            Self::KawaiiJson => "kawaii-physics",
            Self::EzJson => "ez-soft-bone",
        }
    }

    /// How its files end.
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Csv | Self::DynamicBoneCsv => "csv",
            Self::Parameters | Self::KawaiiJson | Self::EzJson => "json",
        }
    }

    /// The only solver whose setups it holds; `None` where it holds those of all.
    pub const fn solver(self) -> Option<SolverKind> {
        match self {
            Self::Csv | Self::Parameters => None,
            Self::DynamicBoneCsv => Some(SolverKind::DynamicBone),
            Self::KawaiiJson => Some(SolverKind::KawaiiPhysics),
            Self::EzJson => Some(SolverKind::EzSoftBone),
        }
    }

    /// Whether it speaks of chains by their roots, with a base and a curve for all of their joints.
    pub const fn stores_chain_trees(self) -> bool {
        self.solver().is_some()
    }

    /// The single nodes that a component of an engine's own format names; a format of ours has all lists.
    pub const fn single_node_lists(self) -> &'static [ListKind] {
        match self {
            Self::Csv | Self::Parameters | Self::DynamicBoneCsv => &[],
            Self::KawaiiJson => &[ListKind::BaseBone],
            Self::EzJson => &[ListKind::SimulateSpace, ListKind::GravityAligner],
        }
    }

    /// Whether one file has room for several systems.
    pub const fn supports_several_systems(self) -> bool {
        matches!(self, Self::Parameters)
    }

    /// Whether a collider of that shape has a place in it, under a solver that knows the shape.
    pub const fn supports_shape(self, shape: &ColliderShape) -> bool {
        match self {
            Self::Csv | Self::Parameters | Self::EzJson => true,
            Self::DynamicBoneCsv => {
                matches!(shape, ColliderShape::Sphere { .. } | ColliderShape::Capsule { .. } | ColliderShape::Plane)
            }
            Self::KawaiiJson => match shape {
                ColliderShape::Sphere { .. } | ColliderShape::Plane => true,
                ColliderShape::Capsule { inside, .. }
                | ColliderShape::TaperedCapsule { inside, .. }
                | ColliderShape::Box { inside, .. } => !*inside,
                _ => false,
            },
        }
    }
}
