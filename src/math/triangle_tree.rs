//! A bounding volume hierarchy over the triangles of a closed surface that deforms.
//!
//! The tree answers whether a point is inside the surface, and how far the point is behind it. A point is inside if a ray
//! from the point leaves the surface more often than it enters. Surfaces that overlap add up.
//!
//! The groups of triangles are chosen once. [`TriangleTree::refit`] moves the tree to other positions of the vertices.
//! [`TriangleTree::index_columns`] prepares for many points: a grid then lists the few triangles that a ray can meet.

use glam::{UVec2, Vec2, Vec3};

/// Number of triangles in a leaf.
const LEAF_SIZE: usize = 4;
/// Number of columns along each side of a grid.
const COLUMNS: usize = 128;
/// The axis of the first ray from a point. A character is thinner from front to back than from side to side.
const FIRST_AXIS: usize = 2;

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
    /// The columns along [`FIRST_AXIS`], if `has_columns` is true.
    columns: ColumnGrid,
    has_columns: bool,
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

    /// Makes [`TriangleTree::contains`] faster for points between `low` and `high`, until the next
    /// [`TriangleTree::refit`]. The results stay the same, and points outside take as long as before. Takes as long as a few
    /// hundred points.
    pub fn index_columns(&mut self, low: Vec3, high: Vec3) {
        let Some(root) = self.nodes.first() else { return };
        self.columns.fill(low.max(root.low), high.min(root.high), &self.corners);
        self.has_columns = true;
    }

    /// Moves the tree to other positions of the same vertices.
    pub fn refit(&mut self, positions: &[Vec3]) {
        self.has_columns = false;
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

    /// Whether a point is inside the surface.
    pub fn contains(&self, point: Vec3) -> bool {
        let Some(root) = self.nodes.first() else { return false };
        if !(point.cmpge(root.low).all() && point.cmple(root.high).all()) {
            return false;
        }
        // A ray to the near side meets few triangles.
        let offset = point - root.low.midpoint(root.high);
        let ray = |axis: usize| Ray { origin: point, axis, sign: 1.0_f32.copysign(offset[axis]) };
        // The second ray confirms the first, which can pass through a crack between vertices of different weights.
        self.winding_number(ray(FIRST_AXIS)) > 0 && self.winding_number(ray((FIRST_AXIS + 1) % 3)) > 0
    }

    /// Returns how many times the surface winds around the origin of a ray.
    fn winding_number(&self, ray: Ray) -> i32 {
        match ray.axis {
            0 => self.winding_number_in_tree::<0>(ray),
            1 => self.winding_number_in_tree::<1>(ray),
            _ => self.winding_number_in_columns(ray).unwrap_or_else(|| self.winding_number_in_tree::<2>(ray)),
        }
    }

    /// Returns `None` if there are no columns at the ray.
    fn winding_number_in_columns(&self, ray: Ray) -> Option<i32> {
        let column = if self.has_columns { self.columns.triangles_at(ray.origin)? } else { return None };
        let crossing = |triangle: &u32| ray.crossing::<FIRST_AXIS>(&self.corners[*triangle as usize]);
        Some(column.iter().map(crossing).sum())
    }

    fn winding_number_in_tree<const AXIS: usize>(&self, ray: Ray) -> i32 {
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

/// A grid over a part of the projection of the triangles along [`FIRST_AXIS`]. A column has the triangles that a ray in it
/// can meet.
#[derive(Clone, Debug, Default)]
struct ColumnGrid {
    low: Vec2,
    high: Vec2,
    /// Columns per metre.
    density: Vec2,
    /// Where the triangles of each column start, and the end of the last column.
    starts: Vec<u32>,
    /// Indices of triangles, column by column.
    triangles: Vec<u32>,
    /// The first and the last column of each triangle in the grid, with the index of the triangle.
    spans: Vec<(u32, [UVec2; 2])>,
}

impl ColumnGrid {
    /// Makes a grid between two corners. Without a triangle there, the grid has no columns.
    fn fill(&mut self, low: Vec3, high: Vec3, corners: &[[Vec3; 3]]) {
        (self.low, self.high) = (project(low), project(high));
        let density = Vec2::splat(COLUMNS as f32) / (self.high - self.low);
        self.density = Vec2::select(density.is_finite_mask(), density, Vec2::ZERO);
        self.starts.clear();
        self.starts.resize(COLUMNS * COLUMNS + 1, 0);
        self.spans.clear();
        for (triangle, [a, b, c]) in (0..).zip(corners) {
            let [first, last] = [project(a.min(*b).min(*c)), project(a.max(*b).max(*c))];
            if first.cmple(self.high).all() && last.cmpge(self.low).all() {
                self.spans.push((triangle, [first, last].map(|corner| self.column(corner))));
            }
        }
        let rows = |[first, last]: [UVec2; 2]| {
            let row =
                move |row: u32| (row * COLUMNS as u32 + first.x) as usize..(row * COLUMNS as u32 + last.x + 1) as usize;
            (first.y..=last.y).map(row)
        };
        // Counts the triangles of each column, which gives the ends, and then fills the columns from their ends.
        for row in self.spans.iter().flat_map(|(_, span)| rows(*span)) {
            self.starts[row].iter_mut().for_each(|count| *count += 1);
        }
        let mut end = 0;
        for start in &mut self.starts {
            end += *start;
            *start = end;
        }
        self.triangles.resize(end as usize, 0);
        for (triangle, span) in &self.spans {
            for row in rows(*span) {
                for start in &mut self.starts[row] {
                    *start -= 1;
                    self.triangles[*start as usize] = *triangle;
                }
            }
        }
    }

    /// Returns the column of a point of the projection. A larger coordinate has an equal or a later column, so that the
    /// columns from one corner of a box to the other include those of all points in the box.
    fn column(&self, at: Vec2) -> UVec2 {
        ((at - self.low) * self.density).as_uvec2().min(UVec2::splat(COLUMNS as u32 - 1))
    }

    /// Returns the triangles that a ray along [`FIRST_AXIS`] through a point can meet, or `None` outside the grid.
    fn triangles_at(&self, point: Vec3) -> Option<&[u32]> {
        let at = project(point);
        if !(self.low.cmple(at).all() && at.cmple(self.high).all()) {
            return None;
        }
        let column = self.column(at);
        let column = (column.y * COLUMNS as u32 + column.x) as usize;
        Some(&self.triangles[self.starts[column] as usize..self.starts[column + 1] as usize])
    }
}

/// Projects a point along [`FIRST_AXIS`].
const fn project(point: Vec3) -> Vec2 {
    Vec2::new(point.x, point.y)
}

fn merged(node: TreeNode, first: &TreeNode, second: &TreeNode) -> TreeNode {
    TreeNode { low: first.low.min(second.low), high: first.high.max(second.high), ..node }
}

/// A ray along a coordinate axis.
#[derive(Clone, Copy, Debug)]
struct Ray {
    origin: Vec3,
    axis: usize,
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
            let (sin, cos) = (PI * ring as f32 / RINGS as f32).sin_cos();
            // All vertices of a pole have the same position.
            let sin = sin.max(0.0);
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
        (triangles.collect(), positions)
    }

    /// Points on a grid around the sphere.
    fn grid() -> impl Iterator<Item = Vec3> {
        let line = || (-7..=7).map(|i| i as f32 * 0.19);
        line().flat_map(move |x| line().flat_map(move |y| line().map(move |z| Vec3::new(x, y, z))))
    }

    #[test]
    fn exactly_the_points_in_a_sphere_of_any_size_are_inside() {
        for scale in [0.01, 1.0, 100.0] {
            let (triangles, positions) = sphere();
            let positions: Vec<Vec3> = positions.iter().map(|p| *p * scale).collect();
            let tree = TriangleTree::new(&triangles, &positions);
            for point in grid().filter(|p| (p.length() - 1.0).abs() > 0.02) {
                assert_eq!(tree.contains(point * scale), point.length() < 1.0, "{point} times {scale}");
            }
        }
        assert!(!TriangleTree::default().contains(Vec3::ZERO));
    }

    #[test]
    fn rays_in_all_directions_through_edges_and_vertices_agree() {
        let (triangles, positions) = sphere();
        let tree = TriangleTree::new(&triangles, &positions);
        // The poles and the vertices at the angle of 0 are on the axes of the origin.
        for point in [Vec3::ZERO, Vec3::Y * 0.5, Vec3::X * 0.5, Vec3::Z * -0.5, positions[SEGMENTS as usize * 5] * 0.5]
        {
            for axis in 0..3 {
                for sign in [1.0, -1.0] {
                    assert_eq!(tree.winding_number(Ray { origin: point, axis, sign }), 1, "{point}, {axis}, {sign}");
                }
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
        let ray = Ray { origin: Vec3::new(0.1, 0.05, 0.0), axis: 1, sign: 1.0 };
        assert_eq!((tree(false).winding_number(ray), tree(true).winding_number(ray)), (2, 0));
        assert!(tree(true).contains(Vec3::X * 0.7), "between both");
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
    fn columns_change_no_result() {
        let (triangles, positions) = sphere();
        let plain = TriangleTree::new(&triangles, &positions);
        let mut indexed = plain.clone();
        indexed.index_columns(Vec3::splat(-0.4), Vec3::splat(2.0));
        let bent: Vec<Vec3> = positions.iter().map(|p| *p * Vec3::new(0.4, 2.0, 0.4) + Vec3::X * p.y * p.y).collect();
        for point in grid().chain(positions.iter().copied()).chain([Vec3::splat(f32::NAN)]) {
            for axis in 0..3 {
                let ray = Ray { origin: point, axis, sign: 1.0 };
                assert_eq!(indexed.winding_number(ray), plain.winding_number(ray), "{point}, {axis}");
            }
        }
        indexed.refit(&bent);
        indexed.index_columns(Vec3::splat(-3.0), Vec3::splat(3.0));
        let moved = TriangleTree::new(&triangles, &bent);
        grid().for_each(|point| assert_eq!(indexed.contains(point), moved.contains(point), "{point}"));
    }

    #[test]
    fn a_tree_that_moves_with_its_vertices_equals_a_new_tree() {
        let (triangles, positions) = sphere();
        let bent: Vec<Vec3> = positions.iter().map(|p| *p * Vec3::new(0.4, 2.0, 0.4) + Vec3::X * p.y * p.y).collect();
        let mut moved = TriangleTree::new(&triangles, &positions);
        moved.refit(&bent);
        let new = TriangleTree::new(&triangles, &bent);
        for point in grid() {
            assert_eq!(moved.contains(point), new.contains(point), "{point}");
            let distance = |tree: &TriangleTree| tree.nearest_behind(point).map(|near| near.distance);
            assert_eq!(distance(&moved), distance(&new), "{point}");
        }
    }
}
