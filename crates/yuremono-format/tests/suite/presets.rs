//! Tests every preset on the bundled character, with every motion of the character.

use crate::joint_limits::{self, LimitedJoint, TOLERANCE_DEG};
use crate::support::{sample, stride};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use yuremono_format::builtin_presets::builtin_presets;
use yuremono_format::preset::{read, write};
use yuremono_model::document::param_edits::EditTargets;
use yuremono_model::document::{Chain, ChainId, ChainPart, ChainValue, Document};
use yuremono_model::feel::{params::FeelContext, params::FeelSet, params::UnavailableReason, params::responses};
use yuremono_model::feel::{
    preset::Preset, preset::PresetProperty, preset::free_oscillation, preset::preset_edit, preset::unreached_targets,
};
use yuremono_sim::params::{ParamDef, ParamKind, ParamMeaning, ParamScope, enumerate_params};
use yuremono_sim::rig::{Character, Pose, Skeleton};
use yuremono_sim::{FeelParam, JointIndex, SolverKind, StepInput, World, solver};

const DT: f32 = 1.0 / 60.0;
/// The maximum number of ticks per motion. A shorter motion repeats.
const MAX_MOTION_TICKS: usize = 150;
/// The number of ticks within which everything must come to rest again.
const MAX_REST_TICKS: usize = 600;
/// By default, one in this number of motions is played; see `support::stride`.
const MOTION_STRIDE: usize = 4;
/// The tips are at rest if they move less than this share of their bones' lengths per tick, as the root mean square. A tip
/// that UnityChan SpringBone presses between two colliders trembles by up to 0.7 mm.
const MAX_STILL_SHARE: f32 = 8e-4;
/// How deep a joint may sink into a collider, relative to the radius of the joint. The colliders of the sample are up to
/// three centimetres larger than its body; `clipping` tests the body itself.
pub(crate) const MAX_CONTACT_SHARE: f32 = 1.5;

pub(crate) fn all_properties(preset: &Preset) -> Vec<PresetProperty> {
    let terms = FeelParam::ALL.into_iter().filter(|term| preset.feel.get(*term).is_some());
    let both = terms.flat_map(|term| [PresetProperty::Base(term), PresetProperty::Curve(term)]);
    both.chain(preset.feel.radius.as_ref().map(|_| PresetProperty::Radius)).collect()
}

pub(crate) fn chains_of_part(document: &Document, part: ChainPart) -> Vec<ChainId> {
    document.chains.iter().filter(|(_, c)| c.part == part).map(|(id, _)| *id).collect()
}

/// Returns the first part of the preset that the character has, or else accessories.
fn best_part_for(document: &Document, preset: &Preset) -> ChainPart {
    let there = preset.parts.iter().find(|part| !chains_of_part(document, **part).is_empty());
    there.copied().unwrap_or(ChainPart::Accessory)
}

/// Returns rounds in which each part of the character has one preset. Each preset is applied once, to its first part.
pub(crate) fn preset_rounds(document: &Document) -> Vec<BTreeMap<ChainPart, &'static Preset>> {
    let mut by_part: BTreeMap<ChainPart, Vec<&'static Preset>> = BTreeMap::new();
    for preset in builtin_presets() {
        by_part.entry(best_part_for(document, preset)).or_default().push(preset);
    }
    let most = by_part.values().map(Vec::len).max().unwrap_or(0);
    let round = |at: usize| by_part.iter().map(|(part, list)| (*part, list[at % list.len()])).collect();
    (0..most).map(round).collect()
}

/// The largest penetration of a joint into a collider, relative to the radius of the joint.
#[derive(Clone, Debug, Default)]
pub(crate) struct DeepestContact {
    pub(crate) share: f32,
    bone: String,
    motion: String,
}

