//! FBX files in the text form, written here with known numbers: units, axes, pivots, skins, shapes, takes, images, and
//! the `.meta` of Unity.

use crate::support::{
    self,
    fbx::{Fbx, vector},
};
use glam::{Quat, Vec3};
use std::path::{Path, PathBuf};
use yuremono_format::open::{self, OpenedCharacter};
use yuremono_sim::diagnostics::Severity;
use yuremono_sim::rig::skinning::{SkinMatrices, posed_positions};
use yuremono_sim::rig::{AlphaMode, Pose, WorldPose};

fn open_in(fbx: &Fbx, folder: &Path) -> OpenedCharacter {
    let path = folder.join("girl.fbx");
    std::fs::write(&path, fbx.text()).expect("written");
    open::character(&path, &|_| true).unwrap_or_else(|found| panic!("{found:?}"))
}

fn open(fbx: &Fbx) -> OpenedCharacter {
    open_in(fbx, tempfile::tempdir().expect("a folder").path())
}

/// The world positions of the bones with these names.
fn heads<const N: usize>(opened: &OpenedCharacter, names: [&str; N]) -> [Vec3; N] {
    let skeleton = &opened.character.skeleton;
    let world = WorldPose::from_pose(skeleton, &Pose::rest(skeleton));
    names.map(|name| world.frame(skeleton.find(name).unwrap_or_else(|| panic!("no bone {name}"))).position)
}

/// The corners of the triangle in a pose.
fn corners(opened: &OpenedCharacter, pose: &Pose) -> Vec<Vec3> {
    let character = &opened.character;
    let world = WorldPose::from_pose(&character.skeleton, pose);
    let skins = SkinMatrices::of(&character.skins, &world);
    let mesh = &character.meshes[0];
    posed_positions(character, mesh, &mesh.primitives[0], &skins, &world)
}

#[track_caller]
fn assert_near(found: &[Vec3], expected: &[Vec3]) {
    let is_near = |(found, expected): (&Vec3, &Vec3)| found.distance(*expected) < 1e-5;
    assert!(found.len() == expected.len() && found.iter().zip(expected).all(is_near), "{found:?} is not {expected:?}");
}

const HEADS: [Vec3; 3] = [Vec3::new(0.0, 1.0, 0.0), Vec3::new(0.0, 1.2, 0.1), Vec3::new(0.0, 1.2, 0.15)];
const CORNERS: [Vec3; 3] = [Vec3::new(0.0, 1.0, 0.0), Vec3::new(0.1, 1.0, 0.0), Vec3::new(0.0, 1.2, 0.2)];
const NAMES: [&str; 3] = ["Hips", "Hair", "Hair_end"];

fn messages(opened: &OpenedCharacter) -> Vec<String> {
    opened.diagnostics.iter().map(ToString::to_string).collect()
}

#[test]
fn a_file_in_centimetres_is_a_character_in_metres() {
    let opened = open(&Fbx::default());
    let character = &opened.character;
    assert_near(&heads(&opened, NAMES), &HEADS);
    assert_near(&corners(&opened, &Pose::rest(&character.skeleton)), &CORNERS);
    assert_eq!((character.format_name.as_str(), character.name.as_str()), ("FBX 7.4", "girl.fbx"));
    let primitive = &character.meshes[0].primitives[0];
    assert_eq!(primitive.uvs[0].to_array(), [0.0, 0.75], "V counts from the top edge");
    let material = &character.materials[primitive.material];
    assert_eq!((material.name.as_str(), material.base_color), ("Skin", [0.5, 0.25, 0.125, 0.5]));
    assert_eq!((material.alpha, material.double_sided), (AlphaMode::Blend, true));
    assert_eq!(messages(&opened), [""; 0]);
}

#[test]
fn the_third_corner_follows_the_hair() {
    let opened = open(&Fbx::default());
    let skeleton = &opened.character.skeleton;
    let mut pose = Pose::rest(skeleton);
    pose.local[skeleton.find("Hair").expect("hair").index()].rotation = Quat::from_rotation_x(90_f32.to_radians());
    // The corner is 10 cm in front of the hair, and turns below it.
    assert_near(&corners(&opened, &pose), &[CORNERS[0], CORNERS[1], Vec3::new(0.0, 1.1, 0.1)]);
}

