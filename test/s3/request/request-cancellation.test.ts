import { expect } from 'chai';
import type * as B from '../../../src/backend/backend.js';
import { DecoratedBackend } from '../../../src/backend/decorators/decorated-backend.js';
import { openEmbeddedStore } from '../../../src/backend/embedded/index.js';
import { useOnce } from '../../support/fixture.js';
import { useTempFolderOnce } from '../../support/temp-folder.js';
import { Gateway } from '../retries/gateway.js';
import { SCENARIOS } from '../retries/scenarios.js';

/** A read of all replicas, as the store was asked for it. */
interface NewestRead {
  readonly method: string;
  readonly context: B.CallContext;
}

/** Tells of the reads whose calls have options: those that a copied context has lost before. */
class WatchedReads extends DecoratedBackend {
  readonly seen: NewestRead[] = [];

  override headContainer(context: B.CallContext, ref: B.ContainerRef, options?: B.ReadOptions) {
    this.#saw('headContainer', context, options);
    return super.headContainer(context, ref, options);
  }

  override headObject(context: B.CallContext, ref: B.ObjectRef, options?: B.ReadOptions) {
    this.#saw('headObject', context, options);
    return super.headObject(context, ref, options);
  }

  override getObject(
    context: B.CallContext,
    ref: B.ObjectRef,
    range?: B.RangeSpec,
    options?: B.ReadOptions,
  ) {
    this.#saw('getObject', context, options);
    return super.getObject(context, ref, range, options);
  }

  #saw(method: string, context: B.CallContext, options: B.ReadOptions | undefined): void {
    if (options?.newest === true) this.seen.push({ method, context });
  }
}

describe('s3: the cancellation of a request', function () {
  this.timeout(60_000);
  const directory = useTempFolderOnce('cancellation');
  const store = useOnce(() => openEmbeddedStore({ directory: directory() }), 'close');

  it('reaches every read of all replicas, but for those that finish what has begun', async () => {
    const methods = new Set<string>();
    for (const [at, scenario] of SCENARIOS.entries()) {
      const reads = new WatchedReads(store());
      const gateway = new Gateway(reads, `AUTH_${at}`);
      await gateway.send(await scenario.prepare(gateway));
      await gateway.close();
      for (const { method, context } of reads.seen) {
        if (context.finishing === true) continue;
        methods.add(method);
        expect(context.cancellation?.aborted, `${scenario.name}, ${method}`).to.equal(false);
      }
    }
    expect([...methods]).to.have.members(['headContainer', 'headObject', 'getObject']);
  });
});
