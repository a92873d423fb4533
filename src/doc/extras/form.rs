//! What files by bone name may say of a component's lists, as a table: readers hold a file against it, and its schema is
//! made of it. The JSON is what serde derives for [`NamedExtras`], without empty lists.

use super::{NamedExtras, Side};
use crate::report::clip;
use crate::sim::SolverKind;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// What a value may be.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Is {
    /// The name of a bone or another node.
    Node,
    /// The name of a collider.
    Collider,
    /// A finite number.
    Number,
    /// A position in a list.
    Position,
    /// True or false.
    Flag,
    /// One of some words.
    Word(&'static [&'static str]),
    /// A list of values of one kind: at least so many, at most so many.
    List(&'static Self, usize, usize),
    /// An object.
    Object(&'static [Field]),
    /// An object with one of these fields.
    Variant(&'static [Field]),
}

/// A field of an object.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Field {
    /// Its name.
    pub key: &'static str,
    /// What stands there.
    pub is: Is,
    /// Whether there is nothing without it.
    pub needed: bool,
    /// The row of [`Side::fields`] that tells of it; empty where the name says all.
    pub row: &'static str,
}

/// Most entries of a list, and most corners and faces of a hull.
pub(crate) const MOST: usize = 1 << 16;
const SURFACES: Is = Is::Word(&["off", "push", "pull"]);
const DIRECTIONS: Is = Is::Word(&["both", "positive", "negative", "none"]);
const COMPLIANCES: Is = Is::Word(&["concrete", "wood", "leather", "tendon", "rubber", "muscle", "fat"]);

const fn needed(key: &'static str, is: Is, row: &'static str) -> Field {
    Field { key, is, needed: true, row }
}

const fn may(key: &'static str, is: Is, row: &'static str) -> Field {
    Field { key, is, needed: false, row }
}

const THREE: Is = Is::List(&Is::Number, 3, 3);
const KEYS: Is = Is::List(&Is::List(&Is::Number, 4, 4), 1, MOST);
const CURVE: Is = Is::Object(&[needed("keys", KEYS, ""), may("interpolation", Is::Word(&["hermite", "linear"]), "")]);
const NOISE: Is = Is::Object(&[needed("frequency", THREE, "m_Frequency x")]);
const CYCLE: Is =
    Is::Object(&[needed("cycle", Is::Number, "m_TimeCycle"), needed("curves", Is::List(&CURVE, 3, 3), "")]);
const FIELD: Is = Is::Object(&[
    needed("node", Is::Node, ""),
    needed("enabled", Is::Flag, "enabled"),
    needed("conductivity", Is::Number, "m_Conductivity"),
    needed("force", Is::Number, "m_Force"),
    needed("turbulence", THREE, "m_Turbulence x"),
    needed("mode", Is::Variant(&[needed("perlin", NOISE, ""), needed("curve", CYCLE, "")]), ""),
]);
const CORNERS: Is = Is::List(&THREE, 0, MOST);
const FACES: Is = Is::List(&Is::List(&Is::Position, 3, 3), 0, MOST);
const HULL: Is = Is::Object(&[needed("points", CORNERS, ""), needed("faces", FACES, "")]);
const MARGIN: Is = Is::Object(&[needed("margin", Is::Number, "m_Margin"), may("hull", HULL, "")]);
const POINT: Is = Is::Object(&[
    may("fixed", Is::Flag, ""),
    needed("mass", Is::Number, "_Mass"),
    needed("radius", Is::Number, "_PointRadius"),
    needed("movable_limit_radius", Is::Number, "_MovableLimitRadius"),
    may("surface_collision", Is::Flag, "_UseForSurfaceCollision"),
    may("invert_collision", Is::Flag, "_ApplyInvertCollision"),
    may("aim_child", Is::Node, ""),
    needed("fade", Is::Number, "_DynamicsRatio"),
]);
const FRICTION: Is =
    Is::Object(&[needed("friction", Is::Number, "_Friction"), may("surface_force", SURFACES, "_SurfaceColliderForce")]);
const GRABBER: Is = Is::Object(&[
    needed("node", Is::Node, ""),
    needed("radius", Is::Number, "_Radius"),
    needed("force", Is::Number, "_Force"),
    needed("enabled", Is::Flag, "enabled"),
]);
const CONSTRAINT: Is = Is::Object(&[
    needed("bones", Is::List(&Is::Node, 2, 2), ""),
    may("compliance", COMPLIANCES, "ComplianceType"),
    may("length", Is::Number, "Length"),
    needed("subdivided", Is::Flag, ""),
]);
const TARGET: Is = Is::Object(&[needed("bone", Is::Node, ""), needed("scale", Is::Number, "")]);
const ATTENUATION: Is =
    Is::Object(&[needed("inner", Is::Number, ""), needed("outer", Is::Number, ""), needed("most", Is::Number, "")]);
const SYNC: Is = Is::Object(&[
    needed("bone", Is::Node, ""),
    needed("targets", Is::List(&TARGET, 0, MOST), ""),
    needed("scale", THREE, "GlobalScale x"),
    may("by_distance", Is::List(&Is::List(&Is::Number, 2, 2), 0, MOST), ""),
    needed("directions", Is::List(&DIRECTIONS, 3, 3), "ApplyDirection x"),
    may("attenuation", ATTENUATION, "EnableAttenuation"),
]);

/// What each entry is.
pub(crate) const fn entry(side: Side) -> Is {
    match side {
        Side::ForceField => FIELD,
        Side::Margins => MARGIN,
        Side::Points => POINT,
        Side::Frictions => FRICTION,
        Side::Grabbers => GRABBER,
        Side::Constraints => CONSTRAINT,
        Side::SyncBones => SYNC,
        Side::Reference
        | Side::Exclusions
        | Side::SimulateSpace
        | Side::GravityAligner
        | Side::Columns
        | Side::Planes
        | Side::BaseBone
        | Side::RelativeSpace => Is::Node,
    }
}

/// What an entry is named by, where a list is an object with a field for each entry.
pub(crate) const fn key_of(side: Side) -> Option<Is> {
    match side {
        Side::Margins | Side::Frictions => Some(Is::Collider),
        Side::Points => Some(Is::Node),
        _ => None,
    }
}

/// In words for who reads the file.
pub(crate) const fn about(side: Side) -> &'static str {
    match side {
        Side::Reference => "The component rests while it is farther from this bone than its distance says.",
        Side::Exclusions => "Bones that the component leaves out, with all that hangs below them.",
        Side::SimulateSpace => "Tips are carried along by this bone, whose motion is not felt.",
        Side::GravityAligner => "Gravity counts by how far this bone has turned away.",
        Side::ForceField => {
            "A force along +Z of a node, with turbulence about it by noise or by three curves in a cycle."
        }
        Side::Margins => "What is added to colliders; a hull stands in place of the shape, in the space of its node.",
        Side::Columns => "Bones that columns begin with, neighbours side by side.",
        Side::Points => "Points with numbers of their own, by the bones of their joints.",
        Side::Frictions => "Colliders with a friction of their own.",
        Side::Grabbers => "Nodes that catch points which come near, and take them along.",
        Side::Planes => "Nodes whose XZ plane no point sinks below.",
        Side::Constraints => "Pairs of bones that keep their distance, in the order in which they are solved.",
        Side::SyncBones => "Bones whose movement shifts others: targets, each with its share of it.",
        Side::BaseBone => "What carries tips along where the simulation space is that of a bone.",
        Side::RelativeSpace => "The bone whose motion is not felt where the space is relative to a bone.",
    }
}

