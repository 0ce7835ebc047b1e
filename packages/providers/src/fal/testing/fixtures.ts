import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A recorded example of fal's documentation. */
export function fixture(name: string): Record<string, unknown> {
  const file = join(import.meta.dirname, '..', 'fixtures', `${name}.json`);
  return JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
}

/** A PNG of one pixel. */
export const onePixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** The response of an image model, with the image at the fake itself. */
export function pictures(baseUrl: string): object {
  const picture = { url: `${baseUrl}/files/1.png`, width: 1, height: 1, content_type: 'image/png' };
  return {
    images: [picture],
    timings: { inference: 1.5 },
    seed: 1,
    has_nsfw_concepts: [false],
    prompt: 'hello',
  };
}
