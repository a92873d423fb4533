use super::*;
use crate::document::{Chain, ChainPart, Collider, ColliderGroup, Force, ForceId, GroupId, Node, Tip};
use glam::Vec3;
use yuremono_sim::math::Trs;
use yuremono_sim::params::find_param;
use yuremono_sim::rig::Bone;
use yuremono_sim::solver::spring_bone::{FIXED_STEP, MODE, RADIUS, SCALED_RADII, STIFFNESS, Y_ACTIVE};
use yuremono_sim::{ColliderShape, ForceKind, SolverKind, Wind};

/// Bones of the left chain: three joints, 10 cm each. The right chain has the next three bones.
const LEFT: [u32; 3] = [2, 3, 4];
const COLLIDER: ColliderId = ColliderId(1);
const UNITY: SolverKind = SolverKind::UnityChanSpringBone;

/// A head with a mirrored pair of strands, and a small collider that no strand touches.
struct Patient {
    bones: Vec<Bone>,
    document: Document,
}

fn healthy(solver: SolverKind) -> Patient {
    let bone = |name: &str, parent: Option<u32>, at: [f32; 3]| Bone {
        name: name.to_owned(),
        parent: parent.map(BoneId),
        rest: Trs::from_translation(Vec3::from(at)),
    };
    let mut bones = vec![bone("root", None, [0.0; 3]), bone("head", Some(0), [0.0, 1.5, 0.0])];
    let mut document = Document::with_solver(solver);
    let table = document.main_system().param_defs();
    document.colliders.insert(COLLIDER, Collider::new("ball", Node::Bone(BoneId(1)), sphere(0.05)));
    for (chain, (side, x)) in [("L", 0.3), ("R", -0.3)].into_iter().enumerate() {
        let first = bones.len() as u32;
        bones.push(bone(&format!("hair_{side}_1"), Some(1), [x, 0.0, 0.0]));
        bones.push(bone(&format!("hair_{side}_2"), Some(first), [0.0, -0.1, 0.0]));
        bones.push(bone(&format!("hair_{side}_3"), Some(first + 1), [0.0, -0.1, 0.0]));
        let mut joints: Vec<Joint> = (first..first + 3).map(|bone| Joint::new(BoneId(bone))).collect();
        joints[2].tip = Tip::Offset(Vec3::new(0.0, -0.1, 0.0));
        for joint in &mut joints {
            joint.colliders.push(COLLIDER);
        }
        let chain_of = Chain::new(format!("hair_{side}"), ChainPart::Hair, table, joints);
        document.chains.insert(ChainId(chain as u32 + 1), chain_of);
    }
    Patient { bones, document }
}

fn sphere(radius: f32) -> ColliderShape {
    ColliderShape::Sphere { radius, inside: false }
}

impl Patient {
    fn findings(&self) -> (Vec<Finding>, Skeleton) {
        self.findings_at(60)
    }

    fn findings_at(&self, frame_rate: u32) -> (Vec<Finding>, Skeleton) {
        let skeleton = Skeleton::new(self.bones.clone()).expect("parents first");
        let resolved = self.document.resolve(&skeleton);
        let character = Character { skeleton: skeleton.clone(), ..Character::default() };
        let document = &self.document;
        (examine(ExaminedSetup { character: &character, document, resolved: &resolved, frame_rate }), skeleton)
    }

    fn finding(&self, kind: FindingKind) -> Option<Finding> {
        let mut found = self.findings().0.into_iter().filter(|finding| finding.kind == kind);
        let first = found.next();
        assert!(found.next().is_none(), "alike findings of {kind:?} are one finding");
        first
    }

    fn set_base(&mut self, param: ParamId, value: f32) {
        self.document.chains.values_mut().for_each(|chain| chain.values[param.index()].base = value);
    }
}

