//! How a preset's values are written, and why one cannot be had.

use crate::doc::feel_terms::Cannot;
use crate::doc::preset::{Property, Shown};
use crate::schema::Unit;
use crate::sim::{OPEN_DEG, Term};
use crate::ui::{Cx, words};

/// "3.0 Hz", "0.6 … 1.0", "1 → 0.22".
pub(super) fn shown(cx: &Cx<'_>, property: Property, shown: &Shown) -> String {
    let one = |value: f32| written(cx, property, value);
    match *shown {
        Shown::Nothing => "–".to_owned(),
        Shown::One(value) => one(value),
        Shown::Mixed(low, high) => format!("{} … {}", one(low), one(high)),
        Shown::Curve(first, last) => format!("{} → {}", factor(first), factor(last)),
    }
}

fn written(cx: &Cx<'_>, property: Property, value: f32) -> String {
    match property {
        Property::Base(Term::Reach) if value >= OPEN_DEG => cx.tr("presets.window.open").into_owned(),
        Property::Base(term) => match term.def().unit {
            Unit::Hertz => format!("{value:.1} Hz"),
            Unit::Acceleration => format!("{value:.1} m/s²"),
            Unit::Degrees => format!("{value:.0}°"),
            _ => format!("{value:.2}"),
        },
        Property::Curve(_) => factor(value),
        Property::Radius => format!("{:.0} %", value * 100.0),
    }
}

/// Two digits, and none that say nothing.
fn factor(value: f32) -> String {
    let text = format!("{value:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Why a property cannot be had.
pub(super) fn cannot(cx: &Cx<'_>, property: Property, why: Cannot) -> String {
    let (Property::Base(term) | Property::Curve(term)) = property else {
        return cx.tr("presets.window.no_radius").into_owned();
    };
    match why {
        Cannot::Never(english) => {
            let words = words::cannot(cx.theme.lang, cx.session().system().solver, term);
            words.map_or_else(|| english.to_owned(), std::borrow::Cow::into_owned)
        }
        Cannot::Here => cx.tr("feel.here").into_owned(),
    }
}
