//! The lists of a system with the names that a project has for nodes and colliders.

use super::load::Load;
use super::save::Bones;
use super::{BoneIndex, Node};
use crate::doc::saved::SavedExtras;
use crate::doc::{ColliderId, Extras};
use crate::sim::SolverKind;
use std::cell::RefCell;

/// Nodes by bones and helpers of the file, bones of points by their numbers, colliders by id.
pub(in crate::format::project) type Lists = SavedExtras<Node, BoneIndex, u32>;

/// `None` where nothing is said.
pub(super) fn save(extras: &Extras, bones: &mut Bones<'_>) -> Option<Lists> {
    if extras.is_empty() {
        return None;
    }
    let bones = RefCell::new(bones);
    let node = |node: &_| Some(bones.borrow_mut().node(*node));
    let named = extras.rename(node, |bone| Some(bones.borrow_mut().index(*bone)), |id| Some(id.0));
    Some(named.into())
}

/// The lists of a solver; what names something that is not there is left out and told.
pub(super) fn load(saved: Lists, solver: SolverKind, load: &mut Load<'_>, at: &str) -> Extras {
    let (named, strangers) = saved.into_extras(solver);
    for key in strangers {
        load.warn(at, format!("this solver has no \"{}\"; left out", crate::report::clip(&key)));
    }
    let load = RefCell::new(load);
    let collider = |id: &u32| load.borrow_mut().has_collider(*id, at).then_some(ColliderId(*id));
    let node = |node: &Node| load.borrow_mut().node(*node, at);
    named.rename(node, |bone| load.borrow_mut().bone(*bone, at), collider).without_doubles()
}
