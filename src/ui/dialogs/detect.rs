//! Detect chains: what seems to sway and has no chain yet, and one button that makes chains of it.

use super::dialog::{Dialog, DialogButton, DialogOutput, DialogResult, at_left};
use super::table::{self, CellField, Cells, Column, RowStart, Table};
use crate::document::{Label, Part};
use crate::rig::{BoneId, Character};
use crate::session::{Command, Session};
use crate::tools::{detect, detect::Proposal, detect::SURE};
use crate::ui::Cx;
use crate::ui::kit::icons::paint_chain;
use crate::ui::kit::meter::confidence_bar;
use crate::ui::kit::paint;
use crate::ui::kit::theme::Text;
use crate::ui::kit::toggle::Tick;
use crate::ui::kit::tokens::{size, space};
use crate::ui::kit::words;
use egui::{Align2, Context, Popup, Rect, Role, Sense, Ui, WidgetInfo, pos2, vec2};
use std::collections::BTreeSet;
use std::sync::Arc;

const NAME: f32 = 66.0;

/// Proposals and which of them are taken.
#[derive(Debug)]
pub(super) struct Detect {
    proposals: Vec<Proposal>,
    ticked: BTreeSet<BoneId>,
    /// Groups in the order in which they are listed, then their proposals.
    lines: Vec<Line>,
    character: Arc<Character>,
    /// Joints and excluded bones that the proposals were made for.
    taken: (BTreeSet<BoneId>, BTreeSet<BoneId>),
}

/// A line of the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Line {
    Group(Part),
    Proposal(usize),
}

impl Detect {
    pub(super) fn new(session: &Session) -> Self {
        let mut all = Self {
            proposals: Vec::new(),
            ticked: BTreeSet::new(),
            lines: Vec::new(),
            character: Arc::clone(session.character()),
            taken: taken(session),
        };
        all.look(session);
        all
    }

    /// Proposes anew; ticks that the artist took away stay away where the same root is proposed again.
    fn look(&mut self, session: &Session) {
        let known: BTreeSet<BoneId> = self.proposals.iter().map(|p| p.root).collect();
        let same = Arc::ptr_eq(&self.character, session.character());
        let parts: Vec<(BoneId, Part)> = self.proposals.iter().map(|p| (p.root, p.part)).collect();
        self.character = Arc::clone(session.character());
        self.taken = taken(session);
        self.proposals = detect::detect(session.character(), session.document());
        for proposal in &mut self.proposals {
            if same && known.contains(&proposal.root) {
                if let Some((_, part)) = parts.iter().find(|(root, _)| *root == proposal.root) {
                    proposal.part = *part;
                }
            } else if proposal.confidence >= SURE {
                self.ticked.insert(proposal.root);
            }
        }
        let roots: BTreeSet<BoneId> = self.proposals.iter().map(|p| p.root).collect();
        self.ticked.retain(|root| roots.contains(root));
        self.sort();
    }

    /// Lists proposals below their parts.
    fn sort(&mut self) {
        self.lines.clear();
        for part in Part::ALL {
            let of_part = self.proposals.iter().enumerate().filter(|(_, p)| p.part == part);
            let of_part: Vec<usize> = of_part.map(|(at, _)| at).collect();
            if !of_part.is_empty() {
                self.lines.push(Line::Group(part));
                self.lines.extend(of_part.into_iter().map(Line::Proposal));
            }
        }
    }

    fn chosen(&self) -> Vec<Proposal> {
        self.proposals.iter().filter(|p| self.ticked.contains(&p.root)).cloned().collect()
    }

    fn tick_of(&self, roots: &[BoneId]) -> Tick {
        Tick::among(roots.iter().filter(|r| self.ticked.contains(r)).count(), roots.len())
    }

    /// Takes proposals, or leaves them where all are taken.
    fn flip(&mut self, roots: &[BoneId]) {
        let all = self.tick_of(roots) == Tick::On;
        for root in roots {
            if all {
                self.ticked.remove(root);
            } else {
                self.ticked.insert(*root);
            }
        }
    }

    fn group_ui(&mut self, cx: &Cx<'_>, cells: &mut Cells<'_, '_>, part: Part) {
        let c = cx.theme.color;
        let name = words::part(cx.theme.lang, part);
        let roots: Vec<BoneId> = self.proposals.iter().filter(|p| p.part == part).map(|p| p.root).collect();
        let count = roots.len().to_string();
        let tick = self.tick_of(&roots);
        let clicked = cells.heading(|ui, row| {
            let words =
                [(&*name, Text::Strong, c.text), ("   ", Text::Small, c.text_3), (&*count, Text::Small, c.text_3)];
            let line = paint::line_of(ui, &words, row.width() - 60.0);
            paint::galley_left(ui.painter(), pos2(row.left() + 34.0, row.center().y), line);
            table::tick(ui, row, space::S, &name, Some(tick))
        });
        if clicked {
            self.flip(&roots);
        }
    }

