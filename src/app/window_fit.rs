//! Makes the window fit the monitor when the program starts: its frame counts too, and a task bar needs room.

use egui::{Context, Rect, Vec2, ViewportCommand, ViewportInfo, pos2, vec2};

/// Inner size of a first window, points.
pub(super) const USUAL: [f32; 2] = [1440.0, 900.0];
/// Height that is left to task bars and menu bars: the largest usual one of Windows, macOS and GNOME, points.
const BARS: f32 = 48.0;
/// Height of the title bar where the system does not report it, points.
const TITLE_BAR: f32 = 32.0;
/// Frames after which a system that has reported no monitor is taken to have none.
const PATIENCE: u32 = 30;

/// Watches the first frames until the window fits.
#[derive(Debug, Default)]
pub(super) struct WindowFit {
    frames: u32,
    done: bool,
}

/// What a window that is too large gets.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Fitted {
    /// Without frame, points.
    inner: Vec2,
    /// Upper left corner of the frame, points; `None` keeps it.
    corner: Option<egui::Pos2>,
}

impl WindowFit {
    /// Asks for a smaller window once the system has reported the monitor; later sizes are the artist's own.
    pub(super) fn update(&mut self, ctx: &Context) {
        if self.done {
            return;
        }
        self.frames += 1;
        let info = ctx.input(|i| i.viewport().clone());
        let is_reported = info.monitor_size.is_some() && info.inner_rect.is_some();
        self.done = is_reported || self.frames > PATIENCE;
        if let Some(fitted) = fitted(&info) {
            ctx.send_viewport_cmd(ViewportCommand::InnerSize(fitted.inner));
            if let Some(corner) = fitted.corner {
                ctx.send_viewport_cmd(ViewportCommand::OuterPosition(corner));
            }
        }
    }
}

/// A size and place with which a window that does not fit does; `None` where it fits, fills the screen by itself, or
/// nothing is known of the monitor.
fn fitted(info: &ViewportInfo) -> Option<Fitted> {
    let monitor = info.monitor_size.filter(|size| size.is_finite() && size.min_elem() > 0.0)?;
    let inner = info.inner_rect?;
    if info.maximized == Some(true) || info.fullscreen == Some(true) {
        return None;
    }
    let outer = info.outer_rect.filter(|outer| outer.height() >= inner.height() && outer.width() >= inner.width());
    let frame = outer.map_or(vec2(0.0, TITLE_BAR), |outer| outer.size() - inner.size());
    let least = Vec2::from(crate::ui::kit::tokens::least::WINDOW);
    let most = (monitor - frame - vec2(0.0, BARS)).max(least);
    let size = inner.size().min(most);
    if (inner.size() - size).max_elem() < 1.0 {
        return None;
    }
    // Where several monitors are side by side, only the first one's corner is known.
    let screen = Rect::from_min_size(pos2(0.0, 0.0), monitor);
    let corner = outer.filter(|outer| screen.contains(outer.min)).map(|outer| {
        let room = (monitor - frame - size).max(Vec2::ZERO);
        outer.min.min(room.to_pos2())
    });
    Some(Fitted { inner: size, corner })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn window(monitor: [f32; 2], inner: [f32; 2], title_bar: f32, corner: [f32; 2]) -> ViewportInfo {
        let corner = pos2(corner[0], corner[1]);
        ViewportInfo {
            monitor_size: Some(monitor.into()),
            inner_rect: Some(Rect::from_min_size(corner + vec2(0.0, title_bar), inner.into())),
            outer_rect: Some(Rect::from_min_size(corner, Vec2::from(inner) + vec2(0.0, title_bar))),
            ..ViewportInfo::default()
        }
    }

    #[test]
    fn a_first_window_leaves_room_for_its_title_bar_and_a_task_bar() {
        let fitted = fitted(&window([1440.0, 900.0], USUAL, 30.0, [0.0, 10.0])).expect("it does not fit");
        assert_eq!(fitted.inner, vec2(1440.0, 900.0 - 30.0 - BARS));
        let bottom = fitted.corner.expect("on the first monitor").y + 30.0 + fitted.inner.y;
        assert!(bottom <= 900.0, "{bottom}");
    }

    #[test]
    fn a_window_that_fits_or_fills_the_screen_by_itself_stays() {
        assert_eq!(fitted(&window([1920.0, 1080.0], USUAL, 30.0, [200.0, 50.0])), None);
        let maximized = ViewportInfo { maximized: Some(true), ..window([1440.0, 900.0], USUAL, 30.0, [0.0, 0.0]) };
        assert_eq!(fitted(&maximized), None);
        assert_eq!(fitted(&ViewportInfo::default()), None);
    }

    #[test]
    fn no_window_becomes_smaller_than_its_least_size() {
        let tiny = fitted(&window([640.0, 480.0], USUAL, 30.0, [0.0, 0.0])).expect("it does not fit");
        assert_eq!(tiny.inner, Vec2::from(crate::ui::kit::tokens::least::WINDOW));
    }
}
