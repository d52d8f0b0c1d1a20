import { expect } from 'chai';
import { KeyQueues } from '../../../src/s3/versions/key-queues.js';
import { keyOf } from './support.js';

const KEY = keyOf('a');

describe('s3/versions/key-queues', () => {
  /** A task that ends when it is told to. */
  function task(log: string[], name: string) {
    let end: (failure?: Error) => void = () => undefined;
    const ended = new Promise<void>((resolve, reject) => {
      end = (failure) => {
        if (failure === undefined) resolve();
        else reject(failure);
      };
    });
    const run = async (): Promise<string> => {
      log.push(`${name} begins`);
      await ended;
      log.push(`${name} ends`);
      return name;
    };
    return { run, end };
  }

  it('runs tasks of a key one after the other, whatever becomes of them', async () => {
    const queues = new KeyQueues();
    const log: string[] = [];
    const [one, two, three] = ['1', '2', '3'].map((name) => task(log, name));
    if (one === undefined || two === undefined || three === undefined) throw new Error('no tasks');
    const first = queues.run(KEY, one.run).catch((error: unknown) => error);
    const second = queues.run(KEY, two.run);
    const third = queues.run(KEY, three.run);
    const failure = new Error('failed');
    three.end();
    two.end();
    one.end(failure);
    expect(await first).to.equal(failure);
    expect(await Promise.all([second, third])).to.deep.equal(['2', '3']);
    expect(log).to.deep.equal(['1 begins', '2 begins', '2 ends', '3 begins', '3 ends']);
  });

  it('does not let keys wait for each other', async () => {
    const queues = new KeyQueues();
    const log: string[] = [];
    const slow = task(log, 'slow');
    const waiting = queues.run(KEY, slow.run);
    for (const other of [keyOf('b'), { ...KEY, bucket: 'other' }, { ...KEY, account: 'other' }]) {
      expect(await queues.run(other, () => Promise.resolve(1))).to.equal(1);
    }
    expect(queues.size).to.equal(1);
    slow.end();
    await waiting;
  });

  it('remembers nothing of keys without work', async () => {
    const queues = new KeyQueues();
    const tasks = Array.from({ length: 10 }, (_, n) => queues.run(KEY, () => Promise.resolve(n)));
    expect(await Promise.all(tasks)).to.have.lengthOf(10);
    expect(queues.size).to.equal(0);
  });
});
