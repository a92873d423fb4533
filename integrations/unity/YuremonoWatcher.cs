// Applies files that Yuremono writes to the spring bones of a character, by bone name, whenever a file changes.
// Put this script into a folder named "Editor" and open Tools > Yuremono. Unity 2019.4 or later.
//
// YuremonoFiles parses files without UnityEngine. YuremonoApplier finds component types and their fields by reflection,
// so the script compiles without UnityChanSpringBone, DynamicBone, EZSoftBone, SPCRJointDynamics or UniVRM. A file with
// an error changes nothing. UnityChanSpringBone's window deletes all spring bones when it loads a CSV; this script changes
// them in place.

using System;
using System.Collections;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Text;
using System.Text.RegularExpressions;
using UnityEditor;
using UnityEngine;
using Object = UnityEngine.Object;

namespace YuremonoBridge
{
    public sealed class FileError : Exception
    {
        public FileError(string place, string reason) : base(place + ": " + reason + " Nothing was applied.") { }
    }

    public struct CurveKey { public float Time, Value, InTangent, OutTangent; }

    /// <summary>A number that changes along a chain of bones: a base value, times a curve.</summary>
    public sealed class ChainValue
    {
        public double Base;
        /// <summary>Null: 1 everywhere.</summary>
        public CurveKey[] Curve;
        /// <summary>Names of the bones of the chain, parents first.</summary>
        public List<string> Bones;
        /// <summary>Whether the curve runs over the number of bones. Otherwise it runs over the distance from the root.</summary>
        public bool ByDepth;

        public double At(double position) { return Curve == null ? Base : Base * YuremonoFiles.Evaluate(Curve, position); }
    }

    /// <summary>Values for the component of one object, or for each component that moves one of the root bones.</summary>
    public sealed class Entry
    {
        /// <summary>Full names of the component type. The first type that the project contains is used.</summary>
        public string[] Types;
        /// <summary>Types of components that are removed from the object.</summary>
        public string[] Replaces = { };
        /// <summary>Name of the object with the component. Null: the character.</summary>
        public string Holder;
        /// <summary>Parent of the object. Null: only an existing object is used.</summary>
        public string Parent;
        /// <summary>Root bones of the component. Null: the component is found by the name of its object.</summary>
        public List<string> Roots;
        /// <summary>The component is on the nearest object above one of these bones. Null: see Holder and Roots.</summary>
        public List<string> BonesBelow;
        public bool MayAdd = true;
        /// <summary>Whether roots with other values get a copy of the component.</summary>
        public bool MaySplit = true;
        /// <summary>The entry is skipped if the character has no component of the type OnlyWith, or has one of the type
        /// NotWith.</summary>
        public string OnlyWith, NotWith;
        /// <summary>A note for the report, unless the entry is skipped.</summary>
        public string Note;
        /// <summary>By path ("radius", "yAngleLimits.min"): double, bool, double[3 or 4], ChainValue, CurveKey[], string or
        /// List of string. Strings are names of objects.</summary>
        public readonly Dictionary<string, object> Fields = new Dictionary<string, object>();
    }

    public sealed class ParsedFile
    {
        public string Format;
        public readonly List<Entry> Entries = new List<Entry>();
        /// <summary>What this script does not apply.</summary>
        public readonly List<string> Notes = new List<string>();
    }

    public static class YuremonoFiles
    {
        // Cells of a row: names of fields. ":3" and ":4" are vectors, ":b" is True or False, ":s" is a name.
        const string BoneCells = "radius stiffnessForce dragForce springForce:3 windInfluence pivotNode:s"
            + " yAngleLimits.active:b yAngleLimits.min yAngleLimits.max"
            + " zAngleLimits.active:b zAngleLimits.min zAngleLimits.max angularStiffness";
        const string PlacedCells = "transform.localPosition:3 transform.localEulerAngles:3 transform.localScale:3";
        const string DynamicBonePlace = "transform.localPosition:3 transform.localRotation:4";
        const string DynamicBoneCells = "m_UpdateRate m_UpdateMode m_Damping m_Elasticity m_Stiffness m_Inert m_Friction"
            + " m_Radius m_EndLength m_EndOffset:3 m_Gravity:3 m_Force:3 m_FreezeAxis m_DistantDisable:b"
            + " m_ReferenceObject:s m_DistanceToObject";
        /// <summary>A CSV of UnityChanSpringBone and a table of parameters can contain [DynamicBone], too.</summary>
        static readonly string[] DynamicBoneSections = { "[ColliderBase]", "[m_DampingDistrib]", "[m_Colliders]", "[m_Exclusions]" };
        static readonly string[] SpringShapes = { "SpringSphereCollider", "SpringCapsuleCollider", "SpringPanelCollider" };
        static readonly string[] UnityShapes =
            { "UnityEngine.SphereCollider", "UnityEngine.CapsuleCollider", "UnityEngine.BoxCollider" };
        const string SpringManagerFields = "automaticUpdates isPaused simulationFrameRate dynamicRatio gravity bounce friction"
            + " enableAngleLimits enableCollision enableLengthLimits collideWithGround groundHeight";
        /// <summary>Fields that the components of VRM 1.0 and 0.x have in common, by the names of the parameters.</summary>
        static readonly Dictionary<string, string> VrmFields = new Dictionary<string, string>
            { { "stiffness", "m_stiffnessForce" }, { "gravityPower", "m_gravityPower" }, { "dragForce", "m_dragForce" } };
        /// <summary>Formats of components that a setup does not apply.</summary>
        static readonly Dictionary<string, string> SolverFormats = new Dictionary<string, string>
            { { "DynamicBone", "DynamicBone CSV" }, { "EZSoftBone", "EZSoftBone JSON" } };

        public static bool IsCandidate(string path)
        {
            return new[] { ".csv", ".json", ".vrm", ".glb" }.Contains(Path.GetExtension(path).ToLowerInvariant());
        }

        /// <summary>Parses a whole file. Throws a FileError if any part of the file is invalid.</summary>
        public static ParsedFile Parse(string name, byte[] bytes)
        {
            var extension = Path.GetExtension(name).ToLowerInvariant();
            if (extension == ".vrm" || extension == ".glb") return ParseVrm(name, bytes);
            var text = new StreamReader(new MemoryStream(bytes), Encoding.UTF8, true).ReadToEnd();
            if (extension == ".json") return ParseJson(name, text);
            return IsDynamicBone(text) ? ParseDynamicBone(name, text) : ParseUnityChan(name, text);
        }

        static bool IsDynamicBone(string text)
        {
            var lines = text.Split('\n').Select(line => line.Trim()).ToList();
            var isUnityChan = lines.TakeWhile(line => !line.StartsWith("[")).Any(line => line.StartsWith("version", StringComparison.OrdinalIgnoreCase));
            return !isUnityChan && lines.Any(line => DynamicBoneSections.Contains(line));
        }

