import { rm } from 'node:fs/promises';
import { expect } from 'chai';
import type { Backend, PutObjectInput } from '../../src/backend/backend.js';
import {
  DecoratedBackend,
  type BackendCall,
} from '../../src/backend/decorators/decorated-backend.js';
import { openEmbeddedStore, type EmbeddedStore } from '../../src/backend/embedded/index.js';
import {
  AccountJanitor,
  type JanitorDeps,
  type JanitorSettings,
} from '../../src/janitor/account-janitor.js';
import { runPass } from '../../src/janitor/account-pass.js';
import type { ActionOutcome, JanitorAction } from '../../src/janitor/actions.js';
import type { Clock } from '../../src/janitor/clock.js';
import type { ColdSettings } from '../../src/janitor/cold-walk.js';
import { DryRun } from '../../src/janitor/executors.js';
import { RateLimiter } from '../../src/janitor/rate-limit.js';
import { VersionActions } from '../../src/janitor/version-actions.js';
import type { ClockState } from '../../src/clock/index.js';
import { configurationPatch } from '../../src/s3/bucket/configuration.js';
import { renderLifecycleConfiguration } from '../../src/s3/xml/lifecycle-configuration.js';
import { SYSTEM_METADATA } from '../../src/s3/object/attributes.js';
import type { LifecycleConfiguration } from '../../src/s3/rules/lifecycle/configuration.js';
import { encodeTags } from '../../src/s3/rules/tagging.js';
import { markerOf, partOf, segmentsContainer } from '../../src/s3/segments/names.js';
import { VersionedKeys } from '../../src/s3/versions/versioned-keys.js';
import { makeTempFolder } from '../support/temp-folder.js';

export const CALL = { requestId: 'janitor-test' };
export const ACCOUNT = 'AUTH_test';
export const BUCKET = 'bucket';
export const DAY_MS = 86_400_000;
export const NEVER = new AbortController().signal;

/** Time stands still until a test moves it. */
export class FakeClock implements Clock {
  #ahead = 0;
  #setBack = 0;
  readonly #sleepers = new Set<{ readonly dueAt: number; readonly wake: () => void }>();

  now(): number {
    return Date.now() + this.#ahead - this.#setBack;
  }

  monotonic(): number {
    return this.#ahead;
  }

  sleep(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const sleeper = { dueAt: this.#ahead + ms, wake: resolve };
      this.#sleepers.add(sleeper);
      const abort = (): void => {
        this.#sleepers.delete(sleeper);
        reject(signal.reason as Error);
      };
      if (signal.aborted) abort();
      else signal.addEventListener('abort', abort);
    });
  }

  /** The wall clock alone: what goes by the other one goes on. */
  setBack(ms: number): void {
    this.#setBack += ms;
  }

  /** Who sleeps now. */
  get sleeping(): number {
    return this.#sleepers.size;
  }

  advance(ms: number): void {
    this.#ahead += ms;
    for (const sleeper of this.#sleepers) {
      if (sleeper.dueAt > this.#ahead) continue;
      this.#sleepers.delete(sleeper);
      sleeper.wake();
    }
  }
}

/** One line of what was reported: `expire done logs/a`. */
export type Told = string;

export function tell(action: JanitorAction, outcome: ActionOutcome): Told {
  return `${action.action} ${outcome} ${action.key}`;
}

const INDEX_BYTES_MAX = 8 * 1024 * 1024;

const SETTINGS: JanitorSettings = {
  intervalMs: DAY_MS,
  leaseMs: 30_000,
  segmentGraceMs: 0,
  // A day makes old, also where the clock is set back meanwhile.
  segmentSweepAgeMs: DAY_MS - 60_000,
  versionSweepAgeMs: DAY_MS - 60_000,
  versionLostIndexAgeMs: DAY_MS - 60_000,
  versionIndexBytesMax: INDEX_BYTES_MAX,
  storageClasses: ['STANDARD', 'GLACIER'],
};

/** A store with one bucket, and what janitors do to it. */
export class Bench {
  readonly clock = new FakeClock();
  readonly told: Told[] = [];
  readonly interruptions: unknown[] = [];
  readonly unreadable: string[] = [];
  looked = 0;
  /** For the janitors to come. */
  cold: ColdSettings | undefined;
  clockState: ClockState = 'unchecked';

  private constructor(
    readonly store: EmbeddedStore,
    readonly folder: string,
  ) {}

  static async open(): Promise<Bench> {
    const folder = await makeTempFolder('janitor');
    const bench = new Bench(await openEmbeddedStore({ directory: `${folder}/store` }), folder);
    await bench.store.createContainer(CALL, { account: ACCOUNT, container: BUCKET }, {});
    return bench;
  }

  async close(): Promise<void> {
    await this.store.close();
    await rm(this.folder, { recursive: true });
  }

  janitor(settings?: Partial<JanitorSettings>, backend?: Backend): AccountJanitor {
    return new AccountJanitor(this.parts(settings, backend), ACCOUNT);
  }

  /** The parts of a janitor. */
  parts(settings: Partial<JanitorSettings> = {}, backend: Backend = this.store): JanitorDeps {
    const { clock } = this;
    return {
      backend,
      cold: this.cold,
      settings: { ...SETTINGS, ...settings },
      pace: new RateLimiter(Infinity, clock),
      clock,
      clockState: () => this.clockState,
      holder: `test-${Math.random()}`,
      nextRequestId: () => CALL.requestId,
      observer: {
        report: (action: JanitorAction, outcome: ActionOutcome) => {
          this.told.push(tell(action, outcome));
        },
        looked: (count: number) => {
          this.looked += count;
        },
        unreadable: (_: string, container: string) => {
          this.unreadable.push(container);
        },
        interrupted: (_: string, error: unknown) => {
          this.interruptions.push(error);
        },
      },
    };
  }

