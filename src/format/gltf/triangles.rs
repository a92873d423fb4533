//! Index lists: strips and fans become triangles, ranges are checked, missing normals are made.

use glam::Vec3;
use gltf::json::mesh::Mode;

/// Whether there are surfaces between the vertices; points and lines are not drawn.
pub(crate) fn has_surface(mode: Mode) -> bool {
    matches!(mode, Mode::Triangles | Mode::TriangleStrip | Mode::TriangleFan)
}

/// Three indices a triangle; degenerate triangles of strips are dropped, as is an incomplete last one.
pub(crate) fn to_triangle_list(mode: Mode, mut indices: Vec<u32>) -> Vec<u32> {
    let mut out = Vec::new();
    let mut push = |a: u32, b: u32, c: u32| {
        if a != b && b != c && a != c {
            out.extend([a, b, c]);
        }
    };
    match mode {
        Mode::Points | Mode::Lines | Mode::LineLoop | Mode::LineStrip => {}
        Mode::Triangles => {
            indices.truncate(indices.len() / 3 * 3);
            return indices;
        }
        Mode::TriangleStrip => {
            for (i, w) in indices.windows(3).enumerate() {
                if i % 2 == 0 { push(w[0], w[1], w[2]) } else { push(w[1], w[0], w[2]) }
            }
        }
        Mode::TriangleFan => {
            for w in indices.get(1..).unwrap_or(&[]).windows(2) {
                push(indices[0], w[0], w[1]);
            }
        }
    }
    out
}

/// Smooth normals, weighted by area; +Y for vertices without a triangle. All indices are in range.
pub(crate) fn smooth_normals(positions: &[Vec3], indices: &[u32]) -> Vec<Vec3> {
    let mut sums = vec![Vec3::ZERO; positions.len()];
    for triangle in indices.chunks_exact(3) {
        let [a, b, c] = [triangle[0] as usize, triangle[1] as usize, triangle[2] as usize];
        let normal = (positions[b] - positions[a]).cross(positions[c] - positions[a]);
        for corner in [a, b, c] {
            sums[corner] += normal;
        }
    }
    sums.into_iter().map(normalize_or_y).collect()
}

/// A direction of length 1, however large or small `v` is; +Y where it has none.
pub(crate) fn normalize_or_y(v: Vec3) -> Vec3 {
    let largest = v.abs().max_element();
    if largest > 0.0 && v.is_finite() { (v / largest).normalize() } else { Vec3::Y }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strips_and_fans_keep_their_winding() {
        assert_eq!(to_triangle_list(Mode::TriangleStrip, vec![0, 1, 2, 3]), [0, 1, 2, 2, 1, 3]);
        assert_eq!(to_triangle_list(Mode::TriangleFan, vec![0, 1, 2, 3]), [0, 1, 2, 0, 2, 3]);
        assert_eq!(to_triangle_list(Mode::TriangleStrip, vec![0, 1, 1, 2]), [0_u32; 0]);
        assert_eq!(to_triangle_list(Mode::TriangleFan, vec![0]), [0_u32; 0]);
        assert_eq!(to_triangle_list(Mode::TriangleFan, Vec::new()), [0_u32; 0]);
        assert_eq!(to_triangle_list(Mode::Triangles, vec![0, 1, 2, 3]), [0, 1, 2]);
    }

    #[test]
    fn very_long_and_very_short_vectors_are_normalized() {
        assert_eq!(normalize_or_y(Vec3::X * 1e-40), Vec3::X);
        assert_eq!(normalize_or_y(Vec3::X * 3e38), Vec3::X);
        assert_eq!(normalize_or_y(Vec3::ZERO), Vec3::Y);
        assert_eq!(normalize_or_y(Vec3::new(f32::NAN, 1.0, 0.0)), Vec3::Y);
    }

    #[test]
    fn normals_follow_the_winding_of_triangles() {
        let made = smooth_normals(&[Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::ONE], &[0, 1, 2]);
        assert_eq!(made, [Vec3::Z, Vec3::Z, Vec3::Z, Vec3::Y]);
    }
}
