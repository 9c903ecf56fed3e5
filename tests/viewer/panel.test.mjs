// SPDX-License-Identifier: Apache-2.0
// Mouse, keys and the panel next to the drawing.
import assert from 'node:assert/strict';
import {join} from 'node:path';
import {after, test} from 'node:test';
import {clickNode, closeBrowser, gossamer, linksOf, lookAt, makePlan, open, scratch, screenshot, scrub} from './browser.mjs';

after(closeBrowser);

/** For tests that count in pixels. */
const LARGE = {width: 1280, height: 800};

async function show(t, request, options) {
  const directory = scratch(t);
  const made = makePlan(directory, 'plan', request);
  gossamer(directory, 'view', 'plan.json', '-o', 'view.html');
  return {...made, page: await open(t, join(directory, 'view.html'), options)};
}

const clock = (page) => page.evaluate(() => window.gossamer.clock);

test('a click on a node shows its table: feeds, own packets, present sends', async (t) => {
  const made = await show(t, 'gossip --dims 6x5');
  const {plan, page} = made;
  await scrub(page, 4);
  const links = linksOf(made, 4);
  for (const node of [0, 13, 29]) {
    const before = await lookAt(page, node);
    await clickNode(page, node);
    assert.equal(await page.evaluate(() => window.gossamer.selected), node);
    assert.equal(await page.locator('#node-at').textContent(), `at (${node % 6}, ${Math.floor(node / 6)})`);
    if (node > 0) assert.notEqual(await lookAt(page, node), before, 'a ring marks the node');
    const rows = await page.locator('#node-table tbody tr').evaluateAll((trs) => trs.map((tr) => [...tr.cells].map((c) => c.textContent)));
    assert.deepEqual(rows, ['x-', 'x+', 'y-', 'y+'].map((name, port) => {
      const entry = plan.program.ports[plan.program.table[node][port]];
      const own = entry.preload.map((c) => node * plan.program.packets_per_node + c);
      return [name, entry.feed.join(' '), own.join(' '), String(links[node * 4 + port])];
    }));
  }
});

test('y runs downwards, as in the map and the drawing of the same network', async (t) => {
  const {page} = await show(t, 'gossip --dims 5x4');
  const at = (node) => page.evaluate((n) => window.gossamer.clientPosition(n), node);
  const [origin, right, below] = [await at(0), await at(1), await at(5)];
  assert.ok(right.x > origin.x + 5 && Math.abs(right.y - origin.y) < 1);
  assert.ok(below.y > origin.y + 5 && Math.abs(below.x - origin.x) < 1);
});

test('a drag moves the drawing and selects nothing; 0 puts it back', async (t) => {
  const {page} = await show(t, 'gossip --dims 6x6');
  const at = () => page.evaluate(() => window.gossamer.clientPosition(14));
  const start = await at();
  await page.mouse.move(start.x, start.y);
  await page.mouse.down();
  await page.mouse.move(start.x + 60, start.y + 30, {steps: 4});
  await page.mouse.up();
  const moved = await at();
  assert.ok(Math.abs(moved.x - start.x - 60) < 3 && Math.abs(moved.y - start.y - 30) < 3, JSON.stringify([start, moved]));
  assert.equal(await page.evaluate(() => window.gossamer.selected), 0);
  await page.keyboard.press('0');
  const back = await at();
  assert.ok(Math.hypot(back.x - start.x, back.y - start.y) < 1);
});

test('in 3-D a drag turns the network and a click still finds the node', async (t) => {
  const {page} = await show(t, 'gossip --dims 4x4x4', {viewport: LARGE});
  const at = (node) => page.evaluate((n) => window.gossamer.clientPosition(n), node);
  const start = await at(63);
  await page.mouse.move(300, 650);
  await page.mouse.down();
  await page.mouse.move(420, 600, {steps: 5});
  await page.mouse.up();
  await page.waitForTimeout(100);
  const turned = await at(63);
  assert.ok(Math.hypot(turned.x - start.x, turned.y - start.y) > 10);
  await clickNode(page, 63);
  assert.equal(await page.evaluate(() => window.gossamer.selected), 63);
});

test('pointing at a node names it', async (t) => {
  const {page} = await show(t, 'gossip --dims 6x6');
  const {x, y} = await page.evaluate(() => window.gossamer.clientPosition(8));
  await page.mouse.move(x - 3, y);
  await page.mouse.move(x, y);
  await page.waitForFunction(() => document.querySelector('.tip').textContent.startsWith('Node 8 (2, 1): knows 2 of 72'));
  assert.ok(await page.locator('.tip').isVisible());
});

