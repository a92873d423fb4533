//! What all dialogs have in common: a title, a place, buttons in one order, and the keys that press them.
//!
//! A dialog keeps only its own content. [`show`] draws the window around it, presses its buttons, and tells the session
//! which bone the pointer is over.

use super::table::foot_note;
use crate::document::Document;
use crate::rig::{BoneId, Character};
use crate::session::{Command, Session};
use crate::ui::Cx;
use crate::ui::kit::button::{primary, secondary};
use crate::ui::kit::frame;
use crate::ui::kit::theme::Text;
use crate::ui::kit::tokens::{LAYOUTS, space};
use egui::{Context, Id, Rect, Ui, Vec2, pos2, vec2};
use std::sync::Arc;

/// What a button or a key asks of a dialog.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Press {
    /// The main action; also Ctrl+Enter.
    Apply,
    /// The other action, where a dialog has one.
    Extra,
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
    pub press: Option<Press>,
    /// The bone of the row under the pointer, for the viewport to light up.
    pub hovered: Option<BoneId>,
    can_apply: bool,
}

/// A button of the footer.
#[derive(Clone, Debug)]
pub(super) struct DialogButton {
    words: String,
    press: Press,
    primary: bool,
    enabled: bool,
    on: bool,
    hint: String,
}

impl DialogButton {
    /// The main action.
    pub(super) fn apply(words: impl Into<String>, enabled: bool) -> Self {
        let (press, hint) = (Press::Apply, "Ctrl+Enter".to_owned());
        Self { words: words.into(), press, primary: true, enabled, on: false, hint }
    }

    /// The other action.
    pub(super) fn extra(words: impl Into<String>) -> Self {
        Self { press: Press::Extra, primary: false, hint: String::new(), ..Self::apply(words, true) }
    }

    /// Leaves the dialog and changes nothing.
    pub(super) fn cancel(cx: &Cx<'_>) -> Self {
        Self { press: Press::Close, hint: "Esc".to_owned(), ..Self::extra(cx.tr("common.cancel")) }
    }

    /// As [`DialogButton::cancel`], where there is nothing to cancel.
    pub(super) fn close(cx: &Cx<'_>) -> Self {
        Self { words: cx.tr("common.close").into_owned(), ..Self::cancel(cx) }
    }

    pub(super) fn primary(self, primary: bool) -> Self {
        Self { primary, ..self }
    }

    /// With the edge of something that is switched on.
    pub(super) fn on(self, on: bool) -> Self {
        Self { on, ..self }
    }

