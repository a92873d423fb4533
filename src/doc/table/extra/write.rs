//! From what a comment row says to its cells.

use super::{ALONG, Extra, RUNS, SWINGS, VERSION, escape};
use crate::doc::form;
use crate::doc::table::cells::{bool_text, number_text};
use crate::sim::{SwingLimit, SwingShape};

/// The cells after [`EXTRA`](super::EXTRA).
pub fn extra_text(extra: &Extra) -> Vec<String> {
    let number = |n: &f32| number_text(*n, None);
    let (kind, mut rest) = match extra {
        Extra::System { row, value } => ("system", vec![row.clone(), number(value)]),
        Extra::Named { name } => ("named", vec![escape(name)]),
        Extra::SitsOn { node } => ("sits on", vec![escape(node)]),
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
            ("chain", vec![escape(root), escape(name), part.key().to_owned(), word_of(along, &ALONG)])
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
        Extra::Material { root, name } => ("material", vec![escape(root), escape(name)]),
        Extra::Center { root, node } => ("center", vec![escape(root), escape(node)]),
        Extra::Swing { bone, limit } => ("swing", std::iter::once(escape(bone)).chain(swing_text(limit)).collect()),
        Extra::Lists(cells) => {
            let solver = cells.lists.solver().unwrap_or_default().key().to_owned();
            ("lists", vec![solver, form::json(&cells.lists).to_string()])
        }
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

fn swing_text(limit: &SwingLimit) -> Vec<String> {
    let (name, angles) = match limit.shape {
        SwingShape::Cone { angle } => (SWINGS[0].0, vec![angle]),
        SwingShape::Hinge { angle } => (SWINGS[1].0, vec![angle]),
        SwingShape::Spherical { pitch, yaw } => (SWINGS[2].0, vec![pitch, yaw]),
    };
    let numbers = angles.into_iter().chain(limit.rotation.to_array()).map(|n| number_text(n, None));
    std::iter::once(name.to_owned()).chain(numbers).collect()
}

fn word_of<T: PartialEq>(value: &T, all: &[(&str, T)]) -> String {
    all.iter().find(|(_, v)| v == value).map_or(String::new(), |(name, _)| (*name).to_owned())
}
