//! What the tuned joints keep their distance to: a list, links to what is selected, and pulls of their own.

use super::label_line::{LABEL_LEFT, PERCENT, bar_command};
use super::warnings::extension_note;
use crate::params::{ParamId, Unit};
use crate::session::{Command, LengthTargetView, Session, ValueSummary};
use crate::ui::UiContext;
use crate::ui::kit::button::secondary;
use crate::ui::kit::icons::{self, IconButton};
use crate::ui::kit::number::NumberFormat;
use crate::ui::kit::paint;
use crate::ui::kit::paint::ElidedName;
use crate::ui::kit::param_bar::ParamBar;
use crate::ui::kit::param_row::info_note;
use crate::ui::kit::span::Span;
use crate::ui::kit::theme::{ColorRole, TextSize};
use crate::ui::kit::tokens::{size, space};
use egui::{Align, Layout, Margin, Sense, Ui, UiBuilder, vec2};

const BAR_WIDTH: f32 = 88.0;
/// So many nodes are listed at most: with all of a skirt selected there are hundreds.
const MAX_TARGETS: usize = 24;

/// The list and what adds to it; `row` is the joints' own pull.
pub(super) fn length_limits_ui(ui: &mut Ui, cx: &mut UiContext<'_>, subject: u64, row: ParamId) {
    let views = cx.session().inspection().length_targets();
    let reached = cx.session().inspection().target_bones().len();
    if !views.is_empty()
        && let ValueSummary::Same(value) = cx.session().inspection().param_view(row).values
    {
        let raw = NumberFormat::for_unit(Unit::PerSecondSquared).text(value);
        info_note(ui, &cx.tr_with("lengths.raw", &[("raw", &raw)]), LABEL_LEFT);
    }
    let pull = if views.is_empty() { None } else { LengthStiffness::of(cx.session(), row) };
    for view in views.iter().take(MAX_TARGETS) {
        ui.push_id(view.node, |ui| length_limit_ui(ui, cx, subject, (pull, view), reached));
    }
    if let Some(more) = views.len().checked_sub(MAX_TARGETS).filter(|n| *n > 0) {
        info_note(ui, &cx.tr_with("lengths.more", &[("n", &more.to_string())]), LABEL_LEFT);
    }
    link_ui(ui, cx);
}

/// The joints' own pull, where it acts.
#[derive(Clone, Copy)]
struct LengthStiffness {
    param: ParamId,
    /// Of the joints, 1/s².
    joint_value: f32,
    /// Per cent of an error for 1/s².
    percent_per_unit: f32,
}

impl LengthStiffness {
    fn of(session: &Session, row: ParamId) -> Option<Self> {
        if session.inspection().param_warning(row).is_some() {
            return None;
        }
        let factor = session.inspection().step_share_per_unit(row)? * 100.0;
        match session.inspection().param_view(row).values {
            ValueSummary::Same(joint) | ValueSummary::Mixed { high: joint, .. } => {
                Some(Self { param: row, joint_value: joint, percent_per_unit: factor })
            }
            ValueSummary::None => None,
        }
    }
}

fn length_limit_ui(
    ui: &mut Ui,
    cx: &mut UiContext<'_>,
    subject: u64,
    (pull, view): (Option<LengthStiffness>, &LengthTargetView),
    reached: usize,
) {
    let c = cx.theme.color;
    let words = if view.joints == reached {
        view.name.clone()
    } else {
        cx.tr_with("inspector.some_joints", &[("name", &view.name), ("n", &view.joints.to_string())])
    };
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), size::ROW), Sense::hover());
    let name = ElidedName::new(ui, &words, TextSize::Body, c.text, rect.width() * 0.45);
    let place = name.paint_left(ui.painter(), rect.left_center() + vec2(LABEL_LEFT, 0.0));
    let said = ui.interact(place, ui.scope_id().with("name"), Sense::hover());
    said.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Label, true, &words));
    said.on_hover_text(&view.name);
    let mut inner = ui.new_child(UiBuilder::new().max_rect(rect).layout(Layout::right_to_left(Align::Center)));
    let remove = cx.tr_with("lengths.remove", &[("name", &view.name)]);
    if IconButton::new(icons::X, &remove).tiny().show(&mut inner).clicked() {
        cx.command(Command::UnlinkLength(view.node));
    }
    if let (Some(rest), Some(now)) = (view.rest_distance, view.current_distance) {
        let metres = |m: f32| NumberFormat::for_unit(Unit::Metres).decimals(if m < 1.0 { 0 } else { 2 }).text(m);
        let words = cx.tr_with("lengths.distance", &[("rest", &metres(rest)), ("now", &metres(now))]);
        let room = inner.available_rect_before_wrap().right() - place.right() - 10.0;
        let words = paint::elided(ui, &words, TextSize::Small, c.text_3, room);
        let (at, _) = inner.allocate_exact_size(words.size(), Sense::hover());
        paint::paint_galley_left(ui.painter(), at.left_center(), words);
    }
    if let Some(pull) = pull {
        stiffness_ui(ui, cx, subject, pull, view);
    }
}

