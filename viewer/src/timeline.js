// SPDX-License-Identifier: Apache-2.0
// What every link carries in every step. A stream plan is executed here, by the machine model of
// docs/plan-format.md; any other plan brings its trace along.

/** Packet on an idle link. */
export const IDLE = -1;
const KEYFRAME_BYTES = 48 << 20;

/** Runs a stream program; remembers its state every so many steps, to go back without starting over. */
class StreamMachine {
  constructor(network, plan) {
    const program = plan.program;
    this.network = network;
    this.depth = plan.expected.queue_depth;
    const links = network.links;
    // Feeds by dictionary entry, as port numbers in ascending order.
    const names = new Map();
    for (let port = 0; port < network.ports; ++port) names.set(nameOf(port), port);
    const numbers = (list) => list.map((name) => names.get(name)).sort((a, b) => a - b);
    this.entries = program.ports.map((entry) => ({
      feed: numbers(entry.feed),
      early: numbers(entry.early_feed ?? []),
      switchStep: entry.switch_step ?? 0,
      preload: entry.preload,
    }));
    this.code = new Uint16Array(links);
    program.table.forEach((row, node) => this.code.set(row, node * network.ports));
    this.queue = new Int32Array(links * this.depth).fill(IDLE);
    this.length = new Uint16Array(links);
    this.now = new Int32Array(links).fill(IDLE);
    this.step = 0;
    this.packetsPerNode = program.packets_per_node;
    for (let link = 0; link < links; ++link) {
      if (network.head[link] < 0) continue;
      const node = Math.floor(link / network.ports);
      for (const packet of this.entries[this.code[link]].preload) {
        this.push(link, node * this.packetsPerNode + packet);
      }
    }
    this.source = this.fixedSources();
  }

  /**
   * Where nothing ever waits (one packet a queue, one feed, no switch) a step is a gather: the link
   * whose packet each link carries next, `links` for none. Undefined for other programs.
   */
  fixedSources() {
    const {network} = this;
    if (this.depth > 1) return undefined;
    if (this.entries.some((entry) => entry.switchStep || entry.feed.length > 1)) return undefined;
    const source = new Int32Array(network.links).fill(network.links);
    for (let link = 0; link < network.links; ++link) {
      const entry = this.entries[this.code[link]];
      if (entry.feed.length === 0 || network.head[link] < 0) continue;
      const from = network.head[Math.floor(link / network.ports) * network.ports + entry.feed[0]];
      if (from >= 0) source[link] = from * network.ports + (entry.feed[0] ^ 1);
    }
    return source;
  }

  push(link, packet) {
    if (this.length[link] < this.depth) this.queue[link * this.depth + this.length[link]++] = packet;
  }

  /** One step: afterwards now[link] is what crossed the link in it. */
  advance() {
    const {network, depth, queue, length, now} = this;
    ++this.step;
    if (this.source) {
      now.set(queue);
      for (let link = 0; link < now.length; ++link) {
        const from = this.source[link];
        queue[link] = from === now.length ? IDLE : now[from];
      }
      return;
    }
    for (let link = 0; link < now.length; ++link) {
      if (length[link] === 0) {
        now[link] = IDLE;
        continue;
      }
      const first = link * depth;
      now[link] = queue[first];
      queue.copyWithin(first, first + 1, first + length[link]);
      --length[link];
    }
    const ports = network.ports;
    for (let link = 0; link < now.length; ++link) {
      const entry = this.entries[this.code[link]];
      const feed = this.step < entry.switchStep ? entry.early : entry.feed;
      if (feed.length === 0 || network.head[link] < 0) continue;
      const node = (link / ports) | 0;
      for (const inPort of feed) {
        const from = network.head[node * ports + inPort];
        if (from < 0) continue;
        const packet = now[from * ports + (inPort ^ 1)];
        if (packet !== IDLE) this.push(link, packet);
      }
    }
  }

