use super::surface::{ClippingPoint, ClippingSurface};
use super::*;
use glam::{Mat4, Quat, Vec3};
use std::f32::consts::{FRAC_PI_2, PI, TAU};
use yuremono_model::document::{Chain, ChainPart, Joint};
use yuremono_model::job::JobControl;
use yuremono_model::tools::clipping_fixes::{FixChange, fixes_edit};
use yuremono_sim::math::Trs;
use yuremono_sim::rig::{
    Bone, Channel, ChannelInterpolation, ChannelValues, Clip, Mesh, Pose, Primitive, Skeleton, Skin, WorldPose,
};

/// A surface of revolution about +Y through rings of radius and height, with the normals outwards if the heights ascend.
fn revolved(rings: &[(f32, f32)]) -> Primitive {
    const SEGMENTS: u32 = 32;
    let around = (0..SEGMENTS).map(|segment| libm::sincosf(TAU * segment as f32 / SEGMENTS as f32));
    let around: Vec<(f32, f32)> = around.collect();
    let ring = |(radius, y): &(f32, f32)| {
        let (radius, y) = (*radius, *y);
        around.iter().map(move |(z, x)| Vec3::new(x * radius, y, z * radius)).collect::<Vec<_>>()
    };
    let at = |ring: u32, segment: u32| ring * SEGMENTS + segment % SEGMENTS;
    let quads = (0..rings.len() as u32 - 1).flat_map(|ring| (0..SEGMENTS).map(move |segment| (ring, segment)));
    let corners = quads.flat_map(|(ring, segment)| {
        let [a, b] = [at(ring, segment), at(ring, segment + 1)];
        let [c, d] = [at(ring + 1, segment), at(ring + 1, segment + 1)];
        [a, c, b, b, c, d]
    });
    Primitive { indices: corners.collect(), positions: rings.iter().flat_map(ring).collect(), ..Primitive::default() }
}

/// A unit sphere up to a share of its height, 0 to 1.
fn sphere(share: f32) -> Primitive {
    let rings: Vec<(f32, f32)> =
        (0..=32).map(|i| PI * share * i as f32 / 32.0).map(|a| (libm::sinf(a), -libm::cosf(a))).collect();
    revolved(&rings)
}

/// A capsule along +Y from 0 to `length`, without the caps.
fn capsule(radius: f32, length: f32) -> Primitive {
    let half = |i: u32| FRAC_PI_2 * i as f32 / 8.0;
    let low = (0..=8).map(|i| (radius * libm::sinf(half(i)), -radius * libm::cosf(half(i))));
    let middle = (1..8).map(|i| (radius, length * i as f32 / 8.0));
    let high = (0..=8).map(|i| (radius * libm::cosf(half(i)), length + radius * libm::sinf(half(i))));
    revolved(&low.chain(middle).chain(high).collect::<Vec<_>>())
}

fn moved(primitive: Primitive, place: impl Fn(Vec3) -> Vec3) -> Primitive {
    Primitive { positions: primitive.positions.iter().map(|p| place(*p)).collect(), ..primitive }
}

fn rigid_mesh(bone: u32, primitive: Primitive) -> Mesh {
    let name = format!("mesh {bone}");
    Mesh {
        name,
        bone: BoneId(bone),
        skin: None,
        primitives: vec![primitive],
        morph_weights: Vec::new(),
        is_hidden: false,
    }
}

fn bone(name: &str, parent: Option<u32>, position: Vec3) -> Bone {
    Bone { name: name.to_owned(), parent: parent.map(BoneId), rest: Trs::from_translation(position) }
}

fn chain_of(document: &Document, bones: &[u32]) -> Chain {
    let joints = bones.iter().map(|bone| Joint::new(BoneId(*bone))).collect();
    Chain::new("hair", ChainPart::Hair, document.main_system().param_defs(), joints)
}

const PROBE: u32 = 2;

