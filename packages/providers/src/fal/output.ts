import type { OutputKind } from '@holdfast/domain/modelResponse';
import type { Outcome, OutcomeMapping } from '@holdfast/domain/outcome';
import { type DefaultPlaces, outcomeFromResponse } from '../outcome/success.ts';
import { atPlace } from '../place.ts';

/** Where models put their output, the most likely place first. */
const places: Record<OutputKind, [string, ...string[]]> = {
  text: ['/text', '/output'],
  images: ['/images', '/image'],
  videos: ['/videos', '/video'],
  audios: ['/audios', '/audio', '/audio_file', '/audio_url'],
  files: ['/files', '/file'],
  raw: [''],
};

/** For clips the length counts as seconds, not the time it took to generate them. */
const seconds: Partial<Record<OutputKind, string[]>> = {
  videos: ['/video/duration', '/duration'],
  audios: ['/audio/duration', '/duration'],
};

/** `computedS`: the generation time, where it is reported apart from the output. */
export function outcomeOfOutput(output: unknown, mapping: OutcomeMapping, computedS: number | null): Outcome {
  const isClip = mapping.output.kind in seconds;
  return outcomeFromResponse(output, mapping, placesOf(output, mapping), isClip ? null : computedS);
}

export function placesOf(output: unknown, { output: { kind } }: OutcomeMapping): DefaultPlaces {
  return {
    output: places[kind].find((pointer) => isThere(output, pointer)) ?? places[kind][0],
    inputTokens: ['/usage/input_tokens', '/usage/prompt_tokens'],
    outputTokens: ['/usage/output_tokens', '/usage/completion_tokens'],
    cost: ['/usage/cost'],
    seconds: seconds[kind] ?? ['/timings/inference', '/metrics/inference_time'],
  };
}

function isThere(output: unknown, pointer: string): boolean {
  const found = atPlace(output, pointer);
  return found !== undefined && found !== null;
}
