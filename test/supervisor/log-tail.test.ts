import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { expect } from 'chai';
import fc from 'fast-check';
import { LogTail } from '../../supervisor/log-tail.js';
import { labels, labelValues, queryRange } from '../../supervisor/loki.js';
import { wildcards } from '../../supervisor/wildcards.js';

const NOW = Date.parse('2026-01-15T10:30:00.000Z');

/** A line as a process of ours writes it, `age` seconds ago. */
function line(age: number, fields: Readonly<Record<string, unknown>>): string {
  return JSON.stringify({ time: new Date(NOW - age * 1000).toISOString(), ...fields });
}

describe('supervisor: log tail', () => {
  it('keeps the last lines, within its bounds', () => {
    const tail = new LogTail(10_000);
    for (let i = 0; i < 1000; i++) tail.add(`line ${i}\n`, 'janitor');
    const found = [...tail.entries()].map((entry) => entry.line);
    expect(found.at(-1)).to.equal('line 999');
    expect(found).to.have.length.within(10_000 / 210 - 2, 10_000 / 208);
    expect(found).to.deep.equal(found.map((_, index) => `line ${1000 - found.length + index}`));
  });

  it('says from when on it has all lines: from its start, then from the last one that it let go', () => {
    const tail = new LogTail(1000, NOW - 60_000);
    const stats = (query: string): unknown =>
      (queryRange(tail, new URLSearchParams({ query }), NOW).body as { data: { stats: unknown } })
        .data.stats;
    const begun = { tail: { completeFromUnixMs: NOW - 60_000, nowUnixMs: NOW } };
    tail.add(line(50, { level: 'info', process: 'listener' }), '');
    expect(stats('{}')).to.deep.equal(begun);
    // Lines do not arrive in the order of their times.
    for (const age of [30, 40, 20, 10]) tail.add(line(age, { process: 'janitor' }), '');
    expect([...tail.entries()]).to.have.length(3);
    const lost = { tail: { completeFromUnixMs: NOW - 30_000 + 1, nowUnixMs: NOW } };
    expect(stats('{}')).to.deep.equal(lost);
    expect(stats('{process="listener"}')).to.deep.equal(lost);
  });

  it('hands on what a child writes as it is, and makes lines of it', async () => {
    const [stderr, terminal] = [new PassThrough(), new PassThrough()];
    const tail = new LogTail();
    tail.follow(stderr, 'listener', terminal);
    const text = `${line(1, { level: 'info', process: 'listener', worker: 2 })}\n{ no json\nü`;
    const bytes = Buffer.from(`${text}\nlast`);
    for (const byte of bytes) stderr.write(Buffer.of(byte));
    stderr.end();
    await once(stderr, 'end');
    expect(String(terminal.read())).to.equal(bytes.toString());
    const entries = [...tail.entries()];
    const levels = entries.map((entry) => entry.labels.level);
    expect(levels).to.deep.equal(['info', 'unknown', 'unknown', 'unknown']);
    expect(entries[0]).to.deep.include({
      unixMs: NOW - 1000,
      labels: { service: 'ringway', process: 'listener', worker: '2', level: 'info' },
    });
    const rest = entries.slice(1).map((entry) => entry.line);
    expect(rest).to.deep.equal(['{ no json', 'ü', 'last']);
  });
});

describe('supervisor: wildcards', () => {
  it('matches what a regular expression does', () => {
    const piece = fc.constantFrom('a', 'b', 'ab', '.*', '.+', '|', '\\.', '\\|', '-');
    const text = fc.array(fc.constantFrom('a', 'b', '.', '|', '-')).map((parts) => parts.join(''));
    fc.assert(
      fc.property(fc.array(piece), text, fc.boolean(), (parts, given, isWhole) => {
        const source = parts.join('');
        const oracle = new RegExp(isWhole ? `^(?:${source})$` : source, 's');
        expect(wildcards(source, isWhole)?.(given), source).to.equal(oracle.test(given));
      }),
      { numRuns: 2000 },
    );
  });

  it('leaves case alone, or not', () => {
    expect(wildcards('(?i)ERR.*', true)?.('Error')).to.equal(true);
    expect(wildcards('ERR.*', true)?.('Error')).to.equal(false);
  });

  it('knows nothing else', () => {
    for (const source of ['a+', '(a|b)', '[ab]', 'a?', '^a', 'a$', 'a{2}', '.', '\\d', 'a\\']) {
      expect(wildcards(source, false), source).to.equal(undefined);
    }
  });
});

