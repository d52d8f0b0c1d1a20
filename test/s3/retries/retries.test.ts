import { expect } from 'chai';
import type { Backend } from '../../../src/backend/backend.js';
import { FaultyBackend, type FaultRates } from '../../support/backend/faulty.js';
import { openEmbeddedStore } from '../../../src/backend/embedded/index.js';
import { useOnce } from '../../support/fixture.js';
import { useTempFolderOnce } from '../../support/temp-folder.js';
import { Gateway, type Answer } from './gateway.js';
import { SCENARIOS, type Scenario } from './scenarios.js';
import { plain, snapshot } from './snapshot.js';

/**
 * A client that is told to try again gets what it would have got at once, whatever call of the store
 * it was that failed: what is told to have failed has not happened.
 */

/** The faults that a client is told of, or should be. Lost answers are for the races. */
type Fault = Exclude<keyof FaultRates, 'delayMsMax' | 'lost'>;
const FAULTS: readonly Fault[] = ['refused', 'stale', 'full', 'cut'];

/** The errors that ask to try again later, by status; with 200 in a document that had begun. */
const LATER: Readonly<Record<number, readonly string[]>> = {
  200: ['OperationAborted', 'ServiceUnavailable', 'InsufficientStorage'],
  409: ['OperationAborted'],
  503: ['ServiceUnavailable'],
  507: ['InsufficientStorage'],
};

const NULL_VERSION = /^ *x-amz-(?:copy-source-)?version-id: null\n/gm;

/** Which of the calls that can fail so is to do so. */
interface Failing {
  readonly fault: Fault;
  /** From 1; 0: none. */
  readonly at: number;
}

interface Run {
  readonly first: Answer;
  /** Undefined when there was no need. */
  readonly second: Answer | undefined;
  readonly state: readonly string[];
  /** Calls that could have failed. */
  readonly chances: number;
}

describe('s3: a request whose calls of the store fail, one at a time', function () {
  this.timeout(60_000);
  const directory = useTempFolderOnce('retries');
  const embedded = useOnce(
    () => openEmbeddedStore({ directory: directory(), inlineBodyBytesMax: 1024 }),
    'close',
  );
  let accounts = 0;

  async function run(store: Backend, scenario: Scenario, { fault, at }: Failing): Promise<Run> {
    const account = `AUTH_${++accounts}`;
    let chances = 0;
    const failing = new FaultyBackend(store, { [fault]: 0.5 }, () => (++chances === at ? 0 : 1));
    const sound = new Gateway(store, account);
    const gateway = new Gateway(failing, account);
    const request = await scenario.prepare(sound);
    const first = await gateway.send(request);
    const met = chances;
    chances = Infinity;
    const again = isForLater(first)
      ? request
      : isInPart(first)
        ? scenario.rest?.(first)
        : undefined;
    const second = again && (await gateway.send(again));
    const isIdle = at === 0 && met === 0;
    const state = isIdle ? [] : await snapshot(sound, store, account);
    await Promise.all([gateway.close(), sound.close()]);
    return { first, second, state, chances: met };
  }

  async function check(store: Backend, scenario: Scenario, fault: Fault): Promise<void> {
    const sound = await run(store, scenario, { fault, at: 0 });
    const wanted = plain(sound.first);
    // Whether the bucket keeps versions by now is told where it can be found out.
    const silent = wanted.replaceAll(NULL_VERSION, '');
    const calls = Array.from({ length: sound.chances }, (_, index) => index + 1);
    const checked = calls.map(async (at) => {
      const { first, second, state } = await run(store, scenario, { fault, at });
      const where = `${fault}, ${at} of ${calls.length}: ${first.status} ${first.code ?? ''}`;
      if (second === undefined) expect([wanted, silent], where).to.include(plain(first));
      else if (scenario.rest === undefined) expect(plain(second), where).to.equal(wanted);
      else expect(isForLater(second) || isInPart(second), where).to.equal(false);
      expect(differences(sound.state, state), where).to.deep.equal([]);
    });
    await Promise.all(checked);
  }

  for (const scenario of SCENARIOS) {
    it(scenario.name, async () => {
      await Promise.all(FAULTS.map((fault) => check(embedded(), scenario, fault)));
    });
  }
});

/** The lines that only one of them has. */
function differences(wanted: readonly string[], found: readonly string[]): readonly string[] {
  const only = (sign: string, some: readonly string[], others: readonly string[]) =>
    some.filter((line) => !others.includes(line)).map((line) => `${sign} ${line}`);
  return [...only('-', wanted, found), ...only('+', found, wanted)];
}

/** Without a body there is no code: the answer to HEAD. */
function isForLater({ status, code, text, isCut }: Answer): boolean {
  if (isCut) return true;
  const codes = LATER[status];
  if (code === undefined) return codes !== undefined && status !== 200 && text === '';
  return codes?.includes(code) === true;
}

/** In a document of several outcomes. */
function isInPart({ status, text }: Answer): boolean {
  return status === 200 && LATER[200]?.some((code) => text.includes(`<Code>${code}<`)) === true;
}
