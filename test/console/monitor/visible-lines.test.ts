import { expect } from 'chai';
import fc from 'fast-check';
import {
  LINES_MAX,
  tailOf,
  type LogEntry,
  type LogQuery,
} from '../../../console/surfaces/monitor/logs/log-store.js';
import { Logs, type LogSearch } from '../../../console/surfaces/monitor/logs/logs.js';
import { redactLine } from '../../../console/surfaces/monitor/logs/redact.js';
import { visibleLines } from '../../../console/surfaces/monitor/logs/visible-lines.js';
import { LogTail } from '../../../supervisor/log-tail.js';
import { labelValues, queryRange } from '../../../supervisor/loki.js';
import { addressesOf } from './support.js';

const NOW_S = Date.parse('2026-01-15T10:30:00.000Z') / 1000;
const ADDRESSES = addressesOf({
  adminUrl: 'http://gateway.example:9464',
  storeBase: 'http://10.0.0.1:8080',
  authUrl: 'http://10.0.0.1:8080/auth/v1.0',
});

/** A log of so many lines, and which queries it was asked. */
class FakeLog {
  readonly asked: (string | undefined)[] = [];

  #nowMs = 0;

  /** @param takesMs - how long each query takes */
  constructor(
    readonly entries: readonly LogEntry[],
    readonly takesMs = 0,
  ) {}

  search(contains: string, limit: number) {
    let part: string | undefined;
    const range = ({ fromS, toS, limit: most }: LogQuery) => {
      this.asked.push(part);
      this.#nowMs += this.takesMs;
      const entries = this.entries
        .filter(({ unixS, line }) => unixS >= fromS && unixS < toS && line.includes(part ?? ''))
        .sort((a, b) => b.unixS - a.unixS)
        .slice(0, most);
      return Promise.resolve({ entries, completeFromS: null, nowS: null });
    };
    const show = ({ unixS, line }: LogEntry) => ({ unixS, line: redactLine(line) });
    const query = (wanted: string | undefined) => {
      part = wanted;
      return '';
    };
    const search = { query, contains, fromS: 0, toS: 1000, limit };
    return visibleLines(range, show, search, () => this.#nowMs);
  }
}

const entry = (line: string, unixS: number): LogEntry => ({ unixS, labels: {}, line });

describe('log lines that a user may see', () => {
  it('are all those, and only those, that have the text as they are shown', async () => {
    const text = fc.constantFrom('token=abc', 'abc', 'ab', ' ', 'secret', '[', ']');
    const line = fc.array(text, { maxLength: 3 }).map((parts) => parts.join(''));
    const time = fc.integer({ min: 1, max: 4 }).map((ms) => ms / 1000);
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(line, time)),
        fc.oneof(line, text),
        fc.integer({ min: 1, max: 4 }),
        async (given, contains, limit) => {
          const log = new FakeLog(given.map(([one, unixS]) => entry(one, unixS)));
          const wanted = log.entries
            .map(({ unixS, line: one }) => ({ unixS, line: redactLine(one) }))
            .filter(({ line: one }) => one.includes(contains))
            .sort((a, b) => b.unixS - a.unixS);
          const { lines, hasMore } = await log.search(contains, limit);
          expect(lines).to.deep.equal(wanted.slice(0, limit));
          expect(hasMore).to.equal(wanted.length > limit);
        },
      ),
      { numRuns: 2000 },
    );
  });

  it('are found behind thousands that have the text only where it is hidden', async () => {
    const hidden = Array.from({ length: 2 * LINES_MAX }, (_, i) => entry('token=abc', 2 + i / 1e3));
    const log = new FakeLog([entry('abc', 1), ...hidden]);
    const { lines, hasMore } = await log.search('abc', 10);
    expect(lines.map(({ line }) => line)).to.deep.equal(['abc']);
    expect(hasMore).to.equal(false);
    expect(new Set(log.asked)).to.deep.equal(new Set(['abc']));
  });

  it('come to an end in a log that has no end', async () => {
    const log = new FakeLog(
      Array.from({ length: 11 * LINES_MAX }, (_, i) => entry('token=abc', 1 + i / 1e3)),
    );
    const { lines, hasMore } = await log.search('abc', 10);
    expect(lines).to.deep.equal([]);
    expect(hasMore).to.equal(true);
    expect(log.asked.length).to.be.at.most(10);
  });

  it('come to an end before the page gives up, where the log store is slow', async () => {
    const hidden = Array.from({ length: 9 * LINES_MAX }, (_, i) => entry('token=abc', 1 + i / 1e3));
    const log = new FakeLog([...hidden, entry('abc', 100)], 9000);
    const { lines, hasMore } = await log.search('abc', 10);
    expect(lines.map(({ line }) => line)).to.deep.equal(['abc']);
    expect(hasMore).to.equal(true);
    expect(log.asked).to.have.length(2);
  });

  it('come to an end where all are of one millisecond', async () => {
    const same = Array.from({ length: LINES_MAX + 1 }, () => entry('token=abc', 1));
    expect(await new FakeLog(same).search('abc', 1)).to.include({ hasMore: true });
  });
});

