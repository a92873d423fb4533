//! What a table's shapes and frames would look like on the body under each mirror, and how well they sit there.
//!
//! The mirror of a file is not written in it. Colliders lie in or near the flesh of the bone that they hang on, and
//! pivots point along the bones that ask for them: the wrong mirror puts both elsewhere. Nothing is changed here.

use super::place::local_of;
use super::{ImportPlan, View};
use crate::doc::pivot::{Axis, tip_of};
use crate::doc::table::{ColliderCells, NodeCells};
use crate::doc::{Joint, Node, bone_under};
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
/// Nodes of a file that hang on each other beyond this many are left alone.
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
pub struct GhostShape {
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
pub struct GhostPivot {
    /// The bone that carries it; the direction is in its space.
    pub bone: BoneId,
    /// The bone whose limits are measured in it.
    pub asks: BoneId,
    /// Of unit length; the limits' middle.
    pub along: Vec3,
}

/// How far off a table sits; `None` where it has nothing to measure.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sits {
    /// Mean way from colliders' centres to the nearest point of the flesh or bone that carries them, metres.
    pub distance: Option<f32>,
    /// Mean angle between pivots and the bones that ask for them, degrees.
    pub angle: Option<f32>,
}

/// A table on this body under one mirror.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ghost {
    /// Colliders whose parents are here.
    pub shapes: Vec<GhostShape>,
    /// Pivots whose parents are here and that some bone asks for.
    pub pivots: Vec<GhostPivot>,
    /// How far off.
    pub sits: Sits,
}

impl Ghost {
    /// Whether there is nothing to see.
    pub fn is_empty(&self) -> bool {
        self.shapes.is_empty() && self.pivots.is_empty()
    }
}

/// The mirror under which a table sits better; `None` where both sit alike.
pub fn better(x: Sits, z: Sits) -> Option<Axis> {
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

impl ImportPlan {
    /// The table's colliders and pivots under a mirror, whatever the plan's own. Ticks do not matter.
    pub fn ghost(&self, axis: Axis, document: &crate::doc::Document, skeleton: &Skeleton, skin: &Skin) -> Ghost {
        let view = View::new(document, skeleton);
        let mut nodes = Nodes { plan: self, view: &view, axis, frames: BTreeMap::new() };
        let mut ghost = Ghost::default();
        let mut ways = Vec::new();
        if self.table.has_collider_rules() {
            for row in &self.table.colliders {
                let Ok(cells) = &row.cells else { continue };
                if let Some((shape, centre)) = nodes.shape(&row.name, cells) {
                    ways.extend(way_to_body(centre, shape.bone, &view, skin));
                    ghost.shapes.push(shape);
                }
            }
        }
        ghost.pivots = nodes.pivots();
        let turns: Vec<f32> = ghost.pivots.iter().filter_map(|p| turn(p, &view)).collect();
        ghost.sits = Sits { distance: mean(&ways), angle: mean(&turns) };
        ghost
    }
}

fn mean(values: &[f32]) -> Option<f32> {
    let mean = values.iter().sum::<f32>() / values.len() as f32;
    mean.is_finite().then_some(mean)
}

/// Where nodes of the file and of the document stand.
struct Nodes<'a> {
    plan: &'a ImportPlan,
    view: &'a View<'a>,
    axis: Axis,
    frames: BTreeMap<String, Option<(BoneId, Frame)>>,
}

