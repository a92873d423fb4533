//! What the readers of all components share: values, curves, names of nodes, and the entries of a setup. All are in
//! Unity's space.

use super::super::root_bone_formats::MAX_TREES;
use super::assets::UnityAssets;
use super::instances::AssetContext;
use super::objects::{Component, UnityObjects, reference};
use super::scripts::{Components, Script};
use super::yaml::Yaml;
use glam::Vec3;
use std::collections::{BTreeMap, BTreeSet};
use yuremono_model::document::names::BoneName;
use yuremono_model::document::{
    ByName, Chain, ChainEntry, ChainPart, Collider, ComponentLists, Helper, HelperRole, Joint, JointEntry, NodeRef,
    ReplacedProperties, SetupEntry, System, SystemId,
};
use yuremono_model::exchange::{ChainTree, FileEntry, FileSection, MAX_SYSTEMS, SetupFile, SystemHeader};
use yuremono_sim::diagnostics::{Diagnostic, Location, MessageText, excerpt, message};
use yuremono_sim::math::{Curve, CurveKey, Interpolation, JsonNumber, Trs};
use yuremono_sim::params::{ParamDef, ParamScope, enumerate_params};
use yuremono_sim::rig::Skeleton;
use yuremono_sim::{ColliderShape, SolverKind};

/// Component lists with names.
pub(super) type NamedLists = ComponentLists<NodeRef, String, String>;

/// Scripts whose nodes are no bones, unless the character has them.
const HELPER_SCRIPTS: &[Script] = &[
    Script::SpringBonePivot,
    Script::SpringSphereCollider,
    Script::SpringCapsuleCollider,
    Script::SpringPanelCollider,
    Script::ForceVolume,
    Script::WindVolume,
    Script::DynamicBoneCollider,
    Script::DynamicBonePlaneCollider,
    Script::Vrm0ColliderGroup,
    Script::Vrm1Collider,
    Script::EzSoftBoneCollider,
    Script::JointDynamicsCollider,
    Script::JointDynamicsGrabber,
];

/// Maximum number of names and keys that are copied for the roots of components.
const MAX_COPIES: usize = 1 << 20;

/// Reads the components of one file into a setup.
pub(super) struct SetupReader<'a> {
    pub(super) objects: &'a UnityObjects,
    pub(super) assets: &'a UnityAssets,
    skeleton: Option<&'a Skeleton>,
    pub(super) file: &'a mut SetupFile,
    pub(super) name: &'a str,
    pub(super) found: &'a mut Vec<Diagnostic>,
    /// The names of colliders by their components.
    pub(super) colliders: BTreeMap<i64, String>,
    /// The names of elements and bones, each with the number that was last added to it.
    taken_names: BTreeMap<String, u32>,
    /// The nodes of colliders, pivots and forces, apart from bones. Their names are unique.
    helpers: BTreeSet<i64>,
    /// The nodes of colliders that were added.
    used_nodes: BTreeSet<i64>,
    /// The names of nodes whose names in Unity are not unique.
    new_names: BTreeMap<i64, String>,
    /// The bones of the character, and those of meshes in the file.
    bones: BTreeSet<i64>,
    /// The first bone below each object in the scene that is no bone itself.
    top_bones: BTreeMap<i64, i64>,
    /// The number of chains whose joints are known.
    chain_count: u32,
    /// How many names and keys can still be copied for further roots of components.
    copies_left: usize,
}

