//! A whole file into a document: every system that it holds, each by a plan of its own.
//!
//! A table goes under the system of its solver that has its name, else under the one of its number among those of the
//! solver, else under a new one. Chains of other systems that have a bone which it names come along; one whose bones
//! several tables name is parted. A file with one table for a solver leaves chains under whichever of the solver's systems
//! they are, as a CSV does.

use super::leads::Finder;
use super::{ImportPlan, ReplaceOptions, ReplacePlan, RowState, trees};
use crate::doc::convert::{Conversion, convert, convert_chains};
use crate::doc::pivot::Axis;
use crate::doc::remap::Leads;
use crate::doc::table::{BoneTable, Extra, ExtraRow, Section};
use crate::doc::{Chain, ChainId, Document, Edit, System, SystemId, components, difference};
use crate::report::Diagnostic;
use crate::rig::{BoneId, Character, Skeleton};
use crate::sim::SolverKind;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// An import of all tables of a file that has not happened yet.
#[derive(Clone, Debug)]
pub struct SetupPlan {
    /// The document with every chain under the system that it goes to, and what that costs.
    laid: Conversion,
    changed: bool,
    plans: Vec<ImportPlan>,
    /// Where each table goes; `None` for whichever systems of its solver.
    into: Vec<Option<SystemId>>,
}

impl SetupPlan {
    /// Compares the tables of a file with what is there, one after the other: each finds what those before it made. Names
    /// and findings as for [`ImportPlan::new`].
    pub fn new(
        tables: Vec<BoneTable>,
        diagnostics: &[Diagnostic],
        document: &Document,
        character: &Character,
        mirror: Axis,
        leads: &Leads,
    ) -> Self {
        let skeleton = &character.skeleton;
        let finder = Finder::new(leads, skeleton);
        let named: Vec<BTreeSet<BoneId>> = tables.iter().map(|table| named(table, finder)).collect();
        let sharing: Vec<_> = tables.iter().map(|table| sharing(table, finder, |_| true)).collect();
        let (laid, into) = lay(document, character, &tables, &named);
        let mut plan = Self { changed: laid.after != *document, laid, plans: Vec::new(), into };
        let mut now = plan.laid.after.clone();
        for (at, table) in tables.into_iter().enumerate() {
            let part = plan.part(at, table.solver, &now, &sharing);
            let mut next = ImportPlan::new(table, diagnostics.to_vec(), &part, skeleton, mirror, leads);
            next.leave_to_later(named.get(at + 1..).unwrap_or_default());
            let after = next.after(&part, skeleton);
            now = now.rejoin(&part, after);
            plan.plans.push(next);
        }
        plan
    }

    /// One plan for each table, in the order of the file.
    pub fn plans(&self) -> &[ImportPlan] {
        &self.plans
    }

    /// As [`SetupPlan::plans`], to leave rows out.
    pub fn plans_mut(&mut self) -> &mut [ImportPlan] {
        &mut self.plans
    }

    /// The document that the tables are laid over, where chains must move first, and what that costs.
    pub fn moved(&self) -> Option<&Conversion> {
        self.changed.then_some(&self.laid)
    }