        /// <summary>UnityChanSpringBone's dynamics CSV, versions 3 and 4.</summary>
        static ParsedFile ParseUnityChan(string name, string text)
        {
            var file = new ParsedFile { Format = "UnityChanSpringBone" };
            var sections = new Dictionary<string, List<Row>>(StringComparer.OrdinalIgnoreCase);
            List<Row> rows = null;
            double version = 0;
            foreach (var row in CsvRows(name, text))
            {
                var first = row.Cells[0];
                if (first.StartsWith("[") && sections.ContainsKey(first)) rows = new List<Row>(); // Unity ignores repeats.
                else if (first.StartsWith("[")) rows = sections[first] = new List<Row>();
                else if (rows != null) rows.Add(row);
                else if (first.ToLowerInvariant() == "version") version = row.Number(1, "version");
            }
            if (version != 3 && version != 4)
                throw new FileError(name + ":1", "expected a CSV of UnityChanSpringBone (\"version,4\") or the format \"DynamicBone CSV\"; other tables are not supported.");
            Func<string, IEnumerable<Row>> section = key =>
                sections.ContainsKey(key) && (version == 4 || key == "[SpringBones]" || key == "[Pivots]") ? sections[key] : new List<Row>();
            foreach (var row in section("[DynamicsNulls]")) file.Entries.Add(NewEntry(row, 0, 1, PlacedCells, "DynamicsNull"));
            foreach (var row in section("[Colliders]"))
            {
                var shape = Array.IndexOf(new[] { "sp", "cp", "pa" }, row.Text(11, "collider type"));
                if (shape < 0) throw new FileError(row.Place, "collider type: expected sp, cp or pa.");
                var entry = NewEntry(row, 0, 1, PlacedCells, SpringShapes[shape]);
                entry.Replaces = SpringShapes.Where((_, i) => i != shape).SelectMany(SpringTypes).ToArray();
                var next = ReadCells(row, 12, new[] { "radius", "radius height", "width height" }[shape], entry);
                if (next < row.Cells.Length) ReadCells(row, next, "linkedRenderer:s", entry);
                file.Entries.Add(entry);
            }
            foreach (var row in section("[Pivots]"))
                file.Entries.Add(NewEntry(row, 0, 1, "transform.localEulerAngles:3", "SpringBonePivot"));
            foreach (var row in section("[SpringBones]"))
            {
                var entry = new Entry { Types = SpringTypes("SpringBone"), Holder = row.Text(0, "bone") };
                var next = ReadCells(row, 1, BoneCells, entry);
                var count = row.Number(next, "length limit count");
                if (count < 0 || count != Math.Floor(count) || next + 2 * count >= row.Cells.Length)
                    throw new FileError(row.Place, "length limit count: the row has no " + row.Cells[next] + " targets.");
                var lists = row.Cells.Skip(next + 1);
                entry.Fields["lengthLimitTargets"] = lists.Take(2 * (int)count).Where((_, i) => i % 2 == 0).ToList();
                var colliders = lists.Skip(2 * (int)count).Where(cell => cell != "").ToList();
                foreach (var list in new[] { "sphere", "capsule", "panel" }) entry.Fields[list + "Colliders"] = colliders;
                file.Entries.Add(entry);
            }
            if (section("[Components]").Any())
                file.Notes.Add("HighLeg rows are not applied; load the file once with UTJ > SpringBone.");
            return file;
        }

        /// <summary>The CSV of DynamicBoneDynamicsCsv. Cells have no quotes.</summary>
        static ParsedFile ParseDynamicBone(string name, string text)
        {
            var file = new ParsedFile { Format = "DynamicBone" };
            var components = new Dictionary<string, Entry>();
            var section = "";
            var line = 0;
            foreach (var cells in text.Split('\n').Select(row => row.TrimEnd('\r').Split(',')))
            {
                var row = new Row { Place = name + ":" + ++line, Cells = cells };
                Entry entry;
                if (row.Cells.Length == 1 && row.Cells[0].Trim() == "") continue;
                if (row.Cells[0].StartsWith("[") && row.Cells[0].EndsWith("]")) section = row.Cells[0].Trim('[', ']');
                else if (section == "ColliderBase")
                {
                    var type = row.Cells.Length > 14 ? "DynamicBoneCollider" : "DynamicBonePlaneCollider";
                    entry = NewEntry(row, 1, 0, DynamicBonePlace, type);
                    var sizes = row.Cells.Length > 14 ? " m_Radius m_Height" : "";
                    ReadCells(row, 9, "m_Direction m_Center:3 m_Bound" + sizes, entry);
                    file.Entries.Add(entry);
                }
                else if (section == "DynamicBone")
                {
                    entry = NewEntry(row, 1, 0, DynamicBonePlace, "DynamicBone");
                    entry.Roots = new List<string> { row.Text(9, "root") };
                    ReadCells(row, 10, DynamicBoneCells, entry);
                    file.Entries.Add(components[entry.Holder] = entry);
                }
                else if (!components.TryGetValue(row.Cells[0], out entry))
                    throw new FileError(row.Place, "\"" + row.Cells[0] + "\" has no row in [DynamicBone].");
                else if (section == "m_Colliders" || section == "m_Exclusions")
                    entry.Fields[section] = row.Cells.Skip(1).Where(cell => cell != "").ToList();
                else if ((row.Cells.Length - 1) % 6 != 0) throw new FileError(row.Place, "a key of a curve has six cells.");
                else // Time, value, slope in, weight in, slope out, weight out.
                    entry.Fields[section] = Enumerable.Range(0, row.Cells.Length / 6).Select(key => 6 * key + 1).Select(at =>
                        Key(row.Number(at, "time"), row.Number(at + 1, "value"), row.Number(at + 2, "slope"), row.Number(at + 4, "slope"))).ToArray();
            }
            return file;
        }

        static ParsedFile ParseJson(string name, string text)
        {
            var root = Json.Parse(name, text);
            if (root.Text("format") == "ez-soft-bone") return ParseEz(root);
            if (root.Text("format") == "yuremono-setup") return ParseSetup(root);
            throw new FileError(root.Child("format").Place, "expected \"format\": \"ez-soft-bone\" or \"yuremono-setup\".");
        }

        /// <summary>The JSON of EZSoftBone's fields.</summary>
        static ParsedFile ParseEz(Json root)
        {
            var file = new ParsedFile { Format = "EZSoftBone" };
            foreach (var collider in root.Items("Colliders"))
            {
                var shape = Array.IndexOf(new[] { "sphere", "capsule", "box" }, collider.Text("shape"));
                if (shape < 0) file.Notes.Add("Not applied: the " + collider.Text("shape") + " \"" + collider.Text("name") + "\".");
                if (shape < 0) continue;
                var entry = new Entry
                {
                    Types = new[] { UnityShapes[shape] }, Replaces = UnityShapes.Where((_, i) => i != shape).ToArray(),
                    Holder = collider.Text("name"), Parent = collider.Text("parent"),
                };
                entry.Fields["transform.localPosition"] = collider.Vector("position", 0);
                entry.Fields["transform.localEulerAngles"] = collider.Vector("euler", 0);
                entry.Fields["transform.localScale"] = collider.Vector("scale", 1);
                entry.Fields["isTrigger"] = true; // Otherwise the collider would push the rigid bodies of the scene.
                double radius = collider.Number("radius", 0), height = collider.Number("height", 0);
                if (shape < 2) entry.Fields["radius"] = radius;
                else entry.Fields["size"] = new[] { collider.Number("width", 0), height, collider.Number("depth", 0) };
                if (shape == 1) // In the file, a capsule starts at its object, and its height excludes the caps.
                {
                    entry.Fields["direction"] = 1.0;
                    entry.Fields["height"] = height + 2 * radius;
                    entry.Fields["center"] = new[] { 0, height / 2, 0 };
                }
                file.Entries.Add(entry);
            }
            foreach (var component in root.Items("Components"))
            {
                var entry = new Entry { Types = new[] { "EZhex1991.EZSoftBone.EZSoftBone" } };
                entry.Roots = component.Items("m_RootBones").Select(bone => bone.Value as string ?? "").ToList();
                if (entry.Roots.Count == 0) throw new FileError(component.Place, "the component has no \"m_RootBones\".");
                AddEzFields("", component, entry);
                file.Entries.Add(entry);
            }
            return file;
        }

        static void AddEzFields(string prefix, Json of, Entry entry)
        {
            foreach (var field in of.Fields.Where(field => field.Key.StartsWith("m_") && field.Key != "m_RootBones" && field.Key != "m_Name"))
            {
                var path = prefix + field.Key;
                var items = field.Value.Value as List<Json>;
                if (field.Key == "m_Material") AddEzFields("m_Material.", field.Value, entry);
                else if (field.Key.EndsWith("Curve"))
                    entry.Fields[path] = of.Items(field.Key).Select(key => Key(key.Number("time", 0), key.Number("value", 0),
                        key.Number("inTangent", 0), key.Number("outTangent", 0))).ToArray();
                else if (items != null) entry.Fields[path] = items.Select(item => item.Value as string ?? "").ToList();
                else entry.Fields[path] = field.Key == "m_Gravity" ? of.Vector("m_Gravity", 0) : field.Value.Value;
            }
        }

