// SPDX-License-Identifier: Apache-2.0
// The page: one or two plans, one clock, controls, details of a node and of a packet.
import {drawChart} from './charts.js';
import {DynamicRun} from './dynamic.js';
import {linkGroups} from './groups.js';
import {IDLE} from './machine.js';
import {Network, nodeGroups, portName, slotName} from './network.js';
import {NetworkScene, NoScene, hasWebGL} from './scene.js';
import {Timeline} from './timeline.js';

const byId = (id) => document.getElementById(id);

function child(parent, tag, className) {
  const element = document.createElement(tag);
  element.className = className;
  parent.append(element);
  return element;
}

/** Number of queued packets at which a node of a dynamic broadcast is darkest. */
const QUEUE_SHADES = 4;

/** Options that users give, which tell two plans of one algorithm apart. */
const OPTIONS = ['packets', 'words', 'operation', 'groups', 'flits', 'slots', 'link-latency', 'timing', 'seed'];

class PlanView {
  constructor(document_) {
    this.plan = document_.plan;
    this.network = new Network(this.plan.topology);
    this.frame = this.plan.program?.frame ?? 1;
    this.timeline = new Timeline(this.network, document_, () => onProgress(this));
    /** The run of a dynamic broadcast; undefined for other plans. */
    this.dynamic = document_.dynamic && new DynamicRun(document_.dynamic);
    /** The cost of the plan's message, as text; undefined without a message. */
    this.message = document_.message;
    /** The stall script of an elastic run. */
    this.stall = document_.stall;
    this.waiting = this.dynamic?.queued(this.timeline.steps);
    this.groups = linkGroups(this.network, document_);
    this.element = child(byId('views'), 'div', 'view');
    this.title = child(this.element, 'div', 'title');
    this.drawing = child(this.element, 'div', 'drawing');
    this.tip = child(this.element, 'div', 'tip');
    this.addSlices();
    this.scene = new (hasWebGL() ? NetworkScene : NoScene)(this.drawing, this.network, this.groups.slots);
  }

  /** The collective by its field's name, the algorithm, the root and the network. */
  get heading() {
    return this.nameWith([]);
  }

  /** The heading and, of two plans, the options that differ. */
  get name() {
    const [mine, others] = [this.plan.parameters, this.other?.plan.parameters];
    const differs = (key) => mine?.[key] !== undefined && mine[key] !== others?.[key];
    return this.nameWith(this.other ? OPTIONS.filter(differs).map((key) => `${key} ${mine[key]}`) : []);
  }

  nameWith(options) {
    const {collective, algorithm, topology, demand, groups} = this.plan;
    const facts = [algorithm];
    if (groups) {
      const stride = groups.stride.some((step) => step > 1) ? ` stride ${groups.stride.join('x')}` : '';
      facts.push(`groups ${groups.shape.join('x')}${stride}`);
    }
    const root = demand?.root;
    if (root != null && groups) facts.push(`${demand.from === 'root' ? 'from' : 'to'} rank ${root}`);
    else if (root != null) facts.push(`${demand.from === 'root' ? 'from' : 'to'} node ${this.network.coordinates(root).join(',')}`);
    facts.push(...options);
    const name = `${collective === 'gossip' ? 'all-gather' : collective} (${facts.join(', ')}), ${topology.dims.join('x')} ${topology.kind}`;
    return this.letter ? `${this.letter}: ${name}` : name;
  }

  /** The current step (the next to end), its progress, and the last step that has ended. */
  moment() {
    const at = Math.min(clock, this.timeline.steps);
    const step = at === 0 ? 0 : Math.min(this.timeline.steps, Math.ceil(at - 1e-9));
    return {step, fraction: step === 0 ? 0 : Math.min(1, at - (step - 1)), done: Math.floor(at + 1e-9)};
  }

  slotOf(step) {
    return (Math.max(1, step) - 1) % this.groups.slots.length;
  }

