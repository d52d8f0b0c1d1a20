import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { SwiftAccount } from '../../console/swift/account.js';
import { parseUpstream } from '../../console/swift/address.js';
import { swiftLogin } from '../../console/swift/login.js';
import { Upstream } from '../../console/swift/upstream.js';
import { makeContainer, ok } from '../console/files/support.js';
import { startTestBed, type TestBed } from '../console/support/console.js';
import { BROWSER_LIMIT_MS, logIn, openPage } from '../support/browser.js';
import { useOnce } from '../support/fixture.js';
import { costOfOpening } from '../support/main-thread.js';
import { describeWith, program } from '../support/needs.js';

/** With RINGWAY_LARGE=1, what an operator may have; then the processor time counts, too. */
const IS_LARGE = process.env.RINGWAY_LARGE === '1';
const OBJECTS = IS_LARGE ? 250_000 : 300;
const AT_ONCE = 32;
const CONTAINER = 'many';
const SCRIPT_BYTES_MAX = 150_000;
const MAIN_THREAD_MS_MAX = 300;

describeWith([program('chromium')], 'the first paint of Files in Chromium', function () {
  this.timeout(IS_LARGE ? 3_600_000 : BROWSER_LIMIT_MS);
  const bed = useOnce(startTestBed, 'close');
  const origin = useOnce(() => `http://127.0.0.1:${bed().console.port}`);
  const watched = useOnce(openPage, 'close');

  before(async () => {
    await makeContainer(await bed().login(), CONTAINER);
    await fill(bed());
    await watched().page.goto(origin());
    await logIn(watched().page);
  });

  it('costs little of the main thread, however many objects there are', async () => {
    const { page } = watched();
    const cost = await costOfOpening(page, `${origin()}/buckets?again#${CONTAINER}/`, '#rows tr');
    expect(await page.locator('#rows tr').count()).to.equal(100);
    if (IS_LARGE) console.log(cost);
    if (IS_LARGE) expect(cost.mainThreadMs).to.be.below(MAIN_THREAD_MS_MAX);
  });

  it('loads scripts of less than 150 KB, compressed, and nothing from elsewhere', async () => {
    const urls = await watched().page.evaluate<string[]>(
      `performance.getEntriesByType('resource').map(({ name }) => name)`,
    );
    expect(urls.filter((url) => !url.startsWith(`${origin()}/`))).to.deep.equal([]);
    const scripts = new Set(urls.filter((url) => url.endsWith('.js')));
    expect(scripts.size).to.be.above(20);
    const client = await bed().login();
    let bytes = 0;
    for (const url of scripts) {
      const { text } = await ok(client.get(url.slice(origin().length)), 200);
      bytes += gzipSync(text).length;
    }
    expect(bytes).to.be.below(SCRIPT_BYTES_MAX);
  });
});

/** Stores the objects past the console. */
async function fill({ store: { origin, authUrl } }: TestBed): Promise<void> {
  const upstream = new Upstream(parseUpstream(origin));
  const auth = new Upstream(parseUpstream(authUrl));
  const login = () => swiftLogin(auth, 'test:tester', 'testing');
  const account = new SwiftAccount({
    ...{ store: upstream, token: await login(), login, now: Date.now },
  });
  const waiting = Array.from({ length: OBJECTS }, (_, i) => `o-${String(i).padStart(7, '0')}`);
  const names = waiting.values();
  const lane = async () => {
    for (const object of names) {
      await account.do([201], 'PUT', { container: CONTAINER, object, body: '' });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  upstream.close();
  auth.close();
}
