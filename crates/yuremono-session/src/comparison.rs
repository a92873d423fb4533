//! Compares the present tuning (A) with another tuning (B), or several values of one parameter, on the same motion.
//!
//! B and the variants of a sweep are worlds that follow the live world. They change no document: taking a value, a chain
//! or a variant across is an edit like any other.

mod sweep;

pub use sweep::{Sweep, SweepProblem, SweepSettings, SweepSubject};

use super::Session;
use super::inspection::PresetApplication;
use super::playback::changed_chains;
use glam::Vec3;
use std::collections::BTreeSet;
use yuremono_model::document::{Chain, ChainId, Document, EditLabel};
use yuremono_model::exchange::DocumentComparison;
use yuremono_model::feel::preset::LocalizedText;
use yuremono_sim::rig::WorldPose;

/// Space between two bodies, as a share of the height of the character.
const BODY_GAP: f32 = 0.15;
/// Smallest and largest distance between two bodies, as shares of the height of the character.
const BODY_SPACING_RANGE: (f32, f32) = (0.3, 1.6);

/// The tuning to compare with.
#[derive(Clone, Debug, PartialEq)]
pub enum CompareWith {
    /// The last snapshot, if [`Self::Present`] was the last choice. Otherwise the tuning before the last changes: as the
    /// preset of the selected chains left it, else as loaded. If nothing has changed, the present tuning.
    Before,
    /// The present tuning, which stays while the artist tunes on.
    Present,
    AsLoaded,
    /// The present tuning with a preset.
    Preset(PresetApplication),
    /// The state of the history with this number.
    HistoryState(u64),
    /// The setup of a file on this character.
    File {
        name: String,
        document: Document,
    },
}

/// What B is.
#[derive(Clone, Debug, PartialEq)]
pub enum CompareSource {
    /// The tuning when the comparison started.
    Present,
    AsLoaded,
    /// The selected chains right after this preset was applied.
    AfterPreset(LocalizedText),
    Preset(LocalizedText),
    /// The history after this change; `None` is its start.
    HistoryState(Option<EditLabel>),
    File(String),
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CompareLayout {
    /// B is a translucent body at the place of A.
    #[default]
    Ghost,
    SideBySide,
}

/// A running comparison.
#[derive(Debug)]
pub struct Comparison {
    pub source: CompareSource,
    pub layout: CompareLayout,
    /// Whether B is displayed in place of A.
    pub is_flipped: bool,
    /// B with the ids of A, and the differences from A to B.
    pub compared: DocumentComparison,
    /// The names of chains that B lacks.
    pub only_in_a: Vec<String>,
    /// The names of chains that A lacks.
    pub only_in_b: Vec<String>,
    /// Number of bones to which B refers and which the character lacks.
    pub missing_bones: usize,
    changed_chains: BTreeSet<ChainId>,
    /// The history state of A for which the differences were computed.
    pub(super) compared_state: u64,
    pub(super) body_spacing: f32,
}

impl Comparison {
    pub(super) fn new(source: CompareSource, document: Document, session: &Session) -> Self {
        let mut comparison = Self {
            source,
            layout: CompareLayout::default(),
            is_flipped: false,
            compared: DocumentComparison { document, ..DocumentComparison::default() },
            only_in_a: Vec::new(),
            only_in_b: Vec::new(),
            missing_bones: 0,
            changed_chains: BTreeSet::new(),
            compared_state: 0,
            body_spacing: session.body_spacing(),
        };
        comparison.update_differences(session);
        comparison
    }

    /// Returns B. Its elements have the ids of A.
    pub fn document(&self) -> &Document {
        &self.compared.document
    }

