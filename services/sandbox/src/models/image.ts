import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import sharp from 'sharp';
import { z } from 'zod';
import { contentTypes, encode, formats, withImageSlot } from '../images.ts';
import { applyControls, controls, type Model, type RunContext } from '../model.ts';

const side = z.int().min(16).max(4096).default(512);

const input = z.strictObject({
  prompt: z.string().min(1).max(10_000),
  width: side,
  height: side,
  format: z.enum(formats).default('png'),
  count: z.int().min(1).max(8).default(1),
  partial_images: z.int().min(0).max(3).default(3),
  ...controls,
});

type Input = z.infer<typeof input>;

/** The same prompt gives the same images. To a client that reads them as they come, the first one gets sharper. */
export const image: Model = {
  input,
  streams: true,
  async run(raw, context) {
    const given = raw as Input;
    const { prompt, width, height, format, count } = given;
    const { signal, publish, isStreamed } = context;
    await applyControls(given, context);
    if (isStreamed) await showPartialImages(given, context);
    const draw = (index: number) =>
      withImageSlot(signal, () => encode(Buffer.from(drawing(prompt, width, height, index)), format));
    const images = await Promise.all(Array.from({ length: count }, (_, index) => draw(index)));
    return {
      output: images.map((bytes) => publish(bytes, contentTypes[format])),
      metrics: { image_count: count },
    };
  },
};

const partialPauseMs = 250;

/** Each is half as blurred as the one before. */
async function showPartialImages(
  { prompt, width, height, format, partial_images: count }: Input,
  { signal, emit, publish }: RunContext,
): Promise<void> {
  const source = Buffer.from(drawing(prompt, width, height, 0));
  for (let at = 0; at < count; at++) {
    const blur = Math.max(1, Math.min(width, height) / (16 * 2 ** at));
    const bytes = await withImageSlot(signal, () => encode(sharp(source).blur(blur), format));
    emit(publish(bytes, contentTypes[format]));
    await sleep(partialPauseMs, undefined, { signal });
  }
}

const shapeCount = 9;

/** Shapes derived from the prompt's hash; `index` varies them. */
export function drawing(prompt: string, width: number, height: number, index: number): string {
  const bytes = createHash('sha512').update(`${index} ${prompt}`).digest();
  const part = (at: number) => (bytes[at % bytes.length] ?? 0) / 255;
  const hue = Math.round(part(0) * 360);
  const shapes = Array.from({ length: shapeCount }, (_, shape) => circle(shape, width, height, hue, part));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">`,
    `<defs><linearGradient id="sky" x1="0" y1="0" x2="1" y2="1"><stop offset="0" stop-color="${hsl(hue, 65, 38)}"/>`,
    `<stop offset="1" stop-color="${hsl(hue + 50, 70, 62)}"/></linearGradient></defs>`,
    `<rect width="${width}" height="${height}" fill="url(#sky)"/>`,
    ...shapes,
    ...caption(prompt, width, height),
    '</svg>',
  ].join('');
}

function circle(
  shape: number,
  width: number,
  height: number,
  hue: number,
  part: (at: number) => number,
): string {
  const at = 1 + shape * 5;
  const x = Math.round(part(at) * width);
  const y = Math.round(part(at + 1) * height);
  const radius = Math.max(2, Math.round(Math.min(width, height) * (0.05 + part(at + 2) * 0.25)));
  const fill = hsl(hue + 140 * part(at + 3), 75, 55);
  return `<circle cx="${x}" cy="${y}" r="${radius}" fill="${fill}" fill-opacity="${(0.25 + part(at + 4) * 0.5).toFixed(2)}"/>`;
}

function caption(prompt: string, width: number, height: number): string[] {
  const size = Math.max(8, Math.round(Math.min(width, height) / 14));
  const lines = wrap(
    prompt,
    Math.max(4, Math.floor((width * 0.9) / (size * 0.56))),
    Math.floor((height * 0.8) / (size * 1.3)),
  );
  const top = height / 2 - ((lines.length - 1) * size * 1.3) / 2 + size * 0.35;
  return lines.map((line, index) => {
    const position = `x="${width / 2}" y="${Math.round(top + index * size * 1.3)}"`;
    const look = `font-family="sans-serif" font-weight="bold" font-size="${size}" text-anchor="middle"`;
    return `<text ${position} ${look} fill="#fff" stroke="#000" stroke-opacity="0.35" stroke-width="0.6">${escapeXml(line)}</text>`;
  });
}

function wrap(prompt: string, columns: number, maxLines: number): string[] {
  const lines: string[] = [''];
  for (const word of prompt
    .split(/\s+/)
    .flatMap((one) => one.match(new RegExp(`.{1,${columns}}`, 'gu')) ?? [])) {
    const last = lines.at(-1) ?? '';
    if (last === '') lines[lines.length - 1] = word;
    else if (last.length + 1 + word.length <= columns) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
    if (lines.length > maxLines) break;
  }
  return lines.slice(0, Math.max(1, maxLines));
}

/** Also removes characters that XML forbids. */
function escapeXml(text: string): string {
  return text
    .toWellFormed()
    .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '')
    .replace(/[&<>"']/g, (mark) => `&#${mark.codePointAt(0)};`);
}

function hsl(hue: number, saturation: number, lightness: number): string {
  return `hsl(${Math.round(hue) % 360}, ${saturation}%, ${lightness}%)`;
}
