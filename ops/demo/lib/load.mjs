import { createHash, randomBytes, randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import {
  CreateBucketCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { messageOf } from '../../dev/lib/errors.mjs';

const BYTES_MAX = 64 * 1024;
const WORKERS = 2;
const PAUSE_MS = 50;
const ERRORS_KEPT = 20;

/**
 * A client that writes and reads objects for as long as it is left to: each object is read again at
 * once, and a random earlier one after it.
 */
export class Load {
  /** SHA-256 of what was written, by key. @type {Map<string, string>} */
  #written = new Map();
  #isOver = false;
  /** @type {Promise<void>[]} */
  #workers = [];
  counts = { writes: 0, reads: 0, listings: 0, errors: 0, repeated: 0 };
  /** The messages of the first errors. @type {string[]} */
  errors = [];

  /**
   * @param {string} endpoint
   * @param {{ account: string, user: string, key: string }} login
   * @param {string} bucket
   */
  constructor(endpoint, { account, user, key }, bucket) {
    this.bucket = bucket;
    // The SDK of AWS as it is: it repeats what failed twice, and we count that.
    this.s3 = new S3Client({
      endpoint,
      region: 'us-east-1',
      forcePathStyle: true,
      credentials: { accessKeyId: `${account}:${user}`, secretAccessKey: key },
    });
  }

  /** @param {string} name */
  async makeBucket(name) {
    await this.s3.send(new CreateBucketCommand({ Bucket: name }));
  }

  start() {
    this.#workers = Array.from({ length: WORKERS }, (_, number) => this.#work(number));
  }

  /** Ends it, and reads all that was ever written once more. */
  async finish() {
    this.#isOver = true;
    await Promise.all(this.#workers);
    for (const key of this.#written.keys()) await this.#count('reads', () => this.#read(key));
    this.s3.destroy();
    return this.#written.size;
  }

  /** @param {number} number */
  async #work(number) {
    for (let turn = 0; !this.#isOver; turn += 1) {
      const key = `${number}/${turn}`;
      await this.#count('writes', () => this.#write(key));
      const known = [...this.#written.keys()];
      const earlier = known[randomInt(Math.max(1, known.length))];
      for (const each of [key, earlier]) {
        if (each !== undefined && this.#written.has(each)) {
          await this.#count('reads', () => this.#read(each));
        }
      }
      if (turn % 20 === 0) await this.#count('listings', () => this.#list());
      await delay(PAUSE_MS);
    }
  }

  /**
   * @param {'writes' | 'reads' | 'listings'} what
   * @param {() => Promise<number | undefined>} act answers how many attempts it took
   */
  async #count(what, act) {
    try {
      if (((await act()) ?? 1) > 1) this.counts.repeated += 1;
      this.counts[what] += 1;
    } catch (error) {
      this.counts.errors += 1;
      if (this.errors.length < ERRORS_KEPT) this.errors.push(`${what}: ${messageOf(error)}`);
    }
  }

  /** @param {string} key */
  async #write(key) {
    const body = randomBytes(randomInt(1, BYTES_MAX));
    const { $metadata } = await this.s3.send(
      new PutObjectCommand({ Bucket: this.bucket, Key: key, Body: body }),
    );
    this.#written.set(key, sha256(body));
    return $metadata.attempts;
  }

  /** @param {string} key */
  async #read(key) {
    const { Body, $metadata } = await this.s3.send(
      new GetObjectCommand({ Bucket: this.bucket, Key: key }),
    );
    const bytes = (await Body?.transformToByteArray()) ?? new Uint8Array();
    if (sha256(bytes) !== this.#written.get(key)) throw new Error(`${key} has another content`);
    return $metadata.attempts;
  }

  async #list() {
    const { Contents = [], $metadata } = await this.s3.send(
      new ListObjectsV2Command({ Bucket: this.bucket, MaxKeys: 10 }),
    );
    if (Contents.length === 0) throw new Error('the listing is empty');
    return $metadata.attempts;
  }
}

/** @param {Uint8Array} bytes */
function sha256(bytes) {
  return createHash('sha256').update(bytes).digest('hex');
}
