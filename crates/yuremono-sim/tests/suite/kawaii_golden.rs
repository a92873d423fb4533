//! Compares KawaiiPhysics with recorded motion. Complete runs in f32 are compared in component space.
//!
//! The component is a separate node, the parent of the recorded skeleton. Unreal uses f64 and centimetres.

use super::bone_golden::{Recording, as_list, curve_from_json, node_id, node_ids, numbers_at, read_recordings};
use glam::{DQuat, Quat, Vec3};
use serde_json::{Value, json};
use std::f32::consts::PI;
use yuremono_sim::math::Trs;
use yuremono_sim::params::{ParamId, ParamSet, find_param};
use yuremono_sim::rig::{Bone, BoneId, Pose, Skeleton, WorldPose};
use yuremono_sim::solver::kawaii::params::{self, PARAMS};
use yuremono_sim::{
    BoneConstraint, ColliderSetup, ColliderShape, Compliance, JointSetup, SolverKind, StepInput, SystemSetup, TipSetup,
    World,
};

/// The tolerances of a replay in metres and degrees, and as a multiple of the recording's own sensitivity.
const MAX_POSITION_ERROR: f64 = 1e-4;
const MAX_ROTATION_ERROR_DEG: f64 = 0.05;
const SENSITIVITY_FACTOR: f64 = 20.0;

/// Parameters with equal values in the recording and in the solver.
const PLAIN_PARAMS: &[&str] = &[
    "TargetFramerate",
    "bUseFixedSubstepping",
    "MaxSubsteps",
    "bUseWorldSpaceGravity",
    "bUseLegacyGravity",
    "TeleportRotationThreshold",
    "BoneConstraintGlobalComplianceType",
    "BoneConstraintIterationCountBeforeCollision",
    "BoneConstraintIterationCountAfterCollision",
];
/// Parameters in centimetres.
const LENGTH_PARAMS: &[&str] = &["DummyBoneLength", "TeleportDistanceThreshold"];
/// Parameters of joints, with curves along the chain.
const JOINT_PARAMS: &[&str] =
    &["Damping", "Stiffness", "WorldDampingLocation", "WorldDampingRotation", "Radius", "LimitAngle"];

/// The other fields that the replay reads.
const READ_FIELDS: &[&str] = &[
    "params.RootBones",
    "params.ExcludeBones",
    "params.curve_interp",
    "params.Gravity",
    "params.SimpleExternalForce",
    "params.SimulationSpace",
    "params.PlanarConstraint",
    "params.SkelCompMoveScale",
    "colliders[].type",
    "colliders[].driving_node",
    "colliders[].offset",
    "colliders[].offset_rot",
    "colliders[].radius",
    "colliders[].radius0",
    "colliders[].radius1",
    "colliders[].length",
    "colliders[].axis",
    "colliders[].half_extent",
    "colliders[].inner",
    "bone_constraints",
    "bone_constraints[].node1",
    "bone_constraints[].node2",
    "bone_constraints[].compliance_override",
    "bone_constraints[].length",
    "input.component_world",
    "input.component_world[].t",
    "input.component_world[].r",
    "input.component_world_before_frame0",
    "input.component_world_before_frame0.t",
    "input.component_world_before_frame0.r",
    "input.component_world_before_frame0.note",
    "input.pose_rotation_channels",
    "input.pose_rotation_channels[].node",
    "input.pose_rotation_channels[].initial",
    "input.pose_rotation_channels[].r",
    "sensitivity.max_pos_dev_cm",
    "sensitivity.max_rot_dev_deg",
    "sensitivity.max_travel_cm",
];

fn all_recordings() -> Vec<Recording> {
    let joint = JOINT_PARAMS.iter().flat_map(|name| [format!("params.{name}"), format!("params.{name}Curve")]);
    let plain = PLAIN_PARAMS.iter().chain(LENGTH_PARAMS).map(|name| format!("params.{name}"));
    let all = read_recordings(
        "kawaii-physics",
        joint.chain(plain).chain(READ_FIELDS.iter().map(|field| (*field).to_owned())),
    );
    for of in &all {
        assert_eq!(of.json["params"]["curve_interp"], "linear", "{}", of.name);
        assert!(of.live_changes().is_empty(), "{}: recordings with live changes are not supported", of.name);
        // Only rotations animate the pose.
        assert!(as_list(&of.json["input"]["channels"]).is_empty(), "{}", of.name);
    }
    all
}

