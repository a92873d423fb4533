//! The curve of one parameter along the active chain, or one of the tuned component's own.

mod chain;
mod side;

use crate::document::{ChainId, Extras, SideCurve};
use crate::math::Curve;
use crate::schema::ParamDef;
use crate::session::{Command, Session};
use crate::sim::Term;
use crate::ui::kit::icons;
use crate::ui::kit::paint::Name;
use crate::ui::kit::theme::{Role, Text};
use crate::ui::kit::tokens::space;
use crate::ui::kit::words;
use crate::ui::{CurveOf, Cx, SideOf};
use chain::Laid;
use egui::{Align2, Color32, Popup, Response, Role as Kind, ScrollArea, Sense, Ui, WidgetInfo, vec2};
use std::borrow::Cow;

/// What the tab keeps.
#[derive(Debug, Default)]
pub(super) struct Curves {
    /// Whose curve is shown, and what was there when it was opened.
    ghost: Option<(u64, Before)>,
    /// Between the first change of a drag and its end.
    held: bool,
    /// The artist opened the box.
    unboxed: bool,
    /// The pointer was over a joint in the last frame.
    hovering: bool,
    /// What is seen of a curve over a distance, metres.
    seen: Option<[f32; 2]>,
}

#[derive(Debug)]
enum Before {
    /// The curve along the chain.
    Curve(Curve),
    /// The lists of the component.
    Lists(Box<Extras>),
}

/// What is in the drawer.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Shown {
    /// Of that chain.
    Chain(ChainId, Laid),
    /// Of the tuned component, and where it stands there.
    Side(SideOf, SideCurve),
}

impl Curves {
    /// The drawer was put away, or what it showed is gone: the next opening begins anew.
    pub(super) fn closed(&mut self) {
        self.ghost = None;
    }

    pub(super) fn show(&mut self, ui: &mut Ui, cx: &mut Cx<'_>) {
        // A drag whose curve was put away has not said that it ended.
        self.held &= ui.input(|i| i.pointer.any_down() || i.pointer.any_released());
        match shown(cx) {
            Some(Shown::Chain(chain, of)) => self.chain_ui(ui, cx, chain, of),
            Some(Shown::Side(_, place)) => self.side_ui(ui, cx, place),
            None => {
                self.closed();
                return nothing_ui(ui, cx);
            }
        }
        say_what_the_mouse_does(ui, cx);
    }

    /// Begins anew where another subject is shown than before.
    fn open(&mut self, subject: u64, curve: &Curve, before: impl FnOnce() -> Before) {
        if self.ghost.as_ref().is_none_or(|(known, _)| *known != subject) {
            self.ghost = Some((subject, before()));
            self.unboxed = curve.keys().iter().any(|k| !(0.0..=1.0).contains(&k.value));
            self.seen = None;
        }
    }

    /// One step of the undo list lasts from the first change of a drag to its end.
    fn begin(&mut self, cx: &mut Cx<'_>) {
        if !self.held {
            cx.command(Command::BeginGesture);
            self.held = true;
        }
    }

    fn end(&mut self, cx: &mut Cx<'_>) {
        self.held = false;
        cx.command(Command::EndGesture);
    }

    /// The drag is taken back, as if it had never begun.
    fn cancel(&mut self, cx: &mut Cx<'_>) {
        if std::mem::take(&mut self.held) {
            cx.command(Command::CancelGesture);
        }
    }
}

/// What was asked for, or the first row with a curve.
fn shown(cx: &Cx<'_>) -> Option<Shown> {
    let session = cx.session();
    if let Some(CurveOf::Side(of)) = cx.state.curve
        && let Some(place) = of.place(session)
        && session.inspection().system().extras.course(place, None).is_some()
    {
        return Some(Shown::Side(of, place));
    }
    let chain = session.inspection().active_chain()?;
    let rows = || chain::rows_with_curve(session).map(|(row, _)| Laid::Row(row));
    // It may have been asked for under a solver with other rows, or without that term.
    let is_there = |asked: &Laid| match asked {
        Laid::Row(_) => rows().any(|row| row == *asked),
        Laid::Term(term) => session.inspection().term_of(chain, *term).is_some(),
    };
    let asked = cx.state.curve.and_then(Laid::asked).filter(is_there);
    Some(Shown::Chain(chain, asked.or_else(|| rows().next())?))
}

impl Shown {
    fn of(self) -> CurveOf {
        match self {
            Self::Chain(_, Laid::Row(row)) => CurveOf::Row(row),
            Self::Chain(_, Laid::Term(term)) => CurveOf::Term(term),
            Self::Side(of, _) => CurveOf::Side(of),
        }
    }
}

fn def_of(session: &Session, of: CurveOf) -> &'static ParamDef {
    match of {
        CurveOf::Row(row) => session.inspection().system().def(row),
        CurveOf::Term(term) => term.def(),
        CurveOf::Side(of) => {
            let (side, curve) = of.kind();
            &side.curves()[curve]
        }
    }
}

