import type { RequestListener } from 'node:http';
import { expect } from 'chai';
import { useOnce } from '../../support/fixture.js';
import { serve } from '../../support/serve.js';
import { codeOf } from '../support/client.js';
import { startTestBed } from '../support/console.js';
import { job, makeContainer, ok, query, unique } from './support.js';

const HOUR_MS = 3_600_000;
const ENABLED = '<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>';
/** A lifecycle rule that does nothing yet. */
const RULE = {
  ...{ id: 'rule', enabled: true, prefix: '', tags: [] },
  ...{ size_greater_than: null, size_less_than: null, expire: null, transitions: [] },
  ...{ noncurrent_expire: null, noncurrent_transitions: [], abort_days: null },
};

/** Answers that our S3 API never gives when a test needs them: from a server of its own. */
describe('console files: what S3 answers', () => {
  const bucket = unique('answers');
  const requests: string[] = [];
  let answer: (method: string, url: string) => { status: number; body: string };
  const onRequest: RequestListener = ({ method = '', url = '' }, response) => {
    const { status, body } = answer(method, url);
    requests.push(`${method} ${url}`);
    response.writeHead(status).end(body);
  };
  const s3 = useOnce(() => serve(onRequest), 'close');
  const bed = useOnce(() => startTestBed({ s3_base: s3().origin }), 'close');
  const client = useOnce(() => bed().login());

  before(() => makeContainer(client(), bucket));

  it('shows what the store knows while S3 fails', async () => {
    answer = () => ({ status: 503, body: '<Error><Code>ServiceUnavailable</Code></Error>' });
    const one = await ok(client().get(`/api/files/container?${query({ name: bucket })}`), 200);
    const known = { name: bucket, objects: 0, s3: false, s3_bucket: false, s3_unavailable: true };
    expect(one.json()).to.include(known);
    const many = await ok(client().post('/api/files/containers/details', { names: [bucket] }), 200);
    expect((many.json() as { items: object[] }).items[0]).to.include(known);
    // Nothing is done on a guess.
    const refused = await client().get(
      `/api/files/versions?${query({ container: bucket, name: 'a' })}`,
    );
    expect(refused.status).to.equal(503);
  });

  it('aborts the uploads that are old enough, and no others', async () => {
    const at = (hours: number) => new Date(bed().clock.nowMs - hours * HOUR_MS).toISOString();
    const upload = (key: string, hours: number) =>
      `<Upload><Key>${key}</Key><UploadId>id-${key}</UploadId><Initiated>${at(hours)}</Initiated></Upload>`;
    const uploads = `<R>${upload('old', 25)}${upload('new', 23)}${upload('older', 90)}</R>`;
    answer = (method, url) => {
      if (method === 'DELETE') return { status: 204, body: '' };
      return { status: 200, body: url.includes('uploads=') ? uploads : '<R/>' };
    };
    requests.length = 0;
    const body = { container: bucket, older_than_h: 24 };
    const done = await job(client(), '/api/files/unfinished/abort-old', body);
    expect(done.result).to.include({ succeeded: 2, failed: 0 });
    const aborted = requests.filter((line) => line.startsWith('DELETE'));
    expect(aborted).to.deep.equal([
      `DELETE /${bucket}/old?uploadId=id-old`,
      `DELETE /${bucket}/older?uploadId=id-older`,
    ]);
  });

  it('previews rules over versions and delete markers as the janitor takes them', async () => {
    const row = (kind: string, id: string, isLatest: boolean) =>
      `<${kind}><Key>k</Key><VersionId>${id}</VersionId><IsLatest>${isLatest}</IsLatest>` +
      `<LastModified>2020-01-01T00:00:00Z</LastModified><Size>5</Size></${kind}>`;
    const rows = [
      row('Version', 'e', true),
      row('DeleteMarker', 'd', false),
      row('Version', 'c', false),
      row('DeleteMarker', 'b', false),
      row('Version', 'a', false),
    ];
    answer = (_method, url) => {
      if (url.includes('versioning=')) return { status: 200, body: ENABLED };
      return { status: 200, body: `<R>${rows.join('')}</R>` };
    };
    const expired = async (newer: number | null) => {
      const rule = { ...RULE, noncurrent_expire: { days: 1, newer } };
      const done = await job(client(), '/api/files/lifecycle/preview', {
        name: bucket,
        rules: [rule],
      });
      expect(done.state).to.equal('done');
      const { effects } = done.result as unknown as { effects: Record<string, unknown>[] };
      return effects.map(({ effect, now, bytes }) => [effect, now, bytes]);
    };
    expect(await expired(null)).to.deep.equal([['expire_version', 4, 10]]);
    // The version c is kept, and the marker before it: the marker b and the version a are not.
    expect(await expired(1)).to.deep.equal([['expire_version', 2, 5]]);
    expect(await expired(2)).to.deep.equal([]);
  });

  it('refuses a retention until a year that no date of S3 can have', async () => {
    answer = () => ({ status: 200, body: ENABLED });
    for (const until of [253_402_300_800, Number.MAX_SAFE_INTEGER]) {
      const body = {
        ...{ container: bucket, name: 'k', version_id: 'null' },
        retention: { mode: 'GOVERNANCE', until_unix_s: until },
      };
      const refused = await client().send('PUT', '/api/files/versions/retention', { body });
      expect(codeOf(refused), String(until)).to.equal('invalid_argument');
    }
  });
});
