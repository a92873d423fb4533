//! Tests setups in the native formats of other solvers: the content of their files, and round trips.

use super::{character_with_skeleton, export_bytes, import_into, param_values, sample, to_gltf_space};
use crate::support::formats::{DYNAMIC_BONE_CSV, EZ_JSON, KAWAII_JSON};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use yuremono_format::DEFAULT_FORMAT;
use yuremono_format::tables;
use yuremono_model::document::{Chain, ChainId, ChainPart, Document, FlipAxis, Joint, Passthrough, SetupEntry};
use yuremono_model::exchange::{
    ExportLoss, ExportOptions, FileSection, ImportPlan, ImportRowStatus, SetupFormat, export,
};
use yuremono_sim::math::{Curve, JsonNumber, Trs};
use yuremono_sim::params::ParamKind;
use yuremono_sim::rig::{Bone, BoneId, Pose, Skeleton, WorldPose};
use yuremono_sim::solver::{dynamic_bone, ez_soft_bone, kawaii};
use yuremono_sim::{ColliderShape, SolverKind};

const NATIVE_FORMATS: [SetupFormat; 3] = [DYNAMIC_BONE_CSV, KAWAII_JSON, EZ_JSON];

#[track_caller]
fn check_near(now: &[f32], before: &[f32], what: &str) {
    assert_eq!(now.len(), before.len(), "{what}");
    for (a, b) in now.iter().zip(before) {
        assert!(a == b || (a - b).abs() <= 2e-6 * a.abs().max(b.abs()), "{what}: {now:?}, not {before:?}");
    }
}

/// Returns the positions and sizes of all colliders, by name.
fn collider_positions(document: &Document, skeleton: &Skeleton) -> BTreeMap<String, (ColliderShape, [glam::Vec3; 3])> {
    let rest = WorldPose::from_pose(skeleton, &Pose::rest(skeleton));
    let place = |collider: &yuremono_model::document::Collider| {
        let mut frame = glam::Affine3A::IDENTITY;
        let mut node = collider.node;
        loop {
            match node {
                yuremono_model::document::Node::Helper(id) => {
                    let helper = &document.helpers[&id];
                    frame = helper.local.to_affine() * frame;
                    node = helper.parent;
                }
                yuremono_model::document::Node::Bone(bone) => {
                    let bone = rest.frame(bone);
                    let own =
                        glam::Affine3A::from_scale_rotation_translation(glam::Vec3::ONE, bone.rotation, bone.position);
                    break own * frame;
                }
            }
        }
    };
    let points =
        |frame: glam::Affine3A| [glam::Vec3::ZERO, glam::Vec3::Y, glam::Vec3::Z].map(|p| frame.transform_point3(p));
    document.colliders.values().map(|c| (c.name.clone(), (c.shape, points(place(c))))).collect()
}

#[test]
fn the_sample_survives_export_and_import_in_every_native_format() {
    for format in NATIVE_FORMATS {
        let solver = format.solver.expect("a native format");
        let opened = sample(solver);
        let skeleton = &opened.character.skeleton;
        for axis in [FlipAxis::X, FlipAxis::Z] {
            let text = export_bytes(&opened.document, skeleton, axis, format);
            assert_eq!(tables::setup_format_of(&text), Some(format));
            let after = import_into(opened.document.clone(), &text, skeleton, axis);
            let ((joints, system), (before, of_before)) =
                (param_values(&after, skeleton), param_values(&opened.document, skeleton));
            assert_eq!(joints.keys().collect::<Vec<_>>(), before.keys().collect::<Vec<_>>(), "{format:?}");
            for (bone, values) in &joints {
                check_near(values, &before[bone], &format!("{format:?} {axis:?} {}", skeleton.name(*bone)));
            }
            check_near(&system, &of_before, &format!("{format:?} {axis:?}"));
            let (now, before) = (collider_positions(&after, skeleton), collider_positions(&opened.document, skeleton));
            assert!(!before.is_empty());
            for (name, (shape, at)) in &now {
                let (old, old_at) = &before[name];
                assert!((0..3).all(|n| (shape.field(n) - old.field(n)).abs() < 1e-5), "{shape:?}, not {old:?}");
                // A sphere looks the same after any rotation, so compare only its centre.
                let watched = if matches!(shape, ColliderShape::Sphere { inside: false, .. }) { 1 } else { 2 };
                let far = (0..watched).map(|n| at[n].distance(old_at[n])).fold(0.0, f32::max);
                assert!(far < 2e-5, "{format:?} {axis:?}: {name} is {far} m off");
            }
        }
    }
}

