//! The curve of a parameter or a feel term along a chain.

use super::ring::RingColumn;
use super::{ChainCurve, CurveBackup, CurvesTab, caret_ui, def_of, name_of, name_ui};
use crate::tr;
use crate::ui::UiContext;
use crate::ui::kit::curve_editor::{
    self, BaseValue, CurveAxis, CurveChange, CurveEditorInput, JointMark, SideColumn, curve_editor,
};
use crate::ui::kit::number::NumberFormat;
use crate::ui::kit::theme::ColorRole;
use crate::ui::panels::inspector::{derived_quantity_text, number_format};
use egui::{Ui, UiBuilder};
use yuremono_model::document::{ChainId, CurveDomain};
use yuremono_session::{Command, SelectMode, Session};
use yuremono_sim::math::{Curve, CurveShape};
use yuremono_sim::rig::BoneId;

/// A joint of the displayed chain, with its labels.
struct JointValue {
    bone: BoneId,
    t: f32,
    number: String,
    value: String,
    override_factor: Option<f32>,
    meaning: String,
}

impl CurvesTab {
    pub(super) fn chain_ui(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>, chain: ChainId, of: ChainCurve) {
        let session = cx.session();
        let curve = curve_of(session, chain, of).unwrap_or_else(|| Curve::constant(1.0));
        let subject = subject_id(chain, of);
        self.open(subject, &curve, || CurveBackup::Curve(curve.clone()));
        let before = match &self.backup {
            Some((_, CurveBackup::Curve(before))) => Some(before),
            _ => None,
        };
        let name = name_of(cx, of.curve_ref());
        let ticks = joint_values(cx, chain, of, &curve);
        let marks = joint_marks(session, &ticks);
        let hint = base_hint(cx, chain, of);
        let along = match session.document().chains[&chain].curve_domain {
            CurveDomain::Length => curve_editor::AxisDomain::Length,
            CurveDomain::Depth => curve_editor::AxisDomain::Depth,
        };
        let format = number_format_of(session, of);
        let body = ui.available_rect_before_wrap();
        let columns = RingColumn::of(cx, chain, of).map(|column| (self.place_ring_column(&column, body), column));
        let view = CurveEditorInput {
            name: &name,
            curve: &curve,
            before,
            axis: CurveAxis::Chain { joints: &marks, domain: along, can_choose_domain: true },
            base: Some(BaseValue { value: base_of(session, chain, of), format, hint: &hint }),
            role: ColorRole::for_meaning(def_of(session, of.curve_ref()).meaning),
            locked_to_unit_range: !self.unlocked_range,
            shapes: &CurveShape::FOR_CHAINS,
            is_straight: false,
            subject,
            side: columns.as_ref().map_or(SideColumn::Shown, |(column_layout, _)| column_layout.side),
        };
        let mut hovered = None;
        let split = columns.as_ref().map_or(body.right(), |(column_layout, _)| column_layout.ring.left());
        let mut inner = ui.new_child(UiBuilder::new().max_rect(body.with_max_x(split)));
        for change in curve_editor(&mut inner, &view) {
            self.apply_chain_change(cx, of, &ticks, change, &mut hovered);
        }
        self.hover(cx, hovered);
        if let Some((column_layout, column)) = columns {
            self.ring_column_ui(ui, cx, &column_layout, &column, chain, of);
        }
    }

    fn apply_chain_change(
        &mut self,
        cx: &mut UiContext<'_>,
        of: ChainCurve,
        ticks: &[JointValue],
        change: CurveChange,
        hovered: &mut Option<BoneId>,
    ) {
        match change {
            CurveChange::Replace(curve) => {
                self.begin(cx);
                let level = curve.is_flat() && curve.eval(0.0) == 1.0;
                let curve = (!level).then_some(curve);
                cx.command(match of {
                    ChainCurve::Param(param) => Command::SetParamCurve(param, curve),
                    ChainCurve::Feel(term) => Command::SetFeelCurve(term, curve),
                });
            }
            CurveChange::Committed => self.end(cx),
            CurveChange::Cancelled => self.cancel(cx),
            CurveChange::SelectJoint(i) => cx.command(Command::Select(vec![ticks[i].bone], SelectMode::Replace)),
            CurveChange::HoverJoint(i) => *hovered = Some(ticks[i].bone),
            CurveChange::SetBase(value) => {
                let chains = affected_chains(cx.session());
                cx.command(match of {
                    ChainCurve::Param(param) => Command::SetParamBase(chains, param, value),
                    ChainCurve::Feel(term) => Command::SetFeelBase(chains, term, value),
                });
            }
            CurveChange::SetDomain(domain) => cx.command(Command::SetCurveDomain(match domain {
                curve_editor::AxisDomain::Length => CurveDomain::Length,
                curve_editor::AxisDomain::Depth => CurveDomain::Depth,
            })),
            CurveChange::ToggleUnitRange => self.unlocked_range = !self.unlocked_range,
            // The curve domain of a chain has a fixed end, so the editor never sends these changes.
            CurveChange::SetEnd(_) | CurveChange::MoveKeyPastEnd(..) => {}
        }
    }

    /// Reports the hovered joint. All panels share the hover state, so the tab sends a command only when the hovered
    /// joint changes or the hover ends.
    fn hover(&mut self, cx: &mut UiContext<'_>, hovered: Option<BoneId>) {
        let known = cx.selection().hovered;
        if (hovered.is_some() && hovered != known) || (hovered.is_none() && self.hovered_joint) {
            cx.command(Command::Hover(hovered));
        }
        self.hovered_joint = hovered.is_some();
    }
}

