import type { Database } from '@holdfast/db/client';
import { databaseServers } from '@holdfast/kit/databaseAddress';
import { UsageError } from '@holdfast/kit/flags';
import { reasonOf } from '@holdfast/kit/within';
import type { Inspector } from '@holdfast/queues/inspector';
import { ZodError } from 'zod';
import { openAdminApi } from './admin/api.ts';
import type { Command, Context, RunCommand } from './command.ts';
import {
  adminAccess,
  apiAccess,
  consoleOrigin,
  databaseUrl,
  dataFolders,
  providerEnvironment,
  redisUrl,
  serviceUrls,
} from './config.ts';
import { exitCodes, RefusedError } from './errors.ts';
import type { Named } from './flags.ts';

export type Output = Pick<
  Context,
  'print' | 'write' | 'report' | 'reportProgress' | 'outputClosed' | 'width'
>;

/** Runs a command in a context of its own, and returns the exit code. @throws UsageError */
export async function runCommand(
  command: Command,
  args: string[],
  named: Named,
  output: Output,
): Promise<number> {
  const { context, url, close } = openContext(named, output);
  try {
    const run = await command.load();
    return command.changes?.(args)
      ? await runRecorded(command, run, args, context)
      : await run(args, context);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    if (error instanceof RefusedError) {
      output.report(`holdfast: ${command.name} was refused: ${error.message}`);
      return exitCodes.wrong;
    }
    const reason = `${withoutPassword(reasonFor(error), url())}${await placeOf(error, url())}`;
    output.report(`holdfast: ${command.name} could not be run: ${reason}`);
    return exitCodes.notRun;
  } finally {
    await close();
  }
}

/** Loads the clients of the database and Redis when a command opens them: most commands use the admin API only. */
function openContext(named: Named, output: Output) {
  let url: string | undefined;
  let db: Promise<Database> | undefined;
  let inspector: Promise<Inspector> | undefined;
  const find = () => {
    url = databaseUrl(named['database-url']);
    return url;
  };
  const context: Context = {
    ...output,
    async openDatabase() {
      db ??= databaseAt(find());
      return await db;
    },
    databaseUrl: find,
    async openInspector() {
      inspector ??= inspectorAt(redisUrl(named));
      return await inspector;
    },
    openAdmin: (stopped) => openAdminApi(adminAccess(named), stopped),
    consoleOrigin: (given) => consoleOrigin(named, given),
    apiAccess: (given) => apiAccess(named, given),
    dataFolders: () => dataFolders(named),
    serviceUrls: () => serviceUrls(named),
    providerEnvironment: () => providerEnvironment(named),
  };
  async function close() {
    await (await inspector?.catch(() => undefined))?.close();
    await (await db?.catch(() => undefined))?.close();
  }
  return { context, url: () => url, close };
}

async function databaseAt(url: string): Promise<Database> {
  const { openDatabase } = await import('@holdfast/db/client');
  return openDatabase({ url, poolSize: 1, applicationName: 'holdfast-cli', acceptsReadOnly: true });
}

async function inspectorAt(url: string): Promise<Inspector> {
  const { openInspector } = await import('@holdfast/queues/inspector');
  return await openInspector(url).catch((error: unknown) => {
    throw new Error(`Redis does not respond: ${reasonOf(error)}`, { cause: error });
  });
}

/** Runs a command that changes something, and records it in the audit log first. */
async function runRecorded(
  command: Command,
  run: RunCommand,
  args: string[],
  context: Context,
): Promise<number> {
  const written = await writable(context);
  // Wrong arguments are reported first.
  if ('reason' in written) return await run(args, readOnly(context, written.reason));
  const { recorded } = await import('./actions/record.ts');
  const by = { db: written.db, name: command.name, args, report: context.report };
  return await recorded(by, () => run(args, context));
}

/** The database to record a change in, or why there is none. */
async function writable({ openDatabase }: Context): Promise<{ db: Database } | { reason: unknown }> {
  try {
    return { db: await openDatabase() };
  } catch (reason) {
    return { reason };
  }
}

/** A context in which nothing can be changed, for that reason. */
function readOnly(context: Context, reason: unknown): Context {
  const refuse = () => {
    throw reason;
  };
  return { ...context, openDatabase: refuse, databaseUrl: refuse, openInspector: refuse };
}

/** Explains responses of another version. */
function reasonFor(error: unknown): string {
  if (!(error instanceof ZodError)) return reasonOf(error);
  const [first] = error.issues;
  return `this version can't read the response (${first?.path.join('.')}: ${first?.message}): are both of the same version?`;
}

/** The location of the database that made the error, without its credentials; files and other servers are named in theirs. */
async function placeOf(error: unknown, url: string | undefined): Promise<string> {
  if (url === undefined) return '';
  const { isOfDatabase } = await import('@holdfast/db/faults');
  if (!isOfDatabase(error)) return '';
  const servers = databaseServers(url).map((server) => new URL(server));
  const hosts = servers.map(({ host }) => host || 'this machine').join(', ');
  return ` (the database ${servers[0]?.pathname.slice(1)} at ${hosts})`;
}

function withoutPassword(text: string, url: string | undefined): string {
  const { password } = url === undefined ? { password: '' } : new URL(databaseServers(url)[0] ?? url);
  if (password === '') return text;
  return [password, decodeURIComponent(password)].reduce(
    (left, secret) => left.replaceAll(secret, '***'),
    text,
  );
}
