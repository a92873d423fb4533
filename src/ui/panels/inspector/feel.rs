//! The same few words above every solver's own numbers: how fast, how damped, how heavy, how far, how loose.

use super::line::{LABEL_LEFT, bar_command, curve_is_open, format_of, open_curve};
use super::rows::Rows;
use crate::feel::terms::Cannot;
use crate::schema::{Idea, Unit};
use crate::session::{Command, SwingView, TermView, Values};
use crate::sim::{OPEN_DEG, Term};
use crate::tools::swing::SwingKind;
use crate::ui::kit::bar::{Bar, BarValue};
use crate::ui::kit::button::secondary;
use crate::ui::kit::icons::{self, IconButton};
use crate::ui::kit::number::NumberFormat;
use crate::ui::kit::param_row::{Control, Dot, ParamRow, RowChange, note};
use crate::ui::kit::section::Section;
use crate::ui::kit::span::Span;
use crate::ui::kit::theme::{Role, Text};
use crate::ui::kit::toggle::choice;
use crate::ui::kit::tokens::size;
use crate::ui::kit::{paint, words};
use crate::ui::{CurveOf, Cx, Lit};
use egui::{Align, Layout, Rect, Sense, Ui, UiBuilder, pos2, vec2};
use std::borrow::Cow;

/// Damping ratios up to which each word holds; the last word holds above all of them.
const SETTLE: [(f32, &str); 5] = [(0.12, "swinging"), (0.3, "springy"), (0.5, "soft"), (0.8, "calm"), (1.1, "crisp")];

/// The section.
pub(super) fn feel_section(ui: &mut Ui, cx: &mut Cx<'_>, subject: u64) {
    let note = if super::sections::is_first_start(cx) { "inspector.pick_one" } else { "feel.note" };
    let (title, fact) = (cx.tr("feel.title"), cx.tr(note));
    Section { title: &title, fact: &fact, switch: None }.show(ui, |ui| {
        for term in Term::ALL {
            ui.push_id(term.def().name, |ui| term_ui(ui, cx, term, subject));
        }
    });
}

fn term_ui(ui: &mut Ui, cx: &mut Cx<'_>, term: Term, subject: u64) {
    let view = cx.session().inspection().term_view(term);
    let def = term.def();
    let (label, doc) = (words::param_label(cx.theme.lang, def), words::param_doc(cx.theme.lang, def));
    let value = match view.values {
        Values::Same(value) => BarValue::One(value),
        Values::Mixed { low, high } => BarValue::Mixed { low, high },
        Values::None => BarValue::One(0.0),
    };
    let fixed = cx.tr("feel.fixed");
    let why = why(cx, &view);
    let locked = why.is_some();
    let bar = Bar {
        value,
        format: number_format(term),
        role: Role::of(def.idea),
        word: locked.then_some(&*fixed),
        subject,
        ..Bar::new(&label, 0.0, Span::of(def))
    };
    let dot = match (view.changed, view.overridden) {
        _ if locked => Dot::None,
        (true, _) => Dot::Changed,
        (false, true) => Dot::Overridden,
        (false, false) => Dot::None,
    };
    let hint = hint(cx, &view, locked);
    let row = ParamRow {
        doc: &doc,
        hint: &hint,
        dot,
        curve: (!locked).then_some(view.curve.as_ref()),
        curve_open: !locked && curve_is_open(cx, &[CurveOf::Term(term)]),
        no_effect: why.as_deref(),
        has_default: false,
        ..ParamRow::new(&label, Control::Bar(bar))
    };
    let out = row.show(ui);
    if view.stops
        && !locked
        && let Values::Same(value) = view.values
    {
        let value = format_of(def).text(value);
        note(ui, &cx.tr_with("feel.stops", &[("value", &value)]), LABEL_LEFT);
    }
    if out.hovered {
        cx.state.lit = Some(Lit::Idea(def.idea));
    }
    for change in out.changes {
        match change {
            RowChange::Bar(change) => cx.command(bar_command(
                change,
                |value| Command::SetTerm(term, held(term, value)),
                |factor| Command::ScaleTerm(term, factor),
            )),
            RowChange::OpenCurve => open_curve(cx, CurveOf::Term(term)),
            RowChange::Reset => cx.command(Command::ResetTerm(term)),
            RowChange::Range(..) | RowChange::EngineDefault => {}
        }
    }
}

