//! The curve of one parameter along the active chain.

use crate::doc::{Along, ChainId};
use crate::math::Curve;
use crate::rig::BoneId;
use crate::schema::{self, ParamDef, Row, Scope as RowScope};
use crate::session::{Command, Pick, Session};
use crate::sim::Term;
use crate::ui::curve_editor::{self, CurveChange, CurveView, JointMark, curve_editor};
use crate::ui::icons;
use crate::ui::panels::inspector::{format_of, meaning_words, number_format};
use crate::ui::theme::{Role, Text};
use crate::ui::widgets::number::NumberFormat;
use crate::ui::words;
use crate::ui::{CurveOf, Cx};
use egui::{Align2, Popup, Role as Kind, Sense, Ui, WidgetInfo, vec2};

/// What the tab keeps.
#[derive(Debug, Default)]
pub(super) struct Curves {
    /// The curve as it was when it was opened, and whose it is.
    ghost: Option<(ChainId, CurveOf, Curve)>,
    /// Between the first change of a drag and its end.
    held: bool,
    /// The artist opened the box.
    unboxed: bool,
    /// The pointer was over a joint in the last frame.
    hovering: bool,
}

/// A joint of the shown chain, ready to be drawn.
struct Tick {
    bone: BoneId,
    t: f32,
    number: String,
    value: String,
    meaning: String,
}

impl Curves {
    /// The drawer was put away: the next opening begins anew.
    pub(super) fn closed(&mut self) {
        self.ghost = None;
    }

    pub(super) fn show(&mut self, ui: &mut Ui, cx: &mut Cx<'_>) {
        let Some((chain, of)) = shown(cx) else {
            nothing_ui(ui, cx);
            return;
        };
        let session = cx.session();
        let curve = curve_of(session, chain, of).unwrap_or_else(|| Curve::constant(1.0));
        if self.ghost.as_ref().is_none_or(|(c, r, _)| (*c, *r) != (chain, of)) {
            self.ghost = Some((chain, of, curve.clone()));
            self.unboxed = curve.keys().iter().any(|k| !(0.0..=1.0).contains(&k.value));
        }
        let def = def_of(session, of);
        let name = words::param_label(cx.theme.lang, def);
        let ticks = ticks(cx, chain, of);
        let marks = marks(session, &ticks);
        let base = base_of(session, chain, of);
        let hint = base_hint(cx, chain, of);
        let view = CurveView {
            name: &name,
            curve: &curve,
            before: self.ghost.as_ref().map(|(_, _, before)| before),
            joints: &marks,
            base,
            base_format: number_format_of(session, of),
            base_hint: &hint,
            role: Role::of(def.idea),
            boxed: !self.unboxed,
            along: match session.document().chains[&chain].along {
                Along::Length => curve_editor::Along::Length,
                Along::Depth => curve_editor::Along::Depth,
            },
            can_choose_along: true,
            subject: subject(chain, of),
        };
        // A drag whose curve was put away has not said that it ended.
        self.held &= ui.input(|i| i.pointer.any_down() || i.pointer.any_released());
        let mut hovered = None;
        for change in curve_editor(ui, &view) {
            self.changed(cx, of, &ticks, change, &mut hovered);
        }
        self.hover(cx, hovered);
        say_what_the_mouse_does(ui, cx);
    }

    fn changed(
        &mut self,
        cx: &mut Cx<'_>,
        of: CurveOf,
        ticks: &[Tick],
        change: CurveChange,
        hovered: &mut Option<BoneId>,
    ) {
        match change {
            CurveChange::Replace(curve) => {
                if !self.held {
                    cx.command(Command::BeginGesture);
                    self.held = true;
                }
                let level = curve.is_flat() && curve.eval(0.0) == 1.0;
                let curve = (!level).then_some(curve);
                cx.command(match of {
                    CurveOf::Row(row) => Command::SetCurve(row, curve),
                    CurveOf::Term(term) => Command::SetTermCurve(term, curve),
                });
            }
            CurveChange::Committed => {
                self.held = false;
                cx.command(Command::EndGesture);
            }
            CurveChange::SelectJoint(i) => cx.command(Command::Select(vec![ticks[i].bone], Pick::Replace)),
            CurveChange::HoverJoint(i) => *hovered = Some(ticks[i].bone),
            CurveChange::SetBase(value) => {
                let chains = reached(cx.session());
                let (edit, label) = match of {
                    CurveOf::Row(row) => cx.session().set_base(&chains, row, value),
                    CurveOf::Term(term) => cx.session().set_term_base(&chains, term, value),
                };
                cx.command(Command::Apply(edit, label));
            }
            CurveChange::SetAlong(curve_editor::Along::Length) => cx.command(Command::SetAlong(Along::Length)),
            CurveChange::SetAlong(curve_editor::Along::Depth) => cx.command(Command::SetAlong(Along::Depth)),
            CurveChange::ToggleBox => self.unboxed = !self.unboxed,
        }
    }

