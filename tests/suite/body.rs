//! Colliders for the whole body: their fit, their names, and which joints get them.

use super::support::{self, figure, girl};
use glam::Vec3;
use std::path::Path;
use std::time::Instant;
use yuremono::document::{ChainPart, Collider, ColliderId, Document, Helper, HelperId, HelperRole, Node, RestFrames};
use yuremono::math::Trs;
use yuremono::rig::{BoneId, Character, Humanoid};
use yuremono::sim::ColliderShape;
use yuremono::tools::setup_cleanup;
use yuremono::tools::{body, body::BodyColliderFit, body::FitOutcome};

fn fits() -> (Character, Document, Vec<BodyColliderFit>) {
    let character = figure::character();
    let document = figure::document(&character);
    let fits = body::fit_body_colliders(&character, &document);
    (character, document, fits)
}

#[track_caller]
fn check_radius(role: &str, expected: f32) {
    let (_, _, fits) = fits();
    let fit = fits.iter().find(|f| f.role == role).expect("a fit");
    let radius = fit.shape.field(0);
    assert!((radius - expected).abs() < 0.06 * expected, "{role}: {radius} for {expected}");
}

#[test]
fn limbs_are_as_thick_as_their_skin() {
    check_radius("leftUpperArm", figure::ARM_RADIUS);
    check_radius("rightUpperLeg", figure::THIGH_RADIUS);
    check_radius("neck", 0.035);
}

#[test]
fn the_head_is_a_ball_without_its_hair() {
    check_radius("head", figure::HEAD_RADIUS);
    let (_, _, fits) = fits();
    let head = fits.iter().find(|f| f.role == "head").expect("a fit");
    assert!(matches!(head.shape, ColliderShape::Sphere { inside: false, .. }));
    assert!(head.position.distance(Vec3::new(0.0, 1.53, 0.0)) < 0.01, "{}", head.position);
}

#[test]
fn the_torso_lies_across_and_is_no_wider_than_the_body() {
    check_radius("chest", 0.09);
    check_radius("hips", 0.1);
    let (character, _, fits) = fits();
    let chest = fits.iter().find(|f| f.role == "chest").expect("a fit");
    let ([from, to], radius) = body::capsule_outline(chest, &character.skeleton, 1.0).expect("an outline");
    assert!((from.x + to.x).abs() < 1e-4, "it stands in the middle");
    assert!((from.x.abs() + radius - 0.15).abs() < 0.012, "{}", from.x.abs() + radius);
}

#[test]
fn both_sides_are_equal() {
    let (_, _, fits) = fits();
    for role in ["UpperArm", "LowerArm", "UpperLeg", "LowerLeg"] {
        let side = |side: &str| fits.iter().find(|f| f.role == format!("{side}{role}")).expect("a fit");
        assert_eq!(side("left").shape, side("right").shape, "{role}");
    }
}

#[test]
fn they_are_called_as_the_original_would_call_them() {
    let (_, _, fits) = fits();
    let names: Vec<&str> = fits.iter().map(|f| f.name.as_str()).collect();
    assert!(names.contains(&"HeadSphereCollider") && names.contains(&"Arm_LCapsuleCollider"), "{names:?}");
}

#[test]
fn a_body_without_roles_is_known_by_the_names_of_its_bones() {
    let (mut character, document, with_roles) = fits();
    character.humanoid = Humanoid::default();
    let roles = |fits: &[BodyColliderFit]| fits.iter().map(|f| f.role.clone()).collect::<Vec<_>>();
    assert_eq!(roles(&body::fit_body_colliders(&character, &document)), roles(&with_roles));
}

#[test]
fn nothing_is_fitted_without_skin_or_body() {
    let (mut character, document, _) = fits();
    character.meshes.clear();
    assert!(body::fit_body_colliders(&character, &document).is_empty());
    assert!(body::fit_body_colliders(&Character::default(), &Document::default()).is_empty());
    let girl = girl::character();
    assert!(body::fit_body_colliders(&girl, &girl::document(&girl)).is_empty());
}

#[test]
fn a_plan_is_one_edit_that_can_be_undone() {
    let (character, mut document, fits) = fits();
    let before = document.clone();
    let plan = body::plan_body_colliders(&document, &character.skeleton, &fits, 1.0);
    assert_eq!((plan.created, plan.updated), (fits.len(), 0));
    let (inverse, _) = document.apply(plan.edit).expect("applies");
    assert_eq!(document.colliders.len(), fits.len());
    document.apply(inverse).expect("the inverse applies");
    assert_eq!(document, before);
}

