//! Surfaces as grids of points, with splines, smooth normals and skin weights.

use super::features::MORPH_TARGETS;
use glam::{Vec2, Vec3};
use std::collections::BTreeMap;

/// Up to four bones and their weights, which add up to 1.
pub(super) type SkinWeights = [(u16, f32); 4];

pub(super) const fn single_bone_weights(bone: u16) -> SkinWeights {
    [(bone, 1.0), (0, 0.0), (0, 0.0), (0, 0.0)]
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Vertex {
    pub(super) position: Vec3,
    pub(super) uv: Vec2,
    pub(super) weights: SkinWeights,
}

/// Triangles of one material.
#[derive(Clone, Debug, Default)]
pub(super) struct Mesh {
    pub(super) vertices: Vec<Vertex>,
    pub(super) normals: Vec<Vec3>,
    pub(super) indices: Vec<u32>,
    /// One list per morph target: vertices and their offsets.
    pub(super) morphs: [Vec<(usize, Vec3)>; MORPH_TARGETS.len()],
}

impl Mesh {
    /// Orients the triangles of the vertices from `start` on towards `way`, and sets their normals to `way`.
    pub(super) fn face_towards(&mut self, start: usize, way: Vec3) {
        let away: f32 = self.normals[start..].iter().map(|n| n.dot(way)).sum();
        if away < 0.0 {
            let first = self.indices.iter().position(|&i| i as usize >= start).unwrap_or(self.indices.len());
            for triangle in self.indices[first..].chunks_exact_mut(3) {
                triangle.swap(1, 2);
            }
        }
        self.normals[start..].fill(way);
    }

    /// Adds a grid of `rows` x `columns` points. `point` is called with `v` (along a column) and `u` (along a row),
    /// both in 0..=1.
    ///
    /// Points at the same position share a normal, which closes seams and poles. Triangles face away from the middle of
    /// their row. Returns the index of the first vertex.
    pub(super) fn add_grid(&mut self, rows: usize, columns: usize, mut point: impl FnMut(f32, f32) -> Vertex) -> usize {
        let share = |i: usize, n: usize| i as f32 / (n - 1) as f32;
        let grid: Vec<Vertex> = (0..rows * columns)
            .map(|i| {
                let mut vertex = point(share(i / columns, rows), share(i % columns, columns));
                vertex.position = (vertex.position * 1e5).round() / 1e5;
                vertex
            })
            .collect();
        let mut triangles = Vec::with_capacity(rows * columns * 2);
        for row in 0..rows - 1 {
            for column in 0..columns - 1 {
                let a = row * columns + column;
                let (b, c, d) = (a + 1, a + columns, a + columns + 1);
                triangles.push([a, c, b]);
                triangles.push([b, c, d]);
            }
        }
        let place = |i: usize| grid[i].position;
        triangles.retain(|&[a, b, c]| place(a) != place(b) && place(b) != place(c) && place(c) != place(a));
        let mut normals = smooth_normals(&grid, &triangles);
        if faces_inward(&grid, columns, &normals) {
            for triangle in &mut triangles {
                triangle.swap(1, 2);
            }
            for normal in &mut normals {
                *normal = -*normal;
            }
        }
        let start = self.vertices.len();
        self.indices.extend(triangles.iter().flatten().map(|&i| (start + i) as u32));
        self.vertices.extend(grid);
        self.normals.extend(normals);
        start
    }

    /// Replaces the texture coordinates of all vertices from `start` on.
    pub(super) fn remap_uv(&mut self, start: usize, uv: impl Fn(&Vertex) -> Vec2) {
        for vertex in &mut self.vertices[start..] {
            vertex.uv = uv(vertex);
        }
    }
}

fn smooth_normals(grid: &[Vertex], triangles: &[[usize; 3]]) -> Vec<Vec3> {
    let key = |i: usize| {
        let p = grid[i].position * 1e5;
        [p.x as i32, p.y as i32, p.z as i32]
    };
    let mut sums: BTreeMap<[i32; 3], Vec3> = BTreeMap::new();
    for &[a, b, c] in triangles {
        // The edges are scaled up because the cross product of millimetres is tiny.
        let normal = ((grid[b].position - grid[a].position) * 1e3).cross((grid[c].position - grid[a].position) * 1e3);
        for corner in [a, b, c] {
            *sums.entry(key(corner)).or_default() += normal;
        }
    }
    (0..grid.len()).map(|i| sums.get(&key(i)).map_or(Vec3::Y, |n| n.normalize_or(Vec3::Y))).collect()
}

fn faces_inward(grid: &[Vertex], columns: usize, normals: &[Vec3]) -> bool {
    let mut outward = 0.0;
    for (row, normals) in grid.chunks(columns).zip(normals.chunks(columns)) {
        let middle = row.iter().map(|v| v.position).sum::<Vec3>() / columns as f32;
        outward += row.iter().zip(normals).map(|(v, n)| n.dot(v.position - middle)).sum::<f32>();
    }
    outward < 0.0
}

/// Returns the sine and cosine of a fraction of a turn, computed by series for the same bits on every machine.
pub(super) fn sin_cos_of_turns(turns: f32) -> (f32, f32) {
    let turns = f64::from(turns);
    let quarter = (turns * 4.0).round();
    let x = (turns - quarter / 4.0) * std::f64::consts::TAU;
    let x2 = x * x;
    let sin = x * (1.0 - x2 / 6.0 * (1.0 - x2 / 20.0 * (1.0 - x2 / 42.0 * (1.0 - x2 / 72.0))));
    let cos = 1.0 - x2 / 2.0 * (1.0 - x2 / 12.0 * (1.0 - x2 / 30.0 * (1.0 - x2 / 56.0 * (1.0 - x2 / 90.0))));
    let (sin, cos) = match (quarter as i64).rem_euclid(4) {
        0 => (sin, cos),
        1 => (cos, -sin),
        2 => (-sin, -cos),
        _ => (-cos, sin),
    };
    (sin as f32, cos as f32)
}

/// Returns 0 below `a` and 1 above `b`, with a smooth transition.
pub(super) fn smoothstep(a: f32, b: f32, x: f32) -> f32 {
    let t = ((x - a) / (b - a)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

/// Values that splines interpolate.
pub(super) trait Interpolate: Copy + std::ops::Mul<f32, Output = Self> + std::ops::Add<Output = Self> {}
impl<T: Copy + std::ops::Mul<f32, Output = T> + std::ops::Add<Output = T>> Interpolate for T {}

/// Evaluates a Catmull-Rom spline through evenly spaced `knots` at `t` in 0..=1.
pub(super) fn catmull_rom<T: Interpolate>(knots: &[T], t: f32) -> T {
    let last = knots.len() - 1;
    let x = t.clamp(0.0, 1.0) * last as f32;
    let i = (x as usize).min(last.saturating_sub(1));
    let s = x - i as f32;
    let knot = |k: usize| knots[k.min(last)];
    let (a, b, c, d) = (knot(i.saturating_sub(1)), knot(i), knot(i + 1), knot(i + 2));
    let (s2, s3) = (s * s, s * s * s);
    a * (-0.5 * s3 + s2 - 0.5 * s)
        + b * (1.5 * s3 - 2.5 * s2 + 1.0)
        + c * (-1.5 * s3 + 2.0 * s2 + 0.5 * s)
        + d * (0.5 * s3 - 0.5 * s2)
}

/// Evaluates a spline through `(x, value)` knots with ascending `x`. The value is constant outside the knots.
pub(super) fn interpolate(knots: &[(f32, f32)], x: f32) -> f32 {
    let last = knots.len() - 1;
    let i = knots.partition_point(|k| k.0 <= x).clamp(1, last) - 1;
    let width = knots[i + 1].0 - knots[i].0;
    let s = ((x - knots[i].0) / width).clamp(0.0, 1.0);
    let slope = |k: usize| {
        let (p, n) = (knots[k.saturating_sub(1)], knots[(k + 1).min(last)]);
        (n.1 - p.1) / (n.0 - p.0)
    };
    let (s2, s3) = (s * s, s * s * s);
    knots[i].1 * (2.0 * s3 - 3.0 * s2 + 1.0)
        + slope(i) * width * (s3 - 2.0 * s2 + s)
        + knots[i + 1].1 * (3.0 * s2 - 2.0 * s3)
        + slope(i + 1) * width * (s3 - s2)
}

/// Returns skin weights at `x` along a row of bones. Bone `i` has weight 1 in the middle of `i..i+1`; neighbours share
/// the ends.
pub(super) fn weights_along(bones: &[u16], x: f32) -> SkinWeights {
    let last = bones.len() - 1;
    let x = (x - 0.5).clamp(0.0, last as f32);
    let i = (x as usize).min(last);
    let next = smoothstep(0.0, 1.0, x - i as f32);
    [(bones[i], 1.0 - next), (bones[(i + 1).min(last)], next), (0, 0.0), (0, 0.0)]
}

/// Blends the first two bones of `a` with the first two bones of `b`.
pub(super) fn blend_weights(a: SkinWeights, b: SkinWeights, share: f32) -> SkinWeights {
    let (p, q) = (1.0 - share, share);
    [(a[0].0, a[0].1 * p), (a[1].0, a[1].1 * p), (b[0].0, b[0].1 * q), (b[1].0, b[1].1 * q)]
}

/// A tube along a spline with an oval cross-section.
#[derive(Debug)]
pub(super) struct Tube<'a> {
    /// Centre line.
    pub(super) path: &'a [Vec3],
    /// Half width across the tube, over 0..=1 along the path.
    pub(super) width: &'a [(f32, f32)],
    /// Half width in the outward direction, over 0..=1 along the path.
    pub(super) thickness: &'a [(f32, f32)],
    /// Approximate outward direction.
    pub(super) outward: Vec3,
    /// Number of folds along the tube, and their depth relative to the radius.
    pub(super) folds: (f32, f32),
    pub(super) rows: usize,
    pub(super) columns: usize,
}

impl Tube<'_> {
    /// Adds the tube with skin weights `skin(t)`. V of the texture runs from 0 to 1 along the tube. Returns the index
    /// of the first vertex.
    pub(super) fn add(&self, mesh: &mut Mesh, skin: impl Fn(f32) -> SkinWeights) -> usize {
        mesh.add_grid(self.rows, self.columns + 1, |t, u| {
            let (sin, cos) = sin_cos_of_turns(u);
            let fold = 1.0 + self.folds.1 * sin_cos_of_turns(u * self.folds.0).1;
            let (side, out) = self.cross_section_axes(t);
            let across = side * (cos * interpolate(self.width, t) * fold);
            let outward = out * (sin * interpolate(self.thickness, t) * fold);
            Vertex { position: catmull_rom(self.path, t) + across + outward, uv: Vec2::new(u, t), weights: skin(t) }
        })
    }

    pub(super) fn cross_section_axes(&self, t: f32) -> (Vec3, Vec3) {
        let ahead = catmull_rom(self.path, (t + 0.02).min(1.0)) - catmull_rom(self.path, (t - 0.02).max(0.0));
        let ahead = ahead.normalize_or(Vec3::NEG_Y);
        let side = ahead.cross(self.outward).normalize_or(Vec3::X);
        (side, side.cross(ahead))
    }
}
