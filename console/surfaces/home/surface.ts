import type { FastifyInstance } from 'fastify';
import { sessionOf, type ConsoleContext } from '../../server/context.js';
import type { Surface } from '../../server/surface.js';
import type { S3Account } from '../../s3/s3-account.js';

/** The facts that clients of S3 need, as far as the console knows them. */
export interface HomeView {
  /** The address that S3 clients connect to. */
  readonly endpoint: string | null;
  readonly region: string;
  /** The access key of the user; never its secret. */
  readonly access_key: string | null;
}

/** The answers that the page reads. */
export interface HomeAnswers {
  'GET /api/home': HomeView;
}

/** The page that a login leads to: what the user has, whether it is well, and how to use it. */
export const HOME: Surface<{ readonly answers: HomeAnswers }> = {
  id: 'home',
  group: 'storage',
  feature: 'files',
  access: 'read',
  prefixes: ['/api/home'],
  pages: [
    {
      id: 'home',
      title: 'Home',
      purpose: 'Your storage at a glance, and how to connect to it.',
      path: '/',
      icon: 'house',
      styles: ['/ui/css/lab.css', '/surfaces/home/page/home.css'],
      routes: homeRoutes,
    },
  ],
};

function homeRoutes(app: FastifyInstance, { options }: ConsoleContext): void {
  app.get('/api/home', { config: { access: 'read' } }, async (request): Promise<HomeView> => {
    const { s3PublicBase, s3Region: region } = options;
    return {
      endpoint: s3PublicBase === '' ? null : s3PublicBase,
      region,
      access_key: await accessKeyOf(sessionOf(request).s3),
    };
  });
}

/** Null also while S3 does not answer: the page says all else without it. */
async function accessKeyOf(s3: S3Account | undefined): Promise<string | null> {
  try {
    return (await s3?.credentials())?.accessKey ?? null;
  } catch {
    return null;
  }
}
