import { startSwiftLab, type SwiftLab } from './swift-lab.js';

let shared: Promise<SwiftLab> | undefined;

/**
 * The lab of this run of mocha, started when it is first asked for. A test that injects faults
 * heals the lab afterwards, and uses container names of its own.
 */
export function sharedSwiftLab(): Promise<SwiftLab> {
  shared ??= startSwiftLab();
  return shared;
}

// A hook of the root suite, so it runs after the last test that may have used it.
after('take the Swift lab down', async function () {
  await (await shared)?.close();
});