/// The lists that a solver has.
pub(crate) fn sides(solver: SolverKind) -> impl Iterator<Item = Side> {
    Side::ALL.into_iter().filter(move |side| side.solver() == solver)
}

/// Where a file names things: the JSON pointer of the first mention of each name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mentions {
    /// Of the lists themselves.
    pub at: String,
    /// Of bones and other nodes.
    pub nodes: BTreeMap<String, String>,
    /// Of colliders.
    pub colliders: BTreeMap<String, String>,
}

/// Understands the lists of a solver. Entries with something wrong are left out; what it is goes to `say`, with its
/// JSON pointer below the object.
pub(crate) fn understand(
    object: &Map<String, Value>,
    solver: SolverKind,
    say: &mut dyn FnMut(&str, String),
) -> (NamedExtras, Mentions) {
    let mut reader = Reader { at: String::new(), mentions: Mentions::default(), say };
    let mut good = Map::new();
    for (key, value) in object {
        reader.below(key, |reader| reader.side(solver, key, value, &mut good));
    }
    let Reader { mentions, say, .. } = reader;
    let mut tagged = json!(NamedExtras::empty(solver));
    if let Some(own) = tagged.as_object_mut().and_then(|tagged| tagged.values_mut().next()) {
        *own = Value::Object(good);
    }
    match serde_json::from_value(tagged) {
        Ok(lists) => (lists, mentions),
        Err(why) => {
            say("", format!("{why}; left out"));
            (NamedExtras::empty(solver), mentions)
        }
    }
}

