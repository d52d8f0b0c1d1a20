import { expect } from 'chai';
import { closeEdges } from '../http/support/edge.js';
import { readCorpus } from './corpus.js';
import { judge } from './edge-judge.js';
import { EdgeTarget } from './edge-target.js';
import { hostileCase } from './hostile-case.js';
import { fuzzPlan, replayHint } from './plan.js';
import { caseRandom } from './random.js';
import { pieceText, type Piece } from './wire.js';

/** A case that is kept, since it once showed something, or since everybody tries it. */
interface KeptCase {
  readonly name: string;
  /** Each is a write of its own. */
  readonly pieces: readonly Piece[];
}

const CASES = 1_500;

/**
 * Hostile bytes against the edge, judged by a second reader of HTTP: a handler gets what RFC 9112
 * says was sent, or nothing, and clients get whole answers, each its own.
 */
describe('edge: hostile requests', () => {
  let target: EdgeTarget;

  before(async () => {
    target = new EdgeTarget();
    await target.start();
  });
  after(closeEdges);

  async function problemsOf(pieces: readonly string[], later: boolean): Promise<string[]> {
    const evidence = await target.run(pieces, later);
    const problems = judge(evidence);
    if (problems.length === 0) return [];
    return [
      ...problems,
      `sent: ${JSON.stringify(pieces)}`,
      `evidence: ${JSON.stringify(evidence)}`,
    ];
  }

  for (const { name, pieces } of readCorpus('edge') as readonly KeptCase[]) {
    it(`kept: ${name}`, async () => {
      for (const later of [false, true]) {
        expect(await problemsOf(pieces.map(pieceText), later)).to.deep.equal([]);
      }
    });
  }

  it('out of a seed', async function () {
    const { seed, first, cases } = fuzzPlan(CASES);
    this.timeout(60_000 + cases * 100);
    for (let index = first; index < first + cases; index++) {
      const random = caseRandom(seed, index);
      const problems = await problemsOf(hostileCase(random), random.chance(0.5)).catch(
        (error: unknown) => [String(error)],
      );
      if (problems.length > 0) expect.fail([replayHint(seed, index), ...problems].join('\n'));
    }
    expect(target.errors).to.deep.equal([]);
  });
});
