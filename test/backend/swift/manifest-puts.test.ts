import { expect } from 'chai';
import type { ManifestInput, Segment } from '../../../src/backend/backend.js';
import { readHeartbeatAnswer } from '../../../src/backend/swift/manifest-puts.js';
import {
  parseEmptySegments,
  renderEmptySegments,
  withEmptySegments,
} from '../../../src/backend/swift/manifests.js';
import { codeOf, failureOf } from '../../support/failure.js';
import type { ScriptedAnswer } from './support/scripted-transport.js';
import { CONTEXT, created, documentOf, found, REF, scripted } from './support/scripted-backend.js';

const PUT = 'PUT c/o?multipart-manifest=put';
const LOOK = 'HEAD c/o?symlink=get';

function segment(index: number, size = 5): Segment {
  return {
    container: 'c+segments',
    object: `o/u/${index}`,
    size,
    etag: String(index % 10).repeat(32),
  };
}

function manifest(segments: readonly Segment[]): ManifestInput {
  return { segments, etag: 'whole-n', contentType: 'a/b' };
}

const FEW = [segment(1), segment(2)];
const MANY = Array.from({ length: 300 }, (_, i) => segment(i));

function problems(status: number, errors: readonly (readonly string[])[]): ScriptedAnswer {
  return { status, body: JSON.stringify({ Errors: errors }) };
}

function heartbeat(status: string, errors: readonly (readonly string[])[] = []): ScriptedAnswer {
  const document = { 'Response Status': status, 'Response Body': '', Errors: errors };
  return { status: 202, body: `   \r\n\r\n${JSON.stringify(document)}` };
}

describe('puts of large objects in Swift', () => {
  it('name their segments, which Swift looks at', async () => {
    const { backend, requests, names } = await scripted({ [PUT]: created('"x"') });
    const put = await backend.putManifest(CONTEXT, REF, manifest(FEW));
    expect(put).to.include({ outcome: 'created', etag: 'whole-n' });
    expect(names()).to.deep.equal([PUT]);
    expect(documentOf(requests[0]!)).to.deep.equal([
      { path: '/c+segments/o/u/1', size_bytes: 5, etag: '1'.repeat(32) },
      { path: '/c+segments/o/u/2', size_bytes: 5, etag: '2'.repeat(32) },
    ]);
    expect(requests[0]?.headers).to.include({
      'x-gateway-sysmeta-object-s3api-etag': 'whole-n',
      'x-gateway-sysmeta-object-ringway-segment-count': '2',
    });
  });

  it('leave out what is empty, and keep it in mind', async () => {
    const segments = [segment(1), segment(2, 0), segment(3)];
    const empty = found({ etag: segment(2).etag });
    const answers = { [PUT]: created('"x"'), 'HEAD c+segments/o/u/2?symlink=get': empty };
    const { backend, requests } = await scripted(answers);
    await backend.putManifest(CONTEXT, REF, manifest(segments));
    const last = requests.at(-1)!;
    const { headers } = last;
    expect(documentOf(last)).to.have.length(2);
    const kept = parseEmptySegments(headers?.['x-gateway-sysmeta-object-ringway-empty-segments']);
    const named = segments.filter(({ size }) => size > 0);
    expect(withEmptySegments(named, kept)).to.deep.equal(segments);
  });

  it('take no empty segment but the one that was meant, which Swift does not look at', async () => {
    const segments = [segment(1), segment(2, 0)];
    const look = 'HEAD c+segments/o/u/2?symlink=get';
    for (const there of [
      found({ etag: segment(3).etag }),
      found({ etag: segment(2).etag, 'content-length': '1' }),
      found({ etag: segment(2).etag, 'x-symlink-target': 'c/other' }),
      { status: 404 },
    ]) {
      const { backend, names } = await scripted({ [PUT]: created('"x"'), [look]: there });
      const error = await failureOf(backend.putManifest(CONTEXT, REF, manifest(segments)));
      expect(error.code).to.equal('SegmentMismatch');
      expect(names()).to.not.include(PUT);
    }
  });

  it('of nothing but empty segments are ordinary objects', async () => {
    const segments = [segment(1, 0), segment(2, 0)];
    const heads = segments.map(({ object, etag }) => [
      `HEAD c+segments/${object}?symlink=get`,
      found({ etag }),
    ]);
    const { backend, names } = await scripted({
      ...(Object.fromEntries(heads) as Record<string, ScriptedAnswer>),
      'PUT c/o': created('d41d8cd98f00b204e9800998ecf8427e'),
    });
    const put = await backend.putManifest(CONTEXT, REF, manifest(segments));
    expect(put).to.include({ outcome: 'created', etag: 'whole-n' });
    expect(names()).to.include('PUT c/o');
    expect(withEmptySegments([], parseEmptySegments(renderEmptySegments(segments)))).to.deep.equal(
      segments,
    );
  });

  const refusals: readonly (readonly [string, ScriptedAnswer, string])[] = [
    ['is another one', problems(400, [['/c/s', 'Etag Mismatch']]), 'SegmentMismatch'],
    ['is missing', problems(400, [['/c/s', '404 Not Found']]), 'SegmentMismatch'],
    ['cannot be seen now', problems(400, [['/c/s', '503 Service Unavailable']]), 'Unavailable'],
    [
      'cannot be seen, beside a wrong one',
      problems(400, [
        ['/c/s', '503 Service Unavailable'],
        ['/c/t', 'Size Mismatch'],
      ]),
      'SegmentMismatch',
    ],
  ];
  for (const [what, answer, code] of refusals) {
    it(`with a segment that ${what} are ${code}`, async () => {
      const { backend } = await scripted({ [PUT]: answer });
      expect(await codeOf(backend.putManifest(CONTEXT, REF, manifest(FEW)))).to.equal(code);
    });
  }

  it('are not told to have failed by segments when the container is missing', async () => {
    const { backend } = await scripted({ [PUT]: { status: 404, body: '<html>' } });
    const error = await failureOf(backend.putManifest(CONTEXT, REF, manifest(FEW)));
    expect(error.code).to.equal('NoSuchContainer');
  });

  describeHeartbeats();
});

