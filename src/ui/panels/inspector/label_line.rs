//! Shared lines of the inspector: labels, choices from a list, commands of bars and curves, and warnings below a row.

use crate::tr;
use crate::ui::kit::number::{NumberFormat, short_number};
use crate::ui::kit::param_bar::BarChange;
use crate::ui::kit::param_row::{ParamRow, ParamRowOutput, note_with_icon};
use crate::ui::kit::text_field::{NameField, RenameResult, search_field};
use crate::ui::kit::theme::Theme;
use crate::ui::kit::toggle::combo_button_at;
use crate::ui::kit::tokens::{radius, size, space};
use crate::ui::kit::{i18n, icons, paint};
use crate::ui::{CurveRef, DrawerTab, UiContext};
use egui::{
    Color32, Frame, Margin, Popup, PopupCloseBehavior, Rect, Role, ScrollArea, Sense, Ui, WidgetInfo, pos2, vec2,
};
use std::borrow::Cow;
use std::sync::Arc;
use yuremono_model::document::names::NamePattern;
use yuremono_session::{Command, ParamLine, ParamWarning};
use yuremono_sim::diagnostics::{MessageText, message};
use yuremono_sim::params::{ParamDef, ParamId, Unit};

/// Left edge of labels, in points. The changed marker is at the left of this edge.
pub(super) const LABEL_LEFT: f32 = 6.0;
const LABEL_WIDTH: f32 = 92.0;
pub(super) const PERCENT: NumberFormat = NumberFormat { unit: Unit::None, suffix: Some(" %"), decimals: None };

pub(super) struct LabelLine<'a> {
    pub(super) label: &'a str,
    /// Tooltip of the label, or empty.
    pub(super) tooltip: &'a str,
    pub(super) color: Color32,
    pub(super) highlights_on_hover: bool,
}

impl LabelLine<'_> {
    /// Draws the label. Returns the rectangle at the right of the label.
    pub(super) fn show(self, ui: &mut Ui) -> Rect {
        let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), size::ROW), Sense::hover());
        if self.highlights_on_hover && ui.rect_contains_pointer(rect) {
            ui.painter().rect_filled(rect.expand2(vec2(5.0, 0.0)), radius::FIELD, Theme::of(ui).color.hover);
        }
        let label = paint::fitted(ui, self.label, self.color, LABEL_WIDTH - 6.0);
        let text_rect = paint::paint_galley_left(ui.painter(), pos2(rect.left() + LABEL_LEFT, rect.center().y), label);
        if !self.tooltip.is_empty() {
            ui.interact(text_rect, ui.scope_id().with(("label", self.label)), Sense::hover())
                .on_hover_text(self.tooltip);
        }
        rect.with_min_x(rect.left() + LABEL_LEFT + LABEL_WIDTH)
    }
}

/// Returns the vertically centred part of a line that has the height of a bar.
pub(super) fn bar_height_rect(line: Rect) -> Rect {
    line.shrink2(vec2(0.0, (size::ROW - size::BAR) / 2.0))
}

/// Draws a name field. Returns a new name if the artist presses Enter or leaves the field.
pub(super) fn name_line(ui: &mut Ui, cx: &UiContext<'_>, label: MessageText, hint: &str, now: &str) -> Option<String> {
    let label = cx.tr(label);
    let line = LabelLine { label: &label, tooltip: "", color: cx.theme.color.text, highlights_on_hover: false };
    let field = bar_height_rect(line.show(ui));
    let id = ui.scope_id().with("name typed");
    let mut typed: String = ui.data(|d| d.get_temp(id)).unwrap_or_else(|| now.to_owned());
    let (response, renamed) =
        NameField { name: &label, hint, edge: None, takes_focus: false }.show(ui, field, &mut typed);
    if response.has_focus() {
        ui.data_mut(|d| d.insert_temp(id, typed));
        return None;
    }
    ui.data_mut(|d| d.remove::<String>(id));
    match renamed {
        RenameResult::Submitted(name) if name != now => Some(name),
        _ => None,
    }
}