/// A body on the first bone, and a triangle on the third bone, which is the second joint of a chain.
fn probed(body: Primitive, probe_at: Vec3, body_scale: Vec3) -> (Character, Document) {
    let size = body_scale.abs().max_element();
    let tiny = |x: f32, y: f32| Vec3::new(x, y, 0.0) * 1e-4 * size;
    let probe = Primitive {
        positions: vec![tiny(0.0, 0.0), tiny(1.0, 0.0), tiny(0.0, 1.0)],
        indices: vec![0, 1, 2],
        ..Primitive::default()
    };
    let mut body_bone = bone("body", None, Vec3::ZERO);
    body_bone.rest.scale = body_scale;
    let bones = vec![body_bone, bone("root", None, Vec3::ZERO), bone("probe", Some(1), probe_at)];
    let character = Character {
        skeleton: Skeleton::new(bones).expect("parents first"),
        meshes: vec![rigid_mesh(0, body), rigid_mesh(PROBE, probe)],
        ..Character::default()
    };
    let mut document = Document::default();
    let chain = chain_of(&document, &[1, PROBE]);
    document.chains.insert(ChainId(1), chain);
    (character, document)
}

/// The depth of the probe at a position.
fn probe_depth((character, document): &(Character, Document), position: Vec3) -> f32 {
    let surface = ClippingSurface::new(character, document, &[]).expect("a body and a probe");
    let mut pose = Pose::rest(&character.skeleton);
    pose.local[PROBE as usize].translation = position;
    let pose = WorldPose::from_pose(&character.skeleton, &pose);
    let mut found: Vec<ClippingPoint> = Vec::new();
    surface.find(character, &pose, &mut surface.posed(), |point| found.push(point));
    found.iter().map(|point| point.depth).fold(0.0, f32::max)
}

#[test]
fn the_depth_in_a_sphere_is_the_distance_to_its_surface_at_any_scale_and_mirrored() {
    for scale in [Vec3::splat(0.01), Vec3::ONE, Vec3::splat(100.0), Vec3::new(-1.0, 1.0, 1.0)] {
        let size = scale.y;
        let body = probed(sphere(1.0), Vec3::X * 3.0 * size, scale);
        for (position, expected) in [
            (Vec3::X * 0.5, 0.5),
            (Vec3::new(0.0, 0.9, 0.0), 0.1),
            (Vec3::new(0.3, -0.4, 0.0), 0.5),
            (Vec3::X * 1.02, 0.0),
            (Vec3::new(0.8, 0.8, 0.0), 0.0),
        ] {
            let depth = probe_depth(&body, position * size) / size;
            assert!((depth - expected).abs() < 0.01, "{depth} at {position} times {scale}");
        }
    }
}

#[test]
fn the_depth_in_a_capsule_is_the_distance_to_its_surface() {
    let body = probed(capsule(0.2, 1.0), Vec3::X * 3.0, Vec3::ONE);
    for (position, expected) in [
        (Vec3::new(0.05, 0.5, 0.0), 0.15),
        (Vec3::new(0.0, 1.1, 0.0), 0.1),
        (Vec3::new(0.0, -0.15, 0.0), 0.05),
        (Vec3::new(0.25, 0.5, 0.0), 0.0),
        (Vec3::new(0.0, 1.25, 0.0), 0.0),
    ] {
        let depth = probe_depth(&body, position);
        assert!((depth - expected).abs() < 0.01, "{depth} at {position}");
    }
}

#[test]
fn an_open_cup_is_filled_up_to_its_opening() {
    // The opening is at a height of 0.5.
    let body = probed(sphere(2.0 / 3.0), Vec3::X * 3.0, Vec3::ONE);
    assert!((probe_depth(&body, Vec3::new(0.0, -0.8, 0.0)) - 0.2).abs() < 0.01);
    assert!((probe_depth(&body, Vec3::new(0.6, -0.3, 0.0)) - 0.33).abs() < 0.01);
    assert_eq!(probe_depth(&body, Vec3::new(0.0, 0.75, 0.0)), 0.0, "above the opening");
    assert_eq!(probe_depth(&body, Vec3::new(0.0, -1.1, 0.0)), 0.0, "below the cup");
}

