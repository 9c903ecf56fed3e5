// SPDX-License-Identifier: Apache-2.0
// Shared by the viewer's tests: plans, traces and pages from the program, opened in a browser that
// must neither report errors nor access the network.
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {mkdtempSync, readFileSync, rmSync} from 'node:fs';
import {createRequire} from 'node:module';
import {tmpdir} from 'node:os';
import {join} from 'node:path';

const {chromium} = createRequire(join(process.env.VIEWER_WORK, 'package.json'))('playwright-core');

/** A directory of the test's own; `t` is the test's context. */
export function scratch(t) {
  const directory = mkdtempSync(join(tmpdir(), 'gossamer-viewer-'));
  t.after(() => rmSync(directory, {recursive: true}));
  return directory;
}

export function gossamer(directory, ...words) {
  execFileSync(process.env.GOSSAMER, words, {cwd: directory, stdio: ['ignore', 'pipe', 'inherit']});
}

/** Plans `request`; returns the plan and its trace as {step, hop, from, port, packet}. */
export function makePlan(directory, name, request) {
  gossamer(directory, 'plan', ...request.split(' '), '-o', `${name}.json`);
  gossamer(directory, 'simulate', `${name}.json`, '--trace', `${name}.csv`);
  const trace = readFileSync(join(directory, `${name}.csv`), 'utf8').trimEnd().split('\n').slice(1).map((line) => {
    const [step, hop, from, port, packet] = line.split(',').map(Number);
    return {step, hop, from, port, packet};
  });
  return {plan: JSON.parse(readFileSync(join(directory, `${name}.json`), 'utf8')), trace};
}

let browser;
/** Pages that no test has open: a page that goes to another file takes half the time of a new one. */
const idle = [];

async function newPage(webgl) {
  browser ??= await chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
      '--disable-component-update', '--disable-sync'],
  });
  const page = await browser.newPage();
  if (!webgl) {
    // The answer of a browser without it.
    await page.addInitScript(() => {
      const {getContext} = HTMLCanvasElement.prototype;
      HTMLCanvasElement.prototype.getContext = function (kind, ...rest) {
        return kind.startsWith('webgl') ? null : getContext.call(this, kind, ...rest);
      };
    });
  }
  const complaints = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    // Screenshots of drawings by the processor are slow, and Chromium reports this.
    if (!message.text().includes('GPU stall due to ReadPixels')) complaints.push(message.text());
  });
  page.on('request', (request) => {
    // The worker's own source is an object of the page.
    if (!/^(file|blob):/.test(request.url())) complaints.push(request.url());
  });
  return {page, webgl, complaints};
}

/** Opens a page; checks at the test's end that all was quiet. */
export async function open(t, path, {colorScheme = 'light', wait = true, viewport = {width: 900, height: 600}, webgl = true} = {}) {
  const at = idle.findIndex((other) => other.webgl === webgl);
  const opened = at < 0 ? await newPage(webgl) : idle.splice(at, 1)[0];
  const {page, complaints} = opened;
  t.after(async () => {
    // The pointer is on no element when the next test begins.
    await page.mouse.move(0, 0);
    assert.deepEqual(complaints, []);
    idle.push(opened);
  });
  await page.setViewportSize(viewport);
  await page.emulateMedia({colorScheme});
  await page.goto(`file://${path}`);
  if (wait) await page.waitForFunction(() => window.gossamer.ready, null, {timeout: 120000});
  return page;
}

export async function closeBrowser() {
  await browser?.close();
}

/** Moves the step slider as a user does. */
export async function scrub(page, step) {
  await page.locator('#scrub').fill(String(step));
}

/** What the page shows in each of the steps when it is drawn: its title, and of window.gossamer the functions named. */
export function shownIn(page, steps, ...names) {
  return page.evaluate(([wanted, functions]) => {
    const slider = document.getElementById('scrub');
    const all = [];
    for (const step of wanted) {
      slider.value = step;
      // Draws before it returns.
      slider.dispatchEvent(new Event('input'));
      all.push({title: document.querySelector('.title').textContent, clock: window.gossamer.clock,
        ...Object.fromEntries(functions.map((name) => [name, window.gossamer[name]()]))});
    }
    return all;
  }, [steps, names]);
}

/** The steps first .. last. */
export const range = (first, last) => Array.from({length: last - first + 1}, (_, i) => first + i);

export async function screenshot(page, name) {
  await page.screenshot({path: join(process.env.SCREENSHOTS, `${name}.png`)});
}

/** All steps of a plan and its trace, drawn, and on every link what the trace says; shownIn() of them, from step 1 on. */
export async function checkLinks(page, made, ...names) {
  const steps = range(1, made.trace.at(-1).step);
  const shown = await shownIn(page, steps, 'linksShown', ...names);
  for (const step of steps) assert.deepEqual(shown[step - 1].linksShown, linksOf(made, step), `step ${step}`);
  return shown;
}

/** The image around a node. */
export async function lookAt(page, node, index = 0) {
  const {x, y} = await page.evaluate(([n, i]) => window.gossamer.clientPosition(n, i), [node, index]);
  return (await page.screenshot({clip: {x: x - 20, y: y - 20, width: 40, height: 40}})).toString('base64');
}

export async function clickNode(page, node, index = 0) {
  const {x, y} = await page.evaluate(([n, i]) => window.gossamer.clientPosition(n, i), [node, index]);
  await page.mouse.click(x, y);
}

/** By link slot what the trace sends in a step; -1: nothing. */
export function linksOf({plan, trace}, step) {
  const ports = 2 * plan.topology.dims.length;
  const nodes = plan.topology.dims.reduce((product, side) => product * side, 1);
  const links = new Array(nodes * ports).fill(-1);
  for (const row of trace) if (row.step === step) links[row.from * ports + row.port] = row.packet;
  return links;
}

/** The node at the other end of a link, by the coordinates of docs/spec/contract.md, section 1. */
export function receiver({dims}, node, port) {
  const at = [];
  let rest = node;
  for (const side of dims) {
    at.push(rest % side);
    rest = Math.floor(rest / side);
  }
  const dim = port >> 1;
  at[dim] = (at[dim] + (port & 1 ? 1 : dims[dim] - 1)) % dims[dim];
  return at.reduceRight((sum, coordinate, d) => sum * dims[d] + coordinate, 0);
}

/** Sets of known packets after each step 0 .. steps, from a store-and-forward trace of a gossip. */
export function* knowledge({plan, trace}) {
  const nodes = plan.topology.dims.reduce((product, side) => product * side, 1);
  const own = plan.program.packets_per_node;
  const known = Array.from({length: nodes}, (_, node) => new Set(Array.from({length: own}, (_, c) => node * own + c)));
  yield known;
  const steps = trace.at(-1).step;
  for (let step = 1; step <= steps; ++step) {
    for (const row of trace) {
      if (row.step === step) known[receiver(plan.topology, row.from, row.port)].add(row.packet);
    }
    yield known;
  }
}
