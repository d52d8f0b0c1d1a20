import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { join } from 'node:path';
import type { Spec } from '../../src/deploy/spec/schema.js';
import { freePort } from '../support/free-port.js';

const ROLES = ['account', 'container', 'object'] as const;
type Role = (typeof ROLES)[number];

/** The answers of a server that differ from the others'; by node, or by node and role. */
export interface Odd {
  readonly ringMd5?: string;
  /** When its last pass began, seconds since 1970. */
  readonly beganS?: number;
  readonly failures?: number;
  readonly unmounted?: readonly string[];
  readonly status?: number;
}

const PASS_S = 60;

/**
 * The recon of the account, container and object servers of all nodes, on one port for each role:
 * rings are those that lie in the folders of the nodes.
 */
export class FakeRecon {
  /** When the last pass of all replicators began, seconds since 1970. */
  beganS = 0;
  /** How often all servers were asked for their rings. */
  looks = 0;
  /** By node, such as `node3`, or server, such as `node3/object`. */
  readonly odd = new Map<string, Odd>();
  readonly #servers: Server[] = [];
  readonly ports: Record<Role, number> = { account: 0, container: 0, object: 0 };

  private constructor(private readonly nodesFolder: string) {}

  static async start(nodesFolder: string): Promise<FakeRecon> {
    const recon = new FakeRecon(nodesFolder);
    for (const role of ROLES) {
      const server = createServer((request, response) => {
        const [status, answer] = recon.#answer(role, request);
        response.writeHead(status, { 'content-type': 'application/json' });
        response.end(JSON.stringify(answer));
      });
      recon.ports[role] = await freePort();
      server.listen(recon.ports[role], '0.0.0.0');
      await once(server, 'listening');
      recon.#servers.push(server);
    }
    return recon;
  }

  /** The specification with the ports of these servers. */
  on(spec: Spec): Spec {
    const nodes = spec.nodes.map((node) => ({ ...node, ports: { ...node.ports, ...this.ports } }));
    return { ...spec, nodes };
  }

  stop(): void {
    for (const server of this.#servers) {
      server.close();
      server.closeAllConnections();
    }
  }

  #answer(role: Role, { socket, url = '' }: IncomingMessage): [number, unknown] {
    // The nodes of the example have 127.0.1.1, 127.0.1.2, …
    const node = `node${socket.localAddress?.split('.').at(-1) ?? ''}`;
    const odd = { ...this.odd.get(node), ...this.odd.get(`${node}/${role}`) };
    const { beganS = this.beganS, failures = 0, status = 200 } = odd;
    const path = url.replace('/recon/', '');
    if (status !== 200) return [status, {}];
    if (path === 'ringmd5') {
      if (node === 'node1' && role === 'account') this.looks += 1;
      return [200, this.#rings(node, odd.ringMd5)];
    }
    if (path === 'unmounted') {
      return [200, (odd.unmounted ?? []).map((device) => ({ device, mounted: false }))];
    }
    // Swift has minutes where it is of objects.
    const time = role === 'object' ? PASS_S / 60 : PASS_S;
    if (path === 'reconstruction/object') {
      const last = { object_reconstruction_last: beganS + PASS_S };
      return [200, { ...last, object_reconstruction_time: time }];
    }
    if (path !== `replication/${role}`) return [404, 'Invalid path'];
    const stats = { failure: failures, success: 1 };
    return [
      200,
      { replication_last: beganS + PASS_S, replication_time: time, replication_stats: stats },
    ];
  }

  #rings(node: string, md5: string | undefined): Record<string, string> {
    const folder = join(this.nodesFolder, node, 'etc/swift');
    const rings = readdirSync(folder).filter((name) => name.endsWith('.ring.gz'));
    return Object.fromEntries(
      rings.map((name) => {
        const found = createHash('md5')
          .update(readFileSync(join(folder, name)))
          .digest('hex');
        return [`/etc/swift/${name}`, md5 ?? found];
      }),
    );
  }
}
