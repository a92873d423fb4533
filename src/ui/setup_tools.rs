//! Tools of the Setup menu, with labels, availability and execution.
//!
//! [`yuremono_model::tools`] computes the edits. Tools with options open a dialog.

use crate::tr;
use crate::ui::kit::i18n;
use crate::ui::kit::icons::{self, Icon};
use crate::ui::{Confirmation, DialogKind, UiContext};
use std::borrow::Cow;
use std::collections::BTreeSet;
use yuremono_model::document::source_frames::KeptValue;
use yuremono_model::document::{ChainId, ChainPart, ColliderId, Edit, EditLabel, groups};
use yuremono_model::document::{skirt, skirt::LegTarget, skirt::SkirtPlan};
use yuremono_model::tools::{body, setup_cleanup};
use yuremono_model::tools::{paste::CopiedChain, paste::PasteTarget, paste::paste};
use yuremono_session::Command;
use yuremono_sim::ColliderShape;
use yuremono_sim::diagnostics::Location;
use yuremono_sim::diagnostics::MessageText;
use yuremono_sim::diagnostics::message;
use yuremono_sim::params::{ParamDef, ParamGroup, ParamScope};
use yuremono_sim::rig::BoneId;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetupAction {
    Mirror,
    BodyColliders,
    FindClipping,
    AssignColliders,
    UnassignColliders,
    DeleteColliders,
    AlignCapsules,
    LinkColumns,
    /// Adds length limits from skirts to thighs or to the active bone.
    LinkLeg,
    /// Parents pivots of skirts to thighs or to the active bone.
    ParentPivotsToLegs,
    /// Like [`Self::ParentPivotsToLegs`], but with a leg follower for the middle columns.
    ParentPivotsToHighLeg,
    Copy,
    Paste,
    PasteSpecial,
    SelectByName,
    SetParent,
    CleanUp,
    ResetEngineSettings,
    /// Removes the descendants of the selected joints from their chains.
    DeleteJoints,
}

struct SetupActionRow {
    name: MessageText,
    /// Tooltip.
    hint: MessageText,
    icon: Option<Icon>,
    /// The dialog that the tool opens.
    dialog: Option<DialogKind>,
}

