//! *Detect chains*: proposes chains for bones that have no chain yet.

use super::dialog::{Dialog, DialogButton, DialogOutput, DialogResult, PREVIEW_SHORTCUTS, at_left};
use super::table::{self, CellFieldStyle, Cells, Column, FirstCellResponse, Table};
use crate::tr;
use crate::ui::UiContext;
use crate::ui::actions::Action;
use crate::ui::kit::i18n;
use crate::ui::kit::icons::paint_chain;
use crate::ui::kit::meter::confidence_bar;
use crate::ui::kit::paint;
use crate::ui::kit::theme::TextSize;
use crate::ui::kit::toggle::CheckState;
use crate::ui::kit::tokens::{size, space};
use egui::{Align2, Context, Popup, Rect, Role, Sense, Ui, WidgetInfo, pos2, vec2};
use std::collections::BTreeSet;
use std::sync::Arc;
use yuremono_model::document::ChainPart;
use yuremono_model::tools::{detect, detect::AUTO_ACCEPT_CONFIDENCE, detect::ChainProposal};
use yuremono_session::{Command, SelectMode, Session, created_chains_label};
use yuremono_sim::diagnostics::{MessageText, message};
use yuremono_sim::rig::{BoneId, Character};

const NAME_LEFT: f32 = 66.0;