impl<'a> SetupReader<'a> {
    pub(super) fn new(
        objects: &'a UnityObjects,
        components: &Components<'_>,
        context: AssetContext<'a>,
        file: &'a mut SetupFile,
        name: &'a str,
        found: &'a mut Vec<Diagnostic>,
    ) -> Self {
        let skeleton = context.character.map(|character| &character.skeleton);
        let taken_names = names_of_elements(file).map(|name| (name, 1)).collect();
        let chains = file.entries.iter().filter(|entry| matches!(entry.content, Ok(SetupEntry::Chain(_))));
        let chain_count = chains.count() as u32;
        let mut reader = Self {
            objects,
            assets: context.assets,
            skeleton,
            file,
            name,
            found,
            colliders: BTreeMap::new(),
            taken_names,
            helpers: BTreeSet::new(),
            used_nodes: BTreeSet::new(),
            new_names: BTreeMap::new(),
            bones: BTreeSet::new(),
            top_bones: BTreeMap::new(),
            chain_count,
            copies_left: MAX_COPIES,
        };
        let of_character = objects.nodes().map(|(id, _)| id).filter(|id| reader.is_of_character(*id));
        reader.bones = of_character.chain(objects.skinned_bones()).collect();
        for (id, node) in objects.nodes() {
            if let Some(parent) = node.parent.filter(|parent| reader.is_bone(id) && !reader.is_bone(*parent)) {
                reader.top_bones.entry(parent).or_insert(id);
            }
        }
        reader.name_nodes(components);
        reader
    }

    pub(super) fn warn(&mut self, component: &Component<'_>, message: MessageText) {
        let place = Location::file(self.name).with_line(component.line);
        self.found.push(Diagnostic::warning(place, message));
    }

    /// The name of a node. Nodes of colliders, pivots and forces have different names, also if they are equal in Unity.
    fn node_name(&self, node: i64) -> Option<String> {
        let renamed = self.new_names.get(&node).cloned();
        renamed.or_else(|| self.objects.node(node).map(|node| node.name.clone()))
    }

    /// The name of the node of a component.
    pub(super) fn name_of(&self, component: &Component<'_>) -> String {
        self.node_name(component.node).unwrap_or_default()
    }

    /// The name of the node to which a field leads.
    pub(super) fn name_at(&self, field: Option<&Yaml>) -> Option<String> {
        self.node_name(self.objects.node_of(reference(field?))?)
    }

    /// The names of the nodes to which a list leads. Deleted nodes are left out.
    pub(super) fn names_at(&self, body: &Yaml, list: &str) -> Vec<String> {
        let nodes = body.references(list).into_iter().filter_map(|id| self.objects.node_of(id));
        nodes.filter_map(|node| self.node_name(node)).collect()
    }

    /// The names of the colliders to which a list leads.
    pub(super) fn colliders_at(&self, body: &Yaml, list: &str) -> Vec<String> {
        body.references(list).iter().filter_map(|id| self.colliders.get(id).cloned()).collect()
    }

    /// Returns a number that is no parameter. A number that is not finite is reported.
    pub(super) fn number(&mut self, component: &Component<'_>, body: &Yaml, field: &str, otherwise: f32) -> f32 {
        let Some(number) = body.number(field) else { return otherwise };
        if (number as f32).is_finite() {
            return number as f32;
        }
        self.report_value(component, field, number as f32);
        otherwise
    }

    /// Returns a vector. A vector that is not finite is reported.
    pub(super) fn vector(&mut self, component: &Component<'_>, body: &Yaml, field: &str, otherwise: Vec3) -> Vec3 {
        let vector = body.vector(field, otherwise);
        match vector.to_array().into_iter().find(|part| !part.is_finite()) {
            Some(part) => {
                self.report_value(component, field, part);
                otherwise
            }
            None => vector,
        }
    }

    fn report_value(&mut self, component: &Component<'_>, field: &str, value: f32) {
        let message = message!(
            "\"{node}\": {field} is {value}, which cannot be used; the value of a new component is used",
            node = excerpt(&self.name_of(component)),
            field,
            value
        );
        self.warn(component, message);
    }

    /// Reports a component that is off in Unity.
    pub(super) fn warn_if_off(&mut self, component: &Component<'_>) {
        if !self.objects.is_on(component) {
            let node = excerpt(&self.name_of(component));
            self.warn(component, message!("\"{node}\": the component is off in Unity; here it is on", node));
        }
    }

