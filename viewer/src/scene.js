// SPDX-License-Identifier: Apache-2.0
// Draws one network: nodes, links, moving packets. Nodes and packets are points that the graphics
// card places and colours, so that a frame is cheap for every size.
import {
  BufferAttribute, BufferGeometry, Color, DynamicDrawUsage, LineBasicMaterial, LineDashedMaterial, LineSegments,
  OrthographicCamera, PerspectiveCamera, Points, Scene, ShaderMaterial, Vector3, WebGLRenderer,
} from 'three';
import {OrbitControls} from 'three/addons/controls/OrbitControls.js';
import {IDLE} from './machine.js';

/** Sideways shift of a link, so that the two directions do not cover each other. */
const LANE = 0.1;
/** Length of a wraparound link's stub beyond the border. */
const STUB = 0.62;
/** Distance from a node's centre at which a packet starts and stops. */
const CLEAR = 0.24;
/** Pixels left free around the network. */
const MARGIN = 10;
/** Strokes of a slow link beside its own, and the distance between two of them, in pitches of nodes. */
const SLOW_STROKES = 2;
const SLOW_PITCH = 0.012;

/** Share of the background's colour in links outside a trail. */
const FAINT = 0.75;
/** Smallest distance of neighbours in device pixels that is rounded to a whole number. */
const WHOLE_PIXELS = 6;
/** Diameters, in distances of neighbours. */
const NODE = {flat: 0.42, solid: 0.3};
const PACKET = {flat: 0.2, solid: 0.12};

/** Size of a point of a diameter in the drawing's own unit, at least some pixels. */
const POINT_SIZE = `
  uniform float viewportHeight;
  float pointSize(float diameter, float least) {
    return max(least, diameter * projectionMatrix[1][1] * viewportHeight * 0.5 / gl_Position.w);
  }`;
const OUTSIDE = 'gl_Position = vec4(2.0, 2.0, 2.0, 1.0); gl_PointSize = 0.0;';

const NODE_VERTEX = `${POINT_SIZE}
  attribute float share;
  uniform vec3 low; uniform vec3 high; uniform vec3 dead; uniform float diameter;
  varying vec3 shade; varying float blur;
  void main() {
    // Perceptually even steps: mixed in the encoding of displays.
    shade = share < 0.0 ? dead : pow(mix(pow(low, vec3(0.4545)), pow(high, vec3(0.4545)), share), vec3(2.2));
    gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
    gl_PointSize = pointSize(diameter, 2.0);
    blur = 1.0 / gl_PointSize;
  }`;
const DISC_FRAGMENT = `
  uniform float rim;
  varying vec3 shade; varying float blur;
  void main() {
    float r = length(gl_PointCoord - 0.5);
    float alpha = 1.0 - smoothstep(0.5 - 1.5 * blur, 0.5, r);
    if (alpha < 0.05) discard;
    gl_FragColor = vec4(r > 0.5 - rim ? shade * 0.35 : shade, alpha);
    #include <colorspace_fragment>
  }`;

// A packet moves from `position` to `halfway` and from `again` to `arrival`; the two points in the
// middle are one, but on a wraparound link they are the border and the border opposite. The hops of
// a cut-through send follow each other within the step.
const PACKET_VERTEX = `${POINT_SIZE}
  attribute vec3 halfway; attribute vec3 again; attribute vec3 arrival; attribute vec3 tint;
  attribute vec4 load; attribute vec2 span;
  uniform float ofStep; uniform vec3 stepTint; uniform vec3 stall;
  uniform float fraction; uniform float longest; uniform float diameter; uniform float others; uniform vec3 select;
  varying vec3 shade; varying float blur; varying float part; varying float hollow;
  void main() {
    // Waiting packets are drawn at the beginning of their link.
    bool waits = load.x > 2.5;
    // On a slow link the steps since the transfer began, and those that it takes.
    float along = waits ? 0.0 : (span.x + fraction * longest - load.y) / span.y;
    part = load.w; hollow = waits ? 1.0 : 0.0;
    if (load.x < 0.5 || along < 0.0 || (along > 1.0 && load.z < 0.5)) { ${OUTSIDE} return; }
    along = min(along, 1.0);
    vec3 at = along < 0.5 ? mix(position, halfway, 2.0 * along) : mix(again, arrival, 2.0 * along - 1.0);
    bool followed = waits ? load.x > 3.5 : load.x > 1.5;
    shade = followed ? select : waits ? stall : mix(tint, stepTint, ofStep);
    gl_Position = projectionMatrix * modelViewMatrix * vec4(at, 1.0);
    gl_PointSize = pointSize(diameter, 3.0) * (followed ? 1.6 : others);
    blur = 1.0 / gl_PointSize;
  }`;

