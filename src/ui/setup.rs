//! The tools of setting up: what menus and context menus offer, when they can be used, and what they do.
//!
//! What a tool changes is worked out in [`crate::tools`]; tools that need choices open a window.

use crate::document::{ChainId, ColliderId, Edit, Label, Part, groups};
use crate::document::{skirt, skirt::Leg, skirt::SkirtPlan};
use crate::rig::BoneId;
use crate::session::Command;
use crate::sim::Shape;
use crate::tools::{body, tidy};
use crate::tools::{paste::Copied, paste::What, paste::paste};
use crate::ui::cx::{Ask, Cx, Window};
use crate::ui::kit::icons::{self, Icon};
use std::collections::BTreeSet;

/// One tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tool {
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
    LeadByLegs,
    /// The same, with a node for the middle that leans with both.
    LeadByHighLeg,
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
    EngineSettings,
    /// Ends swaying below the selection.
    DeleteSprings,
}

impl Tool {
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
            Self::LeadByLegs => "lead_by_legs",
            Self::LeadByHighLeg => "lead_by_high_leg",
            Self::Copy => "copy",
            Self::Paste => "paste",
            Self::PasteSpecial => "paste_special",
            Self::SelectByName => "select_by_name",
            Self::SetParent => "set_parent",
            Self::CleanUp => "clean_up",
            Self::EngineSettings => "engine_settings",
            Self::DeleteSprings => "delete_springs",
        }
    }

    /// Before its words.
    pub const fn icon(self) -> Option<Icon> {
        Some(match self {
            Self::Mirror => icons::FLIP_HORIZONTAL,
            Self::BodyColliders => icons::PERSON_ARMS_SPREAD,
            Self::AssignColliders | Self::LinkColumns => icons::LINK_SIMPLE,
            Self::UnassignColliders => icons::LINK_BREAK,
            Self::DeleteColliders | Self::DeleteSprings => icons::TRASH,
            Self::AlignCapsules => icons::PILL,
            Self::LeadByLegs => icons::PERSON_SIMPLE_WALK,
            Self::Copy => icons::COPY,
            Self::Paste => icons::CLIPBOARD_TEXT,
            Self::SelectByName => icons::MAGNIFYING_GLASS,
            Self::SetParent => icons::TREE_STRUCTURE,
            Self::CleanUp => icons::BROOM,
            Self::EngineSettings => icons::GEAR,
            Self::LinkLeg | Self::LeadByHighLeg | Self::PasteSpecial => return None,
        })
    }

    /// Its words; a tool that would use the active bone names it.
    pub fn words(self, cx: &Cx<'_>) -> String {
        let key = format!("setup.{}.name", self.key());
        if let (Self::LinkLeg | Self::LeadByLegs, Some(bone)) = (self, chosen_bone(cx)) {
            let name = cx.session().inspection().bone_name(bone);
            return cx.tr_with(&format!("setup.{}.to", self.key()), &[("name", name)]);
        }
        cx.tr(&key).into_owned()
    }

    /// Why the solver leaves nothing for it to do, in one sentence; `None` where that is not so.
    pub fn why_not(self, cx: &Cx<'_>) -> Option<String> {
        let session = cx.session();
        let key = match self {
            Self::LinkColumns | Self::LinkLeg if !session.inspection().links_lengths() => "tool_hint.no_links",
            Self::LeadByLegs | Self::LeadByHighLeg if !session.inspection().has_pivots() => "tool_hint.no_pivots",
            Self::EngineSettings if !session.inspection().has_settings() => "tool_hint.no_settings",
            _ => return None,
        };
        let solver = crate::ui::kit::words::solver_name(cx.theme.lang, session.inspection().system().solver);
        Some(cx.tr_with(key, &[("solver", &solver)]))
    }

    /// Whether there is something to do it to.
    pub fn is_possible(self, cx: &Cx<'_>) -> bool {
        if self.why_not(cx).is_some() {
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
                document.colliders.values().any(|c| matches!(c.shape, Shape::Capsule { inside: false, .. }))
            }
            Self::LinkColumns | Self::LinkLeg | Self::LeadByLegs | Self::LeadByHighLeg => {
                !columns(cx).is_empty() || document.chains.values().any(|c| c.part == Part::Skirt)
            }
            Self::Copy => copied_chain(cx).is_some(),
            Self::Paste | Self::PasteSpecial => cx.state.copied.is_some() && !pasted_on(cx).is_empty(),
            Self::SelectByName | Self::CleanUp => true,
            Self::EngineSettings => tidy::engine_settings(document) != Edit::Batch(Vec::new()),
            Self::SetParent => !selection.items.is_empty(),
            Self::DeleteSprings => !selection.bones.is_empty() && !document.chains.is_empty(),
        }
    }

    /// Does it, or opens its window.
    pub fn run(self, cx: &mut Cx<'_>) {
        let window = match self {
            Self::Mirror => Some(Window::Mirror),
            Self::BodyColliders => Some(Window::BodyColliders),
            Self::PasteSpecial => Some(Window::PasteSpecial),
            Self::SelectByName => Some(Window::SelectByName),
            Self::SetParent => Some(Window::SetParent),
            Self::CleanUp => Some(Window::Ask(Ask::CleanUp)),
            Self::DeleteSprings => Some(Window::Ask(Ask::DeleteSprings)),
            Self::DeleteColliders => Some(Window::Ask(Ask::DeleteColliders)),
            _ => None,
        };
        match window {
            Some(window) => cx.state.open.push(window),
            None => self.do_at_once(cx),
        }
    }

    fn do_at_once(self, cx: &mut Cx<'_>) {
        let session = cx.session();
        let (document, character) = (session.document(), session.character());
        let skeleton = &character.skeleton;
        let leg = chosen_bone(cx).map_or(Leg::Nearest, Leg::Bone);
        let linked = |plan: SkirtPlan, what| Some((plan.edit, Label::new(what, plan.links)));
        let made = match self {
            Self::AssignColliders => {
                let (edit, joints) =
                    body::assign_existing(document, skeleton, &session.inspection().selected_colliders());
                let edit = groups::gathered(document, edit);
                Some((edit, Label::new("assign_colliders", joints)))
            }
            Self::UnassignColliders => {
                let tidy = tidy::unassign_colliders(document, &selected_joints(cx));
                Some((tidy.edit, Label::new("unassign_colliders", tidy.joints)))
            }
            Self::AlignCapsules => {
                let tidy = tidy::align_capsules(document, skeleton, &capsules(cx));
                Some((tidy.edit, Label::new("align_capsules", tidy.helpers)))
            }
            Self::LinkColumns => linked(skirt::link_columns(document, character, &columns(cx)), "link_columns"),
            Self::LinkLeg => linked(skirt::link_to_leg(document, character, &columns(cx), leg), "link_leg"),
            Self::LeadByLegs => {
                linked(skirt::lead_by_legs(document, character, &columns(cx), leg, false), "lead_by_legs")
            }
            Self::LeadByHighLeg => {
                linked(skirt::lead_by_legs(document, character, &columns(cx), Leg::Nearest, true), "lead_by_legs")
            }
            Self::Copy => {
                let copied = copied_chain(cx).and_then(|id| Copied::of(document, skeleton, id));
                cx.state.clipboard = copied.as_ref().map(|c| c.chain.name.clone());
                cx.state.copied = copied.or(cx.state.copied.take());
                None
            }
            Self::Paste => cx.state.copied.as_ref().map(|copied| {
                let onto = pasted_on(cx);
                (paste(document, skeleton, copied, &onto, What::ALL), Label::new("paste", onto.len()))
            }),
            Self::EngineSettings => Some((tidy::engine_settings(document), Label::new("engine_settings", 1))),
            _ => None,
        };
        if let Some((edit, label)) = made {
            cx.command(Command::Apply(edit, label.told()));
        }
    }
}

