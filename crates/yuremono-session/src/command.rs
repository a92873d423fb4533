use super::bake::BakedMotion;
use super::comparison::{CompareLayout, CompareWith, SweepSettings};
use super::inspection::{ComponentTool, PresetApplication};
use super::messages::{Message, MessageId};
use super::playback::Motion;
use super::selection::{SceneObject, SelectMode, TuningScope};
use glam::Vec3;
use std::sync::Arc;
use yuremono_model::document::{
    ChainId, ChainPart, ColliderId, CurveDomain, Edit, EditLabel, GestureId, GestureSample, GroupId, MaterialId, Node,
    SystemId,
};
use yuremono_model::tools::swing_limits::SwingLimitKind;
use yuremono_sim::diagnostics::Diagnostic;
use yuremono_sim::diagnostics::MessageText;
use yuremono_sim::math::{Curve, RingCurve};
use yuremono_sim::params::ParamId;
use yuremono_sim::rig::{BoneId, Pose};
use yuremono_sim::{FeelParam, TestWind};

/// A change of a session.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// Writes a value to all targets, or to the tuned system for a parameter of system scope.
    SetParam(ParamId, f32),
    /// Writes several parameters of all targets as one undo step with this name.
    SetParams(MessageText, Vec<(ParamId, f32)>),
    /// Writes the base value of the given chains, whether they are selected or not. Skips chains that do not use the
    /// tuned solver.
    SetParamBase(Vec<ChainId>, ParamId, f32),
    ScaleParam(ParamId, f32),
    ResetParams(Vec<ParamId>),
    /// Writes the default values of the tuned solver.
    SetOriginalDefaults(Vec<ParamId>),
    /// Sets the curve of all target chains, or removes the curve if the value is `None`.
    SetParamCurve(ParamId, Option<Curve>),
    /// Sets the ring curve of the rings of all target chains, or removes the ring curve if the value is `None`.
    SetRingCurve(ParamId, Option<RingCurve>),
    /// Makes chains a ring, if they form one around the body. If some chains are in a ring, the others join this ring.
    MakeRing(Vec<ChainId>),
    /// Dissolves the rings of chains. The chains lose the ring curves.
    DissolveRing(Vec<ChainId>),
    /// Sets the curve domain of all target chains.
    SetCurveDomain(CurveDomain),
    /// Switches angle limits on or off with their `active` parameters. Creates a pivot for each joint without a pivot.
    SetLimitsEnabled(Vec<ParamId>, bool),
    /// Writes a feel parameter of all targets: the base value of chains, or the value of joints.
    SetFeel(FeelParam, f32),
    /// Writes the base value of a feel parameter of the given chains, whether they are selected or not.
    SetFeelBase(Vec<ChainId>, FeelParam, f32),
    ScaleFeel(FeelParam, f32),
    /// Restores the loaded value of a feel parameter.
    ResetFeel(FeelParam),
    /// Sets the curve of a feel parameter of all target chains, or removes the curve if the value is `None`.
    SetFeelCurve(FeelParam, Option<Curve>),
    /// Sets the curve by which a feel parameter is multiplied around the rings of all target chains, or removes the curve
    /// if the value is `None`.
    SetFeelRingCurve(FeelParam, Option<RingCurve>),
    /// Assigns colliders to all tuned joints if the flag is true, otherwise unassigns them.
    AssignColliders(Vec<ColliderId>, bool),
    /// Assigns a collider group to all tuned chains if the flag is true, otherwise unassigns the group. The text is the
    /// displayed name of the group.
    AssignGroup(GroupId, bool, String),
    /// Sets the center of all tuned chains. `None` is the world.
    SetCenter(Option<BoneId>),
    /// Sets the shape of colliders to the convex hull of a mesh (by index) around their bones. `None` restores their
    /// original shape.
    SetConvexHull(Vec<ColliderId>, Option<usize>),
    /// Assigns a material to all tuned chains. `None` copies the values of the material into each chain.
    SetMaterial(Option<MaterialId>),
    /// Creates a material with the values of the active chain and assigns it to all tuned chains.
    CreateMaterial,
    RenameMaterial(MaterialId, String),
    /// Deletes a material. Its chains keep the values.
    DeleteMaterial(MaterialId),
    /// Adds length limits between every selected joint and all other selected nodes, or only the active bone.
    AddLengthLimits {
        /// Whether only the active bone is linked.
        to_active: bool,
    },
    /// Removes the length limits from the tuned joints to a node.
    RemoveLengthLimits(Node),
    /// Overrides the stiffness of the length limits to a node, in 1/s². `None` removes the override.
    SetLengthStiffness(Node, Option<f32>),
    /// Sets the animated flag of the tuned joints.
    SetAnimatedFlag(bool),
    /// Sets the shape of the VRM angle limit of all tuned joints. `None` removes the limit.
    SetSwingLimit(Option<SwingLimitKind>),
    /// Writes one angle of the VRM angle limits, in degrees.
    SetSwingLimitAngle(usize, f32),
    /// Multiplies one angle of the VRM angle limits.
    ScaleSwingLimitAngle(usize, f32),
    /// Restores the loaded VRM angle limits.
    ResetSwingLimits,
    /// Runs a tool on the component of the tuned system.
    RunComponentTool(ComponentTool),
    /// Moves the tuned chains to another system of the same solver.
    MoveToSystem(SystemId),
    /// Starts an undo group when the pointer is pressed on a control. Changes of one kind become one undo step.
    BeginUndoGroup,
    /// Ends the undo group when the pointer is released.
    EndUndoGroup,
    /// Reverts the changes of the undo group.
    CancelUndoGroup,
    Undo,
    Redo,

    /// Selects bones. The last bone becomes active.
    Select(Vec<BoneId>, SelectMode),
    /// Selects colliders, forces and helpers in addition to the bones. The last object becomes active.
    SelectObjects(Vec<SceneObject>, SelectMode),
    /// Selects all bones with a name that matches a pattern.
    SelectMatchingBones(String),
    /// Adds all descendants of the selected bones to the selection.
    SelectDescendants,
    ClearSelection,
    /// Sets whether whole chains or single joints are tuned.
    SetTuningScope(TuningScope),
    /// Sets the bone under the pointer.
    Hover(Option<BoneId>),

    /// Creates a chain that starts at each bone.
    CreateChains(Vec<BoneId>, ChainPart),
    DeleteChains(Vec<ChainId>),
    /// Ends the chain before this bone.
    EndChainAt(BoneId),
    /// Excludes a bone from its chain, or includes it again.
    SetExcluded(BoneId, bool),
    SetChainPart(Vec<ChainId>, ChainPart),
    RenameChain(ChainId, String),
    SetJointsEnabled(Vec<BoneId>, bool),
    DeleteGesture(GestureId),

    SetPlaying(bool),
    /// Pauses and shows the next recorded tick. Runs one tick if the newest tick is shown.
    StepOnce,
    /// Pauses and shows the previous recorded tick.
    StepBack,
    /// Pauses and shows the recorded pose at a time before the newest tick, in seconds. `None` returns to the live pose.
    Scrub(Option<f64>),
    /// Records in each tick why the tip of a joint moves. `None` ends this.
    ProbeJoint(Option<BoneId>),
    /// Sets whether ticks find out why the tips of all joints move.
    ProbeTips(bool),
    /// Resets the character to its rest pose and clears the velocities.
    ResetPose,
    /// Uses the displayed pose as the rest pose until the next rebuild, like `setInitState` of VRM. Has an effect only
    /// for solvers that support it.
    SetRestPose,
    SetPlaybackSpeed(f32),
    /// Sets the frame rate of the players' devices to preview, in frames per second.
    SetPlayerFrameRate(u32),
    SetMotion(Motion),
    /// Pauses at a time of the motion, after the motion has played for a while. Both are in seconds: the time at a motion
    /// speed of 1, and the duration of the play.
    Seek {
        time: f64,
        lead: f64,
    },
    /// Sets the amplitude of a built-in motion.
    SetMotionAmplitude(f32),
    /// Sets the speed of the motion.
    SetMotionSpeed(f32),
    /// Sets whether the motion repeats, or plays once and holds its last pose.
    SetRepeats(bool),
    /// Limits the present animation to a range in seconds of the animation. `None` plays all of it.
    SetMotionRange(Option<[f64; 2]>),
    /// Sets the test wind. `None` is calm.
    SetTestWind(Option<TestWind>),
    /// Sets the pose of [`Motion::Live`]. `None` is the relaxed pose.
    SetLivePose(Option<Arc<Pose>>),
    /// Sets whether drags spring back.
    SetSpringsBack(bool),
    /// Drags one bone by an offset.
    DragBone(BoneId, GestureSample),
    /// Drags a bone by an offset, and the whole body with the bone. A bone outside the body moves alone.
    DragBody(BoneId, GestureSample),
    ReleaseBone(BoneId),
    /// Adds the drags that stay displaced to the kept pose.
    KeepPose,
    /// Removes the kept pose.
    DiscardKeptPose,
    /// Drags the tip of a joint to a point in world space.
    GrabTip(BoneId, Vec3),
    /// Points a joint in a direction in world space, as far as its angle limits allow. Its chain is simulated.
    AimJoint(BoneId, Vec3),
    /// Releases the dragged tip or the aimed joint.
    ReleaseJoint,
    /// Arms or stops the recording of a drag. A stopped recording keeps its samples.
    SetRecording(bool),
    /// Sets the position of the viewer from the next tick on, in metres in world space. The position only affects
    /// components that stop when they are far from the viewer.
    SetViewer(Vec3),

    /// Simulates only these and other soloed chains if the flag is true; all other chains follow the animation.
    SoloChains(Vec<ChainId>, bool),
    /// Makes chains follow the animation if the flag is true.
    MuteChains(Vec<ChainId>, bool),
    /// Makes joints, and the joints above them in their chain, follow the animation if the flag is true.
    PinJoints(Vec<BoneId>, bool),
    /// Simulates all chains and joints again.
    ClearIsolation,

    /// Displays a baked motion in place of the live motion. `None` displays the live motion.
    ShowBaked(Option<Arc<BakedMotion>>),
    /// Previews an edit without applying the edit. `None` ends the preview.
    PreviewEdit(Option<Edit>),
    /// Applies an edit that another module created, as one undo step.
    ApplyEdit(Edit, EditLabel),
    /// Applies a preset as one undo step, and records the preset for its chains.
    ApplyPreset(Box<PresetApplication>),
    /// Displays another tuning on the same motion.
    Compare(Box<CompareWith>),
    SetCompareLayout(CompareLayout),
    /// Displays the other tuning in place of the present tuning, or the reverse.
    FlipComparison,
    /// Takes a chain of the other tuning across, as one undo step.
    TakeChain(ChainId),
    /// Displays several values of one parameter side by side.
    StartSweep(SweepSettings),
    /// Applies the value of a variant of the sweep, by index, as one undo step.
    TakeVariant(usize),
    /// Ends the comparison or the sweep.
    EndComparison,
    /// Adds a message of the session.
    AddMessage(Message),
    /// Adds a diagnostic from the application.
    AddDiagnostic(Diagnostic),
    DismissMessage(MessageId),
    ClearMessages,
}
