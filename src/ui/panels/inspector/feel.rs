//! The feel section with Speed, Settling, Weight, Max angle and Ignore motion, for every solver.

use super::label_line::{LABEL_LEFT, bar_command, curve_is_open, open_curve};
use super::param_rows::ParamRows;
use crate::tr;
use crate::ui::kit::button::secondary;
use crate::ui::kit::collapsible_section::CollapsibleSection;
use crate::ui::kit::icons::{self, IconButton};
use crate::ui::kit::number::{NumberFormat, Span};
use crate::ui::kit::param_bar::{BarValue, ParamBar};
use crate::ui::kit::param_row::{ChangeMarker, ParamControl, ParamRow, ParamRowChange, info_note};
use crate::ui::kit::theme::{ColorRole, TextSize};
use crate::ui::kit::toggle::choice;
use crate::ui::kit::tokens::size;
use crate::ui::kit::{i18n, paint};
use crate::ui::{CurveRef, DialogKind, Highlight, UiContext};
use egui::{Align, Layout, Rect, Sense, Ui, UiBuilder, pos2, vec2};
use std::borrow::Cow;
use yuremono_model::feel::params::UnavailableReason;
use yuremono_model::tools::swing_limits::SwingLimitKind;
use yuremono_session::{Command, FeelParamView, SweepSubject, SwingLimitView, ValueSummary};
use yuremono_sim::diagnostics::{MessageText, message};
use yuremono_sim::params::{ParamMeaning, Unit};
use yuremono_sim::{FeelParam, UNLIMITED_ANGLE_DEG};

/// Largest damping ratio that each word describes.
const DAMPING_WORDS: [(f32, MessageText); 5] = [
    (0.12, message!("lively")),
    (0.3, message!("springy")),
    (0.5, message!("soft")),
    (0.8, message!("calm")),
    (1.1, message!("crisp")),
];

pub(super) fn feel_section(ui: &mut Ui, cx: &mut UiContext<'_>, subject: u64) {
    let title = tr!(cx, "Feel");
    let fact = if super::sections::is_untouched_sample(cx) {
        tr!(cx, "Click hair in the viewport to select its chain")
    } else {
        tr!(cx, "the same for all solvers")
    };
    CollapsibleSection { title: &title, note: &fact, switch: None }.show(ui, |ui| {
        for term in FeelParam::ALL {
            ui.push_id(term.def().name, |ui| feel_param_ui(ui, cx, term, subject));
        }
    });
}

fn feel_param_ui(ui: &mut Ui, cx: &mut UiContext<'_>, term: FeelParam, subject: u64) {
    let view = cx.inspection().feel_param_view(term);
    let def = term.def();
    let (label, doc) = (i18n::param_label(cx.theme.lang, def), i18n::param_doc(cx.theme.lang, def));
    let value = match view.values {
        ValueSummary::Same(value) => BarValue::One(value),
        ValueSummary::Mixed { low, high } => BarValue::Mixed { low, high },
        ValueSummary::None => BarValue::One(0.0),
    };
    let fixed = tr!(cx, "fixed");
    let why = unavailable_reason(cx, &view);
    let locked = why.is_some();
    let bar = ParamBar {
        value,
        format: number_format(term),
        role: ColorRole::for_meaning(def.meaning),
        replacement_text: locked.then_some(&*fixed),
        subject,
        ..ParamBar::new(&label, 0.0, Span::for_param(def))
    };
    let dot = match (view.changed, view.overridden) {
        _ if locked => ChangeMarker::None,
        (true, _) => ChangeMarker::Changed,
        (false, true) => ChangeMarker::Overridden,
        (false, false) => ChangeMarker::None,
    };
    let hint = hint_text(cx, &view, locked);
    let row = ParamRow {
        tooltip: &doc,
        hint: &hint,
        marker: dot,
        curves: (!locked).then_some(&view.curves),
        curve_open: !locked && curve_is_open(cx, &[CurveRef::Feel(term)]),
        no_effect_reason: why.as_deref(),
        has_default: false,
        can_sweep: true,
        ..ParamRow::new(&label, ParamControl::Bar(bar))
    };
    let out = row.show(ui);
    if view.is_target_unreached
        && !locked
        && let ValueSummary::Same(value) = view.values
    {
        let value = NumberFormat::for_param(def).text(value);
        info_note(ui, &tr!(cx, "Ends at {value} here: the values of the solver allow no more.", value), LABEL_LEFT);
    }
    if out.hovered {
        cx.state.highlight = Some(Highlight::Meaning(def.meaning));
    }
    for change in out.changes {
        match change {
            ParamRowChange::Bar(change) => cx.command(bar_command(
                change,
                |value| Command::SetFeel(term, clamped(term, value)),
                |factor| Command::ScaleFeel(term, factor),
            )),
            ParamRowChange::OpenCurve => open_curve(cx, CurveRef::Feel(term)),
            ParamRowChange::Reset => cx.command(Command::ResetFeel(term)),
            ParamRowChange::Sweep => {
                cx.state.dialogs_to_open.push(DialogKind::Sweep(SweepSubject::Feel(term)));
            }
            ParamRowChange::Range(..) | ParamRowChange::OriginalDefault => {}
        }
    }
}

