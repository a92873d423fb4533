//! How a preset's values are written, and why one cannot be had.

use crate::doc::feel_terms::Cannot;
use crate::doc::preset::{Property, Shown};
use crate::ui::{Cx, kit::words};

/// "3.0 Hz", "0.6 … 1.0", "1 → 0.22".
pub(super) fn shown(cx: &Cx<'_>, property: Property, shown: &Shown) -> String {
    let one = |value: f32| words::of_property(cx.theme.lang, property, value);
    match *shown {
        Shown::Nothing => "–".to_owned(),
        Shown::One(value) => one(value),
        Shown::Mixed(low, high) => format!("{} … {}", one(low), one(high)),
        Shown::Curve(first, last) => words::curve_ends(first, last),
    }
}

/// Why a property cannot be had.
pub(super) fn cannot(cx: &Cx<'_>, property: Property, why: Cannot) -> String {
    words::why_not(cx.theme.lang, cx.session().system().solver, property, why)
}
