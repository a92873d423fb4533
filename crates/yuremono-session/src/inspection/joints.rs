//! Joints in the displayed pose: hinges, boxes, length limits and flags.

use super::{Inspection, SceneObject, ValueSummary};
use glam::{Quat, Vec3};
use std::collections::BTreeMap;
use yuremono_model::document::{ChainId, Joint, Node};
use yuremono_model::tools::length_limits;
use yuremono_sim::params::ParamId;
use yuremono_sim::rig::{BoneId, Pose, WorldPose};
use yuremono_sim::solver::anim_dynamics as body;
use yuremono_sim::{JointSetup, SolverKind, SystemSetup};

/// A hinge in the displayed pose.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HingeView {
    /// Position of the bone's head in world space, in metres.
    pub head: Vec3,
    /// World rotation of the bone before the hinge rotates it.
    pub rotation_before_hinge: Quat,
    /// Hinge axis in bone space, unit length.
    pub axis: Vec3,
    /// World direction from the head to the centre of mass at 0 degrees; along the bone if no centre of mass is set.
    pub zero_direction: Vec3,
    /// The parameters of the lower and the upper limit.
    pub limit_params: [ParamId; 2],
    /// Lower and upper limit in degrees; `None` if the solver has no limits.
    pub limits: Option<[f32; 2]>,
}

impl HingeView {
    /// Returns the hinge axis in world space, unit length.
    pub fn world_axis(self) -> Vec3 {
        self.rotation_before_hinge * self.axis
    }
}

/// The box of a body in the displayed pose.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoxView {
    /// Centre of the box in world space, in metres.
    pub center: Vec3,
    /// Rotation of the box in world space.
    pub rotation: Quat,
    /// Extents of the box as the solver uses them, in metres.
    pub extents: Vec3,
    /// Position of the joint in world space, in metres.
    pub joint_position: Vec3,
    /// Metres per unit of the parameters.
    pub world_scale: f32,
    /// Whether the joint, not the centre of the box, is at the bone.
    pub joint_on_bone: bool,
}

impl<'a> Inspection<'a> {
    fn setup_of_joint(self, bone: BoneId) -> Option<(&'a SystemSetup, &'a JointSetup)> {
        let index = self.playback.joint_index(bone)?;
        let setup = self.resolved.systems.get(index.system as usize)?;
        Some((setup, setup.joints.get(index.joint as usize)?))
    }

    /// Returns the resolved joint of a bone; `None` if the bone is not a joint.
    pub fn joint_setup(self, bone: BoneId) -> Option<&'a JointSetup> {
        Some(self.setup_of_joint(bone)?.1)
    }

    /// Returns the hinge of a bone; `None` if the bone is not a joint or its solver has no hinges.
    pub fn hinge(self, bone: BoneId) -> Option<HingeView> {
        let (setup, joint) = self.setup_of_joint(bone)?;
        let info = setup.solver.info();
        let hinge = info.hinge_params?;
        let get = |param| joint.values.get(param);
        let frame = self.playback.displayed_pose().frames.get(bone.index())?;
        let skeleton = &self.resolved.skeleton;
        let above = skeleton.get_parent(bone).and_then(|p| self.playback.displayed_pose().frames.get(p.index()));
        let unturned = above.map_or(Quat::IDENTITY, |frame| frame.rotation) * self.playback.animated_rotation(bone)?;
        let center = info.center_of_mass_params.map_or(Vec3::ZERO, |params| Vec3::from(params.map(get)));
        let [low, high] = hinge.limits;
        // The solver swaps reversed limits.
        let rows = if get(low) <= get(high) { [low, high] } else { [high, low] };
        Some(HingeView {
            head: frame.position,
            rotation_before_hinge: unturned,
            axis: Vec3::from(hinge.axis.map(get)).normalize_or(Vec3::X),
            zero_direction: unturned * if center == Vec3::ZERO { Vec3::Y } else { center },
            limit_params: rows,
            limits: (hinge.has_limits)(&setup.values).then(|| rows.map(get)),
        })
    }

    /// Returns the box of a bone; `None` if the bone is not a joint or uses another solver.
    pub fn body_box(self, bone: BoneId) -> Option<BoxView> {
        let (setup, joint) = self.setup_of_joint(bone).filter(|(setup, _)| setup.solver == SolverKind::AnimDynamics)?;
        let get = |param| joint.values.get(param);
        let frame = self.playback.displayed_pose().frames.get(bone.index())?;
        let size = body::mean_scale(frame);
        let offset = frame.rotation * Vec3::from(body::LOCAL_JOINT_OFFSET.map(get)) * size;
        let joint_on_bone = setup.values.get(body::BODY_ORIGIN) >= 0.5;
        let (center, joint) = if joint_on_bone { (-offset, Vec3::ZERO) } else { (Vec3::ZERO, offset) };
        Some(BoxView {
            center: frame.position + center,
            rotation: frame.rotation,
            extents: Vec3::from(body::BOX_EXTENTS.map(get)).max(Vec3::splat(body::MIN_BOX_SIDE)) * size,
            joint_position: frame.position + joint,
            world_scale: size,
            joint_on_bone,
        })
    }
}

