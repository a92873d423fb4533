// Tests YuremonoWatcher.cs on files of Yuremono's command line: BridgeTest.exe FOLDER
// FOLDER contains the files of FileNames, all of one character.

using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Text;
using System.Text.RegularExpressions;
using System.Threading;
using EZhex1991.EZSoftBone;
using SPCR;
using Unity.Animations.SpringBones;
using UnityEditor;
using UnityEngine;
using UniVRM10;
using YuremonoBridge;

static class BridgeTest
{
    static readonly string[] FileNames = { "unitychan.csv", "dynamic.csv", "ez.json", "tuned.vrm", "curves.vrm",
        "tuned.json", "curves.json", "manager.json", "joint_dynamics.json" };
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
            foreach (var name in new[] { "tuned", "curves" })
                SetupOfVrm(File.ReadAllText(Path.Combine(folder, name + ".json")), File.ReadAllBytes(Path.Combine(folder, name + ".vrm")));
            SetupOfVrm0();
            SetupOfManager(File.ReadAllText(Path.Combine(folder, "manager.json")));
            SetupOfManagers();
            SetupOfJointDynamics(File.ReadAllText(Path.Combine(folder, "joint_dynamics.json")));
            SetupOfColumns();
            SetupOfOtherSolvers();
            InvalidFiles();
            InvalidSetups();
            Window(Path.Combine(folder, "unitychan.csv"));
            foreach (var name in FileNames) DamagedCopies(name, File.ReadAllBytes(Path.Combine(folder, name)), 40);
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

    /// <summary>Reads JSON independently of the parser: Dictionary, List, string, double, bool or null.</summary>
    static object ReadJson(string text)
    {
        var tokens = new Queue<string>(Regex.Matches(text, "\"(?:[^\"\\\\]|\\\\.)*\"|[-+.\\w]+|[\\[\\]{}]").Cast<Match>().Select(match => match.Value));
        Func<object> read = null;
        read = () =>
        {
            var token = tokens.Dequeue();
            var fields = new Dictionary<string, object>();
            var items = new List<object>();
            while (token == "{" && tokens.Peek() != "}") { var key = Regex.Unescape(tokens.Dequeue()).Trim('"'); fields[key] = read(); }
            while (token == "[" && tokens.Peek() != "]") items.Add(read());
            if (token == "{" || token == "[") { tokens.Dequeue(); return token == "{" ? (object)fields : items; }
            if (token[0] == '"') return Regex.Unescape(token.Substring(1, token.Length - 2));
            return token == "null" ? null : token == "true" || token == "false" ? token == "true" : (object)Number(token);
        };
        return read();
    }

    /// <summary>The value at a path of keys and indices.</summary>
    static object At(object json, params object[] path)
    {
        return path.Aggregate(json, (of, key) => key is int ? ((List<object>)of)[(int)key] : ((Dictionary<string, object>)of)[(string)key]);
    }

    /// <summary>The bones of a VRM in their positions. No bone of the sample is rotated or scaled.</summary>
    static GameObject Skeleton(byte[] vrm)
    {
        var nodes = (List<object>)At(ReadJson(Encoding.UTF8.GetString(vrm, 20, BitConverter.ToInt32(vrm, 12))), "nodes");
        var bones = nodes.Select(node => new GameObject((string)At(node, "name")).transform).ToList();
        var character = new GameObject("Character");
        foreach (var bone in bones) bone.SetParent(character.transform);
        for (var i = 0; i < nodes.Count; i++)
            if (((Dictionary<string, object>)nodes[i]).ContainsKey("children"))
                foreach (double child in (List<object>)At(nodes[i], "children")) bones[(int)child].SetParent(bones[i]);
        Action<Transform> place = null;
        place = bone =>
        {
            var at = bone.parent.position;
            var node = (Dictionary<string, object>)nodes[bones.IndexOf(bone)];
            var own = node.ContainsKey("translation") ? ((List<object>)node["translation"]).Select(x => (float)(double)x).ToArray() : new float[3];
            bone.position = new Vector3(at.x + own[0], at.y + own[1], at.z + own[2]);
            foreach (var child in bones.Where(other => other.parent == bone)) place(child);
        };
        foreach (var bone in bones.Where(other => other.parent == character.transform).ToList()) place(bone);
        return character;
    }

