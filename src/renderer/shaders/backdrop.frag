uniform vec3 top;
uniform vec3 bottom;
in highp vec2 uv;
layout(location = 0) out vec4 outColor;
void main() {
    // Less than one step of noise hides the bands that a long gradient of few steps shows.
    float noise = fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715)))) - 0.5;
    float height = uv.y;
    float t = height * height * (3.0 - 2.0 * height);
    outColor = vec4(mix(bottom, top, t) + noise / 255.0, 1.0);
}