#[test]
fn a_point_outside_the_openings_of_two_layers_is_outside() {
    let tube = |radius: f32| revolved(&[(radius, 0.0), (radius, 1.0), (radius, 2.0)]);
    let mut body = probed(tube(0.2), Vec3::X * 3.0, Vec3::ONE);
    body.0.meshes.push(rigid_mesh(0, tube(0.21)));
    // With the sphere, the box around the body contains the point outside the openings.
    body.0.meshes.push(rigid_mesh(0, moved(sphere(1.0), |p| p * 0.3 + Vec3::new(0.9, 2.0, 0.0))));
    assert_eq!(probe_depth(&body, Vec3::Y * 2.02), 0.0, "outside both openings");
    assert!((probe_depth(&body, Vec3::Y * 1.9) - 0.1).abs() < 0.01, "below both openings");
    assert!((probe_depth(&body, Vec3::new(0.15, 1.0, 0.0)) - 0.05).abs() < 0.01, "near the side");
}

#[test]
fn a_surface_that_is_inside_out_and_a_second_layer_do_not_change_the_result() {
    let mut turned = sphere(1.0);
    turned.indices.as_chunks_mut::<3>().0.iter_mut().for_each(|triangle| triangle.swap(1, 2));
    let body = probed(turned, Vec3::X * 3.0, Vec3::ONE);
    assert!((probe_depth(&body, Vec3::X * 0.7) - 0.3).abs() < 0.01);
    let mut layered = probed(sphere(1.0), Vec3::X * 3.0, Vec3::ONE);
    layered.0.meshes.push(rigid_mesh(0, moved(sphere(0.8), |p| p * 1.1)));
    assert!((probe_depth(&layered, Vec3::X * 1.05) - 0.05).abs() < 0.01, "between the layers");
    assert_eq!(probe_depth(&layered, Vec3::X * 1.15), 0.0);
}

#[test]
fn only_the_depth_beyond_that_of_the_rest_pose_counts() {
    let body = probed(sphere(1.0), Vec3::X * 0.9, Vec3::ONE);
    assert_eq!(probe_depth(&body, Vec3::Y * 0.9), 0.0);
    assert!((probe_depth(&body, Vec3::X * 0.5) - 0.4).abs() < 0.01);
}

#[test]
fn a_flat_card_has_no_inside() {
    let corners = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)];
    let card = Primitive {
        positions: corners.iter().map(|(x, y)| Vec3::new(*x, *y, 0.0)).collect(),
        indices: vec![0, 1, 2, 0, 2, 3],
        ..Primitive::default()
    };
    let mut body = probed(card, Vec3::X * 3.0, Vec3::ONE);
    // The box around the body must contain the probe.
    body.0.meshes.push(rigid_mesh(0, moved(sphere(1.0), |p| p * 0.1 - Vec3::Z)));
    for z in [-0.5, -0.01, 0.0] {
        assert_eq!(probe_depth(&body, Vec3::new(0.3, 0.2, z)), 0.0, "at {z}");
    }
}

/// A sleeve whose second half is simulated, with or without an arm in it.
fn sleeve(has_arm: bool) -> (Character, Document) {
    let bones = vec![
        bone("forearm", None, Vec3::ZERO),
        bone("sleeve_1", Some(0), Vec3::Y),
        bone("sleeve_2", Some(1), Vec3::Y * 0.5),
    ];
    let mut character = Character { skeleton: Skeleton::new(bones).expect("parents first"), ..Character::default() };
    assert!(character.humanoid.set("leftLowerArm", BoneId(0)));
    let binds = [0.0, 1.0, 1.5].map(|y: f32| Mat4::from_translation(Vec3::NEG_Y * y));
    character.skins.push(Skin { joints: vec![BoneId(0), BoneId(1), BoneId(2)], inverse_binds: binds.to_vec() });
    let mut tube = revolved(&(0..=20).map(|i| (0.2, 0.1 * i as f32)).collect::<Vec<_>>());
    tube.joints = tube.positions.iter().map(|p| [u16::from(p.y > 0.95) + u16::from(p.y > 1.45), 0, 0, 0]).collect();
    tube.weights = vec![[1.0, 0.0, 0.0, 0.0]; tube.positions.len()];
    character.meshes.push(Mesh { skin: Some(0), ..rigid_mesh(0, tube) });
    if has_arm {
        character.meshes.push(rigid_mesh(0, capsule(0.1, 1.0)));
    }
    let mut document = Document::default();
    let chain = chain_of(&document, &[1, 2]);
    document.chains.insert(ChainId(1), chain);
    (character, document)
}

