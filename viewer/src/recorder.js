// SPDX-License-Identifier: Apache-2.0
// The packets that each node has, over all steps: computed once, outside the page's thread.
import {IDLE, TraceMachine, makeMachine} from './machine.js';
import {Network, nodeGroups} from './network.js';

/** Limit for the link contents of one window of steps. */
const WINDOW_BYTES = 16 << 20;
const WINDOW_STEPS = 64;
/** Number of nodes that are updated together. */
const BLOCK_NODES = 4;
/** Limit for all samples of the nodes' counts. */
const COUNT_BYTES = 48 << 20;

/** Steps between two samples of the nodes' counts. */
export function countInterval(steps, nodes) {
  return Math.max(1, Math.ceil((steps * nodes * 4) / COUNT_BYTES));
}

/** The number of finished packets of each node at the start. */
function finishedAtStart(network, {demand, groups: told}) {
  const counts = new Uint32Array(network.nodes);
  if (demand.operation !== 'copy' || demand.to.startsWith('each')) return counts;
  const groups = nodeGroups(network, told);
  if (demand.from === 'root' && groups) {
    for (let node = 0; node < network.nodes; ++node) if (groups.rank(node) === demand.root) counts[node] = demand.pieces;
  } else if (demand.from === 'root') counts[demand.root] = demand.pieces;
  else counts.fill(demand.pieces);
  return counts;
}

/** By step: the nodes that get a finished word, once per word; `learned` is a flat list of step and node. */
function finished(learned, steps) {
  const nodes = Array.from({length: steps + 1}, () => []);
  for (let at = 0; at < learned.length; at += 2) nodes[learned[at]].push(learned[at + 1]);
  return nodes;
}

/** By step: the nodes at which a packet for them arrives, each once; packets are numbered by origin, destination, piece. */
function arrivedAtDestination(network, machine, {demand}) {
  const nodes = Array.from({length: machine.steps + 1}, () => []);
  const {trace} = machine;
  for (let at = 0; at < trace.length; at += 5) {
    const node = network.head[trace[at + 2] * network.ports + trace[at + 3]];
    if (node === Math.floor(trace[at + 4] / demand.pieces) % network.nodes) nodes[trace[at]].push(node);
  }
  return nodes;
}

/**
 * Deliveries that the demand requires: {counts, learners}, the counts at the start, and by step the nodes that get one
 * more. Undefined if every packet on a link is a delivery. In a matrix product they are the pairs that meet; `pairs` is a
 * flat list of step, node and k.
 */
export function deliveries(network, machine, {plan, learned, pairs}) {
  if (pairs) {
    const counts = new Uint32Array(network.nodes);
    const learners = Array.from({length: machine.steps + 1}, () => []);
    for (let at = 0; at < pairs.length; at += 3) {
      if (pairs[at] === 0) ++counts[pairs[at + 1]];
      else learners[pairs[at]].push(pairs[at + 1]);
    }
    return {counts, learners};
  }
  if (learned) return {counts: finishedAtStart(network, plan), learners: finished(learned, machine.steps)};
  if (plan.demand?.to === 'each-node') {
    return {counts: new Uint32Array(network.nodes), learners: arrivedAtDestination(network, machine, plan)};
  }
  return undefined;
}

/** The largest final count of all nodes. */
export function mostDelivered({counts, learners}) {
  const all = counts.slice();
  for (const nodes of learners) for (const node of nodes) ++all[node];
  return all.reduce((most, count) => Math.max(most, count), 0);
}

/**
 * Runs the whole document {plan, trace?} for `steps` steps and posts, window by window, messages
 * {last, coverage, load, transfers, counts, keyframe}: the last known step, the figures of the steps since the previous
 * message, samples of the nodes' counts, and the machine's state.
 */
export function record(document, steps, post) {
  const network = new Network(document.plan.topology);
  const machine = makeMachine(network, document);
  const knowledge = machine instanceof TraceMachine ? new TraceKnowledge(network, machine, document) : new StreamKnowledge(network, machine);
  const links = network.head.reduce((sum, head) => sum + (head >= 0 ? 1 : 0), 0);
  const every = countInterval(steps, network.nodes);
  post({
    last: 0, coverage: Float32Array.of(knowledge.share()), load: Float32Array.of(0), transfers: Float64Array.of(0),
    counts: [knowledge.counts.slice()],
  });
  let transfers = 0;
  while (machine.step < steps) {
    const window = knowledge.advance(Math.min(knowledge.window, steps - machine.step), every);
    post({
      last: machine.step,
      coverage: window.coverage,
      load: Float32Array.from(window.busy, (busy) => busy / links),
      transfers: Float64Array.from(window.started ?? window.busy, (started) => (transfers += started)),
      counts: window.counts,
      keyframe: machine.save?.(),
    });
  }
}

/** Every node must receive every packet: one bit per pair. */
class StreamKnowledge {
  constructor(network, machine) {
    this.network = network;
    this.machine = machine;
    const {nodes, ports} = network;
    this.window = Math.max(1, Math.min(WINDOW_STEPS, Math.floor(WINDOW_BYTES / (4 * network.links))));
    this.history = new Int32Array(this.window * network.links);
    this.packets = nodes * machine.packetsPerNode;
    this.words = Math.ceil(this.packets / 32);
    this.known = new Uint32Array(nodes * this.words);
    /** Number of packets that each node has. */
    this.counts = new Uint32Array(nodes).fill(machine.packetsPerNode);
    this.sum = this.packets;
    /** Links into each node, by in-port. */
    this.incoming = new Int32Array(network.links).fill(-1);
    for (let node = 0; node < nodes; ++node) {
      for (let own = 0; own < machine.packetsPerNode; ++own) {
        const packet = node * machine.packetsPerNode + own;
        this.known[node * this.words + (packet >>> 5)] |= 1 << (packet & 31);
      }
      for (let port = 0; port < ports; ++port) {
        const sender = network.head[node * ports + port];
        if (sender >= 0) this.incoming[node * ports + port] = sender * ports + (port ^ 1);
      }
    }
  }

