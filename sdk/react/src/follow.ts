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
  onEnded: (execution: Execution) => void;
  /** `error.retryable`: the execution is read again. */
  onError: (error: HoldfastError) => void;
};

/** Reports an execution until it has ended, cannot be read, or the signal is aborted; nothing after that. */
export async function follow(
  client: Holdfast,
  id: string,
  signal: AbortSignal,
  { onEvent, onEnded, onError }: Following,
): Promise<void> {
  for (;;) {
    let isFirst = true;
    const onProgress = (event: ProgressEvent) => {
      if (signal.aborted || event.type === 'upload') return;
      onEvent(event, isFirst);
      isFirst = false;
    };
    try {
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
