import { ApiError } from '../../../server/api-error.js';
import { placeOf, ReconClient } from '../../../recon/recon-client.js';
import { presentDevices } from '../../../../src/ring/device.js';
import type { RingData } from '../../../../src/ring/ring-data.js';
import type { LabRings } from '../ground/lab-rings.js';
import { ringUsage, type RingUsage } from './ring-usage.js';

/** Whether servers have the same file of a ring as the console: by its MD5. */
export interface RingAgreement {
  readonly name: string;
  readonly match: number;
  readonly differ: number;
  /** Servers that did not answer, or do not have the ring. */
  readonly unknown: number;
  /** The first servers that have another file, as `ip:port`. */
  readonly differing: readonly string[];
}

export interface AgreementView {
  readonly at_unix_s: number;
  /** How many servers were asked. */
  readonly servers: number;
  /** Servers of the rings beyond those that were asked. */
  readonly left_out: number;
  readonly items: readonly RingAgreement[];
}

const SERVERS_MAX = 64;
const SHOWN_MAX = 20;
const FRESH_MS = 10_000;

/** Asks the recon middleware of all servers for the MD5s of their rings; once for all who ask. */
export class RingAgreements {
  readonly #client = new ReconClient();
  #latest: { readonly atMs: number; readonly view: Promise<AgreementView> } | undefined;

  constructor(
    private readonly rings: LabRings,
    private readonly now: () => number,
  ) {}

  /** @throws ApiError as the rings' folder */
  view(): Promise<AgreementView> {
    const atMs = this.now();
    if (this.#latest !== undefined && atMs - this.#latest.atMs < FRESH_MS) return this.#latest.view;
    const view = this.#ask();
    this.#latest = { atMs, view };
    view.catch(() => {
      if (this.#latest?.view === view) this.#latest = undefined;
    });
    return view;
  }

  /** How full the devices of a ring are. */
  usage(ring: RingData): Promise<RingUsage> {
    return ringUsage(ring, this.#client);
  }

  close(): void {
    this.#client.close();
  }

  async #ask(): Promise<AgreementView> {
    const own: { readonly name: string; readonly md5: string }[] = [];
    const servers = new Map<string, { readonly ip: string; readonly port: number }>();
    for (const name of await this.rings.names()) {
      const opened = await this.rings.open(name).catch((error: unknown) => {
        // RingScope shows the fault of a ring that cannot be used.
        if (error instanceof ApiError) return undefined;
        throw error;
      });
      if (opened === undefined) continue;
      own.push({ name, md5: opened.read.md5 });
      for (const { ip, port } of presentDevices(opened.read.data.devices)) {
        servers.set(placeOf(ip, port), { ip, port });
      }
    }
    const asked = [...servers.values()].slice(0, SERVERS_MAX);
    const answers = await Promise.all(
      asked.map(async ({ ip, port }) => ({
        place: `${ip}:${port}`,
        md5s: md5sOf(await this.#client.ask(ip, port, 'ringmd5')),
      })),
    );
    const items = own.map(({ name, md5 }): RingAgreement => {
      const said = answers.map(({ place, md5s }) => ({ place, md5: md5s.get(`${name}.ring.gz`) }));
      const differing = said.filter((one) => one.md5 !== undefined && one.md5 !== md5);
      const match = said.filter((one) => one.md5 === md5).length;
      return {
        name,
        match,
        differ: differing.length,
        unknown: said.length - match - differing.length,
        differing: differing.slice(0, SHOWN_MAX).map(({ place }) => place),
      };
    });
    return {
      at_unix_s: Math.floor(this.now() / 1000),
      servers: asked.length,
      left_out: servers.size - asked.length,
      items,
    };
  }
}

/** The MD5s by the names of files: `/recon/ringmd5` has them by path. */
function md5sOf(answer: Awaited<ReturnType<ReconClient['ask']>>): Map<string, string> {
  if (answer.kind !== 'json' || typeof answer.json !== 'object' || answer.json === null) {
    return new Map();
  }
  const named = Object.entries(answer.json).flatMap(([path, md5]: [string, unknown]) =>
    typeof md5 === 'string' ? [[path.slice(path.lastIndexOf('/') + 1), md5] as const] : [],
  );
  return new Map(named);
}
