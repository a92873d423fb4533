//! The curve tab shows a parameter along the active chain, or a curve of the current component.

mod chain;
mod component;
mod ring;

use crate::tr;
use crate::ui::kit::i18n;
use crate::ui::kit::icons;
use crate::ui::kit::paint::ElidedName;
use crate::ui::kit::theme::{ColorRole, TextSize};
use crate::ui::kit::tokens::space;
use crate::ui::{ComponentCurveRef, CurveRef, UiContext};
use egui::{Align2, Color32, Popup, Response, Role as Kind, ScrollArea, Sense, Ui, WidgetInfo, vec2};
use std::borrow::Cow;
use yuremono_model::document::{ChainId, ComponentLists, ListCurveId};
use yuremono_session::{Command, Session};
use yuremono_sim::FeelParam;
use yuremono_sim::diagnostics::message;
use yuremono_sim::math::Curve;
use yuremono_sim::params::{self, ParamDef, ParamId, ParamScope};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ChainCurve {
    Param(ParamId),
    Feel(FeelParam),
}

impl ChainCurve {
    fn from_ref(of: CurveRef) -> Option<Self> {
        match of {
            CurveRef::Param(param) => Some(Self::Param(param)),
            CurveRef::Feel(term) => Some(Self::Feel(term)),
            CurveRef::Component(_) => None,
        }
    }

    fn curve_ref(self) -> CurveRef {
        match self {
            Self::Param(param) => CurveRef::Param(param),
            Self::Feel(term) => CurveRef::Feel(term),
        }
    }
}

#[derive(Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a state of its own")]
pub(super) struct CurvesTab {
    /// Identity of the shown curve, and the curve's state when the tab opened the curve.
    backup: Option<(u64, CurveBackup)>,
    /// Whether a drag is in progress.
    in_gesture: bool,
    /// Whether the artist unlocked the plot range of 0 to 1.
    unlocked_range: bool,
    /// Whether the pointer was over a joint in the last frame.
    hovered_joint: bool,
    /// Visible span of a curve over a distance, in metres.
    visible_span: Option<[f32; 2]>,
    /// Whether the column at the right shows the ring, if there is no space for the ring and the fields of the curve.
    shows_ring: bool,
}

#[derive(Debug)]
enum CurveBackup {
    Curve(Curve),
    Lists(Box<ComponentLists>),
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum ShownCurve {
    Chain(ChainId, ChainCurve),
    Component(ComponentCurveRef, ListCurveId),
}

impl CurvesTab {
    /// Drops the backup when the drawer closes or the curve disappears.
    pub(super) fn forget_backup(&mut self) {
        self.backup = None;
    }

    pub(super) fn show(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>) {
        // If the dragged curve disappears, the curve editor sends no end of the drag.
        self.in_gesture &= ui.input(|i| i.pointer.any_down() || i.pointer.any_released());
        match shown_curve(cx) {
            Some(ShownCurve::Chain(chain, of)) => self.chain_ui(ui, cx, chain, of),
            Some(ShownCurve::Component(_, curve_id)) => self.component_ui(ui, cx, curve_id),
            None => {
                self.forget_backup();
                return no_curve_ui(ui, cx);
            }
        }
        let hints = [
            (message!("Drag{:mouse}"), message!("key")),
            (message!("Double-click"), message!("add key on line")),
            (message!("Delete{:key}"), message!("remove")),
            (message!("Shift"), message!("lock axis")),
            (message!("Esc"), message!("revert")),
        ];
        cx.set_mouse_hints(ui, &hints);
    }

    /// Makes a new backup if the subject changes.
    fn open(&mut self, subject: u64, curve: &Curve, before: impl FnOnce() -> CurveBackup) {
        if self.backup.as_ref().is_none_or(|(known, _)| *known != subject) {
            self.backup = Some((subject, before()));
            self.unlocked_range = curve.keys().iter().any(|k| !(0.0..=1.0).contains(&k.value));
            self.visible_span = None;
        }
    }

