//! Replays recordings in the `bone-golden-1` format: a skeleton, its motion, and the original's result after each
//! frame.
//!
//! Recordings are read, converted to glTF space, replayed through a `World` and compared. The parameter names are in
//! the module of each solver. `YUREMONO_GOLDEN` can name another folder of recordings with the same layout.

use super::support::fields::expect_fields;
use glam::{DVec3, Quat, Vec3};
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use yuremono_sim::math::{Curve, CurveKey, Interpolation, Trs};
use yuremono_sim::rig::{Bone, BoneId, Pose, Skeleton, WorldPose};
use yuremono_sim::{StepInput, SystemSetup, World};

/// The minimum tolerance of a replay in metres and degrees, independent of the recording's sensitivity.
const MIN_POSITION_TOLERANCE: f64 = 1e-4;
const MIN_ROTATION_TOLERANCE_DEG: f64 = 0.05;
/// The tolerance as a multiple of the recording's own sensitivity.
const SENSITIVITY_FACTOR: f64 = 20.0;

/// The fields of the format itself. Fields inside `params`, `colliders` and similar objects belong to the solvers. The
/// replay reads the fields listed here, or they describe the source of the recording.
const FORMAT_FIELDS: &[&str] = &[
    "format",
    "solver",
    "name",
    "description",
    "source",
    "source.what",
    "source.strength",
    "space",
    "skeleton",
    "skeleton[].name",
    "skeleton[].parent",
    "skeleton[].t",
    "skeleton[].r",
    "skeleton[].s",
    "params",
    "colliders",
    "extra",
    "live_changes",
    "live_changes[].frame",
    "live_changes[].field",
    "live_changes[].value",
    "input",
    "input.frames",
    "input.dt",
    "input.channels",
    "input.channels[].node",
    "input.channels[].phase",
    "input.channels[].initial",
    "input.channels[].initial.t",
    "input.channels[].initial.r",
    "input.channels[].t",
    "input.channels[].r",
    "sensitivity",
    "sensitivity.input_rel_perturbation",
    "sensitivity.max_world_pos_dev_m",
    "sensitivity.max_world_rot_dev_deg",
    "sensitivity.max_world_travel_m",
    "output",
    "output.layout",
    "output.frames",
    "output.frames[].t",
    "output.frames[].r",
];

/// The handedness and the unit of a recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RecordingSpace {
    /// Left-handed, +Y up, in metres: X is mirrored.
    Unity,
    /// Left-handed, +Z up, centimetres: Y and Z are swapped.
    Unreal,
}

impl RecordingSpace {
    /// Converts a position or displacement to metres.
    pub(crate) fn vector_to_gltf(self, v: [f32; 3]) -> Vec3 {
        match self {
            Self::Unity => Vec3::new(-v[0], v[1], v[2]),
            Self::Unreal => Vec3::new(v[0], v[2], v[1]) * 0.01,
        }
    }

    /// Converts a rotation in the order x, y, z, w.
    pub(crate) fn rotation_to_gltf(self, q: [f32; 4]) -> Quat {
        match self {
            Self::Unity => Quat::from_xyzw(q[0], -q[1], -q[2], q[3]),
            Self::Unreal => Quat::from_xyzw(-q[0], -q[2], -q[1], q[3]),
        }
    }

    fn scale_to_gltf(self, s: [f32; 3]) -> Vec3 {
        match self {
            Self::Unity => Vec3::from(s),
            Self::Unreal => Vec3::new(s[0], s[2], s[1]),
        }
    }
}

/// The recorded values of one node in one frame. Unchanged values are absent.
#[derive(Clone, Copy, Debug, Default)]
struct ChannelSample {
    translation: Option<Vec3>,
    rotation: Option<Quat>,
}

/// A recording in glTF space.
#[derive(Clone)]
pub(crate) struct Recording {
    /// Name of the file.
    pub(crate) name: String,
    /// The complete recording in its own space.
    pub(crate) json: Value,
    pub(crate) space: RecordingSpace,
    /// The rest pose at solver setup.
    pub(crate) skeleton: Skeleton,
    /// Length of each frame in seconds.
    pub(crate) dt: Vec<f32>,
    /// The animation of each node: `initial`, then one sample per frame.
    channels: Vec<(usize, Vec<ChannelSample>)>,
}

