import { readFile, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect } from 'chai';
import { CapsuleError } from '../../../src/capsule/capsule-error.js';
import { Capsules } from '../../../console/surfaces/lab/capsule/capsules.js';
import { LabCompute } from '../../../console/surfaces/lab/compute/compute.js';
import { LabRings } from '../../../console/surfaces/lab/ground/lab-rings.js';
import { RingAgreements } from '../../../console/surfaces/lab/rings/agreement.js';
import { NodeReader } from '../../../console/surfaces/lab/ground/node-reader.js';
import type { LookupView } from '../../../console/surfaces/lab/rings/page.js';
import { presentDevices } from '../../../src/ring/device.js';
import { writeRing } from '../../../src/ring/ring-writer.js';
import { serve } from '../../support/serve.js';
import { startTestBed } from '../support/console.js';
import { eventually } from '../../support/eventually.js';
import { failureOf } from '../../support/failure.js';
import { useEach } from '../../support/fixture.js';
import { removeFolder } from '../../support/temp-folder.js';
import { until } from '../../support/until.js';
import { describeWith, program } from '../../support/needs.js';
import { builtRing, clusterFolder } from './support.js';

const GET_NODES = '/usr/bin/swift-get-nodes';

const configOf = (folder: string, program: string) => {
  return { lab_enabled: true, store_dir: folder, getnodes_bin: program };
};

describeWith([program('swift-get-nodes')], 'lookups beside those of swift-get-nodes', function () {
  this.timeout(60_000);
  const folder = useEach(clusterFolder, removeFolder);

  it('agree, for names of all kinds', async () => {
    await using bed = await startTestBed(configOf(folder(), GET_NODES));
    const operator = await bed.login();
    const names = ['-a', "a/b//c'; rm", 'ä €%2F', '--'];
    for (const [index, object] of names.entries()) {
      const ring = index % 2 === 0 ? 'object' : 'object-1';
      const target = new URLSearchParams({ account: 'AUTH_test', container: 'c d', object });
      const answer = await operator.get(`/lab/api/rings/${ring}/lookup?${target.toString()}`);
      const found: LookupView = answer.json();
      expect(found.check, object).to.deep.equal({ agrees: true, difference: null });
    }
  });
});

describe('a helper program', () => {
  const folder = useEach(clusterFolder, removeFolder);
  const LOOKUP = '/lab/api/rings/object/lookup?account=a&container=c&object=o';

  it('that fails leaves the lookup as it is, and says why there is no check', async () => {
    await using bed = await startTestBed(configOf(folder(), '/bin/false'));
    const found = await (await bed.login()).read<LookupView>(LOOKUP);
    expect(found.primaries).to.have.length(3);
    const difference = 'The helper program returned invalid output.';
    expect(found.check).to.deep.equal({ agrees: null, difference });
  });

  it('that does not end is killed with all that it started when the console ends', async () => {
    const [program, pids] = [join(folder(), 'hangs'), join(folder(), 'pids')];
    const script = `sleep 600 &\necho $$ $! > ${pids}.new\nmv ${pids}.new ${pids}\nwait\n`;
    await writeFile(program, `#!/bin/sh\n${script}`, { mode: 0o755 });
    const bed = await startTestBed(configOf(folder(), program));
    let isOpen = true;
    try {
      const operator = await bed.login();
      const answer = operator.get(LOOKUP).catch(() => undefined);
      const text = await eventually(
        () => readFile(pids, 'utf8').catch(() => ''),
        (found) => found !== '',
      );
      isOpen = false;
      await bed.close();
      await answer;
      for (const pid of text.trim().split(' ').map(Number)) {
        await eventually(
          () => isRunning(pid),
          (running) => !running,
          // Less than the program's own limit.
          5000,
        );
      }
    } finally {
      if (isOpen) await bed.close();
    }
  });
});

/** Whether there is such a process that is no zombie. */
async function isRunning(pid: number): Promise<boolean> {
  const status = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ') Z');
  return !status.includes(') Z');
}

describe('manifests of capsules', () => {
  it('are checked on a thread, which names the file that is wrong', async () => {
    const compute = new LabCompute({ error: () => undefined });
    const capsules = new Capsules('nowhere', compute);
    try {
      const manifest = Buffer.from('{"capsule":2}');
      const asked = { manifest, signature: Buffer.alloc(0), found: '' };
      const error = await failureOf(compute.run('capsule', asked), CapsuleError);
      expect(error).to.include({ fault: 'unknown_version', file: 'manifest.json' });
      // A file that is no capsule is found out before.
      await failureOf(capsules.verify(Readable.from([Buffer.from('PK')]), 1), CapsuleError);
    } finally {
      await compute.close();
    }
  });
});

describe('questions to storage servers', () => {
  it('go on while more servers are asked than connections are kept for', async () => {
    const held: ServerResponse[] = [];
    const server = await serve(({ url = '' }, response) => {
      if (url.startsWith('/slow/')) held.push(response);
      else response.end();
    }, '0.0.0.0');
    const [device] = presentDevices(builtRing().devices);
    const reader = new NodeReader(Date.now);
    const ask = (number: number, name: string) =>
      reader.head(
        { ...device!, ip: `127.0.0.${number}`, port: server.port, device: name },
        0,
        '/a',
        undefined,
      );
    try {
      const slow = ask(1, 'slow');
      await until(() => held.length === 1);
      for (let number = 2; number < 80; number++) {
        expect((await ask(number, 'fast')).state).to.equal('present');
      }
      held[0]?.end();
      expect((await slow).state).to.equal('present');
    } finally {
      reader.close();
      server.close();
    }
  });
});

describe('the agreement of servers about rings', () => {
  const folder = useEach(clusterFolder, removeFolder);

  it('counts who has the same file, another one, or says nothing', async () => {
    const md5s: Record<string, string> = {};
    const server = await serve(({ url = '', socket }, response) => {
      if (url !== '/recon/ringmd5') response.statusCode = 404;
      const isOdd = socket.localAddress?.endsWith('.3') === true;
      const said = Object.entries(md5s).map(([name, md5]) => [
        `/etc/swift/${name}.ring.gz`,
        isOdd && name === 'object' ? 'f'.repeat(32) : md5,
      ]);
      response.end(JSON.stringify(Object.fromEntries(said)));
    }, '0.0.0.0');
    const { port } = server;
    try {
      for (const name of ['account', 'container', 'object', 'object-1']) {
        const ring = builtRing();
        const devices = ring.devices.map(
          // Nothing listens on port 1.
          (device, id) =>
            device && { ...device, ip: `127.0.0.${id + 1}`, port: id === 0 ? 1 : port },
        );
        await writeFile(join(folder(), `${name}.ring.gz`), writeRing({ ...ring, devices }));
      }
      const rings = new LabRings({ storeDir: folder(), hashConf: '' });
      for (const name of await rings.names()) md5s[name] = (await rings.open(name)).read.md5;
      const agreements = new RingAgreements(rings, Date.now);
      const { items, servers, left_out } = await agreements.view();
      expect([servers, left_out]).to.deep.equal([6, 0]);
      const object = items.find(({ name }) => name === 'object');
      expect(object).to.deep.equal({
        ...{ name: 'object', match: 4, differ: 1, unknown: 1 },
        differing: [`127.0.0.3:${port}`],
      });
      expect(items.find(({ name }) => name === 'account')).to.include({ match: 5, differ: 0 });
      agreements.close();
    } finally {
      server.close();
    }
  });
});
