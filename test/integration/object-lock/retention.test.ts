import { expect } from 'chai';
import type { S3Answer, S3TestClient } from '../../support/s3-client.js';
import { useOnce } from '../../support/fixture.js';
import { eventually } from '../../support/eventually.js';
import { ANNA_ID, OWNER_ID, policy, useAclBench } from '../acl-users.js';
import { at, deleteRequest, expectAnswer, textOf, VersionSteps } from '../versions/bench.js';
import {
  BYPASS,
  inDays,
  legalHold,
  lockedBucket,
  lockHeaders,
  retention,
  type Mode,
} from './bench.js';

/** The changes asked for a version that is locked for ten days. */
const WISHES = {
  extend: (mode: Mode) => retention(mode, inDays(20)),
  'set the same': (mode: Mode) => retention(mode, inDays(10)),
  shorten: (mode: Mode) => retention(mode, inDays(5)),
  'change the mode': (mode: Mode) => retention(other(mode), inDays(20)),
  remove: () => '<Retention/>',
} as const;

type Wish = keyof typeof WISHES | 'delete';

/** SPEC.md 3.3: without and with the bypass of an owner. */
const TABLE: readonly (readonly [Mode, Wish, plain: boolean, bypassed: boolean])[] = [
  ['GOVERNANCE', 'extend', true, true],
  ['GOVERNANCE', 'shorten', false, true],
  ['GOVERNANCE', 'change the mode', false, true],
  ['GOVERNANCE', 'remove', false, true],
  ['GOVERNANCE', 'delete', false, true],
  ['COMPLIANCE', 'extend', true, true],
  ['COMPLIANCE', 'shorten', false, false],
  ['COMPLIANCE', 'change the mode', false, false],
  ['COMPLIANCE', 'remove', false, false],
  ['COMPLIANCE', 'delete', false, false],
];

/**
 * Long enough for a cluster to take a write before the retention is over, which is in whole seconds:
 * with one, none may be left. The tests wait for its end.
 */
const SOON_DAYS = 3 / 86_400;

function other(mode: Mode): Mode {
  return mode === 'GOVERNANCE' ? 'COMPLIANCE' : 'GOVERNANCE';
}

