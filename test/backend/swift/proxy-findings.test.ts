import { expect } from 'chai';
import { knownProxies } from '../../../src/backend/swift/proxies/known-proxies.js';
import { judgeProxies } from '../../../src/backend/swift/proxies/proxy-findings.js';
import {
  lookAtProxy,
  type ProxyFacts,
  type ProxyLook,
  type ProxySource,
} from '../../../src/backend/swift/proxies/proxy-look.js';
import { useEach } from '../../support/fixture.js';
import { serve } from '../../support/serve.js';

const WELL: ProxyFacts = {
  swiftVersion: '2.30.1',
  filterVersion: 1,
  memcached: 'aaaa0000',
  features: ['exclusive_delete', 'chunked_bodies', 'signature_suffices', 'hop_rights'],
  knowsSecret: true,
  clockMs: 20,
  clockErrorMs: 505,
};
const BARE = {
  filterVersion: undefined,
  memcached: undefined,
  features: [],
  knowsSecret: undefined,
};

function proxy(name: string, facts: Partial<ProxyFacts> = {}): ProxyLook {
  const url = `http://${name}:8080`;
  return { url, source: 'swift_endpoints', state: 'proxy', facts: { ...WELL, ...facts } };
}

describe('proxies of a cluster, compared', () => {
  const problems = (looks: readonly ProxyLook[], filter = true): string[] =>
    judgeProxies(looks, { filter }).map(
      ({ look, problem }) => `${new URL(look.url).hostname} ${problem}`,
    );

  const cases: [string, ProxyLook[], string[]][] = [
    ['that are alike', [proxy('a'), proxy('b')], []],
    ['one without the filters', [proxy('a'), proxy('b', BARE)], ['b no_filter']],
    ['one without ringway', [proxy('a', { filterVersion: undefined }), proxy('b')], ['a no_front']],
    [
      'one without ringway_guard',
      [proxy('a', { memcached: undefined }), proxy('b')],
      ['a no_guard'],
    ],
    [
      'one with another secret',
      [proxy('a'), proxy('b', { knowsSecret: false })],
      ['b other_secret'],
    ],
    [
      'one with other memcached servers',
      [proxy('a', { memcached: 'bbbb' }), proxy('b'), proxy('c')],
      ['a other_memcached'],
    ],
    [
      'one with an older filter',
      [proxy('a'), proxy('b', { features: ['exclusive_delete', 'hop_rights'] })],
      ['b older_filter'],
    ],
    [
      'those whose filters all do not ask who may read on',
      [proxy('a', { features: [] }), proxy('b', { features: [] })],
      ['a older_filter', 'b older_filter'],
    ],
    [
      'one of another release of Swift',
      [proxy('a'), proxy('b'), proxy('c', { swiftVersion: '2.33.0' })],
      ['c other_swift'],
    ],
    [
      'one whose clock is off',
      [proxy('a'), proxy('b', { clockMs: -4000 }), proxy('c', { clockMs: 900 })],
      ['b clock'],
    ],
    ['one that says no time', [proxy('a'), proxy('b', { clockMs: undefined })], []],
  ];
  for (const [title, looks, expected] of cases) {
    it(title, () => {
      expect(problems(looks)).to.deep.equal(expected);
    });
  }

  it('expects no filter where the gateway has no secret and no proxy has one', () => {
    expect(problems([proxy('a', BARE), proxy('b', BARE)], false)).to.deep.equal([]);
    expect(problems([proxy('a', BARE), proxy('b', BARE)], true)).to.have.length(2);
    expect(problems([proxy('a', BARE), proxy('b')], false)).to.deep.equal(['a no_filter']);
  });

  it('takes a place that was only guessed for a proxy when it is one', () => {
    const absent = (state: 'refused' | 'silent' | 'other', source: ProxySource): ProxyLook => ({
      ...{ url: `http://${state}`, source, state, reason: 'why' },
    });
    const states = ['refused', 'silent', 'other'] as const;
    expect(problems(states.map((state) => absent(state, 'cluster_nodes')))).to.deep.equal([]);
    expect(problems(states.map((state) => absent(state, 'swift_endpoints')))).to.deep.equal([
      'refused no_answer',
      'silent no_answer',
      'other no_proxy',
    ]);
  });

  it('says in words what to do', () => {
    const [found] = judgeProxies([proxy('a'), proxy('b', BARE)], { filter: true });
    expect(found?.text).to.include('neither of the filters').and.include('or stop it');
  });
});

