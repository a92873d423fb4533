//! Meshes: triangles by material, with skins and blend shapes.

use super::builder::GltfBuilder;
use super::nodes::{FbxNodes, finite, matrix, vec3};
use super::notes::Notes;
use super::skins::MeshSkin;
use glam::{DMat4, DVec3, Mat4, Vec2, Vec3};
use serde_json::{Value, json};
use ufbx::{BlendChannel, BlendShape, Face, Mesh, Node};
use yuremono_sim::diagnostics::{MessageText, message};

/// Maximum number of triangles of all meshes of a file.
const MAX_TRIANGLES: usize = 10_000_000;
/// Maximum number of control points of all meshes of a file.
const MAX_POINTS: usize = 20_000_000;
/// Maximum number of blend shapes of all parts of all meshes.
const MAX_SHAPES: usize = 50_000;
/// A larger polygon is split as a fan, because the search for a better split takes long.
const MAX_CORNERS: u32 = 4096;
/// Marks the end of a list of vertices.
const NONE: u32 = u32::MAX;

/// Everything in which two corners of a control point may differ, as bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Vertex {
    control_point: u32,
    normal: [u32; 3],
    uv: [u32; 2],
}

/// Buffers for the corners of a mesh.
struct CornerList {
    /// The corners of the triangles of one face.
    corners: Vec<u32>,
    /// The last vertex of each control point, or [`NONE`].
    first: Vec<u32>,
    /// For each vertex, the vertex of the same control point before it, or [`NONE`].
    next: Vec<u32>,
}

impl CornerList {
    fn new(mesh: &Mesh) -> Self {
        let corners = vec![0; mesh.max_face_triangles * 3];
        Self { corners, first: vec![NONE; mesh.num_vertices], next: Vec::new() }
    }

    /// Splits a polygon into triangles that share its first corner, and returns the number of their corners.
    fn split_as_fan(&mut self, face: Face) -> usize {
        let begin = face.index_begin;
        for (at, corner) in (begin + 1..begin + face.num_indices - 1).enumerate() {
            self.corners[at * 3..at * 3 + 3].copy_from_slice(&[begin, corner, corner + 1]);
        }
        (face.num_indices as usize - 2) * 3
    }
}

/// Adds the meshes of all nodes to the glTF.
pub(super) struct MeshConverter<'a, 's, 'n> {
    nodes: &'a FbxNodes<'s>,
    gltf: &'a mut GltfBuilder,
    notes: &'a mut Notes<'n>,
    reduced: usize,
    largest_loss: f64,
    broken_points: usize,
}

impl<'a, 's, 'n> MeshConverter<'a, 's, 'n> {
    pub(super) fn new(nodes: &'a FbxNodes<'s>, gltf: &'a mut GltfBuilder, notes: &'a mut Notes<'n>) -> Self {
        Self { nodes, gltf, notes, reduced: 0, largest_loss: 0.0, broken_points: 0 }
    }

    /// Fails if the meshes have too many triangles.
    pub(super) fn add_all(mut self) -> Result<(), MessageText> {
        let meshes = || self.nodes.list.iter().filter_map(|node| node.mesh.as_ref());
        let channels = |mesh: &Mesh| mesh.blend_deformers.iter().map(|deformer| deformer.channels.len()).sum::<usize>();
        let triangles: usize = meshes().map(|mesh| mesh.num_triangles).sum();
        let points: usize = meshes().map(|mesh| mesh.num_vertices).sum();
        let shapes: usize = meshes().map(|mesh| mesh.material_parts.len().saturating_mul(channels(mesh))).sum();
        if triangles > MAX_TRIANGLES || points > MAX_POINTS {
            let (most, most_points) = (MAX_TRIANGLES, MAX_POINTS);
            return Err(message!(
                "has {triangles} triangles and {points} vertices; at most {most} and {most_points} are read",
                triangles,
                points,
                most,
                most_points
            ));
        }
        if shapes > MAX_SHAPES {
            let most = MAX_SHAPES;
            return Err(message!("has {shapes} blend shapes on all materials; at most {most} are read", shapes, most));
        }
        let count = |of: fn(&Mesh) -> bool| meshes().filter(|mesh| of(mesh)).count();
        let several_skins = count(|mesh| mesh.skin_deformers.len() > 1);
        let in_betweens = |channel: &BlendChannel| channel.keyframes.len() > 1;
        let has_in_between =
            meshes().flat_map(|mesh| &mesh.blend_deformers).flat_map(|deformer| &deformer.channels).any(in_betweens);
        if several_skins > 0 {
            self.notes
                .warn(message!("{n:mesh has|meshes have} several skins; the first one is used", n = several_skins));
        }
        if has_in_between {
            self.notes
                .info(message!("shapes between 0 % and 100 % are left out; the last shape of each channel is used"));
        }
        for (index, node) in self.nodes.list.iter().enumerate() {
            if let Some(mesh) = &node.mesh {
                self.add(index, node, mesh);
            }
        }
        if self.reduced > 0 {
            self.notes.info(message!(
                "{n:vertex follows|vertices follow} more than four bones; the four largest weights are used, which leaves out at most {percent} %",
                n = self.reduced,
                percent = format_args!("{:.0}", self.largest_loss * 100.0)
            ));
        }
        if self.broken_points > 0 {
            self.notes.warn(message!(
                "{n:vertex position is|vertex positions are} not finite; zero is used",
                n = self.broken_points
            ));
        }
        Ok(())
    }