        /// <summary>Yuremono's JSON of complete setups. Applied are SPCRJointDynamics, VRM, and the manager of
        /// UnityChanSpringBone. The other components have formats of their own.</summary>
        static ParsedFile ParseSetup(Json root)
        {
            if (root.Number("version", 0) != 1) throw new FileError(root.Child("version").Place, "expected \"version\": 1.");
            var file = new ParsedFile { Format = "Yuremono JSON" };
            // The file is in glTF's space. Unity mirrors Z for a character that faces -Z, and X for all other characters.
            var facesMinusZ = root.Child("rest_frames").Bool("faces_minus_z");
            var axis = facesMinusZ == true ? 2 : 0;
            if (facesMinusZ == null) file.Notes.Add("The file does not contain the direction that the character faces; the X axis is mirrored.");
            var setup = root.Child("setup");
            var systems = setup.Map("systems");
            if (systems.Count == 0) throw new FileError(setup.Place, "the file contains no \"systems\".");
            var chains = systems.Keys.ToDictionary(id => id, _ => new List<SetupChain>());
            foreach (var chain in setup.Map("chains").Values)
            {
                var id = chain.Number("system", 0).ToString(CultureInfo.InvariantCulture);
                if (!chains.ContainsKey(id)) throw new FileError(chain.Child("system").Place, "\"systems\" contains no system " + id + ".");
                chains[id].Add(new SetupChain(chain));
            }
            foreach (var system in systems.Where(system => chains[system.Key].Count > 0))
            {
                var solver = system.Value.Text("solver");
                if (solver == "SPCRJointDynamics") AddJointDynamics(file, system.Value, chains[system.Key], axis);
                else if (solver == "VRM") AddVrm(file, chains[system.Key], axis);
                else if (solver == "UnityChanSpringBone") AddSpringManager(file, system.Value, chains[system.Key], axis);
                else if (SolverFormats.ContainsKey(solver))
                    file.Notes.Add(solver + " is not applied from this file. Export the format \"" + SolverFormats[solver] + "\".");
                else file.Notes.Add("\"" + solver + "\" is not applied, because this script does not support its components.");
            }
            return file;
        }

        static void AddSpringManager(ParsedFile file, Json system, List<SetupChain> chains, int axis)
        {
            var entry = new Entry { Types = SpringTypes("SpringManager"), MayAdd = false };
            entry.BonesBelow = chains.SelectMany(chain => chain.Bones).ToList();
            AddValues(entry, system, axis, name => SpringManagerFields.Split(' ').Contains(name));
            file.Entries.Add(entry);
            file.Notes.Add("UnityChanSpringBone: only the SpringManager is applied from this file. Export the format \"CSV\" for bones, pivots and colliders.");
        }

        /// <summary>Adds entries for the components of VRM 1.0 and of VRM 0.x. A character has one of both kinds.</summary>
        static void AddVrm(ParsedFile file, List<SetupChain> chains, int axis)
        {
            const string vrm1Joint = "UniVRM10.VRM10SpringBoneJoint", vrm0Spring = "VRM.VRMSpringBone";
            foreach (var chain in chains)
            {
                for (var joint = 0; joint < chain.Bones.Count; joint++)
                {
                    var entry = new Entry { Types = new[] { vrm1Joint }, Holder = chain.Bones[joint], MayAdd = false, NotWith = vrm0Spring };
                    foreach (var field in VrmFields) entry.Fields[field.Value] = chain.ValueOf(field.Key, joint);
                    entry.Fields["m_jointRadius"] = chain.ValueOf("hitRadius", joint);
                    entry.Fields["m_gravityDir"] = Vector(axis, component => chain.NumberOf("gravityDir " + component, joint));
                    file.Entries.Add(entry);
                }
                var spring = new Entry { Types = new[] { vrm0Spring }, Roots = new List<string> { chain.Bones[0] }, MayAdd = false, OnlyWith = vrm0Spring };
                Func<string, double> mean = name =>
                {
                    var numbers = chain.Bones.Select((_, joint) => chain.NumberOf(name, joint)).ToList();
                    if (!numbers.All(number => IsEqual(number, numbers[0])))
                        spring.Note = "VRMSpringBone stores one set of values: mean values replace the values of single joints.";
                    return numbers.Average();
                };
                foreach (var field in VrmFields) spring.Fields[field.Value] = mean(field.Key);
                spring.Fields["m_hitRadius"] = mean("hitRadius");
                spring.Fields["m_gravityDir"] = Vector(axis, component => mean("gravityDir " + component));
                AddOrMergeRoots(file, spring);
            }
        }

        static void AddJointDynamics(ParsedFile file, Json system, List<SetupChain> chains, int axis)
        {
            var lists = system.Child("component_lists").Child("joint_dynamics");
            var points = lists.Map("points");
            foreach (var bone in chains.SelectMany(chain => lists.Value == null ? new List<string>() : chain.Bones))
            {
                // A point that the file does not list has the default values.
                var point = points.ContainsKey(bone) ? points[bone] : new Json();
                var entry = new Entry { Types = new[] { "SPCR.SPCRJointDynamicsPoint" }, Holder = bone, MayAdd = false };
                if (point.Bool("fixed") != null) entry.Fields["_IsFixed"] = point.Bool("fixed") == true;
                entry.Fields["_Mass"] = point.Number("mass", 1);
                entry.Fields["_PointRadius"] = point.Number("radius", 0);
                entry.Fields["_MovableLimitRadius"] = point.Number("movable_limit_radius", -1);
                entry.Fields["_UseForSurfaceCollision"] = point.Bool("surface_collision") ?? true;
                entry.Fields["_ApplyInvertCollision"] = point.Bool("invert_collision") ?? true;
                file.Entries.Add(entry);
            }
            var controller = new Entry { Types = new[] { "SPCR.SPCRJointDynamicsController" }, MayAdd = false, MaySplit = false };
            controller.Roots = chains.Select(chain => chain.Bones[0]).ToList();
            AddValues(controller, system, axis, name => name.StartsWith("_"));
            // Yuremono has one number instead of this curve over the wind. 0 keeps the curve.
            const string windCurve = "_WindForcePowerToAnimationBlendRatioCurve";
            if (controller.Fields.ContainsKey(windCurve) && (double)controller.Fields[windCurve] == 0) controller.Fields.Remove(windCurve);
            else if (controller.Fields.ContainsKey(windCurve)) controller.Fields[windCurve] = Flat((double)controller.Fields[windCurve]);
            if (NumberOrInfinity(system.Child("values"), "TimeScale", 1) != 1)
                file.Notes.Add("TimeScale is not applied, because SPCRJointDynamicsController does not store it.");

            // The component has one curve over depth for all columns. A column is a line of bones without forks.
            var first = chains[0];
            var deepest = Math.Max(1, chains.Max(chain => chain.Bones.Count) - 1);
            var differing = new List<string>();
            foreach (var name in first.Values.Keys.Where(name => name.StartsWith("_")))
            {
                var value = first.Values[name];
                Func<ChainValue, SetupChain, bool> isStored = (stored, chain) => (value.Curve == null || chain.ByDepth)
                    && chain.Bones.Select((_, joint) => IsEqual(chain.NumberOf(name, joint), stored.At(joint / (double)deepest))).All(equal => equal);
                if (first.Overrides.Any(own => own.ContainsKey(name)) && !isStored(value, first))
                    value = new ChainValue { Base = 1, Curve = Lines(first.Bones.Select((_, joint) =>
                        Key(joint / (double)deepest, first.NumberOf(name, joint), 0, 0)).ToArray()) };
                if (!chains.All(chain => isStored(value, chain))) differing.Add(name);
                var isCurve = name.EndsWith("Curve");
                var curve = value.Curve ?? Flat(1);
                if (!isCurve) controller.Fields[name] = value.Base;
                controller.Fields[isCurve ? name : name + "ScaleCurve"] = isCurve ? Scaled(curve, value.Base) : curve;
            }
            file.Entries.Add(controller);
            if (differing.Count > 0)
                file.Notes.Add("SPCRJointDynamicsController stores one curve for all columns: the values of \"" + first.Name
                    + "\" are used. Other columns or joints differ in: " + string.Join(", ", differing.ToArray()) + ".");
        }

