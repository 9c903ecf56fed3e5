// SPDX-License-Identifier: Apache-2.0
// Computes the contents of every link in every step. Stream plans are executed here, by the machine
// model of docs/plan-format.md; all other plans come with their trace.
import {portNumbers} from './network.js';

/** Packet on an idle link. */
export const IDLE = -1;
/** Later than every step. */
const NEVER = 0x7fffffff;

/** The machine of a document {plan, trace?, ...}. */
export function makeMachine(network, document) {
  return document.trace ? new TraceMachine(network, document) : new StreamMachine(network, document.plan);
}

/**
 * Runs a `stream` program, in a frame of several slots or of one. Each out-port has a queue for each
 * slot; queue number = link * frame + slot.
 */
export class StreamMachine {
  constructor(network, plan) {
    const {program} = plan;
    this.network = network;
    this.frame = program.frame ?? 1;
    this.depth = plan.expected.queue_depth;
    this.packetsPerNode = program.packets_per_node;
    this.queues = network.links * this.frame;
    /** The last executed step. */
    this.step = 0;
    /** By link: the packet that crossed it in that step. */
    this.now = new Int32Array(network.links).fill(IDLE);
    // Queues are rings: `depth` places from queue * depth on, the head's index, how many there are.
    this.places = new Int32Array(this.queues * this.depth).fill(IDLE);
    this.heads = new Uint16Array(this.queues);
    this.lengths = new Uint16Array(this.queues);
    const width = network.ports * this.frame;
    program.table.forEach((row, node) => {
      for (let i = 0; i < width; ++i) {
        for (const own of program.ports[row[i]].preload) {
          this.push(node * width + i, node * this.packetsPerNode + own);
        }
      }
    });
    this.feeds = this.feedsBySlot(program);
    this.plain = this.frame === 1 && this.depth === 1 && this.isFixedGather(program);
  }

  /** True if every queue has at most one feed, which never changes: then a step moves all packets at once. */
  isFixedGather(program) {
    if (program.ports.some((entry) => entry.early_feed || entry.feed.length > 1)) return false;
    const [{queue, from}] = this.feeds;
    this.source = new Int32Array(this.queues).fill(this.queues);
    for (let i = 0; i < queue.length; ++i) this.source[queue[i]] = from[i];
    return true;
  }

  /** For each slot, in the order in which they are appended: queue, feeding link, first and last step. */
  feedsBySlot(program) {
    const {network, frame} = this;
    const numbers = portNumbers(network, frame);
    const rules = program.ports.map((entry) => {
      const all = [];
      const change = entry.switch_step ?? 0;
      for (const name of entry.feed) all.push([numbers.get(name), change, NEVER]);
      for (const name of entry.early_feed ?? []) all.push([numbers.get(name), 0, change - 1]);
      return all.sort((a, b) => a[0] - b[0]);
    });
    const slots = Array.from({length: frame}, () => ({queue: [], from: [], first: [], last: []}));
    program.table.forEach((row, node) => {
      row.forEach((code, port) => {
        for (const [inPort, first, last] of rules[code]) {
          const direction = Math.floor(inPort / frame);
          const sender = network.head[node * network.ports + direction];
          if (sender < 0) continue;
          const slot = slots[inPort % frame];
          slot.queue.push(node * network.ports * frame + port);
          slot.from.push(sender * network.ports + (direction ^ 1));
          slot.first.push(first);
          slot.last.push(last);
        }
      });
    });
    return slots.map(({queue, from, first, last}) => ({
      queue: Int32Array.from(queue), from: Int32Array.from(from),
      first: Int32Array.from(first), last: Int32Array.from(last),
    }));
  }

  push(queue, packet) {
    const length = this.lengths[queue];
    // A packet that arrives at a full queue is lost, as in the hardware.
    if (length === this.depth) return;
    let at = this.heads[queue] + length;
    if (at >= this.depth) at -= this.depth;
    this.places[queue * this.depth + at] = packet;
    this.lengths[queue] = length + 1;
  }

