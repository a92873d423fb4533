use crate::document::{
    ChainId, ColliderId, Document, Edit, EditError, ForceId, GestureId, GroupId, HelperId, HighLegId, Invalidation,
    MaterialId, SystemId, difference,
};
use std::collections::BTreeSet;
use yuremono_sim::diagnostics::MessageText;
use yuremono_sim::params::ParamId;
use yuremono_sim::rig::BoneId;

/// Describes an edit. Edits with equal labels are merged while the pointer is down.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EditLabel {
    /// The text in the Edit menu, for example "Stiffness on 8 joints".
    pub text: MessageText,
    /// The message after the edit, for example because the change may be invisible in the viewport.
    pub message: Option<MessageText>,
    pub kind: EditKind,
}

/// What an edit does, for edits that need special care.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EditKind {
    #[default]
    Other,
    /// Changes only how far joints can swing.
    AngleLimits,
    /// Unassigns chains from their material, and says so.
    MaterialUnassigned,
    /// Adds a recorded gesture.
    Recording,
}

impl EditLabel {
    pub const fn new(text: MessageText) -> Self {
        Self { text, message: None, kind: EditKind::Other }
    }

    /// Sets [`EditLabel::message`].
    #[must_use]
    pub fn with_message(mut self, message: MessageText) -> Self {
        self.message = Some(message);
        self
    }

    /// Sets [`EditLabel::message`] to the text in the Edit menu.
    #[must_use]
    pub fn show_message(self) -> Self {
        let text = self.text.clone();
        self.with_message(text)
    }

    #[must_use]
    pub const fn with_kind(mut self, kind: EditKind) -> Self {
        self.kind = kind;
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
    /// The document before the top entry of `undo`, if this entry was pushed since the pointer went down.
    before_merging: Option<Box<Document>>,
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
        let merges = self.before_merging.is_some() && self.undo.last().is_some_and(|top| top.label == label);
        let before = (self.merging && !merges).then(|| Box::new(document.clone()));
        let (inverse, invalidation) = document.apply(edit)?;
        if is_no_op(&applied, &inverse) {
            return Ok(Invalidation::Nothing);
        }
        self.redo.clear();
        self.newest_state += 1;
        match (self.undo.last_mut(), &self.before_merging) {
            (Some(top), Some(before)) if merges => {
                top.edit = merge_inverses(inverse, std::mem::take(&mut top.edit), document, before);
                top.state_after = self.newest_state;
            }
            _ => {
                self.undo.push(HistoryEntry { label, edit: inverse, state_after: self.newest_state });
                self.before_merging = before;
            }
        }
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
        self.before_merging = None;
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
        let made = self.before_merging.take().and_then(|_| self.undo.pop())?;
        let (_, invalidation) = document.apply(made.edit).expect("an inverse of an applied edit applies");
        Some(invalidation)
    }

    /// Reverts the last entry. Returns `None` if there is no entry.
    pub fn undo(&mut self, document: &mut Document) -> Option<(EditLabel, Invalidation)> {
        self.before_merging = None;
        let entry = self.undo.pop()?;
        let (edit, invalidation) = document.apply(entry.edit).expect("an inverse of an applied edit applies");
        self.redo.push(HistoryEntry { edit, label: entry.label.clone(), ..entry });
        Some((entry.label, invalidation))
    }

