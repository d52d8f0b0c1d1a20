import type { CredentialScope } from './credential-scope.js';
import type { PayloadMode } from './payload-mode.js';

/** What a request says of its own signature: well-formed and fresh, but not verified. */
export interface SignatureClaim {
  readonly scope: CredentialScope;
  /** `YYYYMMDDTHHMMSSZ`, as it is signed. */
  readonly amzDate: string;
  /** Lower-case names joined by `;`, as signed. */
  readonly signedHeaders: string;
  /** The same, apart. */
  readonly signedNames: readonly string[];
  readonly signature: string;
  /** Last line of the canonical request, as sent. */
  readonly payloadHash: string;
  readonly payloadMode: PayloadMode;
  /** In the query, and not in a header. */
  readonly presigned: boolean;
  readonly securityToken: string | undefined;
}

export const ALGORITHM = 'AWS4-HMAC-SHA256';
export const SIGNATURE_PARAMETER = 'X-Amz-Signature';
