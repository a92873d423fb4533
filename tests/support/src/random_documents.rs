//! Generates random documents: sequences of random edits on a small character.

use glam::{Quat, Vec3};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use yuremono_model::document::{
    Chain, ChainId, ChainPart, ChainValue, Collider, ColliderId, CurveDomain, Document, DragReach, Edit, Force,
    ForceId, Gesture, GestureId, GestureSample, Helper, HelperId, HelperRole, HighLeg, HighLegId, Joint, LengthTarget,
    Material, MaterialId, Node, Passthrough, PosedBone, RingId, RingPlace, SetupEntry, SystemId, Tip,
};
use yuremono_sim::math::{Curve, CurveShape, RingCurve, Trs};
use yuremono_sim::params::{ParamId, ParamKind, ParamScope, enumerate_params};
use yuremono_sim::rig::{Bone, BoneId, Skeleton};
use yuremono_sim::{ColliderShape, ForceKind, SolverKind, TestWind, WindMoment};

/// Returns fourteen bones in four strands; `name` returns the name of the n-th bone.
pub fn skeleton_with_names(name: impl Fn(usize) -> String) -> Skeleton {
    let parents = [
        None,
        Some(0),
        Some(1),
        Some(2),
        Some(3),
        Some(1),
        Some(5),
        Some(6),
        Some(0),
        Some(8),
        Some(9),
        Some(8),
        Some(11),
        Some(12),
    ];
    let bones = parents.iter().enumerate().map(|(i, parent)| Bone {
        name: name(i),
        parent: parent.map(BoneId),
        rest: Trs {
            translation: Vec3::new(0.03 * i as f32, -0.1, 0.02),
            rotation: Quat::from_rotation_z(0.1 * i as f32),
            scale: Vec3::ONE,
        },
    });
    Skeleton::new(bones.collect()).expect("parents first")
}

/// Returns a skeleton whose bone names are unique.
pub fn plain_skeleton() -> Skeleton {
    skeleton_with_names(|i| format!("bone {i}"))
}

/// Random input of [`random_edit`].
pub type EditSeed = [u32; 6];

/// Returns a strategy for seeds of a sequence of edits.
pub fn any_edit_seeds(edits: usize) -> impl Strategy<Value = Vec<EditSeed>> {
    prop::collection::vec(any::<EditSeed>(), edits)
}

/// Returns the document after the edits. A rejected edit changes nothing.
pub fn edited_document(seeds: &[EditSeed], skeleton: &Skeleton) -> Document {
    edited_document_with_solver(SolverKind::default(), seeds, skeleton)
}

/// Like [`edited_document`], with a given solver.
pub fn edited_document_with_solver(solver: SolverKind, seeds: &[EditSeed], skeleton: &Skeleton) -> Document {
    let mut document = Document::with_solver(solver);
    for roll in seeds {
        let edit = random_edit(*roll, &document, skeleton);
        let _ = document.apply(edit);
    }
    document
}

fn number_from(roll: u32) -> f32 {
    (roll % 100_003) as f32 / 317.0 - 100.0
}

fn pick_key<K: Copy, V>(map: &BTreeMap<K, V>, roll: u32) -> Option<K> {
    map.keys().nth(roll as usize % map.len().max(1)).copied()
}

fn node_from(document: &Document, a: u32, b: u32) -> Node {
    let helper = a.is_multiple_of(3).then(|| pick_key(&document.helpers, b)).flatten();
    helper.map_or(Node::Bone(BoneId(b % 14)), Node::Helper)
}

/// Returns a random role of a helper. With the solver of the Unity CSV, all helpers are plain, because the table only
/// has rows for nulls and for pivots of joints; other roles do not survive a round trip.
fn role_for(document: &Document, id: HelperId) -> HelperRole {
    match document.main_system().solver {
        SolverKind::UnityChanSpringBone => HelperRole::Plain,
        _ => [HelperRole::Plain, HelperRole::Pivot, HelperRole::Null][id.0 as usize % 3],
    }
}