/// Draws contents at the left edge of labels. `gap` is the space between rows, in points.
pub(super) fn indented(ui: &mut Ui, gap: f32, contents: impl FnOnce(&mut Ui)) {
    let margin = Margin { left: LABEL_LEFT as i8, ..Margin::ZERO };
    Frame::new().inner_margin(margin).show(ui, |ui| {
        ui.spacing_mut().item_spacing = vec2(space::S, gap);
        contents(ui);
    });
}

/// Width and height of the list, in points.
const LIST_SIZE: [f32; 2] = [240.0, 260.0];

pub(super) struct ChoicePicker<'a, T> {
    pub(super) label: &'a str,
    pub(super) tooltip: &'a str,
    pub(super) chosen_text: &'a str,
    /// Returns the choices with names, in order. Runs only when the list opens, because computing the choices may be
    /// expensive.
    pub(super) choices: &'a dyn Fn() -> Vec<(T, String)>,
    pub(super) searchable: bool,
    pub(super) has_effect: bool,
}

impl<'a, T> ChoicePicker<'a, T> {
    pub(super) fn new(
        label: &'a str,
        tooltip: &'a str,
        chosen_text: &'a str,
        choices: &'a dyn Fn() -> Vec<(T, String)>,
    ) -> Self {
        Self { label, tooltip, chosen_text, choices, searchable: false, has_effect: true }
    }
}

impl<T: Clone + Send + Sync + 'static> ChoicePicker<'_, T> {
    /// Draws the choice. Returns the chosen value.
    pub(super) fn show(self, ui: &mut Ui, cx: &UiContext<'_>) -> Option<T> {
        let c = cx.theme.color;
        let color = if self.has_effect { c.text } else { c.text_3 };
        let field = LabelLine { label: self.label, tooltip: self.tooltip, color, highlights_on_hover: false }.show(ui);
        let field = bar_height_rect(field);
        let button = ui.interact(field, ui.scope_id().with(("pick", self.label)), Sense::click());
        let name = format!("{}: {}", self.label, self.chosen_text);
        button.widget_info(|| WidgetInfo::labeled(Role::ComboBox, true, &name));
        combo_button_at(ui, field, &button, self.chosen_text, color, self.has_effect);
        let menu = Popup::menu(&button).close_behavior(PopupCloseBehavior::CloseOnClickOutside);
        let memory = button.id.with("all");
        if !menu.is_open() {
            ui.data_mut(|d| d.remove::<Arc<Vec<(T, String)>>>(memory));
        }
        let shown = menu.show(|ui| {
            ui.set_width(LIST_SIZE[1]);
            let known = ui.data(|d| d.get_temp::<Arc<Vec<(T, String)>>>(memory));
            let all = known.unwrap_or_else(|| {
                let all = Arc::new((self.choices)());
                ui.data_mut(|d| d.insert_temp(memory, all.clone()));
                all
            });
            let chosen = self.list_ui(ui, &all);
            if chosen.is_some() {
                ui.close();
            }
            chosen
        });
        shown.and_then(|shown| shown.inner)
    }

    fn list_ui(&self, ui: &mut Ui, all: &[(T, String)]) -> Option<T> {
        let id = ui.scope_id().with("typed");
        let mut typed: String = ui.data(|d| d.get_temp(id)).unwrap_or_default();
        if self.searchable {
            search_field(ui, &mut typed, &tr!(Theme::of(ui), "Bone or node name"), LIST_SIZE[1]);
            ui.data_mut(|d| d.insert_temp(id, typed.clone()));
            ui.add_space(space::XS);
        }
        let pattern = NamePattern::new(&typed);
        let found: Vec<&(T, String)> = all.iter().filter(|(_, name)| pattern.matches(name)).collect();
        let mut chosen = None;
        ScrollArea::vertical().max_height(LIST_SIZE[0]).auto_shrink([false, true]).show_rows(
            ui,
            size::ROW_TREE,
            found.len(),
            |ui, range| {
                for (thing, name) in found[range].iter().copied() {
                    let line = egui::Button::selectable(name == self.chosen_text, name.as_str())
                        .min_size(vec2(LIST_SIZE[1] - 16.0, size::ROW_TREE));
                    if ui.add(line).clicked() {
                        chosen = Some(thing.clone());
                    }
                }
            },
        );
        chosen
    }
}

