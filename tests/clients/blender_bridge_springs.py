#!/usr/bin/env python3
"""Tests integrations/blender/yuremono_bridge/springs.py without Blender: blender_bridge_springs.py [TUNED.vrm]"""

import importlib.util
import json
import struct
import sys
import tempfile
import unittest
from pathlib import Path
from types import SimpleNamespace

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parents[2]
SPEC = importlib.util.spec_from_file_location("springs", ROOT / "integrations/blender/yuremono_bridge/springs.py")
springs = importlib.util.module_from_spec(SPEC)
sys.modules["springs"] = springs
SPEC.loader.exec_module(springs)
TUNED = sys.argv.pop(1) if len(sys.argv) > 1 and not sys.argv[1].startswith("-") else str(ROOT / "assets/sample.vrm")


class Items(list):
    """A collection property: add() appends an empty item and returns it."""

    def __init__(self, make):
        super().__init__()
        self.make = make

    def add(self):
        self.append(self.make())
        return self[-1]

    def remove(self, index):
        del self[index]


def bone():
    return SimpleNamespace(bone_name="")


def values(stiffness):
    defaults = {stiffness: 1.0, "gravity_power": 0.0, "gravity_dir": (0, 0, -1), "drag_force": 0.5, "hit_radius": 0.0}
    return defaults


def joint():
    return SimpleNamespace(node=bone(), **values("stiffness"))


def spring():
    return SimpleNamespace(vrm_name="", joints=Items(joint), center=bone(), collider_groups=Items(SimpleNamespace))


def group():
    extra = {"comment": "", "bones": Items(bone), "center": bone(), "collider_groups": Items(SimpleNamespace)}
    return SimpleNamespace(**extra, **values("stiffiness"))


def extension(version):
    return SimpleNamespace(
        spec_version=version,
        spring_bone1=SimpleNamespace(springs=Items(spring), collider_groups=[SimpleNamespace(uuid="u0")]),
        vrm0=SimpleNamespace(secondary_animation=SimpleNamespace(bone_groups=Items(group), collider_groups=[])),
    )