/// A recording as input of the world. Bone indices are shifted by one, because the component is bone 0.
struct KawaiiReplay<'a> {
    of: &'a Recording,
    skeleton: Skeleton,
    setup: SystemSetup,
}

fn bone_id(of: &Value) -> BoneId {
    BoneId(node_id(of).0 + 1)
}

fn param_named(name: &str) -> ParamId {
    find_param(PARAMS, name).unwrap_or_else(|| panic!("no row {name}"))
}

impl<'a> KawaiiReplay<'a> {
    /// Builds the replay with the parameters, colliders and constraints after `alter` has changed them.
    fn new(of: &'a Recording, alter: impl FnOnce(&mut Value)) -> Self {
        let mut json = of.json.clone();
        alter(&mut json);
        let component = Bone { name: "component".to_owned(), parent: None, rest: of.component_at_start(&json) };
        let moved = |bone: &Bone| Bone {
            parent: Some(bone.parent.map_or(BoneId(0), |parent| BoneId(parent.0 + 1))),
            ..bone.clone()
        };
        let bones = std::iter::once(component).chain(of.skeleton.bones().iter().map(moved)).collect();
        let mut skeleton = Skeleton::new(bones).expect("parents first");
        let mut setup = SystemSetup::new(SolverKind::KawaiiPhysics, system_values(of, &json["params"]));
        setup.component = Some(BoneId(0));
        setup.colliders = as_list(&json["colliders"]).iter().map(|c| collider_setup(of, c, &mut skeleton)).collect();
        setup.kawaii.constraints = as_list(&json["bone_constraints"]).iter().map(bone_constraint).collect();
        let all: Vec<u32> = (0..setup.colliders.len() as u32).collect();
        for (chain, root) in node_ids(&json["params"]["RootBones"]).into_iter().enumerate() {
            setup.joints.extend(joint_setups(of, &json["params"], root, chain as u32, &all));
        }
        Self { of, skeleton, setup }
    }

    /// Returns the largest errors over all frames in component space, in metres and degrees.
    fn run(&self) -> (f64, f64) {
        let mut world = World::build(&self.skeleton, std::slice::from_ref(&self.setup));
        // The recorded code is set up with the pose before the first frame, and with the component transform of the
        // first frame.
        let mut initial = Pose::rest(&self.skeleton);
        initial.local[0] = self.skeleton.bone(BoneId(0)).rest;
        for channel in self.channels() {
            let rotation = self.of.space.rotation_to_gltf(numbers_at(&channel["initial"], 0));
            initial.local[bone_id(&channel["node"]).index()].rotation = rotation.normalize();
        }
        world.reset(&initial);
        let mut worst = (0.0_f64, 0.0_f64);
        for (frame, dt) in self.of.dt.iter().enumerate() {
            world.step(&StepInput { pose: &self.pose(frame), grab: None, dt: *dt });
            let out = &self.of.json["output"]["frames"][frame];
            let component = world.frames().frames[0];
            for at in (0..self.of.skeleton.len()).filter(|at| !self.is_excluded(*at)) {
                let found = world.frames().frames[at + 1];
                let place = self.of.space.vector_to_gltf(numbers_at(&out["t"], 3 * at)).as_dvec3();
                let turn = self.of.space.rotation_to_gltf(numbers_at(&out["r"], 4 * at)).as_dquat();
                let off = component.inverse_transform_point(found.position).as_dvec3().distance(place);
                let rotation = component.rotation.as_dquat().inverse() * found.rotation.as_dquat();
                let turned = degrees_between(rotation.normalize(), turn.normalize());
                // NaN counts as the largest error.
                worst.0 = if off <= worst.0 { worst.0 } else { off };
                worst.1 = if turned <= worst.1 { worst.1 } else { turned };
            }
        }
        worst
    }

    /// Whether a node is excluded from its chain. Recordings store excluded nodes in the animated pose.
    fn is_excluded(&self, at: usize) -> bool {
        let excluded = node_ids(&self.of.json["params"]["ExcludeBones"]);
        let at = BoneId(at as u32);
        excluded.iter().any(|bone| *bone == at || self.of.skeleton.is_ancestor(*bone, at))
    }

    /// Returns the rotation channels of nodes.
    fn channels(&self) -> &[Value] {
        as_list(&self.of.json["input"]["pose_rotation_channels"])
    }

