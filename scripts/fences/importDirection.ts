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