/// No term is below nothing, and some end by their nature.
fn held(term: Term, value: f32) -> f32 {
    let (low, high) = term.def().range;
    value.clamp(low, high)
}

/// With its unit where there is room for it behind the number.
pub(in crate::ui::panels) const fn number_format(term: Term) -> NumberFormat {
    match term {
        Term::Speed => NumberFormat::with_suffix(" Hz", 2),
        Term::Weight => NumberFormat::with_suffix("", 1),
        Term::Settle | Term::Reach | Term::Follow => NumberFormat::of(term.def().unit),
    }
}

fn hint<'a>(cx: &Cx<'_>, view: &TermView, locked: bool) -> Cow<'a, str> {
    let settle = |ratio: f32| {
        let word = SETTLE.iter().find(|(most, _)| ratio <= *most).map_or("creeping", |(_, word)| word);
        cx.tr(&format!("feel.settle.{word}"))
    };
    let format = number_format(view.term);
    let values = match view.values {
        Values::Mixed { low, high } if format.reads_alike(low, high) => Values::Same(high),
        values => values,
    };
    match (values, view.term) {
        _ if locked => "".into(),
        (Values::Mixed { .. }, _) => cx.tr("bar.mixed"),
        (Values::Same(ratio), Term::Settle) => settle(ratio),
        (Values::Same(reach), Term::Reach) if reach >= OPEN_DEG => cx.tr("feel.open"),
        _ if view.term.def().unit == Unit::Acceleration => "m/s²".into(),
        _ => "".into(),
    }
}

/// Why a term cannot be set, in one sentence.
fn why(cx: &Cx<'_>, view: &TermView) -> Option<String> {
    let session = cx.session();
    match view.cannot? {
        Cannot::Never(english) => {
            let chains = session.inspection().target_chains();
            let kind = chains.first().map(|id| session.document().solver_of(&session.document().chains[id]));
            let words = kind.and_then(|kind| words::cannot(cx.theme.lang, kind, view.term));
            Some(words.map_or_else(|| english.to_owned(), Cow::into_owned))
        }
        Cannot::Here if view.term == Term::Reach && session.inspection().limits_are_off() => {
            Some(cx.tr("feel.limits_off").into_owned())
        }
        Cannot::Here => Some(cx.tr("feel.here").into_owned()),
    }
}

/// What the label needs at least beside the choice.
const LABEL: f32 = 60.0;
/// For the button that puts back.
const RESET: f32 = 18.0;

/// The section, where the solver has such limits.
pub(super) fn swing_section(ui: &mut Ui, cx: &mut Cx<'_>, rows: &Rows<'_>) {
    let Some(view) = cx.session().inspection().swing() else { return };
    let title = cx.tr("swing.title");
    let fact = match view.limited {
        0 => String::new(),
        n => cx.theme.count("swing.fact", n),
    };
    Section { title: &title, fact: &fact, switch: None }.show(ui, |ui| {
        if !view.allowed {
            return refused_ui(ui, cx, &view);
        }
        shape_ui(ui, cx, &view);
        for at in 0..view.angles.len() {
            angle_ui(ui, cx, rows, &view, at);
        }
        if view.limited > 0 {
            note(ui, &cx.tr("swing.draft"), LABEL_LEFT);
        }
        if ui.rect_contains_pointer(ui.min_rect()) {
            cx.state.lit = Some(Lit::Idea(Idea::Limit));
        }
    });
}

/// VRM 0.x: what is there can only go.
fn refused_ui(ui: &mut Ui, cx: &mut Cx<'_>, view: &SwingView) {
    note(ui, &cx.tr("swing.not_here"), LABEL_LEFT);
    if view.limited > 0 && secondary(&cx.tr("swing.remove")).icon(icons::TRASH).small().show(ui).clicked() {
        cx.command(Command::SetSwing(None));
    }
}

