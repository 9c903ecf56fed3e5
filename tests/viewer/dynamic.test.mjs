// SPDX-License-Identifier: Apache-2.0
// Dynamic broadcasts: the run of a load, interval by interval.
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {after, test} from 'node:test';
import {closeBrowser, gossamer, open, scratch, screenshot, scrub} from './browser.mjs';

after(closeBrowser);

/** The page of a dynamic broadcast, and the run that it holds. */
async function show(t, directory, request, load) {
  gossamer(directory, 'plan', 'dynamic-broadcast', ...request.split(' '), '-o', 'plan.json');
  gossamer(directory, 'view', 'plan.json', ...(load ? ['--load', load] : []), '-o', 'view.html');
  const text = readFileSync(join(directory, 'view.html'), 'utf8');
  const [document] = JSON.parse(text.match(/<script id="plans" type="application\/json">([^]*?)<\/script>/)[1]);
  return {document, page: await open(t, join(directory, 'view.html'))};
}

/** Rows {step, from, port, packet} of a flat trace. */
function rowsOf(trace) {
  const rows = [];
  for (let at = 0; at < trace.length; at += 5) rows.push({step: trace[at], from: trace[at + 2], port: trace[at + 3], packet: trace[at + 4]});
  return rows;
}

for (const request of ['--topology torus --dims 5x5 --load 0.4', '--topology mesh --dims 4x4 --load 0.3 --splitting whole',
  '--topology torus --dims 4x4 --load 0.4 --interval exact --flits 16 --prefix-flits 3']) {
  test(`${request}: every interval broadcasts as gossamer simulate says`, async (t) => {
    const directory = scratch(t);
    const {document, page} = await show(t, directory, request);
    const {plan, dynamic, trace, steps} = document;
    const rows = rowsOf(trace);
    const whole = request.includes('whole') ? ['--splitting', 'whole'] : [];
    const clock = ['--flits', String(plan.program.clock?.flits ?? plan.program.flits), '--prefix-flits', String(plan.program.clock?.prefix_flits ?? plan.program.prefix_flits)];
    let end = 0;
    for (const [index, [first, last]] of dynamic.intervals.entries()) {
      assert.ok(first > end && last <= steps);
      end = last;
      if (index >= 4) continue;
      // The same active nodes as a partial broadcast of its own.
      const numbers = new Map(dynamic.packets.flatMap(([node, , interval], number) => (interval === index ? [[number, node]] : [])));
      const [nx] = plan.topology.dims;
      const active = [...numbers.values()].map((node) => `${node % nx},${Math.floor(node / nx)}`).join(';');
      gossamer(directory, 'plan', 'partial-broadcast', '--topology', plan.topology.kind, '--dims', plan.topology.dims.join('x'), ...whole, ...clock,
        '--active', active, '-o', 'partial.json');
      const csv = execFileSync(process.env.GOSSAMER, ['simulate', 'partial.json', '--trace', '-'], {cwd: directory, encoding: 'utf8'});
      const wanted = csv.trimEnd().split('\n').slice(1).map((line) => line.split(',').map(Number));
      const found = rows.filter(({step}) => step >= first && step <= last);
      // One shift for the whole interval: the prefix comes first.
      const shift = found[0].step - wanted[0][0];
      assert.ok(shift >= first - 1);
      assert.deepEqual(
        found.map(({step, from, port, packet}) => [step - shift, from, port, numbers.get(Math.floor(packet / dynamic.parts)) * dynamic.parts + (packet % dynamic.parts)]),
        wanted.map(([step, , from, port, packet]) => [step, from, port, packet]));
    }
    // The page draws exactly the trace.
    const ports = 2 * plan.topology.dims.length;
    for (const {step} of [rows[0], rows[rows.length >> 1], rows.at(-1)]) {
      await scrub(page, step);
      const links = await page.evaluate(() => window.gossamer.linksShown());
      const wanted = new Array(links.length).fill(-1);
      for (const row of rows) if (row.step === step) wanted[row.from * ports + row.port] = row.packet;
      assert.deepEqual(links, wanted);
    }
    // At the end all nodes have all broadcast packets.
    const broadcasts = dynamic.packets.filter(([, , interval]) => interval !== null).length;
    const known = await page.evaluate((step) => window.gossamer.known(step), steps);
    assert.deepEqual(known, known.map(() => broadcasts * dynamic.parts));
  });
}

