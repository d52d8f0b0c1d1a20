import { startSwiftLab, type SwiftLab } from './swift-lab.js';

let shared: Promise<SwiftLab> | undefined;

/**
 * The lab of this run of mocha, started when it is first asked for. Whoever injects faults heals it
 * afterwards; names of containers are the test's own.
 */
export function sharedSwiftLab(): Promise<SwiftLab> {
  shared ??= startSwiftLab();
  return shared;
}

// Of the root suite, hence after the last test that may have used it.
after('take the Swift lab down', async function () {
  await (await shared)?.close();
});
