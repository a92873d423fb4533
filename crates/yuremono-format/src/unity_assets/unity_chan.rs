//! Reads the components of UnityChanSpringBone: managers, bones, pivots, colliders and force volumes. The entries are those
//! of the equal table, in Unity's space.

use super::objects::{Component, UnityObjects, reference};
use super::yaml::Yaml;
use glam::Mat4;
use yuremono_model::document::{
    ByName, Collider, ComponentLists, Force, Helper, HelperRole, Joint, JointEntry, LengthTarget, NodeRef,
    ReplacedProperties, SetupEntry, System,
};
use yuremono_model::exchange::{FileEntry, FileSection, SetupFile, SystemHeader};
use yuremono_sim::diagnostics::{Diagnostic, Location, excerpt, join_first_names, message};
use yuremono_sim::math::{JsonNumber, Trs};
use yuremono_sim::params::{ParamDef, ParamScope};
use yuremono_sim::{ColliderShape, ForceKind, SolverKind, Wind};

/// A component of UnityChanSpringBone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Script {
    Manager,
    Bone,
    Pivot,
    Sphere,
    Capsule,
    Panel,
    ForceVolume,
    WindVolume,
}

/// The scripts by their GUID, with those of the Burst fork.
const SCRIPTS: [(&str, Script); 11] = [
    ("af276926b0db1c248a93ab3c1134a6c2", Script::Manager),
    ("a6e8dcd6fec494c97aa2cfd34663f6ff", Script::Manager),
    ("03118221f4bfcd74ba0ad8075da02411", Script::Bone),
    ("3e6f4b847713b49eeabdbed00338b5f4", Script::Bone),
    ("625e9c3b94e3dc64ea82f6e29062b3d6", Script::Pivot),
    ("b6d87febe226147f2bdc92837ba4f4b7", Script::Pivot),
    ("328bfb8438c749d46ad9174283110a36", Script::Sphere),
    ("f228c6e846db8bd4ca8c289bdb7565b9", Script::Capsule),
    ("a8e7256f2aaf05e47be7fdfced84d489", Script::Panel),
    ("c60bdcc1a8f90724fb0850bd7777ddfd", Script::ForceVolume),
    ("8f4f76dac8531aa44b511647e7d14518", Script::WindVolume),
];

/// Values that a new component has in Unity, where they differ from those of Yuremono.
const COMPONENT_DEFAULTS: [(&str, f32); 5] = [
    ("stiffnessForce", 0.01),
    ("dragForce", 0.4),
    ("springForce y", -0.0001),
    ("windInfluence", 1.0),
    ("radius", 0.05),
];

