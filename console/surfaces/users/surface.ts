import type { Surface } from '../../server/surface.js';
import { usersRoutes } from './routes.js';

export const USERS: Surface = {
  id: 'users',
  group: 'administration',
  feature: 'account_admin',
  access: 'manage',
  prefixes: ['/api/users'],
  pages: [
    {
      id: 'users',
      title: 'Users',
      purpose: 'Users who can log in to the store.',
      path: '/users',
      icon: 'users',
      skipTo: '#users',
      styles: ['/ui/css/admin.css'],
      routes: usersRoutes,
    },
  ],
};
