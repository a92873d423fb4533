//! Comment rows that say what the original's version 4 has no place for.
//!
//! `#yuremono,1,<kind>,<cells>`: the original passes them over, as it does every row that begins with `#`. Each row
//! says one thing and names what it speaks of, so that sorting, filtering or editing in a spreadsheet spoils none
//! of the others. Positions and turns are in the space of the rest of the table; numbers have decimal points and as
//! many digits as they need. Blanks around a name, which readers of tables trim, are written as `\u{20}`.

use super::cells::{bool_text, number_text};
use super::columns::{Cursor, row_of, unless_bad};
use super::{ExtraRow, Fault, Problem};
use crate::doc::{Along, Part};
use crate::math::{Curve, Interpolation, Key};
use crate::sim::{ForceKind, SwingLimit, SwingShape};
use glam::Quat;
use std::fmt::Write as _;

/// What the first cell of such a row is.
pub const EXTRA: &str = "#yuremono";
/// The second cell; rows of later versions are kept, not used.
const VERSION: &str = "1";

/// What one comment row says.
#[derive(Clone, Debug, PartialEq)]
pub enum Extra {
    /// A value of the whole character.
    System {
        /// Name of the parameter.
        row: String,
        /// In its unit.
        value: f32,
    },
    /// A joint's own value that the engine does not have.
    Joint {
        /// The joint's bone.
        bone: String,
        /// Name of the parameter.
        row: String,
        /// In its unit.
        value: f32,
    },
    /// Whether a joint moves.
    Enabled {
        /// The joint's bone.
        bone: String,
        /// Its switch.
        on: bool,
    },
    /// Whether a program tells the engine that animation moves the bone.
    Animated {
        /// The joint's bone.
        bone: String,
        /// The flag.
        on: bool,
    },
    /// Which child a joint points at.
    TipBone {
        /// The joint's bone.
        bone: String,
        /// The bone at its tip.
        child: String,
    },
    /// The point that a joint points at.
    TipAt {
        /// The joint's bone.
        bone: String,
        /// In the bone's own space, metres.
        at: [f32; 3],
    },
    /// How hard a length is held.
    Length {
        /// The joint's bone.
        bone: String,
        /// The node that the tip keeps its distance to.
        target: String,
        /// 1/s².
        constant: f32,
    },
    /// A bone that detection leaves alone.
    Excluded {
        /// The bone.
        bone: String,
    },
    /// Whether the engine draws a mesh.
    Renderer {
        /// Name of the mesh.
        name: String,
        /// Drawn or not.
        on: bool,
    },
    /// A collider's switch.
    Collider {
        /// Its name.
        name: String,
        /// Its switch.
        on: bool,
    },
    /// A chain.
    Chain {
        /// The bone that it begins with.
        root: String,
        /// As lists show it.
        name: String,
        /// What it is.
        part: Part,
        /// What its curves run over.
        along: Along,
    },
    /// A value of a whole chain. Joints whose number in the table is what it comes to follow it.
    Value {
        /// The bone that the chain begins with.
        root: String,
        /// Name of the parameter.
        row: String,
        /// In its unit.
        base: f32,
        /// Factor along the chain.
        curve: Option<Curve>,
    },
    /// A collider group.
    Group {
        /// Tells it from others, whose names may be the same.
        number: u32,
        /// May be empty.
        name: String,
        /// Names of its colliders.
        colliders: Vec<String>,
    },
    /// Groups that push all joints of a chain.
    Groups {
        /// The bone that the chain begins with.
        root: String,
        /// Of the groups, in order.
        numbers: Vec<u32>,
    },
    /// What the speed of a chain is measured against.
    Center {
        /// The bone that the chain begins with.
        root: String,
        /// Name of the node.
        node: String,
    },
    /// How far a joint may turn in any direction.
    Swing {
        /// The joint's bone.
        bone: String,
        /// Radians, as in VRM's files.
        limit: SwingLimit,
    },
    /// Wind or a steady force.
    Force(Box<ForceCells>),
}

