//! One part of a mesh: attributes, triangles, morph targets.

use super::accessor::{Accessors, Budget, Kind};
use super::json::{Fault, Json, Notes};
use super::skins::{self, Weights};
use super::triangles::{self, Mode};
use crate::rig::{MorphTarget, Primitive};
use glam::{Vec2, Vec3};

/// Stands for "no material" until the list of materials is complete.
pub(crate) const NO_MATERIAL: usize = usize::MAX;

/// `None` for what has no surface: points, lines, nothing at all.
pub(crate) fn read(json: &Json<'_>, accessors: &Accessors<'_>, notes: &Notes<'_>) -> Result<Option<Primitive>, Fault> {
    let code = json.whole("mode")?.unwrap_or(4);
    let mode = Mode::of(code).ok_or_else(|| json.fault("mode", format!("there is no mode {code}")))?;
    if mode == Mode::Thin {
        notes.info(json.pointer_to("mode"), "points and lines are not drawn");
        return Ok(None);
    }
    let attributes = json.object("attributes")?.ok_or_else(|| json.missing("attributes"))?;
    let reader = Reader { accessors, notes };
    let Some(position) = attributes.index("POSITION", accessors.len(), "accessor")? else {
        return Err(attributes.missing("POSITION"));
    };
    let positions = reader.vectors(&attributes, "POSITION", position)?;
    let vertices = positions.len();
    if vertices == 0 {
        return Err(attributes.fault("POSITION", "there are no vertices"));
    }
    let mut indices = mode.triangles(reader.indices(json, vertices)?);
    let charge = |count: usize, size| accessors.budget().charge(count as u64, size).map_err(|why| json.broken(why));
    charge(indices.len(), 4)?;
    let kept = Kept::of(vertices, &mut indices, accessors.budget());
    let positions = kept.gather(positions);
    charge(positions.len(), 12 + 8)?;
    let normals = match reader.optional(&attributes, "NORMAL", vertices) {
        Some(normals) => kept.gather(normals),
        None => triangles::normals(&positions, &indices),
    };
    let uvs = reader.uvs(&attributes, vertices).map(|uvs| kept.gather(uvs));
    let Weights { joints, weights } =
        notes.keep(skins::weights(&attributes, vertices, accessors, notes), "it stays unskinned").unwrap_or_default();
    Ok(Some(Primitive {
        uvs: uvs.unwrap_or_else(|| vec![Vec2::ZERO; positions.len()]),
        colors: kept.gather(reader.colors(&attributes, vertices).unwrap_or_default()),
        morphs: reader.morphs(json, vertices, &kept),
        material: json.whole("material")?.map_or(NO_MATERIAL, |m| usize::try_from(m).unwrap_or(NO_MATERIAL)),
        positions,
        normals,
        joints: kept.gather(joints),
        weights: kept.gather(weights),
        indices,
    }))
}

/// How much memory a primitive holds.
pub(crate) fn bytes(primitive: &Primitive) -> u64 {
    let vertex = 12 + 12 + 8;
    let vertices = primitive.positions.len() * vertex
        + primitive.colors.len() * 16
        + primitive.joints.len() * 8
        + primitive.weights.len() * 16;
    let morphs: usize = primitive.morphs.iter().map(|m| 12 * (m.positions.len() + m.normals.len())).sum();
    (vertices + 4 * primitive.indices.len() + morphs) as u64
}

/// Which vertices the triangles use.
///
/// Exporters of VRM let all parts of a body share one long list of vertices and morphs; each part keeps its own.
struct Kept<'b> {
    /// `None`: all of them.
    vertices: Option<Vec<u32>>,
    budget: &'b Budget,
}

impl<'b> Kept<'b> {
    /// Renumbers `indices` where vertices fall away.
    fn of(count: usize, indices: &mut [u32], budget: &'b Budget) -> Self {
        const UNUSED: u32 = u32::MAX;
        let mut places = vec![UNUSED; count];
        indices.iter().for_each(|i| places[*i as usize] = 0);
        let used = places.iter().filter(|place| **place != UNUSED).count();
        if used == count || indices.is_empty() {
            return Self { vertices: None, budget };
        }
        let mut vertices = Vec::with_capacity(used);
        for (vertex, place) in places.iter_mut().enumerate().filter(|(_, place)| **place != UNUSED) {
            *place = vertices.len() as u32;
            vertices.push(vertex as u32);
        }
        indices.iter_mut().for_each(|i| *i = places[*i as usize]);
        Self { vertices: Some(vertices), budget }
    }

    /// The entries of the kept vertices; `list` has one for every vertex, or none at all.
    fn gather<T: Copy>(&self, list: Vec<T>) -> Vec<T> {
        let Some(vertices) = self.vertices.as_ref().filter(|_| !list.is_empty()) else { return list };
        self.budget.refund((list.len() - vertices.len()) * size_of::<T>());
        vertices.iter().map(|vertex| list[*vertex as usize]).collect()
    }

    /// As [`Kept::gather`], and nothing where nothing moves.
    fn unless_zero(&self, list: Vec<Vec3>) -> Vec<Vec3> {
        let list = self.gather(list);
        if list.iter().all(|offset| *offset == Vec3::ZERO) {
            self.budget.refund(list.len() * size_of::<Vec3>());
            return Vec::new();
        }
        list
    }
}

