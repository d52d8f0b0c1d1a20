import { ENDPOINT_ROWS, type OperationName, type ResourceType } from './table.js';

/** The endpoint table, turned into look-ups once at start. */

export interface Route {
  readonly operation: OperationName;
  readonly supported: boolean;
}

/** The operations of one method on one (sub)resource. */
export interface RouteGroup {
  /** When nothing refines it. */
  readonly route: Route;
  /** Undefined rather than empty, so that the usual request looks at nothing. */
  readonly byParameter?: Readonly<Record<string, Route>> | undefined;
  readonly byHeader?: Readonly<Record<string, Route>> | undefined;
}

interface MutableGroup {
  route: Route;
  byParameter?: Record<string, Route>;
  byHeader?: Record<string, Route>;
}

type MethodRoutes = ReadonlyMap<string, RouteGroup>;
type ResourceRoutes = ReadonlyMap<string, MethodRoutes>;

const ROUTES: Readonly<Record<ResourceType, ResourceRoutes>> = {
  service: compile('service'),
  bucket: compile('bucket'),
  object: compile('object'),
};

const SUBRESOURCES: ReadonlySet<string> = new Set(
  Object.values(ROUTES).flatMap((routes) => [...routes.keys()].filter((name) => name !== '')),
);

const ALLOWED: Readonly<Record<ResourceType, ReadonlyMap<string, string>>> = {
  service: methodLists('service'),
  bucket: methodLists('bucket'),
  object: methodLists('object'),
};

/** `subresource` is empty for the resource itself. */
export function findRoute(
  resource: ResourceType,
  subresource: string,
  method: string,
): RouteGroup | undefined {
  return ROUTES[resource].get(subresource)?.get(method);
}

/** Whether the name is a subresource of any resource. */
export function isSubresource(name: string): boolean {
  return SUBRESOURCES.has(name);
}

/**
 * The methods of a (sub)resource that the service supports, as an `Allow` header lists them.
 * @returns undefined for a subresource of which nothing is supported
 */
export function allowedMethods(resource: ResourceType, subresource: string): string | undefined {
  return ALLOWED[resource].get(subresource);
}

function compile(resource: ResourceType): ResourceRoutes {
  const routes = new Map<string, Map<string, MutableGroup>>();
  for (const [subresource, method, operation, supported, refinement] of ENDPOINT_ROWS[resource]) {
    let methods = routes.get(subresource);
    if (methods === undefined) {
      methods = new Map<string, MutableGroup>();
      routes.set(subresource, methods);
    }
    const route = { operation, supported };
    const group = methods.get(method);
    if (group === undefined) methods.set(method, { route });
    else refine(group, refinement, route);
  }
  return routes;
}

function refine(group: MutableGroup, refinement: string | undefined, route: Route): void {
  if (refinement === undefined) throw new Error(`two rows for ${route.operation}`);
  if (refinement.startsWith('?')) (group.byParameter ??= {})[refinement.slice(1)] = route;
  else (group.byHeader ??= {})[refinement] = route;
}

function methodLists(resource: ResourceType): ReadonlyMap<string, string> {
  const lists = new Map<string, string>();
  for (const [subresource, methods] of ROUTES[resource]) {
    const allowed = [...methods]
      .filter(([, { route }]) => route.supported)
      .map(([method]) => method);
    if (allowed.length > 0) lists.set(subresource, allowed.join(', '));
  }
  return lists;
}