#[test]
fn a_sleeve_clips_into_the_arm_but_not_into_its_own_rigid_part() {
    let deepest = |(character, document): &(Character, Document)| {
        let surface = ClippingSurface::new(character, document, &[]).expect("a body and a sleeve");
        let mut pose = Pose::rest(&character.skeleton);
        // The simulated half slides over the rigid half, and sideways.
        pose.local[1].translation = Vec3::new(0.15, 0.2, 0.0);
        let pose = WorldPose::from_pose(&character.skeleton, &pose);
        let mut deepest = 0.0_f32;
        surface.find(character, &pose, &mut surface.posed(), |point| deepest = deepest.max(point.depth));
        deepest
    };
    assert_eq!(deepest(&sleeve(false)), 0.0);
    // The wall of the moved half is 0.05 deep, and the stretched wall between both halves is deeper.
    let depth = deepest(&sleeve(true));
    assert!((0.045..0.1).contains(&depth), "{depth}");
}

const ARM: u32 = 2;
const SECOND_HAIR: u32 = 5;
const THIRD_HAIR: u32 = 6;
/// Times at which the arm starts to move, reaches the hair, leaves the hair, and is back, in seconds.
const SWEEP: [f32; 4] = [1.0, 1.5, 2.0, 2.5];
const SECONDS: f32 = 3.0;

/// A strand of hair, and an arm that sweeps through it and back.
fn sweep() -> Session {
    let bones = vec![
        bone("hips", None, Vec3::Y),
        bone("head", Some(0), Vec3::new(0.3, 0.5, 0.0)),
        bone("arm", Some(0), Vec3::Y * 0.1),
        bone("hand", Some(ARM), Vec3::NEG_Z * 0.6),
        bone("hair_1", Some(1), Vec3::ZERO),
        bone("hair_2", Some(4), Vec3::NEG_Y * 0.2),
        bone("hair_3", Some(SECOND_HAIR), Vec3::NEG_Y * 0.2),
        bone("hair_end", Some(THIRD_HAIR), Vec3::NEG_Y * 0.2),
    ];
    let mut character = Character { skeleton: Skeleton::new(bones).expect("parents first"), ..Character::default() };
    for (role, bone) in [("hips", 0), ("head", 1), ("leftUpperArm", ARM), ("leftLowerArm", 3)] {
        assert!(character.humanoid.set(role, BoneId(bone)));
    }
    let along_arm = |p: Vec3| Vec3::new(p.x, p.z, -p.y);
    character.meshes.push(rigid_mesh(ARM, moved(capsule(0.05, 0.6), along_arm)));
    character.meshes.push(rigid_mesh(1, moved(sphere(1.0), |p| p * 0.1 + Vec3::Y * 0.2)));
    character.meshes.push(hair_mesh(&mut character.skins));
    let turn = |share: f32| Quat::from_rotation_y(-FRAC_PI_2 * share);
    let channel = Channel {
        bone: BoneId(ARM),
        times: [&[0.0], &SWEEP[..], &[SECONDS]].concat(),
        values: ChannelValues::Rotation([0.0, 0.0, 1.0, 1.0, 0.0, 0.0].map(turn).to_vec()),
        interpolation: ChannelInterpolation::Linear,
    };
    character.clips.push(Clip { name: "sweep".to_owned(), duration: SECONDS, channels: vec![channel] });
    character.clips.push(Clip { name: "nothing".to_owned(), duration: 0.0, channels: Vec::new() });
    let mut document = Document::default();
    let chain = chain_of(&document, &[4, SECOND_HAIR, THIRD_HAIR]);
    document.chains.insert(ChainId(7), chain);
    Session::new(Arc::new(character), document)
}