#[test]
fn done_again_they_are_updated_and_not_doubled() {
    let (character, mut document, fits) = fits();
    let first = body::plan_body_colliders(&document, &character.skeleton, &fits, 1.0);
    document.apply(first.edit).expect("applies");
    let once = document.clone();
    let again = body::plan_body_colliders(&document, &character.skeleton, &fits, 1.0);
    assert_eq!((again.created, again.updated, again.joints), (0, fits.len(), 0));
    document.apply(again.edit).expect("applies");
    assert_eq!(document, once);
    let thick = body::plan_body_colliders(&document, &character.skeleton, &fits, 1.5);
    document.apply(thick.edit).expect("applies");
    assert_eq!((document.colliders.len(), document.helpers.len()), (once.colliders.len(), once.helpers.len()));
    assert_ne!(document, once);
}

/// Puts a ball on a bone, below a helper that makes it `scale` times as big.
fn put_ball(document: &mut Document, id: u32, bone: BoneId, name: &str, radius: f32, scale: f32) {
    let local = Trs { scale: Vec3::splat(scale), ..Trs::IDENTITY };
    let helper = Helper { name: name.to_owned(), parent: Node::Bone(bone), local, role: HelperRole::Plain };
    document.helpers.insert(HelperId(id), helper);
    let ball = Collider::new(name, Node::Helper(HelperId(id)), ColliderShape::Sphere { radius, inside: false });
    document.colliders.insert(ColliderId(id), ball);
}

fn outcome_of(document: &Document, role: &str, thickness: f32) -> FitOutcome {
    let (character, _, fits) = fits();
    let at = fits.iter().position(|f| f.role == role).expect("a fit");
    body::fit_outcomes(document, &character.skeleton, &fits, thickness)[at]
}

#[test]
fn a_bare_bone_gets_a_new_one_and_its_neighbours_do_not_count() {
    let (character, mut document, _) = fits();
    let head = character.skeleton.find("Head").expect("a bone");
    put_ball(&mut document, 40, head, "Head_Sphere", 0.1, 1.0);
    assert_eq!(outcome_of(&document, "neck", 1.0), FitOutcome::New);
    assert!(!outcome_of(&document, "head", 1.0).is_new());
}

#[test]
fn one_of_the_same_name_is_updated_from_its_size_in_the_world() {
    let (character, mut document, _) = fits();
    let head = character.skeleton.find("Head").expect("a bone");
    put_ball(&mut document, 40, head, "HeadSphereCollider", 0.08, 2.0);
    let FitOutcome::Updates { collider, old_radius: from, new_radius: to } = outcome_of(&document, "head", 0.5) else {
        panic!("no update")
    };
    assert_eq!(collider, ColliderId(40));
    assert!((from.expect("a radius") - 0.16).abs() < 1e-5, "{from:?}");
    assert!((to - 0.5 * figure::HEAD_RADIUS).abs() < 0.06 * figure::HEAD_RADIUS, "{to}");
}

#[test]
fn a_flat_one_of_the_same_name_has_no_radius_to_start_from() {
    let (character, mut document, _) = fits();
    let head = character.skeleton.find("Head").expect("a bone");
    put_ball(&mut document, 40, head, "HeadSphereCollider", 0.1, 1.0);
    document.colliders.get_mut(&ColliderId(40)).expect("there").shape = ColliderShape::Plane;
    assert!(matches!(outcome_of(&document, "head", 1.0), FitOutcome::Updates { old_radius: None, .. }));
}

#[test]
fn those_of_other_names_stand_beside_and_are_counted() {
    let (character, mut document, _) = fits();
    let head = character.skeleton.find("Head").expect("a bone");
    put_ball(&mut document, 40, head, "Head_SphereCollider", 0.1, 1.0);
    put_ball(&mut document, 41, head, "Nose", 0.01, 1.0);
    let expected = FitOutcome::AddsToExisting { collider: ColliderId(40), other_count: 1 };
    assert_eq!(outcome_of(&document, "head", 1.0), expected);
}

#[test]
fn what_was_made_is_told_as_an_update_of_the_same_size() {
    let (character, document) = planned();
    let fits = body::fit_body_colliders(&character, &document);
    for (fit, outcome) in fits.iter().zip(body::fit_outcomes(&document, &character.skeleton, &fits, 1.0)) {
        let FitOutcome::Updates { old_radius: Some(from), new_radius: to, .. } = outcome else {
            panic!("{}: {outcome:?}", fit.name)
        };
        assert!((from - to).abs() < 1e-5, "{}: {from} for {to}", fit.name);
    }
}

fn names_on(document: &Document, chain: &str, at: usize) -> Vec<String> {
    let chain = document.chains.values().find(|c| c.name == chain).expect("a chain");
    chain.joints[at].colliders.iter().map(|id| document.colliders[id].name.clone()).collect()
}

fn planned() -> (Character, Document) {
    let (character, mut document, fits) = fits();
    let plan = body::plan_body_colliders(&document, &character.skeleton, &fits, 1.0);
    document.apply(plan.edit).expect("applies");
    (character, document)
}

