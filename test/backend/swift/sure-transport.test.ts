import { expect } from 'chai';
import { CONTEXT, CONTAINER, failureOf, found, REF, scripted } from './support/scripted-backend.js';

const UNSURE = { 'x-gateway-unsure': 'true' };
const INPUT = { contentType: 'text/plain', body: Buffer.alloc(0), size: 0 };

describe('swift: what may be on servers that did not answer', () => {
  it('is not missing', async () => {
    const { backend } = await scripted({
      'HEAD c': CONTAINER,
      'GET c/o': { status: 404, headers: UNSURE },
      'HEAD c/o': { status: 404, headers: UNSURE },
      'HEAD c/o?symlink=get': { status: 404, headers: UNSURE },
    });
    for (const work of [
      backend.getObject(CONTEXT, REF, undefined),
      backend.headObject(CONTEXT, REF),
      backend.headObject(CONTEXT, REF, { linkItself: true }),
    ]) {
      expect((await failureOf(work)).code).to.equal('Unavailable');
    }
  });

  it('is no broken link, and no object with a part missing', async () => {
    const { backend } = await scripted({
      'HEAD c': CONTAINER,
      'HEAD c/o': { status: 404, headers: { ...UNSURE, 'content-location': '/v1/AUTH_a/c/p' } },
      'GET c/o': { status: 409, headers: UNSURE },
    });
    expect((await failureOf(backend.headObject(CONTEXT, REF))).code).to.equal('Unavailable');
    const read = backend.getObject(CONTEXT, REF, undefined);
    expect((await failureOf(read)).code).to.equal('Unavailable');
  });

  it('is no missing container', async () => {
    const { backend } = await scripted({
      'HEAD c': { status: 404, headers: UNSURE },
      'PUT c/o': { status: 404, headers: UNSURE },
    });
    expect((await failureOf(backend.headContainer(CONTEXT, REF))).code).to.equal('Unavailable');
    const put = backend.putObject(CONTEXT, REF, INPUT);
    expect((await failureOf(put)).code).to.equal('Unavailable');
  });

  it('is what it is where the filter says nothing of that', async () => {
    const { backend } = await scripted({ 'HEAD c': CONTAINER, 'HEAD c/o': found() });
    expect((await backend.headObject(CONTEXT, REF)).size).to.equal(0);
    const read = backend.getObject(CONTEXT, { ...REF, object: 'p' }, undefined);
    expect((await failureOf(read)).code).to.equal('NoSuchObject');
  });
});
