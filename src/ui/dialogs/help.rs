//! Help: the list of keys and of what the mouse does in each part of the window, and what the program is.

use super::dialog::{Dialog, DialogButton, DialogOutput, in_middle};
use crate::ui::Cx;
use crate::ui::deeds::{Deed, SHORTCUTS, Topic};
use crate::ui::kit::icons::paint_mark;
use crate::ui::kit::theme::Text;
use crate::ui::kit::tokens::{radius, size, space, stroke};
use crate::ui::kit::{paint, section};
use egui::{
    Align2, Context, Frame, Margin, Rect, Role, ScrollArea, Sense, Stroke, StrokeKind, Ui, Vec2, WidgetInfo, pos2, vec2,
};
use std::ops::Range;

const ROW: f32 = 26.0;

/// Keys of what the mouse does in one place: button or modifier, and what it does.
type Gestures = &'static [(&'static str, &'static str)];

/// What the mouse does in each part of the window. Words that the status line has too are its words.
const MOUSE: [(&str, Gestures); 4] = [
    (
        "shortcuts.in_view",
        &[
            ("viewport.key.drag", "viewport.do.orbit"),
            ("viewport.key.right_drag", "viewport.do.pan"),
            ("shortcuts.middle_drag", "shortcuts.middle_drag_does"),
            ("viewport.key.wheel", "viewport.do.zoom"),
            ("viewport.key.click", "viewport.do.select_chain"),
            ("viewport.key.double_click", "viewport.do.select_joint"),
            ("shortcuts.ctrl_click", "viewport.do.toggle"),
            ("shortcuts.right_click", "shortcuts.right_click_does"),
            ("shortcuts.drag_body", "shortcuts.drag_body_does"),
            ("shortcuts.drag_tip", "viewport.do.grab_tip"),
            ("shortcuts.alt_drag", "viewport.do.rotate"),
            ("shortcuts.ctrl_drag", "viewport.do.root_only"),
            ("shortcuts.shift_drag", "viewport.do.one_axis"),
        ],
    ),
    (
        "shortcuts.rows",
        &[
            ("shortcuts.arrows", "shortcuts.arrows_do"),
            ("shortcuts.shift_click", "shortcuts.shift_click_does"),
            ("shortcuts.ctrl_click", "shortcuts.ctrl_click_does"),
            ("shortcuts.double_click", "shortcuts.double_click_does"),
            ("shortcuts.right_click", "shortcuts.right_click_does"),
        ],
    ),
    (
        "shortcuts.on_bars",
        &[
            ("inspector.hint.drag", "inspector.hint.change"),
            ("shortcuts.shift_drag", "inspector.hint.finer"),
            ("shortcuts.ctrl_drag", "inspector.hint.snap"),
            ("inspector.hint.click", "inspector.hint.type"),
            ("shortcuts.right_click", "shortcuts.right_click_resets"),
        ],
    ),
    (
        "shortcuts.in_curves",
        &[
            ("drawer.hint.drag", "shortcuts.drag_key_does"),
            ("drawer.hint.double", "shortcuts.add_key_does"),
            ("drawer.hint.delete", "drawer.hint.remove"),
            ("shortcuts.shift_drag", "drawer.hint.axis"),
            ("shortcuts.ctrl_drag", "viewport.do.snap"),
        ],
    ),
];

/// What is in a column: topics of keys, then some of [`MOUSE`].
type Column = (&'static [Topic], Range<usize>);
/// Four columns show all at once in a window of 1280 × 720.
const COLUMNS: [Column; 4] =
    [(&[Topic::Files, Topic::Edit], 0..0), (&[Topic::Play, Topic::View], 0..0), (&[], 0..1), (&[], 1..4)];
const FEW_COLUMNS: [Column; 2] = [(&[Topic::Files, Topic::Edit], 2..4), (&[Topic::Play, Topic::View], 0..2)];
/// Size of the window with four columns.
const WIDE: Vec2 = vec2(1200.0, 640.0);
/// With two columns.
const NARROW: Vec2 = vec2(760.0, 760.0);

fn is_wide(ctx: &Context) -> bool {
    ctx.content_rect().width() >= WIDE.x + 2.0 * space::XL
}

/// The list of keys.
#[derive(Debug)]
pub(super) struct Shortcuts;

impl Dialog for Shortcuts {
    fn title_key(&self) -> &'static str {
        "shortcuts.title"
    }

    fn place(&self, ctx: &Context, _cx: &Cx<'_>) -> Rect {
        in_middle(ctx, if is_wide(ctx) { WIDE } else { NARROW })
    }

    fn buttons(&self, _cx: &Cx<'_>) -> Vec<DialogButton> {
        Vec::new()
    }

    fn footer_ui(&mut self, ui: &mut Ui, cx: &mut Cx<'_>) {
        ui.label(Text::Small.rich(cx.tr("shortcuts.note")).color(cx.theme.color.text_3));
    }

    fn body_ui(&mut self, ui: &mut Ui, cx: &mut Cx<'_>, _out: &mut DialogOutput) {
        let columns: &[Column] = if is_wide(ui.ctx()) { &COLUMNS } else { &FEW_COLUMNS };
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
                        for (head, lines) in &MOUSE[mouse.clone()] {
                            mouse_ui(ui, cx, head, lines);
                        }
                    });
                }
            });
            ui.add_space(space::L);
        });
    }
}

