//! The vertices of the rest pose that belong to each humanoid bone.

use crate::document::names::BoneName;
use crate::document::{Document, RestFrames};
use glam::Vec3;
use std::collections::{BTreeMap, BTreeSet};
use yuremono_sim::rig::skinning::{SkinMatrices, effective_skin, posed_positions, sanitize_weights};
use yuremono_sim::rig::{BoneId, Character, Humanoid, Mesh, Primitive, Skeleton};

/// Minimum share of a vertex's weight that belongs to one role.
const MIN_VERTEX_WEIGHT: f32 = 0.5;

/// World positions in metres, by role.
pub(super) type VerticesByRole = BTreeMap<String, Vec<Vec3>>;

/// Groups vertices by the humanoid role that moves them. Skips hair, cloth and accessories, which are identified by the
/// chains of the document and by the names of bones, meshes and materials.
pub(super) fn vertices_by_role(
    character: &Character,
    document: &Document,
    stance: &RestFrames,
    roles: &Humanoid,
) -> VerticesByRole {
    let zones = body_roles(&character.skeleton, document, roles);
    let palettes = SkinMatrices::of(&character.skins, stance.rest());
    let mut flesh = VerticesByRole::new();
    for mesh in &character.meshes {
        for primitive in &mesh.primitives {
            if is_secondary_motion_name(&mesh.name)
                || character.materials.get(primitive.material).is_some_and(|m| is_secondary_motion_name(&m.name))
            {
                continue;
            }
            let points = posed_positions(character, mesh, primitive, &palettes, stance.rest());
            collect_vertices(character, mesh, primitive, &zones, &points, &mut flesh);
        }
    }
    flesh
}

/// Returns the role of each bone, or `None` for bones with secondary motion and for bones without a role above them.
fn body_roles(skeleton: &Skeleton, document: &Document, roles: &Humanoid) -> Vec<Option<&'static str>> {
    let joints: BTreeSet<BoneId> = document.chains.values().flat_map(|c| &c.joints).map(|j| j.bone).collect();
    let all = roles.nearest_roles(skeleton);
    let mut swaying = vec![false; skeleton.len()];
    for bone in skeleton.ids() {
        let above = skeleton.parent(bone).is_some_and(|p| swaying[p.index()]);
        let is_role = skeleton.parent(bone).is_none_or(|p| all[p.index()] != all[bone.index()]);
        swaying[bone.index()] =
            joints.contains(&bone) || (!is_role && (above || is_secondary_motion_name(skeleton.name(bone))));
    }
    all.into_iter().zip(swaying).map(|(zone, sways)| zone.filter(|_| !sways)).collect()
}

fn is_secondary_motion_name(name: &str) -> bool {
    let verdict = BoneName::parse(name).analyze();
    verdict.part.is_some_and(|(_, sure)| sure > 0.6)
}

fn collect_vertices(
    character: &Character,
    mesh: &Mesh,
    primitive: &Primitive,
    zones: &[Option<&str>],
    points: &[Vec3],
    flesh: &mut VerticesByRole,
) {
    let zone_of = |bone: BoneId| zones.get(bone.index()).copied().flatten();
    let mut put = |zone: &str, point: Vec3| match flesh.get_mut(zone) {
        Some(points) => points.push(point),
        None => _ = flesh.insert(zone.to_owned(), vec![point]),
    };
    let Some(skin) = effective_skin(character, mesh, primitive) else {
        if let Some(zone) = zone_of(mesh.bone) {
            points.iter().filter(|p| p.is_finite()).for_each(|p| put(zone, *p));
        }
        return;
    };
    let bones = &character.skins[skin].joints;
    let of_joint: Vec<Option<&str>> = bones.iter().map(|bone| zone_of(*bone)).collect();
    for ((joints, weights), point) in primitive.joints.iter().zip(&primitive.weights).zip(points) {
        let (joints, weights) = sanitize_weights(*joints, *weights, bones.len());
        let share = |zone: &str| -> f32 {
            let mine = joints
                .iter()
                .zip(weights)
                .filter(|(j, _)| of_joint.get(usize::from(**j)).copied().flatten() == Some(zone));
            mine.map(|(_, w)| w).sum()
        };
        let strongest = (0..4).max_by(|a, b| weights[*a].total_cmp(&weights[*b])).unwrap_or_default();
        let zone = of_joint.get(usize::from(joints[strongest])).copied().flatten();
        if let Some(zone) = zone.filter(|zone| point.is_finite() && share(zone) >= MIN_VERTEX_WEIGHT) {
            put(zone, *point);
        }
    }
}
