// SPDX-License-Identifier: Apache-2.0
// The page: one or two plans, one clock, controls, details of a node and of a packet.
import {drawChart} from './charts.js';
import {Network, portName} from './network.js';
import {NetworkScene} from './scene.js';
import {IDLE, Timeline, feedGroups} from './timeline.js';

const byId = (id) => document.getElementById(id);
const SERIES_COLORS = ['--c0', '--c1'];

class PlanView {
  constructor(document_, index) {
    this.plan = document_.plan;
    this.network = new Network(this.plan.topology);
    this.timeline = new Timeline(this.network, this.plan, document_.trace);
    if (document_.trace) {
      // Without feed tables a link's colour is the step in which the packet first crosses it.
      this.groups = new Int32Array(this.network.links).fill(-1);
      for (const [step, , from, port] of document_.trace) {
        const link = from * this.network.ports + port;
        if (this.groups[link] < 0) this.groups[link] = step - 1;
      }
      this.groupName = (i) => `Step ${i + 1}`;
      this.groupCount = this.timeline.steps;
    } else {
      const {groups, count} = feedGroups(this.network, this.plan);
      this.groups = groups;
      this.groupCount = count;
      const name = this.plan.algorithm === 'hamiltonian' ? 'Hamiltonian cycle' : 'Feed path';
      this.groupName = (i) => `${name} ${i + 1}`;
    }
    this.element = document.createElement('div');
    this.element.className = 'view';
    byId('views').append(this.element);
    this.scene = new NetworkScene(this.element, this.network, this.groups);
    this.title = document.createElement('div');
    this.title.className = 'title';
    this.element.append(this.title);
    this.index = index;
    this.addSlices();
  }

  get name() {
    const {collective, algorithm, topology} = this.plan;
    return `${collective} (${algorithm}) on a ${topology.dims.join('x')} ${topology.kind}`;
  }

  addSlices() {
    if (this.network.dims.length <= 3) return;
    const box = document.createElement('div');
    box.className = 'slices';
    for (let dim = 3; dim < this.network.dims.length; ++dim) {
      const label = document.createElement('label');
      const input = Object.assign(document.createElement('input'), {
        type: 'number', min: 0, max: this.network.dims[dim] - 1, value: 0,
      });
      input.addEventListener('input', () => {
        this.scene.slice[dim] = Math.max(0, Math.min(this.network.dims[dim] - 1, Number(input.value)));
        this.scene.build();
        draw();
      });
      label.append(`${portName(2 * dim).slice(0, -1)} = `, input);
      box.append(label, ' ');
    }
    this.element.append(box);
  }
}

const views = JSON.parse(byId('plans').textContent).map((document_, i) => new PlanView(document_, i));
const lastStep = Math.max(...views.map((view) => view.timeline.steps));
/** The clock, in steps: 3.25 is a quarter of the way through step 4. */
let clock = 0;
let playing = false;
let followed = -1;
let lastFrame = 0;

function available() {
  return Math.min(...views.map((v) => (v.timeline.ready >= v.timeline.steps ? lastStep : v.timeline.ready)));
}

/** Step under way (the one that ends next) and how far it is. */
function stepAndFraction(view) {
  const end = view.timeline.steps;
  const at = Math.min(clock, end);
  const step = Math.min(end, Math.max(1, Math.ceil(at)));
  return {step, fraction: clock === 0 ? 0 : at - (step - 1)};
}

function setClock(value) {
  clock = Math.max(0, Math.min(lastStep, Math.min(value, available())));
  draw();
}

function draw() {
  for (const view of views) {
    const {step, fraction} = stepAndFraction(view);
    const links = view.timeline.linksAt(step);
    const done = Math.floor(Math.min(clock, view.timeline.steps) + 1e-9);
    const {counts} = view.timeline.countsAt(done);
    view.scene.show(links, fraction, counts, view.timeline.total, followed);
    const share = (100 * view.timeline.coverage[Math.min(done, view.timeline.ready)]).toFixed(1);
    view.title.textContent = views.length > 1 ? view.name : '';
    const span = document.createElement('span');
    span.textContent = ` step ${done} of ${view.timeline.steps}, ${share} % delivered`;
    view.title.append(span);
  }
  byId('step').textContent = `step ${Math.floor(clock + 1e-9)} of ${lastStep}`;
  byId('scrub').value = String(Math.floor(clock + 1e-9));
  byId('play').textContent = playing ? 'Pause' : 'Play';
  drawCharts();
  drawNode();
  drawPacket();
}

function drawCharts() {
  const series = (key) => views.map((view, i) => ({
    values: view.timeline[key], ready: view.timeline.ready, color: SERIES_COLORS[i],
  }));
  drawChart(byId('coverage'), series('coverage'), lastStep, clock);
  const load = series('load').map((one) => ({...one, values: withoutStart(one.values)}));
  drawChart(byId('load'), load, lastStep, clock);
}

