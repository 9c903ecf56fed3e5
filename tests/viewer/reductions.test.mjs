// SPDX-License-Identifier: Apache-2.0
// Reductions: partial sums, results at their arrival. Elastic plans: takes, rounds, waiting flits.
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {after, test} from 'node:test';
import {checkLinks, clickNode, closeBrowser, gossamer, open, scratch, screenshot, scrub} from './browser.mjs';

after(closeBrowser);

/** Plans, runs and opens a request; its plan, trace by columns, and page. */
async function played(t, request, {simulate = [], view = [], ...options} = {}) {
  const directory = scratch(t);
  gossamer(directory, 'plan', ...request.split(' '), '-o', 'plan.json');
  gossamer(directory, 'simulate', 'plan.json', '--trace', 'plan.csv', ...simulate);
  gossamer(directory, 'view', 'plan.json', '-o', 'view.html', ...view);
  const [head, ...lines] = readFileSync(join(directory, 'plan.csv'), 'utf8').trimEnd().split('\n');
  const columns = head.split(',');
  const trace = lines.map((line) => {
    const numbers = line.split(',').map(Number);
    return Object.fromEntries(columns.map((name, i) => [name === 'cycle' ? 'step' : name, numbers[i]]));
  });
  const plan = JSON.parse(readFileSync(join(directory, 'plan.json'), 'utf8'));
  return {plan, trace, page: await open(t, join(directory, 'view.html'), options)};
}

for (const request of ['all-reduce --dims 4x4', 'reduce-scatter --topology mesh --dims 4x3', 'reduce --dims 5x3 --source 2,1',
  'all-reduce --topology mesh --dims 4x4 --algorithm three-trees --words 12', 'all-reduce --dims 4x4 --algorithm partners', 'barrier --dims 4x4x4']) {
  test(`${request}: sums hold on every link what the trace says`, async (t) => {
    const made = await played(t, request);
    const {page, plan, trace} = made;
    const nodes = plan.topology.dims.reduce((product, side) => product * side, 1);
    const ports = 2 * plan.topology.dims.length;
    const last = await page.evaluate(() => window.gossamer.lastStep);
    assert.equal(last, trace.at(-1).step);
    const shown = await checkLinks(page, made, 'partsShown');
    for (const row of trace) assert.equal(shown[row.step - 1].partsShown[row.from * ports + row.port], row.terms / nodes);
    // Every node has all results, or its own, or the root has all.
    const known = await page.evaluate((step) => window.gossamer.known(step), last);
    const {to, root, pieces} = plan.demand;
    assert.deepEqual(known, known.map((_, node) => (to === 'root' ? (node === root ? pieces : 0) : to === 'owner' ? pieces / nodes : pieces)));
    assert.match(await page.locator('.title').textContent(), /100.0 % delivered/);
    await scrub(page, Math.ceil(last / 2));
    await clickNode(page, 1);
    assert.match(await page.locator('#node-table thead').textContent(), /sum of/);
    await screenshot(page, `reduction-${request.replace(/[^a-z0-9]+/g, '-')}`);
  });
}

test('all-to-all: a node counts the packets that are for it', async (t) => {
  const made = await played(t, 'all-to-all --dims 4x4');
  const {page} = made;
  await checkLinks(page, made);
  assert.deepEqual(await page.evaluate(() => window.gossamer.known(window.gossamer.lastStep)), Array(16).fill(15));
  assert.match(await page.locator('.title').textContent(), /100.0 % delivered/);
  await screenshot(page, 'all-to-all');
});

for (const [collective, colorScheme] of [['all-gather', 'light'], ['all-reduce', 'dark']]) {
  test(`elastic ${collective}: takes by the cycle, and what waits before a link`, async (t) => {
    const stall = ['--stall', 'random:3:224,160,224'];
    const made = await played(t, `${collective} --dims 4x4 --elastic --flits 6 --chunk 2 --link-latency 2`,
      {simulate: stall, view: stall, colorScheme});
    const {page, plan, trace} = made;
    const ports = 2 * plan.topology.dims.length;
    const last = trace.at(-1).step;
    assert.equal(await page.evaluate(() => window.gossamer.lastStep), last);
    let most = 0;
    let fullest = 1;
    const shown = await checkLinks(page, made, 'waitingShown');
    for (const [i, {title, linksShown: links, waitingShown: waiting}] of shown.entries()) {
      const cycle = i + 1;
      waiting.forEach((packet, link) => {
        if (packet < 0) return;
        // It waits for an idle link, and is the next flit to cross it.
        assert.equal(links[link], -1);
        assert.equal(trace.find((row) => row.step > cycle && row.from * ports + row.port === link).packet, packet);
      });
      const count = waiting.filter((packet) => packet >= 0).length;
      assert.match(title, new RegExp(`cycle ${cycle} of ${last}, .*, ${count} links stalled`));
      if (count > most) [most, fullest] = [count, cycle];
    }
    assert.ok(most > 5);
    assert.match(await page.locator('.title').textContent(), /100.0 % delivered/);
    assert.match(await page.locator('#figures').textContent(), /without stalls, stalls random:3:224,160,224/);
    await scrub(page, fullest);
    await clickNode(page, 5);
    assert.match(await page.locator('#node-table thead').textContent(), /flitwaited/);
    assert.match(await page.locator('#legend').textContent(), /first, third, .* round.*second, fourth, .* round.*waits/s);
    await screenshot(page, `elastic-${collective}`);
  });
}