    /// Reports a component without roots.
    pub(super) fn warn_without_root(&mut self, component: &Component<'_>) {
        let node = excerpt(&self.name_of(component));
        self.warn(component, message!("\"{node}\": the component has no root; left out", node));
    }

    /// Returns the value of a parameter, or `None` if the field is absent or not usable, which is reported.
    pub(super) fn value(&mut self, component: &Component<'_>, def: &ParamDef, field: &str) -> Option<f32> {
        let path: Vec<&str> = field.split([' ', '.']).collect();
        let value = component.body.at(&path)?.as_text()?.parse::<f64>().ok()? as f32;
        if value.is_finite() && def.range_exceeded_by(value, value).is_none() {
            return Some(value);
        }
        self.report_value(component, field, value);
        None
    }

    /// Returns the values of all parameters of a scope that the original has. `field` returns the field of a parameter;
    /// its keys are separated by points or spaces. `defaults` are the values of a new
    /// component where they differ from those of Yuremono.
    pub(super) fn values(
        &mut self,
        component: &Component<'_>,
        solver: SolverKind,
        scope: ParamScope,
        defaults: &[(&str, f32)],
        field: &dyn Fn(&ParamDef) -> String,
    ) -> BTreeMap<String, JsonNumber> {
        let defs = solver.info().params.iter().filter(|def| def.scope == scope && !def.extension);
        let value = |def: &ParamDef| {
            let component_default = defaults.iter().find(|(name, _)| *name == def.name).map(|(_, value)| *value);
            let value = self.value(component, def, &field(def)).or(component_default).unwrap_or(def.default);
            (def.name.to_owned(), JsonNumber(value))
        };
        defs.map(value).collect()
    }

    /// Returns the curve in a field. Returns `None` if the curve is absent, has no keys or is 1 everywhere.
    pub(super) fn curve(&mut self, component: &Component<'_>, body: &Yaml, field: &str) -> Option<Curve> {
        let items = body.at(&[field, "m_Curve"])?.items();
        let number = |item: &Yaml, key| item.number(key).unwrap_or(0.0) as f32;
        let key = |item: &Yaml| CurveKey {
            t: number(item, "time"),
            value: number(item, "value"),
            slope_in: number(item, "inSlope"),
            slope_out: number(item, "outSlope"),
        };
        if items.iter().any(|item| item.number("weightedMode").is_some_and(|mode| mode != 0.0)) {
            self.warn(component, message!("the curve {field} has weighted tangents; the weights are ignored", field));
        }
        let keys: Vec<CurveKey> = items.iter().map(key).collect();
        let is_one = |key: &CurveKey| key.value == 1.0 && key.slope_in == 0.0 && key.slope_out == 0.0;
        if keys.iter().all(is_one) {
            return None;
        }
        let curve = Curve::new(keys, Interpolation::Hermite);
        if curve.is_none() {
            self.warn(component, message!("a key of the curve {field} is infinite; the curve is left out", field));
        }
        curve
    }

    /// Adds a system. Returns `None` if the file has too many, which is reported.
    pub(super) fn add_system(&mut self, component: &Component<'_>, system: System<ByName>) -> Option<usize> {
        let at = self.file.systems.len();
        if at == MAX_SYSTEMS {
            let (node, most) = (excerpt(&self.name_of(component)), MAX_SYSTEMS);
            self.warn(
                component,
                message!("\"{node}\": the file has more than {most} systems; this component is left out", node, most),
            );
            return None;
        }
        self.file.systems.push(SystemHeader { solver: system.solver, name: system.name.clone() });
        if system != new_system(system.solver) {
            self.push(at, FileSection::Other, "system", component.line, SetupEntry::System(system));
        }
        Some(at)
    }

    pub(super) fn push(&mut self, system: usize, section: FileSection, name: &str, line: u64, entry: SetupEntry) {
        let entry = FileEntry { line, ..FileEntry::new(system, section, name, entry) };
        self.file.entries.push(entry);
    }

