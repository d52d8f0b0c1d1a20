import { expect } from 'chai';
import { HistoryBuilder, bodyOf } from './builder.js';
import { checkHistory } from './check.js';
import type { Operation } from './operation.js';
import type { ViolationKind } from './violation.js';

const enabled = (): HistoryBuilder => new HistoryBuilder().state('Enabled', [0, 1]);
const suspended = (): HistoryBuilder => enabled().state('Suspended', [2, 3]);
const unversioned = (): HistoryBuilder => new HistoryBuilder();

type Planted = readonly [title: string, history: Operation[]];

/** Histories that no versioned bucket has, by what is wrong with them. */
const PLANTED: Readonly<Record<ViolationKind, readonly Planted[]>> = {
  lost: [
    ['an acknowledged version', enabled().put('a', [10, 20], 'v1').end()],
    [
      'a version below the current one',
      enabled().put('a', [10, 20], 'v1').put('b', [30, 40], 'v2').end('v2=b'),
    ],
    [
      'a version for a moment',
      enabled()
        .put('a', [10, 20], 'v1')
        .put('b', [30, 40], 'v2')
        .list([50, 60], 'v2=b')
        .end('v2=b', 'v1=a'),
    ],
    [
      'a version that is listed but cannot be read',
      enabled().put('a', [10, 20], 'v1').getVersion('v1', [30, 40]).end('v1=a'),
    ],
    ['a delete marker', enabled().put('a', [10, 20], 'v1').delete([30, 40], 'm1').end('v1=a')],
    [
      'a write without an answer that was seen',
      enabled().putUnanswered('a', [10, 20]).get([30, 40], 'v1=a').end(),
    ],
    [
      'a version by the removal of another',
      enabled().put('a', [10, 20], 'v1').put('b', [30, 40], 'v2').remove('v2', [50, 60]).end(),
    ],
    ['an object of a bucket without versions', unversioned().put('a', [10, 20]).end()],
    [
      'the object from before versioning',
      unversioned()
        .put('a', [10, 20])
        .state('Enabled', [30, 40])
        .put('b', [50, 60], 'v1')
        .end('v1=b'),
    ],
    [
      'both of two null versions written at the same time',
      suspended().put('a', [10, 50], 'null').put('b', [20, 40], 'null').end(),
    ],
    [
      'the null version that was written after its predecessor was removed',
      suspended()
        .put('a', [10, 20], 'null')
        .remove('null', [30, 40])
        .put('b', [50, 60], 'null')
        .getVersion('null', [70, 80])
        .end('null=b'),
    ],
  ],
  resurrected: [
    [
      'a removed version is listed',
      enabled().put('a', [10, 20], 'v1').remove('v1', [30, 40]).end('v1=a'),
    ],
    [
      'a removed version is read',
      enabled()
        .put('a', [10, 20], 'v1')
        .remove('v1', [30, 40])
        .getVersion('v1', [50, 60], 'v1=a')
        .end(),
    ],
    [
      'a version whose removal had no answer, but was seen',
      enabled()
        .put('a', [10, 20], 'v1')
        .removeUnanswered('v1', [30, 40])
        .list([50, 60])
        .getVersion('v1', [70, 80], 'v1=a')
        .end(),
    ],
    [
      'an overwritten null version',
      suspended().put('a', [10, 20], 'null').put('b', [30, 40], 'null').end('null=a'),
    ],
    [
      'a deleted object of a bucket without versions',
      unversioned().put('a', [10, 20]).delete([30, 40]).get([50, 60], '-=a').end(),
    ],
  ],
  'too-early': [
    [
      'a version is read before its PUT began',
      enabled().get([10, 20], 'v1=a').put('a', [30, 40], 'v1').end('v1=a'),
    ],
  ],
  'stale-read': [
    [
      'a predecessor is read',
      enabled()
        .put('a', [10, 20], 'v1')
        .put('b', [30, 40], 'v2')
        .get([50, 60], 'v1=a')
        .end('v2=b', 'v1=a'),
    ],
    [
      'a predecessor is read after the successor was',
      enabled()
        .put('a', [10, 20], 'v1')
        .put('b', [30, 90], 'v2')
        .get([40, 50], 'v2=b')
        .get([60, 70], 'v1=a')
        .end('v2=b', 'v1=a'),
    ],
    [
      'a version is read in spite of a delete marker',
      enabled()
        .put('a', [10, 20], 'v1')
        .delete([30, 40], 'm1')
        .get([50, 60], 'v1=a')
        .end('m1', 'v1=a'),
    ],
    ['nothing is read', enabled().put('a', [10, 20], 'v1').get([30, 40]).end('v1=a')],
    ['nothing is read of an object', unversioned().put('a', [10, 20]).get([30, 40]).end('null=a')],
    [
      'a version is read in spite of a newer null version',
      suspended()
        .state('Enabled', [10, 20])
        .put('a', [30, 40], 'v1')
        .state('Suspended', [50, 60])
        .put('b', [70, 80], 'null')
        .get([90, 100], 'v1=a')
        .end('null=b', 'v1=a'),
    ],
  ],
  'duplicate-id': [
    ['one id is listed twice', enabled().put('a', [10, 20], 'v1').end('v1=a', 'v1=a')],
    [
      'two null versions are listed',
      suspended().put('a', [10, 50], 'null').put('b', [20, 40], 'null').end('null=a', 'null=b'),
    ],
    [
      'two writes are told the same id',
      enabled().put('a', [10, 20], 'v1').put('b', [30, 40], 'v1').end('v1=b'),
    ],
  ],
  'written-twice': [
    [
      'a PUT without an answer made two versions',
      enabled().putUnanswered('a', [10, 20]).end('v2=a', 'v1=a'),
    ],
    [
      'an acknowledged PUT made two versions',
      enabled().put('a', [10, 20], 'v1').end('v2=a', 'v1=a'),
    ],
  ],
  'wrong-body': [
    [
      "two versions with each other's body",
      enabled().put('a', [10, 20], 'v1').put('b', [30, 40], 'v2').end('v2=a', 'v1=b'),
    ],
    [
      'a version is read with the body of another',
      enabled()
        .put('a', [10, 20], 'v1')
        .put('b', [30, 40], 'v2')
        .getVersion('v1', [50, 60], 'v1=b')
        .end('v2=b', 'v1=a'),
    ],
    ['a version is listed as a delete marker', enabled().put('a', [10, 20], 'v1').end('v1')],
  ],
  'unknown-body': [
    [
      'half a body is read',
      enabled().put('a', [10, 20], 'v1').get([30, 40], 'v1=half of a').end('v1=a'),
    ],
  ],
  'refused-body': [
    ['a refused PUT is read', enabled().putRefused('a', [10, 20]).get([30, 40], 'v1=a').end()],
  ],
  'unknown-marker': [
    ['nobody deleted', enabled().put('a', [10, 20], 'v1').end('m1', 'v1=a')],
    ['one DELETE without an answer made two', enabled().deleteUnanswered([10, 20]).end('m1', 'm2')],
    [
      'it is seen before its DELETE began',
      enabled().get([10, 20], 'm1').deleteUnanswered([30, 40]).end('m1'),
    ],
    ['a null one, where nobody deleted', suspended().put('a', [10, 20], 'null').end('null')],
  ],
  order: [
    [
      'the older one is listed above the newer one',
      enabled().put('a', [10, 20], 'v1').put('b', [30, 40], 'v2').end('v1=a', 'v2=b'),
    ],
    [
      'two listings disagree',
      enabled()
        .put('a', [10, 50], 'v1')
        .put('b', [20, 40], 'v2')
        .list([60, 70], 'v1=a', 'v2=b')
        .end('v2=b', 'v1=a'),
    ],
    [
      'a read and a listing disagree',
      enabled()
        .put('a', [10, 50], 'v1')
        .put('b', [20, 40], 'v2')
        .get([60, 70], 'v1=a')
        .end('v2=b', 'v1=a'),
    ],
    [
      'what is current goes back and forth',
      enabled()
        .put('a', [10, 50], 'v1')
        .put('b', [20, 40], 'v2')
        .get([60, 70], 'v1=a')
        .get([80, 90], 'v2=b')
        .remove('v1', [100, 110])
        .end('v2=b'),
    ],
    [
      'two listings disagree about what does not stand side by side',
      enabled()
        .put('a', [10, 50], 'v1')
        .put('b', [10, 50], 'v2')
        .put('c', [10, 50], 'v3')
        .list([60, 70], 'v1=a', 'v2=b', 'v3=c')
        .remove('v2', [80, 90])
        .end('v3=c', 'v1=a'),
    ],
  ],
  'latest-flag': [],
  state: [
    ['an id where it is suspended', suspended().put('a', [10, 20], 'v1').end('v1=a')],
    ['null where it is enabled', enabled().put('a', [10, 20], 'null').end('null=a')],
    ['no id where it is enabled', enabled().put('a', [10, 20]).end('null=a')],
    [
      'a deletion without a delete marker',
      enabled().put('a', [10, 20], 'v1').delete([30, 40]).end('v1=a'),
    ],
    [
      'the state before the last one',
      enabled()
        .state('Suspended', [10, 20])
        .state('Enabled', [30, 40])
        .put('a', [50, 60], 'null')
        .end('null=a'),
    ],
  ],
  unverified: [
    ['nothing is listed', enabled().put('a', [10, 20], 'v1').operations],
    [
      'it is listed while it is written',
      enabled().put('a', [10, 20], 'v1').list([15, 25], 'v1=a').operations,
    ],
    [
      'a version that is listed is not read',
      enabled().put('a', [10, 20], 'v1').list([30, 40], 'v1=a').operations,
    ],
  ],
};

