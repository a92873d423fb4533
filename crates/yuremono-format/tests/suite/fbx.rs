//! FBX files in the text form, written here with known numbers: units, axes, pivots, skins, shapes, takes, images, and
//! the `.meta` of Unity beside the file.

use glam::{Quat, Vec3};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use yuremono_format::open::{self, OpenedCharacter};
use yuremono_sim::diagnostics::Severity;
use yuremono_sim::rig::skinning::{SkinMatrices, posed_positions};
use yuremono_sim::rig::{AlphaMode, Pose, WorldPose};

/// Ticks of FBX in a second.
const SECOND: i64 = 46_186_158_000;

/// An FBX in the making: two bones and a triangle, in centimetres with +Y up.
///
/// `Hips` is at a height of 100, `Hair` 20 above it and 10 in front of it. The first two corners of the triangle follow
/// the hips, the third follows the hair.
#[derive(Clone, Debug)]
struct Fbx {
    /// 1 for +Y up, 2 for +Z up.
    up_axis: u8,
    /// Centimetres for each unit.
    unit: f64,
    /// Properties of `Hair`.
    hair: String,
    /// Where `Hair` is bound, as a translation in the world.
    hair_bind: [f64; 3],
    /// Bones and weights of the last corner, more than in a sound file.
    extra_weights: usize,
    /// Path of the image of the material.
    image: String,
    shape_weight: Option<f64>,
    take: String,
}

impl Default for Fbx {
    fn default() -> Self {
        Self {
            up_axis: 1,
            unit: 1.0,
            hair: String::new(),
            hair_bind: [0.0, 120.0, 10.0],
            extra_weights: 0,
            image: String::new(),
            shape_weight: None,
            take: "Root|Nod".to_owned(),
        }
    }
}

fn list(numbers: impl IntoIterator<Item = f64>) -> String {
    let numbers: Vec<String> = numbers.into_iter().map(|number| number.to_string()).collect();
    format!("*{} {{\na: {}\n}}", numbers.len(), numbers.join(","))
}

fn translation([x, y, z]: [f64; 3]) -> String {
    list([1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, x, y, z, 1.0])
}

fn vector(name: &str, [x, y, z]: [f64; 3]) -> String {
    format!("P: \"{name}\", \"{name}\", \"\", \"A\",{x},{y},{z}\n")
}

impl Fbx {
    fn text(&self) -> String {
        let front = if self.up_axis == 1 { (2, 1) } else { (1, -1) };
        let mut text = format!(
            "; FBX 7.4.0 project file\nFBXHeaderExtension:  {{\nFBXHeaderVersion: 1003\nFBXVersion: 7400\n}}\n\
             GlobalSettings:  {{\nVersion: 1000\nProperties70:  {{\n\
             P: \"UpAxis\", \"int\", \"Integer\", \"\",{}\nP: \"UpAxisSign\", \"int\", \"Integer\", \"\",1\n\
             P: \"FrontAxis\", \"int\", \"Integer\", \"\",{}\nP: \"FrontAxisSign\", \"int\", \"Integer\", \"\",{}\n\
             P: \"CoordAxis\", \"int\", \"Integer\", \"\",0\nP: \"CoordAxisSign\", \"int\", \"Integer\", \"\",1\n\
             P: \"UnitScaleFactor\", \"double\", \"Number\", \"\",{}\nP: \"TimeMode\", \"enum\", \"\", \"\",6\n}}\n}}\n",
            self.up_axis, front.0, front.1, self.unit
        );
        self.write_objects(&mut text);
        self.write_connections(&mut text);
        text
    }

