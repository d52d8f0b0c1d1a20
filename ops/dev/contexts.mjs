/** Refuses copies of contexts, as `npm run check` does: see `lib/no-context-spread.mjs`. */
import path from 'node:path';
import process from 'node:process';
import { contextCopies } from './lib/no-context-spread.mjs';
import { ROOT } from './lib/paths.mjs';

const PLACES = /^(?:src|supervisor|console|workers|bench)\/.*\.ts$/;

const copies = contextCopies(`${ROOT}/test/tsconfig.json`, (file) =>
  PLACES.test(path.relative(ROOT, file)),
);
for (const { file, line, name } of copies) {
  console.log(
    `${path.relative(ROOT, file)}:${line}: a ${name} is handed on as it is, and not copied: a copy ` +
      'loses getters and methods. Say what differs in another argument, or name the fields that a ' +
      'new value needs.',
  );
}
process.exitCode = copies.length === 0 ? 0 : 1;
