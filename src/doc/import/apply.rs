//! From a plan to one edit.

use super::kept;
use super::{ImportPlan, RowState, View};
use crate::doc::table::{BoneCells, PivotCells};
use crate::doc::{Chain, ChainId, Document, Edit, Helper, HelperId, HelperRole, Joint, Node, Part};
use crate::math::Trs;
use crate::rig::{BoneId, Skeleton};
use crate::sim::solver::spring_bone::{Y_ACTIVE, Z_ACTIVE};
use glam::{Quat, Vec3};
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
#[derive(Default)]
struct Collected {
    helpers: Vec<Edit>,
    chains: BTreeMap<ChainId, Chain>,
    values: Vec<Edit>,
    fresh: BTreeMap<BoneId, Joint>,
    /// Described pivots by name, so that joints share them.
    made: BTreeMap<String, HelperId>,
    /// Names of pivots that are here now; their rows need not be kept.
    used: BTreeSet<String>,
    next: u32,
}

impl ImportPlan {
    /// The ticked rows as one edit: values as the joints' own, described pivots as helpers, bones that do not sway
    /// yet as new chains, rows without bone kept. Empty where nothing would change.
    pub fn edit(&self, document: &Document, skeleton: &Skeleton) -> Edit {
        let view = View::new(document, skeleton);
        let mut all = Collected { next: document.fresh_helper().0, ..Collected::default() };
        for (row, planned) in self.table.bones.iter().zip(&self.rows) {
            if let (Ok(cells), Some(bone), true) = (&row.cells, planned.target, planned.ticked)
                && bone.index() < skeleton.len()
            {
                self.collect(cells, bone, &view, &mut all);
            }
        }
        let mut edits = all.helpers;
        edits.extend(all.chains.into_iter().map(|(id, chain)| Edit::PutChain { id, chain: Some(Box::new(chain)) }));
        edits.extend(all.values);
        push_new_chains(&view, all.fresh, &mut edits);
        let kept = kept::after_import(self, &view, &all.used);
        if kept != document.kept {
            edits.push(Edit::SetKept(kept));
        }
        Edit::Batch(edits)
    }

    fn collect(&self, cells: &BoneCells, bone: BoneId, view: &View<'_>, all: &mut Collected) {
        let values = self.values_of(cells, view.document.table());
        let pivot = self.find_pivot(cells, bone, view);
        let named = |name: &String| view.document.colliders.iter().find(|(_, c)| c.name == *name).map(|(id, _)| *id);
        let colliders: Vec<_> = cells.colliders.iter().filter_map(named).collect();
        let node = all.pivot_node(&pivot, &cells.pivot, view);
        let Some((chain, at)) = view.document.joint_of(bone) else {
            let pivot = match pivot {
                FoundPivot::ParentUnused(parent) => Some(Node::Bone(parent)),
                _ => node,
            };
            let own = values.into_iter().collect();
            all.fresh.insert(bone, Joint { own, pivot, colliders, ..Joint::new(bone) });
            return;
        };
        let joint = &view.document.chains[&chain].joints[at];
        if joint.colliders != colliders {
            let whole = all.chains.entry(chain).or_insert_with(|| view.document.chains[&chain].clone());
            whole.joints[at].colliders = colliders;
        }
        for (row, value) in values {
            if view.differs(chain, at, row, value) {
                all.values.push(Edit::SetOwn { chain, bone, row, value: Some(value) });
            }
        }
        if pivot.changes(joint.pivot) {
            let pivot = match pivot {
                FoundPivot::ParentUnused(_) => None,
                _ => node,
            };
            all.values.push(Edit::SetPivot { chain, bone, pivot });
        }
    }

    /// Looks a pivot cell up: first among the table's pivots, then among bones and helpers.
    pub(super) fn find_pivot(&self, cells: &BoneCells, bone: BoneId, view: &View<'_>) -> FoundPivot {
        if cells.pivot.is_empty() {
            return FoundPivot::None;
        }
        let described = self.pivots.get(&cells.pivot).map(|at| &self.table.pivots[*at]);
        if let Some(pivot) = described.and_then(|p| p.cells.as_ref().ok())
            && let Some(parent) = self.node_named(&pivot.parent, view)
        {
            return self.described(&cells.pivot, pivot, parent, bone, view);
        }
        match self.node_named(&cells.pivot, view) {
            Some(Node::Bone(parent)) if view.skeleton.parent_of(bone) == Some(parent) && !limits_act(cells) => {
                FoundPivot::ParentUnused(parent)
            }
            Some(node) => FoundPivot::Here(node),
            None => FoundPivot::Missing,
        }
    }

    fn described(&self, name: &str, pivot: &PivotCells, parent: Node, bone: BoneId, view: &View<'_>) -> FoundPivot {
        let rotation = self.mirror.pivot_from_euler(pivot.euler_deg);
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
        let helper = || view.document.helpers.iter().find(|(_, h)| h.name == name).map(|(id, _)| Node::Helper(*id));
        self.bone_named(name, view.skeleton).map(Node::Bone).or_else(helper)
    }

    /// Whether a row is used and its bone is here.
    pub(super) fn uses(&self, row: usize) -> bool {
        let row = &self.rows[row];
        row.ticked && matches!(row.state, RowState::Matches { .. })
    }
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
                let id = here.unwrap_or(HelperId(self.next));
                self.next += u32::from(here.is_none());
                self.used.insert(name.to_owned());
                self.made.insert(name.to_owned(), id);
                if here.is_none() || found.turns(view.document) {
                    self.helpers.push(Edit::PutHelper { id, helper: Some(helper.clone()) });
                }
                Some(Node::Helper(id))
            }
        }
    }
}

/// Whether two rotations differ by more than the text of angles can blur: a hundredth of a degree.
fn turned(a: Quat, b: Quat) -> bool {
    // The chord, since the cosine of so small an angle is one in f32.
    let b = if a.dot(b) < 0.0 { -b } else { b };
    (a - b).length() > 0.5 * 0.01_f32.to_radians()
}

/// Whether a row has an angle limit on.
pub(super) fn limits_act(cells: &BoneCells) -> bool {
    [Y_ACTIVE, Z_ACTIVE].iter().any(|row| cells.values.get(*row) != 0.0)
}

/// New chains, one for each bone whose parent is none of the new ones.
fn push_new_chains(view: &View<'_>, fresh: BTreeMap<BoneId, Joint>, edits: &mut Vec<Edit>) {
    let mut root_of = BTreeMap::new();
    let mut groups: BTreeMap<BoneId, Vec<Joint>> = BTreeMap::new();
    for (bone, joint) in fresh {
        let above = view.skeleton.parent_of(bone).and_then(|p| root_of.get(&p).copied());
        let root = above.unwrap_or(bone);
        root_of.insert(bone, root);
        groups.entry(root).or_default().push(joint);
    }
    let mut id = view.document.fresh_chain();
    for (root, joints) in groups {
        let chain = Chain::new(view.skeleton.name(root), Part::Other, view.document.table(), joints);
        edits.push(Edit::PutChain { id, chain: Some(Box::new(chain)) });
        id = ChainId(id.0 + 1);
    }
}
