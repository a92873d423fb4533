//! *Export setup*: lists the data that the file cannot store, and the options of the format.

use super::dialog::{
    Dialog, DialogButton, DialogOutput, DialogResult, SessionSnapshot, at_left, choice_ui, option_label_ui, with_count,
};
use super::table::{self, LOSS_ROW_HEIGHT, loss_line_ui};
use crate::ui::kit::i18n::{self, Lang, param_label, solver_name, tr};
use crate::ui::kit::icons::{self, paint_icon};
use crate::ui::kit::paint;
use crate::ui::kit::theme::TextSize;
use crate::ui::kit::toggle::{labelled_checkbox, segmented_with_hints};
use crate::ui::kit::tokens::{radius, size, space};
use crate::ui::{AppRequest, UNITY_DIGITS, UiContext};
use egui::{Align2, Context, Rect, Role, ScrollArea, Sense, Ui, WidgetInfo, pos2, vec2};
use yuremono_format::FORMATS;
use yuremono_format::unity_csv;
use yuremono_model::document::FlipAxis;
use yuremono_model::exchange::{
    ExportLoss, ExportOptions, ExportResult, FileEntry, FileSection, LineEnding, SetupFormat, SetupLayout, export,
};
use yuremono_session::Session;
use yuremono_sim::params::ParamDef;

const HEADING_HEIGHT: f32 = 28.0;
const OPTION_HEIGHT: f32 = 32.0;
/// Range of the window width.
const WIDTHS: [f32; 2] = [568.0, 600.0];

#[derive(Debug)]
pub(super) struct ExportDialog {
    options: ExportOptions,
    snapshot: SessionSnapshot,
    exported: ExportResult,
    starts_with_bom: bool,
    /// Whether at least one joint has no pivot, so its cell may stay empty.
    has_joint_without_pivot: bool,
    shows_advanced: bool,
}

impl ExportDialog {
    pub(super) fn new(cx: &UiContext<'_>) -> Self {
        Self::with_options(cx.state.prefs.export_options(cx.session().character()), cx.session())
    }

    fn with_options(options: ExportOptions, session: &Session) -> Self {
        let exported = export(session.document(), session.character(), options);
        Self {
            options,
            snapshot: SessionSnapshot::of(session),
            starts_with_bom: starts_with_bom(&exported, options),
            exported,
            has_joint_without_pivot: has_joint_without_pivot(session),
            shows_advanced: false,
        }
    }

    fn refresh_export(&mut self, session: &Session) {
        *self = Self { shows_advanced: self.shows_advanced, ..Self::with_options(self.options, session) };
    }

    /// Stores changed options in the preferences.
    fn remember_options(&self, before: ExportOptions, cx: &mut UiContext<'_>) {
        let now = self.options;
        let character = cx.session().character().name.clone();
        let prefs = &mut cx.state.prefs;
        if now.flip_axis != before.flip_axis {
            prefs.remember_mirror(&character, now.flip_axis);
        }
        if now.line_ending != before.line_ending {
            prefs.table_export.crlf = Some(now.line_ending == LineEnding::CrLf);
        }
        if [now, before].iter().all(has_rows) {
            prefs.table_export.unity_digits = now.significant_digits.is_some();
            prefs.table_export.omit_extensions = !now.write_comment_rows;
        }
    }

    /// Returns whether the file has entries other than pivots and comment rows.
    fn is_ready(&self) -> bool {
        let counted = [FileSection::Joints, FileSection::Colliders, FileSection::Nodes, FileSection::HighLegs];
        let file = &self.exported.file;
        !file.trees.is_empty() || file.entries.iter().any(|item| counted.contains(&item.section))
    }

    fn count(&self, section: FileSection) -> usize {
        self.exported.file.entries.iter().filter(|item| item.section == section).count()
    }

    /// Returns the number of bones in all systems.
    fn bone_count(&self) -> usize {
        let in_trees = self.exported.file.trees.iter().map(|tree| tree.joints.len()).sum::<usize>();
        self.count(FileSection::Joints) + in_trees
    }

