//! What a file's colliders and pivots would look like on the body, and how well they fit it.
//!
//! The mirror of a CSV is not written in it. Colliders are in or near the body part of the bone that they are on, and
//! pivots point along the bones that use them: the wrong mirror puts both elsewhere.

use super::resolver::NameResolver;
use super::{Section, SetupFile};
use crate::document::measure::tip_of;
use crate::document::{
    Axis, ByName, Collider, Document, Helper, Joint, JointItem, Node, NodeRef, SetupItem, bone_under,
};
use crate::exchange::remap::Leads;
use crate::math::Frame;
use crate::rig::{BoneId, Character, Pose, Skeleton, WorldPose};
use crate::sim::Shape;
use crate::stage::skinning::{Palettes, effective_skin, posed_positions, sane_weights};
use glam::Vec3;
use std::collections::BTreeMap;

/// Distances that differ by less say nothing, metres.
const SAME_DISTANCE: f32 = 0.002;
/// Angles that differ by less say nothing, degrees.
const SAME_ANGLE: f32 = 3.0;
/// Vertices of one bone that are looked at; more would only be more of the same.
const MOST_POINTS: usize = 4000;
/// The most nodes of a file below each other that are followed.
const DEEPEST: usize = 64;

/// What the vertices of a character's rest pose follow, in each bone's own space.
#[derive(Clone, Debug, Default)]
pub struct Skin {
    points: BTreeMap<BoneId, Vec<Vec3>>,
}

impl Skin {
    /// Every vertex at the bone that it follows most.
    pub fn of(character: &Character) -> Self {
        let rest = WorldPose::of(&character.skeleton, &Pose::rest(&character.skeleton));
        let palettes = Palettes::of(&character.skins, &rest);
        let mut all: BTreeMap<BoneId, Vec<Vec3>> = BTreeMap::new();
        let mut put = |bone: BoneId, point: Vec3| {
            if let Some(frame) = rest.frames.get(bone.index())
                && point.is_finite()
            {
                all.entry(bone).or_default().push(frame.inverse_point(point));
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
                    let (joints, weights) = sane_weights(*joints, *weights, bones.len());
                    let most = (0..4).max_by(|a, b| weights[*a].total_cmp(&weights[*b])).unwrap_or_default();
                    if let Some(bone) = bones.get(usize::from(joints[most])) {
                        put(*bone, point);
                    }
                }
            }
        }
        for points in all.values_mut() {
            let step = points.len().div_ceil(MOST_POINTS).max(1);
            *points = points.iter().step_by(step).copied().collect();
        }
        Self { points: all }
    }
}

/// One collider of the file where it would be.
#[derive(Clone, Debug, PartialEq)]
pub struct PreviewShape {
    /// Its name in the file.
    pub name: String,
    /// The bone that carries it; all lengths and points are in its space.
    pub bone: BoneId,
    /// A ball's centre, a capsule's two ends, or the closed outline of a panel.
    pub points: Vec<Vec3>,
    /// Thickness about the points, metres; 0 for a panel.
    pub radius: f32,
}

/// One pivot of the file where a bone that asks for it would have it.
#[derive(Clone, Debug, PartialEq)]
pub struct PreviewPivot {
    /// The bone that carries it; the direction is in its space.
    pub bone: BoneId,
    /// The bone whose limits are measured in it.
    pub asks: BoneId,
    /// Of unit length; the limits' middle.
    pub along: Vec3,
}

/// How far off a table sits; `None` where it has nothing to measure.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MirrorError {
    /// Mean way from colliders' centres to the nearest point of the flesh or bone that carries them, metres.
    pub distance: Option<f32>,
    /// Mean angle between pivots and the bones that ask for them, degrees.
    pub angle: Option<f32>,
}

/// A table on this body under one mirror.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MirrorPreview {
    /// Colliders whose parents are here.
    pub shapes: Vec<PreviewShape>,
    /// Pivots whose parents are here and that some bone asks for.
    pub pivots: Vec<PreviewPivot>,
    /// How far off.
    pub error: MirrorError,
}

impl MirrorPreview {
    /// Whether there is nothing to see.
    pub fn is_empty(&self) -> bool {
        self.shapes.is_empty() && self.pivots.is_empty()
    }
}

