import { expect } from 'chai';
import { at, expectAnswer, textOf, versioning } from '../versions/bench.js';
import {
  DAY_MS,
  inDays,
  legalHold,
  lockConfiguration,
  lockedBucket,
  lockHeaders,
  retention,
  useVersionsBench,
  WITH_LOCKS,
} from './bench.js';

const MODE = '<Mode>GOVERNANCE</Mode>';

/** SPEC.md 2.3: documents that are no lock configuration, and what they are answered. */
const REFUSED: readonly (readonly [title: string, document: string, code: string])[] = [
  ['nothing', '', 'MalformedXML'],
  ['another document', '<Other/>', 'MalformedXML'],
  ['no ObjectLockEnabled', '<ObjectLockConfiguration/>', 'MalformedXML'],
  [
    'a rule without ObjectLockEnabled',
    lockConfiguration(`${MODE}<Days>1</Days>`).replace(/<ObjectLockEnabled>.*Enabled>/, ''),
    'MalformedXML',
  ],
  ['another ObjectLockEnabled', lockConfiguration().replace('>Enabled<', '>true<'), 'MalformedXML'],
  [
    'a rule without retention',
    lockConfiguration('').replace(/<DefaultRetention>.*<\/DefaultRetention>/, ''),
    'MalformedXML',
  ],
  ['an empty retention', lockConfiguration(''), 'MalformedXML'],
  ['no mode', lockConfiguration('<Days>1</Days>'), 'MalformedXML'],
  ['an unknown mode', lockConfiguration('<Mode>LEGAL</Mode><Days>1</Days>'), 'MalformedXML'],
  [
    'a mode in lower case',
    lockConfiguration('<Mode>governance</Mode><Days>1</Days>'),
    'MalformedXML',
  ],
  ['neither Days nor Years', lockConfiguration(MODE), 'MalformedXML'],
  ['both', lockConfiguration(`${MODE}<Days>1</Days><Years>1</Years>`), 'MalformedXML'],
  ['two Days', lockConfiguration(`${MODE}<Days>1</Days><Days>2</Days>`), 'MalformedXML'],
  ['no number', lockConfiguration(`${MODE}<Days>one</Days>`), 'MalformedXML'],
  ['half a day', lockConfiguration(`${MODE}<Days>0.5</Days>`), 'MalformedXML'],
  ['an empty number', lockConfiguration(`${MODE}<Years/>`), 'MalformedXML'],
  ['0 days', lockConfiguration(`${MODE}<Days>0</Days>`), 'InvalidArgument'],
  ['0 years', lockConfiguration(`${MODE}<Years>0</Years>`), 'InvalidArgument'],
  ['negative days', lockConfiguration(`${MODE}<Days>-1</Days>`), 'InvalidArgument'],
  ['over 100 years in days', lockConfiguration(`${MODE}<Days>36501</Days>`), 'InvalidArgument'],
  ['over 100 years', lockConfiguration(`${MODE}<Years>101</Years>`), 'InvalidArgument'],
  ['far too many', lockConfiguration(`${MODE}<Days>99999999999</Days>`), 'InvalidArgument'],
  [
    'something unknown',
    lockConfiguration().replace('</ObjectLockC', '<Other/></ObjectLockC'),
    'MalformedXML',
  ],
];

