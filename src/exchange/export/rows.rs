//! The rows of a table: joints with the values that the solver gets, and the nodes that they refer to.

use super::entry::entry;
use crate::document::{
    ByName, Chain, Collider, ColliderId, Helper, HelperId, HelperRole, HighLeg, Joint, JointItem, JointScope,
    LengthTarget, Node, NodeRef, Passthrough, SetupItem, System,
};
use crate::exchange::ExportOptions;
use crate::exchange::loss;
use crate::exchange::solver_part::{SolverPart, shape_rank, without_doubles};
use crate::exchange::unbind::lost_name;
use crate::exchange::{ExportLoss, FileItem};
use crate::math::{Number, Trs};
use crate::rig::BoneId;
use crate::schema::{Scope, rows};
use std::collections::{BTreeMap, BTreeSet};

/// The rows of a table and what they lose.
#[derive(Default)]
pub(super) struct Rows {
    /// Section by section.
    pub(super) items: Vec<FileItem>,
    /// The helpers that readers find by the name of a row.
    pub(super) described: BTreeSet<HelperId>,
    pub(super) losses: Vec<ExportLoss>,
}

impl Rows {
    /// All rows that the options ask for.
    pub(super) fn of(part: &SolverPart<'_>, options: ExportOptions) -> Self {
        let mut made = Self::default();
        if options.bones {
            made.push_joints(part, options.empty_pivots);
        }
        if options.colliders {
            made.push_colliders(part, options);
            made.push_nulls(part);
            made.push_high_legs(part);
        }
        made
    }

    fn push_joints(&mut self, part: &SolverPart<'_>, empty_pivots: bool) {
        let kept = kept_references(part);
        let mut joints = Vec::new();
        for (_, chain) in part.chains() {
            let name = || chain.name.clone();
            let has_curve = chain.values.iter().any(|value| value.curve.is_some());
            self.losses.extend(has_curve.then(|| ExportLoss::Curves(name())));
            self.losses.extend(chain.material.map(|_| ExportLoss::Material(name())));
            let places = part.places(chain);
            joints.extend(places.into_iter().enumerate().map(|(at, place)| JointAt { chain, at, place }));
        }
        // A stable sort keeps the order of chains for a bone that has two joints.
        joints.sort_by_key(|joint| (part.names.rank(Node::Bone(joint.bone())), joint.bone()));
        let (mut pivots, mut named) = (Vec::new(), BTreeSet::new());
        for at in joints {
            let bone = at.bone();
            if bone.index() >= part.skeleton.len() {
                self.losses.push(ExportLoss::LostBone(lost_name(part.document, bone)));
                continue;
            }
            let is_limited = part.solver.info().limits_act(|row| at.chain.value(at.at, row, at.place));
            loss::of_joint(part, at.joint(), is_limited, &mut self.losses);
            let kept = kept.get(part.skeleton.name(bone)).copied();
            self.items.push(entry(0, SetupItem::Joint(joint_row(part, &at, kept, empty_pivots))));
            if part.solver.info().pivots
                && let Some((id, pivot)) = pivot_row(part, at.joint())
                && named.insert(pivot.name.clone())
            {
                self.described.insert(id);
                pivots.push(entry(0, SetupItem::Node(pivot)));
            }
        }
        self.items.extend(pivots);
    }

    fn push_colliders(&mut self, part: &SolverPart<'_>, options: ExportOptions) {
        let mut colliders: Vec<(&ColliderId, &Collider)> = part.document.colliders.iter().collect();
        colliders.sort_by_key(|(id, c)| (shape_rank(&c.shape), part.names.rank(c.node), **id));
        let mut seen = BTreeSet::new();
        for (_, collider) in colliders {
            let name = || collider.name.clone();
            if !part.solver.info().supports(&collider.shape) || !options.format.holds(&collider.shape) {
                self.losses.push(ExportLoss::UnknownShape(name()));
                continue;
            }
            if !seen.insert((shape_rank(&collider.shape), &collider.name)) {
                self.losses.push(ExportLoss::SharedCollider(name()));
            }
            let Some(node) = collider_node(part, collider) else {
                self.losses.push(ExportLoss::LostCollider(name()));
                continue;
            };
            if let Node::Helper(id) = collider.node
                && part.names.name(collider.node) == Some(&collider.name)
            {
                self.described.insert(id);
            }
            let row = Collider {
                renderer: collider.renderer.clone(),
                ..Collider::new(name(), NodeRef::Placed(Box::new(node)), collider.shape)
            };
            self.items.push(entry(0, SetupItem::Collider(row)));
        }
    }