/// What the program is.
#[derive(Debug)]
pub(super) struct About;

impl Dialog for About {
    fn title_key(&self) -> &'static str {
        "about.title"
    }

    fn place(&self, ctx: &Context, _cx: &Cx<'_>) -> Rect {
        in_middle(ctx, vec2(440.0, 340.0))
    }

    fn buttons(&self, cx: &Cx<'_>) -> Vec<DialogButton> {
        vec![DialogButton::close(cx)]
    }

    fn body_ui(&mut self, ui: &mut Ui, cx: &mut Cx<'_>, _out: &mut DialogOutput) {
        let c = cx.theme.color;
        ui.add_space(space::XL);
        ui.horizontal(|ui| {
            ui.add_space(space::XL);
            let (rect, _) = ui.allocate_exact_size(Vec2::splat(2.0 * size::ICON_LARGE), Sense::hover());
            paint_mark(ui.painter(), rect.center(), rect.width(), c.accent);
            ui.add_space(space::S);
            ui.vertical(|ui| {
                ui.spacing_mut().item_spacing.y = space::XXS;
                ui.label(Text::Title.rich("Yuremono").color(c.text));
                let version = cx.tr_with("about.version", &[("n", env!("CARGO_PKG_VERSION"))]);
                ui.label(Text::Small.rich(version).color(c.text_3));
            });
        });
        ui.add_space(space::L);
        let lines =
            [("about.what", c.text), ("about.local", c.text_2), ("about.licence", c.text_2), ("about.fonts", c.text_3)];
        Frame::new().inner_margin(Margin::symmetric(space::XL as i8, 0)).show(ui, |ui| {
            ui.spacing_mut().item_spacing.y = space::M;
            for (key, ink) in lines {
                ui.add(egui::Label::new(Text::Body.rich(cx.tr(key)).color(ink)).wrap());
            }
        });
    }
}

fn topic_ui(ui: &mut Ui, cx: &Cx<'_>, topic: Topic) {
    let key = match topic {
        Topic::Files => "shortcuts.files",
        Topic::Edit => "shortcuts.edit",
        Topic::Play => "shortcuts.play",
        Topic::View => "shortcuts.view",
    };
    section::heading(ui, &cx.tr(key), "");
    let mut shortcuts: Vec<_> = SHORTCUTS.iter().filter(|s| s.topic == topic).collect();
    shortcuts.sort_by_key(|s| s.deed);
    for shortcut in shortcuts {
        row_ui(ui, cx, &shortcut.text(ui.ctx()), &cx.tr(shortcut.deed.words()));
    }
    if topic == Topic::Edit {
        row_ui(ui, cx, "Esc", &cx.tr(Deed::Deselect.words()));
    }
    ui.add_space(space::L);
}

fn mouse_ui(ui: &mut Ui, cx: &Cx<'_>, head: &str, lines: Gestures) {
    section::heading(ui, &cx.tr(head), "");
    for (key, what) in lines {
        row_ui(ui, cx, &cx.tr(key), &capital(&cx.tr(what)));
    }
    ui.add_space(space::L);
}

/// The status line begins its words small, a list of its own does not.
fn capital(words: &str) -> String {
    let mut letters = words.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// A deed at the left, its key as a cap at the right.
fn row_ui(ui: &mut Ui, cx: &Cx<'_>, key: &str, what: &str) {
    let c = cx.theme.color;
    let what = what.trim_end_matches('…');
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), ROW), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, format!("{what}: {key}")));
    let width = paint::width_of(ui, key, Text::Tiny) + 2.0 * space::S;
    let cap = Rect::from_center_size(pos2(rect.right() - width / 2.0, rect.center().y), vec2(width, 18.0));
    ui.painter().rect(cap, radius::FIELD, c.raised, Stroke::new(stroke::EDGE, c.border), StrokeKind::Inside);
    paint::text(ui.painter(), cap.center(), Align2::CENTER_CENTER, key, Text::Tiny, c.text);
    let words = paint::elided(ui, what, Text::Body, c.text_2, rect.width() - width - space::L);
    paint::galley_left(ui.painter(), rect.left_center(), words);
}