    /// Starts the undo group of a drag.
    fn begin(&mut self, cx: &mut UiContext<'_>) {
        if !self.in_gesture {
            cx.command(Command::BeginUndoGroup);
            self.in_gesture = true;
        }
    }

    fn end(&mut self, cx: &mut UiContext<'_>) {
        self.in_gesture = false;
        cx.command(Command::EndUndoGroup);
    }

    /// Cancels the drag and restores the backup.
    fn cancel(&mut self, cx: &mut UiContext<'_>) {
        if std::mem::take(&mut self.in_gesture) {
            cx.command(Command::CancelUndoGroup);
        }
    }
}

/// Returns the requested curve. Without a request, returns the first parameter with a curve.
fn shown_curve(cx: &UiContext<'_>) -> Option<ShownCurve> {
    let session = cx.session();
    if let Some(CurveRef::Component(of)) = cx.state.shown_curve
        && let Some(curve_id) = of.resolve(session)
        && session.inspection().system().component_lists.list_curve(curve_id, None).is_some()
    {
        return Some(ShownCurve::Component(of, curve_id));
    }
    let chain = session.inspection().active_chain()?;
    let rows = || params_with_curve(session).map(|(param, _)| ChainCurve::Param(param));
    // The request may belong to another solver that has other parameters or terms.
    let is_there = |requested: &ChainCurve| match requested {
        ChainCurve::Param(_) => rows().any(|param| param == *requested),
        ChainCurve::Feel(term) => session.inspection().feel_chain_value(chain, *term).is_some(),
    };
    let requested = cx.state.shown_curve.and_then(ChainCurve::from_ref).filter(is_there);
    Some(ShownCurve::Chain(chain, requested.or_else(|| rows().next())?))
}

impl ShownCurve {
    fn curve_ref(self) -> CurveRef {
        match self {
            Self::Chain(_, of) => of.curve_ref(),
            Self::Component(of, _) => CurveRef::Component(of),
        }
    }
}

fn def_of(session: &Session, of: CurveRef) -> &'static ParamDef {
    match of {
        CurveRef::Param(param) => session.inspection().system().def(param),
        CurveRef::Feel(term) => term.def(),
        CurveRef::Component(of) => {
            let (side, curve) = of.list_and_curve();
            &side.curves()[curve]
        }
    }
}

