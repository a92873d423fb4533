//! Geometry and numbers: transforms, curves, rays, closest points, trees of triangles, SIMD vectors.
//!
//! Plain values and pure functions, in right-handed space with +Y up. This module has no knowledge of bones.

mod curve;
mod geometry;
pub mod number;
mod ring_curve;
mod simd;
mod soft_limit;
mod transform;
mod triangle_tree;

pub use curve::{Curve, CurveKey, CurveShape, Interpolation};
pub(crate) use geometry::NEARLY_EQUAL;
pub use geometry::{
    ConvexMesh, Ray, arc_between, closest_on_segment, convex_hull, lerp_shortest, renormalize, rotation_angle,
    shortest_arc, slerp,
};
pub use number::JsonNumber;
pub use ring_curve::{RingCurve, RingKey};
pub use simd::{Quatx4, Vec3x4, for_each_lane, from_lanes, vec4_from_lanes};
pub use soft_limit::{inverse_soft_limit, soft_limit};
pub use transform::{Frame, Trs};
pub use triangle_tree::{NearTriangle, TriangleTree};
