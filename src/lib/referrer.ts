/**
 * Decides who may read by the `Referer` header, as `referrer_allowed` of Swift's
 * `swift/common/middleware/acl.py` does: the last rule that speaks of the host counts, and `.r:-*`
 * denies nothing.
 *
 * @param elements - of a container's read ACL; those that do not begin with `.r:` are skipped
 * @param host - of the `Referer`; `unknown` without one
 */
export function referrerAllowed(elements: readonly string[], host: string): boolean {
  let allowed = false;
  for (const element of elements) {
    if (!element.startsWith('.r:')) continue;
    const denied = element.startsWith('.r:-');
    const pattern = element.slice(denied ? 4 : 3);
    const matches = pattern === host || (pattern.startsWith('.') && host.endsWith(pattern));
    if (denied && matches) allowed = false;
    if (!denied && (matches || pattern === '*')) allowed = true;
  }
  return allowed;
}

/** The host of a `Referer`; undefined when it names none. */
export function hostOf(referer: string | undefined): string | undefined {
  return referer === undefined || !URL.canParse(referer) ? undefined : new URL(referer).hostname;
}
