import { writeFile } from 'node:fs/promises';
import os from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { loadConfig, type LoadedConfig } from '../../src/config/load.js';
import { renderConfig } from '../../src/config/print.js';
import { ConfigError, describeProblem } from '../../src/config/problem.js';
import type { ConfigKey } from '../../src/config/schema.js';
import { useTempFolder } from '../support/temp-folder.js';

type Flags = Partial<Record<ConfigKey, unknown>>;

describe('config: load', () => {
  const folder = useTempFolder('config');

  async function load(config: unknown, flags: Flags = {}): Promise<LoadedConfig> {
    const file = join(folder(), 'ringway.json');
    await writeFile(file, typeof config === 'string' ? config : JSON.stringify(config));
    return loadConfig({ file, flags, cwd: '/cwd' });
  }

  async function problems(config: unknown, flags: Flags = {}): Promise<string[]> {
    try {
      await load(config, flags);
    } catch (error) {
      if (error instanceof ConfigError) {
        return error.problems.map((problem) => describeProblem(problem).replace(folder(), '.'));
      }
      throw error;
    }
    return [];
  }

  it('fills in every default', () => {
    expect(loadConfig({ flags: {}, cwd: '/cwd' }).options).to.deep.equal({
      dataDir: '/cwd/data',
      s3Listen: { host: '127.0.0.1', port: 8000 },
      adminListen: { host: '127.0.0.1', port: 9464 },
      consoleListen: { host: '127.0.0.1', port: 9000 },
      consoleConfig: '',
      deployConfig: '',
      storeListen: { host: '127.0.0.1', port: 8070 },
      storeFilterSecretFile: '',
      listeners: os.availableParallelism(),
      region: 'us-east-1',
      location: 'us-east-1',
      baseDomains: [],
      externalHosts: [],
      trustedProxies: [],
      anonymousAccount: '',
      storageClasses: ['STANDARD'],
      coldStorageClasses: [],
      coldBackend: 'none',
      coldDir: '/cwd/data/cold',
      deleteHot: false,
      coldSweepAgeMs: 86_400_000,
      credentialsFile: '/cwd/data/credentials.json',
      credentialsSource: 'file',
      tempauthConf: '',
      identityUrl: '',
      identityUser: '',
      identityKeyFile: '',
      identityProject: 'service',
      identityDomain: 'Default',
      identityOwnerRoles: ['admin', 'member', 'swiftoperator'],
      identityAccountPrefix: 'AUTH_',
      identityAccounts: [],
      identityCacheMs: 60_000,
      identityStaleMs: 3_600_000,
      identityTimeoutMs: 5_000,
      identityRequestsMax: 16,
      logLevel: 'info',
      drainDelayMs: 0,
      drainTimeoutMs: 30_000,
      listenerStartTimeoutMs: 30_000,
      restartBackoffMsMin: 100,
      restartBackoffMsMax: 10_000,
      restartLimit: 10,
      restartWindowMs: 60_000,
      probeIntervalMs: 5000,
      s3HealthPath: '',
      tlsCertFile: '',
      tlsKeyFile: '',
      adminTlsCertFile: '',
      adminTlsKeyFile: '',
      admissionInFlightMax: 1024,
      admissionQueueMax: 4096,
      admissionWaitMsMax: 1000,
      bodyMemoryBytesMax: 536_870_912,
      rateLimitBurst: 100,
      rateLimitRequestsPerS: 0,
      adminAllowedHosts: [],
      adminTokenFile: '',
      accessLog: '',
      stageSampleEvery: 8,
      bucketMetricsMax: 0,
      digestInlineBytesMax: 131_072,
      xmlInlineBytesMax: 8_192,
      versionSweepAgeMs: 86_400_000,
      versionLostIndexAgeMs: 2_592_000_000,
      versionIndexBytesMax: 8_388_608,
      wormClockMaxOffsetMs: 0,
      digestLanes: 1,
      inlineBodyBytesMax: 32_768,
      segmentGraceMs: 30_000,
      segmentSweepAgeMs: 86_400_000,
      janitorIntervalMs: 3_600_000,
      janitorOperationsPerS: 500,
      janitorLeaseMs: 30_000,
      responseStallTimeoutMs: 60_000,
      requestDrainBytesMax: 16_777_216,
      backend: 'embedded',
      swiftEndpoints: [],
      swiftAuthUrl: '',
      swiftUser: '',
      swiftKeyFile: '',
      swiftProject: '',
      swiftDomain: 'Default',
      swiftFilterSecretFile: '',
      swiftStoragePolicy: '',
      swiftVerifyMd5: false,
      swiftContainerCacheMs: 1_000,
      swiftConnectionsMax: 128,
      swiftQueueMax: 1_024,
      swiftConnectTimeoutMs: 3_000,
      swiftHeadersTimeoutMs: 60_000,
      swiftBodyTimeoutMs: 60_000,
      swiftProbeTimeoutMs: 2_000,
      swiftProxyHedgePercent: 5,
      swiftKeepAliveMs: 20_000,
      swiftRingsDir: '',
      swiftConf: '',
      swiftNodeConnectTimeoutMs: 500,
      swiftNodeTimeoutMs: 3_000,
      swiftNodeConnectionsMax: 64,
      swiftReadAffinity: '',
      swiftHedgeMs: 0,
    });
  });

  it('prefers flags to the file, and the file to defaults', async () => {
    const { options } = await load(
      { region: 'eu-west-1', listeners: 3, s3_listen: '[::1]:81' },
      { listeners: 4 },
    );
    expect(options).to.deep.include({
      region: 'eu-west-1',
      location: 'eu-west-1',
      listeners: 4,
      s3Listen: { host: '::1', port: 81 },
    });
  });

  it('gives location its own value', async () => {
    expect((await load({ location: 'EU' })).options.location).to.equal('EU');
  });

  it('wants another address for each thing that listens', async () => {
    expect(
      await problems({ admin_listen: '127.0.0.1:8000', console_listen: '127.0.0.1:8070' }),
    ).to.deep.equal([
      'admin_listen: got "127.0.0.1:8000", expected another address than s3_listen',
      'store_listen: got "127.0.0.1:8070", expected another address than console_listen',
    ]);
    const anyPort = { s3_listen: '127.0.0.1:0', admin_listen: '127.0.0.1:0' };
    expect((await load({ ...anyPort, console_listen: '' })).options.consoleListen).to.equal('');
  });

  const OVERLAPS: readonly (readonly [s3: string, admin: string])[] = [
    ['0.0.0.0:81', '127.0.0.1:81'],
    ['127.0.0.1:81', '0.0.0.0:81'],
    ['[::]:81', '127.0.0.1:81'],
    ['[::]:81', '0.0.0.0:81'],
    ['[0::0]:81', '[::1]:81'],
    ['0:81', '127.0.0.1:81'],
    ['[::ffff:0.0.0.0]:81', '127.0.0.1:81'],
    ['[::ffff:127.0.0.1]:81', '127.0.0.1:81'],
    ['localhost:81', '127.0.0.1:81'],
    ['[::1]:81', 'LocalHost:81'],
    ['127.1:81', '127.0.0.1:81'],
    ['gateway.example.org:81', '0.0.0.0:81'],
    ['gateway.example.org:81', 'Gateway.Example.org:81'],
  ];
  for (const [s3, admin] of OVERLAPS) {
    it(`finds that ${s3} and ${admin} want one port`, async () => {
      const given = { s3_listen: s3, admin_listen: admin, admin_token_file: 'token' };
      expect(await problems(given)).to.deep.equal([
        `admin_listen: got "${admin}", expected another port than s3_listen (${s3}), with which it overlaps`,
      ]);
    });
  }

  for (const [s3, admin] of [
    ['127.0.0.1:81', '127.0.0.2:81'],
    ['0.0.0.0:81', '[::1]:81'],
    ['[::1]:81', '127.0.0.1:81'],
    ['localhost:81', '127.0.0.2:81'],
    ['0.0.0.0:81', '127.0.0.1:82'],
    ['0.0.0.0:0', '127.0.0.1:0'],
    ['gateway.example.org:81', 'admin.example.org:81'],
  ] as const) {
    it(`lets ${s3} and ${admin} be`, async () => {
      const given = { s3_listen: s3, admin_listen: admin, admin_token_file: 'token' };
      expect(await problems(given)).to.deep.equal([]);
    });
  }

  it('lets the other addresses overlap with none either, but where they are not used', async () => {
    expect(await problems({ s3_listen: '0.0.0.0:9000', store_listen: '[::]:9464' })).to.deep.equal([
      'console_listen: got "127.0.0.1:9000", expected another port than s3_listen (0.0.0.0:9000), with which it overlaps',
      'store_listen: got "[::]:9464", expected another port than admin_listen (127.0.0.1:9464), with which it overlaps',
    ]);
    const swift = { backend: 'swift', swift_endpoints: ['http://127.0.0.1:1'] };
    expect(await problems({ ...swift, store_listen: '[::]:9464' })).to.deep.equal([]);
    const own = { s3_listen: '0.0.0.0:9000', console_config: 'console.json' };
    expect(await problems(own)).to.deep.equal([]);
    expect(await problems(own, { console_listen: '127.0.0.1:9000' })).to.deep.equal([
      '--console: got "127.0.0.1:9000", expected another port than s3_listen (0.0.0.0:9000), with which it overlaps',
    ]);
  });

  it('reports everything at once: key, value, expectation', async () => {
    const found = await problems(
      {
        drain_timeout: 5,
        client_secret: 'hush',
        access_key: 'hush',
        region: 'Somewhere Else',
        drain_timeout_ms: 'soon',
        storage_classes: ['COLD'],
        restart_backoff_ms_min: 5000,
        restart_backoff_ms_max: 100,
      },
      { s3_listen: 'nowhere', listeners: 'many' },
    );
    const address =
      'HOST:PORT with a port from 0 to 65535 (0 takes a free one), such as 127.0.0.1:8000 or [::1]:8000';
    expect(found).to.deep.equal([
      'drain_timeout: got 5, expected a key that exists; did you mean drain_timeout_ms?',
      'client_secret: got ********, expected a key that exists',
      'access_key: got ********, expected a key that exists; did you mean access_log?',
      `--s3: got "nowhere", expected ${address}`,
      '--listeners: got "many", expected an integer from 1 to 256',
      'region: got "Somewhere Else", expected a region name: lower-case letters, digits and hyphens',
      'storage_classes: got ["COLD"], expected a list of different names in capital letters, digits and underscores, STANDARD among them',
      'drain_timeout_ms: got "soon", expected an integer from 0 to 86400000',
      'restart_backoff_ms_min: got 5000, expected at most restart_backoff_ms_max (100)',
    ]);
  });

  const wrong: readonly (readonly [key: ConfigKey, values: readonly unknown[]])[] = [
    [
      's3_listen',
      [
        '',
        '127.0.0.1',
        ':80',
        '::1:80',
        '[::1]',
        '[zz]:1',
        'h:65536',
        'h:-1',
        'a b:1',
        'http://h:1',
        8000,
        null,
      ],
    ],
    ['listeners', [0, 257, 1.5, '2', null, []]],
    ['region', ['', 'a_b', 5]],
    ['storage_classes', [[], 'STANDARD', ['STANDARD', 'STANDARD'], ['STANDARD', 'x'], [1], null]],
    ['data_dir', ['', '\0', 1]],
    ['log_level', ['loud', 1]],
    ['drain_delay_ms', [-1, 600_001, '1s']],
    ['digest_lanes', [0]],
  ];
  for (const [key, values] of wrong) {
    for (const value of values) {
      it(`refuses ${JSON.stringify(value)} as ${key}`, async () => {
        const found = await problems({ [key]: value });
        expect(found).to.have.length(1);
        expect(found[0]).to.match(new RegExp(`^${key}: got .*, expected `));
      });
    }
  }

  for (const value of ['localhost:0', '0.0.0.0:80', '[::]:65535', 'gateway-1.example.org:8000']) {
    it(`takes ${value} as an address`, async () => {
      const { options } = await load({ s3_listen: value });
      expect(JSON.parse(renderConfig(options))).to.include({ s3_listen: value });
    });
  }

  it('refuses one address for two purposes', async () => {
    const found = await problems({ admin_listen: '127.0.0.1:8000' });
    expect(found).to.deep.equal([
      'admin_listen: got "127.0.0.1:8000", expected another address than s3_listen',
    ]);
    expect(await problems({ admin_listen: '[::1]:0', s3_listen: '[::1]:0' })).to.deep.equal([]);
  });

  const notJson: readonly (readonly [text: string, problem: string])[] = [
    [
      '{\n  "listeners": 2\n  "region": "x"\n}',
      'line 3, column 3: expected a comma between entries',
    ],
    ['{"listeners": 2,}', 'line 1, column 17: expected a key in double quotes'],
    ['{"listeners": }', 'line 1, column 15: expected a value'],
    ['{"listeners": 2', 'line 1, column 16: expected a closing brace'],
    ['{\n // two\n"listeners": 2}', 'line 2, column 2: expected no comments: JSON has none'],
    [
      '{"listeners": 2,\n "listeners": 3}',
      'line 2, column 2: expected each key once; listeners is there twice',
    ],
    ['[]', 'line 1, column 1: expected a JSON object'],
    ['', 'line 1, column 1: expected a value'],
  ];
  for (const [text, problem] of notJson) {
    it(`says where ${JSON.stringify(text)} is wrong`, async () => {
      expect(await problems(text)).to.deep.equal([`./ringway.json, ${problem}`]);
    });
  }

  it('says that the file is not there', () => {
    const attempt = () => loadConfig({ file: join(folder(), 'none.json'), flags: {}, cwd: '/' });
    expect(attempt).to.throw(
      ConfigError,
      /--config: got ".*none.json", expected a readable file \(ENOENT/,
    );
  });

  it('prints what a file would say, so that loading it again changes nothing', async () => {
    const { options } = await load({ s3_listen: '[::1]:0', data_dir: 'x', location: 'EU' });
    expect((await load(renderConfig(options))).options).to.deep.equal(options);
  });
});
