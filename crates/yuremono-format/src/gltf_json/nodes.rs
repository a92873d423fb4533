//! Converts `nodes` and `scenes` to a skeleton.
//!
//! The traversal uses an explicit stack, and each node may have only one parent. Cycles, shared subtrees and deep
//! chains are therefore safe.

use super::json::{GltfDiagnostics, JsonError, JsonObject};
use glam::{Mat4, Quat, Vec3};
use serde_json::Value;
use yuremono_sim::diagnostics::{MessageText, message};
use yuremono_sim::math::Trs;
use yuremono_sim::rig::{Bone, BoneId, Skeleton};

/// Maximum number of nodes. A file with more nodes is rejected. No real character needs more nodes.
const MAX_NODES: usize = 65_536;
/// Maximum depth of a node. The limit keeps later walks over ancestors cheap.
const MAX_DEPTH: usize = 2_048;

/// The node hierarchy as a skeleton, and the mapping between nodes and bones.
#[derive(Debug)]
pub(crate) struct GltfNodes<'a> {
    pub(crate) json: Vec<JsonObject<'a>>,
    pub(crate) skeleton: Skeleton,
    /// Indexed by node.
    pub(crate) bone_of_node: Vec<BoneId>,
    /// Indexed by bone: the node index.
    pub(crate) node_of_bone: Vec<usize>,
    /// Indexed by bone: the first bone after its subtree. Bones are in depth-first order.
    subtree_ends: Vec<BoneId>,
    /// Indexed by node: whether the node belongs to the displayed scene.
    pub(crate) is_in_scene: Vec<bool>,
}

impl<'a> GltfNodes<'a> {
    pub(crate) fn of_document(
        json: &'a Value,
        diagnostics: &'a GltfDiagnostics<'a>,
    ) -> Result<(JsonObject<'a>, Self), JsonError> {
        let root = JsonObject::root(json, diagnostics)?;
        let nodes = Self::read(&root)?;
        Ok((root, nodes))
    }

    pub(crate) fn read(root: &JsonObject<'a>) -> Result<Self, JsonError> {
        let count = root.list("nodes")?.len();
        if count > MAX_NODES {
            return Err(root.error_at(
                "nodes",
                message!("{count} nodes; at most {max_nodes} are read", count, max_nodes = MAX_NODES),
            ));
        }
        let json = root.objects("nodes")?.collect::<Result<Vec<_>, _>>()?;
        let (parents, children) = read_hierarchy(&json)?;
        let scene = scene_roots(root, count)?;
        let starts = root_nodes(root, &parents, scene.as_deref());
        let (order, depth_first_parents) =
            depth_first_order(&starts, &children, count).map_err(|fault| root.error_at("nodes", fault))?;

        let mut bones = vec![BoneId(0); count];
        for (bone, node) in order.iter().enumerate() {
            bones[*node] = BoneId(bone as u32);
        }
        let mut list = Vec::with_capacity(count);
        for &node in &order {
            list.push(Bone {
                name: node_name(&json[node], node),
                parent: depth_first_parents[node].map(|parent| bones[parent]),
                rest: local_transform(&json[node])?,
            });
        }
        let skeleton = Skeleton::new(list).map_err(|error| root.error_at("nodes", error.to_string()))?;
        let shown = nodes_in_scene(&bones, &skeleton, scene.as_deref());
        let ends = subtree_ends(&skeleton);
        Ok(Self { json, skeleton, bone_of_node: bones, node_of_bone: order, subtree_ends: ends, is_in_scene: shown })
    }

    pub(crate) fn is_descendant(&self, above: BoneId, bone: BoneId) -> bool {
        above < bone && bone < self.subtree_ends[above.index()]
    }

    pub(crate) fn len(&self) -> usize {
        self.bone_of_node.len()
    }
}

type ParentsAndChildren = (Vec<Option<usize>>, Vec<Vec<usize>>);

