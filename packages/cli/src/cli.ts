import { type Database, openDatabase } from '@holdfast/db/client';
import { reasonOf } from '@holdfast/kit/reason';
import { type Inspector, openInspector } from '@holdfast/queues/inspector';
import { ZodError } from 'zod';
import { recorded } from './actions/record.ts';
import { openAdminApi } from './admin/api.ts';
import { RefusedError } from './admin/refusedError.ts';
import type { Command, Context } from './command.ts';
import { commands } from './commands.ts';
import { adminAccess, databaseUrl, providerEnvironment, redisUrl, serviceUrls } from './config.ts';
import { exitCodes } from './exitCodes.ts';
import { type Named, takeCommonFlags } from './flags.ts';
import { helpOf } from './help.ts';
import { UsageError } from './usageError.ts';

type Output = Pick<Context, 'say' | 'tell' | 'unheard' | 'width'>;

/** Runs what the arguments ask for, and answers the exit code. */
export async function runCli(args: string[], output: Output): Promise<number> {
  try {
    const { rest, help, named } = takeCommonFlags(args);
    const command = commandOf(rest);
    if (help || rest.length === 0) {
      (help ? output.say : output.tell)(helpOf(command && rest.length > 1 ? [command] : groupOf(rest)));
      return help ? 0 : exitCodes.wrongArguments;
    }
    if (!command) throw new UsageError(`there is no command "${rest.join(' ')}"${takesOf(rest)}`);
    return await runCommand(command, rest.slice(command.name.split(' ').length), named, output);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    output.tell(`holdfast: ${error.message}. See holdfast --help.`);
    return exitCodes.wrongArguments;
  }
}

/** `queues failed` goes before `queues`. */
function commandOf(args: string[]): Command | undefined {
  const named = commands.filter(({ name }) => startsWith(args, name.split(' ')));
  return named.toSorted((a, b) => b.name.length - a.name.length)[0];
}

const startsWith = (args: string[], words: string[]) => words.every((word, index) => args[index] === word);

/** The commands of a group (`org`), all of them when there is no such group. */
function groupOf([group]: string[]): readonly Command[] {
  const some = commands.filter(({ name }) => name.split(' ')[0] === group);
  return some.length > 0 ? some : commands;
}

function takesOf([group]: string[]): string {
  const words = commands.map(({ name }) => name.split(' ')).filter(([first]) => first === group);
  const seconds = words.flatMap(([, second]) => second ?? []);
  return seconds.length === 0 ? '' : `: ${group} takes ${seconds.join(', ')}`;
}

async function runCommand(command: Command, args: string[], named: Named, output: Output): Promise<number> {
  let url: string | undefined;
  let db: Database | undefined;
  let inspector: Inspector | undefined;
  const find = () => {
    url = databaseUrl(named['database-url']);
    return url;
  };
  const open = () => {
    db ??= openDatabase({ url: find(), poolSize: 1, applicationName: 'holdfast-cli' });
    return db;
  };
  const context: Context = {
    ...output,
    openDatabase: open,
    databaseUrl: find,
    async openInspector() {
      inspector ??= await openInspector(redisUrl(named)).catch((error: unknown) => {
        throw new Error(`Redis does not let itself be asked: ${reasonOf(error)}`, { cause: error });
      });
      return inspector;
    },
    openAdmin: (stopped) => openAdminApi(adminAccess(named), stopped),
    serviceUrls: () => serviceUrls(named),
    providerEnvironment: () => providerEnvironment(named),
  };
  try {
    if (!command.changes?.(args)) return await command.run(args, context);
    const written = writable(open);
    // Arguments that can't be read are told first.
    if ('reason' in written) return await command.run(args, idle(context, written.reason));
    const by = { db: written.db, name: command.name, args, tell: output.tell };
    return await recorded(by, () => command.run(args, context));
  } catch (error) {
    if (error instanceof UsageError) throw error;
    if (error instanceof RefusedError) {
      output.tell(`holdfast: ${command.name} was refused: ${error.message}`);
      return exitCodes.wrong;
    }
    output.tell(`holdfast: ${command.name} could not be run: ${withoutPassword(told(error), url)}${at(url)}`);
    return exitCodes.notRun;
  } finally {
    await inspector?.close();
    await db?.close();
  }
}

/** What was answered may be of another version than this one reads. */
function told(error: unknown): string {
  if (!(error instanceof ZodError)) return reasonOf(error);
  const [first] = error.issues;
  return `what was answered is not as this version reads it (${first?.path.join('.')}: ${first?.message}): are both of one version?`;
}

/** The database that a change is written down in, or why there is none. */
function writable(open: () => Database): { db: Database } | { reason: unknown } {
  try {
    return { db: open() };
  } catch (reason) {
    return { reason };
  }
}

/** In which nothing can be changed, for that reason. */
function idle(context: Context, reason: unknown): Context {
  const refuse = () => {
    throw reason;
  };
  return { ...context, openDatabase: refuse, databaseUrl: refuse, openInspector: async () => refuse() };
}

/** Where a database is, without who logs in. */
function at(url: string | undefined): string {
  if (url === undefined) return '';
  const { host, pathname } = new URL(url);
  return ` (the database ${pathname.slice(1)} at ${host || 'this machine'})`;
}

function withoutPassword(text: string, url: string | undefined): string {
  const { password } = url === undefined ? { password: '' } : new URL(url);
  if (password === '') return text;
  return [password, decodeURIComponent(password)].reduce(
    (left, secret) => left.replaceAll(secret, '***'),
    text,
  );
}
