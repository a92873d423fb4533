//! The frame of every dialog: title, position, footer buttons and their keys.
//!
//! A dialog implements [`Dialog`] for its own content. [`show`] draws the window, runs the pressed action, and reports
//! the hovered bone to the session.

use super::table::{footer_note_ui, row_text};
use crate::document::Document;
use crate::rig::{BoneId, Character};
use crate::session::{Command, Session};
use crate::ui::UiContext;
use crate::ui::kit::button::{primary, secondary};
use crate::ui::kit::frame;
use crate::ui::kit::theme::TextSize;
use crate::ui::kit::toggle::segmented_with_hints;
use crate::ui::kit::tokens::{PANEL_SIZES, size, space};
use egui::{Color32, Context, Id, Rect, Role, Sense, Ui, Vec2, WidgetInfo, pos2, vec2};
use std::sync::Arc;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DialogAction {
    /// The main button. Ctrl+Enter has the same effect.
    Apply,
    Secondary,
    /// The cancel button. The close button and Esc have the same effect.
    Close,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub(super) enum DialogResult {
    Open,
    Closed,
}

/// Results of drawing the body of a dialog for one frame.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct DialogOutput {
    /// The button that Enter in a field triggers.
    pub action: Option<DialogAction>,
    /// The bone of the row under the pointer.
    pub hovered_bone: Option<BoneId>,
    can_apply: bool,
}

#[derive(Clone, Debug)]
pub(super) struct DialogButton {
    label: String,
    action: DialogAction,
    primary: bool,
    enabled: bool,
    toggled: bool,
    hint: String,
}

impl DialogButton {
    pub(super) fn apply(words: impl Into<String>, enabled: bool) -> Self {
        let (press, hint) = (DialogAction::Apply, "Ctrl+Enter".to_owned());
        Self { label: words.into(), action: press, primary: true, enabled, toggled: false, hint }
    }

    pub(super) fn secondary(words: impl Into<String>) -> Self {
        Self { action: DialogAction::Secondary, primary: false, hint: String::new(), ..Self::apply(words, true) }
    }

    pub(super) fn cancel(cx: &UiContext<'_>) -> Self {
        Self { action: DialogAction::Close, hint: "Esc".to_owned(), ..Self::secondary(cx.tr("common.cancel")) }
    }

    /// Like [`DialogButton::cancel`], for dialogs that change nothing.
    pub(super) fn close(cx: &UiContext<'_>) -> Self {
        Self { label: cx.tr("common.close").into_owned(), ..Self::cancel(cx) }
    }

    pub(super) fn primary(self, primary: bool) -> Self {
        Self { primary, ..self }
    }

    pub(super) fn toggled(self, on: bool) -> Self {
        Self { toggled: on, ..self }
    }

    pub(super) fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: hint.into(), ..self }
    }

    fn show(&self, ui: &mut Ui) -> bool {
        let button = if self.primary { primary(&self.label) } else { secondary(&self.label) };
        let response = button.enabled(self.enabled).on(self.toggled).show(ui);
        let response = if self.hint.is_empty() { response } else { response.on_hover_text(&self.hint) };
        response.clicked() && self.enabled
    }
}

/// A window over the viewport that previews a change. One button applies the change.
pub(super) trait Dialog {
    /// Returns the locale key of the title. egui also identifies the window by this key, in every language.
    fn title_key(&self) -> &'static str;

    /// Returns the id under which egui stores the position of the window.
    fn id(&self) -> Id {
        Id::unique(("dialog", self.title_key()))
    }

    fn title(&self, cx: &UiContext<'_>) -> String {
        cx.tr(self.title_key()).into_owned()
    }

    fn subtitle(&self, _cx: &UiContext<'_>) -> String {
        String::new()
    }

