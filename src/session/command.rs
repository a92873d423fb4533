use super::inspection::ComponentTool;
use super::messages::{Message, MessageId};
use super::playback::Motion;
use super::presets::PresetApplication;
use super::selection::{SceneObject, SelectMode, TuningScope};
use crate::diagnostics::Diagnostic;
use crate::document::{
    ChainId, ChainPart, ColliderId, CurveDomain, Edit, EditLabel, GestureId, GestureSample, GroupId, MaterialId, Node,
    SystemId,
};
use crate::math::Curve;
use crate::params::ParamId;
use crate::rig::BoneId;
use crate::sim::FeelParam;
use crate::tools::swing_limits::SwingLimitKind;
use glam::Vec3;

/// What an artist can ask of a session.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// Writes a value to all targets, or to the character for a row of system scope.
    SetParam(ParamId, f32),
    /// Writes several rows of all targets as one step of this name.
    SetParams(&'static str, Vec<(ParamId, f32)>),
    /// Writes the base value of whole chains, whatever is tuned; chains of other solvers than the tuned one stay.
    SetParamBase(Vec<ChainId>, ParamId, f32),
    /// Multiplies the values of all targets.
    ScaleParam(ParamId, f32),
    /// Puts back what was loaded.
    ResetParams(Vec<ParamId>),
    /// Writes the original engine's defaults.
    SetOriginalDefaults(Vec<ParamId>),
    /// Gives all target chains a curve, or makes them level.
    SetParamCurve(ParamId, Option<Curve>),
    /// Chooses what the curves of all target chains run over.
    SetCurveDomain(CurveDomain),
    /// Switches pairs of angle limits on (making pivots where there are none) or off. Rows: the `active` ones.
    SetLimitsEnabled(Vec<ParamId>, bool),
    /// Writes a term of feel to all targets: the base of chains, the value of joints.
    SetFeel(FeelParam, f32),
    /// Writes the base of a term of whole chains, whatever is tuned.
    SetFeelBase(Vec<ChainId>, FeelParam, f32),
    /// Multiplies a term of all targets.
    ScaleFeel(FeelParam, f32),
    /// Puts a term back to what was loaded.
    ResetFeel(FeelParam),
    /// Lays a term along all target chains by a curve, or makes it level.
    SetFeelCurve(FeelParam, Option<Curve>),
    /// Lets colliders push all tuned joints, or none of them.
    AssignColliders(Vec<ColliderId>, bool),
    /// Lets a group push all tuned chains, or none of them; with the name that the group is shown by.
    AssignGroup(GroupId, bool, String),
    /// Measures the speed of all tuned chains relative to a bone, or to the world.
    SetCenter(Option<BoneId>),
    /// Gives colliders the convex hull of the vertices of a mesh (by position) that follow their bones, or their own shape.
    SetHull(Vec<ColliderId>, Option<usize>),
    /// Gives all tuned chains a material, or lets each keep its numbers for itself.
    SetMaterial(Option<MaterialId>),
    /// Makes a material of the active chain's numbers for all tuned chains.
    CreateMaterial,
    /// Renames a material.
    RenameMaterial(MaterialId, String),
    /// Removes a material; its chains keep the numbers.
    DeleteMaterial(MaterialId),
    /// Lets every selected joint keep its distance to all else that is selected, or to the active bone alone.
    LinkLengths {
        /// To the active bone alone.
        to_active: bool,
    },
    /// Lets the tuned joints forget their distance to a node.
    UnlinkLength(Node),
    /// Gives the tuned joints' distance to a node a pull of its own, 1/s², or takes it away.
    SetLengthStiffness(Node, Option<f32>),
    /// Flags the tuned joints as animated, or not.
    SetAnimatedFlag(bool),
    /// Gives all tuned joints a limit of VRM's kind of that shape, or none.
    SetSwingLimit(Option<SwingLimitKind>),
    /// Writes one angle of these limits, degrees.
    SetSwingLimitAngle(usize, f32),
    /// Multiplies one angle of these limits.
    ScaleSwingLimitAngle(usize, f32),
    /// Puts back the limits of VRM's kind that were loaded.
    ResetSwingLimits,
    /// Runs a tool on the component of the tuned system.
    RunComponentTool(ComponentTool),
    /// Puts the tuned chains under another system of their solver.
    MoveToSystem(SystemId),
    /// From now on changes of one kind are one undo step; sent when the pointer goes down on a control.
    BeginUndoGroup,
    /// The pointer is up again.
    EndUndoGroup,
    /// What the gesture did so far never happened.
    CancelUndoGroup,
    /// Takes the last step back.
    Undo,
    /// Does it again.
    Redo,

    /// Selects bones; the last one becomes active.
    Select(Vec<BoneId>, SelectMode),
    /// Selects colliders, forces and helpers beside the bones; the last one becomes active.
    SelectObjects(Vec<SceneObject>, SelectMode),
    /// Selects all bones whose name fits a pattern.
    SelectMatchingBones(String),
    /// Selects everything below the selected bones too.
    SelectDescendants,
    /// Selects nothing.
    ClearSelection,
    /// Whole chains or single joints.
    SetTuningScope(TuningScope),
    /// The bone under the pointer.
    Hover(Option<BoneId>),

    /// Makes a chain from each bone down.
    CreateChains(Vec<BoneId>, ChainPart),
    /// Removes chains.
    DeleteChains(Vec<ChainId>),
    /// The chain stops above this bone.
    EndChainAt(BoneId),
    /// Leaves a bone out, or lets it in again.
    SetExcluded(BoneId, bool),
    /// Says what chains are.
    SetChainPart(Vec<ChainId>, ChainPart),
    /// Names a chain.
    RenameChain(ChainId, String),
    /// Switches joints on or off.
    SetJointsEnabled(Vec<BoneId>, bool),
    /// Removes a recorded gesture.
    DeleteGesture(GestureId),

    /// Lets time run or stand.
    SetPlaying(bool),
    /// One tick.
    StepOnce,
    /// Back to rest, without a kick.
    ResetPose,
    /// From now on the pose that is shown counts as rest, where the solver can do so: VRM's `setInitState`. Until the
    /// setup is built anew.
    SetRestPose,
    /// How fast time runs.
    SetPlaybackSpeed(f32),
    /// Previews the motion at this frame rate of the players, frames per second.
    SetPlayerFrameRate(u32),
    /// What moves the character.
    SetMotion(Motion),
    /// How lively.
    SetMotionAmplitude(f32),
    /// At what pace.
    SetMotionSpeed(f32),
    /// Whether drags spring back.
    SetSpringsBack(bool),
    /// Holds a bone displaced.
    DragBone(BoneId, GestureSample),
    /// Lets go of it.
    ReleaseBone(BoneId),
    /// Holds a joint's tip at a point of the world.
    GrabTip(BoneId, Vec3),
    /// Lets go of it.
    ReleaseTip,
    /// Records the next drag, or stops; what was recorded so far is kept.
    SetRecording(bool),
    /// The viewer stands here from the next tick on, metres in the world: what rests far from the viewer heeds it.
    SetViewer(Vec3),

    /// Shows what an edit would do without doing it, or no more.
    PreviewEdit(Option<Edit>),
    /// Applies an edit that another room made, as one undo step.
    ApplyEdit(Edit, EditLabel),
    /// Applies a preset as one undo step; its chains have it from then on.
    ApplyPreset(Box<PresetApplication>),
    /// Adds a message of the session.
    AddMessage(Message),
    /// Adds a message of the program.
    AddDiagnostic(Diagnostic),
    /// Forgets a message.
    DismissMessage(MessageId),
    /// Forgets all messages.
    ClearMessages,
}
