import { runCli } from './cli.ts';
import { terminalWidth } from './output/width.ts';

// The reader of the output may close it early, as `head` does: the command still ends properly, with its own exit code.
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
  width: terminalWidth(process.stdout),
});
