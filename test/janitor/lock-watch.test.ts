import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import type * as B from '../../src/backend/backend.js';
import { DecoratedBackend } from '../../src/backend/decorators/decorated-backend.js';
import { RecordingBackend } from '../support/backend/recording.js';
import { BackendError } from '../../src/backend/errors.js';
import { loadConfig } from '../../src/config/load.js';
import type { FilledOptions } from '../../src/config/options.js';
import { CLOCK_NOT_CHECKED, LockWatch } from '../../src/janitor/lock-watch.js';
import { RateLimiter } from '../../src/janitor/rate-limit.js';
import { JANITOR_COMMAND_ENTRY, JANITOR_PROGRAM } from '../../src/processes/programs.js';
import type { FromChild } from '../../src/processes/protocol.js';
import { objectLockPatch } from '../../src/s3/bucket/configuration.js';
import { readiness, renderReadiness } from '../../supervisor/health.js';
import { useEach } from '../support/fixture.js';
import { ACCOUNT, Bench, BUCKET, CALL, NEVER } from './support.js';

const OTHER_ACCOUNT = 'AUTH_other';
const NOTE = { name: 'clock', ok: true, detail: CLOCK_NOT_CHECKED };

/** Has more buckets than a test could make, none with locks. */
class ManyBuckets extends DecoratedBackend {
  override listContainers(_: B.CallContext, __: string, { marker = '', limit = 0 }) {
    const from = marker === '' ? 0 : Number(marker.slice('bucket-'.length)) + 1;
    const containers = Array.from({ length: limit }, (___, i) => ({
      name: `bucket-${String(from + i).padStart(6, '0')}`,
      objectCount: 0,
      bytesUsed: 0,
      createdAt: 0,
    }));
    return Promise.resolve({ containers, truncated: true });
  }

  override async headContainer(context: B.CallContext) {
    return super.headContainer(context, { account: ACCOUNT, container: BUCKET });
  }
}

class Unavailable extends DecoratedBackend {
  override headContainer(): Promise<B.ContainerHead> {
    return Promise.reject(new BackendError('Unavailable', 'refused by a test'));
  }
}

class WithoutProtectedMetadata extends DecoratedBackend {
  constructor(inner: B.Backend) {
    super(inner, { ...inner.capabilities, systemMetadata: false });
  }
}