/// The largest deviation of a replay in metres and degrees, and its frame and node.
#[derive(Clone, Debug, Default)]
pub(crate) struct MaxError {
    /// Metres.
    pub(crate) position: f64,
    /// Degrees.
    pub(crate) rotation: f64,
    /// Frame and node of the largest position error.
    pub(crate) frame_and_node: (usize, usize),
}

/// Reads every recording in a folder of the golden data, sorted by name. Panics if the folder has no recording, or if a
/// recording has a field that is neither a format field nor in `own`, the fields that the solver's replay reads.
pub(crate) fn read_recordings(folder: &str, own: impl IntoIterator<Item = impl AsRef<str>>) -> Vec<Recording> {
    let own: Vec<String> = own.into_iter().map(|path| path.as_ref().to_owned()).collect();
    let mut files: Vec<PathBuf> = std::fs::read_dir(recordings_folder(folder))
        .unwrap_or_else(|err| panic!("{}: {err}", recordings_folder(folder).display()))
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| [".json", ".json.gz"].iter().any(|end| path.to_string_lossy().ends_with(end)))
        .collect();
    files.sort();
    assert!(!files.is_empty(), "there is no recording in {}", recordings_folder(folder).display());
    files.iter().map(|path| Recording::read(path, &own)).collect()
}

/// Returns the path of a folder in the golden data.
pub(crate) fn recordings_folder(folder: &str) -> PathBuf {
    std::env::var_os("YUREMONO_GOLDEN")
        .map_or_else(|| crate::support::root().join("tests/golden"), PathBuf::from)
        .join(folder)
}

/// Reads a JSON file that may be gzipped.
pub(crate) fn read_json(path: &Path) -> Value {
    let bytes = std::fs::read(path).expect("a readable recording");
    if path.extension().is_some_and(|end| end == "gz") {
        let mut text = String::new();
        flate2::read::GzDecoder::new(bytes.as_slice()).read_to_string(&mut text).expect("gzipped JSON");
        serde_json::from_str(&text).expect("JSON")
    } else {
        serde_json::from_slice(&bytes).expect("JSON")
    }
}

pub(crate) fn as_list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// Reads `N` numbers of a list, starting at index `at`.
pub(crate) fn numbers_at<const N: usize>(value: &Value, at: usize) -> [f32; N] {
    std::array::from_fn(|i| value[at + i].as_f64().unwrap_or_else(|| panic!("no number in {value}")) as f32)
}

/// Reads a node index: a number, or `{"node": i}`.
pub(crate) fn node_id(value: &Value) -> BoneId {
    let index = value.get("node").unwrap_or(value).as_u64().expect("an index of a node");
    BoneId(index as u32)
}

/// Reads node indices: a list, or `{"nodes": [..]}`.
pub(crate) fn node_ids(value: &Value) -> Vec<BoneId> {
    as_list(value.get("nodes").unwrap_or(value)).iter().map(node_id).collect()
}

/// Reads `{"keys": [[time, value, in, out], ...]}` with Unity's tangents, or `[[time, value], ...]` with linear
/// segments. Returns `None` if there are no keys.
pub(crate) fn curve_from_json(value: &Value) -> Option<Curve> {
    let keys = as_list(value.get("keys").unwrap_or(value));
    let hermite = keys.first()?.as_array()?.len() == 4;
    let key = |k: &Value| {
        let [t, value] = numbers_at::<2>(k, 0);
        let [slope_in, slope_out] = if hermite { numbers_at::<2>(k, 2) } else { [0.0; 2] };
        CurveKey { t, value, slope_in, slope_out }
    };
    let interpolation = if hermite { Interpolation::Hermite } else { Interpolation::Linear };
    Curve::new(keys.iter().map(key).collect(), interpolation)
}

