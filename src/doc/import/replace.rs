//! A setup in place of what is there, as the engine's own window builds it.
//!
//! Colliders first: all that are there go, their nodes stay; nodes of the file's names are used again. Then bones:
//! all go, with the pivots that are safely the engine's own, and are built anew; of the character's values the
//! engine keeps some and forgets the rest.
//!
//! **Several systems.** What is taken down is all that the solvers of the file move, as the engine's window leaves no
//! manager but the one that it makes. Each system of the file takes the place of one of its solver: of that which has
//! its name, else of its number; it keeps the values that the file does not say, and chains with a bone that the file
//! names come under it. Other systems of these solvers go with their chains. Systems of other solvers stay bit for bit,
//! and so do the colliders that they name; only where the file describes a collider or a node of the same name, that
//! stands as the file says for all who name it.

mod build;
mod whole;

use super::verify::refused;
use super::{Missing, RowError, Wanted, verify};
use crate::doc::pivot::Axis;
use crate::doc::table::{BoneTable, Section, TableRow};
use crate::doc::{Chain, Document, Edit, HelperRole, Node, System, SystemId, difference};
use crate::report::Diagnostic;
use crate::rig::{BoneId, Skeleton};
use crate::schema::Row;
use crate::sim::SolverKind;
use crate::sim::solver::spring_bone::{ENABLE_ANGLE_LIMITS, ENABLE_COLLISION, ENABLE_LENGTH_LIMITS, IS_PAUSED};
use std::collections::{BTreeMap, BTreeSet};
use whole::{Built, Whole};

/// The engine forgets these values of the character; it keeps the others.
const FORGOTTEN: [Row; 4] = [IS_PAUSED, ENABLE_ANGLE_LIMITS, ENABLE_COLLISION, ENABLE_LENGTH_LIMITS];

/// What an artist chooses before a table takes the place of what is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplaceOptions {
    /// Which axis changes sign.
    pub mirror: Axis,
    /// The engine's two check boxes.
    pub wanted: Wanted,
    /// Names of the character's meshes, see [`renderer_names`](super::renderer_names).
    pub renderers: Vec<String>,
    /// Whether Yuremono's comment rows are used, which the engine passes over.
    pub extras: bool,
}

/// Something that the artist should know before building.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReplaceNote {
    /// The file has no bone rows and takes away all joints, that many.
    WipesBones(usize),
    /// Joints that the file does not have go, that many.
    RemovesJoints(usize),
    /// Systems that the file does not have go with their joints, that many.
    RemovesSystems(usize),
    /// Colliders that the file does not have go, that many; their nodes stay.
    RemovesColliders(usize),
    /// Systems of solvers that the file does not speak of stay.
    Stays {
        /// How many.
        systems: usize,
        /// Their joints.
        joints: usize,
        /// Colliders that stay for them alone.
        colliders: usize,
    },
    /// Only colliders come: the collider lists of joints become empty, so many that have one.
    EmptiesColliderLists(usize),
    /// The row of this line has the name of a bone of the file, which the engine would move. It stays here.
    WouldMoveBone(u64, String),
    /// The row of this line is for a bone that has another one, in this table or a later one: the engine gives the bone two components, here the
    /// later row acts.
    BoneTwice(u64, String),
    /// The row of this line describes a collider otherwise than an earlier table of the file, which counts.
    ColliderTwice(u64, String),
    /// Comment rows that find nothing here, that many, and what the first misses; they are kept for the next export.
    LostComments(usize, Missing),
    /// The row of this line would let a node sway that is no bone of the file; it is left out.
    NotABone(u64, String),
    /// The row of this line names colliders that are not here; the engine warns and goes on.
    NoColliders(u64, Vec<String>),
    /// The row of this line has lists of a component that name what is not here; it is left out of them.
    NoListed(u64, Vec<String>),
    /// Pause and the switches for limits and collision fall back to the engine's defaults.
    ForgetsSwitches,
}

/// What the systems of the file would have and what would go; what other solvers have alone is not counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReplaceCounts {
    /// Joints after it.
    pub joints: usize,
    /// Joints that go.
    pub joints_gone: usize,
    /// Colliders after it.
    pub colliders: usize,
    /// Colliders that go.
    pub colliders_gone: usize,
    /// Pivots after it.
    pub pivots: usize,
    /// Bare nodes after it.
    pub nulls: usize,
    /// Raised-thigh nodes after it.
    pub high_legs: usize,
}

