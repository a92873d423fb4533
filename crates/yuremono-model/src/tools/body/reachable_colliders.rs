//! Determines which joints can touch which colliders.

use crate::document::{Chain, ChainPart, Document, Joint, Node, RestFrames};
use glam::Vec3;
use yuremono_sim::ColliderShape;
use yuremono_sim::math::closest_on_segment;
use yuremono_sim::params::{ParamId, ParamMeaning, ParamScope, enumerate_params};
use yuremono_sim::rig::Skeleton;

/// Maximum depth of a tip inside a shape, as a share of the radius. A joint with a deeper tip does not get the
/// collider, because pushing the tip out would deform the rest pose.
const MAX_TIP_DEPTH_RATIO: f32 = 0.35;

/// A sphere or capsule in the rest pose, in world space, in metres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct WorldCapsule {
    pub ends: [Vec3; 2],
    pub radius: f32,
}

impl WorldCapsule {
    pub(super) fn from_shape(stance: &RestFrames, node: Node, shape: ColliderShape) -> Option<Self> {
        let frame = stance.frame(node)?;
        Self::from_placed_shape(shape, frame.position, |up| frame.transform_point(Vec3::Y * up))
    }

    /// Supports only spheres and capsules that push outwards. `along` returns the point at a distance along the axis.
    pub(super) fn from_placed_shape(shape: ColliderShape, origin: Vec3, along: impl Fn(f32) -> Vec3) -> Option<Self> {
        match shape {
            ColliderShape::Sphere { radius, inside: false } => Some(Self { ends: [origin; 2], radius }),
            ColliderShape::Capsule { radius, height, inside: false } => {
                Some(Self { ends: [origin, along(height)], radius })
            }
            _ => None,
        }
    }

    /// Whether a tip is so deep inside that the joint must not collide with the shape.
    pub(super) fn contains_tip(&self, tip: Vec3) -> bool {
        self.radius - self.distance(tip) > MAX_TIP_DEPTH_RATIO * self.radius
    }

    fn distance(&self, point: Vec3) -> f32 {
        closest_on_segment(point, self.ends[0], self.ends[1]).distance(point)
    }
}

/// The positions that a joint can reach.
pub(super) struct JointReach {
    pub joint_index: usize,
    root: Vec3,
    tip: Vec3,
    /// Distance from the root along the chain to the tip, plus the hit radius, in metres.
    max_distance: f32,
}

impl JointReach {
    pub(super) fn can_touch(&self, spot: &WorldCapsule) -> bool {
        spot.distance(self.root) <= self.max_distance + spot.radius && !spot.contains_tip(self.tip)
    }
}

/// Returns the joints of a chain that colliders may push. Skips breasts and ears, because they are inside the body by
/// design.
pub(super) fn joint_reaches(
    document: &Document,
    chain: &Chain,
    skeleton: &Skeleton,
    stance: &RestFrames,
) -> Vec<JointReach> {
    if matches!(chain.part, ChainPart::Breast | ChainPart::Ear) {
        return Vec::new();
    }
    let places = document.curve_positions_in_pose(chain, stance.rest(), skeleton);
    let thickness = tip_radius_param(document, chain);
    let mut arms: Vec<f32> = Vec::with_capacity(chain.joints.len());
    let mut roots: Vec<Option<Vec3>> = Vec::with_capacity(chain.joints.len());
    let mut found = Vec::new();
    for (at, joint) in chain.joints.iter().enumerate() {
        let head = stance.head(joint.bone);
        let tip = stance.tip(skeleton, joint);
        let above = parent_joint(chain, skeleton, joint);
        let length = head.zip(tip).map_or(0.0, |(head, tip)| head.distance(tip));
        arms.push(above.map_or(0.0, |i| arms.get(i).copied().unwrap_or_default()) + length);
        roots.push(above.and_then(|i| roots.get(i).copied().flatten()).or(head));
        let radius = thickness.map_or(0.0, |param| chain.joint_value(at, param, places[at]).max(0.0));
        if let (Some(root), Some(tip), true) = (roots[at], tip, radius.is_finite() && arms[at].is_finite()) {
            found.push(JointReach { joint_index: at, root, tip, max_distance: arms[at] + radius });
        }
    }
    found
}

pub(super) fn tip_radius_param(document: &Document, chain: &Chain) -> Option<ParamId> {
    let is_radius = |(_, def): &(ParamId, &yuremono_sim::params::ParamDef)| {
        def.scope == ParamScope::Joint && def.meaning == ParamMeaning::Radius
    };
    enumerate_params(document.param_defs_of(chain)).find(is_radius).map(|(param, _)| param)
}

fn parent_joint(chain: &Chain, skeleton: &Skeleton, joint: &Joint) -> Option<usize> {
    skeleton.get_parent(joint.bone).and_then(|bone| chain.joint_index(bone))
}
