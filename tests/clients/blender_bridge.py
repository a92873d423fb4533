#!/usr/bin/env python3
"""Runs the Blender add-on in Blender's Python module: blender_bridge.py [YUREMONO] [FOLDER_OF_io_scene_vrm]

Needs `pip install bpy` and the VRM add-on (github.com/saturday06/VRM-Addon-for-Blender, folder src). A script takes the
place of the artist: it opens the exported file, tunes it with Yuremono's command line, saves it there, and closes.
Exit codes: 0 passed, 1 failed, 77 skipped.
"""

import os
import shutil
import stat
import subprocess
import sys
import tempfile
import time
import traceback
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
YUREMONO = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "target/release/yuremono").resolve()
VRM_ADDON = Path(sys.argv[2] if len(sys.argv) > 2 else os.environ.get("YUREMONO_VRM_ADDON", ""))


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(77)


if not os.access(YUREMONO, os.X_OK):
    skip(f"{YUREMONO} does not exist")
if not (VRM_ADDON / "io_scene_vrm").is_dir():
    skip("the VRM add-on is not there; give the folder that contains io_scene_vrm")
try:
    import bpy  # Before addon_utils, which bpy makes importable.
    import addon_utils
except ImportError as error:
    skip(f"bpy is not installed ({error})")

sys.dont_write_bytecode = True
sys.path[:0] = [str(VRM_ADDON), str(ROOT / "integrations/blender")]
FOLDER = Path(tempfile.mkdtemp(prefix="bridge-test-"))


def fails_with(text, operator, **arguments):
    """Runs an operator that must report an error."""
    try:
        operator(**arguments)
    except RuntimeError as error:
        assert text in str(error), f"expected {text!r}, found {error!s}"
        return
    raise AssertionError(f"no error; expected {text!r}")


def fake_artist(name, script):
    path = FOLDER / name
    path.write_text(f"#!/bin/sh\nset -e\n{script}\n")
    path.chmod(path.stat().st_mode | stat.S_IEXEC)
    return str(path)


def armature():
    return next(item for item in bpy.data.objects if item.type == "ARMATURE")


def joints():
    springs = armature().data.vrm_addon_extension.spring_bone1.springs
    return {joint.node.bone_name: joint for spring in springs for joint in spring.joints}


def export_equals(file):
    """An export of the armature equals a file, by bone and parameter."""
    again = FOLDER / "again.vrm"
    bpy.ops.export_scene.vrm(filepath=str(again), armature_object_name=armature().name, ignore_warning=True)
    diff = subprocess.run([YUREMONO, "diff", file, again], capture_output=True, text=True, check=False)
    assert diff.returncode == 0, diff.stdout[:2000] + diff.stderr[:2000]


def run_session(bridge):
    """Blender's Python module has no event loop, so this loop takes the place of the timer."""
    deadline = time.time() + 120
    while bridge.State.session is not None:
        assert time.time() < deadline, "Yuremono did not end"
        bridge.poll_session()
        time.sleep(0.1)


