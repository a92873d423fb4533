//! Reads `skins`, and the four largest weights of each vertex.

use super::accessor::Accessors;
use crate::gltf_json::json::{JsonError, JsonObject};
use crate::gltf_json::nodes::GltfNodes;
use glam::Mat4;
use yuremono_sim::diagnostics::message;
use yuremono_sim::rig::Skin;

/// Reads all skins in file order. The file is rejected if a skin is invalid.
pub(crate) fn read(
    root: &JsonObject<'_>,
    nodes: &GltfNodes<'_>,
    accessors: &Accessors<'_>,
) -> Result<Vec<Skin>, JsonError> {
    root.objects("skins")?.map(|skin| read_skin(&skin?, nodes, accessors)).collect()
}

fn read_skin(skin: &JsonObject<'_>, nodes: &GltfNodes<'_>, accessors: &Accessors<'_>) -> Result<Skin, JsonError> {
    let joints: Vec<usize> = skin.indices("joints", nodes.len(), "node")?.collect::<Result<_, _>>()?;
    if joints.is_empty() {
        return Err(skin.error_at("joints", message!("a skin without joints")));
    }
    skin.ok_or_warn(skin.index("skeleton", nodes.len(), "node"), "it is ignored");
    let inverse_binds = match skin.index("inverseBindMatrices", accessors.len(), "accessor")? {
        None => vec![Mat4::IDENTITY; joints.len()],
        Some(index) => {
            let key = "inverseBindMatrices";
            let matrices = accessors.floats::<16>(index).map_err(|why| skin.error_at(key, why))?;
            if matrices.len() < joints.len() {
                let message =
                    message!("{count} matrices for {count2} joints", count = matrices.len(), count2 = joints.len());
                return Err(skin.error_at(key, message));
            }
            let mut matrices: Vec<_> = matrices[..joints.len()].iter().map(Mat4::from_cols_array).collect();
            let broken = matrices.iter().filter(|matrix| !matrix.is_finite()).count();
            if broken > 0 {
                skin.warn_at(key, message!("{broken} matrices are not finite", broken), "the identity is used");
                matrices.iter_mut().filter(|m| !m.is_finite()).for_each(|m| *m = Mat4::IDENTITY);
            }
            matrices
        }
    };
    Ok(Skin { joints: joints.into_iter().map(|node| nodes.bone_of_node[node]).collect(), inverse_binds })
}

/// Joints and weights for each vertex.
#[derive(Clone, Debug, Default)]
pub(crate) struct SkinWeights {
    pub(crate) joints: Vec<[u16; 4]>,
    pub(crate) weights: Vec<[f32; 4]>,
}

/// Reads every `JOINTS_n` / `WEIGHTS_n` pair, and keeps the four largest weights of each vertex, normalized. Both lists
/// are empty if the primitive is not skinned. `only` selects the vertices to read.
pub(crate) fn read_weights(
    attributes: &JsonObject<'_>,
    vertices: usize,
    only: Option<&[u32]>,
    accessors: &Accessors<'_>,
) -> Result<SkinWeights, JsonError> {
    let mut out = SkinWeights::default();
    for set in 0.. {
        let (joints_key, weights_key) = (format!("JOINTS_{set}"), format!("WEIGHTS_{set}"));
        let joints = attributes.index(&joints_key, accessors.len(), "accessor")?;
        let weights = attributes.index(&weights_key, accessors.len(), "accessor")?;
        let (joints, weights) = match (joints, weights) {
            (Some(joints), Some(weights)) => (joints, weights),
            (None, None) => break,
            (Some(_), None) => {
                return Err(attributes.error_at(&joints_key, message!("there is no {weights_key}", weights_key)));
            }
            (None, Some(_)) => {
                return Err(attributes.error_at(&weights_key, message!("there is no {joints_key}", joints_key)));
            }
        };
        for (key, accessor) in [(&joints_key, joints), (&weights_key, weights)] {
            let count = accessors.get(accessor).count;
            if count != vertices {
                return Err(
                    attributes.error_at(key, message!("{count} entries for {vertices} vertices", count, vertices))
                );
            }
        }
        let joints =
            accessors.selected_unsigned::<4>(joints, only).map_err(|why| attributes.error_at(&joints_key, why))?;
        let weights =
            accessors.selected_floats::<4>(weights, only).map_err(|why| attributes.error_at(&weights_key, why))?;
        if set == 0 {
            // The first joint stays if the vertex has no weights, as in three.js.
            let first = |joints: &[u32; 4]| [u16::try_from(joints[0]).unwrap_or(u16::MAX), 0, 0, 0];
            out.joints = joints.iter().map(first).collect();
            out.weights = vec![[0.0; 4]; joints.len()];
        }
        for (vertex, (joints, weights)) in joints.iter().zip(&weights).enumerate() {
            for (joint, weight) in joints.iter().zip(weights) {
                // No skin has this many joints, so `clear_invalid_skin_joints` removes and reports the joint.
                let joint = u16::try_from(*joint).unwrap_or(u16::MAX);
                keep_largest_weight(&mut out.joints[vertex], &mut out.weights[vertex], joint, *weight);
            }
        }
    }
    let dropped = out.weights.iter_mut().map(normalize).filter(|has_weights| !has_weights).count();
    if dropped > 0 {
        let message = message!("{dropped} vertices have no weights; they follow one joint", dropped);
        attributes.info(attributes.pointer_to("WEIGHTS_0"), message);
    }
    Ok(out)
}

