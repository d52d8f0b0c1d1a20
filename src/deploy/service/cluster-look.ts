import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { Applied } from '../plan/make-plan.js';
import { dispersionGate } from '../ramp/dispersion.js';
import { gatesOf, problemsOf, type Gate } from '../ramp/gates.js';
import { lookAtServers, type AskRecon } from '../ramp/recon.js';
import type { Blobs } from '../state/blobs.js';
import type { Ramp, RampLook } from './ramp-record.js';
import type { Run } from './run-record.js';

export interface ClusterLookOptions {
  readonly blobs: Blobs;
  readonly applied: () => Applied;
  /** The last run that has left something on nodes which is not in force. */
  readonly unsettledRun: () => Run | undefined;
  readonly ask: AskRecon;
  readonly nowS: () => number;
  /** Configuration of swift-dispersion-report; empty where there is none. */
  readonly dispersionConf: string;
  /** The program; another one in tests. */
  readonly dispersionProgram?: string | undefined;
}

/** Some 200 microseconds of MD5. */
const SLICE_BYTES = 128 * 1024;

/** Looks at the cluster for a ramp. */
export class ClusterLook {
  /** MD5 of ring files, by their SHA-256: those in force alone. */
  #md5 = new Map<string, string>();

  constructor(private readonly options: ClusterLookOptions) {}

  /** @param signal - gives the longest part of it up */
  async look(
    { placed_unix_s: placedS, movable_unix_s: movableS }: Ramp,
    signal: AbortSignal,
  ): Promise<RampLook> {
    const { applied: inForce, ask, nowS, dispersionConf, dispersionProgram } = this.options;
    const applied = inForce();
    if (applied.spec === null) return { gates: [], problems: ['nothing was applied yet'] };
    const nodes = [...applied.spec.nodes, ...(applied.leaving ?? [])];
    const looks = await lookAtServers(nodes, applied.spec, ask);
    const rings = await this.#ringsOf(applied);
    const gates = gatesOf({ looks, rings, placedS, movableS, nowS: nowS() });
    const unwell = problemsOf(looks);
    const problems = unwell.length > 0 ? unwell : this.#leftRings(gates);
    const isOpen = problems.length === 0 && gates.every(({ ok }) => ok);
    const dispersion: Gate = isOpen
      ? await dispersionGate(dispersionConf, signal, dispersionProgram)
      : { name: 'dispersion', ok: false, message: 'looked at once the others are open' };
    return { gates: [...gates, dispersion], problems };
  }

  /** Nodes that have the rings of such a run do not get others by themselves: who waits, waits forever. */
  #leftRings(gates: readonly Gate[]): string[] {
    const stale = gates.find(({ name, ok }) => name === 'rings' && !ok);
    const run = stale === undefined ? undefined : this.options.unsettledRun();
    if (stale === undefined || run === undefined) return [];
    const way = 'Retry that run, or apply another plan, and resume the ramp.';
    return [`${stale.message}, since ${run.id} is ${run.state}. ${way}`];
  }

  /** MD5 by ring, as recon tells it. */
  async #ringsOf({ files }: Applied): Promise<Map<string, string>> {
    const found = new Map<string, string>();
    const known = new Map<string, string>();
    const [own = {}] = Object.values(files);
    for (const [path, { sha256 }] of Object.entries(own)) {
      const [, ring] = /^etc\/swift\/(.+)\.ring\.gz$/.exec(path) ?? [];
      if (ring === undefined) continue;
      const md5 = this.#md5.get(sha256) ?? (await md5Of(await this.options.blobs.get(sha256)));
      known.set(sha256, md5);
      found.set(ring, md5);
    }
    this.#md5 = known;
    return found;
  }
}

async function md5Of(content: Buffer): Promise<string> {
  const hash = createHash('md5');
  for (let at = 0; at < content.length; at += SLICE_BYTES) {
    hash.update(content.subarray(at, at + SLICE_BYTES));
    await setImmediate();
  }
  return hash.digest('hex');
}
