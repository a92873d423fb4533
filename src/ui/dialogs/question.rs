//! The questions that block: the window is to close, or another file to open, and something is not saved; the project is
//! to be saved, and its file on disk has contents that were not read or saved here; and whether a VRM 0.x file may get the
//! means of its trees.

use crate::ui::kit::theme::Text;
use crate::ui::kit::tokens::{radius, size, space, stroke};
use crate::ui::kit::{button, icons};
use crate::ui::{Cx, Request};
use egui::{Align, Context, Frame, Id, Layout, Margin, Modal, Stroke, Ui, vec2};

const WIDTH: f32 = 420.0;

/// One question. An answer is the key of its words and what it asks of the program.
struct Question {
    id: &'static str,
    title: String,
    what: &'static str,
    /// The main answer, with the icon of saving.
    save: (&'static str, Request),
    /// Leaves all as it is.
    stay: &'static str,
    /// Answers at the left, which lose something.
    lossy: Vec<(&'static str, Request)>,
}

/// The questions, and what they keep.
#[derive(Debug, Default)]
pub(super) struct Closing {
    /// Saving was asked for: once all is saved, what was asked for goes on.
    saving: bool,
}

impl Closing {
    /// Draws the question that stands.
    pub(super) fn show(&mut self, ctx: &Context, cx: &mut Cx<'_>) {
        let file = cx.input.file;
        if !file.asks_to_close || file.asks_to_replace || file.asks_to_average {
            self.saving &= file.asks_to_close;
        } else if self.saving && !file.dirty {
            self.saving = false;
            cx.request(Request::QuitAnyway);
            return;
        }
        let Some(question) = Question::of(cx) else { return };
        let answer = question.show(ctx, cx);
        self.saving |= file.asks_to_close && answer == Some(Request::Save);
        if let Some(answer) = answer {
            cx.request(answer);
        }
    }
}

impl Question {
    fn of(cx: &Cx<'_>) -> Option<Self> {
        let file = cx.input.file;
        let name = file.project.unwrap_or(file.name);
        if file.asks_to_replace {
            // The safe answers, another file and none, are on the right.
            let lossy =
                vec![("replacing.overwrite", Request::OverwriteProject), ("replacing.reload", Request::ReloadProject)];
            return Some(Self {
                id: "replacing",
                title: cx.tr_with("replacing.title", &[("name", name)]),
                what: "replacing.what",
                save: ("replacing.save_as", Request::SaveAs),
                stay: "common.cancel",
                lossy,
            });
        }
        if file.asks_to_average {
            return Some(Self {
                id: "averaging",
                title: cx.tr("averaging.title").into_owned(),
                what: "averaging.what",
                save: ("averaging.save", Request::SaveMeans),
                stay: "closing.stay",
                lossy: Vec::new(),
            });
        }
        let (title, discard) = match file.asks_before {
            Some(other) => {
                let title = cx.tr_with("closing.title_open", &[("name", name), ("other", other)]);
                (title, "closing.discard_open")
            }
            None => (cx.tr_with("closing.title", &[("name", name)]), "closing.discard"),
        };
        file.asks_to_close.then(|| Self {
            id: "closing",
            title,
            what: "closing.what",
            save: ("closing.save", Request::Save),
            stay: "closing.stay",
            lossy: vec![(discard, Request::QuitAnyway)],
        })
    }

    /// A box over the whole window; leaving it is [`Request::StayOpen`].
    fn show(self, ctx: &Context, cx: &Cx<'_>) -> Option<Request> {
        let c = cx.theme.color;
        let frame = Frame::new()
            .fill(c.popup)
            .stroke(Stroke::new(stroke::EDGE, c.border_strong))
            .corner_radius(radius::WINDOW)
            .shadow(ctx.style_of(ctx.theme()).visuals.window_shadow)
            .inner_margin(Margin::same(space::XL as i8));
        let shown = Modal::new(Id::unique(self.id)).frame(frame).show(ctx, |ui| {
            ui.set_width(WIDTH);
            self.body_ui(ui, cx)
        });
        let left = shown.should_close().then_some(Request::StayOpen);
        shown.inner.or(left)
    }

    fn body_ui(self, ui: &mut Ui, cx: &Cx<'_>) -> Option<Request> {
        let c = cx.theme.color;
        ui.horizontal(|ui| {
            icons::icon(ui, icons::WARNING, size::ICON_LARGE, c.warning);
            ui.add(egui::Label::new(Text::Title.rich(self.title).color(c.text)).wrap());
        });
        ui.add_space(space::S);
        ui.label(Text::Body.rich(cx.tr(self.what)).color(c.text_2));
        ui.add_space(space::XL);
        let row = vec2(ui.available_width(), size::BUTTON);
        let mut answer = None;
        ui.allocate_ui_with_layout(row, Layout::right_to_left(Align::Center), |ui| {
            if button::primary(&cx.tr(self.save.0)).icon(icons::FLOPPY_DISK).show(ui).clicked() {
                answer = Some(self.save.1);
            }
            if button::secondary(&cx.tr(self.stay)).show(ui).clicked() {
                answer = Some(Request::StayOpen);
            }
            ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                for (words, request) in self.lossy {
                    if button::secondary(&cx.tr(words)).show(ui).clicked() {
                        answer = Some(request);
                    }
                }
            });
        });
        answer
    }
}
