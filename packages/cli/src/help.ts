import type { Command } from './command.ts';

const common = `  --database-url URL   the database; else DATABASE_URL of the environment, else that of the npm start that runs here
  -h, --help           this text, or that of a command`;

export function helpOf(commands: readonly Command[]): string {
  const width = Math.max(...commands.map(({ name }) => name.length));
  const lines = commands.map(({ name, about }) => `  ${name.padEnd(width)}   ${about}`);
  return ['Usage: holdfast <command> [flags]', '', ...lines, '', common].join('\n');
}

export const helpOfCommand = ({ about, usage }: Command) => [about, '', usage, '', common].join('\n');
