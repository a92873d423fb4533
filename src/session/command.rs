use super::play::Motion;
use super::selection::{Item, Pick, Scope};
use super::{PresetStep, Said, Session, feel, structure};
use crate::doc::names::Pattern;
use crate::doc::tune::{self, Targets};
use crate::doc::{Along, ChainId, Edit, GestureId, GestureSample, Label, Part};
use crate::math::Curve;
use crate::rig::BoneId;
use crate::schema::{Kind, Row, Scope as RowScope};
use crate::sim::Term;
use glam::Vec3;

/// Names a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MessageId(pub u64);

/// What an artist can ask of a session.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// Writes a value to all targets, or to the character for a row of system scope.
    Set(Row, f32),
    /// Multiplies the values of all targets.
    Scale(Row, f32),
    /// Puts back what was loaded.
    Reset(Row),
    /// Writes the engine's default.
    EngineDefault(Row),
    /// Gives all target chains a curve, or makes them level.
    SetCurve(Row, Option<Curve>),
    /// Chooses what the curves of all target chains run over.
    SetAlong(Along),
    /// Switches pairs of angle limits on (making pivots where there are none) or off. Rows: the `active` ones.
    SwitchLimits(Vec<Row>, bool),
    /// Writes a term of feel to all targets: the base of chains, the value of joints.
    SetTerm(Term, f32),
    /// Multiplies a term of all targets.
    ScaleTerm(Term, f32),
    /// Puts a term back to what was loaded.
    ResetTerm(Term),
    /// Lays a term along all target chains by a curve, or makes it level.
    SetTermCurve(Term, Option<Curve>),
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
    /// Forgets a message.
    Dismiss(MessageId),
    /// Forgets all messages.
    ClearMessages,
}

/// Does what was asked.
pub(super) fn handle(s: &mut Session, command: Command) {
    match command {
        Command::Set(..)
        | Command::Scale(..)
        | Command::Reset(_)
        | Command::EngineDefault(_)
        | Command::SetCurve(..)
        | Command::SetAlong(_)
        | Command::SwitchLimits(..) => tune(s, command),
        Command::SetTerm(..) | Command::ScaleTerm(..) | Command::ResetTerm(_) | Command::SetTermCurve(..) => {
            feel::handle(s, command);
        }
        Command::BeginGesture => s.history.merge(true),
        Command::EndGesture => s.history.merge(false),
        Command::CancelGesture => {
            if let Some(touched) = s.history.cancel(&mut s.document) {
                s.refresh(touched);
            }
        }
        Command::Undo => {
            if let Some((_, touched)) = s.history.undo(&mut s.document) {
                s.refresh(touched);
            }
        }
        Command::Redo => {
            if let Some((_, touched)) = s.history.redo(&mut s.document) {
                s.refresh(touched);
            }
        }
        Command::Select(..)
        | Command::SelectItems(..)
        | Command::SelectPattern(_)
        | Command::SelectChildren
        | Command::Deselect
        | Command::SetScope(_)
        | Command::Hover(_) => select(s, command),
        Command::Apply(edit, label) => {
            s.apply(edit, label);
        }
        Command::ApplyPreset(step) => s.apply_preset(*step),
        Command::Preview(edit) => s.preview(edit),
        Command::Dismiss(id) => s.messages.dismiss(id),
        Command::ClearMessages => s.messages.clear(),
        Command::MakeChains(..)
        | Command::RemoveChains(_)
        | Command::EndChainAt(_)
        | Command::Exclude(..)
        | Command::SetPart(..)
        | Command::Rename(..)
        | Command::Enable(..)
        | Command::RemoveGesture(_) => structure::handle(s, command),
        play => play_command(s, &play),
    }
}

fn tune(s: &mut Session, command: Command) {
    // What is tuned may have changed since the command was made, and its solver with it.
    if rows_of(&command).iter().any(|row| row.index() >= s.system().table().len()) {
        return;
    }
    let targets = s.targets();
    let count = targets.joint_count(&s.document);
    let skeleton = &s.character.skeleton;
    let (system, solver) = (s.system_id(), s.system().solver);
    let label = |what, row| Label::new(what, count).row(solver, row);
    let of_system = |what, row, value| (Edit::SetSystem { system, row, value }, Label::new(what, 1).row(solver, row));
    let (edit, label) = match command {
        Command::Set(row, value) if s.system().def(row).scope == RowScope::System => {
            of_system("set_system", row, value)
        }
        Command::Reset(row) if s.system().def(row).scope == RowScope::System => {
            of_system("reset", row, s.loaded_value(row))
        }
        Command::EngineDefault(row) if s.system().def(row).scope == RowScope::System => {
            let value = s.system().def(row).default;
            of_system("engine_default", row, value)
        }
        Command::Scale(row, factor) if s.system().def(row).scope == RowScope::System => {
            let value = s.system().get(row) * factor;
            let value = if s.system().def(row).kind == Kind::Integer { value.round() } else { value };
            of_system("set_system", row, value)
        }
        Command::Set(row, value) => (tune::set(&s.document, skeleton, &targets, row, value), label("set", row)),
        Command::Scale(row, factor) => (tune::scale(&s.document, skeleton, &targets, row, factor), label("set", row)),
        Command::Reset(row) => (tune::reset(&s.document, s.loaded(), &targets, row), label("reset", row)),
        Command::EngineDefault(row) => (tune::engine_default(&s.document, &targets, row), label("engine_default", row)),
        Command::SetCurve(row, curve) => {
            let chains = chains_of(s, &targets);
            (tune::set_curve(&s.document, skeleton, &chains, row, curve.as_ref()), label("curve", row))
        }
        Command::SetAlong(along) => {
            let chains = chains_of(s, &targets);
            let edits = chains.into_iter().map(|chain| Edit::SetAlong { chain, along }).collect();
            (Edit::Batch(edits), Label::new("along", count))
        }
        Command::SwitchLimits(ref rows, on) => {
            let Some(first) = rows.first() else { return };
            (structure::switch_limits(s, &targets, rows, on), label("limit", *first))
        }
        _ => return,
    };
    say_what_is_fitted(s, &targets, &label);
    s.apply(edit, label);
}

