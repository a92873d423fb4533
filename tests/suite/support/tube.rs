//! Generates a character: a skinned tube, and flat squares with exact colours.

use glam::{Mat4, Quat, Vec2, Vec3};
use std::f32::consts::TAU;
use std::sync::Arc;
use yuremono::renderer::{Backdrop, DrawInput};
use yuremono::stage::{CameraView, KeyLight};
use yuremono_sim::math::Trs;
use yuremono_sim::rig::{
    AlphaMode, Bone, BoneId, Character, Facing, Image, Material, Mesh, Pose, Primitive, Shading, Skeleton, Skin,
    TextureRef, TextureWrap, ToonShading, WorldPose,
};

/// Height of the tube in metres.
pub(crate) const TUBE_HEIGHT: f32 = 1.6;
/// Distance from the axis to the surface in metres.
pub(crate) const TUBE_RADIUS: f32 = 0.18;

/// Returns a tube of `joints` bones and `rings * segments` vertices. The lower half is lit, and the upper half is
/// toon-shaded.
pub(crate) fn tube(joints: usize, rings: usize, segments: usize) -> Character {
    let step = TUBE_HEIGHT / joints as f32;
    let bone = |i: usize| Bone {
        name: format!("tube_{i}"),
        parent: i.checked_sub(1).map(|p| BoneId(p as u32)),
        rest: Trs::from_translation(Vec3::Y * if i == 0 { 0.0 } else { step }),
    };
    let skin = Skin {
        joints: (0..joints as u32).map(BoneId).collect(),
        inverse_binds: (0..joints).map(|i| Mat4::from_translation(Vec3::NEG_Y * (i as f32 * step))).collect(),
    };
    let half = rings / 2;
    let toon = ToonShading { shade_color: [0.25, 0.1, 0.3], shading_shift: -0.3, ..ToonShading::default() };
    Character {
        name: "tube".to_owned(),
        format_name: "made by a test".to_owned(),
        skeleton: Skeleton::new((0..joints).map(bone).collect()).expect("parents first"),
        meshes: vec![
            ring_mesh("lower", 0, joints, (0, half), (rings, segments)),
            ring_mesh("upper", 1, joints, (half, rings - 1), (rings, segments)),
        ],
        skins: vec![skin],
        materials: vec![
            Material { name: "lit".to_owned(), base_color: [0.8, 0.25, 0.15, 1.0], ..Material::default() },
            Material {
                name: "toon".to_owned(),
                base_color: [0.9, 0.6, 0.75, 1.0],
                double_sided: true,
                shading: Shading::Toon(Box::new(toon)),
                ..Material::default()
            },
        ],
        ..Character::default()
    }
}

/// Returns the rings `from..=to` as a separate mesh.
fn ring_mesh(
    name: &str,
    material: usize,
    joints: usize,
    (from, to): (usize, usize),
    (rings, segments): (usize, usize),
) -> Mesh {
    let mut p = Primitive { material, ..Primitive::default() };
    let step = TUBE_HEIGHT / joints as f32;
    for ring in from..=to {
        let y = TUBE_HEIGHT * ring as f32 / (rings - 1) as f32;
        let along = (y / step).min(joints as f32 - 1.0);
        let joint = along as u16;
        let next = (joint + 1).min(joints as u16 - 1);
        for segment in 0..segments {
            let (z, x) = libm::sincosf(segment as f32 / segments as f32 * TAU);
            p.positions.push(Vec3::new(x * TUBE_RADIUS, y, z * TUBE_RADIUS));
            p.normals.push(Vec3::new(x, 0.0, z));
            p.uvs.push(Vec2::new(segment as f32 / segments as f32, y));
            p.joints.push([joint, next, 0, 0]);
            p.weights.push([1.0 - along.fract(), along.fract(), 0.0, 0.0]);
        }
    }
    for ring in 0..to - from {
        for segment in 0..segments {
            let (a, b) = ((ring * segments + segment) as u32, (ring * segments + (segment + 1) % segments) as u32);
            let above = segments as u32;
            p.indices.extend([a, a + above, b, b, a + above, b + above]);
        }
    }
    let skin = Some(0);
    Mesh { name: name.to_owned(), bone: BoneId(0), skin, primitives: vec![p], morph_weights: vec![], is_hidden: false }
}

