//! Bare nodes and raised-thigh nodes of a file on a character.

use super::placement::{Placement, flattened, same_place, with_id};
use super::resolver::NameResolver;
use crate::document::{ByName, Document, Helper, HelperId, HelperRole, HighLeg, Node, NodeRef};
use crate::exchange::remap::Leads;
use crate::math::Trs;
use crate::rig::Skeleton;

/// Puts bare nodes of a file, those below other nodes of the file after these. Nodes whose parent is neither here nor in
/// the list are left out.
pub(super) fn put_nodes(document: &mut Document, skeleton: &Skeleton, leads: &Leads, nodes: Vec<&Helper<ByName>>) {
    let mut waiting = nodes;
    while !waiting.is_empty() {
        let count = waiting.len();
        let base = document.clone();
        let names = NameResolver::new(&base, skeleton, leads);
        waiting.retain(|node| {
            let Some(parent) = names.node(node.parent.name()) else { return true };
            let Helper { name, local, role, .. } = (*node).clone();
            let placement = Placement::of(&names, Helper { name, parent, local, role });
            match existing_node(&names, node) {
                Some((_, place)) if is_there(&names, place, (&node.parent, &node.local)) => {}
                Some((id, _)) => _ = with_id(placement, id, &base).put(document),
                None => _ = placement.put(document),
            }
            false
        });
        if waiting.len() == count {
            break;
        }
    }
}

/// Whether a place is the one that a file describes.
pub(super) fn is_there(names: &NameResolver<'_>, place: (Node, Trs), described: (&NodeRef, &Trs)) -> bool {
    names.may_mean(described.0.name(), place.0) && same_place(&place.1, described.1)
}

/// The helper that a bare node of a file means, with the parent and the transform that a CSV has for it: of the helpers of
/// that name that are no pivots, the one that is where the file says, else the first bare node.
pub(super) fn existing_node(names: &NameResolver<'_>, node: &Helper<ByName>) -> Option<(HelperId, (Node, Trs))> {
    let document = names.document();
    let named = || document.helpers.iter().filter(|(_, h)| h.name == node.name && h.role != HelperRole::Pivot);
    let place = |helper: &Helper| flattened(document, helper);
    let same = named().find(|(_, helper)| is_there(names, place(helper), (&node.parent, &node.local)));
    let found = same.or_else(|| named().find(|(_, helper)| helper.role == HelperRole::Null))?;
    Some((*found.0, place(found.1)))
}

/// Puts a raised-thigh node in place of the one on its node.
pub(super) fn put_high_leg(document: &mut Document, new: HighLeg) {
    let old = document.high_legs.iter().find(|(_, high_leg)| high_leg.node == new.node).map(|(id, _)| *id);
    let id = old.unwrap_or_else(|| document.fresh_high_leg());
    document.high_legs.insert(id, new);
}
