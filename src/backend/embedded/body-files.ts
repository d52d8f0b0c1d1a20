import { constants, type FileHandle, link, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { BackendError } from '../errors.js';
import { ifThere } from '../../lib/durable-file.js';
import { BODY_FOLDERS, folderName, type Layout } from './layout.js';

/**
 * `no_source`: there is no such body any more. `unsupported`: the file system makes no links, or no
 * more of them (on ext4 a file has at most 65,000).
 */
export type LinkResult = 'linked' | 'no_source' | 'unsupported';

/** The files of larger bodies: `bodies/<last byte of the id>/<id>`, both in hex. */
export class BodyFiles {
  readonly #folders = new Map<number, Promise<FileHandle>>();

  constructor(private readonly layout: Layout) {}

  path(bodyId: number): string {
    const name = bodyId.toString(16).padStart(12, '0');
    return join(this.layout.bodies, folderName(folderOf(bodyId)), name);
  }

  /** @throws EEXIST: ids are never given twice, so a file that is there belongs to someone else */
  create(bodyId: number): Promise<FileHandle> {
    return open(this.path(bodyId), 'wx', 0o600);
  }

  /** Undefined when there is no such file. */
  async open(bodyId: number): Promise<FileHandle | undefined> {
    return ifThere(open(this.path(bodyId), constants.O_RDONLY));
  }

  /** @throws BackendError Corrupt when there is no such file */
  async openExisting(bodyId: number): Promise<FileHandle> {
    const file = await this.open(bodyId);
    if (file !== undefined) return file;
    throw new BackendError('Corrupt', `the file of body ${bodyId} is missing`);
  }

  /**
   * Gives a body a second file. Bodies never change, so both may share their blocks.
   */
  async link(bodyId: number, newBodyId: number): Promise<LinkResult> {
    try {
      await link(this.path(bodyId), this.path(newBodyId));
      return 'linked';
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT') return 'no_source';
      if (NO_LINKS.has(code)) return 'unsupported';
      throw error;
    }
  }

  async unlink(bodyId: number): Promise<void> {
    await ifThere(unlink(this.path(bodyId)));
  }

  /** Makes creations and unlinks survive a crash of the machine, once for each folder concerned. */
  async syncFoldersOf(bodyIds: Iterable<number>): Promise<void> {
    const folders = new Set<number>();
    for (const bodyId of bodyIds) folders.add(folderOf(bodyId));
    for (const folder of folders) await (await this.#folder(folder)).sync();
  }

  async close(): Promise<void> {
    const handles = await Promise.all(this.#folders.values());
    this.#folders.clear();
    for (const handle of handles) await handle.close();
  }

  /** Kept open: a put of a larger body would otherwise open and close its folder each time. */
  #folder(folder: number): Promise<FileHandle> {
    const known = this.#folders.get(folder);
    if (known !== undefined) return known;
    const opened = open(join(this.layout.bodies, folderName(folder)), constants.O_RDONLY);
    this.#folders.set(folder, opened);
    opened.catch(() => this.#folders.delete(folder));
    return opened;
  }
}

/** EPERM: no hard links on this file system, or not to this file (fs.protected_hardlinks). */
const NO_LINKS: ReadonlySet<string> = new Set([
  'EMLINK',
  'EXDEV',
  'EPERM',
  'EOPNOTSUPP',
  'ENOTSUP',
  'ENOSYS',
]);

function folderOf(bodyId: number): number {
  return bodyId % BODY_FOLDERS;
}
