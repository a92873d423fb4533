//! The inspector header: name, size and scope of the selection, and actions on bones that are not simulated.

use super::label_line::{ChoicePicker, LABEL_LEFT, indented};
use crate::tr;
use crate::ui::UiContext;
use crate::ui::kit::button::{primary, secondary};
use crate::ui::kit::collapsible_section::CollapsibleSection;
use crate::ui::kit::i18n;
use crate::ui::kit::icons::{self, IconButton};
use crate::ui::kit::paint::{self, ElidedName};
use crate::ui::kit::param_row::info_note;
use crate::ui::kit::theme::TextSize;
use crate::ui::kit::toggle::{badge, chip, segmented};
use crate::ui::kit::tokens::{size, space};
use crate::ui::panels::labels::group_name;
use egui::{Align, Layout, Popup, Role, Sense, Ui, WidgetInfo, vec2};
use std::borrow::Cow;
use yuremono_model::document::{ChainId, ChainPart, Edit, EditLabel, Node, groups};
use yuremono_model::tools::elements::node_name;
use yuremono_session::{
    Command, GroupChoice, InspectorSubject, JointOverrides, SelectMode, Session, TunedCenter, TuningScope,
};
use yuremono_sim::diagnostics::message;
use yuremono_sim::rig::BoneId;

const SWITCH_HEIGHT: f32 = 26.0;

pub(super) fn header_ui(ui: &mut Ui, cx: &mut UiContext<'_>, subject: &InspectorSubject) {
    ui.spacing_mut().item_spacing = vec2(space::M, 3.0);
    let title = title_text(cx, subject);
    title_ui(ui, cx, subject, &title);
    let line = scope_text(cx, subject);
    let label = egui::Label::new(TextSize::Small.rich(line).color(cx.theme.color.text_3)).wrap();
    ui.add(label);
    ui.add_space(5.0);
    super::solver::solver_ui(ui, cx);
    super::solver::other_solvers_ui(ui, cx);
    super::solver::runtime_ui(ui, cx);
    super::solver::mode_ui(ui, cx);
    super::preset::preset_ui(ui, cx);
    if !matches!(subject, InspectorSubject::All { .. } | InspectorSubject::UnsimulatedBones(_)) {
        ui.add_space(5.0);
        scope_ui(ui, cx, subject);
    }
}

fn title_text(cx: &UiContext<'_>, subject: &InspectorSubject) -> String {
    let session = cx.session();
    match subject {
        InspectorSubject::All { .. } => tr!(cx, "All chains").into_owned(),
        InspectorSubject::Chain { id, .. } => session.document().chains[id].name.clone(),
        InspectorSubject::Chains { chains, .. } => tr!(cx, "{n:chain|chains}", n = *chains).into_owned(),
        InspectorSubject::Joint { bone, .. } => session.character().skeleton.name(*bone).to_owned(),
        InspectorSubject::Joints(joints) => tr!(cx, "{n:joint|joints}", n = *joints).into_owned(),
        InspectorSubject::UnsimulatedBones(bones) => match bones.as_slice() {
            [bone] => session.character().skeleton.name(*bone).to_owned(),
            many => tr!(cx, "{n:bone|bones}", n = many.len()).into_owned(),
        },
    }
}

fn title_ui(ui: &mut Ui, cx: &mut UiContext<'_>, subject: &InspectorSubject, title: &str) {
    let joints = match subject {
        InspectorSubject::Chain { joints, .. } | InspectorSubject::Chains { joints, .. } => Some(*joints),
        InspectorSubject::Joint { .. } => Some(1),
        InspectorSubject::All { .. } | InspectorSubject::Joints(_) | InspectorSubject::UnsimulatedBones(_) => None,
    };
    ui.horizontal(|ui| {
        let badge_text = joints.map(|n| tr!(cx, "{n:joint|joints}", n));
        let badge_width = badge_text.as_ref().map_or(0.0, |w| 24.0 + paint::text_width(ui, w, TextSize::Small));
        let width = ui.available_width() - badge_width - 32.0;
        let name = ElidedName::new(ui, title, TextSize::Title, cx.theme.color.text, width);
        let (rect, response) = ui.allocate_exact_size(vec2(name.width(), size::HIT_MIN), Sense::hover());
        name.paint_left(ui.painter(), rect.left_center());
        response.widget_info(|| WidgetInfo::labeled(Role::Heading, true, title));
        name.with_tooltip(response);
        if let Some(badge_text) = badge_text {
            badge(ui, &badge_text);
        }
        if let Some(id) = shown_chains(cx, subject) {
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| more_ui(ui, cx, title, &id));
        }
    });
}

