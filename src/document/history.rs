use crate::document::{ChainId, ColliderId, Document, Edit, EditError, ForceId, HelperId, SystemId, Touched};
use crate::rig::BoneId;
use crate::schema::Row;
use crate::sim::{SolverKind, Term};
use std::collections::BTreeSet;

/// What a change is called in the Edit menu; the ui finds the words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// Key of the sentence, for example "set" or "import".
    pub what: &'static str,
    /// The parameter it is about, a row of a solver's table.
    pub row: Option<(SolverKind, Row)>,
    /// The term of feel it is about.
    pub term: Option<Term>,
    /// How many joints, chains or rows.
    pub count: usize,
    /// A name that the sentence may carry.
    pub name: String,
    /// Whether the artist is told what came of it, since the picture may not show it.
    pub told: bool,
    /// Whether it says itself that chains leave their material.
    pub lets_go: bool,
}

impl Label {
    /// A label without parameter and name.
    pub fn new(what: &'static str, count: usize) -> Self {
        Self { what, row: None, term: None, count, name: String::new(), told: false, lets_go: false }
    }

    /// About a parameter of a solver.
    #[must_use]
    pub fn row(mut self, solver: SolverKind, row: Row) -> Self {
        self.row = Some((solver, row));
        self
    }

    /// About a term of feel.
    #[must_use]
    pub fn term(mut self, term: Term) -> Self {
        self.term = Some(term);
        self
    }

    /// To be told when it is done.
    #[must_use]
    pub fn told(mut self) -> Self {
        self.told = true;
        self
    }

    /// Lets chains leave their material, in so many words.
    #[must_use]
    pub fn lets_go(mut self) -> Self {
        self.lets_go = true;
        self
    }

    /// About something with a name.
    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }
}

/// Applied changes and how to take them back.
#[derive(Clone, Debug, Default)]
pub struct History {
    undo: Vec<Entry>,
    redo: Vec<Entry>,
    /// The pointer is down: changes with the first one's label join it.
    merging: bool,
    /// The top of `undo` was made since the pointer went down.
    open: bool,
    /// The state of the document that is on disk.
    saved: u64,
    /// The newest state; every change makes one, and none is used twice.
    stamp: u64,
}

#[derive(Clone, Debug)]
struct Entry {
    label: Label,
    /// Leads back (in `undo`) or forth again (in `redo`).
    edit: Edit,
    /// Which state of the document is reached by doing it.
    after: u64,
}

impl History {
    /// Applies `edit` and remembers how to take it back. Joins the entry before it when that was made under the
    /// same [`History::merge`] and has the same label. An edit that changes nothing is no step.
    pub fn apply(&mut self, document: &mut Document, edit: Edit, label: Label) -> Result<Touched, EditError> {
        let asked = edit.clone();
        let (inverse, touched) = document.apply(edit)?;
        if is_idle(&asked, &inverse) {
            return Ok(Touched::Nothing);
        }
        self.redo.clear();
        self.stamp += 1;
        match self.undo.last_mut() {
            Some(top) if self.merging && self.open && top.label == label => {
                let older = std::mem::replace(&mut top.edit, Edit::Batch(Vec::new()));
                top.edit = compact(inverse, older);
                top.after = self.stamp;
            }
            _ => self.undo.push(Entry { label, edit: inverse, after: self.stamp }),
        }
        self.open = self.merging;
        Ok(touched)
    }

    /// Takes back what a change of that label has done since the pointer went down, so that the next one starts from
    /// where the first did; `None` where there is nothing of the kind.
    pub fn restart(&mut self, document: &mut Document, label: &Label) -> Option<Touched> {
        let same = self.merging && self.undo.last().is_some_and(|top| top.label == *label);
        if same { self.cancel(document) } else { None }
    }

    /// From now on changes of one kind are one step (`true`), or again a step each (`false`).
    pub fn merge(&mut self, merging: bool) {
        self.merging = merging;
        self.open = false;
    }

    /// Takes back what was done since the pointer went down, as if it had never been; `None` where nothing was.
    pub fn cancel(&mut self, document: &mut Document) -> Option<Touched> {
        let made = std::mem::take(&mut self.open).then(|| self.undo.pop()).flatten()?;
        let (_, touched) = document.apply(made.edit).expect("an inverse of an applied edit applies");
        Some(touched)
    }

