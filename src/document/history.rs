use crate::document::{ChainId, ColliderId, Document, Edit, EditError, ForceId, HelperId, Invalidation, SystemId};
use crate::params::ParamId;
use crate::rig::BoneId;
use crate::sim::{FeelParam, SolverKind};
use std::collections::BTreeSet;

/// Describes a change in the Edit menu. The window has a sentence for each key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EditLabel {
    /// Key of the sentence, for example `set` or `import`.
    pub key: &'static str,
    pub param: Option<(SolverKind, ParamId)>,
    pub feel_param: Option<FeelParam>,
    /// Number of joints, chains or rows.
    pub count: usize,
    /// A name that the sentence may contain.
    pub name: String,
    /// Whether a message reports the change, for example because the change may be invisible in the image.
    pub show_message: bool,
    /// Whether the sentence mentions that chains are unassigned from their material.
    pub unassigns_material: bool,
}

impl EditLabel {
    /// Creates a label without a parameter or a name.
    pub fn new(what: &'static str, count: usize) -> Self {
        Self {
            key: what,
            param: None,
            feel_param: None,
            count,
            name: String::new(),
            show_message: false,
            unassigns_material: false,
        }
    }

    #[must_use]
    pub fn param(mut self, solver: SolverKind, row: ParamId) -> Self {
        self.param = Some((solver, row));
        self
    }

    #[must_use]
    pub fn feel_param(mut self, term: FeelParam) -> Self {
        self.feel_param = Some(term);
        self
    }

    /// Sets [`EditLabel::show_message`].
    #[must_use]
    pub fn show_message(mut self) -> Self {
        self.show_message = true;
        self
    }

    /// Sets [`EditLabel::unassigns_material`].
    #[must_use]
    pub fn unassigns_material(mut self) -> Self {
        self.unassigns_material = true;
        self
    }

    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }
}

/// The undo and redo stacks.
#[derive(Clone, Debug, Default)]
pub struct History {
    undo: Vec<HistoryEntry>,
    redo: Vec<HistoryEntry>,
    /// Whether the pointer is down. Changes with the same label are then merged.
    merging: bool,
    /// Whether the top entry of `undo` was pushed since the pointer went down.
    can_merge_into_top: bool,
    /// State number of the saved document.
    saved_state: u64,
    /// The newest state number. State numbers are never reused.
    newest_state: u64,
}

#[derive(Clone, Debug)]
struct HistoryEntry {
    label: EditLabel,
    /// The inverse of the change in `undo`; the change itself in `redo`.
    edit: Edit,
    /// State number of the document after the change.
    state_after: u64,
}

impl History {
    /// Applies `edit` and stores its inverse. During a drag (see [`History::set_merging`]), changes with the same label
    /// are merged into one entry. An edit without an effect adds no entry.
    pub fn apply(&mut self, document: &mut Document, edit: Edit, label: EditLabel) -> Result<Invalidation, EditError> {
        let applied = edit.clone();
        let (inverse, invalidation) = document.apply(edit)?;
        if is_no_op(&applied, &inverse) {
            return Ok(Invalidation::Nothing);
        }
        self.redo.clear();
        self.newest_state += 1;
        match self.undo.last_mut() {
            Some(top) if self.merging && self.can_merge_into_top && top.label == label => {
                let older = std::mem::replace(&mut top.edit, Edit::Batch(Vec::new()));
                top.edit = merge_inverses(inverse, older);
                top.state_after = self.newest_state;
            }
            _ => self.undo.push(HistoryEntry { label, edit: inverse, state_after: self.newest_state }),
        }
        self.can_merge_into_top = self.merging;
        Ok(invalidation)
    }

    /// Reverts the changes with this label since the pointer went down, so the next change starts from the old values.
    /// Returns `None` if there are no such changes.
    pub fn revert_merged(&mut self, document: &mut Document, label: &EditLabel) -> Option<Invalidation> {
        let same = self.merging && self.undo.last().is_some_and(|top| top.label == *label);
        if same { self.cancel(document) } else { None }
    }

    /// Starts or ends a drag. All changes with the same label during a drag are one entry.
    pub fn set_merging(&mut self, merging: bool) {
        self.merging = merging;
        self.can_merge_into_top = false;
    }