/** Before the first step there is no load: let the curve start at the first step's. */
function withoutStart(values) {
  const copy = values.slice();
  if (copy.length > 1) copy[0] = copy[1];
  return copy;
}

function cell(row, text) {
  const element = row.insertCell();
  element.textContent = text;
  return element;
}

/** What the selected node's ports are told, and what they carry now. */
function drawNode() {
  const view = views[0];
  const node = Number(byId('node').value);
  const {network, plan, timeline} = view;
  byId('node-at').textContent = `at (${network.coordinates(node).join(', ')})`;
  const {counts, step: countedStep} = timeline.countsAt(Math.floor(clock + 1e-9));
  const packets = timeline.total;
  byId('node-known').textContent =
    `knows ${Math.min(counts[node], packets)} of ${packets} packets after step ${countedStep}`;
  const table = byId('node-table');
  const head = table.tHead.rows[0];
  const body = table.tBodies[0];
  body.replaceChildren();
  const heads = timeline.trace ? ['step', 'out-port', 'packet'] : ['out-port', 'fed by', 'sends first', 'now'];
  head.replaceChildren(...heads.map((text) => Object.assign(document.createElement('th'), {textContent: text})));
  if (timeline.trace) {
    for (const [step, hop, from, port, packet] of timeline.trace.rows) {
      if (from !== node) continue;
      const row = body.insertRow();
      cell(row, hop ? `${step} (hop ${hop})` : step);
      cell(row, portName(port));
      cell(row, packet);
    }
    return;
  }
  const {step} = stepAndFraction(view);
  const links = timeline.linksAt(step);
  for (let port = 0; port < network.ports; ++port) {
    const link = node * network.ports + port;
    if (network.head[link] < 0) continue;
    const entry = plan.program.ports[plan.program.table[node][port]];
    const row = body.insertRow();
    const name = cell(row, '');
    const swatch = document.createElement('span');
    swatch.className = 'swatch';
    swatch.style.background = view.groups[link] < 0 ? 'var(--link)' : `var(--c${view.groups[link] % 8})`;
    name.append(swatch, portName(port));
    const early = entry.switch_step ? `${entry.early_feed.join(' ') || '-'} until step ${entry.switch_step - 1}, then ` : '';
    cell(row, early + (entry.feed.join(' ') || '-'));
    cell(row, entry.preload.map((c) => node * plan.program.packets_per_node + c).join(' ') || '-');
    cell(row, links[link] === IDLE ? '-' : links[link]);
  }
}

function drawPacket() {
  if (followed < 0) {
    byId('packet-at').textContent = '';
    return;
  }
  const view = views[0];
  const links = view.timeline.linksAt(stepAndFraction(view).step);
  const places = [];
  for (let link = 0; link < links.length; ++link) if (links[link] === followed) places.push(link);
  const {ports} = view.network;
  const shown = places.slice(0, 6).map((link) => `${Math.floor(link / ports)} by ${portName(link % ports)}`);
  const origin = view.timeline.packetsPerNode ? `of node ${Math.floor(followed / view.timeline.packetsPerNode)}: ` : '';
  byId('packet-at').textContent =
    `${origin}${places.length ? `leaves ${shown.join(', ')}${places.length > 6 ? ' ...' : ''}` : 'on no link in this step'}`;
}

function drawLegend() {
  const view = views[0];
  const legend = byId('legend');
  for (let i = 0; i < Math.min(8, view.groupCount); ++i) {
    const row = document.createElement('div');
    const swatch = document.createElement('span');
    swatch.className = 'swatch';
    swatch.style.background = `var(--c${i})`;
    row.append(swatch, view.groupName(i));
    legend.append(row);
  }
  const note = document.createElement('small');
  note.textContent = 'A node darkens (lightens in dark mode) as it learns. Packets on a wraparound link leave over ' +
    'the border and come in at the opposite side.';
  legend.append(note);
}

function select(node) {
  const last = views[0].network.nodes - 1;
  const chosen = Math.max(0, Math.min(last, Math.floor(node) || 0));
  byId('node').value = String(chosen);
  for (const view of views) view.scene.selected = Math.min(chosen, view.network.nodes - 1);
  draw();
}

function follow(packet) {
  const total = views[0].timeline.packetsPerNode ? views[0].timeline.packets : 1;
  followed = Number.isInteger(packet) && packet >= 0 && packet < total ? packet : -1;
  byId('packet').value = followed < 0 ? '' : String(followed);
  draw();
}

function play(on) {
  playing = on;
  if (on && clock >= lastStep) clock = 0;
  lastFrame = performance.now();
  draw();
  if (on) requestAnimationFrame(frame);
}

