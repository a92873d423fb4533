//! Tests colliders for the whole body: their fit, their names, and the joints that collide with them.

use super::support::{self, figure, girl};
use glam::Vec3;
use std::path::Path;
use std::time::Instant;
use yuremono_model::document::{
    ChainPart, Collider, ColliderId, Document, Helper, HelperId, HelperRole, Node, RestFrames,
};
use yuremono_model::tools::setup_cleanup;
use yuremono_model::tools::{body, body::BodyColliderFit, body::FitOutcome};
use yuremono_sim::ColliderShape;
use yuremono_sim::math::Trs;
use yuremono_sim::rig::{BoneId, Character, Humanoid};

fn fitted_figure() -> (Character, Document, Vec<BodyColliderFit>) {
    let character = figure::character();
    let document = figure::document(&character);
    let fits = body::fit_body_colliders(&character, &document);
    (character, document, fits)
}

#[track_caller]
fn check_fitted_radius(role: &str, expected: f32) {
    let (_, _, fits) = fitted_figure();
    let fit = fits.iter().find(|f| f.role == role).expect("a fit");
    let radius = fit.shape.field(0);
    assert!((radius - expected).abs() < 0.06 * expected, "{role}: {radius} for {expected}");
}

#[test]
fn limb_radii_match_the_mesh() {
    check_fitted_radius("leftUpperArm", figure::ARM_RADIUS);
    check_fitted_radius("rightUpperLeg", figure::THIGH_RADIUS);
    check_fitted_radius("neck", 0.035);
}

#[test]
fn the_head_collider_is_a_sphere_that_ignores_hair() {
    check_fitted_radius("head", figure::HEAD_RADIUS);
    let (_, _, fits) = fitted_figure();
    let head = fits.iter().find(|f| f.role == "head").expect("a fit");
    assert!(matches!(head.shape, ColliderShape::Sphere { inside: false, .. }));
    assert!(head.position.distance(Vec3::new(0.0, 1.53, 0.0)) < 0.01, "{}", head.position);
}

#[test]
fn the_torso_capsule_lies_sideways_and_is_not_wider_than_the_body() {
    check_fitted_radius("chest", 0.09);
    check_fitted_radius("hips", 0.1);
    let (character, _, fits) = fitted_figure();
    let chest = fits.iter().find(|f| f.role == "chest").expect("a fit");
    let ([from, to], radius) = body::capsule_outline(chest, &character.skeleton, 1.0).expect("an outline");
    assert!((from.x + to.x).abs() < 1e-4, "the collider is in the middle");
    assert!((from.x.abs() + radius - 0.15).abs() < 0.012, "{}", from.x.abs() + radius);
}

#[test]
fn left_and_right_fits_are_equal() {
    let (_, _, fits) = fitted_figure();
    for role in ["UpperArm", "LowerArm", "UpperLeg", "LowerLeg"] {
        let side = |side: &str| fits.iter().find(|f| f.role == format!("{side}{role}")).expect("a fit");
        assert_eq!(side("left").shape, side("right").shape, "{role}");
    }
}

#[test]
fn fits_have_unitychan_collider_names() {
    let (_, _, fits) = fitted_figure();
    let names: Vec<&str> = fits.iter().map(|f| f.name.as_str()).collect();
    assert!(names.contains(&"HeadSphereCollider") && names.contains(&"Arm_LCapsuleCollider"), "{names:?}");
}

#[test]
fn without_humanoid_roles_body_bones_are_found_by_name() {
    let (mut character, document, with_roles) = fitted_figure();
    character.humanoid = Humanoid::find(&character.skeleton);
    let roles = |fits: &[BodyColliderFit]| fits.iter().map(|f| f.role.clone()).collect::<Vec<_>>();
    assert_eq!(roles(&body::fit_body_colliders(&character, &document)), roles(&with_roles));
}

#[test]
fn nothing_is_fitted_without_skinned_meshes_or_a_body() {
    let (mut character, document, _) = fitted_figure();
    character.meshes.clear();
    assert!(body::fit_body_colliders(&character, &document).is_empty());
    assert!(body::fit_body_colliders(&Character::default(), &Document::default()).is_empty());
    let girl = girl::character();
    assert!(body::fit_body_colliders(&girl, &girl::document(&girl)).is_empty());
}

