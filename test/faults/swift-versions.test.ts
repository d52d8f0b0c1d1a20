import { expect } from 'chai';
import { describeWith } from '../support/needs.js';
import { S3TestClient, type S3Address } from '../support/s3-client.js';
import { startService, type Service } from '../support/service.js';
import { sharedSwiftLab } from '../support/shared-swift-lab.js';
import { STACK } from '../support/stack.js';
import { SWIFT_NEEDS, type SwiftLab } from '../support/swift-lab.js';
import { expectRight } from './race/last-look.js';
import { Race } from './race/race.js';
import { RunningGateways } from './race/services.js';
import { improperErrors, mayBeOld } from './swift/check.js';

/** Of this run alone: the lab may have seen another. */
const BUCKET = `versions-race-${Date.now()}`;
const GATEWAYS = 2;
const KEYS = ['key-0', 'key-1', 'key-2', 'key-3'];
const CLIENTS = 3;

/** Operations before, during and after each fault; what fails at once counts as well. */
const OPERATIONS = 10;

/** That were acknowledged: with fewer, a history proves little. */
const PUTS_LEAST = 20;

const LOG_CHARACTERS = 4000;

/** One after the other, each mended before the next. */
const FAULTS: readonly (readonly string[])[] = [
  ['object-server.node1'],
  ['memcached'],
  ['proxy-2'],
  ['container-server.node2'],
];

/**
 * Two gateways, and clients that write, delete, list and read the same keys through either, while
 * servers of the cluster are killed and come back. SPEC.md 3.1 holds at the end: every acknowledged
 * version is in its key's index, once, and in order.
 */
describeWith(SWIFT_NEEDS, 'versions on a Swift cluster whose servers are killed', function () {
  this.timeout(300_000);
  let lab: SwiftLab;
  const services: Service[] = [];

  before(async () => {
    lab = await sharedSwiftLab();
    const configFile = lab.configFile(STACK === 'swift-direct');
    while (services.length < GATEWAYS) {
      services.push(await startService({ configFile, listeners: 1 }));
    }
  });

  after(async () => {
    await Promise.all(services.map((service) => service.stop()));
    await lab.heal();
  });

  it('are all there and in order', async () => {
    const { key } = lab.user('test:tester');
    const addresses = services.map(({ endpoint }): S3Address => ({
      endpoint,
      accessKey: 'test:tester',
      secretKey: key,
    }));
    const ground = new RunningGateways(addresses, BUCKET);
    const race = new Race(ground, { keys: KEYS, clients: CLIENTS });
    await makeBucket(addresses[0]!);
    await race.director.setState('Enabled');

    const acknowledged = () =>
      race.operations.filter(({ op, outcome }) => op === 'put' && outcome.result === 'ok');
    race.start();
    await race.passed(OPERATIONS);
    for (const fault of FAULTS) {
      await lab.killServices(...fault);
      await race.passed(OPERATIONS);
      await lab.startServices(...fault);
      await race.passed(OPERATIONS);
    }
    // Operations that are refused at once count above, and prove nothing.
    await race.reached(() => acknowledged().length > PUTS_LEAST);
    await race.stop();

    await lab.runOnce('updater');
    await lab.runOnce('replicator');
    const raced = await race.finish().catch(explain);
    expect(acknowledged().length).to.be.above(PUTS_LEAST);
    expect(improperErrors(raced.operations)).to.deep.equal([]);
    // The director looks when all is repaired.
    const operations = raced.operations.filter(
      (operation) => operation.client === 'director' || !mayBeOld(operation),
    );
    expectRight({ ...raced, operations }, { seenIsFirm: false });
  });

  /** Why a cluster that is mended does not answer is in the gateways' logs, and nowhere else. */
  async function explain(error: unknown): Promise<never> {
    const logs = services.map((service) => service.output().slice(-LOG_CHARACTERS));
    const cluster = (await lab.status()).filter(({ health }) => health !== 'up');
    const message = `${String(error)}\n${JSON.stringify(cluster)}\n${logs.join('\n')}`;
    throw new Error(message, { cause: error });
  }

  async function makeBucket(address: S3Address): Promise<void> {
    const s3 = new S3TestClient(address);
    const { status, text } = await s3.put(`/${BUCKET}`);
    expect(status, text).to.equal(200);
    await s3.close();
  }
});
