import { readFileSync } from 'node:fs';
import { chmod, copyFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { expect } from 'chai';
import type { Registry } from 'prom-client';
import { loadConfig } from '../../src/config/load.js';
import { ConsoleMetrics } from '../../src/telemetry/console-metrics.js';
import { JanitorMetrics } from '../../src/telemetry/janitor-metrics.js';
import { ListenerMetrics } from '../../src/telemetry/metrics.js';
import { SwiftApiMetrics } from '../../src/telemetry/swift-api-metrics.js';
import { ServiceMetrics } from '../../supervisor/metrics.js';
import { describeWith, program } from '../support/needs.js';
import { runProgram } from '../support/programs.js';
import { makeTempFolder, removeFolder } from '../support/temp-folder.js';

/** Series that each metric has, in a service with everything. */
function knownSeries(): Set<string> {
  const listener = new ListenerMetrics();
  listener.watchStoreBytes(() => 0);
  const registries: Registry[] = [
    listener.registry,
    new JanitorMetrics().registry,
    new ConsoleMetrics({
      requestsInProgress: () => 0,
      sessions: () => 0,
      repairDebt: () => undefined,
    }).registry,
    new SwiftApiMetrics(() => 0).registry,
    new ServiceMetrics({ version: '1', revision: 'r', node: '20' }).registry,
  ];
  listener.close();
  const series = registries.flatMap((registry) =>
    registry
      .getMetricsAsArray()
      .flatMap(({ name, type }) =>
        String(type) === 'histogram'
          ? ['_bucket', '_sum', '_count'].map((end) => name + end)
          : name,
      ),
  );
  return new Set(series);
}

/** The metrics in a file: names, and regular expressions with the ends of names. */
function namedIn(file: string): string[] {
  const text = readFileSync(file, 'utf8');
  return [...text.matchAll(/\bringway_[a-z0-9_]+(?:\.\+[a-z_]+)?/g)].map(([name]) => name);
}

describe('ops: what is shipped', () => {
  for (const file of [
    'grafana/ringway.json',
    'prometheus/alerts.yml',
    'prometheus/alerts_test.yml',
  ]) {
    it(`${file} names only metrics that there are`, () => {
      const known = knownSeries();
      const names = namedIn(join('ops', file));
      expect(names).to.have.length.above(10);
      for (const name of names) {
        const [begin = '', end = ''] = name.split('.+');
        const found = [...known].some((one) =>
          name.includes('.+') ? one.startsWith(begin) && one.endsWith(end) : one === name,
        );
        expect(found, name).to.equal(true);
      }
    });
  }

  it('has a dashboard of panels that ask for something', () => {
    const { panels } = JSON.parse(readFileSync('ops/grafana/ringway.json', 'utf8')) as {
      panels: { id: number; type: string; title: string; targets?: { expr: string }[] }[];
    };
    expect(new Set(panels.map(({ id }) => id)).size).to.equal(panels.length);
    for (const { type, title, targets = [] } of panels) {
      expect(title).not.to.equal('');
      if (type !== 'row') expect(targets, title).to.have.length.above(0);
    }
  });

  it('has a test for each alert', () => {
    const alerts = readFileSync('ops/prometheus/alerts.yml', 'utf8').matchAll(/- alert: (\w+)/g);
    const tests = readFileSync('ops/prometheus/alerts_test.yml', 'utf8');
    for (const [, name = ''] of alerts) {
      expect(tests, name).to.match(new RegExp(`alertname: ${name}\\n\\s+exp_alerts`));
    }
  });

  for (const file of ['ops/examples/ringway.json', 'ops/docker/ringway.json']) {
    it(`${file} can be used`, () => {
      const { options } = loadConfig({ file, flags: {}, cwd: process.cwd() });
      expect(options.dataDir).to.equal('/var/lib/ringway');
      expect(options.adminListen.host).to.equal('127.0.0.1');
    });
  }

  it('has an image of the package, which runs as its user', () => {
    const image = readFileSync('ops/docker/Dockerfile', 'utf8');
    expect(image)
      .to.match(/^FROM debian:trixie-slim$/m)
      .and.match(/^COPY ringway_\*_amd64\.deb /m)
      .and.match(/^USER ringway$/m)
      .and.match(/^ENTRYPOINT \["ringway"\]$/m);
  });
});

describeWith([program('promtool')], 'ops: Prometheus', () => {
  async function promtool(...args: readonly string[]): Promise<void> {
    const { code, stdout, stderr } = await runProgram('promtool', args, {
      cwd: resolve('ops/prometheus'),
    });
    expect(code, `${stdout}${stderr}`).to.equal(0);
  }

  it('takes the scrape configuration', () => promtool('check', 'config', 'scrape.yml'));
  it('takes the alert rules', () => promtool('check', 'rules', 'alerts.yml'));
  it('fires each alert when it should, and none otherwise', () =>
    promtool('test', 'rules', 'alerts_test.yml'));
});

describeWith([program('systemd-analyze')], 'ops: systemd', () => {
  for (const name of ['ringway.service', 'ringway-deploy.service']) {
    it(`takes ${name}`, () => expectValidUnit(name));
  }

  async function expectValidUnit(name: string): Promise<void> {
    const folder = await makeTempFolder('unit');
    try {
      const unit = readFileSync(`ops/systemd/${name}`, 'utf8');
      // The program that it starts is not installed here.
      const here = unit.replaceAll('/usr/bin/ringway', process.execPath);
      await writeFile(join(folder, name), here);
      const result = await runProgram('systemd-analyze', [
        'verify',
        '--man=no',
        join(folder, name),
      ]);
      expect(result.stderr.match(/ringway.*\.service.*/g) ?? []).to.deep.equal([]);
    } finally {
      await removeFolder(folder);
    }
  }
});

describeWith([program('logrotate')], 'ops: logrotate', () => {
  it('takes the rotation', async () => {
    const folder = await makeTempFolder('logrotate');
    try {
      const file = join(folder, 'ringway');
      await copyFile('ops/logrotate/ringway', file);
      // Of a checkout's umask, logrotate would take no configuration that others may write.
      await chmod(file, 0o644);
      const state = join(folder, 'state');
      const result = await runProgram('logrotate', ['--debug', '--state', state, file]);
      expect(result.stderr)
        .to.include('/var/log/ringway/access.log')
        .and.not.match(/error:/i);
    } finally {
      await removeFolder(folder);
    }
  });
});
