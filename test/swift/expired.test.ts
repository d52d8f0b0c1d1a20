import { join } from 'node:path';
import { expect } from 'chai';
import type { ExpiredRun } from '../../console/surfaces/lab/expired/expired-runs.js';
import { codeOf } from '../console/support/client.js';
import { eventually } from '../support/eventually.js';
import { describeWith } from '../support/needs.js';
import { SWIFT_NEEDS } from '../support/swift-lab.js';
import { useConsole, useHealedLab } from './support.js';

/** A guard: a lab takes its time to start on a busy machine. */
const LAB_LIMIT_MS = 300_000;

describeWith(SWIFT_NEEDS, 'the Observatory over a Swift cluster', function () {
  this.timeout(LAB_LIMIT_MS);
  const lab = useHealedLab();
  const { operator } = useConsole(() => {
    const { endpoints, authUrl: auth_url, dir } = lab().state;
    const cluster = { store_base: endpoints[0], auth_url, store_dir: join(dir, 'conf') };
    return { lab_enabled: true, ...cluster };
  });

  it('sees ghosts on the disks until the expirer has run, and their tombstones then', async () => {
    const started = await operator().post('/lab/api/expired/runs', {
      ...{ count: 2, first_s: 3, step_s: 1, expirer_s: 10 },
    });
    expect(started.status, started.text).to.equal(202);
    const { id }: { id: string } = started.json();
    const get = async (): Promise<ExpiredRun> =>
      (await operator().get(`/lab/api/expired/runs/${id}`)).json();
    const objects = ({ detail, result }: ExpiredRun) => (result ?? detail)?.objects ?? [];
    const all = (state: string) => (run: ExpiredRun) =>
      objects(run).length === 2 && objects(run).every((one) => one.state === state);
    const alive = await eventually(get, all('Alive'), LAB_LIMIT_MS);
    expect(alive.state).to.equal('active');
    const ghosts = await eventually(get, all('Recoverable Ghost'), LAB_LIMIT_MS);
    for (const { replicas, is_listed: isListed } of objects(ghosts)) {
      const states = replicas.filter(({ index }) => index !== null).map(({ state }) => state);
      expect([states, isListed]).to.deep.equal([['present', 'present', 'present'], true]);
    }
    if (ghosts.detail?.open_expired.support === 'unsupported') {
      expect(ghosts.detail.findings.map((one) => one.id)).to.include('open_expired_unsupported');
    } else if (ghosts.detail?.open_expired.support === 'disabled') {
      expect(ghosts.detail.findings.map((one) => one.id)).to.include('open_expired_disabled');
    }
    // No expirer runs in a lab.
    const missed = await eventually(
      get,
      ({ detail }) =>
        (detail?.findings ?? []).some(({ id: found }) => found === 'expirer_not_running'),
      LAB_LIMIT_MS,
    );
    expect(missed.detail?.summary).to.include({ reaped: 0, censored: 2 });
    await lab().runOnce('updater');
    await lab().runOnce('expirer');
    const reaped = await eventually(get, ({ state }) => state === 'done', LAB_LIMIT_MS);
    expect(reaped.result?.summary).to.deep.include({ n: 2, reaped: 2, censored: 0 });
    expect(reaped.result?.findings.map((one) => one.id)).not.to.include('expirer_not_running');
    for (const one of objects(reaped)) {
      expect(one.ghost_s).to.be.greaterThan(0);
      const primaries = one.replicas.filter(({ index }) => index !== null);
      for (const { state, timestamp } of primaries) {
        // The expirer's tombstone has the time of the expiry.
        expect([state, Number(timestamp)]).to.deep.equal(['tombstone', one.delete_at_unix_s]);
      }
    }
  });

  it('rescues a ghost where the cluster opens expired objects, and says what that needs elsewhere', async () => {
    const body = { count: 2, first_s: 2, step_s: 0 };
    const started = await operator().post('/lab/api/expired/runs', body);
    expect(started.status, started.text).to.equal(202);
    const { id }: { id: string } = started.json();
    const get = async (): Promise<ExpiredRun> =>
      (await operator().get(`/lab/api/expired/runs/${id}`)).json();
    const objects = ({ detail, result }: ExpiredRun) => (result ?? detail)?.objects ?? [];
    const ghosts = await eventually(
      get,
      (run) =>
        objects(run).length === 2 && objects(run).every((one) => one.state === 'Recoverable Ghost'),
      LAB_LIMIT_MS,
    );
    const rescue = await operator().post(`/lab/api/expired/runs/${id}/rescue`, { name: '00' });
    if (ghosts.detail?.open_expired.support !== 'enabled') {
      expect([rescue.status, codeOf(rescue)]).to.deep.equal([501, 'unsupported_here']);
      expect(rescue.text).to.include('allow_open_expired');
      await operator().post(`/lab/api/expired/runs/${id}/finish`, {});
      await eventually(get, ({ state }) => state === 'done', LAB_LIMIT_MS);
      return;
    }
    expect(rescue.json()).to.deep.equal({ is_readable: true });
    await lab().runOnce('updater');
    await lab().runOnce('expirer');
    const over = await eventually(get, ({ state }) => state === 'done', LAB_LIMIT_MS);
    const found = objects(over).map(({ is_rescued: isRescued, state }) => [isRescued, state]);
    expect(found).to.deep.equal([
      [true, 'Recoverable Ghost'],
      [false, 'Physically Reaped'],
    ]);
    expect(over.result?.summary).to.include({ n: 1, reaped: 1, censored: 0 });
  });
});
