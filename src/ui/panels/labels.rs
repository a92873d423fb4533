//! Names and icons of colliders, forces and helpers, and texts of undo steps.

use crate::ui::UiContext;
use crate::ui::kit::i18n::{self, Lang};
use crate::ui::kit::icons::{self, Icon};
use crate::ui::kit::theme::Theme;
use std::borrow::Cow;
use yuremono_model::document::{Document, EditLabel, HelperRole};
use yuremono_model::tools::{elements::ElementId, elements::NewElement};
use yuremono_sim::{ColliderShape, FeelParam, ForceKind};

/// Locale key and icon of a kind of object.
type KindLabel = (&'static str, Icon);

const FORCE_VOLUME: KindLabel = ("parts.kind.force_volume", icons::ARROW_RIGHT);
const WIND: KindLabel = ("parts.kind.wind", icons::WIND);
const PIVOT: KindLabel = ("parts.kind.pivot", icons::ANGLE);
const NULL: KindLabel = ("parts.kind.null", icons::CROSSHAIR);

const fn shape_label(shape: ColliderShape) -> KindLabel {
    use ColliderShape as Shape;
    match shape {
        Shape::Sphere { inside: false, .. } => ("parts.kind.sphere", icons::CIRCLE),
        Shape::Sphere { inside: true, .. } => ("parts.kind.inside_sphere", icons::CIRCLE),
        Shape::Capsule { inside: false, .. } => ("parts.kind.capsule", icons::PILL),
        Shape::Capsule { inside: true, .. } => ("parts.kind.inside_capsule", icons::PILL),
        Shape::TaperedCapsule { inside: false, .. } => ("parts.kind.tapered", icons::PILL),
        Shape::TaperedCapsule { inside: true, .. } => ("parts.kind.inside_tapered", icons::PILL),
        Shape::Cylinder { inside: false, .. } => ("parts.kind.cylinder", icons::PILL),
        Shape::Cylinder { inside: true, .. } => ("parts.kind.inside_cylinder", icons::PILL),
        Shape::Box { inside: false, .. } => ("parts.kind.box", icons::CUBE),
        Shape::Box { inside: true, .. } => ("parts.kind.inside_box", icons::CUBE),
        Shape::Panel { .. } => ("parts.kind.panel", icons::RECTANGLE),
        // A plane is infinite and solid below its surface. A panel is a thin rectangle.
        Shape::Plane => ("parts.kind.plane", icons::SQUARE_HALF_BOTTOM),
    }
}

pub(super) const fn shape_icon(shape: ColliderShape) -> Icon {
    shape_label(shape).1
}

pub(super) fn kind_label(document: &Document, part: ElementId) -> KindLabel {
    match part {
        ElementId::Collider(id) => {
            document.colliders.get(&id).map_or(("parts.kind.sphere", icons::CIRCLE), |c| shape_label(c.shape))
        }
        ElementId::Force(id) => match document.forces.get(&id).map(|f| f.kind) {
            Some(ForceKind::Wind(_)) => WIND,
            Some(ForceKind::Volume { .. }) | None => FORCE_VOLUME,
        },
        ElementId::Helper(id) => match document.helpers.get(&id).map(|h| h.role) {
            Some(HelperRole::Pivot) => PIVOT,
            Some(HelperRole::Null) => NULL,
            Some(HelperRole::Plain) | None => ("parts.kind.plain", icons::CROSSHAIR),
        },
        ElementId::HighLeg(_) => ("parts.kind.high_leg", icons::PERSON_SIMPLE_WALK),
    }
}

pub(super) fn new_label(what: NewElement) -> KindLabel {
    match (what, what.shape()) {
        (_, Some(shape)) => shape_label(shape),
        (NewElement::ForceVolume, None) => FORCE_VOLUME,
        (NewElement::Wind, None) => WIND,
        (NewElement::Pivot, None) => PIVOT,
        (_, None) => NULL,
    }
}

/// Returns the name of a group. Without a name, returns a text with the number of the group.
pub(in crate::ui) fn group_name(cx: &UiContext<'_>, name: &str, number: usize) -> String {
    if name.trim().is_empty() { cx.tr_with("groups.unnamed", &[("n", &number.to_string())]) } else { name.to_owned() }
}

/// Returns a text such as "Stiffness on 8 joints".
pub(super) fn undo_text(theme: &Theme, label: &EditLabel) -> String {
    step_text(theme.lang, label)
}

fn step_text(lang: Lang, label: &EditLabel) -> String {
    find_label_text(lang, "step", label)
        .or_else(|| i18n::find_text(lang, "step.other").map(Cow::into_owned))
        .unwrap_or_default()
}

/// Returns a text such as "24 length limits added", for an undo step that has no other text.
pub(super) fn done_text(lang: Lang, label: &EditLabel) -> String {
    find_label_text(lang, "done", label).unwrap_or_else(|| step_text(lang, label))
}

fn find_label_text(lang: Lang, head: &str, label: &EditLabel) -> Option<String> {
    let keys = [format!("{head}.{}.{}", label.key, i18n::plural_form(label.count)), format!("{head}.{}", label.key)];
    let text = keys.iter().find_map(|key| i18n::find_text(lang, key))?.into_owned();
    let param = label.param.and_then(|(solver, param)| solver.info().params.get(param.index()));
    let param =
        label.feel_param.map(FeelParam::def).or(param).map(|def| i18n::param_label(lang, def)).unwrap_or_default();
    let count = label.count.to_string();
    Some(i18n::fill(&text, &[("row", &*param), ("n", &*count), ("name", &*label.name)]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::kit::theme::ThemeMode;
    use yuremono_sim::params::ParamId;

    /// Returns all label keys in the source folders below.
    fn keys_in_use() -> Vec<String> {
        let mut found = Vec::new();
        let crates = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("crates");
        let mut folders = ["yuremono-model", "yuremono-session"].map(|name| crates.join(name).join("src")).to_vec();
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).expect("the source folder exists") {
                let path = entry.expect("the folder entry is readable").path();
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
        let label = |n| EditLabel::new("set", n).param(yuremono_sim::SolverKind::default(), ParamId(0));
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