    /// The part of the document that a table is laid over, before any table is.
    pub fn under(&self, at: usize) -> Cow<'_, Document> {
        match self.plans.get(at) {
            Some(plan) => self.part(at, plan.table.solver, &self.laid.after, &[]),
            None => Cow::Borrowed(&self.laid.after),
        }
    }

    /// The chains of that part; unlike [`SetupPlan::under`] it copies nothing.
    pub fn chains_under(&self, at: usize) -> impl Iterator<Item = &Chain> {
        let document = &self.laid.after;
        let into = self.into.get(at).copied().flatten().filter(|id| document.systems.contains_key(id));
        let solver = self.plans.get(at).map(|plan| plan.table.solver);
        let solver = solver.filter(|solver| document.system_under(*solver).is_some());
        document.chains.values().filter(move |chain| match into {
            Some(id) => chain.system == id,
            None => solver.is_none_or(|solver| document.solver_of(chain) == solver),
        })
    }

    /// What a table is laid over. Chains that a later one gives a material, as `sharing` says for each table, hold
    /// nobody's numbers until then: so all that share a material get its new ones together.
    fn part<'d>(
        &self,
        at: usize,
        solver: SolverKind,
        document: &'d Document,
        sharing: &[BTreeSet<BoneId>],
    ) -> Cow<'d, Document> {
        let mut part = match self.into.get(at).copied().flatten() {
            Some(id) => document.only_system(id),
            None => document.only(solver),
        };
        if let Cow::Owned(part) = &mut part {
            let to_come = |chain: &Chain| {
                let mut later = self.into.iter().zip(sharing).skip(at + 1);
                later.any(|(into, roots)| *into == Some(chain.system) && roots.contains(&chain.root()))
            };
            part.away.retain(|id, _| !document.chains.get(id).is_some_and(to_come));
        }
        part
    }

    /// The document with the ticked rows of all tables. Nodes and colliders of all come first: a joint may name one that
    /// only another solver's table describes.
    pub fn after(&self, skeleton: &Skeleton) -> Document {
        let mut now = self.laid.after.clone();
        let several = self.plans.len() > 1;
        let ticked =
            |plan: &ImportPlan| sharing(&plan.table, plan.finder(skeleton), |at| plan.is_ticked(Section::Extras, at));
        let sharing: Vec<_> = self.plans.iter().map(ticked).collect();
        for nodes_only in [true, false].into_iter().filter(|nodes_only| several || !nodes_only) {
            for (at, plan) in self.plans.iter().enumerate() {
                let part = self.part(at, plan.table.solver, &now, &sharing);
                let after = plan.again(&part, skeleton, nodes_only).after(&part, skeleton);
                now = now.rejoin(&part, after);
            }
        }
        now
    }

    /// The file in place of what is there, over [`SetupPlan::moved`] or else the document that the plan was made for.
    pub fn replacement(&self, diagnostics: &[Diagnostic], skeleton: &Skeleton, options: ReplaceOptions) -> ReplacePlan {
        let tables = self.plans.iter().zip(&self.into).map(|(plan, into)| (plan.table.clone(), *into));
        ReplacePlan::of_tables(tables.collect(), diagnostics.to_vec(), &self.laid.after, skeleton, options)
    }

    /// The ticked rows of all tables as one edit of the document that the plan was made for; empty where nothing would
    /// change.
    pub fn edit(&self, document: &Document, skeleton: &Skeleton) -> Edit {
        difference(document, &self.after(skeleton))
    }
}

impl ImportPlan {
    /// The same plan over a document that has changed since, with the same rows left out; of nodes and colliders alone
    /// where asked for.
    fn again(&self, document: &Document, skeleton: &Skeleton, nodes_only: bool) -> Self {
        let (mut table, said) = (self.table.clone(), self.diagnostics.clone());
        if nodes_only {
            let BoneTable { solver, version, nulls, colliders, .. } = table;
            table = BoneTable { version, colliders, nulls, ..BoneTable::new(solver) };
        }
        let mut again = Self::new(table, said, document, skeleton, self.mirror, &self.leads);
        for section in Section::ALL {
            for (at, row) in self.rows_of(section).iter().enumerate() {
                if let RowState::Repeated(_) = row.state
                    && let Some(same) = again.rows[section as usize].get_mut(at)
                {
                    same.state = row.state.clone();
                }
                if row.state.is_usable() || matches!(row.state, RowState::Repeated(_)) {
                    again.set_tick_of(section, at, row.ticked);
                }
            }
        }
        again
    }

    /// Leaves rows of bones to tables behind this one that name them too: the later one counts.
    fn leave_to_later(&mut self, later: &[BTreeSet<BoneId>]) {
        for row in &mut self.rows[Section::Bones as usize] {
            if row.target.is_some_and(|bone| later.iter().any(|named| named.contains(&bone))) && row.state.is_usable() {
                row.state = RowState::Repeated(row.line);
                row.ticked = false;
            }
        }
    }
}

/// The bones that a table names as joints.
pub(super) fn named(table: &BoneTable, finder: Finder<'_>) -> BTreeSet<BoneId> {
    if table.trees.is_empty() {
        return table.bones.iter().filter_map(|row| finder.bone(&row.name)).collect();
    }
    let bones = trees::grow(&mut table.clone(), finder.skeleton(), |name| finder.bone(name));
    bones.into_iter().flatten().collect()
}

/// The bones that rows of a table give a material as roots, of those rows that `counts` says.
fn sharing(table: &BoneTable, finder: Finder<'_>, counts: impl Fn(usize) -> bool) -> BTreeSet<BoneId> {
    let rows = table.extras.iter().enumerate().filter(|(at, _)| counts(*at));
    let root = |(_, row): (usize, &ExtraRow)| match &row.cells {
        Ok(Extra::Material { root, .. }) => finder.bone(root),
        _ => None,
    };
    rows.filter_map(root).collect()
}

/// The document with every chain that a table names under the system that the table goes to.
fn lay(
    document: &Document,
    character: &Character,
    tables: &[BoneTable],
    named: &[BTreeSet<BoneId>],
) -> (Conversion, Vec<Option<SystemId>>) {
    let Some(first) = tables.first() else {
        return (Conversion { after: document.clone(), losses: Vec::new() }, Vec::new());
    };
    let bare = document.chains.is_empty() && tables.iter().all(|table| table.solver != document.main().solver);
    let whole = tables.len() == 1 && document.system_under(first.solver).is_none();
    let start = if bare || whole {
        convert(document, character, first.solver)
    } else {
        Conversion { after: document.clone(), losses: Vec::new() }
    };
    let mut laying = Laying { character, after: start.after, losses: start.losses, targets: BTreeMap::new() };
    let into = laying.systems(tables);
    laying.part_chains(named);
    for ((table, named), into) in tables.iter().zip(named).zip(&into) {
        laying.move_chains(table.solver, named, *into);
    }
    (Conversion { after: laying.after, losses: laying.losses }, into)
}

