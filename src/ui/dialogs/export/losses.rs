//! What a file cannot hold, in groups: what Unity will not do, what is lost, and what only Yuremono reads back.

use crate::exchange::ExportOptions;
use crate::exchange::{ExportLoss, ExportResult, FileEntry, FileSection};
use crate::params::ParamDef;
use crate::ui::kit::i18n::{Lang, param_label, solver_name, tr};

/// The heading of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum LossHeading {
    /// Yuremono's improvements.
    Improvements,
    /// Gone.
    Lost,
    /// In comment rows.
    InComments,
    /// In the file, but not as one might expect.
    Differs,
}

impl LossHeading {
    pub(super) const ALL: [Self; 4] = [Self::Improvements, Self::Lost, Self::InComments, Self::Differs];

    pub(super) const fn key(self) -> &'static str {
        match self {
            Self::Improvements => "csv.export.beyond",
            Self::Lost => "csv.export.lost",
            Self::InComments => "csv.export.kept",
            Self::Differs => "csv.export.know",
        }
    }
}

/// Losses of one kind.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ExportLossGroup {
    pub heading: LossHeading,
    /// Last part of the key of its words.
    pub key: &'static str,
    /// Whether the character may move differently.
    pub changes_motion: bool,
    /// How many things are concerned.
    pub count: usize,
    /// Bones, chains or parameters.
    pub names: Vec<String>,
    /// Whether Yuremono reads it back; `None` where the heading says so already.
    pub read_back: Option<bool>,
}

/// All losses, the gravest of each heading first, then names that a spreadsheet reads otherwise.
pub(super) fn group_losses(exported: &ExportResult, options: ExportOptions, lang: Lang) -> Vec<ExportLossGroup> {
    let params: Vec<&ParamDef> = exported.file.systems.iter().flat_map(|system| system.solver.info().params).collect();
    let mut groups: Vec<ExportLossGroup> = Vec::new();
    for loss in &exported.losses {
        let (key, grave, name) = describe_loss(loss, &params, lang);
        let heading = heading_of(loss, options.write_comment_rows);
        let count = match loss {
            ExportLoss::ExcludedBones(n)
            | ExportLoss::PassthroughRows(n)
            | ExportLoss::PassthroughDropped(n)
            | ExportLoss::TooManySystems(n)
            | ExportLoss::ChainsOfOtherSolver(_, n)
            | ExportLoss::ComponentList { count: n, .. } => *n,
            _ => 1,
        };
        if let Some(group) = groups.iter_mut().find(|g| g.key == key) {
            group.count += count;
            group.names.extend(name);
        } else {
            let read_back = (heading == LossHeading::Improvements)
                .then(|| loss.is_kept_in_comments() && options.write_comment_rows);
            groups.push(ExportLossGroup {
                heading,
                key,
                changes_motion: grave,
                count,
                names: name.into_iter().collect(),
                read_back,
            });
        }
    }
    let formulas = exported.file.entries.iter().filter(|item| is_first_cell(item) && item.looks_like_formula());
    let names: Vec<String> = formulas.map(|item| item.name.clone()).collect();
    if !names.is_empty() {
        let (heading, key, count) = (LossHeading::Differs, "formula", names.len());
        groups.push(ExportLossGroup { heading, key, changes_motion: false, count, names, read_back: None });
    }
    groups.sort_by_key(|g| (g.heading, !g.changes_motion));
    groups
}

/// Whether the name of an entry is the first cell of a row.
const fn is_first_cell(item: &FileEntry) -> bool {
    matches!(item.section, FileSection::Joints | FileSection::Pivots | FileSection::Colliders | FileSection::Nodes)
}

fn heading_of(loss: &ExportLoss, extras: bool) -> LossHeading {
    match loss {
        ExportLoss::SystemExtension(_) | ExportLoss::JointExtension(..) => LossHeading::Improvements,
        ExportLoss::DuplicateColliderName(_)
        | ExportLoss::DuplicateBoneName(_)
        | ExportLoss::LimitsWithoutPivot(_)
        | ExportLoss::MissingPivotName(_)
        | ExportLoss::EngineDeletesJoints
        | ExportLoss::PassthroughRows(_) => LossHeading::Differs,
        loss if loss.is_kept_in_comments() && extras => LossHeading::InComments,
        _ => LossHeading::Lost,
    }
}

