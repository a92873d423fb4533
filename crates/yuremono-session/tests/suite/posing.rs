//! Tests that a dragged bone poses the whole body: bone lengths, standing feet, smoothness, and singular poses.

use super::support;
use glam::{Quat, Vec3};
use std::sync::Arc;
use yuremono_format::project::{self, ProjectMetadata};
use yuremono_model::document::{ChainPart, DragReach, GestureSample};
use yuremono_model::tools::landmarks::body_landmarks;
use yuremono_session::{Command, Motion, Session, TICK_SECONDS};
use yuremono_sim::SolverKind;
use yuremono_sim::rig::{BodyDisplacement, BodyLandmarks, BodyPosing, MotionBody, TestMotion};
use yuremono_sim::rig::{Bone, BoneId, Character, Facing, Pose, Skeleton, WorldPose};

struct Body {
    character: Arc<Character>,
    posing: BodyPosing,
}

impl Body {
    fn of(character: &Arc<Character>) -> Self {
        let posing = BodyPosing::new(&character.skeleton, character.facing, body_landmarks(character));
        Self { character: Arc::clone(character), posing }
    }

    fn sample() -> Self {
        Self::of(&support::sample(SolverKind::default()).character)
    }

    /// The sample character with all bone lengths multiplied by `scale`.
    fn scaled(scale: f32) -> Self {
        Self::with_translations(|translation| translation * scale)
    }

    fn with_translations(change: impl Fn(Vec3) -> Vec3) -> Self {
        let character = support::sample(SolverKind::default()).character;
        let bones = character.skeleton.bones().iter().cloned().map(|mut bone: Bone| {
            bone.rest.translation = change(bone.rest.translation);
            bone
        });
        let skeleton = Skeleton::new(bones.collect()).expect("the same order");
        Self::of(&Arc::new(Character { skeleton, ..(*character).clone() }))
    }

    fn skeleton(&self) -> &Skeleton {
        &self.character.skeleton
    }

    fn role(&self, role: &str) -> BoneId {
        self.character.humanoid.bone(role).expect("a humanoid bone")
    }

    fn rest(&self) -> Pose {
        Pose::rest(self.skeleton())
    }

    fn walking(&self, seconds: f32) -> Pose {
        let mut pose = self.rest();
        TestMotion::Walk.apply(seconds, 1.0, &MotionBody::new(&self.character), &mut pose);
        pose
    }

    fn dragged(&self, from: &Pose, bone: BoneId, offset: Vec3) -> Pose {
        self.displaced(from, &BodyDisplacement { bone, offset, rotation: Quat::IDENTITY })
    }

    fn displaced(&self, from: &Pose, by: &BodyDisplacement) -> Pose {
        let mut pose = from.clone();
        assert!(self.posing.displace(self.skeleton(), &mut pose, by), "the bone is part of the body");
        pose
    }

    fn world(&self, pose: &Pose) -> WorldPose {
        WorldPose::from_pose(self.skeleton(), pose)
    }

    fn position(&self, pose: &Pose, bone: BoneId) -> Vec3 {
        self.world(pose).frame(bone).position
    }

    /// The bones that the window offers to drag.
    fn handles(&self) -> Vec<BoneId> {
        let body = self.posing.landmarks();
        let limbs = body.limbs.iter().flat_map(|limb| limb.bones);
        [body.head, body.chest, body.hips()].into_iter().flatten().chain(limbs).collect()
    }

    fn lengths(&self, world: &WorldPose) -> Vec<f32> {
        let hips = self.posing.landmarks().hips();
        let length = |bone: BoneId| match self.skeleton().parent(bone) {
            // The hips move; every other bone only rotates.
            Some(parent) if Some(bone) != hips => world.frame(bone).position.distance(world.frame(parent).position),
            _ => 0.0,
        };
        self.skeleton().ids().map(length).collect()
    }
}

fn directions() -> impl Iterator<Item = Vec3> {
    let axis = [-1.0, 0.0, 1.0];
    let all = axis.into_iter().flat_map(move |x| axis.into_iter().flat_map(move |y| axis.map(|z| Vec3::new(x, y, z))));
    all.filter_map(Vec3::try_normalize)
}

