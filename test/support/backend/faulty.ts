import { setTimeout as pause } from 'node:timers/promises';
import type * as B from '../../../src/backend/backend.js';
import { BackendError } from '../../../src/backend/errors.js';
import type { BackendCall } from '../../../src/backend/decorators/decorated-backend.js';
import { DecoratedWrites, type ObjectWrite, type WriteConditions } from './object-writes.js';

/** How often what goes wrong: shares of calls, from 0 to 1. */
export interface FaultRates {
  /** Every call waits up to this long before. */
  readonly delayMsMax?: number;
  /** `Unavailable`, and nothing was done. */
  readonly refused?: number;
  /** `Timeout` of a write that was done all the same. */
  readonly lost?: number;
  /** The body of a read ends in its middle, with an error. */
  readonly cut?: number;
  /** A write is answered `stale`, and changes nothing: Swift's 202. */
  readonly stale?: number;
  /** A write is answered `StorageFull`, and changes nothing; not what is for a deletion. */
  readonly full?: number;
}

/** Writes whose outcome may be `stale`. */
const MAY_BE_STALE: ReadonlySet<ObjectWrite['method']> = new Set([
  'putObject',
  'putManifest',
  'putLink',
  'deleteObject',
]);

/** Writes that need room. */
const NEEDS_ROOM: ReadonlySet<ObjectWrite['method']> = new Set([
  'putObject',
  'putManifest',
  'copyObject',
]);

/**
 * A store that often fails, for tests of the layers above: it keeps what it acknowledges, and fails
 * with every error that {@link B.Backend} documents. `ping` succeeds, so that no listener is taken
 * out of service.
 */
export class FaultyBackend extends DecoratedWrites {
  constructor(
    inner: B.Backend,
    private readonly rates: FaultRates,
    private readonly random: () => number = Math.random,
  ) {
    super(inner);
  }

  protected override async around<T>(call: BackendCall, proceed: () => Promise<T>): Promise<T> {
    if (call.method === 'ping') return proceed();
    const { delayMsMax, refused, lost } = this.rates;
    if (delayMsMax !== undefined) await pause(this.random() * delayMsMax);
    if (this.#happens(refused)) throw new BackendError('Unavailable', 'refused by a test');
    const answer = await proceed();
    if (call.kind === 'write' && this.#happens(lost)) {
      throw new BackendError('Timeout', 'the answer was lost by a test');
    }
    return answer;
  }

  protected override aroundWrite<T>(
    write: ObjectWrite,
    proceed: (conditions: WriteConditions) => Promise<T>,
  ): Promise<T | { readonly outcome: 'stale' }> {
    const { method, writeClass } = write;
    const needsRoom = NEEDS_ROOM.has(method) && writeClass !== 'deletion';
    if (needsRoom && this.#happens(this.rates.full)) {
      return Promise.reject(new BackendError('StorageFull', 'filled by a test'));
    }
    const isStale = MAY_BE_STALE.has(method) && this.#happens(this.rates.stale);
    return isStale ? Promise.resolve({ outcome: 'stale' }) : proceed(write);
  }

  override async getObject(
    context: B.CallContext,
    ref: B.ObjectRef,
    range?: B.RangeSpec,
    options?: B.ReadOptions,
  ): Promise<B.GetObjectResult> {
    const result = await super.getObject(context, ref, range, options);
    return this.#happens(this.rates.cut) ? { ...result, body: cutShort(result.body) } : result;
  }

  #happens(share: number | undefined): boolean {
    return share !== undefined && this.random() < share;
  }
}

/** Half of the first piece, then nothing more. */
function cutShort(body: B.ObjectBody): B.ObjectBody {
  const { source } = body;
  async function* pieces(): AsyncGenerator<Buffer, undefined> {
    for await (const piece of Buffer.isBuffer(source) ? [source] : source) {
      yield piece.subarray(0, Math.floor(piece.length / 2));
      break;
    }
    throw new BackendError('Unavailable', 'cut short by a test');
  }
  return {
    length: body.length,
    source: pieces(),
    cancel: () => {
      body.cancel();
    },
  };
}
