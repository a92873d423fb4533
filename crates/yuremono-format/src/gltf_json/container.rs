//! Parses the container of a glTF file: GLB chunks or plain JSON. Also checks the glTF version and the required
//! extensions.
//!
//! This module does not use `gltf::Glb`, which rejects the extra chunks that the format allows, ignores data after the
//! second chunk, and subtracts from a length in the file without a check.

use super::json::{JsonError, JsonObject};
use serde_json::Value;
use yuremono_sim::diagnostics::{MessageText, excerpt, message};

const MAGIC: &[u8] = b"glTF";
const JSON_CHUNK: &[u8] = b"JSON";
const BIN_CHUNK: &[u8] = b"BIN\0";

/// Maximum number of JSON values. A value needs up to fifty times the memory of its text, so this number of values
/// needs about half a GiB at worst.
const MAX_JSON_VALUES: usize = 4 << 20;
/// Maximum number of GLB chunks. Only two chunks are used.
const MAX_CHUNKS: usize = 64;

/// The parts of a glTF file.
#[derive(Debug)]
pub(crate) struct GltfContainer<'a> {
    pub(crate) json: Value,
    /// The binary chunk of a GLB.
    pub(crate) bin: Option<&'a [u8]>,
    /// Oddities of the container that do not prevent loading.
    pub(crate) warnings: Vec<JsonError>,
}

/// Splits the file and parses its JSON. Errors apply to the whole file.
pub(crate) fn parse_container(bytes: &[u8]) -> Result<GltfContainer<'_>, MessageText> {
    let mut oddities = Vec::new();
    let (json, bin) = split_container(bytes, &mut oddities)?;
    let bare = json.strip_prefix(b"\xef\xbb\xbf");
    if bare.is_some() {
        oddities
            .push(JsonError { pointer: String::new(), message: message!("the JSON starts with a byte order mark") });
    }
    let json = bare.unwrap_or(json);
    if json.trim_ascii().is_empty() {
        return Err(message!("is empty; a glTF, GLB, VRM or FBX file was expected"));
    }
    if bin.is_none() && !matches!(json.trim_ascii_start().first(), Some(b'{')) {
        return Err(message!("is not a glTF: it starts with neither \"glTF\" nor \"{\""));
    }
    let json = parse_json(json)?;
    Ok(GltfContainer { json, bin, warnings: oddities })
}

/// Whether the file is a GLB rather than plain JSON.
pub(crate) fn is_glb(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

pub(crate) fn json_text(bytes: &[u8]) -> Result<&[u8], MessageText> {
    split_container(bytes, &mut Vec::new()).map(|(json, _)| json)
}

fn split_container<'a>(bytes: &'a [u8], oddities: &mut Vec<JsonError>) -> Result<GlbChunks<'a>, MessageText> {
    if is_glb(bytes) { split_glb(bytes, oddities) } else { Ok((bytes, None)) }
}

/// Parses JSON with limits on the number of values and the nesting depth.
pub(crate) fn parse_json(json: &[u8]) -> Result<Value, MessageText> {
    let parts = json.iter().filter(|byte| matches!(byte, b',' | b':' | b'[' | b'{')).count();
    if parts > MAX_JSON_VALUES {
        return Err(message!(
            "the JSON of the file has {parts} parts; at most {max_json_values} are read",
            parts,
            max_json_values = MAX_JSON_VALUES
        ));
    }
    serde_json::from_slice(json)
        .map_err(|error| message!("the JSON of the file cannot be read: {error}", error = format_args!("{error}")))
}

type GlbChunks<'a> = (&'a [u8], Option<&'a [u8]>);

fn split_glb<'a>(bytes: &'a [u8], oddities: &mut Vec<JsonError>) -> Result<GlbChunks<'a>, MessageText> {
    let mut odd = |message: MessageText| oddities.push(JsonError { pointer: String::new(), message });
    let version = read_u32(bytes, 4).ok_or_else(|| message!("ends inside the GLB header"))?;
    if version != 2 {
        return Err(message!("is a GLB of version {version}; only version 2 is read", version));
    }
    let length = read_u32(bytes, 8).ok_or_else(|| message!("ends inside the GLB header"))? as usize;
    if length > bytes.len() {
        return Err(message!(
            "is cut short: the GLB header declares {length} bytes, but there are {count}",
            length,
            count = bytes.len()
        ));
    }
    if length < bytes.len() {
        odd(message!("{length} bytes follow the end that the GLB header declares", length = bytes.len() - length));
    }
    let bytes = &bytes[..length];
    let mut chunks = Vec::new();
    let mut rest = bytes.get(12..).ok_or_else(|| message!("declares a GLB length shorter than its own header"))?;
    while !rest.is_empty() {
        if chunks.len() == MAX_CHUNKS {
            odd(message!(
                "the GLB has more than {max_chunks} chunks; further chunks are ignored",
                max_chunks = MAX_CHUNKS
            ));
            break;
        }
        let (Some(size), Some(kind)) = (read_u32(rest, 0), rest.get(4..8)) else {
            return Err(message!("ends inside a GLB chunk header"));
        };
        let end = 8_usize.saturating_add(size as usize);
        let data = rest.get(8..end).ok_or_else(|| {
            message!("has a GLB chunk of {size} bytes, but only {rest} are left", size, rest = rest.len() - 8)
        })?;
        chunks.push((kind, data));
        if size % 4 != 0 {
            odd(message!("a GLB chunk is {size} bytes long, which is not a multiple of 4", size));
        }
        rest = &rest[end..];
    }
    let json = match chunks.first() {
        Some((kind, data)) if *kind == JSON_CHUNK => *data,
        _ => return Err(message!("is a GLB whose first chunk is not JSON")),
    };
    if chunks.iter().skip(1).any(|(kind, _)| *kind == JSON_CHUNK) {
        odd(message!("the GLB has several JSON chunks; the first is used"));
    }
    if chunks.iter().skip(2).any(|(kind, _)| *kind == BIN_CHUNK) {
        odd(message!("the GLB has a binary chunk that does not follow its JSON; the first binary chunk is used"));
    }
    let bin = chunks.iter().find(|(kind, _)| *kind == BIN_CHUNK).map(|(_, data)| *data);
    Ok((json, bin))
}