    fn push_nulls(&mut self, part: &SolverPart<'_>) {
        let asked = asked_for(part);
        let is_null = |(id, helper): &(&HelperId, &Helper)| {
            helper.role == HelperRole::Null || asked.contains(&Node::Helper(**id))
        };
        let mut nulls: Vec<_> = part.document.helpers.iter().filter(is_null).collect();
        nulls.sort_by_key(|(id, _)| (part.names.rank(Node::Helper(**id)), **id));
        for (id, helper) in nulls {
            let (parent, local) = part.known_parent(helper);
            let Some(parent) = part.names.name(parent).map(NodeRef::from) else { continue };
            self.described.insert(*id);
            let row = Helper { name: helper.name.clone(), parent, local, role: HelperRole::Null };
            self.items.push(entry(0, SetupItem::Node(row)));
        }
    }

    fn push_high_legs(&mut self, part: &SolverPart<'_>) {
        let mut high_legs: Vec<_> = part.document.high_legs.iter().collect();
        high_legs.sort_by_key(|(id, high_leg)| (part.names.rank(high_leg.node), **id));
        for (_, high_leg) in high_legs {
            if let Some(row) = high_leg_row(part, high_leg) {
                self.items.push(entry(0, SetupItem::HighLeg(row)));
            } else {
                let name = part.names.name(high_leg.node).unwrap_or_default();
                self.losses.push(ExportLoss::LostHighLeg(name.to_owned()));
            }
        }
    }
}

/// A joint with its position in its chain and its place along the curves of the chain.
struct JointAt<'a> {
    chain: &'a Chain,
    at: usize,
    place: f32,
}

impl<'a> JointAt<'a> {
    fn joint(&self) -> &'a Joint {
        &self.chain.joints[self.at]
    }

    fn bone(&self) -> BoneId {
        self.joint().bone
    }
}

/// What a joint of this character refers to and the character lacks.
#[derive(Clone, Copy)]
struct KeptReferences<'a> {
    pivot: &'a str,
    length_targets: &'a [String],
    colliders: &'a [String],
}

/// By the name of the joint's bone.
fn kept_references<'a>(part: &SolverPart<'a>) -> BTreeMap<&'a str, KeptReferences<'a>> {
    let references = part.document.setup.passthrough.iter().filter_map(|kept| match kept {
        Passthrough::References { bone, pivot, length_targets, colliders } => {
            Some((bone.as_str(), KeptReferences { pivot, length_targets, colliders }))
        }
        _ => None,
    });
    references.collect()
}

fn joint_row(
    part: &SolverPart<'_>,
    at: &JointAt<'_>,
    kept: Option<KeptReferences<'_>>,
    empty_pivots: bool,
) -> JointItem {
    let joint = at.joint();
    let mut row = Joint::<ByName>::new(part.skeleton.name(joint.bone).to_owned());
    let own = rows(part.main.table()).filter(|(_, def)| def.scope == Scope::Joint && !def.beyond);
    row.own = own.map(|(id, def)| (def.name.to_owned(), Number(at.chain.value(at.at, id, at.place)))).collect();
    row.colliders = collider_names(part, at, kept.map_or(&[], |kept| kept.colliders));
    if part.solver.info().pivots {
        row.pivot = pivot_name(part, joint, kept.map_or("", |kept| kept.pivot), empty_pivots).map(NodeRef::from);
        let live = joint.length_targets.iter().filter_map(|target| part.names.name(target.node));
        let kept = kept.into_iter().flat_map(|kept| kept.length_targets).map(String::as_str);
        row.length_targets = live.chain(kept).map(|name| LengthTarget::new(NodeRef::from(name))).collect();
    }
    JointItem { scope: JointScope::Row, chain: None, joint: row }
}

/// The colliders of the chain's groups, those of the joint and those that the character lacks, each once.
fn collider_names(part: &SolverPart<'_>, at: &JointAt<'_>, kept: &[String]) -> Vec<String> {
    let all = part.document.colliders_of(at.chain, at.joint()).filter_map(|id| part.document.colliders.get(&id));
    let mut live: Vec<&Collider> = all.filter(|collider| part.solver.info().supports(&collider.shape)).collect();
    if part.solver.info().pivots {
        live.sort_by_key(|collider| shape_rank(&collider.shape));
    }
    without_doubles(live.into_iter().map(|collider| &collider.name).chain(kept).cloned().collect())
}

