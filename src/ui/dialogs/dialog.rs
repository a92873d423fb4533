//! The frame of every dialog: title, position, footer buttons and their keys.
//!
//! A dialog implements [`Dialog`] for its own content. [`show`] draws the window, runs the pressed action, and reports
//! the hovered bone to the session.

use super::table::footer_note_ui;
use crate::tr;
use crate::ui::UiContext;
use crate::ui::actions::Action;
use crate::ui::kit::button::{primary, secondary};
pub(super) use crate::ui::kit::i18n::capitalized;
use crate::ui::kit::theme::TextSize;
use crate::ui::kit::tokens::{PANEL_SIZES, space};
use crate::ui::kit::{first_field, frame};
use egui::{Context, Event, Id, Key, LayerId, Order, Rect, Ui, Vec2, pos2, vec2};
use std::sync::Arc;
use yuremono_model::document::Document;
use yuremono_session::{Command, Session};
use yuremono_sim::diagnostics::MessageText;
use yuremono_sim::rig::{BoneId, Character};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DialogAction {
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

/// Results of drawing a dialog for one frame.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct DialogOutput {
    /// The bone of the row under the pointer.
    pub hovered_bone: Option<BoneId>,
    /// The action of the clicked button.
    clicked: Option<DialogAction>,
    /// The action of the primary button, if the button is enabled.
    primary: Option<DialogAction>,
}

/// How an open dialog shares the window.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum DialogStyle {
    /// Beside the character: panels and viewport can be clicked.
    Tool,
    /// Blocks the window.
    Modal,
    /// Blocks the window, and has this width and no title bar.
    Question { width: f32 },
}

