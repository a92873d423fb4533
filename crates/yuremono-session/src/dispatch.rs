//! Dispatches each command to the part of the session that it changes.

use super::inspection::AuthoredRing;
use super::playback::{Playback, PlaybackSource, RecordedGesture};
use super::selection::SelectMode;
use super::{Command, Isolation, Message, Session, command_edits};
use std::collections::BTreeSet;
use yuremono_model::document::names::NamePattern;
use yuremono_model::document::param_edits::EditTargets;
use yuremono_model::document::{ChainId, ChainValue, DragReach, Edit, EditKind, EditLabel, param_edits, ring};
use yuremono_model::feel::params::MIN_RING_FACTOR;
use yuremono_sim::diagnostics::message;
use yuremono_sim::math::{Curve, RingCurve, RingKey};
use yuremono_sim::params::ParamId;
use yuremono_sim::rig::BoneId;
use yuremono_sim::{FeelParam, GrabTarget};

impl Session {
    /// Runs a command. A rejected command becomes a message.
    pub fn handle(&mut self, command: Command) {
        self.inspection_cache.clear();
        self.run_command(command);
        self.inspection_cache.clear();
        self.update_comparison();
    }

    fn run_command(&mut self, command: Command) {
        let s = self;
        let (selection, play) = (&mut s.selection, &mut s.playback);
        let source = PlaybackSource { character: &s.character, document: &s.document };
        match command {
            Command::BeginUndoGroup => s.history.set_merging(true),
            Command::EndUndoGroup => s.history.set_merging(false),
            Command::CancelUndoGroup | Command::Undo | Command::Redo => step_history(s, &command),

            Command::Select(bones, pick) => {
                selection.select_bones(&bones, pick);
                selection.remove_missing(&s.character.skeleton, &s.document);
            }
            Command::SelectObjects(items, pick) => {
                selection.select_objects(&items, pick);
                selection.remove_missing(&s.character.skeleton, &s.document);
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
                let below: Vec<_> = selection.bones.iter().flat_map(|b| s.character.skeleton.subtree(*b)).collect();
                let active = selection.active;
                selection.select_bones(&below, SelectMode::Add);
                selection.active = active.or(selection.active);
            }
            Command::ClearSelection => selection.clear(),
            Command::SetTuningScope(scope) => selection.set_scope(scope),
            Command::Hover(bone) => selection.hovered = bone.filter(|b| b.index() < s.character.skeleton.len()),

            Command::SetPlaying(playing) => play.set_playing(playing),
            Command::StepOnce => s.run_playback(Playback::step_forward),
            Command::StepBack => play.step_back(),
            Command::Scrub(seconds_back) => play.scrub(seconds_back),
            Command::ProbeJoint(bone) => play.probe_joint(bone),
            Command::ProbeTips(on) => play.probe_tips(on),
            Command::ResetPose => {
                play.reset(source);
                s.report_out_of_bounds();
            }
            Command::SetRestPose => play.set_rest_pose(),
            Command::SetPlaybackSpeed(speed) => play.set_speed(speed),
            Command::SetPlayerFrameRate(rate) => play.set_player_frame_rate(rate),
            Command::SetMotionAmplitude(amplitude) => play.set_amplitude(amplitude),
            Command::SetMotionSpeed(speed) => play.set_motion_speed(speed),
            Command::SetMotionRange(range) => play.set_range(range, source),
            Command::SetTestWind(wind) => play.set_test_wind(wind),
            Command::SetLivePose(pose) => play.set_live_pose(pose),
            Command::SetRepeats(repeats) => play.set_repeats(repeats, source),
            Command::SetMotion(motion) => {
                play.set_motion(motion);
                s.report_missing_base_motion();
            }
            Command::Seek { time, lead } => s.run_playback(|play, source| play.seek(time, lead, source)),
            Command::SetSpringsBack(springs_back) => play.set_springs_back(springs_back),
            Command::DragBone(bone, sample) => play.drag(bone, DragReach::OneBone, sample, source),
            Command::DragBody(bone, sample) => play.drag(bone, DragReach::WholeBody, sample, source),
            Command::KeepPose => keep_pose(s),
            Command::ReleaseBone(bone) => play.release_drag(bone),
            Command::GrabTip(bone, target) => play.set_grab(Some((bone, GrabTarget::Tip(target)))),
            Command::AimJoint(bone, direction) => play.set_grab(Some((bone, GrabTarget::Direction(direction)))),
            Command::ReleaseJoint => play.set_grab(None),
            Command::SetViewer(viewer) => play.set_viewer(viewer),
            Command::SetRecording(armed) => set_recording(s, armed),

            Command::SoloChains(..) | Command::MuteChains(..) | Command::PinJoints(..) | Command::ClearIsolation => {
                s.isolate(|isolation| change_isolation(isolation, &command));
            }

            Command::ShowBaked(baked) => play.show_baked(baked.map(|baked| baked.to_baked_clip()), source),
            Command::PreviewEdit(edit) => s.preview(edit),
            Command::ApplyEdit(edit, label) => _ = s.apply(edit, label),
            Command::ApplyPreset(step) => s.apply_preset(*step),
            Command::AddMessage(message) => s.messages.push_message(message),
            Command::AddDiagnostic(diagnostic) => s.messages.push_diagnostic(diagnostic),
            Command::DismissMessage(id) => s.messages.dismiss(id),
            Command::ClearMessages => s.messages.clear(),

            Command::Compare(_)
            | Command::SetCompareLayout(_)
            | Command::FlipComparison
            | Command::TakeChain(_)
            | Command::StartSweep(_)
            | Command::TakeVariant(_)
            | Command::EndComparison => handle_comparison(s, command),
            Command::SetFeel(..)
            | Command::SetFeelBase(..)
            | Command::ScaleFeel(..)
            | Command::ResetFeel(_)
            | Command::SetFeelCurve(..)
            | Command::SetFeelRingCurve(..) => handle_feel(s, command),
            edit => handle_edit(s, &edit),
        }
    }
}

