import { expect } from 'chai';
import { useOnce } from '../support/fixture.js';
import { describeWith } from '../support/needs.js';
import { sharedSwiftLab } from '../support/shared-swift-lab.js';
import { startSwiftLab, SWIFT_NEEDS } from '../support/swift-lab.js';
import { useTempFolder } from '../support/temp-folder.js';
import { KILLED_FAULTS, killDuring, type Victim } from './swift/chaos-kills.js';

const ORDERS: readonly (readonly Victim[])[] = [
  ['console', 'supervisor', 'dead-man'],
  ['console', 'dead-man', 'supervisor'],
  ['supervisor', 'console', 'dead-man'],
  ['supervisor', 'dead-man', 'console'],
  ['dead-man', 'console', 'supervisor'],
  ['dead-man', 'supervisor', 'console'],
];
const EVERYTHING = ['console', 'supervisor', 'dead-men'] as const;
/** Every fault is back so long after its time at the latest. */
const LATE_S_MAX = 10;

const all = process.env.RINGWAY_FAULTS === 'all';
/** Every run tries the copy that is away, which no process brings back by itself. */
const faults = all ? KILLED_FAULTS : KILLED_FAULTS.filter(({ fault }) => fault === 'remove_replica'); // prettier-ignore
/** One after the other is what the net's own suites try in every run: `test/console/lab/net*`. */
const orders = all ? ORDERS : [];

describeWith(SWIFT_NEEDS, 'a fault whose console, supervisor and dead-men are killed', function () {
  this.timeout(240_000);
  // One of the faults kills a worker of two.
  const lab = useOnce(async () =>
    all ? await startSwiftLab({ proxyWorkers: 2 }) : await sharedSwiftLab(),
  );

  after(async () => {
    if (all) await lab().close();
  });

  const folder = useTempFolder('chaos-kills');

  for (const one of faults) {
    for (const order of [...orders, EVERYTHING]) {
      it(`takes ${one.fault} back: ${order.join(', ')}`, async () => {
        const { lateS, doneS, wasBroken, lines } = await killDuring(one, order, lab(), folder());
        const figures = [lateS, doneS].map((seconds) => seconds.toFixed(1)).join(' | ');
        const row = `| ${one.fault} | ${order.join(', ')} | ${figures} | ${lines.at(-1)} |`;
        if (all) process.stdout.write(`${row}\n`);
        if (one.stays) expect(wasBroken, 'broken, once all were killed').to.equal(true);
        // A limit for a machine that has nothing else to do: who asks for all wants to know.
        if (all) expect(lateS).to.be.lessThan(LATE_S_MAX);
        expect(lines[0]).to.equal('armed console');
        const by = order === EVERYTHING ? ['reverted console', 'reverted supervisor'] : ['reverted dead_man']; // prettier-ignore
        expect(by).to.include(lines.at(-1));
      });
    }
  }
});
