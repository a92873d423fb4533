//! Set-up of the turns: particles that have nothing to do with one another go side by side.

use super::links::Seed;
use super::{Abreast, NONE, Rest};
use crate::math::{Vec3x4, lanes};
use crate::rig::{BoneId, Skeleton};
use crate::sim::SystemSetup;
use crate::sim::scene::WORLD;
use crate::sim::solver::fours::{group, turns};
use glam::{BVec4A, Vec3};

/// The seeds in their order, and the turn of each. The engine goes depth first; whatever reads another one's place or
/// hangs on another one's bone keeps its order, so that nobody sees a difference.
pub(super) fn order(
    start_depth: u32,
    seeds: &[Seed],
    links: &[[Option<usize>; 2]],
    seed_of: &[Option<usize>],
    skeleton: &Skeleton,
    setup: &SystemSetup,
) -> (Vec<usize>, Vec<u32>) {
    let above = |bone: BoneId| skeleton.ancestors(bone).filter(move |b| *b != bone).filter_map(|b| seed_of[b.index()]);
    // A tree below another one is later; siblings are linked across trees, which else overlap in time.
    let mut nests = vec![0; seeds.len()];
    for (i, seed) in seeds.iter().enumerate() {
        nests[i] = match (seed.parent, seed.bone) {
            (Some(parent), _) => nests[parent],
            (None, Some(bone)) => above(bone).count(),
            (None, None) => 0,
        };
    }
    let deep_first = setup.values.get(super::SIBLING_CONSTRAINTS) >= 0.5;
    let mut sorted: Vec<usize> = (0..seeds.len()).collect();
    sorted.sort_by_key(|i| (nests[*i], if deep_first { 0 } else { seeds[*i].depth }, *i));
    let mut engines = vec![0; seeds.len()];
    sorted.iter().enumerate().for_each(|(at, i)| engines[*i] = at);
    let mut pairs = Vec::new();
    for (i, seed) in seeds.iter().enumerate() {
        let carrier = seed.bone.and_then(|bone| above(bone).next());
        let seen = seed.parent.into_iter().chain(carrier).chain(links[i].into_iter().flatten());
        pairs.extend(seen.map(|other| [engines[i], engines[other]]));
    }
    let turns = turns(seeds.len(), pairs);
    sorted.sort_by_key(|i| (turns[engines[*i]], seeds[*i].depth > start_depth, seeds[*i].bone.is_none()));
    (sorted, engines.into_iter().map(|at| turns[at]).collect())
}

/// Puts the particles side by side: those of one turn that are alike in whether they follow the pose and have bones.
pub(super) fn plan(rest: &mut Rest, turns: &[u32], skeleton: &Skeleton) {
    let particles = &rest.particles;
    let kind = |i: usize| (turns[i], particles[i].depth > rest.start_depth, particles[i].bone == WORLD);
    let fours = group(particles.len(), |a, b| kind(a) != kind(b));
    let abreast = fours.into_iter().map(|four| {
        let each = lanes(|lane| &particles[four.places[lane] as usize]);
        let child = lanes(|lane| particles.get(each[lane].child as usize));
        let above = |bone: u32| skeleton.parent(BoneId(bone)).map_or(WORLD, |parent| parent.0);
        let has_bones = each[0].bone != WORLD;
        Abreast {
            swings: each[0].depth > rest.start_depth,
            has_bones,
            has_between: each.iter().any(|particle| !particle.between.is_empty()),
            bones: each.map(|particle| particle.bone),
            above: each.map(|particle| if has_bones { above(particle.bone) } else { WORLD }),
            joints: each.map(|particle| particle.joint),
            heads: each.map(|particle| rest.joints.get(particle.joint as usize).map_or(WORLD, |joint| joint.bone)),
            parents: each.map(|particle| particle.parent),
            children: lanes(|lane| if child[lane].is_some() { each[lane].child } else { four.places[lane] }),
            local: Vec3x4::new(each.map(|particle| particle.local)),
            child_local: Vec3x4::new(child.map(|child| child.map_or(Vec3::Y, |child| child.local))),
            is_free: BVec4A::default(),
            turns: BVec4A::default(),
            four,
        }
    });
    rest.fours = abreast.collect();
}

/// Finds out again which particles move and which bones turn.
pub(super) fn switch(rest: &mut Rest) {
    let is_on = |joint: u32| rest.joints.get(joint as usize).is_some_and(|joint| joint.enabled);
    for particle in &mut rest.particles {
        particle.is_free = particle.depth > rest.start_depth && is_on(particle.joint);
        particle.turns = particle.child != NONE && is_on(particle.own);
    }
    for abreast in &mut rest.fours {
        let each = lanes(|lane| &rest.particles[abreast.four.places[lane] as usize]);
        abreast.is_free = BVec4A::from_array(each.map(|particle| particle.is_free));
        abreast.turns = BVec4A::from_array(each.map(|particle| particle.turns));
    }
}
