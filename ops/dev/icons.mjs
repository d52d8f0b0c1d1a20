#!/usr/bin/env node
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Makes `console/ui/icons.svg` from the icons that the console uses, out of lucide's package,
 * which is fetched for that alone: `node ops/dev/icons.mjs`. To use another icon, add its name.
 */

const PACKAGE = 'lucide-static@1.62.0';
const SPRITE = join(import.meta.dirname, '..', '..', 'console', 'ui', 'icons.svg');

const NAMES = [
  ...['activity', 'archive', 'archive-x', 'arrow-down', 'arrow-left', 'arrow-right', 'arrow-up'],
  ...['box', 'chart-column', 'chevron-down', 'chevron-left', 'chevron-right', 'chevrons-up-down'],
  ...['circle-alert', 'circle-check', 'circle-question-mark', 'circle-stop', 'clock', 'copy'],
  ...['database', 'disc-3', 'dna', 'download', 'ellipsis', 'ellipsis-vertical', 'eye', 'eye-off'],
  ...['file', 'file-archive', 'file-braces', 'file-code', 'file-headphone', 'file-image'],
  ...['file-play', 'file-spreadsheet', 'file-text', 'flask-conical', 'folder', 'folder-input'],
  ...[
    'folder-open',
    'folder-plus',
    'folder-up',
    'gamepad-2',
    'gauge',
    'ghost',
    'git-compare',
    'globe',
  ],
  ...['hard-drive', 'heart-pulse', 'history', 'house', 'image', 'info', 'key-round', 'keyboard'],
  ...['layers', 'link', 'list', 'list-tree', 'lock', 'log-out', 'map', 'menu', 'monitor', 'moon'],
  ...['package-open', 'pause', 'pencil', 'play', 'plus', 'refresh-cw', 'rocket'],
  ...['rotate-ccw', 'rows-3', 'rows-4', 'scale', 'scroll-text', 'search', 'server', 'server-cog'],
  ...['settings', 'shield-check', 'shuffle', 'sliders-horizontal', 'sun', 'table', 'tag'],
  ...['trash-2', 'trending-up', 'triangle-alert', 'undo-2', 'unlock', 'upload', 'users', 'x'],
];

const folder = mkdtempSync(join(tmpdir(), 'lucide-'));
try {
  const run = (/** @type {string} */ command, /** @type {string[]} */ ...args) =>
    execFileSync(command, args, { cwd: folder, encoding: 'utf8' });
  const archive = run('npm', 'pack', PACKAGE, '--silent').trim();
  run('tar', 'xzf', archive);
  const symbols = NAMES.map((name) => {
    const source = readFileSync(join(folder, 'package', 'icons', `${name}.svg`), 'utf8');
    const [, body = ''] = /<svg[^>]*>([^]*)<\/svg>/.exec(source) ?? [];
    return `<symbol id="${name}" viewBox="0 0 24 24">${body.trim().replace(/\s+/g, ' ')}</symbol>`;
  });
  const licence = `<!-- Icons of ${PACKAGE} (https://lucide.dev), ISC License, Copyright Lucide Icons and Contributors. Made by ops/dev/icons.mjs. -->`;
  const head = '<svg xmlns="http://www.w3.org/2000/svg">';
  writeFileSync(SPRITE, `${[head, licence, ...symbols, '</svg>'].join('\n')}\n`);
} finally {
  rmSync(folder, { recursive: true });
}
