import { egressConfig } from '@holdfast/egress/config';
import { fileStoreConfig, fileStoreProblems } from '@holdfast/files/config';
import { baseConfig, parseConfig, positiveInt } from '@holdfast/kit/config';
import { tracingConfig } from '@holdfast/kit/tracing/provider';
import { connectionConfig, connectionProblems } from '@holdfast/providers/connectionConfig';
import { z } from 'zod';
import { limitProblems } from './limits.ts';

export const dispatcherConfig = {
  ...baseConfig,
  ...tracingConfig,
  ...fileStoreConfig,
  DISPATCH_CONCURRENCY: positiveInt()
    .default(512)
    .describe('Runs that this process works on at once; one organization alone has half of them at most'),
  ORGANIZATION_MAX_CONCURRENCY: positiveInt()
    .optional()
    .describe('Open runs of an organization in all dispatchers together, unless it has a limit of its own'),
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
  const connections = connectionConfig(process.env);
  const problems = limitProblems(connections);
  if (problems.length > 0)
    throw new Error(`the configuration is invalid:\n${problems.map((line) => `  ${line}`).join('\n')}`);
  return { ...config, connections };
}

export const readConnectionProblems = (): string[] => connectionProblems(process.env);
