import { hash } from 'node:crypto';

/** `swift_hash_path_prefix` and `swift_hash_path_suffix` of swift.conf: secrets of the cluster. */
export interface HashSalt {
  readonly prefix: Buffer;
  readonly suffix: Buffer;
}

const SCRATCH_BYTES = 4096;

/**
 * The hash by which Swift places accounts, containers and objects:
 * md5(prefix + "/account/container/object" + suffix), as hash_path of swift/common/utils.py.
 */
export class PathHash {
  readonly #salt: HashSalt;
  /** Used again by each hash; it begins with the prefix. */
  readonly #scratch: Buffer;

  constructor(salt: HashSalt) {
    this.#salt = salt;
    this.#scratch = Buffer.alloc(SCRATCH_BYTES + salt.prefix.length + salt.suffix.length);
    salt.prefix.copy(this.#scratch);
  }

  /** @returns 32 hexadecimal digits, which are the name of the object's folder, too */
  hex(account: string, container?: string, object?: string): string {
    let path = `/${account}`;
    if (container !== undefined) path += `/${container}`;
    if (object !== undefined) path += `/${object}`;
    return hash('md5', this.#salted(path), 'hex');
  }

  #salted(path: string): Buffer {
    const { prefix, suffix } = this.#salt;
    // No character takes more than three bytes of UTF-8 for each of its units.
    if (path.length * 3 > SCRATCH_BYTES) {
      return Buffer.concat([prefix, Buffer.from(path), suffix]);
    }
    const end = prefix.length + this.#scratch.write(path, prefix.length);
    suffix.copy(this.#scratch, end);
    return this.#scratch.subarray(0, end + suffix.length);
  }
}
