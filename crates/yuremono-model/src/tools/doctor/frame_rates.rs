//! Findings about stiffness and the length of a step.

use super::{Examination, Finding, FindingKind};
use crate::document::param_edits::EditTargets;
use crate::document::{ChainId, Document, Edit, SystemId, groups};
use crate::feel::params::FeelContext;
use crate::tools::clipping_fixes::chain_list;
use std::collections::BTreeMap;
use yuremono_sim::diagnostics::message;
use yuremono_sim::linear_spring::SpringFeel;
use yuremono_sim::params::ParamKind;
use yuremono_sim::rig::{BoneId, Skeleton};
use yuremono_sim::{FeelParam, SolverKind, SolverOrigin};

/// The frame rate that is compared with the previewed one, and the one that is compared with it.
const COMPARED_RATES: [u32; 2] = [120, 60];
/// Relative change of the stiffness that counts.
const MIN_CHANGE: f32 = 0.1;
/// Springs below this frequency are too slow for a comparison, in Hz.
const MIN_FREQUENCY_HZ: f32 = 0.05;

/// Whether a step moves a tip so far past its rest position that it ends on the other side with more than the speed that
/// it had: the tip then changes sides in every step.
fn overshoots(feel: SpringFeel, step: f32) -> bool {
    let linear = feel.to_recurrence(step);
    linear.offset_removed > 1.0 + linear.velocity_retention
}

pub(super) fn unstable_stiffness(examination: &Examination<'_>) -> Vec<Finding> {
    let frame = 1.0 / examination.frame_rate.max(1) as f32;
    let context = FeelContext::new(examination.document, examination.skeleton()).with_frame_seconds(frame);
    // The excess of each joint: its frequency as a multiple of a stable one.
    let mut found: Vec<(f32, ChainId, BoneId, f32)> = Vec::new();
    for (id, chain) in &examination.document.chains {
        let step = chain_step_seconds(examination.document, *id, frame);
        for (joint, response) in chain.joints.iter().zip(context.responses(*id)) {
            let feel = response.feel();
            let is_there = joint.enabled && joint.bone.index() < examination.skeleton().len();
            if is_there && overshoots(feel, step) {
                let stable = stable_frequency(feel, step);
                found.push((feel.frequency_hz / stable, *id, joint.bone, stable));
            }
        }
    }
    found.sort_by(|a, b| b.0.total_cmp(&a.0));
    if found.is_empty() {
        return Vec::new();
    }
    let bones: Vec<BoneId> = found.iter().map(|(_, _, bone, _)| *bone).collect();
    let message = message!(
        "{joints}: too stiff for {rate} steps per second: every step overshoots, so the joint shakes or flips. Lower the \
         stiffness, or raise the drag",
        joints = examination.bone_names(&bones),
        rate = format!("{:.0}", 1.0 / chain_step_seconds(examination.document, found[0].1, frame))
    );
    let fix = soften(examination.document, &context, &found);
    vec![Finding::new(FindingKind::UnstableStiffness, message, bones).with_fix(fix)]
}

fn chain_step_seconds(document: &Document, chain: ChainId, frame: f32) -> f32 {
    let chain = &document.chains[&chain];
    document.solver_of(chain).step_seconds(document.system_values_of(chain), frame)
}

/// The highest frequency of steps that come only half as far as a step that overshoots.
fn stable_frequency(feel: SpringFeel, step: f32) -> f32 {
    let is_stable = |frequency_hz: f32| {
        let linear = SpringFeel { frequency_hz, ..feel }.to_recurrence(step);
        linear.offset_removed <= 0.5 * (1.0 + linear.velocity_retention)
    };
    let [mut low, mut high] = [0.0, feel.frequency_hz];
    for _ in 0..24 {
        let middle = 0.5 * (low + high);
        if is_stable(middle) { low = middle } else { high = middle }
    }
    low.max(MIN_FREQUENCY_HZ)
}

fn soften(document: &Document, context: &FeelContext<'_>, found: &[(f32, ChainId, BoneId, f32)]) -> Option<Edit> {
    let mut edits = Vec::new();
    let mut whole: BTreeMap<ChainId, f32> = BTreeMap::new();
    for (excess, id, bone, stable) in found {
        if context.unavailable_reason(*id, FeelParam::Speed).is_some() {
            continue;
        }
        if groups::has_values_per_chain(document.system_of(&document.chains[id])) {
            let most = whole.entry(*id).or_insert(*excess);
            *most = most.max(*excess);
        } else {
            let targets = EditTargets { chains: Vec::new(), joints: vec![(*id, *bone)] };
            edits.push(context.set_feel(&targets, FeelParam::Speed, *stable));
        }
    }
    for (id, excess) in whole {
        let targets = EditTargets { chains: vec![id], joints: Vec::new() };
        edits.push(context.scale_feel(&targets, FeelParam::Speed, 1.0 / excess));
    }
    (!edits.is_empty()).then_some(Edit::Batch(edits))
}

