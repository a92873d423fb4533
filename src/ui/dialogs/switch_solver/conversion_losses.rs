//! Groups conversion losses by kind, each with its bones, chains or parameters.

use crate::tr;
use crate::ui::UiContext;
use crate::ui::kit::i18n::{self, Lang, param_label};
use crate::ui::kit::number::short_number;
use std::cmp::Ordering;
use yuremono_model::feel::convert::ConversionLoss;
use yuremono_sim::diagnostics::{MessageText, message};
use yuremono_sim::params::ParamDef;
use yuremono_sim::{FeelParam, UNLIMITED_ANGLE_DEG};

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum LossDetail {
    NameOnly,
    Change(FeelParam, f32, f32),
    Lost(FeelParam, f32),
    /// Degrees between the old and the new direction.
    Rotation(f32),
    /// Angle of the cone that replaces a limit, in degrees.
    Cone(f32),
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
    /// Identifies the kind of loss: the template of the label of one loss.
    pub key: &'static str,
    pub label: MessageText,
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
            LossDetail::Rotation(by) => Some(by),
            LossDetail::NameOnly | LossDetail::Cone(_) | LossDetail::BoneCount(_) => None,
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
                tr!(cx, "was {value}", value = format!("{span}{}", unit_suffix(term))).into_owned()
            }
            _ => tr!(cx, "at most {value}", value = worst.detail.text(cx)).into_owned(),
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
            Self::Lost(term, from) => tr!(cx, "was {value}", value = number_text(term, from)).into_owned(),
            Self::Rotation(by) | Self::Cone(by) => number_text(FeelParam::MaxAngle, by),
            Self::Swing(from, to) => format!("{from:.1}° → {to:.1}°"),
            Self::Number(from, to) => [from, to].map(short_number).join(" → "),
            Self::BoneCount(n) => tr!(cx, "on {n:bone|bones}", n).into_owned(),
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
        let (label, is_permanent, count, line) = describe_loss(loss, tables, lang);
        let key = label(1).template();
        let at = groups.iter().position(|g| g.key == key).unwrap_or_else(|| {
            groups.push(SwitchLossGroup { key, label: label(0), is_permanent, count: 0, lines: Vec::new() });
            groups.len() - 1
        });
        let group = &mut groups[at];
        group.count += count;
        group.label = label(group.count);
        group.lines.extend(line);
    }
    groups.sort_by_key(|group| !group.is_permanent);
    groups
}

/// Returns the label of a number of losses of one kind.
type LossLabel = fn(usize) -> MessageText;

/// Returns the label of a changed response.
const fn change_label(term: FeelParam) -> LossLabel {
    match term {
        FeelParam::Speed => |n| message!("Speed changes on {n:bone|bones}", n),
        FeelParam::Settling => |n| message!("Settling changes on {n:bone|bones}", n),
        FeelParam::Weight => |n| message!("Weight changes on {n:bone|bones}", n),
        FeelParam::IgnoreMotion => |n| message!("Ignore motion changes on {n:bone|bones}", n),
        FeelParam::MaxAngle => |n| message!("Max angle changes on {n:bone|bones}", n),
    }
}

/// Returns the label of a lost response.
const fn loss_label(term: FeelParam) -> LossLabel {
    match term {
        FeelParam::Speed => |n| message!("Speed is lost on {n:bone|bones}", n),
        FeelParam::Settling => |n| message!("Settling is lost on {n:bone|bones}", n),
        FeelParam::Weight => |n| message!("Weight (constant pull downwards) is lost on {n:bone|bones}", n),
        FeelParam::IgnoreMotion => |n| message!("Ignore motion is lost on {n:bone|bones}", n),
        FeelParam::MaxAngle => |n| message!("Max angle becomes unlimited on {n:bone|bones}", n),
    }
}

/// Returns the label of an added response.
const fn addition_label(term: FeelParam) -> LossLabel {
    match term {
        FeelParam::MaxAngle => |n| match n {
            1 => message!("An angle limit is added to 1 bone"),
            n => message!("Angle limits are added to {n:bone|bones}", n),
        },
        _ => |n| message!("Ignore motion is added to {n:bone|bones}", n),
    }
}

fn limit_shape_label(n: usize) -> MessageText {
    match n {
        1 => message!("The limit of 1 bone becomes a cone; its shape is lost"),
        n => message!("The limits of {n:bone|bones} become cones; their shapes are lost", n),
    }
}

