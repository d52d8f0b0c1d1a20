/** One kind of operation of a load, with what one costs. */
export interface LoadLine {
  readonly operation: string;
  readonly perSecond: number;
  readonly cpuMicrosPerOp: number;
  /** Content that one moves. */
  readonly bytes: number;
}

/** A host's resources, and how much of them is planned to be used. */
export interface Host {
  readonly processors: number;
  readonly networkGbitPerS: number;
  /** Above it, waiting grows faster than load. */
  readonly utilisation: number;
}

export interface Sizing {
  /** Processors that the load takes, all the time. */
  readonly busyProcessors: number;
  readonly gbitPerS: number;
  readonly hostsForCpu: number;
  readonly hostsForNetwork: number;
  /** The larger of both, and one that may be away. */
  readonly hosts: number;
}

/** How many hosts carry a load: by processors and by network, whichever needs more, and a spare. */
export function sizeFor(load: readonly LoadLine[], host: Host): Sizing {
  const sum = (pick: (line: LoadLine) => number) =>
    load.reduce((total, line) => total + line.perSecond * pick(line), 0);
  const busyProcessors = sum((line) => line.cpuMicrosPerOp) / 1e6;
  const gbitPerS = (sum((line) => line.bytes) * 8) / 1e9;
  const hostsForCpu = Math.ceil(busyProcessors / (host.processors * host.utilisation));
  const hostsForNetwork = Math.ceil(gbitPerS / (host.networkGbitPerS * host.utilisation));
  const hosts = Math.max(1, hostsForCpu, hostsForNetwork) + 1;
  return { busyProcessors, gbitPerS, hostsForCpu, hostsForNetwork, hosts };
}

/** An example: what the rows of a run would come to. */
export const EXAMPLE_LOAD: Readonly<Record<string, number>> = {
  'get-1k': 40_000,
  'head-1k': 10_000,
  'put-1k': 5000,
  'delete-1k': 2000,
  'list-1000': 200,
  'get-8m': 600,
  'put-8m': 150,
};

export const EXAMPLE_HOST: Host = { processors: 16, networkGbitPerS: 25, utilisation: 0.6 };
