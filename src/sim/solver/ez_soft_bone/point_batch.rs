//! Set-up of the turns: particles that have nothing to do with one another go side by side.

use super::siblings::ParticleDraft;
use super::{NONE, PointBatch, Rest};
use crate::math::{Vec3x4, from_lanes};
use crate::rig::{BoneId, Skeleton};
use crate::sim::SystemSetup;
use crate::sim::scene::NO_PARENT;
use crate::sim::solver::batch::{dependency_levels, split_into_batches};
use glam::{BVec4A, Vec3};

/// The seeds in their order, and the turn of each. The engine goes depth first; whatever reads another one's place or
/// hangs on another one's bone keeps its order, so that nobody sees a difference.
pub(super) fn order_by_level(
    start_depth: u32,
    seeds: &[ParticleDraft],
    links: &[[Option<usize>; 2]],
    seed_of: &[Option<usize>],
    skeleton: &Skeleton,
    setup: &SystemSetup,
) -> (Vec<usize>, Vec<u32>) {
    let above = |bone: BoneId| skeleton.ancestors(bone).filter(move |b| *b != bone).filter_map(|b| seed_of[b.index()]);
    // A tree below another one is later; siblings are linked across trees, which else overlap in time.
    let mut nesting_depths = vec![0; seeds.len()];
    for (i, seed) in seeds.iter().enumerate() {
        nesting_depths[i] = match (seed.parent, seed.bone) {
            (Some(parent), _) => nesting_depths[parent],
            (None, Some(bone)) => above(bone).count(),
            (None, None) => 0,
        };
    }
    let deep_first = setup.values.get(super::SIBLING_CONSTRAINTS) >= 0.5;
    let mut sorted: Vec<usize> = (0..seeds.len()).collect();
    sorted.sort_by_key(|i| (nesting_depths[*i], if deep_first { 0 } else { seeds[*i].depth }, *i));
    let mut original_order = vec![0; seeds.len()];
    sorted.iter().enumerate().for_each(|(at, i)| original_order[*i] = at);
    let mut pairs = Vec::new();
    for (i, seed) in seeds.iter().enumerate() {
        let carrier = seed.bone.and_then(|bone| above(bone).next());
        let seen = seed.parent.into_iter().chain(carrier).chain(links[i].into_iter().flatten());
        pairs.extend(seen.map(|other| [original_order[i], original_order[other]]));
    }
    let turns = dependency_levels(seeds.len(), pairs);
    sorted.sort_by_key(|i| (turns[original_order[*i]], seeds[*i].depth > start_depth, seeds[*i].bone.is_none()));
    (sorted, original_order.into_iter().map(|at| turns[at]).collect())
}

/// Puts the particles side by side: those of one turn that are alike in whether they follow the pose and have bones.
pub(super) fn build_batches(rest: &mut Rest, turns: &[u32], skeleton: &Skeleton) {
    let particles = &rest.particles;
    let kind = |i: usize| (turns[i], particles[i].depth > rest.start_depth, particles[i].bone == NO_PARENT);
    let fours = split_into_batches(particles.len(), |a, b| kind(a) != kind(b));
    let abreast = fours.into_iter().map(|four| {
        let each = from_lanes(|lane| &particles[four.indices[lane] as usize]);
        let child = from_lanes(|lane| particles.get(each[lane].child as usize));
        let above = |bone: u32| skeleton.parent(BoneId(bone)).map_or(NO_PARENT, |parent| parent.0);
        let has_bones = each[0].bone != NO_PARENT;
        PointBatch {
            is_beyond_start_depth: each[0].depth > rest.start_depth,
            has_bones,
            has_skipped_bones: each.iter().any(|particle| !particle.skipped_bones.is_empty()),
            bones: each.map(|particle| particle.bone),
            parent_bones: each.map(|particle| if has_bones { above(particle.bone) } else { NO_PARENT }),
            head_joints: each.map(|particle| particle.head_joint),
            head_bones: each
                .map(|particle| rest.joints.get(particle.head_joint as usize).map_or(NO_PARENT, |joint| joint.bone)),
            parents: each.map(|particle| particle.parent),
            children: from_lanes(|lane| if child[lane].is_some() { each[lane].child } else { four.indices[lane] }),
            local_offsets: Vec3x4::new(each.map(|particle| particle.local_offset)),
            child_offsets: Vec3x4::new(child.map(|child| child.map_or(Vec3::Y, |child| child.local_offset))),
            is_simulated: BVec4A::default(),
            rotates: BVec4A::default(),
            batch: four,
        }
    });
    rest.point_batches = abreast.collect();
}

/// Finds out again which particles move and which bones turn.
pub(super) fn update_switches(rest: &mut Rest) {
    let is_on = |joint: u32| rest.joints.get(joint as usize).is_some_and(|joint| joint.enabled);
    for particle in &mut rest.particles {
        particle.is_simulated = particle.depth > rest.start_depth && is_on(particle.head_joint);
        particle.rotates = particle.child != NONE && is_on(particle.bone_joint);
    }
    for abreast in &mut rest.point_batches {
        let each = from_lanes(|lane| &rest.particles[abreast.batch.indices[lane] as usize]);
        abreast.is_simulated = BVec4A::from_array(each.map(|particle| particle.is_simulated));
        abreast.rotates = BVec4A::from_array(each.map(|particle| particle.rotates));
    }
}
