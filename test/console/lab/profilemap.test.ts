import { createSocket } from 'node:dgram';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import type { PulseView } from '../../../console/surfaces/lab/profilemap/page.js';
import type {
  ProfileMark,
  ProfileSnapshot,
} from '../../../console/surfaces/lab/profilemap/profile-map.js';
import { StatsdListener } from '../../../console/surfaces/lab/profilemap/statsd.js';
import { since } from '../../../console/surfaces/lab/profilemap/timers.js';
import { profileTree, type ProfileNode } from '../../../console/surfaces/lab/profilemap/tree.js';
import { ConsoleAndS3 } from '../../support/console-s3.js';
import { eventually } from '../../support/eventually.js';
import { freePort } from '../../support/free-port.js';
import { serve } from '../../support/serve.js';
import { makeTempFolder, removeFolder } from '../../support/temp-folder.js';
import { codeOf, expectRefused } from '../support/client.js';
import { startTestBed } from '../support/console.js';

const find = (root: ProfileNode, id: string): ProfileNode | undefined =>
  root.id === id ? root : root.children.map((one) => find(one, id)).find(Boolean);

const node = ({ root }: { readonly root: ProfileNode }, id: string): ProfileNode => {
  const found = find(root, id);
  if (found === undefined) throw new Error(`there is no node ${id}`);
  return found;
};

describe('timers of Swift by statsd', () => {
  const listener = () => new StatsdListener({ host: '127.0.0.1', port: 0 }, () => 1000);

  it('are read with their rate and whatever prefix, and nothing else is', () => {
    const statsd = listener();
    statsd.take(
      'lab.proxy-server.object.PUT.201.timing:12.5|ms\nobject-server.PUT.timing:4|ms|@0.5',
    );
    statsd.take('object-server.PUT.timing:8|ms|@0.5\n');
    // A time for each kilobyte, a counter, and what is no timer at all.
    statsd.take('object-server.PUT.d1.timing:0.5|ms\nobject-server.async_pendings:1|c');
    for (const odd of ['', ':', 'x:1|ms', 'object-server.GET.timing:|ms', 'object-server.GET.timing:-1|ms']) statsd.take(odd); // prettier-ignore
    for (const odd of ['NaN', '1e999', '1e308', '1|ms|@0', '1|ms|@1e-300', '1|ms|@x']) statsd.take(`object-server.GET.timing:${odd}|ms`); // prettier-ignore
    const timers = statsd.timers();
    expect([...timers.keys()]).to.deep.equal(['swift.proxy-server.object.PUT.201', 'swift.object-server.PUT']); // prettier-ignore
    const put = timers.get('swift.object-server.PUT');
    expect(put).to.deep.include({ count: 4, sumMs: 24 });
    expect(put?.buckets.find(({ le }) => le === 5)?.count).to.equal(2);
    expect(put?.buckets.at(-1)).to.deep.equal({ le: Infinity, count: 4 });
  });

  it('are bounded, whatever is sent', () => {
    const statsd = listener();
    for (let at = 0; at < 2000; at++) statsd.take(`object-server.M${at}.timing:1|ms`);
    statsd.take(`object-server.${'x'.repeat(5000)}.timing:1|ms`);
    expect(statsd.timers().size).to.equal(500);
  });

  it('come over UDP, and an address that is taken is said', async () => {
    const statsd = listener();
    const port = await statsd.listen();
    const other = new StatsdListener({ host: '127.0.0.1', port: port ?? 0 }, () => 0);
    const socket = createSocket('udp4');
    try {
      expect(await other.listen()).to.equal(undefined);
      expect(other.state.problem).to.equal('EADDRINUSE');
      const timers = await eventually(
        () => {
          socket.send('object-server.GET.timing:3|ms', port ?? 0, '127.0.0.1');
          return Promise.resolve(statsd.timers());
        },
        ({ size }) => size > 0,
      );
      expect(timers.has('swift.object-server.GET')).to.equal(true);
      expect(statsd.state).to.deep.equal({ lastMs: 1000, problem: undefined });
    } finally {
      socket.close();
      statsd.close();
    }
  });
});

