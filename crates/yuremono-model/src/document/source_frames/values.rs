//! Converts parameter values between the frames of two bones, and between characters that face opposite directions.

use crate::document::rest_frame::FrameTurn;
use crate::document::{Chain, ChainValue, Naming};
use glam::{Mat3, Quat, Vec3};
use std::collections::BTreeMap;
use yuremono_sim::SolverKind;
use yuremono_sim::math::JsonNumber;
use yuremono_sim::params::{
    EntryParams, MirrorRule, ParamDef, ParamFrame, ParamId, ParamKind, ParamSet, entries, enumerate_params,
    first_of_entry, mirrored_component,
};
use yuremono_sim::solver::vrm::GRAVITY_DIR;

/// Values by parameter, whatever the keys of the map are.
pub trait ParamValues<V> {
    /// Returns a value. `None` if the map does not contain the parameter.
    fn value(&self, table: &[ParamDef], param: ParamId) -> Option<V>;
    /// Sets a value, or removes it if the map can omit the parameter.
    fn put(&mut self, table: &[ParamDef], param: ParamId, value: Option<V>);
}

impl ParamValues<f32> for ParamSet {
    fn value(&self, _: &[ParamDef], param: ParamId) -> Option<f32> {
        Some(self.get(param))
    }

    fn put(&mut self, _: &[ParamDef], param: ParamId, value: Option<f32>) {
        if let Some(value) = value {
            self.set(param, value);
        }
    }
}

impl<V: Clone> ParamValues<V> for BTreeMap<ParamId, V> {
    fn value(&self, _: &[ParamDef], param: ParamId) -> Option<V> {
        self.get(&param).cloned()
    }

    fn put(&mut self, _: &[ParamDef], param: ParamId, value: Option<V>) {
        match value {
            Some(value) => _ = self.insert(param, value),
            None => _ = self.remove(&param),
        }
    }
}

impl ParamValues<f32> for BTreeMap<String, JsonNumber> {
    fn value(&self, table: &[ParamDef], param: ParamId) -> Option<f32> {
        self.get(table[param.index()].name).map(|value| value.0)
    }

    fn put(&mut self, table: &[ParamDef], param: ParamId, value: Option<f32>) {
        let name = table[param.index()].name;
        match value {
            Some(value) => _ = self.insert(name.to_owned(), JsonNumber(value)),
            None => _ = self.remove(name),
        }
    }
}

impl ParamValues<ChainValue> for BTreeMap<String, ChainValue> {
    fn value(&self, table: &[ParamDef], param: ParamId) -> Option<ChainValue> {
        self.get(table[param.index()].name).cloned()
    }

    fn put(&mut self, table: &[ParamDef], param: ParamId, value: Option<ChainValue>) {
        let name = table[param.index()].name;
        match value {
            Some(value) => _ = self.insert(name.to_owned(), value),
            None => _ = self.remove(name),
        }
    }
}

impl ParamValues<ChainValue> for Vec<ChainValue> {
    fn value(&self, _: &[ParamDef], param: ParamId) -> Option<ChainValue> {
        self.get(param.index()).cloned()
    }

    fn put(&mut self, _: &[ParamDef], param: ParamId, value: Option<ChainValue>) {
        if let (Some(slot), Some(value)) = (self.get_mut(param.index()), value) {
            *slot = value;
        }
    }
}

/// A value that can change its sign.
pub trait Negate {
    /// Returns the value with the other sign. Zero stays positive.
    #[must_use]
    fn negated(self) -> Self;
}

impl Negate for f32 {
    fn negated(self) -> Self {
        0.0 - self
    }
}

impl Negate for ChainValue {
    fn negated(self) -> Self {
        Self { base: self.base.negated(), ..self }
    }
}

