//! Decodes bytes to text. A byte order mark selects the encoding. Without a byte order mark, the encoding is detected.

use encoding_rs::{EUC_JP, EUC_KR, Encoding, GB18030, SHIFT_JIS, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};
use yuremono_sim::diagnostics::{MessageText, message};

pub(super) struct DecodedText {
    pub text: String,
    pub encoding: &'static str,
    pub has_bom: bool,
    /// A warning if the encoding is uncertain or does not fit the bytes.
    pub warning: Option<MessageText>,
    /// Whether invalid bytes were replaced.
    pub has_replaced_bytes: bool,
}

pub(super) fn decode(bytes: &[u8], label: Option<&str>) -> DecodedText {
    if let Some(encoding) = label.and_then(|l| Encoding::for_label(l.as_bytes())) {
        return decode_as(encoding, bytes, false, None);
    }
    if let Some((encoding, mark)) = Encoding::for_bom(bytes) {
        return decode_as(encoding, &bytes[mark..], true, None);
    }
    if let Some(encoding) = detect_utf16_without_bom(bytes) {
        return decode_as(encoding, bytes, false, None);
    }
    if let Ok(text) = std::str::from_utf8(bytes) {
        return DecodedText {
            text: text.to_owned(),
            encoding: UTF_8.name(),
            has_bom: false,
            warning: None,
            has_replaced_bytes: false,
        };
    }
    let encoding = detect_legacy_encoding(bytes);
    let guess = message!("the text is not UTF-8; read as {encoding}. Check the names", encoding = encoding.name());
    decode_as(encoding, bytes, false, Some(guess))
}

fn decode_as(encoding: &'static Encoding, bytes: &[u8], bom: bool, guess: Option<MessageText>) -> DecodedText {
    let (text, broken) = encoding.decode_without_bom_handling(bytes);
    let replaced =
        broken.then(|| message!("some bytes are not {encoding} text; they were replaced", encoding = encoding.name()));
    DecodedText {
        text: text.into_owned(),
        encoding: encoding.name(),
        has_bom: bom,
        warning: replaced.or(guess),
        has_replaced_bytes: broken,
    }
}

/// Detects UTF-16. Tables contain mostly digits and commas, so almost every second byte of UTF-16 is zero.
fn detect_utf16_without_bom(bytes: &[u8]) -> Option<&'static Encoding> {
    let sample = &bytes[..bytes.len().min(4096) & !1];
    let zeros = |offset: usize| sample.iter().skip(offset).step_by(2).filter(|b| **b == 0).count();
    let (even, odd) = (zeros(0), zeros(1));
    let half = sample.len() / 2;
    if half < 2 {
        None
    } else if odd * 2 > half && even * 8 < half {
        Some(UTF_16LE)
    } else if even * 2 > half && odd * 8 < half {
        Some(UTF_16BE)
    } else {
        None
    }
}

/// Selects `Shift_JIS` if the bytes are valid and the text is not mostly half-width katakana. Text in another encoding
/// usually decodes to half-width katakana.
fn detect_legacy_encoding(bytes: &[u8]) -> &'static Encoding {
    let fits = |e: &'static Encoding| e.decode_without_bom_handling_and_without_replacement(bytes);
    let share = |text: &str, range: std::ops::RangeInclusive<char>| {
        let beyond_ascii = text.chars().filter(|c| !c.is_ascii()).count().max(1);
        text.chars().filter(|c| range.contains(c)).count() as f32 / beyond_ascii as f32
    };
    if fits(SHIFT_JIS).is_some_and(|t| share(&t, '\u{ff61}'..='\u{ff9f}') <= 0.5) {
        return SHIFT_JIS;
    }
    if fits(EUC_KR).is_some_and(|t| share(&t, '\u{ac00}'..='\u{d7a3}') >= 0.8) {
        return EUC_KR;
    }
    if fits(EUC_JP).is_some_and(|t| share(&t, '\u{3040}'..='\u{30ff}') >= 0.3) {
        return EUC_JP;
    }
    [SHIFT_JIS, GB18030].into_iter().find(|e| fits(e).is_some()).unwrap_or(WINDOWS_1252)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(encoding: &'static Encoding, text: &str) {
        let (bytes, _, lost) = encoding.encode(text);
        assert!(!lost, "{text} cannot be written as {}", encoding.name());
        let decoded = decode(&bytes, None);
        assert_eq!((decoded.text.as_str(), decoded.encoding), (text, encoding.name()));
    }

    #[test]
    fn common_encodings_are_detected() {
        check(SHIFT_JIS, "version,4\nスカート_左,0.5\n髪,1");
        check(EUC_JP, "version,4\nスカート,0.5\nリボン,1");
        check(EUC_KR, "version,4\n머리카락,0.5");
        check(UTF_8, "version,4\n髪,0.5");
    }

    #[test]
    fn utf16_without_a_byte_order_mark_is_detected() {
        let text = "version,4\n髪,0.5\n";
        let le: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let be: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
        assert_eq!(decode(&le, None).text, text);
        assert_eq!(decode(&be, None).text, text);
        let marked: Vec<u8> = [0xff, 0xfe].into_iter().chain(le).collect();
        assert!(decode(&marked, None).has_bom);
        assert_eq!(decode(&marked, None).text, text);
    }
}
