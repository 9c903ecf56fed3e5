// SPDX-License-Identifier: Apache-2.0
// Documents with a trace, as for programs of machines other than stream.
import assert from 'node:assert/strict';
import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {after, test} from 'node:test';
import {checkLinks, clickNode, closeBrowser, gossamer, linksOf, makePlan, open, receiver, scratch, screenshot, scrub} from './browser.mjs';

after(closeBrowser);

/** The page of a plan, with another document in the plan's place. */
function withDocument(directory, document) {
  gossamer(directory, 'view', 'plan.json', '-o', 'view.html');
  const page = readFileSync(join(directory, 'view.html'), 'utf8');
  const changed = page.replace(/(<script id="plans" type="application\/json">)[^]*?(<\/script>)/,
    (_, head, tail) => head + JSON.stringify([document]) + tail);
  assert.notEqual(changed, page);
  writeFileSync(join(directory, 'view.html'), changed);
  return join(directory, 'view.html');
}

const flat = (trace) => trace.flatMap(({step, hop, from, port, packet}) => [step, hop, from, port, packet]);

test('a trace is shown as the plan that it came from is', async (t) => {
  const directory = scratch(t);
  const made = makePlan(directory, 'plan', 'gossip --dims 4x4');
  gossamer(directory, 'view', 'plan.json', '-o', 'executed.html');
  const executed = await open(t, join(directory, 'executed.html'));
  const page = await open(t, withDocument(directory, {plan: made.plan, trace: flat(made.trace)}));
  for (let step = 0; step <= made.trace.at(-1).step; ++step) {
    await scrub(page, step);
    assert.deepEqual(await page.evaluate(() => window.gossamer.linksShown()), linksOf(made, step));
    const known = (s) => window.gossamer.known(s);
    assert.deepEqual(await page.evaluate(known, step), await executed.evaluate(known, step));
  }
  const coverage = () => window.gossamer.coverage();
  assert.deepEqual(await page.evaluate(coverage), await executed.evaluate(coverage));
});

test('a cut-through broadcast informs the ends of its sends, not the nodes on the way', async (t) => {
  const directory = scratch(t);
  makePlan(directory, 'plan', 'gossip --dims 5x5');
  // From node 6: in step 1 over two links to 8 and by one to 1; in step 2 from 8 to 9 and from 6 to
  // 7, the node that was passed.
  const trace = [[1, 0, 6, 1, 0], [1, 0, 6, 2, 0], [1, 1, 7, 1, 0], [2, 0, 6, 1, 0], [2, 0, 8, 1, 0]];
  const plan = {
    topology: {kind: 'mesh', dims: [5, 5]}, collective: 'broadcast', algorithm: 'by hand',
    expected: {analytic_steps: 2, lower_bound_steps: null, queue_depth: 1}, program: {discipline: 'by hand'},
  };
  const page = await open(t, withDocument(directory, {plan, trace: trace.flat()}));
  const informed = async (step) => {
    const known = await page.evaluate((s) => window.gossamer.known(s), step);
    return known.flatMap((count, node) => (count ? [node] : []));
  };
  assert.deepEqual(await informed(0), [6]);
  assert.deepEqual(await informed(1), [1, 6, 8]);
  assert.deepEqual(await informed(2), [1, 6, 7, 8, 9]);
  await scrub(page, 1);
  assert.match(await page.locator('.title').textContent(), /step 1 of 2, 60.0 % delivered, total communication distance so far 3$/);
  await scrub(page, 2);
  assert.match(await page.locator('.title').textContent(), /step 2 of 2, 100.0 % delivered, total communication distance so far 5$/);
  await clickNode(page, 7);
  const rows = await page.locator('#node-table tbody tr').allTextContents();
  assert.deepEqual(rows, ['1 (hop 1)x+0']);
  await screenshot(page, 'broadcast');
});

