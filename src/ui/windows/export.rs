//! Export CSV: what a file cannot hold, how it is written, and one button that leads on to where.

use super::seen::Seen;
use super::{Stays, grid, place};
use crate::doc::import::{ExportLoss, Exported, export};
use crate::doc::table::{LineEnd, looks_like_formula};
use crate::doc::{Axis, ExportOptions};
use crate::session::Session;
use crate::ui::icons::{self, paint_icon};
use crate::ui::theme::Text;
use crate::ui::tokens::{SPACE, size};
use crate::ui::widgets::button::{primary, secondary};
use crate::ui::widgets::toggle::{Tick, segmented, tick_box};
use crate::ui::widgets::{frame, paint};
use crate::ui::{Cx, Request};
use egui::{Align2, Context, Role, ScrollArea, Sense, Ui, WidgetInfo, pos2, vec2};

const LINE: f32 = 28.0;
const LABEL: f32 = 132.0;
/// Digits that the original writes.
const UNITY_DIGITS: u8 = 7;

/// A table about to be written.
#[derive(Debug)]
pub(super) struct Export {
    options: ExportOptions,
    seen: Seen,
    exported: Exported,
}

/// What a file cannot hold, of one kind.
struct Group {
    key: &'static str,
    /// Whether it is lost, or may only surprise.
    grave: bool,
    /// Bones, chains or parameters.
    names: Vec<String>,
}

enum Deed {
    Export,
    Cancel,
}

impl Export {
    pub(super) fn new(session: &Session) -> Self {
        let options = ExportOptions::proposed(session.character(), session.document());
        let exported = export(session.document(), &session.character().skeleton, options);
        Self { options, seen: Seen::of(session), exported }
    }

    fn catch_up(&mut self, session: &Session) {
        self.exported = export(session.document(), &session.character().skeleton, self.options);
        self.seen = Seen::of(session);
    }

    pub(super) fn show(&mut self, ctx: &Context, cx: &mut Cx<'_>) -> (String, Stays) {
        if !self.seen.is_current(cx.session()) {
            self.catch_up(cx.session());
        }
        let title = cx.tr("windows.export.title").into_owned();
        let name = cx.session().character().name.clone();
        let groups = self.groups();
        let listed = if groups.is_empty() { 1 } else { groups.len() };
        let height = 96.0 + 206.0 + LINE * listed as f32;
        let at = place(ctx, 0.36, [480.0, 520.0], height.min(620.0));
        let mut deed = None;
        let mut both = (&mut *self, &mut *cx);
        let out = frame::window(
            ctx,
            &title,
            &name,
            at,
            &mut both,
            |ui, (export, cx)| export.body_ui(ui, cx, &groups),
            |ui, (export, cx)| deed = export.footer_ui(ui, cx),
        );
        let keys = out.closed.then_some(Deed::Cancel).or(out.applied.then_some(Deed::Export));
        let stays = match deed.or(keys) {
            Some(Deed::Export) if !self.exported.table.bones.is_empty() => {
                cx.request(Request::ExportDialog(self.options));
                Stays::Closed
            }
            Some(Deed::Cancel) => Stays::Closed,
            _ => Stays::Open,
        };
        (title, stays)
    }

    /// Losses of one kind together, the gravest first, then names that a spreadsheet reads otherwise.
    fn groups(&self) -> Vec<Group> {
        let mut groups: Vec<Group> = Vec::new();
        for loss in &self.exported.losses {
            let (key, grave, name) = told(loss);
            match groups.iter_mut().find(|g| g.key == key) {
                Some(group) => group.names.extend(name),
                None => groups.push(Group { key, grave, names: name.into_iter().collect() }),
            }
            if let (ExportLoss::Excluded(count) | ExportLoss::KeptRows(count), Some(group)) =
                (loss, groups.iter_mut().find(|g| g.key == key))
            {
                group.names.resize(*count, String::new());
            }
        }
        let rows = &self.exported.table.bones;
        let formulas: Vec<String> =
            rows.iter().filter(|r| looks_like_formula(&r.name)).map(|r| r.name.clone()).collect();
        if !formulas.is_empty() {
            groups.push(Group { key: "formula", grave: false, names: formulas });
        }
        groups.sort_by_key(|g| !g.grave);
        groups
    }

