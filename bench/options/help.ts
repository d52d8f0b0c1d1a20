import { ROWS } from '../rows/table.js';
import { FLAG_GROUPS, type Flag } from './flags.js';

export function renderHelp(): string {
  const width = Math.max(
    ...FLAG_GROUPS.flatMap((group) => group.flags.map((flag) => written(flag).length)),
  );
  const groups = FLAG_GROUPS.map(({ title, flags }) =>
    [`${title}:`, ...flags.map((flag) => `  ${written(flag).padEnd(width)}  ${flag.help}`)].join(
      '\n',
    ),
  );
  const rowWidth = Math.max(...ROWS.map((row) => row.name.length));
  const rows = ROWS.map(
    (row) => `  ${row.name.padEnd(rowWidth)}  ${row.title}, c = ${row.concurrency.join(', ')}`,
  );
  return `Measures Ringway, or any S3 endpoint, beside its peers: see docs/benchmarks.md.

  npm run bench -- [flags]

${groups.join('\n\n')}

Rows:
${rows.join('\n')}

Exit codes: 0 done; 1 an operation failed or brought a wrong body; 64 wrong command line;
69 a target cannot be started or reached; 70 internal error.
`;
}

function written({ name, value }: Flag): string {
  return value === undefined ? `--${name}` : `--${name} ${value}`;
}
