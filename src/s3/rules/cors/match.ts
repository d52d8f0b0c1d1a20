import type { CorsConfiguration, CorsRule } from './configuration.js';

/** The request or preflight of a browser from a page of another origin. */
export interface CorsRequest {
  /** The origin as sent: it need not be a URL (`null`). */
  readonly origin: string;
  readonly method: string;
  /** Lower-case names of the headers that the page wants to send. */
  readonly requestedHeaders: readonly string[];
}

/** The rule that decides, and the pattern by which it let the origin in. */
export interface CorsMatch {
  readonly rule: CorsRule;
  readonly originPattern: string;
}

/** The first rule that allows origin, method and every header; undefined when none does. */
export function matchCors(
  configuration: CorsConfiguration,
  request: CorsRequest,
): CorsMatch | undefined {
  for (const rule of configuration.rules) {
    const originPattern = rule.allowedOrigins.find((pattern) => fits(pattern, request.origin));
    if (
      originPattern !== undefined &&
      (rule.allowedMethods as readonly string[]).includes(request.method) &&
      request.requestedHeaders.every((header) => allowsHeader(rule, header))
    ) {
      return { rule, originPattern };
    }
  }
  return undefined;
}

function allowsHeader({ allowedHeaders }: CorsRule, header: string): boolean {
  return allowedHeaders.some((pattern) => fits(pattern.toLowerCase(), header));
}

/** The one `*` of a pattern is any text, also none and also with dots and slashes. */
function fits(pattern: string, text: string): boolean {
  const star = pattern.indexOf('*');
  if (star === -1) return pattern === text;
  return (
    text.length >= pattern.length - 1 &&
    text.startsWith(pattern.slice(0, star)) &&
    text.endsWith(pattern.slice(star + 1))
  );
}