impl SetupAction {
    #[expect(clippy::too_many_lines, reason = "one arm for each tool")]
    fn row(self) -> SetupActionRow {
        use DialogKind as Dialog;
        let (name, hint, icon, dialog) = match self {
            Self::Mirror => (
                message!("Mirror…"),
                message!("Copies the settings of one side of the body to the other"),
                Some(icons::FLIP_HORIZONTAL),
                Some(Dialog::Mirror),
            ),
            Self::BodyColliders => (
                message!("Body colliders…"),
                message!(
                    "Fits spheres and capsules to the skin of head, torso, arms and legs, and assigns them to the chains in reach"
                ),
                Some(icons::PERSON_ARMS_SPREAD),
                Some(Dialog::BodyColliders),
            ),
            Self::FindClipping => (
                message!("Find the clipping…"),
                message!(
                    "Lists where hair and cloth pass through the body during motions, and proposes colliders and radii that prevent this"
                ),
                Some(icons::WARNING),
                Some(Dialog::Clipping),
            ),
            Self::AssignColliders => (
                message!("Assign to chains in reach"),
                message!("Assigns the selected colliders to every joint that can touch them"),
                Some(icons::LINK_SIMPLE),
                None,
            ),
            Self::UnassignColliders => (
                message!("Unassign colliders"),
                message!("Unassigns all colliders from the selected joints. The colliders are not deleted."),
                Some(icons::LINK_BREAK),
                None,
            ),
            Self::DeleteColliders => (
                message!("Delete colliders below…"),
                message!("Deletes the colliders of the selected bones and of all bones below them"),
                Some(icons::TRASH),
                Some(Dialog::Confirm(Confirmation::DeleteColliders)),
            ),
            Self::AlignCapsules => (
                message!("Align capsules to parent"),
                message!(
                    "Aligns the selected capsules, else all, from their parent's origin to the middle of its children"
                ),
                Some(icons::PILL),
                None,
            ),
            Self::LinkColumns => (
                message!("Link neighbouring columns"),
                message!(
                    "Adds length limits between joints of the same height, for the selected chains, else for all skirts"
                ),
                Some(icons::LINK_SIMPLE),
                None,
            ),
            Self::LinkLeg => (
                message!("Link to thighs"),
                message!(
                    "Adds length limits to the end of the nearest thigh, or to the active bone if it is not simulated"
                ),
                None,
                None,
            ),
            Self::ParentPivotsToLegs => (
                message!("Parent pivots to thighs"),
                message!(
                    "Rotates angle limits with the nearest thigh, or with the active bone if it is not simulated. Joints without pivot get one."
                ),
                Some(icons::PERSON_SIMPLE_WALK),
                None,
            ),
            Self::ParentPivotsToHighLeg => (
                message!("Parent pivots to thighs and leg followers"),
                message!("Like Parent pivots to thighs, but columns in the middle follow the raised thigh (HighLeg)"),
                None,
                None,
            ),
            Self::Copy => {
                (message!("Copy values"), message!("Copies the values of the chain"), Some(icons::COPY), None)
            }
            Self::Paste => (
                message!("Paste values"),
                message!("Pastes the copied values to the selected chains"),
                Some(icons::CLIPBOARD_TEXT),
                None,
            ),
            Self::PasteSpecial => (
                message!("Paste special…"),
                message!("Pastes only values, angle limits or colliders"),
                None,
                Some(Dialog::PasteSpecial),
            ),
            Self::SelectByName => (
                message!("Select by name…"),
                message!("Selects bones, joints or colliders by words in their names"),
                Some(icons::MAGNIFYING_GLASS),
                Some(Dialog::SelectByName),
            ),
            Self::SetParent => (
                message!("Set parent…"),
                message!(
                    "Moves the selected colliders, forces and helpers to another parent, without changing their position"
                ),
                Some(icons::TREE_STRUCTURE),
                Some(Dialog::SetParent),
            ),
            Self::CleanUp => (
                message!("Clean up…"),
                message!("Deletes duplicate and unused colliders, empty nodes and broken references"),
                Some(icons::BROOM),
                Some(Dialog::Confirm(Confirmation::CleanUp)),
            ),
            Self::ResetEngineSettings => (
                message!("Reset to original settings"),
                message!("Resets gravity, ground, rate and switches of the character to the defaults of the original"),
                Some(icons::GEAR),
                None,
            ),
            Self::DeleteJoints => (
                message!("Delete joints below…"),
                message!("Deletes the joints of the selected bones and of all bones below them"),
                Some(icons::TRASH),
                Some(Dialog::Confirm(Confirmation::DeleteJoints)),
            ),
        };
        SetupActionRow { name, hint, icon, dialog }
    }

    pub fn icon(self) -> Option<Icon> {
        self.row().icon
    }

