import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { expect } from 'chai';
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
