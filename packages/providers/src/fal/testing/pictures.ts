/** A PNG of one pixel. */
export const onePixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** What a model that draws answers, its picture at the fake itself. */
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