test('keys step, jump, change the speed, play and pause', async (t) => {
  const {page} = await show(t, 'gossip --dims 6x6');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  assert.equal(await clock(page), 2);
  await page.keyboard.press('ArrowLeft');
  assert.equal(await clock(page), 1);
  await page.keyboard.press('End');
  assert.equal(await clock(page), 18);
  await page.keyboard.press('ArrowRight');
  assert.equal(await clock(page), 18);
  await page.keyboard.press('Home');
  await page.keyboard.press('ArrowLeft');
  assert.equal(await clock(page), 0);
  await page.keyboard.press('+');
  assert.equal(await page.locator('#speed').inputValue(), '5');
  await page.keyboard.press('-');
  await page.keyboard.press('-');
  assert.equal(await page.locator('#speed').inputValue(), '1');
  for (let i = 0; i < 8; ++i) await page.keyboard.press('+');
  assert.equal(await page.locator('#speed').inputValue(), '60');
  // Slow enough that a busy machine stops it before the last step.
  for (let i = 0; i < 8; ++i) await page.keyboard.press('-');
  await page.locator('#play').focus();
  await page.keyboard.press(' ');
  await page.waitForFunction(() => window.gossamer.clock > 0);
  await page.keyboard.press(' ');
  assert.equal(await page.evaluate(() => window.gossamer.playing), false);
  const stopped = await clock(page);
  await page.waitForTimeout(200);
  assert.equal(await clock(page), stopped);
  for (let i = 0; i < 8; ++i) await page.keyboard.press('+');
  await page.locator('#play').click();
  await page.waitForFunction(() => window.gossamer.clock === 18 && !window.gossamer.playing);
});

test('all controls can be reached by the tab key and have a name', async (t) => {
  const {page} = await show(t, 'gossip --dims 4x4');
  const seen = new Set();
  for (let i = 0; i < 14; ++i) {
    await page.keyboard.press('Tab');
    seen.add(await page.evaluate(() => document.activeElement.id || document.activeElement.tagName));
  }
  for (const id of ['CANVAS', 'node', 'packet', 'unfollow', 'first', 'back', 'play', 'forward', 'last', 'scrub', 'speed']) {
    assert.ok(seen.has(id), `${id} is out of reach`);
  }
  const nameless = await page.evaluate(() => [...document.querySelectorAll('button, input, select, canvas')]
    .filter((e) => !(e.getAttribute('aria-label') || e.labels?.length || e.textContent.trim())).map((e) => e.id));
  assert.deepEqual(nameless, []);
});

test('a followed packet is named on exactly the links that the trace says', async (t) => {
  const made = await show(t, 'gossip --dims 5x4');
  const {page, trace} = made;
  await clickNode(page, 7);
  await page.keyboard.press('f');
  const packet = 7 * made.plan.program.packets_per_node;
  assert.equal(await page.evaluate(() => window.gossamer.followed), packet);
  const names = ['x-', 'x+', 'y-', 'y+'];
  // Before the first step there are no packets on links.
  for (let step = 0; step <= trace.at(-1).step; ++step) {
    await scrub(page, step);
    const sends = trace.filter((row) => row.step === step && row.packet === packet);
    const expected = sends.length ? `leaves ${sends.map((row) => `${row.from} by ${names[row.port]}`).join(', ')}` : 'on no link in this step';
    assert.equal(await page.locator('#packet-at').textContent(), `of node 7: ${expected}`, `step ${step}`);
  }
  await screenshot(page, 'followed-packet');
  await page.locator('#unfollow').click();
  assert.equal(await page.evaluate(() => window.gossamer.followed), -1);
  await page.locator('#packet').fill('999999');
  assert.equal(await page.evaluate(() => window.gossamer.followed), -1);
  await page.locator('#packet').fill('3');
  assert.equal(await page.evaluate(() => window.gossamer.followed), 3);
});

test('slices of a 4-D torus show only their own nodes and packets', async (t) => {
  const made = await show(t, 'gossip --dims 3x3x3x4');
  const {page, trace} = made;
  await scrub(page, 5);
  for (const w of [0, 3, 1]) {
    await page.locator('.slices input').fill(String(w));
    const inside = (node) => Math.floor(node / 27) === w;
    const [packets, ...positions] = await page.evaluate(() =>
      [window.gossamer.packetsShown(), ...[0, 27, 54, 81].map((node) => window.gossamer.clientPosition(node) !== undefined)]);
    assert.deepEqual(positions, [0, 27, 54, 81].map(inside));
    assert.equal(packets, trace.filter((row) => row.step === 5 && row.port < 6 && inside(row.from)).length);
  }
  await clickNode(page, 27 + 13);
  assert.equal(await page.evaluate(() => window.gossamer.selected), 40);
  await screenshot(page, 'slice');
});

