import type { FastifyInstance, HTTPMethods } from 'fastify';
import { ApiError } from './api-error.js';
import type { ConsoleContext } from './context.js';
import type { OpenSurfaces } from './open-surfaces.js';
import { HTML_TYPE, pageHtml } from './page-html.js';
import type { Gate } from './surface.js';

const METHODS: HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

/**
 * The pages and routes of every surface. All of them stand behind the gate of their surface, which
 * the guard holds. Of one that is off these are its pages, and all addresses below its prefixes.
 */
export async function surfaceRoutes(
  app: FastifyInstance,
  context: ConsoleContext,
  surfaces: Pick<OpenSurfaces, 'all' | 'service'>,
): Promise<void> {
  for (const surface of surfaces.all) {
    const { access, pages, prefixes, setting } = surface;
    const off = setting?.isOn(context.options) === false ? setting : undefined;
    const service = surfaces.service(surface);
    await app.register((scope, _options, done) => {
      scope.addHook('onRoute', (route) => {
        route.config = { ...route.config, gate: { off, access } satisfies Gate };
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
        if (off === undefined) page.routes?.(scope, context, service);
      }
      if (off === undefined) surface.routes?.(scope, context, service);
      for (const url of prefixes.flatMap((prefix) => [prefix, `${prefix}/*`])) {
        const method = METHODS.filter((one) => !scope.hasRoute({ method: one, url }));
        const handler = () => notThere(pages.length > 0);
        const config = { access, unaudited: 'there is nothing' } as const;
        if (method.length > 0) scope.route({ method, url, config, handler });
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