/// A force with its node.
#[derive(Clone, Debug, PartialEq)]
pub struct ForceCells {
    /// As lists show it.
    pub name: String,
    /// Name of the node of its own; empty where it sits on `parent` itself.
    pub node: String,
    /// Name of the node that this one hangs on.
    pub parent: String,
    /// Metres.
    pub position: [f32; 3],
    /// Unit quaternion, x y z w.
    pub rotation: [f32; 4],
    /// Factor along each axis.
    pub scale: [f32; 3],
    /// Its switch.
    pub on: bool,
    /// What it is.
    pub kind: ForceKind,
}

const PARTS: [(&str, Part); 9] = [
    ("hair", Part::Hair),
    ("skirt", Part::Skirt),
    ("tail", Part::Tail),
    ("ribbon", Part::Ribbon),
    ("ear", Part::Ear),
    ("breast", Part::Breast),
    ("sleeve", Part::Sleeve),
    ("accessory", Part::Accessory),
    ("other", Part::Other),
];
const ALONG: [(&str, Along); 2] = [("length", Along::Length), ("depth", Along::Depth)];
const RUNS: [(&str, Interpolation); 2] = [("hermite", Interpolation::Hermite), ("linear", Interpolation::Linear)];
const SWINGS: [(&str, SwingShape); 3] = [
    ("cone", SwingShape::Cone { angle: 0.0 }),
    ("hinge", SwingShape::Hinge { angle: 0.0 }),
    ("spherical", SwingShape::Spherical { pitch: 0.0, yaw: 0.0 }),
];
const KEY: [&str; 4] = ["t", "value", "slope in", "slope out"];
const TURN: [&str; 4] = ["turn x", "turn y", "turn z", "turn w"];
const PLACE: [&str; 10] = ["x", "y", "z", "turn x", "turn y", "turn z", "turn w", "scale x", "scale y", "scale z"];

/// Understands the cells after [`EXTRA`].
pub fn extra_row(line: u64, cells: Vec<String>) -> ExtraRow {
    let kind = cells.get(1).cloned().unwrap_or_default();
    row_of(line, kind, cells, understand)
}

fn understand(cells: &[String]) -> Result<Extra, Vec<Problem>> {
    let mut c = Cursor::new(cells, false);
    let (version, kind) = (c.text(), c.text());
    if version != VERSION {
        return Err(vec![Problem::new("version", version, Fault::NotUnderstood)]);
    }
    if kind == "group" {
        let number = whole(&mut c);
        let (name, colliders) = (name_of(&mut c), names(&mut c));
        return unless_bad(c.problems, Extra::Group { number, name, colliders });
    }
    let first = name_of(&mut c);
    let extra = match kind.as_str() {
        "system" => Extra::System { row: first, value: c.number("value") },
        "joint" => Extra::Joint { bone: first, row: c.text(), value: c.number("value") },
        "enabled" => Extra::Enabled { bone: first, on: c.toggle("enabled") },
        "animated" => Extra::Animated { bone: first, on: c.toggle("animated") },
        "tip" => Extra::TipBone { bone: first, child: name_of(&mut c) },
        "tip at" => Extra::TipAt { bone: first, at: c.finite(["x", "y", "z"], &Fault::TooLarge) },
        "length" => Extra::Length { bone: first, target: name_of(&mut c), constant: c.number("constant") },
        "excluded" => Extra::Excluded { bone: first },
        "renderer" => Extra::Renderer { name: first, on: c.toggle("renderer") },
        "collider" => Extra::Collider { name: first, on: c.toggle("enabled") },
        "chain" => Extra::Chain {
            root: first,
            name: name_of(&mut c),
            part: one_of(&mut c, "part", &PARTS),
            along: one_of(&mut c, "along", &ALONG),
        },
        "value" => Extra::Value { root: first, row: c.text(), base: c.number("base"), curve: curve(&mut c) },
        "groups" => Extra::Groups { root: first, numbers: wholes(&mut c) },
        "center" => Extra::Center { root: first, node: name_of(&mut c) },
        "swing" => Extra::Swing { bone: first, limit: swing(&mut c) },
        "force" => Extra::Force(Box::new(force(first, &mut c))),
        _ => return Err(vec![Problem::new("kind", kind, Fault::NotUnderstood)]),
    };
    unless_bad(c.problems, extra)
}