/// UnityChan rejects an empty pivot cell, so a joint without a pivot names its parent unless the artist wants it empty.
fn pivot_name<'a>(part: &SolverPart<'a>, joint: &Joint, kept: &'a str, is_empty_allowed: bool) -> Option<&'a str> {
    let live = joint.pivot.and_then(|pivot| part.names.name(pivot));
    let parent = || part.skeleton.parent_of(joint.bone).map(|parent| part.skeleton.name(parent));
    let name = live.or((!kept.is_empty()).then_some(kept));
    let name = if is_empty_allowed { name } else { name.or_else(parent) };
    name.filter(|name| !name.is_empty())
}

// Differs from UnityChanSpringBone: it also writes a row for a pivot that is a bone of the file, and on loading moves
// that bone to its parent's origin. A bone needs no row to be found by its name.
fn pivot_row(part: &SolverPart<'_>, joint: &Joint) -> Option<(HelperId, Helper<ByName>)> {
    let Some(Node::Helper(id)) = joint.pivot else { return None };
    let helper = part.document.helpers.get(&id)?;
    let (parent, local) = part.known_parent(helper);
    let parent = NodeRef::from(part.names.name(parent)?);
    let local = Trs { rotation: local.rotation, ..Trs::IDENTITY };
    Some((id, Helper { name: helper.name.clone(), parent, local, role: HelperRole::Pivot }))
}

/// The node of a collider's row, which has the collider's name; `None` if the character lacks its parent.
fn collider_node(part: &SolverPart<'_>, collider: &Collider) -> Option<Helper<ByName>> {
    let (parent, local) = match collider.node {
        Node::Helper(id) => part.known_parent(part.document.helpers.get(&id)?),
        // A bone with the collider's name carries the collider itself, as in UnityChan.
        Node::Bone(bone) => {
            let above =
                part.skeleton.parent_of(bone).filter(|_| part.names.name(collider.node) == Some(&collider.name));
            above.map_or((collider.node, Trs::IDENTITY), |above| (Node::Bone(above), part.skeleton.bone(bone).rest))
        }
    };
    let parent = NodeRef::from(part.names.name(parent)?);
    Some(Helper { name: collider.name.clone(), parent, local, role: HelperRole::Plain })
}

/// Plain helpers that components, centers and length limits refer to, which the table therefore needs as nodes.
fn asked_for(part: &SolverPart<'_>) -> BTreeSet<Node> {
    let document = part.document;
    let legs = document.high_legs.values();
    let legs = legs.flat_map(|leg| [leg.node, leg.hip].into_iter().chain(leg.legs.iter().flatten().copied()));
    let centers = part.chains().filter_map(|(_, chain)| chain.center);
    let components = part.systems().flat_map(|(_, system)| System::nodes(system));
    let joints = part.chains().flat_map(|(_, chain)| &chain.joints);
    let targets = joints.flat_map(|joint| &joint.length_targets).map(|target| target.node);
    // Readers create a collider's node under the collider's name.
    let is_created = |node: &Node, helper: &Helper| {
        document.colliders.values().any(|collider| collider.node == *node && collider.name == helper.name)
    };
    let is_asked = |node: &Node| match node {
        Node::Helper(id) => {
            let helper = document.helpers.get(id).filter(|helper| helper.role == HelperRole::Plain);
            helper.is_some_and(|helper| !is_created(node, helper))
        }
        Node::Bone(_) => false,
    };
    legs.chain(centers).chain(components).chain(targets).filter(is_asked).collect()
}

/// `None` if the character lacks one of the nodes.
fn high_leg_row(part: &SolverPart<'_>, high_leg: &HighLeg) -> Option<HighLeg<ByName>> {
    let name = |node: Node| part.names.name(node).map(NodeRef::from);
    let leg = |[from, to]: &[Node; 2]| Some([name(*from)?, name(*to)?]);
    let legs = high_leg.legs.iter().map(leg).collect::<Option<_>>()?;
    Some(HighLeg { node: name(high_leg.node)?, hip: name(high_leg.hip)?, legs })
}