function describeHeartbeats(): void {
  const query = `${PUT}&heartbeat=on`;

  it('of many segments ask for a heartbeat, and believe its end', async () => {
    const answers = { [query]: heartbeat('201 Created'), [LOOK]: found() };
    const { backend } = await scripted(answers);
    const put = await backend.putManifest(CONTEXT, REF, manifest(MANY));
    expect(put).to.include({ outcome: 'created', etag: 'whole-n' });
  });

  const ends: readonly (readonly [string, ScriptedAnswer, string])[] = [
    [
      'a wrong segment',
      heartbeat('400 Bad Request', [['/c/s', 'Etag Mismatch']]),
      'SegmentMismatch',
    ],
    ['no container', heartbeat('404 Not Found'), 'NoSuchContainer'],
    ['a proxy in trouble', heartbeat('503 Service Unavailable'), 'Unavailable'],
    ['nothing', { status: 202, body: '     ' }, 'Unavailable'],
    ['half a sentence', { status: 202, body: '  \r\n\r\n{"Response Sta' }, 'Unavailable'],
  ];
  for (const [what, answer, code] of ends) {
    it(`are ${code} when the heartbeat ends with ${what}`, async () => {
      const { backend } = await scripted({ [query]: answer });
      expect(await codeOf(backend.putManifest(CONTEXT, REF, manifest(MANY)))).to.equal(code);
    });
  }

  it('are told behind a heartbeat what else became of them', async () => {
    for (const [status, outcome] of [
      ['202 Accepted', 'stale'],
      ['412 Precondition Failed', 'precondition_failed'],
    ] as const) {
      const { backend } = await scripted({ [query]: heartbeat(status) });
      const put = await backend.putManifest(CONTEXT, REF, manifest(MANY), { absent: true });
      expect(put).to.deep.equal({ outcome });
    }
  });

  it('are tried again when another writer creates the same object, which only the status says', async () => {
    const answers = {
      [query]: [heartbeat('409 Conflict'), heartbeat('412 Precondition Failed')],
    };
    const { backend } = await scripted(answers);
    const put = await backend.putManifest(CONTEXT, REF, manifest(MANY), { absent: true });
    expect(put).to.deep.equal({ outcome: 'precondition_failed' });
  });

  it('never take a status for what is none', () => {
    for (const text of [
      '',
      '[]',
      'null',
      '{"Response Status": 201}',
      '{"Response Status": "ok"}',
    ]) {
      expect(() => readHeartbeatAnswer(text), text).to.throw();
    }
  });
}
