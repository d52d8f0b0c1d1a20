import type { ServerLook } from './recon.js';

/** A condition that the next step of a ramp waits for. */
export interface Gate {
  readonly name: 'min_part_hours' | 'rings' | 'replication' | 'dispersion';
  readonly ok: boolean;
  readonly message: string;
}

export interface GateInput {
  readonly looks: readonly ServerLook[];
  /** MD5 of the rings in force, by name. */
  readonly rings: ReadonlyMap<string, string>;
  /** Seconds since 1970 when the last step was on all nodes. */
  readonly placedS: number;
  /** Seconds since 1970 when all partitions may move again. */
  readonly movableS: number;
  readonly nowS: number;
}

/** Swift's programs look for another ring file so often: swift/common/ring/ring.py, reload_time. */
const RELOAD_S = 15;
const NAMED_MAX = 5;

/** The gates that are known without a look at objects. */
export function gatesOf({ looks, rings, placedS, movableS, nowS }: GateInput): Gate[] {
  const silent = looks.filter(({ problem }) => problem !== null);
  const others = looks.filter(({ problem }) => problem === null);
  const stale = others.filter((look) =>
    [...rings].some(([ring, md5]) => look.rings.get(ring) !== md5),
  );
  const behind = others.filter(
    ({ passBeganS, failures }) =>
      passBeganS === null || passBeganS < placedS + RELOAD_S || failures > 0,
  );
  const told = (
    wrong: readonly ServerLook[],
    what: string,
    otherwise: string,
  ): Pick<Gate, 'ok' | 'message'> => {
    const closed = [
      ...(wrong.length === 0 ? [] : [`${what} ${named(wrong)}`]),
      ...(silent.length === 0 ? [] : [`no answer from ${named(silent)}`]),
    ];
    return { ok: closed.length === 0, message: closed.join('; ') || otherwise };
  };
  const leftS = Math.max(0, movableS - nowS);
  return [
    {
      name: 'min_part_hours',
      ok: leftS === 0,
      message: leftS === 0 ? 'over' : `${leftS} s are left`,
    },
    { name: 'rings', ...told(stale, 'another ring is on', 'on all nodes') },
    {
      name: 'replication',
      ...told(
        behind,
        'no full pass without failures since on',
        'all replicators have finished a full pass',
      ),
    },
  ];
}

/** The signs that a cluster is not well: nothing is moved then. */
export function problemsOf(looks: readonly ServerLook[]): string[] {
  return looks.flatMap((look) => {
    const who = `the ${look.role} server of ${look.node}`;
    if (look.problem !== null) return [`${who} does not answer: ${look.problem}`];
    if (look.unmounted.length === 0) return [];
    return [`${who} has devices that are not mounted: ${look.unmounted.join(', ')}`];
  });
}

function named(looks: readonly ServerLook[]): string {
  const names = [...new Set(looks.map(({ node, role }) => `${node} (${role})`))];
  const more = names.length > NAMED_MAX ? ` and ${names.length - NAMED_MAX} more` : '';
  return `${names.slice(0, NAMED_MAX).join(', ')}${more}`;
}
