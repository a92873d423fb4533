uniform vec3 lineColor;
uniform vec3 axisX;
uniform vec3 axisZ;
// Distances in cells: where lines start to fade, where lines end.
uniform vec2 reach;
// Pixels per cell at depth 1, and a factor that is smaller if the camera looks horizontally.
uniform vec2 spacing;
in highp vec2 fromMiddle;
in highp float depth;
flat in int lineKind;
layout(location = 0) out vec4 outColor;
void main() {
    float fade = 1.0 - smoothstep(reach.x, reach.y, length(fromMiddle));
    // Lines fade before they overlap.
    float apart = spacing.x / depth;
    float strength = lineKind == 0 ? 0.55 * smoothstep(3.0, 14.0, apart) : lineKind == 1 ? 0.85 : 0.9;
    vec3 c = lineKind == 2 ? axisX : lineKind == 3 ? axisZ : lineColor;
    outColor = vec4(c, fade * strength * spacing.y);
}
