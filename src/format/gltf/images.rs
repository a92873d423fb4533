//! Pixels: PNG, JPEG and WebP, told apart by their content, decoded in parallel.
//!
//! An image that cannot be read is replaced by [`Image::placeholder`] with a warning; it never refuses the file.
//! Pixels beyond the memory budget are not shrunk silently either: those images are replaced and named.

use super::Progress;
use super::buffers::{Buffers, Bytes, Library};
use super::json::{Fault, Json, Notes};
use crate::rig::Image;
use image::{DynamicImage, ImageDecoder as _, ImageFormat, ImageReader, Limits};
use rayon::prelude::*;
use std::io::Cursor;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Longest side, pixels.
const LONGEST_SIDE: u32 = 8192;
/// All decoded images of a file together, bytes.
const MOST_BYTES: u64 = 512 << 20;

/// Encoded bytes, and where they came from.
struct Encoded<'b> {
    pointer: String,
    bytes: EncodedBytes<'b>,
    declared: Option<&'b str>,
}

enum EncodedBytes<'b> {
    View(&'b [u8]),
    Fetched(Bytes<'b>),
}

impl EncodedBytes<'_> {
    fn as_slice(&self) -> &[u8] {
        match self {
            Self::View(bytes) => bytes,
            Self::Fetched(bytes) => bytes.as_slice(),
        }
    }
}

/// Decodes the images numbered in `used`, in that order; `None` when cancelled.
pub(crate) fn read<'a>(
    root: &Json<'a>,
    used: &[usize],
    buffers: &Buffers<'a>,
    library: &mut Library<'a>,
    notes: &Notes<'_>,
    progress: &Progress<'_>,
) -> Result<Option<Vec<Arc<Image>>>, Fault> {
    let list: Vec<_> = root.objects("images")?.collect();
    let encoded: Vec<_> = used.iter().map(|index| locate(list[*index].clone()?, buffers, library)).collect();
    let plans = plan(&encoded);
    let done = AtomicUsize::new(0);
    let decoded: Vec<_> = encoded
        .par_iter()
        .zip(plans)
        .map(|(encoded, plan)| {
            if !progress.goes_on() {
                return Err(String::new());
            }
            let image = match (encoded, plan) {
                (Ok(encoded), Ok(format)) => decode(encoded.bytes.as_slice(), format),
                (_, Err(why)) => Err(why),
                (Err(fault), Ok(_)) => Err(fault.message.clone()),
            };
            let done = done.fetch_add(1, Ordering::Relaxed) + 1;
            progress.report(done as f32 / used.len() as f32);
            image
        })
        .collect();
    if !progress.goes_on() {
        return Ok(None);
    }
    let images = decoded.into_iter().zip(&encoded).zip(used).map(|((image, encoded), index)| {
        let pointer = encoded.as_ref().map_or_else(|fault| fault.pointer.clone(), |encoded| encoded.pointer.clone());
        if let Ok(encoded) = encoded {
            check_declared(encoded, notes);
        }
        Arc::new(image.unwrap_or_else(|message| {
            let message = format!("image {index}: {message}");
            notes.warn(Fault { pointer, message }, "a chequer stands in for it");
            Image::placeholder()
        }))
    });
    Ok(Some(images.collect()))
}

fn locate<'b, 'a: 'b>(
    image: Json<'a>,
    buffers: &'b Buffers<'a>,
    library: &mut Library<'a>,
) -> Result<Encoded<'b>, Fault> {
    let declared = image.text("mimeType").ok().flatten();
    let bytes = match image.index("bufferView", buffers.views.len(), "buffer view")? {
        Some(view) => EncodedBytes::View(buffers.view(view).map_err(|why| image.fault("bufferView", why))?),
        None => {
            let uri = image.text("uri")?.ok_or_else(|| image.broken("it has neither a uri nor a buffer view"))?;
            EncodedBytes::Fetched(library.fetch(uri).map_err(|why| image.fault("uri", why))?)
        }
    };
    Ok(Encoded { pointer: image.pointer, bytes, declared })
}

/// The format of each image, or why it is not decoded; looks at headers only.
fn plan(encoded: &[Result<Encoded<'_>, Fault>]) -> Vec<Result<ImageFormat, String>> {
    let mut left = MOST_BYTES;
    let mut plan_one = |encoded: &Result<Encoded<'_>, Fault>| {
        let encoded = encoded.as_ref().map_err(|fault| fault.message.clone())?;
        let bytes = encoded.bytes.as_slice();
        let format = format_of(bytes)?;
        let (width, height) = ImageReader::with_format(Cursor::new(bytes), format)
            .into_dimensions()
            .map_err(|error| format!("it cannot be read: {error}"))?;
        if width > LONGEST_SIDE || height > LONGEST_SIDE {
            return Err(format!("it is {width} x {height} pixels; at most {LONGEST_SIDE} a side are read"));
        }
        let size = 4 * u64::from(width) * u64::from(height);
        left = left.checked_sub(size).ok_or_else(|| {
            format!(
                "with its {width} x {height} pixels the images need more than the {} MiB set aside",
                MOST_BYTES >> 20
            )
        })?;
        Ok(format)
    };
    encoded.iter().map(&mut plan_one).collect()
}

fn format_of(bytes: &[u8]) -> Result<ImageFormat, String> {
    match image::guess_format(bytes) {
        Ok(format @ (ImageFormat::Png | ImageFormat::Jpeg | ImageFormat::WebP)) => Ok(format),
        Ok(other) => Err(format!("it is {other:?}; PNG, JPEG or WebP was expected")),
        Err(_) => Err("it is neither PNG, JPEG nor WebP".to_owned()),
    }
}

fn decode(bytes: &[u8], format: ImageFormat) -> Result<Image, String> {
    let mut reader = ImageReader::with_format(Cursor::new(bytes), format);
    let mut limits = Limits::default();
    limits.max_image_width = Some(LONGEST_SIDE);
    limits.max_image_height = Some(LONGEST_SIDE);
    limits.max_alloc = Some(2 * MOST_BYTES);
    reader.limits(limits);
    let pixels = reader
        .into_decoder()
        .and_then(|decoder| {
            debug_assert!(decoder.dimensions().0 <= LONGEST_SIDE, "the header was looked at before");
            DynamicImage::from_decoder(decoder)
        })
        .map_err(|error| format!("it cannot be read: {error}"))?
        .into_rgba8();
    Ok(Image { width: pixels.width(), height: pixels.height(), rgba: pixels.into_raw() })
}

fn check_declared(encoded: &Encoded<'_>, notes: &Notes<'_>) {
    let (Some(declared), Ok(format)) = (encoded.declared, format_of(encoded.bytes.as_slice())) else { return };
    let found = format.to_mime_type();
    if declared != found {
        let message = format!("the image says it is {}, but is {found}", crate::report::clip(declared));
        let pointer = format!("{}/mimeType", encoded.pointer);
        notes.warn(Fault { pointer, message }, "its content is believed");
    }
}