    fn write_objects(&self, text: &mut String) {
        text.push_str("Objects:  {\n");
        let mut model = |id: u32, name: &str, kind: &str, properties: &str| {
            writeln!(
                text,
                "Model: {id}, \"Model::{name}\", \"{kind}\" {{\nVersion: 232\nProperties70:  {{\n{properties}}}\n}}"
            )
            .expect("text");
        };
        model(10, "Hips", "LimbNode", &vector("Lcl Translation", [0.0, 100.0, 0.0]));
        model(11, "Hair", "LimbNode", &format!("{}{}", vector("Lcl Translation", [0.0, 20.0, 10.0]), self.hair));
        model(12, "Hair_end", "Null", &vector("Lcl Translation", [0.0, 0.0, 5.0]));
        model(13, "Body", "Mesh", "");
        (0..self.extra_weights).for_each(|n| model(60 + n as u32, &format!("Extra{n}"), "LimbNode", ""));
        let corners = [0.0, 100.0, 0.0, 10.0, 100.0, 0.0, 0.0, 120.0, 20.0];
        writeln!(
            text,
            "Geometry: 20, \"Geometry::Body\", \"Mesh\" {{\nVertices: {}\nPolygonVertexIndex: *3 {{\na: 0,1,-3\n}}\n\
             LayerElementUV: 0 {{\nVersion: 101\nMappingInformationType: \"ByPolygonVertex\"\n\
             ReferenceInformationType: \"Direct\"\nUV: {}\n}}\n\
             LayerElementMaterial: 0 {{\nMappingInformationType: \"AllSame\"\nReferenceInformationType: \"IndexToDirect\"\n\
             Materials: *1 {{\na: 0\n}}\n}}\n\
             Layer: 0 {{\nLayerElement:  {{\nType: \"LayerElementUV\"\nTypedIndex: 0\n}}\n\
             LayerElement:  {{\nType: \"LayerElementMaterial\"\nTypedIndex: 0\n}}\n}}\n}}",
            list(corners),
            list([0.0, 0.25, 1.0, 0.0, 0.0, 1.0]),
        )
        .expect("text");
        let color = "P: \"DiffuseColor\", \"Color\", \"\", \"A\",0.5,0.25,0.125\nP: \"TransparentColor\", \"Color\", \"\", \"A\",1,1,1\nP: \"TransparencyFactor\", \"Number\", \"\", \"A\",0.5\n";
        writeln!(
            text,
            "Material: 21, \"Material::Skin\", \"\" {{\nVersion: 102\nShadingModel: \"phong\"\nProperties70:  {{\n{color}}}\n}}"
        )
        .expect("text");
        if !self.image.is_empty() {
            writeln!(
                text,
                "Texture: 22, \"Texture::hair\", \"\" {{\nType: \"TextureVideoClip\"\nFileName: \"{0}\"\nRelativeFilename: \"{0}\"\n}}",
                self.image
            )
            .expect("text");
        }
        text.push_str("Deformer: 30, \"Deformer::\", \"Skin\" {\nVersion: 101\n}\n");
        let mut cluster = |id: u32, indices: &str, weights: &[f64], bind: [f64; 3]| {
            let [x, y, z] = bind;
            writeln!(
                text,
                "Deformer: {id}, \"SubDeformer::\", \"Cluster\" {{\nVersion: 100\nIndexes: *{} {{\na: {indices}\n}}\n\
                 Weights: {}\nTransform: {}\nTransformLink: {}\n}}",
                weights.len(),
                list(weights.iter().copied()),
                translation([-x, -y, -z]),
                translation(bind),
            )
            .expect("text");
        };
        cluster(31, "0,1", &[1.0, 1.0], [0.0, 100.0, 0.0]);
        cluster(32, "2", &[1.0], self.hair_bind);
        (0..self.extra_weights).for_each(|n| cluster(70 + n as u32, "2", &[0.1], [0.0, 0.0, 0.0]));
        self.write_shape(text);
        self.write_take(text);
        text.push_str("}\n");
    }

    /// A shape that moves the first corner up by 50.
    fn write_shape(&self, text: &mut String) {
        if let Some(weight) = self.shape_weight {
            writeln!(
                text,
                "Geometry: 33, \"Geometry::Smile\", \"Shape\" {{\nVersion: 100\nIndexes: *1 {{\na: 0\n}}\nVertices: {}\n}}\n\
                 Deformer: 34, \"Deformer::\", \"BlendShape\" {{\nVersion: 100\n}}\n\
                 Deformer: 35, \"SubDeformer::Smile\", \"BlendShapeChannel\" {{\nVersion: 100\nDeformPercent: {weight}\n\
                 FullWeights: *1 {{\na: 100\n}}\n}}",
                list([0.0, 50.0, 0.0]),
            )
            .expect("text");
        }
    }

