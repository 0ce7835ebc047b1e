// `holdfast`: what an operator asks of the database, and does to it.
import { runCli } from './cli.ts';

process.exitCode = await runCli(process.argv.slice(2), {
  say: (line) => process.stdout.write(`${line}\n`),
  tell: (line) => process.stderr.write(`${line}\n`),
});
