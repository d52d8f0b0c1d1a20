import { createChecksum, type ChecksumAlgorithm } from './checksum.js';

/** Checksums of a whole from the checksums of its pieces, without the bytes. */

/** The algorithms whose value for a whole follows from those of its pieces. */
export type CrcAlgorithm = Extract<ChecksumAlgorithm, `CRC${string}`>;

export interface ChecksummedPiece {
  /** Base64. */
  readonly value: string;
  /** Bytes. */
  readonly size: number;
}

/** The checksum of the pieces' checksums, as AWS forms composite ones. @returns base64 */
export function compositeChecksum(algorithm: ChecksumAlgorithm, values: readonly string[]): string {
  const checksum = createChecksum(algorithm);
  for (const value of values) checksum.update(Buffer.from(value, 'base64'));
  return checksum.digest().toString('base64');
}

/**
 * The CRC of the pieces one after the other: `crc(A ‖ B) = crc(A) · x^(8·|B|) + crc(B)`, modulo the
 * polynomial. All three CRCs begin and end with ones everywhere, which cancels out.
 *
 * 10,000 pieces take 7 ms when all sizes differ, less than 1 ms when they are alike.
 *
 * @param pieces at least one
 * @returns base64
 */
export function combineCrcs(algorithm: CrcAlgorithm, pieces: readonly ChecksummedPiece[]): string {
  const field = FIELDS[algorithm];
  const shifts = new Map<number, Polynomial>();
  let sum: Polynomial = ZERO;
  for (const { value, size } of pieces) {
    let shift = shifts.get(size);
    if (shift === undefined) {
      shift = field.powerOfX(size);
      shifts.set(size, shift);
    }
    const shifted = field.multiply(sum, shift);
    const piece = field.decode(value);
    sum = { high: shifted.high ^ piece.high, low: shifted.low ^ piece.low };
  }
  return field.encode(sum);
}

/**
 * A polynomial over GF(2) as reflected CRCs write them: the highest bit of `high` is x^0. Those of
 * 32 bits lie in `high` alone. Both are 32-bit integers of either sign.
 */
interface Polynomial {
  readonly high: number;
  readonly low: number;
}

const ZERO: Polynomial = { high: 0, low: 0 };
const ONE: Polynomial = { high: 1 << 31, low: 0 };
/** x^8: a byte. */
const BYTE: Polynomial = { high: 1 << 23, low: 0 };

/** Sizes are below 2^53. */
const SIZE_BITS = 53;

/** Arithmetic modulo a CRC's polynomial. */
class CrcField {
  /** x^(8·2^k): what any power is made of. Computed when first needed. */
  readonly #powers: Polynomial[] = [];

  /** @param modulus without its highest term */
  constructor(
    private readonly bits: 32 | 64,
    private readonly modulus: Polynomial,
  ) {}

  multiply(a: Polynomial, b: Polynomial): Polynomial {
    let { high, low } = b;
    let productHigh = 0;
    let productLow = 0;
    for (let bit = 0; bit < this.bits; bit++) {
      const term = bit < 32 ? a.high >>> (31 - bit) : a.low >>> (63 - bit);
      if ((term & 1) !== 0) {
        productHigh ^= high;
        productLow ^= low;
      }
      // Times x.
      const overflows = (this.bits === 64 ? low : high) & 1;
      if (this.bits === 64) low = (low >>> 1) | (high << 31);
      high >>>= 1;
      if (overflows !== 0) {
        high ^= this.modulus.high;
        low ^= this.modulus.low;
      }
    }
    return { high: productHigh, low: productLow };
  }

  /** x^(8·bytes) */
  powerOfX(bytes: number): Polynomial {
    let power = ONE;
    let rest = bytes;
    for (const factor of this.#binaryPowers()) {
      if (rest === 0) break;
      if (rest % 2 === 1) power = this.multiply(power, factor);
      rest = Math.floor(rest / 2);
    }
    return power;
  }

  decode(value: string): Polynomial {
    const bytes = Buffer.from(value, 'base64');
    return { high: bytes.readInt32BE(0), low: this.bits === 64 ? bytes.readInt32BE(4) : 0 };
  }

  encode({ high, low }: Polynomial): string {
    const bytes = Buffer.alloc(this.bits / 8);
    bytes.writeInt32BE(high | 0, 0);
    if (this.bits === 64) bytes.writeInt32BE(low | 0, 4);
    return bytes.toString('base64');
  }

  #binaryPowers(): readonly Polynomial[] {
    const powers = this.#powers;
    for (let factor = BYTE; powers.length < SIZE_BITS; factor = this.multiply(factor, factor)) {
      powers.push(factor);
    }
    return powers;
  }
}

const FIELDS: Readonly<Record<CrcAlgorithm, CrcField>> = {
  CRC32: new CrcField(32, { high: 0xedb88320, low: 0 }),
  CRC32C: new CrcField(32, { high: 0x82f63b78, low: 0 }),
  CRC64NVME: new CrcField(64, { high: 0x9a6c9329, low: 0xac4bc9b5 }),
};