/// A healthy setup does not have the finding; the spoiled setup has it, about these names. A fix removes the finding.
#[track_caller]
fn check(kind: FindingKind, solver: SolverKind, names: &[&str], is_fixable: bool, spoil: impl FnOnce(&mut Patient)) {
    let mut patient = healthy(solver);
    assert_eq!(patient.finding(kind), None, "the healthy setup");
    spoil(&mut patient);
    let (_, skeleton) = patient.findings();
    let finding = patient.finding(kind).unwrap_or_else(|| panic!("{kind:?} is not found"));
    let found: Vec<String> = finding.subjects.iter().map(|s| s.name(&patient.document, &skeleton)).collect();
    assert_eq!(found, names, "{}", finding.message);
    assert!(finding.message.contains(names[0]), "{}", finding.message);
    assert_eq!(finding.fix.is_some(), is_fixable, "{}", finding.message);
    if let Some(fix) = finding.fix {
        let before = patient.document.clone();
        let other_kinds = |patient: &Patient| -> BTreeSet<FindingKind> {
            patient.findings().0.iter().map(|other| other.kind).filter(|other| *other != kind).collect()
        };
        let others = other_kinds(&patient);
        let changes = patient.document.apply_recorded(fix).expect("a fix applies");
        assert_eq!(patient.finding(kind), None, "the fixed setup");
        assert!(other_kinds(&patient).is_subset(&others), "a fix causes no other finding");
        changes.revert(&mut patient.document);
        assert_eq!(patient.document, before, "one undo step");
    }
}

#[test]
fn a_healthy_setup_has_only_a_note_about_the_frame_rate() {
    for solver in SolverKind::ALL {
        let found: Vec<FindingKind> = healthy(*solver).findings().0.iter().map(|finding| finding.kind).collect();
        assert!(found.iter().all(|kind| *kind == FindingKind::FrameRate), "{solver:?} {found:?}");
    }
    assert_eq!(
        FindingKind::ALL.iter().map(|kind| kind.key()).collect::<BTreeSet<_>>().len(),
        FindingKind::ALL.len(),
        "keys are unique"
    );
}

#[test]
fn a_spring_that_overshoots_in_a_step_is_softened() {
    let names = ["hair_L_1", "hair_L_2", "hair_L_3", "hair_R_1", "hair_R_2", "hair_R_3"];
    check(FindingKind::UnstableStiffness, UNITY, &names, true, |patient| patient.set_base(STIFFNESS, 1e5));
}

#[test]
fn a_stable_stiffness_can_be_unstable_at_a_lower_frame_rate() {
    let rate = find_param(UNITY.info().params, "simulationFrameRate").expect("a parameter of the system");
    let mut patient = healthy(UNITY);
    patient.document.main_system_mut().values.set(rate, 0.0);
    patient.set_base(STIFFNESS, 1000.0);
    let is_unstable = |patient: &Patient, rate| {
        patient.findings_at(rate).0.iter().any(|finding| finding.kind == FindingKind::UnstableStiffness)
    };
    assert_eq!([144, 60, 10].map(|rate| is_unstable(&patient, rate)), [false, false, true]);
}

#[test]
fn a_tip_near_a_surface_gets_a_smaller_radius_and_a_tip_inside_loses_the_collider() {
    // The first tips are 316 mm from the centre of the collider.
    let first = ["hair_L_1", "hair_R_1", "ball"];
    check(FindingKind::TipInsideCollider, UNITY, &first, true, |patient| {
        patient.set_base(RADIUS, 0.05);
        patient.document.colliders.get_mut(&COLLIDER).expect("a ball").shape = sphere(0.28);
    });
    let mut patient = healthy(UNITY);
    patient.document.colliders.get_mut(&COLLIDER).expect("a ball").shape = sphere(0.34);
    let fix = patient.finding(FindingKind::TipInsideCollider).and_then(|finding| finding.fix).expect("a fix");
    patient.document.apply(fix).expect("it applies");
    assert_eq!(patient.finding(FindingKind::TipInsideCollider), None);
    assert!(patient.document.chains[&ChainId(1)].joints[0].colliders.is_empty(), "the tip itself was inside");
    assert!(!patient.document.chains[&ChainId(1)].joints[2].colliders.is_empty(), "far joints keep the collider");
}

