import { expect } from 'chai';
import { once } from 'node:events';
import { createServer, type Server, type Socket, type AddressInfo } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { ReadSlabs } from '../../../src/lib/buffers/read-slabs.js';
import { connectSlabSocket } from '../../../src/backend/swift/net/slab-socket.js';

const SLAB_BYTES = 64 * 1024;
const SENT = Buffer.from(Uint32Array.from({ length: 512 * 1024 }, (_, index) => index).buffer);
/** Enough for a peer's bytes to arrive if anybody read them. */
const TURNS = 20;

describe('Slab socket', () => {
  let server: Server;
  let peers: Socket[];

  beforeEach(async () => {
    peers = [];
    server = createServer((peer) => {
      peers.push(peer);
      peer.on('error', () => undefined);
      peer.write(SENT);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });

  afterEach(async () => {
    for (const peer of peers) peer.destroy();
    server.close();
    await once(server, 'close');
  });

  function open(slabs: ReadSlabs): Socket {
    const { port } = server.address() as AddressInfo;
    return connectSlabSocket({ host: '127.0.0.1', port }, slabs);
  }

  it('leaves what it gave alone until it is asked for more', async () => {
    const socket = open(new ReadSlabs(SLAB_BYTES, 1));
    const received: Buffer[] = [];
    let largest = 0;
    for (let at = 0; at < SENT.length;) {
      const chunk = await nextChunk(socket);
      for (let i = 0; i < TURNS; i++) await turn();
      expect(chunk.equals(SENT.subarray(at, at + chunk.length))).to.equal(true);
      at += chunk.length;
      largest = Math.max(largest, chunk.length);
      received.push(Buffer.from(chunk));
    }
    expect(Buffer.concat(received).equals(SENT)).to.equal(true);
    expect(largest).to.equal(SLAB_BYTES);
    socket.destroy();
  });

  it('reads in smaller pieces when all slabs are out', async () => {
    const slabs = new ReadSlabs(SLAB_BYTES, 1);
    const taken = slabs.take();
    const socket = open(slabs);
    let at = 0;
    while (at < SENT.length) {
      const chunk = await nextChunk(socket);
      expect(chunk.length).to.be.below(SLAB_BYTES);
      expect(chunk.equals(SENT.subarray(at, at + chunk.length))).to.equal(true);
      at += chunk.length;
    }
    if (taken !== undefined) slabs.give(taken);
    socket.destroy();
  });

  it('gives its slab back when there is little to read', async () => {
    const slabs = new ReadSlabs(SLAB_BYTES, 1);
    const socket = open(slabs);
    for (let at = 0; at < SENT.length;) at += (await nextChunk(socket)).length;
    expect(slabs.take()).to.equal(undefined);
    const more = new Promise<string>((resolve) => {
      socket.once('readable', () => {
        const text = String(socket.read());
        expect(socket.read()).to.equal(null);
        resolve(text);
      });
    });
    expect(socket.read()).to.equal(null);
    peers[0]?.write('more');
    expect(await more).to.equal('more');
    const slab = slabs.take();
    expect(slab).to.have.length(SLAB_BYTES);
    socket.destroy();
  });

  it('keeps nobody waiting for a slab whose connection is gone, nor overwrites it', async () => {
    const slabs = new ReadSlabs(SLAB_BYTES, 1);
    const socket = open(slabs);
    let chunk = await nextChunk(socket);
    while (chunk.length < SLAB_BYTES) chunk = await nextChunk(socket);
    expect(slabs.take()).to.equal(undefined);
    socket.destroy();
    await once(socket, 'close');
    const next = slabs.take();
    expect(next).to.have.length(SLAB_BYTES);
    expect(next?.buffer).to.not.equal(chunk.buffer);
  });

  it('gives first what was given back', async () => {
    const socket = open(new ReadSlabs(SLAB_BYTES, 1));
    const chunk = await nextChunk(socket);
    socket.unshift(chunk.subarray(4));
    expect(await nextChunk(socket)).to.deep.equal(chunk.subarray(4));
    socket.destroy();
  });

  it('tells of the end, after all that came before it', async () => {
    const socket = open(new ReadSlabs(SLAB_BYTES, 1));
    const ended = once(socket, 'end');
    await once(socket, 'connect');
    while (peers.length === 0) await turn();
    peers[0]?.end();
    let at = 0;
    while (at < SENT.length) at += (await nextChunk(socket)).length;
    socket.on('readable', () => {
      expect(socket.read()).to.equal(null);
    });
    expect(socket.read()).to.equal(null);
    await ended;
    socket.destroy();
  });
});

/** As undici's parser reads: what there is, else what `readable` tells of. */
async function nextChunk(socket: Socket): Promise<Buffer> {
  for (;;) {
    const chunk = socket.read() as Buffer | null;
    if (chunk !== null) return chunk;
    await once(socket, 'readable');
  }
}