/// Runs commands of comparisons and sweeps.
fn handle_comparison(s: &mut Session, command: Command) {
    match command {
        Command::Compare(with) => s.compare(*with),
        Command::SetCompareLayout(layout) => s.set_compare_layout(layout),
        Command::FlipComparison => s.flip_comparison(),
        Command::TakeChain(chain) => s.take_chain(chain),
        Command::StartSweep(settings) => s.start_sweep(settings),
        Command::TakeVariant(index) => s.take_variant(index),
        _ => s.end_comparison(),
    }
}

fn step_history(s: &mut Session, command: &Command) {
    let touched = match command {
        Command::Undo => s.history.undo(&mut s.document).map(|(_, touched)| touched),
        Command::Redo => s.history.redo(&mut s.document).map(|(_, touched)| touched),
        _ => s.history.cancel(&mut s.document),
    };
    if let Some(touched) = touched {
        s.refresh(touched);
    }
}

fn change_isolation(isolation: &mut Isolation, command: &Command) {
    match command {
        Command::SoloChains(chains, on) => isolation.solo(chains, *on),
        Command::MuteChains(chains, on) => isolation.mute(chains, *on),
        Command::PinJoints(bones, on) => isolation.pin(bones, *on),
        _ => *isolation = Isolation::default(),
    }
}

fn set_recording(s: &mut Session, armed: bool) {
    if let Some(gesture) = s.playback.set_recording(armed, &s.document) {
        s.add_gesture(gesture);
    }
}