    /// Hover is one state for all panels: it is said when it begins and when it ends, and never in between.
    fn hover(&mut self, cx: &mut Cx<'_>, hovered: Option<BoneId>) {
        let known = cx.session().selection().hovered;
        if (hovered.is_some() && hovered != known) || (hovered.is_none() && self.hovering) {
            cx.command(Command::Hover(hovered));
        }
        self.hovering = hovered.is_some();
    }
}

/// The chains that a change of the curve reaches: all that are selected and moved by the tuned solver, also when only
/// some joints are.
fn reached(session: &Session) -> Vec<ChainId> {
    let mut chains = session.selection().chains(session.document());
    let solver = session.system().solver;
    chains.retain(|id| session.is_under(*id, solver));
    chains
}

/// What is in the drawer, and of which chain: what was asked for, or the first row with a curve.
fn shown(cx: &Cx<'_>) -> Option<(ChainId, CurveOf)> {
    let chain = cx.session().active_chain()?;
    let rows = || rows_with_curve(cx.session()).map(|(row, _)| CurveOf::Row(row));
    // It may have been asked for under a solver with other rows, or without that term.
    let is_there = |asked: &CurveOf| match asked {
        CurveOf::Row(_) => rows().any(|row| row == *asked),
        CurveOf::Term(term) => cx.session().term_of(chain, *term).is_some(),
    };
    Some((chain, cx.state.curve.filter(is_there).or_else(|| rows().next())?))
}

fn rows_with_curve(session: &Session) -> impl Iterator<Item = (Row, &'static ParamDef)> + use<> {
    schema::rows(session.system().table()).filter(|(_, def)| def.curve && def.scope == RowScope::Joint)
}

fn def_of(session: &Session, of: CurveOf) -> &'static ParamDef {
    match of {
        CurveOf::Row(row) => session.system().def(row),
        CurveOf::Term(term) => term.def(),
    }
}

fn number_format_of(session: &Session, of: CurveOf) -> NumberFormat {
    match of {
        CurveOf::Row(row) => format_of(session.system().def(row)),
        CurveOf::Term(term) => number_format(term),
    }
}

fn curve_of(session: &Session, chain: ChainId, of: CurveOf) -> Option<Curve> {
    match of {
        CurveOf::Row(row) => session.curve_of(chain, row),
        CurveOf::Term(term) => session.term_of(chain, term).and_then(|authored| authored.curve),
    }
}

fn base_of(session: &Session, chain: ChainId, of: CurveOf) -> Option<f32> {
    match of {
        CurveOf::Row(row) => session.base_of(chain, row),
        CurveOf::Term(term) => session.term_of(chain, term).map(|authored| authored.base),
    }
}

/// Terms are numbered behind all rows.
fn subject(chain: ChainId, of: CurveOf) -> u64 {
    let number = match of {
        CurveOf::Row(row) => u64::from(row.0),
        CurveOf::Term(term) => 0xff00 + term as u64,
    };
    u64::from(chain.0) << 16 | number
}

/// The joints in order of their place.
fn ticks(cx: &Cx<'_>, id: ChainId, of: CurveOf) -> Vec<Tick> {
    let session = cx.session();
    let chain = &session.document().chains[&id];
    let format = number_format_of(session, of);
    let values = match of {
        CurveOf::Row(row) => session.joint_values(id, row),
        CurveOf::Term(term) => session.term_values(id, term),
    };
    let tick = |(i, (t, value)): (usize, (f32, f32))| {
        let bone = chain.joints[i].bone;
        let meaning = match of {
            CurveOf::Row(row) => meaning_words(&cx.theme, session.joint_meaning(id, bone, row)),
            CurveOf::Term(_) => String::new(),
        };
        Tick { bone, t, number: format!("{:02}", i + 1), value: format.text(value), meaning }
    };
    let mut ticks: Vec<Tick> = values.into_iter().enumerate().map(tick).collect();
    ticks.sort_by(|a, b| a.t.total_cmp(&b.t));
    ticks
}

