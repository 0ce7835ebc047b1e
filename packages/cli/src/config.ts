import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { firstAdminToken } from '@holdfast/domain/adminTokens';
import { databaseUrlProblems } from '@holdfast/kit/databaseAddress';
import { UsageError } from '@holdfast/kit/flags';
import { redisUrlProblems } from '@holdfast/kit/redisAddress';
import { type EncryptionKeys, encryptionKeys } from '@holdfast/kit/sealedBox';
import { z } from 'zod';
import type { Named } from './flags.ts';

/** The flag, DATABASE_DIRECT_URL, DATABASE_URL, or the `npm start` in this folder. @throws UsageError, or Error for none */
export function databaseUrl(named: string | undefined, env: NodeJS.ProcessEnv = process.env): string {
  if (named !== undefined) return checked(named, '--database-url', databaseUrlProblems);
  // DATABASE_DIRECT_URL bypasses a pooler, which shares sessions.
  for (const name of ['DATABASE_DIRECT_URL', 'DATABASE_URL'])
    if (env[name]) return checked(env[name], name, databaseUrlProblems);
  const local = localFile(env, 'local.json', localState);
  if (local !== null) return local.database_url;
  throw new Error(
    'no database is known: use --database-url, set DATABASE_URL, or run npm start in this folder',
  );
}

/** The flag, REDIS_URL, or (unless another database is named) the local `npm start`. @throws UsageError, or Error for none */
export function redisUrl(named: Named, env: NodeJS.ProcessEnv = process.env): string {
  const [given, source] = named['redis-url']
    ? [named['redis-url'], '--redis-url']
    : [env['REDIS_URL'], 'REDIS_URL'];
  if (given) return checked(given, source, redisUrlProblems);
  const local = localSystem(named, env);
  if (local?.redis_url) return local.redis_url;
  throw new Error(
    'no Redis is known: use --redis-url, set REDIS_URL, or run npm start in this folder and name no other database',
  );
}

export type AdminAccess = { url: string; token: string };