fn read_u32(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..at + 4)?.try_into().ok().map(u32::from_le_bytes)
}

const SUPPORTED_EXTENSIONS: &[&str] = &[
    "EXT_meshopt_compression",
    "EXT_texture_webp",
    "KHR_materials_emissive_strength",
    "KHR_materials_unlit",
    "KHR_mesh_quantization",
    "KHR_node_visibility",
    "KHR_texture_transform",
    "VRM",
    "VRMC_materials_mtoon",
    "VRMC_node_constraint",
    "VRMC_springBone",
    "VRMC_springBone_extended_collider",
    "VRMC_springBone_limit",
    "VRMC_vrm",
    "VRMC_vrm_animation",
];
/// Compressions that are not read.
const COMPRESSIONS: [&str; 2] = ["KHR_draco_mesh_compression", "KHR_texture_basisu"];
/// Extensions that are not read, but without which the rest of a file is still correct.
const OPTIONAL_EXTENSIONS: &[&str] = &["KHR_animation_pointer", "KHR_lights_punctual", "KHR_xmp", "KHR_xmp_json_ld"];
const OPTIONAL_EXTENSION_PREFIXES: &[&str] = &["KHR_materials_", "VRMC_"];

/// Rejects glTF versions other than 2.0, and files that require unsupported extensions. The message lists all
/// unsupported extensions. Warns about required extensions that are not read.
pub(crate) fn check_requirements(root: &JsonObject<'_>) -> Result<(), JsonError> {
    let asset = root.required("asset", JsonObject::object)?;
    let version = asset.required("version", JsonObject::text)?;
    let wanted = asset.text("minVersion")?.unwrap_or(version);
    for (key, version) in [("version", version), ("minVersion", wanted)] {
        let (major, minor) = version.split_once('.').unwrap_or((version, ""));
        let number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        if major != "2" || !number(minor) || (key == "minVersion" && minor != "0") {
            let version = excerpt(version);
            return Err(asset.error_at(key, message!("glTF version \"{version}\"; only 2.0 is read", version)));
        }
    }
    let mut unknown = Vec::new();
    for (i, name) in root.list("extensionsRequired")?.iter().enumerate() {
        let Some(name) = name.as_str() else {
            let pointer = format!("/extensionsRequired/{i}");
            return Err(JsonError { pointer, message: message!("the name of an extension was expected") });
        };
        if SUPPORTED_EXTENSIONS.contains(&name) {
            continue;
        }
        let is_optional =
            OPTIONAL_EXTENSIONS.contains(&name) || OPTIONAL_EXTENSION_PREFIXES.iter().any(|f| name.starts_with(f));
        if is_optional {
            let pointer = format!("/extensionsRequired/{i}");
            let message = message!("the file requires {name}, which is not read", name = excerpt(name));
            root.warn(JsonError { pointer, message }, "its effect is left out");
        } else if !unknown.contains(&name) {
            unknown.push(name);
        }
    }
    if unknown.is_empty() {
        return Ok(());
    }
    let is_compression = |name: &&str| COMPRESSIONS.contains(name);
    let compressions: Vec<&str> = unknown.iter().copied().filter(is_compression).collect();
    let names = unknown.iter().copied().map(excerpt).collect::<Vec<_>>().join(", ");
    let message = if compressions.is_empty() {
        message!("requires {names}, which is not supported", names)
    } else {
        message!(
            "requires {names}, which is not supported. The tool gltf-transform unpacks such files: gltf-transform copy IN.glb \
             OUT.glb for meshes, gltf-transform ktxdecompress IN.glb OUT.glb for images",
            names
        )
    };
    Err(root.error_at("extensionsRequired", message))
}