/// Returns the chains that an edit affects: the selected chains of the current solver, even if only some joints of a
/// chain are selected.
fn affected_chains(session: &Session) -> Vec<ChainId> {
    let mut chains = session.selection().chains(session.document());
    let solver = session.inspection().system().solver;
    chains.retain(|id| session.inspection().chain_uses_solver(*id, solver));
    chains
}

fn number_format_of(session: &Session, of: ChainCurve) -> NumberFormat {
    match of {
        ChainCurve::Param(param) => NumberFormat::for_param(session.inspection().system().def(param)),
        ChainCurve::Feel(term) => number_format(term),
    }
}

fn curve_of(session: &Session, chain: ChainId, of: ChainCurve) -> Option<Curve> {
    match of {
        ChainCurve::Param(param) => session.inspection().effective_curve(chain, param),
        ChainCurve::Feel(term) => {
            session.inspection().feel_chain_value(chain, term).and_then(|authored| authored.curve)
        }
    }
}

fn base_of(session: &Session, chain: ChainId, of: ChainCurve) -> Option<f32> {
    match of {
        ChainCurve::Param(param) => session.inspection().chain_base_value(chain, param),
        ChainCurve::Feel(term) => session.inspection().feel_chain_value(chain, term).map(|authored| authored.base),
    }
}

/// Returns the identity of a curve. The numbers of feel parameters start after those of all solver parameters.
fn subject_id(chain: ChainId, of: ChainCurve) -> u64 {
    let number = match of {
        ChainCurve::Param(param) => u64::from(param.0),
        ChainCurve::Feel(term) => 0xff00 + term as u64,
    };
    u64::from(chain.0) << 16 | number
}

/// Returns the joints in order of position.
fn joint_values(cx: &UiContext<'_>, id: ChainId, of: ChainCurve, curve: &Curve) -> Vec<JointValue> {
    let session = cx.session();
    let base = base_of(session, id, of).unwrap_or_default();
    let chain = &session.document().chains[&id];
    let format = number_format_of(session, of);
    let is_feel_in_ring = matches!(of, ChainCurve::Feel(_)) && chain.values.iter().any(|value| value.around.is_some());
    let factor = match of {
        ChainCurve::Param(param) => chain.ring_factor(param),
        ChainCurve::Feel(term) => session.inspection().feel_ring_factor(id, term),
    };
    let values = match of {
        ChainCurve::Param(param) => session.inspection().joint_values(id, param),
        ChainCurve::Feel(term) => session.inspection().feel_joint_values(id, term),
    };
    let tick = |(i, (t, value)): (usize, (f32, f32))| {
        let bone = chain.joints[i].bone;
        let meaning = match of {
            ChainCurve::Param(param) => {
                derived_quantity_text(&cx.theme, session.inspection().joint_derived_quantity(id, bone, param))
            }
            ChainCurve::Feel(_) => String::new(),
        };
        // The ring curves change the feel of every joint, so only values of the joint mark an override of a feel curve.
        let can_differ = !is_feel_in_ring || !chain.joints[i].overrides.is_empty();
        let joint_factor = override_factor(value, base, curve.eval(t) * factor).filter(|_| can_differ);
        JointValue {
            bone,
            t,
            number: format!("{:02}", i + 1),
            value: format.text(value),
            override_factor: joint_factor,
            meaning,
        }
    };
    let mut ticks: Vec<JointValue> = values.into_iter().enumerate().map(tick).collect();
    ticks.sort_by(|a, b| a.t.total_cmp(&b.t));
    ticks
}

/// Returns the factor that turns `base` into `value`, or `None` if the curve already produces `value`.
fn override_factor(value: f32, base: f32, on_curve: f32) -> Option<f32> {
    let factor = value / base;
    // Fitted curves and feel terms have rounding errors. If `base` and `value` are both 0, the factor is NaN.
    (!factor.is_nan() && (factor - on_curve).abs() > 1e-3 * on_curve.abs().max(1.0)).then_some(factor)
}

fn joint_marks<'a>(session: &Session, ticks: &'a [JointValue]) -> Vec<JointMark<'a>> {
    let selection = session.selection();
    let mark = |tick: &'a JointValue| JointMark {
        t: tick.t,
        number: &tick.number,
        value: &tick.value,
        override_factor: tick.override_factor,
        meaning: &tick.meaning,
        active: selection.active == Some(tick.bone),
        highlighted: selection.hovered == Some(tick.bone),
    };
    ticks.iter().map(mark).collect()
}

/// Returns the derived quantity of the base value. This is the value where the curve has the factor 1, usually at the
/// root.
fn base_hint(cx: &UiContext<'_>, chain: ChainId, of: ChainCurve) -> String {
    match of {
        ChainCurve::Param(param) => {
            derived_quantity_text(&cx.theme, cx.inspection().base_derived_quantity(chain, param))
        }
        ChainCurve::Feel(_) => String::new(),
    }
}

/// Draws the name of the curve's chain. If an edit affects several chains, also draws their number.
pub(super) fn chain_breadcrumb_ui(ui: &mut Ui, cx: &UiContext<'_>, chain: ChainId) {
    caret_ui(ui, cx);
    let name = cx.document().chains[&chain].name.clone();
    let chains = affected_chains(cx.session()).len();
    if chains < 2 {
        name_ui(ui, &name, cx.theme.color.text_2);
        return;
    }
    let text = tr!(cx, "{name}; edits apply to {n:chain|chains}", name = &name, n = chains);
    let label = name_ui(ui, &text, cx.theme.color.text_2);
    label.on_hover_text(tr!(
        cx,
        "The curve of {name}. An edit gives all {n:selected chain|selected chains} the same curve.",
        name,
        n = chains
    ));
}
