//! What colliders look like: solids, rooms and planes, as they stand in the world.

use crate::math::Frame;
use crate::sim::{ConvexHull, Shape};
use crate::stage::Shot;
use crate::stage::overlay::{self, Plate};
use glam::{Vec2, Vec3};
use std::sync::Arc;

/// Half the extent that is drawn of an endless plane, metres.
const PLANE: f32 = 0.4;

/// What a collider is made of.
#[derive(Clone, Debug)]
pub(super) enum Body {
    /// A ball or a rod, thicker at one end perhaps: the centres of its caps and their radii, metres in the world.
    Round { ends: [Vec3; 2], radii: [f32; 2] },
    /// A rod with flat ends.
    Drum { ends: [Vec3; 2], radius: f32 },
    /// A cuboid by its corners; bits of the position are x, y and z.
    Block([Vec3; 8]),
    /// A convex mesh: its corners, and its edges by positions among them.
    Hull { corners: Vec<Vec3>, edges: Arc<[[u32; 2]]> },
    /// A plate.
    Flat(Plate),
    /// An endless plane, as a plate.
    Plane(Plate),
}

impl Body {
    /// A shape on a node that stands so.
    pub(super) fn new(frame: &Frame, shape: Shape) -> Self {
        let linear = frame.linear();
        let scale = linear.x_axis.length().max(linear.z_axis.length());
        let from = frame.position;
        let up = |height: f32| frame.point(Vec3::Y * height);
        match shape {
            Shape::Sphere { radius, .. } => Self::Round { ends: [from; 2], radii: [radius * scale; 2] },
            Shape::Capsule { radius, height, .. } => {
                Self::Round { ends: [from, up(height)], radii: [radius * scale; 2] }
            }
            Shape::Tapered { radius, tail_radius, height, .. } => {
                Self::Round { ends: [from, up(height)], radii: [radius * scale, tail_radius * scale] }
            }
            Shape::Cylinder { radius, height, .. } => {
                Self::Drum { ends: [up(-0.5 * height), up(0.5 * height)], radius: radius * scale }
            }
            Shape::Box { width, height, depth, .. } => {
                let half = Vec3::new(width, height, depth) * 0.5;
                let side = |i: usize, bit: usize| if i >> bit & 1 == 0 { -half[bit] } else { half[bit] };
                Self::Block(std::array::from_fn(|i| frame.point(Vec3::new(side(i, 0), side(i, 1), side(i, 2)))))
            }
            Shape::Panel { width, height } => Self::Flat(Plate { frame: *frame, half: [width * 0.5, height * 0.5] }),
            Shape::Plane => Self::Plane(Plate { frame: *frame, half: [PLANE; 2] }),
        }
    }

    /// A convex mesh on a node that stands so.
    pub(super) fn hull(frame: &Frame, hull: &ConvexHull) -> Self {
        let corners = hull.points().iter().map(|point| frame.point(*point)).collect();
        Self::Hull { corners, edges: hull.edges().clone() }
    }

    /// Its outline on the picture; `None` where it lies behind the eye, or the eye is in it.
    pub(super) fn outline(&self, shot: &Shot) -> Option<Vec<Vec2>> {
        match self {
            Self::Round { ends: [from, to], radii } if from.distance(*to) < radii[0].max(radii[1]) * 1e-3 => {
                overlay::sphere(shot, *from, radii[0].max(radii[1]))
            }
            Self::Round { ends, radii } => overlay::tapered(shot, *ends, *radii),
            Self::Drum { ends, radius } => overlay::drum(shot, *ends, *radius),
            Self::Block(corners) => overlay::block(shot, corners),
            Self::Hull { corners, .. } => overlay::block(shot, corners),
            Self::Flat(plate) | Self::Plane(plate) => {
                overlay::plate(shot, plate, 0.0).map(|seen| seen.outline.to_vec())
            }
        }
    }

    /// Lines that show its form inside the outline: equators, ends, edges. `whole` gives all of them.
    pub(super) fn lines(&self, shot: &Shot, up: Vec3, whole: bool) -> Vec<Vec<Vec2>> {
        let closed = |mut line: Vec<Vec2>| {
            line.extend(line.first().copied());
            line
        };
        let circle = |at: Vec3, normal: Vec3, radius: f32| overlay::circle(shot, at, normal, radius).map(closed);
        match self {
            Self::Round { ends: [from, to], radii } if from == to && whole => {
                let axes = [up, up.any_orthogonal_vector(), up.cross(up.any_orthogonal_vector())];
                axes.into_iter().filter_map(|axis| circle(*from, axis, radii[0])).collect()
            }
            Self::Round { ends: [from, to], radii } if whole && from != to => {
                [(*from, radii[0]), (*to, radii[1])].into_iter().filter_map(|(at, r)| circle(at, up, r)).collect()
            }
            Self::Round { ends: [from, to], radii } => {
                circle((*from + *to) * 0.5, up, 0.5 * (radii[0] + radii[1])).into_iter().collect()
            }
            Self::Drum { ends, radius } => ends.iter().filter_map(|at| circle(*at, up, *radius)).collect(),
            Self::Block(corners) => {
                let edges = (0..8_usize).flat_map(|i| [1, 2, 4].map(|bit| (i, i | bit))).filter(|(a, b)| a != b);
                edges.filter_map(|(a, b)| overlay::project_all(shot, [corners[a], corners[b]])).collect()
            }
            Self::Hull { corners, edges } => {
                let line = |[a, b]: &[u32; 2]| [corners[*a as usize], corners[*b as usize]];
                edges.iter().filter_map(|edge| overlay::project_all(shot, line(edge))).collect()
            }
            Self::Flat(_) | Self::Plane(_) => Vec::new(),
        }
    }
}
