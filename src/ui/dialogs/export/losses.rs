//! What a file cannot hold, in groups: what Unity will not do, what is lost, and what only Yuremono reads back.

use crate::exchange::ExportOptions;
use crate::exchange::{ExportLoss, Exported, FileItem, Section};
use crate::schema::ParamDef;
use crate::ui::kit::words::{Lang, param_label, solver_name, tr};

/// The heading of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Heading {
    /// Yuremono's improvements.
    Beyond,
    /// Gone.
    Lost,
    /// In comment rows.
    Kept,
    /// In the file, but not as one might expect.
    Know,
}

impl Heading {
    pub(super) const ALL: [Self; 4] = [Self::Beyond, Self::Lost, Self::Kept, Self::Know];

    pub(super) const fn key(self) -> &'static str {
        match self {
            Self::Beyond => "csv.export.beyond",
            Self::Lost => "csv.export.lost",
            Self::Kept => "csv.export.kept",
            Self::Know => "csv.export.know",
        }
    }
}

/// Losses of one kind.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Group {
    pub heading: Heading,
    /// Last part of the key of its words.
    pub key: &'static str,
    /// Whether the character may move differently.
    pub grave: bool,
    /// How many things are concerned.
    pub count: usize,
    /// Bones, chains or parameters.
    pub names: Vec<String>,
    /// Whether Yuremono reads it back; `None` where the heading says so already.
    pub read_back: Option<bool>,
}

/// All losses, the gravest of each heading first, then names that a spreadsheet reads otherwise.
pub(super) fn groups(exported: &Exported, options: ExportOptions, lang: Lang) -> Vec<Group> {
    let params: Vec<&ParamDef> = exported.file.systems.iter().flat_map(|system| system.solver.info().params).collect();
    let mut groups: Vec<Group> = Vec::new();
    for loss in &exported.losses {
        let (key, grave, name) = loss_words(loss, &params, lang);
        let heading = heading(loss, options.extras);
        let count = match loss {
            ExportLoss::Excluded(n)
            | ExportLoss::KeptRows(n)
            | ExportLoss::KeptLeftOut(n)
            | ExportLoss::TooManySystems(n)
            | ExportLoss::OtherSolver(_, n)
            | ExportLoss::Lists { count: n, .. } => *n,
            _ => 1,
        };
        if let Some(group) = groups.iter_mut().find(|g| g.key == key) {
            group.count += count;
            group.names.extend(name);
        } else {
            let read_back = (heading == Heading::Beyond).then(|| loss.is_in_comments() && options.extras);
            groups.push(Group { heading, key, grave, count, names: name.into_iter().collect(), read_back });
        }
    }
    let formulas = exported.file.items.iter().filter(|item| begins_row(item) && item.looks_like_formula());
    let names: Vec<String> = formulas.map(|item| item.name.clone()).collect();
    if !names.is_empty() {
        let (heading, key, count) = (Heading::Know, "formula", names.len());
        groups.push(Group { heading, key, grave: false, count, names, read_back: None });
    }
    groups.sort_by_key(|g| (g.heading, !g.grave));
    groups
}

/// Whether the name of an entry is the first cell of a row.
const fn begins_row(item: &FileItem) -> bool {
    matches!(item.section, Section::Joints | Section::Pivots | Section::Colliders | Section::Nodes)
}

fn heading(loss: &ExportLoss, extras: bool) -> Heading {
    match loss {
        ExportLoss::Improvement(_) | ExportLoss::JointImprovement(..) => Heading::Beyond,
        ExportLoss::SharedCollider(_)
        | ExportLoss::SharedName(_)
        | ExportLoss::LimitsWithoutPivot(_)
        | ExportLoss::NoPivotName(_)
        | ExportLoss::WipesBones
        | ExportLoss::KeptRows(_) => Heading::Know,
        loss if loss.is_in_comments() && extras => Heading::Kept,
        _ => Heading::Lost,
    }
}