impl Session {
    /// Runs ticks of the playback. Adds the gesture of a recording that ends.
    fn run_playback(&mut self, run: impl FnOnce(&mut Playback, PlaybackSource<'_>) -> Option<RecordedGesture>) {
        let source = PlaybackSource { character: &self.character, document: &self.document };
        if let Some(gesture) = run(&mut self.playback, source) {
            self.add_gesture(gesture);
        }
        self.report_out_of_bounds();
    }
}

fn handle_edit(s: &mut Session, command: &Command) {
    let edit = match command {
        Command::CreateChains(roots, part) => command_edits::create_chains_edit(s, roots, *part),
        _ => command_edits::labeled_edit(s.inspection(), command),
    };
    let Some((edit, label)) = edit else { return };
    if let Command::SetParam(param, _) | Command::ScaleParam(param, _) | Command::SetParamCurve(param, _) = *command {
        report_curve_fit(s, param);
    }
    let chains: BTreeSet<ChainId> = s.document.chains.keys().copied().collect();
    if s.apply(edit, label) && matches!(command, Command::CreateChains(..)) {
        let created = s.document.chains.iter().filter(|(id, _)| !chains.contains(id));
        let joints: Vec<BoneId> = created.flat_map(|(_, chain)| &chain.joints).map(|joint| joint.bone).collect();
        // The last bone becomes active.
        let joints = joints.into_iter().rev().collect();
        s.run_command(Command::Select(joints, SelectMode::Replace));
    }
}

/// Moves the drags that stay displaced into the kept pose. The displayed pose stays.
fn keep_pose(s: &mut Session) {
    let held = s.playback.held_drags();
    let label = EditLabel::new(message!("Keep pose"));
    let kept = s.document.kept_pose.iter().cloned().chain(held.iter().cloned()).collect();
    if !held.is_empty() && s.apply(Edit::SetKeptPose(kept), label) {
        s.playback.clear_held_drags();
    }
}

/// Reports that an edit replaces the values of single joints with a base value and a curve.
fn report_curve_fit(s: &mut Session, param: ParamId) {
    let i = s.inspection();
    let fitted: Vec<_> = i
        .targets()
        .chains
        .iter()
        .filter_map(|id| s.document.chains.get(id))
        .filter(|c| c.joints.len() > 1 && c.is_overridden_by_all_joints(param))
        .collect();
    if let [first, rest @ ..] = fitted.as_slice() {
        let parameter = i.system().def(param).label;
        s.messages.push_message(Message::CurveFitted { parameter, chain: first.name.clone(), more: rest.len() });
    }
}

/// Number of corrections of a base value under a ring.
const RING_FACTOR_STEPS: usize = 2;

fn feel_edit_kind(param: FeelParam) -> EditKind {
    if param == FeelParam::MaxAngle { EditKind::AngleLimits } else { EditKind::Other }
}

fn feel_label(param: FeelParam, joint_count: usize) -> EditLabel {
    let text = message!("{param} on {n:joint|joints}", param = param.def().label_text(), n = joint_count);
    EditLabel::new(text).with_kind(feel_edit_kind(param))
}

/// Runs commands that edit feel parameters.
fn handle_feel(s: &mut Session, command: Command) {
    let targets = s.inspection().targets();
    let count = targets.joint_count(&s.document);
    match command {
        Command::SetFeel(term, value) => {
            let label = feel_label(term, count);
            let known = authored_values(s, &targets.chains, term);
            restart_drag_edit(s, &label);
            let base = feel_base_for(s, &targets, term, value, &known);
            let edit = set_feel_edit(s, &targets, term, value, &known);
            s.apply(edit, label);
            let known = known.into_iter().map(|(id, authored)| ((id, term), ChainValue { base, ..authored }));
            s.feel.authored_values.extend(known);
            s.feel.last_request = Some((term, value, s.history.current_state()));
        }
        Command::SetFeelBase(chains, term, value) => {
            let targets = EditTargets { chains, joints: Vec::new() };
            let label = feel_label(term, targets.joint_count(&s.document));
            let known = authored_values(s, &targets.chains, term);
            let edit = set_feel_base_edit(s, &targets, term, value, &known);
            s.apply(edit, label);
        }
        Command::ScaleFeel(term, factor) => {
            let edit = s.inspection().feel_context().scale_feel(&targets, term, factor);
            s.apply(edit, feel_label(term, count));
        }
        Command::ResetFeel(term) => {
            let edit = reset_feel_edit(s, &targets, term);
            let text = message!("Reset {param} on {n:joint|joints}", param = term.def().label_text(), n = count);
            s.apply(edit, EditLabel::new(text).with_kind(feel_edit_kind(term)));
        }
        Command::SetFeelCurve(term, curve) => set_feel_curve(s, &targets, term, curve.as_ref()),
        Command::SetFeelRingCurve(term, curve) => set_feel_ring_curve(s, &targets, term, curve.as_ref()),
        _ => {}
    }
    // The cached view also depends on the last request and the authored curves.
    s.feel.cache.take();
}

/// Returns the edit of [`Command::SetFeel`] for the present document.
pub(super) fn feel_edit(s: &Session, term: FeelParam, value: f32) -> (Edit, EditLabel) {
    let targets = s.inspection().targets();
    let label = feel_label(term, targets.joint_count(&s.document));
    (set_feel_edit(s, &targets, term, value, &authored_values(s, &targets.chains, term)), label)
}

/// Returns the authored values that still match the document.
fn authored_values(s: &Session, chains: &[ChainId], term: FeelParam) -> Vec<(ChainId, ChainValue)> {
    let still = |id: &ChainId| {
        let known = s.feel.authored_values.get(&(*id, term))?;
        (s.inspection().feel_chain_value(*id, term)? == *known).then(|| (*id, known.clone()))
    };
    chains.iter().filter_map(still).collect()
}

/// Returns the edit that gives all targets a value. Chains that a ring multiplies by one factor get the base value that
/// results in `value`.
fn set_feel_edit(
    s: &Session,
    targets: &EditTargets,
    term: FeelParam,
    value: f32,
    known: &[(ChainId, ChainValue)],
) -> Edit {
    let base = feel_base_for(s, targets, term, value, known);
    if base == value {
        return set_feel_base_edit(s, targets, term, value, known);
    }
    let chains = EditTargets { chains: targets.chains.clone(), joints: Vec::new() };
    let joints = EditTargets { chains: Vec::new(), joints: targets.joints.clone() };
    let of_joints = s.inspection().feel_context().set_feel(&joints, term, value);
    Edit::Batch(vec![set_feel_base_edit(s, &chains, term, base, known), of_joints])
}

/// Returns the base value that results in `value` under the rings of the target chains. Returns `value` if the rings
/// multiply the chains by different factors.
fn feel_base_for(
    s: &Session,
    targets: &EditTargets,
    term: FeelParam,
    value: f32,
    known: &[(ChainId, ChainValue)],
) -> f32 {
    let factors = targets.chains.iter().map(|id| s.inspection().feel_ring_factor(*id, term));
    let mut base = value / param_edits::common_factor(factors);
    if base == value {
        return base;
    }
    // The ring multiplies parameters, so the factor of the term changes with the base value.
    for _ in 0..RING_FACTOR_STEPS {
        let mut trial = s.document.clone();
        let Ok(()) = trial.apply(set_feel_base_edit(s, targets, term, base, known)) else { break };
        let feels = s.inspection().feel_context_of(&trial);
        base = value / param_edits::common_factor(targets.chains.iter().map(|id| feels.ring_factor(*id, term)));
    }
    base
}

fn set_feel_base_edit(
    s: &Session,
    targets: &EditTargets,
    term: FeelParam,
    value: f32,
    known: &[(ChainId, ChainValue)],
) -> Edit {
    let feels = s.inspection().feel_context();
    let mut rest = targets.clone();
    rest.chains.retain(|id| !known.iter().any(|(known, _)| known == id));
    let mut edits: Vec<Edit> = known
        .iter()
        .map(|(id, authored)| feels.set_chain_value(*id, term, &ChainValue { base: value, ..authored.clone() }))
        .collect();
    edits.push(feels.set_feel(&rest, term, value));
    Edit::Batch(edits)
}

/// Restores the loaded values of a feel parameter and, if they differ, its loaded curve around the ring.
fn reset_feel_edit(s: &Session, targets: &EditTargets, term: FeelParam) -> Edit {
    let loaded = &s.baseline.baseline_document;
    let edit = s.inspection().feel_context().reset_feel(loaded, targets, term);
    let then = s.inspection().feel_context_of(loaded);
    let now = s.inspection().feel_context();
    let differs = |id: &ChainId| now.ring_factor(*id, term) != then.ring_factor(*id, term);
    if !ring::members(&s.document, &targets.chains).iter().any(differs) {
        return edit;
    }
    let mut after = s.document.clone();
    if after.apply(edit.clone()).is_err() {
        return edit;
    }
    let mut edits = vec![edit];
    for ring in s.document.rings_of(&targets.chains) {
        let key = |(id, angle): (ChainId, f32)| RingKey { angle, factor: then.ring_factor(id, term) };
        let curve = RingCurve::through(&s.document.ring_chains(ring).into_iter().map(key).collect::<Vec<_>>());
        edits.push(s.inspection().feel_context_of(&after).set_ring_curve(ring, term, curve.as_ref()));
    }
    Edit::Batch(edits)
}

/// Sets the curve of a feel parameter around the rings of the targets.
fn set_feel_ring_curve(s: &mut Session, targets: &EditTargets, term: FeelParam, curve: Option<&RingCurve>) {
    let label = EditLabel::new(message!("Curve of {param} around the ring", param = term.def().label_text()))
        .with_kind(feel_edit_kind(term));
    let raised = |curve: &RingCurve| {
        let keys = curve.keys().iter().enumerate();
        keys.fold(curve.clone(), |curve, (at, key)| curve.with_factor(at, key.factor.max(MIN_RING_FACTOR)))
    };
    let curve = curve.map(raised);
    restart_drag_edit(s, &label);
    let rings = s.document.rings_of(&chains_of(targets));
    let edits =
        rings.iter().map(|ring| s.inspection().feel_context().set_ring_curve(*ring, term, curve.as_ref())).collect();
    s.apply(Edit::Batch(edits), label);
    let curve = curve.unwrap_or_else(RingCurve::level);
    for ring in rings {
        let chains = s.document.ring_chains(ring);
        let factors = chains.iter().map(|(id, _)| s.inspection().feel_ring_factor(*id, term)).collect();
        s.feel.authored_rings.insert((ring, term), AuthoredRing { curve: curve.clone(), factors });
    }
}

/// Returns the chains of all targets.
fn chains_of(targets: &EditTargets) -> Vec<ChainId> {
    let mut chains = targets.chains.clone();
    chains.extend(targets.joints.iter().map(|(id, _)| *id));
    chains.sort_unstable();
    chains.dedup();
    chains
}

/// Sets a feel curve. Keeps the base value from before the drag.
fn set_feel_curve(s: &mut Session, targets: &EditTargets, term: FeelParam, curve: Option<&Curve>) {
    let chains = chains_of(targets);
    let shaped =
        |id: &ChainId| Some((*id, ChainValue::new(s.inspection().feel_chain_value(*id, term)?.base, curve.cloned())));
    let wanted: Vec<(ChainId, ChainValue)> = chains.iter().filter_map(shaped).collect();
    let n = targets.joint_count(&s.document);
    let text = message!("Curve of {param} on {n:joint|joints}", param = term.def().label_text(), n);
    let label = EditLabel::new(text).with_kind(feel_edit_kind(term));
    restart_drag_edit(s, &label);
    let edits = wanted
        .iter()
        .map(|(id, authored)| s.inspection().feel_context().set_chain_value(*id, term, authored))
        .collect();
    s.apply(Edit::Batch(edits), label);
    s.feel.authored_values.extend(wanted.into_iter().map(|(id, authored)| ((id, term), authored)));
}

/// Restores the state from before the drag. Each step of a drag starts from this state, so dragging back restores it.
fn restart_drag_edit(s: &mut Session, label: &EditLabel) {
    if let Some(touched) = s.history.revert_merged(&mut s.document, label) {
        s.refresh(touched);
    }
}
