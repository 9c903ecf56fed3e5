// SPDX-License-Identifier: Apache-2.0
// The run of a dynamic broadcast: intervals one after the other, packets that arrive, wait, and are broadcast.

export class DynamicRun {
  /** data: the document's `dynamic`, as gossamer view writes it. Times are in units (a packet on a link). */
  constructor({load, load_limit: limit, steps_per_unit: stepsPerUnit, parts, intervals, packets}) {
    this.load = load;
    this.limit = limit;
    this.stepsPerUnit = stepsPerUnit;
    this.parts = parts;
    this.intervals = intervals.map(([first, last, start, end, waiting]) => ({first, last, start, end, waiting, active: 0}));
    /** In the order of their numbers; packets that are not broadcast in the shown part never end. */
    this.packets = packets.map(([node, arrival, index], number) => {
      if (index === null) return {number, node, arrival, interval: -1, start: Infinity, end: Infinity};
      const interval = this.intervals[index];
      ++interval.active;
      return {number, node, arrival, interval: index, start: interval.start, end: interval.end, delay: interval.end - arrival};
    });
    this.broadcasts = this.packets.filter(({interval}) => interval >= 0).length;
  }

  time(step) {
    return step / this.stepsPerUnit;
  }

  /** Number of the interval that the step belongs to; -1 when it belongs to an empty one. */
  intervalAt(step) {
    return this.intervals.findIndex(({first, last}) => step >= first && step <= last);
  }

  /** Number of packets broadcast by the end of the step, and the mean of their delays (NaN before the first). */
  doneBy(step) {
    let count = 0;
    let sum = 0;
    for (const {interval, delay} of this.packets) {
      if (interval < 0 || this.intervals[interval].last > step) continue;
      ++count;
      sum += delay;
    }
    return {count, mean: sum / count};
  }

  /** "time 4.5 units, interval 3: 5 nodes broadcast, 9 packets waited, ..." */
  describe(step) {
    const at = this.intervalAt(Math.max(1, step));
    const {count, mean} = this.doneBy(step);
    const {active, waiting} = this.intervals[at] ?? {};
    const now = at < 0 ? 'no packet waits' : `interval ${at + 1}: ${active} of ${waiting} waiting packets broadcast`;
    const delay = count ? `, mean delay so far ${mean.toFixed(2)} units` : '';
    return `time ${this.time(step).toFixed(1)} units, ${now}, ${count} broadcasts done${delay}`;
  }

  /** Whether a packet has arrived by the end of a step and is not yet broadcast. */
  isQueued({arrival, interval}, step) {
    return arrival * this.stepsPerUnit <= step && (interval < 0 || step < this.intervals[interval].last);
  }

  /** By step: number of packets queued at all nodes, including the ones in transit. */
  queued(steps) {
    const values = new Float32Array(steps + 1);
    for (const {arrival, interval} of this.packets) {
      const last = interval < 0 ? steps + 1 : this.intervals[interval].last;
      for (let step = Math.ceil(arrival * this.stepsPerUnit); step < Math.min(last, steps + 1); ++step) ++values[step];
    }
    return values;
  }

  /** By node: number of packets queued at the end of a step. */
  queuedAt(step, nodes) {
    const counts = new Uint32Array(nodes);
    for (const packet of this.packets) if (this.isQueued(packet, step)) ++counts[packet.node];
    return counts;
  }

  /** The description of a packet, by its number in the trace. */
  story(part) {
    const packet = this.packets[Math.floor(part / this.parts)];
    const name = this.parts > 1 ? `part ${part % this.parts} of a packet` : 'packet';
    return `${name} of node ${packet.node}, arrived at ${packet.arrival.toFixed(2)}, broadcast from ` +
      `${packet.start.toFixed(2)} to ${packet.end.toFixed(2)}, delay ${packet.delay.toFixed(2)} units`;
  }
}
