//! Pivots: the frames of angle limits.
//!
//! Pivots are created as in the editor of the Unity package. The solver uses +X along the bone, -Z outwards and -Y
//! sideways. In Unity, these axes are -X, -Z and -Y.

use crate::document::measure::tip_position;
use crate::document::{ChainId, Document, Edit, Helper, HelperId, HelperRole, Joint, Node};
use glam::{Mat3, Quat, Vec3};
use yuremono_sim::math::Trs;
use yuremono_sim::params::LimitParams;
use yuremono_sim::rig::{BoneId, Pose, Skeleton, WorldPose};

/// Creates pivots as the editor of the Unity package does, in one edit. Each pivot is a helper named `<bone>_Pivot` at
/// the bone's head and a child of the bone's parent. The limits of both axes are enabled and set to -20 to 20° (Y) and
/// 0 to 20° (Z), unless they are already wider than 0.5°. An existing pivot is moved. Bones without a joint or a parent
/// are skipped.
pub fn create_pivots(document: &Document, skeleton: &Skeleton, bones: &[BoneId]) -> Edit {
    pivot_edits(document, skeleton, bones, true)
}

/// Does the same as [`create_pivots`], but keeps the limits.
pub fn align_pivots(document: &Document, skeleton: &Skeleton, bones: &[BoneId]) -> Edit {
    pivot_edits(document, skeleton, bones, false)
}

fn pivot_edits(document: &Document, skeleton: &Skeleton, bones: &[BoneId], with_limits: bool) -> Edit {
    let rest = WorldPose::from_pose(skeleton, &Pose::rest(skeleton));
    let mut edits = Vec::new();
    let mut fresh = document.next_helper_id();
    for &bone in bones {
        let Some((chain, at)) = document.find_joint(bone) else { continue };
        let joint = &document.chains[&chain].joints[at];
        let Some(helper) = build_pivot(skeleton, &rest, joint) else { continue };
        let id = reusable_helper(document, joint, &helper).unwrap_or_else(|| {
            let id = fresh;
            fresh = HelperId(fresh.0 + 1);
            id
        });
        edits.push(Edit::PutHelper { id, helper: Some(helper) });
        if joint.pivot != Some(Node::Helper(id)) {
            edits.push(Edit::SetPivot { chain, bone, pivot: Some(Node::Helper(id)) });
        }
        if with_limits {
            let position = document.curve_positions_in_pose(&document.chains[&chain], &rest, skeleton)[at];
            push_limits(document, chain, at, position, &mut edits);
        }
    }
    Edit::Batch(edits)
}

/// Does the same as [`create_pivots`] for one bone.
pub fn create_pivot(document: &Document, skeleton: &Skeleton, bone: BoneId) -> Edit {
    create_pivots(document, skeleton, &[bone])
}

/// Returns the world rotation that [`create_pivots`] gives the pivot of a joint. `rest` is the rest pose.
pub fn created_pivot_rotation(skeleton: &Skeleton, rest: &WorldPose, joint: &Joint) -> Quat {
    pivot_rotation(rest.frame(joint.bone).position, tip_position(skeleton, rest, joint))
}

fn build_pivot(skeleton: &Skeleton, rest: &WorldPose, joint: &Joint) -> Option<Helper> {
    let parent = skeleton.get_parent(joint.bone)?;
    let head = rest.frame(joint.bone).position;
    let world = created_pivot_rotation(skeleton, rest, joint);
    let frame = rest.frame(parent);
    let local = Trs {
        translation: frame.inverse_transform_point(head),
        rotation: (frame.rotation.inverse() * world).normalize(),
        scale: Vec3::ONE,
    };
    Some(Helper {
        name: format!("{}_Pivot", skeleton.name(joint.bone)),
        parent: Node::Bone(parent),
        local,
        role: HelperRole::Pivot,
    })
}

/// Returns the helper to reuse for a pivot: the joint's current pivot, or a helper with the same name and parent. No
/// other joint may use the helper.
fn reusable_helper(document: &Document, joint: &Joint, made: &Helper) -> Option<HelperId> {
    let users = |id| {
        let joints = document.chains.values().flat_map(|c| &c.joints);
        joints.filter(|j| j.pivot == Some(Node::Helper(id)) && j.bone != joint.bone).count()
    };
    let same = |h: &Helper| h.name == made.name && h.parent == made.parent;
    if let Some(Node::Helper(id)) = joint.pivot
        && document.helpers.contains_key(&id)
        && users(id) == 0
    {
        return Some(id);
    }
    document.helpers.iter().find(|(id, h)| same(h) && users(**id) == 0).map(|(id, _)| *id)
}

fn push_limits(document: &Document, chain: ChainId, at: usize, position: f32, edits: &mut Vec<Edit>) {
    let all = &document.chains[&chain];
    let bone = all.joints[at].bone;
    let mut set = |param, value| edits.push(Edit::SetOverride { chain, bone, param, value: Some(value) });
    for limit in document.solver_of(all).info().pivot_limits {
        let (LimitParams { active, min, max }, [from, to]) = (limit.params, limit.editor_default);
        set(active, 1.0);
        let width = all.joint_value(at, max, position) - all.joint_value(at, min, position);
        if width <= 0.5 || width.is_nan() {
            set(min, from);
            set(max, to);
        }
    }
}