    /// Draws the choice of formats: formats for every solver, and formats for the current solver only.
    fn format_ui(&mut self, ui: &mut Ui, cx: &UiContext<'_>) {
        let solver = cx.session().inspection().system().solver;
        let all = FORMATS.iter().copied().filter(|format| format.solver.is_none_or(|only| only == solver));
        let formats: Vec<SetupFormat> = all.collect();
        let choices: Vec<(&str, Option<usize>)> = formats.iter().map(|format| (format.label, None)).collect();
        let hints: Vec<&str> = formats.iter().map(|format| i18n::format_hint(cx.theme.lang, format)).collect();
        let chosen = formats.iter().position(|format| *format == self.options.format).unwrap_or(0);
        let picked = ui.horizontal(|ui| {
            ui.set_height(OPTION_HEIGHT);
            option_label_ui(ui, cx, &cx.tr("windows.export.option.format"));
            segmented_with_hints(ui, &choices, &hints, chosen, size::HIT_MIN)
        });
        if let Some(at) = picked.inner {
            // Switching back to CSV restores the CSV options of the preferences.
            let usual = cx.state.prefs.export_options(cx.session().character());
            self.options =
                ExportOptions { flip_axis: self.options.flip_axis, write_bom: self.options.write_bom, ..usual };
            self.options = self.options.for_format(formats[at]);
        }
    }

    fn options_ui(&mut self, ui: &mut Ui, cx: &UiContext<'_>) {
        self.format_ui(ui, cx);
        let format = self.options.format;
        let options = &mut self.options;
        if !format.has_flip_axis {
            return;
        }
        let usual = if FlipAxis::default_for(cx.session().character().facing) == FlipAxis::X { "X" } else { "Z" };
        let note = cx.tr_with("windows.mirror.usual_short", &[("axis", usual)]);
        let axes = [("windows.mirror.x", FlipAxis::X), ("windows.mirror.z", FlipAxis::Z)];
        option_ui(ui, cx, "mirror", axes, &mut options.flip_axis, &note);
        if format.layout != SetupLayout::Rows {
            return;
        }
        let bones = ("csv.export.bones", None, &mut options.write_joints);
        let colliders = ("csv.export.colliders", None, &mut options.write_colliders);
        checkboxes_ui(ui, cx, "content", [bones, colliders]);
        let extras = ("csv.export.comment_rows", Some("csv.export.comment_rows_hint"), &mut options.write_comment_rows);
        if self.has_joint_without_pivot {
            let empty =
                ("csv.export.empty_pivots", Some("csv.export.empty_pivots_hint"), &mut options.allow_empty_pivots);
            checkboxes_ui(ui, cx, "", [extras, empty]);
        } else {
            checkboxes_ui(ui, cx, "", [extras]);
        }
        self.advanced_ui(ui, cx);
    }

    fn advanced_ui(&mut self, ui: &mut Ui, cx: &UiContext<'_>) {
        let words = cx.tr("windows.export.advanced");
        let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), OPTION_HEIGHT), Sense::click());
        let state =
            cx.tr_with(if self.shows_advanced { "common.collapse" } else { "common.expand" }, &[("name", &words)]);
        response.widget_info(|| WidgetInfo::selected(Role::Button, true, self.shows_advanced, &state));
        let c = cx.theme.color;
        let caret = if self.shows_advanced { icons::CARET_DOWN } else { icons::CARET_RIGHT };
        let color = if response.hovered() { c.text } else { c.text_2 };
        paint_icon(ui.painter(), pos2(rect.left() + space::XL + 6.0, rect.center().y), caret, size::ICON_TINY, color);
        let at = pos2(rect.left() + space::XL + 18.0, rect.center().y);
        paint::text(ui.painter(), at, Align2::LEFT_CENTER, &words, TextSize::Body, color);
        icons::focus_ring(ui, &response, rect.shrink2(vec2(space::L, 2.0)), radius::FIELD);
        if response.clicked() {
            self.shows_advanced = !self.shows_advanced;
        }
        if !self.shows_advanced {
            return;
        }
        let options = &mut self.options;
        let ends = [("windows.export.windows", LineEnding::CrLf), ("windows.export.unix", LineEnding::Lf)];
        option_ui(ui, cx, "line_end", ends, &mut options.line_ending, "");
        let digits = [("windows.export.exact", None), ("windows.export.seven", Some(UNITY_DIGITS))];
        let note = cx.tr("windows.export.digits_note");
        option_ui(ui, cx, "digits", digits, &mut options.significant_digits, &note);
        let mut bom = self.starts_with_bom;
        let mark = ("windows.export.bom", Some("windows.export.bom_hint"), &mut bom);
        let comma = ("csv.export.comma", Some("csv.export.comma_hint"), &mut options.decimal_comma);
        checkboxes_ui(ui, cx, "text", [mark, comma]);
        if bom != self.starts_with_bom {
            options.write_bom = Some(bom);
        }
    }

    fn loss_groups(&self, cx: &UiContext<'_>) -> Vec<ExportLossGroup> {
        losses_by_kind(&self.exported, self.options, cx.theme.lang)
    }
}

