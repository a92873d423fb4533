// Tests YuremonoWatcher.cs on files of Yuremono's command line: BridgeTest.exe FOLDER
// FOLDER contains unitychan.csv, dynamic.csv, ez.json and tuned.vrm of one character.

using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Text;
using System.Threading;
using EZhex1991.EZSoftBone;
using Unity.Animations.SpringBones;
using UnityEditor;
using UnityEngine;
using UniVRM10;
using YuremonoBridge;

static class BridgeTest
{
    static int checks;

    static int Main(string[] arguments)
    {
        // Numbers in files do not depend on the language of the computer.
        Thread.CurrentThread.CurrentCulture = new CultureInfo("de-DE");
        var folder = arguments[0];
        try
        {
            UnityChan(File.ReadAllText(Path.Combine(folder, "unitychan.csv")));
            DynamicBones(File.ReadAllText(Path.Combine(folder, "dynamic.csv")));
            EzSoftBones(File.ReadAllText(Path.Combine(folder, "ez.json")));
            Vrm1(File.ReadAllBytes(Path.Combine(folder, "tuned.vrm")));
            Vrm0();
            InvalidFiles();
            Window(Path.Combine(folder, "unitychan.csv"));
            foreach (var name in new[] { "unitychan.csv", "dynamic.csv", "ez.json", "tuned.vrm" })
                DamagedCopies(name, File.ReadAllBytes(Path.Combine(folder, name)));
        }
        catch (Exception error)
        {
            Console.WriteLine("FAILED: " + error);
            return 1;
        }
        Console.WriteLine("Unity script: " + checks + " checks passed");
        return 0;
    }

    static void Check(bool holds, string what)
    {
        checks++;
        if (!holds) throw new Exception(what);
    }

    static void Equal(double found, double expected, string what)
    {
        Check(Math.Abs(found - expected) <= 1e-6 * Math.Max(1, Math.Abs(expected)), what + " is " + found + "; expected " + expected);
    }

    static double Number(string text) { return double.Parse(text, CultureInfo.InvariantCulture); }

    static ParsedFile Parse(string name, string text) { return YuremonoFiles.Parse(name, Encoding.UTF8.GetBytes(text)); }

    /// <summary>The rows of a section, read independently of the parser.</summary>
    static List<string[]> Section(string text, string name)
    {
        return text.Split('\n').Select(line => line.Trim()).SkipWhile(line => line != "[" + name + "]").Skip(1)
            .TakeWhile(line => line != "" && !line.StartsWith("["))
            .Where(line => !line.StartsWith("//")).Select(line => line.Split(',')).ToList();
    }

    /// <summary>A character with one object for each bone that the file names.</summary>
    static GameObject Character(ParsedFile file, params string[] except)
    {
        var made = new HashSet<string>(file.Entries.Where(entry => entry.Parent != null).Select(entry => entry.Holder));
        var names = file.Entries.SelectMany(entry => (entry.Roots ?? new List<string>()).Concat(new[] { entry.Parent, entry.Holder }))
            .Where(name => !string.IsNullOrEmpty(name) && !made.Contains(name)).Distinct().Except(except);
        var character = new GameObject("Character");
        foreach (var name in names) new GameObject(name).transform.SetParent(character.transform);
        return character;
    }

    static T Find<T>(GameObject character, string name) where T : Component
    {
        return character.GetComponentsInChildren<T>(true).First(component => component.name == name);
    }