describe('the tree of the Profile Cartographer', () => {
  const timer = (count: number, sumMs: number) => ({
    ...{ count, sumMs },
    buckets: [1, 10, 100, Infinity].map((le) => ({ le, count: le > sumMs / count ? count : 0 })),
  });

  it('has what is measured, and is hollow where nothing is', () => {
    const timers = new Map([
      ['gateway.put.hash', timer(10, 20)],
      ['gateway.put.unattributed', timer(20, 2)],
      ['swift.object-server.PUT', timer(60, 300)],
    ]);
    const made = { root: profileTree('put', timers, []) };
    expect(node(made, 'gateway.hash')).to.deep.include({ count: 10, total_ms: 20, mean_ms: 1 });
    expect(node(made, 'gateway')).to.deep.include({ total_ms: 22, mean_ms: 1.1, count: 20 });
    expect(node(made, 'object.server').mean_ms).to.equal(5);
    // The gateway waits for the object server: what a client waits for is the gateway's time.
    expect(node(made, 'proxy')).to.deep.include({ mean_ms: 1.1, count: 20 });
    expect(node(made, 'root')).to.deep.include({ mean_ms: 1.1, total_ms: 22, count: 20 });
    expect(node(made, 'object.server').p95_ms).to.be.within(1, 10);
    for (const id of [
      'gateway.auth',
      'swift.proxy',
      'object.sync',
      'replicator',
      'replicator.update',
    ]) {
      expect(node(made, id), id).to.deep.include({ mean_ms: null, total_ms: null, count: null });
    }
  });

  it('is of what was counted meanwhile, also where a counter began anew', () => {
    const before = new Map([['gateway.put.hash', timer(100, 100)]]);
    const now = new Map([['gateway.put.hash', timer(110, 600)]]);
    expect(since(before, now).get('gateway.put.hash')).to.deep.include({ count: 10, sumMs: 500 });
    expect(since(now, before).get('gateway.put.hash')).to.deep.include({ count: 100, sumMs: 100 });
    expect(since(new Map(), now).get('gateway.put.hash')?.count).to.equal(110);
  });

  it('has the passes of replicators, of each node that says them', () => {
    const passes = [
      { node: 'node1', ms: 90_000 },
      { node: 'node2', ms: null },
    ];
    const made = { root: profileTree('replication', new Map(), passes) };
    expect(node(made, 'replicator.pass.node1').mean_ms).to.equal(90_000);
    expect(node(made, 'replicator.pass.node2').mean_ms).to.equal(null);
  });
});

describe('the Profile Cartographer over a gateway', function () {
  this.timeout(120_000);

  it('counts each request of a pulse in its stages, and leaves nothing behind', async () => {
    const folder = await makeTempFolder('profilemap');
    const file = join(folder, 'console.json');
    const statsd = await freePort();
    await writeFile(
      file,
      JSON.stringify({
        lab_enabled: true,
        statsd_listen: `127.0.0.1:${statsd}`,
        state_dir: folder,
      }),
    );
    const config = { stage_sample_every: 1, console_config: file };
    const both = await ConsoleAndS3.start({ config });
    try {
      const read = async <T>(answer: ReturnType<typeof both.client.get>): Promise<T> => {
        const given = await answer;
        expect(given.status, given.text).to.equal(200);
        return given.json();
      };
      for (const path of ['put', 'get'] as const) {
        const pulse = await read<PulseView>(
          both.client.post('/lab/api/profilemap/pulse', {
            n: 12,
            bytes: 20_000,
            path,
            concurrency: 3,
          }),
        );
        expect([pulse.errors, pulse.api, pulse.snapshot.source]).to.deep.equal([
          0,
          's3',
          'recon_stage',
        ]);
        expect(pulse.p95_ms).to.be.at.least(pulse.p50_ms ?? Infinity);
        // The metrics of a listener come a moment later than its answers.
        const query = `path=${path}&from=${pulse.from.id}`;
        const settled = await eventually(
          () => read<ProfileSnapshot>(both.client.get(`/lab/api/profilemap/snapshot?${query}`)),
          (snapshot) => (node(snapshot, 'gateway.unattributed').count ?? 0) >= 12,
        );
        expect(node(settled, 'gateway.auth').count).to.be.at.least(12);
        expect(node(settled, 'gateway.backend_wait').mean_ms).to.be.greaterThan(0);
        expect(node(settled, 'object.server').mean_ms).to.equal(null);
        expect(settled.sources.map(({ id, state }) => [id, state])).to.deep.equal([
          ['recon_stage', 'live'],
          ['metrics', 'off'],
          ['filter', 'off'],
          ['statsd', 'silent'],
        ]);
      }
      const buckets = await both.s3.get('/');
      expect(buckets.text).not.to.include('lab-profile-');
      const gone = await both.client.get('/lab/api/profilemap/snapshot?from=000000000000');
      expect(codeOf(gone)).to.equal('not_found');
    } finally {
      await both.stop();
      await removeFolder(folder);
    }
  });
});

