import { BackupRefusedError } from '@holdfast/db/backup/connection';
import { fileStoreConfig, fileStoreProblems } from '@holdfast/files/config';
import type { ObjectStore } from '@holdfast/files/store';
import { parseConfig } from '@holdfast/kit/config';
import { RefusedError } from '../admin/refusedError.ts';
import type { Context } from '../command.ts';
import { readOperands } from '../flags.ts';
import { loadStore } from '../store.ts';
import type { Manifest } from './manifest.ts';
import { writeBackup } from './write.ts';

/** 0: written, whole; 1: refused. What was cut off has no manifest, and no restore takes it. */
export async function backup(args: string[], context: Context): Promise<number> {
  const { operands, values } = readOperands('backup', args, ['folder'], {
    'without-files': { type: 'boolean', default: false },
  });
  const databaseUrl = context.databaseUrl();
  const store = values['without-files'] ? null : await storeOf(context);
  const written = await refusable(() => writeBackup(operands[0], { databaseUrl, store, tell: context.tell }));
  for (const line of closing(operands[0], written)) context.say(line);
  return 0;
}

/** A backup signs no URL: the settings for that may be missing. */
const unsigned = { FILE_URL_SECRET: 'no URL is signed with this', PUBLIC_URL: 'http://localhost' };

/** The store of the services: of the environment, else of the `npm start` in this folder. @throws for settings that lack something */
export function storeOf(context: Context): Promise<ObjectStore> {
  const environment = { ...unsigned, ...context.providerEnvironment() };
  return loadStore(parseConfig(fileStoreConfig, environment, [fileStoreProblems]));
}

/** What the database's side refuses is told as a refusal. */
export async function refusable<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof BackupRefusedError ? new RefusedError(error.message) : error;
  }
}

function closing(folder: string, { taken_at, tables, files, sealed_with }: Manifest): string[] {
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  return [
    `${folder}: ${rows} rows as of ${taken_at}, ${files ? `${files.stored} files of ${files.bytes} bytes` : 'without files'}.`,
    ...(files && files.missing > 0
      ? [
          `${files.missing} files are not in the store (removed meanwhile, or lost): ${folder}/files.jsonl names them.`,
        ]
      : []),
    `NOT IN IT: ENCRYPTION_KEYS (${sealed_with.join(', ') || 'nothing is sealed yet'}). Keep them apart; without them no webhook can be signed.`,
    'IN IT: inputs, outputs and files of your customers. Encrypt what leaves this machine.',
  ];
}
