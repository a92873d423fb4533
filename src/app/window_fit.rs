//! Shrinks the window at the start so that it fits the monitor, including its frame and a task bar.

use egui::{Context, Rect, Vec2, ViewportCommand, ViewportInfo, pos2, vec2};

/// Inner size of the window at the first start, in points.
#[cfg(not(target_arch = "wasm32"))]
pub(super) const DEFAULT_WINDOW_SIZE: [f32; 2] = [1440.0, 900.0];
/// Height of task bars and menu bars in points: the largest default of Windows, macOS and GNOME.
const SYSTEM_BARS_HEIGHT: f32 = 48.0;
/// Height of the title bar in points if the system does not report the height.
const DEFAULT_TITLE_BAR_HEIGHT: f32 = 32.0;
/// Number of frames to wait until the system reports the monitor.
const MAX_WAIT_FRAMES: u32 = 30;

/// Waits during the first frames for the size of the monitor, and then fits the window once.
#[derive(Debug, Default)]
pub(super) struct WindowFit {
    frames: u32,
    done: bool,
}

/// The new geometry of a window that is too large.
#[derive(Clone, Copy, Debug, PartialEq)]
struct FittedWindow {
    /// Size without the frame, in points.
    inner_size: Vec2,
    /// Upper left corner of the frame, in points. `None` keeps the position.
    position: Option<egui::Pos2>,
}

impl WindowFit {
    /// Requests a smaller window once the system has reported the monitor. Later changes of the size are left to the
    /// user.
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

/// Returns a size and position that fit. Returns `None` if the window fits or is maximized, or if the monitor is
/// unknown.
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
    // With several monitors, only the corner of the first monitor is known.
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
