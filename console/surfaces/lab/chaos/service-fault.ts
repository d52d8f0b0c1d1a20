import { setTimeout as delay } from 'node:timers/promises';
import type { ClusterNode, NodeDriver } from '../../../nodes/driver.js';
import type { Revert } from '../net/fault.js';
import { TTL_RESERVE_S } from './chaos-run.js';
import type { ActiveFault, Check, FaultSight, FaultWatch, Figure, RepairSight } from './fault.js';
import { Holding, type FaultGround } from './ground.js';
import { localDevices, pendingUpdates } from './local-device.js';
import { childrenOf } from '../../../nodes/processes.js';

/** The part of each second in which a slow server stands still (console.md 7.5). */
const STILL_MS = 400;
const GOING_MS = 600;
/** Copies of all objects are asked for on all servers: not each second. */
const COPIES_EVERY_MS = 4000;

/** A server, a cache, or a worker that is stopped, held still, or killed. */
export class ServiceFault implements ActiveFault {
  readonly #holding: Holding;
  readonly #node: ClusterNode;
  readonly #service: string;
  readonly #end = new AbortController();
  #beating: Promise<void> | undefined;
  #figures: { readonly atMs: number; readonly all: readonly Figure[] } | undefined;
  #workers = 0;

  /** @param target - `<node>/<service>`, of the catalogue */
  constructor(
    private readonly fault: 'stop_service' | 'pause_node' | 'drop_memcached' | 'kill_worker',
    target: string,
    private readonly mode: string,
    ground: FaultGround,
  ) {
    this.#holding = new Holding(ground);
    const [node = '', service = ''] = target.split('/');
    this.#node = this.#holding.node(node);
    this.#service = service;
  }

