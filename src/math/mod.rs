//! Geometry without meaning.
//!
//! Transforms, curves, rays and closest points. Nothing here knows what a skeleton is;
//! everything is a plain value or a pure function, in right-handed space with +Y up.

mod convex;
mod curve;
mod four;
mod frame;
mod geometry;
pub mod number;
mod trs;

pub use convex::{Convex, convex};
pub use curve::{Curve, CurveShape, Interpolation, Key};
pub use four::{Quatx4, Vec3x4, each_lane, lanes};
pub use frame::Frame;
pub use geometry::{Ray, arc_between, closest_on_segment, lerp_shortest, shortest_arc, unit_again};
pub use number::Number;
pub use trs::Trs;
