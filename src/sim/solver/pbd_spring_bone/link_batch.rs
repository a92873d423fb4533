//! Links side by side: free movement, collision, length, turn; or collision and length in rounds.

use super::build::{NONE, refresh_path};
use super::step::{StepContext, finite_or, length_scale};
use super::{AimLink, JointRest, Params, State};
use crate::math::{Quatx4, Vec3x4, from_lanes};
use crate::sim::push;
use crate::sim::scene::Scene;
use crate::sim::solver::batch::Batch;
use glam::{Quat, Vec3, Vec4};

impl StepContext<'_> {
    /// Moves every point and turns its bone at once; free points are not held by anything yet.
    pub(super) fn step_links<const HELD: bool>(&self, state: &mut State, scene: &mut Scene<'_>) {
        for four in &self.rest.link_batches {
            self.step_batch::<HELD>(four, state, scene);
        }
    }

    /// Links side by side over one step: fall, collide, keep lengths, turn.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "called in one place; what all links share stays in registers")]
    fn step_batch<const HELD: bool>(&self, four: &Batch, state: &mut State, scene: &mut Scene<'_>) {
        let these = self.batch_input(four);
        let hung = self.link_frames(&these, scene);
        let head = head_positions(these.joints, hung.position, state);
        let point = state.batch_points(four);
        let mut next = self.integrate(four, &these, hung.rest_point, point, state);
        let aim = hung.rotation * Vec3x4::new(from_lanes(|lane| these.links[lane].axis));
        if HELD {
            next = self.collide(&these, hung.length_scale, state, next);
            next =
                push::keep_distance_x4(next, head, these.lengths(hung.length_scale), move |lane| aim.to_array()[lane]);
        }
        let mut last = point;
        let is_lost = !next.is_finite_mask();
        if is_lost.any() {
            next = next.replace_lanes(is_lost, move |lane, _| {
                finite_or(hung.rest_point.to_array()[lane], point.to_array()[lane])
            });
            last = Vec3x4::select(is_lost, next, last);
        }
        let (mut turned, is_aimed) = hung.rotation.rotate_between(aim, next - head);
        let mut local = hung.parent.inverse() * turned;
        let is_turned = is_aimed & local.is_finite_mask();
        if !is_turned.all() {
            let (joints, pose) = (these.joints, &*scene.pose);
            turned = turned.replace_lanes(!is_turned, move |lane, _| hung.rotation.to_array()[lane]);
            local = local.replace_lanes(!is_turned, move |lane, _| pose[joints[lane].bone as usize].rotation);
        }
        let swung = StepResult {
            point: next.to_array(),
            previous: last.to_array(),
            is_scaled: hung.length_scale.is_some(),
            position: hung.position.to_array(),
            local_rotation: local.to_array(),
            world_rotation: turned.to_array(),
        };
        self.write_batch(four, &these, &swung, state, scene);
    }

    /// How bones hang before their turn, on parents that had theirs.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "as for `swing`")]
    fn link_frames(&self, these: &BatchInput<'_>, scene: &mut Scene<'_>) -> LinkFrames {
        let BatchInput { links, joints, .. } = *these;
        let bones = from_lanes(|lane| joints[lane].bone);
        let parents = from_lanes(|lane| scene.parents[bones[lane] as usize]);
        let hung = scene.parent_frames(bones, parents);
        let (parent, position) = (hung.rotation, hung.head);
        let rotation = parent * Quatx4::new(from_lanes(|lane| scene.pose[bones[lane] as usize].rotation));
        let rest = position + rotation * Vec3x4::new(from_lanes(|lane| links[lane].rest_point));
        let is_plain = |lane: usize| links[lane].fast_path && !scene.is_scaled(bones[lane], parents[lane]);
        let odd = from_lanes(|lane| !is_plain(lane));
        if odd == [false; 4] {
            return LinkFrames { parent, rotation, position, rest_point: rest, length_scale: None };
        }
        let (parent, rotation, position, rest) =
            (parent.to_array(), rotation.to_array(), position.to_array(), rest.to_array());
        let plain = from_lanes(|lane| LinkFrame {
            parent: parent[lane],
            rotation: rotation[lane],
            position: position[lane],
            rest_point: rest[lane],
            length_scale: 1.0,
        });
        let each =
            from_lanes(|lane| if odd[lane] { self.link_frame(links[lane], joints[lane], scene) } else { plain[lane] });
        LinkFrames {
            parent: Quatx4::new(from_lanes(|lane| each[lane].parent)),
            rotation: Quatx4::new(from_lanes(|lane| each[lane].rotation)),
            position: Vec3x4::new(from_lanes(|lane| each[lane].position)),
            rest_point: Vec3x4::new(from_lanes(|lane| each[lane].rest_point)),
            length_scale: Some(Vec4::from_array(from_lanes(|lane| each[lane].length_scale))),
        }
    }

    /// How a bone hangs below bones that are no joints, when it has been turned already, or under scale.
    #[cold]
    fn link_frame(&self, link: &AimLink, joint: &JointRest, scene: &mut Scene<'_>) -> LinkFrame {
        if link.first {
            refresh_path(self.rest, joint, scene);
        }
        let frame = &scene.frames[joint.bone as usize];
        LinkFrame {
            parent: scene.parent_frame(scene.parents[joint.bone as usize]).rotation,
            rotation: frame.rotation,
            position: frame.position,
            rest_point: frame.transform_point(link.rest_point),
            length_scale: length_scale(link, frame, self.system),
        }
    }

    /// Where points go on their own.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "as for `swing`")]
    fn integrate(&self, four: &Batch, these: &BatchInput<'_>, rest: Vec3x4, point: Vec3x4, state: &State) -> Vec3x4 {
        let p = these.params;
        let previous = Vec3x4::new(from_lanes(|lane| state.previous[four.indices[lane] as usize]));
        let before = if state.previous_dt > 0.0 { state.previous_dt } else { self.step_seconds };
        let mut speed = (point - previous) / before;
        speed += (rest - point) * Vec4::from_array(from_lanes(|lane| p[lane].spring)) * self.step_seconds;
        speed.y -= Vec4::from_array(from_lanes(|lane| p[lane].gravity)) * self.step_seconds;
        speed = speed * Vec4::from_array(from_lanes(|lane| p[lane].damp));
        point + speed * self.step_seconds
    }

    /// One collider after the other, then the ground: the last one has its way.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "as for `swing`")]
    fn collide(&self, these: &BatchInput<'_>, stretch: Option<Vec4>, state: &State, point: Vec3x4) -> Vec3x4 {
        let joints = these.joints;
        let meets = from_lanes(|lane| joints[lane].enabled && !joints[lane].colliders.is_empty());
        if meets == [false; 4] && self.system.ground.is_none() {
            return point;
        }
        let radius = Vec4::from_array(from_lanes(|lane| these.params[lane].radius)) * stretch.unwrap_or(Vec4::ONE);
        let mut points = point.to_array();
        for lane in (0..these.four.active_indices().len()).filter(|lane| meets[*lane]) {
            points[lane] = self.push_out(joints[lane], radius[lane], state, points[lane]);
        }
        these.four.pad_lanes(&mut points);
        let point = Vec3x4::new(points);
        self.system.ground.map_or(point, |height| push::ground_x4(point, radius, height))
    }

    /// One collider after the other.
    #[inline]
    fn push_out(&self, joint: &JointRest, radius: f32, state: &State, mut point: Vec3) -> Vec3 {
        for at in joint.colliders.slice(&self.rest.colliders) {
            point = state.colliders[*at as usize].push_out(point, radius).unwrap_or(point);
        }
        point
    }

    /// Points and rotations to where later links find them.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "as for `swing`")]
    fn write_batch(
        &self,
        four: &Batch,
        these: &BatchInput<'_>,
        swung: &StepResult,
        state: &mut State,
        scene: &mut Scene<'_>,
    ) {
        let is_plain = |joint: &JointRest| joint.enabled && joint.child_colliders.is_empty();
        if swung.is_scaled || from_lanes(|lane| is_plain(these.joints[lane])) != [true; 4] {
            let swung = swung.clone();
            (0..four.len as usize).for_each(|lane| self.write_link(lane, four, these, &swung, state, scene));
            return;
        }
        // Little by little, so that four of a kind are written without a loop; what is repeated is written again.
        let bone = |lane: usize| these.joints[lane].bone as usize;
        from_lanes(|lane| state.points[four.indices[lane] as usize] = swung.point[lane]);
        from_lanes(|lane| state.previous[four.indices[lane] as usize] = swung.previous[lane]);
        from_lanes(|lane| scene.pose[bone(lane)].rotation = swung.local_rotation[lane]);
        from_lanes(|lane| scene.frames[bone(lane)].set_unscaled(swung.world_rotation[lane], swung.position[lane]));
    }

    /// The same for one that is scaled, off, or carries colliders.
    #[cold]
    fn write_link(
        &self,
        lane: usize,
        four: &Batch,
        these: &BatchInput<'_>,
        swung: &StepResult,
        state: &mut State,
        scene: &mut Scene<'_>,
    ) {
        let (i, joint) = (four.indices[lane] as usize, these.joints[lane]);
        if joint.enabled {
            (state.points[i], state.previous[i]) = (swung.point[lane], swung.previous[lane]);
            let parent = scene.parents[joint.bone as usize];
            scene.set_rotation(
                joint.bone,
                parent,
                swung.position[lane],
                swung.local_rotation[lane],
                swung.world_rotation[lane],
            );
            self.update_child_colliders(joint, state, scene);
        } else {
            self.update_disabled(i, these.links[lane], state, scene);
        }
    }

    /// Colliders, then lengths from the roots on, so many times.
    pub(super) fn solve_constraints(&self, state: &mut State, scene: &Scene<'_>) {
        for _ in 0..self.system.iterations {
            for four in &self.rest.link_batches {
                let these = self.batch_input(four);
                let point = self.collide(&these, self.length_scales(&these, scene), state, state.batch_points(four));
                these.store_points(four, point, state);
            }
            for four in &self.rest.link_batches {
                let these = self.batch_input(four);
                let frames = from_lanes(|lane| &scene.frames[these.joints[lane].bone as usize]);
                let head = head_positions(these.joints, Vec3x4::new(from_lanes(|lane| frames[lane].position)), state);
                let length = these.lengths(self.length_scales(&these, scene));
                let aim = |lane: usize| frames[lane].rotation * these.links[lane].axis;
                let mut point = push::keep_distance_x4(state.batch_points(four), head, length, aim);
                let is_lost = !point.is_finite_mask();
                if is_lost.any() {
                    point = point.replace_lanes(is_lost, |lane, _| state.previous[four.indices[lane] as usize]);
                }
                these.store_points(four, point, state);
            }
        }
    }

    /// How much longer bones are by scale, where that counts; their frames are up to date.
    fn length_scales(&self, these: &BatchInput<'_>, scene: &Scene<'_>) -> Option<Vec4> {
        let one =
            |lane: usize| length_scale(these.links[lane], &scene.frames[these.joints[lane].bone as usize], self.system);
        self.system.follow_scale.then(|| Vec4::from_array(from_lanes(one)))
    }

    #[inline(always)]
    #[expect(clippy::inline_always, reason = "as for `swing`")]
    fn batch_input<'s>(&'s self, four: &'s Batch) -> BatchInput<'s> {
        let links = from_lanes(|lane| &self.rest.links[four.indices[lane] as usize]);
        let joints = from_lanes(|lane| &self.rest.joints[links[lane].joint as usize]);
        let p = from_lanes(|lane| &self.params[links[lane].joint as usize]);
        BatchInput { four, links, joints, params: p }
    }
}

