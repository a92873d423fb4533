//! What stands above the pairs: the side, what is copied, what changes sign.

use super::MirrorDialog;
use crate::params::{EntryRole, MirrorRule as Rule, ParamKind, ParamScope, Unit, enumerate_params, first_of_entry};
use crate::rig::{BoneId, Facing};
use crate::session::{Command, SelectMode};
use crate::tools::{mirror, mirror::MirroredValue, mirror::SourceSide, mirror::UnmatchedPolicy};
use crate::ui::UiContext;
use crate::ui::dialogs::table;
use crate::ui::kit::button::secondary;
use crate::ui::kit::i18n::param_label;
use crate::ui::kit::icons;
use crate::ui::kit::number::NumberFormat;
use crate::ui::kit::number::number_field;
use crate::ui::kit::paint;
use crate::ui::kit::theme::TextSize;
use crate::ui::kit::toggle::{badge, chip, labelled_checkbox, segmented, segmented_with_hints};
use crate::ui::kit::tokens::{size, space};
use egui::{Align, Align2, Layout, Sense, Ui, UiBuilder, Vec2, pos2, vec2};

/// Width of the words before each line.
const LABEL_WIDTH: f32 = 100.0;
/// Least and greatest distance between a mirror image and the bone that is taken for it, millimetres.
const TOLERANCE_RANGE_MM: [f32; 2] = [0.01, 100.0];

impl MirrorDialog {
    pub(super) fn header_ui(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>) {
        ui.spacing_mut().item_spacing = Vec2::new(space::S, 0.0);
        ui.add_space(space::M);
        self.side_ui(ui, cx);
        self.scope_ui(ui, cx);
        copied_values_ui(ui, cx, self.options.colliders);
        self.flips_ui(ui, cx);
        self.unmatched_ui(ui, cx);
        ui.add_space(space::S);
    }

    fn side_ui(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>) {
        labelled_row(ui, cx, "mirror.from", |ui, cx| {
            let sides = [SourceSide::PlusX, SourceSide::MinusX].map(|side| side_text(cx, side));
            let chosen = usize::from(self.source_side == SourceSide::MinusX);
            let choices = [(sides[0].as_str(), None), (sides[1].as_str(), None)];
            if let Some(picked) = segmented(ui, &choices, chosen, size::HIT_MIN) {
                self.set_source_side(cx, if picked == 0 { SourceSide::PlusX } else { SourceSide::MinusX });
            }
            ui.label(TextSize::Small.rich(cx.tr("mirror.to_other")).color(cx.theme.color.text_2));
            let swap = cx.tr("mirror.swap");
            right_aligned(ui, |ui| {
                if secondary(&swap).icon(icons::SWAP).small().show(ui).clicked() {
                    self.set_source_side(cx, self.source_side.opposite());
                }
            });
        });
    }

    fn set_source_side(&mut self, cx: &UiContext<'_>, from: SourceSide) {
        if self.source_side != from {
            self.source_side = from;
            self.find_pairs(cx.session());
        }
    }

    fn scope_ui(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>) {
        labelled_row(ui, cx, "mirror.joints", |ui, cx| {
            let words = [cx.tr("mirror.all"), cx.tr("mirror.selected")];
            let choices = [(&*words[0], None), (&*words[1], Some(self.selected.len()))];
            if let Some(picked) = segmented(ui, &choices, usize::from(self.selected_only), size::HIT_MIN)
                && (picked == 1) != self.selected_only
            {
                self.selected_only = picked == 1;
                self.find_pairs(cx.session());
            }
            ui.add_space(space::M);
            let name = cx.tr("mirror.within");
            ui.label(TextSize::Small.rich(&*name).color(cx.theme.color.text_2));
            let format = NumberFormat::with_suffix(" mm", 1);
            let shown = self.options.tolerance * 1000.0;
            let (field, entered) = number_field(ui, &name, Some(shown), format, size::NUMBER_FIELD, None);
            field.on_hover_text(cx.tr("mirror.within_tip"));
            if let Some(entered) = entered.filter(|v| v.is_finite()) {
                self.options.tolerance = entered.clamp(TOLERANCE_RANGE_MM[0], TOLERANCE_RANGE_MM[1]) / 1000.0;
                self.find_pairs(cx.session());
            }
            right_aligned(ui, |ui| self.select_ui(ui, cx));
        });
    }