/// The way back of [`understand`].
pub(crate) fn json(lists: &NamedExtras) -> Value {
    // Through text, since a JSON value of an f32 would be 0.05000000074505806.
    let text = serde_json::to_string(lists).expect("lists are plain data");
    let mut tagged: Value = serde_json::from_str(&text).expect("JSON");
    let own = tagged.as_object_mut().and_then(|tagged| tagged.values_mut().next());
    let mut own = own.map_or_else(|| json!({}), Value::take);
    remove_nulls(&mut own);
    if let Some(lists) = own.as_object_mut() {
        lists.retain(|_, list| *list != json!([]) && *list != json!({}));
    }
    own
}

fn remove_nulls(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.retain(|_, value| !value.is_null());
            fields.values_mut().for_each(remove_nulls);
        }
        Value::Array(items) => items.iter_mut().for_each(remove_nulls),
        _ => {}
    }
}

/// One way through a file's lists.
struct Reader<'a> {
    /// JSON pointer of what is read.
    at: String,
    mentions: Mentions,
    say: &'a mut dyn FnMut(&str, String),
}

impl Reader<'_> {
    fn below<T>(&mut self, key: &str, read: impl FnOnce(&mut Self) -> T) -> T {
        let length = self.at.len();
        self.at.push('/');
        self.at.push_str(&pointer_part(key));
        let made = read(self);
        self.at.truncate(length);
        made
    }

    fn tell(&mut self, message: String) {
        (self.say)(&self.at, message);
    }

    fn wrong(&mut self, value: &Value, what: &str) {
        self.tell(format!("{} is not {what}; left out", shown(value)));
    }

    /// Takes what is said of one side into `good`.
    fn side(&mut self, solver: SolverKind, key: &str, value: &Value, good: &mut Map<String, Value>) {
        let Some(side) = sides(solver).find(|side| side.key() == key) else {
            return self.tell("the solver has no such list; left out".to_owned());
        };
        let is = entry(side);
        if side.is_single() {
            if self.fits(&is, value) {
                good.insert(key.to_owned(), value.clone());
            }
            return;
        }
        let count = value.as_array().map(Vec::len).or_else(|| value.as_object().map(Map::len)).unwrap_or_default();
        if count > MOST {
            self.tell(format!("{count} entries, more than {MOST}; those beyond are left out"));
        }
        let entries = match (key_of(side), value) {
            (None, Value::Array(list)) => {
                let mut fits = |(n, value): &(usize, &Value)| self.item(*n, &is, value);
                list.iter().take(MOST).enumerate().filter(|entry| fits(entry)).map(|(_, value)| value.clone()).collect()
            }
            (Some(of), Value::Object(object)) => {
                let mut fits = |name: &String, value: &Value| {
                    self.below(name, |reader| {
                        reader.mention(&of, name);
                        reader.fits(&is, value)
                    })
                };
                let known = object.iter().take(MOST).filter(|(name, value)| fits(name, value));
                Value::Object(known.map(|(name, value)| (name.clone(), value.clone())).collect())
            }
            (None, _) => return self.wrong(value, "a list"),
            (Some(_), _) => return self.wrong(value, "an object"),
        };
        good.insert(key.to_owned(), entries);
    }

    /// Keeps where a name is mentioned first.
    fn mention(&mut self, is: &Is, name: &str) {
        let all = match is {
            Is::Collider => &mut self.mentions.colliders,
            _ => &mut self.mentions.nodes,
        };
        if !all.contains_key(name) {
            all.insert(name.to_owned(), self.at.clone());
        }
    }

    fn fits(&mut self, is: &Is, value: &Value) -> bool {
        let what = match is {
            Is::Node | Is::Collider => {
                if let Some(name) = value.as_str() {
                    self.mention(is, name);
                    return true;
                }
                "a name".to_owned()
            }
            Is::Number => match value.as_f64() {
                Some(number) if (number as f32).is_finite() => return true,
                Some(_) => {
                    self.tell(format!("{} is too large for a number; left out", shown(value)));
                    return false;
                }
                None => "a number".to_owned(),
            },
            Is::Position if value.as_u64().is_some_and(|n| u32::try_from(n).is_ok()) => return true,
            Is::Position => "a position".to_owned(),
            Is::Flag if value.is_boolean() => return true,
            Is::Flag => "true or false".to_owned(),
            Is::Word(words) if value.as_str().is_some_and(|text| words.contains(&text)) => return true,
            Is::Word(words) => format!("one of {}", words.join(", ")),
            Is::List(each, least, most) => match value.as_array() {
                Some(list) if (*least..=*most).contains(&list.len()) => {
                    let fits = |(n, value): (usize, &Value)| self.item(n, each, value);
                    return list.iter().enumerate().all(fits);
                }
                other => return self.wrong_list(value, other.map(Vec::len), *least, *most),
            },
            Is::Object(fields) => match value.as_object() {
                Some(object) => return self.object(fields, object),
                None => "an object".to_owned(),
            },
            Is::Variant(fields) => {
                let one = value.as_object().filter(|object| object.len() == 1).and_then(|object| object.iter().next());
                let known = one.and_then(|(key, value)| Some((fields.iter().find(|field| field.key == key)?, value)));
                if let Some((field, value)) = known {
                    return self.below(field.key, |reader| reader.fits(&field.is, value));
                }
                let keys: Vec<_> = fields.iter().map(|field| format!("\"{}\"", field.key)).collect();
                format!("an object with one of {}", keys.join(", "))
            }
        };
        self.wrong(value, &what);
        false
    }

    fn item(&mut self, n: usize, is: &Is, value: &Value) -> bool {
        self.below(&n.to_string(), |reader| reader.fits(is, value))
    }

    /// Tells what kind of list was expected; always `false`.
    fn wrong_list(&mut self, value: &Value, found: Option<usize>, least: usize, most: usize) -> bool {
        let expected = if least == most { least.to_string() } else { format!("{least} to {most}") };
        match found {
            Some(found) => self.tell(format!("{found} entries, expected {expected}; left out")),
            None => self.wrong(value, &format!("a list of {expected}")),
        }
        false
    }

    fn object(&mut self, fields: &[Field], object: &Map<String, Value>) -> bool {
        let mut fits = true;
        for (key, value) in object {
            fits &= self.below(key, |reader| {
                if let Some(field) = fields.iter().find(|field| field.key == key) {
                    return reader.fits(&field.is, value);
                }
                reader.tell("this is not known; left out".to_owned());
                true
            });
        }
        for field in fields.iter().filter(|field| field.needed && !object.contains_key(field.key)) {
            self.tell(format!("there is no \"{}\"; left out", field.key));
            fits = false;
        }
        fits
    }
}