fn clamped(term: FeelParam, value: f32) -> f32 {
    let (low, high) = term.def().range;
    value.clamp(low, high)
}

/// Returns the format of a term. Omits the unit of weight, because the row has no space for it.
pub(in crate::ui) const fn number_format(term: FeelParam) -> NumberFormat {
    match term {
        FeelParam::Speed => NumberFormat::with_suffix(" Hz", 2),
        FeelParam::Weight => NumberFormat::with_suffix("", 1),
        FeelParam::Settling | FeelParam::MaxAngle | FeelParam::IgnoreMotion => NumberFormat::for_unit(term.def().unit),
    }
}

fn hint_text<'a>(cx: &UiContext<'_>, view: &FeelParamView, locked: bool) -> Cow<'a, str> {
    let settle = |ratio: f32| {
        let word = DAMPING_WORDS.into_iter().find(|(most, _)| ratio <= *most);
        cx.tr(word.map_or(message!("slow"), |(_, word)| word))
    };
    let format = number_format(view.param);
    let values = match view.values {
        ValueSummary::Mixed { low, high } if format.displays_equally(low, high) => ValueSummary::Same(high),
        values => values,
    };
    match (values, view.param) {
        _ if locked => "".into(),
        (ValueSummary::Mixed { .. }, _) if view.has_ring_curve => tr!(cx, "by ring"),
        (ValueSummary::Mixed { .. }, _) => tr!(cx, "mixed"),
        (ValueSummary::Same(ratio), FeelParam::Settling) => settle(ratio),
        (ValueSummary::Same(reach), FeelParam::MaxAngle) if reach >= UNLIMITED_ANGLE_DEG => tr!(cx, "free"),
        _ if view.param.def().unit == Unit::Acceleration => "m/s²".into(),
        _ => "".into(),
    }
}

fn unavailable_reason(cx: &UiContext<'_>, view: &FeelParamView) -> Option<Cow<'static, str>> {
    let session = cx.session();
    match view.unavailable? {
        UnavailableReason::Unsupported(english) => {
            let chains = session.inspection().target_chains();
            let kind = chains.first().map(|id| session.document().solver_of(&session.document().chains[id]));
            let reason = kind.and_then(|kind| i18n::unsupported_reason(cx.theme.lang, kind, view.param));
            Some(reason.unwrap_or(Cow::Borrowed(english)))
        }
        UnavailableReason::NoEffect
            if view.param == FeelParam::MaxAngle && session.inspection().are_limits_disabled() =>
        {
            Some(tr!(cx, "Angle limits are off for the whole character."))
        }
        UnavailableReason::NoEffect => Some(tr!(cx, "Other values of this chain leave this term without effect.")),
    }
}

/// Minimum width of the label next to the choice, in points.
const LABEL_MIN_WIDTH: f32 = 60.0;
const RESET_WIDTH: f32 = 18.0;

/// Draws the limit rows. Solvers without these limits have no limit rows.
pub(super) fn swing_limit_section(ui: &mut Ui, cx: &mut UiContext<'_>, rows: &ParamRows<'_>) {
    let Some(view) = cx.inspection().swing_limits() else { return };
    let title = tr!(cx, "Swing limit");
    let fact = match view.limited_joints {
        0 => Cow::default(),
        n => tr!(cx, "{n:joint|joints}", n),
    };
    CollapsibleSection { title: &title, note: &fact, switch: None }.show(ui, |ui| {
        if !view.is_supported {
            return unsupported_ui(ui, cx, &view);
        }
        shape_ui(ui, cx, &view);
        for at in 0..view.angles.len() {
            angle_ui(ui, cx, rows, &view, at);
        }
        if view.limited_joints > 0 {
            info_note(ui, &tr!(cx, "Limits are a VRM draft. UniVRM supports them, three-vrm does not."), LABEL_LEFT);
        }
        if ui.rect_contains_pointer(ui.min_rect()) {
            cx.state.highlight = Some(Highlight::Meaning(ParamMeaning::Limit));
        }
    });
}

/// Offers only to remove the limits, because VRM 0.x does not support them.
fn unsupported_ui(ui: &mut Ui, cx: &mut UiContext<'_>, view: &SwingLimitView) {
    info_note(ui, &tr!(cx, "VRM 0.x has no swing limits."), LABEL_LEFT);
    if view.limited_joints > 0 && secondary(&tr!(cx, "Remove limits")).icon(icons::TRASH).small().show(ui).clicked() {
        cx.command(Command::SetSwingLimit(None));
    }
}

fn shape_ui(ui: &mut Ui, cx: &mut UiContext<'_>, view: &SwingLimitView) {
    let c = cx.theme.color;
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), size::ROW), Sense::hover());
    let label = tr!(cx, "Shape");
    let galley = paint::elided(ui, &label, TextSize::Body, c.text, LABEL_MIN_WIDTH);
    let text_rect = paint::paint_galley_left(ui.painter(), pos2(rect.left() + LABEL_LEFT, rect.center().y), galley);
    ui.interact(text_rect, ui.scope_id().with("swing"), Sense::hover())
        .on_hover_text(tr!(cx, "How far a bone can turn from its rest direction"));
    if view.changed {
        ui.painter().circle_filled(pos2(rect.left() - 1.0, rect.center().y), 2.5, c.accent);
        let name = tr!(cx, "Reset {name}", name = message!("Swing limit"));
        let at = Rect::from_center_size(pos2(rect.right() - 7.0, rect.center().y), vec2(20.0, 20.0));
        let mut inner = ui.new_child(UiBuilder::new().max_rect(at).id_salt("reset"));
        let button = IconButton::new(icons::ARROW_COUNTER_CLOCKWISE, &name).tiny();
        if button.show(&mut inner).clicked() {
            cx.command(Command::ResetSwingLimits);
        }
    }
    let kinds: Vec<Option<SwingLimitKind>> = std::iter::once(None).chain(SwingLimitKind::ALL.map(Some)).collect();
    let texts: Vec<_> = kinds.iter().map(|kind| cx.tr(kind_name(*kind))).collect();
    let texts: Vec<&str> = texts.iter().map(|text| &**text).collect();
    let chosen = view.kind.and_then(|kind| kinds.iter().position(|k| *k == kind));
    let control_width = rect.width() - LABEL_MIN_WIDTH - RESET_WIDTH - LABEL_LEFT;
    let control_rect =
        rect.with_min_x(rect.right() - RESET_WIDTH - control_width).with_max_x(rect.right() - RESET_WIDTH);
    let layout = Layout::right_to_left(Align::Center);
    let mut inner = ui.new_child(UiBuilder::new().max_rect(control_rect).layout(layout).id_salt("shape"));
    if let Some(at) = choice(&mut inner, &label, &texts, chosen, control_width).filter(|at| Some(*at) != chosen) {
        cx.command(Command::SetSwingLimit(kinds[at]));
    }
}

