import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { MigrationDirectory, MigrationList } from '@prisma/schema-engine-wasm/schema_engine_bg';

const prismaFolder = resolve(import.meta.dirname, '../../../../prisma');

export const migrationsFolder: string = join(prismaFolder, 'migrations');

export function readSchema(): Promise<string> {
  return readFile(join(prismaFolder, 'schema.prisma'), 'utf8');
}

export async function readMigrations(folder: string = migrationsFolder): Promise<MigrationList> {
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  return {
    baseDir: folder,
    lockfile: {
      path: 'migration_lock.toml',
      content: await readFile(join(folder, 'migration_lock.toml'), 'utf8'),
    },
    shadowDbInitScript: '',
    migrationDirectories: await Promise.all(names.toSorted().map((name) => readMigration(folder, name))),
  };
}

async function readMigration(folder: string, name: string): Promise<MigrationDirectory> {
  const value = await readFile(join(folder, name, 'migration.sql'), 'utf8');
  return { path: name, migrationFile: { path: 'migration.sql', content: { tag: 'ok', value } } };
}
