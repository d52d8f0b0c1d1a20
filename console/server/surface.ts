import type { FastifyInstance } from 'fastify';
import type { ConsoleContext } from './context.js';
import type { EventTopic } from './events.js';
import { FEATURES_OFF, type Feature, type Features } from './features.js';
import { hasRight, type Right } from './rights.js';
import type { Role } from '../config/keys.js';

/** Where the navigation lists a page; `none`: only the command palette does. */
export type NavGroup = 'storage' | 'cluster' | 'administration' | 'none';

/** The condition under which users may open the pages of a surface and call its routes. */
export interface Gate {
  /** Off: every route answers what `FEATURES_OFF` says. */
  readonly feature: Feature;
  /** Besides what a route asks for itself. */
  readonly access: Right;
}

/** One page with an address of its own. Its files are in `console/surfaces/<id>/page/`. */
export interface SurfacePage {
  /** The name of its folder: `files`, `lab/rings`. */
  readonly id: string;
  readonly title: string;
  /** What it is for, in one line. */
  readonly purpose: string;
  /** What the address bar says: `/lab/rings`. */
  readonly path: string;
  /** The name of an icon in the sprite. */
  readonly icon: string;
  /** False where another page of its surface leads to it. */
  readonly isInRail?: boolean;
  /** The element that the skip link leads to, such as a table. */
  readonly skipTo?: string;
  /** Style sheets beside `base.css`, in their order, such as `/ui/css/admin.css`. */
  readonly styles?: readonly string[];
  /** The routes that only this page has. */
  readonly routes?: (app: FastifyInstance, context: ConsoleContext) => void;
}

/** A part of the console that is switched on as one: Files, Monitor, the Lab with its pages. */
export interface Surface extends Gate {
  /** The name of its folder in `console/surfaces/`. */
  readonly id: string;
  readonly group: NavGroup;
  /** By default its first page's. */
  readonly title?: string;
  /** What the paths of its routes begin with: `/api/files`. Those of its pages need not be named. */
  readonly prefixes: readonly string[];
  readonly pages: readonly SurfacePage[];
  /** The routes that its pages share. */
  readonly routes?: (app: FastifyInstance, context: ConsoleContext) => void;
  /** What its pages can hear of in the stream of events. */
  readonly topics?: readonly EventTopic[];
}

/** A page as the browser lists it. */
export interface PageView {
  readonly id: string;
  readonly surface: string;
  readonly title: string;
  readonly purpose: string;
  readonly path: string;
  readonly group: NavGroup;
  readonly icon: string;
  readonly in_rail: boolean;
}

/** A surface that the configuration has switched off, as the browser lists it for operators. */
export interface OffView extends Pick<PageView, 'title' | 'path' | 'group' | 'icon'> {
  /** The keys of the configuration that switch it on. */
  readonly needs: string;
}

/** Lists the pages that a user of this role may open, in the order of the navigation. */
export function pagesFor(
  surfaces: readonly Surface[],
  features: Features,
  role: Role,
): readonly PageView[] {
  return surfaces
    .filter(({ feature, access }) => features[feature] && hasRight(role, access))
    .flatMap(({ id: surface, group, pages }) =>
      pages.map(({ id, title, purpose, path, icon, isInRail = true }) => ({
        id,
        surface,
        title,
        purpose,
        path,
        group,
        icon,
        in_rail: isInRail,
      })),
    );
}

/** Lists the surfaces that are off, for those who could switch them on. */
export function surfacesOff(
  surfaces: readonly Surface[],
  features: Features,
  role: Role,
): readonly OffView[] {
  if (!hasRight(role, 'operate')) return [];
  return surfaces.flatMap(({ feature, group, title, pages: [first] }) => {
    const needs = FEATURES_OFF[feature]?.needs;
    if (features[feature] || first === undefined || needs === undefined) return [];
    return [{ title: title ?? first.title, path: first.path, group, icon: first.icon, needs }];
  });
}
