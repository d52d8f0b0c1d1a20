import { request } from 'undici';
import { collectText } from '../../lib/collect-text.js';
import { mapLimited } from '../../lib/promises.js';
import { lastPass, memberOf, numberAt, ringDigests } from '../../lib/swift-recon.js';
import { hostPort } from '../render/host.js';
import { STORAGE_ROLES, type StorageRole } from '../spec/queries.js';
import type { Spec, SpecNode } from '../spec/schema.js';

/** A Swift server's report about itself, or why there is none. */
export interface ServerLook {
  readonly node: string;
  readonly role: StorageRole;
  /** Null where it answers. */
  readonly problem: string | null;
  /** MD5 of ring files on its disk, by the ring's name. */
  readonly rings: ReadonlyMap<string, string | null>;
  /** When the last full pass of its replicator began, seconds since 1970; null before there was one. */
  readonly passBeganS: number | null;
  /** Failures in that pass. */
  readonly failures: number;
  /** Devices of the specification that are not mounted. */
  readonly unmounted: readonly string[];
}

/** Asks a server's recon; another one in tests. @throws Error for what is no answer */
export type AskRecon = (ip: string, port: number, path: string) => Promise<unknown>;

const TIMEOUT_MS = 5000;
const BODY_BYTES_MAX = 1024 * 1024;
const AT_A_TIME = 32;
const RING_END = '.ring.gz';

export const askRecon: AskRecon = async (ip, port, path) => {
  const { statusCode, body } = await request(`http://${hostPort(ip, port)}/recon/${path}`, {
    headersTimeout: TIMEOUT_MS,
    bodyTimeout: TIMEOUT_MS,
    signal: AbortSignal.timeout(2 * TIMEOUT_MS),
  });
  const text = await collectText(body, BODY_BYTES_MAX, 'its answer is too long');
  if (statusCode !== 200) throw new Error(`it answers ${statusCode}`);
  return JSON.parse(text) as unknown;
};

/** Looks at every account, container and object server of a cluster. */
export function lookAtServers(
  nodes: readonly SpecNode[],
  { policies, tuning }: Spec,
  ask: AskRecon,
): Promise<ServerLook[]> {
  const isCoded = policies.some(({ type }) => type === 'erasure_coding');
  const isCopied = policies.some(({ type }) => type === 'replication');
  const servers = nodes.flatMap((node) =>
    STORAGE_ROLES.filter((role) => node.roles.includes(role)).map((role) => ({ node, role })),
  );
  return mapLimited(servers, AT_A_TIME, async ({ node, role }) => {
    const get = (path: string) => ask(node.storage_ip, node.ports[role], path);
    const nothing = { rings: new Map(), passBeganS: null, failures: 0, unmounted: [] };
    try {
      const rings = ringsOf(ringDigests(await get('ringmd5')));
      // Recon tells of all folders that are no mount points: also where they need not be any, and of
      // those that are no devices, or leave since their disk is gone.
      const isChecked = !isOff(tuning[`${role}-server`]?.mount_check);
      const bare = isChecked ? unmountedOf(await get('unmounted')) : [];
      const unmounted = bare.filter((name) => node.devices.some((device) => device.name === name));
      const passes = [
        ...(role !== 'object' || isCopied ? [await get(`replication/${role}`)] : []),
        ...(role === 'object' && isCoded ? [await get('reconstruction/object')] : []),
      ].map((answer) => passOf(answer, role));
      const began = passes.map(({ beganS }) => beganS);
      return {
        node: node.name,
        role,
        problem: null,
        rings,
        passBeganS: began.includes(null) ? null : Math.min(...began.map(Number)),
        failures: passes.reduce((sum, pass) => sum + pass.failures, 0),
        unmounted,
      };
    } catch (error) {
      return { ...nothing, node: node.name, role, problem: (error as Error).message };
    }
  });
}

/** Whether Swift reads an option as false: swift/common/utils, config_true_value. */
function isOff(option: string | number | boolean | undefined): boolean {
  if (option === undefined) return false;
  return !['true', '1', 'yes', 'on', 't', 'y'].includes(String(option).toLowerCase());
}

/** Rings by their name, without those of files that are no rings. */
function ringsOf(digests: ReadonlyMap<string, string | null>): Map<string, string | null> {
  const rings = [...digests].filter(([file]) => file.endsWith(RING_END));
  return new Map(rings.map(([file, md5]) => [file.slice(0, -RING_END.length), md5]));
}

/** `[{"device": "d1", "mounted": false}]` */
function unmountedOf(answer: unknown): string[] {
  return Array.isArray(answer) ? answer.map((entry) => String(memberOf(entry, 'device'))) : [];
}

/** When the last pass of a replicator or reconstructor began, and what failed in it. */
function passOf(
  answer: unknown,
  role: StorageRole,
): { readonly beganS: number | null; readonly failures: number } {
  const { passS, lastUnixS } = lastPass(answer, role === 'object');
  const failures = numberAt(memberOf(answer, 'replication_stats'), 'failure') ?? 0;
  const beganS = passS === undefined || lastUnixS === undefined ? null : lastUnixS - passS;
  return { beganS, failures };
}