/// Returns the label, whether the loss is permanent, the count, and the line.
#[expect(clippy::too_many_lines, reason = "one arm for each kind of loss")]
fn describe_loss(
    loss: &ConversionLoss,
    tables: [&[ParamDef]; 2],
    lang: Lang,
) -> (LossLabel, bool, usize, Option<LossLine>) {
    let labelled = |table: &[ParamDef], label: &str| {
        let def = table.iter().find(|def| def.label == label);
        def.map_or_else(|| label.to_owned(), |def| param_label(lang, def).into_owned())
    };
    let [label, target_label] = tables.map(|table| move |label: &str| labelled(table, label));
    let line = |name: &str, detail| Some(LossLine { name: name.to_owned(), detail });
    match loss {
        ConversionLoss::ResponseChanged { bone, param: term, from, to } => {
            (change_label(*term), false, 1, line(bone, LossDetail::Change(*term, *from, *to)))
        }
        ConversionLoss::ResponseLost { bone, param: term, from } => {
            (loss_label(*term), true, 1, line(bone, LossDetail::Lost(*term, *from)))
        }
        ConversionLoss::ResponseAdded { bone, param: term, to } => {
            let from = if *term == FeelParam::MaxAngle { UNLIMITED_ANGLE_DEG } else { 0.0 };
            (addition_label(*term), true, 1, line(bone, LossDetail::Change(*term, from, *to)))
        }
        ConversionLoss::WeightChanged { chain, from, to } => {
            let line = line(chain, LossDetail::Change(FeelParam::Weight, *from, *to));
            (|n| message!("Gravity changes on {n:chain|chains}", n), false, 1, line)
        }
        ConversionLoss::Muted { chain, from, to } => (
            |n| message!("{n:chain swings|chains swing} less than half as far in a turn", n),
            true,
            1,
            line(chain, LossDetail::Swing(*from, *to)),
        ),
        ConversionLoss::ParamsAveraged { chain, bone, from, to, .. } => (
            |n| message!("{n:chain gets the mean of its|chains get the mean of their} joint values", n),
            false,
            1,
            line(&format!("{chain} · {bone}"), LossDetail::Number(*from, *to)),
        ),
        ConversionLoss::SystemApplies { label: name } => (
            |n| {
                message!(
                    "{n:parameter of the whole character now applies|parameters of the whole character now apply}",
                    n
                )
            },
            true,
            1,
            line(&target_label(name), LossDetail::NameOnly),
        ),
        ConversionLoss::AccelerationDirection { bone, degrees: by } => {
            let line = line(bone, LossDetail::Rotation(*by));
            (|n| message!("Weight changes direction on {n:bone|bones}", n), false, 1, line)
        }
        ConversionLoss::UnsupportedShape { collider } => (
            |n| {
                message!(
                    "{n:collider has no effect: the solver does not support its shape|colliders have no effect: the \
                     solver does not support their shapes}",
                    n
                )
            },
            true,
            1,
            line(collider, LossDetail::NameOnly),
        ),
        ConversionLoss::LimitShapeLost { bone, cone_degrees: cone } => {
            (limit_shape_label, false, 1, line(bone, LossDetail::Cone(*cone)))
        }
        ConversionLoss::PerJointColliders { chain } => (
            |n| message!("On {n:chain|chains} every joint gets the colliders of all joints", n),
            false,
            1,
            line(chain, LossDetail::NameOnly),
        ),
        ConversionLoss::Center { chain } => (
            |n| {
                message!(
                    "{n:chain measures velocity in the world, not from its|chains measure velocity in the world, not \
                     from their} center",
                    n
                )
            },
            true,
            1,
            line(chain, LossDetail::NameOnly),
        ),
        ConversionLoss::Material { chain, .. } => (
            |n| {
                message!(
                    "{n:chain no longer shares a material and keeps its|chains no longer share a material and keep \
                     their} own values",
                    n
                )
            },
            true,
            1,
            line(chain, LossDetail::NameOnly),
        ),
        ConversionLoss::JointValue { label: name, bones } => (
            |n| message!("{n:bone parameter is|bone parameters are} lost", n),
            true,
            1,
            line(&label(name), LossDetail::BoneCount(*bones)),
        ),
        ConversionLoss::SystemValue { label: name } => (
            |n| message!("{n:parameter of the whole character is|parameters of the whole character are} lost", n),
            true,
            1,
            line(&label(name), LossDetail::NameOnly),
        ),
        ConversionLoss::LengthTargets { bones } => {
            (|n| message!("{n:bone loses its|bones lose their} length limits", n), true, *bones, None)
        }
        ConversionLoss::ComponentList { list: side, count } => {
            let line = line(&lang.tr(i18n::component_list_name(*side)), LossDetail::NameOnly);
            (
                |n| message!("{n:list entry of the component is|list entries of the component are} lost", n),
                true,
                *count,
                line,
            )
        }
        ConversionLoss::Forces { count } => {
            (|n| message!("{n:wind or force has|winds and forces have} no effect", n), true, *count, None)
        }
        ConversionLoss::HighLegs { count } => (
            |n| {
                message!(
                    "{n:leg follower (HighLeg) no longer follows|leg followers (HighLeg) no longer follow} the thighs",
                    n
                )
            },
            true,
            *count,
            None,
        ),
        ConversionLoss::ColliderGroup { group, .. } => (
            |n| message!("{n:collider group becomes a list|collider groups become lists} per joint", n),
            false,
            1,
            line(group, LossDetail::NameOnly),
        ),
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
                assert!(!group.lines.is_empty() || group.count > 0);
            }
            for loss in &losses {
                let (label, ..) = describe_loss(loss, [table; 2], lang);
                for text in [1, 2].map(label) {
                    assert_eq!(lang.tr(&text) == *text, lang == Lang::En, "{lang:?}: {text}");
                }
            }
            // The sentences use the labels of the feel section.
            for term in FeelParam::ALL {
                for label in [change_label(term), loss_label(term)] {
                    let text = lang.tr(label(2));
                    assert!(text.contains(&*param_label(lang, term.def())), "{lang:?}: {text}");
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
        let brief: Vec<_> = groups.iter().map(|g| (&*g.label, g.count, g.lines.len())).collect();
        assert_eq!(brief, [("2 winds and forces have no effect", 2, 0), ("Speed changes on 2 bones", 2, 2)]);
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