/// The mirror under which a table sits better; `None` where both sit alike.
pub fn closer_mirror(x: MirrorError, z: MirrorError) -> Option<Axis> {
    // Shares, so that metres and degrees count alike.
    let lean = |x: Option<f32>, z: Option<f32>, same: f32| match (x, z) {
        (Some(x), Some(z)) if (x - z).abs() > same => (x - z) / (x + z),
        _ => 0.0,
    };
    let lean = lean(x.distance, z.distance, SAME_DISTANCE) + lean(x.angle, z.angle, SAME_ANGLE);
    match lean {
        lean if lean < 0.0 => Some(Axis::X),
        lean if lean > 0.0 => Some(Axis::Z),
        _ => None,
    }
}

/// The colliders and pivots of a file, in glTF's space under the mirror that is previewed.
pub fn mirror_preview(
    file: &SetupFile,
    leads: &Leads,
    document: &Document,
    skeleton: &Skeleton,
    skin: &Skin,
) -> MirrorPreview {
    let rest = WorldPose::of(skeleton, &Pose::rest(skeleton));
    let names = NameResolver::new(document, skeleton, leads);
    let mut frames = NodeFrames { nodes: described(file, Section::Nodes), names, rest, found: BTreeMap::new() };
    let mut preview = MirrorPreview::default();
    let mut distances = Vec::new();
    if file.has_collider_rules() {
        for (_, _, content) in file.good(Section::Colliders) {
            let SetupItem::Collider(collider) = content else { continue };
            if let Some((shape, centre)) = frames.shape(collider) {
                distances.extend(frames.distance_to_body(centre, shape.bone, skin));
                preview.shapes.push(shape);
            }
        }
    }
    preview.pivots = frames.pivots(file);
    let angles: Vec<f32> = preview.pivots.iter().filter_map(|pivot| frames.angle(pivot)).collect();
    preview.error = MirrorError { distance: mean(&distances), angle: mean(&angles) };
    preview
}

/// The nodes that a section describes, by name; of several the first.
fn described(file: &SetupFile, section: Section) -> BTreeMap<&str, &Helper<ByName>> {
    let mut nodes = BTreeMap::new();
    for (_, _, content) in file.good(section) {
        if let SetupItem::Node(helper) = content {
            nodes.entry(helper.name.as_str()).or_insert(helper);
        }
    }
    nodes
}

fn mean(values: &[f32]) -> Option<f32> {
    let mean = values.iter().sum::<f32>() / values.len() as f32;
    mean.is_finite().then_some(mean)
}

/// Where nodes of the file and of the document are in the rest pose.
struct NodeFrames<'a> {
    /// Bare nodes of the file.
    nodes: BTreeMap<&'a str, &'a Helper<ByName>>,
    names: NameResolver<'a>,
    rest: WorldPose,
    found: BTreeMap<String, Option<(BoneId, Frame)>>,
}