/// Returns four bones of 10 cm in a line, and a sibling bone.
fn rope_skeleton() -> Skeleton {
    let parents = [None, Some(0), Some(1), Some(2), Some(3), Some(0)];
    let bones = parents.iter().enumerate().map(|(i, parent)| Bone {
        name: ["root", "a", "b", "c", "d", "beside"][i].to_owned(),
        parent: parent.map(BoneId),
        rest: Trs::from_translation(glam::Vec3::new(0.0, -0.1, 0.0)),
    });
    Skeleton::new(bones.collect()).expect("parents first")
}

/// Returns a document with a chain of a, b and c, and a curve on one parameter.
fn document_with_rope_chain(solver: SolverKind, param: yuremono_sim::params::ParamId, base: f32) -> Document {
    let mut document = Document::with_solver(solver);
    let joints = [1, 2, 3].map(|i| Joint::new(BoneId(i))).to_vec();
    let mut chain = Chain::new("Rope", ChainPart::Other, solver.info().params, joints);
    chain.values[param.index()].base = base;
    chain.values[param.index()].curve = Curve::from_points(&[(0.0, 1.0), (1.0, 0.5)]);
    document.chains.insert(ChainId(1), chain);
    document
}

#[test]
fn kawaii_physics_json_uses_centimetres_and_unreal_axes() {
    let skeleton = rope_skeleton();
    let mut document = document_with_rope_chain(SolverKind::KawaiiPhysics, kawaii::params::RADIUS, 0.03);
    for (row, value) in [(0, 1.0), (1, -9.8), (2, 2.0)] {
        document.main_system_mut().values.set(kawaii::params::GRAVITY[row], value);
    }
    document.main_system_mut().values.set(kawaii::params::BONE_FORWARD_AXIS, 3.0);
    document.main_system_mut().values.set(kawaii::params::TELEPORT_DISTANCE, f32::INFINITY);
    for axis in [FlipAxis::X, FlipAxis::Z] {
        let text = export_bytes(&document, &skeleton, axis, KAWAII_JSON);
        let json: Value = serde_json::from_slice(&text).expect("JSON");
        let node = &json["Nodes"][0];
        assert_eq!(node["RootBone"], json!("a"));
        assert_eq!(node["PhysicsSettings"]["Radius"], json!(3.0));
        assert_eq!(node["PhysicsSettings"]["Damping"], json!(0.1), "ratios are not scaled");
        assert_eq!(node["Gravity"], json!({ "X": 100.0, "Y": 200.0, "Z": -980.0 }), "{axis:?}");
        assert_eq!(node["BoneForwardAxis"], json!("Z_Negative"), "Unreal's Z is our Y");
        assert_eq!(node["TeleportDistanceThreshold"], json!("Infinity"));
        assert_eq!(node["SkelCompMoveScale"], json!({ "X": 1.0, "Y": 1.0, "Z": 1.0 }));
        assert_eq!(json["ProjectSettings"]["MaxSubsteps"], json!(4), "Unreal's own setting is an integer");
        // KawaiiPhysics evaluates curves by the distance of each bone from a, as a ratio of the distance to the end
        // bone d.
        let keys = node["RadiusCurveData"]["EditorCurveData"]["Keys"].as_array().expect("keys");
        let places: Vec<f64> = keys.iter().map(|key| key["Time"].as_f64().expect("a number")).collect();
        assert!(places.iter().zip([0.0, 1.0 / 3.0, 2.0 / 3.0]).all(|(a, b)| (a - b).abs() < 1e-6), "{places:?}");
        let after = import_into(document.clone(), &text, &skeleton, axis);
        assert_eq!(after.main_system().values, document.main_system().values, "{axis:?}");
        let (now, before) = (param_values(&after, &skeleton).0, param_values(&document, &skeleton).0);
        for (bone, values) in &now {
            check_near(values, &before[bone], "radius");
        }
    }
}

