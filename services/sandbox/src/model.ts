import type { z } from 'zod';
import { image } from './models/image.ts';
import { text } from './models/text.ts';
import { transform } from './models/transform.ts';

export type RunContext = {
  signal: AbortSignal;
  log: (line: string) => void;
  /** Makes a picture reachable: as a data URI, or as a URL below the address the run was asked for at. */
  publish: (bytes: Buffer, contentType: string) => string;
};

export type RunResult = { output: unknown; metrics: Record<string, number | string> };

export type Model = { input: z.ZodType; run(input: unknown, context: RunContext): Promise<RunResult> };

/** The models this server has, by the name in its paths. */
export const models: Record<string, Model> = {
  'sandbox-text': text,
  'sandbox-image': image,
  'image-transform': transform,
};
