//! The parameter groups of the solver table, for joints and for the whole character, and the length limits of joints.

use super::label_line::{LABEL_LEFT, PERCENT, bar_command, extension_note, indented};
use super::material::material_ui;
use super::param_rows::flags_ui;
use super::param_rows::{ParamRows, limit_label};
use super::solver::{improvements_note, improvements_ui};
use crate::tr;
use crate::ui::kit::button::secondary;
use crate::ui::kit::collapsible_section::{CollapsibleSection, heading_ui};
use crate::ui::kit::icons::IconButton;
use crate::ui::kit::number::{NumberFormat, Span};
use crate::ui::kit::paint::ElidedName;
use crate::ui::kit::param_bar::ParamBar;
use crate::ui::kit::param_row::info_note;
use crate::ui::kit::theme::{ColorRole, TextSize};
use crate::ui::kit::toggle::chip;
use crate::ui::kit::tokens::{size, space};
use crate::ui::kit::{i18n, icons, paint};
use crate::ui::panels::labels::shape_icon;
use crate::ui::{Highlight, UiContext};
use egui::{Align, Layout, Popup, Sense, Ui, UiBuilder, vec2};
use std::borrow::Cow;
use yuremono_session::{
    BodyDirection, ColliderChoice, Command, LengthTargetView, ParamLine, ParamWarning, PivotSummary, Session,
    ValueSummary, param_lines,
};
use yuremono_sim::diagnostics::message;
use yuremono_sim::params::{ParamGroup, ParamId, ParamScope, Unit};

pub(super) fn joint_sections(ui: &mut Ui, cx: &mut UiContext<'_>, rows: &mut ParamRows<'_>) {
    for group in groups(cx, ParamScope::Joint) {
        joint_section(ui, cx, rows, group);
    }
}

/// Draws the groups of character parameters, which are closed by default.
pub(super) fn character_sections(ui: &mut Ui, cx: &mut UiContext<'_>, rows: &mut ParamRows<'_>) {
    ui.add_space(space::XS);
    let several = cx.document().systems.len() > 1;
    let note = if several { tr!(cx, "for all chains of this component") } else { tr!(cx, "applies to every chain") };
    heading_ui(ui, &tr!(cx, "Whole character"), &note);
    ui.push_id("character", |ui| {
        for group in groups(cx, ParamScope::System) {
            let title = group_name(cx, group);
            // The section stores its open state under the same id.
            let id = ui.make_persistent_id(("section", &*title));
            ui.data_mut(|d| *d.get_persisted_mut_or(id, false));
            // A parameter that is shown above all sections is not repeated in its section.
            let above = cx.inspection().preview_param();
            let mut lines = param_lines(cx.inspection().system().param_defs(), group, ParamScope::System);
            lines.retain(|entry| !matches!(entry, ParamLine::Single(param) if Some(*param) == above));
            let improved = group == ParamGroup::Improved;
            let fact = if improved { improvements_note(cx) } else { Cow::default() };
            CollapsibleSection { title: &title, note: &fact, switch: None }.show(ui, |ui| {
                if improved {
                    improvements_ui(ui, cx, rows, &lines);
                } else {
                    rows.entries_ui(ui, cx, &lines);
                }
            });
        }
    });
}

/// Returns the groups with parameters of a scope, in table order.
fn groups(cx: &UiContext<'_>, scope: ParamScope) -> Vec<ParamGroup> {
    let mut found = Vec::new();
    for def in cx.inspection().system().param_defs().iter().filter(|def| def.scope == scope) {
        if !found.contains(&def.group) {
            found.push(def.group);
        }
    }
    found
}