  addSlices() {
    if (this.network.dims.length <= 3) return;
    const box = child(this.element, 'div', 'slices');
    box.append('Slice ');
    for (let dim = 3; dim < this.network.dims.length; ++dim) {
      const label = child(box, 'label', '');
      const input = Object.assign(document.createElement('input'), {
        type: 'number', min: 0, max: this.network.dims[dim] - 1, value: 0,
      });
      input.addEventListener('input', () => {
        this.scene.slice[dim] = Math.max(0, Math.min(this.network.dims[dim] - 1, Math.floor(Number(input.value)) || 0));
        this.scene.build();
        this.scene.resize();
        this.shownStep = -1;
        draw();
      });
      label.append(`${portName(2 * dim).slice(0, -1)} = `, input);
    }
  }

  /** "knows 5 of 32 packets" */
  knows(count) {
    return `${this.timeline.pairs ? 'has met' : 'knows'} ${count} of ${this.timeline.packets} ${this.dynamic?.parts > 1 ? 'parts of packets' : this.timeline.pieces}`;
  }

  describe(node) {
    const known = this.timeline.countsAt(this.moment().done);
    const queued = this.dynamic ? `, ${this.dynamic.queuedAt(this.moment().done, this.network.nodes)[node]} packets queued` : '';
    const knows = known ? `: ${this.knows(known.counts[node])}${queued}` : '';
    const groups = nodeGroups(this.network, this.plan.groups);
    const member = groups ? `, rank ${groups.rank(node)} of group ${groups.of(node)}` : '';
    return `Node ${node} (${this.network.coordinates(node).join(', ')})${member}${knows}`;
  }
}

/** The clock, in steps: 3.25 is a quarter of the way through step 4. */
let clock = 0;
let playing = false;
let followed = -1;
let lastFrame = 0;
/** A part that is drawn once per step has changed within the step. */
let stale = true;
let drawRequested = false;
let progressShown = 0;
const views = JSON.parse(byId('plans').textContent).map((document_) => new PlanView(document_));
if (views.length > 1) {
  views.forEach((view, i) => Object.assign(view, {letter: 'AB'[i], other: views[1 - i]}));
}
const unit = views.every((view) => view.timeline.isElastic) ? 'cycle' : 'step';
const lastStep = Math.max(...views.map((view) => view.timeline.steps));
/** The largest number of waiting packets; 0 without dynamic broadcasts. */
const mostWaiting = views.reduce((most, {waiting}) => (waiting ? waiting.reduce((a, b) => Math.max(a, b), most) : most), 0);
/** The plan in the panel: the one clicked last. */
let active = views[0];

/** The clock does not run ahead of the computation, which is far faster than the animation. */
function available() {
  return Math.min(...views.map((v) => (v.timeline.ready >= v.timeline.steps ? lastStep : Math.max(0, v.timeline.ready))));
}

function setClock(value) {
  clock = Math.max(0, Math.min(value, available(), lastStep));
  draw();
}

/** The figures follow the computation a few times a second; the drawing does not depend on it. */
function onProgress(view) {
  const {timeline} = view;
  if (!view.hasCounts) {
    view.hasCounts = true;
    stale = true;
    requestDraw();
  } else if (timeline.ready >= timeline.steps || performance.now() - progressShown > 250) {
    progressShown = performance.now();
    drawTitles();
    drawCharts();
  }
}

function requestDraw() {
  if (drawRequested) return;
  drawRequested = true;
  requestAnimationFrame(() => {
    drawRequested = false;
    draw();
  });
}

function draw() {
  let changed = stale;
  for (const view of views) {
    const {step, fraction, done} = view.moment();
    if (stale || view.shownStep !== step || view.shownDone !== done) {
      changed = true;
      view.shownStep = step;
      view.shownDone = done;
      view.scene.setStep(view.timeline, step, view.slotOf(step), followed);
      view.stalled = view.timeline.stalled();
      const known = view.timeline.countsAt(done);
      if (view.dynamic) view.scene.setKnown(view.dynamic.queuedAt(done, view.network.nodes), QUEUE_SHADES);
      else if (known) view.scene.setKnown(known.counts, view.timeline.packets);
    }
    view.scene.render(fraction);
  }
  if (!changed) return;
  stale = false;
  drawTitles();
  drawCharts();
  drawNode();
  showRowOfNow();
  drawPacket();
}

