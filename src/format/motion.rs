//! Reads the animations of a file as motions for another character.
//!
//! If both files assign humanoid roles to bones, as a `.vrma` and a VRM do, bones are matched by role. Otherwise bones
//! are matched by name, or by the roles that follow from the names. Expressions, morph weights and gaze are ignored.

use super::joint_names::humanoid_by_names;
use super::source::SourceFile;
use super::{bvh, gltf};
use crate::diagnostics::{Diagnostic, Location, join_first_names, message};
use crate::rig::{self, BoneId, Character, Clip, Humanoid, RetargetError, bone_with_same_name};
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
    let is_bvh = bvh::is_bvh(source.bytes);
    let (from, diagnostics) = if is_bvh {
        (bvh::read(source.bytes, source.name)?, Vec::new())
    } else {
        let loaded = gltf::read(source, progress)?;
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
        if is_bvh { match_bvh(&from, character) } else { match_gltf(&from, character, &animated) };
    let is_matched = |bone: &BoneId| match &roles {
        Some([from, to]) => from.role(*bone).is_some_and(|role| to.bone(role).is_some()),
        None => bone_with_same_name(*bone, &from.skeleton, &character.skeleton).is_some(),
    };
    let (matched, missing): (Vec<BoneId>, Vec<BoneId>) = animated.into_iter().partition(is_matched);
    let role_of = |bone: BoneId| roles.as_ref().and_then(|[from, _]| from.role(bone));
    let role_or_name = |bone: BoneId| role_of(bone).unwrap_or_else(|| from.skeleton.name(bone)).to_owned();
    let unmatched: Vec<String> = missing.into_iter().map(role_or_name).collect();
    let clips = if matched.is_empty() { Vec::new() } else { name_unnamed_clips(clips, source.name) };
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
/// - the roles of both files;
/// - equal names, if most animated bones have a counterpart with the same name;
/// - the roles that follow from the naming conventions of other tools;
/// - equal names.
fn match_gltf(from: &Character, to: &Character, animated: &BTreeSet<BoneId>) -> Matched {
    if let Ok(clips) = retarget_all(from, |clip| rig::retarget(clip, from, to)) {
        return Matched { clips, roles: Some([from.humanoid.clone(), to.humanoid.clone()]) };
    }
    let same_names = animated.iter().filter(|bone| bone_with_same_name(**bone, &from.skeleton, &to.skeleton).is_some());
    if same_names.count() * 2 <= animated.len() {
        let bodies = [from, to].map(with_roles);
        if let Ok(clips) = retarget_all(from, |clip| rig::retarget_by_direction(clip, &bodies[0], &bodies[1])) {
            return Matched { clips, roles: Some(bodies.map(|body| body.humanoid)) };
        }
    }
    let clips = from.clips.iter().map(|clip| rig::retarget_by_name(clip, &from.skeleton, &to.skeleton)).collect();
    Matched { clips, roles: None }
}

/// Matches joints by role, else by name. The local axes of a BVH joint are the world axes, so rotations are transferred
/// in world space.
fn match_bvh(from: &Character, to: &Character) -> Matched {
    let to = with_roles(to);
    if let Ok(clips) = retarget_all(from, |clip| rig::retarget_by_direction(clip, from, &to)) {
        return Matched { clips, roles: Some([from.humanoid.clone(), to.humanoid]) };
    }
    let clips = retarget_all(from, |clip| rig::retarget_in_world_by_name(clip, from, &to)).unwrap_or_default();
    Matched { clips, roles: None }
}

/// Returns the bones of a character with their roles: those of the file, else those that follow from the names.
fn with_roles(character: &Character) -> Character {
    let given = &character.humanoid;
    let humanoid = if given.is_empty() { humanoid_by_names(&character.skeleton) } else { given.clone() };
    Character { skeleton: character.skeleton.clone(), facing: character.facing, humanoid, ..Character::default() }
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
