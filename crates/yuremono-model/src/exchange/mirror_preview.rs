//! Previews a file's colliders and pivots on the body, and measures how well they fit.
//!
//! A CSV does not store its flip axis. With the correct axis, colliders are near the body and pivots point along their
//! bones. With the wrong axis, both are in other places.

use super::name_resolver::NameResolver;
use super::{FileSection, SetupFile};
use crate::document::measure::tip_position;
use crate::document::{
    ByName, Collider, Document, FlipAxis, Helper, Joint, JointEntry, NodeRef, SetupEntry, bone_of_node,
};
use crate::exchange::remap::NameMap;
use crate::tools::elements::node_rest_frame;
use glam::Vec3;
use std::collections::BTreeMap;
use yuremono_sim::ColliderShape;
use yuremono_sim::math::Frame;
use yuremono_sim::rig::skinning::{SkinMatrices, effective_skin, posed_positions, sanitize_weights};
use yuremono_sim::rig::{BoneId, Character, Pose, Skeleton, WorldPose};

/// Smaller differences in distance, in metres, are ignored.
const DISTANCE_TOLERANCE: f32 = 0.002;
/// Smaller differences in angle, in degrees, are ignored.
const ANGLE_TOLERANCE: f32 = 3.0;
/// Limits the number of vertices, because dense meshes would take too long.
const MAX_VERTICES_PER_BONE: usize = 4000;
/// Maximum nesting depth of nodes in a file.
const MAX_DEPTH: usize = 64;

/// Vertices of the rest pose, each in the space of the bone with the vertex's largest weight.
#[derive(Clone, Debug, Default)]
pub struct VerticesByBone {
    points: BTreeMap<BoneId, Vec<Vec3>>,
}

impl VerticesByBone {
    /// Collects the vertices of all meshes.
    pub fn from_character(character: &Character) -> Self {
        let rest = WorldPose::from_pose(&character.skeleton, &Pose::rest(&character.skeleton));
        let palettes = SkinMatrices::of(&character.skins, &rest);
        let mut all: BTreeMap<BoneId, Vec<Vec3>> = BTreeMap::new();
        let mut put = |bone: BoneId, point: Vec3| {
            if let Some(frame) = rest.frames.get(bone.index())
                && point.is_finite()
            {
                all.entry(bone).or_default().push(frame.inverse_transform_point(point));
            }
        };
        for mesh in &character.meshes {
            for primitive in &mesh.primitives {
                let points = posed_positions(character, mesh, primitive, &palettes, &rest);
                let Some(skin) = effective_skin(character, mesh, primitive) else {
                    for point in points {
                        put(mesh.bone, point);
                    }
                    continue;
                };
                let bones = &character.skins[skin].joints;
                for ((joints, weights), point) in primitive.joints.iter().zip(&primitive.weights).zip(points) {
                    let (joints, weights) = sanitize_weights(*joints, *weights, bones.len());
                    let most = (0..4).max_by(|a, b| weights[*a].total_cmp(&weights[*b])).unwrap_or_default();
                    if let Some(bone) = bones.get(usize::from(joints[most])) {
                        put(*bone, point);
                    }
                }
            }
        }
        for points in all.values_mut() {
            let step = points.len().div_ceil(MAX_VERTICES_PER_BONE).max(1);
            *points = points.iter().step_by(step).copied().collect();
        }
        Self { points: all }
    }
}

/// A collider of the file.
#[derive(Clone, Debug, PartialEq)]
pub struct PreviewShape {
    pub name: String,
    /// The bone that defines the space of `points`.
    pub bone: BoneId,
    /// The center of a sphere, the ends of a capsule, or the closed outline of a panel.
    pub points: Vec<Vec3>,
    /// Radius in metres. 0 for a panel.
    pub radius: f32,
}

/// A pivot of the file, for one joint that uses the pivot.
#[derive(Clone, Debug, PartialEq)]
pub struct PreviewPivot {
    /// The bone that defines the space of `direction`.
    pub bone: BoneId,
    /// The bone of the joint.
    pub joint_bone: BoneId,
    /// Unit vector along the center of the limits.
    pub direction: Vec3,
}

