import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { expect } from 'chai';
import { archiveEnd, descriptor, localHeader } from '../../src/capsule/archive-format.js';
import { CapsuleError } from '../../src/capsule/capsule-error.js';
import { capsuleJson } from '../../src/capsule/manifest.js';
import { CapsuleKey, trustedKeys } from '../../src/capsule/signing.js';
import { verifyCapsule } from '../../src/capsule/verify-capsule.js';
import { ContentLengthError } from '../../src/capsule/write-capsule.js';
import { itWith, program } from '../support/needs.js';
import { mustRun } from '../support/programs.js';
import { makeTempFolder, removeFolder } from '../support/temp-folder.js';
import {
  capsuleOf,
  describedAs,
  DOCUMENTS,
  KEY,
  smallCapsule,
  streamed,
  textFile,
} from './support.js';

async function faultOf(bytes: Buffer, contentBytesMax?: number): Promise<[string, string]> {
  try {
    await verifyCapsule(streamed(bytes), { contentBytesMax });
  } catch (error) {
    if (error instanceof CapsuleError) return [error.fault, error.file];
    throw error;
  }
  return ['none', ''];
}

/** An archive in the form of capsules, of any files. */
function archive(files: readonly (readonly [path: string, content: string])[]): Buffer {
  const parts: Buffer[] = [];
  let offset = 0;
  const archived = files.map(([path, content]) => {
    const bytes = Buffer.from(content);
    const crc = crc32(bytes);
    const made = [localHeader(path, bytes.length), bytes, descriptor(bytes.length, crc)];
    parts.push(...made);
    const at = offset;
    offset += Buffer.concat(made).length;
    return { path, bytes: bytes.length, crc, offset: at };
  });
  return Buffer.concat([...parts, ...archiveEnd(archived, offset).map(({ bytes }) => bytes)]);
}

