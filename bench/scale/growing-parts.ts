import { md5Hex } from '../dialects/hashes.js';
import { exchangeAll, fetchBody } from '../load/unmeasured.js';
import { bodyOf } from '../rows/bodies.js';
import { placesIn, type GrowthStudy } from './growth.js';

const KEY = 'upload';
const BODY_BYTES = 64;
const PAGE_PARTS = 1000;
const PAGES = 16;
const REQUESTS = 200;

/** One open multipart upload that gets more and more parts. */
export function growingParts(): GrowthStudy {
  let uploadId = '';
  let written = 0;
  const body = bodyOf(BODY_BYTES, 0);
  const part = (number: number) => ({ number, body, etag: md5Hex(body) });
  return {
    study: 'parts',
    title: 'An upload gets parts',
    unit: 'parts',
    grow: async ({ dialect, bucket }, size) => {
      const { multipart } = dialect;
      if (uploadId === '')
        uploadId = multipart.uploadId(await fetchBody(dialect, multipart.create(bucket, KEY)));
      const puts = function* () {
        while (written < size) yield multipart.part(bucket, KEY, uploadId, part(++written));
      };
      await exchangeAll(dialect, 64, puts());
    },
    operations: [
      {
        operation: 'list-parts',
        title: 'a page of 1000 parts from anywhere',
        prepare: ({ dialect, bucket }, size) =>
          placesIn(Math.max(1, size - PAGE_PARTS), PAGES).map((after) => {
            const expected = Math.min(PAGE_PARTS, size - after);
            return dialect.multipart.listParts(bucket, KEY, uploadId, after, (answer) => {
              const found = answer.toString('latin1').split('<PartNumber>').length - 1;
              return found === expected ? undefined : `${found} parts, not ${expected}`;
            });
          }),
      },
      {
        operation: 'put-part',
        title: 'PUT over a part',
        prepare: ({ dialect, bucket }, size) =>
          placesIn(size, REQUESTS).map((place) =>
            dialect.multipart.part(bucket, KEY, uploadId, part(place + 1)),
          ),
      },
    ],
  };
}