/// Returns a pose in which every joint is rotated about Z by the same share of `angle`, in radians.
pub(crate) fn bent(character: &Character, angle: f32) -> WorldPose {
    let mut pose = Pose::rest(&character.skeleton);
    let each = Quat::from_rotation_z(angle / pose.local.len() as f32);
    pose.local.iter_mut().for_each(|local| local.rotation = each);
    WorldPose::from_pose(&character.skeleton, &pose)
}

/// Attaches an unlit square to the first bone and returns its mesh index. The square faces +Z; `side` is in metres.
pub(crate) fn add_square(character: &mut Character, middle: Vec3, side: f32, material: Material) -> usize {
    let h = side * 0.5;
    let corners = [(-h, -h), (h, -h), (h, h), (-h, h)];
    let p = Primitive {
        positions: corners.iter().map(|(x, y)| middle + Vec3::new(*x, *y, 0.0)).collect(),
        normals: vec![Vec3::Z; 4],
        uvs: corners.iter().map(|(x, y)| Vec2::new(x / side + 0.5, 0.5 - y / side)).collect(),
        indices: vec![0, 1, 2, 0, 2, 3],
        material: character.materials.len(),
        ..Primitive::default()
    };
    character.materials.push(material);
    let name = format!("square {}", character.meshes.len());
    character.meshes.push(Mesh {
        name,
        bone: BoneId(0),
        skin: None,
        primitives: vec![p],
        morph_weights: vec![],
        is_hidden: false,
    });
    character.meshes.len() - 1
}

/// Returns a character that has only one bone.
pub(crate) fn single_bone_character() -> Character {
    let bone = Bone { name: "root".to_owned(), parent: None, rest: Trs::IDENTITY };
    Character { skeleton: Skeleton::new(vec![bone]).expect("one root"), ..Character::default() }
}

/// Returns an unlit material of one linear colour.
pub(crate) fn unlit(base_color: [f32; 4], alpha: AlphaMode) -> Material {
    Material { base_color, alpha, shading: Shading::Unlit, ..Material::default() }
}

/// Returns an unlit material that shows an image texel by texel.
pub(crate) fn unlit_image(character: &mut Character, image: Image) -> Material {
    character.images.push(Arc::new(image));
    let texture = TextureRef {
        image: character.images.len() - 1,
        wrap: [TextureWrap::Clamp; 2],
        offset: Vec2::ZERO,
        scale: Vec2::ONE,
        rotation: 0.0,
        nearest: true,
    };
    Material { base_texture: Some(texture), ..unlit([1.0; 4], AlphaMode::Opaque) }
}

/// A single colour, so that a silhouette differs from the background everywhere.
pub(crate) const PLAIN_BACKDROP: Backdrop =
    Backdrop { top: [0, 90, 0], bottom: [0, 90, 0], grid: None, shadow: 0.0, ..Backdrop::DARK };

/// Returns the input for a picture of a character that faces +Z, on a plain background.
pub(crate) fn plain_input<'a>(camera: &'a CameraView, pose: &'a WorldPose) -> DrawInput<'a> {
    DrawInput {
        camera,
        pose,
        extra_bodies: &[],
        visible: &[],
        morph_weights: &[],
        backdrop: &PLAIN_BACKDROP,
        ground_height: 0.0,
        light: front_light(),
        seconds: 0.0,
    }
}

/// Returns the direction towards the default key light of a character that faces +Z.
pub(crate) fn front_light() -> Vec3 {
    KeyLight::default().direction(Facing::PlusZ)
}
