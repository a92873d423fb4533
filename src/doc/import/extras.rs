//! What a document says beyond the engine's version 4, as comment rows and back.

use super::apply::part_of;
use super::groups::Groups;
use super::leads::Finder;
use super::names::Names;
use super::place::{self, known_parent};
use super::view::{carried, signed};
use super::{ImportPlan, Missing, PlanRow, RowState, View, groups, lists, materials};
use crate::doc::pivot::Axis;
use crate::doc::table::{Extra, ExtraRow, ForceCells, Section};
use crate::doc::{
    Along, Chain, ChainId, Document, Force, ForceId, GroupId, Helper, HelperRole, Joint, Node, Part, Tip,
};
use crate::math::Trs;
use crate::rig::{BoneId, Pose, Skeleton, WorldPose};
use crate::schema::{FormerValue, Kind, Row, Scope, find_row_or_former, rows};
use glam::{Quat, Vec3};
use std::collections::BTreeSet;

/// Everything that the comment rows of a table would say.
pub(super) fn of_document(view: &View<'_>, axis: Axis, with_defaults: bool) -> Vec<Extra> {
    let document = view.document;
    let mut all = Vec::new();
    all.extend(of_component(view));
    all.extend(of_system(document, axis, with_defaults));
    all.extend(groups::of_document(document));
    let bone_name = |bone: BoneId| own_name(view.skeleton, bone);
    for chain in document.chains.values() {
        if let Some(root) = bone_name(chain.root()) {
            // A table of comment rows leaves out what importing derives from names; other files say every part.
            let usual = if with_defaults { Part::Other } else { part_of(view.skeleton, chain.root()) };
            chain_extras(view, chain, (&root, usual), axis, &mut all);
        }
        for joint in &chain.joints {
            if let Some(bone) = bone_name(joint.bone) {
                joint_extras(view, joint, &bone, axis, &mut all);
            }
        }
    }
    let unique = |name: &str| document.colliders.values().filter(|c| c.name == name).count() == 1;
    for collider in document.colliders.values().filter(|c| !c.enabled && unique(&c.name)) {
        all.push(Extra::Collider { name: collider.name.clone(), on: false });
    }
    all.extend(document.renderers_off.iter().map(|name| Extra::Renderer { name: name.clone(), on: false }));
    all.extend(document.excluded.iter().filter_map(|b| bone_name(*b)).map(|bone| Extra::Excluded { bone }));
    all.extend(document.forces.values().filter_map(|f| force_extra(view, f, axis)).map(Box::new).map(Extra::Force));
    all
}

/// What the engine's component is called and sits on; nothing where a table holds the chains of several.
fn of_component(view: &View<'_>) -> Vec<Extra> {
    if view.document.systems.len() > 1 {
        return Vec::new();
    }
    let system = view.document.main();
    let named = (!system.name.is_empty()).then(|| Extra::Named { name: system.name.clone() });
    let node = system.component.and_then(|node| view.names.name(node));
    named.into_iter().chain(node.map(|node| Extra::SitsOn { node: node.to_owned() })).collect()
}

/// Values of the character; those that are the engine's own defaults only where asked for, which stand otherwise on the
/// other side of the space change.
pub(super) fn of_system(document: &Document, axis: Axis, with_defaults: bool) -> impl Iterator<Item = Extra> + '_ {
    let table = document.main().table();
    let system = rows(table).filter(|(_, def)| def.scope == Scope::System);
    system
        .map(|(row, def)| (row, def, document.main().get(row)))
        .filter(move |(_, def, value)| with_defaults || *value != def.default)
        .map(move |(row, _, value)| {
            let (to, negate) = carried(table, row, axis);
            Extra::System { row: table[to.index()].name.to_owned(), value: signed(value, negate) }
        })
}

/// The name of a bone that a table can find by it.
pub(super) fn own_name(skeleton: &Skeleton, bone: BoneId) -> Option<String> {
    let name = (bone.index() < skeleton.len()).then(|| skeleton.name(bone))?;
    (skeleton.find(name) == Some(bone)).then(|| name.to_owned())
}