fn curve(c: &mut Cursor<'_>) -> Option<Curve> {
    if c.rest().iter().all(String::is_empty) {
        return None;
    }
    let runs = one_of(c, "curve", &RUNS);
    let mut keys = Vec::new();
    // A spreadsheet fills rows up with empty cells.
    while c.rest().iter().any(|cell| !cell.is_empty()) {
        let [t, value, slope_in, slope_out] = c.numbers(KEY);
        keys.push(Key { t, value, slope_in, slope_out });
    }
    let curve = Curve::new(keys, runs);
    if curve.is_none() {
        c.bad("curve", String::new(), Fault::NotUnderstood);
    }
    curve
}

fn force(name: String, c: &mut Cursor<'_>) -> ForceCells {
    let (node, parent) = (name_of(c), name_of(c));
    let [px, py, pz, x, y, z, w, sx, sy, sz] = c.finite(PLACE, &Fault::TooLarge);
    let on = c.toggle("enabled");
    let kinds = ForceKind::ALL.map(|kind| (kind.name(), kind));
    let mut kind = one_of(c, "kind", &kinds);
    for (at, field) in kind.fields().iter().enumerate() {
        kind = kind.with_field(at, c.number(field.name));
    }
    let (position, rotation, scale) = ([px, py, pz], [x, y, z, w], [sx, sy, sz]);
    ForceCells { name, node, parent, position, rotation, scale, on, kind }
}

fn swing(c: &mut Cursor<'_>) -> SwingLimit {
    let shape = match one_of(c, "swing", &SWINGS) {
        SwingShape::Cone { .. } => SwingShape::Cone { angle: c.number("angle") },
        SwingShape::Hinge { .. } => SwingShape::Hinge { angle: c.number("angle") },
        SwingShape::Spherical { .. } => {
            let [pitch, yaw] = c.numbers(["pitch", "yaw"]);
            SwingShape::Spherical { pitch, yaw }
        }
    };
    SwingLimit { shape, rotation: Quat::from_array(c.finite(TURN, &Fault::TooLarge)) }
}

fn whole(c: &mut Cursor<'_>) -> u32 {
    let cell = c.text();
    cell.parse().unwrap_or_else(|_| {
        c.bad("number", cell, Fault::NotACount);
        0
    })
}

fn wholes(c: &mut Cursor<'_>) -> Vec<u32> {
    let count = filled(c);
    (0..count).map(|_| whole(c)).collect()
}

fn names(c: &mut Cursor<'_>) -> Vec<String> {
    let count = filled(c);
    (0..count).map(|_| name_of(c)).collect()
}

/// How many cells there are before those with which a spreadsheet fills rows up.
fn filled(c: &Cursor<'_>) -> usize {
    c.rest().iter().rposition(|cell| !cell.is_empty()).map_or(0, |last| last + 1)
}

fn swing_text(limit: &SwingLimit) -> Vec<String> {
    let (name, angles) = match limit.shape {
        SwingShape::Cone { angle } => (SWINGS[0].0, vec![angle]),
        SwingShape::Hinge { angle } => (SWINGS[1].0, vec![angle]),
        SwingShape::Spherical { pitch, yaw } => (SWINGS[2].0, vec![pitch, yaw]),
    };
    let numbers = angles.into_iter().chain(limit.rotation.to_array()).map(|n| number_text(n, None));
    std::iter::once(name.to_owned()).chain(numbers).collect()
}

fn one_of<T: Copy>(c: &mut Cursor<'_>, column: &'static str, all: &[(&str, T)]) -> T {
    let cell = c.text();
    if let Some((_, value)) = all.iter().find(|(name, _)| *name == cell) {
        return *value;
    }
    c.bad(column, cell, Fault::NotUnderstood);
    all[0].1
}

fn word_of<T: PartialEq>(value: &T, all: &[(&str, T)]) -> String {
    all.iter().find(|(_, v)| v == value).map_or(String::new(), |(name, _)| (*name).to_owned())
}

impl From<Extra> for ExtraRow {
    fn from(extra: Extra) -> Self {
        let kind = extra_text(&extra).swap_remove(1);
        Self::new(kind, extra)
    }
}

