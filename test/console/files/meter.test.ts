import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { expect } from 'chai';
import { RepeatedBody } from '../../../console/surfaces/files/exists.js';
import { meter } from '../../../console/surfaces/files/transfer-routes.js';
import { UpstreamError } from '../../../console/swift/errors.js';

describe('console meter of bodies', () => {
  it('does not wait for a body that was cut before', async () => {
    const body = new PassThrough();
    body.destroy();
    await once(body, 'close');
    expect(() => meter(body, '5', 10)).to.throw(UpstreamError);
  });
});

describe('console body of an upload that is sent again', () => {
  it('is compared with no object where it is larger than uploads are, and not read on', async () => {
    const body = new PassThrough();
    const repeated = new RepeatedBody(body, 10);
    // It never ends.
    body.write(Buffer.alloc(11));
    const found = await repeated.stored(() =>
      Promise.reject(new Error('the object was asked for')),
    );
    expect(found).to.equal(undefined);
    expect(body.destroyed).to.equal(false);
  });

  it('fails as the body does', async () => {
    const body = new PassThrough();
    const repeated = new RepeatedBody(body, 10);
    const failure = new Error('the client has left');
    body.write(Buffer.alloc(10));
    body.destroy(failure);
    const asked = () => Promise.reject(new Error('the object was asked for'));
    const error = await repeated.stored(asked).catch((thrown: unknown) => thrown);
    expect(error).to.equal(failure);
  });
});