class Springs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name) / "girl.vrm"

    def read(self, extensions, nodes=("Head", "Hair1", "Hair2", "Hair3")):
        data = json.dumps({"nodes": [{"name": name} for name in nodes], "extensions": extensions}).encode()
        self.path.write_bytes(struct.pack("<4sIII4s", b"glTF", 2, 20 + len(data), len(data), b"JSON") + data)
        return springs.read_springs(self.path)

    def read_v1(self, joints, **more):
        return self.read({"VRMC_springBone": {"springs": [{"name": "Hair", "joints": joints, **more}]}})

    def test_joints_are_matched_by_bone_name_and_changes_are_reported(self):
        file = self.read_v1([{"node": 1, "stiffness": 2, "gravityPower": 0.5, "gravityDir": [0, 0, 2]}, {"node": 2}])
        ext = extension("1.0")
        joints = ext.spring_bone1.springs.add().joints
        for name in ("Other", "Hair2", "Hair1"):
            joints.add().node.bone_name = name
        report = springs.merge(file, ext, ["Head", "Hair1", "Hair2", "Other"])
        self.assertEqual((joints[2].stiffness, joints[2].gravity_power), (2.0, 1.0), "the length goes into the power")
        self.assertEqual(joints[2].gravity_dir, (0.0, -1.0, 0.0), "glTF's Z is Blender's -Y")
        self.assertEqual(joints[1].stiffness, 1.0, "the tip keeps its values")
        self.assertEqual((report.matched, report.kept, report.added), (2, ["Other"], []))
        self.assertEqual(len(report.changes), 3)
        self.assertIn("Hair1: stiffness 1 → 2", report.changes)
        self.assertEqual(springs.merge(file, ext, ["Hair1"]).changes, [], "a second merge changes nothing")

    def test_new_springs_are_added_if_all_bones_exist(self):
        file = self.read_v1([{"node": 1, "dragForce": 0.25}, {"node": 2}], colliderGroups=[0, 9], center=0)
        ext = extension("1.0")
        report = springs.merge(file, ext, ["Head", "Hair1", "Hair2"])
        added = ext.spring_bone1.springs[0]
        self.assertEqual([item.node.bone_name for item in added.joints], ["Hair1", "Hair2"])
        self.assertEqual((added.joints[0].drag_force, added.center.bone_name), (0.25, "Head"))
        self.assertEqual([item.collider_group_uuid for item in added.collider_groups], ["u0"])
        self.assertEqual(report.added, ["Hair"])
        report = springs.merge(file, extension("1.0"), ["Hair1"])
        self.assertEqual((report.added, report.unmatched), ([], ["Hair1", "Hair2"]))

    def test_groups_of_vrm_0_are_matched_by_root_bone(self):
        down = {"x": 0, "y": -1, "z": 0}
        hair = {"comment": "Hair", "stiffiness": 3, "gravityDir": down, "bones": [1, 3], "center": -1}
        file = self.read({"VRM": {"secondaryAnimation": {"boneGroups": [hair]}}})
        ext = extension("0.0")
        target = ext.vrm0.secondary_animation.bone_groups.add()
        target.bones.add().bone_name = "Hair3"
        report = springs.merge(file, ext, ["Hair1", "Hair3"])
        self.assertEqual((target.stiffiness, target.gravity_dir), (3.0, (0, 0, -1)))
        self.assertEqual((report.matched, report.unmatched), (1, ["Hair1"]))
        ext = extension("0.0")
        springs.merge(file, ext, ["Hair1", "Hair3"])
        added = ext.vrm0.secondary_animation.bone_groups[0]
        self.assertEqual([item.bone_name for item in added.bones], ["Hair1", "Hair3"])

    def test_defaults_of_vrm_0(self):
        groups = [{"stiffness": 2, "bones": [1]}, {"stiffiness": 3, "stiffness": 2, "bones": [2]}]
        values = [chain.values[0] for chain in self.read({"VRM": {"secondaryAnimation": {"boneGroups": groups}}}).chains]
        self.assertEqual([value["stiffiness"] for value in values], [2.0, 3.0])
        self.assertEqual([value["drag_force"] for value in values], [0.4, 0.4])
        self.assertEqual(self.read_v1([{"node": 1, "stiffness": 1}]).chains[0].values[0]["drag_force"], 0.5)

    def test_groups_of_vrm_0_are_split_only_if_the_values_differ(self):
        stiffness = [2, 2.000001, 4]
        groups = [{"stiffiness": value, "bones": [at + 1]} for at, value in enumerate(stiffness)]
        file = self.read({"VRM": {"secondaryAnimation": {"boneGroups": groups}}})
        ext = extension("0.0")
        animation = ext.vrm0.secondary_animation
        target = animation.bone_groups.add()
        target.comment, target.hit_radius = "Hair", 0.5
        target.collider_groups.add().collider_group_uuid = "u0"
        for name in ("Hair1", "Hair3", "Hair2", "Other"):
            target.bones.add().bone_name = name
        report = springs.merge(file, ext, ["Hair1", "Hair2", "Hair3", "Other"])
        parts = animation.bone_groups
        found = [([item.bone_name for item in part.bones], part.stiffiness, part.hit_radius) for part in parts]
        self.assertEqual(sorted(found), [(["Hair1", "Hair2"], 2.0, 0.0), (["Hair3"], 4.0, 0.0), (["Other"], 1.0, 0.5)])
        self.assertEqual({part.comment for part in animation.bone_groups}, {"Hair"})
        self.assertTrue(all(part.collider_groups[0].collider_group_uuid == "u0" for part in animation.bone_groups))
        self.assertEqual((report.split, report.kept, report.matched), (["Other", "Hair3"], ["Other"], 3))
        report = springs.merge(file, ext, [])
        self.assertEqual((report.changes, report.split), ([], []), "a second merge changes nothing")

    def test_versions_must_be_equal(self):
        file = self.read_v1([{"node": 1}])
        with self.assertRaisesRegex(springs.SpringFileError, "VRM 1.0, the armature is VRM 0.0. Nothing was changed."):
            springs.merge(file, extension("0.0"), [])

    def test_invalid_files_are_rejected_with_a_reason(self):
        invalid = [
            {},
            {"VRMC_springBone": {"springs": [{}]}},
            {"VRMC_springBone": {"springs": [{"joints": [{"node": 99}]}]}},
            {"VRMC_springBone": {"springs": [{"joints": [{"node": -1}]}]}},
            {"VRMC_springBone": {"springs": [{"joints": [{"node": 1, "stiffness": "o.5"}]}]}},
            {"VRMC_springBone": {"springs": [{"joints": [{"node": 1, "stiffness": float("nan")}]}]}},
            {"VRMC_springBone": {"springs": [{"joints": [{"node": 1, "gravityDir": [1]}]}]}},
            {"VRM": {"secondaryAnimation": {"boneGroups": [7]}}},
        ]
        for extensions in invalid:
            with self.assertRaisesRegex(springs.SpringFileError, "girl.vrm: .*Nothing was changed"):
                self.read(extensions)
        for data in (b"", b"glTF" + bytes(20), b"PK" * 20):
            self.path.write_bytes(data)
            with self.assertRaises(springs.SpringFileError):
                springs.read_springs(self.path)

    def test_a_file_of_yuremono_reaches_every_joint(self):
        file = springs.read_springs(TUNED)
        self.assertGreater(len(file.chains), 10)
        ext = extension("1.0")
        for chain in file.chains:
            target = ext.spring_bone1.springs.add()
            for name in chain.bones:
                target.joints.add().node.bone_name = name
        report = springs.merge(file, ext, [])
        self.assertEqual((report.unmatched, report.kept), ([], []))
        self.assertGreater(len(report.changes), 100)
        targets = {item.node.bone_name: item for target in ext.spring_bone1.springs for item in target.joints}
        for chain in file.chains:
            for name, expected in zip(chain.bones, chain.values):
                for key, value in expected.items():
                    self.assertTrue(springs._is_equal(getattr(targets[name], key), value), f"{name}: {key}")


if __name__ == "__main__":
    unittest.main()
