"""Tunes the spring bones of a VRM character in Yuremono and reads the result back. Needs the VRM add-on."""

import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

import bpy
from bpy.props import StringProperty
from bpy_extras.io_utils import ImportHelper

from . import springs

bl_info = {
    "name": "Yuremono Bridge",
    "author": "The Yuremono authors",
    "version": (0, 1, 0),
    "blender": (4, 2, 0),
    "location": "3D View > Sidebar > VRM > Yuremono",
    "description": "Tune the spring bones of a VRM character in Yuremono",
    "category": "Animation",
}

POLL_SECONDS = 0.5
PANEL_LINES = 12


class Session:
    """One run of Yuremono. Objects are kept by name, because undo invalidates references to objects."""

    def __init__(self, armature_name, path, process):
        self.armature_name = armature_name
        self.folder = path.parent
        self.process = process
        self.first_stamps = stamps(self.folder)
        self.last_stamps = self.first_stamps
        self.read_stamps = dict(self.first_stamps)


class State:
    session = None
    summary = ""
    lines = ()


def stamps(folder):
    """Time and size of each VRM file. Temporary files of Yuremono have other extensions."""
    found = {}
    for path in sorted(folder.glob("*.vrm")):
        try:
            stat = path.stat()
        except OSError:
            continue
        found[path] = (stat.st_mtime_ns, stat.st_size)
    return found


def show(summary, lines=()):
    """Shows a report in the panel and prints the whole report to the console."""
    State.summary, State.lines = summary, tuple(lines)
    print("Yuremono:", summary, *lines, sep="\n  ")
    for window in bpy.context.window_manager.windows:
        for area in window.screen.areas:
            area.tag_redraw()


def has_vrm_addon():
    return "vrm" in dir(bpy.ops.export_scene) and hasattr(bpy.types.Armature, "vrm_addon_extension")


def apply_file(path, armature_name):
    """Reads the springs of a file into an armature, as one undo step. Raises SpringFileError or OSError."""
    armature = bpy.data.objects.get(armature_name)
    if armature is None or armature.type != "ARMATURE":
        raise springs.SpringFileError(f'the armature "{armature_name}" does not exist. Nothing was changed.')
    file = springs.read_springs(path)
    report = springs.merge(file, armature.data.vrm_addon_extension, [bone.name for bone in armature.data.bones])
    if (report.changes or report.added or report.split) and bpy.ops.ed.undo_push.poll():
        bpy.ops.ed.undo_push(message="Springs from Yuremono")
    show(f"{Path(path).name}: {report.summary()}", report.lines())
    return report


def poll_session():
    """Reads files that changed and that did not change again since the last call. Returns the seconds until the next
    call, or None at the end, as bpy.app.timers expects."""
    session = State.session
    if session is None:
        return None
    exit_code = session.process.poll()
    current = stamps(session.folder)
    for path, stamp in current.items():
        is_stable = session.last_stamps.get(path) == stamp or exit_code is not None
        if is_stable and session.read_stamps.get(path) != stamp:
            session.read_stamps[path] = stamp
            try:
                apply_file(path, session.armature_name)
            except (springs.SpringFileError, OSError) as error:
                show(str(error))
    session.last_stamps = current
    if exit_code is None:
        return POLL_SECONDS
    State.session = None
    if exit_code != 0:
        show(f"Yuremono ended with exit code {exit_code}. The files are kept in {session.folder}.", State.lines)
    elif {path: current.get(path) for path in session.folder.iterdir()} == session.first_stamps:
        # Nothing was saved. Saved files are kept: they may be the only copy.
        shutil.rmtree(session.folder, ignore_errors=True)
    return None


def find_executable(context):
    """Returns the path of Yuremono, or an empty string."""
    chosen = bpy.path.abspath(context.preferences.addons[__package__].preferences.executable)
    if chosen:
        return chosen if os.path.isfile(chosen) and os.access(chosen, os.X_OK) else ""
    return shutil.which("yuremono") or ""


