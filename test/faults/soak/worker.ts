import { expect } from 'chai';
import { SeededRandom } from '../../fuzz/random.js';
import { S3TestClient, type S3Address, type S3Answer } from '../../support/s3-client.js';

/** The content of a key: undefined is "no such object". */
type Content = Buffer | undefined;

interface KeyState {
  acknowledged: Content;
  /** The contents that operations without a clear answer would leave. */
  readonly pending: Content[];
  /** Versions that were acknowledged, where they are kept; without a body, delete markers. */
  readonly versions: Version[];
}

interface Version {
  readonly id: string;
  readonly body: Content;
}

const KEYS = 6;
/** Older ones are deleted, so that the store stays as large as it is. */
const VERSIONS_KEPT = 8;
const PART_BYTES = 5 * 1024 * 1024;
/** Else all would end up with the listener that is never killed. */
const OPERATIONS_PER_CONNECTION = 20;

type Move = (worker: SoakWorker, key: string, state: KeyState) => Promise<unknown>;

/** Three in four are reads, as of most who use a store. */
const MOVES: readonly (readonly [weight: number, move: Move])[] = [
  [20, (worker, key, state) => worker.put(key, state)],
  [5, (worker, key, state) => worker.remove(key, state)],
  [40, (worker, key, state) => worker.read(key, state)],
  [15, (worker, key, state) => worker.readRange(key, state)],
  [10, (worker, key, state) => worker.readVersion(key, state)],
  [10, (worker) => worker.list()],
  [0.3, (worker, key, state) => worker.upload(key, state)],
];
const WEIGHTS = MOVES.reduce((sum, [weight]) => sum + weight, 0);

/**
 * A client with keys of its own, so that it knows what each may hold: after every answer, and after
 * every answer that did not come.
 */
export class SoakWorker {
  operations = 0;
  /** Requests without an answer, or with a 5xx: they may have been done. */
  unclear = 0;
  #s3: S3TestClient;
  readonly #keys = new Map<string, KeyState>();
  readonly #random: SeededRandom;
  #bodies = 0;

  constructor(
    private readonly address: S3Address,
    private readonly name: string,
    private readonly bucket: string,
    seed: number,
  ) {
    this.#s3 = new S3TestClient(address);
    this.#random = new SeededRandom(seed);
    for (let n = 0; n < KEYS; n++) {
      const state = { acknowledged: undefined, pending: [], versions: [] };
      this.#keys.set(`${name}/key-${n}`, state);
    }
  }

  async move(): Promise<void> {
    const [key, state] = this.#random.pick([...this.#keys]);
    let left = this.#random.next() * WEIGHTS;
    const chosen = MOVES.find(([weight]) => (left -= weight) < 0) ?? MOVES[0];
    await chosen?.[1](this, key, state);
    this.operations += 1;
    if (this.operations % OPERATIONS_PER_CONNECTION !== 0) return;
    await this.#s3.close();
    this.#s3 = new S3TestClient(this.address);
  }

  /** Each key holds the acknowledged content, or one that may have been written. */
  async verify(): Promise<void> {
    for (const [key, state] of this.#keys) {
      expect(await this.read(key, state), `${key} was read`).to.equal(true);
      for (const version of state.versions) await this.#readNamed(key, version);
    }
    await this.list();
  }

  close(): Promise<void> {
    return this.#s3.close();
  }

  async put(key: string, state: KeyState): Promise<void> {
    const body = this.#body(this.#random.pick([100, 1_000, 20_000, 200_000, 1_500_000]));
    const answer = await this.#write(state, body, () => this.#s3.put(this.#path(key), body));
    if (answer?.status === 200) await this.#noteVersion(key, state, answer, body);
  }

  async remove(key: string, state: KeyState): Promise<void> {
    const answer = await this.#write(state, undefined, () => this.#s3.delete(this.#path(key)));
    if (answer?.status === 204) await this.#noteVersion(key, state, answer, undefined);
  }

