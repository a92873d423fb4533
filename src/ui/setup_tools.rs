//! Tools of the Setup menu, with labels, availability and execution.
//!
//! [`yuremono_model::tools`] computes the edits. Tools with options open a dialog.

use crate::ui::context::{Confirmation, DialogKind, UiContext};
use crate::ui::kit::icons::{self, Icon};
use std::collections::BTreeSet;
use yuremono_model::document::source_frames::KeptValue;
use yuremono_model::document::{ChainId, ChainPart, ColliderId, Edit, EditLabel, groups};
use yuremono_model::document::{skirt, skirt::LegTarget, skirt::SkirtPlan};
use yuremono_model::tools::{body, setup_cleanup};
use yuremono_model::tools::{paste::CopiedChain, paste::PasteTarget, paste::paste};
use yuremono_session::Command;
use yuremono_sim::ColliderShape;
use yuremono_sim::diagnostics::Location;
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

impl SetupAction {
    /// Returns a part of the locale key, the icon, and the dialog that the tool opens.
    const fn row(self) -> (&'static str, Option<Icon>, Option<DialogKind>) {
        use DialogKind as Dialog;
        match self {
            Self::Mirror => ("mirror", Some(icons::FLIP_HORIZONTAL), Some(Dialog::Mirror)),
            Self::BodyColliders => ("body_colliders", Some(icons::PERSON_ARMS_SPREAD), Some(Dialog::BodyColliders)),
            Self::FindClipping => ("find_clipping", Some(icons::WARNING), Some(Dialog::Clipping)),
            Self::AssignColliders => ("assign_colliders", Some(icons::LINK_SIMPLE), None),
            Self::UnassignColliders => ("unassign_colliders", Some(icons::LINK_BREAK), None),
            Self::DeleteColliders => {
                ("delete_colliders", Some(icons::TRASH), Some(Dialog::Confirm(Confirmation::DeleteColliders)))
            }
            Self::AlignCapsules => ("align_capsules", Some(icons::PILL), None),
            Self::LinkColumns => ("link_columns", Some(icons::LINK_SIMPLE), None),
            Self::LinkLeg => ("link_leg", None, None),
            Self::ParentPivotsToLegs => ("parent_pivots_to_legs", Some(icons::PERSON_SIMPLE_WALK), None),
            Self::ParentPivotsToHighLeg => ("parent_pivots_to_high_leg", None, None),
            Self::Copy => ("copy", Some(icons::COPY), None),
            Self::Paste => ("paste", Some(icons::CLIPBOARD_TEXT), None),
            Self::PasteSpecial => ("paste_special", None, Some(Dialog::PasteSpecial)),
            Self::SelectByName => ("select_by_name", Some(icons::MAGNIFYING_GLASS), Some(Dialog::SelectByName)),
            Self::SetParent => ("set_parent", Some(icons::TREE_STRUCTURE), Some(Dialog::SetParent)),
            Self::CleanUp => ("clean_up", Some(icons::BROOM), Some(Dialog::Confirm(Confirmation::CleanUp))),
            Self::ResetEngineSettings => ("engine_settings", Some(icons::GEAR), None),
            Self::DeleteJoints => {
                ("delete_springs", Some(icons::TRASH), Some(Dialog::Confirm(Confirmation::DeleteJoints)))
            }
        }
    }

    /// Returns a part of the locale key.
    pub const fn key(self) -> &'static str {
        self.row().0
    }

    pub const fn icon(self) -> Option<Icon> {
        self.row().1
    }

    /// Returns the label, which contains the bone name if the tool uses the active bone.
    pub fn label(self, cx: &UiContext<'_>) -> String {
        let key = format!("setup.{}.name", self.key());
        if let (Self::LinkLeg | Self::ParentPivotsToLegs, Some(bone)) = (self, active_plain_bone(cx)) {
            let name = cx.inspection().bone_name(bone);
            return cx.tr_with(&format!("setup.{}.to", self.key()), &[("name", name)]);
        }
        cx.tr(&key).into_owned()
    }

    /// Returns why the solver does not support the tool, or `None` if the solver supports the tool.
    pub fn unavailable_reason(self, cx: &UiContext<'_>) -> Option<String> {
        let session = cx.session();
        let has = |wanted: &dyn Fn(&ParamDef) -> bool| session.inspection().system().param_defs().iter().any(wanted);
        let key = match self {
            Self::LinkColumns | Self::LinkLeg if !has(&|def| def.group == ParamGroup::LengthLimits) => {
                "tool_hint.no_links"
            }
            Self::ParentPivotsToLegs | Self::ParentPivotsToHighLeg if !session.inspection().supports_pivots() => {
                "tool_hint.no_pivots"
            }
            Self::ResetEngineSettings if !has(&|def| def.scope == ParamScope::System && !def.extension) => {
                "tool_hint.no_settings"
            }
            _ => return None,
        };
        let solver = crate::ui::kit::i18n::solver_name(cx.theme.lang, session.inspection().system().solver);
        Some(cx.tr_with(key, &[("solver", &solver)]))
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
        match self.row().2 {
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
        let linked = |plan: SkirtPlan, what| Some((plan.edit, EditLabel::new(what, plan.links)));
        let mut kept_values = Vec::new();
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
            Self::LinkColumns => linked(skirt::link_columns(document, character, &chains), "link_columns"),
            Self::LinkLeg => linked(skirt::link_to_leg(document, character, &chains, leg), "link_leg"),
            Self::ParentPivotsToLegs | Self::ParentPivotsToHighLeg => {
                let high_leg = self == Self::ParentPivotsToHighLeg;
                let leg = if high_leg { LegTarget::Nearest } else { leg };
                let plan = skirt::parent_pivots_to_legs(document, character, &chains, leg, high_leg);
                linked(plan, "parent_pivots_to_legs")
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
                (result.edit, EditLabel::new("paste", onto.len()))
            }),
            Self::ResetEngineSettings => {
                Some((setup_cleanup::reset_system_values(document), EditLabel::new("engine_settings", 1)))
            }
            _ => None,
        };
        if let Some((edit, label)) = made {
            cx.apply_edit(edit, label.show_message());
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