/// Returns a document with a non-default value in every wind parameter.
fn document_with_wind() -> Document {
    let mut document = document_with_rope_chain(SolverKind::KawaiiPhysics, kawaii::params::RADIUS, 0.03);
    let table = document.main_system().param_defs();
    for (n, (param, def)) in yuremono_sim::params::enumerate_params(table).enumerate() {
        if def.name.starts_with("ProceduralWind.") && !def.extension && !def.former_names.is_empty() {
            document.main_system_mut().values.set(param, 1.0 + n as f32);
        }
    }
    document
}

#[test]
fn kawaii_physics_json_uses_current_wind_names_and_names_the_release() {
    let (skeleton, document) = (rope_skeleton(), document_with_wind());
    let text = export_bytes(&document, &skeleton, FlipAxis::X, KAWAII_JSON);
    let json: Value = serde_json::from_slice(&text).expect("JSON");
    assert!(json["plugin"].as_str().expect("a text").contains("2026-08-18"), "{}", json["plugin"]);
    let wind = json["Nodes"][0]["ProceduralWind"].as_object().expect("an object");
    for name in [
        "WindDirectionNoiseAngle",
        "WindDirectionNoisePeriod",
        "ConstantForce",
        "SwayForce",
        "SwayPeriod",
        "SwayPhaseOffset",
        "RippleForce",
        "RipplePeriod",
        "RipplePhaseOffset",
        "RippleTipPhaseDelay",
        "StrengthCycleRange",
        "StrengthCyclePeriod",
        "StrengthCyclePhaseOffset",
        "RandomForcePeriod",
        "Seed",
    ] {
        assert!(wind.contains_key(name), "there is no {name}");
    }
    assert!(wind["StrengthCycleRange"]["Min"].is_number() && wind["StrengthCycleRange"]["Max"].is_number());
    for part in ["Steady", "Oscillation", "Pulse", "Wave", "Envelope", "Breathing", "RandomSeed", "RandomPeriod"] {
        assert!(!wind.keys().any(|key| key.starts_with(part)), "{part}… is a parameter name of an earlier release");
    }
    let (_, found) = tables::read_setup(&text, "a.json").expect("readable");
    assert_eq!(found, [], "the export has no findings");
    assert_eq!(
        import_into(document.clone(), &text, &skeleton, FlipAxis::X).main_system().values,
        document.main_system().values
    );
}

