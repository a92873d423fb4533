//! Makes the window fit the monitor when the program starts: its frame counts too, and a task bar needs room.

use egui::{Context, Rect, Vec2, ViewportCommand, ViewportInfo, pos2, vec2};

/// Inner size of a first window, points.
pub(super) const DEFAULT_WINDOW_SIZE: [f32; 2] = [1440.0, 900.0];
/// Height that is left to task bars and menu bars: the largest usual one of Windows, macOS and GNOME, points.
const SYSTEM_BARS_HEIGHT: f32 = 48.0;
/// Height of the title bar where the system does not report it, points.
const DEFAULT_TITLE_BAR_HEIGHT: f32 = 32.0;
/// Frames after which a system that has reported no monitor is taken to have none.
const MAX_WAIT_FRAMES: u32 = 30;

/// Watches the first frames until the window fits.
#[derive(Debug, Default)]
pub(super) struct WindowFit {
    frames: u32,
    done: bool,
}

/// What a window that is too large gets.
#[derive(Clone, Copy, Debug, PartialEq)]
struct FittedWindow {
    /// Without frame, points.
    inner_size: Vec2,
    /// Upper left corner of the frame, points; `None` keeps it.
    position: Option<egui::Pos2>,
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
        self.done = is_reported || self.frames > MAX_WAIT_FRAMES;
        if let Some(fitted) = fit_to_monitor(&info) {
            ctx.send_viewport_cmd(ViewportCommand::InnerSize(fitted.inner_size));
            if let Some(corner) = fitted.position {
                ctx.send_viewport_cmd(ViewportCommand::OuterPosition(corner));
            }
        }
    }
}

/// A size and place with which a window that does not fit does; `None` where it fits, fills the screen by itself, or
/// nothing is known of the monitor.
fn fit_to_monitor(info: &ViewportInfo) -> Option<FittedWindow> {
    let monitor = info.monitor_size.filter(|size| size.is_finite() && size.min_elem() > 0.0)?;
    let inner = info.inner_rect?;
    if info.maximized == Some(true) || info.fullscreen == Some(true) {
        return None;
    }
    let outer = info.outer_rect.filter(|outer| outer.height() >= inner.height() && outer.width() >= inner.width());
    let frame = outer.map_or(vec2(0.0, DEFAULT_TITLE_BAR_HEIGHT), |outer| outer.size() - inner.size());
    let least = Vec2::from(crate::ui::kit::tokens::min_size::WINDOW);
    let most = (monitor - frame - vec2(0.0, SYSTEM_BARS_HEIGHT)).max(least);
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
    Some(FittedWindow { inner_size: size, position: corner })
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
        let fitted =
            fit_to_monitor(&window([1440.0, 900.0], DEFAULT_WINDOW_SIZE, 30.0, [0.0, 10.0])).expect("it does not fit");
        assert_eq!(fitted.inner_size, vec2(1440.0, 900.0 - 30.0 - SYSTEM_BARS_HEIGHT));
        let bottom = fitted.position.expect("on the first monitor").y + 30.0 + fitted.inner_size.y;
        assert!(bottom <= 900.0, "{bottom}");
    }

    #[test]
    fn a_window_that_fits_or_is_maximized_keeps_its_size() {
        assert_eq!(fit_to_monitor(&window([1920.0, 1080.0], DEFAULT_WINDOW_SIZE, 30.0, [200.0, 50.0])), None);
        let maximized =
            ViewportInfo { maximized: Some(true), ..window([1440.0, 900.0], DEFAULT_WINDOW_SIZE, 30.0, [0.0, 0.0]) };
        assert_eq!(fit_to_monitor(&maximized), None);
        assert_eq!(fit_to_monitor(&ViewportInfo::default()), None);
    }

    #[test]
    fn no_window_becomes_smaller_than_its_minimum_size() {
        let tiny =
            fit_to_monitor(&window([640.0, 480.0], DEFAULT_WINDOW_SIZE, 30.0, [0.0, 0.0])).expect("it does not fit");
        assert_eq!(tiny.inner_size, Vec2::from(crate::ui::kit::tokens::min_size::WINDOW));
    }
}
