import type { RunResult } from './model.ts';
import { ModelError } from './modelError.ts';
import { createShelf } from './shelf.ts';

/** A Cog prediction, as answers and webhooks carry it. */
export type Prediction = {
  id: string;
  model: string;
  status: 'processing' | 'succeeded' | 'failed' | 'canceled';
  output: unknown;
  error: string | null;
  metrics: Record<string, number | string>;
  created_at: string;
  started_at: string;
  completed_at: string | null;
};

export type Run = {
  /** As it stands now. */
  prediction: Prediction;
  ended: Promise<Prediction>;
  cancel(): void;
};

export type Runs = {
  /** The run of this id, under way or finished not long ago. */
  find(model: string, id: string): Run | undefined;
  /** Begins a run; null: too many are under way. */
  begin(model: string, id: string, work: (signal: AbortSignal) => Promise<RunResult>): Run | null;
};

export function createRuns({ maxRunning }: { maxRunning: number }): Runs {
  const running = new Map<string, Run>();
  const finished = createShelf<Prediction>({ maxBytes: 64 * 1024 * 1024, keepMs: 3_600_000 });
  return {
    find(model, id) {
      const key = keyOf(model, id);
      const prediction = finished.get(key);
      return prediction ? finishedRun(prediction) : running.get(key);
    },
    begin(model, id, work) {
      if (running.size >= maxRunning) return null;
      const key = keyOf(model, id);
      const run = startRun(model, id, work, () => {
        running.delete(key);
        finished.put(key, run.prediction, sizeOf(run.prediction));
      });
      running.set(key, run);
      return run;
    },
  };
}

function keyOf(model: string, id: string): string {
  return `${model}/${id}`;
}

function finishedRun(prediction: Prediction): Run {
  return { prediction, ended: Promise.resolve(prediction), cancel() {} };
}

function startRun(
  model: string,
  id: string,
  work: (signal: AbortSignal) => Promise<RunResult>,
  onEnd: () => void,
): Run {
  const abort = new AbortController();
  const startedMs = performance.now();
  const now = new Date().toISOString();
  const run: Run = {
    prediction: {
      id,
      model,
      status: 'processing',
      output: null,
      error: null,
      metrics: {},
      created_at: now,
      started_at: now,
      completed_at: null,
    },
    ended: Promise.resolve().then(async () => {
      const end = await ending(work, abort.signal);
      const predict_time = (performance.now() - startedMs) / 1000;
      run.prediction = {
        ...run.prediction,
        ...end,
        metrics: { ...end.metrics, predict_time },
        completed_at: new Date().toISOString(),
      };
      onEnd();
      return run.prediction;
    }),
    cancel: () => abort.abort(),
  };
  return run;
}

type End = Pick<Prediction, 'status' | 'output' | 'error' | 'metrics'>;

async function ending(work: (signal: AbortSignal) => Promise<RunResult>, signal: AbortSignal): Promise<End> {
  try {
    const { output, metrics } = await work(signal);
    if (!signal.aborted) return { status: 'succeeded', output, error: null, metrics };
  } catch (error) {
    if (!signal.aborted) return { status: 'failed', output: null, error: errorText(error), metrics: {} };
  }
  return { status: 'canceled', output: null, error: null, metrics: {} };
}

function errorText(error: unknown): string {
  return error instanceof ModelError
    ? error.message
    : 'GENERATION_FAILED: The model failed to generate a result.';
}

/** Near enough: what a run holds in memory beside its texts. */
function sizeOf({ output }: Prediction): number {
  const texts = Array.isArray(output) ? output : [output];
  return 1000 + texts.reduce<number>((sum, one) => sum + (typeof one === 'string' ? one.length : 0), 0);
}