/// `usual` is the part that a chain has without a row of its own.
fn chain_extras(view: &View<'_>, chain: &Chain, (root, usual): (&str, Part), axis: Axis, all: &mut Vec<Extra>) {
    let document = view.document;
    let hangs_on_another = view.skeleton.parent_of(chain.root()).is_some_and(|p| document.joint_of(p).is_some());
    if chain.name != root || chain.part != usual || chain.along != Along::Length || hangs_on_another {
        let (root, name) = (root.to_owned(), chain.name.clone());
        all.push(Extra::Chain { root, name, part: chain.part, along: chain.along });
    }
    let material = document.material_of(chain);
    let held = |row: &Row| material.is_some_and(|material| material.values.contains_key(row));
    for (row, def) in rows(document.main().table()).filter(|(_, def)| def.scope == Scope::Joint) {
        let value = &chain.values[row.index()];
        if value.curve.is_some() || (def.beyond && value.base != def.default) || held(&row) {
            let (to, negate) = carried(document.main().table(), row, axis);
            let (row, base) = (document.main().def(to).name.to_owned(), signed(value.base, negate));
            all.push(Extra::Value { root: root.to_owned(), row, base, curve: value.curve.clone() });
        }
    }
    all.extend(material.map(|m| Extra::Material { root: root.to_owned(), name: m.name.clone() }));
    groups::of_chain(view, chain, root, all);
}

fn joint_extras(view: &View<'_>, joint: &Joint, bone: &str, axis: Axis, all: &mut Vec<Extra>) {
    let bone = || bone.to_owned();
    for (row, value) in &joint.own {
        let def = view.document.main().def(*row);
        if def.beyond && def.scope == Scope::Joint {
            let (to, negate) = carried(view.document.main().table(), *row, axis);
            let row = view.document.main().def(to).name.to_owned();
            all.push(Extra::Joint { bone: bone(), row, value: signed(*value, negate) });
        }
    }
    all.extend(groups::of_joint(view, joint, axis));
    if !joint.enabled {
        all.push(Extra::Enabled { bone: bone(), on: false });
    }
    if joint.animated {
        all.push(Extra::Animated { bone: bone(), on: true });
    }
    match joint.tip {
        Tip::Children => {}
        Tip::Bone(child) => {
            all.extend(own_name(view.skeleton, child).map(|child| Extra::TipBone { bone: bone(), child }));
        }
        Tip::Offset(at) => all.push(Extra::TipAt { bone: bone(), at: axis.point(at).to_array() }),
    }
    for target in &joint.length_targets {
        if let (Some(constant), Some(name)) = (target.constant, view.names.name(target.node)) {
            all.push(Extra::Length { bone: bone(), target: name.to_owned(), constant });
        }
    }
}

fn force_extra(view: &View<'_>, force: &Force, axis: Axis) -> Option<ForceCells> {
    let (node, parent, local) = match force.node {
        Node::Bone(_) => (String::new(), force.node, Trs::IDENTITY),
        Node::Helper(id) => {
            let helper = view.document.helpers.get(&id)?;
            let (parent, local) = known_parent(view.document, helper);
            (helper.name.clone(), parent, local)
        }
    };
    let rotation = if local == Trs::IDENTITY && node.is_empty() { Quat::IDENTITY } else { axis.unface(local.rotation) };
    Some(ForceCells {
        name: force.name.clone(),
        node,
        parent: view.names.name(parent)?.to_owned(),
        position: axis.point(local.translation).to_array(),
        rotation: rotation.to_array(),
        scale: local.scale.to_array(),
        on: force.enabled,
        kind: force.kind,
    })
}

/// Bones with which chains begin by what the rows say.
pub(super) fn roots(rows: &[ExtraRow], find: impl Fn(&str) -> Option<BoneId>) -> BTreeSet<BoneId> {
    rows.iter().filter_map(|row| row.cells.as_ref().ok()?.root()).filter_map(find).collect()
}

/// Whether a row changed anything, or what it misses.
pub(super) type Went = Result<bool, Missing>;

/// Brings comment rows into a document; names mean what the finder says.
pub(super) struct Writer<'a> {
    finder: Finder<'a>,
    axis: Axis,
    rest: WorldPose,
    /// Forces that a row has been about.
    taken: BTreeSet<ForceId>,
    groups: Groups,
}

impl<'a> Writer<'a> {
    pub(super) fn new(finder: Finder<'a>, axis: Axis) -> Self {
        let rest = WorldPose::of(finder.skeleton(), &Pose::rest(finder.skeleton()));
        Self { finder, axis, rest, taken: BTreeSet::new(), groups: Groups::default() }
    }

