import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { promisify } from 'node:util';
import { constants, gzip } from 'node:zlib';
import { SCRIPT_FOLDER, SOURCE_FOLDER } from './console-folders.js';

const compress = promisify(gzip);

/** Browsers load `ui/` and the folder `page/` of each page, which lie among the server's code. */
const FOR_BROWSERS = /^(?:ui|surfaces\/.+\/page)\//;
const FOLDERS = [
  { root: SOURCE_FOLDER, kinds: /\.(?:css|svg)$/ },
  { root: SCRIPT_FOLDER, kinds: /\.js(?:\.map)?$/ },
];

/** Files of the chart library, as pages ask for them. */
const CHART_FILES: Readonly<Record<string, string>> = {
  'vendor/uplot.js': 'uPlot.esm.js',
  'vendor/uplot.css': 'uPlot.min.css',
};

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.map': 'application/json; charset=utf-8',
};

/** A file that browsers load, as it is and compressed. */
export interface Asset {
  /** Its media type. */
  readonly type: string;
  readonly plain: Buffer;
  readonly gzip: Buffer;
}

/** By path without a first slash, such as `ui/api.js`. */
const FILES = readAll();

/**
 * The digest of all files, 12 hex digits. It is a part of their addresses, so that browsers keep them
 * without asking, and of a page whose modules import each other by relative paths it is one.
 */
const DIGEST = digestOf(FILES);

/** The beginning of each file's address. */
export const ASSETS_PATH = `/assets/${DIGEST}/`;

/** All files, compressed by libuv's threads. */
export async function loadAssets(): Promise<ReadonlyMap<string, Asset>> {
  const level = constants.Z_BEST_COMPRESSION;
  const assets = [...FILES].map(async ([name, plain]) => {
    const type = TYPES[path.extname(name)] ?? 'application/octet-stream';
    return [name, { type, plain, gzip: await compress(plain, { level }) }] as const;
  });
  return new Map(await Promise.all(assets));
}

/** Points what a page loads at the present files: `/ui/…` at `/assets/<digest>/ui/…`. */
export function withAssetPaths(html: string): string {
  return html.replace(/\b(href|src)="\/(?=(?:ui|surfaces|vendor)\/)/g, `$1="${ASSETS_PATH}`);
}

function readAll(): ReadonlyMap<string, Buffer> {
  const own = FOLDERS.flatMap(({ root, kinds }) =>
    readdirSync(root, { recursive: true, encoding: 'utf8' })
      .filter((file) => FOR_BROWSERS.test(file) && kinds.test(file))
      .map((file) => [file, path.join(root, file)] as const),
  );
  const charts = path.dirname(createRequire(import.meta.url).resolve('uplot'));
  const theirs = Object.entries(CHART_FILES).map(
    ([name, file]) => [name, path.join(charts, file)] as const,
  );
  const all = [...own, ...theirs].sort(([a], [b]) => (a < b ? -1 : 1));
  return new Map(all.map(([name, file]) => [name, readFileSync(file)]));
}

function digestOf(files: ReadonlyMap<string, Buffer>): string {
  const hash = createHash('sha256');
  for (const [name, bytes] of files) hash.update(`${name} ${bytes.length}\n`).update(bytes);
  return hash.digest('hex').slice(0, 12);
}