#[test]
fn kawaii_physics_json_with_former_wind_names_is_migrated() {
    let skeleton = rope_skeleton();
    let node = |wind: Value| {
        let node = json!({ "RootBone": "a", "ProceduralWind": wind });
        serde_json::to_vec(&json!({ "format": "kawaii-physics", "version": 1, "Nodes": [node] })).expect("JSON")
    };
    let today = node(json!({
        "WindDirectionNoiseAngle": 1.0, "WindDirectionNoisePeriod": 2.0, "ConstantForce": 3.0, "SwayForce": 4.0,
        "SwayPeriod": 5.0, "RippleForce": 6.0, "RipplePeriod": 7.0, "RipplePhaseOffset": 8.0, "RippleTipPhaseDelay": 9.0,
        "StrengthCycleRange": { "Min": 0.5, "Max": 1.5 }, "StrengthCyclePeriod": 4.0, "StrengthCyclePhaseOffset": 11.0,
        "RandomForcePeriod": 12.0, "Seed": 13,
    }));
    let before = node(json!({
        "DirectionNoiseAngle": 1.0, "DirectionNoisePeriod": 2.0, "SteadyForce": 3.0, "OscillationForce": 4.0,
        "OscillationPeriod": 5.0, "WaveAmplitude": 6.0, "WavePeriod": 7.0, "WavePhase": 8.0, "WaveSpatialOffset": 9.0,
        "EnvelopeMin": 0.5, "EnvelopeMax": 1.5, "EnvelopeFrequency": 0.25, "EnvelopePhase": 11.0,
        "RandomPeriod": 12.0, "RandomSeed": 13,
    }));
    let between = node(json!({
        "DirectionNoiseAngle": 1.0, "DirectionNoisePeriod": 2.0, "SteadyForce": 3.0, "PulseForce": 4.0,
        "PulsePeriod": 5.0, "WaveAmplitude": 6.0, "WavePeriod": 7.0, "WavePhase": 8.0, "WaveSpatialOffset": 9.0,
        "BreathingMin": 0.5, "BreathingMax": 1.5, "BreathingPeriod": 4.0, "BreathingPhase": 11.0,
        "RandomPeriod": 12.0, "RandomSeed": 13,
    }));
    let empty = document_with_rope_chain(SolverKind::KawaiiPhysics, kawaii::params::RADIUS, 0.03);
    let expected = import_into(empty.clone(), &today, &skeleton, FlipAxis::X);
    assert_eq!(expected.main_system().get(kawaii::params::STRENGTH_CYCLE_PERIOD), 4.0);
    assert_ne!(expected.main_system().values, empty.main_system().values);
    for text in [before, between] {
        let (_, found) = tables::read_setup(&text, "a.json").expect("readable");
        assert_eq!(found, []);
        assert_eq!(
            import_into(empty.clone(), &text, &skeleton, FlipAxis::X).main_system().values,
            expected.main_system().values
        );
    }
}

#[test]
fn ez_soft_bone_json_has_every_curve_and_integers_without_fraction() {
    let (skeleton, document) =
        (rope_skeleton(), document_with_rope_chain(SolverKind::EzSoftBone, ez_soft_bone::DAMPING, 0.4));
    let text = export_bytes(&document, &skeleton, FlipAxis::X, EZ_JSON);
    let json: Value = serde_json::from_slice(&text).expect("JSON");
    let component = &json["Components"][0];
    let one = json!([
        { "time": 0.0, "value": 1.0, "inTangent": 0.0, "outTangent": 0.0 },
        { "time": 1.0, "value": 1.0, "inTangent": 0.0, "outTangent": 0.0 },
    ]);
    for name in ["m_StiffnessCurve", "m_ResistanceCurve", "m_SlacknessCurve"] {
        assert_eq!(component["m_Material"][name], one, "{name} of a new material is not constant");
    }
    assert_eq!(component["m_RadiusCurve"], one);
    assert_ne!(component["m_Material"]["m_DampingCurve"], one, "the chain's own");
    for def in SolverKind::EzSoftBone.info().params {
        let value = &component[def.name];
        if matches!(def.kind, ParamKind::Integer | ParamKind::Choice(_)) && !value.is_null() {
            assert!(value.is_i64() || value.is_u64(), "{}: {value}", def.name);
        }
    }
    let (file, found) = tables::read_setup(&text, "a.json").expect("readable");
    assert_eq!(found, []);
    assert_eq!(file.trees[0].curves.len(), 1, "a constant 1 is not a curve");
}