  share() {
    return this.sum / (this.network.nodes * this.packets);
  }

  /** Executes the next `steps` steps, for a few nodes at a time, whose bits fit into the cache. */
  advance(steps, every) {
    const {machine, history} = this;
    const {nodes, links} = this.network;
    const start = machine.step;
    const busy = new Uint32Array(steps);
    for (let t = 0; t < steps; ++t) {
      machine.advance();
      history.set(machine.now, t * links);
      for (let link = 0; link < links; ++link) if (machine.now[link] !== IDLE) ++busy[t];
    }
    const learned = new Float64Array(steps);
    const samples = [];
    for (let t = 0; t < steps; ++t) if ((start + t + 1) % every === 0) samples.push(new Uint32Array(nodes));
    for (let first = 0; first < nodes; first += BLOCK_NODES) {
      const last = Math.min(nodes, first + BLOCK_NODES);
      let sample = 0;
      for (let t = 0; t < steps; ++t) {
        for (let node = first; node < last; ++node) learned[t] += this.learn(node, t * links);
        if ((start + t + 1) % every === 0) samples[sample++].set(this.counts.subarray(first, last), first);
      }
    }
    const coverage = Float32Array.from(learned, (more) => {
      this.sum += more;
      return this.share();
    });
    return {busy, coverage, counts: samples};
  }

  /** Adds a node's arrivals of the step at a place of the history; returns the number of new packets. */
  learn(node, step) {
    const {history, known, incoming} = this;
    const {ports} = this.network;
    const row = node * this.words;
    let count = 0;
    for (let i = node * ports; i < (node + 1) * ports; ++i) {
      if (incoming[i] < 0) continue;
      const packet = history[step + incoming[i]];
      if (packet === IDLE) continue;
      const bit = 1 << (packet & 31);
      if (known[row + (packet >>> 5)] & bit) continue;
      known[row + (packet >>> 5)] |= bit;
      ++count;
    }
    this.counts[node] += count;
    return count;
  }
}

/**
 * The required deliveries are those of deliveries(); without it, all deliveries of the trace and the initial packets of
 * the first senders.
 */
class TraceKnowledge {
  constructor(network, machine, document) {
    this.machine = machine;
    this.window = 1;
    /** Number of packets (or flits, or words) that each node has. */
    this.counts = new Uint32Array(network.nodes);
    const told = deliveries(network, machine, document);
    if (told) {
      Object.assign(this, told);
      this.sum = this.counts.reduce((sum, count) => sum + count, 0);
      this.total = this.learners.reduce((sum, nodes) => sum + nodes.length, this.sum);
      this.started = this.learners.map((_, step) => (step === 0 ? 0 : machine.first[step + 1] - machine.first[step]));
      this.countBusy();
      return;
    }
    const known = new Map();
    const learn = (node, packet) => {
      if (!known.has(packet)) known.set(packet, new Set());
      const isNew = !known.get(packet).has(node);
      known.get(packet).add(node);
      return isNew;
    };
    const {trace, first, steps} = machine;
    const {flits} = document;
    const most = flits ? flits.reduce((a, b) => Math.max(a, b), 0) + 1 : 1;
    const piece = (at) => trace[at + 4] * most + (flits?.[at / 5] ?? 0);
    for (let at = 0; at < trace.length; at += 5) {
      // The sender of a packet's first row has the packet from the start.
      if (!known.has(piece(at)) && learn(trace[at + 2], piece(at))) ++this.counts[trace[at + 2]];
    }
    this.sum = known.size;
    this.total = this.sum;
    /** By step: the nodes that receive a new packet, once per packet; and the transfers that begin. */
    this.learners = Array.from({length: steps + 1}, () => []);
    this.started = [0];
    for (let step = 1; step <= steps; ++step) {
      machine.seek(step);
      for (let at = 5 * first[step]; at < 5 * first[step + 1]; at += 5) {
        const link = trace[at + 2] * network.ports + trace[at + 3];
        if (!machine.ends[link] || !learn(network.head[link], piece(at))) continue;
        this.learners[step + network.period(link) - 1].push(network.head[link]);
        ++this.total;
      }
      this.started.push(first[step + 1] - first[step]);
    }
    machine.seek(0);
    this.countBusy();
  }

  /** By step: the links in use. A transfer occupies its link for the link's period. */
  countBusy() {
    const {machine} = this;
    const {network} = machine;
    this.busy = this.started;
    if (!network.periods) return;
    this.busy = this.started.map(() => 0);
    for (let at = 0; at < machine.trace.length; at += 5) {
      for (let i = network.period(machine.linkAt(at)); i-- > 0;) ++this.busy[machine.trace[at] + i];
    }
  }

  share() {
    return this.total ? this.sum / this.total : 1;
  }

  advance(steps, every) {
    const step = ++this.machine.step;
    for (const node of this.learners[step]) ++this.counts[node];
    this.sum += this.learners[step].length;
    return {
      busy: [this.busy[step]],
      started: [this.started[step]],
      coverage: Float32Array.of(this.share()),
      counts: step % every === 0 ? [this.counts.slice()] : [],
    };
  }
}
