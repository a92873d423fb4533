//! What the tuned joints keep their distance to: a list, links to what is selected, and pulls of their own.

use super::line::{LABEL_LEFT, PERCENT, bar_command};
use super::remarks::beyond_note;
use crate::schema::{Row, Unit};
use crate::session::{Command, LengthView, Session, Values};
use crate::ui::Cx;
use crate::ui::kit::bar::Bar;
use crate::ui::kit::button::secondary;
use crate::ui::kit::icons::{self, IconButton};
use crate::ui::kit::number::NumberFormat;
use crate::ui::kit::paint;
use crate::ui::kit::paint::Name;
use crate::ui::kit::param_row::note;
use crate::ui::kit::span::Span;
use crate::ui::kit::theme::{Role, Text};
use crate::ui::kit::tokens::{size, space};
use egui::{Align, Layout, Margin, Sense, Ui, UiBuilder, vec2};

const BAR: f32 = 88.0;
/// So many nodes are listed at most: with all of a skirt selected there are hundreds.
const MOST: usize = 24;

/// The list and what adds to it; `row` is the joints' own pull.
pub(super) fn lengths_ui(ui: &mut Ui, cx: &mut Cx<'_>, subject: u64, row: Row) {
    let views = cx.session().inspection().length_targets();
    let reached = cx.session().inspection().target_bones().len();
    if !views.is_empty()
        && let Values::Same(value) = cx.session().inspection().row_view(row).values
    {
        let raw = NumberFormat::of(Unit::PerSecondSquared).text(value);
        note(ui, &cx.tr_with("lengths.raw", &[("raw", &raw)]), LABEL_LEFT);
    }
    let pull = if views.is_empty() { None } else { Pull::of(cx.session(), row) };
    for view in views.iter().take(MOST) {
        ui.push_id(view.node, |ui| target_ui(ui, cx, subject, (pull, view), reached));
    }
    if let Some(more) = views.len().checked_sub(MOST).filter(|n| *n > 0) {
        note(ui, &cx.tr_with("lengths.more", &[("n", &more.to_string())]), LABEL_LEFT);
    }
    link_ui(ui, cx);
}

/// The joints' own pull, where it acts.
#[derive(Clone, Copy)]
struct Pull {
    row: Row,
    /// Of the joints, 1/s².
    joint: f32,
    /// Per cent of an error for 1/s².
    factor: f32,
}

impl Pull {
    fn of(session: &Session, row: Row) -> Option<Self> {
        if session.inspection().remark(row).is_some() {
            return None;
        }
        let factor = session.inspection().share_per_unit(row)? * 100.0;
        match session.inspection().row_view(row).values {
            Values::Same(joint) | Values::Mixed { high: joint, .. } => Some(Self { row, joint, factor }),
            Values::None => None,
        }
    }
}

fn target_ui(ui: &mut Ui, cx: &mut Cx<'_>, subject: u64, (pull, view): (Option<Pull>, &LengthView), reached: usize) {
    let c = cx.theme.color;
    let words = if view.joints == reached {
        view.name.clone()
    } else {
        cx.tr_with("inspector.some_joints", &[("name", &view.name), ("n", &view.joints.to_string())])
    };
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), size::ROW), Sense::hover());
    let name = Name::new(ui, &words, Text::Body, c.text, rect.width() * 0.45);
    let place = name.paint_left(ui.painter(), rect.left_center() + vec2(LABEL_LEFT, 0.0));
    let said = ui.interact(place, ui.scope_id().with("name"), Sense::hover());
    said.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Label, true, &words));
    said.on_hover_text(&view.name);
    let mut inner = ui.new_child(UiBuilder::new().max_rect(rect).layout(Layout::right_to_left(Align::Center)));
    let remove = cx.tr_with("lengths.remove", &[("name", &view.name)]);
    if IconButton::new(icons::X, &remove).tiny().show(&mut inner).clicked() {
        cx.command(Command::UnlinkLength(view.node));
    }
    if let (Some(rest), Some(now)) = (view.rest, view.now) {
        let metres = |m: f32| NumberFormat::of(Unit::Metres).decimals(if m < 1.0 { 0 } else { 2 }).text(m);
        let words = cx.tr_with("lengths.distance", &[("rest", &metres(rest)), ("now", &metres(now))]);
        let room = inner.available_rect_before_wrap().right() - place.right() - 10.0;
        let words = paint::elided(ui, &words, Text::Small, c.text_3, room);
        let (at, _) = inner.allocate_exact_size(words.size(), Sense::hover());
        paint::galley_left(ui.painter(), at.left_center(), words);
    }
    if let Some(pull) = pull {
        pull_ui(ui, cx, subject, pull, view);
    }
}

/// A pull of its own for one target, in the improved way.
fn pull_ui(ui: &mut Ui, cx: &mut Cx<'_>, subject: u64, pull: Pull, view: &LengthView) {
    let Pull { row, joint, factor } = pull;
    let name = [("name", view.name.as_str())];
    ui.horizontal(|ui| {
        ui.set_height(size::ROW);
        ui.add_space(LABEL_LEFT + 12.0);
        let Some(constant) = view.constant else {
            let words = cx.tr("lengths.own");
            let own = secondary(&words).small().show(ui);
            let full = cx.tr_with("lengths.own_of", &name);
            if own.on_hover_text(full).clicked() {
                cx.command(pull_command(view, Some(joint)));
            }
            return;
        };
        ui.label(Text::Small.rich(cx.tr("lengths.own")).color(cx.theme.color.text_2));
        let label = cx.tr_with("lengths.pull_to", &name);
        let bar = Bar {
            format: PERCENT,
            role: Role::of(cx.session().inspection().system().def(row).idea),
            subject,
            ..Bar::new(&label, constant * factor, Span::logarithmic(0.0, 100.0))
        };
        for change in bar.show(ui, BAR).changes {
            cx.command(bar_command(
                change,
                |share| pull_command(view, Some(share / factor)),
                |by| pull_command(view, Some(constant * by)),
            ));
        }
        let back = cx.tr_with("lengths.as_joint", &name);
        let button = IconButton::new(icons::ARROW_COUNTER_CLOCKWISE, &back).tiny();
        if button.show(ui).clicked() {
            cx.command(pull_command(view, None));
        }
    });
    if view.constant.is_some() {
        beyond_note(ui, cx);
    }
}

fn pull_command(view: &LengthView, constant: Option<f32>) -> Command {
    Command::SetLengthPull(view.node, constant)
}

/// What is selected can be linked.
fn link_ui(ui: &mut Ui, cx: &mut Cx<'_>) {
    let session = cx.session();
    let (others, active) = (session.inspection().can_link_lengths(), session.inspection().can_link_to_active());
    if session.selection().bones.len() < 2 && session.selection().items.is_empty() {
        note(ui, &cx.tr("lengths.pick"), LABEL_LEFT);
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
