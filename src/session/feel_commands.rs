//! What the commands of feel change in the document.

use super::{Command, Session};
use crate::document::param_edits::EditTargets;
use crate::document::{ChainId, ChainValue, Edit, EditLabel};
use crate::math::Curve;
use crate::sim::FeelParam;

/// Does what the panel asks.
pub(super) fn handle(s: &mut Session, command: Command) {
    let targets = s.inspection().targets();
    let count = targets.joint_count(&s.document);
    match command {
        Command::SetFeel(term, value) => {
            let label = EditLabel::new("feel", count).feel_param(term);
            let laid = authored_values(s, &targets.chains, term);
            restart_drag_edit(s, &label);
            let edit = set_feel_edit(s, &targets, term, value, &laid);
            s.apply(edit, label);
            let base = laid.into_iter().map(|(id, authored)| ((id, term), ChainValue { base: value, ..authored }));
            s.feel.authored_values.extend(base);
            s.feel.last_request = Some((term, value, s.history.current_state()));
        }
        Command::SetFeelBase(chains, term, value) => {
            let targets = EditTargets { chains, joints: Vec::new() };
            let label = EditLabel::new("feel", targets.joint_count(&s.document)).feel_param(term);
            let edit = set_feel_edit(s, &targets, term, value, &authored_values(s, &targets.chains, term));
            s.apply(edit, label);
        }
        Command::ScaleFeel(term, factor) => {
            let edit = s.inspection().feel_reader().scale_feel(&targets, term, factor);
            s.apply(edit, EditLabel::new("feel", count).feel_param(term));
        }
        Command::ResetFeel(term) => {
            let edit = s.inspection().feel_reader().reset_feel(&s.baseline.loaded, &targets, term);
            s.apply(edit, EditLabel::new("feel_reset", count).feel_param(term));
        }
        Command::SetFeelCurve(term, curve) => set_feel_curve(s, &targets, term, curve.as_ref()),
        _ => {}
    }
    // What was asked and laid is part of what is shown.
    s.feel.cache.take();
}

/// What the artist laid on chains and still holds.
fn authored_values(s: &Session, chains: &[ChainId], term: FeelParam) -> Vec<(ChainId, ChainValue)> {
    let still = |id: &ChainId| {
        let laid = s.feel.authored_values.get(&(*id, term))?;
        (s.inspection().feel_chain_value(*id, term)? == *laid).then(|| (*id, laid.clone()))
    };
    chains.iter().filter_map(still).collect()
}

fn set_feel_edit(
    s: &Session,
    targets: &EditTargets,
    term: FeelParam,
    value: f32,
    laid: &[(ChainId, ChainValue)],
) -> Edit {
    let feels = s.inspection().feel_reader();
    let mut rest = targets.clone();
    rest.chains.retain(|id| !laid.iter().any(|(laid, _)| laid == id));
    let mut edits: Vec<Edit> = laid
        .iter()
        .map(|(id, authored)| feels.set_chain_value(*id, term, &ChainValue { base: value, ..authored.clone() }))
        .collect();
    edits.push(feels.set_feel(&rest, term, value));
    Edit::Batch(edits)
}

/// The base stays what it was when the curve began to be shaped.
fn set_feel_curve(s: &mut Session, targets: &EditTargets, term: FeelParam, curve: Option<&Curve>) {
    let mut chains = targets.chains.clone();
    chains.extend(targets.joints.iter().map(|(id, _)| *id));
    chains.sort_unstable();
    chains.dedup();
    let shaped = |id: &ChainId| {
        Some((*id, ChainValue { base: s.inspection().feel_chain_value(*id, term)?.base, curve: curve.cloned() }))
    };
    let wanted: Vec<(ChainId, ChainValue)> = chains.iter().filter_map(shaped).collect();
    let label = EditLabel::new("feel_curve", targets.joint_count(&s.document)).feel_param(term);
    restart_drag_edit(s, &label);
    let edits =
        wanted.iter().map(|(id, authored)| s.inspection().feel_reader().set_chain_value(*id, term, authored)).collect();
    s.apply(Edit::Batch(edits), label);
    s.feel.authored_values.extend(wanted.into_iter().map(|(id, authored)| ((id, term), authored)));
}

/// A drag starts anew from where it began at each of its steps, so that the way there and back leaves nothing behind.
fn restart_drag_edit(s: &mut Session, label: &EditLabel) {
    if let Some(touched) = s.history.revert_merged(&mut s.document, label) {
        s.refresh(touched);
    }
}
