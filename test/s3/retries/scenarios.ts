import { createHash } from 'node:crypto';
import { coolDown } from './cold.js';
import type { Answer, Gateway, Request } from './gateway.js';

export interface Scenario {
  readonly name: string;
  /** Makes what the request finds. @returns the request */
  readonly prepare: (gateway: Gateway) => Promise<Request>;
  /** The request to send when a part of the first one failed; default: the same. */
  readonly rest?: (answer: Answer) => Request;
}

const B = '/bucket';
const K = '/bucket/key';

const VERSIONING = (status: string) =>
  `<VersioningConfiguration><Status>${status}</Status></VersioningConfiguration>`;
const TAGS = '<Tagging><TagSet><Tag><Key>a</Key><Value>b</Value></Tag></TagSet></Tagging>';
const CORS =
  '<CORSConfiguration><CORSRule><AllowedMethod>GET</AllowedMethod><AllowedOrigin>*</AllowedOrigin></CORSRule></CORSConfiguration>';
const LIFECYCLE =
  '<LifecycleConfiguration><Rule><ID>r</ID><Filter><Prefix></Prefix></Filter><Status>Enabled</Status><Expiration><Days>9</Days></Expiration></Rule></LifecycleConfiguration>';
const LOCKING: Request = {
  line: `PUT ${B}?object-lock`,
  body: '<ObjectLockConfiguration><ObjectLockEnabled>Enabled</ObjectLockEnabled><Rule><DefaultRetention><Mode>GOVERNANCE</Mode><Days>1</Days></DefaultRetention></Rule></ObjectLockConfiguration>',
};
const RETENTION =
  '<Retention><Mode>GOVERNANCE</Mode><RetainUntilDate>2099-01-01T00:00:00Z</RetainUntilDate></Retention>';
const HOLD = '<LegalHold><Status>ON</Status></LegalHold>';

async function sure(gateway: Gateway, ...requests: readonly Request[]): Promise<Answer> {
  let last: Answer | undefined;
  for (const request of requests) {
    last = await gateway.send(request);
    if (last.status >= 300) throw new Error(`${request.line}: ${last.status} ${last.text}`);
  }
  if (last === undefined) throw new Error('nothing was sent');
  return last;
}

const put = (text: string, more: Request['headers'] = {}): Request => ({
  line: `PUT ${K}`,
  headers: { 'content-type': 'text/plain', 'x-amz-meta-of': text.slice(0, 9), ...more },
  body: text,
});
const versioning = (status: string): Request => ({
  line: `PUT ${B}?versioning`,
  body: VERSIONING(status),
});

/** An open upload with one part; its id. */
async function openUpload(
  gateway: Gateway,
  line = K,
  headers: Request['headers'] = {},
): Promise<string> {
  const { text } = await sure(gateway, { line: `POST ${line}?uploads`, headers });
  const id = /<UploadId>(.*?)</.exec(text)?.[1] ?? '';
  await sure(gateway, {
    line: `PUT ${line}?partNumber=1&uploadId=${id}`,
    body: 'part one',
  });
  return id;
}

function completion(id: string): Request {
  const etag = createHash('md5').update('part one').digest('hex');
  return {
    line: `POST ${K}?uploadId=${id}`,
    body: `<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>${etag}</ETag></Part></CompleteMultipartUpload>`,
  };
}

async function large(gateway: Gateway, headers: Request['headers'] = {}): Promise<void> {
  await sure(gateway, completion(await openUpload(gateway, K, headers)));
}

type History = readonly (Request | ((gateway: Gateway) => Promise<void>))[];

