import type { Command } from './command.ts';

const common = `Every command takes:
  --database-url URL  the database; else DATABASE_URL, else that of the npm start that runs in this folder
  -h, --help          this text, or that of one command

Exit codes: 0 done, 1 something is wrong, 2 wrong arguments, 3 it could not be run.`;

/** Of every command, or of one. */
export function helpOf(commands: readonly Command[]): string {
  const parts = commands.map(({ about, usage }) => `${indented(usage, 2)}\n${indented(about, 6)}`);
  return ['Usage: holdfast <command> [flags]', ...parts, common].join('\n\n');
}

const indented = (text: string, spaces: number) => text.replaceAll(/^/gm, ' '.repeat(spaces));
