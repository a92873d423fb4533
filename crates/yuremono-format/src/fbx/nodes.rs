//! The nodes of an FBX in depth-first order, and their transforms.

use super::notes::Notes;
use glam::{DMat4, DQuat, DVec3, Quat, Vec3};
use serde_json::{Value, json};
use std::collections::HashMap;
use ufbx::{Matrix, Node, SceneRoot, Transform};
use yuremono_sim::diagnostics::{join_first_names, message};
use yuremono_sim::math::Trs;

/// All nodes below the root of the scene. Their places in the list are the node indices of the glTF.
pub(super) struct FbxNodes<'s> {
    pub(super) list: Vec<&'s Node>,
    index_of_id: HashMap<u32, usize>,
}

impl<'s> FbxNodes<'s> {
    pub(super) fn new(scene: &'s SceneRoot) -> Self {
        let mut list: Vec<&Node> = Vec::with_capacity(scene.nodes.len());
        let mut stack: Vec<&Node> = scene.root_node.children.iter().rev().map(AsRef::as_ref).collect();
        while let Some(node) = stack.pop() {
            list.push(node);
            stack.extend(node.children.iter().rev().map(AsRef::as_ref));
        }
        let index_of_id = list.iter().enumerate().map(|(index, node)| (node.element.typed_id, index)).collect();
        Self { list, index_of_id }
    }

    /// Returns the index of a node. Nodes are identified by id, because names need not be unique.
    pub(super) fn index(&self, node: &Node) -> Option<usize> {
        self.index_by_id(node.element.typed_id)
    }

    pub(super) fn index_by_id(&self, typed_id: u32) -> Option<usize> {
        self.index_of_id.get(&typed_id).copied()
    }

    pub(super) fn parent(&self, index: usize) -> Option<usize> {
        self.index(self.list[index].parent.as_ref()?)
    }

    /// Returns the `nodes` of the glTF, without meshes.
    pub(super) fn to_json(&self, notes: &mut Notes<'_>) -> Vec<Value> {
        let mut broken = Vec::new();
        let mut json = |node: &&Node| {
            let trs = trs(&node.local_transform).unwrap_or_else(|| {
                broken.push(node.element.name.to_string());
                Trs::IDENTITY
            });
            // A helper carries the scale of its parent to the children that inherit it, and has no name in the file.
            let parent = node.parent.as_ref().filter(|_| node.is_scale_helper);
            let name = parent
                .map_or_else(|| node.element.name.to_string(), |parent| format!("{}_scale", &*parent.element.name));
            let mut json = json!({
                "name": name,
                "translation": trs.translation.to_array(),
                "rotation": trs.rotation.to_array(),
                "scale": trs.scale.to_array(),
            });
            if node.mesh.is_some() && !node.visible {
                json["extensions"] = json!({ "KHR_node_visibility": { "visible": false } });
            }
            let children: Vec<usize> = node.children.iter().filter_map(|child| self.index(child)).collect();
            if !children.is_empty() {
                json["children"] = json!(children);
            }
            json
        };
        let nodes = self.list.iter().map(&mut json).collect();
        if !broken.is_empty() {
            let names = join_first_names(&broken);
            notes.warn(message!("the transforms of these nodes are not finite and are left out: {names}", names));
        }
        nodes
    }
}

/// Returns a transform in single precision, or `None` if it is not finite.
pub(super) fn trs(transform: &Transform) -> Option<Trs> {
    let trs = Trs {
        translation: vec3(&transform.translation),
        rotation: quat(&transform.rotation),
        scale: vec3(&transform.scale),
    };
    trs.is_finite().then_some(trs)
}

pub(super) fn vec3(vector: &ufbx::Vec3) -> Vec3 {
    Vec3::new(vector.x as f32, vector.y as f32, vector.z as f32)
}

pub(super) fn quat(q: &ufbx::Quat) -> Quat {
    Quat::from_xyzw(q.x as f32, q.y as f32, q.z as f32, q.w as f32).normalize()
}

pub(super) fn dvec3(vector: &ufbx::Vec3) -> DVec3 {
    DVec3::new(vector.x, vector.y, vector.z)
}

pub(super) fn matrix(matrix: &Matrix) -> DMat4 {
    let m = matrix;
    DMat4::from_cols_array_2d(&[
        [m.m00, m.m10, m.m20, 0.0],
        [m.m01, m.m11, m.m21, 0.0],
        [m.m02, m.m12, m.m22, 0.0],
        [m.m03, m.m13, m.m23, 1.0],
    ])
}

/// The matrix in single precision, as a list by columns.
pub(super) fn columns(matrix: DMat4) -> [f32; 16] {
    matrix.as_mat4().to_cols_array()
}

/// Splits a matrix without shear.
pub(super) fn trs_of_matrix(matrix: DMat4) -> Option<Trs> {
    let (scale, rotation, translation): (DVec3, DQuat, DVec3) = matrix.to_scale_rotation_translation();
    let trs =
        Trs { translation: translation.as_vec3(), rotation: rotation.normalize().as_quat(), scale: scale.as_vec3() };
    trs.is_finite().then_some(trs)
}

/// A number in single precision. A number that is not finite is zero.
pub(super) fn finite(number: f64) -> f32 {
    finite_or(number, 0.0)
}

/// A number in single precision, or `otherwise` if it is not finite.
pub(super) fn finite_or(number: f64, otherwise: f32) -> f32 {
    Some(number as f32).filter(|number| number.is_finite()).unwrap_or(otherwise)
}