/// Four links with their joints and numbers.
struct BatchInput<'a> {
    four: &'a Batch,
    links: [&'a AimLink; 4],
    joints: [&'a JointRest; 4],
    params: [&'a Params; 4],
}

impl BatchInput<'_> {
    /// How long the links are.
    #[inline]
    fn lengths(&self, stretch: Option<Vec4>) -> Vec4 {
        Vec4::from_array(from_lanes(|lane| self.links[lane].length)) * stretch.unwrap_or(Vec4::ONE)
    }

    /// Notes where points are by now; what is off has no way of its own.
    fn store_points(&self, four: &Batch, point: Vec3x4, state: &mut State) {
        let points = point.to_array();
        for (lane, i) in four.active_indices().iter().enumerate().filter(|(lane, _)| self.joints[*lane].enabled) {
            state.points[*i as usize] = points[lane];
        }
    }
}

/// Four bones before their turn.
struct LinkFrames {
    /// The rotations of what they hang on.
    parent: Quatx4,
    rotation: Quatx4,
    position: Vec3x4,
    /// Where their points would be.
    rest_point: Vec3x4,
    /// How much longer they are by scale; `None` where all hang plainly: not at all.
    length_scale: Option<Vec4>,
}

/// One of them.
#[derive(Clone, Copy)]
struct LinkFrame {
    parent: Quat,
    rotation: Quat,
    position: Vec3,
    rest_point: Vec3,
    length_scale: f32,
}

/// Four links after their turn.
#[derive(Clone)]
struct StepResult {
    /// Whether any of the bones may be.
    is_scaled: bool,
    point: [Vec3; 4],
    /// Where the points were before.
    previous: [Vec3; 4],
    /// Of the bones.
    position: [Vec3; 4],
    /// In the parent's space.
    local_rotation: [Quat; 4],
    world_rotation: [Quat; 4],
}

impl State {
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "four values at once are for registers")]
    fn batch_points(&self, four: &Batch) -> Vec3x4 {
        Vec3x4::new(from_lanes(|lane| self.points[four.indices[lane] as usize]))
    }
}

/// Where the joints' own points are; roots follow the body, whose bones are at `position`.
#[inline(always)]
#[expect(clippy::inline_always, reason = "four values at once are for registers")]
fn head_positions(joints: [&JointRest; 4], position: Vec3x4, state: &State) -> Vec3x4 {
    let is_root = from_lanes(|lane| joints[lane].head_link == NONE);
    if is_root == [false; 4] {
        return Vec3x4::new(from_lanes(|lane| state.points[joints[lane].head_link as usize]));
    }
    let position = position.to_array();
    Vec3x4::new(from_lanes(
        |lane| if is_root[lane] { position[lane] } else { state.points[joints[lane].head_link as usize] },
    ))
}
