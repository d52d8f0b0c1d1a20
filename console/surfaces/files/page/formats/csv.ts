const SEPARATORS = [',', ';', '\t', '|'];

/**
 * Reads comma-separated values as RFC 4180 has them; the separator is the one that the first line
 * has most of.
 *
 * @returns the first rows, and whether there are more than these
 */
export function parseCsv(
  text: string,
  { rowsMax, columnsMax }: { rowsMax: number; columnsMax: number },
) {
  const separator = separatorOf(text);
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = '';
  let isQuoted = false;
  const endCell = () => {
    if (row.length < columnsMax) row.push(cell);
    cell = '';
  };
  for (let at = 0; at < text.length; at++) {
    const sign = text.charAt(at);
    if (isQuoted) {
      if (sign !== '"') cell += sign;
      else if (text[at + 1] === '"') {
        cell += '"';
        at += 1;
      } else isQuoted = false;
    } else if (sign === '"' && cell === '') isQuoted = true;
    else if (sign === separator) endCell();
    else if (sign === '\n' || (sign === '\r' && text[at + 1] === '\n')) {
      if (sign === '\r') at += 1;
      endCell();
      rows.push(row);
      row = [];
      if (rows.length === rowsMax) return { rows, hasMore: at + 1 < text.length };
    } else cell += sign;
  }
  if (cell !== '' || row.length > 0) {
    endCell();
    rows.push(row);
  }
  return { rows, hasMore: false };
}

function separatorOf(text: string) {
  const [line = ''] = text.split('\n', 1);
  const counts = SEPARATORS.map((one) => line.split(one).length);
  return SEPARATORS[counts.indexOf(Math.max(...counts))];
}
