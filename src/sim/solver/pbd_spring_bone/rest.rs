//! Set-up: who is turned towards what, and in which order.

use super::{NO_ANIMATOR, State};
use crate::rig::{BoneId, Skeleton, WorldPose};
use crate::sim::collider::WorldCollider;
use crate::sim::kernel::Span;
use crate::sim::scene::Scene;
use crate::sim::solver::fours::{Four, Touch, side_by_side};
use crate::sim::{JointSetup, SystemSetup, TipSetup};
use glam::{Quat, Vec3};

/// No link.
pub(super) const NONE: u32 = u32::MAX;

/// Topology and rest data of one joint.
#[derive(Clone, Debug, PartialEq)]
pub struct JointRest {
    pub(super) bone: u32,
    pub(super) enabled: bool,
    /// Whether the rotation is the solver's own from frame to frame.
    pub(super) own: bool,
    /// The link whose point is this joint's head; `u32::MAX` for a root, which follows the body.
    pub(super) above: u32,
    /// The link that turns it last.
    pub(super) last: u32,
    /// The bone's local rotation in the rest pose.
    rotation: Quat,
    /// Part of [`Rest::bones`]: from below the joint above to this one.
    pub(super) path: Span,
    /// Part of [`Rest::bones`]: what carries colliders below this joint.
    pub(super) below: Span,
    /// Part of [`Rest::carried`]: those colliders.
    pub(super) carried: Span,
    /// Part of [`Rest::colliders`].
    pub(super) colliders: Span,
}

/// From a joint to one point that it is turned towards.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// Position among the joints.
    pub(super) joint: u32,
    /// Whether it is the joint's first.
    pub(super) first: bool,
    /// Whether its bone hangs where it did before the turn as pose and parent say: it is the joint's first, and no bones
    /// lie between it and the joint above.
    pub(super) plain: bool,
    /// The point at rest in bone space, metres.
    pub(super) rest: Vec3,
    /// Its direction, unit length or zero.
    pub(super) axis: Vec3,
    /// Its distance in bone space, metres.
    pub(super) length: f32,
}

/// Topology and rest data; joints depth first, links in the order of turns: level by level, which does the same as depth
/// first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rest {
    pub(super) joints: Vec<JointRest>,
    pub(super) links: Vec<Link>,
    /// The links side by side.
    pub(super) fours: Vec<Four>,
    pub(super) bones: Vec<u32>,
    pub(super) colliders: Vec<u32>,
    pub(super) carried: Vec<u32>,
    /// Bones to be moved along once all joints are turned, parents first.
    pub(super) stale: Vec<u32>,
    /// Position of each joint of the setup among `joints`.
    pub(super) order: Vec<u32>,
}

impl Rest {
    /// Reads again what is switched on.
    pub(super) fn switch(&mut self, setup: &SystemSetup) {
        let kept = setup.values.get(NO_ANIMATOR) >= 0.5;
        for (joint, place) in setup.joints.iter().zip(&self.order) {
            let own = &mut self.joints[*place as usize];
            (own.enabled, own.own) = (joint.enabled, kept && joint.enabled && !joint.animated);
        }
    }
}

/// Where a joint points: the bone, if it is one, and the place in bone space.
type Tip = (Option<BoneId>, Vec3);

/// What comes next on the way through the joints.
enum Turn {
    Joint(usize),
    Tip(usize, usize),
}

/// The joints of a setup as a tree.
struct Tree {
    /// The nearest joint above each.
    above: Vec<Option<usize>>,
    tips: Vec<Vec<Tip>>,
    /// Joints below each, by the tip that they hang on; those that hang on none come last.
    below: Vec<Vec<Vec<usize>>>,
}

impl Tree {
    fn new(setup: &SystemSetup, skeleton: &Skeleton, world: &WorldPose) -> Self {
        let mut joint_at = vec![None; skeleton.len()];
        for (i, joint) in setup.joints.iter().enumerate() {
            joint_at[joint.bone.index()].get_or_insert(i);
        }
        let carrier = |joint: &JointSetup| skeleton.ancestors(joint.bone).find_map(|b| joint_at[b.index()]);
        let above: Vec<_> = setup.joints.iter().map(carrier).collect();
        let tips: Vec<_> = setup.joints.iter().map(|joint| tips(joint, skeleton, world)).collect();
        let mut below: Vec<_> = tips.iter().map(|tips| vec![Vec::new(); tips.len() + 1]).collect();
        for (i, above) in above.iter().enumerate() {
            let Some(above) = above else { continue };
            let bone = setup.joints[i].bone;
            let hangs = |(tip, _): &Tip| tip.is_some_and(|tip| tip == bone || skeleton.is_ancestor(tip, bone));
            let at = tips[*above].iter().position(hangs).unwrap_or(tips[*above].len());
            below[*above][at].push(i);
        }
        Self { above, tips, below }
    }
}

