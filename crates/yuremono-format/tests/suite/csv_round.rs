//! Exports random documents with difficult names as tables, and imports the tables again.

use crate::csv::import_plan;
use crate::support::HOSTILE_NAMES;
use crate::support::random_documents::{self, EditSeed};
use glam::{Quat, Vec3};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::path::PathBuf;
use yuremono_format::DEFAULT_FORMAT;
use yuremono_format::tables::write_setup;
use yuremono_format::unity_csv;
use yuremono_format::unity_space::to_gltf;
use yuremono_model::document::{
    Chain, ChainId, ChainPart, Document, Edit, FlipAxis, Force, ForceId, Helper, HelperRole, HighLeg, HighLegId, Joint,
    LengthTarget, Node,
};
use yuremono_model::exchange::{
    ExportLoss, ExportOptions, FileSection, ImportPlan, ReplaceOptions, ReplacePlan, TableSections, export,
};
use yuremono_model::tools::elements::node_name;
use yuremono_sim::math::Trs;
use yuremono_sim::params::{ParamDef, ParamId, ParamKind, ParamScope, enumerate_params};
use yuremono_sim::rig::{BoneId, Skeleton};
use yuremono_sim::{ColliderShape, ForceKind};

fn hostile_name(roll: u32) -> String {
    let name = HOSTILE_NAMES[roll as usize % HOSTILE_NAMES.len()];
    if (roll / 32).is_multiple_of(3) { name.to_owned() } else { format!("{name}{}", roll / 32 % 7) }
}

/// Returns fourteen distinct bone names, because a table cannot distinguish bones with equal names.
fn distinct_names(rolls: &[u32]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for roll in rolls {
        let plain = hostile_name(*roll);
        let numbered = (names.len()..).map(|n| format!("{plain} {n}"));
        let free = std::iter::once(plain.clone()).chain(numbered).find(|name| !names.contains(name));
        names.extend(free);
    }
    names
}

/// Returns a document with every kind of element that a table or its comment rows can store.
fn document_with_all_elements(
    dice: &[EditSeed],
    skeleton: &Skeleton,
    called: impl Fn(u32, &str) -> String,
) -> Document {
    let mut document = random_documents::edited_document(dice, skeleton);
    let put = |document: &mut Document, edit: Edit| drop(document.apply(edit));
    for (n, [a, b, c, d, e, f]) in dice.iter().take(8).copied().enumerate() {
        let node = Node::Bone(BoneId(b % 14));
        let helper = document.next_helper_id();
        let local = Trs {
            translation: Vec3::new(0.1, (c % 100) as f32 * 0.013, -0.07),
            rotation: Quat::from_euler(glam::EulerRot::YXZ, (d % 6) as f32, (e % 300) as f32 * 0.01, (f % 7) as f32),
            scale: Vec3::new(1.0, 1.5, 0.5),
        };
        let role = [HelperRole::Null, HelperRole::Plain, HelperRole::Pivot][n % 3];
        let name = called(a ^ f, &format!("node {}", helper.0));
        put(&mut document, Edit::PutHelper { id: helper, helper: Some(Helper { name, parent: node, local, role }) });
        match n % 4 {
            0 => {
                let legs = vec![[Node::Bone(BoneId(c % 14)), Node::Bone(BoneId(d % 14))]];
                let high_leg = Some(HighLeg { node: Node::Helper(helper), hip: node, legs });
                put(&mut document, Edit::PutHighLeg { id: HighLegId(1), high_leg });
            }
            1 => {
                let id = document.next_collider_id();
                let shape = ColliderShape::Panel { width: 0.1, height: (f % 50) as f32 * 0.3 };
                let name = called(a ^ f, &format!("panel {}", id.0));
                let mut panel = yuremono_model::document::Collider::new(name, Node::Helper(helper), shape);
                panel.enabled = c % 2 == 0;
                panel.mesh_name = (d % 2 == 0).then(|| called(d, "Body"));
                put(&mut document, Edit::PutCollider { id, collider: Some(panel) });
            }
            2 => {
                let kind = ForceKind::ALL[(a % 2) as usize].with_field(0, (b % 1000) as f32 / 7.0);
                let name = called(c, "Breeze");
                let node = if d % 2 == 0 { Node::Helper(helper) } else { node };
                let force = Some(Force { name, node, kind, enabled: e % 2 == 0 });
                put(&mut document, Edit::PutForce { id: ForceId(a % 3), force });
            }
            _ => put(&mut document, Edit::SetMeshVisible { name: called(b, "Body"), enabled: c % 3 == 0 }),
        }
    }
    let chains: Vec<_> = document.chains.iter().map(|(id, c)| (*id, c.clone())).collect();
    for ((id, mut chain), [a, b, c, ..]) in chains.into_iter().zip(dice.iter().copied()) {
        let joint = &mut chain.joints[0];
        joint.animated = a % 2 == 0;
        let mut target = LengthTarget::new(Node::Bone(BoneId(b % 14)));
        target.constant = (c % 2 == 0).then_some(c as f32 / 100.0);
        joint.length_targets = vec![target];
        chain.name = called(b, &chain.name);
        put(&mut document, Edit::PutChain { id, chain: Some(Box::new(chain)) });
    }
    document
}

