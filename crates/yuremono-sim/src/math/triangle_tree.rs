//! A bounding volume hierarchy over the triangles of a closed surface that deforms.
//!
//! The tree answers whether a point is inside the surface, and how far the point is behind it. A point is inside if a ray
//! from the point leaves the surface more often than it enters. Surfaces that overlap add up.
//!
//! The groups of triangles are chosen once. [`TriangleTree::refit`] moves the tree to other positions of the vertices.
//! [`TriangleTree::points_inside`] tests many points at once: a grid finds the points whose rays can cross a triangle, so
//! each triangle is visited once.

use glam::{UVec2, Vec2, Vec3};

/// Number of triangles in a leaf.
const LEAF_SIZE: usize = 4;
/// Columns along each side of a grid, per square root of the number of points.
const COLUMNS_PER_SQRT_POINT: f32 = 4.0;
/// Largest number of columns along each side of a grid.
const MAX_COLUMNS: u32 = 256;
/// The axis of the first ray from a point, along the columns of a grid: the last axis, which [`Vec3::truncate`] removes. A
/// character is thinner from front to back than from side to side.
const FIRST_AXIS: usize = 2;
/// The axis of the second ray.
const SECOND_AXIS: usize = 0;

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
    /// First triangle of a leaf.
    first: u32,
    /// Number of triangles of a leaf; 0 for other nodes.
    count: u32,
    /// The second child. The first child is the next node.
    second: u32,
}

impl TreeNode {
    fn distance_squared(&self, point: Vec3) -> f32 {
        point.max(self.low).min(self.high).distance_squared(point)
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
    /// The points of the last [`TriangleTree::points_inside`].
    columns: PointColumns,
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

    /// Returns the vertices of all triangles. Vertices may repeat.
    pub fn vertices(&self) -> impl Iterator<Item = u32> + '_ {
        self.triangles.iter().flatten().copied()
    }

    /// Changes the numbers of the vertices.
    pub fn renumber_vertices(&mut self, number: impl Fn(u32) -> u32) {
        self.triangles.iter_mut().flatten().for_each(|vertex| *vertex = number(*vertex));
    }

    /// Moves the tree to other positions of the same vertices.
    pub fn refit(&mut self, positions: &[Vec3]) {
        let place = |i: u32| positions[i as usize];
        self.corners.clear();
        self.corners.extend(self.triangles.iter().map(|[a, b, c]| [place(*a), place(*b), place(*c)]));
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
        let (mut low, mut high) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        for [a, b, c] in &self.corners[node.first as usize..][..node.count as usize] {
            low = low.min(*a).min(*b).min(*c);
            high = high.max(*a).max(*b).max(*c);
        }
        TreeNode { low, high, ..node }
    }

    /// Returns the length of the longest edge of the box around the surface; 0 without triangles.
    pub fn extent(&self) -> f32 {
        self.nodes.first().map_or(0.0, |root| (root.high - root.low).max_element())
    }

    /// Moves the surface to other positions of the vertices, and returns the indices of the points inside, in ascending
    /// order. If the result is not empty, the tree is at these positions afterwards. Otherwise it can be at earlier positions.
    pub fn points_inside(&mut self, points: &[Vec3], positions: &[Vec3]) -> Vec<u32> {
        let mut inside = self.columns.points_with_winding(points, &self.triangles, positions);
        if !inside.is_empty() {
            self.refit(positions);
            // The second ray confirms the first, which can pass through a crack between vertices of different weights.
            inside.retain(|point| self.is_confirmed(points[*point as usize]));
        }
        inside
    }

    /// Whether a second ray from a point, to the near side, also leaves the surface more often than it enters.
    fn is_confirmed(&self, point: Vec3) -> bool {
        let Some(root) = self.nodes.first() else { return false };
        let offset = point - root.low.midpoint(root.high);
        let ray = Ray { origin: point, sign: 1.0_f32.copysign(offset[SECOND_AXIS]) };
        self.winding_number::<SECOND_AXIS>(ray) > 0
    }