def test():
    addon_utils.enable("io_scene_gltf2")
    bridge = addon_utils.enable("yuremono_bridge", default_set=True)
    assert bridge is not None, "the add-on cannot be enabled"
    preferences = bpy.context.preferences.addons["yuremono_bridge"].preferences
    bpy.ops.object.armature_add()
    fails_with("The VRM add-on is not enabled", bpy.ops.yuremono.tune)
    fails_with("The VRM add-on is not enabled", bpy.ops.yuremono.read_springs, filepath="none.vrm")
    bpy.ops.object.delete()
    assert addon_utils.enable("io_scene_vrm", default_set=True), "the VRM add-on cannot be enabled"
    bpy.ops.import_scene.vrm(filepath=str(ROOT / "assets/sample.vrm"))
    bpy.context.view_layer.objects.active = armature()

    preferences.executable = str(FOLDER / "missing")
    fails_with("Yuremono was not found", bpy.ops.yuremono.tune)
    fails_with("none.vrm", bpy.ops.yuremono.read_springs, filepath=str(FOLDER / "none.vrm"))
    assert joints(), "the sample has joints"

    # The artist saves a second file next to the exported file, and closes Yuremono.
    exported, tuned = FOLDER / "exported.vrm", FOLDER / "tuned.vrm"
    convert = f'"{YUREMONO}" convert "$1" --lang en --preset hair_long --preset skirt_stiff'
    preferences.executable = fake_artist(
        "artist", f'cp "$1" "{exported}"\n{convert} --out "${{1%.vrm}}_tuned.vrm"\ncp "${{1%.vrm}}_tuned.vrm" "{tuned}"'
    )
    before = {name: joint.stiffness for name, joint in joints().items()}
    bpy.ops.yuremono.tune()
    folder = bridge.State.session.folder
    fails_with("already open", bpy.ops.yuremono.tune)
    run_session(bridge)
    assert len(list(folder.glob("*.vrm"))) == 2, "saved files are kept"
    shutil.rmtree(folder)
    print("report:", bridge.State.summary)
    assert "values changed" in bridge.State.summary and "unmatched" not in bridge.State.summary
    file = bridge.springs.read_springs(tuned)
    found = joints()
    checked = 0
    for chain in file.chains:
        for bone, values in zip(chain.bones, chain.values):
            for name, value in values.items():
                current = getattr(found[bone], name)
                pairs = zip(current, value) if isinstance(value, tuple) else [(current, value)]
                assert all(abs(a - b) < 1e-4 for a, b in pairs), f"{bone}: {name} is {current}; expected {value}"
                checked += 1
    changed = [name for name, joint in found.items() if joint.stiffness != before[name]]
    assert changed and checked > 500, (len(changed), checked)
    print(f"{checked} values equal the file of Yuremono, {len(changed)} joints have another stiffness")

    export_equals(tuned)
    print("a second export equals the tuned file (yuremono diff)")

    bpy.ops.ed.undo_push(message="Before")
    armature().data.vrm_addon_extension.spring_bone1.springs.clear()
    bpy.ops.yuremono.read_springs(filepath=str(tuned))
    assert "springs added" in bridge.State.summary, bridge.State.summary
    export_equals(tuned)
    tuned_stiffness = {name: joint.stiffness for name, joint in joints().items()}
    bpy.ops.yuremono.read_springs(filepath=str(exported))
    assert any(joint.stiffness != tuned_stiffness[name] for name, joint in joints().items())
    bpy.ops.ed.undo()
    assert {name: joint.stiffness for name, joint in joints().items()} == tuned_stiffness
    print("missing springs are added again, and one undo reverts one file")

    # The artist saves over the same file while Yuremono stays open; the second save is damaged.
    preferences.executable = fake_artist(
        "artist", f'sleep 1\ncp "{exported}" "$1.part"\nmv "$1.part" "$1"\nsleep 2\nprintf damaged > "$1"\nsleep 2'
    )
    bpy.ops.yuremono.tune()
    folder = bridge.State.session.folder
    summaries = []
    show = bridge.show
    bridge.show = lambda summary, lines=(): (summaries.append(summary), show(summary, lines))
    run_session(bridge)
    bridge.show = show
    shutil.rmtree(folder)
    assert len(summaries) == 2 and "values changed" in summaries[0], summaries
    assert "not a binary glTF. Nothing was changed." in summaries[1], summaries
    unchanged = [name for name, joint in joints().items() if abs(joint.stiffness - before[name]) < 1e-5]
    assert len(unchanged) == len(before), "the springs are as before"
    print("a save over the same file is read, a damaged file is rejected")

    preferences.executable = fake_artist("artist", "exit 0")
    bpy.ops.yuremono.tune()
    folder = bridge.State.session.folder
    run_session(bridge)
    assert not folder.exists(), "a folder without saved files is removed"
    preferences.executable = fake_artist("artist", "exit 3")
    bpy.ops.yuremono.tune()
    folder = bridge.State.session.folder
    run_session(bridge)
    assert "exit code 3" in bridge.State.summary and folder.exists()
    shutil.rmtree(folder)

    armature().data.vrm_addon_extension.spec_version = "0.0"
    fails_with("the file is VRM 1.0, the armature is VRM 0.0", bpy.ops.yuremono.read_springs, filepath=str(tuned))
    addon_utils.disable("yuremono_bridge", default_set=True)
    addon_utils.enable("yuremono_bridge", default_set=True)
    print(f"Blender {bpy.app.version_string}, VRM add-on: passed")


def test_vrm_0(sample):
    """A VRM 0.x stores one set of values for each group: Yuremono splits groups, and so does the add-on."""
    import yuremono_bridge as bridge

    bpy.ops.wm.read_factory_settings(use_empty=True)
    for name in ("io_scene_gltf2", "io_scene_vrm", "yuremono_bridge"):
        addon_utils.enable(name, default_set=True)
    bpy.ops.import_scene.vrm(filepath=str(sample))
    bpy.context.view_layer.objects.active = armature()
    tuned, again = FOLDER / "tuned0.vrm", FOLDER / "again0.vrm"
    presets = ["--preset", "hair_long", "--preset", "skirt_stiff", "--average"]
    subprocess.run([YUREMONO, "convert", sample, *presets, "--out", tuned], check=True, capture_output=True)
    bpy.ops.yuremono.read_springs(filepath=str(tuned))
    assert "values changed" in bridge.State.summary and "splitting" in bridge.State.summary, bridge.State.summary
    bpy.ops.export_scene.vrm(filepath=str(again), armature_object_name=armature().name, ignore_warning=True)
    expected, found = (
        {bone: chain.values[0] for chain in bridge.springs.read_springs(path).chains for bone in chain.bones}
        for path in (tuned, again)
    )
    assert expected.keys() == found.keys()
    for bone, values in expected.items():
        assert all(bridge.springs._is_equal(found[bone][name], value) for name, value in values.items()), bone
    print(f"VRM 0.x: {bridge.State.summary}")


try:
    test()
    sample0 = Path(os.environ.get("YUREMONO_SAMPLES", "")) / "synth_girl_vrm0.vrm"
    if sample0.is_file():
        test_vrm_0(sample0)
    else:
        print("skipped: VRM 0.x, because YUREMONO_SAMPLES names no folder with synth_girl_vrm0.vrm")
    code = 0
except Exception:
    traceback.print_exc()
    code = 1
shutil.rmtree(FOLDER, ignore_errors=True)
sys.stdout.flush()
sys.stderr.flush()
# Blender 4.2's module crashes while Python exits if the VRM add-on is loaded, with or without this add-on.
os._exit(code)