    /// Applies the last undone entry again. Returns `None` if there is no entry.
    pub fn redo(&mut self, document: &mut Document) -> Option<(EditLabel, Invalidation)> {
        self.before_merging = None;
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

    /// Returns the number of elementary edits that the next undo applies.
    pub fn next_undo_size(&self) -> usize {
        self.undo.last().map_or(0, |entry| count_leaves(&entry.edit))
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
        self.before_merging = None;
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

/// What an edit sets. An edit sets its slot to the same value, whatever the slot contains.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum EditSlot {
    SystemValue(SystemId, ParamId),
    BaseValue(ChainId, ParamId),
    Curve(ChainId, ParamId),
    RingCurve(ChainId, ParamId),
    RingPlace(ChainId),
    Override(ChainId, BoneId, ParamId),
    CurveDomain(ChainId),
    Chain(ChainId),
    Material(MaterialId),
    MaterialOfChain(ChainId),
    Helper(HelperId),
    Collider(ColliderId),
    Group(GroupId),
    System(SystemId),
    AllSystems,
    Force(ForceId),
    HighLeg(HighLegId),
    MeshVisible(String),
    Gesture(GestureId),
    BaseMotion(GestureId),
    KeptPose,
    Pivot(ChainId, BoneId),
    Excluded(BoneId),
    Passthrough,
}

/// Returns the slot of an edit; `None` for a batch.
fn edit_slot(edit: &Edit) -> Option<EditSlot> {
    Some(match *edit {
        Edit::SetSystemValue { system, param, .. } => EditSlot::SystemValue(system, param),
        Edit::SetBaseValue { chain, param, .. } => EditSlot::BaseValue(chain, param),
        Edit::SetCurve { chain, param, .. } => EditSlot::Curve(chain, param),
        Edit::SetRingCurve { chain, param, .. } => EditSlot::RingCurve(chain, param),
        Edit::SetRingPlace { chain, .. } => EditSlot::RingPlace(chain),
        Edit::SetOverride { chain, bone, param, .. } => EditSlot::Override(chain, bone, param),
        Edit::SetCurveDomain { chain, .. } => EditSlot::CurveDomain(chain),
        Edit::PutChain { id, .. } => EditSlot::Chain(id),
        Edit::PutMaterial { id, .. } => EditSlot::Material(id),
        Edit::SetMaterial { chain, .. } => EditSlot::MaterialOfChain(chain),
        Edit::PutHelper { id, .. } => EditSlot::Helper(id),
        Edit::PutCollider { id, .. } => EditSlot::Collider(id),
        Edit::PutGroup { id, .. } => EditSlot::Group(id),
        Edit::PutSystem { id, .. } => EditSlot::System(id),
        Edit::SetSolver(_) => EditSlot::AllSystems,
        Edit::PutForce { id, .. } => EditSlot::Force(id),
        Edit::PutHighLeg { id, .. } => EditSlot::HighLeg(id),
        Edit::SetMeshVisible { ref name, .. } => EditSlot::MeshVisible(name.clone()),
        Edit::PutGesture { id, .. } => EditSlot::Gesture(id),
        Edit::SetBaseMotion { id, .. } => EditSlot::BaseMotion(id),
        Edit::SetKeptPose(_) => EditSlot::KeptPose,
        Edit::SetPivot { chain, bone, .. } => EditSlot::Pivot(chain, bone),
        Edit::SetExcluded { bone, .. } => EditSlot::Excluded(bone),
        Edit::SetPassthrough(_) => EditSlot::Passthrough,
        Edit::Batch(_) => return None,
    })
}

/// Combines `newer` and then `older` into one inverse that leads from `document` to `before`. Omits edits of `newer`
/// whose slots `older` restores anyway, so that the inverse of a drag contains each slot once.
fn merge_inverses(newer: Edit, older: Edit, document: &Document, before: &Document) -> Edit {
    let (mut newer_edits, mut older_edits) = (Vec::new(), Vec::new());
    flatten(newer, &mut newer_edits);
    flatten(older, &mut older_edits);
    let restored: BTreeSet<_> = older_edits.iter().filter_map(edit_slot).collect();
    let is_needed = |edit: &&Edit| edit_slot(edit).is_none_or(|slot| !restored.contains(&slot));
    let short = Edit::Batch(newer_edits.iter().filter(is_needed).chain(&older_edits).cloned().collect());
    // An edit can need an omitted edit, or change other slots: materials change all of their chains.
    [short, difference(document, before)].into_iter().find(|edit| restores(edit, document, before)).unwrap_or_else(
        || {
            newer_edits.extend(older_edits);
            Edit::Batch(newer_edits)
        },
    )
}

/// Whether an edit leads from `document` to `before`.
fn restores(edit: &Edit, document: &Document, before: &Document) -> bool {
    let mut trial = document.clone();
    trial.apply(edit.clone()).is_ok() && trial == *before
}

fn flatten(edit: Edit, into: &mut Vec<Edit>) {
    match edit {
        Edit::Batch(edits) => edits.into_iter().for_each(|e| flatten(e, into)),
        leaf => into.push(leaf),
    }
}

fn count_leaves(edit: &Edit) -> usize {
    match edit {
        Edit::Batch(edits) => edits.iter().map(count_leaves).sum(),
        _ => 1,
    }
}

#[cfg(test)]
mod tests;
