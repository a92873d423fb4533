//! Bare nodes and raised-thigh nodes of a file on a character.

use super::name_resolver::NameResolver;
use super::node_placement::{Placement, flatten_helper, is_same_transform, reuse_helper_id};
use crate::document::{ByName, Document, Helper, HelperId, HelperRole, HighLeg, Node, NodeRef};
use crate::exchange::remap::NameMap;
use crate::math::Trs;
use crate::rig::Skeleton;

/// Puts bare nodes of a file, those below other nodes of the file after these. Nodes whose parent is neither here nor in
/// the list are left out.
pub(super) fn merge_nodes(document: &mut Document, skeleton: &Skeleton, leads: &NameMap, nodes: Vec<&Helper<ByName>>) {
    let mut waiting = nodes;
    while !waiting.is_empty() {
        let count = waiting.len();
        let base = document.clone();
        let names = NameResolver::new(&base, skeleton, leads);
        waiting.retain(|node| {
            let Some(parent) = names.node(node.parent.name()) else { return true };
            let Helper { name, local, role, .. } = (*node).clone();
            let placement = Placement::resolve(&names, Helper { name, parent, local, role });
            match find_existing_node(&names, node) {
                Some((_, place)) if is_at_described_place(&names, place, (&node.parent, &node.local)) => {}
                Some((id, _)) => _ = reuse_helper_id(placement, id, &base).apply(document),
                None => _ = placement.apply(document),
            }
            false
        });
        if waiting.len() == count {
            break;
        }
    }
}

/// Whether a place is the one that a file describes.
pub(super) fn is_at_described_place(names: &NameResolver<'_>, place: (Node, Trs), described: (&NodeRef, &Trs)) -> bool {
    names.can_refer_to(described.0.name(), place.0) && is_same_transform(&place.1, described.1)
}

/// The helper that a bare node of a file means, with the parent and the transform that a CSV has for it: of the helpers of
/// that name that are no pivots, the one that is where the file says, else the first bare node.
pub(super) fn find_existing_node(names: &NameResolver<'_>, node: &Helper<ByName>) -> Option<(HelperId, (Node, Trs))> {
    let document = names.document();
    let named = || document.helpers.iter().filter(|(_, h)| h.name == node.name && h.role != HelperRole::Pivot);
    let place = |helper: &Helper| flatten_helper(document, helper);
    let same = named().find(|(_, helper)| is_at_described_place(names, place(helper), (&node.parent, &node.local)));
    let found = same.or_else(|| named().find(|(_, helper)| helper.role == HelperRole::Null))?;
    Some((*found.0, place(found.1)))
}

/// Puts a raised-thigh node in place of the one on its node.
pub(super) fn merge_high_leg(document: &mut Document, new: HighLeg) {
    let old = document.high_legs.iter().find(|(_, high_leg)| high_leg.node == new.node).map(|(id, _)| *id);
    let id = old.unwrap_or_else(|| document.next_high_leg_id());
    document.high_legs.insert(id, new);
}
