import { readdir, readFile, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { makeFolder, writeDurably } from '../../../../src/lib/durable-file.js';

const FILE = /^([0-9a-f-]{36})\.json$/;

/** Results of a page of the Lab, each a file; the oldest go when there are more than so many. */
export class KeptResults<Result extends { readonly id: string }> {
  constructor(
    readonly folder: string,
    private readonly keptMax: number,
  ) {}

  /** @throws system errors */
  async add(result: Result): Promise<void> {
    await makeFolder(this.folder);
    await writeDurably(this.#fileOf(result.id), JSON.stringify(result));
    for (const id of (await this.#ids()).slice(this.keptMax)) {
      await rm(this.#fileOf(id), { force: true });
    }
  }

  /** The results, the newest first. */
  async list(): Promise<Result[]> {
    const found: Result[] = [];
    for (const id of await this.#ids()) {
      const result = await this.#read(id);
      if (result !== undefined) found.push(result);
    }
    return found;
  }

  /** @returns undefined for an id that is none, or not of ours */
  async get(id: string): Promise<Result | undefined> {
    return FILE.test(`${id}.json`) ? this.#read(id) : undefined;
  }

  async #ids(): Promise<string[]> {
    const names = await readdir(this.folder).catch(() => []);
    const ids = names.flatMap((name) => FILE.exec(name)?.[1] ?? []);
    const aged = await Promise.all(
      ids.map(async (id) => ({ id, ms: await modifiedMs(this.#fileOf(id)) })),
    );
    return aged.sort((a, b) => b.ms - a.ms).map(({ id }) => id);
  }

  async #read(id: string): Promise<Result | undefined> {
    try {
      return JSON.parse(await readFile(this.#fileOf(id), 'utf8')) as Result;
    } catch {
      return undefined;
    }
  }

  #fileOf(id: string): string {
    return path.join(this.folder, `${id}.json`);
  }
}

async function modifiedMs(file: string): Promise<number> {
  return stat(file).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  );
}