    /// Selects in the viewport what the list speaks of; from right to left.
    fn select_ui(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>) {
        let sources: Vec<BoneId> = self.pairs.iter().map(|p| p.source).collect();
        let targets: Vec<BoneId> = self.pairs.iter().filter_map(|p| p.target).collect();
        let both: Vec<BoneId> = sources.iter().chain(&targets).copied().collect();
        for (key, bones) in [("both", both), ("targets", targets), ("sources", sources)] {
            let words = cx.tr(&format!("mirror.select_{key}"));
            let button = secondary(&words).small().enabled(!bones.is_empty()).show(ui);
            if button.on_hover_text(cx.tr("mirror.select_tip")).clicked() {
                self.keeps_pairs_on_selection = true;
                cx.command(Command::Select(bones, SelectMode::Replace));
            }
        }
        let words = cx.tr("mirror.select");
        // The buttons say enough where there is no room.
        if ui.available_width() > paint::text_width(ui, &words, TextSize::Small) + space::M {
            ui.label(TextSize::Small.rich(words).color(cx.theme.color.text_2));
        }
    }

    /// The numbers of the row that is looked at, as they are and as they become.
    fn flips_ui(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>) {
        let document = cx.session().document();
        let row = self.current_source.or_else(|| self.pairs.iter().find(|p| p.included).map(|p| p.source));
        let skeleton = &cx.session().character().skeleton;
        let flips = row
            .map(|bone| mirror::mirrored_values(document, skeleton, bone, self.options.unity_accurate))
            .unwrap_or_default();
        let words = flip_texts(cx, &flips);
        let warning = cx.theme.color.warning;
        labelled_row(ui, cx, "mirror.flips", |ui, cx| {
            for words in &words {
                chip(ui, words, Some(icons::PLUS_MINUS), false, Some(warning));
            }
            if words.is_empty() {
                ui.label(TextSize::Small.rich(cx.tr("mirror.no_flips")).color(cx.theme.color.text_3));
            }
            let words = cx.tr("mirror.as_unity");
            right_aligned(ui, |ui| {
                let tick = labelled_checkbox(ui, &words, &mut self.options.unity_accurate);
                if tick.on_hover_text(cx.tr("mirror.as_unity_tip")).changed() {
                    self.replan(cx.session());
                }
            });
        });
    }

    fn unmatched_ui(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>) {
        labelled_row(ui, cx, "mirror.unmatched", |ui, cx| {
            let ways = [UnmatchedPolicy::CreateImage, UnmatchedPolicy::KeepSource, UnmatchedPolicy::Drop];
            let words = ["make", "keep", "drop"].map(|way| cx.tr(&format!("mirror.{way}")));
            let choices = [(&*words[0], None), (&*words[1], None), (&*words[2], None)];
            let chosen = ways.iter().position(|w| *w == self.options.unmatched).unwrap_or_default();
            let hints = ["make", "keep", "drop"].map(|way| cx.tr(&format!("mirror.{way}_tip")));
            let hints = [&*hints[0], &*hints[1], &*hints[2]];
            if let Some(picked) = segmented_with_hints(ui, &choices, &hints, chosen, size::HIT_MIN) {
                self.options.unmatched = ways[picked];
                self.replan(cx.session());
            }
            let names = self.plan.unmatched.join(cx.tr("windows.and").as_ref());
            let words = match (self.plan.unmatched.len(), self.plan.colliders) {
                (0, 0) => cx.tr("mirror.all_matched").into_owned(),
                (0, n) => cx.theme.count("mirror.colliders_change", n),
                _ => cx.tr_with("mirror.without", &[("names", &names)]),
            };
            let color = if names.is_empty() { cx.theme.color.text_3 } else { cx.theme.color.warning };
            let width = ui.available_width() - space::XL;
            let (rect, response) = ui.allocate_exact_size(vec2(width.max(0.0), size::HIT_MIN), Sense::hover());
            let cut = table::row_text(ui, rect, 0.0, rect.width(), &words, TextSize::Small, color);
            response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Label, true, &words));
            if cut {
                response.on_hover_text(words);
            }
        });
    }
}

