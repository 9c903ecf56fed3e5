// SPDX-License-Identifier: Apache-2.0
// Matrix products: colours by operand, and the pairs of blocks that each node has met.
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {after, test} from 'node:test';
import {clickNode, closeBrowser, gossamer, open, range, scratch, screenshot, scrub, shownIn} from './browser.mjs';

after(closeBrowser);

for (const [kind, side] of [['torus', 5], ['mesh', 4]]) {
  test(`gemm on a ${side}x${side} ${kind}: every node meets each pair once`, async (t) => {
    const directory = scratch(t);
    gossamer(directory, 'plan', 'gemm', '--topology', kind, '--dims', `${side}x${side}`, '-o', 'plan.json');
    gossamer(directory, 'simulate', 'plan.json', '--trace', 'plan.csv');
    gossamer(directory, 'view', 'plan.json', '-o', 'view.html');
    const page = await open(t, join(directory, 'view.html'));
    const nodes = side * side;
    const last = Math.floor(side / 2) * (kind === 'torus' ? 1 : 2);
    assert.equal(await page.evaluate(() => window.gossamer.lastStep), last);

    const links = Array.from({length: last + 1}, () => Array(4 * nodes).fill(-1));
    for (const line of readFileSync(join(directory, 'plan.csv'), 'utf8').trimEnd().split('\n').slice(1)) {
      const [step, , from, port, packet, member] = line.split(',').map(Number);
      links[step][4 * from + port] = packet + member * nodes;
    }
    const shown = await shownIn(page, range(1, last), 'linksShown');
    assert.deepEqual(shown.map(({linksShown}) => linksShown), links.slice(1));

    const ring = kind === 'torus' ? range(0, side - 1) : [0, 2, 3, 1];
    for (const node of [0, 7, nodes - 1]) {
      const own = ring.indexOf(node % side) + ring.indexOf(Math.floor(node / side));
      for (let step = 0; step <= last; ++step) {
        const frames = Math.floor(kind === 'torus' ? step : step / 2);
        const right = new Set(range(-frames, frames).map((t_) => (own + t_ + 2 * side) % side));
        const met = await page.evaluate(([at, when]) => window.gossamer.met(at, when), [node, step]);
        assert.equal(new Set(met).size, met.length);
        // On a mesh, pairs of neighbours on the line may meet in the first step of a frame.
        assert.ok([...right].every((k) => met.includes(k)), `node ${node}, step ${step}: ${met}`);
        if (kind === 'torus') assert.equal(met.length, right.size);
      }
    }
    assert.deepEqual(await page.evaluate((step) => window.gossamer.known(step), last), Array(nodes).fill(side));
    assert.match(await page.locator('.title').textContent(), /100.0 % delivered/);
    await scrub(page, 1);
    await clickNode(page, 7);
    assert.match(await page.locator('#node-known').textContent(), /has met \d of \d pairs after step 1: A\(1, k\), B\(k, \d\) with k = \d/);
    assert.match(await page.locator('#node-table').textContent(), /A\(1, \d\)/);
    assert.match(await page.locator('#legend').textContent(), /Blocks of A, along x.*Blocks of B, along y/s);
    await screenshot(page, `gemm-${kind}`);
  });
}
