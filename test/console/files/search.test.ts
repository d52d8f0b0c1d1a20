import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import fc from 'fast-check';
import { ApiError } from '../../../console/server/api-error.js';
import { ComputeThread } from '../../../console/server/compute-thread.js';
import { nameMatcher, PatternError } from '../../../console/surfaces/files/name-matcher.js';
import { search, type Comparer } from '../../../console/surfaces/files/search.js';
import run, {
  type SearchAnswer,
  type SearchTask,
} from '../../../console/surfaces/files/search-thread.js';
import type { SwiftAccount } from '../../../console/swift/account.js';
import { failureOf } from '../../support/failure.js';

const EVIL = '(?:a?a*){95}b';
const LONG = 'a'.repeat(1000);

function listingOf(...names: string[]): Buffer {
  const rows = names.map((name) => ({
    name,
    bytes: 1,
    last_modified: '2026-01-02T03:04:05.000000',
  }));
  return Buffer.from(JSON.stringify(rows));
}

function taskOf(listing: Buffer, more: Partial<SearchTask> = {}): SearchTask {
  const wanted = { q: EVIL, mode: 'regex' } as const;
  return { name: 'search', wanted, listing, hitsMax: 10, msMax: 60_000, ...more };
}

const answerTo = (task: SearchTask): SearchAnswer => run({ task, progress: null });

/** A store whose every page is this one. */
function storeOf(listing: Buffer): SwiftAccount {
  const read = () => Promise.resolve({ answer: { status: 200 }, body: listing });
  return { read } as unknown as SwiftAccount;
}

describe('console search: patterns', () => {
  it('find what JavaScript finds, for patterns of every form', () => {
    const atom = fc.constantFrom('a', 'b', '.', '[ab]', '[^a]', '\\d', '(a|b)', '(?:ab)', '(a|)');
    const repeat = fc.constantFrom('', '*', '+', '?', '{2}', '{1,2}', '{1,}', '{0}');
    const piece = fc.tuple(atom, repeat).map(([one, times]) => one + times);
    const sequence = fc.array(piece, { maxLength: 4 }).map((pieces) => pieces.join(''));
    const pattern = fc
      .tuple(fc.constantFrom('', '^'), sequence, sequence, fc.constantFrom('', '$'))
      .map(([start, one, two, end]) => `${start}${one}|${two}${end}`);
    const text = fc.string({ unit: fc.constantFrom('a', 'b', 'B', '1', '/'), maxLength: 8 });
    fc.assert(
      fc.property(pattern, text, (source, given) => {
        const expected = new RegExp(source, 'isu').test(given);
        expect(nameMatcher(source, 'regex')(given), `${source} on ${given}`).to.equal(expected);
      }),
      { numRuns: 500, seed: 1 },
    );
  });

  it('take case and characters of more than one unit as people do', () => {
    const cases: readonly (readonly [string, string, boolean])[] = [
      ['^Ü.☃$', 'ü😀☃', true],
      ['[A-C]+x', 'ZabcX', true],
      ['a\\.txt$', 'A.TXT', true],
      ['a\\.txt$', 'aXtxt', false],
      ['^\\pL+$', 'Straße', true],
    ];
    for (const [pattern, name, expected] of cases) {
      expect(nameMatcher(pattern, 'regex')(name), pattern).to.equal(expected);
    }
  });

  it('say what is wrong with a pattern', () => {
    const wrong = ['(', ')', '[', 'a**', '*', '\\', '\\q', 'a{3,2}', '(?=a)', '(?<=a)', '\\1'];
    for (const source of [...wrong, '[b-a]', '((', '(a{100}){100}', 'a{1001}']) {
      expect(() => nameMatcher(source, 'regex'), source).to.throw(PatternError, /^The pattern /);
    }
    const wanted = { q: '(', mode: 'regex' } as const;
    const answer = answerTo(taskOf(listingOf('a'), { wanted }));
    expect(answer).to.deep.equal({
      kind: 'pattern',
      problem: 'The pattern cannot be read: missing closing ).',
    });
  });
});