/// A table of the file.
#[derive(Clone, Debug, PartialEq)]
struct Piece {
    table: BoneTable,
    /// The system whose place it takes, where that is settled.
    into: Option<SystemId>,
    errors: Vec<RowError>,
    refused: BTreeMap<Section, BTreeSet<usize>>,
}

impl Piece {
    /// Whether the engine leaves a row out.
    fn refuses(&self, section: Section, at: usize) -> bool {
        self.refused.get(&section).is_some_and(|rows| rows.contains(&at))
    }
}

/// Rows of a section that the engine takes.
fn taken<'a, T>(piece: &Piece, section: Section, rows: &'a [TableRow<T>]) -> Vec<(&'a TableRow<T>, &'a T)> {
    let good = rows.iter().enumerate().filter(|(at, _)| !piece.refuses(section, *at));
    good.filter_map(|(_, row)| Some((row, row.cells.as_ref().ok()?))).collect()
}

/// A replacement that has not happened yet.
#[derive(Clone, Debug, PartialEq)]
pub struct ReplacePlan {
    pieces: Vec<Piece>,
    diagnostics: Vec<Diagnostic>,
    options: ReplaceOptions,
    notes: Vec<ReplaceNote>,
    counts: ReplaceCounts,
}

impl ReplacePlan {
    /// Looks what a table would do here; `diagnostics` are those of reading.
    pub fn new(
        table: BoneTable,
        diagnostics: Vec<Diagnostic>,
        document: &Document,
        skeleton: &Skeleton,
        options: ReplaceOptions,
    ) -> Self {
        Self::of_tables(vec![(table, None)], diagnostics, document, skeleton, options)
    }

    /// As [`ReplacePlan::new`] for the tables of a file, each with the system of its solver whose place it takes; without
    /// one it is the first that no other table takes.
    pub fn of_tables(
        tables: Vec<(BoneTable, Option<SystemId>)>,
        diagnostics: Vec<Diagnostic>,
        document: &Document,
        skeleton: &Skeleton,
        options: ReplaceOptions,
    ) -> Self {
        let piece = |(table, into): (BoneTable, Option<SystemId>)| {
            let errors = verify(&table, document, skeleton, &options.renderers, options.wanted);
            let refused = refused(&errors);
            Piece { table, into, errors, refused }
        };
        let pieces = tables.into_iter().map(piece).collect();
        let counts = ReplaceCounts::default();
        let mut plan = Self { pieces, diagnostics, options, notes: Vec::new(), counts };
        let built = Whole::build(&plan, document, skeleton);
        plan.counts = plan.count(document, &built);
        plan.notes = plan.losses(document, &built);
        plan.notes.extend(built.notes);
        plan
    }

    /// The first table of the file.
    pub fn table(&self) -> &BoneTable {
        &self.pieces[0].table
    }

    /// What was found when the file was read.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// What was chosen.
    pub fn options(&self) -> &ReplaceOptions {
        &self.options
    }

    /// Rows that are left out, in the order in which the engine's window lists them, table by table.
    pub fn errors(&self) -> Vec<&RowError> {
        self.pieces.iter().flat_map(|piece| &piece.errors).collect()
    }

    /// Those of one table.
    pub fn errors_of(&self, at: usize) -> &[RowError] {
        self.pieces.get(at).map_or(&[], |piece| &piece.errors)
    }

    /// What the artist should know; what goes stands first.
    pub fn notes(&self) -> &[ReplaceNote] {
        &self.notes
    }

    /// What would be built and what would go.
    pub fn counts(&self) -> ReplaceCounts {
        self.counts
    }

    /// The document afterwards.
    pub fn after(&self, document: &Document, skeleton: &Skeleton) -> Document {
        Whole::build(self, document, skeleton).after
    }

    /// Everything as one edit; empty where nothing would change.
    pub fn edit(&self, document: &Document, skeleton: &Skeleton) -> Edit {
        difference(document, &self.after(document, skeleton))
    }

    /// Those that the file speaks of.
    fn solvers(&self) -> BTreeSet<SolverKind> {
        self.pieces.iter().map(|piece| piece.table.solver).collect()
    }

