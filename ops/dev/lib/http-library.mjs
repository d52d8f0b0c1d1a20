import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { nativeBinary } from './native-hashes.mjs';
import { ROOT } from './paths.mjs';
import { codeOf } from './errors.mjs';

/**
 * Gives the HTTP library answers of S3.
 *
 * What uWebSockets.js cannot read as HTTP it answers itself, with HTML, before any handler of ours
 * sees it; and it offers no way to change that. The answers are three constants in its binary. So a
 * copy of the binary is made for this build, in which documents of S3 stand in their places, byte for
 * byte as long: no code, no offset and no length changes. `src/http/uws.ts` loads the copy. Where the
 * constants are not found exactly once each, as in another release, no copy is made, and the library
 * is used as it is.
 */

const FOLDER = `${ROOT}/dist/native`;

const HEADERS = 'Connection: close\r\n';
const FOOT = '<hr><i>uWebSockets/20 Server</i>';

/** AWS answers 400 to all of them. */
export const ANSWERS = [
  {
    theirs: `HTTP/1.1 505 HTTP Version Not Supported\r\n${HEADERS}\r\n<h1>HTTP Version Not Supported</h1><p>This server does not support HTTP/1.0.</p>${FOOT}`,
    ours: `HTTP/1.1 400 \r\n${HEADERS}Content-Type: application/xml\r\n\r\n<Error><Code>BadRequest</Code><Message>An error occurred when parsing the HTTP request.</Message></Error>`,
  },
  {
    theirs: `HTTP/1.1 431 Request Header Fields Too Large\r\n${HEADERS}\r\n<h1>Request Header Fields Too Large</h1>${FOOT}`,
    ours: `HTTP/1.1 400 \r\n${HEADERS}Content-Type: application/xml\r\n\r\n<Error><Code>RequestHeaderSectionTooLarge</Code></Error>`,
  },
  {
    theirs: `HTTP/1.1 400 Bad Request\r\n${HEADERS}\r\n<h1>Bad Request</h1>${FOOT}`,
    ours: `HTTP/1.1 400 \r\n${HEADERS}Content-Type:text/xml\r\n\r\n<Error><Code>BadRequest</Code></Error>`,
  },
];

/** Makes the copy for this platform and this Node, or removes one that is not current. */
export function prepareHttpLibrary() {
  const original = nativeBinary();
  const copy = `${FOLDER}/${basename(original)}`;
  const library = readIfThere(original);
  const wanted = library === null ? null : withAnswers(library);
  if (wanted === null) {
    rmSync(copy, { force: true });
    console.log('ringway: the HTTP library keeps its own answers (docs/limitations.md)');
    return;
  }
  if (readIfThere(copy)?.equals(wanted)) return;
  mkdirSync(FOLDER, { recursive: true });
  // Never in place: processes may be running it.
  writeFileSync(`${copy}.new`, wanted, { mode: 0o644 });
  renameSync(`${copy}.new`, copy);
}

/**
 * @param {Buffer} binary
 * @returns {Buffer | null} null when one of the answers is not in it exactly once
 */
export function withAnswers(binary) {
  const changed = Buffer.from(binary);
  for (const { theirs, ours } of ANSWERS) {
    const at = binary.indexOf(theirs, 0, 'latin1');
    if (at === -1 || binary.indexOf(theirs, at + 1, 'latin1') !== -1) return null;
    // White space behind the root element is a part of no element.
    changed.write(ours.padEnd(theirs.length), at, 'latin1');
  }
  return changed;
}

/** @param {string} path */
function readIfThere(path) {
  try {
    return readFileSync(path);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
}