/// The last part of the key of a loss, whether it is grave, and the name that it is about.
fn loss_words(loss: &ExportLoss, params: &[&ParamDef], lang: Lang) -> (&'static str, bool, Option<String>) {
    let label = |label: &str| {
        let def = params.iter().find(|def| def.label == label);
        def.map_or_else(|| label.to_owned(), |def| param_label(lang, def).into_owned())
    };
    match loss {
        ExportLoss::VirtualTip(bone) => ("virtual_tip", false, Some(bone.clone())),
        ExportLoss::ChosenTip(bone) => ("chosen_tip", false, Some(bone.clone())),
        ExportLoss::Disabled(bone) => ("disabled", true, Some(bone.clone())),
        ExportLoss::Animated(bone) => ("animated", false, Some(bone.clone())),
        ExportLoss::Excluded(_) => ("excluded", false, None),
        ExportLoss::SystemValue(name) => ("system", true, Some(label(name))),
        ExportLoss::Curves(chain) => ("curves", false, Some(chain.clone())),
        ExportLoss::Improvement(name) => ("improvement", true, Some(label(name))),
        ExportLoss::JointImprovement(name, count) => ("improvement", true, Some(format!("{} × {count}", label(name)))),
        ExportLoss::LengthConstant(bone) => ("length", false, Some(bone.clone())),
        ExportLoss::Groups(chain) => ("groups", false, Some(chain.clone())),
        ExportLoss::Center(chain) => ("center", true, Some(chain.clone())),
        ExportLoss::Swing(bone) => ("swing", true, Some(bone.clone())),
        ExportLoss::ColliderOff(name) => ("collider_off", true, Some(name.clone())),
        ExportLoss::LostCollider(name) => ("lost_collider", true, Some(name.clone())),
        ExportLoss::UnknownShape(name) => ("unknown_shape", true, Some(name.clone())),
        ExportLoss::SharedCollider(name) => ("shared_collider", true, Some(name.clone())),
        ExportLoss::Force(name) => ("force", true, Some(name.clone())),
        ExportLoss::RendererOff(name) => ("renderer_off", false, Some(name.clone())),
        ExportLoss::LostHighLeg(name) => ("lost_high_leg", true, Some(name.clone())),
        ExportLoss::WipesBones => ("wipes_bones", true, None),
        ExportLoss::OtherSolver(kind, _) => ("other_solver", true, Some(solver_name(lang, *kind).into_owned())),
        ExportLoss::KeptRows(_) => ("kept_rows", false, None),
        ExportLoss::TooManySystems(_) => ("many_systems", true, None),
        ExportLoss::KeptLeftOut(_) => ("kept_left_out", false, None),
        ExportLoss::Uneven(chain) => ("uneven", true, Some(chain.clone())),
        ExportLoss::Material(chain) => ("material", false, Some(chain.clone())),
        ExportLoss::UnevenMaterial(chain) => ("uneven_material", true, Some(chain.clone())),
        ExportLoss::UnevenColliders(chain) => ("uneven_colliders", true, Some(chain.clone())),
        ExportLoss::Lists { side, alone, .. } => {
            let name = tr(lang, &format!("component.side.{}", side.key())).into_owned();
            (if *alone { "lists" } else { "lists_of_several" }, true, Some(name))
        }
        ExportLoss::Listed(name) => ("listed", true, Some(name.clone())),
        ExportLoss::SharedName(bone) => ("shared_name", true, Some(bone.clone())),
        ExportLoss::UnreadableName(bone, _) => ("unreadable_name", true, Some(bone.clone())),
        ExportLoss::LimitsWithoutPivot(bone) => ("limits", true, Some(bone.clone())),
        ExportLoss::NoPivotName(bone) => ("no_pivot", true, Some(bone.clone())),
        ExportLoss::LostBone(bone) => ("lost", true, Some(bone.clone())),
    }
}

/// Names in a row, the first few of them; each once.
pub(super) fn named(names: &[String]) -> String {
    let mut seen: Vec<&str> = names.iter().map(String::as_str).filter(|n| !n.is_empty()).collect();
    seen.sort_unstable();
    seen.dedup();
    seen.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Collider, NodeRef, SetupItem};
    use crate::exchange::SetupFile;
    use crate::exchange::TableFormat;
    use crate::sim::{Shape, SolverKind};

    fn exported(solver: SolverKind, losses: Vec<ExportLoss>) -> Exported {
        let collider = Collider::new("=Ball", NodeRef::from("Head"), Shape::Sphere { radius: 0.1, inside: false });
        let mut file = SetupFile::new(TableFormat::Csv, solver);
        file.items.push(FileItem::new(0, Section::Colliders, "=Ball", SetupItem::Collider(collider)));
        Exported { file, losses }
    }

    #[test]
    fn losses_are_grouped_by_what_becomes_of_them() {
        let off = |name: &str| ExportLoss::ColliderOff(name.to_owned());
        let losses = vec![off("A"), ExportLoss::LostBone("B".to_owned()), ExportLoss::Improvement("Sweep"), off("C")];
        let exported = exported(SolverKind::default(), losses);
        let grouped = |extras: bool| {
            let options = ExportOptions { extras, ..ExportOptions::default() };
            let all = groups(&exported, options, Lang::En);
            all.into_iter().map(|g| (g.heading, g.key, g.count, g.read_back)).collect::<Vec<_>>()
        };
        assert_eq!(
            grouped(true),
            [
                (Heading::Beyond, "improvement", 1, Some(true)),
                (Heading::Lost, "lost", 1, None),
                (Heading::Kept, "collider_off", 2, None),
                (Heading::Know, "formula", 1, None),
            ]
        );
        assert_eq!(grouped(false)[0].3, Some(false), "without comment rows nothing is read back");
    }

    #[test]
    fn parameters_are_named_in_japanese_too() {
        for kind in SolverKind::ALL.iter().copied() {
            let mut params = kind.info().params.iter();
            let Some(def) = params.find(|def| def.scope == crate::schema::Scope::System) else { continue };
            let exported = exported(kind, vec![ExportLoss::SystemValue(def.label)]);
            let all = groups(&exported, ExportOptions::default(), Lang::Ja);
            let named = all.iter().find(|group| group.key == "system").expect("a value of the character");
            assert_eq!(named.names, [param_label(Lang::Ja, def).into_owned()]);
            assert_ne!(named.names, [def.label]);
        }
    }
}
