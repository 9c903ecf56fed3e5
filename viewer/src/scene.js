// SPDX-License-Identifier: Apache-2.0
// Draws one network: nodes, links, packets on their way.
import {
  BufferAttribute, BufferGeometry, CircleGeometry, Color, DynamicDrawUsage, InstancedMesh, LineBasicMaterial,
  LineSegments, Matrix4, MeshBasicMaterial, OrthographicCamera, PerspectiveCamera, Points,
  Raycaster, Scene, ShaderMaterial, SphereGeometry, Vector2, Vector3, WebGLRenderer,
} from 'three';
import {OrbitControls} from 'three/addons/controls/OrbitControls.js';
import {IDLE} from './timeline.js';

/** Sideways shift of a link, so that the two directions do not cover each other. */
const LANE = 0.09;
/** How far a wraparound link's stub reaches beyond the border. */
const STUB = 0.62;

function cssColor(name) {
  return new Color(getComputedStyle(document.documentElement).getPropertyValue(name).trim());
}

/** Round points of their own colours and sizes in pixels. */
function pointMaterial() {
  return new ShaderMaterial({
    transparent: true,
    depthTest: false,
    vertexShader: `
      attribute vec3 tint; attribute float extent; varying vec3 shade;
      void main() { shade = tint; gl_PointSize = extent;
        gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0); }`,
    fragmentShader: `
      varying vec3 shade;
      void main() { float r = length(gl_PointCoord - 0.5); if (r > 0.5) discard;
        gl_FragColor = vec4(r > 0.4 ? shade * 0.3 : shade, 1.0);
        #include <colorspace_fragment>
      }`,
  });
}

