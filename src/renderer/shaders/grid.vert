uniform highp mat4 clipFromWorld;
uniform vec2 pixels;
uniform float lineWidth;
// x, z of the middle, height, side of a cell.
uniform highp vec4 ground;
// Both ends in cells (x, z), then which end and which side.
in vec4 ends;
in vec2 corner;
// 0 line, 1 every fifth, 2 the X axis, 3 the Z axis.
in float kind;

out highp vec2 fromMiddle;
out highp float depth;
flat out int lineKind;

void main() {
    vec2 a = ends.xy, b = ends.zw;
    vec4 clipA = clipFromWorld * vec4(ground.x + a.x * ground.w, ground.z, ground.y + a.y * ground.w, 1.0);
    vec4 clipB = clipFromWorld * vec4(ground.x + b.x * ground.w, ground.z, ground.y + b.y * ground.w, 1.0);
    // Lines are clipped in front of the camera, because points behind the camera have no direction on the screen.
    float nearest = 0.01 * ground.w;
    if (clipA.w < nearest && clipB.w > nearest) {
        float t = (nearest - clipA.w) / (clipB.w - clipA.w);
        clipA = mix(clipA, clipB, t);
        a = mix(a, b, t);
    } else if (clipB.w < nearest && clipA.w > nearest) {
        float t = (nearest - clipB.w) / (clipA.w - clipB.w);
        clipB = mix(clipB, clipA, t);
        b = mix(b, a, t);
    }
    vec2 way = (clipB.xy / clipB.w - clipA.xy / clipA.w) * pixels;
    float size = length(way);
    vec2 aside = size > 0.0001 ? vec2(-way.y, way.x) / size : vec2(0.0);
    vec4 clip = corner.x < 0.5 ? clipA : clipB;
    clip.xy += aside * corner.y * lineWidth / pixels * clip.w;
    fromMiddle = corner.x < 0.5 ? a : b;
    depth = clip.w;
    lineKind = int(kind + 0.5);
    gl_Position = clip;
}
