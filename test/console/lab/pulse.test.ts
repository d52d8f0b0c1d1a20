import { once } from 'node:events';
import http from 'node:http';
import { Socket, type AddressInfo } from 'node:net';
import { expect } from 'chai';
import { clientGone } from '../../../console/server/traffic.js';
import { measurePolicy, PulseTurn, rank } from '../../../console/surfaces/lab/ground/pulse.js';
import type { ComparisonView } from '../../../console/surfaces/lab/policies/page.js';
import { eventually } from '../../support/eventually.js';
import { useOnce } from '../../support/fixture.js';
import { removeFolder } from '../../support/temp-folder.js';
import { until } from '../../support/until.js';
import { codeOf } from '../support/client.js';
import { startTestBed } from '../support/console.js';
import { clusterFolder } from './support.js';

/** A store that knows logins, and holds each GET of an object until it is told to answer. */
class HoldingStore {
  readonly calls: string[] = [];
  holds = true;
  readonly #held = new Set<http.ServerResponse>();
  readonly #server = http.createServer((request, response) => {
    const { method = '', url = '' } = request;
    request.resume();
    if (url.startsWith('/auth')) {
      const storage = `${this.origin}/v1/AUTH_test`;
      response.writeHead(200, { 'x-auth-token': 't', 'x-storage-url': storage }).end();
      return;
    }
    this.calls.push(`${method} ${url.replace(/lab-policy-\w+/, 'box')}`);
    if (method === 'GET' && url.includes('/pulse-') && this.holds) {
      this.#held.add(response);
      response.once('close', () => this.#held.delete(response));
      return;
    }
    const status = { PUT: 201, DELETE: 204 }[method] ?? 200;
    request.once('end', () => response.writeHead(status).end());
  });

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get heldNow(): number {
    return this.#held.size;
  }

  async listen(): Promise<void> {
    await once(this.#server.listen(0, '127.0.0.1'), 'listening');
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

describe('pulses of the Lab', function () {
  this.timeout(60_000);
  const store = new HoldingStore();
  const folder = useOnce(clusterFolder, removeFolder);
  const bed = useOnce(async () => {
    await store.listen();
    const { origin } = store;
    const urls = { store_base: origin, auth_url: `${origin}/auth/v1.0` };
    return startTestBed({ lab_enabled: true, store_dir: folder(), ...urls });
  }, 'close');
  const operator = useOnce(() => bed().login());

  after(() => {
    store.close();
  });

  const MEASURE = { candidates: [{ index: 0 }, { index: 1 }], measure: { n: 3, bytes: 10 } };

  it('go on one at a time, and end when nobody waits for them any more', async () => {
    const gone = new AbortController();
    const origin = `http://127.0.0.1:${bed().console.port}`;
    const asked = fetch(`${origin}/lab/api/policies/compare`, {
      method: 'POST',
      signal: gone.signal,
      headers: {
        'content-type': 'application/json',
        origin,
        cookie: operator().cookie ?? '',
        'x-csrf-token': operator().csrf ?? '',
      },
      body: JSON.stringify(MEASURE),
    }).catch((error: unknown) => error);
    await until(() => store.heldNow === 1);
    const second = await operator().post('/lab/api/policies/compare', MEASURE);
    expect(codeOf(second)).to.equal('busy');
    const other = await operator().post('/lab/api/profilemap/pulse', { n: 1, bytes: 1 });
    expect(codeOf(other)).to.equal('busy');
    // A comparison that measures nothing need not wait.
    const plain = await operator().post('/lab/api/policies/compare', {
      candidates: [{ index: 0 }],
    });
    expect(plain.status, plain.text).to.equal(200);
    gone.abort();
    await asked;
    // The written objects are deleted, and no request follows for the next policy.
    await until(() => store.calls.at(-1) === 'DELETE /v1/AUTH_test/box');
    const objects = store.calls.filter((call) => call.includes('/box/'));
    expect(objects.map((call) => call.replace('/v1/AUTH_test/box/', ''))).to.deep.equal([
      ...['PUT pulse-0', 'PUT pulse-1', 'PUT pulse-2', 'GET pulse-0'],
      ...objects.slice(4).map((call) => call.replace('/v1/AUTH_test/box/', '')),
    ]);
    expect(objects.slice(4).toSorted()).to.deep.equal(
      [0, 1, 2].map((key) => `DELETE /v1/AUTH_test/box/pulse-${key}`),
    );
    expect(store.heldNow).to.equal(0);
    store.holds = false;
    const next = await eventually(
      () => operator().post('/lab/api/policies/compare', MEASURE),
      ({ status }) => status === 200,
    );
    const view: ComparisonView = next.json();
    expect(view.rows.map(({ measured }) => measured?.n)).to.deep.equal([3, 3]);
  });

  it('leave no container behind when they are ended while it is being made', async () => {
    const cut = new AbortController();
    const calls: string[] = [];
    const cluster = {
      do: (_: unknown, method: string) => {
        calls.push(method);
        if (method !== 'PUT') return Promise.resolve();
        cut.abort();
        return Promise.reject(new Error('cut'));
      },
    };
    const session = { store: cluster } as unknown as Parameters<typeof measurePolicy>[0];
    const sizes = { n: 1, bytes: 1 };
    const ended = await measurePolicy(session, 'gold', sizes, cut.signal).catch(
      (error: unknown) => error,
    );
    expect(ended).to.have.property('code', 'upstream_error');
    expect(calls).to.deep.equal(['PUT', 'DELETE']);
  });

  it('have figures in whole microseconds, as their clock does', () => {
    expect(rank([59.87580999999955, 1], 0.95)).to.equal(59.876);
    expect(rank([], 0.5)).to.equal(null);
  });

  it('do not begin for a client that has gone before its turn', () => {
    const raw = new http.ServerResponse(new http.IncomingMessage(new Socket()));
    expect(clientGone({ raw }).aborted).to.equal(false);
    // The work before a measurement, such as reading rings, takes its time.
    raw.destroy();
    expect(clientGone({ raw }).aborted).to.equal(true);
  });

  it('end when their time is over, or the console ends', async () => {
    const never = new AbortController().signal;
    const until = (signal: AbortSignal) =>
      new Promise<string>((resolve) => {
        if (signal.aborted) resolve('ended');
        signal.addEventListener(
          'abort',
          () => {
            resolve('ended');
          },
          { once: true },
        );
      });
    expect(await new PulseTurn(never, 1).take(never, until)).to.equal('ended');
    const ended = new AbortController();
    const turn = new PulseTurn(ended.signal);
    const work = turn.take(never, until);
    ended.abort();
    expect(await work).to.equal('ended');
    // One that failed leaves the turn to the next.
    const failed = await turn.take(never, () => Promise.reject(new Error('no'))).catch(() => 'no');
    expect([failed, await turn.take(never, () => Promise.resolve('next'))]).to.deep.equal([
      ...['no', 'next'],
    ]);
  });
});
