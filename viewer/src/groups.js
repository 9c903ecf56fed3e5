// SPDX-License-Identifier: Apache-2.0
// Groups of links: the walks that packets follow, or the step of a tree.
import {Network, nodeGroups, portName, portNumbers} from './network.js';

/** By slot and link the number of its group (-1: always idle), the number of groups, their names. */
export function linkGroups(network, document) {
  const {plan, trace, dynamic} = document;
  if (dynamic) return dimensionGroups(network);
  const own = packetGroups(document);
  if (plan.groups) return {slots: [linksInGroups(network, plan.groups)], ...own};
  if (own) return {slots: [new Int32Array(network.links).fill(-1)], ...own};
  return coloursSteps(document) ? stepGroups(network, trace) : feedGroups(network, plan);
}

/** Whether colours represent the steps of a trace: not for reductions and elastic plans with feed tables. */
export function coloursSteps(document) {
  return document.trace !== undefined && !document.dynamic && !packetGroups(document)
    && !(Array.isArray(document.plan.program.ports) && document.learned);
}

/**
 * If a link carries packets of several groups in turn, packets have colours: {count, name, of(packet, flit)}.
 * Otherwise undefined.
 */
export function packetGroups({plan, flits, pairs}) {
  if (plan.groups) return packetsOfGroups(plan);
  if (pairs) {
    const nodes = plan.topology.dims.reduce((product, side) => product * side, 1);
    return {
      count: 2,
      name: (i) => `Blocks of ${'AB'[i]}, along ${'xy'[i]}`,
      of: (packet) => (packet < nodes ? 0 : 1),
    };
  }
  const {period, own_words: streams, elastic} = plan.program ?? {};
  if (period) return {count: streams, name: (i) => `Tree ${i + 1}`, of: (packet) => packet % streams};
  if (!flits) return undefined;
  return {
    count: Math.min(2, elastic.rounds),
    name: (i) => (elastic.rounds < 2 ? 'Flits' : `Flits of the ${i ? 'second, fourth, ...' : 'first, third, ...'} round`),
    of: (_, flit) => Math.floor(flit / elastic.chunk) % 2,
  };
}

/** The packets of each group of nodes. Ids belong to a node, or to a group where words have no owner. */
function packetsOfGroups({groups: told, topology, demand}) {
  const network = new Network(topology);
  const groups = nodeGroups(network, told);
  const groupOf = Int32Array.from({length: network.nodes}, (_, node) => groups.of(node));
  const copies = demand.operation === 'copy';
  const byOwner = !copies && (demand.to === 'owner' || told.ids === 'node');
  const byGroup = copies ? demand.from === 'root' : !byOwner;
  const pieces = byOwner ? demand.pieces / groups.members : demand.pieces;
  const each = copies && demand.to.startsWith('each') ? pieces * network.nodes : pieces;
  return {
    count: groups.count,
    name: (i) => `Group ${i}`,
    of: (packet) => (byGroup ? Math.floor(packet / each) : groupOf[Math.floor(packet / each)]),
  };
}

/** Links between neighbours of one group have its colour; links that groups share have none. */
function linksInGroups(network, told) {
  const groups = nodeGroups(network, told);
  return Int32Array.from(network.head, (head, link) => {
    const group = groups.of(Math.floor(link / network.ports));
    return head >= 0 && groups.of(head) === group ? group : -1;
  });
}

/** Links that all packets share in turn: one colour for each dimension. */
function dimensionGroups(network) {
  const groups = Int32Array.from(network.head, (head, link) => (head < 0 ? -1 : (link % network.ports) >> 1));
  return {slots: [groups], count: network.dims.length, name: (i) => `Links along ${portName(2 * i).slice(0, -1)}`};
}

/** Links in use, by the port at their start. */
function directionGroups(network, slots) {
  const groups = slots.map((used) => used.map((group, link) => (group < 0 ? -1 : link % network.ports)));
  return {slots: groups, count: network.ports, name: (i) => `Links to ${portName(i)}`};
}

/** Without feed tables a link's colour is the step in which a packet first crosses it. */
function stepGroups(network, trace) {
  const groups = new Int32Array(network.links).fill(-1);
  let count = 0;
  for (let at = 0; at < trace.length; at += 5) {
    const link = trace[at + 2] * network.ports + trace[at + 3];
    if (groups[link] < 0) groups[link] = trace[at] - 1;
    count = Math.max(count, trace[at]);
  }
  return {slots: [groups], count, name: (i) => `Step ${i + 1}`};
}

/** Queues (link and slot) connected by a feed form a group. */
function feedGroups(network, plan) {
  const {program} = plan;
  const frame = program.frame ?? 1;
  const width = network.ports * frame;
  const parent = new Int32Array(network.links * frame).map((_, queue) => queue);
  const find = (queue) => {
    while (parent[queue] !== queue) {
      parent[queue] = parent[parent[queue]];
      queue = parent[queue];
    }
    return queue;
  };
  const numbers = portNumbers(network, frame);
  const used = new Uint8Array(network.links * frame);
  program.table.forEach((row, node) => {
    // After the ports come a reduction's ranks.
    row.slice(0, width).forEach((code, port) => {
      const entry = program.ports[code];
      const queue = node * width + port;
      const feeds = [...entry.feed, ...(entry.early_feed ?? [])];
      if (feeds.length || entry.preload.length) used[queue] = 1;
      for (const name of feeds) {
        const inPort = numbers.get(name);
        const direction = Math.floor(inPort / frame);
        const sender = network.head[node * network.ports + direction];
        if (sender < 0) continue;
        const feeder = sender * width + (direction ^ 1) * frame + (inPort % frame);
        used[feeder] = 1;
        parent[find(queue)] = find(feeder);
      }
    });
  });
  // A Hamiltonian cycle that is used in both directions is one group: join a link with its
  // opposite.
  if (frame === 1) {
    for (let link = 0; link < network.links; ++link) {
      const to = network.head[link];
      if (to < 0 || !used[link]) continue;
      const back = to * network.ports + ((link % network.ports) ^ 1);
      if (used[back]) parent[find(link)] = find(back);
    }
  }
  const slots = Array.from({length: frame}, () => new Int32Array(network.links).fill(-1));
  const order = new Map();
  for (let queue = 0; queue < parent.length; ++queue) {
    if (!used[queue]) continue;
    const root = find(queue);
    if (!order.has(root)) order.set(root, order.size);
    slots[queue % frame][Math.floor(queue / frame)] = order.get(root);
  }
  // A single group would give all links one colour: then the directions distinguish links.
  if (order.size === 1 && network.ports > 2) return directionGroups(network, slots);
  const what = plan.algorithm === 'hamiltonian' ? 'Hamiltonian cycle' : 'Feed path';
  return {slots, count: order.size, name: (i) => `${what} ${i + 1}`};
}
