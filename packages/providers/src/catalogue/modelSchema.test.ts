import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { Ajv } from 'ajv';
import { parse } from 'yaml';
import { keysAt, modelSchema } from './modelSchema.ts';
import { parseModel } from './parseModel.ts';

const root = resolve(import.meta.dirname, '../../../..');
const catalogue = join(root, 'models');
const files = ['.', 'examples'].flatMap((folder) =>
  readdirSync(join(catalogue, folder))
    .filter((name) => name.endsWith('.yaml'))
    .map((name) => join(folder, name)),
);

describe('the JSON Schema of a model', () => {
  const validate = new Ajv({ strict: false, validateFormats: false }).compile(modelSchema());

  it.each(files)('accepts %s', (file) => {
    validate(parse(readFileSync(join(catalogue, file), 'utf8')));
    expect(validate.errors).toBeNull();
  });

  it('refuses an unknown key, and a file without a provider', () => {
    const model = {
      slug: 'a',
      input_schema: { type: 'object' },
      price: { per_run: '1' },
      output: { kind: 'raw' },
    };
    const provider = { adapter: 'cog', connection: 'c', model: 'm' };
    expect(validate({ ...model, provider })).toBe(true);
    expect(validate(model)).toBe(false);
    expect(validate({ ...model, provider, providers: [provider] })).toBe(false);
    expect(validate({ ...model, provider: { ...provider, wieght: 1 } })).toBe(false);
  });

  it('knows the options of each adapter', () => {
    const model = {
      slug: 'a',
      input_schema: { type: 'object' },
      price: { per_run: '1' },
      output: { kind: 'raw' },
    };
    const route = (options: object) => ({
      ...model,
      provider: { adapter: 'http', connection: 'c', model: 'm', options },
    });
    expect(validate(route({ path: '/x', body: { a: [1] }, poll: { every_s: 1 } }))).toBe(true);
    expect(validate(route({ path: '/x', poll: { evry_s: 1 } }))).toBe(false);
    expect(validate(route({ path: '/x', response_as: 'pictures' }))).toBe(false);
    expect(
      validate({
        ...route({ anything: 1 }),
        provider: undefined,
        providers: [route({ endpoint: 'x' }).provider],
      }),
    ).toBe(false);
  });

  it('lists the keys of a place', () => {
    expect(keysAt(['providers', 0, 'files'])).toEqual(['as', 'url_lifetime_s', 'max_bytes']);
    expect(keysAt(['estimate', 'seconds'])).toEqual(['input', 'default']);
    expect(keysAt(['input_schema', 'properties'])).toEqual([]);
  });
});

it('accepts the model in docs/models.md', () => {
  const page = readFileSync(join(root, 'docs/models.md'), 'utf8');
  const [, yaml = ''] = /^```yaml\n(.*?)^```$/ms.exec(page) ?? [];
  const { definition, problems } = parseModel('models.md', yaml);
  expect(problems).toEqual([]);
  expect(definition?.slug).toBe('flux-fast');
});
