import { expect } from 'chai';
import type { Backend, ObjectHead, ObjectRef } from '../../src/backend/backend.js';
import { MemoryColdBackend } from '../support/backend/memory-cold.js';
import type { ColdBackend } from '../../src/cold/cold-backend.js';
import { createDigestFactory } from '../../src/digest/index.js';
import { coldObjectOf } from '../../src/s3/cold/cold-object.js';
import { Restorer } from '../../src/s3/cold/restorer.js';
import { SYSTEM_METADATA } from '../../src/s3/object/attributes.js';
import { isRestored } from '../../src/s3/rules/cold/cold-object.js';
import { listed } from '../cold/cold-contract.js';
import { ACCOUNT, Bench, BUCKET, CALL, DAY_MS } from './support.js';

export const CLASSES = new Map([['GLACIER', 1]]);
const SWEEP_AGE_MS = 3_600_000;

const digests = createDigestFactory({ inlineBytesMax: Infinity });

export function refOf(key: string, container = BUCKET): ObjectRef {
  return { account: ACCOUNT, container, object: key };
}

/** A store with one bucket, a cold backend, and what janitors and restores do to them. */
export class ColdBench {
  private constructor(
    readonly bench: Bench,
    readonly cold: ColdBackend,
  ) {}

  static async open(
    options: { readonly deleteHot?: boolean; readonly cold?: ColdBackend } = {},
  ): Promise<ColdBench> {
    const { deleteHot = true, cold = new MemoryColdBackend() } = options;
    const bench = await Bench.open();
    const settings = { classes: CLASSES, deleteHot, sweepAgeMs: SWEEP_AGE_MS, digests };
    bench.cold = { backend: cold, ...settings };
    return new ColdBench(bench, cold);
  }

  close(): Promise<void> {
    return this.bench.close();
  }

  /** An object of the cold class, as a client writes it. */
  async putCold(key: string, body: Buffer | string = 'body'): Promise<Buffer> {
    const bytes = Buffer.from(body);
    const attributes = { [SYSTEM_METADATA.storageClass]: 'GLACIER' };
    await this.bench.store.putObject(CALL, refOf(key), {
      size: bytes.length,
      contentType: 'text/plain',
      metadata: { title: key },
      systemMetadata: attributes,
      listingAttributes: attributes,
      body: bytes,
    });
    return bytes;
  }

  /** Moves an object to the cold class, as a rule does it. */
  async makeCold(key: string): Promise<void> {
    const attributes = { [SYSTEM_METADATA.storageClass]: 'GLACIER' };
    const update = { systemMetadata: attributes, listingAttributes: attributes };
    await this.bench.store.updateObject(CALL, refOf(key), update);
  }

  /** One pass. @returns what it told, sorted */
  pass(backend?: Backend): Promise<string[]> {
    return this.bench.pass(backend);
  }

  /** Passes until nothing is left to be done: archived, and released where that is wanted. */
  async settle(): Promise<void> {
    for (let told = ['']; told.length > 0;) told = await this.pass();
  }

  restorer(backend: Backend = this.bench.store): Restorer {
    const { cold } = this;
    const now = (): number => this.bench.clock.now();
    return new Restorer({ backend, cold, digests, classes: CLASSES, now });
  }

  restore(key: string, days = 1): Promise<200 | 202> {
    return this.restorer().restore(refOf(key), days, CALL);
  }

  head(key: string, container = BUCKET): Promise<ObjectHead> {
    return this.bench.store.headObject(CALL, refOf(key, container));
  }

  async isReadable(key: string): Promise<boolean> {
    const object = coldObjectOf(await this.head(key), CLASSES);
    return object === undefined || isRestored(object, this.bench.clock.now());
  }

  async read(key: string, container = BUCKET): Promise<Buffer> {
    const { body } = await this.bench.store.getObject(CALL, refOf(key, container));
    const { source } = body;
    if (Buffer.isBuffer(source)) return source;
    const chunks: Buffer[] = [];
    for await (const chunk of source) chunks.push(Buffer.from(chunk));
    return Buffer.concat(chunks);
  }

  async copies(): Promise<number> {
    return (await listed(this.cold, ACCOUNT)).length;
  }

  /** The entry of a listing, but for what the cold tier adds for itself. */
  async listed(key: string) {
    const container = { account: ACCOUNT, container: BUCKET };
    const page = await this.bench.store.listObjects(CALL, container, { prefix: key, limit: 1 });
    const [entry] = page.entries;
    if (entry?.kind !== 'object') throw new Error(`${key} is not listed`);
    const { [SYSTEM_METADATA.cold]: state, ...attributes } = entry.object.attributes;
    return { ...entry.object, attributes, state };
  }

  /** All that must hold of an object in every moment, whatever crashed: its bytes are somewhere. */
  async expectKept(key: string, bytes: Buffer): Promise<void> {
    const head = await this.head(key);
    expect(head.size).to.equal(bytes.length);
    if (head.bodyAbsent !== true) {
      expect((await this.read(key)).equals(bytes), 'the hot body').to.be.true;
      return;
    }
    expect(await this.isReadable(key), 'a window without bytes').to.be.false;
    expect(await this.restore(key)).to.equal(202);
    expect((await this.read(key)).equals(bytes), 'the restored body').to.be.true;
    expect(await this.isReadable(key)).to.be.true;
    this.bench.clock.advance(3 * DAY_MS);
  }
}
