use super::ElementId;
use crate::document::{Chain, ColliderGroup, ColliderId, Document, Edit, ForceId, HelperId, HighLeg, HighLegId, Node};
use std::collections::BTreeSet;

#[derive(Debug, Default)]
struct RemovalSet {
    colliders: BTreeSet<ColliderId>,
    forces: BTreeSet<ForceId>,
    helpers: BTreeSet<HelperId>,
    high_legs: BTreeSet<HighLegId>,
}

impl RemovalSet {
    fn add(&mut self, document: &Document, part: ElementId) {
        match part {
            ElementId::Collider(id) => _ = self.colliders.insert(id),
            ElementId::Force(id) => _ = self.forces.insert(id),
            ElementId::HighLeg(id) => _ = self.high_legs.insert(id),
            ElementId::Helper(id) if self.helpers.insert(id) => self.add_dependents(document, Node::Helper(id)),
            ElementId::Helper(_) => {}
        }
    }

    /// As in Unity, the children of a node are removed with the node.
    fn add_dependents(&mut self, document: &Document, node: Node) {
        let below: Vec<ElementId> = {
            let helpers =
                document.helpers.iter().filter(|(_, h)| h.parent == node).map(|(id, _)| ElementId::Helper(*id));
            let colliders =
                document.colliders.iter().filter(|(_, c)| c.node == node).map(|(id, _)| ElementId::Collider(*id));
            let forces = document.forces.iter().filter(|(_, f)| f.node == node).map(|(id, _)| ElementId::Force(*id));
            let references_node =
                |h: &HighLeg| h.node == node || h.hip == node || h.legs.iter().flatten().any(|n| *n == node);
            let legs =
                document.high_legs.iter().filter(|(_, h)| references_node(h)).map(|(id, _)| ElementId::HighLeg(*id));
            helpers.chain(colliders).chain(forces).chain(legs).collect()
        };
        for part in below {
            self.add(document, part);
        }
    }

    fn contains_node(&self, node: Node) -> bool {
        matches!(node, Node::Helper(id) if self.helpers.contains(&id))
    }

    fn detach_references(&self, document: &Document) -> Vec<Edit> {
        let mut edits = document.edit_elements(|_, chain: &mut Chain| {
            chain.center = chain.center.filter(|center| !self.contains_node(*center));
            for joint in &mut chain.joints {
                joint.colliders.retain(|c| !self.colliders.contains(c));
                joint.length_targets.retain(|t| !self.contains_node(t.node));
                joint.pivot = joint.pivot.filter(|pivot| !self.contains_node(*pivot));
            }
        });
        edits.extend(document.edit_elements(|_, group: &mut ColliderGroup| {
            group.colliders.retain(|c| !self.colliders.contains(c));
        }));
        edits
    }
}

/// Removes elements, their children, nodes that become unused, and all references to removed elements.
pub fn remove_elements(document: &Document, parts: &[ElementId]) -> Edit {
    let mut going = RemovalSet::default();
    let nodes: BTreeSet<Node> = parts.iter().filter_map(|part| part.node(document)).collect();
    parts.iter().filter(|part| part.node(document).is_some()).for_each(|part| going.add(document, *part));
    let mut edits = going.detach_references(document);
    edits.extend(going.high_legs.iter().map(|id| Edit::PutHighLeg { id: *id, high_leg: None }));
    edits.extend(going.colliders.iter().map(|id| Edit::PutCollider { id: *id, collider: None }));
    edits.extend(going.forces.iter().map(|id| Edit::PutForce { id: *id, force: None }));
    let mut after = document.clone();
    let applied = edits.iter().cloned().try_for_each(|edit| after.apply(edit));
    debug_assert!(applied.is_ok(), "nothing holds what is taken away: {applied:?}");
    let mut unused_helpers: Vec<HelperId> = going.helpers.iter().copied().collect();
    unused_helpers.extend(nodes.iter().filter_map(|node| match node {
        Node::Helper(id) if !going.helpers.contains(id) => Some(*id),
        _ => None,
    }));
    // Removes children before parents, regardless of their ids. The document rejects the removal of nodes in use.
    loop {
        let before = unused_helpers.len();
        unused_helpers.retain(|id| {
            let removal = Edit::PutHelper { id: *id, helper: None };
            let gone = after.helpers.contains_key(id) && after.apply(removal.clone()).is_ok();
            if gone {
                edits.push(removal);
            }
            !gone
        });
        if unused_helpers.len() == before {
            return Edit::Batch(edits);
        }
    }
}