    static void UnityChan(string text)
    {
        var rows = Section(text, "SpringBones");
        var colliders = Section(text, "Colliders");
        var file = Parse("unitychan.csv", text);
        Check(rows.Count > 100 && colliders.Count > 10, "the CSV has bones and colliders");
        Check(file.Entries.Count == rows.Count + colliders.Count + Section(text, "Pivots").Count, "each row is one entry");

        var character = Character(file, rows[0][0]);
        var report = YuremonoApplier.Apply(file, character, true, "unitychan.csv");
        Check(report.Contains(" " + (file.Entries.Count - 1) + " matched, 1 unmatched"), report);
        Check(report.Contains("Unmatched: " + rows[0][0]), report);
        Check(Find<SpringManager>(character, "Character").Found == rows.Count - 1, "the manager found the new bones");
        foreach (var row in rows.Skip(1))
        {
            var bone = Find<SpringBone>(character, row[0]);
            Equal(bone.radius, Number(row[1]), "radius");
            Equal(bone.stiffnessForce, Number(row[2]), "stiffnessForce");
            Equal(bone.dragForce, Number(row[3]), "dragForce");
            Equal(bone.springForce.y, Number(row[5]), "springForce");
            Equal(bone.yAngleLimits.min, Number(row[10]), "y angle min");
            Check(bone.zAngleLimits.active == (row[12] == "True"), "z angle limit");
            Equal(bone.angularStiffness, Number(row[15]), "angularStiffness");
            Check(bone.pivotNode == null ? row[8] == rows[0][0] : bone.pivotNode.name == row[8], "pivotNode");
            var names = bone.sphereColliders.Select(c => c.name).Concat(bone.capsuleColliders.Select(c => c.name));
            Check(new HashSet<string>(names).SetEquals(row.Skip(17).Where(cell => cell != "")), "colliders");
        }
        var capsule = colliders.First(row => row[11] == "cp");
        var found = Find<SpringCapsuleCollider>(character, capsule[0]);
        Check(found.transform.parent.name == capsule[1], "the collider is a child of its bone");
        Equal(found.height, Number(capsule[13]), "height");
        Equal(found.transform.localEulerAngles.z, Number(capsule[7]), "rotation");

        // A second file changes the same components: nothing is created, and a sphere becomes a panel.
        var sphere = colliders.First(row => row[11] == "sp");
        var line = string.Join(",", sphere);
        var next = Parse("unitychan.csv", text.Replace(line, line.Replace(",sp," + sphere[12], ",pa,0.5,0.25")).Replace(rows[1][2], "0.125"));
        report = YuremonoApplier.Apply(next, character, true, "unitychan.csv");
        Check(report.Contains("1 created"), report);
        Check(character.GetComponentsInChildren<SpringSphereCollider>(true).All(c => c.name != sphere[0]), "the sphere is removed");
        Equal(Find<SpringPanelCollider>(character, sphere[0]).width, 0.5, "width");
        Equal(Find<SpringBone>(character, rows[1][0]).stiffnessForce, 0.125, "stiffnessForce");
        Check(Undo.Registered.Contains(Find<SpringBone>(character, rows[1][0])), "the change is registered for undo");

        // Bones of the mesh are not moved, even if a collider has the same name.
        character = Character(file);
        var skin = (SkinnedMeshRenderer)character.AddComponent(typeof(SkinnedMeshRenderer));
        var bone_ = new GameObject(sphere[0]).transform;
        bone_.SetParent(character.transform);
        bone_.localPosition = new Vector3(7, 7, 7);
        skin.bones = new[] { bone_ };
        YuremonoApplier.Apply(file, character, false, "unitychan.csv");
        Check(bone_.localPosition.x == 7 && bone_.parent == character.transform, "a skinned bone is not moved");
        Check(character.GetComponentsInChildren<SpringBone>(true).Length == 0, "nothing is created if the option is off");
    }

    static void DynamicBones(string text)
    {
        var rows = Section(text, "DynamicBone");
        var file = Parse("dynamic.csv", text);
        var character = Character(file);
        var own = new GameObject("OwnDynamics");
        own.transform.SetParent(character.transform);
        var first = (DynamicBone)own.AddComponent(typeof(DynamicBone));
        first.m_Root = Find<Transform>(character, rows[0][9]);
        first.m_ReferenceObject = own.transform;
        var report = YuremonoApplier.Apply(file, character, true, "dynamic.csv");
        Check(report.Contains(" 0 unmatched") && report.Contains((file.Entries.Count - 1) + " created"), report);
        Check(first.m_ReferenceObject == own.transform, "an empty name keeps the reference");
        Equal(first.m_Damping, Number(rows[0][12]), "damping of the component that existed");
        Check(own.transform.localPosition.y == 0 && own.transform.parent == character.transform, "the object is not moved");
        foreach (var row in rows.Skip(1))
        {
            var bone = Find<DynamicBone>(character, row[1]);
            Check(bone.m_Root.name == row[9] && bone.transform.parent.name == row[0], "root and parent");
            Equal(bone.m_Elasticity, Number(row[13]), "elasticity");
            Equal(bone.m_Force.y, Number(row[26]), "force");
            Equal((double)bone.m_UpdateMode, Number(row[11]), "update mode");
        }
        var curve = Section(text, "m_DampingDistrib").First(row => row.Length > 6 && row[0] != rows[0][1]);
        var key = Find<DynamicBone>(character, curve[0]).m_DampingDistrib.keys[0];
        Equal(key.time, Number(curve[1]), "time");
        Equal(key.outTangent, Number(curve[5]), "slope");
        var colliders = Section(text, "m_Colliders").First(row => row.Length > 1);
        var lists = character.GetComponentsInChildren<DynamicBone>(true).First(c => c.m_Root.name + "_DynamicBone" == colliders[0]).m_Colliders;
        Check(lists.Select(c => c.name).SequenceEqual(colliders.Skip(1)), "colliders");
    }

