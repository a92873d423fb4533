//! What stands above the rows: the way, the encoding, the sections, and the counts that filter.

use super::reason::findings;
use super::{Choice, Import, Show, Way};
use crate::doc::import::ImportPlan;
use crate::doc::table::Section;
use crate::doc::{Chain, ChainId, Document};
use crate::ui::Cx;
use crate::ui::kit::frame::{self, Tone};
use crate::ui::kit::icons;
use crate::ui::kit::meter::count_card;
use crate::ui::kit::paint;
use crate::ui::kit::theme::Text;
use crate::ui::kit::toggle;
use crate::ui::kit::toggle::{segmented, segmented_with_hints};
use crate::ui::kit::tokens::{size, space};
use crate::ui::kit::words;
use egui::{Align, Layout, Ui, vec2};

/// Encodings that artists' tables come in.
const ENCODINGS: [&str; 8] = ["UTF-8", "Shift_JIS", "EUC-JP", "EUC-KR", "GB18030", "Big5", "windows-1252", "UTF-16LE"];

/// What stands beside the choice of a system is so wide.
const BESIDE: f32 = 364.0;

/// Keys of the sections' words.
pub(super) const fn section_key(section: Section) -> &'static str {
    match section {
        Section::Bones => "csv.section.bones",
        Section::Pivots => "csv.section.pivots",
        Section::Colliders => "csv.section.colliders",
        Section::Nulls => "csv.section.nulls",
        Section::Components => "csv.section.components",
        Section::Extras => "csv.section.extras",
    }
}

