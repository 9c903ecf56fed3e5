// SPDX-License-Identifier: Apache-2.0
// Every step shows exactly the trace, for every kind of stream program.
import assert from 'node:assert/strict';
import {join} from 'node:path';
import {after, test} from 'node:test';
import {closeBrowser, gossamer, knowledge, linksOf, lookAt, makePlan, open, range, scratch, screenshot, scrub, shownIn} from './browser.mjs';

after(closeBrowser);

const CASES = [
  ['torus-8x8', 'gossip --dims 8x8'],
  ['torus-5x4-four-packets', 'gossip --dims 5x4 --packets 4'],
  ['ring-7', 'gossip --dims 7'],
  ['torus-2x6', 'gossip --dims 2x6'],
  ['mesh-6x4', 'gossip --topology mesh --dims 6x4 --algorithm array'],
  ['mesh-5x5-queues', 'gossip --topology mesh --dims 5x5 --algorithm array --packets 2'],
  ['mesh-6x6-frames', 'gossip --topology mesh --dims 6x6 --algorithm folded'],
  ['torus-4x4x4', 'gossip --dims 4x4x4'],
  ['torus-3x3x3x3', 'gossip --dims 3x3x3x3'],
];

for (const [name, request] of CASES) {
  test(`${name}: every step shows what the trace sends and what the nodes know`, async (t) => {
    const directory = scratch(t);
    const made = makePlan(directory, 'plan', request);
    gossamer(directory, 'view', 'plan.json', '-o', 'view.html');
    const page = await open(t, join(directory, 'view.html'));
    const steps = made.trace.at(-1).step;
    assert.equal(await page.evaluate(() => window.gossamer.lastStep), steps);

    const [coverage, load] = await page.evaluate(() => [window.gossamer.coverage(), window.gossamer.load()]);
    const nodes = made.plan.topology.dims.reduce((product, side) => product * side, 1);
    const total = nodes * made.plan.program.packets_per_node;
    const realLinks = made.plan.topology.kind === 'torus'
      ? nodes * 2 * made.plan.topology.dims.length
      : made.plan.topology.dims.reduce((sum, side) => sum + (2 * nodes * (side - 1)) / side, 0);
    const shown = await shownIn(page, range(0, steps), 'linksShown');
    const counts = await page.evaluate((last) => Array.from({length: last + 1}, (_, s) => window.gossamer.known(s)), steps);
    let step = 0;
    for (const known of knowledge(made)) {
      const {title, clock, linksShown} = shown[step];
      const links = linksOf(made, step);
      assert.deepEqual([clock, linksShown, counts[step]], [step, links, known.map((set) => set.size)], `step ${step}`);
      const share = known.reduce((sum, set) => sum + set.size, 0) / (nodes * total);
      assert.ok(Math.abs(coverage[step] - share) < 1e-6, `coverage after step ${step}`);
      assert.ok(Math.abs(load[step] - links.filter((p) => p >= 0).length / realLinks) < 1e-6, `load in step ${step}`);
      assert.match(title, new RegExp(`^ ?step ${step} of ${steps}, ${(100 * share).toFixed(1)} %`));
      ++step;
    }
    assert.equal(coverage[steps], 1);
    await scrub(page, Math.ceil(steps / 3));
    await screenshot(page, name);
    await page.emulateMedia({colorScheme: 'dark'});
    await page.waitForTimeout(100);
    await screenshot(page, `${name}-dark`);
  });
}

test('nodes are painted by what they know, and differently in dark mode', async (t) => {
  const directory = scratch(t);
  makePlan(directory, 'plan', 'gossip --dims 6x6');
  gossamer(directory, 'view', 'plan.json', '-o', 'view.html');
  const page = await open(t, join(directory, 'view.html'));
  const before = await lookAt(page, 14);
  await page.keyboard.press('End');
  const learned = await lookAt(page, 14);
  assert.notEqual(before, learned);
  await page.keyboard.press('Home');
  assert.equal(await lookAt(page, 14), before);
  await page.emulateMedia({colorScheme: 'dark'});
  await page.waitForTimeout(100);
  assert.notEqual(await lookAt(page, 14), before);
});

test('a plan that names no steps is played to its completion', async (t) => {
  const directory = scratch(t);
  const made = makePlan(directory, 'plan', 'gossip --dims 5x5');
  const {writeFileSync} = await import('node:fs');
  made.plan.expected.analytic_steps = null;
  writeFileSync(join(directory, 'plan.json'), JSON.stringify(made.plan));
  gossamer(directory, 'view', 'plan.json', '-o', 'view.html');
  const page = await open(t, join(directory, 'view.html'));
  assert.equal(await page.evaluate(() => window.gossamer.lastStep), made.trace.at(-1).step);
});