    /// Gives the nodes of colliders, pivots and forces different names.
    fn name_nodes(&mut self, components: &Components<'_>) {
        self.taken_names.extend(self.objects.nodes().map(|(_, node)| (node.name.clone(), 1)));
        let mut seen = names_of_elements(self.file).collect::<BTreeSet<String>>();
        for component in components.of(HELPER_SCRIPTS) {
            if self.is_bone(component.node) || !self.helpers.insert(component.node) {
                continue;
            }
            let Some(node) = self.objects.node(component.node) else { continue };
            if !seen.insert(node.name.clone()) {
                let name = self.unique_name(&node.name);
                self.new_names.insert(component.node, name);
            }
        }
    }

    fn is_of_character(&self, node: i64) -> bool {
        let name = self.objects.node(node).map(|node| &node.name);
        self.skeleton.zip(name).is_some_and(|(skeleton, name)| skeleton.find(name).is_some())
    }

    /// Whether a node is a bone of the character or of a mesh in the file. If none is known, a node with a parent and
    /// children is a bone.
    fn is_bone(&self, node: i64) -> bool {
        let is_inner = |one: &super::objects::Node| one.has_children && one.parent.is_some();
        if self.bones.is_empty() { self.objects.node(node).is_some_and(is_inner) } else { self.bones.contains(&node) }
    }

    /// Returns the nearest bone: the node itself, or a node above it.
    pub(super) fn bone_at_or_above(&self, node: i64) -> Option<i64> {
        std::iter::once(node).chain(self.objects.ancestors(node)).find(|id| self.is_bone(*id))
    }

    /// Returns the name of the nearest bone above a node, and the transform of the node in this bone. A node that is not
    /// below a bone is below a bone of its root.
    pub(super) fn place(&self, node: i64) -> Option<(String, Trs)> {
        let bone = self.objects.node(node)?.parent.and_then(|above| self.bone_at_or_above(above));
        let mut local = self.objects.node(node)?.local;
        for id in self.objects.ancestors(node) {
            let one = self.objects.node(id)?;
            if Some(id) == bone {
                return Some((one.name.clone(), local));
            }
            if let Some(top) = self.top_bones.get(&id).filter(|_| bone.is_none()) {
                let top = self.objects.node(*top)?;
                return Some((top.name.clone(), relative(&top.local, &local)));
            }
            local = product(&one.local, &local);
        }
        // Another object of the scene.
        let top = *self.top_bones.values().next()?;
        Some((self.objects.node(top)?.name.clone(), relative(&self.world(top), &local)))
    }

    /// The transform of a node in the scene.
    fn world(&self, node: i64) -> Trs {
        let path = std::iter::once(node).chain(self.objects.ancestors(node));
        let locals = path.filter_map(|id| self.objects.node(id)).map(|node| node.local);
        locals.reduce(|below, above| product(&above, &below)).unwrap_or(Trs::IDENTITY)
    }

    /// Returns the name of the bone with a component, or `None` if the component is not on a bone.
    pub(super) fn bone_of(&self, component: &Component<'_>) -> Option<NodeRef> {
        let bone = self.bone_at_or_above(component.node).filter(|bone| *bone == component.node)?;
        self.objects.node(bone).map(|node| NodeRef::Named(node.name.clone()))
    }

    /// Adds a collider that is at `offset` in the node of its component, under its own name. `ids` are the objects by which
    /// others refer to it.
    pub(super) fn add_collider(
        &mut self,
        component: &Component<'_>,
        ids: &[i64],
        offset: Trs,
        shape: ColliderShape,
        system: usize,
    ) -> Option<String> {
        let node = self.name_of(component);
        let (parent, local, name) = if self.bone_at_or_above(component.node) == Some(component.node) {
            let name = self.unique_name(&format!("{node}_{}", shape.node_name_suffix()));
            (node, offset, name)
        } else {
            self.node_ref_or_warn(component)?;
            let (parent, local) = self.place(component.node)?;
            (parent, product(&local, &offset), self.collider_name(component, &node))
        };
        let helper = Helper { name: name.clone(), parent: NodeRef::Named(parent), local, role: HelperRole::Plain };
        let collider = Collider::new(&name, NodeRef::Inline(Box::new(helper)), shape);
        self.push(system, FileSection::Colliders, &name, component.line, SetupEntry::Collider(collider));
        self.disable_collider_if_off(component, &name, system);
        self.colliders.extend(ids.iter().map(|id| (*id, name.clone())));
        Some(name)
    }

