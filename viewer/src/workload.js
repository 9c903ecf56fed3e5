// SPDX-License-Identifier: Apache-2.0
// The page of a workload: two lanes in time, computations and collectives, for each network.

const byId = (id) => document.getElementById(id);
const workload = JSON.parse(byId('workload').textContent);
const canvas = byId('timeline');
const tip = byId('tip');

const LANES = ['compute', 'collectives'];
const LANE_HEIGHT = 34;
const NETWORK_GAP = 46;
const LEFT = 82;
const TOP = 34;
const COLOURS = 8;
/** The narrowest part of the time that zooming shows, in nanoseconds. */
const NARROWEST = 10;

/** The networks with their lanes, from top to bottom. */
const networks = [['gossamer', workload], ['conventional', workload.conventional]]
  .filter(([, times]) => times)
  .map(([name, times], index) => ({
    name,
    times,
    lanes: LANES.map((lane, number) => ({
      lane,
      y: TOP + index * (2 * LANE_HEIGHT + NETWORK_GAP) + number * (LANE_HEIGHT + 4),
      runs: times.timeline.filter(({collective}) => (collective === null) === (number === 0)),
    })),
  }));
const total = Math.max(1, ...networks.map(({times}) => times.total_ns));

/** The part of the time that is shown, in nanoseconds. */
let first = 0;
let last = total;

/** "28.67 us", with four digits. */
function duration(nanoseconds) {
  const [size, unit] = [[1e9, 's'], [1e6, 'ms'], [1e3, 'us']].find(([least]) => nanoseconds >= least) ?? [1, 'ns'];
  return `${Number((nanoseconds / size).toPrecision(4))} ${unit}`;
}

function bytes(count) {
  const [size, unit] = [[2 ** 30, 'GiB'], [2 ** 20, 'MiB'], [2 ** 10, 'KiB']].find(([least]) => count >= least) ?? [1, 'B'];
  return `${Number((count / size).toPrecision(4))} ${unit}`;
}

const width = () => canvas.clientWidth - LEFT - 12;
const xOf = (time) => LEFT + (width() * (time - first)) / (last - first);
const timeAt = (x) => first + ((x - LEFT) / width()) * (last - first);

/** A round distance of ticks, about 100 pixels. */
function tickDistance() {
  const least = ((last - first) * 100) / Math.max(100, width());
  const power = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5, 10].map((factor) => factor * power).find((distance) => distance >= least);
}

function drawAxis(context, style, bottom) {
  context.textAlign = 'center';
  const distance = tickDistance();
  for (let tick = Math.ceil(first / distance); tick * distance <= last; ++tick) {
    const x = xOf(tick * distance);
    context.strokeStyle = style.getPropertyValue('--line');
    context.beginPath();
    context.moveTo(x, TOP - 12);
    context.lineTo(x, bottom);
    context.stroke();
    context.fillStyle = style.getPropertyValue('--faint');
    context.fillText(duration(tick * distance), x, bottom + 14);
  }
}

/** The text, or as much of it as fits before an ellipsis. */
function shortened(context, text, room) {
  if (context.measureText(text).width <= room) return text;
  let letters = text.length - 1;
  while (letters > 0 && context.measureText(`${text.slice(0, letters)}\u2026`).width > room) --letters;
  return `${text.slice(0, letters)}\u2026`;
}

function drawLane(context, style, {lane, y, runs}) {
  context.textAlign = 'right';
  context.fillStyle = style.getPropertyValue('--faint');
  context.fillText(lane, LEFT - 8, y + LANE_HEIGHT / 2 + 4);
  context.textAlign = 'left';
  let drawn = -1;
  for (const run of runs) {
    if (run.end_ns < first || run.start_ns > last) continue;
    const left = Math.max(LEFT, xOf(run.start_ns));
    const right = Math.min(LEFT + width(), xOf(run.end_ns));
    // Of several runs within a pixel one is drawn.
    if (right <= drawn) continue;
    drawn = Math.max(right, Math.ceil(left));
    context.fillStyle = style.getPropertyValue(run.collective === null ? '--link' : `--c${run.collective % COLOURS}`);
    context.fillRect(left, y, Math.max(1, right - left - 1), LANE_HEIGHT);
    const room = right - left - 8;
    if (room < 30) continue;
    context.fillStyle = style.getPropertyValue(run.collective === null ? '--ink' : '--back');
    context.fillText(shortened(context, run.step, room), left + 4, y + LANE_HEIGHT / 2 + 4);
  }
}