fn export_bytes(document: &Document, skeleton: &Skeleton, axis: FlipAxis) -> Vec<u8> {
    let options = ExportOptions::new(DEFAULT_FORMAT).with_flip_axis(axis);
    write_setup(&export(document, skeleton, options).file, options)
}

fn plan_import(bytes: impl AsRef<[u8]>, document: &Document, skeleton: &Skeleton, axis: FlipAxis) -> ImportPlan {
    import_plan(bytes.as_ref(), document, skeleton, axis)
}

fn any_axis() -> impl Strategy<Value = FlipAxis> {
    prop_oneof![Just(FlipAxis::X), Just(FlipAxis::Z)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn importing_an_export_and_exporting_again_gives_the_same_bytes(
        dice in random_documents::any_edit_seeds(24),
        names in prop::collection::vec(any::<u32>(), 14),
        axis in any_axis(),
    ) {
        let names = distinct_names(&names);
        let skeleton = random_documents::skeleton_with_names(|i| names[i].clone());
        let mut document = document_with_all_elements(&dice, &skeleton, |roll, _| hostile_name(roll));
        let first = export_bytes(&document, &skeleton, axis);
        let plan = plan_import(&first, &document, &skeleton, axis);
        document.apply(plan.edit(&document, &skeleton)).expect("a plan of an export applies");
        let again = export_bytes(&document, &skeleton, axis);
        let (again, first) = (String::from_utf8_lossy(&again), String::from_utf8_lossy(&first));
        let other = again.lines().zip(first.lines()).find(|(a, b)| a != b);
        prop_assert_eq!(other, None, "{}\n----\n{}", again, first);
        prop_assert_eq!(again.lines().count(), first.lines().count());
    }
}

#[test]
fn the_last_of_two_bones_with_the_same_name_gets_the_row_and_export_reports_it() {
    // Numbering the empty name of the sixth bone gives " 5", which is already a name.
    let named = |i: usize| if [3, 5].contains(&i) { " 5".to_owned() } else { format!("bone {i}") };
    let skeleton = random_documents::skeleton_with_names(named);
    let mut document = Document::default();
    let table = document.param_defs_of(&Chain::new("", ChainPart::Other, &[], vec![Joint::new(BoneId(0))]));
    let chain = Chain::new("chain", ChainPart::Other, table, vec![Joint::new(BoneId(3))]);
    document.chains.insert(ChainId(1), chain);
    let exported = export(&document, &skeleton, ExportOptions::new(DEFAULT_FORMAT));
    assert!(exported.losses.contains(&ExportLoss::DuplicateBoneName(" 5".to_owned())), "{:?}", exported.losses);
    let rows = |document: &Document| {
        let text = String::from_utf8(export_bytes(document, &skeleton, FlipAxis::X)).expect("a table is text");
        text.matches("#yuremono,2,\"{\"\"row\"\":").count()
    };
    assert_eq!(rows(&document), 1);
    let plan = plan_import(export_bytes(&document, &skeleton, FlipAxis::X), &document, &skeleton, FlipAxis::X);
    document.apply(plan.edit(&document, &skeleton)).expect("a plan of an export applies");
    // The row is not duplicated. Like UnityChanSpringBone, the import assigns the row to the second bone, so both bones
    // are simulated.
    assert!(document.passthrough.is_empty(), "{:?}", document.passthrough);
    let roots: Vec<BoneId> = document.chains.values().map(Chain::root).collect();
    assert_eq!((roots, rows(&document)), (vec![BoneId(3), BoneId(5)], 2));
}

#[test]
fn distinct_names_never_repeat_a_name() {
    // The first name is " 5". The sixth name repeats the empty name, so numbering it would give " 5" again.
    let roll = |name: &str, suffix: u32| {
        let at = HOSTILE_NAMES.iter().position(|n| *n == name).expect("a hostile name") as u32;
        (0..1 << 20).map(|k| at + 32 * k).find(|r| hostile_name(*r) == format!("{name}{suffix}")).expect("some roll")
    };
    let empty = HOSTILE_NAMES.iter().position(|n| n.is_empty()).expect("an empty name") as u32;
    let names = distinct_names(&[roll(" ", 5), empty, 2, 3, 4, empty]);
    let once: std::collections::BTreeSet<_> = names.iter().collect();
    assert_eq!(once.len(), 6, "{names:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn replacing_a_setup_with_any_table_can_be_undone(
        dice in random_documents::any_edit_seeds(24),
        other in random_documents::any_edit_seeds(24),
        names in prop::collection::vec(any::<u32>(), 14),
        (bones, colliders) in any::<(bool, bool)>(),
        axis in any_axis(),
    ) {
        let skeleton = random_documents::skeleton_with_names(|i| hostile_name(names[i]));
        let mut document = document_with_all_elements(&dice, &skeleton, |roll, _| hostile_name(roll));
        let table = export_bytes(&document_with_all_elements(&other, &skeleton, |roll, _| hostile_name(roll)), &skeleton, axis);
        let (file, found) = unity_csv::read(&table, "t.csv").expect("an export is readable");
        let wanted = TableSections { bones, colliders };
        let options = ReplaceOptions { sections: wanted, mesh_names: vec!["Body".to_owned()], use_other_entries: true };
        let plan = ReplacePlan::new(&to_gltf(file, axis), &[], &found, &document, &skeleton, options);
        let before = document.clone();
        let changes = document.apply_recorded(plan.edit(&document, &skeleton)).expect("a replacement applies");
        changes.revert(&mut document);
        prop_assert_eq!(document, before);
    }

    #[test]
    fn importing_into_an_empty_document_restores_everything_in_the_file(dice in random_documents::any_edit_seeds(40), axis in any_axis()) {
        let skeleton = random_documents::plain_skeleton();
        let mut document = document_with_all_elements(&dice, &skeleton, |_, plain| plain.to_owned());
        document.passthrough.clear();
        let first = export_bytes(&document, &skeleton, axis);
        let mut bare = Document::default();
        let plan = plan_import(&first, &bare, &skeleton, axis);
        for section in FileSection::ALL {
            let lost: Vec<_> = plan.rows_of(section).filter(|(_, row)| !row.status.is_usable()).collect();
            prop_assert!(lost.is_empty() || section == FileSection::Pivots, "{lost:?}");
        }
        bare.apply(plan.edit(&bare, &skeleton)).expect("a plan of an export applies");
        let values = |document: &Document| document.main_system().values.clone();
        prop_assert_eq!(values(&bare), values(&document));
        prop_assert_eq!(&bare.excluded_bones, &document.excluded_bones);
        prop_assert_eq!(&bare.hidden_meshes, &document.hidden_meshes);
        prop_assert_eq!(bare.forces.len(), document.forces.len());
        let chains: Vec<_> = document.chains.values().map(|c| (&c.name, c.part, c.curve_domain, c.joints.len())).collect();
        for (name, part, along, joints) in chains {
            let same = bare.chains.values().any(|c| (&c.name, c.part, c.curve_domain, c.joints.len()) == (name, part, along, joints));
            prop_assert!(same, "chain {name} is not the same");
        }
        let places = |document: &Document| -> BTreeMap<BoneId, Vec<f32>> {
            let table = document.main_system().param_defs();
            let mut all = BTreeMap::new();
            for chain in document.chains.values() {
                let places = chain.curve_positions(&skeleton);
                for (at, joint) in chain.joints.iter().enumerate() {
                    let rows = enumerate_params(table).filter(|(_, d)| d.scope == ParamScope::Joint);
                    // A curve over a toggle gives numbers other than 0 and 1, but files and solvers only distinguish on
                    // and off.
                    let value = |(row, def): (ParamId, &ParamDef)| match (def.kind, chain.joint_value(at, row, places[at])) {
                        (ParamKind::Toggle, value) => f32::from(u8::from(value != 0.0)),
                        (_, value) => value,
                    };
                    all.insert(joint.bone, rows.map(value).collect());
                }
            }
            all
        };
        prop_assert_eq!(places(&bare), places(&document));
        for joint in document.chains.values().flat_map(|c| &c.joints) {
            let (chain, at) = bare.find_joint(joint.bone).expect("every joint was imported");
            let other = &bare.chains[&chain].joints[at];
            prop_assert_eq!(&other.tip, &joint.tip);
            prop_assert_eq!((other.enabled, other.animated), (joint.enabled, joint.animated));
            let links = |document: &Document, joint: &Joint| -> Vec<_> {
                let name = |node| node_name(document, &skeleton, node).to_owned();
                joint.length_targets.iter().map(|t| (name(t.node), t.constant)).collect()
            };
            prop_assert_eq!(links(&bare, other), links(&document, joint));
        }
        let losses = export(&document, &skeleton, ExportOptions::new(DEFAULT_FORMAT).with_flip_axis(axis)).losses;
        let gone = |l: &ExportLoss| !l.is_kept_in_comments() && !matches!(l, ExportLoss::LimitsWithoutPivot(_) | ExportLoss::MissingPivotName(_) | ExportLoss::UnityDeletesJoints);
        prop_assert!(!losses.iter().any(gone), "{losses:?}");
    }
}

/// Returns every table in the folder of malformed files; `None` if the environment does not name a folder.
fn corpus_tables() -> Option<Vec<PathBuf>> {
    let root = PathBuf::from(std::env::var_os("YUREMONO_CORPUS")?);
    let folders = [root.join("csv"), root.join("generated/csv")];
    let mut files: Vec<PathBuf> = folders
        .iter()
        .filter_map(|folder| std::fs::read_dir(folder).ok())
        .flatten()
        .map(|entry| entry.expect("a folder entry").path())
        .filter(|path| path.is_file())
        .collect();
    files.sort();
    Some(files)
}

#[test]
fn every_corpus_table_gives_a_plan_or_an_error() {
    let Some(files) = corpus_tables() else {
        println!("YUREMONO_CORPUS is not set; skipped");
        return;
    };
    assert!(!files.is_empty(), "YUREMONO_CORPUS has no tables");
    let skeleton = random_documents::plain_skeleton();
    let (mut plans, mut refused) = (0, 0);
    for path in &files {
        let bytes = std::fs::read(path).expect("a table");
        match unity_csv::read(&bytes, "t.csv") {
            Ok((file, _)) => {
                let mut document = Document::default();
                let plan = plan_import(&bytes, &document, &skeleton, FlipAxis::X);
                let edit = plan.edit(&document, &skeleton);
                let options = ReplaceOptions {
                    sections: TableSections::default(),
                    mesh_names: Vec::new(),
                    use_other_entries: true,
                };
                let file = to_gltf(file, FlipAxis::X);
                let replace = ReplacePlan::new(&file, &[], &[], &document, &skeleton, options);
                let other = replace.edit(&document, &skeleton);
                document.apply(edit).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
                Document::default().apply(other).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
                let _ = export_bytes(&document, &skeleton, FlipAxis::X);
                println!("{}: a plan, {} refused", path.display(), replace.errors().len());
                plans += 1;
            }
            Err(found) => {
                assert!(!found.is_empty(), "{}", path.display());
                println!("{}: {}", path.display(), found[0]);
                refused += 1;
            }
        }
    }
    println!("{} tables: {plans} plans, {refused} refused", files.len());
}
