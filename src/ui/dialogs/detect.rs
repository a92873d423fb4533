//! Detect chains: what seems to sway and has no chain yet, and one button that makes chains of it.

use super::{Stays, grid, place};
use crate::doc::detect::{self, Proposal, SURE};
use crate::doc::{Label, Part};
use crate::rig::{BoneId, Character};
use crate::session::{Command, Session};
use crate::ui::Cx;
use crate::ui::kit::button::{primary, secondary};
use crate::ui::kit::frame;
use crate::ui::kit::icons::{self, paint_chain, paint_icon};
use crate::ui::kit::meter::confidence_bar;
use crate::ui::kit::paint;
use crate::ui::kit::theme::Text;
use crate::ui::kit::toggle::{Tick, tick_box};
use crate::ui::kit::tokens::{SPACE, radius, size, stroke};
use crate::ui::kit::words;
use egui::{Align2, Context, Popup, Rect, Role, Sense, Stroke, StrokeKind, Ui, WidgetInfo, pos2, vec2};
use std::collections::BTreeSet;
use std::sync::Arc;

const TICK: f32 = 6.0;
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
    hovered: Option<BoneId>,
}

/// A line of the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Line {
    Group(Part),
    Proposal(usize),
}

/// What a frame asks for.
enum Deed {
    Make,
    Close,
}

