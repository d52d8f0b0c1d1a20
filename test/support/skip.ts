/** Leaves a test or suite out, with the reason in its title, which the end of `npm test` shows. */
export function skipBecause(context: Mocha.Context, why: string): never {
  const test = context.currentTest ?? context.test;
  if (test !== undefined) test.title += ` [SKIPPED: ${why}]`;
  return context.skip();
}
