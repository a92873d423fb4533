// Components with the public fields of UnityChanSpringBone 1.1, DynamicBone, EZSoftBone, SPCRJointDynamics 2.0.11 and
// UniVRM that the script sets.

using System.Collections.Generic;
using UnityEngine;

namespace Unity.Animations.SpringBones
{
    public class AngleLimits { public bool active; public float min, max; }
    public class SpringSphereCollider : MonoBehaviour { public float radius; public Renderer linkedRenderer; }
    public class SpringCapsuleCollider : MonoBehaviour { public float radius, height; public Renderer linkedRenderer; }
    public class SpringPanelCollider : MonoBehaviour { public float width, height; public Renderer linkedRenderer; }
    public class SpringBonePivot : MonoBehaviour { }
    public class DynamicsNull : MonoBehaviour { }
    public class SpringBone : MonoBehaviour
    {
        public float radius, stiffnessForce, dragForce, windInfluence, angularStiffness;
        public Vector3 springForce;
        public Transform pivotNode;
        public AngleLimits yAngleLimits = new AngleLimits(), zAngleLimits = new AngleLimits();
        public Transform[] lengthLimitTargets;
        public SpringSphereCollider[] sphereColliders;
        public SpringCapsuleCollider[] capsuleColliders;
        public SpringPanelCollider[] panelColliders;
    }
    public class SpringManager : MonoBehaviour
    {
        public bool automaticUpdates, isPaused, enableAngleLimits, enableCollision, enableLengthLimits, collideWithGround;
        public int simulationFrameRate;
        public float dynamicRatio, bounce, friction, groundHeight;
        public Vector3 gravity;
        public int Found;
        public void FindSpringBones(bool includeInactive) { Found = gameObject.GetComponentsInChildren<SpringBone>(true).Length; }
    }
}

public class DynamicBoneColliderBase : MonoBehaviour
{
    public enum Direction { X, Y, Z }
    public enum Bound { Outside, Inside }
    public Direction m_Direction;
    public Vector3 m_Center;
    public Bound m_Bound;
}
public class DynamicBoneCollider : DynamicBoneColliderBase { public float m_Radius, m_Height; }
public class DynamicBonePlaneCollider : DynamicBoneColliderBase { }
public class DynamicBone : MonoBehaviour
{
    public enum UpdateMode { Normal, AnimatePhysics, UnscaledTime, Default }
    public enum FreezeAxis { None, X, Y, Z }
    public Transform m_Root, m_ReferenceObject;
    public List<Transform> m_Exclusions;
    public List<DynamicBoneColliderBase> m_Colliders;
    public UpdateMode m_UpdateMode;
    public FreezeAxis m_FreezeAxis;
    public bool m_DistantDisable;
    public float m_UpdateRate, m_Damping, m_Elasticity, m_Stiffness, m_Inert, m_Friction, m_Radius, m_EndLength, m_DistanceToObject;
    public AnimationCurve m_DampingDistrib, m_ElasticityDistrib, m_StiffnessDistrib, m_InertDistrib, m_FrictionDistrib, m_RadiusDistrib;
    public Vector3 m_EndOffset, m_Gravity, m_Force;
}

namespace EZhex1991.EZSoftBone
{
    public class EZSoftBoneMaterial : ScriptableObject
    {
        public float m_Damping, m_Stiffness, m_Resistance, m_Slackness;
        public AnimationCurve m_DampingCurve, m_StiffnessCurve, m_ResistanceCurve, m_SlacknessCurve;
    }
    public class EZSoftBone : MonoBehaviour
    {
        public enum UnificationMode { None, Rooted, Unified }
        public enum DeltaTimeMode { DeltaTime, UnscaledDeltaTime, Constant }
        public List<Transform> m_RootBones = new List<Transform>(), m_EndBones;
        public EZSoftBoneMaterial m_Material;
        public int m_StartDepth, m_Iterations;
        public UnificationMode m_SiblingConstraints, m_LengthUnification;
        public DeltaTimeMode m_DeltaTimeMode;
        public bool m_ClosedSiblings, m_SiblingRotationConstraints;
        public List<Collider> m_ExtraColliders;
        public float m_Radius, m_ConstantDeltaTime, m_SleepThreshold, m_ForceScale;
        public AnimationCurve m_RadiusCurve;
        public Vector3 m_Gravity;
        public Transform m_GravityAligner, m_SimulateSpace;
    }
}