  save() {
    return {step: this.step, queue: this.queue.slice(), length: this.length.slice(), now: this.now.slice()};
  }

  restore(state) {
    this.step = state.step;
    this.queue.set(state.queue);
    this.length.set(state.length);
    this.now.set(state.now);
  }
}

function nameOf(port) {
  const letters = ['x', 'y', 'z', 'w'];
  const dim = port >> 1;
  return (dim < 4 ? letters[dim] : `d${dim}`) + (port & 1 ? '+' : '-');
}

/**
 * Link contents and coverage over time. `compute` is called in slices until `ready` reaches `steps`.
 */
export class Timeline {
  constructor(network, plan, trace) {
    this.network = network;
    this.trace = trace ? indexTrace(trace) : null;
    this.machine = this.trace ? null : new StreamMachine(network, plan);
    this.packetsPerNode = plan.program.packets_per_node ?? 0;
    this.steps = this.trace ? this.trace.steps : plan.expected.analytic_steps ?? 0;
    /** Steps computed so far. */
    this.ready = 0;
    this.packets = this.packetsPerNode * network.nodes;
    /** By step: share of (node, packet) pairs known, and share of links in use. */
    this.coverage = new Float32Array(this.steps + 1);
    this.load = new Float32Array(this.steps + 1);
    this.scratch = new Int32Array(network.links).fill(IDLE);
    if (this.machine) {
      const bytes = network.links * 4 * (this.machine.depth + 2);
      this.interval = Math.max(1, Math.ceil((this.steps * bytes) / KEYFRAME_BYTES));
      this.keyframes = [this.machine.save()];
      this.countInterval = Math.max(1, Math.ceil((this.steps * network.nodes * 4) / KEYFRAME_BYTES));
    } else {
      this.countInterval = 1;
    }
    this.startCoverage();
    this.realLinks = 0;
    for (const head of network.head) if (head >= 0) ++this.realLinks;
  }

  startCoverage() {
    const {nodes} = this.network;
    this.knownCount = new Uint32Array(nodes);
    if (this.trace) {
      this.total = 1;
      this.known = new Set();
      this.markStart();
    } else {
      this.total = this.packets;
      this.words = Math.ceil(this.packets / 32);
      this.known = new Uint32Array(nodes * this.words);
      for (let node = 0; node < nodes; ++node) {
        for (let c = 0; c < this.packetsPerNode; ++c) this.learn(node, node * this.packetsPerNode + c);
      }
    }
    this.counts = [this.knownCount.slice()];
    this.coverage[0] = this.share();
  }

  markStart() {
    const source = this.trace.rows.length ? this.trace.rows[0][2] : 0;
    this.learn(source, 0);
  }

  learn(node, packet) {
    if (this.trace) {
      const key = `${node}:${packet}`;
      if (this.known.has(key)) return;
      this.known.add(key);
      ++this.knownCount[node];
      return;
    }
    const word = node * this.words + (packet >>> 5);
    const bit = 1 << (packet & 31);
    if (this.known[word] & bit) return;
    this.known[word] |= bit;
    ++this.knownCount[node];
  }

  share() {
    let sum = 0;
    for (const count of this.knownCount) sum += Math.min(count, this.total);
    return sum / (this.network.nodes * this.total);
  }

  /** Computes for about `milliseconds`; true when everything is computed. */
  compute(milliseconds) {
    const end = performance.now() + milliseconds;
    if (this.machine && this.ready < this.steps && this.machine.step !== this.ready) this.seek(this.ready);
    while (this.ready < this.steps && performance.now() < end) this.computeStep();
    return this.ready >= this.steps;
  }