    /// Whether a drag is in progress.
    pub fn is_merging(&self) -> bool {
        self.merging
    }

    /// Returns all states that undo and redo can reach, oldest first, each with its number and the change that led to
    /// the state. The first state has no change.
    pub fn states(&self) -> impl DoubleEndedIterator<Item = (u64, Option<&EditLabel>)> {
        let done = self.undo.iter().map(|entry| (entry.state_after, Some(&entry.label)));
        let undone = self.redo.iter().rev().map(|entry| (entry.state_after, Some(&entry.label)));
        [(0, None)].into_iter().chain(done).chain(undone)
    }

    /// Returns the document in a state, from the present document. Returns `None` if undo and redo cannot reach the
    /// state.
    pub fn document_at(&self, state: u64, present: &Document) -> Option<Document> {
        let mut document = present.clone();
        if self.has_passed_state(state) {
            for entry in self.undo.iter().rev().take_while(|entry| entry.state_after != state) {
                document.apply(entry.edit.clone()).ok()?;
            }
            return Some(document);
        }
        for entry in self.redo.iter().rev() {
            document.apply(entry.edit.clone()).ok()?;
            if entry.state_after == state {
                return Some(document);
            }
        }
        None
    }

    /// Reverts and discards the changes since the pointer went down. Returns `None` if there are no such changes.
    pub fn cancel(&mut self, document: &mut Document) -> Option<Invalidation> {
        let made = std::mem::take(&mut self.can_merge_into_top).then(|| self.undo.pop()).flatten()?;
        let (_, invalidation) = document.apply(made.edit).expect("an inverse of an applied edit applies");
        Some(invalidation)
    }

    /// Reverts the last entry. Returns `None` if there is no entry.
    pub fn undo(&mut self, document: &mut Document) -> Option<(EditLabel, Invalidation)> {
        self.can_merge_into_top = false;
        let entry = self.undo.pop()?;
        let (edit, invalidation) = document.apply(entry.edit).expect("an inverse of an applied edit applies");
        self.redo.push(HistoryEntry { edit, label: entry.label.clone(), ..entry });
        Some((entry.label, invalidation))
    }

    /// Applies the last undone entry again. Returns `None` if there is no entry.
    pub fn redo(&mut self, document: &mut Document) -> Option<(EditLabel, Invalidation)> {
        self.can_merge_into_top = false;
        let entry = self.redo.pop()?;
        let (edit, invalidation) = document.apply(entry.edit).expect("an inverse of an applied edit applies");
        self.undo.push(HistoryEntry { edit, label: entry.label.clone(), ..entry });
        Some((entry.label, invalidation))
    }

    pub fn next_undo(&self) -> Option<&EditLabel> {
        self.undo.last().map(|e| &e.label)
    }

    pub fn next_redo(&self) -> Option<&EditLabel> {
        self.redo.last().map(|e| &e.label)
    }

    pub fn mark_saved(&mut self) {
        self.saved_state = self.current_state();
    }

    /// Treats the document as unsaved, whatever undo and redo do. No state number equals the maximum.
    pub fn mark_unsaved(&mut self) {
        self.saved_state = u64::MAX;
    }

    /// Returns how many undo or redo steps lead from the document to the saved state. If no steps lead there, returns
    /// the number of all undo steps.
    pub fn unsaved_steps(&self) -> usize {
        let is_saved = |entry: &HistoryEntry| entry.state_after == self.saved_state;
        if self.saved_state == 0 {
            return self.undo.len();
        }
        match (self.undo.iter().rposition(is_saved), self.redo.iter().rposition(is_saved)) {
            (Some(at), _) => self.undo.len() - at - 1,
            (None, Some(at)) => self.redo.len() - at,
            (None, None) => self.undo.len(),
        }
    }

    /// Whether the document differs from the saved state.
    pub fn is_dirty(&self) -> bool {
        self.current_state() != self.saved_state
    }

    /// Maps every stored edit, for example to new bone ids.
    pub fn map_edits(&mut self, mut f: impl FnMut(&mut Edit)) {
        self.undo.iter_mut().chain(&mut self.redo).for_each(|e| f(&mut e.edit));
    }

