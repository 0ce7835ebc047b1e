// `holdfast`: the operator's command line.
import { enableCompileCache } from 'node:module';
import { resolve } from 'node:path';

// Before anything else is loaded: a command costs more to compile than to run. Without a writable folder nothing is kept.
enableCompileCache(resolve(import.meta.dirname, '../../../node_modules/.cache/holdfast'));
const { runCli } = await import('./cli.ts');
const { terminalWidth } = await import('./output/width.ts');

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
