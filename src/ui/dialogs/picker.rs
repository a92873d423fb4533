//! A list of all bones that can be searched, below the field that asks for one.

use super::table;
use crate::doc::names::fold;
use crate::rig::BoneId;
use crate::ui::Cx;
use crate::ui::kit::icons::{self, paint_icon};
use crate::ui::kit::paint;
use crate::ui::kit::text_field::search_field;
use crate::ui::kit::theme::Text;
use crate::ui::kit::tokens::{SPACE, radius, size, stroke};
use egui::{Context, Frame, Id, Key, Margin, Order, Rect, Stroke, pos2};
use std::collections::BTreeMap;

const WIDTH: f32 = 280.0;
const ROWS: usize = 9;

/// An open list.
#[derive(Clone, Debug)]
pub(super) struct Picker {
    pub(super) row: usize,
    field: Rect,
    search: String,
    fresh: bool,
}

/// A bone, or none on purpose.
#[derive(Clone, Copy, Debug)]
pub(super) struct Choice(pub(super) Option<BoneId>);

/// What came of a frame.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Picked {
    pub(super) choice: Option<Choice>,
    pub(super) hovered: Option<BoneId>,
    /// A click elsewhere.
    pub(super) closed: bool,
}

impl Picker {
    /// For a row whose field is there.
    pub(super) fn new(row: usize, field: Rect) -> Self {
        Self { row, field, search: String::new(), fresh: true }
    }

    /// Draws it. `likely` bones come first; `taken` says which rows have a bone already.
    pub(super) fn show(
        &mut self,
        ctx: &Context,
        cx: &Cx<'_>,
        likely: &[(BoneId, f32)],
        taken: &BTreeMap<BoneId, &str>,
    ) -> Picked {
        let c = cx.theme.color;
        let frame = Frame::new()
            .fill(c.popup)
            .stroke(Stroke::new(stroke::EDGE, c.border_strong))
            .corner_radius(radius::BUTTON)
            .shadow(ctx.style_of(ctx.theme()).visuals.popup_shadow)
            .inner_margin(Margin::same(SPACE[2] as i8));
        let area = egui::Area::new(Id::unique("bone_picker")).order(Order::Foreground).constrain(true);
        let below = ctx.content_rect().bottom() - self.field.bottom();
        let height = 40.0 + size::ROW_TABLE * ROWS as f32;
        let top = if below > height + 12.0 { self.field.bottom() + 2.0 } else { self.field.top() - height - 12.0 };
        let shown = area
            .fixed_pos(pos2(self.field.left(), top))
            .show(ctx, |ui| frame.show(ui, |ui| self.list_ui(ui, cx, likely, taken)).inner);
        let mut out = shown.inner;
        let elsewhere = ctx.input(|i| i.pointer.any_pressed()) && !shown.response.contains_pointer();
        out.closed = elsewhere && !self.fresh;
        self.fresh = false;
        out
    }

    fn list_ui(
        &mut self,
        ui: &mut egui::Ui,
        cx: &Cx<'_>,
        likely: &[(BoneId, f32)],
        taken: &BTreeMap<BoneId, &str>,
    ) -> Picked {
        let c = cx.theme.color;
        ui.set_width(WIDTH);
        let field = search_field(ui, &mut self.search, &cx.tr("windows.names.search_bone"), WIDTH);
        if self.fresh {
            field.request_focus();
        }
        ui.add_space(SPACE[1]);
        let skeleton = &cx.session().character().skeleton;
        let wanted = fold(&self.search);
        let fits = |b: &BoneId| wanted.is_empty() || fold(skeleton.name(*b)).contains(&wanted);
        let first = likely.iter().map(|(b, _)| *b).filter(fits);
        let rest = skeleton.ids().filter(|b| fits(b) && !likely.iter().any(|l| l.0 == *b));
        let bones: Vec<BoneId> = first.chain(rest).collect();
        let mut out = Picked::default();
        if field.lost_focus() && ui.input(|i| i.key_pressed(Key::Enter)) {
            out.choice = bones.first().map(|b| Choice(Some(*b)));
        }
        let none_too = usize::from(wanted.is_empty());
        let height = size::ROW_TABLE * ROWS as f32;
        table::list(ui, "bones", height, bones.len() + none_too, |ui, at| {
            let bone = if at < none_too { None } else { bones.get(at - none_too).copied() };
            let none = cx.tr("windows.names.no_bone");
            let name = bone.map_or(&*none, |b| skeleton.name(b));
            let (rect, response) = table::row(ui, name, false);
            if response.clicked() {
                out.choice = Some(Choice(bone));
            }
            let Some(bone) = bone else {
                table::words(ui, rect, 28.0, WIDTH - 40.0, name, Text::Body, c.text_2);
                return;
            };
            if response.hovered() {
                out.hovered = Some(bone);
            }
            paint_icon(ui.painter(), rect.left_center() + egui::vec2(14.0, 0.0), icons::BONE, 14.0, c.text_3);
            let sure = likely.iter().find(|l| l.0 == bone).map(|l| format!("{:.0} %", 100.0 * l.1));
            let note = sure.or_else(|| taken.get(&bone).map(|row| format!("← {row}"))).unwrap_or_default();
            let note = paint::elided(ui, &note, Text::Small, c.text_2, 110.0);
            let room = WIDTH - 44.0 - note.size().x - 14.0;
            let from = pos2(rect.right() - 14.0 - note.size().x, rect.center().y);
            paint::galley_left(ui.painter(), from, note);
            table::name(ui, rect, 28.0, room, name, c.text);
        });
        out
    }
}
