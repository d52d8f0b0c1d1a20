import type { Backend, CallContext, ContainerHead, ContainerRef } from '../backend/backend.js';
import { BackendError } from '../backend/errors.js';
import { DecoratedBackend } from '../backend/decorators/decorated-backend.js';
import { cancelledBy } from '../lib/cancellation.js';
import type { HealthCheck } from '../processes/protocol.js';
import { hasLocks } from '../s3/bucket/configuration.js';
import { isValidBucketName } from '../s3/rules/bucket-name.js';
import { unlessGone } from './gone.js';
import { PAGE } from './pass-context.js';
import { RateLimitedBackend, type RateLimiter } from './rate-limit.js';

/** Listings and heads that the search at the start makes at most, of all accounts together. */
const SEARCH_CALLS_MAX = 1000;

/** The warning to operators, in the log and by `/readyz?verbose`. */
export const CLOCK_NOT_CHECKED =
  'there are buckets with Object Lock, and the clock that their retention ends by is not checked: ' +
  'set worm_clock_max_offset_ms, see The clock in docs/operations.md';

/** The reason why a search ends before it has seen all buckets. */
class SearchLimitError extends Error {
  constructor() {
    super(`the search ends after ${SEARCH_CALLS_MAX} calls`);
  }
}

export interface SearchDeps {
  readonly pace: RateLimiter;
  readonly requestId: string;
  readonly signal: AbortSignal;
}

/**
 * For a janitor with `worm_clock_max_offset_ms` 0: finds out whether there is a bucket with Object
 * Lock, whose retention a wrong clock may end too early. It searches once at the start, and checks
 * each bucket's head that a pass reads anyway. Requests pay nothing for it.
 */
export class LockWatch extends DecoratedBackend {
  #found: ContainerRef | undefined;
  /** Why the search has not seen all buckets, where it has not. */
  #missed: string | undefined;

  /** @param warn - told once, of the first bucket that is found */
  constructor(
    inner: Backend,
    private readonly warn: (message: string, bucket: ContainerRef) => void,
  ) {
    super(inner);
  }

  /** Notes for `/readyz?verbose`: never a reason not to be ready. */
  checks(): readonly HealthCheck[] {
    const detail = this.#found === undefined ? this.#missed : CLOCK_NOT_CHECKED;
    return detail === undefined ? [] : [{ name: 'clock', ok: true, detail }];
  }

  override async headContainer(
    context: CallContext,
    ref: ContainerRef,
    options?: Parameters<Backend['headContainer']>[2],
  ): Promise<ContainerHead> {
    const head = await super.headContainer(context, ref, options);
    if (this.#found === undefined && hasLocks(head.systemMetadata)) {
      this.#found = { account: ref.account, container: ref.container };
      this.warn(CLOCK_NOT_CHECKED, this.#found);
    }
    return head;
  }

  /**
   * Heads buckets until one has locks. A store that fails ends it: the checks say so, and the passes
   * of the janitor are still to come. Never rejects for what the store answers.
   */
  async search(accounts: readonly string[], deps: SearchDeps): Promise<void> {
    const { pace, requestId, signal } = deps;
    // A store that keeps no protected metadata keeps no locks.
    if (!this.capabilities.systemMetadata) return;
    const call = { requestId, cancellation: cancelledBy(signal) };
    let calls = 0;
    const bounded = new RateLimitedBackend(this, async () => {
      if (calls === SEARCH_CALLS_MAX) throw new SearchLimitError();
      calls += 1;
      await pace.take(signal);
    });
    try {
      for (const account of accounts) {
        if (await this.#searchAccount(bounded, call, account)) return;
      }
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof BackendError) && !(error instanceof SearchLimitError)) throw error;
      this.#missed = `worm_clock_max_offset_ms is 0, and not every bucket was looked at for Object Lock: ${error.message}`;
    }
  }

  /** @returns whether there is a bucket with locks */
  async #searchAccount(backend: Backend, call: CallContext, account: string): Promise<boolean> {
    let marker = '';
    for (let more = true; more;) {
      const page = await backend.listContainers(call, account, { marker, limit: PAGE });
      for (const { name } of page.containers) {
        marker = name;
        if (!isValidBucketName(name)) continue;
        // Another client may have deleted it meanwhile.
        const head = await unlessGone(backend.headContainer(call, { account, container: name }));
        if (head !== undefined && hasLocks(head.systemMetadata)) return true;
      }
      more = page.truncated;
    }
    return false;
  }
}
