import { type Database, openDatabase } from '@holdfast/db/client';
import { readArguments } from './arguments.ts';
import type { Command } from './command.ts';
import type { CliConfig } from './config.ts';
import { findDatabase, NoDatabaseError, type Target } from './databaseUrl.ts';
import { exitCodes } from './exitCodes.ts';
import { explain } from './explain.ts';
import { helpOf, helpOfCommand } from './help.ts';
import { isUsageError, UsageError } from './usageError.ts';

type Surroundings = {
  commands: readonly Command[];
  config: CliConfig;
  say(line: string): void;
  tell(line: string): void;
};

/** Runs what the arguments say, and answers the exit code. Whatever fails is told in one line. */
export async function runCli(argv: string[], around: Surroundings): Promise<number> {
  try {
    const { help, databaseUrl, rest } = readArguments(argv);
    const command = findCommand(around.commands, rest);
    if (help || rest.length === 0) {
      around.say(command ? helpOfCommand(command) : helpOf(around.commands));
      return help ? exitCodes.fine : exitCodes.usage;
    }
    if (!command) throw new UsageError(`there is no command "${rest.join(' ')}"`);
    const args = rest.slice(command.name.split(' ').length);
    return await withDatabase(databaseUrl, around, (database) => command.run(args, { ...around, database }));
  } catch (error) {
    const isTheirs = isUsageError(error);
    const said = error instanceof Error ? error.message : String(error);
    // Of what parseArgs says the rest is advice on how to quote.
    around.tell(`holdfast: ${isTheirs ? `${said.split('. ')[0]}; see holdfast --help` : said}`);
    return isTheirs ? exitCodes.usage : exitCodes.failed;
  }
}

function findCommand(commands: readonly Command[], args: string[]): Command | undefined {
  return commands.find(({ name }) => name.split(' ').every((word, index) => args[index] === word));
}

/** Lets `work` open the database at most once, and closes it. @throws NoDatabaseError when it could not be used */
async function withDatabase(
  flag: string | null,
  { config }: Surroundings,
  work: (database: () => Database) => Promise<number>,
): Promise<number> {
  let opened: { target: Target; db: Database } | undefined;
  const open = () => {
    const target = findDatabase(flag, config);
    return { target, db: openDatabase({ url: target.url, poolSize: 2, applicationName: 'holdfast' }) };
  };
  try {
    return await work(() => {
      opened ??= open();
      return opened.db;
    });
  } catch (error) {
    if (opened === undefined || isUsageError(error)) throw error;
    throw new NoDatabaseError(explain(error, opened.target.name), { cause: error });
  } finally {
    await opened?.db.close();
  }
}
