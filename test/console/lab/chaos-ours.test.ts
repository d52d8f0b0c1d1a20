import { expect } from 'chai';
import { ApiError } from '../../../console/server/api-error.js';
import type { FaultGround } from '../../../console/surfaces/lab/chaos/ground.js';
import { LabContainer } from '../../../console/surfaces/lab/chaos/lab-container.js';
import { ObjectFault } from '../../../console/surfaces/lab/chaos/object-fault.js';
import { QuotaFault } from '../../../console/surfaces/lab/chaos/quota-fault.js';
import type { LabRings } from '../../../console/surfaces/lab/ground/lab-rings.js';
import type { NodeReader } from '../../../console/surfaces/lab/ground/node-reader.js';
import type { SwiftAccount } from '../../../console/swift/account.js';

const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    (error: unknown) => (error instanceof ApiError ? `${error.status} ${error.code}` : error),
  );

/** A container of someone, of which a test says what its mark is, and what was asked of it. */
function container(name: string, mark: () => string | undefined) {
  const asked: string[] = [];
  const account = {
    name: 'AUTH_test',
    do: (_: readonly number[], method: string, given: { readonly headers?: object }) => {
      asked.push([method, ...Object.keys(given.headers ?? {})].join(' '));
      return Promise.resolve({ status: 204, headers: { 'x-container-meta-lab': mark() } });
    },
    send: (method: string) => {
      asked.push(method);
      return Promise.reject(new Error('no object'));
    },
  } as unknown as SwiftAccount;
  const rings = { policies: () => Promise.resolve(new Map()) } as unknown as LabRings;
  const nodes = {} as unknown as NodeReader;
  return { asked, lab: new LabContainer({ account, rings, nodes, name }) };
}

/** A net that must not be asked to break anything. */
function groundOf(lab: LabContainer) {
  const broken: string[] = [];
  const control = {
    id: 'run',
    arm: () => Promise.resolve(broken.push('armed')),
    act: () => Promise.resolve(broken.push('acted')),
  };
  const options = { storeDir: '', hashConf: '' };
  const given = { control, container: lab, options, probeKeys: [], ttlS: 60 };
  return { broken, ground: given as unknown as FaultGround };
}

describe('what a fault of the Chaos Arcade may damage', () => {
  it('is never a container of another name, whatever its mark', async () => {
    const { lab, asked } = container('photos', () => 'chaos');
    expect(await codeOf(lab.requireOurs())).to.equal('403 not_lab_object');
    expect(asked).to.deep.equal([]);
  });

  it('is never a container without the mark, or with that of another page', async () => {
    for (const mark of [undefined, 'expired', '']) {
      const { lab } = container('lab-chaos-0123abcd', () => mark);
      expect(await codeOf(lab.requireOurs()), mark).to.equal('403 not_lab_object');
      expect(await codeOf(lab.create('')), mark).to.equal('403 not_lab_object');
    }
    const { lab } = container('lab-chaos-0123abcd', () => 'chaos');
    expect(await codeOf(lab.requireOurs())).to.equal('done');
  });

  it('gets no limit when its mark is gone before the fault: nothing is armed', async () => {
    const { lab, asked } = container('lab-chaos-0123abcd-full', () => undefined);
    const { broken, ground } = groundOf(lab);
    expect(await codeOf(new QuotaFault(lab, ground).inject())).to.equal('403 not_lab_object');
    expect(broken).to.deep.equal([]);
    expect(asked).to.deep.equal(['HEAD']);
  });

  it('loses no copy when its mark is gone before the fault', async () => {
    // It is there when the container is made, and gone once its object was written.
    let looks = 0;
    const { lab } = container('lab-chaos-0123abcd', () => (++looks <= 2 ? 'chaos' : undefined));
    const { broken, ground } = groundOf(lab);
    const fault = new ObjectFault('remove_replica', 'replica-0', 'marked', ground);
    expect(await codeOf(fault.prepare())).to.equal('403 not_lab_object');
    expect(await codeOf(fault.inject()), 'nothing was prepared').to.equal('403 not_lab_object');
    expect(broken).to.deep.equal([]);
  });
});
