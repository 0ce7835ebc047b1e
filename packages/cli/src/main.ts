// `holdfast`: what an operator asks of the database, and does to it.
import { commands } from './commands.ts';
import { readConfig } from './config.ts';
import { runCli } from './runCli.ts';

// Whoever reads may stop reading, as `head` does.
process.stdout.on('error', () => process.exit(1));

process.exitCode = await runCli(process.argv.slice(2), {
  commands,
  config: readConfig(),
  say: (line) => process.stdout.write(`${line}\n`),
  tell: (line) => process.stderr.write(`${line}\n`),
});
