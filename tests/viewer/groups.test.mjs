// SPDX-License-Identifier: Apache-2.0
// Plans of groups: packets and links in the colour of their group, and counts of what members need.
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {after, test} from 'node:test';
import {clickNode, closeBrowser, gossamer, open, range, scratch, screenshot, scrub, shownIn} from './browser.mjs';

after(closeBrowser);

// Words, groups, members' final counts by rank, and the legend.
const CASES = [
  ['all-gather --dims 4x4 --groups x --packets 2', 4, () => 8],
  ['all-gather --dims 4x4 --groups 2x2 --group-stride 2 --packets 1', 4, () => 4],
  ['all-gather --dims 4x8 --groups 2x8 --group-stride 2x1 --packets 2', 2, () => 32],
  ['all-to-all --dims 4x4 --groups 2x2 --group-stride 2', 4, () => 3],
  ['reduce --dims 4x4 --groups 4x2 --words 3 --source 1,1', 2, (rank) => (rank === 5 ? 3 : 0)],
  ['broadcast --dims 4x4 --groups y --packets 5 --source 0,2', 4, () => 5],
  ['all-reduce --dims 4x4 --groups x --words 4', 4, () => 4],
];

for (const [words, count, final] of CASES) {
  test(`${words}: packets have the colours of ${count} groups`, async (t) => {
    const directory = scratch(t);
    gossamer(directory, 'plan', ...words.split(' '), '-o', 'plan.json');
    gossamer(directory, 'simulate', 'plan.json', '--trace', 'plan.csv');
    gossamer(directory, 'view', 'plan.json', '-o', 'view.html');
    const page = await open(t, join(directory, 'view.html'));
    const {groups, topology} = JSON.parse(readFileSync(join(directory, 'plan.json')));
    const last = await page.evaluate(() => window.gossamer.lastStep);
    const nodes = topology.dims.reduce((a, b) => a * b, 1);

    const links = Array.from({length: last + 1}, () => Array(4 * nodes).fill(-1));
    for (const line of readFileSync(join(directory, 'plan.csv'), 'utf8').trimEnd().split('\n').slice(1)) {
      const [step, , from, port, packet] = line.split(',').map(Number);
      links[step][4 * from + port] = packet;
    }
    const shown = await shownIn(page, range(1, last), 'linksShown');
    assert.deepEqual(shown.map(({linksShown}) => linksShown), links.slice(1));

    const [width] = topology.dims;
    const at = (node) => [node % width, Math.floor(node / width)];
    const rank = (node) => {
      const [x, y] = at(node).map((value, i) => Math.floor(value / groups.stride[i]) % groups.shape[i]);
      return x + groups.shape[0] * y;
    };
    assert.deepEqual(await page.evaluate((step) => window.gossamer.known(step), last), range(0, nodes - 1).map((node) => final(rank(node))));
    assert.match(await page.locator('.title').textContent(), /100.0 % delivered/);
    assert.match(await page.locator('#legend').textContent(), count > 1 ? /Group 0.*Group 1/s : /Group 0/);
    // A link between neighbours of one group has the group's colour, and others have none.
    const coloured = await page.evaluate(() => window.gossamer.groupsOfLinks());
    assert.equal(new Set(coloured.filter((group) => group >= 0)).size, Math.max(...groups.stride) > 1 && groups.stride.every((s, i) => s > 1 || groups.shape[i] === 1) ? 0 : count);
    await scrub(page, 1);
    await clickNode(page, 5);
    await screenshot(page, `groups-${words.replaceAll(/[^a-z0-9]+/g, '-')}`);
  });
}
