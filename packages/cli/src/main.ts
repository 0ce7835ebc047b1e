// `holdfast`: what an operator asks of the database, and does to it.
import { runCli } from './cli.ts';

// Whoever reads the output may have enough of it, as `head` does: what was begun is ended, and the exit code is true.
const unheard = new AbortController();
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    if (stream === process.stdout) unheard.abort();
  });
}

process.exitCode = await runCli(process.argv.slice(2), {
  say: (line) => process.stdout.write(`${line}\n`),
  tell: (line) => process.stderr.write(`${line}\n`),
  unheard: unheard.signal,
  width: process.stdout.isTTY ? process.stdout.columns : null,
});
