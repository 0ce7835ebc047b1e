import { egressConfig } from '@holdfast/egress/config';
import { fileStoreConfig, fileStoreProblems } from '@holdfast/files/config';
import { baseConfig, parseConfig, positiveInt } from '@holdfast/kit/config';
import { connectionConfig, connectionProblems } from '@holdfast/providers/connectionConfig';
import { z } from 'zod';

export const dispatcherConfig = {
  ...baseConfig,
  ...fileStoreConfig,
  DISPATCH_CONCURRENCY: positiveInt().default(256).describe('Runs in hand at once in this process'),
  CALLBACK_URL: z
    .url()
    .optional()
    .describe('Where providers reach the gateway for callbacks; PUBLIC_URL unless set'),
  ...egressConfig,
};

export type DispatcherConfig = z.infer<z.ZodObject<typeof dispatcherConfig>> & {
  connections: ReturnType<typeof connectionConfig>;
};

export function readConfig(): DispatcherConfig {
  const config = parseConfig(dispatcherConfig, process.env, [fileStoreProblems]);
  return { ...config, connections: connectionConfig(process.env) };
}

/** Connections that can't be used, a line each. */
export const readConnectionProblems = (): string[] => connectionProblems(process.env);