describe('retention over the wire', () => {
  const bench = useAclBench();
  const bucket = '/retention';
  const steps = useOnce(() => new VersionSteps(bench().owner));
  let made = 0;

  before(async () => {
    await lockedBucket(steps(), 'retention');
    const grants = policy(OWNER_ID, [
      [ANNA_ID, 'READ'],
      [ANNA_ID, 'WRITE'],
      [ANNA_ID, 'WRITE_ACP'],
    ]);
    expectAnswer(await bench().owner.put(`${bucket}?acl`, grants), 200);
  });

  /** A version of a key of its own. */
  async function locked(headers: Record<string, string>) {
    const path = `${bucket}/key-${made++}`;
    const id = await steps().put(path, 'body', headers);
    return { path, id };
  }

  function ask(
    s3: S3TestClient,
    { path, id }: { path: string; id: string },
    wish: Wish,
    mode: Mode,
    headers: Record<string, string> = {},
  ): Promise<S3Answer> {
    if (wish === 'delete') return s3.delete(at(path, id), headers);
    return s3.put(at(`${path}?retention`, id), WISHES[wish](mode), headers);
  }

  async function locksOf({ path, id }: { path: string; id: string }) {
    const { text } = await bench().owner.get(at(`${path}?retention`, id));
    return [textOf(text, 'Mode'), textOf(text, 'RetainUntilDate')];
  }

  for (const [mode, wish, plain, bypassed] of TABLE) {
    for (const [isBypass, allowed] of [
      [false, plain],
      [true, bypassed],
    ] as const) {
      const how = isBypass ? ' with the bypass' : '';
      it(`${allowed ? 'lets' : 'does not let'} one ${wish} ${mode}${how}`, async () => {
        const until = inDays(10);
        const version = await locked(lockHeaders(mode, until));
        const headers: Record<string, string> = isBypass ? BYPASS : {};
        const answer = await ask(bench().owner, version, wish, mode, headers);
        if (!allowed) {
          expectAnswer(answer, 403, 'AccessDenied');
          expect(answer.text).to.match(/object lock/i);
          expect(await locksOf(version)).to.deep.equal([mode, until]);
          expect(await steps().read(at(version.path, version.id))).to.equal('body');
        } else if (wish === 'delete') {
          expect(answer.status).to.equal(204);
          expectAnswer(await bench().owner.get(at(version.path, version.id)), 404, 'NoSuchVersion');
        } else {
          expectAnswer(answer, 200);
          expect(answer.headers['x-amz-version-id']).to.equal(version.id);
          expect(await locksOf(version)).to.not.deep.equal([mode, until]);
        }
      });
    }

    it(`does not let a user who is no owner ${wish} ${mode}, with the bypass or without`, async () => {
      const until = inDays(10);
      const version = await locked({ ...lockHeaders(mode, until), 'x-amz-acl': 'public-read' });
      for (const headers of [{}, BYPASS]) {
        const answer = await ask(bench().anna, version, wish, mode, headers);
        expectAnswer(answer, 403, 'AccessDenied');
      }
      expect(await locksOf(version)).to.deep.equal([mode, until]);
    });
  }

  // They wait for the same three seconds, all at once.
  it('lets one set it where there is none or it has expired, and delete what it has kept until now', async () => {
    await Promise.all(
      (['GOVERNANCE', 'COMPLIANCE'] as const).flatMap((mode) => [setsAnew(mode), deletes(mode)]),
    );
  });

  async function setsAnew(mode: Mode): Promise<void> {
    const version = await locked({});
    const { owner } = bench();
    const target = at(`${version.path}?retention`, version.id);
    expectAnswer(await owner.get(target), 400, 'InvalidRequest');
    const soon = inDays(SOON_DAYS);
    expectAnswer(await owner.put(target, retention(mode, soon)), 200);
    expect(await locksOf(version)).to.deep.equal([mode, soon]);
    // Until then it is as locked as any.
    const shortly = () => Promise.resolve(Date.now());
    await eventually(shortly, (now) => now > Date.parse(soon));
    const until = inDays(3);
    expectAnswer(await owner.put(target, retention(other(mode), until)), 200);
    expect(await locksOf(version)).to.deep.equal([other(mode), until]);
  }

  async function deletes(mode: Mode): Promise<void> {
    const soon = inDays(SOON_DAYS);
    const version = await locked(lockHeaders(mode, soon));
    const remove = () => bench().owner.delete(at(version.path, version.id));
    const answers: number[] = [];
    await eventually(
      async () => {
        const { status } = await remove();
        answers.push(Date.now() <= Date.parse(soon) ? status : 403);
        return status;
      },
      (status) => status === 204,
    );
    expect(new Set(answers), 'deleted too early').to.deep.equal(new Set([403]));
  }

  it('takes the current version where none is named', async () => {
    const { path, id } = await locked({});
    const until = inDays(1);
    const set = await bench().owner.put(`${path}?retention`, retention('GOVERNANCE', until));
    expect([set.status, set.headers['x-amz-version-id']]).to.deep.equal([200, id]);
    const got = await bench().owner.get(`${path}?retention`);
    expect([textOf(got.text, 'RetainUntilDate'), got.headers['x-amz-version-id']]).to.deep.equal([
      until,
      id,
    ]);
  });

  for (const [title, document, code] of [
    ['the past', retention('GOVERNANCE', inDays(-1)), 'InvalidArgument'],
    ['this very second', retention('GOVERNANCE', inDays(0)), 'InvalidArgument'],
    ['over 100 years', retention('GOVERNANCE', inDays(36_600)), 'InvalidArgument'],
    ['no RFC 3339', retention('GOVERNANCE', 'tomorrow'), 'MalformedXML'],
    ['a day that is none', retention('GOVERNANCE', '2099-02-30T00:00:00Z'), 'MalformedXML'],
    ['a day alone', retention('GOVERNANCE', '2099-01-01'), 'MalformedXML'],
    ['an unknown mode', retention('LEGAL', inDays(1)), 'MalformedXML'],
    ['a mode in lower case', retention('governance', inDays(1)), 'MalformedXML'],
    ['a mode alone', '<Retention><Mode>GOVERNANCE</Mode></Retention>', 'MalformedXML'],
    ['a date alone', retention('', inDays(1)), 'MalformedXML'],
    ['another document', '<Other/>', 'MalformedXML'],
    ['nothing', '', 'MalformedXML'],
  ] as const) {
    it(`refuses ${title}`, async () => {
      const version = await locked({});
      const answer = await bench().owner.put(`${version.path}?retention`, document);
      expectAnswer(answer, 400, code);
      expect(await locksOf(version)).to.deep.equal(['', '']);
    });
  }

  it('takes exactly 100 years, and any offset of RFC 3339', async () => {
    const version = await locked({});
    for (const [date, shown] of [
      ['2098-12-31T23:00:00-01:00', '2099-01-01T00:00:00.000Z'],
      ['2099-01-01T00:00:00.4Z', '2099-01-01T00:00:01.000Z'],
    ] as const) {
      const target = `${version.path}?retention`;
      expectAnswer(await bench().owner.put(target, retention('GOVERNANCE', date)), 200);
      expect(await locksOf(version)).to.deep.equal(['GOVERNANCE', shown]);
    }
    const most = new Date(Math.floor(Date.now() / 1000) * 1000);
    most.setUTCFullYear(most.getUTCFullYear() + 100);
    const longest = retention('GOVERNANCE', most.toISOString());
    expectAnswer(await bench().owner.put(`${version.path}?retention`, longest), 200);
    expect(await locksOf(version)).to.deep.equal(['GOVERNANCE', most.toISOString()]);
  });

  it('refuses a bypass that is neither true nor false', async () => {
    const version = await locked(lockHeaders('GOVERNANCE', inDays(1)));
    const header = 'x-amz-bypass-governance-retention';
    const unclear = await bench().owner.delete(at(version.path, version.id), { [header]: 'yes' });
    expectAnswer(unclear, 400, 'InvalidArgument');
    const not = await bench().owner.delete(at(version.path, version.id), { [header]: 'false' });
    expectAnswer(not, 403, 'AccessDenied');
  });

  it('yields to the bypass in DeleteObjects too, but not to COMPLIANCE and legal holds', async () => {
    const governed = await locked(lockHeaders('GOVERNANCE', inDays(1)));
    const complying = await locked(lockHeaders('COMPLIANCE', inDays(1)));
    const held = await locked({ 'x-amz-object-lock-legal-hold': 'ON' });
    const all = [governed, complying, held];
    const objects = all.map(({ path, id }) => {
      const key = path.slice(bucket.length + 1);
      return `<Key>${key}</Key><VersionId>${id}</VersionId>`;
    });
    const remove = async (s3: S3TestClient, headers: Record<string, string>) => {
      const answer = await s3.send(deleteRequest(bucket, objects, headers));
      const outcomes = answer.text.matchAll(/<(?:Deleted|Error)>.*?<\/(?:Deleted|Error)>/g);
      return [...outcomes].map(([xml]) => textOf(xml, 'Code'));
    };
    const denied = 'AccessDenied';
    expect(await remove(bench().owner, {})).to.deep.equal([denied, denied, denied]);
    expect(await remove(bench().anna, BYPASS)).to.deep.equal([denied, denied, denied]);
    expect(await remove(bench().owner, BYPASS)).to.deep.equal(['', denied, denied]);
  });

  it('lasts beside a legal hold, which no bypass lifts', async () => {
    const version = await locked({
      ...lockHeaders('GOVERNANCE', inDays(1)),
      'x-amz-object-lock-legal-hold': 'ON',
    });
    const remove = () => bench().owner.delete(at(version.path, version.id), BYPASS);
    expectAnswer(await remove(), 403, 'AccessDenied');
    const hold = at(`${version.path}?legal-hold`, version.id);
    expect((await bench().owner.get(hold)).text).to.contain('<Status>ON</Status>');
    for (const document of ['', '<LegalHold/>', legalHold('on'), legalHold(''), '<Other/>']) {
      expectAnswer(await bench().owner.put(hold, document), 400, 'MalformedXML');
    }
    expectAnswer(await remove(), 403, 'AccessDenied');
    expectAnswer(await bench().owner.put(hold, legalHold('OFF')), 200);
    expect((await bench().owner.get(hold)).text).to.contain('<Status>OFF</Status>');
    expect((await remove()).status).to.equal(204);
  });

  it('tells that there never was a legal hold', async () => {
    const { path } = await locked({});
    const answer = await bench().owner.get(`${path}?legal-hold`);
    expectAnswer(answer, 404, 'NoSuchObjectLockConfiguration');
  });
});
