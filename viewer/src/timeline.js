// SPDX-License-Identifier: Apache-2.0
// One document over time, as far as it is computed: link contents, coverage, load, the packets of
// each node.
import {coloursSteps, packetGroups} from './groups.js';
import {IDLE, TraceMachine, makeMachine} from './machine.js';
import {nodeGroups} from './network.js';
import {countInterval, deliveries, mostDelivered} from './recorder.js';

/** Limit for the machine states that are stored for backward steps. */
const KEYFRAME_BYTES = 64 << 20;

/** Number of links searched for a trail: in large networks only the last steps are shown. */
const TRAIL_LINKS = 2e7;

/** Packet numbers of each node in a document's demand; 0 if packets belong to no node. */
function packetsPerNode({demand}, nodes) {
  if (!demand || demand.from === 'root' || demand.operation !== 'copy') return 0;
  return demand.to.startsWith('each-') ? nodes * demand.pieces : demand.pieces;
}

export class Timeline {
  /** document: {plan, trace?, steps?}; onProgress is called after `ready` has grown. */
  constructor(network, document, onProgress) {
    this.network = network;
    this.machine = makeMachine(network, document);
    this.isTrace = this.machine instanceof TraceMachine;
    /** Packets have the colour of their step, not of their link. */
    this.isColouredByStep = coloursSteps(document);
    /** Packets have their own colours: of(packet, flit) is the number. */
    this.packetGroups = packetGroups(document);
    /** Routers wait for each other: steps are cycles, packets go flit by flit. */
    this.isElastic = document.flits !== undefined;
    this.unit = this.isElastic ? 'cycle' : 'step';
    this.packetsPerNode = packetsPerNode(document.plan, network.nodes);
    /** The number of all different packets. */
    this.packets = this.isTrace ? this.machine.countPackets() : this.packetsPerNode * network.nodes;
    this.steps = this.isTrace ? this.machine.steps : document.plan.expected.analytic_steps ?? document.steps;
    const {demand, program} = document.plan;
    /** Links carry partial sums. */
    this.isReduction = demand !== undefined && demand.operation !== 'copy';
    /** The unit of the nodes' counts. */
    this.pieces = document.pairs ? 'pairs' : this.isReduction ? 'results' : this.isElastic ? 'flits' : 'packets';
    /** A matrix product: [step, k] of the pairs of each node, in the order of steps; undefined for other plans. */
    this.pairs = document.pairs && Array.from({length: network.nodes}, () => []);
    for (let at = 0; at < (document.pairs?.length ?? 0); at += 3) {
      this.pairs[document.pairs[at + 1]].push([document.pairs[at], document.pairs[at + 2]]);
    }
    if (this.isElastic) this.packets *= program.elastic.chunk * program.elastic.rounds;
    const told = this.isTrace && deliveries(network, this.machine, document);
    if (told) this.packets = mostDelivered(told);
    /** Number of nodes that contribute to a result. */
    this.contributors = nodeGroups(network, document.plan.groups)?.members ?? network.nodes - network.greyNodes.size;
    /** The last step whose figures are known. */
    this.ready = -1;
    /** By step: share of all deliveries made, share of links in use, packets times links crossed so far. */
    this.coverage = new Float32Array(this.steps + 1);
    this.load = new Float32Array(this.steps + 1);
    this.transfers = new Float64Array(this.steps + 1);
    this.countInterval = countInterval(this.steps, network.nodes);
    this.counts = [];
    this.keyframes = this.isTrace ? [] : [this.machine.save()];
    this.windows = 0;
    this.keepEvery = 1;
    // The build replaces the name by the text of worker.js.
    const source = URL.createObjectURL(new Blob([WORKER_SOURCE], {type: 'text/javascript'}));
    const worker = new Worker(source);
    worker.onerror = (event) => { throw new Error(event.message); };
    worker.onmessage = ({data}) => {
      this.take(data);
      if (this.ready >= this.steps) worker.terminate();
      onProgress();
    };
    worker.postMessage({document, steps: this.steps});
  }

  take({last, coverage, load, transfers, counts, keyframe}) {
    this.coverage.set(coverage, this.ready + 1);
    this.load.set(load, this.ready + 1);
    this.transfers.set(transfers, this.ready + 1);
    this.counts.push(...counts);
    if (keyframe) this.keep(keyframe);
    this.ready = last;
  }