        /// <summary>Adds the system values of the fields. The parameters "gravity x", "gravity y" and "gravity z" are the field
        /// "gravity".</summary>
        static void AddValues(Entry entry, Json system, int axis, Func<string, bool> isField)
        {
            system.Map("values");
            var values = system.Child("values");
            foreach (var name in values.Fields.Keys)
            {
                var field = name.Split(' ')[0];
                if (!isField(field)) continue;
                if (field == name) entry.Fields[field] = NumberOrInfinity(values, name);
                else entry.Fields[field] = Vector(axis, component => NumberOrInfinity(values, field + " " + component));
            }
        }

        /// <summary>Returns a vector in Unity's space. component returns a number in glTF's space.</summary>
        static double[] Vector(int axis, Func<string, double> component)
        {
            var vector = new[] { component("x"), component("y"), component("z") };
            vector[axis] = 0 - vector[axis];
            return vector;
        }

        /// <summary>Returns a number. Infinite numbers are texts.</summary>
        static double NumberOrInfinity(Json of, string key, double? other = null)
        {
            if (!of.Fields.ContainsKey(key) && other == null) throw new FileError(of.Place, "\"" + key + "\" is missing.");
            if (of.Text(key) == "Infinity") return double.PositiveInfinity;
            return of.Text(key) == "-Infinity" ? double.NegativeInfinity : of.Number(key, other ?? 0);
        }

        /// <summary>A chain of a setup.</summary>
        sealed class SetupChain
        {
            public readonly string Name, Place;
            public readonly bool ByDepth;
            public readonly List<string> Bones = new List<string>();
            /// <summary>By parameter.</summary>
            public readonly Dictionary<string, ChainValue> Values = new Dictionary<string, ChainValue>();
            /// <summary>Values of single joints by parameter.</summary>
            public readonly List<Dictionary<string, double>> Overrides = new List<Dictionary<string, double>>();

            public SetupChain(Json chain)
            {
                Name = chain.Text("name");
                Place = chain.Place;
                ByDepth = chain.Text("curve_domain") == "depth";
                foreach (var joint in chain.Items("joints"))
                {
                    if (joint.Text("bone") == "") throw new FileError(joint.Place, "the joint has no \"bone\".");
                    Bones.Add(joint.Text("bone"));
                    Overrides.Add(joint.Map("overrides").Keys.ToDictionary(name => name, name => NumberOrInfinity(joint.Child("overrides"), name)));
                }
                if (Bones.Count == 0) throw new FileError(Place, "the chain has no \"joints\".");
                foreach (var value in chain.Map("values"))
                    Values[value.Key] = new ChainValue
                    {
                        Base = NumberOrInfinity(value.Value, "base") * RingFactor(value.Value.Child("around"), chain.Child("ring")),
                        Curve = value.Value.Map("curve").Count > 0 ? ReadCurve(value.Value.Child("curve")) : null,
                        Bones = Bones, ByDepth = ByDepth,
                    };
            }

            /// <summary>Returns a double, or a ChainValue if the number depends on the position of the bone.</summary>
            public object ValueOf(string name, int joint)
            {
                if (Overrides[joint].ContainsKey(name)) return Overrides[joint][name];
                if (!Values.ContainsKey(name)) throw new FileError(Place, "the chain has no value \"" + name + "\".");
                return Values[name].Curve == null ? (object)Values[name].Base : Values[name];
            }

            /// <summary>Returns the number of a joint, as if all bones had the same length.</summary>
            public double NumberOf(string name, int joint)
            {
                var value = ValueOf(name, joint) as ChainValue;
                return value == null ? (double)ValueOf(name, joint) : value.At(joint / Math.Max(1.0, Bones.Count - 1));
            }
        }

        static CurveKey[] ReadCurve(Json curve)
        {
            var keys = curve.NumberLists("keys", 4).OrderBy(key => key[0]).Select(key => Key(key[0], key[1], key[2], key[3])).ToArray();
            return curve.Text("interpolation") == "linear" ? Lines(keys) : keys;
        }

        /// <summary>Returns the factor of a chain in a ring of chains around the body. The curve over the angle is flat at its
        /// keys.</summary>
        static double RingFactor(Json curve, Json ring)
        {
            if (curve.Value == null || ring.Value == null) return 1;
            var isMirrored = curve.Bool("mirrored") ?? true;
            Func<double, double> wrap = degrees => { degrees -= 360 * Math.Ceiling((degrees - 180) / 360); return isMirrored ? Math.Abs(degrees) : degrees; };
            var keys = curve.NumberLists("keys", 2).Select(key => Key(wrap(key[0]), key[1], 0, 0))
                .GroupBy(key => key.Time).Select(same => same.First()).OrderBy(key => key.Time).ToList();
            if (!isMirrored) // The curve continues at the back.
                keys = new[] { -360, 0, 360 }.SelectMany(turn => keys.Select(key => Key(turn + key.Time, key.Value, 0, 0))).ToList();
            return Evaluate(keys.ToArray(), wrap(ring.Number("angle", 0)));
        }

        /// <summary>Returns the value of a curve of cubic segments, as AnimationCurve does.</summary>
        public static double Evaluate(CurveKey[] keys, double time)
        {
            var right = Array.FindIndex(keys, key => key.Time > time);
            if (right <= 0) return right == 0 ? keys[0].Value : keys[keys.Length - 1].Value;
            CurveKey a = keys[right - 1], b = keys[right];
            double width = b.Time - a.Time, s = (time - a.Time) / width, r = 1 - s;
            return r * r * ((1 + 2 * s) * a.Value + s * width * a.OutTangent) + s * s * ((1 + 2 * r) * b.Value - r * width * b.InTangent);
        }

        /// <summary>Returns the curve with straight lines between its keys.</summary>
        static CurveKey[] Lines(CurveKey[] keys)
        {
            Func<int, double> slope = left => left < 0 || left + 1 >= keys.Length || keys[left].Time >= keys[left + 1].Time
                ? 0 : (keys[left + 1].Value - keys[left].Value) / (keys[left + 1].Time - keys[left].Time);
            return keys.Select((key, at) => Key(key.Time, key.Value, slope(at - 1), slope(at))).ToArray();
        }

        static CurveKey[] Flat(double value) { return new[] { Key(0, value, 0, 0), Key(1, value, 0, 0) }; }

        static CurveKey[] Scaled(CurveKey[] keys, double factor)
        {
            return keys.Select(key => Key(key.Time, factor * key.Value, factor * key.InTangent, factor * key.OutTangent)).ToArray();
        }

