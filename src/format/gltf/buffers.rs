//! The bytes behind `buffers` and `bufferViews`, every range checked in 64 bits.

use super::super::gltf_json::json::{Fault, Json, Notes};
use crate::format::source::{Source, relative_name};
use base64::{
    Engine as _,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig},
};
use std::{borrow::Cow, collections::HashMap, sync::Arc};

/// Bytes of a neighbour or a data URI, or a part of the file itself.
#[derive(Clone, Debug)]
pub(crate) enum Bytes<'a> {
    Borrowed(&'a [u8]),
    Shared(Arc<Vec<u8>>),
}

impl Bytes<'_> {
    pub(crate) fn as_slice(&self) -> &[u8] {
        match self {
            Self::Borrowed(bytes) => bytes,
            Self::Shared(bytes) => bytes,
        }
    }
}

/// Reads URIs, each once.
#[derive(Debug)]
pub(crate) struct Library<'a> {
    source: &'a Source<'a>,
    read: HashMap<&'a str, Bytes<'a>>,
}

impl<'a> Library<'a> {
    pub(crate) fn new(source: &'a Source<'a>) -> Self {
        Self { source, read: HashMap::new() }
    }

    /// The bytes of a `data:` URI or of a file beside the source.
    pub(crate) fn fetch(&mut self, uri: &'a str) -> Result<Bytes<'a>, String> {
        if let Some(known) = self.read.get(uri) {
            return Ok(known.clone());
        }
        let bytes = match uri.get(..5) {
            Some(scheme) if scheme.eq_ignore_ascii_case("data:") => decode_data(&uri[5..])?,
            _ => {
                let shown = crate::report::clip(uri);
                let name = relative_name(uri).map_err(|why| format!("the URI \"{shown}\" {why}"))?;
                (self.source.sibling)(&name).map_err(|error| format!("\"{shown}\" cannot be read: {error}"))?
            }
        };
        let bytes = Bytes::Shared(Arc::new(bytes));
        self.read.insert(uri, bytes.clone());
        Ok(bytes)
    }
}

fn decode_data(data: &str) -> Result<Vec<u8>, String> {
    const LENIENT: GeneralPurpose = GeneralPurpose::new(
        &base64::alphabet::STANDARD,
        GeneralPurposeConfig::new()
            .with_decode_padding_mode(DecodePaddingMode::Indifferent)
            .with_decode_allow_trailing_bits(true),
    );
    let (head, body) = data.split_once(',').ok_or("the data URI has no comma")?;
    let body: Cow<'_, [u8]> = percent_encoding::percent_decode_str(body).into();
    if head.rsplit(';').next().is_some_and(|last| last.eq_ignore_ascii_case("base64")) {
        LENIENT.decode(&*body).map_err(|error| format!("the data URI is not base64: {error}"))
    } else {
        Ok(body.into_owned())
    }
}

/// A checked entry of `bufferViews`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View {
    buffer: usize,
    start: usize,
    end: usize,
    /// Bytes from one element to the next, where stated.
    pub(crate) stride: Option<u64>,
    /// Bytes.
    pub(crate) length: u64,
}

/// All bytes of the file, checked.
#[derive(Debug)]
pub(crate) struct Buffers<'a> {
    /// `None` for a buffer without URI that some extension would fill.
    buffers: Vec<Option<Bytes<'a>>>,
    pub(crate) views: Vec<View>,
}

impl<'a> Buffers<'a> {
    pub(crate) fn read(
        root: &Json<'a>,
        bin: Option<&'a [u8]>,
        library: &mut Library<'a>,
        notes: &Notes<'_>,
    ) -> Result<Self, Fault> {
        let mut buffers = Vec::new();
        let mut lengths = Vec::new();
        for (i, buffer) in root.objects("buffers")?.enumerate() {
            let buffer = buffer?;
            let length = buffer.whole("byteLength")?.ok_or_else(|| buffer.missing("byteLength"))?;
            let bytes = match buffer.text("uri")? {
                Some(uri) => Some(library.fetch(uri).map_err(|why| buffer.fault("uri", why))?),
                None if i == 0 => bin.map(Bytes::Borrowed),
                None => None,
            };
            if let Some(bytes) = &bytes {
                let there = bytes.as_slice().len() as u64;
                if length > there {
                    return Err(buffer.fault("byteLength", format!("{length} bytes are promised, {there} are there")));
                }
            }
            if bytes.is_none() && buffer.get("extensions").is_none() {
                notes.info(buffer.pointer.clone(), "the buffer has no bytes; what needs them is left out");
            }
            buffers.push(bytes);
            lengths.push(length);
        }
        let views = root.objects("bufferViews")?.map(|view| check_view(&view?, &lengths)).collect::<Result<_, _>>()?;
        Ok(Self { buffers, views })
    }

    /// The bytes of a view; the error says why there are none.
    pub(crate) fn view(&self, view: usize) -> Result<&[u8], String> {
        let View { buffer, start, end, .. } = self.views[view];
        let bytes = self.buffers[buffer].as_ref().and_then(|bytes| bytes.as_slice().get(start..end));
        bytes.ok_or_else(|| format!("buffer {buffer} has no bytes in this file"))
    }
}

fn check_view(view: &Json<'_>, lengths: &[u64]) -> Result<View, Fault> {
    let buffer = view.required_index("buffer", lengths.len(), "buffer")?;
    let offset = view.whole("byteOffset")?.unwrap_or(0);
    let length = view.whole("byteLength")?.ok_or_else(|| view.missing("byteLength"))?;
    let stride = view.whole("byteStride")?;
    if let Some(stride) = stride.filter(|s| !(1..=252).contains(s)) {
        return Err(view.fault("byteStride", format!("a stride of {stride} bytes; 4 to 252 was expected")));
    }
    let there = lengths[buffer];
    let end = offset.checked_add(length).filter(|end| *end <= there).ok_or_else(|| {
        view.broken(format!("{length} bytes from byte {offset} reach beyond the {there} bytes of buffer {buffer}"))
    })?;
    // Both fit: nothing longer than memory was accepted as a buffer with bytes; others fail when looked up.
    let place = |x: u64| usize::try_from(x).unwrap_or(usize::MAX);
    Ok(View { buffer, start: place(offset), end: place(end), stride, length })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_uris_are_decoded_with_and_without_base64() {
        assert_eq!(decode_data("application/octet-stream;base64,AQID").expect("base64"), [1, 2, 3]);
        assert_eq!(decode_data(";base64,AQI%3D").expect("escaped padding"), [1, 2]);
        assert_eq!(decode_data("text/plain,a%20b").expect("plain"), b"a b");
        assert!(decode_data("base64").is_err());
        assert!(decode_data(";base64,@@@").is_err());
    }
}
