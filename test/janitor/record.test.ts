import { expect } from 'chai';
import { NEW_RECORD, parseRecord, renderRecord } from '../../src/janitor/record-store.js';

const RECORD = {
  holder: 'a host 12',
  lease_ms: 60_000,
  sequence: 7,
  started_at: 1_700_000_000_000,
  finished_at: null,
  cursor: { container: 'b', marker: 'k' },
};

const parsed = (value: unknown) => parseRecord(Buffer.from(JSON.stringify(value)));

describe('janitor: record', () => {
  it('is read as it was written', () => {
    for (const record of [NEW_RECORD, RECORD, { ...RECORD, cursor: null, finished_at: 5 }]) {
      expect(parseRecord(renderRecord(record))).to.deep.equal(record);
    }
  });

  it('keeps nothing that it does not know', () => {
    const more = { ...RECORD, later: 1, cursor: { ...RECORD.cursor, later: 2 } };
    expect(parsed(more)).to.deep.equal(RECORD);
  });

  for (const [name, value] of Object.entries<readonly unknown[]>({
    holder: [undefined, 1, {}],
    lease_ms: [undefined, null, 0, -1, '60000'],
    sequence: [undefined, null, 0.5, 2 ** 53, '7'],
    started_at: [undefined, '', {}],
    finished_at: [undefined, true],
    cursor: [undefined, 'b', {}, { container: 'b' }, { container: 'b', marker: 1 }],
  })) {
    it(`is none with another ${name}`, () => {
      for (const other of value) expect(parsed({ ...RECORD, [name]: other })).to.equal(undefined);
    });
  }

  it('is none where it is no object, or no JSON', () => {
    for (const value of [null, 7, 'record', [], [RECORD]]) {
      expect(parsed(value)).to.equal(undefined);
    }
    expect(parseRecord(Buffer.from('{"holder":'))).to.equal(undefined);
    expect(parseRecord(Buffer.alloc(0))).to.equal(undefined);
  });
});
