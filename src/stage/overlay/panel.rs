use super::project_all;
use crate::math::Frame;
use crate::stage::Shot;
use glam::{Vec2, Vec3};

/// A rectangle across Z about the origin of its frame; what is behind it is pushed towards +Z.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plate {
    /// Where it stands.
    pub frame: Frame,
    /// Half of its width and height, metres in its frame.
    pub half: [f32; 2],
}

impl Plate {
    /// Its corners in the world, round about.
    pub fn corners(&self) -> [Vec3; 4] {
        let [x, y] = self.half;
        [[-x, -y], [x, -y], [x, y], [-x, y]].map(|[x, y]| self.frame.point(Vec3::new(x, y, 0.0)))
    }

    /// Where it pushes, unit length in the world.
    pub fn normal(&self) -> Vec3 {
        self.frame.rotation * Vec3::Z
    }
}

/// A plate as it is drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct PlateShape {
    /// The rectangle; convex.
    pub outline: [Vec2; 4],
    /// Short strokes from the edge into the solid side, as plans mark ground.
    pub solid: Vec<[Vec2; 2]>,
    /// From the middle towards where it pushes.
    pub normal: [Vec2; 2],
}

/// Strokes along each edge of a plate.
const STROKES: u16 = 5;

/// The rectangle, the marks of its solid side and an arrow of `reach` metres along its normal. `None` where parts of it
/// are behind the eye.
pub fn plate(shot: &Shot, plate: &Plate, reach: f32) -> Option<PlateShape> {
    let corners = plate.corners();
    let outline: Vec<Vec2> = project_all(shot, corners)?;
    let normal = plate.normal();
    let mut solid = Vec::new();
    for (i, from) in corners.into_iter().enumerate() {
        let to = corners[(i + 1) % 4];
        for k in 0..STROKES {
            let foot = from.lerp(to, (f32::from(k) + 0.5) / f32::from(STROKES));
            let ends = project_all(shot, [foot, foot - normal * reach * 0.15])?;
            solid.push([ends[0], ends[1]]);
        }
    }
    let middle = plate.frame.position;
    let arrow = project_all(shot, [middle, middle + normal * reach])?;
    Some(PlateShape { outline: outline.try_into().ok()?, solid, normal: [arrow[0], arrow[1]] })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Trs;
    use crate::stage::{OrbitCamera, Pane};
    use glam::Quat;

    fn wall() -> Plate {
        let local = Trs { rotation: Quat::from_rotation_y(0.5), ..Trs::from_translation(Vec3::new(0.1, 0.2, 0.0)) };
        Plate { frame: Frame::WORLD.child(&local), half: [0.2, 0.1] }
    }

    fn shot() -> Shot {
        OrbitCamera { target: Vec3::ZERO, yaw: 0.0, pitch: 0.0, ..OrbitCamera::default() }
            .shot(&Pane::whole(Vec2::new(800.0, 600.0)))
    }

    #[test]
    fn the_outline_is_where_the_corners_are_seen_and_the_arrow_leaves_the_solid_side() {
        let shot = shot();
        let seen = plate(&shot, &wall(), 0.1).expect("in front");
        for (corner, pixel) in wall().corners().into_iter().zip(seen.outline) {
            assert!(shot.project(corner).expect("in front").pixel.distance(pixel) < 1e-3);
        }
        assert_eq!(seen.solid.len(), 20);
        let [from, to] = seen.normal;
        // Turned to the right, the front leads to the right; the marks lead to the left.
        assert!(to.x > from.x + 3.0, "{from} {to}");
        assert!(seen.solid.iter().all(|[a, b]| b.x < a.x));
        let behind = Plate { frame: Frame::WORLD.child(&Trs::from_translation(shot.eye)), ..wall() };
        assert_eq!(plate(&shot, &behind, 0.1), None);
    }

    #[test]
    fn sizes_that_are_none_do_no_harm() {
        for odd in [-0.2, f32::NAN, f32::NEG_INFINITY] {
            for half in [[odd, 0.1], [0.1, odd]] {
                let odd = Plate { half, ..wall() };
                _ = plate(&shot(), &odd, 0.1);
            }
        }
    }
}
