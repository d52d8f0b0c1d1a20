/**
 * Storage classes whose objects have to be restored before they can be read, warmer ones first, each
 * with the index of the policy that places its cold copies: SPEC.md 2.3, docs/cold-tier.md.
 */
export type ColdClasses = ReadonlyMap<string, number>;

export const NO_COLD_CLASSES: ColdClasses = new Map();

/** @param entries - as configured: `GLACIER:1` */
export function parseColdClasses(entries: readonly string[]): ColdClasses {
  return new Map(
    entries.map((entry) => {
      const [storageClass = '', policy] = entry.split(':');
      return [storageClass, Number(policy)];
    }),
  );
}