impl Recording {
    fn read(path: &Path, own: &[String]) -> Self {
        let json = read_json(path);
        let name = path.file_name().expect("a file").to_string_lossy().into_owned();
        assert_eq!(json["format"], "bone-golden-1", "{name}");
        expect_fields(&name, &json, FORMAT_FIELDS.iter().copied().chain(own.iter().map(String::as_str)));
        for change in as_list(&json["live_changes"]) {
            let field = format!("params.{}", change["field"].as_str().expect("a field"));
            assert!(own.contains(&field), "{name}: the replay does not read the live change of {field}");
        }
        let unreal = json["space"].as_str().expect("a space").starts_with("unreal");
        let space = if unreal { RecordingSpace::Unreal } else { RecordingSpace::Unity };
        let frames = json["input"]["frames"].as_u64().expect("a count of frames") as usize;
        let dt = match &json["input"]["dt"] {
            Value::Array(all) => all.iter().map(|v| v.as_f64().expect("seconds") as f32).collect(),
            one => vec![one.as_f64().expect("seconds") as f32; frames],
        };
        let channels: Vec<_> =
            as_list(&json["input"]["channels"]).iter().map(|c| channel_from_json(c, frames, space)).collect();
        let mut bones: Vec<Bone> = as_list(&json["skeleton"])
            .iter()
            .map(|bone| Bone {
                name: bone["name"].as_str().expect("a name").to_owned(),
                parent: u32::try_from(bone["parent"].as_i64().expect("a parent")).ok().map(BoneId),
                rest: Trs {
                    translation: space.vector_to_gltf(numbers_at(&bone["t"], 0)),
                    rotation: space.rotation_to_gltf(numbers_at(&bone["r"], 0)),
                    scale: bone.get("s").map_or(Vec3::ONE, |s| space.scale_to_gltf(numbers_at(s, 0))),
                },
            })
            .collect();
        for (node, moves) in &channels {
            moves[0].apply(&mut bones[*node].rest);
        }
        let skeleton = Skeleton::new(bones).expect("parents first");
        Self { name, json, space, skeleton, dt, channels }
    }

    /// Returns the animated pose before `frame` is solved.
    pub(crate) fn pose(&self, frame: usize) -> Pose {
        let mut pose = Pose::rest(&self.skeleton);
        for (node, moves) in &self.channels {
            moves[0].apply(&mut pose.local[*node]);
            moves[frame + 1].apply(&mut pose.local[*node]);
        }
        pose
    }

    /// Returns a parameter. Null means that the recording uses the original's default.
    pub(crate) fn param(&self, name: &str) -> &Value {
        &self.json["params"][name]
    }

    /// Returns a parameter that is a number or a switch.
    pub(crate) fn param_number(&self, name: &str) -> Option<f32> {
        let value = self.param(name);
        value.as_f64().map(|n| n as f32).or_else(|| value.as_bool().map(|b| f32::from(u8::from(b))))
    }

    /// Returns a parameter that is a vector, converted to glTF space and metres.
    pub(crate) fn param_vector(&self, name: &str) -> Option<Vec3> {
        self.param(name).is_array().then(|| self.space.vector_to_gltf(numbers_at(self.param(name), 0)))
    }

    /// Returns the frame, parameter and value of each change during the recording.
    pub(crate) fn live_changes(&self) -> Vec<(usize, &str, &Value)> {
        let change = |c: &'_ Value| c["frame"].as_u64().expect("a frame") as usize;
        as_list(&self.json["live_changes"])
            .iter()
            .map(|c| (change(c), c["field"].as_str().expect("a field"), &c["value"]))
            .collect()
    }

    /// Returns the recorded world pose of every node after a frame.
    fn recorded_world_pose(&self, frame: usize) -> Vec<(DVec3, Quat)> {
        let at = &self.json["output"]["frames"][frame];
        let mut world = WorldPose::default();
        let mut pose = Pose::rest(&self.skeleton);
        // A replay may add nodes to the skeleton that are not recorded.
        let recorded = as_list(&self.json["skeleton"]).len();
        for (i, local) in pose.local.iter_mut().enumerate().take(recorded) {
            local.translation = self.space.vector_to_gltf(numbers_at(&at["t"], 3 * i));
            local.rotation = self.space.rotation_to_gltf(numbers_at(&at["r"], 4 * i));
        }
        world.update(&self.skeleton, &pose);
        world.frames.iter().map(|f| (f.position.as_dvec3(), f.rotation)).collect()
    }

    /// Returns the recording with all live changes up to a frame applied.
    fn with_changes_up_to(&self, frame: usize) -> Self {
        let mut now = self.clone();
        for (_, field, value) in self.live_changes().into_iter().filter(|(at, ..)| *at <= frame) {
            now.json["params"][field] = value.clone();
        }
        now
    }