fn name_of(cx: &Cx<'_>, of: CurveOf) -> Cow<'static, str> {
    let def = def_of(cx.session(), of);
    match of {
        CurveOf::Row(_) | CurveOf::Term(_) => words::param_label(cx.theme.lang, def),
        CurveOf::Side(of) => words::field_label(cx.theme.lang, of.kind().0.owner(), def),
    }
}

/// Whose curve it is, at the right of the tabs, from right to left; another can be chosen there.
pub(super) fn breadcrumb_ui(ui: &mut Ui, cx: &mut Cx<'_>) {
    let Some(shown) = shown(cx) else { return };
    ui.spacing_mut().item_spacing.x = space::XS;
    ui.spacing_mut().button_padding.x = 4.0;
    choice_ui(ui, cx, shown.of());
    match shown {
        Shown::Chain(chain, _) => chain::whose_ui(ui, cx, chain),
        Shown::Side(_, place) => side::whose_ui(ui, cx, place),
    }
}

fn choice_ui(ui: &mut Ui, cx: &mut Cx<'_>, of: CurveOf) {
    let words = name_of(cx, of);
    let color = cx.theme.role(Role::of(def_of(cx.session(), of).idea));
    let name = egui::Button::new(Text::Strong.rich(&*words).color(color)).frame(false);
    let name = ui.add(name).on_hover_text(cx.tr("drawer.choose_curve"));
    name.widget_info(|| WidgetInfo {
        current_text_value: Some(words.to_string()),
        ..WidgetInfo::labeled(Kind::ComboBox, true, cx.tr("drawer.choose_curve"))
    });
    // A component may have many.
    let most = ui.ctx().content_rect().height() * 0.6;
    Popup::menu(&name).show(|ui| ScrollArea::vertical().max_height(most).show(ui, |ui| choices_ui(ui, cx, of)));
}

fn choices_ui(ui: &mut Ui, cx: &mut Cx<'_>, of: CurveOf) {
    let choices = choices(cx.session());
    for (at, (other, curved)) in choices.iter().enumerate() {
        // The component's own stand apart: some are called as a row is.
        if at > 0 && matches!(other, CurveOf::Side(_)) && !matches!(choices[at - 1].0, CurveOf::Side(_)) {
            ui.separator();
        }
        let words = choice_words(cx, *other);
        let text = if *curved { Text::Strong.rich(&*words) } else { Text::Body.rich(&*words) };
        if ui.add(egui::Button::new(text).selected(*other == of)).clicked() {
            cx.state.curve = Some(*other);
        }
    }
}

/// A name, and of several entries that have such a curve the one that it is of.
fn choice_words(cx: &Cx<'_>, of: CurveOf) -> String {
    let name = name_of(cx, of);
    let CurveOf::Side(side_of) = of else { return name.into_owned() };
    let entry = side_of.place(cx.session()).filter(|place| !place.side.is_single());
    entry.map_or_else(|| name.to_string(), |place| format!("{name} · {}", side::entry_of(cx, place)))
}

/// What the drawer can show: of the tuned chains, terms first, then of the component; and whether it has a curve.
fn choices(session: &Session) -> Vec<(CurveOf, bool)> {
    let chain = session.inspection().active_chain();
    let terms =
        Term::ALL.into_iter().map(|term| session.inspection().term_view(term)).filter(|view| view.cannot.is_none());
    let terms = terms.map(|view| (CurveOf::Term(view.term), view.curved));
    let rows =
        chain::rows_with_curve(session).map(|(row, _)| (CurveOf::Row(row), session.inspection().row_view(row).curved));
    let mut choices: Vec<_> = terms.chain(rows).filter(|_| chain.is_some()).collect();
    choices.extend(side::all(session).map(|(of, curved)| (CurveOf::side(session, of), curved)));
    choices
}

fn caret_ui(ui: &mut Ui, cx: &Cx<'_>) {
    let (rect, _) = ui.allocate_exact_size(vec2(12.0, 16.0), Sense::hover());
    icons::paint_icon(ui.painter(), rect.center(), icons::CARET_RIGHT, 11.0, cx.theme.color.text_3);
}

/// A name of the breadcrumb, in the room that is left.
fn name_ui(ui: &mut Ui, words: &str, color: Color32) -> Response {
    let name = Name::new(ui, words, Text::Small, color, ui.available_width());
    let (rect, response) = ui.allocate_exact_size(vec2(name.width(), Text::Small.token().line), Sense::hover());
    name.paint_left(ui.painter(), rect.left_center());
    response.widget_info(|| WidgetInfo::labeled(Kind::Label, true, words));
    name.tip(response)
}

fn nothing_ui(ui: &Ui, cx: &Cx<'_>) {
    let at = ui.max_rect().center();
    let words = cx.tr("drawer.pick_chain");
    crate::ui::kit::paint::text(ui.painter(), at, Align2::CENTER_CENTER, &words, Text::Body, cx.theme.color.text_3);
}

fn say_what_the_mouse_does(ui: &Ui, cx: &mut Cx<'_>) {
    if !ui.rect_contains_pointer(ui.max_rect()) {
        return;
    }
    let pairs = [("drag", "key"), ("double", "add"), ("delete", "remove"), ("shift", "axis"), ("esc", "back")];
    let word = |key: &str| cx.tr(&format!("drawer.hint.{key}")).into_owned();
    let hint: Vec<_> = pairs.iter().map(|(key, what)| (word(key), word(what))).collect();
    cx.state.hint = hint;
}