        /// <summary>The springs in the JSON of a VRM 1.0 or 0.x.</summary>
        static ParsedFile ParseVrm(string name, byte[] bytes)
        {
            if (bytes.Length < 20 || BitConverter.ToUInt32(bytes, 0) != 0x46546C67 || BitConverter.ToUInt32(bytes, 16) != 0x4E4F534A)
                throw new FileError(name, "the file is not a binary glTF.");
            var length = BitConverter.ToUInt32(bytes, 12);
            if (length > bytes.Length - 20) throw new FileError(name, "the file ends before its JSON ends.");
            var root = Json.Parse(name, Encoding.UTF8.GetString(bytes, 20, (int)length));
            var nodes = root.Items("nodes").Select(node => node.Text("name")).ToList();
            Func<Json, string> nodeName = index =>
            {
                if (index != null && index.Value is double && (double)index.Value >= 0 && (double)index.Value < nodes.Count)
                    return nodes[(int)(double)index.Value];
                throw new FileError((index ?? root).Place, "a spring has a node that the file does not contain.");
            };
            var spring1 = root.Child("extensions").Child("VRMC_springBone");
            var spring0 = root.Child("extensions").Child("VRM").Child("secondaryAnimation");
            if (spring1.Value == null && spring0.Value == null) throw new FileError(name, "the file contains no springs.");
            var file = new ParsedFile { Format = spring1.Value != null ? "VRM 1.0" : "VRM 0.x" };
            foreach (var joints in spring1.Items("springs").Select(spring => spring.Items("joints")))
                // The last joint is the tip of the chain. The values of a tip have no effect.
                foreach (var joint in joints.Take(Math.Max(1, joints.Count - 1)))
                {
                    var entry = VrmEntry("UniVRM10.VRM10SpringBoneJoint", joint, "stiffness", 0.5, "m_jointRadius");
                    entry.Holder = nodeName(joint.Child("node"));
                    var gravity = joint.Fields.ContainsKey("gravityDir") ? joint.Vector("gravityDir", 0) : new[] { 0, -1.0, 0 };
                    entry.Fields["m_gravityDir"] = new[] { -gravity[0], gravity[1], gravity[2] }; // UniVRM mirrors X.
                    file.Entries.Add(entry);
                }
            if (spring1.Value == null)
                foreach (var group in spring0.Items("boneGroups"))
                {
                    var entry = VrmEntry("VRM.VRMSpringBone", group, "stiffiness", 0.4, "m_hitRadius");
                    entry.Roots = group.Items("bones").Select(nodeName).ToList();
                    // VRM 0.x stores Unity's axes.
                    var hasDirection = group.Fields.ContainsKey("gravityDir");
                    entry.Fields["m_gravityDir"] = hasDirection ? group.Vector("gravityDir", 0) : new[] { 0, -1.0, 0 };
                    AddOrMergeRoots(file, entry);
                }
            return file;
        }

        /// <summary>Adds an entry. If another component has equal values, adds the roots to the entry of that component. Yuremono
        /// splits a group for differences of rounding, too.</summary>
        static void AddOrMergeRoots(ParsedFile file, Entry entry)
        {
            var equal = file.Entries.FirstOrDefault(other => other.Types[0] == entry.Types[0]
                && other.Fields.All(field => IsEqual(field.Value, entry.Fields[field.Key])));
            if (equal != null) equal.Roots.AddRange(entry.Roots); else file.Entries.Add(entry);
        }

        static Entry VrmEntry(string type, Json values, string stiffness, double defaultDrag, string radiusField)
        {
            var entry = new Entry { Types = new[] { type }, MayAdd = false };
            // Some exporters of VRM 0.x write the name without its spelling mistake.
            entry.Fields["m_stiffnessForce"] = values.Number(stiffness, values.Number("stiffness", 1));
            entry.Fields["m_gravityPower"] = values.Number("gravityPower", 0);
            entry.Fields["m_dragForce"] = values.Number("dragForce", defaultDrag);
            entry.Fields[radiusField] = values.Number("hitRadius", 0);
            return entry;
        }

        static bool IsEqual(object a, object b)
        {
            if (a is double) return Math.Abs((double)a - (double)b) <= 1e-5 * Math.Max(1, Math.Abs((double)b));
            return ((double[])a).Zip((double[])b, (x, y) => IsEqual(x, y)).All(equal => equal);
        }

        static CurveKey Key(double time, double value, double slopeIn, double slopeOut)
        {
            return new CurveKey { Time = (float)time, Value = (float)value, InTangent = (float)slopeIn, OutTangent = (float)slopeOut };
        }

        /// <summary>UnityChanSpringBone 1.1 and later use Unity.Animations.SpringBones, version 1.0 used UTJ.</summary>
        static string[] SpringTypes(string type)
        {
            return new[] { "Unity.Animations.SpringBones." + type, "UTJ." + type };
        }

        static Entry NewEntry(Row row, int holder, int parent, string cells, string type)
        {
            var entry = new Entry { Holder = row.Text(holder, "name"), Parent = row.Text(parent, "parent") };
            entry.Types = type.StartsWith("DynamicBone") ? new[] { type } : SpringTypes(type);
            ReadCells(row, 2, cells, entry);
            return entry;
        }

        /// <summary>Reads cells into fields. Returns the index of the next cell.</summary>
        static int ReadCells(Row row, int at, string cells, Entry entry)
        {
            foreach (var cell in cells.Split(' ').Select(cell => cell.Split(':')))
            {
                var kind = cell.Length > 1 ? cell[1] : "";
                var size = kind == "3" || kind == "4" ? int.Parse(kind) : 1;
                if (size > 1) entry.Fields[cell[0]] = Enumerable.Range(at, size).Select(i => row.Number(i, cell[0])).ToArray();
                else if (kind == "b") entry.Fields[cell[0]] = row.Bool(at, cell[0]);
                else if (kind == "") entry.Fields[cell[0]] = row.Number(at, cell[0]);
                // An empty name keeps the reference: for example the camera of DynamicBone, which Yuremono does not know.
                else if (row.Text(at, cell[0]) != "") entry.Fields[cell[0]] = row.Cells[at];
                at += size;
            }
            return at;
        }

        sealed class Row
        {
            public string Place;
            public string[] Cells;

            public string Text(int at, string column)
            {
                if (at < Cells.Length) return Cells[at];
                throw new FileError(Place, column + ": the row ends after " + Cells.Length + " cells.");
            }

            public double Number(int at, string column)
            {
                double value; // A quoted cell can contain a decimal comma.
                if (double.TryParse(Text(at, column).Replace(',', '.'), NumberStyles.Float, CultureInfo.InvariantCulture, out value)
                    && !double.IsNaN(value) && !double.IsInfinity(value)) return value;
                throw new FileError(Place, column + ": \"" + Cells[at] + "\" is not a number.");
            }

            public bool Bool(int at, string column)
            {
                bool value;
                if (bool.TryParse(Text(at, column), out value)) return value;
                throw new FileError(Place, column + ": \"" + Cells[at] + "\" is not True or False.");
            }
        }

        /// <summary>Rows without comments and empty rows. Commas and tabs separate cells; quotes may open in a cell.</summary>
        static IEnumerable<Row> CsvRows(string name, string text)
        {
            var cells = new List<string>();
            var cell = new StringBuilder();
            int line = 1, first = 1;
            var quoted = false;
            for (var at = 0; at <= text.Length; at++)
            {
                var c = at < text.Length ? text[at] : '\n';
                if (at == text.Length && quoted) throw new FileError(name + ":" + first, "a quotation mark is not closed.");
                if (c == '\n') line++;
                if (c == '"' && quoted && at + 1 < text.Length && text[at + 1] == '"') cell.Append(text[at++]);
                else if (c == '"') quoted = !quoted;
                else if (quoted || c != ',' && c != '\t' && c != '\n') cell.Append(c);
                else
                {
                    cells.Add(cell.ToString().Trim());
                    cell.Length = 0;
                    if (c != '\n') continue;
                    var isComment = new[] { "//", "#", ";" }.Any(mark => cells[0].StartsWith(mark));
                    if (!isComment && cells.Any(text_ => text_ != ""))
                        yield return new Row { Place = name + ":" + first, Cells = cells.ToArray() };
                    cells.Clear();
                    first = line;
                }
            }
        }

