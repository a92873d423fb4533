//! A bounding volume hierarchy over the triangles of a surface that deforms.
//!
//! The tree answers whether a point is inside the surface, and how far the point is behind it. "Inside" is the generalized
//! winding number (Jacobson et al. 2013): 1 inside a closed surface, 0 outside, and in between near the openings of an
//! open surface. Surfaces that overlap add up. Far groups of triangles count as one dipole (Barill et al. 2018).
//!
//! The groups of triangles are chosen once. [`TriangleTree::refit`] moves the tree to other positions of the vertices.

use glam::Vec3;
use std::f32::consts::PI;

/// Number of triangles in a leaf.
const LEAF_SIZE: usize = 4;
/// A group counts as a dipole from this distance, as a multiple of its radius. The error of the winding number is below
/// 0.05.
const DIPOLE_DISTANCE: f32 = 2.0;

/// A triangle near a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NearTriangle {
    /// Index in the list that the tree was built from.
    pub triangle: usize,
    /// Distance in metres.
    pub distance: f32,
}

#[derive(Clone, Copy, Debug, Default)]
struct TreeNode {
    low: Vec3,
    high: Vec3,
    /// Sum of the normals of the triangles; the length of a normal is the area of its triangle.
    normal: Vec3,
    area: f32,
    /// Centroid of the triangles.
    center: Vec3,
    /// Distance from the centroid to the farthest corner of the box.
    radius: f32,
    /// First triangle of a leaf.
    first: u32,
    /// Number of triangles of a leaf; 0 for other nodes.
    count: u32,
    /// The second child. The first child is the next node.
    second: u32,
}

impl TreeNode {
    fn distance_squared(&self, point: Vec3) -> f32 {
        point.clamp(self.low, self.high).distance_squared(point)
    }
}

/// See the module.
#[derive(Clone, Debug, Default)]
pub struct TriangleTree {
    /// Parents before children.
    nodes: Vec<TreeNode>,
    /// Vertex indices, counter-clockwise seen from outside, in the order of the leaves.
    triangles: Vec<[u32; 3]>,
    /// Index of each triangle in the list that the tree was built from.
    sources: Vec<u32>,
    /// Corners of each triangle.
    corners: Vec<[Vec3; 3]>,
}

impl TriangleTree {
    /// Builds a tree over triangles: vertex indices, counter-clockwise seen from outside. All indices must be valid.
    pub fn new(triangles: &[[u32; 3]], positions: &[Vec3]) -> Self {
        let center = |triangle: &[u32; 3]| triangle.iter().map(|i| positions[*i as usize]).sum::<Vec3>() / 3.0;
        let mut items: Vec<(u32, Vec3)> =
            triangles.iter().map(center).enumerate().map(|(i, c)| (i as u32, c)).collect();
        let mut tree = Self::default();
        if !items.is_empty() {
            tree.split(&mut items, 0);
        }
        tree.sources = items.iter().map(|(source, _)| *source).collect();
        tree.triangles = tree.sources.iter().map(|source| triangles[*source as usize]).collect();
        tree.refit(positions);
        tree
    }

    /// Adds the node of `items`, whose first item has the index `first`, with all nodes below.
    fn split(&mut self, items: &mut [(u32, Vec3)], first: u32) {
        let at = self.nodes.len();
        let leaf = TreeNode { first, count: items.len() as u32, ..TreeNode::default() };
        self.nodes.push(leaf);
        if items.len() <= LEAF_SIZE {
            return;
        }
        let low = items.iter().map(|(_, center)| *center).reduce(Vec3::min).unwrap_or_default();
        let high = items.iter().map(|(_, center)| *center).reduce(Vec3::max).unwrap_or_default();
        let axis = (high - low).max_position();
        let half = items.len() / 2;
        items.select_nth_unstable_by(half, |a, b| a.1[axis].total_cmp(&b.1[axis]).then(a.0.cmp(&b.0)));
        let (left, right) = items.split_at_mut(half);
        self.split(left, first);
        let second = self.nodes.len() as u32;
        self.nodes[at] = TreeNode { second, count: 0, ..leaf };
        self.split(right, first + half as u32);
    }

