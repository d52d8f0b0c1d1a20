/**
 * AWS's rules for names of general purpose buckets: "Bucket naming rules" in the Amazon S3 User
 * Guide. `+` is not among the characters, so that the companion containers `<bucket>+segments` and
 * `<bucket>+versions` (SPEC.md 2.1) can never be named as buckets.
 */

const LENGTH_MIN = 3;
const LENGTH_MAX = 63;
const RESERVED_PREFIXES = ['xn--', 'sthree-'];
const RESERVED_SUFFIXES = ['-s3alias', '--ol-s3', '.mrap', '--x-s3', '--table-s3'];

const HYPHEN = 0x2d;
const DOT = 0x2e;

/** 3 to 63 of `a-z 0-9 - .`, shaped as a DNS name, not as an IP address, not reserved by AWS. */
export function isValidBucketName(name: string): boolean {
  if (name.length < LENGTH_MIN || name.length > LENGTH_MAX) return false;
  if (!isDnsShaped(name) || looksLikeIpAddress(name)) return false;
  return (
    !RESERVED_PREFIXES.some((prefix) => name.startsWith(prefix)) &&
    !RESERVED_SUFFIXES.some((suffix) => name.endsWith(suffix))
  );
}

/** Begins and ends with a letter or digit; dots stand between letters or digits or hyphens. */
function isDnsShaped(name: string): boolean {
  let previous = DOT;
  for (let i = 0; i < name.length; i++) {
    const code = name.charCodeAt(i);
    if (code === DOT) {
      if (previous === DOT || previous === HYPHEN) return false;
    } else if (code === HYPHEN) {
      if (previous === DOT) return false;
    } else if (!isLetterOrDigit(code)) {
      return false;
    }
    previous = code;
  }
  return previous !== DOT && previous !== HYPHEN;
}

function isLetterOrDigit(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || isDigit(code);
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

/** Four groups of digits, whatever their values: `999.1.1.1` is refused as well. */
function looksLikeIpAddress(name: string): boolean {
  let dots = 0;
  for (let i = 0; i < name.length; i++) {
    const code = name.charCodeAt(i);
    if (code === DOT) dots++;
    else if (!isDigit(code)) return false;
  }
  return dots === 3;
}