  /** Executes one step; afterwards now[link] is the packet that crossed the link in it. */
  advance() {
    const {now, frame, depth, places, heads, lengths} = this;
    ++this.step;
    if (this.plain) {
      now.set(places);
      const {source} = this;
      const none = now.length;
      for (let link = 0; link < none; ++link) places[link] = source[link] === none ? IDLE : now[source[link]];
      return;
    }
    const slot = (this.step - 1) % frame;
    for (let link = 0; link < now.length; ++link) {
      const queue = link * frame + slot;
      if (lengths[queue] === 0) {
        now[link] = IDLE;
        continue;
      }
      const head = heads[queue];
      now[link] = places[queue * depth + head];
      heads[queue] = head + 1 === depth ? 0 : head + 1;
      --lengths[queue];
    }
    const {queue, from, first, last} = this.feeds[slot];
    for (let i = 0; i < queue.length; ++i) {
      const packet = now[from[i]];
      if (packet !== IDLE && this.step >= first[i] && this.step <= last[i]) this.push(queue[i], packet);
    }
  }

  /** The state, in typed arrays that can be transferred to another thread. */
  save() {
    const {step, now, places, heads, lengths} = this;
    return {step, now: now.slice(), places: places.slice(), heads: heads.slice(), lengths: lengths.slice()};
  }

  restore(state) {
    this.step = state.step;
    for (const key of ['now', 'places', 'heads', 'lengths']) this[key].set(state[key]);
  }

  get stateBytes() {
    return this.now.byteLength + this.places.byteLength + this.heads.byteLength + this.lengths.byteLength;
  }
}

/**
 * Replays a trace: a flat list of step, hop, from, port, packet, sorted by all. Steps are cycles if routers wait
 * for each other.
 */
export class TraceMachine {
  /**
   * steps: length of a run that continues after the last send. Optional, by row: terms, the number of contributions in
   * a sum; flits, the flit's number in its packet; since, the first cycle in which it could have been taken.
   */
  constructor(network, {trace, steps, terms, flits, since}) {
    this.network = network;
    this.trace = trace;
    this.terms = terms;
    this.flits = flits;
    this.since = since;
    this.rows = trace.length / 5;
    this.steps = steps ?? this.lastStep();
    /** By link: steps since the transfer that occupies it began. */
    this.elapsed = new Uint8Array(network.links);
    /** The first row of each step. */
    this.first = new Uint32Array(this.steps + 2);
    for (let row = 0; row < this.rows; ++row) ++this.first[trace[5 * row] + 1];
    for (let step = 1; step < this.first.length; ++step) this.first[step] += this.first[step - 1];
    this.step = 0;
    // Packet numbers go up to the square of the number of nodes, which can exceed 32 bits.
    this.now = new Float64Array(network.links).fill(IDLE);
    /** By link: its number on the send's path, and whether the send ends with it. */
    this.hops = new Uint16Array(network.links);
    this.ends = new Uint8Array(network.links);
    /** By link: the row that crosses it, and the row that waits before it; -1 for none. */
    this.rowOf = new Int32Array(network.links).fill(-1);
    this.rowWaiting = new Int32Array(network.links).fill(-1);
    if (since) this.sortByLink();
  }

  /** The link of a row that begins at `at`. */
  linkAt(at) {
    return this.trace[at + 2] * this.network.ports + this.trace[at + 3];
  }

  /** The step at whose end the last transfer ends. */
  lastStep() {
    const {trace, network} = this;
    if (!network.periods) return this.rows ? trace[trace.length - 5] : 0;
    let last = 0;
    for (let at = 0; at < trace.length; at += 5) last = Math.max(last, trace[at] + network.period(this.linkAt(at)) - 1);
    return last;
  }

