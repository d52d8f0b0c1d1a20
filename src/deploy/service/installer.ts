import { canonicalJson } from '../../lib/canonical-json.js';
import type { Driver, InstallFile } from '../drivers/driver.js';
import { SUMS_PATH, sumsFile } from '../drivers/local.js';
import { nodeOf, type Applied } from '../plan/make-plan.js';
import type { ManifestFile } from '../plan/manifest.js';
import { withSecrets } from '../render/files.js';
import { sha256 } from '../spec/canonical.js';
import type { Blobs } from '../state/blobs.js';
import type { Unsettled } from './run-record.js';
import type { Secrets } from './secrets.js';
import type { AppliedFile } from './store.js';

export interface InstallerOptions {
  readonly driver: Driver;
  readonly blobs: Blobs;
  readonly secrets: Secrets;
  readonly next: Applied;
  /** The state in force before the run. */
  readonly former: Pick<AppliedFile, 'applied' | 'installed'>;
  /** The remains of runs that did not succeed, by node. */
  readonly unsettled: ReadonlyMap<string, Unsettled>;
  /** Puts back what was installed, also where others have changed it. */
  readonly isRepair: boolean;
}

class UnknownSecret extends Error {
  override readonly name = 'UnknownSecret';
}

/** Files of the nodes of a run, with their secrets, node by node. */
export class Installer {
  /** SHA-256 of what was installed: by node, then by path. */
  readonly #installed: Record<string, Record<string, string>> = {};
  /** Rings are on all nodes, and are read once. */
  readonly #rings = new Map<string, Buffer>();

  constructor(private readonly options: InstallerOptions) {}

  /** @returns how many files were changed @throws Error for operators */
  async install(run: string, name: string): Promise<number> {
    const { former, unsettled, next, isRepair, driver } = this.options;
    const files = await this.#filesOf(name);
    const left = unsettled.get(name)?.files ?? new Map<string, never>();
    const before = new Set([...Object.keys(former.applied.files[name] ?? {}), ...left.keys()]);
    for (const { path } of files) before.delete(path);
    const expected = isRepair ? {} : await this.#expectedOn(name, left);
    const node = nodeOf(next, name);
    return driver.install({ run, node, files, deleted: [...before], expected });
  }

  /**
   * The contents that a node may have in the place of files: those installed, or those left by runs
   * that did not succeed. Another content is a change by others, such as a user who was removed.
   */
  async #expectedOn(
    name: string,
    left: ReadonlyMap<string, readonly ManifestFile[]>,
  ): Promise<Record<string, readonly string[]>> {
    const expected: Record<string, readonly string[]> = {};
    for (const [path, hash] of Object.entries(this.options.former.installed[name] ?? {})) {
      // The list of the other files is made of them.
      if (path === SUMS_PATH) continue;
      const others = await Promise.all((left.get(path) ?? []).map((file) => this.#hashOf(path, file))); // prettier-ignore
      // One that cannot be told may be there.
      if (!others.includes(undefined)) expected[path] = [hash, ...others.filter((one) => one !== undefined)]; // prettier-ignore
    }
    return expected;
  }

  /** @returns undefined for a file with a secret that this run does not have */
  async #hashOf(path: string, file: ManifestFile): Promise<string | undefined> {
    if (file.secrets === 'none') return file.sha256;
    try {
      return sha256(this.#whole(file, await this.#read(path, file.sha256)));
    } catch (error) {
      if (error instanceof UnknownSecret) return undefined;
      throw error;
    }
  }

  /** A file with its secrets. @throws UnknownSecret */
  #whole({ secrets }: ManifestFile, content: Buffer): Buffer {
    return withSecrets({ secrets, content }, (ref) => {
      const secret = this.options.secrets.get(ref);
      if (secret === undefined) throw new UnknownSecret(`the secret ${ref} was not read`);
      return secret;
    });
  }

  /** Reloads services of a node, where the driver does. @throws Error for operators */
  async reload(name: string, commands: readonly string[]): Promise<boolean> {
    const { driver, next } = this.options;
    const node = nodeOf(next, name);
    if (driver.reload === undefined || driver.reloads?.(node) !== true) return false;
    await driver.reload(node, commands);
    return true;
  }

  /**
   * The hashes of all nodes. One that no step was for has what it had; one that an earlier run of the
   * same plan has completed has the plan's.
   */
  async complete(): Promise<Record<string, Record<string, string>>> {
    const { next, former } = this.options;
    for (const node of Object.keys(next.files)) {
      const isSame = canonicalJson(former.applied.files[node]) === canonicalJson(next.files[node]);
      const own = this.#installed[node] ?? (isSame ? former.installed[node] : undefined);
      if (own === undefined) await this.#filesOf(node);
      else this.#installed[node] = own;
    }
    return this.#installed;
  }

  async #filesOf(node: string): Promise<InstallFile[]> {
    const files: InstallFile[] = [];
    for (const [path, file] of Object.entries(this.options.next.files[node] ?? {})) {
      const stored = await this.#read(path, file.sha256);
      const content = this.#whole(file, stored);
      const hash = file.secrets === 'none' ? file.sha256 : sha256(content);
      files.push({ path, mode: file.mode, content, sha256: hash });
    }
    const all = [...files, sumsFile(files)];
    this.#installed[node] = Object.fromEntries(all.map(({ path, sha256: hash }) => [path, hash]));
    return all;
  }

  async #read(path: string, hash: string): Promise<Buffer> {
    const known = this.#rings.get(hash);
    if (known !== undefined) return known;
    const content = await this.options.blobs.get(hash);
    if (path.endsWith('.ring.gz')) this.#rings.set(hash, content);
    return content;
  }
}