    /// Returns the name of a collider on a node. The first collider of a node has its name.
    pub(super) fn collider_name(&mut self, component: &Component<'_>, node: &str) -> String {
        let is_first = self.used_nodes.insert(component.node);
        let has_its_name = is_first && (self.helpers.contains(&component.node) || self.is_bone(component.node));
        let name = if has_its_name { node.to_owned() } else { self.unique_name(node) };
        self.colliders.insert(component.id, name.clone());
        name
    }

    /// Returns the node of a component. A node that is below no bone is reported.
    pub(super) fn node_ref_or_warn(&mut self, component: &Component<'_>) -> Option<NodeRef> {
        let node = self.node_ref_of(component.node);
        if node.is_none() {
            let name = excerpt(&self.name_of(component));
            self.warn(component, message!("\"{node}\" is below no bone and is left out", node = name));
        }
        node
    }

    pub(super) fn disable_collider_if_off(&mut self, component: &Component<'_>, name: &str, system: usize) {
        if !self.objects.is_on(component) {
            let entry = SetupEntry::DisabledCollider(name.to_owned());
            self.push(system, FileSection::Other, "disabled_collider", component.line, entry);
        }
    }

    fn unique_name(&mut self, first: &str) -> String {
        let mut name = first.to_owned();
        while self.taken_names.contains_key(&name) {
            let last = self.taken_names.entry(first.to_owned()).or_insert(1);
            *last += 1;
            name = format!("{first}{last}");
        }
        self.taken_names.insert(name.clone(), 1);
        name
    }

    /// Adds a chain for each root. The other fields are those of `tree`.
    pub(super) fn add_trees(&mut self, component: &Component<'_>, roots: Vec<String>, tree: &ChainTree) {
        let keys: usize = tree.curves.iter().map(|(_, curve)| curve.keys().len()).sum();
        let size = 1 + keys + tree.colliders.len() + tree.excluded.len() + tree.end_bones.len();
        for root in roots {
            if self.file.trees.len() == MAX_TREES || self.copies_left < size {
                return self.warn_of_too_many_chains(component, &root);
            }
            self.copies_left -= size;
            self.file.trees.push(ChainTree { name: root.clone(), root, line: component.line, ..tree.clone() });
        }
    }

    /// Sets the values of joint parameters in a tree. The field of a curve has the name of its parameter with a suffix.
    pub(super) fn add_values(
        &mut self,
        component: &Component<'_>,
        solver: SolverKind,
        is_used: &dyn Fn(&ParamDef) -> bool,
        curve_suffix: &str,
        tree: &mut ChainTree,
    ) {
        for (param, def) in enumerate_params(solver.info().params) {
            if def.scope != ParamScope::Joint || def.extension || !is_used(def) {
                continue;
            }
            if let Some(value) = self.value(component, def, def.name) {
                tree.base_values.set(param, value);
            }
            let curve = self.curve(component, component.body, &format!("{}{curve_suffix}", def.name));
            tree.curves.extend(curve.map(|curve| (param, curve)));
        }
    }

