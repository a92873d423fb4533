//! The relaxed pose: arms at the sides of the body in place of a T-pose or an A-pose.
//!
//! The rest pose of most files has raised arms, which long hair would intersect. The pose is computed from directions in
//! world space, so local axes and the facing of the character do not matter. Arms that already hang stay unchanged. Wide
//! sleeves keep the arms further away from the body.

use super::skinning::for_each_weighted_vertex;
use crate::rig::{BoneId, Character, Facing, WorldPose};
use glam::{Quat, Vec3};

/// An upper arm within this angle from straight down already hangs, in radians.
const HANGING_ANGLE: f32 = 0.6;
/// Smallest and largest angle of a relaxed upper arm from straight down, outwards, in degrees.
const SPREAD_DEGREES: [u8; 2] = [8, 28];
/// Radius of the thigh with a gap, as a share of the length of the leg.
const THIGH_CLEARANCE: f32 = 0.11;
/// Least distance from the thigh to the middle of the hand, as a share of the length of the leg.
const HAND_CLEARANCE: f32 = 0.06;
/// Minimum share of the weight of a vertex that follows the forearm.
const FOREARM_WEIGHT: f32 = 0.5;
/// Forward slopes of the upper arm, the forearm and the hand. A negative slope points back.
const SLOPES: [f32; 3] = [-0.05, 0.2, 0.26];
/// Outward angle of the forearm and the hand, as a share of the angle of the upper arm.
const LOWER_SPREAD: [f32; 2] = [0.5, 0.25];
/// Curl of the joints of a relaxed finger, in radians, from the palm to the fingertip.
const FINGER_CURL: [f32; 3] = [0.22, 0.4, 0.25];
/// Additional curl of the first joint from the index finger to the little finger, in radians for each finger.
const FINGER_CURL_STEP: f32 = 0.07;
/// Fingers that bend more than this angle in the rest pose are left unchanged, in radians.
const STRAIGHT_FINGER: f32 = 0.35;

/// The sides of the body: the word in role names, and the sign of the direction away from the body.
const SIDES: [(&str, f32); 2] = [("left", 1.0), ("right", -1.0)];
const FINGERS: [&str; 4] = ["Index", "Middle", "Ring", "Little"];
const FINGER_JOINTS: [&str; 3] = ["Proximal", "Intermediate", "Distal"];

/// Returns the local rotations of the bones that leave their rest pose. The list is empty if the character has no arms
/// by role, or if its arms already hang.
pub(super) fn relaxed_rotations(character: &Character, rest: &WorldPose) -> Vec<(BoneId, Quat)> {
    let mut relaxer = Relaxer { character, rest, left: left_of_body(character, rest), rotations: Vec::new() };
    for (side, sign) in SIDES {
        let _ = relaxer.relax_arm(side, sign);
    }
    relaxer.rotations.retain(|(_, rotation)| rotation.is_finite());
    relaxer.rotations
}

/// Returns the direction to the character's left: along the shoulders, else by the facing.
fn left_of_body(character: &Character, rest: &WorldPose) -> Vec3 {
    let shoulder = |role| position(character, rest, role);
    let measured = shoulder("leftUpperArm").zip(shoulder("rightUpperArm")).and_then(|(left, right)| {
        let across = left - right;
        Vec3::new(across.x, 0.0, across.z).try_normalize()
    });
    measured.unwrap_or(match character.facing {
        Facing::PlusZ => Vec3::X,
        Facing::MinusZ => Vec3::NEG_X,
    })
}

/// Returns the bone of a role, unless the role names a bone that the skeleton does not have.
fn bone(character: &Character, role: &str) -> Option<BoneId> {
    character.humanoid.bone(role).filter(|bone| bone.index() < character.skeleton.len())
}

fn position(character: &Character, rest: &WorldPose, role: &str) -> Option<Vec3> {
    bone(character, role).map(|bone| rest.frame(bone).position)
}

struct Relaxer<'a> {
    character: &'a Character,
    rest: &'a WorldPose,
    /// Unit vector to the character's left.
    left: Vec3,
    rotations: Vec<(BoneId, Quat)>,
}

