//! What is laid along a chain by a curve: a row of the solver, or a term of feel.

use super::{Before, Curves, caret_ui, def_of, name_of, name_ui};
use crate::document::{Along, ChainId};
use crate::math::{Curve, CurveShape};
use crate::rig::BoneId;
use crate::schema::{self, ParamDef, Row, Scope as RowScope};
use crate::session::{Command, Pick, Session};
use crate::sim::Term;
use crate::ui::kit::curve_editor::{self, Axis, Base, CurveChange, CurveView, JointMark, curve_editor};
use crate::ui::kit::number::NumberFormat;
use crate::ui::kit::theme::Role;
use crate::ui::panels::inspector::{format_of, meaning_words, number_format};
use crate::ui::{CurveOf, Cx};
use egui::Ui;

/// What runs along a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Laid {
    Row(Row),
    Term(Term),
}

/// A joint of the shown chain, ready to be drawn.
struct Tick {
    bone: BoneId,
    t: f32,
    number: String,
    value: String,
    own: Option<f32>,
    meaning: String,
}

impl Laid {
    pub(super) fn asked(of: CurveOf) -> Option<Self> {
        match of {
            CurveOf::Row(row) => Some(Self::Row(row)),
            CurveOf::Term(term) => Some(Self::Term(term)),
            CurveOf::Side(_) => None,
        }
    }

    fn of(self) -> CurveOf {
        match self {
            Self::Row(row) => CurveOf::Row(row),
            Self::Term(term) => CurveOf::Term(term),
        }
    }
}

impl Curves {
    pub(super) fn chain_ui(&mut self, ui: &mut Ui, cx: &mut Cx<'_>, chain: ChainId, of: Laid) {
        let session = cx.session();
        let curve = curve_of(session, chain, of).unwrap_or_else(|| Curve::constant(1.0));
        let subject = subject(chain, of);
        self.open(subject, &curve, || Before::Curve(curve.clone()));
        let before = match &self.ghost {
            Some((_, Before::Curve(before))) => Some(before),
            _ => None,
        };
        let name = name_of(cx, of.of());
        let ticks = ticks(cx, chain, of, &curve);
        let marks = marks(session, &ticks);
        let hint = base_hint(cx, chain, of);
        let along = match session.document().chains[&chain].along {
            Along::Length => curve_editor::Along::Length,
            Along::Depth => curve_editor::Along::Depth,
        };
        let format = number_format_of(session, of);
        let view = CurveView {
            name: &name,
            curve: &curve,
            before,
            axis: Axis::Chain { joints: &marks, along, can_choose_along: true },
            base: Some(Base { value: base_of(session, chain, of), format, hint: &hint }),
            role: Role::of(def_of(session, of.of()).idea),
            boxed: !self.unboxed,
            shapes: &CurveShape::ALONG,
            is_straight: false,
            subject,
        };
        let mut hovered = None;
        for change in curve_editor(ui, &view) {
            self.chain_changed(cx, of, &ticks, change, &mut hovered);
        }
        self.hover(cx, hovered);
    }

