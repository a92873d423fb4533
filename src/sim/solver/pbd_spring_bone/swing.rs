//! Links side by side: free movement, collision, length, turn; or collision and length in rounds.

use super::rest::{NONE, refresh_path};
use super::step::{Job, or_last, stretch};
use super::{JointRest, Link, Params, State};
use crate::math::{Quatx4, Vec3x4, lanes};
use crate::sim::push;
use crate::sim::scene::Scene;
use crate::sim::solver::fours::Four;
use glam::{Quat, Vec3, Vec4};

impl Job<'_> {
    /// Moves every point and turns its bone at once; free points are not held by anything yet.
    pub(super) fn pass<const HELD: bool>(&self, state: &mut State, scene: &mut Scene<'_>) {
        for four in &self.rest.fours {
            self.swing::<HELD>(four, state, scene);
        }
    }

    /// Links side by side over one step: fall, collide, keep lengths, turn.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "called in one place; what all links share stays in registers")]
    fn swing<const HELD: bool>(&self, four: &Four, state: &mut State, scene: &mut Scene<'_>) {
        let these = self.these(four);
        let hung = self.hang(&these, scene);
        let head = heads(these.joints, hung.position, state);
        let point = state.points_of(four);
        let mut next = self.fall(four, &these, hung.rest, point, state);
        let aim = hung.rotation * Vec3x4::new(lanes(|lane| these.links[lane].axis));
        if HELD {
            next = self.collide(&these, hung.stretch, state, next);
            next = push::distances(next, head, these.length(hung.stretch), move |lane| aim.each()[lane]);
        }
        let mut last = point;
        let is_lost = !next.is_finite();
        if is_lost.any() {
            next = next.mend(is_lost, move |lane, _| or_last(hung.rest.each()[lane], point.each()[lane]));
            last = Vec3x4::select(is_lost, next, last);
        }
        let (mut turned, is_aimed) = hung.rotation.aimed(aim, next - head);
        let mut local = hung.parent.inverse() * turned;
        let is_turned = is_aimed & local.is_finite();
        if !is_turned.all() {
            let (joints, pose) = (these.joints, &*scene.pose);
            turned = turned.mend(!is_turned, move |lane, _| hung.rotation.each()[lane]);
            local = local.mend(!is_turned, move |lane, _| pose[joints[lane].bone as usize].rotation);
        }
        let swung = Swung {
            point: next.each(),
            previous: last.each(),
            is_scaled: hung.stretch.is_some(),
            position: hung.position.each(),
            local: local.each(),
            world: turned.each(),
        };
        self.write(four, &these, &swung, state, scene);
    }

    /// How bones hang before their turn, on parents that had theirs.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "as for `swing`")]
    fn hang(&self, these: &These<'_>, scene: &mut Scene<'_>) -> Hung {
        let These { links, joints, .. } = *these;
        let bones = lanes(|lane| joints[lane].bone);
        let parents = lanes(|lane| scene.parents[bones[lane] as usize]);
        let hung = scene.hang(bones, parents);
        let (parent, position) = (hung.parent, hung.head);
        let rotation = parent * Quatx4::new(lanes(|lane| scene.pose[bones[lane] as usize].rotation));
        let rest = position + rotation * Vec3x4::new(lanes(|lane| links[lane].rest));
        let is_plain = |lane: usize| links[lane].plain && !scene.is_scaled(bones[lane], parents[lane]);
        let odd = lanes(|lane| !is_plain(lane));
        if odd == [false; 4] {
            return Hung { parent, rotation, position, rest, stretch: None };
        }
        let (parent, rotation, position, rest) = (parent.each(), rotation.each(), position.each(), rest.each());
        let plain = lanes(|lane| HungOne {
            parent: parent[lane],
            rotation: rotation[lane],
            position: position[lane],
            rest: rest[lane],
            stretch: 1.0,
        });
        let each = lanes(|lane| if odd[lane] { self.hang_one(links[lane], joints[lane], scene) } else { plain[lane] });
        Hung {
            parent: Quatx4::new(lanes(|lane| each[lane].parent)),
            rotation: Quatx4::new(lanes(|lane| each[lane].rotation)),
            position: Vec3x4::new(lanes(|lane| each[lane].position)),
            rest: Vec3x4::new(lanes(|lane| each[lane].rest)),
            stretch: Some(Vec4::from_array(lanes(|lane| each[lane].stretch))),
        }
    }

    /// How a bone hangs below bones that are no joints, when it has been turned already, or under scale.
    #[cold]
    fn hang_one(&self, link: &Link, joint: &JointRest, scene: &mut Scene<'_>) -> HungOne {
        if link.first {
            refresh_path(self.rest, joint, scene);
        }
        let frame = &scene.frames[joint.bone as usize];
        HungOne {
            parent: scene.parent_frame(scene.parents[joint.bone as usize]).rotation,
            rotation: frame.rotation,
            position: frame.position,
            rest: frame.point(link.rest),
            stretch: stretch(link, frame, self.system),
        }
    }

    /// Where points go on their own.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "as for `swing`")]
    fn fall(&self, four: &Four, these: &These<'_>, rest: Vec3x4, point: Vec3x4, state: &State) -> Vec3x4 {
        let p = these.p;
        let previous = Vec3x4::new(lanes(|lane| state.previous[four.places[lane] as usize]));
        let before = if state.before > 0.0 { state.before } else { self.h };
        let mut speed = (point - previous) / before;
        speed += (rest - point) * Vec4::from_array(lanes(|lane| p[lane].spring)) * self.h;
        speed.y -= Vec4::from_array(lanes(|lane| p[lane].gravity)) * self.h;
        speed = speed * Vec4::from_array(lanes(|lane| p[lane].damp));
        point + speed * self.h
    }

    /// One collider after the other, then the ground: the last one has its way.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "as for `swing`")]
    fn collide(&self, these: &These<'_>, stretch: Option<Vec4>, state: &State, point: Vec3x4) -> Vec3x4 {
        let joints = these.joints;
        let meets = lanes(|lane| joints[lane].enabled && !joints[lane].colliders.is_empty());
        if meets == [false; 4] && self.system.ground.is_none() {
            return point;
        }
        let radius = Vec4::from_array(lanes(|lane| these.p[lane].radius)) * stretch.unwrap_or(Vec4::ONE);
        let mut points = point.each();
        for lane in (0..these.four.own().len()).filter(|lane| meets[*lane]) {
            points[lane] = self.push_out(joints[lane], radius[lane], state, points[lane]);
        }
        these.four.repeat(&mut points);
        let point = Vec3x4::new(points);
        self.system.ground.map_or(point, |height| push::grounds(point, radius, height))
    }

    /// One collider after the other.
    #[inline]
    fn push_out(&self, joint: &JointRest, radius: f32, state: &State, mut point: Vec3) -> Vec3 {
        for at in joint.colliders.of(&self.rest.colliders) {
            point = state.solids[*at as usize].push(point, radius).unwrap_or(point);
        }
        point
    }

    /// Points and rotations to where later links find them.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "as for `swing`")]
    fn write(&self, four: &Four, these: &These<'_>, swung: &Swung, state: &mut State, scene: &mut Scene<'_>) {
        let is_plain = |joint: &JointRest| joint.enabled && joint.carried.is_empty();
        if swung.is_scaled || lanes(|lane| is_plain(these.joints[lane])) != [true; 4] {
            let swung = swung.clone();
            (0..four.count as usize).for_each(|lane| self.write_one(lane, four, these, &swung, state, scene));
            return;
        }
        // Little by little, so that four of a kind are written without a loop; what is repeated is written again.
        let bone = |lane: usize| these.joints[lane].bone as usize;
        lanes(|lane| state.points[four.places[lane] as usize] = swung.point[lane]);
        lanes(|lane| state.previous[four.places[lane] as usize] = swung.previous[lane]);
        lanes(|lane| scene.pose[bone(lane)].rotation = swung.local[lane]);
        lanes(|lane| scene.frames[bone(lane)].place(swung.world[lane], swung.position[lane]));
    }

    /// The same for one that is scaled, off, or carries colliders.
    #[cold]
    fn write_one(
        &self,
        lane: usize,
        four: &Four,
        these: &These<'_>,
        swung: &Swung,
        state: &mut State,
        scene: &mut Scene<'_>,
    ) {
        let (i, joint) = (four.places[lane] as usize, these.joints[lane]);
        if joint.enabled {
            (state.points[i], state.previous[i]) = (swung.point[lane], swung.previous[lane]);
            let parent = scene.parents[joint.bone as usize];
            scene.place(joint.bone, parent, swung.position[lane], swung.local[lane], swung.world[lane]);
            self.carry(joint, state, scene);
        } else {
            self.follow(i, these.links[lane], state, scene);
        }
    }

    /// Colliders, then lengths from the roots on, so many times.
    pub(super) fn rounds(&self, state: &mut State, scene: &Scene<'_>) {
        for _ in 0..self.system.iterations {
            for four in &self.rest.fours {
                let these = self.these(four);
                let point = self.collide(&these, self.stretches(&these, scene), state, state.points_of(four));
                these.keep(four, point, state);
            }
            for four in &self.rest.fours {
                let these = self.these(four);
                let frames = lanes(|lane| &scene.frames[these.joints[lane].bone as usize]);
                let head = heads(these.joints, Vec3x4::new(lanes(|lane| frames[lane].position)), state);
                let length = these.length(self.stretches(&these, scene));
                let aim = |lane: usize| frames[lane].rotation * these.links[lane].axis;
                let mut point = push::distances(state.points_of(four), head, length, aim);
                let is_lost = !point.is_finite();
                if is_lost.any() {
                    point = point.mend(is_lost, |lane, _| state.previous[four.places[lane] as usize]);
                }
                these.keep(four, point, state);
            }
        }
    }

    /// How much longer bones are by scale, where that counts; their frames are up to date.
    fn stretches(&self, these: &These<'_>, scene: &Scene<'_>) -> Option<Vec4> {
        let one =
            |lane: usize| stretch(these.links[lane], &scene.frames[these.joints[lane].bone as usize], self.system);
        self.system.scaled.then(|| Vec4::from_array(lanes(one)))
    }

    #[inline(always)]
    #[expect(clippy::inline_always, reason = "as for `swing`")]
    fn these<'s>(&'s self, four: &'s Four) -> These<'s> {
        let links = lanes(|lane| &self.rest.links[four.places[lane] as usize]);
        let joints = lanes(|lane| &self.rest.joints[links[lane].joint as usize]);
        let p = lanes(|lane| &self.params[links[lane].joint as usize]);
        These { four, links, joints, p }
    }
}