        /// <summary>A JSON value with its place. Unity's JsonUtility cannot read objects with unknown keys.</summary>
        sealed class Json
        {
            public string Place;
            /// <summary>double, bool, string, null, List of Json, or Dictionary from string to Json.</summary>
            public object Value;

            public Dictionary<string, Json> Fields { get { return Value as Dictionary<string, Json> ?? new Dictionary<string, Json>(); } }
            public Json Child(string key) { return Fields.ContainsKey(key) ? Fields[key] : new Json { Place = Place }; }
            public string Text(string key) { return Child(key).Value as string ?? ""; }
            public List<Json> Items(string key)
            {
                if (!Fields.ContainsKey(key)) return new List<Json>();
                if (Fields[key].Value is List<Json>) return (List<Json>)Fields[key].Value;
                throw new FileError(Fields[key].Place, "\"" + key + "\" is not a list.");
            }
            /// <summary>An object by its keys. Empty if the key does not exist, or for null.</summary>
            public Dictionary<string, Json> Map(string key)
            {
                if (Child(key).Value == null || Child(key).Value is Dictionary<string, Json>) return Child(key).Fields;
                throw new FileError(Child(key).Place, "\"" + key + "\" is not an object.");
            }
            /// <summary>Null if the key does not exist, or for null.</summary>
            public bool? Bool(string key)
            {
                if (Child(key).Value == null || Child(key).Value is bool) return (bool?)Child(key).Value;
                throw new FileError(Child(key).Place, "\"" + key + "\" is not true or false.");
            }
            /// <summary>A list of lists with the same count of numbers.</summary>
            public List<double[]> NumberLists(string key, int size)
            {
                foreach (var row in Items(key))
                    if (!(row.Value is List<Json>) || ((List<Json>)row.Value).Count != size || ((List<Json>)row.Value).Any(cell => !(cell.Value is double)))
                        throw new FileError(row.Place, "an entry of \"" + key + "\" is not a list of " + size + " numbers.");
                if (Items(key).Count == 0) throw new FileError(Child(key).Place, "\"" + key + "\" is empty.");
                return Items(key).Select(row => ((List<Json>)row.Value).Select(cell => (double)cell.Value).ToArray()).ToList();
            }
            public double Number(string key, double other)
            {
                if (!Fields.ContainsKey(key)) return other;
                if (Fields[key].Value is double) return (double)Fields[key].Value;
                throw new FileError(Fields[key].Place, "\"" + key + "\" is not a number.");
            }
            /// <summary>Three numbers: a list, or an object with x, y and z.</summary>
            public double[] Vector(string key, double other)
            {
                var child = Child(key);
                if (child.Value is Dictionary<string, Json>) return new[] { "x", "y", "z" }.Select(axis => child.Number(axis, other)).ToArray();
                var items = Items(key);
                if (items.Count == 0 && child.Value == null) return new[] { other, other, other };
                if (items.Count == 3 && items.All(item => item.Value is double)) return items.Select(item => (double)item.Value).ToArray();
                throw new FileError(child.Place, "\"" + key + "\" is not a list of three numbers.");
            }

            static readonly Regex Token =
                new Regex("\\G\\s*(\"(?>[^\"\\\\]+|\\\\[\"\\\\/bfnrt]|\\\\u[0-9a-fA-F]{4})*\"|[-+.\\w]+|[\\[\\]{},:])", RegexOptions.Singleline);

            public static Json Parse(string name, string text)
            {
                int at = 0, line = 1;
                Func<string> next = () =>
                {
                    var token = Token.Match(text, at);
                    if (!token.Success) throw new FileError(name + ":" + line, "the JSON is invalid or not complete.");
                    at += token.Length;
                    line += token.Value.Count(c => c == '\n');
                    return token.Groups[1].Value;
                };
                Func<string, int, Json> parse = null;
                parse = (token, depth) =>
                {
                    var json = new Json { Place = name + ":" + line };
                    var fields = new Dictionary<string, Json>();
                    var items = new List<Json>();
                    double number;
                    if (depth > 200) throw new FileError(json.Place, "the JSON has more than 200 levels.");
                    if (token[0] == '"') json.Value = Regex.Unescape(token.Substring(1, token.Length - 2));
                    else if (token == "true" || token == "false") json.Value = token == "true";
                    else if (double.TryParse(token, NumberStyles.Float, CultureInfo.InvariantCulture, out number)
                        && !double.IsNaN(number) && !double.IsInfinity(number)) json.Value = number;
                    else if (token == "{" || token == "[")
                    {
                        var end = token == "{" ? "}" : "]";
                        for (token = next(); token != end; )
                        {
                            var key = end == "}" ? token : null;
                            if (key != null && (key[0] != '"' || next() != ":"))
                                throw new FileError(name + ":" + line, "expected a key and a colon.");
                            var value = parse(key != null ? next() : token, depth + 1);
                            if (key == null) items.Add(value);
                            else fields[Regex.Unescape(key.Substring(1, key.Length - 2))] = value;
                            token = next();
                            if (token != end && token != ",") throw new FileError(name + ":" + line, "expected a comma.");
                            if (token == ",") token = next();
                        }
                        json.Value = end == "}" ? (object)fields : items;
                    }
                    else if (token != "null") throw new FileError(json.Place, "\"" + token + "\" is not a JSON value.");
                    return json;
                };
                var root = parse(next(), 0);
                if (root.Value is Dictionary<string, Json>) return root;
                throw new FileError(root.Place, "expected an object.");
            }
        }
    }

    /// <summary>Sets the fields of the components of a character. One file is one undo step.</summary>
    public sealed class YuremonoApplier
    {
        const BindingFlags Any = BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic;
        static readonly string[] RootFields = { "m_Root", "m_Roots", "m_RootBones", "RootBones", "_RootPointTbl" };
        /// <summary>SPCRJointDynamics stores links and triangles that depend on these fields.</summary>
        static readonly string[] LinkFields = { "_IsLoopRootPoints", "_UseForSurfaceCollision" };
        static readonly object Unresolved = new object();
        readonly Dictionary<string, Transform> objects = new Dictionary<string, Transform>();
        readonly HashSet<Transform> skinnedBones = new HashSet<Transform>();
        readonly HashSet<Object> changed = new HashSet<Object>();
        readonly List<string> unmatched = new List<string>(), notes = new List<string>();
        readonly Dictionary<string, bool> used = new Dictionary<string, bool>();
        GameObject character;
        string undoName;
        bool create;
        int matched, created;

        /// <summary>Applies a parsed file and returns a report. An exception undoes all changes.</summary>
        public static string Apply(ParsedFile file, GameObject character, bool create, string fileName)
        {
            var applier = new YuremonoApplier { character = character, create = create, undoName = "Yuremono: " + fileName };
            // If objects have equal names, the last object counts, as in UnityChanSpringBone.
            foreach (var t in character.GetComponentsInChildren<Transform>(true)) applier.objects[t.name] = t;
            foreach (var skin in character.GetComponentsInChildren<SkinnedMeshRenderer>(true)) applier.skinnedBones.UnionWith(skin.bones);
            Undo.IncrementCurrentGroup();
            Undo.SetCurrentGroupName(applier.undoName);
            var group = Undo.GetCurrentGroup();
            try
            {
                foreach (var entry in file.Entries) applier.ApplyEntry(entry);
                applier.Finish(file);
            }
            catch { Undo.RevertAllDownToGroup(group); throw; }
            Undo.CollapseUndoOperations(group);
            var missing = applier.unmatched;
            var report = fileName + ": " + file.Format + ", " + applier.matched + " matched, " + missing.Count + " unmatched";
            if (applier.created > 0) report += ", " + applier.created + " created";
            if (missing.Count > 0) applier.notes.Insert(0, "Unmatched: " + string.Join(", ", missing.Take(12).ToArray()) + (missing.Count > 12 ? " …" : ""));
            return report + string.Concat(file.Notes.Concat(applier.notes).Distinct().Take(12).Select(note => "\n    " + note).ToArray());
        }