    /// <summary>A setup and a VRM with the same springs have the same effect.</summary>
    static void SetupOfVrm(string text, byte[] vrm)
    {
        var springs = YuremonoFiles.Parse("springs.vrm", vrm).Entries;
        var file = Parse("setup.json", text);
        var character = Skeleton(vrm);
        var report = YuremonoApplier.Apply(file, character, true, "setup.json");
        Check(report.Contains("Yuremono JSON, 0 matched") && !report.Contains("created"), "joints are not created: " + report);
        foreach (var entry in springs) Find<Transform>(character, entry.Holder).gameObject.AddComponent(typeof(VRM10SpringBoneJoint));
        report = YuremonoApplier.Apply(file, character, true, "setup.json");
        Check(report.EndsWith(" " + springs.Count + " matched, 0 unmatched"), report);
        foreach (var entry in springs)
        {
            var joint = Find<VRM10SpringBoneJoint>(character, entry.Holder);
            foreach (var field in entry.Fields.Where(field => field.Value is double))
                Equal((float)typeof(VRM10SpringBoneJoint).GetField(field.Key).GetValue(joint), (double)field.Value, entry.Holder + " " + field.Key);
            var gravity = (double[])entry.Fields["m_gravityDir"];
            foreach (var pair in new[] { joint.m_gravityDir.x, joint.m_gravityDir.y, joint.m_gravityDir.z }.Zip(gravity, (found, expected) => new { found, expected }))
                Equal(pair.found, pair.expected, entry.Holder + " m_gravityDir");
        }
        report = YuremonoApplier.Apply(file, Character(file, springs[3].Holder), true, "setup.json");
        Check(report.Contains("Unmatched: " + springs[0].Holder), report);
    }

    /// <summary>A setup with one system per text. Each system has the chains of its number.</summary>
    static string Setup(string systems, string chains, string facing = "\"faces_minus_z\": false")
    {
        return "{\"format\": \"yuremono-setup\", \"version\": 1,\n\"setup\": {\"systems\": {" + systems.Replace('\'', '"') + "},\n\"chains\": {"
            + chains.Replace('\'', '"') + "}},\n\"rest_frames\": {" + facing + ", \"bones\": {}}}";
    }

    static void SetupOfVrm0()
    {
        const string down = "'gravityDir x': {'base': 0.25}, 'gravityDir y': {'base': -1}, 'gravityDir z': {'base': 0.5},";
        const string rest = down + "'gravityPower': {'base': 0.125}, 'dragForce': {'base': 0.5}, 'hitRadius': {'base': 0.03125}";
        var chains = "'1': {'name': 'a', 'values': {'stiffness': {'base': 2}, " + rest + "}, 'joints': [{'bone': 'A'}, {'bone': 'A2', 'overrides': {'stiffness': 3}}]},"
            + "'2': {'name': 'b', 'values': {'stiffness': {'base': 2.5}, " + rest + "}, 'joints': [{'bone': 'B'}, {'bone': 'B2'}]},"
            + "'3': {'name': 'c', 'values': {'stiffness': {'base': 1}, " + rest + "}, 'joints': [{'bone': 'C'}]}";
        var file = Parse("setup.json", Setup("'0': {'solver': 'VRM'}", chains, "\"faces_minus_z\": true"));
        var character = Character(file);
        var shared = (VRM.VRMSpringBone)character.AddComponent(typeof(VRM.VRMSpringBone));
        shared.RootBones.AddRange(new[] { "A", "B" }.Select(name => Find<Transform>(character, name)));
        var report = YuremonoApplier.Apply(file, character, true, "setup.json");
        Check(report.Contains("2 matched, 1 unmatched") && report.Contains("Unmatched: C") && report.Contains("mean values"), report);
        Check(!report.Contains("created") && shared.RootBones.Count == 2, "equal values keep one component: " + report);
        Equal(shared.m_stiffnessForce, 2.5, "mean stiffness");
        Equal(shared.m_gravityPower, 0.125, "gravity power");
        Equal(shared.m_dragForce, 0.5, "drag");
        Equal(shared.m_hitRadius, 0.03125, "hit radius");
        Equal(shared.m_gravityDir.x, 0.25, "gravity X");
        Equal(shared.m_gravityDir.y, -1, "gravity Y");
        Equal(shared.m_gravityDir.z, -0.5, "gravity Z of a character that faces -Z");

        // A character with VRM 1.0 ignores the entries for VRM 0.x.
        character = Character(file);
        Find<Transform>(character, "A2").gameObject.AddComponent(typeof(VRM10SpringBoneJoint));
        report = YuremonoApplier.Apply(file, character, true, "setup.json");
        Check(report.Contains("1 matched, 4 unmatched") && !report.Contains("mean values"), report);
        Equal(Find<VRM10SpringBoneJoint>(character, "A2").m_stiffnessForce, 3, "stiffness of one joint");
        Equal(Find<VRM10SpringBoneJoint>(character, "A2").m_gravityDir.z, -0.5, "gravity Z");
    }

