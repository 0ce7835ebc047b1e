import { fileStoreConfig, fileStoreProblems } from '@holdfast/files/config';
import { openStore } from '@holdfast/files/open';
import type { ObjectStore } from '@holdfast/files/store';
import { parseConfig } from '@holdfast/kit/config';
import type { Context } from '../command.ts';

/** The store of the services: of the environment, else of the `npm start` in this folder. @throws for settings that lack something */
export function storeOf(context: Context): ObjectStore {
  return openStore(parseConfig(fileStoreConfig, context.providerEnvironment(), [fileStoreProblems]));
}