export class NetworkScene {
  /** groups: colour group of each link. */
  constructor(container, network, groups) {
    this.network = network;
    this.groups = groups;
    this.flat = network.dims.length <= 2;
    /** Fixed coordinates of the dimensions from 3 on. */
    this.slice = network.dims.map(() => 0);
    this.canvas = document.createElement('canvas');
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute('aria-label', 'The network; use the step controls and the node field below');
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

  /** Position of a node; undefined when it is not in the slice that is shown. */
  position(node) {
    const at = this.network.coordinates(node);
    for (let dim = 3; dim < at.length; ++dim) if (at[dim] !== this.slice[dim]) return undefined;
    return new Vector3(at[0], at[1] ?? 0, at[2] ?? 0);
  }

  direction(port) {
    const unit = [0, 0, 0];
    if (port >> 1 < 3) unit[port >> 1] = port & 1 ? 1 : -1;
    return new Vector3(...unit);
  }

  lane(port) {
    // The positive direction keeps to one side, the negative one to the other.
    const side = port & 1 ? LANE : -LANE;
    return port >> 1 === 0 ? new Vector3(0, side, 0) : new Vector3(-side, 0, 0);
  }

  build() {
    const {network} = this;
    this.scene.clear();
    this.shown = [];
    for (let node = 0; node < network.nodes; ++node) if (this.position(node)) this.shown.push(node);

    const shape = this.flat ? new CircleGeometry(0.2, 20) : new SphereGeometry(0.13, 14, 10);
    this.nodeMesh = new InstancedMesh(shape, new MeshBasicMaterial(), this.shown.length);
    const matrix = new Matrix4();
    this.shown.forEach((node, i) => {
      const at = this.position(node);
      this.nodeMesh.setMatrixAt(i, matrix.makeTranslation(at.x, at.y, at.z));
      this.nodeMesh.setColorAt(i, new Color(1, 1, 1));
    });
    this.scene.add(this.nodeMesh);

    // Where each link is drawn: start, and for a wraparound link the point where it enters again.
    const positions = [];
    this.linkStart = new Map();
    this.linkColors = [];
    for (const node of this.shown) {
      for (let port = 0; port < network.ports; ++port) {
        const link = node * network.ports + port;
        if (network.head[link] < 0 || port >> 1 >= 3) continue;
        const start = this.position(node).add(this.lane(port));
        const direction = this.direction(port);
        const end = this.position(network.head[link]).add(this.lane(port));
        const wrap = network.isWraparound(node, port);
        this.linkStart.set(link, {start, end, direction, wrap});
        if (wrap) {
          positions.push(...start.toArray(), ...start.clone().addScaledVector(direction, STUB).toArray());
          positions.push(...end.clone().addScaledVector(direction, -STUB).toArray(), ...end.toArray());
          this.linkColors.push(link, link);
        } else {
          positions.push(...start.toArray(), ...end.toArray());
          this.linkColors.push(link);
        }
      }
    }
    const lines = new BufferGeometry();
    lines.setAttribute('position', new BufferAttribute(new Float32Array(positions), 3));
    lines.setAttribute('color', new BufferAttribute(new Float32Array(positions.length), 3));
    this.lines = new LineSegments(lines, new LineBasicMaterial({vertexColors: true, transparent: true, opacity: 0.75}));
    this.scene.add(this.lines);

    this.links = [...this.linkStart.keys()];
    const capacity = this.links.length + 1;
    const points = new BufferGeometry();
    for (const [name, width] of [['position', 3], ['tint', 3], ['extent', 1]]) {
      points.setAttribute(name, new BufferAttribute(new Float32Array(capacity * width), width).setUsage(DynamicDrawUsage));
    }
    this.points = new Points(points, pointMaterial());
    this.points.frustumCulled = false;
    this.scene.add(this.points);

    const marker = new BufferGeometry();
    marker.setAttribute('position', new BufferAttribute(new Float32Array(3), 3));
    marker.setAttribute('tint', new BufferAttribute(new Float32Array(3), 3));
    marker.setAttribute('extent', new BufferAttribute(new Float32Array([20]), 1));
    this.marker = new Points(marker, pointMaterial());
    this.marker.frustumCulled = false;
    this.scene.add(this.marker);
    this.applyTheme();
  }

  groupColor(group) {
    return group < 0 ? this.theme.link : this.theme.groups[group % this.theme.groups.length];
  }

  applyTheme() {
    this.theme = {
      back: cssColor('--back'), link: cssColor('--link'), low: cssColor('--node-low'), high: cssColor('--node-high'),
      select: cssColor('--select'), groups: [0, 1, 2, 3, 4, 5, 6, 7].map((i) => cssColor(`--c${i}`)),
    };
    this.scene.background = this.theme.back;
    const colors = this.lines.geometry.getAttribute('color');
    this.linkColors.forEach((link, i) => {
      const color = this.groupColor(this.groups[link]);
      colors.setXYZ(2 * i, color.r, color.g, color.b);
      colors.setXYZ(2 * i + 1, color.r, color.g, color.b);
    });
    colors.needsUpdate = true;
  }

  resetView() {
    const [nx, ny = 1, nz = 1] = this.network.dims;
    const centre = new Vector3((nx - 1) / 2, (ny - 1) / 2, this.flat ? 0 : (nz - 1) / 2);
    this.controls.target.copy(centre);
    this.span = Math.max(nx, ny, nz) + 1.6;
    if (this.flat) {
      this.camera.position.set(centre.x, centre.y, 100);
      this.camera.zoom = 1;
      this.camera.near = 0.1;
      this.camera.far = 1000;
      this.halfWidth = (nx + 1.6) / 2;
      this.halfHeight = (ny + 1.6) / 2;
    } else {
      this.camera.position.copy(centre).add(new Vector3(0.75, 0.55, 1.25).multiplyScalar(this.span));
    }
    this.resize();
  }

  resize() {
    const {clientWidth: width, clientHeight: height} = this.canvas.parentElement;
    if (!width || !height) return;
    this.renderer.setSize(width, height, false);
    if (this.flat) {
      const scale = Math.max(this.halfWidth / width, this.halfHeight / height);
      Object.assign(this.camera, {left: -scale * width, right: scale * width, top: scale * height, bottom: -scale * height});
      this.pixelsPerUnit = 1 / (2 * scale);
    } else {
      this.camera.aspect = width / height;
      this.pixelsPerUnit = height / (this.span * 1.4);
    }
    this.camera.updateProjectionMatrix();
  }

  /** Puts the packets of one step a fraction of the way along their links. */
  show(links, fraction, known, total, followed) {
    const {theme} = this;
    const color = new Color();
    this.shown.forEach((node, i) => {
      color.copy(theme.low).lerp(theme.high, Math.min(1, known[node] / total));
      this.nodeMesh.setColorAt(i, color);
    });
    this.nodeMesh.instanceColor.needsUpdate = true;

    const position = this.points.geometry.getAttribute('position');
    const tint = this.points.geometry.getAttribute('tint');
    const extent = this.points.geometry.getAttribute('extent');
    const zoom = this.flat ? this.camera.zoom : 1;
    const size = Math.max(3, Math.min(16, 0.17 * this.pixelsPerUnit * zoom * 2)) * this.renderer.getPixelRatio();
    let count = 0;
    for (const link of this.links) {
      const packet = links[link];
      if (packet === IDLE) continue;
      const {start, end, direction, wrap} = this.linkStart.get(link);
      let x, y, z;
      if (!wrap) {
        x = start.x + (end.x - start.x) * fraction;
        y = start.y + (end.y - start.y) * fraction;
        z = start.z + (end.z - start.z) * fraction;
      } else {
        const base = fraction < 0.5 ? start : end;
        const along = fraction < 0.5 ? 2 * STUB * fraction : 2 * STUB * (fraction - 1);
        x = base.x + direction.x * along;
        y = base.y + direction.y * along;
        z = base.z + direction.z * along;
      }
      const isFollowed = packet === followed;
      const shade = isFollowed ? theme.select : this.groupColor(this.groups[link]);
      position.setXYZ(count, x, y, z);
      tint.setXYZ(count, shade.r, shade.g, shade.b);
      extent.setX(count, followed >= 0 ? (isFollowed ? 1.5 * size : 0.5 * size) : size);
      ++count;
    }
    for (const attribute of [position, tint, extent]) attribute.needsUpdate = true;
    this.points.geometry.setDrawRange(0, count);
    this.packetsShown = count;

    const at = this.position(this.selected);
    this.marker.visible = at !== undefined;
    if (at) {
      this.marker.geometry.getAttribute('position').setXYZ(0, at.x, at.y, at.z);
      this.marker.geometry.getAttribute('tint').setXYZ(0, theme.select.r, theme.select.g, theme.select.b);
      this.marker.geometry.getAttribute('extent').setX(0, 0.9 * size);
      for (const attribute of Object.values(this.marker.geometry.attributes)) attribute.needsUpdate = true;
    }
    this.controls.update();
    this.renderer.render(this.scene, this.camera);
  }

  /** The node under a pointer event, or undefined. */
  pick(event) {
    const box = this.canvas.getBoundingClientRect();
    const pointer = new Vector2(
      ((event.clientX - box.left) / box.width) * 2 - 1, 1 - ((event.clientY - box.top) / box.height) * 2);
    const ray = new Raycaster();
    ray.setFromCamera(pointer, this.camera);
    const hit = ray.intersectObject(this.nodeMesh)[0];
    return hit ? this.shown[hit.instanceId] : undefined;
  }

  /** Where a node is drawn, in client pixels; for tests and for people who point. */
  clientPosition(node) {
    const at = this.position(node);
    if (!at) return undefined;
    const box = this.canvas.getBoundingClientRect();
    const projected = at.project(this.camera);
    return {x: box.left + ((projected.x + 1) / 2) * box.width, y: box.top + ((1 - projected.y) / 2) * box.height};
  }
}