/// Checks that bone lengths stay, and that every foot which its leg can reach stays, for drags of all handles.
#[track_caller]
fn check_drags(body: &Body, pose: &Pose, scale: f32) {
    let before = body.world(pose);
    let lengths = body.lengths(&before);
    let all: Vec<_> = directions().collect();
    for bone in body.handles() {
        for direction in all.iter().step_by(support::stride(5)) {
            for distance in [0.001, 0.03, 0.1, 0.4, 1.0, 5.0, 1000.0] {
                let by = *direction * distance * scale;
                let after = body.world(&body.dragged(pose, bone, by));
                let place = format!("{} dragged by {by}", body.skeleton().name(bone));
                for (index, (was, is)) in lengths.iter().zip(body.lengths(&after)).enumerate() {
                    assert!((was - is).abs() < 2e-5 * scale, "{place}: bone {index} had {was} m and has {is} m");
                }
                for limb in body.posing.landmarks().limbs.iter().filter(|l| l.stands && !l.bones.contains(&bone)) {
                    let [upper, lower, foot] = limb.bones;
                    let goal = before.frame(foot).position;
                    let leg = lengths[lower.index()] + lengths[foot.index()];
                    let error = after.frame(foot).position.distance(goal);
                    let reachable = after.frame(upper).position.distance(goal) <= leg * 0.9999;
                    assert!(!reachable || error < 1e-3 * scale, "{place}: a foot slides by {error} m");
                    // The forelegs of a fox that rears leave the ground.
                    let hips = body.posing.landmarks().hips();
                    let is_hind_leg = body.skeleton().parent(upper) == hips;
                    assert!(!is_hind_leg || error < 0.1 * scale, "{place}: a foot leaves the ground by {error} m");
                }
            }
        }
    }
}

#[test]
fn bone_lengths_and_reachable_feet_stay_under_every_drag() {
    let body = Body::sample();
    check_drags(&body, &body.rest(), 1.0);
    for seconds in [0.2, 0.7] {
        let (pose, before) = (body.walking(seconds), body.rest());
        assert_ne!(pose, before);
        check_drags(&body, &pose, 1.0);
    }
}

#[test]
fn a_tiny_and_a_huge_body_pose_alike() {
    let one = Body::sample();
    let offset = Vec3::new(0.12, -0.08, 0.05);
    for scale in [0.01, 100.0] {
        let body = Body::scaled(scale);
        for bone in body.handles() {
            let expected = one.world(&one.dragged(&one.rest(), bone, offset));
            let found = body.world(&body.dragged(&body.rest(), bone, offset * scale));
            for (expected, found) in expected.frames.iter().zip(&found.frames) {
                let error = (found.position / scale).distance(expected.position);
                assert!(error < 2e-3, "{} at scale {scale}: {error} m", body.skeleton().name(bone));
            }
        }
    }
}

#[test]
fn singular_skeletons_and_extreme_drags_give_no_nan() {
    let flat = |v: Vec3| Vec3::new(0.0, v.y, 0.0);
    let bodies = [Body::sample(), Body::scaled(0.0), Body::with_translations(flat), Body::scaled(1e-6)];
    for body in &bodies {
        for bone in body.handles() {
            for offset in directions().map(|d| d * 1e4).chain([Vec3::splat(1e-12), Vec3::ZERO, Vec3::NEG_Y]) {
                for rotation in [Quat::IDENTITY, Quat::from_rotation_x(3.0), Quat::from_xyzw(0.0, 1.0, 0.0, 0.0)] {
                    let pose = body.displaced(&body.rest(), &BodyDisplacement { bone, offset, rotation });
                    assert!(pose.local.iter().all(|local| local.is_finite()), "{offset}, {rotation}");
                }
            }
        }
    }
}