/// Where a joint points; a leaf to nowhere.
fn tips(joint: &JointSetup, skeleton: &Skeleton, world: &WorldPose) -> Vec<Tip> {
    let frame = world.frame(joint.bone);
    // What lies as far off as files can say has no direction.
    let reachable = |(_, at): &Tip| at.length().is_finite() && frame.point(*at).distance(frame.position).is_finite();
    let place = |bone: &BoneId| {
        let child = skeleton.parent(*bone) == Some(joint.bone);
        let at = || frame.inverse_point(world.frame(*bone).position);
        (Some(*bone), if child { skeleton.bone(*bone).rest.translation } else { at() })
    };
    let mut found: Vec<Tip> = match &joint.tip {
        TipSetup::Offset(offset) => vec![(None, *offset)],
        TipSetup::Bones(bones) => bones.iter().map(place).collect(),
    };
    found.retain(reachable);
    if found.is_empty() { vec![(None, Vec3::ZERO)] } else { found }
}

pub(super) fn build(setup: &SystemSetup, skeleton: &Skeleton, world: &WorldPose) -> (Rest, State) {
    let tree = Tree::new(setup, skeleton, world);
    let mut rest = Rest { order: vec![0; setup.joints.len()], ..Rest::default() };
    let mut link_of_bone = vec![NONE; skeleton.len()];
    let mut ahead: Vec<Turn> =
        (0..setup.joints.len()).rev().filter(|i| tree.above[*i].is_none()).map(Turn::Joint).collect();
    while let Some(turn) = ahead.pop() {
        match turn {
            Turn::Joint(i) => {
                rest.order[i] = rest.joints.len() as u32;
                let joint = joint(setup, i, skeleton, &tree, &mut rest, &link_of_bone);
                rest.joints.push(joint);
                for (at, below) in tree.below[i].iter().enumerate().rev() {
                    ahead.extend(below.iter().rev().map(|below| Turn::Joint(*below)));
                    if at < tree.tips[i].len() {
                        ahead.push(Turn::Tip(i, at));
                    }
                }
            }
            Turn::Tip(i, at) => {
                let (bone, tip) = tree.tips[i][at];
                let joint = rest.order[i];
                rest.joints[joint as usize].last = rest.links.len() as u32;
                if let Some(bone) = bone {
                    link_of_bone[bone.index()] = rest.links.len() as u32;
                }
                let (axis, length) = (tip.normalize_or_zero(), tip.length());
                let (first, plain) = (at == 0, at == 0 && rest.joints[joint as usize].path.len() == 1);
                rest.links.push(Link { joint, first, plain, rest: tip, axis, length });
            }
        }
    }
    rest.stale = stale(&tree, &rest);
    level(&mut rest, skeleton, setup.colliders.len());
    rest.switch(setup);
    let state = state(setup, &rest, world);
    (rest, state)
}

fn joint(setup: &SystemSetup, i: usize, skeleton: &Skeleton, tree: &Tree, rest: &mut Rest, link: &[u32]) -> JointRest {
    let JointSetup { bone, .. } = &setup.joints[i];
    let top = tree.above[i].map(|above| setup.joints[above].bone);
    let up = std::iter::successors(Some(*bone), |b| skeleton.parent(*b).filter(|p| top.is_some() && Some(*p) != top));
    let mut path: Vec<u32> = up.map(|b| b.0).collect();
    path.reverse();
    let on_or_below = |node: BoneId| node == *bone || skeleton.is_ancestor(*bone, node);
    let (mut below, mut carried) = (Vec::new(), Vec::new());
    for (at, collider) in setup.colliders.iter().enumerate().filter(|(_, c)| on_or_below(c.bone)) {
        carried.push(at as u32);
        let up = std::iter::successors(Some(collider.bone), |b| skeleton.parent(*b));
        below.extend(up.take_while(|b| b != bone).map(|b| b.0));
    }
    below.sort_unstable();
    below.dedup();
    JointRest {
        bone: bone.0,
        enabled: true,
        own: false,
        above: link[bone.index()],
        last: 0,
        rotation: skeleton.bone(*bone).rest.rotation.normalize(),
        path: Span::append(&mut rest.bones, path),
        below: Span::append(&mut rest.bones, below),
        carried: Span::append(&mut rest.carried, carried),
        colliders: Span::append(&mut rest.colliders, setup.known_colliders(&setup.joints[i])),
    }
}

