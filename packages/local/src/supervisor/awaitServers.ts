// Preloaded into every service: loads its modules while the launcher starts the servers, and waits until they run.
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

process.channel?.ref();
const running = once(process, 'message');
const modules = join(dirname(process.argv[1] ?? ''), 'start.ts');
if (existsSync(modules)) await import(modules);
await running;
process.channel?.unref();