for (const request of ['--topology mesh --dims 8x8', '--topology torus --dims 4x4x4 --source 1,2,3', '--topology mesh --dims 7x5 --algorithm min-tcd',
  '--topology mesh --dims 5x6 --algorithm tree']) {
  test(`broadcast ${request}: the nodes informed are the ends of the plan's sends`, async (t) => {
    const directory = scratch(t);
    const {plan} = makePlan(directory, 'plan', `broadcast ${request}`);
    gossamer(directory, 'simulate', 'plan.json', '--report', 'report.json');
    gossamer(directory, 'view', 'plan.json', '-o', 'view.html');
    const page = await open(t, join(directory, 'view.html'));
    const ports = ['x-', 'x+', 'y-', 'y+', 'z-', 'z+'];
    const informed = new Set([plan.demand.root]);
    const steps = await page.evaluate(() => window.gossamer.lastStep);
    assert.equal(steps, plan.expected.analytic_steps);
    for (let step = 1; step <= steps; ++step) {
      for (const [at, sender, path] of plan.program.table) {
        if (at !== step) continue;
        let node = sender;
        for (const {port, hops} of plan.program.paths[path]) {
          for (let hop = 0; hop < hops; ++hop) node = receiver(plan.topology, node, ports.indexOf(port));
        }
        informed.add(node);
      }
      const known = await page.evaluate((s) => window.gossamer.known(s), step);
      assert.deepEqual(known.flatMap((count, node) => (count ? [node] : [])), [...informed].sort((a, b) => a - b), `step ${step}`);
    }
    await scrub(page, steps);
    const report = JSON.parse(readFileSync(join(directory, 'report.json'), 'utf8'));
    assert.match(await page.locator('.title').textContent(), new RegExp(`100.0 % delivered, total communication distance so far ${report.tcd}$`));
    await scrub(page, steps - 1);
    await screenshot(page, `broadcast-${request.replace(/[^a-z0-9]+/g, '-').slice(1)}`);
  });
}

for (const request of ['partial-broadcast --dims 4x4 --active random:5:1', 'partial-exchange --dims 4x4 --active random:5:1',
  'partial-gather --dims 4x4 --active random:5:1', 'packing --dims 4x4 --active random:5:1', 'prefix --dims 4x4 --active random:5:1',
  'monotone-routing --dims 4x4 --active random:5:1 --targets random:5:2', 'line-broadcast --dims 6 --counts 1,0,2,0,0,1',
  'gossip --dims 4x4 --algorithm scheduled', 'gossip --topology mesh --dims 4x3 --algorithm folded']) {
  test(`${request}: the links carry what the trace says`, async (t) => {
    const directory = scratch(t);
    const made = makePlan(directory, 'plan', request);
    gossamer(directory, 'view', 'plan.json', '-o', 'view.html');
    const page = await open(t, join(directory, 'view.html'));
    await checkLinks(page, made);
    await screenshot(page, request.replace(/[^a-z0-9]+/g, '-'));
  });
}

test('a long table of sends is scrolled to those of the step, and leaves the charts in sight', async (t) => {
  const directory = scratch(t);
  const made = makePlan(directory, 'plan', 'partial-exchange --dims 6x6 --active random:12:1');
  gossamer(directory, 'view', 'plan.json', '-o', 'view.html');
  const page = await open(t, join(directory, 'view.html'));
  const {from, step} = made.trace.at(-1);
  assert.ok(made.trace.filter((row) => row.from === from).length > 20);
  await page.locator('#node').fill(String(from));
  await scrub(page, step);
  const box = await page.locator('#node-rows').boundingBox();
  const row = await page.locator('#node-table tr.now').last().boundingBox();
  assert.ok(box.height < 260);
  assert.ok(row.y >= box.y && row.y + row.height <= box.y + box.height + 1);
  const chart = await page.locator('#coverage').boundingBox();
  assert.ok(chart.y + chart.height <= 800 - 44);
});

/** The all-reduce of a ring in MSCCL XML: sums go round, then results. */
function ringAllReduce(ranks) {
  const step = (rank, s, type) => {
    const chunk = (rank - s + 2 * ranks) % ranks;
    return `<step s="${s}" type="${type}" srcbuf="i" srcoff="${chunk}" dstbuf="i" dstoff="${chunk}" cnt="1" depid="-1" deps="-1" hasdep="0"/>`;
  };
  const types = ['s', ...Array(ranks - 1).fill('rrcs'), ...Array(ranks - 2).fill('rcs'), 'r'];
  const gpus = Array.from({length: ranks}, (_, rank) => `<gpu id="${rank}" i_chunks="${ranks}" o_chunks="0" s_chunks="0">
    <tb id="0" send="${(rank + 1) % ranks}" recv="${(rank + ranks - 1) % ranks}" chan="0">${types.map((type, s) => step(rank, s, type)).join('')}</tb></gpu>`);
  return `<algo name="ring" proto="Simple" nchannels="1" nchunksperloop="${ranks}" ngpus="${ranks}" coll="allreduce" inplace="1">${gpus.join('')}</algo>`;
}

