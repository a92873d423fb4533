//! Compares the loader with the `gltf` crate on valid files.
//!
//! The bundled sample is always compared. Real files are compared if `YUREMONO_SAMPLES` names their folder.

use super::{read_path, support};
use base64::Engine as _;
use glam::{Mat4, Quat, Vec3};
use gltf::animation::util::ReadOutputs;
use gltf::mesh::{Mode, Reader};
use gltf::{Animation, Document, Gltf};
use std::path::Path;
use yuremono_format::gltf::LoadedCharacter;
use yuremono_sim::rig::{ChannelInterpolation, ChannelValues, Clip, Primitive};

#[test]
fn the_sample_reads_the_same_with_the_gltf_crate() {
    let path = support::root().join("assets/sample.vrm");
    assert!(cross_check(&path) > 1000, "the sample has a mesh");
}

#[test]
fn real_files_read_the_same_with_the_gltf_crate() {
    let Some(folder) = support::folder_or_skip("YUREMONO_SAMPLES") else { return };
    for path in support::files_below(&folder, &["gltf", "glb", "vrm", "vrma"]) {
        println!("{}: {} corners agree", path.display(), cross_check(&path));
    }
}

/// Compares one file. Returns the number of compared triangle corners.
fn cross_check(path: &Path) -> usize {
    let ours = read_path(path).unwrap_or_else(|reported| panic!("{}: {}", path.display(), reported[0]));
    let bytes = std::fs::read(path).expect("it was read before");
    let mut theirs = Gltf::from_slice_without_validation(&bytes).expect("glTF");
    let blob = theirs.blob.take();
    let buffers: Vec<_> = theirs.buffers().map(|buffer| buffer_contents(path, &buffer, blob.as_deref())).collect();
    check_bones(&ours, &theirs);
    check_skins(&ours, &theirs, &buffers);
    check_clips(&ours, &theirs, &buffers);
    check_meshes(&ours, &theirs, &buffers)
}

fn buffer_contents(path: &Path, buffer: &gltf::Buffer<'_>, blob: Option<&[u8]>) -> Vec<u8> {
    match buffer.source() {
        gltf::buffer::Source::Bin => blob.expect("a binary chunk").to_vec(),
        gltf::buffer::Source::Uri(uri) => match uri.split_once(";base64,") {
            Some((_, data)) => base64::engine::general_purpose::STANDARD.decode(data).expect("base64"),
            None => std::fs::read(path.with_file_name(uri)).expect("a neighbour"),
        },
    }
}

fn check_bones(ours: &LoadedCharacter, theirs: &Document) {
    let bones = ours.character.skeleton.bones();
    assert_eq!(bones.len(), theirs.nodes().len());
    for (bone, node) in bones.iter().zip(&ours.node_of_bone) {
        let node = theirs.nodes().nth(*node).expect("a node");
        if let Some(name) = node.name().filter(|name| !name.is_empty()) {
            assert_eq!(bone.name, name);
        }
        let rest = bone.rest;
        let found = Mat4::from_scale_rotation_translation(rest.scale, rest.rotation, rest.translation);
        let expected = Mat4::from_cols_array_2d(&node.transform().matrix());
        assert!(
            found.abs_diff_eq(expected, 1e-5 * largest_component(&expected)),
            "{}: {found} and {expected}",
            bone.name
        );
        let parent = bone.parent.map(|parent| ours.node_of_bone[parent.index()]);
        let holds = |other: &gltf::Node<'_>| other.children().any(|child| child.index() == node.index());
        assert_eq!(parent, theirs.nodes().find(holds).map(|other| other.index()), "{}", bone.name);
    }
}

fn largest_component(matrix: &Mat4) -> f32 {
    matrix.to_cols_array().iter().fold(1.0, |most: f32, x| most.max(x.abs()))
}

fn check_skins(ours: &LoadedCharacter, theirs: &Document, buffers: &[Vec<u8>]) {
    assert_eq!(ours.character.skins.len(), theirs.skins().len());
    for (skin, other) in ours.character.skins.iter().zip(theirs.skins()) {
        let joints: Vec<_> = skin.joints.iter().map(|bone| ours.node_of_bone[bone.index()]).collect();
        assert_eq!(joints, other.joints().map(|node| node.index()).collect::<Vec<_>>());
        if let Some(matrices) = other.reader(|buffer| Some(&buffers[buffer.index()])).read_inverse_bind_matrices() {
            let matrices: Vec<_> = matrices.map(|m| Mat4::from_cols_array_2d(&m)).collect();
            assert_eq!(skin.inverse_binds, matrices[..joints.len()]);
        }
    }
}

fn check_meshes(ours: &LoadedCharacter, theirs: &Document, buffers: &[Vec<u8>]) -> usize {
    let mut corners = 0;
    for mesh in &ours.character.meshes {
        let node = theirs.nodes().nth(ours.node_of_bone[mesh.bone.index()]).expect("a node");
        assert_eq!(mesh.skin, node.skin().map(|skin| skin.index()), "{}", mesh.name);
        let other = node.mesh().expect("a mesh");
        assert_eq!(mesh.primitives.len(), other.primitives().len(), "{}", mesh.name);
        for (part, other) in mesh.primitives.iter().zip(other.primitives()) {
            assert_eq!(other.mode(), Mode::Triangles, "{}", mesh.name);
            if let Some(material) = other.material().index() {
                assert_eq!(part.material, material);
            }
            let reader = other.reader(|buffer| Some(&*buffers[buffer.index()]));
            corners += check_corners(part, &reader, mesh.skin.is_some());
        }
    }
    corners
}