describe('the Profile Cartographer over other sources', () => {
  it('shows 50 ms more in the stage that takes them, of an admin port or of Prometheus', async () => {
    let [count, waitS] = [100, 0.2];
    const stages = () => [
      {
        id: 'backend_wait',
        parent: 'proxy',
        count,
        sum_s: waitS,
        max_s: 1,
        buckets: [[0.1, count]],
      },
      { id: 'unattributed', parent: 'proxy', count, sum_s: 0, max_s: 0, buckets: [[0.1, count]] },
    ];
    const series = () =>
      stages().flatMap(({ id, sum_s: sum }) =>
        (['count', 'sum', 'bucket'] as const).map((part) => ({
          metric: {
            __name__: `swift_stage_${id}_seconds_${part}`,
            ...{ path: 'put', stage: id },
            ...(part === 'bucket' ? { le: '+Inf' } : {}),
          },
          value: [0, String(part === 'sum' ? sum : count)],
        })),
      );
    const server = await serve((request, response) => {
      const isReport = request.url === '/recon/stage';
      const report = {
        v: 1,
        service: 'gateway',
        since_unix_s: 1,
        paths: { put: { requests: count, stages: stages() } },
      };
      const metrics = { status: 'success', data: { resultType: 'vector', result: series() } };
      response.end(JSON.stringify(isReport ? report : metrics));
    });
    const origin = server.origin;
    try {
      for (const [key, source] of [
        ['admin_url', 'recon_stage'],
        ['metrics_url', 'metrics'],
      ] as const) {
        await using bed = await startTestBed({ lab_enabled: true, [key]: origin });
        const operator = await bed.login();
        const mark = async () =>
          ((await operator.post('/lab/api/profilemap/marks', {})).json() as ProfileMark).id;
        const [first] = [await mark()];
        [count, waitS] = [count + 20, waitS + 20 * 0.002];
        const second = await mark();
        [count, waitS] = [count + 20, waitS + 20 * 0.052];
        const window = (query: string) =>
          operator.read<ProfileSnapshot>(`/lab/api/profilemap/snapshot?path=put&${query}`);
        const before = await window(`from=${first}&to=${second}`);
        const after = await window(`from=${second}`);
        expect(after.source).to.equal(source);
        const [was, is] = [before, after].map((one) => node(one, 'gateway.backend_wait').mean_ms);
        expect((is ?? 0) - (was ?? 0)).to.be.closeTo(50, 1e-6);
        expect(node(after, 'gateway.hash').mean_ms).to.equal(null);
      }
    } finally {
      server.close();
    }
  });

  it('has the stages of the filter in all proxies, those of one host once', async () => {
    const counts: Record<string, number> = { a: 10, b: 30 };
    const stage = (id: string, count: number) => {
      const own = { id, parent: 'proxy', count, sum_s: 0.002 * count, max_s: 1 };
      return { ...own, buckets: [[0.005, count]] };
    };
    const server = await serve((request, response) => {
      const [, host = '', what] = (request.url ?? '').split(/\/(.*?)\//);
      const count = counts[host];
      if (count === undefined || what !== 'recon/stage') return response.writeHead(404).end();
      const stages = ['middleware', 'read_body'].map((id) => stage(id, count));
      const about = { v: 1, service: host === 'gateway' ? 'gateway' : 'swift-proxy', id: host };
      const paths = { put: { requests: count, stages } };
      return response.end(JSON.stringify({ ...about, since_unix_s: 1, paths }));
    });
    const origin = server.origin;
    const bed = await startTestBed({
      lab_enabled: true,
      // Two that share their counters, one of another host, one without a filter.
      proxy_bases: ['a', 'a/', 'b', 'old'].map((path) => `${origin}/${path}`),
    });
    try {
      const operator = await bed.login();
      const look = (query = '') =>
        operator.read<ProfileSnapshot>(`/lab/api/profilemap/snapshot?path=put${query}`);
      const mark = async () =>
        ((await operator.post('/lab/api/profilemap/marks', {})).json() as ProfileMark).id;
      const found = await look();
      expect(found.source).to.equal('filter');
      expect(found.sources.find(({ id }) => id === 'filter')).to.include({
        state: 'live',
        note: '1 of 4 proxies report no timers.',
      });
      expect(node(found, 'swift.proxy.middleware')).to.include({ count: 40, mean_ms: 2 });
      expect(node(found, 'swift.proxy.guard').mean_ms).to.equal(null);
      expect(node(found, 'swift.proxy').mean_ms).to.equal(4);
      // Earlier counts of a host are left out if it did not answer then or does not now.
      const both = await mark();
      delete counts.b;
      const one = await mark();
      counts.a = 15;
      expect(node(await look(`&from=${both}`), 'swift.proxy.middleware').count).to.equal(5);
      counts.b = 30;
      expect(node(await look(`&from=${one}`), 'swift.proxy.middleware').count).to.equal(5);
      counts.b = 32;
      expect(node(await look(`&from=${both}`), 'swift.proxy.middleware').count).to.equal(7);
    } finally {
      await bed.close();
      server.close();
    }
  });

  it('says what it needs where there are none', async () => {
    await using bed = await startTestBed({ lab_enabled: true });
    const answer = await (await bed.login()).get('/lab/api/profilemap/snapshot?path=get');
    await expectRefused(answer, 501, 'unsupported_here');
    expect(answer.text).to.include('statsd_listen');
  });
});