/// Returns the command for a change of a bar. One drag is one undo step.
pub(super) fn bar_command(
    change: BarChange,
    set: impl FnOnce(f32) -> Command,
    scale: impl FnOnce(f32) -> Command,
) -> Command {
    match change {
        BarChange::Started => Command::BeginUndoGroup,
        BarChange::Set(value) => set(value),
        BarChange::ScaleBy(factor) => scale(factor),
        BarChange::Cancelled => Command::CancelUndoGroup,
        BarChange::Ended => Command::EndUndoGroup,
    }
}

/// Clamps a new value to the range of the parameter. The range includes the old value, which may come from a file.
pub(in crate::ui::panels) fn clamped_to_range(def: &ParamDef, old: f32, new: f32) -> f32 {
    new.clamp(def.range.0, def.range.1.max(old))
}

pub(super) fn curve_is_open(cx: &UiContext<'_>, curves: &[CurveRef]) -> bool {
    cx.state.drawer_tab == Some(DrawerTab::Curves) && cx.state.shown_curve.is_some_and(|curve| curves.contains(&curve))
}

/// Shows a curve in the drawer. If the drawer already shows the curve, closes the drawer.
pub(super) fn open_curve(cx: &mut UiContext<'_>, curve: CurveRef) {
    if curve_is_open(cx, &[curve]) {
        cx.state.drawer_tab = None;
    } else {
        cx.state.shown_curve = Some(curve);
        cx.state.drawer_tab = Some(DrawerTab::Curves);
    }
}

/// Icon of rows that are not available in Unity.
pub(super) const EXTENSION_ICON: icons::Icon = icons::LINK_BREAK;

/// Warnings of a line. If adjacent lines have equal warnings, only the last of these lines shows the warning.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct LineWarnings {
    warning: Option<ParamWarning>,
    is_extension: bool,
}

impl LineWarnings {
    pub(super) fn of(cx: &UiContext<'_>, entry: ParamLine) -> Self {
        let session = cx.session();
        match entry {
            ParamLine::Single(param) => Self {
                warning: session.inspection().param_warning(param),
                is_extension: session.inspection().is_active_extension(param),
            },
            // The switch of the limits already shows this warning.
            ParamLine::LimitPair { min, .. } => Self {
                warning: session.inspection().param_warning(min).filter(|r| *r != ParamWarning::LimitOff),
                is_extension: false,
            },
        }
    }

    pub(super) fn is_repeated_by(self, next: Option<Self>) -> bool {
        next == Some(self) && (self.warning.is_some() || self.is_extension)
    }
}

/// Draws a row with its warning. A row without an effect is hatched; any other row with a warning has a note.
pub(super) fn show_with_warning(
    ui: &mut Ui,
    cx: &UiContext<'_>,
    row: ParamRow<'_>,
    warning: Option<ParamWarning>,
    warning_in_next_row: bool,
) -> ParamRowOutput {
    let has_effect = warning.is_none_or(ParamWarning::has_effect);
    let sentence = warning.map(|r| if warning_in_next_row { Cow::default() } else { warning_text(cx, r) });
    let no_effect = sentence.as_deref().filter(|_| !has_effect);
    let out = ParamRow { no_effect_reason: no_effect, ..row }.show(ui);
    if has_effect && let Some(sentence) = sentence.filter(|s| !s.is_empty()) {
        let is_warning = matches!(warning, Some(ParamWarning::OutOfRange(_)));
        note_with_icon(ui, if is_warning { icons::WARNING } else { icons::INFO }, &sentence, LABEL_LEFT);
    }
    out
}

pub(super) fn extension_note(ui: &mut Ui, cx: &UiContext<'_>) {
    note_with_icon(ui, EXTENSION_ICON, &tr!(cx, "Has no effect in Unity."), LABEL_LEFT);
}

