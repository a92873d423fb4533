//! From `nodes` and `scenes` to a skeleton.
//!
//! Children are walked with an explicit stack and may have one parent only, so neither cycles, nor shared
//! subtrees, nor deep chains can harm.

use super::json::{GltfDiagnostics, JsonError, JsonObject};
use crate::math::Trs;
use crate::rig::{Bone, BoneId, Skeleton};
use glam::{Mat4, Quat, Vec3};

/// More bones than any character has; beyond it the file is refused.
const MAX_NODES: usize = 65_536;
/// Longest path from a root; later walks up the parents stay cheap.
const MAX_DEPTH: usize = 2_048;

/// The hierarchy, and how the file's numbers map to it.
#[derive(Debug)]
pub(crate) struct GltfNodes<'a> {
    pub(crate) json: Vec<JsonObject<'a>>,
    pub(crate) skeleton: Skeleton,
    /// By node number.
    pub(crate) bone_of_node: Vec<BoneId>,
    /// By bone: the node's number.
    pub(crate) node_of_bone: Vec<usize>,
    /// By bone: the first bone after its subtree, as bones stand depth-first.
    subtree_ends: Vec<BoneId>,
    /// By node number: whether the node belongs to the scene that is shown.
    pub(crate) is_in_scene: Vec<bool>,
}

impl<'a> GltfNodes<'a> {
    pub(crate) fn read(root: &JsonObject<'a>, notes: &GltfDiagnostics<'_>) -> Result<Self, JsonError> {
        let count = root.list("nodes")?.len();
        if count > MAX_NODES {
            return Err(root.error_at("nodes", format!("{count} nodes; at most {MAX_NODES} are read")));
        }
        let json = root.objects("nodes")?.collect::<Result<Vec<_>, _>>()?;
        let (parents, children) = read_hierarchy(&json)?;
        let scene = scene_roots(root, count, notes)?;
        let starts = root_nodes(&parents, scene.as_deref(), notes);
        let (order, depth_first_parents) =
            depth_first_order(&starts, &children, count).map_err(|fault| root.error_at("nodes", fault))?;

        let mut bones = vec![BoneId(0); count];
        for (bone, node) in order.iter().enumerate() {
            bones[*node] = BoneId(bone as u32);
        }
        let mut list = Vec::with_capacity(count);
        for &node in &order {
            list.push(Bone {
                name: node_name(&json[node], node, notes),
                parent: depth_first_parents[node].map(|parent| bones[parent]),
                rest: local_transform(&json[node], notes)?,
            });
        }
        let skeleton = Skeleton::new(list).map_err(|error| root.error_at("nodes", error.to_string()))?;
        let shown = nodes_in_scene(&bones, &skeleton, scene.as_deref());
        let ends = subtree_ends(&skeleton);
        Ok(Self { json, skeleton, bone_of_node: bones, node_of_bone: order, subtree_ends: ends, is_in_scene: shown })
    }

    /// Whether `bone` hangs somewhere below `above`; at once, however deep.
    pub(crate) fn is_descendant(&self, above: BoneId, bone: BoneId) -> bool {
        above < bone && bone < self.subtree_ends[above.index()]
    }

    pub(crate) fn len(&self) -> usize {
        self.bone_of_node.len()
    }
}

type ParentsAndChildren = (Vec<Option<usize>>, Vec<Vec<usize>>);

