// The parts of UnityEngine that YuremonoWatcher.cs uses, so that it compiles and its applying can be tested without
// Unity. Objects, components and transforms keep their data; nothing is drawn or simulated.

using System;
using System.Collections.Generic;
using System.Linq;

namespace UnityEngine
{
    public class Object
    {
        public string name { get; set; }
        public static T Instantiate<T>(T original) where T : Object { return (T)original.MemberwiseClone(); }
    }

    public class Component : Object
    {
        public GameObject gameObject { get; internal set; }
        public Transform transform { get { return gameObject.transform; } }
        public new string name { get { return gameObject.name; } }
        public Component GetComponent(Type type) { return gameObject.Components.FirstOrDefault(type.IsInstanceOfType); }
    }

    public class Behaviour : Component
    {
        public bool enabled { get; set; } = true;
        public bool isActiveAndEnabled { get { return enabled; } }
    }
    public class MonoBehaviour : Behaviour { }
    public class ScriptableObject : Object
    {
        public static ScriptableObject CreateInstance(Type type) { return (ScriptableObject)Activator.CreateInstance(type); }
    }

    public class GameObject : Object
    {
        internal readonly List<Component> Components = new List<Component>();
        public Transform transform { get; private set; }

        public GameObject(string name)
        {
            this.name = name;
            transform = (Transform)AddComponent(typeof(Transform));
        }

        public Component AddComponent(Type type)
        {
            var component = (Component)Activator.CreateInstance(type);
            component.gameObject = this;
            Components.Add(component);
            return component;
        }

        internal void Remove(Component component) { Components.Remove(component); }

        public Component[] GetComponentsInChildren(Type type, bool includeInactive)
        {
            var own = Components.Where(type.IsInstanceOfType);
            return own.Concat(transform.Children.SelectMany(child => child.gameObject.GetComponentsInChildren(type, true))).ToArray();
        }

        public T[] GetComponentsInChildren<T>(bool includeInactive)
        {
            return GetComponentsInChildren(typeof(T), includeInactive).Cast<T>().ToArray();
        }
    }

    public class Transform : Component
    {
        internal readonly List<Transform> Children = new List<Transform>();
        public Transform parent { get; private set; }
        public Vector3 position { get; set; } // The tests set this property. It does not follow the parent.
        public Vector3 localPosition { get; set; }
        public Vector3 localEulerAngles { get; set; }
        public Vector3 localScale { get; set; }
        public Quaternion localRotation { get; set; }

        public void SetParent(Transform to)
        {
            if (parent != null) parent.Children.Remove(this);
            parent = to;
            if (to != null) to.Children.Add(this);
        }
    }

    public struct Vector2 { public float x, y; }
    public struct Vector3
    {
        public float x, y, z;
        public Vector3(float x, float y, float z) { this.x = x; this.y = y; this.z = z; }
        public static float Distance(Vector3 a, Vector3 b)
        {
            return (float)Math.Sqrt((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y) + (a.z - b.z) * (a.z - b.z));
        }
    }
    public struct Quaternion
    {
        public float x, y, z, w;
        public Quaternion(float x, float y, float z, float w) { this.x = x; this.y = y; this.z = z; this.w = w; }
    }
    public struct Keyframe
    {
        public float time, value, inTangent, outTangent;
        public Keyframe(float time, float value, float inTangent, float outTangent)
        {
            this.time = time; this.value = value; this.inTangent = inTangent; this.outTangent = outTangent;
        }
    }
    public class AnimationCurve
    {
        public Keyframe[] keys;
        public AnimationCurve(params Keyframe[] keys) { this.keys = keys; }
    }

    public class Renderer : Component { }
    public class SkinnedMeshRenderer : Renderer { public Transform[] bones = { }; }
    public class Collider : Component { public bool isTrigger { get; set; } }
    public class SphereCollider : Collider { public float radius { get; set; } }
    public class CapsuleCollider : Collider
    {
        public float radius { get; set; }
        public float height { get; set; }
        public int direction { get; set; }
        public Vector3 center { get; set; }
    }
    public class BoxCollider : Collider { public Vector3 size { get; set; } }

    public static class Application { public static bool isPlaying { get; set; } }
    public static class Debug { public static void LogException(Exception exception) { Console.WriteLine(exception); } }
    public class GUIStyle { }
    public static class GUILayout { public static bool Button(string text) { return false; } }

    [AttributeUsage(AttributeTargets.Field)]
    public sealed class SerializeField : Attribute { }
}
