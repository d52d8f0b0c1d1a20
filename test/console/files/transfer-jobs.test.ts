import { expect } from 'chai';
import fc from 'fast-check';
import type { OnTaken } from '../../../console/surfaces/files/transfers.js';
import { bodiesOf, each, move, run, swiftWith } from './transfers-support.js';

const NAMES = ['a', 'b', 'c', 'd/a', 'd/b', 'd/d/a', 'e'];
const name = fc.constantFrom(...NAMES);
const container = fc.constantFrom('x', 'y');

interface Job {
  readonly there: (readonly [container: string, name: string])[];
  readonly pairs: (readonly [from: string, to: string])[];
  readonly to: string;
  readonly removes: boolean;
  readonly onTaken: OnTaken;
  readonly role: 'admin' | 'member';
  readonly uploads: { readonly at: number; readonly container: string; readonly name: string }[];
  readonly pauses: number[];
}

const upload = fc.record({ at: fc.nat(60), container, name });
const JOB: fc.Arbitrary<Job> = fc.record({
  there: fc.uniqueArray(fc.tuple(container, name), {
    selector: (one) => one.join('/'),
    maxLength: 10,
  }),
  pairs: fc.array(fc.tuple(name, name), { minLength: 1, maxLength: 7 }),
  to: container,
  removes: fc.boolean(),
  onTaken: fc.constantFrom('fail' as const, 'replace' as const, 'rename' as const),
  role: fc.constantFrom('admin' as const, 'member' as const),
  uploads: fc.array(upload, { maxLength: 6 }),
  pauses: fc.array(fc.nat(4), { minLength: 1, maxLength: 8 }),
});
/** A circle whose first object is written over while it makes way, at any moment. */
const OVERTAKEN = Array.from({ length: 16 }, (_, at): [Job] => [
  {
    there: [['x', 'd/a']],
    pairs: [
      ['d/a', 'd/d/a'],
      ['d/d/a', 'd/a'],
    ],
    uploads: [{ at, container: 'x', name: 'd/a' }],
    ...{ to: 'x', removes: true, onTaken: 'fail', role: 'admin', pauses: [0] },
  },
]);
const RUNS = Number(process.env.RINGWAY_TRANSFER_JOBS ?? 600);

describe('console files: no job loses contents', () => {
  it('whatever it is, and whoever uploads meanwhile', async () => {
    await fc.assert(
      fc.asyncProperty(JOB, async (given) => {
        const { there, pairs, to, removes, onTaken, role, uploads, pauses } = given;
        const swift = swiftWith(
          Object.fromEntries(
            there.map(([where, what]) => [`${where}/${what}`, `${where}:${what}`]),
          ),
        );
        let at = 0;
        swift.before = async () => {
          for (let left = pauses[at % pauses.length] ?? 0; left > 0; left--)
            await Promise.resolve();
          at += 1;
          for (const [index, one] of uploads.entries()) {
            if (one.at === at) swift.put(one.container, one.name, `upload ${index}`);
          }
        };
        const rename = (object: string, taken: number) => `${object}~${taken}`;
        const job = { container: 'x', to_container: to, removes, onTaken, rename };
        const transfers = pairs.map(([from, target]) => ({
          name: from,
          from: { container: 'x', object: from },
          to: { container: to, object: target },
        }));
        const result = await run(swift, job, () => each(transfers), role);
        const replaced = result.replaced?.names ?? [];
        for (const { body, key, by } of swift.losses) {
          if (swift.uploadedOver.has(body)) continue;
          const object = key.slice(to.length + 1);
          expect(by === 'copy' && replaced.includes(object), `${body}, lost by a ${by}`).to.equal(
            true,
          );
          expect(role === 'admin' && onTaken === 'replace', `${body} by ${role}`).to.equal(true);
        }
        const told = JSON.stringify(result.failures);
        for (const key of swift.objects.keys()) {
          if (key.includes('.moving-')) expect(told).to.include(key.slice(to.length + 1));
        }
      }),
      { numRuns: RUNS, examples: OVERTAKEN },
    );
  });

  it('and moves as if all moved at once, where each target is free or moves away', async () => {
    let moved = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(name, { minLength: 1, maxLength: 6 }),
        fc.shuffledSubarray([...NAMES, 'f', 'g'], { minLength: 6 }),
        fc.constantFrom('fail', 'replace'),
        fc.boolean(),
        async (sources, targets, onTaken, ignoresConditions) => {
          const pairs = sources.map((from, i) => [from, targets[i] ?? ''] as const);
          const bodies = Object.fromEntries(sources.map((from) => [`x/${from}`, from]));
          // As plain Swift is: what no condition decides has been looked at.
          const swift = swiftWith(bodies, { ignoresConditions });
          const result = await move(swift, pairs, { onTaken });
          expect(result).to.deep.equal({ succeeded: pairs.length, failed: 0, failures: [] });
          const expected = pairs.map(([from, to]) => [`x/${to}`, from]).sort();
          expect(bodiesOf(swift)).to.deep.equal(Object.fromEntries(expected));
          moved += 1;
        },
      ),
      { numRuns: RUNS / 2 },
    );
    expect(moved).to.be.at.least(RUNS / 2);
  });
});
