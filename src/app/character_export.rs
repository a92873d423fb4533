//! Writes the springs of a document into a copy of the character file.

use super::background::BackgroundTask;
use crate::parallel::on_all_cores;
use crate::ui::{ConvertedChains, DocumentId, SpringChanges};
use std::path::{Path, PathBuf};
use yuremono_format::gltf::external_files;
use yuremono_format::open::{self, file_name};
use yuremono_format::source::{copy_external_files, read_limited, write_atomic};
use yuremono_format::vrm;
use yuremono_model::document::Document;
use yuremono_model::feel::convert::{
    ConversionLoss, SwingComparison, average_joint_values, convert, loss_diagnostics, muted_chain_losses,
};
use yuremono_model::job::Progress;
use yuremono_session::{ConversionJob, Session};
use yuremono_sim::SolverKind;
use yuremono_sim::diagnostics::{Diagnostic, group_similar};
use yuremono_sim::rig::Character;

/// The content of a character file with new springs.
pub(super) struct CharacterWithSprings {
    pub(super) bytes: Vec<u8>,
    /// Losses and notes, grouped.
    pub(super) diagnostics: Vec<Diagnostic>,
    /// The document that the file stores.
    saved: Document,
}

/// Returns the bytes of a character file. `None` is the sample.
fn character_bytes(original: Option<&Path>) -> Result<Vec<u8>, Vec<Diagnostic>> {
    match original {
        Some(path) => read_limited(path).map_err(|diagnostic| vec![diagnostic]),
        None => Ok(super::SAMPLE_BYTES.to_vec()),
    }
}

/// Returns the glTF of a character file, to which an animation can be added. `None` is the sample.
pub(super) fn character_gltf(original: Option<&Path>) -> Result<Vec<u8>, Vec<Diagnostic>> {
    original.map_or_else(|| Ok(super::SAMPLE_BYTES.to_vec()), open::gltf_bytes)
}

/// Writes a copy of a character file with the springs of a document, on another thread.
pub(super) struct SaveCharacterJob {
    /// `None` is the sample.
    original: Option<PathBuf>,
    target: PathBuf,
    source: ConversionJob,
    on_changed: OnChangedSprings,
}

/// What to do with springs that move differently in the character file than in the document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OnChangedSprings {
    Write,
    /// Write nothing, and ask the artist.
    Ask,
}

pub(super) enum SaveCharacterResult {
    /// Nothing was written, because the springs move differently in the file.
    Asks(SpringChanges),
    /// The file was written. Contains losses and notes.
    Written { joints: usize, diagnostics: Vec<Diagnostic> },
}

/// A running [`SaveCharacterJob`].
pub(super) struct CharacterSave {
    pub(super) task: BackgroundTask<Result<SaveCharacterResult, Vec<Diagnostic>>>,
    pub(super) path: PathBuf,
    pub(super) document: DocumentId,
    /// Whether the window closes after the file is written.
    pub(super) closes_window: bool,
}

impl SaveCharacterJob {
    pub(super) fn new(
        session: &Session,
        original: Option<PathBuf>,
        target: PathBuf,
        on_changed: OnChangedSprings,
    ) -> Self {
        Self { original, target, source: ConversionJob::new(session), on_changed }
    }

    /// Writes the file, and compares its motion with that of the document.
    pub(super) fn run(&self, progress: &Progress<'_>) -> Result<SaveCharacterResult, Vec<Diagnostic>> {
        let ConversionJob { before: document, character, .. } = &self.source;
        let springs = ConvertedSprings::new(self.original.as_deref(), &self.target, document, character)?;
        if self.on_changed == OnChangedSprings::Ask {
            let converted = self.converted_chains(springs.document());
            if springs.has_mean_values || converted.is_some() {
                let changes = SpringChanges { has_mean_values: springs.has_mean_values, converted };
                return Ok(SaveCharacterResult::Asks(changes));
            }
        }
        let CharacterWithSprings { bytes, mut diagnostics, saved } = springs.into_file()?;
        if let Err(diagnostic) = write_atomic(&self.target, &bytes) {
            diagnostics.push(diagnostic);
            return Err(diagnostics);
        }
        let mut swing = SwingComparison::new(document, character, &saved);
        while progress(0.0) {
            if swing.advance(SwingComparison::TICKS_PER_FRAME) {
                let muted = muted_chain_losses(&swing.muted(), &saved);
                diagnostics.extend(group_similar(&loss_diagnostics(&muted, &file_name(&self.target))));
                break;
            }
        }
        Ok(SaveCharacterResult::Written { joints: document.joint_count(), diagnostics })
    }

