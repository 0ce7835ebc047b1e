import type { Execution } from '@holdfast/domain/execution';
import { isObject } from '@holdfast/domain/inputFiles';
import { noOutput } from './output.ts';

/** Scores that clients require of every segment, as they are where a model reports none. */
const neutralScores = { seek: 0, temperature: 0, avg_logprob: 0, compression_ratio: 1, no_speech_prob: 0 };

/** Times in seconds. */
type Segment = {
  id: number;
  start: number;
  end: number;
  text: string;
  tokens: number[];
} & typeof neutralScores;

/** `segments` is null when the model gave no times. */
export type Transcript = {
  text: string;
  segments: Segment[] | null;
  language: string | null;
  durationS: number | null;
};

/** @throws ApiError if the output has no text */
export function transcriptOf(execution: Execution): Transcript {
  const { text, segments, chunks, language, duration, output } = execution.output ?? {};
  const found = [text, output].find((one) => typeof one === 'string');
  if (typeof found !== 'string') throw noOutput(execution);
  const seconds = [execution.billed?.input_seconds, duration].find((one) => typeof one === 'number');
  return {
    text: found.trim(),
    segments: segmentsOf(segments ?? chunks),
    language: typeof language === 'string' ? language : null,
    durationS: typeof seconds === 'number' ? seconds : null,
  };
}

/** With `start` and `end`, or both as `timestamp`. The last may have no end. */
function segmentsOf(list: unknown): Segment[] | null {
  if (!Array.isArray(list) || list.length === 0) return null;
  const segments = list.map((one: unknown, id): Segment | null => {
    if (!isObject(one) || typeof one['text'] !== 'string') return null;
    const [first, second] = Array.isArray(one['timestamp']) ? one['timestamp'] : [one['start'], one['end']];
    if (typeof first !== 'number') return null;
    const end = typeof second === 'number' ? second : first;
    return { id, start: first, end, text: one['text'].trim(), tokens: [], ...scoresOf(one) };
  });
  return segments.every((one) => one !== null) ? segments : null;
}

function scoresOf(segment: Record<string, unknown>): typeof neutralScores {
  const reported = Object.keys(neutralScores).filter((name) => typeof segment[name] === 'number');
  return { ...neutralScores, ...Object.fromEntries(reported.map((name) => [name, segment[name]])) };
}

export function subtitlesOf(segments: readonly Segment[], format: 'srt' | 'vtt'): string {
  const point = format === 'srt' ? ',' : '.';
  const cues = segments.map(({ start, end, text }, at) => {
    const times = `${timeOf(start, point)} --> ${timeOf(end, point)}`;
    return `${format === 'srt' ? `${at + 1}\n` : ''}${times}\n${text}\n`;
  });
  return `${format === 'vtt' ? 'WEBVTT\n\n' : ''}${cues.join('\n')}`;
}

/** As `01:02:03.456`. */
function timeOf(seconds: number, point: string): string {
  const ms = Math.round(seconds * 1000);
  const parts = [ms / 3_600_000, (ms / 60_000) % 60, (ms / 1000) % 60];
  const padded = parts.map((part) => String(Math.floor(part)).padStart(2, '0'));
  return `${padded.join(':')}${point}${String(ms % 1000).padStart(3, '0')}`;
}
