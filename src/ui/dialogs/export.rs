//! Export: what a file cannot hold, its format, how it is written, and a button that asks where.

mod losses;

use super::dialog::{Dialog, DialogButton, DialogOutput, DialogResult, SessionSnapshot, at_left};
use super::table;
use crate::document::FlipAxis;
use crate::exchange::{ExportOptions, LineEnding, TableFormat};
use crate::exchange::{ExportResult, FileSection, export};
use crate::format::tables::write_setup;
use crate::session::Session;
use crate::ui::kit::icons::{self, paint_icon};
use crate::ui::kit::paint;
use crate::ui::kit::theme::TextSize;
use crate::ui::kit::toggle::{labelled_checkbox, segmented, segmented_with_hints};
use crate::ui::kit::tokens::{radius, size, space};
use crate::ui::{AppRequest, UNITY_DIGITS, UiContext};
use egui::{Align2, Context, Rect, Role, ScrollArea, Sense, Ui, WidgetInfo, pos2, vec2};
use losses::{ExportLossGroup, LossHeading, group_losses, name_list};

const LOSS_HEIGHT: f32 = 26.0;
const HEADING_HEIGHT: f32 = 28.0;
const OPTION_HEIGHT: f32 = 32.0;
const LABEL_WIDTH: f32 = 104.0;
/// Smallest and largest width of the window.
const WIDTHS: [f32; 2] = [568.0, 600.0];

/// A file before it is written.
#[derive(Debug)]
pub(super) struct ExportDialog {
    options: ExportOptions,
    snapshot: SessionSnapshot,
    exported: ExportResult,
    /// Whether the file starts with a byte order mark.
    starts_with_bom: bool,
    /// Whether a joint has no pivot, so that its cell might stay empty.
    lacks_pivots: bool,
    /// Whether the rarer choices are open.
    shows_advanced: bool,
}

impl ExportDialog {
    pub(super) fn new(cx: &UiContext<'_>) -> Self {
        let session = cx.session();
        let options = cx.state.prefs.export_options(session.character());
        let exported = export(session.document(), &session.character().skeleton, options);
        let bom = starts_with_bom(&exported, options);
        Self {
            options,
            snapshot: SessionSnapshot::of(session),
            exported,
            starts_with_bom: bom,
            lacks_pivots: lacks_pivots(session),
            shows_advanced: false,
        }
    }

    fn refresh_export(&mut self, session: &Session) {
        self.exported = export(session.document(), &session.character().skeleton, self.options);
        self.starts_with_bom = starts_with_bom(&self.exported, self.options);
        self.lacks_pivots = lacks_pivots(session);
        self.snapshot = SessionSnapshot::of(session);
    }

