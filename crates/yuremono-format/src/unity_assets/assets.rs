//! The assets of a Unity project by their GUIDs: those of a package, or the files of a folder.

use crate::fs;
use crate::source::{has_extension, io_error_text, read_limited};
use flate2::read::GzDecoder;
use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use yuremono_sim::diagnostics::{Diagnostic, Location, MessageText, excerpt, message};

/// Maximum number of entries of a folder with its subfolders, or of a package.
const MAX_ENTRIES: usize = 200_000;
/// Maximum depth of subfolders.
const MAX_DEPTH: usize = 32;
/// The GUID is at the start of a `.meta`.
const META_START_BYTES: u64 = 1024;
/// Maximum size of a package after unpacking, and of the assets of it that are kept, in bytes.
const MAX_UNPACKED_BYTES: u64 = 2 << 30;
const MAX_KEPT_BYTES: usize = 512 << 20;
/// Extensions of assets that are kept: models, their images, and assets in text form.
const KEPT_EXTENSIONS: [&str; 14] =
    ["asset", "bmp", "fbx", "glb", "gif", "gltf", "jpeg", "jpg", "png", "prefab", "tga", "unity", "vrm", "webp"];
const MODEL_EXTENSIONS: [&str; 4] = ["fbx", "vrm", "glb", "gltf"];

/// The assets to which a file may refer.
#[derive(Debug, Default)]
pub(crate) struct UnityAssets {
    /// The folder whose files are the assets. Without a folder, the assets come from a package.
    folder: Option<PathBuf>,
    by_guid: OnceLock<BTreeMap<String, Asset>>,
}

/// An asset.
#[derive(Debug)]
pub(crate) struct Asset {
    /// The path in the project, or on the disk. It is only a label.
    pub(crate) path: String,
    content: AssetContent,
}

#[derive(Debug)]
enum AssetContent {
    Packed { bytes: Vec<u8>, meta: Vec<u8> },
    File(PathBuf),
}

impl Asset {
    /// Returns the bytes of the asset.
    pub(crate) fn read(&self) -> Result<Vec<u8>, Diagnostic> {
        match &self.content {
            AssetContent::Packed { bytes, .. } => Ok(bytes.clone()),
            AssetContent::File(path) => read_limited(path),
        }
    }

    /// Returns the text of the `.meta`, or an empty text.
    pub(crate) fn meta(&self) -> String {
        let bytes = match &self.content {
            AssetContent::Packed { meta, .. } => meta.clone(),
            AssetContent::File(path) => read_limited(&meta_path(path)).unwrap_or_default(),
        };
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// Returns the path on the disk, which a packed asset lacks.
    pub(crate) fn file(&self) -> Option<&Path> {
        if let AssetContent::File(path) = &self.content { Some(path) } else { None }
    }

    /// Returns the file name.
    pub(crate) fn name(&self) -> &str {
        self.path.rsplit(['/', '\\']).next().unwrap_or(&self.path)
    }

    fn has_extension(&self, extensions: &[&str]) -> bool {
        has_extension(Path::new(self.name()), extensions)
    }

    pub(crate) fn is_model(&self) -> bool {
        self.has_extension(&MODEL_EXTENSIONS)
    }

    /// Whether this is a prefab or a scene.
    pub(crate) fn is_prefab_or_scene(&self) -> bool {
        self.is_scene() || self.has_extension(&["prefab"])
    }

    pub(crate) fn is_scene(&self) -> bool {
        self.has_extension(&["unity"])
    }

    /// Returns the size in bytes. A missing file has none.
    pub(crate) fn size(&self) -> u64 {
        match &self.content {
            AssetContent::Packed { bytes, .. } => bytes.len() as u64,
            AssetContent::File(path) => fs::metadata(path).map_or(0, |data| data.len()),
        }
    }
}

impl UnityAssets {
    /// The files of a folder and its subfolders. The folder is read when the first asset is needed.
    pub(crate) fn in_folder(folder: &Path) -> Self {
        Self { folder: Some(folder.to_owned()), by_guid: OnceLock::new() }
    }