impl Relaxer<'_> {
    fn position(&self, role: &str) -> Option<Vec3> {
        position(self.character, self.rest, role)
    }

    /// Lowers an arm. Returns `None` if the arm lacks a bone or already hangs.
    fn relax_arm(&mut self, side: &str, sign: f32) -> Option<()> {
        let role = |name: &str| format!("{side}{name}");
        let [shoulder, elbow] = [self.position(&role("UpperArm"))?, self.position(&role("LowerArm"))?];
        let upper = elbow - shoulder;
        if upper.try_normalize()?.angle_between(Vec3::NEG_Y) < HANGING_ANGLE {
            return None;
        }
        let hand = self.position(&role("Hand"));
        let lower = hand.map_or(Vec3::ZERO, |hand| hand - elbow);
        let (outward, forward) = (self.left * sign, self.left.cross(Vec3::Y));
        let sleeve = self.sleeve_radius(&role("LowerArm"), lower, outward).unwrap_or_default();
        let spread = self.spread(side, outward, [upper.length(), lower.length()], sleeve);
        let direction =
            |spread: f32, slope: f32| Vec3::NEG_Y * libm::cosf(spread) + outward * libm::sinf(spread) + forward * slope;

        let mut turn = Quat::IDENTITY;
        self.point_bone(&role("UpperArm"), upper, direction(spread, SLOPES[0]), &mut turn);
        self.point_bone(&role("LowerArm"), lower, direction(spread * LOWER_SPREAD[0], SLOPES[1]), &mut turn);
        let knuckle = self.position(&role("MiddleProximal")).zip(hand).map_or(Vec3::ZERO, |(end, hand)| end - hand);
        self.point_bone(&role("Hand"), knuckle, direction(spread * LOWER_SPREAD[1], SLOPES[2]), &mut turn);
        self.curl_fingers(side, sign, turn)
    }

    /// Returns the smallest outward angle at which the hand and the sleeve clear the leg, in radians. `lengths` are the
    /// lengths of the upper arm and the forearm.
    fn spread(&self, side: &str, outward: Vec3, lengths: [f32; 2], sleeve: f32) -> f32 {
        let leg = |name: &str| self.position(&format!("{side}{name}"));
        let [low, high] = SPREAD_DEGREES;
        let legs = leg("UpperLeg").zip(leg("Foot")).zip(leg("UpperArm"));
        let gap = legs.map_or(0.0, |((hip, foot), shoulder)| {
            let length = hip.distance(foot);
            (hip - shoulder).dot(outward) + THIGH_CLEARANCE * length + sleeve.max(HAND_CLEARANCE * length)
        });
        let reach = |spread: f32| lengths[0] * libm::sinf(spread) + lengths[1] * libm::sinf(spread * LOWER_SPREAD[0]);
        let mut angles = (low..=high).map(|degrees| f32::from(degrees).to_radians());
        angles.clone().find(|spread| reach(*spread) >= gap).or(angles.next_back()).unwrap_or_default()
    }

    /// Returns the radius of the meshes around a forearm, in metres. A part that hangs down does not count, because it
    /// falls into another place when the arm is lowered. `along` is the direction of the forearm.
    fn sleeve_radius(&self, role: &str, along: Vec3, outward: Vec3) -> Option<f32> {
        let forearm = bone(self.character, role)?;
        let mut follows = vec![false; self.character.skeleton.len()];
        for id in self.character.skeleton.ids() {
            let parent = self.character.skeleton.parent(id).is_some_and(|parent| follows[parent.index()]);
            follows[id.index()] = id == forearm || (parent && self.character.humanoid.role(id).is_none());
        }
        let elbow = self.rest.frame(forearm).position;
        // The direction that points away from the body when the arm hangs.
        let away = Quat::from_rotation_arc(Vec3::NEG_Y, along.try_normalize()?) * outward;
        let mut extent = [0.0_f32; 2];
        for_each_weighted_vertex(self.character, self.rest, &follows, |vertex, weight| {
            let height = (vertex - elbow).dot(away);
            if weight >= FOREARM_WEIGHT && height.is_finite() {
                extent = [extent[0].max(height), extent[1].max(-height)];
            }
        });
        Some(extent[0].min(extent[1]))
    }

    /// Rotates a bone so that `along`, a direction of the rest pose, points to `direction`. `turn` is the rotation of
    /// the parent away from its rest pose, and becomes the rotation of the bone. A direction of length zero rotates
    /// nothing.
    fn point_bone(&mut self, role: &str, along: Vec3, direction: Vec3, turn: &mut Quat) {
        let (Some(from), Some(to)) = ((*turn * along).try_normalize(), direction.try_normalize()) else { return };
        self.rotate_bone(role, Quat::from_rotation_arc(from, to), turn);
    }

    /// Rotates a bone by a rotation in world space, on top of the rotation of its parent. Updates `turn` like
    /// [`Self::point_bone`].
    fn rotate_bone(&mut self, role: &str, by: Quat, turn: &mut Quat) {
        let Some(bone) = bone(self.character, role) else { return };
        let parent = self.character.skeleton.parent(bone);
        let parent_rotation = *turn * parent.map_or(Quat::IDENTITY, |parent| self.rest.frame(parent).rotation);
        *turn = (by * *turn).normalize();
        let local = parent_rotation.inverse() * *turn * self.rest.frame(bone).rotation;
        self.rotations.push((bone, local.normalize()));
    }

    /// Curls straight fingers towards the palm. `turn` is the rotation of the hand away from its rest pose.
    fn curl_fingers(&mut self, side: &str, sign: f32, turn: Quat) -> Option<()> {
        let at = |finger: &str, joint: &str| self.position(&format!("{side}{finger}{joint}"));
        let hand = self.position(&format!("{side}Hand"))?;
        let (index, little) = (at("Index", "Proximal")? - hand, at("Little", "Proximal")? - hand);
        let palm = (little.cross(index) * sign).try_normalize()?;
        for (number, finger) in FINGERS.iter().enumerate() {
            let place = |joint: &str| self.position(&format!("{side}{finger}{joint}"));
            let Some((base, middle)) = place("Proximal").zip(place("Intermediate")) else { continue };
            let bend = (base - hand).angle_between(middle - base);
            let axis = (middle - base).cross(palm).try_normalize();
            let Some(axis) = axis.filter(|_| bend < STRAIGHT_FINGER) else { continue };
            let mut turn = turn;
            let axis = turn * axis;
            for (joint, curl) in FINGER_JOINTS.iter().zip(FINGER_CURL) {
                let more = if *joint == "Proximal" { FINGER_CURL_STEP * number as f32 } else { 0.0 };
                let by = Quat::from_axis_angle(axis, curl + more);
                self.rotate_bone(&format!("{side}{finger}{joint}"), by, &mut turn);
            }
        }
        Some(())
    }
}
