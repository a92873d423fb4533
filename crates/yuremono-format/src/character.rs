//! Reads a character of any kind: glTF, GLB, VRM or FBX.

use super::gltf::LoadedCharacter;
use super::source::SourceFile;
use super::unity_assets::meta::ModelMeta;
use super::{fbx, gltf};
use std::borrow::Cow;
use yuremono_sim::diagnostics::{Diagnostic, Location, message};

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
    let mut loaded = gltf::read(&glb, progress)?;
    let roles = meta.humanoid(&loaded.character.skeleton);
    if !roles.is_empty() {
        loaded.character.humanoid = roles.or_found(&loaded.character.skeleton);
    }
    loaded.character.format_name = converted.format_name;
    // A JSON pointer says nothing about a file without JSON.
    loaded.diagnostics.iter_mut().for_each(|diagnostic| diagnostic.location.pointer = None);
    loaded.diagnostics.splice(0..0, problem.into_iter().chain(converted.diagnostics));
    Ok(loaded)
}

/// Reads the `.meta` that Unity keeps beside a model. Without this file, the settings are those of a new import.
fn read_meta(source: &SourceFile<'_>) -> (ModelMeta, Option<Diagnostic>) {
    let name = format!("{}.meta", source.name);
    let Ok(bytes) = (source.read_sibling)(&name) else { return (ModelMeta::default(), None) };
    match ModelMeta::read(&String::from_utf8_lossy(&bytes)) {
        Ok(meta) => (meta, None),
        Err(fault) => {
            let place = Location::file(name).with_line(fault.line);
            let message = message!("cannot be read and is ignored: {error}", error = fault.message);
            (ModelMeta::default(), Some(Diagnostic::warning(place, message)))
        }
    }
}

/// Whether the bytes of a file are an FBX, to which Yuremono does not write.
pub fn is_fbx(bytes: &[u8]) -> bool {
    fbx::is_fbx(bytes)
}

/// Returns the glTF or GLB of a character: the bytes of the file, or an FBX as a GLB with the same nodes.
pub fn to_gltf<'a>(source: &SourceFile<'a>) -> Result<Cow<'a, [u8]>, Vec<Diagnostic>> {
    if fbx::is_fbx(source.bytes) {
        fbx::to_glb(source, &read_meta(source).0.meshes).map(|converted| Cow::Owned(converted.glb))
    } else {
        Ok(Cow::Borrowed(source.bytes))
    }
}