/// Parent and children of every node.
fn read_hierarchy(nodes: &[JsonObject<'_>]) -> Result<ParentsAndChildren, JsonError> {
    let mut parents: Vec<Option<usize>> = vec![None; nodes.len()];
    let mut families = Vec::with_capacity(nodes.len());
    for (index, node) in nodes.iter().enumerate() {
        let children = node.indices("children", nodes.len(), "node")?;
        for &child in &children {
            if child == index {
                return Err(node.error_at("children", format!("node {index} is its own child")));
            }
            if let Some(other) = parents[child].replace(index) {
                let message = format!("node {child} has two parents, {other} and {index}");
                return Err(node.error_at("children", message));
            }
        }
        families.push(children);
    }
    Ok((parents, families))
}

/// Roots of the scene that is shown; `None` where the file has no scene.
fn scene_roots(
    root: &JsonObject<'_>,
    nodes: usize,
    notes: &GltfDiagnostics<'_>,
) -> Result<Option<Vec<usize>>, JsonError> {
    let scenes = root.objects("scenes")?;
    let count = scenes.len();
    let chosen = root.index("scene", count, "scene")?;
    let mut scenes = scenes.map(|scene| scene?.indices("nodes", nodes, "node")).collect::<Result<Vec<_>, _>>()?;
    if count > 1 {
        let shown = chosen.unwrap_or(0);
        notes.info("/scenes", format!("the file has {count} scenes; scene {shown} is shown"));
    }
    Ok((count > 0).then(|| scenes.swap_remove(chosen.unwrap_or(0))))
}

/// Every root: those of the scene first, in its order, then the others in file order.
fn root_nodes(parents: &[Option<usize>], scene: Option<&[usize]>, notes: &GltfDiagnostics<'_>) -> Vec<usize> {
    let mut taken = vec![false; parents.len()];
    let mut starts = Vec::new();
    for &node in scene.unwrap_or(&[]) {
        if parents[node].is_some() {
            let fault = JsonError {
                pointer: format!("/nodes/{node}"),
                message: format!("node {node} is a root of the scene and yet another node's child"),
            };
            notes.warn(fault, "it stays where its parent puts it");
        } else if !std::mem::replace(&mut taken[node], true) {
            starts.push(node);
        }
    }
    starts.extend((0..parents.len()).filter(|node| parents[*node].is_none() && !taken[*node]));
    starts
}

type DepthFirstOrder = (Vec<usize>, Vec<Option<usize>>);

/// Depth-first order and the parent of each node. Nodes that no root reaches lie on a cycle.
fn depth_first_order(starts: &[usize], children: &[Vec<usize>], count: usize) -> Result<DepthFirstOrder, String> {
    let mut order = Vec::with_capacity(count);
    let mut parents = vec![None; count];
    let mut stack: Vec<(usize, usize)> = starts.iter().rev().map(|node| (*node, 0)).collect();
    while let Some((node, depth)) = stack.pop() {
        if depth > MAX_DEPTH {
            return Err(format!("node {node} lies more than {MAX_DEPTH} levels deep"));
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
        return Err(format!("node {lost} is its own ancestor, or hangs from a node that is"));
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

fn node_name(node: &JsonObject<'_>, index: usize, notes: &GltfDiagnostics<'_>) -> String {
    let name = notes.ok_or_warn(node.name("name"), "the node is named after its number").flatten();
    name.map_or_else(|| format!("node {index}"), str::to_owned)
}

/// The local transform, from a matrix or from its three parts.
fn local_transform(node: &JsonObject<'_>, notes: &GltfDiagnostics<'_>) -> Result<Trs, JsonError> {
    if let Some(matrix) = node.numbers::<16>("matrix")? {
        if ["translation", "rotation", "scale"].into_iter().any(|key| node.get(key).is_some()) {
            notes.warn(node.error_at("matrix", "the node has a matrix and parts of one"), "the matrix is used");
        }
        return Ok(decompose_matrix(node, Mat4::from_cols_array(&matrix), notes));
    }
    let translation = node.numbers("translation")?.map_or(Vec3::ZERO, Vec3::from_array);
    let scale = node.numbers("scale")?.map_or(Vec3::ONE, Vec3::from_array);
    let rotation = match node.numbers::<4>("rotation")?.map(Quat::from_array) {
        Some(rotation) => normalized_rotation(node, rotation, notes),
        None => Quat::IDENTITY,
    };
    Ok(Trs { translation, rotation, scale })
}

fn normalized_rotation(node: &JsonObject<'_>, rotation: Quat, notes: &GltfDiagnostics<'_>) -> Quat {
    let length = rotation.length();
    if !length.is_finite() || length < 1e-6 {
        notes.warn(node.error_at("rotation", "the quaternion has no direction"), "no rotation is used");
        return Quat::IDENTITY;
    }
    if (length - 1.0).abs() > 0.01 {
        notes.warn(
            node.error_at("rotation", format!("the quaternion has length {length}")),
            "it is brought to length 1",
        );
    }
    // Only what needs it, so that exact files stay exact.
    if (length - 1.0).abs() > 1e-6 { rotation / length } else { rotation }
}

fn decompose_matrix(node: &JsonObject<'_>, matrix: Mat4, notes: &GltfDiagnostics<'_>) -> Trs {
    let mut trs = Trs::from_matrix(matrix);
    // Shear leaves a quaternion that is no rotation yet.
    trs.rotation = trs.rotation.normalize();
    if !trs.is_finite() || trs.scale.min_element() == 0.0 && trs.scale.max_element() == 0.0 {
        let translation = matrix.w_axis.truncate();
        let scale = Vec3::new(matrix.x_axis.length(), matrix.y_axis.length(), matrix.z_axis.length());
        notes.warn(node.error_at("matrix", "the matrix is flat, so it has no rotation"), "no rotation is used");
        let scale = if scale.is_finite() { scale } else { Vec3::ONE };
        return Trs { translation, rotation: Quat::IDENTITY, scale };
    }
    let again = Mat4::from_scale_rotation_translation(trs.scale, trs.rotation, trs.translation);
    let size = matrix.to_cols_array().iter().fold(1.0_f32, |most, x| most.max(x.abs()));
    if !again.abs_diff_eq(matrix, 1e-3 * size) {
        notes.warn(node.error_at("matrix", "the matrix shears, which a bone cannot"), "the shear is left out");
    }
    trs
}

/// Everything below the scene's roots, or everything where the file has no scene.
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
