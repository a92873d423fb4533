//! Tests JSON patches on random documents and on every sample file.

use super::support;
use proptest::prelude::*;
use serde_json::{Value, json};
use yuremono_format::gltf_json::splice::{Change, Patch, diff, splice, splice_text};

/// Returns a random JSON document with a few levels.
fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        (-1e6_f64..1e6).prop_map(Value::from),
        "[a-z/~\"\\\\\u{e9}{}\\[\\],: ]{0,6}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 6, |inner| {
        let key = "[a-c/~\"\\\\ ]{0,3}";
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::vec((key, inner), 0..6).prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
        ]
    })
}

/// Writes JSON with different white space in each gap, to cover different file layouts.
fn write_json_with_gaps(value: &Value, gaps: &[u8], at: &mut usize, out: &mut String) {
    let gap = |at: &mut usize, out: &mut String| {
        *at += 1;
        out.push_str(["", "", " ", "\n  ", "\t", "\r\n"][usize::from(gaps[*at % gaps.len()]) % 6]);
    };
    match value {
        Value::Array(list) => {
            out.push('[');
            gap(at, out);
            for (i, entry) in list.iter().enumerate() {
                out.push_str(if i > 0 { "," } else { "" });
                gap(at, out);
                write_json_with_gaps(entry, gaps, at, out);
                gap(at, out);
            }
            out.push_str(" ]");
        }
        Value::Object(map) => {
            out.push('{');
            gap(at, out);
            for (i, (key, entry)) in map.iter().enumerate() {
                out.push_str(if i > 0 { "," } else { "" });
                gap(at, out);
                out.push_str(&Value::from(key.as_str()).to_string());
                gap(at, out);
                out.push(':');
                gap(at, out);
                write_json_with_gaps(entry, gaps, at, out);
                gap(at, out);
            }
            out.push('}');
        }
        scalar => out.push_str(&scalar.to_string()),
    }
}

fn json_with_gaps(value: &Value, gaps: &[u8]) -> String {
    let mut out = String::new();
    write_json_with_gaps(value, gaps, &mut 0, &mut out);
    out
}

/// Collects the JSON pointers of all values in a document, starting with the root.
fn collect_pointers(value: &Value, pointer: &str, out: &mut Vec<String>) {
    out.push(pointer.to_owned());
    match value {
        Value::Array(list) => {
            list.iter().enumerate().for_each(|(i, v)| collect_pointers(v, &format!("{pointer}/{i}"), out));
        }
        Value::Object(map) => {
            for (key, v) in map {
                collect_pointers(v, &format!("{pointer}/{}", key.replace('~', "~0").replace('/', "~1")), out);
            }
        }
        _ => {}
    }
}

fn all_pointers(value: &Value) -> Vec<String> {
    let mut out = Vec::new();
    collect_pointers(value, "", &mut out);
    out
}

/// Returns a patch that applies to the document, and the expected result, computed independently of the code under
/// test.
fn patch_and_result(before: &Value, pick: usize, kind: u8, new: &Value) -> Option<(Patch, Value)> {
    let all = all_pointers(before);
    let pointer = all[pick % all.len()].clone();
    let mut after = before.clone();
    let change = match kind % 3 {
        0 => {
            *after.pointer_mut(&pointer)? = new.clone();
            Change::Set(new.clone())
        }
        1 => {
            let (parent, key) = pointer.rsplit_once('/')?;
            match after.pointer_mut(parent)? {
                Value::Array(list) => drop(list.remove(key.parse().ok()?)),
                Value::Object(map) => drop(map.remove(&key.replace("~1", "/").replace("~0", "~"))),
                _ => return None,
            }
            Change::Remove
        }
        _ => {
            let pointer = match after.pointer_mut(&pointer)? {
                Value::Array(list) => {
                    let place = pick % (list.len() + 1);
                    list.insert(place, new.clone());
                    format!("{pointer}/{place}")
                }
                Value::Object(map) if map.contains_key("new key") => return None,
                Value::Object(map) => {
                    map.insert("new key".to_owned(), new.clone());
                    format!("{pointer}/new key")
                }
                _ => return None,
            };
            return Some((Patch { pointer, change: Change::Insert(new.clone()) }, after));
        }
    };
    Some((Patch { pointer, change }, after))
}

