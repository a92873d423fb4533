//! The kinds of files that hold setups.

use crate::document::Side;
use crate::sim::{Shape, SolverKind};

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
    pub const fn ending(self) -> &'static str {
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
    pub const fn is_of_trees(self) -> bool {
        self.solver().is_some()
    }

    /// The single nodes that a component of an engine's own format names; a format of ours has all lists.
    pub const fn single_nodes(self) -> &'static [Side] {
        match self {
            Self::Csv | Self::Parameters | Self::DynamicBoneCsv => &[],
            Self::KawaiiJson => &[Side::BaseBone],
            Self::EzJson => &[Side::SimulateSpace, Side::GravityAligner],
        }
    }

    /// Whether one file has room for several systems.
    pub const fn holds_systems(self) -> bool {
        matches!(self, Self::Parameters)
    }

    /// Whether a collider of that shape has a place in it, under a solver that knows the shape.
    pub const fn holds(self, shape: &Shape) -> bool {
        match self {
            Self::Csv | Self::Parameters | Self::EzJson => true,
            Self::DynamicBoneCsv => matches!(shape, Shape::Sphere { .. } | Shape::Capsule { .. } | Shape::Plane),
            Self::KawaiiJson => match shape {
                Shape::Sphere { .. } | Shape::Plane => true,
                Shape::Capsule { inside, .. } | Shape::Tapered { inside, .. } | Shape::Box { inside, .. } => !*inside,
                _ => false,
            },
        }
    }
}
