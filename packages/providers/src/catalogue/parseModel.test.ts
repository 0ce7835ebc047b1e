import { describe, expect, it } from '@jest/globals';
import { parseModel } from './parseModel.ts';

const good = `slug: good
provider:
  adapter: cog
  connection: gpu
  model: m
input_schema:
  type: object
  properties:
    prompt: { type: string }
price: { per_run: "0.01" }
output: { kind: text }
`;

const problemsOf = (text: string) => parseModel('m.yaml', text).problems;

/** `good` with each of the first strings replaced by the second. */
const changed = (...changes: [string, string][]) =>
  problemsOf(changes.reduce((text, [from, to]) => text.replace(from, to), good));

const two = (first: string, second: string) =>
  changed([
    'provider:\n  adapter: cog\n  connection: gpu\n  model: m\n',
    `providers:\n  - { adapter: cog, connection: gpu, model: m${first} }\n  - { adapter: cog, connection: gpu, ${second} }\n`,
  ]);

describe('parseModel', () => {
  it('has nothing against what is right', () => {
    expect(problemsOf(good)).toEqual([]);
    expect(two('', 'model: other')).toEqual([]);
  });

  it('tells all that is wrong, by line', () => {
    const found = changed(['good', 'Good'], ['0.01"', '0.01", per_runn: "1"'], ['kind: text', 'kind: txt']);
    expect(found).toEqual([
      'm.yaml:1: slug: must be lower case: letters, digits, . _ -',
      'm.yaml:10: price.per_runn: is not known here; is "per_run" meant?',
      expect.stringMatching(/^m\.yaml:11: output\.kind: Invalid option/),
    ]);
  });

  it.each<[string, [string, string], string]>([
    [
      'a key of a route that is misspelt',
      ['model: m', 'model: m\n  wieght: 3'],
      '6: provider.wieght: is not known here; is "weight" meant?',
    ],
    ['a key that nobody knows', ['slug:', 'xyzzy: 1\nslug:'], '1: xyzzy: is not known here'],
    ['what is missing', ['  connection: gpu\n', ''], '2: provider.connection: is missing: a string'],
    [
      'no provider',
      ['provider:\n  adapter: cog\n  connection: gpu\n  model: m\n', ''],
      'provider: must be given, or a list of `providers`',
    ],
    [
      'both provider and providers',
      ['price:', 'providers: [{ adapter: cog, connection: a, model: m }]\nprice:'],
      '10: providers: and `provider` are both given: one of them is needed',
    ],
    ['a price without quotes', ['"0.01"', '0.01'], '10: price.per_run: must be a decimal in quotes'],
    [
      'a price of pictures for a text',
      ['"0.01"', '"0.01", per_image: "1"'],
      '10: price.per_image: is never charged: the output is text',
    ],
    [
      'a price of pixels for a text',
      ['"0.01"', '"0.01", per_megapixel: "1"'],
      '10: price.per_megapixel: is never charged',
    ],
    [
      'an estimate from an input that is not there',
      ['price:', 'estimate: { seconds: { input: promt, default: 1 } }\nprice:'],
      '10: estimate.seconds.input: "promt" is no property of the input_schema; is "prompt" meant?',
    ],
    [
      'an estimate of no known kind',
      ['price:', 'estimate: { seconds: long }\nprice:'],
      '10: estimate.seconds: is not of a kind that can stand here',
    ],
    [
      'a mode from an input that is not there',
      ['model: m', 'model: m\n  mode_from_input: mode'],
      '6: provider.mode_from_input: "mode" is no property',
    ],
    [
      'a renamed input that is not there',
      ['model: m', 'model: m\n  input: { rename: { text: prompt } }'],
      '6: provider.input.rename.text: "text" is no property',
    ],
    [
      'an omitted input that is not there',
      ['model: m', 'model: m\n  input: { omit: [text] }'],
      '6: provider.input.omit.0: "text" is no property',
    ],
    [
      'parts of a form for a protocol without',
      ['model: m', 'model: m\n  files: { as: multipart }'],
      '6: provider.files.as: multipart needs another adapter here',
    ],
    [
      'an example that is no input',
      ['{ type: string }', '{ type: string }\n  examples:\n    - prompt: 3'],
      '11: input_schema.examples.0: is no such input: prompt must be string',
    ],
    ['a schema that is none', ['{ type: string }', '{ type: strng }'], '6: input_schema: '],
  ])('names %s', (_what, change, message) => {
    const found = changed(change);
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(/^m\.yaml:\d+: /);
    expect(found[0]).toContain(message);
  });

  it.each([
    ['openai', 'endpoint: chat', '`endpoint` image_edits or transcriptions'],
    ['openai', 'endpoint: image_edits', null],
    ['http', 'path: /run', '`body_as` form'],
    ['http', 'path: /run, body_as: form', null],
  ])('of %s with { %s }, parts of a form need %s', (adapter, options, needed) => {
    const route = `model: m\n  options: { ${options} }\n  files: { as: multipart }`;
    const found = changed(['adapter: cog', `adapter: ${adapter}`], ['model: m', route]);
    const about = found.filter((problem) => problem.includes('files.as'));
    expect(about).toEqual(
      needed === null
        ? []
        : [`m.yaml:7: provider.files.as: multipart needs ${needed} here; else url or data_uri`],
    );
  });

  it('tells of aliases that lead nowhere or everywhere, and of what can not be stored', () => {
    expect(problemsOf(`${good}description: *text\n`)).toEqual([
      'm.yaml:12: *text: there is no &text before it',
    ]);
    const ten = (name: string) => `[${Array.from({ length: 10 }, () => `*${name}`).join(', ')}]`;
    const bomb = `a: &a [x, x, x]\nb: &b ${ten('a')}\nc: &c ${ten('b')}\nd: ${ten('c')}\n`;
    expect(problemsOf(`${good}${bomb}`)).toEqual(['m.yaml:1: its aliases would fill the memory']);
    for (const character of ['\\0', '\\ud800']) {
      expect(problemsOf(`${good}description: "a${character}"\n`)).toEqual([
        'm.yaml:12: description: holds a character that can not be stored',
      ]);
    }
    expect(problemsOf(`${good}description: 'a\\u0000 \\ud800 b'\n`)).toEqual([]);
    expect(problemsOf(`${good}description: &d a\ndisplay_name: *d\n`)).toEqual([]);
  });

  it('names an option that the adapter does not know', () => {
    const found = changed(['model: m', 'model: m\n  options:\n    pth: x']);
    expect(found).toEqual([expect.stringMatching(/^m\.yaml:6: provider\.options: .*pth/)]);
  });

  it('names a provider that stands there twice, and weights that choose nobody', () => {
    expect(two('', 'model: m')).toEqual([
      'm.yaml:4: providers.1: is the same connection and model as providers.0',
    ]);
    expect(two(', weight: 0', 'model: n, weight: 0')).toEqual([
      'm.yaml:2: providers: at least one weight must be above 0',
    ]);
    expect(two(', weight: 0', 'model: n, weight: 1')).toEqual([]);
  });

  it('finds properties of the input in branches and definitions', () => {
    const schema =
      'input_schema: { type: object, $defs: { a: { type: object, properties: { n: { type: number } } } }, anyOf: [{ $ref: "#/$defs/a" }] }\nestimate: { images: { input: n, default: 1 } }\n';
    expect(
      changed(['input_schema:\n  type: object\n  properties:\n    prompt: { type: string }\n', schema]),
    ).toEqual([]);
  });

  it('reads no file that holds no mapping', () => {
    expect(problemsOf('')).toEqual([expect.stringContaining('m.yaml')]);
    expect(problemsOf('- a')).toEqual([expect.stringContaining('m.yaml:1: ')]);
  });
});