fn group_name(cx: &UiContext<'_>, group: ParamGroup) -> Cow<'static, str> {
    cx.tr(i18n::param_group_name(group))
}

/// Returns whether the sample character is open and nothing is selected.
pub(super) fn is_untouched_sample(cx: &UiContext<'_>) -> bool {
    cx.input.file.is_sample && cx.selection().bones.is_empty()
}

fn joint_section(ui: &mut Ui, cx: &mut UiContext<'_>, rows: &mut ParamRows<'_>, group: ParamGroup) {
    let title = group_name(cx, group);
    let mut lines = param_lines(cx.inspection().system().param_defs(), group, ParamScope::Joint);
    // Hides extensions from artists who tune for the program that the solver reproduces.
    lines.retain(|entry| !matches!(entry, ParamLine::Single(param) if cx.inspection().param_warning(*param) == Some(ParamWarning::ImprovedModeOnly)));
    let limits: Vec<ParamId> = lines
        .iter()
        .filter_map(|entry| match entry {
            ParamLine::LimitPair { active, .. } => Some(*active),
            ParamLine::Single(_) => None,
        })
        .collect();
    let on = limits.iter().any(|param| cx.inspection().any_toggle_on(*param));
    let fact = if limits.is_empty() { Cow::default() } else { pivot_note(cx) };
    let switch = (!limits.is_empty()).then_some(on);
    let out = CollapsibleSection { title: &title, note: &fact, switch }.show(ui, |ui| {
        let of_material = cx.inspection().system().solver.info().material_params;
        if lines.iter().any(|entry| matches!(entry, ParamLine::Single(param) if of_material.contains(param))) {
            material_ui(ui, cx);
        }
        rows.entries_ui(ui, cx, &lines);
        if group == ParamGroup::Spring {
            flags_ui(ui, cx);
        }
        if group == ParamGroup::LengthLimits
            && let Some(ParamLine::Single(param)) = lines.first()
        {
            length_limits_ui(ui, cx, rows.subject, *param);
        }
        if on {
            limit_directions_ui(ui, cx);
        }
        if group == ParamGroup::Collision {
            colliders_ui(ui, cx);
        }
    });
    if out.switched {
        cx.command(Command::SetLimitsEnabled(limits, !on));
    }
}

fn pivot_note(cx: &UiContext<'_>) -> Cow<'static, str> {
    match cx.inspection().pivots() {
        PivotSummary::None => tr!(cx, "no pivot"),
        PivotSummary::One(name) => tr!(cx, "pivot: {name}", name),
        PivotSummary::Many(n) => tr!(cx, "{n:pivot|pivots}", n),
    }
}

/// Lists the directions of the limits. The viewport shows the same directions.
fn limit_directions_ui(ui: &mut Ui, cx: &UiContext<'_>) {
    let direction = |direction| match direction {
        BodyDirection::Up => message!("up"),
        BodyDirection::Down => message!("down"),
        BodyDirection::Left => message!("character's left"),
        BodyDirection::Right => message!("character's right"),
        BodyDirection::Front => message!("forward"),
        BodyDirection::Back => message!("back"),
    };
    let directions = cx.inspection().limit_directions();
    let sentences: Vec<_> = directions
        .iter()
        .map(|limits| {
            tr!(
                cx,
                "{name}: − {minus}, + {plus}",
                name = limit_label(cx, limits.active),
                minus = direction(limits.negative),
                plus = direction(limits.positive)
            )
        })
        .collect();
    if !sentences.is_empty() {
        info_note(ui, &sentences.join("\n"), LABEL_LEFT);
    }
}

/// Draws the colliders of the selected joints as chips, and a menu of other colliders.
fn colliders_ui(ui: &mut Ui, cx: &mut UiContext<'_>) {
    let mut choices = cx.inspection().collider_choices();
    let by_groups = cx.inspection().supports_groups();
    if by_groups {
        // The groups of the chain decide which colliders apply. Colliders of single joints are also shown, so the
        // artist can remove them.
        choices.retain(|choice| choice.joints > 0);
        if choices.is_empty() {
            return;
        }
        info_note(
            ui,
            &tr!(cx, "These joints also have their own colliders. Saving into VRM makes them a group of the chain."),
            LABEL_LEFT,
        );
    }
    ui.add_space(space::XXS);
    if choices.is_empty() {
        info_note(ui, &tr!(cx, "This character has no colliders."), LABEL_LEFT);
        return;
    }
    indented(ui, space::XXS, |ui| {
        ui.horizontal_wrapped(|ui| {
            for choice in choices.iter().filter(|c| c.joints > 0) {
                collider_chip(ui, cx, choice);
            }
            let rest: Vec<_> = choices.iter().filter(|c| !c.all).collect();
            if !rest.is_empty() && !by_groups {
                add_chip(ui, cx, &rest);
            }
        });
    });
}

fn collider_chip(ui: &mut Ui, cx: &mut UiContext<'_>, choice: &ColliderChoice) {
    let text = if choice.all {
        choice.short_name.clone()
    } else {
        tr!(cx, "{name}, {n:joint|joints}", name = &choice.short_name, n = choice.joints).into_owned()
    };
    let shown = chip(ui, &text, Some(shape_icon(choice.shape)), false, None).on_hover_text(&choice.name);
    if shown.hovered() {
        cx.state.highlight = Some(Highlight::Collider(choice.id));
    }
    Popup::menu(&shown).show(|ui| {
        if ui.button(tr!(cx, "Unassign {name}", name = &choice.name)).clicked() {
            cx.command(Command::AssignColliders(vec![choice.id], false));
        }
    });
}

fn add_chip(ui: &mut Ui, cx: &mut UiContext<'_>, rest: &[&ColliderChoice]) {
    let add = chip(ui, &tr!(cx, "Add"), Some(icons::PLUS), false, None);
    Popup::menu(&add).show(|ui| {
        egui::ScrollArea::vertical().max_height(280.0).show(ui, |ui| {
            for choice in rest {
                if ui.add(egui::Button::new(TextSize::Body.rich(&choice.short_name))).clicked() {
                    cx.command(Command::AssignColliders(vec![choice.id], true));
                }
            }
        });
    });
}

const BAR_WIDTH: f32 = 88.0;
/// Maximum number of listed targets, because a selected skirt has hundreds of targets.
const MAX_TARGETS: usize = 24;

/// Draws the length limits of the selected joints. `param` is the stiffness parameter of the joints.
pub(super) fn length_limits_ui(ui: &mut Ui, cx: &mut UiContext<'_>, subject: u64, param: ParamId) {
    let views = cx.inspection().length_targets();
    let reached = cx.inspection().target_bones().len();
    if !views.is_empty()
        && let ValueSummary::Same(value) = cx.inspection().param_view(param).values
    {
        let raw = NumberFormat::for_unit(Unit::PerSecondSquared).text(value);
        info_note(ui, &tr!(cx, "{raw} in 1/s²; Unity uses 0.5.", raw), LABEL_LEFT);
    }
    let pull = if views.is_empty() { None } else { LengthStiffness::of(cx.session(), param) };
    for view in views.iter().take(MAX_TARGETS) {
        ui.push_id(view.node, |ui| length_limit_ui(ui, cx, subject, pull, view, reached));
    }
    if let Some(more) = views.len().checked_sub(MAX_TARGETS).filter(|n| *n > 0) {
        info_note(ui, &tr!(cx, "{n} more. Select fewer joints to see their links.", n = more), LABEL_LEFT);
    }
    link_ui(ui, cx);
}

/// The stiffness of the joints, if the stiffness has an effect.
#[derive(Clone, Copy)]
struct LengthStiffness {
    param: ParamId,
    /// Stiffness of the joints, in 1/s².
    joint_value: f32,
    /// Percentage of the error that is corrected per 1/s².
    percent_per_unit: f32,
}

impl LengthStiffness {
    fn of(session: &Session, param: ParamId) -> Option<Self> {
        if session.inspection().param_warning(param).is_some() {
            return None;
        }
        let factor = session.inspection().step_share_per_unit(param)? * 100.0;
        match session.inspection().param_view(param).values {
            ValueSummary::Same(joint) | ValueSummary::Mixed { high: joint, .. } => {
                Some(Self { param, joint_value: joint, percent_per_unit: factor })
            }
            ValueSummary::None => None,
        }
    }
}

fn length_limit_ui(
    ui: &mut Ui,
    cx: &mut UiContext<'_>,
    subject: u64,
    pull: Option<LengthStiffness>,
    view: &LengthTargetView,
    reached: usize,
) {
    let c = cx.theme.color;
    let text = if view.joints == reached {
        view.name.clone()
    } else {
        tr!(cx, "{name}, {n:joint|joints}", name = &view.name, n = view.joints).into_owned()
    };
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), size::ROW), Sense::hover());
    let name = ElidedName::new(ui, &text, TextSize::Body, c.text, rect.width() * 0.45);
    let name_rect = name.paint_left(ui.painter(), rect.left_center() + vec2(LABEL_LEFT, 0.0));
    let response = ui.interact(name_rect, ui.scope_id().with("name"), Sense::hover());
    response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Label, true, &text));
    response.on_hover_text(&view.name);
    let mut inner = ui.new_child(UiBuilder::new().max_rect(rect).layout(Layout::right_to_left(Align::Center)));
    let remove = tr!(cx, "Remove link to {name}", name = &view.name);
    if IconButton::new(icons::X, &remove).tiny().show(&mut inner).clicked() {
        cx.command(Command::RemoveLengthLimits(view.node));
    }
    if let (Some(rest), Some(now)) = (view.rest_distance, view.current_distance) {
        let metres = |m: f32| NumberFormat::for_unit(Unit::Metres).decimals(if m < 1.0 { 0 } else { 2 }).text(m);
        let text = tr!(cx, "rest {rest}, now {now}", rest = &metres(rest), now = &metres(now));
        let width = inner.available_rect_before_wrap().right() - name_rect.right() - 10.0;
        let galley = paint::elided(ui, &text, TextSize::Small, c.text_3, width);
        let (at, _) = inner.allocate_exact_size(galley.size(), Sense::hover());
        paint::paint_galley_left(ui.painter(), at.left_center(), galley);
    }
    if let Some(pull) = pull {
        stiffness_ui(ui, cx, subject, pull, view);
    }
}

