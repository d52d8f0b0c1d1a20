import { expect } from 'chai';
import { describeWith, program } from '../support/needs.js';
import { documentedConfiguration, startNginx, substituted } from '../support/proxy.js';
import { RawClient } from '../support/raw-http.js';
import type { Service } from '../support/service.js';
import { itWorksBehind, type HostTreatment, type ProxyKind } from './behind-proxy.js';

const KEEPS_HOST = 'proxy_set_header Host $http_host;';
const FORWARDS_HOST = 'proxy_set_header X-Forwarded-Host $http_host;';

/** The documented lines about `Host` that are left out. */
const LEFT_OUT: Readonly<Record<HostTreatment, readonly string[]>> = {
  preserved: [],
  forwarded: [KEEPS_HOST],
  replaced: [KEEPS_HOST, FORWARDS_HOST],
};

const NGINX: ProxyKind = {
  name: 'nginx',
  start: (service: Service, treatment: HostTreatment) =>
    startNginx((port) =>
      substituted(documentedConfiguration('nginx'), {
        'listen 443 ssl;': `listen 127.0.0.1:${port};`,
        '127.0.0.1:8000': new URL(service.endpoint).host,
        ...Object.fromEntries(LEFT_OUT[treatment].map((line) => [line, ''])),
      }),
    ),
};

describeWith([program('nginx')], 'behind nginx', () => {
  itWorksBehind(NGINX);

  it('has no say in paths above the root: nginx refuses them, as documented', async () => {
    const proxy = await startNginx(
      (port) => `server { listen 127.0.0.1:${port}; location / { return 204; } }`,
    );
    const client = await RawClient.connect(Number(new URL(proxy.endpoint).port));
    expect((await client.get('/bucket/../key')).status).to.equal(204);
    expect((await client.get('/bucket/../../key')).status).to.equal(400);
    client.destroy();
    await proxy.stop();
  });
});