    /// Moves the tree to other positions of the same vertices.
    pub fn refit(&mut self, positions: &[Vec3]) {
        self.corners.clear();
        self.corners.extend(self.triangles.iter().map(|triangle| triangle.map(|i| positions[i as usize])));
        for at in (0..self.nodes.len()).rev() {
            let node = self.nodes[at];
            self.nodes[at] = if node.count > 0 {
                self.fitted_leaf(node)
            } else {
                merged(node, &self.nodes[at + 1], &self.nodes[node.second as usize])
            };
        }
    }

    fn fitted_leaf(&self, node: TreeNode) -> TreeNode {
        let corners = &self.corners[node.first as usize..][..node.count as usize];
        let low = corners.iter().flatten().copied().fold(Vec3::INFINITY, Vec3::min);
        let high = corners.iter().flatten().copied().fold(Vec3::NEG_INFINITY, Vec3::max);
        let (mut normal, mut area, mut weighted) = (Vec3::ZERO, 0.0, Vec3::ZERO);
        for [a, b, c] in corners {
            let own = 0.5 * (*b - *a).cross(*c - *a);
            let size = own.length();
            normal += own;
            area += size;
            weighted += (*a + *b + *c) / 3.0 * size;
        }
        fitted(TreeNode { low, high, normal, area, ..node }, weighted)
    }

    /// Whether a point is inside the box around the surface.
    pub fn bounds_contain(&self, point: Vec3) -> bool {
        self.nodes.first().is_some_and(|root| root.distance_squared(point) == 0.0)
    }

    /// Returns the length of the longest edge of the box around the surface; 0 without triangles.
    pub fn extent(&self) -> f32 {
        self.nodes.first().map_or(0.0, |root| (root.high - root.low).max_element())
    }

    /// Returns the generalized winding number of the surface about a point.
    pub fn winding_number(&self, point: Vec3) -> f32 {
        let mut angle = 0.0;
        let mut open = [0_u32; 64];
        let mut count = usize::from(!self.nodes.is_empty());
        while count > 0 {
            count -= 1;
            let at = open[count];
            let node = &self.nodes[at as usize];
            let offset = node.center - point;
            let distance_squared = offset.length_squared();
            if distance_squared > (DIPOLE_DISTANCE * node.radius).powi(2) {
                angle += node.normal.dot(offset) / (distance_squared * distance_squared.sqrt());
            } else if node.count > 0 {
                let corners = &self.corners[node.first as usize..][..node.count as usize];
                angle += corners.iter().map(|corners| solid_angle(corners.map(|corner| corner - point))).sum::<f32>();
            } else {
                // The depth of the tree is at most the number of bits of a triangle index.
                open[count] = node.second;
                open[count + 1] = at + 1;
                count += 2;
            }
        }
        angle / (4.0 * PI)
    }

    /// Returns the nearest triangle with a point at its back, or `None` if no triangle has the point at its back.
    pub fn nearest_behind(&self, point: Vec3) -> Option<NearTriangle> {
        let mut best: Option<(usize, f32)> = None;
        let mut open = [(0_u32, 0.0_f32); 64];
        let mut count = usize::from(!self.nodes.is_empty());
        while count > 0 {
            count -= 1;
            let (at, bound) = open[count];
            if best.is_some_and(|(_, distance)| bound >= distance) {
                continue;
            }
            let node = &self.nodes[at as usize];
            if node.count == 0 {
                let children = [at + 1, node.second];
                let mut children = children.map(|at| (at, self.nodes[at as usize].distance_squared(point)));
                // The nearer child is visited first.
                children.sort_by(|a, b| b.1.total_cmp(&a.1));
                open[count..count + 2].copy_from_slice(&children);
                count += 2;
                continue;
            }
            for triangle in node.first..node.first + node.count {
                let [a, b, c] = self.corners[triangle as usize];
                if (b - a).cross(c - a).dot(point - a) < 0.0 {
                    let distance = closest_on_triangle(point, [a, b, c]).distance_squared(point);
                    if best.is_none_or(|(_, nearest)| distance < nearest) {
                        best = Some((triangle as usize, distance));
                    }
                }
            }
        }
        best.map(|(at, distance)| NearTriangle { triangle: self.sources[at] as usize, distance: distance.sqrt() })
    }
}