    /// The files of the project to which a file belongs: those of its folder `Assets`, or else of its own folder.
    pub(crate) fn around(file: &Path) -> Self {
        let absolute = std::path::absolute(file).unwrap_or_else(|_| file.to_owned());
        let project =
            absolute.ancestors().skip(1).find(|folder| folder.file_name().is_some_and(|name| name == "Assets"));
        project.or(absolute.parent()).map_or_else(Self::default, Self::in_folder)
    }

    /// The assets of a package, which stay in memory.
    pub(crate) fn in_package(bytes: &[u8], name: &str, found: &mut Vec<Diagnostic>) -> Self {
        let reader = PackageReader { name, found, assets: BTreeMap::new(), kept_bytes: 0, ignored_entries: 0 };
        let assets = reader.read(bytes);
        Self { folder: None, by_guid: OnceLock::from(assets) }
    }

    /// Reads an asset of a package by its path relative to the folder of another asset, or the `.meta` of that asset.
    pub(crate) fn read_packed(&self, from: &Asset, relative: &str) -> std::io::Result<Vec<u8>> {
        if relative.strip_suffix(".meta") == Some(from.name()) {
            return Ok(from.meta().into_bytes());
        }
        let mut parts: Vec<&str> = from.path.split(['/', '\\']).collect();
        parts.pop();
        for part in relative.split('/') {
            if part == ".." {
                parts.pop();
            } else {
                parts.push(part);
            }
        }
        let wanted = parts.join("/").to_lowercase();
        let found = self.all().values().find(|asset| asset.path.replace('\\', "/").to_lowercase() == wanted);
        let found = found.and_then(|asset| asset.read().ok());
        found.ok_or_else(|| std::io::ErrorKind::NotFound.into())
    }

    pub(crate) fn get(&self, guid: &str) -> Option<&Asset> {
        self.all().get(&guid.to_ascii_lowercase())
    }

    /// Returns all assets by their GUIDs in small letters.
    pub(crate) fn all(&self) -> &BTreeMap<String, Asset> {
        self.by_guid.get_or_init(|| {
            let mut assets = BTreeMap::new();
            let mut entries_left = MAX_ENTRIES;
            if let Some(folder) = &self.folder {
                add_folder(folder, MAX_DEPTH, &mut entries_left, &mut assets);
            }
            assets
        })
    }
}

fn meta_path(path: &Path) -> PathBuf {
    let mut meta = path.as_os_str().to_owned();
    meta.push(".meta");
    PathBuf::from(meta)
}

/// Adds the files with a `.meta`. Links, and folders that cannot be read, are left out.
fn add_folder(folder: &Path, depth: usize, entries_left: &mut usize, assets: &mut BTreeMap<String, Asset>) {
    let mut entries: Vec<_> = fs::read_dir(folder).into_iter().flatten().take(*entries_left).flatten().collect();
    *entries_left -= entries.len();
    // The order of a folder differs between systems.
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let (path, Ok(kind)) = (entry.path(), entry.file_type()) else { continue };
        let is_hidden = entry.file_name().to_string_lossy().starts_with('.');
        if kind.is_dir() && !is_hidden && depth > 0 {
            add_folder(&path, depth - 1, entries_left, assets);
        } else if kind.is_file() && !is_hidden {
            let is_meta = path.extension().is_some_and(|extension| extension == "meta");
            let file = if is_meta { path.with_extension("") } else { path.clone() };
            let asset = Asset { path: file.to_string_lossy().into_owned(), content: AssetContent::File(file.clone()) };
            // The tables in the `.meta` of a model help also without the model. A model that Unity did not import has no
            // GUID, and its path identifies it.
            let guid = if is_meta {
                guid_of(&start_of(&path)).filter(|_| !fs::symlink_metadata(&file).is_ok_and(|data| !data.is_file()))
            } else {
                Some(asset.path.clone()).filter(|_| asset.is_model() && !fs::is_present(&meta_path(&file)))
            };
            if let Some(guid) = guid {
                assets.entry(guid).or_insert(asset);
            }
        }
    }
}

fn start_of(path: &Path) -> Vec<u8> {
    let mut start = Vec::new();
    // A file that cannot be read has no GUID.
    _ = fs::File::open(path).and_then(|file| file.take(META_START_BYTES).read_to_end(&mut start));
    start
}

/// The GUID in a `.meta`, in small letters.
fn guid_of(meta: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(meta);
    let guid = text.lines().find_map(|line| line.strip_prefix("guid:"))?.trim();
    is_guid(guid).then(|| guid.to_ascii_lowercase())
}