    static void EzSoftBones(string text)
    {
        var file = Parse("ez.json", text);
        var character = Character(file);
        var report = YuremonoApplier.Apply(file, character, true, "ez.json");
        Check(report.Contains(" 0 unmatched"), report);
        var components = character.GetComponentsInChildren<EZSoftBone>(true);
        Check(components.Length == file.Entries.Count(entry => entry.Roots != null), "one component for each chain");
        Check(components.Select(c => c.m_Material).Distinct().Count() == components.Length, "each chain has its own material");
        var entries = file.Entries.Where(entry => entry.Roots != null).ToList();
        for (var i = 0; i < components.Length; i++)
        {
            Equal(components[i].m_Material.m_Damping, (double)entries[i].Fields["m_Material.m_Damping"], "damping");
            Equal(components[i].m_Gravity.y, ((double[])entries[i].Fields["m_Gravity"])[1], "gravity");
            Check(components[i].m_RootBones[0].name == entries[i].Roots[0], "root");
            Check(components[i].m_Material.m_StiffnessCurve.keys.Length >= 2, "curve");
        }
        Check(components[0].m_ExtraColliders.Count > 0, "colliders");
        report = YuremonoApplier.Apply(file, character, true, "ez.json");
        Check(!report.Contains("created"), report);
    }

    static void Vrm1(byte[] bytes)
    {
        var file = YuremonoFiles.Parse("tuned.vrm", bytes);
        Check(file.Format == "VRM 1.0" && file.Entries.Count > 100, "springs of VRM 1.0");
        var character = Character(file);
        var report = YuremonoApplier.Apply(file, character, true, "tuned.vrm");
        Check(report.Contains(" 0 matched"), "joints are not created: " + report);
        foreach (var child in character.GetComponentsInChildren<Transform>(true)) child.gameObject.AddComponent(typeof(VRM10SpringBoneJoint));
        report = YuremonoApplier.Apply(file, character, true, "tuned.vrm");
        Check(report.Contains(" " + file.Entries.Count + " matched, 0 unmatched"), report);
        foreach (var entry in file.Entries)
        {
            var joint = Find<VRM10SpringBoneJoint>(character, entry.Holder);
            Equal(joint.m_stiffnessForce, (double)entry.Fields["m_stiffnessForce"], "stiffness");
            Check(joint.m_gravityDir.y <= 1 && joint.m_dragForce >= 0 && joint.m_dragForce <= 1, "gravity and drag");
        }
    }

    static byte[] Glb(string json)
    {
        var text = Encoding.UTF8.GetBytes(json);
        var header = new[] { 0x46546C67, 2, 20 + text.Length, text.Length, 0x4E4F534A };
        return header.SelectMany(BitConverter.GetBytes).Concat(text).ToArray();
    }