/// Replaces the smallest weight if `weight` is larger. Negative and non-finite weights are ignored.
fn keep_largest_weight(joints: &mut [u16; 4], weights: &mut [f32; 4], joint: u16, weight: f32) {
    if !weight.is_finite() {
        return;
    }
    let weakest = (1..4).fold(0, |least, i| if weights[i] < weights[least] { i } else { least });
    if weight > weights[weakest] {
        joints[weakest] = joint;
        weights[weakest] = weight;
    }
}

/// Normalizes the weights of a vertex. A vertex without weights follows its first joint, and the result is `false`.
fn normalize(weights: &mut [f32; 4]) -> bool {
    let sum: f32 = weights.iter().sum();
    let has_weights = sum > 0.0 && sum.is_finite();
    *weights = if has_weights { weights.map(|weight| weight / sum) } else { [1.0, 0.0, 0.0, 0.0] };
    has_weights
}

pub(crate) fn clear_invalid_skin_joints(joints: &mut [[u16; 4]], weights: &mut [[f32; 4]], count: usize) -> usize {
    let mut changed_vertices = 0;
    for (joints, weights) in joints.iter_mut().zip(weights) {
        let mut lost = false;
        for (joint, weight) in joints.iter_mut().zip(weights.iter_mut()) {
            if usize::from(*joint) >= count {
                lost |= *weight > 0.0;
                (*joint, *weight) = (0, 0.0);
            }
        }
        if lost {
            changed_vertices += 1;
            normalize(weights);
        }
    }
    changed_vertices
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_four_largest_of_eight_weights_remain_and_sum_to_one() {
        let mut skinned = SkinWeights { joints: vec![[0; 4]], weights: vec![[0.0; 4]] };
        for (joint, weight) in [0.05, 0.3, 0.1, 0.2, 0.02, 0.3, 0.02, 0.01].into_iter().enumerate() {
            keep_largest_weight(&mut skinned.joints[0], &mut skinned.weights[0], joint as u16, weight);
        }
        normalize(&mut skinned.weights[0]);
        let mut kept = skinned.joints[0];
        kept.sort_unstable();
        assert_eq!(kept, [1, 2, 3, 5]);
        assert!((skinned.weights[0].iter().sum::<f32>() - 1.0).abs() < 1e-6);
    }

    #[test]
    fn weights_of_joints_outside_the_skin_are_removed() {
        let (mut joints, mut weights) = ([[0, 9, 0, 0], [9, 9, 9, 9]], [[0.5, 0.5, 0.0, 0.0], [0.25; 4]]);
        assert_eq!(clear_invalid_skin_joints(&mut joints, &mut weights, 2), 2);
        assert_eq!(weights, [[1.0, 0.0, 0.0, 0.0]; 2]);
        assert_eq!(joints, [[0; 4]; 2]);
    }
}