/// Puts the links level by level, and side by side where none waits for another.
fn level(rest: &mut Rest, skeleton: &Skeleton, colliders: usize) {
    let touches: Vec<Touch> = (0..rest.links.len()).map(|link| touch(rest, link, skeleton, colliders)).collect();
    let (order, fours) = side_by_side(&touches);
    let mut place = vec![NONE; order.len()];
    order.iter().enumerate().for_each(|(at, link)| place[*link as usize] = at as u32);
    rest.links = order.iter().map(|link| rest.links[*link as usize].clone()).collect();
    rest.fours = fours;
    for joint in &mut rest.joints {
        joint.last = place[joint.last as usize];
        joint.above = place.get(joint.above as usize).copied().unwrap_or(NONE);
    }
}

/// What the turn of a link reads and moves: frames, colliders, points.
fn touch(rest: &Rest, link: usize, skeleton: &Skeleton, colliders: usize) -> Touch {
    let joint = &rest.joints[rest.links[link].joint as usize];
    let solid = |collider: &u32| skeleton.len() as u32 + collider;
    let point = |link: u32| (skeleton.len() + colliders) as u32 + link;
    let path = joint.path.of(&rest.bones);
    let parent = path.first().and_then(|bone| skeleton.parent(BoneId(*bone))).map(|parent| parent.0);
    let head = Some(joint.above).filter(|above| *above != NONE).map(point);
    let met = joint.colliders.of(&rest.colliders);
    let carried = joint.carried.of(&rest.carried);
    let below = joint.below.of(&rest.bones);
    Touch {
        kind: 0,
        reads: parent.into_iter().chain(head).chain(met.iter().map(solid)).collect(),
        moves: path.iter().chain(below).copied().chain(carried.iter().map(solid)).chain([point(link as u32)]).collect(),
    }
}

/// What hangs below joints that are turned more than once.
fn stale(tree: &Tree, rest: &Rest) -> Vec<u32> {
    let mut by_place = vec![0; rest.order.len()];
    rest.order.iter().enumerate().for_each(|(i, place)| by_place[*place as usize] = i);
    let mut below_fork = vec![false; by_place.len()];
    let mut stale = Vec::new();
    for (place, i) in by_place.into_iter().enumerate() {
        below_fork[i] = tree.above[i].is_some_and(|above| below_fork[above] || tree.tips[above].len() > 1);
        if below_fork[i] {
            stale.extend_from_slice(rest.joints[place].path.of(&rest.bones));
        }
    }
    stale
}

fn state(setup: &SystemSetup, rest: &Rest, world: &WorldPose) -> State {
    let point = |link: &Link| world.frames[rest.joints[link.joint as usize].bone as usize].point(link.rest);
    let points: Vec<Vec3> = rest.links.iter().map(point).collect();
    State {
        previous: points.clone(),
        points,
        begun: vec![Quat::IDENTITY; rest.joints.len()],
        last: rest.joints.iter().map(|joint| joint.last).collect(),
        solids: vec![WorldCollider::Off; setup.colliders.len()],
        before: 0.0,
        owed: 0.0,
    }
}

/// Lets every point stand still where its bone has it: at rest, or as animation left it.
pub(super) fn rest_tips(rest: &Rest, state: &mut State, scene: &mut Scene<'_>) {
    for (i, link) in rest.links.iter().enumerate() {
        let joint = &rest.joints[link.joint as usize];
        if link.first {
            if joint.own {
                scene.pose[joint.bone as usize].rotation = joint.rotation;
            }
            refresh_path(rest, joint, scene);
        }
        let at = scene.frames[joint.bone as usize].point(link.rest);
        (state.points[i], state.previous[i]) = (at, at);
    }
    (state.before, state.owed) = (0.0, 0.0);
}

/// Brings the frames from below the joint above down to this joint up to date.
#[inline]
pub(super) fn refresh_path(rest: &Rest, joint: &JointRest, scene: &mut Scene<'_>) {
    for bone in joint.path.of(&rest.bones) {
        scene.refresh(*bone);
    }
}
