import { z } from 'zod';
import { controls, obey } from '../controls.ts';
import type { Model } from '../model.ts';
import { contentTypes, formats } from '../pictures/encode.ts';
import { withPictureSlot } from '../pictures/slots.ts';
import { readSource } from '../pictures/source.ts';
import { transformPicture } from '../pictures/transform.ts';

const side = z.int().min(1).max(4096).optional();

const input = z.strictObject({
  source_image: z.string().min(1),
  width: side,
  height: side,
  format: z.enum(formats).optional(),
  grayscale: z.boolean().default(false),
  ...controls,
});

/** A picture made from another: resized, converted, greyed. */
export const transform: Model = {
  input,
  async run(raw, context) {
    const given = raw as z.infer<typeof input>;
    const { signal, publish } = context;
    await obey(given, context);
    const source = await readSource(given.source_image, signal);
    const { bytes, format } = await withPictureSlot(signal, () => transformPicture(source, given));
    return { output: [publish(bytes, contentTypes[format])], metrics: { image_count: 1 } };
  },
};
