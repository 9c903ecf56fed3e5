// SPDX-License-Identifier: Apache-2.0
// The page of a workload: two lanes per network, zoom and tips.
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {after, test} from 'node:test';
import {fileURLToPath} from 'node:url';
import {closeBrowser, gossamer, open, scratch, screenshot} from './browser.mjs';

after(closeBrowser);

const example = fileURLToPath(new URL('../../examples/workloads/megatron-layer.yaml', import.meta.url));

async function show(t, ...options) {
  const directory = scratch(t);
  gossamer(directory, 'workload', example, '--dims', '8x8', '--link-bits', '256', '--report', 'w.json', ...options);
  gossamer(directory, 'view', 'w.json', '-o', 'view.html');
  return {result: JSON.parse(readFileSync(join(directory, 'w.json'), 'utf8')), page: await open(t, join(directory, 'view.html'))};
}

test('every run of both networks is in its lane, and a tip describes it', async (t) => {
  const {result, page} = await show(t);
  const lanes = await page.evaluate(() => window.gossamer.runs());
  const wanted = [result, result.conventional].map(({timeline}) => [true, false].map((computes) => timeline
    .filter(({collective}) => (collective === null) === computes)
    .map(({step, run, start_ns: start, end_ns: end}) => ({step, run, start, end}))));
  assert.deepEqual(lanes.map((network) => network.map((lane) => lane.map(({x, y, ...run}) => run))), wanted);
  const box = await page.locator('#timeline').boundingBox();
  for (const run of lanes.flat(2)) {
    await page.mouse.move(box.x + run.x, box.y + run.y);
    const tip = await page.locator('#tip').textContent();
    assert.ok(tip.startsWith(`${run.step}, run ${run.run}: `), tip);
  }
  const gather = lanes[0][1].find(({step}) => step === 'gather-mlp');
  await page.mouse.move(box.x + gather.x, box.y + gather.y);
  assert.match(await page.locator('#tip').textContent(), /^gather-mlp, run 1: all-gather of 2 MiB, 229\.4 us from /);
  const cells = await page.locator('#networks tbody').textContent();
  assert.ok(cells.startsWith('gossamer5.341 ms3.348 ms3.342 ms1.993 ms'), cells);
  assert.match(await page.locator('#figures').textContent(), /speed-up 1\.69$/);
  // A collective has the colour of its row in the table.
  const shade = await page.evaluate(({x, y}) => [...document.getElementById('timeline').getContext('2d')
    .getImageData(Math.round(x), Math.round(y) - 12, 1, 1).data], gather);
  assert.deepEqual(shade, [0, 0x72, 0xb2, 255]);
  await screenshot(page, 'workload');
});

test('the time is zoomed and moved, and never leaves the workload', async (t) => {
  const {result, page} = await show(t, '--plans-only');
  const shown = () => page.evaluate(() => window.gossamer.shown);
  assert.deepEqual(await shown(), [0, result.total_ns]);
  assert.equal((await page.evaluate(() => window.gossamer.runs())).length, 1);
  const box = await page.locator('#timeline').boundingBox();
  const [, [run]] = (await page.evaluate(() => window.gossamer.runs()))[0];
  await page.mouse.move(box.x + run.x, box.y + run.y);
  for (let i = 0; i < 3; ++i) await page.mouse.wheel(0, -100);
  await page.waitForFunction((total) => window.gossamer.shown[1] - window.gossamer.shown[0] < total / 1.7, result.total_ns);
  // The time at the pointer stays there.
  const zoomed = (await page.evaluate(() => window.gossamer.runs()))[0][1][0];
  assert.ok(Math.abs(zoomed.x - run.x) < 1);
  await page.keyboard.press('ArrowLeft');
  assert.equal((await shown())[0], 0);
  for (let i = 0; i < 20; ++i) await page.keyboard.press('ArrowRight');
  assert.equal((await shown())[1], result.total_ns);
  await page.keyboard.press('0');
  assert.deepEqual(await shown(), [0, result.total_ns]);
});
