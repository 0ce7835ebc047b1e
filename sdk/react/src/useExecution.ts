import {
  type Execution,
  ExecutionError,
  type ExecutionEvent,
  type ExecutionStatus,
  Holdfast,
  type HoldfastError,
  isEnded,
  type ModelSlug,
  OutputFile,
  type OutputOf,
} from '@holdfast/sdk';
import { useEffect, useMemo, useRef, useState } from 'react';
import { follow } from './follow.ts';
import { useBaseUrl } from './provider.ts';

export type UseExecutionOptions = {
  /** The URL of your Holdfast. Default: the `HoldfastProvider`'s, or the origin of the page. */
  baseUrl?: string;
  /** Shows the output of an execution that was created with `stream: true` as it grows: `text`, or `partialImage`. */
  stream?: boolean;
  /** Called when the token is not accepted, or no longer. Get a new one from your server and pass it to the hook. */
  onTokenExpired?: () => void;
};

/** What is known of an execution. */
export type ExecutionState<Output> = {
  /** Null until it has been read. */
  status: ExecutionStatus | null;
  /** Whether the status is final. */
  isEnded: boolean;
  /** The record as it was last read. */
  execution: Execution | null;
  /** From 0 to 1, if its provider reports it. */
  progress: number | null;
  queuePosition: number | null;
  /** With `stream`: the text so far. It is empty again when the model begins anew. */
  text: string;
  /** With `stream`: the last partial image, of a model that shows them. */
  partialImage: OutputFile | null;
  /** What has happened since the hook began to follow it: the last 1,000 events. */
  events: readonly ExecutionEvent[];
  /** Once it is completed. */
  output: Output | null;
  /** The files in the output, with `.url()` and `.blob()`. */
  files: readonly OutputFile[];
  /**
   * An `ExecutionError` when it failed, expired or was cancelled. Any other: it cannot be read; if `error.retryable`, the
   * hook tries again.
   */
  error: HoldfastError | null;
};

type Known = {
  id: string | null;
  execution: Execution | null;
  progress: number | null;
  queuePosition: number | null;
  text: string;
  image: string | null;
  events: readonly ExecutionEvent[];
  error: HoldfastError | null;
};

const maxEvents = 1000;
const unknown = (id: string | null): Known => ({
  id,
  execution: null,
  progress: null,
  queuePosition: null,
  text: '',
  image: null,
  events: [],
  error: null,
});

/**
 * Follows an execution with a token that your server made: `client.executions.createToken(id)`. Without an id or a token
 * it waits for both. For an execution with `stream: true` the token of its `urls.stream` works, too. It reconnects by itself; a new token continues what an expired one has shown.
 */
export function useExecution<Slug extends ModelSlug = ModelSlug>(
  id: string | null | undefined,
  token: string | null | undefined,
  options: UseExecutionOptions = {},
): ExecutionState<OutputOf<Slug>> {
  const baseUrl = useBaseUrl(options.baseUrl);
  const isStreamed = options.stream ?? false;
  const client = useMemo(
    () => (baseUrl && token ? new Holdfast({ baseUrl, apiKey: token }) : null),
    [baseUrl, token],
  );
  const [known, setKnown] = useState(() => unknown(id ?? null));
  const onTokenExpired = useRef(options.onTokenExpired);
  useEffect(() => {
    onTokenExpired.current = options.onTokenExpired;
  });

  useEffect(() => {
    if (!client || !id) return undefined;
    const stopping = new AbortController();
    const update = (change: (last: Known) => Known) =>
      setKnown((last) => change(last.id === id ? last : unknown(id)));
    void follow(
      client,
      id,
      { signal: stopping.signal, isStreamed },
      {
        onText: (change) => update((last) => ({ ...last, text: change(last.text), error: null })),
        onImage: (image) => update((last) => ({ ...last, image, error: null })),
        onEvent: (event, isFirst) =>
          update((last) => withEvent(isFirst ? { ...last, events: [] } : last, event)),
        onEnded: (execution) => update((last) => withEnd(last, execution)),
        onError(error) {
          update((last) => ({ ...last, error }));
          if (error.code === 'UNAUTHENTICATED') onTokenExpired.current?.();
        },
      },
    );
    return () => stopping.abort();
  }, [client, id, isStreamed]);

  // Never another execution's state, not even for one render.
  const shown = known.id === (id ?? null) ? known : unknown(id ?? null);
  const { execution } = shown;
  // Files are read with the newest token.
  const output = useMemo(
    () => (client && execution ? (client.output<Slug>(execution) ?? null) : null),
    [client, execution],
  );
  const files = useMemo(() => filesIn(output), [output]);
  const { progress, queuePosition, text, image, events, error } = shown;
  const partialImage = useMemo(
    () => (client && image ? new OutputFile(client.files, { file_id: image }) : null),
    [client, image],
  );
  const status = execution?.status ?? null;
  const ended = execution !== null && isEnded(execution);
  return {
    status,
    isEnded: ended,
    execution,
    progress,
    queuePosition,
    text,
    partialImage,
    events,
    output,
    files,
    error,
  };
}

function withEvent(last: Known, event: ExecutionEvent): Known {
  const events = [...last.events, event].slice(-maxEvents);
  if (event.type === 'status') return { ...last, events, execution: event.execution, error: null };
  if (event.type === 'log') return { ...last, events, error: null };
  const { progress, queuePosition } = event;
  return { ...last, events, progress, queuePosition, error: null };
}

function withEnd(last: Known, execution: Execution): Known {
  const { status, progress, queue_position: queuePosition } = execution;
  const error = status === 'COMPLETED' ? null : new ExecutionError(execution);
  return { ...last, execution, progress, queuePosition, error };
}

/** All files of an output, wherever they are in it. */
function filesIn(value: unknown): OutputFile[] {
  if (value instanceof OutputFile) return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(filesIn);
}