    /// <summary>Compares the fields of a component with the system values of a setup. Returns the names of the fields.</summary>
    static HashSet<string> CheckSystem(Component component, object values, Func<string, bool> isField, int axis)
    {
        var names = new HashSet<string>();
        foreach (var value in ((Dictionary<string, object>)values).Where(value => isField(value.Key.Split(' ')[0])))
        {
            var name = value.Key.Split(' ');
            var found = component.GetType().GetField(name[0]).GetValue(component);
            var expected = (double)value.Value;
            if (found is bool) Check((bool)found == (expected == 1), value.Key + " is " + found);
            else if (!(found is Vector3)) Equal(System.Convert.ToDouble(found), expected, value.Key);
            else
            {
                var at = "xyz".IndexOf(name[1]);
                var vector = (Vector3)found;
                Equal(new[] { vector.x, vector.y, vector.z }[at], at == axis ? -expected : expected, value.Key);
            }
            names.Add(name[0]);
        }
        return names;
    }

    static void SetupOfManager(string text)
    {
        var file = Parse("manager.json", text);
        var character = Character(file);
        var bones = file.Entries.Single().BonesBelow;
        Check(bones.Count > 100, "the manager has bones");
        foreach (var bone in bones) new GameObject(bone).transform.SetParent(character.transform);
        var report = YuremonoApplier.Apply(file, character, true, "manager.json");
        Check(report.Contains("0 matched, 1 unmatched") && report.Contains("Unmatched: SpringManager") && report.Contains("format \"CSV\""), report);
        var manager = (SpringManager)character.AddComponent(typeof(SpringManager));
        report = YuremonoApplier.Apply(file, character, true, "manager.json");
        Check(report.Contains("1 matched, 0 unmatched"), report);
        var fields = typeof(SpringManager).GetFields().Select(field => field.Name).Where(name => name != "Found").ToList();
        var names = CheckSystem(manager, At(ReadJson(text), "setup", "systems", "0", "values"), fields.Contains, 0);
        Check(names.SetEquals(fields), "each field of the manager is in the file");
        Check(Undo.Registered.Contains(manager), "the change is registered for undo");
    }

    /// <summary>Each system sets the manager above its bones.</summary>
    static void SetupOfManagers()
    {
        Func<string, string> values = number => "'solver': 'UnityChanSpringBone', 'values': {'gravity x': -0.25, 'gravity y': -9, 'gravity z': 0.5,"
            + "'bounce': " + number + ", 'isPaused': 1, 'collideWithGround': 0, 'simulationFrameRate': 59.6, 'groundHeight': '-Infinity', 'mode': 1}";
        Func<string, string, string> chain = (system, bone) => "'name': 'x', 'system': " + system + ", 'joints': [{'bone': '" + bone + "'}]";
        var text = Setup("'0': {" + values("0.125") + "}, '4': {" + values("0.5") + "}, '5': {" + values("0.75") + "}",
            "'1': {" + chain("4", "Skirt") + "}, '2': {" + chain("0", "Hair") + "}", "\"faces_minus_z\": null");
        var file = Parse("setup.json", text);
        var character = new GameObject("Character");
        foreach (var name in new[] { "Hair", "Skirt" })
        {
            var above = new GameObject(name + "Manager");
            above.transform.SetParent(character.transform);
            new GameObject(name).transform.SetParent(above.transform);
            above.AddComponent(typeof(SpringManager));
        }
        var report = YuremonoApplier.Apply(file, character, true, "setup.json");
        Check(report.Contains("2 matched, 0 unmatched") && report.Contains("X axis is mirrored"), report);
        Equal(Find<SpringManager>(character, "HairManager").bounce, 0.125, "bounce");
        var skirt = Find<SpringManager>(character, "SkirtManager");
        Equal(skirt.bounce, 0.5, "bounce");
        Equal(skirt.gravity.x, 0.25, "gravity X is mirrored");
        Equal(skirt.gravity.z, 0.5, "gravity Z");
        Equal(skirt.simulationFrameRate, 60, "a rounded number");
        Check(skirt.isPaused && !skirt.collideWithGround && float.IsNegativeInfinity(skirt.groundHeight), "switches and infinite numbers");
    }