describe('console search: the thread', () => {
  it('compares by name, size and day, up to so many hits', () => {
    const listing = listingOf('a1', 'b', 'A2', 'a3');
    const compare = (wanted: object, hitsMax = 10): SearchAnswer =>
      answerTo(taskOf(listing, { wanted: { q: 'a', mode: 'substring', ...wanted }, hitsMax }));
    const hit = (name: string): object => ({
      name,
      bytes: 1,
      last_modified: '2026-01-02T03:04:05.000000Z',
    });
    const all = { kind: 'page', rows: 4, scanned: 4, last: 'a3' };
    expect(compare({})).to.deep.equal({ ...all, hits: ['a1', 'A2', 'a3'].map(hit) });
    expect(compare({}, 2)).to.deep.equal({
      ...{ kind: 'page', rows: 4, scanned: 3, last: 'A2' },
      hits: ['a1', 'A2'].map(hit),
    });
    expect(compare({ q: '?', mode: 'glob' })).to.deep.equal({ ...all, hits: [hit('b')] });
    for (const none of [{ bytes_min: 2 }, { bytes_max: 0 }, { since: '2026-01-03' }]) {
      expect(compare(none), JSON.stringify(none)).to.deep.equal({ ...all, hits: [] });
    }
    expect(compare({ until: '2026-01-01' })).to.deep.equal({ ...all, hits: [] });
  });

  it('knows what is no listing', () => {
    for (const text of ['', '[]']) {
      expect(answerTo(taskOf(Buffer.from(text)))).to.include({ kind: 'page', rows: 0 });
    }
    for (const text of ['{}', '[', 'null']) {
      expect(answerTo(taskOf(Buffer.from(text)))).to.deep.equal({ kind: 'no_listing' });
    }
  });

  it('compares no further name behind its deadline', () => {
    const answer = answerTo(taskOf(listingOf('aab', 'b'), { msMax: 0 }));
    expect(answer).to.deep.equal({
      ...{ kind: 'page', rows: 2, scanned: 0, last: undefined },
      hits: [],
    });
  });

  it('leaves the event loop to others, whatever the pattern', async () => {
    const file = fileURLToPath(
      new URL('../../../console/surfaces/files/search-thread.js', import.meta.url),
    );
    const thread = new ComputeThread<SearchTask, SearchAnswer>({
      file,
      logger: { error: () => undefined },
    });
    try {
      let isDone = false;
      const listing = listingOf(...Array.from({ length: 50 }, (_, at) => `${LONG}${at}`), 'aab');
      const running = thread.run(taskOf(listing)).finally(() => {
        isDone = true;
      });
      await setImmediate();
      expect(isDone).to.equal(false);
      expect(await running).to.include({ kind: 'page', rows: 51, scanned: 51, last: 'aab' });
    } finally {
      await thread.close();
    }
  });
});

describe('console search: its pages', () => {
  const place = { container: 'c', prefix: '', pages_max: 3 };
  const wanted = { q: EVIL, mode: 'regex' } as const;

  async function linesOf(
    thread: Comparer,
    signal = new AbortController().signal,
  ): Promise<object[]> {
    const lines: object[] = [];
    for await (const one of search(storeOf(listingOf('a')), thread, place, wanted, signal)) {
      lines.push(one);
    }
    return lines;
  }

  /** A thread that answers so, each time; and each time with what it was given. */
  function answering(answer: SearchAnswer, tasks: SearchTask[] = []): Comparer {
    return {
      run: (task) => {
        tasks.push(task);
        return Promise.resolve(answer);
      },
    };
  }

  it('end with a clear error where one of them takes too long', async () => {
    const hits = [{ name: 'aab', bytes: 1, last_modified: '' }];
    const late = { kind: 'page', rows: 10_000, scanned: 9, last: 'x', hits } as const;
    const error = await failureOf(linesOf(answering(late)), ApiError);
    expect([error.code, error.message]).to.deep.equal([
      'unprocessable',
      'Comparing names with this pattern takes too long: look for something simpler.',
    ]);
  });

  it('go on until the listing ends, or there were as many as are wanted', async () => {
    const tasks: SearchTask[] = [];
    const full = { kind: 'page', rows: 10_000, scanned: 10_000, last: 'x', hits: [] } as const;
    expect(await linesOf(answering(full, tasks))).to.deep.equal([
      { scanned: 30_000, truncated: true, next_marker: 'x' },
    ]);
    expect(tasks.map(({ msMax }) => msMax > 0)).to.deep.equal([true, true, true]);
    expect(await linesOf(answering({ ...full, rows: 5, scanned: 5 }))).to.deep.equal([
      { scanned: 5, truncated: false, next_marker: null },
    ]);
    const error: unknown = await linesOf(answering({ kind: 'no_listing' })).catch(String);
    expect(error).to.be.a('string');
  });

  it('end where their time is over while names are compared', async () => {
    const time = new AbortController();
    const thread: Comparer = {
      run: (_, call) => {
        time.abort();
        return Promise.reject(call?.signal?.reason as Error);
      },
    };
    expect(await linesOf(thread, time.signal)).to.deep.equal([
      { scanned: 0, truncated: true, next_marker: null },
    ]);
  });
});