    fn body_ui(&mut self, ui: &mut Ui, cx: &Cx<'_>, groups: &[Group]) {
        let c = cx.theme.color;
        ui.spacing_mut().item_spacing = egui::Vec2::ZERO;
        ui.add_space(SPACE[4]);
        heading(ui, cx, "windows.export.losses");
        let height = (ui.available_height() - 164.0).max(LINE);
        if groups.is_empty() {
            let words = cx.tr("windows.export.lossless");
            line_ui(ui, icons::CHECK_CIRCLE, c.ok, &words, "", c.text);
        } else {
            ScrollArea::vertical().id_salt("losses").max_height(height).auto_shrink([false, true]).show(ui, |ui| {
                for group in groups {
                    let (icon, color) = if group.grave { (icons::WARNING, c.warning) } else { (icons::INFO, c.info) };
                    let count = group.names.len().max(1).to_string();
                    let words = cx.tr_with(&format!("windows.export.loss.{}", group.key), &[("n", &count)]);
                    line_ui(ui, icon, color, &words, &named(&group.names), c.text);
                }
            });
        }
        ui.add_space(SPACE[3]);
        let rect = ui.available_rect_before_wrap();
        paint::hairline(ui.painter(), rect.left(), rect.right(), rect.top(), c.border);
        ui.add_space(SPACE[3]);
        self.options_ui(ui, cx);
    }

    fn options_ui(&mut self, ui: &mut Ui, cx: &Cx<'_>) {
        let options = &mut self.options;
        let axes = [cx.tr("windows.mirror.x"), cx.tr("windows.mirror.z")];
        let usual = if Axis::usual(cx.session().character().facing) == Axis::X { "X" } else { "Z" };
        let note = cx.tr_with("windows.mirror.usual_short", &[("axis", usual)]);
        let picked = option_ui(ui, cx, "mirror", [&axes[0], &axes[1]], usize::from(options.mirror == Axis::Z), &note);
        if let Some(at) = picked {
            options.mirror = [Axis::X, Axis::Z][at];
        }
        let ends = [cx.tr("windows.export.windows"), cx.tr("windows.export.unix")];
        let end = usize::from(options.line_end != LineEnd::CrLf);
        if let Some(at) = option_ui(ui, cx, "line_end", [&ends[0], &ends[1]], end, "") {
            options.line_end = [LineEnd::CrLf, LineEnd::Lf][at];
        }
        let digits = [cx.tr("windows.export.exact"), cx.tr("windows.export.seven")];
        let note = cx.tr("windows.export.digits_note");
        let chosen = usize::from(options.digits.is_some());
        if let Some(at) = option_ui(ui, cx, "digits", [&digits[0], &digits[1]], chosen, &note) {
            options.digits = [None, Some(UNITY_DIGITS)][at];
        }
        ui.horizontal(|ui| {
            ui.set_height(34.0);
            ui.add_space(SPACE[5] + LABEL - 4.0);
            let words = cx.tr("windows.export.bom");
            let tick = if options.bom { Tick::On } else { Tick::Off };
            if tick_box(ui, &words, &words, tick).on_hover_text(cx.tr("windows.export.bom_hint")).clicked() {
                options.bom = !options.bom;
            }
        });
    }

    fn footer_ui(&self, ui: &mut Ui, cx: &Cx<'_>) -> Option<Deed> {
        ui.spacing_mut().item_spacing.x = SPACE[3];
        let joints = cx.session().document().joint_count();
        let all = self.exported.table.bones.len();
        let words = match all {
            1 => cx.tr("windows.export.export_one").into_owned(),
            n => cx.tr_with("windows.export.export", &[("n", &n.to_string())]),
        };
        let mut deed = None;
        if primary(&words).enabled(all > 0).show(ui).on_hover_text("Ctrl+Enter").clicked() {
            deed = Some(Deed::Export);
        }
        if secondary(&cx.tr("common.cancel")).show(ui).clicked() {
            deed = Some(Deed::Cancel);
        }
        let kept = all.saturating_sub(joints);
        let note = match (all, kept) {
            (0, _) => cx.tr("windows.export.nothing").into_owned(),
            (_, 0) => cx.tr("windows.export.about").into_owned(),
            (_, kept) => cx.tr_with("windows.export.about_kept", &[("n", &kept.to_string())]),
        };
        grid::foot_note(ui, &note);
        deed
    }
}

