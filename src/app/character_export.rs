//! Writes the springs of a document into a copy of the character file.

use crate::diagnostics::{Diagnostic, group_similar};
use crate::document::Document;
use crate::feel::convert::{ConversionLoss, average_joint_values, convert, loss_diagnostics};
use crate::format::gltf::external_files;
use crate::format::open::file_name;
use crate::format::source::{copy_external_files, read_limited};
use crate::format::vrm;
use crate::rig::Character;
use crate::sim::SolverKind;
use std::path::Path;

/// The content of a character file with new springs.
pub(super) struct CharacterWithSprings {
    pub(super) bytes: Vec<u8>,
    /// Losses and notes, grouped.
    pub(super) diagnostics: Vec<Diagnostic>,
    /// The document that the file stores.
    pub(super) saved: Document,
}

/// How to write joints of a chain that differ into a VRM 0.x file, which stores one set of values per tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DifferingJoints {
    /// Write mean values.
    Average,
    /// Write nothing, so that the artist can be asked.
    Ask,
}

/// Returns the bytes of a character file. `None` is the sample.
pub(super) fn character_bytes(original: Option<&Path>) -> Result<Vec<u8>, Vec<Diagnostic>> {
    match original {
        Some(path) => read_limited(path).map_err(|diagnostic| vec![diagnostic]),
        None => Ok(super::SAMPLE_BYTES.to_vec()),
    }
}

/// Returns the content of the character file `original` with the springs of `document`; everything else in the file is
/// unchanged. `original` is `None` for the sample. Chains of other solvers are converted to VRM. Files that the
/// character refers to are copied next to `target`. Returns `None` if the artist must be asked.
pub(super) fn character_with_springs(
    original: Option<&Path>,
    target: &Path,
    document: &Document,
    character: &Character,
    differing: DifferingJoints,
) -> Result<Option<CharacterWithSprings>, Vec<Diagnostic>> {
    let original_bytes = character_bytes(original)?;
    let name = file_name(target);
    vrm::check_extension(&original_bytes, &name).map_err(|diagnostic| vec![diagnostic])?;
    let converted = convert(document, character, SolverKind::Vrm);
    let mut diagnostics = converted.diagnostics(&name);
    let mut written = converted.after.clone();
    if vrm::read_springs_and_bones(&original_bytes, &name)?.version == vrm::VrmVersion::V0 {
        let (means, losses) = average_joint_values(&written, &character.skeleton);
        diagnostics.extend(loss_diagnostics(&losses, &name));
        written = means;
        let is_mean = |loss: &ConversionLoss| matches!(loss, ConversionLoss::ParamsAveraged { .. });
        if differing == DifferingJoints::Ask && losses.iter().chain(&converted.losses).any(is_mean) {
            return Ok(None);
        }
    }
    let (bytes, more) = vrm::save_springs(&original_bytes, &name, &written, character)?;
    diagnostics.extend(more);
    if let Some(original) = original {
        diagnostics.extend(copy_external_files(&external_files(&original_bytes), original, target)?);
    }
    Ok(Some(CharacterWithSprings { bytes, diagnostics: group_similar(&diagnostics), saved: converted.after }))
}
