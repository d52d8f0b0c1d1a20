import { findProgram, hasPythonModule } from './programs.js';

/** Something outside the project that a suite cannot run without. */
export interface Need {
  readonly name: string;
  isMet(): boolean;
}

export function program(name: string): Need {
  return { name, isMet: () => findProgram(name) !== undefined };
}

export function pythonModule(name: string): Need {
  return { name: `python3 module ${name}`, isMet: () => hasPythonModule(name) };
}

/**
 * A suite that needs something which the machine may lack. Lacking it, the suite is skipped, and
 * `npm test` says so at its end; with RINGWAY_REQUIRE_ALL=1, as in CI, it fails instead.
 */
export function describeWith(
  needs: readonly Need[],
  title: string,
  body: (this: Mocha.Suite) => void,
  env: NodeJS.ProcessEnv = process.env,
): void {
  const missing = needs.filter((need) => !need.isMet()).map((need) => need.name);
  if (missing.length === 0) {
    describe(title, body);
  } else if (env.RINGWAY_REQUIRE_ALL === '1') {
    describe(title, () => {
      it('has what it needs', () => {
        throw new Error(`${missing.join(', ')} not installed, and RINGWAY_REQUIRE_ALL is set`);
      });
    });
  } else {
    // The reporter reads the need from the title: see ops/dev/lib/summary.mjs.
    describe.skip(`${title} [SKIPPED: ${missing.join(', ')} not installed]`, body);
  }
}