    /// Keeps what was changed for the next table.
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
        if now.format == TableFormat::Csv && before.format == TableFormat::Csv {
            prefs.table_export.unity_digits = now.significant_digits.is_some();
            prefs.table_export.omit_extensions = !now.write_comment_rows;
        }
    }

    /// Whether there is anything to write but pivots and comment rows.
    fn is_ready(&self) -> bool {
        let counted = [FileSection::Joints, FileSection::Colliders, FileSection::Nodes, FileSection::HighLegs];
        let file = &self.exported.file;
        !file.trees.is_empty() || file.entries.iter().any(|item| counted.contains(&item.section))
    }

    fn count(&self, section: FileSection) -> usize {
        self.exported.file.entries.iter().filter(|item| item.section == section).count()
    }

    /// Bones of all systems.
    fn bone_count(&self) -> usize {
        let in_trees = self.exported.file.trees.iter().map(|tree| tree.joints.len()).sum::<usize>();
        self.count(FileSection::Joints) + in_trees
    }

    /// The format: those for every solver, then the engine's own.
    fn format_ui(&mut self, ui: &mut Ui, cx: &UiContext<'_>) {
        let solver = cx.session().inspection().system().solver;
        let all = TableFormat::ALL.into_iter().filter(|format| format.solver().is_none_or(|only| only == solver));
        let formats: Vec<TableFormat> = all.collect();
        let words: Vec<_> = formats.iter().map(|format| cx.tr(&format!("csv.format.{}", format.key()))).collect();
        let hints: Vec<_> = formats.iter().map(|format| cx.tr(&format!("csv.format_hint.{}", format.key()))).collect();
        let choices: Vec<(&str, Option<usize>)> = words.iter().map(|words| (&**words, None)).collect();
        let hints: Vec<&str> = hints.iter().map(|hint| &**hint).collect();
        let chosen = formats.iter().position(|format| *format == self.options.format).unwrap_or(0);
        let picked = ui.horizontal(|ui| {
            ui.set_height(OPTION_HEIGHT);
            label_ui(ui, cx, &cx.tr("windows.export.option.format"));
            segmented_with_hints(ui, &choices, &hints, chosen, size::HIT_MIN)
        });
        if let Some(at) = picked.inner {
            // A CSV gets back what was chosen for the text of a CSV.
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
        if format == TableFormat::KawaiiJson {
            return;
        }
        let axes = [cx.tr("windows.mirror.x"), cx.tr("windows.mirror.z")];
        let usual = if FlipAxis::default_for(cx.session().character().facing) == FlipAxis::X { "X" } else { "Z" };
        let note = cx.tr_with("windows.mirror.usual_short", &[("axis", usual)]);
        let picked =
            option_ui(ui, cx, "mirror", [&axes[0], &axes[1]], usize::from(options.flip_axis == FlipAxis::Z), &note);
        if let Some(at) = picked {
            options.flip_axis = [FlipAxis::X, FlipAxis::Z][at];
        }
        if format != TableFormat::Csv {
            return;
        }
        checkboxes_ui(
            ui,
            cx,
            "content",
            [
                ("csv.export.bones", None, &mut options.write_joints),
                ("csv.export.colliders", None, &mut options.write_colliders),
            ],
        );
        let extras = ("csv.export.extras", Some("csv.export.extras_hint"), &mut options.write_comment_rows);
        if self.lacks_pivots {
            let empty =
                ("csv.export.empty_pivots", Some("csv.export.empty_pivots_hint"), &mut options.allow_empty_pivots);
            checkboxes_ui(ui, cx, "", [extras, empty]);
        } else {
            checkboxes_ui(ui, cx, "", [extras]);
        }
        self.advanced_ui(ui, cx);
    }

    /// How the text of a CSV is written.
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
        let ends = [cx.tr("windows.export.windows"), cx.tr("windows.export.unix")];
        let end = usize::from(options.line_ending != LineEnding::CrLf);
        if let Some(at) = option_ui(ui, cx, "line_end", [&ends[0], &ends[1]], end, "") {
            options.line_ending = [LineEnding::CrLf, LineEnding::Lf][at];
        }
        let digits = [cx.tr("windows.export.exact"), cx.tr("windows.export.seven")];
        let note = cx.tr("windows.export.digits_note");
        let chosen = usize::from(options.significant_digits.is_some());
        if let Some(at) = option_ui(ui, cx, "digits", [&digits[0], &digits[1]], chosen, &note) {
            options.significant_digits = [None, Some(UNITY_DIGITS)][at];
        }
        let mut bom = self.starts_with_bom;
        checkboxes_ui(
            ui,
            cx,
            "text",
            [
                ("windows.export.bom", Some("windows.export.bom_hint"), &mut bom),
                ("csv.export.comma", Some("csv.export.comma_hint"), &mut options.decimal_comma),
            ],
        );
        if bom != self.starts_with_bom {
            options.write_bom = Some(bom);
        }
    }

    fn loss_groups(&self, cx: &UiContext<'_>) -> Vec<ExportLossGroup> {
        group_losses(&self.exported, self.options, cx.theme.lang)
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
        at_left(ctx, 0.4, WIDTHS, options + losses_height(&self.loss_groups(cx)).max(LOSS_HEIGHT))
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
            (ui.available_height() - options_height(self.options.format, self.shows_advanced)).max(LOSS_HEIGHT);
        if groups.is_empty() {
            ui.add_space(space::M);
            let words = cx.tr("windows.export.lossless");
            loss_line_ui(ui, icons::CHECK_CIRCLE, c.ok, &words, "", "");
            ui.add_space((height - LOSS_HEIGHT - space::M).max(0.0));
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
            n => cx.tr_with("windows.export.export", &[("n", &n.to_string())]),
        };
        vec![DialogButton::apply(words, self.is_ready()), DialogButton::cancel(cx)]
    }

    fn footer_note(&self, cx: &UiContext<'_>) -> String {
        if !self.is_ready() {
            return cx.tr("windows.export.nothing").into_owned();
        }
        let (bones, colliders) = (self.bone_count().to_string(), self.count(FileSection::Colliders).to_string());
        let key = if self.options.format == TableFormat::Csv { "csv.export.rows" } else { "csv.export.rows_json" };
        cx.tr_with(key, &[("bones", &bones), ("colliders", &colliders)])
    }

    fn apply(&mut self, cx: &mut UiContext<'_>) -> DialogResult {
        cx.request(AppRequest::ExportDialog(self.options));
        DialogResult::Closed
    }
}

