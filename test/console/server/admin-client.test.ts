import { once } from 'node:events';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import http from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect } from 'chai';
import { AdminClient } from '../../../console/server/admin-client.js';
import { ConfigError } from '../../../src/config/problem.js';
import { makeCertificate } from '../../support/certificate.js';
import { useEach } from '../../support/fixture.js';
import { useTempFolder } from '../../support/temp-folder.js';

const NOTHING = { adminUrl: '', adminTokenFile: '', adminCertFile: '' };

describe('console: client of the admin port', () => {
  const folder = useTempFolder('admin-client');
  const servers = useEach<http.Server[]>(() => []);
  const asked = useEach<http.IncomingMessage[]>(() => []);

  afterEach(() => {
    for (const server of servers()) server.close();
  });

  const onRequest: http.RequestListener = (request, response) => {
    asked().push(request);
    response.end('metrics');
  };

  async function listen(server: http.Server, host = '127.0.0.1'): Promise<number> {
    servers().push(server);
    server.listen(0, host);
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  }

  async function getFrom(options: Partial<typeof NOTHING>, path = '/metrics') {
    const client = new AdminClient({ ...NOTHING, ...options });
    try {
      return await client.get(path);
    } finally {
      client.close();
    }
  }

  async function failureOf(options: Partial<typeof NOTHING>): Promise<unknown> {
    return getFrom(options).then(
      () => undefined,
      (error: unknown) => error,
    );
  }

  it('brings its token, and the path as it is', async () => {
    const token = join(folder(), 'token');
    await writeFile(token, 'hush\n', { mode: 0o600 });
    const adminUrl = `http://127.0.0.1:${await listen(http.createServer(onRequest))}`;
    const answer = await getFrom({ adminUrl, adminTokenFile: token }, '/a/..%2fb?query=%7B%7D');
    expect(answer).to.deep.equal({ status: 200, text: 'metrics' });
    expect(asked()[0]?.url).to.equal('/a/..%2fb?query=%7B%7D');
    expect(asked()[0]?.headers.authorization).to.equal('Bearer hush');
    await chmod(token, 0o644);
    expect(await failureOf({ adminUrl, adminTokenFile: token })).to.include({
      name: 'UpstreamError',
      kind: 'unavailable',
    });
    expect(asked()).to.have.length(1);
  });

  it('has no token to show where there is none', async () => {
    const adminUrl = `http://127.0.0.1:${await listen(http.createServer(onRequest))}`;
    await getFrom({ adminUrl });
    expect(asked()[0]?.headers).not.to.have.property('authorization');
  });

  it('says that there is nothing to ask', async () => {
    expect(new AdminClient(NOTHING).isConfigured).to.equal(false);
    expect(await failureOf({})).to.include({ name: 'UpstreamError', kind: 'unavailable' });
  });

  it('trusts the certificate of its file, and no other', async () => {
    const [own, other] = await Promise.all(
      ['own', 'other'].map((name) => makeCertificate(folder(), name)),
    );
    const [cert, key] = await Promise.all([readFile(own!.certFile), readFile(own!.keyFile)]);
    // An address that is not in it: the service finds itself by whatever it listens on.
    const port = await listen(https.createServer({ cert, key }, onRequest), '127.0.0.2');
    const adminUrl = `https://127.0.0.2:${port}`;
    expect(await getFrom({ adminUrl, adminCertFile: own!.certFile })).to.include({ status: 200 });
    for (const adminCertFile of [other!.certFile, '']) {
      expect(await failureOf({ adminUrl, adminCertFile })).to.include({ kind: 'unavailable' });
    }
  });

  it('refuses a file without a certificate', async () => {
    const adminCertFile = join(folder(), 'empty.pem');
    const options = { ...NOTHING, adminUrl: 'https://127.0.0.1:1', adminCertFile };
    expect(() => new AdminClient(options)).to.throw(ConfigError, 'a readable file');
    await writeFile(adminCertFile, 'nothing');
    expect(() => new AdminClient(options)).to.throw(ConfigError, 'a certificate in PEM');
  });
});