/// Returns a setup whose chains get the collider from a group.
fn healthy_with_group() -> Patient {
    let mut patient = healthy(SolverKind::Vrm);
    let group = ColliderGroup { name: "body".to_owned(), colliders: vec![COLLIDER], ..ColliderGroup::default() };
    patient.document.groups.insert(GroupId(1), group);
    for chain in patient.document.chains.values_mut() {
        chain.groups = vec![GroupId(1)];
        chain.joints.iter_mut().for_each(|joint| joint.colliders.clear());
    }
    patient
}

#[test]
fn a_collider_of_a_group_shrinks_a_little_or_the_finding_names_the_group_that_keeps_the_tips_inside() {
    // The first tips are 316 mm from the centre of the collider.
    let mut patient = healthy_with_group();
    patient.document.colliders.get_mut(&COLLIDER).expect("a ball").shape = sphere(0.34);
    let finding = patient.finding(FindingKind::TipInsideCollider).expect("the first tips are inside");
    assert!(!finding.message.contains("stays inside"), "{}", finding.message);
    patient.document.apply(finding.fix.expect("a fix")).expect("it applies");
    assert_eq!(patient.finding(FindingKind::TipInsideCollider), None);

    let mut patient = healthy_with_group();
    patient.document.colliders.get_mut(&COLLIDER).expect("a ball").shape = sphere(0.6);
    let finding = patient.finding(FindingKind::TipInsideCollider).expect("all tips are inside");
    let sentence = "frees 0 of 6 joints";
    assert!(finding.message.contains(sentence) && finding.message.contains("from group body"), "{}", finding.message);
    assert_eq!(finding.fix, None, "an edit that frees nothing is no fix");
}

#[test]
fn a_tip_outside_an_inside_collider_is_past_its_surface() {
    let mut patient = healthy(SolverKind::Vrm);
    let shape = |radius| ColliderShape::Sphere { radius, inside: true };
    patient.document.colliders.get_mut(&COLLIDER).expect("a ball").shape = shape(1.0);
    assert_eq!(patient.finding(FindingKind::TipInsideCollider), None);
    patient.document.colliders.get_mut(&COLLIDER).expect("a ball").shape = shape(0.4);
    let finding = patient.finding(FindingKind::TipInsideCollider).expect("the last tips are outside");
    assert!(finding.message.contains("past the surface of ball"), "{}", finding.message);
}

#[test]
fn a_bone_without_length_is_turned_off() {
    check(FindingKind::ZeroLength, UNITY, &["hair_L_1"], true, |patient| {
        patient.bones[LEFT[1] as usize].rest.translation = Vec3::ZERO;
    });
}

#[test]
fn a_radius_as_long_as_the_bone_is_reduced_unless_nothing_collides() {
    let names = ["hair_L_1", "hair_L_2", "hair_L_3", "hair_R_1", "hair_R_2", "hair_R_3"];
    check(FindingKind::RadiusNearLength, UNITY, &names, true, |patient| patient.set_base(RADIUS, 0.095));
    let mut patient = healthy(UNITY);
    patient.set_base(RADIUS, 0.2);
    patient.document.chains.values_mut().flat_map(|c| &mut c.joints).for_each(|joint| joint.colliders.clear());
    assert_eq!(patient.finding(FindingKind::RadiusNearLength), None);
}

#[test]
fn a_limit_without_a_pivot_gets_one() {
    check(FindingKind::LimitWithoutPivot, UNITY, &["hair_L_2"], true, |patient| {
        let chain = patient.document.chains.get_mut(&ChainId(1)).expect("a chain");
        chain.joints[1].overrides.insert(Y_ACTIVE, 1.0);
    });
}

