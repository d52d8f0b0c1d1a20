import { request } from 'undici';
import { Signer, seedOf, signedChunks, signHeaders } from './sigv4.js';

export interface ChunkedPut {
  readonly endpoint: string;
  /** Raw. */
  readonly path: string;
  readonly accessKey: string;
  readonly secretKey: string;
  /** Signs the chunks, where it is another than the request's. */
  readonly chunkSecretKey?: string;
}

/** Puts one chunk of text as `STREAMING-AWS4-HMAC-SHA256-PAYLOAD`. @returns the status */
export async function putInChunks(put: ChunkedPut): Promise<number> {
  const { endpoint, path, accessKey, secretKey, chunkSecretKey = secretKey } = put;
  const date = new Date();
  const identity = { accessKey, secretKey, region: 'us-east-1' };
  const text = Buffer.from('text');
  const headers = signHeaders(
    identity,
    {
      method: 'PUT',
      rawPath: path,
      headers: {
        host: endpoint.slice('http://'.length),
        'x-amz-decoded-content-length': String(text.length),
      },
    },
    date,
    'STREAMING-AWS4-HMAC-SHA256-PAYLOAD',
  );
  const signer = new Signer({ ...identity, secretKey: chunkSecretKey }, date);
  const body = signedChunks(signer, seedOf(headers.authorization ?? ''), [text]);
  const answer = await request(`${endpoint}${path}`, { method: 'PUT', headers, body });
  await answer.body.dump();
  return answer.statusCode;
}
