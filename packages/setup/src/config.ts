import { resolve } from 'node:path';
import { type FileStoreConfig, fileStoreConfig, fileStoreProblems } from '@holdfast/files/config';
import { baseConfig, databaseUrl, parseConfig } from '@holdfast/kit/config';
import { encryptionKeys } from '@holdfast/kit/sealedBox';
import { z } from 'zod';
import { overageConfig } from './overage.ts';

const passwordOf = (service: string) =>
  z
    .string()
    .regex(/^[\x20-\x7e]+$/, 'must be ASCII')
    .optional()
    .describe(`Password of the database role of ${service}; set all four or none`);

export const setupConfig = {
  DATABASE_URL: baseConfig.DATABASE_URL,
  CELL: baseConfig.CELL,
  DATABASE_DIRECT_URL: databaseUrl()
    .optional()
    .describe(
      'PostgreSQL without the pooler, if DATABASE_URL is the address of a pooler; the CLI uses it too',
    ),
  GATEWAY_DB_PASSWORD: passwordOf('api-gateway'),
  DISPATCHER_DB_PASSWORD: passwordOf('dispatcher'),
  LEDGER_DB_PASSWORD: passwordOf('ledger'),
  WEBHOOK_SENDER_DB_PASSWORD: passwordOf('webhook-sender'),
  ...fileStoreConfig,
  PUBLIC_URL: fileStoreConfig.PUBLIC_URL.describe(
    'Where clients reach the gateway; the setup prints it. Required with FILE_STORE=disk',
  ),
  ...overageConfig,
  MODELS_DIR: z
    .string()
    .optional()
    .describe('Folder of the model files; default: models/ of this repository'),
  DEMO_KEY_SECRET: z
    .string()
    .regex(/^[0-9a-f]{64}$/, 'must be 64 hexadecimal digits in lower case')
    .optional()
    .describe(
      '64 hexadecimal digits: creates a demo organization, with an API key made of them; default: no demo organization',
    ),
  ENCRYPTION_KEYS: encryptionKeys
    .optional()
    .describe('Required with DEMO_KEY_SECRET: the same value as for api-gateway'),
};

type Values = z.infer<z.ZodObject<typeof setupConfig>>;

export type SetupConfig = {
  databaseUrl: string;
  cell: number;
  /** By role; null: the roles stay unchanged. */
  rolePasswords: ReturnType<typeof rolePasswords>;
  files: FileStoreConfig;
  modelsDir: string;
  /** Contains the providers' connections and the overage policies. */
  environment: NodeJS.ProcessEnv;
  demo: { secret: string; encryptionKeys: NonNullable<Values['ENCRYPTION_KEYS']> } | null;
  publicUrl: string;
};

const passwordNames = [
  'GATEWAY_DB_PASSWORD',
  'DISPATCHER_DB_PASSWORD',
  'LEDGER_DB_PASSWORD',
  'WEBHOOK_SENDER_DB_PASSWORD',
] as const;

/** @throws ConfigError that lists every problem */
export function readConfig(environment: NodeJS.ProcessEnv = process.env): SetupConfig {
  const values = parseConfig(setupConfig, environment, [fileStoreProblems, passwordProblems, demoProblems]);
  return {
    databaseUrl: values.DATABASE_DIRECT_URL ?? values.DATABASE_URL,
    cell: values.CELL,
    rolePasswords: rolePasswords(values),
    files: values,
    modelsDir: values.MODELS_DIR ?? resolve(import.meta.dirname, '../../../models'),
    environment,
    demo:
      values.DEMO_KEY_SECRET && values.ENCRYPTION_KEYS
        ? { secret: values.DEMO_KEY_SECRET, encryptionKeys: values.ENCRYPTION_KEYS }
        : null,
    publicUrl: values.PUBLIC_URL ?? 'http://localhost:8080',
  };
}

function rolePasswords(values: Values) {
  const { GATEWAY_DB_PASSWORD, DISPATCHER_DB_PASSWORD, LEDGER_DB_PASSWORD, WEBHOOK_SENDER_DB_PASSWORD } =
    values;
  if (!GATEWAY_DB_PASSWORD || !DISPATCHER_DB_PASSWORD || !LEDGER_DB_PASSWORD || !WEBHOOK_SENDER_DB_PASSWORD) {
    return null;
  }
  return {
    holdfast_gateway: GATEWAY_DB_PASSWORD,
    holdfast_dispatcher: DISPATCHER_DB_PASSWORD,
    holdfast_ledger: LEDGER_DB_PASSWORD,
    holdfast_webhook_sender: WEBHOOK_SENDER_DB_PASSWORD,
  };
}

function passwordProblems(env: NodeJS.ProcessEnv): string[] {
  const missing = passwordNames.filter((name) => !env[name]);
  if (missing.length === passwordNames.length) return [];
  return missing.map((name) => `${name} is not set: give the passwords of all four roles, or none`);
}

function demoProblems(env: NodeJS.ProcessEnv): string[] {
  if (!env['DEMO_KEY_SECRET'] || env['ENCRYPTION_KEYS']) return [];
  return ['ENCRYPTION_KEYS is not set: it is needed with DEMO_KEY_SECRET'];
}
