use super::project_all;
use crate::math::Frame;
use crate::stage::CameraView;
use glam::{Vec2, Vec3};

/// A rectangle across Z about the origin of its frame; what is behind it is pushed towards +Z.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PanelRect {
    /// Where it stands.
    pub frame: Frame,
    /// Half of its width and height, metres in its frame.
    pub half_size: [f32; 2],
}

impl PanelRect {
    /// Its corners in the world, round about.
    pub fn corners(&self) -> [Vec3; 4] {
        let [x, y] = self.half_size;
        [[-x, -y], [x, -y], [x, y], [-x, y]].map(|[x, y]| self.frame.transform_point(Vec3::new(x, y, 0.0)))
    }

    /// Where it pushes, unit length in the world.
    pub fn normal(&self) -> Vec3 {
        self.frame.rotation * Vec3::Z
    }
}

/// A plate as it is drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct PanelShape {
    /// The rectangle; convex.
    pub outline: [Vec2; 4],
    /// Short strokes from the edge into the solid side, as plans mark ground.
    pub hatching: Vec<[Vec2; 2]>,
    /// From the middle towards where it pushes.
    pub normal: [Vec2; 2],
}

/// Strokes along each edge of a plate.
const STROKES_PER_EDGE: u16 = 5;

/// The rectangle, the marks of its solid side and an arrow of `reach` metres along its normal. `None` where parts of it
/// are behind the eye.
pub fn panel_shape(shot: &CameraView, plate: &PanelRect, reach: f32) -> Option<PanelShape> {
    let corners = plate.corners();
    let outline: Vec<Vec2> = project_all(shot, corners)?;
    let normal = plate.normal();
    let mut solid = Vec::new();
    for (i, from) in corners.into_iter().enumerate() {
        let to = corners[(i + 1) % 4];
        for k in 0..STROKES_PER_EDGE {
            let foot = from.lerp(to, (f32::from(k) + 0.5) / f32::from(STROKES_PER_EDGE));
            let ends = project_all(shot, [foot, foot - normal * reach * 0.15])?;
            solid.push([ends[0], ends[1]]);
        }
    }
    let middle = plate.frame.position;
    let arrow = project_all(shot, [middle, middle + normal * reach])?;
    Some(PanelShape { outline: outline.try_into().ok()?, hatching: solid, normal: [arrow[0], arrow[1]] })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Trs;
    use crate::stage::{OrbitCamera, ViewRect};
    use glam::Quat;

    fn wall() -> PanelRect {
        let local = Trs { rotation: Quat::from_rotation_y(0.5), ..Trs::from_translation(Vec3::new(0.1, 0.2, 0.0)) };
        PanelRect { frame: Frame::WORLD.child(&local), half_size: [0.2, 0.1] }
    }

    fn shot() -> CameraView {
        OrbitCamera { target: Vec3::ZERO, yaw: 0.0, pitch: 0.0, ..OrbitCamera::default() }
            .view(&ViewRect::uncovered(Vec2::new(800.0, 600.0)))
    }

    #[test]
    fn the_outline_matches_the_corners_and_the_arrow_points_away_from_the_hatching() {
        let shot = shot();
        let seen = panel_shape(&shot, &wall(), 0.1).expect("in front");
        for (corner, pixel) in wall().corners().into_iter().zip(seen.outline) {
            assert!(shot.project(corner).expect("in front").pixel.distance(pixel) < 1e-3);
        }
        assert_eq!(seen.hatching.len(), 20);
        let [from, to] = seen.normal;
        // Turned to the right, the front leads to the right; the marks lead to the left.
        assert!(to.x > from.x + 3.0, "{from} {to}");
        assert!(seen.hatching.iter().all(|[a, b]| b.x < a.x));
        let behind = PanelRect { frame: Frame::WORLD.child(&Trs::from_translation(shot.eye)), ..wall() };
        assert_eq!(panel_shape(&shot, &behind, 0.1), None);
    }

    #[test]
    fn invalid_sizes_do_not_panic() {
        for odd in [-0.2, f32::NAN, f32::NEG_INFINITY] {
            for half in [[odd, 0.1], [0.1, odd]] {
                let odd = PanelRect { half_size: half, ..wall() };
                _ = panel_shape(&shot(), &odd, 0.1);
            }
        }
    }
}
