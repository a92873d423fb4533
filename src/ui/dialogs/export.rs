//! *Export setup*: lists the data that the file cannot store, and the options of the format.

use super::dialog::{Dialog, DialogButton, DialogOutput, DialogResult, SessionSnapshot, at_left};
use super::table::{LOSS_ROW_HEIGHT, loss_line_ui};
use crate::tr;
use crate::ui::kit::i18n::{self, Lang, param_label, solver_name};
use crate::ui::kit::icons::{self, paint_icon};
use crate::ui::kit::paint;
use crate::ui::kit::property_row::{PropertyRow, property_rows, property_rows_height};
use crate::ui::kit::theme::TextSize;
use crate::ui::kit::toggle::{Choice, labelled_checkbox};
use crate::ui::kit::tokens::{radius, size, space};
use crate::ui::{AppRequest, UNITY_DIGITS, UiContext};
use egui::{Align, Align2, Context, Layout, Rect, Response, Role, ScrollArea, Sense, Ui, WidgetInfo, pos2, vec2};
use yuremono_format::FORMATS;
use yuremono_format::unity_csv;
use yuremono_model::document::FlipAxis;
use yuremono_model::exchange::{
    ExportLoss, ExportOptions, ExportResult, FileEntry, FileSection, LineEnding, SetupFormat, SetupLayout, export,
};
use yuremono_session::Session;
use yuremono_sim::diagnostics::{MessageText, message};
use yuremono_sim::params::ParamDef;