describe('log of the gateway in the console', () => {
  const SECRET = 'S3cr3tValue0123456789';

  function logOf(lines: readonly string[], bytesMax?: number) {
    const tail = new LogTail(bytesMax, (NOW_S - 1800) * 1000);
    lines.forEach((msg, index) => {
      const time = new Date((NOW_S - lines.length + index) * 1000).toISOString();
      tail.add(JSON.stringify({ time, level: 'info', process: 'listener', msg }), '');
    });
    const get = (path: string) => {
      const { pathname, searchParams } = new URL(path, 'http://gateway');
      const { status, body } = pathname.endsWith('/values')
        ? labelValues(tail, pathname.split('/').at(-2) ?? '')
        : queryRange(tail, searchParams, NOW_S * 1000);
      return Promise.resolve({ status, text: JSON.stringify(body) });
    };
    const logs = new Logs(tailOf({ get }), ADDRESSES, () => NOW_S * 1000);
    const wish = { services: [], nodes: [], fromS: NOW_S - 3600, toS: NOW_S, limit: 10 };
    return (search: Partial<LogSearch> = {}) => logs.search({ ...wish, ...search });
  }

  it('does not tell by its answers what is hidden', async () => {
    const search = logOf([
      `asked with X-Auth-Token: ${SECRET}`,
      'GET http://10.0.0.1:8080/v1 failed at gateway.example',
      'plain',
    ]);
    const nothing = await search({ contains: 'is not in it' });
    expect(nothing.lines).to.deep.equal([]);
    for (const contains of [SECRET, 'S3cr', '10.0.0.1', '0.1:80', 'gateway', 'y.exam', ': S3']) {
      expect(await search({ contains }), contains).to.deep.equal(nothing);
    }
    for (const contains of ['[secret]', 'Token: [', '(address)/v1', 'failed at (', 'dress']) {
      expect((await search({ contains })).lines, contains).to.have.length(1);
    }
  });

  it('takes no name of a node that it does not show', async () => {
    const search = logOf(['plain']);
    expect((await search({ nodes: ['10.0.0.1'] })).lines).to.deep.equal([]);
  });

  it('says from when on it is complete, also to a user who filters for few lines', async () => {
    const search = logOf(
      ['wanted', ...Array.from({ length: 999 }, (_, i) => `line ${i}`)],
      100_000,
    );
    const { lines } = await search({ limit: 1000 });
    const oldest = lines.at(-1)?.unix_s ?? 0;
    expect(lines.length).to.be.within(100, 900);
    // A millisecond behind the last one that was let go.
    const completeFrom = oldest - 1 + 0.001;
    const whole = { complete_from_unix_s: completeFrom, seen_to_unix_s: NOW_S };
    expect(await search({ contains: 'wanted' })).to.deep.include({ ...whole, lines: [] });
    expect(await search({ contains: 'line 998' })).to.deep.include(whole);
    expect(await search({ level: 'error' })).to.deep.include(whole);
    expect(await search({ fromS: oldest })).to.deep.include({ complete_from_unix_s: null });
    const earlier = await search({ fromS: oldest, toS: NOW_S - 5 });
    expect(earlier.seen_to_unix_s).to.equal(NOW_S - 5);
  });

  it('is whole from its start on, as long as nothing is let go', async () => {
    const search = logOf(['one', 'two']);
    expect((await search()).complete_from_unix_s).to.equal(NOW_S - 1800);
    expect((await search({ fromS: NOW_S - 900 })).complete_from_unix_s).to.equal(null);
  });
});
