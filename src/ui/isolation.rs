//! Texts and switches for soloed, muted and pinned chains that panels and the viewport share.

use crate::tr;
use crate::ui::UiContext;
use crate::ui::kit::icons;
use crate::ui::kit::tree_row::{RowSwitch, RowSwitchMark};
use yuremono_model::document::ChainId;
use yuremono_session::{Command, TuningScope};
use yuremono_sim::diagnostics::MessageText;
use yuremono_sim::diagnostics::message;
use yuremono_sim::rig::BoneId;

/// Solos the chains, or ends their solo if all of them are soloed.
pub(super) fn toggle_solo(cx: &mut UiContext<'_>, chains: Vec<ChainId>) {
    let on = !chains.iter().all(|id| cx.session().isolation().soloed().contains(id));
    cx.command(Command::SoloChains(chains, on));
}

/// Mutes the chains, or unmutes them if all of them are muted.
pub(super) fn toggle_mute(cx: &mut UiContext<'_>, chains: Vec<ChainId>) {
    let on = !chains.iter().all(|id| cx.session().isolation().muted().contains(id));
    cx.command(Command::MuteChains(chains, on));
}

/// Pins the joints, or unpins them if all of them are pinned.
pub(super) fn toggle_pin(cx: &mut UiContext<'_>, bones: Vec<BoneId>) {
    let on = !bones.iter().all(|bone| cx.session().isolation().pinned().contains(bone));
    cx.command(Command::PinJoints(bones, on));
}

/// Returns the joints that a menu on a bone pins: all selected joints if single joints are tuned, otherwise the bone.
pub(super) fn joints_to_pin(cx: &UiContext<'_>, bone: BoneId) -> Vec<BoneId> {
    let (selection, document) = (cx.selection(), cx.document());
    let all = selection.scope == TuningScope::Joints && selection.bones.contains(&bone);
    let bones = if all { selection.bones.iter().copied().collect() } else { vec![bone] };
    bones.into_iter().filter(|bone| document.find_joint(*bone).is_some()).collect()
}

/// Returns what is soloed, muted and pinned, for example "2 chains soloed", and a shorter text for several kinds. `None`
/// if all chains are simulated.
pub(super) fn summary_texts(cx: &UiContext<'_>) -> Option<[String; 2]> {
    let isolation = cx.session().isolation();
    let counts = [isolation.soloed().len(), isolation.muted().len(), isolation.pinned().len()];
    let full = [
        |n| message!("{n:chain|chains} soloed", n),
        |n| message!("{n:chain|chains} muted", n),
        |n| message!("{n:joint|joints} pinned", n),
    ];
    let short = [|n| message!("{n} soloed", n), |n| message!("{n} muted", n), |n| message!("{n} pinned", n)];
    let joined = |texts: [fn(usize) -> MessageText; 3]| {
        let used = counts.into_iter().zip(texts).filter(|(n, _)| *n > 0);
        used.map(|(n, text)| cx.tr(text(n))).collect::<Vec<_>>().join(" · ")
    };
    counts.iter().any(|n| *n > 0).then(|| [joined(full), joined(short)])
}

/// Names of the switches of a row.
pub(super) struct RowSwitchNames {
    solo: String,
    mute: String,
    pin: String,
}

impl RowSwitchNames {
    /// Returns the names for a chain or joint with this name.
    pub(super) fn new(cx: &UiContext<'_>, name: &str) -> Self {
        Self {
            solo: tr!(cx, "Solo {name}", name).into_owned(),
            mute: tr!(cx, "Mute {name}", name).into_owned(),
            pin: tr!(cx, "Pin {name}", name).into_owned(),
        }
    }
}

/// A switch of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RowSwitchKind {
    Solo(ChainId),
    Mute(ChainId),
    Pin(BoneId),
}

impl RowSwitchKind {
    pub(super) fn row_switch<'a>(self, cx: &UiContext<'_>, names: &'a RowSwitchNames) -> RowSwitch<'a> {
        let isolation = cx.session().isolation();
        match self {
            Self::Solo(id) => RowSwitch {
                mark: RowSwitchMark::Letter("S"),
                on: isolation.soloed().contains(&id),
                name: &names.solo,
                accent: true,
            },
            Self::Mute(id) => RowSwitch {
                mark: RowSwitchMark::Letter("M"),
                on: isolation.muted().contains(&id),
                name: &names.mute,
                accent: false,
            },
            Self::Pin(bone) => RowSwitch {
                mark: RowSwitchMark::Icon(icons::PUSH_PIN),
                on: isolation.pinned().contains(&bone),
                name: &names.pin,
                accent: true,
            },
        }
    }

    pub(super) fn toggle(self, cx: &mut UiContext<'_>) {
        match self {
            Self::Solo(id) => toggle_solo(cx, vec![id]),
            Self::Mute(id) => toggle_mute(cx, vec![id]),
            Self::Pin(bone) => toggle_pin(cx, vec![bone]),
        }
    }
}
