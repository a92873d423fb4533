//! One part of a mesh: attributes, triangles, morph targets.

use super::super::gltf_json::json::{GltfDiagnostics, JsonError, JsonObject};
use super::accessor::Accessors;
use super::skins::{self, SkinWeights};
use super::triangles;
use crate::rig::{MorphTarget, Primitive};
use glam::{Vec2, Vec3};
use gltf::json::accessor::Type;
use gltf::json::mesh::VALID_MODES;

/// Stands for "no material" until the list of materials is complete.
pub(crate) const NO_MATERIAL: usize = usize::MAX;

/// `None` for what has no surface: points, lines, nothing at all.
pub(crate) fn read(
    json: &JsonObject<'_>,
    accessors: &Accessors<'_>,
    notes: &GltfDiagnostics<'_>,
) -> Result<Option<Primitive>, JsonError> {
    let mode = json.numeric_enum("mode", "mode", VALID_MODES)?.unwrap_or_default();
    if !triangles::has_surface(mode) {
        notes.info(json.pointer_to("mode"), "points and lines are not drawn");
        return Ok(None);
    }
    let attributes = json.object("attributes")?.ok_or_else(|| json.missing_error("attributes"))?;
    let Some(position) = attributes.index("POSITION", accessors.len(), "accessor")? else {
        return Err(attributes.missing_error("POSITION"));
    };
    let vertices = accessors.get(position).count;
    if vertices == 0 {
        return Err(attributes.error_at("POSITION", "there are no vertices"));
    }
    let charge = |count: usize, size| accessors.budget().charge(count as u64, size).map_err(|why| json.error(why));
    charge(vertices, 4)?;
    let mut indices = triangles::to_triangle_list(mode, read_indices(json, vertices, accessors)?);
    charge(indices.len(), 4)?;
    if indices.is_empty() {
        notes.info(json.pointer.clone(), "there is no triangle in this part of the mesh");
        return Ok(None);
    }
    let only = used_vertices(vertices, &mut indices);
    let reader = AttributeReader { accessors, notes, vertex_count: vertices, selected_vertices: only.as_deref() };
    let positions = reader.vectors(&attributes, "POSITION", position)?;
    charge(positions.len(), 12 + 8)?;
    let normals = reader
        .optional_vectors(&attributes, "NORMAL")
        .map(|list| list.into_iter().map(triangles::normalize_or_y).collect());
    let skinned = skins::read_weights(&attributes, vertices, reader.selected_vertices, accessors, notes);
    let SkinWeights { joints, weights } = notes.ok_or_warn(skinned, "it stays unskinned").unwrap_or_default();
    Ok(Some(Primitive {
        normals: normals.unwrap_or_else(|| triangles::smooth_normals(&positions, &indices)),
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

/// How much memory a primitive holds.
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

/// All indices as the file has them, each below `vertices`.
fn read_indices(json: &JsonObject<'_>, vertices: usize, accessors: &Accessors<'_>) -> Result<Vec<u32>, JsonError> {
    let Some(index) = json.index("indices", accessors.len(), "accessor")? else {
        let count = u32::try_from(vertices).map_err(|why| json.error(why.to_string()))?;
        accessors.budget().charge(vertices as u64, 4).map_err(|why| json.error(why))?;
        return Ok((0..count).collect());
    };
    let indices = accessors.selected_unsigned::<1>(index, None).map_err(|why| json.error_at("indices", why))?;
    let indices: Vec<u32> = indices.into_iter().map(|[i]| i).collect();
    match indices.iter().find(|i| **i as usize >= vertices) {
        Some(i) => Err(json.error_at("indices", format!("vertex {i} is asked for; there are {vertices}"))),
        None => Ok(indices),
    }
}

/// The vertices that triangles use, ascending, where some are unused; `indices` then count only these.
///
/// Exporters of VRM let all parts of a body share one long list of vertices and morphs; each part keeps its own.
fn used_vertices(count: usize, indices: &mut [u32]) -> Option<Vec<u32>> {
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
    notes: &'r GltfDiagnostics<'r>,
    /// Entries that every attribute must have.
    vertex_count: usize,
    /// Those that are read, `None` for all.
    selected_vertices: Option<&'r [u32]>,
}

impl AttributeReader<'_, '_> {
    /// Points or directions; what is not finite becomes zero, with a warning.
    fn vectors(&self, owner: &JsonObject<'_>, key: &str, index: usize) -> Result<Vec<Vec3>, JsonError> {
        let vectors = self
            .accessors
            .selected_floats::<3>(index, self.selected_vertices)
            .map_err(|why| owner.error_at(key, why))?;
        let mut vectors: Vec<_> = vectors.into_iter().map(Vec3::from_array).collect();
        let mut broken = 0;
        for vector in vectors.iter_mut().filter(|vector| !vector.is_finite()) {
            *vector = Vec3::ZERO;
            broken += 1;
        }
        if broken > 0 {
            self.notes.warn(owner.error_at(key, format!("{broken} entries are not finite")), "zero is used");
        }
        Ok(vectors)
    }

    /// An attribute whose loss is no harm.
    fn optional_vectors(&self, owner: &JsonObject<'_>, key: &str) -> Option<Vec<Vec3>> {
        let read = || -> Result<Option<Vec<Vec3>>, JsonError> {
            let Some(index) = owner.index(key, self.accessors.len(), "accessor")? else { return Ok(None) };
            self.check_count(owner, key, index)?;
            self.vectors(owner, key, index).map(Some)
        };
        self.notes.ok_or_warn(read(), "it is left out").flatten()
    }

    fn check_count(&self, owner: &JsonObject<'_>, key: &str, index: usize) -> Result<(), JsonError> {
        let vertices = self.vertex_count;
        let count = self.accessors.get(index).count;
        let message = || owner.error_at(key, format!("{count} entries for {vertices} vertices"));
        if count == vertices { Ok(()) } else { Err(message()) }
    }

    /// Nothing where nothing moves.
    fn empty_if_all_zero(&self, list: Vec<Vec3>) -> Vec<Vec3> {
        if list.iter().any(|offset| *offset != Vec3::ZERO) {
            return list;
        }
        self.accessors.budget().refund(list.len() * size_of::<Vec3>());
        Vec::new()
    }

    fn uvs(&self, attributes: &JsonObject<'_>) -> Option<Vec<Vec2>> {
        let key = "TEXCOORD_0";
        let read = || -> Result<Option<Vec<Vec2>>, JsonError> {
            let Some(index) = attributes.index(key, self.accessors.len(), "accessor")? else { return Ok(None) };
            self.check_count(attributes, key, index)?;
            let uvs = self
                .accessors
                .selected_floats::<2>(index, self.selected_vertices)
                .map_err(|why| attributes.error_at(key, why))?;
            let finite = |uv: [f32; 2]| Some(Vec2::from_array(uv)).filter(|uv| uv.is_finite()).unwrap_or_default();
            Ok(Some(uvs.into_iter().map(finite).collect()))
        };
        self.notes.ok_or_warn(read(), "zeros are used").flatten()
    }

    fn colors(&self, attributes: &JsonObject<'_>) -> Option<Vec<[f32; 4]>> {
        let key = "COLOR_0";
        let read = || -> Result<Option<Vec<[f32; 4]>>, JsonError> {
            let Some(index) = attributes.index(key, self.accessors.len(), "accessor")? else { return Ok(None) };
            self.check_count(attributes, key, index)?;
            let colors = if self.accessors.get(index).kind == Type::Vec3 {
                let opaque = |[r, g, b]: [f32; 3]| [r, g, b, 1.0];
                self.accessors
                    .selected_floats::<3>(index, self.selected_vertices)
                    .map(|colors| colors.into_iter().map(opaque).collect())
            } else {
                self.accessors.selected_floats::<4>(index, self.selected_vertices)
            };
            let mut colors = colors.map_err(|why| attributes.error_at(key, why))?;
            colors.iter_mut().flatten().filter(|c| !c.is_finite()).for_each(|c| *c = 1.0);
            Ok(Some(colors))
        };
        self.notes.ok_or_warn(read(), "no vertex colours are used").flatten()
    }

    /// One per target, so that weights keep their places; a broken target is empty.
    fn morphs(&self, json: &JsonObject<'_>) -> Vec<MorphTarget> {
        let Some(targets) = self.notes.ok_or_warn(json.objects("targets"), "there are no morphs") else {
            return Vec::new();
        };
        let read = |target: Result<JsonObject<'_>, JsonError>| {
            let Some(target) = self.notes.ok_or_warn(target, "the morph is empty") else {
                return MorphTarget::default();
            };
            let offsets = |key| self.empty_if_all_zero(self.optional_vectors(&target, key).unwrap_or_default());
            MorphTarget { positions: offsets("POSITION"), normals: offsets("NORMAL") }
        };
        targets.map(read).collect()
    }
}
