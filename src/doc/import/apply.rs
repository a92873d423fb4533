//! From a plan to one edit.

use super::place::{self, turned};
use super::{ImportPlan, View, extras, groups, kept, materials, shape_rank, without_doubles};
use crate::doc::names::BoneName;
use crate::doc::table::{BoneCells, PivotCells, Section, has_pivots};
use crate::doc::{
    Chain, ColliderId, Document, Edit, Helper, HelperId, HelperRole, Joint, LengthTarget, Node, Part, difference,
};
use crate::math::Trs;
use crate::rig::{BoneId, Skeleton};
use crate::schema::ParamSet;
use crate::sim::solver::spring_bone::{Y_ACTIVE, Z_ACTIVE};
use glam::Vec3;
use std::collections::{BTreeMap, BTreeSet};

/// What a row's pivot cell leads to.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum FoundPivot {
    /// The cell is empty.
    None,
    /// The bone's own parent with limits that do not act: what is written for a joint without pivot.
    ParentUnused(BoneId),
    /// A node that is here.
    Here(Node),
    /// A helper that the table describes: which one is here already, and how it should be.
    Described(Option<HelperId>, Helper),
    /// Neither here nor in the table.
    Missing,
}

impl FoundPivot {
    /// Whether a joint with pivot `now` would change.
    pub(super) fn changes(&self, now: Option<Node>) -> bool {
        match self {
            Self::None => now.is_some(),
            Self::ParentUnused(parent) => now.is_some_and(|n| n != Node::Bone(*parent)),
            Self::Here(node) => now != Some(*node),
            Self::Described(Some(id), _) => now != Some(Node::Helper(*id)),
            Self::Described(None, _) => true,
            Self::Missing => false,
        }
    }

    /// Whether the helper that is here already stands otherwise than the table says.
    pub(super) fn turns(&self, document: &Document) -> bool {
        let Self::Described(Some(id), helper) = self else { return false };
        document.helpers.get(id).is_none_or(|old| turned(old.local.rotation, helper.local.rotation))
    }
}

/// What the rows of a plan add up to.
struct Collected {
    after: Document,
    fresh: BTreeMap<BoneId, Joint>,
    /// Described pivots by name, so that joints share them.
    made: BTreeMap<String, HelperId>,
    /// Names of pivots that are here now; their rows need not be kept.
    used: BTreeSet<String>,
    /// Bones whose joints were given other colliders than they had.
    listed: BTreeSet<BoneId>,
}

impl ImportPlan {
    /// The ticked rows as one edit: nodes and colliders, values as the joints' own, described pivots as helpers,
    /// bones that do not sway yet as new chains, rows that find nothing here kept. Empty where nothing would change.
    pub fn edit(&self, document: &Document, skeleton: &Skeleton) -> Edit {
        let only = &*document.only(self.table.solver);
        difference(document, &document.rejoin(only, self.after(only, skeleton)))
    }

    /// What the part of a document that the table is for becomes.
    pub(super) fn after(&self, only: &Document, skeleton: &Skeleton) -> Document {
        let (mut after, used) = self.merged(only, skeleton);
        let strangers = self.put_extras(&mut after, skeleton);
        let here = after.clone();
        after.kept = kept::after_import(self, only, &View::new(&here, skeleton), &used, &strangers);
        after
    }

    /// The document with all ticked rows but comments, and the names of the described pivots that are used.
    pub(super) fn merged(&self, document: &Document, skeleton: &Skeleton) -> (Document, BTreeSet<String>) {
        let mut after = document.clone();
        self.put_nulls(&mut after, skeleton);
        self.put_colliders(&mut after, skeleton);
        let here = after.clone();
        let view = View::new(&here, skeleton);
        let mut all = Collected {
            after,
            fresh: BTreeMap::new(),
            made: BTreeMap::new(),
            used: BTreeSet::new(),
            listed: BTreeSet::new(),
        };
        for (at, (row, planned)) in self.table.bones.iter().zip(self.rows()).enumerate() {
            if let (Ok(cells), Some(bone), true) = (&row.cells, planned.target, self.is_ticked(Section::Bones, at))
                && bone.index() < skeleton.len()
            {
                self.collect(cells, bone, &view, &mut all);
            }
        }
        let Collected { mut after, fresh, used, listed, .. } = all;
        groups::settle(&mut after, &listed);
        materials::settle(document, &mut after, |after, id| {
            after.chains.get(&id).map_or_else(Vec::new, |chain| after.places_in(chain, &view.rest, skeleton))
        });
        let roots = extras::roots(&self.table.extras, |name| self.bone_named(name, skeleton));
        push_new_chains(&view, fresh, &roots, &mut after);
        self.put_components(&mut after, skeleton);
        (after, used)
    }

