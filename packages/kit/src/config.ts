import { z } from 'zod';
import { readRedisUrl, redisUrlForms } from './redisAddress.ts';

/** What no single variable tells: the problems of an environment, a line each. */
export type ConfigCheck = (env: NodeJS.ProcessEnv) => string[];

/**
 * Reads a service's settings from the environment, once. Every problem is listed at once; the process should end.
 * A variable set to nothing is not set.
 * @throws ConfigError
 */
export function parseConfig<Shape extends z.ZodRawShape>(
  shape: Shape,
  env: NodeJS.ProcessEnv,
  checks: ConfigCheck[] = [],
): z.infer<z.ZodObject<Shape>> {
  const set = Object.fromEntries(Object.entries(env).filter(([, value]) => value));
  const parsed = z.object(shape).safeParse(set);
  const found = parsed.success ? [] : parsed.error.issues.map((issue) => problemOf(issue, set, shape));
  const problems = [...found, ...checks.flatMap((check) => check(set))];
  if (parsed.success && problems.length === 0) return parsed.data;
  throw new ConfigError(problems);
}

function problemOf(issue: z.core.$ZodIssue, set: NodeJS.ProcessEnv, shape: z.ZodRawShape): string {
  const name = String(issue.path[0]);
  if (set[name] !== undefined) return `${name}: ${issue.message}`;
  return `${name} is not set: ${z.globalRegistry.get(shape[name] as z.ZodType)?.description ?? 'it is needed'}`;
}

export class ConfigError extends Error {
  constructor(problems: string[]) {
    super(`The environment is not right:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
    this.name = 'ConfigError';
  }
}

export const port = () => z.coerce.number().int().min(0).max(65_535);
export const flag = () => z.enum(['true', 'false']).transform((value) => value === 'true');
export const positiveInt = () => z.coerce.number().int().positive();

/** Of a service that makes such URLs, or that dials what clients name. */
export const publicUrl = z
  .url()
  .optional()
  .describe(
    'Where clients reach the gateway: begins the URLs of the disk store; is not dialled for webhooks or files',
  );

/** One server is left to the driver, whose forms are many. */
function checkRedisUrl(url: string, check: z.RefinementCtx): void {
  if (!/^rediss?\+/.test(url)) return;
  try {
    readRedisUrl(url);
  } catch (error) {
    check.addIssue({ code: 'custom', message: (error as Error).message });
  }
}

/** What every service needs. */
export const baseConfig = {
  DATABASE_URL: z
    .string()
    .startsWith('postgres')
    .describe(
      'PostgreSQL, as postgresql://user:password@host:port/database (?sslmode=verify-full&sslrootcert=/path over TLS)',
    ),
  DATABASE_PREPARED: flag()
    .default(true)
    .describe('false: behind PgBouncer in transaction mode (docs/engines.md)'),
  DATABASE_POOL_SIZE: positiveInt()
    .default(10)
    .describe(
      'Connections to PostgreSQL this process may hold; those of all processes must fit its max_connections',
    ),
  REDIS_URL: z.string().startsWith('redis').superRefine(checkRedisUrl).describe(`Redis, as ${redisUrlForms}`),
  LISTEN_HOST: z.string().optional().describe('Address that every port is opened on; all of them unless set'),
  METRICS_PORT: port().default(0).describe('Port of /healthz, /readyz and /metrics; 0 chooses a free one'),
  LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'])
    .default('info')
    .describe('Least level of log line that is written'),
};

/** What stands between the commas of a setting. */
export const listOf = (text: string): string[] =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean);
