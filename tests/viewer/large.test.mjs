// SPDX-License-Identifier: Apache-2.0
// A 128x128 torus: plays immediately, while the rest is computed.
import assert from 'node:assert/strict';
import {join} from 'node:path';
import {after, test} from 'node:test';
import {closeBrowser, gossamer, open, scratch, screenshot} from './browser.mjs';

after(closeBrowser);

test('a 128x128 torus plays before all of it is computed', async (t) => {
  const directory = scratch(t);
  gossamer(directory, 'plan', 'gossip', '--dims', '128x128', '-o', 'plan.json');
  gossamer(directory, 'view', 'plan.json', '-o', 'view.html');
  const page = await open(t, join(directory, 'view.html'), {wait: false});
  await page.keyboard.press(' ');
  await page.waitForFunction(() => window.gossamer.clock > 2, null, {timeout: 60000, polling: 50});
  assert.equal(await page.evaluate(() => window.gossamer.ready), false);
  await page.keyboard.press(' ');
  await page.waitForFunction(() => window.gossamer.ready, null, {timeout: 240000, polling: 500});
  const coverage = await page.evaluate(() => window.gossamer.coverage());
  assert.equal(coverage.length, 8193);
  assert.equal(coverage.at(-1), 1);
  assert.ok(coverage.at(-2) < 1);
  // Back from the end: the steps computed first are still available.
  await page.keyboard.press('End');
  await page.keyboard.press('ArrowLeft');
  const late = await page.evaluate(() => window.gossamer.linksShown());
  await page.keyboard.press('Home');
  await page.keyboard.press('End');
  await page.keyboard.press('ArrowLeft');
  assert.deepEqual(await page.evaluate(() => window.gossamer.linksShown()), late);
  await screenshot(page, 'torus-128x128');
});