/** Without `/admin/v1`. The token of the local `npm start` is sent to no other URL. @throws UsageError, or Error for none */
export function adminAccess(named: Named, env: NodeJS.ProcessEnv = process.env): AdminAccess {
  const local = localSystem(named, env);
  const [given, source] = named['admin-url']
    ? [named['admin-url'], '--admin-url']
    : [env['HOLDFAST_ADMIN_URL'], 'HOLDFAST_ADMIN_URL'];
  if (given && !(/^https?:\/\//.test(given) && URL.canParse(given)))
    throw new UsageError(`${source} must be a URL like http://127.0.0.1:8081`);
  const url = given || local?.admin_url;
  if (!url)
    throw new Error(
      'no admin API is known: use --admin-url, set HOLDFAST_ADMIN_URL (and ADMIN_TOKEN), or run npm start in this folder and name no other database',
    );
  const token =
    named['admin-token'] ||
    firstAdminToken(env['ADMIN_TOKEN'] ?? '') ||
    (given ? undefined : local?.admin_token);
  if (!token) throw new Error("no admin token is known: set ADMIN_TOKEN to the gateway's");
  return { url: url.replace(/\/+$/, ''), token };
}

/** The flag, CONSOLE_URL, or the URL of the admin API. @throws UsageError, or Error for none */
export function consoleOrigin(
  named: Named,
  given: string | undefined,
  env: NodeJS.ProcessEnv = process.env,
): string {
  const url = given ?? (env['CONSOLE_URL'] || adminAccess(named, env).url);
  if (/^https?:\/\//.test(url) && URL.canParse(url)) return url.replace(/\/+$/, '');
  throw new UsageError('--url and CONSOLE_URL must be a URL like https://holdfast.internal.example');
}

export type ApiAccess = { baseUrl: string; apiKey: string };

/** The key of the local `npm start` is sent to no other URL. @throws UsageError, or Error for none */
export function apiAccess(
  named: Named,
  given: { url?: string | undefined; key?: string | undefined },
  env: NodeJS.ProcessEnv = process.env,
): ApiAccess {
  const local = localSystem(named, env);
  const [url, source] = given.url ? [given.url, '--url'] : [env['HOLDFAST_URL'], 'HOLDFAST_URL'];
  if (url && !(/^https?:\/\//.test(url) && URL.canParse(url)))
    throw new UsageError(`${source} must be a URL like http://127.0.0.1:8080`);
  const baseUrl = url || local?.base_url;
  if (!baseUrl)
    throw new Error('no API is known: use --url, set HOLDFAST_URL, or run npm start in this folder');
  const apiKey = given.key || env['HOLDFAST_API_KEY'] || (url ? undefined : local?.api_key);
  if (!apiKey) throw new Error('no API key is known: set HOLDFAST_API_KEY');
  return { baseUrl, apiKey };
}

/** The local `npm start`; null when none runs, or when another database than its own is named. */
function localSystem(named: Named, env: NodeJS.ProcessEnv) {
  const local = localFile(env, 'local.json', localState);
  const database =
    named['database-url'] ?? (env['DATABASE_DIRECT_URL'] || env['DATABASE_URL'] || local?.database_url);
  return database === local?.database_url ? local : null;
}

/** The error does not show the URL, which may hold a password. */
function checked(url: string, source: string, problemsOf: (url: string) => string[]): string {
  const [problem] = problemsOf(url);
  if (problem === undefined) return url;
  throw new UsageError(`${source}: ${problem}`);
}

/** ENCRYPTION_KEYS, else the `npm start` in this folder. @throws UsageError for invalid keys, Error for none */
export function sealingKeys(env: NodeJS.ProcessEnv = process.env): EncryptionKeys {
  const text = env['ENCRYPTION_KEYS'] || localFile(env, 'secrets.json', localSecrets)?.encryptionKeys;
  if (!text) throw new Error("no keys are known: set ENCRYPTION_KEYS to the services'");
  const keys = encryptionKeys.safeParse(text);
  if (!keys.success)
    throw new UsageError('ENCRYPTION_KEYS must be a list like id:base64,id:base64 of 32 bytes each');
  return keys.data;
}

/** The folder of the argument, else of MODELS_DIR in `env`, else of this source tree. */
export function modelsFolder(named: string | undefined, env: NodeJS.ProcessEnv): string {
  return named ?? (env['MODELS_DIR'] || resolve(import.meta.dirname, '../../../models'));
}

/** Includes the local dispatcher's (unless another database is named), so its provider keys need not be set again or stored. */
export function providerEnvironment(named: Named, env: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  const pid = localSystem(named, env)?.services?.['dispatcher']?.pid;
  return { ...(pid === undefined ? {} : environmentOf(pid)), ...env };
}

/** The folder of the local `npm start`, which has its database unless the account of PostgreSQL cannot reach it there. */
export function dataFolders(named: Named, env: NodeJS.ProcessEnv = process.env): string[] {
  return localSystem(named, env) === null ? [] : [homeOf(env), '/var/lib/holdfast'];
}

/** HOLDFAST_HEALTH_URLS (`ledger=http://ledger:9464,…`), else the local services. @throws UsageError */
export function serviceUrls(
  named: Named,
  env: NodeJS.ProcessEnv = process.env,
): { name: string; url: string }[] {
  const given = env['HOLDFAST_HEALTH_URLS'];
  if (given) {
    return given.split(',').map((one) => {
      const [, name, url] = /^([\w-]+)=(https?:\/\/.+?)\/*$/.exec(one.trim()) ?? [];
      if (name !== undefined && url !== undefined) return { name, url };
      throw new UsageError('HOLDFAST_HEALTH_URLS must be a list like ledger=http://ledger:9464,dispatcher=…');
    });
  }
  const services = localSystem(named, env)?.services ?? {};
  return Object.entries(services).flatMap(([name, { metrics_url: url }]) =>
    url === undefined ? [] : [{ name, url: new URL(url).origin }],
  );
}

/** In a container of our image `localhost` is not the host. */
export const isInContainer = (env: NodeJS.ProcessEnv = process.env): boolean =>
  env['HOLDFAST_IN_CONTAINER'] === 'true';

/** Reads another process of this user; empty where the system hides it. */
function environmentOf(pid: number): NodeJS.ProcessEnv {
  try {
    const lines = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
    const pairs = lines.map((line) => [line.split('=', 1)[0] ?? '', line.slice(line.indexOf('=') + 1)]);
    return Object.fromEntries(pairs.filter(([name]) => name !== ''));
  } catch {
    return {};
  }
}

const localState = z.object({
  database_url: z.string(),
  redis_url: z.string().optional(),
  base_url: z.string().optional(),
  api_key: z.string().optional(),
  admin_url: z.string().optional(),
  admin_token: z.string().optional(),
  services: z
    .record(z.string(), z.object({ pid: z.number(), metrics_url: z.string().optional() }))
    .optional(),
});
const localSecrets = z.object({ encryptionKeys: z.string() });

const homeOf = (env: NodeJS.ProcessEnv) => resolve(env['HOLDFAST_HOME'] || '.holdfast');

/** A file that `npm start` wrote; null when none runs here or the file is unreadable. */
function localFile<Content>(env: NodeJS.ProcessEnv, name: string, shape: z.ZodType<Content>): Content | null {
  try {
    const path = resolve(homeOf(env), name);
    return shape.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    return null;
  }
}