    static void Vrm0()
    {
        var mirrored = YuremonoFiles.Parse("new.vrm", Glb("{\"nodes\":[{\"name\":\"A\"},{\"name\":\"B\"}],\"extensions\":{\"VRMC_springBone\":"
            + "{\"springs\":[{\"joints\":[{\"node\":0,\"gravityDir\":[1,0,0]},{\"node\":1}]}]}}}")).Entries.Single();
        Equal(((double[])mirrored.Fields["m_gravityDir"])[0], -1, "gravity of VRM 1.0 is mirrored");
        Equal((double)mirrored.Fields["m_dragForce"], 0.5, "default drag of VRM 1.0");

        var spelled = YuremonoFiles.Parse("old.vrm", Glb("{\"nodes\":[{\"name\":\"A\"}],\"extensions\":{\"VRM\":"
            + "{\"secondaryAnimation\":{\"boneGroups\":[{\"stiffness\":2,\"bones\":[0]}]}}}}")).Entries.Single();
        Equal((double)spelled.Fields["m_stiffnessForce"], 2, "stiffness of VRM 0.x without the spelling mistake");
        Equal((double)spelled.Fields["m_dragForce"], 0.4, "default drag of VRM 0.x");

        var file = YuremonoFiles.Parse("old.vrm", Glb("{\"nodes\":[{\"name\":\"\\u9aea\\/1\"},{\"name\":\"Skirt\"}],\"extensions\":{\"VRM\":"
            + "{\"secondaryAnimation\":{\"boneGroups\":[{\"stiffiness\":2.5,\"gravityPower\":1e-1,\"gravityDir\":{\"x\":0,\"y\":-1,\"z\":0.5},"
            + "\"dragForce\":0.25,\"hitRadius\":0.02,\"bones\":[0,1]}]}}}}"));
        var character = Character(file);
        var spring = (VRM.VRMSpringBone)character.AddComponent(typeof(VRM.VRMSpringBone));
        spring.RootBones.Add(Find<Transform>(character, "\u9aea/1"));
        var report = YuremonoApplier.Apply(file, character, true, "old.vrm");
        Check(report.Contains("VRM 0.x, 1 matched, 1 unmatched") && report.Contains("Unmatched: Skirt"), report);
        Equal(spring.m_stiffnessForce, 2.5, "stiffness");
        Equal(spring.m_gravityDir.z, 0.5, "gravity keeps Unity's axes");
        Equal(spring.m_hitRadius, 0.02, "hit radius");

        // One component moves three bones. Two of them have equal values in the file, apart from rounding.
        file = YuremonoFiles.Parse("old.vrm", Glb("{\"nodes\":[{\"name\":\"A\"},{\"name\":\"B\"},{\"name\":\"C\"}],\"extensions\":{\"VRM\":{\"secondaryAnimation\":"
            + "{\"boneGroups\":[{\"stiffiness\":2,\"bones\":[0]},{\"stiffiness\":3,\"bones\":[1]},{\"stiffiness\":2.000001,\"bones\":[2]}]}}}}"));
        character = Character(file);
        spring = (VRM.VRMSpringBone)character.AddComponent(typeof(VRM.VRMSpringBone));
        spring.RootBones.AddRange(new[] { "A", "B", "C" }.Select(name => Find<Transform>(character, name)));
        YuremonoApplier.Apply(file, character, true, "old.vrm");
        report = YuremonoApplier.Apply(file, character, true, "old.vrm");
        Check(report.Contains("3 matched, 0 unmatched") && !report.Contains("created"), report);
        var found = character.GetComponentsInChildren<VRM.VRMSpringBone>(true)
            .Select(c => string.Concat(c.RootBones.Select(root => root.name)) + c.m_stiffnessForce).OrderBy(name => name);
        Check(found.SequenceEqual(new[] { "AC2", "B3" }), string.Join(" ", found));
    }

    /// <summary>The window applies a file that is written under another name and renamed, after 0.3 s without changes.</summary>
    static void Window(string csv)
    {
        var folder = Directory.CreateDirectory(Path.Combine(Path.GetTempPath(), "yuremono-" + Guid.NewGuid())).FullName;
        var window = new YuremonoWatcher();
        var any = BindingFlags.Instance | BindingFlags.NonPublic;
        Action<string> call = name => typeof(YuremonoWatcher).GetMethod(name, any).Invoke(window, null);
        Action<string, object> set = (name, value) => typeof(YuremonoWatcher).GetField(name, any).SetValue(window, value);
        var log = (List<string>)typeof(YuremonoWatcher).GetField("log", any).GetValue(window);
        set("character", Character(YuremonoFiles.Parse("unitychan.csv", File.ReadAllBytes(csv))));
        set("folder", folder);
        call("OnEnable");
        File.Copy(csv, Path.Combine(folder, "part.tmp"));
        File.Move(Path.Combine(folder, "part.tmp"), Path.Combine(folder, "hair.csv"));
        Thread.Sleep(100);
        EditorApplication.update();
        Check(log.Count == 0, "nothing is applied before 0.3 s");
        for (var wait = 0; wait < 100 && log.Count == 0; wait++) { Thread.Sleep(50); EditorApplication.update(); }
        Check(log.Count == 1 && log[0].Contains("hair.csv: UnityChanSpringBone") && log[0].Contains(" 0 unmatched"), string.Join("|", log));
        File.WriteAllText(Path.Combine(folder, "hair.csv"), "version,9\n");
        for (var wait = 0; wait < 100 && log.Count == 1; wait++) { Thread.Sleep(50); EditorApplication.update(); }
        Check(log.Count == 2 && log[0].Contains("hair.csv:1:") && log[0].Contains("Nothing was applied"), string.Join("|", log));
        call("OnDisable");
        Check(EditorApplication.update == null, "a closed window does not watch");
        Directory.Delete(folder, true);
    }

