import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { sourcePaths } from './sourceFiles.ts';

const root = resolve(import.meta.dirname, '../..');
const page = join(root, 'docs/contract.md');
const text = readFileSync(page, 'utf8');

const rules = [...text.matchAll(/^\| (\d+)\.(\d+) \| (.+) \| (.+) \|$/gm)].map(
  ([, section, rule, , tests = '']) => ({
    section: Number(section),
    rule: Number(rule),
    tests: [...tests.matchAll(/\[(\w+)\]/g)].map(([, name = '']) => name),
  }),
);
const files = new Map(
  [...text.matchAll(/^\[(\w+)\]: (\S+)$/gm)].map(([, name = '', path = '']) => [name, path]),
);

/** A citation is `contract 8.2`, or a list: `contract 8.2, 8.3 and 9`. */
function citedRules(source: string): string[] {
  const citations = source.matchAll(/\bcontract \(?(\d+(?:\.\d+)?(?:(?:, | and )\d+(?:\.\d+)?)*)/gi);
  return [...citations].flatMap(([, numbers = '']) => numbers.split(/, | and /));
}

describe('the contract', () => {
  it('numbers its rules one after another', () => {
    expect(rules.length).toBeGreaterThan(50);
    for (const [index, { section, rule }] of rules.entries()) {
      const before = rules[index - 1] ?? { section: 0, rule: 0 };
      const next = section === before.section ? before.rule + 1 : 1;
      expect([section, rule]).toEqual([rule === 1 ? before.section + 1 : before.section, next]);
    }
  });

  it('names for every rule a test that exists', () => {
    const untested = rules.filter(
      ({ tests }) => tests.length === 0 || !tests.every((name) => files.has(name)),
    );
    expect(untested).toEqual([]);
    const missing = [...files.values()].filter(
      (path) => !path.endsWith('.test.ts') || !existsSync(join(dirname(page), path)),
    );
    expect(missing).toEqual([]);
  });

  it('has each rule that a comment cites', () => {
    const known = new Set(rules.flatMap(({ section, rule }) => [String(section), `${section}.${rule}`]));
    const unknown = sourcePaths(root).flatMap((path) =>
      citedRules(readFileSync(join(root, path), 'utf8'))
        .filter((rule) => !known.has(rule))
        .map((rule) => `${path} cites ${rule}`),
    );
    expect(unknown).toEqual([]);
  });

  it('is cited by its numbers', () => {
    expect(citedRules('Contract 8.2: a list. The contract (2.8, 5.1 and 9) has 3')).toEqual([
      '8.2',
      '2.8',
      '5.1',
      '9',
    ]);
  });
});
