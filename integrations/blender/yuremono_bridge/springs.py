"""Reads the springs of a VRM file and merges them into the properties of the VRM add-on, by bone name.

This module does not use bpy: the properties are any objects with the attribute names of the VRM add-on. The sources of
the formats are the specifications VRMC_springBone 1.0 and VRM 0.x secondaryAnimation.
"""

import json
import math
import struct
from dataclasses import dataclass, field
from pathlib import Path

# Blender stores 32-bit numbers: smaller differences are rounding, not changes.
TOLERANCE = 1e-5


class SpringFileError(Exception):
    """A file without springs that can be read. The message contains the file and the reason."""


@dataclass
class Chain:
    """A spring of VRM 1.0, or a bone group of VRM 0.x."""

    name: str
    bones: list  # Joints from root to tip in VRM 1.0, root bones in VRM 0.x.
    values: list  # One dict for each bone in VRM 1.0, one dict for the whole group in VRM 0.x.
    collider_groups: list  # Indices into the collider groups of the file.
    center: str = ""


@dataclass
class SpringFile:
    version: str  # "1.0" or "0.0", as in the VRM add-on.
    chains: list = field(default_factory=list)


@dataclass
class MergeReport:
    matched: int = 0
    changes: list = field(default_factory=list)
    added: list = field(default_factory=list)
    split: list = field(default_factory=list)
    unmatched: list = field(default_factory=list)
    kept: list = field(default_factory=list)

    def summary(self):
        counts = [f"{self.matched} bones matched", f"{len(self.changes)} values changed"]
        counts += [f"{len(self.added)} springs added"] if self.added else []
        counts += [f"{len(self.split)} groups added by splitting"] if self.split else []
        counts += [f"{len(self.unmatched)} bones unmatched"] if self.unmatched else []
        return ", ".join(counts)

    def lines(self):
        return (
            self.changes
            + [f"{name}: spring added" for name in self.added]
            + [f"{name}: own group, because its values differ from the other bones of the group" for name in self.split]
            + [f"{name}: this bone does not exist or has no spring" for name in self.unmatched]
            + [f"{name}: not in the file, kept unchanged" for name in self.kept]
        )


def read_springs(path):
    """Returns the springs of a .vrm or .glb as a SpringFile. Raises SpringFileError or OSError."""
    path = Path(path)
    root = _read_json(path.read_bytes(), path.name)
    try:
        nodes = [node.get("name", "") for node in root.get("nodes", [])]
        extensions = root.get("extensions", {})
        if "VRMC_springBone" in extensions:
            springs = extensions["VRMC_springBone"].get("springs", [])
            return SpringFile("1.0", [_read_spring(spring, nodes) for spring in springs])
        if "VRM" in extensions:
            groups = extensions["VRM"].get("secondaryAnimation", {}).get("boneGroups", [])
            return SpringFile("0.0", [_read_group(group, nodes) for group in groups])
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise SpringFileError(f"{path.name}: the springs are invalid: {error!r}. Nothing was changed.") from error
    raise SpringFileError(f"{path.name}: the file contains no springs of VRM 1.0 or 0.x. Nothing was changed.")


def _read_json(data, name):
    if len(data) < 20 or data[:4] != b"glTF":
        raise SpringFileError(f"{name}: the file is not a binary glTF. Nothing was changed.")
    length, kind = struct.unpack_from("<I4s", data, 12)
    try:
        if kind != b"JSON" or 20 + length > len(data):
            raise ValueError("the file ends before its JSON ends")
        root = json.loads(data[20 : 20 + length])
        if not isinstance(root, dict):
            raise ValueError("the JSON is not an object")
        return root
    except (RecursionError, ValueError) as error:
        raise SpringFileError(f"{name}: {error}. Nothing was changed.") from error


def _read_spring(spring, nodes):
    joints = spring["joints"]
    return Chain(
        name=spring.get("name", ""),
        bones=[_node_name(nodes, joint["node"]) for joint in joints],
        # Files often leave out the values of the last joint, which have no effect.
        values=[_read_values(joint, "stiffness") if len(joint) > 1 else {} for joint in joints],
        collider_groups=list(spring.get("colliderGroups", [])),
        center=_node_name(nodes, spring["center"]) if "center" in spring else "",
    )


def _read_group(group, nodes):
    center = group.get("center", -1)
    return Chain(
        name=group.get("comment", ""),
        bones=[_node_name(nodes, bone) for bone in group.get("bones", [])],
        values=[_read_values(group, "stiffiness")],
        collider_groups=list(group.get("colliderGroups", [])),
        center=_node_name(nodes, center) if center >= 0 else "",
    )


def _node_name(nodes, index):
    if index < 0:
        raise IndexError(f"node {index}")
    return nodes[index]


def _read_values(of, stiffness):
    """The values with the names and axes of the VRM add-on. Blender's Z axis points up."""
    is_v0 = stiffness == "stiffiness"
    direction = of.get("gravityDir", [0, -1, 0])
    x, y, z = [direction[axis] for axis in "xyz"] if isinstance(direction, dict) else direction
    # VRM 0.x stores Unity's axes, VRM 1.0 stores glTF's axes.
    direction = (float(x), float(z) if is_v0 else -float(z), float(y))
    # The VRM add-on normalizes directions, so the length goes into the power.
    length = math.hypot(*direction)
    values = {
        # Some exporters of VRM 0.x write the name without its spelling mistake.
        stiffness: float(of.get(stiffness, of.get("stiffness", 1.0))),
        "gravity_power": float(of.get("gravityPower", 0.0)) * length,
        "gravity_dir": tuple(part / length for part in direction) if length > 0 else (0.0, 0.0, -1.0),
        "drag_force": float(of.get("dragForce", 0.4 if is_v0 else 0.5)),
        "hit_radius": float(of.get("hitRadius", 0.0)),
    }
    numbers = [number for value in values.values() for number in (value if isinstance(value, tuple) else [value])]
    if not all(map(math.isfinite, numbers)):
        raise ValueError("a value is not a finite number")
    return values


