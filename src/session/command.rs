use super::inspection::ComponentTool;
use super::messages::{MessageId, Said};
use super::playback::Motion;
use super::presets::PresetStep;
use super::selection::{Item, Pick, Scope};
use crate::document::{
    Along, ChainId, ColliderId, Edit, GestureId, GestureSample, GroupId, Label, MaterialId, Node, Part, SystemId,
};
use crate::math::Curve;
use crate::report::Diagnostic;
use crate::rig::BoneId;
use crate::schema::Row;
use crate::sim::Term;
use crate::tools::swing::SwingKind;
use glam::Vec3;

/// What an artist can ask of a session.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// Writes a value to all targets, or to the character for a row of system scope.
    Set(Row, f32),
    /// Writes several rows of all targets as one step of this name.
    SetRows(&'static str, Vec<(Row, f32)>),
    /// Writes the base value of whole chains, whatever is tuned; chains of other solvers than the tuned one stay.
    SetBase(Vec<ChainId>, Row, f32),
    /// Multiplies the values of all targets.
    Scale(Row, f32),
    /// Puts back what was loaded.
    Reset(Vec<Row>),
    /// Writes the original engine's defaults.
    EngineDefault(Vec<Row>),
    /// Gives all target chains a curve, or makes them level.
    SetCurve(Row, Option<Curve>),
    /// Chooses what the curves of all target chains run over.
    SetAlong(Along),
    /// Switches pairs of angle limits on (making pivots where there are none) or off. Rows: the `active` ones.
    SwitchLimits(Vec<Row>, bool),
    /// Writes a term of feel to all targets: the base of chains, the value of joints.
    SetTerm(Term, f32),
    /// Writes the base of a term of whole chains, whatever is tuned.
    SetTermBase(Vec<ChainId>, Term, f32),
    /// Multiplies a term of all targets.
    ScaleTerm(Term, f32),
    /// Puts a term back to what was loaded.
    ResetTerm(Term),
    /// Lays a term along all target chains by a curve, or makes it level.
    SetTermCurve(Term, Option<Curve>),
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
    NewMaterial,
    /// Renames a material.
    RenameMaterial(MaterialId, String),
    /// Removes a material; its chains keep the numbers.
    RemoveMaterial(MaterialId),
    /// Lets every selected joint keep its distance to all else that is selected, or to the active bone alone.
    LinkLengths {
        /// To the active bone alone.
        to_active: bool,
    },
    /// Lets the tuned joints forget their distance to a node.
    UnlinkLength(Node),
    /// Gives the tuned joints' distance to a node a pull of its own, 1/s², or takes it away.
    SetLengthPull(Node, Option<f32>),
    /// Flags the tuned joints as animated, or not.
    FlagAnimated(bool),
    /// Gives all tuned joints a limit of VRM's kind of that shape, or none.
    SetSwing(Option<SwingKind>),
    /// Writes one angle of these limits, degrees.
    SetSwingAngle(usize, f32),
    /// Multiplies one angle of these limits.
    ScaleSwingAngle(usize, f32),
    /// Puts back the limits of VRM's kind that were loaded.
    ResetSwing,
    /// Runs a tool on the component of the tuned system.
    RunComponentTool(ComponentTool),
    /// Puts the tuned chains under another system of their solver.
    JoinSystem(SystemId),
    /// From now on changes of one kind are one undo step; sent when the pointer goes down on a control.
    BeginGesture,
    /// The pointer is up again.
    EndGesture,
    /// What the gesture did so far never happened.
    CancelGesture,
    /// Takes the last step back.
    Undo,
    /// Does it again.
    Redo,

    /// Selects bones; the last one becomes active.
    Select(Vec<BoneId>, Pick),
    /// Selects colliders, forces and helpers beside the bones; the last one becomes active.
    SelectItems(Vec<Item>, Pick),
    /// Selects all bones whose name fits a pattern.
    SelectPattern(String),
    /// Selects everything below the selected bones too.
    SelectChildren,
    /// Selects nothing.
    Deselect,
    /// Whole chains or single joints.
    SetScope(Scope),
    /// The bone under the pointer.
    Hover(Option<BoneId>),

    /// Makes a chain from each bone down.
    MakeChains(Vec<BoneId>, Part),
    /// Removes chains.
    RemoveChains(Vec<ChainId>),
    /// The chain stops above this bone.
    EndChainAt(BoneId),
    /// Leaves a bone out, or lets it in again.
    Exclude(BoneId, bool),
    /// Says what chains are.
    SetPart(Vec<ChainId>, Part),
    /// Names a chain.
    Rename(ChainId, String),
    /// Switches joints on or off.
    Enable(Vec<BoneId>, bool),
    /// Removes a recorded gesture.
    RemoveGesture(GestureId),

    /// Lets time run or stand.
    SetPlaying(bool),
    /// One tick.
    StepOnce,
    /// Back to rest, without a kick.
    ResetPose,
    /// From now on the pose that is shown counts as rest, where the solver can do so: VRM's `setInitState`. Until the
    /// setup is built anew.
    TakeRest,
    /// How fast time runs.
    SetSpeed(f32),
    /// Previews the motion at this frame rate of the players, frames per second.
    SetPlayersRate(u32),
    /// What moves the character.
    SetMotion(Motion),
    /// How lively.
    SetAmplitude(f32),
    /// At what pace.
    SetMotionSpeed(f32),
    /// Whether drags spring back.
    SetSpringsBack(bool),
    /// Holds a bone displaced.
    Drag(BoneId, GestureSample),
    /// Lets go of it.
    LetGo(BoneId),
    /// Holds a joint's tip at a point of the world.
    Grab(BoneId, Vec3),
    /// Lets go of it.
    LetGoTip,
    /// Records the next drag, or stops; what was recorded so far is kept.
    Record(bool),
    /// The viewer stands here from the next tick on, metres in the world: what rests far from the viewer heeds it.
    LookFrom(Vec3),

    /// Shows what an edit would do without doing it, or no more.
    Preview(Option<Edit>),
    /// Applies an edit that another room made, as one undo step.
    Apply(Edit, Label),
    /// Applies a preset as one undo step; its chains have it from then on.
    ApplyPreset(Box<PresetStep>),
    /// Adds a message of the session.
    Say(Said),
    /// Adds a message of the program.
    Report(Diagnostic),
    /// Forgets a message.
    Dismiss(MessageId),
    /// Forgets all messages.
    ClearMessages,
}
