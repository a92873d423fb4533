//! Detects the kind of a file by its content: setup, character, project, rules or preset.

use super::super::json_common::{format_name, looks_like_json};
pub use crate::source::has_extension;

use crate::bvh::is_bvh;
use crate::fbx::is_fbx;
use crate::source::is_gzip;
use crate::unity_assets::is_unity_text;
use crate::vmd::is_vmd;
use crate::{FORMATS, fixed_text};
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::path::Path;
use std::sync::LazyLock;
use yuremono_model::exchange::{FormatSignature, SetupFormat};
use yuremono_sim::diagnostics::{MessageText, excerpt, message};

/// The content of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileContent {
    /// A setup in a recognised format.
    Setup(SetupFormat),
    /// A prefab or a scene of Unity in text form, or a package.
    UnityAsset,
    /// A glTF, GLB, VRM or FBX file.
    Character,
    /// A motion capture file (BVH).
    Motion,
    Project,
    /// Rules for a bone remap.
    Rules,
    Preset,
    /// Text that starts like a JSON object but cannot be parsed.
    BrokenJson,
    /// Text that may be a CSV. The CSV reader decides.
    Text,
    /// Unknown content, with a short description.
    Unknown(MessageText),
}

impl FileContent {
    /// Returns a short description for messages.
    pub fn describe(&self) -> MessageText {
        match self {
            Self::Setup(format) => message!("a setup ({format})", format = format.key),
            Self::UnityAsset => message!("a prefab, a scene or a package of Unity"),
            Self::Character => message!("a character (glTF, GLB, VRM or FBX)"),
            Self::Motion => message!("a motion (BVH)"),
            Self::Project => message!("a project"),
            Self::Rules => message!("name mapping rules"),
            Self::Preset => message!("a preset"),
            Self::BrokenJson => message!("JSON that cannot be parsed"),
            Self::Text => message!("text"),
            Self::Unknown(what) => what.clone(),
        }
    }
}

/// Lists the supported kinds, for messages about unsupported files.
pub fn known_kinds() -> MessageText {
    message!(
        "known are tables ({extensions}; JSON has a \"format\"), projects (.yure), characters (.vrm, .glb, .gltf, .fbx), \
         setups of Unity (.prefab, .unity, .unitypackage), motions (.vrma, .bvh, .vmd), name mapping rules (.json with \
         \"rules\") and presets (.preset.json)",
        extensions = super::written_extensions()
    )
}

/// Extensions of Unity files that are read as setups.
pub(super) const UNITY_EXTENSIONS: [&str; 3] = ["prefab", "unity", "unitypackage"];

/// The kind of a file by its extension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// A character, which may have motions.
    Character,
    /// Motions without a character.
    Motion,
    Project,
    /// A table, rules or a preset. The content of the file decides.
    Table,
}

impl FileKind {
    /// All kinds, in the order in which dialogs list them.
    pub const ALL: [Self; 4] = [Self::Character, Self::Project, Self::Motion, Self::Table];

    /// Returns the extensions of this kind. The first extension is the default for new files.
    pub fn extensions(self) -> &'static [&'static str] {
        static OF_TABLES: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
            let of_formats = FORMATS.iter().flat_map(|format| format.extensions).copied();
            let mut extensions: Vec<&str> = of_formats.chain(UNITY_EXTENSIONS).collect();
            extensions.sort_unstable();
            extensions.dedup();
            extensions
        });
        match self {
            Self::Character => &["vrm", "glb", "gltf", "fbx"],
            Self::Motion => &["vrma", "bvh", "vmd"],
            Self::Project => &["yure"],
            Self::Table => &OF_TABLES,
        }
    }

    /// Returns the kind of a path by its extension, or `None` if the extension is unknown.
    pub fn from_path(path: &Path) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| has_extension(path, kind.extensions()))
    }
}

/// Whether a character with this name is an FBX or a package, which are read but never written.
pub fn is_read_only_character(path: &Path) -> bool {
    has_extension(path, &["fbx", "unitypackage"])
}

/// Detects the content of these bytes.
pub fn detect_content(bytes: &[u8]) -> FileContent {
    if let Some(binary) = detect_binary(bytes) {
        return binary;
    }
    if is_unity_text(bytes) {
        return FileContent::UnityAsset;
    }
    if is_bvh(bytes) {
        return FileContent::Motion;
    }
    if !looks_like_json(bytes) {
        return detect_text(bytes);
    }
    if let Some(format) = format_name(bytes) {
        let unknown =
            || FileContent::Unknown(message!("JSON with a \"format\" of \"{format}\"", format = excerpt(&format)));
        let is_of = |signature| matches!(signature, FormatSignature::Json(name) if name == format);
        return find_signature(is_of).map_or_else(unknown, FileContent::Setup);
    }
    let Ok(head) = serde_json::from_slice::<MarkerFields>(without_bom(bytes)) else { return FileContent::BrokenJson };
    match head {
        MarkerFields { yuremono: Some(_), .. } => FileContent::Project,
        MarkerFields { yuremono_preset: Some(_), .. } => FileContent::Preset,
        MarkerFields { asset: Some(_), .. } => FileContent::Character,
        MarkerFields { rules: Some(_), .. } => FileContent::Rules,
        MarkerFields { .. } => FileContent::Unknown(message!("JSON of an unknown kind")),
    }
}

