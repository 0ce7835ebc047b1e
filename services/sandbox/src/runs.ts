import type { RunResult } from './model.ts';
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
  cancel(): void;
};

export type Work = (signal: AbortSignal, log: (line: string) => void) => Promise<RunResult>;

/** Running runs only: an ended run is forgotten, as in a container. */
export type Runs = {
  find(model: string, id: string): Run | undefined;
  isFull(): boolean;
  /** Null when too many are running. */
  begin(model: string, id: string, work: Work): Run | null;
};

export function createRuns({ maxRunning }: { maxRunning: number }): Runs {
  const running = new Map<string, Run>();
  const isFull = () => running.size >= maxRunning;
  return {
    find: (model, id) => running.get(keyOf(model, id)),
    isFull,
    begin(model, id, work) {
      if (isFull()) return null;
      const key = keyOf(model, id);
      const run = startRun(id, work, () => running.delete(key));
      running.set(key, run);
      return run;
    },
  };
}

function keyOf(model: string, id: string): string {
  return `${model}/${id}`;
}

function startRun(id: string, work: Work, onEnd: () => void): Run {
  const abort = new AbortController();
  const startedMs = performance.now();
  const log = (line: string) => {
    run.prediction.logs += `${line}\n`;
  };
  const run: Run = {
    prediction: { id, status: 'processing', logs: '', metrics: {} },
    ended: Promise.resolve().then(async () => {
      const end = await ending((signal) => work(signal, log), abort.signal);
      const predict_time = (performance.now() - startedMs) / 1000;
      run.prediction = { ...run.prediction, ...end, metrics: { ...end.metrics, predict_time } };
      onEnd();
      return run.prediction;
    }),
    cancel: () => abort.abort(),
  };
  return run;
}

type End = Pick<Prediction, 'status' | 'metrics'> & Partial<Prediction>;

async function ending(work: (signal: AbortSignal) => Promise<RunResult>, signal: AbortSignal): Promise<End> {
  try {
    const { output, metrics } = await work(signal);
    if (!signal.aborted) return { status: 'succeeded', output, metrics };
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
