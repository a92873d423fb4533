//! What all dialogs have in common: a title, a place, buttons in one order, and the keys that press them.
//!
//! A dialog keeps only its own content. [`show`] draws the window around it, presses its buttons, and tells the session
//! which bone the pointer is over.

use super::table::footer_note_ui;
use crate::document::Document;
use crate::rig::{BoneId, Character};
use crate::session::{Command, Session};
use crate::ui::UiContext;
use crate::ui::kit::button::{primary, secondary};
use crate::ui::kit::frame;
use crate::ui::kit::theme::TextSize;
use crate::ui::kit::tokens::{PANEL_SIZES, space};
use egui::{Context, Id, Rect, Ui, Vec2, pos2, vec2};
use std::sync::Arc;

/// What a button or a key asks of a dialog.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DialogAction {
    /// The main action; also Ctrl+Enter.
    Apply,
    /// The other action, where a dialog has one.
    Secondary,
    /// Cancel, the cross, or Esc.
    Close,
}

/// Whether a dialog is still open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub(super) enum DialogResult {
    Open,
    Closed,
}

/// What the contents of a dialog ask for in one frame.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct DialogOutput {
    /// Enter in a field presses a button.
    pub action: Option<DialogAction>,
    /// The bone of the row under the pointer, for the viewport to light up.
    pub hovered_bone: Option<BoneId>,
    can_apply: bool,
}

/// A button of the footer.
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
    /// The main action.
    pub(super) fn apply(words: impl Into<String>, enabled: bool) -> Self {
        let (press, hint) = (DialogAction::Apply, "Ctrl+Enter".to_owned());
        Self { label: words.into(), action: press, primary: true, enabled, toggled: false, hint }
    }

    /// The other action.
    pub(super) fn secondary(words: impl Into<String>) -> Self {
        Self { action: DialogAction::Secondary, primary: false, hint: String::new(), ..Self::apply(words, true) }
    }

    /// Leaves the dialog and changes nothing.
    pub(super) fn cancel(cx: &UiContext<'_>) -> Self {
        Self { action: DialogAction::Close, hint: "Esc".to_owned(), ..Self::secondary(cx.tr("common.cancel")) }
    }

    /// As [`DialogButton::cancel`], where there is nothing to cancel.
    pub(super) fn close(cx: &UiContext<'_>) -> Self {
        Self { label: cx.tr("common.close").into_owned(), ..Self::cancel(cx) }
    }

    pub(super) fn primary(self, primary: bool) -> Self {
        Self { primary, ..self }
    }

    /// With the edge of something that is switched on.
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

/// A window over the viewport that shows what would change and changes it with one button.
pub(super) trait Dialog {
    /// Key of the title; also what egui knows the window by, in every language.
    fn title_key(&self) -> &'static str;

    /// What egui keeps the window's place by.
    fn id(&self) -> Id {
        Id::unique(("dialog", self.title_key()))
    }

    fn title(&self, cx: &UiContext<'_>) -> String {
        cx.tr(self.title_key()).into_owned()
    }

    /// Small words beside the title.
    fn subtitle(&self, _cx: &UiContext<'_>) -> String {
        String::new()
    }