    /// The same where chains that the rows do not speak of have these groups: they stay as they are.
    pub(super) fn beside(self, groups: BTreeSet<GroupId>) -> Self {
        Self { groups: Groups::beside(groups), ..self }
    }

    /// All rows, chains and groups first, a component's lists last; for each how it went: whether anything changed, or what
    /// is not here.
    pub(super) fn put_all(&mut self, document: &mut Document, rows: &[ExtraRow]) -> Vec<Option<Went>> {
        self.groups.look(rows);
        let mut went = vec![None; rows.len()];
        let turn = |extra: &Extra| match extra {
            Extra::Chain { .. } | Extra::Group { .. } => 0,
            Extra::Lists(_) => 2,
            _ => 1,
        };
        for now in 0..3 {
            for (at, row) in rows.iter().enumerate() {
                if let Ok(extra) = &row.cells
                    && turn(extra) == now
                {
                    went[at] = Some(self.put(document, extra));
                }
            }
        }
        let named = rows.iter().enumerate().filter_map(|(at, row)| match &row.cells {
            Ok(Extra::Material { root, name }) => Some((at, self.chain(document, root).ok()?, name.as_str())),
            _ => None,
        });
        for (at, changed) in materials::share(document, &named.collect::<Vec<_>>()) {
            went[at] = Some(Ok(changed));
        }
        went
    }

    fn put(&mut self, document: &mut Document, extra: &Extra) -> Went {
        if let Extra::Lists(cells) = extra {
            lists::check(cells, document)?;
        }
        match extra {
            Extra::System { row, value } => {
                let (row, value) = self.value_of(document, row, *value, Scope::System)?;
                Ok(document.main_mut().values.set(row, value) != value)
            }
            // As an export has none where a table holds the chains of several.
            Extra::Named { .. } | Extra::SitsOn { .. } | Extra::Lists(_) if document.systems.len() > 1 => Ok(false),
            Extra::Named { name } => Ok(set(&mut document.main_mut().name, name.clone())),
            Extra::SitsOn { node } => {
                let found = self.node(document, node)?;
                Ok(set(&mut document.main_mut().component, Some(found)))
            }
            Extra::Joint { bone, row, value } => {
                let (row, value) = self.value_of(document, row, *value, Scope::Joint)?;
                Ok(self.joint(document, bone)?.own.insert(row, value) != Some(value))
            }
            Extra::Enabled { bone, on } => Ok(set(&mut self.joint(document, bone)?.enabled, *on)),
            Extra::Animated { bone, on } => Ok(set(&mut self.joint(document, bone)?.animated, *on)),
            Extra::TipBone { bone, child } => {
                let tip = Tip::Bone(self.bone(child)?);
                Ok(set(&mut self.joint(document, bone)?.tip, tip))
            }
            Extra::TipAt { bone, at } => {
                let tip = Tip::Offset(self.axis.point(Vec3::from_array(*at)));
                Ok(set(&mut self.joint(document, bone)?.tip, tip))
            }
            Extra::Length { bone, target, constant } => {
                let node = self.node(document, target)?;
                let joint = self.joint(document, bone)?;
                // A table may name a target twice; both are the same link.
                let found = joint.length_targets.iter_mut().filter(|t| t.node == node);
                let changed: Vec<bool> = found.map(|t| set(&mut t.constant, Some(*constant))).collect();
                if changed.is_empty() { Err(Missing::Target(target.clone())) } else { Ok(changed.contains(&true)) }
            }
            Extra::Excluded { bone } => Ok(document.excluded.insert(self.bone(bone)?)),
            Extra::Renderer { name, on: true } => Ok(document.renderers_off.remove(name)),
            Extra::Renderer { name, on: false } => Ok(document.renderers_off.insert(name.clone())),
            Extra::Collider { name, on } => {
                let found = document.colliders.values_mut().find(|c| c.name == *name);
                Ok(set(&mut found.ok_or_else(|| Missing::Collider(name.clone()))?.enabled, *on))
            }
            Extra::Chain { root, name, part, along } => {
                let id = self.chain(document, root)?;
                let chain = chain_of(document, id, root)?;
                let changed = set(&mut chain.name, name.clone()) | set(&mut chain.part, *part);
                Ok(changed | set(&mut chain.along, *along))
            }
            Extra::Value { root, row, base, curve } => {
                let (row, base) = self.value_of(document, row, *base, Scope::Joint)?;
                let id = self.chain(document, root)?;
                let toggle = document.main().def(row).kind == Kind::Toggle;
                let skeleton = self.finder.skeleton();
                let places = document.chains.get(&id).map(|c| document.places_in(c, &self.rest, skeleton));
                let chain = chain_of(document, id, root)?;
                let slot = &mut chain.values[row.index()];
                let changed = set(&mut slot.base, base) | set(&mut slot.curve, curve.clone());
                if changed {
                    follow(chain, &places.unwrap_or_default(), row, toggle);
                }
                Ok(changed)
            }
            Extra::Group { number, name, colliders } => self.groups.put(document, *number, name, colliders),
            Extra::Groups { root, numbers } => {
                let id = self.chain(document, root)?;
                self.groups.give(document, id, numbers)
            }
            Extra::Center { root, node } => {
                let node = self.node(document, node)?;
                let id = self.chain(document, root)?;
                Ok(set(&mut chain_of(document, id, root)?.center, Some(node)))
            }
            // Once all numbers are there.
            Extra::Material { root, .. } => self.chain(document, root).map(|_| false),
            Extra::Swing { bone, limit } => {
                let limit = groups::mirrored_limit(*limit, self.axis);
                Ok(set(&mut self.joint(document, bone)?.limit, Some(limit)))
            }
            Extra::Force(cells) => self.force(document, cells),
            Extra::Lists(cells) => {
                let (lists, _) = lists::found(cells, document, self.finder, self.axis);
                Ok(set(&mut document.main_mut().extras, lists))
            }
        }
    }