#[test]
fn ez_soft_bone_json_has_its_field_names_and_curves_along_tips() {
    let skeleton = rope_skeleton();
    let mut document = document_with_rope_chain(SolverKind::EzSoftBone, ez_soft_bone::DAMPING, 0.4);
    document.main_system_mut().values.set(ez_soft_bone::GRAVITY[1], -0.16);
    document.main_system_mut().values.set(ez_soft_bone::SIBLING_CONSTRAINTS, 2.0);
    let text = export_bytes(&document, &skeleton, FlipAxis::X, EZ_JSON);
    let json: Value = serde_json::from_slice(&text).expect("JSON");
    let component = &json["Components"][0];
    assert_eq!((&component["m_RootBones"], &json["mirror"]), (&json!(["a"]), &json!("x")));
    assert_eq!(component["m_Gravity"], json!({ "x": 0.0, "y": -0.16, "z": 0.0 }));
    assert_eq!(component["m_SiblingConstraints"], json!(2), "Unity serializes choices as numbers");
    // The asset has the largest value that is used, which is the value at the first tip, a third along the chain.
    assert_eq!(component["m_Material"]["m_Damping"], json!(0.333_333_34));
    let keys = component["m_Material"]["m_DampingCurve"].as_array().expect("keys");
    let places: Vec<f64> = keys.iter().map(|key| key["time"].as_f64().expect("a number")).collect();
    assert!(places.iter().zip([1.0 / 3.0, 2.0 / 3.0, 1.0]).all(|(a, b)| (a - b).abs() < 1e-6), "{places:?}");
    let slope = keys[0]["outTangent"].as_f64().expect("a number");
    let rise = keys[1]["value"].as_f64().expect("a number") - keys[0]["value"].as_f64().expect("a number");
    assert!((slope - rise * 3.0).abs() < 1e-4, "Unity draws a straight line: {slope}");
}

/// A table in the layout of the Unity editor extension: a component on the parent bone, a curve, a capsule along X, and
/// a plane.
const EXTENSION_CSV: &str = "\u{feff}\r\n[ColliderBase]\r\nroot,Ball,0.1,0.2,0.3,0,0,0,1,0,0.5,0,0,0,0.05,0.3\r\n\
    root,Floor,0,-1,0,0,0,0,1,1,0,0,0,0\r\n\r\n[DynamicBone]\r\n\
    ,root,0,0,0,0,0,0,1,a,60,3,0.2,0.1,0.05,0.5,0,0.02,0,0,0,0,0,-0.002,0,0.25,0,0,2,True,,20\r\n\
    ,root,0,0,0,0,0,0,1,,60,3,0.2,0.1,0.05,0.5,0,0.02,0,0,0,0,0,-0.002,0,0.25,0,0,2,True,,20\r\n\r\n\
    [m_DampingDistrib]\r\nroot,0,1,-0.5,0,-0.5,0,1,0.5,-0.5,0,-0.5,0\r\nroot\r\n\r\n\
    [m_ElasticityDistrib]\r\nroot\r\n\r\n[m_Colliders]\r\nroot,Ball,Floor\r\n\r\n[m_Exclusions]\r\nroot,c\r\n";

