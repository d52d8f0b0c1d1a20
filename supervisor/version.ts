import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export interface VersionInfo {
  /** The version in package.json. */
  readonly version: string;
  /** Commit of a checkout, or that a package was built from; `unknown` elsewhere. */
  readonly revision: string;
  /** Version of Node.js, without its `v`. */
  readonly node: string;
}

const REVISION_LENGTH = 12;

/** The version that runs here. Asks git once: call it at start only. */
export function readVersion(): VersionInfo {
  const root = projectRoot(path.dirname(fileURLToPath(import.meta.url)));
  const { version, gitHead } = JSON.parse(
    readFileSync(path.join(root, 'package.json'), 'utf8'),
  ) as {
    readonly version: string;
    readonly gitHead?: string;
  };
  const revision = gitHead?.slice(0, REVISION_LENGTH) ?? readRevision(root);
  return { version, revision, node: process.versions.node };
}

/** The nearest folder with a package.json: compiled files may lie at any depth below it. */
function projectRoot(folder: string): string {
  if (existsSync(path.join(folder, 'package.json'))) return folder;
  return projectRoot(path.dirname(folder));
}

function readRevision(root: string): string {
  if (!existsSync(path.join(root, '.git'))) return 'unknown';
  try {
    return execFileSync('git', ['-C', root, 'rev-parse', `--short=${REVISION_LENGTH}`, 'HEAD'], {
      encoding: 'utf8',
      timeout: 2000,
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    // No git here, or not our repository: the version has to do.
    return 'unknown';
  }
}