test('queues, delays and the packet that is followed are those of the run', async (t) => {
  const directory = scratch(t);
  const {document, page} = await show(t, directory, '--dims 8x8 --load 0.1', '0.4');
  const {dynamic, steps} = document;
  assert.equal(dynamic.load, 0.4);
  const perUnit = dynamic.steps_per_unit;
  assert.match(await page.locator('#figures').textContent(), /^first \d+ broadcasts of the run at load 0\.4 \(stable below 0\.\d+\), intervals bound, queue depth \d+$/);
  const queued = await page.evaluate(() => window.gossamer.waiting());
  for (const step of [0, Math.floor(steps / 3), Math.floor(steps / 2), steps - 1]) {
    await scrub(page, step);
    const wanted = new Array(64).fill(0);
    for (const [node, arrival, interval] of dynamic.packets) {
      const done = interval !== null && dynamic.intervals[interval][1] <= step;
      if (arrival * perUnit <= step && !done) ++wanted[node];
    }
    assert.deepEqual(await page.evaluate((at) => window.gossamer.queued(at), step), wanted);
    assert.equal(queued[step], wanted.reduce((a, b) => a + b));
  }
  // The start of an interval agrees with the arrivals.
  const [first, , start, , waiting] = dynamic.intervals[1];
  assert.equal(dynamic.packets.filter(([, arrival, interval]) => arrival <= start && !(interval < 1 && interval !== null)).length, waiting);
  await scrub(page, first);
  assert.match(await page.locator('.title').textContent(), new RegExp(`interval 2: \\d+ of ${waiting} waiting packets broadcast`));
  await scrub(page, steps);
  const ended = dynamic.packets.filter(([, , interval]) => interval !== null);
  const mean = ended.reduce((sum, [, arrival, interval]) => sum + dynamic.intervals[interval][3] - arrival, 0) / ended.length;
  assert.ok((await page.locator('.title').textContent()).endsWith(`${ended.length} broadcasts done, mean delay so far ${mean.toFixed(2)} units`));

  // The panel of a node that broadcasts first, and its packet.
  const [node, arrival] = dynamic.packets[0];
  const [, , begin, end] = dynamic.intervals[0];
  await page.locator('#node').fill(String(node));
  const row = await page.locator('#node-table tbody tr').first().locator('td').allTextContents();
  assert.deepEqual(row, [`0 to ${dynamic.parts - 1}`, arrival.toFixed(2), `${begin.toFixed(2)} to ${end.toFixed(2)}`, (end - arrival).toFixed(2)]);
  await scrub(page, dynamic.intervals[0][0]);
  // The number field would keep the key.
  await page.locator('#scrub').focus();
  await page.keyboard.press('f');
  assert.equal(await page.evaluate(() => window.gossamer.followed), 0);
  assert.match(await page.locator('#packet-at').textContent(), new RegExp(`^part 0 of a packet of node ${node}, arrived at ${arrival.toFixed(2)}`));
  await scrub(page, rowsOf(document.trace)[200].step);
  await screenshot(page, 'dynamic-broadcast');
});

test('a header says only what the plan knows', async (t) => {
  const directory = scratch(t);
  for (const request of ['gossip --dims 4x4', 'broadcast --topology mesh --dims 5x6 --algorithm tree', 'partial-exchange --dims 4x4 --active random:5:1',
    'dynamic-broadcast --dims 4x4 --load 0.3']) {
    gossamer(directory, 'plan', ...request.split(' '), '-o', 'plan.json');
    gossamer(directory, 'view', 'plan.json', '-o', 'view.html');
    const page = await open(t, join(directory, 'view.html'));
    const {expected = {}} = JSON.parse(readFileSync(join(directory, 'plan.json'), 'utf8'));
    const figures = await page.locator('#figures').textContent();
    assert.doesNotMatch(figures, /\?|null|undefined|NaN/);
    const last = await page.evaluate(() => window.gossamer.lastStep);
    const steps = expected.analytic_steps ? `${expected.analytic_steps} steps by the formula` : `${last} steps in this run`;
    if (!request.startsWith('dynamic')) assert.ok(figures.startsWith(steps), figures);
  }
});

test('two runs side by side keep their proportions whatever the lines of their titles', async (t) => {
  const directory = scratch(t);
  for (const interval of ['bound', 'exact']) {
    gossamer(directory, 'plan', 'dynamic-broadcast', '--dims', '8x8', '--load', '0.4', '--interval', interval, '-o', `${interval}.json`);
  }
  gossamer(directory, 'view', 'bound.json', 'exact.json', '-o', 'view.html');
  const page = await open(t, join(directory, 'view.html'));
  const distortions = () => page.evaluate(() => [...document.querySelectorAll('.drawing canvas')]
    .map((canvas) => (canvas.width / canvas.height) / (canvas.clientWidth / canvas.clientHeight)));
  for (const step of [0, 100, 300, 500]) {
    await scrub(page, step);
    await page.waitForTimeout(100);
    for (const distortion of await distortions()) assert.ok(Math.abs(distortion - 1) < 0.01, `step ${step}: ${distortion}`);
  }
  await page.setViewportSize({width: 1000, height: 700});
  await page.waitForTimeout(200);
  for (const distortion of await distortions()) assert.ok(Math.abs(distortion - 1) < 0.01, `${distortion}`);
  assert.equal((await page.locator('.title').allTextContents()).filter((text) => text.includes('step 500 of')).length, 2);
  await screenshot(page, 'dynamic-broadcast-compared');
});