    /// Returns the state number of the document. Undo and redo return to earlier state numbers.
    pub fn current_state(&self) -> u64 {
        self.undo.last().map_or(0, |e| e.state_after)
    }

    /// Whether the document is in this state or can reach it by undo.
    pub fn has_passed_state(&self, state: u64) -> bool {
        state == 0 || self.undo.iter().any(|e| e.state_after == state)
    }

    /// Whether undo or redo can reach this state.
    pub fn can_reach_state(&self, state: u64) -> bool {
        self.has_passed_state(state) || self.redo.iter().any(|e| e.state_after == state)
    }
}

/// Whether an edit changed nothing.
fn is_no_op(applied: &Edit, inverse: &Edit) -> bool {
    match (applied, inverse) {
        (Edit::Batch(applied), Edit::Batch(inverse)) => {
            applied.len() == inverse.len() && applied.iter().zip(inverse.iter().rev()).all(|(a, i)| is_no_op(a, i))
        }
        _ => applied == inverse,
    }
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum ValueSlot {
    System(SystemId, ParamId),
    Base(ChainId, ParamId),
    Curve(ChainId, ParamId),
    Override(ChainId, BoneId, ParamId),
}

fn value_slot(edit: &Edit) -> Option<ValueSlot> {
    match edit {
        Edit::SetSystemValue { system, param, .. } => Some(ValueSlot::System(*system, *param)),
        Edit::SetBaseValue { chain, param, .. } => Some(ValueSlot::Base(*chain, *param)),
        Edit::SetCurve { chain, param, .. } => Some(ValueSlot::Curve(*chain, *param)),
        Edit::SetOverride { chain, bone, param, .. } => Some(ValueSlot::Override(*chain, *bone, *param)),
        _ => None,
    }
}

/// An element that a `Put` edit replaces. Only elements that change in every frame of a drag are listed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum ElementSlot {
    Helper(HelperId),
    Collider(ColliderId),
    Force(ForceId),
    System(SystemId),
}

fn element_slot(edit: &Edit) -> Option<ElementSlot> {
    match edit {
        Edit::PutHelper { id, helper: Some(_) } => Some(ElementSlot::Helper(*id)),
        Edit::PutCollider { id, collider: Some(_) } => Some(ElementSlot::Collider(*id)),
        Edit::PutForce { id, force: Some(_) } => Some(ElementSlot::Force(*id)),
        Edit::PutSystem { id, system: Some(_) } => Some(ElementSlot::System(*id)),
        _ => None,
    }
}

/// Whether an edit can change which chains share a material.
fn changes_material_sharing(edit: &Edit) -> bool {
    matches!(edit, Edit::SetMaterial { .. } | Edit::PutMaterial { .. } | Edit::PutChain { .. } | Edit::SetSolver(_))
}

/// Combines `newer` and then `older` into one inverse. Omits edits of `newer` whose values `older` restores anyway.
fn merge_inverses(newer: Edit, older: Edit) -> Edit {
    let (mut all, mut last) = (Vec::new(), Vec::new());
    flatten(newer, &mut all);
    flatten(older, &mut last);
    // With shared materials, an edit of one chain also changes other chains.
    if all.iter().chain(&last).any(changes_material_sharing) {
        all.extend(last);
        return Edit::Batch(all);
    }
    let restored: BTreeSet<_> = last.iter().filter_map(value_slot).collect();
    let replaced: BTreeSet<_> = last.iter().filter_map(element_slot).collect();
    // All of `newer` can be omitted only if it changes nothing else. Other inverses may need the intermediate element.
    let is_covered = |e: &Edit| element_slot(e).is_some_and(|place| replaced.contains(&place));
    if all.iter().all(|e| is_covered(e) || value_slot(e).is_some_and(|slot| restored.contains(&slot))) {
        return Edit::Batch(last);
    }
    all.retain(|e| value_slot(e).is_none_or(|slot| !restored.contains(&slot)));
    all.extend(last);
    Edit::Batch(all)
}

