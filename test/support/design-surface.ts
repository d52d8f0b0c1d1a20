import { readFileSync } from 'node:fs';
import { ASSETS_PATH } from '../../console/server/assets.js';
import { SOURCE_FOLDER } from '../../console/server/console-folders.js';
import type { Surface } from '../../console/server/surface.js';

/** Where the compiled modules of the pages lie. */
const MODULES = new URL('../pages/design/', import.meta.url);
const STYLES = `${SOURCE_FOLDER}/../test/pages/design/design.css`;

/** A module as browsers load it: what it takes from the console, it finds there. */
function moduleOf(file: string): string {
  const text = readFileSync(new URL(file, MODULES), 'utf8');
  return text.replaceAll(/'(?:\.\.\/)+console\//g, `'${ASSETS_PATH}`);
}

/**
 * Two pages with all that pages share: components, and charts. No console has them: tests look at
 * them in both themes and on every width.
 */
export const DESIGN: Surface = {
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
      icon: 'gauge',
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
  ],
  routes: (app) => {
    const files = [
      ['page/page.js', 'text/javascript', () => moduleOf('page.js')],
      ['charts/page/page.js', 'text/javascript', () => moduleOf('charts/page.js')],
      ['page/design.css', 'text/css', () => readFileSync(STYLES, 'utf8')],
    ] as const;
    for (const [file, type, text] of files) {
      const path = `${ASSETS_PATH}surfaces/design/${file}`;
      app.get(path, { config: { access: 'operate', background: true } }, (_request, reply) =>
        reply.type(type).send(text()),
      );
    }
  },
};