    /// Builds a system with `make`, steps it through all frames and compares every node in world space. If parameters
    /// change during the recording, `make` runs again. `make` may add nodes to the skeleton, but always the same nodes.
    pub(crate) fn replay(&self, make: impl Fn(&mut Self) -> SystemSetup) -> MaxError {
        let mut recording = self.clone();
        let mut setup = make(&mut recording);
        let mut world = World::build(&recording.skeleton, std::slice::from_ref(&setup));
        let mut worst = MaxError::default();
        for (frame, dt) in recording.dt.iter().enumerate() {
            if recording.live_changes().iter().any(|(at, ..)| *at == frame) {
                let changed = make(&mut self.with_changes_up_to(frame));
                let topology = |setup: &SystemSetup| -> Vec<_> {
                    setup.joints.iter().map(|joint| (joint.bone, joint.tip.clone(), joint.colliders.clone())).collect()
                };
                assert_eq!(topology(&changed), topology(&setup), "{}: only numbers can change live", self.name);
                setup = changed;
                world.bake(std::slice::from_ref(&setup));
            }
            world.step(&StepInput { pose: &recording.pose(frame), grab: None, dt: *dt });
            for (node, (place, turn)) in recording.recorded_world_pose(frame).into_iter().enumerate() {
                let found = world.frames().frames[node];
                let off = found.position.as_dvec3().distance(place);
                // NaN counts as the largest error.
                if off > worst.position || off.is_nan() {
                    (worst.position, worst.frame_and_node) = (off, (frame, node));
                }
                let turned = degrees_between(found.rotation, turn);
                worst.rotation = if turned <= worst.rotation { worst.rotation } else { turned };
            }
        }
        worst
    }

    /// Returns the tolerance of a replay in metres and degrees.
    pub(crate) fn tolerance(&self) -> (f64, f64) {
        let sensitive = |name: &str| SENSITIVITY_FACTOR * self.json["sensitivity"][name].as_f64().unwrap_or(0.0);
        (
            MIN_POSITION_TOLERANCE.max(sensitive("max_world_pos_dev_m")),
            MIN_ROTATION_TOLERANCE_DEG.max(sensitive("max_world_rot_dev_deg")),
        )
    }
}

impl ChannelSample {
    fn apply(self, local: &mut Trs) {
        local.translation = self.translation.unwrap_or(local.translation);
        local.rotation = self.rotation.unwrap_or(local.rotation);
    }
}

/// Returns the angle between two rotations. An arc cosine would lose half the digits.
fn degrees_between(a: Quat, b: Quat) -> f64 {
    let off = a.as_dquat() * b.as_dquat().inverse();
    2.0 * libm::atan2(off.xyz().length(), off.w.abs()).to_degrees()
}

fn channel_from_json(json: &Value, frames: usize, space: RecordingSpace) -> (usize, Vec<ChannelSample>) {
    let of = |t: &Value, r: &Value| ChannelSample {
        translation: t.is_array().then(|| space.vector_to_gltf(numbers_at(t, 0))),
        rotation: r.is_array().then(|| space.rotation_to_gltf(numbers_at(r, 0))),
    };
    // Both phases run before the step. The original restores only descendants of moved bones between the two phases.
    let phase = json["phase"].as_str().expect("a phase");
    assert!(["motion", "animation"].contains(&phase), "a channel of phase {phase}");
    let initial = of(&json["initial"]["t"], &json["initial"]["r"]);
    let every = (0..frames).map(|f| of(&json["t"][f], &json["r"][f]));
    (node_id(&json["node"]).index(), std::iter::once(initial).chain(every).collect())
}

/// Prints the largest error of every replay. Fails if an error exceeds its tolerance.
#[track_caller]
#[expect(clippy::print_stdout, reason = "the worst errors help when a solver changes")]
pub(crate) fn check_replays(folder: &str, replays: &BTreeMap<String, (MaxError, (f64, f64))>) {
    let mut bad = Vec::new();
    for (name, (worst, (position, rotation))) in replays {
        println!(
            "{name}: {:.2e} m of {position:.1e}, {:.4} of {rotation:.4} degrees, worst at frame {} node {}",
            worst.position, worst.rotation, worst.frame_and_node.0, worst.frame_and_node.1
        );
        if !(worst.position <= *position && worst.rotation <= *rotation) {
            bad.push(name.as_str());
        }
    }
    println!("{folder}: {} of {} recordings met", replays.len() - bad.len(), replays.len());
    assert!(bad.is_empty(), "{folder}: {}", bad.join(", "));
}