fn flatten(edit: Edit, into: &mut Vec<Edit>) {
    match edit {
        Edit::Batch(edits) => edits.into_iter().for_each(|e| flatten(e, into)),
        leaf => into.push(leaf),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Chain, ChainPart, Joint};
    use crate::params::{ParamScope, enumerate_params};

    fn document_with_chain() -> (Document, History, ParamId) {
        let mut document = Document::default();
        let table = document.main_system().param_defs();
        let chain = Chain::new("hair", ChainPart::Hair, table, vec![Joint::new(BoneId(1)), Joint::new(BoneId(2))]);
        document.chains.insert(ChainId(1), chain);
        let (row, _) =
            enumerate_params(table).find(|(_, def)| def.scope == ParamScope::Joint).expect("a row of joints");
        (document, History::default(), row)
    }

    fn set_base_value(param: ParamId, value: f32) -> Edit {
        Edit::SetBaseValue { chain: ChainId(1), param, value }
    }

    #[test]
    fn each_drag_of_a_slider_is_one_undo_step() {
        let (mut document, mut history, row) = document_with_chain();
        let before = document.clone();
        let mut drag = |from: f32, document: &mut Document| {
            history.set_merging(true);
            for i in 0..20_u8 {
                history
                    .apply(document, set_base_value(row, from + f32::from(i)), EditLabel::new("set", 2))
                    .expect("a chain");
            }
            history.set_merging(false);
            document.clone()
        };
        let first = drag(100.0, &mut document);
        let second = drag(200.0, &mut document);
        assert!(history.undo(&mut document).is_some());
        assert_eq!(document, first);
        assert!(history.undo(&mut document).is_some());
        assert_eq!(document, before);
        assert!(history.undo(&mut document).is_none());
        history.redo(&mut document);
        history.redo(&mut document);
        assert_eq!(document, second);
    }

    #[test]
    fn a_long_drag_stores_one_inverse_per_value() {
        let (mut document, mut history, param) = document_with_chain();
        history.set_merging(true);
        for i in 0..500_u16 {
            let own = Edit::SetOverride { chain: ChainId(1), bone: BoneId(2), param, value: Some(f32::from(i)) };
            let edit = Edit::Batch(vec![set_base_value(param, 7.0 + f32::from(i)), Edit::Batch(vec![own])]);
            history.apply(&mut document, edit, EditLabel::new("set", 2)).expect("a chain");
        }
        let Edit::Batch(inverse) = &history.undo[0].edit else { panic!("a batch") };
        assert_eq!((history.undo.len(), inverse.len()), (1, 2));
    }

    #[test]
    fn a_long_collider_drag_stores_one_inverse_and_undoes_completely() {
        use crate::document::{Collider, Helper, HelperRole, Node};
        use crate::math::Trs;
        use crate::sim::ColliderShape;
        let (mut document, mut history, _) = document_with_chain();
        let put = |x: f32| {
            let local = Trs::from_translation(glam::Vec3::X * x);
            let helper =
                Helper { name: "ball".to_owned(), parent: Node::Bone(BoneId(1)), local, role: HelperRole::Plain };
            let collider =
                Collider::new("ball", Node::Helper(HelperId(1)), ColliderShape::Sphere { radius: x, inside: false });
            Edit::Batch(vec![
                Edit::PutHelper { id: HelperId(1), helper: Some(helper) },
                Edit::PutCollider { id: ColliderId(1), collider: Some(collider) },
            ])
        };
        history.apply(&mut document, put(0.1), EditLabel::new("make", 1)).expect("a new helper");
        let before = document.clone();
        history.set_merging(true);
        for i in 0..500_u16 {
            history.apply(&mut document, put(0.2 + f32::from(i)), EditLabel::new("move", 1)).expect("it exists");
        }
        history.set_merging(false);
        let Edit::Batch(inverse) = &history.undo[1].edit else { panic!("a batch") };
        assert_eq!((history.undo.len(), inverse.len()), (2, 2));
        assert!(history.undo(&mut document).is_some());
        assert_eq!(document, before);
    }

    #[test]
    fn a_long_drag_in_component_lists_stores_the_system_once() {
        let (mut document, mut history, _) = document_with_chain();
        let before = document.clone();
        history.set_merging(true);
        for i in 0..500_u16 {
            let system = crate::document::System { name: i.to_string(), ..document.main_system().clone() };
            let put = Edit::PutSystem { id: document.main_system_id(), system: Some(Box::new(system)) };
            history.apply(&mut document, put, EditLabel::new("component_curve", 1)).expect("it exists");
        }
        history.set_merging(false);
        let Edit::Batch(inverse) = &history.undo[0].edit else { panic!("a batch") };
        assert_eq!((history.undo.len(), inverse.len()), (1, 1));
        assert!(history.undo(&mut document).is_some());
        assert_eq!(document, before);
    }

    #[test]
    fn an_edit_without_effect_adds_no_step_and_keeps_redo() {
        let (mut document, mut history, row) = document_with_chain();
        history.apply(&mut document, set_base_value(row, 5.0), EditLabel::new("set", 2)).expect("a chain");
        history.undo(&mut document);
        let now = document.chains[&ChainId(1)].values[row.index()].base;
        for idle in [Edit::Batch(Vec::new()), set_base_value(row, now), Edit::Batch(vec![set_base_value(row, now)])] {
            assert_eq!(history.apply(&mut document, idle, EditLabel::new("set", 2)), Ok(Invalidation::Nothing));
        }
        assert_eq!(history.next_undo(), None);
        assert_eq!(history.next_redo().map(|l| l.key), Some("set"));
        assert!(!history.is_dirty());
    }

    #[test]
    fn only_returning_to_the_saved_state_makes_the_history_clean() {
        let (mut document, mut history, row) = document_with_chain();
        let apply = |history: &mut History, document: &mut Document, value| {
            history.apply(document, set_base_value(row, value), EditLabel::new("set", 2)).expect("a chain");
        };
        assert!(!history.is_dirty());
        apply(&mut history, &mut document, 5.0);
        assert!(history.is_dirty());
        history.mark_saved();
        history.undo(&mut document);
        assert!(history.is_dirty());
        history.redo(&mut document);
        assert!(!history.is_dirty());
        history.undo(&mut document);
        apply(&mut history, &mut document, 6.0);
        assert!(history.is_dirty(), "as many entries as saved, but another state");
        history.undo(&mut document);
        assert!(history.is_dirty());
        assert!(history.redo(&mut document).is_some());
        assert!(history.is_dirty());
    }

    #[test]
    fn a_document_saved_during_a_drag_is_dirty_after_the_next_change() {
        let (mut document, mut history, row) = document_with_chain();
        history.set_merging(true);
        history.apply(&mut document, set_base_value(row, 5.0), EditLabel::new("set", 2)).expect("a chain");
        history.mark_saved();
        history.apply(&mut document, set_base_value(row, 6.0), EditLabel::new("set", 2)).expect("a chain");
        assert!(history.is_dirty());
        history.undo(&mut document);
        assert!(history.is_dirty());
    }

    #[test]
    fn a_cancelled_drag_restores_the_document_and_the_history() {
        let (mut document, mut history, param) = document_with_chain();
        // The first step of a drag fits a curve to overrides. Cancelling the drag restores the overrides.
        let own = |value| Edit::SetOverride { chain: ChainId(1), bone: BoneId(1), param, value };
        history.apply(&mut document, own(Some(7.0)), EditLabel::new("set", 1)).expect("a joint");
        let (before, state) = (document.clone(), history.current_state());
        history.set_merging(true);
        let fit = Edit::Batch(vec![own(None), set_base_value(param, 5.0)]);
        history.apply(&mut document, fit, EditLabel::new("set", 2)).expect("a chain");
        history.apply(&mut document, set_base_value(param, 6.0), EditLabel::new("set", 2)).expect("a chain");
        assert!(history.cancel(&mut document).is_some());
        history.set_merging(false);
        assert_eq!((&document, history.current_state()), (&before, state));
        assert!(history.next_redo().is_none() && history.cancel(&mut document).is_none());
    }

    #[test]
    fn an_applied_edit_clears_redo_and_a_rejected_edit_keeps_it() {
        let (mut document, mut history, row) = document_with_chain();
        history.apply(&mut document, set_base_value(row, 5.0), EditLabel::new("set", 2)).expect("a chain");
        history.undo(&mut document);
        history.apply(&mut document, set_base_value(row, f32::NAN), EditLabel::new("set", 2)).expect_err("NaN");
        assert!(history.next_redo().is_some());
        history.apply(&mut document, set_base_value(row, 6.0), EditLabel::new("set", 2)).expect("a chain");
        assert!(history.next_redo().is_none());
    }
}