    fn force(&mut self, document: &mut Document, cells: &ForceCells) -> Went {
        let snapshot = document.clone();
        let names = Names::of(&snapshot, self.finder.skeleton());
        let parent = self.node(&snapshot, &cells.parent)?;
        let free = |(id, f): &(&ForceId, &Force)| f.name == cells.name && !self.taken.contains(*id);
        let old = snapshot.forces.iter().find(free).map(|(id, f)| (*id, f));
        let still = cells.position == [0.0; 3] && cells.rotation == [0.0, 0.0, 0.0, 1.0] && cells.scale == [1.0; 3];
        let node = if cells.node.is_empty() && still {
            parent
        } else {
            let local = Trs {
                translation: self.axis.point(Vec3::from_array(cells.position)),
                rotation: self.axis.face(Quat::from_array(cells.rotation)),
                scale: Vec3::from_array(cells.scale),
            };
            let stands = |node: Node| {
                let Node::Helper(id) = node else { return false };
                let helper = &snapshot.helpers[&id];
                helper.name == cells.node && known_parent(&snapshot, helper) == (parent, local)
            };
            if let Some((_, force)) = old.filter(|(_, f)| stands(f.node)) {
                force.node
            } else {
                let helper = Helper { name: cells.node.clone(), parent, local, role: HelperRole::Plain };
                let same = names.below(parent).find(|id| snapshot.helpers[id].name == cells.node);
                place::Placement::Helper(same, helper).put(document)
            }
        };
        let id = old.map_or_else(|| document.fresh_force(), |(id, _)| id);
        let force = Force { name: cells.name.clone(), node, kind: cells.kind, enabled: cells.on };
        self.taken.insert(id);
        let changed = snapshot.forces.get(&id) != Some(&force) || snapshot.helpers != document.helpers;
        document.forces.insert(id, force);
        Ok(changed)
    }

    /// The row that a named value goes to, and the value there.
    fn value_of(&self, document: &Document, name: &str, value: f32, scope: Scope) -> Result<(Row, f32), Missing> {
        let (row, was) = row_of(document, name, scope)?;
        let (row, negate) = carried(document.main().table(), row, self.axis);
        Ok((row, signed(was.current(value), negate)))
    }

    fn bone(&self, name: &str) -> Result<BoneId, Missing> {
        self.finder.bone(name).ok_or_else(|| Missing::Bone(name.to_owned()))
    }

    fn node(&self, document: &Document, name: &str) -> Result<Node, Missing> {
        let found = self.finder.node(name, &Names::of(document, self.finder.skeleton()));
        found.ok_or_else(|| Missing::Node(name.to_owned()))
    }

