/** https://docs.aws.amazon.com/AmazonS3/latest/userguide/ManageCorsUsing.html */

export const CORS_METHODS = ['GET', 'PUT', 'POST', 'DELETE', 'HEAD'] as const;

export type CorsMethod = (typeof CORS_METHODS)[number];

/** Patterns have at most one `*`, which stands for any text, also none. */
export interface CorsRule {
  readonly id?: string | undefined;
  /** Patterns, compared with regard to case; at least one. */
  readonly allowedOrigins: readonly string[];
  /** At least one. */
  readonly allowedMethods: readonly CorsMethod[];
  /** Patterns, compared without regard to case. If there are none, no header may be requested. */
  readonly allowedHeaders: readonly string[];
  readonly exposeHeaders: readonly string[];
  readonly maxAgeSeconds?: number | undefined;
}

export interface CorsConfiguration {
  /** At least one rule; the first that fits decides. */
  readonly rules: readonly CorsRule[];
}