/// Monitors the penetration into colliders, the limits and the rest of a moving character.
struct MotionMonitor<'a> {
    document: &'a Document,
    character: &'a Character,
    /// The index in the world, chain, length and radius of each joint.
    joints: Vec<(JointIndex, ChainId, f32, f32)>,
    radius: BTreeMap<(u32, u32), (f32, ChainId)>,
    deepest: BTreeMap<ChainId, DeepestContact>,
    /// Joints with a limit.
    held: Vec<LimitedJoint>,
    /// The number of observations in which a joint reached its limit.
    stopped: usize,
}

impl<'a> MotionMonitor<'a> {
    fn new(document: &'a Document, character: &'a Character) -> (Self, World) {
        let resolved = document.resolve(&character.skeleton);
        let mut joints = Vec::new();
        let mut radius = BTreeMap::new();
        let all: BTreeMap<ChainId, _> =
            document.chains.keys().map(|id| (*id, responses(document, &character.skeleton, *id))).collect();
        for (system, refs) in resolved.joint_refs.iter().enumerate() {
            for (at, joint) in refs.iter().enumerate() {
                let (_, position) = resolved.joint_by_bone[&joint.bone];
                let index = JointIndex { system: system as u32, joint: at as u32 };
                let thick = all[&joint.chain][position].radius.unwrap_or(0.0);
                joints.push((index, joint.chain, resolved.joint_lengths[&joint.chain][position], thick));
                radius.insert((index.system, index.joint), (thick, joint.chain));
            }
        }
        let world = World::build(&resolved.skeleton, &resolved.systems);
        let held = joint_limits::limited_joints(&resolved)
            .into_iter()
            .map(|held| held.with_rest_direction(&world, &resolved.skeleton))
            .collect();
        (Self { document, character, joints, radius, deepest: BTreeMap::new(), held, stopped: 0 }, world)
    }

    /// Plays a clip, and then holds its last pose until everything is at rest.
    fn play_clip(&mut self, world: &mut World, clip: usize) {
        let clip = &self.character.clips[clip];
        let rest = Pose::rest(world.skeleton());
        let mut pose = rest.clone();
        clip.sample(0.0, &mut pose);
        world.reset(&pose);
        for tick in 0..MAX_MOTION_TICKS {
            pose.copy_from(&rest);
            clip.sample((tick as f32 * DT).rem_euclid(clip.duration), &mut pose);
            world.step(&StepInput { pose: &pose, grab: None, dt: DT });
            assert!(world.frames().frames.iter().all(|f| f.position.is_finite()), "{} at tick {tick}", clip.name);
            self.check_limits(world, &clip.name);
            if tick % 5 == 0 {
                self.record_contacts(world, &clip.name);
            }
        }
        let mut before: Vec<_> = self.tips(world);
        let (mut calm, mut shares) = (0, Vec::new());
        for _ in 0..MAX_REST_TICKS {
            world.step(&StepInput { pose: &pose, grab: None, dt: DT });
            self.check_limits(world, &clip.name);
            let now = self.tips(world);
            let moved = now.iter().zip(&before).zip(&self.joints).map(|((a, b), joint)| a.distance(*b) / joint.2);
            shares = moved.collect::<Vec<f32>>();
            let squares: f32 = shares.iter().map(|share| share * share).sum();
            calm = if (squares / now.len() as f32).sqrt() < MAX_STILL_SHARE { calm + 1 } else { 0 };
            before = now;
            if calm == 10 {
                return;
            }
        }
        let worst = self.joints.iter().zip(&shares).max_by(|a, b| a.1.total_cmp(b.1)).expect("joints");
        let (joint, share) = worst;
        let bone = world.skeleton().name(world.joint_bone(joint.0).expect("a joint"));
        let chain = &self.document.chains[&joint.1].name;
        panic!(
            "after {} {bone} of {chain} swings on for {MAX_REST_TICKS} ticks, by {share} of its length in each",
            clip.name
        );
    }

    /// Checks that no joint is beyond its limit.
    fn check_limits(&mut self, world: &World, motion: &str) {
        for held in &self.held {
            let beyond = held.degrees_beyond_limit(world, None);
            assert!(
                beyond < TOLERANCE_DEG,
                "{} is {beyond} degrees beyond its limit in {motion}",
                held.bone_name(world)
            );
            self.stopped += usize::from(beyond > -TOLERANCE_DEG);
        }
    }

