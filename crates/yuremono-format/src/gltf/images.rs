//! Decodes PNG, JPEG and WebP images in parallel. The format is detected from the content.
//!
//! An image that cannot be read is replaced with [`Image::checkerboard`] and reported, but the file is not rejected. If
//! all images together need too much memory, the largest images are scaled down and reported.
//!
//! The budget [`MAX_DECODED_BYTES`] limits the memory of all images of a file while they are decoded. Before decoding,
//! the size in each image header is charged to the budget. [`without_metadata_chunks`] removes PNG chunks that can
//! inflate to any size.

use super::LoadProgress;
use super::buffers::Buffers;
use super::uri_loader::{BufferBytes, UriLoader};
use crate::gltf_json::json::{JsonError, JsonObject};
use crate::parallel;
use image::{ImageDecoder as _, ImageFormat, ImageReader, Limits};
use std::borrow::Cow;
use std::collections::HashMap;
use std::io::Cursor;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use yuremono_sim::diagnostics::{MessageText, message};
use yuremono_sim::rig::Image;

/// Maximum width and height in pixels.
const MAX_SIDE: u32 = 8192;
/// Limit for all decoded images of a file together, in bytes.
const MAX_IMAGE_BYTES: u64 = 512 << 20;
/// Limit for the decoded images of a file before they are scaled down, in bytes.
const MAX_DECODED_BYTES: u64 = 4 << 30;
/// Images with a decoded size up to this number of bytes are decoded in parallel.
const MAX_PARALLEL_IMAGE_BYTES: u64 = 64 << 20;

/// An encoded image and its location in the file.
struct EncodedImage<'b> {
    pointer: String,
    bytes: BufferBytes<'b>,
    declared_mime_type: Option<&'b str>,
}

/// Decodes the images with the indices `used`, in that order. Returns `None` if reading is cancelled.
pub(crate) fn read<'a>(
    root: &JsonObject<'a>,
    used: &[usize],
    buffers: &Buffers<'a>,
    library: &mut UriLoader<'a>,
    progress: &LoadProgress<'_>,
) -> Result<Option<Vec<Arc<Image>>>, JsonError> {
    let list: Vec<_> = root.objects("images")?.collect();
    let encoded: Vec<_> = used.iter().map(|index| locate_image(list[*index].clone()?, buffers, library)).collect();
    let copy_of = find_duplicates(&encoded);
    let plans = plan_decoding(&encoded, &copy_of, MAX_IMAGE_BYTES);
    let done = AtomicUsize::new(0);
    let work = |at: usize| {
        if !progress.should_continue() {
            return (at, Err(message!("cancelled")));
        }
        let image = match (&encoded[at], &plans[at]) {
            (Ok(encoded), Ok(plan)) => decode_image(encoded.bytes.as_slice(), plan),
            (_, Err(why)) => Err(why.clone()),
            (Err(fault), Ok(_)) => Err(fault.message.clone()),
        };
        let done = done.fetch_add(1, Ordering::Relaxed) + 1;
        progress.report_images(done as f32 / used.len() as f32);
        (at, image)
    };
    // Large images are decoded one after the other, which keeps only one of them in memory at full size.
    let is_large = |at: &usize| plans[*at].as_ref().is_ok_and(|plan| plan.decoded_bytes() > MAX_PARALLEL_IMAGE_BYTES);
    let (large, others): (Vec<_>, Vec<_>) = (0..used.len()).filter(|at| copy_of[*at].is_none()).partition(is_large);
    let mut decoded = parallel::map(others, work);
    decoded.extend(large.into_iter().map(work));
    if !progress.should_continue() {
        return Ok(None);
    }
    let mut decoded: HashMap<usize, Result<Image, MessageText>> = decoded.into_iter().collect();
    let mut images: Vec<Arc<Image>> = Vec::with_capacity(used.len());
    for (at, index) in used.iter().enumerate() {
        if let Some(first) = copy_of[at] {
            images.push(images[first].clone());
            continue;
        }
        let image = decoded.remove(&at).unwrap_or_else(|| Err(message!("it was not decoded")));
        let pointer = encoded[at].as_ref().map_or_else(|fault| &fault.pointer, |encoded| &encoded.pointer).clone();
        if let (Ok(encoded), Ok(plan)) = (&encoded[at], &plans[at]) {
            check_mime_type(root, encoded, plan.format);
            plan.report_downscale(root, *index, &pointer);
        }
        images.push(Arc::new(image.unwrap_or_else(|message| {
            let message = message!("image {index}: {message}", index = *index, message);
            root.warn(JsonError { pointer, message }, "a chequerboard replaces it");
            Image::checkerboard()
        })));
    }
    Ok(Some(images))
}

