uniform highp mat4 worldFromMesh;
uniform highp mat4 clipFromWorld;
uniform vec3 baseUvX;
uniform vec3 baseUvY;
uniform vec3 shadeUvX;
uniform vec3 shadeUvY;
uniform vec3 glowUvX;
uniform vec3 glowUvY;
uniform float useColors;

in vec3 position;
in vec3 normal;
in vec2 uv;
in vec4 color;

#ifdef SKINNED
uniform highp sampler2D jointMatrices;
in uvec4 joints;
in vec4 weights;

// Four texels a joint, 512 joints a row, the first row last.
mat4 jointMatrix(uint joint) {
    int row = textureSize(jointMatrices, 0).y - 1 - int(joint >> 9u);
    int x = int(joint & 511u) * 4;
    return mat4(texelFetch(jointMatrices, ivec2(x, row), 0), texelFetch(jointMatrices, ivec2(x + 1, row), 0),
                texelFetch(jointMatrices, ivec2(x + 2, row), 0), texelFetch(jointMatrices, ivec2(x + 3, row), 0));
}
#endif

out highp vec3 worldPosition;
out vec3 worldNormal;
out highp vec4 uvs;
out highp vec2 glowUv;
out vec4 tint;

void main() {
#ifdef SKINNED
    mat4 m = jointMatrix(joints.x) * weights.x;
    if (weights.y > 0.0) m += jointMatrix(joints.y) * weights.y;
    if (weights.z > 0.0) m += jointMatrix(joints.z) * weights.z;
    if (weights.w > 0.0) m += jointMatrix(joints.w) * weights.w;
#else
    mat4 m = worldFromMesh;
#endif
    vec4 world = vec4((m * vec4(position, 1.0)).xyz, 1.0);
    // The cofactors turn normals rightly under any scale; a mirror would turn them inside out.
    vec3 yz = cross(m[1].xyz, m[2].xyz);
    vec3 n = yz * normal.x + cross(m[2].xyz, m[0].xyz) * normal.y + cross(m[0].xyz, m[1].xyz) * normal.z;
    n *= sign(dot(m[0].xyz, yz));
    float size = length(n);
    worldNormal = size > 0.0 ? n / size : vec3(0.0, 1.0, 0.0);
    worldPosition = world.xyz;
    vec3 at = vec3(uv, 1.0);
    uvs = vec4(dot(baseUvX, at), dot(baseUvY, at), dot(shadeUvX, at), dot(shadeUvY, at));
    glowUv = vec2(dot(glowUvX, at), dot(glowUvY, at));
    tint = mix(vec4(1.0), color, useColors);
    gl_Position = clipFromWorld * world;
}
