uniform highp mat4 worldFromMesh;
uniform highp mat4 clipFromWorld;

in vec3 position;
in vec3 normal;
in vec2 uv;
#ifdef COLORS
in vec4 color;
out vec4 tint;
#endif

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

#ifndef UV_PER_TEXTURE
// The coordinates that all textures share.
uniform vec3 sharedUvX;
uniform vec3 sharedUvY;
#endif

#ifdef OUTLINE
// Metres, and metres for each metre of depth.
uniform highp vec2 outlineWidth;
// Least width in metres per metre of depth, so that outlines of a small picture have no gaps.
uniform highp float leastOutline;
#endif
#ifdef OUTLINE_TEXTURE
uniform sampler2D outlineTexture;
uniform vec3 outlineUvX;
uniform vec3 outlineUvY;
#endif

out highp vec3 worldPosition;
out vec3 worldNormal;
out highp vec2 texCoord;

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
    // The cofactors transform normals correctly for every scale. `sign` keeps the direction if the transform mirrors.
    vec3 yz = cross(m[1].xyz, m[2].xyz);
    vec3 n = yz * normal.x + cross(m[2].xyz, m[0].xyz) * normal.y + cross(m[0].xyz, m[1].xyz) * normal.z;
    n *= sign(dot(m[0].xyz, yz));
    float size = length(n);
    worldNormal = size > 0.0 ? n / size : vec3(0.0, 1.0, 0.0);
    worldPosition = world.xyz;
    vec3 at = vec3(uv, 1.0);
#ifdef UV_PER_TEXTURE
    texCoord = uv;
#else
    texCoord = vec2(dot(sharedUvX, at), dot(sharedUvY, at));
#endif
#ifdef COLORS
    tint = color;
#endif
    gl_Position = clipFromWorld * world;
#ifdef OUTLINE
    float width = outlineWidth.x + outlineWidth.y * gl_Position.w;
#ifdef OUTLINE_TEXTURE
#ifdef UV_MASK
    at = vec3(animatedUv(uv), 1.0);
#endif
    width *= textureLod(outlineTexture, vec2(dot(outlineUvX, at), dot(outlineUvY, at)), 0.0).g;
#endif
    width = width > 0.0 ? max(width, leastOutline * gl_Position.w) : width;
    gl_Position = clipFromWorld * (world + vec4(worldNormal * width, 0.0));
    // Where the width is 0, the line must not flicker through the surface.
    gl_Position.z += 1e-6 * gl_Position.w;
#endif
}
