import type { FastifyInstance } from 'fastify';
import type { RepairDebt } from '../../src/telemetry/console-metrics.js';
import type { Role } from '../config/keys.js';
import type { ConsoleOptions } from '../config/load.js';
import type { ConsoleContext } from './context.js';
import type { EventTopic } from './events.js';
import type { Features, Setting } from './features.js';
import { hasRight, type Right } from './rights.js';

/** Where the navigation lists a page; `none`: only the command palette does. */
export type NavGroup = 'storage' | 'cluster' | 'administration' | 'none';

/** The condition under which users may open the pages of a surface and call its routes. */
export interface Gate {
  /** The setting that is missing: every route says so. */
  readonly off: Setting | undefined;
  /** Besides what a route asks for itself. */
  readonly access: Right;
}

/** The part of a surface that works behind its routes, as long as the console runs. */
export interface SurfaceService {
  /**
   * Called once, when the console serves: goes on with what a former one has left. The data that
   * pages show is there when this resolves.
   * @param turn waits until no former console works with the same files; false when this one ends
   *   before
   */
  begin?(turn: () => Promise<boolean>): Promise<void> | void;
  /** Its repair debt for the console's metrics; undefined where nothing is known. */
  repairDebt?(): RepairDebt | undefined;
  /** Called after the last request. */
  close?(): Promise<void> | void;
}

/** The types of a surface, each where it has them. */
export interface SurfaceTypes {
  readonly service?: SurfaceService | undefined;
  /** The body of each answer that pages read, by method and path; null for one without a body. */
  readonly answers?: object;
  /** The content of the events of its topics, by topic. */
  readonly news?: object;
}

/** One page with an address of its own. Its files are in `console/surfaces/<id>/page/`. */
export interface SurfacePage<Service = unknown> {
  /** The name of its folder: `files`, `lab/rings`. */
  readonly id: string;
  readonly title: string;
  /** Its purpose, in one line. */
  readonly purpose: string;
  /** The path in the address bar: `/lab/rings`. */
  readonly path: string;
  /** The name of an icon in the sprite. */
  readonly icon: string;
  /** False where another page of its surface leads to it. */
  readonly isInRail?: boolean;
  /** The element that the skip link leads to, such as a table. */
  readonly skipTo?: string;
  /** Style sheets beside `base.css`, in their order, such as `/ui/css/admin.css`. */
  readonly styles?: readonly string[];
  /** The routes that only this page has; registered where its surface is on. */
  routes?(app: FastifyInstance, context: ConsoleContext, service: Service): void;
}

/** A part of the console that is switched on as one: Files, Monitor, the Lab with its pages. */
export interface Surface<Types extends SurfaceTypes = SurfaceTypes> {
  /** The name of its folder in `console/surfaces/`. */
  readonly id: string;
  readonly group: NavGroup;
  /** Its name where a session says whether it is on. */
  readonly feature: string;
  /** Without it, the surface is always on. */
  readonly setting?: Setting;
  /** Parts of it that are switched on by themselves, as a session calls them. */
  readonly parts?: Readonly<Record<string, (options: ConsoleOptions) => boolean>>;
  /** The right that it takes, besides what a route asks for itself. */
  readonly access: Right;
  /** By default its first page's. */
  readonly title?: string;
  /** The prefixes of its routes' paths: `/api/files`. Those of its pages need not be named. */
  readonly prefixes: readonly string[];
  readonly pages: readonly SurfacePage<Types['service']>[];
  /** Makes its service, which its routes are given; called at start where it is on. */
  open?(context: ConsoleContext): Types['service'];
  /** The routes that its pages share; registered where it is on. */
  routes?(app: FastifyInstance, context: ConsoleContext, service: Types['service']): void;
  /** The topics that its pages can hear of in the stream of events. */
  readonly topics?: readonly EventTopic[];
  /** Never there: it carries the types. */
  readonly types?: Types;
}

/** A page as the browser lists it. */
export interface PageView extends Pick<SurfacePage, 'id' | 'title' | 'purpose' | 'path' | 'icon'> {
  readonly surface: string;
  readonly group: NavGroup;
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
    .filter(({ feature, access }) => features[feature] === true && hasRight(role, access))
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
  return surfaces.flatMap(({ feature, setting, group, title, pages: [first] }) => {
    if (features[feature] === true || first === undefined || setting === undefined) return [];
    const { needs } = setting;
    return [{ title: title ?? first.title, path: first.path, group, icon: first.icon, needs }];
  });
}
