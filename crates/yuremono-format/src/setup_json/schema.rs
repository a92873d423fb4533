//! The JSON Schema of a setup file, derived from the Rust types. The schema lists the parameters of every solver by
//! name.

use super::{FORMAT_NAME, SCHEMA_FILE, SavedSetup, VERSION};
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};
use yuremono_model::document::{ComponentLists, NodeRef};
use yuremono_model::exchange::MAX_SYSTEMS;
use yuremono_sim::SolverKind;
use yuremono_sim::math::JsonNumber;
use yuremono_sim::params::{ParamDef, ParamKind, ParamScope};

/// Returns the schema as a document in JSON Schema 2020-12.
pub fn schema() -> Value {
    let mut schema = SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<SavedSetup>().to_value();
    clean_descriptions(&mut schema);
    schema["$id"] = json!(SCHEMA_FILE);
    schema["title"] = json!("Yuremono setup");
    schema["description"] = json!("Setups of everything that is simulated on a character, by bone name.");
    schema["properties"]["format"] = json!({ "const": FORMAT_NAME });
    schema["properties"]["version"] = json!({ "const": VERSION });
    let parts = &mut schema["$defs"];
    parts["Setup"]["properties"]["systems"]["minProperties"] = json!(1);
    parts["Setup"]["properties"]["systems"]["maxProperties"] = json!(MAX_SYSTEMS);
    list_parameters(parts);
    schema
}

