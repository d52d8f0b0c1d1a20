import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import http from 'node:http';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { S3Client, CreateBucketCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { expect } from 'chai';
import { makeTempFolder, removeFolder } from '../support/temp-folder.js';

/** The first start of a clone may have to compile before it serves. */
const START_LIMIT_MS = 120_000;

type Npm = ChildProcessByStdio<null, Readable, Readable>;

/** `npm start` in a process group of its own, as a shell gives it to a command in the foreground. */
function npmStart(dataDir: string): Npm {
  const anyPort = '127.0.0.1:0';
  const flags = ['--data', dataDir, '--s3', anyPort, '--admin', anyPort, '--listeners', '1'];
  flags.push('--store', anyPort, '--console', anyPort);
  return spawn('npm', ['start', '--', ...flags], {
    detached: true,
    env: {
      ...process.env,
      RINGWAY_ACCESS_KEY: 'NPMSTARTKEY',
      RINGWAY_SECRET_KEY: 'npm/start+secret',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** Acts as a terminal at Ctrl-C: the signal goes to npm, its shell and the whole service. */
function pressCtrlC(npm: Npm): void {
  process.kill(-(npm.pid ?? 0), 'SIGINT');
}

describe('npm start', function () {
  this.timeout(START_LIMIT_MS);
  let folder: string;
  let npm: Npm;
  let output: string;
  let changes: EventEmitter;
  let endpoint: string;

  beforeEach(async () => {
    folder = await makeTempFolder('npm-start');
    npm = npmStart(join(folder, 'data'));
    output = '';
    changes = new EventEmitter();
    const ready = new Promise<string>((resolve, reject) => {
      const read = (chunk: string): void => {
        output += chunk;
        changes.emit('change');
        const found = /S3 endpoint\s+(http\S+)[^]*Listeners/.exec(output)?.[1];
        if (found !== undefined) resolve(found);
      };
      for (const stream of [npm.stdout, npm.stderr]) stream.setEncoding('utf8').on('data', read);
      npm.once('close', (code) => {
        reject(new Error(`npm start ended with ${code ?? 'a signal'}:\n${output}`));
      });
    });
    endpoint = await ready;
  });

  afterEach(async () => {
    if (npm.exitCode === null && npm.signalCode === null) {
      process.kill(-(npm.pid ?? 0), 'SIGKILL');
      await once(npm, 'close');
    }
    await removeFolder(folder);
  });

  it('hands its flags on', () => {
    expect(output).to.match(/Listeners +1\n/);
    expect(output).to.contain('NPMSTARTKEY');
    expect(output).to.match(/Console +http:\/\/127\.0\.0\.1:\d+\n +Log in +with the access key/);
  });

  it('ends with 0 at SIGTERM to npm', async () => {
    npm.kill('SIGTERM');
    expect(await once(npm, 'close'), output).to.deep.equal([0, null]);
  });

  it('drains at Ctrl-C: an upload in flight is finished, and npm ends with 0', async () => {
    const s3 = new S3Client({
      endpoint,
      region: 'us-east-1',
      forcePathStyle: true,
      credentials: { accessKeyId: 'NPMSTARTKEY', secretAccessKey: 'npm/start+secret' },
    });
    await s3.send(new CreateBucketCommand({ Bucket: 'bucket' }));
    const url = await getSignedUrl(s3, new PutObjectCommand({ Bucket: 'bucket', Key: 'key' }));
    s3.destroy();

    const headers = { 'content-length': 10, expect: '100-continue' };
    const upload = http.request(url, { method: 'PUT', headers });
    const answered = once(upload, 'response') as Promise<[http.IncomingMessage]>;
    const ended = once(npm, 'close');
    // The service has the request when it asks for its body.
    await once(upload, 'continue');
    upload.write('01234');
    pressCtrlC(npm);
    while (!output.includes('"draining"')) await once(changes, 'change');
    upload.end('56789');

    const [response] = await answered;
    response.resume();
    expect(response.statusCode).to.equal(200);
    expect(await ended, output).to.deep.equal([0, null]);
  });
});