/// A document on its way to where its chains belong.
struct Laying<'a> {
    character: &'a Character,
    after: Document,
    losses: Vec<crate::doc::convert::Loss>,
    /// Systems that tables go under; they stay though chains leave them.
    targets: BTreeMap<SystemId, System>,
}

impl Laying<'_> {
    /// The system of each table: that of its name, else that of its number, else a new one.
    fn systems(&mut self, tables: &[BoneTable]) -> Vec<Option<SystemId>> {
        let mut into: Vec<Option<SystemId>> = vec![None; tables.len()];
        let of = |document: &Document, solver: SolverKind| -> Vec<SystemId> {
            document.systems.iter().filter(|(_, s)| s.solver == solver).map(|(id, _)| *id).collect()
        };
        for (at, table) in tables.iter().enumerate() {
            let Some(name) = table.system_name() else { continue };
            let mut alike = of(&self.after, table.solver).into_iter();
            into[at] = alike.find(|id| self.after.systems[id].name == name && !into.contains(&Some(*id)));
        }
        for (at, table) in tables.iter().enumerate().filter(|_| tables.len() > 1) {
            if into[at].is_some() {
                continue;
            }
            let number = tables[..at].iter().filter(|other| other.solver == table.solver).count();
            let numbered = of(&self.after, table.solver).get(number).copied().filter(|id| {
                let is_other = table.system_name().is_some() && !self.after.systems[id].name.is_empty();
                !is_other && !into.contains(&Some(*id))
            });
            into[at] = Some(numbered.unwrap_or_else(|| {
                let id = self.after.fresh_system();
                self.after.systems.insert(id, System::under(table.solver));
                id
            }));
        }
        let targets = into.iter().flatten().map(|id| (*id, self.after.systems[id].clone()));
        self.targets = targets.collect();
        into
    }

    /// Parts chains of which several tables name bones; bones that none names stay with what stands above them.
    fn part_chains(&mut self, named: &[BTreeSet<BoneId>]) {
        let owner = |bone: BoneId| named.iter().rposition(|bones| bones.contains(&bone));
        for (id, chain) in self.after.chains.clone() {
            let Some(first) = chain.joints.iter().find_map(|joint| owner(joint.bone)) else { continue };
            let (mut parts, mut last): (BTreeMap<usize, Vec<_>>, _) = (BTreeMap::new(), first);
            for joint in &chain.joints {
                last = owner(joint.bone).unwrap_or(last);
                parts.entry(last).or_default().push(joint.clone());
            }
            if parts.len() < 2 {
                continue;
            }
            for (owner, joints) in parts {
                let stays = owner == first;
                let name = if stays { chain.name.clone() } else { self.bone_name(joints[0].bone) };
                let part = Chain { joints, name, source: chain.source.filter(|_| stays), ..chain.clone() };
                let id = if stays { id } else { self.after.fresh_chain() };
                self.after.chains.insert(id, part);
            }
        }
    }

    fn bone_name(&self, bone: BoneId) -> String {
        let skeleton = &self.character.skeleton;
        if bone.index() < skeleton.len() { skeleton.name(bone).to_owned() } else { String::new() }
    }

    /// Brings the chains that have a bone among `named` under a solver, and under one of its systems.
    fn move_chains(&mut self, solver: SolverKind, named: &BTreeSet<BoneId>, into: Option<SystemId>) {
        let has = |chain: &Chain| chain.joints.iter().any(|joint| named.contains(&joint.bone));
        let chains: BTreeSet<ChainId> =
            self.after.chains.iter().filter(|(_, chain)| has(chain)).map(|(id, _)| *id).collect();
        let others = |id: &ChainId| self.after.solver_of(&self.after.chains[id]) != solver;
        let moved: BTreeSet<ChainId> = chains.iter().copied().filter(others).collect();
        if !moved.is_empty() {
            let made = convert_chains(&self.after, self.character, &moved, solver);
            self.after = made.after;
            self.losses.extend(made.losses);
            self.keep_targets();
        }
        let Some(into) = into else { return };
        if let Some(edit) = components::join(&self.after, &chains, into) {
            // It was made for this very document.
            _ = self.after.apply(edit);
            self.keep_targets();
        }
    }

    /// Systems that chains have left for others are still to be filled.
    fn keep_targets(&mut self) {
        for (id, system) in &self.targets {
            self.after.systems.entry(*id).or_insert_with(|| system.clone());
        }
    }
}