#[test]
fn scales_are_uneven_negative_or_change_radii() {
    for scale in [Vec3::new(1.0, 2.0, 1.0), Vec3::new(-1.0, 1.0, 1.0)] {
        check(FindingKind::UnevenScale, UNITY, &["head"], false, |patient| patient.bones[1].rest.scale = scale);
    }
    check(FindingKind::ScaledRadius, UNITY, &["head"], false, |patient| {
        patient.bones[1].rest.scale = Vec3::splat(2.0);
    });
    for (solver, is_fixable) in [(SolverKind::PbdSpringBone, true), (SolverKind::AnimDynamics, false)] {
        check(FindingKind::ScaledLength, solver, &["head"], is_fixable, |patient| {
            patient.bones[1].rest.scale = Vec3::splat(2.0);
        });
    }
    let mut patient = healthy(UNITY);
    patient.bones[1].rest.scale = Vec3::splat(2.0);
    let text =
        |patient: &Patient| patient.finding(FindingKind::ScaledRadius).map(|finding| finding.message.to_string());
    assert!(text(&patient).is_some_and(|text| text.contains("does not scale hit radii")));
    let system = patient.document.main_system_mut();
    system.values.set(MODE, 1.0);
    system.values.set(SCALED_RADII, 1.0);
    assert!(text(&patient).is_some_and(|text| text.contains("a hit radius of 10 mm counts as 20.0 mm")));
}

#[test]
fn a_force_without_strength_or_without_a_solver_is_idle() {
    let add = |patient: &mut Patient, kind: ForceKind| {
        let force = Force { name: "breeze".into(), node: Node::Bone(BoneId(0)), kind, enabled: true };
        patient.document.forces.insert(ForceId(1), force);
    };
    let blowing = ForceKind::Wind(Wind { weight: 1.0, ..Wind::DEFAULT });
    check(FindingKind::IdleForce, UNITY, &["breeze"], true, |patient| add(patient, ForceKind::Wind(Wind::DEFAULT)));
    check(FindingKind::IdleForce, UNITY, &["breeze"], true, |patient| {
        add(patient, ForceKind::Volume { strength: 0.0 });
    });
    check(FindingKind::IdleForce, SolverKind::Vrm, &["breeze"], true, |patient| add(patient, blowing));
    let influence = find_param(UNITY.info().params, "windInfluence").expect("a parameter of joints");
    check(FindingKind::IdleForce, UNITY, &["breeze"], true, |patient| {
        add(patient, blowing);
        patient.set_base(influence, 0.0);
    });
    let mut patient = healthy(UNITY);
    add(&mut patient, blowing);
    assert_eq!(patient.finding(FindingKind::IdleForce), None);
}

#[test]
fn a_collider_below_a_joint_moves_to_the_body() {
    check(FindingKind::ColliderOnSpringBone, UNITY, &["ball"], true, |patient| {
        patient.document.colliders.get_mut(&COLLIDER).expect("a ball").node = Node::Bone(BoneId(LEFT[1]));
    });
}

#[test]
fn values_of_a_last_joint_without_a_tip_are_removed() {
    let solver = SolverKind::DynamicBone;
    let param = find_param(solver.info().params, "m_Stiffness").expect("a parameter of joints");
    check(FindingKind::UnreadValues, solver, &["hair_L_3"], true, |patient| {
        let chain = patient.document.chains.get_mut(&ChainId(1)).expect("a chain");
        chain.joints[2].tip = Tip::Children;
        chain.joints[2].overrides.insert(param, 0.9);
    });
}

#[test]
fn values_of_one_side_are_copied_to_the_other() {
    let names = ["hair_L_1", "hair_R_1", "hair_L_2", "hair_R_2", "hair_L_3", "hair_R_3"];
    check(FindingKind::SidesDiffer, UNITY, &names, true, |patient| {
        let chain = patient.document.chains.get_mut(&ChainId(2)).expect("a chain");
        chain.values[STIFFNESS.index()].base += 50.0;
    });
    check(FindingKind::SidesDiffer, UNITY, &names[2..4], true, |patient| {
        let chain = patient.document.chains.get_mut(&ChainId(2)).expect("a chain");
        chain.joints[1].overrides.insert(STIFFNESS, 500.0);
    });
}