    fn chain_changed(
        &mut self,
        cx: &mut Cx<'_>,
        of: Laid,
        ticks: &[Tick],
        change: CurveChange,
        hovered: &mut Option<BoneId>,
    ) {
        match change {
            CurveChange::Replace(curve) => {
                self.begin(cx);
                let level = curve.is_flat() && curve.eval(0.0) == 1.0;
                let curve = (!level).then_some(curve);
                cx.command(match of {
                    Laid::Row(row) => Command::SetCurve(row, curve),
                    Laid::Term(term) => Command::SetTermCurve(term, curve),
                });
            }
            CurveChange::Committed => self.end(cx),
            CurveChange::Cancelled => self.cancel(cx),
            CurveChange::SelectJoint(i) => cx.command(Command::Select(vec![ticks[i].bone], Pick::Replace)),
            CurveChange::HoverJoint(i) => *hovered = Some(ticks[i].bone),
            CurveChange::SetBase(value) => {
                let chains = reached(cx.session());
                cx.command(match of {
                    Laid::Row(row) => Command::SetBase(chains, row, value),
                    Laid::Term(term) => Command::SetTermBase(chains, term, value),
                });
            }
            CurveChange::SetAlong(curve_editor::Along::Length) => cx.command(Command::SetAlong(Along::Length)),
            CurveChange::SetAlong(curve_editor::Along::Depth) => cx.command(Command::SetAlong(Along::Depth)),
            CurveChange::ToggleBox => self.unboxed = !self.unboxed,
            // A chain ends where it ends.
            CurveChange::SetEnd(_) | CurveChange::MoveBeyond(..) => {}
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
    let solver = session.inspection().system().solver;
    chains.retain(|id| session.inspection().is_under(*id, solver));
    chains
}

pub(super) fn rows_with_curve(session: &Session) -> impl Iterator<Item = (Row, &'static ParamDef)> + use<> {
    schema::rows(session.inspection().system().table()).filter(|(_, def)| def.curve && def.scope == RowScope::Joint)
}

fn number_format_of(session: &Session, of: Laid) -> NumberFormat {
    match of {
        Laid::Row(row) => format_of(session.inspection().system().def(row)),
        Laid::Term(term) => number_format(term),
    }
}

fn curve_of(session: &Session, chain: ChainId, of: Laid) -> Option<Curve> {
    match of {
        Laid::Row(row) => session.inspection().curve_of(chain, row),
        Laid::Term(term) => session.inspection().term_of(chain, term).and_then(|authored| authored.curve),
    }
}

fn base_of(session: &Session, chain: ChainId, of: Laid) -> Option<f32> {
    match of {
        Laid::Row(row) => session.inspection().base_of(chain, row),
        Laid::Term(term) => session.inspection().term_of(chain, term).map(|authored| authored.base),
    }
}

/// Terms are numbered behind all rows.
fn subject(chain: ChainId, of: Laid) -> u64 {
    let number = match of {
        Laid::Row(row) => u64::from(row.0),
        Laid::Term(term) => 0xff00 + term as u64,
    };
    u64::from(chain.0) << 16 | number
}

/// The joints in order of their place.
fn ticks(cx: &Cx<'_>, id: ChainId, of: Laid, curve: &Curve) -> Vec<Tick> {
    let session = cx.session();
    let base = base_of(session, id, of).unwrap_or_default();
    let chain = &session.document().chains[&id];
    let format = number_format_of(session, of);
    let values = match of {
        Laid::Row(row) => session.inspection().joint_values(id, row),
        Laid::Term(term) => session.inspection().term_values(id, term),
    };
    let tick = |(i, (t, value)): (usize, (f32, f32))| {
        let bone = chain.joints[i].bone;
        let meaning = match of {
            Laid::Row(row) => meaning_words(&cx.theme, session.inspection().joint_meaning(id, bone, row)),
            Laid::Term(_) => String::new(),
        };
        let own = own_factor(value, base, curve.eval(t));
        Tick { bone, t, number: format!("{:02}", i + 1), value: format.text(value), own, meaning }
    };
    let mut ticks: Vec<Tick> = values.into_iter().enumerate().map(tick).collect();
    ticks.sort_by(|a, b| a.t.total_cmp(&b.t));
    ticks
}

/// The factor of `base` that gives `value`; `None` if the curve gives `value` already.
fn own_factor(value: f32, base: f32, on_curve: f32) -> Option<f32> {
    let factor = value / base;
    // Fitted curves and terms of feel differ from the value by rounding. A base of 0 makes infinities of own values.
    (!factor.is_nan() && (factor - on_curve).abs() > 1e-3 * on_curve.abs().max(1.0)).then_some(factor)
}

fn marks<'a>(session: &Session, ticks: &'a [Tick]) -> Vec<JointMark<'a>> {
    let selection = session.selection();
    let mark = |tick: &'a Tick| JointMark {
        t: tick.t,
        number: &tick.number,
        value: &tick.value,
        own: tick.own,
        meaning: &tick.meaning,
        active: selection.active == Some(tick.bone),
        lit: selection.hovered == Some(tick.bone),
    };
    ticks.iter().map(mark).collect()
}

/// What the base means at the root of the chain, where the curve usually is 1.
fn base_hint(cx: &Cx<'_>, chain: ChainId, of: Laid) -> String {
    match of {
        Laid::Row(row) => meaning_words(&cx.theme, cx.session().inspection().base_meaning(chain, row)),
        Laid::Term(_) => String::new(),
    }
}

/// The chain whose curve it is, and how many others a change reaches.
pub(super) fn whose_ui(ui: &mut Ui, cx: &Cx<'_>, chain: ChainId) {
    caret_ui(ui, cx);
    let name = cx.session().document().chains[&chain].name.clone();
    let chains = reached(cx.session()).len();
    if chains < 2 {
        name_ui(ui, &name, cx.theme.color.text_2);
        return;
    }
    let values = [("name", name.as_str()), ("n", &chains.to_string())];
    let label = name_ui(ui, &cx.tr_with("drawer.first_of", &values), cx.theme.color.text_2);
    label.on_hover_text(cx.tr_with("drawer.first_of_hint", &values));
}