/// The active bone where it is no joint: what a tool may be told to use.
fn chosen_bone(cx: &Cx<'_>) -> Option<BoneId> {
    let session = cx.session();
    session.selection().active.filter(|bone| session.document().joint_of(*bone).is_none())
}

/// The selected chains; none means all skirts.
fn columns(cx: &Cx<'_>) -> Vec<ChainId> {
    cx.session().selection().chains(cx.session().document())
}

/// Joints that are drawn as selected.
fn selected_joints(cx: &Cx<'_>) -> BTreeSet<BoneId> {
    let (document, selection) = (cx.session().document(), cx.session().selection());
    if selection.bones.is_empty() {
        return BTreeSet::new();
    }
    let joints = document.chains.values().flat_map(|c| &c.joints).map(|j| j.bone);
    joints.filter(|bone| selection.shows(document, *bone)).collect()
}

/// The selected capsules, or all.
fn capsules(cx: &Cx<'_>) -> BTreeSet<ColliderId> {
    let selected: BTreeSet<ColliderId> = cx.session().inspection().selected_colliders().into_iter().collect();
    if selected.is_empty() { cx.session().document().colliders.keys().copied().collect() } else { selected }
}

/// The chain of the active joint, or the only one that is selected.
fn copied_chain(cx: &Cx<'_>) -> Option<ChainId> {
    let (document, selection) = (cx.session().document(), cx.session().selection());
    let active = selection.active.and_then(|bone| document.joint_of(bone)).map(|(id, _)| id);
    active.or_else(|| selection.chains(document).first().copied())
}

/// The selected chains.
pub fn pasted_on(cx: &Cx<'_>) -> Vec<ChainId> {
    cx.session().selection().chains(cx.session().document())
}
