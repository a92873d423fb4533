//! One bone, kicked and watched: whether a solver's numbers sway as it says that they do.

use glam::{Quat, Vec3};
use yuremono::math::Trs;
use yuremono::rig::{Bone, BoneId, Pose, Skeleton};
use yuremono::schema::ParamSet;
use yuremono::sim::unify::{Feel, Linear};
use yuremono::sim::{JointIndex, JointSetup, Numbers, SolverKind, StepInput, SystemSetup, TipSetup, World};

/// The bone that is kicked.
pub(crate) const JOINT: JointIndex = JointIndex { system: 0, joint: 0 };

/// So small that the pull is as even as the formulas have it, degrees about X.
const KICK_DEG: f32 = 2.0;
/// What swings less is rounding, metres.
const STILL: f64 = 2e-6;
/// Frequency and damping may be off by this share.
const NEAR: f32 = 0.03;
/// Damping ratios below this are compared as if they were it: nothing swings for ever, by rounding alone.
const LEAST_RATIO: f32 = 0.01;

/// A bone that hangs from a root one metre above the ground, its numbers, and how it is watched.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kick<'a> {
    pub(crate) solver: SolverKind,
    /// Values of the joint.
    pub(crate) joint: &'a ParamSet,
    /// Values of its system.
    pub(crate) system: &'a ParamSet,
    /// From head to tip, metres.
    pub(crate) length: f32,
    /// Seconds that a frame lasts.
    pub(crate) frame: f32,
    /// Seconds that one step of the solver lasts in such frames, each of which must have one step at most.
    pub(crate) step: f32,
    /// How many steps are watched.
    pub(crate) samples: usize,
}

impl<'a> Kick<'a> {
    /// Whose steps last as long as the solver says.
    pub(crate) fn new(solver: SolverKind, joint: &'a ParamSet, system: &'a ParamSet, frame: f32) -> Self {
        let step = solver.step_seconds(system, frame);
        Self { solver, joint, system, length: 0.1, frame, step, samples: 40 }
    }

    /// What the solver is asked with.
    pub(crate) fn numbers(&self) -> Numbers<'a> {
        Numbers { joint: self.joint, system: self.system, length: self.length, carried: 0.0, frame: self.frame }
    }

    /// The bone at rest. Bone 0 is what it hangs from, bone 1 itself, bone 2 its tip.
    pub(crate) fn world(&self) -> (World, Pose) {
        let bone = |parent: Option<u32>, y: f32| Bone {
            name: format!("{y}"),
            parent: parent.map(BoneId),
            rest: Trs::from_translation(Vec3::Y * y),
        };
        let bones = vec![bone(None, 1.0), bone(Some(0), 0.0), bone(Some(1), -self.length)];
        let skeleton = Skeleton::new(bones).expect("parents first");
        let joint = JointSetup {
            bone: BoneId(1),
            tip: TipSetup::Bones(vec![BoneId(2)]),
            values: self.joint.clone(),
            pivot: None,
            length_targets: Vec::new(),
            colliders: Vec::new(),
            chain: 0,
            enabled: true,
            animated: false,
        };
        let setup = SystemSetup { joints: vec![joint], ..SystemSetup::new(self.solver, self.system.clone()) };
        (World::build(&skeleton, &[setup]), Pose::rest(&skeleton))
    }

    /// How the bone sways by itself: kicked, let go, and fitted.
    pub(crate) fn measured(&self) -> Feel {
        let (mut world, pose) = self.world();
        let frame = |world: &mut World| world.step(&StepInput { pose: &pose, hold: None, dt: self.frame });
        // Some engines' first frame is unlike the others.
        frame(&mut world);
        let head = world.frames().frame(BoneId(1)).position;
        let along = world.tip(JOINT).expect("a joint") - head;
        let kicked = head + Quat::from_rotation_x(KICK_DEG.to_radians()) * along;
        world.place_tip(JOINT, kicked, kicked);
        let mut swing = vec![sideways(&world)];
        for _ in 0..8 * self.samples {
            let before = world.tip(JOINT);
            frame(&mut world);
            // A frame may be too short for a step.
            if world.tip(JOINT) != before {
                swing.push(sideways(&world));
            }
            if swing.len() > self.samples || swing.last().is_some_and(|z| z.abs() < STILL) {
                break;
            }
        }
        fit(&swing).to_feel(self.step)
    }
}

/// How far the tip is to the side of where it hangs, metres along Z.
pub(crate) fn sideways(world: &World) -> f64 {
    f64::from(world.tip(JOINT).expect("a joint").z)
}

/// The recurrence that fits a swing best, by least squares over all its steps:
/// `y[n+1] = (1 + kept - pulled) y[n] - kept y[n-1]`.
pub(crate) fn fit(swing: &[f64]) -> Linear {
    let (mut aa, mut ab, mut bb, mut ac, mut bc) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for y in swing.windows(3) {
        let (a, b, c) = (y[1], -y[0], y[2]);
        (aa, ab, bb, ac, bc) = (aa + a * a, ab + a * b, bb + b * b, ac + a * c, bc + b * c);
    }
    let determinant = aa * bb - ab * ab;
    let (turn, kept) = ((ac * bb - bc * ab) / determinant, (aa * bc - ab * ac) / determinant);
    Linear { kept, pulled: 1.0 + kept - turn, pushed: 0.0 }
}

/// Holds what the solver says of the numbers against what a kicked bone does with them.
#[track_caller]
pub(crate) fn check(kick: &Kick<'_>) {
    let said = kick.solver.sway(&kick.numbers());
    let found = kick.measured();
    let speed = (found.frequency_hz / said.frequency_hz - 1.0).abs();
    let settle = (found.damping_ratio - said.damping_ratio).abs() / said.damping_ratio.max(LEAST_RATIO);
    assert!(
        speed < NEAR && settle < NEAR,
        "in frames of {} s it sways with {} Hz and {}, not with {} Hz and {} as it says",
        kick.frame,
        found.frequency_hz,
        found.damping_ratio,
        said.frequency_hz,
        said.damping_ratio
    );
}

/// A table's defaults but for these.
pub(crate) fn with(table: &[yuremono::schema::ParamDef], values: &[(yuremono::schema::Row, f32)]) -> ParamSet {
    let mut set = ParamSet::defaults(table);
    for (row, value) in values {
        set.set(*row, *value);
    }
    set
}
