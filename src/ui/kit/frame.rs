//! Containers: floating strips, dialogs, toasts and notice strips.

use super::paint;
use crate::tr;
use crate::ui::kit::icons::{self, Icon, IconButton, paint_icon};
use crate::ui::kit::theme::{TextSize, Theme};
use crate::ui::kit::tokens::{radius, size, space, stroke};
use egui::text::LayoutJob;
use egui::{
    Align, Align2, Color32, Context, CornerRadius, Frame, Id, LayerId, Layout, Margin, Order, Rect, Response, Role,
    Sense, Stroke, Ui, UiBuilder, Vec2, WidgetInfo, pos2, vec2,
};

const TITLE_HEIGHT: f32 = 44.0;
const FOOTER_HEIGHT: f32 = 52.0;
pub const TITLE_AND_FOOTER_HEIGHT: f32 = TITLE_HEIGHT + FOOTER_HEIGHT;
const STRIP_PADDING: i8 = 4;
const TOAST_WIDTH: f32 = 560.0;
const TOAST_CLOSE_WIDTH: f32 = 36.0;

/// Returns the frame of a strip that floats over the viewport.
pub fn strip_frame(ui: &Ui) -> Frame {
    let c = Theme::of(ui).color;
    Frame::new()
        .fill(c.panel)
        .stroke(Stroke::new(stroke::EDGE, c.border))
        .corner_radius(radius::PANEL_FLOAT)
        .inner_margin(Margin::same(STRIP_PADDING))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StripDirection {
    Horizontal,
    Vertical,
}

/// Draws a strip that floats over the viewport.
pub fn strip<R>(ui: &mut Ui, run: StripDirection, contents: impl FnOnce(&mut Ui) -> R) -> R {
    let frame = strip_frame(ui);
    frame
        .show(ui, |ui| {
            ui.spacing_mut().item_spacing = Vec2::splat(4.0);
            match run {
                StripDirection::Horizontal => ui.horizontal(contents).inner,
                StripDirection::Vertical => ui.vertical(contents).inner,
            }
        })
        .inner
}

pub fn strip_separator(ui: &mut Ui, run: StripDirection) {
    let c = Theme::of(ui).color;
    let line = Stroke::new(stroke::HAIRLINE, c.border);
    match run {
        StripDirection::Horizontal => {
            let (rect, _) = ui.allocate_exact_size(vec2(9.0, 24.0), Sense::hover());
            ui.painter().vline(rect.center().x, rect.y_range().shrink(space::XXS), line);
        }
        StripDirection::Vertical => {
            let (rect, _) = ui.allocate_exact_size(vec2(30.0, 9.0), Sense::hover());
            ui.painter().hline(rect.x_range().shrink(3.0), rect.center().y, line);
        }
    }
}

/// Draws a question in the middle of the window. `answers` draws the buttons from right to left, the primary button
/// first.
pub fn question<S>(
    ctx: &Context,
    id: Id,
    width: f32,
    state: &mut S,
    contents: impl FnOnce(&mut Ui, &mut S),
    answers: impl FnOnce(&mut Ui, &mut S),
) {
    let area = egui::Area::new(id).order(Order::Middle).anchor(Align2::CENTER_CENTER, Vec2::ZERO);
    area.show(ctx, |ui| {
        window_frame(ctx).inner_margin(Margin::same(space::XL as i8)).show(ui, |ui| {
            ui.set_width(width);
            contents(ui, state);
            ui.add_space(space::XL);
            let row = vec2(ui.available_width(), size::BUTTON);
            ui.allocate_ui_with_layout(row, Layout::right_to_left(Align::Center), |ui| answers(ui, state));
        });
    });
}

fn window_frame(ctx: &Context) -> Frame {
    let c = Theme::of_context(ctx).color;
    Frame::new()
        .fill(c.popup)
        .stroke(Stroke::new(stroke::EDGE, c.border_strong))
        .corner_radius(radius::WINDOW)
        .shadow(ctx.style_of(ctx.theme()).visuals.window_shadow)
}

/// Opacity of the shade over the panels behind a modal window, of 255.
const SHADE_ALPHA: u8 = 100;

/// Makes a window modal: only the window and toasts get clicks. Must run in each frame, before the window is drawn.
pub fn block_window_behind(ctx: &Context, id: Id) {
    let layer = LayerId::new(Order::Middle, id);
    let whole = ctx.content_rect();
    let shade = egui::Area::new(id.with("shade")).order(Order::Middle).fixed_pos(whole.min);
    shade.show(ctx, |ui| {
        ui.allocate_rect(whole, Sense::CLICK | Sense::DRAG);
        ui.painter().rect_filled(whole, 0.0, Color32::from_black_alpha(SHADE_ALPHA));
    });
    ctx.move_to_top(layer);
    ctx.memory_mut(|m| m.set_modal_layer(layer));
}

/// Draws a movable dialog. `contents` draws the area between title and footer. `footer` draws from right to left, the
/// primary button first. Returns whether the close button was clicked.
pub fn window<S>(
    ctx: &Context,
    id: Id,
    [title, note]: [&str; 2],
    at: Rect,
    state: &mut S,
    contents: impl FnOnce(&mut Ui, &mut S),
    footer: impl FnOnce(&mut Ui, &mut S),
) -> bool {
    let theme = Theme::of_context(ctx);
    let c = theme.color;
    let frame = window_frame(ctx);
    let mut area = egui::Area::new(id).order(Order::Middle).default_pos(at.min).constrain(true);
    // egui stores the position of an area. If the proposed position changes with the screen size, the dialog moves by
    // the same distance and keeps the artist's offset.
    let asked = id.with("asked");
    let before = ctx.data(|d| d.get_temp::<egui::Pos2>(asked)).filter(|before| *before != at.min);
    ctx.data_mut(|d| d.insert_temp(asked, at.min));
    if let (Some(before), Some(rect)) = (before, ctx.memory(|m| m.area_rect(id))) {
        area = area.current_pos(rect.min + (at.min - before));
    }
    let shown = area.show(ctx, |ui| {
        frame.show(ui, |ui| {
            ui.set_min_size(at.size());
            ui.set_max_size(at.size());
            let outer = Rect::from_min_size(ui.max_rect().min, at.size());
            let closed = title_ui(ui, &theme, title, note, outer);
            let split = outer.bottom() - FOOTER_HEIGHT;
            let body = Rect::from_min_max(pos2(outer.left(), outer.top() + TITLE_HEIGHT), pos2(outer.right(), split));
            contents(&mut child(ui, body, Layout::top_down(Align::Min)), state);
            paint::hairline(ui.painter(), outer.left(), outer.right(), split, c.border);
            let foot = Rect::from_min_max(pos2(outer.left(), split), outer.max).shrink2(vec2(space::XL, 0.0));
            footer(&mut child(ui, foot, Layout::right_to_left(Align::Center)), state);
            closed
        })
    });
    shown.inner.inner
}

fn child(ui: &mut Ui, rect: Rect, layout: Layout) -> Ui {
    let mut child = ui.new_child(UiBuilder::new().max_rect(rect).layout(layout));
    child.shrink_clip_rect(rect);
    child
}

fn title_ui(ui: &mut Ui, theme: &Theme, title: &str, note: &str, outer: Rect) -> bool {
    let c = theme.color;
    let bar = Rect::from_min_size(outer.min, vec2(outer.width(), TITLE_HEIGHT));
    let at = pos2(bar.left() + space::XL, bar.center().y);
    let parts = [(title, TextSize::Title, c.text), ("   ", TextSize::Title, c.text), (note, TextSize::Small, c.text_3)];
    let line = paint::layout_line(ui, &parts, bar.width() - 72.0);
    paint::paint_galley_left(ui.painter(), at, line);
    paint::hairline(ui.painter(), bar.left(), bar.right(), bar.bottom(), c.border);
    let button_rect = Rect::from_center_size(pos2(bar.right() - space::XXL, bar.center().y), Vec2::splat(28.0));
    let name = tr!(theme, "Close");
    let button = IconButton::new(icons::X, &name).key("Esc").sized(28.0, 16.0);
    button.show(&mut child(ui, button_rect, Layout::top_down(Align::Min))).clicked()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessageLevel {
    Info,
    Ok,
    Warning,
    Error,
}

impl MessageLevel {
    pub const fn icon(self) -> Icon {
        match self {
            Self::Info => icons::INFO,
            Self::Ok => icons::CHECK_CIRCLE,
            Self::Warning => icons::WARNING,
            Self::Error => icons::X_CIRCLE,
        }
    }

    /// Returns the colour of the severity. Callers always show the icon too, because colour alone is not accessible.
    pub fn color(self, theme: &Theme) -> Color32 {
        match self {
            Self::Info => theme.color.info,
            Self::Ok => theme.color.ok,
            Self::Warning => theme.color.warning,
            Self::Error => theme.color.error,
        }
    }
}

/// Draws a strip 28 points high with one sentence and at most one button. Returns whether the button was clicked.
pub fn message_strip(ui: &mut Ui, tone: MessageLevel, sentence: &str, action: Option<&str>) -> bool {
    let theme = Theme::of(ui);
    let c = theme.color;
    let fill = match tone {
        MessageLevel::Warning => c.warning_bg,
        MessageLevel::Error => c.error_bg,
        MessageLevel::Info | MessageLevel::Ok => c.raised,
    };
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), 28.0), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Alert, true, sentence));
    ui.painter().rect_filled(rect, radius::FIELD, fill);
    paint_icon(ui.painter(), pos2(rect.left() + space::XL, rect.center().y), tone.icon(), 16.0, tone.color(&theme));
    let mut right = rect.right() - space::XS;
    let mut clicked = false;
    if let Some(label) = action {
        let width = paint::text_width(ui, label, TextSize::Body) + 18.0;
        let button_rect = Rect::from_min_max(pos2(right - width, rect.top() + 3.0), pos2(right, rect.bottom() - 3.0));
        let mut inner = child(ui, button_rect.expand(3.0), Layout::left_to_right(Align::Center));
        clicked = super::button::secondary(label).small().width(width).show(&mut inner).clicked();
        right -= width + 8.0;
    }
    let galley = paint::elided(ui, sentence, TextSize::Body, c.text, right - rect.left() - space::XXXL);
    let elided = galley.elided;
    paint::paint_galley_left(ui.painter(), pos2(rect.left() + 30.0, rect.center().y), galley);
    if elided {
        response.on_hover_text(sentence);
    }
    clicked
}

