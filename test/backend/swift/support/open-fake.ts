import type { CallContext } from '../../../../src/backend/backend.js';
import {
  openTransport,
  type AttemptReport,
  type OpenTransport,
  type RetryReason,
  type TransportOptions,
} from '../../../../src/backend/swift/net/open-transport.js';
import type { SwiftRequest, SwiftResponse } from '../../../../src/backend/swift/transport.js';
import { useEach } from '../../../support/fixture.js';
import { FakeSwift } from './fake-swift.js';

export const CONTEXT: CallContext = { requestId: 'tx0123456789abcdef01234-0065a1b2c3' };

/** A transport in front of fakes, with what it told of itself. */
export interface Fixture {
  readonly fakes: readonly FakeSwift[];
  readonly fake: FakeSwift;
  readonly transport: OpenTransport;
  readonly attempts: AttemptReport[];
  readonly retries: RetryReason[];
  /** Endpoints that were ejected (false) or came back (true). */
  readonly changes: boolean[];
  /** Why, for each of these. */
  readonly reasons: string[];
  /** Reads that were sent twice, and whether the second endpoint answered first. */
  readonly hedges: boolean[];
  readonly get: (request?: Partial<SwiftRequest>) => Promise<SwiftResponse>;
  close(): Promise<void>;
}

/** Opens fakes for the test that runs, and closes them after it. */
export function useFakes(): typeof openFakes {
  const opened = useEach<Fixture[]>(
    () => [],
    (all) => Promise.all(all.map((fixture) => fixture.close())),
  );
  return async (...args) => {
    const fixture = await openFakes(...args);
    opened().push(fixture);
    return fixture;
  };
}

export async function openFakes(
  count: number,
  options: Partial<TransportOptions> = {},
): Promise<Fixture> {
  const fakes = await Promise.all(Array.from({ length: count }, () => FakeSwift.start()));
  const attempts: AttemptReport[] = [];
  const retries: RetryReason[] = [];
  const changes: boolean[] = [];
  const reasons: string[] = [];
  const hedges: boolean[] = [];
  const transport = openTransport({
    endpoints: fakes.map((fake) => fake.url),
    credentialFor: () => ({ user: 'test:tester', key: 'testing' }),
    onAttempt: (report) => attempts.push(report),
    onRetry: (reason) => retries.push(reason),
    onEndpoint: (_, well, reason) => {
      changes.push(well);
      reasons.push(reason);
    },
    onHedge: (won) => hedges.push(won),
    ...options,
  });
  return {
    ...{ fakes, fake: fakes[0]!, transport, attempts, retries, changes, reasons, hedges },
    get: (request) =>
      transport.request({ context: CONTEXT, method: 'GET', account: 'AUTH_test', ...request }),
    async close() {
      await transport.close();
      await Promise.all(fakes.map((fake) => fake.stop()));
    },
  };
}