function drawTitles() {
  for (const view of views) {
    const {done} = view.moment();
    const {timeline} = view;
    if (view.tip.style.display === 'block') view.tip.textContent = view.describe(view.tipNode);
    view.title.textContent = views.length > 1 ? `${view.name} ` : '';
    const share = timeline.ready >= done ? `${(100 * timeline.coverage[done]).toFixed(1)} % delivered` : 'computing';
    const distance = view.plan.collective === 'broadcast' && timeline.ready >= done
      ? `, total communication distance so far ${timeline.transfers[done]}` : '';
    const stalled = timeline.isElastic ? `, ${view.stalled} links stalled` : '';
    child(view.title, 'span', '').textContent = `${timeline.unit} ${done} of ${timeline.steps}, ${share}${distance}${stalled}`;
    // On a separate line: the height of the drawing does not depend on the text.
    if (view.dynamic) child(child(view.title, 'div', ''), 'span', '').textContent = view.dynamic.describe(done);
  }
  byId('step').textContent = `${unit} ${Math.floor(clock + 1e-9)} of ${lastStep}`;
  byId('scrub').value = String(Math.floor(clock + 1e-9));
  byId('play').textContent = playing ? 'Pause' : 'Play';
  const ready = available();
  byId('ready').textContent = ready < lastStep ? `computed up to ${unit} ${ready}` : '';
}

function drawCharts() {
  const series = (key, start) => views.map(({timeline, letter}) => ({values: timeline[key], start, ready: timeline.ready, letter}));
  drawChart(byId('coverage'), series('coverage', 0), lastStep, clock);
  // Before the first step there is no load.
  drawChart(byId('load'), series('load', 1), lastStep, clock);
  if (mostWaiting) {
    drawChart(byId('waiting'), views.filter((view) => view.waiting)
      .map(({waiting, timeline, letter}) => ({values: waiting, start: 1, ready: timeline.steps, letter, dashed: views.length > 1 && views[1].waiting === waiting})),
    lastStep, clock, mostWaiting);
  }
}

function cell(row, text) {
  const element = row.insertCell();
  element.textContent = text;
  return element;
}

/** A long table shows the rows of the current step. */
function showRowOfNow() {
  const row = byId('node-table').querySelector('tr.now');
  if (row) byId('node-rows').scrollTop = row.offsetTop - 3 * row.offsetHeight;
}

/** The node whose table is displayed; a table of a trace or of arrivals is the same in every step. */
let listed = {};

/** The details of the selected node. */
function drawNode() {
  const {network, timeline} = active;
  const node = active.scene.selected;
  const {step, done} = active.moment();
  byId('node-heading').textContent = views.length > 1 ? `Node (plan ${active.letter})` : 'Node';
  byId('node').max = String(network.nodes - 1);
  const state = network.deadNodes.has(node) ? ', dead' : network.greyNodes.has(node) ? ', its core is dead' : '';
  byId('node-at').textContent = `at (${network.coordinates(node).join(', ')})${state}`;
  const known = timeline.countsAt(done);
  byId('node-known').textContent = known
    ? `${active.knows(known.counts[node])} after ${timeline.unit} ${known.step}${metBy(active, node)}` : '';
  const table = byId('node-table');
  const body = table.tBodies[0];
  const isFixed = active.dynamic || timeline.isTrace;
  if (!isFixed || listed.view !== active || listed.node !== node) {
    listed = {view: active, node};
    body.replaceChildren();
    const fill = active.dynamic ? fillArrivals : timeline.isTrace ? fillSends : fillPorts;
    table.tHead.rows[0].replaceChildren(
      ...fill(body, node, step).map((text) => Object.assign(document.createElement('th'), {textContent: text})));
  }
  const now = active.dynamic ? active.dynamic.intervalAt(step) : step;
  for (const row of body.rows) row.classList.toggle('now', row.when === now);
}

