import { egressConfig } from '@holdfast/egress/config';
import { fileStoreConfig, fileStoreProblems } from '@holdfast/files/config';
import { baseConfig, parseConfig, positiveInt } from '@holdfast/kit/config';
import { tracingConfig } from '@holdfast/kit/tracing/config';
import { connectionConfig, connectionProblems } from '@holdfast/providers/connectionConfig';
import { z } from 'zod';
import { limitProblems } from './schedule/limits.ts';

export const dispatcherConfig = {
  ...baseConfig,
  ...tracingConfig,
  ...fileStoreConfig,
  DISPATCH_CONCURRENCY: positiveInt()
    .default(512)
    .describe(
      'Maximum number of runs that this process works on at once; one organization gets at most half of them',
    ),
  ORGANIZATION_MAX_CONCURRENCY: positiveInt()
    .optional()
    .describe(
      'Maximum number of open runs of an organization in all dispatchers together, unless the organization has its own limit',
    ),
  STOP_GRACE_S: positiveInt()
    .max(3600)
    .default(20)
    .describe(
      'Seconds for which a stopping dispatcher finishes its runs; others then take them over, and a stream that had shown output fails. Give the process longer than that to stop',
    ),
  STREAM_RETENTION_S: positiveInt()
    .default(3600)
    .describe(
      'Seconds after the end of an execution for which the events of its streamed output are kept; later readers get the output as a whole',
    ),
  CALLBACK_URL: z
    .url()
    .optional()
    .describe('Where providers reach the gateway for callbacks; default: PUBLIC_URL'),
  ...egressConfig,
};

export type DispatcherConfig = z.infer<z.ZodObject<typeof dispatcherConfig>> & {
  connections: ReturnType<typeof connectionConfig>;
};

export function readConfig(env = process.env): DispatcherConfig {
  const connections = connectionConfig(env);
  const checks = [fileStoreProblems, () => limitProblems(connections)];
  return { ...parseConfig(dispatcherConfig, env, checks), connections };
}

export const readConnectionProblems = (): string[] => connectionProblems(process.env);
