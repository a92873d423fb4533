//! Characters, skins and takes of FBX files against the data of the program that wrote them. The folder that
//! `YUREMONO_FBX` names has pairs of a `.fbx` and a `.json` with its truth in glTF's space.

use crate::support;
use glam::{Mat3, Quat, Vec3};
use serde_json::Value;
use std::path::{Path, PathBuf};
use yuremono_format::open;
use yuremono_sim::diagnostics::Severity;
use yuremono_sim::rig::skinning::{SkinMatrices, posed_positions};
use yuremono_sim::rig::{BoneId, Character, Clip, Pose, RoleSource, WorldPose};

/// Largest error of a bone or a vertex in the rest pose, in metres.
const REST_TOLERANCE: f32 = 1e-4;
/// Largest error of a vertex or a moving bone, in metres.
const MOTION_TOLERANCE: f32 = 2e-4;

/// A character and its truth.
struct Truth {
    file: String,
    json: Value,
    character: Character,
    /// By how much the file is larger than the truth.
    scale: f32,
    /// Whether the file is mirrored.
    mirrored: bool,
}

fn vec3(value: &Value) -> Vec3 {
    let at = |i: usize| value[i].as_f64().unwrap_or_else(|| panic!("a number in {value}")) as f32;
    Vec3::new(at(0), at(1), at(2))
}

impl Truth {
    fn read(json: &Path) -> Self {
        let fbx = json.with_extension("fbx");
        let file = open::file_name(&fbx);
        let json: Value = serde_json::from_slice(&std::fs::read(json).expect("readable")).expect("JSON");
        let opened = open::character(&fbx, &|_| true).unwrap_or_else(|why| panic!("{file}: {why:?}"));
        let scale = json["expect_scale"].as_f64().unwrap_or(1.0) as f32;
        let mirrored = json["expect_mirror_x"].as_bool() == Some(true);
        Self { file, json, character: (*opened.character).clone(), scale, mirrored }
    }

    /// A point of the truth in the space of the file.
    fn point(&self, value: &Value) -> Vec3 {
        let point = vec3(value) * self.scale;
        if self.mirrored { point * Vec3::new(-1.0, 1.0, 1.0) } else { point }
    }

    /// The bones in the file with a name of the truth. Several bones can have one name.
    fn bones(&self, name: &str) -> Vec<BoneId> {
        let name = self.json["renamed"][name].as_str().unwrap_or(name);
        let found = self.character.skeleton.find_all(name).to_vec();
        assert!(!found.is_empty() || name.is_empty(), "{}: no bone {name:?}", self.file);
        found
    }

