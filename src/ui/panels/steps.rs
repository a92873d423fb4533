//! What a step of the undo list is called.

use crate::doc::Label;
use crate::sim::Term;
use crate::ui::theme::Theme;
use crate::ui::words::{self, Lang};
use std::borrow::Cow;

/// A step in words: "Stiffness on 8 joints".
pub fn words_of(theme: &Theme, label: &Label) -> String {
    step_words(theme.lang, label)
}

fn step_words(lang: Lang, label: &Label) -> String {
    find(lang, "step", label).or_else(|| words::find(lang, "step.other").map(Cow::into_owned)).unwrap_or_default()
}

/// What was done, in words: "24 length limits linked"; the step's own words where there are no better ones.
pub fn done_words(lang: Lang, label: &Label) -> String {
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
    use crate::ui::theme::Mode;

    /// Every key that the rooms below give to a label, read from their sources.
    fn keys_in_use() -> Vec<String> {
        let mut found = Vec::new();
        let mut folders = vec![concat!(env!("CARGO_MANIFEST_DIR"), "/src/session").into()];
        folders.push(std::path::PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/src/doc")));
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