impl NodeFrames<'_> {
    /// The bone that carries the node of a name, and the node's frame in the world.
    fn find(&mut self, name: &str, depth: usize) -> Option<(BoneId, Frame)> {
        if let Some(known) = self.found.get(name) {
            return *known;
        }
        let found = self.of_file(name, depth).or_else(|| self.here(name));
        self.found.insert(name.to_owned(), found);
        found
    }

    /// A bare node is where the file says; a bone of that name stays.
    fn of_file(&mut self, name: &str, depth: usize) -> Option<(BoneId, Frame)> {
        if depth > DEEPEST || self.names.bone(name).is_some() {
            return None;
        }
        let node = *self.nodes.get(name)?;
        let (bone, frame) = self.find(node.parent.name(), depth + 1)?;
        Some((bone, frame.child(&node.local)))
    }

    fn here(&self, name: &str) -> Option<(BoneId, Frame)> {
        let node = self.names.node(name)?;
        Some((bone_under(self.names.document(), node)?, self.frame_here(node)?))
    }

    /// The frame of a node of the document in the world.
    fn frame_here(&self, node: Node) -> Option<Frame> {
        let (mut at, mut locals) = (node, Vec::new());
        let helpers = &self.names.document().helpers;
        for _ in 0..=helpers.len() {
            match at {
                Node::Bone(bone) => {
                    let start = *self.rest.frames.get(bone.index())?;
                    return Some(locals.iter().rev().fold(start, |frame, local| frame.child(local)));
                }
                Node::Helper(id) => {
                    let helper = helpers.get(&id)?;
                    locals.push(helper.local);
                    at = helper.parent;
                }
            }
        }
        None
    }

    /// A collider, and its centre in the world; `None` for shapes that no CSV of an engine has.
    fn shape(&mut self, collider: &Collider<ByName>) -> Option<(PreviewShape, Vec3)> {
        let (bone, frame) = match &collider.node {
            NodeRef::Named(name) => self.find(name, 0)?,
            NodeRef::Placed(helper) => {
                let (bone, parent) = self.find(helper.parent.name(), 0)?;
                (bone, parent.child(&helper.local))
            }
        };
        let carrier = self.rest.frames.get(bone.index())?;
        let (own, radius) = match collider.shape {
            Shape::Sphere { radius, inside: false } => (vec![Vec3::ZERO], radius),
            Shape::Capsule { radius, height, inside: false } => (vec![Vec3::ZERO, Vec3::Y * height], radius),
            Shape::Panel { width, height } => (panel(width, height), 0.0),
            _ => return None,
        };
        let scale = frame.linear().y_axis.length();
        let world: Vec<Vec3> = own.into_iter().map(|point| frame.point(point)).collect();
        let centre = match collider.shape {
            Shape::Panel { .. } => frame.position,
            _ if radius > 0.0 => world.iter().sum::<Vec3>() / world.len() as f32,
            _ => world[0],
        };
        let points: Vec<Vec3> = world.iter().map(|point| carrier.inverse_point(*point)).collect();
        let is_good = centre.is_finite() && points.iter().all(|point| point.is_finite()) && radius.is_finite();
        let shape = PreviewShape { name: collider.name.clone(), bone, points, radius: radius * scale };
        is_good.then_some((shape, centre))
    }

    /// The file's pivots at the joints that refer to them.
    fn pivots(&mut self, file: &SetupFile) -> Vec<PreviewPivot> {
        let pivots = described(file, Section::Pivots);
        let mut found = Vec::new();
        for (_, _, content) in file.good(Section::Joints) {
            let SetupItem::Joint(JointItem { joint, .. }) = content else { continue };
            let Some(asks) = self.names.bone(&joint.bone) else { continue };
            let name = joint.pivot.as_ref().map_or("", NodeRef::name);
            let Some(pivot) = pivots.get(name) else { continue };
            let Some((bone, parent)) = self.find(pivot.parent.name(), 0) else { continue };
            let Some(carrier) = self.rest.frames.get(bone.index()) else { continue };
            let world = parent.rotation * pivot.local.rotation;
            let along = (carrier.rotation.inverse() * (world * Vec3::X)).normalize_or_zero();
            if along != Vec3::ZERO {
                found.push(PreviewPivot { bone, asks, along });
            }
        }
        found
    }

    /// Distance from a point of the world to the nearest vertex that follows a bone, or to the lines from the bone to its
    /// children; metres.
    fn distance_to_body(&self, point: Vec3, bone: BoneId, skin: &Skin) -> Option<f32> {
        let frame = self.rest.frames.get(bone.index())?;
        let vertices = skin.points.get(&bone).into_iter().flatten().map(|vertex| frame.point(*vertex).distance(point));
        let heads = self.names.skeleton().children(bone).iter().map(|child| self.rest.frame(*child).position);
        let lines = heads.map(|head| distance_to_segment(point, frame.position, head));
        let all = vertices.chain(lines).chain([frame.position.distance(point)]);
        all.filter(|distance| distance.is_finite()).min_by(f32::total_cmp)
    }

    /// Angle between a pivot and the bone that refers to it, degrees.
    fn angle(&self, pivot: &PreviewPivot) -> Option<f32> {
        let document = self.names.document();
        let joint = match document.joint_of(pivot.asks) {
            Some((chain, at)) => document.chains[&chain].joints[at].clone(),
            None => Joint::new(pivot.asks),
        };
        let head = self.rest.frames.get(pivot.asks.index())?.position;
        let along = (tip_of(self.names.skeleton(), &self.rest, &joint) - head).normalize_or_zero();
        let angle = (self.rest.frame(pivot.bone).rotation * pivot.along).angle_between(along).to_degrees();
        (along != Vec3::ZERO && angle.is_finite()).then_some(angle)
    }
}