    static void InvalidFiles()
    {
        Rejects("hair.csv", "version,4\n\n[SpringBones]\nA,o.5,1\n", "hair.csv:4: radius: \"o.5\" is not a number.");
        Rejects("hair.csv", "version,4\n\n[SpringBones]\nA,0.5,1\n", "hair.csv:4: dragForce: the row ends after 3 cells.");
        Rejects("hair.csv", "version,4\n[SpringBones]\nA,\"0.5\n", "hair.csv:3: a quotation mark is not closed.");
        Rejects("hair.csv", "version,5\n", "expected a CSV of UnityChanSpringBone");
        foreach (var solver in new[] { "VRM", "DynamicBone", "EZSoftBone" })
            Rejects("table.csv", "// " + solver + " by bone name\n\n[" + solver + "]\n// bone\nA,1\n", "table.csv:1: expected a CSV of UnityChanSpringBone");
        Rejects("db.csv", "[ColliderBase]\n\n[DynamicBone]\nHead,A_DynamicBone,0,0,0,0,0,0,1\n", "db.csv:4: root: the row ends after 9 cells.");
        Rejects("db.csv", "\uFEFF[DynamicBone]\n\n[m_Colliders]\nA\n", "db.csv:4: \"A\" has no row in [DynamicBone].");
        Rejects("ez.json", "{\n\"format\": \"kawaii-physics\"}", "expected \"format\": \"ez-soft-bone\".");
        Rejects("ez.json", "{\n\"format\": \"ez-soft-bone\",\n\"Components\": [{]}", "ez.json:3:");
        Rejects("ez.json", "{\"format\": \"ez-soft-bone\",\n\"Components\": [{\"m_RootBones\": [\"A\"],\n\"m_Gravity\": {\"x\": \"a\"}}]}", "ez.json:3: \"x\" is not a number.");
        Rejects("a.vrm", "glTF", "a.vrm: the file is not a binary glTF.");
        var nulls = Parse("nulls.csv", "version,4\n[DynamicsNulls]\nFrame,Head,1,2,3,0,90,0,1,1,1\n");
        var owner = Character(nulls);
        var applied = YuremonoApplier.Apply(nulls, owner, true, "nulls.csv");
        Check(applied.Contains("1 matched, 0 unmatched, 1 created"), applied);
        Check(Find<DynamicsNull>(owner, "Frame").transform.parent.name == "Head", "the node is a child of its bone");
        // Yuremono keeps sections that UnityChanSpringBone does not know.
        var other = "version,4\n[SpringBones]\nA,0.5,1,0.4,0,0,0,1,B,False,0,0,False,0,0,100,0\n[DynamicBone]\nA,1,2\n[m_Colliders]\nA,C\n";
        Check(Parse("other.csv", other).Entries.Single().Holder == "A", "unknown sections are ignored");
        // A quoted decimal comma is a number; comment rows of Yuremono are skipped.
        var text = "version,4\r\n#yuremono,2,\"{\"\"a\"\":1}\"\r\n[SpringBones]\r\n\"A\",\"0,5\",1,0.4,0,0,0,1,B,false,0,0,TRUE,-1,1,100,1,T,1.01,C\r\n";
        var fields = Parse("comma.csv", text).Entries.Single().Fields;
        Equal((double)fields["radius"], 0.5, "decimal comma");
        Check((bool)fields["zAngleLimits.active"], "True in capitals");
        Check(((List<string>)fields["lengthLimitTargets"]).Single() == "T" && ((List<string>)fields["sphereColliders"]).Single() == "C", "lists");
    }

    static void Rejects(string name, string text, string message)
    {
        try { Parse(name, text); }
        catch (FileError error)
        {
            Check(error.Message.Contains(message) && error.Message.EndsWith("Nothing was applied."), error.Message);
            return;
        }
        throw new Exception("accepted: " + text);
    }

    /// <summary>Files that end too early or have wrong bytes are rejected with a message, never with another exception.</summary>
    static void DamagedCopies(string name, byte[] bytes)
    {
        var random = new System.Random(7);
        for (var round = 0; round < 60; round++)
        {
            var copy = bytes.Take(round % 2 == 0 ? random.Next(bytes.Length) : bytes.Length).ToArray();
            for (var change = 0; change < round % 5 && copy.Length > 0; change++)
                copy[random.Next(Math.Min(copy.Length, 4000))] = (byte)random.Next(32, 127);
            try { YuremonoFiles.Parse(name, copy); }
            catch (FileError) { }
            checks++;
        }
    }
}