    fn pose(&self, frame: usize) -> Pose {
        let mut pose = Pose::rest(&self.skeleton);
        pose.local[0] = self.of.frame(frame);
        for channel in self.channels() {
            let rotation = self.of.space.rotation_to_gltf(numbers_at(&channel["r"][frame], 0));
            pose.local[bone_id(&channel["node"]).index()].rotation = rotation.normalize();
        }
        pose
    }

    fn tolerance(&self) -> (f64, f64) {
        let turn = self.of.json["sensitivity"]["max_rot_dev_deg"].as_f64().expect("a sensitivity");
        (MAX_POSITION_ERROR, MAX_ROTATION_ERROR_DEG.max(SENSITIVITY_FACTOR * turn))
    }

    /// Whether the replay matches the recording.
    fn is_reproduced(&self) -> bool {
        let (position, rotation) = self.run();
        let (far, wide) = self.tolerance();
        position <= far && rotation <= wide
    }
}

trait RecordedComponent {
    fn frame(&self, frame: usize) -> Trs;
    fn component_at_start(&self, json: &Value) -> Trs;
}

impl RecordedComponent for Recording {
    /// Returns the world transform of the component in a frame.
    fn frame(&self, frame: usize) -> Trs {
        transform_from_json(self, &self.json["input"]["component_world"][frame])
    }

    /// Returns the transform of the component when its bones are initialized. In world space, the movement from this
    /// transform to the first frame affects the bones. In other spaces, only later movement affects them.
    fn component_at_start(&self, json: &Value) -> Trs {
        if json["params"]["SimulationSpace"] == "World" {
            transform_from_json(self, &json["input"]["component_world_before_frame0"])
        } else {
            self.frame(0)
        }
    }
}

fn transform_from_json(of: &Recording, at: &Value) -> Trs {
    Trs {
        translation: of.space.vector_to_gltf(numbers_at(&at["t"], 0)),
        rotation: of.space.rotation_to_gltf(numbers_at(&at["r"], 0)).normalize(),
        scale: Vec3::ONE,
    }
}

/// Returns the angle between two rotations. An arc cosine would lose half the digits.
fn degrees_between(a: DQuat, b: DQuat) -> f64 {
    let off = a * b.inverse();
    2.0 * libm::atan2(off.xyz().length(), off.w.abs()).to_degrees()
}

fn param_number(params: &Value, name: &str) -> Option<f32> {
    let value = &params[name];
    value.as_f64().map(|n| n as f32).or_else(|| value.as_bool().map(|b| f32::from(u8::from(b))))
}

fn system_values(of: &Recording, params: &Value) -> ParamSet {
    let mut values = ParamSet::defaults(PARAMS);
    let mut set = |param: ParamId, value: f32| {
        values.set(param, value);
    };
    for name in PLAIN_PARAMS {
        if let Some(value) = param_number(params, name) {
            set(param_named(name), value);
        }
    }
    for name in LENGTH_PARAMS {
        if let Some(value) = param_number(params, name) {
            set(param_named(name), value * 0.01);
        }
    }
    for (rows, name) in [(params::GRAVITY, "Gravity"), (params::SIMPLE_EXTERNAL_FORCE, "SimpleExternalForce")] {
        let vector = of.space.vector_to_gltf(numbers_at(&params[name], 0));
        rows.into_iter().zip(vector.to_array()).for_each(|(param, value)| set(param, value));
    }
    let [x, y, z] = numbers_at(&params["SkelCompMoveScale"], 0);
    params::SKEL_COMP_MOVE_SCALE.into_iter().zip([x, z, y]).for_each(|(param, value)| set(param, value));
    // Unreal's Y axis is Z here, and Unreal's Z axis is Y.
    let plane = [0.0, 1.0, 3.0, 2.0][param_number(params, "PlanarConstraint").expect("a choice") as usize];
    set(params::PLANAR_CONSTRAINT, plane);
    let spaces = ["Component", "World", "BaseBone"];
    let space = spaces.iter().position(|space| params["SimulationSpace"] == *space).expect("a space");
    set(params::SIMULATION_SPACE, space as f32);
    values
}

