//! Measures joints against their limits in the same way as their solvers.

use crate::presets::all_properties;
use crate::support::{sample, stride};
use glam::Vec3;
use std::collections::BTreeSet;
use yuremono_format::builtin_presets::builtin_presets;
use yuremono_model::document::param_edits::EditTargets;
use yuremono_model::document::{ChainId, Document, ResolvedDocument};
use yuremono_model::feel::{preset::Preset, preset::preset_edit};
use yuremono_sim::rig::{BoneId, Pose, Skeleton, WorldPose};
use yuremono_sim::solver::{kawaii, spring_bone};
use yuremono_sim::{JointIndex, SolverKind, StepInput, SwingLimit, SwingShape, World};

/// The angle beyond a limit that rounding may cause, in degrees.
pub(crate) const TOLERANCE_DEG: f32 = 0.5;

const DT: f32 = 1.0 / 60.0;

/// A joint with an angle limit.
#[derive(Clone, Debug)]
pub(crate) struct LimitedJoint {
    joint: JointIndex,
    limit: JointLimit,
}

#[derive(Clone, Debug)]
enum JointLimit {
    /// The two limits of `UnityChan` as angle ranges in degrees about the pivot's Z and Y, measured from its X.
    PivotLimits { pivot: BoneId, ranges_deg: [Option<(f32, f32)>; 2] },
    /// VRM's cone around the rest direction in the space of the parent, in degrees.
    Cone { parent: Option<BoneId>, rest_direction: Vec3, angle_deg: f32 },
    /// The cone of KawaiiPhysics around the direction of the animated pose, in degrees.
    PoseCone { angle_deg: f32 },
}

/// Returns all joints of a document that have a limit.
pub(crate) fn limited_joints(resolved: &ResolvedDocument) -> Vec<LimitedJoint> {
    let mut all = Vec::new();
    for (system, setup) in resolved.systems.iter().enumerate() {
        for (at, joint) in setup.joints.iter().enumerate() {
            let rule = match setup.solver {
                SolverKind::UnityChanSpringBone => fan_limit(setup, at),
                SolverKind::Vrm => setup.vrm.get(at).and_then(|vrm| vrm.limit).map(|limit| {
                    let SwingShape::Cone { angle } = limit.shape else { panic!("only cones are laid here") };
                    let parent = resolved.skeleton.get_parent(joint.bone);
                    // [`LimitedJoint::with_rest_direction`] sets the direction from the world.
                    JointLimit::Cone { parent, rest_direction: Vec3::ZERO, angle_deg: angle.to_degrees() }
                }),
                SolverKind::KawaiiPhysics => {
                    let most = joint.values.get(kawaii::params::LIMIT_ANGLE);
                    (most > 0.0).then_some(JointLimit::PoseCone { angle_deg: most })
                }
                _ => None,
            };
            let joint = JointIndex { system: system as u32, joint: at as u32 };
            all.extend(rule.map(|rule| LimitedJoint { joint, limit: rule }));
        }
    }
    all
}

fn fan_limit(setup: &yuremono_sim::SystemSetup, at: usize) -> Option<JointLimit> {
    use spring_bone::{Y_ACTIVE, Y_MAX, Y_MIN, Z_ACTIVE, Z_MAX, Z_MIN};
    let joint = &setup.joints[at];
    let number = |param| joint.values.get(param);
    let end = |on, min, max| (number(on) > 0.0).then(|| (number(min), number(max)));
    let ends = [end(Y_ACTIVE, Y_MIN, Y_MAX), end(Z_ACTIVE, Z_MIN, Z_MAX)];
    let pivot = || joint.pivot.expect("a limit has a frame");
    ends.iter().any(Option::is_some).then(|| JointLimit::PivotLimits { pivot: pivot(), ranges_deg: ends })
}

impl LimitedJoint {
    /// Sets the rest direction of a cone from the world.
    pub(crate) fn with_rest_direction(mut self, world: &World, skeleton: &Skeleton) -> Self {
        if let JointLimit::Cone { rest_direction: aim, .. } = &mut self.limit {
            let bone = world.joint_bone(self.joint).expect("a joint");
            let axis = world.tip_offset(self.joint).expect("a joint").normalize();
            *aim = skeleton.bones()[bone.index()].rest.rotation * axis;
        }
        self
    }

