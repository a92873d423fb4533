//! Geometry without meaning.
//!
//! Transforms, curves, rays and closest points. Nothing here knows what a skeleton is;
//! everything is a plain value or a pure function, in right-handed space with +Y up.

mod convex;
mod curve;
mod frame;
mod geometry;
pub mod number;
mod simd;
mod trs;

pub use convex::{ConvexMesh, convex_hull};
pub use curve::{Curve, CurveKey, CurveShape, Interpolation};
pub use frame::Frame;
pub use geometry::{Ray, arc_between, closest_on_segment, lerp_shortest, renormalize, shortest_arc};
pub use number::JsonNumber;
pub use simd::{Quatx4, Vec3x4, for_each_lane, from_lanes};
pub use trs::Trs;
