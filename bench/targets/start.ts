import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import process from 'node:process';
import type { KeyPair, Options, PeerChoice } from '../options/options.js';
import type { ProfileFolder } from '../profile/folder.js';
import { s3Endpoint } from './endpoint.js';
import { startNginx } from './nginx.js';
import { startRingway } from './ringway.js';
import { startS3rver } from './s3rver.js';
import { labGroups, namedGroups, readLab, type SwiftLab } from './swift-lab.js';
import { rawSwift, type SwiftSettings } from './swift.js';
import { TargetError, type Target } from './target.js';

/** From flags or from a lab. */
interface SwiftKnowledge extends SwiftSettings {
  readonly s3api: string;
}

/**
 * Starts what the options name: the first target is what is measured, the others are its peers.
 * @throws TargetError when one cannot be started; those before it are stopped again
 */
export async function startTargets(
  options: Options,
  profiles: ProfileFolder | undefined,
): Promise<Target[]> {
  const swift = knowledgeOf(options);
  const started: Target[] = [];
  try {
    started.push(await startFirst(options, swift, profiles));
    for (const peer of options.peers) started.push(await startPeer(peer, options, swift));
    refuseTwice(started);
    return started;
  } catch (error) {
    await Promise.all(started.map((target) => target.stop()));
    throw error;
  }
}

function startFirst(
  options: Options,
  swift: SwiftKnowledge,
  profiles: ProfileFolder | undefined,
): Promise<Target> {
  const { target, keys, region, configFile, listeners, pids } = options;
  if (target !== undefined && keys !== undefined) {
    const groups = pids.length === 0 ? [] : [{ name: 'target', pids }];
    return Promise.resolve(
      s3Endpoint({ name: 'target', endpoint: target, ...keys, region, groups }),
    );
  }
  return startRingway({
    ...{ name: 'ringway', listeners, region, profiles },
    ...configured(configFile, keys, swift),
  });
}

/** A configuration may name a cluster, whose processes are shown and whose user is known. */
function configured(
  configFile: string | undefined,
  keys: KeyPair | undefined,
  { user, key, groups }: SwiftKnowledge,
) {
  if (configFile === undefined) return { configFile, credential: undefined, storeGroups: [] };
  const known = user === '' ? undefined : { accessKey: user, secretKey: key };
  return { configFile, credential: keys ?? known, storeGroups: groups };
}

async function startPeer(
  peer: PeerChoice,
  options: Options,
  swift: SwiftKnowledge,
): Promise<Target> {
  switch (peer.kind) {
    case 'nginx':
      return startNginx(options.listeners ?? availableParallelism());
    case 's3rver':
      return startS3rver();
    case 'swift':
      return rawSwift(swift);
    case 's3api':
      return s3Endpoint({
        ...{ name: 's3api', endpoint: swift.s3api, region: options.region },
        ...{ accessKey: swift.user, secretKey: swift.key, groups: swift.groups },
      });
    case 'ringway-proxy':
      return startWithoutDirectReads(options, swift);
    case 'ringway': {
      const { configFile, keys, listeners, region } = options;
      return startRingway({
        ...{ name: 'ringway-peer', dist: peer.dist, listeners, region },
        ...configured(configFile, keys, swift),
      });
    }
  }
}

async function startWithoutDirectReads(
  { configFile, keys, listeners, region }: Options,
  swift: SwiftKnowledge,
): Promise<Target> {
  if (configFile === undefined) {
    throw new TargetError('--peer ringway-proxy: expected --config, with swift_rings_dir');
  }
  const config = JSON.parse(readFileSync(configFile, 'utf8')) as Record<string, unknown>;
  delete config.swift_rings_dir;
  // Beside it, for paths in it are relative to its folder.
  const copy = `${configFile}.${process.pid}.proxy`;
  writeFileSync(copy, JSON.stringify(config), { mode: 0o600 });
  try {
    return await startRingway({
      ...{ name: 'ringway-proxy', listeners, region },
      ...configured(copy, keys, swift),
    });
  } finally {
    rmSync(copy);
  }
}

function knowledgeOf({ swift }: Options): SwiftKnowledge {
  const lab = swift.lab === undefined ? undefined : readLab(swift.lab);
  const user = lab === undefined ? undefined : administrator(lab);
  const pids = swift.pids === undefined ? undefined : namedGroups(swift.pids);
  return {
    authUrl: swift.auth ?? lab?.authUrl ?? '',
    url: swift.url,
    s3api: swift.s3api ?? lab?.s3api ?? '',
    user: swift.user ?? user?.name ?? '',
    key: swift.key ?? user?.key ?? '',
    groups: pids ?? (lab === undefined ? [] : labGroups(lab)),
  };
}

function administrator({ users }: SwiftLab): { readonly name: string; readonly key: string } {
  const found = users.find(
    ({ groups }) => groups.includes('.admin') && !groups.includes('.reseller_admin'),
  );
  if (found === undefined) throw new TargetError('the lab has no plain user with .admin');
  return { name: `${found.account}:${found.user}`, key: found.key };
}

function refuseTwice(targets: readonly Target[]): void {
  const names = targets.map(({ name }) => name);
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined) throw new TargetError(`--peer: got ${twice} twice, expected it once`);
}
