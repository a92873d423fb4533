//! A table in place of what is there, as the engine's own window builds it.
//!
//! Colliders first: all that are there go, their nodes stay; nodes of the file's names are used again. Then bones:
//! all go, with the pivots that are safely the engine's own, and are built anew; of the character's values the
//! engine keeps some and forgets the rest.

mod build;

use super::extras::Writer;
use super::verify::refused;
use super::{RowError, Wanted, kept, lists, verify};
use crate::doc::pivot::Axis;
use crate::doc::table::{BoneTable, Extra, Section, collider_text, component_text, null_text, pivot_text};
use crate::doc::{Document, Edit, HelperRole, difference};
use crate::report::Diagnostic;
use crate::rig::{BoneId, Pose, Skeleton, WorldPose};
use crate::schema::Row;
use crate::sim::solver::spring_bone::{ENABLE_ANGLE_LIMITS, ENABLE_COLLISION, ENABLE_LENGTH_LIMITS, IS_PAUSED};
use build::Build;
use std::collections::{BTreeMap, BTreeSet};

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
    /// Colliders that the file does not have go, that many; their nodes stay.
    RemovesColliders(usize),
    /// Only colliders come: the collider lists of joints become empty, so many that have one.
    EmptiesColliderLists(usize),
    /// The row of this line has the name of a bone of the file, which the engine would move. It stays here.
    WouldMoveBone(u64, String),
    /// The row of this line is for a bone that has another one: the engine gives the bone two components, here the
    /// later row acts.
    BoneTwice(u64, String),
    /// The row of this line would let a node sway that is no bone of the file; it is left out.
    NotABone(u64, String),
    /// The row of this line names colliders that are not here; the engine warns and goes on.
    NoColliders(u64, Vec<String>),
    /// The row of this line has lists of a component that name what is not here; it is left out of them.
    NoListed(u64, Vec<String>),
    /// Pause and the switches for limits and collision fall back to the engine's defaults.
    ForgetsSwitches,
}

/// What would be built and what would go.
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