describe('lock configuration of buckets over the wire', () => {
  const bench = useVersionsBench();

  it('comes with a bucket that is created with locks, and so do versions', async () => {
    const bucket = await lockedBucket(bench(), 'created');
    const { text } = await bench().s3.get(`${bucket}?object-lock`);
    expect(text).to.contain('<ObjectLockEnabled>Enabled<').and.not.contain('<Rule>');
    expect((await bench().s3.get(`${bucket}?versioning`)).text).to.contain('>Enabled<');
    expect(await bench().put(`${bucket}/key`, 'body')).to.match(/^[0-9a-f]{32}$/);
    const { headers } = await bench().s3.head(`${bucket}/key`);
    expect(Object.keys(headers).join()).to.not.contain('x-amz-object-lock');
  });

  for (const value of ['True', 'TRUE']) {
    it(`is asked for with ${value} too`, async () => {
      const bucket = `/created-${value === 'True' ? 'python' : 'shouting'}`;
      await bench().s3.put(bucket, '', { 'x-amz-bucket-object-lock-enabled': value });
      expect((await bench().s3.get(`${bucket}?object-lock`)).status).to.equal(200);
    });
  }

  it('does not come with false, nor with what is neither', async () => {
    const header = 'x-amz-bucket-object-lock-enabled';
    expectAnswer(await bench().s3.put('/without', '', { [header]: 'false' }), 200);
    expectAnswer(
      await bench().s3.get('/without?object-lock'),
      404,
      'ObjectLockConfigurationNotFoundError',
    );
    expectAnswer(await bench().s3.put('/neither', '', { [header]: 'yes' }), 400, 'InvalidArgument');
    expectAnswer(await bench().s3.get('/neither'), 404, 'NoSuchBucket');
    expectAnswer(await bench().s3.get('/absent?object-lock'), 404, 'NoSuchBucket');
    expectAnswer(
      await bench().s3.put('/absent?object-lock', lockConfiguration()),
      404,
      'NoSuchBucket',
    );
  });

  it('is taken by a bucket with versions, and by no other', async () => {
    const bucket = await bench().bucket('later');
    const path = `${bucket}?object-lock`;
    expectAnswer(await bench().s3.put(path, lockConfiguration()), 409, 'InvalidBucketState');
    await bench().become(bucket, 'Suspended');
    expectAnswer(await bench().s3.put(path, lockConfiguration()), 409, 'InvalidBucketState');
    expectAnswer(await bench().s3.get(path), 404, 'ObjectLockConfigurationNotFoundError');
    await bench().become(bucket, 'Enabled');
    expectAnswer(await bench().s3.put(path, lockConfiguration()), 200);
    expect((await bench().s3.get(path)).text).to.contain('<ObjectLockEnabled>Enabled<');
  });

  it('keeps versioning from being suspended, and is not removed', async () => {
    const bucket = await lockedBucket(bench(), 'kept');
    const suspend = await bench().s3.put(`${bucket}?versioning`, versioning('Suspended'));
    expectAnswer(suspend, 409, 'InvalidBucketState');
    expectAnswer(await bench().s3.put(`${bucket}?versioning`, versioning('Enabled')), 200);
    expectAnswer(await bench().s3.delete(`${bucket}?object-lock`), 405, 'MethodNotAllowed');
    expect((await bench().s3.get(`${bucket}?versioning`)).text).to.contain('>Enabled<');
  });

  for (const [rule, days] of [
    ['<Mode>GOVERNANCE</Mode><Days>1</Days>', 1],
    ['<Mode>COMPLIANCE</Mode><Days>36500</Days>', 36_500],
    ['<Mode>COMPLIANCE</Mode><Years>1</Years>', 365],
    ['<Mode>GOVERNANCE</Mode><Years>100</Years>', 36_524],
  ] as const) {
    it(`is told as it was set, and carried out: ${rule}`, async () => {
      const bucket = await lockedBucket(bench(), `rule-${days}`);
      expectAnswer(await bench().s3.put(`${bucket}?object-lock`, lockConfiguration(rule)), 200);
      const { text } = await bench().s3.get(`${bucket}?object-lock`);
      expect(text).to.contain(`<Rule><DefaultRetention>${rule}</DefaultRetention></Rule>`);
      await bench().put(`${bucket}/key`, 'body');
      const { headers } = await bench().s3.head(`${bucket}/key`);
      expect(headers['x-amz-object-lock-mode']).to.equal(textOf(rule, 'Mode'));
      const until = Date.parse(headers['x-amz-object-lock-retain-until-date'] ?? '');
      expect((until - Date.now()) / DAY_MS).to.be.closeTo(days, 2);
    });
  }

  describe('that is none', () => {
    const rule = '<Mode>GOVERNANCE</Mode><Days>7</Days>';

    before(async () => {
      const bucket = await lockedBucket(bench(), 'refusing');
      await bench().s3.put(`${bucket}?object-lock`, lockConfiguration(rule));
    });

    for (const [title, document, code] of REFUSED) {
      it(`is refused: ${title}`, async () => {
        expectAnswer(await bench().s3.put('/refusing?object-lock', document), 400, code);
        expect((await bench().s3.get('/refusing?object-lock')).text).to.contain(rule);
      });
    }
  });

  it('is what all locks of objects need: SPEC.md 3.2', async () => {
    const bucket = await bench().bucket('unlockable', 'Enabled');
    const path = `${bucket}/key`;
    const id = await bench().put(path, 'body');
    const message = 'Bucket is missing Object Lock Configuration';
    for (const request of [
      { method: 'GET', path: `${path}?retention` },
      { method: 'PUT', path: `${path}?retention`, body: retention('GOVERNANCE', inDays(1)) },
      { method: 'GET', path: `${path}?legal-hold` },
      { method: 'PUT', path: `${path}?legal-hold`, body: legalHold('ON') },
      { method: 'PUT', path: at(`${path}?legal-hold`, id), body: legalHold('OFF') },
      { method: 'PUT', path, body: 'over', headers: lockHeaders('GOVERNANCE', inDays(1)) },
      { method: 'PUT', path, body: 'over', headers: { 'x-amz-object-lock-legal-hold': 'ON' } },
      { method: 'POST', path: `${path}?uploads`, headers: lockHeaders('COMPLIANCE', inDays(1)) },
      {
        method: 'PUT',
        path: `${path}-copy`,
        headers: { 'x-amz-copy-source': path, 'x-amz-object-lock-legal-hold': 'ON' },
      },
    ]) {
      const answer = await bench().s3.send(request);
      expectAnswer(answer, 400, 'InvalidRequest');
      expect(answer.text).to.contain(`<Message>${message}</Message>`);
    }
    await bench().expectHistory(bucket, 'key', `Version ${id} latest`);
    const plain = await bench().bucket('plain-unlockable');
    await bench().put(`${plain}/key`, 'body');
    expectAnswer(await bench().s3.get(`${plain}/key?retention`), 400, 'InvalidRequest');
    expectAnswer(await bench().s3.get(`${plain}/absent?retention`), 400, 'InvalidRequest');
  });

  it('leaves objects from before unlocked, and lets them be locked', async () => {
    const bucket = await bench().bucket('before');
    await bench().put(`${bucket}/key`, 'plain');
    await bench().become(bucket, 'Enabled');
    const rule = '<Mode>COMPLIANCE</Mode><Days>1</Days>';
    await bench().s3.put(`${bucket}?object-lock`, lockConfiguration(rule));
    expectAnswer(await bench().s3.get(`${bucket}/key?retention`), 400, 'InvalidRequest');
    expectAnswer(await bench().s3.put(`${bucket}/key?legal-hold`, legalHold('ON')), 200);
    const refused = await bench().s3.delete(at(`${bucket}/key`, 'null'));
    expectAnswer(refused, 403, 'AccessDenied');
    expectAnswer(await bench().s3.put(`${bucket}/key?legal-hold`, legalHold('OFF')), 200);
    expect((await bench().s3.delete(at(`${bucket}/key`, 'null'))).status).to.equal(204);
    expect(await bench().versions(bucket)).to.deep.equal([]);
  });

  it('comes with none of what a former bucket of the name had', async () => {
    const bucket = await lockedBucket(bench(), 'anew');
    expect((await bench().s3.delete(bucket)).status).to.equal(204);
    await bench().bucket('anew');
    expectAnswer(
      await bench().s3.get(`${bucket}?object-lock`),
      404,
      'ObjectLockConfigurationNotFoundError',
    );
    expectAnswer(await bench().s3.put(bucket, '', WITH_LOCKS), 409, 'BucketAlreadyOwnedByYou');
    expectAnswer(
      await bench().s3.get(`${bucket}?object-lock`),
      404,
      'ObjectLockConfigurationNotFoundError',
    );
  });
});
