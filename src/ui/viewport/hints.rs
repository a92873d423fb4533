//! The three hint cards of the first start. A card closes when the artist performs its action. Esc closes all cards.
//! *Show hints* in the Help menu shows the cards again.

use super::pickables::Pickables;
use super::pointer::{DragState, PointerController};
use super::{motion_list, transport};
use crate::stage::CameraView;
use crate::tr;
use crate::ui::UiContext;
use crate::ui::kit::frame::{StripDirection, window_is_open};
use crate::ui::kit::icons::{self, IconButton, paint_icon};
use crate::ui::kit::paint;
use crate::ui::kit::theme::TextSize;
use crate::ui::kit::tokens::{radius, size, space, stroke};
use egui::epaint::CubicBezierShape;
use egui::{
    Align2, Color32, Key, Modifiers, Popup, Pos2, Rect, Role, Sense, Stroke, StrokeKind, Ui, Vec2, WidgetInfo, pos2,
    vec2,
};
use yuremono_model::document::EditKind;
use yuremono_sim::diagnostics::MessageText;
use yuremono_sim::diagnostics::message;

const WIDTH: f32 = 196.0;
const BADGE_RADIUS: f32 = 11.0;
static CARD_TEXTS: [(MessageText, MessageText); 3] = [
    (
        message!("Drag the head"),
        message!("Grab the white ring at the neck and shake. The body leans, hair and skirt swing."),
    ),
    (message!("Change the feel"), message!("Move a slider on the right while the character moves.")),
    (
        message!("Open your character"),
        message!("Drop a .vrm, .glb, .gltf, .fbx or a Unity folder here, or press Ctrl+O."),
    ),
];

pub(super) struct HintAnchors {
    pub rect: Rect,
    /// Rectangle of the strip at the top right.
    pub toggles: Rect,
    /// Rectangle of the strip at the bottom.
    pub transport: Rect,
}

pub(super) fn show(
    ui: &mut Ui,
    anchors: &HintAnchors,
    view: &CameraView,
    pickables: &Pickables,
    pointer: &PointerController,
    cx: &mut UiContext<'_>,
) {
    if !cx.input.file.is_sample {
        return;
    }
    let mut done = cx.state.prefs.dismissed_hints;
    let dragged = matches!(pointer.drag, Some(DragState::Bone { .. } | DragState::Tip { .. }));
    done[0] |= dragged;
    // Edits from before the cards were shown again do not count.
    let history = cx.session().history();
    let is_new = cx.state.hints_restored_at != Some(history.current_state());
    done[1] |= is_new && history.next_undo().is_some_and(|label| label.kind != EditKind::Recording);
    if window_is_open(ui.ctx()) {
        // The cards would cover the preview of the dialog and consume Esc.
        cx.state.prefs.dismissed_hints = done;
        return;
    }
    let escape = !Popup::is_any_open(ui.ctx()) && !ui.ctx().text_edit_focused() && done.contains(&false);
    if escape && ui.input_mut(|i| i.consume_key(Modifiers::NONE, Key::Escape)) {
        done = [true; 3];
    }
    // A card without space waits until other cards are closed.
    let mut taken = vec![anchors.transport.expand(space::S)];
    for card in (0..3).filter(|card| !cx.state.prefs.dismissed_hints[*card]) {
        if card_ui(ui, card, anchors, view, pickables, &mut taken, cx) {
            done[card] = true;
        }
    }
    cx.state.prefs.dismissed_hints = done;
}

