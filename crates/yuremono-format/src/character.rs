//! Reads a character of any kind: glTF, GLB, VRM or FBX.

use super::gltf::LoadedCharacter;
use super::source::{SourceFile, io_error_text};
use super::unity_assets::meta::ModelMeta;
use super::{fbx, gltf};
use std::borrow::Cow;
use std::io::ErrorKind;
use std::ops::RangeInclusive;
use yuremono_sim::diagnostics::{Diagnostic, Location, MessageText, message};
use yuremono_sim::rig::{Character, skinning};

/// Heights of a character that need no message, in metres.
const USUAL_HEIGHTS: RangeInclusive<f32> = 0.2..=20.0;
/// Maximum size of a `.meta`, in bytes. Those of large models have 100 KiB.
const MAX_META_BYTES: usize = 2 << 20;

/// Reads a character with its meshes, images and animations. `progress` works as in [`gltf::read`].
pub fn read(
    source: &SourceFile<'_>,
    progress: &(dyn Fn(f32) -> bool + Sync),
) -> Result<LoadedCharacter, Vec<Diagnostic>> {
    if !fbx::is_fbx(source.bytes) {
        return gltf::read(source, progress);
    }
    let place = || Location::file(source.name);
    let (meta, problem) = read_meta(source);
    let converted = fbx::to_glb(source, &meta.meshes)?;
    let glb = SourceFile { bytes: &converted.glb, ..*source };
    // A JSON pointer says nothing about a file without JSON.
    let notes = |found: Vec<Diagnostic>| -> Vec<Diagnostic> {
        let without_pointer = |mut one: Diagnostic| {
            one.location.pointer = None;
            one
        };
        found.into_iter().map(without_pointer).chain(problem.clone()).chain(converted.diagnostics.clone()).collect()
    };
    let mut loaded = gltf::read(&glb, progress).map_err(notes)?;
    let roles = meta.humanoid(&loaded.character.skeleton);
    if !roles.is_empty() {
        loaded.character.humanoid = roles.or_found(&loaded.character.skeleton);
    }
    loaded.character.format_name = converted.format_name;
    loaded.diagnostics = notes(loaded.diagnostics);
    loaded.diagnostics.extend(unusual_height(&loaded.character).map(|found| Diagnostic::info(place(), found)));
    Ok(loaded)
}

/// Returns a message if the character is so small or so large that its file probably has a wrong unit.
fn unusual_height(character: &Character) -> Option<MessageText> {
    let [low, high] = skinning::rest_bounds(character).filter(|_| !character.meshes.is_empty())?;
    let height = high.y - low.y;
    (!USUAL_HEIGHTS.contains(&height)).then(|| {
        message!("the character is {height} m tall, as in Unity; if that is wrong, export it with another unit", height)
    })
}

/// Reads the `.meta` that Unity keeps next to a model. Without this file, the settings are those of a new import.
fn read_meta(source: &SourceFile<'_>) -> (ModelMeta, Option<Diagnostic>) {
    let name = format!("{}.meta", source.name);
    let ignored = |line: Option<u64>, error: MessageText| {
        let place = Location::file(&*name);
        let place = line.map_or(place.clone(), |line| place.with_line(line));
        let message = message!("cannot be read and is ignored: {error}", error);
        (ModelMeta::default(), Some(Diagnostic::warning(place, message)))
    };
    match (source.read_sibling)(&name) {
        Ok(bytes) if bytes.len() > MAX_META_BYTES => {
            ignored(None, message!("it is larger than {most} KiB", most = MAX_META_BYTES >> 10))
        }
        Ok(bytes) => match ModelMeta::read(&String::from_utf8_lossy(&bytes)) {
            Ok(meta) => (meta, None),
            Err(fault) => ignored(Some(fault.line), fault.message),
        },
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::Unsupported) => {
            (ModelMeta::default(), None)
        }
        Err(error) => ignored(None, io_error_text(&error)),
    }
}

/// Returns the glTF or GLB of a character: the bytes of the file, or an FBX as a GLB with the same nodes.
pub fn to_gltf<'a>(source: &SourceFile<'a>) -> Result<Cow<'a, [u8]>, Vec<Diagnostic>> {
    if fbx::is_fbx(source.bytes) {
        fbx::to_glb(source, &read_meta(source).0.meshes).map(|converted| Cow::Owned(converted.glb))
    } else {
        Ok(Cow::Borrowed(source.bytes))
    }
}