/// One finding for each solver whose springs get stiffer or softer with the frame rate.
pub(super) fn frame_rate_dependence(examination: &Examination<'_>) -> Vec<Finding> {
    let (document, skeleton) = (examination.document, examination.skeleton());
    let rate = examination.frame_rate.max(1);
    let other = if rate == COMPARED_RATES[0] { COMPARED_RATES[1] } else { COMPARED_RATES[0] };
    let mut by_solver: BTreeMap<SolverKind, (Vec<ChainId>, Vec<f32>)> = BTreeMap::new();
    for (id, chain) in &document.chains {
        let [here, there] = [rate, other].map(|rate| frequencies(document, skeleton, *id, rate));
        let changes = stiffness_changes(&here, &there);
        if changes.iter().any(|change| change.abs() > MIN_CHANGE) {
            let (chains, all) = by_solver.entry(document.solver_of(chain)).or_default();
            chains.push(*id);
            all.extend(changes);
        }
    }
    let mut findings = Vec::new();
    for (solver, (chains, mut changes)) in by_solver {
        changes.sort_by(f32::total_cmp);
        let change = changes[changes.len() / 2];
        if change.abs() <= MIN_CHANGE {
            continue;
        }
        let engine = match solver.info().origin {
            SolverOrigin::Unity => "Unity",
            SolverOrigin::Format => "VRM",
            SolverOrigin::Unreal => "Unreal",
            SolverOrigin::Documentation => solver.key(),
        };
        let names = chain_list(document, &chains);
        let percent = format!("{:.0}", 100.0 * change.abs());
        let effect = if change > 0.0 {
            message!(
                "{names}: at {other} fps, {engine} shows the springs {percent} % stiffer than at {rate} fps",
                names,
                other,
                engine,
                percent,
                rate
            )
        } else {
            message!(
                "{names}: at {other} fps, {engine} shows the springs {percent} % softer than at {rate} fps",
                names,
                other,
                engine,
                percent,
                rate
            )
        };
        let fix = frame_rate_independent_setting(examination, solver, &chains, [rate, other]);
        let text = match &fix {
            Some(SettingFix { param, value, .. }) => {
                message!("{effect}. Set {param} to {value}", effect, param = *param, value = value.as_str())
            }
            None => message!("{effect}. Preview both frame rates before you decide on the stiffness", effect),
        };
        let joints = chains.iter().flat_map(|id| &document.chains[id].joints);
        let bones = joints.map(|joint| joint.bone).filter(|bone| bone.index() < skeleton.len());
        let finding = Finding::new(FindingKind::FrameRate, text, bones);
        findings.push(finding.with_fix(fix.map(|fix| fix.edit)));
    }
    findings
}

/// A setting of a solver that ends the dependence on the frame rate.
struct SettingFix {
    param: &'static str,
    value: String,
    edit: Edit,
}

/// Returns the setting of a solver that ends the dependence on the frame rate. `None` if the dependence would remain, or if
/// the motion at the common frame rate would change.
fn frame_rate_independent_setting(
    examination: &Examination<'_>,
    solver: SolverKind,
    chains: &[ChainId],
    rates: [u32; 2],
) -> Option<SettingFix> {
    let (document, skeleton) = (examination.document, examination.skeleton());
    let (param, value) = solver.info().frame_rate_independent_setting?;
    let with_chains = |id: &SystemId| chains.iter().any(|chain| document.chains[chain].system == *id);
    let systems = document.systems.keys().copied().filter(with_chains);
    let edit = Edit::Batch(systems.map(|system| Edit::SetSystemValue { system, param, value }).collect());
    let mut steady = document.clone();
    steady.apply(edit.clone()).ok()?;
    let is_kept = |id: &ChainId| {
        let before = frequencies(document, skeleton, *id, COMPARED_RATES[1]);
        rates.iter().all(|rate| {
            let changes = stiffness_changes(&before, &frequencies(&steady, skeleton, *id, *rate));
            changes.iter().all(|change| change.abs() <= MIN_CHANGE)
        })
    };
    let def = &solver.info().params[param.index()];
    let value = match def.kind {
        ParamKind::Choice(names) => names[value as usize].to_owned(),
        ParamKind::Toggle => (value != 0.0).to_string(),
        ParamKind::Number | ParamKind::Degrees | ParamKind::Integer => value.to_string(),
    };
    chains.iter().all(is_kept).then_some(SettingFix { param: def.name, value, edit })
}

/// The relative changes of the stiffness between two lists of frequencies.
fn stiffness_changes(before: &[f32], after: &[f32]) -> Vec<f32> {
    let pairs = before.iter().zip(after).filter(|(before, _)| **before > MIN_FREQUENCY_HZ);
    pairs.map(|(before, after)| (after / before).powi(2) - 1.0).filter(|change| change.is_finite()).collect()
}

/// The frequency of each joint as players see it at a frame rate, in Hz.
fn frequencies(document: &Document, skeleton: &Skeleton, id: ChainId, rate: u32) -> Vec<f32> {
    let frame = 1.0 / rate as f32;
    let chain = &document.chains[&id];
    let context = FeelContext::new(document, skeleton).with_frame_seconds(frame);
    let values = document.system_values_of(chain);
    let solver = document.solver_of(chain);
    // A solver that takes one fixed step per frame runs faster at a higher frame rate.
    let pace = if solver.frame_rate_independent(values) { 1.0 } else { solver.step_seconds(values, frame) / frame };
    context.responses(id).into_iter().map(|response| response.frequency_hz * pace).collect()
}
