//! Reads one primitive of a mesh: attributes, triangles and morph targets. Strips and fans are converted to triangles,
//! and missing normals are computed.

use super::accessor::Accessors;
use super::skins::{self, SkinWeights};
use crate::gltf_json::json::{JsonError, JsonObject};
use glam::{Vec2, Vec3};
use gltf::json::accessor::Type;
use gltf::json::mesh::{Mode, VALID_MODES};
use yuremono_sim::diagnostics::message;
use yuremono_sim::rig::{MorphTarget, Primitive};

/// Marks a primitive without a material until the list of materials is complete.
pub(crate) const NO_MATERIAL: usize = usize::MAX;

/// Returns `None` for a primitive without a surface: points, lines, or no triangles.
pub(crate) fn read(json: &JsonObject<'_>, accessors: &Accessors<'_>) -> Result<Option<Primitive>, JsonError> {
    let mode = json.numeric_enum("mode", "mode", VALID_MODES)?.unwrap_or_default();
    if !matches!(mode, Mode::Triangles | Mode::TriangleStrip | Mode::TriangleFan) {
        json.info(json.pointer_to("mode"), message!("points and lines are not drawn"));
        return Ok(None);
    }
    let attributes = json.required("attributes", JsonObject::object)?;
    let position = attributes.required_index("POSITION", accessors.len(), "accessor")?;
    let vertices = accessors.get(position).count;
    if vertices == 0 {
        return Err(attributes.error_at("POSITION", message!("there are no vertices")));
    }
    let charge = |count: usize, size| accessors.budget().charge(count as u64, size).map_err(|why| json.error(why));
    charge(vertices, 4)?;
    let mut indices = to_triangle_list(mode, read_indices(json, vertices, accessors)?);
    charge(indices.len(), 4)?;
    if indices.is_empty() {
        json.info(json.pointer.clone(), message!("there is no triangle in this part of the mesh"));
        return Ok(None);
    }
    let only = compact_vertices(vertices, &mut indices);
    let reader = AttributeReader { accessors, vertex_count: vertices, selected_vertices: only.as_deref() };
    let positions = reader.vectors(&attributes, "POSITION", position)?;
    charge(positions.len(), 12 + 8)?;
    let normals =
        reader.optional_vectors(&attributes, "NORMAL").map(|list| list.into_iter().map(normalize_or_y).collect());
    let skinned = skins::read_weights(&attributes, vertices, reader.selected_vertices, accessors);
    let SkinWeights { joints, weights } = attributes.ok_or_warn(skinned, "it stays unskinned").unwrap_or_default();
    Ok(Some(Primitive {
        normals: normals.unwrap_or_else(|| smooth_normals(&positions, &indices)),
        uvs: reader.uvs(&attributes).unwrap_or_else(|| vec![Vec2::ZERO; positions.len()]),
        colors: reader.colors(&attributes).unwrap_or_default(),
        morphs: reader.morphs(json),
        material: json.unsigned("material")?.map_or(NO_MATERIAL, |m| usize::try_from(m).unwrap_or(NO_MATERIAL)),
        positions,
        joints,
        weights,
        indices,
    }))
}

/// Memory of a primitive, in bytes.
pub(crate) fn memory_bytes(primitive: &Primitive) -> u64 {
    let vertex = 12 + 12 + 8;
    let frame = size_of::<Primitive>() + size_of::<MorphTarget>() * primitive.morphs.len();
    let vertices = primitive.positions.len() * vertex
        + primitive.colors.len() * 16
        + primitive.joints.len() * 8
        + primitive.weights.len() * 16;
    let morphs: usize = primitive.morphs.iter().map(|m| 12 * (m.positions.len() + m.normals.len())).sum();
    (frame + vertices + 4 * primitive.indices.len() + morphs) as u64
}

/// Reads all indices. Each index is less than `vertices`.
fn read_indices(json: &JsonObject<'_>, vertices: usize, accessors: &Accessors<'_>) -> Result<Vec<u32>, JsonError> {
    let Some(index) = json.index("indices", accessors.len(), "accessor")? else {
        let count = u32::try_from(vertices).map_err(|why| json.error(why.to_string()))?;
        accessors.budget().charge(vertices as u64, 4).map_err(|why| json.error(why))?;
        return Ok((0..count).collect());
    };
    let indices = accessors.selected_unsigned::<1>(index, None).map_err(|why| json.error_at("indices", why))?;
    let indices: Vec<u32> = indices.into_iter().map(|[i]| i).collect();
    match indices.iter().find(|i| **i as usize >= vertices) {
        Some(i) => {
            Err(json.error_at("indices", message!("vertex {i} is referenced; there are {vertices}", i = *i, vertices)))
        }
        None => Ok(indices),
    }
}

/// Returns the used vertices in ascending order and remaps `indices` to them. Returns `None` if all vertices are used.
///
/// VRM exporters share one long list of vertices and morphs between all parts of a body. Each part keeps only its own
/// vertices.
fn compact_vertices(count: usize, indices: &mut [u32]) -> Option<Vec<u32>> {
    const UNUSED: u32 = u32::MAX;
    let mut places = vec![UNUSED; count];
    for i in indices.iter() {
        places[*i as usize] = 0;
    }
    let used = places.iter().filter(|place| **place != UNUSED).count();
    if used == count {
        return None;
    }
    let mut vertices = Vec::with_capacity(used);
    for (vertex, place) in places.iter_mut().enumerate().filter(|(_, place)| **place != UNUSED) {
        *place = vertices.len() as u32;
        vertices.push(vertex as u32);
    }
    for i in indices {
        *i = places[*i as usize];
    }
    Some(vertices)
}