        void ApplyEntry(Entry entry)
        {
            if (entry.OnlyWith != null && !IsUsed(entry.OnlyWith) || entry.NotWith != null && IsUsed(entry.NotWith)) return;
            if (entry.Note != null) notes.Add(entry.Note);
            var names = entry.Roots ?? new List<string> { entry.Holder ?? entry.Types[0].Split('.').Last() };
            var type = entry.Types.Select(FindType).FirstOrDefault(found => found != null);
            if (type == null) notes.Add("This project does not contain " + entry.Types[0] + ".");
            var targets = type == null ? new List<Component>() : FindComponents(type, entry);
            foreach (var target in targets)
            {
                foreach (var other in entry.Replaces.Select(FindType).Where(other => other != null))
                    if (target.GetComponent(other) != null) Undo.DestroyObjectImmediate(target.GetComponent(other));
                // Objects with other names and bones of the mesh are not moved.
                var movesObject = target.name == entry.Holder && !skinnedBones.Contains(target.transform);
                var parent = entry.Parent == null ? null : FindObject(entry.Parent);
                if (movesObject && parent != null && target.transform.parent != parent) Undo.SetTransformParent(target.transform, parent, undoName);
                foreach (var field in entry.Fields.Where(field => movesObject || !field.Key.StartsWith("transform.")))
                    Set(target, target, field.Key, ValueAt(field.Value, target.transform));
                if (!Application.isPlaying) continue;
                var update = type.GetMethod("UpdateParameters", Type.EmptyTypes); // DynamicBone bakes its curves.
                var restart = type.GetMethod("ImmediateParameterReflection", Type.EmptyTypes); // SPCRJointDynamics copies its values.
                if (update != null) update.Invoke(target, null);
                if (restart != null && ((Behaviour)target).isActiveAndEnabled) restart.Invoke(target, null);
            }
            var missing = names.Where(name => !targets.Any(target => entry.Roots == null || Roots(target).Contains(name))).ToList();
            matched += names.Count - missing.Count;
            unmatched.AddRange(missing);
        }

        List<Component> FindComponents(Type type, Entry entry)
        {
            var holder = entry.Holder == null ? character.transform : FindObject(entry.Holder);
            var found = new List<Component>();
            if (entry.BonesBelow != null)
                found.AddRange(entry.BonesBelow.Select(bone => FindAbove(FindObject(bone), type)).Where(c => c != null).Distinct());
            else if (entry.Roots != null)
                found.AddRange(character.GetComponentsInChildren(type, true).Where(c => Roots(c).Intersect(entry.Roots).Any())
                    .Select(c => entry.MaySplit ? Split(c, entry.Roots) : c));
            else if (holder != null && holder.GetComponent(type) != null) found.Add(holder.GetComponent(type));
            if (found.Count > 0 || !create || !entry.MayAdd || entry.Roots != null && !entry.Roots.All(objects.ContainsKey)) return found;
            if (holder == null && entry.Parent != null && FindObject(entry.Parent) != null)
            {
                holder = objects[entry.Holder] = new GameObject(entry.Holder).transform;
                Undo.RegisterCreatedObjectUndo(holder.gameObject, undoName);
                Undo.SetTransformParent(holder, FindObject(entry.Parent), undoName);
                Set(holder, holder, "localPosition", new double[3]);
                Set(holder, holder, "localScale", new[] { 1.0, 1.0, 1.0 });
            }
            if (holder == null) return found;
            found.Add(Undo.AddComponent(holder.gameObject, type));
            created++;
            var rootField = RootFields.FirstOrDefault(name => type.GetField(name, Any) != null);
            if (entry.Roots != null) Set(found[0], found[0], rootField, rootField == "m_Root" ? entry.Roots[0] : (object)entry.Roots);
            return found;
        }

        /// <summary>Returns the component on an object, or on the nearest object above it.</summary>
        static Component FindAbove(Transform bone, Type type)
        {
            while (bone != null && bone.GetComponent(type) == null) bone = bone.parent;
            return bone == null ? null : bone.GetComponent(type);
        }

        /// <summary>Returns the number of a ChainValue at a bone, and other values unchanged.</summary>
        object ValueAt(object value, Transform at)
        {
            var chain = value as ChainValue;
            if (chain == null) return value;
            var distances = new Dictionary<Transform, double>();
            foreach (var bone in chain.Bones.Select(FindObject).Where(bone => bone != null))
            {
                var above = bone.parent;
                while (above != null && !distances.ContainsKey(above)) above = above.parent;
                // An animation rotates the bones, so these distances are equal in every pose.
                distances[bone] = above == null ? 0 : distances[above] + (chain.ByDepth ? 1 : Vector3.Distance(above.position, bone.position));
            }
            var longest = distances.Values.Concat(new[] { 0.0 }).Max();
            return chain.At(longest > 0 && distances.ContainsKey(at) ? distances[at] / longest : 0);
        }

        /// <summary>If a component also moves bones with other values, a copy of the component takes over the roots.</summary>
        Component Split(Component component, List<string> roots)
        {
            if (!Roots(component).Except(roots).Any()) return component;
            if (!create) { notes.Add(component.name + ": the bones of one component differ. Allow creating components."); return component; }
            var part = Undo.AddComponent(component.gameObject, component.GetType());
            EditorUtility.CopySerialized(component, part);
            created++;
            foreach (var field in RootFields.Where(name => component.GetType().GetField(name, Any) != null))
            {
                var names = RootNames(component, field).ToList();
                foreach (var target in new[] { part, component })
                {
                    var own = names.Where(name => roots.Contains(name) == (target == part)).ToList();
                    var isSingle = field == "m_Root";
                    Set(target, target, field, isSingle ? own.FirstOrDefault() ?? "" : (object)own);
                }
            }
            return part;
        }

        void Finish(ParsedFile file)
        {
            var manager = FindType("Unity.Animations.SpringBones.SpringManager") ?? FindType("UTJ.SpringManager");
            if (file.Format == "UnityChanSpringBone" && created > 0 && manager != null)
            {
                var component = character.GetComponentsInChildren(manager, true).FirstOrDefault() ?? Undo.AddComponent(character, manager);
                var find = manager.GetMethod("FindSpringBones");
                Record(component);
                if (find != null) find.Invoke(component, find.GetParameters().Select(_ => (object)true).ToArray());
            }
            foreach (var item in changed.Where(item => item != null))
            {
                EditorUtility.SetDirty(item);
                PrefabUtility.RecordPrefabInstancePropertyModifications(item);
            }
        }

        void Set(Object owner, object target, string path, object value)
        {
            var name = path.Split('.')[0];
            FieldInfo field = target.GetType().GetField(name, Any);
            PropertyInfo property = field == null ? target.GetType().GetProperty(name, Any) : null;
            if (field == null && property == null) { notes.Add(target.GetType().Name + " has no field \"" + name + "\"."); return; }
            var type = field != null ? field.FieldType : property.PropertyType;
            Action<object> assign = to =>
            {
                Record(owner);
                if (field != null) field.SetValue(target, to); else property.SetValue(target, to, null);
            };
            if (name == path)
            {
                var converted = Convert(value, type);
                if (LinkFields.Contains(name) && field != null && !Equals(converted, field.GetValue(target)))
                    notes.Add(name + " changed: click \"From Root points\" in the inspector of SPCRJointDynamicsController, then \"Apply latest file\".");
                if (converted != Unresolved) assign(converted);
                return;
            }
            var inner = field != null ? field.GetValue(target) : property.GetValue(target, null);
            if (typeof(ScriptableObject).IsAssignableFrom(type)) inner = OwnMaterial((Component)owner, inner as ScriptableObject, type, assign);
            Set(inner as Object ?? owner, inner, path.Substring(name.Length + 1), value);
        }