/** The states of a key, each with the requests that lead to it. */
const HISTORIES: Readonly<Record<string, History>> = {
  'unversioned, nothing': [],
  'unversioned, an object': [put('one')],
  'unversioned, a large object': [large],
  'versioned, nothing': [versioning('Enabled')],
  'versioned, a plain object': [put('one'), versioning('Enabled')],
  'versioned, a large plain object': [large, versioning('Enabled')],
  'versioned, versions': [versioning('Enabled'), put('one'), put('two')],
  'versioned, a large version': [versioning('Enabled'), put('one'), large],
  'versioned, a delete marker': [versioning('Enabled'), put('one'), { line: `DELETE ${K}` }],
  'suspended, nothing': [versioning('Enabled'), versioning('Suspended')],
  'suspended, a plain object': [put('one'), versioning('Suspended')],
  'suspended, a version': [versioning('Enabled'), put('one'), versioning('Suspended')],
  'suspended, a version null': [
    ...[versioning('Enabled'), put('one')],
    ...[versioning('Suspended'), put('two')],
  ],
  'suspended, a large version null': [
    ...[versioning('Enabled'), put('one')],
    ...[versioning('Suspended'), large],
  ],
};

async function after(gateway: Gateway, steps: History): Promise<void> {
  for (const step of steps) {
    if (typeof step === 'function') await step(gateway);
    else await sure(gateway, step);
  }
}

const digest = (body: string) => createHash('md5').update(body).digest('base64');

function multiDelete(...objects: readonly (readonly [key: string, id?: string])[]): Request {
  const listed = objects.map(
    ([key, id]) =>
      `<Object><Key>${key}</Key>${id === undefined ? '' : `<VersionId>${id}</VersionId>`}</Object>`,
  );
  const body = `<Delete>${listed.join('')}</Delete>`;
  return { line: `POST ${B}?delete`, body, headers: { 'content-md5': digest(body) } };
}

/** Of what failed, as its answer says. */
function failedOf({ text }: Answer): Request {
  const failed = [...text.matchAll(/<Error><Key>(.*?)<\/Key>(?:<VersionId>(.*?)<\/VersionId>)?/g)];
  return multiDelete(
    ...failed.map(([, key = '', id]) =>
      id === undefined ? ([key] as const) : ([key, id] as const),
    ),
  );
}

/** Ids of the versions at the key, the newest first. */
async function versionIds(gateway: Gateway): Promise<readonly string[]> {
  const { text } = await sure(gateway, { line: `GET ${B}?versions` });
  return [...text.matchAll(/<VersionId>(.*?)<\/VersionId>/g)].map(([, id = '']) => id);
}

type Ask = Request | ((gateway: Gateway) => Promise<Request>);

/** On every history. */
const OF_KEYS: Readonly<Record<string, Ask>> = {
  PutObject: put('new'),
  'PutObject if there is none': put('new', { 'if-none-match': '*' }),
  'PutObject if it is the one': put('new', {
    'if-match': createHash('md5').update('one').digest('hex'),
  }),
  CopyObject: async (gateway) => {
    await sure(gateway, { line: `PUT ${B}/other`, body: 'other' });
    return { line: `PUT ${K}`, headers: { 'x-amz-copy-source': `${B}/other` } };
  },
  CompleteMultipartUpload: async (gateway) => completion(await openUpload(gateway)),
  'CompleteMultipartUpload if there is none': async (gateway) => ({
    ...completion(await openUpload(gateway)),
    headers: { 'if-none-match': '*' },
  }),
  DeleteObject: { line: `DELETE ${K}` },
  'DeleteObject of version null': { line: `DELETE ${K}?versionId=null` },
  'DeleteObject of the newest version': async (gateway) => {
    const [id = 'null'] = await versionIds(gateway);
    return { line: `DELETE ${K}?versionId=${id}` };
  },
  'DeleteObject of the oldest version': async (gateway) => {
    const id = (await versionIds(gateway)).at(-1) ?? 'null';
    return { line: `DELETE ${K}?versionId=${id}` };
  },
  GetObject: { line: `GET ${K}` },
  'GetObject, a range': { line: `GET ${K}`, headers: { range: 'bytes=1-2' } },
  'GetObject, a range if it is the one': {
    line: `GET ${K}`,
    headers: { range: 'bytes=1-2', 'if-range': '"another"' },
  },
  'GetObject, a part': { line: `GET ${K}?partNumber=1` },
  HeadObject: { line: `HEAD ${K}` },
  'GetObject of version null': { line: `GET ${K}?versionId=null` },
  PutObjectTagging: { line: `PUT ${K}?tagging`, body: TAGS },
  DeleteObjectTagging: { line: `DELETE ${K}?tagging` },
  PutObjectAcl: { line: `PUT ${K}?acl`, headers: { 'x-amz-acl': 'public-read' } },
};

