import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { isOffered, loadModels } from './loadModels.ts';

const good = `slug: good
provider: { adapter: cog, connection: gpu, model: m }
input_schema: { type: object }
price: { per_run: "0.01" }
output: { kind: text }
`;

const connection = { baseUrl: 'http://gpu', apiKey: null, settings: {} };

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'models-'));
});

afterEach(() => rm(folder, { recursive: true }));

async function problemsOf(files: Record<string, string>): Promise<string> {
  await Promise.all(Object.entries(files).map(([name, text]) => writeFile(join(folder, name), text)));
  return loadModels(folder).then(
    () => '',
    (error: Error) => error.message,
  );
}

describe('loadModels', () => {
  it('names a folder that does not exist', async () => {
    const missing = join(folder, 'missing');
    await expect(loadModels(missing)).rejects.toThrow(
      `the folder of models ${missing} can't be read (ENOENT)`,
    );
  });

  it('reads a model and fills in the defaults', async () => {
    await writeFile(join(folder, 'good.yaml'), good);
    await writeFile(join(folder, 'README.md'), 'not a model');
    const { models, texts } = await loadModels(folder);
    const [model, ...others] = models;
    expect([...texts]).toEqual([['good', good]]);
    expect(others).toEqual([]);
    expect(model).toMatchObject({
      slug: 'good',
      timeout_s: 600,
      active: true,
      providers: [{ mode: 'callback' }],
    });
  });

  it('reports file, line and place of every problem at once', async () => {
    const message = await problemsOf({
      'a.yaml': good.replace('per_run: "0.01"', 'per_run: 0.01').concat('timeout_s: 5\n'),
      'b.yaml': 'slug: [\n',
      'c.yaml': good.replace('{ type: object }', '{ type: object, properties: { a: { type: strin } } }'),
      'd.yaml': good,
      'e.yaml': good,
    });
    expect(message).toContain('a.yaml:4: price.per_run:');
    expect(message).toContain('a.yaml:6: timeout_s:');
    expect(message).toMatch(/b\.yaml:\d+: /);
    expect(message).toContain('c.yaml:3: input_schema.properties.a.type:');
    expect(message).toContain('e.yaml: slug: good is taken by a.yaml');
  });

  it('refuses a model without a price', async () => {
    expect(await problemsOf({ 'a.yaml': good.replace('per_run: "0.01"', '') })).toContain(
      'a.yaml:4: price: must name at least one price',
    );
  });

  it('refuses an error rule with an invalid pattern or an unknown code', async () => {
    const rules = 'errors:\n  - { match: "(", code: GENERATION_FAILED }\n  - { match: x, code: NOPE }\n';
    const message = await problemsOf({ 'a.yaml': good + rules });
    expect(message).toContain(
      'a.yaml:7: errors.0.match: must be a regular expression that RE2 runs: pattern "("',
    );
    expect(message).toContain('a.yaml:8: errors.1.code:');
  });

  it('offers a model only where its connection is configured', async () => {
    await writeFile(join(folder, 'good.yaml'), good);
    const [model] = (await loadModels(folder)).models;
    if (model === undefined) throw new Error('no model');
    expect(isOffered(model, { gpu: connection })).toBe(true);
    expect(isOffered(model, { other: connection })).toBe(false);
    expect(isOffered({ ...model, active: false }, { gpu: connection })).toBe(false);
  });
});

describe('the catalogue in models/', () => {
  it('is valid', async () => {
    const { models } = await loadModels(fileURLToPath(new URL('../../../../models', import.meta.url)));
    expect(models.map(({ slug }) => slug)).toEqual(
      expect.arrayContaining(['sandbox-text', 'sandbox-image', 'image-transform']),
    );
    const without = models.filter(({ input_schema: schema }) => !Array.isArray(schema['examples']));
    expect(without.map(({ slug }) => slug)).toEqual([]);
  });
});
