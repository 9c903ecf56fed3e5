// SPDX-License-Identifier: Apache-2.0
// The network of a plan: coordinates, ports, neighbours (docs/plan-format.md, contract).

const LETTERS = ['x', 'y', 'z', 'w'];

/** Name of a port: x-, x+, y-, ... */
export function portName(port) {
  const dim = port >> 1;
  return (dim < LETTERS.length ? LETTERS[dim] : `d${dim}`) + (port & 1 ? '+' : '-');
}

/** Numbers of the ports by name, including framed ones (x-/0). */
export function portNumbers(network, frame) {
  const numbers = new Map();
  for (let port = 0; port < network.ports; ++port) {
    for (let slot = 0; slot < frame; ++slot) numbers.set(slotName(port, slot, frame), port * frame + slot);
  }
  return numbers;
}

/** Name of a port in a slot, in the notation of plans. */
export function slotName(port, slot, frame) {
  return frame === 1 ? portName(port) : `${portName(port)}/${slot}`;
}

/** The groups of a plan on its network (docs/groups.md): {count, members, of(node), rank(node)}; undefined without. */
export function nodeGroups(network, groups) {
  if (!groups) return undefined;
  const {shape, stride} = groups;
  const number = (node, digit, sides) => {
    let value = 0;
    let weight = 1;
    network.dims.forEach((side, dim) => {
      value += weight * digit(network.coordinate(node, dim), shape[dim], stride[dim]);
      weight *= sides(side, shape[dim]);
    });
    return value;
  };
  const members = shape.reduce((product, size) => product * size, 1);
  return {
    members,
    count: network.nodes / members,
    of: (node) => number(node, (x, size, step) => Math.floor(x / (step * size)) * step + (x % step), (side, size) => side / size),
    rank: (node) => number(node, (x, size, step) => Math.floor(x / step) % size, (_, size) => size),
  };
}

export class Network {
  constructor(topology) {
    this.dims = topology.dims;
    /** By dimension. */
    this.wrapsIn = this.dims.map((side, dim) => side > 1 && (topology.kind === 'torus'
      || (topology.wrap ?? []).some((name) => `${name}+` === portName(2 * dim + 1))));
    this.wraps = this.wrapsIn.some((wraps) => wraps);
    this.kind = topology.kind;
    this.ports = 2 * this.dims.length;
    this.nodes = this.dims.reduce((product, side) => product * side, 1);
    this.links = this.nodes * this.ports;
    this.strides = [];
    let stride = 1;
    for (const side of this.dims) {
      this.strides.push(stride);
      stride *= side;
    }
    /** Receiving node of each link, -1 at the border of a mesh and for dead links. */
    this.head = new Int32Array(this.links);
    for (let node = 0; node < this.nodes; ++node) {
      for (let port = 0; port < this.ports; ++port) {
        this.head[node * this.ports + port] = this.neighbor(node, port);
      }
    }
    this.deadNodes = new Set(topology.dead_nodes ?? []);
    for (let link = 0; link < this.links; ++link) {
      const from = Math.floor(link / this.ports);
      if (this.deadNodes.has(from) || this.deadNodes.has(this.head[link])) this.head[link] = -1;
    }
    for (const [node, port] of topology.dead_links ?? []) {
      const to = this.neighbor(node, port);
      this.head[node * this.ports + port] = -1;
      if (to >= 0) this.head[to * this.ports + (port ^ 1)] = -1;
    }
    for (const [node, port] of topology.dead_arcs ?? []) this.head[node * this.ports + port] = -1;
    /** Nodes without packets: no router, or no core at it. */
    this.greyNodes = new Set([...this.deadNodes, ...(topology.dead_cores ?? [])]);
    /** Steps of a transfer, by link; undefined where all links are equally fast. */
    this.periods = topology.links ? Uint8Array.from({length: this.links}, (_, link) => this.periodOf(link, topology.links)) : undefined;
    this.slowest = this.periods ? this.periods.reduce((most, period) => Math.max(most, period), 1) : 1;
    this.hasFaults = ['dead_nodes', 'dead_cores', 'dead_links', 'dead_arcs'].some((key) => topology[key]?.length);
  }

  /** Steps of a transfer: links that cross a multiple of a chiplet's side lead to another chiplet. */
  periodOf(link, {chiplets, inside, between}) {
    if (this.head[link] < 0) return 1;
    const port = link % this.ports;
    const dim = port >> 1;
    const crosses = chiplets && chiplets[dim] < this.dims[dim]
      && (this.coordinate(Math.floor(link / this.ports), dim) + (port & 1)) % chiplets[dim] === 0;
    return crosses ? between[dim] : inside[dim];
  }

  /** Steps of a transfer over the link. */
  period(link) {
    return this.periods ? this.periods[link] : 1;
  }

  /** True for a link of the network without faults. */
  isDead(link) {
    return this.head[link] < 0 && this.neighbor(Math.floor(link / this.ports), link % this.ports) >= 0;
  }

  coordinate(node, dim) {
    return Math.floor(node / this.strides[dim]) % this.dims[dim];
  }

  coordinates(node) {
    return this.dims.map((_, dim) => this.coordinate(node, dim));
  }

  /** The neighbour at a port, -1 beyond the border of a mesh. */
  neighbor(node, port) {
    const dim = port >> 1;
    const at = this.coordinate(node, dim);
    const last = this.dims[dim] - 1;
    const stride = this.strides[dim];
    if (port & 1) {
      if (at < last) return node + stride;
      return this.wrapsIn[dim] ? node - last * stride : -1;
    }
    if (at > 0) return node - stride;
    return this.wrapsIn[dim] ? node + last * stride : -1;
  }

  /** True if the link leaves one side of the torus and enters at the other. */
  isWraparound(node, port) {
    const at = this.coordinate(node, port >> 1);
    return port & 1 ? at === this.dims[port >> 1] - 1 : at === 0;
  }
}
