//! The tools of setting up: what menus and context menus offer, when they can be used, and what they do.
//!
//! What a tool changes is worked out in [`crate::tools`]; tools that need choices open a window.

use crate::document::{ChainId, ChainPart, ColliderId, Edit, EditLabel, groups};
use crate::document::{skirt, skirt::LegTarget, skirt::SkirtPlan};
use crate::rig::BoneId;
use crate::session::Command;
use crate::sim::ColliderShape;
use crate::tools::{body, setup_cleanup};
use crate::tools::{paste::CopiedChain, paste::PasteTarget, paste::paste};
use crate::ui::context::{Confirmation, DialogKind, UiContext};
use crate::ui::kit::icons::{self, Icon};
use std::collections::BTreeSet;

/// One tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetupTool {
    /// Carries one side to the other.
    Mirror,
    /// Fits colliders to the body.
    BodyColliders,
    /// Gives selected colliders to the joints that can touch them.
    AssignColliders,
    /// Takes all colliders out of the lists of selected joints.
    UnassignColliders,
    /// Deletes colliders below the selection.
    DeleteColliders,
    /// Aligns capsules to their parents.
    AlignCapsules,
    /// Links neighbouring columns of skirts.
    LinkColumns,
    /// Links skirts to thighs or to the active bone.
    LinkLeg,
    /// Hangs pivots of skirts on thighs or on the active bone.
    ParentPivotsToLegs,
    /// The same, with a node for the middle that leans with both.
    ParentPivotsToHighLeg,
    /// Copies the chain of the active joint.
    Copy,
    /// Pastes all of it.
    Paste,
    /// Pastes some of it.
    PasteSpecial,
    /// Selects by words of names.
    SelectByName,
    /// Hangs helpers on another bone.
    SetParent,
    /// Puts the setup in order.
    CleanUp,
    /// Puts the character's values back to the engine's.
    ResetEngineSettings,
    /// Ends swaying below the selection.
    DeleteJoints,
}

