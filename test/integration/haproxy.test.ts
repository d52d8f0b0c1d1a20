import { describeWith, program } from '../support/needs.js';
import { documentedConfiguration, startHaproxy, substituted } from '../support/proxy.js';
import type { Service } from '../support/service.js';
import { itWorksBehind, type HostTreatment, type ProxyKind } from './behind-proxy.js';

const FORWARDS_HOST = 'http-request set-header X-Forwarded-Host %[req.hdr(Host)]';
const REPLACES_HOST = 'http-request set-header Host ringway';

/** HAProxy keeps `Host` unless it is told to replace it. */
const CHANGES: Readonly<Record<HostTreatment, string>> = {
  preserved: FORWARDS_HOST,
  forwarded: `${FORWARDS_HOST}\n    ${REPLACES_HOST}`,
  replaced: REPLACES_HOST,
};

const HAPROXY: ProxyKind = {
  name: 'HAProxy',
  start: (service: Service, treatment: HostTreatment) =>
    startHaproxy((port) =>
      substituted(documentedConfiguration('haproxy'), {
        ':443 ssl crt /etc/haproxy/s3.pem': `127.0.0.1:${port}`,
        '127.0.0.1:8000': new URL(service.endpoint).host,
        'port 9464': `port ${new URL(service.adminEndpoint).port}`,
        [FORWARDS_HOST]: CHANGES[treatment],
      }),
    ),
};

describeWith([program('haproxy')], 'behind HAProxy', () => {
  itWorksBehind(HAPROXY);
});
