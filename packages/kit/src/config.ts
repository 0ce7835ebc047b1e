import { z } from 'zod';
import { databaseUrlForm, databaseUrlProblems } from './databaseAddress.ts';
import { redisUrlForms, redisUrlProblems } from './redisAddress.ts';
import { requirementOf } from './requirement.ts';

export type ConfigCheck = (env: NodeJS.ProcessEnv) => string[];

/** Reads settings from the environment; an empty variable counts as unset. @throws ConfigError with every problem */
export function parseConfig<Shape extends z.ZodRawShape>(
  shape: Shape,
  env: NodeJS.ProcessEnv,
  checks: ConfigCheck[] = [],
): z.infer<z.ZodObject<Shape>> {
  const set = Object.fromEntries(Object.entries(env).filter(([, value]) => value));
  const parsed = z.object(shape).safeParse(set, { error: requirementOf });
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
    super(`The environment is invalid:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
    this.name = 'ConfigError';
  }
}

export const port = () => z.coerce.number().int().min(0).max(65_535);
export const flag = () => z.enum(['true', 'false']).transform((value) => value === 'true');
export const positiveInt = () => z.coerce.number().int().positive();

export const publicUrl = z
  .url()
  .optional()
  .describe(
    'Where clients reach the gateway; the URLs of the disk store and those in responses start with it. Webhooks and downloads never connect to it',
  );

/** Messages must not repeat the text: it may hold a password. */
const checked = (problemsOf: (text: string) => string[]) =>
  z.string().superRefine((text, check) => {
    for (const message of problemsOf(text)) check.addIssue({ code: 'custom', message });
  });

export const databaseUrl = () => checked(databaseUrlProblems);

export const baseConfig = {
  DATABASE_URL: databaseUrl().describe(`PostgreSQL, as ${databaseUrlForm}`),
  DATABASE_PREPARED: flag()
    .default(true)
    .describe(
      'Whether to use prepared statements; false behind PgBouncer in transaction mode (docs/engines.md)',
    ),
  DATABASE_POOL_SIZE: positiveInt()
    .default(10)
    .describe(
      'Maximum number of connections of this process to PostgreSQL; the sum over all processes must stay below max_connections',
    ),
  REDIS_URL: checked(redisUrlProblems).describe(`Redis, as ${redisUrlForms}`),
  CELL: z.coerce
    .number()
    .int()
    .min(0)
    .max(4095)
    .default(0)
    .describe(
      'Number of this installation among several behind one router (docs/operate/cells.md): ids and API keys made here contain it',
    ),
  LISTEN_HOST: z
    .string()
    .optional()
    .describe('Address on which every port is opened; default: all addresses'),
  METRICS_PORT: port().default(0).describe('Port of /healthz, /readyz and /metrics; 0 chooses a free one'),
  LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'])
    .default('info')
    .describe('Minimum level of the log lines that are written'),
  LOG_FORMAT: z
    .enum(['json', 'pretty'])
    .optional()
    .describe('Log lines for machines (json) or people (pretty); default: pretty on a terminal, else json'),
};

export const listOf = (text: string): string[] =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean);
