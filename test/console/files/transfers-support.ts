import { ApiError } from '../../../console/server/api-error.js';
import type { ManyResult } from '../../../console/server/audited-job.js';
import { fromUpstream } from '../../../console/server/upstream-errors.js';
import { Tally } from '../../../console/surfaces/files/many.js';
import { transferMany } from '../../../console/surfaces/files/transfer-many.js';
import type { Transfer } from '../../../console/surfaces/files/transfer-plan.js';
import { Transfers, type TransferJob } from '../../../console/surfaces/files/transfers.js';
import { FakeSwift } from './fake-swift.js';

type Role = 'admin' | 'member';
export type Pair = readonly [from: string, to: string];

const describeError = (error: unknown): ApiError => {
  const known = error instanceof ApiError ? error : fromUpstream(error);
  if (known === undefined && (error as Error).name === 'AbortError')
    return new ApiError('busy', 'cancelled');
  if (known === undefined) throw error;
  return known;
};

export async function* each<T>(items: Iterable<T>): AsyncGenerator<T> {
  await Promise.resolve();
  yield* items;
}

/** Runs a job as the routes do. */
export async function run(
  swift: FakeSwift,
  job: TransferJob,
  transfers: (tally: Tally) => AsyncIterable<Transfer>,
  role: Role = 'admin',
  { signal } = new AbortController(),
): Promise<ManyResult> {
  const control = { signal, progress: () => undefined };
  const tally = new Tally(control, describeError);
  const user = { account: 'test', user: 'tester', role };
  const session = { store: swift.account, s3: undefined, user };
  const work = new Transfers(session, job, tally, () => 0);
  await transferMany(transfers(tally), false, work, control);
  return tally.result;
}

export function swiftWith(bodies: Readonly<Record<string, string>>, options = {}): FakeSwift {
  const swift = new FakeSwift(options);
  for (const container of ['x', 'y', 'x+trash']) swift.containers.set(container, {});
  for (const [key, body] of Object.entries(bodies)) {
    const [container = '', ...rest] = key.split('/');
    swift.put(container, rest.join('/'), body);
  }
  return swift;
}

export const bodiesOf = (swift: FakeSwift): Record<string, string> =>
  Object.fromEntries([...swift.objects].map(([key, { body }]) => [key, body] as const).sort());

export const inX = ([from, to]: Pair): Transfer => ({
  name: from,
  from: { container: 'x', object: from },
  to: { container: 'x', object: to },
});

export const MOVE = { container: 'x', to_container: 'x', removes: true, onTaken: 'fail' } as const;

export const move = (swift: FakeSwift, pairs: readonly Pair[], more = {}, role?: Role) =>
  run(swift, { ...MOVE, ...more }, () => each(pairs.map(inX)), role);