/// For each image, the index of an earlier image with the same bytes in memory. Such bytes are decoded only once.
fn find_duplicates(encoded: &[Result<EncodedImage<'_>, JsonError>]) -> Vec<Option<usize>> {
    let mut first = HashMap::new();
    let repeat = |(at, encoded): (usize, &Result<EncodedImage<'_>, JsonError>)| {
        let bytes = encoded.as_ref().ok()?.bytes.as_slice();
        let known = *first.entry((bytes.as_ptr(), bytes.len())).or_insert(at);
        (known != at).then_some(known)
    };
    encoded.iter().enumerate().map(repeat).collect()
}

fn locate_image<'b, 'a: 'b>(
    image: JsonObject<'a>,
    buffers: &'b Buffers<'a>,
    library: &mut UriLoader<'a>,
) -> Result<EncodedImage<'b>, JsonError> {
    let declared = image.text("mimeType").ok().flatten();
    let bytes = if let Some(view) = image.index("bufferView", buffers.views.len(), "buffer view")? {
        BufferBytes::Borrowed(buffers.view_bytes(view).map_err(|why| image.error_at("bufferView", why))?)
    } else {
        let uri = image.text("uri")?.ok_or_else(|| image.error(message!("it has neither a uri nor a buffer view")))?;
        library.fetch(uri).map_err(|why| image.error_at("uri", why))?
    };
    Ok(EncodedImage { pointer: image.pointer, bytes, declared_mime_type: declared })
}

/// Format and size of an image, known before decoding.
#[derive(Clone, Copy, Debug)]
struct DecodePlan {
    format: ImageFormat,
    width: u32,
    height: u32,
    /// Bytes of a decoded pixel, before conversion to 8-bit RGBA.
    pixel_bytes: u64,
    /// Number of times that width and height are halved.
    halvings: u32,
}

impl DecodePlan {
    /// Memory of the image while it is decoded, at least 4 bytes per pixel.
    fn decoded_bytes(&self) -> u64 {
        self.pixel_bytes.max(4) * u64::from(self.width) * u64::from(self.height)
    }

    fn final_size(&self) -> (u32, u32) {
        ((self.width >> self.halvings).max(1), (self.height >> self.halvings).max(1))
    }

    fn final_bytes(&self) -> u64 {
        let (width, height) = self.final_size();
        4 * u64::from(width) * u64::from(height)
    }

    fn report_downscale(&self, root: &JsonObject<'_>, index: usize, pointer: &str) {
        if self.halvings > 0 {
            let ((width, height), most) = (self.final_size(), MAX_IMAGE_BYTES >> 20);
            let message = message!(
                "image {index} is shown at {width} x {height} instead of {width2} x {height2} pixels, so that all images fit into {most} MiB",
                index,
                width,
                height,
                width2 = self.width,
                height2 = self.height,
                most
            );
            root.info(pointer, message);
        }
    }
}

/// Returns the plan of each image, or the reason why the image is not decoded. Reads only the headers. The largest
/// images are halved until all images together need at most `most` bytes. A duplicate of an earlier image has no plan.
fn plan_decoding(
    encoded: &[Result<EncodedImage<'_>, JsonError>],
    copy_of: &[Option<usize>],
    most: u64,
) -> Vec<Result<DecodePlan, MessageText>> {
    let mut left = MAX_DECODED_BYTES;
    let mut affordable = |plan: DecodePlan| match left.checked_sub(plan.decoded_bytes()) {
        Some(rest) => {
            left = rest;
            Ok(plan)
        }
        None => Err(message!(
            "it would exceed the {max_decoded_bytes} MiB of pixels that are decoded for a file",
            max_decoded_bytes = MAX_DECODED_BYTES >> 20
        )),
    };
    let mut plans: Vec<Result<DecodePlan, MessageText>> = Vec::with_capacity(encoded.len());
    for (encoded, copy_of) in encoded.iter().zip(copy_of) {
        plans.push(match copy_of {
            // A duplicate is not decoded and needs no memory.
            Some(_) => Err(message!("it repeats an earlier image")),
            None => plan_image(encoded).and_then(&mut affordable),
        });
    }
    let total =
        |plans: &[Result<DecodePlan, MessageText>]| plans.iter().flatten().map(DecodePlan::final_bytes).sum::<u64>();
    while total(&plans) > most {
        let Some(largest) = plans.iter_mut().flatten().max_by_key(|plan| plan.final_bytes()) else { break };
        if largest.final_bytes() <= 4 {
            break;
        }
        largest.halvings += 1;
    }
    plans
}

fn plan_image(encoded: &Result<EncodedImage<'_>, JsonError>) -> Result<DecodePlan, MessageText> {
    let encoded = encoded.as_ref().map_err(|fault| fault.message.clone())?;
    let bytes = encoded.bytes.as_slice();
    let format = detect_format(bytes)?;
    let bytes = without_metadata_chunks(bytes, format);
    let decoder = ImageReader::with_format(Cursor::new(&*bytes), format).into_decoder();
    let decoder = decoder.map_err(|error| message!("it cannot be read: {error}", error = format_args!("{error}")))?;
    let ((width, height), pixel_bytes) = (decoder.dimensions(), u64::from(decoder.color_type().bytes_per_pixel()));
    if width > MAX_SIDE || height > MAX_SIDE {
        return Err(message!(
            "it is {width} x {height} pixels; at most {max_side} per side are read",
            width,
            height,
            max_side = MAX_SIDE
        ));
    }
    Ok(DecodePlan { format, width, height, pixel_bytes, halvings: 0 })
}

/// The PNG chunks that are needed for the pixels. Colour profiles and texts are removed because they are compressed. A
/// megabyte can inflate to a gigabyte regardless of the image size. Colours are read as sRGB in any case.
const PIXEL_CHUNKS: [&[u8]; 5] = [b"IHDR", b"PLTE", b"tRNS", b"IDAT", b"IEND"];
const PNG_SIGNATURE_LEN: usize = 8;

/// Returns a PNG with only the [`PIXEL_CHUNKS`]. A truncated PNG keeps its last incomplete chunk, and the decoder
/// rejects the PNG.
fn without_metadata_chunks(bytes: &[u8], format: ImageFormat) -> Cow<'_, [u8]> {
    if format != ImageFormat::Png {
        return Cow::Borrowed(bytes);
    }
    let mut kept: Vec<&[u8]> = vec![bytes.get(..PNG_SIGNATURE_LEN).unwrap_or(bytes)];
    let (mut rest, mut is_whole) = (bytes.get(PNG_SIGNATURE_LEN..).unwrap_or_default(), true);
    // A chunk consists of length, name, data and checksum.
    while let Some((length, tail)) = rest.split_first_chunk::<4>() {
        let end = (u32::from_be_bytes(*length) as usize).saturating_add(12).min(rest.len());
        if tail.get(..4).is_some_and(|name| PIXEL_CHUNKS.contains(&name)) {
            kept.push(&rest[..end]);
        } else {
            is_whole = false;
        }
        rest = &rest[end..];
    }
    if is_whole { Cow::Borrowed(bytes) } else { Cow::Owned(kept.concat()) }
}