impl Dialog for ExportDialog {
    fn title_key(&self) -> &'static str {
        "windows.export.title"
    }

    fn subtitle(&self, cx: &UiContext<'_>) -> String {
        cx.session().character().name.clone()
    }

    fn window_rect(&self, ctx: &Context, cx: &UiContext<'_>) -> Rect {
        let options = options_height(self.options.format, self.shows_advanced);
        at_left(ctx, 0.4, WIDTHS, options + losses_height(&self.loss_groups(cx)).max(LOSS_ROW_HEIGHT))
    }

    fn refresh(&mut self, _ctx: &Context, cx: &mut UiContext<'_>) -> DialogResult {
        if !self.snapshot.is_current(cx.session()) {
            self.refresh_export(cx.session());
        }
        DialogResult::Open
    }

    fn body_ui(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>, _out: &mut DialogOutput) {
        let (groups, before) = (self.loss_groups(cx), self.options);
        let c = cx.theme.color;
        ui.spacing_mut().item_spacing = egui::Vec2::ZERO;
        let height =
            (ui.available_height() - options_height(self.options.format, self.shows_advanced)).max(LOSS_ROW_HEIGHT);
        if groups.is_empty() {
            ui.add_space(space::M);
            let words = cx.tr("windows.export.lossless");
            loss_line_ui(ui, icons::CHECK_CIRCLE, c.ok, &words, "", "");
            ui.add_space((height - LOSS_ROW_HEIGHT - space::M).max(0.0));
        } else {
            let area = ScrollArea::vertical().id_salt("losses").max_height(height).min_scrolled_height(height);
            area.auto_shrink(false).show(ui, |ui| {
                for heading in LossHeading::ALL {
                    let mut under = groups.iter().filter(|g| g.heading == heading).peekable();
                    if under.peek().is_some() {
                        heading_ui(ui, cx, heading);
                        under.for_each(|group| group_ui(ui, cx, group));
                    }
                }
            });
        }
        let rect = ui.available_rect_before_wrap();
        paint::hairline(ui.painter(), rect.left(), rect.right(), rect.top(), c.border);
        ui.add_space(space::M);
        self.options_ui(ui, cx);
        if self.options != before {
            self.remember_options(before, cx);
            self.refresh_export(cx.session());
        }
    }

    fn buttons(&self, cx: &UiContext<'_>) -> Vec<DialogButton> {
        let words = match self.bone_count() {
            0 => cx.tr("csv.export.export").into_owned(),
            n => with_count(cx, "windows.export.export", n),
        };
        vec![DialogButton::apply(words, self.is_ready()), DialogButton::cancel(cx)]
    }

    fn footer_note(&self, cx: &UiContext<'_>) -> String {
        if !self.is_ready() {
            return cx.tr("windows.export.nothing").into_owned();
        }
        let colliders = self.count(FileSection::Colliders).to_string();
        cx.tr_with(
            if has_rows(&self.options) { "csv.export.summary" } else { "csv.export.summary_json" },
            &[("colliders", &colliders)],
        )
    }

    fn apply(&mut self, cx: &mut UiContext<'_>) -> DialogResult {
        cx.request(AppRequest::ExportDialog(self.options));
        DialogResult::Closed
    }
}

/// Returns whether the row options have an effect.
fn has_rows(options: &ExportOptions) -> bool {
    options.format.layout == SetupLayout::Rows
}

fn starts_with_bom(exported: &ExportResult, options: ExportOptions) -> bool {
    has_rows(&options) && unity_csv::writes_bom(&exported.file, options)
}