test('the escape key leaves a number field', async (t) => {
  const directory = scratch(t);
  makePlan(directory, 'plan', 'gossip --dims 4x4');
  gossamer(directory, 'view', 'plan.json', '-o', 'view.html');
  const page = await open(t, join(directory, 'view.html'));
  await page.locator('#node').focus();
  await page.keyboard.press('ArrowRight');
  assert.equal(await page.evaluate(() => window.gossamer.clock), 0);
  await page.keyboard.press('Escape');
  await page.keyboard.press('ArrowRight');
  assert.equal(await page.evaluate(() => window.gossamer.clock), 1);
  await page.keyboard.press('f');
  assert.equal(await page.evaluate(() => window.gossamer.followed), 0);
});

test('a followed packet leaves a trail: the links that it has crossed, forwards and back', async (t) => {
  const {page, trace} = await show(t, 'gossip --dims 6x5');
  const packet = 17;
  await page.locator('#packet').fill(String(packet));
  for (const step of [4, 9, 3]) {
    await scrub(page, step);
    const crossed = trace.filter((row) => row.packet === packet && row.step <= step).map(({from, port}) => from * 4 + port);
    const shown = await page.evaluate(() => window.gossamer.trail());
    assert.deepEqual(shown.sort((a, b) => a - b), [...new Set(crossed)].sort((a, b) => a - b), `step ${step}`);
  }
  await page.locator('#unfollow').click();
  assert.deepEqual(await page.evaluate(() => window.gossamer.trail()), []);
});

test('if all links feed each other, each direction has a colour', async (t) => {
  const {page} = await show(t, 'gossip --dims 8x8 --algorithm zigzag');
  assert.deepEqual(await page.locator('#legend > div').allTextContents(), ['Links to x-', 'Links to x+', 'Links to y-', 'Links to y+']);
  const swatches = await page.locator('#node-table .swatch').evaluateAll((spans) => spans.map((span) => span.style.background));
  assert.equal(new Set(swatches).size, 4);
});

for (const colorScheme of ['light', 'dark']) {
  test(`on a phone the drawing comes first, nothing is cut off, ${colorScheme}`, async (t) => {
    const {page} = await show(t, 'gossip --dims 8x8', {colorScheme, viewport: {width: 390, height: 844}});
    const box = (selector) => page.locator(selector).boundingBox();
    const [drawing, aside, play] = [await box('.drawing'), await box('aside'), await box('#play')];
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
    assert.ok(drawing.width === 390 && drawing.height >= 844 / 2, JSON.stringify(drawing));
    assert.ok(aside.y >= drawing.y + drawing.height && aside.width === 390);
    assert.ok(play.y + play.height <= 844, 'the steps are at hand');
    const corner = await page.evaluate(() => [0, 63].map((node) => window.gossamer.clientPosition(node)));
    assert.ok(corner[0].x > 0 && corner[1].x < 390 && corner[0].y > drawing.y && corner[1].y < drawing.y + drawing.height);
    await screenshot(page, `phone-${colorScheme}`);
  });
}

test('without WebGL a sentence replaces the drawing, and the rest works', async (t) => {
  const {page} = await show(t, 'gossip --dims 4x4', {webgl: false});
  assert.match(await page.locator('.missing').textContent(), /needs WebGL 2/);
  await page.locator('#forward').click();
  assert.equal(await clock(page), 1);
  await page.locator('#node').fill('5');
  assert.equal(await page.locator('#node-at').textContent(), 'at (1, 1)');
  assert.equal(await page.locator('#node-table tbody tr').count(), 4);
  await page.keyboard.press('Escape');
  await page.keyboard.press('End');
  assert.equal(await clock(page), 8);
});

test('the distance of nodes is a whole number of pixels, so that a 64x64 network has no moire', async (t) => {
  const directory = scratch(t);
  gossamer(directory, 'plan', 'gossip', '--dims', '64x64', '-o', 'plan.json');
  gossamer(directory, 'view', 'plan.json', '-o', 'view.html');
  const page = await open(t, join(directory, 'view.html'), {wait: false, viewport: LARGE});
  await page.waitForFunction(() => window.gossamer);
  const [first, right, below] = await page.evaluate(() => [0, 1, 64].map((node) => window.gossamer.clientPosition(node)));
  for (const pitch of [right.x - first.x, below.y - first.y]) {
    // Except for the fraction of a pixel by which the drawing's box is larger than its pixels.
    assert.ok(pitch >= 6 && Math.abs(pitch - Math.round(pitch)) < 0.01, String(pitch));
  }
});