    static List<CurveKey> Keys(AnimationCurve curve)
    {
        return curve.keys.Select(key => new CurveKey { Time = key.time, Value = key.value, InTangent = key.inTangent, OutTangent = key.outTangent }).ToList();
    }

    static void SetupOfJointDynamics(string text)
    {
        var file = Parse("setup.json", text);
        var setup = (Dictionary<string, object>)At(ReadJson(text), "setup");
        var systems = (Dictionary<string, object>)setup["systems"];
        var chains = ((Dictionary<string, object>)setup["chains"]).Values.ToList();
        Func<object, string> bone = joint => (string)At(joint, "bone");
        Check(systems.Count == 2 && file.Entries.Count > 100, "two networks of the sample");
        var character = Character(file);
        var report = YuremonoApplier.Apply(file, character, true, "setup.json");
        Check(report.Contains(" 0 matched") && !report.Contains("created"), "components are not created: " + report);
        foreach (var entry in file.Entries.Where(entry => entry.Holder != null))
            Find<Transform>(character, entry.Holder).gameObject.AddComponent(typeof(SPCRJointDynamicsPoint));
        foreach (var id in systems.Keys)
        {
            var own = chains.Where(chain => (double)At(chain, "system") == Number(id)).ToList();
            var roots = own.Select(chain => bone(At(chain, "joints", 0))).ToList();
            var owner = new GameObject("Network" + id);
            owner.transform.SetParent(character.transform);
            var controller = (SPCRJointDynamicsController)owner.AddComponent(typeof(SPCRJointDynamicsController));
            controller._RootPointTbl = roots.Skip(1).Select(root => Find<SPCRJointDynamicsPoint>(character, root)).ToArray();
            report = YuremonoApplier.Apply(file, character, true, "setup.json");
            Check(report.Contains("Unmatched: ") && report.Contains(roots[0]), "a missing column is reported: " + report);
            controller._RootPointTbl = roots.Select(root => Find<SPCRJointDynamicsPoint>(character, root)).ToArray();
            report = YuremonoApplier.Apply(file, character, true, "setup.json");

            var names = CheckSystem(controller, At(systems[id], "values"), name => name[0] == '_' && !name.EndsWith("Curve"), 0);
            var deepest = own.Max(chain => ((List<object>)At(chain, "joints")).Count) - 1;
            foreach (var value in (Dictionary<string, object>)At(own[0], "values"))
            {
                var field = value.Key.EndsWith("Curve") ? value.Key : value.Key + "ScaleCurve";
                var factor = field == value.Key ? 1 : (float)controller.GetType().GetField(value.Key).GetValue(controller);
                var keys = Keys((AnimationCurve)controller.GetType().GetField(field).GetValue(controller)).ToArray();
                names.UnionWith(new[] { field, value.Key });
                var joints = (List<object>)At(own[0], "joints");
                for (var i = 0; i < joints.Count; i++)
                {
                    var joint = (Dictionary<string, object>)joints[i];
                    var overrides = joint.ContainsKey("overrides") ? (Dictionary<string, object>)joint["overrides"] : new Dictionary<string, object>();
                    if (overrides.ContainsKey(value.Key))
                        Equal(factor * YuremonoFiles.Evaluate(keys, i / (double)deepest), (double)overrides[value.Key], value.Key + " of joint " + i);
                }
                var curve = ((Dictionary<string, object>)value.Value).ContainsKey("curve") ? (List<object>)At(value.Value, "curve", "keys") : null;
                if (joints.Any(joint => ((Dictionary<string, object>)joint).ContainsKey("overrides") && ((Dictionary<string, object>)At(joint, "overrides")).ContainsKey(value.Key))) continue;
                Check(keys.Length == (curve == null ? 2 : curve.Count), "keys of " + value.Key);
                for (var i = 0; i < keys.Length; i++)
                {
                    Equal(keys[i].Time, curve == null ? i : (double)At(curve, i, 0), "time of " + value.Key);
                    Equal(factor * keys[i].Value, (double)At(value.Value, "base") * (curve == null ? 1 : (double)At(curve, i, 1)), value.Key);
                }
            }
            var windCurve = controller.GetType().GetField("_WindForcePowerToAnimationBlendRatioCurve");
            var missing = controller.GetType().GetFields().Select(stored => stored.Name).Except(names)
                .Except(new[] { "_RootPointTbl", "Restarts", windCurve.Name }).ToArray();
            Check(missing.Length == 0, "fields that are not in the file: " + string.Join(" ", missing));
            Check(windCurve.GetValue(controller) == null, "0 keeps the curve over the wind");
            foreach (var joint in own.SelectMany(chain => (List<object>)At(chain, "joints")))
            {
                var point = Find<SPCRJointDynamicsPoint>(character, bone(joint));
                var expected = At(systems[id], "component_lists", "joint_dynamics", "points", bone(joint));
                Equal(point._Mass, (double)At(expected, "mass"), "mass");
                Equal(point._PointRadius, (double)At(expected, "radius"), "point radius");
                Equal(point._MovableLimitRadius, (double)At(expected, "movable_limit_radius"), "limit");
                Check(point._UseForSurfaceCollision == (bool)At(expected, "surface_collision"), "surface collision");
                Check(point._ApplyInvertCollision == (bool)At(expected, "invert_collision"), "collision inside");
                Check(!point._IsFixed, "a point without the value keeps its switch");
            }
        }
        Check(report.Contains(" 0 unmatched") && !report.Contains("created"), report);
        Check(report.Contains("one curve for all columns") && report.Contains("_HardnessCurve"), report);
        Check(!report.Contains("has no field") && !report.Contains("cannot store"), report);
    }

