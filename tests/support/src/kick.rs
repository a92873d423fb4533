//! Kicks one bone and compares its motion with the response model of the solver.

use glam::{Quat, Vec3};
use yuremono_sim::linear_spring::{LinearRecurrence, SpringFeel};
use yuremono_sim::math::Trs;
use yuremono_sim::params::ParamSet;
use yuremono_sim::rig::{Bone, BoneId, Pose, Skeleton};
use yuremono_sim::{JointIndex, JointSetup, ResponseInput, SolverKind, StepInput, SystemSetup, TipSetup, World};

/// The kicked bone.
pub const JOINT: JointIndex = JointIndex { system: 0, joint: 0 };

/// Angle of the kick about X in degrees, small enough for the linear response that the formulas assume.
const KICK_DEGREES: f32 = 2.0;
/// Smallest measurable swing in metres. Smaller movements are rounding errors.
const MIN_SWING: f64 = 2e-6;
/// Relative tolerance of frequency and damping.
const TOLERANCE: f32 = 0.03;
/// Smaller damping ratios are compared as this ratio, because rounding alone damps every swing.
const MIN_DAMPING_RATIO: f32 = 0.01;

/// A bone whose parent is one metre above the ground, its parameters, and the settings of the measurement.
#[derive(Clone, Copy, Debug)]
pub struct Kick<'a> {
    pub solver: SolverKind,
    /// Parameters of the joint.
    pub joint_params: &'a ParamSet,
    /// Parameters of its system.
    pub system_params: &'a ParamSet,
    /// Distance from head to tip in metres.
    pub bone_length: f32,
    /// Duration of a frame in seconds.
    pub frame_seconds: f32,
    /// Duration of a solver step in seconds. A frame must have at most one step.
    pub step_seconds: f32,
    /// Number of observed steps.
    pub step_count: usize,
}

impl<'a> Kick<'a> {
    /// Creates a kick with the step duration of the solver.
    pub fn new(solver: SolverKind, joint: &'a ParamSet, system: &'a ParamSet, frame: f32) -> Self {
        let step = solver.step_seconds(system, frame);
        Self {
            solver,
            joint_params: joint,
            system_params: system,
            bone_length: 0.1,
            frame_seconds: frame,
            step_seconds: step,
            step_count: 40,
        }
    }

    /// Returns the input of the response model.
    pub fn response_input(&self) -> ResponseInput<'a> {
        ResponseInput {
            joint_params: self.joint_params,
            system_params: self.system_params,
            bone_length: self.bone_length,
            carried_inertia: 0.0,
            frame_seconds: self.frame_seconds,
        }
    }

    /// Returns a world with the bone at rest, and its pose. Bone 0 is the parent, bone 1 the bone itself, and bone 2
    /// its tip.
    pub fn world(&self) -> (World, Pose) {
        let bone = |parent: Option<u32>, y: f32| Bone {
            name: format!("{y}"),
            parent: parent.map(BoneId),
            rest: Trs::from_translation(Vec3::Y * y),
        };
        let bones = vec![bone(None, 1.0), bone(Some(0), 0.0), bone(Some(1), -self.bone_length)];
        let skeleton = Skeleton::new(bones).expect("parents first");
        let joint = JointSetup {
            bone: BoneId(1),
            tip: TipSetup::Bones(vec![BoneId(2)]),
            values: self.joint_params.clone(),
            tip_values: Vec::new(),
            pivot: None,
            length_targets: Vec::new(),
            colliders: Vec::new(),
            chain: 0,
            enabled: true,
            animated: false,
        };
        let setup = SystemSetup { joints: vec![joint], ..SystemSetup::new(self.solver, self.system_params.clone()) };
        (World::build(&skeleton, &[setup]), Pose::rest(&skeleton))
    }

    /// Measures the response: kicks the bone, lets it swing, and fits a recurrence.
    pub fn measured_feel(&self) -> SpringFeel {
        let (mut world, pose) = self.world();
        let frame = |world: &mut World| world.step(&StepInput { pose: &pose, grab: None, dt: self.frame_seconds });
        // In some solvers, the first frame differs from later frames.
        frame(&mut world);
        let head = world.frames().frame(BoneId(1)).position;
        let along = world.tip(JOINT).expect("a joint") - head;
        let kicked = head + Quat::from_rotation_x(KICK_DEGREES.to_radians()) * along;
        world.set_tip(JOINT, kicked, kicked);
        let mut swing = vec![sideways_offset(&world)];
        for _ in 0..8 * self.step_count {
            let before = world.tip(JOINT);
            frame(&mut world);
            // A frame may be too short to contain a step.
            if world.tip(JOINT) != before {
                swing.push(sideways_offset(&world));
            }
            if swing.len() > self.step_count || swing.last().is_some_and(|z| z.abs() < MIN_SWING) {
                break;
            }
        }
        fit_recurrence(&swing).to_feel(self.step_seconds)
    }
}

/// Returns the offset of the tip from its rest position along Z, in metres.
pub fn sideways_offset(world: &World) -> f64 {
    f64::from(world.tip(JOINT).expect("a joint").z)
}

/// Returns the recurrence with the least squared error over all steps of a swing: `y[n+1] = (1 + kept - pulled) y[n] -
/// kept y[n-1]`.
pub fn fit_recurrence(swing: &[f64]) -> LinearRecurrence {
    let (mut aa, mut ab, mut bb, mut ac, mut bc) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for y in swing.windows(3) {
        let (a, b, c) = (y[1], -y[0], y[2]);
        (aa, ab, bb, ac, bc) = (aa + a * a, ab + a * b, bb + b * b, ac + a * c, bc + b * c);
    }
    let determinant = aa * bb - ab * ab;
    let (turn, kept) = ((ac * bb - bc * ab) / determinant, (aa * bc - ab * ac) / determinant);
    LinearRecurrence { velocity_retention: kept, offset_removed: 1.0 + kept - turn, displacement_added: 0.0 }
}

/// Compares the response model of the solver with the motion of a kicked bone.
#[track_caller]
pub fn check_response(kick: &Kick<'_>) {
    let reported = kick.solver.response(&kick.response_input());
    let found = kick.measured_feel();
    let speed = (found.frequency_hz / reported.frequency_hz - 1.0).abs();
    let settle = (found.damping_ratio - reported.damping_ratio).abs() / reported.damping_ratio.max(MIN_DAMPING_RATIO);
    assert!(
        speed < TOLERANCE && settle < TOLERANCE,
        "with frames of {} s, measured {} Hz and {}, reported {} Hz and {}",
        kick.frame_seconds,
        found.frequency_hz,
        found.damping_ratio,
        reported.frequency_hz,
        reported.damping_ratio
    );
}

/// Returns the defaults of a parameter table, with changes.
pub fn params_with(
    table: &[yuremono_sim::params::ParamDef],
    values: &[(yuremono_sim::params::ParamId, f32)],
) -> ParamSet {
    let mut set = ParamSet::defaults(table);
    for (param, value) in values {
        set.set(*param, *value);
    }
    set
}
