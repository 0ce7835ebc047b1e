import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { read, type Schemas } from '../../api.ts';
import { useModels } from '../models/models.ts';
import type { Stream } from './shownStream.ts';
import { useStream } from './stream.ts';

type Whole = Schemas['ExecutionWithAttempts'];

/** Read again this often while events arrive, and where they do not. */
const liveMs = 2000;

export const executionKey = (id: string) => ['execution', id] as const;

/** An execution, read again until it has ended and its deliveries with it. */
export function useExecution(id: string | undefined) {
  return useQuery({
    queryKey: executionKey(id ?? ''),
    queryFn: () => read<Whole>(`/executions/${encodeURIComponent(id ?? '')}`),
    enabled: id !== undefined,
    refetchInterval: ({ state }) => (state.data && isSettled(state.data) ? false : liveMs),
  });
}

function isSettled({ completed_at: ended, deliveries }: Whole): boolean {
  return ended !== null && deliveries.every(({ status }) => status !== 'pending');
}

type Progress = { progress: number | null; queue_position: number | null };
const maxLines = 500;

export type Live = Pick<Stream, 'progress' | 'lines'> & { stream: Stream; isChargedOnCancel: boolean };

/** What an open execution shows as it happens: one connection, to its output if the model streams, else to its events. */
export function useLive(of: Whole | undefined): Live {
  const models = useModels();
  const { stream: kind, on_cancel: onCancel } =
    models.data?.find(({ slug }) => slug === of?.model)?.definition ?? {};
  const streams = of?.completed_at === null && kind !== undefined;
  const url = of && `/admin/v1/organizations/${of.organization_id}/executions/${of.id}/stream`;
  const stream = useStream(streams && url ? { id: of.id, url, kind } : null);
  const events = useEvents(models.isPending || kind !== undefined ? undefined : of);
  const { progress, lines } =
    kind === undefined ? { ...events, progress: events.progress?.progress ?? null } : stream;
  return { progress, lines, stream, isChargedOnCancel: onCancel === 'charge' && stream.hasOutput };
}

/** Progress and log lines of an open execution as they happen; each change of its status reads it again. */
function useEvents(of: Whole | undefined): { progress: Progress | null; lines: string[] } {
  const client = useQueryClient();
  const [progress, setProgress] = useState<Progress | null>(null);
  const [lines, setLines] = useState<string[]>([]);
  const { id, organization_id: organizationId } = of ?? {};
  const isOpen = of !== undefined && of.completed_at === null;
  useEffect(() => {
    if (!isOpen || !id) return;
    setProgress(null);
    setLines([]);
    const source = new EventSource(`/admin/v1/organizations/${organizationId}/executions/${id}/events`);
    source.addEventListener('status', () => {
      void client.invalidateQueries({ queryKey: executionKey(id) });
      void client.invalidateQueries({ queryKey: ['organization', organizationId] });
    });
    source.addEventListener('progress', ({ data }) => setProgress(JSON.parse(String(data)) as Progress));
    source.addEventListener('log', ({ data }) => {
      const { lines: more } = JSON.parse(String(data)) as { lines: string[] };
      setLines((known) => [...known, ...more].slice(-maxLines));
    });
    return () => source.close();
  }, [client, id, organizationId, isOpen]);
  return { progress, lines };
}
