import { resolve } from 'node:path';

export type CliConfig = {
  /** As the environment has it. */
  databaseUrl: string | null;
  /** Where `npm start` writes how it is reached. */
  statePath: string;
};

export function readConfig(env: NodeJS.ProcessEnv = process.env): CliConfig {
  return {
    databaseUrl: env['DATABASE_URL'] || null,
    statePath: resolve(env['HOLDFAST_HOME'] || '.holdfast', 'local.json'),
  };
}