    /// Returns the label, which contains the bone name if the tool uses the active bone.
    pub fn label(self, cx: &UiContext<'_>) -> Cow<'static, str> {
        let name = active_plain_bone(cx).map(|bone| cx.inspection().bone_name(bone));
        match (self, name) {
            (Self::LinkLeg, Some(name)) => tr!(cx, "Link to {name}{:leg}", name),
            (Self::ParentPivotsToLegs, Some(name)) => tr!(cx, "Parent pivots to {name}", name),
            _ => cx.tr(self.row().name),
        }
    }

    /// Returns the tooltip: the effect of the tool, or the reason why the solver does not support the tool.
    pub fn hint(self, cx: &UiContext<'_>) -> Cow<'static, str> {
        self.unavailable_reason(cx).unwrap_or_else(|| cx.tr(self.row().hint))
    }

    /// Returns why the solver does not support the tool, or `None` if the solver supports the tool.
    fn unavailable_reason(self, cx: &UiContext<'_>) -> Option<Cow<'static, str>> {
        let session = cx.session();
        let has = |wanted: &dyn Fn(&ParamDef) -> bool| session.inspection().system().param_defs().iter().any(wanted);
        let solver = i18n::solver_name(cx.theme.lang, session.inspection().system().solver);
        Some(cx.tr(match self {
            Self::LinkColumns | Self::LinkLeg if !has(&|def| def.group == ParamGroup::LengthLimits) => {
                message!("{solver} has no length limits between bones.", solver)
            }
            Self::ParentPivotsToLegs | Self::ParentPivotsToHighLeg if !session.inspection().supports_pivots() => {
                message!("{solver} has no pivots for angle limits.", solver)
            }
            Self::ResetEngineSettings if !has(&|def| def.scope == ParamScope::System && !def.extension) => {
                message!("{solver} has no settings of the whole character to reset.", solver)
            }
            _ => return None,
        }))
    }

    pub fn is_enabled(self, cx: &UiContext<'_>) -> bool {
        if self.unavailable_reason(cx).is_some() {
            return false;
        }
        let session = cx.session();
        let (document, selection) = (session.document(), session.selection());
        match self {
            Self::Mirror => !document.chains.is_empty(),
            Self::BodyColliders | Self::FindClipping => {
                session.character().meshes.iter().any(|m| !m.primitives.is_empty())
            }
            Self::AssignColliders => !session.inspection().selected_colliders().is_empty(),
            Self::UnassignColliders => {
                let joints = document.chains.values().flat_map(|c| c.joints.iter().map(move |joint| (c, joint)));
                let meant = selected_joints(cx);
                let mut joints = joints.filter(|(_, joint)| meant.contains(&joint.bone));
                joints.any(|(chain, joint)| document.colliders_of(chain, joint).next().is_some())
            }
            Self::DeleteColliders => !selection.bones.is_empty() && !document.colliders.is_empty(),
            Self::AlignCapsules => {
                document.colliders.values().any(|c| matches!(c.shape, ColliderShape::Capsule { inside: false, .. }))
            }
            Self::LinkColumns | Self::LinkLeg | Self::ParentPivotsToLegs | Self::ParentPivotsToHighLeg => {
                !selection.chains(document).is_empty() || document.chains.values().any(|c| c.part == ChainPart::Skirt)
            }
            Self::Copy => chain_to_copy(cx).is_some(),
            Self::Paste | Self::PasteSpecial => cx.state.copied_chain.is_some() && !paste_targets(cx).is_empty(),
            Self::SelectByName | Self::CleanUp => true,
            Self::ResetEngineSettings => setup_cleanup::reset_system_values(document) != Edit::Batch(Vec::new()),
            Self::SetParent => !selection.objects.is_empty(),
            Self::DeleteJoints => !selection.bones.is_empty() && !document.chains.is_empty(),
        }
    }

    /// Runs the tool, or opens its dialog.
    pub fn run(self, cx: &mut UiContext<'_>) {
        match self.row().dialog {
            Some(dialog) => cx.state.dialogs_to_open.push(dialog),
            None => self.run_immediately(cx),
        }
    }

    fn run_immediately(self, cx: &mut UiContext<'_>) {
        let session = cx.session();
        let (document, character) = (session.document(), session.character());
        let skeleton = &character.skeleton;
        // If no chain is selected, the skirt tools use all skirts.
        let chains = session.selection().chains(document);
        let leg = active_plain_bone(cx).map_or(LegTarget::Nearest, LegTarget::Bone);
        let linked = |plan: SkirtPlan, [text, done]: [fn(usize) -> MessageText; 2]| {
            Some((plan.edit, EditLabel::new(text(plan.links)).with_message(done(plan.links))))
        };
        let mut kept_values = Vec::new();
        let made = match self {
            Self::AssignColliders => {
                let (edit, joints) =
                    body::assign_existing(document, skeleton, &session.inspection().selected_colliders());
                let edit = groups::move_joint_colliders_to_groups(document, edit);
                Some((
                    edit,
                    EditLabel::new(message!("Assign colliders to {n:joint|joints}", n = joints))
                        .with_message(message!("Colliders assigned to {n:joint|joints}", n = joints)),
                ))
            }
            Self::UnassignColliders => {
                let tidy = setup_cleanup::unassign_colliders(document, &selected_joints(cx));
                Some((
                    tidy.edit,
                    EditLabel::new(message!("Unassign colliders from {n:joint|joints}", n = tidy.joints))
                        .with_message(message!("Colliders unassigned from {n:joint|joints}", n = tidy.joints)),
                ))
            }
            Self::AlignCapsules => {
                let tidy = setup_cleanup::align_capsules(document, skeleton, &selected_or_all_capsules(cx));
                Some((
                    tidy.edit,
                    EditLabel::new(message!("Align {n:capsule|capsules}", n = tidy.helpers))
                        .with_message(message!("{n:capsule|capsules} aligned", n = tidy.helpers)),
                ))
            }
            Self::LinkColumns => linked(
                skirt::link_columns(document, character, &chains),
                [
                    |n| message!("Add {n:length limit|length limits} between columns", n),
                    |n| message!("{n:length limit|length limits} added", n),
                ],
            ),
            Self::LinkLeg => linked(
                skirt::link_to_leg(document, character, &chains, leg),
                [
                    |n| message!("Add {n:length limit to a leg|length limits to legs}", n),
                    |n| message!("{n:length limit to a leg|length limits to legs} added", n),
                ],
            ),
            Self::ParentPivotsToLegs | Self::ParentPivotsToHighLeg => {
                let high_leg = self == Self::ParentPivotsToHighLeg;
                let leg = if high_leg { LegTarget::Nearest } else { leg };
                let plan = skirt::parent_pivots_to_legs(document, character, &chains, leg, high_leg);
                linked(
                    plan,
                    [
                        |n| message!("Parent {n:pivot to a leg|pivots to legs}", n),
                        |n| message!("{n:pivot parented to a leg|pivots parented to legs}", n),
                    ],
                )
            }
            Self::Copy => {
                let copied = chain_to_copy(cx).and_then(|id| CopiedChain::from_document(document, character, id));
                cx.state.clipboard_text = copied.as_ref().map(|c| c.chain.name.clone());
                cx.state.copied_chain = copied.or(cx.state.copied_chain.take());
                None
            }
            Self::Paste => cx.state.copied_chain.as_ref().map(|copied| {
                let onto = paste_targets(cx);
                let result = paste(document, character, copied, &onto, PasteTarget::ALL);
                kept_values = result.kept_values;
                (
                    result.edit,
                    EditLabel::new(message!("Paste values into {n:chain|chains}", n = onto.len()))
                        .with_message(message!("Values pasted into {n:chain|chains}", n = onto.len())),
                )
            }),
            Self::ResetEngineSettings => Some((
                setup_cleanup::reset_system_values(document),
                EditLabel::new(message!("Reset character settings"))
                    .with_message(message!("Character settings reset to the defaults of the original")),
            )),
            _ => None,
        };
        if let Some((edit, label)) = made {
            cx.apply_edit(edit, label);
            report_kept_values(cx, &kept_values);
        }
    }
}

/// Reports values that were copied without a conversion to the axes of the bone.
pub fn report_kept_values(cx: &mut UiContext<'_>, kept: &[KeptValue]) {
    let skeleton = &cx.session().character().skeleton;
    if let Some(diagnostic) = KeptValue::diagnostic(kept, skeleton, &Location::default()) {
        cx.command(Command::AddDiagnostic(diagnostic));
    }
}

/// Returns the active bone, unless it is a joint.
fn active_plain_bone(cx: &UiContext<'_>) -> Option<BoneId> {
    let session = cx.session();
    session.selection().active.filter(|bone| session.document().find_joint(*bone).is_none())
}

/// Returns the selected joints.
fn selected_joints(cx: &UiContext<'_>) -> BTreeSet<BoneId> {
    let (document, selection) = (cx.document(), cx.selection());
    if selection.bones.is_empty() {
        return BTreeSet::new();
    }
    let joints = document.chains.values().flat_map(|c| &c.joints).map(|j| j.bone);
    joints.filter(|bone| selection.is_highlighted(document, *bone)).collect()
}

/// Returns the selected capsules. If no capsule is selected, returns all colliders.
fn selected_or_all_capsules(cx: &UiContext<'_>) -> BTreeSet<ColliderId> {
    let selected: BTreeSet<ColliderId> = cx.inspection().selected_colliders().into_iter().collect();
    if selected.is_empty() { cx.document().colliders.keys().copied().collect() } else { selected }
}

/// Returns the chain of the active joint, or the first selected chain.
fn chain_to_copy(cx: &UiContext<'_>) -> Option<ChainId> {
    let (document, selection) = (cx.document(), cx.selection());
    let active = selection.active.and_then(|bone| document.find_joint(bone)).map(|(id, _)| id);
    active.or_else(|| selection.chains(document).first().copied())
}

pub fn paste_targets(cx: &UiContext<'_>) -> Vec<ChainId> {
    cx.selection().chains(cx.document())
}
