import { parse } from 'yaml';

type Links = Record<string, string>;
type Importer = { [kind in 'dependencies' | 'optionalDependencies']?: Record<string, { version: string }> };

/** What is read of pnpm-lock.yaml. */
export type Lockfile = {
  importers: Record<string, Importer>;
  packages: Record<string, { resolution: { integrity?: string } }>;
  snapshots: Record<string, { dependencies?: Links; optionalDependencies?: Links }>;
};

/** @throws for a version of it that is not known here */
export function readLockfile(text: string): Lockfile {
  const { lockfileVersion, ...rest } = parse(text) as Lockfile & { lockfileVersion: string };
  if (lockfileVersion !== '9.0') throw new Error(`pnpm-lock.yaml of version ${lockfileVersion} is not known`);
  return rest;
}

/** `@scope/name@1.2.3(peer@2.0.0)` without its peers: what was downloaded. */
export function packageOf(snapshot: string): string {
  return snapshot.replace(/\(.*$/s, '');
}
