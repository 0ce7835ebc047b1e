import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { afterEvent, emptyStream, type Stream, type StreamEvent, type StreamKind } from './shownStream.ts';

const types = ['output', 'progress', 'logs', 'reset', 'done'] as const satisfies StreamEvent['type'][];
const retryMs = 2000;

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
