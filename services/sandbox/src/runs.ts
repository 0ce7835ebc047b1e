import { createRunEvents, type RunEvents } from './events.ts';
import type { RunContext, RunResult } from './model.ts';
import { ModelError } from './model.ts';

export type Prediction = {
  id: string;
  status: 'processing' | 'succeeded' | 'failed' | 'canceled';
  output?: unknown;
  error?: string;
  logs: string;
  metrics: Record<string, number | string>;
};

export type Run = {
  prediction: Prediction;
  ended: Promise<Prediction>;
  events: RunEvents;
  /** Whether it was started by a request for its events. */
  isStreamed: boolean;
  /** Open streams of its events. */
  readers: Set<object>;
  cancel(): void;
};

export type Work = (context: Omit<RunContext, 'publish'>) => Promise<RunResult>;

/** Running runs only: an ended run is forgotten, as in a container. */
export type Runs = {
  find(model: string, id: string): Run | undefined;
  isFull(): boolean;
  /** Null when too many are running. */
  begin(model: string, id: string, isStreamed: boolean, work: Work): Run | null;
};

export function createRuns({ maxRunning }: { maxRunning: number }): Runs {
  const running = new Map<string, Run>();
  const isFull = () => running.size >= maxRunning;
  return {
    find: (model, id) => running.get(keyOf(model, id)),
    isFull,
    begin(model, id, isStreamed, work) {
      if (isFull()) return null;
      const key = keyOf(model, id);
      const run = startRun(id, isStreamed, work, () => running.delete(key));
      running.set(key, run);
      return run;
    },
  };
}

function keyOf(model: string, id: string): string {
  return `${model}/${id}`;
}

function startRun(id: string, isStreamed: boolean, work: Work, onEnd: () => void): Run {
  const abort = new AbortController();
  const startedMs = performance.now();
  const events = createRunEvents();
  const pieces: unknown[] = [];
  const context = {
    signal: abort.signal,
    isStreamed,
    log(line: string) {
      run.prediction.logs += `${line}\n`;
      events.add('log', { source: 'stdout', data: `${line}\n` });
    },
    emit(piece: unknown) {
      events.add('output', { chunk: piece, index: pieces.length });
      pieces.push(piece);
    },
  };
  const run: Run = {
    prediction: { id, status: 'processing', logs: '', metrics: {} },
    events,
    isStreamed,
    readers: new Set(),
    ended: Promise.resolve().then(async () => {
      events.add('start', { id, status: 'processing' });
      const end = await ending(() => work(context), abort.signal);
      for (const [name, value] of Object.entries(end.metrics))
        events.add('metric', { name, value, mode: 'replace' });
      const predict_time = (performance.now() - startedMs) / 1000;
      const output = pieces.length > 0 && { output: pieces };
      run.prediction = { ...run.prediction, ...output, ...end, metrics: { ...end.metrics, predict_time } };
      onEnd();
      events.add('completed', run.prediction);
      return run.prediction;
    }),
    cancel: () => abort.abort(),
  };
  return run;
}

type End = Pick<Prediction, 'status' | 'metrics'> & Partial<Prediction>;

async function ending(work: () => Promise<RunResult>, signal: AbortSignal): Promise<End> {
  try {
    const result = await work();
    if (!signal.aborted) return { status: 'succeeded', ...result };
  } catch (error) {
    if (!signal.aborted) return { status: 'failed', error: errorText(error), metrics: {} };
  }
  return { status: 'canceled', metrics: {} };
}

function errorText(error: unknown): string {
  return error instanceof ModelError
    ? error.message
    : 'GENERATION_FAILED: The model failed to generate a result.';
}