/// Draws the stiffness of one target, in improved mode.
fn stiffness_ui(ui: &mut Ui, cx: &mut UiContext<'_>, subject: u64, pull: LengthStiffness, view: &LengthTargetView) {
    let LengthStiffness { param, joint_value: joint, percent_per_unit: factor } = pull;
    let name = &view.name;
    ui.horizontal(|ui| {
        ui.set_height(size::ROW);
        ui.add_space(LABEL_LEFT + 12.0);
        let Some(constant) = view.constant else {
            let button = secondary(&tr!(cx, "Own strength")).small().show(ui);
            let full = tr!(cx, "Own strength to {name}", name);
            if button.on_hover_text(full).clicked() {
                cx.command(stiffness_command(view, Some(joint)));
            }
            return;
        };
        ui.label(TextSize::Small.rich(tr!(cx, "Own strength")).color(cx.theme.color.text_2));
        let label = tr!(cx, "Strength to {name}", name);
        let bar = ParamBar {
            format: PERCENT,
            role: ColorRole::for_meaning(cx.inspection().system().def(param).meaning),
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
        let back = tr!(cx, "Use the joint's strength to {name}", name);
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

fn link_ui(ui: &mut Ui, cx: &mut UiContext<'_>) {
    let session = cx.session();
    let (others, active) = (session.inspection().can_link_lengths(), session.inspection().linkable_active_bone());
    if session.selection().bones.len() < 2 && session.selection().objects.is_empty() {
        info_note(ui, &tr!(cx, "Select several bones to link them."), LABEL_LEFT);
        return;
    }
    ui.add_space(3.0);
    indented(ui, space::XS, |ui| {
        ui.horizontal_wrapped(|ui| {
            if others && secondary(&tr!(cx, "Link to each other")).icon(icons::LINK_SIMPLE).small().show(ui).clicked() {
                cx.command(Command::AddLengthLimits { to_active: false });
            }
            if let Some(bone) = active {
                let label = tr!(cx, "Link to {name}", name = cx.inspection().bone_name(bone));
                if secondary(&label).icon(icons::LINK_SIMPLE).small().show(ui).clicked() {
                    cx.command(Command::AddLengthLimits { to_active: true });
                }
            }
        });
    });
}