fn angle_ui(ui: &mut Ui, cx: &mut UiContext<'_>, rows: &ParamRows<'_>, view: &SwingLimitView, at: usize) {
    let Some(kind) = view.kind.flatten() else { return };
    let value = match view.angles[at] {
        ValueSummary::None => return,
        ValueSummary::Same(value) => BarValue::One(value),
        ValueSummary::Mixed { low, high } => BarValue::Mixed { low, high },
    };
    let (label, doc) = match (kind, at) {
        (SwingLimitKind::Spherical, 0) => (tr!(cx, "Pitch"), tr!(cx, "Largest angle about X of the limit, 0° to 180°")),
        (SwingLimitKind::Spherical, _) => (tr!(cx, "Yaw"), tr!(cx, "Largest angle about Z of the limit, 0° to 90°")),
        _ => (tr!(cx, "Angle"), tr!(cx, "Largest angle from the rest direction, 0° to 180°")),
    };
    let bar = ParamBar {
        value,
        format: NumberFormat::for_unit(Unit::Degrees),
        role: ColorRole::for_meaning(ParamMeaning::Limit),
        subject: rows.subject,
        ..ParamBar::new(&label, 0.0, Span::linear(0.0, kind.max_angle(at).to_degrees()))
    };
    let hint = if bar.value.is_mixed(bar.format) { tr!(cx, "mixed") } else { "".into() };
    let row = ParamRow {
        tooltip: &doc,
        hint: &hint,
        marker: if view.changed { ChangeMarker::Changed } else { ChangeMarker::None },
        has_default: false,
        ..ParamRow::new(&label, ParamControl::Bar(bar))
    };
    for change in ui.push_id(("swing", at), |ui| row.show(ui)).inner.changes {
        match change {
            ParamRowChange::Bar(change) => cx.command(bar_command(
                change,
                |value| Command::SetSwingLimitAngle(at, value),
                |by| Command::ScaleSwingLimitAngle(at, by),
            )),
            ParamRowChange::Reset => cx.command(Command::ResetSwingLimits),
            ParamRowChange::Range(..)
            | ParamRowChange::OpenCurve
            | ParamRowChange::OriginalDefault
            | ParamRowChange::Sweep => {}
        }
    }
}

const fn kind_name(kind: Option<SwingLimitKind>) -> MessageText {
    match kind {
        None => message!("None"),
        Some(SwingLimitKind::Cone) => message!("Cone"),
        Some(SwingLimitKind::Hinge) => message!("Hinge"),
        Some(SwingLimitKind::Spherical) => message!("Spherical"),
    }
}