/// Returns a random edit of any kind.
#[expect(clippy::too_many_lines, reason = "one arm for each kind")]
pub fn random_edit([kind, a, b, c, d, e]: EditSeed, document: &Document, skeleton: &Skeleton) -> Edit {
    let all: Vec<_> = enumerate_params(document.main_system().param_defs()).collect();
    let joint_rows: Vec<_> = all.iter().filter(|(_, d)| d.scope == ParamScope::Joint).map(|(r, _)| *r).collect();
    let param = joint_rows[b as usize % joint_rows.len()];
    let value = |param: ParamId, roll: u32| match document.main_system().def(param).kind {
        ParamKind::Toggle => (roll % 2) as f32,
        _ => number_from(roll),
    };
    let chain = pick_key(&document.chains, a).unwrap_or(ChainId(1));
    let joint = document.chains.get(&chain).map(|found| found.joints[c as usize % found.joints.len()].clone());
    let bone = joint.as_ref().map_or(BoneId(0), |j| j.bone);
    let local = Trs {
        translation: Vec3::new(number_from(a), number_from(b), number_from(c)),
        rotation: Quat::from_euler(glam::EulerRot::XYZ, number_from(a), number_from(b), number_from(c)),
        scale: Vec3::ONE,
    };
    match kind % 20 {
        0 | 1 => {
            let root = BoneId(a % 14);
            let mut joints = vec![root];
            while let Some(next) = skeleton.children(joints[joints.len() - 1]).first() {
                joints.push(*next);
            }
            let joints = joints.into_iter().map(Joint::new).collect();
            let part = ChainPart::ALL[b as usize % ChainPart::ALL.len()];
            let new = Chain::new(format!("chain {a}"), part, document.main_system().param_defs(), joints);
            Edit::PutChain { id: document.next_chain_id(), chain: Some(Box::new(new)) }
        }
        2 => Edit::SetBaseValue { chain, param, value: value(param, d) },
        3 if e % 3 == 0 => {
            let curve = RingCurve::level().with_factor(d as usize % 3, number_from(e)).with_mirrored(d % 2 == 0);
            Edit::SetRingCurve { chain, param, curve: (d % 4 != 0).then_some(curve) }
        }
        3 => Edit::SetCurve {
            chain,
            param,
            curve: match d % 4 {
                0 => None,
                1 => Curve::from_points(&[(0.0, number_from(d)), (0.3, number_from(e)), (1.0, 0.7)]),
                n => Some(Curve::from_shape(CurveShape::FOR_CHAINS[n as usize])),
            },
        },
        4 | 5 => Edit::SetOverride { chain, bone, param, value: (e % 4 != 0).then(|| value(param, d)) },
        6 if d % 2 == 0 => {
            let place = RingPlace { ring: RingId(e % 3), angle: number_from(d) };
            Edit::SetRingPlace { chain, place: (a % 4 != 0).then_some(place) }
        }
        6 => Edit::SetCurveDomain {
            chain,
            curve_domain: if b % 2 == 0 { CurveDomain::Depth } else { CurveDomain::Length },
        },
        7 => {
            let id = if e % 2 == 0 { document.next_helper_id() } else { HelperId(e % 5) };
            let helper = Helper {
                name: format!("helper {}", id.0),
                parent: node_from(document, d, e),
                local,
                role: role_for(document, id),
            };
            Edit::PutHelper { id, helper: (d % 5 != 0).then_some(helper) }
        }
        8 => {
            let id = if e % 2 == 0 { document.next_collider_id() } else { ColliderId(e % 5) };
            let collider = Collider {
                enabled: c % 7 != 0,
                mesh_name: (c % 5 == 0).then(|| format!("mesh {}", b % 3)),
                ..Collider::new(
                    format!("collider {}", id.0),
                    node_from(document, a, b),
                    shape_from(document, c, number_from(d)),
                )
            };
            Edit::PutCollider { id, collider: (d % 5 != 0).then_some(collider) }
        }
        9 => {
            let sample = |n: u32| GestureSample {
                offset: Vec3::splat(number_from(a ^ n)),
                rotation: Quat::from_rotation_y(number_from(b)),
            };
            if e % 7 == 0 {
                let posed = |n: u32| PosedBone {
                    bone: BoneId((c + n) % 14),
                    reach: if n.is_multiple_of(2) { DragReach::WholeBody } else { DragReach::OneBone },
                    sample: sample(n),
                };
                return Edit::SetKeptPose((0..d % 4).map(posed).collect());
            }
            let gesture = Gesture {
                name: "揺れ".to_owned(),
                bone: BoneId(c % 14),
                reach: if a.is_multiple_of(2) { DragReach::WholeBody } else { DragReach::OneBone },
                samples: (0..=d % 4).map(sample).collect(),
                wind: e.is_multiple_of(2).then(|| WindMoment { wind: TestWind::default(), seconds: f64::from(e) }),
            };
            Edit::PutGesture { id: GestureId(e % 3), gesture: (d % 5 != 0).then_some(gesture) }
        }
        10 => Edit::SetPivot { chain, bone, pivot: (d % 4 != 0).then(|| node_from(document, d, e)) },
        11 => Edit::SetExcluded { bone: BoneId(a % 14), excluded: b % 2 == 0 },
        12 => Edit::SetPassthrough(passthrough_from(a)),
        13 => {
            let systems: Vec<_> = all.iter().filter(|(_, d)| d.scope == ParamScope::System).map(|(r, _)| *r).collect();
            let param = systems[b as usize % systems.len()];
            Edit::SetSystemValue {
                system: SystemId::default(),
                param,
                value: if d % 9 == 0 { f32::NEG_INFINITY } else { number_from(d) },
            }
        }
        14..=16 => random_element_edit([kind, a, b, c, d, e], document),
        18 => random_material_edit([a, c, d, e], document),
        19 => Edit::SetMaterial { chain, material: (d % 4 != 0).then(|| pick_key(&document.materials, e)).flatten() },
        _ => {
            let Some(mut new) = document.chains.get(&chain).cloned() else { return Edit::Batch(Vec::new()) };
            let joint = &mut new.joints[c as usize % document.chains[&chain].joints.len()];
            (joint.enabled, joint.animated) = (d % 3 != 0, c % 2 == 0);
            let target = |n: u32| LengthTarget {
                node: node_from(document, d ^ n, e ^ n),
                constant: n.is_multiple_of(2).then(|| number_from(e ^ n)),
            };
            joint.length_targets = (0..a % 4).map(target).collect();
            // The tools add each link only once.
            let mut linked = BTreeSet::new();
            joint.length_targets.retain(|t| linked.insert(t.node));
            joint.tip = match e % 3 {
                0 => Tip::Children,
                1 => Tip::Bone(BoneId(d % 14)),
                _ => Tip::Offset(local.translation),
            };
            joint.colliders = document.colliders.keys().filter(|id| (id.0 ^ d) % 2 == 0).copied().collect();
            Edit::PutChain { id: chain, chain: (a % 11 != 0).then(|| Box::new(new)) }
        }
    }
}

