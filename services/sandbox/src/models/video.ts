import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { applyControls, controls, type Model } from '../model.ts';

const input = z.strictObject({
  prompt: z.string().min(1).max(10_000),
  duration: z.int().min(1).max(12).default(4),
  image: z.string().optional(),
  video: z.string().optional(),
  ...controls,
});

/** A lighthouse whose beam turns once: H.264, 320 x 180 pixels, 48 images, at 27,720 units a second. */
const film = readFileSync(join(import.meta.dirname, 'film.mp4'));
const filmS = 4;

/** It shows the same film, whatever the prompt. */
export const video: Model = {
  input,
  streams: false,
  async run(raw, context) {
    const given = raw as z.infer<typeof input>;
    await applyControls(given, context);
    return {
      output: context.publish(lasting(given.duration), 'video/mp4'),
      metrics: {},
    };
  },
};

/** Its headers say how long a unit is. They are the same for each whole number of seconds up to 12. */
function lasting(seconds: number): Buffer {
  const bytes = Buffer.from(film);
  for (const header of ['mvhd', 'mdhd']) {
    const at = bytes.indexOf(header) + 16;
    bytes.writeUInt32BE((bytes.readUInt32BE(at) * filmS) / seconds, at);
  }
  return bytes;
}
