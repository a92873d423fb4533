//! Meshes: triangles by material, with skins and blend shapes.

use super::builder::GltfBuilder;
use super::nodes::{FbxNodes, matrix, vec3};
use super::notes::Notes;
use super::skins::MeshSkin;
use glam::{DMat4, DVec3, Mat4, Vec2, Vec3};
use serde_json::{Value, json};
use std::collections::HashMap;
use ufbx::{BlendChannel, BlendShape, Face, Mesh, Node};
use yuremono_sim::diagnostics::{MessageText, message};

/// Maximum number of triangles of all meshes of a file.
const MAX_TRIANGLES: usize = 10_000_000;

/// Everything in which two corners of a control point may differ, as bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Vertex {
    control_point: u32,
    normal: [u32; 3],
    uv: [u32; 2],
    color: [u32; 4],
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
        let of_node = |node: &&Node| node.mesh.as_ref().map_or(0, |mesh| mesh.num_triangles);
        let triangles: usize = self.nodes.list.iter().map(of_node).sum();
        if triangles > MAX_TRIANGLES {
            let most = MAX_TRIANGLES;
            return Err(message!("has {triangles} triangles; at most {most} are read", triangles, most));
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
            let point = DVec3::new(point.x, point.y, point.z);
            point.is_finite().then(|| placement.transform_point3(point).as_vec3())
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
        let mut primitives = Vec::new();
        for part in &mesh.material_parts {
            let material = node.materials.as_ref().get(part.index as usize);
            let material = material.map(|material| material.element.typed_id);
            let faces = part.face_indices.iter().filter_map(|face| mesh.faces.get(*face as usize));
            primitives.extend(surface.to_primitive(faces.copied(), material, self.gltf));
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
        faces: impl Iterator<Item = Face>,
        material: Option<u32>,
        gltf: &mut GltfBuilder,
    ) -> Option<Value> {
        let (vertices, indices) = self.triangulate(faces);
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
        if self.mesh.vertex_color.exists {
            let colors = vertices.iter().map(|vertex| vertex.color.map(f32::from_bits));
            attributes["COLOR_0"] = json!(gltf.add_floats("VEC4", colors));
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
    fn triangulate(&self, faces: impl Iterator<Item = Face>) -> (Vec<Vertex>, Vec<u32>) {
        let (mut vertices, mut indices) = (Vec::new(), Vec::new());
        let mut known: HashMap<Vertex, u32> = HashMap::new();
        let mut corners = vec![0; self.mesh.max_face_triangles * 3];
        for face in faces.filter(|face| face.num_indices >= 3) {
            let triangles = self.mesh.triangulate_face(&mut corners, face) as usize;
            for corner in &corners[..triangles * 3] {
                let vertex = self.vertex(*corner as usize);
                let index = *known.entry(vertex).or_insert_with(|| {
                    vertices.push(vertex);
                    vertices.len() as u32 - 1
                });
                indices.push(index);
            }
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
        let color = mesh.vertex_color.exists.then(|| mesh.vertex_color[corner]);
        let color = color.map_or([1.0; 4], |c| [c.x, c.y, c.z, c.w].map(|channel| finite(channel).clamp(0.0, 1.0)));
        Vertex {
            control_point: mesh.vertex_indices[corner],
            normal: normal.to_array().map(f32::to_bits),
            uv: uv.to_array().map(f32::to_bits),
            color: color.map(f32::to_bits),
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
        let mut vertices_of_point: HashMap<u32, Vec<u32>> = HashMap::new();
        for (index, vertex) in vertices.iter().enumerate() {
            vertices_of_point.entry(vertex.control_point).or_default().push(index as u32);
        }
        let target = |channel: &&BlendChannel| {
            // The last key of a channel is its shape at full weight.
            let shape: Option<&BlendShape> = channel.keyframes.iter().last().map(|key| key.shape.as_ref());
            let mut offsets: Vec<(u32, Vec3)> = Vec::new();
            if let Some(shape) = shape {
                for (point, offset) in shape.offset_vertices.iter().zip(&shape.position_offsets) {
                    let offset = self.linear.transform_vector3(vec3(offset));
                    if offset.is_finite() && offset != Vec3::ZERO {
                        let of_point = vertices_of_point.get(point).map_or(&[][..], Vec::as_slice);
                        offsets.extend(of_point.iter().map(|vertex| (*vertex, offset)));
                    }
                }
            }
            offsets.sort_by_key(|(vertex, _)| *vertex);
            offsets.dedup_by_key(|(vertex, _)| *vertex);
            json!({ "POSITION": gltf.add_sparse_offsets(vertices.len(), &offsets) })
        };
        self.channels.iter().map(target).collect()
    }
}

/// A number in single precision. A number that is not finite is zero.
fn finite(number: f64) -> f32 {
    Some(number as f32).filter(|number| number.is_finite()).unwrap_or_default()
}
