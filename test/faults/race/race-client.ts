import { createHash } from 'node:crypto';
import type {
  BodyId,
  BucketState,
  ListedEntry,
  Outcome,
  ReadResult,
  ToldVersion,
} from '../history/operation.js';
import { Stopwatch, type Recorder, type Timing } from '../history/recorder.js';
import {
  S3TestClient,
  type S3Address,
  type S3Answer,
  type S3Request,
} from '../../support/s3-client.js';
import type { Racer } from './race.js';
import { parseVersions, wholeKeys, type VersionsPage } from './versions-document.js';

/** A request and what came of it; undefined answer: the connection ended before there was one. */
interface Exchange {
  readonly timing: Timing;
  readonly answer: S3Answer | undefined;
  readonly why: string;
}

/**
 * A client with a connection to each gateway that takes either for each request, and records all
 * that it does and is told.
 */
export class RaceClient implements Racer {
  readonly #gateways: readonly S3TestClient[];

  constructor(
    readonly name: string,
    private readonly recorder: Recorder,
    services: readonly S3Address[],
    private readonly bucket: string,
    /** From 0 to 1. */
    private readonly random: () => number = Math.random,
  ) {
    this.#gateways = services.map((service) => new S3TestClient(service));
  }

  async put(key: string, body: Buffer): Promise<void> {
    const exchange = await this.#send({ method: 'PUT', path: this.#path(key), body });
    const outcome = outcomeOf(exchange, ({ headers }) => ({ version: versionOf(headers) }));
    this.#record(exchange, outcome, { op: 'put', key, body: idOf(body), outcome });
  }

  async delete(key: string): Promise<void> {
    const exchange = await this.#send({ method: 'DELETE', path: this.#path(key) });
    const outcome = outcomeOf(exchange, ({ headers }) => ({
      version: versionOf(headers),
      marker: headers['x-amz-delete-marker'] === 'true',
    }));
    this.#record(exchange, outcome, { op: 'delete', key, outcome });
  }

  async deleteVersion(key: string, version: string): Promise<void> {
    const path = `${this.#path(key)}?versionId=${version}`;
    const exchange = await this.#send({ method: 'DELETE', path });
    const outcome = outcomeOf(exchange, () => ({}));
    this.#record(exchange, outcome, { op: 'delete-version', key, version, outcome });
  }

  async read(op: 'get' | 'head', key: string, version?: string): Promise<boolean> {
    const query = version === undefined ? '' : `?versionId=${version}`;
    const path = `${this.#path(key)}${query}`;
    const exchange = await this.#send({ method: op === 'get' ? 'GET' : 'HEAD', path });
    const found = readResultOf(exchange.answer, op);
    const outcome: Outcome<ReadResult> =
      found === undefined ? outcomeOf<never>(exchange, neverRead) : { result: 'ok', ...found };
    const of = version === undefined ? { key } : { key, version };
    this.#record(exchange, outcome, { op, ...of, outcome });
    return outcome.result === 'ok';
  }

  async setState(state: BucketState): Promise<void> {
    const body = `<VersioningConfiguration><Status>${state}</Status></VersioningConfiguration>`;
    const exchange = await this.#send({ method: 'PUT', path: `/${this.bucket}?versioning`, body });
    const outcome = outcomeOf(exchange, () => ({}));
    this.#record(exchange, outcome, { op: 'set-state', state, outcome });
  }

  async listKey(key: string): Promise<readonly ListedEntry[] | undefined> {
    const page = await this.listPage({ prefix: key }, [key]);
    return page?.entries.map(({ entry }) => entry);
  }

  async listPage(
    query: Readonly<Record<string, string>>,
    keys: readonly string[],
  ): Promise<VersionsPage | undefined> {
    const parameters = new URLSearchParams({ versions: '', ...query }).toString();
    const exchange = await this.#send({ method: 'GET', path: `/${this.bucket}?${parameters}` });
    const { answer } = exchange;
    if (answer === undefined || answer.status >= 500) return undefined;
    if (answer.status !== 200) throw unexpected(answer);
    const page = parseVersions(answer.text);
    for (const [key, entries] of wholeKeys(page, query, keys)) {
      const outcome = { result: 'ok', entries } as const;
      this.recorder.add(this.name, exchange.timing, { op: 'list', key, outcome });
    }
    return page;
  }

  async close(): Promise<void> {
    await Promise.all(this.#gateways.map((gateway) => gateway.close()));
  }

  #path(key: string): string {
    return `/${this.bucket}/${key}`;
  }

  async #send(request: S3Request): Promise<Exchange> {
    const gateway = this.#gateways[Math.floor(this.random() * this.#gateways.length)];
    const watch = new Stopwatch();
    try {
      const answer = await gateway?.send(request);
      return { timing: watch.stop(), answer, why: '' };
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      return { timing: watch.stop(), answer: undefined, why: code ?? message };
    }
  }

  #record(
    { timing, why }: Exchange,
    outcome: Outcome<object>,
    record: Parameters<Recorder['add']>[2],
  ): void {
    // Never left this process: nothing can have come of it.
    if (outcome.result === 'unknown' && why === 'ECONNREFUSED') return;
    this.recorder.add(this.name, timing, record);
  }
}

/** Only what says that nothing was done is a refusal: of 5xx nobody knows how far it came. */
function outcomeOf<Result extends object>(
  { answer, why }: Exchange,
  read: (answer: S3Answer) => Result,
): Outcome<Result> {
  if (answer === undefined) return { result: 'unknown', why };
  const { status, code = '' } = answer;
  // Not in this race: a mistake of the test, or of the gateway.
  if (status === 501 || status === 400) throw unexpected(answer);
  if (status >= 500) return { result: 'unknown', why: `${status} ${code}` };
  if (status >= 400) return { result: 'refused', why: `${status} ${code}` };
  return { result: 'ok', ...read(answer) };
}

function neverRead(answer: S3Answer): never {
  throw unexpected(answer);
}

function unexpected({ status, text }: S3Answer): Error {
  return new Error(`unexpected ${status}: ${text}`);
}

/** @returns undefined when the answer tells nothing of what is there */
function readResultOf(answer: S3Answer | undefined, op: 'get' | 'head'): ReadResult | undefined {
  if (answer === undefined) return undefined;
  const { status, headers, body } = answer;
  const version = versionOf(headers);
  if (status === 200) {
    const etag = headers.etag?.replaceAll('"', '') ?? '';
    return { found: 'version', version, body: op === 'get' ? idOf(body) : etag };
  }
  if (status !== 404 && status !== 405) return undefined;
  const isMarker = headers['x-amz-delete-marker'] === 'true';
  return isMarker ? { found: 'delete-marker', version } : { found: 'nothing' };
}

function versionOf(headers: S3Answer['headers']): ToldVersion {
  return headers['x-amz-version-id'];
}

function idOf(body: Buffer): BodyId {
  return createHash('md5').update(body).digest('hex');
}
