import { expect } from 'chai';
import { useOnce } from '../../support/fixture.js';
import { expectRefused, type Answer, type ConsoleClient } from '../support/client.js';
import { startTestBed } from '../support/console.js';
import { askStore, ok, unique, upload } from './support.js';

const YEAR_S = 365 * 86_400;
const DEFAULT_S = 1234;
const OPEN = unique('open');

interface TempUrl {
  readonly url_path: string;
  readonly expires_unix_s: number;
}

describe('console TempURLs', () => {
  const bed = useOnce(() => {
    const accounts = [{ account: 'test', user: 'tester', role: 'member' }];
    return startTestBed({ tempurl_default_secs: DEFAULT_S, accounts });
  }, 'close');
  const ask = useOnce(() => askStore(bed().store));
  /** To the store an owner, to the console a member. */
  let member: ConsoleClient;

  before(async () => {
    const key = { 'x-container-meta-temp-url-key': 'a key that a member may use' };
    expect((await ask()('PUT', OPEN, key)).status).to.equal(201);
    member = await bed().login();
    await ok(upload(member, OPEN, 'o', 'hello'), 201);
  });

  const make = (more: object): Promise<Answer> =>
    member.post('/api/files/tempurl', { container: OPEN, name: 'o', ...more });

  it('give a member what reads, and nothing that writes', async () => {
    for (const method of ['GET', 'HEAD']) expect((await make({ method })).status).to.equal(200);
    await expectRefused(make({ method: 'PUT' }), 403, 'forbidden');
  });

  it('last for as long as was asked for, or the default', async () => {
    const nowS = Math.floor(bed().clock.nowMs / 1000);
    for (const [asked, lifeS] of [
      [{ expires_in_s: 77 }, 77],
      [{ expires_in_s: YEAR_S }, YEAR_S],
      [{}, DEFAULT_S],
    ] as const) {
      const made: TempUrl = (await ok(make(asked), 200)).json();
      expect(made.expires_unix_s).to.equal(nowS + lifeS);
      expect(made.url_path).to.include(`temp_url_expires=${nowS + lifeS}`);
      expect((await fetch(bed().store.origin + made.url_path)).status).to.equal(200);
    }
  });

  it('last for a year at most, and for a second at least', async () => {
    for (const seconds of [YEAR_S + 1, 0, -1, 1.5]) {
      await expectRefused(make({ expires_in_s: seconds }), 400, 'invalid_argument');
    }
  });

  it('are of a folder or of an object, and of none but that', async () => {
    const made: TempUrl = (await ok(make({ name: undefined, prefix: 'f/' }), 200)).json();
    expect((await fetch(bed().store.origin + made.url_path)).status).to.equal(404);
    expect((await fetch(bed().store.origin + made.url_path.replace('f/?', 'o?'))).status) //
      .to.equal(401);
    for (const both of [{ prefix: 'f/' }, { name: undefined }]) {
      expect((await make(both)).status).to.equal(400);
    }
  });
});
