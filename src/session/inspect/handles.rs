//! Hinges and boxes of joints as they stand now, to be drawn and held.

use super::Session;
use crate::doc::tune;
use crate::doc::{Edit, Label};
use crate::rig::BoneId;
use crate::schema::Row;
use crate::sim::solver::{anim_dynamics as body, hinge};
use crate::sim::{JointSetup, SolverKind, SystemSetup, TipForces};
use glam::{Quat, Vec3};

/// A hinge as it stands now.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HingeView {
    /// Metres in the world.
    pub head: Vec3,
    /// The bone in the world, had the hinge not turned it.
    pub unturned: Quat,
    /// In the bone's space, unit length.
    pub axis: Vec3,
    /// From the head to the centre of mass at 0 degrees, in the world; along the bone where there is none.
    pub zero: Vec3,
    /// Rows of the lower and the upper limit.
    pub rows: [Row; 2],
    /// Degrees; `None` where the listing knows no limits.
    pub limits: Option<[f32; 2]>,
}

impl HingeView {
    /// The axis in the world, unit length.
    pub fn axle(&self) -> Vec3 {
        self.unturned * self.axis
    }
}

/// The box of a body as it stands now.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoxView {
    /// Its middle, metres in the world.
    pub center: Vec3,
    /// Of its sides.
    pub rotation: Quat,
    /// As the solver takes them, metres in the world.
    pub sides: Vec3,
    /// Where it hangs, metres in the world.
    pub joint: Vec3,
    /// Metres in the world for one of its numbers.
    pub size: f32,
    /// Its joint stands on the bone, and not its middle.
    pub joint_on_bone: bool,
}

impl Session {
    fn setup_under(&self, bone: BoneId, solver: SolverKind) -> Option<(&SystemSetup, &JointSetup)> {
        let index = self.joint_index(bone)?;
        let setup = self.resolved.systems.get(index.system as usize).filter(|s| s.solver == solver)?;
        Some((setup, setup.joints.get(index.joint as usize)?))
    }

    /// What acts on the tip of a bone's joint now, by its solver's rule; `None` for a bone without joint.
    pub fn tip_forces(&self, bone: BoneId) -> Option<TipForces> {
        let index = self.joint_index(bone)?;
        let setup = self.resolved.systems.get(index.system as usize)?;
        self.play.world().tip_forces(index, setup, 1.0 / self.play.players_rate() as f32)
    }

    /// The hinge of a bone; `None` where nothing or another solver moves it.
    pub fn hinge(&self, bone: BoneId) -> Option<HingeView> {
        let (setup, joint) = self.setup_under(bone, SolverKind::Hinge)?;
        let get = |row| joint.values.get(row);
        let frame = self.shown().frames.get(bone.index())?;
        let skeleton = &self.resolved.skeleton;
        let above = skeleton.parent_of(bone).and_then(|p| self.shown().frames.get(p.index()));
        let unturned = above.map_or(Quat::IDENTITY, |frame| frame.rotation) * self.play.animated(bone)?;
        let center = Vec3::from(hinge::CENTER_AT.map(get));
        let (low, high) = (hinge::MIN_ANGLE, hinge::MAX_ANGLE);
        // As the solver takes them.
        let rows = if get(low) <= get(high) { [low, high] } else { [high, low] };
        let limited = setup.values.get(hinge::VARIANT) >= 0.5;
        Some(HingeView {
            head: frame.position,
            unturned,
            axis: Vec3::from(hinge::AXIS_OF.map(get)).normalize_or(Vec3::X),
            zero: unturned * if center == Vec3::ZERO { Vec3::Y } else { center },
            rows,
            limits: limited.then(|| rows.map(get)),
        })
    }

    /// The box on a bone; `None` where nothing or another solver moves it.
    pub fn body_box(&self, bone: BoneId) -> Option<BoxView> {
        let (setup, joint) = self.setup_under(bone, SolverKind::AnimDynamics)?;
        let get = |row| joint.values.get(row);
        let frame = self.shown().frames.get(bone.index())?;
        let size = body::size(frame);
        let offset = frame.rotation * Vec3::from(body::LOCAL_JOINT_OFFSET.map(get)) * size;
        let joint_on_bone = setup.values.get(body::BODY_AT) >= 0.5;
        let (center, joint) = if joint_on_bone { (-offset, Vec3::ZERO) } else { (Vec3::ZERO, offset) };
        Some(BoxView {
            center: frame.position + center,
            rotation: frame.rotation,
            sides: Vec3::from(body::BOX_EXTENTS.map(get)).max(Vec3::splat(body::LEAST_SIDE)) * size,
            joint: frame.position + joint,
            size,
            joint_on_bone,
        })
    }

    /// One edit that writes several rows of what is tuned, under one name.
    pub fn set_rows(&self, what: &'static str, rows: &[(Row, f32)]) -> (Edit, Label) {
        let targets = self.targets();
        let skeleton = &self.character.skeleton;
        let edits = rows.iter().map(|(row, value)| tune::set(&self.document, skeleton, &targets, *row, *value));
        (Edit::Batch(edits.collect()), Label::new(what, targets.joint_count(&self.document)))
    }
}
