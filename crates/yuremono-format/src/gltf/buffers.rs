//! Checks the ranges of `buffers` and `bufferViews`, in 64 bits, and provides their bytes.

use super::compressed_views::ViewUnpacker;
use super::uri_loader::{BufferBytes, UriLoader};
use crate::gltf_json::container;
use crate::gltf_json::json::{JsonError, JsonObject};
use crate::source::safe_relative_path;
use std::sync::Arc;
use yuremono_sim::diagnostics::{MessageText, message};

/// A checked entry of `bufferViews`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BufferView {
    buffer: usize,
    start: usize,
    end: usize,
    /// The number of bytes from the start of one element to the next, if the file specifies a stride.
    pub(crate) stride: Option<u64>,
    pub(crate) length: u64,
}

/// All buffers of the file and their checked views.
#[derive(Debug)]
pub(crate) struct Buffers<'a> {
    /// `None` for a buffer without a URI. Only an extension could provide its bytes.
    buffers: Vec<Option<BufferBytes<'a>>>,
    pub(crate) views: Vec<BufferView>,
}

impl<'a> Buffers<'a> {
    pub(crate) fn read(
        root: &JsonObject<'a>,
        bin: Option<&'a [u8]>,
        uri_loader: &mut UriLoader<'a>,
    ) -> Result<Self, JsonError> {
        let mut buffers = Vec::new();
        let mut lengths = Vec::new();
        for (i, buffer) in root.objects("buffers")?.enumerate() {
            let buffer = buffer?;
            let length = buffer.required("byteLength", JsonObject::unsigned)?;
            let bytes = match buffer.text("uri")? {
                Some(uri) => Some(uri_loader.fetch(uri).map_err(|why| buffer.error_at("uri", why))?),
                None if i == 0 => bin.map(BufferBytes::Borrowed),
                None => None,
            };
            if let Some(bytes) = &bytes {
                let there = bytes.as_slice().len() as u64;
                if length > there {
                    let message = message!("{length} bytes are declared, but there are {there}", length, there);
                    return Err(buffer.error_at("byteLength", message));
                }
            } else if buffer.get("extensions").is_none() {
                let message = message!("the buffer has no bytes; data that needs them is left out");
                buffer.info(buffer.pointer.clone(), message);
            }
            buffers.push(bytes);
            lengths.push(length);
        }
        let mut all = Self { buffers, views: Vec::new() };
        let mut unpacker = ViewUnpacker::default();
        for view in root.objects("bufferViews")? {
            let view = view?;
            let mut checked = check_view(&view, &lengths)?;
            if let Some(bytes) = unpacker.unpack(&view, &all.buffers)? {
                (checked.buffer, checked.start, checked.end) = (all.buffers.len(), 0, bytes.len());
                all.buffers.push(Some(BufferBytes::Shared(Arc::new(bytes))));
            }
            all.views.push(checked);
        }
        Ok(all)
    }

    pub(crate) fn view_bytes(&self, view: usize) -> Result<&[u8], MessageText> {
        let BufferView { buffer, start, end, .. } = self.views[view];
        let bytes = self.buffers[buffer].as_ref().and_then(|bytes| bytes.as_slice().get(start..end));
        bytes.ok_or_else(|| message!("buffer {buffer} has no bytes in this file", buffer))
    }
}

fn check_view(view: &JsonObject<'_>, lengths: &[u64]) -> Result<BufferView, JsonError> {
    let buffer = view.required_index("buffer", lengths.len(), "buffer")?;
    let offset = view.unsigned("byteOffset")?.unwrap_or(0);
    let length = view.required("byteLength", JsonObject::unsigned)?;
    let stride = view.unsigned("byteStride")?;
    if let Some(stride) = stride.filter(|s| !(1..=252).contains(s)) {
        return Err(view.error_at("byteStride", message!("a stride of {stride} bytes; 4 to 252 was expected", stride)));
    }
    let there = lengths[buffer];
    let end = offset.checked_add(length).filter(|end| *end <= there).ok_or_else(|| {
        view.error(message!(
            "{length} bytes from byte {offset} reach beyond the {there} bytes of buffer {buffer}",
            length,
            offset,
            there,
            buffer
        ))
    })?;
    // The conversion cannot lose data. Buffers with bytes fit into memory, and views of other buffers fail in
    // `view_bytes`.
    let place = |x: u64| usize::try_from(x).unwrap_or(usize::MAX);
    Ok(BufferView { buffer, start: place(offset), end: place(end), stride, length })
}

/// Returns the relative names of the external buffers and images of a glTF or GLB file, without duplicates. Names that
/// the reader would reject are skipped. If the bytes are not a glTF file, the list is empty.
pub fn external_files(bytes: &[u8]) -> Vec<String> {
    let Ok(container) = container::parse_container(bytes) else { return Vec::new() };
    let mut names = Vec::new();
    for list in ["buffers", "images"] {
        let entries = container.json[list].as_array().into_iter().flatten();
        for uri in entries.filter_map(|entry| entry["uri"].as_str()) {
            let is_data = uri.get(..5).is_some_and(|scheme| scheme.eq_ignore_ascii_case("data:"));
            let name = if is_data { None } else { safe_relative_path(uri).ok() };
            names.extend(name.filter(|name| !names.contains(name)));
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_external_file_is_listed_once_with_its_decoded_name() {
        let text = br#"{"asset":{"version":"2.0"},
            "buffers":[{"uri":"girl.bin","byteLength":4},{"uri":"data:;base64,AAAA","byteLength":3}],
            "images":[{"uri":"tex/hair%20a.png"},{"uri":"girl.bin"},{"uri":"../up.png"},{"bufferView":0}]}"#;
        assert_eq!(external_files(text), ["girl.bin", "tex/hair a.png"]);
        assert!(external_files(b"no glTF").is_empty());
    }
}
