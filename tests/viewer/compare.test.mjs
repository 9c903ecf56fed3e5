// SPDX-License-Identifier: Apache-2.0
// Two plans side by side, one clock.
import assert from 'node:assert/strict';
import {join} from 'node:path';
import {after, test} from 'node:test';
import {clickNode, closeBrowser, gossamer, linksOf, makePlan, open, scratch, screenshot, scrub} from './browser.mjs';

after(closeBrowser);

test('two plans run by one clock; the shorter one waits at its end', async (t) => {
  const directory = scratch(t);
  const torus = makePlan(directory, 'torus', 'gossip --dims 6x6');
  const mesh = makePlan(directory, 'mesh', 'gossip --topology mesh --dims 6x6 --algorithm folded');
  gossamer(directory, 'view', 'torus.json', 'mesh.json', '-o', 'view.html');
  const page = await open(t, join(directory, 'view.html'));
  const [short, long] = [torus.trace.at(-1).step, mesh.trace.at(-1).step];
  assert.ok(short < long);
  assert.equal(await page.evaluate(() => window.gossamer.lastStep), long);
  for (const step of [1, 7, short, short + 1, long]) {
    await scrub(page, step);
    const shown = await page.evaluate(() => [window.gossamer.linksShown(0), window.gossamer.linksShown(1)]);
    assert.deepEqual(shown, [linksOf(torus, Math.min(step, short)), linksOf(mesh, step)], `step ${step}`);
    const titles = await page.locator('.title').allTextContents();
    assert.match(titles[0], new RegExp(`6x6 torus step ${Math.min(step, short)} of ${short},`));
    assert.match(titles[1], new RegExp(`6x6 mesh step ${step} of ${long},`));
  }
  await scrub(page, 20);
  await clickNode(page, 9, 1);
  assert.equal(await page.locator('#node-heading').textContent(), 'Node (plan B)');
  assert.equal(await page.locator('#node-table tbody tr').count(), 8);
  await clickNode(page, 9, 0);
  assert.equal(await page.locator('#node-heading').textContent(), 'Node (plan A)');
  assert.equal(await page.locator('#node-table tbody tr').count(), 4);
  await screenshot(page, 'compare');
  await page.emulateMedia({colorScheme: 'dark'});
  await page.waitForTimeout(100);
  await screenshot(page, 'compare-dark');
});

test('two plans of one algorithm are distinguished by letter and by their options', async (t) => {
  const directory = scratch(t);
  makePlan(directory, 'corner', 'broadcast --topology mesh --dims 8x8');
  makePlan(directory, 'eye', 'broadcast --topology mesh --dims 8x8 --source 2,5 --flits 4');
  gossamer(directory, 'view', 'corner.json', 'eye.json', '-o', 'view.html');
  const page = await open(t, join(directory, 'view.html'));
  const titles = await page.locator('.title').allTextContents();
  assert.match(titles[0], /^A: broadcast \(eye, from node 0,0, flits 1\), 8x8 mesh /);
  assert.match(titles[1], /^B: broadcast \(eye, from node 2,5, flits 4\), 8x8 mesh /);
  assert.equal(await page.locator('#heading').textContent(),
    'A: broadcast (eye, from node 0,0), 8x8 mesh  /  B: broadcast (eye, from node 2,5), 8x8 mesh');
});

test('the heading has no parameters of planners, and the legend covers both plans', async (t) => {
  const directory = scratch(t);
  makePlan(directory, 'packed', 'all-reduce --topology mesh --dims 4x4 --words 16 --algorithm packing');
  makePlan(directory, 'cycles', 'gossip --dims 4x4');
  gossamer(directory, 'view', 'packed.json', 'cycles.json', '-o', 'view.html');
  const page = await open(t, join(directory, 'view.html'));
  assert.equal(await page.locator('#heading').textContent(),
    'A: all-reduce (packing), 4x4 mesh  /  B: all-gather (hamiltonian), 4x4 torus');
  assert.match((await page.locator('.title').allTextContents())[0], /^A: all-reduce \(packing, words 16\), 4x4 mesh /);
  assert.deepEqual(await page.locator('#legend h3').allTextContents(), ['Plan A', 'Plan B']);
  const rows = await page.locator('#legend > div').allTextContents();
  assert.ok(rows.some((row) => row.startsWith('Tree')) && rows.some((row) => !row.startsWith('Tree')), rows.join());
});