fn merged(node: TreeNode, first: &TreeNode, second: &TreeNode) -> TreeNode {
    let (low, high) = (first.low.min(second.low), first.high.max(second.high));
    let (normal, area) = (first.normal + second.normal, first.area + second.area);
    fitted(TreeNode { low, high, normal, area, ..node }, first.center * first.area + second.center * second.area)
}

/// Adds the centroid and the radius. `weighted` is the sum of the centroids of all triangles, times their areas.
fn fitted(node: TreeNode, weighted: Vec3) -> TreeNode {
    let center = if node.area > 0.0 { weighted / node.area } else { 0.5 * (node.low + node.high) };
    let radius = (center - node.low).abs().max((node.high - center).abs()).length();
    TreeNode { center, radius, ..node }
}

/// Returns the solid angle of a triangle seen from the origin (van Oosterom and Strackee 1983); positive at its back.
fn solid_angle([a, b, c]: [Vec3; 3]) -> f32 {
    let (x, y, z) = (a.length(), b.length(), c.length());
    let volume = a.dot(b.cross(c));
    2.0 * volume.atan2(x * y * z + a.dot(b) * z + b.dot(c) * x + c.dot(a) * y)
}

/// Returns the point of a triangle that is nearest to `point` (Ericson, Real-Time Collision Detection, 5.1.5).
fn closest_on_triangle(point: Vec3, [a, b, c]: [Vec3; 3]) -> Vec3 {
    let (ab, ac, ap) = (b - a, c - a, point - a);
    let (d1, d2) = (ab.dot(ap), ac.dot(ap));
    if d1 <= 0.0 && d2 <= 0.0 {
        return a;
    }
    let bp = point - b;
    let (d3, d4) = (ab.dot(bp), ac.dot(bp));
    if d3 >= 0.0 && d4 <= d3 {
        return b;
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        return a + ab * (d1 / (d1 - d3));
    }
    let cp = point - c;
    let (d5, d6) = (ab.dot(cp), ac.dot(cp));
    if d6 >= 0.0 && d5 <= d6 {
        return c;
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        return a + ac * (d2 / (d2 - d6));
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && d4 >= d3 && d5 >= d6 {
        return b + (c - b) * ((d4 - d3) / ((d4 - d3) + (d5 - d6)));
    }
    let sum = va + vb + vc;
    a + ab * (vb / sum) + ac * (vc / sum)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f32::consts::TAU;

    const SEGMENTS: u32 = 48;
    const RINGS: u32 = 24;

    /// A unit sphere about the origin without the rings above `top`, with the normals outwards.
    fn sphere(top: f32) -> (Vec<[u32; 3]>, Vec<Vec3>) {
        let mut positions = Vec::new();
        for ring in 0..=RINGS {
            let (sin, cos) = (PI * ring as f32 / RINGS as f32).sin_cos();
            for segment in 0..SEGMENTS {
                let (z, x) = (TAU * segment as f32 / SEGMENTS as f32).sin_cos();
                positions.push(Vec3::new(x * sin, -cos, z * sin));
            }
        }
        let at = |ring: u32, segment: u32| ring * SEGMENTS + segment % SEGMENTS;
        let quads = (0..RINGS).flat_map(|ring| (0..SEGMENTS).map(move |segment| (ring, segment)));
        let triangles = quads.flat_map(|(ring, segment)| {
            let [a, b] = [at(ring, segment), at(ring, segment + 1)];
            let [c, d] = [at(ring + 1, segment), at(ring + 1, segment + 1)];
            [[a, c, b], [b, c, d]]
        });
        let is_below = |triangle: &[u32; 3]| triangle.iter().all(|i| positions[*i as usize].y <= top);
        (triangles.filter(is_below).collect(), positions)
    }

    /// Points on a grid around the sphere.
    fn grid() -> impl Iterator<Item = Vec3> {
        let line = || (-7..=7).map(|i| i as f32 * 0.19);
        line().flat_map(move |x| line().flat_map(move |y| line().map(move |z| Vec3::new(x, y, z))))
    }

    #[test]
    fn the_winding_number_is_one_inside_a_sphere_of_any_size_and_zero_outside() {
        for scale in [0.01, 1.0, 100.0] {
            let (triangles, positions) = sphere(2.0);
            let positions: Vec<Vec3> = positions.iter().map(|p| *p * scale).collect();
            let tree = TriangleTree::new(&triangles, &positions);
            for point in grid().filter(|p| (p.length() - 1.0).abs() > 0.02) {
                let expected = f32::from(u8::from(point.length() < 1.0));
                let winding = tree.winding_number(point * scale);
                assert!((winding - expected).abs() < 0.05, "{winding} at {point} times {scale}");
            }
        }
    }

    #[test]
    fn the_dipoles_agree_with_the_sum_over_all_triangles() {
        let (triangles, positions) = sphere(0.5);
        let tree = TriangleTree::new(&triangles, &positions);
        for point in grid() {
            let corners = triangles.iter().map(|t| t.map(|i| positions[i as usize] - point));
            let exact = corners.map(solid_angle).sum::<f32>() / (4.0 * PI);
            let winding = tree.winding_number(point);
            assert!((winding - exact).abs() < 0.05, "{winding} for {exact} at {point}");
        }
    }

    #[test]
    fn a_point_in_an_open_cup_is_inside_and_a_point_above_the_opening_is_not() {
        let (triangles, positions) = sphere(0.3);
        let tree = TriangleTree::new(&triangles, &positions);
        assert!(tree.winding_number(Vec3::NEG_Y * 0.5) > 0.8);
        assert!(tree.winding_number(Vec3::Y * 0.8) < 0.3);
        assert!(tree.winding_number(Vec3::Y * 1.5) < 0.1);
    }

    #[test]
    fn the_distance_to_the_surface_is_that_of_the_nearest_triangle_with_the_point_behind() {
        let (triangles, positions) = sphere(2.0);
        let tree = TriangleTree::new(&triangles, &positions);
        for point in grid().filter(|p| p.length() < 0.95) {
            let near = tree.nearest_behind(point).expect("the point is inside");
            // The flat triangles are up to 0.01 inside the sphere.
            assert!((near.distance - (1.0 - point.length())).abs() < 0.01, "{near:?} at {point}");
            let center = triangles[near.triangle].map(|i| positions[i as usize]).iter().sum::<Vec3>();
            assert!(point.length() < 0.2 || center.angle_between(point) < 0.2, "{near:?} at {point}");
        }
        assert!(TriangleTree::default().nearest_behind(Vec3::ZERO).is_none());
    }

    #[test]
    fn a_tree_that_moves_with_its_vertices_equals_a_new_tree() {
        let (triangles, positions) = sphere(2.0);
        let bent: Vec<Vec3> = positions.iter().map(|p| *p * Vec3::new(0.4, 2.0, 0.4) + Vec3::X * p.y * p.y).collect();
        let mut moved = TriangleTree::new(&triangles, &positions);
        moved.refit(&bent);
        let new = TriangleTree::new(&triangles, &bent);
        for point in grid() {
            assert!((moved.winding_number(point) - new.winding_number(point)).abs() < 0.05, "{point}");
            let distance = |tree: &TriangleTree| tree.nearest_behind(point).map(|near| near.distance);
            assert_eq!(distance(&moved), distance(&new), "{point}");
        }
    }
}
