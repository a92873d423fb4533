//! Words and icons for colliders, forces and helpers, the same in outliner and inspector; and what an undo step is called.

use crate::document::{Document, EditLabel, HelperRole};
use crate::sim::{ColliderShape, FeelParam, ForceKind, ShapeClass};
use crate::tools::{elements::ElementId, elements::NewElement};
use crate::ui::UiContext;
use crate::ui::kit::i18n::{self, Lang};
use crate::ui::kit::icons::{self, Icon};
use crate::ui::kit::theme::Theme;
use std::borrow::Cow;

/// Key of what a part is.
pub(super) fn kind_key(document: &Document, part: ElementId) -> &'static str {
    match part {
        ElementId::Collider(id) => match document.colliders.get(&id).map(|c| c.shape) {
            Some(ColliderShape::Capsule { inside: false, .. }) => "parts.kind.capsule",
            Some(ColliderShape::Capsule { inside: true, .. }) => "parts.kind.inside_capsule",
            Some(ColliderShape::Sphere { inside: true, .. }) => "parts.kind.inside_sphere",
            Some(ColliderShape::Panel { .. }) => "parts.kind.panel",
            Some(ColliderShape::Plane) => "parts.kind.plane",
            Some(ColliderShape::TaperedCapsule { inside: false, .. }) => "parts.kind.tapered",
            Some(ColliderShape::TaperedCapsule { inside: true, .. }) => "parts.kind.inside_tapered",
            Some(ColliderShape::Box { inside: false, .. }) => "parts.kind.box",
            Some(ColliderShape::Box { inside: true, .. }) => "parts.kind.inside_box",
            Some(ColliderShape::Cylinder { inside: false, .. }) => "parts.kind.cylinder",
            Some(ColliderShape::Cylinder { inside: true, .. }) => "parts.kind.inside_cylinder",
            Some(ColliderShape::Sphere { inside: false, .. }) | None => "parts.kind.sphere",
        },
        ElementId::Force(id) => match document.forces.get(&id).map(|f| f.kind) {
            Some(ForceKind::Wind(_)) => "parts.kind.wind",
            Some(ForceKind::Volume { .. }) | None => "parts.kind.force_volume",
        },
        ElementId::Helper(id) => match document.helpers.get(&id).map(|h| h.role) {
            Some(HelperRole::Pivot) => "parts.kind.pivot",
            Some(HelperRole::Null) => "parts.kind.null",
            Some(HelperRole::Plain) | None => "parts.kind.plain",
        },
        ElementId::HighLeg(_) => "parts.kind.high_leg",
    }
}

/// A shape's icon.
pub(super) const fn shape_icon(shape: ColliderShape) -> Icon {
    match (shape, shape.class()) {
        // All below it is solid, without end; a panel is a thin rectangle.
        (ColliderShape::Plane, _) => icons::SQUARE_HALF_BOTTOM,
        (_, ShapeClass::Sphere) => icons::CIRCLE,
        (_, ShapeClass::Rod) => icons::PILL,
        (_, ShapeClass::Flat) => icons::RECTANGLE,
        (_, ShapeClass::Box) => icons::CUBE,
    }
}

/// Its icon.
pub(super) fn icon_of(document: &Document, part: ElementId) -> Icon {
    match part {
        ElementId::Collider(id) => document.colliders.get(&id).map_or(icons::CIRCLE, |c| shape_icon(c.shape)),
        ElementId::Force(id) => match document.forces.get(&id).map(|f| f.kind) {
            Some(ForceKind::Wind(_)) => icons::WIND,
            Some(ForceKind::Volume { .. }) | None => icons::ARROW_RIGHT,
        },
        ElementId::Helper(id) => match document.helpers.get(&id).map(|h| h.role) {
            Some(HelperRole::Pivot) => icons::ANGLE,
            Some(HelperRole::Null | HelperRole::Plain) | None => icons::CROSSHAIR,
        },
        ElementId::HighLeg(_) => icons::PERSON_SIMPLE_WALK,
    }
}

/// Key of something that can be made.
pub(super) const fn new_key(what: NewElement) -> &'static str {
    match what {
        NewElement::Sphere => "parts.kind.sphere",
        NewElement::Capsule => "parts.kind.capsule",
        NewElement::Panel => "parts.kind.panel",
        NewElement::InsideSphere => "parts.kind.inside_sphere",
        NewElement::InsideCapsule => "parts.kind.inside_capsule",
        NewElement::Plane => "parts.kind.plane",
        NewElement::ForceVolume => "parts.kind.force_volume",
        NewElement::Wind => "parts.kind.wind",
        NewElement::Pivot => "parts.kind.pivot",
        NewElement::Null => "parts.kind.null",
    }
}