/// Draws a short message of at most two lines. Returns whether the artist dismissed the message. The caller removes the
/// message after some time.
pub fn toast(ui: &mut Ui, tone: MessageLevel, sentence: &str) -> bool {
    let theme = Theme::of(ui);
    let c = theme.color;
    let frame = Frame::new()
        .fill(c.popup)
        .stroke(Stroke::new(stroke::EDGE, c.border_strong))
        .corner_radius(CornerRadius::same(radius::PANEL_FLOAT as u8))
        .shadow(ui.visuals().popup_shadow)
        .inner_margin(Margin { left: 10, right: 4, top: 4, bottom: 4 });
    frame
        .show(ui, |ui| {
            ui.horizontal(|ui| {
                icons::icon(ui, tone.icon(), size::ICON, tone.color(&theme));
                let width = ui.available_width() - TOAST_CLOSE_WIDTH;
                let mut job =
                    LayoutJob::simple(sentence.to_owned(), TextSize::Body.font(), c.text, width.min(TOAST_WIDTH));
                // The end of an error says what to do.
                job.wrap.max_rows = if tone == MessageLevel::Error { 4 } else { 2 };
                let galley = ui.painter().layout_job(job);
                ui.add(egui::Label::new(galley));
                let name = tr!(theme, "Dismiss");
                let response: Response = IconButton::new(icons::X, &name).tiny().show(ui);
                response.clicked()
            })
            .inner
        })
        .inner
}

/// Returns the right end of the windows that overlap `area`, in points.
pub fn windows_right_end(ctx: &Context, area: Rect) -> Option<f32> {
    let rects = ctx.memory(|m| {
        let windows = m.areas().visible_layer_ids().into_iter().filter(|layer| layer.order == Order::Middle);
        windows.filter_map(|layer| m.area_rect(layer.id)).collect::<Vec<_>>()
    });
    rects.iter().filter(|rect| rect.intersects(area)).map(Rect::right).reduce(f32::max)
}

/// Returns whether a dialog is open.
pub(in crate::ui) fn window_is_open(ctx: &Context) -> bool {
    ctx.memory(|m| m.areas().visible_layer_ids().iter().any(|l| l.order == Order::Middle))
}