/// A key as a part of a JSON pointer, however long.
pub(crate) fn pointer_part(key: &str) -> String {
    clip(key).replace('~', "~0").replace('/', "~1")
}

/// A value in a message.
pub(crate) fn shown(value: &Value) -> String {
    match value {
        Value::Object(_) => "an object".to_owned(),
        Value::Array(_) => "a list".to_owned(),
        Value::String(text) => format!("\"{}\"", clip(text)),
        other => clip(&other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[track_caller]
    fn check(solver: SolverKind, lists: &Value, expected: &[(&str, &str)]) -> NamedExtras {
        let mut said = Vec::new();
        let object = lists.as_object().expect("an object");
        let (read, _) = understand(object, solver, &mut |at, what| said.push((at.to_owned(), what)));
        let said: Vec<_> = said.iter().map(|(at, what)| (at.as_str(), what.as_str())).collect();
        assert_eq!(said, expected);
        read
    }

    #[test]
    fn rows_of_the_form_are_rows_of_the_tables() {
        for side in Side::ALL {
            let Is::Object(fields) = entry(side) else { continue };
            let modes = fields.iter().flat_map(|field| match field.is {
                Is::Variant(modes) => modes,
                _ => &[],
            });
            let of_modes = modes.flat_map(|mode| match mode.is {
                Is::Object(fields) => fields,
                _ => &[],
            });
            for field in fields.iter().chain(of_modes).filter(|field| !field.row.is_empty()) {
                let known = side.fields().iter().any(|def| def.name == field.row);
                assert!(
                    known,
                    "{side:?} has no {}: {:?}",
                    field.row,
                    side.fields().iter().map(|d| d.name).collect::<Vec<_>>()
                );
            }
        }
    }

    #[test]
    fn what_is_wrong_is_told_where_it_stands_and_the_other_entries_are_used() {
        let grabber = |radius: Value| json!({ "node": "Hand", "radius": radius, "force": 0.5, "enabled": true });
        let lists = json!({
            "reference": "Head",
            "planes": ["Floor", 7],
            "columns": "a",
            "grabbers": [grabber(json!("wide")), grabber(json!(0.1)), { "node": "Hand", "radius": 1e300, "enabled": true }, 3],
            "frictions": { "Ball": { "friction": 0.1, "surface_force": "pusch", "colour": 1 } },
            "more/less": [],
        });
        let expected = [
            ("/reference", "the solver has no such list; left out"),
            ("/planes/1", "7 is not a name; left out"),
            ("/columns", "\"a\" is not a list; left out"),
            ("/grabbers/0/radius", "\"wide\" is not a number; left out"),
            ("/grabbers/2/radius", "1e+300 is too large for a number; left out"),
            ("/grabbers/2", "there is no \"force\"; left out"),
            ("/grabbers/3", "3 is not an object; left out"),
            ("/frictions/Ball/surface_force", "\"pusch\" is not one of off, push, pull; left out"),
            ("/frictions/Ball/colour", "this is not known; left out"),
            ("/more~1less", "the solver has no such list; left out"),
        ];
        let read = check(SolverKind::JointDynamics, &lists, &expected);
        let NamedExtras::JointDynamics(own) = read else { panic!("of one solver") };
        assert_eq!((own.planes, own.grabbers.len(), own.grabbers[0].radius), (vec!["Floor".to_owned()], 1, 0.1));
        assert!(own.colliders.is_empty());
    }

    #[test]
    fn a_force_field_swings_in_one_way() {
        let field = |mode: Value| {
            let number = json!({
                "node": "Fan", "enabled": true, "conductivity": 0.1, "force": 1, "turbulence": [1, 1, 1], "mode": mode,
            });
            json!({ "force_field": number })
        };
        let told = [("/force_field/mode", "an object is not an object with one of \"perlin\", \"curve\"; left out")];
        check(SolverKind::EzSoftBone, &field(json!({})), &told);
        let noise = json!({ "frequency": [1, 1, 1] });
        check(SolverKind::EzSoftBone, &field(json!({ "perlin": noise, "curve": { "cycle": 2 } })), &told);
        check(SolverKind::EzSoftBone, &field(json!({ "perlin": noise })), &[]);
        let curve = json!({ "keys": [] });
        let empty = [("/force_field/mode/curve/curves/0/keys", "0 entries, expected 1 to 65536; left out")];
        let curves = json!({ "curve": { "cycle": 2, "curves": [curve, curve, curve] } });
        check(SolverKind::EzSoftBone, &field(curves), &empty);
    }

    #[test]
    fn lists_that_are_too_long_are_cut_and_told() {
        let lists = json!({ "exclusions": vec!["Head"; MOST + 5] });
        let told = [("/exclusions", "65541 entries, more than 65536; those beyond are left out")];
        let NamedExtras::DynamicBone(own) = check(SolverKind::DynamicBone, &lists, &told) else {
            panic!("of one solver")
        };
        assert_eq!(own.exclusions.len(), MOST);
    }
}
