import { posix } from 'node:path';
import type { ProjectFile, Violation } from './project.js';

const LINK = /\[[^\]]*\]\((?<target>[^()\s]+)\)/g;

/**
 * Links of Markdown files to files of the project and to headings that are not there. Links to
 * other sites are not followed.
 *
 * @param exists whether a path, relative to the project's root, is a file or folder of it
 */
export function linkViolations(
  files: readonly ProjectFile[],
  exists: (path: string) => boolean,
): Violation[] {
  const documents = files.filter((file) => file.path.endsWith('.md'));
  const anchors = new Map(documents.map((file) => [file.path, anchorsOf(file.text)]));
  return documents.flatMap((document) =>
    linksOf(document.text)
      .filter((link) => {
        const [file = '', anchor] = link.split('#');
        const path = file === '' ? document.path : resolve(document.path, file);
        if (!exists(path)) return true;
        return anchor !== undefined && anchors.get(path)?.has(anchor) !== true;
      })
      .map((link) => `${document.path} links to ${link}, which is not there`),
  );
}

function linksOf(text: string): string[] {
  return [...withoutCode(text).matchAll(LINK)]
    .map((match) => match.groups?.target ?? '')
    .filter((target) => !/^[a-z]+:/.test(target));
}

function resolve(document: string, link: string): string {
  return posix.join(posix.dirname(document), decodeURIComponent(link)).replace(/\/$/, '');
}

/** As GitHub names headings: lower case, punctuation dropped, blanks to hyphens. */
function anchorsOf(text: string): Set<string> {
  const headings = withoutCode(text).matchAll(/^#{1,6} +(?<heading>.+?) *$/gm);
  return new Set(
    [...headings].map((match) =>
      (match.groups?.heading ?? '')
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, '')
        .replace(/\s/g, '-'),
    ),
  );
}

function withoutCode(text: string): string {
  return text.replace(/^```[\s\S]*?^```/gm, '').replace(/(?<!^#.*)`[^`\n]*`/gm, '');
}

/** Pages of `docs/` that code names and that are not there; samples of the rules are left alone. */
export function mentionViolations(
  files: readonly ProjectFile[],
  exists: (path: string) => boolean,
): Violation[] {
  return files
    .filter(({ path }) => !path.endsWith('.md') && !path.startsWith('test/tidy/'))
    .flatMap(({ path, text }) =>
      [...text.matchAll(/(?<![\w/.-])docs\/[\w/-]+\.md\b/g)]
        .filter(([page]) => !exists(page))
        .map(([page]) => `${path} names ${page}, which is not there`),
    );
}

/** Pages of `docs/` that its index does not link to: nobody would find them. */
export function indexViolations(files: readonly ProjectFile[]): Violation[] {
  const index = files.find((file) => file.path === 'docs/README.md');
  const linked = new Set(linksOf(index?.text ?? '').map((link) => resolve('docs/README.md', link)));
  return files
    .filter(({ path }) => /^docs\/.+\.md$/.test(path) && path !== 'docs/README.md')
    .filter(({ path }) => !linked.has(path))
    .map(({ path }) => `${path} is not in the index, docs/README.md`);
}
