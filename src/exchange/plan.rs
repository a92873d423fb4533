//! What an import would do with each entry of a file.

use super::laying::{Laid, lay};
use super::merge::{MergeInput, Merged, merge};
use super::plan_rows::{Counts, Missing, PlanRow, RowNote, RowState, UnresolvedRows};
use super::resolver::NameResolver;
use super::{ReplaceOptions, ReplacePlan, Section, SetupFile, trees};
use crate::document::{Chain, Document, Edit, difference};
use crate::exchange::remap::Leads;
use crate::feel::convert::Conversion;
use crate::report::{Diagnostic, Place, clip};
use crate::rig::{BoneId, Character, Skeleton};
use std::collections::{BTreeMap, BTreeSet};

/// An import that has not happened yet.
#[derive(Clone, Debug)]
pub struct ImportPlan {
    file: SetupFile,
    found: Vec<Diagnostic>,
    leads: Leads,
    laid: Laid,
    is_moved: bool,
    /// Bones of entries that are known without their names.
    known: Vec<Option<BoneId>>,
    rows: Vec<PlanRow>,
    not_in_file: usize,
}

impl ImportPlan {
    /// Compares a file, in glTF's space, with a document. Names in `leads` mean what `leads` says, others the bone or
    /// node of exactly that name; `found` are the diagnostics of reading.
    pub fn new(
        mut file: SetupFile,
        found: &[Diagnostic],
        document: &Document,
        character: &Character,
        leads: &Leads,
    ) -> Self {
        let skeleton = &character.skeleton;
        let resolver = NameResolver::new(document, skeleton, leads);
        let known = trees::grow(&mut file, skeleton, |name| resolver.bone(name));
        let named = named_bones(&file, &known, &resolver);
        let laid = lay(document, character, &file.systems, &named);
        let is_moved = laid.conversion.after != *document;
        let (found, leads) = (found.to_vec(), leads.clone());
        let mut plan = Self { file, found, leads, laid, is_moved, known, rows: Vec::new(), not_in_file: 0 };
        let outcomes = plan.merge(skeleton, &|_| true).outcomes;
        let rows = plan.file.items.iter().zip(outcomes).map(|(item, one)| PlanRow::new(item, one.target, one.state));
        plan.rows = rows.collect();
        plan.not_in_file = plan.not_in_file().count();
        plan
    }

    fn merge(&self, skeleton: &Skeleton, is_used: &dyn Fn(usize) -> bool) -> Merged {
        let (file, known, into, leads) = (&self.file, &*self.known, &*self.laid.into, &self.leads);
        merge(MergeInput { file, known, into, skeleton, leads }, &self.laid.conversion.after, is_used)
    }

    /// The file; its trees have become joints of the skeleton.
    pub fn file(&self) -> &SetupFile {
        &self.file
    }

