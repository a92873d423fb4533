//! *Help*: shows keyboard shortcuts, mouse gestures and the *About* dialog.

use super::dialog::{Dialog, DialogButton, DialogOutput, capitalized, in_middle};
use crate::tr;
use crate::ui::UiContext;
use crate::ui::actions::{AS_LOADED_KEY, Action, ShortcutTopic, shortcuts};
use crate::ui::kit::icons::paint_logo;
use crate::ui::kit::theme::TextSize;
use crate::ui::kit::tokens::{radius, size, space, stroke};
use crate::ui::kit::{button, collapsible_section, paint};
use egui::{
    Align, Align2, Context, Frame, Layout, Margin, Rect, Role, ScrollArea, Sense, Stroke, StrokeKind, Ui, Vec2,
    WidgetInfo, pos2, vec2,
};
use std::ops::Range;
use yuremono_session::{Command, Message};
use yuremono_sim::diagnostics::{MessageText, message};

const ROW_HEIGHT: f32 = 26.0;

/// Gestures: the button or modifier, and the action.
type MouseGestures = &'static [(MessageText, MessageText)];

/// Mouse gestures by area of the window. Gestures that the status line also shows use the same labels.
static MOUSE_GESTURES: [(MessageText, MouseGestures); 4] = [
    (
        message!("Mouse in viewport"),
        &[
            (message!("Drag{:mouse}"), message!("orbit")),
            (message!("Right drag"), message!("pan")),
            (message!("Middle drag"), message!("Orbit from anywhere")),
            (message!("Wheel"), message!("zoom")),
            (message!("Click"), message!("select chain")),
            (message!("Double click"), message!("only this joint")),
            (message!("Ctrl+click"), message!("add or remove")),
            (message!("Right click"), message!("Context menu")),
            (message!("Drag a bone or ring"), message!("Move the body")),
            (message!("Drag a tip"), message!("pull the tip")),
            (message!("Alt+drag"), message!("rotate")),
            (message!("Ctrl+drag"), message!("one bone only")),
            (message!("Shift+drag"), message!("one axis")),
        ],
    ),
    (
        message!("Mouse in outliner"),
        &[
            (message!("Arrows"), message!("Move, open, close")),
            (message!("Shift+click"), message!("Select a range")),
            (message!("Ctrl+click"), message!("Add or remove")),
            (message!("Double-click"), message!("Frame in viewport")),
            (message!("Right click"), message!("Context menu")),
        ],
    ),
    (
        message!("Mouse on numbers"),
        &[
            (message!("Drag{:mouse}"), message!("change")),
            (message!("Shift+drag"), message!("10× finer")),
            (message!("Ctrl+drag"), message!("snap")),
            (message!("Click"), message!("type{:keyboard}")),
            (message!("Right click"), message!("Loaded or default value")),
        ],
    ),
    (
        message!("Mouse on curves"),
        &[
            (message!("Drag{:mouse}"), message!("Move a key")),
            (message!("Double-click"), message!("Add a key")),
            (message!("Delete{:key}"), message!("remove")),
            (message!("Shift+drag"), message!("lock axis")),
            (message!("Ctrl+drag"), message!("snap")),
        ],
    ),
];

