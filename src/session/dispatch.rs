//! Which part of a session carries out a command.

use super::playback::PlaybackSource;
use super::selection::{SelectMode, TuningScope};
use super::{Command, Message, Session, command_edits, feel_commands};
use crate::document::EditLabel;
use crate::document::names::NamePattern;

/// Does what was asked.
pub(super) fn handle(s: &mut Session, command: Command) {
    match command {
        Command::SetParam(..)
        | Command::SetParams(..)
        | Command::SetParamBase(..)
        | Command::ScaleParam(..)
        | Command::ResetParams(_)
        | Command::SetOriginalDefaults(_)
        | Command::SetParamCurve(..)
        | Command::SetCurveDomain(_)
        | Command::SetLimitsEnabled(..) => {
            if let Some((edit, label)) = command_edits::param_edit(s.inspection(), &command) {
                // Curves of chains that are named may be edited while others are tuned.
                if !matches!(command, Command::SetParamBase(..)) {
                    report_curve_fit(s, &label);
                }
                s.apply(edit, label);
            }
        }
        Command::SetFeel(..)
        | Command::SetFeelBase(..)
        | Command::ScaleFeel(..)
        | Command::ResetFeel(_)
        | Command::SetFeelCurve(..) => feel_commands::handle(s, command),
        Command::AssignColliders(..)
        | Command::AssignGroup(..)
        | Command::SetCenter(_)
        | Command::SetHull(..)
        | Command::LinkLengths { .. }
        | Command::UnlinkLength(_)
        | Command::SetLengthStiffness(..)
        | Command::SetAnimatedFlag(_)
        | Command::SetSwingLimit(_)
        | Command::SetSwingLimitAngle(..)
        | Command::ScaleSwingLimitAngle(..)
        | Command::ResetSwingLimits
        | Command::RunComponentTool(_)
        | Command::MoveToSystem(_) => s.apply_step(command_edits::link_edit(s.inspection(), &command)),
        Command::SetMaterial(_)
        | Command::CreateMaterial
        | Command::RenameMaterial(..)
        | Command::DeleteMaterial(_) => {
            s.apply_step(command_edits::material_edit(s.inspection(), &command));
        }
        Command::BeginUndoGroup => s.history.set_merging(true),
        Command::EndUndoGroup => s.history.set_merging(false),
        Command::CancelUndoGroup => {
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
        | Command::SelectObjects(..)
        | Command::SelectMatchingBones(_)
        | Command::SelectDescendants
        | Command::ClearSelection
        | Command::SetTuningScope(_)
        | Command::Hover(_) => handle_selection(s, command),
        Command::ApplyEdit(edit, label) => s.apply_step(Some((edit, label))),
        Command::ApplyPreset(step) => s.apply_preset(*step),
        Command::PreviewEdit(edit) => s.preview(edit),
        Command::AddMessage(said) => s.messages.push_message(said),
        Command::AddDiagnostic(diagnostic) => s.messages.push_diagnostic(diagnostic),
        Command::DismissMessage(id) => s.messages.dismiss(id),
        Command::ClearMessages => s.messages.clear(),
        Command::CreateChains(..)
        | Command::DeleteChains(_)
        | Command::EndChainAt(_)
        | Command::SetExcluded(..)
        | Command::SetChainPart(..)
        | Command::RenameChain(..)
        | Command::SetJointsEnabled(..)
        | Command::DeleteGesture(_) => {
            let step = command_edits::chain_edit(s, command);
            s.apply_step(step);
        }
        play => handle_playback(s, &play),
    }
}

/// A chain with imported values gets base times curve when one of them is edited: the artist is told once.
fn report_curve_fit(s: &mut Session, label: &EditLabel) {
    let Some((_, row)) = label.param.filter(|_| matches!(label.key, "set" | "curve")) else { return };
    let i = s.inspection();
    let fitted: Vec<_> = i
        .targets()
        .chains
        .iter()
        .filter_map(|id| s.document.chains.get(id))
        .filter(|c| c.joints.len() > 1 && c.all_joints_override(row))
        .collect();
    if let [first, rest @ ..] = fitted.as_slice() {
        let parameter = i.system().def(row).label;
        s.messages.push_message(Message::CurveFitted { parameter, chain: first.name.clone(), more: rest.len() });
    }
}

fn handle_selection(s: &mut Session, command: Command) {
    match command {
        Command::Select(bones, pick) => {
            s.selection.select_bones(&bones, pick);
            s.selection.remove_missing(&s.character.skeleton, &s.document);
        }
        Command::SelectObjects(items, pick) => {
            s.selection.select_objects(&items, pick);
            s.selection.remove_missing(&s.character.skeleton, &s.document);
        }
        Command::SelectMatchingBones(pattern) => {
            let found = s.inspection().bones_matching(&NamePattern::new(&pattern));
            if found.is_empty() {
                s.messages.push_message(Message::NoMatchingBone(pattern));
            } else {
                s.selection.select_bones(&found, SelectMode::Replace);
            }
        }
        Command::SelectDescendants => {
            let roots: Vec<_> = s.selection.bones.iter().copied().collect();
            let below: Vec<_> = roots.iter().flat_map(|b| s.character.skeleton.subtree(*b)).collect();
            let active = s.selection.active;
            s.selection.select_bones(&below, SelectMode::Add);
            s.selection.active = active.or(s.selection.active);
        }
        Command::ClearSelection => s.selection.clear(),
        Command::SetTuningScope(scope) => {
            s.selection.scope = scope;
            // One joint of a chain: the active one, not all that were swept up with it.
            if scope == TuningScope::Joints
                && let Some(active) = s.selection.active
            {
                s.selection.select_bones(&[active], SelectMode::Replace);
            }
        }
        Command::Hover(bone) => s.selection.hovered = bone.filter(|b| b.index() < s.character.skeleton.len()),
        _ => {}
    }
}

fn handle_playback(s: &mut Session, command: &Command) {
    let play = &mut s.playback;
    let source = PlaybackSource { character: &s.character, document: &s.document };
    match *command {
        Command::SetPlaying(playing) => play.set_playing(playing),
        Command::StepOnce => {
            play.set_playing(false);
            if let Some(gesture) = play.step(source) {
                s.add_gesture(gesture);
            }
            s.report_out_of_bounds();
        }
        Command::ResetPose => {
            play.reset(source);
            s.report_out_of_bounds();
        }
        Command::SetRestPose => play.set_rest_pose(),
        Command::SetPlaybackSpeed(speed) => play.set_speed(speed),
        Command::SetPlayerFrameRate(rate) => play.set_player_frame_rate(rate),
        Command::SetMotion(motion) => {
            play.set_motion(motion);
            s.report_missing_base_motion();
        }
        Command::SetMotionAmplitude(amplitude) => play.set_amplitude(amplitude),
        Command::SetMotionSpeed(speed) => play.set_motion_speed(speed),
        Command::SetSpringsBack(springs_back) => play.set_springs_back(springs_back),
        Command::DragBone(bone, sample) => play.drag(bone, sample, source),
        Command::ReleaseBone(bone) => play.release_drag(bone),
        Command::GrabTip(bone, target) => play.set_grab(Some((bone, target))),
        Command::ReleaseTip => play.set_grab(None),
        Command::SetViewer(viewer) => play.set_viewer(viewer),
        Command::SetRecording(armed) => {
            if let Some(gesture) = play.set_recording(armed, source.document) {
                s.add_gesture(gesture);
            }
        }
        _ => {}
    }
}
