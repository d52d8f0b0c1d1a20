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
  const missing = missingOf(needs);
  if (missing === '') {
    describe(title, body);
  } else if (env.RINGWAY_REQUIRE_ALL === '1') {
    describe(title, () => {
      it('has what it needs', failingFor(missing));
    });
  } else {
    describe.skip(markedTitle(title, missing), body);
  }
}

/** The same for one test. */
export function itWith(needs: readonly Need[], title: string, body: Mocha.AsyncFunc): void {
  const missing = missingOf(needs);
  if (missing === '') it(title, body);
  else if (process.env.RINGWAY_REQUIRE_ALL === '1') it(title, failingFor(missing));
  else it.skip(markedTitle(title, missing), body);
}

function missingOf(needs: readonly Need[]): string {
  const missing = needs.filter((need) => !need.isMet()).map((need) => need.name);
  return missing.join(', ');
}

/** The reporter reads the need from the title: see ops/dev/lib/summary.mjs. */
function markedTitle(title: string, missing: string): string {
  return `${title} [SKIPPED: ${missing} not installed]`;
}

function failingFor(missing: string): () => never {
  return () => {
    throw new Error(`${missing} not installed, and RINGWAY_REQUIRE_ALL is set`);
  };
}
