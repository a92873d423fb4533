//! Which curve is meant, so that it is found again whatever stands before it now.

use crate::doc::{Node, Side, SideCurve, SystemId};
use crate::schema::Row;
use crate::session::Session;
use crate::sim::Term;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

/// What a curve is of: it runs along a chain, or within an entry of a component's lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CurveOf {
    /// A parameter of the solver.
    Row(Row),
    /// A term of feel.
    Term(Term),
    /// A curve of a component.
    Side(SideOf),
}

/// A curve of a component, by whose component it is and what its entry names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SideOf {
    system: SystemId,
    side: Side,
    curve: usize,
    /// What the entry names, and which one it is of entries that name the same.
    names: u64,
    nth: usize,
}

impl CurveOf {
    /// A curve of the tuned component.
    pub fn side(session: &Session, of: SideCurve) -> Self {
        let entries = named(session, of.side);
        let names = entries.get(of.entry).copied().unwrap_or_default();
        let nth = entries.iter().take(of.entry).filter(|other| **other == names).count();
        Self::Side(SideOf { system: session.system_id(), side: of.side, curve: of.curve, names, nth })
    }
}

impl SideOf {
    /// Where it stands in the tuned component; `None` where it is another's, or its entry is gone.
    pub fn place(self, session: &Session) -> Option<SideCurve> {
        if self.system != session.system_id() {
            return None;
        }
        let entries = named(session, self.side);
        let mut same = entries.iter().enumerate().filter(|(_, names)| **names == self.names);
        same.nth(self.nth).map(|(entry, _)| SideCurve { side: self.side, entry, curve: self.curve })
    }

    /// Its list, and its position among the curves of that.
    pub fn kind(self) -> (Side, usize) {
        (self.side, self.curve)
    }
}

/// What the entries of a list name. Where there is but one, it is the same whatever node is chosen for it.
fn named(session: &Session, side: Side) -> Vec<u64> {
    let names = |entry: &Vec<Node>| {
        let mut hasher = DefaultHasher::new();
        entry.hash(&mut hasher);
        hasher.finish()
    };
    let entries = session.system().extras.entries(side);
    entries.iter().map(|entry| if side.is_single() { 0 } else { names(entry) }).collect()
}