test('a converted schedule: a node knows a chunk when it has the contributions of all', async (t) => {
  const directory = scratch(t);
  writeFileSync(join(directory, 'ring.xml'), ringAllReduce(8));
  gossamer(directory, 'check', 'ring.xml', '--dims', '4x2', '--map', '0,1,2,3,7,6,5,4', '-o', 'plan.json');
  gossamer(directory, 'simulate', 'plan.json', '--trace', 'plan.csv');
  const trace = readFileSync(join(directory, 'plan.csv'), 'utf8').trimEnd().split('\n').slice(1).map((line) => {
    const [step, hop, from, port, packet] = line.split(',').map(Number);
    return {step, hop, from, port, packet};
  });
  gossamer(directory, 'view', 'plan.json', '-o', 'view.html');
  const page = await open(t, join(directory, 'view.html'));
  const plan = JSON.parse(readFileSync(join(directory, 'plan.json'), 'utf8'));
  assert.equal(await page.evaluate(() => window.gossamer.lastStep), 14);
  for (let step = 0; step <= 14; ++step) {
    await scrub(page, step);
    assert.deepEqual(await page.evaluate(() => window.gossamer.linksShown()), linksOf({plan, trace}, step));
    // The sums are complete after seven steps, then one per rank and step.
    assert.deepEqual(await page.evaluate((s) => window.gossamer.known(s), step), Array(8).fill(Math.max(0, step - 6)));
  }
  assert.match(await page.locator('.title').textContent(), /100.0 % delivered/);
  await scrub(page, 9);
  await screenshot(page, 'timetable');
});

test('a transfer occupies a slow link, which is thicker, for several steps', async (t) => {
  const directory = scratch(t);
  const made = makePlan(directory, 'plan', 'all-gather --topology mesh --dims 4x4 --chiplets 2x2 --die-link-rate 1/3 --packets 2');
  gossamer(directory, 'view', 'plan.json', '-o', 'view.html');
  const page = await open(t, join(directory, 'view.html'));
  const period = ({from, port}) => {
    const at = port < 2 ? from % 4 : Math.floor(from / 4);
    return at + (port & 1) === 2 ? 3 : 1;
  };
  const last = Math.max(...made.trace.map((row) => row.step + period(row) - 1));
  assert.equal(await page.evaluate(() => window.gossamer.lastStep), last);
  const load = await page.evaluate(() => window.gossamer.load());
  for (const step of [1, 2, 3, 4, last]) {
    await scrub(page, step);
    const links = Array(64).fill(-1);
    const elapsed = Array(64).fill(0);
    const known = Array(16).fill(2);
    for (const row of made.trace) {
      const end = row.step + period(row) - 1;
      const link = row.from * 4 + row.port;
      if (end <= step) ++known[receiver(made.plan.topology, row.from, row.port)];
      if (row.step > step || end < step) continue;
      links[link] = row.packet;
      elapsed[link] = step - row.step;
    }
    assert.deepEqual(await page.evaluate(() => window.gossamer.linksShown()), links);
    assert.deepEqual(await page.evaluate(() => window.gossamer.elapsedShown()), elapsed);
    assert.deepEqual(await page.evaluate((s) => window.gossamer.known(s), step), known);
    // 48 directed links.
    assert.ok(Math.abs(load[step] - links.filter((packet) => packet >= 0).length / 48) < 1e-6);
  }
  // Node 1 sends to node 0 inside a chiplet, and to node 2 in another one.
  assert.equal(await page.evaluate(() => window.gossamer.strokesOf(1 * 4 + 0)), 1);
  assert.equal(await page.evaluate(() => window.gossamer.strokesOf(1 * 4 + 1)), 3);
  await screenshot(page, 'chiplets');
});
