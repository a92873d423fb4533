"""Imports a GLB with Blender, and compares all baked bones with the table of the same bake.

python3 bake_blender.py FILE.glb FILE.csv
"""

import csv
import json
import struct
import sys

try:
    import bpy
    from mathutils import Matrix, Quaternion, Vector
except ImportError:
    print("skipped: bpy is not installed")
    sys.exit(0)

MAX_METRES = 1e-4


def read_nodes(path):
    with open(path, "rb") as file:
        data = file.read()
    (length,) = struct.unpack_from("<I", data, 12)
    document = json.loads(data[20 : 20 + length])
    return document["nodes"], document["animations"][-1]["name"]


def read_table(path):
    frames = {}
    with open(path, newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            frame = frames.setdefault(int(row["frame"]), (float(row["time"]), {}))
            columns = ("tx", "ty", "tz", "rx", "ry", "rz", "rw", "sx", "sy", "sz")
            frame[1][int(row["node"])] = [float(row[name]) for name in columns]
    return [frames[number] for number in sorted(frames)]


def world_positions(nodes, bones):
    """Positions of all nodes in glTF space, by index. `bones` has the keys of one frame, by index of the node."""
    positions = {}
    children = {child for node in nodes for child in node.get("children", [])}

    def visit(index, above):
        node = nodes[index]
        values = bones.get(index)
        rotation = values[3:7] if values else node.get("rotation", [0, 0, 0, 1])
        translation = values[:3] if values else node.get("translation", [0, 0, 0])
        scale = values[7:] if values else node.get("scale", [1, 1, 1])
        local = Matrix.LocRotScale(Vector(translation), Quaternion([rotation[3], *rotation[:3]]), Vector(scale))
        world = above @ local
        positions[index] = world.to_translation()
        for child in node.get("children", []):
            visit(child, world)

    for root in set(range(len(nodes))) - children:
        visit(root, Matrix.Identity(4))
    return positions


def play(animation, name):
    """Plays one animation. The importer puts every animation into a strip that starts at frame 1."""
    if animation is None:
        return
    animation.action = None
    for track in animation.nla_tracks:
        track.mute = True
        if track.name == name:
            animation.action = track.strips[0].action
            if hasattr(animation, "action_slot"):
                animation.action_slot = track.strips[0].action_slot


def main():
    path, table = sys.argv[-2:]
    nodes, name = read_nodes(path)
    frames = read_table(table)
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.context.scene.render.fps = 60
    bpy.ops.import_scene.gltf(filepath=path, bone_heuristic="BLENDER")
    armature = next(item for item in bpy.data.objects if item.type == "ARMATURE")
    for item in bpy.data.objects:
        play(item.animation_data, name)
    # Bones without keys would keep their pose of the animation that the importer shows.
    for bone in armature.pose.bones:
        bone.matrix_basis = Matrix.Identity(4)
    to_blender = Matrix.Rotation(1.5707963267948966, 4, "X")
    largest = 0.0
    for time, bones in frames:
        frame = time * 60.0
        bpy.context.scene.frame_set(int(frame), subframe=frame - int(frame))
        for index, position in world_positions(nodes, bones).items():
            pose = armature.pose.bones.get(nodes[index].get("name", ""))
            if pose is not None and index in bones:
                found = armature.matrix_world @ pose.head
                largest = max(largest, (found - to_blender @ position).length)
    print(f"Blender {bpy.app.version_string}, {path}: {len(frames)} frames, off by at most {1000 * largest:.4f} mm")
    sys.exit(0 if frames and largest <= MAX_METRES else 1)


main()