describe('supervisor: log query', () => {
  const tail = new LogTail();
  tail.add(line(50, { level: 'info', process: 'supervisor', msg: 'started' }), '');
  tail.add(line(30, { level: 'error', process: 'listener', worker: 1, request_id: 'tx1' }), '');
  tail.add(line(40, { level: 'warn', process: 'listener', worker: 2, msg: 'slow' }), '');
  tail.add(line(7000, { level: 'error', process: 'janitor', msg: 'long ago' }), '');

  interface Answer {
    readonly status: number;
    readonly ages: readonly number[];
  }

  /** The ages of what is found, stream by stream. */
  function ask(parameters: Readonly<Record<string, string>>): Answer {
    const { status, body } = queryRange(tail, new URLSearchParams(parameters), NOW);
    if (status !== 200) return { status, ages: [] };
    const { data } = body as {
      data: { resultType: string; result: { stream: object; values: [string, string][] }[] };
    };
    expect(data.resultType).to.equal('streams');
    const times = data.result.flatMap(({ values }) =>
      values.map(([ns]) => Number(ns.slice(0, -6))),
    );
    return { status, ages: times.map((ms) => (NOW - ms) / 1000) };
  }

  const table: readonly (readonly [query: string, ages: readonly number[]])[] = [
    ['{service="ringway"}', [30, 40, 50]],
    ['{process="listener"}', [30, 40]],
    ['{process=~"listener|supervisor", level!="error"}', [40, 50]],
    ['{process!~"list.*"}', [50]],
    ['{worker=""}', [50]],
    ['{service="ringway"} |= "tx1"', [30]],
    ['{service="ringway"} != "tx1" |~ "slow|started"', [40, 50]],
    ['{service="ringway"} |= `"msg":"slow"`', [40]],
    ['{nothing="x"}', []],
    ['{}', [30, 40, 50]],
  ];
  for (const [query, ages] of table) {
    it(`finds by ${query}`, () => {
      expect(ask({ query }).ages).to.deep.equal(ages);
    });
  }

  it('takes the newest, or the oldest, within the times that are asked for', () => {
    const query = '{service="ringway"}';
    expect(ask({ query, limit: '1' }).ages).to.deep.equal([30]);
    expect(ask({ query, limit: '1', direction: 'forward' }).ages).to.deep.equal([50]);
    expect(ask({ query, limit: '1', direction: 'FORWARD' }).ages).to.deep.equal([50]);
    expect(ask({ query, limit: '1', direction: 'backward' }).ages).to.deep.equal([30]);
    const seconds = (age: number): string => String((NOW - age * 1000) / 1000);
    expect(ask({ query, start: seconds(45), end: seconds(35) }).ages).to.deep.equal([40]);
    const start = new Date(NOW - 8e6).toISOString();
    expect(ask({ query, start, end: `${NOW - 60_000}000000` }).ages).to.deep.equal([7000]);
  });

  it('says what it does not understand', () => {
    const queries = ['', 'x', '{a=b}', '{a="b"', '{a="b"} | json', '{a=~"(x+)+"}', '{a="\\q"}'];
    for (const query of queries) expect(ask({ query }).status, query).to.equal(400);
    expect(ask({ query: '{}', direction: 'up' }).status).to.equal(400);
    expect(ask({ query: '{}', start: '2', end: '1' }).status).to.equal(400);
    for (const limit of ['0', '5001', 'x']) {
      expect(ask({ query: '{}', limit }).status, limit).to.equal(400);
    }
    expect(ask({ query: '{}', start: 'yesterday' }).status).to.equal(400);
  });

  it('counts lines by a label, in steps that end at their time', () => {
    const counted = new LogTail();
    for (const [age, level] of [
      [50, 'info'],
      [50, 'warn'],
      [45, 'info'],
      [5, 'info'],
      [70, 'info'],
    ] as const) {
      counted.add(line(age, { level, process: 'listener' }), '');
    }
    const end = NOW / 1000;
    const query = (range: number) => `sum by (level) (count_over_time({process="listener"}[${range}s]))`; // prettier-ignore
    const ask = (range: number, step: string) => queryRange(counted, new URLSearchParams({ query: query(range), start: `${end - 50}`, end: `${end}`, step }), NOW); // prettier-ignore
    expect(ask(10, '10').body).to.deep.equal({
      status: 'success',
      data: {
        resultType: 'matrix',
        result: [
          { metric: { level: 'info' }, values: [[end - 50, '1'], [end - 40, '1'], [end, '1']] },
          { metric: { level: 'warn' }, values: [[end - 50, '1']] },
        ],
        stats: { tail: { completeFromUnixMs: counted.completeFromUnixMs, nowUnixMs: NOW } },
      },
    }); // prettier-ignore
    expect(ask(10, '20').status).to.equal(400);
    expect(ask(1, '0.001').status).to.equal(400);
  });

  it('names labels and their values', () => {
    const names = ['level', 'process', 'service', 'worker'];
    expect(labels(tail).body).to.deep.equal({ status: 'success', data: names });
    const values = (name: string): unknown =>
      (labelValues(tail, name).body as { data: unknown }).data;
    expect(values('worker')).to.deep.equal(['1', '2']);
    expect(values('level')).to.deep.equal(['error', 'info', 'warn']);
    expect(values('constructor')).to.deep.equal([]);
  });
});
