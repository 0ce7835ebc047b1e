import { modelDefinition } from '@holdfast/domain/modelDefinition';
import { matchesDeclaredType } from '@holdfast/files/detectedType';
import { describe, expect, it } from '@jest/globals';
import { testInput } from './input.ts';
import { testSubmission } from './submission.ts';

const model = (as: string, example: object) =>
  modelDefinition.parse({
    slug: 'm',
    provider: {
      adapter: 'openai',
      connection: 'c',
      model: 'm',
      input: { rename: { pictures: 'image' }, set: { n: 1 } },
      files: { as },
    },
    input_schema: {
      type: 'object',
      properties: {
        pictures: { type: 'array', items: { type: 'string', format: 'file' } },
        audio: { type: 'string', format: 'file' },
      },
      examples: [example],
    },
    price: { per_run: '1' },
    output: { kind: 'raw' },
  });

function submissionOf(as: string, example: object) {
  const definition = model(as, example);
  const [route] = definition.providers;
  if (route === undefined) throw new Error('no route');
  return testSubmission(definition, route, testInput(definition, undefined), 1000);
}

describe('the files of an example', () => {
  it('are samples: a picture, or a sound where the id says so', async () => {
    const { files } = testInput(
      model('url', { pictures: ['file_sample'], audio: 'file_sample-audio' }),
      undefined,
    );
    expect([...files.values()].map(({ contentType }) => contentType)).toEqual(['image/png', 'audio/wav']);
    for (const { bytes, contentType } of files.values()) {
      expect(await matchesDeclaredType(bytes, contentType)).toBe(true);
    }
  });

  it('go in as data URIs under the names of the route', () => {
    const { input, parts } = submissionOf('url', { pictures: ['file_sample'] });
    expect(input).toEqual({ n: 1, image: [expect.stringMatching(/^data:image\/png;base64,/)] });
    expect(parts).toEqual([]);
  });

  it('go in as parts of a form where the route says so', async () => {
    const { input, parts } = submissionOf('multipart', { pictures: ['file_a', 'file_b'] });
    expect(input).toEqual({ n: 1, image: ['file_a', 'file_b'] });
    expect(parts.map(({ path, filename }) => [path, filename])).toEqual([
      [['image', 0], 'sample.png'],
      [['image', 1], 'sample.png'],
    ]);
    const read = (await parts[0]?.open()) ?? [];
    let length = 0;
    for await (const chunk of read) length += (chunk as Buffer).length;
    expect(length).toBe(parts[0]?.sizeBytes);
  });
});