/// Adds or removes a material with its own values. Does nothing if the solver has no materials.
fn random_material_edit([a, c, d, e]: [u32; 4], document: &Document) -> Edit {
    let solver = document.main_system().solver;
    let authored = |(at, param): (usize, &ParamId)| {
        let curve = [None, Some(Curve::from_shape(CurveShape::Ease))][(c as usize >> at) % 2].clone();
        (*param, ChainValue::new(number_from(d.rotate_left(at as u32)), curve))
    };
    let values: BTreeMap<ParamId, ChainValue> =
        solver.info().material_params.iter().enumerate().map(authored).collect();
    let id = if e % 2 == 0 { document.next_material_id() } else { MaterialId(e % 4) };
    if values.is_empty() {
        return Edit::Batch(Vec::new());
    }
    let material = Material { name: format!("髪 {}", a % 5), solver, values };
    Edit::PutMaterial { id, material: (d % 5 != 0).then(|| Box::new(material)) }
}

/// Returns an edit of a force, a leg follower or a mesh switch.
fn random_element_edit([kind, a, b, c, d, e]: EditSeed, document: &Document) -> Edit {
    match kind % 20 {
        14 => {
            let id = if e % 2 == 0 { document.next_force_id() } else { ForceId(e % 4) };
            let kind = ForceKind::ALL[b as usize % 2];
            let kind = kind.with_field(c as usize % kind.fields().len(), number_from(d));
            let force =
                Force { name: format!("風 {}", id.0), node: node_from(document, a, b), kind, enabled: c % 3 != 0 };
            Edit::PutForce { id, force: (d % 5 != 0).then_some(force) }
        }
        15 => {
            let node = |n: u32| node_from(document, a ^ n, b ^ n);
            let legs = (0..c % 3).map(|leg| [node(leg), node(leg + 7)]).collect();
            // A table allows one leg follower per node.
            let high_leg = HighLeg { node: Node::Bone(BoneId(e % 3)), hip: node(13), legs };
            Edit::PutHighLeg { id: HighLegId(e % 3), high_leg: (d % 5 != 0).then_some(high_leg) }
        }
        _ => Edit::SetMeshVisible { name: format!("mesh {}", a % 3), enabled: b % 2 == 0 },
    }
}