    /// A take in which the hips turn by 90° around X within a second that starts at 2 s.
    fn write_take(&self, text: &mut String) {
        let (begin, end) = (2 * SECOND, 3 * SECOND);
        let time = |name: &str, time: i64| format!("P: \"{name}\", \"KTime\", \"Time\", \"\",{time}\n");
        writeln!(
            text,
            "AnimationStack: 40, \"AnimStack::{}\", \"\" {{\nProperties70:  {{\n{}{}}}\n}}\n\
             AnimationLayer: 41, \"AnimLayer::Base\", \"\" {{\n}}\n\
             AnimationCurveNode: 42, \"AnimCurveNode::R\", \"\" {{\nProperties70:  {{\n\
             P: \"d|X\", \"Number\", \"\", \"A\",0\nP: \"d|Y\", \"Number\", \"\", \"A\",0\nP: \"d|Z\", \"Number\", \"\", \"A\",0\n}}\n}}\n\
             AnimationCurve: 43, \"AnimCurve::\", \"\" {{\nDefault: 0\nKeyVer: 4008\nKeyTime: *2 {{\na: {begin},{end}\n}}\n\
             KeyValueFloat: *2 {{\na: 0,90\n}}\nKeyAttrFlags: *1 {{\na: 24836\n}}\nKeyAttrDataFloat: *4 {{\na: 0,0,0,0\n}}\n\
             KeyAttrRefCount: *1 {{\na: 2\n}}\n}}",
            self.take,
            time("LocalStart", begin),
            time("LocalStop", end),
        )
        .expect("text");
    }

    fn write_connections(&self, text: &mut String) {
        let mut pairs = vec![(10, 0), (11, 10), (12, 11), (13, 0), (20, 13), (21, 13), (30, 20), (31, 30), (10, 31)];
        pairs.extend([(32, 30), (11, 32), (41, 40), (42, 41)]);
        for n in 0..self.extra_weights as i64 {
            pairs.extend([(60 + n, 10), (70 + n, 30), (60 + n, 70 + n)]);
        }
        if self.shape_weight.is_some() {
            pairs.extend([(34, 20), (35, 34), (33, 35)]);
        }
        text.push_str("Connections:  {\n");
        for (child, parent) in pairs {
            writeln!(text, "C: \"OO\",{child},{parent}").expect("text");
        }
        text.push_str("C: \"OP\",42,10, \"Lcl Rotation\"\nC: \"OP\",43,42, \"d|X\"\n");
        if !self.image.is_empty() {
            text.push_str("C: \"OP\",22,21, \"DiffuseColor\"\n");
        }
        text.push_str("}\n");
    }

    /// Writes the file into a folder, and opens it.
    fn open_in(&self, folder: &Path) -> OpenedCharacter {
        let path = folder.join("girl.fbx");
        std::fs::write(&path, self.text()).expect("written");
        open::character(&path, &|_| true).unwrap_or_else(|found| panic!("{found:?}"))
    }

    fn open(&self) -> OpenedCharacter {
        self.open_in(tempfile::tempdir().expect("a folder").path())
    }
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
    let opened = Fbx::default().open();
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
    let opened = Fbx::default().open();
    let skeleton = &opened.character.skeleton;
    let mut pose = Pose::rest(skeleton);
    pose.local[skeleton.find("Hair").expect("hair").index()].rotation = Quat::from_rotation_x(90_f32.to_radians());
    // The corner is 10 cm in front of the hair, and turns below it.
    assert_near(&corners(&opened, &pose), &[CORNERS[0], CORNERS[1], Vec3::new(0.0, 1.1, 0.1)]);
}

#[test]
fn other_units_and_a_z_up_axis_give_their_sizes_and_directions() {
    let metres = Fbx { unit: 100.0, ..Fbx::default() };
    assert_near(&heads(&metres.open(), NAMES), &HEADS.map(|head| head * 100.0));
    // Up is what the file calls Z, and the front is -Y.
    let upright = |v: Vec3| Vec3::new(v.x, v.z, -v.y);
    let opened = Fbx { up_axis: 2, ..Fbx::default() }.open();
    assert_near(&heads(&opened, NAMES), &HEADS.map(upright));
    assert_near(&corners(&opened, &Pose::rest(&opened.character.skeleton)), &CORNERS.map(upright));
}