fn shown_chains(cx: &UiContext<'_>, subject: &InspectorSubject) -> Option<Vec<ChainId>> {
    match subject {
        InspectorSubject::Chain { id, .. } | InspectorSubject::Joint { chain: id, .. } => Some(vec![*id]),
        InspectorSubject::Chains { .. } => Some(cx.inspection().targets().chains),
        _ => None,
    }
}

fn more_ui(ui: &mut Ui, cx: &mut UiContext<'_>, title: &str, chains: &[ChainId]) {
    let more = IconButton::new(icons::DOTS_THREE, &tr!(cx, "More actions for {name}", name = title)).show(ui);
    Popup::menu(&more).show(|ui| {
        if ui.button(tr!(cx, "Select all joints")).clicked() {
            let document = cx.document();
            let joints = chains.iter().flat_map(|id| &document.chains[id].joints).map(|j| j.bone);
            let bones: Vec<BoneId> = joints.collect();
            cx.command(Command::Select(bones, SelectMode::Replace));
        }
        let remove = match chains.len() {
            1 => tr!(cx, "Delete chain"),
            n => tr!(cx, "Delete {n:chain|chains}", n),
        };
        if ui.button(remove).clicked() {
            cx.command(Command::DeleteChains(chains.to_vec()));
        }
    });
}

fn scope_text(cx: &UiContext<'_>, subject: &InspectorSubject) -> Cow<'static, str> {
    match subject {
        InspectorSubject::All { chains: 0, .. } => {
            tr!(cx, "This character has no chains yet. Detect chains finds hair, skirts and tails.")
        }
        InspectorSubject::All { chains, joints } if *chains == cx.document().chains.len() => tr!(
            cx,
            "{chains:chain|chains}, {joints:joint|joints}. Nothing is selected: sliders change all of them.",
            chains = *chains,
            joints = *joints
        ),
        InspectorSubject::All { chains, joints } => tr!(
            cx,
            "{chains:chain|chains}, {joints:joint|joints} with this solver. Nothing is selected: sliders change all \
             of them.",
            chains = *chains,
            joints = *joints
        ),
        InspectorSubject::Chain { id, .. } => {
            let overrides = overrides_text(cx, &cx.inspection().joint_overrides(*id));
            let gap = if overrides.is_empty() || cx.theme.is_japanese() { "" } else { " " };
            format!("{}{gap}{overrides}", tr!(cx, "Whole chain.")).into()
        }
        InspectorSubject::Chains { .. } => tr!(cx, "Whole chains: dragging scales all values, typing sets all."),
        InspectorSubject::Joint { chain, number, .. } => {
            tr!(cx, "Joint {n} of {chain} only.", n = *number, chain = &cx.document().chains[chain].name)
        }
        InspectorSubject::Joints(joints) => tr!(cx, "{n:joint|joints}, each individually.", n = *joints),
        InspectorSubject::UnsimulatedBones(bones) if bones.len() == 1 => tr!(cx, "This bone is not simulated."),
        InspectorSubject::UnsimulatedBones(_) => tr!(cx, "These bones are not simulated."),
    }
}

fn overrides_text(cx: &UiContext<'_>, overrides: &JointOverrides) -> Cow<'static, str> {
    match overrides {
        JointOverrides::None => Cow::default(),
        JointOverrides::OneValue { joint, param } => {
            let label = i18n::param_label(cx.theme.lang, cx.inspection().system().def(*param));
            tr!(cx, "Joint {n} has its own {what}.", n = *joint, what = label.to_lowercase())
        }
        JointOverrides::OneJoint { joint, params: rows } => {
            tr!(cx, "Joint {n} has {count:value|values} of its own.", n = *joint, count = *rows)
        }
        JointOverrides::SeveralJoints(joints) => {
            tr!(cx, "{n:joint has values of its own|joints have values of their own}.", n = *joints)
        }
        JointOverrides::EveryJoint => tr!(cx, "Each joint has its own values."),
    }
}

fn scope_ui(ui: &mut Ui, cx: &mut UiContext<'_>, subject: &InspectorSubject) {
    ui.horizontal(|ui| {
        let whole = match subject {
            InspectorSubject::Chains { .. } => tr!(cx, "Whole chains"),
            _ => tr!(cx, "Whole chain"),
        };
        if cx.inspection().can_tune_joint() {
            let this = tr!(cx, "This joint");
            let chosen = usize::from(cx.selection().scope == TuningScope::Joints);
            let clicked = segmented(ui, &[(&whole, None), (&this, None)], chosen, SWITCH_HEIGHT);
            if let Some(clicked) = clicked.filter(|c| *c != chosen) {
                cx.command(Command::SetTuningScope(if clicked == 1 {
                    TuningScope::Joints
                } else {
                    TuningScope::Chains
                }));
            }
        }
        let Some(chains) = shown_chains(cx, subject) else { return };
        let parts: Vec<ChainPart> = chains.iter().map(|id| cx.document().chains[id].part).collect();
        let same = parts.iter().all(|p| *p == parts[0]);
        let shown = if same { i18n::part_name(cx.theme.lang, parts[0]) } else { tr!(cx, "mixed") };
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let button = chip(ui, &shown, Some(icons::CARET_DOWN), false, None);
            let button = button.on_hover_text(tr!(cx, "Part"));
            Popup::menu(&button).show(|ui| {
                for part in ChainPart::ALL {
                    let on = same && parts[0] == part;
                    if ui.add(egui::Button::new(i18n::part_name(cx.theme.lang, part)).selected(on)).clicked() {
                        cx.command(Command::SetChainPart(chains.clone(), part));
                    }
                }
            });
        });
    });
}