#[test]
fn hair_and_skirt_move_when_the_head_is_dragged_and_the_head_follows_the_pointer() {
    let opened = support::sample(SolverKind::default());
    let body = Body::of(&opened.character);
    let rest = body.rest();
    for offset in [Vec3::X * 0.12, Vec3::Z * 0.1, Vec3::new(-0.05, -0.15, 0.05)] {
        let pose = body.dragged(&rest, body.role("head"), offset);
        let head = body.position(&pose, body.role("head")) - body.position(&rest, body.role("head"));
        assert!(head.distance(offset) < 0.25 * offset.length(), "the head moved by {head} instead of {offset}");
        for part in [ChainPart::Hair, ChainPart::Skirt] {
            let roots = opened
                .document
                .chains
                .values()
                .filter(|chain| chain.part == part)
                .map(yuremono_model::document::Chain::root);
            let moved = roots.map(|root| body.position(&pose, root).distance(body.position(&rest, root)));
            let least = moved.fold(f32::MAX, f32::min);
            assert!(least > 0.01 && least < 1.0, "{part:?} moved by {least} m for {offset}");
        }
    }
}

#[test]
fn hands_and_feet_reach_their_targets_and_wrists_and_elbows_stay_in_line() {
    let body = Body::sample();
    let rest = body.rest();
    for (role, offset) in [
        ("leftHand", Vec3::new(-0.25, 0.1, 0.3)),
        ("rightHand", Vec3::new(0.2, 0.15, 0.2)),
        ("leftFoot", Vec3::new(0.05, 0.3, 0.2)),
        ("rightFoot", Vec3::new(-0.1, 0.2, -0.15)),
    ] {
        let bone = body.role(role);
        let pose = body.dragged(&rest, bone, offset);
        let moved = body.position(&pose, bone) - body.position(&rest, bone);
        assert!(moved.distance(offset) < 0.02, "{role} moved by {moved} instead of {offset}");
        if role.ends_with("Hand") {
            assert_eq!(pose.local[bone.index()], rest.local[bone.index()], "{role} keeps its rotation to the arm");
        }
    }
}

/// Drags a bone along a path in steps of a few millimetres, and checks that no bone jumps.
#[track_caller]
fn check_smooth(body: &Body, from: &Pose, bone: BoneId, path: &[Vec3]) {
    const STEP: f32 = 0.004;
    // A bone may move several times as far as the pointer, because limbs are levers. A hand that passes close to its shoulder
    // moves fastest.
    let largest = if body.skeleton().name(bone).ends_with("Hand") { 0.09 } else { 0.06 };
    let mut last = body.world(from);
    for ends in path.windows(2) {
        let steps = (ends[0].distance(ends[1]) / STEP).ceil() as u16;
        for step in 0..=steps {
            let offset = ends[0].lerp(ends[1], f32::from(step) / f32::from(steps));
            let now = body.world(&body.dragged(from, bone, offset));
            for (index, (a, b)) in last.frames.iter().zip(&now.frames).enumerate() {
                let jump = a.position.distance(b.position);
                assert!(jump < largest, "{}: bone {index} jumps by {jump} m at {offset}", body.skeleton().name(bone));
            }
            last = now;
        }
    }
}

#[test]
fn nothing_pops_while_the_pointer_moves() {
    let body = Body::sample();
    for pose in [body.rest(), body.walking(0.3)] {
        let round =
            [Vec3::ZERO, Vec3::X * 0.3, Vec3::new(0.0, -0.4, 0.0), Vec3::X * -0.3, Vec3::Y * 0.5, Vec3::Z, Vec3::ZERO];
        for role in ["head", "chest", "hips"] {
            check_smooth(&body, &pose, body.role(role), &round);
        }
        // Across the chest, over the head, and behind the back.
        let side = |role: &str| body.position(&pose, body.role(role)).x.signum();
        for role in ["leftHand", "rightHand"] {
            let inwards = Vec3::NEG_X * side(role);
            let path = [
                Vec3::ZERO,
                inwards * 1.2,
                inwards * 0.5 + Vec3::Y * 0.7,
                inwards * 0.4 + Vec3::new(0.0, -0.6, 0.3),
                Vec3::Z * 0.5,
                Vec3::ZERO,
            ];
            check_smooth(&body, &pose, body.role(role), &path);
        }
        let kick =
            [Vec3::ZERO, Vec3::new(0.0, 0.4, 0.4), Vec3::new(0.3, 0.2, 0.0), Vec3::new(0.0, 0.3, -0.4), Vec3::ZERO];
        check_smooth(&body, &pose, body.role("leftFoot"), &kick);
    }
}

