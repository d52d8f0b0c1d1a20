import type { Surface } from '../../server/surface.js';
import { filesRoutes } from './routes.js';

export const FILES: Surface = {
  id: 'files',
  group: 'storage',
  feature: 'files',
  access: 'read',
  prefixes: ['/api/files'],
  pages: [
    {
      id: 'files',
      title: 'Files',
      purpose: 'Containers and their objects.',
      path: '/',
      icon: 'folder',
      skipTo: '#objects',
      styles: [
        '/pages/files/table.css',
        '/pages/files/files.css',
        '/pages/files/drawer.css',
        '/pages/files/dialogs.css',
        '/pages/files/container.css',
        '/pages/files/s3/s3.css',
      ],
      routes: filesRoutes,
    },
  ],
  topics: [{ name: 'zip', access: 'read', events: 200 }],
};
