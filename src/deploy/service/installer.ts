import type { Driver, InstallFile } from '../drivers/driver.js';
import { sumsFile } from '../drivers/local.js';
import { nodeOf, type Applied } from '../plan/make-plan.js';
import { withSecrets } from '../render/files.js';
import { sha256 } from '../spec/canonical.js';
import type { Blobs } from '../state/blobs.js';
import type { Secrets } from './secrets.js';

/** Files of the nodes of a run, with their secrets, node by node. */
export class Installer {
  /** SHA-256 of what was installed: by node, then by path. */
  readonly installed: Record<string, Record<string, string>> = {};
  /** Rings are on all nodes, and are read once. */
  readonly #rings = new Map<string, Buffer>();

  constructor(
    private readonly driver: Driver,
    private readonly blobs: Blobs,
    private readonly secrets: Secrets,
    private readonly next: Applied,
    /** Files that may be there: by node, then by path. */
    private readonly before: (node: string) => readonly string[],
  ) {}

  /** @returns how many files were changed @throws Error for operators */
  async install(run: string, name: string): Promise<number> {
    const files = await this.#filesOf(name);
    const names = new Set(files.map(({ path }) => path));
    const deleted = this.before(name).filter((path) => !names.has(path));
    const node = nodeOf(this.next, name);
    return this.driver.install({ run, node, files, deleted });
  }

  /** Reloads services of a node, where the driver does. @throws Error for operators */
  async reload(name: string, commands: readonly string[]): Promise<boolean> {
    const node = nodeOf(this.next, name);
    if (this.driver.reload === undefined || this.driver.reloads?.(node) !== true) return false;
    await this.driver.reload(node, commands);
    return true;
  }

  /** The hashes of the nodes that the run left alone, too: for a node that is as it was. */
  async complete(): Promise<Record<string, Record<string, string>>> {
    for (const node of Object.keys(this.next.files)) {
      if (this.installed[node] === undefined) await this.#filesOf(node);
    }
    return this.installed;
  }

  async #filesOf(node: string): Promise<InstallFile[]> {
    const files: InstallFile[] = [];
    for (const [path, file] of Object.entries(this.next.files[node] ?? {})) {
      const stored = await this.#read(path, file.sha256);
      const content = withSecrets({ secrets: file.secrets, content: stored }, (ref) => {
        const secret = this.secrets.get(ref);
        if (secret === undefined) throw new Error(`the secret ${ref} was not read`);
        return secret;
      });
      const hash = file.secrets === 'none' ? file.sha256 : sha256(content);
      files.push({ path, mode: file.mode, content, sha256: hash });
    }
    const all = [...files, sumsFile(files)];
    this.installed[node] = Object.fromEntries(all.map(({ path, sha256: hash }) => [path, hash]));
    return all;
  }

  async #read(path: string, hash: string): Promise<Buffer> {
    const known = this.#rings.get(hash);
    if (known !== undefined) return known;
    const content = await this.blobs.get(hash);
    if (path.endsWith('.ring.gz')) this.#rings.set(hash, content);
    return content;
  }
}
