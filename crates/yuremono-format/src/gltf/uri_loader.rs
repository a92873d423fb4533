//! Loads the bytes of data URIs and of files in the character's folder. Each URI is loaded once.

use crate::fixed_text;
use crate::source::{SourceFile, io_error_text, safe_relative_path};
use base64::{
    Engine as _,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig},
};
use std::{borrow::Cow, collections::HashMap, sync::Arc};
use yuremono_sim::diagnostics::{MessageText, message};

/// The bytes of a sibling file, of a data URI, or of a part of the character file.
#[derive(Clone, Debug)]
pub(crate) enum BufferBytes<'a> {
    Borrowed(&'a [u8]),
    Shared(Arc<Vec<u8>>),
}

impl BufferBytes<'_> {
    pub(crate) fn as_slice(&self) -> &[u8] {
        match self {
            Self::Borrowed(bytes) => bytes,
            Self::Shared(bytes) => bytes,
        }
    }
}

/// Loads URIs and caches their bytes.
#[derive(Debug)]
pub(crate) struct UriLoader<'a> {
    source: &'a SourceFile<'a>,
    cache: HashMap<&'a str, BufferBytes<'a>>,
}

impl<'a> UriLoader<'a> {
    pub(crate) fn new(source: &'a SourceFile<'a>) -> Self {
        Self { source, cache: HashMap::new() }
    }

    pub(crate) fn fetch(&mut self, uri: &'a str) -> Result<BufferBytes<'a>, MessageText> {
        if let Some(known) = self.cache.get(uri) {
            return Ok(known.clone());
        }
        let bytes = match uri.get(..5) {
            Some(scheme) if scheme.eq_ignore_ascii_case("data:") => decode_data_uri(&uri[5..])?,
            _ => {
                let shown = yuremono_sim::diagnostics::excerpt(uri);
                let name = safe_relative_path(uri)
                    .map_err(|why| message!("the URI \"{uri}\" {why}", uri = &shown, why = fixed_text(why)))?;
                (self.source.read_sibling)(&name).map_err(|error| {
                    message!("\"{uri}\" cannot be read: {error}", uri = &shown, error = io_error_text(&error))
                })?
            }
        };
        let bytes = BufferBytes::Shared(Arc::new(bytes));
        self.cache.insert(uri, bytes.clone());
        Ok(bytes)
    }
}

fn decode_data_uri(data: &str) -> Result<Vec<u8>, MessageText> {
    const LENIENT: GeneralPurpose = GeneralPurpose::new(
        &base64::alphabet::STANDARD,
        GeneralPurposeConfig::new()
            .with_decode_padding_mode(DecodePaddingMode::Indifferent)
            .with_decode_allow_trailing_bits(true),
    );
    let (head, body) = data.split_once(',').ok_or_else(|| message!("the data URI has no comma"))?;
    let body: Cow<'_, [u8]> = percent_encoding::percent_decode_str(body).into();
    if head.rsplit(';').next().is_some_and(|last| last.eq_ignore_ascii_case("base64")) {
        LENIENT
            .decode(&*body)
            .map_err(|error| message!("the data URI is not base64: {error}", error = error.to_string()))
    } else {
        Ok(body.into_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_uris_are_decoded_with_and_without_base64() {
        assert_eq!(decode_data_uri("application/octet-stream;base64,AQID").expect("base64"), [1, 2, 3]);
        assert_eq!(decode_data_uri(";base64,AQI%3D").expect("escaped padding"), [1, 2]);
        assert_eq!(decode_data_uri("text/plain,a%20b").expect("plain"), b"a b");
        assert!(decode_data_uri("base64").is_err());
        assert!(decode_data_uri(";base64,@@@").is_err());
    }
}