    fn tips(&self, world: &World) -> Vec<glam::Vec3> {
        self.joints.iter().map(|joint| world.tip(joint.0).expect("a joint")).collect()
    }

    fn record_contacts(&mut self, world: &World, motion: &str) {
        for contact in world.contacts() {
            let (radius, chain) = self.radius[&(contact.joint.system, contact.joint.joint)];
            let share = if radius > 0.0 { contact.depth / radius } else { 0.0 };
            let deepest = self.deepest.entry(chain).or_default();
            if share > deepest.share {
                let bone = world.joint_bone(contact.joint).expect("a joint");
                *deepest =
                    DeepestContact { share, bone: world.skeleton().name(bone).to_owned(), motion: motion.to_owned() };
            }
        }
    }

    fn deepest_contact_of(&self, chains: &[ChainId]) -> DeepestContact {
        let all = chains.iter().filter_map(|id| self.deepest.get(id)).cloned();
        all.max_by(|a, b| a.share.total_cmp(&b.share)).unwrap_or_default()
    }
}

/// Returns the motions of a round. Each round plays a different subset of the motions.
fn clips_of_round(character: &Character, round: usize) -> impl Iterator<Item = usize> {
    let stride = stride(MOTION_STRIDE);
    (round % stride..character.clips.len()).step_by(stride)
}

/// Applies every preset with one solver, plays motions, and prints the largest penetration.
#[expect(clippy::print_stdout, reason = "how deep hair sinks is worth reading")]
fn check_presets_with(solver: SolverKind) {
    let opened = sample(solver);
    let mut reported = String::new();
    let (mut held, mut stopped) = (0, 0);
    for (at, round) in preset_rounds(&opened.document).into_iter().enumerate() {
        let mut document = opened.document.clone();
        for (part, preset) in &round {
            let targets = EditTargets { chains: chains_of_part(&document, *part), joints: Vec::new() };
            let step = preset_edit(&document, &opened.character.skeleton, &targets, preset, &all_properties(preset));
            document.apply(step).expect("a preset fits");
            if solver == SolverKind::Vrm {
                joint_limits::set_cone_limits(&mut document, &targets.chains, preset);
            }
        }
        let (mut watch, mut world) = MotionMonitor::new(&document, &opened.character);
        for clip in clips_of_round(&opened.character, at) {
            watch.play_clip(&mut world, clip);
        }
        held += watch.held.len();
        stopped += watch.stopped;
        for (part, preset) in &round {
            let deepest = watch.deepest_contact_of(&chains_of_part(&document, *part));
            let (share, bone, motion) = (100.0 * deepest.share, deepest.bone, deepest.motion);
            _ = writeln!(reported, "{:<20} {:<18} {share:>6.1} %  {bone}  {motion}", solver.key(), preset.key);
        }
    }
    println!("deepest in a collider, as a share of the joint's radius\n{reported}");
    let knows_limits = matches!(solver, SolverKind::UnityChanSpringBone | SolverKind::Vrm);
    assert_eq!(held > 0, knows_limits, "{solver:?}");
    assert_eq!(stopped > 0, knows_limits, "{solver:?}: no joint ever reached its limit");
}

#[test]
fn every_preset_comes_to_rest_after_every_motion_with_unitychan_spring_bone() {
    check_presets_with(SolverKind::UnityChanSpringBone);
}

#[test]
fn every_preset_comes_to_rest_after_every_motion_with_vrm() {
    check_presets_with(SolverKind::Vrm);
}

#[test]
fn every_preset_comes_to_rest_after_every_motion_with_dynamic_bone() {
    check_presets_with(SolverKind::DynamicBone);
}

/// Returns the largest penetration of joints into colliders in every motion. Each motion must end at rest.
pub(crate) fn deepest(document: &Document, character: &Character) -> DeepestContact {
    let (mut watch, mut world) = MotionMonitor::new(document, character);
    for clip in clips_of_round(character, 0) {
        watch.play_clip(&mut world, clip);
    }
    let all: Vec<ChainId> = document.chains.keys().copied().collect();
    watch.deepest_contact_of(&all)
}

