import { expect } from 'chai';
import {
  advance,
  stateOf,
  summaryOf,
  type ReplicaSight,
  type Sight,
} from '../../../console/surfaces/lab/expired/states.js';
import {
  Observation,
  type ExpiredView,
} from '../../../console/surfaces/lab/expired/observation.js';
import type {
  ExpiryObserver,
  OpenExpired,
} from '../../../console/surfaces/lab/expired/observer.js';
import type {
  ExpiredRun,
  ExpiredRunRow,
} from '../../../console/surfaces/lab/expired/expired-runs.js';
import { eventually } from '../../support/eventually.js';
import { codeOf, expectRefused } from '../support/client.js';
import { REAL_CLOCK, startTestBed } from '../support/console.js';

const DUE_S = 1000;

const replica = (
  state: ReplicaSight['state'],
  timestamp: string | null = null,
  index: number | null = 0,
): ReplicaSight => ({ node: '10.0.0.1', device: 'd1', index, state, timestamp });

const sight = (given: Partial<Sight> = {}): Sight => ({
  ...{ atS: DUE_S + 5, status: 404, openStatus: null, replicas: [] },
  ...given,
});

const TOMBSTONE = '0000001000.00000';

describe('the states of an object that expires', () => {
  const cases: readonly (readonly [string, Partial<Sight>, ReturnType<typeof stateOf>])[] = [
    ['answers', { status: 200, atS: DUE_S - 1 }, 'Alive'],
    ['answers late', { status: 200 }, 'Alive'],
    ['is away before its time', { atS: DUE_S - 1 }, undefined],
    ['is behind a proxy that is away', { status: null }, undefined],
    ['is behind a proxy that fails', { status: 503 }, undefined],
    ['cannot be looked into', {}, 'Logically Expired'],
    ['is opened by the proxy', { openStatus: 200 }, 'Recoverable Ghost'],
    ['is on a device', { replicas: [replica('present'), replica('absent')] }, 'Recoverable Ghost'],
    ['is on a handoff', { replicas: [replica('tombstone', TOMBSTONE), replica('present', null, null)] }, 'Recoverable Ghost'], // prettier-ignore
    ['is opened nowhere', { openStatus: 404 }, 'Physically Reaped'],
    ['has tombstones', { replicas: [replica('tombstone', TOMBSTONE), replica('unreachable')] }, 'Physically Reaped'], // prettier-ignore
    ['has an older tombstone', { replicas: [replica('tombstone', '0000000999.99999')] }, 'Logically Expired'], // prettier-ignore
    ['lacks a tombstone', { replicas: [replica('tombstone', TOMBSTONE), replica('absent')] }, 'Logically Expired'], // prettier-ignore
    ['has no device that answers', { replicas: [replica('unreachable')] }, 'Logically Expired'],
  ];
  for (const [title, given, state] of cases) {
    it(`are ${state ?? 'unknown'} for an object that ${title}`, () => {
      expect(stateOf(DUE_S, sight(given))).to.equal(state);
    });
  }

  it('come in their order, and never go back', () => {
    const alive = advance([], 'Alive', 10);
    expect(advance(alive, undefined, 11)).to.deep.equal(alive);
    const ghost = advance(alive, 'Recoverable Ghost', 20);
    expect(ghost).to.deep.equal([
      { state: 'Alive', from_unix_s: 10, to_unix_s: 20 },
      { state: 'Logically Expired', from_unix_s: 20, to_unix_s: 20 },
      { state: 'Recoverable Ghost', from_unix_s: 20, to_unix_s: null },
    ]);
    expect(advance(ghost, 'Logically Expired', 30)).to.deep.equal(ghost);
    expect(advance(ghost, 'Physically Reaped', 40).at(-1)?.from_unix_s).to.equal(40);
  });

  it('have ghost periods of those that were reaped alone', () => {
    expect(summaryOf([null, null])).to.deep.equal({ n: 2, reaped: 0, censored: 2, mean_s: null, p95_s: null, max_s: null }); // prettier-ignore
    const periods = [...Array.from({ length: 20 }, (_, at) => at + 1), null];
    expect(summaryOf(periods)).to.deep.equal({ n: 21, reaped: 20, censored: 1, mean_s: 10.5, p95_s: 19, max_s: 20 }); // prettier-ignore
  });
});

/** A store in which a test says what becomes of objects. */
class FakeStore implements ExpiryObserver {
  readonly due = new Map<string, number>();
  readonly reaped = new Set<string>();
  readonly rescued = new Set<string>();
  removed: readonly string[] = [];
  nowS = 500;
  /** So many of the next requests fail. */
  failures = 0;