namespace SPCR
{
    public class SPCRJointDynamicsPoint : MonoBehaviour
    {
        public bool _IsFixed, _UseForSurfaceCollision, _ApplyInvertCollision;
        public float _Mass, _PointRadius, _MovableLimitRadius;
    }
    public class SPCRJointDynamicsController : MonoBehaviour
    {
        public int Restarts;
        public SPCRJointDynamicsPoint[] _RootPointTbl = { };
        public int _Relaxation, _SubSteps, _StabilizationFrameRate, _LimitAngle;
        public float _CollisionReturn_Start, _CollisionReturn_Speed, _RootSlideLimit, _RootRotateLimit, _ConstraintShrinkLimit,
            _ResetDelaySeconds, _BlendRatio, _FakeWaveSpeed, _FakeWavePower;
        public Vector3 _Gravity, _WindForce;
        public bool _IsCancelResetPhysics, _IsEnableSurfaceCollision, _EnableWindForcePowerToAnimationBlendRatio, _IsPaused,
            _IsLoopRootPoints, _UseLimitAngles, _LimitFromRoot, _IsFakeWave,
            _IsAllStructuralShrinkVertical, _IsAllStructuralStretchVertical, _IsAllStructuralShrinkHorizontal,
            _IsAllStructuralStretchHorizontal, _IsAllShearShrink, _IsAllShearStretch, _IsAllBendingShrinkVertical,
            _IsAllBendingStretchVertical, _IsAllBendingShrinkHorizontal, _IsAllBendingStretchHorizontal,
            _IsCollideStructuralVertical, _IsCollideStructuralHorizontal, _IsCollideShear,
            _IsComputeStructuralVertical, _IsComputeStructuralHorizontal, _IsComputeShear,
            _IsComputeBendingVertical, _IsComputeBendingHorizontal;
        public float _AllShrink, _AllStretch, _StructuralShrinkVertical, _StructuralStretchVertical, _StructuralShrinkHorizontal,
            _StructuralStretchHorizontal, _ShearShrink, _ShearStretch, _BendingShrinkVertical, _BendingStretchVertical,
            _BendingShrinkHorizontal, _BendingStretchHorizontal;
        public AnimationCurve _AllShrinkScaleCurve, _AllStretchScaleCurve, _StructuralShrinkVerticalScaleCurve,
            _StructuralStretchVerticalScaleCurve, _StructuralShrinkHorizontalScaleCurve, _StructuralStretchHorizontalScaleCurve,
            _ShearShrinkScaleCurve, _ShearStretchScaleCurve, _BendingShrinkVerticalScaleCurve, _BendingStretchVerticalScaleCurve,
            _BendingShrinkHorizontalScaleCurve, _BendingStretchHorizontalScaleCurve;
        public AnimationCurve _MassScaleCurve, _GravityScaleCurve, _WindForceScaleCurve, _ResistanceCurve, _HardnessCurve,
            _FrictionCurve, _SliderJointLengthCurve, _LimitPowerCurve, _FakeWavePowerCurve, _FakeWaveFreqCurve,
            _WindForcePowerToAnimationBlendRatioCurve;
        public void ImmediateParameterReflection() { Restarts++; }
    }
}

namespace UniVRM10
{
    public class VRM10SpringBoneJoint : MonoBehaviour
    {
        public float m_stiffnessForce, m_gravityPower, m_dragForce, m_jointRadius;
        public Vector3 m_gravityDir;
    }
}

namespace VRM
{
    public class VRMSpringBone : MonoBehaviour
    {
        public float m_stiffnessForce, m_gravityPower, m_dragForce, m_hitRadius;
        public Vector3 m_gravityDir;
        public List<Transform> RootBones = new List<Transform>();
    }
}
