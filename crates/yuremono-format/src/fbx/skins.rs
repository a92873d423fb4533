//! Skins: the bones of a mesh, their bind pose, and the weights of its vertices.

use super::builder::GltfBuilder;
use super::nodes::{FbxNodes, columns, dvec3, matrix, trs, trs_of_matrix};
use super::notes::Notes;
use glam::{DMat4, DVec3, Mat4};
use serde_json::json;
use ufbx::{Mesh, MirrorAxis, Node, SceneRoot, SkinCluster, SkinDeformer};
use yuremono_sim::diagnostics::message;
use yuremono_sim::math::Trs;
use yuremono_sim::rig::{BoneId, Channel, ChannelInterpolation, ChannelValues, Clip};

/// Number of bones that move a vertex.
const WEIGHTS: usize = 4;
/// A bone counts as posed if it is farther from its bind pose than this, in metres.
const POSED_DISTANCE: f64 = 1e-3;
/// A bone counts as posed if it is turned from its bind pose by more than this, in degrees.
const POSED_DEGREES: f64 = 0.5;

/// A skin of the glTF with the weights of the control points of its mesh.
pub(super) struct MeshSkin {
    pub(super) index: usize,
    pub(super) joints: Vec<[u16; WEIGHTS]>,
    pub(super) weights: Vec<[f32; WEIGHTS]>,
    /// The number of control points that had more weights.
    pub(super) reduced: usize,
    /// The largest share of weights that a control point lost.
    pub(super) largest_loss: f64,
}

impl MeshSkin {
    /// Adds the skin of a mesh on a node. Returns `None` if no bone moves the mesh. Control points without weights follow
    /// the node of the mesh.
    pub(super) fn add(mesh: &Mesh, mesh_node: usize, nodes: &FbxNodes<'_>, gltf: &mut GltfBuilder) -> Option<Self> {
        let deformer: &SkinDeformer = mesh.skin_deformers.iter().next()?;
        let (mut joints, mut inverse_binds): (Vec<usize>, Vec<[f32; 16]>) = (Vec::new(), Vec::new());
        let mut joint_of_cluster: Vec<Option<u16>> = Vec::with_capacity(deformer.clusters.len());
        for cluster in &deformer.clusters {
            let bone: Option<&Node> = cluster.bone_node.as_ref().map(AsRef::as_ref);
            let index = bone.and_then(|bone| nodes.index(bone));
            let known = joints.iter().position(|joint| Some(*joint) == index);
            let bind =
                bone.map(|bone| columns(DMat4::from_translation(from_pivot(bone)) * matrix(&cluster.geometry_to_bone)));
            let bind = bind.filter(|bind| bind.iter().all(|number| number.is_finite()));
            let added = index.zip(bind).filter(|_| known.is_none()).map(|(index, bind)| {
                joints.push(index);
                inverse_binds.push(bind);
                joints.len() - 1
            });
            joint_of_cluster.push(known.or(added).and_then(|joint| u16::try_from(joint).ok()));
        }
        if joints.is_empty() {
            return None;
        }
        let mut skin = Self {
            index: gltf.skins.len(),
            joints: Vec::with_capacity(mesh.num_vertices),
            weights: Vec::with_capacity(mesh.num_vertices),
            reduced: 0,
            largest_loss: 0.0,
        };
        let fixed = u16::try_from(joints.len()).ok()?;
        for control_point in 0..mesh.num_vertices {
            skin.add_weights(deformer, control_point, &joint_of_cluster, fixed);
        }
        if skin.joints.iter().any(|joints| joints[0] == fixed) {
            joints.push(mesh_node);
            let placement = columns(matrix(&nodes.list[mesh_node].geometry_to_node));
            let is_finite = placement.iter().all(|number| number.is_finite());
            inverse_binds.push(if is_finite { placement } else { columns(DMat4::IDENTITY) });
        }
        let matrices = gltf.add_floats("MAT4", inverse_binds.into_iter());
        gltf.skins.push(json!({ "joints": joints, "inverseBindMatrices": matrices }));
        Some(skin)
    }