    fn add(&mut self, index: usize, node: &Node, mesh: &Mesh) {
        let skin = MeshSkin::add(mesh, index, self.nodes, self.gltf);
        // A skin moves the geometry itself, so only a mesh without a skin is placed by its geometric transform.
        let placement = if skin.is_some() { DMat4::IDENTITY } else { matrix(&node.geometry_to_node) };
        let placement = if placement.is_finite() { placement } else { DMat4::IDENTITY };
        let finite_point = |point: &ufbx::Vec3| {
            let point = placement.transform_point3(DVec3::new(point.x, point.y, point.z)).as_vec3();
            point.is_finite().then_some(point)
        };
        let points: Vec<Option<Vec3>> = mesh.vertices.iter().map(finite_point).collect();
        self.broken_points += points.iter().filter(|point| point.is_none()).count();
        let surface = Surface {
            mesh,
            points: points.into_iter().map(Option::unwrap_or_default).collect(),
            linear: Mat4::from_mat3(glam::Mat3::from_mat4(placement.as_mat4())),
            skin: skin.as_ref(),
            channels: (&mesh.blend_deformers).into_iter().flat_map(|deformer| &deformer.channels).collect(),
        };
        let mut corners = CornerList::new(mesh);
        let mut primitives = Vec::new();
        for part in &mesh.material_parts {
            let material = node.materials.as_ref().get(part.index as usize);
            let material = material.map(|material| material.element.typed_id);
            let faces = part.face_indices.iter().filter_map(|face| mesh.faces.get(*face as usize));
            primitives.extend(surface.to_primitive(&mut corners, faces.copied(), material, self.gltf));
        }
        if let Some(skin) = &skin {
            self.reduced += skin.reduced;
            self.largest_loss = self.largest_loss.max(skin.largest_loss);
        }
        if primitives.is_empty() {
            return;
        }
        let name = if mesh.element.name.is_empty() { &node.element.name } else { &mesh.element.name };
        let mut json = json!({ "name": &**name, "primitives": primitives });
        if !surface.channels.is_empty() {
            let names: Vec<&str> = surface.channels.iter().map(|channel| &*channel.element.name).collect();
            let weights: Vec<f32> = surface.channels.iter().map(|channel| finite(channel.weight)).collect();
            json["weights"] = json!(weights);
            json["extras"] = json!({ "targetNames": names });
        }
        self.gltf.nodes[index]["mesh"] = json!(self.gltf.meshes.len());
        if let Some(skin) = &skin {
            self.gltf.nodes[index]["skin"] = json!(skin.index);
        }
        self.gltf.meshes.push(json);
    }
}

/// The geometry of one mesh on one node.
struct Surface<'m> {
    mesh: &'m Mesh,
    /// The control points in the space of the glTF mesh.
    points: Vec<Vec3>,
    /// Rotation and scale from the geometry to the glTF mesh.
    linear: Mat4,
    skin: Option<&'m MeshSkin>,
    channels: Vec<&'m BlendChannel>,
}