impl Import {
    /// Merge or replace; and how the text was read.
    pub(super) fn way_ui(&self, ui: &mut Ui, cx: &Cx<'_>) -> Option<Choice> {
        let c = cx.theme.color;
        ui.add_space(space::L);
        let mut choice = None;
        ui.horizontal(|ui| {
            ui.add_space(space::XL);
            let words = ["csv.way.merge", "csv.way.replace"].map(|key| cx.tr(key));
            let hints = ["csv.way.merge_hint", "csv.way.replace_hint"].map(|key| cx.tr(key));
            let chosen = usize::from(self.way == Way::Replace);
            let choices = [(&*words[0], None), (&*words[1], None)];
            if self.setup.plans().len() > 1 {
                choice = self.tables_ui(ui, cx);
                ui.add_space(space::L);
            }
            if self.can_replace() {
                let picked = segmented_with_hints(ui, &choices, &[&*hints[0], &*hints[1]], chosen, size::HIT_MIN);
                choice = picked.map(|at| Choice::Way([Way::Merge, Way::Replace][at]));
            }
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                ui.add_space(space::XL);
                let found = self.plan().table().source.encoding;
                let mut all: Vec<&'static str> = ENCODINGS.to_vec();
                if !all.contains(&found) {
                    all.insert(0, found);
                }
                let name = cx.tr("csv.encoding");
                let chosen = all.iter().position(|e| *e == found);
                if let Some(at) = toggle::choice(ui, &name, &all, chosen, 120.0).filter(|at| Some(*at) != chosen) {
                    choice = Some(Choice::ReadAs(all[at]));
                }
                ui.add_space(space::M);
                let width = paint::width_of(ui, &name, Text::Small);
                let (rect, response) = ui.allocate_exact_size(vec2(width, size::HIT_MIN), egui::Sense::hover());
                let line = paint::elided(ui, &name, Text::Small, c.text_2, width + 1.0);
                paint::galley_left(ui.painter(), rect.left_center(), line);
                response.on_hover_text(cx.tr("csv.encoding_hint"));
            });
        });
        ui.add_space(space::M);
        choice
    }

    /// Which of the systems that the file holds is shown.
    fn tables_ui(&self, ui: &mut Ui, cx: &Cx<'_>) -> Option<Choice> {
        let plans = self.setup.plans();
        let named = |(at, plan): (usize, &ImportPlan)| {
            let solver = plan.table().solver;
            if let Some(name) = plan.table().system_name() {
                return name.to_owned();
            }
            let alike = |plan: &&ImportPlan| plan.table().solver == solver;
            let (name, number) = (words::solver_name(cx.theme.lang, solver), plans[..at].iter().filter(alike).count());
            if plans.iter().filter(alike).count() > 1 { format!("{name} {}", number + 1) } else { name.into_owned() }
        };
        let names: Vec<String> = plans.iter().enumerate().map(named).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        // The way and the encoding stand beside it.
        let room = (ui.available_width() - BESIDE).max(120.0);
        let picked = toggle::choice(ui, &cx.tr("csv.system"), &names, Some(self.at), room);
        picked.filter(|at| *at != self.at).map(Choice::Table)
    }

    /// The sections that the file has, where it has several.
    pub(super) fn sections_ui(&mut self, ui: &mut Ui, cx: &Cx<'_>) {
        let filled = |section: &Section| !self.plan().rows_of(*section).is_empty();
        let order =
            [Section::Bones, Section::Colliders, Section::Pivots, Section::Nulls, Section::Components, Section::Extras];
        let sections: Vec<Section> = order.into_iter().filter(filled).collect();
        if sections.len() < 2 {
            return;
        }
        let words: Vec<_> = sections.iter().map(|s| cx.tr(section_key(*s))).collect();
        let counts = sections.iter().map(|s| Some(self.plan().rows_of(*s).len()));
        let choices: Vec<(&str, Option<usize>)> = words.iter().map(|w| &**w).zip(counts).collect();
        let chosen = sections.iter().position(|s| *s == self.section).unwrap_or_default();
        ui.horizontal(|ui| {
            ui.add_space(space::XL);
            if let Some(at) = segmented(ui, &choices, chosen, size::HIT_MIN) {
                self.section = sections[at];
                self.show = None;
            }
        });
        ui.add_space(space::M);
    }

    pub(super) fn cards_ui(&mut self, ui: &mut Ui, cx: &Cx<'_>) {
        let c = cx.theme.color;
        let bones = self.section == Section::Bones;
        let mut counts = self.plan().counts_of(self.section);
        counts.not_in_file = self.plan().counts().not_in_file;
        let [good, lost] = if bones {
            ["windows.import.card.match", "windows.import.card.no_bone"]
        } else {
            ["csv.card.usable", "csv.card.no_place"]
        };
        let mut cards = vec![
            (Show::Matching, icons::CHECK_CIRCLE, c.ok, counts.matching, good),
            (Show::NoBone, icons::WARNING, c.warning, counts.no_bone, lost),
            (Show::Bad, icons::X_CIRCLE, c.error, counts.bad, "windows.import.card.bad"),
        ];
        if bones {
            let kept = "windows.import.card.kept";
            cards.push((Show::NotInFile, icons::MINUS_CIRCLE, c.text_2, counts.not_in_file, kept));
        }
        ui.horizontal(|ui| {
            ui.add_space(space::XL);
            ui.spacing_mut().item_spacing.x = space::M;
            let gaps = cards.len() as f32 - 1.0;
            let room = ui.available_width() - space::XL - gaps * space::M;
            let words: Vec<_> = cards.iter().map(|card| cx.tr(card.4)).collect();
            let needed: Vec<f32> = words.iter().map(|w| paint::width_of(ui, w, Text::Small) + 24.0).collect();
            let spare = (room - needed.iter().sum::<f32>()) / (gaps + 1.0);
            for (((show, icon, color, count, _), words), width) in cards.into_iter().zip(&words).zip(needed) {
                let on = self.show == Some(show);
                if count_card(ui, icon, color, count, words, on, Some((width + spare).floor())).clicked() {
                    self.show = if on { None } else { Some(show) };
                }
            }
        });
        ui.add_space(space::M);
    }

    /// Whether laying the tables is worth a word: one table brings the whole character along, of several only some may
    /// move chains.
    fn leads(&self, cx: &Cx<'_>, after: &Document) -> bool {
        let before = cx.session().document();
        let stays = |(id, chain): (&ChainId, &Chain)| {
            let old = before.chains.get(id);
            old.is_some_and(|old| old.system == chain.system && before.solver_of(old) == after.solver_of(chain))
        };
        self.setup.plans().len() == 1 || !after.chains.iter().all(stays)
    }

    /// What was found on reading that no row of the table tells.
    pub(super) fn warning_ui(&self, ui: &mut Ui, cx: &Cx<'_>) {
        let mut all = findings(cx, self.plan(), self.replace.is_some());
        if let Some(conversion) = self.setup.moved().filter(|conversion| self.leads(cx, &conversion.after)) {
            let solver = self.plan().table().solver.key();
            let values = [("solver", solver), ("n", &conversion.losses.len().to_string())];
            let head = if self.setup.plans().len() > 1 { "csv.found.under_several" } else { "csv.found.under" };
            let form = match conversion.losses.len() {
                0 => "",
                n => &format!("_lossy.{}", words::plural_form(n)),
            };
            all.insert(0, cx.tr_with(&format!("{head}{form}"), &values));
        }
        let Some(first) = all.first() else { return };
        let sentence = match all.len() {
            1 => first.clone(),
            n => cx.tr_with("windows.import.more", &[("first", first), ("n", &(n - 1).to_string())]),
        };
        ui.horizontal(|ui| {
            ui.add_space(space::XL);
            let room = vec2(ui.available_width() - space::XL, 28.0);
            let strip = ui.allocate_ui(room, |ui| frame::message_strip(ui, Tone::Warning, &sentence, None));
            if all.len() > 1 {
                strip.response.on_hover_text(all.join("\n"));
            }
        });
        ui.add_space(space::S);
    }
}