impl SetupTool {
    /// Under which its words and the sentence about it stand.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Mirror => "mirror",
            Self::BodyColliders => "body_colliders",
            Self::AssignColliders => "assign_colliders",
            Self::UnassignColliders => "unassign_colliders",
            Self::DeleteColliders => "delete_colliders",
            Self::AlignCapsules => "align_capsules",
            Self::LinkColumns => "link_columns",
            Self::LinkLeg => "link_leg",
            Self::ParentPivotsToLegs => "lead_by_legs",
            Self::ParentPivotsToHighLeg => "lead_by_high_leg",
            Self::Copy => "copy",
            Self::Paste => "paste",
            Self::PasteSpecial => "paste_special",
            Self::SelectByName => "select_by_name",
            Self::SetParent => "set_parent",
            Self::CleanUp => "clean_up",
            Self::ResetEngineSettings => "engine_settings",
            Self::DeleteJoints => "delete_springs",
        }
    }

    /// Before its words.
    pub const fn icon(self) -> Option<Icon> {
        Some(match self {
            Self::Mirror => icons::FLIP_HORIZONTAL,
            Self::BodyColliders => icons::PERSON_ARMS_SPREAD,
            Self::AssignColliders | Self::LinkColumns => icons::LINK_SIMPLE,
            Self::UnassignColliders => icons::LINK_BREAK,
            Self::DeleteColliders | Self::DeleteJoints => icons::TRASH,
            Self::AlignCapsules => icons::PILL,
            Self::ParentPivotsToLegs => icons::PERSON_SIMPLE_WALK,
            Self::Copy => icons::COPY,
            Self::Paste => icons::CLIPBOARD_TEXT,
            Self::SelectByName => icons::MAGNIFYING_GLASS,
            Self::SetParent => icons::TREE_STRUCTURE,
            Self::CleanUp => icons::BROOM,
            Self::ResetEngineSettings => icons::GEAR,
            Self::LinkLeg | Self::ParentPivotsToHighLeg | Self::PasteSpecial => return None,
        })
    }

    /// Its words; a tool that would use the active bone names it.
    pub fn label(self, cx: &UiContext<'_>) -> String {
        let key = format!("setup.{}.name", self.key());
        if let (Self::LinkLeg | Self::ParentPivotsToLegs, Some(bone)) = (self, active_plain_bone(cx)) {
            let name = cx.session().inspection().bone_name(bone);
            return cx.tr_with(&format!("setup.{}.to", self.key()), &[("name", name)]);
        }
        cx.tr(&key).into_owned()
    }

    /// Why the solver leaves nothing for it to do, in one sentence; `None` where that is not so.
    pub fn unavailable_reason(self, cx: &UiContext<'_>) -> Option<String> {
        let session = cx.session();
        let key = match self {
            Self::LinkColumns | Self::LinkLeg if !session.inspection().supports_length_targets() => {
                "tool_hint.no_links"
            }
            Self::ParentPivotsToLegs | Self::ParentPivotsToHighLeg if !session.inspection().supports_pivots() => {
                "tool_hint.no_pivots"
            }
            Self::ResetEngineSettings if !session.inspection().has_original_system_params() => "tool_hint.no_settings",
            _ => return None,
        };
        let solver = crate::ui::kit::i18n::solver_name(cx.theme.lang, session.inspection().system().solver);
        Some(cx.tr_with(key, &[("solver", &solver)]))
    }

    /// Whether there is something to do it to.
    pub fn is_enabled(self, cx: &UiContext<'_>) -> bool {
        if self.unavailable_reason(cx).is_some() {
            return false;
        }
        let session = cx.session();
        let (document, selection) = (session.document(), session.selection());
        match self {
            Self::Mirror => !document.chains.is_empty(),
            Self::BodyColliders => session.character().meshes.iter().any(|m| !m.primitives.is_empty()),
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
                !selected_or_skirt_chains(cx).is_empty() || document.chains.values().any(|c| c.part == ChainPart::Skirt)
            }
            Self::Copy => chain_to_copy(cx).is_some(),
            Self::Paste | Self::PasteSpecial => cx.state.copied_chain.is_some() && !paste_targets(cx).is_empty(),
            Self::SelectByName | Self::CleanUp => true,
            Self::ResetEngineSettings => setup_cleanup::reset_system_values(document) != Edit::Batch(Vec::new()),
            Self::SetParent => !selection.objects.is_empty(),
            Self::DeleteJoints => !selection.bones.is_empty() && !document.chains.is_empty(),
        }
    }

    /// Does it, or opens its window.
    pub fn run(self, cx: &mut UiContext<'_>) {
        let window = match self {
            Self::Mirror => Some(DialogKind::Mirror),
            Self::BodyColliders => Some(DialogKind::BodyColliders),
            Self::PasteSpecial => Some(DialogKind::PasteSpecial),
            Self::SelectByName => Some(DialogKind::SelectByName),
            Self::SetParent => Some(DialogKind::SetParent),
            Self::CleanUp => Some(DialogKind::Confirm(Confirmation::CleanUp)),
            Self::DeleteJoints => Some(DialogKind::Confirm(Confirmation::DeleteJoints)),
            Self::DeleteColliders => Some(DialogKind::Confirm(Confirmation::DeleteColliders)),
            _ => None,
        };
        match window {
            Some(window) => cx.state.dialogs_to_open.push(window),
            None => self.run_immediately(cx),
        }
    }

    fn run_immediately(self, cx: &mut UiContext<'_>) {
        let session = cx.session();
        let (document, character) = (session.document(), session.character());
        let skeleton = &character.skeleton;
        let leg = active_plain_bone(cx).map_or(LegTarget::Nearest, LegTarget::Bone);
        let linked = |plan: SkirtPlan, what| Some((plan.edit, EditLabel::new(what, plan.links)));
        let made = match self {
            Self::AssignColliders => {
                let (edit, joints) =
                    body::assign_existing(document, skeleton, &session.inspection().selected_colliders());
                let edit = groups::move_joint_colliders_to_groups(document, edit);
                Some((edit, EditLabel::new("assign_colliders", joints)))
            }
            Self::UnassignColliders => {
                let tidy = setup_cleanup::unassign_colliders(document, &selected_joints(cx));
                Some((tidy.edit, EditLabel::new("unassign_colliders", tidy.joints)))
            }
            Self::AlignCapsules => {
                let tidy = setup_cleanup::align_capsules(document, skeleton, &selected_or_all_capsules(cx));
                Some((tidy.edit, EditLabel::new("align_capsules", tidy.helpers)))
            }
            Self::LinkColumns => {
                linked(skirt::link_columns(document, character, &selected_or_skirt_chains(cx)), "link_columns")
            }
            Self::LinkLeg => {
                linked(skirt::link_to_leg(document, character, &selected_or_skirt_chains(cx), leg), "link_leg")
            }
            Self::ParentPivotsToLegs => linked(
                skirt::parent_pivots_to_legs(document, character, &selected_or_skirt_chains(cx), leg, false),
                "lead_by_legs",
            ),
            Self::ParentPivotsToHighLeg => linked(
                skirt::parent_pivots_to_legs(
                    document,
                    character,
                    &selected_or_skirt_chains(cx),
                    LegTarget::Nearest,
                    true,
                ),
                "lead_by_legs",
            ),
            Self::Copy => {
                let copied = chain_to_copy(cx).and_then(|id| CopiedChain::from_document(document, skeleton, id));
                cx.state.clipboard_text = copied.as_ref().map(|c| c.chain.name.clone());
                cx.state.copied_chain = copied.or(cx.state.copied_chain.take());
                None
            }
            Self::Paste => cx.state.copied_chain.as_ref().map(|copied| {
                let onto = paste_targets(cx);
                (paste(document, skeleton, copied, &onto, PasteTarget::ALL), EditLabel::new("paste", onto.len()))
            }),
            Self::ResetEngineSettings => {
                Some((setup_cleanup::reset_system_values(document), EditLabel::new("engine_settings", 1)))
            }
            _ => None,
        };
        if let Some((edit, label)) = made {
            cx.command(Command::ApplyEdit(edit, label.show_message()));
        }
    }
}