impl Nodes<'_> {
    /// The bone under the node of a name and the node's frame in the world's rest pose.
    fn find(&mut self, name: &str, depth: usize) -> Option<(BoneId, Frame)> {
        if let Some(known) = self.frames.get(name) {
            return *known;
        }
        let found = self.of_file(name, depth).or_else(|| self.here(name));
        self.frames.insert(name.to_owned(), found);
        found
    }

    fn here(&self, name: &str) -> Option<(BoneId, Frame)> {
        let node = self.plan.node_named(name, self.view)?;
        Some((bone_under(self.view.document, node)?, self.frame_here(node, 0)?))
    }

    fn frame_here(&self, node: Node, depth: usize) -> Option<Frame> {
        match node {
            Node::Bone(bone) => self.view.rest.frames.get(bone.index()).copied(),
            Node::Helper(_) if depth > self.view.document.helpers.len() => None,
            Node::Helper(id) => {
                let helper = self.view.document.helpers.get(&id)?;
                Some(self.frame_here(helper.parent, depth + 1)?.child(&helper.local))
            }
        }
    }

    /// A bare node of the file goes where the file says; a bone of that name stays.
    fn of_file(&mut self, name: &str, depth: usize) -> Option<(BoneId, Frame)> {
        if depth > DEEPEST || self.plan.bone_named(name, self.view.skeleton).is_some() {
            return None;
        }
        let row = self.plan.table.nulls.iter().find(|r| r.name == name)?;
        let NodeCells { parent, .. } = row.cells.as_ref().ok()?;
        let (bone, frame) = self.find(parent, depth + 1)?;
        Some((bone, frame.child(&local_of(row.cells.as_ref().ok()?, self.axis, None))))
    }

    /// A collider, and its centre in the world.
    fn shape(&mut self, name: &str, cells: &ColliderCells) -> Option<(GhostShape, Vec3)> {
        let (bone, parent) = self.find(&cells.node.parent, 0)?;
        let frame = parent.child(&local_of(&cells.node, self.axis, Some(&cells.shape)));
        let carrier = self.view.rest.frames.get(bone.index())?;
        let (own, radius) = match cells.shape {
            Shape::Sphere { radius, inside: false } => (vec![Vec3::ZERO], radius),
            Shape::Capsule { radius, height, inside: false } => (vec![Vec3::ZERO, Vec3::Y * height], radius),
            Shape::Panel { width, height } => (panel(width, height), 0.0),
            // No table has these.
            _ => return None,
        };
        let scale = frame.linear().y_axis.length();
        let world: Vec<Vec3> = own.into_iter().map(|p| frame.point(p)).collect();
        let ends = if radius > 0.0 { world.as_slice() } else { &world[..1] };
        let centre = match cells.shape {
            Shape::Panel { .. } => frame.position,
            _ => ends.iter().sum::<Vec3>() / ends.len() as f32,
        };
        let points: Vec<Vec3> = world.iter().map(|p| carrier.inverse_point(*p)).collect();
        let good = centre.is_finite() && points.iter().all(|p| p.is_finite()) && radius.is_finite();
        good.then(|| (GhostShape { name: name.to_owned(), bone, points, radius: radius * scale }, centre))
    }

    fn pivots(&mut self) -> Vec<GhostPivot> {
        let mut found = Vec::new();
        let plan = self.plan;
        for row in &plan.table.bones {
            let (Ok(cells), Some(asks)) = (&row.cells, plan.bone_named(&row.name, self.view.skeleton)) else {
                continue;
            };
            let Some(at) = plan.pivots.get(&cells.pivot) else { continue };
            let Ok(pivot) = &plan.table.pivots[*at].cells else { continue };
            let Some((bone, frame)) = self.find(&pivot.parent, 0) else { continue };
            let Some(carrier) = self.view.rest.frames.get(bone.index()) else { continue };
            let world = frame.rotation * self.axis.pivot_from_euler(pivot.euler_deg);
            let along = (carrier.rotation.inverse() * (world * Vec3::X)).normalize_or_zero();
            if along != Vec3::ZERO {
                found.push(GhostPivot { bone, asks, along });
            }
        }
        found
    }
}

/// Corners, the first again at the end.
fn panel(width: f32, height: f32) -> Vec<Vec3> {
    let corner = |x: f32, y: f32| Vec3::new(x * width, y * height, 0.0) * 0.5;
    vec![corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0), corner(-1.0, -1.0)]
}

/// Metres from a point of the world to the nearest vertex that follows a bone, or to the lines from it to its
/// children.
fn way_to_body(point: Vec3, bone: BoneId, view: &View<'_>, skin: &Skin) -> Option<f32> {
    let frame = view.rest.frames.get(bone.index())?;
    let flesh = skin.points.get(&bone).into_iter().flatten().map(|p| frame.point(*p).distance(point));
    let heads = view.skeleton.children(bone).iter().map(|c| view.rest.frame(*c).position);
    let lines = heads.map(|head| to_segment(point, frame.position, head));
    flesh.chain(lines).chain([frame.position.distance(point)]).filter(|d| d.is_finite()).min_by(f32::total_cmp)
}

fn to_segment(point: Vec3, from: Vec3, to: Vec3) -> f32 {
    let along = to - from;
    let share = ((point - from).dot(along) / along.length_squared()).clamp(0.0, 1.0);
    let share = if share.is_finite() { share } else { 0.0 };
    point.distance(from + along * share)
}

