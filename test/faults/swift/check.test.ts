import { expect } from 'chai';
import type { ListedEntry, Operation, Outcome, ReadResult } from '../history/operation.js';
import { checkEventual, finalBodies, improperErrors, mayBeOld } from './check.js';

const OK = { result: 'ok' } as const;
const UNKNOWN = { result: 'unknown', why: '503 SlowDown' } as const;

function put(start: number, body: string, outcome: Outcome<object> = OK): Operation {
  return { op: 'put', client: 'w', key: 'k', body, start, end: start + 10, outcome };
}

function get(start: number, outcome: Outcome<ReadResult>): Operation {
  return { op: 'get', client: 'r', key: 'k', start, end: start + 10, outcome };
}

const gives = (body: string): Outcome<ReadResult> => ({ ...OK, found: 'version', body });
const NOTHING: Outcome<ReadResult> = { ...OK, found: 'nothing' };

describe('checking a history of Swift under faults', () => {
  for (const [title, operations] of [
    ['what was written last', [put(0, 'a'), put(20, 'b'), get(40, gives('b'))]],
    ['what was there before, of a replica', [put(0, 'a'), put(20, 'b'), get(40, gives('a'))]],
    ['what nobody was told of', [put(0, 'a', UNKNOWN), get(20, gives('a'))]],
    ['what is being written', [put(0, 'a'), get(5, gives('a'))]],
    ['nothing before an acknowledgement', [put(0, 'a'), get(5, NOTHING)]],
    ['nothing of a write without an answer', [put(0, 'a', UNKNOWN), get(20, NOTHING)]],
    ['no answer', [put(0, 'a'), get(20, UNKNOWN)]],
  ] as const) {
    it(`allows ${title}`, () => {
      expect(checkEventual(operations)).to.deep.equal([]);
    });
  }

  for (const [title, operations, message] of [
    ['a lost object', [put(0, 'a'), get(20, NOTHING)], 'lacks'],
    ['a body of nobody', [put(0, 'a'), get(20, gives('half'))], 'nobody wrote'],
    ['a body too early', [put(0, 'a'), get(2, gives('b')), put(20, 'b')], 'not yet written'],
    [
      'a refused body',
      [put(0, 'a', { result: 'refused', why: '403' }), get(20, gives('a'))],
      'refused',
    ],
  ] as const) {
    it(`reports ${title}`, () => {
      const problems = checkEventual(operations);
      expect(problems).to.have.length(1);
      expect(problems[0]).to.include(message);
    });
  }

  it('knows what may be there in the end', () => {
    const bodies = (...operations: Operation[]) => [...(finalBodies(operations).get('k') ?? [])];
    expect(bodies(put(0, 'a'), put(20, 'b'))).to.deep.equal(['b']);
    expect(bodies(put(0, 'a', UNKNOWN), put(20, 'b'), put(40, 'c', UNKNOWN))).to.deep.equal([
      'b',
      'c',
    ]);
    expect(bodies(put(0, 'a', UNKNOWN))).to.deep.equal([]);
  });

  it('holds what a client is told of versions to be right, but for keys that a listing lacks', () => {
    const list = (entries: readonly ListedEntry[]): Operation => {
      const outcome = { ...OK, entries };
      return { op: 'list', client: 'r', key: 'k', start: 0, end: 10, outcome };
    };
    const entry = { kind: 'version', version: 'v', latest: true, body: 'a' } as const;
    const versionRead: Operation = { ...get(0, NOTHING), version: 'v' } as Operation;
    const firm = [list([entry]), versionRead, put(0, 'a')];
    expect(firm.filter(mayBeOld)).to.deep.equal([]);
    const old = [list([]), get(0, NOTHING), get(0, gives('a'))];
    expect(old.filter(mayBeOld)).to.deep.equal(old);
  });

  it('takes 503 and a cut for proper errors, and nothing else', () => {
    const unknown = (why: string) => get(0, { result: 'unknown', why });
    for (const why of ['503 SlowDown', '503 ServiceUnavailable', '503 ', 'UND_ERR_SOCKET']) {
      expect(improperErrors([unknown(why)]), why).to.deep.equal([]);
    }
    for (const why of ['500 InternalError', '503 InternalError', '504 ', 'ECONNREFUSED']) {
      expect(improperErrors([unknown(why)]), why).to.have.length(1);
    }
    expect(improperErrors([put(0, 'a', { result: 'refused', why: '404 NoSuchBucket' })]))
      .to.have //
      .length(1);
  });
});
