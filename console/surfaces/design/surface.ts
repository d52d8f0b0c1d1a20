import { readFile } from 'node:fs/promises';
import type { FastifyInstance } from 'fastify';
import type { Surface } from '../../server/surface.js';

/** A text of the console, with expressions in braces: `Delete “{name}”`. */
export interface ConsoleText {
  readonly text: string;
  readonly kind: 'button' | 'heading' | 'text';
  /** `file:line`, relative to the folder `console` of the sources. */
  readonly places: readonly string[];
}

export interface TextsView {
  readonly items: readonly ConsoleText[];
}

/** Made when the console is built: ops/dev/lib/texts.mjs. */
const TEXTS = new URL('../../texts.json', import.meta.url);

function textRoutes(app: FastifyInstance): void {
  app.get('/api/design/texts', { config: { access: 'operate' } }, async (): Promise<TextsView> => {
    return { items: JSON.parse(await readFile(TEXTS, 'utf8')) as ConsoleText[] };
  });
}

/** Every component on one page, for those who write pages. */
export const DESIGN: Surface<{
  readonly answers: { 'GET /api/design/texts': TextsView };
}> = {
  id: 'design',
  group: 'none',
  feature: 'design',
  access: 'operate',
  prefixes: [],
  pages: [
    {
      id: 'design',
      title: 'Design',
      purpose: 'UI components used on pages.',
      path: '/design',
      icon: 'palette',
      styles: ['/surfaces/design/page/design.css'],
    },
    {
      id: 'design/charts',
      title: 'Charts',
      purpose: 'Chart types used on pages.',
      path: '/design/charts',
      icon: 'chart-column',
      styles: ['/ui/css/charts.css', '/surfaces/design/page/design.css'],
    },
    {
      id: 'design/texts',
      title: 'UI texts',
      purpose: 'Every text in the console, with its location in the source code.',
      path: '/design/texts',
      icon: 'file-text',
      styles: ['/ui/css/lab.css', '/surfaces/design/page/design.css'],
      routes: textRoutes,
    },
  ],
};