describe('capsules', function () {
  this.timeout(60_000);

  it('are verified whatever chunks they come in', async () => {
    const bytes = await smallCapsule();
    for (const size of [1, 7, 64, bytes.length]) {
      const found = await verifyCapsule(streamed(bytes, size));
      expect(found.key_id).to.equal(KEY.id);
      expect(found.files.map(({ path }) => path)).to.deep.equal([
        ...['body', 'replicas.json', 'placement.json', 'metadata.json'],
        ...['manifest.json', 'signature.json'],
      ]);
      const [body] = found.files;
      expect(bytes.subarray(body!.offset, body!.offset + body!.bytes).toString()).to.equal('hello');
    }
  });

  itWith([program('python3')], 'are ZIP files that Python reads', async () => {
    const folder = await makeTempFolder('capsule');
    try {
      const file = join(folder, 'a.capsule');
      await writeFile(file, await smallCapsule());
      const script =
        'import sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); assert z.testzip() is None; print(z.read("body").decode(), len(z.namelist()))';
      const { stdout } = await mustRun('python3', ['-c', script, file]);
      expect(stdout.trim()).to.equal('hello 6');
    } finally {
      await removeFolder(folder);
    }
  });

  it('name the file of any byte that was changed', async () => {
    const bytes = await smallCapsule();
    const { files } = await verifyCapsule(streamed(bytes));
    const starts = files.map(({ path, offset }) => ({
      path,
      start: offset - localHeader(path, 0).length,
    }));
    const last = files.at(-1);
    const directory = (last?.offset ?? 0) + (last?.bytes ?? 0) + 24;
    const wrong: string[] = [];
    for (let at = 0; at < bytes.length; at++) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ (1 << (at % 8));
      const [fault, file] = await faultOf(changed);
      const owner = starts.findLast(({ start }) => start <= at)?.path;
      // The directory has a record of each file, and an end of its own.
      const isRight = at < directory ? file === owner : file !== '';
      if (fault === 'none' || !isRight) wrong.push(`byte ${at} of ${owner}: ${fault} ${file}`);
    }
    expect(wrong).to.deep.equal([]);
  });

  it('name the file in which they are cut', async () => {
    const bytes = await smallCapsule();
    const kept = await Promise.all(
      [0, 10, 60, 300, bytes.length - 30].map((length) => faultOf(bytes.subarray(0, length))),
    );
    expect(kept.map(([fault]) => fault)).to.deep.equal(Array(5).fill('truncated'));
    expect(kept[1]).to.deep.equal(['truncated', 'body']);
    expect(await faultOf(Buffer.concat([bytes, Buffer.from('x')]))).to.deep.equal([
      'trailing_bytes',
      'archive',
    ]);
  });

  it('are refused by the name of what is hostile in them', async () => {
    expect(await faultOf(archive([['../../etc/passwd', 'x']]))).to.deep.equal([
      'bad_name',
      '../../etc/passwd',
    ]);
    const twice = archive([
      ['body', 'x'],
      ['replicas.json', '{}'],
      ['replicas.json', '{}'],
    ]);
    expect(await faultOf(twice)).to.deep.equal(['duplicate', 'replicas.json']);
    const packed = await smallCapsule();
    packed.writeUInt16LE(8, 8);
    expect(await faultOf(packed)).to.deep.equal(['compressed', 'body']);
    const large = await capsuleOf([textFile('body', 'x'.repeat(1000)), ...DOCUMENTS]);
    expect(await faultOf(large, 999)).to.deep.equal(['too_large', 'body']);
    expect(await faultOf(large, 1000)).to.deep.equal(['none', '']);
    const bomb = localHeader('replicas.json', 2 ** 40);
    expect(await faultOf(bomb)).to.deep.equal(['too_large', 'replicas.json']);
    const size = await smallCapsule();
    size.writeBigUInt64LE(6n, size.indexOf('hello') + 5 + 8);
    expect(await faultOf(size)).to.deep.equal(['wrong_size', 'body']);
    expect((await faultOf(Buffer.from('GIF89a'.repeat(20))))[0]).to.equal('not_a_capsule');
    const short = archive([['body', 'x']]);
    expect(await faultOf(short)).to.deep.equal(['missing', 'replicas.json']);
  });

  it('are sealed: what was put into another one is found', async () => {
    const original = await verifyCapsule(streamed(await smallCapsule()));
    const document = (path: string) => original.documents.get(path)?.toString() ?? '';
    const rest = ['replicas.json', 'placement.json', 'metadata.json', 'manifest.json'] as const;
    const others = rest.map((path) => [path, document(path)] as const);
    const signature = ['signature.json', document('signature.json')] as const;
    expect(await faultOf(archive([['body', 'hello'], ...others, signature]))).to.deep.equal([
      'none',
      '',
    ]);
    expect(await faultOf(archive([['body', 'jello'], ...others, signature]))).to.deep.equal([
      'hash_mismatch',
      'body',
    ]);
    expect(await faultOf(archive([['body', 'hell'], ...others, signature]))).to.deep.equal([
      'wrong_size',
      'body',
    ]);
    expect(await faultOf(archive([...others, signature]))).to.deep.equal([
      'hash_mismatch',
      'replicas.json',
    ]);
    const manifest = document('manifest.json').replace('"name":"o"', '"name":"p"');
    const forged = [...others.slice(0, 3), ['manifest.json', manifest] as const];
    expect(await faultOf(archive([['body', 'hello'], ...forged, signature]))).to.deep.equal([
      'bad_signature',
      'signature.json',
    ]);
    const later = manifest.replace('"capsule":1', '"capsule":2');
    const newer = [...others.slice(0, 3), ['manifest.json', later] as const];
    expect(await faultOf(archive([['body', 'hello'], ...newer, signature]))).to.deep.equal([
      'unknown_version',
      'manifest.json',
    ]);
    const spaced = [...others.slice(0, 3), ['manifest.json', `${manifest} `] as const];
    expect(await faultOf(archive([['body', 'hello'], ...spaced, signature]))).to.deep.equal([
      'damaged',
      'manifest.json',
    ]);
  });

  it('have segments, or no body', async () => {
    const slo = [textFile('segments/00001', 'a'), textFile('segments/00002', 'b')];
    const parts = [...slo, textFile('slo-manifest.json', '[]'), ...DOCUMENTS];
    const large = await capsuleOf(parts, describedAs({ kind: 'static', sha256: null }));
    const found = await verifyCapsule(streamed(large));
    expect(found.files).to.have.length(8);
    const none = describedAs({ state: 'deleted', has_body: false });
    const empty = await verifyCapsule(streamed(await capsuleOf(DOCUMENTS, none)));
    expect(empty.manifest.object.state).to.equal('deleted');
  });

  it('are cut where a file has another length than it was said to have', async () => {
    for (const bytes of [4, 6]) {
      const body = { path: 'body', bytes, content: Buffer.from('hello') };
      const error = await capsuleOf([body, ...DOCUMENTS]).catch((reason: unknown) => reason);
      expect(error).to.be.instanceOf(ContentLengthError);
    }
  });

  it('are signed with a key that is made once, and trusted by its public half', async () => {
    const folder = await makeTempFolder('capsule');
    try {
      const file = join(folder, 'lab', 'capsule-key.pem');
      const [one, other] = await Promise.all([CapsuleKey.inFile(file), CapsuleKey.inFile(file)]);
      expect(one.id).to.equal(other.id);
      expect((await stat(file)).mode & 0o777).to.equal(0o600);
      await writeFile(join(folder, 'colleague.pem'), one.publicPem);
      await writeFile(join(folder, 'rubbish.pem'), 'no key');
      expect([...(await trustedKeys(folder))]).to.deep.equal([one.id]);
      expect([...(await trustedKeys(join(folder, 'none')))]).to.deep.equal([]);
      expect(await readFile(join(folder, 'colleague.pem'), 'utf8')).not.to.include('PRIVATE');
    } finally {
      await removeFolder(folder);
    }
  });

  it('say the same in the same bytes', () => {
    expect(capsuleJson({ b: [1, null, 'é'], a: { d: true, c: '"' } })).to.equal(
      '{"a":{"c":"\\"","d":true},"b":[1,null,"é"]}',
    );
    expect(() => capsuleJson(0.5)).to.throw(RangeError);
  });
});