#[test]
fn no_joint_of_the_sample_setup_sinks_into_a_collider() {
    for solver in [SolverKind::Vrm, SolverKind::UnityChanSpringBone] {
        let opened = sample(solver);
        let deepest = deepest(&opened.document, &opened.character);
        println!("{}: {:.1} % at {} in {}", solver.key(), 100.0 * deepest.share, deepest.bone, deepest.motion);
        assert!(deepest.share < MAX_CONTACT_SHARE, "{solver:?}: {deepest:?}");
    }
}

/// Returns the target value of the preset and the actual value of a feel parameter, for each joint of a chain.
fn target_and_actual_values(
    document: &Document,
    skeleton: &Skeleton,
    id: ChainId,
    term: FeelParam,
    preset: &Preset,
) -> Vec<[f32; 2]> {
    let then = preset.feel.get(term).expect("the preset sets this parameter");
    let chain = Chain { curve_domain: preset.curve_domain, ..document.chains[&id].clone() };
    let at = |place: f32| then.base * then.curve.as_ref().map_or(1.0, |curve| curve.eval(place));
    let found = FeelContext::new(document, skeleton).values_along_chain(id, term).expect("a value");
    document
        .curve_positions(&chain, skeleton)
        .into_iter()
        .zip(found)
        .map(|(place, (_, found))| [at(place), found])
        .collect()
}

/// Whether a parameter that affects the joint's speed or settling is at the end of its range.
fn is_at_param_limit(document: &Document, skeleton: &Skeleton, id: ChainId, joint: usize) -> bool {
    let chain = &document.chains[&id];
    let place = document.curve_positions(chain, skeleton)[joint];
    let swings = |def: &ParamDef| {
        def.scope == ParamScope::Joint && matches!(def.meaning, ParamMeaning::Drag | ParamMeaning::Stiffness)
    };
    let is_number = |def: &ParamDef| !matches!(def.kind, ParamKind::Toggle | ParamKind::Choice(_));
    enumerate_params(document.param_defs_of(chain)).filter(|(_, def)| swings(def) && is_number(def)).any(
        |(param, def)| {
            let value = chain.joint_value(joint, param, place);
            let span = if def.range.1 < f32::MAX { def.range } else { def.soft_range };
            let near = 1e-3 * (span.1 - span.0);
            [def.range.0, def.range.1].iter().any(|end| (value - end).abs() <= near)
        },
    )
}

/// Returns a preset that sets every property.
fn preset_with_all_properties() -> Preset {
    let level = |base| Some(ChainValue::constant(base));
    let feel = &builtin_presets()[0].feel;
    let feel = FeelSet {
        ignore_motion: level(0.3),
        max_angle: level(40.0),
        weight: level(2.0),
        radius: level(0.2),
        ..feel.clone()
    };
    Preset { key: "complete".to_owned(), feel, ..builtin_presets()[0].clone() }
}

/// Feel parameters that a preset cannot reach on some joint, because of the ranges of the solver.
const UNREACHABLE_FEEL_PARAMS: [(SolverKind, FeelParam); 7] = [
    (SolverKind::AnimDynamics, FeelParam::Settling),
    (SolverKind::DynamicBone, FeelParam::Settling),
    (SolverKind::EzSoftBone, FeelParam::Settling),
    (SolverKind::Hinge, FeelParam::Weight),
    (SolverKind::JointDynamics, FeelParam::Settling),
    (SolverKind::KawaiiPhysics, FeelParam::Settling),
    (SolverKind::Vrm, FeelParam::Settling),
];

