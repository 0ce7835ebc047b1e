import { type Database, openDatabase } from '@holdfast/db/client';
import { reasonOf } from '@holdfast/kit/reason';
import type { Command, Context } from './command.ts';
import { commands } from './commands.ts';
import { databaseUrl, providerEnvironment } from './config.ts';
import { exitCodes } from './exitCodes.ts';
import { takeCommonFlags } from './flags.ts';
import { helpOf } from './help.ts';
import { UsageError } from './usageError.ts';

type Output = Pick<Context, 'say' | 'tell'>;

/** Runs what the arguments ask for, and answers the exit code. */
export async function runCli(args: string[], output: Output): Promise<number> {
  try {
    const { rest, help, databaseUrl: url } = takeCommonFlags(args);
    const command = commands.find(({ name }) => startsWith(rest, name.split(' ')));
    if (help || rest.length === 0) {
      (help ? output.say : output.tell)(helpOf(command ? [command] : commands));
      return help ? 0 : exitCodes.wrongArguments;
    }
    if (!command) throw new UsageError(`there is no command "${rest.join(' ')}"`);
    return await runCommand(command, rest.slice(command.name.split(' ').length), url, output);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    output.tell(`holdfast: ${error.message}. See holdfast --help.`);
    return exitCodes.wrongArguments;
  }
}

const startsWith = (args: string[], words: string[]) => words.every((word, index) => args[index] === word);

async function runCommand(
  command: Command,
  args: string[],
  named: string | undefined,
  output: Output,
): Promise<number> {
  let url: string | undefined;
  let db: Database | undefined;
  const open = () => {
    url = databaseUrl(named);
    db ??= openDatabase({ url, poolSize: 1, applicationName: 'holdfast-cli' });
    return db;
  };
  try {
    return await command.run(args, {
      ...output,
      openDatabase: open,
      providerEnvironment: () => providerEnvironment(named),
    });
  } catch (error) {
    if (error instanceof UsageError) throw error;
    output.tell(
      `holdfast: ${command.name} could not be run: ${withoutPassword(reasonOf(error), url)}${at(url)}`,
    );
    return exitCodes.notRun;
  } finally {
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
