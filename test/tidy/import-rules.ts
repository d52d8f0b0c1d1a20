import { importsOf, type ImportOf } from './imports.js';
import type { ProjectFile, Violation } from './project.js';

/**
 * Which folder may import what: imports point down and inward. A path that ends in `/` is a folder
 * with all below it; any other is one file or one package.
 */
interface ImportRule {
  readonly from: readonly string[];
  /** Of our own files, these and no others. */
  readonly only?: readonly string[];
  /** None of these. */
  readonly never?: readonly string[];
  /** None of another folder directly in the same one of `from`. */
  readonly apart?: true;
  /** Files in `from` that the rule does not hold for. */
  readonly except?: readonly string[];
  /** Knowing a type is no dependency of the code. */
  readonly typesAreFree: boolean;
  readonly why: string;
}

const CODE = ['src/', 'workers/', 'supervisor/', 'console/'];

/** The code that is compiled for browsers. */
const BROWSER_CODE = ['console/ui/', 'console/surfaces/**/page/'];

/** Where the console's previews take the gateway's own decisions from. */
const CONSOLE_GATEWAY_RULES = 'console/surfaces/files/s3/gateway-rules.ts';

export const IMPORT_RULES: readonly ImportRule[] = [
  {
    from: ['src/s3/rules/', 'src/s3/xml/'],
    only: ['src/s3/rules/', 'src/s3/xml/', 'src/s3/errors.ts', 'src/lib/'],
    typesAreFree: true,
    why: 'rules and documents are pure: types, errors, memory and the URI codec are all they know',
  },
  {
    from: ['src/s3/service/', 'src/s3/bucket/', 'src/s3/object/', 'src/s3/multipart/'],
    never: [
      'src/http/',
      'src/config/',
      'src/processes/',
      'src/s3/pipeline.ts',
      'src/s3/operations.ts',
      'src/s3/request/request-run.ts',
    ],
    typesAreFree: true,
    why: 'operations return data; the pipeline alone speaks HTTP',
  },
  {
    from: ['src/s3/'],
    never: [
      'src/backend/embedded/',
      'src/backend/swift/',
      'src/backend/decorators/',
      'src/cold/directory/',
    ],
    typesAreFree: false,
    why: 'the protocol knows the interfaces of its stores, never an implementation',
  },
  {
    from: ['src/backend/', 'src/cold/'],
    never: ['src/s3/', 'src/http/'],
    typesAreFree: false,
    why: 'a store knows nothing of the protocol in front of it',
  },
  {
    from: ['src/lib/'],
    only: ['src/lib/'],
    typesAreFree: false,
    why: 'what has no domain knows none',
  },
  {
    from: ['src/ring/'],
    only: ['src/ring/', 'src/config/python-config.ts', 'src/config/problem.ts'],
    typesAreFree: false,
    why: 'the ring engine is a library of its own, for the gateway and for the console',
  },
  {
    from: ['src/swift-api/'],
    never: [
      'src/s3/',
      'src/backend/embedded/',
      'src/backend/swift/',
      'src/backend/decorators/',
      'src/processes/',
    ],
    typesAreFree: false,
    why: "the store's own API speaks Swift, to any store, and knows nothing of S3",
  },
  {
    from: ['src/http/'],
    never: ['src/s3/', 'src/backend/', 'src/swift-api/', 'src/processes/'],
    typesAreFree: false,
    why: 'the edge moves bytes and knows no protocol above HTTP',
  },
  {
    from: ['supervisor/', 'console/'],
    never: ['src/s3/', 'src/http/'],
    except: [CONSOLE_GATEWAY_RULES],
    typesAreFree: false,
    why: 'the supervisor and the console run no S3 code',
  },
  {
    from: [CONSOLE_GATEWAY_RULES],
    only: ['src/s3/rules/', 'src/s3/xml/', 'src/s3/errors.ts', 'console/'],
    typesAreFree: false,
    why: 'a preview decides by the pure rules of the gateway, and uses nothing else of it',
  },
  {
    from: ['src/', 'workers/'],
    never: ['supervisor/', 'console/'],
    typesAreFree: false,
    why: 'what the supervisor starts does not know the supervisor',
  },
  {
    from: CODE,
    never: ['test/', 'bench/'],
    typesAreFree: false,
    why: 'the service runs without its tests',
  },
  {
    from: ['src/', 'workers/', 'supervisor/', 'console/', 'bench/', 'test/'],
    never: ['uWebSockets.js'],
    except: ['src/http/', 'test/http/'],
    typesAreFree: false,
    why: 'the edge library stays behind src/http',
  },
  {
    from: BROWSER_CODE,
    only: [...BROWSER_CODE, 'console/vendor/'],
    typesAreFree: true,
    why: 'a browser has the pages of the console, and nothing else',
  },
  {
    from: ['console/'],
    never: BROWSER_CODE,
    except: BROWSER_CODE,
    typesAreFree: false,
    why: 'the server runs no code of browsers',
  },
  {
    from: ['console/server/'],
    never: ['console/surfaces/'],
    typesAreFree: false,
    why: 'a surface says itself what it is: adding one changes nothing of the server',
  },
  {
    from: ['console/ui/'],
    never: ['console/surfaces/'],
    typesAreFree: true,
    why: 'what all pages share knows no page',
  },
  {
    from: ['console/surfaces/'],
    apart: true,
    except: ['console/surfaces/registry.ts'],
    typesAreFree: true,
    why: 'a surface knows no other surface',
  },
  {
    from: ['ops/'],
    never: ['src/', 'workers/', 'supervisor/', 'console/', 'test/', 'bench/'],
    typesAreFree: false,
    why: 'tools run before anything is compiled',
  },
];

