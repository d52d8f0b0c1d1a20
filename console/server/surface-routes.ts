import type { FastifyInstance, HTTPMethods } from 'fastify';
import { ApiError } from './api-error.js';
import type { ConsoleContext } from './context.js';
import { HTML_TYPE, pageHtml } from './page-html.js';
import type { Surface } from './surface.js';

const METHODS: HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

/**
 * The pages and routes of every surface. All of them stand behind the gate of their surface, which
 * the guard holds: also those of a surface that is off, and addresses that none of them has.
 */
export async function surfaceRoutes(
  app: FastifyInstance,
  context: ConsoleContext,
  surfaces: readonly Surface[],
): Promise<void> {
  for (const { feature, access, pages, prefixes, routes } of surfaces) {
    await app.register((scope, _options, done) => {
      scope.addHook('onRoute', (route) => {
        route.config = { ...route.config, gate: { feature, access } };
      });
      for (const page of pages) {
        const html = pageHtml(page);
        scope.route({
          method: ['GET', 'HEAD'],
          url: page.path,
          config: { access, background: true },
          handler: (_request, reply) =>
            reply.header('cache-control', 'no-cache').type(HTML_TYPE).send(html),
        });
        page.routes?.(scope, context);
      }
      routes?.(scope, context);
      for (const url of prefixes.flatMap((prefix) => [prefix, `${prefix}/*`])) {
        const method = METHODS.filter((one) => !scope.hasRoute({ method: one, url }));
        const handler = () => notThere(pages.length > 0);
        if (method.length > 0) scope.route({ method, url, config: { access }, handler });
      }
      done();
    });
  }
}

function notThere(hasPages: boolean): never {
  if (hasPages) throw new ApiError('not_found', 'Page not found.');
  throw new ApiError('unsupported_here', 'This feature is not available in this release.', {
    needs: 'a later release',
  });
}