    pub(super) fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: hint.into(), ..self }
    }

    fn show(&self, ui: &mut Ui) -> bool {
        let button = if self.primary { primary(&self.words) } else { secondary(&self.words) };
        let response = button.enabled(self.enabled).on(self.on).show(ui);
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

    fn title(&self, cx: &Cx<'_>) -> String {
        cx.tr(self.title_key()).into_owned()
    }

    /// Small words beside the title.
    fn note(&self, _cx: &Cx<'_>) -> String {
        String::new()
    }

    /// Where it opens, and how large it is now.
    fn place(&self, ctx: &Context, cx: &Cx<'_>) -> Rect;

    /// Catches up with the session before a frame; closed where there is nothing left to ask.
    fn refresh(&mut self, _ctx: &Context, _cx: &mut Cx<'_>) -> DialogResult {
        DialogResult::Open
    }

    fn body_ui(&mut self, ui: &mut Ui, cx: &mut Cx<'_>, out: &mut DialogOutput);

    /// The buttons, from right to left.
    fn buttons(&self, cx: &Cx<'_>) -> Vec<DialogButton>;

    /// A line at the left of the footer.
    fn foot_note(&self, _cx: &Cx<'_>) -> String {
        String::new()
    }

    /// What the buttons leave of the footer.
    fn footer_ui(&mut self, ui: &mut Ui, cx: &mut Cx<'_>) {
        let note = self.foot_note(cx);
        if !note.is_empty() {
            foot_note(ui, &note);
        }
    }

    /// Lists over the window, and keys of its own.
    fn overlay_ui(&mut self, _ctx: &Context, _cx: &mut Cx<'_>, _out: &mut DialogOutput) {}

    /// Called at the end of each frame in which it stays open: what it shows in the viewport.
    fn stay(&mut self, _cx: &mut Cx<'_>) {}

    fn apply(&mut self, _cx: &mut Cx<'_>) -> DialogResult {
        DialogResult::Closed
    }

    fn extra(&mut self, _cx: &mut Cx<'_>) -> DialogResult {
        DialogResult::Open
    }

    fn close(&mut self, _cx: &mut Cx<'_>) -> DialogResult {
        DialogResult::Closed
    }

    /// Esc was pressed in a text field.
    fn escape(&mut self) {}
}

/// Draws a dialog. `lit` remembers whether the session was told of a bone under the pointer.
pub(super) fn show(dialog: &mut dyn Dialog, ctx: &Context, cx: &mut Cx<'_>, lit: &mut bool) -> DialogResult {
    let mut result = dialog.refresh(ctx, cx);
    if result == DialogResult::Open {
        let (title, note) = (dialog.title(cx), dialog.note(cx));
        let (id, at) = (dialog.id(), dialog.place(ctx, cx));
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
        hover(cx, lit, out.hovered);
        let key = if window.closed { Some(Press::Close) } else { window.applied.then_some(Press::Apply) };
        result = match out.press.or(key) {
            Some(Press::Apply) if out.can_apply => dialog.apply(cx),
            Some(Press::Extra) => dialog.extra(cx),
            Some(Press::Close) => dialog.close(cx),
            _ => DialogResult::Open,
        };
        if result == DialogResult::Open {
            dialog.stay(cx);
        }
    }
    if result == DialogResult::Closed {
        cx.state.guides.clear();
        hover(cx, lit, None);
    }
    result
}

fn buttons_ui(ui: &mut Ui, dialog: &mut dyn Dialog, cx: &mut Cx<'_>, out: &mut DialogOutput) {
    ui.spacing_mut().item_spacing.x = space::M;
    for button in dialog.buttons(cx) {
        out.can_apply |= button.press == Press::Apply && button.enabled;
        if button.show(ui) {
            out.press = Some(button.press);
        }
    }
    dialog.footer_ui(ui, cx);
}

/// Lights a bone, and lets go of it when the pointer leaves.
fn hover(cx: &mut Cx<'_>, lit: &mut bool, bone: Option<BoneId>) {
    if bone.is_some() || *lit {
        cx.command(Command::Hover(bone));
    }
    *lit = bone.is_some();
}

/// At the left, below the top bar: as wide as a share of the screen within bounds, with `height` for the contents, and
/// no higher than what the top bar and the status line leave.
pub(super) fn at_left(ctx: &Context, share: f32, widths: [f32; 2], height: f32) -> Rect {
    let screen = ctx.content_rect();
    let layout = &LAYOUTS[0];
    let top = screen.top() + layout.top + space::XXL;
    let room = screen.bottom() - layout.status - space::M - top;
    let width = (share * screen.width()).clamp(widths[0], widths[1]).min(screen.width() - 2.0 * space::XL);
    let height = (height + frame::EDGES).min(room).floor();
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
pub(super) fn sentence(ui: &mut Ui, cx: &Cx<'_>, words: &str) {
    let words = Text::Body.rich(words).color(cx.theme.color.text_2);
    ui.add(egui::Label::new(words).wrap().selectable(false));
}

/// The room that contents have within a window's edges.
pub(super) fn padded<R>(ui: &mut Ui, contents: impl FnOnce(&mut Ui) -> R) -> R {
    let inset = egui::Margin::symmetric(space::XL as i8, space::L as i8);
    egui::Frame::new().inner_margin(inset).show(ui, contents).inner
}

/// The character and document that a dialog has worked something out for.
#[derive(Clone, Debug)]
pub(super) struct Seen {
    character: Arc<Character>,
    document: Document,
}

impl Seen {
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