  /** In two parts. */
  async upload(key: string, state: KeyState): Promise<void> {
    const path = this.#path(key);
    const parts = [this.#body(PART_BYTES), this.#body(1_000)];
    const begun = await this.#ask(() => this.#s3.send({ method: 'POST', path: `${path}?uploads` }));
    const id = /<UploadId>([^<]+)</.exec(begun?.text ?? '')?.[1];
    if (id === undefined) return;
    const lines: string[] = [];
    for (const [index, part] of parts.entries()) {
      const query = `?partNumber=${index + 1}&uploadId=${id}`;
      const answer = await this.#ask(() => this.#s3.put(`${path}${query}`, part));
      if (answer?.status !== 200) return;
      const etag = answer.headers.etag ?? '';
      lines.push(`<Part><PartNumber>${index + 1}</PartNumber><ETag>${etag}</ETag></Part>`);
    }
    const whole = Buffer.concat(parts);
    const body = `<CompleteMultipartUpload>${lines.join('')}</CompleteMultipartUpload>`;
    const request = { method: 'POST', path: `${path}?uploadId=${id}`, body };
    const answer = await this.#write(state, whole, () => this.#s3.send(request));
    if (answer?.status === 200) await this.#noteVersion(key, state, answer, whole);
  }

  /** @returns whether there was an answer */
  async read(key: string, state: KeyState): Promise<boolean> {
    const answer = await this.#ask(() => this.#s3.get(this.#path(key)));
    if (answer === undefined) return false;
    const found: Content = answer.status === 404 ? undefined : answer.body;
    if (found !== undefined) expect(answer.status).to.equal(200);
    const allowed = [state.acknowledged, ...state.pending];
    if (!allowed.some((content) => isSame(content, found))) {
      expect.fail(`${key} holds ${nameOf(found)}, not ${allowed.map(nameOf).join(' or ')}`);
    }
    // Whoever may have written has ended by now: it was killed, or has answered.
    state.acknowledged = found;
    state.pending.length = 0;
    return true;
  }

  async readRange(key: string, state: KeyState): Promise<void> {
    const whole = state.acknowledged;
    if (whole === undefined || state.pending.length > 0) return;
    const from = this.#random.integer(whole.length);
    const to = Math.min(whole.length - 1, from + this.#random.integer(50_000));
    const range = { range: `bytes=${from}-${to}` };
    const answer = await this.#ask(() => this.#s3.get(this.#path(key), range));
    if (answer === undefined) return;
    expect(answer.status, key).to.equal(206);
    expect(isSame(answer.body, whole.subarray(from, to + 1)), `${key} from ${from}`).to.equal(true);
  }

  async readVersion(key: string, state: KeyState): Promise<void> {
    if (state.versions.length > 0) await this.#readNamed(key, this.#random.pick(state.versions));
  }

  async #readNamed(key: string, { id, body }: Version): Promise<void> {
    if (body === undefined) return;
    const answer = await this.#ask(() => this.#s3.get(`${this.#path(key)}?versionId=${id}`));
    if (answer === undefined) return;
    expect(answer.status, `${key} ${id}`).to.equal(200);
    expect(isSame(answer.body, body), `${key} ${id}`).to.equal(true);
  }

  async list(): Promise<void> {
    const path = `/${this.bucket}?list-type=2&prefix=${this.name}%2F`;
    const answer = await this.#ask(() => this.#s3.get(path));
    if (answer === undefined) return;
    expect(answer.status).to.equal(200);
    const listed = new Set([...answer.text.matchAll(/<Key>([^<]+)</g)].map(([, key]) => key));
    for (const [key, { acknowledged, pending }] of this.#keys) {
      if (pending.length > 0) continue;
      expect(listed.has(key), `${key} is listed`).to.equal(acknowledged !== undefined);
    }
  }

  async #write(
    state: KeyState,
    content: Content,
    send: () => Promise<S3Answer>,
  ): Promise<S3Answer | undefined> {
    state.pending.push(content);
    const answer = await this.#ask(send);
    if (answer === undefined) return undefined;
    expect(answer.status, answer.text.slice(0, 300)).to.be.oneOf([200, 204]);
    expect(answer.code, 'an error inside of a 200').to.equal(undefined);
    state.acknowledged = content;
    state.pending.length = 0;
    return answer;
  }

  /** undefined: there was no answer, or one that leaves open what was done. */
  async #ask(send: () => Promise<S3Answer>): Promise<S3Answer | undefined> {
    const answer = await send().catch(() => undefined);
    if (answer !== undefined && answer.status < 500) return answer;
    // 507: the device was full.
    if (answer !== undefined) expect(answer.status, answer.text).to.be.oneOf([503, 507]);
    this.unclear += 1;
    return undefined;
  }

  async #noteVersion(
    key: string,
    state: KeyState,
    { headers }: S3Answer,
    body: Content,
  ): Promise<void> {
    const id = headers['x-amz-version-id'];
    if (id === undefined) return;
    state.versions.push({ id, body });
    const [oldest] = state.versions;
    if (state.versions.length <= VERSIONS_KEPT || oldest === undefined) return;
    state.versions.shift();
    const answer = await this.#ask(() =>
      this.#s3.delete(`${this.#path(key)}?versionId=${oldest.id}`),
    );
    if (answer !== undefined) expect(answer.status, `${key} ${oldest.id}`).to.equal(204);
  }

  /** Like no other, at each of its places. */
  #body(bytes: number): Buffer {
    this.#bodies += 1;
    return Buffer.alloc(bytes, `${this.name} ${this.#bodies} of ${bytes} bytes, `);
  }

  #path(key: string): string {
    return `/${this.bucket}/${key}`;
  }
}

function isSame(a: Content, b: Content): boolean {
  return a === undefined || b === undefined ? a === b : a.equals(b);
}

function nameOf(content: Content): string {
  return content === undefined
    ? 'nothing'
    : `${content.length} bytes of "${content.toString('latin1', 0, 40)}"`;
}
