import { expect } from 'chai';
import { rawQuery } from '../../../console/s3/sign.js';
import { seedsOf } from '../../../console/surfaces/lab/shadow/case.js';
import { ShadowSide } from '../../../console/surfaces/lab/shadow/side.js';
import { serve, type Served } from '../../support/serve.js';
import { startService } from '../../support/service.js';
import { until } from '../../support/until.js';

describe('a side of Shadow', () => {
  /** Answers listings with three names, and lets all other requests wait. */
  async function deaf(): Promise<{ server: Served; requests: string[]; side: ShadowSide }> {
    const requests: string[] = [];
    const server = await serve((request, response) => {
      requests.push(request.method ?? '');
      if (request.method === 'GET') response.end('a\nb\nc\n');
    });
    const { port } = server;
    const address = { secure: false, host: '127.0.0.1', port, basePath: '' };
    const identity = { dialect: 'swift' as const, token: 'x', account: 'AUTH_test' };
    return { server, requests, side: new ShadowSide('peer', address, identity) };
  }

  it('is left at once by a run that is ended, and asked no more where it does not answer', async () => {
    const { server, requests, side } = await deaf();
    try {
      const cut = new AbortController();
      const [step] = seedsOf('swift')[0]!.steps;
      const answer = side.send(step!, 'shadow-x', cut.signal, 3_600_000);
      await until(() => requests.length === 1);
      cut.abort();
      expect(await answer).to.include({ transport: 'closed', status: null });
      expect(await side.send(step!, 'shadow-x', cut.signal, 3_600_000)).to.include({
        status: null,
      });
      await side.remove('shadow-x', true);
      expect(requests).to.deep.equal(['PUT', 'GET', 'DELETE']);
    } finally {
      server.close();
    }
  });

  it('deletes a container whose making was not answered', async () => {
    const { server, requests, side } = await deaf();
    try {
      const cut = new AbortController();
      const made = side.create(cut.signal).catch((error: unknown) => error);
      await until(() => requests.length === 1);
      cut.abort();
      expect(await made).to.have.property(
        'message',
        'Side peer has given no answer (closed) where a container for the test was to be made.',
      );
      expect(requests).to.deep.equal(['PUT', 'DELETE']);
    } finally {
      server.close();
    }
  });

  it('signs a name that comes twice in a query as often, ordered by value', async () => {
    expect(
      rawQuery([
        ['b', '1'],
        ['a', 'é'],
        ['a', '1'],
      ]),
    ).to.equal('a=%C3%A9&a=1&b=1');
    const service = await startService({ listeners: 1 });
    try {
      const { hostname, port } = new URL(service.endpoint);
      const { accessKey, secretKey } = service;
      const side = new ShadowSide(
        'gateway',
        { secure: false, host: hostname, port: Number(port), basePath: '' },
        { dialect: 's3', accessKey, secretKey, region: 'us-east-1' },
      );
      const container = await side.create();
      const step = { method: 'GET', headers: [], body_b64: '' };
      const target = '/${C}?prefix=b&prefix=a&max-keys=1';
      expect(await side.send({ ...step, target }, container)).to.have.property('status', 200);
      await side.remove(container);
    } finally {
      await service.stop();
    }
  });
});
