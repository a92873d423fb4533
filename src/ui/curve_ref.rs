//! References to curves, which stay valid while entries of a list move.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use yuremono_model::document::{ListCurveId, ListKind, Node, SystemId};
use yuremono_session::Session;
use yuremono_sim::FeelParam;
use yuremono_sim::params::ParamId;

/// A curve along a chain, or a curve of an entry of a component list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CurveRef {
    Param(ParamId),
    Feel(FeelParam),
    Component(ComponentCurveRef),
}

/// A curve of a component. The nodes identify the entry, so the reference survives reordering of the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ComponentCurveRef {
    system: SystemId,
    list: ListKind,
    curve_index: usize,
    /// Hash of the nodes of the entry, and the index among entries with the same hash.
    entry_hash: u64,
    occurrence: usize,
}

impl CurveRef {
    /// Creates a reference to a curve of the current component.
    pub fn component(session: &Session, of: ListCurveId) -> Self {
        let entries = entry_hashes(session, of.list);
        let names = entries.get(of.entry).copied().unwrap_or_default();
        let nth = entries.iter().take(of.entry).filter(|other| **other == names).count();
        Self::Component(ComponentCurveRef {
            system: session.inspection().system_id(),
            list: of.list,
            curve_index: of.curve,
            entry_hash: names,
            occurrence: nth,
        })
    }
}

impl ComponentCurveRef {
    /// Returns the position in the current component. Returns `None` for another component or a deleted entry.
    pub fn resolve(self, session: &Session) -> Option<ListCurveId> {
        if self.system != session.inspection().system_id() {
            return None;
        }
        let entries = entry_hashes(session, self.list);
        let mut same = entries.iter().enumerate().filter(|(_, names)| **names == self.entry_hash);
        same.nth(self.occurrence).map(|(entry, _)| ListCurveId { list: self.list, entry, curve: self.curve_index })
    }

    pub fn list_and_curve(self) -> (ListKind, usize) {
        (self.list, self.curve_index)
    }
}

/// Returns a hash of the nodes of each entry. If the list holds a single entry, the hash is 0, so the node may change.
fn entry_hashes(session: &Session, side: ListKind) -> Vec<u64> {
    let names = |entry: &Vec<Node>| {
        let mut hasher = DefaultHasher::new();
        entry.hash(&mut hasher);
        hasher.finish()
    };
    let entries = session.inspection().system().component_lists.entries(side);
    entries.iter().map(|entry| if side.is_single() { 0 } else { names(entry) }).collect()
}
