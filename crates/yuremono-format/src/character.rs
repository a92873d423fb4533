//! Reads a character of any kind: glTF, GLB, VRM or FBX.

use super::gltf::LoadedCharacter;
use super::source::{SourceFile, io_error_text};
use super::unity_assets::meta::ModelMeta;
use super::{fbx, gltf};
use std::borrow::Cow;
use std::io::ErrorKind;
use yuremono_sim::diagnostics::{Diagnostic, Location, MessageText, message};

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
    Ok(loaded)
}

/// Reads the `.meta` that Unity keeps beside a model. Without this file, the settings are those of a new import.
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
