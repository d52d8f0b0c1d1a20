import { readdir, readFile } from 'node:fs/promises';

/** The processes of this machine that one has started, and which live. */
export async function childrenOf(pid: number | null): Promise<number[]> {
  if (pid === null) return [];
  const names = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    names.map(async (name) => {
      const stat = await readFile(`/proc/${name}/stat`, 'latin1').catch(() => '');
      // `pid (name) state ppid …`; a name may hold blanks and brackets.
      const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return Number(parent) === pid && state !== 'Z' ? [Number(name)] : [];
    }),
  );
  return found.flat();
}
