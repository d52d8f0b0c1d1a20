import { expect } from 'chai';
import { ContainerHeads } from '../../../src/backend/swift/container-heads.js';
import { Containers } from '../../../src/backend/swift/containers.js';
import { codeOf } from '../../support/failure.js';
import { INFO, type ScriptedAnswer, ScriptedTransport } from './support/scripted-transport.js';

const REF = { account: 'AUTH_a', container: 'c' };
const CONTEXT = { requestId: 'test' };
const SYSMETA = 'x-gateway-sysmeta-container-';

const HEAD: ScriptedAnswer = {
  status: 204,
  headers: {
    'x-timestamp': '1795160050.29176',
    'x-container-object-count': '0',
    'x-container-bytes-used': '0',
  },
};
const MISSING: ScriptedAnswer = { status: 404 };

/** Answers one request after the other. */
function scripted(answers: readonly ScriptedAnswer[], more: { readonly noFilter?: true } = {}) {
  const left = [...answers];
  const transport = new ScriptedTransport(() => left.shift() ?? { status: 500 });
  const limits = more.noFilter === true ? { ...INFO, filter: undefined } : INFO;
  const heads = new ContainerHeads(transport, 0);
  const containers = new Containers({ transport, limits, heads, storagePolicy: 'silver' });
  const methods = (): string[] => transport.requests.map(({ method }) => method);
  return { containers, transport, methods };
}

describe('swift: containers', () => {
  it('are created with a policy, and left as they are where they exist', async () => {
    const input = { metadata: { a: 'b' }, systemMetadata: { s: 't' } };
    const fresh = scripted([MISSING, { status: 201 }]);
    expect(await fresh.containers.create(CONTEXT, REF, input)).to.equal('created');
    expect(fresh.transport.requests[1]?.headers).to.deep.equal({
      'x-storage-policy': 'silver',
      'x-container-meta-a': 'b',
      [`${SYSMETA}s`]: 't',
    });
    const there = scripted([HEAD]);
    expect(await there.containers.create(CONTEXT, REF, input)).to.equal('exists');
    expect(there.methods()).to.deep.equal(['HEAD']);
    const raced = scripted([MISSING, { status: 202 }]);
    expect(await raced.containers.create(CONTEXT, REF, input)).to.equal('exists');
  });

  it('are kept as others are, where new ones may be', async () => {
    const policies = ({ requests }: ScriptedTransport): unknown[] =>
      requests.map(({ headers }) => headers?.['x-storage-policy']);
    const ec = { ...HEAD, headers: { ...HEAD.headers, 'x-storage-policy': 'ec' } };
    const like = scripted([MISSING, ec, { status: 201 }]);
    const input = { placedLike: 'other' };
    expect(await like.containers.create(CONTEXT, REF, input)).to.equal('created');
    expect(like.transport.requests[1]).to.include({ method: 'HEAD', container: 'other' });
    expect(policies(like.transport)).to.deep.equal([undefined, undefined, 'ec']);
    const nothingLike = scripted([MISSING, MISSING, { status: 201 }]);
    await nothingLike.containers.create(CONTEXT, REF, input);
    expect(policies(nothingLike.transport)[2]).to.equal('silver');
    const deprecated = scripted([MISSING, ec, { status: 400 }, { status: 201 }]);
    expect(await deprecated.containers.create(CONTEXT, REF, input)).to.equal('created');
    expect(policies(deprecated.transport).slice(2)).to.deep.equal(['ec', 'silver']);
  });

  it('have no system metadata without the filter', async () => {
    const { containers, transport } = scripted([MISSING, { status: 201 }], { noFilter: true });
    await containers.create(CONTEXT, REF, { systemMetadata: { s: 't' } });
    expect(transport.requests[1]?.headers).to.deep.equal({ 'x-storage-policy': 'silver' });
  });

  it('lose the pieces of a long value with the value', async () => {
    const headers = { ...HEAD.headers, [`${SYSMETA}policy`]: 'ringway+3%abc' };
    for (const [value, sent] of [
      [null, ''],
      ['short', 'short'],
    ] as const) {
      const { containers, transport } = scripted([{ ...HEAD, headers }, { status: 204 }]);
      await containers.update(CONTEXT, REF, { systemMetadata: { policy: value } });
      expect(transport.requests[1]?.headers).to.deep.equal({
        [`${SYSMETA}ringway-1-policy`]: '',
        [`${SYSMETA}ringway-2-policy`]: '',
        [`${SYSMETA}policy`]: sent,
      });
    }
  });

  it('are not written to when an update changes nothing', async () => {
    const { containers, methods } = scripted([HEAD]);
    await containers.update(CONTEXT, REF, {});
    expect(methods()).to.deep.equal(['HEAD']);
    expect(await codeOf(scripted([MISSING]).containers.update(CONTEXT, REF, {}))).to.equal(
      'NoSuchContainer',
    );
  });

  it('are deleted when the last replica has heard that they are empty', async () => {
    const answers = [{ status: 409 }, { status: 204 }, { status: 204 }];
    const { containers, methods } = scripted(answers);
    await containers.delete(CONTEXT, REF);
    expect(methods()).to.deep.equal(['DELETE', 'GET', 'DELETE']);
  });

  it('are not deleted when they have objects', async () => {
    const { containers, methods } = scripted([{ status: 409 }, { status: 200, body: 'o\n' }]);
    expect(await codeOf(containers.delete(CONTEXT, REF))).to.equal('ContainerNotEmpty');
    expect(methods()).to.deep.equal(['DELETE', 'GET']);
  });

  it('that a replica keeps back can be deleted later', async () => {
    const again = Array.from({ length: 4 }, () => [{ status: 409 }, { status: 204 }]).flat();
    const { containers } = scripted(again);
    expect(await codeOf(containers.delete(CONTEXT, REF))).to.equal('Unavailable');
  });
});
