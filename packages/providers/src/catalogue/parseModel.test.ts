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
  it('accepts valid models', () => {
    expect(problemsOf(good)).toEqual([]);
    expect(two('', 'model: other')).toEqual([]);
    expect(changed(['  model: m', '  model: m\n  mode: sync'], ['slug:', 'timeout_s: 60\nslug:'])).toEqual(
      [],
    );
  });

  it('reports all problems, by line', () => {
    const found = changed(['good', 'Good'], ['0.01"', '0.01", per_runn: "1"'], ['kind: text', 'kind: txt']);
    expect(found).toEqual([
      'm.yaml:1: slug: must be lower case: letters, digits, . _ -',
      'm.yaml:10: price.per_runn: is not known here; is "per_run" meant?',
      'm.yaml:11: output.kind: must be one of "text", "images", "videos", "audios", "files", "raw"',
    ]);
  });

  it('reports violations of rules across fields beside invalid fields', () => {
    const found = changed(
      ['model: m', 'model: m\n  wieght: 3\n  options: { pth: x }\n  mode_from_input: moed'],
      ['"0.01"', '0.01, per_image: "1"'],
      ['kind: text', 'kind: text, max_file: 3'],
      ['price:', 'estimate: { seconds: { input: promt, default: 1 } }\nprice:'],
    );
    expect(found.map((line) => line.split(': ').slice(0, 2).join(': '))).toEqual([
      'm.yaml:6: provider.wieght',
      expect.stringMatching(/^m\.yaml:7: provider\.options/),
      'm.yaml:8: provider.mode_from_input',
      'm.yaml:13: estimate.seconds.input',
      'm.yaml:14: price.per_run',
      'm.yaml:14: price.per_image',
      'm.yaml:15: output.max_file',
    ]);
  });

  it('reports the problems of every provider, and nothing about providers beside other mistakes', () => {
    expect(two(', options: { pth: x }', 'modle: n, adaptr: cog')).toEqual([
      expect.stringMatching(/^m\.yaml:3: providers\.0\.options/),
      'm.yaml:4: providers.1.model: is missing: a string',
      'm.yaml:4: providers.1.modle: is not known here; is "model" meant?',
      'm.yaml:4: providers.1.adaptr: is not known here; is "adapter" meant?',
    ]);
    const without = changed(
      ['provider:\n  adapter: cog\n  connection: gpu\n  model: m\n', ''],
      ['"0.01"', '0.01'],
    );
    expect(without).toEqual([
      'm.yaml:1: provider: must be given, or a list of `providers`',
      expect.stringContaining('price.per_run: must be a decimal in quotes'),
    ]);
  });

  it.each(['date', 'email', 'uuid', 'password', 'int32', 'float', 'date-time', 'uri'])(
    'warns that the format %s is not checked, and accepts the model',
    (format) => {
      const text = good.replace('{ type: string }', `{ type: string, format: ${format} }`);
      const { definition, problems, warnings } = parseModel('m.yaml', text);
      expect([definition?.slug, problems]).toEqual(['good', []]);
      expect(warnings).toEqual([
        `m.yaml:9: input_schema.properties.prompt.format: "${format}" is not checked; use \`pattern\` to check it`,
      ]);
    },
  );

  it('accepts annotations of OpenAPI, and a property that is called like a keyword', () => {
    const property = '{ type: string, example: a cat, nullable: true, x-widget: area, deprecated: true }';
    const text = good.replace('{ type: string }', `${property}\n    format: { type: string, default: png }`);
    expect(parseModel('m.yaml', text)).toMatchObject({ problems: [], warnings: [] });
  });

  it.each([
    ['acme/model/trainings', '', 'is a training, which is not supported: run the model that it made'],
    ['deployments/acme/m', '', 'must be owner/name: with `options: { deployment: true }`'],
    ['acme/m:v1', 'deployment: true', 'must be the owner/name of the deployment, without a version'],
    ['acme', '', 'must be owner/name, owner/name:version or a version'],
    ['a'.repeat(64), '', undefined],
    ['acme/models/m', '', 'must be owner/name, owner/name:version or a version'],
    ['acme/m', 'deployment: true', undefined],
    ['acme/m', '', undefined],
    ['m', 'version: abc', undefined],
  ])('checks the model %s of Replicate with the options { %s }', (model, options, message) => {
    const found = changed(
      ['adapter: cog', 'adapter: replicate'],
      ['model: m', `model: ${model}\n  options: { ${options} }`],
    );
    expect(found).toEqual(
      message === undefined ? [] : [expect.stringContaining(`m.yaml:5: provider.model: ${message}`)],
    );
  });

  it('keeps the digits of long integers', () => {
    const { definition } = parseModel(
      'm.yaml',
      good.replace('{ type: string }', '{ type: integer, maximum: 18446744073709551615, minimum: 0 }'),
    );
    expect(definition?.input_schema).toMatchObject({
      properties: { prompt: { maximum: 2n ** 64n - 1n, minimum: 0 } },
    });
  });

  it('reports all mistakes of a schema and of its examples', () => {
    const schema = (more: string) =>
      changed(['{ type: string }', `{ type: string }\n    size: { type: integer }\n${more}`]);
    const wrong = [
      'a: { type: strng }',
      'b: { minimun: 3 }',
      'c: { minimum: x }',
      'd: { $ref: "#/$defs/e" }',
      'f: { type: string, format: flie }',
      "g: { pattern: '^(?!a)' }",
      "h: { patternProperties: { '(a)\\1': true } }",
    ];
    expect(schema(`    ${wrong.join('\n    ')}`)).toEqual([
      expect.stringMatching(/^m\.yaml:11: input_schema\.properties\.a\.type: must be one of .*"string"/),
      'm.yaml:12: input_schema.properties.b.minimun: is not known here; is "minimum" meant?',
      'm.yaml:13: input_schema.properties.c.minimum: must be number',
      'm.yaml:14: input_schema.properties.d.$ref: there is no #/$defs/e',
      'm.yaml:15: input_schema.properties.f.format: "flie" is not known; is "file" meant?',
      expect.stringMatching(/^m\.yaml:16: input_schema\.properties\.g\.pattern: .* has a lookaround/),
      expect.stringMatching(/^m\.yaml:17: input_schema\.properties\.h\.pattern.*: .* has a backreference/),
    ]);
    expect(schema('    n: { type: integer, default: 3.5 }\n  examples: [{ prompt: 3 }]')).toEqual([
      'm.yaml:11: input_schema.properties.n.default: is not a valid input: n must be an integer',
      'm.yaml:12: input_schema.examples.0: is not a valid input: prompt must be a string',
    ]);
    expect(schema('  examples:\n    - { prompt: 3, size: big }')).toEqual([
      'm.yaml:12: input_schema.examples.0: is not a valid input: prompt must be a string',
      'm.yaml:12: input_schema.examples.0: is not a valid input: size must be an integer',
    ]);
  });

  it('reports references that lead back to themselves, and takes those to a part of the value', () => {
    const schema = (...more: string[]) =>
      changed(['{ type: string }', `{ type: string }\n    ${more.join('\n    ')}`]);
    const never = (line: number, name: string, $ref: string) =>
      `m.yaml:${line}: input_schema.properties.${name}: refers to itself (${$ref}) before it looks at any part of the input, which never ends`;
    expect(schema('a: { $ref: "#/properties/a" }')).toEqual([never(10, 'a.$ref', '#/properties/a')]);
    expect(
      schema(
        'a: { $ref: "#/properties/b" }',
        'b: { anyOf: [{ type: string }, { $ref: "#/properties/a" }] }',
        'c: { $ref: "#/properties/a" }',
      ),
    ).toEqual([never(10, 'a.$ref', '#/properties/b'), never(11, 'b.anyOf.1.$ref', '#/properties/a')]);
    expect(schema('a: { type: array, items: { $ref: "#/properties/a" } }')).toEqual([]);
    expect(schema('a: { properties: { b: { $ref: "#" } } }')).toEqual([]);
  });

  it.each<[string, [string, string], string]>([
    [
      'a key of a route that is misspelt',
      ['model: m', 'model: m\n  wieght: 3'],
      '6: provider.wieght: is not known here; is "weight" meant?',
    ],
    [
      'a long run at Cog that depends on its connection',
      ['model: m', 'model: m\n  mode: sync'],
      '6: provider.mode: sync is for models whose `timeout_s` is at most 60',
    ],
    ['a timeout that is too short', ['price:', 'timeout_s: 9\nprice:'], '10: timeout_s: must be at least 10'],
    ['a field of another type', ['price:', 'timeout_s: soon\nprice:'], '10: timeout_s: must be a number'],
    ['an empty name', ['price:', 'display_name: ""\nprice:'], '10: display_name: must not be empty'],
    [
      'a name that is too long',
      ['price:', `display_name: ${'a'.repeat(201)}\nprice:`],
      '10: display_name: must have at most 200 characters',
    ],
    ['an unknown key', ['slug:', 'xyzzy: 1\nslug:'], '1: xyzzy: is not known here'],
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
    [
      'files of an output that is no raw one',
      ['kind: text', 'kind: images, files: [/a]'],
      '11: output.files: is for raw output: all images are files',
    ],
    [
      'a place of files that is none',
      ['kind: text', 'kind: raw, files: [/a, $.b, c]'],
      '11: output.files.2: must be a JSON pointer such as /job/id',
    ],
    [
      'a rule on outputs without a code',
      ['price:', 'errors: [{ when: { at: /nsfw } }]\nprice:'],
      '10: errors.0.code: must be given with `when`',
    ],
    [
      'a rule without a cause',
      ['price:', 'errors: [{ code: GENERATION_FAILED }]\nprice:'],
      '10: errors.0.match: must be given, or `when`, and not both',
    ],
    ['a price without quotes', ['"0.01"', '0.01'], '10: price.per_run: must be a decimal in quotes'],
    [
      'a price of images for a text',
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
      '10: estimate.seconds.input: "promt" is not a property of the input_schema; is "prompt" meant?',
    ],
    [
      'an estimate of no known kind',
      ['price:', 'estimate: { seconds: long }\nprice:'],
      '10: estimate.seconds: is not of a kind that can stand here',
    ],
    [
      'a mode from an input that is not there',
      ['model: m', 'model: m\n  mode_from_input: mode'],
      '6: provider.mode_from_input: "mode" is not a property',
    ],
    [
      'a renamed input that is not there',
      ['model: m', 'model: m\n  input: { rename: { text: prompt } }'],
      '6: provider.input.rename.text: "text" is not a property',
    ],
    [
      'an omitted input that is not there',
      ['model: m', 'model: m\n  input: { omit: [text] }'],
      '6: provider.input.omit.0: "text" is not a property',
    ],
    [
      'parts of a form for a protocol without',
      ['model: m', 'model: m\n  files: { as: multipart }'],
      '6: provider.files.as: multipart needs another adapter here',
    ],
    [
      'an example that is not a valid input',
      ['{ type: string }', '{ type: string }\n  examples:\n    - prompt: 3'],
      '11: input_schema.examples.0: is not a valid input: prompt must be a string',
    ],
    [
      'a price of an input that is not there',
      ['"0.01"', '"0.01", per_character: { input: promt, price: "1" }'],
      '10: price.per_character.input: "promt" is not a property of the input_schema; is "prompt" meant?',
    ],
    [
      'a price by the length of a text',
      ['"0.01"', '"0.01", per_input_second: { input: prompt, price: "1", default: 3 }'],
      '10: price.per_input_second.input: prompt is not a file: it needs `format: file`',
    ],
    [
      'a price of a number that may be absent',
      ['"0.01"', '"0.01", per_unit: [{ input: prompt, price: "1" }]'],
      '10: price.per_unit.0.default: is missing: prompt is not required and has no default',
    ],
    ['a price that is neither', ['"0.01"', '[]'], '10: price.per_run: must'],
    ['a row without a price', ['"0.01"', '[{ when: {} }]'], '10: price.per_run.0.price: is missing'],
    [
      'a schema that is none',
      ['{ type: string }', '{ type: 7 }'],
      '9: input_schema.properties.prompt.type: ',
    ],
  ])('reports %s', (_what, change, message) => {
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
  ])('of %s with { %s }: parts of a form need %s', (adapter, options, needed) => {
    const route = `model: m\n  options: { ${options} }\n  files: { as: multipart }`;
    const found = changed(['adapter: cog', `adapter: ${adapter}`], ['model: m', route]);
    const about = found.filter((problem) => problem.includes('files.as'));
    expect(about).toEqual(
      needed === null
        ? []
        : [`m.yaml:7: provider.files.as: multipart needs ${needed} here; else url or data_uri`],
    );
  });

  it.each([
    [
      'http',
      'path: /run, response_as: file',
      'response_as',
      'file',
      'images or videos or audios or files or raw',
    ],
    ['openai', 'endpoint: speech', 'endpoint', 'speech', 'audios or files or raw'],
    ['openai', 'endpoint: embeddings', 'endpoint', 'embeddings', 'raw or files'],
  ])(
    'of %s with { %s }: reports an output that the response cannot contain',
    (adapter, options, option, given, kinds) => {
      const found = changed(
        ['adapter: cog', `adapter: ${adapter}`],
        ['model: m', `model: m\n  options: { ${options} }`],
      );
      expect(found).toEqual([
        `m.yaml:6: provider.options.${option}: is ${given}, which can't be the output text: set output.kind to ${kinds}`,
      ]);
    },
  );

  it.each([
    ['cog', 'path: ""', 'text', null],
    ['fal', '', 'text', null],
    ['replicate', '', 'text', null],
    ['openai', 'endpoint: chat', 'text', null],
    ['openai', 'endpoint: transcriptions', 'text', '`endpoint` chat or responses'],
    ['http', 'path: /, stream: {}', 'text', null],
    ['http', 'path: /', 'text', '`stream`, by which the response shows its pieces'],
    [
      'http',
      'path: /, response_as: file, stream: { format: bytes }',
      'text',
      '`stream.format` sse or ndjson',
    ],
  ])('of %s with { %s }: a stream of %s needs %s', (adapter, options, kind, needed) => {
    const found = changed(
      ['adapter: cog', `adapter: ${adapter}`],
      ['model: m', `model: acme/m\n  options: { ${options} }\nstream: ${kind}\non_cancel: release`],
    );
    const about = found.filter((problem) => problem.includes('stream'));
    expect(about).toEqual(
      needed === null
        ? []
        : [
            `m.yaml:6: provider.options: cannot stream ${kind}: that needs ${needed}; else leave the model's \`stream\` out`,
          ],
    );
  });

  it.each([
    ['cog', '', 'audio', 'another adapter'],
    ['openai', 'endpoint: chat', 'audio', '`endpoint` speech'],
    ['openai', 'endpoint: chat', 'json', 'another adapter'],
    ['openai', 'endpoint: speech', 'audio', null],
    ['openai', 'endpoint: chat', 'image', '`endpoint` images or image_edits'],
    ['openai', 'endpoint: images', 'image', null],
    ['fal', '', 'image', 'another adapter'],
    ['replicate', '', 'json', 'another adapter'],
    ['http', 'path: /, stream: {}', 'audio', '`stream.format` bytes'],
  ])('of %s with { %s }: a stream of %s needs %s, for raw output', (adapter, options, kind, needed) => {
    const found = changed(
      ['adapter: cog', `adapter: ${adapter}`],
      ['kind: text', 'kind: raw'],
      ['model: m', `model: m\n  options: { ${options} }\nstream: ${kind}\non_cancel: release`],
    );
    expect(found.filter((problem) => problem.includes('cannot stream'))).toEqual(
      needed === null ? [] : [expect.stringContaining(`that needs ${needed};`)],
    );
  });

  it('reports a stream that the output cannot be', () => {
    const streamed = (stream: string) => `model: m\nstream: ${stream}\non_cancel: release`;
    expect(changed(['model: m', streamed('json')])).toEqual([
      'm.yaml:6: stream: is json, but the output is text: set it to text, or leave it out',
    ]);
    expect(changed(['model: m', streamed('text')], ['kind: text', 'kind: images'])).toEqual([
      'm.yaml:6: stream: is text, but the output is images: set it to json, or leave it out',
    ]);
  });

  it('reports aliases that are undefined or endless, and values that cannot be stored', () => {
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
    for (const number of ['.inf', '-.inf', '.nan', '1e400']) {
      expect(changed(['type: string', `type: number, default: ${number}`])).toEqual([
        'm.yaml:6: input_schema: holds .inf, .nan or a number that is too large',
      ]);
    }
    expect(problemsOf(`${good}description: 'a\\u0000 \\ud800 b'\n`)).toEqual([]);
    expect(problemsOf(`${good}description: &d a\ndisplay_name: *d\n`)).toEqual([]);
  });

  it('reports an option that the adapter does not know', () => {
    const found = changed(['model: m', 'model: m\n  options:\n    pth: x']);
    expect(found).toEqual(['m.yaml:7: provider.options.pth: is not known here; is "path" meant?']);
    const deep = changed(
      ['adapter: cog', 'adapter: http'],
      ['model: m', 'model: m\n  options:\n    path: /\n    poll: { evry_s: 1 }'],
    );
    expect(deep).toEqual(['m.yaml:8: provider.options.poll.evry_s: is not known here; is "every_s" meant?']);
    const missing = changed(['adapter: cog', 'adapter: http'], ['model: m', 'model: m\n  options: {}']);
    expect(missing).toEqual(['m.yaml:6: provider.options.path: is missing: a string']);
  });

  it('reports a provider that is listed twice, and weights that select no provider', () => {
    expect(two('', 'model: m')).toEqual([
      'm.yaml:4: providers.1: is the same connection and model as providers.0',
    ]);
    expect(two(', weight: 0', 'model: n, weight: 0')).toEqual([
      'm.yaml:2: providers: at least one weight must be above 0',
    ]);
    expect(two(', weight: 0', 'model: n, weight: 1')).toEqual([]);
  });

  it('reports operations of another API that the output or the input cannot serve', () => {
    const openai = `openai:
  images: {}
  chat:
    prompt: /promt/text
    stop: { input: prompt, values: { a: x } }
    max_tokens: { input: prompt }
    messages: /
    sytem: prompt
    set: { mode: fast }
output: {`;
    expect(changed(['output: {', openai], ['type: string', 'enum: [a, b]'])).toEqual([
      'm.yaml:12: openai.images: is for the output images or files or raw, which is text here',
      'm.yaml:14: openai.chat.prompt: "promt" is not a property of the input_schema; is "prompt" meant?',
      'm.yaml:15: openai.chat.stop.values.a: "x" is not one of the values of "prompt"',
      'm.yaml:16: openai.chat.max_tokens.values: is missing: an object',
      'm.yaml:17: openai.chat.messages: "" is not a property of the input_schema',
      'm.yaml:18: openai.chat.sytem: is not known here; is "system" meant?',
      'm.yaml:19: openai.chat.set.mode: "mode" is not a property of the input_schema',
    ]);
  });

  it('finds properties of the input in branches and definitions', () => {
    const schema =
      'input_schema: { type: object, $defs: { a: { type: object, properties: { n: { type: number } } } }, anyOf: [{ $ref: "#/$defs/a" }] }\nestimate: { images: { input: n, default: 1 } }\n';
    expect(
      changed(['input_schema:\n  type: object\n  properties:\n    prompt: { type: string }\n', schema]),
    ).toEqual([]);
  });

  it('refuses a file that is not a mapping', () => {
    expect(problemsOf('')).toEqual([expect.stringContaining('m.yaml')]);
    expect(problemsOf('- a')).toEqual([expect.stringContaining('m.yaml:1: ')]);
  });
});
