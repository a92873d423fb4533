//! What the commands of feel change in the document.

use super::{Command, Session};
use crate::document::tune::Targets;
use crate::document::{Authored, ChainId, Edit, Label};
use crate::math::Curve;
use crate::sim::Term;

/// Does what the panel asks.
pub(super) fn handle(s: &mut Session, command: Command) {
    let targets = s.inspection().targets();
    let count = targets.joint_count(&s.document);
    match command {
        Command::SetTerm(term, value) => {
            let label = Label::new("feel", count).term(term);
            let laid = laid(s, &targets.chains, term);
            restart(s, &label);
            let edit = set(s, &targets, term, value, &laid);
            s.apply(edit, label);
            let base = laid.into_iter().map(|(id, authored)| ((id, term), Authored { base: value, ..authored }));
            s.feel.laid.extend(base);
            s.feel.asked = Some((term, value, s.history.current()));
        }
        Command::SetTermBase(chains, term, value) => {
            let targets = Targets { chains, joints: Vec::new() };
            let label = Label::new("feel", targets.joint_count(&s.document)).term(term);
            let edit = set(s, &targets, term, value, &laid(s, &targets.chains, term));
            s.apply(edit, label);
        }
        Command::ScaleTerm(term, factor) => {
            let edit = s.inspection().feels().scale(&targets, term, factor);
            s.apply(edit, Label::new("feel", count).term(term));
        }
        Command::ResetTerm(term) => {
            let edit = s.inspection().feels().reset(&s.baseline.loaded, &targets, term);
            s.apply(edit, Label::new("feel_reset", count).term(term));
        }
        Command::SetTermCurve(term, curve) => set_curve(s, &targets, term, curve.as_ref()),
        _ => {}
    }
    // What was asked and laid is part of what is shown.
    s.feel.shown.take();
}

/// What the artist laid on chains and still holds.
fn laid(s: &Session, chains: &[ChainId], term: Term) -> Vec<(ChainId, Authored)> {
    let still = |id: &ChainId| {
        let laid = s.feel.laid.get(&(*id, term))?;
        (s.inspection().term_of(*id, term)? == *laid).then(|| (*id, laid.clone()))
    };
    chains.iter().filter_map(still).collect()
}

fn set(s: &Session, targets: &Targets, term: Term, value: f32, laid: &[(ChainId, Authored)]) -> Edit {
    let feels = s.inspection().feels();
    let mut rest = targets.clone();
    rest.chains.retain(|id| !laid.iter().any(|(laid, _)| laid == id));
    let mut edits: Vec<Edit> =
        laid.iter().map(|(id, authored)| feels.lay(*id, term, &Authored { base: value, ..authored.clone() })).collect();
    edits.push(feels.set(&rest, term, value));
    Edit::Batch(edits)
}

/// The base stays what it was when the curve began to be shaped.
fn set_curve(s: &mut Session, targets: &Targets, term: Term, curve: Option<&Curve>) {
    let mut chains = targets.chains.clone();
    chains.extend(targets.joints.iter().map(|(id, _)| *id));
    chains.sort_unstable();
    chains.dedup();
    let shaped =
        |id: &ChainId| Some((*id, Authored { base: s.inspection().term_of(*id, term)?.base, curve: curve.cloned() }));
    let wanted: Vec<(ChainId, Authored)> = chains.iter().filter_map(shaped).collect();
    let label = Label::new("feel_curve", targets.joint_count(&s.document)).term(term);
    restart(s, &label);
    let edits = wanted.iter().map(|(id, authored)| s.inspection().feels().lay(*id, term, authored)).collect();
    s.apply(Edit::Batch(edits), label);
    s.feel.laid.extend(wanted.into_iter().map(|(id, authored)| ((id, term), authored)));
}

/// A drag starts anew from where it began at each of its steps, so that the way there and back leaves nothing behind.
fn restart(s: &mut Session, label: &Label) {
    if let Some(touched) = s.history.restart(&mut s.document, label) {
        s.refresh(touched);
    }
}