function frame(now) {
  if (!playing) return;
  const speed = Number(byId('speed').value);
  const next = clock + ((now - lastFrame) / 1000) * speed;
  lastFrame = now;
  setClock(next);
  if (clock >= lastStep) play(false);
  else requestAnimationFrame(frame);
}

function stepBy(steps) {
  playing = false;
  setClock(Math.round(steps < 0 ? Math.ceil(clock - 1e-9) : Math.floor(clock + 1e-9)) + steps);
}

function changeSpeed(by) {
  const speed = byId('speed');
  speed.selectedIndex = Math.max(0, Math.min(speed.options.length - 1, speed.selectedIndex + by));
}

function onKey(event) {
  if (event.target instanceof HTMLInputElement && event.target.type === 'number') return;
  if (event.target instanceof HTMLSelectElement || event.ctrlKey || event.metaKey || event.altKey) return;
  const keys = {
    ' ': () => play(!playing), ArrowLeft: () => stepBy(-1), ArrowRight: () => stepBy(1),
    Home: () => { playing = false; setClock(0); }, End: () => { playing = false; setClock(lastStep); },
    '+': () => changeSpeed(1), '-': () => changeSpeed(-1),
    f: () => follow(Number(byId('node').value) * Math.max(1, views[0].timeline.packetsPerNode)),
    0: () => { for (const view of views) view.scene.resetView(); draw(); },
  };
  const action = keys[event.key] ?? keys[event.key.toLowerCase()];
  if (!action) return;
  // A focused button would take the space bar as a click of its own.
  if (event.key === ' ' && event.target instanceof HTMLButtonElement) event.target.blur();
  event.preventDefault();
  action();
}

function connect() {
  byId('heading').textContent = views.map((view) => view.name).join('  /  ');
  document.title = `Gossamer: ${views[0].name}`;
  byId('figures').textContent = views.map(({plan}) => {
    const {analytic_steps: steps, lower_bound_steps: lower, queue_depth: depth} = plan.expected;
    return `${steps ?? '?'} steps by the formula, lower bound ${lower ?? '?'}, queue depth ${depth}`;
  }).join('  /  ');
  byId('scrub').max = String(lastStep);
  byId('node').max = String(views[0].network.nodes - 1);
  byId('scrub').addEventListener('input', (event) => { playing = false; setClock(Number(event.target.value)); });
  byId('first').addEventListener('click', () => { playing = false; setClock(0); });
  byId('last').addEventListener('click', () => { playing = false; setClock(lastStep); });
  byId('back').addEventListener('click', () => stepBy(-1));
  byId('forward').addEventListener('click', () => stepBy(1));
  byId('play').addEventListener('click', () => play(!playing));
  byId('node').addEventListener('input', (event) => select(Number(event.target.value)));
  byId('packet').addEventListener('input', (event) => follow(event.target.value === '' ? -1 : Number(event.target.value)));
  byId('unfollow').addEventListener('click', () => follow(-1));
  document.addEventListener('keydown', onKey);
  for (const view of views) {
    let down;
    view.scene.canvas.addEventListener('pointerdown', (event) => { down = [event.clientX, event.clientY]; });
    view.scene.canvas.addEventListener('click', (event) => {
      // The end of a drag is no click.
      if (down && Math.hypot(event.clientX - down[0], event.clientY - down[1]) > 4) return;
      const node = view.scene.pick(event);
      if (node !== undefined) select(node);
    });
    view.scene.controls.addEventListener('change', () => { if (!playing) requestAnimationFrame(draw); });
  }
  addEventListener('resize', () => { for (const view of views) view.scene.resize(); draw(); });
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
    for (const view of views) view.scene.applyTheme();
    draw();
  });
}

let lastDraw = 0;

/** Computes what is not known yet, a little at a time; the charts follow a few times a second. */
function background() {
  let busy = false;
  for (const view of views) busy = !view.timeline.compute(playing ? 8 : 40) || busy;
  if (!playing && (!busy || performance.now() - lastDraw > 500)) {
    draw();
    lastDraw = performance.now();
  }
  if (busy) setTimeout(background, 0);
}

connect();
drawLegend();
for (const view of views) view.scene.resize();
background();

// Read-only window for tests: what is shown.
window.gossamer = {
  get clock() { return clock; },
  get ready() { return available() >= lastStep; },
  get lastStep() { return lastStep; },
  get followed() { return followed; },
  linksShown: (i = 0) => Array.from(views[i].timeline.linksAt(stepAndFraction(views[i]).step)),
  packetsShown: (i = 0) => views[i].scene.packetsShown,
  coverage: (i = 0) => Array.from(views[i].timeline.coverage),
  clientPosition: (node, i = 0) => views[i].scene.clientPosition(node),
};
