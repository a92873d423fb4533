//! Creates a GLB, and appends bytes to the binary chunk of a GLB. When bytes are appended, all other chunks, and data
//! after the GLB, stay unchanged.

use std::ops::Range;

const BIN_KIND: &[u8] = b"BIN\0";
const HEADER_BYTES: usize = 12;
const CHUNK_HEADER_BYTES: usize = 8;

/// A GLB of some JSON and the data of its binary chunk, which is left out if empty. Returns `None` if the GLB would exceed
/// its 32-bit length.
pub(crate) fn new_glb(mut json: Vec<u8>, data: &[u8]) -> Option<Vec<u8>> {
    json.resize(json.len().next_multiple_of(4), b' ');
    let json_length = u32::try_from(json.len()).ok()?;
    let length = json_length.checked_add((HEADER_BYTES + CHUNK_HEADER_BYTES) as u32)?;
    let header = [&b"glTF\x02\0\0\0"[..], &length.to_le_bytes()].concat();
    let glb = [&header[..], &json_length.to_le_bytes(), b"JSON", &json].concat();
    if data.is_empty() { Some(glb) } else { append_to_bin(&glb, data) }
}

/// The length of the binary chunk; `None` if the GLB has no such chunk.
pub(crate) fn bin_length(glb: &[u8]) -> Option<usize> {
    find_bin(glb).map(|data| data.len())
}

/// Appends `data` to the binary chunk, or adds the chunk after the JSON. The data starts at the next multiple of 4 after
/// the old length and is filled up to a multiple of 4. Returns `None` if the GLB would exceed its 32-bit length.
pub(crate) fn append_to_bin(glb: &[u8], data: &[u8]) -> Option<Vec<u8>> {
    let old = find_bin(glb).unwrap_or_else(|| {
        let end = chunk_at(glb, HEADER_BYTES).map_or(glb.len(), |(_, json)| json.end);
        end + CHUNK_HEADER_BYTES..end + CHUNK_HEADER_BYTES
    });
    let is_new = find_bin(glb).is_none();
    let chunk_length = old.len().next_multiple_of(4) + data.len().next_multiple_of(4);
    let added = chunk_length - old.len() + if is_new { CHUNK_HEADER_BYTES } else { 0 };
    let total = read_u32(glb, 8)?.checked_add(u32::try_from(added).ok()?)?;
    let (before, after) = if is_new {
        glb.split_at_checked(old.start - CHUNK_HEADER_BYTES)?
    } else {
        (glb.get(..old.start - CHUNK_HEADER_BYTES)?, glb.get(old.end..)?)
    };
    let mut out = Vec::with_capacity(glb.len() + added);
    out.extend_from_slice(before);
    out[8..HEADER_BYTES].copy_from_slice(&total.to_le_bytes());
    out.extend_from_slice(&u32::try_from(chunk_length).ok()?.to_le_bytes());
    out.extend_from_slice(BIN_KIND);
    let start = out.len();
    out.extend_from_slice(if is_new { &[] } else { &glb[old.clone()] });
    out.resize(start + old.len().next_multiple_of(4), 0);
    out.extend_from_slice(data);
    out.resize(start + chunk_length, 0);
    out.extend_from_slice(after);
    Some(out)
}

/// The data of the first binary chunk.
fn find_bin(glb: &[u8]) -> Option<Range<usize>> {
    let end = read_u32(glb, 8)? as usize;
    let mut at = HEADER_BYTES;
    while at < end {
        let (kind, data) = chunk_at(glb, at)?;
        if kind == BIN_KIND {
            return Some(data);
        }
        at = data.end;
    }
    None
}

/// The kind and the data of the chunk whose header starts at `at`.
fn chunk_at(glb: &[u8], at: usize) -> Option<(&[u8], Range<usize>)> {
    let length = read_u32(glb, at)? as usize;
    let kind = glb.get(at + 4..at + CHUNK_HEADER_BYTES)?;
    let start = at + CHUNK_HEADER_BYTES;
    let data = start..start.checked_add(length)?;
    glb.get(data.clone()).map(|_| (kind, data))
}

fn read_u32(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..at + 4)?.try_into().ok().map(u32::from_le_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn glb(chunks: &[(&[u8], &[u8])]) -> Vec<u8> {
        let mut body = Vec::new();
        for (kind, data) in chunks {
            body.extend_from_slice(&(data.len() as u32).to_le_bytes());
            body.extend_from_slice(kind);
            body.extend_from_slice(data);
        }
        let length = (HEADER_BYTES + body.len()) as u32;
        [&b"glTF\x02\0\0\0"[..], &length.to_le_bytes(), &body].concat()
    }

    #[test]
    fn data_is_appended_at_a_multiple_of_four_and_other_chunks_stay() {
        let json: (&[u8], &[u8]) = (b"JSON", b"{}  ");
        let other: (&[u8], &[u8]) = (b"OTHR", b"abcd");
        let before = [glb(&[json, (BIN_KIND, b"12345"), other]), b"tail".to_vec()].concat();
        let after = [glb(&[json, (BIN_KIND, b"12345\0\0\0new\0"), other]), b"tail".to_vec()].concat();
        assert_eq!(append_to_bin(&before, b"new"), Some(after));
        assert_eq!(append_to_bin(&glb(&[json]), b"new!"), Some(glb(&[json, (BIN_KIND, b"new!")])));
        assert_eq!(append_to_bin(&glb(&[json, other]), b"new!"), Some(glb(&[json, (BIN_KIND, b"new!"), other])));
    }

    #[test]
    fn a_truncated_glb_is_not_extended() {
        let whole = glb(&[(b"JSON", b"{}  "), (BIN_KIND, b"1234")]);
        for end in 0..HEADER_BYTES {
            assert_eq!(append_to_bin(&whole[..end], b"new!"), None, "{end} bytes");
        }
    }
}