/// Compares corner by corner, because the loader removes vertices that no triangle uses.
fn check_corners<'a, 's, F>(part: &Primitive, other: &Reader<'a, 's, F>, skinned: bool) -> usize
where
    F: Clone + Fn(gltf::Buffer<'a>) -> Option<&'s [u8]>,
{
    let positions: Vec<_> = other.read_positions().expect("positions").map(Vec3::from_array).collect();
    let indices =
        other.read_indices().map_or((0..positions.len() as u32).collect(), |i| i.into_u32().collect::<Vec<_>>());
    assert_eq!(part.indices.len(), indices.len());
    let corners = || part.indices.iter().zip(&indices).map(|(a, b)| (*a as usize, *b as usize));
    for (a, b) in corners() {
        assert_eq!(part.positions[a], positions[b]);
    }
    if let Some(normals) = other.read_normals() {
        let normals: Vec<_> = normals.map(Vec3::from_array).collect();
        for (a, b) in corners().filter(|(_, b)| normals[*b].length() > 1e-6) {
            assert!(part.normals[a].abs_diff_eq(normals[b].normalize(), 1e-5));
        }
    }
    if let Some(uvs) = other.read_tex_coords(0) {
        let uvs: Vec<_> = uvs.into_f32().collect();
        assert!(corners().all(|(a, b)| part.uvs[a].to_array() == uvs[b]));
    }
    for (morph, (offsets, ..)) in part.morphs.iter().zip(other.read_morph_targets()) {
        let offsets: Vec<_> = offsets.map_or(Vec::new(), |o| o.map(Vec3::from_array).collect());
        let offset = |list: &[Vec3], at: usize| list.get(at).copied().unwrap_or(Vec3::ZERO);
        assert!(corners().all(|(a, b)| offset(&morph.positions, a) == offset(&offsets, b)));
    }
    if let (true, Some(joints), Some(weights)) = (skinned, other.read_joints(0), other.read_weights(0)) {
        assert!(other.read_joints(1).is_none(), "the known files have one set of joints");
        let (joints, weights): (Vec<_>, Vec<_>) = (joints.into_u16().collect(), weights.into_f32().collect());
        for (a, b) in corners() {
            check_weights((part.joints[a], part.weights[a]), (joints[b], weights[b]));
        }
    }
    indices.len()
}

/// Checks that every joint has the same weight, in any order of the joints.
fn check_weights(ours: ([u16; 4], [f32; 4]), theirs: ([u16; 4], [f32; 4])) {
    let pull = |(joints, weights): ([u16; 4], [f32; 4]), joint: u16| -> f32 {
        joints.iter().zip(weights).filter(|(j, _)| **j == joint).map(|(_, w)| w).sum()
    };
    let sum: f32 = theirs.1.iter().sum();
    for joint in ours.0.into_iter().chain(theirs.0).filter(|_| sum > 0.0) {
        let (found, expected) = (pull(ours, joint), pull(theirs, joint) / sum);
        assert!((found - expected).abs() < 1e-5, "joint {joint}: {ours:?} and {theirs:?}");
    }
}

fn check_clips(ours: &LoadedCharacter, theirs: &Document, buffers: &[Vec<u8>]) {
    let moving = |clip: &Animation<'_>| bone_channels(clip).next().is_some();
    let theirs: Vec<_> = theirs.animations().filter(moving).collect();
    assert_eq!(ours.character.clips.len(), theirs.len());
    for (clip, other) in ours.character.clips.iter().zip(&theirs) {
        check_clip(ours, clip, other, buffers);
    }
}

fn bone_channels<'a>(clip: &Animation<'a>) -> impl Iterator<Item = gltf::animation::Channel<'a>> {
    clip.channels().filter(|channel| channel.target().property() != gltf::animation::Property::MorphTargetWeights)
}

fn check_clip(ours: &LoadedCharacter, clip: &Clip, other: &Animation<'_>, buffers: &[Vec<u8>]) {
    assert_eq!(clip.channels.len(), bone_channels(other).count());
    for (channel, other) in clip.channels.iter().zip(bone_channels(other)) {
        assert_eq!(ours.node_of_bone[channel.bone.index()], other.target().node().index());
        let reader = other.reader(|buffer| Some(&buffers[buffer.index()]));
        assert_eq!(channel.times, reader.read_inputs().expect("times").collect::<Vec<_>>());
        match (&channel.values, reader.read_outputs().expect("values")) {
            (ChannelValues::Translation(found), ReadOutputs::Translations(expected))
            | (ChannelValues::Scale(found), ReadOutputs::Scales(expected)) => {
                assert_eq!(*found, expected.map(Vec3::from_array).collect::<Vec<_>>());
            }
            (ChannelValues::Rotation(found), ReadOutputs::Rotations(expected)) => {
                let expected: Vec<_> = expected.into_f32().map(Quat::from_array).collect();
                assert_eq!(found.len(), expected.len());
                for (key, (found, expected)) in found.iter().zip(expected).enumerate() {
                    // Spline tangents are not rotations and must not be normalized.
                    let tangent = channel.interpolation == ChannelInterpolation::CubicSpline && key % 3 != 1;
                    let expected = if tangent { expected } else { expected.normalize() };
                    assert!(found.abs_diff_eq(expected, 1e-6), "{found} and {expected}");
                }
            }
            (found, _) => panic!("{found:?} of another kind"),
        }
    }
}
