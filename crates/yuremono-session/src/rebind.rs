//! Finds the bones of the document, its history and the selection in a new version of the character.

use super::Session;
use std::collections::BTreeMap;
use std::sync::Arc;
use yuremono_model::document::rest_frame::FrameTurn;
use yuremono_model::document::source_frames::{KeptValue, RestPose, SourceFrames, turn_document};
use yuremono_model::document::{BonePaths, Chain, Changes, Document, Edit, MapReferences, Node, difference};
use yuremono_sim::SolverKind;
use yuremono_sim::rig::{BoneId, Character, Skeleton};

/// Finds the bones again. Returns the edit that keeps the meaning of values in the frames of bones whose axes have changed,
/// and the values that it cannot convert. Steps of the undo history before the edit have the former axes.
pub(super) fn rebind(s: &mut Session, character: &Arc<Character>) -> Option<(Edit, Vec<KeptValue>)> {
    let old = BonePaths::of(&s.character.skeleton);
    let mut frames = SourceFrames::new((&s.character).into(), Some);
    let missing = s.document.missing_bones.iter();
    frames.bones.extend(missing.filter_map(|(bone, _)| Some((bone, *s.document.missing_bones.rest_frame(bone)?))));
    let there = s.character.skeleton.ids().map(|bone| (bone, old.path_of(bone)));
    let lost = s.document.missing_bones.iter().map(|(bone, path)| (bone, path.clone()));
    let (bones, paths): (Vec<_>, Vec<_>) = there.chain(lost).unzip();
    let found = BonePaths::of(&character.skeleton).match_paths(&paths);
    let mut map = BTreeMap::new();
    for ((bone, path), found) in bones.into_iter().zip(paths).zip(found) {
        let to = match found {
            Some(found) => found.id(),
            None if s.document.missing_bones.path(bone).is_some() => bone,
            None => {
                let id = s.document.missing_bones.add(path);
                if let Some(frame) = frames.bones.get(&bone) {
                    s.document.missing_bones.set_rest_frame(id, *frame);
                }
                id
            }
        };
        map.insert(bone, to);
    }
    map.iter().filter(|(bone, to)| bone != to).for_each(|(bone, _)| s.document.missing_bones.remove(*bone));
    let baseline = &mut s.baseline;
    for before in [&mut baseline.opened, &mut baseline.baseline_document].into_iter().chain(&mut s.snapshot) {
        before.missing_bones = s.document.missing_bones.clone();
    }
    let rebind = BoneRebinder { map, skeleton: &character.skeleton };
    rebind.rebind_document(&mut s.document);
    rebind.rebind_document(&mut s.baseline.opened);
    rebind.rebind_document(&mut s.baseline.baseline_document);
    s.snapshot.iter_mut().for_each(|document| rebind.rebind_document(document));
    let (rest, turned_to) = (RestPose::from(character), frames.turned_to(Some(character.facing)));
    let found = |bone: &BoneId| Some(rebind.map_bone(*bone)).filter(|bone| bone.index() < character.skeleton.len());
    let turns = frames.turns(rest, found).into_iter().filter_map(|(bone, turn)| Some((found(&bone)?, turn)));
    let turns: BTreeMap<BoneId, FrameTurn> = turns.collect();
    for document in [&mut s.baseline.opened, &mut s.baseline.baseline_document].into_iter().chain(&mut s.snapshot) {
        turn_document(document, &character.skeleton, &turns, turned_to);
    }
    let mut converted = s.document.clone();
    let kept = turn_document(&mut converted, &character.skeleton, &turns, turned_to);
    let conversion = (converted != s.document).then(|| (difference(&s.document, &converted), kept));
    s.history.map_changes(|changes| rebind.rebind_changes(changes));
    s.preset_history.chains_mut().for_each(|chain| rebind.rebind_chain(chain));
    s.isolation.map_bones(|bone| rebind.map_bone(bone));
    let selection = &mut s.selection;
    selection.bones = selection.bones.iter().map(|b| rebind.map_bone(*b)).collect();
    selection.active = selection.active.map(|b| rebind.map_bone(b));
    selection.hovered = None;
    selection.remove_missing(&character.skeleton, &s.document);
    conversion
}

/// Maps the bone ids of the old version to those of the new version.
struct BoneRebinder<'a> {
    map: BTreeMap<BoneId, BoneId>,
    skeleton: &'a Skeleton,
}

impl BoneRebinder<'_> {
    fn map_bone(&self, bone: BoneId) -> BoneId {
        self.map.get(&bone).copied().unwrap_or(bone)
    }

    fn map_node(&self, node: Node) -> Node {
        match node {
            Node::Bone(bone) => Node::Bone(self.map_bone(bone)),
            Node::Helper(_) => node,
        }
    }

    fn node_mapper(&self) -> MapReferences<impl FnMut(Node) -> Node> {
        MapReferences::nodes(|node| self.map_node(node))
    }

    fn rebind_document(&self, document: &mut Document) {
        document.setup = document.setup.map_naming(&mut self.node_mapper());
        document.chains.values_mut().for_each(|chain| self.sort_joints(chain));
    }

    fn rebind_chain(&self, chain: &mut Chain) {
        *chain = chain.map_naming(SolverKind::default(), &mut self.node_mapper());
        self.sort_joints(chain);
    }

    /// Restores the joint order, ancestors first, because the new version may change the parents of bones.
    fn sort_joints(&self, chain: &mut Chain) {
        let is_late = |at: usize| {
            let bone = chain.joints[at].bone;
            chain.joints[..at].iter().any(|joint| self.skeleton.is_known_ancestor(bone, joint.bone))
        };
        if (0..chain.joints.len()).any(is_late) {
            let depth = |bone: BoneId| std::iter::successors(Some(bone), |b| self.skeleton.get_parent(*b)).count();
            chain.joints.sort_by_key(|joint| depth(joint.bone));
        }
    }

    fn rebind_changes(&self, changes: &mut Changes) {
        changes.map_references(&mut self.node_mapper());
        changes.chains_mut().for_each(|chain| self.sort_joints(chain));
    }
}
