import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { TargetError, type ProcessGroup } from './target.js';

/** The part of a lab's `lab.json` that the benchmark needs; ops/swift-lab writes it. */
const LAB = z.object({
  id: z.string(),
  endpoints: z.array(z.string()).min(1),
  authUrl: z.string(),
  s3api: z.string(),
  users: z.array(
    z.object({
      account: z.string(),
      user: z.string(),
      key: z.string(),
      groups: z.array(z.string()),
    }),
  ),
});

export type SwiftLab = z.infer<typeof LAB>;

/** Marks the processes of a lab in their environment, followed by `=ID/SERVICE`. */
const LAB_MARK = 'RINGWAY_SWIFT_LAB_PROCESS';

/** @param path of a lab's folder. @throws TargetError when there is no lab */
export function readLab(path: string): SwiftLab {
  const file = join(path, 'lab.json');
  if (!existsSync(file)) throw new TargetError(`${path} holds no lab: npm run swift:up makes one`);
  const parsed = LAB.safeParse(JSON.parse(readFileSync(file, 'utf8')));
  if (!parsed.success) throw new TargetError(`${file} is no lab's: ${parsed.error.message}`);
  return parsed.data;
}

/** Proxies and the rest of a lab, by what its processes carry in their environment. */
export function labGroups(lab: SwiftLab): ProcessGroup[] {
  const mark = `${LAB_MARK}=${lab.id}/`;
  const found = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      const entry = environmentOf(pid).find((line) => line.startsWith(mark));
      return entry === undefined
        ? []
        : [{ service: entry.slice(mark.length), pids: [Number(pid)] }];
    });
  return grouped(found);
}

/**
 * Processes as `--swift-pids` names them: ids with commas between, or a folder of files
 * `SERVICE.pid`.
 *
 * @throws TargetError when a folder holds none
 */
export function namedGroups(given: string): ProcessGroup[] {
  if (/^\d+(,\d+)*$/.test(given)) return [{ name: 'swift', pids: given.split(',').map(Number) }];
  if (!existsSync(given) || !statSync(given).isDirectory()) {
    throw new TargetError(`--swift-pids: got ${given}, expected process ids or a folder`);
  }
  const files = readdirSync(given).filter((name) => name.endsWith('.pid'));
  if (files.length === 0) throw new TargetError(`--swift-pids: ${given} holds no *.pid`);
  return grouped(
    files.map((name) => ({
      service: name,
      pids: [Number(readFileSync(join(given, name), 'utf8'))],
    })),
  );
}

/** The processes in front of the store, and those of the store. */
function grouped(
  services: readonly { readonly service: string; readonly pids: readonly number[] }[],
): ProcessGroup[] {
  const pidsOf = (isProxy: boolean) =>
    services
      .filter(({ service }) => service.startsWith('proxy') === isProxy)
      .flatMap(({ pids }) => pids);
  return [
    { name: 'proxy', pids: pidsOf(true) },
    { name: 'storage', pids: pidsOf(false) },
  ];
}

function environmentOf(pid: string): string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
  } catch {
    return [];
  }
}