    /// Returns the largest distance of the bones from their heads.
    fn head_error<'a>(&self, world: &WorldPose, heads: impl Iterator<Item = (&'a str, &'a Value)>) -> f32 {
        let mut worst = 0.0_f32;
        for (name, head) in heads {
            let head = self.point(head);
            let distance = |bone: &BoneId| world.frame(*bone).position.distance(head);
            // Of several bones with the name, one has to be there.
            if let Some(nearest) = self.bones(name).iter().map(distance).reduce(f32::min) {
                worst = worst.max(nearest / self.scale);
            }
        }
        worst
    }

    /// Returns the largest distance of the points from the nearest vertex of their mesh.
    fn vertex_error<'a>(&self, world: &WorldPose, points: impl Iterator<Item = &'a Value>) -> f32 {
        let skins = SkinMatrices::of(&self.character.skins, world);
        let all: Vec<Vec3> = self
            .character
            .meshes
            .iter()
            .flat_map(|mesh| mesh.primitives.iter().map(move |primitive| (mesh, primitive)))
            .flat_map(|(mesh, primitive)| posed_positions(&self.character, mesh, primitive, &skins, world))
            .collect();
        let nearest = |point: Vec3| all.iter().map(|vertex| vertex.distance(point)).fold(f32::MAX, f32::min);
        points.map(|point| nearest(self.point(point)) / self.scale).fold(0.0, f32::max)
    }

    fn world(&self, sample: impl FnOnce(&mut Pose)) -> WorldPose {
        let mut pose = Pose::rest(&self.character.skeleton);
        sample(&mut pose);
        WorldPose::from_pose(&self.character.skeleton, &pose)
    }

    fn clip(&self, take: &str) -> Option<&Clip> {
        let name = take.split('|').nth(1).unwrap_or(take);
        self.character.clips.iter().find(|clip| clip.name == name)
    }

    fn check_rest(&self) {
        let bones = self.json["bones"].as_array().expect("bones");
        let heads = || bones.iter().map(|bone| (bone["name"].as_str().expect("a name"), &bone["head"]));
        let is_posed = self.json.get("posed").is_some();
        let rest = self.world(|_| ());
        let bound = self.world(|pose| {
            if is_posed {
                self.clip("Bind pose").expect("the bind pose").sample(0.0, pose);
            }
        });
        let (at_rest, at_bind) = match self.json["posed"]["heads"].as_object() {
            Some(posed) => {
                let posed = posed.iter().map(|(name, head)| (name.as_str(), head));
                (self.head_error(&rest, posed), self.head_error(&bound, heads()))
            }
            None => (self.head_error(&rest, heads()), 0.0),
        };
        let vertices = self.json["vertices"].as_array().expect("vertices");
        let skinned = self.vertex_error(&bound, vertices.iter().map(|vertex| &vertex["at"]));
        assert!(at_rest < REST_TOLERANCE && at_bind < REST_TOLERANCE, "{}: {at_rest} {at_bind}", self.file);
        assert!(skinned < MOTION_TOLERANCE, "{}: {skinned}", self.file);
    }

    /// Compares the directions of axes. A mirrored file turns them in its own way.
    fn check_axes(&self) {
        if self.mirrored || self.json.get("posed").is_some() {
            return;
        }
        let rest = self.world(|_| ());
        for bone in self.json["bones"].as_array().expect("bones") {
            let Some(axes) = bone["axes"].as_array() else { continue };
            let numbers: Vec<f32> = axes.iter().map(|n| n.as_f64().expect("a number") as f32).collect();
            let expected = Mat3::from_cols_slice(&numbers);
            for id in self.bones(bone["name"].as_str().expect("a name")).into_iter().take(1) {
                let found = Mat3::from_quat(rest.frame(id).rotation);
                let error = (found - expected).to_cols_array().into_iter().fold(0.0_f32, |most, e| most.max(e.abs()));
                let is_unique = self.json["renamed"].is_null();
                assert!(!is_unique || error < 1e-4, "{}: axes of {}: {error}", self.file, bone["name"]);
            }
        }
    }

    fn check_takes(&self) {
        for take in self.json["takes"].as_array().expect("takes") {
            let name = take["name"].as_str().expect("a name");
            let clip = self.clip(name).unwrap_or_else(|| panic!("{}: no take {name}", self.file));
            let seconds = take["seconds"].as_f64().expect("seconds") as f32;
            assert!((clip.duration - seconds).abs() < 1e-3, "{}: {name} lasts {}", self.file, clip.duration);
            let (mut heads_error, mut vertices_error) = (0.0_f32, 0.0_f32);
            for (at, time) in take["times"].as_array().expect("times").iter().enumerate() {
                let world = self.world(|pose| clip.sample_clamped(time.as_f64().expect("a time") as f32, pose));
                let heads = take["heads"].as_object().expect("heads").iter();
                heads_error =
                    heads_error.max(self.head_error(&world, heads.map(|(name, list)| (name.as_str(), &list[at]))));
                // Weights of shapes are not animated in the viewer.
                let has_shapes = take["shape_weights"][at].as_array().is_some_and(|list| !list.is_empty());
                let is_still = take["shape_weights"][0] == take["shape_weights"][at];
                if (!has_shapes || is_still)
                    && let Some(points) = take["vertices"][at].as_array()
                {
                    vertices_error = vertices_error.max(self.vertex_error(&world, points.iter()));
                }
            }
            assert!(heads_error < MOTION_TOLERANCE, "{}: {name}: {heads_error}", self.file);
            let is_reduced = self.file.contains("eight_weights");
            assert!(is_reduced || vertices_error < MOTION_TOLERANCE, "{}: {name}: {vertices_error}", self.file);
        }
    }
}

/// Returns the numbers of a line of a `.meta` such as `position: {x: 0, y: 0, z: 0.0095}`.
fn flow_numbers(line: &str) -> Vec<f32> {
    let inside = line.split_once('{').and_then(|(_, rest)| rest.split_once('}')).expect("a flow map").0;
    inside.split(',').map(|field| field.split(':').nth(1).expect("a value").trim().parse().expect("a number")).collect()
}