        /// <summary>EZSoftBone shares materials. The values of one chain must not change other chains or assets.</summary>
        ScriptableObject OwnMaterial(Component owner, ScriptableObject material, Type type, Action<object> assign)
        {
            var name = "Yuremono " + Roots(owner).FirstOrDefault();
            if (material != null && material.name == name) return material;
            material = material == null ? ScriptableObject.CreateInstance(type) : Object.Instantiate(material);
            material.name = name;
            Undo.RegisterCreatedObjectUndo(material, undoName);
            notes.Add("Each EZSoftBone component now has its own material in the scene.");
            assign(material);
            return material;
        }

        object Convert(object value, Type type)
        {
            var vector = value as double[];
            var keys = value as CurveKey[];
            var names = value as List<string>;
            if (value is double && type.IsEnum) return Enum.ToObject(type, (int)(double)value);
            if (value is double && type == typeof(float)) return (float)(double)value;
            if (value is double && type == typeof(int)) return (int)Math.Max(int.MinValue, Math.Min(int.MaxValue, Math.Round((double)value)));
            if (value is double && type == typeof(bool)) return (double)value >= 0.5;
            if (value is bool && type == typeof(bool)) return value;
            if (vector != null && type == typeof(Vector3)) return new Vector3((float)vector[0], (float)vector[1], (float)vector[2]);
            if (vector != null && type == typeof(Quaternion)) return new Quaternion((float)vector[0], (float)vector[1], (float)vector[2], (float)vector[3]);
            if (keys != null && type == typeof(AnimationCurve))
                return new AnimationCurve(keys.Select(key => new Keyframe(key.Time, key.Value, key.InTangent, key.OutTangent)).ToArray());
            if (value is string && typeof(Component).IsAssignableFrom(type)) return (string)value == "" ? null : Reference((string)value, type) ?? Unresolved;
            if (names != null && typeof(IList).IsAssignableFrom(type))
            {
                var item = type.IsArray ? type.GetElementType() : type.GetGenericArguments()[0];
                var items = names.Select(name => Reference(name, item)).Where(found => found != null).ToArray();
                var array = Array.CreateInstance(item, items.Length);
                Array.Copy(items, array, items.Length);
                return type.IsArray ? array : Activator.CreateInstance(type, array);
            }
            notes.Add("A field of type " + type.Name + " cannot store " + value + ".");
            return Unresolved;
        }

        object Reference(string name, Type type)
        {
            var found = FindObject(name);
            if (found == null) notes.Add("There is no object \"" + name + "\".");
            var component = found == null ? null : found.GetComponent(type);
            return component == null ? null : component;
        }

        Transform FindObject(string name)
        {
            Transform found;
            return objects.TryGetValue(name, out found) ? found : null;
        }

        static IEnumerable<string> Roots(Component component) { return RootFields.SelectMany(field => RootNames(component, field)); }

        static IEnumerable<string> RootNames(Component component, string field)
        {
            var info = component.GetType().GetField(field, Any);
            var value = info == null ? null : info.GetValue(component);
            return (value as IEnumerable<Component> ?? new[] { value as Component }).Where(root => root != null).Select(root => root.name);
        }

        /// <summary>Whether the character has a component of the type.</summary>
        bool IsUsed(string name)
        {
            bool isUsed;
            if (used.TryGetValue(name, out isUsed)) return isUsed;
            var type = FindType(name);
            return used[name] = type != null && character.GetComponentsInChildren(type, true).Length > 0;
        }

        static Type FindType(string name)
        {
            return AppDomain.CurrentDomain.GetAssemblies().Select(assembly => assembly.GetType(name)).FirstOrDefault(type => type != null);
        }

        void Record(Object target)
        {
            if (changed.Add(target)) Undo.RegisterCompleteObjectUndo(target, undoName);
        }
    }

    public sealed class YuremonoWatcher : EditorWindow
    {
        const double DebounceSeconds = 0.3;
        [SerializeField] GameObject character;
        [SerializeField] string folder = "";
        [SerializeField] bool create = true;
        [SerializeField] List<string> log = new List<string>();
        [SerializeField] Vector2 scroll;
        readonly Dictionary<string, DateTime> due = new Dictionary<string, DateTime>(); // Locked: the watcher has its own thread.
        FileSystemWatcher watcher;

        [MenuItem("Tools/Yuremono")]
        static void Open() { GetWindow<YuremonoWatcher>("Yuremono"); }

        void OnEnable() { EditorApplication.update += ApplyDueFiles; Watch(); }
        void OnDisable() { EditorApplication.update -= ApplyDueFiles; StopWatching(); }

        void StopWatching() { if (watcher != null) watcher.Dispose(); watcher = null; }

        void Watch()
        {
            StopWatching();
            if (!Directory.Exists(folder)) return;
            watcher = new FileSystemWatcher(folder);
            // Yuremono writes a temporary file and renames it.
            watcher.Changed += (_, change) => Enqueue(change.FullPath, DebounceSeconds);
            watcher.Created += (_, change) => Enqueue(change.FullPath, DebounceSeconds);
            watcher.Renamed += (_, change) => Enqueue(change.FullPath, DebounceSeconds);
            watcher.EnableRaisingEvents = true;
        }

        void Enqueue(string path, double seconds)
        {
            if (YuremonoFiles.IsCandidate(path)) lock (due) due[path] = DateTime.UtcNow.AddSeconds(seconds);
        }

        void ApplyDueFiles()
        {
            List<string> paths;
            lock (due)
            {
                paths = due.Where(item => item.Value <= DateTime.UtcNow).Select(item => item.Key).ToList();
                foreach (var path in paths) due.Remove(path);
            }
            foreach (var path in paths.Where(File.Exists)) ApplyFile(path);
        }

        void ApplyFile(string path)
        {
            var name = Path.GetFileName(path);
            try
            {
                var file = YuremonoFiles.Parse(name, File.ReadAllBytes(path));
                Log(character == null ? name + ": no character is selected. Nothing was applied." : YuremonoApplier.Apply(file, character, create, name));
            }
            catch (FileError error) { Log(error.Message); }
            catch (IOException error) { Log(name + ": " + error.Message + " Nothing was applied; save the file again."); }
            catch (Exception error) { Log(name + ": " + error.Message + " All changes were undone."); Debug.LogException(error); }
        }

        void Log(string message)
        {
            log.Insert(0, DateTime.Now.ToString("HH:mm:ss ", CultureInfo.InvariantCulture) + message);
            if (log.Count > 200) log.RemoveAt(200);
            Repaint();
        }

        void OnGUI()
        {
            character = (GameObject)EditorGUILayout.ObjectField("Character", character, typeof(GameObject), true);
            EditorGUI.BeginChangeCheck();
            folder = EditorGUILayout.TextField("Folder", folder);
            var chosen = GUILayout.Button("Choose folder…") ? EditorUtility.OpenFolderPanel("Folder that Yuremono writes to", folder, "") : "";
            if (chosen != "") folder = chosen; // Empty: the dialog was cancelled.
            if (EditorGUI.EndChangeCheck()) Watch();
            create = EditorGUILayout.ToggleLeft("Create missing components and colliders", create);
            if (watcher == null) EditorGUILayout.HelpBox("This folder does not exist. Choose a folder.", MessageType.Warning);
            else if (GUILayout.Button("Apply latest file"))
            {
                var latest = new DirectoryInfo(folder).GetFiles().Where(file => YuremonoFiles.IsCandidate(file.Name)).OrderBy(file => file.LastWriteTimeUtc).LastOrDefault();
                if (latest == null) Log("The folder contains no CSV, JSON or VRM file."); else Enqueue(latest.FullName, 0);
            }
            scroll = EditorGUILayout.BeginScrollView(scroll);
            foreach (var line in log) EditorGUILayout.LabelField(line, EditorStyles.wordWrappedLabel);
            EditorGUILayout.EndScrollView();
        }
    }
}
