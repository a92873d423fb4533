#ifdef UV_MASK
uniform highp sampler2D uvMaskTexture;
uniform highp vec3 uvMaskUvX;
uniform highp vec3 uvMaskUvY;
// Scroll, then the angle of the rotation around the middle.
uniform highp vec3 uvAnimation;

vec2 animatedUv(vec2 uv) {
    vec3 at = vec3(uv, 1.0);
    float strength = textureLod(uvMaskTexture, vec2(dot(uvMaskUvX, at), dot(uvMaskUvY, at)), 0.0).b;
    float s = sin(uvAnimation.z * strength), c = cos(uvAnimation.z * strength);
    vec2 aside = uv - 0.5;
    return vec2(c * aside.x + s * aside.y, c * aside.y - s * aside.x) + 0.5 + uvAnimation.xy * strength;
}
#endif