def merge(file, extension, bone_names):
    """Writes the springs of a file into `armature.data.vrm_addon_extension`. Returns a MergeReport."""
    if extension.spec_version != file.version:
        raise SpringFileError(
            f"the file is VRM {file.version}, the armature is VRM {extension.spec_version}. Nothing was changed."
        )
    if file.version == "1.0":
        return _merge_v1(file, extension.spring_bone1, set(bone_names))
    return _merge_v0(file, extension.vrm0.secondary_animation, set(bone_names))


def _merge_v1(file, spring_bone, bone_names):
    report = MergeReport()
    known = {joint.node.bone_name for spring in spring_bone.springs for joint in spring.joints}
    for chain in _new_chains(file, known, bone_names, report):
        spring = spring_bone.springs.add()
        spring.vrm_name = chain.name
        for bone in chain.bones:
            spring.joints.add().node.bone_name = bone
        _set_references(spring, chain, spring_bone.collider_groups)
    # References are taken after all additions, because an addition moves the items of a collection in memory.
    joints = {joint.node.bone_name: joint for spring in spring_bone.springs for joint in spring.joints}
    for chain in file.chains:
        for bone, values in zip(chain.bones, chain.values):
            if bone in joints:
                _set_values(joints[bone], values, bone, report)
    return _count(file, joints, report)


def _merge_v0(file, animation, bone_names):
    report = MergeReport()
    known = {bone.bone_name for group in animation.bone_groups for bone in group.bones}
    for chain in _new_chains(file, known, bone_names, report):
        group = animation.bone_groups.add()
        group.comment = chain.name
        for bone in chain.bones:
            group.bones.add().bone_name = bone
        _set_references(group, chain, animation.collider_groups)
    chain_of = {bone: chain for chain in file.chains for bone in chain.bones}
    for index in range(len(animation.bone_groups)):
        names = [bone.bone_name for bone in animation.bone_groups[index].bones]
        known.update(names)
        # The first part stays in the group. It is changed last, because the other parts start with the old values.
        for number, (chain, part) in reversed(list(enumerate(_parts(names, chain_of)))):
            target = animation.bone_groups[index]
            if number > 0:
                target = _split(animation, index, part)
                report.split.append(part[0])
            if chain is not None:
                _set_values(target, chain.values[0], part[0], report)
    return _count(file, known, report)


def _parts(names, chain_of):
    """The root bones of one group by equal values, as pairs of chain and names. Yuremono splits groups likewise."""
    parts = []
    for name in names:
        chain = chain_of.get(name)
        for other, part in parts:
            both = chain is not None and other is not None
            if chain is other or (both and _are_equal(chain.values[0], other.values[0])):
                part.append(name)
                break
        else:
            parts.append((chain, [name]))
    return parts


def _split(animation, index, names):
    """Moves root bones to a new group with the same values and references."""
    new = animation.bone_groups.add()
    old = animation.bone_groups[index]
    for name in ("comment", "stiffiness", "gravity_power", "gravity_dir", "drag_force", "hit_radius"):
        setattr(new, name, getattr(old, name))
    new.center.bone_name = old.center.bone_name
    for reference in old.collider_groups:
        new.collider_groups.add().collider_group_uuid = reference.collider_group_uuid
    for at in reversed(range(len(old.bones))):
        if old.bones[at].bone_name in names:
            old.bones.remove(at)
    for name in names:
        new.bones.add().bone_name = name
    return new


def _new_chains(file, known, bone_names, report):
    """Chains that no spring of the armature contains, although the armature has all of their bones."""
    new = [chain for chain in file.chains if chain.bones and known.isdisjoint(chain.bones)]
    new = [chain for chain in new if bone_names.issuperset(chain.bones)]
    report.added = [chain.name or chain.bones[0] for chain in new]
    return new


def _count(file, existing, report):
    in_file = [bone for chain in file.chains for bone in chain.bones]
    report.matched = sum(bone in existing for bone in in_file)
    report.unmatched = [bone for bone in in_file if bone not in existing]
    report.kept = [bone for bone in existing if bone and bone not in in_file]
    return report


def _set_references(target, chain, collider_groups):
    """The file was exported from the same armature, so its collider groups have the same order."""
    if chain.center:
        target.center.bone_name = chain.center
    for index in chain.collider_groups:
        if 0 <= index < len(collider_groups):
            target.collider_groups.add().collider_group_uuid = collider_groups[index].uuid


def _set_values(target, values, bone, report):
    for name, value in values.items():
        old = getattr(target, name)
        old = tuple(old) if isinstance(value, tuple) else old
        if _is_equal(old, value):
            continue
        setattr(target, name, value)
        report.changes.append(f"{bone}: {name.replace('_', ' ')} {_text(old)} → {_text(value)}")


def _are_equal(a, b):
    return all(_is_equal(a[name], b[name]) for name in b)


def _is_equal(a, b):
    pairs = zip(a, b) if isinstance(b, tuple) else [(a, b)]
    return all(abs(x - y) <= TOLERANCE * max(1.0, abs(y)) for x, y in pairs)


def _text(value):
    return "(" + ", ".join(f"{part:.3g}" for part in value) + ")" if isinstance(value, tuple) else f"{value:.4g}"