function draw() {
  const ratio = Math.min(devicePixelRatio, 2);
  canvas.width = canvas.clientWidth * ratio;
  canvas.height = canvas.clientHeight * ratio;
  const style = getComputedStyle(document.documentElement);
  const context = canvas.getContext('2d');
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.font = '12px system-ui, sans-serif';
  drawAxis(context, style, networks.at(-1).lanes[1].y + LANE_HEIGHT + 6);
  for (const {name, times, lanes} of networks) {
    context.textAlign = 'left';
    context.fillStyle = style.getPropertyValue('--ink');
    context.fillText(`${name}: ${duration(times.total_ns)}, exposed ${duration(times.exposed_ns)}`, LEFT, lanes[0].y - 8);
    for (const lane of lanes) drawLane(context, style, lane);
  }
}

/** Shows `from` to `to`, as far as there is something. */
function show(from, to) {
  const length = Math.min(total, Math.max(NARROWEST, to - from));
  first = Math.min(Math.max(0, from), total - length);
  last = first + length;
  draw();
}

/** Zooms by `factor` around the time at `x`. */
function zoom(factor, x = LEFT + width() / 2) {
  const time = timeAt(x);
  show(time - (time - first) * factor, time + (last - time) * factor);
}

/** The run at a point of the canvas; undefined if there is none. */
function runAt(x, y) {
  const time = timeAt(x);
  const lane = networks.flatMap(({lanes}) => lanes).find((one) => y >= one.y && y < one.y + LANE_HEIGHT);
  return x < LEFT ? undefined : lane?.runs.find(({start_ns, end_ns}) => time >= start_ns && time < end_ns);
}

function describe({step, run, collective, start_ns: start, end_ns: end}) {
  const row = workload.collectives[collective];
  const what = row ? `${row.name} of ${bytes(row.bytes)}` : 'computation';
  return `${step}, run ${run}: ${what}, ${duration(end - start)} from ${duration(start)}`;
}

function showTip(x, y) {
  const run = runAt(x, y);
  tip.style.display = run ? 'block' : 'none';
  if (!run) return;
  tip.textContent = describe(run);
  tip.style.left = `${Math.max(0, Math.min(x + 12, canvas.clientWidth - tip.offsetWidth - 4))}px`;
  tip.style.top = `${y + 14}px`;
}

function fillTable(id, columns, rows) {
  const table = byId(id);
  for (const column of columns) table.tHead.rows[0].append(Object.assign(document.createElement('th'), {textContent: column}));
  for (const [colour, ...cells] of rows) {
    const row = table.tBodies[0].insertRow();
    for (const text of cells) row.insertCell().textContent = text;
    if (colour === undefined) continue;
    const swatch = Object.assign(document.createElement('span'), {className: 'swatch'});
    swatch.style.background = `var(--c${colour})`;
    row.cells[0].prepend(swatch);
  }
}

function connect() {
  const {workload: name, dims, topology, link_bits: bits, conventional} = workload;
  byId('heading').textContent = `${name}, ${dims.join('x')} ${topology}`;
  document.title = `Gossamer: ${name}`;
  const speedUp = conventional ? `, speed-up ${(conventional.total_ns / workload.total_ns).toFixed(2)}` : '';
  byId('figures').textContent = `links of ${bits} bits, clock ${Number((workload.clock_hertz / 1e9).toPrecision(4))} GHz${speedUp}`;
  fillTable('networks', ['network', 'total', 'compute', 'collectives', 'exposed'], networks.map(({name: network, times}) => [
    undefined, network, ...['total_ns', 'compute_ns', 'communication_ns', 'exposed_ns'].map((key) => duration(times[key]))]));
  fillTable('collectives', ['collective', 'bytes', 'groups', 'plan', 'time'], workload.collectives.map((row, index) => [
    index % COLOURS, row.name, bytes(row.bytes), row.groups ?? 'all', row.plan, duration(row.ns)]));
  canvas.addEventListener('wheel', (event) => {
    event.preventDefault();
    zoom(1.2 ** Math.sign(event.deltaY), event.offsetX);
  }, {passive: false});
  canvas.addEventListener('pointermove', (event) => {
    if (event.buttons) {
      const time = (event.movementX / width()) * (last - first);
      show(first - time, last - time);
    }
    showTip(event.offsetX, event.offsetY);
  });
  canvas.addEventListener('pointerleave', () => { tip.style.display = 'none'; });
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const step = (last - first) / 4;
    const keys = {
      '+': () => zoom(1 / 1.5), '-': () => zoom(1.5), 0: () => show(0, total),
      ArrowLeft: () => show(first - step, last - step), ArrowRight: () => show(first + step, last + step),
    };
    if (!keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  });
  new ResizeObserver(draw).observe(canvas);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw);
}

connect();
draw();

// Read-only interface for tests: the displayed data.
window.gossamer = {
  ready: true,
  get shown() { return [first, last]; },
  /** By network and lane, the runs with the place of their middle. */
  runs: () => networks.map(({lanes}) => lanes.map(({y, runs}) => runs.map(({step, run, start_ns: start, end_ns: end}) => ({
    step, run, start, end, x: xOf((start + end) / 2), y: y + LANE_HEIGHT / 2})))),
};