// A sum is drawn as a pie: its part of the result. A ring marks a waiting one.
const PACKET_FRAGMENT = `
  uniform float rim; uniform vec3 back;
  varying vec3 shade; varying float blur; varying float part; varying float hollow;
  void main() {
    vec2 from = gl_PointCoord - 0.5;
    float r = length(from);
    float alpha = 1.0 - smoothstep(0.5 - 1.5 * blur, 0.5, r);
    if (alpha < 0.05 || (hollow > 0.5 && r < 0.27)) discard;
    float turn = fract(atan(from.x, -from.y) / 6.2831853 + 1.0);
    vec3 face = turn > part ? back : shade;
    gl_FragColor = vec4(hollow > 0.5 ? shade : r > 0.5 - rim ? shade * 0.35 : face, alpha);
    #include <colorspace_fragment>
  }`;

const RING_VERTEX = `${POINT_SIZE}
  uniform vec3 select; uniform float diameter;
  varying vec3 shade; varying float blur;
  void main() {
    shade = select;
    gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
    gl_PointSize = pointSize(diameter, 14.0);
    blur = 1.0 / gl_PointSize;
  }`;
const RING_FRAGMENT = `
  varying vec3 shade; varying float blur;
  void main() {
    float r = length(gl_PointCoord - 0.5);
    float width = max(0.05, 2.5 * blur);
    if (r > 0.5 || r < 0.5 - width) discard;
    gl_FragColor = vec4(shade, 1.0);
    #include <colorspace_fragment>
  }`;

function cssColor(name) {
  return new Color(getComputedStyle(document.documentElement).getPropertyValue(name).trim());
}

function points(geometry, vertexShader, fragmentShader, uniforms, options) {
  const values = Object.fromEntries(Object.entries(uniforms).map(([key, value]) => [key, {value}]));
  const object = new Points(geometry, new ShaderMaterial({vertexShader, fragmentShader, uniforms: values, ...options}));
  object.frustumCulled = false;
  return object;
}

/** True if a drawing is possible. */
export function hasWebGL() {
  return document.createElement('canvas').getContext('webgl2') !== null;
}

/** Replaces the drawing if the browser cannot draw; the rest of the page works. */
export class NoScene {
  constructor(container, network) {
    this.network = network;
    this.slice = network.dims.map(() => 0);
    this.selected = 0;
    this.packetsShown = 0;
    this.controls = {addEventListener() {}};
    this.canvas = document.createElement('p');
    this.canvas.className = 'missing';
    this.canvas.tabIndex = 0;
    this.canvas.textContent = 'The drawing needs WebGL 2, which this browser does not have or has switched off. '
      + 'Steps, tables and charts work without it.';
    container.append(this.canvas);
  }

  build() {}
  resize() {}
  resetView() {}
  applyTheme() {}
  setStep() {}
  setKnown() {}
  render() {}
  pick() {}
  clientPosition() {}
}