  computeStep() {
    const step = this.ready + 1;
    const links = this.machine ? (this.machine.advance(), this.machine.now) : this.traceLinks(step);
    let busy = 0;
    const head = this.network.head;
    for (let link = 0; link < links.length; ++link) {
      if (links[link] === IDLE) continue;
      ++busy;
      this.learn(head[link], links[link]);
    }
    this.load[step] = busy / this.realLinks;
    this.coverage[step] = this.share();
    if (step % this.countInterval === 0) this.counts.push(this.knownCount.slice());
    if (this.machine && step % this.interval === 0) this.keyframes.push(this.machine.save());
    this.ready = step;
  }

  /** Link contents in `step` (1 .. steps); step 0 is all idle. Valid until the next call. */
  linksAt(step) {
    if (step <= 0) return this.scratch.fill(IDLE);
    if (this.trace) return this.traceLinks(step);
    this.seek(step);
    return this.machine.now;
  }

  seek(step) {
    const machine = this.machine;
    const frame = Math.min(Math.floor(step / this.interval), this.keyframes.length - 1);
    if (machine.step > step || machine.step < this.keyframes[frame].step) {
      machine.restore(this.keyframes[frame]);
    }
    while (machine.step < step) machine.advance();
  }

  traceLinks(step) {
    const links = this.scratch.fill(IDLE);
    const {rows, first} = this.trace;
    for (let i = first[step]; i < first[step + 1]; ++i) {
      links[rows[i][2] * this.network.ports + rows[i][3]] = rows[i][4];
    }
    return links;
  }

  /** Packets that each node knows at the end of the last counted step <= `step`. */
  countsAt(step) {
    const index = Math.min(Math.floor(step / this.countInterval), this.counts.length - 1);
    return {counts: this.counts[index], step: index * this.countInterval};
  }
}

/** Trace rows [step, hop, from, port, packet], sorted, with the first row of each step. */
function indexTrace(rows) {
  const steps = rows.length ? rows[rows.length - 1][0] : 0;
  const first = new Uint32Array(steps + 2);
  for (const row of rows) ++first[row[0] + 1];
  for (let step = 1; step < first.length; ++step) first[step] += first[step - 1];
  return {rows, first, steps};
}

/**
 * Groups links into the walks that packets follow: links joined by a feed belong together.
 * Returns the group of each link (-1: idle for ever) and the number of groups.
 */
export function feedGroups(network, plan) {
  const parent = new Int32Array(network.links).map((_, link) => link);
  const find = (link) => {
    while (parent[link] !== link) {
      parent[link] = parent[parent[link]];
      link = parent[link];
    }
    return link;
  };
  const names = new Map();
  for (let port = 0; port < network.ports; ++port) names.set(nameOf(port), port);
  const used = new Uint8Array(network.links);
  plan.program.table.forEach((row, node) => {
    row.forEach((code, port) => {
      const entry = plan.program.ports[code];
      const link = node * network.ports + port;
      if (network.head[link] < 0) return;
      const feeds = [...entry.feed, ...(entry.early_feed ?? [])];
      if (feeds.length || entry.preload.length) used[link] = 1;
      for (const name of feeds) {
        const inPort = names.get(name);
        const from = network.head[node * network.ports + inPort];
        if (from < 0) continue;
        const feeder = from * network.ports + (inPort ^ 1);
        used[feeder] = 1;
        parent[find(link)] = find(feeder);
      }
    });
  });
  // A Hamiltonian cycle used both ways is one group: join a link with its opposite.
  for (let link = 0; link < network.links; ++link) {
    const to = network.head[link];
    if (to < 0 || !used[link]) continue;
    const back = to * network.ports + ((link % network.ports) ^ 1);
    if (used[back]) parent[find(link)] = find(back);
  }
  const groups = new Int32Array(network.links).fill(-1);
  const numbers = new Map();
  for (let link = 0; link < network.links; ++link) {
    if (!used[link]) continue;
    const root = find(link);
    if (!numbers.has(root)) numbers.set(root, numbers.size);
    groups[link] = numbers.get(root);
  }
  return {groups, count: numbers.size};
}
