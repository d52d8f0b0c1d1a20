import type { ShadowCase } from './case.js';

const REPLAYS_MAX = 200;

/**
 * The smallest part of a case that still shows the same: first steps are left out, then headers,
 * bodies, queries and names (ddmin: halves, quarters, …, single ones). Steps are tried once more
 * then: what asks for the container needs no object.
 *
 * @param shows whether a case shows the finding, in a fresh container
 */
export async function minimize(
  found: ShadowCase,
  shows: (one: ShadowCase) => Promise<boolean>,
): Promise<{ readonly minimal: ShadowCase; readonly replays: number }> {
  let replays = 0;
  const asks = async (one: ShadowCase): Promise<boolean> => {
    if (replays >= REPLAYS_MAX) return false;
    replays += 1;
    return shows(one);
  };
  const steps = await fewest(found.steps, (some) => asks({ ...found, steps: some }));
  const small = await smallerSteps({ ...found, steps }, asks);
  if (small.steps.length === 1) return { minimal: small, replays };
  const few = await fewest(small.steps, (some) => asks({ ...small, steps: some }));
  return { minimal: { ...small, steps: few }, replays };
}

/** The same steps, each with as little in it as shows the same. */
async function smallerSteps(
  found: ShadowCase,
  asks: (one: ShadowCase) => Promise<boolean>,
): Promise<ShadowCase> {
  let minimal = found;
  for (const index of found.steps.keys()) {
    const withStep = (change: Partial<ShadowCase['steps'][number]>): ShadowCase => ({
      ...minimal,
      steps: minimal.steps.map((one, at) => (at === index ? { ...one, ...change } : one)),
    });
    const { headers = [], body_b64: body = '', target = '' } = minimal.steps[index] ?? {};
    const few = await fewest(headers, (some) => asks(withStep({ headers: some })), 0);
    minimal = withStep({ headers: few });
    if (body !== '' && (await asks(withStep({ body_b64: '' }))))
      minimal = withStep({ body_b64: '' });
    for (const shorter of shorterTargets(target)) {
      if (!(await asks(withStep({ target: shorter })))) continue;
      minimal = withStep({ target: shorter });
      break;
    }
  }
  return minimal;
}

/** A target without its query, and that of the container alone, the shortest first. */
function shorterTargets(target: string): string[] {
  const [path = ''] = target.split('?', 1);
  const container = path.slice(0, path.indexOf('${C}') + '${C}'.length);
  return [...new Set([container, path])].filter((one) => one.length < target.length);
}

/** @param least how many have to stay */
async function fewest<T>(
  all: readonly T[],
  holds: (some: T[]) => Promise<boolean>,
  least = 1,
): Promise<T[]> {
  let rest = [...all];
  for (let size = Math.ceil(rest.length / 2); size >= 1;) {
    let isSmaller = false;
    for (let from = 0; from < rest.length; from += size) {
      const some = [...rest.slice(0, from), ...rest.slice(from + size)];
      if (some.length < least || !(await holds(some))) continue;
      rest = some;
      isSmaller = true;
      break;
    }
    if (!isSmaller && size === 1) break;
    size = isSmaller ? Math.max(1, Math.ceil(rest.length / 2)) : Math.ceil(size / 2);
    if (rest.length === 0) break;
  }
  return rest;
}
