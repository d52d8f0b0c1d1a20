import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import http from 'node:http';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { expect } from 'chai';
import { useOnce } from '../support/fixture.js';
import { useBench, useSdk } from './harness.js';
import { IS_LARGE } from './material.js';

const MIB = 1024 * 1024;
const OBJECT_BYTES = (IS_LARGE ? 1024 : 48) * MIB;
const PEERS = 8;

/** The promise: whatever its peers do, a listener stays below this. */
const RSS_BYTES_MAX = 200 * MIB;

/**
 * A slow peer moves a burst, then does nothing for a while; bursts are above what sockets buffer,
 * so that a gateway which does not push back would have to hold them.
 */
const BURST_BYTES = 8 * MIB;
const PAUSE_MS = IS_LARGE ? 300 : 100;

/** One block, sent again and again: the peers must cost no CPU of their own. */
const BLOCK = Buffer.alloc(64 * 1024, 'slow peers ');

/** Most memory that a process ever held resident, in bytes: the kernel keeps the peak itself. */
function peakRss(pid: number): number {
  const match = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(match?.[1]) * 1024;
}

async function slowUpload(url: string): Promise<number | undefined> {
  const request = http.request(url, {
    method: 'PUT',
    headers: { 'content-length': OBJECT_BYTES },
    agent: false,
  });
  const answered = once(request, 'response') as Promise<[http.IncomingMessage]>;
  for (let sent = 0; sent < OBJECT_BYTES; sent += BLOCK.length) {
    if (!request.write(BLOCK)) await once(request, 'drain');
    if (sent % BURST_BYTES === 0) await pause(PAUSE_MS);
  }
  request.end();
  const [response] = await answered;
  response.resume();
  return response.statusCode;
}

/** @returns SHA-256 of what arrived */
async function slowDownload(url: string): Promise<string> {
  const [response] = (await once(http.get(url, { agent: false }), 'response')) as [
    http.IncomingMessage,
  ];
  expect(response.statusCode).to.equal(200);
  const hash = createHash('sha256');
  let burst = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    hash.update(chunk);
    burst += chunk.length;
    if (burst < BURST_BYTES) continue;
    burst = 0;
    await pause(PAUSE_MS);
  }
  return hash.digest('hex');
}

function sha256OfObject(): string {
  const hash = createHash('sha256');
  for (let bytes = 0; bytes < OBJECT_BYTES; bytes += BLOCK.length) hash.update(BLOCK);
  return hash.digest('hex');
}

describe(`memory of a listener with ${PEERS} slow uploads and downloads`, function () {
  // One listener, so that it gets all peers. V8's coverage would count as its memory.
  const bench = useBench(this, { listeners: 1, env: { NODE_V8_COVERAGE: undefined } });
  const sdk = useSdk(bench);
  const s3 = useOnce(() => sdk());

  before(async () => {
    await s3().createBucket({ Bucket: 'memory' });
  });

  function keyOf(peer: number) {
    return { Bucket: 'memory', Key: `peer-${peer}` };
  }

  it('stays below 200 MiB, and carries every byte', async () => {
    const [listener] = bench().service.pids();
    if (listener === undefined) throw new Error('no listener is running');
    const peers = Array.from({ length: PEERS }, (_, peer) => peer);

    const uploads = peers.map(async (peer) =>
      slowUpload(await getSignedUrl(s3(), new PutObjectCommand(keyOf(peer)))),
    );
    expect(await Promise.all(uploads)).to.deep.equal(peers.map(() => 200));
    expect(peakRss(listener), 'after the uploads').to.be.below(RSS_BYTES_MAX);

    // Uploads again while others read: the writer and the readers of one key share nothing.
    const downloads = peers.map(async (peer) =>
      slowDownload(await getSignedUrl(s3(), new GetObjectCommand(keyOf(peer)))),
    );
    const overwrites = peers.map(async (peer) =>
      slowUpload(await getSignedUrl(s3(), new PutObjectCommand(keyOf(peer)))),
    );
    const sha256 = sha256OfObject();
    expect(await Promise.all(downloads)).to.deep.equal(peers.map(() => sha256));
    expect(await Promise.all(overwrites)).to.deep.equal(peers.map(() => 200));
    expect(bench().service.pids()[0], 'the same listener').to.equal(listener);
    expect(peakRss(listener), 'after all').to.be.below(RSS_BYTES_MAX);
  });
});
