//! Makes spellings of one name equal: case, full and half width, hiragana and katakana, split-off voice marks.

/// Lower case; full-width letters and digits become ASCII, half-width kana full width, hiragana katakana,
/// circled digits digits, and voice marks join their kana, as text from macOS keeps them apart.
pub fn fold(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for c in name.chars() {
        let c = unify_width(c);
        if let Some(joined) = out.chars().last().and_then(|last| combine_voice_mark(last, c)) {
            out.pop();
            out.push(joined);
        } else if let Some(number) = circled_number(c) {
            out.push_str(&number.to_string());
        } else {
            out.extend(c.to_lowercase());
        }
    }
    out
}

/// Brings width and kana script to one form; case stays, because it parts words.
pub(super) fn unify_width(c: char) -> char {
    const HALF_WIDTH: &str = "。「」、・ヲァィゥェォャュョッーアイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワン\u{3099}\u{309a}";
    match c {
        '\u{ff01}'..='\u{ff5e}' => offset_char(c, -0xfee0),
        '\u{3000}' | '\u{a0}' => ' ',
        '\u{ff61}'..='\u{ff9f}' => HALF_WIDTH.chars().nth(c as usize - 0xff61).unwrap_or(c),
        '\u{3041}'..='\u{3096}' => offset_char(c, 0x60),
        '\u{309b}' => '\u{3099}',
        '\u{309c}' => '\u{309a}',
        _ => c,
    }
}

fn offset_char(c: char, by: i32) -> char {
    u32::try_from(c as i32 + by).ok().and_then(char::from_u32).unwrap_or(c)
}

/// A katakana with the voice mark that follows it, as one character.
fn combine_voice_mark(base: char, mark: char) -> Option<char> {
    let round = "ハヒフヘホ".contains(base);
    match mark {
        '\u{3099}' if base == 'ウ' => Some('ヴ'),
        '\u{3099}' if round || "カキクケコサシスセソタチツテト".contains(base) => {
            Some(offset_char(base, 1))
        }
        '\u{309a}' if round => Some(offset_char(base, 2)),
        _ => None,
    }
}

fn circled_number(c: char) -> Option<u32> {
    ('\u{2460}'..='\u{2473}').contains(&c).then(|| c as u32 - 0x245f)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_one_name_fold_to_the_same() {
        for (a, b) in [
            ("ＨＡＩＲ＿０１", "hair_01"),
            ("ﾘﾎﾞﾝ", "リボン"),
            ("しっぽ", "シッポ"),
            ("カ\u{3099}", "ガ"),
            ("ｽｶｰﾄﾊﾟｰﾂ", "スカートパーツ"),
            ("前髪①", "前髪1"),
            ("右　袖", "右 袖"),
        ] {
            assert_eq!(fold(a), fold(b), "{a} and {b}");
        }
    }

    #[test]
    fn folding_twice_changes_nothing() {
        for name in ["J_Sec_Hair", "ﾂｲﾝﾃｰﾙ左", "ß", "İx", "\u{3099}", "ー゛"] {
            assert_eq!(fold(&fold(name)), fold(name), "{name}");
        }
    }
}