/// The deviation of a file from the body. `None` if there is nothing to measure.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MirrorError {
    /// Mean distance from collider centers to the nearest vertex or bone, in metres.
    pub distance: Option<f32>,
    /// Mean angle between pivots and their bones, in degrees.
    pub angle: Option<f32>,
}

/// The preview of a file with one flip axis.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MirrorPreview {
    /// Colliders whose parents exist.
    pub shapes: Vec<PreviewShape>,
    /// Used pivots whose parents exist.
    pub pivots: Vec<PreviewPivot>,
    pub error: MirrorError,
}

impl MirrorPreview {
    /// Whether there is nothing to draw.
    pub fn is_empty(&self) -> bool {
        self.shapes.is_empty() && self.pivots.is_empty()
    }
}

/// The flip axis with the smaller error. Returns `None` if both errors are similar.
pub fn closer_mirror(x: MirrorError, z: MirrorError) -> Option<FlipAxis> {
    // Differences are relative, which gives metres and degrees the same weight.
    let lean = |x: Option<f32>, z: Option<f32>, same: f32| match (x, z) {
        (Some(x), Some(z)) if (x - z).abs() > same => (x - z) / (x + z),
        _ => 0.0,
    };
    let lean = lean(x.distance, z.distance, DISTANCE_TOLERANCE) + lean(x.angle, z.angle, ANGLE_TOLERANCE);
    match lean {
        lean if lean < 0.0 => Some(FlipAxis::X),
        lean if lean > 0.0 => Some(FlipAxis::Z),
        _ => None,
    }
}

/// Previews a file that was converted to glTF space with a flip axis.
pub fn mirror_preview(
    file: &SetupFile,
    name_map: &NameMap,
    document: &Document,
    skeleton: &Skeleton,
    skin: &VerticesByBone,
) -> MirrorPreview {
    let rest = WorldPose::from_pose(skeleton, &Pose::rest(skeleton));
    let names = NameResolver::new(document, skeleton, name_map);
    let mut frames =
        NodeFrames { nodes: described_nodes(file, FileSection::Nodes), names, rest, frame_cache: BTreeMap::new() };
    let mut preview = MirrorPreview::default();
    let mut distances = Vec::new();
    if file.imports_colliders() {
        for (_, _, content) in file.usable_entries(FileSection::Colliders) {
            let SetupEntry::Collider(collider) = content else { continue };
            if let Some((shape, centre)) = frames.preview_shape(collider) {
                distances.extend(frames.distance_to_body(centre, shape.bone, skin));
                preview.shapes.push(shape);
            }
        }
    }
    preview.pivots = frames.preview_pivots(file);
    let angles: Vec<f32> = preview.pivots.iter().filter_map(|pivot| frames.pivot_angle(pivot)).collect();
    preview.error = MirrorError { distance: finite_mean(&distances), angle: finite_mean(&angles) };
    preview
}

/// The first node with each name in a section.
fn described_nodes(file: &SetupFile, section: FileSection) -> BTreeMap<&str, &Helper<ByName>> {
    let mut nodes = BTreeMap::new();
    for (_, _, content) in file.usable_entries(section) {
        if let SetupEntry::Helper(helper) = content {
            nodes.entry(helper.name.as_str()).or_insert(helper);
        }
    }
    nodes
}

fn finite_mean(values: &[f32]) -> Option<f32> {
    let mean = values.iter().sum::<f32>() / values.len() as f32;
    mean.is_finite().then_some(mean)
}

struct NodeFrames<'a> {
    /// The nodes of the file.
    nodes: BTreeMap<&'a str, &'a Helper<ByName>>,
    names: NameResolver<'a>,
    rest: WorldPose,
    frame_cache: BTreeMap<String, Option<(BoneId, Frame)>>,
}

