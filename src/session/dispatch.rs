//! Which part of a session carries out a command.

use super::playback::Source;
use super::selection::{Pick, Scope};
use super::{Command, Said, Session, edits, feel};
use crate::document::Label;
use crate::document::names::Pattern;

/// Does what was asked.
pub(super) fn handle(s: &mut Session, command: Command) {
    match command {
        Command::Set(..)
        | Command::SetRows(..)
        | Command::SetBase(..)
        | Command::Scale(..)
        | Command::Reset(_)
        | Command::EngineDefault(_)
        | Command::SetCurve(..)
        | Command::SetAlong(_)
        | Command::SwitchLimits(..) => {
            if let Some((edit, label)) = edits::of_rows(s.inspection(), &command) {
                // Curves of chains that are named may be edited while others are tuned.
                if !matches!(command, Command::SetBase(..)) {
                    report_fitted(s, &label);
                }
                s.apply(edit, label);
            }
        }
        Command::SetTerm(..)
        | Command::SetTermBase(..)
        | Command::ScaleTerm(..)
        | Command::ResetTerm(_)
        | Command::SetTermCurve(..) => feel::handle(s, command),
        Command::AssignColliders(..)
        | Command::AssignGroup(..)
        | Command::SetCenter(_)
        | Command::SetHull(..)
        | Command::LinkLengths { .. }
        | Command::UnlinkLength(_)
        | Command::SetLengthPull(..)
        | Command::FlagAnimated(_)
        | Command::SetSwing(_)
        | Command::SetSwingAngle(..)
        | Command::ScaleSwingAngle(..)
        | Command::ResetSwing
        | Command::RunComponentTool(_)
        | Command::JoinSystem(_) => s.apply_step(edits::of_links(s.inspection(), &command)),
        Command::SetMaterial(_) | Command::NewMaterial | Command::RenameMaterial(..) | Command::RemoveMaterial(_) => {
            s.apply_step(edits::of_materials(s.inspection(), &command));
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
        Command::Apply(edit, label) => s.apply_step(Some((edit, label))),
        Command::ApplyPreset(step) => s.apply_preset(*step),
        Command::Preview(edit) => s.preview(edit),
        Command::Say(said) => s.messages.say(said),
        Command::Report(diagnostic) => s.messages.push(diagnostic),
        Command::Dismiss(id) => s.messages.dismiss(id),
        Command::ClearMessages => s.messages.clear(),
        Command::MakeChains(..)
        | Command::RemoveChains(_)
        | Command::EndChainAt(_)
        | Command::Exclude(..)
        | Command::SetPart(..)
        | Command::Rename(..)
        | Command::Enable(..)
        | Command::RemoveGesture(_) => {
            let step = edits::of_chains(s, command);
            s.apply_step(step);
        }
        play => play_command(s, &play),
    }
}

/// A chain with imported values gets base times curve when one of them is edited: the artist is told once.
fn report_fitted(s: &mut Session, label: &Label) {
    let Some((_, row)) = label.row.filter(|_| matches!(label.what, "set" | "curve")) else { return };
    let i = s.inspection();
    let fitted: Vec<_> = i
        .targets()
        .chains
        .iter()
        .filter_map(|id| s.document.chains.get(id))
        .filter(|c| c.joints.len() > 1 && c.is_exact(row))
        .collect();
    if let [first, rest @ ..] = fitted.as_slice() {
        let parameter = i.system().def(row).label;
        s.messages.say(Said::Fitted { parameter, chain: first.name.clone(), more: rest.len() });
    }
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
            let found = s.inspection().bones_like(&Pattern::new(&pattern));
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
    let play = &mut s.playback;
    let source = Source { character: &s.character, document: &s.document };
    match *command {
        Command::SetPlaying(playing) => play.set_playing(playing),
        Command::StepOnce => {
            play.set_playing(false);
            if let Some(gesture) = play.step(source) {
                s.keep(gesture);
            }
            s.tell_strays();
        }
        Command::ResetPose => {
            play.reset(source);
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
        Command::Drag(bone, sample) => play.drag(bone, sample, source),
        Command::LetGo(bone) => play.let_go(bone),
        Command::Grab(bone, target) => play.grab(Some((bone, target))),
        Command::LetGoTip => play.grab(None),
        Command::LookFrom(viewer) => play.look_from(viewer),
        Command::Record(armed) => {
            if let Some(gesture) = play.arm(armed, source.document) {
                s.keep(gesture);
            }
        }
        _ => {}
    }
}
