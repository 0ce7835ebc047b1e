import { expect, it } from '@jest/globals';
import { checkModel } from './checkModel.ts';

const yaml = `# ours
slug: good
provider: { adapter: cog, connection: gpu, model: m } # the small one
input_schema: { type: object, properties: { seed: { type: integer, maximum: 18446744073709551615 } } }
price: { per_run: "0.01" }
output: { kind: text }
`;

const gpu = { baseUrl: 'http://gpu', apiKey: null, settings: {} };
const check = (text: string, active: boolean | null = null, connections = { gpu }) =>
  checkModel(connections, { yaml: text, active });

it('reports problems with their lines, and no definition', () => {
  expect(check(yaml.replace('"0.01"', '0.01').concat('timeout: 5\n'))).toMatchObject({
    slug: 'good',
    definition: null,
    isOffered: false,
    problems: [
      { line: 5, message: expect.stringContaining('price.per_run: must be a decimal in quotes') },
      { line: 7, message: 'timeout: is not known here; is "timeout_s" meant?' },
    ],
  });
  expect(check('slug: [\n').problems).toMatchObject([{ line: 2 }]);
});

it('names the settings without which a model is not offered', () => {
  expect(check(yaml)).toMatchObject({ isOffered: true, missing: null, problems: [], yaml });
  expect(checkModel({}, { yaml, active: null })).toMatchObject({
    isOffered: false,
    missing: 'GPU_BASE_URL is not set',
  });
});

it('switches a model off and on in its text, which keeps comments and long numbers', () => {
  const off = check(yaml, false);
  expect([off.isOffered, off.yaml]).toEqual([false, `${yaml}active: false\n`]);
  const on = check(off.yaml, true);
  expect([on.isOffered, on.yaml]).toEqual([true, `${yaml}active: true\n`]);
});