/// Draws the choice of a part, and the button that creates chains, for bones without a chain.
pub(super) fn unsimulated_bones_ui(ui: &mut Ui, cx: &mut UiContext<'_>, bones: &[BoneId]) {
    let id = ui.scope_id().with(("part", bones));
    let chosen: Option<ChainPart> = ui.data(|d| d.get_temp(id));
    let chosen = chosen.unwrap_or_else(|| cx.inspection().guess_part(bones[0]));
    ui.add_space(space::M);
    ui.scope(|ui| {
        ui.spacing_mut().item_spacing = vec2(space::S, space::XS);
        ui.label(TextSize::Strong.rich(tr!(cx, "Part")));
        ui.horizontal_wrapped(|ui| {
            for part in ChainPart::ALL {
                if chip(ui, &i18n::part_name(cx.theme.lang, part), None, part == chosen, None).clicked() {
                    ui.data_mut(|d| d.insert_temp(id, part));
                }
            }
        });
        ui.add_space(space::M);
        let label = match bones.len() {
            1 => tr!(cx, "Create chain from here"),
            n => tr!(cx, "Create {n:chain|chains} from here", n),
        };
        if primary(&label).icon(icons::PLUS).width(ui.available_width()).show(ui).clicked() {
            cx.command(Command::CreateChains(bones.to_vec(), chosen));
        }
        ui.add_space(space::XXS);
        info_note(ui, &tr!(cx, "All child bones become joints. A new chain starts with the feel of its part."), 0.0);
        let excluded = bones.iter().all(|bone| cx.document().excluded_bones.contains(bone));
        let label = if excluded { tr!(cx, "Excluded from detection") } else { tr!(cx, "Exclude from detection") };
        let button = secondary(&label).icon(icons::EYE_SLASH).on(excluded).width(ui.available_width());
        if button.show(ui).clicked() {
            for bone in bones {
                cx.command(Command::SetExcluded(*bone, !excluded));
            }
        }
    });
    ui.add_space(space::L);
}

/// Draws the chain settings. Hides the section for solvers without chain settings.
pub(super) fn chain_section(ui: &mut Ui, cx: &mut UiContext<'_>) {
    if !cx.inspection().supports_groups() || cx.inspection().target_chains().is_empty() {
        return;
    }
    let title = tr!(cx, "Chain");
    CollapsibleSection { title: &title, note: "", switch: None }.show(ui, |ui| {
        if !cx.inspection().targets().joints.is_empty() {
            info_note(ui, &tr!(cx, "Applies to the whole chain, whichever joint is tuned."), LABEL_LEFT);
        }
        groups_ui(ui, cx);
        center_ui(ui, cx);
    });
}

