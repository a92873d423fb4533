use crate::document::{Document, Part};
use crate::document::{names::BoneName, names::Verdict};
use crate::rig::{BoneId, Character};
use std::collections::{BTreeMap, BTreeSet};

/// A share of a vertex below which a bone does not count as moving it.
const LEAST_WEIGHT: f32 = 0.01;

/// What is known of one bone before anything is decided.
#[expect(clippy::struct_excessive_bools, reason = "each is a finding of its own")]
pub(super) struct Evidence {
    pub(super) name: BoneName,
    pub(super) verdict: Verdict,
    /// Role of the nearest bone above that has one.
    pub(super) under: Option<&'static str>,
    /// What the chain is that ends above it; more of the same was left out on purpose.
    pub(super) ends: Option<Part>,
    /// A direct child of a bone with a role.
    pub(super) on_body: bool,
    /// Never a joint, whatever its name.
    pub(super) blocked: bool,
    /// Moves vertices itself.
    pub(super) moves: bool,
    /// It or a bone below moves vertices.
    pub(super) moves_below: bool,
}

/// One entry per bone.
pub(super) struct Survey {
    pub(super) bones: Vec<Evidence>,
    /// Whether there are meshes, so that moving nothing means something.
    pub(super) has_meshes: bool,
    pub(super) has_humanoid: bool,
}

impl Survey {
    pub(super) fn of(character: &Character, document: &Document) -> Self {
        let skeleton = &character.skeleton;
        let count = skeleton.len();
        let has_humanoid = !character.humanoid.is_empty();
        let mut roles = vec![None; count];
        for (role, bone) in character.humanoid.iter() {
            if let Some(slot) = roles.get_mut(bone.index()) {
                *slot = Some(role);
            }
        }
        let (moves, skinned) = moved_vertices(character);
        let parts = document.chains.values().flat_map(|c| c.joints.iter().map(|j| (j.bone, c.part)));
        let taken: BTreeMap<BoneId, Part> = parts.collect();
        let mut shut = vec![false; count];
        let mut bones: Vec<Evidence> = Vec::with_capacity(count);
        for id in skeleton.ids() {
            let name = BoneName::read(skeleton.name(id));
            let verdict = name.verdict();
            let parent = skeleton.parent(id);
            let under = parent.and_then(|p| roles[p.index()].or(bones[p.index()].under));
            let ends = parent.and_then(|p| taken.get(&p).copied().or(bones[p.index()].ends));
            let on_body = parent.is_some_and(|p| roles[p.index()].is_some());
            shut[id.index()] = document.excluded.contains(&id) || parent.is_some_and(|p| shut[p.index()]);
            let body = verdict.body && verdict.part.is_none();
            let blocked = roles[id.index()].is_some()
                || shut[id.index()]
                || taken.contains_key(&id)
                || verdict.machinery
                || body
                || skinned.contains(&id);
            let moves = moves[id.index()];
            bones.push(Evidence { name, verdict, under, ends, on_body, blocked, moves, moves_below: moves });
        }
        // What carries the body is body: a bone above a role, or, without roles, above a body's word.
        let mut carries = vec![false; count];
        for id in (0..count as u32).rev().map(BoneId) {
            let own = &bones[id.index()];
            let body = roles[id.index()].is_some() || (!has_humanoid && own.verdict.body && own.verdict.part.is_none());
            let (moves, carried) = (own.moves_below, carries[id.index()] || body);
            if carries[id.index()] {
                bones[id.index()].blocked = true;
            }
            if let Some(parent) = skeleton.parent(id) {
                bones[parent.index()].moves_below |= moves;
                carries[parent.index()] |= carried;
            }
        }
        Self { bones, has_meshes: !character.meshes.is_empty(), has_humanoid }
    }

    pub(super) fn get(&self, bone: BoneId) -> &Evidence {
        &self.bones[bone.index()]
    }
}

/// Which bones move vertices, and which only carry the node of a skinned mesh.
fn moved_vertices(character: &Character) -> (Vec<bool>, BTreeSet<BoneId>) {
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
                    if *weight > LEAST_WEIGHT
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
