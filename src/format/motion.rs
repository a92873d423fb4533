//! Reads the animations of a file as motions for another character.
//!
//! If both files assign humanoid roles to bones, as a `.vrma` and a VRM do, bones are matched by role. Otherwise bones
//! are matched by name. Expressions, morph weights and gaze are ignored.

use super::gltf;
use super::source::SourceFile;
use crate::diagnostics::{Diagnostic, Location, join_first_names, message};
use crate::rig::{self, BoneId, Character, Clip, bone_with_same_name, retarget};
use std::collections::BTreeSet;

/// The motions of a file, retargeted to a character.
#[derive(Clone, Debug, PartialEq)]
pub struct RetargetedMotions {
    /// One clip for each animation of the file. Unnamed clips get the name of the file. The list is empty if no bone
    /// matches.
    pub clips: Vec<Clip>,
    /// The number of animated bones of the file that match a bone of the character.
    pub matched_count: usize,
    /// The roles of animated bones without a match, or the names of the bones without a role.
    pub unmatched: Vec<String>,
    /// Whether bones were matched by their humanoid roles and not by their names.
    pub by_role: bool,
    /// Problems that the reader found in the file.
    pub diagnostics: Vec<Diagnostic>,
}

impl RetargetedMotions {
    /// Returns a diagnostic that lists the animated bones without a match, or `None` if all bones match. `file` and
    /// `character` are names for the message.
    pub fn unmatched_diagnostic(&self, file: &str, character: &str) -> Option<Diagnostic> {
        if self.unmatched.is_empty() {
            return None;
        }
        let names = join_first_names(&self.unmatched, ", ");
        let place = Location::file(file);
        Some(match (self.matched_count, self.by_role) {
            (0, _) => Diagnostic::error(
                place,
                message!("none of its animated bones is on \"{character}\": {names}", character, names),
            ),
            (_, true) => Diagnostic::info(
                place,
                message!(
                    "\"{character}\" has no {names}; the bones above and below them are animated",
                    character,
                    names
                ),
            ),
            (_, false) => Diagnostic::info(
                place,
                message!("\"{character}\" has no {names}; their part of the motion is left out", character, names),
            ),
        })
    }
}

/// Retargets every animation of the file to `character`. A file without animations is rejected. `progress` works as in
/// [`gltf::read`].
pub fn read(
    source: &SourceFile<'_>,
    character: &Character,
    progress: &(dyn Fn(f32) -> bool + Sync),
) -> Result<RetargetedMotions, Vec<Diagnostic>> {
    let loaded = gltf::read(source, progress)?;
    let from = &loaded.character;
    if from.clips.is_empty() {
        return Err(vec![Diagnostic::error(
            Location::file(source.name),
            message!("the file has no animation that moves a bone"),
        )]);
    }
    let retargeted: Result<Vec<Clip>, _> = from.clips.iter().map(|clip| retarget(clip, from, character)).collect();
    let (clips, by_role) = match retargeted {
        Ok(clips) => (clips, true),
        Err(_) => {
            (from.clips.iter().map(|c| rig::retarget_by_name(c, &from.skeleton, &character.skeleton)).collect(), false)
        }
    };
    let role_of = |bone: BoneId| from.humanoid.iter().find(|(_, other)| *other == bone).map(|(role, _)| role);
    let has_role = |bone| role_of(bone).is_some_and(|role| character.humanoid.bone(role).is_some());
    let has_name = |bone| bone_with_same_name(bone, &from.skeleton, &character.skeleton).is_some();
    let matches = |bone: BoneId| if by_role { has_role(bone) } else { has_name(bone) };
    let animated: BTreeSet<BoneId> = from.clips.iter().flat_map(|clip| &clip.channels).map(|c| c.bone).collect();
    let (there, missing): (Vec<BoneId>, Vec<BoneId>) = animated.into_iter().partition(|bone| matches(*bone));
    let called = |bone: BoneId| role_of(bone).map_or_else(|| from.skeleton.name(bone).to_owned(), str::to_owned);
    let unmatched: Vec<String> = missing.into_iter().map(called).collect();
    let clips = if there.is_empty() { Vec::new() } else { name_unnamed_clips(clips, source.name) };
    Ok(RetargetedMotions { clips, matched_count: there.len(), unmatched, by_role, diagnostics: loaded.diagnostics })
}

/// Replaces the default name of unnamed clips with the name of the file.
fn name_unnamed_clips(mut clips: Vec<Clip>, file: &str) -> Vec<Clip> {
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
    for (index, clip) in clips.iter_mut().enumerate() {
        if clip.name == format!("Animation {}", index + 1) {
            clip.name = if index == 0 { stem.to_owned() } else { format!("{stem} {}", index + 1) };
        }
    }
    clips
}