impl Detect {
    pub(super) fn new(session: &Session) -> Self {
        let mut all = Self {
            proposals: Vec::new(),
            ticked: BTreeSet::new(),
            lines: Vec::new(),
            character: Arc::clone(session.character()),
            taken: taken(session),
            hovered: None,
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

    pub(super) fn show(&mut self, ctx: &Context, cx: &mut Cx<'_>) -> (String, Stays) {
        let session = cx.session();
        if !Arc::ptr_eq(&self.character, session.character()) || self.taken != taken(session) {
            self.look(session);
        }
        cx.state.hint = vec![(String::new(), cx.tr("windows.detect.hint").into_owned())];
        let title = cx.tr("windows.detect.title").into_owned();
        let note = match self.proposals.len() {
            0 => String::new(),
            n => cx.tr_with("windows.detect.found", &[("n", &n.to_string())]),
        };
        let height = (96.0 + 30.0 + size::ROW_TABLE * self.lines.len() as f32).clamp(220.0, 664.0);
        let at = place(ctx, 0.47, [580.0, 680.0], height);
        let mut hovered = None;
        let mut deed = None;
        let mut both = (&mut *self, &mut *cx);
        let out = frame::window(
            ctx,
            &title,
            &note,
            at,
            &mut both,
            |ui, (detect, cx)| detect.body_ui(ui, cx, &mut hovered),
            |ui, (detect, cx)| deed = detect.footer_ui(ui, cx),
        );
        if hovered.is_some() || self.hovered.is_some() {
            cx.command(Command::Hover(hovered));
        }
        self.hovered = hovered;
        let stays = match deed {
            Some(Deed::Make) => self.make(cx),
            None if out.applied => self.make(cx),
            Some(Deed::Close) => Stays::Closed,
            None if out.closed => Stays::Closed,
            None => Stays::Open,
        };
        if stays == Stays::Closed && self.hovered.is_some() {
            cx.command(Command::Hover(None));
        }
        (title, stays)
    }

    fn make(&mut self, cx: &mut Cx<'_>) -> Stays {
        let chosen = self.chosen();
        if chosen.is_empty() {
            return Stays::Open;
        }
        let session = cx.session();
        let skeleton = &session.character().skeleton;
        let edit = detect::propose_edits(&chosen, skeleton, session.document(), session.system_id());
        cx.command(Command::Apply(edit, Label::new("make_chains", chosen.len())));
        Stays::Closed
    }

    fn body_ui(&mut self, ui: &mut Ui, cx: &mut Cx<'_>, hovered: &mut Option<BoneId>) {
        ui.spacing_mut().item_spacing = egui::Vec2::ZERO;
        if self.proposals.is_empty() {
            empty_ui(ui, cx);
            return;
        }
        let width = ui.available_width();
        let columns = Columns::of(width);
        let names = ["chain", "joints", "part", "sure", "why"].map(|k| cx.tr(&format!("windows.detect.column.{k}")));
        let head = [
            (&*names[0], NAME - 16.0, Align2::LEFT_CENTER),
            (&*names[1], columns.joints, Align2::RIGHT_CENTER),
            (&*names[2], columns.part + 4.0, Align2::LEFT_CENTER),
            (&*names[3], columns.sure, Align2::LEFT_CENTER),
            (&*names[4], columns.why, Align2::LEFT_CENTER),
        ];
        let rect = grid::head(ui, &head);
        let all: Vec<BoneId> = self.proposals.iter().map(|p| p.root).collect();
        self.ticks_ui(ui, rect, &cx.tr("windows.detect.tick_all"), &all);
        let height = ui.available_height();
        let lines = self.lines.clone();
        grid::body(ui, "proposals", height, lines.len(), None, |ui, at| match lines[at] {
            Line::Group(part) => self.group_ui(ui, cx, part),
            Line::Proposal(at) => self.proposal_ui(ui, cx, at, &columns, hovered),
        });
    }

    /// A tick box for several proposals.
    fn ticks_ui(&mut self, ui: &mut Ui, row: Rect, name: &str, roots: &[BoneId]) -> bool {
        let on = roots.iter().filter(|r| self.ticked.contains(r)).count();
        let tick = match on {
            0 => Tick::Off,
            n if n == roots.len() => Tick::On,
            _ => Tick::Some,
        };
        let mut place = grid::place(ui, row, TICK, 24.0);
        let clicked = tick_box(&mut place, name, "", tick).clicked();
        if clicked {
            for root in roots {
                if tick == Tick::On {
                    self.ticked.remove(root);
                } else {
                    self.ticked.insert(*root);
                }
            }
        }
        clicked
    }

    fn group_ui(&mut self, ui: &mut Ui, cx: &Cx<'_>, part: Part) {
        let c = cx.theme.color;
        let name = words::part(cx.theme.lang, part);
        let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), size::ROW_TABLE), Sense::hover());
        ui.painter().rect_filled(rect, 0.0, c.panel);
        let roots: Vec<BoneId> = self.proposals.iter().filter(|p| p.part == part).map(|p| p.root).collect();
        self.ticks_ui(ui, rect, &name, &roots);
        let count = roots.len().to_string();
        let words = [(&*name, Text::Strong, c.text), ("   ", Text::Small, c.text_3), (&*count, Text::Small, c.text_3)];
        let line = paint::line_of(ui, &words, rect.width() - 60.0);
        paint::galley_left(ui.painter(), pos2(rect.left() + 34.0, rect.center().y), line);
    }

    fn proposal_ui(&mut self, ui: &mut Ui, cx: &Cx<'_>, at: usize, columns: &Columns, hovered: &mut Option<BoneId>) {
        let c = cx.theme.color;
        let proposal = self.proposals[at].clone();
        let seen = cx.session().selection().hovered;
        let lit = seen.is_some_and(|bone| proposal.bones.contains(&bone));
        let (rect, response) = grid::row(ui, &proposal.name, lit);
        if ui.rect_contains_pointer(rect) {
            *hovered = Some(proposal.root);
        }
        let (ink, soft) = if lit { (c.selection_text, c.selection_text) } else { (c.text, c.text_2) };
        paint_chain(ui.painter(), pos2(rect.left() + NAME - 12.0, rect.center().y), 14.0, soft);
        let long = grid::name(ui, rect, NAME, columns.joints - NAME - 30.0, &proposal.name, ink);
        let count = proposal.bones.len().to_string();
        let end = pos2(rect.left() + columns.joints, rect.center().y);
        paint::text(ui.painter(), end, Align2::RIGHT_CENTER, &count, Text::Number, ink);
        let mut place = grid::place(ui, rect, columns.sure, 32.0);
        let sure_name = cx.tr_with("windows.names.sure_name", &[("name", &proposal.name)]);
        // The bar is green from where a proposal is taken unasked, whatever the number.
        let shown = if proposal.confidence >= SURE { proposal.confidence.max(0.9) } else { proposal.confidence };
        confidence_bar(&mut place, &sure_name, Some(shown), 32.0);
        let percent = format!("{:.0} %", 100.0 * proposal.confidence);
        let end = pos2(rect.left() + columns.sure + 72.0, rect.center().y);
        paint::text(ui.painter(), end, Align2::RIGHT_CENTER, &percent, Text::Small, soft);
        let why = proposal
            .why
            .iter()
            .map(|r| words::detect_reason(cx.theme.lang, r))
            .collect::<Vec<_>>()
            .join(cx.tr("windows.and").as_ref());
        let cut = grid::words(ui, rect, columns.why, columns.width - columns.why - 12.0, &why, Text::Small, soft);
        let name = cx.tr_with("windows.take_name", &[("name", &proposal.name)]);
        let ticked = self.ticks_ui(ui, rect.translate(vec2(14.0, 0.0)), &name, &[proposal.root]);
        if response.clicked() && !ticked {
            flip(&mut self.ticked, proposal.root);
        }
        if long || cut {
            response.on_hover_text(format!("{}\n{why}", proposal.name));
        }
        if let Some(part) = part_ui(ui, cx, rect, columns, &proposal) {
            self.proposals[at].part = part;
            self.sort();
        }
    }

    fn footer_ui(&self, ui: &mut Ui, cx: &Cx<'_>) -> Option<Deed> {
        ui.spacing_mut().item_spacing.x = SPACE[3];
        if self.proposals.is_empty() {
            return secondary(&cx.tr("common.close")).show(ui).clicked().then_some(Deed::Close);
        }
        let chosen = self.proposals.iter().filter(|p| self.ticked.contains(&p.root));
        let (chains, joints) = chosen.fold((0, 0), |(n, m), p| (n + 1, m + p.bones.len()));
        let words = cx.tr_with("windows.detect.make", &[("n", &chains.to_string())]);
        let mut deed = None;
        if primary(&words).enabled(chains > 0).show(ui).on_hover_text("Ctrl+Enter").clicked() {
            deed = Some(Deed::Make);
        }
        if secondary(&cx.tr("common.cancel")).show(ui).clicked() {
            deed = Some(Deed::Close);
        }
        grid::foot_note(ui, &cx.tr_with("windows.detect.about", &[("n", &joints.to_string())]));
        deed
    }
}