    fn proposal_ui(&mut self, cx: &Cx<'_>, cells: &mut Cells<'_, '_>, at: usize, out: &mut DialogOutput) {
        let c = cx.theme.color;
        let proposal = self.proposals[at].clone();
        let seen = cx.session().selection().hovered;
        let lit = seen.is_some_and(|bone| proposal.bones.contains(&bone));
        let (ink, soft) = if lit { (c.selection_text, c.selection_text) } else { (c.text, c.text_2) };
        let tick = self.tick_of(&[proposal.root]);
        let RowStart { response, pointer, inner: ticked } = cells.begin(&proposal.name, lit, |ui, cell| {
            let center = pos2(cell.right() - space::L, cell.center().y);
            paint_chain(ui.painter(), center, size::ICON_SMALL, soft);
            let name = cx.tr_with("windows.take_name", &[("name", &proposal.name)]);
            table::tick(ui, cell, space::S + 14.0, &name, Some(tick))
        });
        let count = proposal.bones.len().to_string();
        let long = cells.cell(|ui, cell| {
            paint::text(ui.painter(), cell.right_center(), Align2::RIGHT_CENTER, &count, Text::Number, ink);
            table::name(ui, cell, 0.0, cell.width() - 30.0, &proposal.name, ink)
        });
        let part = cells.cell(|ui, cell| part_ui(ui, cx, cell, &proposal));
        let sure_name = cx.tr_with("windows.names.sure_name", &[("name", &proposal.name)]);
        // The bar is green from where a proposal is taken unasked, whatever the number.
        let shown = if proposal.confidence >= SURE { proposal.confidence.max(0.9) } else { proposal.confidence };
        cells.cell(|ui, cell| {
            confidence_bar(&mut table::place(ui, cell, space::L, 32.0), &sure_name, Some(shown), 32.0);
        });
        cells.right(&format!("{:.0} %", 100.0 * proposal.confidence), Text::Small, soft);
        let why: Vec<_> = proposal.why.iter().map(|r| words::detect_reason(cx.theme.lang, r)).collect();
        let why = why.join(cx.tr("windows.and").as_ref());
        let cut = cells.cell(|ui, cell| table::words(ui, cell, 10.0, cell.width() - 22.0, &why, Text::Small, soft));
        if pointer.is_some() {
            out.hovered = Some(proposal.root);
        }
        if ticked || response.clicked() {
            self.flip(&[proposal.root]);
        }
        if long || cut {
            response.on_hover_text(format!("{}\n{why}", proposal.name));
        }
        if let Some(part) = part {
            self.proposals[at].part = part;
            self.sort();
        }
    }
}

