import { expect } from 'chai';
import { NodeWalk } from '../../../../src/backend/swift/direct/node-walk.js';
import type { StorageNodes } from '../../../../src/backend/swift/direct/storage-nodes.js';
import type { Ring } from '../../../../src/ring/ring.js';

describe('direct reads: the servers of a partition', () => {
  /** @returns the ids of those that were asked, and what came of it: two primaries, two handoffs */
  async function walk(...statuses: readonly number[]): Promise<{ asked: number[]; got: unknown }> {
    const [first, second, ...handoffs] = statuses.map((_, id) => ({ id, zone: id }));
    const asked: number[] = [];
    const nodes = {
      admits: () => true,
      ask: ({ id }: { id: number }) => {
        asked.push(id);
        return Promise.resolve({
          status: statuses[id],
          headers: new Map<string, string>(),
          cancel: () => undefined,
        });
      },
    };
    const ring = { primaries: () => [first, second], handoffs: () => handoffs.values() };
    const one = new NodeWalk(nodes as unknown as StorageNodes, ring as unknown as Ring, 0, {
      affinity: ({ zone }) => zone,
      hedgeMs: 0,
    });
    const got = await one.find({} as Parameters<NodeWalk['find']>[0]);
    return { asked, got: typeof got === 'string' ? got : got.answer.status };
  }

  it('ask no handoff where every primary has said that nothing is there', async () => {
    expect(await walk(404, 404, 200, 200)).to.deep.equal({ asked: [0, 1], got: 'missing' });
  });

  it('ask a handoff for each primary that fails', async () => {
    expect(await walk(500, 404, 200, 200)).to.deep.equal({ asked: [0, 1, 2], got: 200 });
    expect(await walk(500, 500, 404, 404)).to.deep.equal({
      asked: [0, 1, 2, 3],
      got: 'nodes_failed',
    });
  });

  it('take the answer that a range lies behind the end', async () => {
    expect(await walk(416, 200)).to.deep.equal({ asked: [0], got: 416 });
  });
});