    fn takes_colliders(&self, piece: &Piece) -> bool {
        self.options.wanted.colliders && piece.table.has_collider_rules()
    }

    fn takes_bones(&self, piece: &Piece) -> bool {
        self.options.wanted.bones && !piece.table.no_bones
    }

    /// The chains of a document that the file's solvers move.
    fn chains<'d>(&self, document: &'d Document) -> impl Iterator<Item = &'d Chain> + use<'d> {
        let solvers = self.solvers();
        document.chains.values().filter(move |chain| solvers.contains(&document.solver_of(chain)))
    }

    fn count(&self, document: &Document, built: &Built) -> ReplaceCounts {
        let after = &built.after;
        let joints: BTreeSet<BoneId> = self.chains(after).flat_map(|c| &c.joints).map(|j| j.bone).collect();
        let before = self.chains(document).flat_map(|c| &c.joints);
        let of = |role: HelperRole| after.helpers.values().filter(move |h| h.role == role).count();
        let others: BTreeSet<Node> = after
            .chains
            .values()
            .filter(|chain| !self.solvers().contains(&after.solver_of(chain)))
            .flat_map(|chain| chain.joints.iter().filter_map(|joint| joint.pivot))
            .collect();
        let aside = |(id, h): &(&crate::doc::HelperId, &crate::doc::Helper)| {
            h.role == HelperRole::Pivot && others.contains(&Node::Helper(**id))
        };
        ReplaceCounts {
            joints: joints.len(),
            joints_gone: before.filter(|joint| !joints.contains(&joint.bone)).count(),
            colliders: after.colliders.len() - built.aside.len(),
            colliders_gone: document.colliders.keys().filter(|id| !after.colliders.contains_key(id)).count(),
            pivots: of(HelperRole::Pivot) - after.helpers.iter().filter(aside).count(),
            nulls: of(HelperRole::Null),
            high_legs: after.high_legs.len(),
        }
    }

    fn losses(&self, document: &Document, built: &Built) -> Vec<ReplaceNote> {
        let (after, counts) = (&built.after, self.counts);
        let mut notes = Vec::new();
        let before = self.chains(document).map(|chain| chain.joints.len()).sum::<usize>();
        let wipes = |piece: &Piece| self.takes_bones(piece) && piece.table.bones.is_empty();
        if self.pieces.iter().all(wipes) && before > 0 {
            notes.push(ReplaceNote::WipesBones(before));
        } else if counts.joints_gone > 0 {
            notes.push(ReplaceNote::RemovesJoints(counts.joints_gone));
        }
        let gone = counts.colliders_gone;
        notes.extend((gone > 0).then_some(ReplaceNote::RemovesColliders(gone)));
        let has = |chain: &Chain| {
            let joints = chain.joints.iter().filter(|joint| document.colliders_of(chain, joint).next().is_some());
            joints.count()
        };
        let lists: usize = self.chains(document).map(has).sum();
        let colliders_alone = self.pieces.iter().any(|p| self.takes_colliders(p)) && !self.options.wanted.bones;
        notes.extend((colliders_alone && lists > 0).then_some(ReplaceNote::EmptiesColliderLists(lists)));
        let others = |system: &&System| !self.solvers().contains(&system.solver);
        let systems: BTreeSet<SystemId> = after
            .chains
            .values()
            .map(|c| c.system)
            .filter(|id| after.systems.get(id).as_ref().is_some_and(others))
            .collect();
        let joints = after.chains.values().filter(|chain| systems.contains(&chain.system)).map(|c| c.joints.len());
        let (systems, joints, colliders) = (systems.len(), joints.sum(), built.aside.len());
        notes.extend((systems > 0).then_some(ReplaceNote::Stays { systems, joints, colliders }));
        let forgets = |(id, system): (&SystemId, &System)| {
            let now = after.systems.get(id).filter(|now| now.solver == SolverKind::UnityChanSpringBone);
            now.is_some_and(|now| FORGOTTEN.iter().any(|row| now.get(*row) != system.get(*row)))
        };
        let mut kept = document.systems.iter().filter(|(_, s)| s.solver == SolverKind::UnityChanSpringBone);
        notes.extend(kept.any(forgets).then_some(ReplaceNote::ForgetsSwitches));
        notes
    }
}