describe('janitor: buckets with Object Lock beside an unchecked clock', () => {
  const bench = useEach(() => Bench.open(), 'close');
  let calls: RecordingBackend;
  let warnings: string[];

  beforeEach(() => {
    calls = new RecordingBackend(bench().store);
    warnings = [];
  });

  function watch(backend: B.Backend = calls): LockWatch {
    return new LockWatch(backend, (message, { account, container }) => {
      expect(message).to.equal(CLOCK_NOT_CHECKED);
      warnings.push(`${account}/${container}`);
    });
  }

  async function search(locks: LockWatch, signal = NEVER): Promise<LockWatch> {
    const pace = new RateLimiter(Infinity, bench().clock);
    await locks.search([ACCOUNT, OTHER_ACCOUNT], { pace, requestId: CALL.requestId, signal });
    return locks;
  }

  async function make(container: string, account = ACCOUNT): Promise<void> {
    await bench().store.createContainer(CALL, { account, container }, {});
  }

  async function lock(container: string, account = ACCOUNT): Promise<void> {
    await make(container, account);
    const systemMetadata = objectLockPatch({});
    await bench().store.updateContainer(CALL, { account, container }, { systemMetadata });
  }

  it('are warned of once, whatever finds them and how many there are', async () => {
    for (const name of ['locked', 'locked-too']) await lock(name);
    await make('z-behind');
    const locks = await search(watch());
    expect(warnings).to.deep.equal([`${ACCOUNT}/locked`]);
    expect(locks.checks()).to.deep.equal([NOTE]);
    expect(calls.counts()).to.deep.equal({ listContainers: 1, headContainer: 2 });
    await bench().janitor({}, locks).visit(NEVER, 'now');
    expect(warnings).to.have.length(1);
  });

  it('are looked for in all accounts', async () => {
    await lock('locked', OTHER_ACCOUNT);
    expect((await search(watch())).checks()).to.deep.equal([NOTE]);
    expect(warnings).to.deep.equal([`${OTHER_ACCOUNT}/locked`]);
  });

  it('are shown by /readyz?verbose, which stays ready', async () => {
    await lock('locked');
    const locks = await search(watch());
    const state = 'up' as const;
    const found = readiness({
      phase: 'running',
      children: [
        { kind: 'listener', worker: 1, state, health: { checks: [], at: 0 } },
        { kind: 'janitor', worker: 0, state, health: { checks: locks.checks(), at: 0 } },
      ],
      probeIntervalMs: 1000,
      now: 0,
    });
    expect(found.ready).to.equal(true);
    expect(renderReadiness(found))
      .to.include(`[+] janitor clock: ok, ${CLOCK_NOT_CHECKED} (0.0 s ago)\n`)
      .and.include('set worm_clock_max_offset_ms');
  });

  it('are not there: nothing is said, and containers that are no buckets are not asked for', async () => {
    await make(`${BUCKET}+versions`);
    await make('.ringway');
    expect((await search(watch())).checks()).to.deep.equal([]);
    expect(calls.counts()).to.deep.equal({ listContainers: 2, headContainer: 1 });
    expect(warnings).to.deep.equal([]);
  });

  it('are looked for with 1000 calls at most, and the note says so', async () => {
    calls = new RecordingBackend(new ManyBuckets(bench().store));
    const locks = await search(watch());
    expect(calls.calls).to.have.length(1000);
    expect(locks.checks()).to.have.length(1);
    expect(locks.checks()[0]).to.include({ name: 'clock', ok: true });
    expect(locks.checks()[0]?.detail).to.include('not every bucket was looked at');
    expect(warnings).to.deep.equal([]);
  });

  it('are left to the next pass where the store fails, and the note says why', async () => {
    await lock('locked');
    const locks = await search(watch(new Unavailable(bench().store)));
    expect(locks.checks()[0]).to.include({ ok: true });
    expect(locks.checks()[0]?.detail).to.include('refused by a test');
  });

  it('are found by a pass that comes to one', async () => {
    const locks = await search(watch());
    expect(locks.checks()).to.deep.equal([]);
    await lock('locked');
    await bench().janitor({}, locks).visit(NEVER, 'now');
    expect(bench().interruptions).to.deep.equal([]);
    expect(warnings).to.deep.equal([`${ACCOUNT}/locked`]);
    expect(locks.checks()).to.deep.equal([NOTE]);
  });

  it('are nothing to look for without protected metadata', async () => {
    calls = new RecordingBackend(new WithoutProtectedMetadata(bench().store));
    expect((await search(watch())).checks()).to.deep.equal([]);
    expect(calls.calls).to.deep.equal([]);
  });

  it('are no longer looked for when the janitor is stopped', async () => {
    const stop = new AbortController();
    stop.abort(new Error('stopped'));
    const locks = await search(watch(new Unavailable(bench().store)), stop.signal);
    expect(locks.checks()).to.deep.equal([]);
  });

  describe('as the processes tell of them', () => {
    const { options } = loadConfig({ flags: {}, cwd: '/tmp' });
    let child: ChildProcess | undefined;

    afterEach(() => child?.kill('SIGKILL'));

    function start(entry: string, changes: Partial<FilledOptions>, init: object): ChildProcess {
      const credentials = [{ accessKey: 'AK', account: ACCOUNT, role: 'owner' }];
      child = fork(entry, [], { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
      const given = { ...options, dataDir: bench().folder, probeIntervalMs: 20, ...changes };
      child.send({ type: 'init', worker: 0, options: given, credentials, ...init });
      return child;
    }

    /** Runs the janitor's process until a report holds; its notes, and its log. */
    async function janitor(changes: Partial<FilledOptions>, holds: (details: string) => boolean) {
      const process = start(JANITOR_PROGRAM.entry, changes, {});
      const log = text(process.stderr ?? Readable.from([]));
      const details = await new Promise<string>((resolve, reject) => {
        process.on('message', (message: FromChild) => {
          if (message.type === 'failed') reject(new Error(message.message));
          if (message.type === 'prepared') process.send({ type: 'begin' });
          if (message.type !== 'report') return;
          const seen = message.checks
            .map(({ name, detail }) => `${name}: ${detail ?? ''}\n`)
            .join('');
          if (holds(seen)) resolve(seen);
        });
      });
      process.send({ type: 'drain', handedOver: false });
      return { details, log: await log };
    }

    it('the service warns at its start', async () => {
      await lock('locked');
      const { details, log } = await janitor({}, (seen) => seen.includes('clock: '));
      expect(details).to.include(`clock: ${CLOCK_NOT_CHECKED}\n`);
      const warned = log.split('\n').filter((line) => line.includes(CLOCK_NOT_CHECKED));
      expect(warned).to.have.length(1);
      expect(JSON.parse(warned[0] ?? '')).to.include({
        level: 'warn',
        process: 'janitor',
        account: ACCOUNT,
        bucket: 'locked',
      });
    });

    it('the service says nothing where the clock is checked', async () => {
      await lock('locked');
      const { details, log } = await janitor({ wormClockMaxOffsetMs: 60_000 }, (seen) =>
        seen.includes('last pass ended'),
      );
      expect(details).not.to.include('clock: ');
      expect(log).not.to.include(CLOCK_NOT_CHECKED);
    });

    it('`ringway janitor` warns as well', async () => {
      await lock('locked');
      const command = start(JANITOR_COMMAND_ENTRY, {}, { mode: 'dry-run' });
      const [log] = await Promise.all([
        text(command.stderr ?? Readable.from([])),
        once(command, 'close'),
      ]);
      expect(command.exitCode, log).to.equal(0);
      expect(log).to.equal(`ringway: ${ACCOUNT}/locked: ${CLOCK_NOT_CHECKED}\n`);
    });
  });
});