    /// Takes the last step back; `None` when there is none.
    pub fn undo(&mut self, document: &mut Document) -> Option<(Label, Touched)> {
        self.open = false;
        let entry = self.undo.pop()?;
        let (edit, touched) = document.apply(entry.edit).expect("an inverse of an applied edit applies");
        self.redo.push(Entry { edit, label: entry.label.clone(), ..entry });
        Some((entry.label, touched))
    }

    /// Does the step again that was last taken back.
    pub fn redo(&mut self, document: &mut Document) -> Option<(Label, Touched)> {
        self.open = false;
        let entry = self.redo.pop()?;
        let (edit, touched) = document.apply(entry.edit).expect("an inverse of an applied edit applies");
        self.undo.push(Entry { edit, label: entry.label.clone(), ..entry });
        Some((entry.label, touched))
    }

    /// What undo would take back.
    pub fn next_undo(&self) -> Option<&Label> {
        self.undo.last().map(|e| &e.label)
    }

    /// What redo would do again.
    pub fn next_redo(&self) -> Option<&Label> {
        self.redo.last().map(|e| &e.label)
    }

    /// The document as it is now is on disk.
    pub fn mark_saved(&mut self) {
        self.saved = self.current();
    }

    /// Whether the document differs from what was last saved.
    pub fn is_dirty(&self) -> bool {
        self.current() != self.saved
    }

    /// Rewrites every remembered edit, for example when bones got new ids.
    pub fn rewrite(&mut self, mut f: impl FnMut(&mut Edit)) {
        self.undo.iter_mut().chain(&mut self.redo).for_each(|e| f(&mut e.edit));
    }

    /// Which state the document is in; every change makes a new one, undo and redo lead back to old ones.
    pub fn current(&self) -> u64 {
        self.undo.last().map_or(0, |e| e.after)
    }

    /// Whether the document is in this state or came through it.
    pub fn stands_on(&self, state: u64) -> bool {
        state == 0 || self.undo.iter().any(|e| e.after == state)
    }

    /// Whether undo or redo can lead to this state.
    pub fn knows(&self, state: u64) -> bool {
        self.stands_on(state) || self.redo.iter().any(|e| e.after == state)
    }
}

/// Whether an applied edit put only what was there already.
fn is_idle(asked: &Edit, inverse: &Edit) -> bool {
    match (asked, inverse) {
        (Edit::Batch(asked), Edit::Batch(inverse)) => {
            asked.len() == inverse.len() && asked.iter().zip(inverse.iter().rev()).all(|(a, i)| is_idle(a, i))
        }
        _ => asked == inverse,
    }
}

/// What a value-writing edit writes to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Slot {
    System(SystemId, Row),
    Base(ChainId, Row),
    Curve(ChainId, Row),
    Own(ChainId, BoneId, Row),
}

fn slot(edit: &Edit) -> Option<Slot> {
    match edit {
        Edit::SetSystem { system, row, .. } => Some(Slot::System(*system, *row)),
        Edit::SetBase { chain, row, .. } => Some(Slot::Base(*chain, *row)),
        Edit::SetCurve { chain, row, .. } => Some(Slot::Curve(*chain, *row)),
        Edit::SetOwn { chain, bone, row, .. } => Some(Slot::Own(*chain, *bone, *row)),
        _ => None,
    }
}

/// What an edit puts in place of what stands there, for parts that a hand shapes frame by frame.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Helper(HelperId),
    Collider(ColliderId),
    Force(ForceId),
    System(SystemId),
}

fn place(edit: &Edit) -> Option<Place> {
    match edit {
        Edit::PutHelper { id, helper: Some(_) } => Some(Place::Helper(*id)),
        Edit::PutCollider { id, collider: Some(_) } => Some(Place::Collider(*id)),
        Edit::PutForce { id, force: Some(_) } => Some(Place::Force(*id)),
        Edit::PutSystem { id, system: Some(_) } => Some(Place::System(*id)),
        _ => None,
    }
}

/// Whether chains may share their numbers with others after an edit than before.
fn shares_otherwise(edit: &Edit) -> bool {
    matches!(edit, Edit::SetMaterial { .. } | Edit::PutMaterial { .. } | Edit::PutChain { .. } | Edit::SetSolver(_))
}

