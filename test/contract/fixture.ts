import { createHash, randomBytes } from 'node:crypto';
import { expect } from 'chai';
import type {
  Backend,
  CallContext,
  ContainerRef,
  GetObjectResult,
  ListedObject,
  ObjectRef,
  PutObjectInput,
  PutOutcome,
  RangeSpec,
} from '../../src/backend/backend.js';
import { BackendError, type BackendErrorCode } from '../../src/backend/errors.js';
import { failureOf } from '../support/failure.js';
import { skipBecause } from '../support/skip.js';

/** A reseller admin of the lab. */
const ADMIN = { role: 'owner', account: 'AUTH_gateway', user: 'gateway:gw' };

/** On behalf of a requester who may read everything. */
export const CONTEXT: CallContext = {
  requestId: 'contract',
  behalf: { allows: () => true, header: encodeURIComponent(JSON.stringify(ADMIN)) },
};

/** The backend that the suite runs on, opened once for all its tests. */
export interface OpenBackend {
  readonly backend: Backend;
  close(): Promise<void>;
}

export interface ContractOptions {
  /** Tests to leave out, by title, each with the reason. */
  readonly skip?: Readonly<Record<string, string>> | undefined;
  /** Data sets of the listing properties. */
  readonly listingRuns?: number | undefined;
  /** Objects in the longest listing; a multiple of ten. */
  readonly longListing?: number | undefined;
  readonly account?: string | undefined;
  /** Data sets of the property of large objects. */
  readonly largeObjectRuns?: number | undefined;
  /** Large objects and links take room themselves, and containers count it. */
  readonly countsManifests?: boolean | undefined;
  /** The error that ends a body whose segment has gone. Default: `Corrupt`. */
  readonly cutCode?: BackendErrorCode | undefined;
}

export type Capability = keyof Backend['capabilities'];

/**
 * Leaves a test out where the store does not promise what it tests, and says so in its title, which
 * the summary of `npm test` shows.
 */
export function needsCapability(
  context: Mocha.Context,
  { backend }: Pick<Fixture, 'backend'>,
  ...names: readonly Capability[]
): void {
  const missing = names.filter((name) => !backend.capabilities[name]);
  if (missing.length === 0) return;
  skipBecause(context, `a store with ${missing.join(' and ')}`);
}

/** The backend and options that the tests of the suite share. */
export interface Fixture {
  readonly backend: Backend;
  readonly account: string;
  readonly options: ContractOptions;
}

/** A container of its own for a test. */
export async function freshContainer({ backend, account }: Fixture): Promise<ContainerRef> {
  const ref = { account, container: `c-${randomBytes(6).toString('hex')}` };
  expect(await backend.createContainer(CONTEXT, ref, {})).to.equal('created');
  return ref;
}

export async function freshObject(fixture: Fixture, name = 'object'): Promise<ObjectRef> {
  return { ...(await freshContainer(fixture)), object: name };
}

export function inputOf(
  body: Buffer | string,
  more?: Omit<Partial<PutObjectInput>, 'size'>,
): PutObjectInput & { readonly size: number };
export function inputOf(body: Buffer | string, more: Partial<PutObjectInput>): PutObjectInput;
export function inputOf(body: Buffer | string, more: Partial<PutObjectInput> = {}): PutObjectInput {
  const bytes = Buffer.from(body);
  return { size: bytes.length, contentType: 'text/plain', body: bytes, ...more };
}

/** What an object is described with that tests copy, or link to. */
export const DESCRIBED = {
  contentType: 'text/html',
  headers: { 'cache-control': 'no-store' },
  metadata: { title: 'grüße' },
  systemMetadata: { tags: 'a=1' },
};

type Created = Extract<PutOutcome, { outcome: 'created' }>;

export function createdBy(put: { readonly outcome: string }): Created {
  if (put.outcome !== 'created') throw new Error(`expected created, got ${put.outcome}`);
  return put as Created;
}

/** Asserts that one of racing creators has won. @returns its number */
export function onlyWinner(outcomes: readonly { readonly outcome: string }[]): number {
  const winners = outcomes.flatMap(({ outcome }, i) => (outcome === 'created' ? [i] : []));
  expect(winners).to.have.length(1);
  return winners[0]!;
}

/** An object as the listing of its container shows it. */
export async function listed({ backend }: Fixture, ref: ObjectRef): Promise<ListedObject> {
  const { entries } = await backend.listObjects(CONTEXT, ref, { prefix: ref.object, limit: 1 });
  const [entry] = entries;
  if (entry?.kind !== 'object') throw new Error('it is not listed');
  return entry.object;
}

/** The bytes of a result, checked against the length it announced. */
export async function bytesOf(result: GetObjectResult): Promise<Buffer> {
  const { source, length } = result.body;
  const chunks: Buffer[] = [];
  // A chunk is valid until the next one is asked for: keep copies.
  if (Buffer.isBuffer(source)) chunks.push(source);
  else for await (const chunk of source) chunks.push(Buffer.from(chunk));
  const bytes = Buffer.concat(chunks);
  expect(bytes.length).to.equal(length);
  return bytes;
}

/** Asserts the usage of a container, some of whose objects are large objects or links. */
export async function expectUsage(
  { backend, options }: Fixture,
  ref: ContainerRef,
  objectCount: number,
  bytesUsed: number,
): Promise<void> {
  const head = await backend.headContainer(CONTEXT, ref);
  expect(head.objectCount).to.equal(objectCount);
  if (options.countsManifests === true) expect(head.bytesUsed).to.be.at.least(bytesUsed);
  else expect(head.bytesUsed).to.equal(bytesUsed);
}

export async function readObject(
  { backend }: Fixture,
  ref: ObjectRef,
  range?: RangeSpec,
): Promise<Buffer> {
  return bytesOf(await backend.getObject(CONTEXT, ref, range));
}

/** Expects a rejection with this code, and returns the error. */
export async function failure(
  code: BackendErrorCode,
  promise: Promise<unknown>,
): Promise<BackendError> {
  const error = await failureOf(promise, BackendError);
  expect(error.code).to.equal(code);
  return error;
}

export function md5Of(bytes: Buffer): string {
  return createHash('md5').update(bytes).digest('hex');
}

/** Sizes on both sides of every threshold that a store may have. */
export const SMALL = 10;
export const LARGE = 700_000;

/** Recognisable bytes, different from one offset to the next. */
export function patternBytes(size: number, seed = 1): Buffer {
  const bytes = Buffer.allocUnsafe(size);
  for (let i = 0; i < size; i++) bytes[i] = (i * 31 + (i >> 8) * 17 + seed) & 0xff;
  return bytes;
}

/** A stream over one buffer that is overwritten as soon as the next chunk is asked for. */
export async function* reusedChunks(bytes: Buffer, chunkBytes: number): AsyncGenerator<Buffer> {
  const chunk = Buffer.alloc(chunkBytes);
  for (let at = 0; at < bytes.length; at += chunkBytes) {
    const copied = bytes.copy(chunk, 0, at);
    yield chunk.subarray(0, copied);
    chunk.fill(0xee);
    await Promise.resolve();
  }
}
