import { AssertionError } from 'chai';

/**
 * A test of what should be and is not. It fails when the check passes, so that a limit which is
 * gone also goes from this list and from the documentation.
 */
export function knownFailure(
  title: string,
  documentedIn: string,
  check: () => Promise<void>,
): Mocha.Test {
  return it(`${title} [known failure: ${documentedIn}]`, async () => {
    try {
      await check();
    } catch (error) {
      if (error instanceof AssertionError) return;
      throw error;
    }
    throw new Error(`this works now: turn it into a test, and take it out of ${documentedIn}`);
  });
}
