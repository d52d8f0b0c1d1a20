import { expect } from 'chai';
import { S3TestClient, type S3Answer } from '../support/s3-client.js';
import type { Service } from '../support/service.js';
import { partList, patternBytes, UploadSteps, type NamedPart } from './multipart-bench.js';

/** The keys that all of them fight for. */
export const KEYS = ['/parts/a', '/parts/b', '/parts/c'];

/** A body that tells whether it is whole: its length and seed stand at its beginning. */
function selfDescribing(seed: number): Buffer {
  const size = 1000 + ((seed * 7919) % 60_000);
  const body = patternBytes(size, seed);
  body.writeUInt32BE(size, 0);
  body.writeUInt32BE(seed, 4);
  return body;
}

/** @throws AssertionError for a body that nobody wrote */
export function expectWhole({ status, body, text }: S3Answer): void {
  expect(status, text.slice(0, 300)).to.equal(200);
  const expected = selfDescribing(body.readUInt32BE(4));
  expect(body.equals(expected), 'a body that nobody wrote').to.equal(true);
}

/** The outcome that matters most. */
export const WHOLE_READ = 'read whole';

/** How often what was done ended how. */
export type Tally = Readonly<Record<string, number>>;

export function added(a: Tally, b: Tally): Tally {
  const sum: Record<string, number> = { ...a };
  for (const [name, count] of Object.entries(b)) sum[name] = (sum[name] ?? 0) + count;
  return sum;
}

export function describeTally(tally: Tally): string {
  const counts = Object.entries(tally).sort(([a], [b]) => a.localeCompare(b));
  return counts.map(([name, count]) => `${count} ${name}`).join(', ');
}

/** A connection of its own. */
class Connection extends UploadSteps {
  readonly s3: S3TestClient;

  constructor(service: Service) {
    super();
    this.s3 = new S3TestClient(service);
  }
}

type Move = (key: string, seed: number) => Promise<string>;

/** One client, on two connections; what it does follows from its number and the round. */
export class Fighter {
  readonly #tally: Record<string, number> = {};
  #seed: number;
  readonly #left: Connection;
  readonly #right: Connection;
  readonly #moves: readonly Move[] = [
    (key, seed) => this.#completeTwice(key, seed),
    (key, seed) => this.#completeOrAbort(key, seed),
    (key, seed) => this.#completeOtherParts(key, seed),
    (key, seed) => this.#completeWhileUploading(key, seed),
    (key, seed) => this.#overwrite(key, seed),
    (key, seed) => this.#copyOntoAnother(key, seed),
  ];

  constructor(service: Service, index: number) {
    this.#seed = index * 100_000;
    this.#left = new Connection(service);
    this.#right = new Connection(service);
  }

  get tally(): Tally {
    return this.#tally;
  }

  /** Until it is told to stop, before a round. */
  async fight(goesOn: (round: number) => boolean): Promise<void> {
    for (let round = 0; goesOn(round); round++) {
      const seed = ++this.#seed;
      const choice = Math.imul(seed, 2_654_435_761) >>> 8;
      const key = KEYS[choice % KEYS.length] ?? '';
      const move = this.#moves[(choice >>> 4) % this.#moves.length];
      if (move !== undefined) this.#count(await move(key, seed));
      this.#count(await this.#read(KEYS[round % KEYS.length] ?? ''));
      if (seed % 11 === 0) this.#count(await this.#delete(key));
    }
    await Promise.all([this.#left.s3.close(), this.#right.s3.close()]);
  }

  #count(outcome: string): void {
    this.#tally[outcome] = (this.#tally[outcome] ?? 0) + 1;
  }

  async #read(key: string): Promise<string> {
    const answer = await this.#left.s3.get(key);
    if (answer.status === 404) return 'found nothing';
    expectWhole(answer);
    return WHOLE_READ;
  }

  async #delete(key: string): Promise<string> {
    expect((await this.#left.s3.delete(key)).status).to.equal(204);
    return 'deleted';
  }

  /** Both say the same. */
  async #completeTwice(key: string, seed: number): Promise<string> {
    const { uploadId, parts } = await this.#upload(key, [selfDescribing(seed)]);
    const answers = await Promise.all([
      this.#left.complete(key, uploadId, parts),
      this.#right.complete(key, uploadId, parts),
    ]);
    // The second one may find that somebody else has overwritten the object by now.
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses[0]).to.equal(200);
    expect(statuses[1]).to.be.oneOf([200, 404]);
    return 'completed twice';
  }

  /** One of them wins. */
  async #completeOrAbort(key: string, seed: number): Promise<string> {
    const { uploadId, parts } = await this.#upload(key, [selfDescribing(seed)]);
    const [done, aborted] = await Promise.all([
      this.#left.complete(key, uploadId, parts),
      this.#right.s3.delete(`${key}?uploadId=${uploadId}`),
    ]);
    const outcome = [done.status, aborted.status];
    expect(outcome).to.satisfy(([one, other]: number[]) =>
      one === 200 ? other === 404 : one === 404 && other === 204,
    );
    return done.status === 200 ? 'completed against an abort' : 'aborted against a completion';
  }

  /** Both are right; one of them makes the object. */
  async #completeOtherParts(key: string, seed: number): Promise<string> {
    const bodies = [selfDescribing(seed), selfDescribing(seed + 50_000)];
    const { uploadId, parts } = await this.#upload(key, bodies);
    const answers = await Promise.all([
      this.#left.complete(key, uploadId, parts.slice(0, 1)),
      this.#right.complete(key, uploadId, parts.slice(1)),
    ]);
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).to.deep.equal([200, 404]);
    return 'completed against a completion of other parts';
  }

  /** The part that is replaced is the object's, or it is not: never half of both. */
  async #completeWhileUploading(key: string, seed: number): Promise<string> {
    const { uploadId, parts } = await this.#upload(key, [selfDescribing(seed)]);
    const again = selfDescribing(seed + 50_000);
    const [done, part] = await Promise.all([
      this.#left.complete(key, uploadId, parts),
      this.#right.tryPart(key, uploadId, 1, again),
    ]);
    if (done.status === 200) {
      expect(part.status).to.be.oneOf([200, 404]);
      return 'completed against an upload of its part';
    }
    expect([done.code, part.status]).to.deep.equal(['InvalidPart', 200]);
    await this.#left.s3.delete(`${key}?uploadId=${uploadId}`);
    return 'replaced a part against its completion';
  }

  async #overwrite(key: string, seed: number): Promise<string> {
    expect((await this.#left.s3.put(key, selfDescribing(seed))).status).to.equal(200);
    return 'overwritten';
  }

  async #copyOntoAnother(key: string, seed: number): Promise<string> {
    const source = KEYS[seed % KEYS.length] ?? '';
    if (source === key) return 'had nothing to copy';
    const answer = await this.#left.s3.put(key, '', { 'x-amz-copy-source': source });
    expect(answer.status).to.be.oneOf([200, 404, 409, 503]);
    return `copied with ${answer.status}`;
  }

  async #upload(
    key: string,
    bodies: readonly Buffer[],
  ): Promise<{ uploadId: string; parts: readonly NamedPart[] }> {
    const uploadId = await this.#left.create(key);
    const etags: string[] = [];
    for (const [index, body] of bodies.entries()) {
      etags.push(await this.#left.part(key, uploadId, index + 1, body));
    }
    return { uploadId, parts: partList(etags) };
  }
}
