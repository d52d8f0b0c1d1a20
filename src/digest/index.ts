import type { BodyDigest, DigestFactory } from './body-digest.js';
import {
  DigestLane,
  DIGEST_DEFAULTS,
  type DigestOptions,
  type FilledDigestOptions,
} from './lane.js';
import { LaneDigest } from './lane-digest.js';
import { RunningDigests, type Digests, type WantedDigests } from './running-digests.js';

/**
 * Hashing of bodies: small ones on the event loop, large ones on the digest lanes, so that small
 * requests do not wait behind the MD5 of a large body.
 */

export interface DigestStats {
  /** Tasks that wait for a lane's thread. */
  readonly queued: number;
  /** Tasks that run. */
  readonly active: number;
  /** Bytes hashed on lanes since the start. */
  readonly laneBytesTotal: number;
}

export interface DigestService extends DigestFactory {
  stats(): DigestStats;
  /** Ends the threads after what was begun; resolves when they are gone. */
  close(): Promise<void>;
}

/** Threads start with the first body that needs one. */
export function createDigestFactory(options: DigestOptions = {}): DigestService {
  return new Digester({ ...DIGEST_DEFAULTS, ...options });
}

class Digester implements DigestService {
  readonly #lanes: readonly DigestLane[];

  constructor(private readonly options: FilledDigestOptions) {
    this.#lanes = Array.from({ length: options.lanes }, () => new DigestLane(options));
  }

  create(wanted: WantedDigests, sizeHint: number | undefined): BodyDigest {
    const isSmall = sizeHint !== undefined && sizeHint <= this.options.inlineBytesMax;
    const inline = isSmall || isCheap(wanted);
    const lane = inline ? undefined : this.#leastBusyLane();
    return lane === undefined
      ? new InlineDigest(wanted)
      : new LaneDigest(lane, wanted, sizeHint, this.options);
  }

  stats(): DigestStats {
    let queued = 0;
    let active = 0;
    let laneBytesTotal = 0;
    for (const lane of this.#lanes) {
      active += Math.min(1, lane.tasks);
      queued += Math.max(0, lane.tasks - 1);
      laneBytesTotal += lane.bytesTotal;
    }
    return { queued, active, laneBytesTotal };
  }

  async close(): Promise<void> {
    await Promise.all(this.#lanes.map((lane) => lane.close()));
  }

  #leastBusyLane(): DigestLane | undefined {
    let best: DigestLane | undefined;
    for (const lane of this.#lanes) {
      if (best === undefined || lane.bodies < best.bodies) best = lane;
    }
    return best;
  }
}

/**
 * SHA-256 alone takes a processor with instructions for it 0.13 ms for 256 KiB; to copy them to a lane
 * and to hand them over takes the event loop nearly as long, and the lane's thread has to hash them too.
 */
function isCheap({ md5, checksum }: WantedDigests): boolean {
  return !md5 && checksum === undefined;
}

/** On the event loop: nothing ever waits. */
class InlineDigest implements BodyDigest {
  readonly #running: RunningDigests;

  constructor(wanted: WantedDigests) {
    this.#running = new RunningDigests(wanted);
  }

  update(chunk: Buffer): void {
    this.#running.update(chunk);
  }

  finish(): Digests {
    return this.#running.finish();
  }

  abort(): void {
    // The garbage collector takes care of it.
  }
}

export { DigestLaneError, type BodyDigest, type DigestFactory } from './body-digest.js';
export type { ChecksumAlgorithm } from './checksum.js';
export type { DigestOptions, LaneTaskTiming } from './lane.js';
export type { Digests, WantedDigests } from './running-digests.js';
