import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { readSourceFacts, type SourceFacts } from './sourceFacts.ts';

/**
 * `owner` is the folder of the file: `packages/db`, `services/ledger`, `bench`. Files in a folder `testing` are used only
 * by tests and count as tests.
 */
export type SourceFile = SourceFacts & { path: string; owner: string; isTest: boolean };

const patterns = [
  'packages/*/src/**/*.{ts,tsx,mjs}',
  'services/*/src/**/*.{ts,mjs}',
  'sdk/*/src/**/*.{ts,tsx,mjs}',
  'acceptance/**/*.{ts,mjs}',
  'scripts/**/*.{ts,mjs}',
  'bench/**/*.{ts,mjs}',
];

export function ownerOf(path: string): string {
  const [group = '', name = ''] = path.split('/');
  return ['packages', 'services', 'sdk'].includes(group) ? `${group}/${name}` : group;
}

/** Every file of TypeScript or JavaScript below `root`, without the generated Prisma client. */
export function sourcePaths(root: string): string[] {
  return globSync(patterns, { cwd: root }).filter(
    (path) => !path.startsWith('packages/db/src/generated/') && !path.includes('node_modules'),
  );
}

export function readSourceFiles(root: string): SourceFile[] {
  return sourcePaths(root).map((path) => ({
    path,
    owner: ownerOf(path),
    isTest: /\.test\.(ts|mjs)$/.test(path) || path.includes('/testing/'),
    ...readSourceFacts(readFileSync(join(root, path), 'utf8'), { tsx: path.endsWith('.tsx') }),
  }));
}

/** The folder of this tree that an import leads to, or undefined for an external package. */
export function targetOf(from: string, specifier: string, services: ReadonlySet<string>): string | undefined {
  if (specifier.startsWith('.')) return ownerOf(normalize(join(dirname(from), specifier)));
  const name = /^@holdfast\/([^/]+)/.exec(specifier)?.[1];
  if (name === undefined) return undefined;
  if (name === 'sdk') return 'sdk/typescript';
  return services.has(name) ? `services/${name}` : `packages/${name}`;
}