/// What reads otherwise on the other side; zeros and limits that are the same both ways tell nothing.
fn flip_texts(cx: &UiContext<'_>, flips: &[MirroredValue]) -> Vec<String> {
    let table = cx.session().inspection().system().param_defs();
    let mut told = Vec::new();
    let mut rest = flips;
    while let [flip, others @ ..] = rest {
        let def = &table[flip.param.index()];
        // A lower limit and the upper one behind it become each other.
        let next =
            others.first().filter(|next| def.role == EntryRole::Min && def.mirror == Rule::SwapNegate(next.param));
        rest = if next.is_some() { &others[1..] } else { others };
        // Limits have their name at their switch.
        let named = if next.is_some() { first_of_entry(table, flip.param) } else { flip.param };
        let label = param_label(cx.theme.lang, &table[named.index()]);
        let (from, to) = match next {
            Some(next) => (range_text(flip.source, next.source), range_text(flip.result, next.result)),
            None => (number_text(flip.source), number_text(flip.result)),
        };
        if from != to {
            told.push(cx.tr_with("mirror.becomes", &[("name", &label), ("from", &from), ("to", &to)]));
        }
    }
    told
}

/// "Left (X > 0)", by where the character looks.
fn side_text(cx: &UiContext<'_>, side: SourceSide) -> String {
    let is_left = (cx.session().character().facing == Facing::PlusZ) == (side == SourceSide::PlusX);
    let name = cx.tr(if is_left { "mirror.left" } else { "mirror.right" });
    let x = if side == SourceSide::PlusX { "X > 0" } else { "X < 0" };
    cx.tr_with("mirror.side", &[("name", &name), ("x", x)])
}

/// What every joint gives as it is.
fn copied_values_ui(ui: &mut Ui, cx: &mut UiContext<'_>, colliders: bool) {
    let table = cx.session().inspection().system().param_defs();
    let same = enumerate_params(table).filter(|(_, def)| {
        def.scope == ParamScope::Joint
            && def.mirror == Rule::Same
            && !def.extension
            && !matches!(def.kind, ParamKind::Toggle)
    });
    let mut words: Vec<String> = same.map(|(_, def)| param_label(cx.theme.lang, def).into_owned()).collect();
    words.push(cx.tr("mirror.curves").into_owned());
    words.push(cx.tr("mirror.pivots").into_owned());
    if colliders {
        words.push(cx.tr("mirror.sizes").into_owned());
    }
    labelled_row(ui, cx, "mirror.copied", |ui, _| {
        ui.scope(|ui| {
            ui.set_max_width(ui.available_width() - space::XL);
            ui.spacing_mut().item_spacing = Vec2::new(space::XS, space::XS);
            ui.horizontal_wrapped(|ui| {
                for words in &words {
                    badge(ui, words);
                }
            });
        });
    });
}

/// A line with its name at the left.
fn labelled_row(ui: &mut Ui, cx: &mut UiContext<'_>, key: &str, contents: impl FnOnce(&mut Ui, &mut UiContext<'_>)) {
    let words = cx.tr(key);
    let c = cx.theme.color;
    ui.horizontal(|ui| {
        ui.set_min_height(size::BUTTON);
        ui.add_space(space::XL);
        let (rect, _) = ui.allocate_exact_size(vec2(LABEL_WIDTH, size::HIT_MIN), Sense::hover());
        paint::text(ui.painter(), rect.left_center(), Align2::LEFT_CENTER, &words, TextSize::Body, c.text_2);
        contents(ui, cx);
    });
}

/// What ends at the window's right edge.
fn right_aligned(ui: &mut Ui, contents: impl FnOnce(&mut Ui)) {
    let rest = ui.available_rect_before_wrap();
    let rect = egui::Rect::from_min_max(rest.min, pos2(rest.right() - space::XL, rest.max.y));
    let builder = UiBuilder::new().max_rect(rect).layout(Layout::right_to_left(Align::Center));
    let mut inner = ui.new_child(builder);
    inner.spacing_mut().item_spacing.x = space::S;
    contents(&mut inner);
}

fn number_text(value: f32) -> String {
    NumberFormat::for_unit(Unit::None).text(value)
}

fn range_text(low: f32, high: f32) -> String {
    let format = NumberFormat::for_unit(Unit::Degrees);
    format!("{}…{}", format.text(low), format.text(high))
}