/// Where columns stand in a table of some width.
struct Columns {
    /// Right edge of the counts.
    joints: f32,
    part: f32,
    part_width: f32,
    sure: f32,
    why: f32,
    width: f32,
}

impl Columns {
    fn of(width: f32) -> Self {
        let joints = NAME + 0.29 * (width - NAME) + 22.0;
        let part = joints + 14.0;
        let part_width = 98.0;
        let sure = part + part_width + 12.0;
        Self { joints, part, part_width, sure, why: sure + 82.0, width }
    }
}

/// Joints and excluded bones.
fn taken(session: &Session) -> (BTreeSet<BoneId>, BTreeSet<BoneId>) {
    let document = session.document();
    let joints = document.chains.values().flat_map(|c| &c.joints).map(|j| j.bone).collect();
    (joints, document.excluded.clone())
}

fn flip(ticked: &mut BTreeSet<BoneId>, root: BoneId) {
    if !ticked.remove(&root) {
        ticked.insert(root);
    }
}

/// The part, to be changed by a click.
fn part_ui(ui: &Ui, cx: &Cx<'_>, row: Rect, columns: &Columns, proposal: &Proposal) -> Option<Part> {
    let c = cx.theme.color;
    let field = Rect::from_min_size(
        pos2(row.left() + columns.part, row.top() + 3.0),
        vec2(columns.part_width, row.height() - 6.0),
    );
    let response = ui.interact(field, ui.scope_id().with("part"), Sense::click());
    let words = words::part(cx.theme.lang, proposal.part);
    let name = cx.tr_with("windows.detect.part_of", &[("name", &proposal.name)]);
    response.widget_info(|| WidgetInfo {
        current_text_value: Some(words.to_string()),
        ..WidgetInfo::labeled(Role::ComboBox, true, &name)
    });
    let edge = if response.hovered() { c.border_strong } else { c.border };
    ui.painter().rect(field, radius::FIELD, c.field, Stroke::new(stroke::EDGE, edge), StrokeKind::Inside);
    grid::words(ui, field, 8.0, field.width() - 30.0, &words, Text::Body, c.text);
    paint_icon(ui.painter(), pos2(field.right() - 12.0, field.center().y), icons::CARET_DOWN, 13.0, c.text_2);
    icons::focus_ring(ui, &response, field, radius::FIELD);
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
    let room = ui.max_rect().shrink2(vec2(SPACE[7], SPACE[6]));
    paint_chain(ui.painter(), pos2(room.left() + 12.0, room.top() + 13.0), 24.0, c.text_3);
    let title = cx.tr(&format!("windows.detect.{head}"));
    let at = pos2(room.left() + 36.0, room.top() + 12.0);
    let line = paint::elided(ui, &title, Text::Strong, c.text, room.width() - 36.0);
    paint::galley_left(ui.painter(), at, line);
    let words = cx.tr(&format!("windows.detect.{body}")).into_owned();
    let galley = ui.painter().layout(words.clone(), Text::Body.font(), c.text_2, room.width() - 36.0);
    let place = Rect::from_min_size(pos2(room.left() + 36.0, room.top() + 30.0), galley.size());
    ui.painter().galley(place.min, galley, c.text_2);
    ui.interact(place, ui.scope_id().with("empty"), Sense::hover())
        .widget_info(|| WidgetInfo::labeled(Role::Label, true, format!("{title} {words}")));
}
