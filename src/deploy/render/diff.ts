/** Lines around a change that a diff shows. */
const CONTEXT = 3;
/** Lines of each side that are compared; longer files are shown as replaced. */
const LINES_MAX = 2000;

interface Edit {
  readonly sign: ' ' | '-' | '+';
  readonly line: string;
}

/**
 * A unified diff, as `diff -u` writes it; empty for equal texts.
 *
 * @param before - undefined for a new file
 * @param after - undefined for a file that is deleted
 */
export function unifiedDiff(
  path: string,
  before: string | undefined,
  after: string | undefined,
): string {
  if (before === after) return '';
  const edits = editsOf(linesOf(before), linesOf(after));
  const head = [
    `--- ${before === undefined ? '/dev/null' : `a/${path}`}`,
    `+++ ${after === undefined ? '/dev/null' : `b/${path}`}`,
  ];
  return `${[...head, ...hunksOf(edits)].join('\n')}\n`;
}

function linesOf(text: string | undefined): string[] {
  return text === undefined || text === '' ? [] : text.replace(/\n$/, '').split('\n');
}

/** The shortest way from one to the other, by the longest common subsequence. */
function editsOf(before: readonly string[], after: readonly string[]): Edit[] {
  if (before.length > LINES_MAX || after.length > LINES_MAX) {
    return [...before.map((line) => edit('-', line)), ...after.map((line) => edit('+', line))];
  }
  const width = after.length + 1;
  // common[i * width + j]: the length of what before[i…] and after[j…] have in common.
  const common = new Uint16Array((before.length + 1) * width);
  for (let i = before.length - 1; i >= 0; i--) {
    for (let j = after.length - 1; j >= 0; j--) {
      const at = i * width + j;
      common[at] =
        before[i] === after[j]
          ? (common[at + width + 1] ?? 0) + 1
          : Math.max(common[at + width] ?? 0, common[at + 1] ?? 0);
    }
  }
  const edits: Edit[] = [];
  let i = 0;
  let j = 0;
  while (i < before.length || j < after.length) {
    const at = i * width + j;
    if (i < before.length && j < after.length && before[i] === after[j]) {
      edits.push(edit(' ', before[i++] ?? ''));
      j++;
    } else if (
      j === after.length ||
      (i < before.length && (common[at + width] ?? 0) >= (common[at + 1] ?? 0))
    ) {
      edits.push(edit('-', before[i++] ?? ''));
    } else {
      edits.push(edit('+', after[j++] ?? ''));
    }
  }
  return edits;
}

function edit(sign: Edit['sign'], line: string): Edit {
  return { sign, line };
}

function hunksOf(edits: readonly Edit[]): string[] {
  const shown = new Uint8Array(edits.length);
  for (const [at, { sign }] of edits.entries()) {
    if (sign !== ' ') shown.fill(1, Math.max(0, at - CONTEXT), at + CONTEXT + 1);
  }
  const lines: string[] = [];
  let oldLine = 1;
  let newLine = 1;
  for (let at = 0; at < edits.length;) {
    if (shown[at] === 0) {
      oldLine++;
      newLine++;
      at++;
      continue;
    }
    let end = at;
    while (end < edits.length && shown[end] === 1) end++;
    const hunk = edits.slice(at, end);
    const oldCount = hunk.filter(({ sign }) => sign !== '+').length;
    const newCount = hunk.filter(({ sign }) => sign !== '-').length;
    lines.push(`@@ -${range(oldLine, oldCount)} +${range(newLine, newCount)} @@`);
    lines.push(...hunk.map(({ sign, line }) => `${sign}${line}`));
    oldLine += oldCount;
    newLine += newCount;
    at = end;
  }
  return lines;
}

/** Where nothing is, a hunk names the line before. */
function range(line: number, count: number): string {
  if (count === 0) return `${line - 1},0`;
  return count === 1 ? String(line) : `${line},${count}`;
}
