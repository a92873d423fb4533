// The parts of UnityEditor that YuremonoWatcher.cs uses. Undo counts what is registered, and reverts nothing.

using System;
using System.Collections.Generic;
using UnityEngine;
using Object = UnityEngine.Object;

namespace UnityEditor
{
    public static class Undo
    {
        public static readonly HashSet<Object> Registered = new HashSet<Object>();
        public static int Reverted;
        public static void IncrementCurrentGroup() { Registered.Clear(); }
        public static int GetCurrentGroup() { return 0; }
        public static void SetCurrentGroupName(string name) { }
        public static void CollapseUndoOperations(int group) { }
        public static void RevertAllDownToGroup(int group) { Reverted++; }
        public static void RegisterCompleteObjectUndo(Object target, string name) { Registered.Add(target); }
        public static void RegisterCreatedObjectUndo(Object target, string name) { Registered.Add(target); }
        public static void SetTransformParent(Transform target, Transform parent, string name) { target.SetParent(parent); }
        public static Component AddComponent(GameObject target, Type type) { return target.AddComponent(type); }
        public static void DestroyObjectImmediate(Object target) { ((Component)target).gameObject.Remove((Component)target); }
    }

    public class EditorWindow : ScriptableObject
    {
        public static T GetWindow<T>(string title) where T : EditorWindow, new() { return new T(); }
        public void Repaint() { }
    }

    public enum MessageType { None, Info, Warning, Error }
    public static class EditorStyles { public static GUIStyle wordWrappedLabel = new GUIStyle(); }

    public static class EditorGUI
    {
        public static void BeginChangeCheck() { }
        public static bool EndChangeCheck() { return false; }
    }

    public static class EditorGUILayout
    {
        public static Object ObjectField(string label, Object value, Type type, bool allowSceneObjects) { return value; }
        public static string TextField(string label, string value) { return value; }
        public static bool ToggleLeft(string label, bool value) { return value; }
        public static void HelpBox(string text, MessageType type) { }
        public static void LabelField(string text, GUIStyle style) { }
        public static Vector2 BeginScrollView(Vector2 scroll) { return scroll; }
        public static void EndScrollView() { }
    }

    public static class EditorUtility
    {
        public static void SetDirty(Object target) { }
        public static void CopySerialized(Object source, Object target)
        {
            foreach (var field in source.GetType().GetFields()) field.SetValue(target, field.GetValue(source));
        }
        public static string OpenFolderPanel(string title, string folder, string name) { return ""; }
    }

    public static class PrefabUtility { public static void RecordPrefabInstancePropertyModifications(Object target) { } }

    public static class EditorApplication
    {
        public delegate void CallbackFunction();
        public static CallbackFunction update;
    }

    [AttributeUsage(AttributeTargets.Method)]
    public sealed class MenuItem : Attribute { public MenuItem(string path) { } }
}