  constructor(
    private readonly opens: OpenExpired,
    readonly asksNodes = true,
  ) {}

  openExpired = () => Promise.resolve(this.opens);
  create = () => this.#answer(undefined);
  put = (_: string, object: string, _bytes: number, deleteAtS: number) => {
    this.due.set(object, deleteAtS);
    return this.#answer(undefined);
  };
  #answer<T>(value: T): Promise<T> {
    this.failures -= 1;
    return this.failures >= 0 ? Promise.reject(new Error('503')) : Promise.resolve(value);
  }
  look = (_: string, object: string, opens: boolean): Promise<Sight> => {
    const isExpired = this.nowS >= (this.due.get(object) ?? 0) && !this.rescued.has(object);
    const isReaped = this.reaped.has(object);
    const timestamp = `${this.due.get(object)}.00000`;
    return this.#answer({
      atS: this.nowS,
      status: isExpired ? 404 : 200,
      openStatus: opens ? (isReaped ? 404 : 200) : null,
      replicas: [0, 1].map((index) =>
        replica(isReaped ? 'tombstone' : 'present', timestamp, index),
      ),
    });
  };
  listed = () => Promise.resolve(new Set(this.due.keys()));
  rescue = (_: string, object: string) => {
    this.rescued.add(object);
    return Promise.resolve(true);
  };
  remove = (_: string, objects: readonly string[]) => {
    this.removed = objects;
    return Promise.resolve();
  };
}

describe('an observation of objects that expire', () => {
  const params = {
    ...{ container: 'lab-expired-x', count: 4, first_s: 10, step_s: 5, bytes: 10 },
    ...{ watch_s: 2000, expirer_s: 700 },
  };
  const begin = async (opens: OpenExpired, failures = 0, asksNodes = true) => {
    const store = new FakeStore(opens, asksNodes);
    store.failures = failures;
    const observation = new Observation(params, store, () => 1000 * store.nowS);
    await observation.begin();
    const at = async (nowS: number): Promise<{ view: ExpiredView; isOver: boolean }> => {
      store.nowS = nowS;
      const isOver = await observation.look();
      return { view: observation.view, isOver };
    };
    return { store, observation, at };
  };
  const ids = ({ findings }: ExpiredView) => findings.map(({ id }) => id);

  it('follows each to its end, and reports ghost periods', async () => {
    const { store, at } = await begin({ support: 'enabled', version: '2.38.1' });
    expect([...store.due.values()]).to.deep.equal([510, 515, 520, 525]);
    expect((await at(509)).view.objects.map(({ state }) => state)).to.deep.equal(
      Array(4).fill('Alive'),
    );
    const later = (await at(516)).view;
    expect(later.objects.map(({ state }) => state)).to.deep.equal(['Recoverable Ghost', 'Recoverable Ghost', 'Alive', 'Alive']); // prettier-ignore
    for (const name of store.due.keys()) store.reaped.add(name);
    const { view, isOver } = await at(610);
    expect(isOver).to.equal(true);
    expect(view.summary).to.deep.equal({ n: 4, reaped: 4, censored: 0, mean_s: 92.5, p95_s: 100, max_s: 100 }); // prettier-ignore
    expect(ids(view)).to.deep.equal(['still_listed']);
  });

  it('finds that the expirer does not run, and takes it back when it does', async () => {
    const { store, at } = await begin({ support: 'unsupported', version: '2.30.1' });
    const early = (await at(600)).view;
    expect(ids(early)).to.deep.equal(['open_expired_unsupported']);
    expect(early.findings[0]?.text).to.include('Swift 2.34').and.include('2.30.1');
    const late = (await at(1300)).view;
    expect(ids(late)).to.deep.equal(['open_expired_unsupported', 'expirer_not_running']);
    expect(late.summary.censored).to.equal(4);
    expect(late.objects.map(({ state }) => state)).to.deep.equal(
      Array(4).fill('Recoverable Ghost'),
    );
    store.reaped.add('00');
    expect(ids((await at(1310)).view)).not.to.include('expirer_not_running');
    expect((await at(2600)).isOver).to.equal(true);
  });

  it('says that nodes are not asked only where they are not', async () => {
    for (const asksNodes of [true, false]) {
      const { store, at } = await begin({ support: 'disabled', version: null }, 0, asksNodes);
      const look = store.look;
      store.look = async (...of) => ({ ...(await look(...of)), replicas: [] });
      const found = ids((await at(501)).view);
      expect(found.includes('nodes_unknown'), `${asksNodes}`).to.equal(!asksNodes);
    }
  });

  it('goes on after a request that fails for once, and says what it could not see', async () => {
    const { store, at } = await begin({ support: 'enabled', version: null }, 1);
    expect(store.due.size).to.equal(4);
    store.failures = 1;
    const { view, isOver } = await at(530);
    expect([isOver, ids(view)]).to.deep.equal([false, ['looks_failed']]);
    const states = view.objects.map(({ state }) => state);
    expect(states.filter((state) => state === 'Recoverable Ghost')).to.have.length(3);
    const next = (await at(531)).view;
    expect(ids(next)).to.deep.equal([]);
    expect(next.objects.map(({ state }) => state)).to.deep.equal(
      Array(4).fill('Recoverable Ghost'),
    );
  });

  it('rescues a ghost, which is in no mean', async () => {
    const { store, observation, at } = await begin({ support: 'enabled', version: null });
    await at(530);
    expect(await observation.rescue('00')).to.equal(true);
    expect(await observation.rescue('77')).to.equal(undefined);
    for (const name of ['01', '02', '03']) store.reaped.add(name);
    const { view, isOver } = await at(545);
    expect([isOver, view.summary.n, view.summary.reaped]).to.deep.equal([true, 3, 3]);
  });

  it('keeps a rescue that comes while the object is looked at', async () => {
    const { store, observation, at } = await begin({ support: 'enabled', version: null });
    const look = store.look;
    store.look = async (container, object, opens) => {
      const sight = await look(container, object, opens);
      if (object === '00') await observation.rescue('00');
      return sight;
    };
    const [first] = (await at(530)).view.objects;
    expect(first?.is_rescued).to.equal(true);
  });
});

