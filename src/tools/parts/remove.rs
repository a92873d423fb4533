use super::PartId;
use crate::document::{ColliderId, Document, Edit, ForceId, HelperId, HighLegId, Node};
use std::collections::BTreeSet;

/// All that goes when some parts go.
#[derive(Debug, Default)]
struct Going {
    colliders: BTreeSet<ColliderId>,
    forces: BTreeSet<ForceId>,
    helpers: BTreeSet<HelperId>,
    high_legs: BTreeSet<HighLegId>,
}

impl Going {
    fn add(&mut self, document: &Document, part: PartId) {
        match part {
            PartId::Collider(id) => _ = self.colliders.insert(id),
            PartId::Force(id) => _ = self.forces.insert(id),
            PartId::HighLeg(id) => _ = self.high_legs.insert(id),
            PartId::Helper(id) if self.helpers.insert(id) => self.add_what_hangs_on(document, Node::Helper(id)),
            PartId::Helper(_) => {}
        }
    }

    /// As with the engine's own nodes: what hangs on one goes with it.
    fn add_what_hangs_on(&mut self, document: &Document, node: Node) {
        let below: Vec<PartId> = {
            let helpers = document.helpers.iter().filter(|(_, h)| h.parent == node).map(|(id, _)| PartId::Helper(*id));
            let colliders =
                document.colliders.iter().filter(|(_, c)| c.node == node).map(|(id, _)| PartId::Collider(*id));
            let forces = document.forces.iter().filter(|(_, f)| f.node == node).map(|(id, _)| PartId::Force(*id));
            let speaks = |h: &crate::document::HighLeg| {
                h.node == node || h.hip == node || h.legs.iter().flatten().any(|n| *n == node)
            };
            let legs = document.high_legs.iter().filter(|(_, h)| speaks(h)).map(|(id, _)| PartId::HighLeg(*id));
            helpers.chain(colliders).chain(forces).chain(legs).collect()
        };
        for part in below {
            self.add(document, part);
        }
    }

    fn has(&self, node: Node) -> bool {
        matches!(node, Node::Helper(id) if self.helpers.contains(&id))
    }

    /// Joints let go of what goes.
    fn free_joints(&self, document: &Document, edits: &mut Vec<Edit>) {
        for (id, chain) in &document.chains {
            let mut freed = chain.clone();
            freed.center = freed.center.filter(|center| !self.has(*center));
            for joint in &mut freed.joints {
                joint.colliders.retain(|c| !self.colliders.contains(c));
                joint.length_targets.retain(|t| !self.has(t.node));
                joint.pivot = joint.pivot.filter(|pivot| !self.has(*pivot));
            }
            if freed != *chain {
                edits.push(Edit::PutChain { id: *id, chain: Some(Box::new(freed)) });
            }
        }
        for (id, group) in &document.groups {
            let mut freed = group.clone();
            freed.colliders.retain(|c| !self.colliders.contains(c));
            if freed != *group {
                edits.push(Edit::PutGroup { id: *id, group: Some(freed) });
            }
        }
    }
}

/// Takes parts away with all that hangs on them, and their own nodes unless something else needs those. Joints that
/// used them are freed in the same edit.
pub fn remove(document: &Document, parts: &[PartId]) -> Edit {
    let mut going = Going::default();
    let nodes: BTreeSet<Node> = parts.iter().filter_map(|part| part.node(document)).collect();
    parts.iter().filter(|part| part.node(document).is_some()).for_each(|part| going.add(document, *part));
    let mut edits = Vec::new();
    going.free_joints(document, &mut edits);
    edits.extend(going.high_legs.iter().map(|id| Edit::PutHighLeg { id: *id, high_leg: None }));
    edits.extend(going.colliders.iter().map(|id| Edit::PutCollider { id: *id, collider: None }));
    edits.extend(going.forces.iter().map(|id| Edit::PutForce { id: *id, force: None }));
    let mut after = document.clone();
    let applied = edits.iter().cloned().try_for_each(|edit| after.apply(edit).map(|_| ()));
    debug_assert!(applied.is_ok(), "nothing holds what is taken away: {applied:?}");
    let mut waiting: Vec<HelperId> = going.helpers.iter().copied().collect();
    waiting.extend(nodes.iter().filter_map(|node| match node {
        Node::Helper(id) if !going.helpers.contains(id) => Some(*id),
        _ => None,
    }));
    // Children before parents, in whatever order they are numbered; what is still in use is refused and stays.
    loop {
        let before = waiting.len();
        waiting.retain(|id| {
            let removal = Edit::PutHelper { id: *id, helper: None };
            let gone = after.helpers.contains_key(id) && after.apply(removal.clone()).is_ok();
            if gone {
                edits.push(removal);
            }
            !gone
        });
        if waiting.len() == before {
            return Edit::Batch(edits);
        }
    }
}