/// Adds the systems and entries of all components to a setup. Returns whether there are any.
pub(super) fn add(objects: &UnityObjects, file: &mut SetupFile, name: &str, found: &mut Vec<Diagnostic>) -> bool {
    let components: Vec<(Script, Component<'_>)> =
        objects.components().filter_map(|component| Some((script_of(component.guid)?, component))).collect();
    if components.is_empty() {
        return false;
    }
    Reader { objects, components, file, name, found, without_pivot: Vec::new(), root_and_branch: None }.read();
    true
}

/// Whether a script with this GUID is read.
pub(super) fn is_known(guid: &str) -> bool {
    script_of(guid).is_some()
}

fn script_of(guid: &str) -> Option<Script> {
    SCRIPTS.iter().find(|(known, _)| known.eq_ignore_ascii_case(guid)).map(|(_, script)| *script)
}

struct Reader<'a> {
    objects: &'a UnityObjects,
    components: Vec<(Script, Component<'a>)>,
    file: &'a mut SetupFile,
    name: &'a str,
    found: &'a mut Vec<Diagnostic>,
    /// Bones with angle limits that have no effect in Unity.
    without_pivot: Vec<String>,
    /// The root of the prefab, and the node below it that is an ancestor of a spring bone, or the bone itself.
    root_and_branch: Option<[i64; 2]>,
}

impl Reader<'_> {
    fn read(mut self) {
        let first_system = self.file.systems.len();
        let components = std::mem::take(&mut self.components);
        let of = |script: Script| components.iter().filter(move |(found, _)| *found == script).map(|(_, one)| one);
        let managers: Vec<&Component<'_>> = of(Script::Manager).collect();
        for system in 0..managers.len().max(1) {
            self.file.systems.push(SystemHeader { solver: SolverKind::UnityChanSpringBone, name: String::new() });
            if let Some(manager) = managers.get(system) {
                let entry = self.system_entry(manager);
                self.push(first_system + system, FileSection::Other, "system", manager.line, entry);
            }
        }
        // A manager moves all bones below its node, and the nearest manager counts.
        let system_of = |node: i64| {
            let mut above = std::iter::once(node).chain(self.objects.ancestors(node));
            let manager = |id: i64| managers.iter().position(|manager| manager.node == id);
            first_system + above.find_map(manager).unwrap_or(0)
        };
        self.root_and_branch = of(Script::Bone).find_map(|bone| self.objects.root_and_branch(bone.node));
        let systems: Vec<usize> = of(Script::Bone).map(|bone| system_of(bone.node)).collect();
        for (bone, system) in of(Script::Bone).zip(systems) {
            self.add_bone(bone, system);
        }
        for (script, component) in &components {
            match script {
                Script::Pivot => self.add_pivot(component, first_system),
                Script::Sphere | Script::Capsule | Script::Panel => self.add_collider(*script, component, first_system),
                Script::ForceVolume | Script::WindVolume => self.add_force(*script, component, first_system),
                Script::Manager | Script::Bone => {}
            }
        }
        if !self.without_pivot.is_empty() {
            let bones = join_first_names(&self.without_pivot);
            self.found.push(Diagnostic::info(
                Location::file(self.name),
                message!("these bones have angle limits, but no pivot, so Unity ignores the limits: {bones}", bones),
            ));
        }
    }

    /// Returns the value of a parameter, or `None` if the field is absent or not usable, which is reported.
    fn value(&mut self, component: &Component<'_>, def: &ParamDef) -> Option<f32> {
        let value = number_of(component.body, def)?;
        if value.is_finite() && def.range_exceeded_by(value, value).is_none() {
            return Some(value);
        }
        let node = self.objects.node(component.node).map_or("", |node| &node.name);
        let message = message!(
            "\"{node}\": {field} is {value}, which cannot be used; the value of a new component is used",
            node = excerpt(node),
            field = def.name,
            value
        );
        self.found.push(Diagnostic::warning(Location::file(self.name).with_line(component.line), message));
        None
    }

    fn system_entry(&mut self, manager: &Component<'_>) -> SetupEntry {
        let values = params(ParamScope::System)
            .filter_map(|def| Some((def.name.to_owned(), JsonNumber(self.value(manager, def)?))))
            .collect();
        SetupEntry::System(System {
            name: String::new(),
            solver: SolverKind::UnityChanSpringBone,
            values,
            component: None,
            component_lists: ComponentLists::default(),
        })
    }

    fn push(&mut self, system: usize, section: FileSection, name: &str, line: u64, entry: SetupEntry) {
        let mut entry = FileEntry::new(system, section, name, entry);
        entry.line = line;
        self.file.entries.push(entry);
    }

    /// The name of the node to which a field leads.
    fn name_at(&self, field: Option<&Yaml>) -> Option<String> {
        let node = self.objects.node_of(reference(field?))?;
        Some(self.objects.node(node)?.name.clone())
    }

    fn names_at(&self, body: &Yaml, list: &str) -> Vec<String> {
        let items = body.get(list).map_or(&[][..], Yaml::items);
        items.iter().filter_map(|item| self.name_at(Some(item))).collect()
    }

    fn add_bone(&mut self, component: &Component<'_>, system: usize) {
        let Some(node) = self.objects.node(component.node) else { return };
        let (body, bone) = (component.body, node.name.clone());
        let mut joint: Joint<ByName> = Joint::new(bone.clone());
        for def in params(ParamScope::Joint) {
            let component_default =
                COMPONENT_DEFAULTS.iter().find(|(name, _)| *name == def.name).map(|(_, value)| *value);
            let value = self.value(component, def).or(component_default).unwrap_or(def.default);
            joint.overrides.insert(def.name.to_owned(), JsonNumber(value));
        }
        joint.pivot = self.name_at(body.get("pivotNode")).map(NodeRef::Named);
        let is_limited = ["yAngleLimits", "zAngleLimits"]
            .iter()
            .any(|limits| body.get(limits).and_then(|limits| limits.number("active")).is_some_and(|on| on != 0.0));
        if joint.pivot.is_none() && is_limited {
            self.without_pivot.push(bone.clone());
        }
        let targets = self.names_at(body, "lengthLimitTargets").into_iter();
        joint.length_targets = targets.map(|target| LengthTarget::new(NodeRef::Named(target))).collect();
        for list in ["sphereColliders", "capsuleColliders", "panelColliders"] {
            joint.colliders.extend(self.names_at(body, list));
        }
        let row = JointEntry { scope: ReplacedProperties::TableRow, chain: None, joint };
        self.push(system, FileSection::Joints, &bone, component.line, SetupEntry::Joint(row));
        if !component.is_enabled() || !self.objects.is_active(component.node) {
            let joint = Joint { enabled: false, ..Joint::new(bone) };
            let details = JointEntry { scope: ReplacedProperties::Details, chain: None, joint };
            self.push(system, FileSection::Other, "joint", component.line, SetupEntry::Joint(details));
        }
    }

    /// The node of a component as a helper. A table stores no position and scale of a pivot.
    fn helper(&self, component: &Component<'_>, role: HelperRole) -> Option<Helper<ByName>> {
        let node = self.objects.node(component.node)?;
        let mut parent = self.objects.node(node.parent?)?;
        let mut local =
            if role == HelperRole::Pivot { Trs { rotation: node.local.rotation, ..Trs::IDENTITY } } else { node.local };
        // The root of a prefab is the object in the scene and no bone of the character.
        if let Some([root, branch]) = self.root_and_branch.filter(|[root, _]| Some(*root) == node.parent)
            && let (Some(_), Some(bone)) = (self.objects.node(root), self.objects.node(branch))
        {
            local = Trs::from_matrix(Mat4::from(bone.local.to_affine().inverse() * local.to_affine()));
            parent = bone;
        }
        Some(Helper { name: node.name.clone(), parent: NodeRef::Named(parent.name.clone()), local, role })
    }

    fn add_pivot(&mut self, component: &Component<'_>, system: usize) {
        if let Some(pivot) = self.helper(component, HelperRole::Pivot) {
            let name = pivot.name.clone();
            self.push(system, FileSection::Pivots, &name, component.line, SetupEntry::Helper(pivot));
        }
    }

    fn add_collider(&mut self, script: Script, component: &Component<'_>, system: usize) {
        let mut shape = match script {
            Script::Sphere => ColliderShape::SPHERE,
            Script::Capsule => ColliderShape::CAPSULE,
            _ => ColliderShape::PANEL,
        };
        for (at, field) in shape.fields().iter().enumerate() {
            if let Some(value) = component.body.number(field.name) {
                shape = shape.with_field(at, value as f32);
            }
        }
        let Some(helper) = self.helper(component, HelperRole::Plain) else { return };
        let name = helper.name.clone();
        // A node with children is a bone of the character, which must not be added again.
        let is_bone = self.objects.node(component.node).is_some_and(|node| node.has_children);
        let node = if is_bone { NodeRef::Named(name.clone()) } else { NodeRef::Inline(Box::new(helper)) };
        let mesh_name = self.name_at(component.body.get("linkedRenderer"));
        let collider = Collider { mesh_name, ..Collider::new(&name, node, shape) };
        self.push(system, FileSection::Colliders, &name, component.line, SetupEntry::Collider(collider));
        if !component.is_enabled() || !self.objects.is_active(component.node) {
            let entry = SetupEntry::DisabledCollider(name);
            self.push(system, FileSection::Other, "disabled_collider", component.line, entry);
        }
    }

    fn add_force(&mut self, script: Script, component: &Component<'_>, system: usize) {
        let body = component.body;
        let number = |field, otherwise| body.number(field).map_or(otherwise, |number| number as f32);
        let kind = if script == Script::ForceVolume {
            ForceKind::Volume { strength: number("strength", 0.01) }
        } else {
            let Wind { weight, strength, amplitude, period, spin_period, peak_distance } = Wind::DEFAULT;
            ForceKind::Wind(Wind {
                weight: number("weight", weight),
                strength: number("strength", strength),
                amplitude: number("amplitude", amplitude),
                period: number("period", period),
                spin_period: number("spinPeriod", spin_period),
                peak_distance: number("peakDistance", peak_distance),
            })
        };
        let Some(helper) = self.helper(component, HelperRole::Plain) else { return };
        let name = helper.name.clone();
        let enabled = component.is_enabled() && self.objects.is_active(component.node);
        let force = Force { name: name.clone(), node: NodeRef::Inline(Box::new(helper)), kind, enabled };
        self.push(system, FileSection::Other, "force", component.line, SetupEntry::Force(force));
    }
}

/// The parameters of one scope that the original has.
fn params(scope: ParamScope) -> impl Iterator<Item = &'static ParamDef> {
    SolverKind::UnityChanSpringBone.info().params.iter().filter(move |def| def.scope == scope && !def.extension)
}

/// Returns the value of a parameter: `springForce x` is the field `x` of `springForce`.
fn number_of(body: &Yaml, def: &ParamDef) -> Option<f32> {
    let path: Vec<&str> = def.name.split([' ', '.']).collect();
    let number: f64 = body.at(&path)?.as_text()?.parse().ok()?;
    Some(number as f32)
}