/// `newer` then `older` as one inverse; a value that `older` restores anyway is not restored twice.
fn compact(newer: Edit, older: Edit) -> Edit {
    let (mut all, mut last) = (Vec::new(), Vec::new());
    flatten(newer, &mut all);
    flatten(older, &mut last);
    // What writes to a slot depends on whom the chain shares its numbers with.
    if all.iter().chain(&last).any(shares_otherwise) {
        all.extend(last);
        return Edit::Batch(all);
    }
    let restored: BTreeSet<_> = last.iter().filter_map(slot).collect();
    let replaced: BTreeSet<_> = last.iter().filter_map(place).collect();
    // Only where nothing else happened between the two: other inverses may need the part as it was in between.
    let is_covered = |e: &Edit| place(e).is_some_and(|place| replaced.contains(&place));
    if all.iter().all(|e| is_covered(e) || slot(e).is_some_and(|slot| restored.contains(&slot))) {
        return Edit::Batch(last);
    }
    all.retain(|e| slot(e).is_none_or(|slot| !restored.contains(&slot)));
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
    use crate::document::{Chain, Joint, Part};
    use crate::schema::{Scope, rows};

    fn open() -> (Document, History, Row) {
        let mut document = Document::default();
        let table = document.main().table();
        let chain = Chain::new("hair", Part::Hair, table, vec![Joint::new(BoneId(1)), Joint::new(BoneId(2))]);
        document.chains.insert(ChainId(1), chain);
        let (row, _) = rows(table).find(|(_, def)| def.scope == Scope::Joint).expect("a row of joints");
        (document, History::default(), row)
    }

    fn set(row: Row, value: f32) -> Edit {
        Edit::SetBase { chain: ChainId(1), row, value }
    }

    #[test]
    fn a_drag_is_one_step_and_the_next_drag_of_the_same_slider_another() {
        let (mut document, mut history, row) = open();
        let before = document.clone();
        let mut drag = |from: f32, document: &mut Document| {
            history.merge(true);
            for i in 0..20_u8 {
                history.apply(document, set(row, from + f32::from(i)), Label::new("set", 2)).expect("a chain");
            }
            history.merge(false);
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
    fn a_long_drag_remembers_each_value_once() {
        let (mut document, mut history, row) = open();
        history.merge(true);
        for i in 0..500_u16 {
            let own = Edit::SetOwn { chain: ChainId(1), bone: BoneId(2), row, value: Some(f32::from(i)) };
            let edit = Edit::Batch(vec![set(row, 7.0 + f32::from(i)), Edit::Batch(vec![own])]);
            history.apply(&mut document, edit, Label::new("set", 2)).expect("a chain");
        }
        let Edit::Batch(inverse) = &history.undo[0].edit else { panic!("a batch") };
        assert_eq!((history.undo.len(), inverse.len()), (1, 2));
    }

    #[test]
    fn a_long_drag_of_a_collider_remembers_it_once_and_goes_back_whole() {
        use crate::document::{Collider, Helper, HelperRole, Node};
        use crate::math::Trs;
        use crate::sim::Shape;
        let (mut document, mut history, _) = open();
        let put = |x: f32| {
            let local = Trs::from_translation(glam::Vec3::X * x);
            let helper =
                Helper { name: "ball".to_owned(), parent: Node::Bone(BoneId(1)), local, role: HelperRole::Plain };
            let collider = Collider::new("ball", Node::Helper(HelperId(1)), Shape::Sphere { radius: x, inside: false });
            Edit::Batch(vec![
                Edit::PutHelper { id: HelperId(1), helper: Some(helper) },
                Edit::PutCollider { id: ColliderId(1), collider: Some(collider) },
            ])
        };
        history.apply(&mut document, put(0.1), Label::new("make", 1)).expect("something new");
        let before = document.clone();
        history.merge(true);
        for i in 0..500_u16 {
            history.apply(&mut document, put(0.2 + f32::from(i)), Label::new("move", 1)).expect("it is there");
        }
        history.merge(false);
        let Edit::Batch(inverse) = &history.undo[1].edit else { panic!("a batch") };
        assert_eq!((history.undo.len(), inverse.len()), (2, 2));
        assert!(history.undo(&mut document).is_some());
        assert_eq!(document, before);
    }

    #[test]
    fn a_long_drag_in_a_components_lists_remembers_the_system_once() {
        let (mut document, mut history, _) = open();
        let before = document.clone();
        history.merge(true);
        for i in 0..500_u16 {
            let system = crate::document::System { name: i.to_string(), ..document.main().clone() };
            let put = Edit::PutSystem { id: document.main_id(), system: Some(Box::new(system)) };
            history.apply(&mut document, put, Label::new("component_curve", 1)).expect("it is there");
        }
        history.merge(false);
        let Edit::Batch(inverse) = &history.undo[0].edit else { panic!("a batch") };
        assert_eq!((history.undo.len(), inverse.len()), (1, 1));
        assert!(history.undo(&mut document).is_some());
        assert_eq!(document, before);
    }

    #[test]
    fn an_edit_that_changes_nothing_is_no_step_and_keeps_what_can_be_redone() {
        let (mut document, mut history, row) = open();
        history.apply(&mut document, set(row, 5.0), Label::new("set", 2)).expect("a chain");
        history.undo(&mut document);
        let now = document.chains[&ChainId(1)].values[row.index()].base;
        for idle in [Edit::Batch(Vec::new()), set(row, now), Edit::Batch(vec![set(row, now)])] {
            assert_eq!(history.apply(&mut document, idle, Label::new("set", 2)), Ok(Touched::Nothing));
        }
        assert_eq!(history.next_undo(), None);
        assert_eq!(history.next_redo().map(|l| l.what), Some("set"));
        assert!(!history.is_dirty());
    }

    #[test]
    fn saved_is_clean_again_after_undo_and_redo_and_never_by_accident() {
        let (mut document, mut history, row) = open();
        let apply = |history: &mut History, document: &mut Document, value| {
            history.apply(document, set(row, value), Label::new("set", 2)).expect("a chain");
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
        assert!(history.is_dirty(), "one step up as when saved, but another one");
        history.undo(&mut document);
        assert!(history.is_dirty());
        assert!(history.redo(&mut document).is_some());
        assert!(history.is_dirty());
    }

    #[test]
    fn what_is_saved_amid_a_drag_is_dirty_when_the_drag_goes_on() {
        let (mut document, mut history, row) = open();
        history.merge(true);
        history.apply(&mut document, set(row, 5.0), Label::new("set", 2)).expect("a chain");
        history.mark_saved();
        history.apply(&mut document, set(row, 6.0), Label::new("set", 2)).expect("a chain");
        assert!(history.is_dirty());
        history.undo(&mut document);
        assert!(history.is_dirty());
    }

    #[test]
    fn a_cancelled_drag_never_was() {
        let (mut document, mut history, row) = open();
        // Values of their own are fitted by the first step of a drag; cancelling brings them back too.
        let own = |value| Edit::SetOwn { chain: ChainId(1), bone: BoneId(1), row, value };
        history.apply(&mut document, own(Some(7.0)), Label::new("set", 1)).expect("a joint");
        let (before, state) = (document.clone(), history.current());
        history.merge(true);
        let fit = Edit::Batch(vec![own(None), set(row, 5.0)]);
        history.apply(&mut document, fit, Label::new("set", 2)).expect("a chain");
        history.apply(&mut document, set(row, 6.0), Label::new("set", 2)).expect("a chain");
        assert!(history.cancel(&mut document).is_some());
        history.merge(false);
        assert_eq!((&document, history.current()), (&before, state));
        assert!(history.next_redo().is_none() && history.cancel(&mut document).is_none());
    }

    #[test]
    fn a_new_edit_forgets_what_was_undone_and_a_refused_one_does_not() {
        let (mut document, mut history, row) = open();
        history.apply(&mut document, set(row, 5.0), Label::new("set", 2)).expect("a chain");
        history.undo(&mut document);
        history.apply(&mut document, set(row, f32::NAN), Label::new("set", 2)).expect_err("NaN");
        assert!(history.next_redo().is_some());
        history.apply(&mut document, set(row, 6.0), Label::new("set", 2)).expect("a chain");
        assert!(history.next_redo().is_none());
    }
}