/// Compares all nodes of a file with the record of Unity's import in its `.meta`.
fn check_unity_record(path: &Path) {
    let file = open::file_name(path);
    let opened = open::character(path, &|_| true).expect("a character");
    let (skeleton, humanoid) = (&opened.character.skeleton, &opened.character.humanoid);
    let meta = std::fs::read_to_string(format!("{}.meta", path.display())).expect("a .meta");
    let record = meta.split_once("    skeleton:\n").expect("a skeleton").1;
    // The first node is the clone that Unity makes, and has no parent.
    let starts = record.match_indices("    - name: ").map(|(at, _)| at).skip(1);
    let (mut compared, mut turned) = (0, 0);
    for entry in starts.map(|at| &record[at..]) {
        let mut lines = entry.lines();
        let name = lines.next().and_then(|line| line.strip_prefix("    - name: ")).expect("a name");
        let mut numbers_of = |key: &str| flow_numbers(lines.find(|line| line.contains(key)).expect("a field"));
        let [position, rotation, scale] = ["position:", "rotation:", "scale:"].map(&mut numbers_of);
        // Unity renames the root after the file.
        let Some(bone) = skeleton.find(name) else { continue };
        let rest = skeleton.bone(bone).rest;
        // Unity mirrors X.
        let position = Vec3::new(-position[0], position[1], position[2]);
        let scale = Vec3::from_slice(&scale);
        assert!(rest.translation.distance(position) < 1e-6, "{file}: {name}: {} {position}", rest.translation);
        assert!(
            (rest.scale - scale).abs().max_element() < 5e-6 * scale.max_element().max(1.0),
            "{name}: {}",
            rest.scale
        );
        let rotation = Quat::from_xyzw(rotation[0], -rotation[1], -rotation[2], rotation[3]);
        turned += usize::from(rest.rotation.angle_between(rotation).to_degrees() > 0.05);
        compared += 1;
    }
    // The record has the T-pose of the avatar, for which Unity turned fingers and toes.
    assert!(compared >= 69 && turned * 5 < compared, "{file}: {compared} {turned}");
    assert_eq!(humanoid.source(), RoleSource::File, "{file}");
}

#[test]
fn every_node_has_the_transform_that_unity_recorded() {
    let Some(folder) = support::folder_or_skip("YUREMONO_FBX") else { return };
    let files = std::fs::read_dir(folder.join("unity")).expect("a folder").map(|entry| entry.expect("an entry").path());
    let files: Vec<PathBuf> = files.filter(|path| path.extension().is_some_and(|ending| ending == "fbx")).collect();
    assert!(!files.is_empty());
    for path in &files {
        check_unity_record(path);
    }
}

#[test]
fn damaged_files_give_a_message_or_a_sound_character() {
    let Some(folder) = support::folder_or_skip("YUREMONO_FBX") else { return };
    for entry in std::fs::read_dir(folder.join("hostile")).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = open::file_name(&path);
        if path.extension().is_none_or(|extension| extension != "fbx") {
            continue;
        }
        match open::character(&path, &|_| true) {
            Ok(opened) => {
                let character = &opened.character;
                assert!(character.skeleton.bones().iter().all(|bone| bone.rest.is_finite()), "{name}");
                let mut pose = Pose::rest(&character.skeleton);
                for clip in &character.clips {
                    clip.sample(0.5 * clip.duration, &mut pose);
                    assert!(pose.local.iter().all(|local| local.is_finite()), "{name}: {}", clip.name);
                }
                let positions = character.meshes.iter().flat_map(|mesh| &mesh.primitives).flat_map(|p| &p.positions);
                assert!(positions.into_iter().all(|position| position.is_finite()), "{name}");
            }
            Err(found) => {
                assert!(found.iter().any(|one| one.severity == Severity::Error), "{name}");
            }
        }
    }
}

fn truths() -> Option<Vec<PathBuf>> {
    let folder = support::folder_or_skip("YUREMONO_FBX")?;
    let files = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let mut found: Vec<PathBuf> =
        files.filter(|path| path.extension().is_some_and(|extension| extension == "json")).collect();
    found.sort();
    assert!(!found.is_empty());
    Some(found)
}

#[test]
fn bones_skins_and_takes_are_where_the_exporting_program_had_them() {
    for path in truths().into_iter().flatten() {
        let truth = Truth::read(&path);
        truth.check_rest();
        truth.check_axes();
        truth.check_takes();
    }
}
