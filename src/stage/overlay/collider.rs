use super::{hull, project_all, round};
use crate::stage::Shot;
use glam::{Vec2, Vec3};

/// The outline of a ball, seen in perspective: the circle where lines of sight graze it. `None` where the eye is
/// inside of it or parts of it are behind the eye.
pub fn sphere(shot: &Shot, centre: Vec3, radius: f32) -> Option<Vec<Vec2>> {
    let away = centre - shot.eye;
    let distance = away.length();
    if !(distance > radius * 1.001 && radius > 0.0) {
        return None;
    }
    let share = radius / distance;
    let grazed = centre - away * (share * share);
    let reach = radius * (1.0 - share * share).sqrt();
    let (a, b) = (away / distance).any_orthonormal_pair();
    project_all(shot, round(grazed, [a * reach, b * reach]))
}

/// The outline of a rod with round caps between their centres, of a radius each: what both caps span together. `None`
/// where neither cap has an outline.
pub fn tapered(shot: &Shot, [from, to]: [Vec3; 2], [thick, thin]: [f32; 2]) -> Option<Vec<Vec2>> {
    let mut points = sphere(shot, from, thick).unwrap_or_default();
    points.extend(sphere(shot, to, thin).unwrap_or_default());
    (!points.is_empty()).then(|| hull(points))
}

/// The outline of a rod with flat ends.
pub fn drum(shot: &Shot, [from, to]: [Vec3; 2], radius: f32) -> Option<Vec<Vec2>> {
    let mut points = circle(shot, from, to - from, radius)?;
    points.extend(circle(shot, to, to - from, radius)?);
    Some(hull(points))
}

/// The outline of a cuboid, or of anything else that its corners span.
pub fn block(shot: &Shot, corners: &[Vec3]) -> Option<Vec<Vec2>> {
    project_all(shot, corners.iter().copied()).map(hull)
}

/// A circle about `centre` across `normal`, closed: an equator. `None` where parts of it are behind the eye.
pub fn circle(shot: &Shot, centre: Vec3, normal: Vec3, radius: f32) -> Option<Vec<Vec2>> {
    let (a, b) = normal.try_normalize()?.any_orthonormal_pair();
    project_all(shot, round(centre, [a * radius, b * radius]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stage::{OrbitCamera, Pane};

    fn shot() -> Shot {
        OrbitCamera { target: Vec3::ZERO, ..OrbitCamera::default() }.shot(&Pane::whole(Vec2::new(800.0, 600.0)))
    }

    /// Whether lines of sight through the outline pass the axis `from`..`to` at `radius`.
    #[track_caller]
    fn check_grazes(shot: &Shot, outline: &[Vec2], from: Vec3, to: Vec3, radius: f32) {
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
    fn lines_of_sight_through_the_outline_graze_the_ball() {
        let shot = shot();
        let centre = Vec3::new(0.9, 0.3, 1.2);
        check_grazes(&shot, &sphere(&shot, centre, 0.3).expect("in front"), centre, centre, 0.3);
    }

    #[test]
    fn lines_of_sight_through_the_outline_graze_the_capsule_also_from_near() {
        let shot = shot();
        let (from, to) = (Vec3::new(-0.4, 0.0, 1.8), Vec3::new(0.3, 0.5, -1.0));
        check_grazes(&shot, &tapered(&shot, [from, to], [0.2; 2]).expect("in front"), from, to, 0.2);
    }

    #[test]
    fn a_drum_is_seen_whole_and_a_block_spans_its_corners() {
        let shot = shot();
        let ends = [Vec3::new(-0.4, 0.0, 0.8), Vec3::new(0.3, 0.5, -1.0)];
        let drum = drum(&shot, ends, 0.2).expect("in front");
        assert!(drum.iter().all(|p| p.is_finite()) && drum.len() > 20);
        let corners: Vec<Vec3> =
            (0..8).map(|i| Vec3::new((i & 1) as f32, (i >> 1 & 1) as f32, (i >> 2) as f32)).collect();
        let seen = block(&shot, &corners).expect("in front");
        let pixels: Vec<Vec2> = corners.iter().map(|c| shot.project(*c).expect("in front").pixel).collect();
        assert!(seen.len() <= 6 && seen.iter().all(|p| pixels.contains(p)));
    }

    #[test]
    fn an_eye_inside_sees_no_outline() {
        let shot = shot();
        assert_eq!(sphere(&shot, shot.eye, 0.5), None);
        assert_eq!(sphere(&shot, Vec3::ZERO, 0.0), None);
        assert_eq!(sphere(&shot, Vec3::NAN, 0.1), None);
    }
}