const HEADING_HEIGHT: f32 = 28.0;
const CHECKBOX_WIDTH: f32 = 216.0;
/// Range of the window width.
const WIDTHS: [f32; 2] = [584.0, 600.0];

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
        let formats = FORMATS.iter().filter(|format| format.solver.is_none_or(|only| only == solver));
        let choice =
            |format: &SetupFormat| Choice::new(*format, format.label).hint(i18n::format_hint(cx.theme.lang, format));
        let choices: Vec<_> = formats.map(choice).collect();
        let mut picked = self.options.format;
        if PropertyRow::new(&tr!(cx, "Format")).choice(ui, &choices, &mut picked) {
            // Switching back to CSV restores the CSV options of the preferences.
            let usual = cx.state.prefs.export_options(cx.session().character());
            self.options =
                ExportOptions { flip_axis: self.options.flip_axis, write_bom: self.options.write_bom, ..usual };
            self.options = self.options.for_format(picked);
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
        let note = tr!(cx, "{axis} is usual here", axis = usual);
        let axes = [Choice::new(FlipAxis::X, tr!(cx, "Mirror X")), Choice::new(FlipAxis::Z, tr!(cx, "Mirror Z"))];
        PropertyRow::new(&tr!(cx, "Mirror")).note(&note).choice(ui, &axes, &mut options.flip_axis);
        if format.layout != SetupLayout::Rows {
            return;
        }
        PropertyRow::new(&tr!(cx, "Content")).show(ui, |ui| {
            checkbox_ui(ui, &tr!(cx, "Bones and pivots"), &mut options.write_joints);
            checkbox_ui(ui, &tr!(cx, "Colliders and nodes"), &mut options.write_colliders);
        });
        PropertyRow::new("").show(ui, |ui| {
            let hint = tr!(
                cx,
                "Uses comment rows for data that has no column. Unity skips these rows; Yuremono reads them back."
            );
            checkbox_ui(ui, &tr!(cx, "Comment rows for Yuremono"), &mut options.write_comment_rows).on_hover_text(hint);
            if self.has_joint_without_pivot {
                let hint = tr!(
                    cx,
                    "Leaves the pivot cell of joints without pivot empty. Unity rejects these rows. If off, the cell \
                     names the parent."
                );
                checkbox_ui(ui, &tr!(cx, "Empty pivot cells"), &mut options.allow_empty_pivots).on_hover_text(hint);
            }
        });
        self.advanced_ui(ui, cx);
    }

    fn advanced_ui(&mut self, ui: &mut Ui, cx: &UiContext<'_>) {
        let label = tr!(cx, "Advanced");
        let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), size::BUTTON), Sense::click());
        let state = cx.tr(i18n::expander_text(&label, self.shows_advanced));
        response.widget_info(|| WidgetInfo::selected(Role::Button, true, self.shows_advanced, &state));
        let c = cx.theme.color;
        let caret = if self.shows_advanced { icons::CARET_DOWN } else { icons::CARET_RIGHT };
        let color = if response.hovered() { c.text } else { c.text_2 };
        paint_icon(ui.painter(), pos2(rect.left() + 6.0, rect.center().y), caret, size::ICON_TINY, color);
        let at = pos2(rect.left() + 18.0, rect.center().y);
        paint::text(ui.painter(), at, Align2::LEFT_CENTER, &label, TextSize::Body, color);
        icons::focus_ring(ui, &response, rect.expand2(vec2(space::XS, 0.0)), radius::FIELD);
        if response.clicked() {
            self.shows_advanced = !self.shows_advanced;
        }
        if !self.shows_advanced {
            return;
        }
        let options = &mut self.options;
        let ends =
            [Choice::new(LineEnding::CrLf, tr!(cx, "Windows CRLF")), Choice::new(LineEnding::Lf, tr!(cx, "Unix LF"))];
        PropertyRow::new(&tr!(cx, "Line endings")).choice(ui, &ends, &mut options.line_ending);
        let digits = [Choice::new(None, tr!(cx, "All{:digits}")), Choice::new(Some(UNITY_DIGITS), tr!(cx, "7 digits"))];
        let note = tr!(cx, "Unity writes 7 digits");
        PropertyRow::new(&tr!(cx, "Digits")).note(&note).choice(ui, &digits, &mut options.significant_digits);
        let mut bom = self.starts_with_bom;
        PropertyRow::new(&tr!(cx, "Text")).show(ui, |ui| {
            let hint = tr!(cx, "Spreadsheets and Unity then read names that are not ASCII correctly");
            checkbox_ui(ui, &tr!(cx, "Start with a UTF-8 BOM"), &mut bom).on_hover_text(hint);
            let hint = tr!(cx, "Unity writes and reads decimal commas on German or French systems, for example");
            checkbox_ui(ui, &tr!(cx, "Decimal commas"), &mut options.decimal_comma).on_hover_text(hint);
        });
        if bom != self.starts_with_bom {
            options.write_bom = Some(bom);
        }
    }

    fn loss_groups(&self, cx: &UiContext<'_>) -> Vec<ExportLossGroup> {
        losses_by_kind(&self.exported, self.options, cx.theme.lang)
    }
}

impl Dialog for ExportDialog {
    fn title_text(&self) -> MessageText {
        message!("Export setup")
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
            let text = tr!(cx, "Nothing is lost");
            loss_line_ui(ui, icons::CHECK_CIRCLE, c.ok, &text, "", "");
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
        property_rows(ui, |ui| self.options_ui(ui, cx));
        if self.options != before {
            self.remember_options(before, cx);
            self.refresh_export(cx.session());
        }
    }

    fn buttons(&self, cx: &UiContext<'_>) -> Vec<DialogButton> {
        let label = match self.bone_count() {
            0 => tr!(cx, "Export…"),
            n => tr!(cx, "Export {n:bone|bones}…", n),
        };
        vec![DialogButton::apply(label, self.is_ready()), DialogButton::cancel(cx)]
    }