    /// Adds a chain whose joints are known.
    pub(super) fn add_whole_chain(
        &mut self,
        component: &Component<'_>,
        chain: Chain<ByName>,
        joints: Vec<Joint<ByName>>,
        system: usize,
    ) {
        let names: usize = joints.iter().map(|joint| 1 + joint.colliders.len()).sum();
        let Some(left) = self.copies_left.checked_sub(names) else {
            return self.warn_of_too_many_chains(component, &joints[0].bone);
        };
        self.copies_left = left;
        let number = self.chain_count;
        self.chain_count += 1;
        let root = joints.first().map_or_else(String::new, |joint| joint.bone.clone());
        let chain = Chain { system: SystemId(system as u32), ..chain };
        let entry = SetupEntry::Chain(ChainEntry { root: root.clone(), number: Some(number), chain });
        self.push(system, FileSection::Other, &root, component.line, entry);
        for joint in joints {
            let bone = joint.bone.clone();
            let entry = JointEntry { scope: ReplacedProperties::Full, chain: Some(number), joint };
            self.push(system, FileSection::Joints, &bone, component.line, SetupEntry::Joint(entry));
        }
    }

    fn warn_of_too_many_chains(&mut self, component: &Component<'_>, root: &str) {
        let (node, root) = (excerpt(&self.name_of(component)), excerpt(root));
        let message =
            message!("\"{node}\": the file has too many chains; roots from \"{root}\" on are left out", node, root);
        self.warn(component, message);
    }

    /// Whether a bone of the character has only this child.
    pub(super) fn is_only_child(&self, bone: &str, child: &str) -> bool {
        let bones = self.skeleton.and_then(|skeleton| Some((skeleton, skeleton.find(bone)?, skeleton.find(child)?)));
        bones.is_some_and(|(skeleton, bone, child)| skeleton.children(bone) == [child])
    }

    /// Returns the node to which a field leads: a bone by its name, any other node with its place.
    pub(super) fn node_ref(&self, field: &Yaml) -> Option<NodeRef> {
        self.node_ref_of(self.objects.node_of(reference(field))?)
    }

    /// Like [`SetupReader::node_ref`], for a transform.
    pub(super) fn node_ref_of(&self, node: i64) -> Option<NodeRef> {
        let name = self.node_name(node)?;
        if self.bone_at_or_above(node) == Some(node) {
            return Some(NodeRef::Named(name));
        }
        let (parent, local) = self.place(node)?;
        Some(NodeRef::Inline(Box::new(Helper { name, parent: NodeRef::Named(parent), local, role: HelperRole::Plain })))
    }
}

/// The names of the elements of a file that are not bones.
fn names_of_elements(file: &SetupFile) -> impl Iterator<Item = String> + '_ {
    file.entries.iter().filter_map(|entry| match entry.content.as_ref().ok()? {
        SetupEntry::Helper(helper) => Some(helper.name.clone()),
        SetupEntry::Collider(collider) => Some(collider.name.clone()),
        SetupEntry::Force(force) => Some(force.name.clone()),
        _ => None,
    })
}

/// The fields of most components have the names of the parameters.
pub(super) fn own_name(def: &ParamDef) -> String {
    def.name.to_owned()
}

/// A system without values.
pub(super) fn new_system(solver: SolverKind) -> System<ByName> {
    System { name: String::new(), solver, values: BTreeMap::new(), component: None, component_lists: NamedLists::None }
}

/// A chain without joints. Its part comes from the names.
pub(super) fn new_chain(name: &str, root: &str) -> Chain<ByName> {
    let part = [root, name].into_iter().find_map(|name| BoneName::parse(name).analyze().part);
    Chain { part: part.map_or_else(ChainPart::default, |(part, _)| part), ..Chain::without_joints(name) }
}

/// The transform of a child in the space of the parent of its parent.
pub(super) fn product(parent: &Trs, child: &Trs) -> Trs {
    Trs {
        translation: parent.translation + parent.rotation * (parent.scale * child.translation),
        rotation: parent.rotation * child.rotation,
        scale: parent.scale * child.scale,
    }
}

/// The transform of a node in the space of its sibling.
fn relative(sibling: &Trs, node: &Trs) -> Trs {
    let inverse = sibling.rotation.inverse();
    Trs {
        translation: inverse * (node.translation - sibling.translation) / sibling.scale,
        rotation: inverse * node.rotation,
        scale: node.scale / sibling.scale,
    }
}
