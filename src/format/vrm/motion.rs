//! A motion file, `VRMC_vrm_animation` or any character with roles and animations, as clips for another character.

use crate::format::gltf;
use crate::format::source::Source;
use crate::report::{Diagnostic, Place};
use crate::rig::{Character, Clip, retarget};

/// Every animation of the file on `character`; unnamed ones are called after the file.
///
/// Expressions and the way the eyes look are passed over.
pub fn motions(source: &Source<'_>, character: &Character) -> Result<(Vec<Clip>, Vec<Diagnostic>), Vec<Diagnostic>> {
    let loaded = gltf::read(source, &|_| true)?;
    let place = || Place::file(source.name);
    let from = &loaded.character;
    if from.clips.is_empty() {
        return Err(vec![Diagnostic::error(place(), "the file has no animation that moves a bone")]);
    }
    let stem = source.name.rsplit_once('.').map_or(source.name, |(stem, _)| stem);
    let mut clips = Vec::with_capacity(from.clips.len());
    for (index, clip) in from.clips.iter().enumerate() {
        let mut made = retarget(clip, from, character)
            .map_err(|why| vec![Diagnostic::error(place(), format!("{why}; it cannot move \"{}\"", character.name))])?;
        // The loader's name for what has none.
        if made.name == format!("Animation {}", index + 1) {
            made.name = if index == 0 { stem.to_owned() } else { format!("{stem} {}", index + 1) };
        }
        clips.push(made);
    }
    let lost: Vec<_> = from
        .humanoid
        .iter()
        .filter(|(role, bone)| {
            let moves = from.clips.iter().flat_map(|clip| &clip.channels).any(|channel| channel.bone == *bone);
            moves && character.humanoid.bone(role).is_none()
        })
        .map(|(role, _)| role)
        .collect();
    let mut said = loaded.diagnostics;
    if !lost.is_empty() {
        let message =
            format!("\"{}\" has no {}; the bones above and below them take part", character.name, lost.join(", "));
        said.push(Diagnostic::info(place(), message));
    }
    Ok((clips, said))
}
