//! The convex mesh around many points.

use glam::Vec3;
use std::collections::BTreeSet;

/// As many directions are asked for their farthest point: a mesh of a thousand vertices has few corners.
const DIRECTIONS: u16 = 96;
/// Points nearer to a face than this share of the extent lie in it.
const COPLANAR_TOLERANCE: f32 = 1e-4;

/// Corners of a convex mesh, and its faces by positions among them, wound so that they are seen from outside.
pub type ConvexMesh = (Vec<Vec3>, Vec<[u32; 3]>);

/// The convex mesh around the points that stand out farthest, at most one for each of 96 directions; `None` where all
/// lie in one plane. Points that are not finite are passed over.
pub fn convex_hull(points: &[Vec3]) -> Option<ConvexMesh> {
    let corners = extreme_points(points);
    let first = *corners.first()?;
    let extent = corners.iter().map(|p| p.distance(first)).fold(0.0, f32::max);
    let slack = extent * COPLANAR_TOLERANCE;
    let first = initial_tetrahedron(&corners, slack)?;
    let mut faces: Vec<[usize; 3]> = Vec::new();
    let middle = first.iter().map(|at| corners[*at]).sum::<Vec3>() / 4.0;
    for out in 0..4 {
        let [a, b, c] = [1, 2, 3].map(|step| first[(out + step) % 4]);
        let face = [a, b, c];
        faces.push(if signed_distance(&corners, face, middle) < 0.0 { face } else { [a, c, b] });
    }
    for at in (0..corners.len()).filter(|at| !first.contains(at)) {
        let (seen, hidden): (Vec<_>, Vec<_>) =
            faces.iter().copied().partition(|face| signed_distance(&corners, *face, corners[at]) > slack);
        let edges = |face: &[usize; 3]| [[face[0], face[1]], [face[1], face[2]], [face[2], face[0]]];
        let all: BTreeSet<[usize; 2]> = seen.iter().flat_map(edges).collect();
        let rim = seen.iter().flat_map(edges).filter(|[a, b]| !all.contains(&[*b, *a]));
        let cap: Vec<[usize; 3]> = rim.map(|[a, b]| [a, b, at]).collect();
        faces = hidden;
        faces.extend(cap);
    }
    Some(without_unused_corners(&corners, &faces))
}

/// Four points that do not lie in one plane, by their positions: the first, and then each as far from what the ones before
/// span as the first that will do. Takes no longer than it must.
fn initial_tetrahedron(points: &[Vec3], slack: f32) -> Option<[usize; 4]> {
    let farthest = |distance: &dyn Fn(Vec3) -> f32| {
        let all = points.iter().enumerate().map(|(at, p)| (distance(*p), at));
        all.max_by(|a, b| a.0.total_cmp(&b.0)).filter(|(far, _)| *far > slack).map(|(_, at)| at)
    };
    let a = *points.first()?;
    let second = farthest(&|p| p.distance(a))?;
    let along = (points[second] - a).normalize_or_zero();
    let third = farthest(&|p| (p - a).reject_from_normalized(along).length())?;
    let normal = along.cross(points[third] - a).normalize_or_zero();
    let fourth = farthest(&|p| normal.dot(p - a).abs())?;
    Some([0, second, third, fourth])
}

/// How far a point is outside of a face, metres.
fn signed_distance(corners: &[Vec3], [a, b, c]: [usize; 3], point: Vec3) -> f32 {
    let (a, b, c) = (corners[a], corners[b], corners[c]);
    (b - a).cross(c - a).normalize_or_zero().dot(point - a)
}

/// The farthest points, each once, evenly asked for all around.
fn extreme_points(points: &[Vec3]) -> Vec<Vec3> {
    let mut found = BTreeSet::new();
    for n in 0..DIRECTIONS {
        // A spiral that meets the sphere evenly.
        let y = 1.0 - 2.0 * (f32::from(n) + 0.5) / f32::from(DIRECTIONS);
        let (sin, cos) = (f32::from(n) * 2.399_963_2).sin_cos();
        let flat = (1.0 - y * y).sqrt();
        let direction = Vec3::new(flat * cos, y, flat * sin);
        let all = points.iter().enumerate().filter(|(_, p)| p.is_finite()).map(|(at, p)| (direction.dot(*p), at));
        found.extend(all.max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1))).map(|(_, at)| at));
    }
    found.into_iter().map(|at| points[at]).collect()
}

/// Without corners that no face has.
fn without_unused_corners(corners: &[Vec3], faces: &[[usize; 3]]) -> ConvexMesh {
    let used: BTreeSet<usize> = faces.iter().flatten().copied().collect();
    let used: Vec<usize> = used.into_iter().collect();
    let place = |at: usize| used.binary_search(&at).unwrap_or_default() as u32;
    let faces = faces.iter().map(|face| face.map(place)).collect();
    (used.iter().map(|at| corners[*at]).collect(), faces)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Closed, wound outwards, and around all points but for what the directions pass over.
    #[track_caller]
    fn check(points: &[Vec3], within: f32) -> ConvexMesh {
        let (corners, faces) = convex_hull(points).expect("they span a body");
        let middle = corners.iter().sum::<Vec3>() / corners.len() as f32;
        let mut edges = BTreeSet::new();
        for face in &faces {
            let at = face.map(|corner| corner as usize);
            assert!(signed_distance(&corners, at, middle) < 0.0, "seen from outside");
            for [a, b] in [[face[0], face[1]], [face[1], face[2]], [face[2], face[0]]] {
                assert!(edges.insert([a, b]), "an edge is walked once each way");
            }
            for point in points {
                assert!(signed_distance(&corners, at, *point) < within, "{point} stands out");
            }
        }
        assert!(edges.iter().all(|[a, b]| edges.contains(&[*b, *a])), "it is closed");
        // Euler's count of a body without holes.
        assert_eq!(corners.len() + faces.len(), edges.len() / 2 + 2);
        (corners, faces)
    }

    #[test]
    fn the_hull_of_a_box_has_eight_corners_despite_inner_points() {
        let mut points: Vec<Vec3> = Vec::new();
        for i in 0..=4_u8 {
            for j in 0..=4_u8 {
                for k in 0..=4_u8 {
                    points.push(Vec3::new(f32::from(i), f32::from(j) * 0.5, f32::from(k) * 0.1));
                }
            }
        }
        points.push(Vec3::NAN);
        let (corners, faces) = check(&points[..125], 1e-3);
        assert_eq!((corners.len(), faces.len()), (8, 12));
        assert_eq!(convex_hull(&points).expect("a body").0.len(), 8);
    }

    #[test]
    fn the_hull_of_a_sphere_is_accurate_to_a_tenth_of_its_radius() {
        let points: Vec<Vec3> = (0..2000_u16)
            .map(|n| {
                let (a, b) = (f32::from(n) * 2.4, f32::from(n) * 0.711);
                Vec3::new(a.sin() * b.cos(), a.cos(), a.sin() * b.sin()) * 0.1
            })
            .collect();
        let (corners, _) = check(&points, 0.01);
        assert!(corners.len() > 60, "{}", corners.len());
    }

    #[test]
    fn coplanar_or_missing_points_have_no_hull() {
        let flat: Vec<Vec3> = (0..50_u8).map(|n| Vec3::new(f32::from(n % 7), f32::from(n / 7), 0.0)).collect();
        assert_eq!(convex_hull(&flat), None);
        assert_eq!(convex_hull(&[]), None);
        assert_eq!(convex_hull(&[Vec3::ONE; 9]), None);
    }
}
