//! Outlines of colliders.

use super::project_all;
use crate::stage::CameraView;
use glam::{Vec2, Vec3};
use std::f32::consts::TAU;
use yuremono_sim::math::Frame;

/// Number of points of a circle.
const CIRCLE_POINTS: u16 = 48;

/// Returns the outline of a sphere in perspective: the circle of tangent points. Returns `None` if the eye is inside
/// the sphere, or if any part of the outline is behind the eye.
pub fn sphere_outline(view: &CameraView, centre: Vec3, radius: f32) -> Option<Vec<Vec2>> {
    let away = centre - view.eye;
    let distance = away.length();
    if !(distance > radius * 1.001 && radius > 0.0) {
        return None;
    }
    let ratio = radius / distance;
    let grazed = centre - away * (ratio * ratio);
    let reach = radius * (1.0 - ratio * ratio).sqrt();
    let (a, b) = (away / distance).any_orthonormal_pair();
    project_all(view, circle_points(grazed, [a * reach, b * reach]))
}

/// Returns the outline of a capsule with a radius at each end: the convex hull of both cap outlines. Returns `None` if
/// neither cap has an outline.
pub fn tapered_capsule_outline(view: &CameraView, [from, to]: [Vec3; 2], [thick, thin]: [f32; 2]) -> Option<Vec<Vec2>> {
    let mut points = sphere_outline(view, from, thick).unwrap_or_default();
    points.extend(sphere_outline(view, to, thin).unwrap_or_default());
    (!points.is_empty()).then(|| convex_hull_2d(points))
}

/// Returns the outline of a cylinder with flat ends.
pub fn cylinder_outline(view: &CameraView, [from, to]: [Vec3; 2], radius: f32) -> Option<Vec<Vec2>> {
    let mut points = circle_outline(view, from, to - from, radius)?;
    points.extend(circle_outline(view, to, to - from, radius)?);
    Some(convex_hull_2d(points))
}

/// Returns the outline of a convex body given by its corners.
pub fn convex_outline(view: &CameraView, corners: &[Vec3]) -> Option<Vec<Vec2>> {
    project_all(view, corners.iter().copied()).map(convex_hull_2d)
}

/// Returns a closed circle about `centre` with the axis `normal`. Returns `None` if any part is behind the eye.
pub fn circle_outline(view: &CameraView, centre: Vec3, normal: Vec3, radius: f32) -> Option<Vec<Vec2>> {
    let (a, b) = normal.try_normalize()?.any_orthonormal_pair();
    project_all(view, circle_points(centre, [a * radius, b * radius]))
}

/// A panel collider: a rectangle in the XY plane of its frame that pushes towards +Z.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PanelRect {
    /// World frame of the panel.
    pub frame: Frame,
    /// Half width and half height in the space of `frame`, in metres.
    pub half_size: [f32; 2],
}

impl PanelRect {
    /// Returns the world corners in circular order.
    pub fn corners(&self) -> [Vec3; 4] {
        let [x, y] = self.half_size;
        [[-x, -y], [x, -y], [x, y], [-x, y]].map(|[x, y]| self.frame.transform_point(Vec3::new(x, y, 0.0)))
    }

    /// Returns the world direction of the push, unit length.
    pub fn normal(&self) -> Vec3 {
        self.frame.rotation * Vec3::Z
    }
}

/// The drawn shape of a panel.
#[derive(Clone, Debug, PartialEq)]
pub struct PanelShape {
    /// The projected rectangle; convex.
    pub outline: [Vec2; 4],
    /// Short strokes from the edges to the back of the panel, like the ground symbol in a drawing.
    pub hatching: Vec<[Vec2; 2]>,
    /// Arrow from the centre in the direction of the push.
    pub normal: [Vec2; 2],
}

const STROKES_PER_EDGE: u16 = 5;