export class NetworkScene {
  /** groups: by slot, the colour group of each link. */
  constructor(container, network, groups) {
    this.network = network;
    this.groups = groups;
    this.slot = 0;
    /** Links that the followed packet has crossed. */
    this.trail = new Map();
    this.flat = network.dims.length <= 2;
    /** Fixed coordinates of the dimensions from 3 on. */
    this.slice = network.dims.map(() => 0);
    this.container = container;
    this.canvas = document.createElement('canvas');
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute('aria-label', 'The network; use the step controls and the node field');
    container.append(this.canvas);
    this.renderer = new WebGLRenderer({canvas: this.canvas, antialias: network.nodes <= 4096});
    this.renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
    this.scene = new Scene();
    this.camera = this.flat ? new OrthographicCamera() : new PerspectiveCamera(45, 1, 0.1, 4000);
    this.controls = new OrbitControls(this.camera, this.canvas);
    this.controls.enableRotate = !this.flat;
    this.controls.screenSpacePanning = true;
    if (this.flat) this.controls.mouseButtons.LEFT = 2;
    this.selected = 0;
    this.build();
    this.resetView();
  }

  /** Position of a node, y downwards; undefined outside the displayed slice. */
  position(node) {
    const at = this.network.coordinates(node);
    for (let dim = 3; dim < at.length; ++dim) if (at[dim] !== this.slice[dim]) return undefined;
    return new Vector3(at[0], -(at[1] ?? 0), at[2] ?? 0);
  }

  direction(port) {
    const unit = [0, 0, 0];
    unit[port >> 1] = (port & 1 ? 1 : -1) * (port >> 1 === 1 ? -1 : 1);
    return new Vector3(...unit);
  }

  lane(port) {
    // The positive direction is drawn on one side, the negative one on the other.
    const side = port & 1 ? LANE : -LANE;
    return port >> 1 === 0 ? new Vector3(0, side, 0) : new Vector3(-side, 0, 0);
  }

  build() {
    const {network} = this;
    this.scene.traverse((object) => {
      object.geometry?.dispose();
      object.material?.dispose();
    });
    this.scene.clear();
    this.shown = [];
    for (let node = 0; node < network.nodes; ++node) if (this.position(node)) this.shown.push(node);
    this.buildLinks();
    this.buildNodes();
    this.ring = points(
      new BufferGeometry().setAttribute('position', new BufferAttribute(new Float32Array(3), 3)),
      RING_VERTEX, RING_FRAGMENT,
      {viewportHeight: 1, select: new Color(), diameter: (this.flat ? NODE.flat : NODE.solid) * 1.6},
      {depthTest: false, transparent: true});
    this.ring.renderOrder = 3;
    this.scene.add(this.ring);
    this.applyTheme();
  }

  buildNodes() {
    const geometry = new BufferGeometry();
    const positions = new Float32Array(this.shown.length * 3);
    this.shown.forEach((node, i) => this.position(node).toArray(positions, 3 * i));
    geometry.setAttribute('position', new BufferAttribute(positions, 3));
    geometry.setAttribute('share', new BufferAttribute(new Float32Array(this.shown.length), 1).setUsage(DynamicDrawUsage));
    this.nodes = points(geometry, NODE_VERTEX, DISC_FRAGMENT,
      {viewportHeight: 1, low: new Color(), high: new Color(), dead: new Color(), diameter: this.flat ? NODE.flat : NODE.solid, rim: 0},
      {transparent: true});
    this.nodes.renderOrder = 1;
    this.scene.add(this.nodes);
  }

