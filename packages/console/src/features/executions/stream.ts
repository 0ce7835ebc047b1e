import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';

export type StreamKind = 'text' | 'json' | 'audio';

/** What a running execution has shown so far. */
export type Stream = {
  /** Its text; of values of JSON, one a line. */
  written: string;
  /** Bytes of its audio. */
  audioBytes: number;
  hasOutput: boolean;
  /** The attempt that began the output again; null while the first one writes. */
  attempt: number | null;
  progress: number | null;
  lines: string[];
};

export const emptyStream: Stream = {
  written: '',
  audioBytes: 0,
  hasOutput: false,
  attempt: null,
  progress: null,
  lines: [],
};

export type StreamEvent =
  | { type: 'output'; data: { delta: unknown } }
  | { type: 'progress'; data: { progress: number | null } }
  | { type: 'logs'; data: { lines: string[] } }
  | { type: 'reset'; data: { attempt: number | null } }
  | { type: 'done'; data: object };

const types = ['output', 'progress', 'logs', 'reset', 'done'] as const satisfies StreamEvent['type'][];
const maxLines = 500;
const retryMs = 2000;

export function afterEvent(stream: Stream, kind: StreamKind, { type, data }: StreamEvent): Stream {
  switch (type) {
    case 'output':
      return { ...stream, ...withDelta(stream, kind, data.delta), hasOutput: true };
    case 'progress':
      return { ...stream, progress: data.progress };
    case 'logs':
      return { ...stream, lines: [...stream.lines, ...data.lines].slice(-maxLines) };
    case 'reset':
      return { ...emptyStream, lines: stream.lines, attempt: data.attempt };
    case 'done':
      return stream;
  }
}

/** A whole output that is no piece of this kind is left to the record of the ended execution. */
function withDelta({ written, audioBytes }: Stream, kind: StreamKind, delta: unknown): Partial<Stream> {
  if (kind === 'json') return { written: `${written}${JSON.stringify(delta)}\n` };
  if (typeof delta !== 'string') return {};
  if (kind === 'text') return { written: written + delta };
  return { audioBytes: audioBytes + Math.floor((delta.replace(/=+$/, '').length * 3) / 4) };
}

/** Reads a stream from its beginning until it is done, across connections that break. Returns how to stop. */
function follow(url: string, onEvent: (event: StreamEvent) => void): () => void {
  let lastId = '';
  let retry: number | undefined;
  let source = open();

  function open(): EventSource {
    const opened = new EventSource(lastId === '' ? url : `${url}?starting_after=${lastId}`);
    for (const type of types) {
      opened.addEventListener(type, (message) => {
        lastId = message.lastEventId || lastId;
        if (type === 'done') opened.close();
        onEvent({ type, data: JSON.parse(String(message.data)) } as StreamEvent);
      });
    }
    // A broken connection is opened again by the browser, a refused one is not.
    opened.addEventListener('error', () => {
      if (opened.readyState !== EventSource.CLOSED) return;
      retry = window.setTimeout(() => {
        source = open();
      }, retryMs);
    });
    return opened;
  }

  return () => {
    window.clearTimeout(retry);
    source.close();
  };
}

export type Followed = { id: string; url: string; kind: StreamKind };

/** What an execution shows, as it is made; null: it is not followed. Its record is read again when it begins and ends. */
export function useStream(of: Followed | null): Stream {
  const client = useQueryClient();
  const [stream, setStream] = useState(emptyStream);
  const { id, url, kind } = of ?? {};
  useEffect(() => {
    if (id === undefined || url === undefined || kind === undefined) return;
    const refresh = () => {
      void client.invalidateQueries({ queryKey: ['execution', id] });
      void client.invalidateQueries({ queryKey: ['organization'] });
    };
    setStream(emptyStream);
    let isFirst = true;
    return follow(url, (event) => {
      setStream((known) => afterEvent(known, kind, event));
      if (isFirst || event.type === 'done') refresh();
      isFirst = false;
    });
  }, [client, id, url, kind]);
  return stream;
}