/** Every import that a rule forbids. */
export function importViolations(
  files: readonly ProjectFile[],
  rules: readonly ImportRule[] = IMPORT_RULES,
): Violation[] {
  return files.filter(isCode).flatMap((file) => {
    const imports = importsOf(file);
    return rules
      .filter((rule) => appliesTo(rule, file.path))
      .flatMap((rule) =>
        imports
          .filter((found) => isForbidden(rule, found, file.path))
          .map((found) => `${file.path}:${found.line} imports ${found.target}: ${rule.why}`),
      );
  });
}

export function isCode({ path }: ProjectFile): boolean {
  return /\.(?:ts|js|mjs)$/.test(path);
}

function appliesTo(rule: ImportRule, path: string): boolean {
  return isWithin(path, rule.from) && !isWithin(path, rule.except ?? []);
}

function isForbidden(rule: ImportRule, { target, typeOnly }: ImportOf, path: string): boolean {
  if (typeOnly && rule.typesAreFree) return false;
  if (rule.apart === true && isElsewhere(rule.from, path, target)) return true;
  if (isWithin(target, rule.never ?? [])) return true;
  return rule.only !== undefined && isOurs(target) && !isWithin(target, rule.only);
}

/** Whether both lie in one of the places, in different folders of it. */
function isElsewhere(places: readonly string[], path: string, target: string): boolean {
  const place = places.find((one) => path.startsWith(one) && target.startsWith(one));
  if (place === undefined) return false;
  const folderOf = (file: string) => file.slice(place.length).split('/')[0];
  return folderOf(path) !== folderOf(target);
}

function isOurs(target: string): boolean {
  return /\.(?:ts|js|mjs)$/.test(target) && !target.startsWith('node:');
}

function isWithin(path: string, places: readonly string[]): boolean {
  return places.some((place) => {
    const [start = '', inner] = place.split('**');
    if (inner !== undefined) return path.startsWith(start) && path.includes(inner);
    return place.endsWith('/') ? path.startsWith(place) : path === place;
  });
}
