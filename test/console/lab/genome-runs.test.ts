import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { GenomeRun } from '../../../console/surfaces/lab/genome/genome-runs.js';
import { writeRing } from '../../../src/ring/ring-writer.js';
import { removeFolder } from '../../support/temp-folder.js';
import { useOnce } from '../../support/fixture.js';
import { codeOf } from '../support/client.js';
import { startTestBed } from '../support/console.js';
import { eventually } from '../../support/eventually.js';
import { builtRing, clusterFolder } from './support.js';

/** A key that the JSON of a search's result has, and no other JSON. */
const RESULT_KEY = '"searched_part_power"';

/** How many times this thread, which is the console's, parses or writes such JSON meanwhile. */
async function resultsHandled(work: () => Promise<void>): Promise<number> {
  const { parse, stringify } = JSON;
  let handled = 0;
  const seen = (json: unknown): void => {
    if (typeof json === 'string' && json.includes(RESULT_KEY)) handled += 1;
  };
  JSON.parse = (json: string, reviver) => {
    seen(json);
    return parse(json, reviver) as unknown;
  };
  JSON.stringify = ((...given: Parameters<typeof stringify>) => {
    const json = stringify(...given) as string | undefined;
    seen(json);
    return json;
  }) as typeof stringify;
  try {
    await work();
  } finally {
    Object.assign(JSON, { parse, stringify });
  }
  return handled;
}

describe('searches of the Cluster Genome Lab', function () {
  this.timeout(60_000);
  const folder = useOnce(
    () =>
      clusterFolder({
        object: builtRing({ partPower: 7, weights: [100, 100, 100, 100, 100, 300] }),
      }),
    removeFolder,
  );
  const bed = useOnce(() => startTestBed({ lab_enabled: true, store_dir: folder() }), 'close');
  const operator = useOnce(() => bed().login());

  const read = async <T>(path: string): Promise<T> => {
    const answer = await operator().get(path);
    expect(answer.status, answer.text).to.equal(200);
    return answer.json();
  };

  it('searches weights, keeps the result, and writes no ring', async () => {
    const stamps = async () => {
      const files = await readdir(folder(), { recursive: true });
      return Promise.all(
        files.sort().map(async (file) => (await stat(join(folder(), file))).mtimeMs),
      );
    };
    const before = await stamps();
    const started = await operator().post('/lab/api/genome/runs', {
      ring: 'object',
      population: 8,
      generations: 3,
    });
    expect(started.status, started.text).to.equal(202);
    const { id }: { id: string } = started.json();
    const run = await eventually(
      () => read<GenomeRun>(`/lab/api/genome/runs/${id}`),
      ({ ended_unix_s: ended }) => ended !== null,
    );
    expect(run.state).to.equal('done');
    expect(run.actor).to.equal('test:tester');
    const [candidate] = run.result?.front ?? [];
    const commands = await operator().get(
      `/lab/api/genome/runs/${id}/candidates/${candidate?.id}/commands`,
    );
    expect(commands.text).to.include('swift-ring-builder object.builder rebalance');
    expect(await stamps()).to.deep.equal(before);
    const { items } = await read<{ items: readonly { id: string }[] }>('/lab/api/genome/runs');
    expect(items.map((item) => item.id)).to.include(id);
  });

  it('leaves the JSON of what is found to threads and files', async () => {
    const handled = await resultsHandled(async () => {
      const given = { ring: 'object', population: 8, generations: 1 };
      const started = await operator().post('/lab/api/genome/runs', given);
      const path = `/lab/api/genome/runs/${/[0-9a-f-]{36}/.exec(started.text)?.[0]}`;
      const run = await eventually(
        () => operator().get(path),
        ({ text }) => text.includes('"state":"done"'),
      );
      expect(run.text).to.include(RESULT_KEY);
      expect(run.headers['content-type']).to.match(/^application\/json/);
      const commands = await operator().get(`${path}/candidates/0/commands`);
      expect(commands.text).to.include('swift-ring-builder object.builder rebalance');
      expect((await operator().get(`${path}/candidates/999/commands`)).status).to.equal(404);
    });
    expect(handled).to.equal(0);
  });

  it('goes on with a search that a former console has left', async () => {
    const stateDir = await mkdtemp(join(tmpdir(), 'ringway-lab-state-'));
    const config = { lab_enabled: true, store_dir: folder(), state_dir: stateDir };
    const former = await startTestBed(config);
    const given = { ring: 'object', population: 100, generations: 60 };
    const started = await (await former.login()).post('/lab/api/genome/runs', given);
    const { id }: { id: string } = started.json();
    await former.close();
    const next = await startTestBed(config);
    try {
      const client = await next.login();
      const path = `/lab/api/genome/runs/${id}`;
      const run: GenomeRun = (await client.get(path)).json();
      expect(run).to.include({ state: 'active', actor: 'test:tester', target: 'object' });
      expect((await client.send('DELETE', path)).status).to.equal(204);
      await eventually(
        async (): Promise<GenomeRun> => (await client.get(path)).json(),
        ({ state }) => state === 'cancelled',
      );
    } finally {
      await next.close();
      await rm(stateDir, { recursive: true });
    }
  });

  it('searches no ring of too many devices, also where few of them have a weight', async () => {
    const weights = Array.from({ length: 1002 }, (_, id) => (id % 334 === 0 ? 100 : 0));
    const large = builtRing({ partPower: 2, devicesPerZone: 334, weights });
    await writeFile(join(folder(), 'object-7.ring.gz'), writeRing(large));
    const refused = await operator().post('/lab/api/genome/runs', { ring: 'object-7' });
    expect(codeOf(refused)).to.equal('unprocessable');
    await rm(join(folder(), 'object-7.ring.gz'));
  });

  it('cancels a search', async () => {
    const started = await operator().post('/lab/api/genome/runs', {
      ring: 'object',
      population: 100,
      generations: 60,
    });
    const { id }: { id: string } = started.json();
    const second = await operator().post('/lab/api/genome/runs', { ring: 'object' });
    expect(codeOf(second)).to.equal('locked');
    expect(second.json()).to.have.nested.property('error.details.actor', 'test:tester');
    expect((await operator().send('DELETE', `/lab/api/genome/runs/${id}`)).status).to.equal(204);
    const run = await eventually(
      () => read<GenomeRun>(`/lab/api/genome/runs/${id}`),
      ({ ended_unix_s: ended }) => ended !== null,
    );
    expect(run.state).to.equal('cancelled');
  });
});
