import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { eventually } from '../support/eventually.js';
import { useOnce } from '../support/fixture.js';
import { describeWith } from '../support/needs.js';
import { sharedSwiftLab } from '../support/shared-swift-lab.js';
import { SwiftClient, type SwiftAnswer } from '../support/swift-client.js';
import { SWIFT_NEEDS } from '../support/swift-lab.js';

const POLICIES = ['gold', 'silver', 'ec21'];
const CREATORS = 20;

/** Rounds for each policy; 1000 were run before a release, see docs/swift.md. */
const ROUNDS = Number(process.env.RINGWAY_FENCE_ROUNDS ?? '12');

const WON_BY_NOBODY_MAX = 3;

/** So that memcached is restarted in between even with few rounds. */
const RESTARTS = Math.max(2, Math.floor(ROUNDS / 50));

/** A body that the filter reads into memory, and one that it does not. */
const SHORT_BYTES = 200;
const LONG_BYTES = 200_000;

interface Round {
  readonly path: string;
  readonly answers: readonly SwiftAnswer[];
}

describeWith(SWIFT_NEEDS, 'exclusive creation through two proxies', function () {
  this.timeout(60_000 + ROUNDS * 20_000);
  const lab = useOnce(sharedSwiftLab);
  const gateway = useOnce(() => SwiftClient.gateway(lab()), 'close');

  after(async () => {
    await startMemcached();
  });

  const create = (path: string, body: Buffer | string, proxy = 0) =>
    gateway().send('PUT', path, {
      headers: { 'if-none-match': '*', 'x-gateway-create': 'exclusive' },
      body,
      proxy,
    });

  /** Creators of one new object, all at once, by turns through the proxies. */
  async function race(container: string, bytes: number): Promise<Round> {
    const path = `${container}/${randomBytes(8).toString('hex')}`;
    const creators = Array.from({ length: CREATORS }, (_, index) =>
      create(path, Buffer.alloc(bytes, index), index % lab().state.endpoints.length),
    );
    return { path, answers: await Promise.all(creators) };
  }

  /** At most one was told 201, and what is stored is then its; the others know why not. */
  async function check({ path, answers }: Round): Promise<number> {
    const winners = answers.flatMap(({ status }, index) => (status === 201 ? [index] : []));
    expect(winners, path).to.have.length.at.most(1);
    for (const { status, headers } of answers) {
      // 401: tokens live in the memcached that a test restarts.
      expect(status).to.be.oneOf([201, 401, 409, 412, 503]);
      if (status === 409) expect(headers['x-gateway-create']).to.equal('busy');
    }
    if (winners.length === 1) {
      // Tokens may be unknown for a moment, see above.
      const { body } = await eventually(
        () => gateway().send('GET', path, { headers: { 'x-newest': 'true' } }),
        ({ status }) => status === 200,
      );
      expect(body[0], path).to.equal(winners[0]);
    }
    return winners.length;
  }

  /**
   * A proxy may have a connection left to a memcached that was restarted: who comes to that is told
   * 503, also who would have won.
   */
  async function isWon(round: Round): Promise<boolean> {
    if ((await check(round)) === 1) return true;
    const statuses = round.answers.map(({ status }) => status);
    expect(statuses, round.path).to.include(503);
    return false;
  }

  /** Starts it, unless it runs, and waits until each proxy knows tokens again. */
  async function startMemcached(): Promise<void> {
    await lab().startServices('memcached');
    for (const proxy of lab().state.endpoints.keys()) {
      await eventually(
        () => gateway().send('GET', '/v1/AUTH_test?limit=1', { proxy }),
        ({ status }) => status < 300,
      );
    }
  }

  for (const policy of POLICIES) {
    describe(`on policy ${policy}`, () => {
      const container = `/v1/AUTH_test/fences-${policy}-${randomBytes(4).toString('hex')}`;

      before(() => gateway().send('PUT', container, { headers: { 'x-storage-policy': policy } }));

      it(`has one winner in each of ${ROUNDS} rounds`, async () => {
        let wonByNobody = 0;
        for (let round = 0; round < ROUNDS + wonByNobody; round++) {
          if (await isWon(await race(container, SHORT_BYTES))) continue;
          wonByNobody += 1;
          expect(wonByNobody, `in round ${round}`).to.be.at.most(WON_BY_NOBODY_MAX);
        }
      });

      it('has one winner with long bodies', async () => {
        for (let round = 0; round < Math.ceil(ROUNDS / 10); round++) {
          await eventually(
            async () => isWon(await race(container, LONG_BYTES)),
            (won) => won,
          );
        }
      });

      it(`has at most one while memcached restarts, ${RESTARTS} times`, async () => {
        for (let round = 0; round < RESTARTS; round++) {
          const restarted = lab().killServices('memcached').then(startMemcached);
          for (let wave = 0; wave < 3; wave++) await check(await race(container, SHORT_BYTES));
          await restarted;
        }
        await eventually(
          async () => check(await race(container, SHORT_BYTES)),
          (winners) => winners === 1,
        );
      });

      it('says which exist', async () => {
        const path = `${container}/exists`;
        // 503 as long as a connection to the memcached from before is left.
        await eventually(
          () => create(path, 'one'),
          ({ status }) => status === 201,
        );
        for (const body of ['two', Buffer.alloc(LONG_BYTES)]) {
          expect((await create(path, body, 1)).status).to.equal(412);
        }
        expect((await gateway().send('GET', path)).text).to.equal('one');
      });

      it('creates nothing without memcached', async () => {
        const path = `${container}/unfenced`;
        await lab().killServices('memcached');
        try {
          // 401: with nothing cached the proxy cannot tell who asks.
          for (const body of ['short', Buffer.alloc(LONG_BYTES)]) {
            const { status } = await create(path, body);
            expect(status).to.be.oneOf([401, 503]);
          }
        } finally {
          await startMemcached();
        }
        expect((await gateway().send('HEAD', path)).status).to.equal(404);
      });
    });
  }
});