struct AttributeReader<'r, 'a> {
    accessors: &'r Accessors<'a>,
    /// The number of entries that every attribute must have.
    vertex_count: usize,
    /// The vertices to read, or `None` for all vertices.
    selected_vertices: Option<&'r [u32]>,
}

impl AttributeReader<'_, '_> {
    /// Reads points or directions. Non-finite entries become zero, with a warning.
    fn vectors(&self, owner: &JsonObject<'_>, key: &str, index: usize) -> Result<Vec<Vec3>, JsonError> {
        let vectors: Vec<[f32; 3]> = self.floats(owner, key, index)?;
        let mut vectors: Vec<_> = vectors.into_iter().map(Vec3::from_array).collect();
        let mut broken = 0;
        for vector in vectors.iter_mut().filter(|vector| !vector.is_finite()) {
            *vector = Vec3::ZERO;
            broken += 1;
        }
        if broken > 0 {
            owner.warn_at(key, message!("{broken} entries are not finite", broken), "zero is used");
        }
        Ok(vectors)
    }

    fn floats<const N: usize>(
        &self,
        owner: &JsonObject<'_>,
        key: &str,
        index: usize,
    ) -> Result<Vec<[f32; N]>, JsonError> {
        self.accessors.selected_floats(index, self.selected_vertices).map_err(|why| owner.error_at(key, why))
    }

    /// Reads an optional attribute. An invalid attribute is skipped with a warning.
    fn optional<T>(
        &self,
        owner: &JsonObject<'_>,
        key: &str,
        consequence: &'static str,
        read: impl FnOnce(usize) -> Result<T, JsonError>,
    ) -> Option<T> {
        let checked = |index: usize| {
            let (count, vertices) = (self.accessors.get(index).count, self.vertex_count);
            if count != vertices {
                return Err(owner.error_at(key, message!("{count} entries for {vertices} vertices", count, vertices)));
            }
            read(index)
        };
        let index = owner.index(key, self.accessors.len(), "accessor");
        let read = index.and_then(|index| index.map(checked).transpose());
        owner.ok_or_warn(read, consequence).flatten()
    }

    fn optional_vectors(&self, owner: &JsonObject<'_>, key: &str) -> Option<Vec<Vec3>> {
        self.optional(owner, key, "it is left out", |index| self.vectors(owner, key, index))
    }

    /// Returns an empty list if all offsets are zero, and refunds the memory of the list.
    fn empty_if_all_zero(&self, list: Vec<Vec3>) -> Vec<Vec3> {
        if list.iter().any(|offset| *offset != Vec3::ZERO) {
            return list;
        }
        self.accessors.budget().refund(list.len() * size_of::<Vec3>());
        Vec::new()
    }

    fn uvs(&self, attributes: &JsonObject<'_>) -> Option<Vec<Vec2>> {
        let key = "TEXCOORD_0";
        self.optional(attributes, key, "zeros are used", |index| {
            let finite = |uv: [f32; 2]| Some(Vec2::from_array(uv)).filter(|uv| uv.is_finite()).unwrap_or_default();
            Ok(self.floats(attributes, key, index)?.into_iter().map(finite).collect())
        })
    }

    fn colors(&self, attributes: &JsonObject<'_>) -> Option<Vec<[f32; 4]>> {
        let key = "COLOR_0";
        self.optional(attributes, key, "no vertex colours are used", |index| {
            let mut colors = if self.accessors.get(index).kind == Type::Vec3 {
                let opaque = |[r, g, b]: [f32; 3]| [r, g, b, 1.0];
                self.floats(attributes, key, index)?.into_iter().map(opaque).collect()
            } else {
                self.floats::<4>(attributes, key, index)?
            };
            colors.iter_mut().flatten().filter(|c| !c.is_finite()).for_each(|c| *c = 1.0);
            Ok(colors)
        })
    }

    /// Returns one morph per target, which preserves the indices of morph weights. An invalid target becomes an empty
    /// morph.
    fn morphs(&self, json: &JsonObject<'_>) -> Vec<MorphTarget> {
        let targets = json.ok_or_warn(json.objects("targets"), "there are no morphs");
        let read = |target: Result<JsonObject<'_>, JsonError>| {
            let Some(target) = json.ok_or_warn(target, "the morph is empty") else { return MorphTarget::default() };
            let offsets = |key| self.empty_if_all_zero(self.optional_vectors(&target, key).unwrap_or_default());
            MorphTarget { positions: offsets("POSITION"), normals: offsets("NORMAL") }
        };
        targets.into_iter().flatten().map(read).collect()
    }
}

/// Converts indices to three per triangle. Skips degenerate triangles of strips and fans, and an incomplete last
/// triangle.
fn to_triangle_list(mode: Mode, mut indices: Vec<u32>) -> Vec<u32> {
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

/// Computes smooth normals, weighted by triangle area. Vertices without a triangle get +Y. All indices must be in
/// range.
fn smooth_normals(positions: &[Vec3], indices: &[u32]) -> Vec<Vec3> {
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

/// Normalizes `v` even if its length overflows or underflows. Returns +Y for a zero or non-finite vector.
fn normalize_or_y(v: Vec3) -> Vec3 {
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