/// Draws a card if its place does not overlap `taken`. Returns whether the card was closed.
fn card_ui(
    ui: &mut Ui,
    card: usize,
    anchors: &HintAnchors,
    view: &CameraView,
    pickables: &Pickables,
    taken: &mut Vec<Rect>,
    cx: &UiContext<'_>,
) -> bool {
    let c = cx.theme.color;
    let (title, text) = &CARD_TEXTS[card];
    let inner = WIDTH - space::L - 2.0 * BADGE_RADIUS - space::M - space::L;
    let painter = ui.painter().clone();
    let title_width = inner - size::HIT_MIN * 0.6;
    let title = painter.layout(cx.tr(title).into_owned(), TextSize::Strong.font(), c.text, title_width);
    let text = painter.layout(cx.tr(text).into_owned(), TextSize::Small.font(), c.text_2, inner);
    let height = space::L + title.size().y + 2.0 + text.size().y + space::L;
    let rect = card_rect(card, anchors, vec2(WIDTH, height));
    if taken.iter().any(|other| other.intersects(rect)) {
        return false;
    }
    taken.push(rect);
    paint_connector(ui, card, rect, anchors, view, pickables, cx);
    ui.interact(rect, ui.scope_id().with(("card", card)), Sense::CLICK | Sense::DRAG);
    painter.rect(rect, radius::PANEL_FLOAT, c.popup, Stroke::new(stroke::EDGE, c.border_strong), StrokeKind::Inside);
    let badge = rect.min + Vec2::splat(space::L + BADGE_RADIUS);
    painter.circle_filled(badge, BADGE_RADIUS, c.accent);
    paint::text(&painter, badge, Align2::CENTER_CENTER, &(card + 1).to_string(), TextSize::Strong, c.accent_text);
    let corner = pos2(badge.x + BADGE_RADIUS + space::M, rect.top() + space::L);
    let below = corner + vec2(0.0, title.size().y + 2.0);
    painter.galley(corner, title, Color32::PLACEHOLDER);
    painter.galley(below, text, Color32::PLACEHOLDER);
    let number = (card + 1).to_string();
    let name = tr!(cx, "Close hint {n}", n = &number);
    let close = Rect::from_min_size(rect.right_top() + vec2(-26.0, 2.0), Vec2::splat(size::HIT_MIN));
    let response = ui.interact(close, ui.scope_id().with(("card_close", card)), Sense::click());
    let button = IconButton { icon_size: 11.0, color: Some(c.text_3), ..IconButton::new(icons::X, &name) };
    button.key("Esc").show_at(ui, close, response).clicked()
}

fn card_rect(card: usize, anchors: &HintAnchors, card_size: Vec2) -> Rect {
    let rect = anchors.rect;
    let left = rect.left() + space::L + 40.0 + space::L;
    let corner = match card {
        0 => pos2(left, rect.top() + rect.height() * 0.4),
        1 => pos2(anchors.toggles.right() - card_size.x, anchors.toggles.bottom() + space::L),
        _ => pos2(left, (anchors.transport.top() - space::XXL - card_size.y).max(rect.top())),
    };
    Rect::from_min_size(corner, card_size)
}

/// Draws the line from a card to its subject.
fn paint_connector(
    ui: &Ui,
    card: usize,
    rect: Rect,
    anchors: &HintAnchors,
    view: &CameraView,
    pickables: &Pickables,
    cx: &UiContext<'_>,
) {
    let painter = ui.painter();
    let line = Stroke::new(1.5, cx.theme.color.accent);
    if card == 1 {
        let y = rect.center().y;
        painter.line_segment([pos2(rect.right(), y), pos2(anchors.rect.right(), y)], line);
    }
    let strong = pickables.rings.iter().find(|h| h.is_main);
    let seen = strong.and_then(|h| pickables.screen_ring(view, h)).filter(|_| card == 0 && !cx.hides_overlays());
    if let Some(ring) = seen {
        let end: Pos2 = anchors.rect.min + vec2(ring.arrows[0][0].x - 3.0, ring.arrows[0][0].y);
        let start = rect.right_center();
        if end.x > start.x + 8.0 {
            let reach = vec2((end.x - start.x) * 0.55, 0.0);
            let points = [start, start + reach, end - reach, end];
            painter.add(CubicBezierShape::from_points_stroke(points, false, Color32::TRANSPARENT, line));
            painter.circle_filled(end, 3.5, cx.theme.color.accent);
        }
    }
}

