import { settingOf } from '../../server/features.js';
import type { Surface } from '../../server/surface.js';
import {
  usersRoutes,
  type ChangeStarted,
  type ChangeView,
  type UsersPreview,
  type UsersView,
} from './routes.js';
import { USER_ADMIN, UserAdmin, type UserAdminOptions } from './user-admin.js';

/** The answers on users that pages read. */
export interface UsersAnswers {
  'GET /api/users': UsersView;
  'POST /api/users/preview': UsersPreview;
  'POST /api/users/apply': ChangeStarted;
  [change: `GET /api/users/changes/${string}`]: ChangeView;
}

type UsersSurface = Surface<{ readonly service: UserAdmin; readonly answers: UsersAnswers }>;

export const USERS = usersSurface(USER_ADMIN);

/** @param admin how other hosts are reached, which tests replace */
export function usersSurface(admin: UserAdminOptions): UsersSurface {
  return {
    id: 'users',
    group: 'administration',
    feature: 'account_admin',
    setting: settingOf(
      'User management is',
      'account_admin',
      'docs/console.md#users',
      ({ accountAdmin }) => accountAdmin,
    ),
    open: (context) => new UserAdmin(context, admin),
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
}