fn options_height(format: SetupFormat, advanced: bool) -> f32 {
    let mut height = 2.0 * space::M + OPTION_HEIGHT;
    if format.has_flip_axis {
        height += OPTION_HEIGHT;
    }
    if format.layout == SetupLayout::Rows {
        height += OPTION_HEIGHT + 2.0 * size::BUTTON;
        if advanced {
            height += 2.0 * OPTION_HEIGHT + size::BUTTON;
        }
    }
    height
}

/// Returns whether the solver uses pivots and a joint has none.
fn has_joint_without_pivot(session: &Session) -> bool {
    session.inspection().system().solver.info().uses_pivots
        && session.document().chains.values().flat_map(|c| &c.joints).any(|j| j.pivot.is_none())
}

fn losses_height(groups: &[ExportLossGroup]) -> f32 {
    let headings = LossHeading::ALL.iter().filter(|h| groups.iter().any(|g| g.heading == **h)).count();
    headings as f32 * HEADING_HEIGHT + groups.len() as f32 * LOSS_ROW_HEIGHT + space::M
}

fn heading_ui(ui: &mut Ui, cx: &UiContext<'_>, heading: LossHeading) {
    let c = cx.theme.color;
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), HEADING_HEIGHT), Sense::hover());
    let words = cx.tr(heading.key());
    response.widget_info(|| WidgetInfo::labeled(Role::Heading, true, &*words));
    let at = pos2(rect.left() + space::XL, rect.bottom() - space::L);
    if heading == LossHeading::Improvements {
        let band = Rect::from_center_size(pos2(rect.center().x, at.y), vec2(rect.width() - 2.0 * space::M, 22.0));
        ui.painter().rect_filled(band, radius::FIELD, c.warning_bg);
    }
    paint::text(ui.painter(), at, Align2::LEFT_CENTER, &words, TextSize::Strong, c.text);
}

/// Draws one kind of loss. The note shows whether Yuremono reads the value back.
fn group_ui(ui: &mut Ui, cx: &UiContext<'_>, group: &ExportLossGroup) {
    let c = cx.theme.color;
    let (icon, color) = if group.changes_motion { (icons::WARNING, c.warning) } else { (icons::INFO, c.info) };
    let words = with_count(cx, &format!("windows.export.loss.{}", group.key), group.count);
    let back = match group.read_back {
        Some(true) => cx.tr("csv.export.read_back"),
        Some(false) => cx.tr("csv.export.not_read_back"),
        None => "".into(),
    };
    loss_line_ui(ui, icon, color, &words, &name_list(&group.names), &back);
}

/// Draws a label, a choice between two values, and a note.
fn option_ui<T: Copy + PartialEq>(
    ui: &mut Ui,
    cx: &UiContext<'_>,
    key: &str,
    choices: [(&str, T); 2],
    value: &mut T,
    note: &str,
) {
    let c = cx.theme.color;
    ui.horizontal(|ui| {
        ui.set_height(OPTION_HEIGHT);
        option_label_ui(ui, cx, &cx.tr(&format!("windows.export.option.{key}")));
        if let Some(picked) = choice_ui(ui, cx, choices, "", *value) {
            *value = picked;
        }
        ui.add_space(space::L);
        let left = (ui.available_width() - space::XL).max(0.0);
        let (rect, _) = ui.allocate_exact_size(vec2(left, size::HIT_MIN), Sense::hover());
        table::row_text(ui, rect, 0.0, left, note, TextSize::Small, c.text_3);
    });
}