  keep(keyframe) {
    if (++this.windows % this.keepEvery !== 0) return;
    this.keyframes.push(keyframe);
    if (this.keyframes.length * this.machine.stateBytes <= KEYFRAME_BYTES) return;
    this.keepEvery *= 2;
    this.keyframes = this.keyframes.filter((_, i) => i % 2 === 0);
  }

  /** The k of the pairs A(i, k), B(k, j) that a node has met up to `step`. */
  metAt(node, step) {
    return this.pairs[node].filter(([at]) => at <= step).map(([, k]) => k);
  }

  /** The packet as text: a block A(i, k) or B(k, j) of a matrix product, otherwise its number. */
  nameOf(packet) {
    if (!this.pairs) return String(packet);
    const {nodes} = this.network;
    const [x, y] = this.network.coordinates(packet % nodes);
    const [[, k]] = this.pairs[packet % nodes];
    return packet < nodes ? `A(${y}, ${k})` : `B(${k}, ${x})`;
  }

  /** Link contents in `step` (1 .. steps); step 0 is all idle. Valid until the next call. */
  linksAt(step) {
    const {machine} = this;
    if (machine.step === step) return machine.now;
    if (this.isTrace) {
      machine.seek(step);
      return machine.now;
    }
    let frame = this.keyframes.length - 1;
    while (this.keyframes[frame].step > step) --frame;
    if (machine.step > step || machine.step < this.keyframes[frame].step) machine.restore(this.keyframes[frame]);
    while (machine.step < step) machine.advance();
    return machine.now;
  }

  /** Links that a packet has crossed in the last steps up to `step`, with the step; none without a packet. */
  trail(packet, step) {
    if (packet < 0) return new Map();
    const first = Math.max(1, step - Math.floor(TRAIL_LINKS / this.network.links));
    if (this.trailOf?.packet !== packet || this.trailOf.step > step || this.trailOf.step < first - 1) {
      this.trailOf = {packet, step: first - 1, links: new Map()};
    }
    const {links} = this.trailOf;
    while (this.trailOf.step < step) {
      const at = ++this.trailOf.step;
      const now = this.linksAt(at);
      for (let link = 0; link < now.length; ++link) if (now[link] === packet) links.set(link, at);
    }
    for (const [link, at] of links) if (at < first) links.delete(link);
    return links;
  }

  /** Hop of the link's packet on its send in the last requested step; whether the send ends with the link. */
  hop(link) {
    return this.isTrace ? this.machine.hops[link] : 0;
  }

  /** In the last requested step, the steps since the transfer on the link began: 0 but on slow links. */
  elapsed(link) {
    return this.isTrace ? this.machine.elapsed[link] : 0;
  }

  /** The link's sum as a share of its result, 0 .. 1; 1 for a copy. */
  part(link) {
    const row = this.isTrace && this.machine.terms ? this.machine.rowOf[link] : -1;
    return row < 0 ? 1 : this.machine.terms[row] / this.contributors;
  }

  /** In the last requested step, the flit that waits before the link and could have been taken: {packet, flit, since}, or undefined. */
  waiting(link) {
    const row = this.isElastic ? this.machine.rowWaiting[link] : -1;
    return row < 0 ? undefined : {packet: this.machine.trace[5 * row + 4], flit: this.machine.flits[row], since: this.machine.since[row]};
  }

  /** Links with a waiting flit, in the last requested step. */
  stalled() {
    return this.isElastic ? this.machine.rowWaiting.reduce((count, row) => count + (row >= 0 ? 1 : 0), 0) : 0;
  }

  /** Number of the flit on the link in its packet. */
  flit(link) {
    return this.isElastic ? this.machine.flits[this.machine.rowOf[link]] : 0;
  }

  isEnd(link) {
    return !this.isTrace || this.machine.ends[link] === 1;
  }

  isPacket(packet) {
    if (this.isTrace) return this.machine.hasPacket(packet);
    return Number.isInteger(packet) && packet >= 0 && packet < this.packets;
  }

  /** Hops of the longest send of the last requested step. */
  longestSend() {
    if (!this.isTrace) return 1;
    const {now, hops} = this.machine;
    let longest = 1;
    for (let link = 0; link < now.length; ++link) {
      if (now[link] !== IDLE && hops[link] + 1 > longest) longest = hops[link] + 1;
    }
    return longest;
  }

  /** Number of packets at each node at the end of the last sampled step <= `step`; undefined: not computed yet. */
  countsAt(step) {
    const index = Math.min(Math.floor(step / this.countInterval), this.counts.length - 1);
    return index < 0 ? undefined : {counts: this.counts[index], step: index * this.countInterval};
  }
}