  /** Links that are busy with transfers that began before `step`. */
  continueTransfers(step) {
    const {trace, network, elapsed} = this;
    elapsed.fill(0);
    for (let before = Math.max(1, step - network.slowest + 1); before < step; ++before) {
      for (let at = 5 * this.first[before]; at < 5 * this.first[before + 1]; at += 5) {
        const link = this.linkAt(at);
        if (before + network.period(link) <= step) continue;
        this.now[link] = trace[at + 4];
        this.rowOf[link] = at / 5;
        this.hops[link] = 0;
        this.ends[link] = 1;
        elapsed[link] = step - before;
      }
    }
  }

  /** Rows of each link, in order, one link after the other. */
  sortByLink() {
    const {links, ports} = this.network;
    const link = (row) => this.trace[5 * row + 2] * ports + this.trace[5 * row + 3];
    this.firstOf = new Uint32Array(links + 1);
    for (let row = 0; row < this.rows; ++row) ++this.firstOf[link(row) + 1];
    for (let at = 1; at <= links; ++at) this.firstOf[at] += this.firstOf[at - 1];
    const next = this.firstOf.slice();
    this.rowsOf = new Uint32Array(this.rows);
    for (let row = 0; row < this.rows; ++row) this.rowsOf[next[link(row)]++] = row;
  }

  /** Finds flits that could be taken in this cycle and are taken later. */
  findWaiting() {
    const {trace, firstOf, rowsOf, rowWaiting, step} = this;
    for (let link = 0; link < rowWaiting.length; ++link) {
      let low = firstOf[link];
      let high = firstOf[link + 1];
      while (low < high) {
        const middle = (low + high) >> 1;
        if (trace[5 * rowsOf[middle]] > step) high = middle;
        else low = middle + 1;
      }
      const row = low < firstOf[link + 1] ? rowsOf[low] : -1;
      rowWaiting[link] = step > 0 && row >= 0 && this.since[row] <= step ? row : -1;
    }
  }

  seek(step) {
    const {trace, now, hops, ends, rowOf} = this;
    const {ports, head} = this.network;
    this.step = step;
    now.fill(IDLE);
    rowOf.fill(-1);
    if (this.since) this.findWaiting();
    if (this.network.periods) this.continueTransfers(step);
    const passing = new Map();
    const key = (node, hop, packet) => `${node}:${hop}:${packet}`;
    for (let at = 5 * this.first[step]; at < 5 * this.first[step + 1]; at += 5) {
      const link = trace[at + 2] * ports + trace[at + 3];
      now[link] = trace[at + 4];
      rowOf[link] = at / 5;
      hops[link] = trace[at + 1];
      if (hops[link] === 0) continue;
      const node = key(trace[at + 2], hops[link], now[link]);
      passing.set(node, (passing.get(node) ?? 0) + 1);
    }
    // A cut-through send continues from the receiver as its next hop; nodes on the way do not store
    // it.
    for (let at = 5 * this.first[step]; at < 5 * this.first[step + 1]; at += 5) {
      const link = trace[at + 2] * ports + trace[at + 3];
      const node = key(head[link], hops[link] + 1, now[link]);
      const onward = passing.get(node) ?? 0;
      ends[link] = onward > 0 ? 0 : 1;
      if (onward > 0) passing.set(node, onward - 1);
    }
  }

  /** The sends of a node. */
  sentBy(node) {
    const {trace} = this;
    const sent = [];
    for (let at = 0; at < trace.length; at += 5) {
      if (trace[at + 2] !== node) continue;
      sent.push({row: at / 5, step: trace[at], hop: trace[at + 1], port: trace[at + 3], packet: trace[at + 4]});
    }
    return sent;
  }

  hasPacket(packet) {
    for (let at = 4; at < this.trace.length; at += 5) if (this.trace[at] === packet) return true;
    return false;
  }

  /** The number of different packets. */
  countPackets() {
    const seen = new Set();
    for (let at = 4; at < this.trace.length; at += 5) seen.add(this.trace[at]);
    return seen.size;
  }
}