/// Four links with their joints and numbers.
struct These<'a> {
    four: &'a Four,
    links: [&'a Link; 4],
    joints: [&'a JointRest; 4],
    p: [&'a Params; 4],
}

impl These<'_> {
    /// How long the links are.
    #[inline]
    fn length(&self, stretch: Option<Vec4>) -> Vec4 {
        Vec4::from_array(lanes(|lane| self.links[lane].length)) * stretch.unwrap_or(Vec4::ONE)
    }

    /// Notes where points are by now; what is off has no way of its own.
    fn keep(&self, four: &Four, point: Vec3x4, state: &mut State) {
        let points = point.each();
        for (lane, i) in four.own().iter().enumerate().filter(|(lane, _)| self.joints[*lane].enabled) {
            state.points[*i as usize] = points[lane];
        }
    }
}

/// Four bones before their turn.
struct Hung {
    /// The rotations of what they hang on.
    parent: Quatx4,
    rotation: Quatx4,
    position: Vec3x4,
    /// Where their points would be.
    rest: Vec3x4,
    /// How much longer they are by scale; `None` where all hang plainly: not at all.
    stretch: Option<Vec4>,
}

/// One of them.
#[derive(Clone, Copy)]
struct HungOne {
    parent: Quat,
    rotation: Quat,
    position: Vec3,
    rest: Vec3,
    stretch: f32,
}

/// Four links after their turn.
#[derive(Clone)]
struct Swung {
    /// Whether any of the bones may be.
    is_scaled: bool,
    point: [Vec3; 4],
    /// Where the points were before.
    previous: [Vec3; 4],
    /// Of the bones.
    position: [Vec3; 4],
    /// In the parent's space.
    local: [Quat; 4],
    world: [Quat; 4],
}

impl State {
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "four values at once are for registers")]
    fn points_of(&self, four: &Four) -> Vec3x4 {
        Vec3x4::new(lanes(|lane| self.points[four.places[lane] as usize]))
    }
}

/// Where the joints' own points are; roots follow the body, whose bones are at `position`.
#[inline(always)]
#[expect(clippy::inline_always, reason = "four values at once are for registers")]
fn heads(joints: [&JointRest; 4], position: Vec3x4, state: &State) -> Vec3x4 {
    let is_root = lanes(|lane| joints[lane].above == NONE);
    if is_root == [false; 4] {
        return Vec3x4::new(lanes(|lane| state.points[joints[lane].above as usize]));
    }
    let position = position.each();
    Vec3x4::new(lanes(|lane| if is_root[lane] { position[lane] } else { state.points[joints[lane].above as usize] }))
}