/** The pairs of blocks that a node of a matrix product has met, as text; empty for other plans. */
function metBy(view, node) {
  const {network, timeline} = view;
  if (!timeline.pairs) return '';
  const [x, y] = network.coordinates(node);
  return `: A(${y}, k), B(k, ${x}) with k = ${timeline.metAt(node, view.moment().done).join(', ')}`;
}

/** A dynamic broadcast's packets of the node; returns the columns' heads. */
function fillArrivals(body, node) {
  const {parts} = active.dynamic;
  for (const {number, node: owner, arrival, interval, start, end, delay} of active.dynamic.packets) {
    if (owner !== node) continue;
    const row = body.insertRow();
    if (interval >= 0) row.when = interval;
    cell(row, interval < 0 ? '-' : parts > 1 ? `${number * parts} to ${(number + 1) * parts - 1}` : number);
    cell(row, arrival.toFixed(2));
    cell(row, interval < 0 ? 'later' : `${start.toFixed(2)} to ${end.toFixed(2)}`);
    cell(row, interval < 0 ? '-' : delay.toFixed(2));
  }
  if (!body.rows.length) cell(body.insertRow(), 'none in what is shown').colSpan = 4;
  return ['packet', 'arrives', 'broadcast', 'delay'];
}

/** The node's sends in the whole trace; returns the columns' heads. */
function fillSends(body, node) {
  const {timeline} = active;
  const {terms, flits, since} = timeline.machine;
  for (const {row: at, step: sent, hop, port, packet} of timeline.machine.sentBy(node)) {
    const row = body.insertRow();
    row.when = sent;
    cell(row, hop ? `${sent} (hop ${hop})` : sent);
    cell(row, portName(port));
    cell(row, timeline.nameOf(packet));
    if (terms) cell(row, `${terms[at]} of ${timeline.contributors}`);
    if (!timeline.isElastic) continue;
    cell(row, flits[at]);
    cell(row, sent - since[at] || '');
  }
  return [timeline.unit, 'out-port', 'packet', ...(terms ? ['sum of'] : []), ...(timeline.isElastic ? ['flit', 'waited'] : [])];
}

/** The configuration of the node's ports, and their present packets; returns the columns' heads. */
function fillPorts(body, node, step) {
  const {network, plan, timeline, frame} = active;
  const links = timeline.linksAt(step);
  for (let port = 0; port < network.ports; ++port) {
    const link = node * network.ports + port;
    if (network.isDead(link)) {
      const row = body.insertRow();
      for (const text of [portName(port), 'dead', '-', '-']) cell(row, text);
    }
    if (network.head[link] < 0) continue;
    for (let slot = 0; slot < frame; ++slot) {
      const entry = plan.program.ports[plan.program.table[node][port * frame + slot]];
      const row = body.insertRow();
      const name = cell(row, '');
      const group = active.groups.slots[slot][link];
      child(name, 'span', 'swatch').style.background = group < 0 ? 'var(--link)' : `var(--c${group % 8})`;
      name.append(slotName(port, slot, frame));
      const early = entry.switch_step ? `${entry.early_feed.join(' ') || '-'} until step ${entry.switch_step - 1}, then ` : '';
      cell(row, early + (entry.feed.join(' ') || '-'));
      cell(row, entry.preload.map((own) => node * timeline.packetsPerNode + own).join(' ') || '-');
      cell(row, slot !== active.slotOf(step) || links[link] === IDLE ? '-' : links[link]);
    }
  }
  return ['out-port', 'fed by', 'sends first', 'now'];
}

/** Where the followed packet is in this step. */
function drawPacket() {
  if (followed < 0) {
    byId('packet-at').textContent = '';
    return;
  }
  const {network, timeline} = active;
  const links = timeline.linksAt(active.moment().step);
  const places = [];
  for (let link = 0; link < links.length; ++link) if (links[link] === followed) places.push(link);
  const shown = places.slice(0, 6).map((link) => `${Math.floor(link / network.ports)} by ${portName(link % network.ports)}`);
  const origin = active.dynamic ? `${active.dynamic.story(followed)}: ` : timeline.pairs ? `${timeline.nameOf(followed)}: ` : timeline.packetsPerNode ? `of node ${Math.floor(followed / timeline.packetsPerNode)}: ` : '';
  const where = places.length ? `leaves ${shown.join(', ')}${places.length > 6 ? ' ...' : ''}` : `on no link in this ${timeline.unit}`;
  byId('packet-at').textContent = origin + where;
}