    /// Returns the initial position of the window, and its current size.
    fn window_rect(&self, ctx: &Context, cx: &UiContext<'_>) -> Rect;

    /// Runs before each frame. Returns `Closed` when the dialog is no longer needed.
    fn refresh(&mut self, _ctx: &Context, _cx: &mut UiContext<'_>) -> DialogResult {
        DialogResult::Open
    }

    fn body_ui(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>, out: &mut DialogOutput);

    /// Returns the buttons of the footer, from right to left.
    fn buttons(&self, cx: &UiContext<'_>) -> Vec<DialogButton>;

    /// Returns the text at the left of the footer.
    fn footer_note(&self, _cx: &UiContext<'_>) -> String {
        String::new()
    }

    /// Draws the contents of the footer next to the buttons.
    fn footer_ui(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>) {
        let note = self.footer_note(cx);
        if !note.is_empty() {
            footer_note_ui(ui, &note);
        }
    }

    /// Draws popups over the window, and handles keys that only this dialog uses.
    fn overlay_ui(&mut self, _ctx: &Context, _cx: &mut UiContext<'_>, _out: &mut DialogOutput) {}

    /// Runs at the end of each frame in which the dialog stays open, and updates the viewport preview.
    fn end_frame(&mut self, _cx: &mut UiContext<'_>) {}

    fn apply(&mut self, _cx: &mut UiContext<'_>) -> DialogResult {
        DialogResult::Closed
    }

    fn secondary_action(&mut self, _cx: &mut UiContext<'_>) -> DialogResult {
        DialogResult::Open
    }

    fn close(&mut self, _cx: &mut UiContext<'_>) -> DialogResult {
        DialogResult::Closed
    }

    fn cancel_text_edit(&mut self) {}
}

/// Draws a dialog. `highlights_bone` stores whether the session highlights a bone for the dialog.
pub(super) fn show(
    dialog: &mut dyn Dialog,
    ctx: &Context,
    cx: &mut UiContext<'_>,
    highlights_bone: &mut bool,
) -> DialogResult {
    let mut result = dialog.refresh(ctx, cx);
    if result == DialogResult::Open {
        let (title, note) = (dialog.title(cx), dialog.subtitle(cx));
        let (id, at) = (dialog.id(), dialog.window_rect(ctx, cx));
        let mut out = DialogOutput::default();
        let mut state = (&mut *dialog, &mut *cx, &mut out);
        let window = frame::window(
            ctx,
            id,
            [&title, &note],
            at,
            &mut state,
            |ui, (dialog, cx, out)| dialog.body_ui(ui, cx, out),
            |ui, (dialog, cx, out)| buttons_ui(ui, *dialog, cx, out),
        );
        dialog.overlay_ui(ctx, cx, &mut out);
        highlight_bone(cx, highlights_bone, out.hovered_bone);
        let key = if window.closed { Some(DialogAction::Close) } else { window.applied.then_some(DialogAction::Apply) };
        result = match out.action.or(key) {
            Some(DialogAction::Apply) if out.can_apply => dialog.apply(cx),
            Some(DialogAction::Secondary) => dialog.secondary_action(cx),
            Some(DialogAction::Close) => dialog.close(cx),
            _ => DialogResult::Open,
        };
        if result == DialogResult::Open {
            dialog.end_frame(cx);
        }
    }
    if result == DialogResult::Closed {
        cx.state.overlay_lines.clear();
        highlight_bone(cx, highlights_bone, None);
    }
    result
}

fn buttons_ui(ui: &mut Ui, dialog: &mut dyn Dialog, cx: &mut UiContext<'_>, out: &mut DialogOutput) {
    ui.spacing_mut().item_spacing.x = space::M;
    for button in dialog.buttons(cx) {
        out.can_apply |= button.action == DialogAction::Apply && button.enabled;
        if button.show(ui) {
            out.action = Some(button.action);
        }
    }
    dialog.footer_ui(ui, cx);
}

fn highlight_bone(cx: &mut UiContext<'_>, highlights_bone: &mut bool, bone: Option<BoneId>) {
    if bone.is_some() || *highlights_bone {
        cx.command(Command::Hover(bone));
    }
    *highlights_bone = bone.is_some();
}

/// Returns a rectangle at the left, below the top bar. The width is a share of the screen, clamped to `widths`.
/// `height` is the height of the content, limited to the space between the top bar and the status line.
pub(super) fn at_left(ctx: &Context, share: f32, widths: [f32; 2], height: f32) -> Rect {
    let screen = ctx.content_rect();
    let layout = &PANEL_SIZES[0];
    let top = screen.top() + layout.top + space::XXL;
    let room = screen.bottom() - layout.status - space::M - top;
    let width = (share * screen.width()).clamp(widths[0], widths[1]).min(screen.width() - 2.0 * space::XL);
    let height = (height + frame::TITLE_AND_FOOTER_HEIGHT).min(room).floor();
    Rect::from_min_size(pos2(screen.left() + space::XXL, top), vec2(width.round(), height))
}

/// Returns a rectangle slightly above the middle of the screen. `size` includes the title and the footer.
pub(super) fn in_middle(ctx: &Context, size: Vec2) -> Rect {
    let whole = ctx.content_rect();
    let size = size.min(whole.size() - Vec2::splat(2.0 * space::XL));
    let center = whole.center() - vec2(0.0, whole.height() * 0.04);
    Rect::from_center_size(center, size)
}

/// Returns the right edge of a window in the left half of the screen. Returns 0 for any other window.
pub(super) fn covered_left(ctx: &Context, id: Id) -> f32 {
    let rect = ctx.memory(|m| m.area_rect(id));
    rect.filter(|r| r.center().x < ctx.content_rect().center().x).map_or(0.0, |r| r.right())
}

/// Returns the text of `key` with a count in place of `%{n}`.
pub(super) fn with_count(cx: &UiContext<'_>, key: &str, n: usize) -> String {
    cx.tr_with(key, &[("n", &n.to_string())])
}

/// Returns the text of `key` with counts as arguments.
pub(super) fn with_counts<const N: usize>(cx: &UiContext<'_>, key: &str, counts: [(&str, usize); N]) -> String {
    let counts = counts.map(|(name, n)| (name, n.to_string()));
    cx.tr_with(key, &counts.each_ref().map(|(name, text)| (*name, text.as_str())))
}

/// Capitalizes a label. Some labels start in lower case, because other texts use them inside a sentence.
pub(super) fn capitalized(words: &str) -> String {
    let mut letters = words.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// Draws a choice of values, each with the key of its label. `hint` is the suffix of the tooltip keys, or empty.
/// Returns the chosen value.
pub(super) fn choice_ui<T: Copy + PartialEq, const N: usize>(
    ui: &mut Ui,
    cx: &UiContext<'_>,
    choices: [(&str, T); N],
    hint: &str,
    chosen: T,
) -> Option<T> {
    let words = choices.map(|(key, _)| cx.tr(key));
    let hints = choices.map(|(key, _)| if hint.is_empty() { "".into() } else { cx.tr(&format!("{key}{hint}")) });
    let labels = words.each_ref().map(|words| (&**words, None));
    let hints = hints.each_ref().map(|hint| &**hint);
    let hints = if hint.is_empty() { &[][..] } else { &hints };
    let at = choices.iter().position(|(_, value)| *value == chosen).unwrap_or_default();
    segmented_with_hints(ui, &labels, hints, at, size::HIT_MIN).map(|at| choices[at].1)
}

/// Draws small text, elided to this width. The tooltip shows the whole text.
pub(super) fn elided_label_ui(ui: &mut Ui, width: f32, words: &str, color: Color32) {
    let (rect, response) = ui.allocate_exact_size(vec2(width.max(0.0), size::HIT_MIN), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, words));
    if row_text(ui, rect, 0.0, rect.width(), words, TextSize::Small, color) {
        response.on_hover_text(words);
    }
}

/// Width of the labels of options, in points.
const OPTION_LABEL_WIDTH: f32 = 104.0;

/// Draws the label of an option at the left.
pub(super) fn option_label_ui(ui: &mut Ui, cx: &UiContext<'_>, words: &str) {
    let (label, _) = ui.allocate_exact_size(vec2(OPTION_LABEL_WIDTH + space::XL, size::HIT_MIN), Sense::hover());
    row_text(ui, label, space::XL, OPTION_LABEL_WIDTH - 8.0, words, TextSize::Body, cx.theme.color.text_2);
}

pub(super) fn sentence_ui(ui: &mut Ui, cx: &UiContext<'_>, words: &str) {
    let words = TextSize::Body.rich(words).color(cx.theme.color.text_2);
    ui.add(egui::Label::new(words).wrap().selectable(false));
}

pub(super) fn padded_ui<R>(ui: &mut Ui, contents: impl FnOnce(&mut Ui) -> R) -> R {
    let inset = egui::Margin::symmetric(space::XL as i8, space::L as i8);
    egui::Frame::new().inner_margin(inset).show(ui, contents).inner
}

/// The character and the document from which the content of a dialog was computed.
#[derive(Clone, Debug)]
pub(super) struct SessionSnapshot {
    character: Arc<Character>,
    document: Document,
}

impl SessionSnapshot {
    pub(super) fn of(session: &Session) -> Self {
        Self { character: Arc::clone(session.character()), document: session.document().clone() }
    }

    pub(super) fn same_character(&self, session: &Session) -> bool {
        Arc::ptr_eq(&self.character, session.character())
    }

    pub(super) fn is_current(&self, session: &Session) -> bool {
        self.same_character(session) && self.document == *session.document()
    }
}