    fn joint<'d>(&self, document: &'d mut Document, bone: &str) -> Result<&'d mut Joint, Missing> {
        let lost = || Missing::Joint(bone.to_owned());
        let (chain, at) = document.joint_of(self.bone(bone)?).ok_or_else(lost)?;
        document.chains.get_mut(&chain).map(|c| &mut c.joints[at]).ok_or_else(lost)
    }

    fn chain(&self, document: &Document, root: &str) -> Result<ChainId, Missing> {
        let found = document.joint_of(self.bone(root)?);
        found.filter(|(_, at)| *at == 0).map(|(id, _)| id).ok_or_else(|| Missing::Chain(root.to_owned()))
    }
}

fn chain_of<'d>(document: &'d mut Document, id: ChainId, root: &str) -> Result<&'d mut Chain, Missing> {
    document.chains.get_mut(&id).ok_or_else(|| Missing::Chain(root.to_owned()))
}

fn set<T: PartialEq>(slot: &mut T, value: T) -> bool {
    let changed = *slot != value;
    *slot = value;
    changed
}

fn row_of(document: &Document, name: &str, scope: Scope) -> Result<(Row, FormerValue), Missing> {
    let row = find_row_or_former(document.main().table(), name);
    let row = row.filter(|(row, _)| document.main().def(*row).scope == scope);
    row.ok_or_else(|| Missing::Parameter(name.to_owned()))
}

impl ImportPlan {
    /// What the comment rows would change once all other rows are in.
    pub(super) fn plan_extras(&mut self, view: &View<'_>) {
        if self.table.extras.is_empty() {
            return;
        }
        let (mut after, _) = self.merged(view.document, view.skeleton);
        let went = Writer::new(self.finder(view.skeleton), self.mirror).put_all(&mut after, &self.table.extras);
        let planned = self.table.extras.iter().zip(went).map(|(row, went)| {
            let state = match (&row.cells, went) {
                (Err(bad), _) => RowState::BadCells(bad.problems.clone()),
                (Ok(_), Some(Err(missing))) => RowState::Missing(missing),
                (Ok(extra), went) => {
                    let changes = usize::from(matches!(went, Some(Ok(true))));
                    let notes = match extra {
                        Extra::Lists(cells) => lists::notes(cells, &after, self.finder(view.skeleton), self.mirror),
                        extra => groups::notes(extra, &after),
                    };
                    RowState::Matches { changes, stiffness: None, notes }
                }
            };
            PlanRow::new(row, None, state)
        });
        self.rows[Section::Extras as usize] = planned.collect();
    }

    /// Brings the ticked comment rows in; positions of those that find nothing here.
    pub(super) fn put_extras(&self, after: &mut Document, skeleton: &Skeleton) -> BTreeSet<usize> {
        let ticked = |(at, row): (usize, &ExtraRow)| {
            let mut row = row.clone();
            if !self.is_ticked(Section::Extras, at) {
                row.cells = Err(crate::doc::table::BadRow { cells: Vec::new(), problems: Vec::new() });
            }
            row
        };
        let rows: Vec<_> = self.table.extras.iter().enumerate().map(ticked).collect();
        let went = Writer::new(self.finder(skeleton), self.mirror).put_all(after, &rows);
        let planned = self.rows_of(Section::Extras).iter().map(|r| matches!(r.state, RowState::Missing(_)));
        let lost = |went: Option<Went>| matches!(went, Some(Err(_)));
        let lost = went.into_iter().zip(planned).enumerate().filter(|(_, (went, gone))| *gone || lost(went.clone()));
        lost.map(|(at, _)| at).collect()
    }
}

/// Joints whose own number is what the chain says follow the chain.
fn follow(chain: &mut Chain, places: &[f32], row: Row, toggle: bool) {
    for (at, place) in places.iter().copied().enumerate() {
        let shared = chain.shared(row, place);
        let own = &mut chain.joints[at].own;
        // A file may have been written with seven digits; of toggles it only says whether they are on.
        let same = |own: &f32| {
            if toggle { (*own != 0.0) == (shared != 0.0) } else { (own - shared).abs() <= 1e-6 * shared.abs() }
        };
        if own.get(&row).is_some_and(same) {
            own.remove(&row);
        }
    }
}
