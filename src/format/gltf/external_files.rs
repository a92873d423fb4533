//! Which files a glTF names beside itself.

use super::super::gltf_json::container;
use crate::format::source::safe_relative_path;

/// The files that buffers and images of a glTF or GLB lie in, as plain relative names, each once. Names that the reader
/// would refuse are left out; of bytes that are no glTF there are none.
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