/// Degrees between a pivot and the bone that asks for it.
fn turn(pivot: &GhostPivot, view: &View<'_>) -> Option<f32> {
    let joint = match view.document.joint_of(pivot.asks) {
        Some((chain, at)) => view.document.chains[&chain].joints[at].clone(),
        None => Joint::new(pivot.asks),
    };
    let head = view.rest.frames.get(pivot.asks.index())?.position;
    let along = (tip_of(view.skeleton, &view.rest, &joint) - head).normalize_or_zero();
    let angle = (view.rest.frame(pivot.bone).rotation * pivot.along).angle_between(along).to_degrees();
    (along != Vec3::ZERO && angle.is_finite()).then_some(angle)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doc::table::{BoneCells, BoneRow, ColliderRow, PivotCells, PivotRow};
    use crate::doc::{BoneTable, Document};
    use crate::math::Trs;
    use crate::rig::Bone;
    use crate::schema::ParamSet;
    use crate::sim::SolverKind;
    use glam::Quat;

    /// An arm to the left with a strand that hangs forward from its end.
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
        .expect("ordered")
    }

    /// A ball in the middle of the arm and a pivot along the strand, written with this mirror.
    fn table(axis: Axis) -> BoneTable {
        let node = NodeCells {
            parent: "Arm".to_owned(),
            position: axis.point(Vec3::new(0.2, 0.0, 0.03)).to_array(),
            euler_deg: [0.0; 3],
            scale: [2.0; 3],
        };
        let cells =
            ColliderCells { node, shape: Shape::Sphere { radius: 0.05, inside: false }, renderer: String::new() };
        let along = Quat::from_rotation_arc(Vec3::X, Vec3::new(0.0, -0.1, 0.2).normalize());
        let pivot = PivotCells { parent: "Hand".to_owned(), euler_deg: axis.euler_from_pivot(along) };
        let values = ParamSet::defaults(Document::default().main().table());
        let bone =
            BoneCells { values, pivot: "Strand_Pivot".to_owned(), length_targets: Vec::new(), colliders: Vec::new() };
        BoneTable {
            version: Some(4),
            bones: vec![BoneRow::new("Strand", bone)],
            pivots: vec![PivotRow::new("Strand_Pivot", pivot)],
            colliders: vec![ColliderRow::new("Ball", cells)],
            ..BoneTable::new(SolverKind::UnityChanSpringBone)
        }
    }

    fn ghosts(table: BoneTable) -> [Ghost; 2] {
        let (document, skeleton) = (Document::default(), skeleton());
        let plan = ImportPlan::new(table, Vec::new(), &document, &skeleton, Axis::X, &BTreeMap::new());
        [Axis::X, Axis::Z].map(|axis| plan.ghost(axis, &document, &skeleton, &Skin::default()))
    }

    #[test]
    fn the_mirror_that_a_table_was_written_with_sits_better() {
        for axis in [Axis::X, Axis::Z] {
            let [x, z] = ghosts(table(axis));
            assert_eq!(better(x.sits, z.sits), Some(axis));
            let good = if axis == Axis::X { &x } else { &z };
            assert!((good.sits.distance.expect("a ball") - 0.03).abs() < 1e-5, "{:?}", good.sits);
            assert!(good.sits.angle.expect("a pivot") < 0.1, "{:?}", good.sits);
            let [ball] = &good.shapes[..] else { panic!("{:?}", good.shapes) };
            assert!(ball.points[0].distance(Vec3::new(0.2, 0.0, 0.03)) < 1e-5, "{ball:?}");
            assert!((ball.radius - 0.1).abs() < 1e-6, "the node's scale counts: {ball:?}");
        }
    }

    #[test]
    fn a_ball_in_the_flesh_is_nearer_than_the_bone() {
        let flesh = Skin { points: BTreeMap::from([(BoneId(1), vec![Vec3::new(0.2, 0.0, 0.04)])]) };
        let (document, skeleton) = (Document::default(), skeleton());
        let plan = ImportPlan::new(table(Axis::X), Vec::new(), &document, &skeleton, Axis::X, &BTreeMap::new());
        let sits = plan.ghost(Axis::X, &document, &skeleton, &flesh).sits;
        assert!((sits.distance.expect("a ball") - 0.01).abs() < 1e-5, "{sits:?}");
    }

    #[test]
    fn a_table_without_shapes_has_nothing_to_measure() {
        let mut bare = table(Axis::X);
        bare.colliders.clear();
        bare.pivots.clear();
        let [x, z] = ghosts(bare);
        assert!(x.is_empty() && z.is_empty());
        assert_eq!(x.sits, Sits::default());
        assert_eq!(better(x.sits, z.sits), None);
    }

    #[test]
    fn nodes_of_a_file_that_hang_on_themselves_find_no_place() {
        let mut table = table(Axis::X);
        let node = |parent: &str| NodeCells {
            parent: parent.to_owned(),
            position: [0.0; 3],
            euler_deg: [0.0; 3],
            scale: [1.0; 3],
        };
        let null = |name: &str, parent: &str| crate::doc::table::NullRow::new(name, node(parent));
        table.nulls = vec![null("A", "B"), null("B", "A")];
        table.colliders[0].cells.as_mut().expect("good").node.parent = "A".to_owned();
        let [x, _] = ghosts(table);
        assert!(x.shapes.is_empty());
    }
}
