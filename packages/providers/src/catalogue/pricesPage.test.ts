import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { estimateCost } from '@holdfast/domain/pricing';
import { describe, expect, it } from '@jest/globals';
import { parseModel } from './parseModel.ts';

const page = readFileSync(join(resolve(import.meta.dirname, '../../../..'), 'docs/models/prices.md'), 'utf8');
const examples = [...page.matchAll(/^```yaml\n(.*?)^```$/gms)].map(([, yaml = '']) => yaml);

const frame = `slug: m
provider: { adapter: cog, connection: gpu, model: m }
output: { kind: OUTPUT }
input_schema:
  type: object
  required: [quality, size, resolution, steps]
  properties:
    text: { type: string }
    prompt: { type: string }
    audio: FILE
    steps: { type: integer }
    n: { type: integer, default: 1 }
    quality: { enum: [low, high] }
    size: { enum: [1024x1024, 1536x1024] }
    resolution: { enum: [720p, 1080p] }
    duration: { type: integer }
    width: { type: integer }
    height: { type: integer }
    image_size: { type: string }
    max_tokens: { type: integer }
`;

function modelOf(yaml: string) {
  const isOfFile = yaml.includes('per_input_second');
  const text = frame
    .replace('FILE', isOfFile ? '{ type: string, format: file }' : '{ type: boolean, default: true }')
    .replace('OUTPUT', yaml.includes('per_image') ? 'images' : 'audios');
  return parseModel(
    'prices.md',
    `${text}${yaml.includes('price:') ? '' : 'price: { per_run: "1" }\n'}${yaml}`,
  );
}

const files = new Map([['file_a', { width: null, height: null, durationMs: 90_000 }]]);

describe('the page about prices', () => {
  it('has valid examples', () => {
    expect(examples.map((yaml) => modelOf(yaml).problems)).toEqual(examples.map(() => []));
  });

  it.each<[string, Record<string, unknown>, string]>([
    ['# Speech', { text: 'Hello' }, '0.00100000'],
    ['# Speech', { text: 'x'.repeat(1000) }, '0.01500000'],
    ['# Transcription', { audio: 'file_a' }, '0.00900000'],
    ['# Images by the step', { steps: 28 }, '0.01560000'],
    ['# Two images', { n: 2, quality: 'high', size: '1024x1024' }, '0.33400000'],
    ['# Two images', { n: 2, quality: 'high', size: '1536x1024' }, '0.50000000'],
    ['# Five seconds', { duration: 5, resolution: '720p', audio: true }, '2.00000000'],
  ])('%s: %j costs %s', (title, input, cost) => {
    const { definition } = modelOf(examples.find((yaml) => yaml.startsWith(title)) ?? '');
    expect(definition && estimateCost(definition, { input, files })).toBe(cost);
  });
});