fn detect_format(bytes: &[u8]) -> Result<ImageFormat, MessageText> {
    match image::guess_format(bytes) {
        Ok(format @ (ImageFormat::Png | ImageFormat::Jpeg | ImageFormat::WebP)) => Ok(format),
        Ok(other) => Err(message!("it is {other}; PNG, JPEG or WebP was expected", other = format_args!("{other:?}"))),
        Err(_) => Err(message!("it is neither PNG, JPEG nor WebP")),
    }
}

fn decode_image(bytes: &[u8], plan: &DecodePlan) -> Result<Image, MessageText> {
    let bytes = without_metadata_chunks(bytes, plan.format);
    let mut reader = ImageReader::with_format(Cursor::new(&*bytes), plan.format);
    let mut limits = Limits::default();
    limits.max_image_width = Some(MAX_SIDE);
    limits.max_image_height = Some(MAX_SIDE);
    limits.max_alloc = Some(2 * MAX_IMAGE_BYTES);
    reader.limits(limits);
    let mut pixels =
        reader.decode().map_err(|error| message!("it cannot be read: {error}", error = format_args!("{error}")))?;
    if plan.halvings > 0 {
        let (width, height) = plan.final_size();
        pixels = pixels.thumbnail_exact(width, height);
    }
    let pixels = pixels.into_rgba8();
    Ok(Image { width: pixels.width(), height: pixels.height(), rgba: pixels.into_raw() })
}

fn check_mime_type(root: &JsonObject<'_>, encoded: &EncodedImage<'_>, format: ImageFormat) {
    let (Some(declared), found) = (encoded.declared_mime_type, format.to_mime_type()) else { return };
    if declared != found {
        let message = message!(
            "the image is declared as {declared}, but is {found}",
            declared = yuremono_sim::diagnostics::excerpt(declared),
            found
        );
        let pointer = format!("{}/mimeType", encoded.pointer);
        root.warn(JsonError { pointer, message }, "its content decides");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn png(width: u32, height: u32) -> EncodedImage<'static> {
        let mut bytes = Cursor::new(Vec::new());
        image::RgbaImage::new(width, height).write_to(&mut bytes, ImageFormat::Png).expect("encodes");
        let bytes = BufferBytes::Shared(Arc::new(bytes.into_inner()));
        EncodedImage { pointer: String::new(), bytes, declared_mime_type: None }
    }

    #[test]
    fn the_largest_images_are_halved_until_all_fit() {
        let encoded = [Ok(png(64, 64)), Ok(png(16, 32)), Ok(png(64, 32))];
        let sizes = |most| {
            plan_decoding(&encoded, &[None; 3], most).iter().flatten().map(DecodePlan::final_size).collect::<Vec<_>>()
        };
        assert_eq!(sizes(1 << 20), [(64, 64), (16, 32), (64, 32)]);
        assert_eq!(sizes(4 * (32 * 32 + 16 * 32 + 64 * 32)), [(32, 32), (16, 32), (64, 32)]);
        let plans = plan_decoding(&encoded, &[None; 3], 4 * (32 * 32 + 16 * 32 + 64 * 32));
        let small = plans[0].as_ref().expect("planned");
        let image = decode_image(encoded[0].as_ref().expect("encoded").bytes.as_slice(), small).expect("decodes");
        assert_eq!((image.width, image.height, image.rgba.len()), (32, 32, 4096));
    }
}