    /// <summary>Columns with curves, other lengths and values of single joints.</summary>
    static void SetupOfColumns()
    {
        const string linear = "'curve': {'keys': [[1, 0.25, 7, 7], [0, 1, 7, 7]], 'interpolation': 'linear'}";
        const string values = "'values': {'_ResistanceCurve': {'base': 8, " + linear + "}, '_AllShrink': {'base': 0.5, 'curve': {'keys': [[0, 1, 0, -0.5], [1, 0.5, -0.25, 0]]}},"
            + "'_HardnessCurve': {'base': 3}, '_ShearShrink': {'base': 0.75, 'around': {'keys': [[0, 1], [180, 2]]}}}";
        const string long_ = "'name': 'front', 'curve_domain': 'depth', " + values + ", 'joints': [{'bone': 'A'}, {'bone': 'A2'}, {'bone': 'A3'}]";
        // Yuremono writes the values of a shorter column as values of its joints.
        const string short_ = "'name': 'back', 'curve_domain': 'depth', " + values
            + ", 'joints': [{'bone': 'B'}, {'bone': 'B2', 'overrides': {'_ResistanceCurve': 5, '_AllShrink': 0.359375}}]";
        const string lists = "'component_lists': {'joint_dynamics': {'columns': ['A', 'B'], 'points': {"
            + "'A': {'fixed': true, 'mass': 2.5, 'radius': 0.125, 'movable_limit_radius': 0.25, 'surface_collision': false, 'invert_collision': true},"
            + "'A2': {'fixed': false, 'invert_collision': false}}}}";
        const string system = "'0': {'solver': 'SPCRJointDynamics', 'values': {'_Gravity x': -0.5, '_Gravity y': -9, '_Gravity z': 0.25, '_WindForce x': 1, '_WindForce y': 2,"
            + "'_WindForce z': 3, '_LimitAngle': 59.5, '_SubSteps': 2, '_Relaxation': 'Infinity', '_IsLoopRootPoints': 1, '_IsComputeShear': 0, '_RootSlideLimit': 'Infinity', '_NoField': 1,"
            + "'TimeScale': 2, 'evenSteps': 1, '_WindForcePowerToAnimationBlendRatioCurve': 0.5}, " + lists + "}";
        var file = Parse("setup.json", Setup(system, "'1': {" + long_ + "}, '2': {" + short_ + "}", "\"faces_minus_z\": true"));
        Check(file.Notes.Count == 1 && file.Notes[0].StartsWith("TimeScale"), string.Join("|", file.Notes));
        var character = Character(file);
        foreach (var bone in character.GetComponentsInChildren<Transform>(true).Skip(1)) bone.gameObject.AddComponent(typeof(SPCRJointDynamicsPoint));
        var controller = (SPCRJointDynamicsController)character.AddComponent(typeof(SPCRJointDynamicsController));
        var other = new GameObject("Other");
        other.transform.SetParent(character.transform);
        controller._RootPointTbl = new[] { "A", "B" }.Select(name => Find<SPCRJointDynamicsPoint>(character, name))
            .Concat(new[] { (SPCRJointDynamicsPoint)other.AddComponent(typeof(SPCRJointDynamicsPoint)) }).ToArray();
        controller._IsComputeShear = true;
        Find<SPCRJointDynamicsPoint>(character, "A2")._IsFixed = true;
        Find<SPCRJointDynamicsPoint>(character, "B2")._IsFixed = true;
        var stranger = (SPCRJointDynamicsController)other.AddComponent(typeof(SPCRJointDynamicsController));
        stranger._RootPointTbl = controller._RootPointTbl.Skip(2).ToArray();
        var report = YuremonoApplier.Apply(file, character, true, "setup.json");
        Check(report.Contains("7 matched, 0 unmatched") && !report.Contains("created"), report);
        Check(character.GetComponentsInChildren<SPCRJointDynamicsController>(true).Length == 2, "a controller with more columns is not split");
        Check(report.Contains("no field \"_NoField\"") && report.Contains("_IsLoopRootPoints changed") && report.Contains("_UseForSurfaceCollision changed"), report);
        Equal(controller._Gravity.x, -0.5, "gravity X of a character that faces -Z");
        Equal(controller._Gravity.y, -9, "gravity Y");
        Equal(controller._Gravity.z, -0.25, "gravity Z of a character that faces -Z");
        Equal(controller._WindForce.z, -3, "wind Z");
        Equal(controller._LimitAngle, 60, "an angle without decimals");
        Check(controller._SubSteps == 2 && controller._Relaxation == int.MaxValue && float.IsPositiveInfinity(controller._RootSlideLimit), "numbers");
        Check(controller._IsLoopRootPoints && !controller._IsComputeShear && stranger._SubSteps == 0, "switches");
        Check(Keys(controller._WindForcePowerToAnimationBlendRatioCurve).All(key => key.Value == 0.5f), "a constant curve over the wind");
        var resistance = Keys(controller._ResistanceCurve).ToArray();
        Check(resistance.Length == 2 && resistance[0].Time == 0 && resistance[0].Value == 8 && resistance[1].Value == 2, "base times curve, sorted by time");
        Check(resistance[0].OutTangent == -6 && resistance[1].InTangent == -6, "straight lines");
        Equal(controller._AllShrink, 0.5, "number");
        var shrink = Keys(controller._AllShrinkScaleCurve).ToArray();
        Check(shrink[0].Value == 1 && shrink[0].OutTangent == -0.5f && shrink[1].Value == 0.5f && shrink[1].InTangent == -0.25f, "curve of factors");
        Check(Keys(controller._HardnessCurve).All(key => key.Value == 3 && key.InTangent == 0), "a value without a curve");
        Equal(controller._ShearShrink, 0.75, "a column outside of a ring");
        Check(Keys(controller._ShearShrinkScaleCurve).All(key => key.Value == 1), "no factors");
        var point = Find<SPCRJointDynamicsPoint>(character, "A");
        Check(point._IsFixed && point._Mass == 2.5f && point._PointRadius == 0.125f && point._MovableLimitRadius == 0.25f, "numbers of a point");
        Check(!point._UseForSurfaceCollision && point._ApplyInvertCollision, "switches of a point");
        point = Find<SPCRJointDynamicsPoint>(character, "A2");
        Check(!point._IsFixed && point._UseForSurfaceCollision && !point._ApplyInvertCollision, "switches of a point");
        point = Find<SPCRJointDynamicsPoint>(character, "B2");
        Check(point._Mass == 1 && point._MovableLimitRadius == -1 && point._UseForSurfaceCollision && point._ApplyInvertCollision, "defaults of a point");
        Check(point._IsFixed && controller.Restarts == 0, "without a value, the switch stays");

        // In play mode, a controller that is on reads its values again.
        Application.isPlaying = true;
        stranger._RootPointTbl = controller._RootPointTbl;
        stranger.enabled = false;
        YuremonoApplier.Apply(file, character, true, "setup.json");
        Application.isPlaying = false;
        Check(controller.Restarts == 1 && stranger.Restarts == 0 && stranger._SubSteps == 2, "restarts");

        // Values of single joints of the first column become keys; what other columns cannot have is reported.
        var uneven = "'1': {" + short_.Replace("'B", "'C").Replace("'_ResistanceCurve': 5", "'_ResistanceCurve': 6") + "}, '2': {" + long_ + "}";
        file = Parse("setup.json", Setup(system, uneven));
        Check(file.Notes.Last().Contains("\"back\"") && file.Notes.Last().EndsWith("differ in: _ResistanceCurve."), file.Notes.Last());
        var keys = (CurveKey[])file.Entries.Last().Fields["_ResistanceCurve"];
        Check(keys.Length == 2 && keys[0].Value == 8 && keys[1].Time == 0.5f && keys[1].Value == 6 && keys[0].OutTangent == -4, "keys of joints");
        Equal(((CurveKey[])file.Entries.Last().Fields["_AllShrinkScaleCurve"])[1].Value, 0.5, "the curve that fits the joints");
        file = Parse("setup.json", Setup(system, uneven.Replace("'_AllShrink': 0.359375", "'_AllShrink': 0.75")));
        Equal((double)file.Entries.Last().Fields["_AllShrink"], 1, "number of joints with own values");
        Equal(((CurveKey[])file.Entries.Last().Fields["_AllShrinkScaleCurve"])[1].Value, 0.75, "factor of a joint");
        file = Parse("setup.json", Setup(system, "'1': {" + long_ + ", 'ring': {'ring': 1, 'angle': -90}}, '2': {" + short_ + "}"));
        Check(file.Notes.Last().EndsWith("differ in: _ShearShrink."), file.Notes.Last());
        Equal((double)file.Entries.Last().Fields["_ShearShrink"], 1.125, "the factor of a ring");
        file = Parse("setup.json", Setup(system, "'1': {" + long_.Replace("'depth'", "'length'") + "}"));
        Check(file.Notes.Last().EndsWith("differ in: _ResistanceCurve, _AllShrink."), file.Notes.Last());
        DamagedCopies("setup.json", Encoding.UTF8.GetBytes(Setup(system, "'1': {" + long_ + ", 'ring': {'ring': 1, 'angle': -90}}, '2': {" + short_ + "}")), 2000);
        // Without component lists, the points keep their values.
        Check(Parse("setup.json", Setup(system.Replace(", " + lists, ""), "'1': {" + long_ + "}")).Entries.Count == 1, "no points");
    }

