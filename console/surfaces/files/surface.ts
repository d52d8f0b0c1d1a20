import type { Surface } from '../../server/surface.js';
import type { FilesAnswers } from './answers.js';
import { filesRoutes } from './routes.js';
import type { ZipCut } from './zip-routes.js';

export const FILES: Surface<{
  readonly answers: FilesAnswers;
  readonly news: { readonly zip: ZipCut };
}> = {
  id: 'files',
  group: 'storage',
  feature: 'files',
  access: 'read',
  prefixes: ['/api/files'],
  pages: [
    {
      id: 'files',
      title: 'Buckets',
      purpose: 'Buckets and their objects.',
      path: '/buckets',
      icon: 'box',
      styles: [
        '/surfaces/files/page/table.css',
        '/surfaces/files/page/files.css',
        '/surfaces/files/page/drawer.css',
        '/surfaces/files/page/dialogs.css',
        '/surfaces/files/page/container.css',
        '/surfaces/files/page/buckets.css',
        '/surfaces/files/page/s3/s3.css',
      ],
      routes: filesRoutes,
    },
  ],
  topics: [{ name: 'zip', access: 'read', events: 200 }],
};