#[test]
fn every_preset_works_with_every_solver_or_reports_unreached_targets() {
    let complete = preset_with_all_properties();
    let mut short = BTreeSet::new();
    for solver in SolverKind::ALL {
        let opened = sample(*solver);
        let skeleton = &opened.character.skeleton;
        for preset in builtin_presets().iter().chain([&complete]) {
            let id = chains_of_part(&opened.document, best_part_for(&opened.document, preset))[0];
            let targets = EditTargets { chains: vec![id], joints: Vec::new() };
            let mut document = opened.document.clone();
            let step = preset_edit(&document, skeleton, &targets, preset, &all_properties(preset));
            let changes = document.apply_recorded(step).expect("a preset fits");
            let feels = FeelContext::new(&document, skeleton);
            let missed = unreached_targets(&document, skeleton, id, preset);
            for term in FeelParam::ALL.into_iter().filter(|term| preset.feel.get(*term).is_some()) {
                let place = format!("{solver:?} {} {term:?}", preset.key);
                let miss = missed.iter().find(|miss| miss.property == PresetProperty::Base(term));
                let never = solver.info().unsupported.iter().find(|(cannot, _)| *cannot == term);
                let cannot = never.map(|(_, why)| UnavailableReason::Unsupported(why));
                assert_eq!(feels.unavailable_reason(id, term), cannot, "{place}");
                if cannot.is_some() {
                    assert_eq!(miss.expect("the preset reports it").unavailable, cannot, "{place}");
                    continue;
                }
                let all = target_and_actual_values(&document, skeleton, id, term, preset);
                let is_off = |pair: &[f32; 2]| (pair[1] - pair[0]).abs() > 0.01 * pair[0].abs().max(1e-3);
                for (joint, pair) in all.iter().enumerate().filter(|(_, pair)| is_off(pair)) {
                    assert!(is_at_param_limit(&document, skeleton, id, joint), "{place}, joint {joint}: {pair:?}");
                    short.insert((*solver, term));
                }
                assert_eq!(miss.is_some(), all.iter().any(is_off), "{place}: {miss:?}");
            }
            changes.revert(&mut document);
            assert_eq!(document, opened.document);
        }
    }
    assert_eq!(short, UNREACHABLE_FEEL_PARAMS.into());
}

/// The largest relative change of bone lengths with `SPCRJointDynamics`, whose links stretch. The value was measured.
const MAX_LINK_STRETCH: f32 = 0.1;

#[test]
fn with_every_solver_presets_keep_bone_lengths_while_the_character_spins() {
    for solver in SolverKind::ALL {
        let opened = sample(*solver);
        let skeleton = &opened.character.skeleton;
        let mut document = opened.document.clone();
        let ids: Vec<ChainId> = document.chains.keys().copied().collect();
        assert!(ids.len() >= builtin_presets().len(), "a chain for each preset");
        for (id, preset) in ids.iter().zip(builtin_presets().iter().cycle()) {
            let targets = EditTargets { chains: vec![*id], joints: Vec::new() };
            let step = preset_edit(&document, skeleton, &targets, preset, &all_properties(preset));
            document.apply(step).expect("a preset fits");
        }
        let mut resolved = document.resolve(skeleton);
        // Slackness allows lengths to change, so disable it.
        if *solver == SolverKind::EzSoftBone {
            let joints = resolved.systems.iter_mut().flat_map(|setup| &mut setup.joints);
            joints.for_each(|joint| _ = joint.values.set(solver::ez_soft_bone::SLACKNESS, 0.0));
        }
        // Some solvers restore the length of a bone only in the step after a collision, so remove colliders.
        let joints = resolved.systems.iter_mut().flat_map(|setup| &mut setup.joints);
        joints.for_each(|joint| joint.colliders.clear());
        let mut world = World::build(&resolved.skeleton, &resolved.systems);
        let clip = opened.character.clips.iter().find(|clip| clip.name == "Spin").expect("the sample has this clip");
        let rest = Pose::rest(world.skeleton());
        let (mut pose, mut most) = (rest.clone(), 0.0_f32);
        clip.sample(0.0, &mut pose);
        world.reset(&pose);
        for tick in 0..60 {
            pose.copy_from(&rest);
            clip.sample(tick as f32 * DT, &mut pose);
            world.step(&StepInput { pose: &pose, grab: None, dt: DT });
            for (system, refs) in resolved.joint_refs.iter().enumerate() {
                for (at, joint) in refs.iter().enumerate() {
                    let index = JointIndex { system: system as u32, joint: at as u32 };
                    let head = world.frames().frame(joint.bone).position;
                    let length = world.tip_offset(index).expect("a joint").length();
                    let share = world.tip(index).expect("a joint").distance(head) / length;
                    assert!(share.is_finite(), "{solver:?}: {} at tick {tick}", skeleton.name(joint.bone));
                    most = most.max((share - 1.0).abs());
                }
            }
        }
        println!("{}: bones are off their length by {:.5} % at most", solver.key(), 100.0 * most);
        let may = if *solver == SolverKind::JointDynamics { MAX_LINK_STRETCH } else { 1e-4 };
        assert!(most <= may, "{solver:?}: a bone is {most} of its length too long or too short");
    }
}

