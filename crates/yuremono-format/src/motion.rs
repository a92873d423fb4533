//! Reads the animations of a file as motions for another character.
//!
//! If both files assign humanoid roles to bones, as a `.vrma` and a VRM do, bones are matched by role. Otherwise bones
//! are matched by name, or by the roles that follow from the names. Expressions, morph weights and gaze are ignored.

use super::source::SourceFile;
use super::tables::{FileContent, detect_content};
use super::{bvh, character, vmd};
use std::collections::BTreeSet;
use yuremono_sim::diagnostics::{Diagnostic, Location, join_first_names, message};
use yuremono_sim::rig::{self, BoneId, Character, Clip, Humanoid, RetargetError, RoleSource, bone_with_same_name};

/// The motions of a file, retargeted to a character.
#[derive(Clone, Debug, PartialEq)]
pub struct RetargetedMotions {
    /// One clip for each animation of the file, named after the file. The list is empty if no bone matches.
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
        let names = join_first_names(&self.unmatched);
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
/// [`character::read`].
pub fn read(
    source: &SourceFile<'_>,
    character: &Character,
    progress: &(dyn Fn(f32) -> bool + Sync),
) -> Result<RetargetedMotions, Vec<Diagnostic>> {
    let (is_bvh, is_vmd) = (bvh::is_bvh(source.bytes), vmd::is_vmd(source.bytes));
    if vmd::has_extension(source.name) && !is_vmd && detect_content(source.bytes) != FileContent::Character {
        return Err(vec![vmd::not_a_vmd(source.name)]);
    }
    let (from, diagnostics) = if is_bvh {
        bvh::read(source.bytes, source.name)?
    } else if is_vmd {
        vmd::read(source.bytes, source.name, character)?
    } else {
        let loaded = character::read(source, progress)?;
        (loaded.character, loaded.diagnostics)
    };
    if from.clips.is_empty() {
        return Err(vec![Diagnostic::error(
            Location::file(source.name),
            message!("the file has no animation that moves a bone"),
        )]);
    }
    let animated: BTreeSet<BoneId> = from.clips.iter().flat_map(|clip| &clip.channels).map(|c| c.bone).collect();
    let Matched { clips, roles } =
        if is_bvh || is_vmd { match_in_world(&from, character) } else { match_gltf(&from, character, &animated) };
    let is_matched = |bone: &BoneId| match &roles {
        Some([from, to]) => from.role(*bone).is_some_and(|role| to.bone(role).is_some()),
        None => bone_with_same_name(*bone, &from.skeleton, &character.skeleton).is_some(),
    };
    let (matched, missing): (Vec<BoneId>, Vec<BoneId>) = animated.into_iter().partition(is_matched);
    let role_of = |bone: BoneId| roles.as_ref().and_then(|[from, _]| from.role(bone));
    let role_or_name = |bone: BoneId| role_of(bone).unwrap_or_else(|| from.skeleton.name(bone)).to_owned();
    let unmatched: Vec<String> = missing.into_iter().map(role_or_name).collect();
    let clips = if matched.is_empty() { Vec::new() } else { name_after_file(clips, source.name) };
    Ok(RetargetedMotions { clips, matched_count: matched.len(), unmatched, by_role: roles.is_some(), diagnostics })
}

/// Retargeted clips.
struct Matched {
    clips: Vec<Clip>,
    /// The roles of the bones of the file and of the character, or `None` if bones were matched by name.
    roles: Option<[Humanoid; 2]>,
}

fn retarget_all(
    from: &Character,
    retarget: impl Fn(&Clip) -> Result<Clip, RetargetError>,
) -> Result<Vec<Clip>, RetargetError> {
    from.clips.iter().map(retarget).collect()
}

/// Matches bones by the first of these that succeeds:
/// - the roles that both files name;
/// - equal names, if most animated bones have a counterpart with the same name;
/// - the roles of both, found by names or shape if a file does not name them;
/// - equal names.
fn match_gltf(from: &Character, to: &Character, animated: &BTreeSet<BoneId>) -> Matched {
    let roles = || Some([from.humanoid.clone(), to.humanoid.clone()]);
    if [from, to].iter().all(|character| character.humanoid.source() == RoleSource::File)
        && let Ok(clips) = retarget_all(from, |clip| rig::retarget(clip, from, to))
    {
        return Matched { clips, roles: roles() };
    }
    let same_names = animated.iter().filter(|bone| bone_with_same_name(**bone, &from.skeleton, &to.skeleton).is_some());
    if same_names.count() * 2 <= animated.len()
        && let Ok(clips) = retarget_all(from, |clip| rig::retarget_by_direction(clip, from, to))
    {
        return Matched { clips, roles: roles() };
    }
    let clips = from.clips.iter().map(|clip| rig::retarget_by_name(clip, &from.skeleton, &to.skeleton)).collect();
    Matched { clips, roles: None }
}

/// Matches bones by role, else by name. The bones of a BVH and of a VMD have the axes of the world, so rotations are
/// transferred in world space.
fn match_in_world(from: &Character, to: &Character) -> Matched {
    if let Ok(clips) = retarget_all(from, |clip| rig::retarget_by_direction(clip, from, to)) {
        return Matched { clips, roles: Some([from.humanoid.clone(), to.humanoid.clone()]) };
    }
    let clips = retarget_all(from, |clip| rig::retarget_in_world_by_name(clip, from, to)).unwrap_or_default();
    Matched { clips, roles: None }
}

/// Gives clips the name of their file, because tools give all motions one name (`mixamo.com`). Several clips of a file
/// also keep their own names.
fn name_after_file(mut clips: Vec<Clip>, file: &str) -> Vec<Clip> {
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
    let is_only = clips.len() == 1;
    for (index, clip) in clips.iter_mut().enumerate() {
        let is_unnamed = clip.name == format!("Animation {}", index + 1);
        clip.name = match index {
            _ if is_only => stem.to_owned(),
            0 if is_unnamed => stem.to_owned(),
            _ if is_unnamed => format!("{stem} {}", index + 1),
            _ => format!("{stem}: {}", clip.name),
        };
    }
    clips
}
