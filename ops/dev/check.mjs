/** `npm run check`: lint, format, types and the tidy rules. Quick the second time. */
import process from 'node:process';
import { build } from './lib/build.mjs';
import { lint } from './lib/lint.mjs';
import { runStage } from './lib/mocha.mjs';
import { planStages } from './lib/stages.mjs';
import { messageOf } from './lib/errors.mjs';

/** The compiler checks types as it builds. @returns whether it found no error */
async function isBuilt() {
  try {
    await build();
    return true;
  } catch (error) {
    console.log(`FAIL types: ${messageOf(error)}`);
    return false;
  }
}

/**
 * The tidy rules are compiled tests.
 *
 * @param {Promise<boolean>} built
 */
async function isTidy(built) {
  if (!(await built)) return false;
  const [tidy] = planStages(['test/tidy/']);
  if (tidy === undefined) throw new Error('there are no tidy tests');
  return (await runStage({ ...tidy, name: 'tidy' })).failed.length === 0;
}

const built = isBuilt();
const [tidy, lintFailures] = await Promise.all([isTidy(built), lint()]);
process.exitCode = tidy && lintFailures.length === 0 ? 0 : 1;