/// Width reserved for the tool strip, in points.
const LEFT_MARGIN: f32 = 64.0;
const HEIGHT: f32 = 22.0;
const ICON: f32 = 16.0;
/// Width reserved for the legend at the right, in points.
const LEGEND_WIDTH: f32 = 132.0;

/// Height of a caption with the space below it, in points.
pub(super) const CAPTION_HEIGHT: f32 = 42.0;

/// Returns whether a caption names what the viewport displays in place of the live motion.
pub(super) fn shows_preview(cx: &UiContext<'_>) -> bool {
    cx.playback().shows_bake() || cx.playback().is_previewing()
}

/// Returns the area of captions at its left top corner, and the largest width of a caption.
pub(super) fn caption_area(rect: Rect, toggles: Rect, cx: &UiContext<'_>) -> (Rect, f32) {
    let covered = cx.state.covered_left;
    let is_covered = covered > rect.left() + LEFT_MARGIN;
    // An open dialog covers the area to the left of the toggles, so the caption is below the toggles.
    let corner =
        if is_covered { pos2(covered, toggles.bottom() - space::M) } else { rect.min + vec2(LEFT_MARGIN, 0.0) };
    let within = Rect::from_min_max(corner, rect.max).shrink(space::L);
    let max_width = if is_covered { within.width() - LEGEND_WIDTH } else { toggles.left() - within.left() - space::XL };
    (within, max_width)
}

pub(super) fn show_preview(ui: &mut Ui, rect: Rect, toggles: Rect, cx: &UiContext<'_>) {
    if !shows_preview(cx) {
        return;
    }
    let shows_bake = cx.playback().shows_bake();
    let (within, max_width) = caption_area(rect, toggles, cx);
    transport::strip(ui, "preview", Align2::LEFT_TOP, within, StripDirection::Horizontal, |ui| {
        let (head, name) = if shows_bake {
            (
                tr!(cx, "Baked motion{:prefix}"),
                motion_list::motion_name(cx.theme.lang, cx.playback().settings().motion, cx.session()),
            )
        } else {
            (tr!(cx, "Preview{:prefix}"), cx.state.preview_caption.clone())
        };
        let feels = cx.state.presets.previews.is_running();
        let rest = cx.tr(match () {
            () if shows_bake => message!("Dashed: live motion."),
            () if feels => message!("Dashed: current feel."),
            () => message!("Dashed: current motion."),
        });
        let label = format!("{head} {name}{} {rest}", tr!(cx, "."));
        let c = cx.theme.color;
        let wide = [&*head, &format!("{name}{}", tr!(cx, ".")), &*rest];
        let widths = [TextSize::Strong, TextSize::Body, TextSize::Body]
            .into_iter()
            .zip(wide)
            .map(|(t, w)| paint::text_width(ui, w, t));
        let widths: Vec<f32> = widths.map(|w| w + 5.0).collect();
        let around = ICON + space::L;
        // If space is short, the note about the dashed lines is omitted first.
        let shown = if widths.iter().sum::<f32>() + around <= max_width { 3 } else { 2 };
        let width = widths[..shown].iter().sum::<f32>() + around;
        let (caption_rect, response) = ui.allocate_exact_size(vec2(width, HEIGHT), Sense::hover());
        response.widget_info(|| WidgetInfo::labeled(Role::Label, true, &label));
        let mut at = caption_rect.left_center() + vec2(space::S + ICON / 2.0, 0.0);
        paint_icon(ui.painter(), at, icons::EYE, ICON, c.text);
        at.x += ICON / 2.0 + space::M;
        for (text_size, (part, color)) in [TextSize::Strong, TextSize::Body, TextSize::Body]
            .into_iter()
            .zip([(wide[0], c.text), (wide[1], c.text), (wide[2], c.text_2)])
            .take(shown)
        {
            paint::text(ui.painter(), at, Align2::LEFT_CENTER, part, text_size, color);
            at.x += paint::text_width(ui, part, text_size) + 5.0;
        }
    });
}
