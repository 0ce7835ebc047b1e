import { fileStoreConfig, fileStoreProblems } from '@holdfast/files/config';
import { openStore } from '@holdfast/files/open';
import type { ObjectStore } from '@holdfast/files/store';
import { parseConfig } from '@holdfast/kit/config';
import type { Context } from '../command.ts';

/** A backup signs no URL: what that needs need not be set. */
const unsigned = { FILE_URL_SECRET: 'no URL is signed with this', PUBLIC_URL: 'http://localhost' };

/** The store of the services: of the environment, else of the `npm start` in this folder. @throws for settings that lack something */
export function storeOf(context: Context): ObjectStore {
  return openStore(
    parseConfig(fileStoreConfig, { ...unsigned, ...context.providerEnvironment() }, [fileStoreProblems]),
  );
}