/** The colours of a view's links and flits. */
function colours({groups, timeline}) {
  const named = Math.min(8, groups.count);
  const rows = Array.from({length: named}, (_, i) => ({colour: `var(--c${i})`, text: groups.name(i)}));
  if (timeline.isElastic) rows.push({text: 'A flit that could have been taken, and waits'});
  if (groups.count > named) rows.push({none: true, text: `and ${groups.count - named} more, in the same colours`});
  return rows;
}

/** Sentences on what a view draws. */
function notesOn({network, timeline, dynamic, plan}) {
  const notes = [dynamic ? `A node is darker (in dark mode lighter) the more packets are queued there, up to ${QUEUE_SHADES}.`
    : 'A node gets darker (in dark mode lighter) as it learns.'];
  if (dynamic) notes.push('Times are in units: a packet takes one to cross a link. A packet is queued from its arrival to the end of its broadcast.');
  else if (timeline.isColouredByStep) notes.push('A link has the colour of the step in which a packet first crosses it.');
  if (timeline.isReduction) notes.push('Links carry partial sums. A node has a result when it has received the contributions of all '
    + `${plan.groups ? 'members of its group' : 'nodes'}.`);
  if (plan.groups) notes.push('A packet has the colour of its group. So has a link between neighbours of one group.');
  if (timeline.pairs) notes.push('A node multiplies A(i, k) and B(k, j) when both have come. Packet numbers of B follow those of A.');
  if (timeline.machine.terms) notes.push('The filled part of a sum is the part of the contributions that it holds.');
  notes.push(network.dims.length === 1 ? 'x runs to the right.'
    : network.dims.length === 2 ? 'x runs to the right, y downwards; node 0 is at the upper left.'
      : 'Before it is turned, x runs to the right, y downwards, z towards you.');
  if (network.hasFaults) notes.push('Grey and dashed is what is dead.');
  if (network.wraps) {
    notes.push('A packet on a wraparound link leaves over the border and comes in at the opposite side.');
  }
  notes.push('The links that a followed packet has crossed are drawn in the colour of the selected node, all others faintly.');
  if (network.dims.length > 3) notes.push('Links that leave the slice are not drawn.');
  return notes;
}

function drawLegend() {
  const legend = byId('legend');
  const tables = views.map(colours);
  const alike = tables.every((table) => JSON.stringify(table) === JSON.stringify(tables[0]));
  for (const [i, table] of (alike ? [tables[0]] : tables).entries()) {
    if (!alike) child(legend, 'h3', '').textContent = `Plan ${views[i].letter}`;
    for (const {colour, none, text} of table) {
      const row = child(legend, 'div', '');
      if (colour) child(row, 'span', 'swatch').style.background = colour;
      else if (!none) child(row, 'span', 'swatch ring');
      row.append(text);
    }
  }
  const notes = [...new Set(views.flatMap(notesOn))];
  if (views.length > 1) notes.push('In the charts plan A is drawn solid, plan B dashed and in another colour.');
  child(legend, 'small', '').textContent = notes.join(' ');
}

function select(node) {
  const last = active.network.nodes - 1;
  const chosen = Math.max(0, Math.min(last, Math.floor(node) || 0));
  byId('node').value = String(chosen);
  for (const view of views) view.scene.selected = Math.min(chosen, view.network.nodes - 1);
  stale = true;
  draw();
}

function follow(packet) {
  followed = active.timeline.isPacket(packet) ? packet : -1;
  byId('packet').value = followed < 0 ? '' : String(followed);
  stale = true;
  draw();
}