  /** One pass. @returns what it told, sorted */
  async pass(backend: Backend = this.store): Promise<string[]> {
    this.told.length = 0;
    const janitor = this.janitor({}, backend);
    const visit = await janitor.visit(NEVER, 'now');
    if (visit.outcome === 'busy') {
      // Of one that died, the lease is over after this.
      this.clock.advance(visit.waitMs);
      expect(await janitor.visit(NEVER, 'now')).to.include({ outcome: 'finished' });
    }
    return [...this.told].sort();
  }

  /** The actions that a pass would do now. */
  async dryRun(): Promise<JanitorAction[]> {
    const planned: JanitorAction[] = [];
    const report = (action: JanitorAction, outcome: ActionOutcome): void => {
      if (outcome === 'planned') planned.push(action);
      else this.told.push(tell(action, outcome));
    };
    const { store: backend } = this;
    const now = (): number => this.clock.now();
    const versions = new VersionedKeys({ backend, indexBytesMax: INDEX_BYTES_MAX, now });
    const clockState = (): ClockState => this.clockState;
    const parts = { backend, call: CALL, versions, now, clockState };
    const pass = {
      backend,
      call: CALL,
      account: ACCOUNT,
      executor: new DryRun(report, new VersionActions(parts)),
      settings: SETTINGS,
      versions,
      cold: this.cold,
      now,
      looked: () => undefined,
      unreadable: () => undefined,
    };
    await runPass(pass, null, () => undefined);
    return planned;
  }

  async rules(configuration: LifecycleConfiguration, container = BUCKET): Promise<void> {
    const document = renderLifecycleConfiguration(configuration);
    const systemMetadata = configurationPatch('lifecycle', document);
    await this.store.updateContainer(CALL, { account: ACCOUNT, container }, { systemMetadata });
  }

  async put(key: string, body = 'body', tags: Readonly<Record<string, string>> = {}) {
    const text = encodeTags(Object.entries(tags).map(([name, value]) => ({ key: name, value })));
    const systemMetadata = text === '' ? {} : { [SYSTEM_METADATA.tagging]: text };
    await this.#put(BUCKET, key, { ...inputOf(body), systemMetadata });
  }

  /** Marker and parts of an upload; the id is made of one digit. */
  async upload(key: string, digit: number, parts: number): Promise<string> {
    const upload = { account: ACCOUNT, bucket: BUCKET, key, uploadId: String(digit).repeat(32) };
    const { container } = segmentsContainer(ACCOUNT, BUCKET);
    await this.store.createContainer(CALL, { account: ACCOUNT, container }, {});
    await this.#put(container, markerOf(upload).object, inputOf(''));
    for (let number = 1; number <= parts; number++) {
      await this.#put(container, partOf(upload, number).object, inputOf(`part ${number}`));
    }
    return upload.uploadId;
  }

  /** Makes an object of the first `parts` parts of an upload, and ends it. */
  async complete(key: string, uploadId: string, parts: number): Promise<void> {
    const upload = { account: ACCOUNT, bucket: BUCKET, key, uploadId };
    const segments = [];
    for (let number = 1; number <= parts; number++) {
      const { container, object } = partOf(upload, number);
      const ref = { account: ACCOUNT, container, object };
      const { size, etag } = await this.store.headObject(CALL, ref);
      segments.push({ container, object, size, etag });
    }
    const systemMetadata = { [SYSTEM_METADATA.uploadId]: uploadId };
    const target = { account: ACCOUNT, container: BUCKET, object: key };
    const described = { contentType: 'text/plain', etag: `x-${parts}`, systemMetadata, segments };
    await this.store.putManifest(CALL, target, described);
    await this.removeMarker(key, uploadId);
  }

  async removeMarker(key: string, uploadId: string): Promise<void> {
    await this.store.deleteObject(
      CALL,
      markerOf({ account: ACCOUNT, bucket: BUCKET, key, uploadId }),
    );
  }

  async #put(container: string, object: string, input: PutObjectInput): Promise<void> {
    await this.store.putObject(CALL, { account: ACCOUNT, container, object }, input);
  }

  async keys(container = BUCKET): Promise<string[]> {
    const ref = { account: ACCOUNT, container };
    const names: string[] = [];
    for (let more = true; more;) {
      const page = await this.store.listObjects(CALL, ref, { marker: names.at(-1), limit: 1000 });
      for (const entry of page.entries) if (entry.kind === 'object') names.push(entry.object.name);
      more = page.truncated;
    }
    return names;
  }

  /** Names of markers and parts, with ids cut to their digit. */
  async segments(): Promise<string[]> {
    const names = await this.keys(segmentsContainer(ACCOUNT, BUCKET).container);
    return names.map((name) => name.replace(/(\d)\1{31}/, '$1'));
  }
}

export function withoutSweeps(told: readonly string[]): string[] {
  return told.filter((line) => !line.startsWith('sweep_'));
}

/** A store on which something happens once, right before the first call that is meant. */
export class Interposed extends DecoratedBackend {
  #isDone = false;

  constructor(
    inner: Backend,
    private readonly isMeant: (call: BackendCall) => boolean,
    private readonly before: () => Promise<unknown>,
  ) {
    super(inner);
  }

  protected override async around<T>(call: BackendCall, proceed: () => Promise<T>): Promise<T> {
    if (!this.#isDone && this.isMeant(call)) {
      this.#isDone = true;
      await this.before();
    }
    return proceed();
  }
}

function inputOf(body: string): PutObjectInput {
  return { size: body.length, contentType: 'text/plain', body: Buffer.from(body) };
}