#[test]
fn a_bone_stands_at_its_pivot_as_in_unity() {
    // The bone turns around a point 4 cm above its origin.
    let pivot = [0.0, 4.0, 0.0];
    let hair = format!("{}{}", vector("RotationPivot", pivot), vector("ScalingPivot", pivot));
    let opened = Fbx { hair, ..Fbx::default() }.open();
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
    let opened = Fbx { hair_bind: [0.0, 130.0, 10.0], ..Fbx::default() }.open();
    let character = &opened.character;
    assert_near(&heads(&opened, NAMES), &HEADS);
    let clip = character.clips.iter().find(|clip| clip.name == "Bind pose").expect("the bind pose");
    let mut pose = Pose::rest(&character.skeleton);
    // The corner is 10 cm below and 10 cm in front of the bone when bound.
    assert_near(&corners(&opened, &pose)[2..], &[Vec3::new(0.0, 1.1, 0.2)]);
    clip.sample(0.0, &mut pose);
    assert_near(&corners(&opened, &pose), &CORNERS);
    assert!(messages(&opened)[0].contains("1 bones stand in another pose"), "{:?}", messages(&opened));
}

#[test]
fn a_take_is_named_and_timed_from_its_own_start() {
    let nod = |take: &str| Fbx { take: take.to_owned(), ..Fbx::default() }.open().character.clips[0].clone();
    let clip = nod("Root|Nod");
    assert_eq!((clip.name.as_str(), clip.duration), ("Nod", 1.0));
    assert_eq!((nod("mixamo.com").name.as_str(), nod("Take 001").name.as_str()), ("girl", "girl"));
    let opened = Fbx::default().open();
    let skeleton = &opened.character.skeleton;
    for (seconds, degrees) in [(0.0, 0.0), (0.5, 45.0), (1.0, 90.0)] {
        let mut pose = Pose::rest(skeleton);
        clip.sample_clamped(seconds, &mut pose);
        let turned = Quat::from_rotation_x(f32::to_radians(degrees));
        let hips = pose.local[skeleton.find("Hips").expect("hips").index()].rotation;
        assert!(hips.angle_between(turned) < 1e-3, "{seconds} s: {hips}");
    }
}

#[test]
fn shapes_have_their_default_weight() {
    let opened = Fbx { shape_weight: Some(40.0), ..Fbx::default() }.open();
    let mesh = &opened.character.meshes[0];
    assert_eq!(mesh.morph_weights, [0.4]);
    assert_near(&mesh.primitives[0].morphs[0].positions, &[Vec3::Y * 0.5, Vec3::ZERO, Vec3::ZERO]);
}

#[test]
fn more_than_four_weights_are_reduced_and_reported() {
    let opened = Fbx { extra_weights: 5, ..Fbx::default() }.open();
    let weights = opened.character.meshes[0].primitives[0].weights[2];
    assert!((weights.iter().sum::<f32>() - 1.0).abs() < 1e-6 && weights[0] > 0.7, "{weights:?}");
    let found = messages(&opened);
    assert!(
        found.iter().any(|m| m.contains("1 vertex follows more than four bones") && m.contains("13 %")),
        "{found:?}"
    );
}

fn write_png(path: &Path) {
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    image::RgbaImage::from_pixel(2, 2, image::Rgba([10, 200, 30, 255])).save(path).expect("a PNG");
}

#[test]
fn images_are_found_by_name_in_the_usual_folders() {
    for place in ["hair.png", "girl.fbm/hair.png", "textures/hair.png", "../Textures/hair.png"] {
        for named in ["C:\\\\work\\\\hair.png", "../../elsewhere/hair.psd"] {
            let folder = tempfile::tempdir().expect("a folder");
            let own = folder.path().join("models");
            std::fs::create_dir(&own).expect("a folder");
            write_png(&own.join(place));
            let opened = Fbx { image: named.to_owned(), ..Fbx::default() }.open_in(&own);
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
    write_png(&secret);
    let own = folder.path().join("models");
    std::fs::create_dir(&own).expect("a folder");
    for path in [secret.to_str().expect("a path"), "../secret.png", "..", "/dev/zero", "https://example.com/a.png"] {
        let opened = Fbx { image: path.to_owned(), ..Fbx::default() }.open_in(&own);
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
    let opened = Fbx::default().open_in(folder.path());
    assert_near(&heads(&opened, NAMES), &HEADS.map(|head| head * 2.0));
    let (skeleton, humanoid) = (&opened.character.skeleton, &opened.character.humanoid);
    assert_eq!((humanoid.bone("head"), humanoid.bone("hips")), (skeleton.find("Hair"), skeleton.find("Hips")));
    assert!(messages(&opened)[0].contains("scales the model by 2"), "{:?}", messages(&opened));
    std::fs::write(folder.path().join("girl.fbx.meta"), "{").expect("written");
    let opened = Fbx::default().open_in(folder.path());
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