/// Whether the bytes of a CSV start with the UTF-8 byte order mark.
fn starts_with_bom(exported: &ExportResult, options: ExportOptions) -> bool {
    options.format == TableFormat::Csv && write_setup(&exported.file, options).starts_with(&[0xEF, 0xBB, 0xBF])
}

/// Height of the part below the losses.
fn options_height(format: TableFormat, advanced: bool) -> f32 {
    let below = match format {
        TableFormat::Csv if advanced => 4.0 * OPTION_HEIGHT + 3.0 * size::BUTTON,
        TableFormat::Csv => 2.0 * OPTION_HEIGHT + 2.0 * size::BUTTON,
        TableFormat::KawaiiJson => 0.0,
        _ => OPTION_HEIGHT,
    };
    2.0 * space::M + OPTION_HEIGHT + below
}

/// Whether a joint has no pivot, where the file has a column for pivots.
fn lacks_pivots(session: &Session) -> bool {
    session.inspection().system().solver.info().uses_pivots
        && session.document().chains.values().flat_map(|c| &c.joints).any(|j| j.pivot.is_none())
}

/// Height of all headings and lines.
fn losses_height(groups: &[ExportLossGroup]) -> f32 {
    let headings = LossHeading::ALL.iter().filter(|h| groups.iter().any(|g| g.heading == **h)).count();
    headings as f32 * HEADING_HEIGHT + groups.len() as f32 * LOSS_HEIGHT + space::M
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

/// One kind of loss; at its right whether Yuremono reads it back.
fn group_ui(ui: &mut Ui, cx: &UiContext<'_>, group: &ExportLossGroup) {
    let c = cx.theme.color;
    let (icon, color) = if group.changes_motion { (icons::WARNING, c.warning) } else { (icons::INFO, c.info) };
    let words = cx.tr_with(&format!("windows.export.loss.{}", group.key), &[("n", &group.count.to_string())]);
    let back = match group.read_back {
        Some(true) => cx.tr("csv.export.read_back"),
        Some(false) => cx.tr("csv.export.not_read_back"),
        None => "".into(),
    };
    loss_line_ui(ui, icon, color, &words, &name_list(&group.names), &back);
}

/// Width for the words of a line next to a note.
fn text_width(line: f32, note: f32) -> f32 {
    line - 2.0 * space::XL - 24.0 - if note > 0.0 { note + space::XL } else { 0.0 }
}

/// An icon, a sentence, names after it as far as they fit, and a note at the right.
fn loss_line_ui(ui: &mut Ui, icon: icons::Icon, color: egui::Color32, words: &str, names: &str, back: &str) {
    let c = crate::ui::kit::theme::Theme::of(ui).color;
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), LOSS_HEIGHT), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, words));
    paint_icon(ui.painter(), pos2(rect.left() + space::XL + 8.0, rect.center().y), icon, size::ICON, color);
    let note = paint::text_width(ui, back, TextSize::Small);
    let end = pos2(rect.right() - space::XL, rect.center().y);
    paint::text(ui.painter(), end, Align2::RIGHT_CENTER, back, TextSize::Small, c.text_2);
    let parts =
        [(words, TextSize::Body, c.text), ("   ", TextSize::Small, c.text_3), (names, TextSize::Small, c.text_3)];
    let line = paint::layout_line(ui, &parts, text_width(rect.width(), note));
    let cut = line.elided;
    paint::paint_galley_left(ui.painter(), pos2(rect.left() + space::XL + 24.0, rect.center().y), line);
    if cut || !names.is_empty() {
        response.on_hover_text(format!("{words}\n{names}"));
    }
}

