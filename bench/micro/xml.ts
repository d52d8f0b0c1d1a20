import { renderDeleteResult } from '../../src/s3/xml/delete-result.js';
import type { DocumentName } from '../../src/s3/xml-pool/documents.js';
import { createXmlPool } from '../../src/s3/xml-pool/index.js';
import type { Row, Subject } from './subject.js';

const COUNTS: readonly (readonly [DocumentName, number])[] = [
  ...[10, 100, 200, 1000].map((count) => ['Delete', count] as const),
  ...[10, 50, 100, 1000, 10_000].map((count) => ['CompleteMultipartUpload', count] as const),
];

/**
 * Bodies parsed on the event loop and on the thread, and one rendered. Where the loop is busy for
 * half a millisecond is where `xml_inline_bytes_max` belongs.
 */
export function open(): Promise<Subject> {
  const inline = createXmlPool({ inlineBytesMax: Number.MAX_SAFE_INTEGER });
  const onThread = createXmlPool({ inlineBytesMax: 0 });
  const parsed = COUNTS.map(([name, count]): Row[] => {
    const body = documentOf(name, count);
    const calls = count > 1000 ? 5 : 25;
    const what = `${name} of ${count}`;
    const parse = (pool: typeof inline) => async () => {
      await pool.parse(name, body);
      await new Promise(setImmediate);
    };
    return [
      { name: `${what}, on the loop`, calls, bytes: body.length, call: parse(inline) },
      { name: `${what}, on the thread`, calls, bytes: body.length, call: parse(onThread) },
    ];
  });
  const outcomes = Array.from({ length: 1000 }, (_, i) => ({
    outcome: 'deleted' as const,
    key: `some/prefix/object-${i}.bin`,
  }));
  const render = () => Buffer.from(renderDeleteResult(outcomes, false));
  const rendered: Row = { name: 'DeleteResult of 1000, rendered', calls: 25, call: render };
  const close = () => Promise.all([inline.close(), onThread.close()]);
  return Promise.resolve({ steps: [...parsed, [rendered]], close });
}

function documentOf(name: DocumentName, count: number): Buffer {
  const entries = Array.from({ length: count }, (_, i) =>
    name === 'Delete'
      ? `<Object><Key>some/prefix/folder-${i % 10}/object-${i}.bin</Key></Object>`
      : `<Part><ETag>"${'0123456789abcdef'.repeat(2)}"</ETag><PartNumber>${i + 1}</PartNumber></Part>`,
  );
  return Buffer.from(`<${name}>${entries.join('')}</${name}>`);
}
