import { setTimeout as delay } from 'node:timers/promises';
import { DriverError } from '../../../nodes/driver.js';
import { STORAGE_DAEMONS, STORAGE_SERVERS } from '../../../nodes/storage-services.js';
import { ApiError } from '../../../server/api-error.js';
import type { RunFacts } from '../../../server/runs/run.js';
import type { FaultControl, FaultKind, RevertReport, RevertTools } from '../net/fault.js';
import type { ClientProbes } from './client-probes.js';
import type { DiskCounts } from './disk-counts.js';
import type { Impact } from './impact.js';
import type { NodeSight } from './node-watch.js';

export const DRILL = 'lab.node';

export interface DrillParams extends RunFacts {
  readonly node: string;
  readonly ttl_s: number;
  /** The services that ran, and are stopped, in the order of stopping. */
  readonly services: readonly string[];
  readonly impact: Impact;
  readonly forced: boolean;
  /** The container of its probes. */
  readonly container: string;
}

/** A look at the cluster during a drill. */
export interface DrillSample {
  readonly at_unix_s: number;
  readonly phase: 'stopping' | 'held_down' | 'starting' | 'up';
  /** Writes and reads of a client since the last look; null where none were tried. */
  readonly probes_ok: number | null;
  readonly probes: number | null;
  /** Servers of the other nodes that answer, and all of them. */
  readonly servers_ok: number;
  readonly servers: number;
  readonly disks: DiskCounts | null;
}

/** The findings of a drill so far. */
export interface DrillReport {
  readonly node: string;
  readonly phase: DrillSample['phase'];
  readonly samples: readonly DrillSample[];
  /** Null until its services were taken back. */
  readonly report: RevertReport | null;
  /** Seconds from the start of its services until all of them answered; null where they did not. */
  readonly ready_s: number | null;
  readonly probes_ok: number;
  readonly probes: number;
  /** The most of all samples; null where no disk can be seen. */
  readonly handoff_copies_max: number | null;
}

/** The tools with which a drill looks and acts. */
export interface DrillTools {
  readonly tools: RevertTools;
  look(): Promise<readonly NodeSight[]>;
  disks(): Promise<DiskCounts | null>;
  readonly now: () => number;
}

const LOOK_MS = 1000;
/** A look at all nodes and disks is dearer than a write: one in five seconds. */
const LOOKS_APART = 5;
const READY_MS = 60_000;
const SAMPLES_MAX = 1000;

/** Daemons first, so that none of them works with servers that go; the start is the other way round. */
export function stopOrder(services: readonly string[]): string[] {
  const order = [...STORAGE_DAEMONS.toReversed(), ...STORAGE_SERVERS.toReversed()];
  return order.filter((name) => services.includes(name));
}

/** Holds the services of one node down for a time. */
export function drillKind(tools: DrillTools): FaultKind<DrillParams, DrillReport, ClientProbes> {
  return {
    name: DRILL,
    kept: 50,
    holds: true,
    async run(fault) {
      const course = new DrillCourse(fault, tools);
      let isBack = false;
      try {
        const report = await course.run();
        isBack = report.report !== null;
        return report;
      } finally {
        // A node that is still down comes back after this: that does not wait for deletions.
        const removing = fault.means?.remove();
        if (isBack) await removing;
      }
    },
  };
}

/** One drill from its beginning to its report. */
class DrillCourse {
  #phase: DrillSample['phase'] = 'stopping';
  #samples: DrillSample[] = [];
  #report: RevertReport | null = null;
  #readyS: number | null = null;
  #pending = { ok: 0, all: 0 };
  #total = { ok: 0, all: 0 };

  constructor(
    private readonly fault: FaultControl<DrillParams, ClientProbes>,
    private readonly given: DrillTools,
  ) {}

  async run(): Promise<DrillReport> {
    const { fault } = this;
    if (!fault.isResumed) await this.#stop();
    this.#phase = 'held_down';
    await this.#hold();
    if (fault.signal.reason === 'ended' || fault.signal.reason === 'deadline') {
      this.#phase = 'starting';
      await fault.note({ stage: this.#phase });
      this.#report = await fault.revert();
      await this.#becomeReady();
      this.#phase = 'up';
      await this.#sample();
    }
    return this.#view();
  }

  async #stop(): Promise<void> {
    const { fault } = this;
    const { node, services } = fault.params;
    const { driver, node: nodeOf } = this.given.tools;
    // Its container has to be there before: a small cluster cannot make one without a node.
    await this.#probe();
    await this.#sample();
    await fault.arm(
      services
        .toReversed()
        .map((service) => ({ kind: 'service.start', params: { node, service } })),
    );
    for (const service of services) {
      if (fault.signal.aborted) return;
      await fault.act(`Stop ${service}`, async () => {
        try {
          await driver.act(nodeOf(node), service, 'stop');
        } catch (error) {
          if (!(error instanceof DriverError)) throw error;
          throw new ApiError('driver_failed', `Could not stop ${service}: ${error.message}`);
        }
      });
    }
    await fault.held();
  }

  async #hold(): Promise<void> {
    const { signal, params } = this.fault;
    for (let look = 0; !signal.aborted; look++) {
      await this.#probe();
      if (look % LOOKS_APART === 0) await this.#sample();
      this.fault.progress(Math.min(look, params.ttl_s), params.ttl_s, this.#view());
      await delay(LOOK_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Waits until all that was stopped answers. */
  async #becomeReady(): Promise<void> {
    const { node, services } = this.fault.params;
    const startedMs = this.given.now();
    while (this.given.now() - startedMs < READY_MS) {
      const sight = (await this.given.look()).find(({ name }) => name === node);
      const isReady = services.every((service) =>
        sight?.services.some(
          ({ name, state, probe }) =>
            name === service && state === 'active' && (probe === null || probe.ok),
        ),
      );
      if (isReady) {
        this.#readyS = (this.given.now() - startedMs) / 1000;
        return;
      }
      await this.#probe();
      await delay(LOOK_MS);
    }
  }

  async #probe(): Promise<void> {
    const isFine = await this.fault.means?.probe();
    if (isFine === undefined) return;
    for (const counter of [this.#pending, this.#total]) {
      counter.all += 1;
      if (isFine) counter.ok += 1;
    }
  }

  async #sample(): Promise<void> {
    const others = (await this.given.look()).filter(({ name }) => name !== this.fault.params.node);
    const servers = others
      .flatMap(({ services }) => services)
      .filter(({ probe }) => probe !== null);
    const { ok, all } = this.#pending;
    this.#pending = { ok: 0, all: 0 };
    this.#samples.push({
      at_unix_s: Math.floor(this.given.now() / 1000),
      phase: this.#phase,
      probes_ok: all === 0 ? null : ok,
      probes: all === 0 ? null : all,
      servers_ok: servers.filter(({ probe }) => probe?.ok === true).length,
      servers: servers.length,
      disks: await this.given.disks(),
    });
    if (this.#samples.length > SAMPLES_MAX) this.#samples.shift();
  }

  #view(): DrillReport {
    const copies = this.#samples.flatMap(({ disks }) => disks?.handoff_copies ?? []);
    return {
      node: this.fault.params.node,
      phase: this.#phase,
      samples: [...this.#samples],
      report: this.#report,
      ready_s: this.#readyS,
      probes_ok: this.#total.ok,
      probes: this.#total.all,
      handoff_copies_max: copies.length === 0 ? null : Math.max(...copies),
    };
  }
}
