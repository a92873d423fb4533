//! Putting chains under another solver so that they follow what moves the character now.

use super::Session;

use crate::doc::convert::Conversion;
use crate::doc::convert::refine::{Hear, Matched, Take, refine};
use crate::doc::{ChainId, Document};
use crate::rig::Character;
use crate::sim::SolverKind;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Every search begins with the same numbers, so that it finds the same ones.
const SEED: u64 = 1;

/// All that a search for matching numbers needs, to be carried to another thread.
#[derive(Clone, Debug)]
pub struct MatchJob {
    character: Arc<Character>,
    before: Document,
    conversion: Conversion,
    take: Take,
}

impl MatchJob {
    /// Searches; `None` where `hear`, which is told the share that is done, broke off.
    pub fn run(&self, hear: &mut Hear<'_>) -> Option<Matched> {
        refine(&self.before, &self.character, &self.conversion, &self.take, SEED, hear)
    }

    /// The formula's conversion, where the search begins.
    pub fn conversion(&self) -> &Conversion {
        &self.conversion
    }

    /// The motion that is followed.
    pub fn take(&self) -> &Take {
        &self.take
    }
}

impl Session {
    /// A search for numbers with which these chains, under another solver, follow the present motion as they do now.
    pub fn match_job(&self, chains: &BTreeSet<ChainId>, to: SolverKind) -> MatchJob {
        MatchJob {
            character: Arc::clone(&self.character),
            before: self.document.clone(),
            conversion: self.converted_chains(chains, to),
            take: self.play.take(&self.character, &self.document),
        }
    }
}