/// A thin tube along the hair bones, skinned without blending.
fn hair_mesh(skins: &mut Vec<Skin>) -> Mesh {
    let heads = [1.5, 1.3, 1.1].map(|y| Mat4::from_translation(Vec3::new(-0.3, -y, 0.0)));
    skins
        .push(Skin { joints: vec![BoneId(4), BoneId(SECOND_HAIR), BoneId(THIRD_HAIR)], inverse_binds: heads.to_vec() });
    let rings: Vec<(f32, f32)> = (0..=24).map(|i| (0.01, 0.9 + 0.025 * i as f32)).collect();
    let mut hair = moved(revolved(&rings), |p| p + Vec3::X * 0.3);
    let joint = |p: &Vec3| [((1.5 - p.y) / 0.2).clamp(0.0, 2.0) as u16, 0, 0, 0];
    hair.joints = hair.positions.iter().map(joint).collect();
    hair.weights = vec![[1.0, 0.0, 0.0, 0.0]; hair.positions.len()];
    Mesh { skin: Some(0), ..rigid_mesh(0, hair) }
}

fn check(session: &Session, motion: Motion) -> ClippingReport {
    let job = ClippingJob::new(session, &[]).expect("hair and a body");
    job.check(motion, &|_| true).expect("not cancelled").expect("a motion with a duration")
}

#[test]
fn hair_that_an_arm_passes_through_is_found_at_that_time_and_at_no_other() {
    let report = check(&sweep(), Motion::Clip(0));
    assert_eq!((report.frames.len(), report.repeats), (90, true));
    for frame in &report.frames {
        let seconds = frame.seconds as f32;
        // The arm is thicker than its axis, so it touches the hair for a little longer.
        let is_certain = (SWEEP[1]..=SWEEP[2]).contains(&seconds);
        let is_possible = (SWEEP[1] - 0.1..=SWEEP[2] + 0.1).contains(&seconds);
        assert!(frame.points > 0 || !is_certain, "{frame:?}");
        assert!(frame.points == 0 || is_possible, "{frame:?}");
        assert_eq!(frame.points > 0, frame.depth > 0.0);
    }
    let mut places: Vec<_> = report.contacts.iter().map(|c| (c.chain, c.bone, c.body_bone)).collect();
    places.sort_unstable();
    // The arm is at the tip of the second joint.
    assert_eq!(places, [SECOND_HAIR, THIRD_HAIR].map(|bone| (ChainId(7), BoneId(bone), BoneId(ARM))));
    for contact in &report.contacts {
        assert!((0.03..0.055).contains(&contact.depth), "{contact:?}");
        assert_eq!(contact.frames.len(), report.clipping_frames());
    }
    assert!(report.share() > 0.0 && report.share() < 0.2, "{}", report.share());
}

#[test]
fn equal_sessions_have_equal_results() {
    assert_eq!(check(&sweep(), Motion::Clip(0)), check(&sweep(), Motion::Clip(0)));
}

#[test]
fn the_rest_pose_is_one_frame_without_clipping() {
    let report = check(&sweep(), Motion::Still);
    assert_eq!((report.frames.len(), report.contacts.len()), (1, 0));
}

