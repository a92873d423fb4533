use crate::document::{ChainPart, Document};
use crate::document::{names::BoneName, names::NameAnalysis};
use std::collections::{BTreeMap, BTreeSet};
use yuremono_sim::rig::{BoneId, Character};

/// Minimum weight at which a bone counts as moving a vertex.
const MIN_VERTEX_WEIGHT: f32 = 0.01;

/// Evidence for the classification of a bone.
#[expect(clippy::struct_excessive_bools, reason = "each is a finding of its own")]
pub(super) struct BoneEvidence {
    pub(super) name: BoneName,
    pub(super) analysis: NameAnalysis,
    /// Role of the nearest ancestor with a role.
    pub(super) nearest_role: Option<&'static str>,
    /// Part of the nearest chain that ends above the bone. Further bones of this part are not proposed, because the
    /// user ended the chain.
    pub(super) ended_chain_part: Option<ChainPart>,
    pub(super) is_child_of_role: bool,
    /// Whether the bone cannot be a joint, regardless of its name.
    pub(super) is_never_joint: bool,
    pub(super) moves_vertices: bool,
    pub(super) subtree_moves_vertices: bool,
}

pub(super) struct SkeletonEvidence {
    pub(super) bones: Vec<BoneEvidence>,
    /// Without meshes, a bone that moves no vertices is not suspicious.
    pub(super) has_meshes: bool,
    pub(super) has_humanoid: bool,
}

impl SkeletonEvidence {
    pub(super) fn from_character(character: &Character, document: &Document) -> Self {
        let skeleton = &character.skeleton;
        let count = skeleton.len();
        let has_humanoid = !character.humanoid.is_empty();
        let mut roles = vec![None; count];
        for (role, bone) in character.humanoid.iter() {
            if let Some(slot) = roles.get_mut(bone.index()) {
                *slot = Some(role);
            }
        }
        let (moves, skinned) = bones_moving_vertices(character);
        let parts = document.chains.values().flat_map(|c| c.joints.iter().map(|j| (j.bone, c.part)));
        let taken: BTreeMap<BoneId, ChainPart> = parts.collect();
        let mut excluded = vec![false; count];
        let mut bones: Vec<BoneEvidence> = Vec::with_capacity(count);
        for id in skeleton.ids() {
            let name = BoneName::parse(skeleton.name(id));
            let analysis = name.analyze();
            let parent = skeleton.parent(id);
            let under = parent.and_then(|p| roles[p.index()].or(bones[p.index()].nearest_role));
            let ends = parent.and_then(|p| taken.get(&p).copied().or(bones[p.index()].ended_chain_part));
            let on_body = parent.is_some_and(|p| roles[p.index()].is_some());
            excluded[id.index()] = document.excluded_bones.contains(&id) || parent.is_some_and(|p| excluded[p.index()]);
            let body = analysis.is_body && analysis.part.is_none();
            let blocked = roles[id.index()].is_some()
                || excluded[id.index()]
                || taken.contains_key(&id)
                || analysis.is_rig_helper
                || body
                || skinned.contains(&id);
            let moves = moves[id.index()];
            bones.push(BoneEvidence {
                name,
                analysis,
                nearest_role: under,
                ended_chain_part: ends,
                is_child_of_role: on_body,
                is_never_joint: blocked,
                moves_vertices: moves,
                subtree_moves_vertices: moves,
            });
        }
        // Ancestors of body bones belong to the body. A body bone has a role or, on a character without roles, a body
        // word in its name.
        let mut carries_body = vec![false; count];
        for id in (0..count as u32).rev().map(BoneId) {
            let own = &bones[id.index()];
            let body =
                roles[id.index()].is_some() || (!has_humanoid && own.analysis.is_body && own.analysis.part.is_none());
            let (moves, carried) = (own.subtree_moves_vertices, carries_body[id.index()] || body);
            if carries_body[id.index()] {
                bones[id.index()].is_never_joint = true;
            }
            if let Some(parent) = skeleton.parent(id) {
                bones[parent.index()].subtree_moves_vertices |= moves;
                carries_body[parent.index()] |= carried;
            }
        }
        Self { bones, has_meshes: !character.meshes.is_empty(), has_humanoid }
    }

    pub(super) fn get(&self, bone: BoneId) -> &BoneEvidence {
        &self.bones[bone.index()]
    }
}

/// Returns whether each bone moves vertices, and the bones that are only nodes of skinned meshes.
fn bones_moving_vertices(character: &Character) -> (Vec<bool>, BTreeSet<BoneId>) {
    let mut moves = vec![false; character.skeleton.len()];
    let mut skinned = BTreeSet::new();
    for mesh in &character.meshes {
        let Some(skin) = mesh.skin.and_then(|s| character.skins.get(s)) else {
            if let Some(slot) = moves.get_mut(mesh.bone.index()) {
                *slot = true;
            }
            continue;
        };
        if !skin.joints.contains(&mesh.bone) {
            skinned.insert(mesh.bone);
        }
        for primitive in &mesh.primitives {
            for (joints, weights) in primitive.joints.iter().zip(&primitive.weights) {
                for (joint, weight) in joints.iter().zip(weights) {
                    if *weight > MIN_VERTEX_WEIGHT
                        && let Some(bone) = skin.joints.get(usize::from(*joint))
                        && let Some(slot) = moves.get_mut(bone.index())
                    {
                        *slot = true;
                    }
                }
            }
        }
    }
    (moves, skinned)
}
