import { fileStoreConfig } from '@holdfast/files/config';
import { parseConfig } from '@holdfast/kit/config';
import { prepareStore } from '@holdfast/setup/store';
import { LaunchError } from './launchError.ts';

/** @throws LaunchError when the folder or bucket can't be created */
export async function prepareFiles(settings: NodeJS.ProcessEnv, say: (line: string) => void): Promise<void> {
  try {
    await prepareStore(parseConfig(fileStoreConfig, settings), say);
  } catch (error) {
    throw new LaunchError(
      `The file store can't be prepared: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}