/// The corners of a panel, the first again at the end.
fn panel(width: f32, height: f32) -> Vec<Vec3> {
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
    use crate::document::{HelperRole, JointScope};
    use crate::exchange::{FileItem, TableFormat};
    use crate::math::Trs;
    use crate::rig::Bone;
    use crate::sim::SolverKind;
    use glam::Quat;

    /// An arm to the left with a strand that points forward from its end.
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

    /// What a file with one change of sign becomes where it is read with another.
    fn read_as(written: Axis, read: Axis) -> (impl Fn(Vec3) -> Vec3, impl Fn(Quat) -> Quat) {
        let point = move |point: Vec3| read.point(written.point(point));
        let facing = move |turn: Quat| read.face(written.unface(turn));
        (point, facing)
    }

    /// A ball in the middle of the arm and a pivot along the strand, written with one mirror and read with the other.
    fn table(written: Axis, read: Axis) -> SetupFile {
        let (point, facing) = read_as(written, read);
        let translation = point(Vec3::new(0.2, 0.0, 0.03));
        let local = Trs { translation, scale: Vec3::splat(2.0), ..Trs::IDENTITY };
        let ball = NodeRef::Placed(Box::new(node("Ball", "Arm", local, HelperRole::Plain)));
        let ball = Collider::new("Ball", ball, Shape::Sphere { radius: 0.05, inside: false });
        let along = Quat::from_rotation_arc(Vec3::X, Vec3::new(0.0, -0.1, 0.2).normalize());
        let turned = Trs { rotation: facing(along), ..Trs::IDENTITY };
        let pivot = node("Strand_Pivot", "Hand", turned, HelperRole::Pivot);
        let joint = Joint { pivot: Some("Strand_Pivot".into()), ..Joint::new("Strand".to_owned()) };
        let joint = SetupItem::Joint(JointItem { scope: JointScope::Row, chain: None, joint });
        let items = vec![
            FileItem::new(0, Section::Joints, "Strand", joint),
            FileItem::new(0, Section::Pivots, "Strand_Pivot", SetupItem::Node(pivot)),
            FileItem::new(0, Section::Colliders, "Ball", SetupItem::Collider(ball)),
        ];
        SetupFile { items, ..SetupFile::new(TableFormat::Csv, SolverKind::UnityChanSpringBone) }
    }

    fn preview(file: &SetupFile, skin: &Skin) -> MirrorPreview {
        mirror_preview(file, &Leads::new(), &Document::default(), &skeleton(), skin)
    }

    #[test]
    fn the_mirror_that_a_table_was_written_with_is_closer() {
        for written in [Axis::X, Axis::Z] {
            let [x, z] = [Axis::X, Axis::Z].map(|read| preview(&table(written, read), &Skin::default()));
            assert_eq!(closer_mirror(x.error, z.error), Some(written));
            let good = if written == Axis::X { &x } else { &z };
            assert!((good.error.distance.expect("a ball") - 0.03).abs() < 1e-5, "{:?}", good.error);
            assert!(good.error.angle.expect("a pivot") < 0.1, "{:?}", good.error);
            let [ball] = &good.shapes[..] else { panic!("{:?}", good.shapes) };
            assert!(ball.points[0].distance(Vec3::new(0.2, 0.0, 0.03)) < 1e-5, "{ball:?}");
            assert!((ball.radius - 0.1).abs() < 1e-6, "the node's scale counts: {ball:?}");
        }
    }

    #[test]
    fn a_vertex_may_be_closer_to_a_ball_than_the_bone() {
        let skin = Skin { points: BTreeMap::from([(BoneId(1), vec![Vec3::new(0.2, 0.0, 0.04)])]) };
        let error = preview(&table(Axis::X, Axis::X), &skin).error;
        assert!((error.distance.expect("a ball") - 0.01).abs() < 1e-5, "{error:?}");
    }

    #[test]
    fn a_table_without_shapes_has_nothing_to_measure() {
        let [x, z] = [Axis::X, Axis::Z].map(|read| {
            let mut bare = table(Axis::X, read);
            bare.items.retain(|item| item.section == Section::Joints);
            preview(&bare, &Skin::default())
        });
        assert!(x.is_empty() && z.is_empty());
        assert_eq!(x.error, MirrorError::default());
        assert_eq!(closer_mirror(x.error, z.error), None);
    }

    #[test]
    fn nodes_of_a_file_that_are_their_own_parents_have_no_place() {
        let mut file = table(Axis::X, Axis::X);
        for (name, parent) in [("A", "B"), ("B", "A")] {
            let item = SetupItem::Node(node(name, parent, Trs::IDENTITY, HelperRole::Null));
            file.items.push(FileItem::new(0, Section::Nodes, name, item));
        }
        let Ok(SetupItem::Collider(ball)) = &mut file.items[2].content else { panic!("a collider") };
        ball.node = NodeRef::Placed(Box::new(node("Ball", "A", Trs::IDENTITY, HelperRole::Plain)));
        assert!(preview(&file, &Skin::default()).shapes.is_empty());
    }
}