impl NodeFrames<'_> {
    /// The bone of a node or its nearest ancestor bone, and the node's world frame.
    fn find(&mut self, name: &str, depth: usize) -> Option<(BoneId, Frame)> {
        if let Some(known) = self.frame_cache.get(name) {
            return *known;
        }
        let found = self.file_node(name, depth).or_else(|| self.document_node(name));
        self.frame_cache.insert(name.to_owned(), found);
        found
    }

    /// The frame of a node that the file describes. Returns `None` for bones, which keep their transform.
    fn file_node(&mut self, name: &str, depth: usize) -> Option<(BoneId, Frame)> {
        if depth > MAX_DEPTH || self.names.bone(name).is_some() {
            return None;
        }
        let node = *self.nodes.get(name)?;
        let (bone, frame) = self.find(node.parent.name(), depth + 1)?;
        Some((bone, frame.child(&node.local)))
    }

    fn document_node(&self, name: &str) -> Option<(BoneId, Frame)> {
        let node = self.names.node(name)?;
        let document = self.names.document();
        Some((bone_of_node(document, node)?, node_rest_frame(document, &self.rest, node)?))
    }

    /// A collider and its center in world space. Returns `None` for shapes that no CSV contains.
    fn preview_shape(&mut self, collider: &Collider<ByName>) -> Option<(PreviewShape, Vec3)> {
        let (bone, frame) = match &collider.node {
            NodeRef::Named(name) => self.find(name, 0)?,
            NodeRef::Inline(helper) => {
                let (bone, parent) = self.find(helper.parent.name(), 0)?;
                (bone, parent.child(&helper.local))
            }
        };
        let carrier = self.rest.frames.get(bone.index())?;
        let (own, radius) = match collider.shape {
            ColliderShape::Sphere { radius, inside: false } => (vec![Vec3::ZERO], radius),
            ColliderShape::Capsule { radius, height, inside: false } => (vec![Vec3::ZERO, Vec3::Y * height], radius),
            ColliderShape::Panel { width, height } => (panel_outline(width, height), 0.0),
            _ => return None,
        };
        let scale = frame.linear().y_axis.length();
        let world: Vec<Vec3> = own.into_iter().map(|point| frame.transform_point(point)).collect();
        let centre = match collider.shape {
            ColliderShape::Panel { .. } => frame.position,
            _ if radius > 0.0 => world.iter().sum::<Vec3>() / world.len() as f32,
            _ => world[0],
        };
        let points: Vec<Vec3> = world.iter().map(|point| carrier.inverse_transform_point(*point)).collect();
        let is_good = centre.is_finite() && points.iter().all(|point| point.is_finite()) && radius.is_finite();
        let shape = PreviewShape { name: collider.name.clone(), bone, points, radius: radius * scale };
        is_good.then_some((shape, centre))
    }

    fn preview_pivots(&mut self, file: &SetupFile) -> Vec<PreviewPivot> {
        let pivots = described_nodes(file, FileSection::Pivots);
        let mut found = Vec::new();
        for (_, _, content) in file.usable_entries(FileSection::Joints) {
            let SetupEntry::Joint(JointEntry { joint, .. }) = content else { continue };
            let Some(joint_bone) = self.names.bone(&joint.bone) else { continue };
            let name = joint.pivot.as_ref().map_or("", NodeRef::name);
            let Some(pivot) = pivots.get(name) else { continue };
            let Some((bone, parent)) = self.find(pivot.parent.name(), 0) else { continue };
            let Some(carrier) = self.rest.frames.get(bone.index()) else { continue };
            let world = parent.rotation * pivot.local.rotation;
            let along = (carrier.rotation.inverse() * (world * Vec3::X)).normalize_or_zero();
            if along != Vec3::ZERO {
                found.push(PreviewPivot { bone, joint_bone, direction: along });
            }
        }
        found
    }

    /// Distance to the nearest vertex of a bone, or to the lines from the bone to its children, in metres.
    fn distance_to_body(&self, point: Vec3, bone: BoneId, skin: &VerticesByBone) -> Option<f32> {
        let frame = self.rest.frames.get(bone.index())?;
        let vertices =
            skin.points.get(&bone).into_iter().flatten().map(|vertex| frame.transform_point(*vertex).distance(point));
        let heads = self.names.skeleton().children(bone).iter().map(|child| self.rest.frame(*child).position);
        let lines = heads.map(|head| distance_to_segment(point, frame.position, head));
        let all = vertices.chain(lines).chain([frame.position.distance(point)]);
        all.filter(|distance| distance.is_finite()).min_by(f32::total_cmp)
    }

    /// Angle between a pivot and its bone, in degrees.
    fn pivot_angle(&self, pivot: &PreviewPivot) -> Option<f32> {
        let document = self.names.document();
        let joint = match document.find_joint(pivot.joint_bone) {
            Some((chain, at)) => document.chains[&chain].joints[at].clone(),
            None => Joint::new(pivot.joint_bone),
        };
        let head = self.rest.frames.get(pivot.joint_bone.index())?.position;
        let along = (tip_position(self.names.skeleton(), &self.rest, &joint) - head).normalize_or_zero();
        let angle = (self.rest.frame(pivot.bone).rotation * pivot.direction).angle_between(along).to_degrees();
        (along != Vec3::ZERO && angle.is_finite()).then_some(angle)
    }
}