  buildLinks() {
    const {network} = this;
    /** The drawn links, and the link of each stroke. */
    this.links = [];
    this.strokes = [];
    const lines = [];
    const dead = [];
    const path = {position: [], halfway: [], again: [], arrival: []};
    for (const node of this.shown) {
      for (let port = 0; port < Math.min(6, network.ports); ++port) {
        const link = node * network.ports + port;
        const isDead = network.isDead(link);
        if (network.head[link] < 0 && !isDead) continue;
        const start = this.position(node).add(this.lane(port));
        const end = this.position(network.neighbor(node, port)).add(this.lane(port));
        let halfway = start.clone().lerp(end, 0.5);
        let again = halfway;
        if (network.isWraparound(node, port)) {
          halfway = start.clone().addScaledVector(this.direction(port), STUB);
          again = end.clone().addScaledVector(this.direction(port), -STUB);
        }
        if (isDead) {
          if (again === halfway) dead.push(...start, ...end);
          else dead.push(...start, ...halfway, ...again, ...end);
          continue;
        }
        if (again !== halfway) {
          lines.push(...start, ...halfway, ...again, ...end);
          this.strokes.push(link, link);
        } else {
          lines.push(...start, ...end);
          this.strokes.push(link);
        }
        this.links.push(link);
        if (network.period(link) > 1) this.thicken(link, [start, halfway, again, end], lines);
        // Packets start and stop next to the nodes, so that both are visible.
        start.addScaledVector(this.direction(port), CLEAR);
        end.addScaledVector(this.direction(port), -CLEAR);
        path.position.push(...start);
        path.halfway.push(...halfway);
        path.again.push(...again);
        path.arrival.push(...end);
      }
    }
    const strokes = new BufferGeometry();
    strokes.setAttribute('position', new BufferAttribute(new Float32Array(lines), 3));
    strokes.setAttribute('color', new BufferAttribute(new Float32Array(lines.length), 3));
    this.lines = new LineSegments(strokes, new LineBasicMaterial({vertexColors: true, transparent: true, opacity: 0.75}));
    this.scene.add(this.lines);
    this.deadLines = new LineSegments(
      new BufferGeometry().setAttribute('position', new BufferAttribute(new Float32Array(dead), 3)),
      new LineDashedMaterial({dashSize: 0.06, gapSize: 0.06}));
    this.deadLines.computeLineDistances();
    this.scene.add(this.deadLines);

    const geometry = new BufferGeometry();
    for (const [name, values] of Object.entries(path)) {
      geometry.setAttribute(name, new BufferAttribute(new Float32Array(values), 3));
    }
    geometry.setAttribute('tint', new BufferAttribute(new Float32Array(this.links.length * 3), 3));
    // 0 idle, 1 a packet, 2 the followed one, 3 one that waits, 4 the followed one, waiting; its hop; 1 when the send
    // ends here; the part of a sum.
    geometry.setAttribute('load', new BufferAttribute(new Float32Array(this.links.length * 4), 4).setUsage(DynamicDrawUsage));
    // Steps since the transfer began, and steps that it takes.
    geometry.setAttribute('span', new BufferAttribute(new Float32Array(this.links.length * 2).fill(1), 2).setUsage(DynamicDrawUsage));
    this.packets = points(geometry, PACKET_VERTEX, PACKET_FRAGMENT,
      {viewportHeight: 1, fraction: 0, ofStep: 0, stepTint: new Color(), longest: 1, others: 1, select: new Color(), stall: new Color(), back: new Color(),
        diameter: this.flat ? PACKET.flat : PACKET.solid, rim: 0.1},
      {depthTest: false, transparent: true});
    this.packets.renderOrder = 2;
    this.scene.add(this.packets);
  }

  /** Slow links are thicker: more strokes side by side. Lines have a width of one pixel in WebGL. */
  thicken(link, [start, halfway, again, end], lines) {
    const port = link % this.network.ports;
    const across = this.lane(port).normalize().multiplyScalar(SLOW_PITCH);
    for (let i = 1; i <= SLOW_STROKES; ++i) {
      const shift = (point) => point.clone().addScaledVector(across, i);
      if (again !== halfway) {
        lines.push(...shift(start), ...shift(halfway), ...shift(again), ...shift(end));
        this.strokes.push(link, link);
      } else {
        lines.push(...shift(start), ...shift(end));
        this.strokes.push(link);
      }
    }
  }