#[test]
fn other_units_and_a_z_up_axis_give_their_sizes_and_directions() {
    let metres = Fbx { unit: 100.0, ..Fbx::default() };
    assert_near(&heads(&open(&metres), NAMES), &HEADS.map(|head| head * 100.0));
    let opened = open(&Fbx { unit: 1000.0, ..Fbx::default() });
    assert!(messages(&opened)[0].contains("m tall, as in Unity"), "{:?}", messages(&opened));
    // Up is what the file calls Z, and the front is -Y.
    let upright = |v: Vec3| Vec3::new(v.x, v.z, -v.y);
    let opened = open(&Fbx { up_axis: 2, ..Fbx::default() });
    assert_near(&heads(&opened, NAMES), &HEADS.map(upright));
    assert_near(&corners(&opened, &Pose::rest(&opened.character.skeleton)), &CORNERS.map(upright));
}

#[test]
fn a_bone_stands_at_its_pivot_as_in_unity() {
    // The bone turns around a point 4 cm above its origin.
    let pivot = [0.0, 4.0, 0.0];
    let hair = format!("{}{}", vector("RotationPivot", pivot), vector("ScalingPivot", pivot));
    let opened = open(&Fbx { hair, ..Fbx::default() });
    let skeleton = &opened.character.skeleton;
    let [hips, hair, end] = heads(&opened, NAMES);
    assert_near(&[hips, hair, end], &[HEADS[0], HEADS[1] + Vec3::Y * 0.04, HEADS[2]]);
    assert_near(&corners(&opened, &Pose::rest(skeleton)), &CORNERS);
    let mut pose = Pose::rest(skeleton);
    pose.local[skeleton.find("Hair").expect("hair").index()].rotation = Quat::from_rotation_x(90_f32.to_radians());
    assert_near(&corners(&opened, &pose)[2..], &[Vec3::new(0.0, 1.14, 0.06)]);
}

#[test]
fn the_pose_of_the_nodes_is_the_rest_pose_and_the_bind_pose_is_a_motion() {
    let opened = open(&Fbx { hair_bind: [0.0, 130.0, 10.0], ..Fbx::default() });
    let character = &opened.character;
    assert_near(&heads(&opened, NAMES), &HEADS);
    let clip = character.clips.iter().find(|clip| clip.name == "Bind pose").expect("the bind pose");
    let mut pose = Pose::rest(&character.skeleton);
    // The corner is 10 cm below and 10 cm in front of the bone when bound.
    assert_near(&corners(&opened, &pose)[2..], &[Vec3::new(0.0, 1.1, 0.2)]);
    clip.sample(0.0, &mut pose);
    assert_near(&corners(&opened, &pose), &CORNERS);
    assert!(messages(&opened)[0].contains("1 bone has another pose"), "{:?}", messages(&opened));
}

#[test]
fn a_take_is_named_and_timed_from_its_own_start() {
    let nod = |take: &str| open(&Fbx { take: take.to_owned(), ..Fbx::default() }).character.clips[0].clone();
    let clip = nod("Root|Nod");
    assert_eq!((clip.name.as_str(), clip.duration), ("Nod", 1.0));
    assert_eq!((nod("mixamo.com").name.as_str(), nod("Take 001").name.as_str()), ("girl", "girl"));
    let opened = open(&Fbx::default());
    let skeleton = &opened.character.skeleton;
    for (seconds, degrees) in [(0.0, 0.0), (0.5, 45.0), (1.0, 90.0)] {
        let mut pose = Pose::rest(skeleton);
        clip.sample_clamped(seconds, &mut pose);
        let turned = Quat::from_rotation_x(f32::to_radians(degrees));
        let hips = pose.local[skeleton.find("Hips").expect("hips").index()].rotation;
        assert!(hips.angle_between(turned) < 1e-3, "{seconds} s: {hips}");
    }
}

/// The rotation of the hips around X in a take, in degrees.
fn hips_degrees(opened: &OpenedCharacter, seconds: f32) -> f32 {
    let skeleton = &opened.character.skeleton;
    let mut pose = Pose::rest(skeleton);
    opened.character.clips[0].sample_clamped(seconds, &mut pose);
    let forward = pose.local[skeleton.find("Hips").expect("hips").index()].rotation * Vec3::Y;
    libm::atan2f(forward.z, forward.y).to_degrees()
}