    static void SetupOfOtherSolvers()
    {
        var solvers = new[] { "VRM", "DynamicBone", "EZSoftBone", "KawaiiPhysics", "UnityChanSpringBone" };
        var systems = string.Join(", ", solvers.Select((solver, i) => "'" + i + "': {'solver': '" + solver + "'}").ToArray());
        var chains = string.Join(", ", solvers.Skip(1).Select((_, i) => "'" + i + "': {'name': 'x', 'system': " + (i + 1) + ", 'joints': [{'bone': 'A'}]}").ToArray());
        var file = Parse("setup.json", Setup(systems, chains));
        Check(file.Entries.Count == 1, "only the manager has an entry");
        Check(file.Notes.SequenceEqual(new[] {
            "DynamicBone is not applied from this file. Export the format \"DynamicBone CSV\".",
            "EZSoftBone is not applied from this file. Export the format \"EZSoftBone JSON\".",
            "\"KawaiiPhysics\" is not applied, because this script does not support its components.",
            "UnityChanSpringBone: only the SpringManager is applied from this file. Export the format \"CSV\" for bones, pivots and colliders." }), string.Join("|", file.Notes));
    }

    static void InvalidSetups()
    {
        const string spring = "'0': {'solver': 'VRM'}", cloth = "'0': {'solver': 'SPCRJointDynamics', 'values': {}}";
        Rejects("s.json", "{\"format\": \"yuremono-setup\",\n\"version\": 2}", "s.json:2: expected \"version\": 1.");
        Rejects("s.json", "{\"format\": \"yuremono-setup\"}", "s.json:1: expected \"version\": 1.");
        Rejects("s.json", "{\"format\": \"yuremono-setup\", \"version\": 1}", "s.json:1: the file contains no \"systems\".");
        Rejects("s.json", Setup("", ""), "s.json:2: the file contains no \"systems\".");
        Rejects("s.json", Setup(spring, "").Replace("{\"0\"", "[{\"0\"").Replace("\"VRM\"}}", "\"VRM\"}]"), "s.json:2: ");
        Rejects("s.json", Setup(spring, "", "\"faces_minus_z\": 1"), "s.json:4: \"faces_minus_z\" is not true or false.");
        Rejects("s.json", Setup(spring, "'1': {'system': 3, 'joints': [{'bone': 'A'}]}"), "s.json:3: \"systems\" contains no system 3.");
        Rejects("s.json", Setup(spring, "'1': {'system': 0}"), "s.json:3: the chain has no \"joints\".");
        Rejects("s.json", Setup(spring, "'1': {'joints': [\n{}]}"), "s.json:4: the joint has no \"bone\".");
        Rejects("s.json", Setup(spring, "'1': {'joints': [{'bone': 'A'}]}"), "s.json:3: the chain has no value \"stiffness\".");
        Rejects("s.json", Setup(spring, "'1': {'joints': [{'bone': 'A', 'overrides':\n{'stiffness': 'stiff'}}]}"), "s.json:4: \"stiffness\" is not a number.");
        Rejects("s.json", Setup(spring, "'1': {'joints': [{'bone': 'A', 'overrides':\n{'stiffness': NaN}}]}"), "s.json:4: \"NaN\" is not a JSON value.");
        Rejects("s.json", Setup(cloth, "'1': {'values': {'_MassScaleCurve':\n{}}, 'joints': [{'bone': 'A'}]}"), "s.json:4: \"base\" is missing.");
        Rejects("s.json", Setup(cloth, "'1': {'values': {'_MassScaleCurve': {'base': 1, 'curve':\n3}}, 'joints': [{'bone': 'A'}]}"), "s.json:4: \"curve\" is not an object.");
        Rejects("s.json", Setup(cloth, "'1': {'values': {'_MassScaleCurve': {'base': 1, 'curve': {'keys':\n[]}}}, 'joints': [{'bone': 'A'}]}"), "s.json:4: \"keys\" is empty.");
        Rejects("s.json", Setup(cloth, "'1': {'values': {'_MassScaleCurve': {'base': 1, 'curve': {'keys': [[0, 1, 0, 0],\n[1, 2, 3]]}}}, 'joints': [{'bone': 'A'}]}"),
            "s.json:4: an entry of \"keys\" is not a list of 4 numbers.");
        const string joint = "'1': {'joints': [{'bone': 'A'}]}";
        Rejects("s.json", Setup(cloth.Replace("{}", "\n{'_Gravity x': 1}"), joint), "s.json:3: \"_Gravity y\" is missing.");
        Rejects("s.json", Setup(cloth.Replace("{}", "{\n'_SubSteps': true}"), joint), "s.json:3: \"_SubSteps\" is not a number.");
        Rejects("s.json", Setup(cloth.Replace("{}", "\n4"), joint), "s.json:3: \"values\" is not an object.");
        var points = cloth.Replace("{}}", "{}, 'component_lists': {'joint_dynamics': {'points':\n{'A': {'mass': 1}}}}}");
        Rejects("s.json", Setup(points.Replace("'mass': 1", "'mass': '1'"), joint), "s.json:3: \"mass\" is not a number.");
        Rejects("s.json", Setup(points.Replace("'mass': 1", "'fixed': 0"), joint), "s.json:3: \"fixed\" is not true or false.");
        Rejects("s.json", Setup(points.Replace("{'A': {'mass': 1}}", "[]"), joint), "s.json:3: \"points\" is not an object.");
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
        Rejects("ez.json", "{\n\"format\": \"kawaii-physics\"}", "ez.json:2: expected \"format\": \"ez-soft-bone\" or \"yuremono-setup\".");
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
    static void DamagedCopies(string name, byte[] bytes, int rounds)
    {
        var random = new System.Random(7);
        for (var round = 0; round < rounds; round++)
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