describe('the Observatory over a store without X-Open-Expired', function () {
  this.timeout(60_000);

  it('sees objects expire, says what it cannot see, and takes its container away', async () => {
    await using bed = await startTestBed({ lab_enabled: true }, REAL_CLOCK);
    const operator = await bed.login();
    // Empty containers of the user's own, also where one is named as those of runs are.
    const own = ['lab-expired-results', 'lab-expired-0123abcd'];
    for (const name of own) {
      const made = await operator.send('PUT', '/api/files/container', { body: { name } });
      expect(made.status, made.text).to.equal(204);
    }
    const started = await operator.post('/lab/api/expired/runs', {
      ...{ count: 2, first_s: 2, step_s: 1, watch_s: 600 },
    });
    expect(started.status, started.text).to.equal(202);
    const { id }: { id: string } = started.json();
    const second = await operator.post('/lab/api/expired/runs', {});
    expect(codeOf(second)).to.equal('locked');
    const get = () => operator.read<ExpiredRun>(`/lab/api/expired/runs/${id}`);
    const run = await eventually(get, ({ detail }) =>
      (detail?.objects ?? []).some(({ state }) => state === 'Logically Expired'),
    );
    expect(run.detail?.findings.map((one) => one.id)).to.include.members([
      'open_expired_unsupported',
      'nodes_unknown',
    ]);
    expect(run.detail?.open_expired).to.deep.equal({ support: 'unsupported', version: null });
    const rescue = await operator.post(`/lab/api/expired/runs/${id}/rescue`, { name: '00' });
    await expectRefused(rescue, 501, 'unsupported_here');
    expect(rescue.text).to.include('Swift 2.34');
    expect((await operator.post(`/lab/api/expired/runs/${id}/finish`, {})).status).to.equal(204);
    const ended = await eventually(get, ({ state }) => state === 'done');
    expect(ended.result?.summary).to.deep.include({ n: 2, reaped: 0, censored: 2 });
    const { items }: { items: readonly ExpiredRunRow[] } = (
      await operator.get('/lab/api/expired/runs')
    ).json();
    expect(items.map((one) => one.id)).to.deep.equal([id]);
    const gone = await operator.post(`/lab/api/expired/runs/${id}/finish`, {});
    expect(codeOf(gone)).to.equal('not_found');
    // Of objects that are still there when the run ends, nothing stays.
    const next = await operator.post('/lab/api/expired/runs', { count: 2, first_s: 900 });
    const other = (next.json() as { id: string }).id;
    const path = `/lab/api/expired/runs/${other}`;
    const read = () => operator.read<ExpiredRun>(path);
    const { target } = await eventually(read, ({ detail }) => detail !== null);
    const containers = () => operator.get('/api/files/containers?prefix=lab-expired-');
    expect((await containers()).text).to.include(target);
    expect((await operator.send('DELETE', path)).status).to.equal(204);
    await eventually(read, ({ state }) => state === 'cancelled');
    const left = (await containers()).text;
    expect(left).not.to.include(target);
    for (const name of own) expect(left).to.include(name);
  });
});