/// Turns doc comments into one-line descriptions without links, and removes the `format` of numbers.
fn clean_descriptions(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            if fields.get("format").is_some_and(Value::is_string) {
                fields.shift_remove("format");
            }
            for (key, value) in fields {
                match value {
                    Value::String(text) if key == "description" => *text = strip_doc_links(&text.replace('\n', " ")),
                    _ => clean_descriptions(value),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(clean_descriptions),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Replaces ``[`A`](b)`` and ``[`A`]`` with `` `A` ``.
fn strip_doc_links(text: &str) -> String {
    let mut parts = text.split("[`");
    let mut all = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let Some((name, rest)) = part.split_once("`]") else {
            all += part;
            continue;
        };
        let after = rest.strip_prefix('(').and_then(|rest| rest.split_once(')'));
        all.extend(["`", name, "`", after.map_or(rest, |(_, rest)| rest)]);
    }
    all
}

fn schema_reference(part: &str) -> Value {
    json!({ "$ref": format!("#/$defs/{part}") })
}

/// Adds the parameters of every solver, and refers to them from all maps of values.
fn list_parameters(parts: &mut Value) {
    let (mut systems, mut chains, mut joints, mut materials) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for solver in SolverKind::ALL {
        let (key, params) = (solver.key(), solver.info().params);
        let of = |scope: ParamScope| params.iter().filter(move |def| def.scope == scope);
        let mut add = |part: &str, values: Value| {
            let name = format!("{key} {part}");
            parts[&name] = values;
            schema_reference(&name)
        };
        chains.push(add("chain values", values_schema(of(ParamScope::Joint), "ChainValue")));
        joints.push(add("joint values", values_schema(of(ParamScope::Joint), "Number")));
        let own = add("system values", values_schema(of(ParamScope::System), "Number"));
        let lists = component_lists_schema(*solver);
        systems.push(json!({ "properties": { "solver": { "const": key }, "values": own, "component_lists": lists } }));
        if !solver.info().material_params.is_empty() {
            let rows = solver.info().material_params.iter().map(|param| &params[param.index()]);
            let own = add("material values", values_schema(rows, "ChainValue"));
            materials.push(json!({ "properties": { "solver": { "const": key }, "values": own } }));
        }
    }
    for (part, systems) in [("System", systems), ("Material", materials)] {
        parts[part]["anyOf"] = json!(systems);
        if let Some(required) = parts[part]["required"].as_array_mut() {
            required.push(json!("solver"));
        } else {
            parts[part]["required"] = json!(["solver"]);
        }
    }
    parts["Chain"]["properties"]["values"]["anyOf"] = json!(chains);
    parts["Joint"]["properties"]["overrides"]["anyOf"] = json!(joints);
}

/// Returns the schema of an object with a field for each parameter.
fn values_schema<'a>(defs: impl Iterator<Item = &'a ParamDef>, part: &str) -> Value {
    let field = |def: &ParamDef| (def.name.to_owned(), parameter_schema(def, part));
    json!({
        "type": "object",
        "properties": defs.map(field).collect::<Map<_, _>>(),
        "additionalProperties": false,
    })
}

fn parameter_schema(def: &ParamDef, part: &str) -> Value {
    let mut value = schema_reference(part);
    value["title"] = json!(def.label);
    value["description"] = json!(format!("{}{}", def.doc, range_sentence(def)));
    if part == "Number" {
        value["default"] = json!(JsonNumber(def.default));
    }
    value
}

/// Returns the range of a parameter as a sentence. A value outside the range is read with a warning.
fn range_sentence(def: &ParamDef) -> String {
    let (from, to) = def.range;
    let unit = def.unit.symbol();
    let unit = if unit.is_empty() { String::new() } else { format!(" {unit}") };
    match def.kind {
        ParamKind::Toggle => " 0 is off, 1 is on.".to_owned(),
        ParamKind::Choice(choices) => {
            let names = choices.iter().enumerate().map(|(at, name)| format!("{at} {name}"));
            format!(" One of: {}.", names.collect::<Vec<_>>().join(", "))
        }
        _ if from <= f32::MIN && to >= f32::MAX => String::new(),
        _ if from <= f32::MIN => format!(" At most {to}{unit}."),
        _ if to >= f32::MAX => format!(" At least {from}{unit}."),
        _ => format!(" {from} to {to}{unit}."),
    }
}

/// Returns the schema of the component lists of a solver.
fn component_lists_schema(solver: SolverKind) -> Value {
    let empty = ComponentLists::<NodeRef, String, String>::empty(solver);
    let json = serde_json::to_value(empty).unwrap_or_default();
    match json.as_object().and_then(|lists| lists.keys().next()) {
        Some(key) => json!({ "required": [key] }),
        None => json!({ "const": json }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_schema_is_up_to_date() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../assets/schema/yuremono-setup-1.schema.json");
        assert!(path.ends_with(SCHEMA_FILE));
        let derived = serde_json::to_string_pretty(&schema()).expect("JSON") + "\n";
        if std::env::var_os("YUREMONO_WRITE_SCHEMA").is_some() {
            std::fs::write(path, &derived).expect("written");
        }
        let published = std::fs::read_to_string(path).expect("readable");
        let advice = "run this test with YUREMONO_WRITE_SCHEMA=1 and commit the file";
        assert!(published == derived, "{path} differs from the derived schema: {advice}");
    }

    #[test]
    fn every_schema_reference_resolves() {
        fn check(root: &Value, part: &Value) {
            match part {
                Value::Object(fields) => {
                    if let Some(Value::String(pointer)) = fields.get("$ref") {
                        let pointer = pointer.strip_prefix('#').expect("a part of this schema");
                        assert!(root.pointer(pointer).is_some(), "{pointer}");
                    }
                    fields.values().for_each(|part| check(root, part));
                }
                Value::Array(parts) => parts.iter().for_each(|part| check(root, part)),
                _ => {}
            }
        }
        let schema = schema();
        check(&schema, &schema);
    }

    #[test]
    fn doc_links_become_plain_names() {
        let text = "Read by [`World::bake`](yuremono_sim::World::bake), see [`Setup`]; [1] stays.";
        assert_eq!(strip_doc_links(text), "Read by `World::bake`, see `Setup`; [1] stays.");
    }

    #[test]
    fn parameters_are_listed_with_their_ranges() {
        let schema = schema();
        let drag = &schema["$defs"]["VRM joint values"]["properties"]["dragForce"];
        assert_eq!(drag["$ref"], "#/$defs/Number");
        assert!(drag["description"].as_str().is_some_and(|text| text.ends_with(" 0 to 1.")), "{drag}");
        for solver in SolverKind::ALL {
            let listed =
                schema["$defs"][format!("{} chain values", solver.key())]["properties"].as_object().map(Map::len);
            let count = solver.info().params.iter().filter(|def| def.scope == ParamScope::Joint).count();
            assert_eq!(listed, Some(count));
        }
    }
}
