// SPDX-License-Identifier: Apache-2.0
// Dead links and nodes are drawn greyed, and stay in their places.
import assert from 'node:assert/strict';
import {join} from 'node:path';
import {after, test} from 'node:test';
import {clickNode, closeBrowser, gossamer, lookAt, makePlan, open, scratch, screenshot, scrub} from './browser.mjs';

after(closeBrowser);

/** Colours that occur in a box of the page, as "r,g,b", the most frequent first. */
async function coloursAt(page, x, y, size) {
  const png = (await page.screenshot({clip: {x: x - size / 2, y: y - size / 2, width: size, height: size}})).toString('base64');
  return page.evaluate(async (source) => {
    const image = new Image();
    image.src = `data:image/png;base64,${source}`;
    await image.decode();
    const canvas = Object.assign(document.createElement('canvas'), {width: image.width, height: image.height});
    const context = canvas.getContext('2d');
    context.drawImage(image, 0, 0);
    const counts = new Map();
    const {data} = context.getImageData(0, 0, image.width, image.height);
    for (let i = 0; i < data.length; i += 4) {
      const colour = `${data[i]},${data[i + 1]},${data[i + 2]}`;
      counts.set(colour, (counts.get(colour) ?? 0) + 1);
    }
    return [...counts].sort((a, b) => b[1] - a[1]).map(([colour]) => colour);
  }, png);
}

const DEAD = '163,168,175';

test('dead links and nodes are grey and dashed, and their rows say so', async (t) => {
  const directory = scratch(t);
  makePlan(directory, 'plan', 'gossip --dims 6x5 --dead-link 1,1:x+ --dead-node 4,3 --dead-core 0,4 --packets 2');
  gossamer(directory, 'view', 'plan.json', '-o', 'view.html');
  const page = await open(t, join(directory, 'view.html'));
  const at = (node) => page.evaluate((n) => window.gossamer.clientPosition(n), node);
  const grey = async (node) => {
    const {x, y} = await at(node);
    return (await coloursAt(page, x, y, 4))[0] === DEAD;
  };
  await scrub(page, 20);
  assert.ok(await grey(4 + 6 * 3), 'the dead node');
  assert.ok(await grey(0 + 6 * 4), 'the dead core');
  assert.ok(!await grey(2 + 6 * 2), 'no live node');
  // A dead node stays grey while others learn.
  const early = await lookAt(page, 4 + 6 * 3);
  await scrub(page, 3);
  assert.equal(await lookAt(page, 4 + 6 * 3), early);
  // Halfway between the ends of the dead link, and of a live one beside it.
  const between = async (a, b) => {
    const [from, to] = [await at(a), await at(b)];
    // A thin line is blended with its background: the test checks only whether it has a colour.
    return (await coloursAt(page, (from.x + to.x) / 2, (from.y + to.y) / 2, 40)).map((colour) => colour.split(',').map(Number))
      .filter((rgb) => Math.max(...rgb) < 240).map((rgb) => Math.max(...rgb) - Math.min(...rgb) < 20);
  };
  const dead = await between(7, 8);
  assert.ok(dead.length > 0 && dead.every((isGrey) => isGrey), 'the dead link');
  const live = await between(8, 9);
  assert.ok(live.length > 0 && !live.every((isGrey) => isGrey), 'a live link');
  await clickNode(page, 7);
  const rows = async () => page.locator('#node-table tbody tr').evaluateAll((trs) => trs.map((tr) => [...tr.cells].map((c) => c.textContent)));
  assert.deepEqual((await rows()).filter((row) => row[1] === 'dead'), [['x+', 'dead', '-', '-']]);
  await clickNode(page, 4 + 6 * 3);
  assert.equal(await page.locator('#node-at').textContent(), 'at (4, 3), dead');
  assert.equal((await rows()).filter((row) => row[1] === 'dead').length, 4);
  assert.match(await page.locator('#legend').textContent(), /Grey and dashed is what is dead/);
  await screenshot(page, 'faults');
});
