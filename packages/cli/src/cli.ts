import type { Command } from './command.ts';
import { commands } from './commands.ts';
import { placesOf } from './completion/words.ts';
import { exitCodes } from './exitCodes.ts';
import { takeCommonFlags } from './flags.ts';
import { helpOf } from './help.ts';
import type { Output } from './invocation.ts';
import { closestTo } from './suggestion.ts';
import { UnknownFlagError, UsageError } from './usageError.ts';

/** Runs the command that the arguments name, and returns the exit code. */
export async function runCli(args: string[], output: Output): Promise<number> {
  try {
    const { rest, help, named } = takeCommonFlags(args);
    const command = commandOf(rest);
    if (help || rest.length === 0) {
      (help ? output.say : output.tell)(helpOf(command && rest.length > 1 ? [command] : groupOf(rest)));
      return help ? 0 : exitCodes.wrongArguments;
    }
    if (!command) throw new UsageError(`there is no command "${rest.join(' ')}"${meantBy(rest)}`);
    const { runCommand } = await import('./invocation.ts');
    return await runCommand(command, rest.slice(wordsOf(command).length), named, output).catch(
      (error: unknown) => {
        throw error instanceof UnknownFlagError ? withSuggestion(error, command) : error;
      },
    );
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    output.tell(`holdfast: ${error.message}. See holdfast --help.`);
    return exitCodes.wrongArguments;
  }
}

const wordsOf = ({ name }: Command) => name.split(' ');

/** `queues failed` goes before `queues`, and nothing else may stand there: `queues faild` is none. */
function commandOf(args: string[]): Command | undefined {
  const named = commands.filter((command) => startsWith(args, wordsOf(command)));
  const [command, ...shorter] = named.toSorted((a, b) => b.name.length - a.name.length);
  if (command === undefined || shorter.length > 0) return command;
  const isGroup = commands.some(({ name }) => name.startsWith(`${command.name} `));
  const next = args[wordsOf(command).length] ?? '-';
  return isGroup && !next.startsWith('-') ? undefined : command;
}

const startsWith = (args: string[], words: string[]) => words.every((word, index) => args[index] === word);

/** The commands of a group (`org`), all of them when there is no such group. */
function groupOf([group]: string[]): readonly Command[] {
  const some = commands.filter((command) => wordsOf(command)[0] === group);
  return some.length > 0 ? some : commands;
}

/** The command that was probably meant, or the commands of the group that was. */
function meantBy(args: string[]): string {
  const words = args.filter((arg) => !arg.startsWith('-'));
  const names = commands.map(({ name }) => name);
  const groups = [...new Set(names.map((name) => name.split(' ')[0] ?? ''))];
  const meant =
    closestTo(words.slice(0, 2).join(' '), names) ?? closestTo(words[0] ?? '', [...groups, ...names]);
  if (meant === null) return '';
  const ask = meant === words[0] ? '' : `: did you mean holdfast ${meant}?`;
  if (names.includes(meant)) return ask;
  const seconds = groupOf([meant]).flatMap((command) => wordsOf(command)[1] ?? []);
  return `${ask || ':'} ${meant} takes ${seconds.join(', ')}`;
}

function withSuggestion({ flag, message }: UnknownFlagError, command: Command): UsageError {
  const flags = placesOf([command]).flatMap((place) => place.flags.map(({ name }) => name));
  const meant = closestTo(flag, flags);
  return new UsageError(
    `${message} of holdfast ${command.name}${meant === null ? '' : `: did you mean ${meant}?`}`,
  );
}