/// A replacement that has not happened yet.
#[derive(Clone, Debug, PartialEq)]
pub struct ReplacePlan {
    table: BoneTable,
    diagnostics: Vec<Diagnostic>,
    options: ReplaceOptions,
    errors: Vec<RowError>,
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
        let document = &*document.only(table.solver);
        let errors = verify(&table, document, skeleton, &options.renderers, options.wanted);
        let counts = ReplaceCounts::default();
        let mut plan = Self { table, diagnostics, options, errors, notes: Vec::new(), counts };
        let (after, notes) = plan.built(document, skeleton);
        plan.notes = plan.losses(document, &after);
        plan.notes.extend(notes);
        let pivots = after.helpers.values().filter(|h| h.role == HelperRole::Pivot).count();
        let nulls = after.helpers.values().filter(|h| h.role == HelperRole::Null).count();
        let names: BTreeSet<&str> = after.colliders.values().map(|c| c.name.as_str()).collect();
        let stays = |bone: BoneId| after.joint_of(bone).is_some();
        let joints = document.chains.values().flat_map(|c| &c.joints);
        plan.counts = ReplaceCounts {
            joints: after.joint_count(),
            joints_gone: joints.filter(|j| !stays(j.bone)).count(),
            colliders: after.colliders.len(),
            colliders_gone: document.colliders.values().filter(|c| !names.contains(c.name.as_str())).count(),
            pivots,
            nulls,
            high_legs: after.high_legs.len(),
        };
        plan
    }

    /// The table that is imported.
    pub fn table(&self) -> &BoneTable {
        &self.table
    }

    /// What was found when the table was read.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// What was chosen.
    pub fn options(&self) -> &ReplaceOptions {
        &self.options
    }

    /// Rows that are left out, in the order in which the engine's window lists them.
    pub fn errors(&self) -> &[RowError] {
        &self.errors
    }

    /// What the artist should know; what goes stands first.
    pub fn notes(&self) -> &[ReplaceNote] {
        &self.notes
    }

    /// What would be built and what would go.
    pub fn counts(&self) -> ReplaceCounts {
        self.counts
    }

    /// Everything as one edit; empty where nothing would change.
    pub fn edit(&self, document: &Document, skeleton: &Skeleton) -> Edit {
        let only = &*document.only(self.table.solver);
        difference(document, &document.rejoin(only, self.built(only, skeleton).0))
    }

    fn takes_colliders(&self) -> bool {
        self.options.wanted.colliders && self.table.has_collider_rules()
    }

    fn takes_bones(&self) -> bool {
        self.options.wanted.bones && !self.table.no_bones
    }

    fn losses(&self, document: &Document, after: &Document) -> Vec<ReplaceNote> {
        let mut notes = Vec::new();
        let gone = document.joint_count() - document.joint_count().min(after.joint_count());
        if self.takes_bones() && self.table.bones.is_empty() && document.joint_count() > 0 {
            notes.push(ReplaceNote::WipesBones(document.joint_count()));
        } else if gone > 0 {
            notes.push(ReplaceNote::RemovesJoints(gone));
        }
        if self.takes_colliders() {
            let names: BTreeSet<&str> = after.colliders.values().map(|c| c.name.as_str()).collect();
            let gone = document.colliders.values().filter(|c| !names.contains(c.name.as_str())).count();
            let lists = document.chains.values().flat_map(|c| &c.joints).filter(|j| !j.colliders.is_empty()).count();
            notes.extend((gone > 0).then_some(ReplaceNote::RemovesColliders(gone)));
            notes.extend((!self.takes_bones() && lists > 0).then_some(ReplaceNote::EmptiesColliderLists(lists)));
        }
        let changed = |row: &Row| document.main().get(*row) != after.main().get(*row);
        notes.extend(FORGOTTEN.iter().any(changed).then_some(ReplaceNote::ForgetsSwitches));
        notes
    }

    fn built(&self, document: &Document, skeleton: &Skeleton) -> (Document, Vec<ReplaceNote>) {
        let mut build = Build {
            plan: self,
            skeleton,
            rest: WorldPose::of(skeleton, &Pose::rest(skeleton)),
            refused: refused(&self.errors),
            after: document.clone(),
            notes: Vec::new(),
        };
        if self.takes_colliders() {
            build.colliders();
        }
        if self.takes_bones() {
            build.bones();
        }
        let extras = build.extras();
        let mapping = BTreeMap::new();
        Writer::new(skeleton, self.options.mirror, &mapping).put_all(&mut build.after, extras);
        for row in extras {
            let Ok(Extra::Lists(cells)) = &row.cells else { continue };
            let (_, lost) = lists::found(cells, &build.after, skeleton, self.options.mirror, &mapping);
            if !lost.is_empty() {
                let names = lost.into_iter().map(|one| one.name).collect();
                build.notes.push(ReplaceNote::NoListed(row.line, names));
            }
        }
        build.after.kept = self.kept(skeleton, &build.refused);
        (build.after, build.notes)
    }

    /// Rows that find nothing here are kept for an export, as long as they say something.
    fn kept(&self, skeleton: &Skeleton, refused: &BTreeMap<Section, BTreeSet<usize>>) -> Vec<crate::doc::KeptRow> {
        let out = |section, at: usize| refused.get(&section).is_some_and(|rows| rows.contains(&at));
        let mut rows = Vec::new();
        let layout = crate::doc::table::Layout::of(self.table.solver);
        for row in self.table.bones.iter().filter(|r| skeleton.find(&r.name).is_none()) {
            rows.push((Section::Bones, row.name.clone(), kept::text(row, |c| layout.bone_text(c, None))));
        }
        for (_, row) in self.table.pivots.iter().enumerate().filter(|(at, _)| out(Section::Pivots, *at)) {
            rows.push((Section::Pivots, row.name.clone(), kept::text(row, |c| pivot_text(c, None))));
        }
        for (_, row) in self.table.colliders.iter().enumerate().filter(|(at, _)| out(Section::Colliders, *at)) {
            rows.push((Section::Colliders, row.name.clone(), kept::text(row, |c| collider_text(c, None))));
        }
        for (_, row) in self.table.nulls.iter().enumerate().filter(|(at, _)| out(Section::Nulls, *at)) {
            rows.push((Section::Nulls, row.name.clone(), kept::text(row, |c| null_text(c, None))));
        }
        for row in self.table.components.iter().filter(|r| r.cells.is_err()) {
            rows.push((Section::Components, row.name.clone(), kept::text(row, component_text)));
        }
        kept::of_table(self.table.solver, rows)
    }
}