/// Returns the parent and the children of every node.
fn read_hierarchy(nodes: &[JsonObject<'_>]) -> Result<ParentsAndChildren, JsonError> {
    let mut parents: Vec<Option<usize>> = vec![None; nodes.len()];
    let mut children_of_node = Vec::with_capacity(nodes.len());
    for (index, node) in nodes.iter().enumerate() {
        let children: Vec<usize> = node.indices("children", nodes.len(), "node")?.collect::<Result<_, _>>()?;
        for &child in &children {
            if child == index {
                return Err(node.error_at("children", message!("node {index} is its own child", index)));
            }
            if let Some(other) = parents[child].replace(index) {
                let message = message!("node {child} has two parents, {other} and {index}", child, other, index);
                return Err(node.error_at("children", message));
            }
        }
        children_of_node.push(children);
    }
    Ok((parents, children_of_node))
}

/// Returns the roots of the displayed scene, or `None` if the file has no scene.
fn scene_roots(root: &JsonObject<'_>, nodes: usize) -> Result<Option<Vec<usize>>, JsonError> {
    let scenes = root.objects("scenes")?;
    let count = scenes.len();
    let chosen = root.index("scene", count, "scene")?;
    let members = |scene: Result<JsonObject<'_>, JsonError>| scene?.indices("nodes", nodes, "node")?.collect();
    let mut scenes = scenes.map(members).collect::<Result<Vec<Vec<usize>>, _>>()?;
    if count > 1 {
        let shown = chosen.unwrap_or(0);
        root.info("/scenes", message!("the file has {count} scenes; scene {shown} is shown", count, shown));
    }
    Ok((count > 0).then(|| scenes.swap_remove(chosen.unwrap_or(0))))
}

/// Returns all roots: first the roots of the scene in scene order, then the other roots in file order.
fn root_nodes(root: &JsonObject<'_>, parents: &[Option<usize>], scene: Option<&[usize]>) -> Vec<usize> {
    let mut taken = vec![false; parents.len()];
    let mut starts = Vec::new();
    for &node in scene.unwrap_or(&[]) {
        if parents[node].is_some() {
            let fault = JsonError {
                pointer: format!("/nodes/{node}"),
                message: message!("node {node} is a root of the scene and also a child of another node", node),
            };
            root.warn(fault, "it stays a child of its parent");
        } else if !std::mem::replace(&mut taken[node], true) {
            starts.push(node);
        }
    }
    starts.extend((0..parents.len()).filter(|node| parents[*node].is_none() && !taken[*node]));
    starts
}

type DepthFirstOrder = (Vec<usize>, Vec<Option<usize>>);

fn depth_first_order(starts: &[usize], children: &[Vec<usize>], count: usize) -> Result<DepthFirstOrder, MessageText> {
    let mut order = Vec::with_capacity(count);
    let mut parents = vec![None; count];
    let mut stack: Vec<(usize, usize)> = starts.iter().rev().map(|node| (*node, 0)).collect();
    while let Some((node, depth)) = stack.pop() {
        if depth > MAX_DEPTH {
            return Err(message!("node {node} is more than {max_depth} levels deep", node, max_depth = MAX_DEPTH));
        }
        order.push(node);
        for &child in children[node].iter().rev() {
            parents[child] = Some(node);
            stack.push((child, depth + 1));
        }
    }
    if order.len() < count {
        let mut reached = vec![false; count];
        for node in order {
            reached[node] = true;
        }
        let lost = reached.iter().position(|seen| !seen).unwrap_or(0);
        return Err(message!("node {lost} is its own ancestor, or a descendant of such a node", lost));
    }
    Ok((order, parents))
}

fn subtree_ends(skeleton: &Skeleton) -> Vec<BoneId> {
    let mut ends: Vec<_> = skeleton.ids().map(|bone| BoneId(bone.0 + 1)).collect();
    for bone in (0..skeleton.len() as u32).rev().map(BoneId) {
        if let Some(parent) = skeleton.parent(bone) {
            ends[parent.index()] = ends[parent.index()].max(ends[bone.index()]);
        }
    }
    ends
}

fn node_name(node: &JsonObject<'_>, index: usize) -> String {
    let name = node.ok_or_warn(node.name("name"), "the node is named after its number").flatten();
    name.map_or_else(|| format!("node {index}"), str::to_owned)
}

/// Reads the local transform from a matrix, or from translation, rotation and scale.
fn local_transform(node: &JsonObject<'_>) -> Result<Trs, JsonError> {
    if let Some(matrix) = node.numbers::<16>("matrix")? {
        if ["translation", "rotation", "scale"].into_iter().any(|key| node.get(key).is_some()) {
            let message = message!("the node has both a matrix and translation, rotation or scale");
            node.warn_at("matrix", message, "the matrix is used");
        }
        return Ok(decompose_matrix(node, Mat4::from_cols_array(&matrix)));
    }
    let translation = node.numbers("translation")?.map_or(Vec3::ZERO, Vec3::from_array);
    let scale = node.numbers("scale")?.map_or(Vec3::ONE, Vec3::from_array);
    let rotation = match node.numbers::<4>("rotation")?.map(Quat::from_array) {
        Some(rotation) => normalized_rotation(node, rotation),
        None => Quat::IDENTITY,
    };
    Ok(Trs { translation, rotation, scale })
}

fn normalized_rotation(node: &JsonObject<'_>, rotation: Quat) -> Quat {
    let length = rotation.length();
    if !length.is_finite() || length < 1e-6 {
        node.warn_at("rotation", message!("the quaternion has no direction"), "no rotation is used");
        return Quat::IDENTITY;
    }
    if (length - 1.0).abs() > 0.01 {
        node.warn_at("rotation", message!("the quaternion has length {length}", length), "it is normalized");
    }
    // Normalizing only when needed keeps exact values of the file unchanged.
    if (length - 1.0).abs() > 1e-6 { rotation / length } else { rotation }
}

fn decompose_matrix(node: &JsonObject<'_>, matrix: Mat4) -> Trs {
    let mut trs = Trs::from_matrix(matrix);
    // If the matrix has shear, the quaternion is not normalized.
    trs.rotation = trs.rotation.normalize();
    if !trs.is_finite() || trs.scale.min_element() == 0.0 && trs.scale.max_element() == 0.0 {
        let translation = matrix.w_axis.truncate();
        let scale = Vec3::new(matrix.x_axis.length(), matrix.y_axis.length(), matrix.z_axis.length());
        node.warn_at("matrix", message!("the matrix is flat, so it has no rotation"), "no rotation is used");
        let scale = if scale.is_finite() { scale } else { Vec3::ONE };
        return Trs { translation, rotation: Quat::IDENTITY, scale };
    }
    let again = Mat4::from_scale_rotation_translation(trs.scale, trs.rotation, trs.translation);
    let size = matrix.to_cols_array().iter().fold(1.0_f32, |most, x| most.max(x.abs()));
    if !again.abs_diff_eq(matrix, 1e-3 * size) {
        node.warn_at("matrix", message!("the matrix has shear, which a bone cannot have"), "the shear is left out");
    }
    trs
}

/// Indexed by node: whether the node is a root of the scene or a descendant of a root. True for every node if the file
/// has no scene.
fn nodes_in_scene(bones: &[BoneId], skeleton: &Skeleton, scene: Option<&[usize]>) -> Vec<bool> {
    let Some(scene) = scene else { return vec![true; bones.len()] };
    let mut by_bone = vec![false; bones.len()];
    for &node in scene {
        by_bone[bones[node].index()] = true;
    }
    for bone in skeleton.ids() {
        if skeleton.parent(bone).is_some_and(|parent| by_bone[parent.index()]) {
            by_bone[bone.index()] = true;
        }
    }
    bones.iter().map(|bone| by_bone[bone.index()]).collect()
}