#[test]
fn the_viewport_shows_the_moment_that_was_found() {
    let mut session = sweep();
    let report = check(&session, Motion::Clip(0));
    let time = report.contacts[0].seconds;
    session.handle(crate::Command::SetMotion(Motion::Clip(0)));
    session.handle(crate::Command::Seek { time, lead: report.lead_seconds(time) });
    assert!(!session.playback().settings().playing);
    assert_eq!(session.playback().time(), time);
    let job = ClippingJob::new(&session, &[]).expect("hair and a body");
    let mut deepest: f32 = 0.0;
    let (pose, mut posed) = (session.playback().displayed_pose(), job.surface.posed());
    job.surface.find(session.character(), pose, &mut posed, |point| deepest = deepest.max(point.depth));
    assert!((deepest - report.depth()).abs() < 1e-3, "{deepest} for {}", report.depth());
}

#[test]
fn a_collider_for_the_arm_is_proposed_and_prevents_the_clipping() {
    let session = sweep();
    let job = ClippingJob::new(&session, &[]).expect("hair and a body");
    let findings = job.find(&[Motion::Clip(0), Motion::Clip(1)], JobControl::ONE_THREAD).expect("not cancelled");
    assert_eq!(findings.left_out, [(Motion::Clip(1), MomentsError::ZeroLength)]);
    let proposal = findings.proposals.first().expect("a change that helps");
    assert!(matches!(proposal.fix.change, FixChange::CreateCollider(_)), "{proposal:?}");
    assert!(proposal.recommended && proposal.worse.is_empty());
    assert_eq!(proposal.before.frames, findings.reports[0].clipping_frames());
    assert!(proposal.after.total_depth < 0.2 * proposal.before.total_depth, "{proposal:?}");
    let mut document = session.document().clone();
    let fixes = [proposal.fix.clone()];
    document.apply(fixes_edit(&fixes, &document, &session.character().skeleton).expect("an edit")).expect("it applies");
    let fixed = check(&Session::new(Arc::clone(session.character()), document), Motion::Clip(0));
    assert_eq!(fixed.depth(), proposal.after.depth);
}

#[test]
fn a_change_that_makes_clipping_deeper_is_not_recommended() {
    let session = sweep();
    let job = ClippingJob::new(&session, &[]).expect("hair and a body");
    let findings = job.find(&[Motion::Clip(0)], JobControl::ONE_THREAD).expect("not cancelled");
    let mut deeper = findings.proposals[0].clone();
    assert!(deeper.recommended);
    deeper.after.depth = 1.01 * deeper.before.depth;
    let ranked = ClippingFindings::new(Vec::new(), Vec::new(), vec![deeper.clone()]);
    assert!(!ranked.proposals[0].recommended, "{deeper:?}");
}

#[test]
fn a_motion_of_the_character_counts_more_than_deeper_clipping_in_teleport() {
    let session = sweep();
    let job = ClippingJob::new(&session, &[]).expect("hair and a body");
    let report = check(&session, Motion::Clip(0));
    let mut teleport = ClippingReport { motion: Motion::Test(TestMotion::Teleport), ..report.clone() };
    for contact in &mut teleport.contacts {
        contact.total_depth *= 5.0;
    }
    let reports = [teleport, report];
    let search = job.fix_search(&reports, &|_| true).expect("not cancelled");
    let proposal = search.measure(&search.fixes[0], &|_| true).expect("a change that helps");
    assert_eq!(proposal.motion, Motion::Clip(0));
}

/// Returns the document with the collider that is proposed for the deepest contact.
fn with_proposed_collider(session: &Session, job: &ClippingJob, report: &ClippingReport) -> Document {
    let mut document = session.document().clone();
    let create = job.fixes(std::slice::from_ref(report)).swap_remove(0);
    let edit = fixes_edit(&[create], &document, &session.character().skeleton).expect("an edit");
    document.apply(edit).expect("it applies");
    document
}

