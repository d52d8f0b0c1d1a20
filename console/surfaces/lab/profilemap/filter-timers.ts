import { parseUpstream } from '../../../swift/address.js';
import { readBody, Upstream } from '../../../swift/upstream.js';
import { parseStageReport, timersOfReport } from './gateway-timers.js';
import { since, together, type Timer, type Timers } from './timers.js';

/** The answers of the proxies. */
export interface FilterLook {
  /** By the host's counters: those of one that answers now and then are not those of another. */
  readonly hosts: ReadonlyMap<string, Timers>;
  readonly state: 'live' | 'unavailable' | 'off';
  readonly note: string | null;
}

const BODY_BYTES_MAX = 256 * 1024;
const IDLE_MS = 5000;

/** The name of a stage of a proxy among {@link Timers}. */
export function filterTimer(path: string, stage: string): string {
  return `filter.${path}.${stage}`;
}

/** The stages that Ringway's filter measures in Swift's proxies (ops/swift/ringway_filter). */
export class FilterTimers {
  readonly #proxies: readonly Upstream[];

  /** @param bases - addresses of proxies; some may share their counters, on one host */
  constructor(bases: readonly string[]) {
    this.#proxies = bases.map((base) => new Upstream(parseUpstream(base)));
  }

  close(): void {
    for (const proxy of this.#proxies) proxy.close();
  }

  /** Never throws. */
  async look(): Promise<FilterLook> {
    const answers = await Promise.all(this.#proxies.map((proxy) => ask(proxy)));
    const found = new Map<string, Timers>();
    for (const one of answers) if (typeof one === 'object') found.set(one.id, one.timers);
    const silent = answers.filter((one) => typeof one !== 'object').length;
    if (found.size > 0) {
      const note = silent === 0 ? null : `${silent} of ${answers.length} proxies report no timers.`;
      return { hosts: found, state: 'live', note };
    }
    if (answers.includes('other')) {
      const note = 'stage_file of the filter in the proxies switches it on.';
      return { hosts: new Map(), state: 'off', note };
    }
    return { hosts: new Map(), state: 'unavailable', note: 'No proxy is responding.' };
  }
}

/** @returns `other` for a proxy without timers, `none` for one that does not answer */
async function ask(
  proxy: Upstream,
): Promise<{ readonly id: string; readonly timers: Timers } | 'other' | 'none'> {
  let text: string;
  try {
    const request = { method: 'GET', rawPath: '/recon/stage', idleMs: IDLE_MS };
    const { status, body } = await proxy.send(request);
    text = (await readBody(body, BODY_BYTES_MAX)).toString('utf8');
    if (status !== 200) return 'other';
  } catch {
    return 'none';
  }
  try {
    const report = parseStageReport(text);
    if (report.service !== 'swift-proxy') return 'other';
    return { id: report.id ?? '', timers: timersOfReport(report, filterTimer) };
  } catch {
    return 'other';
  }
}

/**
 * The timers of all hosts together.
 * @param before - with it, what was counted since; of hosts that were silent then nothing is known
 */
export function ofHosts(
  hosts: FilterLook['hosts'],
  before?: FilterLook['hosts'],
): Map<string, Timer> {
  const all = [...hosts].flatMap(([id, timers]) => {
    if (before === undefined) return [timers];
    const former = before.get(id);
    return former === undefined ? [] : [since(former, timers)];
  });
  const names = new Set(all.flatMap((timers) => [...timers.keys()]));
  return new Map(
    [...names].map((name) => [name, together(all.flatMap((timers) => timers.get(name) ?? []))]),
  );
}