/// Returns one joint for each bone, starting at `root`. The values of a joint depend on its position along the chain.
fn joint_setups(of: &Recording, params: &Value, root: BoneId, chain: u32, colliders: &[u32]) -> Vec<JointSetup> {
    let skeleton = &of.skeleton;
    let all: Vec<BoneId> = (0..skeleton.len() as u32).map(BoneId).collect();
    let excluded = node_ids(&params["ExcludeBones"]);
    let is_out = |bone: BoneId| excluded.iter().any(|out| *out == bone || skeleton.is_ancestor(*out, bone));
    let is_in = |bone: &BoneId| (*bone == root || skeleton.is_ancestor(root, *bone)) && !is_out(*bone);
    let bones: Vec<BoneId> = all.iter().copied().filter(is_in).collect();
    let dummy = param_number(params, "DummyBoneLength").expect("a length") * 0.01;
    let world = WorldPose::from_pose(skeleton, &Pose::rest(skeleton));
    let mut way = vec![0.0_f32; skeleton.len()];
    for bone in bones.iter().filter(|bone| **bone != root) {
        let parent = skeleton.parent(*bone).expect("below the root");
        way[bone.index()] = way[parent.index()] + world.frame(*bone).position.distance(world.frame(parent).position);
    }
    let whole = way.iter().copied().fold(0.0, f32::max) + dummy;
    let joint = |bone: BoneId| {
        let mut values = ParamSet::defaults(PARAMS);
        for name in JOINT_PARAMS {
            let base = param_number(params, name).expect("a number");
            let rate =
                curve_from_json(&params[format!("{name}Curve")]).map_or(1.0, |c| c.eval(way[bone.index()] / whole));
            let unit = if *name == "Radius" { 0.01 } else { 1.0 };
            values.set(param_named(name), base * rate * unit);
        }
        JointSetup {
            bone: BoneId(bone.0 + 1),
            tip: TipSetup::Bones(
                skeleton.children(bone).iter().filter(|b| !is_out(**b)).map(|b| BoneId(b.0 + 1)).collect(),
            ),
            values,
            tip_values: Vec::new(),
            pivot: None,
            length_targets: Vec::new(),
            colliders: colliders.to_vec(),
            chain,
            enabled: true,
            animated: false,
        }
    };
    bones.into_iter().map(joint).collect()
}

fn bone_constraint(json: &Value) -> BoneConstraint {
    let mut made = BoneConstraint::new([bone_id(&json["node1"]), bone_id(&json["node2"])]);
    let compliance = json["compliance_override"].as_i64().expect("a choice");
    made.compliance = usize::try_from(compliance).ok().map(|at| Compliance::ALL[at]);
    made.length = Some(json["length"].as_f64().expect("centimetres") as f32 * 0.01).filter(|length| *length > 0.0);
    made
}

/// Returns a collider on a separate node. In the original, colliders extend along Z and are centred on their node.
fn collider_setup(of: &Recording, json: &Value, skeleton: &mut Skeleton) -> ColliderSetup {
    let metres = |name: &str| json[name].as_f64().unwrap_or_else(|| panic!("no {name}")) as f32 * 0.01;
    let mut rest = Trs {
        translation: of.space.vector_to_gltf(numbers_at(&json["offset"], 0)),
        rotation: of.space.rotation_to_gltf(numbers_at(&json["offset_rot"], 0)).normalize(),
        scale: Vec3::ONE,
    };
    let axis = json["axis"].as_str().unwrap_or("Z");
    assert!(axis.starts_with('Z'), "{}: a collider along {axis}", of.name);
    let shape = match json["type"].as_str().expect("a type") {
        "sphere" if json["inner"] == true => ColliderShape::Sphere { radius: metres("radius"), inside: true },
        "sphere" => ColliderShape::Sphere { radius: metres("radius"), inside: false },
        "capsule" => {
            rest.translation -= rest.rotation * Vec3::Y * (metres("length") * 0.5);
            ColliderShape::Capsule { radius: metres("radius"), height: metres("length"), inside: false }
        }
        "tapered" => {
            rest.translation -= rest.rotation * Vec3::Y * (metres("length") * 0.5);
            let (radius, tail_radius) = (metres("radius1"), metres("radius0"));
            ColliderShape::TaperedCapsule { radius, tail_radius, height: metres("length"), inside: false }
        }
        "box" => {
            let [x, y, z] = numbers_at(&json["half_extent"], 0).map(|half: f32| half * 0.02);
            ColliderShape::Box { width: x, height: z, depth: y, inside: false }
        }
        "plane" => {
            // In Unreal, a plane faces Z, which is Y in glTF space. A plane of this solver faces Z.
            rest.rotation *= Quat::from_rotation_x(-PI / 2.0);
            ColliderShape::Plane
        }
        other => panic!("a collider {other}"),
    };
    let parent = Some(bone_id(&json["driving_node"]));
    let name = format!("collider {}", skeleton.len());
    ColliderSetup::new(skeleton.push(Bone { name, parent, rest }).expect("its parent precedes it"), shape)
}

