// `holdfast`: the operator's command line. JavaScript: to remove the types of a single file Node loads a compiler, for 0.1 s.
import { enableCompileCache } from 'node:module';
import { resolve } from 'node:path';

// Without a writable folder nothing is cached.
enableCompileCache(resolve(import.meta.dirname, '../../../node_modules/.cache/holdfast'));
await import('./run.ts');
