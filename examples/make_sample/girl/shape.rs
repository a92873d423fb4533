//! Surfaces as grids of points: splines, lofts, smooth normals, skin weights.

use super::features::TARGETS;
use glam::{Vec2, Vec3};
use std::collections::BTreeMap;

/// Up to four bones and their shares, summing to 1.
pub(super) type Skin = [(u16, f32); 4];

/// All weight on one bone.
pub(super) const fn rigid(bone: u16) -> Skin {
    [(bone, 1.0), (0, 0.0), (0, 0.0), (0, 0.0)]
}

/// A point of a surface.
#[derive(Clone, Copy, Debug)]
pub(super) struct Vertex {
    pub(super) at: Vec3,
    pub(super) uv: Vec2,
    pub(super) skin: Skin,
}

/// Triangles of one material.
#[derive(Clone, Debug, Default)]
pub(super) struct Mesh {
    pub(super) vertices: Vec<Vertex>,
    pub(super) normals: Vec<Vec3>,
    pub(super) indices: Vec<u32>,
    /// One list a morph target: vertices and how far they move.
    pub(super) morphs: [Vec<(usize, Vec3)>; TARGETS.len()],
}

impl Mesh {
    /// Turns what was added from `start` on so that it faces `way`, and lights it as the egg of the head is lit.
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

    /// Adds `rows` x `columns` points; `point(v, u)` is asked with both in 0..=1, rows along `v`.
    ///
    /// Points at one place share a normal, which closes seams and poles. Outside is away from the middle of
    /// the rows. Returns where its vertices begin.
    pub(super) fn add_grid(&mut self, rows: usize, columns: usize, mut point: impl FnMut(f32, f32) -> Vertex) -> usize {
        let share = |i: usize, n: usize| i as f32 / (n - 1) as f32;
        let grid: Vec<Vertex> = (0..rows * columns)
            .map(|i| {
                let mut vertex = point(share(i / columns, rows), share(i % columns, columns));
                vertex.at = (vertex.at * 1e5).round() / 1e5;
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
        let place = |i: usize| grid[i].at;
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

    /// Gives every vertex from `start` on a new place on the picture.
    pub(super) fn repaint(&mut self, start: usize, uv: impl Fn(&Vertex) -> Vec2) {
        for vertex in &mut self.vertices[start..] {
            vertex.uv = uv(vertex);
        }
    }
}

fn smooth_normals(grid: &[Vertex], triangles: &[[usize; 3]]) -> Vec<Vec3> {
    let key = |i: usize| {
        let p = grid[i].at * 1e5;
        [p.x as i32, p.y as i32, p.z as i32]
    };
    let mut sums: BTreeMap<[i32; 3], Vec3> = BTreeMap::new();
    for &[a, b, c] in triangles {
        // Scaled up, because the cross product of millimetres is tiny.
        let normal = ((grid[b].at - grid[a].at) * 1e3).cross((grid[c].at - grid[a].at) * 1e3);
        for corner in [a, b, c] {
            *sums.entry(key(corner)).or_default() += normal;
        }
    }
    (0..grid.len()).map(|i| sums.get(&key(i)).map_or(Vec3::Y, |n| n.normalize_or(Vec3::Y))).collect()
}

fn faces_inward(grid: &[Vertex], columns: usize, normals: &[Vec3]) -> bool {
    let mut outward = 0.0;
    for (row, normals) in grid.chunks(columns).zip(normals.chunks(columns)) {
        let middle = row.iter().map(|v| v.at).sum::<Vec3>() / columns as f32;
        outward += row.iter().zip(normals).map(|(v, n)| n.dot(v.at - middle)).sum::<f32>();
    }
    outward < 0.0
}

/// Sine and cosine of a share of a full turn, by series: the same bits on every machine.
pub(super) fn turn(turns: f32) -> (f32, f32) {
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

/// 0 below `a`, 1 above `b`, smooth between.
pub(super) fn smooth(a: f32, b: f32, x: f32) -> f32 {
    let t = ((x - a) / (b - a)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

/// Values that splines can blend.
pub(super) trait Blend: Copy + std::ops::Mul<f32, Output = Self> + std::ops::Add<Output = Self> {}
impl<T: Copy + std::ops::Mul<f32, Output = T> + std::ops::Add<Output = T>> Blend for T {}

/// A Catmull-Rom curve through evenly spaced `knots`, `t` in 0..=1.
pub(super) fn spline<T: Blend>(knots: &[T], t: f32) -> T {
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

/// A curve through `(x, value)` knots with ascending `x`; level beyond them.
pub(super) fn profile(knots: &[(f32, f32)], x: f32) -> f32 {
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

/// Weights at `x` along a row of bones: bone `i` rules in the middle of `i..i+1`, neighbours share its ends.
pub(super) fn along(bones: &[u16], x: f32) -> Skin {
    let last = bones.len() - 1;
    let x = (x - 0.5).clamp(0.0, last as f32);
    let i = (x as usize).min(last);
    let next = smooth(0.0, 1.0, x - i as f32);
    [(bones[i], 1.0 - next), (bones[(i + 1).min(last)], next), (0, 0.0), (0, 0.0)]
}

/// The first two bones of `a` and `b`, blended.
pub(super) fn mix(a: Skin, b: Skin, share: f32) -> Skin {
    let (p, q) = (1.0 - share, share);
    [(a[0].0, a[0].1 * p), (a[1].0, a[1].1 * p), (b[0].0, b[0].1 * q), (b[1].0, b[1].1 * q)]
}

/// A tube along a spline with an oval cross-section.
#[derive(Debug)]
pub(super) struct Tube<'a> {
    /// Middle line.
    pub(super) path: &'a [Vec3],
    /// Half widths across and outward over 0..=1 of the path.
    pub(super) width: &'a [(f32, f32)],
    pub(super) thick: &'a [(f32, f32)],
    /// Roughly which way is outward.
    pub(super) out: Vec3,
    /// Folds along the tube: how many, and how deep as a share of the radius.
    pub(super) folds: (f32, f32),
    pub(super) rows: usize,
    pub(super) columns: usize,
}

impl Tube<'_> {
    /// Adds the tube; `v` of the texture runs from 0 to 1 along it, skin by `skin(t)`.
    ///
    /// Returns where its vertices begin.
    pub(super) fn add(&self, mesh: &mut Mesh, skin: impl Fn(f32) -> Skin) -> usize {
        mesh.add_grid(self.rows, self.columns + 1, |t, u| {
            let (sin, cos) = turn(u);
            let fold = 1.0 + self.folds.1 * turn(u * self.folds.0).1;
            let (side, out) = self.frame(t);
            let across = side * (cos * profile(self.width, t) * fold);
            let outward = out * (sin * profile(self.thick, t) * fold);
            Vertex { at: spline(self.path, t) + across + outward, uv: Vec2::new(u, t), skin: skin(t) }
        })
    }

    pub(super) fn frame(&self, t: f32) -> (Vec3, Vec3) {
        let ahead = spline(self.path, (t + 0.02).min(1.0)) - spline(self.path, (t - 0.02).max(0.0));
        let ahead = ahead.normalize_or(Vec3::NEG_Y);
        let side = ahead.cross(self.out).normalize_or(Vec3::X);
        (side, side.cross(ahead))
    }
}
