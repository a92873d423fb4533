//! The part of a document that one solver moves, as tables and files of that engine hold it, and back.

use super::{Chain, ChainId, Document, HelperId, Node, Setup, SystemId};
use crate::sim::SolverKind;
use std::borrow::Cow;
use std::collections::BTreeMap;

impl Document {
    /// Without the chains and systems of other solvers; colliders, helpers and all else stay. What is made in it gets no id
    /// of the whole, be it that what had one there is taken away meanwhile: what is out of sight may still name that. As it
    /// is where no other solver is there, or where that one is not.
    pub fn only(&self, solver: SolverKind) -> Cow<'_, Self> {
        let is_pure = self.systems.values().all(|system| system.solver == solver);
        if is_pure || self.system_under(solver).is_none() {
            return Cow::Borrowed(self);
        }
        let mut only = Self { beyond: self.fresh_ids(), ..self.clone() };
        let Setup { systems, chains, .. } = &mut only.setup;
        systems.retain(|_, system| system.solver == solver);
        chains.retain(|_, chain| systems.contains_key(&chain.system));
        Cow::Owned(only)
    }

    /// Without the chains and systems but one, as [`Document::only`] otherwise. Others of its solver may share materials
    /// with it: [`Document::away`] says which.
    pub fn only_system(&self, id: SystemId) -> Cow<'_, Self> {
        if self.systems.len() == 1 || !self.systems.contains_key(&id) {
            return Cow::Borrowed(self);
        }
        let mut only = Self { beyond: self.fresh_ids(), ..self.clone() };
        only.systems.retain(|other, _| *other == id);
        let (here, gone) = std::mem::take(&mut only.chains).into_iter().partition(|(_, chain)| chain.system == id);
        only.chains = here;
        let gone: BTreeMap<ChainId, Chain> = gone;
        only.away.extend(gone.iter().filter_map(|(id, chain)| Some((*id, chain.material?))));
        Cow::Owned(only)
    }

    /// The whole again after [`Document::only`] became `after`, in which nothing new has an id of the whole: chains of other
    /// solvers are as they were, without colliders that are gone; helpers that they hang on stay.
    #[must_use]
    pub fn rejoin(&self, only: &Self, mut after: Self) -> Self {
        for (id, chain) in self.chains.iter().filter(|(id, _)| !only.chains.contains_key(id)) {
            let mut chain = chain.clone();
            chain.groups.retain(|group| after.groups.contains_key(group));
            chain.joints.iter_mut().for_each(|j| j.colliders.retain(|c| after.colliders.contains_key(c)));
            let nodes =
                chain.joints.iter().flat_map(|j| j.pivot.into_iter().chain(j.length_targets.iter().map(|t| t.node)));
            for node in nodes.chain(chain.center) {
                self.keep_helper(node, &mut after.helpers);
            }
            if let Some((id, material)) = chain.material.and_then(|id| Some((id, self.materials.get(&id)?))) {
                after.materials.entry(id).or_insert_with(|| material.clone());
            }
            after.chains.insert(*id, chain);
        }
        for (id, system) in self.systems.iter().filter(|(id, _)| !only.systems.contains_key(id)) {
            let mut system = system.clone();
            system.extras.keep_colliders(|collider| after.colliders.contains_key(&collider));
            for node in system.nodes() {
                self.keep_helper(node, &mut after.helpers);
            }
            after.systems.insert(*id, system);
        }
        after.beyond = self.beyond;
        after.away.clone_from(&self.away);
        after
    }

    /// Puts a helper back with all that it hangs on.
    fn keep_helper(&self, node: Node, helpers: &mut BTreeMap<HelperId, super::Helper>) {
        let Node::Helper(id) = node else { return };
        if let Some(helper) = self.helpers.get(&id).filter(|_| !helpers.contains_key(&id)) {
            helpers.insert(id, helper.clone());
            self.keep_helper(helper.parent, helpers);
        }
    }
}