    fn footer_note(&self, cx: &UiContext<'_>) -> String {
        if !self.is_ready() {
            return tr!(cx, "There are no chains to export.").into_owned();
        }
        let colliders = self.count(FileSection::Colliders);
        let text = if has_rows(&self.options) {
            message!("v4, UTF-8, {colliders:collider|colliders}", colliders)
        } else {
            message!("{colliders:collider|colliders}", colliders)
        };
        cx.tr(text).into_owned()
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
    property_rows_height(match (format.layout == SetupLayout::Rows, format.has_flip_axis) {
        (true, _) if advanced => 8,
        (true, _) => 5,
        (false, true) => 2,
        (false, false) => 1,
    })
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
    let text = cx.tr(heading.title());
    response.widget_info(|| WidgetInfo::labeled(Role::Heading, true, &*text));
    let at = pos2(rect.left() + space::XL, rect.bottom() - space::L);
    if heading == LossHeading::Improvements {
        let band = Rect::from_center_size(pos2(rect.center().x, at.y), vec2(rect.width() - 2.0 * space::M, 22.0));
        ui.painter().rect_filled(band, radius::FIELD, c.warning_bg);
    }
    paint::text(ui.painter(), at, Align2::LEFT_CENTER, &text, TextSize::Strong, c.text);
}

/// Draws one kind of loss. The note shows whether Yuremono reads the value back.
fn group_ui(ui: &mut Ui, cx: &UiContext<'_>, group: &ExportLossGroup) {
    let c = cx.theme.color;
    let (icon, color) = if group.changes_motion { (icons::WARNING, c.warning) } else { (icons::INFO, c.info) };
    let back = match group.read_back {
        Some(true) => tr!(cx, "in comment rows"),
        Some(false) => tr!(cx, "not read back"),
        None => "".into(),
    };
    loss_line_ui(ui, icon, color, &cx.tr(&group.text), &name_list(&group.names), &back);
}

/// Draws a checkbox in half a row.
fn checkbox_ui(ui: &mut Ui, label: &str, on: &mut bool) -> Response {
    let cell_size = vec2(CHECKBOX_WIDTH, size::HIT_MIN);
    let cell = ui.allocate_ui_with_layout(cell_size, Layout::left_to_right(Align::Center), |ui| {
        ui.set_min_width(CHECKBOX_WIDTH);
        labelled_checkbox(ui, label, on)
    });
    cell.inner
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

    const fn title(self) -> MessageText {
        match self {
            Self::Improvements => message!("No effect in Unity"),
            Self::Lost => message!("Not stored in the file"),
            Self::InComments => message!("Read back by Yuremono only"),
            Self::Differs => message!("Notes"),
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
struct ExportLossGroup {
    pub heading: LossHeading,
    /// The label, with the count.
    pub text: MessageText,
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
        let (text, name) = (loss_text(loss, count), name_of_lost(loss, &params, lang));
        if let Some(group) = groups.iter_mut().find(|group| group.text.template() == text.template()) {
            group.count += count;
            group.text = loss_text(loss, group.count);
            group.names.extend(name);
        } else {
            let read_back = (heading == LossHeading::Improvements)
                .then(|| loss.is_kept_in_comments() && options.write_comment_rows);
            groups.push(ExportLossGroup {
                heading,
                text,
                changes_motion: changes_motion(loss),
                count,
                names: name.into_iter().collect(),
                read_back,
            });
        }
    }
    let formulas = exported.file.entries.iter().filter(|item| is_first_cell(item) && item.looks_like_formula());
    let names: Vec<String> = formulas.map(|item| item.name.clone()).collect();
    if !names.is_empty() {
        let (heading, count) = (LossHeading::Differs, names.len());
        let text = message!("Names that a spreadsheet reads as formulas: {n}", n = count);
        groups.push(ExportLossGroup { heading, text, changes_motion: false, count, names, read_back: None });
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

/// Returns the label of `n` losses of the same kind.
fn loss_text(loss: &ExportLoss, n: usize) -> MessageText {
    match loss {
        ExportLoss::OffsetTip(_) => message!("Virtual tips: {n}; the target creates its own", n),
        ExportLoss::ChosenTip(_) => message!("Chosen tips: {n}; the target uses the middle of the children", n),
        ExportLoss::JointDisabled(_) => message!("Disabled joints: {n}; enabled in the target", n),
        ExportLoss::AnimatedFlag(_) => message!("Joints flagged as animated: {n}", n),
        ExportLoss::ExcludedBones(_) => message!("Excluded bones: {n}; the file cannot store this", n),
        ExportLoss::SystemValue(_) => message!("Values of the whole character: {n}", n),
        ExportLoss::Curves(_) => message!("Chains with curves: {n}; written as values per bone", n),
        ExportLoss::SystemExtension(_) | ExportLoss::JointExtension(..) => message!("Improvements: {n}", n),
        ExportLoss::LengthConstant(_) => message!("Bones with their own length pull: {n}", n),
        ExportLoss::Groups(_) => message!("Chains with collider groups: {n}; written as colliders per joint", n),
        ExportLoss::Center(_) => message!("Chains with a center: {n}", n),
        ExportLoss::SwingLimit(_) => message!("Joints with a VRM limit: {n}", n),
        ExportLoss::DisabledCollider(_) => message!("Disabled colliders: {n}; enabled in the target", n),
        ExportLoss::ColliderOnMissingBone(_) => message!("Colliders on missing bones: {n}", n),
        ExportLoss::UnsupportedShape(_) => message!("Colliders of unsupported shapes: {n}", n),
        ExportLoss::DuplicateColliderName(_) => message!("Colliders with the same name: {n}; Unity uses the first", n),
        ExportLoss::Force(_) => message!("Wind and forces: {n}", n),
        ExportLoss::HiddenMesh(_) => message!("Hidden meshes: {n}", n),
        ExportLoss::HighLegOnMissingNode(_) => message!("Leg followers on missing bones: {n}", n),
        ExportLoss::UnityDeletesJoints => message!("No bones in the file: loading bones in Unity deletes all joints"),
        ExportLoss::ChainsOfOtherSolver(..) => message!("Chains of other solvers: {n}; export them to another file", n),
        ExportLoss::PassthroughRows(_) => message!("Rows of other characters: {n}; written unchanged", n),
        ExportLoss::TooManySystems(_) => message!("Systems: {n}; too many for the file, the last are not read", n),
        ExportLoss::PassthroughDropped(_) => message!("Rows of other characters: {n}; not supported by this format", n),
        ExportLoss::UnevenCurve(_) => {
            message!("Chains with several values at one length: {n}; the first is written", n)
        }
        ExportLoss::Material(_) => message!("Chains that share a material: {n}; written as values per bone", n),
        ExportLoss::UnevenMaterial(_) => message!("Chains that differ from their material: {n}; written without it", n),
        ExportLoss::UnevenColliders(_) => {
            message!("Chains with different colliders per joint: {n}; every joint gets all", n)
        }
        ExportLoss::ComponentList { is_single_component: true, .. } => {
            message!("Entries of the component's lists: {n}", n)
        }
        ExportLoss::ComponentList { .. } => message!("Entries of the lists of several components: {n}", n),
        ExportLoss::UnresolvableName(_) => {
            message!("Ambiguous or missing names in the component's lists: {n}", n)
        }
        ExportLoss::DuplicateBoneName(_) => message!("Joints whose name several bones share: {n}", n),
        ExportLoss::UnreadableName(..) => message!("Names that cannot be read back: {n}", n),
        ExportLoss::LimitsWithoutPivot(_) => message!("Angle limits without pivot: {n}; enabled in the target", n),
        ExportLoss::MissingPivotName(_) => message!("Bones without pivot: {n}; rejected by Unity", n),
        ExportLoss::MissingBone(_) => message!("Missing bones: {n}; not written", n),
    }
}

const fn changes_motion(loss: &ExportLoss) -> bool {
    !matches!(
        loss,
        ExportLoss::OffsetTip(_)
            | ExportLoss::ChosenTip(_)
            | ExportLoss::AnimatedFlag(_)
            | ExportLoss::ExcludedBones(_)
            | ExportLoss::Curves(_)
            | ExportLoss::LengthConstant(_)
            | ExportLoss::Groups(_)
            | ExportLoss::HiddenMesh(_)
            | ExportLoss::PassthroughRows(_)
            | ExportLoss::PassthroughDropped(_)
            | ExportLoss::Material(_)
    )
}

/// Returns the name of the bone, chain, parameter or other object of a loss. Returns `None` for a mere count.
fn name_of_lost(loss: &ExportLoss, params: &[&ParamDef], lang: Lang) -> Option<String> {
    let label = |label: &str| {
        let def = params.iter().find(|def| def.label == label);
        def.map_or_else(|| label.to_owned(), |def| param_label(lang, def).into_owned())
    };
    match loss {
        ExportLoss::ExcludedBones(_)
        | ExportLoss::PassthroughRows(_)
        | ExportLoss::PassthroughDropped(_)
        | ExportLoss::TooManySystems(_)
        | ExportLoss::UnityDeletesJoints => None,
        ExportLoss::SystemValue(name) | ExportLoss::SystemExtension(name) => Some(label(name)),
        ExportLoss::JointExtension(name, count) => Some(format!("{} × {count}", label(name))),
        ExportLoss::ChainsOfOtherSolver(kind, _) => Some(solver_name(lang, *kind).into_owned()),
        ExportLoss::ComponentList { list, .. } => Some(lang.tr(i18n::component_list_name(*list)).into_owned()),
        ExportLoss::OffsetTip(name)
        | ExportLoss::ChosenTip(name)
        | ExportLoss::JointDisabled(name)
        | ExportLoss::AnimatedFlag(name)
        | ExportLoss::Curves(name)
        | ExportLoss::LengthConstant(name)
        | ExportLoss::Groups(name)
        | ExportLoss::Center(name)
        | ExportLoss::SwingLimit(name)
        | ExportLoss::DisabledCollider(name)
        | ExportLoss::ColliderOnMissingBone(name)
        | ExportLoss::UnsupportedShape(name)
        | ExportLoss::DuplicateColliderName(name)
        | ExportLoss::Force(name)
        | ExportLoss::HiddenMesh(name)
        | ExportLoss::HighLegOnMissingNode(name)
        | ExportLoss::UnevenCurve(name)
        | ExportLoss::Material(name)
        | ExportLoss::UnevenMaterial(name)
        | ExportLoss::UnevenColliders(name)
        | ExportLoss::UnresolvableName(name)
        | ExportLoss::DuplicateBoneName(name)
        | ExportLoss::UnreadableName(name, _)
        | ExportLoss::LimitsWithoutPivot(name)
        | ExportLoss::MissingPivotName(name)
        | ExportLoss::MissingBone(name) => Some(name.clone()),
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
    use crate::ui::dialogs::table;
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
                let note =
                    width(&tr!(lang, "v4, UTF-8, {colliders:collider|colliders}", colliders = 999), TextSize::Small);
                let buttons = [tr!(lang, "Export {n:bone|bones}…", n = 999), tr!(lang, "Cancel")];
                let buttons: f32 = buttons.iter().map(|label| width(label, TextSize::Strong) + 2.0 * space::XL).sum();
                let needed = note + buttons + 2.0 * space::XL + space::M + space::L;
                assert!(needed <= WIDTHS[0], "{lang:?}: {needed} points");
            }
        });
    }

    fn losses_of_every_kind() -> Vec<ExportLoss> {
        let with_name: [fn(String) -> ExportLoss; 25] = [
            ExportLoss::OffsetTip,
            ExportLoss::ChosenTip,
            ExportLoss::JointDisabled,
            ExportLoss::AnimatedFlag,
            ExportLoss::Material,
            ExportLoss::UnevenMaterial,
            ExportLoss::Curves,
            ExportLoss::LengthConstant,
            ExportLoss::Groups,
            ExportLoss::Center,
            ExportLoss::SwingLimit,
            ExportLoss::DisabledCollider,
            ExportLoss::ColliderOnMissingBone,
            ExportLoss::UnsupportedShape,
            ExportLoss::DuplicateColliderName,
            ExportLoss::Force,
            ExportLoss::HiddenMesh,
            ExportLoss::HighLegOnMissingNode,
            ExportLoss::DuplicateBoneName,
            ExportLoss::LimitsWithoutPivot,
            ExportLoss::MissingPivotName,
            ExportLoss::MissingBone,
            ExportLoss::UnevenCurve,
            ExportLoss::UnevenColliders,
            ExportLoss::UnresolvableName,
        ];
        let with_count: [fn(usize) -> ExportLoss; 4] = [
            ExportLoss::ExcludedBones,
            ExportLoss::PassthroughRows,
            ExportLoss::PassthroughDropped,
            ExportLoss::TooManySystems,
        ];
        let list = |alone| ExportLoss::ComponentList {
            list: yuremono_model::document::ListKind::Columns,
            count: 1,
            is_single_component: alone,
        };
        let others = [
            ExportLoss::SystemValue("Gravity"),
            ExportLoss::SystemExtension("Sweep"),
            ExportLoss::ChainsOfOtherSolver(SolverKind::default(), 1),
            ExportLoss::UnreadableName("Hair".to_owned(), ""),
            ExportLoss::UnityDeletesJoints,
            list(true),
            list(false),
        ];
        let named = with_name.into_iter().map(|loss| loss("Hair".to_owned()));
        named.chain(with_count.into_iter().map(|loss| loss(1))).chain(others).collect()
    }

    #[test]
    fn every_loss_text_fits_the_narrowest_window_in_both_languages() {
        let mut cut = Vec::new();
        with_fonts(|ui| {
            let formulas = (LossHeading::Differs, message!("Names that a spreadsheet reads as formulas: {n}", n = 99));
            let losses = losses_of_every_kind();
            let labels = losses.iter().map(|loss| (heading_of(loss, true), loss_text(loss, 99))).chain([formulas]);
            for (heading, label) in labels {
                for lang in Lang::ALL {
                    let width = |text: &MessageText, size| paint::text_width(ui, &lang.tr(text), size);
                    let notes = [message!("in comment rows"), message!("not read back")];
                    let notes = notes.iter().filter(|_| heading == LossHeading::Improvements);
                    let note = notes.map(|note| width(note, TextSize::Small)).fold(0.0, f32::max);
                    if width(&label, TextSize::Body) > table::loss_text_width(WIDTHS[0], note) {
                        cut.push(format!("{lang:?}: {label}"));
                    }
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
            all.into_iter().map(|g| (g.heading, g.text.to_string(), g.read_back)).collect::<Vec<_>>()
        };
        assert_eq!(
            grouped(true),
            [
                (LossHeading::Improvements, "Improvements: 1", Some(true)),
                (LossHeading::Lost, "Missing bones: 1; not written", None),
                (LossHeading::InComments, "Disabled colliders: 2; enabled in the target", None),
                (LossHeading::Differs, "Names that a spreadsheet reads as formulas: 1", None),
            ]
            .map(|(heading, text, read_back)| (heading, text.to_owned(), read_back))
        );
        assert_eq!(grouped(false)[0].2, Some(false), "without comment rows nothing is read back");
    }

    #[test]
    fn losses_name_parameters_in_japanese() {
        for kind in SolverKind::ALL.iter().copied() {
            let mut params = kind.info().params.iter();
            let Some(def) = params.find(|def| def.scope == yuremono_sim::params::ParamScope::System) else { continue };
            let exported = exported(kind, vec![ExportLoss::SystemValue(def.label)]);
            let all = losses_by_kind(&exported, ExportOptions::new(DEFAULT_FORMAT), Lang::Ja);
            let named = all
                .iter()
                .find(|group| group.text == "Values of the whole character: 1")
                .expect("a value of the character");
            assert_eq!(named.names, [param_label(Lang::Ja, def).into_owned()]);
            assert_ne!(named.names, [def.label]);
        }
    }
}
