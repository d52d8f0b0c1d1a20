import { expect } from 'chai';
import { XML_BOUNDS, type RequestDocument } from '../../../src/s3/xml/bounds.js';
import { isAcceptableXml } from '../../../src/s3/xml/scan.js';
import { parseDocument } from '../../../src/s3/xml-pool/documents.js';
import { expectS3Error } from '../support.js';

/** Every character of a text as the longest reference that means it. */
function asReferences(text: string): string {
  return Array.from(text, (character) => `&#${character.codePointAt(0)};`).join('');
}

function tagging(count: number): string {
  const tags = Array.from({ length: count }, (_, i) => {
    const key = asReferences(`${i}`.padStart(4, '0') + '\u{10428}'.repeat(62));
    const value = asReferences('\u{10428}'.repeat(128));
    return `\n    <s3:Tag>\n      <s3:Key>${key}</s3:Key>\n      <s3:Value>${value}</s3:Value>\n    </s3:Tag>`;
  });
  const xmlns = 'xmlns:s3="http://s3.amazonaws.com/doc/2006-03-01/"';
  return `<s3:Tagging ${xmlns}><s3:TagSet>${tags.join('')}</s3:TagSet></s3:Tagging>`;
}

const XSI = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"';
const GRANT =
  `<Grant><Grantee ${XSI} xsi:type="CanonicalUser"><ID>${'i'.repeat(256)}</ID>` +
  `<DisplayName>${'d'.repeat(256)}</DisplayName></Grantee><Permission>FULL_CONTROL</Permission></Grant>`;

const RULE =
  '<Filter><And><Prefix>PREFIX</Prefix><Tag><Key>k</Key><Value>v</Value></Tag>' +
  '<ObjectSizeGreaterThan>1</ObjectSizeGreaterThan><ObjectSizeLessThan>9</ObjectSizeLessThan></And></Filter>' +
  '<Status>Enabled</Status><Transition><Days>30</Days><StorageClass>GLACIER</StorageClass></Transition>' +
  '<Expiration><Days>90</Days></Expiration>' +
  '<NoncurrentVersionExpiration><NoncurrentDays>9</NoncurrentDays></NoncurrentVersionExpiration>';

function many(count: number, make: (i: number) => string): string {
  return Array.from({ length: count }, (_, i) => make(i)).join('');
}

/** The largest documents that the S3 API's own limits let a client send. */
const LARGEST: Readonly<Record<RequestDocument, string>> = {
  ObjectTagging: tagging(10),
  BucketTagging: tagging(50),
  AccessControlPolicy: `<AccessControlPolicy><Owner><ID>o</ID></Owner><AccessControlList>${GRANT.repeat(100)}</AccessControlList></AccessControlPolicy>`,
  CORSConfiguration: `<CORSConfiguration>${many(
    100,
    (i) =>
      `<CORSRule><ID>${i}</ID><AllowedOrigin>*</AllowedOrigin><AllowedMethod>GET</AllowedMethod>` +
      `${'<AllowedHeader>*</AllowedHeader>'.repeat(15)}</CORSRule>`,
  )}</CORSConfiguration>`,
  LifecycleConfiguration: `<LifecycleConfiguration>${many(
    1000,
    (i) => `<Rule><ID>${i}</ID>${RULE.replace('PREFIX', `${i}/`.padEnd(400, 'p'))}</Rule>`,
  )}</LifecycleConfiguration>`,
  VersioningConfiguration:
    '<VersioningConfiguration><Status>Enabled</Status><MfaDelete>Disabled</MfaDelete></VersioningConfiguration>',
  ObjectLockConfiguration:
    '<ObjectLockConfiguration><ObjectLockEnabled>Enabled</ObjectLockEnabled><Rule><DefaultRetention>' +
    '<Mode>GOVERNANCE</Mode><Days>1</Days></DefaultRetention></Rule></ObjectLockConfiguration>',
  Retention:
    '<Retention><Mode>COMPLIANCE</Mode><RetainUntilDate>2099-01-01T00:00:00Z</RetainUntilDate></Retention>',
  LegalHold: '<LegalHold><Status>ON</Status></LegalHold>',
  RestoreRequest:
    '<RestoreRequest><Days>1</Days><GlacierJobParameters><Tier>Bulk</Tier></GlacierJobParameters>' +
    `<Description>${'d'.repeat(1024)}</Description></RestoreRequest>`,
  CreateBucketConfiguration:
    '<CreateBucketConfiguration><LocationConstraint>us-east-1</LocationConstraint></CreateBucketConfiguration>',
  Delete: `<Delete><Quiet>true</Quiet>${many(
    1000,
    (i) =>
      `<Object><Key>${`${i}`.padEnd(1024, 'k')}</Key><VersionId>${'v'.repeat(32)}</VersionId></Object>`,
  )}</Delete>`,
  CompleteMultipartUpload: `<CompleteMultipartUpload>${many(
    10_000,
    (i) =>
      `<Part><ETag>"${'e'.repeat(32)}"</ETag><PartNumber>${i + 1}</PartNumber>` +
      `<ChecksumSHA256>${'A'.repeat(43)}=</ChecksumSHA256></Part>`,
  )}</CompleteMultipartUpload>`,
};

const NAMES = Object.keys(LARGEST) as RequestDocument[];
const SETTINGS = [{ storageClasses: ['STANDARD', 'GLACIER'] }];

describe('s3 xml: bounds of documents', () => {
  for (const name of NAMES) {
    const root = name.endsWith('Tagging') ? 'Tagging' : name;
    const bounds = XML_BOUNDS[name];

    it(`lets the largest ${name} of the S3 API pass`, () => {
      expect(parseDocument(name, Buffer.from(LARGEST[name]), SETTINGS)).to.not.equal(undefined);
    });

    it(`refuses a longer ${name} for its length, unread`, () => {
      const body = Buffer.alloc(bounds.bytes + 1, '<');
      expectS3Error(() => parseDocument(name, body, SETTINGS), 'MaxMessageLengthExceeded');
    });

    for (const [what, wrong] of [
      ['elements', `<${root}>${'<a/>'.repeat(bounds.elements)}</${root}>`],
      ['attributes', `<${root}>${'<a b=""/>'.repeat(bounds.attributes + 1)}</${root}>`],
      ['levels', '<a>'.repeat(bounds.depth + 1) + '</a>'.repeat(bounds.depth + 1)],
      ['characters in a tag', `<${root} ${'a'.repeat(5000)}=""/>`],
    ] as const) {
      it(`keeps a ${name} with too many ${what} from the parser`, () => {
        expect(isAcceptableXml(wrong, bounds)).to.equal(false);
      });
    }
  }

  it('tells of too many entries by their own errors', () => {
    for (const [name, body, code] of [
      ['ObjectTagging', tagging(11), 'BadRequest'],
      ['BucketTagging', tagging(51), 'BadRequest'],
      [
        'AccessControlPolicy',
        LARGEST.AccessControlPolicy.replace(GRANT, GRANT + GRANT),
        'MalformedACLError',
      ],
    ] as const) {
      expectS3Error(() => parseDocument(name, Buffer.from(body), SETTINGS), code);
    }
  });
});