#[test]
fn preset_files_round_trip_and_names_are_unique() {
    let mut names = BTreeSet::new();
    for preset in builtin_presets() {
        let bytes = write(preset);
        let (again, reported) = read(&bytes, &format!("{}.preset.json", preset.key)).expect("it reads");
        assert!(reported.is_empty() && again == *preset, "{}", preset.key);
        assert_eq!(write(&again), bytes);
        assert!(names.insert(preset.name.en.clone()) && names.insert(preset.name.ja.clone()), "{}", preset.key);
    }
    assert!(builtin_presets().len() >= 16);
}

#[test]
fn invalid_preset_files_are_rejected_with_location_and_reason() {
    let good = String::from_utf8(write(&builtin_presets()[0])).expect("text");
    let speed = good.find("\"base\"").map(|at| good[at..].split_once(',').expect("more").0.to_owned()).expect("a base");
    let cases = [
        (String::new(), "mine.preset.json:1"),
        ("[]".to_owned(), "not a preset"),
        (good[..good.len() / 2].to_owned(), "not JSON"),
        (good.replace("\"yuremono_preset\": 1", "\"yuremono_preset\": 99"), "yuremono_preset"),
        (good.replacen(&speed, "\"base\": -3.0", 1), "feel"),
        (good.replacen(&speed, "\"base\": \"NaN\"", 1), "mine.preset.json:"),
        (good.replacen(&speed, "\"base\": 1e999", 1), "number out of range"),
        (good.replacen("\"parts\": [", "\"parts\": [\"wings\", ", 1), "wings"),
        (format!("{}{}", good, " ".repeat(11 << 20)), "KiB"),
    ];
    for (text, place) in cases {
        let reported = match read(text.as_bytes(), "mine.preset.json") {
            Ok((_, reported)) | Err(reported) => reported,
        };
        let reported: Vec<String> = reported.iter().map(ToString::to_string).collect();
        let head: String = text.chars().take(60).collect();
        assert!(!reported.is_empty(), "{head}");
        assert!(reported.iter().all(|t| t.contains("mine.preset.json")), "{reported:?}");
        assert!(reported.iter().any(|t| t.contains(place)), "{place} in {reported:?}");
    }
}

#[test]
fn the_preview_curve_of_a_preset_is_bounded_for_any_speed_and_damping() {
    for (speed, settle) in [(0.0, 0.0), (0.0, 0.5), (0.0, 1.0), (1e30, 0.3), (1e30, 5.0), (3.0, 0.0), (3.0, 1e30)] {
        let text = format!(
            r#"{{"yuremono_preset": 1, "name": {{"en": "x"}}, "parts": ["hair"],
            "feel": {{"speed": {{"base": {speed:e}}}, "settling": {{"base": {settle:e}}}}}}}"#
        );
        let (preset, _) = read(text.as_bytes(), "x.preset.json").expect("a preset");
        let drawn = free_oscillation(&preset, 1.2, 40);
        assert!(drawn.iter().all(|at| at.abs() <= 1.0 + 1e-4), "{speed} Hz, {settle}: {drawn:?}");
    }
}