#[test]
fn a_rotation_of_the_head_spreads_down_the_spine() {
    let body = Body::sample();
    let rest = body.rest();
    let rotation = Quat::from_rotation_y(1.0);
    let by = BodyDisplacement { bone: body.role("head"), offset: Vec3::ZERO, rotation };
    let (before, after) = (body.world(&rest), body.world(&body.displaced(&rest, &by)));
    let turned = |role: &str| {
        let bone = body.role(role);
        before.frame(bone).rotation.angle_between(after.frame(bone).rotation)
    };
    assert!((turned("head") - 1.0).abs() < 1e-3);
    assert!(turned("neck") > turned("chest") && turned("chest") > turned("hips"));
    assert!(turned("neck") > 0.3 && turned("hips") < 0.05);
}

#[test]
fn bones_outside_the_body_and_foreign_landmarks_change_nothing() {
    let body = Body::sample();
    let mut pose = body.rest();
    let by = BodyDisplacement { bone: BoneId(9999), offset: Vec3::X, rotation: Quat::IDENTITY };
    assert!(!body.posing.displace(body.skeleton(), &mut pose, &by));
    assert_eq!(pose, body.rest());
    let lost = BodyLandmarks { spine: vec![BoneId(9999), BoneId(3), BoneId(2)], ..BodyLandmarks::default() };
    let posing = BodyPosing::new(body.skeleton(), Facing::PlusZ, lost);
    assert_eq!(posing.landmarks().spine, [BoneId(3)]);
}

#[test]
fn renamed_rigs_have_the_same_landmarks_by_their_names_alone() {
    for file in ["sample-rig-blender.vrm", "sample-rig-japanese.vrm"] {
        let path = support::root().join("assets").join(file);
        let opened = yuremono_format::open::character(&path, &|_| true).expect("a character");
        let by_roles = body_landmarks(&opened.character);
        assert!(by_roles.head.is_some() && by_roles.limbs.len() == 4 && by_roles.spine.len() >= 5, "{by_roles:?}");
        let mut unnamed = (*opened.character).clone();
        unnamed.humanoid = yuremono_sim::rig::Humanoid::find(&unnamed.skeleton);
        let by_names = body_landmarks(&unnamed);
        assert_eq!((by_names.head, by_names.spine), (by_roles.head, by_roles.spine), "{file}");
        assert_eq!(by_names.limbs, by_roles.limbs, "{file}");
    }
}

#[test]
fn sample_files_without_roles_have_bodies() {
    let Some(folder) = support::folder_or_skip("YUREMONO_SAMPLES") else { return };
    for (file, spine, limbs) in [("Fox.glb", 5, 4), ("CesiumMan.glb", 5, 4), ("RiggedFigure.glb", 5, 4)] {
        let opened = yuremono_format::open::character(&folder.join(file), &|_| true).expect("a character");
        let body = Body::of(&opened.character);
        let found = body.posing.landmarks();
        let name = |bone: BoneId| body.skeleton().name(bone);
        let names = |bones: &[BoneId]| bones.iter().map(|bone| name(*bone).to_owned()).collect::<Vec<_>>();
        let limb_names: Vec<_> = found.limbs.iter().map(|limb| names(&limb.bones)).collect();
        println!("{file}: {:?}, {limb_names:?}, tail {:?}", names(&found.spine), found.tail.map(name));
        assert_eq!((found.spine.len(), found.limbs.len()), (spine, limbs), "{file}");
        assert!(found.head.is_some() && found.chest.is_some(), "{file}");
        let height = MotionBody::new(&opened.character).height;
        check_drags(&body, &body.rest(), height / 1.6);
    }
}

fn still_session() -> Session {
    let opened = support::sample(SolverKind::default());
    let mut session = Session::new(opened.character, opened.document);
    session.handle(Command::SetMotion(Motion::Still));
    session.handle(Command::ResetPose);
    session
}

fn head(session: &Session) -> BoneId {
    session.character().humanoid.bone("head").expect("a head")
}

fn shift(x: f32) -> GestureSample {
    GestureSample { offset: Vec3::new(x, -0.3 * x.abs(), 0.2 * x), rotation: Quat::from_rotation_y(x) }
}