#[test]
fn the_smallest_enlargement_that_prevents_most_of_the_clipping_is_proposed() {
    let session = sweep();
    let job = ClippingJob::new(&session, &[]).expect("hair and a body");
    let report = check(&session, Motion::Clip(0));
    let mut document = with_proposed_collider(&session, &job, &report);
    let fitted = document.colliders.values().next().expect("the collider").shape.field(0);
    for collider in document.colliders.values_mut() {
        collider.shape = collider.shape.with_field(0, 0.1 * fitted);
    }
    let session = Session::new(Arc::clone(session.character()), document);
    let job = ClippingJob::new(&session, &[]).expect("hair and a body");
    let reports = [check(&session, Motion::Clip(0))];
    let search = job.fix_search(&reports, &|_| true).expect("not cancelled");
    let is_enlargement = |fix: &&ClippingFix| matches!(fix.change, FixChange::EnlargeCollider { .. });
    let mut fix = search.fixes.iter().find(is_enlargement).expect("the collider is too small").clone();
    // The smallest of the measured sizes is larger than the arm.
    if let FixChange::EnlargeCollider { to, .. } = &mut fix.change {
        *to = 4.0 * fitted;
    }
    let proposal = search.measure(&fix, &|_| true).expect("a change that helps");
    assert_eq!(Some(&proposal.fix), fix.with_share(0.3).as_ref());
    assert!(proposal.after.total_depth < 0.2 * proposal.before.total_depth, "{proposal:?}");
    assert!(proposal.rest_shift < 1e-3 && !proposal.stands_off, "the arm is away from the hair: {proposal:?}");
}

#[test]
fn an_existing_collider_is_assigned_and_enlarged() {
    let session = sweep();
    let job = ClippingJob::new(&session, &[]).expect("hair and a body");
    let report = check(&session, Motion::Clip(0));
    let mut document = with_proposed_collider(&session, &job, &report);
    let assigned = document.clone();
    document.chains.values_mut().flat_map(|chain| &mut chain.joints).for_each(|joint| joint.colliders.clear());
    let changes = |document: Document| {
        let session = Session::new(Arc::clone(session.character()), document);
        let job = ClippingJob::new(&session, &[]).expect("hair and a body");
        job.fixes(std::slice::from_ref(&report)).into_iter().map(|fix| fix.change).collect::<Vec<_>>()
    };
    assert!(matches!(changes(document)[..], [FixChange::AssignCollider(_)]));
    let enlarged = changes(assigned);
    assert!(
        matches!(enlarged[..], [FixChange::EnlargeCollider { from, to, .. }, FixChange::EnlargeJoints { .. }] if to > from),
        "{enlarged:?}"
    );
}

#[test]
fn a_cancelled_job_has_no_result() {
    let job = ClippingJob::new(&sweep(), &[]).expect("hair and a body");
    assert_eq!(
        job.find(&[Motion::Clip(0)], JobControl { progress: &|share| share < 0.2, ..JobControl::ONE_THREAD }),
        None
    );
}

#[test]
fn characters_without_hair_or_body_are_rejected_with_the_reason() {
    let session = sweep();
    let new = |visible: &[bool], document: &Document| {
        ClippingJob::new(&Session::new(Arc::clone(session.character()), document.clone()), visible).err()
    };
    assert_eq!(new(&[], &Document::default()), Some(ClippingError::NoJoints));
    assert_eq!(new(&[true, true, false], session.document()), Some(ClippingError::NoMovingMesh));
    assert_eq!(new(&[false, false], session.document()), Some(ClippingError::NoBody));
    let mut breasts = session.document().clone();
    breasts.chains.values_mut().for_each(|chain| chain.part = ChainPart::Breast);
    assert_eq!(new(&[], &breasts), Some(ClippingError::NoJoints));
}

#[test]
fn long_motions_are_checked_ten_times_a_second() {
    let tick = 1.0 / 60.0;
    assert_eq!([2.0, 20.0, 40.0, 3000.0].map(|seconds| ticks_per_frame(seconds, tick)), [2.0, 2.0, 4.0, 6.0]);
    assert_eq!(ticks_per_frame(2.0, 1.0 / 25.0), 1.0);
    assert_eq!(frame_count(2.4, 2.0 * tick, true), 72);
    assert_eq!(frame_count(2.4, 2.0 * tick, false), 73);
    assert_eq!(frame_count(0.0, 2.0 * tick, true), 1);
}