fn shape_from(document: &Document, roll: u32, size: f32) -> ColliderShape {
    let more =
        ColliderShape::ALL.into_iter().skip(3).take(3).filter(|_| document.main_system().solver == SolverKind::Vrm);
    let shapes: Vec<_> = ColliderShape::BASIC.into_iter().chain(more).collect();
    let height = if roll.is_multiple_of(2) { size } else { f32::INFINITY };
    shapes[roll as usize % shapes.len()].with_field(0, size).with_field(1, height)
}

/// Returns random passthrough entries like those that an import keeps if the character cannot use them.
fn passthrough_from(roll: u32) -> Vec<Passthrough> {
    let row = |section: &str, cells: &str| Passthrough::CsvRow {
        section: section.to_owned(),
        cells: cells.split(',').map(str::to_owned).collect(),
    };
    let references = |bone: &str, pivot: &str, target: Option<&str>, colliders: &[&str]| Passthrough::References {
        bone: bone.to_owned(),
        pivot: pivot.to_owned(),
        length_targets: target.map(str::to_owned).into_iter().collect(),
        colliders: colliders.iter().copied().map(str::to_owned).collect(),
    };
    let good = "Ribbon,0.05,0.01,0.4,0,-0.0001,0,1,Head,True,-30,30,False,0,0,0.1,1,other,1.01,Ball";
    let off = Box::new(SetupEntry::DisabledCollider("Ball".to_owned()));
    let all = [
        row("[SpringBones]", good),
        row("[SpringBones]", "Broken,o.5,1"),
        references("bone 3", "Ghost", Some("Lantern"), &["Ball"]),
        references("bone 6", "", None, &["Ball", "Box"]),
        row("[Pivots]", "Ribbon_Pivot,Nowhere,0,10.5,270"),
        row("[Own]", "// Note,More"),
        row("[Colliders]", "Ball,Head,0,0,0,0,0,0,1,1,1,sp,0.1,"),
        row("#yuremono", "#yuremono,2,later,1"),
        row("[Own]", "a,b"),
        Passthrough::Entry { solver: SolverKind::UnityChanSpringBone, entry: off },
    ];
    all.into_iter().enumerate().filter(|(i, _)| roll >> i & 1 == 1).map(|(_, row)| row).collect()
}
