import { readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import type { GenomeRun } from '../../../console/surfaces/lab/genome/genome-runs.js';
import { writeRing } from '../../../src/ring/ring-writer.js';
import { removeFolder, useTempFolderOnce } from '../../support/temp-folder.js';
import { useOnce } from '../../support/fixture.js';
import { codeOf } from '../support/client.js';
import { startTestBed } from '../support/console.js';
import { eventually } from '../../support/eventually.js';
import { builtRing, clusterFolder } from './support.js';

const RUNS = '/lab/api/genome/runs';
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
  const ring = builtRing({ partPower: 7, weights: [100, 100, 100, 100, 100, 300] });
  const folder = useOnce(() => clusterFolder({ object: ring }), removeFolder);
  const bed = useOnce(() => startTestBed({ lab_enabled: true, store_dir: folder() }), 'close');
  const operator = useOnce(() => bed().login());
  const stateDir = useTempFolderOnce('lab-state');

  const start = (given: object, client = operator()) =>
    client.start(RUNS, { ring: 'object', ...given });
  const ended = (id: string) =>
    eventually(
      () => operator().read<GenomeRun>(`${RUNS}/${id}`),
      ({ ended_unix_s: endedUnixS }) => endedUnixS !== null,
    );

  it('searches weights, keeps the result, and writes no ring', async () => {
    const stamps = async () => {
      const files = await readdir(folder(), { recursive: true });
      return Promise.all(
        files.sort().map(async (file) => (await stat(join(folder(), file))).mtimeMs),
      );
    };
    const before = await stamps();
    const id = await start({ population: 8, generations: 3 });
    const run = await ended(id);
    expect(run.state).to.equal('done');
    expect(run.actor).to.equal('test:tester');
    const [candidate] = run.result?.front ?? [];
    const commands = await operator().get(`${RUNS}/${id}/candidates/${candidate?.id}/commands`);
    expect(commands.text).to.include('swift-ring-builder object.builder rebalance');
    expect(await stamps()).to.deep.equal(before);
    const { items } = await operator().read<{ items: readonly { id: string }[] }>(RUNS);
    expect(items.map((item) => item.id)).to.include(id);
  });

  it('leaves the JSON of what is found to threads and files', async () => {
    const handled = await resultsHandled(async () => {
      const path = `${RUNS}/${await start({ population: 8, generations: 1 })}`;
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
    const config = { lab_enabled: true, store_dir: folder(), state_dir: stateDir() };
    const former = await startTestBed(config);
    const id = await start({ population: 100, generations: 60 }, await former.login());
    await former.close();
    await using next = await startTestBed(config);
    const client = await next.login();
    const path = `${RUNS}/${id}`;
    const run = await client.read<GenomeRun>(path);
    expect(run).to.include({ state: 'active', actor: 'test:tester', target: 'object' });
    expect((await client.send('DELETE', path)).status).to.equal(204);
    await eventually(
      () => client.read<GenomeRun>(path),
      ({ state }) => state === 'cancelled',
    );
  });

  it('searches no ring of too many devices, also where few of them have a weight', async () => {
    const weights = Array.from({ length: 1002 }, (_, id) => (id % 334 === 0 ? 100 : 0));
    const large = builtRing({ partPower: 2, devicesPerZone: 334, weights });
    await writeFile(join(folder(), 'object-7.ring.gz'), writeRing(large));
    const refused = await operator().post(RUNS, { ring: 'object-7' });
    expect(codeOf(refused)).to.equal('unprocessable');
    await rm(join(folder(), 'object-7.ring.gz'));
  });

  it('cancels a search', async () => {
    const id = await start({ population: 100, generations: 60 });
    const second = await operator().post(RUNS, { ring: 'object' });
    expect(codeOf(second)).to.equal('locked');
    expect(second.json()).to.have.nested.property('error.details.actor', 'test:tester');
    expect((await operator().send('DELETE', `${RUNS}/${id}`)).status).to.equal(204);
    expect((await ended(id)).state).to.equal('cancelled');
  });
});