    fn collect(&self, cells: &BoneCells, bone: BoneId, view: &View<'_>, all: &mut Collected) {
        let values = self.values_of(cells);
        let pivot = self.find_pivot(cells, bone, view);
        let node = all.pivot_node(&pivot, &cells.pivot, view);
        let colliders = colliders_named(view.document, &cells.colliders);
        let targets = self.targets_of(cells, view);
        let Some((chain, at)) = view.document.joint_of(bone) else {
            let pivot = match pivot {
                FoundPivot::ParentUnused(parent) => Some(Node::Bone(parent)),
                _ => node,
            };
            let own = values.into_iter().collect();
            let length_targets = targets;
            all.fresh.insert(bone, Joint { own, pivot, length_targets, colliders, ..Joint::new(bone) });
            return;
        };
        let Some(joint) = all.after.chains.get_mut(&chain).map(|c| &mut c.joints[at]) else { return };
        // Names are all that a row knows: what is written under the same ones stays as it is.
        let known = |names: Vec<String>| names.into_iter().filter(|n| is_known(view.document, n)).collect::<Vec<_>>();
        let solver = self.table.solver;
        let listed =
            |id: &ColliderId| view.document.colliders.get(id).is_some_and(|c| solver.info().supports(&c.shape));
        // Colliders of shapes that the solver lacks are in no table.
        let unlisted: Vec<ColliderId> = joint.colliders.iter().copied().filter(|id| !listed(id)).collect();
        if known(view.collider_names(chain, joint, None)) != known(without_doubles(&cells.colliders)) {
            joint.colliders = colliders.into_iter().filter(listed).chain(unlisted).collect();
            all.listed.insert(bone);
        }
        let names = |targets: &[LengthTarget]| targets.iter().map(|t| view.names.name(t.node)).collect::<Vec<_>>();
        if self.has_pivots() && names(&joint.length_targets) != names(&targets) {
            let old = std::mem::replace(&mut joint.length_targets, targets);
            for target in &mut joint.length_targets {
                let before = old.iter().find(|o| o.node == target.node);
                target.constant = before.and_then(|o| o.constant);
            }
        }
        for (row, value) in values {
            if view.differs(chain, at, row, value) {
                joint.own.insert(row, value);
            }
        }
        if self.has_pivots() && pivot.changes(joint.pivot) {
            joint.pivot = match pivot {
                FoundPivot::ParentUnused(_) => None,
                _ => node,
            };
        }
    }

    fn targets_of(&self, cells: &BoneCells, view: &View<'_>) -> Vec<LengthTarget> {
        let found = cells.length_targets.iter().filter_map(|t| self.node_named(&t.bone, view));
        found.map(LengthTarget::new).collect()
    }

    /// Looks a pivot cell up: first among the table's pivots, then among bones and helpers.
    pub(super) fn find_pivot(&self, cells: &BoneCells, bone: BoneId, view: &View<'_>) -> FoundPivot {
        if cells.pivot.is_empty() {
            // A node without a name is written as an empty cell too.
            let joint = view.document.joint_of(bone).map(|(chain, at)| &view.document.chains[&chain].joints[at]);
            let nameless = joint.and_then(|j| j.pivot).filter(|node| view.names.name(*node) == Some(""));
            return nameless.map_or(FoundPivot::None, FoundPivot::Here);
        }
        let left_out = |at: usize| self.rows_of(Section::Pivots).get(at).is_some_and(|r| !r.ticked);
        let described = self.pivots.get(&cells.pivot).filter(|at| !left_out(**at)).map(|at| &self.table.pivots[*at]);
        if let Some(pivot) = described.and_then(|p| p.cells.as_ref().ok())
            && let Some(parent) = self.node_named(&pivot.parent, view)
        {
            return self.described(&cells.pivot, pivot, parent, bone, view);
        }
        match self.node_named(&cells.pivot, view) {
            Some(Node::Bone(parent)) if view.skeleton.parent_of(bone) == Some(parent) && !self.limits_act(cells) => {
                FoundPivot::ParentUnused(parent)
            }
            Some(node) => FoundPivot::Here(node),
            None => FoundPivot::Missing,
        }
    }

