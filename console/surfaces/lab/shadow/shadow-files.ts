import { appendFile, mkdir, readdir, readFile, rename, stat } from 'node:fs/promises';
import path from 'node:path';
import { makeFolder, writeDurably } from '../../../../src/lib/durable-file.js';
import { digestOf, parseCase, type Dialect, type ShadowCase } from './case.js';

const LOG_BYTES_MAX = 64 * 1024 * 1024;
const CORPUS_MAX = 1000;
const CASE_BYTES_MAX = 256 * 1024;
const FILE = /^[0-9a-f]{64}(?:\.min)?\.json$/;

/** The files of Shadow in `shadow_root`: the corpus, and the log of sent requests. */
export class ShadowFiles {
  constructor(private readonly root: string) {}

  /** The cases of the corpus that can be used; a file that is none of ours is passed over. */
  async corpus(dialect: Dialect): Promise<ShadowCase[]> {
    const folder = path.join(this.root, 'corpus');
    const names = (await readdir(folder).catch(() => [])).filter((name) => FILE.test(name)).sort();
    const cases: ShadowCase[] = [];
    for (const name of names.slice(0, CORPUS_MAX)) {
      const one = await readCase(path.join(folder, name));
      if (one?.dialect === dialect) cases.push(one);
    }
    return cases;
  }

  /** @returns the digest that the file is named by; a corpus that is full gets no more */
  async keep(one: ShadowCase, isMinimal = false): Promise<string> {
    const digest = digestOf(one);
    const folder = path.join(this.root, 'corpus');
    await makeFolder(folder);
    if ((await readdir(folder)).length >= CORPUS_MAX) return digest;
    const file = path.join(folder, `${digest}${isMinimal ? '.min' : ''}.json`);
    await writeDurably(file, JSON.stringify(one));
    return digest;
  }

  /** Appends to `mutations.jsonl`, of which the former half is kept beside it. */
  async log(lines: readonly object[]): Promise<void> {
    await mkdir(this.root, { recursive: true, mode: 0o700 });
    const file = path.join(this.root, 'mutations.jsonl');
    const { size } = await stat(file).catch(() => ({ size: 0 }));
    if (size > LOG_BYTES_MAX / 2) await rename(file, `${file}.1`);
    const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
    await appendFile(file, text, { mode: 0o600 });
  }
}

async function readCase(file: string): Promise<ShadowCase | undefined> {
  try {
    const found = await stat(file);
    if (!found.isFile() || found.size > CASE_BYTES_MAX) return undefined;
    return parseCase(JSON.parse(await readFile(file, 'utf8')));
  } catch {
    return undefined;
  }
}
