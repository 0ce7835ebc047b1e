import {
  type Execution,
  type ExecutionEvent,
  type Holdfast,
  HoldfastError,
  type ProgressEvent,
} from '@holdfast/sdk';

/** Between tries to read an execution that cannot be read: the network may be away for hours. */
const pauseMs = 3000;

export type Following = {
  /** `isFirst`: the events begin anew, from the first. */
  onEvent: (event: ExecutionEvent, isFirst: boolean) => void;
  /** With `isStreamed`: the output so far changes. */
  onText: (change: (text: string) => string) => void;
  onEnded: (execution: Execution) => void;
  /** `error.retryable`: the execution is read again. */
  onError: (error: HoldfastError) => void;
};

/** Reports an execution until it has ended, cannot be read, or the signal is aborted; nothing after that. */
export async function follow(
  client: Holdfast,
  id: string,
  { signal, isStreamed }: { signal: AbortSignal; isStreamed: boolean },
  { onEvent, onText, onEnded, onError }: Following,
): Promise<void> {
  for (;;) {
    let isFirst = true;
    const onProgress = (event: ProgressEvent) => {
      if (signal.aborted || event.type === 'upload') return;
      onEvent(event, isFirst);
      isFirst = false;
    };
    const reading = { id, signal, onProgress, onText };
    try {
      if (isStreamed) await readStream(client, reading);
      const execution = await client.executions.wait(id, { signal, onProgress });
      if (!signal.aborted) onEnded(execution);
      return;
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof HoldfastError)) throw error;
      onError(error);
      if (!error.retryable) return;
    }
    await pause(signal);
  }
}

type Reading = Pick<Following, 'onText'> & {
  id: string;
  signal: AbortSignal;
  onProgress: (event: ExecutionEvent) => void;
};

/** Reports a stream to its end. It has no statuses, so the record is read at the beginning and once output has begun. */
async function readStream(client: Holdfast, { id, signal, onProgress, onText }: Reading): Promise<void> {
  let { status } = await readRecord();
  onText(() => '');
  for await (const event of client.executions.stream<unknown>(id, { signal }).events()) {
    if (signal.aborted) return;
    if (event.type === 'output' && typeof event.delta === 'string') {
      const { delta } = event;
      onText((text) => text + delta);
    }
    if (event.type === 'reset') onText(() => '');
    if (event.type === 'progress')
      onProgress({ type: 'progress', progress: event.progress, queuePosition: null });
    if (event.type === 'logs') onProgress({ type: 'log', lines: event.lines });
    if (event.type !== 'done' && status === 'PENDING') ({ status } = await readRecord());
  }

  async function readRecord() {
    const execution = await client.executions.get(id, { signal });
    onProgress({ type: 'status', execution });
    return execution;
  }
}

function pause(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const onEnd = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onEnd);
      resolve();
    };
    const timer = setTimeout(onEnd, pauseMs);
    signal.addEventListener('abort', onEnd);
  });
}
