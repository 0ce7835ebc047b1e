import { UsageError } from '@holdfast/kit/flags';
import {
  AbortedError,
  ApiError,
  type Execution,
  ExecutionError,
  file,
  Holdfast,
  HoldfastError,
  isEnded,
  type Model,
  type ProgressEvent,
  type StreamEvent,
} from '@holdfast/sdk';
import type { Context } from '../command.ts';
import { exitCodes, RefusedError } from '../errors.ts';
import { readOperands } from '../flags.ts';
import { replaceStrings, testInput } from '../models/trial/input.ts';
import { oneLine, printJson } from '../output/print.ts';
import { interruptible } from '../terminal.ts';

const options = {
  input: { type: 'string' },
  stream: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
  url: { type: 'string' },
  key: { type: 'string' },
} as const;

/** 0: it completed; 1: it ended in another way, or was interrupted and cancelled. */
export async function run(args: string[], context: Context): Promise<number> {
  const { operands, values } = readOperands('run', args, ['model'], options);
  const [slug] = operands;
  const client = new Holdfast(context.apiAccess(values));
  return await interruptible(async (interrupt) => {
    const signal = AbortSignal.any([interrupt, context.outputClosed]);
    try {
      const model = await client.models.get(slug, { signal });
      if (values.stream && !model.stream) throw new UsageError(`${slug} does not stream`);
      const running = {
        client,
        slug,
        input: inputOf(model, values.input),
        signal,
        context,
        json: values.json,
      };
      const execution = await (values.stream ? runStreamed(running, model.stream) : runWhole(running));
      reportEnd(context, execution);
      return 0;
    } catch (error) {
      if (!(error instanceof HoldfastError)) throw error;
      return exitCodeOf(context, error);
    }
  });
}

type Running = {
  client: Holdfast;
  slug: string;
  input: Record<string, unknown>;
  signal: AbortSignal;
  context: Context;
  json: boolean;
};

/** The client uploads the files in it. */
function inputOf({ input_schema: schema }: Pick<Model, 'input_schema'>, given: string | undefined) {
  const { input, files } = testInput({ input_schema: schema }, given, { hasUploads: true });
  return replaceStrings(input, (text) => {
    const found = files.get(text);
    return found ? file(found.bytes, { filename: found.filename, contentType: found.contentType }) : text;
  });
}

async function runWhole({ client, slug, input, signal, context, json }: Running): Promise<Execution> {
  const onProgress = (event: ProgressEvent) => {
    if (event.type === 'status' && !isEnded(event.execution)) context.report(event.execution.status);
    if (event.type === 'progress') reportProgress(context, event.progress);
    if (event.type === 'log') reportLines(context, event.lines);
  };
  const { output, execution } = await client.run(slug, input, { signal, cancelOnAbort: true, onProgress });
  if (json) printJson(context, execution);
  else context.print(JSON.stringify(output, null, 2));
  return execution;
}

/** Prints the output as it comes, or with --json each event. */
async function runStreamed(
  { client, slug, input, signal, context, json }: Running,
  kind: Model['stream'],
): Promise<Execution> {
  const stream = client.stream(slug, input, { signal, cancelOnAbort: true });
  let isInLine = false;
  for await (const event of stream.events()) {
    if (json) printJson(context, eventRecord(event));
    else if (event.type === 'output') {
      const text = partOf(kind, event.delta);
      context.write(text);
      isInLine = typeof text === 'string' && !text.endsWith('\n');
    } else if (isInLine && (event.type === 'reset' || event.type === 'done')) context.print('');
    if (event.type === 'reset') context.report('the model begins anew: the output so far is void');
    if (event.type === 'progress') reportProgress(context, event.progress);
    if (event.type === 'logs') reportLines(context, event.lines);
  }
  return (await stream.final()).execution;
}

/** The text, the bytes of the sound, or the JSON of a value in a line. */
function partOf(kind: Model['stream'], delta: unknown): string | Uint8Array {
  if (typeof delta !== 'string' || kind === 'json') return `${JSON.stringify(delta)}\n`;
  return kind === 'audio' ? Buffer.from(delta, 'base64') : delta;
}

/** With the keys of the API. */
function eventRecord(event: StreamEvent) {
  if (event.type !== 'done') return event;
  const { finishReason: finish_reason, ...rest } = event;
  return { ...rest, finish_reason };
}

function reportProgress({ report }: Context, progress: number | null): void {
  if (progress !== null) report(`${Math.round(progress * 100)} %`);
}

function reportLines({ report }: Context, lines: string[]): void {
  for (const line of lines) report(`  | ${oneLine(line)}`);
}

function reportEnd({ report }: Context, { id, status, cost }: Execution): void {
  report([status, id, ...(cost === null ? [] : [`cost ${cost}`])].join('  '));
}

/** @throws what says that the command could not run, or was refused */
function exitCodeOf(context: Context, error: HoldfastError): number {
  if (error instanceof ExecutionError) {
    reportEnd(context, error.execution);
    context.report(`holdfast: ${error.code}: ${error.message}`);
    return exitCodes.wrong;
  }
  if (error instanceof AbortedError) {
    context.report(`holdfast: interrupted${error.execution ? `: ${error.execution.id} is cancelled` : ''}`);
    return exitCodes.wrong;
  }
  if (error instanceof ApiError) throw new RefusedError(error.message);
  throw error;
}