  groupColor(group) {
    return group < 0 ? this.theme.link : this.theme.groups[group % this.theme.groups.length];
  }

  applyTheme() {
    this.theme = {
      back: cssColor('--back'), link: cssColor('--link'), dead: cssColor('--dead'), low: cssColor('--node-low'), high: cssColor('--node-high'),
      select: cssColor('--select'), stall: cssColor('--stall'), groups: [0, 1, 2, 3, 4, 5, 6, 7].map((i) => cssColor(`--c${i}`)),
    };
    this.scene.background = this.theme.back;
    this.nodes.material.uniforms.low.value = this.theme.low;
    this.nodes.material.uniforms.high.value = this.theme.high;
    this.nodes.material.uniforms.dead.value = this.theme.dead;
    this.deadLines.material.color = this.theme.dead;
    this.packets.material.uniforms.select.value = this.theme.select;
    this.packets.material.uniforms.stall.value = this.theme.stall;
    this.packets.material.uniforms.back.value = this.theme.back;
    this.ring.material.uniforms.select.value = this.theme.select;
    this.colorLinks();
  }

  /** Draws every link in its group's colour; links of a trail in that of the selection, and all others faint. */
  colorLinks() {
    const groups = this.groups[this.slot];
    const colors = this.lines.geometry.getAttribute('color');
    const faint = new Color();
    this.strokes.forEach((link, i) => {
      let color = this.groupColor(groups[link]);
      if (this.trail.has(link)) color = this.theme.select;
      else if (this.trail.size > 0) color = faint.copy(color).lerp(this.theme.back, FAINT);
      colors.setXYZ(2 * i, color.r, color.g, color.b);
      colors.setXYZ(2 * i + 1, color.r, color.g, color.b);
    });
    colors.needsUpdate = true;
    const tints = this.packets.geometry.getAttribute('tint');
    this.links.forEach((link, i) => {
      const color = this.groupColor(groups[link]);
      tints.setXYZ(i, color.r, color.g, color.b);
    });
    tints.needsUpdate = true;
  }

  resetView() {
    const [nx, ny = 1, nz = 1] = this.network.dims;
    const centre = new Vector3((nx - 1) / 2, -(ny - 1) / 2, this.flat ? 0 : (nz - 1) / 2);
    this.controls.target.copy(centre);
    this.span = Math.max(nx, ny, nz) + 1.6;
    if (this.flat) {
      this.camera.position.set(centre.x, centre.y, 100);
      this.camera.zoom = 1;
      this.camera.near = 0.1;
      this.camera.far = 1000;
      this.halfWidth = (nx - 1) / 2 + STUB;
      this.halfHeight = (ny - 1) / 2 + STUB;
    } else {
      this.camera.position.copy(centre).add(new Vector3(0.75, 0.55, 1.25).multiplyScalar(this.span));
    }
    this.resize();
  }

  resize() {
    const {clientWidth: width, clientHeight: height} = this.container;
    if (!width || !height) return;
    this.renderer.setSize(width, height, false);
    if (this.flat) {
      let scale = Math.max(this.halfWidth / (width - 2 * MARGIN), this.halfHeight / (height - 2 * MARGIN));
      // A whole number of pixels from node to node: otherwise rows and columns interfere with the
      // pixels' grid.
      const pitch = this.renderer.getPixelRatio() / (2 * scale);
      if (pitch >= WHOLE_PIXELS) scale *= pitch / Math.floor(pitch);
      Object.assign(this.camera, {left: -scale * width, right: scale * width, top: scale * height, bottom: -scale * height});
    } else {
      this.camera.aspect = width / height;
    }
    this.camera.updateProjectionMatrix();
    const pixels = height * this.renderer.getPixelRatio();
    for (const object of [this.nodes, this.packets, this.ring]) object.material.uniforms.viewportHeight.value = pixels;
  }