/// Returns the rectangle, its hatching, and an arrow of `reach` metres along the normal. Returns `None` if any part is
/// behind the eye.
pub fn panel_shape(view: &CameraView, panel: &PanelRect, reach: f32) -> Option<PanelShape> {
    let corners = panel.corners();
    let outline: Vec<Vec2> = project_all(view, corners)?;
    let normal = panel.normal();
    let mut hatching = Vec::new();
    for (i, from) in corners.into_iter().enumerate() {
        let to = corners[(i + 1) % 4];
        for k in 0..STROKES_PER_EDGE {
            let foot = from.lerp(to, (f32::from(k) + 0.5) / f32::from(STROKES_PER_EDGE));
            let ends = project_all(view, [foot, foot - normal * reach * 0.15])?;
            hatching.push([ends[0], ends[1]]);
        }
    }
    let middle = panel.frame.position;
    let arrow = project_all(view, [middle, middle + normal * reach])?;
    Some(PanelShape { outline: outline.try_into().ok()?, hatching, normal: [arrow[0], arrow[1]] })
}

/// Returns the points of a circle about `centre`. The length of both axes is the radius.
fn circle_points(centre: Vec3, [a, b]: [Vec3; 2]) -> impl Iterator<Item = Vec3> {
    (0..CIRCLE_POINTS).map(move |i| {
        let (sin, cos) = libm::sincosf(f32::from(i) / f32::from(CIRCLE_POINTS) * TAU);
        centre + a * cos + b * sin
    })
}

