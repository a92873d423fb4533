//! Validates JSON Schema 2020-12, limited to the keywords that Yuremono's own schema uses. Other keywords fail the
//! test.

use serde_json::Value;

/// Returns why a value does not match a schema, with its JSON pointer, or `None` if the value matches.
pub fn schema_mismatch(root: &Value, schema: &Value, value: &Value, at: &str) -> Option<String> {
    let keywords = schema.as_object().unwrap_or_else(|| panic!("a schema is an object: {schema}"));
    keywords.iter().find_map(|(keyword, says)| keyword_mismatch(root, (schema, keyword, says), value, at))
}

fn keyword_mismatch(
    root: &Value,
    (schema, keyword, says): (&Value, &str, &Value),
    value: &Value,
    at: &str,
) -> Option<String> {
    let fails = |is: bool, what: String| is.then(|| format!("{at}: {what}"));
    let parts = || says.as_array().expect("a list of schemas").iter();
    let count = || says.as_u64().expect("a count") as usize;
    match keyword {
        "$schema" | "$id" | "$defs" | "title" | "description" | "default" => None,
        "$ref" => {
            let pointer = says.as_str().and_then(|s| s.strip_prefix('#')).expect("a pointer into the schema");
            let part = root.pointer(pointer).unwrap_or_else(|| panic!("the schema has no {pointer}"));
            schema_mismatch(root, part, value, at)
        }
        "type" => {
            let is_one = match says {
                Value::Array(types) => types.iter().any(|one| is_of_type(value, one)),
                one => is_of_type(value, one),
            };
            fails(!is_one, format!("{value} is no {says}"))
        }
        "const" => fails(value != says, format!("{value} is not {says}")),
        "enum" => fails(!parts().any(|one| one == value), format!("{value} is none of {says}")),
        "anyOf" => {
            let all: Option<Vec<String>> = parts().map(|part| schema_mismatch(root, part, value, at)).collect();
            all.map(|why| why.join(" / "))
        }
        "oneOf" => {
            let why: Vec<Option<String>> = parts().map(|part| schema_mismatch(root, part, value, at)).collect();
            let fitting = why.iter().filter(|why| why.is_none()).count();
            let why = why.into_iter().flatten().collect::<Vec<_>>().join(" / ");
            fails(fitting != 1, format!("fits {fitting} of the choices: {why}"))
        }
        "required" => {
            let missing = parts().find(|key| value.is_object() && value.get(key.as_str().expect("a key")).is_none());
            missing.map(|key| format!("{at}: {key} is missing"))
        }
        "properties" => value.as_object()?.iter().find_map(|(key, value)| {
            says.get(key).and_then(|part| schema_mismatch(root, part, value, &format!("{at}/{key}")))
        }),
        "patternProperties" => value.as_object()?.iter().find_map(|(key, value)| {
            let mut parts = says
                .as_object()
                .expect("schemas by pattern")
                .iter()
                .filter(|(pattern, _)| matches_pattern(pattern, key));
            parts.find_map(|(_, part)| schema_mismatch(root, part, value, &format!("{at}/{key}")))
        }),
        "additionalProperties" => {
            let patterns = || schema["patternProperties"].as_object().into_iter().flat_map(serde_json::Map::keys);
            let is_known =
                |key: &str| schema["properties"].get(key).is_some() || patterns().any(|one| matches_pattern(one, key));
            let mut others = value.as_object()?.iter().filter(|(key, _)| !is_known(key));
            match says {
                Value::Bool(is_open) => {
                    assert!(!is_open, "an object that may have any field is not supported");
                    others.next().map(|(key, _)| format!("{at}: {key} is not known"))
                }
                each => others.find_map(|(key, value)| schema_mismatch(root, each, value, &format!("{at}/{key}"))),
            }
        }
        "items" => {
            let items = value.as_array()?.iter().enumerate();
            items.into_iter().find_map(|(n, value)| schema_mismatch(root, says, value, &format!("{at}/{n}")))
        }
        "prefixItems" => {
            let pairs = value.as_array()?.iter().zip(parts()).enumerate();
            pairs.into_iter().find_map(|(n, (value, part))| schema_mismatch(root, part, value, &format!("{at}/{n}")))
        }
        "minimum" => fails(value.as_f64()? < says.as_f64().expect("a number"), format!("{value} is below {says}")),
        "maximum" => fails(value.as_f64()? > says.as_f64().expect("a number"), format!("{value} is above {says}")),
        "minItems" => fails(value.as_array()?.len() < count(), format!("fewer than {says} items")),
        "minProperties" => fails(value.as_object()?.len() < count(), format!("fewer than {says} fields")),
        "maxProperties" => fails(value.as_object()?.len() > count(), format!("more than {says} fields")),
        "uniqueItems" => {
            let items = value.as_array().filter(|_| *says == Value::Bool(true))?;
            let mut again = items.iter().enumerate().filter(|(n, item)| items[..*n].contains(item));
            again.next().map(|(n, item)| format!("{at}/{n}: {item} is there twice"))
        }
        "maxItems" => fails(value.as_array()?.len() > count(), format!("more than {says} items")),
        other => panic!("the keyword {other} is not supported"),
    }
}

fn is_of_type(value: &Value, name: &Value) -> bool {
    match name.as_str().expect("the name of a type") {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        "integer" => value.is_u64() || value.is_i64(),
        other => panic!("type {other} is not supported"),
    }
}

/// Whether a key matches the only pattern in Yuremono's schema.
fn matches_pattern(pattern: &str, key: &str) -> bool {
    assert_eq!(pattern, "^\\d+$", "no other pattern is supported");
    !key.is_empty() && key.chars().all(|c| c.is_ascii_digit())
}
