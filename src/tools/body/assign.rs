//! Which joints can touch which colliders.

use crate::document::{Chain, Document, Joint, Node, Part, Stance};
use crate::math::closest_on_segment;
use crate::rig::Skeleton;
use crate::schema::{Idea, Row, Scope, rows};
use crate::sim::Shape;
use glam::Vec3;

/// A tip deeper inside a shape than this share of its radius belongs there: pushing it out would tear the rest pose.
const DEEP: f32 = 0.35;

/// A ball or a capsule in the rest pose, metres in the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Spot {
    pub ends: [Vec3; 2],
    pub radius: f32,
}

impl Spot {
    pub(super) fn of(stance: &Stance, node: Node, shape: Shape) -> Option<Self> {
        let frame = stance.frame(node)?;
        Self::standing(shape, frame.position, |up| frame.point(Vec3::Y * up))
    }

    /// `along` gives a point so far along the axis.
    pub(super) fn standing(shape: Shape, origin: Vec3, along: impl Fn(f32) -> Vec3) -> Option<Self> {
        match shape {
            Shape::Sphere { radius, inside: false } => Some(Self { ends: [origin; 2], radius }),
            Shape::Capsule { radius, height, inside: false } => Some(Self { ends: [origin, along(height)], radius }),
            _ => None,
        }
    }

    fn distance(&self, point: Vec3) -> f32 {
        closest_on_segment(point, self.ends[0], self.ends[1]).distance(point)
    }
}

/// A joint with what it could reach.
pub(super) struct Reach {
    /// Position in its chain.
    pub joint: usize,
    root: Vec3,
    tip: Vec3,
    /// From the root along the strand to the tip, and the hit radius, metres.
    arm: f32,
}

impl Reach {
    pub(super) fn touches(&self, spot: &Spot) -> bool {
        spot.distance(self.root) <= self.arm + spot.radius
            && spot.radius - spot.distance(self.tip) <= DEEP * spot.radius
    }
}

/// The joints of a chain that may be pushed at all: those of breasts and ears lie in the body by nature.
pub(super) fn reaches(document: &Document, chain: &Chain, skeleton: &Skeleton, stance: &Stance) -> Vec<Reach> {
    if matches!(chain.part, Part::Breast | Part::Ear) {
        return Vec::new();
    }
    let places = document.places_in(chain, stance.rest(), skeleton);
    let thickness = thickness(document, chain);
    let mut arms: Vec<f32> = Vec::with_capacity(chain.joints.len());
    let mut roots: Vec<Option<Vec3>> = Vec::with_capacity(chain.joints.len());
    let mut found = Vec::new();
    for (at, joint) in chain.joints.iter().enumerate() {
        let head = stance.head(joint.bone);
        let tip = stance.tip(skeleton, joint);
        let above = above(chain, skeleton, joint);
        let length = head.zip(tip).map_or(0.0, |(head, tip)| head.distance(tip));
        arms.push(above.map_or(0.0, |i| arms.get(i).copied().unwrap_or_default()) + length);
        roots.push(above.and_then(|i| roots.get(i).copied().flatten()).or(head));
        let radius = thickness.map_or(0.0, |row| chain.value(at, row, places[at]).max(0.0));
        if let (Some(root), Some(tip), true) = (roots[at], tip, radius.is_finite() && arms[at].is_finite()) {
            found.push(Reach { joint: at, root, tip, arm: arms[at] + radius });
        }
    }
    found
}

/// How thick the solver's tips are, where it has a number for that.
fn thickness(document: &Document, chain: &Chain) -> Option<Row> {
    let is_radius = |(_, def): &(Row, &crate::schema::ParamDef)| def.scope == Scope::Joint && def.idea == Idea::Radius;
    rows(document.table_of(chain)).find(is_radius).map(|(row, _)| row)
}

/// The joint that a joint hangs on.
fn above(chain: &Chain, skeleton: &Skeleton, joint: &Joint) -> Option<usize> {
    skeleton.parent_of(joint.bone).and_then(|bone| chain.position(bone))
}