/// Returns the convex hull of points, in order along the outline.
fn convex_hull_2d(mut points: Vec<Vec2>) -> Vec<Vec2> {
    points.sort_by(|a, b| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)));
    points.dedup();
    if points.len() < 3 {
        return points;
    }
    let half = |points: &mut dyn Iterator<Item = &Vec2>| {
        let mut side: Vec<Vec2> = Vec::new();
        for p in points {
            while let [.., a, b] = side.as_slice()
                && (b - a).perp_dot(*p - a) <= 0.0
            {
                side.pop();
            }
            side.push(*p);
        }
        side.pop();
        side
    };
    let mut outline = half(&mut points.iter());
    outline.extend(half(&mut points.iter().rev()));
    outline
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stage::{OrbitCamera, ViewRect};
    use glam::Quat;
    use yuremono_sim::math::Trs;

    fn view() -> CameraView {
        OrbitCamera { target: Vec3::ZERO, ..OrbitCamera::default() }.view(&ViewRect::uncovered(Vec2::new(800.0, 600.0)))
    }

    /// Asserts that rays through the outline pass the axis `from`..`to` at the distance `radius`.
    #[track_caller]
    fn check_tangent(view: &CameraView, outline: &[Vec2], from: Vec3, to: Vec3, radius: f32) {
        assert!(outline.len() > 20);
        for pixel in outline {
            let ray = view.ray(*pixel);
            let nearest = (0..=4000_u16)
                .map(|i| {
                    let on_axis = from.lerp(to, f32::from(i) / 4000.0);
                    let along = (on_axis - ray.origin).dot(ray.direction);
                    on_axis.distance(ray.origin + ray.direction * along)
                })
                .fold(f32::MAX, f32::min);
            assert!((nearest - radius).abs() < 0.002, "{nearest} at {pixel}");
        }
    }

    #[test]
    fn rays_through_a_sphere_outline_are_tangent_to_the_sphere() {
        let view = view();
        let centre = Vec3::new(0.9, 0.3, 1.2);
        check_tangent(&view, &sphere_outline(&view, centre, 0.3).expect("in front"), centre, centre, 0.3);
    }

    #[test]
    fn rays_through_a_capsule_outline_are_tangent_even_up_close() {
        let view = view();
        let (from, to) = (Vec3::new(-0.4, 0.0, 1.8), Vec3::new(0.3, 0.5, -1.0));
        check_tangent(&view, &tapered_capsule_outline(&view, [from, to], [0.2; 2]).expect("in front"), from, to, 0.2);
    }

    #[test]
    fn a_cylinder_outline_is_finite_and_a_convex_outline_spans_its_corners() {
        let view = view();
        let ends = [Vec3::new(-0.4, 0.0, 0.8), Vec3::new(0.3, 0.5, -1.0)];
        let cylinder = cylinder_outline(&view, ends, 0.2).expect("in front");
        assert!(cylinder.iter().all(|p| p.is_finite()) && cylinder.len() > 20);
        let corners: Vec<Vec3> =
            (0..8).map(|i| Vec3::new((i & 1) as f32, (i >> 1 & 1) as f32, (i >> 2) as f32)).collect();
        let seen = convex_outline(&view, &corners).expect("in front");
        let pixels: Vec<Vec2> = corners.iter().map(|c| view.project(*c).expect("in front").pixel).collect();
        assert!(seen.len() <= 6 && seen.iter().all(|p| pixels.contains(p)));
    }

    #[test]
    fn a_sphere_around_the_eye_has_no_outline() {
        let view = view();
        assert_eq!(sphere_outline(&view, view.eye, 0.5), None);
        assert_eq!(sphere_outline(&view, Vec3::ZERO, 0.0), None);
        assert_eq!(sphere_outline(&view, Vec3::NAN, 0.1), None);
    }

    fn wall() -> PanelRect {
        let local = Trs { rotation: Quat::from_rotation_y(0.5), ..Trs::from_translation(Vec3::new(0.1, 0.2, 0.0)) };
        PanelRect { frame: Frame::WORLD.child(&local), half_size: [0.2, 0.1] }
    }

    #[test]
    fn the_outline_matches_the_corners_and_the_arrow_points_away_from_the_hatching() {
        let view = front();
        let seen = panel_shape(&view, &wall(), 0.1).expect("in front");
        for (corner, pixel) in wall().corners().into_iter().zip(seen.outline) {
            assert!(view.project(corner).expect("in front").pixel.distance(pixel) < 1e-3);
        }
        assert_eq!(seen.hatching.len(), 20);
        let [from, to] = seen.normal;
        // The panel faces right, so the hatching is on the left.
        assert!(to.x > from.x + 3.0, "{from} {to}");
        assert!(seen.hatching.iter().all(|[a, b]| b.x < a.x));
        let behind = PanelRect { frame: Frame::WORLD.child(&Trs::from_translation(view.eye)), ..wall() };
        assert_eq!(panel_shape(&view, &behind, 0.1), None);
    }

    #[test]
    fn invalid_sizes_do_not_panic() {
        for odd in [-0.2, f32::NAN, f32::NEG_INFINITY] {
            for half in [[odd, 0.1], [0.1, odd]] {
                let odd = PanelRect { half_size: half, ..wall() };
                _ = panel_shape(&front(), &odd, 0.1);
            }
        }
    }

    fn front() -> CameraView {
        OrbitCamera { target: Vec3::ZERO, yaw: 0.0, pitch: 0.0, ..OrbitCamera::default() }
            .view(&ViewRect::uncovered(Vec2::new(800.0, 600.0)))
    }

    #[test]
    fn the_hull_of_a_square_ignores_inner_points() {
        let corners = [Vec2::ZERO, Vec2::X, Vec2::ONE, Vec2::Y];
        let mut points = corners.to_vec();
        points.extend([Vec2::splat(0.5), Vec2::new(0.2, 0.9), Vec2::X, Vec2::new(0.5, 0.0)]);
        let outline = convex_hull_2d(points);
        assert_eq!(outline.len(), 4, "{outline:?}");
        assert!(corners.iter().all(|c| outline.contains(c)));
    }

    #[test]
    fn few_points_are_their_own_hull() {
        assert_eq!(convex_hull_2d(vec![]), Vec::<Vec2>::new());
        assert_eq!(convex_hull_2d(vec![Vec2::ONE, Vec2::ONE]), vec![Vec2::ONE]);
    }
}