/// Draws a chip per group. A chip is on if all selected chains use the group. A click toggles the group.
fn groups_ui(ui: &mut Ui, cx: &mut UiContext<'_>) {
    let choices = cx.inspection().group_choices();
    indented(ui, space::XXS, |ui| {
        ui.label(TextSize::Body.rich(tr!(cx, "Collider groups")).color(cx.theme.color.text))
            .on_hover_text(tr!(cx, "All joints of the assigned chains collide with the group."));
        ui.horizontal_wrapped(|ui| {
            for choice in &choices {
                group_chip(ui, cx, choice);
            }
            let add = chip(ui, &tr!(cx, "New"), Some(icons::PLUS), false, None);
            let hint = tr!(cx, "Creates a group of the selected colliders and assigns it to these chains");
            if add.on_hover_text(hint).clicked() {
                new_group(cx);
            }
        });
    });
    ui.add_space(space::XS);
}

fn group_chip(ui: &mut Ui, cx: &mut UiContext<'_>, choice: &GroupChoice) {
    let name = group_name(cx, &choice.name, choice.number);
    let some = choice.chains > 0 && !choice.all;
    let shown =
        if some { tr!(cx, "{name}, {n:chain|chains}", name = &name, n = choice.chains) } else { Cow::Borrowed(&*name) };
    let tint = some.then_some(cx.theme.color.accent);
    let n = choice.colliders;
    let about = tr!(cx, "{name}: {n:collider|colliders}. Click to assign or unassign.", name = &name, n);
    // A nested scope would not wrap to the next line.
    if chip(ui, &shown, None, choice.all, tint).on_hover_text(about).clicked() {
        cx.command(Command::AssignGroup(choice.id, !choice.all, name));
    }
}

fn new_group(cx: &mut UiContext<'_>) {
    let session = cx.session();
    let name = tr!(cx, "Group {n}", n = session.document().groups.len() + 1);
    let (made, id) = groups::create(session.document(), &name, &session.inspection().selected_colliders());
    let mut after = session.document().clone();
    if after.apply(made.clone()).is_ok() {
        let named = groups::assign(&after, &session.inspection().target_chains(), id, true);
        cx.apply_edit(Edit::Batch(vec![made, named]), EditLabel::new(message!("Create group {name}", name)));
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum CenterChoice {
    World,
    Bone(BoneId),
}

fn center_ui(ui: &mut Ui, cx: &mut UiContext<'_>) {
    let Some(center) = cx.inspection().center() else { return };
    let lines = || {
        let session = cx.session();
        let mut lines = vec![(CenterChoice::World, tr!(cx, "None (world)").into_owned())];
        if let Some(bone) = session.inspection().active_center() {
            lines.push((
                CenterChoice::Bone(bone),
                tr!(cx, "Selected bone: {name}", name = session.inspection().bone_name(bone)).into_owned(),
            ));
        }
        let above = session.inspection().center_choices().into_iter();
        lines.extend(above.map(|bone| (CenterChoice::Bone(bone), session.inspection().bone_name(bone).to_owned())));
        lines
    };
    let shown = center_text(cx, cx.session(), center);
    let (label, doc) = (
        tr!(cx, "Center"),
        tr!(
            cx,
            "Velocity is measured from this bone: when the bone moves, hair follows without swinging. With None, \
             velocity is measured in the world."
        ),
    );
    let picker = ChoicePicker { searchable: true, ..ChoicePicker::new(&label, &doc, &shown, &lines) };
    let Some(line) = picker.show(ui, cx) else { return };
    let bone = match line {
        CenterChoice::World => None,
        CenterChoice::Bone(bone) => Some(bone),
    };
    if center != TunedCenter::Same(bone.map(Node::Bone)) {
        cx.command(Command::SetCenter(bone));
    }
}

fn center_text(cx: &UiContext<'_>, session: &Session, center: TunedCenter) -> String {
    match center {
        TunedCenter::Same(None) => tr!(cx, "None (world)").into_owned(),
        TunedCenter::Same(Some(node)) => node_name(session.document(), &session.character().skeleton, node).to_owned(),
        TunedCenter::Mixed => tr!(cx, "mixed").into_owned(),
    }
}