/// A node to which tuned joints have length limits.
#[derive(Clone, Debug, PartialEq)]
pub struct LengthTargetView {
    pub node: Node,
    pub name: String,
    /// Number of tuned joints with a length limit to the node.
    pub joints: usize,
    /// Rest-pose distance to the tip of the active joint, or of the first linked joint, in metres.
    pub rest_distance: Option<f32>,
    /// The same distance in the displayed pose, in metres.
    pub current_distance: Option<f32>,
    /// The stiffness that overrides the joint's own value, in 1/s²; `None` if there is no override.
    pub constant: Option<f32>,
}

impl Inspection<'_> {
    /// Returns the nodes to which tuned joints have length limits.
    pub fn length_targets(self) -> Vec<LengthTargetView> {
        let mut found: Vec<(LengthTargetView, BoneId)> = Vec::new();
        let mut places: BTreeMap<Node, usize> = BTreeMap::new();
        for (_, joint, ..) in self.target_joints() {
            let is_active = self.selection.active == Some(joint.bone);
            for target in &joint.length_targets {
                let at = *places.entry(target.node).or_insert_with(|| {
                    let name = self.node_name(target.node).to_owned();
                    let constant = target.constant;
                    let view = LengthTargetView {
                        node: target.node,
                        name,
                        joints: 0,
                        rest_distance: None,
                        current_distance: None,
                        constant,
                    };
                    found.push((view, joint.bone));
                    found.len() - 1
                });
                found[at].0.joints += 1;
                if is_active {
                    found[at].1 = joint.bone;
                    found[at].0.constant = target.constant;
                }
            }
        }
        if found.is_empty() {
            return Vec::new();
        }
        let skeleton = &self.resolved.skeleton;
        let rest = WorldPose::from_pose(skeleton, &Pose::rest(skeleton));
        let measured = |(mut view, bone): (LengthTargetView, BoneId)| {
            view.rest_distance =
                self.playback.tip_position(&rest, bone).and_then(|tip| self.distance(tip, view.node, &rest));
            view.current_distance = self
                .playback
                .displayed_tip(bone)
                .and_then(|tip| self.distance(tip, view.node, self.playback.displayed_pose()));
            view
        };
        found.into_iter().map(measured).collect()
    }

    fn distance(self, tip: Vec3, node: Node, pose: &WorldPose) -> Option<f32> {
        let bone = self.resolved_bone(node)?;
        pose.frames.get(bone.index()).map(|frame| frame.position.distance(tip))
    }

    /// Returns the selected joints, and all selected nodes including helpers.
    pub(crate) fn selected_link_nodes(self) -> (Vec<(ChainId, BoneId)>, Vec<Node>) {
        let bones = &self.selection.bones;
        let joints = bones.iter().filter_map(|b| self.resolved.joint_by_bone.get(b).map(|(id, _)| (*id, *b))).collect();
        let helpers = self.selection.objects.iter().filter_map(|item| match item {
            SceneObject::Helper(id) => Some(Node::Helper(*id)),
            SceneObject::Collider(_) | SceneObject::Force(_) => None,
        });
        (joints, bones.iter().map(|b| Node::Bone(*b)).chain(helpers).collect())
    }

    /// Returns whether the selected joints can be linked to other selected nodes.
    pub fn can_link_lengths(self) -> bool {
        let (joints, nodes) = self.selected_link_nodes();
        length_limits::can_add_length_targets(self.document, &joints, &nodes)
    }

    /// Returns the active bone if other selected joints can be linked to it.
    pub fn linkable_active_bone(self) -> Option<BoneId> {
        let active = self.selection.active?;
        let (mut joints, _) = self.selected_link_nodes();
        joints.retain(|j| j.1 != active);
        length_limits::can_add_length_targets(self.document, &joints, &[Node::Bone(active)]).then_some(active)
    }

    /// Returns whether the tuned joints are simulated, and whether they are flagged as animated, as 0 or 1.
    pub fn joint_flags(self) -> [ValueSummary; 2] {
        let of = |flag: fn(&Joint) -> bool| {
            ValueSummary::of(self.target_joints().map(|(_, joint, ..)| f32::from(u8::from(flag(joint)))))
        };
        [of(|j| j.enabled), of(|j| j.animated)]
    }
}
