//! Resolves the pivot name of a CSV row.

use super::SetupFile;
use super::document_view::DocumentView;
use super::node_placement::{flatten_helper, rotations_differ};
use crate::document::{ByName, Document, Helper, HelperId, HelperRole, Joint, Node, NodeRef, SetupEntry};
use glam::Vec3;
use std::collections::BTreeMap;
use yuremono_sim::math::Trs;
use yuremono_sim::rig::BoneId;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum ResolvedPivot {
    /// The row has no pivot name.
    None,
    /// The parent of the bone, without active limits. Exports write the parent for joints without a pivot.
    ParentWithoutLimits(BoneId),
    /// An existing node.
    Existing(Node),
    /// A helper that the file describes. The id is set if the helper already exists.
    Described(Option<HelperId>, Helper),
    /// The pivot exists neither in the document nor in the file.
    Missing,
}

pub(super) struct PivotQuery<'a> {
    pub file: &'a SetupFile,
    /// The entry index of the first pivot with each name.
    pub pivots: &'a BTreeMap<&'a str, usize>,
    pub is_used: &'a dyn Fn(usize) -> bool,
    pub joint: &'a Joint<ByName>,
    pub bone: BoneId,
    pub has_active_limits: bool,
}

impl PivotQuery<'_> {
    fn is_unlimited_child(&self, parent: BoneId, view: &DocumentView<'_>) -> bool {
        view.skeleton.get_parent(self.bone) == Some(parent) && !self.has_active_limits
    }
}

impl ResolvedPivot {
    /// Searches the pivots of the file first, then bones and helpers.
    pub(super) fn resolve(query: &PivotQuery<'_>, view: &DocumentView<'_>) -> Self {
        if let Some(NodeRef::Inline(pivot)) = &query.joint.pivot
            && let Some(parent) = view.resolver.node(pivot.parent.name())
        {
            return match parent {
                Node::Bone(parent) if query.is_unlimited_child(parent, view) => Self::ParentWithoutLimits(parent),
                _ => Self::resolve_described(pivot, parent, query.bone, view),
            };
        }
        let name = query.joint.pivot.as_ref().map_or("", NodeRef::name);
        if name.is_empty() {
            // A pivot without a name is also exported as an empty cell.
            let joint =
                view.document.find_joint(query.bone).map(|(chain, at)| &view.document.chains[&chain].joints[at]);
            let nameless = joint.and_then(|j| j.pivot).filter(|node| view.resolver.name(*node) == Some(""));
            return nameless.map_or(Self::None, Self::Existing);
        }
        if let Some(at) = query.pivots.get(name)
            && (query.is_used)(*at)
            && let Ok(SetupEntry::Helper(pivot)) = &query.file.entries[*at].content
            && let Some(parent) = view.resolver.node(pivot.parent.name())
        {
            return Self::resolve_described(pivot, parent, query.bone, view);
        }
        match view.resolver.node(name) {
            Some(Node::Bone(parent)) if query.is_unlimited_child(parent, view) => Self::ParentWithoutLimits(parent),
            Some(node) => Self::Existing(node),
            None => Self::Missing,
        }
    }

    fn resolve_described(pivot: &Helper<ByName>, parent: Node, bone: BoneId, view: &DocumentView<'_>) -> Self {
        let (name, rotation) = (pivot.name.as_str(), pivot.local.rotation);
        let mut named = view.document.helpers.iter().filter(|(_, helper)| helper.name == name);
        let is_same = |helper: &Helper| {
            let (above, local) = flatten_helper(view.document, helper);
            view.resolver.can_refer_to(pivot.parent.name(), above) && !rotations_differ(local.rotation, rotation)
        };
        if let Some((id, _)) = named.find(|(_, helper)| is_same(helper)) {
            return Self::Existing(Node::Helper(*id));
        }
        let is_alike = |helper: &Helper| helper.name == name && helper.parent == parent;
        if let Some((id, old)) = view.document.helpers.iter().find(|(_, helper)| is_alike(helper)) {
            let local = Trs { rotation, ..old.local };
            return Self::Described(Some(*id), Helper { local, ..old.clone() });
        }
        // Differs from UnityChanSpringBone, whose importer rotates the bone with the name of the row and moves it to
        // its parent. Yuremono leaves bones unchanged. The pivot is a bone with the rotation of the row, or else a
        // helper.
        let is_turned_so = |child: &&BoneId| {
            view.skeleton.name(**child) == name
                && !rotations_differ(view.skeleton.bone(**child).rest.rotation, rotation)
        };
        if let Node::Bone(parent) = parent
            && let Some(child) = view.skeleton.children(parent).iter().find(is_turned_so)
        {
            return Self::Existing(Node::Bone(*child));
        }
        let translation = match parent {
            Node::Bone(parent) => view.rest.frame(parent).inverse_transform_point(view.rest.frame(bone).position),
            Node::Helper(_) => Vec3::ZERO,
        };
        let local = Trs { translation, rotation, scale: Vec3::ONE };
        Self::Described(None, Helper { name: name.to_owned(), parent, local, role: HelperRole::Pivot })
    }

    /// Whether the pivot of a joint would change from `now`.
    pub(super) fn differs_from(&self, now: Option<Node>) -> bool {
        match self {
            Self::None => now.is_some(),
            Self::ParentWithoutLimits(parent) => now.is_some_and(|node| node != Node::Bone(*parent)),
            Self::Existing(node) => now != Some(*node),
            Self::Described(Some(id), _) => now != Some(Node::Helper(*id)),
            Self::Described(None, _) => true,
            Self::Missing => false,
        }
    }

    pub(super) fn rotates_existing_helper(&self, document: &Document) -> bool {
        let Self::Described(Some(id), helper) = self else { return false };
        document.helpers.get(id).is_none_or(|old| rotations_differ(old.local.rotation, helper.local.rotation))
    }
}
