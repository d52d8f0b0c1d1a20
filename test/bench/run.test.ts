import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readFile } from 'node:fs/promises';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { RESULTS, type Results } from '../../bench/output/results.js';
import { useTempFolderOnce } from '../support/temp-folder.js';

const MAIN = fileURLToPath(new URL('../../bench/main.js', import.meta.url));

describe('bench: a run', () => {
  const folder = useTempFolderOnce('bench-test');

  /** The benchmark as `npm run bench` starts it. */
  async function bench(args: readonly string[]) {
    const child = spawn(process.execPath, [MAIN, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => (output += text));
    const [code] = (await once(child, 'close')) as [number | null];
    return { code, output };
  }

  async function resultsIn(file: string): Promise<Results> {
    return RESULTS.parse(JSON.parse(await readFile(file, 'utf8')));
  }

  it('measures Ringway without an error, every figure there', async function () {
    this.timeout(240_000);
    const [json, report] = [join(folder(), 'results.json'), join(folder(), 'report.html')];
    const rows =
      'put-1k:2,get-1k:2,list-1000:1,put-versioned-new:2,put-versioned-known:2,put-versioned-shared:2,get-versioned:2';
    const sizes = ['--slices', '2', '--seconds', '0.1', '--list-keys', '200', '--listeners', '1'];
    const warmUp = ['--warm-up', '0.1'];
    const { code, output } = await bench([
      ...['--rows', rows, ...sizes, ...warmUp],
      ...['--json', json, '--report', report],
    ]);
    expect(code, output).to.equal(0);
    const results = await resultsIn(json);
    expect(results.rows.map((row) => `${row.row}:${row.concurrency}`).join(',')).to.equal(rows);
    for (const row of results.rows) {
      expect(row).to.include({ errors: 0, target: 'ringway' });
      expect(row.skipped).to.equal(undefined);
      expect(row.slices).to.have.length(2);
      for (const slice of row.slices) {
        expect(slice.operations).to.be.greaterThan(0);
        expect(slice.cpuMicrosPerOp).to.be.a('number');
        expect(slice.rssBytes).to.be.greaterThan(slice.anonymousBytes);
        expect(slice.pssBytes).to.be.within(1, slice.rssBytes);
        expect(slice.generatorCpuMs).to.be.greaterThan(0);
      }
      expect(row.latencyMs?.p50).to.be.greaterThan(0);
    }
    const page = await readFile(report, 'utf8');
    expect(page).to.match(/^<!doctype html>/);
    expect(page).to.contain('2 slices of 0.1 s each after 0.1 s of warm-up');
    for (const row of results.rows) expect(output).to.contain(row.row);
  });

  it('fails when a target answers wrongly, and says with what', async function () {
    this.timeout(120_000);
    const server = await wrongServer();
    const { port } = server.address() as AddressInfo;
    const json = join(folder(), 'wrong.json');
    const { code, output } = await bench([
      ...['--target', `http://127.0.0.1:${port}`, '--access-key', 'a', '--secret-key', 's'],
      ...['--rows', 'put-1k:1', '--slices', '1', '--seconds', '0.1', '--json', json],
    ]);
    server.closeAllConnections();
    server.close();
    expect(code, output).to.equal(1);
    expect(output).to.match(/ERRORS in put-1k c=1 target: \d+\n {2}the head lacks [0-9a-f]{32}/);
    const { rows, warnings } = await resultsIn(json);
    expect(rows[0]?.errors).to.be.greaterThan(0);
    expect(warnings).to.have.length(1);
    expect(warnings[0]).to.match(/^target: bucket .* is left behind: DELETE .*answered 200/);
  });

  it('says that no server listens there', async () => {
    const target = ['--target', 'http://127.0.0.1:1', '--access-key', 'a', '--secret-key', 's'];
    const { code, output } = await bench([...target, '--rows', 'get-1k:1']);
    expect(code).to.equal(69);
    expect(output).to.match(/^bench: target: PUT \/ringway-bench-\w+: cannot connect/m);
  });

  it('refuses files that it could not write, before anything is measured', async () => {
    const here = join(folder(), 'not-there');
    const { code, output } = await bench(['--json', join(here, 'a.json'), '--report', folder()]);
    expect(code, output).to.equal(64);
    expect(output).to.contain(`--json: got ${here}/a.json, expected a file that can be written`);
    expect(output).to.contain(`--report: got ${folder()}, expected`).and.to.contain('is a folder');
    const scale = await bench(['scale', '--json', folder(), '--charts', MAIN]);
    expect(scale.code, scale.output).to.equal(64);
    expect(scale.output).to.contain('--json: got');
    const charts = await bench(['scale', '--charts', MAIN]);
    expect(charts.code, charts.output).to.equal(64);
    expect(charts.output).to.contain('--charts: got').and.to.contain('EEXIST');
  });

  it('refuses a wrong command line, and a base that is none', async () => {
    expect((await bench(['--slices', 'x'])).code).to.equal(64);
    const { code, output } = await bench(['--compare', MAIN]);
    expect(code).to.equal(64);
    expect(output).to.contain('--compare: got').and.to.contain('it is no JSON');
  });
});

/** An S3 of which every write is said to have worked, with no ETag, and every listing is empty. */
async function wrongServer(): Promise<Server> {
  const server = createServer((request, response) => {
    request.resume();
    request.once('end', () => response.writeHead(200, { 'content-length': 0 }).end());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}