fn panel_outline(width: f32, height: f32) -> Vec<Vec3> {
    let corner = |x: f32, y: f32| Vec3::new(x * width, y * height, 0.0) * 0.5;
    vec![corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0), corner(-1.0, -1.0)]
}

fn distance_to_segment(point: Vec3, from: Vec3, to: Vec3) -> f32 {
    let along = to - from;
    let share = ((point - from).dot(along) / along.length_squared()).clamp(0.0, 1.0);
    let share = if share.is_finite() { share } else { 0.0 };
    point.distance(from + along * share)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{HelperRole, ReplacedProperties};
    use crate::exchange::FileEntry;
    use crate::exchange::test_format::test_format;
    use glam::Quat;
    use yuremono_sim::SolverKind;
    use yuremono_sim::math::Trs;
    use yuremono_sim::rig::Bone;

    /// An arm to the left, with a strand at its end that points forward.
    fn skeleton() -> Skeleton {
        let bone = |name: &str, parent: Option<u32>, at: [f32; 3]| Bone {
            name: name.to_owned(),
            parent: parent.map(BoneId),
            rest: Trs::from_translation(Vec3::from(at)),
        };
        Skeleton::new(vec![
            bone("Root", None, [0.0, 1.0, 0.0]),
            bone("Arm", Some(0), [0.2, 0.0, 0.0]),
            bone("Hand", Some(1), [0.4, 0.0, 0.0]),
            bone("Strand", Some(2), [0.0, -0.1, 0.0]),
            bone("Strand_end", Some(3), [0.0, -0.1, 0.2]),
        ])
        .expect("parents come first")
    }

    fn node(name: &str, parent: &str, local: Trs, role: HelperRole) -> Helper<ByName> {
        Helper { name: name.to_owned(), parent: parent.into(), local, role }
    }

    /// How points and rotations change if a file is written with one flip axis and read with another.
    fn flip_between(written: FlipAxis, read: FlipAxis) -> (impl Fn(Vec3) -> Vec3, impl Fn(Quat) -> Quat) {
        let point = move |point: Vec3| read.flip_point(written.flip_point(point));
        let facing = move |turn: Quat| read.flip_facing(written.flip_facing_inverse(turn));
        (point, facing)
    }

    /// A file with a sphere on the arm and a pivot along the strand.
    fn table(written: FlipAxis, read: FlipAxis) -> SetupFile {
        let (point, facing) = flip_between(written, read);
        let translation = point(Vec3::new(0.2, 0.0, 0.03));
        let local = Trs { translation, scale: Vec3::splat(2.0), ..Trs::IDENTITY };
        let ball = NodeRef::Inline(Box::new(node("Ball", "Arm", local, HelperRole::Plain)));
        let ball = Collider::new("Ball", ball, ColliderShape::Sphere { radius: 0.05, inside: false });
        let along = Quat::from_rotation_arc(Vec3::X, Vec3::new(0.0, -0.1, 0.2).normalize());
        let turned = Trs { rotation: facing(along), ..Trs::IDENTITY };
        let pivot = node("Strand_Pivot", "Hand", turned, HelperRole::Pivot);
        let joint = Joint { pivot: Some("Strand_Pivot".into()), ..Joint::new("Strand".to_owned()) };
        let joint = SetupEntry::Joint(JointEntry { scope: ReplacedProperties::TableRow, chain: None, joint });
        let items = vec![
            FileEntry::new(0, FileSection::Joints, "Strand", joint),
            FileEntry::new(0, FileSection::Pivots, "Strand_Pivot", SetupEntry::Helper(pivot)),
            FileEntry::new(0, FileSection::Colliders, "Ball", SetupEntry::Collider(ball)),
        ];
        SetupFile { entries: items, ..SetupFile::new(test_format(), SolverKind::UnityChanSpringBone) }
    }

    fn preview(file: &SetupFile, skin: &VerticesByBone) -> MirrorPreview {
        mirror_preview(file, &NameMap::new(), &Document::default(), &skeleton(), skin)
    }

    #[test]
    fn the_axis_that_a_table_was_written_with_has_the_smaller_error() {
        for written in [FlipAxis::X, FlipAxis::Z] {
            let [x, z] =
                [FlipAxis::X, FlipAxis::Z].map(|read| preview(&table(written, read), &VerticesByBone::default()));
            assert_eq!(closer_mirror(x.error, z.error), Some(written));
            let good = if written == FlipAxis::X { &x } else { &z };
            assert!((good.error.distance.expect("a ball") - 0.03).abs() < 1e-5, "{:?}", good.error);
            assert!(good.error.angle.expect("a pivot") < 0.1, "{:?}", good.error);
            let [ball] = &good.shapes[..] else { panic!("{:?}", good.shapes) };
            assert!(ball.points[0].distance(Vec3::new(0.2, 0.0, 0.03)) < 1e-5, "{ball:?}");
            assert!((ball.radius - 0.1).abs() < 1e-6, "the node's scale is applied: {ball:?}");
        }
    }

    #[test]
    fn the_error_uses_the_nearest_vertex_if_it_is_closer_than_the_bone() {
        let skin = VerticesByBone { points: BTreeMap::from([(BoneId(1), vec![Vec3::new(0.2, 0.0, 0.04)])]) };
        let error = preview(&table(FlipAxis::X, FlipAxis::X), &skin).error;
        assert!((error.distance.expect("a ball") - 0.01).abs() < 1e-5, "{error:?}");
    }

    #[test]
    fn a_table_without_colliders_and_pivots_has_no_error() {
        let [x, z] = [FlipAxis::X, FlipAxis::Z].map(|read| {
            let mut bare = table(FlipAxis::X, read);
            bare.entries.retain(|item| item.section == FileSection::Joints);
            preview(&bare, &VerticesByBone::default())
        });
        assert!(x.is_empty() && z.is_empty());
        assert_eq!(x.error, MirrorError::default());
        assert_eq!(closer_mirror(x.error, z.error), None);
    }

    #[test]
    fn nodes_with_circular_parents_are_not_shown() {
        let mut file = table(FlipAxis::X, FlipAxis::X);
        for (name, parent) in [("A", "B"), ("B", "A")] {
            let item = SetupEntry::Helper(node(name, parent, Trs::IDENTITY, HelperRole::Null));
            file.entries.push(FileEntry::new(0, FileSection::Nodes, name, item));
        }
        let Ok(SetupEntry::Collider(ball)) = &mut file.entries[2].content else { panic!("a collider") };
        ball.node = NodeRef::Inline(Box::new(node("Ball", "A", Trs::IDENTITY, HelperRole::Plain)));
        assert!(preview(&file, &VerticesByBone::default()).shapes.is_empty());
    }
}