/// Its icon.
pub(super) const fn new_icon(what: NewElement) -> Icon {
    match what {
        NewElement::Sphere | NewElement::InsideSphere => icons::CIRCLE,
        NewElement::Capsule | NewElement::InsideCapsule => icons::PILL,
        NewElement::Panel => icons::RECTANGLE,
        NewElement::Plane => icons::SQUARE_HALF_BOTTOM,
        NewElement::ForceVolume => icons::ARROW_RIGHT,
        NewElement::Wind => icons::WIND,
        NewElement::Pivot => icons::ANGLE,
        NewElement::Null => icons::CROSSHAIR,
    }
}

/// A group's own name, or its number.
pub(in crate::ui) fn group_name(cx: &UiContext<'_>, name: &str, number: usize) -> String {
    if name.trim().is_empty() { cx.tr_with("groups.unnamed", &[("n", &number.to_string())]) } else { name.to_owned() }
}

/// A step in words: "Stiffness on 8 joints".
pub(super) fn undo_text(theme: &Theme, label: &EditLabel) -> String {
    step_text(theme.lang, label)
}

fn step_text(lang: Lang, label: &EditLabel) -> String {
    find_label_text(lang, "step", label)
        .or_else(|| i18n::find_text(lang, "step.other").map(Cow::into_owned))
        .unwrap_or_default()
}

/// What was done, in words: "24 length limits linked"; the step's own words where there are no better ones.
pub(super) fn done_text(lang: Lang, label: &EditLabel) -> String {
    find_label_text(lang, "done", label).unwrap_or_else(|| step_text(lang, label))
}

fn find_label_text(lang: Lang, head: &str, label: &EditLabel) -> Option<String> {
    let keys = [format!("{head}.{}.{}", label.key, i18n::plural_form(label.count)), format!("{head}.{}", label.key)];
    let text = keys.iter().find_map(|key| i18n::find_text(lang, key))?.into_owned();
    let row = label.param.and_then(|(solver, row)| solver.info().params.get(row.index()));
    let row = label.feel_param.map(FeelParam::def).or(row).map(|def| i18n::param_label(lang, def)).unwrap_or_default();
    let count = label.count.to_string();
    Some(i18n::fill(&text, &[("row", &*row), ("n", &*count), ("name", &*label.name)]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::ParamId;
    use crate::ui::kit::theme::ThemeMode;

    /// Every key that the modules below give to a label, read from their sources.
    fn keys_in_use() -> Vec<String> {
        let mut found = Vec::new();
        let src = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        let mut folders = ["document", "feel", "tools", "exchange", "session"].map(|name| src.join(name)).to_vec();
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).expect("the sources are there") {
                let path = entry.expect("readable").path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    let text = std::fs::read_to_string(&path).expect("sources are text");
                    let live = text.split("#[cfg(test)]").next().unwrap_or_default();
                    found.extend(label_keys(live));
                }
            }
        }
        found
    }

    fn label_keys(source: &str) -> Vec<String> {
        let calls = ["Label::new(", "label("].iter().flat_map(|call| source.split(call).skip(1));
        let mut found = Vec::new();
        for rest in calls {
            let first = rest.split(',').next().unwrap_or_default();
            let literals = first.split('"').skip(1).step_by(2);
            found.extend(literals.filter(|l| !l.is_empty()).map(str::to_owned));
        }
        found
    }

    #[test]
    fn every_undo_label_has_a_text_in_both_languages() {
        let keys = keys_in_use();
        assert!(keys.len() > 10, "{keys:?}");
        for lang in Lang::ALL {
            for key in &keys {
                let there =
                    ["", ".one", ".many"].iter().any(|f| i18n::find_text(lang, &format!("step.{key}{f}")).is_some());
                assert!(there, "{lang:?}: no words for step.{key}");
            }
        }
    }

    #[test]
    fn an_undo_text_has_the_parameter_and_joint_count() {
        let theme = Theme::new(ThemeMode::Dark, Lang::En);
        let label = |n| EditLabel::new("set", n).param(crate::sim::SolverKind::default(), ParamId(0));
        assert_eq!(undo_text(&theme, &label(8)), "Stiffness on 8 joints");
        assert_eq!(undo_text(&theme, &label(1)), "Stiffness on 1 joint");
        let named = EditLabel::new("rename", 1).name("Front hair");
        assert_eq!(undo_text(&theme, &named), "Rename to Front hair");
    }

    #[test]
    fn an_unknown_undo_label_reads_change() {
        let theme = Theme::new(ThemeMode::Dark, Lang::Ja);
        assert_eq!(undo_text(&theme, &EditLabel::new("no_such", 1)), "変更");
    }
}