/// The active bone where it is no joint: what a tool may be told to use.
fn active_plain_bone(cx: &UiContext<'_>) -> Option<BoneId> {
    let session = cx.session();
    session.selection().active.filter(|bone| session.document().find_joint(*bone).is_none())
}

/// The selected chains; none means all skirts.
fn selected_or_skirt_chains(cx: &UiContext<'_>) -> Vec<ChainId> {
    cx.session().selection().chains(cx.session().document())
}

/// Joints that are drawn as selected.
fn selected_joints(cx: &UiContext<'_>) -> BTreeSet<BoneId> {
    let (document, selection) = (cx.session().document(), cx.session().selection());
    if selection.bones.is_empty() {
        return BTreeSet::new();
    }
    let joints = document.chains.values().flat_map(|c| &c.joints).map(|j| j.bone);
    joints.filter(|bone| selection.is_highlighted(document, *bone)).collect()
}

/// The selected capsules, or all.
fn selected_or_all_capsules(cx: &UiContext<'_>) -> BTreeSet<ColliderId> {
    let selected: BTreeSet<ColliderId> = cx.session().inspection().selected_colliders().into_iter().collect();
    if selected.is_empty() { cx.session().document().colliders.keys().copied().collect() } else { selected }
}

/// The chain of the active joint, or the only one that is selected.
fn chain_to_copy(cx: &UiContext<'_>) -> Option<ChainId> {
    let (document, selection) = (cx.session().document(), cx.session().selection());
    let active = selection.active.and_then(|bone| document.find_joint(bone)).map(|(id, _)| id);
    active.or_else(|| selection.chains(document).first().copied())
}

/// The selected chains.
pub fn paste_targets(cx: &UiContext<'_>) -> Vec<ChainId> {
    cx.session().selection().chains(cx.session().document())
}