#[test]
fn a_joint_gets_what_it_can_reach_and_nothing_else() {
    let (_, document) = planned();
    let skirt = names_on(&document, "skirt_0_0", 3);
    assert!(skirt.contains(&"Leg_LCapsuleCollider".to_owned()), "{skirt:?}");
    assert!(!skirt.contains(&"HeadSphereCollider".to_owned()), "{skirt:?}");
    let hair = names_on(&document, "hair_0", 2);
    assert!(
        hair.contains(&"HeadSphereCollider".to_owned()) && hair.contains(&"ChestCapsuleCollider".to_owned()),
        "{hair:?}"
    );
    assert!(!hair.iter().any(|n| n.starts_with("Leg") || n.starts_with("Shin")), "{hair:?}");
}

#[test]
fn a_tip_that_lies_deep_inside_is_not_pushed_out() {
    let (character, mut document, fits) = fits();
    // The root of the hair ends in the middle of the head.
    let inside = character.skeleton.find("hair_0").expect("a bone");
    let (id, _) = document.find_joint(inside).expect("a joint");
    let local = Vec3::new(0.0, -0.03, 0.05);
    document.chains.get_mut(&id).expect("there").joints[0].tip = yuremono::document::Tip::Offset(local);
    let plan = body::plan_body_colliders(&document, &character.skeleton, &fits, 1.0);
    document.apply(plan.edit).expect("applies");
    assert!(!names_on(&document, "hair_0", 0).contains(&"HeadSphereCollider".to_owned()));
    assert!(names_on(&document, "hair_0", 1).contains(&"HeadSphereCollider".to_owned()));
}

#[test]
fn what_lies_in_the_body_by_nature_gets_none() {
    let (character, mut document, fits) = fits();
    document.chains.values_mut().for_each(|c| c.part = ChainPart::Breast);
    assert_eq!(body::plan_body_colliders(&document, &character.skeleton, &fits, 1.0).joints, 0);
}

#[test]
fn colliders_of_the_artist_stay_on_their_joints() {
    let (character, mut document) = planned();
    let first = document.colliders.keys().next().copied().expect("one");
    document.chains.values_mut().flat_map(|c| &mut c.joints).for_each(|j| j.colliders = vec![first]);
    let fits = body::fit_body_colliders(&character, &document);
    let plan = body::plan_body_colliders(&document, &character.skeleton, &fits, 1.0);
    document.apply(plan.edit).expect("applies");
    assert!(document.chains.values().flat_map(|c| &c.joints).all(|j| j.colliders[0] == first));
}

#[test]
fn colliders_that_are_there_can_be_given_to_what_is_in_reach() {
    let (character, document) = planned();
    let all: std::collections::BTreeSet<BoneId> = character.skeleton.ids().collect();
    let mut bare = document.clone();
    bare.apply(setup_cleanup::unassign_colliders(&document, &all).edit).expect("applies");
    let ids: Vec<_> = bare.colliders.keys().copied().collect();
    let (edit, joints) = body::assign_existing(&bare, &character.skeleton, &ids);
    bare.apply(edit).expect("applies");
    assert!(joints > 20, "{joints}");
    assert_eq!(bare, document);
}

#[expect(clippy::disallowed_methods, reason = "a test may look at the clock")]
fn now() -> Instant {
    Instant::now()
}

/// How much of a fit stands out of the skin that it was fitted to is judged by eye; here only that it does not
/// dwarf it.
#[test]
fn samples_are_fitted_quickly_and_never_wider_than_tall() {
    let Some(folder) = support::folder_or_skip("YUREMONO_SAMPLES") else { return };
    for path in support::files_below(Path::new(&folder), &["vrm", "glb", "gltf"]) {
        let opened = yuremono::format::open::character(&path, &|_| true)
            .expect("a sample")
            .converted_to(yuremono::sim::SolverKind::UnityChanSpringBone);
        let start = now();
        let fits = body::fit_body_colliders(&opened.character, &opened.document);
        let fitted = start.elapsed();
        let plan = body::plan_body_colliders(&opened.document, &opened.character.skeleton, &fits, 1.0);
        let all = start.elapsed();
        // Less is no body.
        if fits.len() < 5 {
            continue;
        }
        println!(
            "{}: {} fits in {fitted:?}, planned after {all:?}, {} joints",
            path.display(),
            fits.len(),
            plan.joints
        );
        let height = RestFrames::of(&opened.document, &opened.character.skeleton).height();
        let outcomes = body::fit_outcomes(&opened.document, &opened.character.skeleton, &fits, 1.0);
        assert_eq!(outcomes.iter().filter(|o| matches!(o, FitOutcome::Updates { .. })).count(), plan.updated);
        for (fit, outcome) in fits.iter().zip(outcomes) {
            println!("  {outcome:?}");
            println!(
                "  {:14} {:34} {:?} at {:.3}, {} vertices",
                fit.role, fit.name, fit.shape, fit.position, fit.vertex_count
            );
            assert!(fit.shape.field(0) < 0.25 * height, "{}", fit.name);
        }
        let mut document = opened.document.clone();
        document.apply(plan.edit).expect("applies");
    }
}