  /** Takes the link contents of a step: needed once per step, not once per frame. */
  setStep(timeline, step, slot, followed) {
    const before = this.trail.size;
    this.trail = timeline.trail(followed, step);
    if (slot !== this.slot || before > 0 || this.trail.size > 0) {
      this.slot = slot;
      this.colorLinks();
    }
    const now = timeline.linksAt(step);
    const load = this.packets.geometry.getAttribute('load');
    const tints = this.packets.geometry.getAttribute('tint');
    const span = this.packets.geometry.getAttribute('span');
    let count = 0;
    this.links.forEach((link, i) => {
      const packet = now[link];
      if (packet === IDLE) {
        const waiting = timeline.waiting(link);
        load.setXYZW(i, waiting ? (waiting.packet === followed ? 4 : 3) : 0, 0, 1, 1);
        return;
      }
      ++count;
      span.setXY(i, timeline.elapsed(link), this.network.period(link));
      load.setXYZW(i, packet === followed ? 2 : 1, timeline.hop(link), timeline.isEnd(link) ? 1 : 0, timeline.part(link));
      if (!timeline.packetGroups) return;
      const color = this.groupColor(timeline.packetGroups.of(packet, timeline.flit(link)));
      tints.setXYZ(i, color.r, color.g, color.b);
    });
    load.needsUpdate = true;
    span.needsUpdate = true;
    if (timeline.packetGroups) tints.needsUpdate = true;
    this.packets.material.uniforms.longest.value = timeline.longestSend();
    // In a trace colours represent steps: a packet has the colour of its own step.
    this.packets.material.uniforms.ofStep.value = timeline.isColouredByStep ? 1 : 0;
    this.packets.material.uniforms.stepTint.value = this.groupColor(step - 1);
    this.packets.material.uniforms.others.value = followed >= 0 ? 0.5 : 1;
    this.packetsShown = count;
  }

  /** Colours the nodes by their share of `total`, received or queued; larger values count as `total`. Dead ones are grey. */
  setKnown(known, total) {
    const share = this.nodes.geometry.getAttribute('share');
    const {greyNodes} = this.network;
    this.shown.forEach((node, i) => { share.array[i] = greyNodes.has(node) ? -1 : Math.min(1, known[node] / total); });
    share.needsUpdate = true;
  }

  /** Draws the packets at a fraction of the way along their links. */
  render(fraction) {
    this.packets.material.uniforms.fraction.value = fraction;
    const at = this.position(this.selected);
    this.ring.visible = at !== undefined;
    if (at) {
      const position = this.ring.geometry.getAttribute('position');
      position.setXYZ(0, at.x, at.y, at.z);
      position.needsUpdate = true;
    }
    this.controls.update();
    this.renderer.render(this.scene, this.camera);
  }

  /** The node under a pointer event, or undefined. */
  pick(event) {
    const box = this.canvas.getBoundingClientRect();
    let nearest;
    let best = Math.max(14, this.flat ? (NODE.flat / 2) * this.pixelsPerUnit() : 0);
    for (const node of this.shown) {
      const {x, y} = this.clientPosition(node, box);
      const distance = Math.hypot(x - event.clientX, y - event.clientY);
      if (distance < best) {
        best = distance;
        nearest = node;
      }
    }
    return nearest;
  }

  pixelsPerUnit() {
    return (this.camera.zoom * this.container.clientHeight) / (this.camera.top - this.camera.bottom);
  }

  /** The position of a node, in client pixels; undefined outside the displayed slice. */
  clientPosition(node, box = this.canvas.getBoundingClientRect()) {
    const at = this.position(node);
    if (!at) return undefined;
    const projected = at.project(this.camera);
    return {x: box.left + ((projected.x + 1) / 2) * box.width, y: box.top + ((1 - projected.y) / 2) * box.height};
  }
}