    /// Returns the chains whose solver differs in `after`, with the change of their motion. `None` if there are none.
    fn converted_chains(&self, after: &Document) -> Option<ConvertedChains> {
        let found = self.source.difference(after, on_all_cores(&|_| true))?;
        let document = &self.source.before;
        let chains: Vec<_> = found.chains.iter().filter_map(|one| document.chains.get(&one.chain)).collect();
        let is_converted = |solver: &SolverKind| chains.iter().any(|chain| document.solver_of(chain) == *solver);
        Some(ConvertedChains {
            count: chains.len(),
            solvers: SolverKind::ALL.iter().copied().filter(is_converted).collect(),
            distance_m: found.all.max_metres,
            angle_deg: found.all.max_degrees,
            worst_chain: chains.first().map_or_else(String::new, |chain| chain.name.clone()),
        })
    }
}

/// The springs of a document as a character file stores them. Chains of other solvers are converted to VRM.
pub(super) struct ConvertedSprings<'a> {
    original: Option<&'a Path>,
    original_bytes: Vec<u8>,
    target: &'a Path,
    character: &'a Character,
    converted: Document,
    /// The converted document, with mean values in a VRM 0.x file.
    written: Document,
    diagnostics: Vec<Diagnostic>,
    /// Whether a VRM 0.x file gets mean values, because joints of a chain differ.
    pub(super) has_mean_values: bool,
}

impl<'a> ConvertedSprings<'a> {
    /// Converts the springs of `document` for a copy of the file `original` at `target`. `original` is `None` for the
    /// sample.
    pub(super) fn new(
        original: Option<&'a Path>,
        target: &'a Path,
        document: &Document,
        character: &'a Character,
    ) -> Result<Self, Vec<Diagnostic>> {
        let original_bytes = character_bytes(original)?;
        let name = file_name(target);
        vrm::check_extension(&original_bytes, &name).map_err(|diagnostic| vec![diagnostic])?;
        let conversion = convert(document, character, SolverKind::Vrm);
        let mut diagnostics = conversion.diagnostics(&name);
        let (converted, mut losses) = (conversion.after, conversion.losses);
        let mut written = converted.clone();
        let is_mean = |loss: &ConversionLoss| matches!(loss, ConversionLoss::ParamsAveraged { .. });
        let is_v0 = vrm::read_springs_and_bones(&original_bytes, &name)?.version == vrm::VrmVersion::V0;
        if is_v0 {
            let (means, more) = average_joint_values(&written, &character.skeleton);
            diagnostics.extend(loss_diagnostics(&more, &name));
            losses.extend(more);
            written = means;
        }
        let has_mean_values = is_v0 && losses.iter().any(is_mean);
        Ok(Self { original, original_bytes, target, character, converted, written, diagnostics, has_mean_values })
    }

    /// Returns the document that the file stores, before mean values.
    pub(super) const fn document(&self) -> &Document {
        &self.converted
    }

    /// Returns the content of the file; everything except the springs is unchanged. Copies files that the character
    /// refers to next to the target.
    pub(super) fn into_file(self) -> Result<CharacterWithSprings, Vec<Diagnostic>> {
        let Self { original, original_bytes, target, character, converted, written, mut diagnostics, .. } = self;
        let (bytes, more) = vrm::save_springs(&original_bytes, &file_name(target), &written, character)?;
        diagnostics.extend(more);
        if let Some(original) = original {
            diagnostics.extend(copy_external_files(&external_files(&original_bytes), original, target)?);
        }
        Ok(CharacterWithSprings { bytes, diagnostics: group_similar(&diagnostics), saved: converted })
    }
}