#[test]
fn a_take_is_cut_to_its_range() {
    // The hips turn by 22.5° a second from 0 to 4 s, and the take is a part of it.
    for range in [[2.0, 3.0], [1.5, 3.5], [-1.0, 1.0], [0.0, 6.0]] {
        let opened = open(&Fbx { range, keys: [0.0, 4.0], ..Fbx::default() });
        assert_eq!(opened.character.clips[0].duration, (range[1] - range[0]) as f32, "{range:?}");
        for seconds in [0.0, 0.5, 1.0] {
            let expected = 22.5 * (range[0] as f32 + seconds).clamp(0.0, 4.0);
            let found = hips_degrees(&opened, seconds);
            assert!((found - expected).abs() < 0.05, "{range:?}, {seconds} s: {found} is not {expected}");
        }
    }
    // A range that ends before it starts is not used.
    let opened = open(&Fbx { range: [3.0, -1e9], keys: [1.0, 2.0], ..Fbx::default() });
    assert_eq!(opened.character.clips[0].duration, 1.0);
}

#[test]
fn fast_turns_between_distant_keys_keep_their_direction() {
    let opened = open(&Fbx { range: [0.0, 10.0], keys: [0.0, 10.0], degrees: 3600.0, ..Fbx::default() });
    for seconds in [0.1, 0.2, 5.1] {
        let expected = 360.0 * (seconds % 1.0);
        assert!((hips_degrees(&opened, seconds) - expected).abs() < 0.5, "{seconds} s");
    }
}

#[test]
fn a_geometric_translation_of_a_bone_moves_no_skin() {
    let geometric = vector("GeometricTranslation", [0.0, 0.0, 7.0]);
    let pivot = format!("{}{}", vector("RotationPivot", [0.0, 4.0, 0.0]), vector("ScalingPivot", [0.0, 4.0, 0.0]));
    for (hair, up_axis) in
        [(geometric.clone(), 1), (format!("{geometric}{pivot}"), 1), (format!("{geometric}{pivot}"), 2)]
    {
        let opened = open(&Fbx { hair, up_axis, ..Fbx::default() });
        let upright = |v: Vec3| if up_axis == 1 { v } else { Vec3::new(v.x, v.z, -v.y) };
        assert_near(&corners(&opened, &Pose::rest(&opened.character.skeleton)), &CORNERS.map(upright));
        assert_eq!(messages(&opened), [""; 0]);
    }
}

#[test]
fn shapes_have_their_default_weight() {
    let opened = open(&Fbx { shape_weight: Some(40.0), ..Fbx::default() });
    let mesh = &opened.character.meshes[0];
    assert_eq!(mesh.morph_weights, [0.4]);
    assert_near(&mesh.primitives[0].morphs[0].positions, &[Vec3::Y * 0.5, Vec3::ZERO, Vec3::ZERO]);
}

#[test]
fn more_than_four_weights_are_reduced_and_reported() {
    let opened = open(&Fbx { extra_weights: 5, ..Fbx::default() });
    let weights = opened.character.meshes[0].primitives[0].weights[2];
    assert!((weights.iter().sum::<f32>() - 1.0).abs() < 1e-6 && weights[0] > 0.7, "{weights:?}");
    let found = messages(&opened);
    assert!(
        found.iter().any(|m| m.contains("1 vertex follows more than four bones") && m.contains("13 %")),
        "{found:?}"
    );
}

fn write_image(path: &Path) {
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    image::RgbaImage::from_pixel(2, 2, image::Rgba([10, 200, 30, 255])).save(path).expect("an image");
}

#[test]
fn images_are_found_by_name_in_the_usual_folders() {
    for place in ["hair.png", "girl.fbm/hair.png", "textures/Hair.PNG", "../Textures/HAIR.png", "hair.tga"] {
        for named in ["C:\\\\work\\\\hair.png", "../../elsewhere/hair.psd"] {
            let folder = tempfile::tempdir().expect("a folder");
            let own = folder.path().join("models");
            std::fs::create_dir(&own).expect("a folder");
            write_image(&own.join(place));
            let opened = open_in(&Fbx { image: named.to_owned(), ..Fbx::default() }, &own);
            let material = &opened.character.materials[0];
            assert!(material.base_texture.is_some(), "{place} for {named}: {:?}", messages(&opened));
            assert_eq!(opened.character.images[0].rgba[..4], [10, 200, 30, 255]);
            assert_eq!(material.base_color[..3], [1.0; 3], "the image replaces the colour");
        }
    }
}

#[test]
fn a_missing_image_is_reported_once_and_no_path_of_the_file_is_opened() {
    let folder = tempfile::tempdir().expect("a folder");
    let secret = folder.path().join("secret.png");
    write_image(&secret);
    let own = folder.path().join("models");
    std::fs::create_dir(&own).expect("a folder");
    for path in [secret.to_str().expect("a path"), "../secret.png", "..", "/dev/zero", "https://example.com/a.png"] {
        let opened = open_in(&Fbx { image: path.to_owned(), ..Fbx::default() }, &own);
        assert!(opened.character.images.is_empty(), "{path}");
        let warnings = opened.diagnostics.iter().filter(|found| found.severity == Severity::Warning).count();
        assert_eq!(warnings, 1, "{path}: {:?}", messages(&opened));
    }
}

