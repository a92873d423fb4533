//! What a conversion costs, in groups of one kind, each with the bones, colliders or numbers that it is about.

use crate::feel::convert::Loss;
use crate::schema::ParamDef;
use crate::sim::{OPEN_DEG, Term};
use crate::ui::Cx;
use crate::ui::kit::number::brief;
use crate::ui::kit::words::{self, Lang, param_label};
use std::cmp::Ordering;

/// How something was, and how it will be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Told {
    /// Nothing beside the name.
    Name,
    /// It was this, and it will be that.
    Change(Term, f32, f32),
    /// It was this, and nothing of it is left.
    Gone(Term, f32),
    /// Degrees.
    Turn(f32),
    /// Degrees before and after.
    Swing(f32, f32),
    /// A number before and after.
    Mean(f32, f32),
    /// On so many bones.
    Bones(usize),
}

/// What a loss is about.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Line {
    pub name: String,
    pub told: Told,
}

/// Losses of one kind.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Group {
    /// Last part of the key of its words.
    pub key: &'static str,
    /// Whether something is gone for good, and not only felt otherwise.
    pub grave: bool,
    /// How many things it is about.
    pub count: usize,
    /// Each of them; empty where the count says all.
    pub lines: Vec<Line>,
}

impl Line {
    /// The numbers with their units: "2.1 Hz → 2.6 Hz".
    pub(super) fn told(&self, cx: &Cx<'_>) -> String {
        self.told.words(cx)
    }
}

impl Group {
    /// By how much at most, where that can be said: "at most 8.4 Hz → 7.2 Hz", "was 0.2 … 3.0 m/s²".
    pub(super) fn most(&self, cx: &Cx<'_>) -> String {
        let far = |line: &&Line| match line.told {
            Told::Change(_, from, to) | Told::Swing(from, to) | Told::Mean(from, to) => Some((from - to).abs()),
            Told::Gone(_, from) => Some(from.abs()),
            Told::Turn(by) => (self.key == "direction").then_some(by),
            Told::Name | Told::Bones(_) => None,
        };
        let told = || self.lines.iter().filter(|line| far(line).is_some());
        let Some(worst) = told().max_by(|a, b| far(a).partial_cmp(&far(b)).unwrap_or(Ordering::Equal)) else {
            return String::new();
        };
        match (self.lines.len(), worst.told) {
            (1, _) => worst.told(cx),
            (_, Told::Gone(term, greatest)) => {
                let least =
                    told().filter_map(|line| if let Told::Gone(_, from) = line.told { Some(from) } else { None });
                let [low, high] = [least.fold(greatest, f32::min), greatest].map(brief);
                let span = if low == high { high } else { format!("{low} … {high}") };
                cx.tr_with("solver.loss.was", &[("value", &format!("{span}{}", unit(term)))])
            }
            _ => cx.tr_with("solver.loss.at_most", &[("value", &worst.told(cx))]),
        }
    }
}

impl Told {
    fn words(self, cx: &Cx<'_>) -> String {
        match self {
            Self::Name => String::new(),
            Self::Change(term, from, to) => {
                let digits = [from, to].map(|value| number(term, value));
                // Where both would read alike, the difference is told.
                if digits[0] == digits[1] { exactly(term, from, to) } else { digits.join(" → ") }
            }
            Self::Gone(term, from) => cx.tr_with("solver.loss.was", &[("value", &number(term, from))]),
            Self::Turn(by) => number(Term::Reach, by),
            Self::Swing(from, to) => format!("{from:.1}° → {to:.1}°"),
            Self::Mean(from, to) => [from, to].map(brief).join(" → "),
            Self::Bones(n) => cx.theme.count("solver.loss.bones", n),
        }
    }
}

const fn unit(term: Term) -> &'static str {
    match term {
        Term::Speed => " Hz",
        Term::Settle => " ζ",
        Term::Weight => " m/s²",
        Term::Follow => "",
        Term::Reach => "°",
    }
}

fn number(term: Term, value: f32) -> String {
    format!("{}{}", brief(value), unit(term))
}

fn exactly(term: Term, from: f32, to: f32) -> String {
    [from, to].map(|value| format!("{value:.3}{}", unit(term))).join(" → ")
}