describe('where proxies may be', () => {
  it('is each address once, and the hosts at the ports of the addresses', () => {
    const places = knownProxies({
      addresses: [
        { url: 'http://10.0.0.1:8080', source: 'swift_endpoints' },
        { url: 'https://swift.example', source: 'swift_endpoints' },
      ],
      hosts: [
        { host: '10.0.0.1', source: 'cluster_nodes' },
        { host: 'fd00::1', source: 'rings' },
      ],
      port: 8090,
    });
    expect(places.map(({ url, source }) => `${url} ${source}`)).to.deep.equal([
      'http://10.0.0.1:8080 swift_endpoints',
      'https://swift.example swift_endpoints',
      'https://10.0.0.1 cluster_nodes',
      'http://10.0.0.1:8090 cluster_nodes',
      'http://[fd00::1]:8080 rings',
      'https://[fd00::1] rings',
      'http://[fd00::1]:8090 rings',
    ]);
  });
});

describe('a look at a proxy', () => {
  let answer: (signed: boolean) => { status: number; body: string; date?: string };

  const server = useEach(
    () =>
      serve((incoming, response) => {
        const { status, body, date } = answer('x-gateway-signature' in incoming.headers);
        if (date !== undefined) response.setHeader('date', date);
        response.writeHead(status).end(body);
      }),
    'close',
  );

  const look = (secret?: string) =>
    lookAtProxy({ url: server().origin, source: 'swift_endpoints' }, { secret, timeoutMs: 5000 });

  const INFO = {
    swift: { version: '2.30.1' },
    ringway: { version: 1, exclusive_create: 'aaaa0000', chunked_bodies: true },
  };

  it('finds what it says of itself', async () => {
    const date = new Date(Date.now() - 3_600_000).toUTCString();
    answer = () => ({ status: 200, body: JSON.stringify(INFO), date });
    const seen = await look();
    if (seen.state !== 'proxy') throw new Error(seen.state);
    const { clockMs = 0, clockErrorMs, ...facts } = seen.facts;
    expect(facts).to.deep.equal({
      ...{ swiftVersion: '2.30.1', filterVersion: 1, memcached: 'aaaa0000' },
      ...{ features: ['chunked_bodies'], knowsSecret: undefined },
    });
    expect(Math.abs(clockMs + 3_600_000)).to.be.at.most(clockErrorMs + 500);
  });

  it('tries the secret where there is a filter', async () => {
    answer = (signed) => ({ status: signed ? 403 : 200, body: JSON.stringify(INFO) });
    expect(await look('a secret')).to.have.nested.property('facts.knowsSecret', false);
    answer = () => ({ status: 200, body: JSON.stringify(INFO) });
    expect(await look('a secret')).to.have.nested.property('facts.knowsSecret', true);
    answer = () => ({ status: 200, body: '{"swift":{}}' });
    expect(await look('a secret')).to.have.nested.property('facts.knowsSecret', undefined);
  });

  it('knows what is no proxy, and where nobody listens', async () => {
    for (const [status, body] of [
      [200, '{}'],
      [200, '<html>'],
      [404, ''],
    ] as const) {
      answer = () => ({ status, body });
      expect((await look()).state).to.equal('other');
    }
    server().close();
    expect((await look()).state).to.equal('refused');
  });
});
