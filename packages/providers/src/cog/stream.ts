import { isNumber } from '@holdfast/domain/json';
import type { OutputKind } from '@holdfast/domain/modelResponse';
import { parseJson } from '@holdfast/egress/response';
import type { TrustedHttp, TrustedResult } from '@holdfast/egress/trusted';
import { isObject } from '@holdfast/kit/jsonSchema/values';
import { brokenOff, isEventStream, readEvents, type StreamEnd, type StreamEvent } from '../eventStream.ts';
import type { OutputSink, Progress, Submission } from '../interface.ts';
import { type Secrets, withRaw } from '../outcome/raw.ts';
import { reportedTokens } from '../outcome/success.ts';
import { progressOfLogs } from '../progress.ts';
import { createShownOutput, type ShownOutput } from '../shownOutput.ts';
import { defaults, endOf, type Prediction, readPrediction } from './prediction.ts';

const canShow: Record<OutputSink['kind'], (output: OutputKind) => boolean> = {
  text: (output) => output === 'text',
  json: () => true,
  audio: () => false,
  image: (output) => output === 'images',
};

/** The sink of a run whose output can be shown while it is made. */
export function sinkOf({ sink, mapping: { output } }: Submission): OutputSink | null {
  if (sink === undefined || ![undefined, '/output'].includes(output.pointer)) return null;
  return canShow[sink.kind](output.kind) ? sink : null;
}

type Call = {
  submission: Submission;
  sink: OutputSink;
  secrets: Secrets;
  signal: AbortSignal;
  /** Runs a model that does not stream. */
  start(): Promise<Progress>;
  /** Reads a response that is not a stream. */
  read(result: TrustedResult): Progress;
};

const doesNotStream = 'the model does not stream: add @cog.streaming to its run function';

/** `path`: of the run, for a PUT. */
export async function streamRun(http: TrustedHttp, path: string, call: Call): Promise<Progress> {
  const { submission, sink, secrets, signal, start, read } = call;
  const shown = createShownOutput(sink);
  const events = createRunEvents(call, shown);
  const untilMs = Date.now() + submission.timeoutMs;
  const put = (input: unknown) =>
    http.request('PUT', path, {
      json: { input },
      headers: { accept: 'text/event-stream, application/json' },
      bodyAs: ({ status, headers }) => (status < 300 && isEventStream(headers) ? 'stream' : 'text'),
      timeoutMs: Math.max(untilMs - Date.now(), 1),
      signal,
    });
  const first = await put(submission.input);
  if (first.ok && first.status === 406) {
    const progress = await withRest(await start(), shown);
    return progress.state === 'ended' ? { alert: doesNotStream, ...progress } : progress;
  }
  if (!first.ok || first.stream === undefined) return await withRest(read(first), shown);
  let over = await events.read(first.stream);
  for (let seen = 0; over.prediction === null; ) {
    const cut = cutOff(over, call);
    if (cut.state !== 'unknown' || over.isLost || signal.aborted || events.seen() === seen) return cut;
    seen = events.seen();
    // A run that has ended is not found, because an input that is no object cannot start one.
    const again = await put([]);
    if (!again.ok || again.stream === undefined) return cut;
    const resumed = await events.read(again.stream);
    // Cog cancels a run when it notices that its stream was closed.
    if (resumed.prediction !== null && resumed.prediction.status !== 'succeeded') return cut;
    over = resumed;
  }
  const ended = endOf(over.prediction, submission.mapping, secrets);
  return ended === null ? cutOff(over, call) : await withRest(ended, shown);
}

async function withRest(progress: Progress, shown: ShownOutput): Promise<Progress> {
  if (progress.state === 'ended') await shown.showRest(progress.outcome);
  return progress;
}

/** `isLost`: the container has dropped events that were not read. */
type Over = { end: StreamEnd; prediction: Prediction | null; isLost: boolean; said: string };

function cutOff({ end, said }: Over, { signal, secrets }: Pick<Call, 'signal' | 'secrets'>): Progress {
  const progress = brokenOff(end, signal);
  if (said === '' || progress.state !== 'unknown') return progress;
  return { ...progress, outcome: withRaw(progress.outcome, said, secrets) };
}

type Field = Record<string, unknown>;

/** Shows each event of a run once: a repeated PUT of its id returns its events again from the first. */
function createRunEvents(
  { sink, submission }: Pick<Call, 'sink' | 'submission'>,
  shown: ShownOutput,
): { read(stream: Parameters<typeof readEvents>[0]): Promise<Over>; seen(): number } {
  const metrics = new Map<unknown, unknown>();
  let seen = 0;
  let logs = '';

  const show: Record<string, (data: Field) => Promise<void> | void> = {
    start: () => undefined,
    output: ({ chunk }) => shown.show(chunk),
    log({ data }) {
      if (typeof data !== 'string') return;
      logs = (logs + data).slice(-maxLogChars);
      sink.logs(data);
      const { progress } = progressOfLogs(logs);
      if (progress !== undefined) sink.progress(progress);
    },
    metric({ name, value, mode }) {
      const before = metrics.get(name);
      const isAdded = mode === 'increment' && isNumber(before) && isNumber(value);
      metrics.set(name, isAdded ? Number(before) + Number(value) : value);
      const tokens = reportedTokens({ metrics: Object.fromEntries(metrics) }, submission.mapping, defaults);
      if (tokens !== null && tokens.outputTokens > 0) sink.usage(tokens);
    },
  };

  return {
    seen: () => seen,
    async read(stream) {
      const over = { prediction: null as Prediction | null, isLost: false, said: '' };
      let at = 0;
      const end = await readEvents(stream, async ({ name, data }: StreamEvent) => {
        const json = parseJson(data);
        if (!isObject(json)) return false;
        if (name === 'completed') over.prediction = at >= seen ? readPrediction(json) : null;
        if (name === 'error' || (at === 0 && seen > 0 && name !== 'start')) over.isLost = true;
        if (name === 'error') over.said = data;
        if (over.isLost || name === 'completed') return true;
        at += 1;
        if (at <= seen) return false;
        seen = at;
        await show[name]?.(json);
        return false;
      });
      return { ...over, end };
    },
  };
}

/** Enough for a progress bar. */
const maxLogChars = 8192;