    /// Returns how far the joint is beyond its limit, in degrees; the result is 0 or negative within the limit. `posed`
    /// is the animated pose, which only the limits of KawaiiPhysics use.
    pub(crate) fn degrees_beyond_limit(&self, world: &World, posed: Option<&WorldPose>) -> f32 {
        let bone = world.joint_bone(self.joint).expect("a joint");
        let offset = world.tip(self.joint).expect("a joint") - world.frames().frame(bone).position;
        match &self.limit {
            JointLimit::PivotLimits { pivot, ranges_deg: ends } => {
                let d = world.frames().frame(*pivot).rotation.inverse() * offset;
                let angles = [-d.y, -d.z].map(|side| libm::atan2f(side, d.x).to_degrees());
                let beyond = |(angle, ends): (f32, &Option<(f32, f32)>)| {
                    ends.map_or(f32::NEG_INFINITY, |(min, max)| (min - angle).max(angle - max))
                };
                angles.into_iter().zip(ends).map(beyond).fold(f32::NEG_INFINITY, f32::max)
            }
            JointLimit::Cone { parent, rest_direction: aim, angle_deg: most } => {
                let turn = parent.map_or(glam::Quat::IDENTITY, |parent| world.frames().frame(parent).rotation);
                offset.angle_between(turn * *aim).to_degrees() - most
            }
            JointLimit::PoseCone { angle_deg: most } => {
                let frame = posed.expect("this limit needs the pose").frame(bone);
                let wanted = frame.transform_point(world.tip_offset(self.joint).expect("a joint")) - frame.position;
                offset.angle_between(wanted).to_degrees() - most
            }
        }
    }

    pub(crate) fn bone_name<'w>(&self, world: &'w World) -> &'w str {
        world.skeleton().name(world.joint_bone(self.joint).expect("a joint"))
    }
}

/// Sets VRM cone limits to the maximum angle of a preset, because a preset cannot set VRM limits.
pub(crate) fn set_cone_limits(document: &mut Document, chains: &[ChainId], preset: &Preset) {
    let Some(reach) = &preset.feel.max_angle else { return };
    let shape = SwingShape::Cone { angle: reach.base.to_radians() };
    for id in chains {
        let chain = document.chains.get_mut(id).expect("a chain");
        for joint in &mut chain.joints {
            joint.limit = Some(SwingLimit { shape, rotation: glam::Quat::IDENTITY });
        }
    }
}

/// Applies presets with a maximum angle to all chains of the bundled character, and plays the beginning of its motions.
/// By default, every second motion is played, see [`stride`]. Returns the largest excess beyond a limit in degrees, and
/// its joint and motion.
#[expect(clippy::print_stdout, reason = "how near joints come to their limits is worth reading")]
fn max_degrees_beyond_limit(solver: SolverKind) -> (f32, String) {
    let opened = sample(solver);
    let mut document = opened.document.clone();
    let tight: Vec<&Preset> = builtin_presets().iter().filter(|preset| preset.feel.max_angle.is_some()).collect();
    let ids: Vec<ChainId> = document.chains.keys().copied().collect();
    for (id, preset) in ids.iter().zip(tight.iter().cycle()) {
        let targets = EditTargets { chains: vec![*id], joints: Vec::new() };
        let step = preset_edit(&document, &opened.character.skeleton, &targets, preset, &all_properties(preset));
        document.apply(step).expect("a preset fits");
        if solver == SolverKind::Vrm {
            set_cone_limits(&mut document, &[*id], preset);
        }
    }
    let resolved = document.resolve(&opened.character.skeleton);
    let mut world = World::build(&resolved.skeleton, &resolved.systems);
    let held: Vec<LimitedJoint> = limited_joints(&resolved)
        .into_iter()
        .map(|held| held.with_rest_direction(&world, &resolved.skeleton))
        .collect();
    let joints: usize = document.chains.values().map(|chain| chain.joints.len()).sum();
    assert_eq!(held.len(), joints, "{solver:?}: every joint has a limit");
    let rest = Pose::rest(world.skeleton());
    let (mut worst, mut stopped) = ((f32::NEG_INFINITY, String::new()), BTreeSet::new());
    for clip in opened.character.clips.iter().step_by(stride(2)) {
        let mut pose = rest.clone();
        clip.sample(0.0, &mut pose);
        world.reset(&pose);
        for tick in 0..90 {
            pose.copy_from(&rest);
            clip.sample((tick as f32 * DT).rem_euclid(clip.duration), &mut pose);
            world.step(&StepInput { pose: &pose, grab: None, dt: DT });
            let posed = WorldPose::from_pose(world.skeleton(), &pose);
            for held in &held {
                let beyond = held.degrees_beyond_limit(&world, Some(&posed));
                assert!(!beyond.is_nan(), "{solver:?}: {} in {} at tick {tick}", held.bone_name(&world), clip.name);
                if beyond > -TOLERANCE_DEG {
                    stopped.insert(held.joint);
                }
                if beyond > worst.0 {
                    worst = (beyond, format!("{} in {} at tick {tick}", held.bone_name(&world), clip.name));
                }
            }
        }
    }
    println!("{}: {} of {joints} joints came to their limits, {worst:?}", solver.key(), stopped.len());
    assert!(2 * stopped.len() > joints, "{solver:?}: only {} of {joints} joints reach their limits", stopped.len());
    worst
}

#[test]
fn no_joint_exceeds_its_limit_in_any_motion_with_any_solver_that_has_limits() {
    for solver in [SolverKind::UnityChanSpringBone, SolverKind::Vrm, SolverKind::KawaiiPhysics] {
        let (beyond, place) = max_degrees_beyond_limit(solver);
        assert!(beyond < TOLERANCE_DEG, "{solver:?}: {beyond} degrees beyond the limit, {place}");
    }
}