impl Surface<'_> {
    /// Adds the triangles of some faces. Returns `None` if there are none.
    fn to_primitive(
        &self,
        corners: &mut CornerList,
        faces: impl Iterator<Item = Face>,
        material: Option<u32>,
        gltf: &mut GltfBuilder,
    ) -> Option<Value> {
        let (vertices, indices) = self.triangulate(corners, faces);
        if indices.is_empty() {
            return None;
        }
        let point_of = |vertex: &Vertex| vertex.control_point as usize;
        let positions: Vec<Vec3> = vertices.iter().map(|vertex| self.points[point_of(vertex)]).collect();
        let mut attributes = json!({ "POSITION": gltf.add_positions(&positions) });
        let floats = |bits: [u32; 3]| bits.map(f32::from_bits);
        if self.mesh.vertex_normal.exists {
            let normals = vertices.iter().map(|vertex| floats(vertex.normal));
            attributes["NORMAL"] = json!(gltf.add_floats("VEC3", normals));
        }
        if self.mesh.vertex_uv.exists {
            let uvs = vertices.iter().map(|vertex| vertex.uv.map(f32::from_bits));
            attributes["TEXCOORD_0"] = json!(gltf.add_floats("VEC2", uvs));
        }
        if let Some(skin) = self.skin {
            let joints = vertices.iter().map(|vertex| skin.joints[point_of(vertex)]);
            attributes["JOINTS_0"] = json!(gltf.add_joints(joints));
            let weights = vertices.iter().map(|vertex| skin.weights[point_of(vertex)]);
            attributes["WEIGHTS_0"] = json!(gltf.add_floats("VEC4", weights));
        }
        let mut json = json!({ "attributes": attributes, "indices": gltf.add_indices(&indices) });
        if let Some(material) = material {
            json["material"] = json!(material);
        }
        if !self.channels.is_empty() {
            json["targets"] = self.targets(&vertices, gltf);
        }
        Some(json)
    }

    /// Splits faces into triangles. Corners with equal attributes share a vertex.
    fn triangulate(&self, list: &mut CornerList, faces: impl Iterator<Item = Face>) -> (Vec<Vertex>, Vec<u32>) {
        let (mut vertices, mut indices): (Vec<Vertex>, Vec<u32>) = (Vec::new(), Vec::new());
        list.next.clear();
        for face in faces.filter(|face| face.num_indices >= 3) {
            let count = if face.num_indices > MAX_CORNERS {
                list.split_as_fan(face)
            } else {
                self.mesh.triangulate_face(&mut list.corners, face) as usize * 3
            };
            for corner in &list.corners[..count] {
                let vertex = self.vertex(*corner as usize);
                let first = &mut list.first[vertex.control_point as usize];
                let known = std::iter::successors(Some(*first), |at| list.next.get(*at as usize).copied());
                let known = known.take_while(|at| *at != NONE).find(|at| vertices[*at as usize] == vertex);
                indices.push(known.unwrap_or_else(|| {
                    list.next.push(std::mem::replace(first, vertices.len() as u32));
                    vertices.push(vertex);
                    *first
                }));
            }
        }
        for vertex in &vertices {
            list.first[vertex.control_point as usize] = NONE;
        }
        (vertices, indices)
    }

    fn vertex(&self, corner: usize) -> Vertex {
        let mesh = self.mesh;
        let has_normal = mesh.vertex_normal.exists;
        let normal = if has_normal { self.normal_to_mesh(vec3(&mesh.vertex_normal[corner])) } else { Vec3::Y };
        let uv = mesh.vertex_uv.exists.then(|| mesh.vertex_uv[corner]);
        // FBX counts V from the bottom edge of the image, glTF from the top edge.
        let uv = uv.map_or(Vec2::ZERO, |uv| Vec2::new(finite(uv.x), 1.0 - finite(uv.y)));
        Vertex {
            control_point: mesh.vertex_indices[corner],
            normal: normal.to_array().map(f32::to_bits),
            uv: uv.to_array().map(f32::to_bits),
        }
    }

    /// Returns a unit normal, or +Y if the normal has no direction.
    fn normal_to_mesh(&self, normal: Vec3) -> Vec3 {
        let turned = if self.linear == Mat4::IDENTITY {
            normal
        } else {
            self.linear.inverse().transpose().transform_vector3(normal)
        };
        turned.try_normalize().unwrap_or(Vec3::Y)
    }

    /// Adds one morph target for each blend channel.
    fn targets(&self, vertices: &[Vertex], gltf: &mut GltfBuilder) -> Value {
        let mut by_point: Vec<(u32, u32)> =
            vertices.iter().zip(0..).map(|(vertex, index)| (vertex.control_point, index)).collect();
        by_point.sort_unstable();
        let target = |channel: &&BlendChannel| {
            // The last key of a channel is its shape at full weight.
            let shape: Option<&BlendShape> = channel.keyframes.iter().last().map(|key| key.shape.as_ref());
            let mut offsets: Vec<(u32, Vec3)> = Vec::new();
            let moved = shape.into_iter().flat_map(|shape| shape.offset_vertices.iter().zip(&shape.position_offsets));
            for (point, offset) in moved {
                let offset = self.linear.transform_vector3(vec3(offset));
                if offset.is_finite() && offset != Vec3::ZERO {
                    let from = by_point.partition_point(|(other, _)| other < point);
                    let of_point = by_point[from..].iter().take_while(|(other, _)| other == point);
                    offsets.extend(of_point.map(|(_, vertex)| (*vertex, offset)));
                }
            }
            offsets.sort_by_key(|(vertex, _)| *vertex);
            offsets.dedup_by_key(|(vertex, _)| *vertex);
            json!({ "POSITION": gltf.add_sparse_offsets(vertices.len(), &offsets) })
        };
        self.channels.iter().map(target).collect()
    }
}