/// A pull of its own for one target, in the improved way.
fn stiffness_ui(ui: &mut Ui, cx: &mut UiContext<'_>, subject: u64, pull: LengthStiffness, view: &LengthTargetView) {
    let LengthStiffness { param: row, joint_value: joint, percent_per_unit: factor } = pull;
    let name = [("name", view.name.as_str())];
    ui.horizontal(|ui| {
        ui.set_height(size::ROW);
        ui.add_space(LABEL_LEFT + 12.0);
        let Some(constant) = view.constant else {
            let words = cx.tr("lengths.own");
            let own = secondary(&words).small().show(ui);
            let full = cx.tr_with("lengths.own_of", &name);
            if own.on_hover_text(full).clicked() {
                cx.command(stiffness_command(view, Some(joint)));
            }
            return;
        };
        ui.label(TextSize::Small.rich(cx.tr("lengths.own")).color(cx.theme.color.text_2));
        let label = cx.tr_with("lengths.pull_to", &name);
        let bar = ParamBar {
            format: PERCENT,
            role: ColorRole::for_meaning(cx.session().inspection().system().def(row).meaning),
            subject,
            ..ParamBar::new(&label, constant * factor, Span::logarithmic(0.0, 100.0))
        };
        for change in bar.show(ui, BAR_WIDTH).changes {
            cx.command(bar_command(
                change,
                |share| stiffness_command(view, Some(share / factor)),
                |by| stiffness_command(view, Some(constant * by)),
            ));
        }
        let back = cx.tr_with("lengths.as_joint", &name);
        let button = IconButton::new(icons::ARROW_COUNTER_CLOCKWISE, &back).tiny();
        if button.show(ui).clicked() {
            cx.command(stiffness_command(view, None));
        }
    });
    if view.constant.is_some() {
        extension_note(ui, cx);
    }
}

fn stiffness_command(view: &LengthTargetView, constant: Option<f32>) -> Command {
    Command::SetLengthStiffness(view.node, constant)
}

/// What is selected can be linked.
fn link_ui(ui: &mut Ui, cx: &mut UiContext<'_>) {
    let session = cx.session();
    let (others, active) = (session.inspection().can_link_lengths(), session.inspection().linkable_active_bone());
    if session.selection().bones.len() < 2 && session.selection().objects.is_empty() {
        info_note(ui, &cx.tr("lengths.pick"), LABEL_LEFT);
        return;
    }
    let inset = Margin { left: LABEL_LEFT as i8, top: 3, ..Margin::ZERO };
    egui::Frame::new().inner_margin(inset).show(ui, |ui| {
        ui.spacing_mut().item_spacing = vec2(space::S, space::XS);
        ui.horizontal_wrapped(|ui| {
            if others && secondary(&cx.tr("lengths.link_others")).icon(icons::LINK_SIMPLE).small().show(ui).clicked() {
                cx.command(Command::LinkLengths { to_active: false });
            }
            if let Some(bone) = active {
                let words = cx.tr_with("lengths.link_active", &[("name", cx.session().inspection().bone_name(bone))]);
                if secondary(&words).icon(icons::LINK_SIMPLE).small().show(ui).clicked() {
                    cx.command(Command::LinkLengths { to_active: true });
                }
            }
        });
    });
}
