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
  /** With `isStreamed`: the id of the last partial image. */
  onImage: (id: string | null) => void;
  onEnded: (execution: Execution) => void;
  /** `error.retryable`: the execution is read again. */
  onError: (error: HoldfastError) => void;
};

/** Reports an execution until it has ended, cannot be read, or the signal is aborted; nothing after that. */
export async function follow(
  client: Holdfast,
  id: string,
  { signal, isStreamed }: { signal: AbortSignal; isStreamed: boolean },
  { onEvent, onText, onImage, onEnded, onError }: Following,
): Promise<void> {
  for (;;) {
    let isFirst = true;
    const onProgress = (event: ProgressEvent) => {
      if (signal.aborted || event.type === 'upload') return;
      onEvent(event, isFirst);
      isFirst = false;
    };
    const reading = { id, signal, onProgress, onText, onImage };
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

type Reading = Pick<Following, 'onText' | 'onImage'> & {
  id: string;
  signal: AbortSignal;
  onProgress: (event: ExecutionEvent) => void;
};

/** Reports a stream to its end. It has no statuses, so the record is read at the beginning and once output has begun. */
async function readStream(
  client: Holdfast,
  { id, signal, onProgress, onText, onImage }: Reading,
): Promise<void> {
  let { status } = await readRecord();
  clear();
  for await (const event of client.executions.stream<unknown>(id, { signal }).events()) {
    if (signal.aborted) return;
    if (event.type === 'output' && typeof event.delta === 'string') {
      const { delta } = event;
      onText((text) => text + delta);
    }
    if (event.type === 'output' && isPartialImage(event.delta)) onImage(event.delta.image);
    if (event.type === 'reset') clear();
    if (event.type === 'progress')
      onProgress({ type: 'progress', progress: event.progress, queuePosition: null });
    if (event.type === 'logs') onProgress({ type: 'log', lines: event.lines });
    if (event.type !== 'done' && status === 'PENDING') ({ status } = await readRecord());
  }

  function clear(): void {
    onText(() => '');
    onImage(null);
  }

  async function readRecord() {
    const execution = await client.executions.get(id, { signal });
    onProgress({ type: 'status', execution });
    return execution;
  }
}

const isPartialImage = (delta: unknown): delta is { image: string } =>
  typeof (delta as { image?: unknown } | null)?.image === 'string';

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