#[test]
fn a_plan_is_one_undoable_edit() {
    let (character, mut document, fits) = fitted_figure();
    let before = document.clone();
    let plan = body::plan_body_colliders(&document, &character.skeleton, &fits, 1.0);
    assert_eq!((plan.created, plan.updated), (fits.len(), 0));
    let changes = document.apply_recorded(plan.edit).expect("applies");
    assert_eq!(document.colliders.len(), fits.len());
    changes.revert(&mut document);
    assert_eq!(document, before);
}

#[test]
fn a_second_plan_updates_colliders_and_creates_no_duplicates() {
    let (character, mut document, fits) = fitted_figure();
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

/// Adds a sphere to a bone, as a child of a helper that scales the sphere by `scale`.
fn put_sphere(document: &mut Document, id: u32, bone: BoneId, name: &str, radius: f32, scale: f32) {
    let local = Trs { scale: Vec3::splat(scale), ..Trs::IDENTITY };
    let helper = Helper { name: name.to_owned(), parent: Node::Bone(bone), local, role: HelperRole::Plain };
    document.helpers.insert(HelperId(id), helper);
    let ball = Collider::new(name, Node::Helper(HelperId(id)), ColliderShape::Sphere { radius, inside: false });
    document.colliders.insert(ColliderId(id), ball);
}

fn fit_outcome_of(document: &Document, role: &str, thickness: f32) -> FitOutcome {
    let (character, _, fits) = fitted_figure();
    let at = fits.iter().position(|f| f.role == role).expect("a fit");
    body::fit_outcomes(document, &character.skeleton, &fits, thickness)[at]
}

#[test]
fn a_bone_without_colliders_gets_a_new_one_whatever_its_neighbours_have() {
    let (character, mut document, _) = fitted_figure();
    let head = character.skeleton.find("Head").expect("a bone");
    put_sphere(&mut document, 40, head, "Head_Sphere", 0.1, 1.0);
    assert_eq!(fit_outcome_of(&document, "neck", 1.0), FitOutcome::New);
    assert!(!fit_outcome_of(&document, "head", 1.0).is_new());
}

#[test]
fn a_collider_with_the_name_of_the_fit_is_updated_from_its_world_radius() {
    let (character, mut document, _) = fitted_figure();
    let head = character.skeleton.find("Head").expect("a bone");
    put_sphere(&mut document, 40, head, "HeadSphereCollider", 0.08, 2.0);
    let FitOutcome::Updates { collider, old_radius: from, new_radius: to } = fit_outcome_of(&document, "head", 0.5)
    else {
        panic!("no update")
    };
    assert_eq!(collider, ColliderId(40));
    assert!((from.expect("a radius") - 0.16).abs() < 1e-5, "{from:?}");
    assert!((to - 0.5 * figure::HEAD_RADIUS).abs() < 0.06 * figure::HEAD_RADIUS, "{to}");
}

#[test]
fn a_plane_with_the_name_of_the_fit_has_no_old_radius() {
    let (character, mut document, _) = fitted_figure();
    let head = character.skeleton.find("Head").expect("a bone");
    put_sphere(&mut document, 40, head, "HeadSphereCollider", 0.1, 1.0);
    document.colliders.get_mut(&ColliderId(40)).expect("there").shape = ColliderShape::Plane;
    assert!(matches!(fit_outcome_of(&document, "head", 1.0), FitOutcome::Updates { old_radius: None, .. }));
}

#[test]
fn colliders_with_other_names_are_kept_and_counted() {
    let (character, mut document, _) = fitted_figure();
    let head = character.skeleton.find("Head").expect("a bone");
    put_sphere(&mut document, 40, head, "Head_SphereCollider", 0.1, 1.0);
    put_sphere(&mut document, 41, head, "Nose", 0.01, 1.0);
    let expected = FitOutcome::AddsToExisting { collider: ColliderId(40), other_count: 1 };
    assert_eq!(fit_outcome_of(&document, "head", 1.0), expected);
}

#[test]
fn a_collider_made_by_a_plan_is_reported_as_an_update_with_an_equal_radius() {
    let (character, document) = figure_with_body_colliders();
    let fits = body::fit_body_colliders(&character, &document);
    for (fit, outcome) in fits.iter().zip(body::fit_outcomes(&document, &character.skeleton, &fits, 1.0)) {
        let FitOutcome::Updates { old_radius: Some(from), new_radius: to, .. } = outcome else {
            panic!("{}: {outcome:?}", fit.name)
        };
        assert!((from - to).abs() < 1e-5, "{}: {from} for {to}", fit.name);
    }
}

fn collider_names_of_joint(document: &Document, chain: &str, at: usize) -> Vec<String> {
    let chain = document.chains.values().find(|c| c.name == chain).expect("a chain");
    chain.joints[at].colliders.iter().map(|id| document.colliders[id].name.clone()).collect()
}

fn figure_with_body_colliders() -> (Character, Document) {
    let (character, mut document, fits) = fitted_figure();
    let plan = body::plan_body_colliders(&document, &character.skeleton, &fits, 1.0);
    document.apply(plan.edit).expect("applies");
    (character, document)
}

#[test]
fn joints_get_exactly_the_colliders_in_their_reach() {
    let (_, document) = figure_with_body_colliders();
    let skirt = collider_names_of_joint(&document, "skirt_0_0", 3);
    assert!(skirt.contains(&"Leg_LCapsuleCollider".to_owned()), "{skirt:?}");
    assert!(!skirt.contains(&"HeadSphereCollider".to_owned()), "{skirt:?}");
    let hair = collider_names_of_joint(&document, "hair_0", 2);
    assert!(
        hair.contains(&"HeadSphereCollider".to_owned()) && hair.contains(&"ChestCapsuleCollider".to_owned()),
        "{hair:?}"
    );
    assert!(!hair.iter().any(|n| n.starts_with("Leg") || n.starts_with("Shin")), "{hair:?}");
}

#[test]
fn a_collider_is_not_assigned_to_a_tip_deep_inside_it() {
    let (character, mut document, fits) = fitted_figure();
    // The head of the first hair bone is in the middle of the head.
    let inside = character.skeleton.find("hair_0").expect("a bone");
    let (id, _) = document.find_joint(inside).expect("a joint");
    let local = Vec3::new(0.0, -0.03, 0.05);
    document.chains.get_mut(&id).expect("there").joints[0].tip = yuremono_model::document::Tip::Offset(local);
    let plan = body::plan_body_colliders(&document, &character.skeleton, &fits, 1.0);
    document.apply(plan.edit).expect("applies");
    assert!(!collider_names_of_joint(&document, "hair_0", 0).contains(&"HeadSphereCollider".to_owned()));
    assert!(collider_names_of_joint(&document, "hair_0", 1).contains(&"HeadSphereCollider".to_owned()));
}

#[test]
fn breast_chains_get_no_body_colliders() {
    let (character, mut document, fits) = fitted_figure();
    document.chains.values_mut().for_each(|c| c.part = ChainPart::Breast);
    assert_eq!(body::plan_body_colliders(&document, &character.skeleton, &fits, 1.0).joints, 0);
}

#[test]
fn existing_collider_assignments_are_kept() {
    let (character, mut document) = figure_with_body_colliders();
    let first = document.colliders.keys().next().copied().expect("one");
    document.chains.values_mut().flat_map(|c| &mut c.joints).for_each(|j| j.colliders = vec![first]);
    let fits = body::fit_body_colliders(&character, &document);
    let plan = body::plan_body_colliders(&document, &character.skeleton, &fits, 1.0);
    document.apply(plan.edit).expect("applies");
    assert!(document.chains.values().flat_map(|c| &c.joints).all(|j| j.colliders[0] == first));
}

#[test]
fn existing_colliders_can_be_assigned_to_joints_in_reach() {
    let (character, document) = figure_with_body_colliders();
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

/// How far a fitted collider exceeds the skin is judged by eye. This test only rejects radii that are far too large.
#[test]
fn sample_characters_are_fitted_with_plausible_radii() {
    let Some(folder) = support::folder_or_skip("YUREMONO_SAMPLES") else { return };
    for path in support::files_below(Path::new(&folder), &["vrm", "glb", "gltf"]) {
        let opened = yuremono_format::open::character(&path, &|_| true)
            .expect("a sample")
            .converted_to(yuremono_sim::SolverKind::UnityChanSpringBone);
        let start = now();
        let fits = body::fit_body_colliders(&opened.character, &opened.document);
        let fitted = start.elapsed();
        let plan = body::plan_body_colliders(&opened.document, &opened.character.skeleton, &fits, 1.0);
        let all = start.elapsed();
        // A character with fewer than five fits has no complete body.
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