    /// Where it opens, and how large it is now.
    fn window_rect(&self, ctx: &Context, cx: &UiContext<'_>) -> Rect;

    /// Catches up with the session before a frame; closed where there is nothing left to ask.
    fn refresh(&mut self, _ctx: &Context, _cx: &mut UiContext<'_>) -> DialogResult {
        DialogResult::Open
    }

    fn body_ui(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>, out: &mut DialogOutput);

    /// The buttons, from right to left.
    fn buttons(&self, cx: &UiContext<'_>) -> Vec<DialogButton>;

    /// A line at the left of the footer.
    fn footer_note(&self, _cx: &UiContext<'_>) -> String {
        String::new()
    }

    /// What the buttons leave of the footer.
    fn footer_ui(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>) {
        let note = self.footer_note(cx);
        if !note.is_empty() {
            footer_note_ui(ui, &note);
        }
    }

    /// Lists over the window, and keys of its own.
    fn overlay_ui(&mut self, _ctx: &Context, _cx: &mut UiContext<'_>, _out: &mut DialogOutput) {}

    /// Called at the end of each frame in which it stays open: what it shows in the viewport.
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

    /// Esc was pressed in a text field.
    fn cancel_text_edit(&mut self) {}
}

/// Draws a dialog. `lit` remembers whether the session was told of a bone under the pointer.
pub(super) fn show(dialog: &mut dyn Dialog, ctx: &Context, cx: &mut UiContext<'_>, lit: &mut bool) -> DialogResult {
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
        highlight_bone(cx, lit, out.hovered_bone);
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
        highlight_bone(cx, lit, None);
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

/// Lights a bone, and lets go of it when the pointer leaves.
fn highlight_bone(cx: &mut UiContext<'_>, lit: &mut bool, bone: Option<BoneId>) {
    if bone.is_some() || *lit {
        cx.command(Command::Hover(bone));
    }
    *lit = bone.is_some();
}

/// At the left, below the top bar: as wide as a share of the screen within bounds, with `height` for the contents, and
/// no higher than what the top bar and the status line leave.
pub(super) fn at_left(ctx: &Context, share: f32, widths: [f32; 2], height: f32) -> Rect {
    let screen = ctx.content_rect();
    let layout = &PANEL_SIZES[0];
    let top = screen.top() + layout.top + space::XXL;
    let room = screen.bottom() - layout.status - space::M - top;
    let width = (share * screen.width()).clamp(widths[0], widths[1]).min(screen.width() - 2.0 * space::XL);
    let height = (height + frame::TITLE_AND_FOOTER_HEIGHT).min(room).floor();
    Rect::from_min_size(pos2(screen.left() + space::XXL, top), vec2(width.round(), height))
}

/// In the middle of the screen, a little above it; `size` includes title and footer.
pub(super) fn in_middle(ctx: &Context, size: Vec2) -> Rect {
    let whole = ctx.content_rect();
    let size = size.min(whole.size() - Vec2::splat(2.0 * space::XL));
    let center = whole.center() - vec2(0.0, whole.height() * 0.04);
    Rect::from_center_size(center, size)
}

/// The right edge of a window that lies in the left half, else 0.
pub(super) fn covered_left(ctx: &Context, id: Id) -> f32 {
    let rect = ctx.memory(|m| m.area_rect(id));
    rect.filter(|r| r.center().x < ctx.content_rect().center().x).map_or(0.0, |r| r.right())
}

/// A sentence at the top of a window.
pub(super) fn sentence_ui(ui: &mut Ui, cx: &UiContext<'_>, words: &str) {
    let words = TextSize::Body.rich(words).color(cx.theme.color.text_2);
    ui.add(egui::Label::new(words).wrap().selectable(false));
}

/// The room that contents have within a window's edges.
pub(super) fn padded_ui<R>(ui: &mut Ui, contents: impl FnOnce(&mut Ui) -> R) -> R {
    let inset = egui::Margin::symmetric(space::XL as i8, space::L as i8);
    egui::Frame::new().inner_margin(inset).show(ui, contents).inner
}

/// The character and document that a dialog has worked something out for.
#[derive(Clone, Debug)]
pub(super) struct SessionSnapshot {
    character: Arc<Character>,
    document: Document,
}

impl SessionSnapshot {
    pub(super) fn of(session: &Session) -> Self {
        Self { character: Arc::clone(session.character()), document: session.document().clone() }
    }

    /// Whether the session still has the same bones.
    pub(super) fn same_character(&self, session: &Session) -> bool {
        Arc::ptr_eq(&self.character, session.character())
    }

    /// Whether what was worked out still holds.
    pub(super) fn is_current(&self, session: &Session) -> bool {
        self.same_character(session) && self.document == *session.document()
    }
}