  async prepare(): Promise<readonly Check[]> {
    const { container } = this.#holding.ground;
    const driver = this.#driver;
    await container.create('');
    const [status] = await driver.status(this.#node, [this.#service]);
    const checks: Check[] = [
      {
        id: 'service',
        is_ok: status?.state === 'active',
        text: `${this.#service} on ${this.#node.name} is ${status?.state ?? 'unknown'}.`,
      },
    ];
    if (this.fault !== 'kill_worker') return checks;
    this.#workers = (await childrenOf(status?.pid ?? null)).length;
    const isOk = this.#workers >= 2;
    const text = `The proxy has ${this.#workers} workers${isOk ? '' : ', and two are needed'}.`;
    return [...checks, { id: 'workers', is_ok: isOk, text }];
  }

  async inject(): Promise<void> {
    const driver = this.#driver;
    const service = this.#service;
    const verb = { stop_service: 'stop', drop_memcached: 'stop', pause_node: 'pause', kill_worker: 'kill_child' } as const; // prettier-ignore
    const untilMs = performance.now() + 1000 * (this.#holding.ground.ttlS - TTL_RESERVE_S);
    await this.#holding.break(this.#reverts(), this.fault, async () => {
      await driver.act(this.#node, service, verb[this.fault]);
      if (this.fault === 'pause_node' && this.mode !== 'full') this.#beating = this.#beat(untilMs);
    });
  }

  async observe({ puts, is_last: isLast, say }: FaultWatch): Promise<FaultSight> {
    const nowMs = performance.now();
    if (isLast || this.#figures === undefined || nowMs - this.#figures.atMs > COPIES_EVERY_MS) {
      this.#figures = { atMs: nowMs, all: await this.#count(puts) };
    }
    const { all } = this.#figures;
    if (isLast && all.length > 0) {
      const found = all.map(({ label, value }) => `${label}: ${value ?? 'unknown'}`).join(', ');
      say(`After ${puts} writes that were acknowledged: ${found}.`);
    }
    return { figures: all };
  }

  async revert(): Promise<boolean> {
    await this.stop();
    return this.#holding.takeBack();
  }

  async stop(): Promise<void> {
    this.#end.abort();
    await this.#beating;
  }

  async repair({ say }: FaultWatch): Promise<RepairSight> {
    const notYet = (text: string): RepairSight => ({ is_repaired: false, text });
    const { watch } = this.#holding.ground;
    const driver = this.#driver;
    const [status] = await driver.status(this.#node, [this.#service]);
    if (status?.state !== 'active') return notYet(`${this.#service} does not run yet.`);
    if (this.fault === 'kill_worker') {
      const now = (await childrenOf(status.pid)).length;
      if (now < this.#workers) return notYet(`The proxy has ${now} of ${this.#workers} workers.`);
      return { is_repaired: true, text: 'The proxy has all its workers again.' };
    }
    if (this.#service === 'memcached') return { is_repaired: true, text: 'memcached runs again.' };
    const server = (await watch.servers()).find(
      ({ node, type }) => node === this.#node.name && `${type}-server` === this.#service,
    );
    if (server !== undefined && !(await watch.answers(server))) {
      return notYet(`${this.#service} does not answer yet.`);
    }
    this.#figures = { atMs: performance.now(), all: await this.#count(0) };
    const owed = this.#figures.all.filter(({ value }) => value !== null && value > 0);
    if (owed.length === 0) return { is_repaired: true, text: 'All copies are where they belong.' };
    const done = await this.#help(owed, say);
    return notYet(
      `${owed.map(({ label, value }) => `${label}: ${value}`).join(', ')}.${done ? '' : ' The daemons of the cluster have to do it.'}`,
    );
  }

  async clean(): Promise<void> {
    const { container, probeKeys } = this.#holding.ground;
    await container.remove(probeKeys);
  }

  get #driver(): NodeDriver {
    const { driver } = this.#holding.ground;
    if (driver === undefined) throw new Error('there is no node_driver');
    return driver;
  }

  #reverts(): Revert[] {
    const params = { node: this.#node.name, service: this.#service };
    const kind = this.fault === 'pause_node' ? 'service.resume' : 'service.start';
    return this.fault === 'kill_worker' ? [] : [{ kind, params }];
  }

  /**
   * Stands still and goes on, until the fault is taken back, or a dead-man is about to do that. It
   * goes on in the end: a dead-man that was there first will not resume it once more.
   */
  async #beat(untilMs: number): Promise<void> {
    const driver = this.#driver;
    const { signal } = this.#end;
    const wait = (ms: number) => delay(ms, undefined, { signal }).catch(() => undefined);
    await wait(STILL_MS);
    while (!signal.aborted && performance.now() < untilMs) {
      await driver.act(this.#node, this.#service, 'resume').catch(() => undefined);
      await wait(GOING_MS);
      const pausing = isAborted(signal)
        ? undefined
        : driver.act(this.#node, this.#service, 'pause').catch(() => undefined);
      await pausing;
      await wait(STILL_MS);
    }
    await driver.act(this.#node, this.#service, 'resume').catch(() => undefined);
  }

  async #count(puts: number): Promise<Figure[]> {
    if (this.#service === 'memcached' || this.fault === 'kill_worker') return [];
    const { container, probeKeys, options } = this.#holding.ground;
    const copies = await Promise.all(probeKeys.map((key) => container.copies(key)));
    const all = copies.flat();
    const missing = all.filter(({ index, state }) => index !== null && state !== 'present').length;
    const handoffs = all.filter(({ index, state }) => index === null && state === 'present').length;
    const devices = await localDevices(options);
    const hashes = await Promise.all(
      probeKeys.map(async (key) => (await container.place(key)).hash),
    );
    const pending = devices.length === 0 ? null : await pendingUpdates(devices, new Set(hashes));
    const away = (await container.databases()).places.filter(
      ({ device }) => device.ip === this.#node.storage_ip,
    ).length;
    const note =
      pending === null
        ? { note: 'unknown without node_root' }
        : this.#service === 'container-server' && puts > 0
          ? { note: `${puts} PUTs, of which each owes ${away}` }
          : {};
    return [
      { id: 'missing', label: 'Missing on primaries', value: missing },
      { id: 'handoffs', label: 'Copies on handoffs', value: handoffs },
      { id: 'async_pending', label: 'Updates that wait', value: pending, ...note },
    ];
  }

  /** @returns whether a pass could be run */
  async #help(owed: readonly Figure[], say: (text: string) => void): Promise<boolean> {
    const { passes } = this.#holding;
    if (owed.some(({ id }) => id === 'async_pending')) {
      if (!(await passes.run('object-updater'))) return false;
      say('Object updaters have passed.');
    }
    if (owed.some(({ id }) => id !== 'async_pending')) {
      if (!(await passes.run('object-replicator'))) return false;
      say('Object replicators have passed.');
    }
    return true;
  }
}

/** Asks anew: a wait may have ended since the signal was asked before. */
function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}