/// One choice of two: its name, the choice, a note. What was picked.
fn option_ui(
    ui: &mut Ui,
    cx: &UiContext<'_>,
    key: &str,
    choices: [&str; 2],
    chosen: usize,
    note: &str,
) -> Option<usize> {
    let c = cx.theme.color;
    ui.horizontal(|ui| {
        ui.set_height(OPTION_HEIGHT);
        label_ui(ui, cx, &cx.tr(&format!("windows.export.option.{key}")));
        let picked = segmented(ui, &[(choices[0], None), (choices[1], None)], chosen, size::HIT_MIN);
        ui.add_space(space::L);
        let left = (ui.available_width() - space::XL).max(0.0);
        let (rect, _) = ui.allocate_exact_size(vec2(left, size::HIT_MIN), Sense::hover());
        table::row_text(ui, rect, 0.0, left, note, TextSize::Small, c.text_3);
        picked
    })
    .inner
}

fn label_ui(ui: &mut Ui, cx: &UiContext<'_>, words: &str) {
    let (label, _) = ui.allocate_exact_size(vec2(LABEL_WIDTH + space::XL, size::HIT_MIN), Sense::hover());
    table::row_text(ui, label, space::XL, LABEL_WIDTH - 8.0, words, TextSize::Body, cx.theme.color.text_2);
}

/// Tick boxes side by side, of equal width: words, hint, and what they switch.
fn checkboxes_ui<const N: usize>(
    ui: &mut Ui,
    cx: &UiContext<'_>,
    key: &str,
    ticks: [(&str, Option<&str>, &mut bool); N],
) {
    ui.horizontal(|ui| {
        ui.set_height(size::BUTTON);
        let label = if key.is_empty() { "".into() } else { cx.tr(&format!("csv.export.{key}")) };
        label_ui(ui, cx, &label);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::kit::i18n::{self, Lang};

    #[test]
    fn every_loss_text_fits_the_narrowest_window_in_both_languages() {
        let ctx = Context::default();
        crate::ui::kit::fonts::install(&ctx);
        let mut cut = Vec::new();
        // The fonts are there from the second frame on.
        for frame in 0..2 {
            let mut output = ctx.run_ui(egui::RawInput::default(), |ui| {
                if frame == 0 {
                    return;
                }
                for (lang, key, text) in i18n::all_texts() {
                    let Some(loss) = key.strip_prefix("windows.export.loss.") else { continue };
                    let note = if loss == "improvement" {
                        ["csv.export.read_back", "csv.export.not_read_back"]
                            .map(|key| paint::text_width(ui, &i18n::tr(lang, key), TextSize::Small))
                            .into_iter()
                            .fold(0.0, f32::max)
                    } else {
                        0.0
                    };
                    let width = paint::text_width(ui, &text.replace("%{n}", "99"), TextSize::Body);
                    if width > text_width(WIDTHS[0], note) {
                        cut.push(format!("{}: {loss}, {width} points", if lang == Lang::En { "en" } else { "ja" }));
                    }
                }
            });
            output.textures_delta.clear();
        }
        assert!(cut.is_empty(), "{}", cut.join("\n"));
    }
}