/// Shortcut topics of a column, and a range of [`MOUSE_GESTURES`].
type HelpColumn = (&'static [ShortcutTopic], Range<usize>);
/// Four columns fit a window of 1280 × 720.
const WIDE_COLUMNS: [HelpColumn; 4] = [
    (&[ShortcutTopic::Files, ShortcutTopic::Edit], 0..0),
    (&[ShortcutTopic::Play, ShortcutTopic::View], 0..0),
    (&[], 0..1),
    (&[], 1..4),
];
const NARROW_COLUMNS: [HelpColumn; 2] =
    [(&[ShortcutTopic::Files, ShortcutTopic::Edit], 2..4), (&[ShortcutTopic::Play, ShortcutTopic::View], 0..2)];
const WIDE_SIZE: Vec2 = vec2(1200.0, 640.0);
const NARROW_SIZE: Vec2 = vec2(760.0, 760.0);

fn is_wide(ctx: &Context) -> bool {
    ctx.content_rect().width() >= WIDE_SIZE.x + 2.0 * space::XL
}

#[derive(Debug)]
pub(super) struct ShortcutsDialog;

impl Dialog for ShortcutsDialog {
    fn title_text(&self) -> MessageText {
        message!("Keyboard and mouse")
    }

    fn window_rect(&self, ctx: &Context, _cx: &UiContext<'_>) -> Rect {
        in_middle(ctx, if is_wide(ctx) { WIDE_SIZE } else { NARROW_SIZE })
    }

    fn buttons(&self, _cx: &UiContext<'_>) -> Vec<DialogButton> {
        Vec::new()
    }

    fn footer_ui(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>) {
        ui.label(TextSize::Small.rich(tr!(cx, "F1 opens this list.")).color(cx.theme.color.text_3));
    }

    fn body_ui(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>, _out: &mut DialogOutput) {
        let columns: &[HelpColumn] = if is_wide(ui.ctx()) { &WIDE_COLUMNS } else { &NARROW_COLUMNS };
        let gaps = 2.0 * space::XL + space::XXL * (columns.len() - 1) as f32;
        let width = (ui.available_width() - gaps) / columns.len() as f32;
        ScrollArea::vertical().auto_shrink([false, false]).show(ui, |ui| {
            ui.add_space(space::M);
            ui.horizontal_top(|ui| {
                ui.spacing_mut().item_spacing.x = space::XXL;
                ui.add_space(space::XL);
                for (topics, mouse) in columns {
                    ui.vertical(|ui| {
                        ui.set_width(width);
                        ui.spacing_mut().item_spacing.y = 0.0;
                        for topic in *topics {
                            topic_ui(ui, cx, *topic);
                        }
                        for (heading, lines) in &MOUSE_GESTURES[mouse.clone()] {
                            gestures_ui(ui, cx, heading, lines);
                        }
                    });
                }
            });
            ui.add_space(space::L);
        });
    }
}

#[derive(Debug)]
pub(super) struct AboutDialog;

impl Dialog for AboutDialog {
    fn title_text(&self) -> MessageText {
        message!("About")
    }

    fn window_rect(&self, ctx: &Context, _cx: &UiContext<'_>) -> Rect {
        in_middle(ctx, vec2(440.0, 420.0))
    }

    fn buttons(&self, cx: &UiContext<'_>) -> Vec<DialogButton> {
        vec![DialogButton::close(cx)]
    }

    fn footer_ui(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>) {
        ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
            let copy = button::secondary(&tr!(cx, "Copy system details")).show(ui);
            if copy.on_hover_text(tr!(cx, "Copies version, system and graphics driver for a bug report.")).clicked() {
                ui.ctx().copy_text(cx.input.environment.to_owned());
                cx.command(Command::AddMessage(Message::Done(message!("System details copied"))));
            }
        });
    }

    fn body_ui(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>, _out: &mut DialogOutput) {
        let c = cx.theme.color;
        ui.add_space(space::XL);
        ui.horizontal(|ui| {
            ui.add_space(space::XL);
            let (rect, _) = ui.allocate_exact_size(Vec2::splat(2.0 * size::ICON_LARGE), Sense::hover());
            paint_logo(ui.painter(), rect.center(), rect.width(), c.accent);
            ui.add_space(space::S);
            ui.vertical(|ui| {
                ui.spacing_mut().item_spacing.y = space::XXS;
                ui.label(TextSize::Title.rich("Yuremono").color(c.text));
                let version = tr!(cx, "Version {n}", n = env!("CARGO_PKG_VERSION"));
                ui.label(TextSize::Small.rich(version).color(c.text_3));
            });
        });
        ui.add_space(space::L);
        let lines = [
            (
                message!(
                    "A studio for secondary motion: hair, skirts, tails and ribbons of VRM, glTF and FBX \
                     characters, tuned live."
                ),
                c.text,
            ),
            (message!("Files stay on this computer."), c.text_2),
            (message!("Free software under the MIT licence or the Apache licence 2.0, as you choose."), c.text_2),
            (message!("Fonts: Inter and Noto Sans CJK JP (SIL Open Font License). Icons: Phosphor (MIT)."), c.text_3),
        ];
        Frame::new().inner_margin(Margin::symmetric(space::XL as i8, 0)).show(ui, |ui| {
            ui.spacing_mut().item_spacing.y = space::M;
            for (text, color) in lines {
                ui.add(egui::Label::new(TextSize::Body.rich(cx.tr(text)).color(color)).wrap());
            }
            // The version is above.
            for line in cx.input.environment.lines().skip(1) {
                ui.add(egui::Label::new(TextSize::Small.rich(line).color(c.text_3)).wrap());
            }
        });
    }
}

fn topic_ui(ui: &mut Ui, cx: &UiContext<'_>, topic: ShortcutTopic) {
    let heading = match topic {
        ShortcutTopic::Files => message!("Files"),
        ShortcutTopic::Edit => message!("Edit and select"),
        ShortcutTopic::Play => message!("Playback"),
        ShortcutTopic::View => message!("View"),
    };
    collapsible_section::heading_ui(ui, &cx.tr(heading), "");
    let mut shortcuts: Vec<_> = shortcuts().filter(|s| s.topic == topic).collect();
    shortcuts.sort_by_key(|s| s.action);
    for shortcut in shortcuts {
        shortcut_row_ui(ui, cx, &shortcut.text(ui.ctx()), &cx.tr(shortcut.action.label()));
    }
    match topic {
        ShortcutTopic::Edit => shortcut_row_ui(ui, cx, "Esc", &cx.tr(Action::Deselect.label())),
        ShortcutTopic::Play => {
            let key = tr!(cx, "Hold {key}", key = AS_LOADED_KEY.name());
            shortcut_row_ui(ui, cx, &key, &tr!(cx, "Show the tuning as loaded"));
        }
        ShortcutTopic::Files | ShortcutTopic::View => {}
    }
    ui.add_space(space::L);
}

fn gestures_ui(ui: &mut Ui, cx: &UiContext<'_>, heading: &MessageText, lines: MouseGestures) {
    collapsible_section::heading_ui(ui, &cx.tr(heading), "");
    for (key, effect) in lines {
        shortcut_row_ui(ui, cx, &cx.tr(key), &capitalized(&cx.tr(effect)));
    }
    ui.add_space(space::L);
}

fn shortcut_row_ui(ui: &mut Ui, cx: &UiContext<'_>, key: &str, effect: &str) {
    let c = cx.theme.color;
    let effect = effect.trim_end_matches('…');
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), ROW_HEIGHT), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, format!("{effect}: {key}")));
    let width = paint::text_width(ui, key, TextSize::Tiny) + 2.0 * space::S;
    let cap = Rect::from_center_size(pos2(rect.right() - width / 2.0, rect.center().y), vec2(width, 18.0));
    ui.painter().rect(cap, radius::FIELD, c.raised, Stroke::new(stroke::EDGE, c.border), StrokeKind::Inside);
    paint::text(ui.painter(), cap.center(), Align2::CENTER_CENTER, key, TextSize::Tiny, c.text);
    let galley = paint::elided(ui, effect, TextSize::Body, c.text_2, rect.width() - width - space::L);
    paint::paint_galley_left(ui.painter(), rect.left_center(), galley);
}