fn is_guid(text: &str) -> bool {
    text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// The parts of an asset in a package.
#[derive(Default)]
struct PackedAsset {
    bytes: Option<Vec<u8>>,
    meta: Vec<u8>,
    path: String,
}

/// Reads a package: a tar with one folder per asset, whose name is the GUID. Nothing is written to the disk.
struct PackageReader<'a> {
    name: &'a str,
    found: &'a mut Vec<Diagnostic>,
    assets: BTreeMap<String, PackedAsset>,
    kept_bytes: usize,
    ignored_entries: usize,
}

impl PackageReader<'_> {
    fn warn(&mut self, message: MessageText) {
        self.found.push(Diagnostic::warning(Location::file(self.name), message));
    }

    fn read(mut self, bytes: &[u8]) -> BTreeMap<String, Asset> {
        if let Err(error) = self.read_entries(bytes) {
            self.warn(message!("the package ends early or is damaged: {error}", error = io_error_text(&error)));
        }
        if self.ignored_entries > 0 {
            let count = self.ignored_entries;
            self.warn(message!("{count} entries of the package are no assets and are ignored", count));
        }
        let mut assets = BTreeMap::new();
        for (guid, PackedAsset { bytes, meta, path }) in std::mem::take(&mut self.assets) {
            if path.starts_with(['/', '\\']) || path.contains(':') || path.split(['/', '\\']).any(|part| part == "..") {
                self.warn(message!(
                    "the path \"{path}\" leaves the project; it is used only as a name",
                    path = excerpt(&path)
                ));
            }
            if let Some(bytes) = bytes {
                assets.insert(guid, Asset { path, content: AssetContent::Packed { bytes, meta } });
            }
        }
        assets
    }

    fn read_entries(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        let mut archive = tar::Archive::new(GzDecoder::new(bytes).take(MAX_UNPACKED_BYTES));
        // Raw entries have no long names, which could be as large as the package.
        for entry in archive.entries()?.raw(true).take(MAX_ENTRIES) {
            let mut entry = entry?;
            let name = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
            let parts = name.strip_prefix("./").unwrap_or(&name).trim_end_matches('/').split_once('/');
            let is_file = entry.header().entry_type().is_file();
            let Some((guid, part)) = parts.filter(|(guid, _)| is_guid(guid) && is_file) else {
                let is_folder = entry.header().entry_type().is_dir();
                self.ignored_entries += usize::from(!is_folder);
                continue;
            };
            let guid = guid.to_ascii_lowercase();
            if !matches!(part, "asset" | "asset.meta" | "pathname") {
                self.ignored_entries += usize::from(part != "preview.png");
                continue;
            }
            let size = usize::try_from(entry.size()).unwrap_or(usize::MAX);
            if self.kept_bytes.saturating_add(size) > MAX_KEPT_BYTES {
                let most = MAX_KEPT_BYTES >> 20;
                self.warn(message!("the package has more than {most} MiB; the asset {guid} is left out", most, guid));
                continue;
            }
            let mut content = Vec::new();
            entry.read_to_end(&mut content)?;
            self.kept_bytes += content.len();
            self.add_part(guid, part, content);
        }
        Ok(())
    }

    fn add_part(&mut self, guid: String, part: &str, content: Vec<u8>) {
        let packed = self.assets.entry(guid.clone()).or_default();
        let is_double = match part {
            "asset" => packed.bytes.replace(content).is_some(),
            "asset.meta" => !std::mem::replace(&mut packed.meta, content).is_empty(),
            _ => {
                // A second line can follow, which Unity does not use.
                let text = String::from_utf8_lossy(&content);
                let path = text.lines().next().unwrap_or_default().trim().to_owned();
                !std::mem::replace(&mut packed.path, path).is_empty()
            }
        };
        // The path usually follows the content, so content that is not needed is freed here.
        let is_needed = packed.path.is_empty() || has_extension(Path::new(&packed.path), &KEPT_EXTENSIONS);
        if !is_needed && let Some(bytes) = packed.bytes.take() {
            self.kept_bytes -= bytes.len();
        }
        if is_double {
            self.warn(message!("the asset {guid} occurs twice; the last one is used", guid));
        }
    }
}
