import { join } from 'node:path';
import { LaunchError } from '../launch/launchError.ts';
import { readJson } from '../launch/privateFile.ts';
import type { LocalState } from '../launch/stateFile.ts';

export type LocalStack = {
  baseUrl: string;
  apiKey: string;
  webhooksOrigin: string;
  statePath: string;
};

/** @throws LaunchError when no `npm start` runs in the folder */
export function findLocalStack(home: string): LocalStack {
  const statePath = join(home, 'local.json');
  const state = readState(statePath);
  if (!state?.base_url || !state.api_key)
    throw new LaunchError(
      `Holdfast does not run here (there is no ${statePath}): npm start in another terminal, then this again.`,
    );
  if (!state.webhooks_origin)
    throw new LaunchError('The Holdfast that runs here is of an older version: end it, and npm start again.');
  return {
    baseUrl: state.base_url,
    apiKey: state.api_key,
    webhooksOrigin: state.webhooks_origin,
    statePath,
  };
}

function readState(path: string): Partial<LocalState> | undefined {
  try {
    return readJson(path) as Partial<LocalState> | undefined;
  } catch (error) {
    throw new LaunchError(`${path} can't be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}
