import { z } from 'zod';
import { controls, obey } from '../controls.ts';
import type { Model } from '../model.ts';
import { drawing } from '../pictures/drawing.ts';
import { contentTypes, encode, formats } from '../pictures/encode.ts';
import { withPictureSlot } from '../pictures/slots.ts';

const side = z.int().min(16).max(4096).default(512);

const input = z.strictObject({
  prompt: z.string().min(1).max(10_000),
  width: side,
  height: side,
  format: z.enum(formats).default('png'),
  count: z.int().min(1).max(8).default(1),
  ...controls,
});

/** Pictures drawn from the prompt: the same pictures for the same prompt. */
export const image: Model = {
  input,
  async run(raw, context) {
    const given = raw as z.infer<typeof input>;
    const { prompt, width, height, format, count } = given;
    const { signal, publish } = context;
    await obey(given, context);
    const draw = (index: number) =>
      withPictureSlot(signal, () => encode(Buffer.from(drawing(prompt, width, height, index)), format));
    const pictures = await Promise.all(Array.from({ length: count }, (_, index) => draw(index)));
    return {
      output: pictures.map((bytes) => publish(bytes, contentTypes[format])),
      metrics: { image_count: count },
    };
  },
};
