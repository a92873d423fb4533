//! Finds the images of an FBX: in the file, next to it, or in a folder with a usual name.
//!
//! A path in the file is never opened, because it usually names another computer. Only its last part is used.

use super::builder::GltfBuilder;
use crate::source::{SourceFile, safe_relative_path};
use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use image::{ImageFormat, ImageReader, Limits};
use serde_json::json;
use std::collections::HashMap;
use std::io::Cursor;
use ufbx::Texture;

/// Folders in which images are searched, relative to the folder of the file, after the folder `NAME.fbm`.
const FOLDERS: [&str; 11] = [
    "",
    "textures",
    "Textures",
    "texture",
    "Texture",
    "tex",
    "Materials",
    "../textures",
    "../Textures",
    "../Texture",
    "../Materials",
];
/// Extensions of readable images. Often a file names the image of a paint program, and its export is in the same folder.
const EXTENSIONS: [&str; 5] = ["png", "jpg", "jpeg", "webp", "tga"];
/// Maximum width and height of an image that is converted, in pixels.
const MAX_SIDE: u32 = 8192;
/// Limit for the pixels of all images of a file that are converted.
const MAX_CONVERTED_PIXELS: u64 = 256 << 20;

/// Adds images to a glTF, each once.
pub(super) struct ImageFinder<'a> {
    source: &'a SourceFile<'a>,
    /// The image in the glTF by the name in the file.
    found: HashMap<String, Option<usize>>,
    /// Names of images that were not found.
    pub(super) missing: Vec<String>,
    /// Names of images with an unsupported format.
    pub(super) unreadable: Vec<String>,
    /// How many more pixels may be converted.
    pixels_left: u64,
}

impl<'a> ImageFinder<'a> {
    pub(super) fn new(source: &'a SourceFile<'a>) -> Self {
        Self {
            source,
            found: HashMap::new(),
            missing: Vec::new(),
            unreadable: Vec::new(),
            pixels_left: MAX_CONVERTED_PIXELS,
        }
    }

    /// Adds the image of a texture and returns its index; `None` if the image is missing or cannot be read.
    pub(super) fn find(&mut self, texture: &Texture, gltf: &mut GltfBuilder) -> Option<usize> {
        let names = [&texture.relative_filename, &texture.absolute_filename, &texture.filename, &texture.element.name];
        let name = names.into_iter().find_map(|path| base_name(path)).unwrap_or_default();
        let video = texture.video.as_ref().map(|video| &*video.content);
        let content = [Some(&*texture.content), video].into_iter().flatten().find(|content| !content.is_empty());
        // Embedded images can share a name.
        let video = texture.video.as_ref().map_or(texture.element.element_id, |video| video.element.element_id);
        let key = if content.is_some() { format!("{video}/{name}") } else { name.to_lowercase() };
        if let Some(known) = self.found.get(&key) {
            return *known;
        }
        let is_embedded = content.is_some();
        let embedded = content.and_then(|content| self.readable(content.to_vec(), name));
        let image = embedded.or_else(|| self.read_next_to_file(name));
        let index = image.and_then(|bytes| {
            let kind = mime_type(&bytes)?;
            let view = gltf.add_view(bytes);
            gltf.images.push(json!({ "name": name, "bufferView": view, "mimeType": kind }));
            Some(gltf.images.len() - 1)
        });
        if index.is_none() {
            let is_there = is_embedded || self.read(name).is_some();
            if is_there { &mut self.unreadable } else { &mut self.missing }.push(name.to_owned());
        }
        self.found.insert(key, index);
        index
    }

    /// Reads the image with this name, or with the same name and a readable extension.
    fn read_next_to_file(&mut self, name: &str) -> Option<Vec<u8>> {
        let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
        let exported = EXTENSIONS.map(|extension| format!("{stem}.{extension}"));
        let mut names = std::iter::once(name.to_owned()).chain(exported);
        names.find_map(|name| self.read(&name).and_then(|bytes| self.readable(bytes, &name)))
    }

    /// Returns an image in a format that glTF allows. A TGA becomes a PNG.
    fn readable(&mut self, bytes: Vec<u8>, name: &str) -> Option<Vec<u8>> {
        if mime_type(&bytes).is_some() {
            return Some(bytes);
        }
        // A TGA has no mark at its start.
        if !name.to_ascii_lowercase().ends_with(".tga") {
            return None;
        }
        let mut reader = ImageReader::with_format(Cursor::new(&bytes), ImageFormat::Tga);
        let mut limits = Limits::default();
        (limits.max_image_width, limits.max_image_height) = (Some(MAX_SIDE), Some(MAX_SIDE));
        reader.limits(limits);
        let (width, height) = ImageReader::with_format(Cursor::new(&bytes), ImageFormat::Tga).into_dimensions().ok()?;
        self.pixels_left = self.pixels_left.checked_sub(u64::from(width) * u64::from(height))?;
        let pixels = reader.decode().ok()?.into_rgba8();
        let mut png = Vec::new();
        let encoder = PngEncoder::new_with_quality(&mut png, CompressionType::Fast, FilterType::Sub);
        pixels.write_with_encoder(encoder).ok()?;
        Some(png)
    }

    fn read(&self, name: &str) -> Option<Vec<u8>> {
        // A name with a separator or a percent sign is not decoded: it is a plain name.
        safe_relative_path(name).ok().filter(|safe| safe == name)?;
        let stem = self.source.name.rsplit_once('.').map_or(self.source.name, |(stem, _)| stem);
        let media = format!("{stem}.fbm");
        let folders = std::iter::once(media.as_str()).chain(FOLDERS);
        let path = |folder: &str| if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") };
        folders.map(path).find_map(|path| (self.source.read_sibling)(&path).ok())
    }
}

/// The last part of a path of any system.
fn base_name(path: &str) -> Option<&str> {
    path.rsplit(['/', '\\']).next().map(str::trim).filter(|name| !name.is_empty())
}

fn mime_type(bytes: &[u8]) -> Option<&'static str> {
    match image::guess_format(bytes).ok()? {
        format @ (ImageFormat::Png | ImageFormat::Jpeg | ImageFormat::WebP) => Some(format.to_mime_type()),
        _ => None,
    }
}
