import { type Database, openDatabase } from '@holdfast/db/client';
import { reasonOf } from '@holdfast/kit/reason';
import { type Inspector, openInspector } from '@holdfast/queues/inspector';
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

type Output = Pick<Context, 'say' | 'tell' | 'width'>;

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
      inspector ??= await openInspector(redisUrl(named));
      return inspector;
    },
    openAdmin: () => openAdminApi(adminAccess(named)),
    serviceUrls: () => serviceUrls(named),
    providerEnvironment: () => providerEnvironment(named),
  };
  try {
    const run = () => command.run(args, context);
    if (!command.changes?.(args)) return await run();
    return await recorded({ db: open(), name: command.name, args, tell: output.tell }, run);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    if (error instanceof RefusedError) {
      output.tell(`holdfast: ${command.name} was refused: ${error.message}`);
      return exitCodes.wrong;
    }
    output.tell(
      `holdfast: ${command.name} could not be run: ${withoutPassword(reasonOf(error), url)}${at(url)}`,
    );
    return exitCodes.notRun;
  } finally {
    await inspector?.close();
    await db?.close();
  }
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
