import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { EXIT_CODES } from '../../supervisor/exit-codes.js';
import { describeWith } from '../support/needs.js';
import { runProgram } from '../support/programs.js';
import { SWIFT_NEEDS } from '../support/swift-lab.js';
import { useTempFolderOnce } from '../support/temp-folder.js';
import { useHealedLab } from './support.js';

const MAIN = fileURLToPath(new URL('../../supervisor/main.js', import.meta.url));

describeWith(SWIFT_NEEDS, 'ringway check --cluster', function () {
  this.timeout(240_000);

  const lab = useHealedLab();
  const folder = useTempFolderOnce('cluster-check');

  async function check(console: object | undefined) {
    const consoleFile = join(folder(), 'console.json');
    await writeFile(consoleFile, JSON.stringify(console ?? {}));
    const config = join(folder(), 'ringway.json');
    const named = console === undefined ? {} : { console_config: consoleFile };
    await writeFile(
      config,
      JSON.stringify({ ...lab().gatewayKeys(), data_dir: folder(), ...named }),
    );
    return runProgram('node', [MAIN, 'check', '--cluster', '--config', config]);
  }

  it('finds nothing wrong with the proxies that have the filters', async () => {
    const { code, stdout, stderr } = await check(undefined);
    expect(stdout, stderr).to.include('2 proxies, 0 problems\n');
    for (const url of lab().state.endpoints) {
      const found = String.raw`ok \[Swift [\d.]+, filter 1, memcached servers \w+\]`;
      expect(stdout).to.match(new RegExp(`^${url} \\(swift_endpoints\\): ${found}$`, 'm'));
    }
    expect(code).to.equal(0);
  });

  it('names a proxy that was forgotten, and says what to do', async () => {
    const { hostname, port, origin } = new URL(lab().state.s3api);
    const console = { proxy_nodes: [hostname], proxy_port: Number(port) };
    const { code, stdout, stderr } = await check(console);
    expect(stdout, stderr).to.include(
      `${origin} (proxy_nodes): it has neither of the filters ringway and ringway_guard: `,
    );
    expect(stdout).to.include('3 proxies, 1 problem\n');
    expect(code).to.equal(EXIT_CODES.cluster.code);
  });
});
