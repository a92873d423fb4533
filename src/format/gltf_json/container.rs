//! The wrapping of a glTF file: GLB chunks or plain JSON, its version, and what it requires of a reader.
//!
//! Chunks are walked here rather than by `gltf::Glb`, which refuses the extra chunks that the format allows,
//! overlooks what follows the second one, and subtracts without a check from a length that the file states.

use super::json::{JsonError, JsonObject};
use serde_json::Value;

const MAGIC: &[u8] = b"glTF";
const JSON_CHUNK: &[u8] = b"JSON";
const BIN_CHUNK: &[u8] = b"BIN\0";

/// JSON values in memory are up to fifty times as large as their text; this many take about half a GiB at worst.
const MAX_JSON_VALUES: usize = 4 << 20;
/// Two are of use.
const MAX_CHUNKS: usize = 64;

/// A file taken apart.
#[derive(Debug)]
pub(crate) struct GltfContainer<'a> {
    pub(crate) json: Value,
    /// The GLB's binary chunk.
    pub(crate) bin: Option<&'a [u8]>,
    /// Said of files that load anyway.
    pub(crate) warnings: Vec<JsonError>,
}

/// Splits the file; errors are about the file as a whole.
pub(crate) fn parse_container(bytes: &[u8]) -> Result<GltfContainer<'_>, String> {
    let mut oddities = Vec::new();
    let (json, bin) = split_container(bytes, &mut oddities)?;
    let bare = json.strip_prefix(b"\xef\xbb\xbf");
    if bare.is_some() {
        oddities
            .push(JsonError { pointer: String::new(), message: "the JSON begins with a byte order mark".to_owned() });
    }
    let json = bare.unwrap_or(json);
    if json.trim_ascii().is_empty() {
        return Err("is empty; a glTF, GLB or VRM file was expected".to_owned());
    }
    if bin.is_none() && !matches!(json.trim_ascii_start().first(), Some(b'{')) {
        return Err("is no glTF: it begins neither with \"glTF\" nor with \"{\"".to_owned());
    }
    let json = parse_json(json)?;
    Ok(GltfContainer { json, bin, warnings: oddities })
}

/// Whether the file has chunks rather than bare JSON.
pub(crate) fn is_glb(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

/// The JSON as it stands in the file, byte order mark and padding included.
pub(crate) fn json_text(bytes: &[u8]) -> Result<&[u8], String> {
    split_container(bytes, &mut Vec::new()).map(|(json, _)| json)
}

fn split_container<'a>(bytes: &'a [u8], oddities: &mut Vec<JsonError>) -> Result<GlbChunks<'a>, String> {
    if is_glb(bytes) { split_glb(bytes, oddities) } else { Ok((bytes, None)) }
}

/// JSON of a size and depth that can be held.
pub(crate) fn parse_json(json: &[u8]) -> Result<Value, String> {
    let parts = json.iter().filter(|byte| matches!(byte, b',' | b':' | b'[' | b'{')).count();
    if parts > MAX_JSON_VALUES {
        return Err(format!("its JSON has {parts} parts; at most {MAX_JSON_VALUES} are read"));
    }
    serde_json::from_slice(json).map_err(|error| format!("its JSON cannot be read: {error}"))
}

type GlbChunks<'a> = (&'a [u8], Option<&'a [u8]>);

