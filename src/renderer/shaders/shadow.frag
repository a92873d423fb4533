uniform sampler2D density;
uniform vec4 shadow;
in vec2 at;
layout(location = 0) out vec4 outColor;
void main() {
    float d = texture(density, vec2(at.x, -at.y) * 0.5 + 0.5).r;
    outColor = vec4(shadow.rgb, shadow.a * d);
}
