import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import type { TaskTiming } from '../../../src/s3/xml-pool/pool-thread.js';
import { S3Error } from '../../../src/s3/errors.js';
import { DOCUMENT_PARSERS, type DocumentName } from '../../../src/s3/xml-pool/documents.js';
import { createXmlPool, type XmlPool } from '../../../src/s3/xml-pool/index.js';
import { XML_POOL_DEFAULTS, type XmlPoolOptions } from '../../../src/s3/xml-pool/options.js';
import { failureOf } from '../../support/failure.js';
import { useTempFolderOnce } from '../../support/temp-folder.js';

const KEYS = ['plain', ' spaces at the ends ', '日本 🚀', 'a&b<c>"d"', 'line\nfeed', '__proto__'];

const DELETE = documentOf(KEYS);

function documentOf(keys: readonly string[], rest = '<Quiet>true</Quiet>'): Buffer {
  const objects = keys.map(
    (key) => `<Object><Key>${escape(key)}</Key><VersionId>null</VersionId></Object>`,
  );
  return Buffer.from(`<Delete>${objects.join('')}${rest}</Delete>`);
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('\n', '&#10;');
}

const SETTINGS = { storageClasses: ['STANDARD', 'GLACIER'] };

describe('the XML pool', () => {
  const folder = useTempFolderOnce('xml-pool');
  const pools: XmlPool[] = [];

  afterEach(async () => {
    await Promise.all(pools.splice(0).map((pool) => pool.close()));
  });

  function start(options: XmlPoolOptions = {}): XmlPool {
    const pool = createXmlPool({ inlineBytesMax: 0, ...options });
    pools.push(pool);
    return pool;
  }

  /** A thread that does what the real one does, until a document tells it to die. */
  async function mortalWorker(): Promise<string> {
    const file = join(folder(), 'mortal.mjs');
    await writeFile(
      file,
      `import run from ${JSON.stringify(XML_POOL_DEFAULTS.workerFile)};
       export default function (task) {
         const text = Buffer.from(task.body).toString();
         if (text.includes('poison')) process.exit(3);
         if (text.includes('grenade')) throw new Error('broken');
         return run(task);
       }`,
    );
    return pathToFileURL(file).href;
  }

  it('reads on the thread what it reads on the event loop', async () => {
    const onLoop = await start({ inlineBytesMax: 4096 }).parse('Delete', DELETE);
    const onThread = await start().parse('Delete', DELETE);
    expect(onThread).to.deep.equal(onLoop);
    expect(onThread).to.deep.equal({
      objects: KEYS.map((key) => ({ key, versionId: 'null' })),
      quiet: true,
    });
  });

  it('reads the documents of its table', async () => {
    const body = Buffer.from(
      '<CompleteMultipartUpload><Part><PartNumber>7</PartNumber><ETag>"e"</ETag></Part></CompleteMultipartUpload>',
    );
    const document = await start().parse('CompleteMultipartUpload', body);
    expect(document).to.deep.equal({ parts: [{ partNumber: 7, etag: 'e' }] });
  });

  it('leaves the body alone, also when it is part of a larger piece of memory', async () => {
    const slab = Buffer.concat([Buffer.alloc(100, 'x'), DELETE, Buffer.alloc(100, 'y')]);
    const body = slab.subarray(100, 100 + DELETE.length);
    const { objects } = await start().parse('Delete', body);
    expect(objects).to.have.length(KEYS.length);
    expect(body.equals(DELETE)).to.be.true;
  });

  for (const [what, body, code, details] of [
    ['a malformed document', Buffer.from('<Delete><Object>'), 'MalformedXML', {}],
    ['a document type', Buffer.from('<!DOCTYPE x [<!ENTITY e "e">]><Delete/>'), 'MalformedXML', {}],
    [
      'a condition',
      Buffer.from('<Delete><Object><Key>k</Key><Size>9</Size></Object></Delete>'),
      'NotImplemented',
      {},
    ],
    [
      'a part number out of range',
      Buffer.from(
        '<CompleteMultipartUpload><Part><PartNumber>0</PartNumber><ETag>e</ETag></Part></CompleteMultipartUpload>',
      ),
      'InvalidArgument',
      { ArgumentName: 'PartNumber', ArgumentValue: '0' },
    ],
  ] as const) {
    it(`refuses ${what} with the same error on thread and loop`, async () => {
      const name = body.includes('<Delete') ? 'Delete' : 'CompleteMultipartUpload';
      const onLoop = await failureOf(start({ inlineBytesMax: 4096 }).parse(name, body), S3Error);
      const onThread = await failureOf(start().parse(name, body), S3Error);
      expect([onThread.code, onThread.details]).to.deep.equal([code, details]);
      expect([onLoop.code, onLoop.message]).to.deep.equal([onThread.code, onThread.message]);
    });
  }

  it('uses the thread above the limit only, and reports each task', async () => {
    const tasks: TaskTiming[] = [];
    const pool = start({ inlineBytesMax: DELETE.length, onTask: (task) => tasks.push(task) });
    await pool.parse('Delete', DELETE);
    expect(tasks).to.have.length(0);
    await pool.parse('Delete', Buffer.concat([DELETE, Buffer.from(' ')]));
    expect(tasks).to.have.length(1);
    expect(tasks[0]?.waitS).to.be.at.least(0);
    expect(tasks[0]?.runS).to.be.greaterThan(0);
  });

  for (const name of Object.keys(DOCUMENT_PARSERS) as DocumentName[]) {
    it(`never reads a large ${name} on the event loop`, async () => {
      const workerFile = join(folder(), 'elsewhere.mjs');
      await writeFile(
        workerFile,
        'export default ({ name, body }) => ({ json: JSON.stringify([name, body.length]), runS: 0 });',
      );
      const pool = start({ inlineBytesMax: 8192, workerFile: pathToFileURL(workerFile).href });
      const parse = (body: Buffer) => pool.parse(name as 'LifecycleConfiguration', body, SETTINGS);
      expect(await parse(Buffer.alloc(8193, ' '))).to.deep.equal([name, 8193]);
      // A body that is not larger is read there: the parser itself refuses this one.
      await failureOf(parse(Buffer.alloc(8192, ' ')), S3Error);
    });
  }

  it('uses the thread for a small document of very many elements', async () => {
    const tasks: TaskTiming[] = [];
    const pool = start({ inlineBytesMax: 8192, onTask: (task) => tasks.push(task) });
    const body = (elements: number) => Buffer.from(`<Delete>${'<a/>'.repeat(elements)}</Delete>`);
    await failureOf(pool.parse('Delete', body(681)), S3Error);
    expect(tasks).to.have.length(0);
    await failureOf(pool.parse('Delete', body(682)), S3Error);
    expect(tasks).to.have.length(1);
  });

  it('hands over what the parser wants to know besides', async () => {
    const rule = (storageClass: string) =>
      Buffer.from(
        '<LifecycleConfiguration><Rule><ID>a</ID><Filter/><Status>Enabled</Status><Transition>' +
          `<Days>1</Days><StorageClass>${storageClass}</StorageClass></Transition></Rule></LifecycleConfiguration>`,
      );
    const pool = start();
    const stored = await pool.parse('LifecycleConfiguration', rule('GLACIER'), SETTINGS);
    expect(stored).to.include('<StorageClass>GLACIER</StorageClass>');
    const refused = pool.parse('LifecycleConfiguration', rule('COLD'), SETTINGS);
    expect((await failureOf(refused, S3Error)).code).to.not.equal('InternalError');
  });

  it('refuses more documents than may wait, and goes on with those that do', async () => {
    const pool = start({ tasksMax: 3 });
    const accepted = [1, 2, 3].map(() => pool.parse('Delete', DELETE));
    expect(pool.stats()).to.deep.equal({ active: 1, queued: 2 });
    expect((await failureOf(pool.parse('Delete', DELETE))).code).to.equal('ServiceUnavailable');
    for (const { objects } of await Promise.all(accepted)) {
      expect(objects).to.have.length(KEYS.length);
    }
    expect(pool.stats()).to.deep.equal({ active: 0, queued: 0 });
    await pool.parse('Delete', DELETE);
  });

  for (const how of ['poison', 'grenade']) {
    it(`fails a document when its thread is lost to a ${how}, and starts again`, async () => {
      const pool = start({ workerFile: await mortalWorker() });
      const error = await failureOf(pool.parse('Delete', documentOf([how])), S3Error);
      expect(error.code).to.equal('ServiceUnavailable');
      expect(error.cause).to.be.instanceOf(Error);
      expect(pool.stats()).to.deep.equal({ active: 0, queued: 0 });
      expect((await pool.parse('Delete', DELETE)).objects).to.have.length(KEYS.length);
    });
  }

  it('fails, and does not hang, when the thread cannot start', async () => {
    const file = join(folder(), 'broken.mjs');
    await writeFile(file, 'throw new Error("cannot start");');
    const pool = start({ workerFile: pathToFileURL(file).href });
    expect((await failureOf(pool.parse('Delete', DELETE))).code).to.equal('ServiceUnavailable');
  });

  it('finishes what was begun when it closes, and refuses what comes later', async () => {
    const pool = start();
    const begun = pool.parse('Delete', DELETE);
    const closed = pool.close();
    expect((await begun).objects).to.have.length(KEYS.length);
    await closed;
    expect((await failureOf(pool.parse('Delete', DELETE))).code).to.equal('ServiceUnavailable');
  });

  it('does not keep a process alive', async () => {
    const { Worker } = await import('node:worker_threads');
    const source = `
      import('${new URL('../../../src/s3/xml-pool/index.js', import.meta.url).href}').then(async (m) => {
        const pool = m.createXmlPool({ inlineBytesMax: 0 });
        await pool.parse('Delete', Buffer.from('<Delete><Object><Key>k</Key></Object></Delete>'));
      });`;
    const [code] = (await once(new Worker(source, { eval: true }), 'exit')) as [number];
    expect(code).to.equal(0);
  });
});
