use super::*;
use serde_json::json;

#[track_caller]
fn check(text: &str, patches: &[(&str, Change)], expected: &str) {
    let patches: Vec<_> = patches
        .iter()
        .map(|(pointer, change)| Patch { pointer: (*pointer).to_owned(), change: change.clone() })
        .collect();
    assert_eq!(splice_text(text, &patches).expect("the patches apply"), expected);
}

#[track_caller]
fn check_rejected(text: &str, pointer: &str, change: Change, expected: &str) {
    let patch = Patch { pointer: pointer.to_owned(), change };
    assert_eq!(splice_text(text, &[patch]).expect_err("the patch is rejected").to_string(), expected);
}

fn set(value: Value) -> Change {
    Change::Set(value)
}

fn insert(value: Value) -> Change {
    Change::Insert(value)
}

#[test]
fn setting_one_number_keeps_all_other_text() {
    check(r#"{"a": 1.50, "b" :[1e0,2]}"#, &[("/b/1", set(json!(3)))], r#"{"a": 1.50, "b" :[1e0,3]}"#);
    check(r#"{"a": 1.50}"#, &[("/a", set(json!(1.5)))], r#"{"a": 1.50}"#);
}

#[test]
fn removing_an_entry_keeps_the_json_valid() {
    let text = r#"{ "a": 1, "b": 2, "c": 3 }"#;
    check(text, &[("/a", Change::Remove)], r#"{ "b": 2, "c": 3 }"#);
    check(text, &[("/b", Change::Remove)], r#"{ "a": 1, "c": 3 }"#);
    check(text, &[("/c", Change::Remove)], r#"{ "a": 1, "b": 2 }"#);
    check("[ 1 ]", &[("/0", Change::Remove)], "[]");
}

#[test]
fn inserted_values_use_the_layout_of_their_neighbours() {
    check(r#"{"a":1}"#, &[("/b", insert(json!([1, 2])))], r#"{"a":1,"b":[1,2]}"#);
    check(r#"{"a": 1, "b": 2}"#, &[("/c", insert(json!({ "x": [1, 2] })))], r#"{"a": 1, "b": 2, "c": {"x": [1, 2]}}"#);
    check("[1,2]", &[("/0", insert(json!(0))), ("/-", insert(json!(3)))], "[0,1,2,3]");
    let tall = "{\n  \"a\": 1,\n  \"e\": {}\n}\n";
    let expected = "{\n  \"a\": 1,\n  \"e\": {\n    \"v\": [0, -1],\n    \"o\": {\n      \"x\": true\n    }\n  }\n}\n";
    check(tall, &[("/e/v", insert(json!([0, -1]))), ("/e/o", insert(json!({ "x": true })))], expected);
    let tabs = "{\r\n\t\"a\": [\r\n\t\t1\r\n\t]\r\n}";
    check(tabs, &[("/a/-", insert(json!(2)))], "{\r\n\t\"a\": [\r\n\t\t1,\r\n\t\t2\r\n\t]\r\n}");
    check(tabs, &[("/b", insert(json!([3])))], "{\r\n\t\"a\": [\r\n\t\t1\r\n\t],\r\n\t\"b\": [\r\n\t\t3\r\n\t]\r\n}");
}

#[test]
fn later_patches_apply_to_the_result_of_earlier_ones() {
    check(
        "[1,2,3]",
        &[("/0", Change::Remove), ("/0", set(json!({ "a": 1 }))), ("/0/a", set(json!(5)))],
        r#"[{"a":5},3]"#,
    );
}

#[test]
fn escapes_in_keys_and_pointers_are_understood() {
    check(
        r#"{"a\/b":1,"c~d":2,"\u0065":3}"#,
        &[("/a~1b", set(json!(4))), ("/c~0d", set(json!(5))), ("/e", set(json!(6)))],
        r#"{"a\/b":4,"c~d":5,"\u0065":6}"#,
    );
    check(r#"{"a\"]}":"}\\"}"#, &[("/x", insert(json!(1)))], r#"{"a\"]}":"}\\","x":1}"#);
}

#[test]
fn invalid_patches_are_rejected_with_a_reason() {
    check_rejected("{}", "a", Change::Remove, "\"a\" is not a JSON pointer: it does not start with a slash");
    check_rejected("{}", "/a~2", Change::Remove, "\"/a~2\" is not a JSON pointer: a ~ is followed by neither 0 nor 1");
    check_rejected("{}", "", Change::Remove, "the document itself can be neither removed nor inserted");
    check_rejected(r#"{"a":{}}"#, "/a/b/c", set(json!(1)), "there is nothing at \"/a/b\"");
    check_rejected(r#"{"a":1}"#, "/a/b", insert(json!(1)), "there is nothing at \"/a/b\"");
    check_rejected("[1]", "/01", Change::Remove, "there is nothing at \"/01\"");
    check_rejected("[1]", "/2", insert(json!(1)), "there is nothing at \"/2\"");
    check_rejected(r#"{"a":1}"#, "/a", insert(json!(1)), "there is already a value at \"/a\"");
    check_rejected(r#"{"a":{},"a":{}}"#, "/a/b", insert(json!(1)), "the key at \"/a\" appears twice in its object");
    let deep = format!("{}{}", "[".repeat(200), "]".repeat(200));
    check_rejected(
        &deep,
        "/0",
        Change::Remove,
        "the JSON of the file cannot be read: recursion limit exceeded at line 1 column 128",
    );
    check_rejected(
        "{\"a\":NaN}",
        "/a",
        set(json!(1)),
        "the JSON of the file cannot be read: expected value at line 1 column 6",
    );
}

#[test]
fn a_byte_order_mark_is_kept() {
    check("\u{feff} {\"a\":1}\n", &[("/a", set(json!(2)))], "\u{feff} {\"a\":2}\n");
}

#[test]
fn numbers_have_the_fewest_digits_that_read_back_unchanged() {
    let text = |x: f32| shortest_number(x).expect("finite").to_string();
    assert_eq!(text(0.1), "0.1");
    assert_eq!(text(1.0), "1");
    assert_eq!(text(-0.0), "-0.0");
    assert_eq!(text(16_777_216.0), "16777216");
    assert_eq!(text(1e20), "1e+20");
    assert_eq!(shortest_number(f32::NAN), None);
    let mut bits = 1_u32;
    for _ in 0..200_000 {
        bits = bits.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let x = f32::from_bits(bits);
        if let Some(value) = shortest_number(x) {
            let read: Value = serde_json::from_str(&value.to_string()).expect("a number");
            assert_eq!((read.as_f64().expect("a number") as f32).to_bits(), x.to_bits(), "{x}");
        }
    }
}

#[test]
fn patching_a_glb_updates_its_lengths_and_keeps_other_chunks() {
    let chunk = |kind: &[u8], data: &[u8]| [&(data.len() as u32).to_le_bytes(), kind, data].concat();
    let file = |json: &[u8], tail: &[u8]| {
        let body = [chunk(b"JSON", json), chunk(b"BIN\0", &[1, 2, 3, 4]), chunk(b"ODD!", &[9; 8])].concat();
        [b"glTF", &2_u32.to_le_bytes()[..], &(12 + body.len() as u32).to_le_bytes(), &body, tail].concat()
    };
    let patch = Patch { pointer: "/a".to_owned(), change: set(json!(12345)) };
    let before = file(b"{\"a\":1 } ", b"behind");
    assert_eq!(splice(&before, std::slice::from_ref(&patch)), Ok(file(b"{\"a\":12345 }", b"behind")));
    let before = file(b"{\"a\":1}     ", b"");
    assert_eq!(splice(&before, &[patch]), Ok(file(b"{\"a\":12345} ", b"")));
    let same = Patch { pointer: "/a".to_owned(), change: set(json!(1)) };
    assert_eq!(splice(&before, &[same]), Ok(before), "an equal value keeps all bytes, padding included");
}