    /// Returns how many times the surface winds around the origin of a ray.
    fn winding_number<const AXIS: usize>(&self, ray: Ray) -> i32 {
        let mut winding_number = 0;
        let mut open = [0_u32; 64];
        let mut count = usize::from(!self.nodes.is_empty());
        while count > 0 {
            count -= 1;
            let at = open[count];
            let node = &self.nodes[at as usize];
            if !ray.meets_box::<AXIS>(node.low, node.high) {
                continue;
            }
            if node.count == 0 {
                // The depth of the tree is at most the number of bits of a triangle index.
                open[count] = node.second;
                open[count + 1] = at + 1;
                count += 2;
                continue;
            }
            for corners in &self.corners[node.first as usize..][..node.count as usize] {
                winding_number += ray.crossing::<AXIS>(corners);
            }
        }
        winding_number
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
                let bound = |at: u32| (at, self.nodes[at as usize].distance_squared(point));
                let (first, second) = (bound(at + 1), bound(node.second));
                // The nearer child is visited first.
                let is_first_nearer = first.1 <= second.1;
                open[count] = if is_first_nearer { second } else { first };
                open[count + 1] = if is_first_nearer { first } else { second };
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

/// A grid over the projection along [`FIRST_AXIS`].
#[derive(Clone, Copy, Debug, Default)]
struct Grid {
    low: Vec2,
    /// Columns per metre.
    density: Vec2,
    /// Number of columns along each side.
    side: u32,
}

impl Grid {
    /// Returns a grid over points. The first column of each row, and the first row, contain no points, only corners of
    /// triangles outside the points. The last ones also contain the points with the largest coordinates.
    fn around(points: impl Iterator<Item = Vec3>) -> Self {
        let (mut low, mut high, mut count) = (Vec3::INFINITY, Vec3::NEG_INFINITY, 0_u32);
        for point in points {
            (low, high, count) = (low.min(point), high.max(point), count + 1);
        }
        let inner = ((COLUMNS_PER_SQRT_POINT * (count as f32).sqrt()) as u32).clamp(1, MAX_COLUMNS);
        let density = Vec2::splat(inner as f32) / (high - low).truncate();
        let density = Vec2::select(density.is_finite_mask(), density, Vec2::ZERO);
        Self { low: low.truncate(), density, side: inner + 2 }
    }

    /// Returns the column of a point: its place in its row, and the row. A larger coordinate has an equal or a later column,
    /// so that the columns from one corner of a box to the other include those of all points in the box.
    fn column(self, point: Vec3) -> UVec2 {
        ((point.truncate() - self.low) * self.density + 1.0).as_uvec2().min(UVec2::splat(self.side - 1))
    }

    /// Returns the index of a column in the list of all columns, row by row.
    const fn index(self, column: UVec2) -> usize {
        (column.y * self.side + column.x) as usize
    }
}

/// Points in a grid, column by column.
#[derive(Clone, Debug, Default)]
struct PointColumns {
    grid: Grid,
    /// Where the points of each column start, and the end of the last column.
    starts: Vec<u32>,
    /// The points of the columns, and their indices.
    points: Vec<(Vec3, u32)>,
    /// How many times the surface winds around each point of the columns.
    winding_numbers: Vec<i32>,
}

impl PointColumns {
    /// Returns the indices of the points that a surface winds around, in ascending order.
    fn points_with_winding(&mut self, points: &[Vec3], triangles: &[[u32; 3]], positions: &[Vec3]) -> Vec<u32> {
        self.fill(points);
        for triangle in triangles {
            let corners = triangle.map(|i| positions[i as usize]);
            let [a, b, c] = corners;
            let (low, high) = (a.min(b).min(c), a.max(b).max(c));
            let (first, last) = (self.grid.column(low), self.grid.column(high));
            // A triangle at any distance ahead can be crossed.
            let least = low.with_z(f32::NEG_INFINITY);
            for row in first.y..=last.y {
                let [start, end] = [first.x, last.x + 1].map(|at| self.starts[self.grid.index(UVec2::new(at, row))]);
                let range = start as usize..end as usize;
                for ((point, _), winding) in self.points[range.clone()].iter().zip(&mut self.winding_numbers[range]) {
                    // Most points in these columns are next to the triangle, or past it.
                    if point.cmpge(least).all() && point.cmple(high).all() {
                        let ray = Ray { origin: *point, sign: 1.0 };
                        *winding += ray.crossing::<FIRST_AXIS>(&corners);
                    }
                }
            }
        }
        let numbered = self.points.iter().zip(&self.winding_numbers);
        let mut inside: Vec<u32> = numbered.filter(|(_, winding)| **winding > 0).map(|((_, at), _)| *at).collect();
        inside.sort_unstable();
        inside
    }

    /// Sorts the points into columns. Points that are not finite are in no column.
    fn fill(&mut self, points: &[Vec3]) {
        let finite = || (0..).zip(points).filter(|(_, point)| point.is_finite());
        let grid = Grid::around(finite().map(|(_, point)| *point));
        let column = |point: Vec3| grid.index(grid.column(point));
        self.grid = grid;
        self.starts.clear();
        self.starts.resize((grid.side * grid.side + 1) as usize, 0);
        // Counts the points of each column, which gives the ends, and then fills the columns from their ends.
        for (_, point) in finite() {
            let at = column(*point);
            self.starts[at] += 1;
        }
        let mut end = 0;
        for start in &mut self.starts {
            end += *start;
            *start = end;
        }
        self.points.clear();
        self.points.resize(end as usize, (Vec3::ZERO, 0));
        for (index, point) in finite() {
            let at = column(*point);
            self.starts[at] -= 1;
            self.points[self.starts[at] as usize] = (*point, index);
        }
        self.winding_numbers.clear();
        self.winding_numbers.resize(self.points.len(), 0);
    }
}

fn merged(node: TreeNode, first: &TreeNode, second: &TreeNode) -> TreeNode {
    TreeNode { low: first.low.min(second.low), high: first.high.max(second.high), ..node }
}

/// A ray along a coordinate axis. Its methods take the axis as `AXIS`.
#[derive(Clone, Copy, Debug)]
struct Ray {
    origin: Vec3,
    /// 1 or -1.
    sign: f32,
}

impl Ray {
    fn meets_box<const AXIS: usize>(&self, low: Vec3, high: Vec3) -> bool {
        let (at, u, v) = (AXIS, (AXIS + 1) % 3, (AXIS + 2) % 3);
        let (low, high, origin) = (low.to_array(), high.to_array(), self.origin.to_array());
        let is_ahead = if self.sign > 0.0 { high[at] >= origin[at] } else { low[at] <= origin[at] };
        is_ahead && low[u] <= origin[u] && origin[u] <= high[u] && low[v] <= origin[v] && origin[v] <= high[v]
    }

    /// Returns 1 if the ray leaves a closed surface through a triangle, -1 if the ray enters there, and 0 without a
    /// crossing.
    ///
    /// The winding number of the projected triangle is the sum of the crossings of its edges with the u axis. The same
    /// bits with the opposite sign result for an edge of two triangles, so a ray through an edge is counted once.
    fn crossing<const AXIS: usize>(&self, corners: &[Vec3; 3]) -> i32 {
        let (u, v) = ((AXIS + 1) % 3, (AXIS + 2) % 3);
        let [a, b, c] = corners.map(|corner| corner - self.origin);
        let above = corners.map(|corner| corner.to_array()[v] > self.origin.to_array()[v]);
        if above == [above[0]; 3] {
            // Most triangles near the ray: no edge rises or falls through the u axis.
            return 0;
        }
        let edge = |from: Vec3, to: Vec3| {
            let (from, to) = (from.to_array(), to.to_array());
            let side = from[u] * to[v] - from[v] * to[u];
            let rises = from[v] <= 0.0 && to[v] > 0.0 && side > 0.0;
            let falls = to[v] <= 0.0 && from[v] > 0.0 && side < 0.0;
            i32::from(rises) - i32::from(falls)
        };
        let turns = edge(a, b) + edge(b, c) + edge(c, a);
        if turns == 0 {
            return 0;
        }
        let outward = turns as f32 * self.sign;
        let is_ahead = (b - a).cross(c - a).dot(a) * turns as f32 * self.sign > 0.0;
        if is_ahead { outward as i32 } else { 0 }
    }
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
    use std::f32::consts::{PI, TAU};

    const SEGMENTS: u32 = 48;
    const RINGS: u32 = 24;

    /// A unit sphere about the origin with the normals outwards.
    fn sphere() -> (Vec<[u32; 3]>, Vec<Vec3>) {
        let mut positions = Vec::new();
        for ring in 0..=RINGS {
            let (sin, cos) = libm::sincosf(PI * ring as f32 / RINGS as f32);
            // All vertices of a pole have the same position.
            let sin = sin.max(0.0);
            for segment in 0..SEGMENTS {
                let (z, x) = libm::sincosf(TAU * segment as f32 / SEGMENTS as f32);
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
        (triangles.collect(), positions)
    }

    /// Points on a grid around the sphere.
    fn grid() -> impl Iterator<Item = Vec3> {
        let line = || (-7..=7).map(|i| i as f32 * 0.19);
        line().flat_map(move |x| line().flat_map(move |y| line().map(move |z| Vec3::new(x, y, z))))
    }

    /// Returns which points are inside.
    fn contained(tree: &mut TriangleTree, points: &[Vec3], positions: &[Vec3]) -> Vec<bool> {
        let inside = tree.points_inside(points, positions);
        (0..points.len() as u32).map(|point| inside.contains(&point)).collect()
    }

    #[test]
    fn exactly_the_points_in_a_sphere_of_any_size_are_inside() {
        for scale in [0.01, 1.0, 100.0] {
            let (triangles, positions) = sphere();
            let positions: Vec<Vec3> = positions.iter().map(|p| *p * scale).collect();
            let mut tree = TriangleTree::new(&triangles, &positions);
            let points: Vec<Vec3> = grid().filter(|p| (p.length() - 1.0).abs() > 0.02).map(|p| p * scale).collect();
            let expected: Vec<bool> = points.iter().map(|point| point.length() < scale).collect();
            assert_eq!(contained(&mut tree, &points, &positions), expected, "times {scale}");
            // One point, and no other point in its row or column.
            assert_eq!(contained(&mut tree, &[Vec3::X * 0.5 * scale], &positions), [true]);
        }
        assert_eq!(contained(&mut TriangleTree::default(), &[Vec3::ZERO], &[]), [false]);
        let (triangles, positions) = sphere();
        let mut tree = TriangleTree::new(&triangles, &positions);
        assert_eq!(contained(&mut tree, &[Vec3::splat(f32::NAN), Vec3::ZERO], &positions), [false, true]);
        assert_eq!(contained(&mut tree, &[], &positions), [false; 0]);
    }

    #[test]
    fn columns_find_the_same_crossings_as_the_tree() {
        let (triangles, positions) = sphere();
        let mut tree = TriangleTree::new(&triangles, &positions);
        let all: Vec<Vec3> = grid().chain(positions.iter().copied()).collect();
        let corner: Vec<Vec3> = all.iter().copied().filter(|p| p.x > -0.4 && p.y < 0.6).collect();
        for points in [all, corner] {
            let is_inside = |p: &Vec3| tree.winding_number::<FIRST_AXIS>(Ray { origin: *p, sign: 1.0 }) > 0;
            let expected: Vec<u32> = (0..).zip(&points).filter(|(_, p)| is_inside(p)).map(|(at, _)| at).collect();
            assert!(expected.len() > 20);
            assert_eq!(tree.columns.points_with_winding(&points, &triangles, &positions), expected);
        }
    }

    #[test]
    fn rays_in_all_directions_through_edges_and_vertices_agree() {
        let (triangles, positions) = sphere();
        let tree = TriangleTree::new(&triangles, &positions);
        // The poles and the vertices at the angle of 0 are on the axes of the origin.
        for point in [Vec3::ZERO, Vec3::Y * 0.5, Vec3::X * 0.5, Vec3::Z * -0.5, positions[SEGMENTS as usize * 5] * 0.5]
        {
            for sign in [1.0, -1.0] {
                let ray = Ray { origin: point, sign };
                let numbers =
                    [tree.winding_number::<0>(ray), tree.winding_number::<1>(ray), tree.winding_number::<2>(ray)];
                assert_eq!(numbers, [1; 3], "{point}, {sign}");
            }
        }
    }

    #[test]
    fn a_surface_inside_another_adds_up_and_a_turned_surface_cancels() {
        let (triangles, positions) = sphere();
        let inner: Vec<Vec3> = positions.iter().map(|p| *p * 0.5).collect();
        let count = positions.len() as u32;
        let all = [&positions[..], &inner].concat();
        let second = |turned: bool| {
            triangles.iter().map(move |[a, b, c]| if turned { [*a, *c, *b] } else { [*a, *b, *c] }.map(|i| i + count))
        };
        let tree = |turned: bool| {
            TriangleTree::new(&triangles.iter().copied().chain(second(turned)).collect::<Vec<_>>(), &all)
        };
        let ray = Ray { origin: Vec3::new(0.1, 0.05, 0.0), sign: 1.0 };
        assert_eq!((tree(false).winding_number::<1>(ray), tree(true).winding_number::<1>(ray)), (2, 0));
        assert_eq!(contained(&mut tree(true), &[Vec3::X * 0.7, Vec3::X * 0.3], &all), [true, false], "between both");
    }

    #[test]
    fn the_distance_to_the_surface_is_that_of_the_nearest_triangle_with_the_point_behind() {
        let (triangles, positions) = sphere();
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
        let (triangles, positions) = sphere();
        let bent: Vec<Vec3> = positions.iter().map(|p| *p * Vec3::new(0.4, 2.0, 0.4) + Vec3::X * p.y * p.y).collect();
        let mut moved = TriangleTree::new(&triangles, &positions);
        let mut new = TriangleTree::new(&triangles, &bent);
        let points: Vec<Vec3> = grid().collect();
        assert_eq!(moved.points_inside(&points, &bent), new.points_inside(&points, &bent));
        for point in points {
            let distance = |tree: &TriangleTree| tree.nearest_behind(point).map(|near| near.distance);
            assert_eq!(distance(&moved), distance(&new), "{point}");
        }
    }
}
