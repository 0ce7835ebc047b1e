import type { IncomingHttpHeaders } from 'node:http';
import { isNumber } from '@holdfast/domain/json';
import type { OutputKind } from '@holdfast/domain/modelResponse';
import type { Outcome, OutcomeMapping, Success } from '@holdfast/domain/outcome';
import { isBodyReference } from '../outputBody.ts';
import { atPlace, findAll, numberAt, replaceAt } from '../place.ts';
import { failure, outputFailure } from './failure.ts';
import { fileUrl, type UrlOf } from './fileUrls.ts';

/** Where a provider's responses usually have the output and the usage; places are tried in order. */
export type DefaultPlaces = {
  output: string;
  inputTokens: string[];
  outputTokens: string[];
  cost: string[];
  costHeader?: string | undefined;
  seconds: string[];
  /** Default: fileUrl. */
  urlOf?: UrlOf;
  /** As `usage.seconds_of` of a model. */
  secondsOf?: SecondsOf | undefined;
};

type SecondsOf = NonNullable<NonNullable<OutcomeMapping['usage']>['seconds_of']>;

/** A successful run without the promised output is a failure, so it is not charged. */
export function outcomeFromResponse(
  document: unknown,
  mapping: OutcomeMapping,
  defaults: DefaultPlaces,
  elapsedS: number | null,
  headers: IncomingHttpHeaders = {},
): Outcome {
  const found = atPlace(document, mapping.output.pointer ?? defaults.output);
  const output = outputOf(found, mapping.output, defaults.urlOf ?? fileUrl);
  const { usage } = mapping;
  const places = {
    cost: usage?.cost ? [usage.cost] : defaults.cost,
    seconds: usage?.seconds ? [usage.seconds] : defaults.seconds,
    secondsOf: secondsOf(mapping, defaults),
  };
  const costHeader = usage?.cost_header ?? defaults.costHeader;
  const costInHeader = costHeader && headers[costHeader.toLowerCase()];
  const run: Success = {
    ok: true,
    output: output ?? {},
    usage: reportedTokens(document, mapping, defaults) ?? { inputTokens: 0, outputTokens: 0 },
    measured: {
      ...measured(document, places, elapsedS, costInHeader),
      ...(Array.isArray(output?.images) && { images: imagesIn(output.images, mapping.output.kind) }),
    },
  };
  const refused = outputFailure(document, mapping);
  if (refused !== null) return { ...refused, run };
  return output ? run : { ...failure('GENERATION_FAILED', 'The model gave no usable output.'), run };
}

/** Null: the document reports none. */
export function reportedTokens(
  document: unknown,
  { usage }: Pick<OutcomeMapping, 'usage'>,
  defaults: Pick<DefaultPlaces, 'inputTokens' | 'outputTokens'>,
): Success['usage'] | null {
  const input = number(document, usage?.input_tokens ? [usage.input_tokens] : defaults.inputTokens);
  const output = number(document, usage?.output_tokens ? [usage.output_tokens] : defaults.outputTokens);
  if (input === null && output === null) return null;
  return { inputTokens: Math.round(input ?? 0), outputTokens: Math.round(output ?? 0) };
}

/** A clip is priced by its length, whatever time it took, unless the place is known to report that time. */
function secondsOf({ usage, output: { kind } }: OutcomeMapping, defaults: DefaultPlaces): SecondsOf {
  const byKind = kind === 'videos' || kind === 'audios' ? 'output' : 'run';
  return usage?.seconds_of ?? (usage?.seconds ? byKind : (defaults.secondsOf ?? byKind));
}

function measured(
  document: unknown,
  places: { cost: string[]; seconds: string[]; secondsOf: SecondsOf },
  elapsedS: number | null,
  costInHeader: unknown,
): Success['measured'] {
  const reported = number(document, places.seconds);
  const isOfRun = places.secondsOf === 'run';
  const seconds = isOfRun ? (reported ?? elapsedS) : null;
  const cost = first(document, places.cost) ?? costInHeader;
  return {
    ...(seconds !== null && { seconds }),
    ...(!isOfRun && reported !== null && { outputSeconds: reported }),
    ...(typeof cost === 'string' || isNumber(cost) ? { cost: String(cost) } : {}),
  };
}

/** As many as will be stored: of a list every entry, of `raw` output only distinct ones. */
function imagesIn(images: readonly unknown[], kind: OutputKind): number {
  return kind === 'raw' ? new Set(images.map((image) => JSON.stringify(image))).size : images.length;
}

type Output = Record<string, unknown>;

function outputOf(found: unknown, { kind, files }: OutcomeMapping['output'], urlOf: UrlOf): Output | null {
  if (kind === 'raw') return rawOutput(found, files, urlOf);
  if (kind !== 'text') return listOf(kind, found, urlOf);
  const text = textOf(found);
  return text === null ? null : { text };
}

/** `files`: the places of files in the output, whose items get URLs like those of other kinds. */
function rawOutput(found: unknown, files: readonly string[] | undefined, urlOf: UrlOf): Output | null {
  if (found === undefined || found === null) return null;
  const output = isObject(found) ? found : { output: found };
  if (files === undefined) return output;
  const urls = files
    .flatMap((place) => findAll(output, place))
    .map(({ path, value }) => ({ path, value: urlOf(value) ?? value }));
  return replaceAt(output, urls) as Output;
}

/** Some servers return null for a file that they filtered out: the others count. */
function listOf(name: string, found: unknown, urlOf: UrlOf): Output | null {
  const items = (Array.isArray(found) ? found : [found]).filter(
    (item) => item !== null && item !== undefined,
  );
  const urls = items.map((item) => urlOf(item));
  return urls.length > 0 && urls.every((url) => url !== null)
    ? { [name]: urls.map((url) => ({ url })) }
    : null;
}

/** A string, the pieces of a streaming model, or the parts of a chat message. */
function textOf(found: unknown): string | null {
  if (typeof found === 'string') return isBodyReference(found) ? null : found;
  if (Array.isArray(found)) {
    const parts = found.map(textOf);
    return parts.every((part) => part !== null) ? parts.join('') : null;
  }
  return isObject(found) && typeof found.text === 'string' ? found.text : null;
}

/** Reads the first place that has anything. */
function number(document: unknown, pointers: string[]): number | null {
  const place = pointers.find((pointer) => isThere(atPlace(document, pointer)));
  return place === undefined ? null : numberAt(document, place);
}

function first(document: unknown, pointers: string[]): unknown {
  return pointers.map((pointer) => atPlace(document, pointer)).find(isThere);
}

const isThere = (found: unknown) => found !== undefined && found !== null;

function isObject(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