/// Returns a rotation whose +X points from head to tip, and whose -Z is perpendicular to X and points away from the Y
/// axis of the world.
fn pivot_rotation(head: Vec3, tip: Vec3) -> Quat {
    let x = (tip - head).try_normalize().unwrap_or(Vec3::NEG_Y);
    let flat = |p: Vec3| Vec3::new(p.x, 0.0, p.z);
    let square = |v: Vec3| {
        let v = v.try_normalize()?;
        let rest = v - x * x.dot(v);
        // A direction almost parallel to the bone would depend on rounding errors.
        if rest.length() < 0.05 { None } else { rest.try_normalize() }
    };
    let outwards = [flat(head), flat(tip), Vec3::Y, Vec3::Z, Vec3::X].into_iter().find_map(square);
    let z = -outwards.unwrap_or(Vec3::Z);
    let y = z.cross(x);
    Quat::from_mat3(&Mat3::from_cols(x, y, z)).normalize()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Chain, ChainPart};
    use yuremono_sim::rig::Bone;
    use yuremono_sim::solver::spring_bone::{Y_ACTIVE, Y_MAX, Y_MIN, Z_ACTIVE, Z_MAX, Z_MIN};

    #[track_caller]
    fn check_frame(head: Vec3, tip: Vec3, outwards: Vec3) {
        let q = pivot_rotation(head, tip);
        let (x, y, z) = (q * Vec3::X, q * Vec3::Y, q * Vec3::Z);
        assert!((x - (tip - head).normalize()).length() < 1e-5, "+X is {x}");
        assert!(-z.dot(outwards) > 0.9, "-Z is {}", -z);
        assert!((x.cross(y) - z).length() < 1e-5, "left-handed");
        assert!(x.dot(y).abs() < 1e-5 && y.dot(z).abs() < 1e-5, "not square");
    }

    #[test]
    fn a_created_pivot_points_along_the_bone_and_outwards() {
        check_frame(Vec3::new(0.1, 1.0, 0.0), Vec3::new(0.1, 0.8, 0.0), Vec3::X);
        check_frame(Vec3::new(-0.1, 1.0, 0.0), Vec3::new(-0.12, 0.8, 0.0), Vec3::NEG_X);
        check_frame(Vec3::new(0.0, 1.0, -0.2), Vec3::new(0.0, 0.7, -0.2), Vec3::NEG_Z);
    }

    #[test]
    fn the_pivot_of_an_outward_tail_faces_up() {
        check_frame(Vec3::new(0.0, 1.0, -0.1), Vec3::new(0.0, 1.0, -0.4), Vec3::Y);
        check_frame(Vec3::new(0.0, 1.0, 0.0), Vec3::new(0.0, 1.3, 0.0), Vec3::Z);
    }

    fn skirt() -> (Document, Skeleton) {
        let bone = |name: &str, parent: Option<u32>, translation| Bone {
            name: name.to_owned(),
            parent: parent.map(BoneId),
            rest: Trs { translation, rotation: Quat::from_rotation_y(0.5), scale: Vec3::ONE },
        };
        let bones = vec![
            bone("Hips", None, Vec3::new(0.0, 1.0, 0.0)),
            bone("Skirt", Some(0), Vec3::new(0.2, -0.1, 0.0)),
            bone("Skirt_end", Some(1), Vec3::new(0.0, -0.3, 0.0)),
        ];
        let skeleton = Skeleton::new(bones).expect("ordered");
        let mut document = Document::default();
        let chain =
            Chain::new("Skirt", ChainPart::Skirt, document.main_system().param_defs(), vec![Joint::new(BoneId(1))]);
        document.chains.insert(ChainId(1), chain);
        (document, skeleton)
    }

    #[test]
    fn creating_a_pivot_is_one_edit_at_the_bone_head_and_undoes() {
        let (mut document, skeleton) = skirt();
        let before = document.clone();
        let changes = document.apply_recorded(create_pivot(&document, &skeleton, BoneId(1))).expect("applies");
        let (id, helper) = document.helpers.first_key_value().expect("a pivot");
        assert_eq!((helper.name.as_str(), helper.parent), ("Skirt_Pivot", Node::Bone(BoneId(0))));
        let joint = &document.chains[&ChainId(1)].joints[0];
        assert_eq!(joint.pivot, Some(Node::Helper(*id)));
        assert_eq!(
            [Y_ACTIVE, Y_MIN, Y_MAX, Z_ACTIVE, Z_MIN, Z_MAX].map(|r| joint.overrides[&r]),
            [1.0, -20.0, 20.0, 1.0, 0.0, 20.0]
        );
        let resolved = document.resolve(&skeleton);
        let world = WorldPose::from_pose(&resolved.skeleton, &Pose::rest(&resolved.skeleton));
        let pivot = world.frame(resolved.node_bones[&Node::Helper(*id)]);
        assert!((pivot.position - world.frame(BoneId(1)).position).length() < 1e-5);
        assert!((pivot.rotation * Vec3::X - Vec3::NEG_Y).length() < 1e-4);
        changes.revert(&mut document);
        assert_eq!(document, before);
    }

    #[test]
    fn creating_a_pivot_again_reuses_it_and_keeps_wide_limits() {
        let (mut document, skeleton) = skirt();
        document.apply(create_pivot(&document, &skeleton, BoneId(1))).expect("applies");
        let wide = Edit::SetOverride { chain: ChainId(1), bone: BoneId(1), param: Y_MAX, value: Some(70.0) };
        document.apply(wide).expect("applies");
        document.apply(create_pivot(&document, &skeleton, BoneId(1))).expect("applies");
        assert_eq!(document.helpers.len(), 1);
        assert_eq!(document.chains[&ChainId(1)].joints[0].overrides[&Y_MAX], 70.0);
        assert_eq!(create_pivot(&document, &skeleton, BoneId(0)), Edit::Batch(Vec::new()));
    }
}
