/** The part of V8's .cpuprofile that is read here. */
interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: {
      readonly functionName: string;
      readonly url: string;
      readonly lineNumber: number;
    };
  }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

export interface SelfTime {
  /** Function and place, such as `respond (src/http/exchange-impl.js:120)`. */
  readonly name: string;
  /** The share of all CPU time that the service took. */
  readonly share: number;
  readonly ms: number;
}

/** Native code and waiting, which the sampler cannot tell apart. */
const NOT_SAMPLED = ['(program)', '(idle)'];

/** The label of the service's CPU time that was not sampled. */
const NATIVE = '(native code, kernel, other threads)';

/**
 * Functions by the time spent in themselves, the largest first, over several profiles of the same
 * work.
 *
 * @param cpuMs CPU of the service in the same time
 */
export function selfTimes(profiles: readonly string[], cpuMs: number, count: number): SelfTime[] {
  const micros = new Map<string, number>();
  for (const text of profiles) {
    const { nodes, samples, timeDeltas } = JSON.parse(text) as CpuProfile;
    const names = new Map(nodes.map((node) => [node.id, placeOf(node.callFrame)]));
    for (const [i, id] of samples.entries()) {
      const name = names.get(id) ?? '(unknown)';
      micros.set(name, (micros.get(name) ?? 0) + Math.max(0, timeDeltas[i] ?? 0));
    }
  }
  for (const name of NOT_SAMPLED) micros.delete(name);
  const sampled = [...micros.values()].reduce((sum, value) => sum + value, 0);
  const total = Math.max(sampled, cpuMs * 1000);
  micros.set(NATIVE, total - sampled);
  return [...micros]
    .map(([name, value]) => ({ name, share: total === 0 ? 0 : value / total, ms: value / 1000 }))
    .sort((a, b) => b.ms - a.ms)
    .slice(0, count);
}

function placeOf(frame: CpuProfile['nodes'][number]['callFrame']): string {
  const name = frame.functionName === '' ? '(anonymous)' : frame.functionName;
  if (frame.url === '') return name;
  const path = frame.url.replace(/^file:\/\//, '').replace(/^.*\/(?:dist|node_modules)\//, '');
  return `${name} (${path}:${frame.lineNumber + 1})`;
}