    fn described(&self, name: &str, pivot: &PivotCells, parent: Node, bone: BoneId, view: &View<'_>) -> FoundPivot {
        let rotation = self.mirror.pivot_from_euler(pivot.euler_deg);
        let turn = |cells: &PivotCells| self.mirror.pivot_from_euler(cells.euler_deg);
        let written = |h: &Helper| place::written_pivot(view.document, &view.names, h, self.mirror);
        let says_so = |w: PivotCells| w.parent == pivot.parent && !turned(turn(&w), rotation);
        let mut named = view.document.helpers.iter().filter(|(_, h)| h.name == name);
        if let Some((id, _)) = named.find(|(_, h)| written(h).is_some_and(says_so)) {
            return FoundPivot::Here(Node::Helper(*id));
        }
        let same = |h: &Helper| h.name == name && h.parent == parent;
        if let Some((id, old)) = view.document.helpers.iter().find(|(_, h)| same(h)) {
            let local = Trs { rotation, ..old.local };
            return FoundPivot::Described(Some(*id), Helper { local, ..old.clone() });
        }
        // Differs from UnityChanSpringBone: a row that names a bone of the file turns that bone there, and moves it to
        // its parent. Here bones stay as they are: one that stands as the row says is the pivot, else a helper is.
        let standing =
            |c: &&BoneId| view.skeleton.name(**c) == name && !turned(view.skeleton.bone(**c).rest.rotation, rotation);
        if let Node::Bone(parent) = parent
            && let Some(child) = view.skeleton.children(parent).iter().find(standing)
        {
            return FoundPivot::Here(Node::Bone(*child));
        }
        let translation = match parent {
            Node::Bone(parent) => view.rest.frame(parent).inverse_point(view.rest.frame(bone).position),
            Node::Helper(_) => Vec3::ZERO,
        };
        let local = Trs { translation, rotation, scale: Vec3::ONE };
        FoundPivot::Described(None, Helper { name: name.to_owned(), parent, local, role: HelperRole::Pivot })
    }

    pub(super) fn node_named(&self, name: &str, view: &View<'_>) -> Option<Node> {
        self.named_in(name, &view.names, view.skeleton)
    }
}

/// Whether a collider of that name is here.
pub(super) fn is_known(document: &Document, name: &str) -> bool {
    document.colliders.values().any(|c| c.name == name)
}

/// The colliders of these names, of one kind and name the first; for `UnityChan` spheres, then capsules, then panels.
pub(super) fn colliders_named(document: &Document, names: &[String]) -> Vec<ColliderId> {
    let mut found = Vec::new();
    for name in without_doubles(names) {
        let mut kinds = BTreeMap::new();
        for (id, c) in document.colliders.iter().filter(|(_, c)| c.name == name) {
            kinds.entry(shape_rank(&c.shape)).or_insert(*id);
        }
        found.extend(kinds);
    }
    if has_pivots(document.main().solver) {
        found.sort_by_key(|(kind, _)| *kind);
    }
    found.into_iter().map(|(_, id)| id).collect()
}

impl Collected {
    /// The node for a joint; a described pivot is made or turned once, whoever shares it.
    fn pivot_node(&mut self, found: &FoundPivot, name: &str, view: &View<'_>) -> Option<Node> {
        match found {
            FoundPivot::None | FoundPivot::Missing | FoundPivot::ParentUnused(_) => None,
            FoundPivot::Here(node) => {
                self.used.insert(name.to_owned());
                Some(*node)
            }
            FoundPivot::Described(here, helper) => {
                if let Some(id) = self.made.get(name) {
                    return Some(Node::Helper(*id));
                }
                let id = here.unwrap_or_else(|| self.after.fresh_helper());
                self.used.insert(name.to_owned());
                self.made.insert(name.to_owned(), id);
                if here.is_none() || found.turns(view.document) {
                    self.after.helpers.insert(id, helper.clone());
                }
                Some(Node::Helper(id))
            }
        }
    }
}

/// Whether a row of `UnityChan`'s has an angle limit on.
pub(super) fn limits_act(values: &ParamSet) -> bool {
    [Y_ACTIVE, Z_ACTIVE].iter().any(|row| values.get(*row) != 0.0)
}

/// The part of a chain, from the name of its root, else from the name of the bone above unless that is of the body.
pub(super) fn part_of(skeleton: &Skeleton, root: BoneId) -> Part {
    let verdict = |bone: BoneId| BoneName::read(skeleton.name(bone)).verdict();
    let above = skeleton.parent_of(root).map(verdict).filter(|verdict| !verdict.body);
    [verdict(root)]
        .into_iter()
        .chain(above)
        .find_map(|verdict| verdict.part)
        .map_or_else(Part::default, |(part, _)| part)
}

/// New chains, one for each bone whose parent is none of the new ones, and for each of `roots`.
pub(super) fn push_new_chains(
    view: &View<'_>,
    fresh: BTreeMap<BoneId, Joint>,
    roots: &BTreeSet<BoneId>,
    after: &mut Document,
) {
    let mut root_of = BTreeMap::new();
    let mut groups: BTreeMap<BoneId, Vec<Joint>> = BTreeMap::new();
    for (bone, joint) in fresh {
        let parent = view.skeleton.parent_of(bone).filter(|_| !roots.contains(&bone));
        let above = parent.and_then(|p| root_of.get(&p).copied());
        let root = above.unwrap_or(bone);
        root_of.insert(bone, root);
        groups.entry(root).or_default().push(joint);
    }
    for (root, joints) in groups {
        let id = after.fresh_chain();
        let part = part_of(view.skeleton, root);
        let mut chain = Chain::new(view.skeleton.name(root), part, after.main().table(), joints);
        chain.system = after.main_id();
        after.chains.insert(id, chain);
    }
}