const DELETE_ALL = multiDelete(['key'], ['other']);

const onHistories = (name: string, ask: Ask, rest?: Scenario['rest']): Scenario[] =>
  Object.entries(HISTORIES).map(([history, steps]) => ({
    name: `${name}: ${history}`,
    prepare: async (gateway) => {
      await after(gateway, [CREATE, ...steps]);
      return typeof ask === 'function' ? ask(gateway) : ask;
    },
    ...(rest === undefined ? {} : { rest }),
  }));

const scenario = (name: string, ask: Ask, ...before: readonly Request[]): Scenario => ({
  name,
  prepare: async (gateway) => {
    if (before.length > 0) await sure(gateway, ...before);
    return typeof ask === 'function' ? ask(gateway) : ask;
  },
});

const CREATE: Request = { line: `PUT ${B}` };
const CREATE_LOCKED: Request = {
  line: `PUT ${B}`,
  headers: { 'x-amz-bucket-object-lock-enabled': 'true' },
};
const OF_BUCKETS: Readonly<Record<string, Request>> = {
  PutBucketAcl: { line: `PUT ${B}?acl`, headers: { 'x-amz-acl': 'public-read' } },
  PutBucketTagging: { line: `PUT ${B}?tagging`, body: TAGS },
  DeleteBucketTagging: { line: `DELETE ${B}?tagging` },
  PutBucketCors: { line: `PUT ${B}?cors`, body: CORS },
  DeleteBucketCors: { line: `DELETE ${B}?cors` },
  PutBucketLifecycle: { line: `PUT ${B}?lifecycle`, body: LIFECYCLE },
  DeleteBucketLifecycle: { line: `DELETE ${B}?lifecycle` },
  'PutBucketVersioning on': versioning('Enabled'),
  'PutBucketVersioning off': versioning('Suspended'),
  CreateBucket: CREATE,
  DeleteBucket: { line: `DELETE ${B}` },
  HeadBucket: { line: `HEAD ${B}` },
  ListBuckets: { line: 'GET /' },
  ListObjects: { line: `GET ${B}` },
  ListObjectsV2: { line: `GET ${B}?list-type=2` },
  ListObjectVersions: { line: `GET ${B}?versions` },
  ListMultipartUploads: { line: `GET ${B}?uploads` },
  CreateMultipartUpload: { line: `POST ${K}?uploads` },
  'CreateMultipartUpload with an ACL': {
    line: `POST ${K}?uploads`,
    headers: { 'x-amz-acl': 'public-read' },
  },
};

const withUpload = async (gateway: Gateway): Promise<void> => {
  await sure(gateway, CREATE, { line: `PUT ${B}?lifecycle`, body: LIFECYCLE });
  await openUpload(gateway, `${B}/open`);
};