/// The cells after [`EXTRA`].
pub fn extra_text(extra: &Extra) -> Vec<String> {
    let number = |n: &f32| number_text(*n, None);
    let (kind, mut rest) = match extra {
        Extra::System { row, value } => ("system", vec![row.clone(), number(value)]),
        Extra::Joint { bone, row, value } => ("joint", vec![escape(bone), row.clone(), number(value)]),
        Extra::Enabled { bone, on } => ("enabled", vec![escape(bone), bool_text(*on)]),
        Extra::Animated { bone, on } => ("animated", vec![escape(bone), bool_text(*on)]),
        Extra::TipBone { bone, child } => ("tip", vec![escape(bone), escape(child)]),
        Extra::TipAt { bone, at } => ("tip at", std::iter::once(escape(bone)).chain(at.iter().map(number)).collect()),
        Extra::Length { bone, target, constant } => ("length", vec![escape(bone), escape(target), number(constant)]),
        Extra::Excluded { bone } => ("excluded", vec![escape(bone)]),
        Extra::Renderer { name, on } => ("renderer", vec![escape(name), bool_text(*on)]),
        Extra::Collider { name, on } => ("collider", vec![escape(name), bool_text(*on)]),
        Extra::Chain { root, name, part, along } => {
            ("chain", vec![escape(root), escape(name), word_of(part, &PARTS), word_of(along, &ALONG)])
        }
        Extra::Value { root, row, base, curve } => {
            let mut cells = vec![escape(root), row.clone(), number(base)];
            if let Some(curve) = curve {
                cells.push(word_of(&curve.interpolation(), &RUNS));
                let numbers = curve.keys().iter().flat_map(|k| [k.t, k.value, k.slope_in, k.slope_out]);
                cells.extend(numbers.map(|n| number_text(n, None)));
            }
            ("value", cells)
        }
        Extra::Group { number, name, colliders } => {
            let names = std::iter::once(name).chain(colliders).map(|name| escape(name));
            ("group", std::iter::once(number.to_string()).chain(names).collect())
        }
        Extra::Groups { root, numbers } => {
            let numbers = numbers.iter().map(ToString::to_string);
            ("groups", std::iter::once(escape(root)).chain(numbers).collect())
        }
        Extra::Center { root, node } => ("center", vec![escape(root), escape(node)]),
        Extra::Swing { bone, limit } => ("swing", std::iter::once(escape(bone)).chain(swing_text(limit)).collect()),
        Extra::Force(f) => {
            let mut cells = vec![escape(&f.name), escape(&f.node), escape(&f.parent)];
            cells.extend(f.position.iter().chain(&f.rotation).chain(&f.scale).map(number));
            cells.extend([bool_text(f.on), f.kind.name().to_owned()]);
            cells.extend((0..f.kind.fields().len()).map(|at| number_text(f.kind.field(at), None)));
            ("force", cells)
        }
    };
    let mut cells = vec![VERSION.to_owned(), kind.to_owned()];
    cells.append(&mut rest);
    cells
}

/// A cell whose outer blanks survive a reader that trims cells; [`unescape`] is the way back.
pub fn escape(name: &str) -> String {
    let inner = name.trim();
    let (before, after) =
        if inner.is_empty() { (name, "") } else { name.split_once(inner).expect("a trimmed text is part of it") };
    let mut text = String::with_capacity(name.len());
    let blanks = |text: &mut String, blanks: &str| {
        // Writing to a String cannot fail.
        for c in blanks.chars() {
            let _ = write!(text, "\\u{{{:x}}}", u32::from(c));
        }
    };
    blanks(&mut text, before);
    text.push_str(&inner.replace('\\', "\\\\"));
    blanks(&mut text, after);
    text
}

fn name_of(c: &mut Cursor<'_>) -> String {
    unescape(&c.text())
}