struct Reader<'r, 'a> {
    accessors: &'r Accessors<'a>,
    notes: &'r Notes<'r>,
}

impl Reader<'_, '_> {
    /// Points or directions; what is not finite becomes zero, with a warning.
    fn vectors(&self, owner: &Json<'_>, key: &str, index: usize) -> Result<Vec<Vec3>, Fault> {
        let vectors = self.accessors.floats::<3>(index).map_err(|why| owner.fault(key, why))?;
        let mut vectors: Vec<_> = vectors.into_iter().map(Vec3::from_array).collect();
        let mut broken = 0;
        for vector in vectors.iter_mut().filter(|vector| !vector.is_finite()) {
            *vector = Vec3::ZERO;
            broken += 1;
        }
        if broken > 0 {
            self.notes.warn(owner.fault(key, format!("{broken} entries are not finite")), "zero is used");
        }
        Ok(vectors)
    }

    /// An attribute whose loss is no harm.
    fn optional(&self, owner: &Json<'_>, key: &str, vertices: usize) -> Option<Vec<Vec3>> {
        let read = || -> Result<Option<Vec<Vec3>>, Fault> {
            let Some(index) = owner.index(key, self.accessors.len(), "accessor")? else { return Ok(None) };
            self.check_count(owner, key, index, vertices)?;
            self.vectors(owner, key, index).map(Some)
        };
        self.notes.keep(read(), "it is left out").flatten()
    }

    fn check_count(&self, owner: &Json<'_>, key: &str, index: usize, vertices: usize) -> Result<(), Fault> {
        let count = self.accessors.get(index).count;
        let message = || owner.fault(key, format!("{count} entries for {vertices} vertices"));
        if count == vertices { Ok(()) } else { Err(message()) }
    }

    fn uvs(&self, attributes: &Json<'_>, vertices: usize) -> Option<Vec<Vec2>> {
        let key = "TEXCOORD_0";
        let read = || -> Result<Option<Vec<Vec2>>, Fault> {
            let Some(index) = attributes.index(key, self.accessors.len(), "accessor")? else { return Ok(None) };
            self.check_count(attributes, key, index, vertices)?;
            let uvs = self.accessors.floats::<2>(index).map_err(|why| attributes.fault(key, why))?;
            let finite = |uv: [f32; 2]| Some(Vec2::from_array(uv)).filter(|uv| uv.is_finite()).unwrap_or_default();
            Ok(Some(uvs.into_iter().map(finite).collect()))
        };
        self.notes.keep(read(), "zeros are used").flatten()
    }

    fn colors(&self, attributes: &Json<'_>, vertices: usize) -> Option<Vec<[f32; 4]>> {
        let key = "COLOR_0";
        let read = || -> Result<Option<Vec<[f32; 4]>>, Fault> {
            let Some(index) = attributes.index(key, self.accessors.len(), "accessor")? else { return Ok(None) };
            self.check_count(attributes, key, index, vertices)?;
            let colors = if self.accessors.get(index).kind == Kind::Vec3 {
                let opaque = |[r, g, b]: [f32; 3]| [r, g, b, 1.0];
                self.accessors.floats::<3>(index).map(|colors| colors.into_iter().map(opaque).collect())
            } else {
                self.accessors.floats::<4>(index)
            };
            let mut colors = colors.map_err(|why| attributes.fault(key, why))?;
            colors.iter_mut().flatten().filter(|c| !c.is_finite()).for_each(|c| *c = 1.0);
            Ok(Some(colors))
        };
        self.notes.keep(read(), "no vertex colours are used").flatten()
    }

    fn indices(&self, json: &Json<'_>, vertices: usize) -> Result<Vec<u32>, Fault> {
        let Some(index) = json.index("indices", self.accessors.len(), "accessor")? else {
            let count = u32::try_from(vertices).map_err(|_| json.broken(format!("{vertices} vertices")))?;
            self.accessors.budget().charge(vertices as u64, 4).map_err(|why| json.broken(why))?;
            return Ok((0..count).collect());
        };
        let indices = self.accessors.wholes::<1>(index).map_err(|why| json.fault("indices", why))?;
        let indices: Vec<u32> = indices.into_iter().map(|[i]| i).collect();
        match indices.iter().find(|i| **i as usize >= vertices) {
            Some(i) => Err(json.fault("indices", format!("vertex {i} is asked for; there are {vertices}"))),
            None => Ok(indices),
        }
    }

    /// One per target, so that weights keep their places; a broken target is empty.
    fn morphs(&self, json: &Json<'_>, vertices: usize, kept: &Kept<'_>) -> Vec<MorphTarget> {
        let Some(targets) = self.notes.keep(json.objects("targets"), "there are no morphs") else { return Vec::new() };
        let read = |target: Result<Json<'_>, Fault>| {
            let Some(target) = self.notes.keep(target, "the morph is empty") else { return MorphTarget::default() };
            let offsets = |key| kept.unless_zero(self.optional(&target, key, vertices).unwrap_or_default());
            MorphTarget { positions: offsets("POSITION"), normals: offsets("NORMAL") }
        };
        targets.map(read).collect()
    }
}