#[test]
fn a_csv_of_the_dynamic_bone_editor_extension_is_read() {
    let skeleton = rope_skeleton();
    let (file, output) = tables::read_setup(EXTENSION_CSV.as_bytes(), "db.csv").expect("readable");
    let output: Vec<_> = output.iter().map(ToString::to_string).collect();
    assert_eq!(output, ["db.csv:8, bone \"root\": the component has no root; left out"]);
    let mut document = Document::with_solver(SolverKind::DynamicBone);
    let plan = ImportPlan::new(
        to_gltf_space(file, FlipAxis::X),
        &[],
        &document,
        &character_with_skeleton(&skeleton),
        &BTreeMap::new(),
    );
    let names: Vec<_> = plan.rows_of(FileSection::Joints).map(|(_, row)| row.name.as_str()).collect();
    assert_eq!(names, ["a"], "c is excluded, so b is a tip and not a joint");
    document.apply(plan.edit(&document, &skeleton)).expect("the plan applies");
    let chain = document.chains.values().next().expect("a chain");
    let value = |row| chain.joint_value(0, row, 0.0);
    assert_eq!(value(dynamic_bone::DAMPING), 0.1, "the only joint has the last value of the curve");
    assert_eq!((value(dynamic_bone::INERT), value(dynamic_bone::RADIUS)), (0.5, 0.02));
    let system = |row| document.main_system().get(row);
    assert_eq!(system(dynamic_bone::GRAVITY[1]), -0.002);
    assert_eq!(system(dynamic_bone::FORCE[0]), -0.25, "mirrored along X");
    assert_eq!((system(dynamic_bone::FREEZE_AXIS), system(dynamic_bone::DISTANT_DISABLE)), (2.0, 1.0));
    assert_eq!(chain.joints[0].colliders.len(), 2);
    let solids = collider_positions(&document, &skeleton);
    let (shape, at) = &solids["Ball"];
    assert!(
        matches!(shape, ColliderShape::Capsule { radius, height, inside: false } if (radius - 0.05).abs() < 1e-6 && (height - 0.2).abs() < 1e-6)
    );
    // In Unity, the capsule is along X, with its centre at X = 0.1 + 0.5. Here X is mirrored, and the root is at -0.1.
    let along = (at[1] - at[0]).normalize();
    let middle = at[0] + along * 0.1;
    assert!(along.x.abs() > 0.999 && middle.distance(glam::Vec3::new(-0.6, 0.1, 0.3)) < 1e-5, "{middle} {along}");
    let (_, at) = &solids["Floor"];
    assert!((at[2] - at[0]).distance(glam::Vec3::Y) < 1e-5, "a plane along Y pushes up: {}", at[2] - at[0]);
}

#[test]
fn dynamic_bone_csv_has_all_columns_of_the_editor_extension() {
    let skeleton = rope_skeleton();
    let document = document_with_rope_chain(SolverKind::DynamicBone, dynamic_bone::DAMPING, 0.2);
    let text = export_bytes(&document, &skeleton, FlipAxis::X, DYNAMIC_BONE_CSV);
    let text = String::from_utf8(text).expect("text");
    let text = text.strip_prefix('\u{feff}').expect("a byte order mark, like that of the extension");
    let sections: Vec<&str> = text.lines().filter(|line| line.starts_with('[')).collect();
    let expected = [
        "[ColliderBase]",
        "[DynamicBone]",
        "[m_DampingDistrib]",
        "[m_ElasticityDistrib]",
        "[m_StiffnessDistrib]",
        "[m_InertDistrib]",
        "[m_FrictionDistrib]",
        "[m_RadiusDistrib]",
        "[m_Colliders]",
        "[m_Exclusions]",
    ];
    assert_eq!(sections, expected);
    let row = text.lines().skip_while(|line| *line != "[DynamicBone]").nth(1).expect("a component");
    let cells: Vec<&str> = row.split(',').collect();
    assert_eq!((cells.len(), cells[0], cells[9], cells[12], cells[28]), (32, "root", "a", "0.16666667", "0"));
    let row = text.lines().skip_while(|line| *line != "[m_DampingDistrib]").nth(1).expect("a curve");
    assert_eq!((row.split(',').count() - 1) % 6, 0, "{row}");
    assert_eq!(row.split(',').next(), Some(cells[1]), "a curve names the object of its component");
}

