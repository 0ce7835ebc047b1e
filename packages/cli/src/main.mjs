// `holdfast`: the operator's command line. JavaScript, as Node needs 0.07 s to load its compiler for a single TypeScript file.
import { enableCompileCache } from 'node:module';
import { resolve } from 'node:path';

// Without a writable folder nothing is cached.
enableCompileCache(resolve(import.meta.dirname, '../../../node_modules/.cache/holdfast'));
const { runCli } = await import('./cli.ts');
const { openTerminal } = await import('./terminal.ts');
process.exitCode = await runCli(process.argv.slice(2), openTerminal());