impl Dialog for Detect {
    fn title_key(&self) -> &'static str {
        "windows.detect.title"
    }

    fn note(&self, cx: &Cx<'_>) -> String {
        match self.proposals.len() {
            0 => String::new(),
            n => cx.tr_with("windows.detect.found", &[("n", &n.to_string())]),
        }
    }

    fn place(&self, ctx: &Context, _cx: &Cx<'_>) -> Rect {
        let height = (30.0 + size::ROW_TABLE * self.lines.len() as f32).clamp(124.0, 568.0);
        at_left(ctx, 0.47, [580.0, 680.0], height)
    }

    fn refresh(&mut self, _ctx: &Context, cx: &mut Cx<'_>) -> DialogResult {
        let session = cx.session();
        if !Arc::ptr_eq(&self.character, session.character()) || self.taken != taken(session) {
            self.look(session);
        }
        cx.state.hint = vec![(String::new(), cx.tr("windows.detect.hint").into_owned())];
        DialogResult::Open
    }

    fn body_ui(&mut self, ui: &mut Ui, cx: &mut Cx<'_>, out: &mut DialogOutput) {
        if self.proposals.is_empty() {
            empty_ui(ui, cx);
            return;
        }
        let names = ["chain", "joints", "part", "sure", "why"].map(|k| cx.tr(&format!("windows.detect.column.{k}")));
        let columns = [
            Column::new(&names[0], NAME).indented(NAME - 16.0),
            Column::right(&names[1], 0.29 * (ui.available_width() - NAME) + 22.0),
            Column::new(&names[2], 112.0).indented(18.0),
            Column::new(&names[3], 44.0).indented(space::L),
            Column::new("", 40.0),
            Column::rest(&names[4]).indented(10.0),
        ];
        let all: Vec<BoneId> = self.proposals.iter().map(|p| p.root).collect();
        let lines = self.lines.clone();
        let list = Table { id: "proposals", columns: &columns, height: ui.available_height(), scroll_to: None };
        let (tick, name) = (self.tick_of(&all), cx.tr("windows.detect.tick_all"));
        let mut clicked = false;
        let tick_all = |ui: &mut Ui, cell| clicked = table::tick(ui, cell, space::S, &name, Some(tick));
        list.show(ui, lines.len(), tick_all, |cells| match lines[cells.index()] {
            Line::Group(part) => self.group_ui(cx, cells, part),
            Line::Proposal(at) => self.proposal_ui(cx, cells, at, out),
        });
        if clicked {
            self.flip(&all);
        }
    }

    fn buttons(&self, cx: &Cx<'_>) -> Vec<DialogButton> {
        if self.proposals.is_empty() {
            return vec![DialogButton::close(cx)];
        }
        let chains = self.chosen().len();
        let words = cx.tr_with("windows.detect.make", &[("n", &chains.to_string())]);
        vec![DialogButton::apply(words, chains > 0), DialogButton::cancel(cx)]
    }

    fn foot_note(&self, cx: &Cx<'_>) -> String {
        if self.proposals.is_empty() {
            return String::new();
        }
        let joints: usize = self.chosen().iter().map(|p| p.bones.len()).sum();
        cx.tr_with("windows.detect.about", &[("n", &joints.to_string())])
    }

    fn apply(&mut self, cx: &mut Cx<'_>) -> DialogResult {
        let chosen = self.chosen();
        let session = cx.session();
        let skeleton = &session.character().skeleton;
        let edit = detect::propose_edits(&chosen, skeleton, session.document(), session.inspection().system_id());
        cx.command(Command::Apply(edit, Label::new("make_chains", chosen.len())));
        DialogResult::Closed
    }
}

/// Joints and excluded bones.
fn taken(session: &Session) -> (BTreeSet<BoneId>, BTreeSet<BoneId>) {
    let document = session.document();
    let joints = document.chains.values().flat_map(|c| &c.joints).map(|j| j.bone).collect();
    (joints, document.excluded.clone())
}

/// The part, to be changed by a click.
fn part_ui(ui: &Ui, cx: &Cx<'_>, cell: Rect, proposal: &Proposal) -> Option<Part> {
    let words = words::part(cx.theme.lang, proposal.part);
    let name = cx.tr_with("windows.detect.part_of", &[("name", &proposal.name)]);
    let look = CellField { filled: true, accent: false, room: 22.0 };
    let (_, response) = table::field(ui, cell.with_min_x(cell.left() + 14.0), [&name, &words], look);
    let mut picked = None;
    Popup::menu(&response).show(|ui| {
        for part in Part::ALL {
            if ui.add(egui::Button::new(words::part(cx.theme.lang, part)).selected(part == proposal.part)).clicked() {
                picked = Some(part);
            }
        }
    });
    picked.filter(|part| *part != proposal.part)
}

/// What to do when nothing was found.
fn empty_ui(ui: &mut Ui, cx: &Cx<'_>) {
    let c = cx.theme.color;
    let has_chains = !cx.session().document().chains.is_empty();
    let (head, body) = if has_chains { ("all_done", "all_done_hint") } else { ("nothing", "nothing_hint") };
    let room = ui.max_rect().shrink2(vec2(space::XXXL, space::XXL));
    paint_chain(ui.painter(), pos2(room.left() + space::L, room.top() + 13.0), 24.0, c.text_3);
    let title = cx.tr(&format!("windows.detect.{head}"));
    let at = pos2(room.left() + 36.0, room.top() + space::L);
    let line = paint::elided(ui, &title, Text::Strong, c.text, room.width() - 36.0);
    paint::galley_left(ui.painter(), at, line);
    let words = cx.tr(&format!("windows.detect.{body}")).into_owned();
    let galley = ui.painter().layout(words.clone(), Text::Body.font(), c.text_2, room.width() - 36.0);
    let place = Rect::from_min_size(pos2(room.left() + 36.0, room.top() + 30.0), galley.size());
    ui.painter().galley(place.min, galley, c.text_2);
    ui.interact(place, ui.scope_id().with("empty"), Sense::hover())
        .widget_info(|| WidgetInfo::labeled(Role::Label, true, format!("{title} {words}")));
}
