uniform highp mat4 clipFromWorld;
// x, z of the middle, height, half side.
uniform highp vec4 square;
in vec2 corner;
out vec2 at;
void main() {
    at = corner;
    gl_Position = clipFromWorld * vec4(square.x + corner.x * square.w, square.z, square.y + corner.y * square.w, 1.0);
}
