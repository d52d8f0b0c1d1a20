import { createHash, randomInt } from 'node:crypto';
import { expect } from 'chai';
import { eventually } from '../support/eventually.js';
import { makeTempFolder, removeFolder } from '../support/temp-folder.js';
import { S3TestClient } from '../support/s3-client.js';
import { startService, type Service } from '../support/service.js';

const ROUNDS = 3;
const WRITERS = 6;
const KEYS_PER_WRITER = 3;
/** Acknowledged operations before the power is cut, so that every round has something to lose. */
const OPERATIONS_PER_ROUND = 120;
/** In the index, in a file, and in a file written in several pieces. */
const SIZES = [100, 200_000, 1_500_000];

/** The content of a key: undefined is "no such object". */
type Content = string | undefined;

interface KeyState {
  /** The content that the last acknowledged operation left. */
  acknowledged: Content;
  /** The content that an operation without an answer would leave. */
  pending?: { readonly content: Content } | undefined;
}

describe('a service that is killed at any moment', () => {
  it('keeps all that was acknowledged and shows nothing by halves', async function () {
    this.timeout(120_000);
    const folder = await makeTempFolder('crash');
    const keys = new Map<string, KeyState>();
    for (let i = 0; i < WRITERS * KEYS_PER_WRITER; i++) {
      keys.set(`/crash/key-${String(i)}`, { acknowledged: undefined });
    }
    for (let round = 0; round < ROUNDS; round++) {
      const service = await startService({ dataDir: `${folder}/data` });
      await verify(service, keys);
      await writeUntilKilled(service, keys);
    }
    const service = await startService({ dataDir: `${folder}/data` });
    await verify(service, keys);
    expect(await service.stop()).to.equal(0);
    await removeFolder(folder);
  });

  it('goes on when one listener is killed, and keeps its counters', async () => {
    const service = await startService({ config: { restart_backoff_ms_min: 1 } });
    const s3 = new S3TestClient(service);
    await s3.put('/survivor');
    await s3.put('/survivor/key', 'body');
    const before = await putCount(service);
    const [victim] = service.pids();
    if (victim === undefined) throw new Error('there is no listener');
    process.kill(victim, 'SIGKILL');
    await untilReplaced(service, victim);
    await s3.close();

    const after = new S3TestClient(service);
    expect((await after.get('/survivor/key')).text).to.equal('body');
    expect(before).to.equal(1);
    expect(await putCount(service)).to.equal(1);
    const metrics = await admin(service, '/metrics');
    expect(metrics).to.match(/ringway_listener_restarts_total\{[^}]*\} 1/);
    await after.close();
    expect(await service.stop()).to.equal(0);
  });
});

/** Several writers, each with its own keys; the power goes when enough has been acknowledged. */
async function writeUntilKilled(service: Service, keys: Map<string, KeyState>): Promise<void> {
  const entries = [...keys];
  let operations = 0;
  let killed: Promise<void> | undefined;
  const writer = async (own: readonly [string, KeyState][]): Promise<void> => {
    const s3 = new S3TestClient(service);
    while (killed === undefined) {
      const [path, state] = own[randomInt(own.length)] ?? fail();
      await change(s3, path, state);
      operations += 1;
      if (operations >= OPERATIONS_PER_ROUND) killed ??= service.kill9();
    }
  };
  const writers = Array.from({ length: WRITERS }, (_, i) =>
    writer(entries.slice(i * KEYS_PER_WRITER, (i + 1) * KEYS_PER_WRITER)),
  );
  // A request that the kill cut off rejects: its operation stays pending.
  await Promise.allSettled(writers);
  await killed;
  expect(operations).to.be.at.least(OPERATIONS_PER_ROUND);
}

async function change(s3: S3TestClient, path: string, state: KeyState): Promise<void> {
  const content = randomInt(4) === 0 ? undefined : newContent();
  state.pending = { content };
  const answer = content === undefined ? await s3.delete(path) : await s3.put(path, content);
  expect(answer.status).to.equal(content === undefined ? 204 : 200);
  state.acknowledged = content;
  state.pending = undefined;
}

function newContent(): string {
  const size = SIZES[randomInt(SIZES.length)] ?? fail();
  const seed = createHash('sha256')
    .update(String(randomInt(2 ** 40)))
    .digest('hex');
  return seed.repeat(Math.ceil(size / seed.length)).slice(0, size);
}

/** Each key holds what was acknowledged, or what was under way, whole; then that is settled. */
async function verify(service: Service, keys: Map<string, KeyState>): Promise<void> {
  const s3 = new S3TestClient(service);
  await s3.put('/crash');
  const listed = (await s3.get('/crash')).text;
  for (const [path, state] of keys) {
    const answer = await s3.get(path);
    const found: Content = answer.status === 404 ? undefined : answer.text;
    const allowed = [
      state.acknowledged,
      ...(state.pending === undefined ? [] : [state.pending.content]),
    ];
    expect(allowed.includes(found), `${path} holds something else`).to.be.true;
    const key = path.slice('/crash/'.length);
    expect(listed.includes(`<Key>${key}</Key>`), `${path} in the listing`).to.equal(
      found !== undefined,
    );
    state.acknowledged = found;
    state.pending = undefined;
  }
  await s3.close();
}

/** Until the dead listener's successor is up. */
async function untilReplaced(service: Service, dead: number): Promise<void> {
  await eventually(
    async () => JSON.parse(await admin(service, '/statusz')) as Status,
    ({ children }) => children.every(({ pid, state }) => pid !== dead && state === 'up'),
  );
}

interface Status {
  readonly children: readonly { readonly pid: number; readonly state: string }[];
}

async function putCount(service: Service): Promise<number> {
  const metrics = await admin(service, '/metrics');
  return Number(
    /ringway_requests_total\{operation="PutObject",code="200"\} (\d+)/.exec(metrics)?.[1],
  );
}

async function admin(service: Service, path: string): Promise<string> {
  return (await fetch(`${service.adminEndpoint}${path}`)).text();
}

function fail(): never {
  throw new Error('the list is empty');
}
