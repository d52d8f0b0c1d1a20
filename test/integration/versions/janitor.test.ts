import { expect } from 'chai';
import { eventually } from '../../support/eventually.js';
import type { Service } from '../../support/service.js';
import { janitorDryRun, janitorOnce, linesOf, type Line } from '../janitor-once.js';
import { useVersionsBench } from './bench.js';

const RULES =
  '<LifecycleConfiguration>' +
  '<Rule><ID>past</ID><Filter><Prefix>old/</Prefix></Filter><Status>Enabled</Status>' +
  '<Expiration><Date>2020-01-01T00:00:00Z</Date></Expiration></Rule>' +
  '<Rule><ID>markers</ID><Filter><Prefix></Prefix></Filter><Status>Enabled</Status>' +
  '<Expiration><ExpiredObjectDeleteMarker>true</ExpiredObjectDeleteMarker></Expiration></Rule>' +
  '</LifecycleConfiguration>';

/** Without the summary. */
async function actsOf(janitor: typeof janitorOnce, service: Service): Promise<Line[]> {
  return linesOf(await janitor(service)).slice(0, -1);
}

describe('the janitor, where versions are kept', () => {
  const bench = useVersionsBench({ config: { janitor_interval_ms: 0 } });

  it('shows in a dry run what a pass then does', async () => {
    const bucket = await bench().bucket('kept', 'Enabled');
    const expired = await bench().put(`${bucket}/old/a`, 'expired');
    const gone = await bench().put(`${bucket}/gone`, 'x');
    const marker = await bench().mark(`${bucket}/gone`);
    await bench().s3.delete(`${bucket}/gone?versionId=${gone}`);
    await bench().put(`${bucket}/stays`, 'x');
    await bench().put(`${bucket}?lifecycle`, RULES);

    // A marker of later, since the clock was set back, is left for then.
    const planned = await eventually(
      () => actsOf(janitorDryRun, bench().service),
      (lines) => lines.length >= 2,
    );
    expect(await bench().versions(bucket)).to.have.length(3);
    const done: Line[] = [];
    await eventually(
      async () => done.push(...(await actsOf(janitorOnce, bench().service))),
      (count) => count >= 2,
    );
    expect(planned.map(({ outcome }) => outcome)).to.deep.equal(['planned', 'planned']);
    expect(done).to.have.deep.members(planned.map((line) => ({ ...line, outcome: 'done' })));
    expect(
      done.map(({ action, key, version, rule_id: rule }) => [action, key, version, rule]),
    ).to.have.deep.members([
      ['expire_marker', 'gone', marker, 'markers'],
      ['expire_current', 'old/a', expired, 'past'],
    ]);

    await bench().expectHistory(bucket, 'gone');
    const [added, ...rest] = await bench().history(bucket, 'old/a');
    expect(added).to.match(/^DeleteMarker [0-9a-f]{32} latest$/);
    expect(rest).to.deep.equal([`Version ${expired}`]);
    expect((await bench().s3.get(`${bucket}/old/a`)).code).to.equal('NoSuchKey');
    expect(await bench().read(`${bucket}/old/a?versionId=${expired}`)).to.equal('expired');
    expect(await bench().read(`${bucket}/stays`)).to.equal('x');
    expect(await actsOf(janitorOnce, bench().service)).to.deep.equal([]);
  });
});