fn find_signature(is_of: impl Fn(FormatSignature) -> bool) -> Option<SetupFormat> {
    FORMATS.iter().copied().find(|format| is_of(format.signature))
}

#[derive(Deserialize)]
struct MarkerFields {
    yuremono: Option<IgnoredAny>,
    yuremono_preset: Option<IgnoredAny>,
    asset: Option<IgnoredAny>,
    rules: Option<IgnoredAny>,
}

/// Recognises binary files by their first bytes.
fn detect_binary(bytes: &[u8]) -> Option<FileContent> {
    const MAGICS: [(&[u8], &str); 5] = [
        (b"\x89PNG", "a PNG image"),
        (b"\xff\xd8\xff", "a JPEG image"),
        (b"PK\x03\x04", "a ZIP archive"),
        (b"%PDF", "a PDF document"),
        (b"\x7fELF", "an executable"),
    ];
    if bytes.starts_with(b"glTF") || is_fbx(bytes) {
        return Some(FileContent::Character);
    }
    if is_vmd(bytes) {
        return Some(FileContent::Motion);
    }
    if is_gzip(bytes) {
        return Some(FileContent::UnityAsset);
    }
    if let Some((_, what)) = MAGICS.iter().find(|(magic, _)| bytes.starts_with(magic)) {
        return Some(FileContent::Unknown(fixed_text(what)));
    }
    if bytes.trim_ascii().is_empty() {
        return Some(FileContent::Unknown(message!("an empty file")));
    }
    // Letters in any text encoding never contain three zero bytes in a row. UTF-16 has one zero byte next to each ASCII
    // byte.
    let start = &bytes[..bytes.len().min(1 << 16)];
    let zeros = start.windows(3).any(|three| three == [0, 0, 0]);
    zeros.then(|| FileContent::Unknown(message!("binary data")))
}

/// Recognises text files. A JSON list or a single JSON value is not a CSV, but `[SpringBones]` is not valid JSON.
fn detect_text(bytes: &[u8]) -> FileContent {
    let is_of = |signature| matches!(signature, FormatSignature::Text(is_of) if is_of(bytes));
    if let Some(format) = find_signature(is_of) {
        return FileContent::Setup(format);
    }
    let is_list = bytes.trim_ascii_start().first() == Some(&b'[');
    if is_list && serde_json::from_slice::<IgnoredAny>(without_bom(bytes)).is_ok() {
        return FileContent::Unknown(message!("a JSON list"));
    }
    FileContent::Text
}

fn without_bom(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use yuremono_model::exchange::remap::RemapRules;

    #[track_caller]
    fn check(bytes: &[u8], expected: &FileContent) {
        assert_eq!(detect_content(bytes), *expected, "{}", String::from_utf8_lossy(bytes));
    }

    #[test]
    fn every_file_kind_is_detected_by_content() {
        check(br#"{"format": "yuremono-setup"}"#, &FileContent::Setup(&crate::setup_json::INFO));
        check(b"[DynamicBone]\n\n[m_Colliders]\n", &FileContent::Setup(&crate::dynamic_bone_csv::INFO));
        check(b"version,4\n[SpringBones]\n", &FileContent::Text);
        check(b"[SpringBones]\nhair,1\n", &FileContent::Text);
        check("\u{feff}{\"yuremono\": 1}".as_bytes(), &FileContent::Project);
        check(br#"{"yuremono_preset": 1}"#, &FileContent::Preset);
        check(br#"{"asset": {"version": "2.0"}}"#, &FileContent::Character);
        check(b"%YAML 1.1\n%TAG !u! tag:unity3d.com,2011:\n--- !u!1 &1\n", &FileContent::UnityAsset);
        check(b"glTF\x02\0\0\0", &FileContent::Character);
        check(b"Kaydara FBX Binary  \0", &FileContent::Character);
        check(b"; FBX 7.4.0 project file\n", &FileContent::Character);
        check(b"\xef\xbb\xbf\nhierarchy\r\nROOT Hips", &FileContent::Motion);
        check(b"Vocaloid Motion Data 0002\0\0\0\0\0", &FileContent::Motion);
        check(RemapRules::default().to_json().as_bytes(), &FileContent::Rules);
        check(br#"{"format": "yuremono-setup", "systems": [{"#, &FileContent::BrokenJson);
    }

    #[test]
    fn unknown_content_is_described() {
        for (bytes, found) in [
            (&b"\x89PNG\r\n"[..], "a PNG image"),
            (b" \n", "an empty file"),
            (b"\x01\0\0\0\x02", "binary data"),
            (b"[1, 2]", "a JSON list"),
            (br#"{"name": "package"}"#, "JSON of an unknown kind"),
            (br#"{"format": "lottie"}"#, "JSON with a \"format\" of \"lottie\""),
        ] {
            let content = detect_content(bytes);
            assert!(matches!(content, FileContent::Unknown(_)) && content.describe() == found, "{content:?}");
        }
    }
}
