//! Words and icons for colliders, forces and helpers, the same in outliner and inspector; and what an undo step is called.

use crate::document::{Document, HelperRole, Label};
use crate::sim::{ForceKind, Form, Shape, Term};
use crate::tools::{parts::New, parts::PartId};
use crate::ui::Cx;
use crate::ui::kit::icons::{self, Icon};
use crate::ui::kit::theme::Theme;
use crate::ui::kit::words::{self, Lang};
use std::borrow::Cow;

/// Key of what a part is.
pub(super) fn kind_key(document: &Document, part: PartId) -> &'static str {
    match part {
        PartId::Collider(id) => match document.colliders.get(&id).map(|c| c.shape) {
            Some(Shape::Capsule { inside: false, .. }) => "parts.kind.capsule",
            Some(Shape::Capsule { inside: true, .. }) => "parts.kind.inside_capsule",
            Some(Shape::Sphere { inside: true, .. }) => "parts.kind.inside_sphere",
            Some(Shape::Panel { .. }) => "parts.kind.panel",
            Some(Shape::Plane) => "parts.kind.plane",
            Some(Shape::Tapered { inside: false, .. }) => "parts.kind.tapered",
            Some(Shape::Tapered { inside: true, .. }) => "parts.kind.inside_tapered",
            Some(Shape::Box { inside: false, .. }) => "parts.kind.box",
            Some(Shape::Box { inside: true, .. }) => "parts.kind.inside_box",
            Some(Shape::Cylinder { inside: false, .. }) => "parts.kind.cylinder",
            Some(Shape::Cylinder { inside: true, .. }) => "parts.kind.inside_cylinder",
            Some(Shape::Sphere { inside: false, .. }) | None => "parts.kind.sphere",
        },
        PartId::Force(id) => match document.forces.get(&id).map(|f| f.kind) {
            Some(ForceKind::Wind(_)) => "parts.kind.wind",
            Some(ForceKind::Volume { .. }) | None => "parts.kind.force_volume",
        },
        PartId::Helper(id) => match document.helpers.get(&id).map(|h| h.role) {
            Some(HelperRole::Pivot) => "parts.kind.pivot",
            Some(HelperRole::Null) => "parts.kind.null",
            Some(HelperRole::Plain) | None => "parts.kind.plain",
        },
        PartId::HighLeg(_) => "parts.kind.high_leg",
    }
}

/// A shape's icon.
pub(super) const fn shape_icon(shape: Shape) -> Icon {
    match (shape, shape.form()) {
        // All below it is solid, without end; a panel is a thin rectangle.
        (Shape::Plane, _) => icons::SQUARE_HALF_BOTTOM,
        (_, Form::Ball) => icons::CIRCLE,
        (_, Form::Rod) => icons::PILL,
        (_, Form::Flat) => icons::RECTANGLE,
        (_, Form::Block) => icons::CUBE,
    }
}

/// Its icon.
pub(super) fn icon_of(document: &Document, part: PartId) -> Icon {
    match part {
        PartId::Collider(id) => document.colliders.get(&id).map_or(icons::CIRCLE, |c| shape_icon(c.shape)),
        PartId::Force(id) => match document.forces.get(&id).map(|f| f.kind) {
            Some(ForceKind::Wind(_)) => icons::WIND,
            Some(ForceKind::Volume { .. }) | None => icons::ARROW_RIGHT,
        },
        PartId::Helper(id) => match document.helpers.get(&id).map(|h| h.role) {
            Some(HelperRole::Pivot) => icons::ANGLE,
            Some(HelperRole::Null | HelperRole::Plain) | None => icons::CROSSHAIR,
        },
        PartId::HighLeg(_) => icons::PERSON_SIMPLE_WALK,
    }
}