#[test]
fn every_recording_is_reproduced() {
    let mut bad = Vec::new();
    let all = all_recordings();
    for of in &all {
        let replay = KawaiiReplay::new(of, |_| {});
        let ((position, rotation), (far, wide)) = (replay.run(), replay.tolerance());
        println!("{}: {position:.2e} m of {far:.1e}, {rotation:.4} of {wide:.4} degrees", of.name);
        if !(position <= far && rotation <= wide) {
            bad.push(of.name.as_str());
        }
    }
    println!("kawaii-physics: {} of {} recordings met", all.len() - bad.len(), all.len());
    assert!(bad.is_empty(), "{}", bad.join(", "));
}

/// Returns a changed value of a parameter.
fn altered_value(value: &Value) -> Value {
    match value {
        Value::Bool(b) => json!(!b),
        // Integers have to change by at least 1 to have an effect.
        Value::Number(n) if n.is_i64() => json!(n.as_f64().expect("a number") * 1.5 + 1.0),
        Value::Number(n) => json!(n.as_f64().expect("a number") * 1.5 + 1e-3),
        Value::Array(all) if all.is_empty() => json!([[0.0, 0.3], [1.0, 0.3]]),
        Value::Array(all) => Value::Array(all.iter().map(altered_value).collect()),
        other => panic!("{other} cannot be altered"),
    }
}

#[test]
fn removing_any_collider_or_constraint_breaks_its_recording() {
    for of in &all_recordings() {
        for list_of in ["colliders", "bone_constraints"] {
            for at in 0..as_list(&of.json[list_of]).len() {
                // The first constraint links two roots, which follow the pose.
                if list_of == "bone_constraints" && at == 0 {
                    continue;
                }
                let without =
                    KawaiiReplay::new(of, |json| _ = json[list_of].as_array_mut().expect("a list").remove(at));
                assert!(!without.is_reproduced(), "{}: {list_of} {at} does nothing", of.name);
            }
        }
    }
}

#[test]
fn changing_any_recorded_param_breaks_some_recording() {
    let all = all_recordings();
    let vectors = ["Gravity", "SimpleExternalForce", "SkelCompMoveScale"];
    // No recording with a radius curve has a collider.
    let curves: Vec<String> =
        JOINT_PARAMS.iter().filter(|name| **name != "Radius").map(|name| format!("{name}Curve")).collect();
    let others = ["DummyBoneLength", "bUseFixedSubstepping", "bUseLegacyGravity"];
    let names = JOINT_PARAMS.iter().chain(&vectors).chain(&others).copied();
    let mut unseen = Vec::new();
    for name in names.chain(curves.iter().map(String::as_str)) {
        let shows = |of: &Recording| {
            let set = &of.json["params"][name];
            let plain = set.as_f64() == Some(0.0) || *set == json!([]) || *set == json!([0, 0, 0]);
            !plain && !KawaiiReplay::new(of, |json| json["params"][name] = altered_value(set)).is_reproduced()
        };
        if !all.iter().any(shows) {
            unseen.push(name);
        }
    }
    assert!(unseen.is_empty(), "never seen: {unseen:?}");
}

#[test]
fn changing_compliance_plane_or_teleport_params_breaks_a_recording() {
    for (name, changed, value) in [
        ("kp_bone_constraints", "BoneConstraintGlobalComplianceType", json!(6)),
        ("kp_bone_constraints", "BoneConstraintIterationCountAfterCollision", json!(0)),
        ("kp_limit_planar", "PlanarConstraint", json!(1)),
        ("kp_substep_88hz", "TargetFramerate", json!(90)),
        ("kp_default_sway", "TeleportRotationThreshold", json!(0.01)),
        ("kp_default_sway", "TeleportDistanceThreshold", json!(0.01)),
        ("kp_default_sway", "SimulationSpace", json!("World")),
    ] {
        let all = all_recordings();
        let of = all.iter().find(|of| of.name.starts_with(name)).expect("a recording");
        assert!(
            !KawaiiReplay::new(of, |json| json["params"][changed] = value).is_reproduced(),
            "{changed} has no effect in {name}"
        );
    }
}
