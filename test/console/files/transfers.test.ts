import { expect } from 'chai';
import type { ApiError } from '../../../console/server/api-error.js';
import type { ManyResult } from '../../../console/server/audited-job.js';
import { Changes } from '../../../console/server/changes.js';
import { isApart, planTransfers } from '../../../console/surfaces/files/transfer-plan.js';
import type { TransferJob } from '../../../console/surfaces/files/transfers.js';
import { moveToTrash, restoreJob, trashTransfers } from '../../../console/surfaces/files/trash.js';
import type { FakeSwift } from './fake-swift.js';
import { bodiesOf, each, inX, MOVE, move, run, swiftWith } from './transfers-support.js';

const codes = ({ failures }: ManyResult) => failures.map(({ name, code }) => [name, code]);

describe('console files: jobs that copy, move and restore', () => {
  it('moves along a chain and around a circle, whatever the order of the request', async () => {
    for (const pairs of [
      [
        ['a', 'b'],
        ['b', 'c'],
      ],
      [
        ['b', 'c'],
        ['a', 'b'],
      ],
    ] as const) {
      const swift = swiftWith({ 'x/a': 'A', 'x/b': 'B' });
      expect(await move(swift, pairs)).to.deep.equal({ succeeded: 2, failed: 0, failures: [] });
      expect(bodiesOf(swift)).to.deep.equal({ 'x/b': 'A', 'x/c': 'B' });
    }
    const swift = swiftWith({ 'x/a': 'A', 'x/b': 'B', 'x/c': 'C', 'x/d': 'D' });
    const circle = [
      ['a', 'b'],
      ['b', 'c'],
      ['c', 'a'],
      ['d', 'e'],
    ] as const;
    expect((await move(swift, circle, {}, 'member')).succeeded).to.equal(4);
    expect(bodiesOf(swift)).to.deep.equal({ 'x/a': 'C', 'x/b': 'A', 'x/c': 'B', 'x/e': 'D' });
  });

  it('moves a folder up into the one that has its name', async () => {
    const up = ['p/p/a', 'p/p/b', 'p/a', 'p/c', 'p/p/p'].map(
      (name) => [name, name.slice('p/'.length)] as const,
    );
    for (const onTaken of ['fail', 'replace']) {
      const swift = swiftWith({
        ...{ 'x/p/p/a': '1', 'x/p/p/b': '2', 'x/p/a': '3', 'x/p/c': '4', 'x/p/p/p': '5' },
      });
      const before = swift.bodies().sort();
      const result = await move(swift, up, { onTaken });
      expect(result.replaced, onTaken).to.equal(undefined);
      expect(swift.bodies().sort(), onTaken).to.deep.equal(before);
      expect(bodiesOf(swift)['x/p/a'], onTaken).to.equal('1');
    }
  });

  it('leaves an object whose target could not be moved out of the way', async () => {
    const swift = swiftWith({ 'x/a': 'A', 'x/b': 'B', 'x/c': 'C' });
    const chain = [
      ['a', 'b'],
      ['b', 'c'],
    ] as const;
    const result = await move(swift, chain);
    expect(codes(result)).to.deep.equal([
      ['b', 'exists'],
      ['a', 'conflict'],
    ]);
    // Nor where it may replace: this would be what the job was to move.
    const failing = swiftWith({ 'x/a': 'A', 'x/b': 'B' });
    failing.before = ({ method, object }) => {
      if (method === 'DELETE' && object === 'b') failing.put('x', 'b', 'newer');
    };
    const other = await move(failing, chain, { onTaken: 'replace' });
    expect(codes(other)).to.deep.equal([
      ['b', 'conflict'],
      ['a', 'conflict'],
    ]);
    expect(failing.bodies().sort()).to.deep.equal(['A', 'B', 'newer']);
  });

  it('gives one name to one object, also where it may replace', async () => {
    for (const onTaken of ['fail', 'replace']) {
      const swift = swiftWith({ 'x/a': 'A', 'x/b': 'B', 'x/c': 'C' });
      const result = await move(
        swift,
        [
          ['a', 'c'],
          ['b', 'c'],
        ],
        { onTaken },
      );
      expect(swift.bodies()).to.include('B');
      expect(result.replaced?.names ?? []).to.deep.equal(onTaken === 'replace' ? ['c'] : []);
      expect(result.failed).to.equal(onTaken === 'replace' ? 1 : 2);
    }
  });

  it('says where an object is kept whose place was taken while it was aside', async () => {
    const swift = swiftWith({ 'x/a': 'A', 'x/b': 'B' });
    let isFree = false;
    swift.before = ({ method, object }) => {
      if (object !== 'b') return;
      if (isFree) swift.put('x', 'b', 'newer');
      isFree = method === 'DELETE';
    };
    const { failures } = await move(swift, [
      ['a', 'b'],
      ['b', 'a'],
    ]);
    const aside = [...swift.objects.keys()].find((key) => key.startsWith('x/.moving-'));
    expect(failures.map(({ code }) => code)).to.deep.equal(['exists']);
    expect(failures[0]?.message).to.include(aside?.slice(2) ?? 'a name');
    expect(swift.bodies().sort()).to.deep.equal(['A', 'B', 'newer']);
    // Without anything in its old place, it goes back there.
    const other = swiftWith({ 'x/a': 'A' });
    const gone = await move(other, [
      ['a', 'b'],
      ['b', 'a'],
    ]);
    expect(gone.failed).to.equal(2);
    expect(bodiesOf(other)).to.deep.equal({ 'x/a': 'A' });
  });

  it('ends a circle that it has begun, though the job is cancelled', async () => {
    const swift = swiftWith({ 'x/a': 'A', 'x/b': 'B', 'x/c': 'C' });
    const cancel = new AbortController();
    swift.before = ({ method }) => {
      if (method === 'DELETE') cancel.abort();
    };
    const pairs = [
      ['a', 'b'],
      ['b', 'a'],
      ['c', 'd'],
    ] as const;
    const result = await run(swift, MOVE, () => each(pairs.map(inX)), 'admin', cancel);
    expect(codes(result).filter(([name]) => name !== 'c')).to.deep.equal([]);
    const { 'x/a': a, 'x/b': b, ...others } = bodiesOf(swift);
    expect([a, b]).to.deep.equal(['B', 'A']);
    expect(Object.values(others)).to.include('C');
    expect([...swift.objects.keys()].join()).not.to.include('.moving-');
  });

  it('replaces nothing that comes while it looks, and deletes no source that was replaced', async () => {
    const swift = swiftWith({ 'x/a': 'A', 'x/b': 'B' });
    swift.before = ({ method, object, headers }) => {
      if (method === 'COPY' && object === 'a') swift.put('x', 'c', 'uploaded');
      if (method === 'DELETE' && object === 'b') swift.put('x', 'b', 'newer');
      if (method === 'COPY') expect(headers.overwrite).to.equal('F');
    };
    const result = await move(swift, [
      ['a', 'c'],
      ['b', 'd'],
    ]);
    expect(codes(result)).to.have.deep.members([
      ['a', 'exists'],
      ['b', 'conflict'],
    ]);
    expect(bodiesOf(swift)).to.deep.equal({
      ...{ 'x/a': 'A', 'x/b': 'newer', 'x/c': 'uploaded', 'x/d': 'B' },
    });
  });

  it('looks at a source once more, where the store knows no condition', async () => {
    const swift = swiftWith({ 'x/a': 'A' }, { ignoresConditions: true });
    let isCopied = false;
    swift.before = ({ method, object }) => {
      if (isCopied && object === 'a' && method === 'HEAD') swift.put('x', 'a', 'newer');
      isCopied ||= method === 'COPY';
    };
    expect(codes(await move(swift, [['a', 'b']]))).to.deep.equal([['a', 'conflict']]);
    expect(bodiesOf(swift)).to.deep.equal({ 'x/a': 'newer', 'x/b': 'A' });
  });

  it('throws away no more than it has put into the trash', async () => {
    const swift = swiftWith({ 'x/a': 'A' });
    const forged = { 'x-object-meta-trash-delete-at': '1', 'x-object-meta-colour': 'red' };
    swift.put('x', 'b', 'B', forged);
    swift.before = ({ method, object }) => {
      if (method === 'DELETE' && object === 'a') swift.put('x', 'a', 'newer');
    };
    const trash = { by: 'test:tester', days: 30, nowMs: 1_700_000_000_000, changes: new Changes() };
    const failure = await moveToTrash(swift.account, 'x', 'a', trash).catch(
      (error: unknown) => error,
    );
    expect((failure as ApiError).code).to.equal('conflict');
    expect(swift.bodies().sort()).to.deep.equal(['A', 'B', 'newer']);
    // A user's metadata under the trash's own names does not get there.
    const entry = await moveToTrash(swift.account, 'x', 'b', trash);
    const { headers } = swift.objects.get(`x+trash/${entry}`)!;
    expect(headers).to.include({ 'x-object-meta-colour': 'red', 'x-delete-after': '2592000' });
    expect(headers).not.to.have.property('x-object-meta-trash-delete-at');
  });

  it('lets a member replace nothing, whatever appears between look and copy', async () => {
    const swift = swiftWith({ 'x/a': 'A', 'x/b': 'B' });
    swift.before = ({ method }) => {
      if (method === 'COPY') swift.put('x', 'c', 'uploaded');
    };
    const more = { onTaken: 'replace' };
    const result = await move(
      swift,
      [
        ['a', 'b'],
        ['b', 'c'],
      ],
      more,
      'member',
    );
    expect(codes(result)).to.deep.equal([
      ['b', 'forbidden'],
      ['a', 'conflict'],
    ]);
    expect(swift.bodies().sort()).to.deep.equal(['A', 'B', 'uploaded']);
  });

  describe('of two trashed objects of one name', () => {
    const entry = (n: number) => `170000000000${n}-0000000${n}/o`;
    const restore = (swift: FakeSwift, onTaken: TransferJob['onTaken'], names: string[]) =>
      run(swift, restoreJob('x', onTaken, 7), (tally) =>
        trashTransfers(swift.account, 'x', names, tally),
      );
    const bed = () => swiftWith({ [`x+trash/${entry(1)}`]: 'one', [`x+trash/${entry(2)}`]: 'two' });
    const both = [entry(1), entry(2)];

    for (const onTaken of ['fail', 'replace'] as const) {
      it(`leaves the second in the trash with “${onTaken}”`, async () => {
        const swift = bed();
        const result = await restore(swift, onTaken, both);
        const code = onTaken === 'fail' ? 'restore_target_exists' : 'conflict';
        expect(codes(result)).to.deep.equal([[entry(2), code]]);
        expect(bodiesOf(swift)).to.deep.equal({ 'x/o': 'one', [`x+trash/${entry(2)}`]: 'two' });
      });
    }

    it('gives each a name of its own with “rename”', async () => {
      const swift = bed();
      swift.put('x', 'o', 'zero');
      const third = entry(3);
      swift.put('x+trash', third, 'three');
      await restore(swift, 'rename', [...both, third]);
      expect(bodiesOf(swift)).to.deep.equal({
        'x/o': 'zero',
        'x/o (restored 7)': 'one',
        'x/o (restored 7 2)': 'two',
        'x/o (restored 7 3)': 'three',
      });
    });
  });

  it('needs no plan where no name can be another’s', () => {
    const item = (name: string, toName: string) => ({ name, to_name: toName });
    for (const [items, isSame, expected] of [
      [[item('a/', 'b/')], true, true],
      [[item('a/', 'ab/')], true, true],
      [[item('a/b/', 'a/')], true, false],
      [[item('a', 'b'), item('b', 'c')], true, false],
      [[item('a', 'b'), item('b', 'c')], false, true],
      [[item('a/', 'c'), item('b', 'cd')], false, false],
      [[item('a', 'c'), item('b', 'cd')], false, true],
      [[item('a', 'c/x'), item('b/', 'c/')], false, false],
      [[item('a', 'c'), item('b', 'c')], false, false],
    ] as const) {
      expect(isApart(items, isSame), JSON.stringify(items)).to.equal(expected);
    }
  });

  it('plans ten thousand connected names in a moment', () => {
    const chain = Array.from({ length: 10_000 }, (_, i) => inX([`n${i}`, `n${i + 1}`]));
    const [steps = []] = planTransfers(chain);
    expect(steps.map(({ transfer }) => transfer.name)).to.deep.equal(
      chain.map(({ name }) => name).reverse(),
    );
  });
});
