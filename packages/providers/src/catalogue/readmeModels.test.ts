import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from '@jest/globals';
import { parseModel } from './parseModel.ts';

const adapters = resolve(import.meta.dirname, '..');

it.each(['openai', 'cog', 'replicate', 'fal', 'http'])(
  'the model in the README of %s is valid',
  (adapter) => {
    const readme = readFileSync(join(adapters, adapter, 'README.md'), 'utf8');
    const [, yaml = ''] = /^```yaml\n(.*?)^```$/ms.exec(readme) ?? [];
    const { definition, problems } = parseModel('README.md', yaml);
    expect(problems).toEqual([]);
    expect(definition?.providers[0]?.adapter).toBe(adapter);
    expect(Object.keys(definition?.limits ?? {})).not.toEqual([]);
    expect(readme).toContain('_MAX_CONCURRENCY');
  },
);