#[derive(Debug)]
pub(super) struct DetectChainsDialog {
    proposals: Vec<ChainProposal>,
    checked: BTreeSet<BoneId>,
    /// Group headings, each followed by its proposals.
    rows: Vec<DetectRow>,
    character: Arc<Character>,
    /// The joints and excluded bones for which the proposals were computed.
    joints_and_excluded: (BTreeSet<BoneId>, BTreeSet<BoneId>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DetectRow {
    Group(ChainPart),
    Proposal(usize),
}

impl DetectChainsDialog {
    pub(super) fn new(session: &Session) -> Self {
        let mut all = Self {
            proposals: Vec::new(),
            checked: BTreeSet::new(),
            rows: Vec::new(),
            character: Arc::clone(session.character()),
            joints_and_excluded: joints_and_excluded(session),
        };
        all.refresh_proposals(session);
        all
    }

    /// Recomputes the proposals. A proposal that the artist excluded stays excluded if its root is proposed again.
    fn refresh_proposals(&mut self, session: &Session) {
        let known: BTreeSet<BoneId> = self.proposals.iter().map(|p| p.root).collect();
        let same = Arc::ptr_eq(&self.character, session.character());
        let parts: Vec<(BoneId, ChainPart)> = self.proposals.iter().map(|p| (p.root, p.part)).collect();
        self.character = Arc::clone(session.character());
        self.joints_and_excluded = joints_and_excluded(session);
        self.proposals = detect::detect_chains(session.character(), session.document());
        for proposal in &mut self.proposals {
            if same && known.contains(&proposal.root) {
                if let Some((_, part)) = parts.iter().find(|(root, _)| *root == proposal.root) {
                    proposal.part = *part;
                }
            } else if proposal.confidence >= AUTO_ACCEPT_CONFIDENCE {
                self.checked.insert(proposal.root);
            }
        }
        let roots: BTreeSet<BoneId> = self.proposals.iter().map(|p| p.root).collect();
        self.checked.retain(|root| roots.contains(root));
        self.rebuild_rows();
    }

    fn rebuild_rows(&mut self) {
        self.rows.clear();
        for part in ChainPart::ALL {
            let of_part = self.proposals.iter().enumerate().filter(|(_, p)| p.part == part);
            let of_part: Vec<usize> = of_part.map(|(at, _)| at).collect();
            if !of_part.is_empty() {
                self.rows.push(DetectRow::Group(part));
                self.rows.extend(of_part.into_iter().map(DetectRow::Proposal));
            }
        }
    }

    fn checked_proposals(&self) -> Vec<ChainProposal> {
        self.proposals.iter().filter(|p| self.checked.contains(&p.root)).cloned().collect()
    }

    fn check_state(&self, roots: &[BoneId]) -> CheckState {
        CheckState::of_count(roots.iter().filter(|r| self.checked.contains(r)).count(), roots.len())
    }

    /// Includes proposals, or excludes them if all are already included.
    fn toggle(&mut self, roots: &[BoneId]) {
        let all = self.check_state(roots) == CheckState::On;
        for root in roots {
            if all {
                self.checked.remove(root);
            } else {
                self.checked.insert(*root);
            }
        }
    }

    fn group_ui(&mut self, cx: &UiContext<'_>, cells: &mut Cells<'_, '_>, part: ChainPart) {
        let c = cx.theme.color;
        let name = i18n::part_name(cx.theme.lang, part);
        let roots: Vec<BoneId> = self.proposals.iter().filter(|p| p.part == part).map(|p| p.root).collect();
        let count = roots.len().to_string();
        let tick = self.check_state(&roots);
        let clicked = cells.heading(|ui, row| {
            let parts = [
                (&*name, TextSize::Strong, c.text),
                ("   ", TextSize::Small, c.text_3),
                (&*count, TextSize::Small, c.text_3),
            ];
            let line = paint::layout_line(ui, &parts, row.width() - 60.0);
            paint::paint_galley_left(ui.painter(), pos2(row.left() + 34.0, row.center().y), line);
            table::row_checkbox(ui, row, space::S, &name, Some(tick))
        });
        if clicked {
            self.toggle(&roots);
        }
    }

    fn proposal_ui(&mut self, cx: &UiContext<'_>, cells: &mut Cells<'_, '_>, at: usize, out: &mut DialogOutput) {
        let c = cx.theme.color;
        let proposal = self.proposals[at].clone();
        let seen = cx.session().selection().hovered;
        let lit = seen.is_some_and(|bone| proposal.bones.contains(&bone));
        let (color, soft) = if lit { (c.selection_text, c.selection_text) } else { (c.text, c.text_2) };
        let tick = self.check_state(&[proposal.root]);
        let FirstCellResponse { response, pointer, inner: ticked } =
            cells.first_cell(&proposal.name, lit, |ui, cell| {
                let center = pos2(cell.right() - space::L, cell.center().y);
                paint_chain(ui.painter(), center, size::ICON_SMALL, soft);
                let name = tr!(cx, "Include {name}", name = &proposal.name);
                table::row_checkbox(ui, cell, space::S + 14.0, &name, Some(tick))
            });
        let count = proposal.bones.len().to_string();
        let long = cells.cell(|ui, cell| {
            paint::text(ui.painter(), cell.right_center(), Align2::RIGHT_CENTER, &count, TextSize::Number, color);
            table::row_bone_name(ui, cell, 0.0, cell.width() - 30.0, &proposal.name, color)
        });
        let part = cells.cell(|ui, cell| part_ui(ui, cx, cell, &proposal));
        let sure_name = tr!(cx, "Confidence of {name}", name = &proposal.name);
        // The bar is green if the confidence is high enough to include the proposal by default.
        let least = if proposal.confidence >= AUTO_ACCEPT_CONFIDENCE { 0.9 } else { 0.0 };
        let shown = proposal.confidence.max(least);
        cells.cell(|ui, cell| {
            confidence_bar(&mut table::widget_ui(ui, cell, space::L, 32.0), &sure_name, Some(shown), 32.0);
        });
        cells.right_text(&format!("{:.0} %", 100.0 * proposal.confidence), TextSize::Small, soft);
        let why: Vec<_> = proposal.reasons.iter().map(|r| i18n::detect_reason_text(cx.theme.lang, r)).collect();
        let why = why.join(tr!(cx, ", ").as_ref());
        let cut = cells.text([10.0, space::L], &why, TextSize::Small, soft);
        if pointer.is_some() {
            out.hovered_bone = Some(proposal.root);
        }
        if ticked || response.clicked() {
            self.toggle(&[proposal.root]);
        }
        if long || cut {
            response.on_hover_text(format!("{}\n{why}", proposal.name));
        }
        if let Some(part) = part {
            self.proposals[at].part = part;
            self.rebuild_rows();
        }
    }
}

impl Dialog for DetectChainsDialog {
    fn title_text(&self) -> MessageText {
        message!("Detect chains")
    }

    fn subtitle(&self, cx: &UiContext<'_>) -> String {
        match self.proposals.len() {
            0 => String::new(),
            n => tr!(cx, "{n} found", n).into_owned(),
        }
    }

    fn window_rect(&self, ctx: &Context, _cx: &UiContext<'_>) -> Rect {
        let height = (30.0 + size::ROW_TABLE * self.rows.len() as f32).clamp(124.0, 568.0);
        at_left(ctx, 0.47, [580.0, 680.0], height)
    }

    fn refresh(&mut self, _ctx: &Context, cx: &mut UiContext<'_>) -> DialogResult {
        let session = cx.session();
        if !Arc::ptr_eq(&self.character, session.character())
            || self.joints_and_excluded != joints_and_excluded(session)
        {
            self.refresh_proposals(session);
        }
        cx.state.mouse_hints = vec![(
            String::new(),
            tr!(cx, "Hover a row to highlight the chain. Nothing changes until you create the chains.").into_owned(),
        )];
        DialogResult::Open
    }

    fn shortcuts(&self) -> &'static [Action] {
        PREVIEW_SHORTCUTS
    }

    fn body_ui(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>, out: &mut DialogOutput) {
        if self.proposals.is_empty() {
            no_proposals_ui(ui, cx);
            return;
        }
        let names =
            [message!("Chain"), message!("Joints"), message!("Part"), message!("Confidence"), message!("Reason")];
        let names = names.map(|name| cx.tr(name));
        let columns = [
            Column::new(&names[0], NAME_LEFT).indented(NAME_LEFT - 16.0),
            Column::right_aligned(&names[1], 0.29 * (ui.available_width() - NAME_LEFT) + 22.0),
            Column::new(&names[2], 112.0).indented(18.0),
            Column::new(&names[3], 44.0).indented(space::L),
            Column::new("", 40.0),
            Column::fill(&names[4]).indented(10.0),
        ];
        let all: Vec<BoneId> = self.proposals.iter().map(|p| p.root).collect();
        let lines = self.rows.clone();
        let name = tr!(cx, "Include all chains");
        let include_all = Some((space::S, &*name, self.check_state(&all)));
        let list = Table { include_all, ..Table::new("proposals", &columns, ui.available_height()) };
        let shown = list.show(ui, lines.len(), |cells| match lines[cells.index()] {
            DetectRow::Group(part) => self.group_ui(cx, cells, part),
            DetectRow::Proposal(at) => self.proposal_ui(cx, cells, at, out),
        });
        if shown.clicked_all {
            self.toggle(&all);
        }
    }

    fn buttons(&self, cx: &UiContext<'_>) -> Vec<DialogButton> {
        if self.proposals.is_empty() {
            return vec![DialogButton::close(cx)];
        }
        let chains = self.checked_proposals().len();
        let label = tr!(cx, "Create {n:chain|chains}", n = chains);
        vec![DialogButton::apply(label, chains > 0), DialogButton::cancel(cx)]
    }

    fn footer_note(&self, cx: &UiContext<'_>) -> String {
        if self.proposals.is_empty() {
            return String::new();
        }
        let joints: usize = self.checked_proposals().iter().map(|p| p.bones.len()).sum();
        tr!(cx, "{n:joint|joints}. One undo step.", n = joints).into_owned()
    }

    fn apply(&mut self, cx: &mut UiContext<'_>) -> DialogResult {
        let chosen = self.checked_proposals();
        let session = cx.session();
        let skeleton = &session.character().skeleton;
        let edit = detect::add_proposed_chains(&chosen, skeleton, session.document(), session.inspection().system_id());
        let label = created_chains_label(chosen.len(), chosen.first().map_or("", |first| &first.name));
        // The last bone becomes active.
        let joints = chosen.iter().flat_map(|proposal| proposal.bones.iter().copied()).rev().collect();
        cx.command(Command::ApplyEdit(edit, label));
        cx.command(Command::Select(joints, SelectMode::Replace));
        DialogResult::Closed
    }
}

fn joints_and_excluded(session: &Session) -> (BTreeSet<BoneId>, BTreeSet<BoneId>) {
    let document = session.document();
    let joints = document.chains.values().flat_map(|c| &c.joints).map(|j| j.bone).collect();
    (joints, document.excluded_bones.clone())
}

/// Draws the part of a proposal. A click opens a choice of parts. Returns the chosen part.
fn part_ui(ui: &Ui, cx: &UiContext<'_>, cell: Rect, proposal: &ChainProposal) -> Option<ChainPart> {
    let text = i18n::part_name(cx.theme.lang, proposal.part);
    let name = tr!(cx, "Part of {name}", name = &proposal.name);
    let style = CellFieldStyle { filled: true, accent: false, right_inset: 22.0 };
    let (_, response) = table::cell_field(ui, cell.with_min_x(cell.left() + 14.0), [&name, &text], style);
    let mut picked = None;
    Popup::menu(&response).show(|ui| {
        for part in ChainPart::ALL {
            if ui.add(egui::Button::new(i18n::part_name(cx.theme.lang, part)).selected(part == proposal.part)).clicked()
            {
                picked = Some(part);
            }
        }
    });
    picked.filter(|part| *part != proposal.part)
}

fn no_proposals_ui(ui: &mut Ui, cx: &UiContext<'_>) {
    let c = cx.theme.color;
    let has_chains = !cx.session().document().chains.is_empty();
    let [title, text] = if has_chains {
        [
            message!("All bones that were found have chains"),
            message!(
                "To add a chain, select its first bone and choose Create chain from here. To use an excluded bone \
                 again, choose Include in its menu."
            ),
        ]
    } else {
        [
            message!("No bones for chains found"),
            message!(
                "Select the first bone of a chain in the outliner or in the viewport, then choose Create chain from \
                 here."
            ),
        ]
    };
    let (title, text) = (cx.tr(title), cx.tr(text).into_owned());
    let area = ui.max_rect().shrink2(vec2(space::XXXL, space::XXL));
    paint_chain(ui.painter(), pos2(area.left() + space::L, area.top() + 13.0), 24.0, c.text_3);
    let at = pos2(area.left() + 36.0, area.top() + space::L);
    let line = paint::elided(ui, &title, TextSize::Strong, c.text, area.width() - 36.0);
    paint::paint_galley_left(ui.painter(), at, line);
    let galley = ui.painter().layout(text.clone(), TextSize::Body.font(), c.text_2, area.width() - 36.0);
    let rect = Rect::from_min_size(pos2(area.left() + 36.0, area.top() + 30.0), galley.size());
    ui.painter().galley(rect.min, galley, c.text_2);
    ui.interact(rect, ui.scope_id().with("empty"), Sense::hover())
        .widget_info(|| WidgetInfo::labeled(Role::Label, true, format!("{title} {text}")));
}
