//! The questions that block: the window is to close, or another file to open, and something is not saved; the project is
//! to be saved, and its file on disk has contents that were not read or saved here; and whether a VRM 0.x file may get the
//! means of its trees.

use crate::ui::kit::button;
use crate::ui::kit::icons;
use crate::ui::kit::theme::Text;
use crate::ui::kit::tokens::{SPACE, radius, stroke};
use crate::ui::{Cx, Request};
use egui::{Align, Context, Frame, Id, Layout, Margin, Modal, Stroke, Ui, vec2};

const WIDTH: f32 = 420.0;

/// What it keeps.
#[derive(Debug, Default)]
pub(super) struct Closing {
    /// Saving was asked for: once all is saved, what was asked for goes on.
    saving: bool,
}

impl Closing {
    /// Draws it while the question stands.
    pub(super) fn show(&mut self, ctx: &Context, cx: &mut Cx<'_>) {
        let file = cx.input.file;
        if !file.asks_to_close {
            self.saving = false;
            return;
        }
        if self.saving && !file.dirty {
            self.saving = false;
            cx.request(Request::QuitAnyway);
            return;
        }
        question(ctx, "closing", cx, |ui, cx| self.body_ui(ui, cx));
    }

    fn body_ui(&mut self, ui: &mut Ui, cx: &mut Cx<'_>) {
        let before = cx.input.file.asks_before;
        let name = cx.input.file.project.unwrap_or(cx.input.file.name);
        let title = match before {
            Some(other) => cx.tr_with("closing.title_open", &[("name", name), ("other", other)]),
            None => cx.tr_with("closing.title", &[("name", name)]),
        };
        words_ui(ui, cx, title, &cx.tr("closing.what"));
        let discard = if before.is_some() { "closing.discard_open" } else { "closing.discard" };
        let [save, discard, stay] = ["closing.save", discard, "closing.stay"].map(|key| cx.tr(key));
        buttons_ui(ui, |ui| {
            if button::primary(&save).icon(icons::FLOPPY_DISK).show(ui).clicked() {
                self.saving = true;
                cx.request(Request::Save);
            }
            if button::secondary(&stay).show(ui).clicked() {
                cx.request(Request::StayOpen);
            }
            ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                if button::secondary(&discard).show(ui).clicked() {
                    cx.request(Request::QuitAnyway);
                }
            });
        });
    }
}

/// Asks what becomes of a project file that changed on disk. The safe answers, another file and none, are on the right.
pub(super) fn replace(ctx: &Context, cx: &mut Cx<'_>) {
    question(ctx, "replacing", cx, |ui, cx| {
        let name = cx.input.file.project.unwrap_or(cx.input.file.name);
        words_ui(ui, cx, cx.tr_with("replacing.title", &[("name", name)]), &cx.tr("replacing.what"));
        let [overwrite, reload, other, cancel] =
            ["replacing.overwrite", "replacing.reload", "replacing.save_as", "common.cancel"].map(|key| cx.tr(key));
        buttons_ui(ui, |ui| {
            if button::primary(&other).icon(icons::FLOPPY_DISK).show(ui).clicked() {
                cx.request(Request::SaveAs);
            }
            if button::secondary(&cancel).show(ui).clicked() {
                cx.request(Request::StayOpen);
            }
            ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                if button::secondary(&overwrite).show(ui).clicked() {
                    cx.request(Request::OverwriteProject);
                }
                if button::secondary(&reload).show(ui).clicked() {
                    cx.request(Request::ReloadProject);
                }
            });
        });
    });
}

/// Asks before the means of trees are written into a VRM 0.x file.
pub(super) fn average(ctx: &Context, cx: &mut Cx<'_>) {
    question(ctx, "averaging", cx, |ui, cx| {
        words_ui(ui, cx, cx.tr("averaging.title").into_owned(), &cx.tr("averaging.what"));
        let [save, stay] = ["averaging.save", "closing.stay"].map(|key| cx.tr(key));
        buttons_ui(ui, |ui| {
            if button::primary(&save).icon(icons::FLOPPY_DISK).show(ui).clicked() {
                cx.request(Request::SaveMeans);
            }
            if button::secondary(&stay).show(ui).clicked() {
                cx.request(Request::StayOpen);
            }
        });
    });
}

/// A box over the whole window; leaving it is [`Request::StayOpen`].
fn question(ctx: &Context, id: &str, cx: &mut Cx<'_>, body: impl FnOnce(&mut Ui, &mut Cx<'_>)) {
    let c = cx.theme.color;
    let frame = Frame::new()
        .fill(c.popup)
        .stroke(Stroke::new(stroke::EDGE, c.border_strong))
        .corner_radius(radius::WINDOW)
        .shadow(ctx.style_of(ctx.theme()).visuals.window_shadow)
        .inner_margin(Margin::same(SPACE[5] as i8));
    let response = Modal::new(Id::unique(id)).frame(frame).show(ctx, |ui| {
        ui.set_width(WIDTH);
        body(ui, cx);
    });
    if response.should_close() {
        cx.request(Request::StayOpen);
    }
}

fn words_ui(ui: &mut Ui, cx: &Cx<'_>, title: String, what: &str) {
    let c = cx.theme.color;
    ui.horizontal(|ui| {
        icons::icon(ui, icons::WARNING, 20.0, c.warning);
        ui.add(egui::Label::new(Text::Title.rich(title).color(c.text)).wrap());
    });
    ui.add_space(SPACE[2]);
    ui.label(Text::Body.rich(what).color(c.text_2));
    ui.add_space(SPACE[5]);
}

fn buttons_ui(ui: &mut Ui, contents: impl FnOnce(&mut Ui)) {
    let row = vec2(ui.available_width(), crate::ui::kit::tokens::size::BUTTON);
    ui.allocate_ui_with_layout(row, Layout::right_to_left(Align::Center), contents);
}
