import path from 'node:path';

/** The places of files in the state directory. Nothing in it is ever edited in place. */
export function layout(stateDir: string) {
  const at = (name: string): string => path.join(stateDir, name);
  return {
    /** Held by the one service that works with the directory. */
    lock: at('deploy.lock'),
    /** The specification that is being worked on. */
    spec: at('spec.json'),
    /** The state in force: see AppliedFile. */
    applied: at('applied.json'),
    /** Every specification that was taken, by entity tag. */
    specs: at('specs'),
    /** `ID.json` and, beside it, what would be in force: `ID.next.json`. */
    plans: at('plans'),
    /** `ID.json`: the journal of a run, written before and after each of its steps. */
    runs: at('runs'),
    /** `ID.json`: the journal of a ramp. */
    ramps: at('ramps'),
    blobs: at('blobs'),
    checks: at('checks'),
    audit: at('audit'),
    /** `NAME.ring.gz` of a cluster that exists, put there by the operator. */
    importedRings: at('import'),
    /** Here for as long as the state is being taken from an archive. */
    importing: at('importing'),
  };
}

export type Layout = ReturnType<typeof layout>;