#[test]
fn the_meta_file_of_unity_gives_size_and_roles() {
    let folder = tempfile::tempdir().expect("a folder");
    let meta = "fileFormatVersion: 2\nModelImporter:\n  meshes:\n    globalScale: 2\n    useFileScale: 1\n  \
                humanDescription:\n    human:\n    - boneName: Hair\n      humanName: Head\n    - boneName: Hips\n      \
                humanName: Hips\n";
    std::fs::write(folder.path().join("girl.fbx.meta"), meta).expect("written");
    let opened = open_in(&Fbx::default(), folder.path());
    assert_near(&heads(&opened, NAMES), &HEADS.map(|head| head * 2.0));
    let (skeleton, humanoid) = (&opened.character.skeleton, &opened.character.humanoid);
    assert_eq!((humanoid.bone("head"), humanoid.bone("hips")), (skeleton.find("Hair"), skeleton.find("Hips")));
    assert!(messages(&opened)[0].contains("scales it by 2"), "{:?}", messages(&opened));
    std::fs::write(folder.path().join("girl.fbx.meta"), "{").expect("written");
    let opened = open_in(&Fbx::default(), folder.path());
    assert_near(&heads(&opened, NAMES), &HEADS);
    assert!(messages(&opened)[0].contains("girl.fbx.meta"), "{:?}", messages(&opened));
}

#[test]
fn a_file_that_is_cut_gives_a_message_with_its_name() {
    let folder = tempfile::tempdir().expect("a folder");
    let path: PathBuf = folder.path().join("cut.fbx");
    let text = Fbx { shape_weight: Some(1.0), ..Fbx::default() }.text();
    let mut refused = 0;
    for part in 0..40 {
        std::fs::write(&path, &text[..text.len() * part / 40]).expect("written");
        match open::character(&path, &|_| true) {
            Ok(opened) => assert!(opened.character.skeleton.bones().iter().all(|bone| bone.rest.is_finite())),
            Err(found) => {
                assert!(found[0].severity == Severity::Error && found[0].to_string().contains("cut.fbx"));
                refused += 1;
            }
        }
    }
    assert!(refused > 20, "{refused}");
}

#[test]
fn a_damaged_file_gives_a_message_or_a_sound_character() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("damaged.fbx");
    let text = Fbx { shape_weight: Some(1.0), ..Fbx::default() }.text();
    let total = support::cases(10_000);
    let mut opened = 0;
    for seed in 0..u64::from(total) {
        std::fs::write(&path, support::mutated(text.as_bytes(), seed)).expect("written");
        match open::character(&path, &|_| true) {
            Ok(character) => {
                let bones = character.character.skeleton.bones();
                assert!(bones.iter().all(|bone| bone.rest.is_finite()), "seed {seed}");
                opened += 1;
            }
            Err(found) => assert!(found.iter().any(|entry| entry.severity == Severity::Error), "seed {seed}"),
        }
    }
    assert!(0 < opened && opened < total, "{opened} of {total} files opened");
}

#[test]
fn numbers_that_are_not_finite_never_reach_the_character() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("nan.fbx");
    let text = Fbx { shape_weight: Some(1.0), ..Fbx::default() }.text();
    for (from, to) in [
        ("0,20,10", "0,1e400,10"),
        ("a: 0,100,0,10", "a: nan,100,0,10"),
        ("a: 0,90", "a: 0,inf"),
        ("a: 1,1\n", "a: 1,nan\n"),
        ("120,10,1", "1e400,10,1"),
        ("a: 0,50,0", "a: 0,nan,0"),
    ] {
        assert!(text.contains(from), "{from}");
        std::fs::write(&path, text.replace(from, to)).expect("written");
        let Ok(opened) = open::character(&path, &|_| true) else { continue };
        let character = &opened.character;
        let mut pose = Pose::rest(&character.skeleton);
        for clip in &character.clips {
            clip.sample(0.5, &mut pose);
            assert!(pose.local.iter().all(|local| local.is_finite()), "{to}");
        }
        let skinned = if character.meshes.is_empty() { Vec::new() } else { corners(&opened, &pose) };
        assert!(skinned.iter().all(|corner| corner.is_finite()), "{to}: {skinned:?}");
    }
}
