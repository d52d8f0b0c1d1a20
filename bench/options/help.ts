import { ROWS } from '../rows/table.js';
import { FLAG_GROUPS, type Flag, type FlagGroup } from './flags.js';

export function renderHelp(): string {
  const rowWidth = Math.max(...ROWS.map((row) => row.name.length));
  const rows = ROWS.map(
    (row) => `  ${row.name.padEnd(rowWidth)}  ${row.title}, c = ${row.concurrency.join(', ')}`,
  );
  return `Measures Ringway, or any S3 endpoint, beside its peers: see docs/benchmarks.md.

  npm run bench -- [flags]
  npm run bench -- scale [flags]     how costs grow: npm run bench -- scale --help

${renderFlags(FLAG_GROUPS)}

Rows:
${rows.join('\n')}

Exit codes: 0 done; 1 an operation failed or brought a wrong body; 64 wrong command line;
69 a target cannot be started or reached; 70 internal error.
`;
}

/** Each group with its title, all values in one column. */
export function renderFlags(groups: readonly FlagGroup[]): string {
  const width = Math.max(
    ...groups.flatMap(({ flags }) => flags.map((flag) => written(flag).length)),
  );
  return groups
    .map(({ title, flags }) =>
      [`${title}:`, ...flags.map((flag) => `  ${written(flag).padEnd(width)}  ${flag.help}`)].join(
        '\n',
      ),
    )
    .join('\n\n');
}

function written({ name, value }: Flag): string {
  return value === undefined ? `--${name}` : `--${name} ${value}`;
}
