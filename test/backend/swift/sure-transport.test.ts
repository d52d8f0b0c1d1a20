import { expect } from 'chai';
import { codeOf } from '../../support/failure.js';
import { CONTEXT, CONTAINER, created, found, REF, scripted } from './support/scripted-backend.js';

const UNSURE = { 'x-gateway-unsure': 'true' };
const DENIED = { 'x-gateway-denied': 'true' };
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
      expect(await codeOf(work)).to.equal('Unavailable');
    }
  });

  it('is no broken link, and no object with a part missing', async () => {
    const { backend } = await scripted({
      'HEAD c': CONTAINER,
      'HEAD c/o': { status: 404, headers: { ...UNSURE, 'content-location': '/v1/AUTH_a/c/p' } },
      'GET c/o': { status: 409, headers: UNSURE },
    });
    expect(await codeOf(backend.headObject(CONTEXT, REF))).to.equal('Unavailable');
    const read = backend.getObject(CONTEXT, REF, undefined);
    expect(await codeOf(read)).to.equal('Unavailable');
  });

  it('is no missing container', async () => {
    const { backend } = await scripted({
      'HEAD c': { status: 404, headers: UNSURE },
      'PUT c/o': { status: 404, headers: UNSURE },
    });
    expect(await codeOf(backend.headContainer(CONTEXT, REF))).to.equal('Unavailable');
    const put = backend.putObject(CONTEXT, REF, INPUT);
    expect(await codeOf(put)).to.equal('Unavailable');
  });

  it('is what it is where the filter says nothing of that', async () => {
    const { backend } = await scripted({ 'HEAD c': CONTAINER, 'HEAD c/o': found() });
    expect((await backend.headObject(CONTEXT, REF)).size).to.equal(0);
    const read = backend.getObject(CONTEXT, { ...REF, object: 'p' }, undefined);
    expect(await codeOf(read)).to.equal('NoSuchObject');
  });
});

describe('swift: what the requester may not read', () => {
  it('is denied, whatever Swift has made of it', async () => {
    for (const status of [400, 403, 404, 409]) {
      const refused = { status, headers: DENIED };
      const { backend } = await scripted({
        'HEAD c': CONTAINER,
        'HEAD c/o': refused,
        'GET c/o': refused,
        'GET c/o?multipart-manifest=get': refused,
      });
      for (const work of [
        backend.getObject(CONTEXT, REF, undefined),
        backend.headObject(CONTEXT, REF),
        backend.getSegments(CONTEXT, REF),
      ]) {
        expect(await codeOf(work)).to.equal('Denied');
      }
    }
  });

  it('hides no manifest that leads to it, which can be read itself and written over', async () => {
    const { backend, names } = await scripted({
      'HEAD c': CONTAINER,
      'HEAD c+segments': CONTAINER,
      'HEAD c/o?symlink=get': { status: 403, headers: DENIED },
      'HEAD c/o?symlink=get&multipart-manifest=get': found({ 'x-object-manifest': 'x/p' }),
      'PUT c/o': created('d41d8cd98f00b204e9800998ecf8427e'),
    });
    const head = await backend.headObject(CONTEXT, REF, { linkItself: true });
    expect(head.size).to.equal(0);
    expect((await backend.putObject(CONTEXT, REF, INPUT)).outcome).to.equal('created');
    expect(names().slice(-1)).to.deep.equal(['PUT c/o']);
  });
});