    pub(super) fn update_differences(&mut self, session: &Session) {
        let (a, skeleton) = (&session.document, &session.character.skeleton);
        self.compared = DocumentComparison::new(a, &self.compared.document, skeleton);
        let b = &self.compared.document;
        self.changed_chains = changed_chains(a, b);
        let names_without = |own: &Document, other: &Document| {
            let lacks = |(id, _): &(&ChainId, &Chain)| !other.chains.contains_key(*id);
            own.chains.iter().filter(lacks).map(|(_, chain)| chain.name.clone()).collect()
        };
        (self.only_in_a, self.only_in_b) = (names_without(a, b), names_without(b, a));
        self.missing_bones = b.missing_bones_in_use().len();
        self.compared_state = session.history.current_state();
    }
}

/// The running comparison or sweep of a session.
#[derive(Debug, Default)]
pub(super) enum Compared {
    #[default]
    Nothing,
    Comparison(Box<Comparison>),
    Sweep(Box<Sweep>),
}

/// A body that is displayed in addition to the displayed pose.
#[derive(Clone, Copy, Debug)]
pub struct BodyCopy<'a> {
    pub pose: &'a WorldPose,
    pub place: BodyPlace,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyPlace {
    /// Translucent, at the place of the displayed pose.
    Ghost,
    /// This number of places to the right of the displayed pose.
    Beside(i32),
}

/// Bodies side by side.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyRow {
    pub count: usize,
    /// Index of the displayed pose, from the left.
    pub anchor: usize,
    /// Distance between two bodies, in metres.
    pub spacing: f32,
}

impl Session {
    pub fn comparison(&self) -> Option<&Comparison> {
        match &self.compared {
            Compared::Comparison(comparison) => Some(comparison),
            _ => None,
        }
    }

    pub fn sweep(&self) -> Option<&Sweep> {
        match &self.compared {
            Compared::Sweep(sweep) => Some(sweep),
            _ => None,
        }
    }

    /// Returns the bodies that are displayed in addition to the displayed pose.
    pub fn body_copies(&self) -> Vec<BodyCopy<'_>> {
        let play = &self.playback;
        if play.shows_bake() {
            return Vec::new();
        }
        match &self.compared {
            Compared::Nothing => Vec::new(),
            Compared::Comparison(comparison) => {
                let other = if comparison.is_flipped { Some(play.live_pose()) } else { play.compared_pose(0) };
                let place = match comparison.layout {
                    CompareLayout::Ghost => BodyPlace::Ghost,
                    CompareLayout::SideBySide => BodyPlace::Beside(1),
                };
                other.map(|pose| BodyCopy { pose, place }).into_iter().collect()
            }
            Compared::Sweep(sweep) => {
                let others = (0..sweep.values.len()).filter(|index| *index != sweep.anchor);
                let place = |index: usize| BodyPlace::Beside(index as i32 - sweep.anchor as i32);
                others.filter_map(|at| Some(BodyCopy { pose: play.compared_pose(at)?, place: place(at) })).collect()
            }
        }
    }

    /// Returns the row of bodies; `None` if only one body and its ghost are displayed.
    pub fn body_row(&self) -> Option<BodyRow> {
        let row = match &self.compared {
            Compared::Comparison(comparison) if comparison.layout == CompareLayout::SideBySide => {
                BodyRow { count: 2, anchor: 0, spacing: comparison.body_spacing }
            }
            Compared::Sweep(sweep) => {
                BodyRow { count: sweep.values.len(), anchor: sweep.anchor, spacing: sweep.body_spacing }
            }
            _ => return None,
        };
        (!self.playback.shows_bake()).then_some(row)
    }

    /// Returns the dashed lines of chains in another state: the live state below a preview, or the other side of a
    /// comparison. Each line contains the heads of the joints and the last tip, in world space, in metres.
    pub fn ghost_lines(&self) -> Vec<Vec<Vec3>> {
        let play = &self.playback;
        match (&self.compared, self.body_copies().first()) {
            (Compared::Comparison(comparison), Some(BodyCopy { pose, place: BodyPlace::Ghost }))
                if !play.is_previewing() =>
            {
                play.chain_lines(comparison.document(), &comparison.changed_chains, pose)
            }
            _ => play.original_chain_lines(&self.document),
        }
    }

    /// Returns a distance at which two bodies do not touch, in metres.
    pub(super) fn body_spacing(&self) -> f32 {
        let height = self.playback.body_height().max(1e-3);
        let (low, high) = BODY_SPACING_RANGE;
        (self.playback.body_width() + BODY_GAP * height).clamp(low * height, high * height)
    }
}