#[test]
fn a_single_bone_drag_moves_no_other_bone() {
    let mut session = still_session();
    let head = head(&session);
    let rest = session.playback().world().pose().clone();
    session.handle(Command::DragBone(head, shift(0.2)));
    session.advance(TICK_SECONDS);
    let world = session.playback().world();
    let simulated = |bone: BoneId| session.playback().joint_index(bone).is_some();
    for bone in session.character().skeleton.ids().filter(|bone| !simulated(*bone) && *bone != head) {
        assert_eq!(world.pose().local[bone.index()], rest.local[bone.index()]);
    }
    let moved =
        world.frames().frame(head).position - WorldPose::from_pose(world.skeleton(), &rest).frame(head).position;
    assert!(moved.distance(shift(0.2).offset) < 1e-5, "{moved}");
}

#[test]
fn a_recorded_body_drag_replays_bit_for_bit() {
    let mut session = still_session();
    let head = head(&session);
    let mut recorded = Vec::new();
    session.handle(Command::SetRecording(true));
    for step in 0..40_u8 {
        session.handle(Command::DragBody(head, shift(libm::sinf(f32::from(step) * 0.2) * 0.15)));
        session.advance(TICK_SECONDS);
        recorded.push(session.playback().world().pose().clone());
    }
    session.handle(Command::ReleaseBone(head));
    while session.document().gestures.is_empty() {
        session.advance(TICK_SECONDS);
    }
    let gesture = session.document().gestures.values().next().expect("a gesture");
    assert_eq!(gesture.reach, DragReach::WholeBody);
    session.handle(Command::ResetPose);
    let body: Vec<BoneId> =
        session.character().skeleton.ids().filter(|b| session.playback().joint_index(*b).is_none()).collect();
    for (step, was) in recorded.iter().enumerate().skip(1) {
        session.handle(Command::StepOnce);
        let is = session.playback().world().pose();
        assert!(body.iter().all(|b| is.local[b.index()] == was.local[b.index()]), "tick {step} differs");
    }
}

#[test]
fn a_kept_pose_looks_as_dragged_and_survives_undo_and_reopening() {
    let mut session = still_session();
    session.handle(Command::SetSpringsBack(false));
    let hand = session.character().humanoid.bone("leftHand").expect("a hand");
    for (bone, sample) in [(head(&session), shift(0.1)), (hand, shift(-0.2))] {
        session.handle(Command::DragBody(bone, sample));
        session.handle(Command::ReleaseBone(bone));
    }
    session.handle(Command::DragBone(hand, shift(0.02)));
    session.handle(Command::ReleaseBone(hand));
    session.advance(TICK_SECONDS);
    let input = |session: &Session| {
        let simulated = |bone: BoneId| session.playback().joint_index(bone).is_some();
        let local = session.playback().world().pose().local.clone();
        let ids = session.character().skeleton.ids();
        ids.filter(|bone| !simulated(*bone)).map(|bone| local[bone.index()]).collect::<Vec<_>>()
    };
    let dragged = input(&session);
    session.handle(Command::KeepPose);
    session.advance(TICK_SECONDS);
    assert_eq!((session.document().kept_pose.len(), session.playback().drags().len()), (3, 0));
    assert_eq!(input(&session), dragged, "keeping a pose changes no bit");

    let skeleton = &session.character().skeleton;
    let bytes = project::write(session.document(), skeleton, &ProjectMetadata::default());
    let (project, _) = project::read(&bytes, "a.yure").expect("a project");
    let (again, diagnostics) = project.into_document(skeleton);
    assert_eq!((&again.kept_pose, diagnostics), (&session.document().kept_pose, vec![]));
    let mut reopened = Session::new(Arc::clone(session.character()), again);
    reopened.handle(Command::SetMotion(Motion::Still));
    reopened.handle(Command::ResetPose);
    assert_eq!(input(&reopened), dragged, "a reopened project has the pose");

    session.handle(Command::DiscardKeptPose);
    session.advance(TICK_SECONDS);
    assert!(session.document().kept_pose.is_empty() && input(&session) != dragged);
    session.handle(Command::Undo);
    session.advance(TICK_SECONDS);
    assert_eq!(input(&session), dragged);
    session.handle(Command::Undo);
    assert!(session.document().kept_pose.is_empty());
}