#[test]
fn centres_of_mass_of_nearly_mirrored_bones_do_not_differ() {
    let solver = SolverKind::Hinge;
    let centre = solver.info().center_of_mass_params.expect("rigid bodies")[0];
    let mut patient = healthy(solver);
    let mut move_centre = |x: f32| {
        let chain = patient.document.chains.get_mut(&ChainId(2)).expect("a chain");
        chain.joints[1].overrides.insert(centre, x);
        patient.finding(FindingKind::SidesDiffer).is_some()
    };
    assert_eq!([0.002, 0.03].map(&mut move_centre), [false, true], "bones of 10 cm");
}

#[test]
fn a_fixed_step_per_frame_makes_the_stiffness_depend_on_the_frame_rate() {
    let mut patient = healthy(UNITY);
    patient.set_base(STIFFNESS, 300.0);
    let finding = patient.finding(FindingKind::FrameRate).expect("Unity takes one step per frame");
    assert!(finding.message.contains("at 120 fps, Unity shows the springs 300 % stiffer"), "{}", finding.message);
    let system = patient.document.main_system_mut();
    system.values.set(MODE, 1.0);
    system.values.set(FIXED_STEP, 1.0);
    assert_eq!(patient.finding(FindingKind::FrameRate), None, "the improved mode takes steps of a fixed length");
}

/// Returns a healthy setup whose springs are fast enough for a comparison of frame rates. UnityChan's default is too slow.
fn with_noticeable_stiffness(solver: SolverKind) -> Patient {
    let mut patient = healthy(solver);
    if solver == UNITY {
        patient.set_base(STIFFNESS, 300.0);
    }
    patient
}

#[test]
fn a_solver_with_a_setting_for_steady_motion_gets_it_unless_the_motion_would_change() {
    for (solver, setting, before, after) in [
        (UNITY, "simulationFrameRate", 60.0, 0.0),
        (SolverKind::DynamicBone, "m_UpdateMode", 3.0, 0.0),
        (SolverKind::KawaiiPhysics, "bUseFixedSubstepping", 0.0, 1.0),
    ] {
        let param = find_param(solver.info().params, setting).expect("a parameter of the system");
        let mut patient = with_noticeable_stiffness(solver);
        patient.document.main_system_mut().values.set(param, after);
        assert_eq!(patient.finding(FindingKind::FrameRate), None, "{solver:?}");
        patient.document.main_system_mut().values.set(param, before);
        let finding = patient.finding(FindingKind::FrameRate);
        let finding = finding.unwrap_or_else(|| panic!("{solver:?} depends on the frame rate"));
        assert!(finding.message.contains(&format!("Set {setting} to ")), "{}", finding.message);
        let mut expected = patient.document.clone();
        expected.main_system_mut().values.set(param, after);
        patient.document.apply(finding.fix.expect("a fix")).expect("it applies");
        assert_eq!(patient.document, expected, "only the setting changes");
    }
    let without_fix = |patient: &Patient| {
        let finding = patient.finding(FindingKind::FrameRate).expect("it depends on the frame rate");
        assert!(finding.message.contains("Preview both frame rates"), "{}", finding.message);
        finding.fix.is_none()
    };
    assert!(without_fix(&healthy(SolverKind::Vrm)), "VRM has no setting");
    let mut patient = with_noticeable_stiffness(UNITY);
    let rate = find_param(UNITY.info().params, "simulationFrameRate").expect("a parameter of the system");
    patient.document.main_system_mut().values.set(rate, 30.0);
    assert!(without_fix(&patient), "steps of another length would change the motion at 60 fps");
}
