import { expect } from 'chai';
import { useOnce } from '../support/fixture.js';
import { S3TestClient, type S3Request } from '../support/s3-client.js';
import { startService, stopCleanly } from '../support/service.js';

const RULE =
  '<CORSRule><AllowedOrigin>*</AllowedOrigin><AllowedMethod>GET</AllowedMethod></CORSRule>';
const CORS = `<CORSConfiguration>${RULE}</CORSConfiguration>`;
const TAGS = '<Tagging><TagSet><Tag><Key>a</Key><Value>b</Value></Tag></TagSet></Tagging>';

const RESTORE = '<RestoreRequest><Days>1</Days></RestoreRequest>';

/** The seven cases of SPEC.md 4.5, in an order in which each can be. */
const EXTRAS: readonly (readonly [
  what: string,
  request: S3Request,
  status: number,
  answer: RegExp,
])[] = [
  [
    'put object ACL',
    { method: 'PUT', path: '/extras/key?acl', headers: { 'x-amz-acl': 'public-read' } },
    200,
    /^$/,
  ],
  ['put bucket tagging', { method: 'PUT', path: '/extras?tagging', body: TAGS }, 200, /^$/],
  ['delete object tagging', { method: 'DELETE', path: '/extras/key?tagging' }, 204, /^$/],
  ['put bucket CORS', { method: 'PUT', path: '/extras?cors', body: CORS }, 200, /^$/],
  ['get bucket CORS', { method: 'GET', path: '/extras?cors' }, 200, /<CORSConfiguration .*<\/CORS/],
  ['delete bucket CORS', { method: 'DELETE', path: '/extras?cors' }, 204, /^$/],
  [
    'restore while the cold tier is off',
    { method: 'POST', path: '/extras/key?restore', body: RESTORE },
    400,
    /<Code>InvalidObjectState<\/Code>/,
  ],
];

describe('what the reference does not implement, and this service does', () => {
  const service = useOnce(() => startService({ listeners: 1 }), stopCleanly);
  const s3 = useOnce(() => new S3TestClient(service()), 'close');

  before(async () => {
    await s3().put('/extras');
    await s3().put('/extras/key', 'body');
  });

  for (const [what, request, status, answer] of EXTRAS) {
    it(`${what}: ${status}`, async () => {
      const given = await s3().send(request);
      expect(given.status).to.equal(status);
      expect(given.text).to.match(answer);
    });
  }
});