fn split_glb<'a>(bytes: &'a [u8], oddities: &mut Vec<JsonError>) -> Result<GlbChunks<'a>, String> {
    let mut odd = |message: String| oddities.push(JsonError { pointer: String::new(), message });
    let version = read_u32(bytes, 4).ok_or("ends inside the GLB header")?;
    if version != 2 {
        return Err(format!("is a GLB of version {version}; only version 2 is read"));
    }
    let length = read_u32(bytes, 8).ok_or("ends inside the GLB header")? as usize;
    if length > bytes.len() {
        return Err(format!("is cut short: the GLB header promises {length} bytes, there are {}", bytes.len()));
    }
    if length < bytes.len() {
        odd(format!("{} bytes follow after the end that the GLB header states", bytes.len() - length));
    }
    let bytes = &bytes[..length];
    let mut chunks = Vec::new();
    let mut rest = bytes.get(12..).ok_or("states a GLB length shorter than its own header")?;
    while !rest.is_empty() {
        if chunks.len() == MAX_CHUNKS {
            odd(format!("the GLB has more than {MAX_CHUNKS} chunks; the others are passed over"));
            break;
        }
        let (Some(size), Some(kind)) = (read_u32(rest, 0), rest.get(4..8)) else {
            return Err("ends inside a GLB chunk header".to_owned());
        };
        let end = 8_usize.saturating_add(size as usize);
        let data = rest
            .get(8..end)
            .ok_or_else(|| format!("has a GLB chunk of {size} bytes where only {} are left", rest.len() - 8))?;
        chunks.push((kind, data));
        if size % 4 != 0 {
            odd(format!("a GLB chunk is {size} bytes long, which is no multiple of 4"));
        }
        rest = &rest[end..];
    }
    let json = match chunks.first() {
        Some((kind, data)) if *kind == JSON_CHUNK => *data,
        _ => return Err("is a GLB whose first chunk is not JSON".to_owned()),
    };
    if chunks.iter().skip(1).any(|(kind, _)| *kind == JSON_CHUNK) {
        odd("the GLB has several JSON chunks; the first is used".to_owned());
    }
    if chunks.iter().skip(2).any(|(kind, _)| *kind == BIN_CHUNK) {
        odd("the GLB has a binary chunk that does not follow its JSON; the first binary chunk is used".to_owned());
    }
    let bin = chunks.iter().find(|(kind, _)| *kind == BIN_CHUNK).map(|(_, data)| *data);
    Ok((json, bin))
}

fn read_u32(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..at + 4)?.try_into().ok().map(u32::from_le_bytes)
}

/// Extensions that this reader understands, or that may be passed over without harm to the shape.
const SUPPORTED_EXTENSIONS: &[&str] = &[
    "EXT_texture_webp",
    "KHR_animation_pointer",
    "KHR_lights_punctual",
    "KHR_mesh_quantization",
    "KHR_texture_transform",
    "KHR_xmp",
    "KHR_xmp_json_ld",
    "VRM",
];
const SUPPORTED_EXTENSION_PREFIXES: &[&str] = &["KHR_materials_", "VRMC_"];

/// Refuses versions other than 2 and required extensions that are not understood, all by name.
pub(crate) fn check_requirements(root: &JsonObject<'_>) -> Result<(), JsonError> {
    let asset = root.object("asset")?.ok_or_else(|| root.missing_error("asset"))?;
    let version = asset.text("version")?.ok_or_else(|| asset.missing_error("version"))?;
    let wanted = asset.text("minVersion")?.unwrap_or(version);
    for (key, version) in [("version", version), ("minVersion", wanted)] {
        let (major, minor) = version.split_once('.').unwrap_or((version, ""));
        let number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        if major != "2" || !number(minor) || (key == "minVersion" && minor != "0") {
            let version = crate::diagnostics::excerpt(version);
            return Err(asset.error_at(key, format!("glTF version \"{version}\"; only 2.0 is read")));
        }
    }
    let mut unknown = Vec::new();
    for (i, name) in root.list("extensionsRequired")?.iter().enumerate() {
        let Some(name) = name.as_str() else {
            let pointer = format!("/extensionsRequired/{i}");
            return Err(JsonError { pointer, message: "the name of an extension was expected".to_owned() });
        };
        let understood =
            SUPPORTED_EXTENSIONS.contains(&name) || SUPPORTED_EXTENSION_PREFIXES.iter().any(|f| name.starts_with(f));
        if !understood && !unknown.contains(&name) {
            unknown.push(name);
        }
    }
    if unknown.is_empty() {
        return Ok(());
    }
    let names: Vec<_> = unknown.into_iter().map(crate::diagnostics::excerpt).collect();
    Err(root.error_at("extensionsRequired", format!("requires {}, which is not supported", names.join(", "))))
}
