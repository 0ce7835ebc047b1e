import type { Command } from './command.ts';

/** The flags that every command takes. */
export const commonFlags = [
  ['--database-url URL', 'the database; default DATABASE_URL, else that of npm start in this folder'],
  ['--redis-url URL', 'Redis; default REDIS_URL, else that of npm start, unless another database is named'],
  [
    '--admin-url URL',
    'the admin API; default HOLDFAST_ADMIN_URL, else that of npm start, unless another database is named',
  ],
  [
    '--admin-token TOKEN',
    'its token; default ADMIN_TOKEN (safer, because process lists show flags), else that of npm start',
  ],
  ['-h, --help', 'print this help, or the help of one command'],
] as const;

export const exitCodesText =
  'Exit codes: 0 done, 1 something is wrong or was refused, 2 wrong arguments, 3 the command could not run, 4 its output could not be written.';

/** The help of these commands; a single command is shown with its examples. */
export function helpOf(commands: readonly Command[]): string {
  const parts = commands.map(({ about, usage }) => `${indented(usage, 2)}\n${indented(about, 6)}`);
  const [only, ...others] = commands;
  const examples = others.length === 0 && only?.examples ? [`Examples:\n${indented(only.examples, 2)}`] : [];
  const flags = commonFlags.map(([flag, about]) => `  ${flag.padEnd(21)}${about}`);
  const common = `Every command takes:\n${flags.join('\n')}\n\n${exitCodesText}`;
  return ['Usage: holdfast <command> [flags]', ...parts, ...examples, common].join('\n\n');
}

const indented = (text: string, spaces: number) => text.replaceAll(/^/gm, ' '.repeat(spaces));
