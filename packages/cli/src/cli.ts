import { UnknownFlagError, UsageError } from '@holdfast/kit/flags';
import type { Command } from './command.ts';
import { commands } from './commands.ts';
import { exitCodes } from './errors.ts';
import { takeCommonFlags } from './flags.ts';
import { helpOf } from './help.ts';
import type { Output } from './invocation.ts';
import { unknownCommand, withSuggestion } from './suggestions.ts';

export async function runCli(args: string[], output: Output): Promise<number> {
  let topic = 'holdfast';
  try {
    const { rest, help, named } = takeCommonFlags(args[0] === 'help' ? ['--help', ...args.slice(1)] : args);
    const command = commandOf(rest);
    topic = `holdfast ${command?.name ?? groupNamed(rest) ?? ''}`.trim();
    if (help || rest.length === 0) {
      (help ? output.print : output.report)(helpOf(command && rest.length > 1 ? [command] : groupOf(rest)));
      return help ? 0 : exitCodes.wrongArguments;
    }
    if (!command) throw new UsageError(unknownCommand(rest));
    const { runCommand } = await import('./invocation.ts');
    return await runCommand(command, rest.slice(wordsOf(command).length), named, output).catch(
      (error: unknown) => {
        throw error instanceof UnknownFlagError ? withSuggestion(error, command) : error;
      },
    );
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    const end = error.message.endsWith('?') ? '' : '.';
    output.report(`holdfast: ${error.message}${end} See ${topic} --help.`);
    return exitCodes.wrongArguments;
  }
}

const wordsOf = ({ name }: Command) => name.split(' ');

/** `queues failed` is found before `queues`; `queues faild` is not `queues` with an operand. */
function commandOf(args: string[]): Command | undefined {
  const named = commands.filter((command) => startsWith(args, wordsOf(command)));
  const [command, ...shorter] = named.toSorted((a, b) => b.name.length - a.name.length);
  if (command === undefined || shorter.length > 0) return command;
  const isGroup = commands.some(({ name }) => name.startsWith(`${command.name} `));
  const next = args[wordsOf(command).length] ?? '-';
  return isGroup && !next.startsWith('-') ? undefined : command;
}

const startsWith = (args: string[], words: string[]) => words.every((word, index) => args[index] === word);

const isIn = (group: string | undefined) => (command: Command) => wordsOf(command)[0] === group;

const groupNamed = ([group]: string[]) => (commands.some(isIn(group)) ? group : undefined);

/** The commands of a group (`org`), all of them when there is no such group. */
function groupOf(args: string[]): readonly Command[] {
  const group = groupNamed(args);
  return group === undefined ? commands : commands.filter(isIn(group));
}