/// Words for a loss, whether it is grave, and whom it is about.
fn told(loss: &ExportLoss) -> (&'static str, bool, Option<String>) {
    match loss {
        ExportLoss::VirtualTip(bone) => ("virtual_tip", false, Some(bone.clone())),
        ExportLoss::ChosenTip(bone) => ("chosen_tip", false, Some(bone.clone())),
        ExportLoss::Disabled(bone) => ("disabled", true, Some(bone.clone())),
        ExportLoss::Animated(bone) => ("animated", false, Some(bone.clone())),
        ExportLoss::Excluded(_) => ("excluded", false, None),
        ExportLoss::SystemValue(label) => ("system", true, Some((*label).to_owned())),
        ExportLoss::Curves(chain) => ("curves", false, Some(chain.clone())),
        ExportLoss::Improvement(label) | ExportLoss::JointImprovement(label, _) => {
            ("improvement", true, Some((*label).to_owned()))
        }
        ExportLoss::LengthConstant(bone) => ("length", false, Some(bone.clone())),
        ExportLoss::ColliderOff(name) => ("collider_off", true, Some(name.clone())),
        ExportLoss::LostCollider(name) => ("lost_collider", true, Some(name.clone())),
        ExportLoss::SharedCollider(name) => ("shared_collider", true, Some(name.clone())),
        ExportLoss::Force(name) => ("force", true, Some(name.clone())),
        ExportLoss::RendererOff(name) => ("renderer_off", false, Some(name.clone())),
        ExportLoss::LostHighLeg(name) => ("lost_high_leg", true, Some(name.clone())),
        ExportLoss::WipesBones => ("wipes_bones", true, None),
        ExportLoss::KeptRows(_) => ("kept_rows", false, None),
        ExportLoss::SharedName(bone) => ("shared_name", true, Some(bone.clone())),
        ExportLoss::UnreadableName(bone, _) => ("unreadable_name", true, Some(bone.clone())),
        ExportLoss::LimitsWithoutPivot(bone) => ("limits", true, Some(bone.clone())),
        ExportLoss::NoPivotName(bone) => ("no_pivot", true, Some(bone.clone())),
        ExportLoss::LostBone(bone) => ("lost", true, Some(bone.clone())),
    }
}

/// Names in a row, the first few of them; each once.
fn named(names: &[String]) -> String {
    let mut seen: Vec<&str> = names.iter().map(String::as_str).filter(|n| !n.is_empty()).collect();
    seen.sort_unstable();
    seen.dedup();
    seen.join(", ")
}

fn heading(ui: &mut Ui, cx: &Cx<'_>, key: &str) {
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), 24.0), Sense::hover());
    let at = pos2(rect.left() + SPACE[5], rect.center().y);
    paint::text(ui.painter(), at, Align2::LEFT_CENTER, &cx.tr(key), Text::Strong, cx.theme.color.text);
}

/// An icon, a sentence, and names behind it as far as they fit.
fn line_ui(ui: &mut Ui, icon: icons::Icon, color: egui::Color32, words: &str, names: &str, ink: egui::Color32) {
    let c = crate::ui::theme::Theme::of(ui).color;
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), LINE), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, words));
    paint_icon(ui.painter(), pos2(rect.left() + SPACE[5] + 8.0, rect.center().y), icon, 16.0, color);
    let parts = [(words, Text::Body, ink), ("   ", Text::Small, c.text_3), (names, Text::Small, c.text_3)];
    let line = paint::line_of(ui, &parts, rect.width() - SPACE[5] - 24.0 - SPACE[5]);
    let cut = line.elided;
    paint::galley_left(ui.painter(), pos2(rect.left() + SPACE[5] + 24.0, rect.center().y), line);
    if cut || !names.is_empty() {
        response.on_hover_text(format!("{words}\n{names}"));
    }
}

/// One choice of two: its name, the choice, a note. What was picked.
fn option_ui(ui: &mut Ui, cx: &Cx<'_>, key: &str, choices: [&str; 2], chosen: usize, note: &str) -> Option<usize> {
    let c = cx.theme.color;
    ui.horizontal(|ui| {
        ui.set_height(34.0);
        let (label, _) = ui.allocate_exact_size(vec2(LABEL + SPACE[5], size::HIT_MIN), Sense::hover());
        let words = cx.tr(&format!("windows.export.option.{key}"));
        grid::words(ui, label, SPACE[5], LABEL - 8.0, &words, Text::Body, c.text_2);
        let picked = segmented(ui, &[(choices[0], None), (choices[1], None)], chosen, size::HIT_MIN);
        ui.add_space(SPACE[4]);
        let left = (ui.available_width() - SPACE[5]).max(0.0);
        let (rect, _) = ui.allocate_exact_size(vec2(left, size::HIT_MIN), Sense::hover());
        grid::words(ui, rect, 0.0, left, note, Text::Small, c.text_3);
        picked
    })
    .inner
}