/// The rows that a command of tuning is about.
fn rows_of(command: &Command) -> &[Row] {
    match command {
        Command::Set(row, _)
        | Command::Scale(row, _)
        | Command::Reset(row)
        | Command::EngineDefault(row)
        | Command::SetCurve(row, _) => std::slice::from_ref(row),
        Command::SwitchLimits(rows, _) => rows,
        _ => &[],
    }
}

/// A chain with imported values gets base times curve when one of them is edited: the artist is told once.
fn say_what_is_fitted(s: &mut Session, targets: &Targets, label: &Label) {
    let Some((_, row)) = label.row.filter(|_| matches!(label.what, "set" | "curve")) else { return };
    let fitted: Vec<_> = targets
        .chains
        .iter()
        .filter_map(|id| s.document.chains.get(id))
        .filter(|c| c.joints.len() > 1 && c.is_exact(row))
        .collect();
    if let [first, rest @ ..] = fitted.as_slice() {
        let parameter = s.system().def(row).label;
        s.messages.say(Said::Fitted { parameter, chain: first.name.clone(), more: rest.len() });
    }
}

fn chains_of(s: &Session, targets: &Targets) -> Vec<ChainId> {
    let mut chains = targets.chains.clone();
    chains.extend(targets.joints.iter().map(|j| j.0));
    chains.sort_unstable();
    chains.dedup();
    chains.retain(|id| s.document.chains.contains_key(id));
    chains
}

fn select(s: &mut Session, command: Command) {
    match command {
        Command::Select(bones, pick) => {
            s.selection.pick(&bones, pick);
            s.selection.forget_missing(&s.character.skeleton, &s.document);
        }
        Command::SelectItems(items, pick) => {
            s.selection.pick_items(&items, pick);
            s.selection.forget_missing(&s.character.skeleton, &s.document);
        }
        Command::SelectPattern(pattern) => {
            let found = s.bones_like(&Pattern::new(&pattern));
            if found.is_empty() {
                s.messages.say(Said::NoBoneLike(pattern));
            } else {
                s.selection.pick(&found, Pick::Replace);
            }
        }
        Command::SelectChildren => {
            let roots: Vec<_> = s.selection.bones.iter().copied().collect();
            let below: Vec<_> = roots.iter().flat_map(|b| s.character.skeleton.subtree(*b)).collect();
            let active = s.selection.active;
            s.selection.pick(&below, Pick::Add);
            s.selection.active = active.or(s.selection.active);
        }
        Command::Deselect => s.selection.clear(),
        Command::SetScope(scope) => {
            s.selection.scope = scope;
            // One joint of a chain: the active one, not all that were swept up with it.
            if scope == Scope::Joints
                && let Some(active) = s.selection.active
            {
                s.selection.pick(&[active], Pick::Replace);
            }
        }
        Command::Hover(bone) => s.selection.hovered = bone.filter(|b| b.index() < s.character.skeleton.len()),
        _ => {}
    }
}

fn play_command(s: &mut Session, command: &Command) {
    let play = &mut s.play;
    match *command {
        Command::SetPlaying(playing) => play.set_playing(playing),
        Command::StepOnce => {
            play.set_playing(false);
            if let Some(gesture) = play.step(&s.character, &s.document, &s.joints) {
                s.keep(gesture);
            }
            s.tell_strays();
        }
        Command::ResetPose => {
            play.reset(&s.character, &s.document);
            s.tell_strays();
        }
        Command::TakeRest => play.take_rest(),
        Command::SetSpeed(speed) => play.set_speed(speed),
        Command::SetPlayersRate(rate) => play.set_players_rate(rate),
        Command::SetMotion(motion) => {
            play.set_motion(motion);
            s.tell_missing_underlay();
        }
        Command::SetAmplitude(amplitude) => play.set_amplitude(amplitude),
        Command::SetMotionSpeed(speed) => play.set_motion_speed(speed),
        Command::SetSpringsBack(springs_back) => play.set_springs_back(springs_back),
        Command::Drag(bone, sample) => play.drag(bone, sample, (&s.character, &s.document)),
        Command::LetGo(bone) => play.let_go(bone),
        Command::Grab(bone, target) => play.grab(Some((bone, target))),
        Command::LetGoTip => play.grab(None),
        Command::LookFrom(viewer) => play.look_from(viewer),
        Command::Record(armed) => {
            if let Some(gesture) = play.arm(armed, &s.document) {
                s.keep(gesture);
            }
        }
        _ => {}
    }
}