/** A packet of the selected node: its first own one, otherwise the first one that it sends. */
function followOwn() {
  const {timeline, scene, dynamic} = active;
  if (dynamic) {
    // The current one, otherwise the next, otherwise the last.
    const own = dynamic.packets.filter(({node, interval}) => node === scene.selected && interval >= 0);
    const time = dynamic.time(active.moment().step);
    const packet = own.find(({end}) => end > time) ?? own.at(-1);
    follow(packet ? packet.number * dynamic.parts : -1);
    return;
  }
  if (!timeline.isTrace) follow(scene.selected * timeline.packetsPerNode);
  else follow(timeline.machine.sentBy(scene.selected)[0]?.packet ?? -1);
}

function play(on) {
  playing = on;
  if (on && clock >= lastStep) clock = 0;
  lastFrame = performance.now();
  stale = true;
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

/** Stops and goes to a step. */
function goTo(step) {
  playing = false;
  stale = true;
  setClock(step);
}

function stepBy(steps) {
  goTo(Math.round(steps < 0 ? Math.ceil(clock - 1e-9) : Math.floor(clock + 1e-9)) + steps);
}

function changeSpeed(by) {
  const speed = byId('speed');
  speed.selectedIndex = Math.max(0, Math.min(speed.options.length - 1, speed.selectedIndex + by));
}

function onKey(event) {
  if (event.target instanceof HTMLInputElement && event.target.type === 'number') {
    // An input field handles its keys until it loses the focus.
    if (event.key === 'Escape') active.scene.canvas.focus();
    return;
  }
  if (event.target instanceof HTMLSelectElement || event.ctrlKey || event.metaKey || event.altKey) return;
  const keys = {
    ' ': () => play(!playing), ArrowLeft: () => stepBy(-1), ArrowRight: () => stepBy(1),
    Home: () => goTo(0), End: () => goTo(lastStep),
    '+': () => changeSpeed(1), '-': () => changeSpeed(-1),
    f: followOwn,
    0: () => { for (const view of views) view.scene.resetView(); draw(); },
  };
  const action = keys[event.key] ?? keys[event.key.toLowerCase()];
  if (!action) return;
  // A focused button would interpret the space bar as a click.
  if (event.key === ' ' && event.target instanceof HTMLButtonElement) event.target.blur();
  event.preventDefault();
  action();
}

function connect() {
  byId('heading').textContent = views.map((view) => view.heading).join('  /  ');
  document.title = `Gossamer: ${views[0].heading}`;
  byId('figures').textContent = views.map(({plan, timeline, dynamic, message, stall}) => {
    const {analytic_steps: steps, lower_bound_steps: lower, queue_depth: depth, analytic_tcd: distance} = plan.expected ?? plan;
    // Fields that are missing in the plan are omitted.
    const facts = [];
    if (dynamic) facts.push(`first ${dynamic.broadcasts} broadcasts of the run at load ${dynamic.load} (stable below ${dynamic.limit.toFixed(3)}), intervals ${plan.parameters.interval}`);
    if (steps != null) facts.push(`${steps} steps by the formula`);
    else if (!dynamic) facts.push(`${timeline.steps} ${timeline.unit}s in this run`);
    if (timeline.isElastic) facts.push(`${plan.expected.analytic_cycles ?? 'no'} cycles by the formula${stall ? ', without stalls' : ''}`);
    if (stall) facts.push(`stalls ${stall}`);
    if (lower != null) facts.push(`lower bound ${lower}`);
    facts.push(distance ? `total communication distance ${distance}` : `queue depth ${depth}`);
    if (message) facts.push(message);
    return facts.join(', ');
  }).map((facts, i) => (views[i].letter ? `${views[i].letter}: ${facts}` : facts)).join('  /  ');
  byId('waiting-chart').hidden = mostWaiting === 0;
  if (unit === 'cycle') document.querySelector('label[for=speed]').textContent = 'Cycles/s';
  byId('scrub').max = String(lastStep);
  byId('scrub').addEventListener('input', (event) => goTo(Number(event.target.value)));
  byId('first').addEventListener('click', () => goTo(0));
  byId('last').addEventListener('click', () => goTo(lastStep));
  byId('back').addEventListener('click', () => stepBy(-1));
  byId('forward').addEventListener('click', () => stepBy(1));
  byId('play').addEventListener('click', () => play(!playing));
  byId('node').addEventListener('input', (event) => select(Number(event.target.value)));
  byId('packet').addEventListener('input', (event) => follow(event.target.value === '' ? -1 : Number(event.target.value)));
  byId('unfollow').addEventListener('click', () => follow(-1));
  document.addEventListener('keydown', onKey);
  for (const view of views) connectDrawing(view);
  addEventListener('resize', () => {
    stale = true;
    draw();
  });
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
    for (const view of views) view.scene.applyTheme();
    stale = true;
    draw();
  });
}

