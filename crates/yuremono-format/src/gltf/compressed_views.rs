//! Unpacks buffer views that are compressed by `EXT_meshopt_compression`.

use super::uri_loader::BufferBytes;
use crate::gltf_json::json::{JsonError, JsonObject};
use meshoptimizer_rs::codec::{BufferView, Filter, Mode};
use meshoptimizer_rs::{Limits, Workspace};
use yuremono_sim::diagnostics::{excerpt, message};

const EXTENSION: &str = "EXT_meshopt_compression";
/// Maximum size of all unpacked views of a file, in bytes.
const MAX_UNPACKED_BYTES: usize = 512 << 20;

/// Unpacks the views of one file.
pub(super) struct ViewUnpacker {
    workspace: Workspace,
    bytes_left: usize,
}

impl Default for ViewUnpacker {
    fn default() -> Self {
        let workspace = Workspace::new(Limits { max_bytes: MAX_UNPACKED_BYTES, ..Limits::default() });
        Self { workspace, bytes_left: MAX_UNPACKED_BYTES }
    }
}

impl ViewUnpacker {
    /// Returns the bytes of a compressed view, or `None` if the view is not compressed.
    pub(super) fn unpack(
        &mut self,
        view: &JsonObject<'_>,
        buffers: &[Option<BufferBytes<'_>>],
    ) -> Result<Option<Vec<u8>>, JsonError> {
        let Some(packed) = view.extension(EXTENSION)? else { return Ok(None) };
        let number = |key| {
            let value = packed.required(key, JsonObject::unsigned)?;
            usize::try_from(value).ok().ok_or_else(|| packed.error_at(key, message!("{value} is too large", value)))
        };
        let unknown = |key, name: &str| packed.error_at(key, message!("unknown: {name}", name = excerpt(name)));
        let mode_name = packed.required("mode", JsonObject::text)?;
        let mode = Mode::parse(mode_name).ok().ok_or_else(|| unknown("mode", mode_name))?;
        let filter_name = packed.text("filter")?.unwrap_or("NONE");
        let filter = Filter::parse(filter_name).ok().ok_or_else(|| unknown("filter", filter_name))?;
        let invalid = |error: meshoptimizer_rs::Error| {
            packed.error(message!("the view cannot be unpacked: {error}", error = error.to_string()))
        };
        let layout = BufferView::new(mode, filter, number("count")?, number("byteStride")?).map_err(invalid)?;
        let parent_length = view.required("byteLength", JsonObject::unsigned)?;
        let stride = view.unsigned("byteStride")?;
        let as_size = |value: u64| usize::try_from(value).unwrap_or(usize::MAX);
        layout.validate_parent(as_size(parent_length), stride.map(as_size)).map_err(invalid)?;
        self.bytes_left = self.bytes_left.checked_sub(layout.byte_length()).ok_or_else(|| {
            let most = MAX_UNPACKED_BYTES >> 20;
            packed.error(message!("the file has more than {most} MiB of unpacked data", most))
        })?;
        let buffer = packed.required_index("buffer", buffers.len(), "buffer")?;
        let start = packed.unsigned("byteOffset")?.map_or(0, as_size);
        let end = start.saturating_add(number("byteLength")?);
        let bytes = buffers[buffer].as_ref().and_then(|bytes| bytes.as_slice().get(start..end));
        let bytes = bytes.ok_or_else(|| packed.error(message!("buffer {buffer} has no bytes in this file", buffer)))?;
        layout.decode(bytes, &mut self.workspace).map(Some).map_err(invalid)
    }
}