/// Turns all vectors that are not in the frame of a bone by half a turn about Y.
pub fn turn_around<V: Negate>(values: &mut impl ParamValues<V>, table: &'static [ParamDef]) {
    let in_world = |(_, def): &(ParamId, &ParamDef)| def.axis().is_some() && !def.in_bone_frame();
    let turned: Vec<_> = enumerate_params(table)
        .filter(in_world)
        .filter_map(|(param, _)| {
            let value = values.value(table, param)?;
            let (to, is_negated_by_x) = mirrored_component(table, param, 0);
            let (to, is_negated_by_z) = mirrored_component(table, to, 2);
            let is_negated = is_negated_by_x != is_negated_by_z;
            (is_negated || to != param).then(|| (param, to, if is_negated { value.negated() } else { value }))
        })
        .collect();
    for (param, ..) in &turned {
        values.put(table, *param, None);
    }
    for (_, to, value) in turned {
        values.put(table, to, Some(value));
    }
}

/// Negates the Z of the gravity of VRM springs: VRM 0.x stores vectors of Unity's space, in which Z is reversed.
pub fn reverse_vrm_gravity<V: Negate>(values: &mut impl ParamValues<V>) {
    let (table, z) = (SolverKind::Vrm.info().params, GRAVITY_DIR[2]);
    if let Some(value) = values.value(table, z) {
        values.put(table, z, Some(value.negated()));
    }
}

/// Calls [`reverse_vrm_gravity`] for the values of a chain and of its joints.
pub fn reverse_chain_gravity<N: Naming>(chain: &mut Chain<N>)
where
    N::ChainValues: ParamValues<ChainValue>,
    N::JointValues: ParamValues<f32>,
{
    reverse_vrm_gravity(&mut chain.values);
    chain.joints.iter_mut().for_each(|joint| reverse_vrm_gravity(&mut joint.overrides));
}

/// The parameters in the frame of a bone by entry, with the definition of the first parameter. Three switches, one for
/// each axis, are one entry.
pub(super) fn bone_frame_entries(
    table: &'static [ParamDef],
) -> impl Iterator<Item = (Vec<ParamId>, &'static ParamDef)> {
    let is_switch =
        |param: ParamId| table.get(param.index()).is_some_and(|def| def.in_bone_frame() && is_axis_switch(def));
    entries(table).filter(|(_, def)| def.in_bone_frame()).filter_map(move |(entry, def)| match entry {
        EntryParams::Single(param) if is_axis_switch(def) => {
            let is_first = param.0 == 0 || !is_switch(ParamId(param.0 - 1));
            is_first.then(|| (param.consecutive::<3>().to_vec(), def))
        }
        EntryParams::Single(param) => Some((vec![param], def)),
        EntryParams::Vector(params) => Some((params.to_vec(), def)),
        EntryParams::Limits(limits) => Some((vec![limits.active, limits.min, limits.max], def)),
    })
}

/// Whether a parameter is a choice of two for one axis, and not a choice of an axis.
fn is_axis_switch(def: &ParamDef) -> bool {
    matches!(def.kind, ParamKind::Choice(choices) if choices.len() < 3)
}

