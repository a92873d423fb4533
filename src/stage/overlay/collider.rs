use super::{circle_points, convex_hull_2d, project_all};
use crate::stage::CameraView;
use glam::{Vec2, Vec3};

/// The outline of a ball, seen in perspective: the circle where lines of sight graze it. `None` where the eye is
/// inside of it or parts of it are behind the eye.
pub fn sphere_outline(shot: &CameraView, centre: Vec3, radius: f32) -> Option<Vec<Vec2>> {
    let away = centre - shot.eye;
    let distance = away.length();
    if !(distance > radius * 1.001 && radius > 0.0) {
        return None;
    }
    let share = radius / distance;
    let grazed = centre - away * (share * share);
    let reach = radius * (1.0 - share * share).sqrt();
    let (a, b) = (away / distance).any_orthonormal_pair();
    project_all(shot, circle_points(grazed, [a * reach, b * reach]))
}

/// The outline of a rod with round caps between their centres, of a radius each: what both caps span together. `None`
/// where neither cap has an outline.
pub fn tapered_capsule_outline(shot: &CameraView, [from, to]: [Vec3; 2], [thick, thin]: [f32; 2]) -> Option<Vec<Vec2>> {
    let mut points = sphere_outline(shot, from, thick).unwrap_or_default();
    points.extend(sphere_outline(shot, to, thin).unwrap_or_default());
    (!points.is_empty()).then(|| convex_hull_2d(points))
}

/// The outline of a rod with flat ends.
pub fn cylinder_outline(shot: &CameraView, [from, to]: [Vec3; 2], radius: f32) -> Option<Vec<Vec2>> {
    let mut points = circle_outline(shot, from, to - from, radius)?;
    points.extend(circle_outline(shot, to, to - from, radius)?);
    Some(convex_hull_2d(points))
}

/// The outline of a cuboid, or of anything else that its corners span.
pub fn convex_outline(shot: &CameraView, corners: &[Vec3]) -> Option<Vec<Vec2>> {
    project_all(shot, corners.iter().copied()).map(convex_hull_2d)
}

/// A circle about `centre` across `normal`, closed: an equator. `None` where parts of it are behind the eye.
pub fn circle_outline(shot: &CameraView, centre: Vec3, normal: Vec3, radius: f32) -> Option<Vec<Vec2>> {
    let (a, b) = normal.try_normalize()?.any_orthonormal_pair();
    project_all(shot, circle_points(centre, [a * radius, b * radius]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stage::{OrbitCamera, ViewRect};

    fn shot() -> CameraView {
        OrbitCamera { target: Vec3::ZERO, ..OrbitCamera::default() }.view(&ViewRect::uncovered(Vec2::new(800.0, 600.0)))
    }

    /// Whether lines of sight through the outline pass the axis `from`..`to` at `radius`.
    #[track_caller]
    fn check_tangent(shot: &CameraView, outline: &[Vec2], from: Vec3, to: Vec3, radius: f32) {
        assert!(outline.len() > 20);
        for pixel in outline {
            let ray = shot.ray(*pixel);
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
        let shot = shot();
        let centre = Vec3::new(0.9, 0.3, 1.2);
        check_tangent(&shot, &sphere_outline(&shot, centre, 0.3).expect("in front"), centre, centre, 0.3);
    }

    #[test]
    fn rays_through_a_capsule_outline_are_tangent_even_up_close() {
        let shot = shot();
        let (from, to) = (Vec3::new(-0.4, 0.0, 1.8), Vec3::new(0.3, 0.5, -1.0));
        check_tangent(&shot, &tapered_capsule_outline(&shot, [from, to], [0.2; 2]).expect("in front"), from, to, 0.2);
    }

    #[test]
    fn a_cylinder_outline_is_finite_and_a_convex_outline_spans_its_corners() {
        let shot = shot();
        let ends = [Vec3::new(-0.4, 0.0, 0.8), Vec3::new(0.3, 0.5, -1.0)];
        let drum = cylinder_outline(&shot, ends, 0.2).expect("in front");
        assert!(drum.iter().all(|p| p.is_finite()) && drum.len() > 20);
        let corners: Vec<Vec3> =
            (0..8).map(|i| Vec3::new((i & 1) as f32, (i >> 1 & 1) as f32, (i >> 2) as f32)).collect();
        let seen = convex_outline(&shot, &corners).expect("in front");
        let pixels: Vec<Vec2> = corners.iter().map(|c| shot.project(*c).expect("in front").pixel).collect();
        assert!(seen.len() <= 6 && seen.iter().all(|p| pixels.contains(p)));
    }

    #[test]
    fn a_sphere_around_the_eye_has_no_outline() {
        let shot = shot();
        assert_eq!(sphere_outline(&shot, shot.eye, 0.5), None);
        assert_eq!(sphere_outline(&shot, Vec3::ZERO, 0.0), None);
        assert_eq!(sphere_outline(&shot, Vec3::NAN, 0.1), None);
    }
}
