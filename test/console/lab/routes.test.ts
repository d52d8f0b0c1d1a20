import { mkdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import type {
  RingComparison,
  WhatIfReport,
} from '../../../console/surfaces/lab/rings/ring-changes.js';
import type { RingMap } from '../../../console/surfaces/lab/rings/ring-map.js';
import type { RingReport } from '../../../console/surfaces/lab/rings/ring-report.js';
import type { LookupView, RingsView } from '../../../console/surfaces/lab/rings/page.js';
import type { ComparisonView, PoliciesView } from '../../../console/surfaces/lab/policies/page.js';
import { parseUpstream } from '../../../console/swift/address.js';
import { readStoreInfo } from '../../../console/swift/info.js';
import { Upstream } from '../../../console/swift/upstream.js';
import { writeRing } from '../../../src/ring/ring-writer.js';
import { codeOf, expectRefused, type ConsoleClient } from '../support/client.js';
import { startTestBed, type TestBed } from '../support/console.js';
import { askStore } from '../files/support.js';
import { builtRing, clusterFolder } from './support.js';

describe('the Lab over the rings of a cluster', function () {
  this.timeout(60_000);
  let bed: TestBed;
  let folder: string;
  let operator: ConsoleClient;

  before(async () => {
    folder = await clusterFolder({
      object: builtRing({ partPower: 7, weights: [100, 100, 100, 100, 100, 300] }),
    });
    const old = builtRing({ partPower: 7 });
    await writeFile(join(folder, 'backups', '1700000000.object.ring.gz'), writeRing(old));
    bed = await startTestBed({ lab_enabled: true, store_dir: folder });
    operator = await bed.login();
  });

  after(async () => {
    await bed.close();
    await rm(folder, { recursive: true });
  });

  it('lists the rings with their policies, and former ones', async () => {
    const { items, former } = await operator.read<RingsView>('/lab/api/rings');
    expect(items.map(({ name }) => name)).to.deep.equal([
      'account',
      'container',
      'object',
      'object-1',
    ]);
    expect(items[2]).to.deep.include({
      path_base: 'objects',
      policy_index: 0,
      policy_name: 'gold',
      parts: 128,
      replicas: 3,
      devices: 6,
      problem: null,
    });
    expect(items[3]).to.deep.include({ policy_name: 'coded', path_base: 'objects-1' });
    expect(former).to.deep.equal(['1700000000.object']);
  });

  it('reports on a ring', async () => {
    const report = await operator.read<RingReport>('/lab/api/rings/object');
    const parts = report.devices.map((device) => device.parts);
    expect(parts.reduce((sum, count) => sum + count, 0)).to.equal(3 * 128);
    const ids = report.devices.map(({ id }) => id);
    expect(report.device_order.toSorted((a, b) => a - b)).to.deep.equal(ids);
    const map = await operator.read<RingMap>('/lab/api/rings/object/map');
    expect(map).to.include({ first_part: 0, rows: 128, parts_per_row: 1, columns: 6 });
    const counts = Buffer.from(map.cells, 'base64');
    const held = report.device_order.map((_, column) =>
      counts.filter((_count, at) => at % map.columns === column).reduce((a, b) => a + b, 0),
    );
    expect(held).to.deep.equal(report.device_order.map((id) => parts[ids.indexOf(id)]));
    const refused = await operator.get('/lab/api/rings/object/map?parts=0');
    expect(codeOf(refused)).to.equal('invalid_argument');
    const zone = report.tiers.find(({ name }) => name === 'r1z3');
    expect(zone?.histogram.reduce((sum, count) => sum + count, 0)).to.equal(128);
  });

  it('looks objects up, and asks nobody unless it shall', async () => {
    const place = 'account=AUTH_test&container=c&object=o';
    const found = await operator.read<LookupView>(`/lab/api/rings/object/lookup?${place}`);
    expect(found.live).to.equal(null);
    expect(found.primaries).to.have.length(3);
    expect(found.handoffs).to.have.length(3);
    const [first] = found.primaries;
    expect(first?.path).to.equal(
      `${first?.device}/objects/${found.part}/${found.hash.slice(-3)}/${found.hash}`,
    );
    expect(first?.curl).to.equal(
      `curl -g -I -XHEAD 'http://${first?.ip}:6200/${first?.device}/${found.part}/AUTH_test/c/o' -H 'X-Backend-Storage-Policy-Index: 0'`,
    );
    const quoted = await operator.read<LookupView>(
      `/lab/api/rings/object/lookup?account=a&container=c&object=${encodeURIComponent("'; rm -rf /'")}`,
    );
    expect(quoted.primaries[0]?.curl.match(/'/g)).to.have.length(4);
    const missing = await operator.get('/lab/api/rings/object/lookup?account=a&container=c');
    expect(codeOf(missing)).to.equal('invalid_argument');
    expect(missing.text).to.include('Ring object requires account, container, object.');
  });

  it('says what a change would move, and what it would be good for', async () => {
    const answer = await operator.post('/lab/api/rings/object/whatif', {
      changes: [{ kind: 'set_weight', id: 5, weight: 100 }],
    });
    const report: WhatIfReport = answer.json();
    expect(report.moved).to.be.greaterThan(0);
    expect(report.after.balance_pct).to.be.lessThan(report.before.balance_pct);
    expect(report.devices.find(({ id }) => id === 5)).to.deep.include({
      weight_before: 300,
      weight_after: 100,
    });
    const refused = await operator.post('/lab/api/rings/object/whatif', {
      changes: [{ kind: 'remove', id: 77 }],
    });
    await expectRefused(refused, 422, 'unprocessable');
    expect(refused.text).to.include('There is no device 77.');
  });

  it('compares a ring with a former one, part by part', async () => {
    const same = await operator.read<RingComparison>('/lab/api/rings/object/compare?with=object');
    expect([same.moved, same.parts_by_moved]).to.deep.equal([0, [128, 0, 0, 0]]);
    const former = await operator.read<RingComparison>(
      '/lab/api/rings/object/compare?with=1700000000.object',
    );
    expect(former.moved).to.be.greaterThan(0);
    const byCount = former.parts_by_moved.reduce((sum, parts, moved) => sum + parts * moved, 0);
    expect(byCount).to.equal(former.moved);
    const other = await operator.get('/lab/api/rings/object/compare?with=account');
    expect(codeOf(other)).to.equal('unprocessable');
  });

  it('refuses a ring by its fault, and goes on with the others', async () => {
    await writeFile(join(folder, 'object-2.ring.gz'), 'no ring');
    const { items } = await operator.read<RingsView>('/lab/api/rings');
    expect(items.at(-1)).to.have.nested.property('error.code', 'ring_corrupt');
    expect(codeOf(await operator.get('/lab/api/rings/object-2'))).to.equal('ring_corrupt');
    await rm(join(folder, 'object-2.ring.gz'));
    for (const name of ['object-3', '..%2Fx', 'swift.conf', 'object.builder']) {
      expect(codeOf(await operator.get(`/lab/api/rings/${name}`)), name).to.equal('not_found');
    }
    await mkdir(join(folder, 'object-4.ring.gz'));
    expect(codeOf(await operator.get('/lab/api/rings/object-4'))).to.equal('upstream_unavailable');
    await rm(join(folder, 'object-4.ring.gz'), { recursive: true });
    await symlink('/dev/zero', join(folder, 'object-5.ring.gz'));
    expect(codeOf(await operator.get('/lab/api/rings/object-5'))).to.equal('upstream_unavailable');
    await rm(join(folder, 'object-5.ring.gz'));
  });

  it('compares policies of the cluster with one that is thought of', async () => {
    const { items } = await operator.read<PoliciesView>('/lab/api/policies');
    expect(items.map(({ name, type }) => [name, type])).to.deep.equal([
      ['gold', 'replication'],
      ['coded', 'erasure_coding'],
    ]);
    const answer = await operator.post('/lab/api/policies/compare', {
      candidates: [
        { index: 0 },
        { index: 1 },
        { name: '4+2', type: 'erasure_coding', k: 4, m: 2 },
        { name: '8+4', type: 'erasure_coding', k: 8, m: 4 },
      ],
    });
    const { rows }: ComparisonView = answer.json();
    expect(rows.map(({ write_quorum }) => write_quorum)).to.deep.equal([2, 3, 5, 9]);
    expect(rows[1]?.zone_loss).to.deep.equal({ readable: true, writable: false });
    expect(rows[1]).to.deep.include({ servers: 3, max_replicas_per_server: 1 });
    expect(rows[1]?.server_loss).to.deep.equal({ readable: true, writable: false });
    // Six devices are fewer than twelve fragments.
    expect(rows[3]?.zone_loss).to.equal(null);
    const compare = (one: object) =>
      operator.post('/lab/api/policies/compare', { candidates: [one] });
    expect(codeOf(await compare({ index: 9 }))).to.equal('unprocessable');
    for (const [k, m] of [
      [0, 1],
      [4, -1],
      [60, 5],
    ]) {
      const refused = await compare({ name: 'odd', type: 'erasure_coding', k, m });
      await expectRefused(refused, 422, 'unprocessable', refused.text);
    }
    // A code is known without a ring, but where its fragments would be; copies are not.
    for (const [ring, index, status] of [
      ['object-1', 1, 200],
      ['object', 0, 404],
    ] as const) {
      const [file, away] = [join(folder, `${ring}.ring.gz`), join(folder, 'away')];
      await rename(file, away);
      const answer = await compare({ index });
      await rename(away, file);
      expect(answer.status, answer.text).to.equal(status);
      if (status !== 200) continue;
      const view: ComparisonView = answer.json();
      expect(view.rows[0]).to.include({ ring: null, zone_loss: null, write_quorum: 3 });
    }
  });

  it('measures policies on request, and leaves nothing behind', async () => {
    const conf = await readFile(join(folder, 'swift.conf'), 'utf8');
    const { origin } = bed.store;
    const { policies } = await readStoreInfo(new Upstream(parseUpstream(origin)));
    const own = conf.replace(/name = gold\naliases = .*/, `name = ${policies[0]}`);
    await writeFile(join(folder, 'swift.conf'), own);
    const answer = await operator.post('/lab/api/policies/compare', {
      candidates: [{ index: 0 }, { index: 1 }, { name: '4', type: 'replication', replicas: 4 }],
      measure: { n: 3, bytes: 2000 },
    });
    const { rows }: ComparisonView = answer.json();
    await writeFile(join(folder, 'swift.conf'), conf);
    const [first, second] = rows;
    expect(first).to.include({ measure_problem: null });
    expect(first?.measured).to.include({ n: 3, bytes: 2000, errors: 0 });
    expect(first?.measured?.put_p95_ms).to.be.at.least(first?.measured?.put_p50_ms ?? Infinity);
    expect(first?.measured?.get_p50_ms).to.be.greaterThan(0);
    if (policies.includes('coded')) expect(second?.measured).to.include({ n: 3, errors: 0 });
    else expect(second?.measure_problem).to.equal('Could not create a container with this policy.');
    expect(rows[2]).to.include({ measured: null, measure_problem: null });
    const store = await askStore(bed.store);
    expect(await (await store('GET', '')).text()).to.not.include('lab-policy-');
  });

  it('says what it needs where there is no folder with rings', async () => {
    await using bare = await startTestBed({ lab_enabled: true });
    const answer = await (await bed.login()).get('/lab/api/rings');
    expect(answer.status).to.equal(200);
    const without = await (await bare.login()).get('/lab/api/rings');
    expect(without.status).to.equal(501);
    expect(without.json()).to.have.nested.property('error.details.needs', 'store_dir');
    await rename(join(folder, 'swift.conf'), join(folder, 'away'));
    const policies = await operator.get('/lab/api/policies');
    expect(codeOf(policies)).to.equal('unprocessable');
    await rename(join(folder, 'away'), join(folder, 'swift.conf'));
  });
});