class YUREMONO_OT_tune(bpy.types.Operator):
    """Export the active armature as a VRM, open the file in Yuremono, and read the springs back when you save there"""

    bl_idname = "yuremono.tune"
    bl_label = "Tune in Yuremono"
    bl_options = {"REGISTER"}

    def execute(self, context):
        problem = self.start(context)
        if problem:
            show(problem)
            self.report({"ERROR"}, problem)
            return {"CANCELLED"}
        return {"FINISHED"}

    def start(self, context):
        """Returns a message if Yuremono cannot be started."""
        armature = context.active_object
        if armature is None or armature.type != "ARMATURE":
            return "No armature is active. Select the armature of the character."
        if not has_vrm_addon():
            return 'The VRM add-on is not enabled. Install "VRM format" in Preferences > Get Extensions.'
        if State.session is not None and State.session.process.poll() is None:
            return "Yuremono is already open. Close the window of Yuremono first."
        executable = find_executable(context)
        if not executable:
            return "Yuremono was not found. Choose the executable in the preferences of this add-on."
        folder = Path(tempfile.mkdtemp(prefix="yuremono-"))
        path = folder / (re.sub(r'[<>:"/\\|?*\x00-\x1f]', "_", armature.name) + ".vrm")
        try:
            bpy.ops.export_scene.vrm(
                filepath=str(path), use_addon_preferences=True, armature_object_name=armature.name, ignore_warning=True
            )
        except RuntimeError as error:
            print(error)
        if not path.is_file():
            shutil.rmtree(folder, ignore_errors=True)
            return "The VRM add-on could not export the armature. Export with File > Export > VRM to see the reason."
        try:
            process = subprocess.Popen([executable, str(path)])
        except OSError as error:
            shutil.rmtree(folder, ignore_errors=True)
            return f"Yuremono could not be started: {error}."
        State.session = Session(armature.name, path, process)
        show(f'Yuremono is open. Save with "Save into VRM" in the folder {folder}.')
        # A timer that is not persistent ends when another file is opened.
        bpy.app.timers.register(poll_session, first_interval=POLL_SECONDS, persistent=True)
        return ""


class YUREMONO_OT_read(bpy.types.Operator, ImportHelper):
    """Read the springs of a VRM file into the active armature, by bone name"""

    bl_idname = "yuremono.read_springs"
    bl_label = "Read springs…"
    bl_options = {"REGISTER"}
    filename_ext = ".vrm"
    filter_glob: StringProperty(default="*.vrm;*.glb", options={"HIDDEN"})

    def execute(self, context):
        try:
            if not has_vrm_addon():
                raise springs.SpringFileError("The VRM add-on is not enabled. Nothing was changed.")
            apply_file(self.filepath, context.active_object.name if context.active_object else "")
        except (springs.SpringFileError, OSError) as error:
            show(str(error))
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        self.report({"INFO"}, State.summary)
        return {"FINISHED"}


class YUREMONO_PT_panel(bpy.types.Panel):
    bl_label = "Yuremono"
    bl_idname = "YUREMONO_PT_panel"
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "VRM"

    def draw(self, context):
        layout = self.layout
        layout.operator(YUREMONO_OT_tune.bl_idname, icon="PHYSICS")
        layout.operator(YUREMONO_OT_read.bl_idname, icon="IMPORT")
        if State.summary:
            box = layout.box()
            box.label(text=State.summary)
            for line in State.lines[:PANEL_LINES]:
                box.label(text=line)
            if len(State.lines) > PANEL_LINES:
                box.label(text=f"… and {len(State.lines) - PANEL_LINES} more, see the system console")


class YuremonoPreferences(bpy.types.AddonPreferences):
    bl_idname = __package__

    executable: StringProperty(
        name="Yuremono",
        description="Executable of Yuremono. Empty: yuremono in the search path of the system",
        subtype="FILE_PATH",
    )

    def draw(self, context):
        self.layout.prop(self, "executable")


CLASSES = (YUREMONO_OT_tune, YUREMONO_OT_read, YUREMONO_PT_panel, YuremonoPreferences)


def register():
    for cls in CLASSES:
        bpy.utils.register_class(cls)


def unregister():
    if bpy.app.timers.is_registered(poll_session):
        bpy.app.timers.unregister(poll_session)
    State.session = None
    for cls in reversed(CLASSES):
        bpy.utils.unregister_class(cls)