fn parse_json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|why| panic!("{why}: {text}"))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn a_patched_text_reads_as_the_patched_document(
        before in any_json(), gaps in prop::collection::vec(any::<u8>(), 1..9),
        steps in prop::collection::vec((any::<usize>(), any::<u8>(), any_json()), 1..5),
    ) {
        let text = json_with_gaps(&before, &gaps);
        prop_assert_eq!(parse_json(&text), before.clone());
        let (mut patches, mut expected) = (Vec::new(), before);
        for (pick, kind, new) in &steps {
            if let Some((patch, after)) = patch_and_result(&expected, *pick, *kind, new) {
                patches.push(patch);
                expected = after;
            }
        }
        let new = splice_text(&text, &patches).expect("the patches fit");
        prop_assert_eq!(parse_json(&new), expected, "{}\n{:?}\n{}", text, patches, new);
    }

    #[test]
    fn setting_a_value_changes_no_other_byte(
        before in any_json(), gaps in prop::collection::vec(any::<u8>(), 1..9), pick in any::<usize>(),
    ) {
        let text = json_with_gaps(&before, &gaps);
        let all = all_pointers(&before);
        let pointer = all[pick % all.len()].clone();
        // A marker that no document contains shows where the value starts and ends.
        let mark = json!("\u{10fffd}");
        let new = splice_text(&text, &[Patch { pointer, change: Change::Set(mark.clone()) }]).expect("a value");
        let (head, tail) = new.split_once(&mark.to_string()).expect("the mark");
        prop_assert!(text.starts_with(head) && text.ends_with(tail) && head.len() + tail.len() < text.len());
        let old = parse_json(&text[head.len()..text.len() - tail.len()]);
        prop_assert_eq!(Some(&old), before.pointer(&all[pick % all.len()]));
    }

    #[test]
    fn setting_equal_values_changes_nothing(before in any_json(), gaps in prop::collection::vec(any::<u8>(), 1..9)) {
        let text = json_with_gaps(&before, &gaps);
        let same = |pointer: String| {
            let value = before.pointer(&pointer).expect("a value").clone();
            Patch { pointer, change: Change::Set(value) }
        };
        let patches: Vec<_> = all_pointers(&before).into_iter().rev().map(same).collect();
        prop_assert_eq!(splice_text(&text, &patches), Ok(text));
    }

    #[test]
    fn insert_and_remove_restore_the_document(
        before in any_json(), new in any_json(), gaps in prop::collection::vec(any::<u8>(), 1..9), pick in any::<usize>(),
    ) {
        let text = json_with_gaps(&before, &gaps);
        if let Some((insert, _)) = patch_and_result(&before, pick, 2, &new) {
            let remove = Patch { pointer: insert.pointer.clone(), change: Change::Remove };
            let again = splice_text(&text, &[insert, remove]).expect("both fit");
            prop_assert_eq!(parse_json(&again), before);
        }
    }

    #[test]
    fn applying_a_diff_gives_the_other_document(
        before in any_json(), after in any_json(), gaps in prop::collection::vec(any::<u8>(), 1..9),
    ) {
        let new = splice_text(&json_with_gaps(&before, &gaps), &diff(&before, &after)).expect("a valid diff");
        prop_assert_eq!(parse_json(&new), after.clone());
        prop_assert!(diff(&after, &after).is_empty());
    }

    #[test]
    fn arbitrary_pointers_and_texts_do_not_panic(text in "\\PC{0,40}", json in any_json(), pointer in "[/~0-9a-c\\-]{0,8}") {
        let change = |kind| match kind {
            0 => Change::Remove,
            1 => Change::Set(json!({ "a": [1] })),
            _ => Change::Insert(json!([{}])),
        };
        for kind in 0..3 {
            let patch = Patch { pointer: pointer.clone(), change: change(kind) };
            drop(splice_text(&text, std::slice::from_ref(&patch)));
            drop(splice(text.as_bytes(), std::slice::from_ref(&patch)));
            if let Ok(new) = splice_text(&json.to_string(), &[patch]) {
                parse_json(&new);
            }
        }
    }
}

/// Returns the JSON chunk of a GLB, or the whole file.
fn json_of_file(bytes: &[u8]) -> Value {
    let text = if bytes.starts_with(b"glTF") {
        let length = u32::from_le_bytes(bytes[12..16].try_into().expect("four bytes")) as usize;
        &bytes[20..20 + length]
    } else {
        bytes
    };
    serde_json::from_slice(text).expect("JSON")
}

/// Returns the bytes after the JSON chunk.
fn bytes_after_json(bytes: &[u8]) -> &[u8] {
    if !bytes.starts_with(b"glTF") {
        return &[];
    }
    let length = u32::from_le_bytes(bytes[12..16].try_into().expect("four bytes")) as usize;
    &bytes[20 + length..]
}

#[test]
fn splicing_sample_files_keeps_other_chunks_and_unchanged_bytes() {
    let Some(folder) = support::folder_or_skip("YUREMONO_SAMPLES") else { return };
    let mut count = 0;
    for path in support::files_below(&folder, &["gltf", "glb", "vrm", "vrma"]) {
        let bytes = std::fs::read(&path).expect("readable");
        let before = json_of_file(&bytes);
        assert_eq!(splice(&bytes, &[]).as_ref(), Ok(&bytes));
        let same =
            |(key, value): (&String, &Value)| Patch { pointer: format!("/{key}"), change: Change::Set(value.clone()) };
        let patches: Vec<_> = before.as_object().expect("an object").iter().map(same).collect();
        assert_eq!(splice(&bytes, &patches).as_ref(), Ok(&bytes), "{}", path.display());
        let mut after = before.clone();
        after["asset"]["extras"] = json!({ "note": ["\u{e9}", 0.1, { "deep": [] }] });
        after["nodes"][0]["name"] = json!("renamed");
        let new = splice(&bytes, &diff(&before, &after)).expect("it applies");
        assert_eq!(json_of_file(&new), after);
        assert_eq!(bytes_after_json(&new), bytes_after_json(&bytes), "other chunks");
        if new.starts_with(b"glTF") {
            let stated = u32::from_le_bytes(new[8..12].try_into().expect("four bytes"));
            assert_eq!((stated as usize, new.len() % 4), (new.len(), bytes.len() % 4), "{}", path.display());
        }
        // The reverse patch restores every byte, except in a GLB with unusual padding.
        let back = splice(&new, &diff(&after, &before)).expect("it applies");
        assert_eq!(json_of_file(&back), before);
        count += 1;
    }
    println!("{count} files");
}

#[test]
fn malformed_files_are_rejected_or_spliced() {
    let Some(folder) = support::folder_or_skip("YUREMONO_CORPUS") else { return };
    let patch = Patch { pointer: "/extras".to_owned(), change: Change::Insert(json!({ "a": [1, 2] })) };
    let mut counts = [0; 2];
    for path in support::files_below(&folder, &["gltf", "glb", "vrm"]) {
        let bytes = std::fs::read(&path).expect("readable");
        counts[usize::from(splice(&bytes, std::slice::from_ref(&patch)).is_ok())] += 1;
    }
    println!("refused, spliced: {counts:?}");
}