    /// What was found when the file was read.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.found
    }

    /// One row per entry of [`ImportPlan::file`], in its order.
    pub fn rows(&self) -> &[PlanRow] {
        &self.rows
    }

    /// The rows of a section with their positions among all rows.
    pub fn rows_of(&self, section: Section) -> impl Iterator<Item = (usize, &PlanRow)> {
        self.rows.iter().enumerate().filter(move |(at, _)| self.file.items[*at].section == section)
    }

    /// How many rows of a section are of each kind.
    pub fn counts_of(&self, section: Section) -> Counts {
        let not_in_file = if section == Section::Joints { self.not_in_file } else { 0 };
        let mut counts = Counts { not_in_file, ..Counts::default() };
        for (_, row) in self.rows_of(section) {
            match row.state {
                RowState::Matches { .. } | RowState::New { .. } => counts.matching += 1,
                RowState::NoBone
                | RowState::NoNode(_)
                | RowState::Missing(_)
                | RowState::Unused
                | RowState::Repeated(_) => counts.no_bone += 1,
                RowState::BadCells(_) => counts.bad += 1,
            }
            counts.ticked += usize::from(row.ticked);
        }
        counts
    }

    /// Uses a row or leaves it out; rows that cannot be used stay out.
    pub fn set_tick(&mut self, row: usize, ticked: bool) {
        if let Some(row) = self.rows.get_mut(row) {
            row.ticked = ticked && row.state.is_usable();
        }
    }

    /// How many rows are used.
    pub fn ticked(&self) -> usize {
        self.rows.iter().filter(|row| row.ticked).count()
    }

    /// The document that the file is compared with, where chains must change their solver or system first, and what is
    /// lost by that.
    pub fn moved(&self) -> Option<&Conversion> {
        self.is_moved.then_some(&self.laid.conversion)
    }

    /// The chains of the systems that the file is for.
    pub fn chains(&self) -> impl Iterator<Item = &Chain> {
        let document = &self.laid.conversion.after;
        let fits = |chain: &Chain| {
            let systems = self.file.systems.iter().zip(&self.laid.into);
            let mut fits = systems.map(|(system, into)| match into {
                Some(id) => chain.system == *id,
                None => document.solver_of(chain) == system.solver,
            });
            fits.any(|fits| fits)
        };
        document.chains.values().filter(move |chain| fits(chain))
    }

    /// Joints of [`ImportPlan::chains`] that no entry is for, with their chains.
    pub fn not_in_file(&self) -> impl Iterator<Item = (&Chain, BoneId)> {
        let targets: BTreeSet<BoneId> = self.rows_of(Section::Joints).filter_map(|(_, row)| row.target).collect();
        let joints = self.chains().flat_map(|chain| chain.joints.iter().map(move |joint| (chain, joint.bone)));
        joints.filter(move |(_, bone)| !targets.contains(bone))
    }

    /// Names that entries refer to and that are not here, each once, in the order of the file.
    pub fn unresolved(&self) -> Vec<UnresolvedRows> {
        let mut found: Vec<UnresolvedRows> = Vec::new();
        let mut known: BTreeMap<&Missing, usize> = BTreeMap::new();
        for row in &self.rows {
            let RowState::Missing(missing) = &row.state else { continue };
            if let Some(at) = known.get(missing) {
                found[*at].rows += 1;
                continue;
            }
            known.insert(missing, found.len());
            let line = Some(row.line).filter(|line| *line > 0);
            found.push(UnresolvedRows { missing: missing.clone(), line, kind: row.name.clone(), rows: 1 });
        }
        found
    }

    /// What ticked entries refer to in component lists and this character lacks, each with its place in the file.
    pub fn findings(&self, file_name: &str) -> Vec<Diagnostic> {
        let mut all = Vec::new();
        for (item, row) in self.file.items.iter().zip(&self.rows).filter(|(_, row)| row.ticked) {
            let place_of = |below: &str| match (item.line, item.pointer.as_str()) {
                (0, "") => Place::file(file_name),
                (0, pointer) => Place::file(file_name).at(format!("{pointer}{below}")),
                (line, _) => Place::file(file_name).line(line),
            };
            for note in row.state.notes() {
                match note {
                    RowNote::NoListed(lost) => all.extend(lost.iter().map(|one| {
                        let kind = if one.is_collider { "collider" } else { "node" };
                        let name = clip(&one.name);
                        let message =
                            format!("there is no {kind} \"{name}\" here; the component's entry for it is left out");
                        Diagnostic::warning(place_of(&one.place), message)
                    })),
                    RowNote::SeveralComponents => all.push(Diagnostic::warning(place_of(""), note.to_string())),
                    _ => {}
                }
            }
        }
        let more = all.len().saturating_sub(MOST_FINDINGS);
        all.truncate(MOST_FINDINGS);
        if more > 0 {
            all.push(Diagnostic::warning(Place::file(file_name), format!("{more} more findings are not listed")));
        }
        all
    }

    /// The document with the ticked rows.
    pub fn after(&self, skeleton: &Skeleton) -> Document {
        let is_used = |at: usize| self.rows.get(at).is_none_or(|row| row.ticked || !row.state.is_usable());
        self.merge(skeleton, &is_used).after
    }

    /// The file in place of what is there, over [`ImportPlan::moved`] or else the document that the plan was made for.
    pub fn replacement(&self, document: &Document, skeleton: &Skeleton, options: ReplaceOptions) -> ReplacePlan {
        let document = self.moved().map_or(document, |conversion| &conversion.after);
        ReplacePlan::new(&self.file, &self.laid.into, &self.found, document, skeleton, options)
    }

    /// The ticked rows as one edit of the document that the plan was made for; empty where nothing would change.
    pub fn edit(&self, document: &Document, skeleton: &Skeleton) -> Edit {
        difference(document, &self.after(skeleton))
    }
}

/// The most findings that one file yields.
const MOST_FINDINGS: usize = 200;

/// The bones that each system of a file has as joints.
fn named_bones(file: &SetupFile, known: &[Option<BoneId>], resolver: &NameResolver<'_>) -> Vec<BTreeSet<BoneId>> {
    let mut named = vec![BTreeSet::new(); file.systems.len()];
    for (item, known) in file.items.iter().zip(known).filter(|(item, _)| item.section == Section::Joints) {
        if let Some(bones) = named.get_mut(item.system) {
            bones.extend(known.or_else(|| resolver.bone(&item.name)));
        }
    }
    named
}
