import type { ListingFormat } from '../listing/listing-query.js';

/** What an operation on many objects tells at its end, in Swift's three forms. */
export interface Report {
  /** In the order in which JSON has them. */
  readonly fields: Readonly<Record<string, string | number>>;
  /** Names, percent-encoded, and what is wrong with each. */
  readonly errors: readonly (readonly [name: string, problem: string])[];
}

/** @param root - the name of the document's element in XML */
export function renderReport(
  { fields, errors }: Report,
  format: ListingFormat,
  root: string,
): string {
  switch (format) {
    case 'application/json':
      return JSON.stringify({ ...fields, Errors: errors });
    case 'text/plain':
      return (
        sorted(fields)
          .map(([name, value]) => `${name}: ${value}\n`)
          .join('') +
        'Errors:\n' +
        errors.map(([name, problem]) => `${name}, ${problem}\n`).join('')
      );
    case 'application/xml':
    case 'text/xml':
      return renderXml({ fields, errors }, root);
  }
}

function renderXml({ fields, errors }: Report, root: string): string {
  const values = sorted(fields).map(([name, value]) => {
    const element = name.replaceAll(' ', '_').toLowerCase();
    return `<${element}>${escaped(String(value))}</${element}>\n`;
  });
  const rows = errors.map(
    ([name, problem]) =>
      `<object><name>${escaped(name)}</name><status>${escaped(problem)}</status></object>\n`,
  );
  return `<${root}>\n${values.join('')}<errors>\n${rows.join('')}</errors>\n</${root}>\n`;
}

function sorted(fields: Report['fields']): [string, string | number][] {
  return Object.entries(fields).sort(([one], [other]) => (one < other ? -1 : 1));
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
