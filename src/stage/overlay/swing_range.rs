use super::project_all;
use crate::stage::CameraView;
use glam::{Quat, Vec2, Vec3};
use std::f32::consts::TAU;

/// Radians between two points of a rim.
const STEP_RADIANS: f32 = 0.07;

/// Which directions a joint may take, about +Y of a space of its own; radians.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SwingRange {
    /// All that lean from +Y by no more.
    Cone(f32),
    /// Those across X that lean from +Y by no more.
    Hinge(f32),
    /// By angles about X and then about Z.
    Spherical([f32; 2]),
}

impl SwingRange {
    /// Its edge as unit directions; closed, but for a fan.
    fn rim(self) -> Vec<Vec3> {
        let walk = |from: f32, to: f32| {
            let steps = ((to - from).abs() / STEP_RADIANS).ceil().max(1.0) as u16;
            (0..=steps).map(move |i| from + (to - from) * f32::from(i) / f32::from(steps))
        };
        match self {
            Self::Cone(angle) => {
                let (sin, cos) = angle.sin_cos();
                walk(0.0, TAU).map(|t| Vec3::new(sin * t.sin(), cos, sin * t.cos())).collect()
            }
            Self::Hinge(angle) => walk(-angle, angle).map(|t| tilted_direction(t, 0.0)).collect(),
            Self::Spherical([pitch, yaw]) => {
                let sides = [
                    walk(-pitch, pitch).map(|t| tilted_direction(t, -yaw)).collect::<Vec<_>>(),
                    walk(-yaw, yaw).map(|t| tilted_direction(pitch, t)).collect(),
                    walk(pitch, -pitch).map(|t| tilted_direction(t, yaw)).collect(),
                    walk(yaw, -yaw).map(|t| tilted_direction(-pitch, t)).collect(),
                ];
                sides.concat()
            }
        }
    }

    /// Directions along which lines lead from the head to the rim.
    fn spoke_directions(self) -> Vec<Vec3> {
        match self {
            Self::Cone(angle) => {
                let (sin, cos) = angle.sin_cos();
                [[sin, 0.0], [0.0, sin], [-sin, 0.0], [0.0, -sin]].map(|[x, z]| Vec3::new(x, cos, z)).to_vec()
            }
            Self::Hinge(angle) => [-angle, angle].map(|t| tilted_direction(t, 0.0)).to_vec(),
            Self::Spherical([pitch, yaw]) => [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]]
                .map(|[a, b]| tilted_direction(a * pitch, b * yaw))
                .to_vec(),
        }
    }
}

/// +Y after a turn about X and one about Z.
fn tilted_direction(pitch: f32, yaw: f32) -> Vec3 {
    Vec3::new(yaw.sin(), yaw.cos() * pitch.cos(), yaw.cos() * pitch.sin())
}

/// A range of directions as it is drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct SwingOutline {
    /// Where all begins.
    pub head: Vec2,
    /// The middle of the range.
    pub middle: Vec2,
    /// Its edge; closed, but for a fan.
    pub rim: Vec<Vec2>,
    /// Lines from the head to the edge.
    pub spokes: Vec<[Vec2; 2]>,
    /// The end of the joint's present direction.
    pub current: Vec2,
}

/// The range about `turn`'s +Y, `reach` metres long, at `head`; `towards` is where the joint points. `None` where parts
/// of it are behind the eye.
pub fn swing_outline(
    shot: &CameraView,
    (head, turn): (Vec3, Quat),
    opening: SwingRange,
    (towards, reach): (Vec3, f32),
) -> Option<SwingOutline> {
    let at = |direction: Vec3| head + turn * direction * reach;
    let points = [head, at(Vec3::Y), head + towards.normalize_or_zero() * reach];
    let [start, middle, live] = project_all(shot, points)?.try_into().ok()?;
    let rim = project_all(shot, opening.rim().into_iter().map(at))?;
    let ends = project_all(shot, opening.spoke_directions().into_iter().map(at))?;
    let spokes = ends.into_iter().map(|end| [start, end]).collect();
    Some(SwingOutline { head: start, middle, rim, spokes, current: live })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stage::{OrbitCamera, ViewRect};

    #[track_caller]
    fn check(opening: SwingRange, within: impl Fn(Vec3) -> bool) {
        let rim = opening.rim();
        assert!(rim.len() > 4 && rim.iter().all(|d| (d.length() - 1.0).abs() < 1e-5 && within(*d)), "{rim:?}");
        let camera = OrbitCamera { target: Vec3::ZERO, ..OrbitCamera::default() };
        let shot = camera.view(&ViewRect::uncovered(Vec2::new(800.0, 800.0)));
        let seen = swing_outline(&shot, (Vec3::ZERO, Quat::IDENTITY), opening, (Vec3::Y, 0.2)).expect("in front");
        assert_eq!(seen.rim.len(), rim.len());
        assert!(seen.current.distance(seen.middle) < 1e-3, "it points along the middle");
    }

    #[test]
    fn every_rim_point_is_at_the_limit_angle() {
        check(SwingRange::Cone(0.5), |d| (d.y.acos() - 0.5).abs() < 1e-4);
        check(SwingRange::Hinge(0.8), |d| d.x == 0.0 && d.y.acos() < 0.8001);
        check(SwingRange::Spherical([0.6, 0.3]), |d| d.z.atan2(d.y).abs() < 0.6001 && d.x.asin().abs() < 0.3001);
    }

    #[test]
    fn invalid_angles_do_not_panic() {
        for odd in [0.0, f32::NAN, std::f32::consts::PI] {
            let all = [SwingRange::Cone(odd), SwingRange::Hinge(odd), SwingRange::Spherical([odd, odd])];
            assert!(all.iter().all(|o| !o.rim().is_empty()));
        }
    }
}