/// All losses: what is gone first, then what only feels otherwise. `tables` are those of the solver that is left and of the
/// solver that the chains come under.
pub(super) fn groups(losses: &[Loss], tables: [&[ParamDef]; 2], lang: Lang) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for loss in losses {
        let (key, grave, count, line) = told(loss, tables, lang);
        let at = groups.iter().position(|g| g.key == key).unwrap_or_else(|| {
            groups.push(Group { key, grave, count: 0, lines: Vec::new() });
            groups.len() - 1
        });
        groups[at].count += count;
        groups[at].lines.extend(line);
    }
    groups.sort_by_key(|group| !group.grave);
    groups
}

/// Collider groups that become lists of joints; `None` where there are none.
pub(super) fn dissolved(names: Vec<String>) -> Option<Group> {
    let line = |name| Line { name, told: Told::Name };
    let group = Group { key: "groups", grave: false, count: names.len(), lines: names.into_iter().map(line).collect() };
    (group.count > 0).then_some(group)
}

/// Key of the words, whether it is grave, how many, and whom it is about.
fn told(loss: &Loss, tables: [&[ParamDef]; 2], lang: Lang) -> (&'static str, bool, usize, Option<Line>) {
    let labelled = |table: &[ParamDef], label: &str| {
        let def = table.iter().find(|def| def.label == label);
        def.map_or_else(|| label.to_owned(), |def| param_label(lang, def).into_owned())
    };
    let [label, target_label] = tables.map(|table| move |label: &str| labelled(table, label));
    let line = |name: &str, told| Some(Line { name: name.to_owned(), told });
    match loss {
        Loss::Felt { bone, term, from, to } => {
            let key = match term {
                Term::Speed => "speed",
                Term::Settle => "settle",
                Term::Weight => "weight",
                Term::Follow => "follow",
                Term::Reach => "reach",
            };
            (key, false, 1, line(bone, Told::Change(*term, *from, *to)))
        }
        Loss::Missing { bone, term, from } => {
            let key = match term {
                Term::Speed => "no_speed",
                Term::Settle => "no_settle",
                Term::Weight => "no_weight",
                Term::Follow => "no_follow",
                Term::Reach => "no_reach",
            };
            (key, true, 1, line(bone, Told::Gone(*term, *from)))
        }
        Loss::Appeared { bone, term, to } => {
            let key = if *term == Term::Reach { "new_reach" } else { "new_follow" };
            let from = if *term == Term::Reach { OPEN_DEG } else { 0.0 };
            (key, true, 1, line(bone, Told::Change(*term, from, *to)))
        }
        Loss::Pull { chain, from, to } => ("pull", false, 1, line(chain, Told::Change(Term::Weight, *from, *to))),
        Loss::Muted { chain, from, to } => ("muted", true, 1, line(chain, Told::Swing(*from, *to))),
        Loss::Averaged { chain, bone, from, to, .. } => {
            ("averaged", false, 1, line(&format!("{chain} · {bone}"), Told::Mean(*from, *to)))
        }
        Loss::SystemApplies { label: name } => ("system_applies", true, 1, line(&target_label(name), Told::Name)),
        Loss::Direction { bone, by } => ("direction", false, 1, line(bone, Told::Turn(*by))),
        Loss::Shape { collider } => ("shape", true, 1, line(collider, Told::Name)),
        Loss::LimitShape { bone, cone } => ("limit_shape", false, 1, line(bone, Told::Turn(*cone))),
        Loss::CollidersOfJoints { chain } => ("colliders_of_joints", false, 1, line(chain, Told::Name)),
        Loss::Center { chain } => ("center", true, 1, line(chain, Told::Name)),
        Loss::Material { chain, .. } => ("material", true, 1, line(chain, Told::Name)),
        Loss::JointValue { label: name, bones } => ("joint_value", true, 1, line(&label(name), Told::Bones(*bones))),
        Loss::SystemValue { label: name } => ("system_value", true, 1, line(&label(name), Told::Name)),
        Loss::LengthTargets { bones } => ("length_targets", true, *bones, None),
        Loss::Side { side, count } => {
            let name = words::tr(lang, &format!("component.side.{}", side.key()));
            ("side", true, *count, line(&name, Told::Name))
        }
        Loss::Forces { count } => ("forces", true, *count, None),
        Loss::HighLegs { count } => ("high_legs", true, *count, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Document, Side};
    use crate::sim::SolverKind;

    fn one_of_each() -> Vec<Loss> {
        let table = Document::default().main().table();
        let bone = || "Hair_01".to_owned();
        let terms = [Term::Speed, Term::Settle, Term::Weight, Term::Follow, Term::Reach];
        let felt = terms.map(|term| Loss::Felt { bone: bone(), term, from: 1.0, to: 2.0 });
        let missing = terms.map(|term| Loss::Missing { bone: bone(), term, from: 1.0 });
        let rest = [
            Loss::Appeared { bone: bone(), term: Term::Follow, to: 0.8 },
            Loss::Appeared { bone: bone(), term: Term::Reach, to: 60.0 },
            Loss::Pull { chain: "Hair".to_owned(), from: 1.0, to: 0.5 },
            Loss::Muted { chain: "Hair".to_owned(), from: 10.0, to: 2.0 },
            Loss::Averaged { chain: "Hair".to_owned(), bone: bone(), label: table[0].label, from: 1.0, to: 0.5 },
            Loss::SystemApplies { label: table[table.len() - 1].label },
            Loss::Direction { bone: bone(), by: 12.0 },
            Loss::Shape { collider: "Plate".to_owned() },
            Loss::LimitShape { bone: bone(), cone: 30.0 },
            Loss::CollidersOfJoints { chain: "Hair".to_owned() },
            Loss::Center { chain: "Hair".to_owned() },
            Loss::Material { chain: "Hair".to_owned(), material: "Soft".to_owned() },
            Loss::JointValue { label: table[0].label, bones: 3 },
            Loss::SystemValue { label: table[table.len() - 1].label },
            Loss::LengthTargets { bones: 4 },
            Loss::Side { side: Side::Grabbers, count: 2 },
            Loss::Forces { count: 1 },
            Loss::HighLegs { count: 2 },
        ];
        felt.into_iter().chain(missing).chain(rest).collect()
    }

    #[test]
    fn every_loss_has_its_sentence_in_both_languages_and_none_is_dropped() {
        let losses = one_of_each();
        let table = Document::default().main().table();
        for lang in Lang::ALL {
            let groups = groups(&losses, [table; 2], lang);
            assert_eq!(groups.len(), losses.len(), "each kind is a group");
            for group in &groups {
                for form in ["one", "many"] {
                    let key = format!("solver.loss.{}.{form}", group.key);
                    assert!(words::find(lang, &key).is_some(), "{lang:?}: {key}");
                }
                assert!(!group.lines.is_empty() || group.count > 0);
            }
            // They are the words of Feel.
            for (term, keys) in Term::ALL.into_iter().zip([
                ["speed", "no_speed"],
                ["settle", "no_settle"],
                ["weight", "no_weight"],
                ["reach", "no_reach"],
                ["follow", "no_follow"],
            ]) {
                for key in keys {
                    let words = words::find(lang, &format!("solver.loss.{key}.many")).expect("found above");
                    assert!(words.contains(&*param_label(lang, term.def())), "{lang:?}: {words}");
                }
            }
        }
    }

    #[test]
    fn bones_of_one_kind_are_counted_together_and_what_is_gone_stands_first() {
        let losses = [
            Loss::Felt { bone: "a".to_owned(), term: Term::Speed, from: 1.0, to: 2.0 },
            Loss::Felt { bone: "b".to_owned(), term: Term::Speed, from: 1.0, to: 3.0 },
            Loss::Forces { count: 2 },
        ];
        let groups = groups(&losses, [Document::default().main().table(); 2], Lang::En);
        let brief: Vec<_> = groups.iter().map(|g| (g.key, g.count, g.lines.len())).collect();
        assert_eq!(brief, [("forces", 2, 0), ("speed", 2, 2)]);
    }

    #[test]
    fn parameters_are_named_in_the_artists_language() {
        let table = SolverKind::default().info().params;
        let losses = [Loss::JointValue { label: table[0].label, bones: 3 }];
        let name = |lang| groups(&losses, [table; 2], lang)[0].lines[0].name.clone();
        assert_eq!(name(Lang::En), table[0].label);
        assert_ne!(name(Lang::Ja), table[0].label);
    }
}
