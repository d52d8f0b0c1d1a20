import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { isKeystone } from '../config/keys.js';
import type { ConsoleOptions } from '../config/load.js';
import { withAssetPaths } from './assets.js';
import { SOURCE_FOLDER } from './console-folders.js';
import type { SurfacePage } from './surface.js';

type LoginOptions = Pick<ConsoleOptions, 'authUrl' | 'keystoneDomain' | 'keystoneProject'>;

/** The template of every page. No route sends it as it is. */
const SHELL_FILE = 'ui/shell.html';
export const HTML_TYPE = 'text/html; charset=utf-8';

/** Beside `page.js`: what the page holds before its module runs. A page may do without. */
const CONTENT_FILE = 'page.html';

const EMPTY = '<main id="main" class="page" tabindex="-1"></main>';

/**
 * The HTML of a page: the shell, with the page's own content and style sheets in it.
 * @throws system errors when the shell cannot be read
 */
export function pageHtml(page: SurfacePage): string {
  const file = path.join(SOURCE_FOLDER, 'surfaces', page.id, 'page', CONTENT_FILE);
  return fill(page.id, page, existsSync(file) ? readFileSync(file, 'utf8') : EMPTY);
}

/**
 * The login page, with the fields of the login that the configuration names.
 * @throws system errors when it cannot be read
 */
export function loginHtml({ authUrl, keystoneDomain, keystoneProject }: LoginOptions): string {
  const read = (file: string): string => readFileSync(path.join(SOURCE_FOLDER, 'ui', file), 'utf8');
  const fields = read(isKeystone(authUrl) ? 'login-keystone.html' : 'login-store.html');
  const values: Readonly<Record<string, string>> = {
    '{domain}': escaped(keystoneDomain),
    '{project}': escaped(keystoneProject),
  };
  const filled = fields.replace(/\{(?:domain|project)\}/g, (place) => values[place] ?? place);
  return withAssetPaths(read('login.html')).replace('<!-- fields -->', () => filled.trim());
}

/** A page that says why another one is not shown. */
export function problemHtml(title: string, message: string): string {
  const back = '<p><a href="/">Go to the start page</a></p>';
  const text = `<h1>${escaped(title)}</h1><p>${escaped(message)}</p>${back}`;
  const content = `<main id="main" class="page problem" tabindex="-1">${text}</main>`;
  return fill('', { title }, content);
}

/** @param page its id; empty for none */
function fill(
  page: string,
  { title, skipTo = '#main', styles = [] }: Pick<SurfacePage, 'title' | 'skipTo' | 'styles'>,
  content: string,
): string {
  const links = styles.map((href) => `<link rel="stylesheet" href="${escaped(href)}" />`);
  if (page !== '')
    links.push(`<link rel="modulepreload" href="/surfaces/${escaped(page)}/page/page.js" />`);
  const values: Readonly<Record<string, string>> = {
    '{page}': escaped(page),
    '{title}': escaped(title),
    '{skip}': escaped(skipTo),
    '<!-- styles -->': withAssetPaths(links.join('\n    ')),
    '<!-- content -->': content,
  };
  const shell = withAssetPaths(readFileSync(path.join(SOURCE_FOLDER, SHELL_FILE), 'utf8'));
  return shell.replace(/\{(?:page|title|skip)\}|<!-- \w+ -->/g, (place) => values[place] ?? place);
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