fn shape_ui(ui: &mut Ui, cx: &mut Cx<'_>, view: &SwingView) {
    let c = cx.theme.color;
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), size::ROW), Sense::hover());
    let label = cx.tr("swing.shape");
    let words = paint::elided(ui, &label, Text::Body, c.text, LABEL);
    let place = paint::galley_left(ui.painter(), pos2(rect.left() + LABEL_LEFT, rect.center().y), words);
    ui.interact(place, ui.scope_id().with("swing"), Sense::hover()).on_hover_text(cx.tr("swing.hint"));
    if view.changed {
        ui.painter().circle_filled(pos2(rect.left() - 1.0, rect.center().y), 2.5, c.accent);
        let name = cx.tr_with("bar.reset", &[("name", &cx.tr("swing.title"))]);
        let at = Rect::from_center_size(pos2(rect.right() - 7.0, rect.center().y), vec2(20.0, 20.0));
        let mut inner = ui.new_child(UiBuilder::new().max_rect(at).id_salt("reset"));
        let button = IconButton::new(icons::ARROW_COUNTER_CLOCKWISE, &name).tiny();
        if button.show(&mut inner).clicked() {
            cx.command(Command::ResetSwing);
        }
    }
    let kinds: Vec<Option<SwingKind>> = std::iter::once(None).chain(SwingKind::ALL.map(Some)).collect();
    let texts: Vec<_> = kinds.iter().map(|kind| cx.tr(key(*kind))).collect();
    let texts: Vec<&str> = texts.iter().map(|text| &**text).collect();
    let chosen = view.kind.and_then(|kind| kinds.iter().position(|k| *k == kind));
    let room = rect.width() - LABEL - RESET - LABEL_LEFT;
    let place = rect.with_min_x(rect.right() - RESET - room).with_max_x(rect.right() - RESET);
    let layout = Layout::right_to_left(Align::Center);
    let mut inner = ui.new_child(UiBuilder::new().max_rect(place).layout(layout).id_salt("shape"));
    if let Some(at) = choice(&mut inner, &label, &texts, chosen, room).filter(|at| Some(*at) != chosen) {
        cx.command(Command::SetSwing(kinds[at]));
    }
}

fn angle_ui(ui: &mut Ui, cx: &mut Cx<'_>, rows: &Rows<'_>, view: &SwingView, at: usize) {
    let Some(kind) = view.kind.flatten() else { return };
    let value = match view.angles[at] {
        Values::None => return,
        Values::Same(value) => BarValue::One(value),
        Values::Mixed { low, high } => BarValue::Mixed { low, high },
    };
    let key = match (kind, at) {
        (SwingKind::Spherical, 0) => "pitch",
        (SwingKind::Spherical, _) => "yaw",
        _ => "angle",
    };
    let (label, doc) = (cx.tr(&format!("swing.{key}")), cx.tr(&format!("swing.{key}_hint")));
    let bar = Bar {
        value,
        format: NumberFormat::of(Unit::Degrees),
        role: Role::of(Idea::Limit),
        subject: rows.subject,
        ..Bar::new(&label, 0.0, Span::linear(0.0, kind.widest(at).to_degrees()))
    };
    let hint = if bar.value.is_mixed(bar.format) { cx.tr("bar.mixed") } else { "".into() };
    let row = ParamRow {
        doc: &doc,
        hint: &hint,
        dot: if view.changed { Dot::Changed } else { Dot::None },
        has_default: false,
        ..ParamRow::new(&label, Control::Bar(bar))
    };
    for change in ui.push_id(key, |ui| row.show(ui)).inner.changes {
        match change {
            RowChange::Bar(change) => cx.command(bar_command(
                change,
                |value| Command::SetSwingAngle(at, value),
                |by| Command::ScaleSwingAngle(at, by),
            )),
            RowChange::Reset => cx.command(Command::ResetSwing),
            RowChange::Range(..) | RowChange::OpenCurve | RowChange::EngineDefault => {}
        }
    }
}

const fn key(kind: Option<SwingKind>) -> &'static str {
    match kind {
        None => "swing.none",
        Some(SwingKind::Cone) => "swing.cone",
        Some(SwingKind::Hinge) => "swing.hinge",
        Some(SwingKind::Spherical) => "swing.spherical",
    }
}