#[test]
fn missing_roots_are_kept_and_values_that_no_curve_can_express_are_reported() {
    let skeleton = rope_skeleton();
    for format in NATIVE_FORMATS {
        let solver = format.solver.expect("a native format");
        let opened = sample(solver);
        let text = export_bytes(&opened.document, &opened.character.skeleton, FlipAxis::X, format);
        let (file, found) = tables::read_setup(&text, "t.json").expect("readable");
        let empty = Document::with_solver(solver);
        let plan = ImportPlan::new(
            to_gltf_space(file, FlipAxis::X),
            &found,
            &empty,
            &character_with_skeleton(&skeleton),
            &BTreeMap::new(),
        );
        let roots: Vec<_> = plan.rows_of(FileSection::Joints).collect();
        assert!(
            roots.len() > 5 && roots.iter().all(|(_, row)| row.status == ImportRowStatus::BoneNotFound),
            "{format:?}"
        );
        let mut document = empty.clone();
        document.apply(plan.edit(&empty, &skeleton)).expect("a plan applies");
        let is_joint = |kept: &&Passthrough| matches!(kept, Passthrough::Entry { solver: of, entry } if *of == solver && matches!(**entry, SetupEntry::Joint(_)));
        assert!(document.passthrough.iter().filter(is_joint).count() > 5, "{format:?}");
        let options = ExportOptions::new(format);
        let losses = export(&document, &skeleton, options).losses;
        assert!(losses.iter().any(|loss| matches!(loss, ExportLoss::PassthroughDropped(_))), "{losses:?}");
    }
    // Create two branches of equal length with different values.
    let parents = [None, Some(0), Some(0), Some(1), Some(2)];
    let bones = parents.iter().enumerate().map(|(i, parent)| Bone {
        name: format!("bone {i}"),
        parent: parent.map(BoneId),
        rest: Trs::from_translation(glam::Vec3::new(0.0, -0.1, 0.0)),
    });
    let fork = Skeleton::new(bones.collect()).expect("parents first");
    let mut document = Document::with_solver(SolverKind::DynamicBone);
    let mut joints: Vec<Joint> = [0, 1, 2].map(|i| Joint::new(BoneId(i))).to_vec();
    joints[1].overrides.insert(dynamic_bone::RADIUS, 0.25);
    let table = SolverKind::DynamicBone.info().params;
    document.chains.insert(ChainId(1), Chain::new("Fork", ChainPart::Other, table, joints));
    let options = ExportOptions::new(DYNAMIC_BONE_CSV);
    let losses = export(&document, &fork, options).losses;
    assert_eq!(losses, [ExportLoss::UnevenCurve("Fork".to_owned())]);
    let csv = export(&document, &fork, ExportOptions::new(DEFAULT_FORMAT)).losses;
    assert!(csv.is_empty(), "a CSV has a row for each branch: {csv:?}");
}

#[test]
fn different_system_values_in_one_kawaii_physics_json_are_reported() {
    let first = document_with_rope_chain(SolverKind::KawaiiPhysics, kawaii::params::RADIUS, 0.03);
    let text = export_bytes(&first, &rope_skeleton(), FlipAxis::X, KAWAII_JSON);
    let mut json: Value = serde_json::from_slice(&text).expect("JSON");
    let mut second = json["Nodes"][0].clone();
    second["Gravity"]["Z"] = json!(-500.0);
    second["RootBone"] = json!("beside");
    json["Nodes"].as_array_mut().expect("a list").push(second);
    let (file, found) = tables::read_setup(json.to_string().as_bytes(), "k.json").expect("readable");
    let found: Vec<_> = found.iter().map(ToString::to_string).collect();
    assert_eq!(
        found,
        ["k.json#/Nodes/1: the values of the whole node differ from the first node; the first node's values are used"]
    );
    let gravity = |item: &SetupEntry| match item {
        SetupEntry::System(system) => system.values.get("Gravity y").copied(),
        _ => None,
    };
    let all: Vec<JsonNumber> = file.usable_entries(FileSection::Other).filter_map(|(.., item)| gravity(item)).collect();
    assert!(all.iter().all(|value| value.0 == 0.0), "{all:?}");
    assert_eq!(file.trees.len(), 2);
}
