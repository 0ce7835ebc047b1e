import { dirname } from 'node:path';

/** The packages that each package may import. Tests may import all packages, but no service. */
export const mayImport: Readonly<Record<string, readonly string[]>> = {
  'packages/domain': [],
  'sdk/typescript': [],
  'sdk/react': ['sdk/typescript'],
  'packages/console': ['sdk/typescript', 'packages/domain'],
  'packages/kit': ['packages/domain'],
  'packages/docs': ['packages/domain', 'packages/kit'],
  'packages/db': ['packages/domain', 'packages/kit'],
  'packages/queues': ['packages/domain', 'packages/kit'],
  'packages/files': ['packages/domain', 'packages/kit'],
  'packages/egress': ['packages/domain', 'packages/kit'],
  'packages/providers': ['packages/domain', 'packages/kit', 'packages/egress', 'packages/files'],
  'packages/executions': ['packages/domain', 'packages/kit', 'packages/db', 'packages/queues'],
  'packages/setup': [
    'packages/domain',
    'packages/kit',
    'packages/db',
    'packages/files',
    'packages/providers',
  ],
  'packages/cli': [
    'packages/domain',
    'packages/kit',
    'packages/db',
    'packages/queues',
    'packages/files',
    'packages/providers',
    'packages/setup',
    'sdk/typescript',
  ],
  'packages/local': ['packages/domain', 'packages/kit', 'packages/db', 'packages/files', 'packages/setup'],
};

const forServices = ['domain', 'kit', 'db', 'queues', 'files', 'egress', 'executions'].map(
  (n) => `packages/${n}`,
);

/** Of the services, only the dispatcher imports providers; no service imports another. */
export function allowedFor(owner: string): readonly string[] | 'anything' {
  if (owner === 'services/dispatcher') return [...forServices, 'packages/providers'];
  if (owner.startsWith('services/')) return forServices;
  if (['packages/testkit', 'acceptance', 'bench', 'scripts'].includes(owner)) return 'anything';
  return mayImport[owner] ?? [];
}

const consoleFloors = {
  data: [],
  ui: ['data'],
  features: ['data', 'ui'],
  pages: ['data', 'ui', 'features'],
  portal: ['data', 'ui', 'features', 'start'],
  start: ['data', 'ui', 'features', 'pages'],
} as const satisfies Record<string, readonly string[]>;

type ConsoleFloor = keyof typeof consoleFloors;

/** The folder of a file below `packages/console/src`; without one it is the API with its texts, or starts the pages. */
function consoleFloorOf(file: string): ConsoleFloor {
  const [folder = ''] = file.split('/');
  if (['ui', 'features', 'pages', 'portal'].includes(folder)) return folder as ConsoleFloor;
  return /^(api\.ts|json\.ts|strings|generated\/)/.test(file) ? 'data' : 'start';
}

/** Whether a file of the console may import another; both below `packages/console/src`. */
export function consoleMayImport(from: string, target: string): boolean {
  const [above, below] = [consoleFloorOf(from), consoleFloorOf(target)];
  const allowed: readonly string[] = consoleFloors[above];
  return above === below || allowed.includes(below);
}

/** The folders of services that have floors, from the lowest to the folder of `main.ts`. Those below `api`, one for each group of endpoints, share its floor. */
export const floors: Readonly<Record<string, readonly string[]>> = {
  'services/api-gateway/src': [
    'http',
    'access/oidc',
    'access',
    'watching',
    'context',
    'pipeline',
    'money',
    'files',
    'executions',
    'batches',
    'api',
    'faces',
    'admin',
    'admin/endpoints',
    'pages/openapi',
    'pages/docs',
    'pages',
    '.',
  ],
  'services/dispatcher/src': ['schedule', 'attempt', 'jobs', '.'],
};

/** The number of a folder's floor; -1 for a folder without one. `api/files` is on the floor of `api`. */
function floorOf(folder: string, known: readonly string[]): number {
  const own = known.indexOf(folder);
  const above = dirname(folder);
  return own >= 0 || above === '.' ? own : floorOf(above, known);
}

/** Whether a file of a service may import another, by the paths below its `src`: none is on a higher floor. */
export function goesDown(from: string, target: string, known: readonly string[]): boolean {
  const [above, below] = [floorOf(dirname(from), known), floorOf(dirname(target), known)];
  return below >= 0 && below <= above;
}