fn marks<'a>(session: &Session, ticks: &'a [Tick]) -> Vec<JointMark<'a>> {
    let selection = session.selection();
    let mark = |tick: &'a Tick| JointMark {
        t: tick.t,
        number: &tick.number,
        value: &tick.value,
        meaning: &tick.meaning,
        active: selection.active == Some(tick.bone),
        lit: selection.hovered == Some(tick.bone),
    };
    ticks.iter().map(mark).collect()
}

/// What the base means at the root of the chain, where the curve usually is 1.
fn base_hint(cx: &Cx<'_>, chain: ChainId, of: CurveOf) -> String {
    match of {
        CurveOf::Row(row) => meaning_words(&cx.theme, cx.session().base_meaning(chain, row)),
        CurveOf::Term(_) => String::new(),
    }
}

/// Whose curve it is, at the right of the tabs; the row can be chosen there.
pub(super) fn breadcrumb_ui(ui: &mut Ui, cx: &mut Cx<'_>) {
    let Some((chain, of)) = shown(cx) else { return };
    let theme = cx.theme;
    let def = def_of(cx.session(), of);
    let words = words::param_label(theme.lang, def);
    ui.spacing_mut().item_spacing.x = 4.0;
    ui.spacing_mut().button_padding.x = 4.0;
    let color = theme.role(Role::of(def.idea));
    let name = egui::Button::new(Text::Strong.rich(&*words).color(color)).frame(false);
    let name = ui.add(name).on_hover_text(cx.tr("drawer.choose_curve"));
    name.widget_info(|| WidgetInfo {
        current_text_value: Some(words.to_string()),
        ..WidgetInfo::labeled(Kind::ComboBox, true, cx.tr("drawer.choose_curve"))
    });
    Popup::menu(&name).show(|ui| {
        for (other, curved) in choices(cx.session()) {
            let words = words::param_label(theme.lang, def_of(cx.session(), other));
            let text = if curved { Text::Strong.rich(&*words) } else { Text::Body.rich(&*words) };
            if ui.add(egui::Button::new(text).selected(other == of)).clicked() {
                cx.state.curve = Some(other);
            }
        }
    });
    let (rect, _) = ui.allocate_exact_size(vec2(12.0, 16.0), Sense::hover());
    icons::paint_icon(ui.painter(), rect.center(), icons::CARET_RIGHT, 11.0, theme.color.text_3);
    let name = cx.session().document().chains[&chain].name.clone();
    let chains = reached(cx.session()).len();
    if chains < 2 {
        ui.add(egui::Label::new(Text::Small.rich(name).color(theme.color.text_2)).truncate());
        return;
    }
    let values = [("name", name.as_str()), ("n", &chains.to_string())];
    let words = Text::Small.rich(cx.tr_with("drawer.first_of", &values)).color(theme.color.text_2);
    let label = ui.add(egui::Label::new(words).truncate());
    label.on_hover_text(cx.tr_with("drawer.first_of_hint", &values));
}

/// What the drawer can show of the tuned chains, terms first, and whether it has a curve.
fn choices(session: &Session) -> Vec<(CurveOf, bool)> {
    let terms = Term::ALL.into_iter().map(|term| session.term_view(term)).filter(|view| view.cannot.is_none());
    let terms = terms.map(|view| (CurveOf::Term(view.term), view.curved));
    let rows = rows_with_curve(session).map(|(row, _)| (CurveOf::Row(row), session.row_view(row).curved));
    terms.chain(rows).collect()
}

fn nothing_ui(ui: &Ui, cx: &Cx<'_>) {
    let at = ui.max_rect().center();
    let words = cx.tr("drawer.pick_chain");
    crate::ui::widgets::paint::text(ui.painter(), at, Align2::CENTER_CENTER, &words, Text::Body, cx.theme.color.text_3);
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