function connectDrawing(view) {
  // Depends on the window, and on a title that takes another line.
  new ResizeObserver(() => {
    view.scene.resize();
    stale = true;
    draw();
  }).observe(view.drawing);
  const {canvas, controls} = view.scene;
  let down;
  canvas.addEventListener('pointerdown', (event) => { down = [event.clientX, event.clientY]; });
  canvas.addEventListener('click', (event) => {
    // The end of a drag is not a click.
    if (down && Math.hypot(event.clientX - down[0], event.clientY - down[1]) > 4) return;
    active = view;
    const node = view.scene.pick(event);
    select(node ?? view.scene.selected);
  });
  let hover;
  canvas.addEventListener('pointermove', (event) => {
    if (!hover) requestAnimationFrame(() => showTip(view, hover));
    hover = event;
    if (event.buttons) hover = undefined;
  });
  canvas.addEventListener('pointerleave', () => {
    hover = undefined;
    view.tip.style.display = 'none';
  });
  const showTip = (of, event) => {
    hover = undefined;
    const node = event && of.scene.pick(event);
    of.tip.style.display = node === undefined ? 'none' : 'block';
    if (node === undefined) return;
    of.tipNode = node;
    of.tip.textContent = of.describe(node);
    const box = of.element.getBoundingClientRect();
    of.tip.style.left = `${Math.min(event.clientX - box.left + 14, box.width - of.tip.offsetWidth - 4)}px`;
    of.tip.style.top = `${event.clientY - box.top + 14}px`;
  };
  controls.addEventListener('change', () => { if (!playing) requestDraw(); });
}

connect();
drawLegend();
for (const view of views) view.scene.resize();
draw();

// Read-only interface for tests: the displayed data.
window.gossamer = {
  get clock() { return clock; },
  get playing() { return playing; },
  get ready() { return available() >= lastStep; },
  get computed() { return available(); },
  get lastStep() { return lastStep; },
  get followed() { return followed; },
  get selected() { return active.scene.selected; },
  waitingShown: (i = 0) => Array.from(views[i].network.head, (_, link) => views[i].timeline.waiting(link)?.packet ?? -1),
  partsShown: (i = 0) => Array.from(views[i].network.head, (_, link) => views[i].timeline.part(link)),
  elapsedShown: (i = 0) => Array.from(views[i].network.head, (_, link) => views[i].timeline.elapsed(link)),
  strokesOf: (link, i = 0) => views[i].scene.strokes.filter((each) => each === link).length,
  linksShown: (i = 0) => Array.from(views[i].timeline.linksAt(views[i].moment().step)),
  trail: (i = 0) => [...views[i].timeline.trail(followed, views[i].moment().step).keys()],
  packetsShown: (i = 0) => views[i].scene.packetsShown,
  coverage: (i = 0) => Array.from(views[i].timeline.coverage),
  queued: (step, i = 0) => Array.from(views[i].dynamic.queuedAt(step, views[i].network.nodes)),
  waiting: (i = 0) => Array.from(views[i].waiting),
  load: (i = 0) => Array.from(views[i].timeline.load),
  met: (node, step, i = 0) => views[i].timeline.metAt(node, step),
  groupsOfLinks: (i = 0) => Array.from(views[i].groups.slots[0]),
  known: (step, i = 0) => Array.from(views[i].timeline.countsAt(step).counts),
  clientPosition: (node, i = 0) => views[i].scene.clientPosition(node),
};
