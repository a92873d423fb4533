//! Pixels: PNG, JPEG and WebP, told apart by their content, decoded in parallel.
//!
//! An image that cannot be read is replaced by [`Image::placeholder`] with a warning; it never refuses the file.
//! Where all images together would need too much memory, the largest are shown smaller, which is said.

use super::Progress;
use super::buffers::{Buffers, Bytes, Library};
use super::json::{Fault, Json, Notes};
use crate::rig::Image;
use image::{ImageFormat, ImageReader, Limits};
use rayon::prelude::*;
use std::io::Cursor;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Longest side, pixels.
const LONGEST_SIDE: u32 = 8192;
/// All decoded images of a file together, bytes.
const MOST_BYTES: u64 = 512 << 20;
/// Bytes that are decoded at all, before images are made smaller.
const MOST_WORK: u64 = 4 << 30;
/// Decoded images up to this size are decoded side by side, bytes.
const PARALLEL_BYTES: u64 = 64 << 20;

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
    let plans = plan(&encoded, MOST_BYTES);
    let done = AtomicUsize::new(0);
    let work = |at: usize| {
        if !progress.goes_on() {
            return (at, Err(String::new()));
        }
        let image = match (&encoded[at], &plans[at]) {
            (Ok(encoded), Ok(plan)) => decode(encoded.bytes.as_slice(), plan),
            (_, Err(why)) => Err(why.clone()),
            (Err(fault), Ok(_)) => Err(fault.message.clone()),
        };
        let done = done.fetch_add(1, Ordering::Relaxed) + 1;
        progress.report(done as f32 / used.len() as f32);
        (at, image)
    };
    // Giants go one after the other, so that their full sizes are never in memory together.
    let giant = |at: &usize| plans[*at].as_ref().is_ok_and(|plan| plan.full_bytes() > PARALLEL_BYTES);
    let (giants, others): (Vec<_>, Vec<_>) = (0..used.len()).partition(giant);
    let mut decoded: Vec<_> = others.into_par_iter().map(work).collect();
    decoded.extend(giants.into_iter().map(work));
    decoded.sort_unstable_by_key(|(at, _)| *at);
    if !progress.goes_on() {
        return Ok(None);
    }
    let images = decoded.into_iter().map(|(at, image)| {
        let index = used[at];
        let pointer = match &encoded[at] {
            Ok(encoded) => encoded.pointer.clone(),
            Err(fault) => fault.pointer.clone(),
        };
        if let (Ok(encoded), Ok(plan)) = (&encoded[at], &plans[at]) {
            check_declared(encoded, plan.format, notes);
            plan.tell(index, &pointer, notes);
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
    let bytes = if let Some(view) = image.index("bufferView", buffers.views.len(), "buffer view")? {
        EncodedBytes::View(buffers.view(view).map_err(|why| image.fault("bufferView", why))?)
    } else {
        let uri = image.text("uri")?.ok_or_else(|| image.broken("it has neither a uri nor a buffer view"))?;
        EncodedBytes::Fetched(library.fetch(uri).map_err(|why| image.fault("uri", why))?)
    };
    Ok(Encoded { pointer: image.pointer, bytes, declared })
}

/// How an image will be decoded.
#[derive(Clone, Copy, Debug)]
struct Plan {
    format: ImageFormat,
    width: u32,
    height: u32,
    /// How often both sides are halved.
    halvings: u32,
}

impl Plan {
    fn full_bytes(&self) -> u64 {
        4 * u64::from(self.width) * u64::from(self.height)
    }

    fn size(&self) -> (u32, u32) {
        ((self.width >> self.halvings).max(1), (self.height >> self.halvings).max(1))
    }

    fn bytes(&self) -> u64 {
        let (width, height) = self.size();
        4 * u64::from(width) * u64::from(height)
    }

    fn tell(&self, index: usize, pointer: &str, notes: &Notes<'_>) {
        if self.halvings > 0 {
            let ((width, height), most) = (self.size(), MOST_BYTES >> 20);
            let message = format!(
                "image {index} is shown at {width} x {height} instead of {} x {} pixels, so that all images fit into {most} MiB",
                self.width, self.height
            );
            notes.info(pointer, message);
        }
    }
}

/// The plan of each image, or why it is not decoded; looks at headers only. The largest are halved until all
/// together need at most `most` bytes.
fn plan(encoded: &[Result<Encoded<'_>, Fault>], most: u64) -> Vec<Result<Plan, String>> {
    let mut left = MOST_WORK;
    let mut affordable = |plan: Plan| match left.checked_sub(plan.full_bytes()) {
        Some(rest) => {
            left = rest;
            Ok(plan)
        }
        None => Err(format!("it would be more than the {} MiB of pixels that are decoded for a file", MOST_WORK >> 20)),
    };
    let mut plans: Vec<_> = encoded.iter().map(|encoded| plan_one(encoded).and_then(&mut affordable)).collect();
    let total = |plans: &[Result<Plan, String>]| plans.iter().flatten().map(Plan::bytes).sum::<u64>();
    while total(&plans) > most {
        let Some(largest) = plans.iter_mut().flatten().max_by_key(|plan| plan.bytes()) else { break };
        if largest.bytes() <= 4 {
            break;
        }
        largest.halvings += 1;
    }
    plans
}

fn plan_one(encoded: &Result<Encoded<'_>, Fault>) -> Result<Plan, String> {
    let encoded = encoded.as_ref().map_err(|fault| fault.message.clone())?;
    let bytes = encoded.bytes.as_slice();
    let format = format_of(bytes)?;
    let (width, height) = ImageReader::with_format(Cursor::new(bytes), format)
        .into_dimensions()
        .map_err(|error| format!("it cannot be read: {error}"))?;
    if width > LONGEST_SIDE || height > LONGEST_SIDE {
        return Err(format!("it is {width} x {height} pixels; at most {LONGEST_SIDE} a side are read"));
    }
    Ok(Plan { format, width, height, halvings: 0 })
}

fn format_of(bytes: &[u8]) -> Result<ImageFormat, String> {
    match image::guess_format(bytes) {
        Ok(format @ (ImageFormat::Png | ImageFormat::Jpeg | ImageFormat::WebP)) => Ok(format),
        Ok(other) => Err(format!("it is {other:?}; PNG, JPEG or WebP was expected")),
        Err(_) => Err("it is neither PNG, JPEG nor WebP".to_owned()),
    }
}

fn decode(bytes: &[u8], plan: &Plan) -> Result<Image, String> {
    let mut reader = ImageReader::with_format(Cursor::new(bytes), plan.format);
    let mut limits = Limits::default();
    limits.max_image_width = Some(LONGEST_SIDE);
    limits.max_image_height = Some(LONGEST_SIDE);
    limits.max_alloc = Some(2 * MOST_BYTES);
    reader.limits(limits);
    let mut pixels = reader.decode().map_err(|error| format!("it cannot be read: {error}"))?;
    if plan.halvings > 0 {
        let (width, height) = plan.size();
        pixels = pixels.thumbnail_exact(width, height);
    }
    let pixels = pixels.into_rgba8();
    Ok(Image { width: pixels.width(), height: pixels.height(), rgba: pixels.into_raw() })
}

fn check_declared(encoded: &Encoded<'_>, format: ImageFormat, notes: &Notes<'_>) {
    let (Some(declared), found) = (encoded.declared, format.to_mime_type()) else { return };
    if declared != found {
        let message = format!("the image says it is {}, but is {found}", crate::report::clip(declared));
        let pointer = format!("{}/mimeType", encoded.pointer);
        notes.warn(Fault { pointer, message }, "its content is believed");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn png(width: u32, height: u32) -> Encoded<'static> {
        let mut bytes = Cursor::new(Vec::new());
        image::RgbaImage::new(width, height).write_to(&mut bytes, ImageFormat::Png).expect("encodes");
        let bytes = EncodedBytes::Fetched(Bytes::Shared(Arc::new(bytes.into_inner())));
        Encoded { pointer: String::new(), bytes, declared: None }
    }

    #[test]
    fn the_largest_images_are_halved_until_all_fit() {
        let encoded = [Ok(png(64, 64)), Ok(png(16, 32)), Ok(png(64, 32))];
        let sizes = |most| plan(&encoded, most).iter().flatten().map(Plan::size).collect::<Vec<_>>();
        assert_eq!(sizes(1 << 20), [(64, 64), (16, 32), (64, 32)]);
        assert_eq!(sizes(4 * (32 * 32 + 16 * 32 + 64 * 32)), [(32, 32), (16, 32), (64, 32)]);
        let plans = plan(&encoded, 4 * (32 * 32 + 16 * 32 + 64 * 32));
        let small = plans[0].as_ref().expect("planned");
        let image = decode(encoded[0].as_ref().expect("encoded").bytes.as_slice(), small).expect("decodes");
        assert_eq!((image.width, image.height, image.rgba.len()), (32, 32, 4096));
    }
}