/// Draws checkboxes of equal width next to each other. Each checkbox has a label, a hint and a value.
fn checkboxes_ui<const N: usize>(
    ui: &mut Ui,
    cx: &UiContext<'_>,
    key: &str,
    ticks: [(&str, Option<&str>, &mut bool); N],
) {
    ui.horizontal(|ui| {
        ui.set_height(size::BUTTON);
        let label = if key.is_empty() { "".into() } else { cx.tr(&format!("csv.export.{key}")) };
        option_label_ui(ui, cx, &label);
        let left = ui.min_rect().right() - space::XS;
        let width = (ui.available_width() - space::XL) / 2.0;
        for (at, (key, hint, on)) in ticks.into_iter().enumerate() {
            let mut place = table::widget_ui(ui, ui.max_rect(), left - ui.max_rect().left() + at as f32 * width, width);
            let words = cx.tr(key);
            let tick = labelled_checkbox(&mut place, &words, on);
            if let Some(hint) = hint {
                tick.on_hover_text(cx.tr(hint));
            }
        }
    });
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum LossHeading {
    /// Improvements that have no effect in Unity.
    Improvements,
    Lost,
    InComments,
    /// Values that the file stores in an unexpected way.
    Differs,
}

impl LossHeading {
    const ALL: [Self; 4] = [Self::Improvements, Self::Lost, Self::InComments, Self::Differs];

    const fn key(self) -> &'static str {
        match self {
            Self::Improvements => "csv.export.no_effect",
            Self::Lost => "csv.export.not_stored",
            Self::InComments => "csv.export.yuremono_only",
            Self::Differs => "csv.export.notes",
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
struct ExportLossGroup {
    pub heading: LossHeading,
    /// Last part of the label's key.
    pub key: &'static str,
    pub changes_motion: bool,
    pub count: usize,
    /// Names of bones, chains or parameters.
    pub names: Vec<String>,
    /// Whether Yuremono reads the value back. `None` if the heading already contains this note.
    pub read_back: Option<bool>,
}

/// Returns all losses by heading, including names that a spreadsheet parses as formulas. Losses that change the motion
/// come first.
fn losses_by_kind(exported: &ExportResult, options: ExportOptions, lang: Lang) -> Vec<ExportLossGroup> {
    let params: Vec<&ParamDef> = exported.file.systems.iter().flat_map(|system| system.solver.info().params).collect();
    let mut groups: Vec<ExportLossGroup> = Vec::new();
    for loss in &exported.losses {
        let (key, grave, name) = describe_loss(loss, &params, lang);
        let heading = heading_of(loss, options.write_comment_rows);
        let count = match loss {
            ExportLoss::ExcludedBones(n)
            | ExportLoss::PassthroughRows(n)
            | ExportLoss::PassthroughDropped(n)
            | ExportLoss::TooManySystems(n)
            | ExportLoss::ChainsOfOtherSolver(_, n)
            | ExportLoss::ComponentList { count: n, .. } => *n,
            _ => 1,
        };
        if let Some(group) = groups.iter_mut().find(|g| g.key == key) {
            group.count += count;
            group.names.extend(name);
        } else {
            let read_back = (heading == LossHeading::Improvements)
                .then(|| loss.is_kept_in_comments() && options.write_comment_rows);
            groups.push(ExportLossGroup {
                heading,
                key,
                changes_motion: grave,
                count,
                names: name.into_iter().collect(),
                read_back,
            });
        }
    }
    let formulas = exported.file.entries.iter().filter(|item| is_first_cell(item) && item.looks_like_formula());
    let names: Vec<String> = formulas.map(|item| item.name.clone()).collect();
    if !names.is_empty() {
        let (heading, key, count) = (LossHeading::Differs, "formula", names.len());
        groups.push(ExportLossGroup { heading, key, changes_motion: false, count, names, read_back: None });
    }
    groups.sort_by_key(|g| (g.heading, !g.changes_motion));
    groups
}

const fn is_first_cell(item: &FileEntry) -> bool {
    matches!(item.section, FileSection::Joints | FileSection::Pivots | FileSection::Colliders | FileSection::Nodes)
}

fn heading_of(loss: &ExportLoss, extras: bool) -> LossHeading {
    match loss {
        ExportLoss::SystemExtension(_) | ExportLoss::JointExtension(..) => LossHeading::Improvements,
        ExportLoss::DuplicateColliderName(_)
        | ExportLoss::DuplicateBoneName(_)
        | ExportLoss::LimitsWithoutPivot(_)
        | ExportLoss::MissingPivotName(_)
        | ExportLoss::UnityDeletesJoints
        | ExportLoss::PassthroughRows(_) => LossHeading::Differs,
        loss if loss.is_kept_in_comments() && extras => LossHeading::InComments,
        _ => LossHeading::Lost,
    }
}

/// Returns the last part of the label key, whether the loss changes the motion, and the name of the object.
fn describe_loss(loss: &ExportLoss, params: &[&ParamDef], lang: Lang) -> (&'static str, bool, Option<String>) {
    let label = |label: &str| {
        let def = params.iter().find(|def| def.label == label);
        def.map_or_else(|| label.to_owned(), |def| param_label(lang, def).into_owned())
    };
    match loss {
        ExportLoss::OffsetTip(bone) => ("offset_tip", false, Some(bone.clone())),
        ExportLoss::ChosenTip(bone) => ("chosen_tip", false, Some(bone.clone())),
        ExportLoss::JointDisabled(bone) => ("disabled_joint", true, Some(bone.clone())),
        ExportLoss::AnimatedFlag(bone) => ("animated", false, Some(bone.clone())),
        ExportLoss::ExcludedBones(_) => ("excluded", false, None),
        ExportLoss::SystemValue(name) => ("system", true, Some(label(name))),
        ExportLoss::Curves(chain) => ("curves", false, Some(chain.clone())),
        ExportLoss::SystemExtension(name) => ("extension", true, Some(label(name))),
        ExportLoss::JointExtension(name, count) => ("extension", true, Some(format!("{} × {count}", label(name)))),
        ExportLoss::LengthConstant(bone) => ("length", false, Some(bone.clone())),
        ExportLoss::Groups(chain) => ("groups", false, Some(chain.clone())),
        ExportLoss::Center(chain) => ("center", true, Some(chain.clone())),
        ExportLoss::SwingLimit(bone) => ("swing_limit", true, Some(bone.clone())),
        ExportLoss::DisabledCollider(name) => ("disabled_collider", true, Some(name.clone())),
        ExportLoss::ColliderOnMissingBone(name) => ("collider_on_missing_bone", true, Some(name.clone())),
        ExportLoss::UnsupportedShape(name) => ("unknown_shape", true, Some(name.clone())),
        ExportLoss::DuplicateColliderName(name) => ("duplicate_collider", true, Some(name.clone())),
        ExportLoss::Force(name) => ("force", true, Some(name.clone())),
        ExportLoss::HiddenMesh(name) => ("hidden_mesh", false, Some(name.clone())),
        ExportLoss::HighLegOnMissingNode(name) => ("high_leg_on_missing_bone", true, Some(name.clone())),
        ExportLoss::UnityDeletesJoints => ("deletes_joints", true, None),
        ExportLoss::ChainsOfOtherSolver(kind, _) => ("other_solver", true, Some(solver_name(lang, *kind).into_owned())),
        ExportLoss::PassthroughRows(_) => ("rows_kept", false, None),
        ExportLoss::TooManySystems(_) => ("many_systems", true, None),
        ExportLoss::PassthroughDropped(_) => ("rows_dropped", false, None),
        ExportLoss::UnevenCurve(chain) => ("uneven_curve", true, Some(chain.clone())),
        ExportLoss::Material(chain) => ("material", false, Some(chain.clone())),
        ExportLoss::UnevenMaterial(chain) => ("uneven_material", true, Some(chain.clone())),
        ExportLoss::UnevenColliders(chain) => ("uneven_colliders", true, Some(chain.clone())),
        ExportLoss::ComponentList { list: side, is_single_component: alone, .. } => {
            let name = tr(lang, &format!("component.list.{}", side.key())).into_owned();
            (if *alone { "lists" } else { "lists_of_several" }, true, Some(name))
        }
        ExportLoss::UnresolvableName(name) => ("unresolved_name", true, Some(name.clone())),
        ExportLoss::DuplicateBoneName(bone) => ("duplicate_bone", true, Some(bone.clone())),
        ExportLoss::UnreadableName(bone, _) => ("unreadable_name", true, Some(bone.clone())),
        ExportLoss::LimitsWithoutPivot(bone) => ("limits", true, Some(bone.clone())),
        ExportLoss::MissingPivotName(bone) => ("no_pivot", true, Some(bone.clone())),
        ExportLoss::MissingBone(bone) => ("missing_bone", true, Some(bone.clone())),
    }
}

/// Joins the names, sorted and without duplicates.
fn name_list(names: &[String]) -> String {
    let mut seen: Vec<&str> = names.iter().map(String::as_str).filter(|n| !n.is_empty()).collect();
    seen.sort_unstable();
    seen.dedup();
    seen.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::kit::i18n;
    use yuremono_format::DEFAULT_FORMAT;
    use yuremono_model::document::{Collider, NodeRef, SetupEntry};
    use yuremono_model::exchange::SetupFile;
    use yuremono_sim::{ColliderShape, SolverKind};

    /// Runs `check` in a frame with loaded fonts. egui loads fonts in the first frame.
    fn with_fonts(mut check: impl FnMut(&Ui)) {
        let ctx = Context::default();
        crate::ui::kit::fonts::install(&ctx);
        for frame in 0..2 {
            let mut output = ctx.run_ui(egui::RawInput::default(), |ui| {
                if frame == 1 {
                    check(ui);
                }
            });
            output.textures_delta.clear();
        }
    }

    #[test]
    fn the_footer_fits_the_narrowest_window_in_both_languages() {
        with_fonts(|ui| {
            for lang in Lang::ALL {
                let width = |text: &str, size| paint::text_width(ui, text, size);
                let counts = [("n", "999"), ("colliders", "999")];
                let note = width(&i18n::tr_with(lang, "csv.export.summary", &counts), TextSize::Small);
                let buttons = [i18n::tr_with(lang, "windows.export.export", &counts), tr(lang, "common.cancel").into()];
                let buttons: f32 = buttons.iter().map(|label| width(label, TextSize::Strong) + 2.0 * space::XL).sum();
                let needed = note + buttons + 2.0 * space::XL + space::M + space::L;
                assert!(needed <= WIDTHS[0], "{lang:?}: {needed} points");
            }
        });
    }

    #[test]
    fn every_loss_text_fits_the_narrowest_window_in_both_languages() {
        let mut cut = Vec::new();
        with_fonts(|ui| {
            for (lang, key, text) in i18n::all_texts() {
                let Some(loss) = key.strip_prefix("windows.export.loss.") else { continue };
                let note = |key: &str| paint::text_width(ui, &tr(lang, key), TextSize::Small);
                let note = match loss {
                    "extension" => note("csv.export.read_back").max(note("csv.export.not_read_back")),
                    _ => 0.0,
                };
                let width = paint::text_width(ui, &text.replace("%{n}", "99"), TextSize::Body);
                if width > table::loss_text_width(WIDTHS[0], note) {
                    cut.push(format!("{lang:?}: {loss}, {width} points"));
                }
            }
        });
        assert!(cut.is_empty(), "{}", cut.join("\n"));
    }

    fn exported(solver: SolverKind, losses: Vec<ExportLoss>) -> ExportResult {
        let collider =
            Collider::new("=Ball", NodeRef::from("Head"), ColliderShape::Sphere { radius: 0.1, inside: false });
        let mut file = SetupFile::new(DEFAULT_FORMAT, solver);
        file.entries.push(FileEntry::new(0, FileSection::Colliders, "=Ball", SetupEntry::Collider(collider)));
        ExportResult { file, losses }
    }

    #[test]
    fn losses_are_grouped_by_heading() {
        let off = |name: &str| ExportLoss::DisabledCollider(name.to_owned());
        let losses =
            vec![off("A"), ExportLoss::MissingBone("B".to_owned()), ExportLoss::SystemExtension("Sweep"), off("C")];
        let exported = exported(SolverKind::default(), losses);
        let grouped = |extras: bool| {
            let options = ExportOptions { write_comment_rows: extras, ..ExportOptions::new(DEFAULT_FORMAT) };
            let all = losses_by_kind(&exported, options, Lang::En);
            all.into_iter().map(|g| (g.heading, g.key, g.count, g.read_back)).collect::<Vec<_>>()
        };
        assert_eq!(
            grouped(true),
            [
                (LossHeading::Improvements, "extension", 1, Some(true)),
                (LossHeading::Lost, "missing_bone", 1, None),
                (LossHeading::InComments, "disabled_collider", 2, None),
                (LossHeading::Differs, "formula", 1, None),
            ]
        );
        assert_eq!(grouped(false)[0].3, Some(false), "without comment rows nothing is read back");
    }

    #[test]
    fn losses_name_parameters_in_japanese() {
        for kind in SolverKind::ALL.iter().copied() {
            let mut params = kind.info().params.iter();
            let Some(def) = params.find(|def| def.scope == yuremono_sim::params::ParamScope::System) else { continue };
            let exported = exported(kind, vec![ExportLoss::SystemValue(def.label)]);
            let all = losses_by_kind(&exported, ExportOptions::new(DEFAULT_FORMAT), Lang::Ja);
            let named = all.iter().find(|group| group.key == "system").expect("a value of the character");
            assert_eq!(named.names, [param_label(Lang::Ja, def).into_owned()]);
            assert_ne!(named.names, [def.label]);
        }
    }
}
