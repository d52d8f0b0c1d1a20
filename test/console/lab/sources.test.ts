import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { makeSampleCluster } from '../../../console/surfaces/lab/ground/sample-cluster.js';
import type { Capture } from '../../../console/surfaces/lab/capsule/capture.js';
import type { CaptureMade, CapturesView } from '../../../console/surfaces/lab/capsule/page.js';
import type { DataSource } from '../../../console/surfaces/lab/ground/data-source.js';
import type { ExhibitsPage } from '../../../console/surfaces/lab/tombstones/exhibits-file.js';
import type { ScanView } from '../../../console/surfaces/lab/tombstones/page.js';
import type { LookupView, RingsView } from '../../../console/surfaces/lab/rings/page.js';
import { LAB } from '../../../console/surfaces/lab/surface.js';
import { useOnce } from '../../support/fixture.js';
import { IS_CLUSTER } from '../../support/stack.js';
import { eventually } from '../../support/eventually.js';
import { removeFolder, useTempFolderOnce } from '../../support/temp-folder.js';
import { askStore, job, unique } from '../files/support.js';
import { codeOf, type ConsoleClient } from '../support/client.js';
import { startTestBed } from '../support/console.js';
import { clusterFolder } from './support.js';

async function sourcesOf(operator: ConsoleClient): Promise<ReadonlyMap<string, DataSource>> {
  const names = LAB.pages.flatMap(({ path }) => /^\/lab\/(.+)$/.exec(path)?.[1] ?? []);
  const all = names.map(async (name): Promise<[string, DataSource]> => {
    return [name, await operator.read(`/lab/api/sources/${name}`)];
  });
  return new Map(await Promise.all(all));
}

describe('where the figures of the Lab are from', function () {
  this.timeout(60_000);
  const folder = useOnce(clusterFolder, removeFolder);

  it('is said of each page: what it needs where nothing is configured', async () => {
    await using bed = await startTestBed({ lab_enabled: true });
    const operator = await bed.login();
    const sources = await sourcesOf(operator);
    for (const [name, needs] of [
      ['rings', 'store_dir'],
      ['policies', 'store_dir'],
      ['genome', 'store_dir'],
      ['tombstones', 'node_root'],
      ['debt', 'cluster_nodes, store_dir'],
      ['shadow', 'shadow_root'],
    ] as const) {
      expect(sources.get(name), name).to.include({ state: 'unavailable', needs });
    }
    const timers = sources.get('profilemap');
    expect([timers?.state, timers?.needs?.includes('statsd_listen')]).to.deep.equal([
      'unavailable',
      true,
    ]);
    expect(sources.get('capsule')?.state).to.be.oneOf(['live', 'embedded']);
    expect(codeOf(await operator.get('/lab/api/sources/nothing'))).to.equal('not_found');
  });

  it('is the cluster, or the store of the gateway itself', async () => {
    const keys = { store_dir: folder(), node_root: folder(), shadow_root: folder() };
    await using bed = await startTestBed({ lab_enabled: true, ...keys });
    const sources = await sourcesOf(await bed.login());
    const live = { state: 'live', reason: null, needs: null, age_s: null };
    for (const name of ['rings', 'policies', 'genome', 'tombstones']) {
      expect(sources.get(name), name).to.deep.equal(live);
    }
    const expected = IS_CLUSTER ? 'live' : 'embedded';
    for (const name of ['capsule', 'expired', 'shadow']) {
      expect(sources.get(name)?.state, name).to.equal(expected);
    }
  });
});

describe('the sample of a cluster', function () {
  this.timeout(60_000);
  const folder = useTempFolderOnce('sample');
  const sample = useOnce(() => makeSampleCluster(folder(), Date.now() / 1000));
  const bed = useOnce(() => {
    const paths = { store_dir: sample().storeDir, node_root: sample().nodeRoot };
    return startTestBed({ lab_enabled: true, ...paths });
  }, 'close');
  const operator = useOnce(() => bed().login());

  it('is labelled as one, and has rings that can be looked at and compared', async () => {
    const sources = await sourcesOf(operator());
    for (const name of ['rings', 'policies', 'genome', 'tombstones']) {
      expect(sources.get(name), name).to.include({ state: 'embedded', reason: 'sample data' });
    }
    const { items, former } = await operator().read<RingsView>('/lab/api/rings');
    const names = items.map((ring) => ('error' in ring ? 'broken' : ring.name));
    expect(names).to.deep.equal(['account', 'container', 'object', 'object-1']);
    const { moved } = await operator().read<{ moved: number }>(
      `/lab/api/rings/object/compare?with=${former[0]}`,
    );
    expect(moved).to.be.greaterThan(0);
  });

  it('has objects where a lookup says that they are, of the bytes that fragments have', async () => {
    const place = 'account=AUTH_sample&container=photos&object=2026%2F8.jpg';
    const found = await operator().read<LookupView>(`/lab/api/rings/object-1/lookup?${place}`);
    expect(found.primaries).to.have.length(6);
    const sizes = found.primaries.map(async ({ path }, index) => {
      const [device = ''] = path.split('/');
      const below = join(sample().nodeRoot, `node${device[1]}`, path);
      const file = (await readdir(below)).find((name) => name.endsWith(`#${index}#d.data`));
      return (await stat(join(below, file ?? 'missing'))).size;
    });
    // 1000 · 3^8 bytes: seven segments of 4 × 262,144, and the rest.
    const rest = 6_561_000 % 1_048_576;
    const bytes = 6 * (262_144 + 80) + (2 * Math.ceil(rest / 8) + 80);
    expect(await Promise.all(sizes)).to.deep.equal(Array(6).fill(bytes));
  });

  it('has an object of each class of the Tombstone Museum', async () => {
    const id = await operator().start('/lab/api/tombstones/scans', {});
    const { scan } = await eventually(
      () => operator().read<ScanView>(`/lab/api/tombstones/scans/${id}`),
      (view) => view.scan.ended_unix_s !== null,
    );
    expect(scan.result).to.include({ exhibits: sample().deleted, denied: 0, partial: null });
    for (const name of ['normal', 'split', 'handoff', 'overdue', 'expired', 'reconciler']) {
      const { items } = await operator().read<ExhibitsPage>(
        `/lab/api/tombstones?scan=${id}&class=${name}`,
      );
      const own = items.filter((item) => item.name?.includes(`/deleted/${name}-`) === true);
      expect(own, name).to.not.have.length(0);
    }
  });

  it('has no servers that a capture could ask, and says so', async () => {
    const container = unique('sample');
    const store = await askStore(bed().store);
    expect((await store('PUT', container)).status).to.be.lessThan(300);
    const place = { container, name: 'o' };
    const done = await job(operator(), '/lab/api/capsule/capture', place);
    const { id } = done.result as unknown as CaptureMade;
    const captured = await operator().read<Capture>(`/lab/api/capsule/captures/${id}`);
    expect(captured.unavailable).to.include('sample data');
    expect(captured.replicas).to.deep.equal([]);
    const { items } = await operator().read<CapturesView>('/lab/api/capsule/captures');
    expect(items[0]).to.include({ id, unavailable: captured.unavailable });
  });

  it('is configured for a service of its own, and made into an empty folder alone', async () => {
    const config = JSON.parse(await readFile(sample().configFile, 'utf8')) as object;
    expect(config).to.deep.equal({ console_config: 'console.json', data_dir: 'data' });
    const again = await makeSampleCluster(folder(), 0).catch((error: unknown) => error);
    expect((again as Error).message).to.include('is not empty');
  });
});
