import type { FastifyHelmetOptions } from '@fastify/helmet';

/**
 * No inline code, nothing from elsewhere, and no page of another origin may frame this console. Its
 * own pages may: while files go up, other pages open in a frame (`ui/side-page.ts`).
 */
export const SECURITY_HEADERS: FastifyHelmetOptions = {
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      defaultSrc: ["'none'"],
      scriptSrc: ["'self'"],
      styleSrc: ["'self'"],
      imgSrc: ["'self'", 'data:', 'blob:'],
      connectSrc: ["'self'"],
      // Previews: what is played is an object that was sent as such.
      mediaSrc: ["'self'"],
      fontSrc: ["'self'"],
      formAction: ["'self'"],
      baseUri: ["'none'"],
      frameSrc: ["'self'"],
      frameAncestors: ["'self'"],
    },
  },
  referrerPolicy: { policy: 'no-referrer' },
  crossOriginOpenerPolicy: { policy: 'same-origin' },
  crossOriginResourcePolicy: { policy: 'same-origin' },
  frameguard: { action: 'sameorigin' },
  // TLS ends at a proxy, which knows whether it always will.
  strictTransportSecurity: false,
};