/// The last part of the key of a loss, whether it is grave, and the name that it is about.
fn describe_loss(loss: &ExportLoss, params: &[&ParamDef], lang: Lang) -> (&'static str, bool, Option<String>) {
    let label = |label: &str| {
        let def = params.iter().find(|def| def.label == label);
        def.map_or_else(|| label.to_owned(), |def| param_label(lang, def).into_owned())
    };
    match loss {
        ExportLoss::OffsetTip(bone) => ("virtual_tip", false, Some(bone.clone())),
        ExportLoss::ChosenTip(bone) => ("chosen_tip", false, Some(bone.clone())),
        ExportLoss::JointDisabled(bone) => ("disabled", true, Some(bone.clone())),
        ExportLoss::AnimatedFlag(bone) => ("animated", false, Some(bone.clone())),
        ExportLoss::ExcludedBones(_) => ("excluded", false, None),
        ExportLoss::SystemValue(name) => ("system", true, Some(label(name))),
        ExportLoss::Curves(chain) => ("curves", false, Some(chain.clone())),
        ExportLoss::SystemExtension(name) => ("improvement", true, Some(label(name))),
        ExportLoss::JointExtension(name, count) => ("improvement", true, Some(format!("{} × {count}", label(name)))),
        ExportLoss::LengthConstant(bone) => ("length", false, Some(bone.clone())),
        ExportLoss::Groups(chain) => ("groups", false, Some(chain.clone())),
        ExportLoss::Center(chain) => ("center", true, Some(chain.clone())),
        ExportLoss::SwingLimit(bone) => ("swing", true, Some(bone.clone())),
        ExportLoss::DisabledCollider(name) => ("collider_off", true, Some(name.clone())),
        ExportLoss::ColliderOnMissingBone(name) => ("lost_collider", true, Some(name.clone())),
        ExportLoss::UnsupportedShape(name) => ("unknown_shape", true, Some(name.clone())),
        ExportLoss::DuplicateColliderName(name) => ("shared_collider", true, Some(name.clone())),
        ExportLoss::Force(name) => ("force", true, Some(name.clone())),
        ExportLoss::HiddenMesh(name) => ("renderer_off", false, Some(name.clone())),
        ExportLoss::HighLegOnMissingNode(name) => ("lost_high_leg", true, Some(name.clone())),
        ExportLoss::EngineDeletesJoints => ("wipes_bones", true, None),
        ExportLoss::ChainsOfOtherSolver(kind, _) => ("other_solver", true, Some(solver_name(lang, *kind).into_owned())),
        ExportLoss::PassthroughRows(_) => ("kept_rows", false, None),
        ExportLoss::TooManySystems(_) => ("many_systems", true, None),
        ExportLoss::PassthroughDropped(_) => ("kept_left_out", false, None),
        ExportLoss::UnevenCurve(chain) => ("uneven", true, Some(chain.clone())),
        ExportLoss::Material(chain) => ("material", false, Some(chain.clone())),
        ExportLoss::UnevenMaterial(chain) => ("uneven_material", true, Some(chain.clone())),
        ExportLoss::UnevenColliders(chain) => ("uneven_colliders", true, Some(chain.clone())),
        ExportLoss::ComponentList { list: side, is_single_component: alone, .. } => {
            let name = tr(lang, &format!("component.side.{}", side.key())).into_owned();
            (if *alone { "lists" } else { "lists_of_several" }, true, Some(name))
        }
        ExportLoss::UnresolvableName(name) => ("listed", true, Some(name.clone())),
        ExportLoss::DuplicateBoneName(bone) => ("shared_name", true, Some(bone.clone())),
        ExportLoss::UnreadableName(bone, _) => ("unreadable_name", true, Some(bone.clone())),
        ExportLoss::LimitsWithoutPivot(bone) => ("limits", true, Some(bone.clone())),
        ExportLoss::MissingPivotName(bone) => ("no_pivot", true, Some(bone.clone())),
        ExportLoss::MissingBone(bone) => ("lost", true, Some(bone.clone())),
    }
}

/// Names in a row, the first few of them; each once.
pub(super) fn name_list(names: &[String]) -> String {
    let mut seen: Vec<&str> = names.iter().map(String::as_str).filter(|n| !n.is_empty()).collect();
    seen.sort_unstable();
    seen.dedup();
    seen.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Collider, NodeRef, SetupEntry};
    use crate::exchange::SetupFile;
    use crate::exchange::TableFormat;
    use crate::sim::{ColliderShape, SolverKind};

    fn exported(solver: SolverKind, losses: Vec<ExportLoss>) -> ExportResult {
        let collider =
            Collider::new("=Ball", NodeRef::from("Head"), ColliderShape::Sphere { radius: 0.1, inside: false });
        let mut file = SetupFile::new(TableFormat::Csv, solver);
        file.entries.push(FileEntry::new(0, FileSection::Colliders, "=Ball", SetupEntry::Collider(collider)));
        ExportResult { file, losses }
    }

    #[test]
    fn losses_are_grouped_by_heading() {
        let off = |name: &str| ExportLoss::DisabledCollider(name.to_owned());
        let losses =
            vec![off("A"), ExportLoss::MissingBone("B".to_owned()), ExportLoss::SystemExtension("Sweep"), off("C")];
        let exported = exported(SolverKind::default(), losses);
        let grouped = |extras: bool| {
            let options = ExportOptions { write_comment_rows: extras, ..ExportOptions::default() };
            let all = group_losses(&exported, options, Lang::En);
            all.into_iter().map(|g| (g.heading, g.key, g.count, g.read_back)).collect::<Vec<_>>()
        };
        assert_eq!(
            grouped(true),
            [
                (LossHeading::Improvements, "improvement", 1, Some(true)),
                (LossHeading::Lost, "lost", 1, None),
                (LossHeading::InComments, "collider_off", 2, None),
                (LossHeading::Differs, "formula", 1, None),
            ]
        );
        assert_eq!(grouped(false)[0].3, Some(false), "without comment rows nothing is read back");
    }

    #[test]
    fn losses_name_parameters_in_japanese() {
        for kind in SolverKind::ALL.iter().copied() {
            let mut params = kind.info().params.iter();
            let Some(def) = params.find(|def| def.scope == crate::params::ParamScope::System) else { continue };
            let exported = exported(kind, vec![ExportLoss::SystemValue(def.label)]);
            let all = group_losses(&exported, ExportOptions::default(), Lang::Ja);
            let named = all.iter().find(|group| group.key == "system").expect("a value of the character");
            assert_eq!(named.names, [param_label(Lang::Ja, def).into_owned()]);
            assert_ne!(named.names, [def.label]);
        }
    }
}