fn name_of(cx: &UiContext<'_>, of: CurveRef) -> Cow<'static, str> {
    i18n::param_label(cx.theme.lang, def_of(cx.session(), of))
}

/// Draws the owner of the curve at the right of the tabs. A menu selects another curve.
pub(super) fn breadcrumb_ui(ui: &mut Ui, cx: &mut UiContext<'_>) {
    let Some(shown) = shown_curve(cx) else { return };
    ui.spacing_mut().item_spacing.x = space::XS;
    ui.spacing_mut().button_padding.x = 4.0;
    choice_ui(ui, cx, shown.curve_ref());
    match shown {
        ShownCurve::Chain(chain, _) => chain::chain_breadcrumb_ui(ui, cx, chain),
        ShownCurve::Component(_, curve_id) => component::component_breadcrumb_ui(ui, cx, curve_id),
    }
}

fn choice_ui(ui: &mut Ui, cx: &mut UiContext<'_>, of: CurveRef) {
    let text = name_of(cx, of);
    let color = cx.theme.role(ColorRole::for_meaning(def_of(cx.session(), of).meaning));
    let name = egui::Button::new(TextSize::Strong.rich(&*text).color(color)).frame(false);
    let name = ui.add(name).on_hover_text(tr!(cx, "Edited curve"));
    name.widget_info(|| WidgetInfo {
        current_text_value: Some(text.to_string()),
        ..WidgetInfo::labeled(Kind::ComboBox, true, tr!(cx, "Edited curve"))
    });
    // Components can have a large number of curves.
    let most = ui.ctx().content_rect().height() * 0.6;
    Popup::menu(&name).show(|ui| ScrollArea::vertical().max_height(most).show(ui, |ui| choices_ui(ui, cx, of)));
}

fn choices_ui(ui: &mut Ui, cx: &mut UiContext<'_>, of: CurveRef) {
    let choices = curve_choices(cx.session());
    for (at, (other, curved)) in choices.iter().enumerate() {
        // Curves of the component are separate, because some curves have the name of a parameter.
        if at > 0 && matches!(other, CurveRef::Component(_)) && !matches!(choices[at - 1].0, CurveRef::Component(_)) {
            ui.separator();
        }
        let name = choice_text(cx, *other);
        let text = if *curved { TextSize::Strong.rich(&*name) } else { TextSize::Body.rich(&*name) };
        if ui.add(egui::Button::new(text).selected(*other == of)).clicked() {
            cx.state.shown_curve = Some(*other);
        }
    }
}

/// Returns the name of a curve. If several entries have this curve, the name includes the entry.
fn choice_text(cx: &UiContext<'_>, of: CurveRef) -> String {
    let name = name_of(cx, of);
    let CurveRef::Component(side_of) = of else { return name.into_owned() };
    let entry = side_of.resolve(cx.session()).filter(|curve_id| !curve_id.list.is_single());
    entry.map_or_else(
        || name.to_string(),
        |curve_id| format!("{name} · {}", component::component_entry_text(cx, curve_id)),
    )
}

/// Returns the curves that the drawer can show, and whether each curve has a shape. Feel terms are first, then
/// parameters, then the component.
fn curve_choices(session: &Session) -> Vec<(CurveRef, bool)> {
    let chain = session.inspection().active_chain();
    let terms = FeelParam::ALL
        .into_iter()
        .map(|term| session.inspection().feel_param_view(term))
        .filter(|view| view.unavailable.is_none());
    let terms = terms.map(|view| (CurveRef::Feel(view.param), view.has_curve()));
    let rows = params_with_curve(session)
        .map(|(param, _)| (CurveRef::Param(param), session.inspection().param_view(param).has_curve()));
    let mut choices: Vec<_> = terms.chain(rows).filter(|_| chain.is_some()).collect();
    choices.extend(component::component_curves(session).map(|(of, curved)| (CurveRef::component(session, of), curved)));
    choices
}

fn caret_ui(ui: &mut Ui, cx: &UiContext<'_>) {
    let (rect, _) = ui.allocate_exact_size(vec2(12.0, 16.0), Sense::hover());
    icons::paint_icon(ui.painter(), rect.center(), icons::CARET_RIGHT, 11.0, cx.theme.color.text_3);
}

fn name_ui(ui: &mut Ui, text: &str, color: Color32) -> Response {
    let name = ElidedName::new(ui, text, TextSize::Small, color, ui.available_width());
    let (rect, response) = ui.allocate_exact_size(vec2(name.width(), TextSize::Small.token().line), Sense::hover());
    name.paint_left(ui.painter(), rect.left_center());
    response.widget_info(|| WidgetInfo::labeled(Kind::Label, true, text));
    name.with_tooltip(response)
}

fn no_curve_ui(ui: &Ui, cx: &UiContext<'_>) {
    let at = ui.max_rect().center();
    let text = tr!(cx, "Click hair or a chain to edit its curve here.");
    crate::ui::kit::paint::text(ui.painter(), at, Align2::CENTER_CENTER, &text, TextSize::Body, cx.theme.color.text_3);
}

fn params_with_curve(session: &Session) -> impl Iterator<Item = (ParamId, &'static ParamDef)> + use<> {
    params::enumerate_params(session.inspection().system().param_defs())
        .filter(|(_, def)| def.curve && def.scope == ParamScope::Joint)
}
