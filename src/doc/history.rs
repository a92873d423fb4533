use super::{Document, Edit, EditError, Touched};
use crate::schema::Row;

/// What a change is called in the Edit menu; the ui finds the words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// Key of the sentence, for example "set" or "import".
    pub what: &'static str,
    /// The parameter it is about.
    pub row: Option<Row>,
    /// How many joints, chains or rows.
    pub count: usize,
    /// A name that the sentence may carry.
    pub name: String,
}

impl Label {
    /// A label without parameter and name.
    pub fn new(what: &'static str, count: usize) -> Self {
        Self { what, row: None, count, name: String::new() }
    }

    /// About a parameter.
    #[must_use]
    pub fn row(mut self, row: Row) -> Self {
        self.row = Some(row);
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
    /// While the pointer is down: changes with the first one's label join it.
    merging: bool,
    /// Length of `undo` plus a stamp of its top, when last saved.
    saved: u64,
    stamp: u64,
}

#[derive(Clone, Debug)]
struct Entry {
    label: Label,
    /// Leads back (in `undo`) or forth again (in `redo`).
    edit: Edit,
    /// Which state of the document lies below this entry.
    before: u64,
    /// Which state lies above it.
    after: u64,
}

impl History {
    /// Applies `edit` and remembers how to take it back. Joins the entry before it while [`History::merge`] holds
    /// and the label is the same.
    pub fn apply(&mut self, document: &mut Document, edit: Edit, label: Label) -> Result<Touched, EditError> {
        let (inverse, touched) = document.apply(edit)?;
        self.redo.clear();
        let before = self.current();
        self.stamp += 1;
        let after = self.stamp;
        match self.undo.last_mut() {
            Some(top) if self.merging && top.label == label => {
                let older = std::mem::replace(&mut top.edit, Edit::Batch(Vec::new()));
                top.edit = compact(inverse, older);
                top.after = after;
            }
            _ => self.undo.push(Entry { label, edit: inverse, before, after }),
        }
        Ok(touched)
    }

    /// From now on changes of one kind are one step (`true`), or again a step each (`false`).
    pub fn merge(&mut self, merging: bool) {
        self.merging = merging;
    }

    /// Takes the last step back; `None` when there is none.
    pub fn undo(&mut self, document: &mut Document) -> Option<(Label, Touched)> {
        self.merging = false;
        let entry = self.undo.pop()?;
        let (edit, touched) = document.apply(entry.edit).expect("an inverse of an applied edit applies");
        self.redo.push(Entry { edit, label: entry.label.clone(), ..entry });
        Some((entry.label, touched))
    }

    /// Does the step again that was last taken back.
    pub fn redo(&mut self, document: &mut Document) -> Option<(Label, Touched)> {
        self.merging = false;
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

    fn current(&self) -> u64 {
        self.undo.last().map_or(self.redo.last().map_or(0, |e| e.before), |e| e.after)
    }
}

/// `newer` then `older` as one inverse; a value that `older` restores anyway is not restored twice.
fn compact(newer: Edit, older: Edit) -> Edit {
    let flat = |edit| if let Edit::Batch(edits) = edit { edits } else { vec![edit] };
    let older = flat(older);
    let mut all: Vec<_> = flat(newer).into_iter().filter(|e| !older.iter().any(|o| same_target(o, e))).collect();
    all.extend(older);
    Edit::Batch(all)
}

fn same_target(a: &Edit, b: &Edit) -> bool {
    match (a, b) {
        (Edit::SetSystem { row: a, .. }, Edit::SetSystem { row: b, .. }) => a == b,
        (Edit::SetBase { chain: a, row: ra, .. }, Edit::SetBase { chain: b, row: rb, .. })
        | (Edit::SetCurve { chain: a, row: ra, .. }, Edit::SetCurve { chain: b, row: rb, .. }) => a == b && ra == rb,
        (Edit::SetOwn { bone: a, row: ra, .. }, Edit::SetOwn { bone: b, row: rb, .. }) => a == b && ra == rb,
        _ => false,
    }
}