/// How the dialog is shown in this frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct DialogFrame {
    pub style: DialogStyle,
    /// Whether the dialog was not shown in the last frame, so its first field gets the focus.
    pub is_new: bool,
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
    pub(super) fn apply(label: impl Into<String>, enabled: bool) -> Self {
        let (press, hint) = (DialogAction::Apply, "Enter".to_owned());
        Self { label: label.into(), action: press, primary: true, enabled, toggled: false, hint }
    }

    pub(super) fn secondary(label: impl Into<String>) -> Self {
        Self { action: DialogAction::Secondary, primary: false, hint: String::new(), ..Self::apply(label, true) }
    }

    pub(super) fn cancel(cx: &UiContext<'_>) -> Self {
        Self { action: DialogAction::Close, hint: "Esc".to_owned(), ..Self::secondary(tr!(cx, "Cancel")) }
    }

    /// Like [`DialogButton::cancel`], for dialogs that change nothing.
    pub(super) fn close(cx: &UiContext<'_>) -> Self {
        Self { label: tr!(cx, "Close").into_owned(), ..Self::cancel(cx) }
    }

    pub(super) fn label(self, label: impl Into<String>) -> Self {
        Self { label: label.into(), ..self }
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

/// A window that previews a change. The primary button applies the change. Enter presses the primary button, and Esc
/// cancels.
pub(super) trait Dialog {
    /// Returns the title. egui also identifies the window by the English title, in every language.
    fn title_text(&self) -> MessageText;

    /// Returns the id under which egui stores the position of the window.
    fn id(&self) -> Id {
        Id::unique(("dialog", self.title_text().template()))
    }

    fn title(&self, cx: &UiContext<'_>) -> String {
        cx.tr(self.title_text()).into_owned()
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

    /// Returns the shortcuts of the window that also work while this dialog is open.
    fn shortcuts(&self) -> &'static [Action] {
        &[]
    }

    /// Returns whether a list of choices is open, which handles Enter.
    fn has_open_picker(&self) -> bool {
        false
    }

    /// Closes the list of choices, because of Esc.
    fn close_picker(&mut self) {}
}

/// Shortcuts of dialogs that preview a change on the moving character.
pub(super) const PREVIEW_SHORTCUTS: &[Action] =
    &[Action::PlayPause, Action::Step, Action::StepBack, Action::ResetPose, Action::FrameSelection];

/// Draws a dialog. `highlights_bone` stores whether the session highlights a bone for the dialog.
pub(super) fn show(
    dialog: &mut dyn Dialog,
    frame: DialogFrame,
    cx: &mut UiContext<'_>,
    ctx: &Context,
    highlights_bone: &mut bool,
) -> DialogResult {
    let mut result = dialog.refresh(ctx, cx);
    if result == DialogResult::Open {
        let keys = DialogKeys::read(dialog, ctx);
        let mut out = DialogOutput::default();
        let closed = frame_ui(dialog, frame, cx, ctx, &mut out);
        dialog.overlay_ui(ctx, cx, &mut out);
        highlight_bone(cx, highlights_bone, out.hovered_bone);
        let pressed = match out.clicked {
            None if closed => Some(DialogAction::Close),
            None if keys.enter => out.primary,
            None if keys.escape && keys.closes_picker => {
                dialog.close_picker();
                None
            }
            None => keys.escape.then_some(DialogAction::Close),
            clicked => clicked,
        };
        result = match pressed {
            Some(DialogAction::Apply) => dialog.apply(cx),
            Some(DialogAction::Secondary) => dialog.secondary_action(cx),
            Some(DialogAction::Close) => dialog.close(cx),
            None => DialogResult::Open,
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

/// The keys that a dialog handles itself.
#[derive(Clone, Copy, Debug)]
struct DialogKeys {
    enter: bool,
    escape: bool,
    closes_picker: bool,
}

impl DialogKeys {
    /// Reads the keys before the dialog is drawn, because fields lose the focus on Enter. A focused button, a menu and a
    /// picker handle Enter themselves. A held key repeats, and does not count again.
    fn read(dialog: &dyn Dialog, ctx: &Context) -> Self {
        let has_menu = egui::Popup::is_any_open(ctx);
        let has_picker = dialog.has_open_picker();
        let is_dragging = ctx.dragged_id().or(ctx.drag_stopped_id()).is_some();
        let is_in_dialog = |layer: LayerId| layer.id == dialog.id() || layer.order == Order::Foreground;
        let enter_is_free = ctx.text_edit_focused() || !focused_layer(ctx).is_some_and(is_in_dialog);
        let pressed = |wanted: Key, with_command: bool| {
            ctx.input(|i| {
                i.events.iter().any(|event| match event {
                    // Uses the modifiers of the event, because Ctrl may already be released in a slow frame.
                    Event::Key { key, pressed: true, repeat: false, modifiers, .. } => {
                        *key == wanted && (modifiers.command == with_command)
                    }
                    _ => false,
                })
            })
        };
        let enter = pressed(Key::Enter, true) || (enter_is_free && pressed(Key::Enter, false));
        Self {
            enter: enter && !has_menu && !has_picker,
            escape: pressed(Key::Escape, false) && !has_menu && !is_dragging,
            closes_picker: has_picker,
        }
    }
}

/// Returns the layer of the widget that has the focus.
pub(super) fn focused_layer(ctx: &Context) -> Option<LayerId> {
    layer_of(ctx, ctx.memory(egui::Memory::focused)?)
}

/// Returns the layer of a widget of the last frame.
pub(super) fn layer_of(ctx: &Context, widget: Id) -> Option<LayerId> {
    ctx.viewport(|v| v.prev_pass.widgets.get(widget).map(|rect| rect.layer_id))
}

/// Draws title, body and buttons. Returns whether the close button was clicked.
fn frame_ui(
    dialog: &mut dyn Dialog,
    DialogFrame { style, is_new }: DialogFrame,
    cx: &mut UiContext<'_>,
    ctx: &Context,
    out: &mut DialogOutput,
) -> bool {
    let (title, note) = (dialog.title(cx), dialog.subtitle(cx));
    let (id, at) = (dialog.id(), dialog.window_rect(ctx, cx));
    if style != DialogStyle::Tool {
        frame::block_window_behind(ctx, id);
    }
    if is_new {
        first_field::request(ctx);
    }
    let mut state = (&mut *dialog, &mut *cx, out);
    let closed = match style {
        DialogStyle::Question { width } => {
            frame::question(
                ctx,
                id,
                width,
                &mut state,
                |ui, (dialog, cx, out)| dialog.body_ui(ui, cx, out),
                |ui, (dialog, cx, out)| buttons_ui(ui, *dialog, cx, out),
            );
            false
        }
        DialogStyle::Tool | DialogStyle::Modal => frame::window(
            ctx,
            id,
            [&title, &note],
            at,
            &mut state,
            |ui, (dialog, cx, out)| dialog.body_ui(ui, cx, out),
            |ui, (dialog, cx, out)| buttons_ui(ui, *dialog, cx, out),
        ),
    };
    if is_new && !first_field::was_taken(ctx) {
        // A focused widget of a panel would handle Enter.
        ctx.memory_mut(egui::Memory::stop_text_input);
    }
    closed
}

fn buttons_ui(ui: &mut Ui, dialog: &mut dyn Dialog, cx: &mut UiContext<'_>, out: &mut DialogOutput) {
    ui.spacing_mut().item_spacing.x = space::M;
    let mut buttons = dialog.buttons(cx);
    if let [only] = buttons.as_mut_slice() {
        only.primary = true;
    }
    for button in buttons {
        if button.primary && button.enabled {
            out.primary = Some(button.action);
        }
        if button.show(ui) {
            out.clicked = Some(button.action);
        }
    }
    dialog.footer_ui(ui, cx);
}

/// Returns the label of the enabled primary button.
#[cfg(test)]
pub(super) fn primary_label(buttons: &[DialogButton]) -> Option<String> {
    let is_primary = |button: &&DialogButton| button.enabled && (button.primary || buttons.len() == 1);
    buttons.iter().find(is_primary).map(|button| button.label.clone())
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
    let max_height = screen.bottom() - layout.status - space::M - top;
    let width = (share * screen.width()).clamp(widths[0], widths[1]).min(screen.width() - 2.0 * space::XL);
    let height = (height + frame::TITLE_AND_FOOTER_HEIGHT).min(max_height).floor();
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

pub(super) fn sentence_ui(ui: &mut Ui, cx: &UiContext<'_>, text: &str) {
    let text = TextSize::Body.rich(text).color(cx.theme.color.text_2);
    ui.add(egui::Label::new(text).wrap().selectable(false));
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