pub(super) fn warning_text(cx: &UiContext<'_>, warning: ParamWarning) -> Cow<'static, str> {
    let label = |param: ParamId| cx.inspection().system().def(param).label_text();
    cx.tr(match warning {
        ParamWarning::OutOfRange([low, high]) => message!(
            "Out of range ({n}): the motion may become unstable. The chain then returns to rest.",
            n = i18n::range_text(cx.theme.lang, low, high)
        ),
        ParamWarning::NoWind => message!("No wind in the scene. The value is exported."),
        ParamWarning::AngleLimitsSwitchedOff => message!("Angle limits are off for the whole character."),
        ParamWarning::LimitOff => message!("This limit is off."),
        ParamWarning::AllLimitsOff => message!("No angle limit is on."),
        ParamWarning::NoPivot => {
            message!(
                "No pivot: limits apply in Unity's editor, but not in a build. Turning a limit on creates the pivot."
            )
        }
        ParamWarning::LimitsFolded => message!("Unity folds angles beyond 90° to the front, even at ±180°."),
        ParamWarning::LimitEndFolded => message!("Unity folds angles beyond 90°: this end has no effect."),
        ParamWarning::LimitsAreZero => {
            message!("A limit from 0° to 0° keeps the bone aligned with its pivot; the bone cannot swing.")
        }
        ParamWarning::Overshoots(most) => {
            message!("Above {n} the angle overshoots the middle in one step.", n = format_args!("{most:.0}"))
        }
        ParamWarning::AnimatedBonesOnly => message!("Applies only to bones that a script flags as animated."),
        ParamWarning::CollisionOff => message!("Collision and ground are off: nothing is hit."),
        ParamWarning::NoColliderAssigned => message!("No collider is assigned here, and the ground is off."),
        ParamWarning::NoColliderInGroups => message!("No collider group with colliders is assigned to this chain."),
        ParamWarning::NoJointCollides => message!("No chain has colliders."),
        ParamWarning::SlowContactsStick(speed) => {
            message!("Below {n} m/s, Unity drops the velocity: contacts stick.", n = short_number(speed))
        }
        ParamWarning::GroundOff => message!("The ground is off."),
        ParamWarning::ScaleIgnored(scale) => {
            message!("This bone has scale {n}: UnityChanSpringBone 1.1 ignores it here.", n = short_number(scale))
        }
        ParamWarning::NoScaledBone => message!("No bone is scaled: both rules give the same result."),
        ParamWarning::NoLengthTarget => message!("No joint here is linked to anything."),
        ParamWarning::LengthLimitsSwitchedOff => message!("Length limits are off for the whole character."),
        ParamWarning::WeakLengthLimits(share) => {
            message!("Unity always uses 0.5, which removes {n} % of the error per step.", n = percent_text(share))
        }
        ParamWarning::ImprovedModeOnly => message!("Applies in improved mode only."),
        ParamWarning::SwitchOff(param) => message!("The improvement {name} is off.", name = label(param)),
        ParamWarning::SameEffectAs(param) => message!("The improvement {name} is on.", name = label(param)),
        ParamWarning::BoneShapeDiffers => message!("The selected shape does not use this value."),
        ParamWarning::TipsFrozenInWorld => message!("Tips stay fixed in the world until a script resumes."),
        ParamWarning::SteppedByScript => message!("No difference here: a script steps once per frame."),
        ParamWarning::OneValuePerChain => {
            message!("Joints differ here, but VRM 0.x stores one value per chain: saving into VRM is refused.")
        }
        ParamWarning::OneValuePerChainTuned => {
            message!("VRM 0.x stores one value per chain: if one joint differs, saving into VRM is refused.")
        }
        ParamWarning::TimeScaled(pace) => message!(
            "At {fps} fps this runs at {n} × speed.",
            fps = cx.playback().settings().player_frame_rate,
            n = short_number(pace)
        ),
    })
}

/// Formats a share in percent, for example 0.014 for 0.00014.
fn percent_text(share: f32) -> String {
    NumberFormat::for_unit(Unit::None).text(share * 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_numbers_have_at_most_two_decimals() {
        assert_eq!([2.4, 1.0, 0.6, 0.01, 10.0].map(short_number), ["2.4", "1", "0.6", "0.01", "10"]);
    }

    #[test]
    fn small_percentages_keep_two_digits() {
        assert_eq!(percent_text(0.5 / 3600.0), "0.014");
    }
}