describe('history checker, planted violations', () => {
  for (const [kind, histories] of Object.entries(PLANTED)) {
    for (const [title, history] of histories) {
      it(`finds ${kind}: ${title}`, () => {
        expect(checkHistory(history).map((violation) => violation.kind)).to.include(kind);
      });
    }
  }

  it('finds latest-flag: another entry than the first is the latest', () => {
    const history = enabled().put('a', [10, 20], 'v1').put('b', [30, 40], 'v2').end();
    const shown = [
      { kind: 'version', version: 'v2', body: bodyOf('b'), latest: false },
      { kind: 'version', version: 'v1', body: bodyOf('a'), latest: true },
    ] as const;
    const outcome = { result: 'ok', entries: shown } as const;
    const list = { client: 'c', op: 'list', key: 'key', start: 50, end: 60, outcome } as const;
    const kinds = checkHistory([...history, list]).map((violation) => violation.kind);
    expect(kinds).to.include('latest-flag');
  });

  it('finds what is wrong with acknowledged versions where others are not firm', () => {
    const histories = {
      lost: enabled().put('a', [10, 20], 'v1').end(),
      resurrected: enabled().put('a', [10, 20], 'v1').remove('v1', [30, 40]).end('v1=a'),
      'stale-read': enabled()
        .put('a', [10, 20], 'v1')
        .put('b', [30, 40], 'v2')
        .get([50, 60], 'v1=a')
        .end('v2=b', 'v1=a'),
      order: enabled()
        .put('a', [10, 50], 'v1')
        .put('b', [20, 40], 'v2')
        .list([60, 70], 'v1=a', 'v2=b')
        .end('v2=b', 'v1=a'),
    };
    for (const [kind, history] of Object.entries(histories)) {
      const found = checkHistory(history, { seenIsFirm: false });
      expect(found.map((violation) => violation.kind)).to.include(kind);
    }
  });

  it('says what it is about, and of which key', () => {
    const [violation] = checkHistory(enabled().put('a', [10, 20], 'v1').end());
    expect(violation).to.deep.equal({
      kind: 'lost',
      key: 'key',
      message: 'c list key ok @10000-10010 lacks c put key ok @10-20',
    });
  });
});
