//! Groups conversion losses by kind, each with its bones, chains or parameters.

use crate::ui::UiContext;
use crate::ui::kit::i18n::{self, Lang, param_label};
use crate::ui::kit::number::short_number;
use std::cmp::Ordering;
use yuremono_model::feel::convert::ConversionLoss;
use yuremono_sim::params::ParamDef;
use yuremono_sim::{FeelParam, UNLIMITED_ANGLE_DEG};

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum LossDetail {
    NameOnly,
    Change(FeelParam, f32, f32),
    Lost(FeelParam, f32),
    Rotation(f32),
    /// Degrees before and after the conversion.
    Swing(f32, f32),
    Number(f32, f32),
    BoneCount(usize),
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct LossLine {
    pub name: String,
    pub detail: LossDetail,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct SwitchLossGroup {
    /// Last part of the label key.
    pub key: &'static str,
    /// Whether a value is lost, not only changed.
    pub is_permanent: bool,
    pub count: usize,
    /// Lines of the group. Empty if the count is sufficient.
    pub lines: Vec<LossLine>,
}

impl SwitchLossGroup {
    /// Returns the largest change of the group, for example "at most 8.4 Hz → 7.2 Hz" or "was 0.2 … 3.0 m/s²".
    pub(super) fn largest_change_text(&self, cx: &UiContext<'_>) -> String {
        let far = |line: &&LossLine| match line.detail {
            LossDetail::Change(_, from, to) | LossDetail::Swing(from, to) | LossDetail::Number(from, to) => {
                Some((from - to).abs())
            }
            LossDetail::Lost(_, from) => Some(from.abs()),
            LossDetail::Rotation(by) => (self.key == "direction").then_some(by),
            LossDetail::NameOnly | LossDetail::BoneCount(_) => None,
        };
        let changed = || self.lines.iter().filter(|line| far(line).is_some());
        let Some(worst) = changed().max_by(|a, b| far(a).partial_cmp(&far(b)).unwrap_or(Ordering::Equal)) else {
            return String::new();
        };
        match (self.lines.len(), worst.detail) {
            (1, _) => worst.detail.text(cx),
            (_, LossDetail::Lost(term, greatest)) => {
                let least = changed()
                    .filter_map(|line| if let LossDetail::Lost(_, from) = line.detail { Some(from) } else { None });
                let [low, high] = [least.fold(greatest, f32::min), greatest].map(short_number);
                let span = if low == high { high } else { format!("{low} … {high}") };
                cx.tr_with("solver.loss.was", &[("value", &format!("{span}{}", unit_suffix(term)))])
            }
            _ => cx.tr_with("solver.loss.at_most", &[("value", &worst.detail.text(cx))]),
        }
    }
}

impl LossDetail {
    /// Returns a text such as "2.1 Hz → 2.6 Hz".
    pub(super) fn text(self, cx: &UiContext<'_>) -> String {
        match self {
            Self::NameOnly => String::new(),
            Self::Change(term, from, to) => {
                let digits = [from, to].map(|value| number_text(term, value));
                // If both values have the same text after rounding, the text shows the difference.
                if digits[0] == digits[1] { exact_change_text(term, from, to) } else { digits.join(" → ") }
            }
            Self::Lost(term, from) => cx.tr_with("solver.loss.was", &[("value", &number_text(term, from))]),
            Self::Rotation(by) => number_text(FeelParam::MaxAngle, by),
            Self::Swing(from, to) => format!("{from:.1}° → {to:.1}°"),
            Self::Number(from, to) => [from, to].map(short_number).join(" → "),
            Self::BoneCount(n) => cx.theme.count("solver.loss.bones", n),
        }
    }
}

const fn unit_suffix(term: FeelParam) -> &'static str {
    match term {
        FeelParam::Speed => " Hz",
        FeelParam::Settling => " ζ",
        FeelParam::Weight => " m/s²",
        FeelParam::IgnoreMotion => "",
        FeelParam::MaxAngle => "°",
    }
}

fn number_text(term: FeelParam, value: f32) -> String {
    format!("{}{}", short_number(value), unit_suffix(term))
}

fn exact_change_text(term: FeelParam, from: f32, to: f32) -> String {
    [from, to].map(|value| format!("{value:.3}{}", unit_suffix(term))).join(" → ")
}

/// Returns all losses, permanent losses first. `tables` contains the tables of the previous and of the new solver.
pub(super) fn losses_by_kind(losses: &[ConversionLoss], tables: [&[ParamDef]; 2], lang: Lang) -> Vec<SwitchLossGroup> {
    let mut groups: Vec<SwitchLossGroup> = Vec::new();
    for loss in losses {
        let (key, grave, count, line) = describe_loss(loss, tables, lang);
        let at = groups.iter().position(|g| g.key == key).unwrap_or_else(|| {
            groups.push(SwitchLossGroup { key, is_permanent: grave, count: 0, lines: Vec::new() });
            groups.len() - 1
        });
        groups[at].count += count;
        groups[at].lines.extend(line);
    }
    groups.sort_by_key(|group| !group.is_permanent);
    groups
}

/// Returns the keys for a changed response and for a lost response.
const fn response_keys(term: FeelParam) -> [&'static str; 2] {
    match term {
        FeelParam::Speed => ["speed", "no_speed"],
        FeelParam::Settling => ["settling", "no_settling"],
        FeelParam::Weight => ["weight", "no_weight"],
        FeelParam::IgnoreMotion => ["ignore_motion", "no_ignore_motion"],
        FeelParam::MaxAngle => ["max_angle", "no_max_angle"],
    }
}

/// Returns the last part of the label key, whether the loss is permanent, the count, and the line.
fn describe_loss(
    loss: &ConversionLoss,
    tables: [&[ParamDef]; 2],
    lang: Lang,
) -> (&'static str, bool, usize, Option<LossLine>) {
    let labelled = |table: &[ParamDef], label: &str| {
        let def = table.iter().find(|def| def.label == label);
        def.map_or_else(|| label.to_owned(), |def| param_label(lang, def).into_owned())
    };
    let [label, target_label] = tables.map(|table| move |label: &str| labelled(table, label));
    let line = |name: &str, detail| Some(LossLine { name: name.to_owned(), detail });
    match loss {
        ConversionLoss::ResponseChanged { bone, param: term, from, to } => {
            (response_keys(*term)[0], false, 1, line(bone, LossDetail::Change(*term, *from, *to)))
        }
        ConversionLoss::ResponseLost { bone, param: term, from } => {
            (response_keys(*term)[1], true, 1, line(bone, LossDetail::Lost(*term, *from)))
        }
        ConversionLoss::ResponseAdded { bone, param: term, to } => {
            let key = if *term == FeelParam::MaxAngle { "new_max_angle" } else { "new_ignore_motion" };
            let from = if *term == FeelParam::MaxAngle { UNLIMITED_ANGLE_DEG } else { 0.0 };
            (key, true, 1, line(bone, LossDetail::Change(*term, from, *to)))
        }
        ConversionLoss::WeightChanged { chain, from, to } => {
            ("pull", false, 1, line(chain, LossDetail::Change(FeelParam::Weight, *from, *to)))
        }
        ConversionLoss::Muted { chain, from, to } => ("muted", true, 1, line(chain, LossDetail::Swing(*from, *to))),
        ConversionLoss::ParamsAveraged { chain, bone, from, to, .. } => {
            ("averaged", false, 1, line(&format!("{chain} · {bone}"), LossDetail::Number(*from, *to)))
        }
        ConversionLoss::SystemApplies { label: name } => {
            ("system_applies", true, 1, line(&target_label(name), LossDetail::NameOnly))
        }
        ConversionLoss::AccelerationDirection { bone, degrees: by } => {
            ("direction", false, 1, line(bone, LossDetail::Rotation(*by)))
        }
        ConversionLoss::UnsupportedShape { collider } => ("shape", true, 1, line(collider, LossDetail::NameOnly)),
        ConversionLoss::LimitShapeLost { bone, cone_degrees: cone } => {
            ("limit_shape", false, 1, line(bone, LossDetail::Rotation(*cone)))
        }
        ConversionLoss::PerJointColliders { chain } => {
            ("colliders_of_joints", false, 1, line(chain, LossDetail::NameOnly))
        }
        ConversionLoss::Center { chain } => ("center", true, 1, line(chain, LossDetail::NameOnly)),
        ConversionLoss::Material { chain, .. } => ("material", true, 1, line(chain, LossDetail::NameOnly)),
        ConversionLoss::JointValue { label: name, bones } => {
            ("joint_value", true, 1, line(&label(name), LossDetail::BoneCount(*bones)))
        }
        ConversionLoss::SystemValue { label: name } => {
            ("system_value", true, 1, line(&label(name), LossDetail::NameOnly))
        }
        ConversionLoss::LengthTargets { bones } => ("length_targets", true, *bones, None),
        ConversionLoss::ComponentList { list: side, count } => {
            let name = i18n::tr(lang, &format!("component.list.{}", side.key()));
            ("list_entries", true, *count, line(&name, LossDetail::NameOnly))
        }
        ConversionLoss::Forces { count } => ("forces", true, *count, None),
        ConversionLoss::HighLegs { count } => ("high_legs", true, *count, None),
        ConversionLoss::ColliderGroup { group, .. } => ("groups", false, 1, line(group, LossDetail::NameOnly)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use yuremono_model::document::{Document, ListKind};
    use yuremono_sim::SolverKind;

    fn one_of_each() -> Vec<ConversionLoss> {
        let table = Document::default().main_system().param_defs();
        let bone = || "Hair_01".to_owned();
        let terms =
            [FeelParam::Speed, FeelParam::Settling, FeelParam::Weight, FeelParam::IgnoreMotion, FeelParam::MaxAngle];
        let felt = terms.map(|term| ConversionLoss::ResponseChanged { bone: bone(), param: term, from: 1.0, to: 2.0 });
        let missing = terms.map(|term| ConversionLoss::ResponseLost { bone: bone(), param: term, from: 1.0 });
        let rest = [
            ConversionLoss::ResponseAdded { bone: bone(), param: FeelParam::IgnoreMotion, to: 0.8 },
            ConversionLoss::ResponseAdded { bone: bone(), param: FeelParam::MaxAngle, to: 60.0 },
            ConversionLoss::WeightChanged { chain: "Hair".to_owned(), from: 1.0, to: 0.5 },
            ConversionLoss::Muted { chain: "Hair".to_owned(), from: 10.0, to: 2.0 },
            ConversionLoss::ParamsAveraged {
                chain: "Hair".to_owned(),
                bone: bone(),
                label: table[0].label,
                from: 1.0,
                to: 0.5,
            },
            ConversionLoss::SystemApplies { label: table[table.len() - 1].label },
            ConversionLoss::AccelerationDirection { bone: bone(), degrees: 12.0 },
            ConversionLoss::UnsupportedShape { collider: "Plate".to_owned() },
            ConversionLoss::LimitShapeLost { bone: bone(), cone_degrees: 30.0 },
            ConversionLoss::PerJointColliders { chain: "Hair".to_owned() },
            ConversionLoss::Center { chain: "Hair".to_owned() },
            ConversionLoss::Material { chain: "Hair".to_owned(), material: "Soft".to_owned() },
            ConversionLoss::JointValue { label: table[0].label, bones: 3 },
            ConversionLoss::SystemValue { label: table[table.len() - 1].label },
            ConversionLoss::LengthTargets { bones: 4 },
            ConversionLoss::ComponentList { list: ListKind::Grabbers, count: 2 },
            ConversionLoss::Forces { count: 1 },
            ConversionLoss::HighLegs { count: 2 },
            ConversionLoss::ColliderGroup { group: "Head".to_owned(), is_used: true },
        ];
        felt.into_iter().chain(missing).chain(rest).collect()
    }

    #[test]
    fn every_loss_has_a_sentence_in_both_languages() {
        let losses = one_of_each();
        let table = Document::default().main_system().param_defs();
        for lang in Lang::ALL {
            let groups = losses_by_kind(&losses, [table; 2], lang);
            assert_eq!(groups.len(), losses.len(), "each kind is a group");
            for group in &groups {
                for form in ["one", "many"] {
                    let key = format!("solver.loss.{}.{form}", group.key);
                    assert!(i18n::find_text(lang, &key).is_some(), "{lang:?}: {key}");
                }
                assert!(!group.lines.is_empty() || group.count > 0);
            }
            // The sentences use the labels of the feel section.
            for term in FeelParam::ALL {
                for key in response_keys(term) {
                    let words = i18n::find_text(lang, &format!("solver.loss.{key}.many")).expect("found above");
                    assert!(words.contains(&*param_label(lang, term.def())), "{lang:?}: {words}");
                }
            }
        }
    }

    #[test]
    fn losses_are_counted_per_kind_and_permanent_losses_come_first() {
        let losses = [
            ConversionLoss::ResponseChanged { bone: "a".to_owned(), param: FeelParam::Speed, from: 1.0, to: 2.0 },
            ConversionLoss::ResponseChanged { bone: "b".to_owned(), param: FeelParam::Speed, from: 1.0, to: 3.0 },
            ConversionLoss::Forces { count: 2 },
        ];
        let groups = losses_by_kind(&losses, [Document::default().main_system().param_defs(); 2], Lang::En);
        let brief: Vec<_> = groups.iter().map(|g| (g.key, g.count, g.lines.len())).collect();
        assert_eq!(brief, [("forces", 2, 0), ("speed", 2, 2)]);
    }

    #[test]
    fn losses_name_parameters_in_the_window_language() {
        let table = SolverKind::default().info().params;
        let losses = [ConversionLoss::JointValue { label: table[0].label, bones: 3 }];
        let name = |lang| losses_by_kind(&losses, [table; 2], lang)[0].lines[0].name.clone();
        assert_eq!(name(Lang::En), table[0].label);
        assert_ne!(name(Lang::Ja), table[0].label);
    }
}