/// The way back of [`escape`].
pub fn unescape(text: &str) -> String {
    let mut name = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((plain, behind)) = rest.split_once('\\') {
        name.push_str(plain);
        rest = if let Some(behind) = behind.strip_prefix('\\') {
            name.push('\\');
            behind
        } else if let Some((code, after)) = behind.strip_prefix("u{").and_then(|b| b.split_once('}'))
            && let Some(blank) = u32::from_str_radix(code, 16).ok().and_then(char::from_u32)
        {
            name.push(blank);
            after
        } else {
            name.push('\\');
            behind
        };
    }
    name.push_str(rest);
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(extra: Extra, expected: &str) {
        let text = extra_text(&extra);
        assert_eq!(text.join(","), expected);
        let mut padded: Vec<String> = text.iter().map(|c| c.trim().to_owned()).collect();
        padded.extend([String::new(), String::new()]);
        assert_eq!(extra_row(0, padded).cells, Ok(extra));
    }

    #[test]
    fn every_kind_of_row_reads_back_through_a_spreadsheet() {
        let bone = || "hair_1".to_owned();
        check(Extra::System { row: "gravity y".to_owned(), value: -9.8 }, "1,system,gravity y,-9.8");
        check(Extra::Joint { bone: bone(), row: "x".to_owned(), value: 0.5 }, "1,joint,hair_1,x,0.5");
        check(Extra::Enabled { bone: bone(), on: false }, "1,enabled,hair_1,False");
        check(Extra::Animated { bone: bone(), on: true }, "1,animated,hair_1,True");
        check(Extra::TipBone { bone: bone(), child: " a\\b".to_owned() }, "1,tip,hair_1,\\u{20}a\\\\b");
        check(Extra::TipAt { bone: bone(), at: [0.0, -0.1, 1e-5] }, "1,tip at,hair_1,0,-0.1,1E-05");
        check(Extra::Length { bone: bone(), target: " ".to_owned(), constant: 5.0 }, "1,length,hair_1,\\u{20},5");
        check(Extra::Excluded { bone: "\t".to_owned() }, "1,excluded,\\u{9}");
        check(Extra::Renderer { name: "Body".to_owned(), on: false }, "1,renderer,Body,False");
        check(Extra::Collider { name: "Ball".to_owned(), on: false }, "1,collider,Ball,False");
        let (part, along) = (Part::Hair, Along::Depth);
        check(
            Extra::Chain { root: bone(), name: "Fringe".to_owned(), part, along },
            "1,chain,hair_1,Fringe,hair,depth",
        );
        let colliders = vec!["Ball".to_owned(), " Box".to_owned()];
        check(Extra::Group { number: 2, name: String::new(), colliders }, "1,group,2,,Ball,\\u{20}Box");
        check(Extra::Groups { root: bone(), numbers: vec![2, 1] }, "1,groups,hair_1,2,1");
        check(Extra::Center { root: bone(), node: "Hips".to_owned() }, "1,center,hair_1,Hips");
        let swing = |shape| Extra::Swing { bone: bone(), limit: SwingLimit { shape, rotation: Quat::IDENTITY } };
        check(swing(SwingShape::Cone { angle: 0.5 }), "1,swing,hair_1,cone,0.5,0,0,0,1");
        check(swing(SwingShape::Spherical { pitch: 1.0, yaw: 0.5 }), "1,swing,hair_1,spherical,1,0.5,0,0,0,1");
        let curve = Curve::through(&[(0.0, 1.0), (1.0, 0.25)]);
        let value = |curve| Extra::Value { root: bone(), row: "radius".to_owned(), base: 2.0, curve };
        check(value(None), "1,value,hair_1,radius,2");
        check(value(curve), "1,value,hair_1,radius,2,linear,0,1,0,0,1,0.25,0,0");
        let force = ForceCells {
            name: "Breeze".to_owned(),
            node: String::new(),
            parent: "Root".to_owned(),
            position: [1.0, 2.0, 3.0],
            rotation: [0.0, 0.0, 0.0, 1.0],
            scale: [1.0; 3],
            on: true,
            kind: ForceKind::ALL[1],
        };
        check(
            Extra::Force(Box::new(force)),
            "1,force,Breeze,,Root,1,2,3,0,0,0,1,1,1,1,True,WindVolume,0,100,1,1.5,1.5,0.2",
        );
    }

    #[test]
    fn rows_of_later_versions_and_edited_rows_say_what_is_wrong_and_keep_their_cells() {
        let row = |text: &str| extra_row(7, text.split(',').map(str::to_owned).collect());
        let later = row("2,system,gravity y,1");
        assert_eq!(
            later.cells.as_ref().expect_err("later").problems[0].to_string(),
            "version: \"2\" is not understood"
        );
        assert_eq!(later.cells.expect_err("later").cells.len(), 4);
        assert_eq!(row("1,colour,red").cells.expect_err("no kind").problems[0].column, "kind");
        assert_eq!(row("1,system,bounce,much").cells.expect_err("no number").problems[0].fault, Fault::NotANumber);
        assert!(row("").cells.is_err());
    }
}