export const SCENARIOS: readonly Scenario[] = [
  scenario('CreateBucket', CREATE),
  scenario('CreateBucket with locks', CREATE_LOCKED),
  scenario('CreateBucket with an ACL', {
    line: `PUT ${B}`,
    headers: { 'x-amz-acl': 'public-read' },
  }),
  ...Object.entries(OF_BUCKETS).flatMap(([name, request]) => [
    scenario(`${name}, empty`, request, CREATE),
    scenario(`${name}, with versions`, request, CREATE, versioning('Enabled'), put('one')),
    scenario(`${name}, without versions any more`, request, CREATE, versioning('Enabled')),
    {
      name: `${name}, with an upload`,
      prepare: async (gateway: Gateway) => {
        await withUpload(gateway);
        return request;
      },
    },
  ]),
  scenario('PutObjectLockConfiguration', LOCKING, CREATE_LOCKED),
  ...Object.entries(OF_KEYS).flatMap(([name, ask]) => onHistories(name, ask)),
  ...onHistories(
    'DeleteObjects',
    async (gateway) => {
      await sure(gateway, { line: `PUT ${B}/other`, body: 'other' });
      return DELETE_ALL;
    },
    failedOf,
  ),
  ...onHistories(
    'DeleteObjects of versions',
    async (gateway) => {
      const ids = await versionIds(gateway);
      return multiDelete(...[...ids, 'null'].map((id) => ['key', id] as const));
    },
    failedOf,
  ),
  ...['retention', 'legal-hold'].flatMap((name) => {
    const ask: Request = {
      line: `PUT ${K}?${name}`,
      body: name === 'retention' ? RETENTION : HOLD,
    };
    return [
      scenario(`Put ${name}`, ask, CREATE_LOCKED, put('one'), put('two')),
      scenario(
        `Put ${name} of a plain object`,
        ask,
        ...[CREATE, put('one'), versioning('Enabled'), LOCKING],
      ),
    ];
  }),
  scenario('PutObject with locks', put('three'), CREATE_LOCKED, LOCKING),
  ...uploads(),
  ...restores(),
];

function restores(): Scenario[] {
  const headers = { 'x-amz-storage-class': 'GLACIER' };
  const steps: Readonly<Record<string, History>> = {
    'a small object': [put('one', headers)],
    'an object in a file': [put('one'.repeat(1000), headers)],
    'a large object': [(gateway) => large(gateway, headers)],
    'a version': [versioning('Enabled'), put('one', headers)],
    'a large version': [versioning('Enabled'), (gateway) => large(gateway, headers)],
  };
  const restore: Request = {
    line: `POST ${K}?restore`,
    body: '<RestoreRequest><Days>1</Days></RestoreRequest>',
  };
  return Object.entries(steps).flatMap(([name, history]) =>
    [false, true].map((isRestored) => ({
      name: `RestoreObject${isRestored ? ' once more' : ''}: ${name}`,
      prepare: async (gateway: Gateway) => {
        await after(gateway, [CREATE, ...history]);
        await coolDown(gateway.backend, gateway.account);
        if (isRestored) await sure(gateway, restore);
        return restore;
      },
    })),
  );
}

function uploads(): Scenario[] {
  const asked: Readonly<Record<string, (id: string) => Request>> = {
    UploadPart: (id) => ({ line: `PUT ${K}?partNumber=2&uploadId=${id}`, body: 'two' }),
    'UploadPart once more': (id) => ({
      line: `PUT ${K}?partNumber=1&uploadId=${id}`,
      body: 'two',
    }),
    UploadPartCopy: (id) => ({
      line: `PUT ${K}?partNumber=2&uploadId=${id}`,
      headers: { 'x-amz-copy-source': `${B}/other` },
    }),
    'UploadPartCopy of a range': (id) => ({
      line: `PUT ${K}?partNumber=2&uploadId=${id}`,
      headers: { 'x-amz-copy-source': `${B}/other`, 'x-amz-copy-source-range': 'bytes=1-2' },
    }),
    ListParts: (id) => ({ line: `GET ${K}?uploadId=${id}` }),
    AbortMultipartUpload: (id) => ({ line: `DELETE ${K}?uploadId=${id}` }),
  };
  return Object.entries(asked).flatMap(([name, ask]) =>
    [false, true].map((keepsVersions) => ({
      name: `${name}, ${keepsVersions ? 'versioned' : 'unversioned'}`,
      prepare: async (gateway: Gateway) => {
        await sure(gateway, CREATE, { line: `PUT ${B}/other`, body: 'other' });
        if (keepsVersions) await sure(gateway, versioning('Enabled'));
        return ask(await openUpload(gateway));
      },
    })),
  );
}