/// Key of something that can be made.
pub(super) const fn new_key(what: New) -> &'static str {
    match what {
        New::Sphere => "parts.kind.sphere",
        New::Capsule => "parts.kind.capsule",
        New::Panel => "parts.kind.panel",
        New::InsideSphere => "parts.kind.inside_sphere",
        New::InsideCapsule => "parts.kind.inside_capsule",
        New::Plane => "parts.kind.plane",
        New::ForceVolume => "parts.kind.force_volume",
        New::Wind => "parts.kind.wind",
        New::Pivot => "parts.kind.pivot",
        New::Null => "parts.kind.null",
    }
}

/// Its icon.
pub(super) const fn new_icon(what: New) -> Icon {
    match what {
        New::Sphere | New::InsideSphere => icons::CIRCLE,
        New::Capsule | New::InsideCapsule => icons::PILL,
        New::Panel => icons::RECTANGLE,
        New::Plane => icons::SQUARE_HALF_BOTTOM,
        New::ForceVolume => icons::ARROW_RIGHT,
        New::Wind => icons::WIND,
        New::Pivot => icons::ANGLE,
        New::Null => icons::CROSSHAIR,
    }
}

/// A group's own name, or its number.
pub(in crate::ui) fn group_name(cx: &Cx<'_>, name: &str, number: usize) -> String {
    if name.trim().is_empty() { cx.tr_with("groups.unnamed", &[("n", &number.to_string())]) } else { name.to_owned() }
}

/// A step in words: "Stiffness on 8 joints".
pub(super) fn words_of(theme: &Theme, label: &Label) -> String {
    step_words(theme.lang, label)
}

fn step_words(lang: Lang, label: &Label) -> String {
    find(lang, "step", label).or_else(|| words::find(lang, "step.other").map(Cow::into_owned)).unwrap_or_default()
}

/// What was done, in words: "24 length limits linked"; the step's own words where there are no better ones.
pub(super) fn done_words(lang: Lang, label: &Label) -> String {
    find(lang, "done", label).unwrap_or_else(|| step_words(lang, label))
}

fn find(lang: Lang, head: &str, label: &Label) -> Option<String> {
    let keys = [format!("{head}.{}.{}", label.what, words::plural_form(label.count)), format!("{head}.{}", label.what)];
    let text = keys.iter().find_map(|key| words::find(lang, key))?.into_owned();
    let row = label.row.and_then(|(solver, row)| solver.info().params.get(row.index()));
    let row = label.term.map(Term::def).or(row).map(|def| words::param_label(lang, def)).unwrap_or_default();
    let count = label.count.to_string();
    Some(words::fill(&text, &[("row", &*row), ("n", &*count), ("name", &*label.name)]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::Row;
    use crate::ui::kit::theme::Mode;

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
                    found.extend(keys_of(live));
                }
            }
        }
        found
    }

    fn keys_of(source: &str) -> Vec<String> {
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
    fn every_step_has_words_in_both_languages() {
        let keys = keys_in_use();
        assert!(keys.len() > 10, "{keys:?}");
        for lang in Lang::ALL {
            for key in &keys {
                let there =
                    ["", ".one", ".many"].iter().any(|f| words::find(lang, &format!("step.{key}{f}")).is_some());
                assert!(there, "{lang:?}: no words for step.{key}");
            }
        }
    }

    #[test]
    fn a_step_names_its_parameter_and_its_joints() {
        let theme = Theme::new(Mode::Dark, Lang::En);
        let label = |n| Label::new("set", n).row(crate::sim::SolverKind::default(), Row(0));
        assert_eq!(words_of(&theme, &label(8)), "Stiffness on 8 joints");
        assert_eq!(words_of(&theme, &label(1)), "Stiffness on 1 joint");
        let named = Label::new("rename", 1).name("Front hair");
        assert_eq!(words_of(&theme, &named), "Rename to Front hair");
    }

    #[test]
    fn an_unknown_step_is_a_change() {
        let theme = Theme::new(Mode::Dark, Lang::Ja);
        assert_eq!(words_of(&theme, &Label::new("no_such", 1)), "変更");
    }
}