/// Converts the values of a joint that are in the frame of its bone. Returns the definitions of values that stay
/// unchanged, because they need axes that are parallel.
pub fn turn_joint_values(
    values: &mut impl ParamValues<f32>,
    table: &'static [ParamDef],
    turn: &FrameTurn,
) -> Vec<&'static ParamDef> {
    let axes = ParallelAxes::of(turn.rotation);
    let axes_along_bone = turn.rotation_along_bone().and_then(ParallelAxes::of);
    let mut kept = Vec::new();
    let mut changed = Vec::new();
    let mut reversed_axes = Vec::new();
    for (params, def) in bone_frame_entries(table) {
        let is_along_bone = matches!(
            def.frame,
            ParamFrame::AlongBone { unless } if values.value(table, unless).unwrap_or_default() == 0.0
        );
        let axes = if is_along_bone { &axes_along_bone } else { &axes };
        let read = |params: &[ParamId]| -> Option<Vec<f32>> {
            params.iter().map(|param| values.value(table, *param)).collect()
        };
        let Some(old) = read(&params) else { continue };
        let new = match (vector_kind(table, &params), axes) {
            (VectorKind::Direction, _) => Some((turn.rotation * Vec3::from_slice(&old)).to_array().to_vec()),
            (VectorKind::Extents, _) if is_uniform(&old) => continue,
            (VectorKind::Extents, Some(axes)) => Some(axes.sources.map(|(from, _)| old[from]).to_vec()),
            (VectorKind::Range(partner), axes) => {
                let partner: Vec<ParamId> = (0..3).map(|at| ParamId(partner.0 + at)).collect();
                let Some(opposite) = read(&partner) else { continue };
                // The same range on every axis, as in limits that are off, hardly depends on the axes.
                // In a space along the bone, the twist stays the twist, so only the other two ranges have to be the same.
                let depends_on_axes = usize::from(is_along_bone)..;
                let ranges = [&old, &opposite].map(|range| &range[depends_on_axes.clone()]);
                if ranges.iter().all(|range| is_uniform(range)) && ranges[0][0] == -ranges[1][0] {
                    continue;
                }
                axes.as_ref().map(|axes| {
                    axes.sources.map(|(from, is_same)| if is_same { old[from] } else { -opposite[from] }).to_vec()
                })
            }
            (VectorKind::AxisChoice { none }, Some(axes)) => {
                let axis = old[0] - none;
                let to = axes.sources.iter().position(|(from, _)| *from as f32 == axis);
                if to.is_some_and(|to| !axes.sources[to].1) {
                    reversed_axes.push(params[0]);
                }
                Some(vec![to.map_or(old[0], |to| to as f32 + none)])
            }
            (VectorKind::AxisChoice { none }, None) if old[0] < none => continue,
            (_, None) => None,
        };
        match new {
            Some(new) => changed.extend(params.into_iter().zip(new)),
            None => kept.push(def),
        }
    }
    for (param, value) in changed {
        values.put(table, param, Some(value));
    }
    for (param, def) in enumerate_params(table) {
        if let ParamFrame::BoneAxis(axis) = def.frame
            && reversed_axes.contains(&axis)
            && let Some(value) = values.value(table, param)
        {
            values.put(table, param, Some(value.negated()));
        }
    }
    kept
}

fn is_uniform(values: &[f32]) -> bool {
    values.windows(2).all(|pair| pair[0] == pair[1])
}

/// How the values of an entry depend on the axes of the bone.
enum VectorKind {
    /// A vector or a rotation axis.
    Direction,
    /// One end of a range along or about each axis. Contains the first parameter of the other end.
    Range(ParamId),
    /// Lengths along the axes.
    Extents,
    /// The index of an axis, after `none` choices that are no axis.
    AxisChoice { none: f32 },
}

fn vector_kind(table: &[ParamDef], params: &[ParamId]) -> VectorKind {
    let first = &table[params[0].index()];
    if is_axis_switch(first) {
        return VectorKind::Extents;
    }
    if let ParamKind::Choice(choices) = first.kind {
        return VectorKind::AxisChoice { none: choices.len().saturating_sub(3) as f32 };
    }
    let rules = || params.iter().map(|param| table[param.index()].mirror);
    let partner = rules().find_map(|rule| match rule {
        MirrorRule::SwapNegate(partner) => Some(first_of_entry(table, partner)),
        _ => None,
    });
    match partner {
        Some(partner) => VectorKind::Range(partner),
        None if rules().all(|rule| rule == MirrorRule::Same) => VectorKind::Extents,
        None => VectorKind::Direction,
    }
}

/// The axis of the first bone, and whether it has the same direction, for each axis of the second bone.
struct ParallelAxes {
    sources: [(usize, bool); 3],
}

impl ParallelAxes {
    /// Returns `None` if the axes of both bones are not parallel.
    fn of(rotation: Quat) -> Option<Self> {
        let columns = Mat3::from_quat(rotation);
        let source = |to: usize| (0..3).find(|from| columns.col(*from)[to].abs() > 0.9999);
        let sources = [source(0)?, source(1)?, source(2)?];
        let with_sign = |to: usize| (sources[to], columns.col(sources[to])[to] > 0.0);
        Some(Self { sources: [with_sign(0), with_sign(1), with_sign(2)] })
    }
}
