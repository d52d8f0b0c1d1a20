import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Gate } from './gates.js';

const TIMEOUT_MS = 30 * 60_000;
const OUTPUT_BYTES_MAX = 1024 * 1024;
const ENVIRONMENT = { PATH: '/usr/bin:/bin:/usr/local/bin', LANG: 'C.UTF-8' };

/**
 * Asks `swift-dispersion-report` whether all copies are where the rings say.
 *
 * @param conf - its configuration; empty where the operator has none
 * @param signal - ends it: it may take long
 */
export async function dispersionGate(
  conf: string,
  signal: AbortSignal,
  program = 'swift-dispersion-report',
): Promise<Gate> {
  const gate = (ok: boolean, message: string): Gate => ({ name: 'dispersion', ok, message });
  if (conf === '') return gate(true, 'not looked at: dispersion_conf is empty');
  try {
    const { stdout } = await promisify(execFile)(program, ['-j', conf], {
      timeout: TIMEOUT_MS,
      killSignal: 'SIGKILL',
      maxBuffer: OUTPUT_BYTES_MAX,
      env: ENVIRONMENT,
      signal,
    });
    const missing = missingIn(stdout);
    return missing.length === 0
      ? gate(true, 'all copies are in place')
      : gate(false, missing.join('; '));
  } catch (error) {
    return gate(false, `${program}: ${(error as Error).message.slice(0, 300)}`);
  }
}

/** `{"object": {"copies_found": 12, "copies_expected": 12, …}, "container": …}`, after other lines. */
function missingIn(output: string): string[] {
  const line = output.split('\n').findLast((text) => text.startsWith('{')) ?? '{}';
  const report = Object.entries(JSON.parse(line) as Record<string, unknown>);
  if (report.length === 0) return ['it reports nothing'];
  return report.flatMap(([kind, value]) => {
    const { copies_found: found, copies_expected: expected } = (value ?? {}) as {
      readonly copies_found?: number;
      readonly copies_expected?: number;
    };
    if (found !== undefined && found === expected) return [];
    return [`${found ?? 0} of ${expected ?? 0} copies of ${kind}s are in place`];
  });
}
