import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { fragmentsIn } from './comments.ts';
import { sourcePaths } from './sourceFiles.ts';

const root = resolve(import.meta.dirname, '../..');

describe('comments', () => {
  it('are sentences with a subject and a verb, or units', () => {
    const paths = sourcePaths(root).filter((path) => !/^scripts\/fences\/|\/generated\//.test(path));
    const found = paths.flatMap((path) =>
      fragmentsIn(readFileSync(join(root, path), 'utf8')).map((text) => `${path}: ${text}`),
    );
    expect(paths.length).toBeGreaterThan(1000);
    expect(found).toEqual([]);
  });

  it.each([
    '/** Of the run. */',
    '  /** Ends a batch. Of an erased one nothing is kept. */',
    '/**\n * The first,\n * without those that are null.\n */',
    '{/* So long a name is cut. */}',
    '  // So that\n  // no row is lost.',
    '// A write is retried for so long.',
    '/** the length in bytes */',
  ])('are fragments: %j', (source) => {
    expect(fragmentsIn(source)).toHaveLength(1);
  });

  it.each([
    '/** Milliseconds. */',
    '/** redis-cli accepts no URL without a user name. */',
    '/** `id` is an execution. Most of them end. */',
    '// A name: so that no row is lost, it is unique.',
    "const pattern = 'packages/*/src/**/*.ts'; // those that",
    "const text = 'So many hints';",
  ])('are no fragments: %j', (source) => {
    expect(fragmentsIn(source)).toEqual([]);
  });
});