    /// Adds the largest weights of a control point, with a sum of 1. Without weights, the point follows the joint `fixed`.
    fn add_weights(
        &mut self,
        deformer: &SkinDeformer,
        control_point: usize,
        joint_of_cluster: &[Option<u16>],
        fixed: u16,
    ) {
        let range = deformer.vertices.get(control_point).map_or(0..0, |vertex| {
            let begin = vertex.weight_begin as usize;
            begin..begin + vertex.num_weights as usize
        });
        let weights = deformer.weights.get(range).unwrap_or_default().iter();
        let mut found: Vec<(u16, f64)> = weights
            .filter_map(|weight| Some(((*joint_of_cluster.get(weight.cluster_index as usize)?)?, weight.weight)))
            .filter(|(_, weight)| weight.is_finite() && *weight > 0.0)
            .collect();
        found.sort_by(|a, b| b.1.total_cmp(&a.1));
        let all: f64 = found.iter().map(|(_, weight)| weight).sum();
        if found.len() > WEIGHTS {
            self.reduced += 1;
            found.truncate(WEIGHTS);
        }
        let kept: f64 = found.iter().map(|(_, weight)| weight).sum();
        let (mut joints, mut weights) = ([fixed, 0, 0, 0], [1.0, 0.0, 0.0, 0.0]);
        if kept > 0.0 {
            joints = [0; WEIGHTS];
            self.largest_loss = self.largest_loss.max(1.0 - kept / all);
            weights = [0.0; WEIGHTS];
            for (at, (joint, weight)) in found.into_iter().enumerate() {
                joints[at] = joint;
                weights[at] = (weight / kept) as f32;
            }
        }
        self.joints.push(joints);
        self.weights.push(weights);
    }
}

/// The translation from the pivot of a bone to its origin in the file. The parser puts a bone at its pivot, but does not
/// move the clusters of the bone. Each node stores its pivot minus the pivot of its parent.
fn from_pivot(bone: &Node) -> DVec3 {
    let chain = std::iter::successors(Some(bone), |node| node.parent.as_ref().map(AsRef::as_ref));
    let pivot: DVec3 = chain.map(|node| dvec3(&node.adjust_pre_translation)).sum();
    let mut offset = -pivot * bone.adjust_translation_scale;
    if bone.adjust_mirror_axis == MirrorAxis::X {
        offset.x = -offset.x;
    }
    offset
}

/// Adds the pose in which the skins are bound as an animation, if the nodes have another pose.
pub(super) fn add_bind_pose(scene: &SceneRoot, nodes: &FbxNodes<'_>, gltf: &mut GltfBuilder, notes: &mut Notes<'_>) {
    let mut bound: Vec<Option<DMat4>> = vec![None; nodes.list.len()];
    for cluster in &scene.skin_clusters {
        let cluster: &SkinCluster = cluster;
        let Some(bone) = cluster.bone_node.as_ref() else { continue };
        let world = matrix(&cluster.bind_to_world) * DMat4::from_translation(-from_pivot(bone));
        // A matrix without volume holds no rotation.
        let is_usable = world.is_finite() && world.determinant().abs() > 1e-18;
        if let Some(index) = nodes.index(bone).filter(|_| is_usable) {
            bound[index].get_or_insert(world);
        }
    }
    let is_posed =
        |index: usize| bound[index].is_some_and(|bind| differs(bind, matrix(&nodes.list[index].node_to_world)));
    let posed = (0..nodes.list.len()).filter(|index| is_posed(*index)).count();
    if posed == 0 {
        return;
    }
    notes.info(message!(
        "{n:bone has|bones have} another pose than the pose in which the skin is bound; the pose of the file is the rest pose, and the bind pose is in the list of motions",
        n = posed
    ));
    let mut worlds: Vec<DMat4> = Vec::with_capacity(nodes.list.len());
    let mut channels = Vec::new();
    for (index, node) in nodes.list.iter().enumerate() {
        let parent = nodes.parent(index).map_or(DMat4::IDENTITY, |parent| worlds[parent]);
        let rest = trs(&node.local_transform).unwrap_or(Trs::IDENTITY);
        let world = bound[index].unwrap_or_else(|| parent * Mat4::from(rest.to_affine()).as_dmat4());
        worlds.push(world);
        if let Some(local) = trs_of_matrix(parent.inverse() * world).filter(|_| bound[index].is_some()) {
            channels.extend(fixed_channels(index, &local));
        }
    }
    gltf.add_animation(&Clip { name: "Bind pose".to_owned(), duration: 0.0, channels });
}

/// Channels that hold a transform.
fn fixed_channels(node: usize, local: &Trs) -> [Channel; 3] {
    let values = [
        ChannelValues::Translation(vec![local.translation; 2]),
        ChannelValues::Rotation(vec![local.rotation; 2]),
        ChannelValues::Scale(vec![local.scale; 2]),
    ];
    values.map(|values| Channel {
        bone: BoneId(node as u32),
        times: vec![0.0, 1.0],
        values,
        interpolation: ChannelInterpolation::Linear,
    })
}

fn differs(a: DMat4, b: DMat4) -> bool {
    let [a, b] = [a, b].map(|matrix| matrix.to_scale_rotation_translation());
    a.2.distance(b.2) > POSED_DISTANCE || a.1.normalize().angle_between(b.1.normalize()).to_degrees() > POSED_DEGREES
}
