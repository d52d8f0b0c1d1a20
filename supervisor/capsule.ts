import { createReadStream } from 'node:fs';
import { CapsuleError } from '../src/capsule/capsule-error.js';
import { trustedKeys } from '../src/capsule/signing.js';
import { verifyCapsule, type VerifiedCapsule } from '../src/capsule/verify-capsule.js';
import { Failure, type ExitReason } from './exit-codes.js';

/** Larger chunks than Node's own: a capsule may have gigabytes. */
const CHUNK_BYTES = 256 * 1024;

/**
 * `ringway capsule verify`: a capsule needs no service to be checked.
 *
 * @param tell - writes the result to stdout
 * @throws Failure noInput, altered, untrusted; what `tell` throws
 */
export async function verifyCapsuleFile(
  {
    file,
    trustedKeys: folder,
  }: { readonly file: string; readonly trustedKeys: string | undefined },
  tell: (result: string) => Promise<ExitReason>,
): Promise<ExitReason> {
  const found = await verified(file);
  const { manifest, key_id: key } = found;
  const { account, container, name } = manifest.object;
  const time = new Date(1000 * manifest.created_unix_s).toISOString();
  const lines = [
    `the capsule is whole: ${found.files.length} files`,
    `object: ${JSON.stringify(`${account}/${container}/${name}`)}`,
    `made: ${time}, of cluster ${JSON.stringify(manifest.cluster)}`,
  ];
  if (folder === undefined) {
    lines.push(`signed by key ${key}; --trusted-keys would say whether it is a known one`);
    return tell(`${lines.join('\n')}\n`);
  }
  const known = await trustedKeys(folder).catch((error: unknown) => {
    throw new Failure('noInput', `--trusted-keys: ${(error as Error).message}`);
  });
  const reason = await tell(`${[...lines, `signed by key ${key}`].join('\n')}\n`);
  if (!known.has(key)) throw new Failure('untrusted', `key ${key} is none of ${folder}`);
  return reason;
}

async function verified(file: string): Promise<VerifiedCapsule> {
  try {
    return await verifyCapsule(createReadStream(file, { highWaterMark: CHUNK_BYTES }));
  } catch (error) {
    if (error instanceof CapsuleError) {
      throw new Failure('altered', `the capsule is not as it was written: ${error.message}`);
    }
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    throw new Failure('noInput', `the capsule cannot be read: ${(error as Error).message}`);
  }
}
