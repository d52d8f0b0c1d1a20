import path from 'node:path';
import { ApiError } from '../../../server/api-error.js';
import { runHelper, type HelperOutput } from '../ground/helper-process.js';
import type { Lookup, LookupTarget } from './lookup.js';

/** Whether Swift's own program gives the same answer. */
export interface ParityCheck {
  /** Null where the program gave no answer. */
  readonly agrees: boolean | null;
  /** The first difference, or why there is no answer, in a sentence; null where nothing differs. */
  readonly difference: string | null;
}

const TIMEOUT_MS = 10_000;

/** The output of `swift-get-nodes`. */
export interface GetNodes {
  readonly partition: number;
  readonly hash: string;
  /** `ip:port device`, primaries and then handoffs, in their order. */
  readonly primaries: readonly string[];
  readonly handoffs: readonly string[];
}

/**
 * Asks `swift-get-nodes` for the same target. Our own answer stands whether or not it answers.
 * @param helper - the path of the program, from the configuration, and what ends it
 */
export async function checkWithGetNodes(
  { program, signal }: { readonly program: string; readonly signal: AbortSignal },
  ringFile: string,
  { account, container, object }: LookupTarget,
  ours: Lookup,
): Promise<ParityCheck> {
  const folder = path.dirname(ringFile);
  // Three arguments: one would be taken apart at its slashes.
  const target = [account, container, object].filter((part) => part !== undefined);
  const args = ['-a', '-d', folder, ringFile, '--', ...target];
  const none = (difference: string): ParityCheck => ({ agrees: null, difference });
  let output: HelperOutput;
  try {
    output = await runHelper(program, args, { timeoutMs: TIMEOUT_MS, signal });
  } catch (error) {
    if (error instanceof ApiError) return none(error.message);
    throw error;
  }
  const theirs = output.code === 0 ? parseGetNodes(output.stdout) : undefined;
  if (theirs === undefined) return none('The helper program returned invalid output.');
  const difference = differenceOf(ours, theirs);
  return { agrees: difference === null, difference };
}

/** @returns undefined for what no `swift-get-nodes` prints */
export function parseGetNodes(text: string): GetNodes | undefined {
  const fields = text.split('\n').map((line) => line.split('\t'));
  const valueOf = (name: string): string | undefined =>
    fields.find(([first]) => first?.trim() === name)?.[1]?.trim();
  const [partition, hash] = [valueOf('Partition'), valueOf('Hash')];
  if (partition === undefined || !/^\d+$/.test(partition)) return undefined;
  if (hash === undefined || !/^[0-9a-f]{32}$/.test(hash)) return undefined;
  const places = fields.filter(([first]) => first?.trim() === 'Server:Port Device');
  const isHandoff = (row: readonly string[]): boolean => row[2]?.trim() === '[Handoff]';
  const place = (row: readonly string[]): string => row[1]?.trim() ?? '';
  return {
    partition: Number(partition),
    hash,
    primaries: places.filter((row) => !isHandoff(row)).map(place),
    handoffs: places.filter(isHandoff).map(place),
  };
}

function differenceOf(ours: Lookup, theirs: GetNodes): string | null {
  if (ours.hash !== theirs.hash) return `swift-get-nodes returns hash ${theirs.hash}.`;
  if (ours.part !== theirs.partition)
    return `swift-get-nodes returns partition ${theirs.partition}.`;
  // Swift prints IPv6 addresses without brackets.
  const names = (all: Lookup['primaries']): string[] =>
    all.map(({ ip, port, device }) => `${ip}:${port} ${device}`);
  const [primaries, handoffs] = [names(ours.primaries), names(ours.handoffs)];
  if (primaries.join() !== theirs.primaries.join()) {
    return `swift-get-nodes returns primaries ${theirs.primaries.join(', ')}.`;
  }
  const same = theirs.handoffs.slice(0, handoffs.length);
  return handoffs.join() === same.join()
    ? null
    : `swift-get-nodes returns handoffs ${same.join(', ')}.`;
}
